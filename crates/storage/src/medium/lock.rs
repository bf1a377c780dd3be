//! The lock of a database: one writer, and any number of readers beside it.
//!
//! The lock is on bytes of the pool file, which a database always has. The writer has
//! byte 0. A reader has the byte of the root that it reads, and the writer asks for those
//! before it uses space again that an older root names: so neither waits for the other.
//! A lock belongs to the open file, so a second writer in the same process is refused as
//! well, and the system drops it when the process ends in whatever way. Reading needs no
//! permission to write.
//!
//! Earlier programs refuse readers beside a writer. They are kept out, and keep out, by the
//! bytes 1 and 2, which are among those that their readers and writers lock, or by the side
//! file. Only where readers were there first, the writer shares the side file, and a
//! reader of such a program comes in.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno as LockErrno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use parking_lot::Mutex;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::MediumError;
use super::directory::{Directory, NotOpened};
use super::host::io_error;
use crate::error::StorageError;
use crate::failpoint;
use crate::pool::PoolKind;
use crate::process::Process;

/// Purposes of opening a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Making it, and then writing. Makes an empty pool file if there is none.
    Creating,
    /// Writing: no other process may have it open.
    Writing,
    /// Reading, also beside a process that writes.
    Reading,
}

/// First byte and number of bytes; 0 is up to the end of what a file can be.
type Bytes = (libc::off_t, libc::off_t);
const WRITER: Bytes = (0, 1);
/// Locked by the writer: readers of earlier programs lock it, too.
const NO_EARLIER_READER: Bytes = (1, 1);
/// Shared by all readers: writers of earlier programs lock it, too.
const READERS: Bytes = (2, 1);
/// Roots of a kind of pool: one byte each, by sequence.
const ROOTS: libc::off_t = 1 << 60;
/// Times that a lock is tried again which its holder may just be giving back.
const TRIES: usize = 64;

/// The file that programs lock that know no bytes of the pool file. It names the writer.
const SIDE_FILE: &str = "lock";

/// Held as long as a process may use the files of a database.
pub struct DatabaseLock {
    /// Given back first: a process that gets the lock of the pool file then gets this
    /// one, too.
    _side_file: Option<SideFile>,
    pool: PoolFile,
    access: Access,
    /// Sequences of the roots that a reader holds, by kind.
    held: Mutex<[Option<u64>; 2]>,
    /// Names the writer.
    directory: Arc<Directory>,
}

impl DatabaseLock {
    /// Whether it was opened for reading.
    pub fn is_reader(&self) -> bool {
        self.access == Access::Reading
    }

    /// For a reader: whether a process has the database open for writing now.
    ///
    /// # Errors
    /// If the file system cannot tell.
    pub fn is_written(&self) -> Result<bool, MediumError> {
        Ok(conflict(&self.pool.0, WRITER)?.is_some())
    }

    /// The error of one who may not read beside the writer.
    pub fn locked(&self) -> StorageError {
        StorageError::Locked {
            pid: writer(&self.directory),
        }
    }

    /// For the writer: whether a reader is there.
    ///
    /// # Errors
    /// If the file system cannot tell.
    pub fn is_read(&self) -> Result<bool, MediumError> {
        Ok(conflict(&self.pool.0, READERS)?.is_some())
    }

    /// For a reader: keeps what a root names, and no longer what the root of that kind
    /// before named. It counts from the next publication on, so the caller looks whether
    /// the root still is the newest.
    ///
    /// # Errors
    /// [`StorageError::Locked`] by a program that asks no readers.
    pub fn hold_root(&self, kind: PoolKind, sequence: u64) -> Result<(), StorageError> {
        let held = &mut self.held.lock()[kind.number()];
        if *held == Some(sequence) {
            return Ok(());
        }
        if !lock_bytes(&self.pool.0, libc::F_RDLCK, byte_of(kind, sequence))? {
            return Err(self.locked());
        }
        if let Some(before) = held.replace(sequence) {
            lock_bytes(&self.pool.0, libc::F_UNLCK, byte_of(kind, before))?;
        }
        Ok(())
    }

    /// For the writer: sequence of the oldest root that a reader holds. Where the system
    /// cannot tell, 0: then everything is kept.
    pub fn oldest_root_read(&self, kind: PoolKind) -> Option<u64> {
        failpoint!("readers.not-asked" => {
            return None;
        });
        let first = byte_of(kind, 0).0;
        let mut oldest = None;
        let mut end = first + ROOTS;
        // The system names any of them.
        while end > first {
            match conflict(&self.pool.0, (first, end - first)) {
                Ok(None) => break,
                Ok(Some(found)) => end = found.max(first),
                Err(_) => end = first,
            }
            oldest = Some((end - first) as u64);
        }
        oldest
    }
}

