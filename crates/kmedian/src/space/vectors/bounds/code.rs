//! How a number that tells a distance is rounded down to a byte.

/// The largest byte.
const LARGEST: f32 = u8::MAX as f32;

/// A monotone map from numbers to bytes, in steps of equal ratio between a lowest number and a highest
/// one. So it tells near distances apart as well as far ones, and one item that is far from all others
/// does not take the precision from them.
///
/// The bits of a positive float, read as a whole number, grow nearly with its logarithm: that is the
/// logarithm here, as it takes no time.
pub(super) struct Code {
    /// The bits of the lowest number.
    base: i32,
    /// Bytes for each step of the bits.
    scale: f32,
}

impl Code {
    /// Bytes for the numbers between two positive ones.
    pub(super) fn between(lowest: f32, highest: f32) -> Self {
        let base = bits(lowest.max(f32::MIN_POSITIVE));
        let steps = bits(highest.min(f32::MAX)).saturating_sub(base).max(1 << 8);
        Self { base, scale: LARGEST / steps as f32 }
    }

    /// The byte of a number. It does not fall where the number grows.
    #[inline(always)]
    pub(super) fn byte(&self, number: f32) -> u8 {
        // A float so large that its last bits count ones: vector units round best in this way.
        const LARGE: f32 = 8_388_608.0;
        let steps = (bits(number.max(0.0)) - self.base) as f32 * self.scale;
        (steps.clamp(0.0, LARGEST) + LARGE).to_bits() as u8
    }

    /// For each byte, the smallest number, not below zero, that has it or a larger one.
    pub(super) fn smallest(&self) -> [f32; 256] {
        std::array::from_fn(|byte| {
            let (mut below, mut above) = (-1, bits(f32::INFINITY));
            while above - below > 1 {
                let middle = below + (above - below) / 2;
                if usize::from(self.byte(f32::from_bits(middle as u32))) < byte {
                    below = middle;
                } else {
                    above = middle;
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
    fn bytes_grow_with_the_number_and_stand_for_none_above_it() {
        for (lowest, highest) in
            [(1.0, 2.0), (1e-3, 1e9), (0.0, 1.0), (1e-38, 1e38), (3.0, 3.0), (5.0, 4.0)]
        {
            let code = Code::between(lowest, highest);
            let smallest = code.smallest();
            let mut number = f32::MIN_POSITIVE;
            let mut last = code.byte(-1.0);
            assert_eq!(last, 0);
            while number < 1e38 {
                let byte = code.byte(number);
                assert!(byte >= last && smallest[usize::from(byte)] <= number);
                (last, number) = (byte, number * 1.003);
            }
            assert_eq!((code.byte(0.0), code.byte(f32::INFINITY), smallest[0]), (0, 255, 0.0));
        }
    }

    #[test]
    fn steps_have_equal_ratios() {
        let smallest = Code::between(1.0, 16.0).smallest();
        for pair in smallest[1..].windows(2) {
            // Within an octave the bits grow evenly, so a ratio is off by at most ln 2 and 2 ln 2.
            let ratio = pair[1] / pair[0];
            assert!((1.007..1.017).contains(&ratio), "{pair:?}");
        }
    }
}
