//! How a number that tells a distance is rounded down to a byte.

/// The largest byte, which stands for the farthest distances.
const LARGEST: f32 = u8::MAX as f32;

/// The byte up to which steps are fine; the 32 bytes above it suffice for the few distances that
/// are larger than nearly all caps.
const KNEE: f32 = 223.0;

/// A monotone map from numbers to bytes: fine steps of equal ratio between two numbers, and coarse
/// ones from there to a third. So it tells near distances apart as well as far ones, and a few
/// items that are far from all others take little precision from them.
///
/// The bits of a positive float, read as a whole number, grow nearly with its logarithm: that is
/// the logarithm here, as it takes no time.
pub(super) struct Code {
    fine: Line,
    coarse: Line,
}

/// Bytes by the bits of a number, on a line.
struct Line {
    /// The bits of the number where the line begins.
    from: i32,
    /// The byte where the line begins.
    byte: f32,
    /// How much the byte grows for each step of the bits.
    slope: f32,
}

impl Line {
    /// The line through two points, the second of which has larger bits.
    fn through(from: (i32, f32), to: (i32, f32)) -> Self {
        let slope = (to.1 - from.1) / to.0.saturating_sub(from.0).max(1 << 8) as f32;
        Self { from: from.0, byte: from.1, slope }
    }

    #[inline(always)]
    fn at(&self, bits: i32) -> f32 {
        (bits - self.from) as f32 * self.slope + self.byte
    }
}

impl Code {
    /// The code for numbers from the first to the third: fine steps up to the second, coarse ones
    /// behind it. The three must not fall.
    pub(super) fn new([lowest, far, farthest]: [f32; 3]) -> Self {
        let lowest = bits(lowest.max(f32::MIN_POSITIVE));
        let far = bits(far.min(f32::MAX)).max(lowest);
        let farthest = bits(farthest.min(f32::MAX)).max(far);
        Self {
            fine: Line::through((lowest, 0.0), (far, KNEE)),
            coarse: Line::through((far, KNEE), (farthest, LARGEST)),
        }
    }

    /// The byte of a number. It does not fall where the number grows.
    #[inline(always)]
    pub(super) fn byte(&self, number: f32) -> u8 {
        // 2²³, a 32-bit float so large that its last bits count ones: vector units round best in
        // this way.
        const LARGE: f32 = 8_388_608.0;
        let bits = bits(number.max(0.0));
        let byte = self.fine.at(bits).min(self.coarse.at(bits).max(KNEE));
        (byte.clamp(0.0, LARGEST) + LARGE).to_bits() as u8
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
            let code = Code::new(numbers);
            let smallest = code.smallest();
            let mut number = f32::MIN_POSITIVE;
            let mut last = code.byte(-1.0);
            assert_eq!(last, 0);
            while number < 1e38 {
                let byte = code.byte(number);
                assert!(byte >= last && smallest[usize::from(byte)] <= number);
                (last, number) = (byte, number * 1.003);
            }
            assert!(code.byte(f32::INFINITY) >= last.max(KNEE as u8));
            assert_eq!((code.byte(0.0), smallest[0]), (0, 0.0));
        }
    }

    #[test]
    fn steps_have_equal_ratios_and_are_coarse_beyond_the_knee() {
        let smallest = Code::new([1.0, 16.0, 1e6]).smallest();
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
