//! Regions: space for extents that are written once and then only read.
//!
//! An extent is written out of place through a [`Draft`], becomes durable with
//! a fence, is published by the section directory, and from then on never
//! changes. That is why readers may hold plain slices of it. Which space is in
//! use is never stored: it is what the published directory reaches, worked out
//! at open, so that no crash can leak an extent.

mod bytes;
mod space;

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

pub use bytes::Bytes;

use crate::error::StorageError;
use crate::failpoint;
use crate::medium::{DatabaseLock, Medium, MediumError, MediumHandle, Storage, prefetch_for_read};
use crate::order::{self, Durable, Flushed};
use crate::pool::{PoolKind, Root};
use space::{Space, Waiting};

/// Most bytes that a new file for extents reserves, so that a small database is small.
const FIRST_BYTES: u64 = 256 << 10;

/// Space for extents on one medium.
#[derive(Clone)]
pub struct Region {
    inner: Arc<Inner>,
}

struct Inner {
    medium: MediumHandle,
    space: Mutex<Space>,
    alignment: u64,
    growth_step: u64,
    readers: Option<Readers>,
    /// A reader of another process has an older root than the newest.
    is_read_behind: AtomicBool,
}

/// Readers of other processes, which hold the roots that they read.
pub struct Readers {
    lock: Arc<DatabaseLock>,
    kind: PoolKind,
    /// Sequence of the root that the region is opened with.
    root: u64,
}

impl Readers {
    /// Those whom a writer asks before it uses space again; `None` where there are none,
    /// or it is no writer who asks.
    pub fn of(storage: &dyn Storage, kind: PoolKind, root: &Root) -> Option<Self> {
        let lock = storage.database_lock().filter(|lock| !lock.is_reader())?;
        Some(Readers {
            lock,
            kind,
            root: root.sequence,
        })
    }

    fn oldest_root(&self) -> Option<u64> {
        self.lock.oldest_root_read(self.kind)
    }
}

impl Region {
    /// A region over a medium on which nothing is allocated yet. Extents found
    /// at open are claimed by [`Region::adopt`], then [`Region::finish_adoption`] makes
    /// the rest free.
    ///
    /// `alignment` is that of every extent (a power of two), `growth_step` what a
    /// large file grows by at least; a small one doubles.
    pub fn new(medium: MediumHandle, alignment: u64, growth_step: u64) -> Self {
        Self::beside(None, medium, alignment, growth_step)
    }

    /// As [`Region::new`], where readers of other processes may read what is given back.
    pub fn beside(
        readers: Option<Readers>,
        medium: MediumHandle,
        alignment: u64,
        growth_step: u64,
    ) -> Self {
        assert!(alignment.is_power_of_two() && alignment >= 8);
        let end = medium.len();
        Region {
            inner: Arc::new(Inner {
                medium,
                space: Mutex::new(Space {
                    end,
                    ..Space::default()
                }),
                alignment,
                growth_step,
                readers,
                is_read_behind: AtomicBool::new(false),
            }),
        }
    }

    /// Reader step B4, after a root is published and what it does not name any more is given
    /// back: that becomes free as far as no reader of another process has an older root. One
    /// question to the system.
    pub fn root_published(&self, sequence: u64) {
        let Some(readers) = &self.inner.readers else {
            return;
        };
        let oldest = readers.oldest_root();
        let is_behind = oldest.is_some_and(|oldest| oldest < sequence);
        self.inner
            .is_read_behind
            .store(is_behind, Ordering::Release);
        let mut space = self.inner.space.lock();
        for waiting in &mut space.waiting {
            waiting.since.get_or_insert(sequence);
        }
        space.give_unread(oldest);
    }

    /// Whether, at the newest publication, a reader of another process had an older root:
    /// then what that names is not written over.
    pub fn is_read_behind(&self) -> bool {
        self.inner.is_read_behind.load(Ordering::Acquire)
    }

    /// Bytes that no root names any more and readers of other processes keep, among the
    /// used ones.
    pub fn waiting_bytes(&self) -> u64 {
        let space = self.inner.space.lock();
        space.waiting.iter().map(|waiting| waiting.len).sum()
    }

