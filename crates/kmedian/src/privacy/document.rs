//! A release as a JSON document. It holds no floats, so that it is read exactly as it was written.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::budget::LevelBudget;
use super::fingerprint::{Seen, Universe, hexadecimal};
use super::hierarchy::Hierarchy;
use super::{Epsilon, Neighbours, PrivateTree, Protection, Recipe, Split, Unit};
use crate::tree::Parameters;
use crate::{Error, ErrorKind, Seed, TreeKind};

/// What the document of a [`PrivateTree`] says it is.
const FORMAT: &str = "kmedian private tree";

/// The version of the format of a release whose number of records was not counted. It is what older
/// software wrote.
const WITHOUT_TOTAL: u32 = 1;

/// The version of the format of a release whose number of records was counted first, with noise.
const WITH_TOTAL: u32 = 2;

/// How noise was drawn, in the words of a document.
const MECHANISM: &str = "discrete laplace (Canonne, Kamath, Steinke 2020), exact";

/// Where noise came from, in the words of a document: the operating system.
const SYSTEM: &str = "operating system";

/// Where noise came from, in the words of a document: a seed, so that anybody can subtract it.
const SEEDED: &str = "seeded: NOT PRIVATE";

/// The hash of a document as a ledger records it: `sha256:`, and then the SHA-256 of its bytes in
/// the hexadecimal digits that `sha256sum` prints.
pub fn sha256(document: &str) -> String {
    format!("sha256:{}", hexadecimal(&Sha256::digest(document.as_bytes())))
}

/// The whole file: what is released, and a SHA-256 of it. Whatever is beside these two, such as a
/// signature, is not part of the release.
#[derive(Serialize, Deserialize)]
struct Document {
    release: Body,
    checksum: String,
}

/// The fields of a release, in the order in which they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    format: String,
    version: u32,
    software: String,
    private: bool,
    epsilon: Fraction,
    split: Levels,
    neighbours: NeighboursName,
    unit: UnitName,
    /// The most records of a unit that are counted.
    max_per_unit: u32,
    /// About how many records there are, if that was said to be public. The default tree has more
    /// leaves if there are many records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    demand_size: Option<u64>,
    mechanism: String,
    entropy: String,
    universe: UniverseFacts,
    tree: TreeRecipe,
    nodes: Nodes,
}

