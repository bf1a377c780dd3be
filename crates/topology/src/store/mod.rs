//! The engine: commit log, unmerged data, sections, checkpoints.
//!
//! One [`Store`] is one graph on one [`Storage`]. It starts no threads: commits run on
//! the threads that call [`Store::commit`], a checkpoint on the thread that calls
//! [`Store::checkpoint`] (or on a commit that finds the log full).

mod apply;
mod attached;
mod batch;
mod check;
mod checkpoint;
mod commit;
mod config;
mod direct;
mod enqueue;
mod fits;
mod flow;
mod group;
mod history;
mod lists;
mod open;
mod past;
mod poison;
mod queried;
mod replay;
mod ring;
mod sealed;
mod snapshots;
mod space;
mod vertices;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use evergraph_storage::{
    CommitLog, Directory, DurabilityLevel, Medium, MediumHandle, Pool, PoolFile, Registry, Storage,
    ViewToken,
};
use parking_lot::{Mutex, RwLock};

pub use batch::{Batch, Commit};
pub use check::CheckReport;
pub use config::{Config, Mode, Tuning};
pub use enqueue::{Enqueued, Prepared};
pub use flow::BackPressure;
pub use lists::{ListReader, ListTier, TierEntry};
pub use open::OpenReport;
pub use past::HistoryStats;
pub use queried::{Query, QueryMerging};

use crate::adjacencies::Adjacencies;
use crate::adjacency::Adjacency;
use crate::attachment::{Attached, Attachment};
use crate::error::TopologyError;
use crate::front::shards::ShardReport;
use crate::history::names::Names;
use crate::history::segment::Segment;
use crate::ids::IdTable;
use crate::layout::Layout;
use crate::presence::AdjacencySet;
use crate::section::{Context, SectionUsage};
use crate::section_view::SectionView;

/// Named blobs of the section directory.
const BLOB_META: u32 = 1;
const BLOB_IDS: u32 = 2;
const BLOB_HISTORY: u32 = 3;
/// Headers of sealed graphs.
const BLOB_SEALED: u32 = 16;

/// State that every commit publishes beside its CSN.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// Vertices are `0..vertex_count`.
    pub vertex_count: u64,
    /// Live entries of the out-lists.
    pub arc_count: u64,
    /// Wall time of the newest commit, microseconds since 1970.
    pub wall_us: i64,
}

/// A durable evolving graph.
pub struct Store {
    /// Storage in which a larger ring of the log is made.
    storage: Arc<dyn Storage>,
    config: Config,
    layout: RwLock<Layout>,
    tuning: RwLock<Tuning>,
    context: Context,
    adjacencies: Adjacencies,
    registry: Arc<Registry<Published>>,
    ids: RwLock<IdTable>,
    meta: RwLock<BTreeMap<Vec<u8>, Vec<u8>>>,
    names: RwLock<Names>,
    /// Direct mode's own parts.
    direct: Option<direct::Direct>,
    durability: DurabilityLevel,
    read_only: bool,
    failed: AtomicBool,
    /// Set with the gate closed, so no commit is under way.
    closed: AtomicBool,
    /// It failed by a panic.
    poisoned: AtomicBool,
    /// Something was deleted or dropped that is not merged.
    makes_room: AtomicBool,
    flow: flow::Flow,
    queried: queried::Queried,
    queue: Mutex<commit::Queue>,
    log: Mutex<LogState>,
    apply: Mutex<()>,
    roots: Mutex<RootState>,
    sealed: sealed::SealedGraphs,
    attached: Attached,
}

struct LogState {
    log: CommitLog,
    next_csn: u64,
    /// Ascending.
    boundaries: VecDeque<GroupEnd>,
    extents: ring::LoggedExtents,
}

/// End of a group of commits in the log.
#[derive(Clone, Copy, Debug)]
struct GroupEnd {
    /// Of the group's last commit.
    csn: u64,
    /// Position behind it.
    lsn: u64,
    wall_us: i64,
    /// Of its record.
    epoch: u32,
}

struct RootState {
    pool: Pool,
    file: PoolFile,
    directory: Directory,
    stored_ids: usize,
    /// Stored segments of the history, the oldest first.
    segments: Vec<Arc<Segment>>,
}

/// Positions in the log, in bytes ever written (XPGraph's section 3.1). What
/// lies between two of them is in that state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPositions {
    /// Before: merged by every section, free for new records.
    pub flushing: u64,
    /// Before: applied and visible.
    pub buffering: u64,
    /// Before: durable and acknowledged.
    pub marker: u64,
    /// Before: written.
    pub head: u64,
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
    /// DRAM of what the attachment has not merged; it counts for the budget, too.
    pub attached_bytes: usize,
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

