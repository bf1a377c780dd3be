//! A small host of one index: the truth beside it, a log, superblocks and checkpoints.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{
    Directory, Medium, Needed, Pool, PoolFile, Region, Registry, Root, Storage, StorageError,
    USER_BYTES, Uuid, ViewToken,
};

use crate::index::{Candidates, Change, Geometry, Index, KeyRange, Kind};

pub(super) const UUID: Uuid = *b"an index's tests";
const OWNER: u32 = 1 << 31;

const KEY_BYTES: usize = 24;

/// Tiny pages: some entries a leaf, some leaves an extent.
pub(super) const TINY: Geometry = Geometry {
    leaf_bytes: 256,
    leaves_per_extent: 3,
    key_bytes: KEY_BYTES,
};

/// Changes of one commit: ids and their new keys.
pub(super) type Commit = Vec<(u32, Option<Vec<u8>>)>;

/// A commit, and the key that a record has from there on.
type Version = (u64, Option<Vec<u8>>);

/// Every key that a record ever had, with commits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Truth {
    histories: BTreeMap<u32, Vec<Version>>,
}

impl Truth {
    pub(super) fn key(&self, id: u32, csn: u64) -> Option<&Vec<u8>> {
        let history = self.histories.get(&id)?;
        let version = history.iter().rev().find(|version| version.0 <= csn)?;
        version.1.as_ref()
    }

    pub(super) fn at(&self, csn: u64) -> BTreeSet<(Vec<u8>, u32)> {
        let ids = self.histories.keys();
        ids.filter_map(|&id| Some((self.key(id, csn)?.clone(), id)))
            .collect()
    }

    /// Without the changes after a commit.
    pub(super) fn until(&self, csn: u64) -> Truth {
        let mut truth = self.clone();
        for history in truth.histories.values_mut() {
            history.retain(|version| version.0 <= csn);
        }
        truth.histories.retain(|_, history| !history.is_empty());
        truth
    }

    /// Adds a commit; the changes of entries that it makes, removals and insertions.
    pub(super) fn commit(&mut self, csn: u64, commit: &Commit) -> Vec<(Vec<u8>, u32, bool)> {
        let mut changes = Vec::new();
        for (id, new) in commit {
            let old = self.key(*id, csn).cloned();
            if old == *new {
                continue;
            }
            changes.extend(old.map(|key| (key, *id, false)));
            changes.extend(new.clone().map(|key| (key, *id, true)));
            let history = self.histories.entry(*id).or_default();
            history.retain(|version| version.0 != csn);
            history.push((csn, new.clone()));
        }
        changes
    }
}

pub(super) struct Host {
    pool: Pool,
    file: PoolFile,
    pub(super) region: Region,
    pub(super) directory: Directory,
    pub(super) registry: Arc<Registry<()>>,
    pub(super) index: Index,
    pub(super) truth: Truth,
    /// Outcome of opening the index.
    pub(super) restored: Result<(), String>,
}

pub(super) fn apply(index: &Index, csn: u64, changes: &[(Vec<u8>, u32, bool)]) {
    let changes = changes.iter();
    let changes = changes.map(|&(ref key, id, present)| Change { key, id, present });
    index.apply(csn, changes);
}

impl Host {
    /// A new database with an empty index.
    pub(super) fn create(
        storage: &dyn Storage,
        kind: Kind,
        geometry: Geometry,
    ) -> Result<Self, String> {
        let medium = storage.open("extents", true).map_err(text)?;
        let region = Region::new(medium, 256, 4096);
        storage.sync_names().map_err(text)?;
        let root = Root {
            epoch: 1,
            ..Root::first([0; USER_BYTES])
        };
        let (pool, file) = Pool::create(storage, UUID, root).map_err(text)?;
        let host = Host {
            pool,
            file,
            region,
            directory: Directory::default(),
            registry: Registry::new(0, ()),
            index: Index::new(OWNER, kind, geometry),
            truth: Truth::default(),
            restored: Ok(()),
        };
        host.build(0)?;
        Ok(host)
    }

    /// Opens what the newest superblock names. The commits after it have to be replayed.
    pub(super) fn open(
        storage: &dyn Storage,
        kind: Kind,
        geometry: Geometry,
        kept: &[u64],
    ) -> Result<Option<Self>, String> {
        let (mut pool, file) = match Pool::open(storage) {
            Err(StorageError::NotADatabase(_)) => return Ok(None),
            opened => opened.map_err(text)?,
        };
        storage.sync_names().map_err(text)?;
        // A later slot must not complete one that a power cut left half-written.
        let mut root = pool.root().clone();
        root.epoch += 1;
        pool.update(&file, root.clone()).map_err(text)?;
        let medium = storage.open("extents", false).map_err(text)?;
        let region = Region::new(medium, 256, 4096);
        let place = (root.directory_offset, root.directory_len);
        let directory = Directory::load(&region, &UUID, place.0, place.1, root.directory_crc);
        let directory = directory.map_err(text)?;
        let index = Index::new(OWNER, kind, geometry);
        let restored = index.restore(&region, &UUID, &directory);
        region.finish_adoption();
        Ok(Some(Host {
            pool,
            file,
            region,
            directory,
            registry: Registry::keeping(root.csn, (), kept.iter().copied()),
            index,
            truth: Truth::default(),
            restored: restored.map_err(text),
        }))
    }

