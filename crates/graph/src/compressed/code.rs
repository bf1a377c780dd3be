//! Numbers as bytes.
//!
//! A block codes each number with 1 to 4 bytes, lowest first. How many is not in
//! those bytes but in two bits of a control byte for four numbers, and all control
//! bytes come first, so that decoding needs no branch for a byte or a number.
//! Source: Lemire, Kurz and Rupp, "Stream VByte: Faster Byte-Oriented Integer
//! Compression", 2018.

use crate::VertexId;

/// A number is loaded with so many bytes, which must exist behind its own.
pub(super) const BEHIND: usize = 4;

/// Masks that leave of a load of 4 bytes a number of 1 to 4 bytes.
const MASKS: [u32; 4] = [0xff, 0xffff, 0xff_ffff, 0xffff_ffff];

/// A degree takes one byte, and 9 from here on.
const LONG: u8 = u8::MAX;

pub(super) fn put_degree(degree: usize, into: &mut Vec<u8>) {
    match u8::try_from(degree) {
        Ok(short) if short < LONG => into.push(short),
        _ => {
            into.push(LONG);
            into.extend((degree as u64).to_le_bytes());
        }
    }
}

/// The degree at the start of `bytes`, and where it ends.
#[inline]
pub(super) fn degree(bytes: &[u8]) -> (usize, usize) {
    match bytes[0] {
        LONG => {
            let [low, high] = [word(bytes, 1), word(bytes, 5)];
            (high << 32 | low, 9)
        }
        short => (usize::from(short), 1),
    }
}

/// The number of 4 bytes at `at`, 0 behind the end.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize) -> usize {
    load(bytes, at) as usize
}

#[inline]
fn load(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(&word) => u32::from_le_bytes(word),
        None => 0,
    }
}

/// Appends the sorted `neighbors` of `v`.
pub(super) fn put_block(v: VertexId, neighbors: &[VertexId], into: &mut Vec<u8>) {
    let mut control = into.len();
    into.resize(control + neighbors.len().div_ceil(4), 0);
    let mut last = v;
    for (at, &neighbor) in neighbors.iter().enumerate() {
        let number = match at {
            0 => fold(neighbor.wrapping_sub(v)),
            _ => neighbor - last,
        };
        last = neighbor;
        let bytes = number.to_le_bytes();
        let code = ((number | 1).ilog2() / 8) as usize;
        into[control] |= (code << (at % 4 * 2)) as u8;
        into.extend_from_slice(&bytes[..=code]);
        control += usize::from(at % 4 == 3);
    }
}

/// Fills `neighbors` from the block of `v` at the start of `bytes`.
#[inline]
pub(super) fn block(v: VertexId, bytes: &[u8], neighbors: &mut [VertexId]) {
    let mut at = neighbors.len().div_ceil(4);
    let controls = &bytes[..at];
    let first_code = controls.first().map_or(0, |control| control & 3);
    let first = load(bytes, at) & MASKS[usize::from(first_code)];
    // Such that adding the first number gives the first neighbor.
    let mut last = v.wrapping_add(unfold(first)).wrapping_sub(first);

    let mut next = |control: &mut u32| {
        let code = *control as usize & 3;
        *control >>= 2;
        last = last.wrapping_add(load(bytes, at) & MASKS[code]);
        at += code + 1;
        last
    };
    let (fours, rest) = neighbors.as_chunks_mut::<4>();
    for (four, &control) in fours.iter_mut().zip(controls) {
        let mut control = u32::from(control);
        *four = std::array::from_fn(|_| next(&mut control));
    }
    let mut control = u32::from(controls.last().copied().unwrap_or(0));
    for neighbor in rest {
        *neighbor = next(&mut control);
    }
}

/// As [`degree`], of bytes that may be anything.
pub(super) fn checked_degree(bytes: &[u8]) -> Option<(usize, usize)> {
    let needed = if *bytes.first()? == LONG { 9 } else { 1 };
    (bytes.len() >= needed).then(|| degree(bytes))
}

/// As [`block`], of bytes that may be anything: `None` if they end before the block
/// and what its last number is loaded with.
pub(super) fn checked_block(v: VertexId, bytes: &[u8], neighbors: &mut [VertexId]) -> Option<()> {
    let controls = bytes.get(..neighbors.len().div_ceil(4))?;
    let code = |at: usize| usize::from(controls[at / 4] >> (at % 4 * 2) & 3);
    let numbers: usize = (0..neighbors.len()).map(|at| code(at) + 1).sum();
    let last = code(neighbors.len().checked_sub(1)?) + 1;
    (controls.len() + numbers - last + BEHIND <= bytes.len()).then(|| block(v, bytes, neighbors))
}

/// A difference of either sign as a number that is small where the difference is.
fn fold(difference: u32) -> u32 {
    difference << 1 ^ ((difference as i32) >> 31) as u32
}

#[inline]
fn unfold(number: u32) -> u32 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_either_sign() {
        for difference in [0, 1, -1, 77, -300, (1 << 30) - 1, -(1 << 30) + 1] {
            let folded = fold(difference as u32);
            assert_eq!(unfold(folded) as i32, difference);
            assert!(folded <= 2 * difference.unsigned_abs());
        }
    }

    #[test]
    fn degrees_of_all_lengths() {
        for value in [0, 1, 254, 255, 256, 1 << 20, 1 << 33] {
            let mut bytes = vec![];
            put_degree(value, &mut bytes);
            assert_eq!(degree(&bytes), (value, bytes.len()));
        }
    }

    #[test]
    fn blocks_of_all_lengths_with_numbers_of_all_lengths() {
        let gaps = [1, 255, 256, 0, 65_535, 65_536, 3, 16_777_215, 16_777_216, 9];
        let mut last = 5;
        let list: Vec<VertexId> = gaps
            .map(|gap| {
                last += gap;
                last
            })
            .to_vec();
        for v in [0, 5, 1_000_000, (1 << 30) - 2] {
            for len in 0..list.len() {
                let mut bytes = vec![];
                put_block(v, &list[..len], &mut bytes);
                bytes.extend([0; BEHIND]);
                let mut decoded = vec![0; len];
                block(v, &bytes, &mut decoded);
                assert_eq!(decoded, list[..len]);
            }
        }
    }
}
