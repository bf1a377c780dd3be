//! The bytes of a sealed graph's header (docs/storage-format.md).

use evergraph_graph::{Shape, StoredLists};
use evergraph_storage::layout::tiles;
use evergraph_storage::{StorageError, Uuid};

use super::{SealedInfo, SealedName};
use crate::section_format::seed;

/// Bytes that one checksum covers.
pub(crate) const PIECE: usize = 1 << 20;

const MAGIC: &[u8; 4] = b"ESEA";
/// Of the header and the arrays.
const FORMAT: u32 = 1;
const FIXED_BYTES: usize = 64;
const ARRAY_BYTES: usize = 24;

// Magic, format; csn, vertices, entries; lists, shape, weights, kind of name;
// block, bytes of the name, arrays, piece; zeros.
const _: () = assert!(tiles(
    &[
        (0, MAGIC.len()),
        (4, 4),
        (8, 8),
        (16, 8),
        (24, 8),
        (32, 1),
        (33, 1),
        (34, 1),
        (35, 1),
        (36, 4),
        (40, 4),
        (44, 4),
        (48, 4),
        (52, 12)
    ],
    FIXED_BYTES
));
// Direction, column, offset, bytes.
const _: () = assert!(tiles(&[(0, 4), (4, 4), (8, 8), (16, 8)], ARRAY_BYTES));
const _: () = assert!(PIECE.is_multiple_of(8), "no number lies in two pieces");
/// A name is no longer.
const MAX_NAME_BYTES: usize = 255;

/// Contents of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Column {
    Offsets = 1,
    Neighbors = 2,
    Weights = 3,
    Places = 4,
    Starts = 5,
    Bytes = 6,
    WeightStarts = 7,
}

impl Column {
    pub(super) const ALL: [Column; 7] = [
        Column::Offsets,
        Column::Neighbors,
        Column::Weights,
        Column::Places,
        Column::Starts,
        Column::Bytes,
        Column::WeightStarts,
    ];
}

/// One array of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArrayPlace {
    /// 0 for out-lists, 1 for in-lists.
    pub adjacency: u32,
    pub column: Column,
    /// Of its extent.
    pub offset: u64,
    /// Bytes; not 0.
    pub len: u64,
    /// Checksums of its pieces.
    pub pieces: Vec<u32>,
}

/// Header in the directory's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub info: SealedInfo,
    pub arrays: Vec<ArrayPlace>,
}

/// Checksum of a piece that begins at `offset` of the file.
pub(super) fn piece_checksum(uuid: &Uuid, offset: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(seed(uuid, offset), bytes)
}

