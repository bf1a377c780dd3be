//! Whole chunks of new records as the log carries them.
//!
//! | Kind | Fields |
//! |---|---|
//! | 8 nodes | first id (4), count (4), sets of labels (4), for each its length (4) and labels (4 each); for each node its set (4) and length of properties (4); all properties |
//! | 9 relationships | first id (4), count (4); for each type (2), source (4), target (4), length of properties (4); all properties |

use evergraph_storage::StorageError;
use evergraph_storage::little_endian::u32_at;

use super::bytes::{Cursor, NODE, RELATIONSHIP, damaged, properties_of, put, put_bytes};
use crate::dictionary::{LabelCode, TypeCode};
use crate::record::{NodeRecord, RelationshipRecord};

pub(in crate::graph) const NODES: u8 = 8;
pub(in crate::graph) const RELATIONSHIPS: u8 = 9;

/// New records with consecutive ids, a whole chunk of them in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loaded<R> {
    pub(crate) first: u32,
    /// Fixed parts of the records, by id.
    pub(crate) rows: Vec<R>,
    /// Properties of all, as [`Properties::encode`](crate::value::Properties::encode)
    /// writes them.
    pub(crate) heap: Vec<u8>,
}

/// A new node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoadedNode {
    pub(crate) set: u32,
    pub(crate) len: u32,
}

/// A new relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoadedRelationship {
    pub(crate) kind: TypeCode,
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) len: u32,
}

/// Sets of labels, each ascending, by number.
pub(crate) type LabelSets = Vec<Vec<LabelCode>>;

/// The part that rows of both tables share: the length of their properties.
pub(in crate::graph) trait Row: Copy {
    fn len(&self) -> usize;
}

impl Row for LoadedNode {
    fn len(&self) -> usize {
        self.len as usize
    }
}

impl Row for LoadedRelationship {
    fn len(&self) -> usize {
        self.len as usize
    }
}

impl<R: Row> Loaded<R> {
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (R, &[u8])> + Clone {
        let mut rest = &self.heap[..];
        self.rows.iter().map(move |row| {
            // Lengths were added up when it was read.
            let (properties, others) = rest.split_at_checked(row.len()).unwrap_or((rest, &[]));
            rest = others;
            (*row, properties)
        })
    }
}

/// The record of a row of nodes with these sets of labels.
pub(in crate::graph) fn node_record(
    sets: &LabelSets,
    row: LoadedNode,
    properties: &[u8],
) -> Result<NodeRecord, StorageError> {
    Ok(NodeRecord {
        labels: sets[row.set as usize].clone(),
        properties: properties_of(properties)?,
    })
}

/// The record of a row of relationships.
pub(in crate::graph) fn relationship_record(
    row: LoadedRelationship,
    properties: &[u8],
) -> Result<RelationshipRecord, StorageError> {
    Ok(RelationshipRecord {
        kind: row.kind,
        source: row.source,
        target: row.target,
        properties: properties_of(properties)?,
    })
}

pub(in crate::graph) fn encode_nodes(
    loaded: &Loaded<LoadedNode>,
    sets: &LabelSets,
    bytes: &mut Vec<u8>,
) {
    bytes.push(NODES);
    put(bytes, loaded.first);
    put(bytes, loaded.rows.len() as u32);
    put(bytes, sets.len() as u32);
    for set in sets {
        put(bytes, set.len() as u32);
        set.iter().for_each(|&label| put(bytes, label));
    }
    for row in &loaded.rows {
        put(bytes, row.set);
        put(bytes, row.len);
    }
    bytes.extend_from_slice(&loaded.heap);
}

pub(in crate::graph) fn encode_relationships(
    loaded: &Loaded<LoadedRelationship>,
    bytes: &mut Vec<u8>,
) {
    bytes.push(RELATIONSHIPS);
    put(bytes, loaded.first);
    put(bytes, loaded.rows.len() as u32);
    for row in &loaded.rows {
        bytes.extend_from_slice(&row.kind.to_le_bytes());
        put(bytes, row.source);
        put(bytes, row.target);
        put(bytes, row.len);
    }
    bytes.extend_from_slice(&loaded.heap);
}

/// As [`encode_nodes`], each as a redo operation of its own.
pub(in crate::graph) fn encode_nodes_singly(
    loaded: &Loaded<LoadedNode>,
    sets: &LabelSets,
    bytes: &mut Vec<u8>,
) {
    for (id, (row, properties)) in (loaded.first..).zip(loaded.iter()) {
        bytes.push(NODE);
        put(bytes, id);
        let set = &sets[row.set as usize];
        put(bytes, set.len() as u32);
        set.iter().for_each(|&label| put(bytes, label));
        put_bytes(bytes, properties);
    }
}

/// As [`encode_relationships`], each as a redo operation of its own.
pub(in crate::graph) fn encode_relationships_singly(
    loaded: &Loaded<LoadedRelationship>,
    bytes: &mut Vec<u8>,
) {
    for (id, (row, properties)) in (loaded.first..).zip(loaded.iter()) {
        bytes.push(RELATIONSHIP);
        put(bytes, id);
        bytes.extend_from_slice(&row.kind.to_le_bytes());
        put(bytes, row.source);
        put(bytes, row.target);
        put_bytes(bytes, properties);
    }
}

pub(in crate::graph) fn decode_nodes(
    cursor: &mut Cursor<'_>,
) -> Result<(Loaded<LoadedNode>, LabelSets), StorageError> {
    let (first, count) = (cursor.number()?, cursor.number()? as usize);
    let mut sets = LabelSets::new();
    for _ in 0..cursor.number()? {
        sets.push(cursor.labels()?);
    }
    let rows = cursor.take(count.saturating_mul(8))?;
    let rows = rows.chunks_exact(8).map(|row| LoadedNode {
        set: u32_at(row, 0),
        len: u32_at(row, 4),
    });
    let loaded = finish(first, rows.collect(), cursor)?;
    match loaded
        .rows
        .iter()
        .all(|row| (row.set as usize) < sets.len())
    {
        true => Ok((loaded, sets)),
        false => Err(damaged("has nodes with labels that it does not say")),
    }
}

pub(in crate::graph) fn decode_relationships(
    cursor: &mut Cursor<'_>,
) -> Result<Loaded<LoadedRelationship>, StorageError> {
    let (first, count) = (cursor.number()?, cursor.number()? as usize);
    let rows = cursor.take(count.saturating_mul(14))?;
    let rows = rows.chunks_exact(14).map(|row| LoadedRelationship {
        kind: TypeCode::from_le_bytes([row[0], row[1]]),
        source: u32_at(row, 2),
        target: u32_at(row, 6),
        len: u32_at(row, 10),
    });
    finish(first, rows.collect(), cursor)
}

fn finish<R: Row>(
    first: u32,
    rows: Vec<R>,
    cursor: &mut Cursor<'_>,
) -> Result<Loaded<R>, StorageError> {
    let len = rows.iter().map(Row::len).sum();
    let heap = cursor.take(len)?.to_vec();
    Ok(Loaded { first, rows, heap })
}
