//! The base of an index: rows of extents in the order of their keys, and the manifest
//! that names them on the medium.
//!
//! ```text
//! 0   magic                 4   "EIDX"
//! 4   format                4
//! 8   merged up to          8   commit
//! 16  visible since         8   commit
//! 24  bytes of a leaf       4
//! 28  number of extents     4
//! 32  extents: offset 8, length 8, leaves 4, checksum of the fences 4,
//!     entries 8, removed entries 8, visible from 8 and until 8
//!     fences between the extents
//! ```

use std::sync::Arc;

use evergraph_storage::layout::tiles;
use evergraph_storage::{Entry, Extent, Region, StorageError, Uuid, checksum};

use super::entry::EntryRef;
use super::extent::{Inner, LeafExtent, Summary};
use super::fences::{Fences, PackedFences, pack};
use super::geometry::{LEAF_STEP, MOST_LEAF_BYTES};

const MAGIC: &[u8; 4] = b"EIDX";
const FORMAT: u32 = 1;
const HEAD: usize = 32;
const PLACE: usize = 56;

// Magic, format, merged up to, visible since, bytes of a leaf, extents.
const _: () = assert!(tiles(
    &[(0, MAGIC.len()), (4, 4), (8, 8), (16, 8), (24, 4), (28, 4)],
    HEAD
));
// Offset, length, leaves, checksum, entries, removed, from, until.
const _: () = assert!(tiles(
    &[
        (0, 8),
        (8, 8),
        (16, 4),
        (20, 4),
        (24, 8),
        (32, 8),
        (40, 8),
        (48, 8)
    ],
    PLACE
));

/// First key of a page.
pub(super) type Fence = (Vec<u8>, u32);

/// The merged part of an index, as of one commit. Never changes.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) extents: Vec<Arc<LeafExtent>>,
    fences: Fences,
    /// Changes up to this commit are in it.
    pub(super) csn: u64,
    /// It is readable as of this commit and later ones.
    pub(super) since: u64,
    /// Names it on the medium, if something does.
    pub(super) manifest: Option<Manifest>,
    inner: Inner,
}

/// A written manifest.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) extent: Extent,
    /// Offset of the fences between extents.
    fences_at: usize,
}

/// A leaf's place: of its extent, and in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeafPlace {
    pub(super) extent: usize,
    pub(super) leaf: usize,
}

impl Base {
    pub(super) fn new(
        extents: Vec<(Fence, Arc<LeafExtent>)>,
        csn: u64,
        since: u64,
        inner: Inner,
    ) -> Self {
        debug_assert!(
            extents.iter().skip(1).is_sorted_by(|a, b| a.0 < b.0),
            "extents lie in the order of their keys"
        );
        let fences = Fences::new(extents.iter().map(|(fence, _)| (&fence.0[..], fence.1)));
        let base = Base {
            fences,
            extents: extents.into_iter().map(|(_, extent)| extent).collect(),
            csn,
            since,
            manifest: None,
            inner,
        };
        base.invariants();
        base
    }

