//! Writes files that are complete or absent: to a temporary file, which is then renamed.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::temporary;
use crate::error::Error;

/// Writes a file so that a reader never sees half of it: into a temporary file in the same folder,
/// which is renamed once `write` has succeeded. On failure nothing is left behind, and an older
/// file of that name stays as it was. Temporary files that killed runs have left in the folder are
/// removed.
///
/// A symbolic link is followed. A path that is not a regular file, such as a pipe, is written
/// directly.
///
/// # Errors
///
/// If the file cannot be written, or if `write` fails.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), Error> {
    write_io(path, write).map_err(|error| Error::writing(path, &error))
}

fn write_io(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    }
    let target: PathBuf = if old.is_some() { fs::canonicalize(path)? } else { path.to_path_buf() };
    let temporary = temporary::create_in(folder_of(&target))?;
    if let Some(old) = old {
        temporary.as_file().set_permissions(old.permissions())?;
    }
    let mut out = BufWriter::with_capacity(1 << 18, temporary);
    write(&mut out)?;
    let temporary = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// The folder that holds `path`.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn success_replaces_and_failure_leaves_all_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        write_atomically(&path, |out| out.write_all(b"one")).unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(b"two")?;
            Err(io::Error::other("the disk is full"))
        });
        let error = failed.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Write);
        assert!(error.to_string().ends_with("cannot be written: the disk is full"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write_atomically(&path, |out| out.write_all(b"three")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_and_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(&folder.path().join("no/a"), |_| Ok(())).unwrap_err();
        assert!(error.to_string().ends_with("its folder does not exist; create it first"));
        let error = write_atomically(folder.path(), |_| Ok(())).unwrap_err();
        assert!(error.to_string().ends_with("is a folder; name a file in it"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("out.txt"), folder.path().join("link.txt"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"two")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
