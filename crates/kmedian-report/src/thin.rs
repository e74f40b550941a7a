//! Which items a page shows, if they are too many for all.

/// The most items that a page shows: a canvas draws so many dots in a few hundredths of a second,
/// and more would hide each other.
pub const MOST_SHOWN: usize = 20_000;

/// How many cells the grid has in each direction in which no place stays empty that has items:
/// about as many as there are dots on a screen of this size.
const CELLS: usize = 100;

/// The items to show, ascending: all of them, or those that must be shown, an item of each part of
/// the picture that has any, and as many others as there is room for, evenly over the file.
///
/// `places` are from 0 to 1 in both directions.
pub(crate) fn shown(places: &[[f64; 2]], must: &[usize], most: usize) -> Vec<usize> {
    let n = places.len();
    if n <= most {
        return (0..n).collect();
    }
    let mut chosen = vec![false; n];
    let mut count = 0;
    let mut choose = |item: usize, count: &mut usize| {
        *count += usize::from(!std::mem::replace(&mut chosen[item], true));
    };
    must.iter().for_each(|&item| choose(item, &mut count));
    let cell = |at: f64| ((at * CELLS as f64) as usize).min(CELLS - 1);
    let mut seen = vec![false; CELLS * CELLS];
    for (item, &[x, y]) in places.iter().enumerate() {
        let cell = cell(y) * CELLS + cell(x);
        if count < most && !std::mem::replace(&mut seen[cell], true) {
            choose(item, &mut count);
        }
    }
    let room = most.saturating_sub(count);
    for place in 0..room {
        choose(place * n / room, &mut count);
    }
    (0..n).filter(|&item| chosen[item]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_shown_and_lonely_items_are() {
        let mut places = vec![[0.5, 0.5]; 5000];
        places[4321] = [0.99, 0.01];
        let shown = shown(&places, &[77, 4999], 500);
        assert!((400..=500).contains(&shown.len()), "{}", shown.len());
        assert!([77, 4999, 4321].iter().all(|item| shown.contains(item)));
        assert!(shown.is_sorted() && shown.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(super::shown(&places[..10], &[], 500), (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn more_must_be_shown_than_there_is_room_for() {
        let places = vec![[0.0, 1.0]; 100];
        let must: Vec<usize> = (0..60).collect();
        assert_eq!(shown(&places, &must, 50), must);
    }
}
