//! The items a command works on: read from a file, with their distances, names and weights.

mod sites;

use std::path::Path;

use kmedian::{Demand, Graph, Matrix, Metric, Problem, SiteMatrix, Sites, Space, Vectors};
use kmedian_data::{
    ColumnRef, Edges, ErrorKind, ItemKeys, NodeNames, Points, PointsOptions, SquareMatrix,
};
use serde_json::{Value, json};

use crate::args::Source;
use crate::console::{note, number};
use crate::failure::Failure;
use crate::geo;
use crate::places::Places;

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
    /// Which items may be centers, and which always are.
    pub(crate) sites: Sites,
    /// The number of clients, if they are apart from the sites: the first items. The sites follow.
    clients: Option<usize>,
    /// The names of the items, if the file names them.
    ids: Option<Vec<String>>,
    /// The position of each item in the file, if some of the file's items were left out.
    positions: Option<Vec<usize>>,
    /// Where the items are, if that is known.
    places: Option<Places>,
    /// The number of the first item, as the file counts: 0 or 1.
    first: usize,
    /// The columns of --keep-columns: their names, and a cell for each item.
    kept_columns: Vec<(String, Vec<String>)>,
}

impl Universe {
    /// Reads the items of a file, and prints notes about it.
    pub(crate) fn read(source: Source<'_>) -> Result<Self, Failure> {
        if source.how.largest_component && !source.how.graph {
            return Err(Failure::new(
                "--largest-component is for graphs; add --graph or leave it out",
            ));
        }
        let whole = source.how.graph || source.how.matrix || source.rectangular;
        if source.how.skip_missing && whole {
            return Err(Failure::new(
                "--skip-missing is for points: without a row, a graph or a matrix is another one; leave it out",
            ));
        }
        if source.how.skip_missing && (source.sites.is_some() || !sites::columns(source).is_empty())
        {
            return Err(Failure::new(
                "--skip-missing: with --sites, or columns of candidates or fixed centers, rows would belong to others; \
                 fill the gaps in, or remove such rows",
            ));
        }
        if source.how.keep_columns.is_some() && source.rectangular {
            return Err(Failure::new("--keep-columns: columns are sites here; leave it out"));
        }
        if source.how.nodes_from.is_some() && !source.how.graph {
            return Err(Failure::new("--nodes-from is for graphs; add --graph or leave it out"));
        }
        let mut universe = if source.how.graph {
            Self::from_graph(source)?
        } else if source.how.matrix {
            Self::from_matrix(source)?
        } else if source.rectangular {
            Self::from_rectangle(source)?
        } else {
            Self::from_points(source)?
        };
        universe.sites = sites::read(&universe, source)?;
        Ok(universe)
    }

    fn from_points(source: Source<'_>) -> Result<Self, Failure> {
        let (column, file) = weight_source(source);
        let options = PointsOptions {
            center: source.how.metric.is_translation_invariant(),
            ..table_options(source, column.clone())?
        };
        let points = kmedian_data::read_points(source.path, &options)
            .map_err(|error| in_columns(error, column.as_ref(), source))?;
        let mut points = in_order(points, source.how.metric, source.how.columns.is_some())
            .map_err(|what| Failure::new(format!("{}: {what}", source.path.display())))?;
        let clients = source.sites.map(|_| points.rows);
        if let Some(file) = source.sites {
            sites::append(&mut points, file, source)?;
        }
        let Points {
            dims,
            values,
            columns,
            ids,
            weights,
            format,
            notes,
            merged,
            offsets,
            kept,
            ..
        } = points;
        if let (Some(_), Some(file)) = (&kept, file) {
            return Err(Failure::new(format!(
                "--weights {}: rows with gaps are left out, so that its lines would belong to others; put the weights \
                 into a column of the items, or give --demand with keys",
                file.display()
            )));
        }
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
        if let Some(file) = &source.how.positions {
            return Err(Failure::new(format!(
                "--positions {}: points have coordinates of their own; leave it out, or add --graph or --matrix",
                file.display()
            )));
        }
        let space = Vectors::new(dims, &values, source.how.metric)
            .and_then(|space| space.check_scale().map(|()| space))
            .map_err(|error| in_file(source, error))?;
        let weights = weights.map_or_else(|| read_weights(file), |weights| Ok(Some(weights)))?;
        Ok(Self {
            demand: demand(source, weights, clients.unwrap_or(space.len()), space.len())?,
            sites: Sites::default(),
            clients,
            space: Box::new(space),
            metric: source.how.metric.to_string(),
            format,
            places: Places::new(source.how.metric, &columns, values, offsets),
            columns,
            edges: None,
            components: Vec::new(),
            k: None,
            ids,
            kept_columns: keep_columns(source, kept.as_deref())?,
            positions: kept,
            first: 0,
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
            demand: demand(source, read_weights(file)?, n, n)?,
            sites: Sites::default(),
            clients: None,
            space: Box::new(matrix),
            metric: "matrix".into(),
            format,
            columns: Vec::new(),
            edges: None,
            components: Vec::new(),
            k: None,
            ids,
            positions: None,
            places: read_positions(source, n)?,
            first: 0,
            kept_columns: keep_columns(source, None)?,
        })
    }

