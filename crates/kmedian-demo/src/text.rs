//! Numbers as text, in words and digits.

/// A number, rounded to a whole one, with commas between thousands. The sign is left out.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A length in whole meters, with its unit.
pub fn meters(value: f64) -> String {
    grouped(value) + " m"
}

/// A number at the beginning of a sentence: a word up to twelve, digits beyond.
pub fn spelled(value: usize) -> String {
    const WORDS: [&str; 12] = [
        "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven",
        "Twelve",
    ];
    match value.checked_sub(1).and_then(|i| WORDS.get(i)) {
        Some(word) => (*word).to_owned(),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(0.4), "0");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(1000.0), "1,000");
        assert_eq!(meters(1_234_567.0), "1,234,567 m");
    }

    #[test]
    fn small_numbers_are_spelled() {
        assert_eq!(spelled(12), "Twelve");
        assert_eq!(spelled(13), "13");
        assert_eq!(spelled(0), "0");
    }
}
