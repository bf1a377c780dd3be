//! Media `dax` and `battery` (and the memory of `dram`): bytes mapped into this
//! process, made durable by cache-line flushes and a store fence.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;
use rustix::io::Errno;

use super::cache::{self, Flush};
use super::directory::Directory;
use super::host::{self, Holes, Mapped, Mapping};
use super::lock::{self, Access, DatabaseLock};
use super::{DurabilityLevel, Medium, MediumError, MediumHandle, Properties, Storage};
use crate::error::StorageError;
use crate::process::Process;

/// Protection of mapped bytes against a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MappedKind {
    /// Persistent memory: what left the caches is safe.
    Dax,
    /// The caches are protected too, by a battery or eADR: no flushes. To be
    /// claimed only where the platform proves it.
    Battery,
    /// Nothing: ordinary memory, gone with the process.
    Dram,
}

impl MappedKind {
    /// Name of the medium.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dax => "dax",
            Self::Battery => "battery",
            Self::Dram => "dram",
        }
    }
}

/// The files of a database in a directory whose files can be mapped.
#[derive(Clone)]
pub struct MappedStorage {
    directory: Arc<Directory>,
    /// Shared with each file that is opened, so that none outlives it.
    lock: Option<Arc<DatabaseLock>>,
    kind: MappedKind,
    assume_persistent: bool,
}

impl MappedStorage {
    /// Uses a directory that exists.
    ///
    /// Files are mapped with `MAP_SYNC`, and acknowledged as
    /// [`DurabilityLevel::Power`]. Where the system refuses that, opening a file fails;
    /// with `assume_persistent` it is mapped plainly and acknowledged as
    /// [`DurabilityLevel::Process`].
    pub fn open(
        directory: impl AsRef<Path>,
        kind: MappedKind,
        assume_persistent: bool,
    ) -> Result<Self, MediumError> {
        Self::at(directory.as_ref(), kind, assume_persistent, false)
    }

    /// As [`MappedStorage::open`]; makes the directory (mode 0700) and its parents if
    /// they are missing, and their names durable.
    pub fn create(
        directory: impl AsRef<Path>,
        kind: MappedKind,
        assume_persistent: bool,
    ) -> Result<Self, MediumError> {
        Self::at(directory.as_ref(), kind, assume_persistent, true)
    }

    fn at(
        path: &Path,
        kind: MappedKind,
        assume_persistent: bool,
        create: bool,
    ) -> Result<Self, MediumError> {
        if kind == MappedKind::Dram {
            return Err(MediumError::Unsupported(
                "the medium dram has no directory".to_string(),
            ));
        }
        Ok(Self {
            directory: Arc::new(Directory::open(path, create)?),
            lock: None,
            kind,
            assume_persistent,
        })
    }

