//! The database: one graph in one directory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_property_graph::graph::{GraphOptions, OpenOptions, PropertyGraph};
use evergraph_snapshots::View;
use evergraph_storage::failpoint;
use evergraph_storage::medium::{Access, CountersSnapshot, EmulatedDevice};
use evergraph_storage::{CommitLog, DurabilityLevel};
use evergraph_topology::ids::IdKind;
use evergraph_topology::{
    Batch, CheckReport, Commit, Config, Layout, Mode, OpenReport, Store, StoreStats,
};

use crate::copies::Copies;
use parking_lot::Mutex;

use crate::merger::Merger;
use crate::options::OpenStorage;
use crate::rebaser::Rebaser;
use crate::results::Results;
use crate::{Error, MediumKind, Options};

/// The file that makes a directory a database.
const POOL: &str = "pool";

/// An open database.
///
/// Shared freely between threads: commits of all of them are grouped, views block no
/// writer. Dropping it without [`Database::close`] is like a crash: committed changes are
/// recovered at the next open.
///
/// One process at a time has a database open for writing, through one `Database`, or any
/// number have it open for reading. It stays so as long as anything of it is in use: the
/// `Database`, a view, a transaction, a node, a graph that an algorithm reads, a result.
/// Parts that outlive a dropped `Database` work on. Parts that outlive a closed one can
/// be read, and their writes are refused as [`Closed`](crate::TopologyError::Closed). A
/// second opening of the database meanwhile is refused, so that two never write.
///
/// ```
/// use evergraph::{Database, MediumKind, Options};
///
/// let options = Options { medium: MediumKind::Dram, ..Options::default() };
/// let db = Database::create("anywhere", &options)?;
/// db.insert_edges(&[(0, 1), (0, 2), (1, 2)])?;
/// let view = db.view();
/// db.insert_edges(&[(0, 3)])?;
/// assert_eq!(view.neighbors(0)?, [1, 2]);
/// assert_eq!(db.view().neighbors(0)?, [1, 2, 3]);
/// # Ok::<(), evergraph::Error>(())
/// ```
pub struct Database {
    store: Arc<Store>,
    /// The property graph over the store; `None` in a database of plain edges.
    pub(crate) property: Option<PropertyGraph>,
    path: PathBuf,
    medium: MediumKind,
    opened: OpenReport,
    merger: Option<Merger>,
    rebaser: Option<Rebaser>,
    emulated: Option<Arc<EmulatedDevice>>,
    copies: Copies,
    pub(crate) results: Results,
    /// Held while a maintained result is brought up to date, or results are dropped.
    pub(crate) maintaining: Mutex<()>,
}

/// The kind of database in a directory, opened.
pub(crate) enum Made {
    /// Edges, perhaps with weights.
    Edges(Box<Store>),
    /// Nodes and relationships.
    Property(PropertyGraph),
}

fn opening_of(options: &Options) -> OpenOptions {
    OpenOptions {
        read_only: options.read_only,
        tuning: options.tuning,
        transactions: options.transactions.clone(),
    }
}

impl Database {
    /// Makes a new database in `path`, a directory that does not exist or is
    /// empty.
    pub fn create(path: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        let path = path.as_ref();
        if options.mode == Mode::Direct && options.layout != Layout::Pma {
            return Err(Error::usage(
                format!("direct mode has no layout `{}`", options.layout.name()),
                "use merged mode, or the layout `pma`",
            ));
        }
        if options.medium != MediumKind::Dram {
            refuse_other_files(path)?;
        }
        let opened = options.storage(path, Access::Creating)?;
        let uuid = random_uuid()?;
        let made = if options.property_graph {
            let mut fixed = GraphOptions {
                chunk_records: options.chunk_records,
                ..GraphOptions::default()
            };
            let sections = fixed.store.section_shift;
            fixed.store = options.config();
            if options.section_shift == Options::default().section_shift {
                fixed.store.section_shift = sections;
            }
            let opening = opening_of(options);
            let graph = PropertyGraph::create_with(&*opened.storage, fixed, uuid, opening)?;
            Made::Property(graph)
        } else {
            let (config, tuning) = (options.config(), options.tuning);
            let store = Store::create_with(&*opened.storage, config, uuid, tuning)?;
            Made::Edges(Box::new(store))
        };
        let report = OpenReport {
            clean: true,
            replayed_commits: 0,
            replayed_entries: 0,
            csn: 0,
            unconfirmed: false,
        };
        Ok(Self::assemble(made, report, path, options, opened))
    }

