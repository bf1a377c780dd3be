//! Rows beyond memory: sorted runs in temporary files, then merged.

use std::cmp::Ordering;
use std::fs::File;
use std::ops::RangeInclusive;

use evergraph_functions::Datum;
use evergraph_planner::Slot;
use evergraph_storage::failpoint;

use super::sort::sorted;
use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{BATCH, Batch, Column, bytes_of};
use crate::limits::{Account, Guard};
use crate::spill::{RowReader, RowWriter, failed, file_in};

/// Files that are merged at a time, at least and at most.
const FAN_IN: RangeInclusive<usize> = 2..=64;
/// Bytes of a file that are held while it is read, at least and at most.
const BUFFER: RangeInclusive<usize> = 1 << 10..=1 << 16;

/// A row in a file: what it is ordered by, beside the slots of a row of the query.
pub(super) type Record = Vec<Datum>;

/// A place of a record that orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) descending: bool,
}

/// The first places, so many, in ascending order.
pub(super) fn first_places(places: usize) -> Vec<Place> {
    let ascending = |at| Place {
        at,
        descending: false,
    };
    (0..places).map(ascending).collect()
}

/// Order of two records; equal ones stay as they come.
pub(super) fn order_of(places: &[Place], one: &[Datum], other: &[Datum]) -> Ordering {
    let orders = places.iter().map(|place| {
        let order = one[place.at].cmp(&other[place.at]);
        match place.descending {
            false => order,
            true => order.reverse(),
        }
    });
    let mut unequal = orders.filter(|order| order.is_ne());
    unequal.next().unwrap_or(Ordering::Equal)
}

/// Whether records are equivalent in their first places.
pub(super) fn is_same(one: &[Datum], other: &[Datum], places: usize) -> bool {
    one[..places] == other[..places]
}

/// Sorted runs of one operator.
pub(super) struct Runs {
    what: &'static str,
    order: Vec<Place>,
    /// In the order of the records that came in; each with the merges that made it.
    files: Vec<(u32, File)>,
}

/// A sorted run that is written.
pub(super) struct Writing<'r> {
    guard: &'r Guard,
    rows: RowWriter<File>,
}

impl<'r> Writing<'r> {
    fn new(guard: &'r Guard, what: &'static str) -> Result<Self> {
        let directory = guard.spill().ok_or(QueryError::Memory {
            limit: guard.memory(),
            what,
        })?;
        let file = file_in(directory).map_err(failed(directory))?;
        Ok(Writing {
            guard,
            rows: RowWriter::new(file, buffer(guard)),
        })
    }

    pub(super) fn add<'d>(&mut self, record: impl Iterator<Item = &'d Datum>) -> Result<()> {
        self.rows.write(record).map_err(failure(self.guard))
    }
}

/// Files that are merged at a time: an eighth of the memory holds what is read of them.
fn fan_in(guard: &Guard) -> usize {
    let files = guard.memory() / 8 / BUFFER.start();
    files.clamp(*FAN_IN.start(), *FAN_IN.end())
}

/// Bytes of a file that are held.
fn buffer(guard: &Guard) -> usize {
    let share = guard.memory() / 8 / fan_in(guard);
    share.clamp(*BUFFER.start(), *BUFFER.end())
}

/// An error of a temporary file of a query.
pub(super) fn failure(guard: &Guard) -> impl Fn(std::io::Error) -> QueryError + use<> {
    failed(guard.spill().map_or("".as_ref(), |path| path.as_path()))
}

