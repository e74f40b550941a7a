//! The one place where a panic of the Parquet library becomes an error.
//!
//! The library checks much of a damaged file, and panics at the rest. What can be checked before is
//! checked before; this is for what is left. It matters most for a private table: a panic would
//! print values of the file, and end a run whose budget is spent, without an error for the caller.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use crate::error::{Error, ErrorKind};

thread_local! {
    /// Whether a panic of this thread would be caught here.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader, and turns a panic of it into an error.
pub(super) fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    keep_quiet_where_guarded();
    let before = GUARDED.replace(true);
    // Whatever the reader had half filled is dropped with the error, so unwinding is safe.
    let outcome = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    outcome.unwrap_or_else(|_| {
        let what = "is damaged and cannot be read as Parquet; write it again, or as CSV";
        Err(Error::new(ErrorKind::Format, path, what))
    })
}

/// Installs a panic hook, once. It is silent for panics that are caught here, and passes all
/// others, including those of other threads, to the hook that was there before.
fn keep_quiet_where_guarded() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            // A thread that is ending has lost its flag, and is not guarded.
            if !GUARDED.try_with(Cell::get).unwrap_or(false) {
                others(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_here_and_a_panic_elsewhere() {
        let path = Path::new("a.parquet");
        let error = guarded::<()>(path, || panic!("offset + len out of bounds")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.to_string().starts_with("a.parquet: is damaged"), "{error}");
        assert_eq!(guarded(path, || Ok(7)), Ok(7));
        assert!(!GUARDED.get());
        assert!(std::thread::spawn(|| panic!("seen in the test's output")).join().is_err());
    }
}
