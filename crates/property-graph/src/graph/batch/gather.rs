//! The values of one property for ids of any chunks.
//!
//! Ids of one chunk side by side are read together. For others, what is known of the last
//! chunks is in a small table, so that a number costs a look at it and at its column.

use crate::column::{Cell, Slice};
use crate::dictionary::KeyCode;
use crate::graph::error::GraphError;
use crate::graph::read::tabled::Tabled;
use crate::record::{CellAt, ChunkAt, ColumnAt, Number, NumbersAt};
use crate::value::{Date, Value};
use crate::vector::Vector;

use super::account::Growing;
use super::source::Source;

/// Rows between two looks at the vector's size.
const ROWS: usize = 256;
/// So many ids of one chunk are read together.
const TOGETHER: usize = 16;
/// Chunks that are known at once.
const MOST_KNOWN: usize = 256;

/// A gather that is under way.
pub(super) struct Gather<'a, R: Tabled> {
    source: Source<'a>,
    key: KeyCode,
    records_per_chunk: u32,
    /// The place of a chunk is its number modulo the length, a power of two.
    known: Vec<Known<'a, R>>,
}

/// What is known of a chunk.
struct Known<'a, R> {
    /// The chunk, and how to read it: see [`tag`].
    tag: u64,
    /// Numbers in place.
    numbers: Option<NumbersAt<'a>>,
    /// `None` as long as it is not worth it.
    column: Option<&'a ColumnAt>,
    chunk: Option<&'a ChunkAt<R>>,
    /// The transaction has changed records of it.
    has_own: bool,
}

/// The chunk of a number, whose numbers are of a type and so many bytes; without a type,
/// not all slots have one.
fn tag(chunk: u32, numbers: Option<(Number, usize)>) -> u64 {
    let form = match numbers {
        Some((number, width)) => 1 + 16 * number as u64 + width as u64,
        None => 0,
    };
    u64::from(chunk) << 8 | form
}

/// That of no chunk: there are not so many.
const UNKNOWN: u64 = u64::MAX;

impl<'a, R: Tabled> Gather<'a, R> {
    /// Of so many ids.
    pub(super) fn new(source: Source<'a>, key: KeyCode, ids: usize) -> Self {
        let records_per_chunk = R::table(source.view.core()).geometry().records_per_chunk;
        let chunks = R::table(source.view.core()).chunk_count() as usize;
        let places = ids.min(chunks).next_power_of_two().min(MOST_KNOWN);
        let nothing = || Known {
            tag: UNKNOWN,
            numbers: None,
            column: None,
            chunk: None,
            has_own: false,
        };
        Gather {
            source,
            key,
            records_per_chunk,
            known: (0..places).map(|_| nothing()).collect(),
        }
    }

    /// Appends the values, in the order of the ids.
    pub(super) fn append(
        mut self,
        ids: &[u32],
        vector: &mut Vector,
        charge: &mut Growing<'_>,
    ) -> Result<(), GraphError> {
        for mut left in ids.chunks(ROWS) {
            while let Some(&id) = left.first() {
                let first = id - id % self.records_per_chunk;
                let together = Slice::of_one_chunk(left, first, self.records_per_chunk);
                let is_scattered = together.len() < TOGETHER.min(left.len());
                let taken = match is_scattered {
                    true => self.append_scattered(left, vector)?,
                    false => 0,
                };
                if taken > 0 {
                    left = &left[taken..];
                } else {
                    self.append_together(&together, first / self.records_per_chunk, vector)?;
                    left = &left[together.len()..];
                }
            }
            charge.to(vector.bytes() as u64)?;
        }
        Ok(())
    }

