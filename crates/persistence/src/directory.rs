//! The section directory: which extent holds which section.
//!
//! A durable, copy-on-write tree of two levels. Leaves hold 128 entries each;
//! the root blob names the leaves and a few free-form blobs. A checkpoint
//! writes the leaves that changed and a new root blob out of place; the pool's
//! root then switches to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::PersistenceError;
use crate::little_endian::{u32_at, u64_at};
use crate::order::Flushed;
use crate::pool::Uuid;
use crate::region::{Extent, Region};

const LEAF_ENTRIES: usize = 128;
const ENTRY_BYTES: usize = 56;
const LEAF_BYTES: usize = LEAF_ENTRIES * ENTRY_BYTES;
const LEAF_REFERENCE_BYTES: usize = 24;
const BLOB_REFERENCE_BYTES: usize = 24;
const ROOT_HEADER_BYTES: usize = 16;

/// Names one section: a plane, and the section's number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionKey {
    /// Plane.
    pub plane: u32,
    /// Section within the plane.
    pub section: u32,
}

/// What the directory stores for one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Offset of the extent.
    pub offset: u64,
    /// Bytes of the extent.
    pub len: u64,
    /// Commits up to this CSN are merged.
    pub csn: u64,
    /// Counts rewrites of the section that dropped entries.
    pub generation: u32,
    /// Checksum, as the owner of the content defines it.
    pub crc: u32,
    /// Entries in the section, tombstones included.
    pub entries: u64,
    /// Tombstones among them.
    pub tombstones: u64,
}

/// A free-form blob that lives with the directory, by kind and number.
#[derive(Clone, Debug)]
pub struct Blob {
    /// The content's extent.
    pub extent: Arc<Extent>,
    crc: u32,
}

impl Blob {
    /// The content, after its checksum has been checked.
    pub fn read(&self, uuid: &Uuid) -> Result<&[u8], PersistenceError> {
        self.extent.touch()?;
        let bytes = self.extent.bytes();
        if checksum(uuid, self.extent.offset(), bytes) != self.crc {
            return Err(PersistenceError::damaged(
                &self.extent.file_name(),
                self.extent.offset(),
                "a stored table has a wrong checksum",
            ));
        }
        Ok(bytes)
    }
}

struct Leaf {
    entries: Vec<Option<Entry>>,
    /// Where the leaf is stored, unless it changed since.
    stored: Option<(Arc<Extent>, u32)>,
}

/// The directory in memory, with what is stored of it.
#[derive(Default)]
pub struct Directory {
    leaves: BTreeMap<(u32, u32), Leaf>,
    blobs: BTreeMap<(u32, u32), Blob>,
    root: Option<Arc<Extent>>,
    /// Extents that the new root no longer names.
    replaced: Vec<Arc<Extent>>,
    /// What to do, last first, to be again what the durable root names.
    undo: Vec<Undo>,
}

/// A change that no durable root names yet.
enum Undo {
    Entry(SectionKey, Option<Entry>),
    Blob((u32, u32), Option<Blob>),
}

/// A stored root blob, for the pool's root.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// Offset of the root blob.
    pub offset: u64,
    /// Its bytes.
    pub len: u64,
    /// Its checksum.
    pub crc: u32,
}

/// CRC-32C bound to the database and the place, so that a block that was
/// written elsewhere, or belongs to another database, does not hold.
pub fn checksum(uuid: &Uuid, offset: u64, bytes: &[u8]) -> u32 {
    let seed = crc32c::crc32c_append(crc32c::crc32c(uuid), &offset.to_le_bytes());
    crc32c::crc32c_append(seed, bytes)
}