    /// Panics in debug builds if the summaries of the extents, or the commits,
    /// contradict each other. What leaves hold is checked where they are written.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.since <= self.csn,
            "visible since commit {}, merged up to {}",
            self.since,
            self.csn
        );
        for extent in &self.extents {
            extent.summary.invariants();
        }
    }

    /// Entries, those included that were removed.
    pub(super) fn entries(&self) -> u64 {
        self.extents.iter().map(|e| e.summary.entries).sum()
    }

    /// Entries that were removed, and that kept snapshots show.
    pub(super) fn closed(&self) -> u64 {
        self.extents.iter().map(|e| e.summary.closed).sum()
    }

    pub(super) fn stored_bytes(&self) -> u64 {
        let extents = self.extents.iter().filter_map(|e| e.extent());
        let manifest = self.manifest.as_ref().map(|manifest| &manifest.extent);
        extents.chain(manifest).map(|e| e.reserved_bytes()).sum()
    }

    pub(super) fn dram_bytes(&self) -> usize {
        let extents = self.extents.iter().map(|e| e.dram_bytes() + 16);
        self.fences.bytes() + extents.sum::<usize>()
    }

    pub(super) fn fence(&self, extent: usize) -> Fence {
        self.fences.get(extent)
    }

    /// The leaf in which an entry lies, or would lie; `None` if there are none.
    pub(super) fn find(&self, entry: EntryRef<'_>) -> Result<Option<LeafPlace>, StorageError> {
        let extent = match (&self.manifest, self.inner) {
            (Some(manifest), Inner::Medium) => manifest.fences()?.find(entry),
            _ => self.fences.find(entry),
        };
        let Some(found) = self.extents.get(extent) else {
            return Ok(None);
        };
        let leaf = found.find(entry, self.inner)?;
        Ok(Some(LeafPlace { extent, leaf }))
    }

    /// The extent in which an entry lies, or would lie.
    pub(super) fn find_extent(&self, entry: EntryRef<'_>) -> usize {
        self.fences.find(entry)
    }

    pub(super) fn next(&self, place: LeafPlace) -> Option<LeafPlace> {
        let LeafPlace { extent, leaf } = place;
        if leaf + 1 < self.extents[extent].leaf_count() {
            return Some(LeafPlace {
                extent,
                leaf: leaf + 1,
            });
        }
        let extent = extent + 1;
        (extent < self.extents.len()).then_some(LeafPlace { extent, leaf: 0 })
    }

    /// First key of the leaf behind this one.
    pub(super) fn end(&self, place: LeafPlace) -> Result<Option<Fence>, StorageError> {
        match self.next(place) {
            None => Ok(None),
            Some(LeafPlace { extent, leaf: 0 }) => Ok(Some(self.fences.get(extent))),
            Some(next) => self.extents[next.extent]
                .fence(next.leaf, self.inner)
                .map(Some),
        }
    }

    /// The last leaf that begins before an entry, or the last; `None` if there is none.
    pub(super) fn find_before(
        &self,
        to: Option<EntryRef<'_>>,
    ) -> Result<Option<LeafPlace>, StorageError> {
        let Some(to) = to else {
            let extent = self.extents.len().checked_sub(1);
            return Ok(extent.map(|extent| LeafPlace {
                extent,
                leaf: self.extents[extent].leaf_count() - 1,
            }));
        };
        let Some(place) = self.find(to)? else {
            return Ok(None);
        };
        let start = self.start(place)?;
        match (&start.0[..], start.1) < to {
            true => Ok(Some(place)),
            false => Ok(self.previous(place)),
        }
    }

    /// First key of a leaf.
    pub(super) fn start(
        &self,
        LeafPlace { extent, leaf }: LeafPlace,
    ) -> Result<Fence, StorageError> {
        match leaf {
            0 => Ok(self.fences.get(extent)),
            _ => self.extents[extent].fence(leaf, self.inner),
        }
    }

    /// The leaf before this one.
    pub(super) fn previous(&self, LeafPlace { extent, leaf }: LeafPlace) -> Option<LeafPlace> {
        if let Some(leaf) = leaf.checked_sub(1) {
            return Some(LeafPlace { extent, leaf });
        }
        let extent = extent.checked_sub(1)?;
        let leaf = self.extents[extent].leaf_count() - 1;
        Some(LeafPlace { extent, leaf })
    }

    pub(super) fn encode(&self, leaf_bytes: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + PLACE * self.extents.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&self.csn.to_le_bytes());
        bytes.extend_from_slice(&self.since.to_le_bytes());
        bytes.extend_from_slice(&(leaf_bytes as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.extents.len() as u32).to_le_bytes());
        for leaves in &self.extents {
            let (offset, len) = leaves.extent().map_or((0, 0), |e| (e.offset(), e.len()));
            let summary = &leaves.summary;
            bytes.extend_from_slice(&offset.to_le_bytes());
            bytes.extend_from_slice(&len.to_le_bytes());
            bytes.extend_from_slice(&summary.leaf_count.to_le_bytes());
            bytes.extend_from_slice(&leaves.fences_crc.to_le_bytes());
            let numbers = [
                summary.entries,
                summary.closed,
                summary.closed_from,
                summary.closed_until,
            ];
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        debug_assert_eq!(bytes.len(), HEAD + PLACE * self.extents.len());
        let fences: Vec<Fence> = (0..self.extents.len()).map(|i| self.fence(i)).collect();
        bytes.extend(pack(fences.iter().map(|fence| (&fence.0[..], fence.1))));
        bytes
    }

    /// Names the manifest that was written.
    pub(super) fn named_by(&mut self, extent: Extent) {
        let fences_at = HEAD + PLACE * self.extents.len();
        self.manifest = Some(Manifest { extent, fences_at });
    }

    /// Reads the manifest that the directory names, and claims its extents.
    pub(super) fn restore(
        region: &Region,
        uuid: &Uuid,
        entry: &Entry,
        inner: Inner,
    ) -> Result<Self, StorageError> {
        let damaged = |what| StorageError::damaged(&region.file_name(), entry.offset, what);
        let manifest = region.adopt(entry.offset, entry.len)?;
        manifest.touch()?;
        let bytes = manifest.bytes();
        if checksum(uuid, entry.offset, bytes) != entry.crc {
            return Err(damaged("the manifest of an index has a wrong checksum"));
        }
        let wrong = || damaged("the manifest of an index does not hold together");
        let mut reader = Reader(bytes);
        if reader.take::<4>() != Some(*MAGIC) || reader.u32() != Some(FORMAT) {
            return Err(damaged(
                "the manifest of an index is of a kind that is not known",
            ));
        }
        let head = reader.head().filter(|head| head.since <= head.csn);
        let head = head.ok_or_else(wrong)?;
        let mut extents = Vec::new();
        for _ in 0..head.extent_count {
            let place = reader
                .place()
                .filter(|(_, _, summary, _)| summary.holds_together());
            let (offset, len, summary, crc) = place.ok_or_else(wrong)?;
            let extent = region.adopt(offset, len)?;
            let extent = LeafExtent::claimed(extent, *uuid, head.leaf_bytes, summary, crc);
            extents.push(Arc::new(extent.ok_or_else(wrong)?));
        }
        let fences_at = bytes.len() - reader.0.len();
        let packed = PackedFences::check(reader.0, extents.len()).ok_or_else(wrong)?;
        let base = Base {
            fences: Fences::unpack(packed),
            extents,
            csn: head.csn,
            since: head.since,
            inner,
            manifest: Some(Manifest {
                extent: manifest,
                fences_at,
            }),
        };
        Ok(base)
    }
}

