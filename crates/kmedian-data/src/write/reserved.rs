//! A file whose name and disk space are reserved before its content is known.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::atomic::folder_of;
use super::temporary;
use crate::error::{Error, ErrorKind};

/// The number of bytes that are written at once to reserve disk space: 64 KiB, so that few
/// system calls are needed and little memory.
const BLOCK: usize = 1 << 16;

/// The number of other names that are tried if another program has taken the name of a file that
/// must not be lost. The first is nearly always free.
const OTHER_NAMES: usize = 100;

/// A new file that can surely be written later: its name and its disk space are reserved.
///
/// A private release is paid for before its content is known. So whatever can fail, such as a full
/// disk or another run with the same name, has to fail before that. Until [`ReservedFile::write`]
/// there is no file of that name; if it is never called, nothing is left behind.
///
/// Copy-on-write file systems (Btrfs, ZFS) write a changed file to new disk space. There the disk
/// can still be too small, if other programs fill it meanwhile.
#[derive(Debug)]
pub struct ReservedFile {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl ReservedFile {
    /// Reserves the name, and disk space for `room` bytes.
    ///
    /// # Errors
    /// If the file exists, if another run has reserved it, or if the disk is full.
    pub fn create(path: &Path, room: usize) -> Result<Self, Error> {
        let refused = |why: &str| Error::new(ErrorKind::Write, path, why);
        let writing = |error| Error::writing(path, &error);
        let Some(name) = path.file_name() else {
            return Err(refused("is no name of a file; choose another"));
        };
        let Some(mut temporary) = temporary::claim(folder_of(path), name).map_err(writing)? else {
            return Err(refused("another run is about to write it; choose another name"));
        };
        // This is asked while the name is claimed: a run that had claimed it before has written the
        // file by now, or never will.
        if fs::symlink_metadata(path).is_ok() {
            return Err(refused("there already is such a file; choose another name"));
        }
        make_room(temporary.as_file_mut(), room).map_err(writing)?;
        Ok(Self { path: path.to_path_buf(), temporary })
    }

    /// Writes the file, and returns its path. If another program has taken the name meanwhile, the
    /// path is the name with a number after it, such as `release.json.1`.
    ///
    /// # Errors
    /// If the file cannot be written.
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
                // The new name is on disk once its folder is. Where a folder cannot be opened, that
                // is left to the operating system.
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
