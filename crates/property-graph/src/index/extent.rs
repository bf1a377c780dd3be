//! Extents of many leaves, with the fences between them at their end.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Extent, Medium, Region, StorageError, Uuid, checksum};

use super::entry::{EntryRef, Interval};
use super::fences::{Fences, PackedFences, pack};
use super::leaf::{self, Leaf};

/// Facts that a reader of an extent needs before it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) leaf_count: u32,
    /// Entries, those that were removed included.
    pub(super) entries: u64,
    /// Entries that were removed, and that a kept snapshot shows.
    pub(super) closed: u64,
    /// A range of commits in which all of those are visible: if no view or snapshot needs
    /// any of it, they can go.
    pub(super) closed_from: u64,
    pub(super) closed_until: u64,
}

impl Summary {
    /// Whether the counts can be those of leaves.
    pub(super) fn holds_together(&self) -> bool {
        u64::from(self.leaf_count) <= self.entries
            && self.closed <= self.entries
            && (self.closed == 0 || self.closed_from < self.closed_until)
    }

    /// Panics in debug builds if the counts cannot be those of leaves.
    pub(super) fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            u64::from(self.leaf_count) <= self.entries && self.closed <= self.entries,
            "no leaf is empty, and what was removed is an entry: {self:?}"
        );
        assert!(
            self.closed == 0 || self.closed_from < self.closed_until,
            "a removed entry that no commit showed is not stored: {self:?}"
        );
    }

    pub(super) fn include(&mut self, leaf: &Summary) {
        self.leaf_count += 1;
        self.entries += leaf.entries;
        if leaf.closed > 0 {
            self.closed_from = match self.closed {
                0 => leaf.closed_from,
                _ => self.closed_from.min(leaf.closed_from),
            };
            self.closed_until = self.closed_until.max(leaf.closed_until);
            self.closed += leaf.closed;
        }
    }

    pub(super) fn add(&mut self, interval: Interval) {
        self.entries += 1;
        if !interval.is_closed() {
            return;
        }
        self.closed_from = match self.closed {
            0 => interval.begin,
            _ => self.closed_from.min(interval.begin),
        };
        self.closed_until = self.closed_until.max(interval.end);
        self.closed += 1;
    }
}

/// Leaves that lie together.
#[derive(Debug)]
pub(super) struct LeafExtent {
    place: Place,
    leaf_bytes: usize,
    pub(super) summary: Summary,
    /// Of the bytes behind the leaves.
    pub(super) fences_crc: u32,
    fences: OnceLock<Fences>,
    /// A bit for each leaf that was verified.
    checked: Box<[AtomicU64]>,
    fences_checked: OnceLock<()>,
}

#[derive(Debug)]
enum Place {
    Medium { extent: Extent, uuid: Uuid },
    Memory(Box<[u8]>),
}

pub(super) struct NewLeaf {
    /// All but the checksum.
    pub(super) bytes: Vec<u8>,
    /// First key.
    pub(super) fence: (Vec<u8>, u32),
}

/// Whether fences are kept in DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    Dram,
    Medium,
}

impl LeafExtent {
    pub(super) fn in_memory(leaves: Vec<NewLeaf>, summary: Summary) -> Self {
        let fences = leaves.iter().map(|leaf| (&leaf.fence.0[..], leaf.fence.1));
        let fences = Fences::new(fences);
        let leaf_bytes = leaves.first().map_or(0, |leaf| leaf.bytes.len());
        let bytes: Vec<u8> = leaves.into_iter().flat_map(|leaf| leaf.bytes).collect();
        let place = Place::Memory(bytes.into());
        let extent = Self::new(place, leaf_bytes, summary, 0);
        let _ = extent.fences.set(fences);
        extent
            .checked
            .iter()
            .for_each(|bits| bits.store(u64::MAX, Ordering::Relaxed));
        extent
    }

