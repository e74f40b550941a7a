//! Temporary files in the folder of the file that they will become. A run that is killed leaves its
//! own behind; the next run that writes into the folder removes it.
//!
//! A temporary file is locked by the run that writes it, and the operating system releases the lock
//! however the run ends. So a file that can be locked is not in use. Whoever locks a file checks
//! that its name still leads to it: another run may have removed it between its creation and its
//! lock.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use tempfile::{NamedTempFile, TempPath};

/// How the names of temporary files begin.
const PREFIX: &str = ".kmedian-part-";

/// The number of attempts to create and lock a file. An attempt fails if another run removes the
/// file before it is locked, or locks it for a moment to see whether it is in use. Two failures in
/// a row are rare.
const ATTEMPTS: usize = 16;

/// The time between two attempts to lock a file: far longer than another run holds the lock to see
/// whether the file is in use.
const PAUSE: Duration = Duration::from_millis(5);

/// A new temporary file in a folder, with a random name. It has the permissions of an ordinary new
/// file; by default, temporary files can be read by their owner alone, which would surprise in a
/// result.
pub(super) fn create_in(folder: &Path) -> io::Result<NamedTempFile> {
    clear(folder);
    for _ in 0..ATTEMPTS {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let temporary = builder.tempfile_in(folder)?;
        // Only a run that checks whether the file is in use can have locked it, and only for a
        // moment. On a file system without locks this fails, but there no file is removed either.
        let _ = temporary.as_file().lock();
        if leads_to(temporary.path(), temporary.as_file()) {
            return Ok(temporary);
        }
    }
    Err(io::Error::other("temporary files vanish as they are created"))
}

/// Claims a name in a folder by the one temporary file that belongs to the name: the run that has
/// it is the only one that may write a file of that name. `None` if another run has it.
pub(super) fn claim(folder: &Path, name: &std::ffi::OsStr) -> io::Result<Option<NamedTempFile>> {
    clear(folder);
    let mut temporary = OsString::from(PREFIX);
    temporary.push(name);
    let path = folder.join(temporary);
    let mut held = false;
    for attempt in 0..ATTEMPTS {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            // Another run has claimed the name, or checks whether the file is in use, which takes
            // only a moment.
            Err(TryLockError::WouldBlock) => {
                held = attempt + 1 == ATTEMPTS;
                thread::sleep(PAUSE);
                continue;
            }
            // On a file system without locks, a file that is not empty is the claim.
            Err(TryLockError::Error(_)) if file.metadata()?.len() > 0 => return Ok(None),
            Err(TryLockError::Error(_)) => {}
        }
        if leads_to(&path, &file) {
            let path = TempPath::try_from_path(path)?;
            return Ok(Some(NamedTempFile::from_parts(file, path)));
        }
    }
    if held {
        return Ok(None);
    }
    Err(io::Error::other("temporary files vanish as they are created"))
}

/// Removes the temporary files of killed runs from a folder. Those of running ones are locked, and
/// stay.
fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let names = entries.filter_map(Result::ok).map(|entry| entry.path());
    let is_ours = |path: &std::path::PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
    };
    for path in names.filter(is_ours) {
        // Opening a pipe would block until a process writes to it.
        if !fs::symlink_metadata(&path).is_ok_and(|data| data.is_file()) {
            continue;
        }
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_ok() && leads_to(&path, &file) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether a name still leads to a file that was opened by it.
#[cfg(unix)]
fn leads_to(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: fs::Metadata| (data.dev(), data.ino());
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(named), Ok(opened)) => identity(named) == identity(opened),
        _ => false,
    }
}

/// Whether a name still leads to a file that was opened by it. Where an open file cannot be
/// removed, it does as long as the name exists.
#[cfg(not(unix))]
fn leads_to(path: &Path, _: &File) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_nobody_holds_is_cleared_and_what_somebody_holds_stays() {
        let folder = tempfile::tempdir().unwrap();
        let stale = folder.path().join(format!("{PREFIX}killed"));
        let others = folder.path().join(".kmedian-other");
        fs::write(&stale, "half").unwrap();
        fs::write(&others, "kept").unwrap();
        let live = create_in(folder.path()).unwrap();
        assert!(!stale.exists() && others.exists());
        let second = create_in(folder.path()).unwrap();
        assert!(live.path().exists() && second.path().exists());
        drop((live, second));
        assert_eq!(names(folder.path()), [".kmedian-other"]);
    }

    #[test]
    fn a_name_is_claimed_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let name = std::ffi::OsStr::new("r.json");
        let claimed = claim(folder.path(), name).unwrap().unwrap();
        assert!(claim(folder.path(), name).unwrap().is_none());
        assert!(claim(folder.path(), std::ffi::OsStr::new("other.json")).unwrap().is_some());
        drop(claimed);
        assert!(names(folder.path()).is_empty());
        // What a killed run claimed is free again.
        fs::write(folder.path().join(format!("{PREFIX}r.json")), "half").unwrap();
        assert!(claim(folder.path(), name).unwrap().is_some());
    }

    /// A run that checks whether a file is in use does not keep its owner from it.
    #[test]
    fn many_runs_in_one_folder_do_not_refuse_each_other() {
        let folder = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for run in 0..4 {
                let folder = folder.path();
                scope.spawn(move || {
                    for file in 0..300 {
                        let name = format!("{run}-{file}.json");
                        let claimed = claim(folder, std::ffi::OsStr::new(&name)).unwrap();
                        let claimed = claimed.expect("nobody else wants this name");
                        let created = create_in(folder).unwrap();
                        assert!(claimed.path().exists() && created.path().exists(), "{name}");
                    }
                });
            }
        });
        assert!(names(folder.path()).is_empty());
    }
}
