//! The database: one graph in one directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use evergraph_persistence::AckLevel;
use evergraph_persistence::medium::{CountersSnapshot, EmulatedDevice};
use evergraph_snapshots::View;
use evergraph_topology::ids::IdTable;
use evergraph_topology::{Batch, CheckReport, Commit, Config, OpenReport, Store, StoreStats};
use parking_lot::{Condvar, Mutex};

use crate::lock::Lock;
use crate::{Error, MediumKind, Options};

/// The file that makes a directory a database.
const POOL: &str = "pool";

/// An open database.
///
/// Shared freely between threads: commits of all of them are grouped, views
/// stop nobody. Dropping it without [`Database::close`] is like a crash: what
/// was committed is recovered at the next open.
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
    path: PathBuf,
    medium: MediumKind,
    opened: OpenReport,
    merger: Option<Merger>,
    emulated: Option<Arc<EmulatedDevice>>,
    _lock: Option<Lock>,
}

/// The thread that merges when the log fills.
struct Merger {
    shared: Arc<MergerShared>,
    thread: Option<JoinHandle<()>>,
}

struct MergerShared {
    stop: AtomicBool,
    wake: Condvar,
    asleep: Mutex<()>,
}

impl Database {
    /// Makes a new database in `path`, a directory that does not exist or is
    /// empty.
    pub fn create(path: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        let path = path.as_ref();
        if options.medium != MediumKind::Dram {
            prepare_directory(path)?;
        }
        let lock = Lock::take(path, options)?;
        let opened = options.storage(path)?;
        let store = Store::create(&*opened.storage, options.config(), random_uuid()?)?;
        let report = OpenReport {
            clean: true,
            replayed_commits: 0,
            replayed_entries: 0,
            csn: 0,
        };
        Ok(Self::assemble(
            store,
            report,
            path,
            options,
            opened.emulated,
            lock,
        ))
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
        let lock = Lock::take(path, options)?;
        let opened = options.storage(path)?;
        let (store, report) = Store::open(&*opened.storage, options.read_only)?;
        Ok(Self::assemble(
            store,
            report,
            path,
            options,
            opened.emulated,
            lock,
        ))
    }

    fn assemble(
        store: Store,
        opened: OpenReport,
        path: &Path,
        options: &Options,
        emulated: Option<Arc<EmulatedDevice>>,
        lock: Option<Lock>,
    ) -> Self {
        let store = Arc::new(store);
        let background = options.background && !options.read_only;
        Database {
            merger: background.then(|| Merger::start(&store)),
            store,
            path: path.to_path_buf(),
            medium: options.medium,
            opened,
            emulated,
            _lock: lock,
        }
    }

    /// Where the database is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The medium it was opened on.
    pub fn medium(&self) -> MediumKind {
        self.medium
    }

    /// What was chosen at creation, and the layout of now.
    pub fn config(&self) -> Config {
        self.store.config()
    }

    /// What opening found and did.
    pub fn open_report(&self) -> &OpenReport {
        &self.opened
    }

    /// What a returned commit survives.
    pub fn ack_level(&self) -> AckLevel {
        self.store.ack_level()
    }

