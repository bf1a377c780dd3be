//! Indexes over property values: leaves on the medium, inner pages in DRAM
//! (Poseidon, section 4.2; its Figure 8 compares [`Kind`]s).
//!
//! An [`Index`] maps keys ([`key`]: tuples of values as bytes that order as the
//! values do) to ids of records; a key may have any number of ids. It is a tree of
//! three levels: leaves of some KiB lie side by side in extents of the region, the
//! fences between the leaves of an extent at its end, and those between extents in
//! a manifest, which the section directory names. The two upper levels are kept in
//! DRAM, read from the manifest when the index is opened and from an extent when it
//! is first needed.
//!
//! # Versions
//! Changes that are committed and not merged are an ordered delta in DRAM. A checkpoint
//! freezes it, writes the extents that it touches out of place, and switches to them when
//! the superblock names them. An entry that was removed can still be found as of a view
//! that saw it: through the delta, through DRAM while a live view needs it, through the
//! leaf while a kept snapshot does. The result is a superset of the entries that a view
//! sees (of keys that were cut, and of views older than the newest checkpoint): **every
//! hit has to be checked against its record**, as of the view.
//!
//! # Failures
//! All that is read from the medium is verified at its first touch, and again when it is
//! merged. An index that is damaged is given up ([`Index::damaged`]), by a checkpoint
//! that meets the damage as well as by a reader: the next superblock does not name it,
//! and it is built again ([`Index::build`]) while others write; it is never repaired.

mod base;
mod build;
mod check;
mod delta;
mod entry;
mod error;
mod extent;
mod fences;
mod geometry;
pub mod key;
mod leaf;
mod merge;
mod read;
mod rounds;
mod state;
mod writer;

#[cfg(test)]
mod tests;

use evergraph_storage::{Directory, Region, SectionKey, StorageError, Uuid};
use parking_lot::RwLock;

use base::Base;
use extent::Inner;
use state::{Lost, State};

pub use build::{Collector, Sorted};
pub(crate) use entry::KeyBytes;
pub use error::IndexError;
pub use geometry::{Geometry, Kind};
pub use key::KeyRange;
pub use read::Candidates;

/// One index.
///
/// Changes come in the order of commits, from one thread at a time; readers and one
/// round of checkpoint go on meanwhile, and so does a [`Index::build`].
#[derive(Debug)]
pub struct Index {
    name: SectionKey,
    kind: Kind,
    geometry: Geometry,
    state: RwLock<State>,
}

/// A change of one commit.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The key, uncut.
    pub key: &'a [u8],
    /// The record's id.
    pub id: u32,
    /// Whether the record has the key from this commit on, or has it no more.
    pub present: bool,
}

/// How large an index is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexUsage {
    /// Merged entries, those included that only kept snapshots show.
    pub entries: u64,
    /// Merged entries that only kept snapshots show.
    pub removed: u64,
    /// Bytes of space on the medium.
    pub stored_bytes: u64,
    /// DRAM of inner pages, and of leaves if they are there.
    pub page_bytes: usize,
    /// DRAM of changes that are not merged.
    pub unmerged_bytes: usize,
    /// DRAM of entries that only live views show.
    pub watched_bytes: usize,
}

impl Index {
    /// An index without content: it has to be built ([`Index::build`], also from
    /// nothing) or restored. `owner` of the section directory is its own; its kind
    /// and its owner never change.
    pub fn new(owner: u32, kind: Kind, geometry: Geometry) -> Self {
        Index {
            name: SectionKey { owner, section: 0 },
            kind,
            geometry: geometry.checked(),
            state: RwLock::default(),
        }
    }

    /// Placement of its pages.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it can answer as of a commit: it has been built, and not since.
    pub fn covers(&self, csn: u64) -> bool {
        self.state.read().readable(csn).is_ok()
    }

    /// Whether it has content. One that has none after [`Index::restore`] has never
    /// been written, or was damaged: it has to be built.
    pub fn is_built(&self) -> bool {
        self.state.read().is_built()
    }

    /// Whether a superblock names something of it, or may soon. An index that was dropped
    /// ([`Index::clear`]) has to take part in checkpoints as long, and nothing else may
    /// use its owner number.
    pub fn is_stored(&self) -> bool {
        let state = self.state.read();
        state.is_named || state.pending.is_some()
    }

