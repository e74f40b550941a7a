//! `cargo xtask docs`: the documents as a site, with warnings as errors.

use std::process::Command;

use crate::python;
use crate::root;
use crate::venv::{run_or, target};

/// Builds the site into `target/site`: puts its pages together, help texts of the command and
/// docstrings of the package among them, and runs Sphinx on them. A link that leads nowhere and a
/// page that no other leads to are errors.
pub(crate) fn build() -> Result<(), String> {
    let (target, site) = (target()?, root().join("site"));
    let (pages, built) = (target.join("pages"), target.join("site"));
    let (python, command) = python::installed()?;

    let mut assemble = Command::new(&python);
    assemble.arg(site.join("assemble.py")).arg(&pages).arg(&command);
    run_or(&mut assemble, "the pages of the site could not be put together")?;
    let mut sphinx = Command::new(&python);
    sphinx.args(["-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "-c"]).arg(&site);
    sphinx.arg(&pages).arg(&built);
    run_or(&mut sphinx, "the site has warnings")?;
    println!("xtask: the site is {}", built.join("index.html").display());
    Ok(())
}