    /// Reserves the first space of a new file that will grow by `growth_step`. Durable
    /// with the next fence.
    pub fn reserve_first(medium: &MediumHandle, growth_step: u64) -> Result<(), StorageError> {
        Ok(medium.grow(growth_step.min(FIRST_BYTES))?)
    }

    /// The medium below.
    pub fn medium(&self) -> &MediumHandle {
        &self.inner.medium
    }

    /// Name of the file, for messages.
    pub fn file_name(&self) -> String {
        self.inner.medium.name().to_string()
    }

    /// See [`Medium::fits_in_memory`].
    #[inline]
    pub fn fits_in_memory(&self) -> bool {
        self.inner.medium.fits_in_memory()
    }

    /// Bytes that extents occupy.
    pub fn used_bytes(&self) -> u64 {
        self.inner.space.lock().used
    }

    /// Bytes of the file, free space included.
    pub fn file_bytes(&self) -> u64 {
        self.inner.medium.len()
    }

    /// Reserves space for an extent of `len` bytes. The file grows by whole steps, or where
    /// the disk has no room for one by less, down to what is needed.
    pub fn allocate(&self, len: u64) -> Result<Draft, StorageError> {
        let is_full = |error: &StorageError| {
            matches!(error, StorageError::Medium(MediumError::NoSpace { .. }))
        };
        match self.allocate_by(len, Inner::take_or_grow) {
            Err(error) if is_full(&error) => {}
            allocated => return allocated,
        }
        // Free space of the file is no use where it is in pieces; the disk's is.
        self.trim(0);
        match self.allocate_by(len, Inner::take_or_grow) {
            Err(error) if is_full(&error) => {}
            allocated => return allocated,
        }
        self.allocate_by(len, Inner::take_lent)
    }

    /// An extent of `len` bytes, where `take` finds room.
    fn allocate_by(
        &self,
        len: u64,
        take: impl Fn(&Inner, &mut Space, u64) -> Result<u64, MediumError>,
    ) -> Result<Draft, StorageError> {
        let inner = &self.inner;
        let reserved = len.max(1).next_multiple_of(inner.alignment);
        let offset = take(inner, &mut inner.space.lock(), reserved)?;
        debug_assert!(
            offset.is_multiple_of(inner.alignment) && offset + reserved <= inner.medium.len(),
            "an extent of {len} bytes at {offset}"
        );
        let draft = Draft {
            extent: Some(Extent {
                region: self.clone(),
                offset,
                len,
                reserved,
                retired: AtomicBool::new(true),
                was_named: AtomicBool::new(false),
            }),
        };
        // Space that was given back to the system must be there again before a
        // store; if it is not, the draft goes and nothing has changed.
        inner.medium.reserve(offset, reserved)?;
        Ok(draft)
    }

    /// Claims an extent that the directory names. Checks bounds and overlap; the caller,
    /// who knows its checksum, checks the content.
    pub fn adopt(&self, offset: u64, len: u64) -> Result<Extent, StorageError> {
        let inner = &self.inner;
        let name = inner.medium.name();
        let reserved = len.max(1).checked_next_multiple_of(inner.alignment);
        let is_inside = |&reserved: &u64| {
            let end = offset.checked_add(reserved);
            offset.is_multiple_of(inner.alignment)
                && end.is_some_and(|end| end <= inner.medium.len())
        };
        let Some(reserved) = reserved.filter(is_inside) else {
            return Err(StorageError::damaged(
                name,
                offset,
                format!(
                    "an extent of {len} bytes lies outside the file's {} bytes (truncated?)",
                    inner.medium.len()
                ),
            ));
        };
        let mut space = inner.space.lock();
        // While extents are being claimed, `free` holds what is claimed.
        if space.overlaps(offset, reserved) {
            return Err(StorageError::damaged(name, offset, "two extents overlap"));
        }
        space.free.insert(offset, reserved);
        Ok(Extent {
            region: self.clone(),
            offset,
            len,
            reserved,
            retired: AtomicBool::new(false),
            was_named: AtomicBool::new(true),
        })
    }

