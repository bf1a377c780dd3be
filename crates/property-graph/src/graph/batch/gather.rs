//! The values of one property for ids of any chunks.
//!
//! Ids of one chunk side by side are read together. Numbers of others are found in a table
//! that the view keeps for the key, so that one costs a look at the table and at its
//! column.

use std::marker::PhantomData;

use evergraph_storage::failpoint;

use crate::column::{Cell, Number, Scattered, Slice};
use crate::dictionary::KeyCode;
use crate::graph::error::GraphError;
use crate::graph::read::tabled::Tabled;
use crate::record::{CellAt, ChunkNumbers, ColumnAt, KeyNumbers};
use crate::transaction::Changed;
use crate::value::{Date, Value};
use crate::vector::{Values, Vector};

use super::account::Growing;
use super::source::Source;

/// Rows between two looks at the vector's size.
const ROWS: usize = 256;
/// The same of numbers, none of which is large.
const ROWS_OF_NUMBERS: usize = 2048;
/// Rows that are taken for numbers of chunks without gaps at once.
const WHOLE_ROWS: usize = 256;
/// For fewer ids the table of a key is not worth to be made.
const MANY: usize = 64;
/// So many ids of one chunk are read together.
const TOGETHER: usize = 16;

/// A gather that is under way.
pub(super) struct Gather<'a, R: Tabled> {
    source: Source<'a>,
    key: KeyCode,
    records_per_chunk: u32,
    numbers: &'a KeyNumbers,
    /// Chunks with a number in every slot, by number: what is looked up most, side by
    /// side. Empty for few ids.
    whole: Vec<Whole<'a>>,
    own: OwnChunks<'a, R>,
    /// Of all ids.
    rows: usize,
}

/// The numbers of a chunk, and their type if every slot has one.
#[derive(Clone, Copy)]
struct Whole<'a> {
    of: Option<Number>,
    integers: Scattered<&'a [u8]>,
}

impl<'a> Whole<'a> {
    fn of(numbers: Option<&'a ChunkNumbers>) -> Self {
        match numbers.and_then(ChunkNumbers::whole) {
            Some((of, integers)) => Whole {
                of: Some(of),
                integers,
            },
            None => Whole {
                of: None,
                integers: Scattered::default(),
            },
        }
    }
}

impl<'a, R: Tabled> Gather<'a, R> {
    /// Of so many ids.
    pub(super) fn new(source: Source<'a>, key: KeyCode, rows: usize) -> Self {
        let table = R::table(source.view.core());
        let records_per_chunk = table.geometry().records_per_chunk;
        Gather {
            source,
            key,
            records_per_chunk,
            numbers: R::pins(source.view).numbers(table, key),
            own: OwnChunks::new(source, records_per_chunk),
            whole: Vec::new(),
            rows,
        }
    }

