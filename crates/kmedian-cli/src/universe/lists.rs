//! Items that a file lists for --candidates or --fixed: a line each, or a column of a table.

use std::collections::HashSet;
use std::path::Path;

use kmedian_data::{ColumnRef, ErrorKind, Header};

use super::Universe;
use crate::args::Source;
use crate::failure::{Failure, plain};

/// What the column of the items may be called, if not as the column --id: also what the first line
/// of a list may say without naming an item. A table that --centers wrote has the first or the
/// last.
const HEADERS: [&str; 13] = [
    "id",
    "name",
    "item",
    "items",
    "site",
    "sites",
    "node",
    "nodes",
    "candidate",
    "candidates",
    "fixed",
    "center",
    "index",
];

/// The items that a file lists by their names, or by their positions if they have none.
pub(super) fn read(
    universe: &Universe,
    source: Source<'_>,
    option: &str,
    file: &Path,
) -> Result<Vec<usize>, Failure> {
    let about = |what: String| Failure::new(format!("{option} {}: {what}", file.display()));
    let List { keys, may_have_header } = List::read(source, file).map_err(about)?;
    let first = universe.clients.unwrap_or(0);
    let mut seen = HashSet::new();
    let known = universe.site_keys(source.sites.unwrap_or(source.path))?;
    let mut items = Vec::with_capacity(keys.len());
    for (line, key) in keys.iter().enumerate() {
        let may_be_header = may_have_header && line == 0;
        match known.find(key) {
            Some(item) if seen.insert(item) => items.push(first + item as usize),
            Some(_) => {
                let key = plain(key);
                return Err(about(format!("item `{key}` is given twice; give each item once")));
            }
            None if may_be_header && is_header(key, source) => {}
            None => {
                let hint = hint(universe, source, key, may_be_header);
                return Err(about(format!("there is no item `{}`; {hint}", plain(key))));
            }
        }
    }
    Ok(items)
}

/// What a file lists.
struct List {
    keys: Vec<String>,
    /// Whether the first of the keys may be a header.
    may_have_header: bool,
}

impl List {
    fn read(source: Source<'_>, file: &Path) -> Result<Self, String> {
        let worded = |error: kmedian_data::Error| Failure::from(error).message().to_owned();
        if let Some(keys) = kmedian_data::read_lines(file).map_err(worded)? {
            return Ok(Self { keys, may_have_header: true });
        }
        match kmedian_data::read_names(file, None, Header::No, None) {
            Err(error) if error.kind() == ErrorKind::Column => {}
            read => return Ok(Self { keys: read.map_err(worded)?, may_have_header: true }),
        }
        let column = |name: &str| match kmedian_data::read_names(
            file,
            Some(&name.into()),
            Header::Auto,
            None,
        ) {
            Err(error) if error.kind() == ErrorKind::Column => Ok(None),
            read => read.map(Some).map_err(worded),
        };
        for name in id_names(source).into_iter().chain(HEADERS) {
            if let Some(keys) = column(name)? {
                let ks: HashSet<String> = match column("index")? {
                    Some(_) => column("k")?.into_iter().flatten().collect(),
                    None => HashSet::new(),
                };
                if ks.len() > 1 {
                    return Err("has the centers of several k; keep those of one".to_owned());
                }
                return Ok(Self { keys, may_have_header: false });
            }
        }
        Err(match id_names(source).first() {
            Some(id) => format!(
                "has several columns, none of which is called `{}`, as the column --id, or id; call that of the items \
                 so, or keep it alone",
                plain(id)
            ),
            None => "has several columns, none of which is called id, node or index; call that of the items so, or \
                     keep it alone"
                .to_owned(),
        })
    }
}

/// The names of the columns that name sites and items, if these are names and not positions.
fn id_names(source: Source<'_>) -> Vec<&str> {
    let columns = [source.site_id, source.how.id.as_ref()].into_iter().flatten();
    columns.filter_map(ColumnRef::name).collect()
}

/// Whether the first line of a list is a header: a common one, or the name of the column of ids.
fn is_header(line: &str, source: Source<'_>) -> bool {
    let line = line.trim();
    id_names(source).contains(&line) || HEADERS.contains(&line.to_ascii_lowercase().as_str())
}

/// What to do about a key that is no item.
fn hint(universe: &Universe, source: Source<'_>, key: &str, may_be_header: bool) -> String {
    let mut hint = match (universe.has_ids(), source.how.graph) {
        (true, true) => "give nodes as the graph calls them".to_owned(),
        (true, false) if source.rectangular => "give names of columns".to_owned(),
        (true, false) => "give names of the column --id".to_owned(),
        (false, _) => "give positions, counted from 0".to_owned(),
    };
    if source.how.largest_component && universe.components.len() > 1 {
        let others: usize = universe.components[1..].iter().sum();
        hint +=
            &format!(", which may not be one of the {others} that --largest-component leaves out");
    }
    if key.starts_with('#') {
        hint += "; every line is an item, so remove comments";
    } else if may_be_header {
        hint += "; the first line is taken for an item, unless it is called as the column --id, or id or node";
    }
    hint
}