    fn from_rectangle(source: Source<'_>) -> Result<Self, Failure> {
        let (column, file) = weight_source(source);
        let options = table_options(source, column.clone())?;
        let points = kmedian_data::read_points(source.path, &options)
            .map_err(|error| in_columns(error, column.as_ref(), source))?;
        let Points { rows, dims, values, columns, ids, weights, format, notes, .. } = points;
        notes.iter().for_each(|text| note(text));
        let matrix =
            SiteMatrix::new(rows, dims, &values).map_err(|error| in_file(source, error))?;
        let weights = weights.map_or_else(|| read_weights(file), |weights| Ok(Some(weights)))?;
        // Sites have names of their own if the clients have, or if the columns are named.
        let named =
            ids.is_some() || columns.iter().zip(0..).any(|(name, at)| *name != at.to_string());
        let clients = ids.unwrap_or_else(|| (0..rows).map(|row| row.to_string()).collect());
        Ok(Self {
            demand: demand(source, weights, rows, matrix.len())?,
            sites: Sites::default(),
            clients: Some(rows),
            space: Box::new(matrix),
            metric: "rectangular matrix".into(),
            format,
            columns: Vec::new(),
            edges: None,
            components: Vec::new(),
            k: None,
            ids: named.then(|| clients.into_iter().chain(columns).collect()),
            positions: None,
            places: None,
            first: 0,
            kept_columns: Vec::new(),
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
        let read =
            if source.how.directed { kmedian_data::read_arcs } else { kmedian_data::read_edges };
        let Edges { nodes, edges, k, format, notes, names } =
            read(source.path, format, source.how.nodes_from.unwrap_or_default())?;
        notes.iter().for_each(|text| note(text));
        let (ids, first) = match names {
            NodeNames::Names(names) => (Some(names), 0),
            NodeNames::CountFrom(first) => (None, first as usize),
        };
        let edges: Vec<(u32, u32, f32)> =
            edges.iter().map(|edge| (edge.a, edge.b, edge.length)).collect();
        let mut weights = read_weights(file)?;
        if let Some(weights) = &weights {
            check_weights(source, weights, nodes)?;
        }
        let directed = source.how.directed;
        let mut places = read_positions(source, nodes)?;
        let (graph, positions, components) = if source.how.largest_component {
            let component = match directed {
                true => Graph::largest_strong_component(nodes, &edges),
                false => Graph::largest_component(nodes, &edges),
            };
            let component = component.map_err(|error| in_file(source, error))?;
            weights = weights.map(|all| component.nodes.iter().map(|&node| all[node]).collect());
            places = places.map(|places| places.of_items(&component.nodes));
            (component.graph, Some(component.nodes), component.sizes)
        } else {
            let graph =
                if directed { Graph::directed(nodes, &edges) } else { Graph::new(nodes, &edges) };
            (graph.map_err(|error| in_graph(source, &edges, error))?, None, vec![nodes])
        };
        let graph = if source.how.towards { graph.reversed() } else { graph };
        Ok(Self {
            demand: demand(source, weights, graph.len(), graph.len())?,
            sites: Sites::default(),
            clients: None,
            metric: if directed { "directed graph" } else { "graph" }.into(),
            format,
            columns: Vec::new(),
            edges: Some(graph.edges()),
            space: Box::new(graph),
            components,
            k,
            ids: ids.map(|all| match &positions {
                Some(nodes) => nodes.iter().map(|&node| all[node].clone()).collect(),
                None => all,
            }),
            positions,
            places,
            first,
            kept_columns: Vec::new(),
        })
    }

    /// The number of items, with the sites if these are apart.
    pub(crate) fn len(&self) -> usize {
        self.space.len()
    }

    /// The number of items that are served: all, or the clients if sites are apart from them.
    pub(crate) fn served(&self) -> usize {
        self.clients.unwrap_or(self.len())
    }

    /// How many items there are, in words.
    pub(crate) fn described(&self) -> String {
        match self.clients {
            Some(clients) => format!("{clients} clients, {} sites", self.len() - clients),
            None => format!("{} items", self.len()),
        }
    }

    /// What is to be solved, but for the demand and the objective.
    pub(crate) fn problem(&self) -> Result<Problem<'_>, Failure> {
        let problem = Problem::of(&*self.space).demand(&self.demand).sites(&self.sites);
        Ok(problem.build()?)
    }

    /// The position of an item in its file, from 0: that of a site in the file of the sites, if
    /// there is one, or among the columns.
    pub(crate) fn position(&self, item: usize) -> usize {
        let item = self.clients.filter(|&clients| item >= clients).map_or(item, |n| item - n);
        self.positions.as_ref().map_or(item, |positions| positions[item])
    }

    /// The name of an item, if the file names its items.
    pub(crate) fn id(&self, item: usize) -> Option<&str> {
        self.ids.as_ref().map(|ids| ids[item].as_str())
    }

    /// How to show an item: by its name, or by its number, as the file counts.
    pub(crate) fn name(&self, item: usize) -> String {
        self.id(item).map_or_else(|| (self.position(item) + self.first).to_string(), String::from)
    }

    /// What JSON calls an item: its name, or its number, as the file counts.
    pub(crate) fn label(&self, item: usize) -> Value {
        self.id(item).map_or_else(|| json!(self.position(item) + self.first), Value::from)
    }

    /// The keys by which private records name the items: names, or positions in the file. `file` is
    /// for errors.
    pub(crate) fn keys(&self, file: &Path) -> Result<ItemKeys<'_>, Failure> {
        match (&self.ids, &self.positions) {
            (Some(ids), _) => Ok(ItemKeys::named(file, ids)?),
            (None, None) if self.first == 0 => Ok(ItemKeys::positions(self.len())),
            (None, _) => {
                let number = |item| self.position(item) + self.first;
                Ok(ItemKeys::numbered(&(0..self.len()).map(number).collect::<Vec<_>>()))
            }
        }
    }

