//! Prints for people, on standard output and standard error.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The notes that wait until the input is known to be good; `None` once they were shown, and each
/// is printed at once.
static WAITING: Mutex<Option<Vec<String>>> = Mutex::new(Some(Vec::new()));

/// Whether notes and progress are left out, as `--quiet` asks.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, shows no notes and no progress.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether notes and progress are left out.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints to standard output. A reader that has gone away (`| head`) is not an error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    show_notes();
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Prints a note about the input on standard error, as soon as the work has begun: bad input gets
/// one line, its error.
pub(crate) fn note(text: &str) {
    if is_quiet() {
        return;
    }
    match &mut *WAITING.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(notes) => notes.push(text.to_owned()),
        None => say("note", text),
    }
}

/// Prints the notes that wait.
pub(crate) fn show_notes() {
    let notes = WAITING.lock().unwrap_or_else(PoisonError::into_inner).take();
    notes.iter().flatten().for_each(|text| say("note", text));
}

/// Prints a warning, which must not be overlooked, on standard error.
pub(crate) fn warn(text: &str) {
    show_notes();
    say("warning", text);
}

/// Prints on standard error why there is no result.
pub(crate) fn error(text: &str) {
    say("error", text);
}

fn say(what: &str, text: &str) {
    // Standard error may be closed, and that is no reason to fail.
    let _ = writeln!(io::stderr(), "{what}: {}", printable(text));
}

/// Text that may come from a file, as it is safe to show on a terminal. Control characters, which
/// could move the cursor, rewrite lines or even type, are escaped, and so are characters that
/// reverse the direction of text or have no width.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_plain(c) { shown.push(c) } else { shown.extend(c.escape_default()) }
    }
    shown
}

fn is_plain(c: char) -> bool {
    let is_invisible = matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !c.is_control() && !is_invisible
}

/// A number as short text, with about seven digits; with an exponent and four digits if it is below
/// a millionth, or 10¹⁵ or more.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-6..1e15).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let digits = (6 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// A number for people: as [`number`] has it, with commas between thousands.
pub(crate) fn grouped(value: f64) -> String {
    let text = number(value);
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let end = unsigned.find(['.', 'e']).unwrap_or(unsigned.len());
    let (whole, rest) = unsigned.split_at(end);
    if rest.starts_with('e') || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return text;
    }
    let digits: Vec<&str> = (0..whole.len()).map(|at| &whole[at..=at]).collect();
    let mut shown = String::from(sign);
    for (at, digit) in digits.iter().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown += digit;
    }
    shown + rest
}

/// A number and what it counts, such as `1 item` or `12,000 items`; `thing` is in the singular, and
/// an s makes its plural.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number as f64), if number == 1 { "" } else { "s" })
}

/// A table as lines of right-aligned columns. Its cells may come from a file.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let shown = |row: &Vec<String>| row.iter().map(|cell| printable(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
        format!("{}\n", cells.join("  "))
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 4.0, 0.5, 73_457.123_456, 123_456_789.4, 1.0 / 3.0].map(number);
        assert_eq!(shown, ["0", "4", "0.5", "73457.12", "123456789", "0.3333333"]);
        assert_eq!([2e50, -1e-20].map(number), ["2.000e50", "-1.000e-20"]);
    }

    #[test]
    fn thousands_are_separated() {
        let shown = [0.0, 999.5, 1000.0, -73_457.123_456, 123_456_789.4, 2e50].map(grouped);
        assert_eq!(shown, ["0", "999.5", "1,000", "-73,457.12", "123,456,789", "2.000e50"]);
    }

    #[test]
    fn no_cell_and_no_message_moves_the_cursor() {
        let evil = "a\u{1b}[2Jb\u{202e}c\r\n\u{9b}";
        assert_eq!(printable(evil), "a\\u{1b}[2Jb\\u{202e}c\\r\\n\\u{9b}");
        assert_eq!(table(&[vec![evil.to_owned()]]), format!("{}\n", printable(evil)));
        assert_eq!(printable("Zürich, 東京, ‘’ … é 👩‍🚒"), "Zürich, 東京, ‘’ … é 👩‍🚒");
    }

    #[test]
    fn tables_align_right() {
        let rows =
            [vec!["k".to_string(), "cost".to_string()], vec!["10".to_string(), "7".to_string()]];
        assert_eq!(table(&rows), " k  cost\n10     7\n");
    }
}
