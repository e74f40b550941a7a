//! How much memory there is to use.

use std::fs;

use crate::{Error, ErrorKind, Halt};

/// The bytes of memory that are assumed to be free where the system does not say: 2 GiB, which a
/// machine of today has.
const UNKNOWN: usize = 2 << 30;

/// What a search may use: memory, and time until it is halted.
#[derive(Debug, Clone)]
pub(crate) struct Means {
    pub(crate) halt: Halt,
    /// The bytes that may be taken for what could also be computed again.
    pub(crate) memory: usize,
}

/// The memory that a search takes by default for what it could also compute again, in bytes: half
/// of what the machine, or the container that the program runs in, has free.
///
/// It changes how long a search takes, never what it finds.
pub fn default_memory() -> usize {
    machine().into_iter().chain(container()).min().unwrap_or(UNKNOWN) / 2
}

/// Units of memory and their bytes, in lower case; a number without one counts bytes.
const UNITS: [(&str, f64); 10] = [
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("b", 1.0),
    ("", 1.0),
];

/// The number of bytes of a size as people write it. A number without a unit counts bytes; upper
/// and lower case are the same.
///
/// ```
/// assert_eq!(kmedian::memory_size("2GiB")?, 2 << 30);
/// assert_eq!(kmedian::memory_size("1.5 GB")?, 1_500_000_000);
/// # Ok::<(), kmedian::Error>(())
/// ```
///
/// # Errors
/// If the text is no number from zero on, alone or with one of the units B, kB, MB, GB, TB, KiB,
/// MiB, GiB and TiB; or if it is more than memory can have addresses for.
pub fn memory_size(text: &str) -> Result<usize, Error> {
    let size = text.trim().to_ascii_lowercase();
    let at = size.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(size.len());
    let (number, unit) = size.split_at(at);
    let number = number.trim().parse::<f64>().ok();
    let unit = UNITS.iter().find(|(name, _)| *name == unit);
    match number.zip(unit).map(|(number, (_, bytes))| number * bytes) {
        Some(size) if (0.0..usize::MAX as f64).contains(&size) => Ok(size as usize),
        _ => {
            let what = format!("`{text}` is no size of memory; give one such as 2GiB or 500MB");
            Err(Error::new(ErrorKind::Parameter, what))
        }
    }
}

/// The bytes that Linux says a new program can have without swapping.
fn machine() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The bytes that the Linux container (control group) of this program leaves, if it has a limit.
fn container() -> Option<usize> {
    let read = |name: &str| -> Option<usize> {
        let text = fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok()?;
        text.trim().parse().ok()
    };
    Some(read("max")?.saturating_sub(read("current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, size) in
            [(" 500mb ", 500_000_000), ("1000000", 1_000_000), ("8 KiB", 8192), ("0", 0), ("7b", 7)]
        {
            assert_eq!(memory_size(text), Ok(size), "{text}");
        }
        for text in ["", "GiB", "2 G", "-1MB", "nan", "1e99TB", "2 GiB!", "1_000"] {
            assert!(memory_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn there_is_some_memory_to_use() {
        assert!(default_memory() > 1 << 20);
        assert!(!cfg!(target_os = "linux") || machine().is_some());
    }
}
