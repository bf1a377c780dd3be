//! Calls that change a store or keep its past: each goes to the part that does it.

use evergraph_storage::{Storage, ViewToken};

use crate::direct::{DirectParameters, Rewrites};
use crate::error::TopologyError;
use crate::history::Snapshot;
use crate::layout::Layout;
use crate::published::Published;
use crate::sealed::{SealedGraph, SealedInfo, SealedName};
use crate::store::{Batch, Commit, Enqueued, Prepared, Store};

impl Store {
    /// Performs a part of a change that must not be left half done. If it panics, the
    /// store is poisoned: it refuses further changes until it is opened again, and reads
    /// go on. Background threads that change the store do all their work in it.
    ///
    /// Inside of the lock under which the change is made: whichever thread gets the lock
    /// next finds the store poisoned.
    #[inline(always)]
    pub fn poisoning<T>(&self, change: impl FnOnce() -> T) -> T {
        self.live().status.poisoning(change)
    }

    /// Makes a batch durable as one commit and applies it. When it returns,
    /// the commit has reached the level that it reports and every view taken
    /// from now on shows it.
    ///
    /// # Errors
    /// Nothing of the batch is applied if it is invalid or the log cannot take
    /// it. After a failed sync the store refuses every further commit, because
    /// what the medium holds is unknown until it is opened again.
    pub fn commit(&self, batch: Batch) -> Result<Commit, TopologyError> {
        self.committer.commit(batch)
    }

    /// As [`Store::commit`], for callers that can be asked to stop: when `stop`
    /// says so while the commit waits for others or for room, it is withdrawn.
    /// Merging for room then happens some sections at a time.
    ///
    /// # Errors
    /// [`TopologyError::Cancelled`] if it was withdrawn: nothing of it is in the
    /// database. What is being written already becomes a commit.
    pub fn commit_cancellable(
        &self,
        batch: Batch,
        stop: &dyn Fn() -> bool,
    ) -> Result<Commit, TopologyError> {
        self.committer.commit_cancellable(batch, stop)
    }

    /// Waits for commits that are under way, merges everything and marks the stop as
    /// clean. Whatever would write afterwards is refused as [`TopologyError::Closed`],
    /// also if the merge fails.
    ///
    /// # Errors
    /// As [`Store::checkpoint`]; then the stop is not clean.
    pub fn close(&self) -> Result<(), TopologyError> {
        self.committer.close()
    }

    /// Makes several batches durable as commits of their own that follow one
    /// another, with one sync for as many as the log takes at once.
    ///
    /// # Errors
    /// As [`Store::commit`]; batches before the failing one stay.
    pub fn commit_all(&self, batches: Vec<Batch>) -> Result<Vec<Commit>, TopologyError> {
        self.committer.commit_all(batches)
    }