    /// Ends the claiming that [`Region::adopt`] began: all other space is free, once no
    /// reader of another process has an older root.
    pub fn finish_adoption(&self) {
        self.claim_the_rest();
        let Some(readers) = &self.inner.readers else {
            return;
        };
        let space = &mut *self.inner.space.lock();
        let free = std::mem::take(&mut space.free);
        space.used += free.values().sum::<u64>();
        space.waiting = free
            .into_iter()
            .map(|(offset, len)| Waiting {
                offset,
                len,
                since: Some(readers.root),
            })
            .collect();
        let oldest = readers.oldest_root();
        let is_behind = oldest.is_some_and(|oldest| oldest < readers.root);
        self.inner
            .is_read_behind
            .store(is_behind, Ordering::Release);
        space.give_unread(oldest);
    }

    /// Gives back every range that was not claimed.
    fn claim_the_rest(&self) {
        let mut space = self.inner.space.lock();
        let claimed = std::mem::take(&mut space.free);
        let mut position = 0;
        for (offset, len) in claimed {
            if offset > position {
                space.free.insert(position, offset - position);
            }
            position = offset + len;
            space.used += len;
        }
        if space.end > position {
            let tail = space.end - position;
            space.free.insert(position, tail);
        }
        if cfg!(debug_assertions) {
            space.walk();
        }
    }

    /// Reuses an extent that a durable root still names: for failpoints.
    #[cfg(feature = "failpoints")]
    pub fn scribble(&self, extent: &Extent) -> Result<(), StorageError> {
        let bytes = vec![0xEE; extent.len as usize];
        self.inner.medium.write(extent.offset, &bytes)?;
        self.inner.medium.flush(extent.offset, extent.len)?;
        Ok(())
    }

    /// Takes a claim back: for failpoints.
    #[cfg(feature = "failpoints")]
    pub fn disown(&self, extent: &Extent) {
        self.inner.space.lock().free.remove(&extent.offset);
    }

    /// Gives free space back to the system, all but `keep_bytes` of it. What the
    /// system does not take back stays free space of the region, for its next
    /// extents: nothing depends on it, so a refusal is no failure.
    pub fn trim(&self, keep_bytes: u64) {
        self.inner.give_back(&self.inner.space.lock(), keep_bytes);
    }

    /// Keeps `bytes` at the end of the file free, for what gives space back and needs some
    /// before ([`Region::borrow_reserve`]), as far as the disk has room for them.
    pub fn keep_reserve(&self, bytes: u64) {
        let inner = &self.inner;
        let mut space = inner.space.lock();
        space.reserve = bytes.next_multiple_of(inner.alignment);
        let missing = space.reserve.saturating_sub(space.free_at_end());
        let mut is_whole = missing == 0 || inner.grow(&mut space, missing, missing).is_ok();
        if !is_whole {
            inner.give_back(&space, 0);
            is_whole = inner.grow(&mut space, missing, missing).is_ok();
        }
        if is_whole {
            let at = space.end - space.reserve;
            // Some of it may have been given back before it was the end.
            let _ = inner.medium.reserve(at, space.reserve);
        }
    }

    /// While the result lives, extents get the reserve where there is no other space.
    pub fn borrow_reserve(&self) -> Borrowed {
        self.inner.space.lock().borrowers += 1;
        Borrowed(self.clone())
    }
}

/// The right to use a region's reserve.
#[must_use = "the reserve is lent as long as it lives"]
pub struct Borrowed(Region);

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.0.inner.space.lock().borrowers -= 1;
    }
}

impl Inner {
    /// Space of `reserved` bytes, for which the file grows if it has to.
    fn take_or_grow(&self, space: &mut Space, reserved: u64) -> Result<u64, MediumError> {
        if let Some(offset) = space.take_beside_reserve(reserved) {
            return Ok(offset);
        }
        // A reader may have gone since the last publication.
        if let Some(readers) = self.readers.as_ref().filter(|_| !space.waiting.is_empty()) {
            space.give_unread(readers.oldest_root());
            if let Some(offset) = space.take_beside_reserve(reserved) {
                return Ok(offset);
            }
        }
        let least = (reserved + space.reserve).saturating_sub(space.free_at_end());
        // A small file grows by its own length.
        let step = self.growth_step.min(space.end.max(FIRST_BYTES));
        self.grow(space, least, step.max(least))?;
        Ok(space.take(reserved).expect("the range just added"))
    }