    /// Durability step 1: writes an extent out of place. Nothing names it yet.
    pub(super) fn write(
        region: &Region,
        uuid: &Uuid,
        leaves: Vec<NewLeaf>,
        summary: Summary,
    ) -> Result<Flushed<Self>, StorageError> {
        let leaf_bytes = leaves.first().map_or(0, |leaf| leaf.bytes.len());
        debug_assert!(
            !leaves.is_empty() && leaves.iter().all(|leaf| leaf.bytes.len() == leaf_bytes),
            "leaves of one length lie side by side"
        );
        debug_assert_eq!(leaves.len(), summary.leaf_count as usize);
        let fences = pack(leaves.iter().enumerate().map(|(i, leaf)| match i {
            // Everything before belongs to the first.
            0 => (&[][..], 0),
            _ => (&leaf.fence.0[..], leaf.fence.1),
        }));
        debug_assert!(
            PackedFences::check(&fences, leaves.len()).is_some(),
            "each leaf begins behind the one before"
        );
        let leaves_bytes = leaves.len() * leaf_bytes;
        let draft = region.allocate((leaves_bytes + fences.len()) as u64)?;
        let offset = draft.offset();
        let mut bytes = Vec::with_capacity(leaves_bytes + fences.len());
        for mut leaf in leaves {
            leaf::seal(&mut leaf.bytes, uuid, offset + bytes.len() as u64);
            bytes.extend_from_slice(&leaf.bytes);
        }
        let crc = checksum(uuid, offset + bytes.len() as u64, &fences);
        bytes.extend_from_slice(&fences);
        let uuid = *uuid;
        let written = match failpoint!("index.extents-not-flushed") {
            true => {
                let written = draft.finish(&vec![0; bytes.len()])?;
                region.medium().write(offset, &bytes)?;
                written
            }
            false => draft.finish(&bytes)?,
        };
        Ok(written.map(|extent| {
            let place = Place::Medium { extent, uuid };
            Self::new(place, leaf_bytes, summary, crc)
        }))
    }

    /// An extent that was claimed, of which nothing is read yet. `None` if its
    /// length cannot be right.
    pub(super) fn claimed(
        extent: Extent,
        uuid: Uuid,
        leaf_bytes: usize,
        summary: Summary,
        fences_crc: u32,
    ) -> Option<Self> {
        let leaves_bytes = u64::from(summary.leaf_count) * leaf_bytes as u64;
        let place = Place::Medium { extent, uuid };
        let holds = summary.leaf_count > 0 && place.len() > leaves_bytes;
        holds.then(|| Self::new(place, leaf_bytes, summary, fences_crc))
    }

    fn new(place: Place, leaf_bytes: usize, summary: Summary, fences_crc: u32) -> Self {
        let words = (summary.leaf_count as usize).div_ceil(64);
        LeafExtent {
            place,
            leaf_bytes,
            summary,
            fences_crc,
            fences: OnceLock::new(),
            checked: (0..words).map(|_| AtomicU64::new(0)).collect(),
            fences_checked: OnceLock::new(),
        }
    }

    pub(super) fn leaf_count(&self) -> usize {
        self.summary.leaf_count as usize
    }

    /// The extent of the medium, if it lies there.
    pub(super) fn extent(&self) -> Option<&Extent> {
        match &self.place {
            Place::Medium { extent, .. } => Some(extent),
            Place::Memory(_) => None,
        }
    }

    pub(super) fn dram_bytes(&self) -> usize {
        let leaves = match &self.place {
            Place::Medium { .. } => 0,
            Place::Memory(bytes) => bytes.len(),
        };
        let fences = self.fences.get().map_or(0, Fences::bytes);
        size_of::<Self>() + 8 * self.checked.len() + leaves + fences
    }

