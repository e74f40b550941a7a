//! How a number that tells a distance is rounded down to a level.

use std::marker::PhantomData;

use super::level::Level;

/// A monotone map from numbers to levels: fine steps of equal ratio between two numbers, and coarse
/// ones from there to a third. So it tells near distances apart as well as far ones, and a few
/// items that are far from all others take little precision from them.
///
/// The bits of a positive float, read as a whole number, grow nearly with its logarithm: that is
/// the logarithm here, as it takes no time.
pub(super) struct Code<L> {
    fine: Line,
    coarse: Line,
    level: PhantomData<L>,
}

/// Levels by the bits of a number, on a line.
struct Line {
    /// The bits of the number where the line begins.
    from: i32,
    /// The level where the line begins.
    level: f32,
    /// How much the level grows for each step of the bits.
    slope: f32,
}

impl Line {
    /// The line through two points, the second of which has larger bits.
    fn through(from: (i32, f32), to: (i32, f32)) -> Self {
        let slope = (to.1 - from.1) / to.0.saturating_sub(from.0).max(1 << 8) as f32;
        Self { from: from.0, level: from.1, slope }
    }

    #[inline(always)]
    fn at(&self, bits: i32) -> f32 {
        (bits - self.from) as f32 * self.slope + self.level
    }
}

impl<L: Level> Code<L> {
    /// The largest level, as a number.
    const LARGEST: f32 = (L::COUNT - 1) as f32;

    /// The code for numbers from the first to the third: fine steps up to the second, coarse ones
    /// behind it. The three must not fall.
    pub(super) fn new([lowest, far, farthest]: [f32; 3]) -> Self {
        let lowest = bits(lowest.max(f32::MIN_POSITIVE));
        let far = bits(far.min(f32::MAX)).max(lowest);
        let farthest = bits(farthest.min(f32::MAX)).max(far);
        Self {
            fine: Line::through((lowest, 0.0), (far, L::KNEE)),
            coarse: Line::through((far, L::KNEE), (farthest, Self::LARGEST)),
            level: PhantomData,
        }
    }

    /// The level of a number. It does not fall where the number grows.
    #[inline(always)]
    pub(super) fn level(&self, number: f32) -> L {
        // 2²³, a 32-bit float so large that its last bits count ones: vector units round best in
        // this way.
        const LARGE: f32 = 8_388_608.0;
        let bits = bits(number.max(0.0));
        let level = self.fine.at(bits).min(self.coarse.at(bits).max(L::KNEE));
        L::from_bits((level.clamp(0.0, Self::LARGEST) + LARGE).to_bits())
    }

    /// For each level, the smallest number, not below zero, that has it or a larger one.
    pub(super) fn smallest(&self) -> impl Iterator<Item = f32> {
        // Each is not below the one before it, and seldom far from it.
        let mut below = -1;
        (0..L::COUNT).map(move |level| {
            let reaches = |bits: i32| self.level(f32::from_bits(bits as u32)).index() >= level;
            let (last, mut step) = (bits(f32::INFINITY), 1);
            let mut above = below + 1;
            while above < last && !reaches(above) {
                below = above;
                above = last.min(above.saturating_add(step));
                step = step.saturating_mul(2);
            }
            while above - below > 1 {
                let middle = below + (above - below) / 2;
                if reaches(middle) {
                    above = middle;
                } else {
                    below = middle;
                }
            }
            f32::from_bits(above as u32)
        })
    }
}

/// The bits of a number that is not negative: a whole number that grows with it.
#[inline(always)]
fn bits(number: f32) -> i32 {
    number.to_bits() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_with_the_number_and_stand_for_none_above_it() {
        for numbers in [
            [1.0, 2.0, 2.0],
            [1.0, 1.01, 1e30],
            [1e-3, 1e9, 1e10],
            [0.0, 1.0, 2.0],
            [1e-38, 1.0, 1e38],
            [3.0, 3.0, 3.0],
            [5.0, 4.0, 3.0],
            [0.0, 0.0, 0.0],
            [1.0, f32::INFINITY, f32::INFINITY],
        ] {
            levels_grow_with_the_number(&Code::<u8>::new(numbers));
            levels_grow_with_the_number(&Code::<u16>::new(numbers));
        }
    }

    fn levels_grow_with_the_number<L: Level>(code: &Code<L>) {
        let smallest: Vec<f32> = code.smallest().collect();
        assert_eq!(smallest.len(), L::COUNT);
        let mut number = f32::MIN_POSITIVE;
        let mut last = code.level(-1.0).index();
        assert_eq!(last, 0);
        while number < 1e38 {
            let level = code.level(number).index();
            assert!(level >= last && smallest[level] <= number);
            // A number just below the smallest of a level has a lower one.
            let lower = smallest[level].next_down();
            assert!(lower < 0.0 || code.level(lower).index() < level || level == 0);
            (last, number) = (level, number * 1.003);
        }
        assert!(code.level(f32::INFINITY).index() >= last.max(L::KNEE as usize));
        assert_eq!((code.level(0.0).index(), smallest[0]), (0, 0.0));
    }

    #[test]
    fn steps_have_equal_ratios_and_are_coarse_beyond_the_knee() {
        let smallest: Vec<f32> = Code::<u8>::new([1.0, 16.0, 1e6]).smallest().collect();
        for pair in smallest[1..222].windows(2) {
            // Within an octave the bits grow evenly, so a ratio is off by at most ln 2 and 2 ln 2.
            let ratio = pair[1] / pair[0];
            assert!((1.008..1.019).contains(&ratio), "{pair:?}");
        }
        assert!((14.0..18.0).contains(&smallest[223]), "{}", smallest[223]);
        for pair in smallest[225..].windows(2) {
            let ratio = pair[1] / pair[0];
            assert!((1.2..1.7).contains(&ratio), "{pair:?}");
        }
    }
}
