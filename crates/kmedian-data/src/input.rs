//! Opening a file, compressed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, ErrorKind};

/// Enough to see a magic number and a few lines of a wide table.
const HEAD: usize = 1 << 16;
const BUFFER: usize = 1 << 18;

/// An opened file: decompressed, with its first bytes in view.
pub(crate) struct Input {
    /// The first (decompressed) bytes, at most 64 KiB. `reader` delivers them again.
    pub(crate) head: Vec<u8>,
    /// All decompressed bytes.
    pub(crate) reader: Box<dyn BufRead>,
    /// Whether the bytes on disk are gzip.
    pub(crate) gzip: bool,
    /// What the user should hear about the way it was opened.
    pub(crate) notes: Vec<String>,
}

impl Input {
    /// Opens `path`. Whether it is gzip is decided by its first two bytes, never by its name alone:
    /// browsers and download tools decompress behind one's back.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Self::open_io(path, None).map_err(|error| Error::reading(path, &error))?.nonempty(path)
    }

    /// Opens `path`, which may hold nothing, as what it is said to be: what its first bytes are decides nothing.
    pub(crate) fn open_as(path: &Path, gzip: bool) -> Result<Self, Error> {
        Self::open_io(path, Some(gzip)).map_err(|error| Error::reading(path, &error))
    }

    fn open_io(path: &Path, gzip: Option<bool>) -> io::Result<Self> {
        let mut raw = BufReader::with_capacity(BUFFER, File::open(path)?);
        let gzip = match gzip {
            Some(gzip) => gzip,
            None => raw.fill_buf()?.starts_with(&[0x1f, 0x8b]),
        };
        let mut reader: Box<dyn BufRead> = if gzip {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(raw)))
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
        Ok(Self { head, reader, gzip, notes })
    }

    fn nonempty(self, path: &Path) -> Result<Self, Error> {
        if self.head.is_empty() {
            return Err(Error::new(ErrorKind::Empty, path, "the file is empty"));
        }
        Ok(self)
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
