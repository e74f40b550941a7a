//! Items that are no rows of numbers: sparse rows, texts, sets, and rows of mixed columns.

mod rows;

use std::path::Path;

use kmedian::{Assignment, Dissimilarity, Feature, Sites, Space};
use kmedian_data::{
    CellColumn, CellValues, Cells, ColumnRef, ErrorKind, Mixed, Points, PointsOptions, SparseRows,
};

use super::Universe;
use super::errors::in_columns;
use super::positions::{self, Called};
use super::table::{keep_columns, table_options};
use super::weights::{demand, read_weights, weight_source};
use crate::args::Source;
use crate::console::note;
use crate::failure::{Failure, plain};
use rows::Objects;

/// Objects, and what else their file says about them.
struct Read {
    objects: Objects,
    columns: Vec<String>,
    ids: Option<Vec<String>>,
    weights: Option<Vec<f64>>,
    format: &'static str,
}

/// Whether the items of a file are something else than dense rows of numbers.
pub(crate) fn are_objects(source: Source<'_>) -> bool {
    let metric = source.how.metric;
    metric.of_vectors().is_none() || source.how.sparse_format(source.path).is_some()
}

/// Refuses options that are for other items.
pub(super) fn check_options(source: Source<'_>) -> Result<(), Failure> {
    let how = source.how;
    if how.separator.is_some() && how.metric != Dissimilarity::Jaccard {
        return Err(Failure::new("--separator is for sets; add --metric jaccard or leave it out"));
    }
    if how.categories.is_some() && how.metric != Dissimilarity::Gower {
        return Err(Failure::new("--categories is for --metric gower; add that or leave it out"));
    }
    if how.graph || how.is_matrix() || source.rectangular || !are_objects(source) {
        return Ok(());
    }
    if source.sites.is_some() {
        return Err(Failure::new(
            "--sites is for rows of numbers; put clients and sites into one file, and name the sites by --candidates",
        ));
    }
    if how.skip_missing {
        return Err(Failure::new(
            "--skip-missing is for rows of numbers; fill the gaps in, or remove such rows",
        ));
    }
    Ok(())
}

impl Universe {
    /// Items that are no rows of numbers.
    pub(super) fn from_objects(source: Source<'_>) -> Result<Self, Failure> {
        let read = Read::of(source, None)?;
        let space = read.objects.space(source, None)?;
        Self::of_objects(source, read, space)
    }

    /// The items of a file, and the nearest center of each. The centers are some of the items of
    /// another file, `fitted`, whose positions `centers` tells, given the number of items there.
    pub(crate) fn read_beside(
        source: Source<'_>,
        fitted: Option<&Path>,
        centers: impl FnOnce(usize) -> Result<Vec<usize>, Failure>,
    ) -> Result<(Self, Assignment), Failure> {
        check_options(source)?;
        let fitted = Read::of(Source { path: fitted.unwrap_or(source.path), ..source }, None)?;
        let read = Read::of(source, Some(&fitted.objects))?;
        if fitted.columns != read.columns {
            return Err(Failure::new(format!(
                "{}: has the columns {}, but those that were fitted are {}; choose with --columns",
                source.path.display(),
                plain(&read.columns.join(", ")),
                plain(&fitted.columns.join(", "))
            )));
        }
        let gower = fitted.objects.gower(source)?;
        let centers = centers(fitted.objects.len())?;
        let mut both = fitted.objects.select(&centers);
        both.append(&read.objects, source)?;
        let space = both.space(source, gower.as_ref())?;
        let slots: Vec<usize> = (0..centers.len()).collect();
        let mut labels = Assignment::new(&*space, &slots);
        labels.labels.drain(..centers.len());
        labels.distances.drain(..centers.len());
        let space = read.objects.space(source, gower.as_ref())?;
        Ok((Self::of_objects(source, read, space)?, labels))
    }

