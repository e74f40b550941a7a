//! Runs the real command in a folder of its own, so that messages name files without their paths.

#![allow(dead_code)] // Every test file compiles this module for itself and uses its part of it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use tempfile::TempDir;

/// What a run left behind.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The JSON on standard output of a run that succeeded, as it was printed.
    pub fn document(&self) -> Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The JSON on standard output of a run that succeeded. Of fits, what is said of all is said of
    /// each: one object for one k, an array for several.
    pub fn json(&self) -> Value {
        let document = self.document();
        match document.get("fits").and_then(Value::as_array) {
            Some(fits) if fits.len() == 1 => with_all(&document, &fits[0]),
            Some(fits) => fits.iter().map(|fit| with_all(&document, fit)).collect(),
            None => document,
        }
    }

    /// The JSON that was printed, without the times, the only part that may differ between runs, and
    /// without the suggested k, which depends on the others that were asked for.
    pub fn timeless(&self) -> Value {
        let mut value = self.json();
        let fits = match &mut value {
            Value::Array(fits) => fits.iter_mut().collect(),
            fit => vec![fit],
        };
        for fit in fits {
            let fit = fit.as_object_mut().unwrap();
            assert!(fit.remove("seconds").is_some());
            fit.remove("suggested_k");
            fit.remove("suggested_because");
        }
        value
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A temporary folder with files, in which the command runs.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with text files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, content) in files {
            folder.write(name, content);
        }
        folder
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command with its arguments, which are separated by blanks.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(kmedian());
        command.current_dir(self.0.path()).args(args.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end.
    pub fn run(&self, args: &str) -> Outcome {
        self.command(args).output().unwrap().into()
    }

    /// The JSON of a `fit` that succeeds.
    pub fn fit(&self, args: &str) -> Value {
        self.run(&format!("fit --json {args}")).json()
    }
}

/// The JSON of a private run for one k, without all that noise decides; null if it is no JSON.
pub fn without_noise(stdout: &str) -> Value {
    let noisy = [
        "centers",
        "center_indices",
        "estimated_cost",
        "estimated_sizes",
        "estimated_service",
        "estimated_cost_interval",
        "estimated_size_intervals",
        "data_free_estimated_cost",
        "advantage_interval",
        "advantage_is_clear",
        "stop",
    ];
    let mut found: Value = serde_json::from_str(stdout).unwrap_or(Value::Null);
    if found.is_object() {
        found["release"] = Value::Null;
        for name in noisy {
            found["fits"][0][name] = Value::Null;
        }
    }
    found
}

/// A fit with the members that the document has for all of them.
pub fn with_all(document: &Value, fit: &Value) -> Value {
    let mut object = fit.clone();
    for (name, value) in document.as_object().unwrap().iter().filter(|(name, _)| *name != "fits") {
        if name == "seconds" {
            object[name]["load"] = value["load"].clone();
        } else {
            object[name] = value.clone();
        }
    }
    object
}

/// Exit code 2, one line of error, silence on standard output, and no file more than before.
pub fn refused(folder: &Folder, args: &str, parts: &[&str]) {
    refused_with(folder, 2, args, parts);
}

/// A given exit code, one line of error, silence on standard output, and no file more than before.
pub fn refused_with(folder: &Folder, code: i32, args: &str, parts: &[&str]) {
    let before = folder.names();
    let run = folder.run(args);
    assert_eq!(run.code, Some(code), "{args}: {run:?}");
    assert_eq!(run.stdout, "", "{args}");
    assert_eq!(folder.names(), before, "{args}");
    // Notes are shown once the work has begun, which some errors come after.
    let mut lines = run.stderr.lines().skip_while(|line| line.starts_with("note: "));
    let error = lines.next().unwrap_or_default();
    assert!(error.starts_with("error: "), "{args}: {run:?}");
    assert_eq!(lines.next(), None, "{args}: {run:?}");
    for part in parts {
        assert!(error.contains(part), "{args}: `{part}` is not in: {error}");
    }
}

/// The command under test.
pub fn kmedian() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_kmedian"))
}

/// The gzip form of some bytes.
pub fn gzip(content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Numbers that look random and are the same on every machine.
pub struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A whole number from 0 to `below` - 1. Knuth's MMIX constants; the high bits are the good
    /// ones.
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A CSV file of `n` points in the plane with coordinates from 1 to 80, which are latitudes and
/// longitudes as well, and directions.
pub fn plane(n: usize, seed: u64) -> String {
    let mut random = Lcg::new(seed);
    let mut text = String::from("x,y\n");
    for _ in 0..n {
        let mut coordinate = || 1.0 + random.below(79_000) as f64 / 1000.0;
        let (x, y) = (coordinate(), coordinate());
        writeln!(text, "{x},{y}").unwrap();
    }
    text
}

/// A connected edge list of `n` nodes: a path, and as many chords.
pub fn network(n: usize, seed: u64) -> String {
    let mut random = Lcg::new(seed);
    let mut text = String::new();
    for node in 1..n {
        writeln!(text, "{} {node} {}", node - 1, 1 + random.below(9)).unwrap();
        let other = random.below(n as u64) as usize;
        if other != node {
            writeln!(text, "{other} {node} {}", 5 + random.below(50)).unwrap();
        }
    }
    text
}

/// The matrix of the distances in the plane between the points of [`plane`].
pub fn distances(points: &str) -> String {
    let points: Vec<[f64; 2]> = points
        .lines()
        .skip(1)
        .map(|line| {
            let (x, y) = line.split_once(',').unwrap();
            [x.parse().unwrap(), y.parse().unwrap()]
        })
        .collect();
    let mut text = String::new();
    for a in &points {
        let row: Vec<String> =
            points.iter().map(|b| (a[0] - b[0]).hypot(a[1] - b[1]).to_string()).collect();
        writeln!(text, "{}", row.join(",")).unwrap();
    }
    text
}

/// A CSV file of `n` named stops in the plane.
pub fn stops(n: usize) -> String {
    let mut text = String::from("stop,x,y\n");
    for (number, line) in plane(n, 5).lines().skip(1).enumerate() {
        writeln!(text, "s{number},{line}").unwrap();
    }
    text
}

/// A CSV file of private visits to the first `stops` stops: three a user, and some to stops that do
/// not exist.
pub fn visits(records: usize, stops: u64) -> String {
    let mut random = Lcg::new(9);
    let mut text = String::from("user,stop\n");
    for record in 0..records {
        let stop = random.below(stops);
        writeln!(text, "u{},s{stop}", record / 3).unwrap();
    }
    text + "u0,atlantis\nu1,atlantis\n"
}
