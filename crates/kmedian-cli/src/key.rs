//! `kmedian key`: makes keys that sign releases, each in a file of its own.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use kmedian::privacy::{PublicKey, SigningKey};

use crate::args::KeyCommand;
use crate::centers::about;
use crate::console::{self, warn};
use crate::failure::{DONE, Failure};

/// The most bytes that are read of a key's file: 64 KiB. A key has a few lines, so a longer file is
/// something else.
const LONGEST_KEY: u64 = 64 << 10;

pub(crate) fn run(command: &KeyCommand) -> Result<u8, Failure> {
    let KeyCommand::New { private, public } = command;
    let key = SigningKey::generate()?;
    let pem = key.public().to_pem()?;
    write_new(private, &key.to_pem()?, Secrecy::Secret)?;
    let shown = match public {
        Some(file) => {
            write_new(file, &pem, Secrecy::Public).inspect_err(|_| {
                // Do not leave a private key whose public key was not written.
                let _ = fs::remove_file(private);
            })?;
            format!("public key: {}\n", file.display())
        }
        None => pem,
    };
    let (id, private) = (key.public().id(), private.display());
    console::print(&format!("private key: {private}, to be kept secret\n{shown}id: {id}\n"))?;
    Ok(DONE)
}

/// Reads a private key, and warns if others can read it too.
pub(crate) fn read_private(file: &Path) -> Result<SigningKey, Failure> {
    let key = SigningKey::from_pem(&read(file)?).map_err(|error| about(file, &error))?;
    if others_can_read(file) {
        let file = file.display();
        warn(&format!("{file}: others can read this private key; `chmod 600` hides it"));
    }
    Ok(key)
}

pub(crate) fn read_public(file: &Path) -> Result<PublicKey, Failure> {
    PublicKey::from_pem(&read(file)?).map_err(|error| about(file, &error))
}

fn read(file: &Path) -> Result<String, Failure> {
    let io = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            about(file, &"there is no such key; make one with `kmedian key new`")
        }
        _ => about(file, &format!("the key cannot be read: {error}")),
    };
    let mut text = String::new();
    let opened = File::open(file).map_err(io)?;
    io::Read::read_to_string(&mut io::Read::take(opened, LONGEST_KEY), &mut text).map_err(io)?;
    Ok(text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    Secret,
    Public,
}

/// Writes a file that must not exist yet, and removes it if writing fails. On Unix, a secret is
/// never readable by others.
fn write_new(file: &Path, text: &str, secrecy: Secrecy) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if secrecy == Secrecy::Secret {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = secrecy;
    let mut out = options.open(file).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => about(
            file,
            &"there already is such a file, and a key is never overwritten; choose another name",
        ),
        _ => about(file, &format!("the key cannot be written: {error}")),
    })?;
    out.write_all(text.as_bytes()).and_then(|()| out.sync_all()).map_err(|error| {
        let _ = fs::remove_file(file);
        about(file, &format!("the key cannot be written: {error}"))
    })
}

#[cfg(unix)]
fn others_can_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}
