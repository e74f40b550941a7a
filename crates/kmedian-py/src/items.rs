//! Items as Python has them, and the space that the core makes of them.

use kmedian::{Graph, Matrix, Metric, Space, Vectors};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::door::Watch;
use crate::failure::Failure;
use crate::function::Function;
use crate::names::metric;

/// What is to be clustered: rows of numbers, a matrix of distances, a graph, or rows and a function of two of them.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Items {
    kind: Kind,
}

enum Kind {
    Vectors { values: Py<PyArray2<f32>>, metric: Metric },
    Matrix(Py<PyArray2<f32>>),
    Graph { nodes: usize, edges: Vec<(u32, u32, f32)> },
    Function { rows: Py<PyList>, metric: Py<PyAny> },
}

#[pymethods]
impl Items {
    /// Rows of numbers, in C order.
    #[staticmethod]
    fn vectors(values: PyReadonlyArray2<'_, f32>, metric: &str) -> PyResult<Self> {
        contiguous(&values)?;
        let metric = self::metric(metric)?;
        Ok(Self { kind: Kind::Vectors { values: owner(&values), metric } })
    }

    /// A square matrix of distances, in C order.
    #[staticmethod]
    fn matrix(values: PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        contiguous(&values)?;
        Ok(Self { kind: Kind::Matrix(owner(&values)) })
    }

    /// The edges of an undirected graph: both ends, and the length.
    #[staticmethod]
    fn graph(
        nodes: usize,
        tails: PyReadonlyArray1<'_, u32>,
        heads: PyReadonlyArray1<'_, u32>,
        lengths: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let (tails, heads, lengths) = (tails.as_slice()?, heads.as_slice()?, lengths.as_slice()?);
        let ends = tails.iter().zip(heads);
        let edges = ends.zip(lengths).map(|((&a, &b), &length)| (a, b, length)).collect();
        Ok(Self { kind: Kind::Graph { nodes, edges } })
    }

    /// Rows, and a function that measures two of them.
    #[staticmethod]
    fn function(rows: Py<PyList>, metric: Py<PyAny>) -> Self {
        Self { kind: Kind::Function { rows, metric } }
    }
}

/// Items whose memory is lent to the core for the time of a call.
pub(crate) enum Lent<'a> {
    Vectors { dims: usize, values: &'a [f32], metric: Metric },
    Matrix { len: usize, values: &'a [f32] },
    Graph { nodes: usize, edges: &'a [(u32, u32, f32)] },
    Function(Function),
}

impl Items {
    /// Lends the memory of arrays. Nobody may write to them meanwhile.
    pub(crate) fn lend<T>(
        &self,
        py: Python<'_>,
        use_it: impl FnOnce(Lent<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        match &self.kind {
            Kind::Vectors { values, metric } => {
                let values = values.bind(py).readonly();
                let (dims, metric) = (values.shape()[1], *metric);
                use_it(Lent::Vectors { dims, values: values.as_slice()?, metric })
            }
            Kind::Matrix(values) => {
                let values = values.bind(py).readonly();
                let len = values.shape()[0];
                use_it(Lent::Matrix { len, values: values.as_slice()? })
            }
            Kind::Graph { nodes, edges } => use_it(Lent::Graph { nodes: *nodes, edges }),
            Kind::Function { rows, metric } => {
                use_it(Lent::Function(Function::new(py, rows, metric)))
            }
        }
    }
}

impl<'a> Lent<'a> {
    /// The space, which uses lent memory where it can. What a function raises goes to the watch.
    pub(crate) fn space(self, watch: &'a Watch) -> Result<Box<dyn Space + 'a>, Failure> {
        Ok(match self {
            Self::Vectors { dims, values, metric } => {
                Box::new(Vectors::borrowing(dims, values, metric)?)
            }
            Self::Matrix { len, values } => Box::new(Matrix::new(len, values)?),
            Self::Graph { nodes, edges } => Box::new(Graph::new(nodes, edges)?),
            Self::Function(function) => Box::new(function.space(watch)?),
        })
    }
}

/// Refuses an array that the core could not read as it is.
fn contiguous(values: &PyReadonlyArray2<'_, f32>) -> PyResult<()> {
    values.as_slice().map(|_| ()).map_err(|_| {
        PyValueError::new_err("the array is not in C order; use numpy.ascontiguousarray")
    })
}

fn owner(values: &PyReadonlyArray2<'_, f32>) -> Py<PyArray2<f32>> {
    let array: &Bound<'_, PyArray2<f32>> = values;
    array.clone().unbind()
}