impl LogState {
    /// Panics in debug builds if the log and the ends of its groups contradict each
    /// other.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let ends = &self.boundaries;
        if let (Some(first), Some(last)) = (ends.front(), ends.back()) {
            assert!(
                last.csn + 1 == self.next_csn && last.lsn <= self.log.head(),
                "the last group ended with {last:?}; next is commit {}, at {}",
                self.next_csn,
                self.log.head()
            );
            assert!(
                first.lsn + self.log.used_bytes() >= self.log.head(),
                "the first group ended with {first:?}, which the log has given back"
            );
        }
        let mut newest = ends.iter().rev();
        if let (Some(last), Some(before)) = (newest.next(), newest.next()) {
            assert!(
                before.csn < last.csn && before.lsn < last.lsn,
                "groups follow one another: {before:?}, then {last:?}"
            );
        }
    }
}

impl Store {
    /// Panics in debug builds if what is stored, what is applied and what is in the
    /// log do not follow one another: merged <= applied <= watermark <= durable. To be
    /// called where a merge ends, while the roots are held.
    fn invariants(&self, roots: &RootState) {
        if !cfg!(debug_assertions) || self.direct.is_some() {
            return;
        }
        let root = roots.pool.root();
        let watermark = self.registry.csn();
        assert!(
            root.csn <= watermark,
            "the root covers commit {}, readers see {watermark}",
            root.csn
        );
        for (key, section) in self.all_sections() {
            let since = section.unmerged_since();
            assert!(
                since.is_none_or(|since| since > root.csn),
                "the log was given back up to commit {}, {key:?} needs it from {since:?}",
                root.csn
            );
        }
        let newest = roots.directory.entries().map(|(_, entry)| entry.csn).max();
        assert!(
            newest.is_none_or(|newest| newest <= watermark),
            "stored up to commit {newest:?}, readers see {watermark}"
        );
        let log = self.log.lock();
        log.invariants();
        assert!(
            root.log_start <= log.log.durable() && watermark < log.next_csn,
            "the root needs the log from {}, which is durable up to {}; readers see commit \
             {watermark}, next is {}",
            root.log_start,
            log.log.durable(),
            log.next_csn
        );
    }

    /// Identity of the database.
    pub fn uuid(&self) -> &evergraph_storage::Uuid {
        &self.context.uuid
    }

    /// Choices of the creation, with the present layout.
    pub fn config(&self) -> Config {
        Config {
            layout: self.layout(),
            ..self.config
        }
    }

    /// The layout that sections are merged into.
    pub fn layout(&self) -> Layout {
        *self.layout.read()
    }

    fn set_layout(&self, layout: Layout) {
        *self.layout.write() = layout;
    }

    /// Durability level of a commit that has returned: the weakest of the media.
    pub fn durability_level(&self) -> DurabilityLevel {
        self.durability
    }

    /// A view at the watermark. O(1); no writer waits.
    pub fn register(&self) -> ViewToken<Published> {
        match &self.direct {
            None => self.registry.register(),
            Some(direct) => self.registry.register_and_advance(|state| Published {
                vertex_count: direct.vertex_count(),
                ..state.clone()
            }),
        }
    }

    /// Live entries of the out-lists as of a view. Known at once in merged
    /// mode; counted over all sections in direct mode, which keeps no total.
    pub fn arc_count(&self, token: &ViewToken<Published>) -> Result<u64, TopologyError> {
        if self.direct.is_none() {
            return Ok(token.state().arc_count);
        }
        let needed = self.registry.needed();
        let views = self.adjacencies[0].views(&self.context, token.csn(), &needed, false)?;
        Ok(views.iter().map(SectionView::live_entries).sum())
    }

    /// The commits that a reader may ask for, now or later.
    pub fn needed(&self) -> evergraph_storage::Needed {
        self.registry.needed()
    }

    /// The watermark and what was published with it.
    pub fn published(&self) -> (u64, Published) {
        let (csn, mut published) = self.registry.current();
        if let Some(direct) = &self.direct {
            published.vertex_count = direct.vertex_count();
        }
        (csn, published)
    }

    /// The adjacencies: out-lists, then in-lists if they are kept; in a graph of
    /// relationships those of [`Store::relationship_types`].
    pub fn adjacencies(&self) -> &Adjacencies {
        &self.adjacencies
    }

