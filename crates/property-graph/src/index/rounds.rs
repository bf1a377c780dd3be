//! Rounds of checkpoint: writing out of place, publishing, giving back.

use std::sync::Arc;

use evergraph_storage::order::Flushed;
use evergraph_storage::{Directory, Entry, Needed, Region, StorageError, Uuid, checksum};

use super::base::Base;
use super::delta::Delta;
use super::merge::{self, Merged};
use super::state::{Pending, State};
use super::writer::Target;
use super::{Index, Kind};

/// The base that readers use, and the changes to be merged into it.
type Frozen = (Arc<Base>, Arc<Delta>);

impl Index {
    /// Durability steps 1 and 2: merges changes that are committed up to `csn` into new
    /// extents and names them in the directory. The caller fences the result before a
    /// superblock names it, and rolls the directory back if anything fails. `needed` was
    /// gathered after `csn` was fixed.
    ///
    /// Writes each extent that has a change, and the manifest; nothing if there is
    /// none. Then come [`Index::publishing`] and [`Index::published`], or
    /// [`Index::abandoned`].
    ///
    /// If an extent to be merged is damaged, the index is given up
    /// ([`Index::is_damaged`]) and the superblock is not to name it: all of it is in the
    /// records.
    ///
    /// # Errors
    /// A full disk, say: nothing has changed.
    pub fn write(
        &self,
        csn: u64,
        needed: &Needed,
        region: &Region,
        uuid: &Uuid,
        directory: &mut Directory,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let Some((base, changes)) = self.begin(csn, needed, directory)? else {
            return Ok(Vec::new());
        };
        let target = match self.kind {
            Kind::Hybrid | Kind::OnMedium => Target::Medium { region, uuid },
            Kind::Volatile => Target::Memory,
        };
        let merged = merge::merge(&base, &changes, csn, needed, target, self.geometry);
        let written = merged
            .and_then(|merged| self.name_merged(csn, &base, &changes, merged, target, directory));
        drop(changes);
        match written {
            Ok(written) => Ok(written),
            Err(StorageError::Damaged { .. }) => {
                let mut state = self.state.write();
                state.abandoned();
                state.damaged();
                self.name_nothing(&mut state, directory);
                Ok(Vec::new())
            }
            Err(error) => {
                self.state.write().abandoned();
                Err(error)
            }
        }
    }

    /// There is nothing that this superblock could name.
    fn name_nothing(&self, state: &mut State, directory: &mut Directory) {
        if state.is_named {
            directory.remove(self.name);
            state.pending = Some(Pending {
                base: None,
                is_merged: false,
                past: Vec::new(),
                newer: Vec::new(),
            });
        }
    }

    /// Freezes the changes, if there is something to do for a merge up to `csn`.
    fn begin(
        &self,
        csn: u64,
        needed: &Needed,
        directory: &mut Directory,
    ) -> Result<Option<Frozen>, StorageError> {
        let mut state = self.state.write();
        if state.pending.is_some() {
            return Err(StorageError::UnendedCheckpoint);
        }
        let Some(base) = state.base.clone().filter(|base| base.csn <= csn) else {
            if !state.is_built() {
                state.forget_unwatched(needed);
            }
            self.name_nothing(&mut state, directory);
            return Ok(None);
        };
        let is_named = state.named.as_ref().is_some_and(|n| Arc::ptr_eq(n, &base));
        let changes = state.freeze();
        let is_due = merge::is_due(&base, &changes, needed);
        if !is_due && (is_named || self.kind == Kind::Volatile) {
            drop(changes);
            state.thaw();
            return Ok(None);
        }
        Ok(Some((base, changes)))
    }

    fn name_merged(
        &self,
        csn: u64,
        base: &Arc<Base>,
        changes: &Delta,
        merged: Option<Merged>,
        target: Target<'_>,
        directory: &mut Directory,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let merged = merged.unwrap_or_else(|| Merged::unchanged(base));
        let mut flushed = merged.flushed;
        let mut new = Base::new(merged.extents, csn, base.since, self.inner());
        if let Target::Medium { region, uuid } = target {
            let bytes = new.encode(self.geometry.leaf_bytes);
            let draft = region.allocate(bytes.len() as u64)?;
            let entry = Entry {
                offset: draft.offset(),
                len: bytes.len() as u64,
                csn,
                generation: 0,
                crc: checksum(uuid, draft.offset(), &bytes),
                entries: new.entries(),
                tombstones: new.closed(),
            };
            let (extent, manifest) = draft.finish(&bytes)?.split();
            flushed.push(manifest);
            new.named_by(extent);
            directory.set(self.name, entry);
        }
        let newer = changes.after(csn);
        self.state.write().pending = Some(Pending {
            base: Some(Arc::new(new)),
            is_merged: true,
            past: merged.past,
            newer,
        });
        Ok(flushed)
    }

    /// Before Durability step 4: a superblock on the medium may name the written extents,
    /// whatever is reported from now on.
    pub fn publishing(&self) {
        let state = self.state.read();
        let pending = state.pending.as_ref();
        let Some(base) = pending.and_then(|pending| pending.base.as_ref()) else {
            return;
        };
        let extents = base.extents.iter().filter_map(|extent| extent.extent());
        extents.for_each(|extent| extent.published());
        if let Some(manifest) = &base.manifest {
            manifest.extent.published();
        }
    }

    /// Durability step 6: the superblock is durable. Readers are switched to the new
    /// extents, and the old are free when the last of them lets go. `needed` is asked
    /// now.
    pub fn published(&self, needed: &dyn Fn() -> Needed) {
        self.publishing();
        let dropped = self.state.write().published(needed);
        // A frozen delta takes a while.
        drop(dropped);
    }

    /// No superblock names the written extents: the changes stay unmerged.
    pub fn abandoned(&self) {
        self.state.write().abandoned();
    }
}
