//! `kmedian centers`: derives centers for any k from a release, without spending further ε.

use std::path::Path;
use std::{fs, io};

use kmedian::privacy::{PrivateTree, Signature};
use serde_json::json;

use crate::args::{CentersArgs, Ks};
use crate::console;
use crate::failure::{DONE, Failure, INTERRUPTED};
use crate::geojson;
use crate::outputs::{MAP, Outputs, PAGE};
use crate::pictures::Pictures;
use crate::private::{Report, Terms, derive, write_page};
use crate::progress::{Spinner, catch_interrupts, interrupted};
use crate::threads::in_threads;
use crate::universe::Universe;
use crate::verify::{claim_line, claim_object};

pub(crate) fn run(args: &CentersArgs) -> Result<u8, Failure> {
    let mut outputs = Outputs::beside([
        ("the release", Some(args.release.as_path())),
        ("the universe", Some(args.universe.as_path())),
    ]);
    outputs.table("--centers", args.out.centers.as_deref())?;
    outputs.named("--geojson", args.out.geojson.as_deref(), MAP)?;
    outputs.named("--report", args.out.report.as_deref(), PAGE)?;
    in_threads(args.run.threads, || centers(args))?
}

fn centers(args: &CentersArgs) -> Result<u8, Failure> {
    let search = args.search.checked_for(args.method)?;
    let document = read_text(&args.release)?;
    let release =
        PrivateTree::from_json(&document).map_err(|error| about(&args.release, &error))?;
    let claimed = Signature::claimed_by(&document);
    let universe = Universe::read(args.source())?;
    universe.check_metric("a private release")?;
    release.check_universe(&*universe.space).map_err(|error| about(&args.release, &error))?;
    let ks = Ks::of(args.out.k.as_ref(), &universe)?;
    if args.out.geojson.is_some() {
        geojson::check(&universe)?;
    }
    let pictures = Pictures::of(&universe, args.out.image_shape)?;
    catch_interrupts();
    let mut spinner = Spinner::new();
    let objective = args.goal.objective;
    let how = (args.method, &search);
    let findings = derive(&release, &universe, &ks, objective, how, &mut spinner.run())?;
    drop(spinner);
    let terms = Terms::of(&release, args.method);
    let report = Report { universe: &universe, objective, terms, findings };
    if let Some(file) = &args.out.centers {
        kmedian_data::write_table(file, &report.table())?;
    }
    if let Some(file) = &args.out.geojson {
        geojson::write(file, &universe, &report.shown())?;
    }
    if let Some(file) = &args.out.report {
        write_page(file, &args.universe, &pictures, &report)?;
    }
    let text = if args.run.json {
        report.json(&json!({"signature": claim_object(claimed.as_ref())}))
    } else {
        report.text() + &claim_line(claimed.as_ref())
    };
    console::print(&text)?;
    Ok(if interrupted() { INTERRUPTED } else { DONE })
}

/// The text of the document of a release.
pub(crate) fn read_text(file: &Path) -> Result<String, Failure> {
    let read = if file.as_os_str() == "-" {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(file)
    };
    read.map_err(|error| about(file, &format!("cannot be read as a release: {error}")))
}

/// A failure that is about a file.
pub(crate) fn about(file: &Path, what: &dyn std::fmt::Display) -> Failure {
    Failure::new(format!("{}: {what}", file.display()))
}
