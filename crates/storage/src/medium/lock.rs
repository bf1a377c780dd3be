//! The lock of a database: one writer, or any number of readers.
//!
//! The lock is on bytes of the pool file, which a database always has: byte 0 by the
//! writer, the others by readers of a root. A lock belongs to the open file, so a second
//! one in the same process is refused as well, and the system drops it when the process
//! ends in whatever way. Reading needs no permission to write.
//!
//! A reader has all of its bytes now, and a writer both kinds, since it would reuse what
//! a reader reads. When it does not, a reader may take the byte of its root alone, and
//! both still keep those out that they must.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno as LockErrno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::MediumError;
use super::directory::{Directory, NotOpened};
use super::host::io_error;
use crate::error::StorageError;
use crate::failpoint;
use crate::pool::PoolKind;

/// Purposes of opening a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Making it, and then writing. Makes an empty pool file if there is none.
    Creating,
    /// Writing: no other process may have it open.
    Writing,
    /// Reading: no process may write it.
    Reading,
}

/// First byte and number of bytes; 0 is up to the end of what a file can be.
type Bytes = (libc::off_t, libc::off_t);
const WRITER: Bytes = (0, 1);
const READERS: Bytes = (1, 0);

/// The file that programs lock that know no bytes of the pool file. It names the writer.
const SIDE_FILE: &str = "lock";

/// Held as long as a process may use the files of a database.
#[derive(Debug)]
pub(super) struct DatabaseLock {
    /// Given back first: a process that gets the lock of the pool file then gets this
    /// one, too.
    _side_file: Option<SideFile>,
    _pool: PoolFile,
}

/// The pool file, unlocked when it is dropped. Closing it is not enough: a child that
/// another thread is just starting has the open file, and with it the lock, until it
/// executes its program.
#[derive(Debug)]
struct PoolFile(OwnedFd);

impl Drop for PoolFile {
    fn drop(&mut self) {
        let _ = lock_bytes(&self.0, libc::F_UNLCK, (0, 0));
    }
}

/// The side file, unlocked when it is dropped, as the pool file is.
#[derive(Debug)]
struct SideFile(File);

