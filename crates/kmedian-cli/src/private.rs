//! `kmedian private`: from public items and private demand to centers that may be published.
//!
//! The order is what matters. All that can be wrong with the public part is found first. Then ε is reserved;
//! only after that are records counted. The release is written, and recorded, before centers are
//! derived from it: whatever goes wrong later, what was paid for is kept.

mod account;
mod demand;
mod derive;
mod diagnostics;
mod mechanism;
mod paper;
mod report;

use std::process::ExitCode;

use kmedian::Seed;
use kmedian::privacy::Entropy;
use serde_json::json;

use crate::args::{Ks, MethodArg, PrivateArgs};
use crate::console::{self, note};
use crate::failure::{Failure, INTERRUPTED};
use crate::outputs::Outputs;
use crate::progress::{Spinner, catch_interrupts, interrupted};
use crate::threads::in_threads;
use crate::universe::Universe;
use account::Account;
use demand::DemandFile;
pub(crate) use derive::derive;
use mechanism::{Mechanism, Released};
pub(crate) use report::{Report, Terms};

pub(crate) fn run(args: &PrivateArgs) -> Result<ExitCode, Failure> {
    check(args)?;
    in_threads(args.threads, || private(args))?
}

fn check(args: &PrivateArgs) -> Result<(), Failure> {
    if args.iterations.is_some() && args.method != MethodArg::Paper {
        let message = "--iterations is for --method paper; leave it out or take that";
        return Err(Failure::new(message));
    }
    let mut outputs = Outputs::beside([
        ("the universe", Some(args.universe.universe.as_path())),
        ("the demand", Some(args.demand.as_path())),
        ("the ledger", args.ledger.as_deref()),
    ]);
    outputs.file("--release", args.release.as_deref())?;
    outputs.table("--centers", args.centers.as_deref())?;
    match &args.release {
        Some(file) if file.exists() => Err(Failure::new(format!(
            "--release {}: there already is such a file, and a release is paid for; choose another name",
            file.display()
        ))),
        _ => Ok(()),
    }
}

fn private(args: &PrivateArgs) -> Result<ExitCode, Failure> {
    let universe = Universe::read(args.universe.source())?;
    let ks = Ks::of(args.k.as_ref(), &universe)?;
    let demand = DemandFile::find(args, &universe)?;
    catch_interrupts();
    let mut spinner = Spinner::new();
    let mechanism = Mechanism::prepare(args, &universe, &ks, &mut spinner)?;

    let account = Account::spend(args, &ks)?;
    spinner.say("counting the demand");
    let mut entropy = entropy(args);
    let demand = demand.read(&mut entropy)?;
    let released = mechanism.release(&universe, &demand.counts, &mut entropy, &mut spinner)?;
    let document = released.document();
    if let Some(file) = &args.release {
        kmedian_data::write_atomically(file, |out| out.write_all(document.as_bytes()))?;
    }
    let hash = released.hash();
    let recorded = account.as_ref().map_or(Ok(()), |account| account.record(&hash));

    let findings = released.findings(args, &universe, &ks, &mut spinner)?;
    drop(spinner);
    let report = Report {
        universe: &universe,
        objective: args.objective.into(),
        terms: released.terms(args),
        findings,
    };
    if let Some(file) = &args.centers {
        kmedian_data::write_table(file, &report.table())?;
    }
    let text = if args.json {
        let file = args.release.as_ref().map(|file| file.display().to_string());
        let entry = account.as_ref().map(Account::json);
        let more = json!({"release": {"file": file, "hash": hash}, "ledger": entry});
        report.json(Ks::is_single(args.k.as_ref()), &more)
    } else {
        let entry = account.as_ref().map_or_else(String::new, Account::line);
        let written = args
            .release
            .as_ref()
            .map_or_else(String::new, |file| format!("release: {}, {hash}\n", file.display()));
        report.text() + &written + &entry
    };
    console::print(&text)?;
    if args.release.is_none() && matches!(released, Released::Tree(_)) {
        note("without --release FILE nothing is kept that centers for another k could follow from");
    }
    if args.nonprivate_diagnostics {
        diagnostics::print(&report, &demand);
    }
    recorded?;
    Ok(if interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Where noise comes from: the operating system, unless the noise is asked not to be private.
fn entropy(args: &PrivateArgs) -> Entropy {
    match args.seeded_noise_not_private {
        None => Entropy::system(),
        Some(seed) => Entropy::seeded_not_private(Seed(seed)),
    }
}