    /// What is known of a chunk, once it is.
    #[inline]
    fn look_up(&mut self, number: u32) -> Result<&mut Known<'a, R>, GraphError> {
        let place = number as usize & (self.known.len() - 1);
        if self.known[place].tag >> 8 != u64::from(number) {
            self.known[place] = self.find(number)?;
        }
        Ok(&mut self.known[place])
    }

    #[inline(never)]
    fn find(&self, number: u32) -> Result<Known<'a, R>, GraphError> {
        let chunk = self.source.chunk::<R>(number)?;
        let first = number * self.records_per_chunk;
        let ids = first..first.saturating_add(self.records_per_chunk);
        let own = self.source.overlay;
        let has_own = own.is_some_and(|own| own.changes_in::<R>(ids).next().is_some());
        let column = match chunk.filter(|_| !has_own) {
            Some(chunk) => chunk.column(self.key, 0)?,
            None => None,
        };
        let mut known = Known {
            tag: tag(number, None),
            numbers: None,
            column: None,
            chunk,
            has_own,
        };
        known.set_column(number, column);
        Ok(known)
    }

    /// Appends values of ids of one chunk.
    fn append_together(
        &mut self,
        slots: &Slice<'_>,
        number: u32,
        vector: &mut Vector,
    ) -> Result<(), GraphError> {
        let key = self.key;
        let known = self.look_up(number)?;
        if known.has_own {
            let ids = slots.ids().iter();
            return ids.copied().try_for_each(|id| self.append_own(id, vector));
        }
        let Some(chunk) = known.chunk else {
            vector.push_nulls(slots.len());
            return Ok(());
        };
        if known.column.is_none() {
            known.set_column(number, chunk.column(key, slots.len())?);
        }
        match known.column {
            Some(column) => column.append(slots, vector),
            None => {
                for slot in slots.iter() {
                    vector.push(chunk.single_property(slot as u32, key)?);
                }
            }
        }
        Ok(())
    }

    /// Appends the value of a record that the transaction may have changed.
    fn append_own(&self, id: u32, vector: &mut Vector) -> Result<(), GraphError> {
        let change = self.source.overlay.and_then(|own| own.change::<R>(id));
        let number = id / self.records_per_chunk;
        vector.push(match (change, self.source.chunk::<R>(number)?) {
            (Some(change), _) => {
                let properties = change.after().map(|record| record.properties());
                let value = properties.and_then(|properties| properties.get(self.key));
                value.cloned().unwrap_or_default()
            }
            (None, Some(chunk)) => chunk.property(id % self.records_per_chunk, self.key)?,
            (None, None) => Value::Null,
        });
        Ok(())
    }

    /// Appends values of the first ids, as long as these are numbers of one type. Returns
    /// how many.
    fn append_scattered(&mut self, ids: &[u32], vector: &mut Vector) -> Result<usize, GraphError> {
        let known = self.look_up(ids[0] / self.records_per_chunk)?;
        match known.numbers.as_ref().map(|numbers| numbers.number) {
            Some(Number::Integer) => self.append_numbers(ids, Number::Integer, |n| n, vector),
            Some(Number::Float) => {
                let float = |bits: i64| f64::from_bits(bits as u64);
                self.append_numbers(ids, Number::Float, float, vector)
            }
            Some(Number::Date) => {
                let date = |days: i64| Date::from_days(days).unwrap_or_default();
                self.append_numbers(ids, Number::Date, date, vector)
            }
            None => Ok(0),
        }
    }

    fn append_numbers<T: Cell>(
        &mut self,
        ids: &[u32],
        wanted: Number,
        of: impl Fn(i64) -> T + Copy,
        vector: &mut Vector,
    ) -> Result<usize, GraphError> {
        let size = self.records_per_chunk;
        let Some((cells, validity)) = vector.cells::<T>() else {
            return Ok(0);
        };
        let mut taken = 0;
        while let Some(&id) = ids.get(taken) {
            let known = self.look_up(id / size)?;
            let column = known.column;
            let Some(numbers) = known.numbers.filter(|numbers| numbers.number == wanted) else {
                break;
            };
            let alike = self.append_alike(&ids[taken..], &numbers, of, cells);
            if alike > 0 {
                validity.push_same(true, alike);
                taken += alike;
                continue;
            }
            let slot = (id % size) as usize;
            if numbers.is_in_base(slot) {
                cells.push(of(numbers.integers.get(slot)));
                validity.push(true);
            } else {
                match column.map_or(CellAt::Null, |column| column.cell(slot)) {
                    CellAt::Value(value) => {
                        cells.push(value);
                        validity.push(true);
                    }
                    CellAt::Null => {
                        cells.push(T::default());
                        validity.push(false);
                    }
                    CellAt::Other => break,
                }
            }
            taken += 1;
        }
        Ok(taken)
    }

    /// Appends numbers of the first ids, as long as their chunks are known, and have for
    /// all slots numbers of one type in as many bytes. Returns how many.
    fn append_alike<T: Cell>(
        &self,
        ids: &[u32],
        like: &NumbersAt<'_>,
        of: impl Fn(i64) -> T,
        cells: &mut Vec<T>,
    ) -> usize {
        if !like.in_base.is_empty() || !self.records_per_chunk.is_power_of_two() {
            return 0;
        }
        let form = tag(0, Some((like.number, like.integers.width)));
        match like.integers.width {
            1 => self.append_of_width(ids, form, |n: &[u8; 1]| n[0].into(), of, cells),
            2 => {
                let wide = |n: &[u8; 2]| u16::from_le_bytes(*n).into();
                self.append_of_width(ids, form, wide, of, cells)
            }
            4 => {
                let wide = |n: &[u8; 4]| u32::from_le_bytes(*n).into();
                self.append_of_width(ids, form, wide, of, cells)
            }
            8 => self.append_of_width(ids, form, |n: &[u8; 8]| u64::from_le_bytes(*n), of, cells),
            _ => 0,
        }
    }

    #[inline(never)]
    fn append_of_width<T: Cell, const W: usize>(
        &self,
        ids: &[u32],
        form: u64,
        wide: impl Fn(&[u8; W]) -> u64,
        of: impl Fn(i64) -> T,
        cells: &mut Vec<T>,
    ) -> usize {
        let shift = self.records_per_chunk.trailing_zeros();
        let (known, start) = (&self.known[..], cells.len());
        cells.resize(start + ids.len(), T::default());
        let mut taken = 0;
        for (cell, &id) in cells[start..].iter_mut().zip(ids) {
            let (chunk, slot) = (id >> shift, id & ((1 << shift) - 1));
            let known = &known[chunk as usize & (known.len() - 1)];
            let Some(numbers) = &known.numbers else { break };
            if known.tag != u64::from(chunk) << 8 | form {
                break;
            }
            let differences = numbers.integers.differences.as_chunks::<W>().0;
            let difference = wide(&differences[slot as usize]);
            *cell = of(numbers.integers.base.wrapping_add(difference as i64));
            taken += 1;
        }
        cells.truncate(start + taken);
        taken
    }
}

impl<'a, R> Known<'a, R> {
    fn set_column(&mut self, chunk: u32, column: Option<&'a ColumnAt>) {
        self.column = column;
        self.numbers = column.and_then(ColumnAt::numbers);
        let of_all = self.numbers.filter(|numbers| numbers.in_base.is_empty());
        self.tag = tag(
            chunk,
            of_all.map(|numbers| (numbers.number, numbers.integers.width)),
        );
    }
}
