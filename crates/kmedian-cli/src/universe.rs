//! The items a command works on: read from a file, with their distances, names and weights.

use std::path::Path;

use kmedian::{Demand, Graph, Matrix, Metric, Space, Vectors};
use kmedian_data::{ColumnRef, Edges, ErrorKind, ItemKeys, Points, PointsOptions, SquareMatrix};

use crate::args::Source;
use crate::console::{note, number};
use crate::failure::Failure;

/// 2⁵³: beyond it, 64-bit floats cannot hold every whole number.
const WHOLE_NUMBERS: f64 = 9_007_199_254_740_992.0;

/// The items of a file with their distances, and what else the file says about them.
pub(crate) struct Universe {
    pub(crate) space: Box<dyn Space>,
    /// What kind of space it is: a metric's name, `graph` or `matrix`.
    pub(crate) metric: String,
    /// The format of the file, for people.
    pub(crate) format: &'static str,
    /// The names of the coordinates; empty for graphs and matrices.
    pub(crate) columns: Vec<String>,
    /// The number of edges, if the file is a graph.
    pub(crate) edges: Option<usize>,
    /// The sizes of a graph's components, of which only the first is used; empty if the file is not
    /// a graph.
    pub(crate) components: Vec<usize>,
    /// The number of centers that the file itself asks for, if it does.
    pub(crate) k: Option<usize>,
    /// How much each item counts.
    pub(crate) demand: Demand,
    /// The names of the items, if the file names them.
    ids: Option<Vec<String>>,
    /// The position of each item in the file, if some of the file's items were left out.
    positions: Option<Vec<usize>>,
}

impl Universe {
    /// Reads the items of a file, and prints notes about it.
    pub(crate) fn read(source: Source<'_>) -> Result<Self, Failure> {
        if source.how.largest_component && !source.how.graph {
            return Err(Failure::new(
                "--largest-component is for graphs; add --graph or leave it out",
            ));
        }
        if source.how.graph {
            Self::from_graph(source)
        } else if source.how.matrix {
            Self::from_matrix(source)
        } else {
            Self::from_points(source)
        }
    }

    fn from_points(source: Source<'_>) -> Result<Self, Failure> {
        let (column, file) = weight_source(source);
        let options = PointsOptions {
            center: translation_invariant(source.how.metric),
            ..table_options(source, column.clone())?
        };
        let points = kmedian_data::read_points(source.path, &options)
            .map_err(|error| in_columns(error, column.as_ref()))?;
        let Points { dims, values, columns, ids, weights, format, notes, merged, offsets, .. } =
            points;
        notes.iter().for_each(|text| note(text));
        if merged > 0 {
            note(&format!(
                "{merged} rows differ from others only beyond the seven digits of 32-bit numbers, and are \
                 in one place with them; scale the columns, or subtract what all have in common"
            ));
        }
        let beyond = |size: f64| size >= WHOLE_NUMBERS;
        if offsets.iter().any(|offset| beyond(offset.abs()))
            || values.iter().any(|value| beyond(f64::from(value.abs())))
        {
            note(
                "there are numbers beyond 9,007,199,254,740,992, of which 64-bit floats skip whole ones: rows that \
                 differ by less are in one place; subtract what all have in common first",
            );
        }
        let space = Vectors::new(dims, &values, source.how.metric)
            .and_then(|space| space.check_scale().map(|()| space))
            .map_err(|error| in_file(source, error))?;
        let weights = weights.map_or_else(|| read_weights(file), |weights| Ok(Some(weights)))?;
        Ok(Self {
            demand: demand(source, weights, space.len())?,
            space: Box::new(space),
            metric: source.how.metric.to_string(),
            format,
            columns,
            edges: None,
            components: Vec::new(),
            k: None,
            ids,
            positions: None,
        })
    }

    fn from_matrix(source: Source<'_>) -> Result<Self, Failure> {
        let (column, file) = weight_source(source);
        if let Some(ColumnRef::Name(name)) = column {
            return Err(Failure::new(format!(
                "{name}: there is no such file with the weights of a matrix's items"
            )));
        }
        let SquareMatrix { n, values, ids, format, notes, .. } =
            kmedian_data::read_matrix(source.path, &table_options(source, None)?)?;
        notes.iter().for_each(|text| note(text));
        let matrix = Matrix::without_noise(n, values).map_err(|error| in_file(source, error))?;
        if let Some(broken) = matrix.triangle_violation() {
            let [a, b, c] = broken.items;
            note(&format!(
                "not a metric: {a} to {c} is {}, but only {} by way of {b}; the centers carry no guarantee",
                number(f64::from(broken.direct)),
                number(f64::from(broken.detour))
            ));
        }
        Ok(Self {
            demand: demand(source, read_weights(file)?, n)?,
            space: Box::new(matrix),
            metric: "matrix".into(),
            format,
            columns: Vec::new(),
            edges: None,
            components: Vec::new(),
            k: None,
            ids,
            positions: None,
        })
    }

    fn from_graph(source: Source<'_>) -> Result<Self, Failure> {
        let (column, file) = weight_source(source);
        if let Some(ColumnRef::Name(name)) = column {
            return Err(Failure::new(format!(
                "{name}: there is no such file with the weights of a graph's nodes"
            )));
        }
        let format = source.how.graph_format().map_err(Failure::new)?;
        let Edges { nodes, edges, k, format, notes } =
            kmedian_data::read_edges(source.path, format)?;
        notes.iter().for_each(|text| note(text));
        let edges: Vec<(u32, u32, f32)> =
            edges.iter().map(|edge| (edge.a, edge.b, edge.length)).collect();
        let mut weights = read_weights(file)?;
        if let Some(weights) = &weights {
            check_weights(source, weights, nodes)?;
        }
        let (graph, positions, components) = if source.how.largest_component {
            let component =
                Graph::largest_component(nodes, &edges).map_err(|error| in_file(source, error))?;
            weights = weights.map(|all| component.nodes.iter().map(|&node| all[node]).collect());
            (component.graph, Some(component.nodes), component.sizes)
        } else {
            let graph =
                Graph::new(nodes, &edges).map_err(|error| in_graph(source, &edges, error))?;
            (graph, None, vec![nodes])
        };
        Ok(Self {
            demand: demand(source, weights, graph.len())?,
            metric: "graph".into(),
            format,
            columns: Vec::new(),
            edges: Some(graph.edges()),
            space: Box::new(graph),
            components,
            k,
            ids: None,
            positions,
        })
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.space.len()
    }

