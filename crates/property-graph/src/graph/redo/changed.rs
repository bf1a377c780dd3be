//! Changes of existing records as the log carries them: what differs from the record
//! before.
//!
//! Records of a commit that differ in the same labels and keys share one operation, so
//! that an update of one key of many records is a column.
//!
//! | Kind | Fields, numbers as varints |
//! |---|---|
//! | 11 nodes | labels lost, labels gained, keys, ids: of each list its length, then the growth of each; of each key a value of each record, null where it is removed |
//! | 12 relationships | keys, ids, values, likewise |

use std::collections::BTreeMap;
use std::ops::Range;

use evergraph_storage::{StorageError, failpoint};

use super::RedoOperation;
use super::bytes::{Cursor, damaged};
use crate::bytes::{Reader, Wrong, put_varint};
use crate::dictionary::{KeyCode, LabelCode};
use crate::record::{EntityKind, NodeRecord, Record, RelationshipRecord};
use crate::value::codec::{self, NoTextCodes};
use crate::value::{Properties, Value, ValueError};

pub(in crate::graph) const NODES_CHANGED: u8 = 11;
pub(in crate::graph) const RELATIONSHIPS_CHANGED: u8 = 12;

/// Differences that records of one kind have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::graph) struct Difference {
    pub(in crate::graph) kind: EntityKind,
    /// Labels that they have no more; ascending, as all lists here.
    pub(in crate::graph) lost: Vec<LabelCode>,
    pub(in crate::graph) gained: Vec<LabelCode>,
    pub(in crate::graph) keys: Vec<KeyCode>,
}

/// Records that differ from those before in the same labels and keys.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::graph) struct Changed {
    pub(in crate::graph) difference: Difference,
    pub(in crate::graph) ids: Vec<u32>,
    /// For each key a value of each record; null where it is removed.
    pub(in crate::graph) columns: Vec<Vec<Value>>,
}

/// A record of which parts change.
pub(in crate::graph) trait Changing: Record {
    fn labels(&self) -> &[LabelCode];

    fn parts_mut(&mut self) -> (Option<&mut Vec<LabelCode>>, &mut Properties);
}

impl Changing for NodeRecord {
    fn labels(&self) -> &[LabelCode] {
        &self.labels
    }

    fn parts_mut(&mut self) -> (Option<&mut Vec<LabelCode>>, &mut Properties) {
        (Some(&mut self.labels), &mut self.properties)
    }
}

impl Changing for RelationshipRecord {
    fn labels(&self) -> &[LabelCode] {
        &[]
    }

    fn parts_mut(&mut self) -> (Option<&mut Vec<LabelCode>>, &mut Properties) {
        (None, &mut self.properties)
    }
}

/// Changes of a commit, gathered by what they have in common.
#[derive(Default)]
pub(in crate::graph) struct Changes(BTreeMap<Difference, Changed>);

impl Changes {
    /// Adds a record, also one that is as it was: others see that it was written. Of its
    /// properties those of the keys in `written`, ascending, may differ. Ids of a kind come
    /// ascending.
    pub(in crate::graph) fn add<R: Changing>(
        &mut self,
        id: u32,
        before: &R,
        written: &[KeyCode],
        after: &R,
    ) {
        let value = |key: &KeyCode| after.properties().get(*key).cloned();
        let values = written
            .iter()
            .map(|key| (*key, value(key).unwrap_or_default()));
        let (keys, values): (Vec<KeyCode>, Vec<Value>) = values
            .filter(|(_, value)| !value.is_null() || !failpoint!("changes.removals-forgotten"))
            .unzip();
        let difference = Difference {
            kind: R::KIND,
            lost: without(before.labels(), after.labels()),
            gained: without(after.labels(), before.labels()),
            keys,
        };
        failpoint!("changes.untouched-not-logged" => {
            if difference.keys.is_empty() && difference.lost == difference.gained {
                return;
            }
        });
        let changed = self
            .0
            .entry(difference)
            .or_insert_with_key(|difference| Changed {
                difference: difference.clone(),
                ids: Vec::new(),
                columns: vec![Vec::new(); difference.keys.len()],
            });
        changed.ids.push(id);
        for (column, value) in changed.columns.iter_mut().zip(values) {
            column.push(value);
        }
    }

    pub(in crate::graph) fn into_operations(self) -> impl Iterator<Item = RedoOperation> {
        self.0.into_values().map(RedoOperation::Changed)
    }
}

/// The codes of `some` that `others` lack.
fn without(some: &[LabelCode], others: &[LabelCode]) -> Vec<LabelCode> {
    let lacks = |code: &&LabelCode| others.binary_search(code).is_err();
    some.iter().filter(lacks).copied().collect()
}

