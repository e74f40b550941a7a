use rayon::prelude::*;

use super::vectors::kernels;
use super::{Abilities, Among, Asker, Hit, Own, Question, Space, diameter, scan};
use crate::{Demand, Error, ErrorKind, Sites};

/// The rows and columns of a tile of a matrix that is transposed: each takes 16 KiB, so that two
/// fit into the cache together.
const TILE: usize = 64;

/// By how much rounding may change a distance, relative to it.
const TOLERANCE: f32 = 1e-5;

/// Clients and sites that are not the same, with the distance (or any other cost) from each site to
/// each client as a rectangular matrix.
///
/// The clients are the items `0..clients`, and the sites are the items after them. Only sites may
/// be centers, which need not be said, and only clients have demand. The numbers need not obey the
/// triangle inequality: nothing is skipped because of it, and a local optimum is one for any costs.
/// There are no distances between two clients or two sites, so no tree can be built, and labels of
/// sites mean nothing.
///
/// ```
/// use kmedian::{KMedian, Problem, SiteMatrix};
///
/// // Two clients and three sites, a row for each client.
/// let costs = SiteMatrix::new(2, 3, &[1.0, 5.0, 9.0, 4.0, 6.0, 0.5])?;
/// let found = KMedian::default().fit(&Problem::of(&costs).build()?, 1)?;
/// assert_eq!((costs.site(found.centers[0]), found.cost), (Some(0), 5.0));
/// # Ok::<(), kmedian::Error>(())
/// ```
pub struct SiteMatrix {
    clients: usize,
    sites: usize,
    /// The distances of each site to all clients, site by site.
    values: Vec<f32>,
}

