//! The page of fitted centers, for Python: that of `kmedian fit --report`.

use std::path::PathBuf;

use kmedian::{Demand, Goal, Init, KMedian, LocalSearch, Problem, choice};
use kmedian_report::{Images, Places as Drawn, Subject, fit_page, pivot_places, principal_places};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::door::{Door, Watch};
use crate::failure::Failure;
use crate::fit::Places;
use crate::items::Items;
use crate::names::chosen;

/// What a page shows, as a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Page {
    title: String,
    /// How many items are served; sites that are apart come after them.
    served: usize,
    /// What the items are called; nothing for their positions.
    names: Option<Vec<String>>,
    /// The metric, in words.
    metric: String,
    objective: String,
    /// The unit of distances, such as `km`.
    unit: Option<String>,
    /// What the two coordinates are called; none for latitudes and longitudes in degrees.
    axes: Option<[String; 2]>,
    /// The height and width of items that are pictures.
    image: Option<(usize, usize)>,
    places: Places,
}

/// Rows of numbers, copied out of an array.
struct Rows {
    dims: usize,
    values: Vec<f64>,
}

impl Rows {
    fn of(table: &PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        Ok(Self { dims: table.shape()[1], values: table.as_slice()?.to_vec() })
    }

    fn row(&self, item: usize) -> &[f64] {
        self.values.get(item * self.dims..(item + 1) * self.dims).unwrap_or_default()
    }

    fn narrow(&self) -> Vec<f32> {
        self.values.iter().map(|&value| value as f32).collect()
    }
}

/// Writes the page of centers to a file: for each k the centers by their positions, and what no
/// centers cost less than, if that is known. `rows` has the numbers of each item, or is nothing if
/// items are no rows of numbers; two of them are where an item is drawn.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's, one by one")]
#[pyo3(signature = (path, items, fits, page, rows=None, weights=None, threads=None))]
pub(crate) fn write_fit_page<'py>(
    py: Python<'py>,
    path: PathBuf,
    items: &Bound<'py, Items>,
    fits: Vec<(Vec<usize>, Option<f64>)>,
    page: Page,
    rows: Option<PyReadonlyArray2<'py, f64>>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    threads: Option<usize>,
) -> PyResult<()> {
    let objective = chosen(&choice::OBJECTIVE, &page.objective)?;
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let rows = rows.as_ref().map(Rows::of).transpose()?;
    let items = items.clone().unbind();
    let work = move |watch: &Watch| {
        let text = Items::work_on(&items, watch, |space| {
            let of = items.get().dissimilarity();
            let demand = weights.map_or_else(|| Ok(Demand::uniform(space.len())), Demand::new)?;
            let goal = Goal {
                objective: of.objective(objective)?,
                sites: page.places.sites(space.len())?,
            };
            let problem = Problem::of(space).goal(&goal).demand(&demand).build()?;
            let found = watch.run(|run| {
                // No swap is done: what is found are the given centers, and what they serve.
                let search = LocalSearch { max_swaps: Some(0), ..LocalSearch::default() };
                let mut found = Vec::new();
                for (centers, bound) in fits {
                    let (k, init) = (centers.len(), Init::Given(centers));
                    let plan = KMedian { init, search: search.clone(), ..KMedian::default() };
                    let prepared = plan.prepare(&problem, run)?;
                    for mut fit in prepared.fit_each(&[k], run)? {
                        fit.bound = bound;
                        found.push(of.restate(fit));
                    }
                }
                Ok::<_, kmedian::Error>(found)
            })?;
            let name = |item: usize| match &page.names {
                Some(names) => names.get(item).cloned().unwrap_or_default(),
                None => item.to_string(),
            };
            let pixels = |item: usize| -> Vec<f32> {
                let row = rows.as_ref().map_or(&[][..], |rows| rows.row(item));
                row.iter().map(|&value| value as f32).collect()
            };
            let range = rows.iter().flat_map(|rows| &rows.values);
            let range = range.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], &value| {
                [low.min(value as f32), high.max(value as f32)]
            });
            let images =
                page.image.map(|(height, width)| Images { width, height, pixels: &pixels, range });
            let first = if page.served < space.len() { page.served } else { 0 };
            let places = match &rows {
                Some(rows) if rows.dims == 2 => drawn(rows, page.axes.clone()),
                Some(rows) => Drawn::Similarity(principal_places(rows.dims, &rows.narrow())),
                None => Drawn::Similarity(pivot_places(space, first)),
            };
            let subject = Subject {
                title: &page.title,
                space,
                served: page.served,
                name: &name,
                places,
                metric: &page.metric,
                objective,
                unit: page.unit.as_deref(),
                images,
            };
            Ok::<_, Failure>(fit_page(&subject, &demand, &found))
        })?;
        Ok(kmedian_data::write_atomically(&path, |out| out.write_all(text.as_bytes()))?)
    };
    Door { py, threads, progress: None }.pass(work)
}

/// Where items are drawn that have two coordinates.
fn drawn(rows: &Rows, axes: Option<[String; 2]>) -> Drawn {
    let at = rows.values.chunks_exact(2).map(|row| [row[0], row[1]]).collect();
    match axes {
        None => Drawn::Degrees(at),
        Some(names) => Drawn::Plane { names, at },
    }
}
