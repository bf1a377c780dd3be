//! What is a column, where it lies, and what a checkpoint writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::{Entry, SectionKey};
use proptest::prelude::*;

use crate::column::{encode, encode_packed};
use crate::dictionary::{Dictionary, KeyCode, Names, TextPolicy};
use crate::record::builder::{Builder, Content};
use crate::record::core::{Identity, REST, Slot};
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
}

fn table(dictionary: &Arc<Dictionary>) -> Table<NodeRecord> {
    Table::new(Geometry::default(), 1, Arc::clone(dictionary))
}

impl Stored {
    fn new() -> Self {
        let dictionary = Arc::new(Dictionary::new(0, TextPolicy::default()));
        for key in 0..10 {
            let name = format!("key {key}");
            dictionary.apply(1, Names::Keys, key, &name).unwrap();
        }
        Stored {
            host: Host::new(),
            table: table(&dictionary),
            dictionary,
        }
    }

    /// Commits nodes, and writes them.
    fn write(&mut self, nodes: impl IntoIterator<Item = (u32, Vec<(KeyCode, Value)>)>) {
        let csn = self.host.csn() + 1;
        for (id, properties) in nodes {
            let node = NodeRecord {
                labels: Vec::new(),
                properties: properties.into_iter().collect(),
            };
            let needed = self.host.needed();
            self.table.apply(csn, id, Some(node), &needed).unwrap();
        }
        self.host.publish(csn, false);
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
        let (table, csn) = (table(&self.dictionary), self.host.csn());
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

/// Flips of each byte of a core, a column and the rest are told where records are read.
#[test]
fn every_flip_is_told() {
    let mut stored = Stored::new();
    let node = |id: u32| (id, vec![(1, Value::from(i64::from(id) * 5))]);
    stored.write((0..600).map(node));
    let long = Value::from(vec![Value::from("x".repeat(600)), Value::Null]);
    stored.write([(9, vec![(1, 1.into()), (4, long)])]);
    let entries: Vec<Entry> = stored
        .host
        .directory
        .entries()
        .map(|entry| entry.1)
        .collect();
    assert_eq!(entries.len(), 3);
    for entry in entries {
        for byte in (entry.offset..entry.offset + entry.len).step_by(7) {
            let table = stored.reopened();
            let mut problems = Vec::new();
            table.check(2, &mut problems);
            assert_eq!(problems, Vec::<String>::new());
            let table = stored.reopened();
            stored.host.damage(byte, |byte| *byte ^= 16);
            assert!(table.get(9, 2).is_err(), "byte {byte}");
            let mut problems = Vec::new();
            table.check(2, &mut problems);
            assert_eq!(problems.len(), 1, "{problems:?}");
            stored.host.damage(byte, |byte| *byte ^= 16);
        }
    }
}

/// Fault of a chunk of 40 records, of which 20 are used and have an integer of key 3, once
/// these are its columns; nothing of it has a wrong checksum.
fn disagreement(columns: &[(KeyCode, Vec<u8>)]) -> Option<String> {
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
    let columns = columns.iter().cloned();
    image.columns = columns.map(|(key, of)| (key, Content::New(of))).collect();
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
    assert_eq!(disagreement(&[(3, right.clone())]), None);
    assert_eq!(disagreement(&[(3, exceptions.clone())]), None);
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
        let told = disagreement(&[(3, column)]).expect("it is told");
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
    let beside = |slot, key| disagreement(&[(3, right.clone()), (REST, rest(slot, key))]);
    assert_eq!(beside(5, 4), None);
    let told = beside(5, 3).expect("it is told");
    assert!(
        told.contains("column of key 3: there are values beside it"),
        "{told}"
    );
    let told = beside(25, 4).expect("it is told");
    let what = "properties without a column: it has a value of a record that is not there";
    assert!(told.contains(what), "{told}");
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
    fn contents_follow_one_another(rounds in prop::collection::vec(changes(), 1..6)) {
        let identity = Identity { magic: *b"ENOD", table: 1, chunk: 0, records: 40 };
        let mut model: BTreeMap<u32, (u64, Properties)> = BTreeMap::new();
        let mut base: Option<StoredChunk> = None;
        for (csn, round) in (1..).zip(&rounds) {
            let reader = base.as_ref().map(|base| base.read(&UUID).unwrap());
            let mut builder = Builder::over(identity, reader);
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
                let expected: Vec<(u32, Value)> = model.iter().filter_map(of_key).collect();
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
