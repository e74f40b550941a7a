//! Axes: where numbers are on them, and which numbers are written at them.

/// How numbers are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences take equal room.
    Linear,
    /// Equal ratios take equal room. Numbers that are not positive have no place.
    Log,
}

/// A range of numbers on a scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    scale: Scale,
    /// The lower end; on a logarithmic scale, its decimal logarithm.
    low: f64,
    /// The upper end; on a logarithmic scale, its decimal logarithm.
    high: f64,
}

impl Axis {
    /// An axis with room for all the numbers, and some more at both ends: `room` is that as a share
    /// of their range. `None` if no number has a place on the axis.
    pub fn around(values: impl IntoIterator<Item = f64>, scale: Scale, room: f64) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in
            values.into_iter().map(|value| on(scale, value)).filter(|value| value.is_finite())
        {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return None;
        }
        // The range has a lower limit: otherwise noise in the last digit would fill the axis.
        let least = (low.abs().max(high.abs()) * 1e-3).max(1e-9);
        let pad = ((high - low) * room).max(least);
        Some(Self { scale, low: low - pad, high: high + pad })
    }

    /// The place of a number, from 0 at the lower end to 1 at the upper end, beyond these if it is
    /// outside. `None` if it has no place on the scale.
    pub fn share(&self, value: f64) -> Option<f64> {
        let share = (on(self.scale, value) - self.low) / (self.high - self.low);
        share.is_finite().then_some(share)
    }

    /// Round numbers along the axis, about `most` at the most, and their labels.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => self.even_ticks(most),
            Scale::Log => self.log_ticks(most),
        }
    }

    fn even_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / most as f64;
        let magnitude = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|digit| digit * magnitude)
            .into_iter()
            .find(|&step| step >= rough)
            .unwrap_or(10.0 * magnitude);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|at| (at as f64 * step, tick_label(at as f64 * step, step))).collect()
    }

    fn log_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        // Tries digits from fine to coarse, until the ticks are few enough.
        for digits in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
            let ticks: Vec<f64> = decades
                .clone()
                .flat_map(|decade| digits.iter().map(move |digit| digit * 10_f64.powi(decade)))
                .filter(|tick| (self.low..=self.high).contains(&tick.log10()))
                .collect();
            if (3..=most).contains(&ticks.len()) {
                return ticks.into_iter().map(|tick| (tick, tick_label(tick, tick))).collect();
            }
            // With fewer than three ticks, the range is so short that even steps will do.
            if ticks.len() < 3 {
                let even = Self {
                    scale: Scale::Linear,
                    low: 10_f64.powf(self.low),
                    high: 10_f64.powf(self.high),
                };
                return even.even_ticks(most);
            }
        }
        let step = decades.clone().count().div_ceil(most);
        decades
            .step_by(step)
            .map(|decade| 10_f64.powi(decade))
            .filter(|tick| (self.low..=self.high).contains(&tick.log10()))
            .map(|tick| (tick, tick_label(tick, tick)))
            .collect()
    }
}

fn on(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => value.log10(),
    }
}

/// The label of a tick: with as many decimals as its neighbors need, `k` for thousands and `M` for
/// millions.
fn tick_label(value: f64, step: f64) -> String {
    let (unit, letter) = match value.abs().max(step) {
        large if large >= 1e6 && step >= 1e5 => (1e6, "M"),
        large if large >= 1e4 && step >= 1e2 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // A step of 0.05 needs two decimals. The small number keeps rounding from giving 0.01 three.
    let decimals = (-(step / unit).log10() - 1e-9).ceil().max(0.0) as usize;
    let text = format!("{:.decimals$}", value / unit);
    let sign = if text.starts_with('-') && text.trim_matches(['-', '0', '.']).is_empty() {
        ""
    } else {
        "−"
    };
    match text.strip_prefix('-') {
        Some(digits) => format!("{sign}{digits}{letter}"),
        None => format!("{text}{letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, most: usize) -> Vec<String> {
        axis.ticks(most).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_and_lie_within() {
        let axis = Axis::around([21.2, 46.0], Scale::Linear, 0.05).unwrap();
        assert_eq!(labels(&axis, 6), ["20", "25", "30", "35", "40", "45"]);
        let axis = Axis::around([3_200_000.0, 4_100_000.0], Scale::Linear, 0.05).unwrap();
        assert_eq!(labels(&axis, 5), ["3.2M", "3.4M", "3.6M", "3.8M", "4.0M"]);
        let axis = Axis::around([-1.5, 1.5], Scale::Linear, 0.0).unwrap();
        assert_eq!(labels(&axis, 4), ["−1", "0", "1"]);
    }

    #[test]
    fn logarithmic_ticks_are_few() {
        let axis = Axis::around([0.01, 10.0], Scale::Log, 0.02).unwrap();
        assert_eq!(labels(&axis, 6), ["0.01", "0.1", "1", "10"]);
        assert_eq!(axis.share(0.0), None);
        let axis = Axis::around([100.0, 10_000.0], Scale::Log, 0.02).unwrap();
        assert_eq!(labels(&axis, 7), ["100", "200", "500", "1000", "2000", "5000", "10k"]);
        let few = Axis::around([40.0, 110.0], Scale::Log, 0.0).unwrap();
        assert_eq!(labels(&few, 6), ["40", "60", "80", "100"]);
        let short = Axis::around([2.1, 2.9], Scale::Log, 0.0).unwrap();
        assert!(labels(&short, 5).len() >= 3);
    }

    #[test]
    fn one_number_and_no_number() {
        let axis = Axis::around([5.0], Scale::Linear, 0.05).unwrap();
        assert!((axis.share(5.0).unwrap() - 0.5).abs() < 1e-9);
        let zero = Axis::around([0.0], Scale::Linear, 0.05).unwrap();
        assert!((zero.share(0.0).unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(Axis::around([0.0, f64::NAN], Scale::Log, 0.05), None);
    }
}
