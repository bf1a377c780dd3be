//! Who may use the files: one writer, or any number of readers.

use std::fs::{File, TryLockError};
use std::path::Path;

use evergraph_persistence::{PersistenceError, WriterLock};

use crate::{Error, MediumKind, Options};

/// Held as long as a database is open. The system drops it when the process
/// ends in whatever way.
pub(crate) enum Lock {
    /// Nobody else.
    Writer(#[allow(dead_code, reason = "held, not used")] WriterLock),
    /// No writer.
    Reader(#[allow(dead_code, reason = "held, not used")] File),
}

impl Lock {
    /// Takes the lock that the options ask for; `None` where none is needed.
    pub fn take(path: &Path, options: &Options) -> Result<Option<Lock>, Error> {
        match (options.medium, options.read_only) {
            (MediumKind::Dram, _) => Ok(None),
            (_, true) => Self::reader(path),
            (_, false) => match WriterLock::acquire(path) {
                Ok(lock) => Ok(Some(Lock::Writer(lock))),
                Err(PersistenceError::Locked { pid }) => Err(refused(pid)),
                Err(error) => Err(error.into()),
            },
        }
    }

    /// A reader writes nothing, not even the lock file: without one there was
    /// never a writer, and on a file system without locks there is no telling.
    fn reader(path: &Path) -> Result<Option<Lock>, Error> {
        let lock_path = path.join("lock");
        let Ok(file) = File::open(&lock_path) else {
            return Ok(None);
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Lock::Reader(file))),
            Err(TryLockError::WouldBlock) => {
                // The pid only helps the person who reads the message.
                let text = std::fs::read_to_string(&lock_path).unwrap_or_default();
                Err(refused(text.trim().parse().unwrap_or(0)))
            }
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

/// The lock file names the last writer; if that one is gone, readers hold it.
fn refused(pid: u32) -> Error {
    if Path::new("/proc").exists() && !Path::new(&format!("/proc/{pid}")).exists() {
        return Error::usage(
            "the database is being read by another process",
            "wait until it has ended",
        );
    }
    PersistenceError::Locked { pid }.into()
}