    /// Space of `reserved` bytes from the reserve, if it is lent.
    fn take_lent(&self, space: &mut Space, reserved: u64) -> Result<u64, MediumError> {
        let lent = match space.borrowers {
            0 => None,
            _ => space.take_reserve(reserved),
        };
        lent.ok_or_else(|| MediumError::NoSpace {
            file: self.medium.name().to_string(),
            wanted_bytes: reserved,
        })
    }

    /// Gives free space back to the system, all but `keep_bytes` of it and the reserve.
    fn give_back(&self, space: &Space, keep_bytes: u64) {
        let limit = space.end.saturating_sub(space.reserve);
        let mut kept = 0;
        for (&offset, &len) in &space.free {
            let len = (offset + len).min(limit).saturating_sub(offset);
            if kept + len <= keep_bytes {
                kept += len;
                continue;
            }
            if self.medium.discard(offset, len).is_err() {
                return;
            }
        }
    }

    /// Makes the file longer by `wanted` bytes, or by less, but not by less than `least`.
    fn grow(&self, space: &mut Space, least: u64, wanted: u64) -> Result<(), MediumError> {
        let mut step = wanted;
        while let Err(error) = self.medium.grow(space.end + step) {
            if step == least || !matches!(error, MediumError::NoSpace { .. }) {
                return Err(error);
            }
            step = (step / 2).next_multiple_of(self.alignment).max(least);
        }
        let (mut from, mut added) = (space.end, step);
        space.end += step;
        space.add_free(&mut from, &mut added);
        Ok(())
    }
}

/// An extent being written, which no reader can see. Dropped unfinished, its space is
/// free again.
pub struct Draft {
    extent: Option<Extent>,
}

impl Draft {
    /// Offset that the extent will have, for its checksum.
    pub fn offset(&self) -> u64 {
        self.extent.as_ref().expect("present until finished").offset
    }

    /// Durability step 1: writes the content and starts making it durable.
    pub fn finish(mut self, bytes: &[u8]) -> Result<Flushed<Extent>, StorageError> {
        let extent = self.extent.take().expect("present until finished");
        assert_eq!(bytes.len() as u64, extent.len, "the length allocated");
        let medium = extent.region.inner.medium.clone();
        failpoint!("extent.half-flushed" => {
            let dirty = order::write(&medium, extent.offset, bytes, extent)?;
            return Ok(dirty.flush_only(&medium, bytes.len() as u64 / 2)?);
        });
        Ok(order::write_through(&medium, extent.offset, bytes, extent)?)
    }

    /// An extent that holds anything yet, to be filled by
    /// [`Extent::write_pieces`]. Until [`Extent::published`] is called its space
    /// is free again when it is dropped.
    pub fn unfilled(mut self) -> Extent {
        self.extent.take().expect("present until finished")
    }
}

/// A written extent. Its space is in use until it is retired **and** the last
/// reference is dropped.
pub struct Extent {
    region: Region,
    offset: u64,
    len: u64,
    reserved: u64,
    /// Set when nothing durable refers to the extent.
    retired: AtomicBool,
    /// A root may have named it, and a reader of another process may read it.
    was_named: AtomicBool,
}

impl Extent {
    /// Name of the region's file, for messages.
    pub fn file_name(&self) -> String {
        self.region.file_name()
    }

    /// Offset in the region's file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of content.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is no content.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of space, padding included.
    pub fn reserved_bytes(&self) -> u64 {
        self.reserved
    }

    /// A durable directory refers to the extent now.
    pub fn published(&self) {
        self.was_named.store(true, Ordering::Release);
        self.retired.store(false, Ordering::Release);
    }

