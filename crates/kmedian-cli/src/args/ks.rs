//! The option `-k`: one or more numbers of centers.

use std::str::FromStr;

use crate::console::counted;
use crate::failure::Failure;
use crate::universe::Universe;

/// The most numbers in a range of k. A longer range is a typing error, and must not fill the
/// memory.
const MOST_KS: usize = 100_000;

/// The numbers of centers that were asked for: a number (`10`), a list (`2,5,10`) or a range with
/// both ends (`2..20`).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ks(pub(crate) Vec<usize>);

impl FromStr for Ks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            text.trim()
                .parse::<usize>()
                .map_err(|_| format!("`{text}` is not a whole number; try 10, 2,5,10 or 2..20"))
        };
        let mut ks = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                None => ks.push(number(part)?),
                Some((first, last)) => {
                    let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
                    if first > last {
                        return Err(format!(
                            "the range {part} is empty; the smaller number comes first"
                        ));
                    }
                    if last - first >= MOST_KS {
                        return Err(format!(
                            "the range {part} is too long; at most {MOST_KS} numbers at once"
                        ));
                    }
                    ks.extend(first..=last);
                }
            }
        }
        Ok(Self(ks))
    }
}

impl Ks {
    /// The numbers of centers to find: those that were asked for, or the one that the file states.
    pub(crate) fn of(asked: Option<&Self>, universe: &Universe) -> Result<Vec<usize>, Failure> {
        let ks = match (asked, universe.k) {
            (Some(ks), _) => ks.0.clone(),
            (None, Some(k)) => vec![k],
            (None, None) => {
                return Err(Failure::new("how many centers? say so with -k, for example -k 10"));
            }
        };
        let problem = universe.problem()?;
        let n = universe.len();
        if let Some(k) = ks.iter().find(|&&k| k == 0 || k > n) {
            return Err(Failure::new(format!(
                "-k {k}: from {}, 1 to {n} centers can be chosen",
                counted(n, "item")
            )));
        }
        ks.iter().try_for_each(|&k| problem.check_k(k))?;
        Ok(ks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ks_are_numbers_lists_and_ranges() {
        let ks = |text: &str| text.parse::<Ks>().map(|ks| ks.0);
        assert_eq!(ks("7"), Ok(vec![7]));
        assert_eq!(ks("2,5, 10"), Ok(vec![2, 5, 10]));
        assert_eq!(ks("2..4,9"), Ok(vec![2, 3, 4, 9]));
        assert_eq!(ks("2..=3"), Ok(vec![2, 3]));
        assert!(ks("").is_err());
        assert!(ks("five").is_err());
        assert!(ks("9..2").is_err());
        assert!(ks("0..18446744073709551615").is_err());
    }
}
