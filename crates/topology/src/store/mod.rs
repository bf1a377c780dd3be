//! The engine: commit log, unmerged data, sections, checkpoints.
//!
//! One [`Store`] is one graph on one [`Storage`]. It starts no threads: commits run on
//! the threads that call [`Store::commit`], a checkpoint on the thread that calls
//! [`Store::checkpoint`] (or on a commit that finds the log full).

mod batch;
mod checkpoint;
mod commit;
mod config;
mod fits;
mod group;
mod live;
mod log;
mod queue;
mod read;
mod recover;
mod status;

use evergraph_storage::{DurabilityLevel, MediumHandle, ViewToken};
use parking_lot::RwLockReadGuard;

pub use batch::{Batch, Commit};
use checkpoint::Checkpointer;
use checkpoint::queried::Queried;
pub use checkpoint::queried::{Query, QueryMerging};
pub use commit::BackPressure;
use commit::Committer;
pub use commit::enqueue::{Enqueued, Prepared};
pub use config::{Config, Mode, Tuning};
use live::LiveGraph;
pub use log::LogPositions;
pub use read::check::CheckReport;
pub use read::lists::ListReader;
pub use read::many::ManyLists;
pub use read::past::HistoryStats;
pub use recover::recovery::OpenReport;
use std::sync::Arc;

use crate::adjacencies::Adjacencies;
use crate::error::TopologyError;
use crate::extension::StoreExtension;
use crate::front::shards::ShardReport;
use crate::ids::IdTable;
use crate::layout::Layout;
use crate::presence::AdjacencySet;
use crate::published::Published;
use crate::section::SectionUsage;
use crate::section_view::SectionView;

/// A durable evolving graph.
pub struct Store {
    committer: Committer,
    queried: Queried,
}

/// Facts about a store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreStats {
    /// The watermark.
    pub csn: u64,
    /// Commits up to here are merged.
    pub merged_csn: u64,
    /// Counts and time of the watermark; in direct mode without the arc count,
    /// see [`Store::arc_count`].
    pub published: Published,
    /// Bytes of the log that recovery would replay, those in extents counted.
    pub log_used_bytes: u64,
    /// Bytes that the log may hold.
    pub log_bytes: u64,
    /// Bytes of its ring, which grows up to that.
    pub ring_bytes: u64,
    /// Bytes that extents occupy.
    pub extent_bytes: u64,
    /// Bytes of replaced extents among them, which readers of other processes keep.
    pub waiting_bytes: u64,
    /// Bytes of the extents' file.
    pub extent_file_bytes: u64,
    /// Bytes of the section directory among them.
    pub directory_bytes: u64,
    /// Bytes of sealed graphs among them.
    pub sealed_bytes: u64,
    /// Sections that exist.
    pub sections: usize,
    /// DRAM of length pages.
    pub page_dram_bytes: usize,
    /// DRAM of what views keep of what they have read, and of what is known of the
    /// types that vertices have.
    pub reading_dram_bytes: usize,
    /// DRAM of what is not merged: append buffers, vertex buffers, and what finds them.
    pub tail_dram_bytes: usize,
    /// Of that, bytes handed out by the buffer pool...
    pub buffer_used_bytes: usize,
    /// ...and what the pool holds of the system.
    pub buffer_held_bytes: usize,
    /// DRAM of what the extension has not merged; it counts for the budget, too.
    pub extension_bytes: usize,
    /// Past this, commits wait for a merge.
    pub buffer_budget_bytes: usize,
    /// Entries in append buffers: committed, and no reader has asked for them.
    pub appended_entries: u64,
    /// Entries in vertex buffers.
    pub buffered_entries: u64,
    /// Positions in the log.
    pub log_positions: LogPositions,
    /// Commits that waited for a merge.
    pub back_pressure: BackPressure,
    /// Logical shards, and what their threads did.
    pub shards: ShardReport,
    /// Merging of lists that are queried.
    pub query_merging: QueryMerging,
    /// Named snapshots, and what the past occupies.
    pub history: HistoryStats,
    /// Views that exist.
    pub live_views: usize,
    /// Times the database was opened for writing.
    pub epoch: u32,
}

impl Store {
    #[inline(always)]
    fn checkpointer(&self) -> &Checkpointer {
        &self.committer.checkpointer
    }

    #[inline(always)]
    fn live(&self) -> &LiveGraph {
        self.committer.live()
    }

