//! Items as Python gives them, and the spaces of the core over them.

use kmedian::{
    Dissimilarity, Feature, Gower, Graph, LentSparseVectors, LentVectors, Matrix, Metric,
    SiteMatrix, Space, SparseMetric, Texts,
};
use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::door::Watch;
use crate::failure::Failure;
use crate::function::Function;
use crate::names::{self, dissimilarity};

/// The items to cluster: rows of numbers, dense or sparse, texts, rows of mixed columns, a matrix
/// of distances, a graph, or objects and a function that measures two of them.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Items {
    kind: Kind,
    /// What distances of the space stand for: themselves, or their squares.
    dissimilarity: Dissimilarity,
}

enum Kind {
    Vectors {
        values: Py<PyArray2<f32>>,
        metric: Metric,
    },
    Sparse(Sparse),
    Texts(Vec<String>),
    Gower {
        fitted: Vec<Feature>,
        table: Vec<Feature>,
    },
    Matrix(Py<PyArray2<f32>>),
    Rectangle(Py<PyArray2<f32>>),
    /// `names` are what the nodes are called, as an array of NumPy, for errors.
    Graph {
        nodes: usize,
        edges: Vec<(u32, u32, f32)>,
        streets: Streets,
        names: Option<Py<PyAny>>,
    },
    Function {
        rows: Py<PyList>,
        metric: Py<PyAny>,
    },
}

/// Sparse rows in compressed form (CSR).
struct Sparse {
    dims: usize,
    starts: Vec<usize>,
    columns: Py<PyArray1<u32>>,
    values: Py<PyArray1<f32>>,
    metric: SparseMetric,
}

/// A column of a table, from Python: 64-bit floats, or texts.
#[derive(FromPyObject)]
pub(crate) enum Column<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Categories(Vec<String>),
}

impl Column<'_> {
    fn feature(self) -> Feature {
        match self {
            Self::Numbers(numbers) => Feature::Numbers(numbers.as_array().to_vec()),
            Self::Categories(categories) => Feature::Categories(categories),
        }
    }
}

/// Whether the edges of a graph are open both ways, and which way counts if they are not.
#[derive(Clone, Copy)]
enum Streets {
    BothWays,
    /// Distances are those of the way from the center to the item.
    From,
    /// Distances are those of the way from the item to the center.
    Towards,
}

#[pymethods]
impl Items {
    /// Rows of numbers, in C order.
    #[staticmethod]
    fn vectors(values: PyReadonlyArray2<'_, f32>, metric: &str) -> PyResult<Self> {
        slice(&values)?;
        let dissimilarity = dissimilarity(metric)?;
        let metric = names::vectors(dissimilarity)?;
        Ok(Self { kind: Kind::Vectors { values: owner(&values), metric }, dissimilarity })
    }

    /// Sparse rows in compressed form (CSR): where each row begins, and the last one ends; the
    /// column of each entry; and its value.
    #[staticmethod]
    fn sparse(
        dims: usize,
        starts: PyReadonlyArray1<'_, i64>,
        columns: PyReadonlyArray1<'_, u32>,
        values: PyReadonlyArray1<'_, f32>,
        metric: &str,
    ) -> PyResult<Self> {
        let dissimilarity = dissimilarity(metric)?;
        let metric = dissimilarity.of_sparse_rows().ok_or_else(|| {
            Failure::Value(format!(
                "sparse rows have no metric {metric:?}; take l1, l2, sqeuclidean, angular, root-cosine, cosine or jaccard, \
                 or give X.toarray()"
            ))
        })?;
        let start = |&start: &i64| usize::try_from(start).unwrap_or(usize::MAX);
        let starts = starts.as_slice()?.iter().map(start).collect();
        let columns = {
            let array: &Bound<'_, PyArray1<u32>> = &columns;
            array.clone().unbind()
        };
        let values = {
            let array: &Bound<'_, PyArray1<f32>> = &values;
            array.clone().unbind()
        };
        let sparse = Sparse { dims, starts, columns, values, metric };
        Ok(Self { kind: Kind::Sparse(sparse), dissimilarity })
    }

