//! Opens a file, compressed or not, and limits how large it may claim to be.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, ErrorKind};

/// The number of bytes at the beginning of a file that may tell its format: 64 KiB, enough for a
/// magic number and a few lines of a wide table.
const HEAD: usize = 1 << 16;

/// The size of a read buffer, in bytes: 256 KiB, so that few system calls are needed.
const BUFFER: usize = 1 << 18;

/// The number of bytes, 128 MiB, that any compressed file may expand to, however small it is. As
/// rows of one digit, these take some 3 GiB of memory.
pub(crate) const ABSURD_BYTES: u64 = 1 << 27;

/// How many times its size a file may expand to, beyond [`ABSURD_BYTES`]. What expands more is not
/// a table of measurements: tables of numbers compress 3 to 30 times, and a file that is made to
/// fill the memory up to 1,032 times.
pub(crate) const ABSURD_RATIO: u64 = 256;

/// The number of columns that a table of any length may have. Their names and parts take about 50
/// MiB of memory.
const COLUMNS_FOR_ALL: usize = 1 << 18;

/// How many bytes a file must have for each of its columns, if they are more than
/// [`COLUMNS_FOR_ALL`]. A column takes about 200 bytes of memory, so a short file cannot claim
/// much.
const BYTES_A_COLUMN: u64 = 16;

/// An opened file: decompressed, with its first bytes in view.
pub(crate) struct Input {
    /// The first (decompressed) bytes, at most 64 KiB. `reader` delivers them again.
    pub(crate) head: Vec<u8>,
    /// All decompressed bytes.
    pub(crate) reader: Box<dyn BufRead>,
    /// Whether the bytes on disk are gzip.
    pub(crate) gzip: bool,
    /// The number of all bytes; `None` for gzip and for a pipe, where it is not known before they
    /// are read.
    pub(crate) size: Option<u64>,
    /// Whether the input is a file on a disk, which can be opened again and read from the end.
    pub(crate) on_disk: bool,
    /// What the user should know about the way it was opened.
    pub(crate) notes: Vec<String>,
}

impl Input {
    /// Opens a public file. Its first two bytes tell whether it is gzip, not its name: browsers and
    /// download tools decompress files without renaming them. A file that is empty, or expands far
    /// too much, is refused.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Self::open_io(path, None, ABSURD_BYTES)
            .map_err(|error| Error::reading(path, &error))?
            .nonempty(path)
    }

    /// Opens a private file. `gzip` says whether it is compressed: its first bytes do not. It may
    /// be empty, and may expand to any size. Damage among its first bytes is found by whoever reads
    /// on: whether it lies there depends on how many records there are.
    pub(crate) fn open_as(path: &Path, gzip: bool) -> Result<Self, Error> {
        Self::open_io(path, Some(gzip), u64::MAX).map_err(|error| Error::reading(path, &error))
    }

    /// Opens a file that may expand to `believed` bytes, however small it is. If `gzip` is `None`,
    /// its first two bytes tell whether it is compressed.
    fn open_io(path: &Path, gzip: Option<bool>, believed: u64) -> io::Result<Self> {
        let (file, on_disk, length): (Box<dyn Read>, bool, u64) = if is_standard_input(path) {
            (Box::new(io::stdin()), false, 0)
        } else {
            let file = File::open(path)?;
            let on_disk = file.metadata()?;
            (Box::new(file), on_disk.is_file(), on_disk.len())
        };
        let mut raw = BufReader::with_capacity(BUFFER, Counted { file, read: 0 });
        let private = gzip.is_some();
        let gzip = match gzip {
            // No member at all is what a file is to which members are yet to be appended.
            Some(gzip) => gzip && !raw.fill_buf()?.is_empty(),
            None => raw.fill_buf()?.starts_with(&[0x1f, 0x8b]),
        };
        let mut reader: Box<dyn BufRead> = if gzip {
            let expanding = Expanding { decoder: MultiGzDecoder::new(raw), given: 0, believed };
            Box::new(BufReader::with_capacity(BUFFER, expanding))
        } else {
            Box::new(raw)
        };
        let mut head = Vec::new();
        match reader.by_ref().take(HEAD as u64).read_to_end(&mut head) {
            Err(error) if private => reader = Box::new(BufReader::new(Failed(error))),
            read => drop(read?),
        }
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

/// Whether a path stands for standard input: `-`, as everywhere.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses a table with more columns than a file of `size` bytes can have; `None` if the size is
/// not known.
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

/// Refuses a private array with very many columns. The length of its file does not matter, because
/// it depends on the number of records, which is private.
pub(crate) fn check_private_width(path: &Path, width: usize) -> Result<(), Error> {
    if width <= COLUMNS_FOR_ALL {
        return Ok(());
    }
    let what = format!(
        "has {width} columns, and {COLUMNS_FOR_ALL} are read at most; keep those of keys and owners"
    );
    Err(Error::new(ErrorKind::Shape, path, what))
}

/// What is left of a file that cannot be read any further: the reason, as often as it is asked for.
struct Failed(io::Error);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(self.0.kind(), self.0.to_string()))
    }
}

/// A file that counts the bytes that were read of it.
struct Counted {
    file: Box<dyn Read>,
    read: u64,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(bytes)?;
        self.read += count as u64;
        Ok(count)
    }
}

/// A reader of decompressed bytes that fails once they are far too many for what was read of the
/// file.
struct Expanding {
    decoder: MultiGzDecoder<BufReader<Counted>>,
    /// The number of decompressed bytes so far.
    given: u64,
    /// The number of decompressed bytes that are allowed for any file.
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

/// The extension that tells the format, in lower case: that of `a.csv.gz` is `csv`.
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
    fn damage_of_a_private_file_is_found_by_reading_on() {
        let mut cut = gzip("stop\ns1\n");
        cut.truncate(cut.len() - 6);
        let garbage = [gzip("stop\ns1\n"), b"GARBAGE".repeat(3)].concat();
        for damaged in [cut, garbage] {
            let file = sample("a.csv.gz", damaged);
            let mut input = Input::open_as(&file.path, true).unwrap();
            let mut line = String::new();
            input.reader.read_line(&mut line).unwrap();
            assert_eq!(line, "stop\n");
            assert!(input.reader.read_to_end(&mut Vec::new()).is_err());
            assert!(input.reader.read_to_end(&mut Vec::new()).is_err());
        }
        let none = sample("a.csv.gz", "");
        let mut input = Input::open_as(&none.path, true).unwrap();
        assert_eq!(input.reader.read_to_end(&mut Vec::new()).unwrap(), 0);
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
