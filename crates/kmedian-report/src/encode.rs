//! Numbers as short text for the script of a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Bytes in base 64.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Whole numbers below 65,536, two bytes each, the lower first, in base 64.
pub(crate) fn shorts(numbers: impl IntoIterator<Item = u16>) -> String {
    bytes(&numbers.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
}

/// Whole numbers of any size below 2³², four bytes each, the lowest first, in base 64.
pub(crate) fn words(numbers: impl IntoIterator<Item = u32>) -> String {
    bytes(&numbers.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

/// Labels of items, as few bytes each as all of them allow: the number of these bytes, and the
/// labels in base 64.
pub(crate) fn labels(labels: &[u32]) -> Value {
    let most = labels.iter().copied().max().unwrap_or(0);
    let (size, text) = if most < 1 << 8 {
        (1, bytes(&labels.iter().map(|&label| label as u8).collect::<Vec<u8>>()))
    } else if most < 1 << 16 {
        (2, shorts(labels.iter().map(|&label| label as u16)))
    } else {
        (4, words(labels.iter().copied()))
    };
    json!([size, text])
}

/// The longest name that is shown, in characters: names may be whole texts.
const LONGEST_NAME: usize = 80;

/// A name, cut if it is long.
pub(crate) fn name(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_take_as_few_bytes_as_they_can() {
        assert_eq!(labels(&[0, 255]), json!([1, "AP8="]));
        assert_eq!(labels(&[256]), json!([2, "AAE="]));
        assert_eq!(labels(&[70_000]), json!([4, "cBEBAA=="]));
        assert_eq!(labels(&[]), json!([1, ""]));
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(name("Zürich"), "Zürich");
        assert_eq!(name(&"ü".repeat(90)).chars().count(), 80);
    }
}
