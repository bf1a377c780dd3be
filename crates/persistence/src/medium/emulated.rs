//! Decorator `emulated`: counts what a medium is asked for and what it would
//! write inside, and can be as slow as another device.
//!
//! On byte-addressed media the unit of the medium is 256 bytes behind a
//! write-combining buffer, and lines reach it when they are flushed. On files it
//! is a page, and all pages written since the last fence reach it at the fence.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::combining::{CombiningBuffer, LINES_PER_UNIT, Traffic};
use super::counters::{Counters, CountersSnapshot, add};
use super::host::{self, Mapping};
use super::latency::{Delay, LatencyProfile};
use super::{Medium, MediumError, MediumHandle, Properties, Storage};

/// Bits of a line's number that belong to its file: 2^40 lines a file.
const FILE_SHIFT: u32 = 40;

/// The device below a set of emulated files: one buffer, one bandwidth, one set
/// of counters, shared by all.
pub struct EmulatedDevice {
    counters: Counters,
    buffer: Mutex<CombiningBuffer>,
    delay: Option<Delay>,
    files: AtomicU64,
}

impl EmulatedDevice {
    /// A device that counts, and is as slow as `profile` says.
    pub fn new(profile: Option<LatencyProfile>) -> Arc<Self> {
        Arc::new(Self {
            counters: Counters::default(),
            buffer: Mutex::new(CombiningBuffer::new()),
            delay: profile.map(Delay::new),
            files: AtomicU64::new(0),
        })
    }

    /// The counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Empties the write-combining buffer, then returns the counts. Without it
    /// up to 64 units that were flushed are not counted as written yet.
    pub fn settle(&self) -> CountersSnapshot {
        let mut traffic = Traffic::default();
        self.buffer.lock().drain(&mut traffic);
        self.account(traffic, 256);
        self.counters.snapshot()
    }

    /// The profile that adds latency.
    pub fn profile(&self) -> Option<LatencyProfile> {
        self.delay.as_ref().map(Delay::profile)
    }

    fn account(&self, traffic: Traffic, unit_bytes: u64) {
        add(&self.counters.media_writes, traffic.writes);
        add(&self.counters.merge_reads, traffic.merge_reads);
        add(
            &self.counters.media_written_bytes,
            traffic.writes * unit_bytes,
        );
        if let Some(delay) = &self.delay {
            delay.transfer(
                traffic.merge_reads * unit_bytes,
                traffic.writes * unit_bytes,
            );
        }
    }
}

/// One bit a line: whether it was written since it last left the caches. As
/// large as a file can be; what is not used takes no memory.
struct DirtyLines {
    words: Mapping,
}

impl DirtyLines {
    fn new(line_bytes: u64) -> Result<Self, MediumError> {
        let words = Mapping::anonymous((1 << 40) / line_bytes / 8)
            .map_err(|error| host::io_error("emulated", "reserving address space", error))?;
        Ok(Self { words })
    }

    /// The word and bit of a line, if it is among those kept.
    #[inline(always)]
    fn at(&self, line: u64) -> Option<(&AtomicU64, u64)> {
        let word = line / 64;
        if word >= self.words.len() / 8 {
            return None;
        }
        // SAFETY: the word lies in the mapping (just checked), which is zeroed
        // memory, aligned to pages, lives as long as `self`, and is never
        // accessed but as atomics.
        let word = unsafe { &*self.words.base().cast::<AtomicU64>().add(word as usize) };
        Some((word, 1 << (line % 64)))
    }