impl Directory {
    /// Reads the directory that the pool's root names, and claims its own
    /// extents in the region. The entries' extents are claimed by the caller.
    pub fn load(
        region: &Region,
        uuid: &Uuid,
        offset: u64,
        len: u64,
        crc: u32,
    ) -> Result<Self, PersistenceError> {
        let mut directory = Directory::default();
        if len == 0 {
            return Ok(directory);
        }
        let file = region.file_name();
        let root = read_checked(region, uuid, offset, len, crc)?;
        let bytes = root.bytes();
        let leaf_count = u64_at(bytes, 0) as usize;
        let blob_count = u64_at(bytes, 8) as usize;
        let expected = leaf_count
            .checked_mul(LEAF_REFERENCE_BYTES)
            .and_then(|n| n.checked_add(blob_count.checked_mul(BLOB_REFERENCE_BYTES + 8)?))
            .and_then(|n| n.checked_add(ROOT_HEADER_BYTES));
        if expected != Some(bytes.len()) {
            return Err(PersistenceError::damaged(
                &file,
                offset,
                "the directory's counts do not fit its length",
            ));
        }
        let mut at = ROOT_HEADER_BYTES;
        for _ in 0..leaf_count {
            let plane = u32_at(bytes, at);
            let number = u32_at(bytes, at + 4);
            let leaf_offset = u64_at(bytes, at + 8);
            let leaf_crc = u32_at(bytes, at + 16);
            at += LEAF_REFERENCE_BYTES;
            let extent = read_checked(region, uuid, leaf_offset, LEAF_BYTES as u64, leaf_crc)?;
            let entries = extent
                .bytes()
                .chunks_exact(ENTRY_BYTES)
                .map(decode_entry)
                .collect();
            directory.leaves.insert(
                (plane, number),
                Leaf {
                    entries,
                    stored: Some((Arc::new(extent), leaf_crc)),
                },
            );
        }
        for _ in 0..blob_count {
            let kind = u32_at(bytes, at);
            let number = u32_at(bytes, at + 4);
            let blob_offset = u64_at(bytes, at + 8);
            let blob_len = u64_at(bytes, at + 16);
            let blob_crc = u32_at(bytes, at + 24);
            at += BLOB_REFERENCE_BYTES + 8;
            let extent = Arc::new(region.adopt(blob_offset, blob_len)?);
            directory.blobs.insert(
                (kind, number),
                Blob {
                    extent,
                    crc: blob_crc,
                },
            );
        }
        directory.root = Some(Arc::new(root));
        Ok(directory)
    }

