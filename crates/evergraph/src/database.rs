//! The database: one graph in one directory.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_analytics::{Opened, Session, Settings};
use evergraph_interpreter::Procedures;
use evergraph_property_graph::graph::{GraphOptions, OpenOptions, PropertyGraph};
use evergraph_storage::medium::Access;
use evergraph_storage::{CommitLog, Storage, failpoint};
use evergraph_topology::{Layout, Mode, OpenReport, Store};

use crate::options::OpenStorage;
use crate::query::{self, Plans};
use crate::{Error, MediumKind, Options};

/// The file that makes a directory a database.
const POOL: &str = "pool";

/// The directory of indexes for full-text and vector search, within that of the database.
pub(crate) const SEARCH: &str = "search";

/// An open database.
///
/// Once open, it dereferences to a [`Session`], whose methods read and write the graph;
/// files go in and out by [`crate::import`] and [`crate::export_edges`].
///
/// Shared freely between threads: commits of all of them are grouped, views block no
/// writer. Dropping it without [`Database::close`] is like a crash: committed changes are
/// recovered at the next open.
///
/// One process at a time has a database open for writing, through one `Database`, and any
/// number have it open for reading ([`Options::read_only`]). It stays so as long as
/// anything of it is in use: the `Database`, a view, a transaction, a node, a graph that an
/// algorithm reads, a result. Parts that outlive a dropped `Database` work on. Parts that
/// outlive a closed one can be read, and their writes are refused as
/// [`Closed`](crate::TopologyError::Closed). A second opening for writing meanwhile is
/// refused, so that two never write.
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
    session: Arc<Session>,
    procedures: Procedures,
    plans: Plans,
    path: PathBuf,
    medium: MediumKind,
    opened: OpenReport,
    storage: Arc<dyn Storage>,
}

impl Deref for Database {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
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
            Opened::Property(graph)
        } else {
            let (config, tuning) = (options.config(), options.tuning);
            let store = Store::create_with(&*opened.storage, config, uuid, tuning)?;
            Opened::Edges(Box::new(store))
        };
        let report = OpenReport {
            clean: true,
            replayed_commits: 0,
            replayed_entries: 0,
            csn: 0,
            unconfirmed: false,
            beside_writer: false,
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
        if path.is_file() {
            return Err(Error::usage(
                format!(
                    "{} is a file, and a database is a directory",
                    path.display()
                ),
                format!("import it first: evergraph import DB {}", path.display()),
            ));
        }
        if !path.is_dir() {
            return Err(Error::usage(
                format!("there is no database at {}", path.display()),
                "check the path, or make one with `evergraph import`",
            ));
        }
        // Opening a pipe would wait, too, in any of them.
        let is_strange = |name: &&str| {
            let found = std::fs::metadata(path.join(name));
            found.is_ok_and(|found| !found.is_file())
        };
        let results = ["results", "results.extents"];
        if let Some(name) = database_files().chain(results).find(is_strange) {
            return Err(Error::usage(
                format!("{} is no regular file", path.join(name).display()),
                "a database consists of regular files: take it from a copy",
            ));
        }
        let pool = path.join(POOL);
        if let Err(error) = pool.try_exists() {
            return Err(Error::io(pool.display().to_string(), error));
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
            (Opened::Property(graph), report)
        } else {
            let (storage, tuning) = (&*opened.storage, options.tuning);
            let (store, report) = Store::open_with(storage, options.read_only, tuning)?;
            (Opened::Edges(Box::new(store)), report)
        };
        let db = Self::assemble(made, report, path, options, opened);
        if !options.read_only {
            // A snapshot that cannot be dropped now only takes space, and goes another
            // time.
            let _ = db.drop_abandoned();
        }
        Ok(db)
    }

    fn assemble(
        graph: Opened,
        opened: OpenReport,
        path: &Path,
        options: &Options,
        OpenStorage { storage, emulated }: OpenStorage,
    ) -> Self {
        let settings = Settings {
            read_only: options.read_only,
            background: options.background,
            rebase: options.rebase,
            sealed_bytes: options.sealed_bytes,
        };
        let session = Session::new(graph, Arc::clone(&storage), emulated, &settings);
        let session = Arc::new(session);
        Database {
            procedures: query::procedures(&session, &path.join(SEARCH)),
            session,
            plans: match options.medium {
                MediumKind::Dram => Plans::default(),
                _ => Plans::after(path, options.read_only),
            },
            path: path.to_path_buf(),
            medium: options.medium,
            opened,
            storage,
        }
    }

    /// The procedures that statements may call.
    pub(crate) fn procedures(&self) -> &Procedures {
        &self.procedures
    }

    /// The same, to register one. Plans do not hold a procedure that there was not.
    pub(crate) fn procedures_mut(&mut self) -> &mut Procedures {
        &mut self.procedures
    }

    /// Plans of statements.
    pub(crate) fn plans(&self) -> &Plans {
        &self.plans
    }

    /// Directory of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The medium it was opened on.
    pub fn medium(&self) -> MediumKind {
        self.medium
    }

    /// Report of the opening: what recovery found and did.
    pub fn open_report(&self) -> &OpenReport {
        &self.opened
    }

    /// Whether `path` holds a database, whole or damaged. What an interrupted
    /// creation left is none: nothing was ever acknowledged there.
    pub fn exists(path: impl AsRef<Path>) -> bool {
        let pool = path.as_ref().join(POOL);
        pool.exists() && !only_zeros(&pool)
    }

    /// As [`Session::checkpoint`], but a full disk is no error: what was committed is safe,
    /// who repeated it would do it twice, and closing the database tells.
    ///
    /// # Errors
    /// Others than a full disk.
    pub fn checkpoint_if_room(&self) -> Result<(), Error> {
        match self.checkpoint() {
            Err(error) if error.is_full() => Ok(()),
            done => done,
        }
    }

    /// Merges, marks the stop as clean, and lets go. Views, transactions and results
    /// that are left can be read and not written, and keep the database locked: drop
    /// them first to open it again.
    ///
    /// # Errors
    /// If the merge fails. It is closed all the same, and committed changes are
    /// recovered at the next open.
    pub fn close(self) -> Result<(), Error> {
        self.refuse_child()?;
        // Without them the code of hot queries is made later.
        let _ = self.plans.keep_hot();
        self.session.close()
    }

    /// Undoes [`Database::create`]: closes the database and removes its files while it is
    /// still locked, and the directory if nothing else is in it. For a caller that
    /// created it and then has nothing to put into it.
    ///
    /// # Errors
    /// As [`Database::close`], and files that cannot be removed. An empty database that
    /// is left can be used.
    pub fn undo_create(self) -> Result<(), Error> {
        self.refuse_child()?;
        let closed = self.session.close();
        if self.medium == MediumKind::Dram {
            return closed;
        }
        failpoint!("database.removing");
        for name in database_files() {
            if self.storage.exists(name)? {
                self.storage.remove(name)?;
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

/// Whether a pool file was made and never written. Opening a pipe would wait for its writer.
fn only_zeros(file: &Path) -> bool {
    if !file.is_file() {
        return false;
    }
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