    /// Appends the values, in the order of the ids.
    pub(super) fn append(
        mut self,
        ids: &[u32],
        vector: &mut Vector,
        charge: &mut Growing<'_>,
    ) -> Result<(), GraphError> {
        let mut rest = ids;
        while !rest.is_empty() {
            let rows = match vector.values() {
                Values::Integer(_) | Values::Float(_) | Values::Date(_) => ROWS_OF_NUMBERS,
                Values::Null(0) if self.begin_with_a_number(rest)? => ROWS_OF_NUMBERS,
                _ => ROWS,
            };
            let mut left;
            (left, rest) = rest.split_at(rows.min(rest.len()));
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

    /// Whether the chunk of the first id has numbers of the key.
    fn begin_with_a_number(&self, ids: &[u32]) -> Result<bool, GraphError> {
        let Some(chunk) = self.source.chunk::<R>(ids[0] / self.records_per_chunk)? else {
            return Ok(false);
        };
        let column = chunk.column(self.key, 0)?;
        Ok(column.is_some_and(|column| column.number_type().is_some()))
    }

    /// Appends values of ids of one chunk.
    fn append_together(
        &mut self,
        slots: &Slice<'_>,
        number: u32,
        vector: &mut Vector,
    ) -> Result<(), GraphError> {
        let key = self.key;
        if self.own.has(number) {
            let ids = slots.ids().iter();
            return ids.copied().try_for_each(|id| self.append_own(id, vector));
        }
        let Some(chunk) = self.source.chunk::<R>(number)? else {
            vector.push_nulls(slots.len());
            return Ok(());
        };
        match chunk.column(key, slots.len())? {
            Some(column) => column.append(slots, vector)?,
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
            (Some(change), _) => self.source.changed_value(id, change, self.key)?,
            (None, Some(chunk)) => chunk.property(id % self.records_per_chunk, self.key)?,
            (None, None) => Value::Null,
        });
        Ok(())
    }

    /// Appends values of the first ids, as long as these are numbers of one type. Returns
    /// how many.
    fn append_scattered(&mut self, ids: &[u32], vector: &mut Vector) -> Result<usize, GraphError> {
        if self.whole.is_empty() && self.rows >= self.numbers.chunks().max(MANY) {
            let chunks = 0..self.numbers.chunks() as u32;
            let known = chunks.map(|number| self.numbers.get(number)?.as_ref());
            self.whole = known.map(Whole::of).collect();
        }
        let ids = self.own.before(ids);
        let Some(&first) = ids.first() else {
            return Ok(0);
        };
        match self.type_of(first / self.records_per_chunk)? {
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

    /// The type of the numbers of a chunk, if it has some.
    fn type_of(&mut self, number: u32) -> Result<Option<Number>, GraphError> {
        if self.rows >= MANY {
            return Ok(self.numbers_of(number)?.map(ChunkNumbers::number));
        }
        let Some(chunk) = self.source.chunk::<R>(number)? else {
            return Ok(None);
        };
        let column = chunk.column(self.key, 0)?;
        Ok(column.and_then(ColumnAt::number_type))
    }

    /// The numbers of a chunk that the transaction has not changed, if it has some and its
    /// column is worth to be made.
    #[inline]
    fn numbers_of(&mut self, number: u32) -> Result<Option<&'a ChunkNumbers>, GraphError> {
        match self.numbers.get(number) {
            Some(known) => Ok(known.as_ref()),
            None => self.find_numbers(number),
        }
    }

    #[cold]
    fn find_numbers(&mut self, number: u32) -> Result<Option<&'a ChunkNumbers>, GraphError> {
        let Some(chunk) = self.source.chunk::<R>(number)? else {
            return Ok(None);
        };
        let column = chunk.column(self.key, 0)?;
        let found = column.and_then(|column| self.numbers.keep(number, column));
        if let Some(place) = self.whole.get_mut(number as usize) {
            *place = Whole::of(found);
        }
        Ok(found)
    }

    fn append_numbers<T: Cell>(
        &mut self,
        ids: &[u32],
        wanted: Number,
        of: impl Fn(i64) -> T + Copy,
        vector: &mut Vector,
    ) -> Result<usize, GraphError> {
        let Some((cells, validity)) = vector.cells::<T>() else {
            return Ok(0);
        };
        if cells.is_empty() {
            cells.reserve(self.rows);
        }
        let mut taken = 0;
        loop {
            let next = &ids[taken..ids.len().min(taken + WHOLE_ROWS)];
            let whole = self.append_whole(next, wanted, of, cells);
            validity.push_same(true, whole);
            taken += whole;
            if whole > 0 && whole == next.len() {
                continue;
            }
            let next = &ids[taken..ids.len().min(taken + 64)];
            let (bits, others) = self.append_with_gaps(next, wanted, of, cells)?;
            validity.push_word(bits, others);
            taken += others;
            if whole + others == 0 {
                return Ok(taken);
            }
        }
    }

    /// Appends numbers of the first ids, as long as their chunks are known to have one for
    /// every slot, in any width. Returns how many.
    #[inline(never)]
    fn append_whole<T: Cell>(
        &self,
        ids: &[u32],
        wanted: Number,
        of: impl Fn(i64) -> T,
        cells: &mut Vec<T>,
    ) -> usize {
        let size = self.records_per_chunk;
        if self.whole.is_empty() || !size.is_power_of_two() {
            return 0;
        }
        let (shift, whole, start) = (size.trailing_zeros(), &self.whole[..], cells.len());
        let mut taken = ids.len();
        // To the end, as a loop that nothing leaves is the fastest.
        cells.extend(ids.iter().enumerate().map(
            |(row, &id)| match whole.get((id >> shift) as usize) {
                Some(chunk) if chunk.of == Some(wanted) => {
                    of(chunk.integers.get((id & (size - 1)) as usize))
                }
                _ => {
                    taken = taken.min(row);
                    T::default()
                }
            },
        ));
        cells.truncate(start + taken);
        taken
    }

    /// Appends numbers and nulls of up to 64 ids, as long as there are no other values.
    /// Returns which have a number, and how many there are.
    fn append_with_gaps<T: Cell>(
        &mut self,
        ids: &[u32],
        wanted: Number,
        of: impl Fn(i64) -> T,
        cells: &mut Vec<T>,
    ) -> Result<(u64, usize), GraphError> {
        let (mut bits, mut count) = (0, 0);
        for &id in ids {
            let (number, slot) = (id / self.records_per_chunk, id % self.records_per_chunk);
            let numbers = match self.rows >= MANY {
                true => self.numbers_of(number)?,
                false => None,
            };
            let numbers = numbers.filter(|numbers| numbers.number() == wanted);
            let cell = match numbers.filter(|numbers| numbers.has(slot as usize)) {
                Some(numbers) => CellAt::Value(of(numbers.get(slot as usize))),
                None => self.cell(number, slot)?,
            };
            match cell {
                CellAt::Value(value) => {
                    cells.push(value);
                    bits |= 1 << count;
                }
                CellAt::Null => cells.push(T::default()),
                CellAt::Other => break,
            }
            count += 1;
        }
        Ok((bits, count))
    }

    /// The value of a record that has no number in place.
    fn cell<T: Cell>(&self, number: u32, slot: u32) -> Result<CellAt<T>, GraphError> {
        let Some(chunk) = self.source.chunk::<R>(number)? else {
            return Ok(CellAt::Null);
        };
        let column = chunk.column(self.key, 0)?;
        Ok(column.map_or(CellAt::Other, |column| column.cell(slot as usize)))
    }
}

/// Chunks of which a transaction has changed records; each is looked for once.
struct OwnChunks<'a, R> {
    overlay: Option<&'a Changed>,
    records_per_chunk: u32,
    /// By chunk, once it was looked for; empty without any change.
    known: Vec<Option<bool>>,
    of: PhantomData<R>,
}

