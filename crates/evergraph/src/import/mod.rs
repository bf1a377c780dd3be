//! Edges from files into a database, or out of it: streaming, committed in
//! batches, resumable.
//!
//! One thread reads and maps ids, another commits. Every commit carries how far
//! the files were read, so an import that was killed goes on exactly behind its
//! last durable batch.
//!
//! Invariant: an edge of the input is in the database if and only if the
//! progress record of the same commit says that it was read.

mod first_pass;
mod identity;
mod ids;
mod input;
mod inspection;
mod locate;
mod progress;
mod source;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::Instant;

use evergraph_algorithms::Cancellation;
use evergraph_graph::StoredLists;
use evergraph_storage::failpoint;
use evergraph_topology::ids::IdKind;
use evergraph_topology::{Batch, MAX_VERTICES, Mode, TopologyError, check_snapshot_name};

use crate::formats::{
    self, ColumnRole, EdgeBatch, EdgeReader, EndpointKind, SkippedLines, TimeUnit,
};
use crate::rejects::RejectsFile;
use crate::{Database, Error};
use evergraph_analytics::threads::start;
pub use evergraph_analytics::{Every, NotAStep};
use first_pass::are_texts;
pub use first_pass::default_ids;
pub(crate) use identity::identity_of;
pub use inspection::{EdgeInspection, InspectedFile, inspect};
use progress::Record;
use source::Source;
pub use steps::Series;

/// Batches that may wait between the two threads.
const WAITING_BATCHES: usize = 2;
/// Edges that are looked at to tell the kind of a file.
const PROBED_EDGES: usize = 4096;

/// Action on each edge of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is added, or deleted if a file of events says so.
    Insert,
    /// The latest live edge between the same two vertices is deleted.
    Delete,
}

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Action on each edge.
    pub action: Action,
    /// How to read the files. Kind of ids and weights follow the database.
    pub reading: formats::Options,
    /// Edges of one commit at most; fewer where a record of that size would
    /// take more than a quarter of the log.
    pub batch_edges: usize,
    /// Goes on behind the last commit of an earlier import of the same files.
    pub resume: bool,
    /// With `resume`: an import of which nothing was committed begins, also where other
    /// imports have ended before it.
    pub or_begin: bool,
    /// Names a snapshot after each step of the input. For steps of time every edge
    /// needs its time; edges that are not in their order are sorted in memory.
    pub snapshots: Option<Series>,
    /// The malformed lines that this run tolerates are written here, as CSV with file,
    /// line, column, problem and the beginning of the line.
    pub rejects: Option<PathBuf>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions {
            action: Action::Insert,
            reading: formats::Options::default(),
            batch_edges: 1 << 20,
            resume: false,
            or_begin: false,
            snapshots: None,
            rejects: None,
        }
    }
}

/// How far an import is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportProgress {
    /// Edges committed by this run.
    pub edges: u64,
    /// Edges that earlier runs of this import had committed.
    pub resumed_edges: u64,
    /// Bytes of the files that were read.
    pub bytes: u64,
    /// Bytes of all files, if known.
    pub total_bytes: Option<u64>,
}

/// How to follow an import, and how to stop it.
pub struct ImportControl<'a> {
    /// Stops it behind the commit that is being written; one that waits for room
    /// is withdrawn.
    pub cancellation: Cancellation,
    /// Called after each commit.
    pub progress: &'a dyn Fn(ImportProgress),
}

/// Outcome of an import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportReport {
    /// Edges of the input that this run committed, added or deleted; an
    /// undirected one counts once.
    pub edges: u64,
    /// Edges among them that were to be deleted.
    pub deletions: u64,
    /// Edges that earlier runs of this import had committed.
    pub resumed_edges: u64,
    /// Deletions that found no edge.
    pub missed: u64,
    /// Commits of this run.
    pub commits: u64,
    /// Seconds, merging at the end included.
    pub seconds: f64,
    /// Malformed lines that were tolerated.
    pub skipped: SkippedLines,
    /// Whether a weight lost digits as a float of 32 bits; of a resumed import in this run.
    pub rounds_weights: bool,
    /// Snapshots that this run named.
    pub snapshots: u64,
    /// Snapshots that the rules of retention dropped at its end.
    pub pruned: Vec<String>,
    /// Line at which the times of the files first went back, if the edges were sorted.
    pub sorted_from: Option<String>,
}

/// Facts about files, as far as their heads and first edges tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Every file says that its edges are undirected.
    pub symmetric: bool,
    /// The first ids of every file are numbers.
    pub numeric: bool,
    /// They are numbers that a graph with dense ids can hold.
    pub dense: bool,
}

