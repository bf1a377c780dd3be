//! Redo operations of a commit, as the log carries them.
//!
//! They are record images, differences from the record before, codes and ids, never
//! statements: replaying them twice gives the same state as replaying them once. The relationships' places in the neighbor
//! lists travel beside them, as the store's own operations.
//!
//! Each operation is one byte of kind and its fields, little-endian, unaligned:
//!
//! | Kind | Fields |
//! |---|---|
//! | 1 name | table (1 byte), code (4), length (4), UTF-8 |
//! | 2 node | id (4), labels (4), each label (4), length (4), properties |
//! | 3 node deleted | id (4) |
//! | 4 relationship | id (4), type (2), source (4), target (4), length (4), properties |
//! | 5 relationship deleted | id (4) |
//! | 6 index or constraint | number (4), length (4), definition |
//! | 7 index or constraint dropped | number (4) |
//! | 8, 9 whole chunks of nodes, of relationships | see [`loaded`] |
//! | 10 index or constraint holds | number (4) |
//! | 11, 12 nodes, relationships changed | see [`changed`] |
//!
//! Images (2 and 4) are written of new records; up to version 5 of the format also of
//! changed ones.

mod bytes;
pub(super) mod changed;
pub(super) mod loaded;

use std::ops::Range;

use evergraph_storage::StorageError;

pub(super) use self::bytes::damaged;
use self::bytes::{Cursor, NODE, RELATIONSHIP, put, put_bytes};
use self::changed::{Changed, NODES_CHANGED, RELATIONSHIPS_CHANGED};
use self::loaded::{
    LabelSets, Loaded, LoadedNode, LoadedRelationship, decode_nodes, decode_relationships,
};
use crate::dictionary::Names;
use crate::record::{EntityKind, NodeRecord, RelationshipRecord};
use crate::value::{Properties, ValueError};

const NAME: u8 = 1;
const NODE_DELETED: u8 = 3;
const RELATIONSHIP_DELETED: u8 = 5;
const SCHEMA: u8 = 6;
const SCHEMA_DROPPED: u8 = 7;
const SCHEMA_CONFIRMED: u8 = 10;

/// One change of a commit.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RedoOperation {
    /// A code stands for a name, now and for ever. Every commit that may be the
    /// first to use the code says so.
    Name {
        names: Names,
        code: u32,
        name: String,
    },
    /// A node from this commit on; `None` if it is deleted.
    Node {
        id: u32,
        /// All of it.
        record: Option<NodeRecord>,
    },
    /// A relationship from this commit on; `None` if it is deleted.
    Relationship {
        id: u32,
        /// All of it.
        record: Option<RelationshipRecord>,
    },
    /// Records written from this commit on are held to an index or a constraint; `None`
    /// if it is dropped.
    Schema {
        number: u32,
        /// Its definition, encoded by module `schema`.
        definition: Option<Vec<u8>>,
    },
    /// All that there is was held to it, too, if it is still there: it stays.
    Confirmed { number: u32 },
    /// A chunk of new nodes, with the sets of labels that they have.
    LoadedNodes(Loaded<LoadedNode>, LabelSets),
    /// A chunk of new relationships.
    LoadedRelationships(Loaded<LoadedRelationship>),
    /// What differs of existing records.
    Changed(Changed),
}

impl RedoOperation {
    /// The nodes that it writes.
    pub(super) fn nodes(&self) -> Vec<Range<u32>> {
        let one = |range| Vec::from_iter([range]);
        match self {
            RedoOperation::Node { id, .. } => one(*id..id.saturating_add(1)),
            RedoOperation::LoadedNodes(loaded, _) => {
                let count = u32::try_from(loaded.rows.len()).unwrap_or(u32::MAX);
                one(loaded.first..loaded.first.saturating_add(count))
            }
            RedoOperation::Changed(changed) if changed.difference.kind == EntityKind::Node => {
                changed.ranges()
            }
            RedoOperation::Name { .. }
            | RedoOperation::Relationship { .. }
            | RedoOperation::LoadedRelationships(_)
            | RedoOperation::Changed(_)
            | RedoOperation::Schema { .. }
            | RedoOperation::Confirmed { .. } => Vec::new(),
        }
    }
}