    /// Types of which a commit has ever inserted a relationship, ascending; they stay
    /// when the last of them is deleted. A type that only deletions without effect
    /// have named may be among them until the next opening.
    pub fn relationship_types(&self) -> Vec<u16> {
        let out = self.out_adjacencies();
        out.map(|adjacency| (adjacency.number() / 2) as u16)
            .collect()
    }

    fn out_adjacencies(&self) -> impl Iterator<Item = &Adjacency> + '_ {
        let adjacencies = self.adjacencies.iter();
        adjacencies.filter(|adjacency| self.config.is_of_out_lists(adjacency.number()))
    }

    /// All sections of an adjacency as of a view, their entries verified; none if the
    /// adjacency does not exist. The extents stay until the result is dropped.
    pub fn pin(
        &self,
        token: &ViewToken<Published>,
        adjacency: usize,
    ) -> Result<Vec<SectionView>, TopologyError> {
        let Some(adjacency) = self.adjacencies.get(adjacency) else {
            return Ok(Vec::new());
        };
        let needed = self.registry.needed();
        Ok(adjacency.views(&self.context, token.csn(), &needed, true)?)
    }

    /// The section that holds one vertex, as of a view, its entries verified:
    /// for reads that touch little. `None` if it holds no edges.
    pub fn pin_section(
        &self,
        token: &ViewToken<Published>,
        adjacency: usize,
        vertex: u32,
    ) -> Result<Option<SectionView>, TopologyError> {
        let number = vertex >> self.config.section_shift;
        let adjacency = self.adjacencies.get(adjacency);
        let Some(section) = adjacency.and_then(|adjacency| adjacency.section(number as usize))
        else {
            return Ok(None);
        };
        let view = section.view(&self.context, token.csn(), &self.registry.needed())?;
        view.verify(&self.context)?;
        Ok(Some(view))
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// A section holds `1 << section_shift` vertices.
    #[inline(always)]
    pub fn section_shift(&self) -> u32 {
        self.config.section_shift
    }

    /// DRAM of what views keep of what they have read.
    pub(crate) fn pinned_bytes(&self) -> &Arc<AtomicUsize> {
        &self.context.pinned_bytes
    }

    /// Returns the adjacencies that may have a list of a vertex, in any view. What is not
    /// in the set has none; it is for graphs of relationships. The first to ask about a
    /// section reads the lengths of all adjacencies there; where that finds damage, each
    /// may have a list, so that who reads the list hears of it.
    #[inline]
    pub fn adjacencies_of(&self, vertex: u32) -> AdjacencySet {
        let (context, shift) = (&self.context, self.config.section_shift);
        context
            .presence
            .of(context, &self.adjacencies, shift, vertex)
    }

    /// Whether lists are read and written in place, without merges.
    pub(crate) fn is_direct(&self) -> bool {
        self.direct.is_some()
    }

    /// The attachment, if there is one.
    pub fn attachment(&self) -> Option<&Arc<dyn Attachment>> {
        self.attached.as_ref()
    }

    /// DRAM of what the attachment has not merged.
    fn attached_bytes(&self) -> usize {
        let attachment = self.attached.as_ref();
        attachment.map_or(0, |attachment| attachment.unmerged_bytes())
    }

    /// DRAM of what a merge of everything would free.
    fn unmerged_bytes(&self) -> usize {
        self.context.buffers.used_bytes() + self.attached_bytes()
    }

    /// The oldest commit that the attachment has not merged.
    fn attached_since(&self) -> Option<u64> {
        self.attached.as_ref()?.unmerged_since()
    }

    /// Medium of the sections.
    pub fn medium(&self) -> &MediumHandle {
        self.context.region.medium()
    }

    /// Whether the sections may be expected to stay in DRAM once they were read.
    pub fn fits_in_memory(&self) -> bool {
        self.context.region.fits_in_memory()
    }

    /// External ids.
    pub fn ids(&self) -> &RwLock<IdTable> {
        &self.ids
    }

    /// A named fact stored with [`Batch::set_meta`].
    pub fn meta(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.meta.read().get(key).cloned()
    }

    /// Bytes that the log holds, and those that it may hold.
    pub fn log_fill(&self) -> (u64, u64) {
        (self.log.lock().used_bytes(), self.config.log_bytes)
    }

    /// Positions of logging, applying and merging.
    pub fn log_positions(&self) -> LogPositions {
        self.positions_at(self.registry.csn())
    }

    /// Number and length of the waits of commits for a merge, since the opening.
    pub fn back_pressure(&self) -> BackPressure {
        self.flow.back_pressure()
    }

    fn positions_at(&self, visible: u64) -> LogPositions {
        let log = self.log.lock();
        let applied = log
            .boundaries
            .iter()
            .take_while(|b| b.csn <= visible)
            .last();
        let flushing = log.log.head() - log.log.used_bytes();
        LogPositions {
            flushing,
            buffering: applied.map_or(flushing, |b| b.lsn),
            marker: log.log.durable(),
            head: log.log.head(),
        }
    }

    /// Past this many bytes of buffers, commits wait for a merge.
    pub fn buffer_budget(&self) -> usize {
        self.tuning.read().buffer_bytes
    }

    /// Moves all that is visible from the append buffers to the vertex buffers (XPGraph's
    /// `buffer_all_edges`). Reading does it for the sections that it touches.
    pub fn buffer_all(&self) -> Result<(), TopologyError> {
        let token = self.register();
        let needed = self.registry.needed();
        for adjacency in self.adjacencies.iter() {
            for (_, section) in adjacency.sections() {
                section.sort_into_buffers(&self.context, token.csn(), &needed)?;
            }
        }
        Ok(())
    }

    /// Statistics, gathered while commits and readers go on.
    pub fn stats(&self) -> StoreStats {
        let (csn, published) = self.published();
        let (log_used_bytes, log_bytes) = self.log_fill();
        let (merged_csn, epoch, directory_bytes) = {
            let roots = self.roots.lock();
            let root = roots.pool.root();
            (root.csn, root.epoch, roots.directory.bytes())
        };
        let (mut usage, mut sections) = (SectionUsage::default(), 0);
        for adjacency in self.adjacencies.iter() {
            for (_, section) in adjacency.sections() {
                usage.add(section.usage());
                sections += 1;
            }
        }
        let buffers = &self.context.buffers;
        StoreStats {
            csn,
            merged_csn,
            published,
            log_used_bytes,
            log_bytes,
            ring_bytes: self.flow.ring_bytes.load(Ordering::Relaxed),
            extent_bytes: self.context.region.used_bytes(),
            extent_file_bytes: self.context.region.file_bytes(),
            directory_bytes,
            sealed_bytes: self.sealed_bytes(),
            sections,
            page_dram_bytes: usage.page_bytes,
            reading_dram_bytes: self.context.pinned_bytes.load(Ordering::Relaxed)
                + self.context.presence.heap_bytes(),
            tail_dram_bytes: usage.buffer_bytes + buffers.used_bytes(),
            buffer_used_bytes: buffers.used_bytes(),
            buffer_held_bytes: buffers.held_bytes(),
            attached_bytes: self.attached_bytes(),
            buffer_budget_bytes: self.buffer_budget(),
            appended_entries: usage.appended_entries,
            buffered_entries: usage.buffered_entries,
            log_positions: self.positions_at(csn),
            back_pressure: self.back_pressure(),
            shards: self.context.shards.report(),
            query_merging: self.queried.report(),
            history: self.history_stats(),
            live_views: self.registry.live_views(),
            epoch,
        }
    }
}

