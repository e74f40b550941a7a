//! The kmedian command.
fn main() {}
