//! Sorting beyond memory: sorted runs in temporary files, then merged.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::path::Path;

use evergraph_functions::Datum;
use evergraph_planner::SortKey;

use super::sort::key_order;
use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{BATCH, Batch, Column, NO_ID};
use crate::spill::{RowReader, RowWriter, failed, file_in};

/// Files that are merged at a time.
const FAN_IN: usize = 64;
/// Bytes of a file that are held while it is read, at most and at least.
const BUFFER: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 16;

/// Rows that are sorted beyond memory.
pub(super) struct External<'r, 'a, 'g> {
    run: &'r Run<'a, 'g>,
    keys: &'r [SortKey],
    directory: &'r Path,
    /// Sorted runs, in the order of the rows that came in.
    files: Vec<File>,
    /// Slots that any row has filled.
    filled: Vec<bool>,
    buffer: usize,
}

/// A sorted run that is read, and its next row: keys, then slots.
struct Source {
    reader: RowReader<File>,
    next: Vec<Datum>,
}

impl<'r, 'a, 'g> External<'r, 'a, 'g> {
    /// # Errors
    /// If no directory for temporary files is given.
    pub(super) fn new(run: &'r Run<'a, 'g>, keys: &'r [SortKey]) -> Result<Self> {
        let directory = run.guard.spill().ok_or(QueryError::Memory {
            limit: run.guard.memory(),
            what: "ORDER BY",
        })?;
        let share = run.guard.memory() / (4 * FAN_IN);
        Ok(External {
            run,
            keys,
            directory,
            files: Vec::new(),
            filled: vec![false; run.width],
            buffer: share.clamp(*BUFFER.start(), *BUFFER.end()),
        })
    }

    fn failed(&self) -> impl Fn(io::Error) -> QueryError + use<'r, 'a, 'g> {
        failed(self.directory)
    }

    fn writer(&self) -> Result<RowWriter<File>> {
        let file = file_in(self.directory).map_err(self.failed())?;
        Ok(RowWriter::new(file, self.buffer))
    }

    /// Writes rows, sorted.
    pub(super) fn take(&mut self, rows: Batch) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let (run, failed) = (self.run, self.failed());
        for (slot, filled) in self.filled.iter_mut().enumerate() {
            *filled |= !matches!(rows.column(slot), Column::Unset);
        }
        let keys = run.key_values(self.keys, &rows)?;
        let mut writer = self.writer()?;
        let mut values = Vec::with_capacity(rows.width());
        for row in run.order(self.keys, &keys, rows.len())? {
            run.step()?;
            values.clear();
            values.extend((0..rows.width()).map(|slot| rows.get(slot, row as usize)));
            let keys = keys.iter().map(|column| &column[row as usize]);
            writer.write(keys.chain(&values)).map_err(&failed)?;
        }
        self.files.push(writer.finish().map_err(&failed)?);
        Ok(())
    }

    /// Pushes all rows in order.
    pub(super) fn merge(mut self, sink: &mut Sink<'_>) -> Result<Flow> {
        while self.files.len() > FAN_IN {
            let rest = self.files.split_off(FAN_IN);
            let first = std::mem::replace(&mut self.files, rest);
            let mut writer = self.writer()?;
            let failed = self.failed();
            self.for_each_merged(first, &mut |row| {
                writer.write(row.iter()).map_err(&failed)?;
                Ok(Flow::Continue)
            })?;
            // Of equal rows those of the first files come first.
            self.files.insert(0, writer.finish().map_err(&failed)?);
        }
        let files = std::mem::take(&mut self.files);
        let mut rows: Vec<Vec<Datum>> = Vec::with_capacity(BATCH);
        let flow = self.for_each_merged(files, &mut |row| {
            rows.push(row);
            match rows.len() < BATCH {
                true => Ok(Flow::Continue),
                false => sink(self.batch(&mut rows)),
            }
        })?;
        match flow == Flow::Continue && !rows.is_empty() {
            true => sink(self.batch(&mut rows)),
            false => Ok(flow),
        }
    }

    /// Shows the rows of some files in order.
    fn for_each_merged(
        &self,
        files: Vec<File>,
        each: &mut dyn FnMut(Vec<Datum>) -> Result<Flow>,
    ) -> Result<Flow> {
        let failed = self.failed();
        let mut account = self.run.guard.account("ORDER BY");
        account.add(files.len() * self.buffer)?;
        let mut sources = Vec::with_capacity(files.len());
        for file in files {
            let mut reader = RowReader::new(file, self.buffer).map_err(&failed)?;
            if let Some(next) = reader.read().map_err(&failed)? {
                sources.push(Source { reader, next });
            }
        }
        // Files by their next rows, the least one last.
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by(|&one, &other| self.order(&sources, other, one));
        while let Some(least) = order.pop() {
            self.run.step()?;
            let source = &mut sources[least];
            let next = source.reader.read().map_err(&failed)?;
            let is_over = next.is_none();
            let row = std::mem::replace(&mut source.next, next.unwrap_or_default());
            if !is_over {
                let place =
                    order.partition_point(|&other| self.order(&sources, other, least).is_gt());
                order.insert(place, least);
            }
            if each(row)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Order of the next rows of two files; of equal ones, that of the files.
    fn order(&self, sources: &[Source], one: usize, other: usize) -> Ordering {
        let pairs = sources[one].next.iter().zip(&sources[other].next);
        let orders = pairs.zip(self.keys);
        let mut orders = orders.map(|((one, other), key)| key_order(key, one, other));
        let unequal = orders.find(|order| order.is_ne());
        unequal.unwrap_or_else(|| one.cmp(&other))
    }

    /// A batch of rows, which are taken.
    fn batch(&self, rows: &mut Vec<Vec<Datum>>) -> Batch {
        let mut batch = Batch::rows_of(self.run.width, rows.len());
        for (slot, _) in self
            .filled
            .iter()
            .enumerate()
            .filter(|(_, filled)| **filled)
        {
            let at = self.keys.len() + slot;
            let data = rows.iter_mut().map(|row| std::mem::take(&mut row[at]));
            batch.set(slot, column_of(data.collect()));
        }
        rows.clear();
        batch
    }
}

/// A column of ids, where all data are ids of one kind.
fn column_of(data: Vec<Datum>) -> Column {
    let nodes = data.iter().map(|datum| match datum {
        Datum::Node(id) => Some(id.0),
        datum => datum.is_null().then_some(NO_ID),
    });
    let relationships = data.iter().map(|datum| match datum {
        Datum::Relationship(id) => Some(id.0),
        datum => datum.is_null().then_some(NO_ID),
    });
    match data.iter().find(|datum| !datum.is_null()) {
        Some(Datum::Node(_)) => nodes.collect::<Option<_>>().map(Column::Nodes),
        Some(Datum::Relationship(_)) => {
            let ids = relationships.collect::<Option<_>>();
            ids.map(Column::Relationships)
        }
        _ => None,
    }
    .unwrap_or(Column::Data(data))
}
