//! The section directory: which extent holds which section.
//!
//! A durable, copy-on-write tree of two levels. Leaves hold 128 entries each;
//! the root blob names the leaves and a few free-form blobs. A checkpoint
//! writes the leaves that changed and a new root blob out of place; the pool's
//! root then switches to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::StorageError;
use crate::layout::{Field, tiles};
use crate::little_endian::{put, u32_at, u64_at};
use crate::order::Flushed;
use crate::pool::Uuid;
use crate::region::{Extent, Region};

const LEAF_ENTRIES: usize = 128;
const ENTRY_BYTES: usize = 56;
const LEAF_BYTES: usize = LEAF_ENTRIES * ENTRY_BYTES;
const LEAF_REFERENCE_BYTES: usize = 24;
const BLOB_REFERENCE_BYTES: usize = 32;
const ROOT_HEADER_BYTES: usize = 16;

// The root's header: numbers of leaves and of blobs.
const LEAF_COUNT: Field = (0, 8);
const BLOB_COUNT: Field = (8, 8);
const _: () = assert!(tiles(&[LEAF_COUNT, BLOB_COUNT], ROOT_HEADER_BYTES));

// Reference of the root to a leaf or a blob: key, offset, checksum.
const KEY: [Field; 2] = [(0, 4), (4, 4)];
const LEAF_OFFSET: Field = (8, 8);
const LEAF_CRC: Field = (16, 4);
const _: () = assert!(tiles(
    &[KEY[0], KEY[1], LEAF_OFFSET, LEAF_CRC, (20, 4)],
    LEAF_REFERENCE_BYTES
));
const BLOB_OFFSET: Field = (8, 8);
const BLOB_LEN: Field = (16, 8);
const BLOB_CRC: Field = (24, 4);
const _: () = assert!(tiles(
    &[KEY[0], KEY[1], BLOB_OFFSET, BLOB_LEN, BLOB_CRC, (28, 4)],
    BLOB_REFERENCE_BYTES
));

// Fields of an entry.
const OFFSET: Field = (0, 8);
const LEN: Field = (8, 8);
const CSN: Field = (16, 8);
const GENERATION: Field = (24, 4);
const CRC: Field = (28, 4);
const ENTRIES: Field = (32, 8);
const TOMBSTONES: Field = (40, 8);
const PRESENT: Field = (48, 8);
const _: () = assert!(tiles(
    &[
        OFFSET, LEN, CSN, GENERATION, CRC, ENTRIES, TOMBSTONES, PRESENT
    ],
    ENTRY_BYTES
));
const _: () = assert!(
    LEAF_BYTES.is_multiple_of(512),
    "a torn leaf is torn between sectors, and other extents share none with it"
);

/// Names one section: its owner, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionKey {
    /// Number of an adjacency, or of a part of a store extension.
    pub owner: u32,
    /// Section within the owner.
    pub section: u32,
}

