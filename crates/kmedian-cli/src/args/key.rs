//! The options of `kmedian key` and `kmedian verify`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

const KEY_EXAMPLES: &str = "\
Examples:
  kmedian key new release.key --public release.pub
  kmedian private ... --release trips.release.json --sign release.key
  kmedian verify trips.release.json --key release.pub

Keys are Ed25519 in PEM, which OpenSSL reads too. Keep the private one secret: whoever has it can sign. Publish the
public one where nobody can replace it.";

#[derive(ClapArgs)]
#[command(after_help = KEY_EXAMPLES, arg_required_else_help = false)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
}

#[derive(Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a new key from random bits of the operating system
    New {
        /// Where to write the private key; it must not exist, and is for your eyes alone
        #[arg(value_name = "KEYFILE")]
        private: PathBuf,
        /// Where to write the public key; it must not exist [default: print it]
        #[arg(long, value_name = "PUBFILE")]
        public: Option<PathBuf>,
    },
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  kmedian verify trips.release.json --key release.pub
  kmedian verify trips.release.json --key release.pub --json

Exit code 0 if the release was signed with that key and was not changed since, 2 if not. The head that is printed
was that of the ledger when the epsilon was spent: `kmedian ledger verify FILE --expect HEAD`.";

#[derive(ClapArgs)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// What `kmedian private --release --sign` wrote
    pub(crate) release: PathBuf,
    /// The public key of who signs: what `kmedian key new --public` wrote
    #[arg(long, value_name = "PUBFILE")]
    pub(crate) key: PathBuf,
    /// Print what was signed as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
