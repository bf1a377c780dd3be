//! What is a column, where it lies, and what a checkpoint writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_storage::{Entry, SectionKey, failpoint};
use proptest::prelude::*;

use crate::column::tests::{columns, exact as exact_value};
use crate::column::{encode, encode_packed};
use crate::dictionary::{Dictionary, KeyCode, Names};
use crate::record::builder::{Builder, Content};
use crate::record::core::{Identity, Part, Slot};
use crate::record::stored::StoredChunk;
use crate::record::{Fixed, Geometry, NodeRecord, Table};
use crate::testing::{Host, UUID};
use crate::value::tests::values;
use crate::value::{Properties, Value};

const COLUMNS: u32 = 3 << 30;

/// The dictionary stays in DRAM.
struct Stored {
    host: Host,
    dictionary: Arc<Dictionary>,
    table: Table<NodeRecord>,
    large_bytes: usize,
}

fn table(dictionary: &Arc<Dictionary>, large_bytes: usize) -> Table<NodeRecord> {
    let geometry = Geometry {
        large_bytes,
        ..Geometry::default()
    };
    Table::new(geometry, 1, Arc::clone(dictionary))
}

impl Stored {
    fn new() -> Self {
        Self::with_large(Geometry::default().large_bytes)
    }

    /// Values of more bytes lie in extents of their own.
    fn with_large(large_bytes: usize) -> Self {
        let dictionary = Arc::new(Dictionary::new(0));
        for key in 0..10 {
            let name = format!("key {key}");
            dictionary.apply(1, Names::Keys, key, &name).unwrap();
        }
        Stored {
            host: Host::new(),
            table: table(&dictionary, large_bytes),
            large_bytes,
            dictionary,
        }
    }

    /// Commits nodes, and writes them.
    fn write(&mut self, nodes: impl IntoIterator<Item = (u32, Vec<(KeyCode, Value)>)>) {
        let nodes = nodes.into_iter();
        let changes = nodes.map(|(id, properties)| (id, Some(properties.into_iter().collect())));
        self.change(changes, false);
    }

    /// As [`Stored::write`], with deletions; `keep` makes a snapshot of the commit.
    fn change(&mut self, changes: impl IntoIterator<Item = (u32, Option<Properties>)>, keep: bool) {
        let csn = self.host.csn() + 1;
        for (id, properties) in changes {
            let node = properties.map(|properties| NodeRecord {
                labels: Vec::new(),
                properties,
            });
            let needed = self.host.needed();
            self.table.apply(csn, id, node, &needed).unwrap();
        }
        self.host.publish(csn, keep);
        self.checkpoint(csn);
    }

    fn checkpoint(&mut self, csn: u64) {
        let (table, needed) = (&self.table, self.host.needed());
        let flushed = self
            .host
            .with_place(|place| table.write(csn, &needed, place).unwrap());
        self.host.switch_root(flushed, || table.publishing());
        table.published(&|| self.host.needed());
    }

    /// Names and entries of the columns outside cores.
    fn columns(&self) -> BTreeMap<SectionKey, Entry> {
        let entries = self.host.directory.entries();
        entries.filter(|(key, _)| key.owner >= COLUMNS).collect()
    }

    fn reopened(&mut self) -> Table<NodeRecord> {
        let table = table(&self.dictionary, self.large_bytes);
        let csn = self.host.csn();
        self.host.reopen(csn, |place| table.restore(place).unwrap());
        table
    }
}

