//! Medium `file`: ordinary files, written by `pwrite`, made durable by
//! `fdatasync`, read through one read-only mapping.
//!
//! Never written through the mapping: the system could then write back a page in
//! the middle of an update. A failed sync poisons the medium for good, because
//! the system forgets which pages it lost and a second sync would succeed.

use std::io;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use parking_lot::Mutex;
use rustix::io::Errno;

use super::calls::{FileCalls, HostFile};
use super::directory::Directory;
use super::faults::{FileCall, FileFaults};
use super::host;
use super::lock::{self, Access, DatabaseLock};
use super::{DurabilityLevel, Medium, MediumError, MediumHandle, Properties, Storage};
use crate::error::StorageError;
use crate::failpoint;
use crate::process::Process;

/// The files of a database in an ordinary directory.
///
/// Files are made with mode 0600, links are not followed, and a file that
/// exists is never shortened.
#[derive(Clone)]
pub struct FileStorage {
    directory: Arc<Directory>,
    /// Shared with each file that is opened, so that none outlives it.
    lock: Option<Arc<DatabaseLock>>,
    faults: Option<Arc<FileFaults>>,
    /// DRAM that this process may use, page cache included.
    memory_bytes: u64,
}

impl FileStorage {
    /// Uses a directory that exists.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, MediumError> {
        Self::at(directory.as_ref(), false)
    }

    /// As [`FileStorage::open`]; makes the directory (mode 0700) and its parents if
    /// they are missing, and their names durable.
    pub fn create(directory: impl AsRef<Path>) -> Result<Self, MediumError> {
        Self::at(directory.as_ref(), true)
    }

    fn at(path: &Path, create: bool) -> Result<Self, MediumError> {
        Ok(Self {
            directory: Arc::new(Directory::open(path, create)?),
            lock: None,
            faults: None,
            memory_bytes: host::memory_bytes(),
        })
    }

    /// Locks the database in the directory. It is locked as long as the storage or a
    /// file of it is open, in this process or one that inherits the file.
    ///
    /// # Errors
    /// [`StorageError::Locked`] and [`StorageError::BeingRead`]; what the system
    /// says, also if it cannot lock there.
    pub fn locked(mut self, access: Access) -> Result<Self, StorageError> {
        self.lock = Some(lock::lock(&mut self.directory, access)?);
        Ok(self)
    }

    /// With another size of DRAM than the system's, for tests.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// With planned failures, for tests.
    pub fn with_faults(mut self, faults: Arc<FileFaults>) -> Self {
        self.faults = Some(faults);
        self
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Storage for FileStorage {
    fn kind(&self) -> &'static str {
        "file"
    }

    fn share(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    fn exists(&self, name: &str) -> Result<bool, MediumError> {
        self.directory.exists(name)
    }

    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError> {
        let (file, len) = self.directory.open_file(name, create)?;
        let calls = HostFile::of(file, len)
            .map_err(|error| host::io_error(name, "mapping it for reading", error))?;
        let unsynced = create || self.directory.read_only;
        let mut medium = FileMedium::over(name, Box::new(calls), unsynced)?;
        medium.faults.clone_from(&self.faults);
        medium.memory_bytes = self.memory_bytes;
        medium._lock = self.lock.clone();
        medium.consider_memory(len);
        Ok(MediumHandle::File(Arc::new(medium)))
    }

    fn remove(&self, name: &str) -> Result<(), MediumError> {
        self.directory.remove(name)
    }

    fn sync_names(&self) -> Result<(), MediumError> {
        self.directory.sync()
    }

    fn database_lock(&self) -> Option<Arc<DatabaseLock>> {
        self.lock.clone()
    }
}

/// One ordinary file; see [`FileStorage`].
///
/// A fence covers everything that any thread had written when it began, flushed
/// or not, so threads that fence at the same time share one `fdatasync`.
pub struct FileMedium {
    name: String,
    calls: Box<dyn FileCalls>,
    /// That of `calls`, so that reads need no call.
    base: AtomicPtr<u8>,
    /// Never more than the file's real length: reads below it cannot fault.
    len: AtomicU64,
    growing: Mutex<()>,
    /// Counts changes that are in the page cache; `synced` of them are durable.
    written: AtomicU64,
    synced: AtomicU64,
    syncing: Mutex<()>,
    poisoned: AtomicBool,
    opener: Process,
    faults: Option<Arc<FileFaults>>,
    memory_bytes: u64,
    /// Set once the file is too long for DRAM, and then for good.
    exceeds_memory: AtomicBool,
    /// Bytes that [`Medium::will_need`] asked for.
    announced: AtomicU64,
    /// Given back last.
    _lock: Option<Arc<DatabaseLock>>,
}

/// The part of DRAM up to which a file is expected to stay in it: the rest is
/// for what the engine and its users hold there themselves.
const SHARE_OF_MEMORY: u64 = 2;

/// Shorter pieces wait for the fence, which writes them back with others.
const WRITE_BACK_AT_ONCE: u64 = 32 << 10;

impl FileMedium {
    /// The medium over an open file. What it holds is made durable first, but `unsynced`: if
    /// it is new, or only read.
    ///
    /// # Errors
    /// The system's error for the length of the file, or for the sync of what it held.
    pub fn over(
        name: &str,
        calls: Box<dyn FileCalls>,
        unsynced: bool,
    ) -> Result<Self, MediumError> {
        if !unsynced && !failpoint!("file.opened-without-sync") {
            // Bytes that a killed process wrote are visible before they are durable.
            // After this sync, recovery sees only what the medium holds.
            calls
                .sync()
                .map_err(|error| host::io_error(name, "syncing what it held", error))?;
        }
        let len = calls
            .length()
            .map_err(|error| host::io_error(name, "asking its size", error))?;
        Ok(Self {
            name: name.to_string(),
            base: AtomicPtr::new(calls.base().cast_mut()),
            calls,
            len: AtomicU64::new(len),
            growing: Mutex::new(()),
            written: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            syncing: Mutex::new(()),
            poisoned: AtomicBool::new(false),
            opener: Process::this(),
            faults: None,
            memory_bytes: u64::MAX,
            exceeds_memory: AtomicBool::new(false),
            announced: AtomicU64::new(0),
            _lock: None,
        })
    }

    /// Bytes that [`Medium::will_need`] asked for until now.
    pub fn announced_bytes(&self) -> u64 {
        self.announced.load(Ordering::Relaxed)
    }

    /// In a file that is larger than memory, a page that is missing is read alone: the
    /// system would drop the pages around it before they are used. A reader that goes in
    /// order announces its ranges.
    fn consider_memory(&self, len: u64) {
        if len > self.memory_bytes / SHARE_OF_MEMORY
            && !self.exceeds_memory.swap(true, Ordering::AcqRel)
        {
            self.calls.read_pages_alone();
        }
    }

    /// Length of the part of a range that is in the file, if there is any.
    fn part_of(&self, offset: u64, len: u64) -> Option<NonZeroU64> {
        NonZeroU64::new(len.min(self.len().saturating_sub(offset)))
    }

    /// Whether an earlier sync failed.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Acquire)
    }

    fn refuse_if_not_writable(&self) -> Result<(), MediumError> {
        self.opener.refuse_child()?;
        if self.is_poisoned() {
            return Err(MediumError::Poisoned {
                file: self.name.clone(),
            });
        }
        Ok(())
    }

    fn meet_fault(&self, call: FileCall, len: usize) -> io::Result<usize> {
        match &self.faults {
            None => Ok(len),
            Some(faults) => Ok(faults.meet(call, len)?),
        }
    }

    /// An error of a call that leaves everything as it was when the disk or the quota
    /// is full.
    fn space_error(&self, doing: &'static str, error: io::Error, wanted_bytes: u64) -> MediumError {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => MediumError::NoSpace {
                file: self.name.clone(),
                wanted_bytes,
            },
            _ => host::io_error(&self.name, doing, error),
        }
    }

    fn out_of_bounds(&self, offset: u64, len: u64) -> MediumError {
        MediumError::OutOfBounds {
            file: self.name.clone(),
            offset,
            len,
            file_len: self.len(),
        }
    }

    /// The end of a range, or an error if it is past the end of the file.
    fn end_of(&self, offset: u64, len: u64) -> Result<u64, MediumError> {
        host::checked_end(offset, len, self.len()).ok_or_else(|| self.out_of_bounds(offset, len))
    }

    /// Notes a change that the next fence must make durable. After the change:
    /// a fence that starts in between counts it only if it covers it.
    fn note_written(&self) {
        self.written.fetch_add(1, Ordering::Release);
    }

    fn write_all(&self, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let allowed = self.meet_fault(FileCall::Write, bytes.len());
            let written = allowed.and_then(|allowed| self.calls.write(offset, &bytes[..allowed]));
            let step = match written {
                // The system never says so for a file; not to loop for ever.
                Ok(0) => return Err(Errno::IO.into()),
                Ok(step) => step,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(error) => return Err(error),
            };
            offset += step as u64;
            bytes = &bytes[step..];
        }
        Ok(())
    }

    /// Another process may have made the file longer since we looked.
    #[cold]
    fn touch_again(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        // Not while we grow it ourselves: a growth that fails is taken back.
        let _growing = self.growing.lock();
        let now = self
            .calls
            .length()
            .map_err(|error| host::io_error(&self.name, "asking its size", error))?
            .min(self.calls.most_bytes());
        self.len.fetch_max(now, Ordering::AcqRel);
        self.consider_memory(now);
        self.end_of(offset, len).map(drop)
    }
}