    /// Applies the changes of one commit. Skips a commit that is merged already, as
    /// replay brings them. Of one commit, an insertion of an entry wins over its
    /// removal, whatever their order: keys that differ may have been cut to the same.
    pub fn apply<'c>(&self, csn: u64, changes: impl IntoIterator<Item = Change<'c>>) {
        let mut state = self.state.write();
        for change in changes {
            let entry = (self.cut(change.key), change.id);
            state.record(csn, entry, change.present);
        }
    }

    /// The record `id` has the key from commit `csn` on; see [`Index::apply`].
    pub fn insert(&self, csn: u64, key: &[u8], id: u32) {
        let present = true;
        self.apply(csn, [Change { key, id, present }]);
    }

    /// The record `id` has the key no more from commit `csn` on; see
    /// [`Index::apply`].
    pub fn remove(&self, csn: u64, key: &[u8], id: u32) {
        let present = false;
        self.apply(csn, [Change { key, id, present }]);
    }

    /// The oldest commit of which something is not in published extents. `None` for
    /// an index that is built at opening anyway.
    pub fn unmerged_since(&self) -> Option<u64> {
        match self.kind {
            Kind::Volatile => None,
            Kind::Hybrid | Kind::OnMedium => self.state.read().unmerged_since(),
        }
    }

    /// DRAM that a checkpoint frees.
    pub fn unmerged_bytes(&self) -> usize {
        self.state.read().unmerged_bytes()
    }

    /// How large it is.
    pub fn usage(&self) -> IndexUsage {
        self.state.read().usage()
    }

    /// Recovery step R3: reads the manifest and claims the extents that it names, to
    /// be called before [`Region::finish_adoption`]. Cost: one read, in proportion to the
    /// number of extents.
    ///
    /// # Errors
    /// Damage; then the index has no content and can be built.
    pub fn restore(
        &self,
        region: &Region,
        uuid: &Uuid,
        directory: &Directory,
    ) -> Result<(), StorageError> {
        let Some(entry) = directory.entry(self.name) else {
            return Ok(());
        };
        let restored = Base::restore(region, uuid, &entry, self.inner());
        let mut state = self.state.write();
        // Also if it is damaged: the next superblock is not to name it.
        state.is_named = true;
        state.restored(restored?);
        Ok(())
    }

    /// Brings all inner pages to DRAM, which otherwise happens extent by extent as
    /// they are needed. Returns their bytes.
    ///
    /// # Errors
    /// Damage.
    pub fn preload(&self) -> Result<usize, StorageError> {
        let base = self.state.read().base.clone();
        let Some(base) = base else { return Ok(0) };
        for extent in &base.extents {
            if extent.leaf_count() > 1 {
                extent.fences()?;
            }
        }
        Ok(base.dram_bytes())
    }

    /// Forgets all content. The next checkpoint frees its space; if none is published,
    /// the content is there again when the database is opened.
    pub fn clear(&self) {
        self.state.write().clear();
    }

    /// Gives up content that is damaged. As [`Index::clear`], but changes that come,
    /// and those that came and that no view shows yet, are kept for a
    /// [`Index::build`] from a view that is taken after this.
    pub fn damaged(&self) {
        self.state.write().damaged();
    }

    /// Whether content was given up because it was damaged, and has not been built
    /// again.
    pub fn is_damaged(&self) -> bool {
        self.state.read().lost == Lost::Damaged
    }

    /// As [`Index::clear`], for good: an index that another thread builds for it is
    /// thrown away when it is done.
    pub fn dropped(&self) {
        let mut state = self.state.write();
        state.clear();
        state.lost = Lost::Dropped;
    }

    fn inner(&self) -> Inner {
        match self.kind {
            Kind::Hybrid | Kind::Volatile => Inner::Dram,
            Kind::OnMedium => Inner::Medium,
        }
    }

    /// A key as it is kept, and as [`Candidates::next_entry`] gives it.
    pub(crate) fn kept<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        self.cut(key)
    }

    fn cut<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        &key[..key.len().min(self.geometry.key_bytes)]
    }
}