#[test]
fn a_checkpoint_writes_what_changed() {
    let mut stored = Stored::new();
    let node = |id: u32, changed: i64| {
        let number = i64::from(id) * 1000 + changed;
        let properties = vec![(1, number.into()), (2, i64::from(id).into()), (3, 7.into())];
        (id, properties)
    };
    stored.write((0..4096).map(|id| node(id, 0)));
    let before = stored.columns();
    // The third is the same everywhere, and lies in the cores.
    let names: Vec<(u32, u32)> = before
        .keys()
        .map(|key| (key.owner - COLUMNS, key.section))
        .collect();
    assert_eq!(names, [(3, 0), (3, 1), (5, 0), (5, 1)]);
    // Columns of one key lie side by side.
    let offsets: Vec<u64> = before.values().map(|entry| entry.offset).collect();
    assert!(offsets.is_sorted());
    stored.write([node(7, 1)]);
    let after = stored.columns();
    let changed: Vec<_> = before
        .keys()
        .filter(|key| before[key] != after[key])
        .collect();
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].owner - COLUMNS, changed[0].section), (3, 0));
    let used = stored.table.stats().chunk_bytes;
    let table = stored.reopened();
    assert_eq!(table.stats().chunk_bytes, used);
    for id in 0..4096 {
        let node = table.get(id, 2).unwrap().unwrap();
        assert_eq!(
            node.properties.get(1),
            Some(&Value::from(i64::from(id) * 1000 + i64::from(id == 7)))
        );
    }
    // A key that no record has any more has no column.
    stored.table = table;
    stored.write((0..2048).map(|id| (id, vec![(2, i64::from(id).into())])));
    let names: Vec<_> = stored
        .columns()
        .keys()
        .map(|key| key.owner - COLUMNS)
        .collect();
    assert_eq!(names, [3, 5, 5]);
    assert_eq!(
        stored
            .reopened()
            .get(7, 3)
            .unwrap()
            .unwrap()
            .properties
            .len(),
        1
    );
}

#[test]
fn keys_of_few_records_have_no_columns() {
    let mut stored = Stored::new();
    let many = (0..1000).map(|key| (key, Value::from("x".repeat(600))));
    stored.write((0..500).map(|id| (id, Vec::new())));
    stored.write([(3, many.clone().collect())]);
    assert_eq!(stored.columns().len(), 1, "the rest");
    // Then many records have one of the keys.
    let frequent = |id: u32| (id, vec![(900, Value::from(i64::from(id) << 20))]);
    stored.write((10..500).map(frequent));
    assert_eq!(stored.columns().len(), 2, "the rest, and one column");
    let table = stored.reopened();
    let node = table.get(3, 3).unwrap().unwrap();
    assert_eq!(node.properties, many.collect::<Properties>());
    let found = table.find(3, 3).unwrap().unwrap();
    assert_eq!(
        found.property(5).unwrap(),
        Some(Value::from("x".repeat(600)))
    );
    assert_eq!(found.property(5000).unwrap(), None);
    let found = table.find(20, 3).unwrap().unwrap();
    assert_eq!(found.property(900).unwrap(), Some(Value::from(20i64 << 20)));
    assert_eq!(found.property(5).unwrap(), None);
}

/// Of keys that all records have, 64 have columns.
#[test]
fn a_chunk_has_so_many_columns() {
    let mut stored = Stored::new();
    let all = |id: u32| {
        (
            id,
            (0..100)
                .map(|key| (key, Value::from(i64::from(id * key))))
                .collect(),
        )
    };
    stored.write((0..1).map(|id| (id, (200..300).map(|key| (key, Value::from(1))).collect())));
    stored.write((1..2048).map(all));
    assert_eq!(
        stored.columns().len(),
        64,
        "63 columns that are not constant, and the rest"
    );
    let table = stored.reopened();
    for id in [0, 1, 2047] {
        let node = table.get(id, 2).unwrap().unwrap();
        assert_eq!(node.properties.len(), 100);
    }
}

