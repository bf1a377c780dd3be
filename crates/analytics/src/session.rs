//! An open graph, with what is kept beside it.

use std::sync::Arc;

use evergraph_property_graph::graph::PropertyGraph;
use evergraph_snapshots::View;
use evergraph_storage::medium::{CountersSnapshot, EmulatedDevice};
use evergraph_storage::{DurabilityLevel, Process, Storage};
use evergraph_topology::ids::IdKind;
use evergraph_topology::{Batch, CheckReport, Commit, Config, Layout, Mode, Store, StoreStats};
use parking_lot::Mutex;

use crate::copies::Copies;
use crate::merger::Merger;
use crate::rebaser::Rebaser;
use crate::results::Results;
use crate::{Error, RebasePolicy};

/// A store that was opened.
pub enum Opened {
    /// Edges, perhaps with weights.
    Edges(Box<Store>),
    /// Nodes and relationships.
    Property(PropertyGraph),
}

/// Choices for a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The store was opened for reading.
    pub read_only: bool,
    /// Merge in the background, and rebase.
    pub background: bool,
    /// When snapshots are rebased by themselves; never if `None`.
    pub rebase: Option<RebasePolicy>,
    /// DRAM for sealed copies that runs leave, in bytes.
    pub sealed_bytes: u64,
}

/// An open graph: its store, the property graph over it if there is one, stored results,
/// and the threads that merge and rebase. What is read or run by several programs goes
/// through this; the crate `evergraph` opens and closes it.
pub struct Session {
    store: Arc<Store>,
    /// The property graph over the store; `None` where there are plain edges.
    property: Option<PropertyGraph>,
    /// `None` without background work, and once it is closed.
    merger: Mutex<Option<Merger>>,
    rebaser: Mutex<Option<Rebaser>>,
    emulated: Option<Arc<EmulatedDevice>>,
    copies: Copies,
    pub(crate) results: Results,
    opener: Process,
    /// Held while a maintained result is brought up to date, or results are dropped.
    pub(crate) maintaining: Mutex<()>,
}

impl Session {
    /// Begins one. Threads are started as `settings` say; `emulated` is the device that
    /// counts writes, where the medium is emulated.
    pub fn new(
        opened: Opened,
        storage: Arc<dyn Storage>,
        emulated: Option<Arc<EmulatedDevice>>,
        settings: &Settings,
    ) -> Self {
        let (store, property) = match opened {
            Opened::Edges(store) => (Arc::from(store), None),
            Opened::Property(graph) => (Arc::clone(graph.store()), Some(graph)),
        };
        let background = settings.background && !settings.read_only;
        Session {
            merger: Mutex::new(background.then(|| Merger::start(&store))),
            rebaser: Mutex::new((settings.rebase.filter(|_| background)).map(Rebaser::new)),
            store,
            property,
            emulated,
            copies: Copies::new(settings.sealed_bytes),
            results: Results::new(storage, settings.read_only),
            opener: Process::this(),
            maintaining: Mutex::new(()),
        }
    }

    /// Ends the threads, and closes the store and the results. Holders of parts of them
    /// are refused from now on.
    ///
    /// # Errors
    /// If the last merge fails; it is closed all the same. In a child of `fork`, where
    /// nothing happens.
    pub fn close(&self) -> Result<(), Error> {
        self.refuse_child()?;
        let merger = self.merger.lock().take();
        if let Some(merger) = merger {
            merger.stop();
        }
        drop(self.rebaser.lock().take());
        self.results.close();
        Ok(self.store.close()?)
    }

    /// Keeps children that the process forks from the files and the state of the session.
    ///
    /// # Errors
    /// [`MediumError::AfterFork`](evergraph_storage::MediumError::AfterFork) in one.
    pub fn refuse_child(&self) -> Result<(), Error> {
        Ok(self.opener.refuse_child()?)
    }

    /// Configuration of the creation, with the current layout.
    pub fn config(&self) -> Config {
        self.store.config()
    }

