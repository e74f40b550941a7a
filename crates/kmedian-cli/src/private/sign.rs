//! Signing what is released, with a key that was read before any ε is spent.

use kmedian::privacy::{LedgerEntry, SigningKey};

use super::account::Account;
use crate::args::PrivateArgs;
use crate::failure::Failure;
use crate::key;

/// Signs the release, if that is asked for.
pub(super) struct Signer(Option<SigningKey>);

impl Signer {
    pub(super) fn read(args: &PrivateArgs) -> Result<Self, Failure> {
        Ok(Self(args.sign.as_deref().map(key::read_private).transpose()?))
    }

    /// The signed document; the document as it is if it cannot be signed: it is paid for.
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

    /// The name of the key.
    pub(super) fn id(&self) -> Option<String> {
        self.0.as_ref().map(|key| key.public().id())
    }
}