    /// Identity of the database.
    pub fn uuid(&self) -> &evergraph_storage::Uuid {
        &self.live().resources.volume.uuid
    }

    /// Whether it was opened for reading only: commits are refused.
    pub fn is_read_only(&self) -> bool {
        self.live().status.is_read_only()
    }

    /// Choices of the creation, with the present layout.
    pub fn config(&self) -> Config {
        self.checkpointer().config()
    }

    /// The layout that sections are merged into.
    pub fn layout(&self) -> Layout {
        self.checkpointer().layout()
    }

    /// Durability level of a commit that has returned: the weakest of the media.
    pub fn durability_level(&self) -> DurabilityLevel {
        self.committer.durability
    }

    /// A view at the watermark. O(1); no writer waits.
    pub fn register(&self) -> ViewToken<Published> {
        self.live().register()
    }

    /// The watermark. O(1), without a lock.
    #[inline]
    pub fn csn(&self) -> u64 {
        self.live().registry.csn()
    }

    /// The watermark and what was published with it.
    pub fn published(&self) -> (u64, Published) {
        self.live().published()
    }

    /// Live entries of the out-lists as of a view. Known at once in merged
    /// mode; counted over all sections in direct mode, which keeps no total.
    pub fn arc_count(&self, token: &ViewToken<Published>) -> Result<u64, TopologyError> {
        if self.live().direct.is_none() {
            return Ok(token.state().arc_count);
        }
        let needed = self.live().registry.needed();
        let views = self.live().adjacencies[0].views(
            &self.live().resources,
            token.csn(),
            &needed,
            false,
        )?;
        Ok(views.iter().map(SectionView::live_entries).sum())
    }

    /// The commits that a reader may ask for, now or later.
    pub fn needed(&self) -> evergraph_storage::Needed {
        self.live().registry.needed()
    }

    /// The adjacencies: out-lists, then in-lists if they are kept; in a graph of
    /// relationships those of [`Store::relationship_types`].
    pub fn adjacencies(&self) -> &Adjacencies {
        &self.live().adjacencies
    }

    /// Types of which a commit has ever inserted a relationship, ascending; they stay
    /// when the last of them is deleted. A type that only deletions without effect
    /// have named may be among them until the next opening.
    pub fn relationship_types(&self) -> Vec<u16> {
        let out = self.live().out_adjacencies();
        out.map(|adjacency| (adjacency.number() / 2) as u16)
            .collect()
    }

    /// All sections of an adjacency as of a view, their entries verified; none if the
    /// adjacency does not exist. The extents stay until the result is dropped.
    pub fn pin(
        &self,
        token: &ViewToken<Published>,
        adjacency: usize,
    ) -> Result<Vec<SectionView>, TopologyError> {
        let Some(adjacency) = self.live().adjacencies.get(adjacency) else {
            return Ok(Vec::new());
        };
        let needed = self.live().registry.needed();
        Ok(adjacency.views(&self.live().resources, token.csn(), &needed, true)?)
    }

    /// The section that holds one vertex, as of a view, its entries verified:
    /// for reads that touch little. `None` if it holds no edges.
    pub fn pin_section(
        &self,
        token: &ViewToken<Published>,
        adjacency: usize,
        vertex: u32,
    ) -> Result<Option<SectionView>, TopologyError> {
        let number = vertex >> self.live().config.section_shift;
        let adjacency = self.live().adjacencies.get(adjacency);
        let Some(section) = adjacency.and_then(|adjacency| adjacency.section(number as usize))
        else {
            return Ok(None);
        };
        let view = section.view(
            &self.live().resources,
            token.csn(),
            &self.live().registry.needed(),
        )?;
        view.verify(&self.live().resources.volume.uuid)?;
        Ok(Some(view))
    }

    /// A section holds `1 << section_shift` vertices.
    #[inline(always)]
    pub fn section_shift(&self) -> u32 {
        self.live().config.section_shift
    }

    /// Returns the adjacencies that may have a list of a vertex, in any view. What is not
    /// in the set has none; it is for graphs of relationships. The first to ask about a
    /// section reads the lengths of all adjacencies there; where that finds damage, each
    /// may have a list, so that who reads the list hears of it.
    #[inline]
    pub fn adjacencies_of(&self, vertex: u32) -> AdjacencySet {
        self.live()
            .adjacencies
            .of_vertex(&self.live().resources, vertex)
    }

    /// The extension, if there is one.
    pub fn extension(&self) -> Option<&Arc<dyn StoreExtension>> {
        self.live().extension.as_ref()
    }

