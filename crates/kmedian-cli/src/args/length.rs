//! Lengths as they are typed: a number, perhaps with a unit, such as `250m`.

use std::str::FromStr;

use kmedian::Metric;

/// The units of lengths, and how many kilometers each is.
const UNITS: [(&str, f64); 4] = [("km", 1.0), ("mi", 1.609_344), ("ft", 0.000_304_8), ("m", 0.001)];

/// A length: a number in the unit of the metric, or in a unit of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Length {
    value: f64,
    /// How many kilometers the unit is; `None` if none was given.
    kilometers: Option<f64>,
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let unit = UNITS.iter().find_map(|&(name, kilometers)| {
            Some((text.strip_suffix(name)?.trim_end(), Some(kilometers)))
        });
        let (number, kilometers) = unit.unwrap_or((text, None));
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => Ok(Self { value, kilometers }),
            _ => Err(format!("`{text}` is no length; try 250m, 1.5km, or a number from 0 up")),
        }
    }
}

impl Length {
    /// The length in the unit of the metric, which is kilometers under haversine.
    ///
    /// # Errors
    /// If it has a unit of its own, and the metric has none.
    pub(crate) fn under(self, metric: Metric) -> Result<f64, String> {
        match self.kilometers {
            Some(kilometers) if metric == Metric::Haversine => Ok(self.value * kilometers),
            Some(_) => Err(format!(
                "under {metric} a length has the unit of the coordinates; give a plain number"
            )),
            None => Ok(self.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units_on_the_globe() {
        let under =
            |text: &str, metric| text.parse::<Length>().and_then(|length| length.under(metric));
        for (text, kilometers) in
            [("250m", 0.25), ("1.5 km", 1.5), ("2", 2.0), ("1mi", 1.609_344), ("0", 0.0)]
        {
            assert_eq!(under(text, Metric::Haversine), Ok(kilometers), "{text}");
        }
        assert_eq!(under("2.5", Metric::L2), Ok(2.5));
        assert!(under("2.5m", Metric::L2).is_err_and(|error| error.contains("plain number")));
        for text in ["", "m", "-1", "nan", "inf", "1 parsec", "1e999"] {
            assert!(text.parse::<Length>().is_err(), "{text}");
        }
    }
}
