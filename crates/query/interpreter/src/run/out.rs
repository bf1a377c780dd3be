//! Rows that are made of the rows of a batch.

use evergraph_functions::Datum;
use evergraph_planner::Slot;

use super::{Flow, Result, Sink};
use crate::batch::{BATCH, Batch, Column};

/// A value of a new row.
pub(crate) enum Filled {
    /// A node by id.
    Node(u32),
    /// Anything.
    Datum(Datum),
}

/// Collects rows that are made of the rows of a batch, with values for some slots, and
/// pushes them in batches.
pub(crate) struct Out<'o> {
    batch: &'o Batch,
    sink: &'o mut Sink<'o>,
    /// The row that is being extended.
    pub(crate) at: u32,
    rows: Vec<u32>,
    columns: Vec<(Slot, Column)>,
    /// Of values that have more bytes than their place.
    bytes: usize,
    /// Rows that are pushed together.
    most: usize,
    /// Whether a row is to be extended no more.
    is_closed: Option<&'o dyn Fn(usize) -> bool>,
    stopped: bool,
}

/// Rows that go on together where a row may be wanted few of.
const FEW: usize = 256;

/// Bytes of values that go on before there are as many rows as a batch has.
const LARGE: usize = 1 << 22;

impl<'o> Out<'o> {
    pub(crate) fn new(batch: &'o Batch, sink: &'o mut Sink<'o>) -> Self {
        Out {
            batch,
            sink,
            at: 0,
            rows: Vec::new(),
            columns: Vec::new(),
            bytes: 0,
            most: BATCH,
            is_closed: None,
            stopped: false,
        }
    }

    /// Ends a row, by [`Flow::Stop`], if it is closed after some of its rows were pushed.
    pub(crate) fn end_rows_if(&mut self, is_closed: &'o dyn Fn(usize) -> bool) {
        (self.is_closed, self.most) = (Some(is_closed), FEW);
    }

    /// Goes on to a row; whether it is to be extended.
    pub(crate) fn begin(&mut self, at: usize) -> bool {
        self.at = at as u32;
        !self.is_closed.is_some_and(|is_closed| is_closed(at))
    }

    /// Whether no more rows are wanted, of no row.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Adds a row. All rows fill the same slots with values of the same kinds.
    pub(crate) fn add(&mut self, filled: impl IntoIterator<Item = (Slot, Filled)>) -> Result<Flow> {
        let is_first = self.columns.is_empty();
        self.rows.push(self.at);
        for (place, (slot, filled)) in filled.into_iter().enumerate() {
            if is_first {
                let column = match filled {
                    Filled::Node(_) => Column::Nodes(Vec::new()),
                    Filled::Datum(_) => Column::Data(Vec::new()),
                };
                self.columns.push((slot, column));
            }
            match (self.columns.get_mut(place), filled) {
                (Some((_, Column::Nodes(ids))), Filled::Node(id)) => ids.push(id),
                (Some((_, Column::Data(data))), Filled::Datum(datum)) => data.push(datum),
                _ => debug_assert!(false, "rows fill the same slots alike"),
            }
        }
        match self.rows.len() < self.most {
            true => Ok(Flow::Continue),
            false => self.flush(),
        }
    }

    /// Notes that the row that was added has values of so many bytes.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<Flow> {
        self.bytes += bytes;
        match self.bytes < LARGE {
            true => Ok(Flow::Continue),
            false => self.flush(),
        }
    }

    /// Adds a row for each node; all rows fill its slot alone.
    pub(crate) fn nodes(&mut self, slot: Slot, mut ids: &[u32]) -> Result<Flow> {
        while !ids.is_empty() {
            let (now, later) = ids.split_at(ids.len().min(self.most - self.rows.len()));
            ids = later;
            if self.columns.is_empty() {
                self.columns.push((slot, Column::Nodes(Vec::new())));
            }
            self.rows.extend(now.iter().map(|_| self.at));
            match self.columns.as_mut_slice() {
                [(_, Column::Nodes(nodes))] => nodes.extend_from_slice(now),
                _ => debug_assert!(false, "rows fill the same slots alike"),
            }
            if self.rows.len() == self.most && self.flush()? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Pushes the rows so far.
    pub(crate) fn flush(&mut self) -> Result<Flow> {
        self.bytes = 0;
        if self.rows.is_empty() {
            return Ok(Flow::Continue);
        }
        let mut made = self.batch.take(&self.rows);
        self.rows.clear();
        for (slot, column) in self.columns.drain(..) {
            let column = match column {
                Column::Data(data) => Column::of(data),
                ids => ids,
            };
            made.set(slot, column);
        }
        let flow = (self.sink)(made)?;
        self.stopped = flow == Flow::Stop;
        Ok(match self.is_closed {
            Some(is_closed) if is_closed(self.at as usize) => Flow::Stop,
            _ => flow,
        })
    }

    /// Pushes the last rows; whether more would be wanted, of any row.
    pub(crate) fn finish(mut self) -> Result<Flow> {
        self.flush()?;
        Ok(match self.stopped {
            true => Flow::Stop,
            false => Flow::Continue,
        })
    }
}