    /// The position of an item in the file, from 0.
    pub(crate) fn position(&self, item: usize) -> usize {
        self.positions.as_ref().map_or(item, |positions| positions[item])
    }

    /// The name of an item, if the file names its items.
    pub(crate) fn id(&self, item: usize) -> Option<&str> {
        self.ids.as_ref().map(|ids| ids[item].as_str())
    }

    /// How to show an item: by its name, or by its position in the file.
    pub(crate) fn name(&self, item: usize) -> String {
        self.id(item).map_or_else(|| self.position(item).to_string(), String::from)
    }

    /// The keys by which private records name the items: names, or positions in the file. `file` is
    /// for errors.
    pub(crate) fn keys(&self, file: &Path) -> Result<ItemKeys<'_>, Failure> {
        match (&self.ids, &self.positions) {
            (Some(ids), _) => Ok(ItemKeys::named(file, ids)?),
            (None, Some(positions)) => Ok(ItemKeys::numbered(positions)),
            (None, None) => Ok(ItemKeys::positions(self.len())),
        }
    }

    /// Whether the items have names.
    pub(crate) fn has_ids(&self) -> bool {
        self.ids.is_some()
    }
}

/// Where the weights are: in a column of the input, or in a file of their own. If there is a file
/// of that name, it is taken.
fn weight_source(source: Source<'_>) -> (Option<ColumnRef>, Option<&Path>) {
    match source.weights {
        None => (None, None),
        Some(name) if is_file_or_pipe(Path::new(name)) => (None, Some(Path::new(name))),
        Some(name) => (Some(ColumnRef::from(name)), None),
    }
}

/// Whether a path exists and is not a folder, so that it can hold weights.
fn is_file_or_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_dir())
}

/// Whether distances stay the same if the same number is subtracted from a coordinate of all items.
fn translation_invariant(metric: Metric) -> bool {
    match metric {
        Metric::L1 | Metric::L2 | Metric::Linf | Metric::Hamming => true,
        // The angular and the haversine metric do not; of metrics to come, nothing is known.
        _ => false,
    }
}

fn read_weights(file: Option<&Path>) -> Result<Option<Vec<f64>>, Failure> {
    let Some(file) = file else { return Ok(None) };
    kmedian_data::read_weights(file, None).map(Some).map_err(|error| match error.kind() {
        ErrorKind::Column => Failure::new(format!(
            "{}: has several columns; a file of weights has one, so remove the others",
            file.display()
        )),
        _ => error.into(),
    })
}

fn check_weights(source: Source<'_>, weights: &[f64], items: usize) -> Result<(), Failure> {
    if weights.len() == items {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{}: has {} weights, but {} has {items} items; give one weight an item",
        source.weights.unwrap_or_default(),
        weights.len(),
        source.path.display()
    )))
}

fn demand(source: Source<'_>, weights: Option<Vec<f64>>, items: usize) -> Result<Demand, Failure> {
    let Some(weights) = weights else { return Ok(Demand::uniform(items)) };
    check_weights(source, &weights, items)?;
    let from = source.weights.unwrap_or_default();
    Demand::new(weights).map_err(|error| Failure::new(format!("--weights {from}: {error}")))
}

fn table_options(source: Source<'_>, weight: Option<ColumnRef>) -> Result<PointsOptions, Failure> {
    Ok(PointsOptions {
        columns: source.how.columns.clone(),
        id: source.how.id.clone(),
        weight,
        header: source.how.header,
        format: source.how.table_format().map_err(Failure::new)?,
        center: false,
    })
}

/// An error of a file's columns. If the column of weights is missing, it adds that there is no such
/// file either.
fn in_columns(error: kmedian_data::Error, weight: Option<&ColumnRef>) -> Failure {
    match weight {
        Some(ColumnRef::Name(name))
            if error.to_string().contains(&format!("no column `{name}`")) =>
        {
            Failure::from(error).and(&format!("and there is no file `{name}` of weights"))
        }
        _ => error.into(),
    }
}

/// An error about a graph. If it is disconnected and no edge is at node 0, it adds that the nodes
/// are probably counted from 1.
fn in_graph(source: Source<'_>, edges: &[(u32, u32, f32)], error: kmedian::Error) -> Failure {
    let from_one = edges.iter().all(|edge| edge.0.min(edge.1) > 0);
    let hint = if from_one && error.kind() == kmedian::ErrorKind::Disconnected {
        "; nodes count from 0, and no edge is at node 0: is the file counted from 1?"
    } else {
        ""
    };
    Failure::new(format!("{}{hint}", in_file(source, error).message()))
}

/// An error of the algorithms, with the file that it is about.
fn in_file(source: Source<'_>, error: kmedian::Error) -> Failure {
    let file = source.path.display();
    match error.kind() {
        // Vectors have the wrong shape if they have too many or too few columns for their metric.
        kmedian::ErrorKind::Shape => Failure::new(format!("{file}: {error} with --columns")),
        _ => Failure::new(format!("{file}: {}", Failure::from(error).message())),
    }
}
