//! What is fuzzed: every reader of files, of releases, of ledgers and of options.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use kmedian::privacy::PrivateTree;
use kmedian::{KMedian, Metric, Objective, Run, Vectors};
use kmedian_data::{
    CellValues, DemandFormat, DemandOptions, GraphFormat, ItemKeys, Nodes, PointsOptions,
    SparseFormat, UnitBound, check_demand, read_cells, read_demand, read_edges, read_matrix,
    read_points, read_sparse, read_weights,
};
use kmedian_ledger::{Amount, Ledger, Purpose};
use rand::Rng;
use sha2::{Digest, Sha256};

use crate::{options, samples, sparse};

/// What reading a file comes to: the bytes that were made of it, or why it was refused.
pub(crate) type Outcome = Result<usize, String>;

/// A reader, and the files that it gets.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// The name of the file, which tells readers the format.
    pub(crate) file: &'static str,
    pub(crate) sample: fn(&mut dyn Rng) -> Vec<u8>,
    /// What is done to the damaged bytes: compressed, or sealed again.
    pub(crate) finish: fn(&mut Vec<u8>),
    pub(crate) read: fn(&Path, &mut dyn Rng) -> Outcome,
}

fn as_it_is(_: &mut Vec<u8>) {}

fn gzipped(bytes: &mut Vec<u8>) {
    *bytes = samples::gzip(bytes);
}