impl Drop for SideFile {
    fn drop(&mut self) {
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// Locks the database in a directory, before another handle has it. Never waits.
pub(super) fn lock(
    directory: &mut Arc<Directory>,
    access: Access,
) -> Result<Arc<DatabaseLock>, StorageError> {
    let directory = Arc::get_mut(directory).expect("not shared before it is locked");
    directory.read_only = access == Access::Reading;
    Ok(Arc::new(acquire(directory, access)?))
}

fn acquire(directory: &Directory, access: Access) -> Result<DatabaseLock, StorageError> {
    loop {
        let pool = PoolFile(open_pool(directory, access)?);
        failpoint!("lock.pool-opened");
        lock_pool(directory, &pool.0, access)?;
        let name = PoolKind::GRAPH.file_name();
        let is_there = directory
            .leads_to(name, &pool.0)
            .map_err(|error| io_error(name, "looking for it", error))?;
        // A file that was replaced or removed meanwhile is not the database's: its lock
        // keeps no one out.
        if is_there {
            return Ok(DatabaseLock {
                _side_file: lock_side_file(directory, access)?,
                _pool: pool,
            });
        }
    }
}

fn open_pool(directory: &Directory, access: Access) -> Result<OwnedFd, StorageError> {
    let name = PoolKind::GRAPH.file_name();
    let flags = match access {
        Access::Creating => OFlags::RDWR | OFlags::CREATE,
        Access::Writing => OFlags::RDWR,
        Access::Reading => OFlags::RDONLY,
    };
    match directory.open_with(name, flags) {
        Ok((pool, _)) => Ok(pool),
        Err(NotOpened::System(Errno::NOENT)) => Err(StorageError::NotADatabase(format!(
            "there is no file `{name}` (check the path, or import into a new one)"
        ))),
        Err(error) => Err(error.into_medium_error(name, "opening it").into()),
    }
}

fn lock_pool(directory: &Directory, pool: &OwnedFd, access: Access) -> Result<(), StorageError> {
    let locked = || StorageError::Locked {
        pid: writer(directory),
    };
    match access {
        Access::Reading => match lock_bytes(pool, libc::F_RDLCK, READERS)? {
            true => Ok(()),
            false => Err(locked()),
        },
        Access::Creating | Access::Writing => {
            if !lock_bytes(pool, libc::F_WRLCK, WRITER)? {
                return Err(locked());
            }
            match lock_bytes(pool, libc::F_WRLCK, READERS)? {
                true => Ok(()),
                false => Err(StorageError::BeingRead),
            }
        }
    }
}

/// Whether bytes could be locked; `false` if another open file has a lock on them.
fn lock_bytes(file: &OwnedFd, kind: libc::c_int, bytes: Bytes) -> Result<bool, MediumError> {
    let wanted = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: bytes.0,
        l_len: bytes.1,
        l_pid: 0,
    };
    granted(fcntl(file, FcntlArg::F_OFD_SETLK(&wanted)).map(drop))
}

/// A database that cannot be locked is not used: two writers would destroy it.
fn granted(answer: Result<(), LockErrno>) -> Result<bool, MediumError> {
    match answer {
        Ok(()) => Ok(true),
        Err(LockErrno::EAGAIN | LockErrno::EACCES) => Ok(false),
        Err(error) => Err(MediumError::Unsupported(format!(
            "{}: the file system cannot lock it: {error} (keep the database on one that can)",
            PoolKind::GRAPH.file_name()
        ))),
    }
}

/// Programs of the version before lock this file alone: they are kept out, too. Removing
/// it does not weaken the lock of the pool file.
fn lock_side_file(directory: &Directory, access: Access) -> Result<Option<SideFile>, StorageError> {
    let (flags, operation) = match access {
        // Without one there was never a writer of that version, and a reader writes nothing.
        Access::Reading => (OFlags::RDONLY, FlockOperation::NonBlockingLockShared),
        Access::Creating | Access::Writing => (
            OFlags::RDWR | OFlags::CREATE,
            FlockOperation::NonBlockingLockExclusive,
        ),
    };
    let file = match directory.open_with(SIDE_FILE, flags) {
        Ok((file, _)) => File::from(file),
        Err(NotOpened::System(Errno::NOENT | Errno::ACCESS)) if access == Access::Reading => {
            return Ok(None);
        }
        Err(error) => return Err(error.into_medium_error(SIDE_FILE, "opening it").into()),
    };
    match flock(&file, operation) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Err(refused_by_side_file(directory, access)),
        Err(error) => return Err(io_error(SIDE_FILE, "locking it", error).into()),
    }
    let mut file = SideFile(file);
    if access != Access::Reading {
        // It only helps the person who reads the message; the disk may be full.
        let file = &mut file.0;
        let _ = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| writeln!(file, "{}", std::process::id()));
    }
    Ok(Some(file))
}

/// The file names the last writer; if that one is gone, readers have it.
fn refused_by_side_file(directory: &Directory, access: Access) -> StorageError {
    let pid = writer(directory);
    let is_gone = Path::new("/proc").exists() && !Path::new(&format!("/proc/{pid}")).exists();
    match is_gone && access != Access::Reading {
        true => StorageError::BeingRead,
        false => StorageError::Locked { pid },
    }
}

/// The process that opened the database for writing last; 0 if that is not known.
fn writer(directory: &Directory) -> u32 {
    let mut text = String::new();
    if let Ok((file, _)) = directory.open_with(SIDE_FILE, OFlags::RDONLY) {
        let _ = File::from(file).take(32).read_to_string(&mut text);
    }
    text.trim().parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a child has them that was forked and has not executed its program yet.
    #[test]
    fn open_files_of_a_child_hold_no_lock_that_was_given_back() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::open(place.path(), false).unwrap();
        for access in [Access::Creating, Access::Writing, Access::Reading] {
            let lock = acquire(&directory, access).unwrap();
            let pool = lock._pool.0.try_clone().unwrap();
            let side_file = lock._side_file.as_ref().map(|file| file.0.try_clone());
            assert!(acquire(&directory, Access::Writing).is_err());
            drop(lock);
            drop(acquire(&directory, Access::Writing).unwrap());
            drop((pool, side_file));
        }
    }

    #[test]
    fn only_a_lock_of_another_opening_counts_as_one() {
        assert!(granted(Ok(())).unwrap());
        for taken in [LockErrno::EAGAIN, LockErrno::EACCES] {
            assert!(!granted(Err(taken)).unwrap());
        }
        for refused in [LockErrno::ENOLCK, LockErrno::EINVAL, LockErrno::EOPNOTSUPP] {
            let error = granted(Err(refused)).unwrap_err().to_string();
            assert!(error.contains("cannot lock it"), "{error}");
        }
    }
}
