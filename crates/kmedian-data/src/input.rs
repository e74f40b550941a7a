//! Opening a file, compressed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, ErrorKind};

/// The bytes of a file that are looked at to tell its format: enough for a magic number and a few
/// lines of a wide table.
const HEAD: usize = 1 << 16;
const BUFFER: usize = 1 << 18;

/// What a file of bytes expands to is believed up to this many bytes, whatever the file: 128 MiB,
/// which as rows of one digit take some 3 GiB in memory.
pub(crate) const ABSURD_BYTES: u64 = 1 << 27;

/// How many times its size a file may expand to beyond [`ABSURD_BYTES`]. More is no table of
/// measurements: tables of numbers compress 3 to 30 times, and a file made to fill a memory up to
/// 1,032 times.
pub(crate) const ABSURD_RATIO: u64 = 256;

/// The number of columns up to which a table is read whatever the length of its file: 50 MiB of
/// names.
const COLUMNS_FOR_ALL: usize = 1 << 18;

/// The bytes that there must be for each column beyond [`COLUMNS_FOR_ALL`]. A column needs about
/// 200 bytes for its name and its part, and each value few times its own.
const BYTES_A_COLUMN: u64 = 16;

/// An opened file: decompressed, with its first bytes in view.
pub(crate) struct Input {
    /// The first (decompressed) bytes, at most 64 KiB. `reader` delivers them again.
    pub(crate) head: Vec<u8>,
    /// All decompressed bytes.
    pub(crate) reader: Box<dyn BufRead>,
    /// Whether the bytes on disk are gzip.
    pub(crate) gzip: bool,
    /// The number of all bytes, where it is known before they are read: neither of gzip nor of a
    /// pipe.
    pub(crate) size: Option<u64>,
    /// Whether the input is a file on a disk, which can be opened again and read from the end.
    pub(crate) on_disk: bool,
    /// What the user should hear about the way it was opened.
    pub(crate) notes: Vec<String>,
}

impl Input {
    /// Opens a public file, which may be refused for what is in it; it is if it expands absurdly.
    /// Whether it is gzip is decided by its first two bytes, never by its name alone:
    /// browsers and download tools decompress behind one's back.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Self::open_io(path, None, ABSURD_BYTES)
            .map_err(|error| Error::reading(path, &error))?
            .nonempty(path)
    }

    /// Opens a private file, which may hold nothing, or expand to anything, as what it is said to
    /// be: its first bytes decide nothing.
    pub(crate) fn open_as(path: &Path, gzip: bool) -> Result<Self, Error> {
        Self::open_io(path, Some(gzip), u64::MAX).map_err(|error| Error::reading(path, &error))
    }

    /// Opens a file of which `believed` decompressed bytes are believed whatever its size.
    fn open_io(path: &Path, gzip: Option<bool>, believed: u64) -> io::Result<Self> {
        let file = File::open(path)?;
        let on_disk = file.metadata()?;
        let (on_disk, length) = (on_disk.is_file(), on_disk.len());
        let mut raw = BufReader::with_capacity(BUFFER, Counted { file, read: 0 });
        let gzip = match gzip {
            Some(gzip) => gzip,
            None => raw.fill_buf()?.starts_with(&[0x1f, 0x8b]),
        };
        let mut reader: Box<dyn BufRead> = if gzip {
            let expanding = Expanding { decoder: MultiGzDecoder::new(raw), given: 0, believed };
            Box::new(BufReader::with_capacity(BUFFER, expanding))
        } else {
            Box::new(raw)
        };
        let mut head = Vec::new();
        reader.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let mut notes = Vec::new();
        if !gzip && extension(path).as_deref() == Some("gz") {
            notes.push("named .gz, but not compressed: read as it is".to_owned());
        }
        let reader = Box::new(Cursor::new(head.clone()).chain(reader));
        let size = (on_disk && !gzip).then_some(length);
        Ok(Self { head, reader, gzip, size, on_disk, notes })
    }

    fn nonempty(self, path: &Path) -> Result<Self, Error> {
        if self.head.is_empty() {
            return Err(Error::new(ErrorKind::Empty, path, "the file is empty"));
        }
        Ok(self)
    }
}

/// Refuses a table with more columns than its file bears out; `size` is its length where it is
/// known.
pub(crate) fn check_width(path: &Path, width: usize, size: Option<u64>) -> Result<(), Error> {
    let borne_out = size.unwrap_or(0) / BYTES_A_COLUMN;
    if width <= COLUMNS_FOR_ALL || width as u64 <= borne_out {
        return Ok(());
    }
    let advice = match size {
        Some(_) => "a table has rows too; is it transposed?",
        None => "decompress it or save it to a file first, if it is meant",
    };
    let what = format!("has {width} columns, more than its length bears out; {advice}");
    Err(Error::new(ErrorKind::Shape, path, what))
}