/// Most likely unit of times that are numbers, from the first edges of a file.
pub fn probe_times(file: impl AsRef<Path>, reading: &formats::Options) -> Result<TimeUnit, Error> {
    let options = formats::Options {
        ids: EndpointKind::Text,
        timestamps: reading.timestamps && reading.columns.timestamp.is_none(),
        time_unit: TimeUnit::Seconds,
        ..reading.clone()
    };
    let mut batch = EdgeBatch::default();
    let mut reader = EdgeReader::open(file, &options)?;
    // A line that is bad is reported when it is imported.
    let _ = reader.next_batch(&mut batch, PROBED_EDGES);
    Ok(TimeUnit::of_numbers(&batch.timestamps))
}

/// Looks at the heads and first edges of files.
pub fn probe<P: AsRef<Path>>(files: &[P], reading: &formats::Options) -> Result<Probe, Error> {
    let mut found = Probe {
        symmetric: true,
        numeric: true,
        dense: true,
    };
    let are_texts = are_texts(files, reading)?;
    for file in files {
        let (symmetric, numeric, largest) = probe_one(file.as_ref(), reading, are_texts)?;
        found.symmetric &= symmetric;
        found.numeric &= numeric;
        found.dense &= numeric && largest < MAX_VERTICES;
    }
    Ok(found)
}

fn probe_one(
    file: &Path,
    reading: &formats::Options,
    are_texts: bool,
) -> Result<(bool, bool, u64), Error> {
    let read = |ids| -> Result<(bool, EdgeBatch), formats::FormatError> {
        let options = formats::Options {
            ids,
            ..reading.clone()
        };
        let mut batch = EdgeBatch::default();
        let mut reader = EdgeReader::open(file, &options)?;
        reader.next_batch(&mut batch, PROBED_EDGES)?;
        Ok((reader.symmetric(), batch))
    };
    let of_texts = || match read(EndpointKind::Text) {
        Ok((symmetric, _)) => (symmetric, false, 0),
        // A line that is bad either way is reported when it is imported.
        Err(_) => (false, !are_texts, 0),
    };
    if are_texts {
        return Ok(of_texts());
    }
    match read(EndpointKind::Number) {
        Ok((symmetric, batch)) => {
            let largest = batch.sources.iter().chain(&batch.targets).max();
            Ok((symmetric, true, largest.copied().unwrap_or(0)))
        }
        Err(formats::FormatError::Parse(_)) => Ok(of_texts()),
        Err(formats::FormatError::TooManyBadLines { .. }) => Ok((false, true, 0)),
        Err(error) => Err(error.into()),
    }
}

/// Another meaning that a file may have, beside the one by which it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// This column could be weights, and is not read.
    Weights(String),
    /// This column is read as times, and is not called so.
    Times(String),
    /// The first line is an edge between texts, and may be titles that nothing gives away.
    Titles,
    /// The columns of the ends, of which the first is titled as one of nodes.
    Nodes(String, String),
    /// This column counts the rows, as the index of pandas does, and is not read.
    Index(String),
    /// These columns have no meaning for an edge, and are not read.
    Unread(Vec<String>),
}

/// Other meanings of the files of a database: the first file of each doubt.
/// Reads the heads of the files and their first lines.
///
/// # Errors
/// Of the files.
pub fn doubts(
    db: &Database,
    files: &[PathBuf],
    reading: &formats::Options,
) -> Result<Vec<(PathBuf, Doubt)>, Error> {
    let reading = formats::Options {
        ids: match db.config().ids {
            IdKind::Texts => EndpointKind::Text,
            IdKind::Dense | IdKind::Numbers => EndpointKind::Number,
        },
        ..reading.clone()
    };
    let mut doubts: Vec<(PathBuf, Doubt)> = Vec::new();
    for file in files {
        let reader = EdgeReader::open(file, &reading)?;
        for doubt in doubts_of(&reader, &reading) {
            let kind = std::mem::discriminant(&doubt);
            let mut known = doubts.iter();
            if !known.any(|(_, known)| std::mem::discriminant(known) == kind) {
                doubts.push((file.clone(), doubt));
            }
        }
    }
    Ok(doubts)
}

