//! Completions, manual pages, `--quiet` and `NO_COLOR`.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::fs;

use common::Folder;

#[test]
fn every_shell_gets_a_script_that_knows_options_and_words() {
    let folder = Folder::new();
    for (shell, mark) in
        [("bash", "complete -F"), ("zsh", "#compdef kmedian"), ("fish", "complete -c kmedian")]
    {
        let output = folder.run(&format!("completions {shell}"));
        let script = output.stdout;
        assert!(output.code == Some(0) && script.contains(mark), "{shell}");
        for word in ["fit", "private", "max-per-unit", "haversine", "certified"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let output = folder.run("completions tcsh");
    assert_eq!((output.code, output.stderr.lines().count()), (Some(2), 1));
}

#[test]
fn bash_can_read_its_script() {
    let folder = Folder::new();
    folder.write("kmedian.bash", folder.run("completions bash").stdout);
    let mut bash = std::process::Command::new("bash");
    assert!(bash.arg("-n").arg(folder.path("kmedian.bash")).status().unwrap().success());
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = Folder::new();
    let output = folder.run("man pages/man1");
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let page = |name: &str| folder.read(&format!("pages/man1/{name}"));
    assert!(page("kmedian.1").contains(".TH kmedian"));
    assert!(page("kmedian-fit.1").contains("restarts"));
    assert!(page("kmedian-ledger-create.1").contains("budget"));
    let written = fs::read_dir(folder.path("pages/man1")).unwrap().count();
    assert!(output.stdout.starts_with(&format!("{written} pages")));
    // A file in the place of the folder.
    folder.write("taken", "x");
    let output = folder.run("man taken");
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.starts_with("error: taken: "), "{}", output.stderr);
}

#[test]
fn quiet_runs_have_no_notes_but_errors() {
    let folder = Folder::new();
    // A longitude before a latitude is put in order, with a note.
    folder.write("towns.csv", "name,lon,lat\na,4,52\nb,5,51\nc,6,53\n");
    let fit = "fit towns.csv --metric haversine --id name -k 2";
    let loud = folder.run(fit);
    assert!(loud.stderr.contains("note: "), "{}", loud.stderr);
    for quiet in [format!("{fit} --quiet"), format!("--quiet {fit}")] {
        let output = folder.run(&quiet);
        assert_eq!(output.stderr, "");
        assert!(output.stdout.contains("distance to the center"));
    }
    let failed = folder.run("fit nowhere.csv -k 2 --quiet");
    assert_eq!((failed.code, failed.stderr.lines().count()), (Some(2), 1));
}

#[test]
fn no_color_is_obeyed() {
    let folder = Folder::new();
    let help = |no_color: bool| {
        let mut run = folder.command("help fit");
        run.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
        if no_color {
            run.env("NO_COLOR", "1");
        }
        String::from_utf8(run.output().unwrap().stdout).unwrap()
    };
    assert!(help(false).contains('\u{1b}'), "help has colors where they are wanted");
    assert!(!help(true).contains('\u{1b}'));
}
