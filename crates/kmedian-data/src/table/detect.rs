//! Detects the format of a public table. Its content decides, and its name must not contradict
//! that.

use std::path::Path;

use super::TableFormat;
use super::records::Delimiter;
use crate::advice::Advice;
use crate::error::{Error, ErrorKind};
use crate::input::{Input, inner_extension};
use crate::number;

/// How to read a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Text(Delimiter),
    Parquet,
    Npy,
    Idx,
}

/// What a file holds, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    Parquet,
    Npy,
    Idx,
    /// A format that is recognized but cannot be read, in words.
    Foreign(&'static str),
}

impl Content {
    fn of(head: &[u8]) -> Self {
        const FOREIGN: [(&[u8], &str); 9] = [
            (b"PK\x03\x04", "a zip archive (an .npz or a spreadsheet, perhaps)"),
            (b"ARROW1", "an Arrow or Feather file"),
            (b"PARE", "an encrypted Parquet file"),
            (b"\x89HDF", "an HDF5 file"),
            (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
            (b"\xfd7zXZ", "compressed with xz"),
            (b"BZh", "compressed with bzip2"),
            (b"\xff\xfe", "UTF-16 text"),
            (b"\xfe\xff", "UTF-16 text"),
        ];
        if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Self::Foreign(what);
        }
        match head {
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, 1..=8, ..] => Self::Idx,
            _ if head.contains(&0) => Self::Foreign("binary data of an unknown kind"),
            _ if is_json(head) => Self::Foreign("JSON"),
            _ => Self::Text,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Parquet => "Parquet data",
            Self::Npy => "a NumPy array",
            Self::Idx => "IDX data",
            Self::Foreign(what) => what,
        }
    }

    /// The names of the formats that read this content; `None` if none does.
    fn option(self) -> Option<&'static str> {
        match self {
            Self::Text => Some("text or csv"),
            Self::Parquet => Some("parquet"),
            Self::Npy => Some("npy"),
            Self::Idx => Some("idx"),
            Self::Foreign(_) => None,
        }
    }
}

/// Whether text begins as an object of JSON does, or an array of objects.
fn is_json(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let inside = head.strip_prefix(b"[").map_or(head, <[u8]>::trim_ascii_start);
    let inside = inside.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inside.is_some_and(|inside| matches!(inside.first(), Some(b'"' | b'}')))
}

/// Whether a file begins as files of this format do.
pub(crate) fn begins_as(format: TableFormat, head: &[u8]) -> bool {
    Content::of(head) == content_of(format)
}

/// Decides the layout of an opened file.
pub(crate) fn detect(
    path: &Path,
    input: &Input,
    format: Option<TableFormat>,
) -> Result<Layout, Error> {
    let content = Content::of(&input.head);
    let fail = |message: String| Err(Error::new(ErrorKind::Format, path, message));
    let named = named_format(path);
    if let Content::Foreign(what) = content {
        return fail(format!(
            "is {what}; write it as CSV (UTF-8), Parquet or .npy, which may be gzipped"
        ));
    }
    let expected = format.or(named);
    if let Some(expected) = expected
        && content_of(expected) != content
    {
        let (way_out, holds) = (content.option().unwrap_or_default(), content.name());
        let wrong = |what: String| Error::new(ErrorKind::Format, path, what);
        return Err(if format.is_some() {
            wrong(format!("is not of format {expected} but {holds}"))
                .advise(Advice::Format(way_out))
        } else {
            wrong(format!("is named like {expected} but holds {holds}"))
                .advise(Advice::RenameOrFormat(way_out))
        });
    }
    if content == Content::Parquet && input.gzip {
        return fail(
            "is Parquet inside gzip; decompress it first (Parquet compresses itself)".into(),
        );
    }
    if content == Content::Parquet && !input.on_disk {
        return fail(
            "is Parquet, which is read from its end, through a pipe; save it first".into(),
        );
    }
    Ok(match content {
        Content::Parquet => Layout::Parquet,
        Content::Npy => Layout::Npy,
        Content::Idx => Layout::Idx,
        _ => Layout::Text(delimiter(&input.head, expected)),
    })
}

/// Whether an opened file is text whose name claims no format, such as `.txt`.
pub(crate) fn is_plain_text(path: &Path, input: &Input) -> Result<bool, Error> {
    Ok(matches!(detect(path, input, None)?, Layout::Text(_)) && named_format(path).is_none())
}