fn doubts_of(reader: &EdgeReader, reading: &formats::Options) -> Vec<Doubt> {
    let columns = reader.columns();
    let of = |role| columns.iter().find(|one| one.role == role);
    let is_guessed =
        reading.header == formats::Header::Auto && reader.format() == formats::Format::Csv;
    let mut doubts = Vec::new();
    if let Some(weights) = of(ColumnRole::Weight).filter(|one| !one.is_read) {
        doubts.push(Doubt::Weights(weights.name.clone()));
    }
    if let Some(index) = of(ColumnRole::Index) {
        doubts.push(Doubt::Index(index.name.clone()));
    }
    let others = columns.iter().filter(|one| one.role == ColumnRole::Other);
    let others: Vec<String> = others.map(|one| one.name.clone()).collect();
    if !others.is_empty() {
        doubts.push(Doubt::Unread(others));
    }
    if let Some(times) = of(ColumnRole::Time).filter(|one| one.is_read)
        && !times.name.starts_with("column ")
        && !times.is_called_time()
        && reading.columns.timestamp.is_none()
    {
        doubts.push(Doubt::Times(times.name.clone()));
    }
    if let (Some(source), Some(target)) = (of(ColumnRole::Source), of(ColumnRole::Target)) {
        match source.name.as_str() {
            "column 1" if is_guessed && reading.ids == EndpointKind::Text => {
                doubts.push(Doubt::Titles);
            }
            "id" | "Id" | "ID" | ":ID" => {
                doubts.push(Doubt::Nodes(source.name.clone(), target.name.clone()));
            }
            _ => {}
        }
    }
    doubts
}

/// The file for the malformed lines of a reader, which is to keep them.
fn rejects_of(
    path: Option<&Path>,
    files: &[PathBuf],
    reader: &mut EdgeReader,
) -> Result<Option<RejectsFile>, Error> {
    let Some(path) = path else { return Ok(None) };
    reader.keep_rejected();
    RejectsFile::create(path, files.iter().map(PathBuf::as_path), false).map(Some)
}

/// A batch that is ready to be committed.
struct Prepared {
    batch: Batch,
    edges: u64,
    deletions: u64,
    /// Deletions of edges whose ends do not exist.
    missed: u64,
    bytes: u64,
    /// The batch names a snapshot.
    ends_step: bool,
}

/// Imports files in their order. When it returns, everything is durable and merged. The
/// caller must not assign external ids from another thread meanwhile.
///
/// # Errors
/// Edges committed before an error stay; [`Error::Interrupted`] and errors in the files
/// leave an import that can be resumed.
pub fn import(
    db: &Database,
    files: &[PathBuf],
    options: &ImportOptions,
    control: &ImportControl<'_>,
) -> Result<ImportReport, Error> {
    let started = Instant::now();
    let reading = reading_for(db, options)?;
    let Start {
        key,
        record,
        is_new,
    } = start_record(db, files, &reading, options)?;
    if record.done {
        return Ok(ImportReport {
            resumed_edges: record.edges,
            ..ImportReport::default()
        });
    }
    let resumed_edges = record.edges;
    let begins = is_new && db.config().mode == Mode::Merged;
    let beginning = (begins && key != progress::key(0)).then(|| (key.clone(), record.encode()));
    let cancellation = &control.cancellation;
    let mut source = Source::open(db, files, reading, options, (key, record), cancellation)?;
    if let Some((key, record)) = beginning {
        // Else it could not be told from one that was never begun, if it is killed before
        // its first commit. The first import of a database can.
        let mut batch = Batch::new();
        batch.set_meta(&key, &record);
        db.commit(batch)?;
    }
    failpoint!("import.begun");
    let total_bytes = source.total_bytes();
    let mut report = ImportReport {
        resumed_edges,
        sorted_from: source.sorted_from(),
        ..ImportReport::default()
    };
    let follow = |edges, bytes| {
        (control.progress)(ImportProgress {
            edges,
            resumed_edges,
            bytes,
            total_bytes,
        });
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING_BATCHES);
        let reader = &mut source;
        let read = move || {
            loop {
                let prepared = reader.next(cancellation).transpose();
                let last = !matches!(prepared, Some(Ok(_)));
                if let Some(prepared) = prepared
                    && sender.send(prepared).is_err()
                {
                    return;
                }
                if last {
                    return;
                }
            }
        };
        start(scope, read)?;
        for prepared in receiver {
            let prepared: Prepared = prepared?;
            if control.cancellation.is_cancelled() {
                return Err(interrupted(resumed_edges + report.edges));
            }
            let stop = || control.cancellation.is_cancelled();
            let commit = match db.commit_cancellable(prepared.batch, &stop) {
                Err(Error::Store(TopologyError::Cancelled)) => {
                    return Err(interrupted(resumed_edges + report.edges));
                }
                other => other?,
            };
            failpoint!("import.committed", until cancellation.is_cancelled());
            report.commits += 1;
            report.edges += prepared.edges;
            report.deletions += prepared.deletions;
            report.missed += prepared.missed + commit.missed_deletes;
            report.snapshots += u64::from(prepared.ends_step);
            follow(report.edges, prepared.bytes);
        }
        Ok(())
    })?;
    report.skipped = source.skipped();
    report.rounds_weights = source.rounds_weights();
    if options.snapshots.is_some() {
        report.pruned = db.apply_retention()?.dropped;
    }
    db.checkpoint_if_room()?;
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn interrupted(edges: u64) -> Error {
    Error::Interrupted {
        message: format!("{edges} edges of the input were committed and stay"),
        hint: "run the same command with --resume to go on".to_string(),
    }
}

