//! `kmedian completions` and `kmedian man`: what a shell and `man` know of the command.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::{Shell as Completed, generate};

use crate::args::{Args, CompletionsArgs, ManArgs, Shell};
use crate::console;
use crate::failure::{DONE, Failure};

/// Prints the script for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    let shell = match args.shell {
        Shell::Bash => Completed::Bash,
        Shell::Zsh => Completed::Zsh,
        Shell::Fish => Completed::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut Args::command(), "kmedian", &mut script);
    console::print(&String::from_utf8_lossy(&script))?;
    Ok(DONE)
}

/// Writes the manual pages: `kmedian.1`, and one for each command, such as `kmedian-fit.1`.
pub(crate) fn man(args: &ManArgs) -> Result<u8, Failure> {
    let folder = &args.folder;
    let failed =
        |error| Failure::new(format!("{}: cannot be written to: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    let written = write_pages(&command, folder)?;
    console::print(&format!(
        "{written} pages; to read one: man -l {}\n",
        folder.join("kmedian.1").display()
    ))?;
    Ok(DONE)
}

/// Writes the page of a command and those of its commands. Returns how many there are.
fn write_pages(command: &clap::Command, folder: &Path) -> Result<usize, Failure> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    let file = folder.join(man.get_filename());
    man.render(&mut page)?;
    kmedian_data::write_atomically(&file, |out| out.write_all(&page))?;
    let mut written = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        written += write_pages(below, folder)?;
    }
    Ok(written)
}
