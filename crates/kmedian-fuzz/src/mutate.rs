//! How a valid file is damaged.

use rand::{Rng, RngExt};

/// Numbers that are at the edges of what a field can hold, as text.
const NUMBERS: [&str; 16] = [
    "-1",
    "0",
    "4294967295",
    "4294967296",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "268435456",
    "1e308",
    "-1e39",
    "nan",
    "inf",
    "1e-320",
    "99999999999999999999999999999999",
];

/// Bytes that mean something in one format or another.
const TOKENS: [&[u8]; 16] = [
    b"\n",
    b"\r\n",
    b",",
    b"\"",
    b"\"\"",
    b"\0",
    b"\xff\xfe",
    b"PAR1",
    b"\x1f\x8b",
    b"#",
    b"p sp ",
    b"\xef\xbb\xbf",
    b"{",
    b"]",
    b"\xf0\x9f",
    b"(1048576, 1048576)",
];

/// Damages the bytes once to a few times.
pub(crate) fn damage(bytes: &mut Vec<u8>, rng: &mut dyn Rng) {
    for _ in 0..rng.random_range(1..5u32) {
        once(bytes, rng);
    }
}

fn once(bytes: &mut Vec<u8>, rng: &mut dyn Rng) {
    if bytes.is_empty() {
        bytes.extend(TOKENS[rng.random_range(0..TOKENS.len())]);
        return;
    }
    let place = place(bytes.len(), rng);
    let rest = bytes.len() - place;
    match rng.random_range(0..10u32) {
        0 => bytes[place] ^= 1 << rng.random_range(0..8u32),
        1 => bytes[place] = rng.random(),
        2 => bytes.truncate(place),
        3 => drop(bytes.drain(place..place + rest.min(rng.random_range(1..20)))),
        4 => repeat(bytes, place, rng),
        5 => {
            let token = TOKENS[rng.random_range(0..TOKENS.len())];
            bytes.splice(place..place, token.iter().copied());
        }
        6 => number(bytes, place, rng),
        7 => binary(bytes, place, rng),
        8 => {
            let fill: u8 = [0, 0xff, 0x7f, b' ', b'9'][rng.random_range(0..5usize)];
            let end = place + rest.min(rng.random_range(1..40));
            bytes[place..end].fill(fill);
        }
        _ => {
            let from = rng.random_range(0..bytes.len());
            let piece = bytes[from..bytes.len().min(from + rng.random_range(1..60))].to_vec();
            let end = place + rest.min(piece.len());
            bytes.splice(place..end, piece);
        }
    }
}

/// A place anywhere, but often near the beginning or the end, where headers are.
fn place(length: usize, rng: &mut dyn Rng) -> usize {
    let near = length.min(200);
    match rng.random_range(0..4u32) {
        0 => rng.random_range(0..near),
        1 => length - 1 - rng.random_range(0..near),
        _ => rng.random_range(0..length),
    }
}

/// Repeats a piece, at times so often that a line or a list becomes long.
fn repeat(bytes: &mut Vec<u8>, place: usize, rng: &mut dyn Rng) {
    let piece = bytes[place..bytes.len().min(place + rng.random_range(1..100))].to_vec();
    let times = if rng.random_range(0..20u32) == 0 { 2000 } else { rng.random_range(1..6) };
    let piece: Vec<u8> = piece.iter().copied().cycle().take(times * piece.len()).collect();
    bytes.splice(place..place, piece);
}

/// Replaces the digits at or after a place by another number.
fn number(bytes: &mut Vec<u8>, place: usize, rng: &mut dyn Rng) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[place..].iter().position(is_digit).map(|step| place + step) else {
        return;
    };
    let end = start + bytes[start..].iter().take_while(|byte| is_digit(byte)).count();
    let number = NUMBERS[rng.random_range(0..NUMBERS.len())];
    bytes.splice(start..end, number.bytes());
}

/// Writes a binary number over what is there: large, negative, or as Thrift writes such.
fn binary(bytes: &mut [u8], place: usize, rng: &mut dyn Rng) {
    let number: &[u8] = match rng.random_range(0..6u32) {
        0 => &[0xff; 4],
        1 => &[0xff, 0xff, 0xff, 0x7f],
        2 => &[0x7f, 0xff, 0xff, 0xff],
        3 => &[0, 0, 0, 0x10],
        4 => &[0xff, 0xff, 0xff, 0xff, 0x0f],
        _ => &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    };
    bytes[place..].iter_mut().zip(number).for_each(|(byte, &new)| *byte = new);
}
