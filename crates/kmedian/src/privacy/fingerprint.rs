use sha2::{Digest, Sha256};

use crate::space::AskerPool;
use crate::{Question, Space};

/// About how many items have their distances from all others hashed, in a space whose distances are
/// a function that cannot be read: enough to tell universes apart, and cheaper than all pairs.
const PROBES: usize = 64;

/// The universe that a release is for: the public items and their distances, by a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Universe {
    /// The number of items.
    pub items: usize,
    /// A SHA-256 of what the distances depend on, as 64 hexadecimal digits.
    pub fingerprint: String,
    /// What the fingerprint was computed from.
    pub seen: Seen,
}

/// What a fingerprint was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// All coordinates, edges or entries, and the name of the metric: no other universe has this
    /// fingerprint.
    Content,
    /// The distances of up to 64 items from all others, where distances are a function that cannot
    /// be read. Universes that differ only in other distances have the same fingerprint.
    Probes,
}

impl Universe {
    /// The universe that a space is. This reads all of its content, or measures the distances of up
    /// to 64 items from all others.
    pub fn of(space: &dyn Space) -> Self {
        let mut hash = Sha256::new();
        hash.update((space.len() as u64).to_le_bytes());
        let whole = space.content(&mut |piece| hash.update(piece));
        if !whole {
            probe(space, &mut |piece| hash.update(piece));
        }
        let seen = if whole { Seen::Content } else { Seen::Probes };
        Self { items: space.len(), fingerprint: hexadecimal(&hash.finalize()), seen }
    }
}

/// Hands over the distances of evenly spaced items from all others.
fn probe(space: &dyn Space, sink: &mut dyn FnMut(&[u8])) {
    let step = space.len().div_ceil(PROBES).max(1);
    AskerPool::new(space).lend(|asker| {
        for source in (0..space.len()).step_by(step) {
            let mut distances = vec![f32::INFINITY; space.len()];
            for hit in asker.ask(source, &Question::everything()) {
                distances[hit.item as usize] = hit.distance;
            }
            distances.iter().for_each(|distance| sink(&distance.to_bits().to_le_bytes()));
        }
    });
}

/// Bytes as hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
