//! Numbers as bytes: integers and floats in one order, exactly.
//!
//! A number is the float nearest to it, and where floats are more than one apart
//! (from 2^53 on) how much it is away from that float. Rounding keeps the order,
//! so floats decide, and between integers of the same float the distance.

/// From here on not every integer is a float.
const WIDE: f64 = (1u64 << 53) as f64;

pub(super) fn push_integer(value: i64, key: &mut Vec<u8>) {
    let nearest = value as f64;
    // At most 512 either way: floats below 2^63 are at most 1024 apart.
    let distance = (i128::from(value) - nearest as i128) as i16;
    push(nearest, distance, key);
}

pub(super) fn push_float(value: f64, key: &mut Vec<u8>) {
    push(value, 0, key);
}

fn push(nearest: f64, distance: i16, key: &mut Vec<u8>) {
    push_ordered_bits(nearest, key);
    let is_narrow = nearest.abs() < WIDE;
    if !is_narrow {
        key.extend_from_slice(&((distance as u16) ^ (1 << 15)).to_be_bytes());
    }
}

/// Eight bytes that order as the float does. Minus zero is zero; NaN comes last, as
/// openCypher orders it.
pub(super) fn push_ordered_bits(value: f64, key: &mut Vec<u8>) {
    let value = if value.is_nan() {
        f64::NAN.abs()
    } else {
        value + 0.0
    };
    let bits = value.to_bits();
    let ordered = match value.is_sign_negative() {
        true => !bits,
        false => bits | (1 << 63),
    };
    key.extend_from_slice(&ordered.to_be_bytes());
}
