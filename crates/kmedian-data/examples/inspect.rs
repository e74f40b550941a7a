//! Prints what the readers make of a file: `inspect points|graph FILE [COLUMNS [ID [WEIGHT]]]`.

use std::path::Path;
use std::time::Instant;

use kmedian_data::{ColumnRef, Error, PointsOptions, read_edges, read_points};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["graph", file] => inspect_graph(Path::new(file)),
        ["points", file, ref columns @ ..] => inspect_points(Path::new(file), columns),
        _ => {
            eprintln!("usage: inspect points|graph FILE [COLUMNS [ID [WEIGHT]]]");
            std::process::exit(2);
        }
    };
    match result {
        Ok(()) => println!("{:.2} s", start.elapsed().as_secs_f64()),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// `-` stands for a part that is not wanted.
fn inspect_points(path: &Path, columns: &[&str]) -> Result<(), Error> {
    let part = |i: usize| columns.get(i).copied().filter(|&part| part != "-");
    let options = PointsOptions {
        columns: part(0).map(|list| list.split(',').map(ColumnRef::from).collect()),
        id: part(1).map(ColumnRef::from),
        weight: part(2).map(ColumnRef::from),
        ..PointsOptions::default()
    };
    let points = read_points(path, &options)?;
    println!("{}: {} points of {} dimensions", points.format, points.rows, points.dims);
    println!("columns {:?}", &points.columns[..points.dims.min(8)]);
    for row in points.values.chunks_exact(points.dims).take(3) {
        println!("  {:?}", &row[..points.dims.min(8)]);
    }
    println!("ids {:?}", points.ids.map(|ids| ids.into_iter().take(3).collect::<Vec<_>>()));
    println!("weights {:?}", points.weights.map(|w| w.into_iter().take(3).collect::<Vec<_>>()));
    points.notes.iter().for_each(|note| println!("note: {note}"));
    Ok(())
}

fn inspect_graph(path: &Path) -> Result<(), Error> {
    let graph = read_edges(path, None)?;
    println!("{}: {} nodes, {} edges", graph.format, graph.nodes, graph.edges.len());
    println!("k {:?}, {:?}", graph.k, &graph.edges[..3.min(graph.edges.len())]);
    graph.notes.iter().for_each(|note| println!("note: {note}"));
    Ok(())
}