    /// Commits a batch: durable, visible, all or nothing.
    pub fn commit(&self, batch: Batch) -> Result<Commit, Error> {
        let commit = self.store.commit(batch)?;
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

    /// The graph as of the newest commit; O(1).
    pub fn view(&self) -> View {
        View::new(&self.store)
    }

    /// The store below, for what has no shorthand here.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What the user calls a vertex.
    pub fn vertex_name(&self, vertex: u32) -> String {
        self.store.ids().read().name(vertex)
    }

    /// Merges everything that is committed and frees the log.
    pub fn checkpoint(&self) -> Result<(), Error> {
        Ok(self.store.checkpoint()?)
    }

    /// Facts.
    pub fn stats(&self) -> StoreStats {
        self.store.stats()
    }

    /// Verifies everything; see [`Store::check`].
    pub fn check(&self) -> CheckReport {
        self.store.check()
    }

    /// What reached the emulated medium, if the database was opened on one.
    pub fn counters(&self) -> Option<CountersSnapshot> {
        self.emulated.as_ref().map(|device| device.settle())
    }

    /// The emulated device itself, to read its counters after closing.
    pub fn emulated_device(&self) -> Option<Arc<EmulatedDevice>> {
        self.emulated.clone()
    }

    /// The vertex that the user calls `name`, if it exists.
    pub fn vertex_of_name(&self, name: &str) -> Option<u32> {
        let ids = self.store.ids().read();
        match &*ids {
            IdTable::Dense => {
                let vertex: u32 = name.parse().ok()?;
                let count = self.store.published().1.vertex_count;
                (u64::from(vertex) < count).then_some(vertex)
            }
            IdTable::Numbers { .. } => ids.vertex_of_number(name.parse().ok()?),
            IdTable::Texts { .. } => ids.vertex_of_text(name.as_bytes()),
        }
    }

    /// Whether `path` holds a database, whole or damaged. What an interrupted
    /// creation left is none: nothing was ever acknowledged there.
    pub fn exists(path: impl AsRef<Path>) -> bool {
        let pool = path.as_ref().join(POOL);
        pool.exists() && !only_zeros(&pool)
    }

    /// Merges, marks the stop as clean, and lets go. Views keep working until
    /// they are dropped, and then the database is not closed cleanly: drop
    /// them first.
    pub fn close(mut self) -> Result<(), Error> {
        if let Some(merger) = self.merger.take() {
            merger.stop();
        }
        let Database { store, .. } = self;
        Ok(store.close()?)
    }

    fn wake_merger(&self) {
        if let Some(merger) = &self.merger
            && merge_is_due(&self.store)
        {
            merger.shared.wake.notify_one();
        }
    }
}

/// Half the log is used.
fn merge_is_due(store: &Store) -> bool {
    let (used, capacity) = store.log_fill();
    used * 2 > capacity
}

impl Merger {
    fn start(store: &Arc<Store>) -> Self {
        let shared = Arc::new(MergerShared {
            stop: AtomicBool::new(false),
            wake: Condvar::new(),
            asleep: Mutex::new(()),
        });
        let (theirs, weak) = (Arc::clone(&shared), Arc::downgrade(store));
        let run = move || {
            while !theirs.stop.load(Ordering::Acquire) {
                {
                    let mut asleep = theirs.asleep.lock();
                    // The timeout covers a wake-up that came between the
                    // check and the wait.
                    theirs.wake.wait_for(&mut asleep, Duration::from_millis(50));
                }
                let Some(store) = weak.upgrade() else {
                    return;
                };
                if merge_is_due(&store) {
                    // A full disk shows again at the next commit that finds the
                    // log full, which reports it to somebody who can act.
                    let _ = store.checkpoint();
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("evergraph-merge".to_string())
            .spawn(run)
            .ok();
        Merger { shared, thread }
    }

    fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Merger {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a directory of a database holds.
const DATABASE_FILES: [&str; 6] = ["pool", "log", "extents", "sections", "vertices", "lock"];

/// Makes the directory, or accepts one that holds nothing but what an
/// interrupted creation left.
fn prepare_directory(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::DirBuilderExt;
    let name = || path.display().to_string();
    if !path.exists() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        return builder.create(path).map_err(|e| Error::io(name(), e));
    }
    if !path.is_dir() {
        return Err(Error::usage(
            format!("{} is not a directory", name()),
            "a database is a directory; choose another path",
        ));
    }
    for entry in std::fs::read_dir(path).map_err(|e| Error::io(name(), e))? {
        let entry = entry.map_err(|e| Error::io(name(), e))?;
        let file = entry.file_name();
        if !DATABASE_FILES.iter().any(|n| file == *n) {
            return Err(Error::usage(
                format!(
                    "{} holds `{}`, which is not part of a database",
                    name(),
                    file.to_string_lossy()
                ),
                "choose an empty directory",
            ));
        }
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
