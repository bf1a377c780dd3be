//! Columns: the values of many records under one key, as they lie on the medium.
//!
//! A column has a place for each slot of a chunk. Values of one type lie side by side and
//! are read in place; values of other types are exceptions, packed beside them. What is
//! encoded comes back exactly, the sign of zero and the bits of NaN included.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | type: 0 none, 1 boolean, 2 integer, 3 float, 4 text by codes, 5 text, 6 date, 7 local datetime, 8 list of integers, 9 list of floats |
//! | 1 | 1: bits say which slots have a value of the type; 2: there are exceptions; 4: a float is NaN |
//! | 2 + 4 | zeros; slots |
//! | 16 + 16 | least and greatest value of the type ([`Range`]) |
//! | … | the bits, 8 bytes for 64 slots; the values; the exceptions |
//!
//! Values are integers (`numbers`: floats by their bits, dates by their days), bits, or
//! strings (`packed`); lists are where each ends and all their numbers.

mod encode;
mod layout;
mod numbers;
mod packed;
#[cfg(test)]
mod tests;

pub(crate) use encode::encode;
pub(crate) use layout::{Layout, Range};
pub(crate) use numbers::{Integers, Numbers, encode_sparse};
pub(crate) use packed::{Packed, encode_packed};

use crate::value::codec::{NoTextCodes, decode};
use crate::value::{Date, LocalDateTime, Value};
use crate::vector::Vector;
use layout::{Data, bit};

/// A column that was read: its bytes, and where what lies in them.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    bytes: &'a [u8],
    layout: &'a Layout,
}

impl<'a> Column<'a> {
    /// `layout` is that of these bytes.
    pub(crate) fn new(bytes: &'a [u8], layout: &'a Layout) -> Self {
        Column { bytes, layout }
    }

    /// Bits of the slots with a value of the column's type, 8 bytes for 64 slots; `None` if
    /// all have one.
    pub(crate) fn validity(&self) -> Option<&'a [u8]> {
        let at = self.layout.validity?;
        Some(&self.bytes[at..at + 8 * self.layout.slots.div_ceil(64)])
    }

    /// Whether a slot has a value of the column's type. Exceptions are not.
    #[inline]
    pub(crate) fn is_valid(&self, slot: usize) -> bool {
        match self.layout.validity {
            Some(at) => bit(self.bytes, at, slot),
            None => true,
        }
    }

    /// Whether some slots have values of other types than the column's.
    pub(crate) fn has_exceptions(&self) -> bool {
        self.layout.exceptions.is_some()
    }

    /// The least and the greatest value of the column's type, where that orders.
    pub(crate) fn range(&self) -> Option<Range> {
        self.layout.range
    }

    /// Integers in place, if they are the column's type: of slots that have none,
    /// anything.
    pub(crate) fn integers(&self) -> Option<Integers<'a>> {
        match &self.layout.data {
            Data::Integers(dense) => Some(dense.integers(self.bytes, self.layout.slots)),
            _ => None,
        }
    }

    /// Bits of the slots with an integer from `least` to `most`, the lowest first; `None`
    /// if integers are not the column's type.
    pub(crate) fn between(&self, least: i64, most: i64) -> Option<Vec<u64>> {
        let integers = self.integers()?;
        let mut bits = vec![0; self.layout.slots.div_ceil(64)];
        if let Some(Range::Integers(low, high)) = self.range()
            && least <= high
            && low <= most
        {
            integers.between(least, most, self.layout.slots, &mut bits);
        }
        if let Some(validity) = self.validity() {
            for (word, valid) in bits.iter_mut().zip(validity.as_chunks().0) {
                *word &= u64::from_le_bytes(*valid);
            }
        }
        Some(bits)
    }

    /// The value of a slot, null if it has none. O(1), of an exception O(log exceptions).
    ///
    /// # Panics
    /// If there is no such slot.
    pub(crate) fn get(&self, slot: usize) -> Value {
        assert!(slot < self.layout.slots, "slot {slot} of a column");
        if !self.is_valid(slot) {
            let exceptions = self.layout.exceptions;
            let packed = exceptions.and_then(|packed| packed.find(self.bytes, slot));
            // All of them were decoded when the column was first read.
            return packed.map_or(Value::Null, |bytes| {
                decode(bytes, &NoTextCodes).unwrap_or_default()
            });
        }
        let bytes = self.bytes;
        match &self.layout.data {
            Data::None => Value::Null,
            Data::Booleans(at) => Value::Boolean(bit(bytes, *at, slot)),
            Data::Integers(dense) => Value::Integer(dense.get(bytes, slot)),
            Data::Floats(dense) => Value::Float(f64::from_bits(dense.get(bytes, slot) as u64)),
            Data::Codes { .. } | Data::Texts { .. } => Value::from(self.text(slot)),
            Data::Dates(dense) => {
                Value::Date(Date::from_days(dense.get(bytes, slot)).unwrap_or_default())
            }
            Data::LocalDateTimes(seconds, nanoseconds) => {
                let nanoseconds = nanoseconds.get(bytes, slot) as u32;
                let moment = LocalDateTime::from_seconds(seconds.get(bytes, slot), nanoseconds);
                Value::LocalDateTime(moment.unwrap_or_default())
            }
            Data::IntegerLists { ends, numbers } => {
                let range = ends.range(bytes, slot);
                let list = range.map(|at| Value::Integer(numbers.get(bytes, at)));
                Value::List(list.collect())
            }
            Data::FloatLists { ends, numbers } => {
                let range = ends.range(bytes, slot);
                let float = |at| f64::from_bits(numbers.get(bytes, at) as u64);
                Value::List(range.map(|at| Value::Float(float(at))).collect())
            }
        }
    }

    /// The text of a slot that has one; empty of others.
    fn text(&self, slot: usize) -> &'a str {
        let range = match &self.layout.data {
            Data::Codes { codes, ends, heap } => {
                let code = codes.get(self.bytes, slot) as usize;
                (ends.range(self.bytes, code), heap)
            }
            Data::Texts { ends, heap } => (ends.range(self.bytes, slot), heap),
            _ => return "",
        };
        // It was checked when the column was first read.
        std::str::from_utf8(&self.bytes[*range.1..][range.0]).unwrap_or_default()
    }

    /// Appends the values of slots to a vector, null where a slot has none.
    ///
    /// # Panics
    /// If there is no such slot.
    pub(crate) fn append(&self, slots: &[u32], vector: &mut Vector) {
        let bytes = self.bytes;
        let valid = |slot: &u32| self.is_valid(*slot as usize);
        if self.has_exceptions() {
            slots
                .iter()
                .for_each(|&slot| vector.push(self.get(slot as usize)));
            return;
        }
        match &self.layout.data {
            Data::Integers(dense) => vector.extend_integers(
                slots
                    .iter()
                    .map(|slot| valid(slot).then(|| dense.get(bytes, *slot as usize))),
            ),
            Data::Floats(dense) => vector.extend_floats(slots.iter().map(|slot| {
                let bits = || dense.get(bytes, *slot as usize) as u64;
                valid(slot).then(|| f64::from_bits(bits()))
            })),
            Data::Codes { .. } | Data::Texts { .. } => vector.extend_texts(
                slots
                    .iter()
                    .map(|slot| valid(slot).then(|| self.text(*slot as usize))),
            ),
            _ => slots
                .iter()
                .for_each(|&slot| vector.push(self.get(slot as usize))),
        }
    }
}