/// Flips of each byte of a core, a column, the rest and a large value are told where records
/// are read; those of the value alone where it is read.
#[test]
fn every_flip_is_told() {
    let mut stored = Stored::with_large(1000);
    let node = |id: u32| (id, vec![(1, Value::from(i64::from(id) * 5))]);
    stored.write((0..600).map(node));
    let long = |len: usize| Value::from(vec![Value::from("x".repeat(len)), Value::Null]);
    stored.write([(9, vec![(1, 1.into()), (4, long(600)), (5, long(1000))])]);
    let entries: Vec<Entry> = stored
        .host
        .directory
        .entries()
        .map(|entry| entry.1)
        .collect();
    assert_eq!(entries.len(), 4);
    for (number, entry) in entries.into_iter().enumerate() {
        for byte in (entry.offset..entry.offset + entry.len).step_by(7) {
            let table = stored.reopened();
            let mut problems = Vec::new();
            table.check(2, &mut problems);
            assert_eq!(problems, Vec::<String>::new());
            let table = stored.reopened();
            stored.host.damage(byte, |byte| *byte ^= 16);
            assert!(table.get(9, 2).is_err(), "byte {byte}");
            let (others, of_9) = (table.get(8, 2), table.find(9, 2));
            // Core, column, value, rest.
            assert_eq!(others.is_ok(), number == 2, "byte {byte}");
            let other = of_9.and_then(|found| found.unwrap().property(1));
            assert_eq!(other.is_ok(), number >= 2, "byte {byte}");
            let mut problems = Vec::new();
            table.check(2, &mut problems);
            assert_eq!(problems.len(), 1, "{problems:?}");
            stored.host.damage(byte, |byte| *byte ^= 16);
        }
    }
}

/// Fault of a chunk of 40 records, of which 20 are used and have an integer of key 3, once
/// these are its columns; nothing of it has a wrong checksum.
fn disagreement(parts: &[(Part, Vec<u8>)]) -> Option<String> {
    let identity = Identity {
        magic: *b"ENOD",
        table: 1,
        chunk: 0,
        records: 40,
    };
    let mut builder = Builder::over(identity, None);
    for at in 0..20 {
        let slot = Slot {
            is_used: true,
            begin: 1,
            born: 1,
        };
        builder.add(at, slot, Fixed::default(), Properties::new());
    }
    let mut image = builder.finish().unwrap();
    let parts = parts.iter().cloned();
    image.parts = parts.map(|(part, of)| (part, Content::New(of))).collect();
    let checked = StoredChunk::loaded(&image, 1).verify(&UUID);
    checked.err().map(|error| error.to_string())
}

/// Columns that are whole by themselves and do not fit their chunk, or each other, are told
/// with their place.
#[test]
fn parts_that_disagree_are_told() {
    let column = |slots: usize, value: &dyn Fn(usize) -> Value| {
        let values: Vec<Value> = (0..slots).map(value).collect();
        encode(&values).unwrap()
    };
    let number = |at: usize| match at {
        0..20 => Value::from(at as i64 * 1000),
        _ => Value::Null,
    };
    let mixed = |at: usize| match at {
        7 => Value::from("seven"),
        at => number(at),
    };
    let (right, exceptions) = (column(40, &number), column(40, &mixed));
    let of_3 = Part::column(3);
    assert_eq!(disagreement(&[(of_3, right.clone())]), None);
    assert_eq!(disagreement(&[(of_3, exceptions.clone())]), None);
    let short = column(39, &number);
    let of_none = column(40, &|at| match at {
        30 => Value::from(1),
        at => number(at),
    });
    let exception_of_none = column(40, &|at| match at {
        30 => Value::from("x"),
        at => number(at),
    });
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = exceptions.clone();
        change(&mut bytes);
        bytes
    };
    let cut = with(&|bytes| bytes.truncate(bytes.len() - 1));
    let longer = with(&|bytes| bytes.push(0));
    let unknown = with(&|bytes| bytes[0] = 32);
    let as_text = with(&|bytes| bytes[0] = 5);
    let twice = with(&|bytes| bytes[40] |= 1 << 7);
    let whole = with(&|bytes| bytes[1] &= !1);
    let cases = [
        (short, "a column has not as many slots as its chunk"),
        (of_none, "it has a value of a record that is not there"),
        (
            exception_of_none,
            "it has a value of a record that is not there",
        ),
        (cut, "it ends too early"),
        (longer, "something follows a column"),
        (unknown, "a column is of no known type"),
        (as_text, ""),
        (
            twice,
            "a value beside a column cannot be read, or is there twice",
        ),
        (whole, ""),
    ];
    for (column, what) in cases {
        let told = disagreement(&[(of_3, column)]).expect("it is told");
        let place = "records, table 1, chunk 0, column of key 3: ";
        assert!(told.contains(&format!("{place}{what}")), "{told}");
    }
    let row = |key: KeyCode| {
        let mut row = Vec::new();
        let properties = Properties::from_iter([(key, Value::from(1))]);
        properties.encode(&mut row).unwrap();
        row
    };
    let rest = |slot: u16, key| {
        let mut bytes = Vec::new();
        encode_packed(&[(slot, row(key))], &mut bytes);
        bytes
    };
    let beside = |slot, key| disagreement(&[(of_3, right.clone()), (Part::REST, rest(slot, key))]);
    assert_eq!(beside(5, 4), None);
    let told = beside(5, 3).expect("it is told");
    assert!(
        told.contains("column of key 3: there are values beside it"),
        "{told}"
    );
    let told = beside(25, 4).expect("it is told");
    let what = "properties without a column: it has a value of a record that is not there";
    assert!(told.contains(what), "{told}");
    let large = |key, at, value: &[u8]| {
        let large = (Part::value(key, at), value.to_vec());
        disagreement(&[(of_3, right.clone()), large])
    };
    assert_eq!(large(4, 7, &[3, 2]), None);
    let cases = [
        (3, 7, &[3, 2][..], "the record has another value of it"),
        (
            4,
            25,
            &[3, 2],
            "it has a value of a record that is not there",
        ),
        (4, 7, &[3, 2, 0], "it cannot be read"),
        (4, 7, &[0], "it cannot be read"),
    ];
    for (key, at, value, what) in cases {
        let told = large(key, at, value).expect("it is told");
        let place = format!("records, table 1, chunk 0, value of key {key} of record {at}: ");
        assert!(told.contains(&format!("{place}{what}")), "{told}");
    }
    let told = large(4, 40, &[3, 2]).expect("it is told");
    assert!(told.contains("it has a value of no record"), "{told}");
}