    fn of_objects(source: Source<'_>, read: Read, space: Box<dyn Space>) -> Result<Self, Failure> {
        let Read { columns, ids, weights, format, .. } = read;
        let (_, file) = weight_source(source);
        let weights = weights.map_or_else(|| read_weights(file), |weights| Ok(Some(weights)))?;
        let len = space.len();
        let called = Called { items: len, names: ids.as_deref(), first: 0 };
        let places = positions::read(source, called)?;
        Ok(Self {
            demand: demand(source, weights, len, len)?,
            sites: Sites::default(),
            clients: None,
            space,
            metric: source.how.metric.to_string(),
            dissimilarity: source.how.metric,
            format,
            columns,
            edges: None,
            roads: None,
            rows: None,
            components: Vec::new(),
            k: None,
            ids,
            positions: None,
            places,
            first: 0,
            kept_columns: keep_columns(source, None)?,
        })
    }
}

impl Read {
    /// Reads the items of a file; if `fitted` are given, with the same kinds of columns.
    fn of(source: Source<'_>, fitted: Option<&Objects>) -> Result<Self, Failure> {
        if let Some(format) = source.how.sparse_format(source.path) {
            return Self::sparse(source, kmedian_data::read_sparse(source.path, format)?);
        }
        let one_column = source.how.columns.as_ref().is_some_and(|columns| columns.0.len() == 1);
        match source.how.metric {
            Dissimilarity::Levenshtein => Self::texts(source),
            Dissimilarity::Jaccard if source.how.separator.is_some() || one_column => {
                Self::sets(source)
            }
            Dissimilarity::Gower => Self::mixed(source, fitted),
            _ => Self::members(source),
        }
    }

    fn sparse(source: Source<'_>, read: SparseRows) -> Result<Self, Failure> {
        let SparseRows { dims, starts, columns, values, format, notes } = read;
        let (weight, _) = weight_source(source);
        if source.how.columns.is_some() || source.how.id.is_some() || weight.is_some() {
            return Err(Failure::new(format!(
                "{}: sparse rows have no columns of ids or weights, and all are used; leave out --columns and --id, and \
                 give --weights as a file",
                source.path.display()
            )));
        }
        notes.iter().for_each(|text| note(text));
        let objects = Objects::Sparse { dims, starts, columns, values };
        Ok(Self { objects, columns: Vec::new(), ids: None, weights: None, format })
    }

    /// One column of texts.
    fn texts(source: Source<'_>) -> Result<Self, Failure> {
        let (column, cells) = the_column(source, "the texts")?;
        match column.values {
            CellValues::Texts(texts) => Ok(cells.with(Objects::Texts(texts), column.name)),
            CellValues::Numbers(_) => Err(fail(
                source,
                &format!("column `{}` holds numbers, not texts", plain(&column.name)),
            )),
            CellValues::Lists(_) => Err(fail(
                source,
                &format!("column `{}` holds lists, not texts", plain(&column.name)),
            )),
        }
    }

    /// One column of sets: lists, texts with separators, or zeros and ones.
    fn sets(source: Source<'_>) -> Result<Self, Failure> {
        let (column, cells) = the_column(source, "the sets")?;
        let sets = match (column.values, &source.how.separator) {
            (CellValues::Lists(lists), _) => lists,
            (CellValues::Texts(texts), Some(separator)) => {
                let elements = |text: &String| {
                    let parts = text.split(separator.as_str()).map(str::trim);
                    parts.filter(|part| !part.is_empty()).map(String::from).collect()
                };
                texts.iter().map(elements).collect()
            }
            (CellValues::Texts(_), None) => {
                return Err(fail(
                    source,
                    &format!(
                        "column `{}` holds texts; say what separates the elements of a set, such as --separator ';'",
                        plain(&column.name)
                    ),
                ));
            }
            (CellValues::Numbers(_), _) => {
                return Err(fail(
                    source,
                    &format!(
                        "column `{}` holds numbers, not sets; give a column of lists or texts, or several columns of 0 and \
                         1",
                        plain(&column.name)
                    ),
                ));
            }
        };
        Ok(cells.with(Objects::Sets(sets), column.name))
    }

    /// Columns of zeros and ones: which elements are in the set of each row.
    fn members(source: Source<'_>) -> Result<Self, Failure> {
        let points = points(source)?;
        if let Some(at) = points.values.iter().position(|&value| value != 0.0 && value != 1.0) {
            let (row, column) = (at / points.dims + 1, &points.columns[at % points.dims]);
            return Err(fail(
                source,
                &format!(
                    "row {row}, column `{}` is {}, but sets are columns of 0 and 1; choose such with --columns, or one \
                     column of lists or of texts with --separator",
                    plain(column),
                    points.values[at]
                ),
            ));
        }
        let (dims, values) = (points.dims, points.values);
        Ok(Self {
            objects: Objects::Members { dims, values },
            columns: points.columns,
            ids: points.ids,
            weights: points.weights,
            format: points.format,
        })
    }

