//! Reading beside a writer: the newest root, held, and the log under it, copied.
//!
//! The writer of another process goes on meanwhile. It uses no extent again that a held root
//! may name, so those are read where they are; the log it does overwrite, so that is copied.

use evergraph_storage::medium::DatabaseLock;
use evergraph_storage::{
    CommitLog, CopiedLog, Medium, MediumHandle, Pool, PoolFile, Root, Storage, StorageError,
    failpoint,
};

use crate::error::TopologyError;
use crate::store::config::{Config, Mode};

/// Roots that are tried: each was replaced while the log was copied, or the writer wrote
/// over the log faster than that.
const TRIES: usize = 16;

/// A root, and what a reader of files has beside it.
pub(in crate::store) struct Found {
    pub pool: Pool,
    pub file: PoolFile,
    pub log: Option<CopiedLog>,
    /// Another process has the database open for writing.
    pub is_written: bool,
}

/// Recovery step R1. Of a reader, the root is held, and the log copied while it is the newest.
pub(in crate::store) fn read_root(storage: &dyn Storage) -> Result<Found, TopologyError> {
    let lock = storage.database_lock();
    if let Some(lock) = lock.as_ref().filter(|lock| lock.is_reader()) {
        return read_beside(storage, lock);
    }
    let (pool, file) = Pool::open(storage)?;
    let mode = Config::decode(&pool.root().user)?.0.mode;
    if let Some(lock) = lock
        && mode == Mode::Direct
        && lock.is_read()?
    {
        // What it stores in place would change under their eyes.
        return Err(StorageError::BeingRead.into());
    }
    Ok(Found {
        pool,
        file,
        log: None,
        is_written: false,
    })
}

fn read_beside(storage: &dyn Storage, lock: &DatabaseLock) -> Result<Found, TopologyError> {
    let mut failed = StorageError::Overtaken.into();
    for _ in 0..TRIES {
        // Asked first: of one who comes later, the root tells.
        let is_written = lock.is_written()?;
        let (pool, file) = Pool::open(storage)?;
        if Config::decode(&pool.root().user)?.0.mode == Mode::Direct && is_written {
            return Err(lock.locked().into());
        }
        failpoint!("readers.root-found");
        let log = copy_log(storage, &pool, is_written);
        failpoint!("readers.log-copied");
        if !failpoint!("readers.log-start-not-reread") && !pool.is_newest(&file) {
            continue;
        }
        match log {
            Ok(log) => {
                return Ok(Found {
                    pool,
                    file,
                    log: Some(log),
                    is_written,
                });
            }
            Err(error) if !is_written => return Err(error),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Reader step B2.
fn copy_log(
    storage: &dyn Storage,
    pool: &Pool,
    is_written: bool,
) -> Result<CopiedLog, TopologyError> {
    let root = pool.root();
    let (_, ring, _) = open_ring(storage, &Config::decode(&root.user)?.0, root)?;
    Ok(CopiedLog::of(&ring, pool.uuid(), root, is_written)?)
}

/// The ring that the root names, with its name and its bytes.
pub(in crate::store) fn open_ring(
    storage: &dyn Storage,
    config: &Config,
    root: &Root,
) -> Result<(&'static str, MediumHandle, u64), TopologyError> {
    let name = CommitLog::file_name(root.log_file)?;
    let medium = storage.open(name, false)?;
    // Before version 5 the ring was as large as it may be from the beginning.
    let ring_bytes = match root.log_bytes {
        0 => config.log_bytes,
        bytes => bytes,
    };
    let (len, expected) = (medium.len(), CommitLog::file_bytes(ring_bytes));
    if len != expected {
        let what = format!("the log has {len} bytes instead of {expected}");
        return Err(StorageError::damaged(name, 0, what).into());
    }
    Ok((name, medium, ring_bytes))
}