/// Encodes the redo operations of one commit as one payload.
///
/// # Errors
/// Values that cannot be stored.
pub(super) fn encode(operations: &[RedoOperation]) -> Result<Vec<u8>, ValueError> {
    let mut bytes = Vec::new();
    for operation in operations {
        encode_one(operation, &mut bytes)?;
    }
    Ok(bytes)
}

fn encode_one(operation: &RedoOperation, bytes: &mut Vec<u8>) -> Result<(), ValueError> {
    match operation {
        RedoOperation::Name { names, code, name } => {
            bytes.extend_from_slice(&[NAME, *names as u8]);
            put(bytes, *code);
            put_bytes(bytes, name.as_bytes());
        }
        RedoOperation::Node { id, record: None } => {
            bytes.push(NODE_DELETED);
            put(bytes, *id);
        }
        RedoOperation::Node {
            id,
            record: Some(record),
        } => {
            bytes.push(NODE);
            put(bytes, *id);
            put(bytes, record.labels.len() as u32);
            record.labels.iter().for_each(|&label| put(bytes, label));
            put_properties(bytes, &record.properties)?;
        }
        RedoOperation::Relationship { id, record: None } => {
            bytes.push(RELATIONSHIP_DELETED);
            put(bytes, *id);
        }
        RedoOperation::Relationship {
            id,
            record: Some(record),
        } => {
            bytes.push(RELATIONSHIP);
            put(bytes, *id);
            bytes.extend_from_slice(&record.kind.to_le_bytes());
            put(bytes, record.source);
            put(bytes, record.target);
            put_properties(bytes, &record.properties)?;
        }
        RedoOperation::Schema {
            number,
            definition: Some(definition),
        } => {
            bytes.push(SCHEMA);
            put(bytes, *number);
            put_bytes(bytes, definition);
        }
        RedoOperation::Schema {
            number,
            definition: None,
        } => {
            bytes.push(SCHEMA_DROPPED);
            put(bytes, *number);
        }
        RedoOperation::Confirmed { number } => {
            bytes.push(SCHEMA_CONFIRMED);
            put(bytes, *number);
        }
        RedoOperation::LoadedNodes(nodes, sets) => loaded::encode_nodes(nodes, sets, bytes),
        RedoOperation::LoadedRelationships(relationships) => {
            loaded::encode_relationships(relationships, bytes);
        }
        RedoOperation::Changed(changed) => changed.encode(bytes)?,
    }
    Ok(())
}

fn put_properties(bytes: &mut Vec<u8>, properties: &Properties) -> Result<(), ValueError> {
    let at = bytes.len();
    put(bytes, 0);
    properties.encode(bytes)?;
    let len = (bytes.len() - at - 4) as u32;
    bytes[at..at + 4].copy_from_slice(&len.to_le_bytes());
    Ok(())
}

/// Decodes the output of [`encode`].
///
/// # Errors
/// A payload whose checksum held and that does not decode: another program wrote
/// it.
pub(super) fn decode(payload: &[u8]) -> Result<Vec<RedoOperation>, StorageError> {
    let mut cursor = Cursor { rest: payload };
    let mut operations = Vec::new();
    while !cursor.rest.is_empty() {
        operations.push(decode_one(&mut cursor)?);
    }
    Ok(operations)
}