/// Bytes of what the directory names now and did not before.
fn written(before: &BTreeMap<SectionKey, Entry>, stored: &Stored) -> u64 {
    let entries = stored.host.directory.entries();
    let new = entries.filter(|(name, entry)| before.get(name) != Some(entry));
    new.map(|(_, entry)| entry.len).sum()
}

#[test]
fn a_large_value_is_written_once() {
    const LARGE: usize = 10 << 20;
    let small = |id: u32| Value::from(format!("value {id}"));
    let large = |of: &str| Value::from(of.repeat(LARGE / of.len()));
    for large_bytes in [Geometry::default().large_bytes, usize::MAX] {
        let is_apart = large_bytes < LARGE;
        let mut stored = Stored::with_large(large_bytes);
        let node = |id: u32, value: Value| (id, vec![(1, value), (2, i64::from(id).into())]);
        stored.write(
            (0..600)
                .map(|id| node(id, small(id)))
                .chain([node(700, large("a"))]),
        );
        let all = |stored: &Stored| stored.host.directory.entries().collect::<BTreeMap<_, _>>();
        let before = all(&stored);
        stored.write([node(5, "changed".into())]);
        let bytes = written(&before, &stored);
        println!("written beside a value of {LARGE} bytes: {bytes}");
        assert_eq!(bytes < 40_000, is_apart);
        // Another property of the record itself, and the value of a snapshot.
        let before = all(&stored);
        stored.change(
            [(
                700,
                Some([(1, large("a")), (2, 7.into())].into_iter().collect()),
            )],
            true,
        );
        assert!(written(&before, &stored) < 40_000);
        let kept = stored.host.csn();
        stored.write([(700, vec![(1, large("b"))])]);
        stored.change(
            [(701, Some([(1, large("c"))].into_iter().collect()))],
            false,
        );
        let table = stored.reopened();
        let value = |table: &Table<NodeRecord>, id, csn| {
            let found = table.find(id, csn).unwrap();
            found.and_then(|found| found.property(1).unwrap())
        };
        let now = stored.host.csn();
        assert_eq!(value(&table, 700, now), Some(large("b")));
        assert_eq!(value(&table, 701, now), Some(large("c")));
        assert_eq!(value(&table, 700, kept), Some(large("a")));
        assert_eq!(value(&table, 5, now), Some("changed".into()));
        // A view reads on in what is replaced and deleted, which then goes.
        stored.table = table;
        let view = stored.host.view();
        let chunk = stored.table.chunk_at(0, now).unwrap().unwrap();
        let used = stored.host.region.used_bytes();
        stored.write([(700, vec![(1, small(700))])]);
        stored.change([(701, None)], false);
        stored.write([(702, vec![(1, large("d"))])]);
        for (id, of) in [(700, "b"), (701, "c")] {
            assert_eq!(value(&stored.table, id, view.csn()), Some(large(of)));
            assert_eq!(chunk.property(id, 1).unwrap(), large(of));
        }
        drop((chunk, view));
        stored.host.release(0);
        let ends = [(700, None), (702, None), (703, Some(Properties::new()))];
        stored.change(ends, false);
        stored.write([(703, Vec::new())]);
        let left = stored.host.region.used_bytes();
        assert!(left + 2 * (LARGE as u64) < used, "{left} of {used} bytes");
        let now = stored.host.csn();
        let table = stored.reopened();
        assert_eq!(value(&table, 700, now), None);
        let mut problems = Vec::new();
        table.check(now, &mut problems);
        assert_eq!(problems, Vec::<String>::new());
    }
}

