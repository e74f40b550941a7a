//! Names of datasets: what they may be, and when two of them are too alike.

use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, ErrorKind, quote};

/// The longest name of a dataset, in characters. Names are shown in tables and messages, where a
/// longer one would not be read.
const LONGEST_NAME: usize = 200;

/// Ranges of characters that are invisible, or that change how others look: Unicode's format
/// characters (some of which reverse the direction of text), default-ignorable code points,
/// separators of lines and paragraphs, and the blank of Braille. Control characters are not among
/// them: the standard library finds those.
const UNSEEN: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Checks that a dataset can have this name, and returns it: 1 to 200 characters on one line,
/// without blanks around them, and without invisible characters.
///
/// # Errors
///
/// If a dataset cannot have this name.
pub fn check_name(name: &str) -> Result<String, Error> {
    let problem = if name.trim().is_empty() {
        "a dataset needs a name; give it one, such as visits-2026".to_owned()
    } else if name.trim() != name || name.chars().any(char::is_control) {
        format!("{} has blanks around it or spans lines; choose a plain name", quote(name))
    } else if let Some(unseen) = name.chars().find(|&c| is_unseen(c)) {
        let code = u32::from(unseen);
        format!("{} has a character that is not seen, U+{code:04X}; leave it out", quote(name))
    } else if name.chars().count() > LONGEST_NAME {
        format!("{} is longer than {LONGEST_NAME} characters; choose a shorter name", quote(name))
    } else {
        return Ok(name.to_owned());
    };
    Err(Error::new(ErrorKind::Name, problem))
}

/// Whether a character is invisible, or changes how others look. Control characters do not count.
pub(crate) fn is_unseen(c: char) -> bool {
    UNSEEN.iter().any(|&(first, last)| (first..=last).contains(&c))
}

/// Whether two names look the same to a reader: they differ at most in case, in how Unicode encodes
/// the same characters, and in invisible characters.
pub(crate) fn are_alike(a: &str, b: &str) -> bool {
    key(a) == key(b)
}

/// A form of a name that all names that look the same share. Letters go through upper case first,
/// which has one form where lower case has several (`ß`, `ς`). Changing the case may undo the
/// normalization, so that is done twice.
fn key(name: &str) -> String {
    let folded: String = name
        .nfkc()
        .filter(|&c| !is_unseen(c))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    folded.nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(check_name("Besuche in Zürich, 2026").unwrap(), "Besuche in Zürich, 2026");
        let unseen =
            ["visits\u{200b}", "vi\u{ad}sits", "\u{202e}stisiv", "a\u{2028}b", "a\u{e0041}"];
        for name in ["", "  ", " a", "a\n", "a\tb", &"x".repeat(201)].into_iter().chain(unseen) {
            assert_eq!(check_name(name).unwrap_err().kind(), ErrorKind::Name, "{name:?}");
        }
        let message = check_name("visits\u{200b}").unwrap_err().to_string();
        assert!(message.contains("`visits\\u{200b}` has a character that is not seen, U+200B"));
    }

    #[test]
    fn what_looks_the_same_is_alike() {
        for (a, b) in [
            ("visits", "Visits"),
            ("Z\u{fc}rich", "Zu\u{308}rich"),
            ("visits", "vi\u{200b}sits"),
            ("visits 2026", "visits\u{a0}2026"),
            ("visits", "\u{ff56}isits"),
            ("Straße", "STRASSE"),
            ("ΣΑΣ", "σας"),
            ("\u{212b}", "a\u{30a}"),
        ] {
            assert!(are_alike(a, b), "{a} and {b}");
        }
        assert!(!are_alike("visits-2026", "visits-2027"));
    }
}
