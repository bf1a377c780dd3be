//! One chunk: its stored extent, and the versions of its records that are not stored.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use evergraph_storage::failpoint;
use evergraph_storage::layout::WALKED_AT_MOST;
use evergraph_storage::{Needed, StorageError, Uuid};
use parking_lot::{Mutex, RwLock};

use super::at::ChunkAt;
use super::content::Record;
use super::core::Slot;
use super::stored::StoredChunk;
use super::versions::{Chain, Version};

/// Bytes of a chain and its place, beside the versions' records.
const VERSION_BYTES: usize = 96;

pub(super) struct Chunk<R> {
    pub(super) state: RwLock<ChunkState<R>>,
}

/// State behind a chunk's lock.
pub(super) struct ChunkState<R> {
    /// Extent that the newest superblock names; or a bulk load since, all of it at once.
    pub(super) base: Option<Arc<StoredChunk>>,
    pub(super) chains: BTreeMap<u32, Chain<R>>,
    /// The oldest commit that `base` does not have.
    pub(super) unmerged_since: Option<u64>,
    /// The newest commit that made a version; 0 if none did.
    newest_version: u64,
    /// Records that exist as of the newest commit.
    pub(super) used: u32,
    /// Bytes of versions that a checkpoint would free.
    pub(super) unmerged_bytes: usize,
    /// The chunk as of the newest commit, since it was asked for; nothing once something
    /// has changed.
    picture: OnceLock<Arc<ChunkAt<R>>>,
    /// The chunk as of commits that the base has and that come before every other change.
    base_picture: OnceLock<Arc<ChunkAt<R>>>,
    /// The last picture, unless it is of the newest commit, and the places that were changed
    /// since. The next picture is made of it.
    before: Mutex<Option<Before<R>>>,
}

/// A picture, and the places that were changed since.
type Before<R> = (Arc<ChunkAt<R>>, Vec<u32>);

/// More changed places than this are not worth a look at the picture before.
const MOST_CHANGES: usize = 256;

/// Location of a record's version.
pub(super) enum Lookup<R> {
    Version(Option<Arc<R>>),
    /// In the chunk, if there.
    Base(Arc<StoredChunk>),
    Nothing,
}

/// Outcome of applying a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Applied {
    /// Commits that created and deleted the record.
    pub(super) deleted: Option<(u64, u64)>,
    /// Whether there is a record where none was.
    pub(super) created: bool,
}

impl<R: Record> Chunk<R> {
    pub(super) fn new(base: Option<StoredChunk>) -> Self {
        Chunk {
            state: RwLock::new(ChunkState {
                used: base.as_ref().map_or(0, StoredChunk::used),
                base: base.map(Arc::new),
                chains: BTreeMap::new(),
                newest_version: 0,
                unmerged_since: None,
                unmerged_bytes: 0,
                picture: OnceLock::new(),
                base_picture: OnceLock::new(),
                before: Mutex::default(),
            }),
        }
    }

    /// Location of a record as of a commit. O(log versions); no read waits for a
    /// checkpoint.
    pub(super) fn look_up(&self, at: u32, csn: u64) -> Lookup<R> {
        let state = self.state.read();
        if let Some(version) = state.chains.get(&at).and_then(|chain| chain.at(csn)) {
            return Lookup::Version(version.record.clone());
        }
        match &state.base {
            Some(base) => Lookup::Base(Arc::clone(base)),
            None => Lookup::Nothing,
        }
    }
}

impl<R: Record> ChunkState<R> {
    /// Panics in debug builds if the versions, their counts and the base contradict each
    /// other, as far as it is cheap to see. Of a base that was only named by a directory,
    /// no content is asserted.
    fn invariants(&self) {
        if !cfg!(debug_assertions) || self.chains.len() > WALKED_AT_MOST {
            return;
        }
        let merged = self.merged();
        let (mut since, mut bytes) = self.loaded();
        for (at, chain) in &self.chains {
            assert!(
                !chain.is_empty(),
                "record {at} has a chain without versions"
            );
            chain.invariants();
            since = [since, chain.first_after(merged)]
                .into_iter()
                .flatten()
                .min();
            let unmerged = chain.versions().iter().filter(|v| v.begin > merged);
            bytes += unmerged.map(version_bytes).sum::<usize>();
            assert!(
                (chain.versions().iter()).all(|version| version.begin <= self.changed()),
                "record {at} was changed after the newest change"
            );
        }
        assert!(
            self.unmerged_since <= since.or(self.unmerged_since)
                && (since.is_none() || self.unmerged_since.is_some()),
            "commit {since:?} is not merged, the log is kept from {:?}",
            self.unmerged_since
        );
        assert_eq!(
            self.unmerged_bytes, bytes,
            "bytes that a checkpoint would free"
        );
    }

    /// All commits up to this one are in `base`.
    pub(super) fn merged(&self) -> u64 {
        self.base.as_ref().map_or(0, |base| base.csn())
    }

    /// A commit after which nothing of it was changed.
    pub(super) fn changed(&self) -> u64 {
        self.merged().max(self.newest_version)
    }