/// A value of a chunk that is loaded at once, and of one that an earlier program wrote.
#[test]
fn large_values_get_extents_when_they_are_written() {
    let mut stored = Stored::new();
    let value = |id: u32| match id {
        9 | 2000 => Value::from("long".repeat(20_000)),
        id => Value::from(format!("value {id}")),
    };
    let row = |id: u32| {
        let (mut row, key) = (Vec::new(), 1 + u32::from(id == 2000));
        let properties = Properties::from_iter([(key, value(id))]);
        properties.encode(&mut row).unwrap();
        row
    };
    let rows: Vec<Vec<u8>> = (0..2048).map(row).collect();
    let rows = rows.iter().map(|row| (Fixed::default(), &row[..]));
    stored.table.load(1, 0, rows).unwrap();
    stored.host.publish(1, false);
    let check = |table: &Table<NodeRecord>| {
        for id in [8, 9, 2000] {
            let found = table.find(id, 1).unwrap().unwrap();
            let key = 1 + u32::from(id == 2000);
            assert_eq!(found.property(key).unwrap(), Some(value(id)));
        }
    };
    check(&stored.table);
    stored.checkpoint(1);
    assert_eq!(stored.columns().len(), 3, "a column and two values");
    check(&stored.reopened());
    let mut old = Stored::with_large(usize::MAX);
    let node = |id: u32| (id, vec![(1, value(id)), (5, value(9))]);
    old.write((0..20).map(node));
    old.write([(25, vec![(6, value(9))])]);
    assert_eq!(old.columns().len(), 3, "two columns and the rest");
    old.large_bytes = Geometry::default().large_bytes;
    old.table = old.reopened();
    old.write([(3, vec![(1, 3.into()), (7, 3.into())])]);
    let (found, csn) = (old.reopened(), old.host.csn());
    assert_eq!(old.columns().len(), 2 + 19 + 1, "of key 5 all but one");
    let of = |id, key| found.find(id, csn).unwrap().unwrap().property(key).unwrap();
    assert_eq!(
        [of(9, 1), of(9, 5), of(25, 6)],
        [9; 3].map(|id| Some(value(id)))
    );
    assert_eq!((of(3, 5), of(3, 7)), (None, Some(3.into())));
}