fn byte_of(kind: PoolKind, sequence: u64) -> Bytes {
    let first = ROOTS * (1 + kind.number() as libc::off_t);
    (first + sequence.min(ROOTS as u64 - 1) as libc::off_t, 1)
}

/// The pool file, unlocked when it is dropped. Closing it is not enough: a child that
/// another thread is just starting has the open file, and with it the lock, until it
/// executes its program. One that uses its copy has the parent's lock, and leaves it.
#[derive(Debug)]
struct PoolFile(OwnedFd, Process);

impl Drop for PoolFile {
    fn drop(&mut self) {
        if !self.1.is_parent() {
            let _ = lock_bytes(&self.0, libc::F_UNLCK, (0, 0));
        }
    }
}

/// The side file, unlocked when it is dropped, as the pool file is.
#[derive(Debug)]
struct SideFile(File, Process);

impl Drop for SideFile {
    fn drop(&mut self) {
        if !self.1.is_parent() {
            let _ = flock(&self.0, FlockOperation::Unlock);
        }
    }
}

/// Locks the database in a directory, before another handle has it. Never waits.
pub(super) fn lock(
    directory: &mut Arc<Directory>,
    access: Access,
) -> Result<Arc<DatabaseLock>, StorageError> {
    let own = Arc::get_mut(directory).expect("not shared before it is locked");
    own.read_only = access == Access::Reading;
    Ok(Arc::new(acquire(directory, access)?))
}

fn acquire(directory: &Arc<Directory>, access: Access) -> Result<DatabaseLock, StorageError> {
    loop {
        let pool = PoolFile(open_pool(directory, access)?, Process::this());
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
                _side_file: lock_side_file(directory, access, &pool.0)?,
                pool,
                access,
                held: Mutex::default(),
                directory: Arc::clone(directory),
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
            match lock_bytes(pool, libc::F_WRLCK, NO_EARLIER_READER)? {
                true => Ok(()),
                false => Err(StorageError::BeingRead),
            }
        }
    }
}

/// Whether bytes could be locked; `false` if another open file has a lock on them.
fn lock_bytes(file: &OwnedFd, kind: libc::c_int, bytes: Bytes) -> Result<bool, MediumError> {
    let wanted = lock_of(kind, bytes);
    granted(fcntl(file, FcntlArg::F_OFD_SETLK(&wanted)).map(drop))
}

/// First byte of a lock of another open file on some of these bytes.
fn conflict(file: &OwnedFd, bytes: Bytes) -> Result<Option<libc::off_t>, MediumError> {
    let mut asked = lock_of(libc::F_WRLCK, bytes);
    granted(fcntl(file, FcntlArg::F_OFD_GETLK(&mut asked)).map(drop))?;
    Ok((asked.l_type != libc::F_UNLCK as libc::c_short).then_some(asked.l_start))
}

fn lock_of(kind: libc::c_int, (start, len): Bytes) -> libc::flock {
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: start,
        l_len: len,
        l_pid: 0,
    }
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
fn lock_side_file(
    directory: &Directory,
    access: Access,
    pool: &OwnedFd,
) -> Result<Option<SideFile>, StorageError> {
    let is_reader = access == Access::Reading;
    let flags = match is_reader {
        // Without one there was never a writer of that version, and a reader writes nothing.
        true => OFlags::RDONLY,
        false => OFlags::RDWR | OFlags::CREATE,
    };
    let file = match directory.open_with(SIDE_FILE, flags) {
        Ok((file, _)) => File::from(file),
        Err(NotOpened::System(Errno::NOENT | Errno::ACCESS)) if is_reader => return Ok(None),
        Err(error) => return Err(error.into_medium_error(SIDE_FILE, "opening it").into()),
    };
    if is_reader && conflict(pool, WRITER)?.is_some() {
        // What the writer locks keeps programs of that version out.
        return Ok(None);
    }
    if !flock_side_file(&file, is_reader, pool)? {
        return match is_reader && conflict(pool, WRITER)?.is_some() {
            true => Ok(None),
            false => Err(refused_by_side_file(directory, access)),
        };
    }
    let mut file = SideFile(file, Process::this());
    if !is_reader {
        // It only helps the person who reads the message; the disk may be full.
        let file = &mut file.0;
        let _ = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| writeln!(file, "{}", std::process::id()));
    }
    Ok(Some(file))
}

