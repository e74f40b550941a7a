//! `kmedian assign`: assigns rows that came later to centers that were found before.

mod fitted;

use std::fs;
use std::io::{self, BufRead};
use std::path::Path;

use kmedian::{Assignment, Metric, SnapIndex};
use kmedian_data::{CellValues, Column, ColumnRef, ErrorKind, Points, PointsOptions};
use serde_json::Value;

use crate::args::AssignArgs;
use crate::cells::{CENTER_COLUMNS, add_items, free_name, integers, numbers, texts};
use crate::console::{self, note};
use crate::failure::{DONE, Failure, plain};
use crate::geo;
use crate::outputs::Outputs;
use crate::places::Places;
use crate::universe::{Universe, are_objects};

pub(crate) fn run(args: &AssignArgs) -> Result<u8, Failure> {
    let mut outputs = Outputs::beside([
        ("the centers", Some(args.file.as_path())),
        ("the items", Some(args.items.as_path())),
        ("the rows", args.rows.as_deref()),
        ("the items of the centers", args.fitted.as_deref()),
    ]);
    outputs.table("--labels", Some(&args.labels))?;
    let centers = Centers::read(&args.file, args.k)?;
    let table = if args.space.graph {
        by_nodes(args, &centers)?
    } else if args.space.is_matrix() || args.rectangular {
        by_columns(args, &centers)?
    } else if args.fitted.is_some() && are_objects(args.source()) {
        by_objects(args, &centers)?
    } else if let Some(file) = &args.fitted {
        fitted::assign(args, file, &centers)?
    } else {
        by_coordinates(args, &centers)?
    };
    kmedian_data::write_table(&args.labels, &table)?;
    let rows = match &table[0].values {
        kmedian_data::Values::Integers(rows) => rows.len(),
        _ => 0,
    };
    console::print(&format!(
        "{rows} rows assigned to {} centers: {}\n",
        centers.names.len(),
        args.labels.display()
    ))?;
    Ok(DONE)
}

/// A table of centers, as `--centers` writes it.
struct Centers<'a> {
    file: &'a Path,
    /// An object for each center, if all of the file was read at once: JSON, and standard input,
    /// which cannot be read column by column.
    objects: Option<Vec<Value>>,
    /// The rows of the table that are centers of the k that is asked for.
    rows: Vec<usize>,
    /// What the centers are called: their ids, or their positions.
    names: Vec<String>,
}

impl<'a> Centers<'a> {
    fn read(file: &'a Path, k: Option<usize>) -> Result<Self, Failure> {
        let objects = match file.as_os_str() == "-" {
            true => Some(read_standard_input()?),
            false => is_json(file).then(|| read_objects(file)).transpose()?,
        };
        let mut centers = Self { file, objects, rows: Vec::new(), names: Vec::new() };
        let ids = match centers.column("id")? {
            Some(ids) => ids,
            None => centers.column("index")?.ok_or_else(|| {
                centers.fail("has neither a column id nor index; give a table that --centers wrote")
            })?,
        };
        let ks = centers.column("k")?;
        let mut known: Vec<&String> = ks.iter().flatten().collect();
        known.sort_unstable();
        known.dedup();
        let wanted = match (k, known.as_slice()) {
            (Some(k), _) => Some(k.to_string()),
            (None, [_, _, ..]) => {
                return Err(centers.fail("has the centers of several k; choose one with -k"));
            }
            (None, _) => None,
        };
        let of_k = |row: &usize| match (&wanted, &ks) {
            (Some(k), Some(ks)) => ks[*row] == *k,
            _ => true,
        };
        centers.rows = (0..ids.len()).filter(of_k).collect();
        if centers.rows.is_empty() {
            let k = wanted.unwrap_or_default();
            return Err(centers.fail(&format!("has no centers for -k {k}")));
        }
        centers.names = centers.rows.iter().map(|&row| ids[row].clone()).collect();
        Ok(centers)
    }