/// A chunk and the large values that the directory names of it fit together.
#[test]
fn large_values_that_do_not_fit_their_chunk_are_told() {
    let large = |of: &str| Value::from(of.repeat(500));
    let write = || {
        let mut stored = Stored::with_large(1000);
        let node = |id: u32, of: &str| (id, vec![(1, large(of)), (2, 1.into())]);
        stored.write([node(3, "abc"), node(9, "def"), (5, vec![(1, 5.into())])]);
        stored
    };
    let name = |id: u32| SectionKey {
        owner: 7 * (1 << 29) + 2 + 1,
        section: id,
    };
    let told = |change: &dyn Fn(&mut Stored)| {
        let mut stored = write();
        change(&mut stored);
        stored.host.switch_root(Vec::new(), || {});
        let table = stored.reopened();
        assert!(table.get(5, 1).is_err());
        let mut problems = Vec::new();
        table.check(1, &mut problems);
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems.remove(0)
    };
    let place = |id: u32| format!("records, table 1, chunk 0, value of key 1 of record {id}: ");
    let entry = |stored: &Stored, id: u32| stored.host.directory.entry(name(id)).unwrap();
    let missing = told(&|stored| stored.host.directory.remove(name(9)));
    assert!(missing.contains(&(place(9) + "it is missing")), "{missing}");
    let exchanged = told(&|stored| {
        let entries = [entry(stored, 3), entry(stored, 9)];
        stored.host.directory.set(name(9), entries[0]);
        stored.host.directory.set(name(3), entries[1]);
    });
    let another = place(3) + "it is another one than its chunk names";
    assert!(exchanged.contains(&another), "{exchanged}");
    for surplus in [4, 10] {
        let told = told(&|stored| {
            let entry = entry(stored, 9);
            let draft = stored.host.region.allocate(entry.len).unwrap();
            let entry = Entry {
                offset: draft.offset(),
                ..entry
            };
            let extent = draft.finish(&vec![0; entry.len as usize]).unwrap();
            stored.host.directory.set(name(surplus), entry);
            let flushed = extent.map(|extent| extent.published());
            stored.host.switch_root(vec![flushed], || {});
        });
        let what = place(surplus) + "the chunk does not name it";
        assert!(told.contains(&what), "{told}");
    }
}

fn exact(properties: &Properties) -> Vec<u8> {
    let mut bytes = Vec::new();
    properties.encode(&mut bytes).unwrap();
    bytes
}

/// A record of some place after a change; keys are few, so that types of a key change.
fn changes() -> impl Strategy<Value = BTreeMap<u32, Option<Properties>>> {
    let keys = prop_oneof![3 => 0u32..3, 1 => 0u32..90];
    let properties = prop::collection::vec((keys, values()), 0..4)
        .prop_map(|entries| entries.into_iter().collect::<Properties>());
    prop::collection::btree_map(0u32..40, prop::option::weighted(0.8, properties), 0..30)
}

proptest! {
    /// One content of a chunk after another, against a list of records.
    #[test]
    fn contents_follow_one_another(
        rounds in prop::collection::vec(changes(), 1..6),
        large_bytes in prop_oneof![Just(usize::MAX), Just(0), Just(12)],
    ) {
        let identity = Identity { magic: *b"ENOD", table: 1, chunk: 0, records: 40 };
        let mut model: BTreeMap<u32, (u64, Properties)> = BTreeMap::new();
        let mut base: Option<StoredChunk> = None;
        for (csn, round) in (1..).zip(&rounds) {
            let reader = base.as_ref().map(|base| base.read(&UUID).unwrap());
            let builder = Builder::over(identity, reader);
            let mut builder = builder.with_large_bytes(large_bytes);
            for (&at, properties) in round {
                let slot = Slot { is_used: properties.is_some(), begin: csn, born: csn };
                let fixed = Fixed { first: at, ..Fixed::default() };
                builder.replace(at, slot, properties.as_ref().map(|p| (fixed, p))).unwrap();
                match properties {
                    Some(properties) => model.insert(at, (csn, properties.clone())),
                    None => model.remove(&at),
                };
            }
            let chunk = StoredChunk::loaded(&builder.finish().unwrap(), csn);
            prop_assert_eq!(chunk.used() as usize, model.len());
            chunk.verify(&UUID).unwrap();
            let reader = chunk.read(&UUID).unwrap();
            for at in 0..40 {
                let slot = reader.slot(at);
                prop_assert_eq!(slot.is_used, model.contains_key(&at));
                let Some((begin, properties)) = model.get(&at) else {
                    continue;
                };
                prop_assert_eq!((slot.begin, reader.fixed(at).first), (*begin, at));
                prop_assert_eq!(exact(&reader.properties(at).unwrap()), exact(properties));
                for (key, value) in properties.iter() {
                    prop_assert_eq!(reader.property(at, key).unwrap(), Some(value.clone()));
                }
            }
            for key in 0..90 {
                let of_key =
                    |(at, (_, p)): (&u32, &(u64, Properties))| Some((*at, p.get(key)?.clone()));
                let large: Vec<u32> = reader.large_of(key).collect();
                let small = model.iter().filter(|(at, _)| !large.contains(at));
                let expected: Vec<(u32, Value)> = small.filter_map(of_key).collect();
                let Some(column) = reader.column(key).unwrap() else {
                    continue;
                };
                let values = (0..40).map(|at| (at, column.get(at as usize)));
                let found: Vec<_> = values.filter(|(_, value)| !value.is_null()).collect();
                prop_assert_eq!(found, expected);
            }
            base = Some(chunk);
        }
    }
}