/// Whether the side file could be locked. A writer shares it with readers that have locked
/// the pool file. They and writers give it back before the pool file, so where only the side
/// file is locked, it is tried again.
fn flock_side_file(file: &File, is_reader: bool, pool: &OwnedFd) -> Result<bool, StorageError> {
    for _ in 0..TRIES {
        let is_shared = is_reader || conflict(pool, READERS)?.is_some();
        let operation = match is_shared {
            true => FlockOperation::NonBlockingLockShared,
            false => FlockOperation::NonBlockingLockExclusive,
        };
        match flock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(io_error(SIDE_FILE, "locking it", error).into()),
        }
    }
    Ok(false)
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
        let directory = Arc::new(Directory::open(place.path(), false).unwrap());
        for access in [Access::Creating, Access::Writing, Access::Reading] {
            let lock = acquire(&directory, access).unwrap();
            let pool = lock.pool.0.try_clone().unwrap();
            let side_file = lock._side_file.as_ref().map(|file| file.0.try_clone());
            match access {
                Access::Reading => {
                    lock.hold_root(PoolKind::GRAPH, 3).unwrap();
                    let writer = acquire(&directory, Access::Writing).unwrap();
                    assert!(writer.is_read().unwrap());
                    assert_eq!(writer.oldest_root_read(PoolKind::GRAPH), Some(3));
                }
                _ => assert!(acquire(&directory, Access::Writing).is_err()),
            }
            drop(lock);
            let writer = acquire(&directory, Access::Writing).unwrap();
            assert!(!writer.is_read().unwrap());
            assert_eq!(writer.oldest_root_read(PoolKind::GRAPH), None);
            drop((pool, side_file));
        }
    }

    #[test]
    fn the_oldest_root_of_a_kind_is_found_among_many_readers() {
        let place = tempfile::tempdir().unwrap();
        let directory = Arc::new(Directory::open(place.path(), false).unwrap());
        let writer = acquire(&directory, Access::Creating).unwrap();
        let mut readers = Vec::new();
        let mut expected: Vec<u64> = Vec::new();
        for sequence in [70, 5, 9, 5, 1 << 40, 2, 71] {
            let reader = acquire(&directory, Access::Reading).unwrap();
            assert!(reader.is_written().unwrap());
            reader.hold_root(PoolKind::GRAPH, 1000).unwrap();
            reader.hold_root(PoolKind::GRAPH, sequence).unwrap();
            reader.hold_root(PoolKind::RESULTS, sequence / 2).unwrap();
            readers.push(reader);
            expected.push(sequence);
        }
        while let Some(&oldest) = expected.iter().min() {
            assert_eq!(writer.oldest_root_read(PoolKind::GRAPH), Some(oldest));
            assert_eq!(writer.oldest_root_read(PoolKind::RESULTS), Some(oldest / 2));
            let at = expected.iter().position(|&held| held == oldest).unwrap();
            expected.swap_remove(at);
            readers.swap_remove(at);
        }
        assert_eq!(writer.oldest_root_read(PoolKind::RESULTS), None);
        drop(writer);
        let reader = acquire(&directory, Access::Reading).unwrap();
        assert!(!reader.is_written().unwrap());
    }

    /// Whose readers lock all bytes but the first, shared, and whose writer locks them alone.
    #[test]
    fn programs_that_refuse_readers_beside_a_writer_are_kept_out() {
        let place = tempfile::tempdir().unwrap();
        let directory = Arc::new(Directory::open(place.path(), false).unwrap());
        drop(acquire(&directory, Access::Creating).unwrap());
        let name = PoolKind::GRAPH.file_name();
        let theirs = || {
            let opened = directory.open_with(name, OFlags::RDWR);
            opened.unwrap_or_else(|_| panic!("it is there")).0
        };
        let all = (1, 0);
        let reader = acquire(&directory, Access::Reading).unwrap();
        reader.hold_root(PoolKind::GRAPH, 3).unwrap();
        assert!(!lock_bytes(&theirs(), libc::F_WRLCK, all).unwrap());
        assert!(lock_bytes(&theirs(), libc::F_RDLCK, all).unwrap());
        let writer = acquire(&directory, Access::Writing).unwrap();
        assert!(!lock_bytes(&theirs(), libc::F_RDLCK, all).unwrap());
        drop((reader, writer));

        let old = theirs();
        assert!(lock_bytes(&old, libc::F_RDLCK, all).unwrap());
        let refused = acquire(&directory, Access::Writing).map(drop).unwrap_err();
        assert!(matches!(refused, StorageError::BeingRead), "{refused}");
        drop(acquire(&directory, Access::Reading).unwrap());
        assert!(lock_bytes(&old, libc::F_WRLCK, all).unwrap());
        let refused = acquire(&directory, Access::Reading).map(drop).unwrap_err();
        assert!(matches!(refused, StorageError::Locked { .. }), "{refused}");
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