    /// Marks a line; says whether it was clean.
    #[inline(always)]
    fn mark(&self, line: u64) -> bool {
        let Some((word, bit)) = self.at(line) else {
            return true;
        };
        // Mostly it is dirty already; then its cache line stays shared.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// Whether a line is dirty. One too far out to be kept is.
    fn is_dirty(&self, line: u64) -> bool {
        self.at(line)
            .is_none_or(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// Clears a line; says whether it was dirty.
    fn clear(&self, line: u64) -> bool {
        self.at(line)
            .is_none_or(|(word, bit)| word.fetch_and(!bit, Ordering::Relaxed) & bit != 0)
    }
}

/// A medium on an [`EmulatedDevice`].
pub struct Emulated {
    inner: MediumHandle,
    device: Arc<EmulatedDevice>,
    dirty: DirtyLines,
    line_bytes: u64,
    /// Added to this file's line numbers in the device's buffer.
    first_line: u64,
    /// Pages written since the last fence; files only.
    pending_pages: Option<Mutex<Vec<u64>>>,
}

impl Emulated {
    /// Puts `inner` on a device.
    pub fn new(inner: MediumHandle, device: Arc<EmulatedDevice>) -> Result<Self, MediumError> {
        let properties = inner.properties();
        let line_bytes = properties.line_bytes as u64;
        let file = device.files.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            inner,
            dirty: DirtyLines::new(line_bytes)?,
            line_bytes,
            first_line: file << FILE_SHIFT,
            pending_pages: (!properties.byte_addressed).then(Mutex::default),
            device,
        })
    }

    /// The medium below.
    pub fn inner(&self) -> &MediumHandle {
        &self.inner
    }

    /// The device, with the counters.
    pub fn device(&self) -> &Arc<EmulatedDevice> {
        &self.device
    }

    /// What the medium reads and writes at least: 256 bytes, on files a page.
    pub fn unit_bytes(&self) -> u64 {
        match self.pending_pages {
            None => self.line_bytes * LINES_PER_UNIT,
            Some(_) => self.line_bytes,
        }
    }

    #[inline(always)]
    fn note_stored(&self, offset: u64, len: u64) {
        if len == 0 {
            return;
        }
        add(&self.device.counters.stored_bytes, len);
        for line in offset / self.line_bytes..=(offset + len - 1) / self.line_bytes {
            let was_clean = self.dirty.mark(line);
            if let Some(pages) = &self.pending_pages
                && was_clean
            {
                pages.lock().push(line);
            }
        }
    }

    fn note_flushed(&self, offset: u64, len: u64) {
        if len == 0 {
            return;
        }
        let lines = offset / self.line_bytes..=(offset + len - 1) / self.line_bytes;
        let count = lines.end() - lines.start() + 1;
        let mut found = 0;
        let mut traffic = Traffic::default();
        if self.pending_pages.is_some() {
            // Pages leave at the fence.
            found = lines.filter(|&page| self.dirty.is_dirty(page)).count() as u64;
        } else {
            // Many flushes find one line, or nothing: no lock before the first.
            let mut buffer = None;
            for line in lines.filter(|&line| self.dirty.clear(line)) {
                buffer
                    .get_or_insert_with(|| self.device.buffer.lock())
                    .accept(self.first_line + line, &mut traffic);
                found += 1;
            }
        }
        let counters = &self.device.counters;
        add(&counters.line_flushes, count);
        add(&counters.redundant_flushes, count - found);
        self.device.account(traffic, self.unit_bytes());
        if let Some(delay) = &self.device.delay
            && found > 0
        {
            delay.flush();
        }
    }

    fn note_read(&self, offset: u64, len: u64) {
        if len == 0 {
            return;
        }
        let unit = self.unit_bytes();
        let units = (offset + len - 1) / unit - offset / unit + 1;
        add(&self.device.counters.media_reads, units);
        if let Some(delay) = &self.device.delay {
            delay.read(units * unit);
        }
    }
}

impl Medium for Emulated {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn properties(&self) -> Properties {
        self.inner.properties()
    }

    #[inline]
    fn len(&self) -> u64 {
        self.inner.len()
    }

    /// Not counted: what growth writes is the system's business.
    fn grow(&self, len: u64) -> Result<(), MediumError> {
        self.inner.grow(len)
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.inner.discard(offset, len)
    }

    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.inner.reserve(offset, len)
    }

    #[inline]
    fn base(&self) -> *const u8 {
        self.inner.base()
    }

    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.inner.touch(offset, len)?;
        self.note_read(offset, len);
        Ok(())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.inner.write(offset, bytes)?;
        self.note_stored(offset, bytes.len() as u64);
        Ok(())
    }

    fn write_through(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        self.inner.write_through(offset, bytes)?;
        let len = bytes.len() as u64;
        self.note_stored(offset, len);
        self.note_flushed(offset, len);
        Ok(())
    }

    #[inline]
    fn store_u32(&self, offset: u64, value: u32) {
        self.inner.store_u32(offset, value);
        self.note_stored(offset, 4);
    }

    #[inline]
    fn store_u64(&self, offset: u64, value: u64) {
        self.inner.store_u64(offset, value);
        self.note_stored(offset, 8);
    }

    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.inner.flush(offset, len)?;
        self.note_flushed(offset, len);
        Ok(())
    }

    fn fence(&self) -> Result<(), MediumError> {
        self.inner.fence()?;
        add(&self.device.counters.fences, 1);
        if let Some(pages) = &self.pending_pages {
            let pages = std::mem::take(&mut *pages.lock());
            let mut traffic = Traffic::default();
            for page in pages {
                traffic.writes += u64::from(self.dirty.clear(page));
            }
            self.device.account(traffic, self.unit_bytes());
        }
        if let Some(delay) = &self.device.delay {
            delay.fence();
        }
        Ok(())
    }
}

/// The files of another storage, all on one [`EmulatedDevice`].
pub struct EmulatedStorage {
    inner: Arc<dyn Storage>,
    device: Arc<EmulatedDevice>,
}

impl EmulatedStorage {
    /// Counts what happens on `inner`, and slows it down as `profile` says.
    pub fn new(inner: Arc<dyn Storage>, profile: Option<LatencyProfile>) -> Self {
        Self {
            inner,
            device: EmulatedDevice::new(profile),
        }
    }

    /// The device, with the counters.
    pub fn device(&self) -> &Arc<EmulatedDevice> {
        &self.device
    }

    /// The storage below.
    pub fn inner(&self) -> &Arc<dyn Storage> {
        &self.inner
    }
}

impl Storage for EmulatedStorage {
    fn kind(&self) -> &'static str {
        "emulated"
    }

    fn exists(&self, name: &str) -> Result<bool, MediumError> {
        self.inner.exists(name)
    }

    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError> {
        let inner = self.inner.open(name, create)?;
        let emulated = Emulated::new(inner, self.device.clone())?;
        Ok(MediumHandle::Emulated(Arc::new(emulated)))
    }

    fn remove(&self, name: &str) -> Result<(), MediumError> {
        self.inner.remove(name)
    }

    fn sync_names(&self) -> Result<(), MediumError> {
        self.inner.sync_names()
    }
}