    /// Locks the database in the directory, as [`super::FileStorage::locked`].
    ///
    /// # Errors
    /// As there.
    pub fn locked(mut self, access: Access) -> Result<Self, StorageError> {
        self.lock = Some(lock::lock(&mut self.directory, access)?);
        Ok(self)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    fn map(
        &self,
        name: &str,
        file: &OwnedFd,
        len: u64,
    ) -> Result<(Mapping, DurabilityLevel), MediumError> {
        let (synced, plain) = match self.directory.read_only {
            true => (Mapped::ReadSync, Mapped::Read),
            false => (Mapped::WriteSync, Mapped::Write),
        };
        match Mapping::of_file(file.as_fd(), len, synced) {
            Ok(mapping) => return Ok((mapping, DurabilityLevel::Power)),
            Err(Errno::OPNOTSUPP) if self.assume_persistent => {}
            Err(Errno::OPNOTSUPP) => {
                return Err(MediumError::Unsupported(format!(
                    "{}: the medium {} needs a DAX file system on persistent memory, and the \
                     system refused to map {name} with MAP_SYNC; --assume-persistent uses the \
                     directory all the same, and then commits survive the process, not a power cut",
                    self.path().display(),
                    self.kind.name(),
                )));
            }
            Err(error) => return Err(host::io_error(name, "mapping it", error)),
        }
        let mapping = Mapping::of_file(file.as_fd(), len, plain)
            .map_err(|error| host::io_error(name, "mapping it", error))?;
        Ok((mapping, DurabilityLevel::Process))
    }
}

impl Storage for MappedStorage {
    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    fn share(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    fn exists(&self, name: &str) -> Result<bool, MediumError> {
        self.directory.exists(name)
    }

    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError> {
        let (file, len) = self.directory.open_file(name, create)?;
        if !create && !self.directory.read_only {
            host::sync_what_it_held(name, &file)?;
        }
        let (mapping, durability) = match self.map(name, &file, len) {
            Ok(mapped) => mapped,
            Err(error) => {
                if create {
                    // Made a moment ago, and of no use.
                    let _ = self.directory.remove(name);
                }
                return Err(error);
            }
        };
        mapping.advise_huge(len);
        Ok(MediumHandle::Mapped(Arc::new(MappedMedium {
            base: mapping.base(),
            len: AtomicU64::new(len),
            flush: match self.kind {
                MappedKind::Dax => Flush::detect(),
                MappedKind::Battery | MappedKind::Dram => Flush::Nothing,
            },
            fenced: true,
            poisoned: AtomicBool::new(false),
            opener: Process::this(),
            durability,
            name: name.to_string(),
            holes: Holes::of(file.as_fd(), len),
            file: Some(file),
            mapping,
            growing: Mutex::new(()),
            _lock: self.lock.clone(),
        })))
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

/// One range of mapped bytes; see [`MappedStorage`] and
/// [`super::DramStorage`].
///
/// Single stores and their flushes are an instruction each after a bounds
/// check. On processors other than x86-64 a flush is an `msync`.
#[repr(align(64))]
pub struct MappedMedium {
    /// Of `mapping`, beside what every store needs.
    base: *mut u8,
    /// Never more than what is mapped and backed.
    len: AtomicU64,
    flush: Flush,
    /// Whether a fence means anything.
    fenced: bool,
    /// A flush or growth that waits for the system has failed.
    poisoned: AtomicBool,
    opener: Process,
    durability: DurabilityLevel,
    name: String,
    /// `None` for memory without a file.
    file: Option<OwnedFd>,
    mapping: Mapping,
    holes: Holes,
    growing: Mutex<()>,
    /// Given back last.
    _lock: Option<Arc<DatabaseLock>>,
}

// SAFETY: `base` points into `mapping`, which the struct owns and which never
// moves. Through `&self` bytes are changed by atomic stores and by `write`,
// whose callers keep writers and readers of one range apart (see `Medium`).
unsafe impl Send for MappedMedium {}
// SAFETY: as above.
unsafe impl Sync for MappedMedium {}

impl MappedMedium {
    /// Memory of the medium `dram`.
    pub(super) fn volatile(name: &str) -> Result<Self, MediumError> {
        let mapping = Mapping::anonymous_file()
            .map_err(|error| host::io_error(name, "reserving address space", error))?;
        Ok(Self {
            base: mapping.base(),
            len: AtomicU64::new(0),
            flush: Flush::Nothing,
            fenced: false,
            poisoned: AtomicBool::new(false),
            opener: Process::this(),
            durability: DurabilityLevel::Volatile,
            name: name.to_string(),
            file: None,
            mapping,
            holes: Holes::none(),
            growing: Mutex::new(()),
            _lock: None,
        })
    }

    /// Instruction that flushes a line (`clwb`, …, or `none`), for results.
    pub fn flush_instruction(&self) -> &'static str {
        self.flush.name()
    }

    #[cold]
    fn out_of_bounds(&self, offset: u64, len: u64) -> MediumError {
        MediumError::OutOfBounds {
            file: self.name.clone(),
            offset,
            len,
            file_len: self.len(),
        }
    }

    #[inline(always)]
    fn end_of(&self, offset: u64, len: u64) -> Result<u64, MediumError> {
        match host::checked_end(offset, len, self.len()) {
            Some(end) => Ok(end),
            None => Err(self.out_of_bounds(offset, len)),
        }
    }

    #[cold]
    fn refused(&self) -> MediumError {
        MediumError::Poisoned {
            file: self.name.clone(),
        }
    }

    fn refuse_if_not_writable(&self) -> Result<(), MediumError> {
        self.opener.refuse_child()?;
        if self.poisoned.load(Ordering::Acquire) {
            return Err(self.refused());
        }
        Ok(())
    }

    #[cold]
    fn poison(&self, doing: &'static str, error: Errno) -> MediumError {
        self.poisoned.store(true, Ordering::Release);
        host::io_error(&self.name, doing, error)
    }

    /// Address of a word of `size` bytes.
    #[inline(always)]
    fn word(&self, offset: u64, size: u64) -> *mut u8 {
        if !offset.is_multiple_of(size)
            || host::checked_end(offset, size, self.len.load(Ordering::Relaxed)).is_none()
        {
            self.refuse_word(offset, size);
        }
        self.base.wrapping_add(offset as usize)
    }

    #[cold]
    #[inline(never)]
    fn refuse_word(&self, offset: u64, size: u64) -> ! {
        panic!(
            "{}: a store of {size} bytes at {offset} is not aligned, or past the end at {}",
            self.name,
            self.len()
        );
    }

    /// Another process may have made the file longer since we looked.
    #[cold]
    fn touch_again(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        if let Some(file) = &self.file {
            // Not while we grow it ourselves: a growth that fails is taken back.
            let _growing = self.growing.lock();
            let now = host::length(file)
                .map_err(|error| host::io_error(&self.name, "asking its size", error))?
                .min(self.mapping.len());
            self.len.fetch_max(now, Ordering::AcqRel);
        }
        self.end_of(offset, len).map(drop)
    }

    /// Checks what every write needs, and returns where it goes.
    fn target(&self, offset: u64, len: u64) -> Result<*mut u8, MediumError> {
        self.end_of(offset, len)?;
        self.refuse_if_not_writable()?;
        if self.holes.any() {
            self.reserve(offset, len)?;
        }
        Ok(self.base.wrapping_add(offset as usize))
    }
}

impl Medium for MappedMedium {
    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> Properties {
        Properties {
            byte_addressed: true,
            durability: self.durability,
            line_bytes: cache::LINE as usize,
        }
    }

    #[inline(always)]
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
        if len > self.mapping.len() {
            return Err(MediumError::Unsupported(format!(
                "{}: {len} bytes do not fit into the {} bytes of address space that the system \
                 granted (see ulimit -v)",
                self.name,
                self.mapping.len()
            )));
        }
        if let Some(file) = &self.file {
            host::extend(file.as_fd(), from, len).map_err(|errno| {
                host::space_error(&self.name, "reserving space", errno, len - from)
            })?;
            if self.durability == DurabilityLevel::Power {
                // Our fence orders stores only; the new length is the system's.
                rustix::fs::fdatasync(file)
                    .map_err(|error| self.poison("syncing its new length", error))?;
            }
        }
        self.mapping.advise_huge(len);
        self.len.store(len, Ordering::Release);
        Ok(())
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let end = self.end_of(offset, len)?;
        self.refuse_if_not_writable()?;
        match &self.file {
            Some(file) => self
                .holes
                .punch(file.as_fd(), offset, end)
                .map_err(|error| host::io_error(&self.name, "giving space back", error)),
            None => {
                self.mapping.forget(offset, end);
                Ok(())
            }
        }
    }

    /// Single stores into a discarded range need this; `write` does it itself.
    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let end = self.end_of(offset, len)?;
        match &self.file {
            Some(file) if self.holes.any() => self
                .holes
                .fill(file.as_fd(), offset, end, self.len())
                .map_err(|errno| host::space_error(&self.name, "reserving space", errno, len)),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn base(&self) -> *const u8 {
        self.base
    }

    #[inline]
    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        match host::checked_end(offset, len, self.len()) {
            Some(_) => Ok(()),
            None => self.touch_again(offset, len),
        }
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        let target = self.target(offset, bytes.len() as u64)?;
        // SAFETY: `target` checked that the range is mapped, and backed by
        // reserved space; `bytes` is a Rust slice, which never lies in the
        // mapping's writable range while it is written (see `Medium`).
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
        Ok(())
    }

    /// From 256 bytes on by non-temporal stores.
    #[cfg(target_arch = "x86_64")]
    fn write_through(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        if bytes.len() < STREAM_BYTES || self.flush == Flush::Nothing {
            self.write(offset, bytes)?;
            return self.flush(offset, bytes.len() as u64);
        }
        let len = bytes.len() as u64;
        let target = self.target(offset, len)?;
        // SAFETY: as in `write`.
        unsafe { cache::stream(bytes.as_ptr(), target, bytes.len()) };
        // The lines at the ends, of which only a part was written.
        if !offset.is_multiple_of(cache::LINE) {
            self.flush(offset, 1)?;
        }
        if !(offset + len).is_multiple_of(cache::LINE) {
            self.flush(offset + len - 1, 1)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn store_u32(&self, offset: u64, value: u32) {
        let word = self.word(offset, 4).cast::<AtomicU32>();
        // SAFETY: `word` checked that the four bytes are mapped and aligned (the
        // base is aligned to pages), and the mapping lives as long as `self`.
        unsafe { (*word).store(value, Ordering::Release) };
    }

    #[inline(always)]
    fn store_u64(&self, offset: u64, value: u64) {
        let word = self.word(offset, 8).cast::<AtomicU64>();
        // SAFETY: as in `store_u32`, eight bytes.
        unsafe { (*word).store(value, Ordering::Release) };
    }

    #[inline(always)]
    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let end = self.end_of(offset, len)?;
        if self.flush == Flush::Nothing {
            return Ok(());
        }
        // SAFETY: the range is mapped and backed, as just checked.
        match unsafe { self.flush.lines(self.base, offset, end) } {
            Ok(()) => Ok(()),
            Err(error) => Err(self.poison("flushing", error)),
        }
    }

    #[inline(always)]
    fn fence(&self) -> Result<(), MediumError> {
        if self.fenced {
            cache::fence();
        }
        if self.poisoned.load(Ordering::Relaxed) {
            return Err(self.refused());
        }
        Ok(())
    }
}

/// Copies shorter than this are faster through the caches.
#[cfg(target_arch = "x86_64")]
const STREAM_BYTES: usize = 256;
