//! A column of numbers with others in some of its slots.

use evergraph_storage::failpoint;

use super::KeptColumn;
use super::layout::{Data, Layout, Range};
use super::numbers::Dense;
use crate::value::Value;

impl KeptColumn {
    /// A copy with other values in some slots; `None` if it has a place for none of them.
    /// Leaves the values that it has no place for, of other types or too far from the
    /// rest, and sets the bits of slots of the others.
    pub(crate) fn overwritten(
        &self,
        values: &mut Vec<(usize, Value)>,
        written: &mut [u64],
    ) -> Option<KeptColumn> {
        let layout = &self.layout;
        let fits = |(_, value): &(usize, Value)| layout.number(value).is_some();
        // Exceptions would have to be taken out of the copy.
        if layout.exceptions.is_some() || !values.iter().any(fits) {
            return None;
        }
        let mut copy = (self.bytes.to_vec(), self.layout.clone());
        values.retain(|(slot, value)| match layout.number(value) {
            Some((dense, number)) => {
                let (bytes, layout) = &mut copy;
                dense.put(bytes, *slot, number);
                if let Some(at) = layout.validity {
                    bytes[at + slot / 8] |= 1 << (slot % 8);
                }
                if !failpoint!("columns.range-not-widened") {
                    layout.range = layout.range.map(|range| range.with(value));
                }
                written[slot / 64] |= 1 << (slot % 64);
                false
            }
            None => true,
        });
        let (bytes, layout) = copy;
        Some(KeptColumn {
            bytes: bytes.into(),
            layout,
        })
    }
}

impl Layout {
    /// Where a value lies as a number, if the column has place for it.
    fn number(&self, value: &Value) -> Option<(&Dense, i64)> {
        let (dense, number) = match (&self.data, value) {
            (Data::Integers(dense), Value::Integer(number)) => (dense, *number),
            (Data::Floats(dense), Value::Float(number)) => (dense, number.to_bits() as i64),
            (Data::Dates(dense), Value::Date(date)) => (dense, date.days()),
            _ => return None,
        };
        dense.has_place_for(number).then_some((dense, number))
    }
}

impl Range {
    /// With room for a value of the type.
    fn with(self, value: &Value) -> Range {
        match (self, value) {
            (Range::Integers(least, most), Value::Integer(number)) => {
                Range::Integers(least.min(*number), most.max(*number))
            }
            (Range::Dates(least, most), Value::Date(date)) => {
                Range::Dates(least.min(date.days()), most.max(date.days()))
            }
            (Range::Floats(least, most, has_nan), Value::Float(number)) => Range::Floats(
                least.min(*number),
                most.max(*number),
                has_nan || number.is_nan(),
            ),
            (range, _) => range,
        }
    }
}
