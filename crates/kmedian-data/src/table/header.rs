//! Whether the first record of a text table is its header.

use super::Header;
use super::records::Record;
use crate::columns::{ColumnRef, Want};
use crate::number::{self, BadNumber};

/// Whether the first record of a text table is its header.
pub(crate) struct Verdict {
    pub(crate) is_header: bool,
    /// A note for the user, if the verdict is a guess that might be wrong.
    pub(crate) note: Option<String>,
}

/// Decides whether the first record is a header, by the rules that [`Header`] documents.
pub(crate) fn judge(
    first: &Record,
    second: Option<&Record>,
    want: Want<'_>,
    header: Header,
) -> Verdict {
    match header {
        Header::Yes => Verdict { is_header: true, note: None },
        Header::No => Verdict { is_header: false, note: None },
        Header::Auto => guess(first, second, want),
    }
}

fn guess(first: &Record, second: Option<&Record>, want: Want<'_>) -> Verdict {
    let named = want.references().into_iter().any(|column| match column {
        ColumnRef::Name(name) => {
            column.position().is_none_or(|position| position >= first.len())
                && first.cells().any(|cell| cell.trim_ascii() == name.as_bytes())
        }
        ColumnRef::Index(_) => false,
    });
    let texts = (0..first.len()).filter(|&column| is_text(first.cell(column))).count();
    let numbers = (0..first.len()).filter(|&column| is_number(first.cell(column))).count();
    let turns_numeric = second.is_some_and(|second| {
        (0..first.len()).any(|column| is_text(first.cell(column)) && is_number(second.cell(column)))
    });
    let is_header =
        named || has_index_corner(first) || texts > 0 && (turns_numeric || numbers == 0);
    let only_text = is_header && numbers == 0 && !turns_numeric && second.is_some();
    let note = if named {
        None
    } else if only_text {
        let line = first.line;
        Some(format!("line {line} was taken as the header, though the next is text as well"))
    } else {
        doubt(first, is_header, texts, numbers)
    };
    Verdict { is_header, note }
}

/// Whether a record is an empty cell and then 0, 1, 2, …: what pandas writes as the header of a
/// frame without column names.
fn has_index_corner(first: &Record) -> bool {
    first.len() > 1
        && first.cell(0).trim_ascii().is_empty()
        && (1..first.len()).all(|c| number::parse(first.cell(c)) == Ok((c - 1) as f64))
}

/// A note for the user, if a person might decide differently.
fn doubt(first: &Record, is_header: bool, texts: usize, numbers: usize) -> Option<String> {
    let line = first.line;
    if is_header && numbers > 0 {
        return Some(format!(
            "line {line} was taken as the header, though {numbers} of its cells are numbers"
        ));
    }
    if !is_header && texts > 0 && numbers > 0 {
        return Some(format!(
            "line {line} was taken as data, not as a header: {numbers} of its cells are numbers"
        ));
    }
    let counts_up =
        || (0..first.len()).all(|column| number::parse(first.cell(column)) == Ok(column as f64));
    (texts == 0 && first.len() > 2 && counts_up())
        .then(|| format!("line {line} reads 0, 1, 2, …: it was taken as data, not as a header"))
}

fn is_text(cell: &[u8]) -> bool {
    number::parse::<f64>(cell) == Err(BadNumber::Text)
}

fn is_number(cell: &[u8]) -> bool {
    matches!(number::parse::<f64>(cell), Ok(_) | Err(BadNumber::NotFinite | BadNumber::TooLarge))
}

#[cfg(test)]
mod tests {
    use super::super::records::{Delimiter, Records};
    use super::*;
    use crate::points::PointsOptions;

    fn verdict(text: &str, options: &PointsOptions) -> Verdict {
        let mut records = Records::new(text.as_bytes(), Delimiter::Byte(b','));
        let (mut first, mut second) = (Record::default(), Record::default());
        assert!(records.read(&mut first).ok().unwrap());
        let second = records.read(&mut second).ok().unwrap().then_some(&second);
        judge(&first, second, Want::Points(options), options.header)
    }

    fn is_header(text: &str) -> bool {
        verdict(text, &PointsOptions::default()).is_header
    }

    #[test]
    fn text_above_numbers_is_a_header() {
        assert!(is_header("x,y\n1,2\n"));
        assert!(is_header("id,1990\n7,1\n"));
        assert!(is_header("name,city\nx,y\n"));
        assert!(is_header("x,y\n"));
    }

    #[test]
    fn a_header_above_nothing_but_text_is_noted() {
        let note = |text| verdict(text, &PointsOptions::default()).note;
        let doubted = note("kitten\nsitting\n").unwrap();
        assert_eq!(doubted, "line 1 was taken as the header, though the next is text as well");
        assert!(note("name,city\nx,y\n").is_some());
        assert_eq!(
            [note("name,x\nOslo,1\n"), note("name\n"), note("x,y\n1,2\n")],
            [const { None }; 3]
        );
    }

    #[test]
    fn numbers_and_bad_numbers_are_data() {
        assert!(!is_header("1,2\n3,4\n"));
        assert!(!is_header("nan,inf\n3,4\n"));
        assert!(!is_header("1,\n3,4\n"));
        assert!(!is_header("1,NA\n3,4\n"));
        assert!(!is_header("42.5,1.6,AD\n42.4,1.4,AD\n"));
    }

    #[test]
    fn a_column_asked_for_by_name_makes_a_header() {
        let options =
            PointsOptions { columns: Some(vec!["2020".into()]), ..PointsOptions::default() };
        assert!(verdict("2019,2020\n1,2\n", &options).is_header);
        let options = PointsOptions { columns: Some(vec!["1".into()]), ..options };
        assert!(!verdict("2019,2020\n1,2\n", &options).is_header);
    }

    #[test]
    fn a_guess_that_could_be_wrong_is_noted() {
        assert!(verdict("id,1990\n7,1\n", &PointsOptions::default()).note.is_some());
        assert!(verdict("name,1990\nOslo,1\n", &PointsOptions::default()).note.is_some());
        assert!(verdict("0,1,2\n7,1,3\n", &PointsOptions::default()).note.is_some());
        assert!(verdict("x,y\n7,1\n", &PointsOptions::default()).note.is_none());
    }

    #[test]
    fn an_explicit_answer_wins() {
        let mut options = PointsOptions { header: Header::Yes, ..PointsOptions::default() };
        assert!(verdict("1,2\n3,4\n", &options).is_header);
        options.header = Header::No;
        assert!(!verdict("x,y\n3,4\n", &options).is_header);
    }
}