impl Runs {
    /// None, of what an error tells.
    pub(super) fn new(what: &'static str, order: Vec<Place>) -> Self {
        Runs {
            what,
            order,
            files: Vec::new(),
        }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Begins a run.
    ///
    /// # Errors
    /// If no directory for temporary files is given.
    pub(super) fn begin<'r>(&self, run: &Run<'r, '_>) -> Result<Writing<'r>> {
        Writing::new(run.guard, self.what)
    }

    /// Takes a run that has been written, behind the others; what it was made of is not
    /// held any more, as files may be merged.
    pub(super) fn end(&mut self, run: &Run<'_, '_>, written: Writing<'_>) -> Result<()> {
        let mut file = close(run, written)?;
        // Of files with as many merges there are never more than can be merged at once.
        let mut merges = 0;
        loop {
            let alike = self.files.iter().rev();
            let alike = alike.take_while(|(other, _)| *other == merges).count();
            if alike + 1 < fan_in(run.guard) {
                break;
            }
            self.files.push((merges, file));
            file = self.merge_last(run, alike + 1)?;
            merges += 1;
        }
        self.files.push((merges, file));
        Ok(())
    }

    /// Sorts records, and writes them as a run.
    fn write<'r>(&self, run: &Run<'r, '_>, records: &[Record]) -> Result<Writing<'r>> {
        let mut writing = self.begin(run)?;
        for at in self.sort(run, records)? {
            run.step()?;
            writing.add(records[at as usize].iter())?;
        }
        Ok(writing)
    }

    fn sort(&self, run: &Run<'_, '_>, records: &[Record]) -> Result<Vec<u32>> {
        let compare = |&one: &u32, &other: &u32| {
            order_of(
                &self.order,
                &records[one as usize],
                &records[other as usize],
            )
        };
        sorted(records.len(), compare, || run.guard.check())
    }

    /// Takes the runs of another behind its own.
    pub(super) fn append(&mut self, other: Runs) {
        self.files.extend(other.files);
    }

    /// One file of the last ones.
    fn merge_last(&mut self, run: &Run<'_, '_>, files: usize) -> Result<File> {
        let rest = self.files.split_off(self.files.len() - files);
        let mut merged = Merged::new(run.guard, self.what, self.order.clone(), rest)?;
        let mut writing = self.begin(run)?;
        while let Some(record) = merged.next(run)? {
            writing.add(record.iter())?;
        }
        close(run, writing)
    }

    /// All records in order.
    pub(super) fn merge<'r>(mut self, run: &Run<'r, '_>) -> Result<Merged<'r>> {
        let most = fan_in(run.guard);
        while self.files.len() > most {
            // Those of the last files are the fewest.
            let files = most.min(self.files.len() - most + 1);
            let file = self.merge_last(run, files)?;
            self.files.push((0, file));
        }
        Merged::new(run.guard, self.what, self.order, self.files)
    }
}

/// The file of a run that has been written.
fn close(run: &Run<'_, '_>, written: Writing<'_>) -> Result<File> {
    if let Some(profiler) = run.profiler {
        profiler.spilled(written.rows.bytes());
    }
    let file = written.rows.finish().map_err(failure(run.guard))?;
    failpoint!("spill.written");
    Ok(file)
}

/// A sorted run that is read, and its next record.
struct Source {
    reader: RowReader<File>,
    next: Record,
}

/// Sorted runs that are read as one.
pub(super) struct Merged<'r> {
    guard: &'r Guard,
    order: Vec<Place>,
    sources: Vec<Source>,
    /// Sources by their next records, the least one last.
    queue: Vec<usize>,
    _account: Account<'r>,
}

impl<'r> Merged<'r> {
    fn new(
        guard: &'r Guard,
        what: &'static str,
        order: Vec<Place>,
        files: Vec<(u32, File)>,
    ) -> Result<Self> {
        let failed = failure(guard);
        let mut account = guard.account(what);
        account.add(files.len() * buffer(guard))?;
        let mut sources = Vec::with_capacity(files.len());
        for (_, file) in files {
            let mut reader = RowReader::new(file, buffer(guard)).map_err(&failed)?;
            if let Some(next) = reader.read().map_err(&failed)? {
                sources.push(Source { reader, next });
            }
        }
        let mut merged = Merged {
            guard,
            order,
            queue: (0..sources.len()).collect(),
            sources,
            _account: account,
        };
        let mut queue = std::mem::take(&mut merged.queue);
        queue.sort_by(|&one, &other| merged.compare(other, one));
        merged.queue = queue;
        Ok(merged)
    }

    /// Order of the next records of two files; of equal ones, that of the files.
    fn compare(&self, one: usize, other: usize) -> Ordering {
        let order = order_of(
            &self.order,
            &self.sources[one].next,
            &self.sources[other].next,
        );
        order.then(one.cmp(&other))
    }

    /// The next record.
    pub(super) fn next(&mut self, run: &Run<'_, '_>) -> Result<Option<Record>> {
        let Some(least) = self.queue.pop() else {
            return Ok(None);
        };
        run.step()?;
        let source = &mut self.sources[least];
        let next = source.reader.read().map_err(failure(self.guard))?;
        let is_over = next.is_none();
        let record = std::mem::replace(&mut source.next, next.unwrap_or_default());
        if !is_over {
            let is_later = |&other: &usize| self.compare(other, least).is_gt();
            let place = self.queue.partition_point(is_later);
            self.queue.insert(place, least);
        }
        Ok(Some(record))
    }
}

/// Sorts records, in memory as long as there is enough.
pub(super) struct Sorter<'r> {
    runs: Runs,
    held: Vec<Record>,
    account: Account<'r>,
    /// Bytes that are not in the account yet.
    new: usize,
}

/// Bytes that a sorter takes before it looks at the limit.
const STEP: usize = 1 << 16;

impl<'r> Sorter<'r> {
    pub(super) fn new(guard: &'r Guard, what: &'static str, order: Vec<Place>) -> Self {
        Sorter {
            runs: Runs::new(what, order),
            held: Vec::new(),
            account: guard.account(what),
            new: 0,
        }
    }

    pub(super) fn add(&mut self, run: &Run<'_, '_>, record: Record) -> Result<()> {
        self.new += size_of_record(&record);
        self.held.push(record);
        match self.new < STEP.min(run.guard.memory() / 64) {
            true => Ok(()),
            false => self.note(run),
        }
    }

