//! Items that are no rows of numbers, as they were read: choosing some of them, adding others, and
//! making a space of them.

use std::collections::{BTreeSet, HashMap};

use kmedian::{Feature, Gower, Space, SparseVectors, Texts};

use super::fail;
use crate::args::Source;
use crate::failure::Failure;
use crate::universe::errors::in_file;

/// Items as they were read.
pub(super) enum Objects {
    /// Rows of `dims` numbers, each 0 or 1.
    Members {
        dims: usize,
        values: Vec<f32>,
    },
    /// Rows most of whose columns are zero, in compressed form (CSR).
    Sparse {
        dims: usize,
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f32>,
    },
    Texts(Vec<String>),
    Sets(Vec<Vec<String>>),
    /// Columns of numbers and categories.
    Mixed(Vec<Feature>),
}

impl Objects {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Members { dims, values } => values.len() / dims,
            Self::Sparse { starts, .. } => starts.len() - 1,
            Self::Texts(texts) => texts.len(),
            Self::Sets(sets) => sets.len(),
            Self::Mixed(features) => match &features[0] {
                Feature::Numbers(numbers) => numbers.len(),
                Feature::Categories(categories) => categories.len(),
            },
        }
    }

    /// Some of the items, in this order.
    pub(super) fn select(&self, items: &[usize]) -> Self {
        fn chosen<T: Clone>(all: &[T], items: &[usize]) -> Vec<T> {
            items.iter().map(|&item| all[item].clone()).collect()
        }
        match self {
            Self::Members { dims, values } => {
                let rows = items.iter().flat_map(|&item| &values[item * dims..(item + 1) * dims]);
                Self::Members { dims: *dims, values: rows.copied().collect() }
            }
            Self::Sparse { dims, starts, columns, values } => {
                let (mut ends, mut of, mut what) = (vec![0], Vec::new(), Vec::new());
                for &item in items {
                    let span = starts[item]..starts[item + 1];
                    of.extend_from_slice(&columns[span.clone()]);
                    what.extend_from_slice(&values[span]);
                    ends.push(of.len());
                }
                Self::Sparse { dims: *dims, starts: ends, columns: of, values: what }
            }
            Self::Texts(texts) => Self::Texts(chosen(texts, items)),
            Self::Sets(sets) => Self::Sets(chosen(sets, items)),
            Self::Mixed(features) => {
                let feature = |feature: &Feature| match feature {
                    Feature::Numbers(numbers) => Feature::Numbers(chosen(numbers, items)),
                    Feature::Categories(all) => Feature::Categories(chosen(all, items)),
                };
                Self::Mixed(features.iter().map(feature).collect())
            }
        }
    }

    /// Adds the items of another file.
    pub(super) fn append(&mut self, more: &Self, source: Source<'_>) -> Result<(), Failure> {
        match (self, more) {
            (Self::Members { dims, values }, Self::Members { dims: others, values: more })
                if dims == others =>
            {
                values.extend_from_slice(more);
            }
            (
                Self::Sparse { dims, starts, columns, values },
                Self::Sparse { dims: others, starts: ends, columns: of, values: what },
            ) => {
                // svmlight has as many columns as the last one that is not zero.
                *dims = (*dims).max(*others);
                let before = columns.len();
                columns.extend_from_slice(of);
                values.extend_from_slice(what);
                starts.extend(ends[1..].iter().map(|end| before + end));
            }
            (Self::Texts(texts), Self::Texts(more)) => texts.extend_from_slice(more),
            (Self::Sets(sets), Self::Sets(more)) => sets.extend_from_slice(more),
            (Self::Mixed(features), Self::Mixed(more)) => {
                for pair in features.iter_mut().zip(more) {
                    match pair {
                        (Feature::Numbers(numbers), Feature::Numbers(more)) => numbers.extend(more),
                        (Feature::Categories(all), Feature::Categories(more)) => {
                            all.extend_from_slice(more);
                        }
                        _ => {
                            return Err(fail(
                                source,
                                "has text in a column that held numbers when it was fitted; correct it",
                            ));
                        }
                    }
                }
            }
            _ => return Err(fail(source, "holds other items than the file that was fitted")),
        }
        Ok(())
    }

    /// Which of the columns are categories; empty if the items are none of mixed columns.
    pub(super) fn categorical(&self) -> Vec<bool> {
        let Self::Mixed(features) = self else { return Vec::new() };
        features.iter().map(|feature| matches!(feature, Feature::Categories(_))).collect()
    }

    /// The ranges and categories of mixed columns; `None` for other items.
    pub(super) fn gower(&self, source: Source<'_>) -> Result<Option<Gower>, Failure> {
        match self {
            Self::Mixed(features) => {
                Gower::of(features).map(Some).map_err(|error| in_file(source, error))
            }
            _ => Ok(None),
        }
    }

    /// The space of the items; of mixed columns with the given ranges, or their own.
    pub(super) fn space(
        &self,
        source: Source<'_>,
        gower: Option<&Gower>,
    ) -> Result<Box<dyn Space>, Failure> {
        let failed = |error| in_file(source, error);
        let metric = source.how.metric;
        let sparse = || {
            metric.of_sparse_rows().ok_or_else(|| {
                let known = "l1, l2, sqeuclidean, angular, root-cosine, cosine or jaccard";
                fail(source, &format!("sparse rows have no metric {metric}; take {known}"))
            })
        };
        Ok(match self {
            Self::Members { dims, values } => {
                Box::new(SparseVectors::of_dense(*dims, values, sparse()?).map_err(failed)?)
            }
            Self::Sparse { dims, starts, columns, values } => Box::new(
                SparseVectors::new(*dims, starts, columns, values, sparse()?).map_err(failed)?,
            ),
            Self::Texts(texts) => Box::new(Texts::new(texts).map_err(failed)?),
            Self::Sets(sets) => Box::new(of_sets(sets).map_err(failed)?),
            Self::Mixed(features) => {
                let own = if gower.is_none() { self.gower(source)? } else { None };
                let gower = gower.or(own.as_ref());
                let rows = gower.map(|gower| gower.rows(features)).transpose();
                let rows = rows.map_err(failed)?;
                Box::new(rows.ok_or_else(|| fail(source, "has no columns"))?)
            }
        })
    }
}

/// The space of sets under the Jaccard distance.
fn of_sets(sets: &[Vec<String>]) -> Result<SparseVectors, kmedian::Error> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let (mut starts, mut columns) = (vec![0], Vec::new());
    for set in sets {
        let mut distinct = BTreeSet::new();
        for element in set {
            let next = known.len() as u32;
            distinct.insert(*known.entry(element).or_insert(next));
        }
        columns.extend(distinct);
        starts.push(columns.len());
    }
    let ones = vec![1.0; columns.len()];
    SparseVectors::new(known.len(), &starts, &columns, &ones, kmedian::SparseMetric::Jaccard)
}
