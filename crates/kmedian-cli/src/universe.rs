//! The items a command works on: read from a file, with their distances, names and weights.

mod build;
mod errors;
mod lists;
mod objects;
mod positions;
mod sites;
mod table;
mod weights;

use std::collections::HashSet;
use std::path::Path;

use kmedian::{Demand, Dissimilarity, ErrorKind, Metric, Objective, Problem, Sites, Space};
use kmedian_data::ItemKeys;
use serde_json::{Value, json};

use crate::args::Source;
use crate::console::{counted, note};
use crate::failure::{Failure, plain};
use crate::places::{Places, Rows};
pub(crate) use objects::are_objects;
pub(crate) use sites::less_offsets;

/// The items of a file with their distances, and what else the file says about them.
pub(crate) struct Universe {
    pub(crate) space: Box<dyn Space>,
    /// What distances are, for people: the name of a dissimilarity, `graph` or `matrix`.
    pub(crate) metric: String,
    /// What distances of the space stand for: themselves, or their squares.
    pub(crate) dissimilarity: Dissimilarity,
    /// The format of the file, for people.
    pub(crate) format: &'static str,
    /// The names of the coordinates; empty for graphs and matrices.
    pub(crate) columns: Vec<String>,
    /// The number of edges, if the file is a graph.
    pub(crate) edges: Option<usize>,
    /// The two ends of every road of a graph whose nodes have places, each road once.
    roads: Option<Vec<[u32; 2]>>,
    /// The sizes of a graph's components, largest first, which are strongly connected if it is
    /// directed; only the first is used with --largest-component. Empty if the file is not a graph.
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
    /// The rows of numbers, if they are to be drawn and are no places.
    rows: Option<Rows>,
    /// The number of the first item, as the file counts: 0 or 1.
    first: usize,
    /// The columns of --keep-columns: their names, and a cell for each item.
    kept_columns: Vec<(String, Vec<String>)>,
}

impl Universe {
    /// Reads the items of a file, and prints notes about it.
    pub(crate) fn read(source: Source<'_>) -> Result<Self, Failure> {
        let whole = source.how.graph || source.how.is_matrix() || source.rectangular;
        if source.how.skip_missing && whole {
            return Err(Failure::new(
                "--skip-missing is for points: without a row, a graph or a matrix is another one; leave it out",
            ));
        }
        if source.how.skip_missing && source.sites.is_some() {
            return Err(Failure::new(
                "--skip-missing: with --sites there are two tables, whose rows could no longer be told by number; \
                 fill the gaps in, or remove such rows",
            ));
        }
        if source.how.keep_columns.is_some() && source.rectangular {
            return Err(Failure::new("--keep-columns: columns are sites here; leave it out"));
        }
        objects::check_options(source)?;
        let mut universe = if source.how.graph {
            Self::from_graph(source)?
        } else if source.how.is_matrix() {
            Self::from_matrix(source)?
        } else if source.rectangular {
            Self::from_rectangle(source)?
        } else if objects::are_objects(source) {
            Self::from_objects(source)?
        } else {
            Self::from_points(source)?
        };
        universe.sites = sites::read(&universe, source)?;
        if source.goal.is_some() {
            universe.check_reach(source)?;
        }
        universe.note_same_ids();
        Ok(universe)
    }

    /// Says so if two items, or two sites, have the same name, without the white space around it.
    fn note_same_ids(&self) {
        let Some(ids) = &self.ids else { return };
        let (items, sites) = ids.split_at(self.served());
        for ids in [items, sites] {
            let mut seen = HashSet::with_capacity(ids.len());
            if let Some(id) = ids.iter().find(|id| !seen.insert(id.as_str())) {
                let id = plain(id);
                note(&format!(
                    "several items are called `{id}`; in results their index tells which"
                ));
            }
        }
    }

    /// Refuses one-way streets by which some candidate does not reach every node, and calls both as
    /// the file does.
    fn check_reach(&self, source: Source<'_>) -> Result<(), Failure> {
        let built = Problem::of(&*self.space).sites(&self.sites).build();
        match built.err().filter(|error| error.kind() == ErrorKind::Disconnected) {
            None => Ok(()),
            Some(error) => Err(Failure::new(format!(
                "{}: {} with --largest-component",
                source.path.display(),
                error.naming(|item| plain(&self.name(item)))
            ))),
        }
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
            Some(clients) => {
                let sites = self.len() - clients;
                format!("{}, {}", counted(clients, "client"), counted(sites, "site"))
            }
            None => counted(self.len(), "item"),
        }
    }

    /// The objective to search with, where `asked` is wanted of the dissimilarity.
    pub(crate) fn objective(&self, asked: Objective) -> Result<Objective, Failure> {
        Ok(self.dissimilarity.objective(asked)?)
    }

    /// Refuses squares of metrics, such as cosine, for what knows metrics alone.
    pub(crate) fn check_metric(&self, command: &str) -> Result<(), Failure> {
        let Some(root) = self.dissimilarity.of_vectors().filter(|_| self.dissimilarity.is_square())
        else {
            return Ok(());
        };
        Err(Failure::new(format!(
            "--metric {}: {command} needs a metric; take --metric {root} --objective means, which finds the same centers",
            self.dissimilarity
        )))
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

    /// The two ends of every road, each road once, if the items are nodes of a graph with places.
    pub(crate) fn roads(&self) -> Option<&[[u32; 2]]> {
        self.roads.as_deref()
    }

    /// The rows of numbers, if they are to be drawn and are no places.
    pub(crate) fn rows(&self) -> Option<&Rows> {
        self.rows.as_ref()
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