fn decode_one(cursor: &mut Cursor<'_>) -> Result<RedoOperation, StorageError> {
    Ok(match cursor.byte()? {
        NAME => RedoOperation::Name {
            names: Names::from_number(cursor.byte()?)
                .ok_or_else(|| damaged("has a name of no known kind"))?,
            code: cursor.number()?,
            name: cursor.text()?,
        },
        NODE => RedoOperation::Node {
            id: cursor.number()?,
            record: Some(NodeRecord {
                labels: cursor.labels()?,
                properties: cursor.properties()?,
            }),
        },
        NODE_DELETED => RedoOperation::Node {
            id: cursor.number()?,
            record: None,
        },
        RELATIONSHIP => RedoOperation::Relationship {
            id: cursor.number()?,
            record: Some(RelationshipRecord {
                kind: cursor.kind()?,
                source: cursor.number()?,
                target: cursor.number()?,
                properties: cursor.properties()?,
            }),
        },
        RELATIONSHIP_DELETED => RedoOperation::Relationship {
            id: cursor.number()?,
            record: None,
        },
        SCHEMA => RedoOperation::Schema {
            number: cursor.number()?,
            definition: Some(cursor.content()?.to_vec()),
        },
        SCHEMA_DROPPED => RedoOperation::Schema {
            number: cursor.number()?,
            definition: None,
        },
        SCHEMA_CONFIRMED => RedoOperation::Confirmed {
            number: cursor.number()?,
        },
        loaded::NODES => {
            let (nodes, sets) = decode_nodes(cursor)?;
            RedoOperation::LoadedNodes(nodes, sets)
        }
        loaded::RELATIONSHIPS => RedoOperation::LoadedRelationships(decode_relationships(cursor)?),
        NODES_CHANGED => RedoOperation::Changed(Changed::decode(EntityKind::Node, cursor)?),
        RELATIONSHIPS_CHANGED => {
            RedoOperation::Changed(Changed::decode(EntityKind::Relationship, cursor)?)
        }
        _ => return Err(damaged("has a redo operation this program does not know")),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::Value;

    fn properties() -> impl Strategy<Value = Properties> {
        let value = prop_oneof![
            any::<i64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
        ];
        prop::collection::vec((0..100u32, value), 0..5).prop_map(Properties::from_iter)
    }

    fn operation() -> impl Strategy<Value = RedoOperation> {
        let names = prop::sample::select(&Names::ALL[..]);
        let node = (
            prop::collection::btree_set(any::<u32>(), 0..4),
            properties(),
        );
        let node = node.prop_map(|(labels, properties)| NodeRecord {
            labels: labels.into_iter().collect(),
            properties,
        });
        let relationship = (any::<u16>(), any::<u32>(), any::<u32>(), properties());
        let relationship =
            relationship.prop_map(|(kind, source, target, properties)| RelationshipRecord {
                kind,
                source,
                target,
                properties,
            });
        let definition = prop::option::of(prop::collection::vec(any::<u8>(), 0..20));
        prop_oneof![
            (names, any::<u32>(), ".{1,20}").prop_map(|(names, code, name)| RedoOperation::Name {
                names,
                code,
                name
            }),
            (any::<u32>(), prop::option::of(node))
                .prop_map(|(id, record)| RedoOperation::Node { id, record }),
            (any::<u32>(), prop::option::of(relationship))
                .prop_map(|(id, record)| RedoOperation::Relationship { id, record }),
            (any::<u32>(), definition)
                .prop_map(|(number, definition)| RedoOperation::Schema { number, definition }),
            any::<u32>().prop_map(|number| RedoOperation::Confirmed { number }),
            loaded_nodes(),
            loaded_relationships(),
        ]
    }

    fn loaded_nodes() -> impl Strategy<Value = RedoOperation> {
        let set = prop::collection::btree_set(any::<u32>(), 0..4);
        let sets = prop::collection::vec(set, 1..4);
        let rows = prop::collection::vec((any::<u32>(), 0..5u32), 0..5);
        (any::<u32>(), sets, rows).prop_map(|(first, sets, rows)| {
            let sets: LabelSets = sets.into_iter().map(Vec::from_iter).collect();
            let row = |(set, len)| LoadedNode {
                set: set % sets.len() as u32,
                len,
            };
            let rows: Vec<LoadedNode> = rows.into_iter().map(row).collect();
            let heap = vec![7; rows.iter().map(|row| row.len as usize).sum()];
            RedoOperation::LoadedNodes(Loaded { first, rows, heap }, sets)
        })
    }

    fn loaded_relationships() -> impl Strategy<Value = RedoOperation> {
        let row = (any::<u16>(), any::<u32>(), any::<u32>(), 0..5u32);
        let row = row.prop_map(|(kind, source, target, len)| LoadedRelationship {
            kind,
            source,
            target,
            len,
        });
        (any::<u32>(), prop::collection::vec(row, 0..5)).prop_map(|(first, rows)| {
            let heap = vec![7; rows.iter().map(|row| row.len as usize).sum()];
            RedoOperation::LoadedRelationships(Loaded { first, rows, heap })
        })
    }

    /// Pins the bytes in logs of version 4 of the format.
    #[test]
    fn the_bytes_of_redo_operations_are_pinned() {
        let properties = || Properties::from_iter([(9, Value::from(true))]);
        let node = NodeRecord {
            labels: vec![5].into_iter().collect(),
            properties: properties(),
        };
        let relationship = RelationshipRecord {
            kind: 6,
            source: 7,
            target: 8,
            properties: properties(),
        };
        let mut stored = Vec::new();
        properties().encode(&mut stored).expect("stored");
        let len = stored.len() as u8;
        let of = |parts: &[&[u8]]| parts.concat();
        let word = |number: u8| [number, 0, 0, 0];
        let [one, two] = [word(1), word(2)];
        let name = |names| RedoOperation::Name {
            names,
            code: 1,
            name: "ab".to_string(),
        };
        let cases = [
            (name(Names::Labels), of(&[&[1, 0], &one, &two, b"ab"])),
            (name(Names::Types), of(&[&[1, 1], &one, &two, b"ab"])),
            (name(Names::Keys), of(&[&[1, 2], &one, &two, b"ab"])),
            (
                RedoOperation::Node {
                    id: 2,
                    record: Some(node),
                },
                of(&[&[2], &two, &one, &word(5), &word(len), &stored]),
            ),
            (
                RedoOperation::Node {
                    id: 2,
                    record: None,
                },
                of(&[&[3], &two]),
            ),
            (
                RedoOperation::Relationship {
                    id: 1,
                    record: Some(relationship),
                },
                of(&[&[4], &one, &[6, 0], &word(7), &word(8), &word(len), &stored]),
            ),
            (
                RedoOperation::Relationship {
                    id: 1,
                    record: None,
                },
                of(&[&[5], &one]),
            ),
            (
                RedoOperation::Schema {
                    number: 1,
                    definition: Some(vec![7, 8]),
                },
                of(&[&[6], &one, &two, &[7, 8]]),
            ),
            (
                RedoOperation::Schema {
                    number: 1,
                    definition: None,
                },
                of(&[&[7], &one]),
            ),
            (
                RedoOperation::LoadedNodes(
                    Loaded {
                        first: 3,
                        rows: vec![LoadedNode { set: 1, len: 2 }],
                        heap: vec![7, 7],
                    },
                    vec![vec![], vec![5]],
                ),
                of(&[
                    &[8],
                    &word(3),
                    &one,
                    &two,
                    &word(0),
                    &one,
                    &word(5),
                    &one,
                    &two,
                    &[7, 7],
                ]),
            ),
            (
                RedoOperation::LoadedRelationships(Loaded {
                    first: 3,
                    rows: vec![LoadedRelationship {
                        kind: 6,
                        source: 7,
                        target: 8,
                        len: 1,
                    }],
                    heap: vec![7],
                }),
                of(&[
                    &[9],
                    &word(3),
                    &one,
                    &[6, 0],
                    &word(7),
                    &word(8),
                    &one,
                    &[7],
                ]),
            ),
            (RedoOperation::Confirmed { number: 2 }, of(&[&[10], &two])),
        ];
        for (operation, bytes) in cases {
            let encoded = encode(std::slice::from_ref(&operation)).expect("stored");
            assert_eq!(encoded, bytes, "{operation:?}");
        }
    }

    proptest! {
        #[test]
        fn redo_operations_come_back_and_damage_is_no_panic(
            operations in prop::collection::vec(operation(), 0..6),
            at in any::<prop::sample::Index>(),
            bits in 1..=255u8,
        ) {
            let bytes = encode(&operations).expect("values that can be stored");
            prop_assert_eq!(decode(&bytes).expect("whole"), operations);
            if bytes.is_empty() {
                return Ok(());
            }
            let at = at.index(bytes.len());
            drop(decode(&bytes[..at]));
            let mut damaged = bytes;
            damaged[at] ^= bits;
            drop(decode(&damaged));
        }
    }
}
