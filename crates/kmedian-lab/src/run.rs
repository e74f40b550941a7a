//! Runs experiments, universe by universe, so that the distances of each are measured once.

use std::path::Path;
use std::time::Instant;

use crate::data::{Source, Sources, Universe};
use crate::experiments::{Experiment, Task};
use crate::{Failure, Lab, Progress, Row, Sizes, Store, effort};

impl Task {
    fn rows(&self, sources: &Sources) -> Vec<Row> {
        match self {
            Task::Study(study) => study.rows(sources),
            Task::Time(time) => time.rows(sources),
            Task::Distortion(distortion) => distortion.rows(sources),
            Task::Accuracy(accuracy) => accuracy.rows(sources),
        }
    }

    /// The name of the task, for progress; all instances of the OR-Library share one.
    fn label(&self, sources: &Sources) -> String {
        match self {
            Task::Study(study) if study.optimum.is_some() => study.experiment.to_string(),
            Task::Study(study) => study.title(sources),
            Task::Time(time) => time.title(),
            Task::Distortion(distortion) => distortion.title(sources),
            Task::Accuracy(accuracy) => accuracy.title(sources),
        }
    }

    /// The source of the task's universe; `None` for times, which are measured on spaces of their
    /// own.
    fn source(&self) -> Option<&Source> {
        match self {
            Task::Study(study) => Some(&study.source),
            Task::Distortion(distortion) => Some(&distortion.source),
            Task::Accuracy(accuracy) => Some(&accuracy.source),
            Task::Time(_) => None,
        }
    }
}

/// Does all runs of some experiments that have no row yet, and writes their rows below `out`.
///
/// An experiment whose data is missing is an error; if `skip` is true, it is left out with a note.
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
    let needs_images = experiments.iter().any(|experiment| experiment.needs_images());
    if needs_images && !sizes.quick && !sources.has_mnist() {
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
    run_tasks(&by_universe(tasks), sources, &lab)
}

/// The tasks in an order in which those of a universe follow each other. Universes are in the order
/// of their first tasks.
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

fn run_tasks(tasks: &[Task], sources: &Sources, lab: &Lab) -> Result<(), Failure> {
    let mut ready = Ready { sources, lab, universe: None };
    for same in tasks.chunk_by(|a, b| a.label(sources) == b.label(sources)) {
        let (started, before) = (Instant::now(), lab.recorded());
        for task in same {
            match task {
                Task::Study(study) => study.run(ready.universe(&study.source)?, sources, lab)?,
                Task::Distortion(trees) => {
                    trees.run(ready.universe(&trees.source)?, sources, lab)?;
                }
                Task::Time(time) => time.run(sources, lab)?,
                Task::Accuracy(accuracy) => {
                    accuracy.run(ready.universe(&accuracy.source)?, sources, lab)?;
                }
            }
        }
        if let Some(task) = same.first() {
            lab.progress.end(&task.label(sources), lab.recorded() - before, started);
        }
    }
    Ok(())
}

/// Keeps the current universe: only one, because all of its distances are in memory.
struct Ready<'a> {
    sources: &'a Sources,
    lab: &'a Lab,
    universe: Option<(Source, Universe)>,
}

impl Ready<'_> {
    /// The universe of a source. If it is not the current one, it replaces it.
    fn universe(&mut self, source: &Source) -> Result<&Universe, Failure> {
        let Self { sources, lab, universe } = self;
        let kept = universe.take().filter(|(other, _)| other == source);
        let made = match kept {
            Some(kept) => kept,
            None => {
                lab.progress.say(&format!("distances of {}", sources.name(source)));
                (source.clone(), lab.together(|| sources.universe(source))??)
            }
        };
        Ok(&universe.insert(made).1)
    }
}