    /// Texts, under the number of edits.
    #[staticmethod]
    fn texts(texts: Vec<String>) -> Self {
        Self { kind: Kind::Texts(texts), dissimilarity: Dissimilarity::Levenshtein }
    }

    /// Columns of numbers and categories under Gower's dissimilarity, with the ranges and
    /// categories of the fitted columns.
    #[staticmethod]
    fn gower(fitted: Vec<Column<'_>>, table: Vec<Column<'_>>) -> Self {
        let features =
            |columns: Vec<Column<'_>>| columns.into_iter().map(Column::feature).collect();
        let kind = Kind::Gower { fitted: features(fitted), table: features(table) };
        Self { kind, dissimilarity: Dissimilarity::Gower }
    }

    /// A square matrix of distances, in C order.
    #[staticmethod]
    fn matrix(values: PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        slice(&values)?;
        Ok(Self::plain(Kind::Matrix(owner(&values))))
    }

    /// A matrix of distances with a row for each client and a column for each site, in C order. The
    /// clients are the first items, and the sites follow.
    #[staticmethod]
    fn rectangle(values: PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        slice(&values)?;
        Ok(Self::plain(Kind::Rectangle(owner(&values))))
    }

    /// A graph: for each edge, both ends and its length. `streets` is `both`, or `from` or
    /// `towards` the center if edges are open one way only, from tail to head. `names` is an array
    /// of what the nodes are called, for errors.
    #[staticmethod]
    #[pyo3(signature = (nodes, tails, heads, lengths, streets="both", names=None))]
    fn graph(
        nodes: usize,
        tails: PyReadonlyArray1<'_, u32>,
        heads: PyReadonlyArray1<'_, u32>,
        lengths: PyReadonlyArray1<'_, f32>,
        streets: &str,
        names: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let streets = match streets {
            "from" => Streets::From,
            "towards" => Streets::Towards,
            _ => Streets::BothWays,
        };
        let (tails, heads, lengths) = (tails.as_slice()?, heads.as_slice()?, lengths.as_slice()?);
        let ends = tails.iter().zip(heads);
        let edges = ends.zip(lengths).map(|((&a, &b), &length)| (a, b, length)).collect();
        Ok(Self::plain(Kind::Graph { nodes, edges, streets, names }))
    }

    /// Objects, and a function that measures two of them.
    #[staticmethod]
    fn function(rows: Py<PyList>, metric: Py<PyAny>) -> Self {
        Self::plain(Kind::Function { rows, metric })
    }
}

/// The most items for which one thread is as fast as many, if their distances are in a table:
/// waking up other threads takes about as long as the search.
const FEW: usize = 1024;

/// The most items that are searched in a few milliseconds.
const VERY_FEW: usize = 512;

/// The most coordinates, over all vectors, for which measuring all distances takes little time:
/// 64 for each of [`VERY_FEW`] items.
const NUMBERS: usize = 1 << 15;

impl Items {
    /// Items whose distances are as they are given.
    fn plain(kind: Kind) -> Self {
        Self { kind, dissimilarity: Dissimilarity::Precomputed }
    }

    /// What distances of the space stand for.
    pub(crate) fn dissimilarity(&self) -> Dissimilarity {
        self.dissimilarity
    }

    /// Whether the items are so few that one thread is as fast as many.
    pub(crate) fn are_few(&self, py: Python<'_>) -> bool {
        self.are_at_hand(FEW, py)
    }

    /// Whether the items are so few that a search takes only a few milliseconds.
    pub(crate) fn are_very_few(&self, py: Python<'_>) -> bool {
        self.are_at_hand(VERY_FEW, py)
    }

    /// Whether there are at most `most` items, and their distances are known or soon measured.
    fn are_at_hand(&self, most: usize, py: Python<'_>) -> bool {
        match &self.kind {
            Kind::Matrix(values) => values.bind(py).shape()[0] <= most,
            Kind::Vectors { values, .. } => {
                let values = values.bind(py);
                values.shape()[0] <= most && values.len() <= NUMBERS
            }
            Kind::Rectangle(values) => values.bind(py).shape().iter().sum::<usize>() <= most,
            Kind::Sparse(_) | Kind::Texts(_) | Kind::Gower { .. } => false,
            Kind::Graph { .. } | Kind::Function { .. } => false,
        }
    }

