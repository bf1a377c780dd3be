//! Stored bytes are those of docs/storage-format.md, whose offsets stand here as
//! numbers.

use std::sync::Arc;

use crate::dictionary::Dictionary;
use crate::record::Fixed;
use crate::record::builder::Builder;
use crate::record::core::{Identity, Slot};
use crate::record::segment::{NewPast, Shape, encode};
use crate::value::{Properties, Value};

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

const IDENTITY: Identity = Identity {
    magic: *b"EREL",
    table: 2,
    chunk: 3,
    records: 70,
};

#[test]
fn a_core_is_as_documented() {
    let slot = |is_used, begin, born| Slot {
        is_used,
        begin,
        born,
    };
    let mut builder = Builder::new(IDENTITY);
    let properties = |value: Value| [(9, value)].into_iter().collect::<Properties>();
    builder.add(1, slot(false, 8, 4), Fixed::default(), Properties::new());
    builder.add(66, slot(true, 9, 4), FIXED, properties(Value::from(5)));
    builder.add(69, slot(true, 1 << 40, 11), FIXED, properties("a".into()));
    let bytes = builder.finish().unwrap().core(11);
    assert_eq!(&bytes[..4], b"CREL");
    let words: Vec<u32> = (1..6).map(|word| u32_at(&bytes, 4 * word)).collect();
    assert_eq!(words, [2, 3, 70, 2, 1]);
    assert_eq!((u64_at(&bytes, 24), u32_at(&bytes, 32)), (11, 1));
    assert_eq!(
        (u64_at(&bytes, 64), u64_at(&bytes, 72)),
        (0, 1 << 2 | 1 << 5)
    );
    // The commits of all but three records are 0.
    let begin = &bytes[80..];
    assert_eq!(begin[..4], [0, 1, 0, 0]);
    assert_eq!((u32_at(begin, 4), u64_at(begin, 8)), (3, 0));
    assert_eq!(begin[16..22], [1, 0, 66, 0, 69, 0]);
    assert_eq!(begin[22..26], [8, 0, 0, 0]);
    let values = [0, 1, 2].map(|at| u64_at(begin, 38 + 8 * at));
    assert_eq!(values, [8, 9, 1 << 40]);
    let born = &begin[62..];
    assert_eq!((born[..2].to_vec(), u32_at(born, 4)), (vec![0, 1], 3));
    assert_eq!(born[16..22], [1, 0, 66, 0, 69, 0]);
    assert_eq!((born[22], u64_at(born, 30)), (1, 4));
    assert_eq!(born[38..41], [0, 0, 7]);
    // Type, source and target, the same of all.
    let fixed = &born[41..];
    let of_all = [0, 1, 2].map(|part| u64_at(fixed, 16 * part + 8));
    assert_eq!(of_all, [5, 6, 7]);
    let column = &fixed[48..];
    assert_eq!((u32_at(column, 0), u32_at(column, 4)), (9, 0));
    assert_eq!(u64_at(column, 8), column[24..].len() as u64);
    // Integers, of which one record has one, and another a text.
    let column = &column[24..];
    assert_eq!(column[..4], [2, 1 | 2, 0, 0]);
    assert_eq!(u32_at(column, 4), 70);
    assert_eq!((u64_at(column, 8), u64_at(column, 24)), (5, 5));
    assert_eq!((u64_at(column, 40), u64_at(column, 48)), (0, 1 << 2));
    assert_eq!((u64_at(column, 56), u64_at(column, 64)), (0, 5));
    let exceptions = &column[72..];
    assert_eq!(exceptions[..6], [1, 0, 0, 0, 69, 0]);
    assert_eq!(u64_at(exceptions, 6), 3);
    assert_eq!(exceptions[6 + 8 + 16..], [5, 1, b'a']);
}

#[test]
fn a_large_value_is_listed_as_documented() {
    let slot = Slot {
        is_used: true,
        begin: 9,
        born: 4,
    };
    let mut builder = Builder::new(IDENTITY).with_large_bytes(20);
    let properties = Properties::from_iter([(9, Value::from("x".repeat(30)))]);
    builder.add(66, slot, FIXED, properties);
    let bytes = builder.finish().unwrap().core(11);
    // In DRAM it stands in the core.
    let listed = &bytes[bytes.len() - 32 - 24..];
    let words: Vec<u32> = (0..6).map(|word| u32_at(listed, 4 * word)).collect();
    assert_eq!(words, [9, 2, 32, 0, 0, 66]);
    assert_eq!(listed[24..28], [5, 30, b'x', b'x']);
}

#[test]
fn history_is_as_documented() {
    let past = |id, begin, end| {
        let mut properties = Vec::new();
        let value = Properties::from_iter([(9, Value::from(7))]);
        value.encode(&mut properties).unwrap();
        NewPast {
            id,
            begin,
            end,
            born: 1,
            fixed: FIXED,
            properties,
        }
    };
    let shape = Shape {
        table: 2,
        records_per_chunk: 16,
        dictionary: Arc::new(Dictionary::new(0)),
    };
    // Two records of one chunk, one of them twice: a part for each layer, as there is room
    // for no more than one chunk's records.
    let few = vec![past(4, 1, 3), past(4, 3, 9), past(5, 2, 3)];
    let bytes = encode(&shape, few).unwrap();
    assert_eq!(&bytes[..4], b"EPSC");
    assert_eq!([4, 8, 12].map(|at| u32_at(&bytes, at)), [2, 3, 2]);
    let listed = &bytes[16..];
    let words: Vec<u32> = (0..4).map(|word| u32_at(listed, 4 * word)).collect();
    assert_eq!(words, [2, 0, 0, 0]);
    assert_eq!((u64_at(listed, 24), u64_at(listed, 32)), (1, 3));
    assert_eq!(u32_at(listed, 40), 1);
    let first = &listed[80..][..u64_at(listed, 16) as usize];
    assert_eq!(
        first.len() as u64 + u64_at(listed, 40 + 16),
        bytes.len() as u64 - 96
    );
    // Ids from 4 on and commits from 3 on, a byte each or none.
    assert_eq!((first[0], u64_at(first, 8)), (1, 4));
    assert_eq!(first[16..18], [0, 1]);
    let ends = &first[18..];
    assert_eq!((ends[0], u64_at(ends, 8)), (0, 3));
    let core = &ends[16..];
    assert_eq!(&core[..4], b"CPST");
    let words: Vec<u32> = (1..6).map(|word| u32_at(core, 4 * word)).collect();
    assert_eq!(words, [2, 0, 2, 2, 1]);
    // Commits from 1 on.
    assert_eq!((core[64], u64_at(core, 72)), (1, 1));
    assert_eq!(core[80..82], [0, 1]);
}
