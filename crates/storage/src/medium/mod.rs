//! Media: where bytes persist, and how one makes them.
//!
//! One trait, [`Medium`], for one flat range of bytes (one file of a database),
//! and one, [`Storage`], for the set of files that a database consists of. What
//! each medium guarantees after a power cut is in `docs/durability.md`.

use std::sync::Arc;

mod cache;
mod calls;
mod combining;
mod concurrency;
mod counters;
mod directory;
mod dram;
mod emulated;
mod faults;
mod file;
mod host;
mod latency;
mod lock;
mod mapped;
mod memory;

pub use cache::{prefetch_for_read, prefetch_for_write};
pub use calls::FileCalls;
pub use counters::{Counters, CountersSnapshot};
pub use dram::DramStorage;
pub use emulated::{Emulated, EmulatedDevice, EmulatedStorage};
pub use faults::{FileCall, FileFault, FileFaults};
pub use file::{FileMedium, FileStorage};
pub use host::memory_bytes;
pub use latency::LatencyProfile;
pub use lock::{Access, DatabaseLock};
pub use mapped::{MappedKind, MappedMedium, MappedStorage};
pub use memory::Memory;

/// Failures that a commit withstands once it has been acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DurabilityLevel {
    /// Nothing: the data lives in DRAM only.
    Volatile,
    /// The end of the process (`kill -9`), not a power cut.
    Process,
    /// A power cut.
    Power,
}

impl DurabilityLevel {
    /// The word that reports say.
    pub fn name(self) -> &'static str {
        match self {
            DurabilityLevel::Volatile => "volatile",
            DurabilityLevel::Process => "process",
            DurabilityLevel::Power => "power",
        }
    }
}

/// Properties of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Single aligned stores ([`Medium::store_u32`], [`Medium::store_u64`]) are
    /// possible and atomic. `false` for ordinary files.
    pub byte_addressed: bool,
    /// Level that is reached when [`Medium::fence`] returns.
    pub durability: DurabilityLevel,
    /// Bytes that a flush works on: 64 for cache lines, 4096 for pages.
    pub line_bytes: usize,
}

/// Errors below the data structures.
#[derive(Debug, thiserror::Error)]
pub enum MediumError {
    /// The operating system refused.
    #[error("{file}: {doing}: {source}")]
    Io {
        /// File of the database.
        file: String,
        /// The operation that failed.
        doing: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// No space is left; nothing was changed.
    #[error("{file}: no space left for {wanted_bytes} bytes (free some space and try again)")]
    NoSpace {
        /// File of the database.
        file: String,
        /// Bytes that were asked for.
        wanted_bytes: u64,
    },
    /// An earlier sync failed, so what the medium holds is unknown; the
    /// database must be reopened.
    #[error("{file}: an earlier sync failed; close and reopen the database")]
    Poisoned {
        /// File of the database.
        file: String,
    },
    /// A child of `fork` uses what its parent has opened.
    #[error(
        "the database was opened by the parent of this process, which alone may use it; open it \
         here after the fork"
    )]
    AfterFork,
    /// An access past the end, from a length or offset that cannot be right.
    #[error(
        "{file}: offset {offset} + {len} is outside the file's {file_len} bytes (truncated or damaged)"
    )]
    OutOfBounds {
        /// File of the database.
        file: String,
        /// Offset of the access.
        offset: u64,
        /// Bytes of the access.
        len: u64,
        /// The file's size.
        file_len: u64,
    },
    /// Direct mode stores words in place, which files cannot do.
    #[error("direct mode needs a byte-addressed medium: choose dax, battery or dram")]
    NotByteAddressed,
    /// The machine or the directory cannot give what the medium promises.
    #[error("{0}")]
    Unsupported(String),
}

