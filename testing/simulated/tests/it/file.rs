//! The medium `file`, whose counters say what a fence need not sync: another thread
//! writes and fences before and after each system call of the first.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use evergraph_simulated::{Config, Persistence, Rest, SimulatedFile, SimulatedStorage};
use evergraph_storage::medium::{FileCalls, FileMedium};
use evergraph_storage::{Medium, Storage, failpoint};

/// Action of another thread at a moment; its argument tells whether a sync is under way.
type Other = Box<dyn FnOnce(bool) + Send>;

/// The moments before and after each call; at one of them the other thread runs.
#[derive(Default)]
struct Moments(Mutex<Option<(u32, Other)>>);

impl Moments {
    fn pass(&self, in_sync: bool) {
        let mut planned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match planned.take() {
            Some((0, other)) => {
                drop(planned);
                other(in_sync);
            }
            Some((left, other)) => *planned = Some((left - 1, other)),
            None => {}
        }
    }
}

/// A simulated file with moments.
struct Interrupted {
    below: SimulatedFile,
    moments: Arc<Moments>,
}

impl FileCalls for Interrupted {
    fn base(&self) -> *const u8 {
        self.below.base()
    }

    fn most_bytes(&self) -> u64 {
        self.below.most_bytes()
    }

    fn length(&self) -> io::Result<u64> {
        self.below.length()
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.moments.pass(false);
        let written = self.below.write(offset, bytes);
        self.moments.pass(false);
        written
    }

    fn sync(&self) -> io::Result<()> {
        self.moments.pass(true);
        let synced = self.below.sync();
        self.moments.pass(true);
        synced
    }

    fn extend(&self, from: u64, to: u64) -> io::Result<()> {
        self.below.extend(from, to)
    }

    fn punch(&self, offset: u64, end: u64) -> io::Result<()> {
        self.below.punch(offset, end)
    }

    fn has_holes(&self) -> bool {
        self.below.has_holes()
    }

    fn fill(&self, offset: u64, end: u64, len: u64) -> io::Result<()> {
        self.below.fill(offset, end, len)
    }

    fn touch(&self, offset: u64, len: u64) -> io::Result<()> {
        self.below.touch(offset, len)
    }
}

/// Whether a power cut now leaves the sector that was written, whatever it takes.
fn is_durable(storage: &SimulatedStorage, offset: u64) -> bool {
    let after = storage.crash(&[], Rest::Oldest);
    let file = after.open("a", false).unwrap();
    let mut bytes = [0; 8];
    file.read(offset, &mut bytes).unwrap();
    bytes == [1; 8]
}

/// Writes at `offset` and fences; fails if the write is not durable then.
fn write_and_fence(
    storage: &SimulatedStorage,
    file: &FileMedium,
    offset: u64,
) -> Result<(), String> {
    file.write(offset, &[1; 8]).unwrap();
    fence(storage, file, offset)
}

fn fence(storage: &SimulatedStorage, file: &FileMedium, offset: u64) -> Result<(), String> {
    file.fence().unwrap();
    match is_durable(storage, offset) {
        true => Ok(()),
        false => Err(format!("the write at {offset} is lost after its fence")),
    }
}

/// One thread writes and fences, another does so at a moment in between; where that
/// would wait for a sync, its own fence comes when the sync has ended. `None` when the
/// moment never came.
fn meet(moment: u32) -> Option<Result<(), String>> {
    let config = Config::new(Persistence::Pages).with_capacity(4096);
    let storage = SimulatedStorage::new(config);
    let file = storage.open("a", true).unwrap();
    file.grow(1024).unwrap();
    file.fence().unwrap();
    storage.sync_names().unwrap();
    drop(file);

    let moments = Arc::new(Moments::default());
    let calls = Interrupted {
        below: storage.open_file("a", false).unwrap(),
        moments: Arc::clone(&moments),
    };
    let file = Arc::new(FileMedium::over("a", Box::new(calls), false).unwrap());
    let found = Arc::new(Mutex::new(None));
    let other: Other = {
        let (storage, file, found) = (storage.clone(), Arc::clone(&file), Arc::clone(&found));
        Box::new(move |in_sync| {
            let result = match in_sync {
                true => file.write(512, &[1; 8]).map_err(|error| error.to_string()),
                false => write_and_fence(&storage, &file, 512),
            };
            *found.lock().unwrap() = Some(result);
        })
    };
    *moments.0.lock().unwrap() = Some((moment, other));
    let mine = write_and_fence(&storage, &file, 0);
    let other = found.lock().unwrap().take()?;
    Some(mine.and(other).and_then(|()| fence(&storage, &file, 512)))
}

/// Moments that were tried, and the first loss.
fn all_moments() -> (u32, Result<(), String>) {
    let mut moment = 0;
    while let Some(result) = meet(moment) {
        if result.is_err() {
            return (moment, result);
        }
        moment += 1;
    }
    (moment, Ok(()))
}

#[test]
fn a_fence_covers_what_was_written_before_it_began() {
    let (moments, result) = all_moments();
    assert_eq!(result, Ok(()));
    assert_eq!(moments, 4, "before and after the write and the sync");
}

#[test]
fn a_miscount_loses_what_was_fenced() {
    for mutant in ["file.counted-before-written", "file.counted-after-sync"] {
        let _armed = failpoint::Scope::armed(mutant).enter();
        let (_, result) = all_moments();
        assert!(result.is_err(), "{mutant} survives");
    }
}

/// A growth alone is a change of the file, too.
fn grow_and_fence() -> Result<(), String> {
    let config = Config::new(Persistence::Pages).with_capacity(4096);
    let storage = SimulatedStorage::new(config);
    let file = storage.open("a", true).unwrap();
    storage.sync_names().unwrap();
    for len in [512, 2048] {
        file.grow(len).unwrap();
        file.fence().unwrap();
        let after = storage.crash(&[], Rest::Oldest);
        let found = after.open("a", false).unwrap().len();
        if found != len {
            return Err(format!("{found} bytes of {len} after a fence"));
        }
    }
    Ok(())
}

#[test]
fn a_fence_covers_a_growth() {
    assert_eq!(grow_and_fence(), Ok(()));
    let _armed = failpoint::Scope::armed("file.growth-not-counted").enter();
    assert!(
        grow_and_fence().is_err(),
        "a growth that is not counted survives"
    );
}

/// Bytes written by a killed process are visible to the next one of the same boot.
fn open_after_a_kill() -> Result<(), String> {
    let config = Config::new(Persistence::Pages).with_capacity(4096);
    let storage = SimulatedStorage::new(config);
    let file = storage.open("a", true).unwrap();
    file.grow(1024).unwrap();
    file.fence().unwrap();
    storage.sync_names().unwrap();
    file.write(0, &[1; 8]).unwrap();
    storage.begin_process();
    let _file = storage.open("a", false).unwrap();
    match is_durable(&storage, 0) {
        true => Ok(()),
        false => Err("what is shown is lost".to_string()),
    }
}

#[test]
fn what_an_opening_shows_is_durable() {
    assert_eq!(open_after_a_kill(), Ok(()));
    let _armed = failpoint::Scope::armed("file.opened-without-sync").enter();
    assert!(
        open_after_a_kill().is_err(),
        "an opening without a sync survives"
    );
}
