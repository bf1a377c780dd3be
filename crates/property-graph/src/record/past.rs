//! Pictures of chunks as of commits before their base.
//!
//! Each holds what its chunk has replaced since, so that it takes a pass over the history to
//! make one. They are kept for the next view of the commit, by commit, as long as they take
//! no more than a budget, until a checkpoint has published: a picture holds the extents that
//! it was made of, and the ones that a checkpoint replaces are to be given back.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::at::ChunkAt;

/// DRAM of the pictures of a table, unless told otherwise.
const BUDGET: usize = 128 << 20;

/// Bytes of the living pictures of one table, kept or in use by a view.
pub(super) type Total = Arc<AtomicUsize>;

/// A picture's part of the total; given back when the picture is dropped.
pub(super) struct Charge {
    total: Total,
    own: AtomicUsize,
}

impl Charge {
    fn new(total: &Total) -> Self {
        Charge {
            total: Arc::clone(total),
            own: AtomicUsize::new(0),
        }
    }

    pub(super) fn add(&self, bytes: usize) {
        self.own.fetch_add(bytes, Ordering::Relaxed);
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.total.fetch_sub(*self.own.get_mut(), Ordering::Relaxed);
    }
}

/// Those of a table.
pub(super) struct PastPictures<R> {
    kept: Mutex<Kept<R>>,
    total: Total,
    budget: AtomicUsize,
}

struct Kept<R> {
    /// Checkpoints that were published.
    round: u64,
    clock: u64,
    commits: BTreeMap<u64, OfCommit<R>>,
}

struct OfCommit<R> {
    used: u64,
    chunks: HashMap<u32, Arc<ChunkAt<R>>>,
}

impl<R> Default for PastPictures<R> {
    fn default() -> Self {
        PastPictures {
            kept: Mutex::new(Kept {
                round: 0,
                clock: 0,
                commits: BTreeMap::new(),
            }),
            total: Total::default(),
            budget: AtomicUsize::new(BUDGET),
        }
    }
}

impl<R> PastPictures<R> {
    pub(super) fn bytes(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    pub(super) fn charge(&self) -> Charge {
        Charge::new(&self.total)
    }

    /// Number of checkpoints so far, to be asked before a picture's base is taken.
    pub(super) fn round(&self) -> u64 {
        self.kept.lock().round
    }

    pub(super) fn get(&self, csn: u64, chunk: u32) -> Option<Arc<ChunkAt<R>>> {
        let mut kept = self.kept.lock();
        kept.clock += 1;
        let clock = kept.clock;
        let commit = kept.commits.get_mut(&csn)?;
        commit.used = clock;
        commit.chunks.get(&chunk).cloned()
    }

    /// Keeps a picture that was made of what there was in a round, unless that has ended.
    pub(super) fn keep(&self, round: u64, csn: u64, chunk: u32, picture: &Arc<ChunkAt<R>>) {
        let mut kept = self.kept.lock();
        if kept.round != round {
            return;
        }
        kept.clock += 1;
        let used = kept.clock;
        let commit = kept.commits.entry(csn).or_insert_with(|| OfCommit {
            used,
            chunks: HashMap::new(),
        });
        commit.used = used;
        commit.chunks.insert(chunk, Arc::clone(picture));
        self.make_room(&mut kept);
    }

    /// A checkpoint has replaced what pictures were made of.
    pub(super) fn published(&self) {
        let mut kept = self.kept.lock();
        kept.round += 1;
        let old = std::mem::take(&mut kept.commits);
        drop(kept);
        drop(old);
    }

    /// Pictures take at most so many bytes from now on.
    pub(super) fn set_budget(&self, bytes: usize) {
        self.budget.store(bytes, Ordering::Relaxed);
        self.make_room(&mut self.kept.lock());
    }

    /// Drops those of the commit that was read longest ago. What views use stays with them.
    fn make_room(&self, kept: &mut Kept<R>) {
        while self.bytes() > self.budget.load(Ordering::Relaxed)
            && let Some((&csn, _)) = kept.commits.iter().min_by_key(|(_, commit)| commit.used)
        {
            kept.commits.remove(&csn);
        }
    }
}
