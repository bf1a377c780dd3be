//! Offsets of the sections, one durable word each, and the vertex count.
//!
//! The file `sections` starts with a line that holds the vertex count, the
//! number of sections and the identity of the database, so that a lost block of
//! slots does not read as sections that never were. Where edges stand in two
//! lists, the intents of the writers follow (see [`super::intents`]). Then comes
//! one word for each section: zero if there is none, else the extent's place
//! and size in units of 64 bytes and a check byte. The word is stored, flushed
//! and fenced after the extent it names is durable (direct steps D2 and D3).

use evergraph_storage::failpoint;
use evergraph_storage::layout::{Field, tiles};
use evergraph_storage::order::{self, Durable};
use evergraph_storage::{Medium, MediumError, MediumHandle, Storage, StorageError, Uuid};
use parking_lot::Mutex;

use super::intents::{INTENT_BYTES, INTENT_SLOTS, Intent, IntentSlot, Intents};

const NAME: &str = "sections";
const HEADER_BYTES: u64 = 64;
const VERTEX_COUNT_AT: u64 = 0;
const SECTION_COUNT_AT: u64 = 8;
/// Slots of intents; 0 where there are none.
const INTENT_COUNT_AT: u64 = 48;
const UNIT: u64 = 64;
const OFFSET_BITS: u32 = 34;
const SIZE_BITS: u32 = 22;

/// Of whose sections the file tells: in the first line, behind the counts.
const IDENTITY_AT: u64 = 16;
const IDENTITY_BYTES: usize = 32;

// Fields of the identity: magic, UUID, checksum, zero.
const UUID: Field = (8, size_of::<Uuid>());
const IDENTITY_CRC: Field = (24, 4);
const _: () = assert!(tiles(
    &[(0, 8), UUID, IDENTITY_CRC, (28, 4)],
    IDENTITY_BYTES
));
// Fields of the first line: counts, identity, zero.
const _: () = assert!(tiles(
    &[
        (VERTEX_COUNT_AT as usize, 8),
        (SECTION_COUNT_AT as usize, 8),
        (IDENTITY_AT as usize, IDENTITY_BYTES),
        (INTENT_COUNT_AT as usize, 8),
        (56, 8),
    ],
    HEADER_BYTES as usize
));
const _: () = assert!(
    OFFSET_BITS + SIZE_BITS + u8::BITS == u64::BITS,
    "offset, size, check byte"
);
const _: () = assert!(
    HEADER_BYTES.is_multiple_of(UNIT) && INTENT_BYTES.is_multiple_of(UNIT),
    "no word of a section lies in the line of another kind"
);

fn identity(uuid: &Uuid) -> [u8; IDENTITY_BYTES] {
    let mut bytes = [0; IDENTITY_BYTES];
    bytes[..8].copy_from_slice(b"EVERGSEC");
    bytes[UUID.0..][..UUID.1].copy_from_slice(uuid);
    let crc = crc32c::crc32c(&bytes[..IDENTITY_CRC.0]);
    bytes[IDENTITY_CRC.0..][..IDENTITY_CRC.1].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// A section's extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Offset in the extents' file.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
}

/// The file of slots.
pub(crate) struct Slots {
    medium: MediumHandle,
    /// Sections that have a slot; held while a new one gets its.
    count: Mutex<u64>,
    adjacencies: u64,
    /// Offset of the sections' words.
    words_at: u64,
}

/// CRC-8 (polynomial 0x07) over the low seven bytes and the index: notices
/// every single flipped bit, and a word in the wrong place.
fn check_byte(value: u64, index: u64) -> u64 {
    let mut crc: u8 = 0x5A;
    let low = value & ((1 << 56) - 1);
    for byte in low.to_le_bytes()[..7].iter().chain(&index.to_le_bytes()) {
        crc ^= byte;
        for _ in 0..8 {
            crc = if crc & 0x80 != 0 {
                (crc << 1) ^ 0x07
            } else {
                crc << 1
            };
        }
    }
    u64::from(crc)
}

/// A count in the first line, at `offset` there.
fn header_word(offset: u64, count: u64) -> u64 {
    debug_assert!(count < 1 << 56, "the check byte has its own place");
    count | check_byte(count, u64::MAX - offset) << 56
}

fn words_at(intents: u64) -> u64 {
    HEADER_BYTES + intents * INTENT_BYTES
}

fn encode(slot: Slot, index: u64) -> u64 {
    assert!(slot.offset.is_multiple_of(UNIT) && slot.len.is_multiple_of(UNIT));
    let (offset, size) = (slot.offset / UNIT, slot.len / UNIT);
    assert!(offset < 1 << OFFSET_BITS && size > 0 && size < 1 << SIZE_BITS);
    let value = offset | size << OFFSET_BITS;
    value | check_byte(value, index) << 56
}

