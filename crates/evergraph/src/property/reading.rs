//! Reads files by several threads, and gives their rows in the order of the files.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use evergraph_io::interchange::{Contents, InterchangeError, Row, RowBatch, Standing};
use parking_lot::Mutex;

use super::files::{Defaults, Source};
use super::value::Value;
use crate::Error;
use evergraph_analytics::threads::start;

/// Rows that a thread hands on at a time...
const PORTION: usize = 1024;
/// ...and the DRAM of these at most, but for the last of them.
const PORTION_BYTES: usize = 1 << 17;
/// Portions of a file that may wait to be taken: while the rows of one commit are gathered,
/// those of the next are read.
const AHEAD: usize = 64;
/// More threads would wait for the one that takes the rows.
const MOST_THREADS: usize = 4;

/// Some consecutive rows of a file.
pub(super) struct Portion {
    /// Name of the file.
    pub file: Arc<str>,
    pub contents: Contents,
    pub rows: PortionRows,
}

/// Rows by themselves, or by column.
pub(super) enum PortionRows {
    Items(Vec<Item>),
    Batch(RowBatch),
}

/// A row or a bad row, and where it stands.
pub(super) struct Item {
    pub row: Result<Row, InterchangeError>,
    pub line: u64,
    pub standing: Standing,
    /// DRAM of the row, about.
    pub bytes: usize,
}

/// Hands `take` the number of each file and its rows, portion by portion, in their order.
/// Files whose `contents` are not wanted are not read on.
///
/// # Errors
/// Errors of `take`; a file that cannot be read.
pub(super) fn read_all(
    files: &[Source],
    defaults: &Defaults,
    wants: impl Fn(Contents) -> bool + Sync,
    mut take: impl FnMut(u32, Portion) -> Result<(), Error>,
) -> Result<(), Error> {
    let (senders, receivers): (Vec<_>, Vec<_>) = files
        .iter()
        .map(|_| {
            let (sender, receiver) = sync_channel(AHEAD);
            (Mutex::new(Some(sender)), receiver)
        })
        .unzip();
    let next = AtomicUsize::new(0);
    // Files are begun in their order: the file that is taken next always has a thread
    // that reads it, so there is no deadlock.
    let read_some = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let sender = senders.get(at).and_then(|sender| sender.lock().take());
            let (Some(source), Some(sender)) = (files.get(at), sender) else {
                return;
            };
            let reads = || read(source, defaults, &wants, &sender);
            let goes_on = catch_unwind(AssertUnwindSafe(reads));
            match goes_on {
                Ok(true) => {}
                Ok(false) => return,
                Err(panic) => {
                    // Else what was read would pass for all of the file.
                    let _ = sender.send(Err(given_up(&source.path)));
                    resume_unwind(panic)
                }
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..threads.min(MOST_THREADS).min(files.len()) {
            start(scope, read_some)?;
        }
        take_all(receivers, &mut take)
    })
}

fn given_up(path: &Path) -> Error {
    Error::Io {
        path: path.display().to_string(),
        source: std::io::Error::other("its reader has given up"),
    }
}

fn take_all(
    receivers: Vec<Receiver<Result<Portion, Error>>>,
    take: &mut impl FnMut(u32, Portion) -> Result<(), Error>,
) -> Result<(), Error> {
    for (file, receiver) in (0..).zip(receivers) {
        for portion in receiver {
            take(file, portion?)?;
        }
    }
    Ok(())
}

/// Sends a file's portions. Returns whether the receiver still takes them.
fn read(
    source: &Source,
    defaults: &Defaults,
    wants: impl Fn(Contents) -> bool,
    sender: &SyncSender<Result<Portion, Error>>,
) -> bool {
    let mut reader = match source.open(defaults) {
        Ok(reader) => reader,
        Err(error) => return sender.send(Err(error)).is_ok(),
    };
    let contents = reader.contents();
    let file = Arc::clone(reader.file());
    if let Err(error) = source.given.check(contents, &file) {
        return sender.send(Err(error.into())).is_ok();
    }
    if !wants(contents) {
        return true;
    }
    let (mut items, mut bytes) = (Vec::new(), 0);
    let send = |rows| send(&file, contents, rows, sender);
    loop {
        if let Some(mut batch) = reader.batch(PORTION, PORTION_BYTES) {
            complete(&mut batch, &source.given.labels, defaults.label.as_ref());
            let before = PortionRows::Items(std::mem::take(&mut items));
            bytes = 0;
            if !send(before) || !send(PortionRows::Batch(batch)) {
                return false;
            }
            continue;
        }
        let Some(mut row) = reader.next() else {
            break;
        };
        if let Ok(found) = &mut row
            && let Err(bad) = source.given.complete(found, &file, reader.line())
        {
            row = Err(InterchangeError::BadRow(bad));
        }
        match &mut row {
            Ok(Row::Node(node)) if node.labels.is_empty() => {
                node.labels.extend(defaults.label.clone());
            }
            Ok(_) | Err(InterchangeError::BadRow(_)) => {}
            // The rows before the error count.
            Err(_) => {
                let sent = send(PortionRows::Items(items));
                return sent && row.is_err_and(|error| sender.send(Err(error.into())).is_ok());
            }
        }
        let of_row = row.as_ref().map_or(0, bytes_of);
        bytes += of_row;
        items.push(Item {
            row,
            bytes: of_row,
            line: reader.line(),
            standing: reader.standing(),
        });
        if items.len() == PORTION || bytes >= PORTION_BYTES {
            bytes = 0;
            if !send(PortionRows::Items(std::mem::take(&mut items))) {
                return false;
            }
        }
    }
    send(PortionRows::Items(items))
}

/// Gives nodes the labels that all of the file have, or, where they have none, the usual
/// one.
fn complete(batch: &mut RowBatch, given: &[Arc<str>], usual: Option<&Arc<str>>) {
    for labels in batch.groups.iter_mut().filter(|_| batch.are_nodes) {
        for label in given {
            if !labels.contains(label) {
                labels.push(Arc::clone(label));
            }
        }
        if labels.is_empty() {
            labels.extend(usual.cloned());
        }
    }
}

/// DRAM of a row, about.
fn bytes_of(row: &Row) -> usize {
    let properties = match row {
        Row::Node(node) => &node.properties,
        Row::Relationship(relationship) => &relationship.properties,
    };
    let values = properties
        .iter()
        .map(|property| bytes_of_value(&property.1));
    size_of::<Item>() + values.sum::<usize>()
}

fn bytes_of_value(value: &Value) -> usize {
    let inside = match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(elements) => elements.iter().map(bytes_of_value).sum(),
        Value::Map(entries) => {
            let entries = entries.iter();
            entries
                .map(|(key, value)| key.len() + bytes_of_value(value))
                .sum()
        }
        _ => 0,
    };
    size_of::<Value>() + inside
}

fn send(
    file: &Arc<str>,
    contents: Contents,
    rows: PortionRows,
    sender: &SyncSender<Result<Portion, Error>>,
) -> bool {
    if matches!(&rows, PortionRows::Items(items) if items.is_empty()) {
        return true;
    }
    let file = Arc::clone(file);
    sender
        .send(Ok(Portion {
            file,
            contents,
            rows,
        }))
        .is_ok()
}
