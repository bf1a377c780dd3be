//! The reading side of an import: files → edges → batches ready to commit.

use std::ops::Range;
use std::path::PathBuf;

use evergraph_algorithms::Cancellation;
use evergraph_storage::memory_bytes;
use evergraph_topology::record::Edges;
use evergraph_topology::{Batch, MAX_VERTICES};

use super::ids::{End, Known, Mapper};
use super::input::{Input, Sorted, Times, times_of};
use super::locate::out_of_range;
use super::progress::{self, Record};
use super::steps::{NoStep, StepEnd, Steps};
use super::{Action, ImportOptions, Prepared, Series, interrupted, needs_reverse};
use crate::formats::{self, EdgeBatch, EndpointKind, SkippedLines};
use crate::rejects::RejectsFile;
use crate::{Database, Error};
use evergraph_analytics::calendar::{Unit, written};

/// Edges that are read at a time; fewer of texts, whose length is not known.
const PIECE_EDGES: usize = 1 << 16;
const PIECE_TEXT_EDGES: usize = 1 << 12;

/// Edges whose ids are looked up together: what that reads stays in the cache until
/// the edges are taken.
const LOOKED_UP_EDGES: usize = 2048;

/// Listed ids that are taken at a time, and the DRAM that each may take.
const PIECE_IDS: usize = 1 << 16;
const LISTED_ID_BYTES: u64 = 64;

/// Bytes of a log record that an edge takes, and the head of a run of them.
const EDGE_BYTES: usize = 12;
const RUN_BYTES: usize = 24;

pub(super) struct Source<'a> {
    db: &'a Database,
    reader: Input,
    reading: formats::Options,
    action: Action,
    mapper: Mapper,
    /// Ids that the heads of the files list, which get their vertices before any edge.
    listed: Range<u64>,
    key: Vec<u8>,
    record: Record,
    /// Malformed lines before this run, of those that it does not read again.
    skipped_before: u64,
    steps: Option<Steps>,
    /// Edges of earlier imports, for steps of edges.
    edges_before: u64,
    sorted_from: Option<String>,
    rejects: Option<RejectsFile>,
    batch_edges: usize,
    batch_bytes: usize,
    piece_edges: usize,
    piece: EdgeBatch,
    /// Edges of the piece that were taken.
    taken: usize,
    /// Vertices of the next ones.
    known: Known,
    /// Lines before the piece, and malformed ones among those that were read.
    piece_lines: u64,
    piece_skipped: u64,
    finished: bool,
}

/// Edges gathered for one commit.
#[derive(Default)]
struct Gathered {
    /// Edges that are added or deleted one after another, and whether deleted.
    runs: Vec<(bool, Edges)>,
    /// Bytes that the edges will take in a log record.
    bytes: usize,
    /// Edges of the input.
    count: u64,
    /// Edges among them that are to be deleted.
    deletions: u64,
    missed: u64,
    vertex_count: u64,
    wall_us: Option<i64>,
}

impl<'a> Source<'a> {
    /// Opens the files and passes the lines that the record counts.
    pub fn open(
        db: &'a Database,
        files: &[PathBuf],
        reading: formats::Options,
        options: &ImportOptions,
        (key, record): (Vec<u8>, Record),
        cancellation: &Cancellation,
    ) -> Result<Self, Error> {
        // Skipping the lines that are in does not report their errors again.
        let mut skipped_before = record.skipped;
        let behind = formats::Options {
            skip_bad: reading.skip_bad.saturating_sub(skipped_before),
            ..reading.clone()
        };
        let mut sorted_from = None;
        let mut reader = match &options.snapshots {
            Some(series) if series.every.is_of_time() => {
                let times = times_of(files, &reading, cancellation)?;
                check_first(db, series, &times, &key)?;
                sorted_from = times.place();
                match sorted_from {
                    None => Input::open(files, &behind)?,
                    Some(_) => {
                        skipped_before = 0;
                        let sorted = Sorted::read(files, &reading, &times, cancellation)?;
                        Input::Sorted(Box::new(sorted))
                    }
                }
            }
            _ => Input::open(files, &behind)?,
        };
        reader.skip_lines(record.lines)?;
        let texts = reading.ids == EndpointKind::Text;
        let rejects = options.rejects.as_deref().map(|path| {
            let files = files.iter().map(PathBuf::as_path);
            RejectsFile::create(path, files, record.is_cut_off())
        });
        let steps = |series: &Series| Steps::new(series.clone(), record.step_end, record.time);
        let mut source = Source {
            db,
            listed: 0..0,
            mapper: Mapper::new(&*db.store().ids()?),
            piece_lines: reader.position().lines,
            piece_skipped: reader.skipped().count,
            reader,
            reading,
            action: options.action,
            edges_before: edges_of_others(db, &key)?,
            steps: options.snapshots.as_ref().map(steps),
            sorted_from,
            rejects: rejects.transpose()?,
            key,
            record,
            skipped_before,
            batch_edges: options.batch_edges.max(1),
            batch_bytes: (db.config().log_bytes / 4) as usize,
            piece_edges: if texts { PIECE_TEXT_EDGES } else { PIECE_EDGES },
            piece: EdgeBatch::default(),
            taken: 0,
            known: Known::default(),
            finished: false,
        };
        source.check_declared()?;
        source.listed = source.listed_ids();
        source.pass_edges()?;
        Ok(source)
    }

