//! Log records of commits.
//!
//! A sequence of operations, each columnar: a header of 16 bytes (operation,
//! columns, type, count), then one array a column. Redo operations are logged, never
//! statements.

use std::ops::Range;

use crate::error::TopologyError;
use evergraph_storage::StorageError;
use evergraph_storage::layout::tiles;

const OP_INSERT: u8 = 1;
const OP_DELETE: u8 = 2;
const OP_VERTICES: u8 = 3;
const OP_META: u8 = 4;
const OP_IDS: u8 = 5;
const OP_CREATE_SNAPSHOT: u8 = 6;
const OP_DROP_SNAPSHOT: u8 = 7;
const OP_PAYLOAD: u8 = 8;
const OP_INSERT_RELATIONSHIPS: u8 = 9;
const OP_DELETE_RELATIONSHIPS: u8 = 10;
const OP_IN_EXTENT: u8 = 11;
const COLUMN_TIME: u8 = 1;
const COLUMN_WEIGHT: u8 = 1;
pub(crate) const OP_HEADER_BYTES: usize = 16;

// Operation, columns, type, extra, count; arrays of 8 bytes behind it are aligned.
const _: () = assert!(tiles(
    &[(0, 1), (1, 1), (2, 2), (4, 4), (8, 8)],
    OP_HEADER_BYTES
));
const _: () = assert!(
    OP_HEADER_BYTES.is_multiple_of(8) && evergraph_storage::RECORD_HEADER_BYTES.is_multiple_of(8),
    "columns are read in place"
);

/// One operation of a commit.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// New edges.
    Insert(Edges),
    /// For each, the latest live edge between the two ends goes.
    Delete(Edges),
    /// The graph has at least so many vertices.
    Vertices(u64),
    /// A small named fact about the database, replaced as a whole.
    Meta {
        /// Name.
        key: Vec<u8>,
        /// Value; empty removes it.
        value: Vec<u8>,
    },
    /// External ids of the next vertices in order.
    Ids(ExternalIds),
    /// A name for the graph at the end of this commit.
    CreateSnapshot {
        /// Name.
        name: String,
        /// When the graph was like that, microseconds since 1970; the commit's
        /// wall time if nothing is said.
        time_us: Option<i64>,
    },
    /// Drops the snapshot of a name.
    DropSnapshot {
        /// Name.
        name: String,
    },
    /// Payload of the store's extension.
    Payload(Vec<u8>),
    /// New relationships.
    InsertRelationships(Relationships),
    /// Deleted relationships.
    DeleteRelationships(Relationships),
}

impl Op {
    /// Whether space comes free when it is merged or compacted.
    pub fn makes_room(&self) -> bool {
        matches!(
            self,
            Op::Delete(_) | Op::DeleteRelationships(_) | Op::DropSnapshot { .. }
        )
    }

    /// Whether it creates or drops a snapshot.
    pub fn names_snapshots(&self) -> bool {
        matches!(self, Op::CreateSnapshot { .. } | Op::DropSnapshot { .. })
    }
}

/// Edges by column. All columns have one length; no weights is an empty column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edges {
    /// Sources.
    pub sources: Vec<u32>,
    /// Targets.
    pub targets: Vec<u32>,
    /// Weights or nothing.
    pub weights: Vec<f32>,
}

/// Relationships of one type by column. All columns have one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relationships {
    /// Their type.
    pub kind: u16,
    /// Sources.
    pub sources: Vec<u32>,
    /// Targets.
    pub targets: Vec<u32>,
    /// Ids, which tell parallel ones apart.
    pub ids: Vec<u32>,
}

/// Assignments of external ids to consecutive vertices.
#[derive(Clone, Debug, PartialEq)]
pub enum ExternalIds {
    /// 64-bit numbers.
    Numbers {
        /// Vertex of the first.
        first: u32,
        /// Ids.
        ids: Vec<u64>,
    },
    /// Strings: `ends[i]` is where the i-th ends in `bytes`.
    Texts {
        /// Vertex of the first.
        first: u32,
        /// Ends.
        ends: Vec<u32>,
        /// All strings one after another.
        bytes: Vec<u8>,
    },
}