    /// A column of the table as text; `None` if there is none of this name.
    fn column(&self, name: &str) -> Result<Option<Vec<String>>, Failure> {
        let Some(objects) = &self.objects else {
            let column = ColumnRef::from(name);
            return match kmedian_data::read_texts(self.file, &column, &PointsOptions::default()) {
                Err(error) if error.kind() == ErrorKind::Column => Ok(None),
                read => Ok(Some(read?)),
            };
        };
        let cell = |object: &Value| match object.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        Ok(objects.iter().map(cell).collect())
    }

    /// The coordinates of the centers in the columns of these places, row by row. A latitude or a
    /// longitude may be called otherwise than that of the places.
    fn coordinates(&self, places: &Places) -> Result<Vec<f64>, Failure> {
        let names = self.written(places.names())?;
        let mut values = vec![0.0; self.rows.len() * names.len()];
        for (axis, name) in names.iter().enumerate() {
            let mut column = self.column(name)?;
            if places.metric() == Metric::Haversine {
                for other in geo::also_called(name) {
                    column = column.map_or_else(|| self.column(other), |found| Ok(Some(found)))?;
                }
            }
            let column = column.ok_or_else(|| {
                self.fail(&format!("has no column `{}`, which the items have", plain(name)))
            })?;
            for (slot, &row) in self.rows.iter().enumerate() {
                let number = column[row].trim().parse::<f64>();
                let number = number.map_err(|_| {
                    let (cell, name) = (plain(&column[row]), plain(name));
                    self.fail(&format!(
                        "row {}, column `{name}`: `{cell}` is not a number",
                        row + 1
                    ))
                })?;
                values[slot * names.len() + axis] = places.held(axis, number);
            }
        }
        Ok(values)
    }

    /// What coordinates of these names are called in this table. One that --centers wrote, which
    /// has `k` and `index`, has columns of its own, such as `served`: a coordinate of that name has
    /// an underscore there.
    fn written(&self, names: &[String]) -> Result<Vec<String>, Failure> {
        let is_ours = self.column("k")?.is_some() && self.column("index")?.is_some();
        let mut taken: Vec<String> = Vec::new();
        for name in names {
            let is_taken = |name: &str| {
                (is_ours && CENTER_COLUMNS.contains(&name)) || taken.iter().any(|t| t == name)
            };
            taken.push(free_name(name, is_taken));
        }
        Ok(taken)
    }

    /// The positions of the centers among the `len` items that were fitted.
    fn positions(&self, len: usize) -> Result<Vec<usize>, Failure> {
        let column = self
            .column("index")?
            .ok_or_else(|| self.fail("has no column index; give a table that --centers wrote"))?;
        let position = |&row: &usize| {
            match column[row].trim().parse::<usize>() {
            Ok(position) if position < len => Ok(position),
            _ => Err(self.fail(&format!(
                "row {}: the index `{}` is none of the {len} items of --fitted; give the file that was fitted",
                row + 1,
                plain(&column[row])
            ))),
        }
        };
        self.rows.iter().map(position).collect()
    }

    fn fail(&self, what: &str) -> Failure {
        let is_input = self.file.as_os_str() == "-";
        let file = if is_input { "standard input".into() } else { self.file.to_string_lossy() };
        Failure::new(format!("{file}: {what}"))
    }
}

fn is_json(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

fn read_objects(file: &Path) -> Result<Vec<Value>, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("{}: cannot be read: {error}", file.display())))?;
    objects_of(&text, &file.display().to_string())
}

/// The objects of a table of centers in JSON; `name` is for errors.
fn objects_of(text: &str, name: &str) -> Result<Vec<Value>, Failure> {
    match serde_json::from_str(text) {
        Ok(Value::Array(objects)) if !objects.is_empty() => Ok(objects),
        Ok(_) => Err(Failure::new(format!(
            "{name}: is no table of centers; give one that --centers wrote"
        ))),
        Err(error) => Err(Failure::new(format!("{name}: is no JSON: {error}"))),
    }
}