    /// No durable directory refers to the extent any more; its space becomes
    /// free when the last reader lets go.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    /// Appends in place: store, flush, fence; durable on return. Direct mode's commit of
    /// one edge. `at` must be a slot that no reader reads yet.
    #[inline(always)]
    pub fn append_u32<M: Medium + ?Sized>(
        &self,
        medium: &M,
        at: u64,
        value: u32,
    ) -> Result<Durable<()>, MediumError> {
        debug_assert!(at.is_multiple_of(4) && at + 4 <= self.len);
        let dirty = order::store_u32(medium, self.offset + at, value, ());
        append(medium, dirty)
    }

    /// As [`Extent::append_u32`], eight bytes.
    #[inline(always)]
    pub fn append_u64<M: Medium + ?Sized>(
        &self,
        medium: &M,
        at: u64,
        value: u64,
    ) -> Result<Durable<()>, MediumError> {
        debug_assert!(
            at.is_multiple_of(8) && at + 8 <= self.len,
            "a store across two words may be torn"
        );
        let dirty = order::store_u64(medium, self.offset + at, value, ());
        append(medium, dirty)
    }

    /// Durability step 1 for an extent that is filled piece by piece: writes the pieces,
    /// each at its place in the content, ascending, and starts making them durable. A
    /// durable directory must count on none of these bytes, and no slice of them may
    /// exist yet.
    ///
    /// # Panics
    /// If a piece does not lie in the extent.
    pub fn write_pieces(&self, pieces: &[(u64, &[u8])]) -> Result<Flushed<()>, StorageError> {
        let medium = &self.region.inner.medium;
        let placed = pieces.iter().map(|&(at, bytes)| {
            let end = at.checked_add(bytes.len() as u64);
            assert!(end.is_some_and(|end| end <= self.len));
            (self.offset + at, bytes)
        });
        if !self.region.fits_in_memory() {
            self.announce_pages(pieces);
        }
        if failpoint!("blocks.fill-not-flushed") {
            let nothing = order::write_pieces(medium, std::iter::empty(), ())?;
            for (offset, bytes) in placed {
                medium.write(offset, bytes)?;
            }
            return Ok(nothing);
        }
        if failpoint!("extent.half-flushed") {
            // Each piece is stored; only the first is flushed.
            let first = order::write_pieces(medium, placed.clone().take(1), ())?;
            for (offset, bytes) in placed.skip(1) {
                medium.write(offset, bytes)?;
            }
            return Ok(first);
        }
        Ok(order::write_pieces(medium, placed, ())?)
    }

    /// As [`Extent::append_u64`], two words next to each other in one line: one
    /// flush and one fence. A power cut may leave either of them alone.
    #[inline(always)]
    pub fn append_two_u64<M: Medium + ?Sized>(
        &self,
        medium: &M,
        at: u64,
        values: [u64; 2],
    ) -> Result<Durable<()>, MediumError> {
        debug_assert!(at.is_multiple_of(16) && at + 16 <= self.len);
        let dirty = order::store_two_u64(medium, self.offset + at, values, ());
        append(medium, dirty)
    }

    /// A page that is written in part has to be read first, and one after another
    /// takes long: so all of them are asked for at once, neighbors together.
    fn announce_pages(&self, pieces: &[(u64, &[u8])]) {
        let page = self.region.inner.medium.properties().line_bytes as u64;
        let mut waiting: Option<(u64, u64)> = None;
        for &(at, bytes) in pieces {
            let (from, to) = (self.offset + at, self.offset + at + bytes.len() as u64);
            let (from, to) = (from / page * page, to.next_multiple_of(page));
            waiting = match waiting {
                Some((first, last)) if from <= last => Some((first, last.max(to))),
                before => {
                    if let Some((first, last)) = before {
                        self.region.inner.medium.will_need(first, last - first);
                    }
                    Some((from, to))
                }
            };
        }
        if let Some((first, last)) = waiting {
            self.region.inner.medium.will_need(first, last - first);
        }
    }

