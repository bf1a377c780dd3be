//! The rows of one table that a bulk load gathers.

use std::collections::BTreeMap;
use std::ops::Range;

use evergraph_storage::failpoint;

use crate::dictionary::KeyCode;
use crate::graph::error::GraphError;
use crate::graph::limits::too_much;
use crate::graph::read::tabled::Tabled;
use crate::graph::redo::loaded::{Loaded, Row};
use crate::graph::state::State;
use crate::record::{EncodedColumns, NewColumns, NoIdsLeft, Record, Table};
use crate::value::{Properties, Value, ValueError, encode_entries};

/// Ids that are taken at a time.
const RESERVED_AT_ONCE: u32 = 1 << 12;

/// Rows of one table.
pub(super) struct Part<R> {
    /// Ids that were reserved, the oldest first.
    pub(super) reserved: Vec<Range<u32>>,
    /// Ids of the last block that are left.
    pub(super) left: Range<u32>,
    /// Rows of a chunk that is not full, and their values by key.
    pub(super) gathered: Loaded<R>,
    pub(super) columns: NewColumns,
    /// Columns of the chunks that are full...
    pub(super) full: Vec<(u32, EncodedColumns)>,
    /// ...and the numbers of those that the table has taken.
    pub(super) handed_over: Vec<u32>,
    /// Redo operations of the rows.
    pub(super) payload: Vec<u8>,
    /// First ids of rows that share a chunk, and bytes of their properties.
    pub(super) pieces: Vec<(u32, u64)>,
}

/// Properties of a row, ascending by key and without nulls, that can be encoded as
/// [`Properties::encode`] does.
pub(super) trait Encodable {
    /// Appends them to `bytes`, and their values to `columns` as those of record `at`.
    fn put(
        &self,
        bytes: &mut Vec<u8>,
        at: usize,
        columns: &mut NewColumns,
    ) -> Result<(), ValueError>;
}

impl Encodable for Properties {
    fn put(
        &self,
        bytes: &mut Vec<u8>,
        at: usize,
        columns: &mut NewColumns,
    ) -> Result<(), ValueError> {
        self.encode(bytes)?;
        for (key, value) in self.iter() {
            columns.add(at, key, value.clone());
        }
        Ok(())
    }
}

/// A row of columns by key.
pub(super) struct ColumnsRow<'c>(
    pub(super) &'c BTreeMap<KeyCode, &'c [Value]>,
    pub(super) usize,
);

impl Encodable for ColumnsRow<'_> {
    fn put(
        &self,
        bytes: &mut Vec<u8>,
        at: usize,
        columns: &mut NewColumns,
    ) -> Result<(), ValueError> {
        let row = failpoint!("load.column-shifted", self.1.saturating_sub(1), else self.1);
        let values = self.0.iter().map(|(key, values)| (*key, &values[row]));
        let values = values.filter(|(_, value)| !value.is_null());
        encode_entries(values.clone(), bytes)?;
        values.for_each(|(key, value)| columns.add(at, key, value.clone()));
        Ok(())
    }
}

impl<R: Row> Part<R> {
    pub(super) fn new() -> Self {
        Part {
            reserved: Vec::new(),
            left: 0..0,
            gathered: Loaded {
                first: 0,
                rows: Vec::new(),
                heap: Vec::new(),
            },
            columns: NewColumns::default(),
            full: Vec::new(),
            handed_over: Vec::new(),
            payload: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// The next id.
    pub(super) fn take_id<T: Record>(&mut self, table: &Table<T>) -> Result<u32, GraphError> {
        if let Some(id) = self.left.next() {
            return Ok(id);
        }
        let reserved = table.reserve_chunks(RESERVED_AT_ONCE)?;
        self.reserved.push(reserved.clone());
        self.left = reserved;
        let none = NoIdsLeft {
            most: table.geometry().most_records,
        };
        self.left.next().ok_or(GraphError::Ids(none.into()))
    }

    /// Takes in the properties of the next row, and gives their length. More than a
    /// chunk can name are refused here, with what is committed at the commit.
    pub(super) fn gather<T: Tabled>(
        &mut self,
        state: &State,
        table: &Table<T>,
        id: u32,
        properties: &impl Encodable,
    ) -> Result<u32, GraphError> {
        if self.gathered.rows.is_empty() {
            self.gathered.first = id;
        }
        let limit = state.limits.chunk_bytes();
        let before = self.gathered.heap.len();
        let at = self.gathered.rows.len();
        let encoded = properties.put(&mut self.gathered.heap, at, &mut self.columns);
        let encoded = encoded.map_err(GraphError::from).and_then(|()| {
            match self.gathered.heap.len() as u64 <= limit {
                true => Ok(()),
                false => Err(too_much(
                    T::KIND,
                    id,
                    table.geometry().records_per_chunk,
                    limit,
                )),
            }
        });
        if let Err(error) = encoded {
            self.gathered.heap.truncate(before);
            self.columns.remove(at);
            // The id that was taken last.
            self.left.start = id;
            return Err(error);
        }
        Ok((self.gathered.heap.len() - before) as u32)
    }

    /// Whether a row is the last of its chunk, or the next has an id elsewhere.
    pub(super) fn ends_chunk<T: Record>(&self, id: u32, table: &Table<T>) -> bool {
        (id + 1).is_multiple_of(table.geometry().records_per_chunk) || self.left.is_empty()
    }

    /// Rows of one chunk, and whether they are all of it: then their columns are kept.
    pub(super) fn take_gathered(
        &mut self,
        chunk_records: u32,
    ) -> Result<(Loaded<R>, bool), GraphError> {
        let (first, rows) = (self.gathered.first, self.gathered.rows.len());
        let columns = std::mem::take(&mut self.columns);
        let is_whole = rows == chunk_records as usize;
        if is_whole {
            self.full
                .push((first / chunk_records, columns.encode(rows)?));
        }
        self.pieces.push((first, self.gathered.heap.len() as u64));
        let empty = Part::new().gathered;
        Ok((std::mem::replace(&mut self.gathered, empty), is_whole))
    }

    pub(super) fn bytes(&self) -> usize {
        self.payload.len() + 16 * self.gathered.rows.len() + self.gathered.heap.len()
    }

    /// Gives the columns of whole chunks to the table, which need not make them of the
    /// log's bytes when it applies the commit.
    pub(super) fn hand_over<T: Record>(&mut self, table: &Table<T>) {
        for (chunk, columns) in self.full.drain(..) {
            table.hand_over(chunk, columns);
            self.handed_over.push(chunk);
        }
    }

    /// The ids that rows have.
    pub(super) fn taken(&self) -> impl Iterator<Item = Range<u32>> {
        let last = self.reserved.len().saturating_sub(1);
        let ids = self.reserved.iter().enumerate();
        ids.map(move |(i, ids)| match i == last {
            true => ids.start..self.left.start,
            false => ids.clone(),
        })
    }

    /// Gives back the reserved ids that no row has.
    pub(super) fn give_back<T: Record>(&mut self, table: &Table<T>) {
        if let Some(last) = self.reserved.last_mut()
            && !self.left.is_empty()
        {
            table.release(self.left.clone());
            last.end = self.left.start;
            self.left.end = self.left.start;
        }
    }

    pub(super) fn release<T: Record>(&mut self, table: &Table<T>) {
        table.take_back(&self.handed_over);
        while let Some(ids) = self.reserved.pop() {
            table.release(ids);
        }
    }
}
