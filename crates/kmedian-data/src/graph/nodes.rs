//! What the nodes of an edge list are called: numbers that count from 0 or 1, or names.

use std::collections::HashMap;
use std::str::FromStr;

/// How the nodes of an edge list are told apart. DIMACS and OR-Library files count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Nodes {
    /// Whole numbers from 0 up; names, if the first edge has something else or a number of ten
    /// digits or more, or if numbers have large gaps, as those of OpenStreetMap.
    #[default]
    Auto,
    /// Whole numbers that count from this one, 0 or 1.
    From(u32),
    /// Names, whatever they look like; the nodes are those that have an edge.
    Names,
}

impl FromStr for Nodes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [(Self::From(0), "0"), (Self::From(1), "1"), (Self::Names, "names")];
        crate::error::by_name(&all, "first node", text)
    }
}

/// What the nodes of a graph are called in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeNames {
    /// By numbers that count from this one.
    CountFrom(u32),
    /// By these names, in the order in which they first occur.
    Names(Vec<String>),
}

/// Numbers for names, in the order in which these occur.
#[derive(Default)]
pub(crate) struct Naming {
    numbers: HashMap<Box<[u8]>, u64>,
    names: Vec<String>,
}

impl Naming {
    pub(crate) fn number(&mut self, name: &[u8]) -> u64 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u64;
        self.numbers.insert(name.into(), number);
        self.names.push(String::from_utf8_lossy(name).into_owned());
        number
    }

    pub(crate) fn names(self) -> Vec<String> {
        self.names
    }
}

/// Whether a field may be the number of a node: digits alone, as few as a 32-bit number has.
pub(crate) fn is_number(field: &[u8]) -> bool {
    let digits = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    digits && field.len() < 10 && (field.len() == 1 || field[0] != b'0')
}

/// Whether a field is a word that heads a column of nodes.
pub(crate) fn heads_a_column(field: &[u8]) -> bool {
    const WORDS: [&[u8]; 18] = [
        b"source",
        b"target",
        b"from",
        b"to",
        b"src",
        b"dst",
        b"tail",
        b"head",
        b"start",
        b"end",
        b"u",
        b"v",
        b"node1",
        b"node2",
        b"from_node",
        b"to_node",
        b"source_id",
        b"target_id",
    ];
    WORDS.iter().any(|word| field.trim_ascii().eq_ignore_ascii_case(word))
}
