//! A table against a list of all its versions, under random commits, views, named
//! snapshots, checkpoints that overlap commits or come to nothing, and openings.

mod columns;
mod crashes;
mod history;
mod past;
mod stored_bytes;
mod threads;
mod world;

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::dictionary::Dictionary;
use crate::testing::Host;
use crate::value::Value;
use world::{Change, Content, Step, World, steps};

const GEOMETRY: Geometry = Geometry {
    records_per_chunk: 3,
    most_records: 24,
    // Some columns lie in the core.
    inside_bytes: 64,
    // One of the values of `World` is large.
    large_bytes: 90,
};

fn parts() -> (Arc<Dictionary>, Table<NodeRecord>) {
    let dictionary = Arc::new(Dictionary::new(0));
    let table = Table::new(GEOMETRY, 1, Arc::clone(&dictionary));
    (dictionary, table)
}

proptest! {
    #[test]
    fn a_table_is_its_versions(steps in steps()) {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
            world.verify();
        }
        world.checkpoint(&[], false);
        world.reopen();
        world.verify();
        world.views.clear();
        while !world.host.kept().is_empty() {
            world.host.release(0);
        }
        world.checkpoint(&[], false);
        let stats = world.table.stats();
        prop_assert_eq!((stats.versions_for_views, stats.unmerged_bytes), (0, 0));
        prop_assert_eq!(stats.history_bytes, 0);
    }

    /// Only the record that a flipped byte hits is refused.
    #[test]
    fn damage_is_told(steps in steps(), at in any::<prop::sample::Index>(), bit in 0u32..8) {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
        }
        world.checkpoint(&[], false);
        world.reopen();
        let extents: Vec<_> = world.host.directory.entries().map(|(_, entry)| entry).collect();
        if extents.is_empty() {
            return Ok(());
        }
        let entry = at.get(&extents);
        let byte = at.index(entry.len as usize) as u64;
        world.host.damage(entry.offset + byte, |byte| *byte ^= 1 << bit);
        let newest = world.host.csn();
        let mut refused = 0;
        for id in 0..GEOMETRY.most_records {
            match world.table.get(id, newest) {
                Ok(record) => prop_assert_eq!(record.as_deref(), world.at(id, newest)),
                Err(_) => refused += 1,
            }
        }
        prop_assert!((1..=GEOMETRY.records_per_chunk).contains(&refused));
        let mut problems = Vec::new();
        world.table.check(newest, &mut problems);
        prop_assert_eq!(problems.len(), 1);
    }
}

/// All ids are in use, and a record goes while a checkpoint reads it: its id is given only
/// behind the checkpoint.
#[test]
fn what_a_checkpoint_reads_keeps_its_id() {
    let create = || Change::Create(Content::default());
    for abandons in [false, true] {
        let mut world = World::new();
        let all = GEOMETRY.most_records as usize;
        world.step(&Step::Commit(vec![create(); all], false));
        let overlapping = vec![vec![Change::Delete(0)], vec![create()]];
        world.step(&Step::Checkpoint(overlapping, abandons));
        world.verify();
        assert_eq!(world.table.len(), all as u64 - 1, "no id was free");
        world.step(&Step::Commit(vec![create()], false));
        world.verify();
        assert_eq!(world.table.len(), all as u64);
    }
}