/// One flat range of persistent bytes: one file of a database.
///
/// # Order
/// Bytes written or stored become durable only when they have been flushed by
/// [`Medium::flush`] and a following [`Medium::fence`] **on the same thread** has
/// returned `Ok`. Before that, any part of them may or may not survive.
///
/// # Reading
/// [`Medium::base`] stays valid and fixed for the life of the medium, for all
/// offsets below [`Medium::len`]. Call [`Medium::touch`] before reading a range
/// for the first time after opening: it checks bounds, and the simulated medium
/// decides there what a power cut left behind.
///
/// # Sharing
/// Ranges that are read as slices must not be written at the same time; the
/// region above guarantees it (published extents are immutable).
pub trait Medium: Send + Sync + 'static {
    /// Name of the file, for messages.
    fn name(&self) -> &str;

    /// Returns the medium's properties.
    fn properties(&self) -> Properties;

    /// Bytes that can be used.
    fn len(&self) -> u64;

    /// Whether there are no bytes yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes `0..len` usable, the new part zeroed and its space reserved on the
    /// device, so that a later write cannot run out of space. Durable with the
    /// next fence. Does nothing if the medium is that long already.
    fn grow(&self, len: u64) -> Result<(), MediumError>;

    /// Gives the space of a range back to the system; it reads as anything
    /// afterwards (on most media zeros). The length stays. Best effort.
    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError>;

    /// Reserves space again for a range that may have been discarded, as
    /// [`Medium::grow`] did at first. Call it before using such a range: on a
    /// full disk a store into a hole would end the process. Cheap if there are
    /// no holes.
    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let _ = (offset, len);
        Ok(())
    }

    /// Start of the bytes in this process's memory.
    fn base(&self) -> *const u8;

    /// Checks that `offset..offset + len` can be read.
    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError>;

    /// Copies `bytes` to `offset` (ordinary stores or an explicit write).
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError>;

    /// [`Medium::write`] and [`Medium::flush`] in one, for bulk data that will
    /// not be read soon: byte-addressed media pass the caches by. Until the
    /// fence, any subset of the 8-byte words may survive.
    fn write_through(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.write(offset, bytes)?;
        self.flush(offset, bytes.len() as u64)
    }

    /// One atomic store of an aligned word. Byte-addressed media only.
    ///
    /// # Panics
    /// If `offset` is not a multiple of 4 or past the end, or the medium is not
    /// byte-addressed.
    fn store_u32(&self, offset: u64, value: u32);

    /// As [`Medium::store_u32`], eight bytes.
    fn store_u64(&self, offset: u64, value: u64);

    /// Starts making a range durable.
    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError>;

    /// Returns when all that this thread flushed before is durable. After an
    /// error the medium refuses every later write and fence.
    fn fence(&self) -> Result<(), MediumError>;

    /// Whether all of it may be expected to stay in DRAM once it was read. Where not,
    /// readers that know their next ranges announce them by [`Medium::will_need`].
    fn fits_in_memory(&self) -> bool {
        true
    }

    /// Starts fetching a range that is read soon. A hint: bounds are cut, errors
    /// ignored. Does nothing where [`Medium::fits_in_memory`].
    fn will_need(&self, offset: u64, len: u64) {
        let _ = (offset, len);
    }

    /// The range will not be read soon, so that DRAM is better used for others. A
    /// hint, as [`Medium::will_need`].
    fn wont_need(&self, offset: u64, len: u64) {
        let _ = (offset, len);
    }

    /// With how many random reads at once the device reads about as fast as it
    /// can; measured, in a few milliseconds. `None` where there is no device, or
    /// too little to measure it on.
    fn concurrency_for_random_reads(&self) -> Option<usize> {
        None
    }

    /// Copies a range out, after [`Medium::touch`].
    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), MediumError> {
        self.touch(offset, into.len() as u64)?;
        // SAFETY: `touch` checked that the range lies below `len`, where `base`
        // is valid; `into` is a distinct Rust allocation.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.base().add(offset as usize),
                into.as_mut_ptr(),
                into.len(),
            );
        }
        Ok(())
    }
}

/// A medium of any kind, chosen at run time.
///
/// Bulk paths go through `dyn Medium` or this enum. A path where a single
/// store counts matches once on the enum and runs generic code for the kind.
#[derive(Clone)]
pub enum MediumHandle {
    /// Ordinary file.
    File(Arc<FileMedium>),
    /// Mapped bytes: `dax`, `battery`, `dram`.
    Mapped(Arc<MappedMedium>),
    /// Counting decorator.
    Emulated(Arc<Emulated>),
    /// Any other, called through a table of functions.
    Other(Arc<dyn Medium>),
}

/// Calls a method on whatever medium the handle holds.
macro_rules! each_medium {
    ($handle:expr, $medium:ident => $body:expr) => {
        match $handle {
            MediumHandle::File($medium) => $body,
            MediumHandle::Mapped($medium) => $body,
            MediumHandle::Emulated($medium) => $body,
            MediumHandle::Other($medium) => $body,
        }
    };
}

impl Medium for MediumHandle {
    fn name(&self) -> &str {
        each_medium!(self, m => m.name())
    }
    fn properties(&self) -> Properties {
        each_medium!(self, m => m.properties())
    }
    fn len(&self) -> u64 {
        each_medium!(self, m => m.len())
    }
    fn grow(&self, len: u64) -> Result<(), MediumError> {
        each_medium!(self, m => m.grow(len))
    }
    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        each_medium!(self, m => m.discard(offset, len))
    }
    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        each_medium!(self, m => m.reserve(offset, len))
    }
    fn base(&self) -> *const u8 {
        each_medium!(self, m => m.base())
    }
    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        each_medium!(self, m => m.touch(offset, len))
    }
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        each_medium!(self, m => m.write(offset, bytes))
    }
    fn write_through(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        each_medium!(self, m => m.write_through(offset, bytes))
    }
    fn store_u32(&self, offset: u64, value: u32) {
        each_medium!(self, m => m.store_u32(offset, value))
    }
    fn store_u64(&self, offset: u64, value: u64) {
        each_medium!(self, m => m.store_u64(offset, value))
    }
    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        each_medium!(self, m => m.flush(offset, len))
    }
    fn fence(&self) -> Result<(), MediumError> {
        each_medium!(self, m => m.fence())
    }
    fn fits_in_memory(&self) -> bool {
        each_medium!(self, m => m.fits_in_memory())
    }
    fn will_need(&self, offset: u64, len: u64) {
        each_medium!(self, m => m.will_need(offset, len))
    }
    fn wont_need(&self, offset: u64, len: u64) {
        each_medium!(self, m => m.wont_need(offset, len))
    }
    fn concurrency_for_random_reads(&self) -> Option<usize> {
        each_medium!(self, m => m.concurrency_for_random_reads())
    }
}

/// The files of one database.
pub trait Storage: Send + Sync + 'static {
    /// Human name of the medium (`file`, `dax`, …).
    fn kind(&self) -> &'static str;

    /// Another handle on the same files, for a store that makes files later.
    fn share(&self) -> Arc<dyn Storage>;

    /// Whether a file of this name exists.
    fn exists(&self, name: &str) -> Result<bool, MediumError>;

    /// Opens a file; with `create`, makes it first (an error if it exists).
    /// The new name is durable when [`Storage::sync_names`] has returned.
    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError>;

    /// Removes a file. Media that are open on it go on until they are dropped.
    fn remove(&self, name: &str) -> Result<(), MediumError>;

    /// Makes creations and removals durable.
    fn sync_names(&self) -> Result<(), MediumError>;

    /// The lock of the database, where other processes may have it open.
    fn database_lock(&self) -> Option<Arc<DatabaseLock>> {
        None
    }
}