fn decode(word: u64, index: u64) -> Option<Slot> {
    let value = word & ((1 << 56) - 1);
    (word >> 56 == check_byte(value, index)).then(|| Slot {
        offset: (value & ((1 << OFFSET_BITS) - 1)) * UNIT,
        len: (value >> OFFSET_BITS) * UNIT,
    })
}

impl Slots {
    /// Largest extent that a slot can name.
    pub(crate) const MAX_EXTENT_BYTES: u64 = ((1 << SIZE_BITS) - 1) * UNIT;

    /// Makes the file of a new database.
    pub(crate) fn create(
        storage: &dyn Storage,
        uuid: &Uuid,
        with_intents: bool,
    ) -> Result<(), StorageError> {
        if storage.exists(NAME)? {
            storage.remove(NAME)?;
        }
        let medium = storage.open(NAME, true)?;
        if !medium.properties().byte_addressed {
            return Err(MediumError::NotByteAddressed.into());
        }
        let intents = if with_intents { INTENT_SLOTS } else { 0 };
        let len = (words_at(intents) + 64).next_multiple_of(4096);
        medium.grow(len)?;
        medium.write(IDENTITY_AT, &identity(uuid))?;
        if with_intents {
            medium.store_u64(INTENT_COUNT_AT, header_word(INTENT_COUNT_AT, intents));
        }
        let from = if failpoint!("direct.slots-identity-not-flushed") {
            HEADER_BYTES
        } else {
            0
        };
        medium.flush(from, len - from)?;
        medium.fence()?;
        Ok(())
    }

    /// Opens the file; `adjacencies` sections share a vertex range.
    pub(crate) fn open(
        storage: &dyn Storage,
        uuid: &Uuid,
        adjacencies: usize,
    ) -> Result<Self, StorageError> {
        let medium = storage.open(NAME, false)?;
        if medium.len() < HEADER_BYTES {
            return Err(StorageError::damaged(NAME, 0, "the file is truncated"));
        }
        let mut found = [0; IDENTITY_BYTES];
        medium.read(IDENTITY_AT, &mut found)?;
        if found != identity(uuid) {
            return Err(StorageError::damaged(
                NAME,
                IDENTITY_AT,
                "these are not the sections of this database",
            ));
        }
        let mut slots = Slots {
            medium,
            count: Mutex::new(0),
            adjacencies: adjacencies as u64,
            words_at: HEADER_BYTES,
        };
        let intents = slots.header_word(INTENT_COUNT_AT)?;
        slots.words_at = words_at(intents);
        let too_short = slots.medium.len() < slots.words_at;
        if ![0, INTENT_SLOTS].contains(&intents) || too_short {
            return Err(StorageError::damaged(
                NAME,
                INTENT_COUNT_AT,
                format!("there are not {intents} slots for what writers are about to do"),
            ));
        }
        let mut found = 0;
        slots.for_each(|_, _, _| {
            found += 1;
            Ok(())
        })?;
        // A power cut between the two leaves one slot more than are counted.
        if found < slots.header_word(SECTION_COUNT_AT)? {
            return Err(StorageError::damaged(
                NAME,
                HEADER_BYTES,
                "some places of sections are lost",
            ));
        }
        *slots.count.lock() = found;
        Ok(slots)
    }

    /// The medium below.
    pub(crate) fn medium(&self) -> &MediumHandle {
        &self.medium
    }