/// Level that a medium's fence reaches, the lowest over the database's files.
fn weakest_of(media: &[&dyn Medium]) -> DurabilityLevel {
    let levels = media.iter().map(|medium| medium.properties().durability);
    levels.min().unwrap_or(DurabilityLevel::Volatile)
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use evergraph_storage::CommitLog;
    use evergraph_storage::medium::{DramStorage, Storage};

    use super::{GroupEnd, LogState};

    fn state() -> LogState {
        let uuid = [7; 16];
        let medium = DramStorage::new().open("log", true).unwrap();
        CommitLog::create(&medium, &uuid, 4096).unwrap();
        let start = evergraph_storage::LogStart {
            lsn: 0,
            epoch: 0,
            csn: 0,
        };
        let (mut log, _) = CommitLog::open(medium, &uuid, 1, start, None, |_| Ok(())).unwrap();
        let boundaries = (1..=2)
            .map(|csn| GroupEnd {
                csn,
                lsn: log.append(csn, 0, b"group").unwrap(),
                wall_us: 0,
                epoch: 1,
            })
            .collect();
        let state = LogState {
            log,
            next_csn: 3,
            boundaries,
            extents: Default::default(),
        };
        state.invariants();
        state
    }

    #[test]
    #[should_panic(expected = "next is commit 4")]
    fn the_next_commit_follows_the_last_group() {
        let mut state = state();
        state.next_csn = 4;
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "groups follow one another")]
    fn groups_ascend() {
        let mut state = state();
        state.boundaries[0].csn = 2;
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "which the log has given back")]
    fn the_log_holds_what_groups_end_in() {
        let mut state = state();
        state.log.sync().unwrap();
        state.log.release(state.boundaries[1].lsn);
        state.invariants();
    }
}