/// A table of centers from standard input, in JSON or as text.
fn read_standard_input() -> Result<Vec<Value>, Failure> {
    let fail = |error| Failure::new(format!("standard input: cannot be read: {error}"));
    let is_json = io::stdin().lock().fill_buf().map_err(fail)?.trim_ascii().starts_with(b"[");
    if is_json {
        return objects_of(&io::read_to_string(io::stdin()).map_err(fail)?, "standard input");
    }
    let table = kmedian_data::read_cells(Path::new("-"), &PointsOptions::default())?;
    let cell = |values: &CellValues, row: usize| match values {
        CellValues::Texts(texts) => Value::from(texts[row].as_str()),
        CellValues::Numbers(numbers) => Value::from(numbers[row]),
        CellValues::Lists(_) => Value::Null,
    };
    let object = |row: usize| {
        table
            .columns
            .iter()
            .map(|column| (column.name.clone(), cell(&column.values, row)))
            .collect()
    };
    Ok((0..table.rows).map(object).map(Value::Object).collect())
}

/// The columns of a table of labels that every kind of space has.
fn label_columns(
    names: &[String],
    nearest: &[(usize, f64)],
    positions: impl Iterator<Item = usize>,
    ids: Option<Vec<String>>,
) -> Vec<Column> {
    let mut table = vec![integers("index", positions)];
    table.extend(ids.map(|ids| texts("id", ids.into_iter())));
    table.push(integers("label", nearest.iter().map(|&(label, _)| label)));
    table.push(texts("center", nearest.iter().map(|&(label, _)| names[label].clone())));
    table.push(numbers("distance", nearest.iter().map(|&(_, distance)| distance)));
    table
}

fn by_coordinates(args: &AssignArgs, centers: &Centers<'_>) -> Result<Vec<Column>, Failure> {
    let universe = Universe::read(args.source())?;
    let Some(places) = universe.places() else {
        return Err(Failure::new(format!(
            "{}: tables of centers have no such items, nor coordinates where there are more than 16; give --fitted FILE, \
             the table that the centers came from",
            args.items.display()
        )));
    };
    let at = centers.coordinates(places)?;
    let index = SnapIndex::new(places.dims(), &at, places.metric())
        .map_err(|error| centers.fail(&error.to_string()))?;
    let values = places.values();
    let of = |distance: f64| match universe.dissimilarity.is_square() {
        true => distance * distance,
        false => distance,
    };
    let nearest: Vec<(usize, f64)> = values
        .chunks_exact(places.dims())
        .map(|place| index.nearest(place).unwrap_or((0, f64::NAN)))
        .map(|(label, distance)| (label, of(distance)))
        .collect();
    let items = 0..universe.len();
    let ids = universe.has_ids().then(|| items.clone().map(|item| universe.name(item)).collect());
    let positions = items.clone().map(|item| universe.position(item));
    let mut table = label_columns(&centers.names, &nearest, positions, ids);
    add_items(&mut table, &universe, items);
    Ok(table)
}

/// Assigns items of any kind, whose centers are rows of the file that was fitted.
fn by_objects(args: &AssignArgs, centers: &Centers<'_>) -> Result<Vec<Column>, Failure> {
    let (universe, labels) =
        Universe::read_beside(args.source(), args.fitted.as_deref(), |len| centers.positions(len))?;
    let labels = universe.dissimilarity.restate_assignment(labels);
    let pairs = labels.labels.iter().zip(&labels.distances);
    let nearest: Vec<(usize, f64)> =
        pairs.map(|(&label, &distance)| (label as usize, f64::from(distance))).collect();
    let items = 0..nearest.len();
    let ids = universe.has_ids().then(|| items.clone().map(|item| universe.name(item)).collect());
    let mut table = label_columns(&centers.names, &nearest, items.clone(), ids);
    add_items(&mut table, &universe, items);
    Ok(table)
}

