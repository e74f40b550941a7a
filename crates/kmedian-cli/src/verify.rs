//! `kmedian verify`: checks that a release was signed with a key, and shows what was signed.

use kmedian::privacy::{LedgerEntry, Signature, Statement};
use serde_json::{Value, json};

use crate::args::VerifyArgs;
use crate::centers::{about, read_text};
use crate::console;
use crate::failure::{DONE, Failure, plain};
use crate::key::read_public;

pub(crate) fn run(args: &VerifyArgs) -> Result<u8, Failure> {
    let key = read_public(&args.key)?;
    let text = read_text(&args.release)?;
    let statement = key.verify(&text).map_err(|error| about(&args.release, &error))?;
    let shown = if args.json {
        let mut object = json!({"key": key.id()});
        object["statement"] = statement_object(&statement);
        format!("{object:#}\n")
    } else {
        format!(
            "{}: verified, unchanged since it was signed with {}: {}\n",
            args.release.display(),
            key.id(),
            terms(&statement)
        )
    };
    console::print(&shown)?;
    Ok(DONE)
}

/// What a document claims about its signature, as a line of text. The signature is not checked.
pub(crate) fn claim_line(claimed: Option<&Signature>) -> String {
    let Some(Signature { statement, key, .. }) = claimed else {
        return "not signed\n".to_owned();
    };
    let (terms, key) = (terms(statement), plain(key));
    format!("said to be signed with {key}: {terms}; `kmedian verify` checks it\n")
}

pub(crate) fn claim_object(claimed: Option<&Signature>) -> Value {
    let of = |claimed: &Signature| {
        let mut object = json!({"checked": false, "key": claimed.key});
        object["statement"] = statement_object(&claimed.statement);
        object
    };
    claimed.map_or(Value::Null, of)
}

fn terms(statement: &Statement) -> String {
    let Statement { private, epsilon, unit, max_per_unit, neighbours, ledger, .. } = statement;
    let unit = match unit.as_str() {
        "owner" => format!("an owner of at most {max_per_unit} records"),
        unit => format!("one {}", plain(unit)),
    };
    let paid = match ledger {
        Some(LedgerEntry { dataset, number, head }) => {
            format!("entry {number} of {}, ledger head {}", plain(dataset), plain(head))
        }
        None => "no ledger".to_owned(),
    };
    let (epsilon, neighbours) = (plain(epsilon), plain(neighbours));
    let warning = if *private { "" } else { "NOT PRIVATE, " };
    format!("{warning}ε = {epsilon} for {unit} ({neighbours}), {paid}")
}

fn statement_object(statement: &Statement) -> Value {
    let Statement { content, private, epsilon, unit, max_per_unit, neighbours, ledger } = statement;
    let ledger = ledger.as_ref().map(|LedgerEntry { dataset, number, head }| {
        json!({"dataset": dataset, "entry": number, "head": head})
    });
    json!({
        "content": content,
        "private": private,
        "epsilon": epsilon,
        "unit": unit,
        "max_per_unit": max_per_unit,
        "neighbours": neighbours,
        "ledger": ledger,
    })
}
