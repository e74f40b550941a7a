//! Checks where results will be written, before any work is done: outputs must be writable, and
//! must overwrite neither the inputs nor each other.

use std::ffi::OsStr;
use std::path::{self, Path, PathBuf};

use crate::failure::Failure;

/// How the names of pages end.
pub(crate) const PAGE: &[&str] = &["html", "htm"];

/// How the names of maps end.
pub(crate) const MAP: &[&str] = &["geojson", "json"];

/// The files that a command reads or will write, which no other output may overwrite.
pub(crate) struct Outputs<'a> {
    taken: Vec<(String, &'a Path)>,
}

impl<'a> Outputs<'a> {
    /// Begins with the files that are read, each with its name in a message.
    pub(crate) fn beside<const N: usize>(inputs: [(&str, Option<&'a Path>); N]) -> Self {
        let named = |(what, file): (&str, Option<&'a Path>)| Some((what.to_owned(), file?));
        Self { taken: inputs.into_iter().filter_map(named).collect() }
    }

    /// Adds a file that is read.
    pub(crate) fn input(&mut self, what: &str, file: &'a Path) {
        self.taken.push((what.to_owned(), file));
    }

    /// Adds a file for a table, if the option was given, and checks that it can be written.
    pub(crate) fn table(&mut self, option: &str, file: Option<&'a Path>) -> Result<(), Failure> {
        let Some(file) = file else { return Ok(()) };
        refuse_standard_output(option, file)?;
        kmedian_data::check_table_path(file)?;
        self.take(option, file)
    }

    /// Adds a file of any kind, if the option was given, and checks that it can be written.
    pub(crate) fn file(&mut self, option: &str, file: Option<&'a Path>) -> Result<(), Failure> {
        let Some(file) = file else { return Ok(()) };
        refuse_standard_output(option, file)?;
        kmedian_data::check_output_path(file)?;
        self.take(option, file)
    }

    /// Adds a file whose name must end in one of `endings`, the first of which is usual, if the
    /// option was given, and checks that it can be written.
    pub(crate) fn named(
        &mut self,
        option: &str,
        file: Option<&'a Path>,
        endings: &[&str],
    ) -> Result<(), Failure> {
        self.file(option, file)?;
        let Some(file) = file else { return Ok(()) };
        let ending = file.extension().map(OsStr::to_ascii_lowercase);
        if ending.is_some_and(|ending| endings.iter().any(|&known| ending == *known)) {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{option} {}: what is written there is {}; give a name that ends in .{}",
            file.display(),
            endings[0].to_uppercase(),
            endings.join(" or .")
        )))
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

/// Refuses `-`, which elsewhere stands for standard output: what a command reports is there.
fn refuse_standard_output(option: &str, file: &Path) -> Result<(), Failure> {
    if file.as_os_str() != "-" {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{option} -: standard output is for the report; give the name of a file"
    )))
}

/// Whether two paths lead to the same file, also through symbolic and hard links. The file need not
/// exist.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    real_path(a).is_some_and(|a| real_path(b) == Some(a)) || hard_linked(a, b)
}

/// Whether two paths are hard links to the same file, or the same path.
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

/// The absolute path without symbolic links and `..`; its last part need not exist. `None` if its
/// folder does not exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    let path = path::absolute(path).ok()?;
    path.canonicalize()
        .ok()
        .or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}
