//! Integers in place, many at once: as values of a vector, or compared.

use super::slots::Slice;

/// Integers in place: the base is added to each difference, wrapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integers<'a> {
    /// 0 where differences have 8 bytes.
    pub(crate) base: i64,
    /// Bytes of a difference: 0, 1, 2, 4 or 8.
    pub(crate) width: usize,
    /// Unsigned little-endian differences, one a slot.
    pub(crate) differences: &'a [u8],
}

/// Calls a macro with the differences as arrays of as many bytes as they have.
macro_rules! by_width {
    ($integers:expr, $constant:expr, |$differences:ident, $wide:ident| $each:expr) => {
        match $integers.width {
            0 => $constant,
            1 => {
                let $differences = $integers.differences.as_chunks::<1>().0;
                let $wide = |bytes: &[u8; 1]| u64::from(bytes[0]);
                $each
            }
            2 => {
                let $differences = $integers.differences.as_chunks::<2>().0;
                let $wide = |bytes: &[u8; 2]| u64::from(u16::from_le_bytes(*bytes));
                $each
            }
            4 => {
                let $differences = $integers.differences.as_chunks::<4>().0;
                let $wide = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
                $each
            }
            _ => {
                let $differences = $integers.differences.as_chunks::<8>().0;
                let $wide = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
                $each
            }
        }
    };
}
pub(super) use by_width;

impl Integers<'_> {
    /// The integer of a slot.
    ///
    /// # Panics
    /// If there is no such slot, and they are not all the same.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> i64 {
        let difference = by_width!(self, 0, |differences, wide| wide(&differences[slot]));
        self.base.wrapping_add(difference as i64)
    }

    /// Appends what `of` makes of the integers of slots.
    ///
    /// # Panics
    /// As [`Integers::get`].
    pub(crate) fn extend<T: Clone>(
        &self,
        slots: &Slice<'_>,
        of: impl Fn(i64) -> T,
        into: &mut Vec<T>,
    ) {
        let base = self.base;
        let constant = || std::iter::repeat_n(of(base), slots.len());
        by_width!(self, into.extend(constant()), |differences, wide| {
            let value = |bytes| of(base.wrapping_add(wide(bytes) as i64));
            match slots.range() {
                Some(range) => into.extend(differences[range].iter().map(value)),
                None => into.extend(slots.iter().map(|slot| value(&differences[slot]))),
            }
        })
    }

    /// Sets the bits of slots whose integer is one of these, the lowest first.
    pub(crate) fn between(&self, least: i64, most: i64, slots: usize, bits: &mut [u64]) {
        // In differences, so that as many as possible are compared at once.
        let low = i128::from(least) - i128::from(self.base);
        let high = i128::from(most) - i128::from(self.base);
        // Those of 8 bytes are the integers themselves, with their sign.
        let limit = match self.width {
            0 => 0,
            1 => i128::from(u8::MAX),
            2 => i128::from(u16::MAX),
            4 => i128::from(u32::MAX),
            _ => return self.between_wide(least, most, bits),
        };
        if low > high || high < 0 || low > limit {
            return;
        }
        let (low, high) = (low.max(0) as u32, high.min(limit) as u32);
        let differences = self.differences;
        match self.width {
            0 => fill(slots, bits),
            1 => mark(differences.as_chunks().0, bits, |bytes: &[u8; 1]| {
                bytes[0].wrapping_sub(low as u8) <= (high - low) as u8
            }),
            2 => mark(differences.as_chunks().0, bits, |bytes| {
                u16::from_le_bytes(*bytes).wrapping_sub(low as u16) <= (high - low) as u16
            }),
            _ => mark(differences.as_chunks().0, bits, |bytes| {
                u32::from_le_bytes(*bytes).wrapping_sub(low) <= high - low
            }),
        }
    }

    fn between_wide(&self, least: i64, most: i64, bits: &mut [u64]) {
        if least <= most {
            let span = most.wrapping_sub(least) as u64;
            mark(self.differences.as_chunks().0, bits, |bytes| {
                (i64::from_le_bytes(*bytes).wrapping_sub(least) as u64) <= span
            });
        }
    }

    /// Sets the bits of slots whose integer passes.
    pub(crate) fn passing(&self, slots: usize, bits: &mut [u64], passes: impl Fn(i64) -> bool) {
        let base = self.base;
        let all = |bits: &mut [u64]| {
            if passes(base) {
                fill(slots, bits);
            }
        };
        by_width!(self, all(bits), |differences, wide| {
            mark(differences, bits, |bytes| {
                passes(base.wrapping_add(wide(bytes) as i64))
            })
        })
    }
}

/// Sets the bits of all slots.
pub(super) fn fill(slots: usize, bits: &mut [u64]) {
    for (number, word) in bits.iter_mut().enumerate() {
        *word = u64::MAX >> (64 - (slots - 64 * number).min(64));
    }
}

/// Sets the bits of what is inside, 64 at a time.
#[inline]
fn mark<T>(values: &[T], bits: &mut [u64], inside: impl Fn(&T) -> bool) {
    let (blocks, last) = values.as_chunks::<64>();
    for (block, word) in blocks.iter().zip(bits.iter_mut()) {
        // As bytes first, which are compared side by side.
        let mut marks = [0u8; 64];
        for (mark, value) in marks.iter_mut().zip(block) {
            *mark = u8::from(inside(value));
        }
        let (marks, _) = marks.as_chunks::<8>();
        *word = marks.iter().rev().fold(0, |word, eight| {
            // The lowest bits of eight bytes, gathered in the highest byte.
            let eight = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080);
            word << 8 | eight >> 56
        });
    }
    if let Some(word) = bits.get_mut(blocks.len()) {
        let marks = last.iter().enumerate();
        *word = marks.fold(0, |word, (slot, value)| {
            word | u64::from(inside(value)) << slot
        });
    }
}
