//! The elements of binary arrays: their types, and how they are decoded.

use std::fmt::Write;

/// The type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl Element {
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Writes the first element of `bytes` as text into `out`, which is cleared first. Integers are
    /// exact, whatever their size.
    pub(crate) fn write_text(self, bytes: &[u8], big_endian: bool, out: &mut String) {
        macro_rules! element {
            ($number:ty) => {
                bytes.first_chunk().map_or_else(Default::default, |&element| {
                    if big_endian {
                        <$number>::from_be_bytes(element)
                    } else {
                        <$number>::from_le_bytes(element)
                    }
                })
            };
        }
        out.clear();
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Bool => write!(out, "{}", u8::from(element!(u8) != 0)),
            Self::U8 => write!(out, "{}", element!(u8)),
            Self::I8 => write!(out, "{}", element!(i8)),
            Self::U16 => write!(out, "{}", element!(u16)),
            Self::I16 => write!(out, "{}", element!(i16)),
            Self::U32 => write!(out, "{}", element!(u32)),
            Self::I32 => write!(out, "{}", element!(i32)),
            Self::U64 => write!(out, "{}", element!(u64)),
            Self::I64 => write!(out, "{}", element!(i64)),
            Self::F16 => write!(out, "{}", half_to_f64(element!(u16))),
            Self::F32 => write!(out, "{}", element!(f32)),
            Self::F64 => write!(out, "{}", element!(f64)),
        };
    }

    /// Decodes all of `bytes`, if they are 32-bit floats or bytes: numbers that coordinates hold as
    /// they are, and the most common ones. `out` is cleared first. Returns false for other elements.
    pub(crate) fn decode_exactly(self, bytes: &[u8], big_endian: bool, out: &mut Vec<f32>) -> bool {
        out.clear();
        match self {
            Self::U8 => out.extend(bytes.iter().map(|&byte| f32::from(byte))),
            Self::F32 => {
                let (elements, _) = bytes.as_chunks();
                if big_endian {
                    out.extend(elements.iter().map(|&element| f32::from_be_bytes(element)));
                } else {
                    out.extend(elements.iter().map(|&element| f32::from_le_bytes(element)));
                }
            }
            _ => return false,
        }
        true
    }

    /// Decodes all of `bytes` into `out`, which is cleared first.
    pub(crate) fn decode(self, bytes: &[u8], big_endian: bool, out: &mut Vec<f64>) {
        macro_rules! decode {
            ($number:ty) => {{
                let (elements, _) = bytes.as_chunks::<{ size_of::<$number>() }>();
                if big_endian {
                    out.extend(elements.iter().map(|&e| <$number>::from_be_bytes(e) as f64));
                } else {
                    out.extend(elements.iter().map(|&e| <$number>::from_le_bytes(e) as f64));
                }
            }};
        }
        out.clear();
        match self {
            Self::Bool => out.extend(bytes.iter().map(|&byte| f64::from(u8::from(byte != 0)))),
            Self::U8 => decode!(u8),
            Self::I8 => decode!(i8),
            Self::U16 => decode!(u16),
            Self::I16 => decode!(i16),
            Self::U32 => decode!(u32),
            Self::I32 => decode!(i32),
            Self::U64 => decode!(u64),
            Self::I64 => decode!(i64),
            Self::F32 => decode!(f32),
            Self::F64 => decode!(f64),
            Self::F16 => {
                let (elements, _) = bytes.as_chunks::<2>();
                out.extend(elements.iter().map(|&element| {
                    half_to_f64(if big_endian {
                        u16::from_be_bytes(element)
                    } else {
                        u16::from_le_bytes(element)
                    })
                }));
            }
        }
    }
}

/// The value of a 16-bit float (IEEE 754 half precision): 1 sign bit, 5 exponent bits, 10 fraction
/// bits.
fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    let size = match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    sign * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_decode() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_953_125),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x7bff, 65504.0),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half_to_f64(bits), value);
        }
        assert!(half_to_f64(0x7e00).is_nan());
    }

    #[test]
    fn both_byte_orders_decode() {
        let mut out = Vec::new();
        Element::I16.decode(&[0xff, 0xfe, 0, 1], true, &mut out);
        assert_eq!(out, [-2.0, 1.0]);
        Element::I16.decode(&[0xfe, 0xff, 1, 0], false, &mut out);
        assert_eq!(out, [-2.0, 1.0]);
        Element::Bool.decode(&[0, 1, 7], false, &mut out);
        assert_eq!(out, [0.0, 1.0, 1.0]);
    }

    #[test]
    fn text_is_exact() {
        let text = |element: Element, bytes: &[u8], big_endian| {
            let mut out = "old".to_owned();
            element.write_text(bytes, big_endian, &mut out);
            out
        };
        assert_eq!(text(Element::U64, &u64::MAX.to_be_bytes(), true), "18446744073709551615");
        assert_eq!(text(Element::I64, &i64::MIN.to_le_bytes(), false), "-9223372036854775808");
        assert_eq!(text(Element::F64, &12f64.to_le_bytes(), false), "12");
        assert_eq!(text(Element::F32, &0.1f32.to_le_bytes(), false), "0.1");
        assert_eq!(text(Element::F16, &0x3c00u16.to_be_bytes(), true), "1");
        assert_eq!(text(Element::Bool, &[7], false), "1");
    }
}
