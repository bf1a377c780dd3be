//! Stored bytes are those of docs/storage-format.md, whose offsets stand here as
//! numbers.

use evergraph_storage::checksum;

use crate::record::Fixed;
use crate::record::format::{ChunkImage, Identity, Slot};
use crate::record::segment::{NewPast, encode};

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

const FIXED: Fixed = Fixed {
    kind: 5,
    first: 6,
    second: 7,
};

#[test]
fn a_chunk_is_as_documented() {
    let mut image = ChunkImage::begin(Identity {
        magic: *b"EREL",
        table: 2,
        chunk: 3,
        records: 70,
    });
    let slot = |is_used, begin, born| Slot {
        is_used,
        begin,
        born,
    };
    image
        .set(1, slot(false, 8, 4), Fixed::default(), &[])
        .unwrap();
    image.set(66, slot(true, 9, 4), FIXED, b"some").unwrap();
    image
        .set(69, slot(true, u64::MAX, u64::MAX), FIXED, b"more")
        .unwrap();
    let (entry, bytes) = image.finish(&[1; 16], 4096, 11);
    assert_eq!(&bytes[..4], b"EREL");
    let words: Vec<u32> = (1..6).map(|word| u32_at(bytes, 4 * word)).collect();
    assert_eq!(words, [2, 3, 70, 2, 0]);
    assert_eq!((u64_at(bytes, 24), u64_at(bytes, 32)), (11, 8));
    assert_eq!((u64_at(bytes, 64), u64_at(bytes, 72)), (0, 1 << 2 | 1 << 5));
    let record = |at: usize| &bytes[256 + 32 * at..256 + 32 * (at + 1)];
    assert_eq!(record(0), [0; 32]);
    assert_eq!((u64_at(record(1), 0), u64_at(record(1), 8)), (8, 4));
    let used = 1u64 << 47;
    assert_eq!(
        (u64_at(record(66), 0), u64_at(record(66), 8)),
        (9, 4 | used | 5 << 48)
    );
    let words: Vec<u32> = (4..8).map(|word| u32_at(record(66), 4 * word)).collect();
    assert_eq!(words, [6, 7, 0, 4]);
    assert_eq!(u64_at(record(69), 8), (used - 1) | used | 5 << 48);
    let words: Vec<u32> = (4..8).map(|word| u32_at(record(69), 4 * word)).collect();
    assert_eq!(words, [6, 7, 4, 4]);
    assert_eq!(&bytes[256 + 32 * 70..], b"somemore");
    assert_eq!(
        (entry.offset, entry.len, entry.csn),
        (4096, bytes.len() as u64, 11)
    );
    assert_eq!(
        (entry.entries, entry.tombstones, entry.generation),
        (2, 0, 0)
    );
    assert_eq!(entry.crc, checksum(&[1; 16], 4096, bytes));
}

#[test]
fn history_is_as_documented() {
    let past = |id, begin, end, properties: &[u8]| NewPast {
        id,
        begin,
        end,
        fixed: FIXED,
        properties: properties.to_vec(),
    };
    let bytes = encode(2, &[past(4, 1, 3, b"ab"), past(4, 3, 9, b"c")]);
    assert_eq!(&bytes[..4], b"EPST");
    assert_eq!(
        [u32_at(&bytes, 4), u32_at(&bytes, 8), u32_at(&bytes, 12)],
        [2, 2, 0]
    );
    let second = &bytes[16 + 48..16 + 96];
    assert_eq!(
        (u64_at(second, 0), u64_at(second, 8), u64_at(second, 32)),
        (3, 9, 2)
    );
    let words: Vec<u32> = [16, 20, 24, 28, 40, 44].map(|at| u32_at(second, at)).into();
    assert_eq!(words, [4, 5, 6, 7, 1, 0]);
    assert_eq!(&bytes[16 + 96..], b"abc");
}