/// Refuses a private array with very many columns, whatever the length of its file: that tells how
/// many records there are.
pub(crate) fn check_private_width(path: &Path, width: usize) -> Result<(), Error> {
    if width <= COLUMNS_FOR_ALL {
        return Ok(());
    }
    let what = format!(
        "has {width} columns, and {COLUMNS_FOR_ALL} are read at most; keep those of keys and owners"
    );
    Err(Error::new(ErrorKind::Shape, path, what))
}

/// A file that counts the bytes that were read of it.
struct Counted {
    file: File,
    read: u64,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(bytes)?;
        self.read += count as u64;
        Ok(count)
    }
}

/// Decompressed bytes, until they are absurdly many for what was read of the file.
struct Expanding {
    decoder: MultiGzDecoder<BufReader<Counted>>,
    given: u64,
    believed: u64,
}

impl Read for Expanding {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(bytes)?;
        self.given += count as u64;
        let compressed = self.decoder.get_ref().get_ref().read;
        if self.given > self.believed && self.given / ABSURD_RATIO > compressed {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(count)
    }
}

/// The last extension, in lower case.
pub(crate) fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// The extension that tells the format: that of `a.csv.gz` is `csv`.
pub(crate) fn inner_extension(path: &Path) -> Option<String> {
    match extension(path).as_deref() {
        Some("gz" | "gzip") => extension(Path::new(path.file_stem()?)),
        _ => extension(path),
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Temporary files for the tests of all readers.

    use std::io::Write;
    use std::path::PathBuf;

    use flate2::{Compression, write::GzEncoder};
    use tempfile::TempDir;

    /// A file that is removed with the value.
    pub(crate) struct Sample {
        pub(crate) path: PathBuf,
        _folder: TempDir,
    }

    /// A temporary file of this name and content.
    pub(crate) fn sample(name: &str, content: impl AsRef<[u8]>) -> Sample {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        Sample { path, _folder: folder }
    }

    /// The gzip form of some bytes.
    pub(crate) fn gzip(content: impl AsRef<[u8]>) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content.as_ref()).unwrap();
        encoder.finish().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{gzip, sample};
    use super::*;

    #[test]
    fn gzip_is_told_by_content() {
        for (name, content, expected) in
            [("a.txt", gzip("hello"), true), ("a.txt.gz", b"hello".to_vec(), false)]
        {
            let file = sample(name, content);
            let mut input = Input::open(&file.path).unwrap();
            assert_eq!(input.gzip, expected);
            assert_eq!(input.notes.len(), usize::from(!expected));
            let mut text = String::new();
            input.reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "hello");
        }
    }

    #[test]
    fn what_expands_absurdly_is_refused() {
        let file = sample("a.csv.gz", gzip(vec![b'1'; 1 << 20]));
        let all = |believed| {
            let mut input = Input::open_io(&file.path, None, believed)?;
            io::copy(&mut input.reader, &mut io::sink())
        };
        assert_eq!(all(1 << 20).unwrap(), 1 << 20);
        let error = Error::reading(&file.path, &all(1 << 19).unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.to_string().contains("expands to more than 256 times"), "{error}");
        // What compresses as tables do is read, however long.
        let rows: String = (0..100_000u32).map(|i| format!("{}\n", i.wrapping_mul(9973))).collect();
        let file = sample("a.csv.gz", gzip(&rows));
        let mut input = Input::open_io(&file.path, None, 1 << 16).unwrap();
        assert_eq!(io::copy(&mut input.reader, &mut io::sink()).unwrap(), rows.len() as u64);
    }

    #[test]
    fn columns_must_be_borne_out() {
        let refused = |width, size| check_width(Path::new("a.npy"), width, size).is_err();
        assert!(!refused(1 << 18, None) && refused((1 << 18) + 1, None));
        assert!(!refused(1 << 20, Some(1 << 24)) && refused(1 << 20, Some((1 << 24) - 1)));
    }

    #[test]
    fn what_cannot_be_opened_is_said_plainly() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Input::open(&folder.path().join("no.csv")).err().unwrap();
        assert!(missing.to_string().ends_with("no.csv: no such file"));
        let folder = Input::open(folder.path()).err().unwrap();
        assert!(folder.to_string().contains("is a folder"));
        let empty = Input::open(&sample("a.csv", "").path).err().unwrap();
        assert_eq!(empty.kind(), ErrorKind::Empty);
        let mut half = gzip("hello hello hello");
        half.truncate(half.len() - 6);
        let half = Input::open(&sample("a.csv.gz", half).path).err().unwrap();
        assert_eq!(half.kind(), ErrorKind::Truncated);
    }

    #[test]
    fn the_inner_extension_looks_through_gz() {
        assert_eq!(inner_extension(Path::new("x/a.CSV.gz")).as_deref(), Some("csv"));
        assert_eq!(inner_extension(Path::new("a.b.npy")).as_deref(), Some("npy"));
        assert_eq!(inner_extension(Path::new("t10k-images-idx3-ubyte.gz")), None);
    }
}
