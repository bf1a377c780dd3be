//! The graph that commits are applied to and views read.

pub(in crate::store) mod apply;
pub(in crate::store) mod catalog;
pub(in crate::store) mod in_place;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evergraph_storage::{Registry, SectionKey, ViewToken};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};

use crate::adjacencies::Adjacencies;
use crate::adjacency::Adjacency;
use crate::error::TopologyError;
use crate::extension::Extension;
use crate::ids::IdTable;
use crate::pins::PinnedBytes;
use crate::published::Published;
use crate::section::Section;
use crate::section::resources::Resources;
use crate::store::config::Config;
use crate::store::live::catalog::SnapshotCatalog;
use crate::store::live::in_place::Direct;
use crate::store::status::Status;

pub(in crate::store) type Named = (SectionKey, Arc<Section>);

/// Everything that is visible, merged or not.
pub(in crate::store) struct LiveGraph {
    pub config: Config,
    pub resources: Resources,
    pub adjacencies: Adjacencies,
    pub pinned: Arc<PinnedBytes>,
    pub ids: RwLock<IdTable>,
    pub meta: RwLock<BTreeMap<Vec<u8>, Vec<u8>>>,
    pub snapshots: SnapshotCatalog,
    pub registry: Arc<Registry<Published>>,
    /// Direct mode's own parts.
    pub direct: Option<Direct>,
    pub extension: Extension,
    pub status: Status,
    /// Held while a group is applied.
    pub applying: Mutex<()>,
    /// Something was deleted or dropped that is not merged.
    pub makes_room: AtomicBool,
}

impl LiveGraph {
    /// External ids. The first call after opening reads them: O(n).
    ///
    /// # Errors
    /// Damage.
    pub(in crate::store) fn ids(&self) -> Result<RwLockReadGuard<'_, IdTable>, TopologyError> {
        {
            let ids = self.ids.read();
            if ids.is_read() {
                return Ok(ids);
            }
        }
        self.ids.write().read()?;
        Ok(self.ids.read())
    }

    /// A view at the watermark. O(1); no writer waits.
    pub(in crate::store) fn register(&self) -> ViewToken<Published> {
        match &self.direct {
            None => self.registry.register(),
            Some(direct) => self.registry.register_and_advance(|state| Published {
                vertex_count: direct.vertex_count(),
                ..state.clone()
            }),
        }
    }

    /// The watermark and what was published with it.
    pub(in crate::store) fn published(&self) -> (u64, Published) {
        let (csn, mut published) = self.registry.current();
        if let Some(direct) = &self.direct {
            published.vertex_count = direct.vertex_count();
        }
        (csn, published)
    }

    pub(in crate::store) fn out_adjacencies(&self) -> impl Iterator<Item = &Adjacency> + '_ {
        let adjacencies = self.adjacencies.iter();
        adjacencies.filter(|adjacency| self.config.is_of_out_lists(adjacency.number()))
    }

    /// Whether lists are read and written in place, without merges.
    pub(in crate::store) fn is_direct(&self) -> bool {
        self.direct.is_some()
    }

    /// DRAM of what the extension has not merged.
    pub(in crate::store) fn extension_bytes(&self) -> usize {
        let extension = self.extension.as_ref();
        extension.map_or(0, |extension| extension.unmerged_bytes())
    }

    /// DRAM of what a merge of everything would free.
    pub(in crate::store) fn unmerged_bytes(&self) -> usize {
        self.resources.buffers.pool.used_bytes() + self.extension_bytes()
    }

    /// The oldest commit that the extension has not merged.
    pub(in crate::store) fn extension_since(&self) -> Option<u64> {
        self.extension.as_ref()?.unmerged_since()
    }

    pub(in crate::store) fn all_sections(&self) -> Vec<Named> {
        let adjacencies = self.adjacencies.iter();
        adjacencies
            .flat_map(|adjacency| adjacency.sections())
            .collect()
    }
}
