//! Leaves and fences against sorted vectors.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::index::entry::Interval;
use crate::index::fences::{Fences, PackedFences, pack};
use crate::index::leaf::{Leaf, LeafBuilder, seal};

use super::host::UUID;

fn keys() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[ab]{0,10}".prop_map(String::into_bytes),
        (0u64..40).prop_map(|n| (n + 250).to_be_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ]
}

fn entries() -> impl Strategy<Value = BTreeSet<(Vec<u8>, u32)>> {
    prop::collection::btree_set((keys(), 0u32..4), 1..60)
}

fn intervals() -> impl Strategy<Value = Vec<Interval>> {
    let always = Just(vec![Interval::ALWAYS]);
    let late = (1u64..9).prop_map(|begin| {
        let end = Interval::OPEN;
        vec![Interval { begin, end }]
    });
    let past = (0u64..9, 1u64..9).prop_map(|(begin, len)| {
        let end = begin + len;
        let open = Interval {
            begin: end + 1,
            end: Interval::OPEN,
        };
        vec![Interval { begin, end }, open]
    });
    prop_oneof![4 => always, 1 => late, 1 => past]
}

/// Some leaf of the entries, as many as fit, and those.
type Stored = Vec<(Vec<u8>, u32, Interval)>;

fn leaf_of(entries: &BTreeSet<(Vec<u8>, u32)>, intervals: &[Vec<Interval>]) -> (Vec<u8>, Stored) {
    let mut builder = LeafBuilder::new(512);
    let mut stored = Vec::new();
    for (i, (key, id)) in entries.iter().enumerate() {
        let intervals = &intervals[i % intervals.len()];
        if !builder.push((key, *id), intervals) {
            break;
        }
        stored.extend(
            intervals
                .iter()
                .map(|&interval| (key.clone(), *id, interval)),
        );
    }
    let mut bytes = builder.finish();
    seal(&mut bytes, &UUID, 4096);
    (bytes, stored)
}

proptest! {
    #[test]
    fn leaves_hold_what_was_pushed(
        entries in entries(),
        intervals in prop::collection::vec(intervals(), 1..5),
        wanted in keys(),
        id in 0u32..4,
    ) {
        let (bytes, stored) = leaf_of(&entries, &intervals);
        prop_assert!(stored.len() >= 4.min(entries.len()));
        prop_assert_eq!(bytes.len(), 512);
        let leaf = match Leaf::check(&bytes, &UUID, 4096) {
            Ok(leaf) => leaf,
            Err(what) => return Err(TestCaseError::fail(what)),
        };
        let read: Stored = (0..leaf.count())
            .map(|i| leaf.entry(i))
            .map(|e| ([leaf.prefix(), e.rest].concat(), e.id, e.interval))
            .collect();
        prop_assert_eq!(&read, &stored);
        let found = leaf.lower_bound((&wanted, id));
        let expected = stored.iter().take_while(|e| (&e.0, e.1) < (&wanted, id)).count();
        prop_assert_eq!(found, expected);
        prop_assert!(Leaf::check(&bytes, &UUID, 8192).is_err());
    }

    /// Also where the checksum has been made to hold.
    #[test]
    fn other_bytes_are_no_leaf_or_a_readable_one(
        entries in entries(),
        intervals in prop::collection::vec(intervals(), 1..5),
        changes in prop::collection::vec((0usize..120, any::<u8>()), 1..4),
    ) {
        let (mut bytes, _) = leaf_of(&entries, &intervals);
        let before = bytes.clone();
        changes.iter().for_each(|&(at, value)| bytes[at] = value);
        prop_assert_eq!(Leaf::check(&bytes, &UUID, 4096).is_ok(), bytes == before);
        seal(&mut bytes, &UUID, 4096);
        if let Ok(leaf) = Leaf::check(&bytes, &UUID, 4096) {
            for i in 0..leaf.count() {
                let entry = leaf.entry(i);
                let key = [leaf.prefix(), entry.rest].concat();
                prop_assert!(leaf.lower_bound((&key, entry.id)) <= i);
            }
        }
    }

    #[test]
    fn fences_find_the_page(
        entries in prop::collection::btree_set((keys(), 0u32..4), 0..40),
        wanted in keys(),
        id in 0u32..4,
    ) {
        // The first begins before everything, whatever it says.
        let first = (Vec::new(), 0);
        let others = entries.into_iter().filter(|entry| *entry > first);
        let rows: Vec<(Vec<u8>, u32)> = [first.clone()].into_iter().chain(others).collect();
        let refs = rows.iter().map(|row| (&row.0[..], row.1));
        let expected = rows.partition_point(|row| (&row.0, row.1) <= (&wanted, id)).max(1) - 1;
        let fences = Fences::new(refs.clone());
        prop_assert_eq!(fences.find((&wanted, id)), expected);
        let packed = pack(refs);
        let packed = PackedFences::check(&packed, rows.len());
        let Some(packed) = packed else {
            return Err(TestCaseError::fail("refused its own fences"));
        };
        prop_assert_eq!(packed.find((&wanted, id)), expected);
        let unpacked = Fences::unpack(packed);
        for (i, row) in rows.iter().enumerate() {
            prop_assert_eq!(&unpacked.get(i), row);
        }
    }

    #[test]
    fn other_bytes_are_no_fences_or_readable_ones(
        bytes in prop::collection::vec(0u8..12, 0..80),
        count in 0usize..5,
        wanted in keys(),
    ) {
        if let Some(fences) = PackedFences::check(&bytes, count) {
            prop_assert!(fences.find((&wanted, 1)) < count.max(1));
        }
    }
}
