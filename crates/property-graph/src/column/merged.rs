//! A column of the numbers of several.

use super::encode::encode_numbers;
use super::integers::by_width;
use super::layout::{DATE, FLOAT, INTEGER};
use super::{Column, Integers, KeptColumn, Typed};

/// Numbers of one type, gathered from columns of it.
pub(crate) struct Merged {
    /// [`INTEGER`], [`FLOAT`] or [`DATE`], once there is a number.
    kind: Option<u8>,
    numbers: Vec<i64>,
    /// Bits of slots that have one.
    valid: Vec<u64>,
}

impl Merged {
    /// Without a number in any of so many slots.
    pub(crate) fn new(slots: usize) -> Self {
        Merged {
            kind: None,
            numbers: vec![0; slots],
            valid: vec![0; slots.div_ceil(64)],
        }
    }

    /// Takes the numbers of slots of a column: pairs of a slot there and one here, the bits
    /// of which are told, too. False, and this is of no use, if it has values that are not
    /// numbers of the others' type.
    pub(crate) fn take(
        &mut self,
        column: Column<'_>,
        slots: impl Iterator<Item = (usize, usize)> + Clone,
        bits: &[u64],
    ) -> bool {
        let (kind, integers) = match column.typed() {
            _ if column.has_exceptions() => return false,
            Typed::None => return true,
            Typed::Integers(integers) => (INTEGER, integers),
            Typed::Floats(bits) => (FLOAT, bits),
            Typed::Dates(days) => (DATE, days),
            _ => return false,
        };
        self.put(integers, slots.clone());
        match column.is_whole() {
            true => {
                let words = self.valid.iter_mut().zip(bits);
                words.for_each(|(word, bits)| *word |= bits);
            }
            false => slots.for_each(|(from, to)| {
                self.valid[to / 64] |= u64::from(column.is_valid(from)) << (to % 64);
            }),
        }
        *self.kind.get_or_insert(kind) == kind
    }

    fn put(&mut self, integers: Integers<'_>, slots: impl Iterator<Item = (usize, usize)>) {
        let (base, numbers) = (integers.base, &mut self.numbers);
        by_width!(
            integers,
            slots.for_each(|(_, to)| numbers[to] = base),
            |differences, wide| {
                slots.for_each(|(from, to)| {
                    numbers[to] = base.wrapping_add(wide(&differences[from]) as i64);
                })
            }
        );
    }

    /// The column; `None` if there is no number.
    pub(crate) fn finish(mut self) -> Option<KeptColumn> {
        let kind = self.kind?;
        let has = |slot: usize| self.valid[slot / 64] >> (slot % 64) & 1 == 1;
        // As where values are encoded: slots without one take no wider differences.
        let fill = self.numbers[(0..self.numbers.len()).find(|slot| has(*slot))?];
        for (word, numbers) in self.valid.iter().zip(self.numbers.chunks_mut(64)) {
            if *word != u64::MAX {
                let slots = numbers.iter_mut().enumerate();
                let empty = slots.filter(|(slot, _)| word >> slot & 1 == 0);
                empty.for_each(|(_, number)| *number = fill);
            }
        }
        let bytes = encode_numbers(kind, &self.numbers, &self.valid);
        KeptColumn::parse(bytes.into(), self.numbers.len()).ok()
    }
}