    /// All entries in order.
    pub fn entries(&self) -> impl Iterator<Item = (SectionKey, Entry)> + '_ {
        self.leaves.iter().flat_map(|(&(plane, number), leaf)| {
            leaf.entries.iter().enumerate().filter_map(move |(i, e)| {
                let section = number * LEAF_ENTRIES as u32 + i as u32;
                e.map(|entry| (SectionKey { plane, section }, entry))
            })
        })
    }

    /// Sets the entry of one section; stored by the next [`Directory::store`].
    pub fn set(&mut self, key: SectionKey, entry: Entry) {
        let before = self.replace_entry(key, Some(entry));
        self.undo.push(Undo::Entry(key, before));
    }

    /// Takes the entry of one section out; its extent is the caller's.
    pub fn remove(&mut self, key: SectionKey) {
        if self.entry(key).is_some() {
            let before = self.replace_entry(key, None);
            self.undo.push(Undo::Entry(key, before));
        }
    }

    /// Undoes what was set since a root was published last: its extents are not
    /// there any more, so no later root may name them.
    pub fn roll_back(&mut self) {
        while let Some(undo) = self.undo.pop() {
            match undo {
                Undo::Entry(key, before) => {
                    self.replace_entry(key, before);
                }
                Undo::Blob(key, None) => {
                    self.blobs.remove(&key);
                }
                Undo::Blob(key, Some(blob)) => {
                    self.replaced
                        .retain(|extent| !Arc::ptr_eq(extent, &blob.extent));
                    self.blobs.insert(key, blob);
                }
            }
        }
    }

    /// Returns the entry before.
    fn replace_entry(&mut self, key: SectionKey, entry: Option<Entry>) -> Option<Entry> {
        let number = key.section / LEAF_ENTRIES as u32;
        let leaf = self
            .leaves
            .entry((key.plane, number))
            .or_insert_with(|| Leaf {
                entries: vec![None; LEAF_ENTRIES],
                stored: None,
            });
        let place = &mut leaf.entries[key.section as usize % LEAF_ENTRIES];
        let before = std::mem::replace(place, entry);
        if let Some((extent, _)) = leaf.stored.take() {
            self.replaced.push(extent);
        }
        before
    }

    /// The entry of one section.
    pub fn entry(&self, key: SectionKey) -> Option<Entry> {
        let leaf = self
            .leaves
            .get(&(key.plane, key.section / LEAF_ENTRIES as u32))?;
        leaf.entries[key.section as usize % LEAF_ENTRIES]
    }

    /// The blobs of one kind in order.
    pub fn blobs(&self, kind: u32) -> impl Iterator<Item = &Blob> + '_ {
        self.numbered_blobs(kind).map(|(_, blob)| blob)
    }

    /// The blobs of one kind in order, with their numbers.
    pub fn numbered_blobs(&self, kind: u32) -> impl Iterator<Item = (u32, &Blob)> + '_ {
        self.blobs
            .range((kind, 0)..=(kind, u32::MAX))
            .map(|(key, blob)| (key.1, blob))
    }

    /// One blob.
    pub fn blob(&self, kind: u32, number: u32) -> Option<&Blob> {
        self.blobs.get(&(kind, number))
    }

    /// Whether there are blobs of a kind, or of one above it.
    pub fn has_blobs_from(&self, kind: u32) -> bool {
        self.blobs.range((kind, 0)..).next().is_some()
    }

    /// Number of blobs of one kind.
    pub fn blob_count(&self, kind: u32) -> u32 {
        self.blobs(kind).count() as u32
    }

    /// Writes a blob and sets it in the directory.
    pub fn set_blob(
        &mut self,
        region: &Region,
        uuid: &Uuid,
        kind: u32,
        number: u32,
        bytes: &[u8],
    ) -> Result<Flushed<()>, PersistenceError> {
        let len = bytes.len() as u64;
        self.set_blob_at(region, uuid, kind, number, len, |_| bytes)
    }

    /// As [`Directory::set_blob`], for `len` bytes that depend on where they
    /// will lie.
    pub fn set_blob_at<B: AsRef<[u8]>>(
        &mut self,
        region: &Region,
        uuid: &Uuid,
        kind: u32,
        number: u32,
        len: u64,
        bytes_at: impl FnOnce(u64) -> B,
    ) -> Result<Flushed<()>, PersistenceError> {
        let draft = region.allocate(len)?;
        let bytes = bytes_at(draft.offset());
        let bytes = bytes.as_ref();
        let crc = checksum(uuid, draft.offset(), bytes);
        let flushed = draft.finish(bytes)?;
        Ok(flushed.map(|extent| {
            let blob = Blob {
                extent: Arc::new(extent),
                crc,
            };
            let before = self.blobs.insert((kind, number), blob);
            if let Some(old) = &before {
                self.replaced.push(Arc::clone(&old.extent));
            }
            self.undo.push(Undo::Blob((kind, number), before));
        }))
    }

    /// Takes a blob out of the directory, if it is there; its space is free once
    /// a root without it is published.
    pub fn remove_blob(&mut self, kind: u32, number: u32) {
        if let Some(blob) = self.blobs.remove(&(kind, number)) {
            self.replaced.push(Arc::clone(&blob.extent));
            self.undo.push(Undo::Blob((kind, number), Some(blob)));
        }
    }

    /// Durability step 2: writes the changed leaves and a new root blob out of
    /// place. The token stands for `sections` too, the extents that the entries
    /// name, so that one fence makes all durable; nothing reaches the directory
    /// before the pool's root names it.
    pub fn store(
        &mut self,
        region: &Region,
        uuid: &Uuid,
        sections: Flushed<()>,
    ) -> Result<Flushed<Stored>, PersistenceError> {
        let mut written = Vec::new();
        for leaf in self.leaves.values_mut() {
            if leaf.stored.is_some() {
                continue;
            }
            let mut bytes = Vec::with_capacity(LEAF_BYTES);
            for entry in &leaf.entries {
                encode_entry(entry.as_ref(), &mut bytes);
            }
            let draft = region.allocate(bytes.len() as u64)?;
            let crc = checksum(uuid, draft.offset(), &bytes);
            let flushed = draft.finish(&bytes)?;
            written.push(flushed.map(|extent| leaf.stored = Some((Arc::new(extent), crc))));
        }
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&(self.leaves.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.blobs.len() as u64).to_le_bytes());
        for (&(plane, number), leaf) in &self.leaves {
            let (extent, crc) = leaf.stored.as_ref().expect("written above");
            bytes.extend_from_slice(&plane.to_le_bytes());
            bytes.extend_from_slice(&number.to_le_bytes());
            bytes.extend_from_slice(&extent.offset().to_le_bytes());
            bytes.extend_from_slice(&crc.to_le_bytes());
            bytes.extend_from_slice(&[0; 4]);
        }
        for (&(kind, number), blob) in &self.blobs {
            bytes.extend_from_slice(&kind.to_le_bytes());
            bytes.extend_from_slice(&number.to_le_bytes());
            bytes.extend_from_slice(&blob.extent.offset().to_le_bytes());
            bytes.extend_from_slice(&blob.extent.len().to_le_bytes());
            bytes.extend_from_slice(&blob.crc.to_le_bytes());
            bytes.extend_from_slice(&[0; 4]);
        }
        let draft = region.allocate(bytes.len() as u64)?;
        let crc = checksum(uuid, draft.offset(), &bytes);
        let root = draft.finish(&bytes)?;
        Ok(Flushed::all(written)
            .and(sections)
            .and(root)
            .map(|(_, extent)| {
                let stored = Stored {
                    offset: extent.offset(),
                    len: extent.len(),
                    crc,
                };
                if let Some(old) = self.root.replace(Arc::new(extent)) {
                    self.replaced.push(old);
                }
                stored
            }))
    }

    /// Before durability step 4: the pool's root may name this directory from
    /// now on, so nothing of it is free, even if the publication fails.
    pub fn publishing(&self) {
        let own = self
            .leaves
            .values()
            .filter_map(|leaf| leaf.stored.as_ref().map(|(extent, _)| extent))
            .chain(self.blobs.values().map(|blob| &blob.extent))
            .chain(self.root.as_ref());
        own.for_each(|extent| extent.published());
    }

    /// Durability step 6: the pool's root names this directory durably, so
    /// what only the one before named is free.
    pub fn published(&mut self) {
        self.undo.clear();
        for extent in self.replaced.drain(..) {
            extent.retire();
        }
    }

    /// Bytes that the directory itself occupies.
    pub fn bytes(&self) -> u64 {
        let leaves = self.leaves.values().filter_map(|leaf| leaf.stored.as_ref());
        leaves.map(|(e, _)| e.reserved_bytes()).sum::<u64>()
            + self.root.as_ref().map_or(0, |e| e.reserved_bytes())
    }
}

