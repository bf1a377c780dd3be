//! State of direct mode: slots, intents, and the number of vertices.

use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_storage::{Medium, MediumHandle, Storage, StorageError, failpoint, order};
use parking_lot::{Mutex, RwLock};

use crate::adjacencies::Adjacencies;
use crate::direct::{DirectParameters, Intents, Rewrites, Slots};
use crate::section::Section;
use crate::section::resources::Resources;
use crate::store::config::Config;

/// Parts of a store in direct mode beside the common ones.
pub(in crate::store) struct Direct {
    pub slots: Slots,
    /// Intents, where edges stand in two lists; `None` in databases of before them.
    pub intents: Option<Intents>,
    pub rewrites: Rewrites,
    vertex_count: AtomicU64,
    growing: Mutex<()>,
    pub parameters: RwLock<DirectParameters>,
    /// Degrees on the medium, only for the ablation.
    pub vertices: Option<MediumHandle>,
}

impl Direct {
    /// Claims the extents that the slots name. Sections are read when they are
    /// touched, so this costs a word a section.
    pub(in crate::store) fn open(
        storage: &dyn Storage,
        config: &Config,
        resources: &Resources,
        adjacencies: &Adjacencies,
    ) -> Result<Self, StorageError> {
        let slots = Slots::open(storage, &resources.volume.uuid, adjacencies.len())?;
        slots.for_each(|adjacency, section, slot| {
            if u64::from(section) << config.section_shift >= crate::MAX_VERTICES {
                return Err(StorageError::damaged(
                    "sections",
                    0,
                    "a section's number is out of range",
                ));
            }
            let extent = resources.volume.region.adopt(slot.offset, slot.len)?;
            let home = &adjacencies[adjacency as usize];
            let first = home.first_vertex(section);
            let (lists, columns) = (home.section_lists(), config.columns());
            let stored = Section::stored_direct(first, lists, columns, extent);
            home.insert_section(section, stored);
            Ok(())
        })?;
        Ok(Direct {
            vertex_count: AtomicU64::new(slots.vertex_count()?),
            slots,
            intents: None,
            rewrites: Rewrites::default(),
            growing: Mutex::new(()),
            parameters: RwLock::new(DirectParameters {
                edge_log_bytes: config.edge_log_bytes,
                ..DirectParameters::default()
            }),
            vertices: None,
        })
    }

    /// Recovery step R5: slots and intents that were stored are durable. Sections are
    /// made so when they are first touched (Recovery step R7).
    pub(in crate::store) fn confirm(&self) -> Result<(), StorageError> {
        if failpoint!("open.slots-not-durable") {
            return Ok(());
        }
        let medium = self.slots.medium();
        let flushed = failpoint!(
            "open.slots-only-flushed",
            order::Flushed::of_stores(medium, 0, medium.len())?,
            else order::rewrite(medium, 0, medium.len())?
        );
        let _durable = flushed.fence(medium)?;
        Ok(())
    }

    /// Vertices.
    pub(in crate::store) fn vertex_count(&self) -> u64 {
        self.vertex_count.load(Ordering::Acquire)
    }

    /// Makes vertices exist, durably, before an edge names them.
    pub(in crate::store) fn reach_vertices<M: Medium + ?Sized>(
        &self,
        medium: &M,
        count: u64,
    ) -> Result<(), StorageError> {
        if self.vertex_count() >= count {
            return Ok(());
        }
        let _alone = self.growing.lock();
        if self.vertex_count() < count {
            self.slots.set_vertex_count(medium, count)?;
            self.vertex_count.store(count, Ordering::Release);
        }
        Ok(())
    }
}