    /// Medium of the sections.
    pub fn medium(&self) -> &MediumHandle {
        self.live().resources.volume.region.medium()
    }

    /// Whether the sections may be expected to stay in DRAM once they were read.
    pub fn fits_in_memory(&self) -> bool {
        self.live().resources.volume.region.fits_in_memory()
    }

    /// External ids. The first call after opening reads them: O(n).
    ///
    /// # Errors
    /// Damage.
    pub fn ids(&self) -> Result<RwLockReadGuard<'_, IdTable>, TopologyError> {
        self.live().ids()
    }

    /// A named fact stored with [`Batch::set_meta`].
    pub fn meta(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.live().meta.read().get(key).cloned()
    }

    /// Bytes that the log holds, and those that it may hold.
    pub fn log_fill(&self) -> (u64, u64) {
        (
            self.checkpointer().log.lock().used_bytes(),
            self.live().config.log_bytes,
        )
    }

    /// Shows readers of other processes the newest commits, which they would see behind the
    /// next commit or merge only. Two fences; nothing if no commit is new since the last
    /// root. For a store at rest: under load it says what the next commit says.
    ///
    /// # Errors
    /// Those of publishing a root.
    pub fn publish_durable(&self) -> Result<(), TopologyError> {
        self.checkpointer().publish_durable()
    }

    /// Positions of logging, applying and merging.
    pub fn log_positions(&self) -> LogPositions {
        self.checkpointer()
            .log
            .positions_at(self.live().registry.csn())
    }

    /// Number and length of the waits of commits for a merge, since the opening.
    pub fn back_pressure(&self) -> BackPressure {
        self.committer.waits.so_far()
    }

    /// Past this many bytes of buffers, commits wait for a merge.
    pub fn buffer_budget(&self) -> usize {
        self.checkpointer().buffer_budget
    }

    /// Moves all that is visible from the append buffers to the vertex buffers (XPGraph's
    /// `buffer_all_edges`). Reading does it for the sections that it touches.
    pub fn buffer_all(&self) -> Result<(), TopologyError> {
        let token = self.register();
        let needed = self.live().registry.needed();
        for adjacency in self.live().adjacencies.iter() {
            for (_, section) in adjacency.sections() {
                section.sort_into_buffers(&self.live().resources, token.csn(), &needed)?;
            }
        }
        Ok(())
    }

    /// Statistics, gathered while commits and readers go on.
    pub fn stats(&self) -> StoreStats {
        let (csn, published) = self.live().published();
        let (log_used_bytes, log_bytes) = self.log_fill();
        let (merged_csn, epoch, directory_bytes) = {
            let roots = self.checkpointer().roots.lock();
            let root = roots.pool.root();
            (root.csn, root.epoch, roots.directory.bytes())
        };
        let (mut usage, mut sections) = (SectionUsage::default(), 0);
        for adjacency in self.live().adjacencies.iter() {
            for (_, section) in adjacency.sections() {
                usage.add(section.usage());
                sections += 1;
            }
        }
        let buffers = &self.live().resources.buffers.pool;
        StoreStats {
            csn,
            merged_csn,
            published,
            log_used_bytes,
            log_bytes,
            ring_bytes: self.checkpointer().log.ring_bytes(),
            extent_bytes: self.live().resources.volume.region.used_bytes(),
            waiting_bytes: self.live().resources.volume.region.waiting_bytes(),
            extent_file_bytes: self.live().resources.volume.region.file_bytes(),
            directory_bytes,
            sealed_bytes: self.checkpointer().sealed_bytes(),
            sections,
            page_dram_bytes: usage.page_bytes,
            reading_dram_bytes: self.live().pinned.bytes()
                + self.live().adjacencies.presence_bytes(),
            tail_dram_bytes: usage.buffer_bytes + buffers.used_bytes(),
            buffer_used_bytes: buffers.used_bytes(),
            buffer_held_bytes: buffers.held_bytes(),
            extension_bytes: self.live().extension_bytes(),
            buffer_budget_bytes: self.buffer_budget(),
            appended_entries: usage.appended_entries,
            buffered_entries: usage.buffered_entries,
            log_positions: self.checkpointer().log.positions_at(csn),
            back_pressure: self.back_pressure(),
            shards: self.live().adjacencies.shards().report(),
            query_merging: self.queried.report(),
            history: self.history_stats(),
            live_views: self.live().registry.live_views(),
            epoch,
        }
    }
}