    /// A picture that was made before, if it is the one of this commit.
    pub(super) fn known_picture(&self, csn: u64) -> Option<Arc<ChunkAt<R>>> {
        let newest = self.picture.get();
        let newest = newest.filter(|picture| picture.since() <= csn);
        let of_base = || self.base_picture.get().filter(|_| self.is_of_base(csn));
        newest.or_else(of_base).cloned()
    }

    /// Whether a commit shows what the base has, though there are changes.
    fn is_of_base(&self, csn: u64) -> bool {
        self.merged() <= csn && self.unmerged_since.is_some_and(|since| csn < since)
    }

    /// Keeps a picture of the newest commit, or of the base, that was made without the
    /// lock, unless something has changed meanwhile.
    pub(super) fn keep_picture(&self, picture: &Arc<ChunkAt<R>>, csn: u64) {
        if !picture.is_of(self.base.as_ref()) {
            return;
        }
        if picture.since() <= csn && self.changed() <= picture.since() {
            let _ = self.picture.set(Arc::clone(picture));
        } else if self.is_of_base(csn) {
            let _ = self.base_picture.set(Arc::clone(picture));
        }
    }

    /// Something changes: what is newest then was not asked for yet.
    pub(super) fn forget_newest_picture(&mut self) {
        let Some(newest) = self.picture.take() else {
            return;
        };
        if self.unmerged_since.is_none() {
            let _ = self.base_picture.set(Arc::clone(&newest));
        }
        *self.before.get_mut() = Some((newest, Vec::new()));
    }

    /// A picture made of the last one, and of what was changed between its commit and
    /// another. It is what later ones are made of: readers go on to newer commits, and
    /// while others write, none of them may read the newest one. `None` if the last one is
    /// of a later commit, or too much was changed since.
    pub(super) fn picture_after_last(&self, csn: u64) -> Option<Arc<ChunkAt<R>>> {
        let mut last = self.before.lock();
        let (before, places) = last.as_mut().filter(|(before, _)| before.since() <= csn)?;
        places.sort_unstable();
        places.dedup();
        let mut changes = Vec::new();
        for &at in &*places {
            let chain = self.chains.get(&at)?;
            match chain.at(csn) {
                Some(version) => changes.push(version.changed(at)),
                // Changed after the commit for the first time.
                None if chain.versions().first()?.begin > csn => {}
                None => return None,
            }
        }
        let picture = match changes.is_empty() {
            true => Arc::clone(before),
            false => Arc::new(ChunkAt::after(before, self.changed().min(csn), changes)),
        };
        if self.changed() <= csn {
            *last = None;
            self.keep_picture(&picture, csn);
        } else {
            places.retain(|at| {
                self.is_changed_after(*at, csn) && !failpoint!("records.picture-change-lost")
            });
            *before = Arc::clone(&picture);
        }
        Some(picture)
    }

    fn is_changed_after(&self, at: u32, csn: u64) -> bool {
        let newest = self.chains.get(&at).and_then(Chain::newest);
        newest.is_none_or(|newest| newest.begin > csn)
    }

    /// Has later pictures made of one of a commit before the newest, if there is no other.
    pub(super) fn begin_with_picture(&self, picture: &Arc<ChunkAt<R>>) {
        let csn = picture.since();
        if csn >= self.changed() || !picture.is_of(self.base.as_ref()) {
            return;
        }
        let places = self.chains.keys().copied();
        let places = places.filter(|&at| self.is_changed_after(at, csn));
        let places: Vec<u32> = places.take(MOST_CHANGES + 1).collect();
        if places.len() <= MOST_CHANGES {
            let mut last = self.before.lock();
            last.get_or_insert_with(|| (Arc::clone(picture), places));
        }
    }

    fn note_changed(&mut self, at: u32) {
        let before = self.before.get_mut();
        if let Some((_, places)) = before {
            places.push(at);
        }
        if before
            .as_ref()
            .is_some_and(|(_, places)| places.len() > MOST_CHANGES)
        {
            *before = None;
        }
    }

    /// The base is another one, and the extents of the old one are to be given back.
    pub(super) fn forget_pictures(&mut self) {
        self.picture.take();
        self.base_picture.take();
        *self.before.get_mut() = None;
    }

    /// State of a record as of the newest commit.
    pub(super) fn newest(&self, at: u32, uuid: &Uuid) -> Result<Slot, StorageError> {
        if let Some(newest) = self.chains.get(&at).and_then(Chain::newest) {
            return Ok(Slot {
                is_used: newest.record.is_some(),
                begin: newest.begin,
                born: newest.born,
            });
        }
        match &self.base {
            Some(base) => Ok(base.read(uuid)?.slot(at)),
            None => Ok(Slot::default()),
        }
    }

