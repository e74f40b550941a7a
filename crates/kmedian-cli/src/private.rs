//! `kmedian private`: finds centers that may be published, for public items and private demand.
//!
//! The order of the steps is what matters. First, everything that can be wrong with the public part
//! is found. Then ε is spent in the ledger. Only after that are the records counted. The release is
//! written, and recorded in the ledger, before centers are derived from it: whatever goes wrong
//! later, what was paid for is kept.

mod account;
mod demand;
mod derive;
mod diagnostics;
mod dry_run;
mod mechanism;
mod page;
mod report;
mod sign;

use std::path::{Path, PathBuf};

use kmedian::Seed;
use kmedian::privacy::{Entropy, sha256};
use kmedian_data::{PrivateDemand, ReservedFile, demand_files};
use serde_json::json;

use crate::args::{Ks, PrivateArgs, Search};
use crate::console::{self, note};
use crate::failure::{DONE, Failure, INTERRUPTED};
use crate::geojson;
use crate::outputs::{MAP, Outputs, PAGE, same_file};
use crate::pictures::Pictures;
use crate::progress::{Spinner, catch_interrupts, interrupted, say_before_the_end};
use crate::threads::in_threads;
use crate::universe::Universe;
use account::Account;
use demand::DemandFile;
pub(crate) use derive::derive;
use mechanism::{Mechanism, Released};
pub(crate) use page::write as write_page;
pub(crate) use report::{Report, Terms};
use sign::Signer;

/// The most swaps of the paper's search: more would never end.
const MOST_ITERATIONS: usize = 1_000_000;

pub(crate) fn run(args: &PrivateArgs) -> Result<u8, Failure> {
    check(args)?;
    in_threads(args.run.threads, || private(args))?
}

fn check(args: &PrivateArgs) -> Result<(), Failure> {
    Account::check(args)?;
    if args.iterations.is_some_and(|iterations| iterations > MOST_ITERATIONS) {
        let message = format!("--iterations: at most {MOST_ITERATIONS}; 20 is the paper's number");
        return Err(Failure::new(message));
    }
    if args.iterations.is_some() && args.method.method().is_some() {
        let message = "--iterations is for --method paper; leave it out or take that";
        return Err(Failure::new(message));
    }
    let files = demand_files(&args.demand)?;
    if files.iter().any(|file| same_file(&args.universe.universe, file)) {
        return Err(Failure::new(format!(
            "--demand {}: is the universe itself, which is public; if its rows are private records, the items are \
             too, and nothing here protects them: give a list of items that does not depend on them",
            args.demand.display()
        )));
    }
    let mut outputs = Outputs::beside([
        ("the universe", Some(args.universe.universe.as_path())),
        ("the ledger", args.ledger.as_deref()),
        ("the key", args.sign.as_deref()),
    ]);
    files.iter().for_each(|file| outputs.input("the demand", file));
    outputs.file("--release", args.release.as_deref())?;
    outputs.table("--centers", args.out.centers.as_deref())?;
    outputs.named("--geojson", args.out.geojson.as_deref(), MAP)?;
    outputs.named("--report", args.out.report.as_deref(), PAGE)?;
    match &args.release {
        Some(file) if file.exists() => Err(Failure::new(format!(
            "--release {}: there already is such a file, and a release is paid for; choose another name",
            file.display()
        ))),
        _ => Ok(()),
    }
}