    /// Does work on the space of some items, without holding the interpreter. The space borrows the
    /// memory of NumPy arrays where it can, and nobody may write to them meanwhile. What a Python
    /// function raises goes to the watch.
    pub(crate) fn work_on<T: Send>(
        items: &Py<Self>,
        watch: &Watch,
        work: impl FnOnce(&dyn Space) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        Python::attach(|py| match &items.get().kind {
            Kind::Vectors { values, metric } => {
                let values = values.bind(py).readonly();
                let (dims, metric) = (values.shape()[1], *metric);
                let rows = slice(&values)?;
                py.detach(|| {
                    let vectors = LentVectors::borrowing(dims, rows, metric)?;
                    vectors.check_scale()?;
                    work(&vectors)
                })
            }
            Kind::Sparse(Sparse { dims, starts, columns, values, metric }) => {
                let (columns, values) = (columns.bind(py).readonly(), values.bind(py).readonly());
                let in_order = "the arrays of a sparse matrix are not in one piece; give X.copy()";
                let failed = |_| Failure::Value(in_order.into());
                let columns = columns.as_slice().map_err(failed)?;
                let values = values.as_slice().map_err(failed)?;
                py.detach(|| {
                    work(&LentSparseVectors::borrowing(*dims, starts, columns, values, *metric)?)
                })
            }
            Kind::Texts(texts) => py.detach(|| work(&Texts::new(texts)?)),
            Kind::Gower { fitted, table } => py.detach(|| work(&Gower::of(fitted)?.rows(table)?)),
            Kind::Matrix(values) => {
                let values = values.bind(py).readonly();
                let (len, entries) = (values.shape()[0], slice(&values)?);
                py.detach(|| work(&Matrix::new(len, entries)?))
            }
            Kind::Rectangle(values) => {
                let values = values.bind(py).readonly();
                let (clients, sites) = (values.shape()[0], values.shape()[1]);
                let entries = slice(&values)?;
                py.detach(|| work(&SiteMatrix::new(clients, sites, entries)?))
            }
            Kind::Graph { nodes, edges, streets, names } => {
                let found = py.detach(|| {
                    let graph = match streets {
                        Streets::BothWays => Graph::new(*nodes, edges)?,
                        Streets::From => Graph::directed(*nodes, edges)?,
                        Streets::Towards => Graph::directed(*nodes, edges)?.reversed(),
                    };
                    work(&graph)
                });
                let name = |node: usize| name_of(py, names.as_ref(), node);
                found.map_err(|failure| failure.naming_nodes(*nodes, edges, name))
            }
            Kind::Function { rows, metric } => {
                let function = Function::new(py, rows, metric);
                py.detach(|| work(&*function.space(watch)?))
            }
        })
    }
}

/// A node as Python shows its name; its position if it has none.
fn name_of(py: Python<'_>, names: Option<&Py<PyAny>>, node: usize) -> String {
    let name = names.and_then(|names| names.bind(py).call_method1("item", (node,)).ok());
    name.and_then(|name| name.repr().ok()).map_or_else(|| node.to_string(), |name| name.to_string())
}

/// The numbers of an array, row after row; an error if the array is not in C order.
pub(crate) fn slice<'a>(values: &'a PyReadonlyArray2<'_, f32>) -> Result<&'a [f32], Failure> {
    let message = "the array is not in C order; use numpy.ascontiguousarray";
    values.as_slice().map_err(|_| Failure::Value(message.into()))
}

/// A handle that keeps an array alive.
pub(crate) fn owner(values: &PyReadonlyArray2<'_, f32>) -> Py<PyArray2<f32>> {
    let array: &Bound<'_, PyArray2<f32>> = values;
    array.clone().unbind()
}
