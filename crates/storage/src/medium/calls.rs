//! The system calls of one ordinary file: the seam below [`super::FileMedium`], so that
//! tests run its code over a disk that they cut off and interrupt.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::Advice;

use super::concurrency;
use super::host::{self, Holes, Mapped, Mapping};

/// One open file of an operating system.
///
/// Offsets and lengths are in bytes. Implemented by the host's files and by simulated
/// ones; a short write and an interrupted call are for the caller to go on with.
pub trait FileCalls: Send + Sync + 'static {
    /// Start of the bytes in this process's memory: fixed for the life of the file, and
    /// valid below its length.
    fn base(&self) -> *const u8;

    /// The length up to which [`FileCalls::base`] reaches.
    fn most_bytes(&self) -> u64;

    /// The file's length now.
    fn length(&self) -> io::Result<u64>;

    /// `pwrite`: writes some first part of `bytes`, and says how much.
    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize>;

    /// `fdatasync`: the file's content and length are durable.
    fn sync(&self) -> io::Result<()>;

    /// Makes the file `to` bytes long, from `from`, with all its space reserved. After an
    /// error it is as long as before.
    fn extend(&self, from: u64, to: u64) -> io::Result<()>;

    /// Gives the space of a range back; best effort.
    fn punch(&self, offset: u64, end: u64) -> io::Result<()>;

    /// Whether a range may need [`FileCalls::fill`].
    fn has_holes(&self) -> bool;

    /// Reserves the space of a range again, in a file of `len` bytes.
    fn fill(&self, offset: u64, end: u64, len: u64) -> io::Result<()>;

    /// Called before a range is read; a simulated disk decides here what it holds.
    fn touch(&self, offset: u64, len: u64) -> io::Result<()> {
        let _ = (offset, len);
        Ok(())
    }

    /// A page that is missing is to be read alone. A hint.
    fn read_pages_alone(&self) {}

    /// A range is read soon. A hint.
    fn will_need(&self, offset: u64, len: NonZeroU64) {
        let _ = (offset, len);
    }

    /// A range is not read soon. A hint.
    fn wont_need(&self, offset: u64, len: NonZeroU64) {
        let _ = (offset, len);
    }

    /// See [`super::Medium::concurrency_for_random_reads`].
    fn concurrency_for_random_reads(&self, len: u64) -> Option<usize> {
        let _ = len;
        None
    }
}

/// A file of this machine.
pub(super) struct HostFile {
    file: OwnedFd,
    mapping: Mapping,
    holes: Holes,
}

impl HostFile {
    /// Maps an open file of `len` bytes for reading.
    pub(super) fn of(file: OwnedFd, len: u64) -> io::Result<Self> {
        Ok(Self {
            mapping: Mapping::of_file(file.as_fd(), len, Mapped::Read)?,
            holes: Holes::of(file.as_fd(), len),
            file,
        })
    }

    fn advise(&self, offset: u64, len: NonZeroU64, advice: Advice) {
        let _ = rustix::fs::fadvise(&self.file, offset, Some(len), advice);
    }
}

impl FileCalls for HostFile {
    fn base(&self) -> *const u8 {
        self.mapping.base()
    }

    fn most_bytes(&self) -> u64 {
        self.mapping.len()
    }

    fn length(&self) -> io::Result<u64> {
        Ok(host::length(&self.file)?)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::pwrite(&self.file, bytes, offset)?)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fdatasync(&self.file)?)
    }

    fn extend(&self, from: u64, to: u64) -> io::Result<()> {
        Ok(host::extend(self.file.as_fd(), from, to)?)
    }

    fn punch(&self, offset: u64, end: u64) -> io::Result<()> {
        Ok(self.holes.punch(self.file.as_fd(), offset, end)?)
    }

    fn has_holes(&self) -> bool {
        self.holes.any()
    }

    fn fill(&self, offset: u64, end: u64, len: u64) -> io::Result<()> {
        Ok(self.holes.fill(self.file.as_fd(), offset, end, len)?)
    }

    fn read_pages_alone(&self) {
        self.mapping.advise_random();
    }

    fn will_need(&self, offset: u64, len: NonZeroU64) {
        self.advise(offset, len, Advice::WillNeed);
    }

    fn wont_need(&self, offset: u64, len: NonZeroU64) {
        self.advise(offset, len, Advice::DontNeed);
    }

    fn concurrency_for_random_reads(&self, len: u64) -> Option<usize> {
        concurrency::for_random_reads(self.file.as_fd(), len)
    }
}
