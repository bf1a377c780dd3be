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

mod append;
mod encode;
mod integers;
mod layout;
mod merged;
mod numbers;
mod overwritten;
mod packed;
mod scattered;
mod slots;
#[cfg(test)]
pub(crate) mod tests;
mod typed;

pub(crate) use append::{Rows, append_cells, append_texts};
pub(crate) use encode::encode;
pub(crate) use integers::Integers;
use layout::Layout;
pub(crate) use layout::Range;
pub(crate) use merged::Merged;
pub(crate) use numbers::{Numbers, encode_sparse};
pub(crate) use packed::{Packed, encode_packed};
pub(crate) use scattered::{Number, Scattered};
pub(crate) use slots::Slice;
pub(crate) use typed::{Cell, Typed};

use evergraph_storage::Bytes;

use crate::bytes::Wrong;
use crate::value::codec::{NoTextCodes, decode};
use crate::value::{Value, ValueError};
use layout::{Data, bit};

/// A column with what keeps its bytes.
#[derive(Clone, Debug)]
pub(crate) struct KeptColumn {
    bytes: Bytes,
    layout: Layout,
}

impl KeptColumn {
    /// As [`Layout::parse`].
    pub(crate) fn parse(bytes: Bytes, slots: usize) -> Result<Self, Wrong> {
        let layout = Layout::parse(&bytes, slots)?;
        Ok(KeptColumn { bytes, layout })
    }

    /// A column of these values in DRAM.
    ///
    /// # Errors
    /// As [`encode`].
    pub(crate) fn of(values: &[Value]) -> Result<Self, ValueError> {
        let bytes = Bytes::from(encode(values)?);
        let kept = Self::parse(bytes, values.len());
        kept.map_err(|what| ValueError::Damaged { at: 0, what })
    }

    /// Bytes of it.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub(crate) fn column(&self) -> Column<'_> {
        Column {
            bytes: &self.bytes,
            layout: &self.layout,
        }
    }
}

/// A column that was read: its bytes, and where what lies in them.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    bytes: &'a [u8],
    layout: &'a Layout,
}

impl<'a> Column<'a> {
    /// Bits of the slots with a value of the column's type among the 64 from `64 * word`
    /// on.
    pub(crate) fn valid_word(&self, word: usize) -> u64 {
        let slots = self.layout.slots.saturating_sub(64 * word).min(64);
        match self.layout.validity {
            Some(at) if slots > 0 => {
                let bytes = self.bytes[at + 8 * word..].first_chunk();
                u64::from_le_bytes(*bytes.expect("eight bytes"))
            }
            _ => u64::MAX.checked_shr(64 - slots as u32).unwrap_or(0),
        }
    }

    /// Whether a slot has a value of the column's type. Exceptions are not.
    #[inline]
    pub(crate) fn is_valid(&self, slot: usize) -> bool {
        match self.layout.validity {
            Some(at) => bit(self.bytes, at, slot),
            None => true,
        }
    }

    /// Whether all slots have a value of the column's type, as far as it is written down.
    pub(crate) fn is_whole(&self) -> bool {
        self.layout.validity.is_none()
    }

    /// Whether some slots have values of other types than the column's.
    pub(crate) fn has_exceptions(&self) -> bool {
        self.layout.exceptions.is_some()
    }

    /// The least and the greatest value of the column's type, where that orders.
    pub(crate) fn range(&self) -> Option<Range> {
        self.layout.range
    }

    /// Slots with values of other types, ascending, and the values.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (usize, Value)> + use<'a> {
        let bytes = self.bytes;
        let packed = self.layout.exceptions.iter();
        // All of them were decoded when the column was first read.
        let value = |bytes| decode(bytes, &NoTextCodes).unwrap_or_default();
        packed.flat_map(move |packed| packed.iter(bytes).map(move |(slot, of)| (slot, value(of))))
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
        match self.typed() {
            Typed::None => Value::Null,
            Typed::Booleans(bits) => Value::Boolean(typed::is_true(bits, slot)),
            Typed::Integers(integers) => Value::Integer(integers.get(slot)),
            Typed::Floats(floats) => Value::Float(typed::float(floats.get(slot))),
            Typed::Codes(codes, texts) => Value::from(texts.get(codes.get(slot) as usize)),
            Typed::Texts(texts) => Value::from(texts.get(slot)),
            Typed::Dates(days) => Value::Date(typed::date(days.get(slot))),
            Typed::LocalDateTimes(seconds, nanoseconds) => Value::LocalDateTime(
                typed::local_date_time(seconds.get(slot), nanoseconds.get(slot)),
            ),
            Typed::Lists => self.list(slot),
        }
    }

    fn list(&self, slot: usize) -> Value {
        let bytes = self.bytes;
        match &self.layout.data {
            Data::IntegerLists { ends, numbers } => {
                let range = ends.range(bytes, slot);
                let list = range.map(|at| Value::Integer(numbers.get(bytes, at)));
                Value::List(list.collect())
            }
            Data::FloatLists { ends, numbers } => {
                let range = ends.range(bytes, slot);
                let float = |at| typed::float(numbers.get(bytes, at));
                Value::List(range.map(|at| Value::Float(float(at))).collect())
            }
            _ => Value::Null,
        }
    }

    /// Slots that have a value of any type.
    pub(crate) fn filled(&self) -> impl Iterator<Item = usize> + use<'a> {
        let (column, bytes) = (*self, self.bytes);
        let others = self.layout.exceptions.iter();
        let others = others.flat_map(move |packed| packed.iter(bytes).map(|(slot, _)| slot));
        let valid = (0..self.layout.slots).filter(move |slot| column.is_valid(*slot));
        valid.chain(others)
    }

    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.layout.slots
    }
}