/// Payloads of a commit for the extension.
pub(crate) fn payloads(ops: &[Op]) -> Vec<&[u8]> {
    let payloads = ops.iter().filter_map(|op| match op {
        Op::Payload(payload) => Some(&payload[..]),
        _ => None,
    });
    payloads.collect()
}

/// Extent of the operations of a commit that were too many for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InExtent {
    /// Offset of the extent.
    pub offset: u64,
    /// Its bytes.
    pub len: u64,
    /// Its checksum.
    pub crc: u32,
}

impl InExtent {
    /// Encodes the log's record.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        header(OP_IN_EXTENT, 0, 0, self.len, self.crc, &mut bytes);
        bytes.extend_from_slice(&self.offset.to_le_bytes());
        bytes
    }

    /// Whether a record does not hold the operations itself.
    pub(crate) fn is_named_by(payload: &[u8]) -> bool {
        payload.first() == Some(&OP_IN_EXTENT)
    }

    /// Reads back what [`InExtent::encode`] wrote.
    pub(crate) fn decode(payload: &[u8], at: u64) -> Result<Self, TopologyError> {
        let mut cursor = Cursor { bytes: payload, at };
        let header = Header::take(&mut cursor)?;
        let offset = cursor.column(1)?.first().copied();
        match offset.filter(|_| cursor.bytes.is_empty()) {
            Some(offset) => Ok(InExtent {
                offset,
                len: header.count,
                crc: header.extra,
            }),
            None => Err(cursor.damaged("a commit is longer than its counts say")),
        }
    }
}