fn private(args: &PrivateArgs) -> Result<u8, Failure> {
    let search = search(args)?;
    let signer = Signer::read(args)?;
    let universe = Universe::read(args.source())?;
    universe.check_metric("a private release")?;
    let ks = Ks::of(args.out.k.as_ref(), &universe)?;
    if args.out.geojson.is_some() {
        geojson::check(&universe)?;
    }
    let pictures = Pictures::of(&universe, args.out.image_shape)?;
    let demand = DemandFile::find(args, &universe)?;
    if args.dry_run {
        return dry_run::run(&universe, &demand).map(|()| DONE);
    }
    catch_interrupts();
    let mut spinner = Spinner::new();
    let mechanism = Mechanism::prepare(args, &universe, &ks, &mut spinner.run())?;

    // A release that is paid for must not be lost to a full disk or to another run with its name.
    let room = args.release.as_deref().map(|file| ReservedFile::create(file, mechanism.room()));
    let room = room.transpose()?;
    let account = Account::spend(args, &ks)?;
    // Counting cannot be cut short. A signal during it ends the run at once, and its ε is spent.
    let stopped = Failure::new("stopped while the demand was counted; nothing was released");
    say_before_the_end(Account::stays_spent(account.as_ref(), stopped).message().to_owned());
    let (released, private_demand) = release(args, &universe, &demand, mechanism, &mut spinner)
        .map_err(|failure| Account::stays_spent(account.as_ref(), failure))?;
    catch_interrupts();
    let (document, signed) = signer.sign(released.document(), account.as_ref());
    let hash = sha256(&document);
    // If the release cannot be kept, that is reported at the end: the centers are printed first.
    let kept =
        keep(room, &document, &hash, account.as_ref()).and_then(|file| signed.map(|()| file));

    let (objective, terms) = (args.goal.objective, released.terms(args));
    let shown =
        released.findings(args, &search, &universe, &ks, &mut spinner.run()).and_then(|findings| {
            drop(spinner);
            let report = Report { universe: &universe, objective, terms, findings };
            if args.nonprivate_diagnostics {
                diagnostics::print(&report, &private_demand);
            }
            if let Some(file) = &args.out.centers {
                kmedian_data::write_table(file, &report.table())?;
            }
            if let Some(file) = &args.out.geojson {
                geojson::write(file, &universe, &report.shown())?;
            }
            if let Some(file) = &args.out.report {
                page::write(file, &args.universe.universe, &pictures, &report)?;
            }
            let file = kept.as_ref().ok().and_then(|file| file.as_deref());
            let (account, key) = (account.as_ref(), signer.id());
            Ok(console::print(&text(args, &report, file, (&hash, key), account))?)
        });
    let ended = match (kept, shown) {
        (Ok(kept), shown) => shown.map_err(|failure| failure.and(&what_is_left(kept.as_deref()))),
        (Err(lost), Ok(())) => Err(lost),
        (Err(lost), Err(failure)) => Err(failure.and(lost.message())),
    };
    ended.map_err(|failure| Account::stays_spent(account.as_ref(), failure))?;
    if args.release.is_none() && matches!(released, Released::Tree(_)) {
        note("without --release FILE nothing is kept that centers for another k could follow from");
    }
    Ok(if interrupted() { INTERRUPTED } else { DONE })
}

/// How centers are searched for in the release. The options are refused for the paper's search: it
/// looks at the demand, so its number of swaps must be fixed by --iterations, not by a clock.
fn search(args: &PrivateArgs) -> Result<Search, Failure> {
    match (args.search.any_given(), args.method.method()) {
        (Some(option), None) => Err(Failure::new(format!(
            "{option} is for --method refined, which searches in what is released; --method paper searches in the \
             demand itself, so that its swaps are counted beforehand: give --iterations"
        ))),
        (_, method) => args.search.checked_for(method.unwrap_or_default()),
    }
}

/// Where the release is of a run that failed after it was made, in words.
fn what_is_left(kept: Option<&Path>) -> String {
    match kept {
        Some(file) => format!("the release is in {}: see `kmedian help centers`", file.display()),
        None => "the release is lost; give --release FILE, and it is kept whatever happens".into(),
    }
}

/// Counts the demand and releases it. This is the only part of the command that sees a record.
fn release(
    args: &PrivateArgs,
    universe: &Universe,
    demand: &DemandFile<'_>,
    mechanism: Mechanism,
    spinner: &mut Spinner,
) -> Result<(Released, PrivateDemand), Failure> {
    spinner.say("counting the demand");
    let mut entropy = entropy(args);
    let private_demand = demand.read(&mut entropy)?;
    let released =
        mechanism.release(universe, &private_demand.counts, &mut entropy, &mut spinner.run())?;
    Ok((released, private_demand))
}

/// Writes the release into the file that was reserved for it, and records its hash in the ledger.
/// Returns the path of the file, `None` if none was asked for.
fn keep(
    room: Option<ReservedFile>,
    document: &str,
    hash: &str,
    account: Option<&Account>,
) -> Result<Option<PathBuf>, Failure> {
    let kept = room.map(|room| room.write(document.as_bytes())).transpose()?;
    account.map_or(Ok(()), |account| account.record(hash)).map(|()| kept)
}

fn text(
    args: &PrivateArgs,
    report: &Report<'_>,
    file: Option<&Path>,
    (hash, key): (&str, Option<String>),
    account: Option<&Account>,
) -> String {
    let file = file.map(|file| file.display().to_string());
    if args.run.json {
        let entry = account.map(Account::json);
        let more =
            json!({"release": {"file": file, "hash": hash, "signed_with": key}, "ledger": entry});
        return report.json(&more);
    }
    let mut written = file.map(|file| format!("release: {file}, {hash}\n")).unwrap_or_default();
    written += &key.map(|key| format!("signed with {key}\n")).unwrap_or_default();
    report.text() + &written + &account.map(Account::line).unwrap_or_default()
}

/// Where noise comes from: the operating system, unless seeded noise that is not private was asked
/// for.
fn entropy(args: &PrivateArgs) -> Entropy {
    match args.seeded_noise_not_private {
        None => Entropy::system(),
        Some(seed) => Entropy::seeded_not_private(Seed(seed)),
    }
}
