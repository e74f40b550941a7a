//! A universe from points, a matrix, a table of clients and sites, or a graph.

use kmedian::{Dissimilarity, Graph, Matrix, SiteMatrix, Sites, Space, Vectors};
use kmedian_data::{ColumnRef, Edges, NodeNames, Points, PointsOptions, SquareMatrix};

use super::errors::{check_numbers, in_columns, in_file, in_graph};
use super::positions::{self, Called};
use super::table::{in_order, keep_columns, table_options};
use super::weights::{check_weights, demand, read_weights, weight_source};
use super::{Universe, sites};
use crate::args::Source;
use crate::console::{counted, grouped, note, number};
use crate::failure::Failure;
use crate::places::{Places, Rows};

/// 2⁵³: beyond it, 64-bit floats cannot hold every whole number.
const WHOLE_NUMBERS: f64 = 9_007_199_254_740_992.0;

impl Universe {
    /// Items with coordinates, with the sites after them if these are in a file of their own.
    pub(super) fn from_points(source: Source<'_>) -> Result<Self, Failure> {
        let (column, file) = weight_source(source);
        let metric = source.how.vector_metric();
        let options = PointsOptions {
            center: metric.is_translation_invariant(),
            ..table_options(source, column.clone())?
        };
        let points = kmedian_data::read_points(source.path, &options)
            .map_err(|error| in_columns(error, column.as_ref(), source))?;
        let mut points = in_order(points, metric, source.how.columns.is_some())
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
        let made = |values: &[f32]| {
            Vectors::new(dims, values, metric).and_then(|space| space.check_scale().map(|()| space))
        };
        let space = made(&values).map_err(|error| {
            // An error is about the sites if they have it alone, with their own rows.
            let of_sites = clients.and_then(|clients| made(&values[clients * dims..]).err());
            match (source.sites, of_sites) {
                (Some(path), Some(error)) => in_file(Source { path, ..source }, error),
                _ => in_file(source, error),
            }
        })?;
        let weights = weights.map_or_else(|| read_weights(file), |weights| Ok(Some(weights)))?;
        Ok(Self {
            demand: demand(source, weights, clients.unwrap_or(space.len()), space.len())?,
            sites: Sites::default(),
            clients,
            space: Box::new(space),
            metric: source.how.metric.to_string(),
            dissimilarity: source.how.metric,
            format,
            rows: if source.rows { Rows::new(dims, &values, &offsets) } else { None },
            places: Places::new(metric, &columns, values, offsets),
            columns,
            edges: None,
            roads: None,
            components: Vec::new(),
            k: None,
            ids,
            kept_columns: keep_columns(source, kept.as_deref())?,
            positions: kept,
            first: 0,
        })
    }

    /// Items whose distances are a square table.
    pub(super) fn from_matrix(source: Source<'_>) -> Result<Self, Failure> {
        let (column, file) = weight_source(source);
        if let Some(ColumnRef::Name(name)) = column {
            return Err(Failure::new(format!(
                "{name}: there is no such file with the weights of a matrix's items"
            )));
        }
        let clients =
            "if rows are clients and columns are sites, `fit` reads it with --rectangular";
        let SquareMatrix { n, values, ids, format, notes, .. } =
            kmedian_data::read_matrix(source.path, &table_options(source, None)?).map_err(
                |error| match error.kind() {
                    kmedian_data::ErrorKind::Shape => Failure::from(error).and(clients),
                    _ => error.into(),
                },
            )?;
        notes.iter().for_each(|text| note(text));
        let matrix = Matrix::without_noise(n, values).map_err(|error| match error.kind() {
            kmedian::ErrorKind::NotAMetric => in_file(source, error).and(clients),
            _ => in_file(source, error),
        })?;
        if let Some(broken) = matrix.triangle_violation() {
            let [a, b, c] = broken.items;
            note(&format!(
                "not a metric: {a} to {c} is {}, but only {} by way of {b}; the centers carry no guarantee",
                number(f64::from(broken.direct)),
                number(f64::from(broken.detour))
            ));
        }
        let called = Called { items: n, names: ids.as_deref(), first: 0 };
        let places = positions::read(source, called)?;
        Ok(Self {
            demand: demand(source, read_weights(file)?, n, n)?,
            sites: Sites::default(),
            clients: None,
            space: Box::new(matrix),
            metric: "matrix".into(),
            dissimilarity: Dissimilarity::Precomputed,
            format,
            columns: Vec::new(),
            edges: None,
            roads: None,
            components: Vec::new(),
            k: None,
            ids,
            positions: None,
            places,
            rows: None,
            first: 0,
            kept_columns: keep_columns(source, None)?,
        })
    }