fn by_nodes(args: &AssignArgs, centers: &Centers<'_>) -> Result<Vec<Column>, Failure> {
    let universe = Universe::read(args.source())?;
    let keys = universe.keys(&args.items)?;
    let find = |name: &String| {
        keys.find(name).map(|item| item as usize).ok_or_else(|| {
            let (name, graph) = (plain(name), args.items.display());
            centers.fail(&format!("the center `{name}` is no node of {graph}"))
        })
    };
    let nodes = centers.names.iter().map(find).collect::<Result<Vec<usize>, _>>()?;
    let assigned = Assignment::new(&*universe.space, &nodes);
    let of = |item: usize| (assigned.labels[item] as usize, f64::from(assigned.distances[item]));
    let Some(file) = &args.rows else {
        let items = 0..universe.len();
        check_reach(args, &universe, &assigned, items.clone())?;
        let nearest: Vec<(usize, f64)> = items.clone().map(of).collect();
        let names =
            universe.has_ids().then(|| items.clone().map(|item| universe.name(item)).collect());
        let positions = items.clone().map(|item| universe.position(item));
        let mut table = label_columns(&centers.names, &nearest, positions, names);
        add_items(&mut table, &universe, items);
        return Ok(table);
    };
    let rows = kmedian_data::read_keyed(file, args.key.as_ref(), None)?;
    let (mut nearest, mut nodes) = (Vec::new(), Vec::new());
    for (row, key) in rows.keys.iter().enumerate() {
        let Some(item) = keys.find(key) else {
            return Err(Failure::new(format!(
                "{}: row {} names `{}`, which is no node of {}",
                file.display(),
                row + 1,
                plain(key),
                args.items.display()
            )));
        };
        nearest.push(of(item as usize));
        nodes.push(item as usize);
    }
    nodes.sort_unstable();
    nodes.dedup();
    check_reach(args, &universe, &assigned, nodes.into_iter())?;
    let positions = 0..nearest.len();
    Ok(label_columns(&centers.names, &nearest, positions, Some(rows.keys)))
}

/// Refuses nodes that no center reaches along one-way streets.
fn check_reach(
    args: &AssignArgs,
    universe: &Universe,
    assigned: &Assignment,
    nodes: impl Iterator<Item = usize> + Clone,
) -> Result<(), Failure> {
    let missed = nodes.clone().filter(|&node| assigned.distances[node].is_infinite());
    let Some(first) = missed.clone().next() else { return Ok(()) };
    let what = if args.space.towards { "reach no center" } else { "are reached from no center" };
    Err(Failure::new(format!(
        "{}: {} of {} nodes, such as `{}`, {what} along one-way streets; add centers, or leave such nodes out with \
         --largest-component or --rows",
        args.items.display(),
        missed.count(),
        nodes.count(),
        plain(&universe.name(first))
    )))
}

fn by_columns(args: &AssignArgs, centers: &Centers<'_>) -> Result<Vec<Column>, Failure> {
    if args.space.columns.is_some() {
        let message = "--columns: the columns of the matrix are those of the centers; leave it out";
        return Err(Failure::new(message));
    }
    let options = PointsOptions {
        columns: Some(centers.names.iter().map(|name| ColumnRef::from(name.as_str())).collect()),
        id: args.space.id.clone(),
        header: args.space.header,
        format: args.space.table_format().map_err(Failure::new)?,
        skip_missing: args.space.skip_missing,
        ..PointsOptions::default()
    };
    let Points { dims, values, ids, notes, kept, rows, .. } =
        kmedian_data::read_points(&args.items, &options)?;
    notes.iter().for_each(|text| note(text));
    let nearest = |row: &[f32]| {
        let pairs = row.iter().enumerate();
        let least = pairs.min_by(|a, b| a.1.total_cmp(b.1).then(a.0.cmp(&b.0)));
        least.map_or((0, f64::NAN), |(label, &distance)| (label, f64::from(distance)))
    };
    let nearest: Vec<(usize, f64)> = values.chunks_exact(dims).map(nearest).collect();
    let positions = kept.unwrap_or_else(|| (0..rows).collect());
    Ok(label_columns(&centers.names, &nearest, positions.into_iter(), ids))
}