impl SiteMatrix {
    /// Takes a matrix with a row for each client and a column for each site.
    ///
    /// # Errors
    /// If there is no client or no site, if the number of values is not their product, or if a
    /// value is negative, NaN, infinite or too large for sums of distances in 32 bits.
    pub fn new(clients: usize, sites: usize, values: &[f32]) -> Result<Self, Error> {
        if clients == 0 || sites == 0 {
            let message =
                format!("there are {clients} clients and {sites} sites; give at least one of each");
            return Err(Error::new(ErrorKind::Empty, message));
        }
        if Some(values.len()) != clients.checked_mul(sites) {
            let message = format!(
                "{} values are not a matrix of {clients} clients and {sites} sites",
                values.len()
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let wrong = |value: &f32| !(0.0..=diameter::LARGEST_DISTANCE).contains(value);
        if let Some(at) = values.par_iter().position_first(wrong) {
            let (client, site) = (at / sites, at % sites);
            let message = format!(
                "row {client}, column {site} of the matrix is {}; distances must be numbers from 0 to {:e}: give \
                 a large one where a site cannot serve a client",
                values[at],
                diameter::LARGEST_DISTANCE
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        Ok(Self { clients, sites, values: transposed(clients, sites, values) })
    }

    /// The number of clients, which are the first items.
    pub fn clients(&self) -> usize {
        self.clients
    }

    /// The number of sites, which are the items after the clients.
    pub fn sites(&self) -> usize {
        self.sites
    }

    /// The number of the site, from 0, that an item is; `None` for a client.
    pub fn site(&self, item: usize) -> Option<usize> {
        item.checked_sub(self.clients).filter(|&site| site < self.sites)
    }

    /// A demand of one at every client.
    pub(crate) fn uniform_demand(&self) -> Result<Demand, Error> {
        let weight = |item: usize| if item < self.clients { 1.0 } else { 0.0 };
        Demand::new((0..self.len()).map(weight).collect())
    }

    /// Sites without a choice of candidates, which are all sites then. Refuses clients as
    /// candidates, and demand at sites.
    pub(crate) fn checked(&self, demand: &Demand, sites: Sites) -> Result<Sites, Error> {
        if let Some(item) = demand.items().iter().find_map(|&item| self.site(item as usize)) {
            let message = format!(
                "site {item} has demand; only clients have some, so give the sites a weight of zero"
            );
            return Err(Error::new(ErrorKind::Parameter, message));
        }
        let all = sites.listed().is_none_or(|candidates| candidates.len() == self.len());
        if all {
            let candidates: Vec<usize> = (self.clients..self.len()).collect();
            return Sites::new(self.len(), Some(&candidates), sites.fixed());
        }
        let client = sites.listed().and_then(|candidates| candidates.first().copied());
        match client.filter(|&item| (item as usize) < self.clients) {
            None => Ok(sites),
            Some(item) => {
                let message = format!(
                    "item {item} is a client, not a site; the candidates are {} to {}",
                    self.clients,
                    self.len() - 1
                );
                Err(Error::new(ErrorKind::Parameter, message))
            }
        }
    }

    /// All distances from sites to clients.
    pub(super) fn entries(&self) -> &[f32] {
        &self.values
    }

    /// The distances of a site, which is an item, to all clients; none of a client.
    fn row(&self, item: usize) -> Option<&[f32]> {
        let site = self.site(item)?;
        Some(&self.values[site * self.clients..(site + 1) * self.clients])
    }

    fn between(&self, a: usize, b: usize) -> f32 {
        match (self.row(a), self.row(b)) {
            (Some(row), None) => row[b],
            (None, Some(row)) => row[a],
            _ if a == b => 0.0,
            // Nothing is known of two clients or two sites.
            _ => diameter::LARGEST_DISTANCE,
        }
    }
}

/// A matrix with rows and columns exchanged, tile by tile.
fn transposed(rows: usize, columns: usize, values: &[f32]) -> Vec<f32> {
    let mut turned = vec![0.0; values.len()];
    turned.par_chunks_mut(TILE * rows).enumerate().for_each(|(band, turned)| {
        for first in (0..rows).step_by(TILE) {
            for (at, line) in turned.chunks_mut(rows).enumerate() {
                let column = band * TILE + at;
                for row in first..rows.min(first + TILE) {
                    line[row] = values[row * columns + column];
                }
            }
        }
    });
    turned
}

impl Space for SiteMatrix {
    fn len(&self) -> usize {
        self.clients + self.sites
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(self)
    }

    fn diameter_bound(&self) -> f32 {
        self.values.par_iter().copied().reduce(|| 0.0, f32::max)
    }

    fn smallest_distance(&self) -> Option<f32> {
        let positive = self.values.par_iter().copied().filter(|&value| value > 0.0);
        Some(positive.reduce(|| f32::INFINITY, f32::min)).filter(|least| least.is_finite())
    }

    fn relative_error(&self) -> f32 {
        TOLERANCE
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(b"site matrix");
        sink(&(self.clients as u64).to_le_bytes());
        self.values.iter().for_each(|value| sink(&value.to_bits().to_le_bytes()));
        true
    }

    fn abilities(&self) -> Abilities {
        Abilities { has_table: true, obeys_triangles: false, symmetric: false, explores: false }
    }

    fn own(&self) -> Own<'_> {
        Own::site_matrix(self)
    }
}

impl Asker for &SiteMatrix {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        if let (Some(row), Among::Listed(items)) = (self.row(source), question.among) {
            let run = items.first().zip(items.last()).filter(|&(&first, &last)| {
                last as usize - first as usize + 1 == items.len() && (last as usize) < self.clients
            });
            // Distances to consecutive clients are consecutive numbers.
            let ascending = || items.is_sorted();
            if let Some((&first, &last)) = run.filter(|_| ascending()) {
                hits.clear();
                let range = first as usize..last as usize + 1;
                kernels::lookup(range.start, &row[range], question.caps, hits);
                return;
            }
        }
        let distance = |item: u32| self.between(source, item as usize);
        scan(self.len(), question, hits, distance, |item| question.caps.hit(item, distance(item)));
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        self.between(a, b)
    }
}
