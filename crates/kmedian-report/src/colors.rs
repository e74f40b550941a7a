//! Colors of areas, so that no two that touch are alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many colors there are that can be told apart under all common kinds of color blindness, and
/// on light and dark ground: those of Okabe and Ito without black and yellow. Areas of a map touch
/// without crossings, and then six colors are enough (below).
const SAFE: usize = 6;

/// A color for each area, as a number from 0 on, so that areas that touch differ, whatever their
/// number. Colors from 0 to 5 come first; if these do not suffice, as many others are taken as are
/// needed. No color comes twice before each of these six has come, unless those that are left over
/// touch.
///
/// `neighbors` has the areas that touch each area, and `wanted` a color for each area that it
/// should have if no neighbor has it.
///
/// The area with the fewest remaining neighbors is set aside, again and again, until none is left;
/// then all are colored in the opposite order ("smallest last", Matula and Beck 1983). A map
/// without crossings always has an area with at most five neighbors, so that six colors are enough
/// for it.
pub fn colors(neighbors: &[Vec<usize>], wanted: &[Option<usize>]) -> Vec<usize> {
    let k = neighbors.len();
    let mut left: Vec<usize> = neighbors.iter().map(Vec::len).collect();
    let mut queue: BinaryHeap<Reverse<(usize, usize)>> =
        (0..k).map(|area| Reverse((left[area], area))).collect();
    let mut aside = vec![false; k];
    let mut order = Vec::with_capacity(k);
    while let Some(Reverse((count, area))) = queue.pop() {
        // Entries of areas that have fewer neighbors by now, or are set aside already, are old.
        if aside[area] || count != left[area] {
            continue;
        }
        aside[area] = true;
        order.push(area);
        for &other in neighbors[area].iter().filter(|&&other| !aside[other]) {
            left[other] -= 1;
            queue.push(Reverse((left[other], other)));
        }
    }
    let mut color: Vec<Option<usize>> = vec![None; k];
    // How many areas have each color; and how many have it, or want it and have none yet.
    let (mut uses, mut claims) = ([0_usize; SAFE], [0_usize; SAFE]);
    wanted.iter().flatten().filter(|&&c| c < SAFE).for_each(|&c| claims[c] += 1);
    for &area in order.iter().rev() {
        let mut taken: Vec<usize> =
            neighbors[area].iter().filter_map(|&other| color[other]).collect();
        taken.sort_unstable();
        taken.dedup();
        let is_free = |c: &usize| taken.binary_search(c).is_err();
        let wish = wanted.get(area).copied().flatten();
        if let Some(claims) = wish.and_then(|c| claims.get_mut(c)) {
            *claims -= 1;
        }
        let fewest = (0..SAFE).filter(is_free).min_by_key(|&c| (claims[c], uses[c]));
        let is_new = fewest.is_some_and(|c| claims[c] == 0);
        let comes_again = |c: &usize| uses.get(*c).is_some_and(|&uses| uses > 0);
        let chosen = wish
            .filter(|c| is_free(c) && !(is_new && comes_again(c)))
            .or(fewest)
            .or_else(|| (SAFE..=SAFE + taken.len()).find(is_free))
            .unwrap_or(SAFE);
        color[area] = Some(chosen);
        if chosen < SAFE {
            uses[chosen] += 1;
            claims[chosen] += 1;
        }
    }
    color.into_iter().map(|color| color.unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

    use super::*;

    fn differ(neighbors: &[Vec<usize>], colors: &[usize]) -> bool {
        let alike =
            |area: usize| neighbors[area].iter().any(|&other| colors[other] == colors[area]);
        !(0..neighbors.len()).any(alike)
    }

    #[test]
    fn neighbors_differ_on_a_wheel() {
        let rim = 7;
        let mut neighbors: Vec<Vec<usize>> =
            (0..rim).map(|i| vec![(i + 1) % rim, (i + rim - 1) % rim, rim]).collect();
        neighbors.push((0..rim).collect());
        let colors = colors(&neighbors, &[]);
        assert!(differ(&neighbors, &colors) && colors.iter().all(|&color| color < SAFE));
    }

    #[test]
    fn neighbors_differ_whatever_touches() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for round in 0..300 {
            let k = rng.random_range(1..40);
            let share = f64::from(round % 10) / 9.0;
            let mut neighbors = vec![Vec::new(); k];
            for a in 0..k {
                for b in 0..a {
                    if rng.random_bool(share) {
                        neighbors[a].push(b);
                        neighbors[b].push(a);
                    }
                }
            }
            let wanted: Vec<Option<usize>> =
                (0..k).map(|_| rng.random_bool(0.5).then(|| rng.random_range(0..9))).collect();
            let colors = colors(&neighbors, &wanted);
            assert!(differ(&neighbors, &colors), "{neighbors:?} {colors:?}");
        }
    }

    #[test]
    fn few_areas_have_a_color_each() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..300 {
            let k = rng.random_range(1..=SAFE);
            let wanted: Vec<Option<usize>> =
                (0..k).map(|_| rng.random_bool(0.7).then(|| rng.random_range(0..SAFE))).collect();
            let mut colors = colors(&vec![Vec::new(); k], &wanted);
            let wishes: std::collections::BTreeSet<usize> =
                wanted.iter().copied().flatten().collect();
            assert!(wishes.iter().all(|wish| colors.contains(wish)), "{wanted:?} {colors:?}");
            colors.sort_unstable();
            colors.dedup();
            assert_eq!(colors.len(), k, "{wanted:?}");
        }
    }

    #[test]
    fn a_wish_is_granted_where_it_can_be() {
        let pair = [vec![1], vec![0]];
        assert_eq!(colors(&pair, &[Some(4), Some(2)]), [4, 2]);
        let both = colors(&pair, &[Some(4), Some(4)]);
        assert!(both[0] != both[1] && both.contains(&4));
    }
}
