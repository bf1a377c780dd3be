//! The part of a store that merges and publishes roots.

pub(in crate::store) mod extension;
pub(in crate::store) mod history;
pub(in crate::store) mod merges;
pub(in crate::store) mod publish;
pub(in crate::store) mod queried;
pub(in crate::store) mod ring;
pub(in crate::store) mod sealed_graphs;
pub(in crate::store) mod space;

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::{Directory, Pool, PoolFile, SectionKey};
use parking_lot::{Mutex, RwLock};

use crate::history::segment::Segment;
use crate::layout::Layout;
use crate::section::{Frozen, Product, Section, Wanted};
use crate::store::checkpoint::sealed_graphs::SealedGraphs;
use crate::store::config::Config;
use crate::store::live::LiveGraph;
use crate::store::log::Log;

/// Sections that are merged between two looks: each time a root is published,
/// which should not cost more than they do.
pub(in crate::store) const SLICE: usize = 1024;

/// Named facts, among the blobs of the directory.
pub(in crate::store) const BLOB_META: u32 = 1;
/// External ids, among them.
pub(in crate::store) const BLOB_IDS: u32 = 2;

/// Brings what is applied to the medium, and gives back log and space.
pub(in crate::store) struct Checkpointer {
    pub live: LiveGraph,
    pub log: Log,
    pub roots: Mutex<RootState>,
    pub layout: RwLock<Layout>,
    pub sealed: SealedGraphs,
    /// Past this many bytes of buffers, commits wait for a merge.
    pub buffer_budget: usize,
}

impl Checkpointer {
    /// The layout that sections are merged into.
    pub(in crate::store) fn layout(&self) -> Layout {
        *self.layout.read()
    }

    /// Choices of the creation, with the present layout.
    pub(in crate::store) fn config(&self) -> Config {
        Config {
            layout: self.layout(),
            ..self.live.config
        }
    }
}

/// State that a checkpoint replaces.
pub(in crate::store) struct RootState {
    pub pool: Pool,
    pub file: PoolFile,
    pub directory: Directory,
    pub stored_ids: usize,
    /// Stored segments of the history, the oldest first.
    pub segments: Vec<Arc<Segment>>,
}

/// A section that is written and not published.
pub(in crate::store) struct Merged {
    pub key: SectionKey,
    pub section: Arc<Section>,
    pub frozen: Frozen,
    pub product: Product,
}

/// Goal of a merge for each of its sections.
#[derive(Clone, Copy)]
pub(in crate::store) enum Purpose<'a> {
    /// The same of all.
    All(Wanted),
    /// Merging all, and the past written again.
    Flattened,
    /// One list of each section in one block.
    Lists(&'a BTreeMap<SectionKey, usize>),
}

impl From<Wanted> for Purpose<'_> {
    fn from(wanted: Wanted) -> Self {
        Purpose::All(wanted)
    }
}

impl Purpose<'_> {
    pub(in crate::store) fn of(self, key: SectionKey) -> Wanted {
        match self {
            Purpose::All(wanted) => wanted,
            Purpose::Flattened => Wanted::Merged,
            Purpose::Lists(lists) => match lists.get(&key) {
                Some(&list) => Wanted::CompactedList(list),
                None => Wanted::Merged,
            },
        }
    }
}