    /// Line at which the times of the files first go back, if the edges were sorted.
    pub fn sorted_from(&self) -> Option<String> {
        self.sorted_from.clone()
    }

    pub fn total_bytes(&self) -> Option<u64> {
        self.reader.position().total_bytes
    }

    /// Malformed lines, those of earlier runs counted.
    pub fn skipped(&self) -> SkippedLines {
        let mut skipped = self.reader.skipped().clone();
        skipped.count += self.skipped_before;
        skipped
    }

    /// Whether a weight of this run was rounded.
    pub fn rounds_weights(&self) -> bool {
        self.reader.rounds_weights()
    }

    fn check_declared(&self) -> Result<(), Error> {
        let declared = self.declared_vertices();
        let listed = self.listed_ids();
        let listed = listed.end - listed.start;
        if listed > memory_bytes() / LISTED_ID_BYTES {
            return Err(Error::usage(
                format!(
                    "{}: it announces {listed} vertices, whose ids take more memory than there is",
                    self.reader.file().display()
                ),
                "use `--ids dense`, where vertices are numbers that take none",
            ));
        }
        if declared > MAX_VERTICES {
            return Err(Error::usage(
                format!(
                    "{}: it announces {declared} vertices, and dense ids go up to {}",
                    self.reader.file().display(),
                    MAX_VERTICES - 1
                ),
                "use `--ids map`, which takes any id",
            ));
        }
        Ok(())
    }

    /// Vertices that the files say exist, with edges or without.
    fn declared_vertices(&self) -> u64 {
        match (&self.mapper, self.action) {
            (Mapper::Dense, Action::Insert) => self
                .reader
                .declared_ids()
                .map_or(0, |declared| declared.end),
            _ => 0,
        }
    }

    /// Ids of vertices that the files say exist, where ids are mapped.
    fn listed_ids(&self) -> Range<u64> {
        match (&self.mapper, self.action) {
            (Mapper::Dense, _) | (_, Action::Delete) => 0..0,
            (_, Action::Insert) => self.reader.declared_ids().unwrap_or(0..0),
        }
    }

    /// Makes vertices of the next listed ids.
    fn take_listed(&mut self) -> Result<(), Error> {
        for id in self.listed.by_ref().take(PIECE_IDS) {
            let vertex = self.mapper.intern_listed(id);
            vertex.map_err(|bad| out_of_range(self.reader.file(), &self.reading, &bad))?;
        }
        Ok(())
    }

    /// Passes the edges of a line of which only a part was committed.
    fn pass_edges(&mut self) -> Result<(), Error> {
        let mut past = self.record.past;
        while past > 0 {
            if !self.read_piece()? {
                break;
            }
            self.taken = self.piece.len().min(past as usize);
            past -= self.taken as u64;
        }
        Ok(())
    }

    /// The next batch; `None` behind the last one, which carries the mark that
    /// the import is done.
    pub fn next(&mut self, cancellation: &Cancellation) -> Result<Option<Prepared>, Error> {
        if self.finished {
            return Ok(None);
        }
        let mut gathered = Gathered::default();
        let mut step_ends = false;
        while !step_ends && !self.is_full(&gathered) {
            if cancellation.is_cancelled() {
                return Err(interrupted(self.record.edges));
            }
            if !self.listed.is_empty() {
                self.take_listed()?;
                continue;
            }
            if self.taken == self.piece.len() && !self.read_piece()? {
                self.finished = true;
                let edges = self.record.edges + gathered.count;
                let steps = self.steps.as_ref();
                step_ends = steps.is_some_and(|steps| steps.is_open(edges, self.edges_before));
                break;
            }
            step_ends = self.gather(&mut gathered)?;
        }
        let edges = self.edges_before + self.record.edges + gathered.count;
        let ended = match (&mut self.steps, step_ends) {
            (Some(steps), true) => steps.close(edges),
            _ => None,
        };
        Ok(Some(self.prepare(gathered, ended)?))
    }