    /// The columns of --keep-columns: their names, and a cell for each item.
    pub(crate) fn kept_columns(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.kept_columns.iter().map(|(name, cells)| (name.as_str(), cells.as_slice()))
    }

    /// Where the items are, if that is known.
    pub(crate) fn places(&self) -> Option<&Places> {
        self.places.as_ref()
    }

    /// Whether the items have names or numbers of their own, other than their positions.
    pub(crate) fn has_ids(&self) -> bool {
        self.ids.is_some() || self.first > 0
    }

    /// The unit of distances, if it is known.
    pub(crate) fn unit(&self) -> Option<&'static str> {
        (self.metric == Metric::Haversine.to_string()).then_some("km")
    }

    /// How records name the items, in words.
    pub(crate) fn naming(&self) -> String {
        match (&self.ids, self.first) {
            (Some(_), _) => format!("by name, such as {}", self.name(0)),
            (None, 0) => "by their positions from 0, as there is no --id".to_owned(),
            (None, first) => format!("by their numbers in the file, which count from {first}"),
        }
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
    path.as_os_str() == "-" || path.metadata().is_ok_and(|found| !found.is_dir())
}

/// The columns of --keep-columns, each read by itself. `rows` are the rows of the file that are
/// items, if some are not.
fn keep_columns(
    source: Source<'_>,
    rows: Option<&[usize]>,
) -> Result<Vec<(String, Vec<String>)>, Failure> {
    let Some(columns) = &source.how.keep_columns else { return Ok(Vec::new()) };
    if source.path.as_os_str() == "-" {
        return Err(Failure::new(
            "--keep-columns reads the items once more, which standard input does not allow; save them first",
        ));
    }
    let options = table_options(source, None)?;
    let read = |column: &ColumnRef| {
        let mut all = kmedian_data::read_texts(source.path, column, &options)?;
        if let Some(sites) = source.sites {
            all.extend(kmedian_data::read_texts(sites, column, &options)?);
        }
        let cells = match rows {
            Some(rows) => rows.iter().filter_map(|&row| all.get(row).cloned()).collect(),
            None => all,
        };
        let name = match column {
            ColumnRef::Name(name) => name.clone(),
            ColumnRef::Index(position) => position.to_string(),
        };
        Ok((name, cells))
    };
    columns.0.iter().map(read).collect()
}