    /// Applies a change of a commit that is not merged.
    pub(super) fn apply(
        &mut self,
        at: u32,
        csn: u64,
        record: Option<Arc<R>>,
        needed: &Needed,
        uuid: &Uuid,
    ) -> Result<Applied, StorageError> {
        debug_assert!(csn > self.merged(), "commit {csn} is merged already");
        let before = self.newest(at, uuid)?;
        if record.is_none() && !before.is_used {
            return Ok(Applied::default());
        }
        let applied = Applied {
            deleted: record.is_none().then_some((before.born, csn)),
            created: record.is_some() && !before.is_used,
        };
        // A record that one commit deletes and creates again was never away.
        let goes_on = before.is_used || before.begin == csn;
        let born = if goes_on { before.born } else { csn };
        self.unmerged_since.get_or_insert(csn);
        self.newest_version = csn;
        if !failpoint!("records.picture-not-told") {
            self.note_changed(at);
        }
        self.used = self.used + u32::from(applied.created) - u32::from(record.is_none());
        let version = Version {
            begin: csn,
            end: u64::MAX,
            born,
            record,
        };
        self.unmerged_bytes += version_bytes(&version);
        let merged = self.merged();
        let replaced = self.chains.get(&at).and_then(|chain| chain.newest());
        let replaced = replaced
            .filter(|newest| newest.begin == csn)
            .map(version_bytes);
        self.unmerged_bytes -= replaced.unwrap_or(0);
        match self.chains.get_mut(&at) {
            None => {
                self.chains.insert(at, Chain::of(version));
            }
            Some(chain) => {
                chain.push(version);
                let freed = &mut self.unmerged_bytes;
                chain.prune(merged, needed, |dropped| {
                    if dropped.begin > merged {
                        *freed -= version_bytes(dropped);
                    }
                });
            }
        }
        self.invariants();
        Ok(applied)
    }

    /// Takes in a whole chunk that commit `csn` loaded. Returns whether there was none.
    pub(super) fn load(&mut self, loaded: StoredChunk) -> bool {
        if self.base.is_some() || !self.chains.is_empty() {
            return false;
        }
        self.used = loaded.used();
        self.unmerged_since = (!failpoint!("load.not-kept")).then_some(loaded.csn());
        self.unmerged_bytes = loaded.loaded_bytes();
        self.base = Some(Arc::new(loaded));
        true
    }

    /// The commit of a base that no checkpoint has written, and its bytes.
    fn loaded(&self) -> (Option<u64>, usize) {
        let base = self.base.as_ref().filter(|base| base.extent().is_none());
        base.map_or((None, 0), |base| (Some(base.csn()), base.loaded_bytes()))
    }

    /// Drops versions that no view or snapshot needs, and counts the rest.
    pub(super) fn prune(&mut self, needed: &Needed) {
        let merged = self.merged();
        let (mut since, mut bytes) = self.loaded();
        self.chains.retain(|_, chain| {
            chain.prune(merged, needed, |_| {});
            let first = chain.first_after(merged);
            since = [since, first].into_iter().flatten().min();
            let unmerged = chain.versions().iter().filter(|v| v.begin > merged);
            bytes += unmerged.map(version_bytes).sum::<usize>();
            !chain.is_empty()
        });
        self.unmerged_since = since;
        self.unmerged_bytes = bytes;
        self.invariants();
    }

    /// Versions that only views hold.
    pub(super) fn versions_for_views(&self) -> usize {
        let merged = self.merged();
        let of_chain = |chain: &Chain<R>| {
            let versions = chain.versions().iter();
            versions.filter(|version| version.end <= merged).count()
        };
        self.chains.values().map(of_chain).sum()
    }
}

fn version_bytes<R: Record>(version: &Version<R>) -> usize {
    let record = version.record.as_ref();
    VERSION_BYTES + record.map_or(0, |record| size_of::<R>() + record.heap_bytes())
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::sync::Arc;

    use evergraph_storage::Needed;

    use super::super::content::NodeRecord;
    use super::{Chain, Chunk, ChunkState};

    /// A chunk with one record of commit 3, changed by `flip`.
    fn broken(flip: impl FnOnce(&mut ChunkState<NodeRecord>)) {
        let chunk: Chunk<NodeRecord> = Chunk::new(None);
        let mut state = chunk.state.write();
        let record = Some(Arc::new(NodeRecord::default()));
        let needed = Needed::new(vec![2], Arc::default());
        state.apply(0, 3, record, &needed, &[7; 16]).unwrap();
        flip(&mut state);
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "bytes that a checkpoint would free")]
    fn bytes_are_those_of_the_versions() {
        broken(|state| state.unmerged_bytes += 1);
    }

    #[test]
    #[should_panic(expected = "the log is kept from None")]
    fn what_is_not_merged_holds_the_log() {
        broken(|state| state.unmerged_since = None);
    }

    #[test]
    #[should_panic(expected = "the log is kept from Some(4)")]
    fn the_log_is_kept_from_the_oldest() {
        broken(|state| state.unmerged_since = Some(4));
    }

    #[test]
    #[should_panic(expected = "a chain without versions")]
    fn a_chain_has_a_version() {
        broken(|state| {
            state.chains.insert(1, Chain::default());
        });
    }
}