impl Manifest {
    /// The fences on the medium, which were checked when they were read first.
    fn fences(&self) -> Result<PackedFences<'_>, StorageError> {
        let len = self.extent.len() - self.fences_at as u64;
        self.extent.touch_range(self.fences_at as u64, len)?;
        let fences = PackedFences::checked_before(&self.extent.bytes()[self.fences_at..]);
        fences.ok_or_else(|| {
            let (file, offset) = (self.extent.file_name(), self.extent.offset());
            StorageError::damaged(&file, offset, "the root page of an index does not hold")
        })
    }
}

struct Head {
    csn: u64,
    since: u64,
    leaf_bytes: usize,
    extent_count: u32,
}

/// Takes numbers off the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn head(&mut self) -> Option<Head> {
        let head = Head {
            csn: self.u64()?,
            since: self.u64()?,
            leaf_bytes: self.u32()? as usize,
            extent_count: self.u32()?,
        };
        let is_leaf = (LEAF_STEP..=MOST_LEAF_BYTES).contains(&head.leaf_bytes);
        (is_leaf && head.leaf_bytes.is_multiple_of(LEAF_STEP)).then_some(head)
    }

    fn place(&mut self) -> Option<(u64, u64, Summary, u32)> {
        let (offset, len) = (self.u64()?, self.u64()?);
        let (leaf_count, crc) = (self.u32()?, self.u32()?);
        let summary = Summary {
            leaf_count,
            entries: self.u64()?,
            closed: self.u64()?,
            closed_from: self.u64()?,
            closed_until: self.u64()?,
        };
        Some((offset, len, summary, crc))
    }
}