impl Medium for FileMedium {
    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> Properties {
        Properties {
            byte_addressed: false,
            durability: DurabilityLevel::Power,
            line_bytes: 4096,
        }
    }

    #[inline]
    fn len(&self) -> u64 {
        self.len.load(Ordering::Acquire)
    }

    fn grow(&self, len: u64) -> Result<(), MediumError> {
        let _growing = self.growing.lock();
        let from = self.len();
        if len <= from {
            return Ok(());
        }
        self.refuse_if_not_writable()?;
        if len > self.calls.most_bytes() {
            return Err(MediumError::Unsupported(format!(
                "{}: {len} bytes do not fit into the {} bytes of address space that the system \
                 granted (see ulimit -v)",
                self.name,
                self.calls.most_bytes()
            )));
        }
        self.meet_fault(FileCall::Grow, 0)
            .and_then(|_| self.calls.extend(from, len))
            .map_err(|error| self.space_error("reserving space", error, len - from))?;
        if !failpoint!("file.growth-not-counted") {
            self.note_written();
        }
        self.len.store(len, Ordering::Release);
        self.consider_memory(len);
        Ok(())
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let end = self.end_of(offset, len)?;
        self.refuse_if_not_writable()?;
        self.calls
            .punch(offset, end)
            .map_err(|error| host::io_error(&self.name, "giving space back", error))
    }

    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let end = self.end_of(offset, len)?;
        if !self.calls.has_holes() {
            return Ok(());
        }
        self.refuse_if_not_writable()?;
        self.meet_fault(FileCall::Grow, 0)
            .and_then(|_| self.calls.fill(offset, end, self.len()))
            .map_err(|error| self.space_error("reserving space", error, len))?;
        self.note_written();
        Ok(())
    }

    #[inline]
    fn base(&self) -> *const u8 {
        self.base.load(Ordering::Relaxed)
    }

    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        if host::checked_end(offset, len, self.len()).is_none() {
            self.touch_again(offset, len)?;
        }
        self.calls
            .touch(offset, len)
            .map_err(|error| host::io_error(&self.name, "reading", error))
    }

    /// After an error some first part of the bytes may have been written.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.end_of(offset, bytes.len() as u64)?;
        self.refuse_if_not_writable()?;
        let is_counted = failpoint!(
            "file.counted-before-written",
            { self.note_written(); true },
            else false
        );
        let result = self.write_all(offset, bytes);
        if !is_counted {
            // Also after an error, for the part that was written.
            self.note_written();
        }
        result.map_err(|error| self.space_error("writing", error, bytes.len() as u64))
    }

    fn store_u32(&self, _offset: u64, _value: u32) {
        panic!("{}: a file takes no single stores", self.name);
    }

    fn store_u64(&self, _offset: u64, _value: u64) {
        panic!("{}: a file takes no single stores", self.name);
    }

    /// Writing back is the fence's business. But where the file exceeds memory,
    /// large pieces are written back from now on, so that the page cache does not
    /// fill with what cannot be dropped.
    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.end_of(offset, len)?;
        if len >= WRITE_BACK_AT_ONCE {
            self.wont_need(offset, len);
        }
        Ok(())
    }

    #[inline]
    fn fits_in_memory(&self) -> bool {
        !self.exceeds_memory.load(Ordering::Relaxed)
    }

    fn concurrency_for_random_reads(&self) -> Option<usize> {
        self.calls.concurrency_for_random_reads(self.len())
    }

    fn will_need(&self, offset: u64, len: u64) {
        if !self.fits_in_memory() {
            self.announced.fetch_add(len, Ordering::Relaxed);
            if let Some(len) = self.part_of(offset, len) {
                self.calls.will_need(offset, len);
            }
        }
    }

    /// The system begins to write back what is not yet, and drops what is.
    fn wont_need(&self, offset: u64, len: u64) {
        if !self.fits_in_memory()
            && let Some(len) = self.part_of(offset, len)
        {
            self.calls.wont_need(offset, len);
        }
    }

    fn fence(&self) -> Result<(), MediumError> {
        self.refuse_if_not_writable()?;
        let mine = self.written.load(Ordering::Acquire);
        if self.synced.load(Ordering::Acquire) >= mine {
            return Ok(());
        }
        let _syncing = self.syncing.lock();
        // The sync we waited for may have failed, or covered us as well.
        self.refuse_if_not_writable()?;
        if self.synced.load(Ordering::Acquire) >= mine {
            return Ok(());
        }
        let covered = self.written.load(Ordering::Acquire);
        // An interrupted sync is a failed one: what it covered is not known.
        let result = self
            .meet_fault(FileCall::Sync, 0)
            .and_then(|_| self.calls.sync());
        match result {
            Ok(()) => {
                // Itself, where failpoints are compiled out.
                #[allow(clippy::redundant_locals)]
                let covered = failpoint!(
                    "file.counted-after-sync",
                    self.written.load(Ordering::Acquire),
                    else covered
                );
                self.synced.store(covered, Ordering::Release);
                Ok(())
            }
            Err(error) => {
                self.poisoned.store(true, Ordering::Release);
                Err(host::io_error(&self.name, "syncing", error))
            }
        }
    }
}