impl Changed {
    /// The record that follows one; `row` is its place among the ids.
    pub(in crate::graph) fn record_after<R: Changing>(&self, before: &R, row: usize) -> R {
        let mut record = before.clone();
        let Difference {
            lost, gained, keys, ..
        } = &self.difference;
        let (labels, properties) = record.parts_mut();
        if let Some(labels) = labels {
            labels.retain(|label| lost.binary_search(label).is_err());
            labels.extend(gained);
            labels.sort_unstable();
            labels.dedup();
        }
        for (&key, column) in keys.iter().zip(&self.columns) {
            properties.set(key, column[row].clone());
        }
        record
    }

    /// The ids as ranges, ascending.
    pub(in crate::graph) fn ranges(&self) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for &id in &self.ids {
            match ranges.last_mut() {
                Some(last) if last.end == id => last.end = id.saturating_add(1),
                _ => ranges.push(id..id.saturating_add(1)),
            }
        }
        ranges
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), ValueError> {
        let Difference {
            kind,
            lost,
            gained,
            keys,
        } = &self.difference;
        match kind {
            EntityKind::Node => {
                bytes.push(NODES_CHANGED);
                put_ascending(bytes, lost);
                put_ascending(bytes, gained);
            }
            EntityKind::Relationship => bytes.push(RELATIONSHIPS_CHANGED),
        }
        put_ascending(bytes, keys);
        put_ascending(bytes, &self.ids);
        let mut values = self.columns.iter().flatten();
        values.try_for_each(|value| codec::encode(value, &NoTextCodes, bytes))
    }

    pub(super) fn decode(kind: EntityKind, cursor: &mut Cursor<'_>) -> Result<Self, StorageError> {
        let mut reader = Reader::new(cursor.rest);
        let changed = Changed::take(kind, &mut reader);
        let changed = changed.map_err(|what| damaged(&format!("changes records, but {what}")))?;
        cursor.take(reader.position())?;
        Ok(changed)
    }

    fn take(kind: EntityKind, reader: &mut Reader<'_>) -> Result<Self, Wrong> {
        let (lost, gained) = match kind {
            EntityKind::Node => (take_ascending(reader)?, take_ascending(reader)?),
            EntityKind::Relationship => (Vec::new(), Vec::new()),
        };
        let (keys, ids) = (take_ascending(reader)?, take_ascending(reader)?);
        let column = |reader: &mut Reader<'_>| {
            let values = ids.iter().map(|_| codec::take(reader, &NoTextCodes, 0));
            values.collect::<Result<Vec<Value>, Wrong>>()
        };
        let columns = keys.iter().map(|_| column(reader));
        let columns = columns.collect::<Result<_, Wrong>>()?;
        Ok(Changed {
            difference: Difference {
                kind,
                lost,
                gained,
                keys,
            },
            ids,
            columns,
        })
    }
}

fn put_ascending(bytes: &mut Vec<u8>, numbers: &[u32]) {
    put_varint(bytes, numbers.len() as u64);
    let mut before = 0;
    for &number in numbers {
        put_varint(bytes, u64::from(number - before));
        before = number;
    }
}