    /// Columns of numbers and categories.
    fn mixed(source: Source<'_>, fitted: Option<&Objects>) -> Result<Self, Failure> {
        let mut cells =
            cells(source, source.how.columns.as_ref().map(|columns| columns.0.clone()))?;
        let names: Vec<String> = cells.columns.iter().map(|column| column.name.clone()).collect();
        let mut categorical = fitted.map_or_else(Vec::new, Objects::categorical);
        categorical.resize(names.len(), false);
        for column in source.how.categories.iter().flat_map(|columns| &columns.0) {
            let found = match column {
                ColumnRef::Name(name) => names.iter().position(|known| known == name),
                ColumnRef::Index(position) => Some(*position).filter(|&at| at < names.len()),
            };
            let Some(found) = found else {
                let name = match column {
                    ColumnRef::Name(name) => plain(name),
                    ColumnRef::Index(position) => position.to_string(),
                };
                return Err(fail(
                    source,
                    &format!(
                        "--categories: `{name}` is none of the columns that are used: {}",
                        plain(&names.join(", "))
                    ),
                ));
            };
            categorical[found] = true;
        }
        let columns = std::mem::take(&mut cells.columns);
        let features = columns.into_iter().zip(categorical).map(|(column, categorical)| {
            Ok(match column.mixed(source.path, categorical)? {
                Mixed::Numbers(numbers) => Feature::Numbers(numbers),
                Mixed::Categories(categories) => Feature::Categories(categories),
            })
        });
        let features = features.collect::<Result<Vec<Feature>, kmedian_data::Error>>()?;
        Ok(Self { columns: names, ..cells.with(Objects::Mixed(features), String::new()) })
    }
}

/// What a file says about its rows beside the objects.
trait With {
    fn with(self, objects: Objects, column: String) -> Read;
}

impl With for Cells {
    fn with(self, objects: Objects, column: String) -> Read {
        let Cells { ids, weights, format, notes, .. } = self;
        notes.iter().for_each(|text| note(text));
        Read { objects, columns: vec![column], ids, weights, format }
    }
}

/// The columns of a table, whatever they hold.
fn cells(source: Source<'_>, columns: Option<Vec<ColumnRef>>) -> Result<Cells, Failure> {
    let (weight, _) = weight_source(source);
    let options = PointsOptions { columns, ..table_options(source, weight.clone())? };
    kmedian_data::read_cells(source.path, &options)
        .map_err(|error| in_columns(error, weight.as_ref(), source))
}

/// The only column that is used, and what else the file says. `what` it holds is for errors.
fn the_column(source: Source<'_>, what: &str) -> Result<(CellColumn, Cells), Failure> {
    let mut cells = cells(source, source.how.columns.as_ref().map(|columns| columns.0.clone()))?;
    if cells.columns.len() != 1 {
        let names: Vec<&str> = cells.columns.iter().map(|column| column.name.as_str()).collect();
        return Err(fail(
            source,
            &format!(
                "name the column that holds {what} with --columns: {}",
                plain(&names.join(", "))
            ),
        ));
    }
    Ok((cells.columns.remove(0), cells))
}

/// Rows of numbers, for sets. If there are none to read, and no column was named, one column
/// probably holds the sets.
fn points(source: Source<'_>) -> Result<Points, Failure> {
    let (weight, _) = weight_source(source);
    let options = table_options(source, weight.clone())?;
    let points = kmedian_data::read_points(source.path, &options).map_err(|error| {
        let others =
            matches!(error.kind(), ErrorKind::Column | ErrorKind::Value | ErrorKind::Shape);
        let failure = in_columns(error, weight.as_ref(), source);
        match &source.how.columns {
            None if others => failure.and("if one column holds the sets, name it: --columns NAME"),
            _ => failure,
        }
    })?;
    points.notes.iter().for_each(|text| note(text));
    Ok(points)
}

fn fail(source: Source<'_>, what: &str) -> Failure {
    Failure::new(format!("{}: {what}", source.path.display()))
}