    /// Bytes of the file that the extent lies in.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.region.file_bytes()
    }

    /// Address of byte `at` of the content, for fetching it early.
    #[inline(always)]
    pub fn address(&self, at: u64) -> *const u8 {
        let base = self.region.inner.medium.base();
        base.wrapping_add((self.offset + at) as usize)
    }

    /// Starts fetching the content, where it may not be in memory.
    pub fn prefetch(&self) {
        self.prefetch_range(0, self.len);
    }

    /// As [`Extent::prefetch`], `len` bytes from `at`, as far as they are content.
    pub fn prefetch_range(&self, at: u64, len: u64) {
        let len = len.min(self.len.saturating_sub(at));
        if len > 0 {
            self.region.inner.medium.will_need(self.offset + at, len);
        }
    }

    /// Copies a range out, bounds checked.
    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<(), StorageError> {
        assert!(at + into.len() as u64 <= self.len);
        Ok(self.region.inner.medium.read(self.offset + at, into)?)
    }

    /// Checks that the bytes can be read.
    pub fn touch(&self) -> Result<(), StorageError> {
        Ok(self.region.inner.medium.touch(self.offset, self.len)?)
    }

    /// Checks that `len` bytes from `at` can be read.
    pub fn touch_range(&self, at: u64, len: u64) -> Result<(), StorageError> {
        assert!(at.checked_add(len).is_some_and(|end| end <= self.len));
        Ok(self.region.inner.medium.touch(self.offset + at, len)?)
    }

    /// The content of a published extent.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `adopt` and `allocate` checked that the range lies below the medium's
        // length, where `base` stays valid as long as the medium, which `region` keeps
        // alive. The range is not written while `self` exists: a `Draft` writes before it
        // gives its extent away, and the space is not handed out again before the last
        // reference is dropped.
        unsafe {
            std::slice::from_raw_parts(
                self.region.inner.medium.base().add(self.offset as usize),
                self.len as usize,
            )
        }
    }
}

#[inline(always)]
fn append<M: Medium + ?Sized>(
    medium: &M,
    dirty: order::Dirty<()>,
) -> Result<Durable<()>, MediumError> {
    failpoint!("direct.wrong-address-flushed" => {
        medium.flush(0, 4)?;
        return dirty.flush_only(medium, 0)?.fence(medium);
    });
    let flushed = dirty.flush(medium)?;
    failpoint!("direct.edge-not-fenced" => {
        return Ok(flushed.assume_durable());
    });
    flushed.fence(medium)
}

impl Drop for Extent {
    fn drop(&mut self) {
        if self.retired.load(Ordering::Acquire) {
            // No reader of this process is left, and the next owner of the space writes it
            // before reading.
            let inner = &self.region.inner;
            inner.medium.wont_need(self.offset, self.len);
            let mut space = inner.space.lock();
            match inner.readers.is_some() && self.was_named.load(Ordering::Acquire) {
                true => space.waiting.push(Waiting {
                    offset: self.offset,
                    len: self.reserved,
                    since: None,
                }),
                false => space.give(self.offset, self.reserved),
            }
        }
    }
}

impl std::fmt::Debug for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Extent({}+{})", self.offset, self.len)
    }
}

/// Four-byte words that never change, kept alive by their owner: part of a
/// published extent, or a vector. Reading one costs what reading a slice costs.
#[derive(Clone, Debug)]
pub struct Words {
    start: *const u32,
    count: usize,
    owner: Owner,
}

#[derive(Clone, Debug)]
enum Owner {
    Extent(Arc<Extent>),
    Vector(#[allow(dead_code, reason = "keeps the words alive")] Arc<Vec<u32>>),
}

// SAFETY: a `Words` is a shared slice of words that no thread writes, with the `Arc` that
// keeps them; `&[u32]`, `Arc<Extent>` and `Arc<Vec<u32>>` are `Send`.
unsafe impl Send for Words {}
// SAFETY: as above; all methods only read.
unsafe impl Sync for Words {}

impl Words {
    /// `count` words from byte `at` of an extent's content.
    ///
    /// # Panics
    /// If the range does not lie in the extent or `at` is not a multiple of 4:
    /// the caller has checked the numbers it read.
    pub fn new(extent: &Arc<Extent>, at: usize, count: usize) -> Self {
        let bytes = &extent.bytes()[at..at + count * 4];
        assert!(bytes.as_ptr().cast::<u32>().is_aligned());
        Words {
            start: bytes.as_ptr().cast(),
            count,
            owner: Owner::Extent(Arc::clone(extent)),
        }
    }