/// Where the nodes of a graph or the items of a matrix are, if there is a file of it.
fn read_positions(source: Source<'_>, items: usize) -> Result<Option<Places>, Failure> {
    let Some(file) = &source.how.positions else { return Ok(None) };
    let points = kmedian_data::read_points(file, &PointsOptions::default())?;
    let path = file.display();
    if points.rows != items {
        return Err(Failure::new(format!(
            "--positions {path}: has {} rows, but {} has {items} items; give a row of coordinates for each",
            points.rows,
            source.path.display()
        )));
    }
    let metric = source.how.positions_metric.unwrap_or_else(|| {
        if !geo::are_degrees(&points.columns) {
            return Metric::L2;
        }
        let named = points.columns.join(" and ");
        note(&format!(
            "--positions {path}: the columns {named} are taken for degrees on the globe; --positions-metric l2 takes \
             them for plain coordinates"
        ));
        Metric::Haversine
    });
    let Points { columns, values, offsets, .. } = in_order(points, metric, false)
        .map_err(|what| Failure::new(format!("--positions {path}: {what}")))?;
    let places = Places::new(metric, &columns, values, offsets);
    places.map(Some).ok_or_else(|| {
        Failure::new(format!(
            "--positions {path}: has {} columns, which are no place",
            columns.len()
        ))
    })
}

/// Points whose columns are in the order that the metric wants, as far as their names tell.
fn in_order(points: Points, metric: Metric, chosen: bool) -> Result<Points, String> {
    if metric == Metric::Haversine { geo::latitude_first(points, chosen) } else { Ok(points) }
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

/// The demand at `all` items, of which the first `served` have weights, or one each. The others,
/// which are sites, have none.
fn demand(
    source: Source<'_>,
    weights: Option<Vec<f64>>,
    served: usize,
    all: usize,
) -> Result<Demand, Failure> {
    if weights.is_none() && served == all {
        return Ok(Demand::uniform(all));
    }
    let mut weights = weights.unwrap_or_else(|| vec![1.0; served]);
    check_weights(source, &weights, served)?;
    weights.resize(all, 0.0);
    let from = source.weights.unwrap_or_default();
    Demand::new(weights).map_err(|error| Failure::new(format!("--weights {from}: {error}")))
}

fn table_options(source: Source<'_>, weight: Option<ColumnRef>) -> Result<PointsOptions, Failure> {
    Ok(PointsOptions {
        columns: source.how.columns.as_ref().map(|columns| columns.0.clone()),
        id: source.how.id.clone(),
        weight,
        others: sites::columns(source),
        header: source.how.header,
        format: source.how.table_format().map_err(Failure::new)?,
        center: false,
        skip_missing: source.how.skip_missing,
    })
}

/// An error of a file's columns. If a column of weights, candidates or fixed centers is missing, it
/// adds that there is no such file either.
fn in_columns(
    error: kmedian_data::Error,
    weight: Option<&ColumnRef>,
    source: Source<'_>,
) -> Failure {
    let missing = |column: &ColumnRef| match column {
        ColumnRef::Name(name) => error.to_string().contains(&format!("no column `{name}`")),
        ColumnRef::Index(_) => false,
    };
    let choices = sites::columns(source);
    let choice = choices.iter().find(|column| missing(column));
    match (weight.filter(|column| missing(column)), choice) {
        (Some(ColumnRef::Name(name)), _) => {
            Failure::from(error).and(&format!("and there is no file `{name}` of weights"))
        }
        (_, Some(ColumnRef::Name(name))) => {
            Failure::from(error).and(&format!("and there is no file `{name}`"))
        }
        _ => error.into(),
    }
}

/// An error about a graph. If it is disconnected and no edge is at node 0, it adds that the nodes
/// are probably counted from 1.
fn in_graph(source: Source<'_>, edges: &[(u32, u32, f32)], error: kmedian::Error) -> Failure {
    let from_one = edges.iter().all(|edge| edge.0.min(edge.1) > 0);
    let hint = if from_one && error.kind() == kmedian::ErrorKind::Disconnected {
        "; nodes count from 0, and no edge is at node 0: if the file counts from 1, give --nodes-from 1"
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