    pub(super) fn csn(&self) -> u64 {
        self.registry.csn()
    }

    /// Commit of the newest superblock.
    pub(super) fn root_csn(&self) -> u64 {
        self.pool.root().csn
    }

    pub(super) fn commit(&mut self, commit: &Commit, keep: bool) {
        let csn = self.csn() + 1;
        let changes = self.truth.commit(csn, commit);
        apply(&self.index, csn, &changes);
        if keep {
            self.registry.keep(csn);
        }
        self.registry.publish(csn, ());
    }

    /// Builds the index from the truth as of a commit.
    pub(super) fn build(&self, csn: u64) -> Result<(), String> {
        let mut entries = self.index.collector();
        for (key, id) in self.truth.at(csn).into_iter().rev() {
            entries.push(&key, id);
        }
        let built = self
            .index
            .build(csn, &self.region, &UUID, &entries.sorted());
        built.map_err(text)
    }

    /// One round. `between` runs when everything is written and nothing published;
    /// if it says no, the round is abandoned.
    pub(super) fn checkpoint(
        &mut self,
        between: impl FnOnce(&mut Self) -> bool,
    ) -> Result<(), String> {
        self.checkpoint_after(|_| {}, between)
    }

    /// As [`Host::checkpoint`]; `before` runs when it is decided up to which commit
    /// is written.
    pub(super) fn checkpoint_after(
        &mut self,
        before: impl FnOnce(&mut Self),
        between: impl FnOnce(&mut Self) -> bool,
    ) -> Result<(), String> {
        let token: ViewToken<()> = self.registry.register();
        let csn = token.csn();
        let needed = self.registry.needed();
        before(self);
        let (region, directory) = (&self.region, &mut self.directory);
        let written = self.index.write(csn, &needed, region, &UUID, directory);
        let written = Flushed::all(written.map_err(text)?).map(|_| ());
        drop(token);
        if !between(self) {
            self.directory.roll_back();
            self.index.abandoned();
            return Ok(());
        }
        let stored = self.directory.store(&self.region, &UUID, written);
        let stored = stored.map_err(text)?;
        let place = match failpoint!("host.not-fenced") {
            true => stored.split().0,
            false => *stored.fence(self.region.medium()).map_err(text)?.get(),
        };
        let mut root = self.pool.root().clone();
        root.csn = csn;
        root.directory_offset = place.offset;
        root.directory_len = place.len;
        root.directory_crc = place.crc;
        if failpoint!("host.freed-first") {
            self.published();
            self.scribble()?;
        }
        self.directory.publishing();
        self.index.publishing();
        // Whether it is durable was seen to above.
        let durable = Flushed::all([]).map(|_: Vec<()>| ());
        let durable = durable.fence(&Nothing).map_err(text)?;
        let published = self.pool.publish(&self.file, &durable, root);
        published.map_err(text)?;
        self.directory.published();
        self.published();
        Ok(())
    }

    fn published(&self) {
        let registry = &self.registry;
        let needed: &dyn Fn() -> Needed = &|| registry.needed();
        self.index.published(needed);
    }

    /// Uses the space that is free.
    fn scribble(&self) -> Result<(), String> {
        let end = self.region.file_bytes();
        let mut taken = Vec::new();
        while self.region.file_bytes() == end && taken.len() < 16 {
            let draft = self.region.allocate(256).map_err(text)?;
            taken.push(draft.finish(&[0xEE; 256]).map_err(text)?.split());
        }
        Ok(())
    }

    /// Hits as of `csn`, in the index's order.
    pub(super) fn found(&self, csn: u64, range: &KeyRange) -> Result<Vec<(Vec<u8>, u32)>, String> {
        let mut candidates = self.index.range(csn, range).map_err(text)?;
        let mut found = Vec::new();
        let truth = self.truth.at(csn);
        while let Some((key, id)) = candidates.next_entry().map_err(text)? {
            let entry = (key.to_vec(), id);
            if candidates.is_exact(&entry.0) && !truth.contains(&entry) {
                return Err(format!("as of {csn}: {entry:?} is not there, and exact"));
            }
            found.push(entry);
        }
        let mut backwards = Candidates::of(&self.index, csn, range, true).map_err(text)?;
        let mut other_way = Vec::new();
        while let Some((key, id)) = backwards.next_entry().map_err(text)? {
            other_way.push((key.to_vec(), id));
        }
        other_way.reverse();
        match other_way == found {
            true => Ok(found),
            false => Err(format!("{found:?}, and the other way {other_way:?}")),
        }
    }