    /// As [`Words::new`], for an extent that still takes appends in place
    /// (direct mode, slabs of blocks).
    ///
    /// # Safety
    /// The owner reads the words only through [`Words::range`], only ranges of
    /// words that will never be stored to again, and only after the thread that stored
    /// them has handed the range over (under a lock, say).
    ///
    /// # Panics
    /// As [`Words::new`].
    pub unsafe fn live(extent: &Arc<Extent>, at: usize, count: usize) -> Self {
        assert!(at + count * 4 <= extent.len as usize);
        let base = extent.region.inner.medium.base();
        // SAFETY: the range lies in the extent (asserted), which lies below the
        // medium's length, where `base` is valid; only the address is taken.
        let start = unsafe { base.add(extent.offset as usize + at) }.cast::<u32>();
        assert!(start.is_aligned());
        Words {
            start,
            count,
            owner: Owner::Extent(Arc::clone(extent)),
        }
    }

    /// Number of words.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// `count` words from `start`.
    ///
    /// # Panics
    /// If the range does not lie in the words.
    #[inline(always)]
    pub fn range(&self, start: usize, count: usize) -> &[u32] {
        assert!(start <= self.count && count <= self.count - start);
        // SAFETY: the range lies in what `owner` keeps alive (asserted; aligned by
        // `new`). It is not written: published extents and vectors are never written, and
        // for a live extent the caller of `live` promised it.
        unsafe { std::slice::from_raw_parts(self.start.add(start), count) }
    }

    /// Announces that [`Words::range`] from `start` on is read soon. Any number
    /// will do.
    #[inline(always)]
    pub fn prefetch(&self, start: usize) {
        prefetch_for_read(self.start.wrapping_add(start).cast());
    }

    /// Words in DRAM.
    pub fn owned(words: Vec<u32>) -> Self {
        let words = Arc::new(words);
        Words {
            start: words.as_ptr(),
            count: words.len(),
            owner: Owner::Vector(words),
        }
    }

    /// The extent that holds the words, if one does.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        match &self.owner {
            Owner::Extent(extent) => Some(extent),
            Owner::Vector(_) => None,
        }
    }
}

impl Deref for Words {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        // SAFETY: `start` and `count` come from a slice of what `owner` keeps
        // alive (aligned, checked), which is never written.
        unsafe { std::slice::from_raw_parts(self.start, self.count) }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::Space;

    /// Bytes 0 to 64 used, 64 to 128 free, 128 to 192 used.
    fn space() -> Space {
        let mut space = Space {
            end: 192,
            ..Space::default()
        };
        space.add_free(&mut 0, &mut 192);
        for _ in 0..3 {
            space.take(64).unwrap();
        }
        space.give(64, 64);
        space
    }

    #[test]
    fn neighbors_become_one() {
        let mut space = space();
        space.give(128, 64);
        space.give(0, 64);
        assert_eq!(space.free.into_iter().collect::<Vec<_>>(), [(0, 192)]);
    }

    #[test]
    #[should_panic(expected = "are free already")]
    fn space_is_given_back_once() {
        space().give(64, 64);
    }

    #[test]
    #[should_panic(expected = "should be one with it")]
    fn neighbors_apart_are_noticed() {
        let mut space = space();
        space.free.insert(128, 64);
        space.invariants();
    }

    #[test]
    #[should_panic(expected = "the file at")]
    fn free_space_lies_in_the_file() {
        let mut space = space();
        space.free.insert(192, 64);
        space.free.remove(&64);
        space.invariants();
    }

    #[test]
    #[should_panic(expected = "make up the file")]
    fn lost_space_is_noticed() {
        let mut space = space();
        space.free.remove(&64);
        space.invariants();
    }
}