/// Appends the encoding of `ops` to `bytes`.
pub fn encode(ops: &[Op], bytes: &mut Vec<u8>) {
    for op in ops {
        match op {
            Op::Insert(edges) => encode_edges(OP_INSERT, edges, bytes),
            Op::Delete(edges) => encode_edges(OP_DELETE, edges, bytes),
            Op::Vertices(count) => header(OP_VERTICES, 0, 0, *count, 0, bytes),
            Op::Meta { key, value } => {
                header(OP_META, 0, 0, value.len() as u64, key.len() as u32, bytes);
                bytes.extend_from_slice(key);
                bytes.extend_from_slice(value);
            }
            Op::Ids(ExternalIds::Numbers { first, ids }) => {
                header(OP_IDS, 0, 0, ids.len() as u64, *first, bytes);
                bytes.extend_from_slice(bytemuck::cast_slice(ids));
            }
            Op::Ids(ExternalIds::Texts {
                first,
                ends,
                bytes: text,
            }) => {
                header(OP_IDS, 1, 0, ends.len() as u64, *first, bytes);
                bytes.extend_from_slice(bytemuck::cast_slice(ends));
                bytes.extend_from_slice(text);
            }
            Op::CreateSnapshot { name, time_us } => {
                let columns = if time_us.is_some() { COLUMN_TIME } else { 0 };
                header(OP_CREATE_SNAPSHOT, columns, 0, name.len() as u64, 0, bytes);
                if let Some(time_us) = time_us {
                    bytes.extend_from_slice(&time_us.to_le_bytes());
                }
                bytes.extend_from_slice(name.as_bytes());
            }
            Op::DropSnapshot { name } => {
                header(OP_DROP_SNAPSHOT, 0, 0, name.len() as u64, 0, bytes);
                bytes.extend_from_slice(name.as_bytes());
            }
            Op::InsertRelationships(relationships) => {
                encode_relationships(OP_INSERT_RELATIONSHIPS, relationships, bytes);
            }
            Op::DeleteRelationships(relationships) => {
                encode_relationships(OP_DELETE_RELATIONSHIPS, relationships, bytes);
            }
            Op::Payload(payload) => {
                header(OP_PAYLOAD, 0, 0, payload.len() as u64, 0, bytes);
                bytes.extend_from_slice(payload);
            }
        }
        // Each operation starts aligned, so that columns can be read in place.
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
}

fn header(op: u8, columns: u8, kind: u16, count: u64, extra: u32, bytes: &mut Vec<u8>) {
    assert!(count < 1 << 48, "counts fit six bytes");
    debug_assert!(
        bytes.len().is_multiple_of(8),
        "an operation starts at a multiple of 8, not at {}",
        bytes.len()
    );
    bytes.extend_from_slice(&[op, columns]);
    bytes.extend_from_slice(&kind.to_le_bytes());
    bytes.extend_from_slice(&extra.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
}

fn encode_edges(op: u8, edges: &Edges, bytes: &mut Vec<u8>) {
    let columns = if edges.weights.is_empty() {
        0
    } else {
        COLUMN_WEIGHT
    };
    debug_assert!(
        edges.targets.len() == edges.sources.len()
            && [0, edges.sources.len()].contains(&edges.weights.len()),
        "columns of one length"
    );
    header(op, columns, 0, edges.sources.len() as u64, 0, bytes);
    bytes.extend_from_slice(bytemuck::cast_slice(&edges.sources));
    bytes.extend_from_slice(bytemuck::cast_slice(&edges.targets));
    bytes.extend_from_slice(bytemuck::cast_slice(&edges.weights));
}

fn encode_relationships(op: u8, relationships: &Relationships, bytes: &mut Vec<u8>) {
    let count = relationships.ids.len() as u64;
    debug_assert!(
        relationships.sources.len() == relationships.ids.len()
            && relationships.targets.len() == relationships.ids.len(),
        "columns of one length"
    );
    header(op, 0, relationships.kind, count, 0, bytes);
    bytes.extend_from_slice(bytemuck::cast_slice(&relationships.sources));
    bytes.extend_from_slice(bytemuck::cast_slice(&relationships.targets));
    bytes.extend_from_slice(bytemuck::cast_slice(&relationships.ids));
}

/// Reads back what [`encode`] wrote. `at` is where the record lies in the log,
/// for messages: a record whose checksum holds and that does not decode was
/// written by another program.
pub fn decode(payload: &[u8], at: u64) -> Result<Vec<Op>, TopologyError> {
    let mut cursor = Cursor { bytes: payload, at };
    let mut ops = Vec::new();
    while !cursor.bytes.is_empty() {
        let start = cursor.bytes.len();
        ops.push(decode_op(&mut cursor)?);
        let read = start - cursor.bytes.len();
        cursor.take(read.next_multiple_of(8) - read)?;
    }
    Ok(ops)
}

/// The vertices that a payload of `len` bytes gives ids to, by its head alone; `None` if
/// it is not one assignment that fills it. Its checksum is not looked at.
pub(crate) fn ids_in(
    len: usize,
    read: impl Fn(usize, &mut [u8]) -> Result<(), StorageError>,
) -> Result<Option<Range<usize>>, TopologyError> {
    let mut head = [0; OP_HEADER_BYTES];
    if len < head.len() {
        return Ok(None);
    }
    read(0, &mut head)?;
    let mut cursor = Cursor {
        bytes: &head,
        at: 0,
    };
    let Header {
        op,
        columns,
        extra,
        count,
        ..
    } = Header::take(&mut cursor)?;
    let room = ((len - head.len()) / if columns == 0 { 8 } else { 4 }) as u64;
    if op != OP_IDS || count == 0 || count > room {
        return Ok(None);
    }
    let (first, count) = (extra as usize, count as usize);
    let filled = match columns {
        0 => head.len() + 8 * count,
        _ => {
            let behind_ends = head.len() + 4 * count;
            let mut end = [0; 4];
            read(behind_ends - end.len(), &mut end)?;
            (behind_ends + u32::from_le_bytes(end) as usize).next_multiple_of(8)
        }
    };
    Ok((filled == len).then_some(first..first + count))
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], TopologyError> {
        if len > self.bytes.len() {
            return Err(self.damaged("a commit is shorter than its counts say"));
        }
        let (taken, rest) = self.bytes.split_at(len);
        self.bytes = rest;
        Ok(taken)
    }

    fn column<T: bytemuck::Pod>(&mut self, count: usize) -> Result<Vec<T>, TopologyError> {
        let len = count
            .checked_mul(size_of::<T>())
            .ok_or_else(|| self.damaged("a commit's count is impossible"))?;
        Ok(bytemuck::pod_collect_to_vec(self.take(len)?))
    }

    fn text(&mut self, len: usize) -> Result<String, TopologyError> {
        let text = std::str::from_utf8(self.take(len)?);
        let text = text.map_err(|_| self.damaged("the name of a snapshot is not UTF-8"))?;
        Ok(text.to_string())
    }

    fn damaged(&self, what: &str) -> TopologyError {
        StorageError::damaged("log", self.at, what).into()
    }
}

struct Header {
    op: u8,
    columns: u8,
    kind: u16,
    extra: u32,
    count: u64,
}

impl Header {
    #[inline]
    fn take(cursor: &mut Cursor<'_>) -> Result<Self, TopologyError> {
        let bytes = cursor.take(OP_HEADER_BYTES)?;
        Ok(Header {
            op: bytes[0],
            columns: bytes[1],
            kind: u16::from_le_bytes([bytes[2], bytes[3]]),
            extra: u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")),
            count: u64::from_le_bytes(bytes[8..16].try_into().expect("eight bytes")),
        })
    }
}

fn decode_op(cursor: &mut Cursor<'_>) -> Result<Op, TopologyError> {
    let Header {
        op,
        columns,
        kind,
        extra,
        count,
    } = Header::take(cursor)?;
    let n = usize::try_from(count).map_err(|_| cursor.damaged("a commit's count is impossible"))?;
    Ok(match op {
        OP_INSERT | OP_DELETE => {
            if kind != 0 {
                return Err(cursor.damaged("edges without types have one"));
            }
            let edges = Edges {
                sources: cursor.column(n)?,
                targets: cursor.column(n)?,
                weights: if columns & COLUMN_WEIGHT != 0 {
                    cursor.column(n)?
                } else {
                    Vec::new()
                },
            };
            if op == OP_INSERT {
                Op::Insert(edges)
            } else {
                Op::Delete(edges)
            }
        }
        OP_VERTICES => Op::Vertices(count),
        OP_META => Op::Meta {
            key: cursor.take(extra as usize)?.to_vec(),
            value: cursor.take(n)?.to_vec(),
        },
        OP_IDS if columns == 0 => Op::Ids(ExternalIds::Numbers {
            first: extra,
            ids: cursor.column(n)?,
        }),
        OP_IDS => {
            let ends: Vec<u32> = cursor.column(n)?;
            let len = ends.last().copied().unwrap_or(0) as usize;
            if ends.windows(2).any(|pair| pair[0] > pair[1]) {
                return Err(cursor.damaged("string ends are not ascending"));
            }
            Op::Ids(ExternalIds::Texts {
                first: extra,
                ends,
                bytes: cursor.take(len)?.to_vec(),
            })
        }
        OP_CREATE_SNAPSHOT => {
            let time_us = match columns & COLUMN_TIME {
                0 => None,
                _ => cursor.column(1)?.first().copied(),
            };
            Op::CreateSnapshot {
                name: cursor.text(n)?,
                time_us,
            }
        }
        OP_DROP_SNAPSHOT => Op::DropSnapshot {
            name: cursor.text(n)?,
        },
        OP_INSERT_RELATIONSHIPS | OP_DELETE_RELATIONSHIPS => {
            let relationships = Relationships {
                kind,
                sources: cursor.column(n)?,
                targets: cursor.column(n)?,
                ids: cursor.column(n)?,
            };
            match op {
                OP_INSERT_RELATIONSHIPS => Op::InsertRelationships(relationships),
                _ => Op::DeleteRelationships(relationships),
            }
        }
        OP_PAYLOAD => Op::Payload(cursor.take(n)?.to_vec()),
        _ => return Err(cursor.damaged("a commit has an operation this program does not know")),
    })
}