    /// Compares with the truth as of a commit; exactly if that is the newest.
    pub(super) fn compare(&self, csn: u64) -> Result<(), String> {
        let truth = self.truth.at(csn);
        let kept: BTreeSet<_> = truth.iter().map(|(key, id)| (cut(key), *id)).collect();
        let found = self.found(csn, &KeyRange::all())?;
        if !found.is_sorted_by(|a, b| a < b) {
            return Err(format!("as of {csn}: out of order: {found:?}"));
        }
        let found: BTreeSet<_> = found.into_iter().collect();
        if let Some(missing) = kept.difference(&found).next() {
            return Err(format!("as of {csn}: {missing:?} is not found"));
        }
        let is_newest = csn == self.csn();
        if is_newest && let Some(extra) = found.difference(&kept).next() {
            return Err(format!("as of {csn}: {extra:?} is found and is not there"));
        }
        for (key, id) in &truth {
            let mut ids = Vec::new();
            self.index.lookup(csn, key, &mut ids).map_err(text)?;
            let is_sorted = ids.is_sorted_by(|a, b| a < b);
            if !ids.contains(id) || !is_sorted {
                return Err(format!("as of {csn}: {key:?} finds {ids:?}, and not {id}"));
            }
            let expected = found.iter().filter(|entry| entry.0 == cut(key));
            if !ids.iter().eq(expected.map(|entry| &entry.1)) {
                return Err(format!(
                    "as of {csn}: {key:?} finds {ids:?}, unlike a range"
                ));
            }
        }
        // Some of the ranges that begin or end with a key.
        let step = 1 + truth.len() / 5;
        for (key, _) in truth.iter().step_by(step) {
            let (from, to) = (key.clone(), None);
            self.compare_range(csn, &truth, KeyRange { from, to })?;
            let (from, to) = (Vec::new(), Some(key.clone()));
            self.compare_range(csn, &truth, KeyRange { from, to })?;
        }
        Ok(())
    }

    fn compare_range(
        &self,
        csn: u64,
        truth: &BTreeSet<(Vec<u8>, u32)>,
        range: KeyRange,
    ) -> Result<(), String> {
        let part: BTreeSet<_> = self.found(csn, &range)?.into_iter().collect();
        let is_below = |key: &Vec<u8>| range.to.as_ref().is_none_or(|to| key < to);
        let wanted = truth.iter().filter(|e| e.0 >= range.from && is_below(&e.0));
        let mut wanted = wanted.map(|entry| (cut(&entry.0), entry.1));
        if let Some(missing) = wanted.find(|entry| !part.contains(entry)) {
            return Err(format!("as of {csn}: {missing:?} is not in {range:?}"));
        }
        let within = range.cut(KEY_BYTES);
        let is_within =
            |key: &Vec<u8>| *key >= within.from && within.to.as_ref().is_none_or(|to| key < to);
        match part.iter().find(|entry| !is_within(&entry.0)) {
            None => Ok(()),
            Some(extra) => Err(format!("as of {csn}: {extra:?} is in {range:?}")),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let mut problems = Vec::new();
        self.index.check(&mut problems);
        match problems.first() {
            None => Ok(()),
            Some(problem) => Err(problem.clone()),
        }
    }
}

/// A key as it is kept.
fn cut(key: &[u8]) -> Vec<u8> {
    key[..key.len().min(KEY_BYTES)].to_vec()
}

pub(super) fn text(error: impl ToString) -> String {
    error.to_string()
}

/// A medium that holds nothing, whose fence says nothing of another.
struct Nothing;

impl Medium for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }
    fn properties(&self) -> evergraph_storage::Properties {
        unreachable!("nothing is written to it")
    }
    fn len(&self) -> u64 {
        0
    }
    fn grow(&self, _: u64) -> Result<(), evergraph_storage::MediumError> {
        Ok(())
    }
    fn discard(&self, _: u64, _: u64) -> Result<(), evergraph_storage::MediumError> {
        Ok(())
    }
    fn base(&self) -> *const u8 {
        std::ptr::null()
    }
    fn touch(&self, _: u64, _: u64) -> Result<(), evergraph_storage::MediumError> {
        Ok(())
    }
    fn write(&self, _: u64, _: &[u8]) -> Result<(), evergraph_storage::MediumError> {
        Ok(())
    }
    fn store_u32(&self, _: u64, _: u32) {}
    fn store_u64(&self, _: u64, _: u64) {}
    fn flush(&self, _: u64, _: u64) -> Result<(), evergraph_storage::MediumError> {
        Ok(())
    }
    fn fence(&self) -> Result<(), evergraph_storage::MediumError> {
        Ok(())
    }
}
