//! The one place where a panic of the Parquet library becomes an error.
//!
//! The library checks much of a damaged file and asserts the rest. What can be checked before is
//! checked before; this is for what is left. For a private table it matters twice: a panic would
//! print values of the file, and end a run whose budget is spent without a word to the caller.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use crate::error::{Error, ErrorKind};

thread_local! {
    /// Whether a panic of this thread is about to be caught here.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader, and makes an error of its panic.
pub(super) fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    keep_quiet_where_guarded();
    let before = GUARDED.replace(true);
    // What a reader was filling is dropped with its error: it is never seen half filled.
    let outcome = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    outcome.unwrap_or_else(|_| {
        let what = "is damaged and cannot be read as Parquet; write it again, or as CSV";
        Err(Error::new(ErrorKind::Format, path, what))
    })
}

/// Puts a hook before the one that is there: it is silent for panics that are caught here, and
/// hands on all others, of other threads too.
fn keep_quiet_where_guarded() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            // A thread that is ending has no such flag any more, and is not guarded.
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
