//! What a local search may be told.

use std::time::Duration;

use super::{Effort, LocalSearch, SwapRule};
use crate::{Clustering, Error, ErrorKind};

impl LocalSearch {
    /// Checks that the search can be done as it is described.
    ///
    /// # Errors
    /// If α is negative, NaN or infinite, or if the best of all swaps is to be taken with
    /// [`Effort::Fast`] or [`Effort::Balanced`]: who has judged all swaps knows whether one
    /// improves the centers.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Parameter, message));
        if !(self.alpha >= 0.0 && self.alpha.is_finite()) {
            return wrong(format!("alpha is {}; give a number, 0 or more", self.alpha));
        }
        if self.swap == SwapRule::Best && matches!(self.effort, Effort::Fast | Effort::Balanced) {
            return wrong(format!(
                "the best of all swaps is always certified, so the effort cannot be {}; take eager swaps, or the \
                 effort certified",
                self.effort
            ));
        }
        Ok(())
    }

    /// This search within what another one has left of its limits on swaps and time.
    pub(crate) fn less(&self, used: &Clustering) -> Self {
        let time = used.times.search + used.times.bound;
        Self {
            max_swaps: self.max_swaps.map(|most| most.saturating_sub(used.swaps)),
            time_limit: self.time_limit.map(|limit| limit.saturating_sub(time)),
            ..self.clone()
        }
    }

    /// A time limit from a number of seconds; `None`, which is no limit, if they are too many for a
    /// [`Duration`].
    ///
    /// # Errors
    /// If the number is negative or NaN.
    pub fn seconds(limit: f64) -> Result<Option<Duration>, Error> {
        if limit >= 0.0 {
            return Ok(Duration::try_from_secs_f64(limit).ok());
        }
        let message = format!("the time limit is {limit}; give a number of seconds, 0 or more");
        Err(Error::new(ErrorKind::Parameter, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_swaps_are_always_certified() {
        for effort in [Effort::Fast, Effort::Balanced] {
            let eager = LocalSearch { effort, ..LocalSearch::default() };
            assert_eq!(eager.check(), Ok(()));
            let best = LocalSearch { swap: SwapRule::Best, ..eager };
            let error = best.check().unwrap_err().to_string();
            assert!(error.contains(&format!("cannot be {effort}; take eager swaps")), "{error}");
        }
        let certified = LocalSearch { swap: SwapRule::Best, ..LocalSearch::default() };
        assert_eq!(certified.check(), Ok(()));
    }

    #[test]
    fn limits_are_seconds_and_long_ones_are_none() {
        assert_eq!(LocalSearch::seconds(0.5), Ok(Some(Duration::from_millis(500))));
        assert_eq!(LocalSearch::seconds(f64::INFINITY), Ok(None));
        assert_eq!(LocalSearch::seconds(1e300), Ok(None));
        for wrong in [-1.0, f64::NAN] {
            assert!(LocalSearch::seconds(wrong).is_err());
        }
    }
}