    /// Opens a database and brings it to its newest acknowledged commit.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        let path = path.as_ref();
        if options.medium == MediumKind::Dram {
            return Err(Error::usage(
                "a database on `dram` ends with its process",
                "create one, or choose another medium",
            ));
        }
        if !path.is_dir() {
            return Err(Error::usage(
                format!("there is no database at {}", path.display()),
                "check the path, or make one with `evergraph import`",
            ));
        }
        if !Self::exists(path) {
            return Err(Error::usage(
                format!("{} is not an Evergraph database", path.display()),
                "it has no file `pool`; check the path, or make one with `evergraph import`",
            ));
        }
        let access = match options.read_only {
            true => Access::Reading,
            false => Access::Writing,
        };
        let opened = options.storage(path, access)?;
        let (made, report) = if Store::config_on(&*opened.storage)?.relationships {
            let (graph, report) = PropertyGraph::open(&*opened.storage, opening_of(options))?;
            (Made::Property(graph), report)
        } else {
            let (storage, tuning) = (&*opened.storage, options.tuning);
            let (store, report) = Store::open_with(storage, options.read_only, tuning)?;
            (Made::Edges(Box::new(store)), report)
        };
        let db = Self::assemble(made, report, path, options, opened);
        if !options.read_only {
            // A snapshot that cannot be dropped now only takes space, and goes another
            // time.
            let _ = db.drop_abandoned();
        }
        Ok(db)
    }

    pub(crate) fn assemble(
        made: Made,
        opened: OpenReport,
        path: &Path,
        options: &Options,
        OpenStorage { storage, emulated }: OpenStorage,
    ) -> Self {
        let (store, property) = match made {
            Made::Edges(store) => (Arc::from(store), None),
            Made::Property(graph) => (Arc::clone(graph.store()), Some(graph)),
        };
        let background = options.background && !options.read_only;
        Database {
            merger: background.then(|| Merger::start(&store)),
            rebaser: (options.rebase.filter(|_| background)).map(Rebaser::new),
            store,
            property,
            path: path.to_path_buf(),
            medium: options.medium,
            opened,
            emulated,
            copies: Copies::new(options.sealed_bytes),
            results: Results::new(storage, options.read_only),
            maintaining: Mutex::new(()),
        }
    }

    /// Directory of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The medium it was opened on.
    pub fn medium(&self) -> MediumKind {
        self.medium
    }

    /// Configuration of the creation, with the current layout.
    pub fn config(&self) -> Config {
        self.store.config()
    }

    /// Report of the opening: what recovery found and did.
    pub fn open_report(&self) -> &OpenReport {
        &self.opened
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

    /// As [`Database::commit`]; when `stop` says so while the commit waits for
    /// others or for room, it is withdrawn.
    ///
    /// # Errors
    /// [`TopologyError::Cancelled`](crate::TopologyError::Cancelled) if it was:
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

    /// The graph as of the newest commit; O(1).
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
    /// [`Database::read_ids`] tells before.
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

    /// As [`Database::compact`], for one vertex and its neighbors in the
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

    /// Whether `path` holds a database, whole or damaged. What an interrupted
    /// creation left is none: nothing was ever acknowledged there.
    pub fn exists(path: impl AsRef<Path>) -> bool {
        let pool = path.as_ref().join(POOL);
        pool.exists() && !only_zeros(&pool)
    }

    /// Merges, marks the stop as clean, and lets go. Views, transactions and results
    /// that are left can be read and not written, and keep the database locked: drop
    /// them first to open it again.
    ///
    /// # Errors
    /// If the merge fails. It is closed all the same, and committed changes are
    /// recovered at the next open.
    pub fn close(mut self) -> Result<(), Error> {
        self.end()
    }

    /// Undoes [`Database::create`]: closes the database and removes its files while it is
    /// still locked, and the directory if nothing else is in it. For a caller that
    /// created it and then has nothing to put into it.
    ///
    /// # Errors
    /// As [`Database::close`], and files that cannot be removed. An empty database that
    /// is left can be used.
    pub fn undo_create(mut self) -> Result<(), Error> {
        let closed = self.end();
        if self.medium == MediumKind::Dram {
            return closed;
        }
        failpoint!("database.removing");
        let storage = self.results.storage();
        for name in database_files() {
            if storage.exists(name)? {
                storage.remove(name)?;
            }
        }
        let removed = std::fs::remove_dir(&self.path);
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::DirectoryNotEmpty => {
                Err(Error::io(self.path.display().to_string(), error))
            }
            _ => closed,
        }
    }

    /// Closes both stores. Holders of parts of them are refused from now on.
    fn end(&mut self) -> Result<(), Error> {
        if let Some(merger) = self.merger.take() {
            merger.stop();
        }
        drop(self.rebaser.take());
        self.results.close();
        Ok(self.store.close()?)
    }

    /// Counts a run, if it is on a past commit.
    pub(crate) fn note_run(&self, view: &View) {
        if let Some(rebaser) = &self.rebaser
            && view.csn() != self.store.published().0
            && self.config().mode == Mode::Merged
        {
            rebaser.note(&self.store, view.csn());
        }
    }

    fn wake_merger(&self) {
        if let Some(merger) = &self.merger
            && self.store.merge_is_due()
        {
            merger.wake();
        }
    }
}

