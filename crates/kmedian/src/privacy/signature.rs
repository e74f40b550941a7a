//! Signed releases: who made a document, and for which entry of which ledger.
//!
//! A signature is a member of the JSON document, beside the release and its checksum. It signs a
//! statement: the hash of the release as it is written, its terms, and the entry of the ledger that
//! paid for it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::document::sha256;
use super::fingerprint::hexadecimal;
use super::keys::{PublicKey, SigningKey};
use crate::{Error, ErrorKind};

/// The text that is put before a statement when it is signed, so that nothing else that the key
/// ever signs can be taken for a statement.
const PURPOSE: &str = "kmedian release statement 1\n";

/// What a signature says about a release. It is signed as JSON without spaces, with the members in
/// the order of these fields.
///
/// ```
/// use kmedian::privacy::{Entropy, Epsilon, LedgerEntry, PrivateTree, Recipe, SigningKey};
/// use kmedian::{Metric, Run, Vectors};
///
/// let stops: Vec<f32> = (0..50).map(|stop| stop as f32).collect();
/// let stops = Vectors::new(1, &stops, Metric::L1)?;
/// let recipe = Recipe::new("1".parse::<Epsilon>()?);
/// let release = PrivateTree::release(&stops, &[3; 50], &recipe, &mut Entropy::system(), &mut Run::default())?;
///
/// let key = SigningKey::generate()?;
/// let entry = LedgerEntry { dataset: "visits".into(), number: 7, head: "sha256:5f0c".into() };
/// let signed = key.sign(&release.to_json(), Some(entry))?;
/// let statement = key.public().verify(&signed)?;
/// assert_eq!(statement.ledger.map(|entry| entry.number), Some(7));
/// assert!(SigningKey::generate()?.public().verify(&signed).is_err());
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// `sha256:`, and the SHA-256 of the release, byte by byte as it is in the document, in
    /// hexadecimal digits.
    pub content: String,
    /// Whether the release is private. One with seeded noise or an infinite ε is not.
    pub private: bool,
    /// The ε of the release as a decimal number, or `infinity`.
    pub epsilon: String,
    /// What the release protects: `record` or `owner`.
    pub unit: String,
    /// How many records of an owner the release counts at most; 1 if it protects single records.
    pub max_per_unit: u32,
    /// How neighboring tables differ: `add-remove` or `replace-one`.
    pub neighbours: String,
    /// The entry that paid for the release, if there is a ledger.
    pub ledger: Option<LedgerEntry>,
}

/// The entry of a ledger from which the ε of a release was paid. It is what the signer says, and is
/// not compared with any ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// The dataset whose budget paid.
    pub dataset: String,
    /// The number of the entry in the ledger, which counts the entries of all datasets together.
    pub number: i64,
    /// The head of the ledger's chain of hashes once the entry was written: a public witness of all
    /// that the ledger held by then.
    pub head: String,
}

/// A signature of a release, as it is kept in the document beside the release: what is stated of
/// it, the key that is said to verify it, and the bytes of the signature (Ed25519).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// What the signer states about the release; this is what is signed.
    pub statement: Statement,
    /// The [`id`](PublicKey::id) of the key that is said to verify this signature. It is a claim:
    /// verify with a key that you trust.
    pub key: String,
    /// The 64 bytes of the signature, in hexadecimal digits.
    ed25519: String,
}

/// A document as it is signed and verified. It may have no other members, because what is beside
/// the release is not signed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    #[serde(borrow)]
    release: &'a RawValue,
    checksum: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Signature>,
}

/// The terms that every kind of release states, under the same names.
#[derive(Deserialize)]
struct Terms {
    private: bool,
    epsilon: Option<Number>,
    unit: String,
    max_per_unit: u32,
    neighbours: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Fraction { numerator: u64, denominator: u64 },
    Float(f64),
}