    /// Puts what is new in the account, or all that is held in a file.
    fn note(&mut self, run: &Run<'_, '_>) -> Result<()> {
        let new = std::mem::take(&mut self.new);
        match run.is_to_spill(&self.account, self.account.bytes() + new) {
            true => self.flush(run),
            false => self.account.add(new),
        }
    }

    fn flush(&mut self, run: &Run<'_, '_>) -> Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let writing = self.runs.write(run, &std::mem::take(&mut self.held))?;
        self.new = 0;
        self.account.clear();
        self.runs.end(run, writing)
    }

    /// Takes the records of another one.
    pub(super) fn append(&mut self, run: &Run<'_, '_>, mut other: Sorter<'_>) -> Result<()> {
        other.flush(run)?;
        self.runs.append(other.runs);
        Ok(())
    }

    /// All records in order.
    pub(super) fn finish(mut self, run: &Run<'r, '_>) -> Result<Sorted<'r>> {
        self.note(run)?;
        if !self.runs.is_empty() {
            self.flush(run)?;
            return Ok(Sorted::Merged(self.runs.merge(run)?));
        }
        let order = self.runs.sort(run, &self.held)?;
        Ok(Sorted::Held {
            order: order.into_iter(),
            held: self.held,
            _account: self.account,
        })
    }
}

/// Records in order.
pub(super) enum Sorted<'r> {
    Held {
        order: std::vec::IntoIter<u32>,
        held: Vec<Record>,
        _account: Account<'r>,
    },
    Merged(Merged<'r>),
}

impl Sorted<'_> {
    pub(super) fn next(&mut self, run: &Run<'_, '_>) -> Result<Option<Record>> {
        match self {
            Sorted::Held { order, held, .. } => {
                let next = order.next();
                Ok(next.map(|at| std::mem::take(&mut held[at as usize])))
            }
            Sorted::Merged(merged) => merged.next(run),
        }
    }
}

/// Bytes of a record in DRAM, about.
pub(super) fn size_of_record(record: &[Datum]) -> usize {
    size_of::<Record>() + size_of_val(record) + record.iter().map(bytes_of).sum::<usize>()
}

/// Rows of batches as records, and back.
pub(super) struct Shape {
    blank: Batch,
    /// Slots that any row has filled.
    filled: Vec<bool>,
}

impl Shape {
    /// Of the rows around, which have the slots of all others.
    pub(super) fn of(argument: &Batch) -> Self {
        Shape {
            blank: argument.blank(0),
            filled: vec![false; argument.width()],
        }
    }

    /// Notes which slots a batch fills.
    pub(super) fn note(&mut self, batch: &Batch) {
        for (slot, filled) in self.filled.iter_mut().enumerate() {
            *filled |= !matches!(batch.column(slot), Column::Unset);
        }
    }

    /// Notes that slots will be filled.
    pub(super) fn fill(&mut self, slots: &[Slot]) {
        slots.iter().for_each(|&slot| self.filled[slot] = true);
    }

    /// The slots of a row.
    pub(super) fn slots<'b>(
        &self,
        batch: &'b Batch,
        row: usize,
    ) -> impl Iterator<Item = Datum> + use<'b> {
        (0..self.filled.len()).map(move |slot| batch.get(slot, row))
    }

    /// Records as a batch: their slots begin at a place.
    pub(super) fn batch(&self, from: usize, mut records: Vec<Record>) -> Batch {
        let mut batch = self.blank.blank(records.len());
        let slots = self.filled.iter().enumerate();
        for (slot, _) in slots.filter(|(_, filled)| **filled) {
            let data = records.iter_mut();
            let data = data.map(|record| std::mem::take(&mut record[from + slot]));
            batch.set(slot, Column::of(data.collect()));
        }
        batch
    }

    /// Pushes records in batches: their slots begin at a place.
    pub(super) fn push(
        &self,
        from: usize,
        next: impl FnMut() -> Result<Option<Record>>,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        in_batches(next, &mut |records| sink(self.batch(from, records)))
    }
}

/// Bytes of records that make a batch of fewer than are usual.
const LARGE: usize = 1 << 20;

/// Gives records in as many as batches have.
pub(super) fn in_batches(
    mut next: impl FnMut() -> Result<Option<Record>>,
    each: &mut dyn FnMut(Vec<Record>) -> Result<Flow>,
) -> Result<Flow> {
    let (mut records, mut bytes) = (Vec::new(), 0);
    while let Some(record) = next()? {
        bytes += size_of_record(&record);
        records.push(record);
        if records.len() == BATCH || bytes > LARGE {
            bytes = 0;
            if each(std::mem::take(&mut records))? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
    }
    match records.is_empty() {
        true => Ok(Flow::Continue),
        false => each(records),
    }
}