/// The reading options, with those that the database determines.
fn reading_for(db: &Database, options: &ImportOptions) -> Result<formats::Options, Error> {
    let config = db.config();
    let mut reading = options.reading.clone();
    if reading.weighted && !config.weighted {
        return Err(Error::usage(
            "the database keeps no weights",
            "leave out --weighted, or import into a new database",
        ));
    }
    // A deletion names an edge by its ends.
    reading.weighted = config.weighted && options.action == Action::Insert;
    if let Some(series) = &options.snapshots {
        if config.mode == Mode::Direct {
            return Err(Error::usage(
                "direct mode keeps no snapshots: its edges are no commits",
                "import into a new database in merged mode",
            ));
        }
        if !series.every.is_step() {
            return Err(Error::argument(
                format!("{} is no step of an input", series.every),
                "steps are from 1 edge, or from a second up to 10000 years",
            ));
        }
        check_prefix(&series.prefix)?;
        reading.timestamps |= series.every.is_of_time() && reading.columns.timestamp.is_none();
    }
    match config.ids {
        IdKind::Dense => reading.ids = EndpointKind::Number,
        IdKind::Numbers => {
            reading.ids = EndpointKind::Number;
            reading.keep_base = true;
        }
        IdKind::Texts => reading.ids = EndpointKind::Text,
    }
    Ok(reading)
}

/// Refuses what names of snapshots cannot begin with.
fn check_prefix(prefix: &str) -> Result<(), Error> {
    match check_snapshot_name(&format!("{prefix}name")) {
        Err(TopologyError::BadSnapshotName { why, .. }) => Err(Error::argument(
            format!("no name of a snapshot can begin with {prefix:?}: {why}"),
            "choose another prefix",
        )),
        checked => Ok(checked?),
    }
}

/// The progress record of an import, and its key.
struct Start {
    key: Vec<u8>,
    record: Record,
    /// No commit has the record yet.
    is_new: bool,
}

/// Finds the progress record to go on with, or begins a new one.
fn start_record(
    db: &Database,
    files: &[PathBuf],
    reading: &formats::Options,
    options: &ImportOptions,
) -> Result<Start, Error> {
    let snapshots = options.snapshots.as_ref();
    let identity = identity::identity(files, reading, options.action, snapshots)?;
    let records = progress::stored(db)?;
    let identity = identity.known(|known| records.iter().any(|one| one.identity == known));
    let fresh = Record::new(identity, options.action, files);
    let begun = Start {
        key: progress::key(records.len()),
        record: fresh,
        is_new: true,
    };
    if !options.resume {
        return Ok(begun);
    }
    let matching = records
        .iter()
        .rposition(|record| record.identity == identity);
    if let Some(index) = matching {
        return Ok(Start {
            key: progress::key(index),
            record: records[index].clone(),
            is_new: false,
        });
    }
    let open = match options.or_begin {
        // Others were left as they are by imports that came behind them.
        true => records.last().filter(|last| last.is_cut_off()),
        false => records.iter().rfind(|record| !record.done),
    };
    match open {
        // Nothing was committed before the interruption.
        None if records.is_empty() || options.or_begin => Ok(begun),
        None => Err(Error::usage(
            "there is no interrupted import of these files",
            "use --append to add them",
        )),
        Some(open) => Err(Error::usage(
            format!("the interrupted import is of other files: {}", open.files),
            "give the same files, unchanged and with the same options, or --append without --resume",
        )),
    }
}

/// Whether edges of an undirected file have to be stored as two directed ones.
fn needs_reverse(db: &Database, symmetric: bool) -> bool {
    symmetric && db.config().direction != StoredLists::Undirected
}
