//! Whether an organization forbids runs without a ledger.

use std::env;

/// The environment variable that forbids private runs without a ledger.
pub const REQUIRE_LEDGER: &str = "KMEDIAN_REQUIRE_LEDGER";

/// Whether every private run needs a ledger: if the environment variable [`REQUIRE_LEDGER`] is set
/// to anything but `0` or an empty text. Ask this before anything private is read.
#[must_use]
pub fn is_required() -> bool {
    env::var_os(REQUIRE_LEDGER).is_some_and(|value| !value.is_empty() && value != "0")
}
