//! Keys that sign releases, as text that OpenSSL reads too.

use std::fmt;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, KeypairBytes,
};

use super::fingerprint::hexadecimal;
use crate::{Error, ErrorKind};

/// The private half of a key: whoever has it can sign releases.
#[derive(Clone)]
pub struct SigningKey(pub(super) ed25519_dalek::SigningKey);

/// The public half of a key: whoever has it can tell which releases were signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(pub(super) ed25519_dalek::VerifyingKey);

impl SigningKey {
    /// A new key, from random bits of the operating system.
    ///
    /// # Errors
    /// If the operating system has no random bits to give.
    pub fn generate() -> Result<Self, Error> {
        let mut secret = [0; ed25519_dalek::SECRET_KEY_LENGTH];
        getrandom::fill(&mut secret).map_err(|error| {
            let what = format!("the operating system gives no random bits for a key: {error}");
            Error::new(ErrorKind::Entropy, what)
        })?;
        Ok(Self(ed25519_dalek::SigningKey::from_bytes(&secret)))
    }

    /// Reads a private key: Ed25519, as PKCS #8 in PEM.
    ///
    /// # Errors
    /// If the text is anything else, such as a public key.
    pub fn from_pem(text: &str) -> Result<Self, Error> {
        let key = ed25519_dalek::SigningKey::from_pkcs8_pem(text.trim());
        key.map(Self).map_err(|_| {
            wrong(if text.contains("PUBLIC KEY") {
                "is a public key; a release is signed with the private one"
            } else {
                "is no Ed25519 private key in PEM"
            })
        })
    }

    /// The private key as PKCS #8 in PEM. The text is secret, and is not wiped from memory.
    ///
    /// # Errors
    /// If it cannot be encoded, which is a bug.
    pub fn to_pem(&self) -> Result<String, Error> {
        // OpenSSL before version 3 cannot read a key with its public half beside it.
        let bytes = KeypairBytes { secret_key: self.0.to_bytes(), public_key: None };
        let pem = bytes.to_pkcs8_pem(LineEnding::LF).map_err(|_| wrong("cannot be encoded"))?;
        Ok(pem.as_str().to_owned())
    }

    /// The public half of the key, which verifies what the private half has signed.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }
}

impl PublicKey {
    /// Reads a public key: Ed25519, as SPKI in PEM.
    ///
    /// # Errors
    /// If the text is anything else, such as a private key.
    pub fn from_pem(text: &str) -> Result<Self, Error> {
        let key = ed25519_dalek::VerifyingKey::from_public_key_pem(text.trim());
        key.map(Self).map_err(|_| {
            wrong(if text.contains("PRIVATE KEY") {
                "is a private key, which nobody else should see; give the public one"
            } else {
                "is no Ed25519 public key in PEM; ask for it whoever signs the releases"
            })
        })
    }

    /// The public key as SPKI in PEM.
    ///
    /// # Errors
    /// If it cannot be encoded, which is a bug.
    pub fn to_pem(&self) -> Result<String, Error> {
        self.0.to_public_key_pem(LineEnding::LF).map_err(|_| wrong("cannot be encoded"))
    }

    /// A name for the key: `ed25519:`, and all of its 32 bytes in hexadecimal digits.
    pub fn id(&self) -> String {
        format!("ed25519:{}", hexadecimal(self.0.as_bytes()))
    }
}

/// Shows the name of the public half, never the secret.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public().id())
    }
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::Parameter, what)
}
