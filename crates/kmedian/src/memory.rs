//! How much memory there is to use.

use std::fs;

/// What is assumed to be free where the system does not say: 2 GiB.
const UNKNOWN: usize = 2 << 30;

/// The memory that a run takes by default for what it could also compute again, in bytes: half of what
/// the machine, or the container that the program runs in, has free. It changes how long a run takes,
/// never its result.
pub fn default_memory() -> usize {
    machine().into_iter().chain(container()).min().unwrap_or(UNKNOWN) / 2
}

/// The bytes that Linux says a new program can have without swapping.
fn machine() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The bytes that a container of Linux, if it has a limit, leaves.
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
    fn there_is_some_memory_to_use() {
        assert!(default_memory() > 1 << 20);
        assert!(!cfg!(target_os = "linux") || machine().is_some());
    }
}