impl<'a, R: Tabled> OwnChunks<'a, R> {
    fn new(source: Source<'a>, records_per_chunk: u32) -> Self {
        let overlay = source.overlay;
        let any = overlay.filter(|own| own.last_changed::<R>().is_some());
        let any = any.filter(|_| !failpoint!("gather.own-forgotten"));
        let chunks = any.map_or(0, |_| source.bound::<R>().div_ceil(records_per_chunk));
        OwnChunks {
            overlay,
            records_per_chunk,
            known: vec![None; chunks as usize],
            of: PhantomData,
        }
    }

    fn has(&mut self, chunk: u32) -> bool {
        let (Some(known), Some(overlay)) = (self.known.get_mut(chunk as usize), self.overlay)
        else {
            return false;
        };
        let first = chunk * self.records_per_chunk;
        let ids = first..first.saturating_add(self.records_per_chunk);
        *known.get_or_insert_with(|| overlay.changes_in::<R>(ids).next().is_some())
    }

    /// The ids before the first one of such a chunk.
    fn before<'i>(&mut self, ids: &'i [u32]) -> &'i [u32] {
        if self.known.is_empty() {
            return ids;
        }
        let size = self.records_per_chunk;
        let own = ids.iter().position(|id| self.has(id / size));
        &ids[..own.unwrap_or(ids.len())]
    }
}