    /// Failures that a returned commit survives.
    pub fn durability_level(&self) -> DurabilityLevel {
        self.store.durability_level()
    }

    /// Commits a batch: durable, visible, all or nothing.
    pub fn commit(&self, batch: Batch) -> Result<Commit, Error> {
        let commit = self.store.commit(batch)?;
        self.wake_merger();
        Ok(commit)
    }

    /// As [`Session::commit`]; when `stop` says so while the commit waits for
    /// others or for room, it is withdrawn.
    ///
    /// # Errors
    /// [`TopologyError::Cancelled`](evergraph_topology::TopologyError::Cancelled) if it was:
    /// nothing of it is in the database.
    pub fn commit_cancellable(
        &self,
        batch: Batch,
        stop: &dyn Fn() -> bool,
    ) -> Result<Commit, Error> {
        let commit = self.store.commit_cancellable(batch, stop)?;
        self.wake_merger();
        Ok(commit)
    }

    /// Adds edges as one commit.
    pub fn insert_edges(&self, edges: &[(u32, u32)]) -> Result<Commit, Error> {
        let mut batch = Batch::new();
        batch.insert(edges);
        self.commit(batch)
    }

    /// Deletes, for each pair, the latest live edge between the two, as one
    /// commit. Pairs without an edge are counted in the result.
    pub fn delete_edges(&self, edges: &[(u32, u32)]) -> Result<Commit, Error> {
        let mut batch = Batch::new();
        batch.delete(edges);
        self.commit(batch)
    }

    /// Adds `count` vertices without edges, as one commit. Returns the id of the
    /// first. See [`Store::add_vertices`].
    pub fn add_vertices(&self, count: u32) -> Result<(u32, Commit), Error> {
        let added = self.store.add_vertices(count)?;
        self.wake_merger();
        Ok(added)
    }

    /// Deletes every edge from and to these vertices, as one commit. The
    /// vertices stay, without edges. See [`Store::delete_vertices`].
    pub fn delete_vertices(&self, vertices: &[u32]) -> Result<Commit, Error> {
        let commit = self.store.delete_vertices(vertices)?;
        self.wake_merger();
        Ok(commit)
    }

    /// The graph as of the newest commit; O(1). Not for a child of `fork`.
    pub fn view(&self) -> View {
        View::new(&self.store)
    }

    /// The store below, for operations without a shorthand here.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store, for values that keep it alive.
    pub(crate) fn shared_store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The sealed copies in memory that runs have left.
    pub(crate) fn copies(&self) -> &Copies {
        &self.copies
    }

    /// External name of a vertex; words that say so where the ids are damaged, which
    /// [`Session::read_ids`] tells before.
    pub fn vertex_name(&self, vertex: u32) -> String {
        match self.store.ids() {
            Ok(ids) => ids.name(vertex),
            Err(_) => format!("vertex number {vertex}, whose id is damaged"),
        }
    }

    /// Reads the external ids, which opening does not: O(n) the first time, where ids
    /// are mapped.
    ///
    /// # Errors
    /// Damage.
    pub fn read_ids(&self) -> Result<(), Error> {
        drop(self.store.ids()?);
        Ok(())
    }

    /// Merges everything that is committed and frees the log.
    pub fn checkpoint(&self) -> Result<(), Error> {
        Ok(self.store.checkpoint()?)
    }

    /// Moves committed edges from the append buffers to the vertex buffers, as the first
    /// reader would.
    pub fn buffer_all(&self) -> Result<(), Error> {
        Ok(self.store.buffer_all()?)
    }

    /// Merges everything, and drops tombstones with the edges that they cancel.
    pub fn compact(&self) -> Result<(), Error> {
        Ok(self.store.compact()?)
    }

    /// As [`Session::compact`], for one vertex and its neighbors in the
    /// section.
    pub fn compact_vertex(&self, vertex: u32) -> Result<(), Error> {
        Ok(self.store.compact_vertex(vertex)?)
    }

