//! The compiled half of the Python package `kmedian`.
//!
//! Users of Python see the estimators of `python/kmedian`, which call the core through this module,
//! `kmedian._core`. It contains no algorithms: it lends NumPy's memory to the core, lets other
//! Python threads run meanwhile, and turns the results into arrays and exceptions. All work goes
//! through the door, `door.rs`, but that of the `kmedian` command, which is a process of its own.

mod assign;
mod cells;
mod cluster;
mod column;
mod command;
mod demand;
mod distance_cache;
mod door;
mod failure;
mod fit;
mod function;
mod items;
mod ledger;
mod names;
mod plan;
mod private;
mod release;
mod report;
mod rounds;
mod shutdown;
mod snap;
mod stream;
mod threads;
mod workers;

use pyo3::pymodule;

/// What the estimators of `kmedian` are made of. Not meant to be used directly.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::assign::{assign, distances, distances_between, nearest};
    #[pymodule_export]
    use super::cluster::{draw_records, owned_records, sampling_secret};
    #[pymodule_export]
    use super::column::Column;
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::demand::{Demand, ItemNames};
    #[pymodule_export]
    use super::failure::BudgetExhausted;
    #[pymodule_export]
    use super::fit::{Fit, check_search, fit, suggest_k};
    #[pymodule_export]
    use super::items::Items;
    #[pymodule_export]
    use super::ledger::{Ledger, Reservation, is_server, shown_place};
    #[pymodule_export]
    use super::names::{choices, is_translation_invariant};
    #[pymodule_export]
    use super::plan::plan;
    #[pymodule_export]
    use super::private::{PublicTree, ledger_is_required};
    #[pymodule_export]
    use super::release::{PrivateCenters, Release};
    #[pymodule_export]
    use super::report::write_fit_page;
    #[pymodule_export]
    use super::rounds::{Rounds, go_over, rows_of_chunk};
    #[pymodule_export]
    use super::shutdown::leave;

    /// Notes which thread imports the module, and in debug builds adds a function that a test of
    /// the door needs. That function is not exported, so that the type stubs fit all builds.
    #[pymodule_init]
    #[cfg_attr(not(debug_assertions), allow(unused_variables))]
    fn begin(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::threads::note_first();
        #[cfg(debug_assertions)]
        module.setattr(
            "_panic_on_purpose",
            wrap_pyfunction!(super::door::panic_on_purpose, module)?,
        )?;
        Ok(())
    }
}
