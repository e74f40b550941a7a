//! Words and numbers: how wide they are, how they are written.

use super::stats::Summary;

/// About how wide a text is. Rather too wide: fonts differ.
pub fn width(text: &str, size: f64) -> f64 {
    let of = |letter: char| match letter {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '(' | ')' | 'f' | 't'
        | 'r' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '+' | '=' | '−' | '±' | '×' => 0.9,
        'A'..='Z' => 0.75,
        _ => 0.64,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// Text as it may stand in HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Breaks text into lines that are not wider than `room`.
pub fn lines(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line =
            lines.last_mut().filter(|line| width(line, size) + width(word, size) + size < room);
        match line {
            Some(line) if line.is_empty() => *line = word.to_owned(),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A number with four digits that count, and commas between thousands.
pub fn number(value: f64) -> String {
    fixed(value, decimals(value))
}

/// A mean with its standard error, which has no more digits than the mean.
pub fn plus_minus(runs: Summary) -> String {
    let decimals = decimals(runs.mean);
    let mean = fixed(runs.mean, decimals);
    if runs.runs < 2 { mean } else { format!("{mean} ± {}", fixed(runs.error, decimals)) }
}

/// How many digits stand after the point, if four count.
fn decimals(value: f64) -> usize {
    let magnitude =
        if value == 0.0 || !value.is_finite() { 0.0 } else { value.abs().log10().floor() };
    (3.0 - magnitude).clamp(0.0, 6.0) as usize
}

/// A number with `decimals` digits after the point, and commas between thousands.
fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let text = format!("{:.decimals$}", value.abs());
    let whole = text.split('.').next().unwrap_or_default().len();
    let mut out = String::from(if value < 0.0 { "−" } else { "" });
    for (place, letter) in text.chars().enumerate() {
        if place > 0 && place < whole && (whole - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(letter);
    }
    out
}

/// Percent with a sign, so that a loss does not look like a gain.
pub fn percent(value: f64) -> String {
    format!("{value:+.1} %").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(number(25.71), "25.71");
        assert_eq!(number(3_512.4), "3,512");
        assert_eq!(number(12_345_678.0), "12,345,678");
        assert_eq!(number(0.000_123_4), "0.000123");
        assert_eq!(number(0.0), "0.000");
        assert_eq!(number(-1.5), "−1.500");
        assert_eq!(number(f64::NAN), "–");
    }

    #[test]
    fn errors_fit_their_means() {
        let runs = |mean, error, runs| Summary { mean, error, runs };
        assert_eq!(plus_minus(runs(25.714, 0.333, 10)), "25.71 ± 0.33");
        assert_eq!(plus_minus(runs(3_512.4, 12.7, 10)), "3,512 ± 13");
        assert_eq!(plus_minus(runs(3_512.4, 0.0, 1)), "3,512");
        assert_eq!(percent(-3.21), "−3.2 %");
        assert_eq!(percent(12.0), "+12.0 %");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(lines("one two three", 10.0, 70.0), ["one two", "three"]);
        assert_eq!(lines("", 10.0, 70.0), [""]);
    }
}