/// An ε as an exact fraction. A denominator of zero stands for an infinite ε.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fraction {
    numerator: u64,
    denominator: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    name: String,
    /// The share of ε of the number of all records, which is the noisy count of the root. It is
    /// absent if that was not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    total: u64,
    /// The share of ε of each level below the root, the highest first: a whole number, which means
    /// its part of the sum of all.
    shares: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NeighboursName {
    AddRemove,
    ReplaceOne,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum UnitName {
    Record,
    Owner,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UniverseFacts {
    items: usize,
    sha256: String,
    of: SeenName,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SeenName {
    Content,
    Probes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeRecipe {
    kind: String,
    branching: Option<usize>,
    levels: Option<usize>,
    /// The seed of the tree. It is public, and the noise does not depend on it.
    seed: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nodes {
    /// The parent of every node; the root is its own parent.
    parents: Vec<u32>,
    /// The noisy count of every node. That of the root means nothing if `split` has no `total`.
    noisy_counts: Vec<i64>,
    /// For every item, the leaf that holds it.
    leaf_of_item: Vec<u32>,
}

impl PrivateTree {
    /// The release as a JSON document, without a newline at its end.
    ///
    /// The document is an object of two members: `release`, which holds the terms (ε and its split,
    /// who is protected, the universe) and the noisy tree, and `checksum`, the SHA-256 of `release`
    /// as it is written. All numbers are integers, so [`PrivateTree::from_json`] reads exactly what
    /// was written. It may be published if [`PrivateTree::is_private`] says so; the member
    /// `private` repeats that.
    pub fn to_json(&self) -> String {
        let release = Body::of(self);
        let checksum = release.checksum();
        // Strings and integers can always be written.
        serde_json::to_string(&Document { release, checksum }).unwrap_or_default()
    }

    /// The file to publish: [`PrivateTree::to_json`] and a newline. The [`sha256`] of this text is
    /// what a ledger records.
    pub fn document(&self) -> String {
        self.to_json() + "\n"
    }

    /// Reads a document that [`PrivateTree::to_json`] wrote, signed or not.
    ///
    /// A signature is not checked here: see `PublicKey::verify`.
    ///
    /// # Errors
    /// If the document is truncated, was edited, is of a version that is not known, or says of
    /// itself what cannot be true.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let wrong = |what: String| Error::new(ErrorKind::Release, what);
        if text.trim_start().is_empty() {
            return Err(wrong("the release is empty; get the file again".into()));
        }
        let version = serde_json::from_str::<Marked>(text).ok().map(|found| found.release);
        match version {
            Some(Mark { format, version })
                if format == FORMAT && ![WITHOUT_TOTAL, WITH_TOTAL].contains(&version) =>
            {
                return Err(wrong(format!(
                    "the release is of version {version}; this software reads versions \
                     {WITHOUT_TOTAL} and {WITH_TOTAL}"
                )));
            }
            Some(Mark { format, .. }) if format != FORMAT => {
                let format = printable(&format);
                return Err(wrong(format!("this is a `{format}`, not a `{FORMAT}`")));
            }
            _ => {}
        }
        let Document { release, checksum } = serde_json::from_str(text).map_err(|error| {
            let error = printable(&error.to_string());
            wrong(format!("this is no whole release ({error}); get the file again"))
        })?;
        if release.checksum() != checksum {
            let message = "the release was changed after it was made: its checksum is another; get the file again";
            return Err(wrong(message.into()));
        }
        release.read()
    }
}

/// A document of which only the format and the version are read, to tell a document of another
/// version from a damaged one.
#[derive(Deserialize)]
struct Marked {
    release: Mark,
}

#[derive(Deserialize)]
struct Mark {
    format: String,
    version: u32,
}

impl Body {
    fn of(tree: &PrivateTree) -> Self {
        let PrivateTree { recipe, universe, shape, budget, noisy, seeded, software, .. } = tree;
        let Recipe { epsilon, protection, .. } = recipe;
        let (numerator, denominator) = epsilon.fraction().unwrap_or((1, 0));
        let (unit, max_per_unit) = match protection.unit {
            Unit::Record => (UnitName::Record, 1),
            Unit::Owner { at_most } => (UnitName::Owner, at_most.get()),
        };
        Self {
            format: FORMAT.into(),
            version: if budget.total_share() == 0 { WITHOUT_TOTAL } else { WITH_TOTAL },
            software: software.clone(),
            private: tree.is_private(),
            epsilon: Fraction { numerator, denominator },
            split: Levels {
                name: budget.split().to_string(),
                total: budget.total_share(),
                shares: budget.shares().to_vec(),
            },
            neighbours: match protection.neighbours {
                Neighbours::AddRemove => NeighboursName::AddRemove,
                Neighbours::ReplaceOne => NeighboursName::ReplaceOne,
            },
            unit,
            max_per_unit,
            demand_size: recipe.records,
            mechanism: MECHANISM.into(),
            entropy: if *seeded { SEEDED.into() } else { SYSTEM.into() },
            universe: UniverseFacts {
                items: universe.items,
                sha256: universe.fingerprint.clone(),
                of: match universe.seen {
                    Seen::Content => SeenName::Content,
                    Seen::Probes => SeenName::Probes,
                },
            },
            tree: TreeRecipe::of(recipe),
            nodes: Nodes {
                parents: shape.parents().to_vec(),
                noisy_counts: noisy.clone(),
                leaf_of_item: shape.leaves().to_vec(),
            },
        }
    }

    /// The SHA-256 of the release as JSON without spaces.
    fn checksum(&self) -> String {
        sha256(&serde_json::to_string(self).unwrap_or_default())
    }

    /// Checks that every text is one that this software writes: texts are shown to people, and a
    /// forged one must not reach their terminal.
    fn check_texts(&self) -> Result<(), Error> {
        // The most bytes of the software's name: far more than this software writes.
        const LONGEST: usize = 100;
        let is_software = self.software.len() <= LONGEST && self.software.chars().all(is_plain);
        let is_hash = self.universe.sha256.len() == 64
            && self.universe.sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let texts = [
            ("software", &self.software, is_software),
            ("mechanism", &self.mechanism, self.mechanism == MECHANISM),
            ("entropy", &self.entropy, [SYSTEM, SEEDED].contains(&self.entropy.as_str())),
            ("universe.sha256", &self.universe.sha256, is_hash),
        ];
        let wrong = texts.into_iter().find(|(.., is_right)| !is_right);
        wrong.map_or(Ok(()), |(name, text, _)| {
            let text = printable(text);
            let message =
                format!("the release has an unknown {name}, `{text}`; get the file again");
            Err(Error::new(ErrorKind::Release, message))
        })
    }

    /// The release that the document describes. All of it is checked: a checksum does not prove
    /// that the software that wrote it was right.
    fn read(self) -> Result<PrivateTree, Error> {
        let wrong = |what: &str| Error::new(ErrorKind::Release, format!("the release {what}"));
        self.check_texts()?;
        let Fraction { numerator, denominator } = self.epsilon;
        let epsilon = match denominator {
            0 => Epsilon::infinite(),
            _ => Epsilon::from_fraction(numerator, denominator)?,
        };
        let at_most = NonZeroU32::new(self.max_per_unit)
            .ok_or_else(|| wrong("allows no records a unit; get the file again"))?;
        let protection = Protection {
            neighbours: match self.neighbours {
                NeighboursName::AddRemove => Neighbours::AddRemove,
                NeighboursName::ReplaceOne => Neighbours::ReplaceOne,
            },
            unit: match self.unit {
                UnitName::Record if at_most.get() > 1 => {
                    return Err(wrong("has a record of several records; get the file again"));
                }
                UnitName::Record => Unit::Record,
                UnitName::Owner => Unit::Owner { at_most },
            },
        };
        let seeded = self.entropy == SEEDED;
        if self.private && (seeded || !epsilon.is_finite()) {
            return Err(wrong("says that it is private, but not its noise; do not publish it"));
        }
        let disclaimed = !self.private && !seeded && epsilon.is_finite();
        let shape = Hierarchy::read(self.nodes.parents, self.nodes.leaf_of_item)?;
        if (self.version == WITH_TOTAL) != (self.split.total > 0) {
            return Err(wrong("has a share for the number of records or none, unlike its version"));
        }
        let Levels { name, total, shares } = self.split;
        let budget = LevelBudget::from_shares(epsilon, split(&name)?, total, shares)?;
        let fits = shape.leaves().len() == self.universe.items
            && shape.len() == self.nodes.noisy_counts.len()
            && shape.levels() == budget.shares().len();
        if !fits {
            return Err(wrong("has numbers of nodes, levels and items that do not fit together"));
        }
        let universe = Universe {
            items: self.universe.items,
            fingerprint: self.universe.sha256,
            seen: match self.universe.of {
                SeenName::Content => Seen::Content,
                SeenName::Probes => Seen::Probes,
            },
        };
        let (tree, seed) = (Some(self.tree.kind()?), Seed(self.tree.seed));
        Ok(PrivateTree {
            recipe: Recipe {
                epsilon,
                split: budget.split(),
                tree,
                records: self.demand_size,
                protection,
                seed,
            },
            universe,
            shape,
            budget,
            noisy: self.nodes.noisy_counts,
            seeded,
            disclaimed,
            software: self.software,
        })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks so.
fn is_zero(share: &u64) -> bool {
    *share == 0
}

/// The split of that name, if it is one that a release may have.
fn split(name: &str) -> Result<Split, Error> {
    name.parse().map_err(|_| {
        let message = format!("the release has an unknown split, `{}`", printable(name));
        Error::new(ErrorKind::Release, message)
    })
}

/// Text of a file as it may be shown on a terminal: at most 120 characters, with escapes in place
/// of those that would move a cursor or rewrite a line.
fn printable(text: &str) -> String {
    // The most characters that are shown: a line or two of a terminal.
    const LONGEST: usize = 120;
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        if is_plain(c) { shown.push(c) } else { shown.extend(c.escape_unicode()) }
    }
    shown
}

/// Whether a character is safe to show as itself. Control characters are not, nor are those that
/// reverse the direction of text or have no width.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl TreeRecipe {
    fn of(recipe: &Recipe) -> Self {
        // `PublicTree::build` has put the kind of tree into the recipe.
        let kind = recipe.tree.unwrap_or_default();
        let Parameters { branching, levels } = kind.parameters();
        Self { kind: kind.to_string(), branching, levels, seed: recipe.seed.0 }
    }

    fn kind(&self) -> Result<TreeKind, Error> {
        let parameters = Parameters { branching: self.branching, levels: self.levels };
        let kind = self.kind.parse::<TreeKind>().ok();
        kind.and_then(|kind| kind.with_parameters(parameters)).ok_or_else(|| {
            let kind = printable(&self.kind);
            let message = format!("the release has an unknown kind of tree, `{kind}`");
            Error::new(ErrorKind::Release, message)
        })
    }
}