    fn word(&self, offset: u64) -> Result<u64, StorageError> {
        let mut bytes = [0; 8];
        self.medium.read(offset, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// The intents, if the database has any; see [`Intents::open`].
    pub(crate) fn open_intents(
        &self,
        visit: impl FnMut(&mut IntentSlot, Intent) -> Result<(), StorageError>,
    ) -> Result<Option<Intents>, StorageError> {
        if self.words_at == HEADER_BYTES {
            return Ok(None);
        }
        Intents::open(&self.medium, HEADER_BYTES, visit).map(Some)
    }

    /// Whether a file of slots holds more than its creation wrote.
    pub(crate) fn is_used(medium: &MediumHandle) -> Result<bool, StorageError> {
        let mut start = vec![0; medium.len().min(8192) as usize];
        medium.read(0, &mut start)?;
        let created = IDENTITY_AT as usize..INTENT_COUNT_AT as usize + 8;
        let mut numbered = start.iter().enumerate();
        Ok(numbered.any(|(at, &byte)| byte != 0 && !created.contains(&at)))
    }

    /// The file's name.
    pub(crate) fn file_name() -> &'static str {
        NAME
    }

    /// Calls `visit` with adjacency, section and slot of each section.
    pub(crate) fn for_each(
        &self,
        mut visit: impl FnMut(u32, u32, Slot) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        let count = (self.medium.len() - self.words_at) / 8;
        for index in 0..count {
            let offset = self.words_at + index * 8;
            let word = self.word(offset)?;
            if word == 0 {
                continue;
            }
            let slot = decode(word, index).ok_or_else(|| {
                StorageError::damaged(NAME, offset, "the place of a section does not hold")
            })?;
            visit(
                (index % self.adjacencies) as u32,
                (index / self.adjacencies) as u32,
                slot,
            )?;
        }
        Ok(())
    }

    fn index_of(&self, adjacency: u32, section: u32) -> u64 {
        u64::from(section) * self.adjacencies + u64::from(adjacency)
    }

    /// Makes room for the slot of a section, durably.
    pub(crate) fn reach_section(&self, adjacency: u32, section: u32) -> Result<(), StorageError> {
        self.reach(self.words_at + (self.index_of(adjacency, section) + 1) * 8)
    }

    /// Direct step D3: publishes the extent of a section, which is durable. After an
    /// error the slot may name it or the one before.
    ///
    /// Needs [`Slots::reach_section`].
    pub(crate) fn publish<M: Medium + ?Sized>(
        &self,
        medium: &M,
        adjacency: u32,
        section: u32,
        slot: Durable<Slot>,
    ) -> Result<(), StorageError> {
        let index = self.index_of(adjacency, section);
        let offset = self.words_at + index * 8;
        let is_new = self.word(offset)? == 0;
        if is_new && failpoint!("direct.slot-counted-first") {
            self.count_one_more(medium)?;
        }
        let word = encode(*slot.get(), index);
        let dirty = order::store_u64(medium, offset, word, ());
        failpoint!("direct.slot-not-flushed" => {
            let _ = dirty.flush_only(medium, 0)?.fence(medium)?;
            return Ok(());
        });
        let _durable = dirty.flush(medium)?.fence(medium)?;
        if is_new && !failpoint!("direct.slot-counted-first") {
            self.count_one_more(medium)?;
        }
        Ok(())
    }

    fn count_one_more<M: Medium + ?Sized>(&self, medium: &M) -> Result<(), StorageError> {
        let mut count = self.count.lock();
        self.set_header_word(medium, SECTION_COUNT_AT, *count + 1)?;
        *count += 1;
        Ok(())
    }

    /// Makes the file long enough, durably, before a word in it counts.
    fn reach(&self, end: u64) -> Result<(), StorageError> {
        if self.medium.len() >= end {
            return Ok(());
        }
        let _alone = self.count.lock();
        let len = self.medium.len();
        if len < end {
            let new_len = end.next_multiple_of(4096).max(len + len / 2);
            let new_len = new_len.next_multiple_of(64);
            self.medium.grow(new_len)?;
            self.medium.flush(len, new_len - len)?;
            self.medium.fence()?;
        }
        Ok(())
    }

    /// The durable vertex count.
    pub(crate) fn vertex_count(&self) -> Result<u64, StorageError> {
        self.header_word(VERTEX_COUNT_AT)
    }

    /// Makes a larger vertex count durable.
    pub(crate) fn set_vertex_count<M: Medium + ?Sized>(
        &self,
        medium: &M,
        count: u64,
    ) -> Result<(), StorageError> {
        self.set_header_word(medium, VERTEX_COUNT_AT, count)
    }

    fn header_word(&self, offset: u64) -> Result<u64, StorageError> {
        let word = self.word(offset)?;
        let count = word & ((1 << 56) - 1);
        if word != 0 && word >> 56 != check_byte(count, u64::MAX - offset) {
            return Err(StorageError::damaged(NAME, offset, "a count does not hold"));
        }
        Ok(count)
    }

    fn set_header_word<M: Medium + ?Sized>(
        &self,
        medium: &M,
        offset: u64,
        count: u64,
    ) -> Result<(), StorageError> {
        let word = header_word(offset, count);
        let dirty = order::store_u64(medium, offset, word, ());
        let _durable = dirty.flush(medium)?.fence(medium)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_never_makes_another_slot() {
        for (offset, len, index) in [(0, 64, 0), (64 * 12345, 64 * 99, 7), (1 << 30, 4096, 4095)] {
            let word = encode(Slot { offset, len }, index);
            assert_eq!(decode(word, index), Some(Slot { offset, len }));
            assert_eq!(decode(word, index + 1), None, "in the wrong place");
            for bit in 0..64 {
                let flipped = word ^ (1 << bit);
                assert!(flipped != 0 && decode(flipped, index).is_none());
            }
        }
    }
}
