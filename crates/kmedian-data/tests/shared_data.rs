//! The readers on real files, which lie beside the checkout and are not part of it: `cargo xtask
//! test` runs these tests by name.

use std::path::PathBuf;

use kmedian_data::{Nodes, Points, PointsOptions, read_edges, read_points, read_weights};

/// A file of the shared folder; the readers say so if it is absent.
fn shared(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(file)
}

fn points(file: &str) -> Points {
    read_points(&shared(file), &PointsOptions::default()).expect("a readable file")
}

#[test]
#[ignore = "needs ../shared/data"]
fn mnist_images_and_labels() {
    let images = points("mnist/t10k-images-idx3-ubyte.gz");
    assert_eq!((images.rows, images.dims, images.format), (10_000, 784, "IDX (gzip)"));
    assert!(images.values.iter().all(|pixel| (0.0..=255.0).contains(pixel)));
    let path = shared("mnist/train-labels-idx1-ubyte.gz");
    let labels = read_weights(&path, None).unwrap();
    assert_eq!(labels.len(), 60_000);
    assert_eq!(labels[..5], [5.0, 0.0, 4.0, 1.0, 9.0]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn benchmark_points() {
    for (name, rows, dims) in [("s1", 5_000, 2), ("a1", 3_000, 2), ("dim032", 1_024, 32)] {
        let points = points(&format!("points/sipu/{name}.txt.gz"));
        assert_eq!((points.rows, points.dims, points.format), (rows, dims, "text (gzip)"));
        assert!(points.notes.is_empty());
    }
    let s1 = points("points/sipu/s1.txt.gz");
    assert_eq!(s1.values[..2], [664_159.0, 550_946.0]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn cities_need_chosen_columns() {
    let path = shared("points/geonames-cities1000.tsv.gz");
    let options = PointsOptions {
        columns: Some(vec!["0".into(), "1".into()]),
        id: Some("4".into()),
        weight: Some("2".into()),
        ..PointsOptions::default()
    };
    let cities = read_points(&path, &options).unwrap();
    assert_eq!((cities.rows, cities.dims, cities.format), (135_233, 2, "TSV (gzip)"));
    assert_eq!(cities.ids.unwrap()[0], "3039154");
    assert_eq!(cities.weights.unwrap()[0], 1052.0);
    assert_eq!(cities.values[..2], [42.57952, 1.65362]);

    // Without a choice all columns of numbers are coordinates, ids and populations too, and a note
    // names the countries, which are left out.
    let all = read_points(&path, &PointsOptions::default()).unwrap();
    assert_eq!(all.dims, 4);
    assert!(all.notes.iter().any(|note| note.contains("left out") && note.contains('3')));
}

#[test]
#[ignore = "needs ../shared/data"]
fn roads_and_social_graphs() {
    for (name, nodes, edges) in [
        ("roads/oldenburg", 6_105, 7_029),
        ("roads/california", 21_048, 21_693),
        ("roads/osm-amsterdam", 58_600, 66_168),
        ("social/facebook", 4_039, 88_234),
        ("social/deezer-RO", 41_773, 125_826),
    ] {
        let path = shared(&format!("{name}.graph.txt.gz"));
        let graph = read_edges(&path, None, Nodes::Auto).unwrap();
        assert_eq!((graph.nodes, graph.edges.len(), graph.k), (nodes, edges, None), "{name}");
        assert_eq!(graph.notes, [""; 0], "{name}");
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn or_library_states_its_own_k() {
    let path = shared("orlib/pmed1.txt");
    let graph = read_edges(&path, None, Nodes::Auto).unwrap();
    assert_eq!((graph.nodes, graph.k, graph.format), (100, Some(5), "OR-Library"));
    // 200 lines, two of which repeat a pair with another length.
    assert_eq!(graph.edges.len(), 198);
    for instance in (1..=39).step_by(2) {
        let path = shared(&format!("orlib/pmed{instance}.txt"));
        let named = read_edges(&path, None, Nodes::Auto).unwrap();
        // The content alone must give the format away too.
        let copy = tempfile::Builder::new().suffix(".txt").tempfile().unwrap();
        std::fs::copy(&path, copy.path()).unwrap();
        assert_eq!(read_edges(copy.path(), None, Nodes::Auto).unwrap(), named);
    }
}
