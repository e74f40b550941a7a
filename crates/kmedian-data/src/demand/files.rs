//! Private tables that are spread over several files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, quote};

/// How deep folders may lie within each other. Deeper ones are a link that leads back to itself.
const MOST_DEPTH: usize = 32;

/// The files of a private table: the file itself, all files of a folder and its folders, or those
/// that a pattern such as `trips-*.parquet` finds, in the order of their names. In folders, files
/// whose name begins with a dot or an underscore are passed over: programs leave marks of their own
/// there.
///
/// Nothing is opened. How many files there are and what they are called is public, as a layout is.
///
/// # Errors
///
/// If a folder cannot be listed or holds no file, if a pattern finds none, or if a file is found
/// under two names.
pub fn demand_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let is_folder = fs::metadata(path).is_ok_and(|data| data.is_dir());
    let mut files = Vec::new();
    if is_folder {
        list(path, 0, &mut files)?;
        if files.is_empty() {
            return Err(Error::new(ErrorKind::Empty, path, "is a folder without a file in it"));
        }
    } else if !path.exists() && path.to_str().is_some_and(is_pattern) {
        let wrong = |what: String| Error::new(ErrorKind::Io, path, what);
        let pattern = path.to_str().unwrap_or_default();
        let found =
            glob::glob(pattern).map_err(|error| wrong(format!("is no pattern: {error}")))?;
        for file in found {
            let file = file.map_err(|error| Error::reading(path, error.error()))?;
            if file.is_file() {
                files.push(file);
            }
        }
        if files.is_empty() {
            return Err(wrong("no file has such a name".to_owned()));
        }
    } else {
        files.push(path.to_path_buf());
    }
    files.sort();
    refuse_same(&files)?;
    Ok(files)
}

/// Refuses a file that is there under two names, such as by a link: each of its records would be
/// counted twice, and one record more would change two counts.
pub(super) fn refuse_same(files: &[PathBuf]) -> Result<(), Error> {
    let mut known: HashMap<Identity, &PathBuf> = HashMap::new();
    for file in files {
        // What is not there is found out when it is opened.
        let Some(identity) = identity(file) else { continue };
        if let Some(other) = known.insert(identity, file) {
            let other = quote(other.to_string_lossy().as_bytes());
            let what = format!(
                "is the same file as {other}, and would be counted twice; give one of them"
            );
            return Err(Error::new(ErrorKind::Io, file, what));
        }
    }
    Ok(())
}

/// What two names of one file have in common: its device and its number there.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(file: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;

    let data = fs::metadata(file).ok()?;
    data.is_file().then(|| (data.dev(), data.ino()))
}

/// What two names of one file have in common: the path without links, where hard links are not
/// seen.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(not(unix))]
fn identity(file: &Path) -> Option<Identity> {
    fs::canonicalize(file).ok()
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    if depth > MOST_DEPTH {
        let what = format!("folders lie more than {MOST_DEPTH} deep in each other");
        return Err(Error::new(ErrorKind::Io, folder, what));
    }
    let failed = |error| Error::reading(folder, &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(['.', '_']) {
            continue;
        }
        let data = fs::metadata(&path).map_err(|error| Error::reading(&path, &error))?;
        if data.is_dir() {
            list(&path, depth + 1, files)?;
        } else if data.is_file() {
            files.push(path);
        } else {
            // To open a pipe may take forever, and to look at it takes away its records.
            let what = "is no file, and a folder of records has files alone; put it elsewhere";
            return Err(Error::new(ErrorKind::Io, &path, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_patterns_name_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("t/day=2")).unwrap();
        fs::create_dir_all(at("empty/.hidden")).unwrap();
        for name in ["t/b.csv", "t/a.csv", "t/day=2/c.csv", "t/_SUCCESS", "t/.a.crc", "t/d.txt"] {
            fs::write(at(name), "").unwrap();
        }
        let files = |path: &str| {
            let names = |files: Vec<PathBuf>| -> Vec<String> {
                let inside = |file: &PathBuf| file.strip_prefix(folder.path()).unwrap().to_owned();
                files.iter().map(|file| inside(file).to_string_lossy().into_owned()).collect()
            };
            demand_files(&at(path)).map(names).map_err(|error| error.kind())
        };
        assert_eq!(files("t").unwrap(), ["t/a.csv", "t/b.csv", "t/d.txt", "t/day=2/c.csv"]);
        assert_eq!(files("t/*.csv").unwrap(), ["t/a.csv", "t/b.csv"]);
        assert_eq!(files("t/**/*.csv").unwrap(), ["t/a.csv", "t/b.csv", "t/day=2/c.csv"]);
        assert_eq!(files("t/[ab].csv").unwrap(), ["t/a.csv", "t/b.csv"]);
        assert_eq!(files("t/b.csv").unwrap(), ["t/b.csv"]);
        // What is not there is found out when it is opened.
        assert_eq!(files("none.csv").unwrap(), ["none.csv"]);
        assert_eq!(files("empty"), Err(ErrorKind::Empty));
        assert_eq!(files("t/*.parquet"), Err(ErrorKind::Io));
        assert_eq!(files("t/["), Err(ErrorKind::Io));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;

            // Links to a file, to its folder, and one that is no link.
            symlink(at("t/a.csv"), at("t/z.csv")).unwrap();
            assert_eq!(files("t"), Err(ErrorKind::Io));
            assert_eq!(files("t/*.csv"), Err(ErrorKind::Io));
            assert_eq!(files("t/[bz].csv").unwrap(), ["t/b.csv", "t/z.csv"]);
            fs::remove_file(at("t/z.csv")).unwrap();
            symlink(at("t/day=2"), at("t/latest")).unwrap();
            assert_eq!(files("t"), Err(ErrorKind::Io));
            fs::remove_file(at("t/latest")).unwrap();
            fs::hard_link(at("t/a.csv"), at("t/z.csv")).unwrap();
            assert_eq!(files("t"), Err(ErrorKind::Io));
            fs::remove_file(at("t/z.csv")).unwrap();
            assert_eq!(files("t").unwrap().len(), 4);
            std::os::unix::net::UnixListener::bind(at("t/day=2/e.csv")).unwrap();
            assert_eq!(files("t"), Err(ErrorKind::Io));
        }
    }
}