impl Header {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let info = &self.info;
        let name = info.name.text().as_bytes();
        let mut bytes = Vec::with_capacity(FIXED_BYTES + name.len() + ARRAY_BYTES * 4);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        for count in [info.csn, info.vertex_count, info.arc_count] {
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        bytes.extend_from_slice(&[
            match info.direction {
                StoredLists::Undirected => 1,
                StoredLists::Out => 2,
                StoredLists::Both => 3,
            },
            match info.shape {
                None => 0,
                Some(Shape::Sorted) => 1,
                Some(Shape::Simple) => 2,
                Some(Shape::Symmetric) => 3,
            },
            u8::from(info.weighted),
            u8::from(matches!(info.name, SealedName::Snapshot(_))),
        ]);
        let piece = PIECE as u32;
        let lens = [name.len() as u32, self.arrays.len() as u32, piece];
        for number in [info.block_edges.unwrap_or(0)].into_iter().chain(lens) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        debug_assert!(bytes.len() <= FIXED_BYTES, "the rest is zero, not cut off");
        bytes.resize(FIXED_BYTES, 0);
        bytes.extend_from_slice(name);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        for array in &self.arrays {
            debug_assert!(
                array.pieces.len() as u64 == array.len.div_ceil(PIECE as u64) && array.len > 0,
                "a checksum for each piece of {} bytes",
                array.len
            );
            bytes.extend_from_slice(&array.adjacency.to_le_bytes());
            bytes.extend_from_slice(&(array.column as u32).to_le_bytes());
            bytes.extend_from_slice(&array.offset.to_le_bytes());
            bytes.extend_from_slice(&array.len.to_le_bytes());
            bytes.extend_from_slice(bytemuck::cast_slice(&array.pieces));
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytes
    }

    /// Reads a header whose checksum holds; `offset` is where it lies.
    pub(crate) fn decode(bytes: &[u8], offset: u64) -> Result<Self, StorageError> {
        let mut reader = Reader { bytes };
        let damaged = |what| StorageError::damaged("extents", offset, what);
        if reader.take(4) != Some(MAGIC) || reader.u32() != Some(FORMAT) {
            return Err(damaged("a sealed graph is of a kind that is not known"));
        }
        let header = reader.header();
        let header = header.filter(|_| reader.bytes.is_empty());
        header.ok_or_else(|| damaged("the header of a sealed graph does not hold"))
    }
}

/// Takes numbers off the front.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.bytes.split_off(..count)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// Fields behind magic and format.
    fn header(&mut self) -> Option<Header> {
        let (csn, vertex_count, arc_count) = (self.u64()?, self.u64()?, self.u64()?);
        let &[direction, shape, weighted, of_snapshot] = self.take(4)? else {
            return None;
        };
        let block_edges = self.u32()?;
        let (name_len, array_count) = (self.u32()? as usize, self.u32()?);
        if self.u32()? as usize != PIECE || name_len > MAX_NAME_BYTES {
            return None;
        }
        self.take(FIXED_BYTES - 52)?;
        let name = self.take(name_len.next_multiple_of(8))?.get(..name_len)?;
        let name = String::from_utf8(name.to_vec()).ok()?;
        let arrays: Option<Vec<ArrayPlace>> = (0..array_count).map(|_| self.array()).collect();
        let arrays = arrays?;
        let bytes = arrays.iter().map(|array| array.len).sum();
        let info = SealedInfo {
            name: match of_snapshot {
                0 => SealedName::Own(name),
                1 => SealedName::Snapshot(name),
                _ => return None,
            },
            csn,
            vertex_count,
            arc_count,
            direction: match direction {
                1 => StoredLists::Undirected,
                2 => StoredLists::Out,
                3 => StoredLists::Both,
                _ => return None,
            },
            shape: match shape {
                0 => None,
                1 => Some(Shape::Sorted),
                2 => Some(Shape::Simple),
                3 => Some(Shape::Symmetric),
                _ => return None,
            },
            weighted: weighted != 0,
            block_edges: (block_edges > 0).then_some(block_edges),
            bytes,
        };
        Some(Header { info, arrays })
    }

    fn array(&mut self) -> Option<ArrayPlace> {
        let (adjacency, column) = (self.u32()?, self.u32()?);
        let (offset, len) = (self.u64()?, self.u64()?);
        let column = Column::ALL.into_iter().find(|&c| c as u32 == column)?;
        let count = usize::try_from(len).ok()?.div_ceil(PIECE);
        let padded = count.checked_mul(4)?.checked_next_multiple_of(8)?;
        let pieces = self.take(padded)?.chunks_exact(4).take(count);
        let pieces = pieces.map(|crc| u32::from_le_bytes(crc.try_into().expect("four bytes")));
        (adjacency < 2 && len > 0).then(|| ArrayPlace {
            adjacency,
            column,
            offset,
            len,
            pieces: pieces.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header() -> Header {
        let array = |adjacency, column, pieces: &[u32]| ArrayPlace {
            adjacency,
            column,
            offset: 4096,
            len: (pieces.len() * PIECE - 5) as u64,
            pieces: pieces.to_vec(),
        };
        let arrays = vec![
            array(0, Column::Places, &[7]),
            array(1, Column::Bytes, &[1, 2, 3]),
        ];
        Header {
            info: SealedInfo {
                name: SealedName::Snapshot("May 2016".to_string()),
                csn: 12,
                vertex_count: 5,
                arc_count: 9,
                direction: StoredLists::Both,
                shape: Some(Shape::Simple),
                weighted: true,
                block_edges: Some(64),
                bytes: arrays.iter().map(|array| array.len).sum(),
            },
            arrays,
        }
    }

    #[test]
    fn headers_are_read_back() {
        let header = header();
        assert_eq!(Header::decode(&header.encode(), 0).unwrap(), header);
        let mut plain = header;
        plain.info.name = SealedName::Own("x".to_string());
        plain.info.shape = None;
        plain.info.block_edges = None;
        assert_eq!(Header::decode(&plain.encode(), 0).unwrap(), plain);
    }

    proptest! {
        #[test]
        fn other_bytes_are_an_error_or_a_header(
            at in any::<prop::sample::Index>(),
            value in any::<u8>(),
            len in any::<prop::sample::Index>(),
        ) {
            let mut bytes = header().encode();
            let at = at.index(bytes.len());
            bytes[at] = value;
            let _ = Header::decode(&bytes, 0);
            bytes.truncate(len.index(bytes.len()));
            prop_assert!(Header::decode(&bytes, 0).is_err());
        }
    }
}
