//! Vectors less a mean, rounded to multiples of a unit of their own.

use super::super::axes::{lanes, square_between};
use super::super::kernels::{Task, Unit, dispatch};
use super::super::whole_panels::LARGEST_SQUARE;

/// The largest whole number of a row, less one for rounding.
const LARGEST: f32 = (i16::MAX - 1) as f32;

/// A vector less a mean, rounded to whole numbers of 16 bits: what is known of it without these.
#[derive(Debug, Clone, Copy)]
pub(super) struct WholeRow {
    /// What the numbers are multiples of; zero if all of them are.
    pub(super) unit: f32,
    /// The square of the length of the rounded vector: a sum that runs in 16 lanes.
    pub(super) square: f32,
    /// How far the rounded vector is from the vector, at most.
    pub(super) away: f32,
}

impl WholeRow {
    pub(super) fn new(row: &[f32], mean: &[f32]) -> Self {
        dispatch(Rounding { row, mean })
    }

    #[inline(always)]
    fn rounded(row: &[f32], mean: &[f32]) -> Self {
        let length = square_between(row, mean).sqrt();
        let largest = row.iter().zip(mean).map(|(x, mean)| (x - mean).abs()).fold(0.0, larger);
        // Rounding adds half a unit to each number; a hundredth is left for the sums themselves.
        let longest = 0.99 * (LARGEST_SQUARE as f32).sqrt() - 0.5 * (row.len() as f32).sqrt();
        let unit = (length / longest).max(largest / LARGEST);
        let unit = if unit.is_normal() && longest > 0.0 { unit } else { 0.0 };
        let inverse = inverse(unit);
        let multiple = |x: f32| unit * f32::from(whole(x, inverse));
        let square = lanes(row, mean, |x, mean| multiple(x - mean) * multiple(x - mean));
        let rests = lanes(row, mean, |x, mean| {
            let rest = (x - mean) - multiple(x - mean);
            rest * rest
        });
        // Taking the mean away and the unit times the number are rounded, too.
        let away = 1.001 * rests.sqrt() + 4.0 * f32::EPSILON * length;
        Self { unit, square, away }
    }
}

/// The task to find out what is lost if a vector less a mean is rounded to whole numbers.
struct Rounding<'a> {
    row: &'a [f32],
    mean: &'a [f32],
}

impl Task for Rounding<'_> {
    type Output = WholeRow;

    #[inline(always)]
    fn run<U: Unit>(self, _: U) -> WholeRow {
        WholeRow::rounded(self.row, self.mean)
    }
}

/// The larger of two numbers; `f32::max` takes longer, as it has to look for NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Writes a vector less a mean as whole numbers: multiples of the unit.
pub(super) fn write(row: &[f32], mean: &[f32], unit: f32, numbers: &mut [i16]) {
    dispatch(Writing { row, mean, unit, numbers });
}

/// The task to write a vector less a mean as whole numbers.
struct Writing<'a> {
    row: &'a [f32],
    mean: &'a [f32],
    unit: f32,
    numbers: &'a mut [i16],
}

impl Task for Writing<'_> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, _: U) {
        let inverse = inverse(self.unit);
        for ((number, x), mean) in self.numbers.iter_mut().zip(self.row).zip(self.mean) {
            *number = whole(x - mean, inverse);
        }
    }
}

/// One by the unit; zero where the unit is.
#[inline(always)]
fn inverse(unit: f32) -> f32 {
    if unit > 0.0 { 1.0 / unit } else { 0.0 }
}

/// The whole number that is nearest to a number times the inverse of the unit.
#[inline(always)]
fn whole(x: f32, inverse: f32) -> i16 {
    // 1.5 · 2²³, a 32-bit float so large that its last bits count ones: vector units round best in
    // this way.
    const LARGE: f32 = 12_582_912.0;
    (x * inverse + LARGE).to_bits() as i16
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::Seed;

    #[test]
    fn rows_are_rounded_to_whole_numbers_that_can_be_multiplied() {
        let mut rng = Seed(1).stream("whole rows");
        for dims in [1, 2, 17, 768, 5000] {
            for size in [0.0, 1e-40, 1e-30, 1.0, 1e6, 1e18, 1e30] {
                for alone in [false, true] {
                    let mean: Vec<f32> = (0..dims).map(|_| rng.random_range(-1.0..1.0)).collect();
                    let mut row = mean.clone();
                    for (at, x) in row.iter_mut().enumerate() {
                        let far = if alone && at > 0 { 1e-3 } else { 1.0 };
                        *x += size * far * rng.random_range(-1.0..1.0_f32);
                    }
                    check(&row, &mean);
                }
            }
        }
    }

    fn check(row: &[f32], mean: &[f32]) {
        let WholeRow { unit, square, away } = WholeRow::new(row, mean);
        let mut numbers = vec![0; row.len()];
        write(row, mean, unit, &mut numbers);
        let squares: i64 = numbers.iter().map(|&number| i64::from(number).pow(2)).sum();
        assert!(squares <= i64::from(LARGEST_SQUARE), "{squares}");
        let rounded = squares as f64 * f64::from(unit).powi(2);
        assert!(
            (rounded - f64::from(square)).abs() <= 1e-7 * (row.len() / 16 + 16) as f64 * rounded
        );
        let rest = |((x, mean), number): ((&f32, &f32), &i16)| {
            f64::from(*x) - f64::from(*mean) - f64::from(unit) * f64::from(*number)
        };
        let rests = row.iter().zip(mean).zip(&numbers).map(rest);
        let true_away = rests.map(|rest| rest * rest).sum::<f64>().sqrt();
        assert!(true_away <= f64::from(away), "{true_away} > {away}");
        // What is lost is little, unless numbers are so large or so small that floats are not exact.
        let length = square_between(row, mean).sqrt();
        let lost = away / length;
        let exact = (1e-20..1e18).contains(&length);
        assert!(!exact || lost < 1e-5 * (row.len() as f32).sqrt() + 1e-5, "{lost}");
    }
}
