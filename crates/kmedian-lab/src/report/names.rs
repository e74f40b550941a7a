//! The names of methods and data for readers, their order, and how methods are drawn.

use kmedian_plot::{Mark, Style};

/// The data sets of the paper, by their names in rows, in the order of the paper.
pub const PAPER_DATA: [&str; 4] = ["mnist-l1", "mnist-l2", "graph-r1", "graph-r100"];
/// The demands of the paper, by their names in rows, in the order of the paper.
pub const PAPER_DEMANDS: [&str; 2] = ["balanced", "imbalanced"];

/// The methods: the name of each in rows, its name for readers, and how it is drawn.
const METHODS: [(&str, &str, Style); 19] = [
    ("ndp-rand", "NDP-rand", Style::new(5, Mark::Ring, "2 3", false)),
    ("ndp-plusplus", "NDP-kmedian++", Style::new(2, Mark::Square, "7 3", false)),
    ("ndp-hst", "NDP-HST (paper)", Style::new(1, Mark::Triangle, "", false)),
    ("ndp-exact", "non-private, ours", Style::new(3, Mark::Diamond, "", true)),
    ("ndp-restarts", "ours with restarts", Style::new(4, Mark::Cross, "9 2 2 2", false)),
    ("dp-rand", "DP-rand", Style::new(5, Mark::Ring, "2 3", false)),
    ("dp-plusplus", "DP-kmedian++", Style::new(2, Mark::Square, "7 3", false)),
    ("dp-hst", "DP-HST (paper)", Style::new(1, Mark::Triangle, "", false)),
    ("dp-exact", "exact, ours", Style::new(4, Mark::Cross, "9 2 2 2", false)),
    ("dp-refined", "refined, ours", Style::new(3, Mark::Diamond, "", true)),
    ("data-free", "without data", Style::new(0, Mark::None, "1 3", false)),
    ("plusplus", "k-median++", Style::new(2, Mark::Square, "7 3", false)),
    ("greedy", "greedy k-median++", Style::new(5, Mark::Ring, "2 3", false)),
    ("hst-paper", "HST (paper)", Style::new(1, Mark::Triangle, "", false)),
    ("hst-ours", "HST, ours", Style::new(3, Mark::Diamond, "", true)),
    ("ball", "ball (paper)", Style::new(1, Mark::Triangle, "", false)),
    ("frt", "FRT", Style::new(2, Mark::Square, "7 3", false)),
    ("grid", "grid", Style::new(5, Mark::Ring, "2 3", false)),
    ("fitted", "fitted, ours", Style::new(3, Mark::Diamond, "", true)),
];

/// How the line of non-private centers is drawn beside private ones.
pub const NON_PRIVATE_LINE: Style = Style::new(0, Mark::None, "8 4", false);

/// The names of all methods in rows, in the order of legends and tables.
pub fn methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|method| method.0)
}

/// The name of a method for readers; its name in rows if it has no other.
pub fn method_label(method: &str) -> &str {
    METHODS.iter().find(|named| named.0 == method).map_or(method, |named| named.1)
}

/// How a method is drawn. A method without a style of its own gets one by its position among the
/// others.
pub fn method_style(method: &str, place: usize) -> Style {
    METHODS.iter().find(|named| named.0 == method).map_or(other_style(place), |named| named.2)
}

/// How a series at this position is drawn that is not a method.
pub fn other_style(place: usize) -> Style {
    Style::in_turn(place)
}

/// The name of data for readers: with the seed of a graph that is not the usual one, and the number
/// of images that were left out before those that are used.
pub fn data_label(data: &str) -> String {
    for (prefix, kind, others) in [
        ("mnist-", "MNIST ", "after"),
        ("made-up-", "made-up ", "after"),
        ("graph-r", "graph r = ", "seed"),
    ] {
        if let Some(rest) = data.strip_prefix(prefix) {
            return match rest.split_once('-') {
                Some((which, number)) => format!("{kind}{which}, {others} {number}"),
                None => format!("{kind}{rest}"),
            };
        }
    }
    match data {
        "amsterdam" => "Amsterdam".into(),
        "oldenburg" => "Oldenburg".into(),
        "california" => "California".into(),
        "places" => "places of the world".into(),
        "pmed" => "OR-Library".into(),
        other => other.into(),
    }
}

/// The kind of data: all instances of the OR-Library are of the kind `pmed`, other data is its own
/// kind.
pub fn data_kind(data: &str) -> &str {
    if data.starts_with("pmed") { "pmed" } else { data }
}

/// The name of data with its demand, for readers.
pub fn setting_label(data: &str, demand: &str) -> String {
    match demand {
        "all" => data_label(data),
        "districts" => format!("{}, demand in districts", data_label(data)),
        "points" => format!("{}, demand at a few points", data_label(data)),
        _ => format!("{}, {demand}", data_label(data)),
    }
}

/// Sorts names: first those that are known, in the known order, then the others by their letters
/// and numbers.
pub fn in_order<'a>(known: &[&str], mut names: Vec<&'a str>) -> Vec<&'a str> {
    names.sort_by_key(|&name| {
        let place = known.iter().position(|&other| other == name).unwrap_or(known.len());
        (place, natural(name))
    });
    names
}

/// A sort key that puts `pmed2` before `pmed10`.
fn natural(name: &str) -> (String, u64) {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (stem.to_owned(), name[stem.len()..].parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_the_paper_has_them_and_then_naturally() {
        let names = vec!["pmed10", "graph-r1", "pmed2", "mnist-l2"];
        assert_eq!(in_order(&PAPER_DATA, names), ["mnist-l2", "graph-r1", "pmed2", "pmed10"]);
    }

    #[test]
    fn no_two_methods_of_a_figure_look_alike_without_colors() {
        for prefix in ["ndp-", "dp-"] {
            let styles: Vec<_> =
                METHODS.iter().filter(|method| method.0.starts_with(prefix)).collect();
            for (i, one) in styles.iter().enumerate() {
                for other in &styles[..i] {
                    assert_ne!(one.2.mark, other.2.mark, "{} and {}", one.0, other.0);
                    assert_ne!(one.2.color, other.2.color, "{} and {}", one.0, other.0);
                }
            }
        }
    }
}
