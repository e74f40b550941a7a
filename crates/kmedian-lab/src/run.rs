//! Runs experiments: universe by universe, so that each is made ready once.

use std::path::Path;

use crate::data::{Source, Sources, Universe};
use crate::experiments::{Experiment, Task};
use crate::{Failure, Lab, Progress, Row, Sizes, Store, effort};

impl Task {
    fn rows(&self, sources: &Sources) -> Vec<Row> {
        match self {
            Task::Study(study) => study.rows(sources),
            Task::Time(time) => time.rows(sources),
            Task::Distortion(distortion) => distortion.rows(sources),
        }
    }

    /// The universe that has to be made ready; times are measured on spaces of their own.
    fn source(&self) -> Option<&Source> {
        match self {
            Task::Study(study) => Some(&study.source),
            Task::Distortion(distortion) => Some(&distortion.source),
            Task::Time(_) => None,
        }
    }
}

/// Runs whatever of some experiments has no row yet.
///
/// An experiment whose data is missing is an error; with `skip` it is left out with a note.
///
/// # Errors
/// If data is missing, a run fails, a row cannot be written, or Ctrl-C was pressed.
pub fn run(
    experiments: &[Experiment],
    sizes: &Sizes,
    sources: &Sources,
    out: &Path,
    threads: usize,
    skip: bool,
) -> Result<(), Failure> {
    if !sizes.quick && !sources.has_mnist() {
        let message =
            "there are no images of MNIST; run `cargo xtask data mnist`, or give --mnist DIR";
        return Err(Failure::new(message));
    }
    let store = Store::open(out, sizes.quick)?;
    let (mut tasks, mut notes) = (Vec::new(), Vec::new());
    for experiment in experiments {
        match experiment.tasks(sizes, sources) {
            Ok(found) => tasks.extend(found),
            Err(failure) if skip => notes.push(format!("skipped {}: {failure}", experiment.name())),
            Err(failure) => return Err(failure),
        }
    }
    let lacking = |task: &Task| {
        task.rows(sources)
            .into_iter()
            .filter(|row| store.lacks(row))
            .map(|row| effort::seconds(&row))
            .sum::<f64>()
    };
    let expected: Vec<f64> = tasks.iter().map(lacking).collect();
    let progress = Progress::new(expected.iter().sum());
    let tasks = tasks.into_iter().zip(expected).filter(|(_, seconds)| *seconds > 0.0);
    let tasks: Vec<Task> = tasks.map(|(task, _)| task).collect();
    let lab = Lab::new(store, threads, progress);
    notes.iter().for_each(|note| lab.progress.note(note));
    run_tasks(by_universe(tasks), sources, &lab)
}

/// Tasks of one universe one after the other, in the order in which universes first come.
fn by_universe(mut tasks: Vec<Task>) -> Vec<Task> {
    let mut ordered: Vec<Task> = Vec::new();
    while !tasks.is_empty() {
        let first = tasks.remove(0);
        let (same, others) = tasks.into_iter().partition(|task| task.source() == first.source());
        ordered.push(first);
        ordered.extend::<Vec<Task>>(same);
        tasks = others;
    }
    ordered
}

fn run_tasks(tasks: Vec<Task>, sources: &Sources, lab: &Lab) -> Result<(), Failure> {
    let mut ready: Option<(Source, Universe)> = None;
    for task in tasks {
        let universe = match task.source() {
            None => None,
            Some(source) => Some(make_ready(&mut ready, source, sources, lab)?),
        };
        match (&task, universe) {
            (Task::Study(study), Some(universe)) => study.run(universe, sources, lab)?,
            (Task::Distortion(distortion), Some(universe)) => {
                distortion.run(universe, sources, lab)?
            }
            (Task::Time(time), _) => time.run(sources, lab)?,
            _ => {}
        }
    }
    Ok(())
}

/// The universe of a source: the one that is ready, or another in its place.
fn make_ready<'a>(
    ready: &'a mut Option<(Source, Universe)>,
    source: &Source,
    sources: &Sources,
    lab: &Lab,
) -> Result<&'a Universe, Failure> {
    if ready.as_ref().is_none_or(|(other, _)| other != source) {
        // What is not needed any more makes room first.
        *ready = None;
        lab.progress.say(&format!("distances of {}", sources.name(source)));
        let universe = lab.together(|| sources.universe(source))??;
        *ready = Some((source.clone(), universe));
    }
    match ready {
        Some((_, universe)) => Ok(universe),
        None => Err(Failure::new("no universe is ready")),
    }
}