#[test]
fn relationships_are_read_back() {
    let dictionary = Arc::new(Dictionary::new(0));
    let table = || Table::<RelationshipRecord>::new(GEOMETRY, 2, Arc::clone(&dictionary));
    let mut host = Host::new();
    let written = table();
    let relationship = RelationshipRecord {
        kind: u16::MAX,
        source: 3,
        target: (1 << 30) - 1,
        properties: [(7, Value::from(1.5))].into_iter().collect(),
    };
    let id = written.reserve(|| host.needed()).unwrap();
    written
        .apply(1, id, Some(relationship.clone()), &host.needed())
        .unwrap();
    host.publish(1, false);
    let needed = host.needed();
    let flushed = host.with_place(|place| written.write(1, &needed, place).unwrap());
    host.switch_root(flushed, || written.publishing());
    written.published(&|| host.needed());
    let read = table();
    host.reopen(1, |place| read.restore(place).unwrap());
    for table in [&written, &read] {
        assert_eq!(table.get(id, 1).unwrap().as_deref(), Some(&relationship));
        let found = table.find(id, 1).unwrap().unwrap();
        assert_eq!(found.ends().unwrap(), (u16::MAX, 3, (1 << 30) - 1));
        assert_eq!(table.merged_csn(0), 1);
        assert!(table.get(id, 0).unwrap().is_none());
    }
    // The dictionary was not told of type and key.
    let mut problems = Vec::new();
    read.check(1, &mut problems);
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn long_values_are_read_back() {
    let (dictionary, written) = parts();
    let mut host = Host::new();
    let long = NodeRecord {
        labels: Vec::new(),
        properties: [(0, Value::from("ä".repeat(100_000)))]
            .into_iter()
            .collect(),
    };
    written
        .apply(1, 0, Some(long.clone()), &host.needed())
        .unwrap();
    host.publish(1, false);
    let needed = host.needed();
    let flushed = host.with_place(|place| {
        let mut flushed = written.write(1, &needed, place).unwrap();
        flushed.extend(dictionary.write(1, place).unwrap());
        flushed
    });
    host.switch_root(flushed, || written.publishing());
    let (dictionary, read) = parts();
    host.reopen(1, |place| {
        dictionary.restore(place).unwrap();
        read.restore(place).unwrap();
    });
    assert_eq!(read.get(0, 1).unwrap().as_deref(), Some(&long));
}

/// A snapshot's version is refused if a byte of it flipped; the newest is not.
#[test]
fn damage_of_the_past_is_told() {
    let mut host = Host::new();
    let (dictionary, written) = parts();
    for csn in 1..=2u32 {
        let node = NodeRecord {
            labels: Vec::new(),
            properties: [(0, Value::from(csn))].into_iter().collect(),
        };
        let csn = u64::from(csn);
        written.apply(csn, 0, Some(node), &host.needed()).unwrap();
        host.publish(csn, csn == 1);
    }
    let needed = host.needed();
    let flushed = host.with_place(|place| {
        let mut flushed = written.write(2, &needed, place).unwrap();
        flushed.extend(dictionary.write(2, place).unwrap());
        flushed
    });
    host.switch_root(flushed, || written.publishing());
    let segment = host.directory.blobs(32 + 1).next().unwrap().extent.clone();
    for byte in segment.offset()..segment.offset() + segment.len() {
        let (dictionary, table) = parts();
        host.reopen(2, |place| {
            dictionary.restore(place).unwrap();
            table.restore(place).unwrap();
        });
        host.damage(byte, |byte| *byte ^= 16);
        assert!(table.get(0, 1).is_err());
        let newest = table.get(0, 2).unwrap().unwrap();
        assert_eq!(newest.properties.get(0), Some(&Value::from(2)));
        let mut problems = Vec::new();
        table.check(2, &mut problems);
        // The key, which the dictionary was not told of, is the other problem.
        assert_eq!(problems.len(), 2, "{problems:?}");
        host.damage(byte, |byte| *byte ^= 16);
    }
}

/// Enough chunks for several threads.
#[test]
fn many_records_occupy_what_is_said() {
    const NODES: u32 = 5 * 2048;
    let dictionary = Arc::new(Dictionary::new(0));
    let table = Table::<NodeRecord>::new(Geometry::default(), 1, Arc::clone(&dictionary));
    let mut host = Host::new();
    let bare = NodeRecord::default();
    let named = |id: u32| NodeRecord {
        labels: vec![id % 3],
        properties: [(0, Value::from(format!("text {}", id % 10)))]
            .into_iter()
            .collect(),
    };
    let contents: [&dyn Fn(u32) -> NodeRecord; 2] = [&|_| bare.clone(), &named];
    for (content, most_bytes) in contents.iter().zip([1, 4]) {
        let csn = host.csn() + 1;
        let needed = host.needed();
        for id in 0..NODES {
            table.apply(csn, id, Some(content(id)), &needed).unwrap();
        }
        host.publish(csn, false);
        let needed = host.needed();
        let flushed = host.with_place(|place| {
            let mut flushed = table.write(csn, &needed, place).unwrap();
            flushed.extend(dictionary.write(csn, place).unwrap());
            flushed
        });
        host.switch_root(flushed, || table.publishing());
        table.published(&|| host.needed());
        dictionary.published();
        let stats = table.stats();
        assert_eq!((stats.records, stats.chunks), (u64::from(NODES), 5));
        assert_eq!((stats.unmerged_bytes, stats.versions_for_views), (0, 0));
        assert!(
            stats.chunk_bytes <= u64::from(NODES) * most_bytes,
            "{stats:?}"
        );
        for id in 0..NODES {
            assert_eq!(*table.get(id, csn).unwrap().unwrap(), content(id));
        }
    }
}

#[test]
fn ids_that_cannot_be_are_refused() {
    let (_, table) = parts();
    let needed = Host::new().needed();
    assert!(
        table
            .apply(1, GEOMETRY.most_records, None, &needed)
            .is_err()
    );
    assert!(table.get(u32::MAX, 1).unwrap().is_none());
    assert_eq!(table.newest(u32::MAX).unwrap(), (0, false));
    let all = table.reserve_chunks(u32::MAX).expect("none is given yet");
    assert_eq!(all, 0..GEOMETRY.most_records);
    assert!(table.reserve_chunks(1).is_err());
    table.release(all.clone());
    assert_eq!(table.reserve_chunks(u32::MAX).expect("given back"), all);
    let row = || [(Fixed::default(), &[0u8][..])];
    assert!(table.load(1, u32::MAX, row().into_iter()).is_err());
    assert!(table.load(1, 0, [].into_iter()).is_err());
}