    fn read_piece(&mut self) -> Result<bool, Error> {
        self.piece_lines = self.reader.position().lines;
        self.piece_skipped = self.reader.skipped().count;
        self.taken = 0;
        self.known.clear();
        let read = self.reader.next_batch(&mut self.piece, self.piece_edges);
        let rejected = self.reader.take_rejected();
        if let Some(rejects) = &mut self.rejects {
            rejects.add_lines(&rejected)?;
        }
        Ok(read? > 0)
    }

    fn is_full(&self, gathered: &Gathered) -> bool {
        // With what one more edge, stored both ways, with two new numbers, takes.
        let bytes = self.mapper.new_bytes() + gathered.bytes + 96;
        gathered.count >= self.batch_edges as u64 || bytes >= self.batch_bytes
    }

    /// Takes edges of the piece until the batch is full or the piece is used up, or
    /// the step ends: says whether it does.
    fn gather(&mut self, gathered: &mut Gathered) -> Result<bool, Error> {
        let vertices = self.reader.lists_vertices();
        let reverse = needs_reverse(self.db, self.reader.symmetric());
        let edges = self.edges_before + self.record.edges;
        let room = match &self.steps {
            Some(steps) => steps.room(edges),
            None => u64::MAX,
        };
        while self.taken < self.piece.len() && !self.is_full(gathered) {
            let edge = self.taken;
            if !self.known.covers(edge) {
                self.look_up_from(edge);
            }
            if let (Some(steps), Some(&seconds)) =
                (&mut self.steps, self.piece.timestamps.get(edge))
                && !steps
                    .admits(seconds)
                    .map_err(|why| self.no_step(seconds, why))?
            {
                return Ok(true);
            }
            let event = self.piece.deletions.get(edge).copied();
            match (self.action, vertices, event) {
                (Action::Insert, true, _) => self.insert_vertex(edge, gathered)?,
                (Action::Insert, false, Some(true)) | (Action::Delete, false, None) => {
                    self.delete(edge, reverse, gathered);
                }
                (Action::Insert, false, _) => self.insert(edge, reverse, gathered)?,
                (Action::Delete, true, _) => return Err(self.not_to_delete("vertices")),
                (Action::Delete, false, Some(_)) => return Err(self.not_to_delete("events")),
            }
            if let Some(&seconds) = self.piece.timestamps.get(edge) {
                gathered.wall_us = Some(seconds.saturating_mul(1_000_000));
            }
            self.taken += 1;
            if gathered.count >= room {
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[cold]
    fn no_step(&self, seconds: i64, why: NoStep) -> Error {
        let file = self.reader.file().display();
        match why {
            NoStep::Before(last) => Error::usage(
                format!("{file}: an edge of time {seconds} comes behind one of time {last}"),
                "the file has changed: import it anew",
            ),
            NoStep::NoDate => Error::usage(
                format!("{file}: the time {seconds} is no second of the years 0 to 9999"),
                "say with --time-unit what the times count",
            ),
        }
    }

    #[cold]
    fn not_to_delete(&self, what: &str) -> Error {
        Error::usage(
            format!("{} lists {what}", self.reader.file().display()),
            "give a file of edges; events are imported, deletions among them",
        )
    }

    fn look_up_from(&mut self, edge: usize) {
        let edges = edge..self.piece.len().min(edge + LOOKED_UP_EDGES);
        self.mapper.find_all(&self.piece, edges, &mut self.known);
    }

    #[inline]
    fn vertex(&mut self, edge: usize, end: End) -> Result<u32, Error> {
        match self.known.vertex(edge, end) {
            Some(vertex) => Ok(vertex),
            None => self.new_vertex(edge, end),
        }
    }

    /// The vertex of an id that had none when it was looked up.
    fn new_vertex(&mut self, edge: usize, end: End) -> Result<u32, Error> {
        let found = self.mapper.intern(&self.piece, edge, end);
        found.map_err(|bad| out_of_range(self.reader.file(), &self.reading, &bad))
    }

    #[inline]
    fn insert(&mut self, edge: usize, reverse: bool, to: &mut Gathered) -> Result<(), Error> {
        let u = self.vertex(edge, End::Source)?;
        let v = self.vertex(edge, End::Target)?;
        let weight = self.piece.weights.get(edge).copied();
        to.push(false, u, v, weight);
        if reverse && u != v {
            to.push(false, v, u, weight);
        }
        to.count += 1;
        Ok(())
    }

    fn insert_vertex(&mut self, edge: usize, to: &mut Gathered) -> Result<(), Error> {
        let vertex = self.vertex(edge, End::Source)?;
        to.vertex_count = to.vertex_count.max(u64::from(vertex) + 1);
        Ok(())
    }

    fn delete(&mut self, edge: usize, reverse: bool, to: &mut Gathered) {
        let end = |end| {
            let known = self.known.vertex(edge, end);
            known.or_else(|| self.mapper.find(&self.piece, edge, end))
        };
        to.count += 1;
        to.deletions += 1;
        let (Some(u), Some(v)) = (end(End::Source), end(End::Target)) else {
            to.missed += 1;
            return;
        };
        to.push(true, u, v, None);
        if reverse && u != v {
            to.push(true, v, u, None);
        }
    }

    /// Makes a batch of the gathered edges, with the record of how far it goes and
    /// the snapshot that ends the step.
    fn prepare(&mut self, gathered: Gathered, ended: Option<StepEnd>) -> Result<Prepared, Error> {
        let record = &mut self.record;
        if let Some(steps) = &self.steps {
            (record.step_end, record.time) = steps.position();
        }
        record.edges += gathered.count;
        record.done = self.finished;
        let skipped;
        if self.taken == self.piece.len() {
            (record.lines, record.past) = (self.reader.position().lines, 0);
            skipped = self.reader.skipped().count;
        } else {
            (record.lines, record.past) = (self.piece_lines, self.taken as u64);
            skipped = self.piece_skipped;
        }
        record.skipped = self.skipped_before + skipped;
        let mut batch = Batch::new();
        batch.set_meta(&self.key, &self.record.encode());
        if let Some(new) = self.mapper.take_new() {
            batch.assign_ids(new);
        }
        let mut vertex_count = gathered.vertex_count;
        if self.finished {
            vertex_count = vertex_count.max(self.declared_vertices());
        }
        if vertex_count > 0 {
            batch.add_vertices(vertex_count);
        }
        if let Some(wall_us) = gathered.wall_us {
            batch.at(wall_us);
        }
        for (deleted, edges) in gathered.runs {
            match deleted {
                true => {
                    let ends = edges.sources.into_iter().zip(edges.targets);
                    batch.delete(&ends.collect::<Vec<_>>())
                }
                false => batch.insert_columns(edges),
            };
        }
        if let Some(end) = &ended {
            self.name_snapshot(&mut batch, end)?;
        }
        Ok(Prepared {
            batch,
            edges: gathered.count,
            deletions: gathered.deletions,
            missed: gathered.missed,
            bytes: self.reader.position().bytes,
            ends_step: ended.is_some(),
        })
    }

    /// Has the batch name the snapshot of a step. One that an earlier import named,
    /// whose files ended in the same step, moves on.
    fn name_snapshot(&self, batch: &mut Batch, end: &StepEnd) -> Result<(), Error> {
        if let Ok(there) = self.db.store().snapshot(&end.name) {
            if end.time_us != Some(there.time_us) {
                return Err(Error::usage(
                    format!("there is another snapshot `{}`", end.name),
                    "drop it, or choose other names with --snapshot-prefix",
                ));
            }
            batch.drop_snapshot(&end.name);
        }
        batch.create_snapshot(&end.name, end.time_us);
        Ok(())
    }
}

/// Edges that other imports than this one brought.
fn edges_of_others(db: &Database, key: &[u8]) -> Result<u64, Error> {
    let records = progress::stored(db)?;
    let others = (0..)
        .zip(&records)
        .filter(|(n, _)| progress::key(*n) != key);
    Ok(others.map(|(_, record)| record.edges).sum())
}

/// Refuses steps before those that other imports have named.
fn check_first(db: &Database, series: &Series, times: &Times, key: &[u8]) -> Result<(), Error> {
    let records = progress::stored(db)?;
    let others = (0..)
        .zip(&records)
        .filter(|(n, _)| progress::key(*n) != key);
    let last = others.filter_map(|(_, record)| record.time).max();
    let (Some(first), Some(last)) = (times.first, last) else {
        return Ok(());
    };
    let end = |seconds| series.every.end_of_step(seconds);
    if first < last && end(first) < end(last) {
        return Err(Error::usage(
            format!(
                "the edges begin at {}, and those up to {} are in: the past cannot be changed",
                written(first, Unit::Second),
                written(last, Unit::Second)
            ),
            "import them in the order of their times, or leave out --snapshot-every",
        ));
    }
    Ok(())
}

impl Gathered {
    #[inline]
    fn push(&mut self, deleted: bool, u: u32, v: u32, weight: Option<f32>) {
        if self.runs.last().is_none_or(|run| run.0 != deleted) {
            self.runs.push((deleted, Edges::default()));
            self.bytes += RUN_BYTES;
        }
        if let Some((_, edges)) = self.runs.last_mut() {
            edges.sources.push(u);
            edges.targets.push(v);
            edges.weights.extend(weight);
        }
        self.bytes += EDGE_BYTES;
    }
}
