//! The name that a cell stands for: one form for all ways in which a name is written.

use std::borrow::Cow;

/// Cells that name nothing, in lower case: what pandas, R, SQL and spreadsheets write for missing
/// values.
const MARKERS: [&str; 17] = [
    "?", "-", "na", "nan", "nat", "nil", "none", "null", "n/a", "#na", "#n/a", "<na>", "-nan",
    "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan",
];

/// The length of the longest of [`MARKERS`], in bytes.
const LONGEST_MARKER: usize = 8;

/// The most digits that a whole number is written out in. It is enough for every 64-bit float (309
/// digits), while an exponent could ask for billions.
const MOST_DIGITS: usize = 400;

/// The name that a cell stands for, or `None` if it names nothing.
///
/// Two records belong to the same owner if and only if their normalized names are equal, whatever
/// file or program they come from:
///
/// - white space and byte order marks around the name are no part of it;
/// - nothing, `NA`, `N/A`, `NaN`, `None`, `null`, `<NA>`, `NaT` and the like, in upper or lower
///   case, name nothing;
/// - a whole number of at most 400 digits is written in digits alone: `1`, `+1`, `01`, `1.0` and
///   `1e0` are `1`. This works on the text, so no digit is lost: `9007199254740993` and
///   `9007199254740992.0` differ;
/// - all else is a name as it is, in the letters that it has.
///
/// Normalizing twice changes nothing more.
///
/// ```
/// use kmedian_data::normalized;
///
/// assert_eq!(normalized(" ann ").as_deref(), Some("ann"));
/// assert_eq!(normalized("+007.0").as_deref(), Some("7"));
/// assert_eq!(normalized("1.5").as_deref(), Some("1.5"));
/// assert_eq!(normalized("<NA>"), None);
/// ```
#[must_use]
pub fn normalized(name: &str) -> Option<Cow<'_, str>> {
    // A shortcut: this runs for every record, and most names are plain numbers.
    if is_plain_number(name) {
        return Some(Cow::Borrowed(name));
    }
    let name = trimmed(name);
    if names_nothing(name) {
        return None;
    }
    Some(whole(name).map_or(Cow::Borrowed(name), Cow::Owned))
}

/// The name without white space and byte order marks around it.
pub(super) fn trimmed(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

fn names_nothing(name: &str) -> bool {
    let Some(&first) = name.as_bytes().first() else { return true };
    name.len() <= LONGEST_MARKER
        && matches!(first, b'?' | b'-' | b'#' | b'<' | b'1' | b'n' | b'N')
        && MARKERS.iter().any(|marker| name.eq_ignore_ascii_case(marker))
}

/// Whether a name is a whole number in digits alone, without a sign or leading zeros.
fn is_plain_number(name: &str) -> bool {
    match name.as_bytes() {
        b"0" => true,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// The digits of a whole number, with a minus sign if it is negative. `None` if the name is no
/// whole number, is already written in digits alone, or has too many digits.
fn whole(name: &str) -> Option<String> {
    let bytes = name.as_bytes();
    if is_plain_number(name) || !matches!(bytes[0], b'0'..=b'9' | b'+' | b'-' | b'.') {
        return None;
    }
    let (negative, unsigned) = match bytes[0] {
        b'-' => (true, &name[1..]),
        b'+' => (false, &name[1..]),
        _ => (false, name),
    };
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (before, after) = number.split_once('.').unwrap_or((number, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if before.len() + after.len() == 0 || !all_digits(before) || !all_digits(after) {
        return None;
    }
    // The number is `digits` times ten to the power of `shift`.
    let digits = [before, after].concat();
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    let dropped = digits.len() - digits.trim_end_matches('0').len();
    let shift = exponent.checked_add(dropped as i64)?.checked_sub(after.len() as i64)?;
    let zeros = usize::try_from(shift).ok()?;
    if zeros.checked_add(significant.len())? > MOST_DIGITS {
        return None;
    }
    let sign = if negative { "-" } else { "" };
    Some(format!("{sign}{significant}{}", "0".repeat(zeros)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_one_form() {
        for one in ["1", "01", "+1", "1.0", "1.", "1e0", "0.1e1", "10E-1", " 1\t", "\u{feff}1"] {
            assert_eq!(normalized(one).as_deref(), Some("1"), "{one}");
        }
        for zero in ["0", "-0", "+0.00", ".0", "0e99999999999"] {
            assert_eq!(normalized(zero).as_deref(), Some("0"), "{zero}");
        }
        for (text, form) in [
            ("9007199254740993", "9007199254740993"),
            ("9007199254740992.0", "9007199254740992"),
            ("-12.50e2", "-1250"),
            ("00", "0"),
            ("1e3", "1000"),
        ] {
            assert_eq!(normalized(text).as_deref(), Some(form), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_number_stays_as_it_is() {
        let long = format!("+{}", "9".repeat(MOST_DIGITS + 1));
        for text in
            ["1.5", "0x1", "1e", "e1", ".", "+", "1e-1", "1e400", "1e99999999999999999999", "--1"]
                .into_iter()
                .chain(["1.2.3", "ann", "١", "inf", "1_000", "1,0", long.as_str()])
        {
            assert_eq!(normalized(text).as_deref(), Some(text), "{text}");
        }
    }

    #[test]
    fn markers_name_nothing() {
        for nothing in MARKERS.iter().copied().chain(["", " ", "\u{a0}", "NaN", "None", "<NA>"]) {
            assert!(nothing.len() <= LONGEST_MARKER);
            assert_eq!(normalized(nothing), None, "{nothing}");
        }
        assert_eq!(normalized("nanny").as_deref(), Some("nanny"));
    }

    #[test]
    fn normalizing_twice_changes_nothing() {
        for text in ["007", "1e2", "-0.0", " x ", "a b", "1e401", "+٣", "-5", "5e-1"] {
            let once = normalized(text).unwrap();
            assert_eq!(normalized(&once), Some(once.clone()), "{text}");
        }
    }
}