impl SigningKey {
    /// Signs the document of a release of any kind, and returns the document with its signature.
    /// The release in it keeps every byte; an earlier signature is replaced.
    ///
    /// # Errors
    /// If the document is no release, or is damaged.
    pub fn sign(&self, document: &str, entry: Option<LedgerEntry>) -> Result<String, Error> {
        use ed25519_dalek::Signer;

        let mut document = Document::read(document)?;
        let statement = document.statement(entry)?;
        let signature = self.0.sign(&statement.bytes()?);
        document.signature = Some(Signature {
            statement,
            key: self.public().id(),
            ed25519: hexadecimal(&signature.to_bytes()),
        });
        serde_json::to_string(&document)
            .map_err(|error| wrong(format!("cannot be written: {error}")))
    }
}

impl PublicKey {
    /// Checks that a document was signed with this key and was not changed since, and returns what
    /// was signed.
    ///
    /// # Errors
    /// If the document is not signed, is signed with another key, or was changed since.
    pub fn verify(&self, document: &str) -> Result<Statement, Error> {
        let mut document = Document::read(document)?;
        let Some(signature) = document.signature.take() else {
            return Err(wrong("is not signed; get a signed one"));
        };
        let Signature { statement, key, ed25519 } = signature;
        if key != self.id() {
            let this = self.id();
            return Err(wrong(format!("is signed with another key than {this}; get its own key")));
        }
        let signature = ed25519_dalek::Signature::from_slice(&bytes_of(&ed25519)?)
            .map_err(|_| wrong("has no whole signature; get the file again"))?;
        self.0.verify_strict(&statement.bytes()?, &signature).map_err(|_| {
            wrong("is not signed with this key: its signature is forged or damaged")
        })?;
        if document.statement(statement.ledger.clone())? != statement {
            let what =
                "was changed after it was signed: the signed statement does not fit its content";
            return Err(wrong(what));
        }
        Ok(statement)
    }
}

impl Signature {
    /// The signature that a document claims to have; `None` if it has none. Nothing of it is
    /// checked: that takes a key, and [`PublicKey::verify`].
    pub fn claimed_by(document: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Claim {
            signature: Option<Signature>,
        }
        serde_json::from_str::<Claim>(document).ok()?.signature
    }
}

impl<'a> Document<'a> {
    fn read(text: &'a str) -> Result<Self, Error> {
        serde_json::from_str(text)
            .map_err(|error| wrong(format!("is no whole release ({error}); get the file again")))
    }

    /// What is to be signed of this document.
    fn statement(&self, ledger: Option<LedgerEntry>) -> Result<Statement, Error> {
        let text = self.release.get();
        let content = sha256(text);
        if content != self.checksum {
            return Err(wrong(
                "was changed after it was made: its checksum is another; what is signed are the bytes \
                 of the release, so reformatting is a change too: get the file as it was written",
            ));
        }
        let terms: Terms = serde_json::from_str(text)
            .map_err(|error| wrong(format!("does not state its terms ({error})")))?;
        let epsilon = match terms.epsilon {
            None | Some(Number::Fraction { denominator: 0, .. }) => f64::INFINITY,
            Some(Number::Fraction { numerator, denominator }) => {
                numerator as f64 / denominator as f64
            }
            Some(Number::Float(value)) => value,
        };
        Ok(Statement {
            content,
            private: terms.private,
            epsilon: if epsilon.is_finite() { epsilon.to_string() } else { "infinity".into() },
            unit: terms.unit,
            max_per_unit: terms.max_per_unit,
            neighbours: terms.neighbours,
            ledger,
        })
    }
}

impl Statement {
    fn bytes(&self) -> Result<Vec<u8>, Error> {
        let text = serde_json::to_string(self)
            .map_err(|error| wrong(format!("has no statement that can be signed: {error}")))?;
        Ok(format!("{PURPOSE}{text}").into_bytes())
    }
}

/// The bytes that pairs of hexadecimal digits stand for.
fn bytes_of(digits: &str) -> Result<Vec<u8>, Error> {
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| wrong("has a signature that is not hexadecimal; get the file again"))
}

fn wrong(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Release, format!("the release {}", what.into()))
}
