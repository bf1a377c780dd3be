//! An independent reader of the stored format, after `docs/storage-format.md`
//! alone. The tests use it to say which bytes carry no checksum.

use evergraph_simulated::Image;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The root in the newer header slot.
pub struct Root {
    pub uuid: [u8; 16],
    pub clean: bool,
    pub log_start: u64,
    pub section_shift: u32,
    /// Adjacencies: two if out- and in-lists are kept.
    pub adjacencies: u32,
    /// Words of an entry: two with weights or ids.
    pub columns: usize,
}

pub fn root(image: &Image) -> Root {
    let pool = &image.files["pool"];
    let slots = [&pool[..512], &pool[4096..4608]];
    let slot = slots.iter().max_by_key(|slot| u64_at(slot, 32)).unwrap();
    assert_eq!(&slot[..8], b"EVERGRPH");
    assert_eq!(crc32c(0, &slot[..508]), u32_at(slot, 508), "header slot");
    Root {
        uuid: slot[16..32].try_into().unwrap(),
        clean: u32_at(slot, 44) == 1,
        log_start: u64_at(slot, 64),
        section_shift: u32_at(slot, 128 + 4),
        adjacencies: if slot[128] == 3 { 2 } else { 1 },
        columns: 1 + usize::from(slot[128 + 1] != 0),
    }
}

/// CRC-32C bit by bit: nothing shared with the program under test.
pub fn crc32c(seed: u32, bytes: &[u8]) -> u32 {
    let mut crc = !seed;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 {
                (crc >> 1) ^ 0x82F6_3B78
            } else {
                crc >> 1
            };
        }
    }
    !crc
}

/// One record of the log.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub kind: u32,
    pub lsn: u64,
    pub offset: usize,
    /// Bytes under the checksum.
    pub covered: usize,
    pub csn: u64,
    pub durable: u64,
}

/// The records from the root's position on, up to the first that does not hold.
pub fn log(image: &Image) -> Vec<Record> {
    let root = root(image);
    // The last sector says whose log it is; the ring is before it.
    let file = &image.files["log"];
    let log = &file[..file.len() - 512];
    let capacity = log.len() as u64;
    let seed = crc32c(0, &root.uuid);
    let mut records = Vec::new();
    let mut lsn = root.log_start;
    while lsn - root.log_start < capacity {
        let offset = (lsn % capacity) as usize;
        if log.len() - offset < 56 {
            lsn += (log.len() - offset) as u64;
            continue;
        }
        let header = &log[offset..offset + 56];
        let (kind, len) = (u32_at(header, 4), u64_at(header, 8));
        if !(1..=2).contains(&kind) || u64_at(header, 16) != lsn {
            break;
        }
        let covered = if kind == 2 { 56 } else { len as usize };
        if offset + covered > log.len()
            || crc32c(seed, &log[offset + 4..offset + covered]) != u32_at(header, 0)
        {
            break;
        }
        records.push(Record {
            kind,
            lsn,
            offset,
            covered,
            csn: u64_at(header, 24),
            durable: u64_at(header, 40),
        });
        lsn += len.next_multiple_of(8);
    }
    records
}

/// Bytes of the last group of a log that was not closed: file offset, length,
/// and the commit before the record. Damage there looks like a torn tail.
pub fn log_window(image: &Image) -> Vec<(usize, usize, u64)> {
    if root(image).clean {
        return Vec::new();
    }
    let records = log(image);
    let Some(last) = records.last().map(|record| record.durable) else {
        return Vec::new();
    };
    let group = records.iter().filter(|record| record.durable == last);
    group
        .map(|record| (record.offset, record.covered, record.csn - 1))
        .collect()
}

/// A word appended in place in direct mode, which carries no checksum.
#[derive(Clone, Copy, Debug)]
pub struct Appended {
    /// Byte in `extents`.
    pub offset: usize,
    /// Bytes: 4, or 8 with a weight.
    pub len: usize,
    /// Whose list.
    pub vertex: u32,
}

/// One section in direct mode.
pub struct DirectSection {
    pub adjacency: u32,
    pub first_vertex: u32,
    /// Bytes of `extents` that belong to it.
    pub extent: std::ops::Range<usize>,
    /// Bytes of `extents` that hold lists and gaps.
    pub words: std::ops::Range<usize>,
    /// Bytes of `extents` that hold the edge log.
    pub log: std::ops::Range<usize>,
    pub appended: Vec<Appended>,
}

pub fn direct_sections(image: &Image) -> Vec<DirectSection> {
    let root = root(image);
    let (slots, extents) = (&image.files["sections"], &image.files["extents"]);
    let lists = 1usize << root.section_shift;
    let mut sections = Vec::new();
    let columns = root.columns;
    // Slots for intents lie between, where an edge stands in two lists.
    let intents = (u64_at(slots, 48) & ((1 << 56) - 1)) as usize;
    let words = slots[64 + 64 * intents..]
        .chunks_exact(8)
        .map(|bytes| u64_at(bytes, 0));
    for (index, word) in words.enumerate() {
        if word == 0 {
            continue;
        }
        let at = (word & ((1 << 34) - 1)) as usize * 64;
        let len = (word >> 34 & ((1 << 22) - 1)) as usize * 64;
        let extent = &extents[at..at + len];
        assert_eq!(u32_at(extent, 0), 0x5249_4445);
        let first_vertex = u32_at(extent, 8);
        assert_eq!(u32_at(extent, 12) as usize, lists);
        let capacity = u32_at(extent, 16) as usize;
        let log_slots = u32_at(extent, 20) as usize;
        assert_eq!(u32_at(extent, 4) as usize, columns - 1);
        let slot_bytes = 4 * columns;
        let words_at = (64 + 4 * (2 * lists + 1)).next_multiple_of(slot_bytes);
        let log_at = (words_at + slot_bytes * capacity).next_multiple_of(8 * columns);
        let mut appended = Vec::new();
        for list in 0..lists {
            let start = u32_at(extent, 64 + 4 * list) as usize;
            let end = u32_at(extent, 64 + 4 * (list + 1)) as usize - 1;
            let written = u32_at(extent, 64 + 4 * (lists + 1 + list)) as usize;
            for slot in start + written..end {
                let offset = words_at + slot_bytes * slot;
                if u32_at(extent, offset) == u32::MAX {
                    break;
                }
                appended.push(Appended {
                    offset: at + offset,
                    len: slot_bytes,
                    vertex: first_vertex + list as u32,
                });
            }
        }
        sections.push(DirectSection {
            adjacency: index as u32 % root.adjacencies,
            first_vertex,
            extent: at..at + len,
            words: at + words_at..at + words_at + slot_bytes * capacity,
            log: at + log_at..at + log_at + 8 * columns * log_slots,
            appended,
        });
    }
    sections
}
