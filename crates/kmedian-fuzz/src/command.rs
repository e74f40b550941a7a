//! The command itself, with random options on small files.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use rand::{Rng, RngExt};

use crate::{mutate, samples};

/// Success, bad input, an exhausted budget, and Ctrl-C: the exit codes that the command documents.
const CODES: [i32; 4] = [0, 2, 3, 130];

/// Options of `fit`, `private` and others, with values that may suit them or not.
const OPTIONS: [&str; 44] = [
    "-k 2",
    "-k 0",
    "-k 2..4",
    "-k 99999999999",
    "--metric l1",
    "--metric angular",
    "--metric hamming",
    "--metric haversine",
    "--objective means",
    "--init greedy",
    "--init plusplus",
    "--init random",
    "--tree ball",
    "--tree frt",
    "--tree grid",
    "--search paper",
    "--swap best",
    "--alpha 0.1",
    "--effort fast",
    "--effort balanced",
    "--max-swaps 3",
    "--time-limit 0.01",
    "--restarts 1",
    "--seed 7",
    "--threads 2",
    "--json",
    "--graph",
    "--matrix",
    "--largest-component",
    "--header no",
    "--header yes",
    "--format csv",
    "--format parquet",
    "--format dimacs",
    "--id name",
    "--id 0",
    "--columns x,y",
    "--columns 1,2",
    "--weights w.txt",
    "--weights y",
    "--centers out.csv",
    "--labels out.parquet",
    "--levels 3",
    "--branching 1",
];

/// Options of `private` alone.
const PRIVATE: [&str; 14] = [
    "--epsilon 1",
    "--epsilon 0",
    "--epsilon inf",
    "--epsilon 1e-3",
    "--demand visits.csv",
    "--demand visits.parquet",
    "--key stop",
    "--key 1",
    "--unit user",
    "--max-per-unit 2",
    "--release out.json",
    "--method exact",
    "--method paper",
    "--demand-size 100",
];

/// The command, and a folder for its files.
pub(crate) struct Command {
    program: PathBuf,
    folder: PathBuf,
}

impl Command {
    /// The command that was built beside this program, if it was.
    pub(crate) fn find(folder: &Path) -> io::Result<Option<Self>> {
        let own = env::current_exe()?;
        let name = format!("kmedian{}", env::consts::EXE_SUFFIX);
        let mut near = own.ancestors().skip(1).take(2).map(|folder| folder.join(&name));
        let Some(program) = near.find(|path| path.is_file()) else {
            eprintln!("fuzz: the command is not built, so its options are left out");
            return Ok(None);
        };
        let folder = folder.join("command");
        fs::create_dir_all(&folder)?;
        Ok(Some(Self { program, folder }))
    }

    /// Runs it once, and says whether it succeeded; or what was wrong, and with which arguments.
    pub(crate) fn run(&self, rng: &mut dyn Rng) -> Result<bool, (String, Vec<u8>)> {
        let arguments = self.prepare(rng).map_err(|error| (error.to_string(), Vec::new()))?;
        let line = arguments.join(" ");
        let fail =
            |what: String| Err((format!("{what}: kmedian {line}"), line.clone().into_bytes()));
        let run = process::Command::new(&self.program)
            .args(&arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output();
        let run = match run {
            Ok(run) => run,
            Err(error) => return fail(error.to_string()),
        };
        let stderr = String::from_utf8_lossy(&run.stderr);
        let errors = stderr.lines().filter(|line| line.starts_with("error:")).count();
        let code = run.status.code();
        if stderr.contains("panicked at") || !code.is_some_and(|code| CODES.contains(&code)) {
            return fail(format!("ended with {code:?}, {stderr:?}"));
        }
        if errors > 1 || (code == Some(2)) != (errors == 1) {
            return fail(format!("{errors} errors with code {code:?}, {stderr:?}"));
        }
        Ok(code == Some(0))
    }

    /// Writes the files, one of them damaged at times, and draws options.
    fn prepare(&self, rng: &mut dyn Rng) -> io::Result<Vec<String>> {
        let mut files: [(&str, Vec<u8>); 6] = [
            ("points.csv", samples::table(rng, ',')),
            ("points.parquet", samples::parquet(rng)),
            ("graph.txt", samples::graph(rng, 0, "", "")),
            ("visits.csv", samples::visits(rng, ',')),
            ("visits.parquet", samples::parquet(rng)),
            ("w.txt", samples::numbers(rng, 1)),
        ];
        if rng.random() {
            let damaged = rng.random_range(0..files.len());
            mutate::damage(&mut files[damaged].1, rng);
        }
        for (name, content) in &files {
            fs::write(self.folder.join(name), content)?;
        }
        let private = rng.random_range(0..3u32) == 0;
        let command =
            if private { "private" } else { ["fit", "info"][rng.random_range(0..2usize)] };
        let mut line = format!("{command} {}", files[rng.random_range(0..3usize)].0);
        for _ in 0..rng.random_range(0..6u32) {
            line = format!("{line} {}", OPTIONS[rng.random_range(0..OPTIONS.len())]);
        }
        if private {
            for _ in 0..rng.random_range(2..7u32) {
                line = format!("{line} {}", PRIVATE[rng.random_range(0..PRIVATE.len())]);
            }
        }
        Ok(line.split(' ').map(str::to_owned).collect())
    }
}