/// All targets.
pub(crate) fn targets() -> Vec<Target> {
    let target = |name, file, sample, read| Target { name, file, sample, finish: as_it_is, read };
    vec![
        target("csv", "case.csv", |rng| samples::table(rng, ','), named_points),
        target("tsv", "case.tsv", |rng| samples::table(rng, '\t'), named_points),
        target("text", "case.txt", |rng| samples::numbers(rng, 3), points),
        Target {
            finish: gzipped,
            ..target("csv-gzip", "case.csv.gz", |rng| samples::table(rng, ','), named_points)
        },
        target("gzip", "case.csv.gz", |r| samples::gzip(&samples::table(r, ',')), named_points),
        target("npy", "case.npy", samples::npy, points),
        target("idx", "case-idx3-ubyte", samples::idx, points),
        target("parquet", "case.parquet", samples::parquet, parquet_points),
        target("cells-csv", "case.csv", |rng| samples::table(rng, ','), cells),
        target("cells-parquet", "case.parquet", samples::parquet, parquet_cells),
        target("svmlight", "case.svm", sparse::svmlight, sparse_rows),
        target("npz", "case.npz", sparse::npz, sparse_rows),
        target("edge-list", "case.edges", |rng| samples::graph(rng, 0, "", ""), edges),
        target("dimacs", "case.gr", |rng| samples::graph(rng, 1, "a ", "p sp n m\n"), edges),
        target("or-library", "pmed1.txt", |rng| samples::graph(rng, 1, "", "n m 1\n"), edges),
        target("matrix", "case.csv", samples::matrix, matrix),
        target("weights", "case.txt", |rng| samples::numbers(rng, 1), weights),
        target("demand-csv", "case.csv", |rng| samples::visits(rng, ','), demand),
        target("demand-tsv", "case.tsv", |rng| samples::visits(rng, '\t'), demand),
        target("demand-text", "case.txt", |rng| samples::visits(rng, ' '), demand_text),
        Target {
            finish: gzipped,
            ..target("demand-gzip", "case.csv.gz", |rng| samples::visits(rng, ','), demand)
        },
        target("demand-parquet", "case.parquet", samples::parquet, demand),
        target("demand-npy", "case.npy", samples::npy, demand_positions),
        target("demand-idx", "case-idx3-ubyte", samples::idx, demand_positions),
        target("release", "case.json", samples::release, release),
        Target { finish: seal, ..target("release-sealed", "case.json", samples::release, release) },
        target("ledger", "case.db", |_| ledger_bytes(), ledger),
        target("options", "case.options", options::sample, options::read),
    ]
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn read_with(path: &Path, options: &PointsOptions) -> Outcome {
    let points = read_points(path, options).map_err(text)?;
    assert_eq!(points.values.len(), points.rows * points.dims);
    assert_eq!((points.offsets.len(), points.columns.len()), (points.dims, points.dims));
    assert!(points.values.iter().all(|value| value.is_finite()));
    let ids: usize = points.ids.iter().flatten().map(String::len).sum();
    Ok(4 * points.values.len() + ids)
}

fn points(path: &Path, _: &mut dyn Rng) -> Outcome {
    read_with(path, &PointsOptions { center: true, ..PointsOptions::default() })
}

fn named_points(path: &Path, _: &mut dyn Rng) -> Outcome {
    let id = Some("name".into());
    read_with(path, &PointsOptions { id, center: true, ..PointsOptions::default() })
}

fn parquet_points(path: &Path, _: &mut dyn Rng) -> Outcome {
    let id = Some("stop".into());
    read_with(path, &PointsOptions { id, center: true, ..PointsOptions::default() })
}

fn cells(path: &Path, _: &mut dyn Rng) -> Outcome {
    cells_with(path, &PointsOptions::default())
}

/// All columns but the one in which every value is missing.
fn parquet_cells(path: &Path, _: &mut dyn Rng) -> Outcome {
    let columns = ["stop", "user", "x", "list", "kind", "bytes"].map(Into::into);
    cells_with(
        path,
        &PointsOptions { columns: Some(Vec::from(columns)), ..PointsOptions::default() },
    )
}

fn cells_with(path: &Path, options: &PointsOptions) -> Outcome {
    let cells = read_cells(path, options).map_err(text)?;
    let mut bytes = 0;
    for column in cells.columns {
        let rows = match &column.values {
            CellValues::Numbers(numbers) => numbers.len(),
            CellValues::Texts(texts) => texts.len(),
            CellValues::Lists(lists) => lists.len(),
        };
        assert_eq!(rows, cells.rows);
        bytes += match &column.values {
            CellValues::Numbers(numbers) => 8 * numbers.len(),
            CellValues::Texts(texts) => texts.iter().map(String::len).sum(),
            CellValues::Lists(lists) => lists.iter().flatten().map(String::len).sum(),
        };
        // Whatever it holds, it is numbers, categories or an error.
        let _ = column.mixed(path, false);
    }
    Ok(bytes)
}

fn sparse_rows(path: &Path, _: &mut dyn Rng) -> Outcome {
    let format = SparseFormat::of(path).ok_or("no sparse rows")?;
    let rows = read_sparse(path, format).map_err(text)?;
    assert!(rows.starts.is_sorted() && rows.starts.last() == Some(&rows.columns.len()));
    assert!(rows.columns.iter().all(|&column| (column as usize) < rows.dims));
    assert!(rows.values.iter().all(|value| value.is_finite()));
    Ok(8 * rows.columns.len())
}

fn edges(path: &Path, _: &mut dyn Rng) -> Outcome {
    let formats = [None, Some(GraphFormat::EdgeList)];
    let given = path.extension().is_some_and(|extension| extension == "edges");
    let edges = read_edges(path, formats[usize::from(given)], Nodes::Auto).map_err(text)?;
    assert!(edges.edges.iter().all(|edge| edge.a < edge.b && (edge.b as usize) < edges.nodes));
    Ok(12 * edges.edges.len())
}

fn matrix(path: &Path, _: &mut dyn Rng) -> Outcome {
    let matrix = read_matrix(path, &PointsOptions::default()).map_err(text)?;
    assert_eq!(matrix.values.len(), matrix.n * matrix.n);
    Ok(4 * matrix.values.len())
}

fn weights(path: &Path, _: &mut dyn Rng) -> Outcome {
    Ok(8 * read_weights(path, None).map_err(text)?.len())
}

fn demand(path: &Path, rng: &mut dyn Rng) -> Outcome {
    count(path, rng, "stop", "user", None)
}

fn demand_text(path: &Path, rng: &mut dyn Rng) -> Outcome {
    count(path, rng, "stop", "user", Some(DemandFormat::Text))
}

fn demand_positions(path: &Path, rng: &mut dyn Rng) -> Outcome {
    count(path, rng, "0", "0", None)
}

/// Counts with and without units: each owner has at most two records, and what the layout does not
/// refuse is counted.
fn count(
    path: &Path,
    rng: &mut dyn Rng,
    key: &str,
    unit: &str,
    format: Option<DemandFormat>,
) -> Outcome {
    let names: Vec<String> = (0..samples::ITEMS).map(|item| format!("s{item}")).collect();
    let keys = match key {
        "0" => ItemKeys::positions(samples::ITEMS),
        _ => ItemKeys::named(path, &names).map_err(text)?,
    };
    // Blanks separate the columns of text, whose names are on its first line here.
    let header = format.map(|_| true);
    let mut options =
        DemandOptions { key: Some(key.into()), format, header, ..DemandOptions::default() };
    for most in [None, NonZeroU32::new(2)] {
        options.unit = most.map(|most| UnitBound { column: unit.into(), most });
        check_demand(path, &options).map_err(text)?;
        let demand = read_demand(path, &keys, &options, rng).map_err(text)?;
        assert_eq!(demand.counts.len(), samples::ITEMS);
    }
    Ok(0)
}

fn release(path: &Path, _: &mut dyn Rng) -> Outcome {
    let document = fs::read(path).map_err(text)?;
    let document = String::from_utf8_lossy(&document);
    let tree = PrivateTree::from_json(&document).map_err(text)?;
    let places: Vec<f32> = (0..40u8).map(f32::from).collect();
    let space = Vectors::new(2, &places, Metric::L2).map_err(text)?;
    // Made for other places, so it is refused; but not with a panic.
    let plan = KMedian::default();
    let centers = tree.centers(&space, &[2], Objective::Median, &plan, &mut Run::default());
    assert!(centers.is_err());
    Ok(document.len())
}

/// Gives an edited release a checksum that fits, as somebody would who forges one.
fn seal(bytes: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let body =
        text.strip_prefix("{\"release\":").and_then(|rest| rest.rsplit_once(",\"checksum\""));
    if let Some((body, _)) = body {
        let digest: String =
            Sha256::digest(body.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        *bytes = format!("{{\"release\":{body},\"checksum\":\"sha256:{digest}\"}}").into_bytes();
    }
}

/// A ledger with a dataset and an entry.
fn ledger_bytes() -> Vec<u8> {
    let made = tempfile::tempdir().ok().and_then(|folder| {
        let path = folder.path().join("ledger.db");
        let mut ledger = Ledger::create_or_open(&path).ok()?;
        ledger.create_dataset("visits", Amount::to_allow("2").ok()?, None).ok()?;
        let reservation =
            ledger.reserve("visits", Amount::to_spend("0.5").ok()?, &Purpose::default()).ok()?;
        reservation.record("sha256:00").ok()?;
        drop(ledger);
        fs::read(path).ok()
    });
    made.unwrap_or_default()
}

fn ledger(path: &Path, _: &mut dyn Rng) -> Outcome {
    for rest in ["-wal", "-shm", "-journal"] {
        let mut other = path.as_os_str().to_owned();
        other.push(rest);
        // Most runs leave none.
        let _ = fs::remove_file(other);
    }
    let mut ledger = Ledger::open(path).map_err(text)?;
    for dataset in ledger.datasets().map_err(text)? {
        ledger.entries(&dataset.name).map_err(text)?;
    }
    let amount = Amount::to_spend("0.1").map_err(text)?;
    let reservation = ledger.reserve("visits", amount, &Purpose::default()).map_err(text)?;
    reservation.record("sha256:00").map_err(text)?;
    Ok(0)
}
