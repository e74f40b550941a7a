//! Writes numbers for readers.

use super::stats::Summary;

/// A number with four significant digits, and commas between thousands; a dash if it is not finite.
pub fn number(value: f64) -> String {
    fixed(value, decimals(value))
}

/// A mean with its standard error, both with the same number of decimals; a single run without
/// error.
pub fn plus_minus(runs: Summary) -> String {
    let decimals = decimals(runs.mean);
    let mean = fixed(runs.mean, decimals);
    if runs.runs < 2 { mean } else { format!("{mean} ± {}", fixed(runs.error, decimals)) }
}

/// The number of decimals of a number with four significant digits, at most six.
fn decimals(value: f64) -> usize {
    let magnitude =
        if value == 0.0 || !value.is_finite() { 0.0 } else { value.abs().log10().floor() };
    (3.0 - magnitude).clamp(0.0, 6.0) as usize
}

/// A number with this number of decimals, and commas between thousands; a dash if it is not finite.
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

/// A number of percent with its sign, so that a loss does not look like a gain.
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
}
