//! Signs the release, with a key that is read before any ε is spent.

use kmedian::privacy::{LedgerEntry, SigningKey};

use super::account::Account;
use crate::args::PrivateArgs;
use crate::failure::Failure;
use crate::key;

/// The key that signs the release; `None` if no signature was asked for.
pub(super) struct Signer(Option<SigningKey>);

impl Signer {
    pub(super) fn read(args: &PrivateArgs) -> Result<Self, Failure> {
        Ok(Self(args.sign.as_deref().map(key::read_private).transpose()?))
    }

    /// The signed document, or the document as it is if it cannot be signed, and whether that
    /// failed. A document is returned in any case, because it is paid for.
    pub(super) fn sign(
        &self,
        document: String,
        account: Option<&Account>,
    ) -> (String, Result<(), Failure>) {
        let Some(key) = &self.0 else { return (document, Ok(())) };
        let entry = account.map(Account::reservation).map(|reservation| LedgerEntry {
            dataset: reservation.dataset().to_owned(),
            number: reservation.number(),
            head: reservation.head().to_owned(),
        });
        match key.sign(&document, entry) {
            Ok(signed) => (signed + "\n", Ok(())),
            Err(error) => {
                let failure = Failure::from(error).and("the release is made, but not signed");
                (document, Err(failure))
            }
        }
    }

    /// The name of the key; `None` if no signature was asked for.
    pub(super) fn id(&self) -> Option<String> {
        self.0.as_ref().map(|key| key.public().id())
    }
}
