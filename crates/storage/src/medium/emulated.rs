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
use super::lock::DatabaseLock;
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
    pub fn drain(&self) -> CountersSnapshot {
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

    /// The word of 64 lines, if it is among those kept.
    #[inline(always)]
    fn word(&self, index: u64) -> Option<&AtomicU64> {
        if index >= self.words.len() / 8 {
            return None;
        }
        // SAFETY: the word lies in the mapping (just checked), which is zeroed
        // memory, aligned to pages, lives as long as `self`, and is never
        // accessed but as atomics.
        Some(unsafe { &*self.words.base().cast::<AtomicU64>().add(index as usize) })
    }

    /// Marks some lines of a word; returns those that were clean.
    #[inline(always)]
    fn mark(&self, index: u64, lines: u64) -> u64 {
        match self.word(index) {
            // Mostly they are dirty already; then the cache line stays shared.
            Some(word) if word.load(Ordering::Relaxed) & lines == lines => 0,
            Some(word) => lines & !word.fetch_or(lines, Ordering::Relaxed),
            None => lines,
        }
    }

    /// Those of some lines that are dirty. One too far out to be kept is.
    fn dirty(&self, index: u64, lines: u64) -> u64 {
        self.word(index)
            .map_or(lines, |word| lines & word.load(Ordering::Relaxed))
    }

    /// Cleans some lines; returns those that were dirty.
    #[inline(always)]
    fn clean(&self, index: u64, lines: u64) -> u64 {
        match self.word(index) {
            Some(word) if word.load(Ordering::Relaxed) & lines == 0 => 0,
            Some(word) => lines & word.fetch_and(!lines, Ordering::Relaxed),
            None => lines,
        }
    }
}

/// The words of 64 lines that lines `first..=last` lie in, each with a bit for
/// every line of the range.
#[inline(always)]
fn words_of(first: u64, last: u64) -> impl Iterator<Item = (u64, u64)> {
    (first / 64..=last / 64).map(move |index| {
        let from = first.max(index * 64) % 64;
        let to = last.min(index * 64 + 63) % 64;
        (index, (u64::MAX << from) & (u64::MAX >> (63 - to)))
    })
}

/// A medium on an [`EmulatedDevice`].
pub struct Emulated {
    inner: MediumHandle,
    device: Arc<EmulatedDevice>,
    dirty: DirtyLines,
    line_bytes: u64,
    /// Added to this file's line numbers in the device's buffer.
    first_line: u64,
    /// Pages written since the last fence, as words and bits; files only.
    pending_pages: Option<Mutex<Vec<(u64, u64)>>>,
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

    /// Least bytes of a read or write of the medium: 256, on files a page.
    pub fn unit_bytes(&self) -> u64 {
        match self.pending_pages {
            None => self.line_bytes * LINES_PER_UNIT,
            Some(_) => self.line_bytes,
        }
    }

    /// First and last line of a range that is not empty.
    #[inline(always)]
    fn lines(&self, offset: u64, len: u64) -> (u64, u64) {
        (
            offset / self.line_bytes,
            (offset + len - 1) / self.line_bytes,
        )
    }

    #[inline(always)]
    fn note_stored(&self, offset: u64, len: u64) {
        if len == 0 {
            return;
        }
        add(&self.device.counters.stored_bytes, len);
        let (first, last) = self.lines(offset, len);
        for (index, lines) in words_of(first, last) {
            let fresh = self.dirty.mark(index, lines);
            if let Some(pending) = &self.pending_pages
                && fresh != 0
            {
                pending.lock().push((index, fresh));
            }
        }
    }

    fn note_flushed(&self, offset: u64, len: u64) {
        if len == 0 {
            return;
        }
        let (first, last) = self.lines(offset, len);
        let mut found = 0;
        let mut traffic = Traffic::default();
        if self.pending_pages.is_some() {
            // Pages leave at the fence.
            for (index, lines) in words_of(first, last) {
                found += u64::from(self.dirty.dirty(index, lines).count_ones());
            }
        } else {
            // Some flushes find nothing: no lock before the first dirty line.
            let mut buffer = None;
            for (index, lines) in words_of(first, last) {
                let mut leaving = self.dirty.clean(index, lines);
                found += u64::from(leaving.count_ones());
                while leaving != 0 {
                    let bit = leaving.trailing_zeros() as u64 / LINES_PER_UNIT * LINES_PER_UNIT;
                    let unit = (self.first_line + index * 64 + bit) / LINES_PER_UNIT;
                    buffer
                        .get_or_insert_with(|| self.device.buffer.lock())
                        .accept(unit, (leaving >> bit & 0b1111) as u8, &mut traffic);
                    leaving &= !(0b1111 << bit);
                }
            }
        }
        let counters = &self.device.counters;
        let count = last - first + 1;
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
            for (index, lines) in pages {
                traffic.writes += u64::from(self.dirty.clean(index, lines).count_ones());
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
#[derive(Clone)]
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

    fn share(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
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

    fn database_lock(&self) -> Option<Arc<DatabaseLock>> {
        self.inner.database_lock()
    }
}
