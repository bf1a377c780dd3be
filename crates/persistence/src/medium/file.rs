//! Medium `file`: ordinary files, written by `pwrite`, made durable by
//! `fdatasync`, read through one read-only mapping.
//!
//! Never written through the mapping: the system could then write back a page in
//! the middle of an update. A failed sync poisons the medium for good, because
//! the system forgets which pages it lost and a second sync would succeed.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use rustix::io::Errno;

use super::faults::{FileCall, FileFaults};
use super::host::{self, Access, Directory, Holes, Mapping};
use super::{AckLevel, Medium, MediumError, MediumHandle, Properties, Storage};

/// The files of a database in an ordinary directory.
///
/// Files are made with mode 0600, links are not followed, and a file that
/// exists is never shortened.
pub struct FileStorage {
    directory: Directory,
    faults: Option<Arc<FileFaults>>,
}

impl FileStorage {
    /// Uses a directory that exists.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, MediumError> {
        Self::at(directory.as_ref(), false)
    }

    /// As [`FileStorage::open`]; makes the directory (mode 0700) if it is
    /// missing, not its parents.
    pub fn create(directory: impl AsRef<Path>) -> Result<Self, MediumError> {
        Self::at(directory.as_ref(), true)
    }

    fn at(path: &Path, create: bool) -> Result<Self, MediumError> {
        Ok(Self {
            directory: Directory::open(path, create)?,
            faults: None,
        })
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

    fn exists(&self, name: &str) -> Result<bool, MediumError> {
        self.directory.exists(name)
    }

    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError> {
        let (file, len) = self.directory.open_file(name, create)?;
        let mapping = Mapping::of_file(file.as_fd(), len, Access::Read)
            .map_err(|error| host::io_error(name, "mapping it for reading", error))?;
        Ok(MediumHandle::File(Arc::new(FileMedium {
            name: name.to_string(),
            holes: Holes::of(file.as_fd(), len),
            file,
            mapping,
            len: AtomicU64::new(len),
            growing: Mutex::new(()),
            written: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            syncing: Mutex::new(()),
            poisoned: AtomicBool::new(false),
            faults: self.faults.clone(),
        })))
    }

    fn remove(&self, name: &str) -> Result<(), MediumError> {
        self.directory.remove(name)
    }

    fn sync_names(&self) -> Result<(), MediumError> {
        self.directory.sync()
    }
}

/// One ordinary file; see [`FileStorage`].
///
/// A fence covers everything that any thread had written when it began, flushed
/// or not, so threads that fence at the same time share one `fdatasync`.
pub struct FileMedium {
    name: String,
    file: OwnedFd,
    mapping: Mapping,
    /// Never more than the file's real length: reads below it cannot fault.
    len: AtomicU64,
    growing: Mutex<()>,
    holes: Holes,
    /// Counts changes that are in the page cache; `synced` of them are durable.
    written: AtomicU64,
    synced: AtomicU64,
    syncing: Mutex<()>,
    poisoned: AtomicBool,
    faults: Option<Arc<FileFaults>>,
}

impl FileMedium {
    /// Whether an earlier sync failed.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Acquire)
    }

    fn refuse_if_poisoned(&self) -> Result<(), MediumError> {
        if self.is_poisoned() {
            return Err(MediumError::Poisoned {
                file: self.name.clone(),
            });
        }
        Ok(())
    }

    fn meet_fault(&self, call: FileCall, len: usize) -> Result<usize, Errno> {
        match &self.faults {
            None => Ok(len),
            Some(faults) => faults.meet(call, len),
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

    fn write_all(&self, mut offset: u64, mut bytes: &[u8]) -> Result<(), Errno> {
        while !bytes.is_empty() {
            let step = host::retry(|| {
                let allowed = self.meet_fault(FileCall::Write, bytes.len())?;
                rustix::io::pwrite(&self.file, &bytes[..allowed], offset)
            })?;
            if step == 0 {
                // The system never says so for a file; not to loop for ever.
                return Err(Errno::IO);
            }
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
        let now = host::length(&self.file)
            .map_err(|error| host::io_error(&self.name, "asking its size", error))?
            .min(self.mapping.len());
        self.len.fetch_max(now, Ordering::AcqRel);
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
            ack: AckLevel::Power,
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
        self.refuse_if_poisoned()?;
        if len > self.mapping.len() {
            return Err(MediumError::Unsupported(format!(
                "{}: {len} bytes do not fit into the {} bytes of address space that the system \
                 granted (see ulimit -v)",
                self.name,
                self.mapping.len()
            )));
        }
        self.meet_fault(FileCall::Grow, 0)
            .and_then(|_| host::extend(self.file.as_fd(), from, len))
            .map_err(|errno| host::space_error(&self.name, "reserving space", errno, len - from))?;
        self.note_written();
        self.len.store(len, Ordering::Release);
        Ok(())
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let end = self.end_of(offset, len)?;
        self.refuse_if_poisoned()?;
        self.holes
            .punch(self.file.as_fd(), offset, end)
            .map_err(|error| host::io_error(&self.name, "giving space back", error))
    }

    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let end = self.end_of(offset, len)?;
        if !self.holes.any() {
            return Ok(());
        }
        self.refuse_if_poisoned()?;
        self.meet_fault(FileCall::Grow, 0)
            .and_then(|_| self.holes.fill(self.file.as_fd(), offset, end, self.len()))
            .map_err(|errno| host::space_error(&self.name, "reserving space", errno, len))?;
        self.note_written();
        Ok(())
    }

    #[inline]
    fn base(&self) -> *const u8 {
        self.mapping.base()
    }

    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        match host::checked_end(offset, len, self.len()) {
            Some(_) => Ok(()),
            None => self.touch_again(offset, len),
        }
    }

    /// After an error some first part of the bytes may have been written.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.end_of(offset, bytes.len() as u64)?;
        self.refuse_if_poisoned()?;
        let result = self.write_all(offset, bytes);
        // Also after an error, for the part that was written.
        self.note_written();
        result.map_err(|errno| host::space_error(&self.name, "writing", errno, bytes.len() as u64))
    }

    fn store_u32(&self, _offset: u64, _value: u32) {
        panic!("{}: a file takes no single stores", self.name);
    }

    fn store_u64(&self, _offset: u64, _value: u64) {
        panic!("{}: a file takes no single stores", self.name);
    }

    /// Nothing but a check: writing back is the fence's business.
    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.end_of(offset, len).map(drop)
    }

    fn fence(&self) -> Result<(), MediumError> {
        self.refuse_if_poisoned()?;
        let mine = self.written.load(Ordering::Acquire);
        if self.synced.load(Ordering::Acquire) >= mine {
            return Ok(());
        }
        let _syncing = self.syncing.lock();
        // The sync we waited for may have failed, or covered us as well.
        self.refuse_if_poisoned()?;
        if self.synced.load(Ordering::Acquire) >= mine {
            return Ok(());
        }
        let covered = self.written.load(Ordering::Acquire);
        // An interrupted sync is a failed one: what it covered is not known.
        let result = self
            .meet_fault(FileCall::Sync, 0)
            .and_then(|_| rustix::fs::fdatasync(&self.file));
        match result {
            Ok(()) => {
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
