//! Numbers of a column that are read one by one at random.

use std::ops::Deref;

use evergraph_storage::Bytes;

use super::KeptColumn;
use super::layout::Data;
use super::numbers::Dense;

/// Types of numbers that a column has in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Integer,
    Float,
    Date,
}

/// Integers in place, read without a branch by their width: eight bytes that end where an
/// integer ends, of which those before it are shifted out. In front of the first integer
/// of a column there is always its header.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scattered<B = Bytes> {
    /// From eight bytes before the end of the first integer on.
    bytes: B,
    base: i64,
    width: u8,
    shift: u8,
}

impl Scattered {
    fn new(bytes: &Bytes, dense: &Dense, slots: usize) -> Self {
        let (at, width) = (dense.start(), dense.width());
        Scattered {
            bytes: match width {
                0 => Bytes::from(vec![0; 8]),
                _ => bytes.part(at + width - 8..at + slots * width),
            },
            base: dense.base(),
            width: width as u8,
            shift: (64 - 8 * width.max(1)) as u8,
        }
    }

    #[inline]
    pub(crate) fn borrowed(&self) -> Scattered<&[u8]> {
        Scattered {
            bytes: &self.bytes,
            base: self.base,
            width: self.width,
            shift: self.shift,
        }
    }
}

impl<B: Deref<Target = [u8]>> Scattered<B> {
    /// The integer of a slot.
    ///
    /// # Panics
    /// If there is no such slot, and they are not all the same.
    #[inline(always)]
    pub(crate) fn get(&self, slot: usize) -> i64 {
        let at = slot * usize::from(self.width);
        let eight: &[u8; 8] = self.bytes[at..at + 8].try_into().expect("eight bytes");
        let difference = u64::from_le_bytes(*eight) >> self.shift;
        self.base.wrapping_add(difference as i64)
    }
}

impl KeptColumn {
    /// The type of the numbers of the column, if it has some.
    pub(crate) fn number(&self) -> Option<Number> {
        self.dense().map(|(number, _)| number)
    }

    fn dense(&self) -> Option<(Number, &Dense)> {
        match &self.layout.data {
            Data::Integers(dense) => Some((Number::Integer, dense)),
            Data::Floats(dense) => Some((Number::Float, dense)),
            Data::Dates(dense) => Some((Number::Date, dense)),
            _ => None,
        }
    }

    /// The numbers of the column, if it has some: integers, bits of floats, or days.
    pub(crate) fn scattered(&self) -> Option<(Number, Scattered)> {
        let (number, dense) = self.dense()?;
        let numbers = Scattered::new(&self.bytes, dense, self.layout.slots);
        Some((number, numbers))
    }
}