    /// Changes the layout while the database is in use. A database that has it
    /// throughout stays as it is; one where this was cut off is finished. See
    /// [`Store::relayout`].
    pub fn relayout(&self, layout: Layout) -> Result<(), Error> {
        if self.config().mode == Mode::Merged && self.has_layout(layout) {
            return Ok(());
        }
        Ok(self.store.relayout(layout)?)
    }

    fn has_layout(&self, layout: Layout) -> bool {
        let sections = self.store.sections_by_layout();
        let others = sections
            .iter()
            .any(|&(other, sections)| other != layout && sections > 0);
        self.config().layout == layout && !others
    }

    /// Facts.
    pub fn stats(&self) -> StoreStats {
        self.store.stats()
    }

    /// Verifies everything; see [`Store::check`]. Results too.
    pub fn check(&self) -> CheckReport {
        let mut report = match &self.property {
            None => self.store.check(),
            Some(graph) => graph.check(),
        };
        match self.results() {
            Ok(results) => report.problems.extend(results.check()),
            Err(error) => report.problems.push(error.summary()),
        }
        report
    }

    /// Writes that reached the emulated medium, if the database was opened on one.
    pub fn counters(&self) -> Option<CountersSnapshot> {
        self.emulated.as_ref().map(|device| device.drain())
    }

    /// The emulated device itself, to read its counters after closing.
    pub fn emulated_device(&self) -> Option<Arc<EmulatedDevice>> {
        self.emulated.clone()
    }

    /// The vertex that the user calls `name`, if it exists. The first few searches are
    /// O(n), where ids are mapped; a later one makes an index.
    ///
    /// # Errors
    /// Damage.
    pub fn vertex_of_name(&self, name: &str) -> Result<Option<u32>, Error> {
        let ids = self.store.ids()?;
        let number = name.parse::<u64>().ok();
        Ok(match ids.kind() {
            IdKind::Dense => {
                let count = self.store.published().1.vertex_count;
                let vertex = number.filter(|&vertex| vertex < count);
                vertex.map(|vertex| vertex as u32)
            }
            IdKind::Numbers => number.and_then(|id| ids.vertex_of_number(id)),
            IdKind::Texts => ids.vertex_of_text(name.as_bytes()),
        })
    }

    /// Counts a run, if it is on a past commit.
    pub(crate) fn note_run(&self, view: &View) {
        if let Some(rebaser) = &*self.rebaser.lock()
            && view.csn() != self.store.published().0
            && self.config().mode == Mode::Merged
        {
            rebaser.note(&self.store, view.csn());
        }
    }

    fn wake_merger(&self) {
        if let Some(merger) = &*self.merger.lock()
            && self.store.merge_is_due()
        {
            merger.wake();
        }
    }

    /// The property graph that the database holds.
    ///
    /// # Errors
    /// If it was made for edges alone; in a child of `fork`.
    pub fn property_graph(&self) -> Result<&PropertyGraph, Error> {
        self.refuse_child()?;
        self.property.as_ref().ok_or_else(|| {
            Error::usage(
                "this database holds edges without labels and properties",
                "import nodes and relationships into a new database",
            )
        })
    }

    /// Whether the database holds a property graph.
    pub fn is_property_graph(&self) -> bool {
        self.property.is_some()
    }

    /// Refuses a property graph: for operations on edges of one kind without properties.
    ///
    /// # Errors
    /// If the database is a property graph.
    pub fn refuse_property_graph(&self, what: &str) -> Result<(), Error> {
        self.refuse_property_graph_with(
            what,
            "use a database of plain edges; `evergraph run` runs algorithms on projections of a \
             property graph",
        )
    }

    /// As [`Session::refuse_property_graph`]; the hint names an alternative.
    ///
    /// # Errors
    /// If the database is a property graph.
    pub(crate) fn refuse_property_graph_with(&self, what: &str, hint: &str) -> Result<(), Error> {
        match self.property {
            None => Ok(()),
            Some(_) => Err(Error::usage(
                format!("{what} is for plain edges, and this database is a property graph"),
                hint,
            )),
        }
    }
}
