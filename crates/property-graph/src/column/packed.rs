//! Byte strings: one of each slot, or of a few slots, which are listed.
//!
//! Strings lie side by side. Where each ends is stored as the integer by which that
//! differs from its number times a stride: strings of one length take no bytes for it.

use super::numbers::{self, Dense, Slots};
use crate::bytes::{Reader, Wrong};

/// Where consecutive strings end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    stride: i64,
    differences: Dense,
}

/// Appends the ends of strings of these lengths: the stride, 8 bytes, and integers.
pub(crate) fn encode_ends(lengths: impl Iterator<Item = usize>, bytes: &mut Vec<u8>) {
    let mut end = 0;
    let ends: Vec<i64> = lengths
        .map(|len| {
            end += len as i64;
            end
        })
        .collect();
    let stride = ends.first().copied().unwrap_or(0);
    // A column of unequal lengths is smaller without a stride.
    let has_stride = (1i64..)
        .zip(&ends)
        .all(|(count, end)| *end == count * stride);
    let stride = if has_stride { stride } else { 0 };
    bytes.extend_from_slice(&stride.to_le_bytes());
    let differences: Vec<i64> = (1i64..)
        .zip(&ends)
        .map(|(count, end)| end - count * stride)
        .collect();
    numbers::encode(&differences, bytes);
}

impl Ends {
    /// Takes the ends of `count` strings off `reader`, which reads `bytes`, and gives the
    /// length of all.
    pub(crate) fn take(
        bytes: &[u8],
        reader: &mut Reader<'_>,
        count: usize,
    ) -> Result<(Self, usize), Wrong> {
        let ends = Ends {
            stride: reader.u64()? as i64,
            differences: Dense::take(reader, count)?,
        };
        let mut before = 0;
        for index in 0..count {
            let end = ends.end(bytes, index).filter(|&end| end >= before);
            before = end.ok_or("strings do not end one behind another")?;
        }
        Ok((ends, before as usize))
    }

    fn end(&self, bytes: &[u8], index: usize) -> Option<i64> {
        let stride = self.stride.checked_mul(index as i64 + 1)?;
        stride.checked_add(self.differences.get(bytes, index))
    }

    /// Where a string lies among all.
    #[inline]
    pub(crate) fn range(&self, bytes: &[u8], index: usize) -> std::ops::Range<usize> {
        let end = |index| self.end(bytes, index).unwrap_or(0) as usize;
        let start = index.checked_sub(1).map_or(0, end);
        start..end(index)
    }
}

/// Strings of listed slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    slots: Slots,
    ends: Ends,
    heap: usize,
}

/// Appends strings of ascending slots: their number, 4 bytes, their slots, 2 bytes each,
/// their ends, and they themselves.
pub(crate) fn encode_packed(strings: &[(u16, Vec<u8>)], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(strings.len() as u32).to_le_bytes());
    for (slot, _) in strings {
        bytes.extend_from_slice(&slot.to_le_bytes());
    }
    encode_ends(strings.iter().map(|(_, string)| string.len()), bytes);
    for (_, string) in strings {
        bytes.extend_from_slice(string);
    }
}

impl Packed {
    /// Takes strings of slots below `limit`.
    pub(crate) fn take(bytes: &[u8], reader: &mut Reader<'_>, limit: usize) -> Result<Self, Wrong> {
        let count = reader.u32()? as usize;
        let slots = Slots::take(reader, count, limit)?;
        let (ends, len) = Ends::take(bytes, reader, count)?;
        let heap = reader.position();
        reader.take(len)?;
        Ok(Packed { slots, ends, heap })
    }

    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The string of a slot. O(log strings).
    pub(crate) fn find<'a>(&self, bytes: &'a [u8], slot: usize) -> Option<&'a [u8]> {
        let index = self.slots.find(bytes, slot)?;
        Some(self.string(bytes, index))
    }

    fn string<'a>(&self, bytes: &'a [u8], index: usize) -> &'a [u8] {
        &bytes[self.heap..][self.ends.range(bytes, index)]
    }

    /// Slots and strings, ascending.
    pub(crate) fn iter<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = (usize, &'a [u8])> {
        let packed = *self;
        let indices = 0..packed.slots.len();
        indices.map(move |index| (packed.slots.get(bytes, index), packed.string(bytes, index)))
    }
}