fn take_ascending(reader: &mut Reader<'_>) -> Result<Vec<u32>, Wrong> {
    let count = reader.count()?;
    let mut numbers: Vec<u32> = Vec::with_capacity(count);
    for _ in 0..count {
        let growth = reader.varint_u32()?;
        numbers.push(match numbers.last() {
            None => growth,
            Some(_) if growth == 0 => return Err("a number is there twice"),
            Some(last) => last.checked_add(growth).ok_or("a number is impossible")?,
        });
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{decode, encode};
    use super::*;
    use crate::value::tests::values;

    fn bytes_of(properties: &Properties) -> Vec<u8> {
        let mut bytes = Vec::new();
        properties.encode(&mut bytes).expect("stored");
        bytes
    }

    fn node() -> impl Strategy<Value = NodeRecord> {
        let labels = prop::collection::btree_set(0..6u32, 0..4);
        // Values of few kinds, so that some are alike, and of all kinds.
        let value = prop_oneof![
            Just(Value::from(1)),
            Just(Value::from(1.0)),
            Just(Value::from(0.0)),
            Just(Value::from(-0.0)),
            Just(Value::from(f64::NAN)),
            values(),
        ];
        let properties = prop::collection::vec((0..6u32, value), 0..6);
        (labels, properties).prop_map(|(labels, properties)| NodeRecord {
            labels: labels.into_iter().collect(),
            properties: properties.into_iter().collect(),
        })
    }

    fn operations_of<R: Changing>(records: &[(u32, R, R)]) -> Vec<RedoOperation> {
        let mut changes = Changes::default();
        for (id, before, after) in records {
            let written = before.properties().differences(after.properties());
            changes.add(*id, before, &written, after);
        }
        changes.into_operations().collect()
    }

    /// What the log carries makes of each record before the one after, to the bit.
    fn check<R: Changing>(records: &[(u32, R, R)]) -> Result<(), TestCaseError> {
        let bytes = encode(&operations_of(records)).expect("values that can be stored");
        let operations = decode(&bytes).expect("whole");
        prop_assert_eq!(encode(&operations).expect("stored"), bytes);
        let mut seen = Vec::new();
        for operation in operations {
            let RedoOperation::Changed(changed) = operation else {
                return Err(TestCaseError::fail("another operation"));
            };
            for (row, &id) in changed.ids.iter().enumerate() {
                let (_, before, after) = &records[id as usize];
                let made = changed.record_after(before, row);
                prop_assert_eq!(made.labels(), after.labels());
                let (made, after) = (bytes_of(made.properties()), bytes_of(after.properties()));
                prop_assert_eq!(made, after);
                seen.push(id);
            }
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(records.iter().map(|record| record.0)));
        Ok(())
    }

    proptest! {
        #[test]
        fn differences_lead_from_record_to_record(
            records in prop::collection::vec((node(), node()), 0..8),
        ) {
            let nodes = (0..).zip(&records);
            let nodes: Vec<_> = nodes.map(|(id, (a, b))| (id, a.clone(), b.clone())).collect();
            check(&nodes)?;
            let relationship = |node: &NodeRecord| RelationshipRecord {
                kind: 1,
                source: 2,
                target: 3,
                properties: node.properties.clone(),
            };
            let relationships = nodes.iter();
            let relationships: Vec<_> = relationships
                .map(|(id, a, b)| (*id, relationship(a), relationship(b)))
                .collect();
            check(&relationships)?;
        }

        #[test]
        fn damaged_changes_are_no_panic(
            kind in NODES_CHANGED..=RELATIONSHIPS_CHANGED,
            bytes in prop::collection::vec(prop_oneof![0..6u8, any::<u8>()], 0..40),
        ) {
            if let Ok(operations) = decode(&[&[kind], &bytes[..]].concat()) {
                for operation in &operations {
                    operation.nodes();
                    let RedoOperation::Changed(changed) = operation else { continue };
                    for row in 0..changed.ids.len() {
                        changed.record_after(&NodeRecord::default(), row);
                    }
                }
                encode(&operations).expect("values that were decoded");
            }
        }
    }

    /// Pins the bytes in logs from version 6 of the format on.
    #[test]
    fn the_bytes_of_changes_are_pinned() {
        let properties = |age: i64, name: Option<&str>| {
            let name = name.map_or(Value::Null, Value::from);
            Properties::from_iter([(3, Value::from(age)), (5, name)])
        };
        let node = |labels: &[u32], age, name| NodeRecord {
            labels: labels.to_vec(),
            properties: properties(age, name),
        };
        // Keys 3 and 5 of nodes 1 and 300; nothing of node 7.
        let nodes = [
            (1, node(&[4, 9], 1, Some("a")), node(&[9, 10], 2, None)),
            (7, node(&[], 1, None), node(&[], 1, None)),
            (300, node(&[4], 1, Some("b")), node(&[10], -3, Some("c"))),
        ];
        let bytes = encode(&operations_of(&nodes)).expect("stored");
        let unchanged = [11, 0, 0, 0, 1, 7];
        let changed = [
            [11, 1, 4, 1, 10, 2, 3, 2, 2, 1].as_slice(),
            &[0xAB, 2],
            &[3, 4, 3, 5],
            &[0, 5, 1, b'c'],
        ];
        assert_eq!(bytes, [&unchanged[..], &changed.concat()].concat());
        let relationship = |age| RelationshipRecord {
            kind: 1,
            source: 2,
            target: 3,
            properties: properties(age, None),
        };
        let relationships = [
            (0, relationship(1), relationship(2)),
            (2, relationship(1), relationship(3)),
        ];
        let bytes = encode(&operations_of(&relationships)).expect("stored");
        assert_eq!(bytes, [12, 1, 3, 2, 0, 2, 3, 4, 3, 6]);
    }

    #[test]
    fn nodes_are_told_as_ranges() {
        let changed = Changed {
            difference: Difference {
                kind: EntityKind::Node,
                lost: Vec::new(),
                gained: Vec::new(),
                keys: Vec::new(),
            },
            ids: vec![1, 2, 3, 7, u32::MAX],
            columns: Vec::new(),
        };
        let ranges = [1..4, 7..8, u32::MAX..u32::MAX];
        assert_eq!(changed.ranges(), ranges);
    }
}