    /// Checks and encodes a batch: everything about a commit that takes time and
    /// that may fail before it is logged.
    ///
    /// As long as the result lives, commits that close the gate
    /// ([`Store::delete_vertices`], say) wait, and then all that come after those: a
    /// thread has only one at a time, and commits nothing else meanwhile.
    ///
    /// # Errors
    /// As [`Store::commit`]; and in direct mode, which has no order of commits.
    pub fn prepare(&self, batch: Batch) -> Result<Prepared<'_>, TopologyError> {
        self.committer.prepare(batch)
    }

    /// Gives a batch its place in the order of commits: [`Store::prepare`] and
    /// [`Prepared::enqueue`].
    ///
    /// # Errors
    /// As [`Store::prepare`].
    pub fn enqueue(&self, batch: Batch) -> Result<Enqueued<'_>, TopologyError> {
        self.committer.enqueue(batch)
    }

    /// Names the graph as of a commit of its own, which changes nothing else:
    /// one log record, durable when this returns. `time_us` is when the graph
    /// was like that, microseconds since 1970, if not now.
    ///
    /// # Errors
    /// A name that exists, or is none (see [`TopologyError::BadSnapshotName`]), or
    /// reserved ([`is_reserved`](crate::is_reserved)); direct mode, whose edges are no commits; and what [`Store::commit`] says.
    pub fn create_snapshot(
        &self,
        name: &str,
        time_us: Option<i64>,
    ) -> Result<Snapshot, TopologyError> {
        self.committer.create_snapshot(name, time_us)
    }

    /// Drops snapshots as one commit. What only they showed is given back by
    /// later merges of as much, or by [`Store::rewrite_history`]; what was sealed
    /// of them at once, or by the next checkpoint if that cannot be written now.
    /// Views of them keep it until they end.
    ///
    /// # Errors
    /// A name that does not exist (then nothing is dropped), and what
    /// [`Store::commit`] says.
    pub fn drop_snapshots(&self, names: &[&str]) -> Result<(), TopologyError> {
        self.committer.drop_snapshots(names)
    }

    /// Drops those of all snapshots, ascending by commit, that `which` names. None is
    /// created or dropped between the choice and the commits. Returns their names.
    ///
    /// # Errors
    /// As [`Store::drop_snapshots`]; of more than 256, some may be dropped.
    pub fn drop_snapshots_where(
        &self,
        which: impl FnOnce(&[Snapshot]) -> Vec<String>,
    ) -> Result<Vec<String>, TopologyError> {
        self.committer.drop_snapshots_where(which)
    }

    /// All snapshots, ascending by commit.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.live().snapshots.snapshots()
    }

    /// The snapshot of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn snapshot(&self, name: &str) -> Result<Snapshot, TopologyError> {
        self.live().snapshots.snapshot(name)
    }

    /// A view as of a commit that is kept: that of a snapshot, or the newest.
    /// Dropping the snapshot takes nothing from the view.
    ///
    /// # Errors
    /// If the commit is not kept; the error names the nearest that are.
    pub fn register_at(&self, csn: u64) -> Result<ViewToken<Published>, TopologyError> {
        self.live().snapshots.register_at(csn)
    }

    /// Merges everything up to the watermark into the sections' extents and
    /// frees that part of the log (XPGraph's flushing phase). Commits and
    /// readers go on meanwhile.
    ///
    /// Writes each touched section once, out of place; cost in proportion to
    /// the touched sections, not to the graph. On an error (a full disk, say)
    /// nothing has changed and the log keeps what it held.
    pub fn checkpoint(&self) -> Result<(), TopologyError> {
        self.checkpointer().checkpoint()
    }

    /// Merges everything, drops tombstones with what they cancel, and makes each
    /// list of the layout `blocks` one block. Sections where there is nothing of
    /// it to do are not rewritten. Views that exist keep what
    /// they see; its space comes back with the section's next merge or
    /// compaction after the last of them went.
    pub fn compact(&self) -> Result<(), TopologyError> {
        self.checkpointer().compact()
    }

    /// As [`Store::compact`], for the section of one vertex in each adjacency.
    pub fn compact_vertex(&self, vertex: u32) -> Result<(), TopologyError> {
        self.checkpointer().compact_vertex(vertex)
    }

    /// Merges everything, and writes all stored history again, without points that are
    /// not needed: after [`Store::drop_snapshots`], the space of what only those showed
    /// is free when this returns (that of views of them when those end). Entries that
    /// were kept for them go with the next [`Store::compact`].
    ///
    /// # Errors
    /// As [`Store::checkpoint`].
    pub fn rewrite_history(&self) -> Result<(), TopologyError> {
        self.checkpointer().rewrite_history()
    }

    /// As [`Store::compact`], some sections at a time. `go_on` is called before
    /// each with the sections that are done and all of them; if it says no, the
    /// rest stays as it is. Returns whether everything was compacted.
    pub fn compact_while(
        &self,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<bool, TopologyError> {
        self.checkpointer().compact_while(go_on)
    }

    /// Changes the layout: from now on sections are merged into it, and those
    /// that are there are converted, some at a time, each step published by a
    /// root of its own. Commits and readers go on meanwhile. Cut off, it leaves
    /// sections of both layouts, which read the same; doing it again converts
    /// the rest.
    pub fn relayout(&self, layout: Layout) -> Result<(), TopologyError> {
        self.checkpointer().relayout(layout)
    }

    /// Stored sections of each layout: of several only while the layout changes,
    /// or if that was cut off.
    pub fn sections_by_layout(&self) -> Vec<(Layout, usize)> {
        self.checkpointer().sections_by_layout()
    }

    /// Whether the log or the buffers are so full that merging should begin, so
    /// that no commit has to wait for it.
    pub fn merge_is_due(&self) -> bool {
        self.checkpointer().merge_is_due()
    }

    /// Merges the sections that are worth it: those that hold back the older
    /// half of the log, if it is filling up, and those that free the most buffer
    /// for the least that has to be written again, until the buffers are down to
    /// a quarter of their budget. The same goes for the extension, as a whole.
    pub fn merge_what_is_due(&self) -> Result<(), TopologyError> {
        self.checkpointer().merge_what_is_due()
    }

    /// Stores a graph that was sealed from a view of commit `csn` under a name, in
    /// place of another of that name. Commits, merges and readers go on meanwhile.
    ///
    /// `go_on` is called before each piece with the bytes that are written, and all
    /// of them. Durable when it returns: Durability steps S1 to S4.
    ///
    /// # Errors
    /// [`TopologyError::Cancelled`] if `go_on` says no; then, and if the disk is
    /// full, nothing has changed. [`TopologyError::WrongMode`] in direct mode, whose
    /// commits have no lasting numbers; [`TopologyError::BadSealedName`] for a name that
    /// is empty, longer than 255 bytes or has control characters; and
    /// [`TopologyError::UnknownCommit`], [`TopologyError::NotOfSnapshot`].
    pub fn store_sealed(
        &self,
        name: SealedName,
        csn: u64,
        graph: &SealedGraph,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<SealedInfo, TopologyError> {
        self.checkpointer().store_sealed(name, csn, graph, go_on)
    }

    /// Drops sealed graphs, all with one root. Their space is free when the last
    /// run that reads them has ended.
    ///
    /// # Errors
    /// [`TopologyError::UnknownSealed`] if one does not exist; then none is dropped.
    pub fn drop_sealed(&self, names: &[SealedName]) -> Result<(), TopologyError> {
        self.checkpointer().drop_sealed(names)
    }

    /// The sealed graphs, in the order in which they were stored. Those of
    /// snapshots that were dropped are not there any more.
    pub fn sealed_graphs(&self) -> Vec<SealedInfo> {
        self.checkpointer().sealed_graphs()
    }

    /// A sealed graph, read in place; `None` if there is none of that name. See
    /// [`crate::SealedGraph`]. It can be read after it was dropped.
    ///
    /// The first time since it was written or the database was opened, all of it is
    /// verified, in parallel. `go_on` is asked now and then meanwhile.
    ///
    /// # Errors
    /// Damage; [`TopologyError::Cancelled`] if `go_on` says no.
    pub fn sealed_graph(
        &self,
        name: &SealedName,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<SealedGraph>, TopologyError> {
        self.checkpointer().sealed_graph(name, go_on)
    }

    /// Whether a graph can be stored, before the work of sealing it.
    ///
    /// # Errors
    /// Those of [`Store::store_sealed`] that depend on no medium.
    pub fn refuse_sealing(&self, name: &SealedName, csn: u64) -> Result<(), TopologyError> {
        self.checkpointer().refuse_sealing(name, csn)
    }

    /// Geometry of sections that are written from now on, in direct mode.
    ///
    /// # Errors
    /// In merged mode.
    pub fn set_direct_parameters(
        &mut self,
        storage: &dyn Storage,
        parameters: DirectParameters,
    ) -> Result<(), TopologyError> {
        self.committer
            .checkpointer
            .live
            .set_direct_parameters(storage, parameters)
    }

    /// Adds edges without weights in place, each durable before the next
    /// begins: direct mode's hot path. Edges before a failure stay.
    pub fn insert_edges_direct(&self, edges: &[(u32, u32)]) -> Result<(), TopologyError> {
        self.live().insert_edges_direct(edges)
    }

    /// Moves of sections in direct mode; for measurements.
    pub fn rewrites(&self) -> Option<&Rewrites> {
        self.live().rewrites()
    }

    /// Entries in the edge logs of all sections that were touched, and how many
    /// these can hold. O(sections).
    pub fn edge_log_fill(&self) -> (u64, u64) {
        self.live().edge_log_fill()
    }
}
