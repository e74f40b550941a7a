//! Where results will be written, checked before any work is done: outputs must be writable, and
//! must overwrite neither the inputs nor each other.

use std::path::{self, Path, PathBuf};

use crate::failure::Failure;

/// The files that are spoken for.
pub(crate) struct Outputs<'a> {
    taken: Vec<(String, &'a Path)>,
}

impl<'a> Outputs<'a> {
    /// Begins with the files that are read.
    pub(crate) fn beside<const N: usize>(inputs: [(&str, Option<&'a Path>); N]) -> Self {
        let named = |(what, file): (&str, Option<&'a Path>)| Some((what.to_owned(), file?));
        Self { taken: inputs.into_iter().filter_map(named).collect() }
    }

    /// Takes a file for a table, if one is asked for.
    pub(crate) fn table(&mut self, option: &str, file: Option<&'a Path>) -> Result<(), Failure> {
        let Some(file) = file else { return Ok(()) };
        kmedian_data::check_table_path(file)?;
        self.take(option, file)
    }

    /// Takes a file for anything else, if one is asked for.
    pub(crate) fn file(&mut self, option: &str, file: Option<&'a Path>) -> Result<(), Failure> {
        let Some(file) = file else { return Ok(()) };
        kmedian_data::check_output_path(file)?;
        self.take(option, file)
    }

    fn take(&mut self, option: &str, file: &'a Path) -> Result<(), Failure> {
        if let Some((what, _)) = self.taken.iter().find(|(_, other)| same_file(file, other)) {
            let file = file.display();
            return Err(Failure::new(format!(
                "{option} {file}: would overwrite {what}; choose another name"
            )));
        }
        self.taken.push((format!("what {option} writes"), file));
        Ok(())
    }
}

/// Whether two paths lead to one file, be it there or not, also by links.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    real_path(a).is_some_and(|a| real_path(b) == Some(a)) || hard_linked(a, b)
}

/// Whether two names are of one file: a hard link has a path of its own.
#[cfg(unix)]
fn hard_linked(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &Path| path.metadata().ok().map(|data| (data.dev(), data.ino()));
    inode(a).is_some_and(|a| inode(b) == Some(a))
}

#[cfg(not(unix))]
fn hard_linked(_: &Path, _: &Path) -> bool {
    false
}

/// The path without links and detours; the last part of it need not exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    let path = path::absolute(path).ok()?;
    path.canonicalize()
        .ok()
        .or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}