    /// Clients, a row each, and sites, a column each.
    pub(super) fn from_rectangle(source: Source<'_>) -> Result<Self, Failure> {
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
            dissimilarity: Dissimilarity::Precomputed,
            format,
            columns: Vec::new(),
            edges: None,
            roads: None,
            components: Vec::new(),
            k: None,
            ids: named.then(|| clients.into_iter().chain(columns).collect()),
            positions: None,
            places: None,
            rows: None,
            first: 0,
            kept_columns: Vec::new(),
        })
    }

    /// The nodes of a graph, or of its largest component.
    pub(super) fn from_graph(source: Source<'_>) -> Result<Self, Failure> {
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
        let called = Called { items: nodes, names: ids.as_deref(), first };
        let mut places = positions::read(source, called)?;
        let (graph, positions, components) = if source.how.largest_component {
            let component = match directed {
                true => Graph::largest_strong_component(nodes, &edges),
                false => Graph::largest_component(nodes, &edges),
            };
            let component = component.map_err(|error| in_file(source, error))?;
            weights = weights.map(|all| component.nodes.iter().map(|&node| all[node]).collect());
            places = places.map(|places| places.of_items(&component.nodes));
            if let [kept, others @ ..] = component.sizes.as_slice()
                && !others.is_empty()
            {
                note(&format!(
                    "--largest-component: {} of {} are kept; the others are in {}",
                    grouped(*kept as f64),
                    counted(nodes, "node"),
                    counted(others.len(), "smaller component")
                ));
            }
            (component.graph, Some(component.nodes), component.sizes)
        } else {
            let graph =
                if directed { Graph::directed(nodes, &edges) } else { Graph::new(nodes, &edges) };
            let graph = graph.map_err(|error| in_graph(source, &edges, nodes, error))?;
            if directed && source.goal.is_some() {
                check_numbers(source, &edges, nodes)?;
            }
            let components = if directed { graph.component_sizes() } else { vec![nodes] };
            (graph, None, components)
        };
        let graph = if source.how.towards { graph.reversed() } else { graph };
        let roads = places.as_ref().map(|_| roads(&edges, nodes, positions.as_deref()));
        Ok(Self {
            demand: demand(source, weights, graph.len(), graph.len())?,
            sites: Sites::default(),
            clients: None,
            metric: if directed { "directed graph" } else { "graph" }.into(),
            dissimilarity: Dissimilarity::Precomputed,
            format,
            columns: Vec::new(),
            edges: Some(graph.edges()),
            roads,
            space: Box::new(graph),
            components,
            k,
            ids: ids.map(|all| match &positions {
                Some(nodes) => nodes.iter().map(|&node| all[node].clone()).collect(),
                None => all,
            }),
            positions,
            places,
            rows: None,
            first,
            kept_columns: Vec::new(),
        })
    }
}

/// The two ends of every edge between different nodes, each pair once, by their positions among the
/// nodes that are `kept` of `nodes` (`None`: all are).
fn roads(edges: &[(u32, u32, f32)], nodes: usize, kept: Option<&[usize]>) -> Vec<[u32; 2]> {
    let mut place: Vec<Option<u32>> = vec![None; nodes];
    match kept {
        Some(kept) => kept.iter().zip(0..).for_each(|(&node, at)| place[node] = Some(at)),
        None => place.iter_mut().zip(0..).for_each(|(place, at)| *place = Some(at)),
    }
    let ends = |&(a, b, _): &(u32, u32, f32)| {
        let (a, b) = (place[a as usize]?, place[b as usize]?);
        (a != b).then_some([a.min(b), a.max(b)])
    };
    let mut roads: Vec<[u32; 2]> = edges.iter().filter_map(ends).collect();
    roads.sort_unstable();
    roads.dedup();
    roads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_road_is_there_once_whichever_way_it_goes() {
        let edges = [(3, 1, 1.0), (1, 3, 2.0), (0, 0, 1.0), (1, 2, 1.0), (0, 2, 1.0)];
        assert_eq!(roads(&edges, 4, None), [[0, 2], [1, 2], [1, 3]]);
        assert_eq!(roads(&edges, 4, Some(&[1, 2, 3])), [[0, 1], [0, 2]]);
    }
}
