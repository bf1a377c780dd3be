//! Reads a stored sealed graph in place, once its bytes are known to be what was
//! written.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use bytemuck::{Pod, cast_slice};
use evergraph_graph::{Array, Compressed, CompressedLists, Csr, CsrLists, StoredLists, Unsound};
use evergraph_storage::{Extent, StorageError};
use parking_lot::Mutex;
use rayon::prelude::*;

use super::format::{ArrayPlace, Column, Header, PIECE, piece_checksum};
use super::{SealedGraph, SealedInfo, described};
use crate::error::TopologyError;
use crate::volume::Volume;

/// Interval at which a caller that waits for another's verification asks whether it may
/// go on.
const PATIENCE: Duration = Duration::from_millis(10);

/// A sealed graph that a root names.
#[derive(Debug)]
pub(crate) struct Stored {
    header: Header,
    /// Of the header's arrays, in their order.
    extents: Vec<Arc<Extent>>,
    /// Once it has been verified.
    opened: Mutex<Option<SealedGraph>>,
}

impl Stored {
    /// Reader of the graph that a header names whose extents are `extents`.
    pub(crate) fn new(header: Header, extents: Vec<Arc<Extent>>) -> Self {
        Stored {
            header,
            extents,
            opened: Mutex::new(None),
        }
    }

    /// Claims the extents that a stored header names, of which nothing is read
    /// yet.
    pub(crate) fn claim(
        volume: &Volume,
        header_bytes: &[u8],
        offset: u64,
    ) -> Result<Self, StorageError> {
        let header = Header::decode(header_bytes, offset)?;
        let claim = |array: &ArrayPlace| {
            let extent = volume.region.adopt(array.offset, array.len)?;
            Ok(Arc::new(extent))
        };
        let extents: Result<_, StorageError> = header.arrays.iter().map(claim).collect();
        Ok(Stored::new(header, extents?))
    }

    pub(crate) fn info(&self) -> &SealedInfo {
        &self.header.info
    }

    /// As the directory keeps it.
    pub(crate) fn header_bytes(&self) -> Vec<u8> {
        self.header.encode()
    }

    pub(crate) fn extents(&self) -> &[Arc<Extent>] {
        &self.extents
    }

    /// Bytes of space that the arrays occupy.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.extents.iter().map(|e| e.reserved_bytes()).sum()
    }

    /// The graph. The first time since it was written or the database was opened,
    /// all of it is verified, in parallel: checksums, and that it is a graph. Asks
    /// `go_on` before each piece whose checksum is computed, and while another
    /// caller verifies; decoding the lists afterwards is not interrupted.
    pub(crate) fn open(
        &self,
        volume: &Volume,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<SealedGraph, TopologyError> {
        let mut opened = loop {
            if let Some(opened) = self.opened.try_lock_for(PATIENCE) {
                break opened;
            }
            if !go_on() {
                return Err(TopologyError::Cancelled);
            }
        };
        if let Some(graph) = &*opened {
            return Ok(graph.clone());
        }
        let graph = self.verify(volume, go_on)?;
        *opened = Some(graph.clone());
        Ok(graph)
    }

    /// Reads all of it, whether it was read before or not.
    pub(crate) fn verify(
        &self,
        volume: &Volume,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<SealedGraph, TopologyError> {
        for (array, extent) in self.header.arrays.iter().zip(&self.extents) {
            verify_pieces(volume, array, extent, go_on)?;
        }
        let none = |why: String| {
            let what = format!("the {} is none: {why}", self.info().name);
            let offset = self.header.arrays.first().map_or(0, |array| array.offset);
            StorageError::damaged(&volume.region.file_name(), offset, what)
        };
        let graph = self.assemble().map_err(|why| none(why.to_string()))?;
        let info = self.info();
        let found = described(&graph, info.name.clone(), info.csn, info.bytes);
        match found == *info {
            true => Ok(graph),
            false => Err(none("its counts are others".to_string()).into()),
        }
    }

    /// The graph over the arrays, as far as they are one.
    fn assemble(&self) -> Result<SealedGraph, Unsound> {
        let info = self.info();
        let both = info.direction == StoredLists::Both;
        Ok(match (info.block_edges, info.shape) {
            (Some(block_edges), Some(shape)) => {
                let graph = Compressed::from_lists(
                    info.vertex_count as usize,
                    info.direction,
                    shape,
                    block_edges as usize,
                    self.coded(0),
                    both.then(|| self.coded(1)),
                )?;
                SealedGraph::Compressed(Arc::new(graph))
            }
            (_, shape) => {
                let incoming = both.then(|| self.plain(1));
                let graph = Csr::from_lists(info.direction, shape, self.plain(0), incoming)?;
                SealedGraph::Plain(Arc::new(graph))
            }
        })
    }

    fn plain(&self, adjacency: u32) -> CsrLists {
        CsrLists {
            offsets: self.array(adjacency, Column::Offsets),
            neighbors: self.array(adjacency, Column::Neighbors),
            weights: self.array(adjacency, Column::Weights),
        }
    }

    fn coded(&self, adjacency: u32) -> CompressedLists {
        CompressedLists {
            places: self.array(adjacency, Column::Places),
            starts: self.array(adjacency, Column::Starts),
            bytes: self.array(adjacency, Column::Bytes),
            weight_starts: self.array(adjacency, Column::WeightStarts),
            weights: self.array(adjacency, Column::Weights),
        }
    }

    /// An array in place; empty if there is none, or no whole number of items.
    fn array<T: Pod + Send + Sync>(&self, adjacency: u32, column: Column) -> Array<T> {
        let mut arrays = self.header.arrays.iter().zip(&self.extents);
        let found =
            arrays.find(|(array, _)| array.adjacency == adjacency && array.column == column);
        match found {
            Some((array, extent)) if array.len.is_multiple_of(size_of::<T>() as u64) => {
                Array::shared(Arc::new(InPlace {
                    extent: Arc::clone(extent),
                    item: PhantomData,
                }))
            }
            _ => Array::default(),
        }
    }
}

/// The content of an extent as items. Extents start at multiples of 8 and memory
/// maps at multiples of a page.
struct InPlace<T> {
    extent: Arc<Extent>,
    item: PhantomData<fn() -> T>,
}

impl<T: Pod> AsRef<[T]> for InPlace<T> {
    fn as_ref(&self) -> &[T] {
        cast_slice(self.extent.bytes())
    }
}

fn verify_pieces(
    volume: &Volume,
    array: &ArrayPlace,
    extent: &Extent,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<(), TopologyError> {
    extent.touch()?;
    let pieces = extent.bytes().par_chunks(PIECE).zip(&array.pieces);
    pieces.enumerate().try_for_each(|(number, (bytes, &crc))| {
        if !go_on() {
            return Err(TopologyError::Cancelled);
        }
        let at = (number * PIECE) as u64;
        // Of a graph that is larger than memory, the next piece is fetched meanwhile.
        extent.prefetch_range(at + PIECE as u64, PIECE as u64);
        let offset = array.offset + at;
        if piece_checksum(&volume.uuid, offset, bytes) == crc {
            return Ok(());
        }
        let file = volume.region.file_name();
        let what = "a piece of a sealed graph has a wrong checksum";
        Err(StorageError::damaged(&file, offset, what).into())
    })
}