/// The format that the name of a file claims, by its extension. Other extensions, such as `.txt`
/// and `.dat`, claim none. MNIST's names, such as `t10k-images-idx3-ubyte`, have no extension.
fn named_format(path: &Path) -> Option<TableFormat> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    if name.trim_end_matches(".gz").ends_with("-ubyte") {
        return Some(TableFormat::Idx);
    }
    match inner_extension(path)?.as_str() {
        "csv" => Some(TableFormat::Csv),
        "tsv" | "tab" => Some(TableFormat::Tsv),
        "parquet" | "pq" => Some(TableFormat::Parquet),
        "npy" => Some(TableFormat::Npy),
        "idx" => Some(TableFormat::Idx),
        _ => None,
    }
}

fn content_of(format: TableFormat) -> Content {
    match format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Text => Content::Text,
        TableFormat::Parquet => Content::Parquet,
        TableFormat::Npy => Content::Npy,
        TableFormat::Idx => Content::Idx,
    }
}

fn delimiter(head: &[u8], expected: Option<TableFormat>) -> Delimiter {
    let line = first_line(head);
    match expected {
        Some(TableFormat::Tsv) => Delimiter::Byte(b'\t'),
        Some(TableFormat::Text) => Delimiter::Whitespace,
        Some(TableFormat::Csv) => most_frequent(line).unwrap_or(Delimiter::Byte(b',')),
        _ => sniff(line),
    }
}

/// The first line that is neither blank nor a comment.
fn first_line(head: &[u8]) -> &[u8] {
    head.split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
        .unwrap_or_default()
}

/// The most frequent of comma, semicolon and tab outside quotes; a comma wins a tie. `None` if
/// there are none.
fn most_frequent(line: &[u8]) -> Option<Delimiter> {
    let mut quoted = false;
    let mut counts = [(0, b'\t'), (0, b';'), (0, b',')];
    for &byte in line {
        if byte == b'"' {
            quoted = !quoted;
        }
        for (count, separator) in &mut counts {
            *count += usize::from(!quoted && byte == *separator);
        }
    }
    counts
        .into_iter()
        .max_by_key(|&(count, _)| count)
        .filter(|&(count, _)| count > 0)
        .map(|(_, separator)| Delimiter::Byte(separator))
}

fn sniff(line: &[u8]) -> Delimiter {
    let words = || line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match most_frequent(line) {
        // Tabs between numbers may be padding, in a file whose numbers are also separated by
        // blanks.
        Some(Delimiter::Byte(b'\t')) if words().all(|word| number::parse::<f64>(word).is_ok()) => {
            Delimiter::Whitespace
        }
        Some(delimiter) => delimiter,
        None => Delimiter::Whitespace,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{gzip, sample};

    fn detected(name: &str, content: impl AsRef<[u8]>) -> Result<Layout, Error> {
        let file = sample(name, content);
        detect(&file.path, &Input::open(&file.path)?, None)
    }

    #[test]
    fn separators_are_found() {
        let text = |byte| Ok(Layout::Text(Delimiter::Byte(byte)));
        assert_eq!(detected("a.csv", "1,2"), text(b','));
        assert_eq!(detected("a.csv", "1"), text(b','));
        assert_eq!(detected("a.csv", "a;\"b,,,c\";d"), text(b';'));
        assert_eq!(detected("a.tsv", "1,2\t3"), text(b'\t'));
        assert_eq!(detected("a.data", "1,2"), text(b','));
        assert_eq!(detected("a", "name with blanks\t2"), text(b'\t'));
        let blanks = Ok(Layout::Text(Delimiter::Whitespace));
        assert_eq!(detected("a.txt", "# a,b\n\n  1  2\n"), blanks);
        assert_eq!(detected("a.dat", "1 \t2\t 3"), blanks);
        assert_eq!(detected("a.xyz", gzip("1 2")), blanks);
    }

    #[test]
    fn content_that_contradicts_the_name_is_an_error() {
        let error = detected("a.csv", "PAR1....").unwrap_err().to_string();
        assert!(error.ends_with(
            "is named like csv but holds Parquet data; rename it, or choose the format parquet"
        ));
        let error = detected("a.parquet", "x,y\n1,2\n").unwrap_err().to_string();
        assert!(error.contains("is named like parquet but holds text"));
        let error = detected("t10k-images-idx3-ubyte.gz", "<!DOCTYPE html>").unwrap_err();
        assert!(error.to_string().contains("is named like idx but holds text"));
        let error = detected("a.npz", "PK\x03\x04...").unwrap_err().to_string();
        assert!(error.contains("zip archive"));
        let error = detected("a.csv", "1,2\0\0").unwrap_err().to_string();
        assert!(error.contains("unknown kind"));
        let file = sample("a.csv", "1,2");
        let input = Input::open(&file.path).unwrap();
        let error = detect(&file.path, &input, Some(TableFormat::Npy)).unwrap_err().to_string();
        assert!(error.contains("is not of format npy but text"));
    }
}