/// Values of two keys of records side by side, the first of them, and whether that is deleted.
type Round = (u32, Vec<Value>, Vec<Value>, bool);

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let of_key = || prop_oneof![columns(), Just((0i64..120).map(Value::from).collect())];
    prop::collection::vec((0u32..40, of_key(), of_key(), any::<bool>()), 2..6)
}

/// Columns as of each of the commits, of which a checkpoint merges all, against lists: they
/// are made of a chunk and of versions of the past.
fn compare_columns_of_the_past(rounds: &[Round]) {
    const READS: usize = 1 << 20;
    let mut stored = Stored::new();
    let (mut model, mut deleted) = (BTreeMap::new(), BTreeSet::new());
    let mut kept = Vec::new();
    for (first, of_first, of_second, deletes) in rounds {
        let mut changes = BTreeMap::new();
        for (id, pair) in (*first..).zip(of_first.iter().zip(of_second)) {
            let values = [(0, pair.0), (1, pair.1)].map(|(key, value)| (key, value.clone()));
            let there = values.into_iter().filter(|(_, value)| !value.is_null());
            changes.insert(id, Some(there.collect::<Properties>()));
        }
        if *deletes && model.contains_key(first) {
            changes.insert(*first, None);
        }
        // No id is used again while a snapshot shows its record.
        changes.retain(|id, _| !deleted.contains(id));
        stored.change(changes.clone(), true);
        for (id, properties) in changes {
            match properties {
                Some(properties) => model.insert(id, properties),
                None => deleted.insert(id).then(|| model.remove(&id)).flatten(),
            };
        }
        kept.push((stored.host.csn(), model.clone()));
        for (csn, model) in &kept {
            let chunk = stored.table.chunk_at(0, *csn).unwrap().unwrap();
            for key in 0..2 {
                let column = chunk.column(key, READS).unwrap().expect("many reads");
                for at in 0..200 {
                    let of_key = |properties: &Properties| properties.get(key).cloned();
                    let expected = model.get(&at).and_then(of_key).unwrap_or_default();
                    let found = column.get(at as usize).unwrap();
                    let (found, expected) = (exact_value(&found), exact_value(&expected));
                    assert_eq!(found, expected, "record {at}, key {key}, as of {csn}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn columns_of_the_past_are_lists(rounds in rounds()) {
        compare_columns_of_the_past(&rounds);
    }
}

#[test]
fn records_of_layers_are_shown() {
    let numbers = |from: i64| (from..from + 100).map(Value::from).collect::<Vec<Value>>();
    let rounds: Vec<Round> = (0..2).map(|n| (n, numbers(5), numbers(9), false)).collect();
    compare_columns_of_the_past(&rounds);
    let _armed = failpoint::Scope::armed("columns.layers-not-shown").enter();
    let wrong = std::panic::AssertUnwindSafe(|| compare_columns_of_the_past(&rounds));
    assert!(std::panic::catch_unwind(wrong).is_err());
}
