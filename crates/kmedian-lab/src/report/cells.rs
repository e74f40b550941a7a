//! The cells of a comparison: one data set, one demand and one k, with all methods.

use super::names::{PAPER_DATA, PAPER_DEMANDS, in_order, setting_label};
use super::select::{Measure, Rows};
use super::stats::Summary;

/// The rows of one data set, one demand and one k.
pub struct Cell<'a> {
    /// The name of the data in rows.
    pub data: &'a str,
    /// The name of the demand in rows.
    pub demand: &'a str,
    /// The number of centers.
    pub k: usize,
    rows: Rows<'a>,
}

impl Cell<'_> {
    /// The mean of a measure over the runs of a method; `None` if no run has it.
    pub fn get(&self, method: &str, measure: Measure) -> Option<Summary> {
        self.rows.method(method).summary(measure)
    }

    /// The name of the cell, for readers.
    pub fn label(&self) -> String {
        format!("{}, k = {}", setting_label(self.data, self.demand), self.k)
    }
}

/// The cells of the experiment `cost`, in the order of the paper.
pub fn paper_cells<'a>(rows: &Rows<'a>) -> Vec<Cell<'a>> {
    cells(&rows.experiment("cost"))
}

/// All cells of some rows, in the order of the paper.
pub fn cells<'a>(rows: &Rows<'a>) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for data in in_order(&PAPER_DATA, rows.distinct(|row| row.data.as_str())) {
        let of_data = rows.that(|row| row.data == data);
        for demand in in_order(&PAPER_DEMANDS, of_data.distinct(|row| row.demand.as_str())) {
            let of_demand = of_data.over(data, demand);
            for k in of_demand.distinct(|row| row.k) {
                cells.push(Cell { data, demand, k, rows: of_demand.centers(k) });
            }
        }
    }
    cells
}