/// Files of a database's directory. The pool file is the last to be removed: as long as
/// it is there, no other process creates a database.
fn database_files() -> impl Iterator<Item = &'static str> {
    let logs = CommitLog::file_names().iter();
    let others = ["extents", "sections", "vertices", "lock", POOL];
    logs.copied().chain(others)
}

/// Accepts a path where nothing is, or a directory that holds only files of an
/// interrupted creation.
fn refuse_other_files(path: &Path) -> Result<(), Error> {
    let name = || path.display().to_string();
    if !path.exists() {
        return Ok(());
    }
    if !path.is_dir() {
        return Err(Error::usage(
            format!("{} is not a directory", name()),
            "a database is a directory; choose another path",
        ));
    }
    let entries = std::fs::read_dir(path).map_err(|e| Error::io(name(), e))?;
    let files = entries.map(|entry| Ok(entry?.file_name()));
    let mut files: Vec<_> = files
        .collect::<std::io::Result<_>>()
        .map_err(|e| Error::io(name(), e))?;
    // The file system has them in an order of its own.
    files.sort();
    let is_strange = |file: &&OsString| !database_files().any(|name| *file == name);
    if let Some(file) = files.iter().find(is_strange) {
        return Err(Error::usage(
            format!(
                "{} holds `{}`, which is not part of a database",
                name(),
                file.to_string_lossy()
            ),
            "choose an empty directory",
        ));
    }
    Ok(())
}

/// Whether a pool file was made and never written.
fn only_zeros(file: &Path) -> bool {
    let start = std::fs::File::open(file).and_then(|file| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(file, 1 << 20), &mut bytes)?;
        Ok(bytes)
    });
    start.is_ok_and(|bytes| bytes.iter().all(|&byte| byte == 0))
}

/// Bytes of disk that the files in a directory occupy.
pub fn allocated_bytes(directory: impl AsRef<Path>) -> Result<u64, Error> {
    use std::os::unix::fs::MetadataExt;
    let path = directory.as_ref();
    let io = |error| Error::io(path.display().to_string(), error);
    let mut bytes = 0;
    for entry in std::fs::read_dir(path).map_err(io)? {
        bytes += entry
            .and_then(|entry| entry.metadata())
            .map_err(io)?
            .blocks()
            * 512;
    }
    Ok(bytes)
}

fn random_uuid() -> Result<[u8; 16], Error> {
    use std::io::Read;
    let source = "/dev/urandom";
    let mut uuid = [0; 16];
    std::fs::File::open(source)
        .and_then(|mut file| file.read_exact(&mut uuid))
        .map_err(|e| Error::io(source, e))?;
    Ok(uuid)
}
