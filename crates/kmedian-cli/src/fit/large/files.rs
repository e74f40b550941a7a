//! The files of a table that is read chunk by chunk.

use std::path::PathBuf;

use kmedian::rounds::{Chunk, Source};
use kmedian::{Dissimilarity, Metric};
use kmedian_data::{ColumnRef, Points, PointsOptions, PointsPart, points_in_parts};

use crate::args::FitArgs;
use crate::console::note;
use crate::failure::{Failure, plain};
use crate::geo;

/// Files of the same columns, read again and again.
pub(super) struct Files {
    paths: Vec<PathBuf>,
    options: PointsOptions,
    metric: Metric,
    /// The number of rows of each file, once they were counted.
    rows: Vec<u64>,
    /// The names of the coordinates, once the first rows were read.
    columns: Vec<String>,
}

impl Files {
    /// Finds the files, and checks what is asked of them.
    pub(super) fn open(args: &FitArgs) -> Result<Self, Failure> {
        let (path, how) = (&args.input.input, &args.input.space);
        let no_vectors = matches!(
            how.metric,
            Dissimilarity::Jaccard | Dissimilarity::Levenshtein | Dissimilarity::Gower
        );
        if no_vectors || how.sparse_format(path).is_some() {
            return Err(Failure::new(format!(
                "{}: items that are read in chunks are rows of numbers under a metric of vectors; take --metric l2, \
                 or give one file",
                path.display()
            )));
        }
        if path.as_os_str() == "-" {
            return Err(Failure::new(
                "-: chunks are read again and again, which standard input does not allow; save the items first",
            ));
        }
        let weight = args.input.weights.as_deref().map(ColumnRef::from);
        let options = PointsOptions {
            columns: how.columns.as_ref().map(|columns| columns.0.clone()),
            id: how.id.clone(),
            weight,
            header: how.header,
            format: how.table_format().map_err(Failure::new)?,
            ..PointsOptions::default()
        };
        let paths = kmedian_data::demand_files(path)?;
        let metric = how.vector_metric();
        Ok(Self { paths, options, metric, rows: Vec::new(), columns: Vec::new() })
    }

    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Counts the rows of all files.
    pub(super) fn count(&mut self) -> Result<u64, Failure> {
        let count =
            |path: &PathBuf| kmedian_data::count_points(std::slice::from_ref(path), &self.options);
        self.rows = self.paths.iter().map(count).collect::<Result<_, _>>()?;
        Ok(self.rows.iter().sum())
    }

    /// The number of coordinates, from the first rows. Under haversine, the columns are put into its
    /// order, as far as their names tell.
    pub(super) fn dims(&mut self) -> Result<usize, Failure> {
        let Some(first) = self.parts().next() else {
            return Err(Failure::new("there are no rows; give files that have some"));
        };
        let PointsPart { file, mut points } = first?;
        points.notes.iter().for_each(|text| note(text));
        if self.metric == Metric::Haversine {
            let given = points.columns.clone();
            points = geo::latitude_first(points, self.options.columns.is_some())
                .map_err(|what| Failure::new(format!("{}: {what}", self.paths[file].display())))?;
            if points.columns != given {
                let named = points.columns.iter().map(|name| ColumnRef::from(name.as_str()));
                self.options.columns = Some(named.collect());
            }
        }
        self.columns = points.columns;
        Ok(points.dims)
    }

    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// All rows, part after part.
    pub(super) fn parts(&self) -> impl Iterator<Item = Result<PointsPart, Failure>> + '_ {
        points_in_parts(self.paths.clone(), &self.options).map(|part| Ok(part?))
    }

    /// The file of an item, and its row there, from 0.
    pub(super) fn place(&self, item: u64) -> (&PathBuf, u64) {
        let mut row = item;
        for (path, &rows) in self.paths.iter().zip(&self.rows) {
            if row < rows {
                return (path, row);
            }
            row -= rows;
        }
        (&self.paths[0], item)
    }

    /// The ids of items, which are read once more, if there is a column of ids.
    pub(super) fn ids_of(&self, places: &[u64]) -> Result<Option<Vec<String>>, Failure> {
        if self.options.id.is_none() {
            return Ok(None);
        }
        let mut ids = vec![String::new(); places.len()];
        let mut before = 0;
        for part in self.parts() {
            let Points { rows, ids: of_part, .. } = part?.points;
            self.note_ids(places, before, of_part.as_deref().unwrap_or_default(), &mut ids);
            before += rows as u64;
        }
        Ok(Some(ids))
    }

    /// Takes down the ids of those items that are among some rows, the first of which has the place
    /// `before`.
    pub(super) fn note_ids(&self, places: &[u64], before: u64, of: &[String], ids: &mut [String]) {
        for (id, &place) in ids.iter_mut().zip(places) {
            if let Some(found) = place.checked_sub(before).and_then(|row| of.get(row as usize)) {
                id.clone_from(found);
            }
        }
    }

    /// An error of the algorithms, which calls an item by its file and row.
    fn named(&self, error: &kmedian::Error) -> Failure {
        let name = |item: usize| {
            let (path, row) = self.place(item as u64);
            format!("in row {} of {}", row + 1, plain(&path.to_string_lossy()))
        };
        let message = error.naming(name);
        let shape = error.kind() == kmedian::ErrorKind::Shape;
        Failure::new(if shape { format!("{message} with --columns") } else { message })
    }
}

/// What may go wrong while chunks are read.
pub(super) enum Wrong {
    File(Failure),
    Items(kmedian::Error),
}

impl From<kmedian::Error> for Wrong {
    fn from(error: kmedian::Error) -> Self {
        Self::Items(error)
    }
}

impl Wrong {
    /// What to say of it.
    pub(super) fn told(self, files: &Files) -> Failure {
        match self {
            Self::File(failure) => failure,
            Self::Items(error) if error.kind() == kmedian::ErrorKind::Cancelled => error.into(),
            Self::Items(error) => files.named(&error),
        }
    }
}

impl Source for Files {
    type Error = Wrong;

    fn each(
        &mut self,
        rows: usize,
        take: &mut dyn FnMut(Chunk) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        let mut held: Option<Chunk> = None;
        let mut place = 0;
        for part in self.parts() {
            let points = part.map_err(Wrong::File)?.points;
            let mut start = 0;
            while start < points.rows {
                let chunk = held.get_or_insert_with(|| Chunk::new(points.dims));
                let end = points.rows.min(start + rows - chunk.len());
                chunk
                    .rows
                    .extend_from_slice(&points.values[start * points.dims..end * points.dims]);
                match &points.weights {
                    Some(weights) => chunk.weights.extend_from_slice(&weights[start..end]),
                    None => chunk.weights.extend(std::iter::repeat_n(1.0, end - start)),
                }
                chunk.places.extend(place..place + (end - start) as u64);
                place += (end - start) as u64;
                start = end;
                if chunk.len() == rows
                    && let Some(full) = held.take()
                {
                    take(full)?;
                }
            }
        }
        held.map_or(Ok(()), take)
    }
}