    /// A leaf; the first time it is verified. Reads one page of the medium.
    pub(super) fn leaf(&self, i: usize) -> Result<Leaf<'_>, StorageError> {
        let at = i * self.leaf_bytes;
        let bytes = self.place.touched(at, self.leaf_bytes)?;
        let (word, bit) = (&self.checked[i / 64], 1 << (i % 64));
        if word.load(Ordering::Acquire) & bit != 0 {
            return Ok(Leaf::checked_before(bytes));
        }
        let leaf = self.check_leaf(i, bytes)?;
        word.fetch_or(bit, Ordering::Release);
        Ok(leaf)
    }

    /// As [`LeafExtent::leaf`], verified whether it was before or not.
    pub(super) fn leaf_again(&self, i: usize) -> Result<Leaf<'_>, StorageError> {
        let bytes = self.place.touched(i * self.leaf_bytes, self.leaf_bytes)?;
        match &self.place {
            Place::Medium { .. } => self.check_leaf(i, bytes),
            Place::Memory(_) => Ok(Leaf::checked_before(bytes)),
        }
    }

    fn check_leaf<'b>(&'b self, i: usize, bytes: &'b [u8]) -> Result<Leaf<'b>, StorageError> {
        let at = i * self.leaf_bytes;
        let Place::Medium { extent, uuid } = &self.place else {
            return Ok(Leaf::checked_before(bytes));
        };
        Leaf::check(bytes, uuid, extent.offset() + at as u64)
            .map_err(|what| self.place.damaged(at, what))
    }

    /// The leaf in which an entry lies, or would lie.
    pub(super) fn find(&self, entry: EntryRef<'_>, inner: Inner) -> Result<usize, StorageError> {
        if self.leaf_count() == 1 {
            return Ok(0);
        }
        match inner {
            Inner::Dram => Ok(self.fences()?.find(entry)),
            Inner::Medium => Ok(self.packed()?.find(entry)),
        }
    }

    pub(super) fn fence(&self, i: usize, inner: Inner) -> Result<(Vec<u8>, u32), StorageError> {
        match inner {
            Inner::Dram => Ok(self.fences()?.get(i)),
            Inner::Medium => {
                let (key, id) = self.packed()?.get(i);
                Ok((key.to_vec(), id))
            }
        }
    }

    /// The fences in DRAM, brought there if need be.
    pub(super) fn fences(&self) -> Result<&Fences, StorageError> {
        if let Some(fences) = self.fences.get() {
            return Ok(fences);
        }
        let fences = Fences::unpack(self.packed()?);
        Ok(self.fences.get_or_init(|| fences))
    }

    /// The fences on the medium; the first time they are verified.
    fn packed(&self) -> Result<PackedFences<'_>, StorageError> {
        let at = self.leaf_count() * self.leaf_bytes;
        let wrong = || {
            self.place
                .damaged(at, "the inner page of an index does not hold")
        };
        let len = self.place.len() as usize - at;
        let bytes = self.place.touched(at, len)?;
        if self.fences_checked.get().is_some() {
            return PackedFences::checked_before(bytes).ok_or_else(wrong);
        }
        if let Place::Medium { extent, uuid } = &self.place
            && checksum(uuid, extent.offset() + at as u64, bytes) != self.fences_crc
        {
            return Err(self
                .place
                .damaged(at, "the inner page of an index has a wrong checksum"));
        }
        let fences = PackedFences::check(bytes, self.leaf_count()).ok_or_else(wrong)?;
        let _ = self.fences_checked.set(());
        Ok(fences)
    }

    pub(super) fn damaged(&self, what: &str) -> StorageError {
        self.place.damaged(0, what)
    }

    /// Starts fetching all of it.
    pub(super) fn prefetch(&self) {
        if let Place::Medium { extent, .. } = &self.place {
            extent.prefetch();
        }
    }
}

impl Place {
    fn len(&self) -> u64 {
        match self {
            Place::Medium { extent, .. } => extent.len(),
            Place::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// A part of the content that can be read.
    fn touched(&self, at: usize, len: usize) -> Result<&[u8], StorageError> {
        match self {
            Place::Medium { extent, .. } => {
                extent.touch_range(at as u64, len as u64)?;
                Ok(&extent.bytes()[at..at + len])
            }
            Place::Memory(bytes) => Ok(&bytes[at..at + len]),
        }
    }

    fn damaged(&self, at: usize, what: &str) -> StorageError {
        match self {
            Place::Medium { extent, .. } => {
                let offset = extent.offset() + at as u64;
                StorageError::damaged(&extent.file_name(), offset, what)
            }
            Place::Memory(_) => StorageError::damaged("memory", at as u64, what),
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Interval, Summary};

    #[test]
    fn counts_of_entries_hold() {
        let mut summary = Summary {
            leaf_count: 1,
            ..Summary::default()
        };
        summary.add(Interval::ALWAYS);
        summary.add(Interval { begin: 2, end: 5 });
        summary.invariants();
    }

    #[test]
    #[should_panic(expected = "no leaf is empty")]
    fn an_empty_leaf_is_noticed() {
        let summary = Summary {
            leaf_count: 1,
            ..Summary::default()
        };
        summary.invariants();
    }

    #[test]
    #[should_panic(expected = "that no commit showed")]
    fn an_interval_without_commits_is_noticed() {
        let mut summary = Summary::default();
        summary.add(Interval { begin: 5, end: 5 });
        summary.invariants();
    }
}
