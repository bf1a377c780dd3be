//! Reads files by several threads, and gives their rows in the order of the files.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use evergraph_interchange::{Contents, InterchangeError, Row};
use parking_lot::Mutex;

use super::files::FileKind;
use crate::Error;

/// Rows that a thread hands on at a time.
pub(super) const PORTION: usize = 1024;
/// Portions of a file that wait for whoever takes them.
const AHEAD: usize = 8;
/// More threads would wait for the one that takes the rows.
const MOST_THREADS: usize = 4;

/// What a file has, one after another.
pub(super) struct Portion {
    /// What the file is called.
    pub file: Arc<str>,
    pub contents: Contents,
    /// Rows and bad rows, each with its line.
    pub items: Vec<(Result<Row, InterchangeError>, u64)>,
}

/// Hands `take` the number of each file and what it has, portion by portion, in their
/// order. Files whose `contents` are not wanted are not read on.
///
/// # Errors
/// What `take` says; a file that cannot be read.
pub(super) fn read_all(
    files: &[(PathBuf, FileKind)],
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
    // Files are begun in their order: whoever is waited for never waits itself.
    let read_some = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let sender = senders.get(at).and_then(|sender| sender.lock().take());
            let (Some((path, kind)), Some(sender)) = (files.get(at), sender) else {
                return;
            };
            let goes_on = catch_unwind(AssertUnwindSafe(|| read(path, *kind, &wants, &sender)));
            match goes_on {
                Ok(true) => {}
                Ok(false) => return,
                Err(panic) => {
                    // Else what was read would pass for all of the file.
                    let _ = sender.send(Err(given_up(path)));
                    resume_unwind(panic)
                }
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..threads.min(MOST_THREADS).min(files.len()) {
            scope.spawn(read_some);
        }
        take_all(receivers, &mut take)
    })
}

fn given_up(path: &Path) -> Error {
    Error::Io {
        path: path.display().to_string(),
        source: std::io::Error::other("whoever reads it has given up"),
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

/// Sends what a file has. Whether somebody takes it.
fn read(
    path: &Path,
    kind: FileKind,
    wants: impl Fn(Contents) -> bool,
    sender: &SyncSender<Result<Portion, Error>>,
) -> bool {
    let mut reader = match kind.open(path) {
        Ok(reader) => reader,
        Err(error) => return sender.send(Err(error)).is_ok(),
    };
    let contents = reader.contents();
    if !wants(contents) {
        return true;
    }
    let file = Arc::clone(reader.file());
    let mut items = Vec::new();
    while let Some(item) = reader.next() {
        match item {
            Ok(_) | Err(InterchangeError::BadRow(_)) => items.push((item, reader.line())),
            // What came before it counts.
            Err(error) => {
                return send(&file, contents, items, sender)
                    && sender.send(Err(error.into())).is_ok();
            }
        }
        if items.len() == PORTION && !send(&file, contents, std::mem::take(&mut items), sender) {
            return false;
        }
    }
    send(&file, contents, items, sender)
}

fn send(
    file: &Arc<str>,
    contents: Contents,
    items: Vec<(Result<Row, InterchangeError>, u64)>,
    sender: &SyncSender<Result<Portion, Error>>,
) -> bool {
    let file = Arc::clone(file);
    sender
        .send(Ok(Portion {
            file,
            contents,
            items,
        }))
        .is_ok()
}
