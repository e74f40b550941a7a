//! A file whose room is made before it is known what will be in it.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::atomic::folder_of;
use super::temporary;
use crate::error::{Error, ErrorKind};

/// The bytes of room that are written at once: 64 KiB.
const BLOCK: usize = 1 << 16;

/// The number of other names that are tried for a file that must not be lost: one is
/// nearly always free.
const OTHER_NAMES: usize = 100;

/// A new file that is sure to be written: its name is taken, and the room for it is on the disk.
///
/// A release is paid for before it is known. So whatever can fail, a disk that is full or another
/// run with the same name, has to fail before. Until [`ReservedFile::write`], there is no file of
/// that name; if it is never called, nothing is left behind.
///
/// File systems that write every change to a new place (Btrfs, ZFS) keep no room for a file that is
/// written over: there a disk that other programs fill meanwhile can still be too small.
#[derive(Debug)]
pub struct ReservedFile {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl ReservedFile {
    /// Takes the name, and makes room for `room` bytes.
    ///
    /// # Errors
    /// If there is such a file, if another run is about to write it, or if there is no room.
    pub fn create(path: &Path, room: usize) -> Result<Self, Error> {
        let refused = |why: &str| Error::new(ErrorKind::Write, path, why);
        let writing = |error| Error::writing(path, &error);
        let Some(name) = path.file_name() else {
            return Err(refused("is no name of a file; choose another"));
        };
        let Some(mut temporary) = temporary::claim(folder_of(path), name).map_err(writing)? else {
            return Err(refused("another run is about to write it; choose another name"));
        };
        // Asked under the claim: whoever had it before has written the file by now, or never will.
        if fs::symlink_metadata(path).is_ok() {
            return Err(refused("there already is such a file; choose another name"));
        }
        make_room(temporary.as_file_mut(), room).map_err(writing)?;
        Ok(Self { path: path.to_path_buf(), temporary })
    }

    /// Writes the file. If some other program took its name meanwhile, the content goes beside it,
    /// under the name with a number. Returns where it is.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn write(self, content: &[u8]) -> Result<PathBuf, Error> {
        let Self { path, temporary } = self;
        write_over(temporary, content, &path).map_err(|error| Error::writing(&path, &error))
    }
}

fn make_room(file: &mut File, room: usize) -> io::Result<()> {
    let block = [b' '; BLOCK];
    file.set_len(0)?;
    for start in (0..room).step_by(BLOCK) {
        file.write_all(&block[..BLOCK.min(room - start)])?;
    }
    file.sync_all()
}

fn write_over(mut temporary: NamedTempFile, content: &[u8], path: &Path) -> io::Result<PathBuf> {
    let file = temporary.as_file_mut();
    file.rewind()?;
    file.write_all(content)?;
    file.set_len(content.len() as u64)?;
    file.sync_all()?;
    let numbered = (1..=OTHER_NAMES).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    });
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for path in std::iter::once(path.to_path_buf()).chain(numbered) {
        match temporary.persist_noclobber(&path) {
            Ok(_) => {
                // The name reaches the disk with its folder; what cannot be opened as a file has no
                // need of it.
                if let Ok(folder) = File::open(folder_of(&path)) {
                    let _ = folder.sync_all();
                }
                return Ok(path);
            }
            Err(failed) => (temporary, last) = (failed.file, failed.error),
        }
        if last.kind() != io::ErrorKind::AlreadyExists {
            break;
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        let count = || fs::read_dir(folder.path()).unwrap().count();
        drop(ReservedFile::create(&path, 100_000).unwrap());
        assert_eq!(count(), 0);
        for content in ["", "short", &"long".repeat(99_999)] {
            let reserved = ReservedFile::create(&path, 100_000).unwrap();
            assert!(!path.exists());
            assert_eq!(reserved.write(content.as_bytes()).unwrap(), path);
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            assert_eq!(count(), 1);
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn two_never_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        let first = ReservedFile::create(&path, 10).unwrap();
        let refused = |what: &str| {
            let error = ReservedFile::create(&path, 10).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        };
        refused("another run is about to write it");
        // Some other program, which knows nothing of claims.
        fs::write(&path, "theirs").unwrap();
        let kept = first.write(b"paid for").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(kept, folder.path().join("r.json.1"));
        assert_eq!(fs::read_to_string(kept).unwrap(), "paid for");
        refused("there already is such a file");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