fn read_checked(
    region: &Region,
    uuid: &Uuid,
    offset: u64,
    len: u64,
    crc: u32,
) -> Result<Extent, PersistenceError> {
    let extent = region.adopt(offset, len)?;
    extent.touch()?;
    if checksum(uuid, offset, extent.bytes()) != crc {
        return Err(PersistenceError::damaged(
            &region.file_name(),
            offset,
            "the section directory has a wrong checksum",
        ));
    }
    Ok(extent)
}

fn encode_entry(entry: Option<&Entry>, bytes: &mut Vec<u8>) {
    let Some(entry) = entry else {
        bytes.extend_from_slice(&[0; ENTRY_BYTES]);
        return;
    };
    for word in [entry.offset, entry.len, entry.csn] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for word in [entry.generation, entry.crc] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for word in [entry.entries, entry.tombstones, 1] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

fn decode_entry(bytes: &[u8]) -> Option<Entry> {
    (u64_at(bytes, 48) == 1).then(|| Entry {
        offset: u64_at(bytes, 0),
        len: u64_at(bytes, 8),
        csn: u64_at(bytes, 16),
        generation: u32_at(bytes, 24),
        crc: u32_at(bytes, 28),
        entries: u64_at(bytes, 32),
        tombstones: u64_at(bytes, 40),
    })
}