/// One section's row of the directory.
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
    pub fn read(&self, uuid: &Uuid) -> Result<&[u8], StorageError> {
        self.extent.touch()?;
        let bytes = self.extent.bytes();
        if checksum(uuid, self.extent.offset(), bytes) != self.crc {
            return Err(StorageError::damaged(
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
    /// Extent and checksum of the stored leaf; `None` if it changed since.
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
    /// Changes to take back, the last first, to return to the state that the durable root
    /// names.
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
    ) -> Result<Self, StorageError> {
        let mut directory = Directory::default();
        if len == 0 {
            return Ok(directory);
        }
        let file = region.file_name();
        let root = read_checked(region, uuid, offset, len, crc)?;
        let bytes = root.bytes();
        let leaf_count = u64_at(bytes, LEAF_COUNT.0) as usize;
        let blob_count = u64_at(bytes, BLOB_COUNT.0) as usize;
        let expected = leaf_count
            .checked_mul(LEAF_REFERENCE_BYTES)
            .and_then(|n| n.checked_add(blob_count.checked_mul(BLOB_REFERENCE_BYTES)?))
            .and_then(|n| n.checked_add(ROOT_HEADER_BYTES));
        if expected != Some(bytes.len()) {
            return Err(StorageError::damaged(
                &file,
                offset,
                "the directory's counts do not fit its length",
            ));
        }
        let mut at = ROOT_HEADER_BYTES;
        for _ in 0..leaf_count {
            let owner = u32_at(bytes, at + KEY[0].0);
            let number = u32_at(bytes, at + KEY[1].0);
            let leaf_offset = u64_at(bytes, at + LEAF_OFFSET.0);
            let leaf_crc = u32_at(bytes, at + LEAF_CRC.0);
            at += LEAF_REFERENCE_BYTES;
            if number > u32::MAX / LEAF_ENTRIES as u32 {
                let what = "the number of a leaf is out of range";
                return Err(StorageError::damaged(&file, offset, what));
            }
            let extent = read_checked(region, uuid, leaf_offset, LEAF_BYTES as u64, leaf_crc)?;
            let entries = extent
                .bytes()
                .chunks_exact(ENTRY_BYTES)
                .map(decode_entry)
                .collect();
            directory.leaves.insert(
                (owner, number),
                Leaf {
                    entries,
                    stored: Some((Arc::new(extent), leaf_crc)),
                },
            );
        }
        for _ in 0..blob_count {
            let kind = u32_at(bytes, at + KEY[0].0);
            let number = u32_at(bytes, at + KEY[1].0);
            let blob_offset = u64_at(bytes, at + BLOB_OFFSET.0);
            let blob_len = u64_at(bytes, at + BLOB_LEN.0);
            let blob_crc = u32_at(bytes, at + BLOB_CRC.0);
            at += BLOB_REFERENCE_BYTES;
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
        self.leaves.iter().flat_map(|(&(owner, number), leaf)| {
            leaf.entries.iter().enumerate().filter_map(move |(i, e)| {
                let section = number * LEAF_ENTRIES as u32 + i as u32;
                e.map(|entry| (SectionKey { owner, section }, entry))
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
            .entry((key.owner, number))
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
            .get(&(key.owner, key.section / LEAF_ENTRIES as u32))?;
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
    ) -> Result<Flushed<()>, StorageError> {
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
    ) -> Result<Flushed<()>, StorageError> {
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
    ) -> Result<Flushed<Stored>, StorageError> {
        let mut written = Vec::new();
        for leaf in self.leaves.values_mut() {
            if leaf.stored.is_some() {
                continue;
            }
            let mut bytes = Vec::with_capacity(LEAF_BYTES);
            for entry in &leaf.entries {
                encode_entry(entry.as_ref(), &mut bytes);
            }
            debug_assert_eq!(bytes.len(), LEAF_BYTES);
            let draft = region.allocate(bytes.len() as u64)?;
            let crc = checksum(uuid, draft.offset(), &bytes);
            let flushed = draft.finish(&bytes)?;
            written.push(flushed.map(|extent| leaf.stored = Some((Arc::new(extent), crc))));
        }
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&(self.leaves.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.blobs.len() as u64).to_le_bytes());
        for (&(owner, number), leaf) in &self.leaves {
            let (extent, crc) = leaf.stored.as_ref().expect("written above");
            bytes.extend_from_slice(&owner.to_le_bytes());
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
        debug_assert_eq!(
            bytes.len(),
            ROOT_HEADER_BYTES
                + self.leaves.len() * LEAF_REFERENCE_BYTES
                + self.blobs.len() * BLOB_REFERENCE_BYTES,
            "opening refuses a root whose counts do not fit its length"
        );
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
        debug_assert!(
            self.root.is_some() && self.leaves.values().all(|leaf| leaf.stored.is_some()),
            "a root is about to name a directory of which a part is in memory alone"
        );
        self.own_extents().for_each(|extent| extent.published());
    }

    /// Extents of the directory itself: leaves, blobs, root.
    fn own_extents(&self) -> impl Iterator<Item = &Arc<Extent>> {
        self.leaves
            .values()
            .filter_map(|leaf| leaf.stored.as_ref().map(|(extent, _)| extent))
            .chain(self.blobs.values().map(|blob| &blob.extent))
            .chain(self.root.as_ref())
    }

    /// Durability step 6: the pool's root names this directory durably, so
    /// what only the one before named is free.
    pub fn published(&mut self) {
        self.undo.clear();
        for extent in self.replaced.drain(..) {
            extent.retire();
        }
        self.invariants();
    }

    /// Panics in debug builds if the directory that a root names contradicts
    /// itself. Walks all of it: called where a checkpoint ends.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.leaves
                .values()
                .all(|leaf| leaf.entries.len() == LEAF_ENTRIES && leaf.stored.is_some()),
            "a published leaf is whole and stored"
        );
        let mut used: Vec<(u64, u64)> = self
            .own_extents()
            .map(|extent| (extent.offset(), extent.reserved_bytes()))
            .chain(
                self.entries()
                    .filter(|(_, entry)| entry.len > 0)
                    .map(|(_, entry)| (entry.offset, entry.len)),
            )
            .collect();
        used.sort_unstable();
        for pair in used.windows(2) {
            let ((offset, len), (next, _)) = (pair[0], pair[1]);
            assert!(
                offset + len <= next,
                "two extents overlap: {len} bytes at {offset}, and one at {next}"
            );
        }
        let end = used.last().map_or(0, |(offset, len)| offset + len);
        let file = self.root.as_ref().map_or(end, |root| root.file_bytes());
        assert!(
            end <= file,
            "the directory names bytes up to {end} of a file of {file} bytes"
        );
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
) -> Result<Extent, StorageError> {
    let extent = region.adopt(offset, len)?;
    extent.touch()?;
    if checksum(uuid, offset, extent.bytes()) != crc {
        return Err(StorageError::damaged(
            &region.file_name(),
            offset,
            "the section directory has a wrong checksum",
        ));
    }
    Ok(extent)
}

fn encode_entry(entry: Option<&Entry>, bytes: &mut Vec<u8>) {
    let mut stored = [0; ENTRY_BYTES];
    if let Some(entry) = entry {
        put(&mut stored, OFFSET, &entry.offset.to_le_bytes());
        put(&mut stored, LEN, &entry.len.to_le_bytes());
        put(&mut stored, CSN, &entry.csn.to_le_bytes());
        put(&mut stored, GENERATION, &entry.generation.to_le_bytes());
        put(&mut stored, CRC, &entry.crc.to_le_bytes());
        put(&mut stored, ENTRIES, &entry.entries.to_le_bytes());
        put(&mut stored, TOMBSTONES, &entry.tombstones.to_le_bytes());
        put(&mut stored, PRESENT, &1u64.to_le_bytes());
    }
    bytes.extend_from_slice(&stored);
}

fn decode_entry(bytes: &[u8]) -> Option<Entry> {
    (u64_at(bytes, PRESENT.0) == 1).then(|| Entry {
        offset: u64_at(bytes, OFFSET.0),
        len: u64_at(bytes, LEN.0),
        csn: u64_at(bytes, CSN.0),
        generation: u32_at(bytes, GENERATION.0),
        crc: u32_at(bytes, CRC.0),
        entries: u64_at(bytes, ENTRIES.0),
        tombstones: u64_at(bytes, TOMBSTONES.0),
    })
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Directory, Entry, SectionKey};
    use crate::medium::{DramStorage, Medium, Storage};
    use crate::order::Flushed;
    use crate::region::Region;

    const UUID: [u8; 16] = [7; 16];

    fn entry(offset: u64) -> Entry {
        Entry {
            offset,
            len: 512,
            csn: 1,
            generation: 0,
            crc: 0,
            entries: 0,
            tombstones: 0,
        }
    }

    /// A stored directory with entries at `offsets`.
    fn directory(offsets: &[u64]) -> (Directory, Region) {
        let medium = DramStorage::new().open("extents", true).unwrap();
        medium.grow(1 << 20).unwrap();
        let region = Region::new(medium.clone(), 512, 1 << 16);
        // Extents that the entries name.
        let _claimed = region.adopt(0, 1 << 16).unwrap();
        region.finish_adoption();
        let mut directory = Directory::default();
        for (section, &offset) in (0..).zip(offsets) {
            directory.set(SectionKey { owner: 0, section }, entry(offset));
        }
        let nothing = Flushed::of_stores(&medium, 0, 0).unwrap();
        let _ = directory.store(&region, &UUID, nothing).unwrap();
        (directory, region)
    }

    #[test]
    fn extents_side_by_side_are_fine() {
        let (mut directory, _region) = directory(&[1024, 0, 512]);
        directory.publishing();
        directory.published();
    }

    #[test]
    #[should_panic(expected = "two extents overlap")]
    fn no_two_entries_share_bytes() {
        directory(&[0, 256]).0.published();
    }

    #[test]
    #[should_panic(expected = "of a file of")]
    fn no_entry_lies_behind_the_file() {
        directory(&[0, 1 << 40]).0.published();
    }

    #[test]
    #[should_panic(expected = "in memory alone")]
    fn what_a_root_names_is_stored() {
        let (mut directory, _region) = directory(&[0]);
        directory.remove(SectionKey {
            owner: 0,
            section: 0,
        });
        directory.publishing();
    }
}
