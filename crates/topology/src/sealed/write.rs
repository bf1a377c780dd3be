//! Writes the arrays of a sealed graph, piece by piece.

use std::sync::Arc;

use bytemuck::cast_slice;
use evergraph_graph::{Compressed, CompressedChunk, CompressedLists, Csr};
use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Extent, Medium, StorageError};

use super::format::{ArrayPlace, Column, Header, PIECE, piece_checksum};
use super::{SealedGraph, SealedName, described};
use crate::error::TopologyError;
use crate::volume::Volume;

/// A sealed graph on its way: written, and neither durable nor published.
pub(crate) struct Written {
    pub header: Header,
    pub extents: Vec<Arc<Extent>>,
    pub flushed: Flushed<()>,
}

/// An array before it is written: slices that follow each other.
struct Source<'a> {
    adjacency: u32,
    column: Column,
    parts: Vec<&'a [u8]>,
}

impl Source<'_> {
    fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }
}

/// Durability step S1: writes the arrays of `graph` to extents that nothing names
/// yet. `go_on` is called before each piece with the bytes that are written, and
/// all of them; if it says no, the space is free again.
pub(crate) fn write(
    volume: &Volume,
    name: SealedName,
    csn: u64,
    graph: &SealedGraph,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Written, TopologyError> {
    let places: Vec<Vec<u64>> = match graph {
        SealedGraph::Plain(_) => Vec::new(),
        SealedGraph::Compressed(graph) => adjacencies(graph).map(places).collect(),
    };
    let mut sources = match graph {
        SealedGraph::Plain(graph) => plain_sources(graph),
        SealedGraph::Compressed(graph) => coded_sources(graph, &places),
    };
    sources.retain(|source| source.len() > 0);
    let total = sources.iter().map(Source::len).sum();
    let mut writer = Writer {
        volume,
        go_on,
        total,
        done: 0,
        flushed: Vec::new(),
    };
    let (mut arrays, mut extents) = (Vec::new(), Vec::new());
    for source in &sources {
        let (place, extent) = writer.write_array(source)?;
        arrays.push(place);
        extents.push(extent);
    }
    let info = described(graph, name, csn, total);
    Ok(Written {
        header: Header { info, arrays },
        extents,
        flushed: Flushed::all(writer.flushed).map(|_| ()),
    })
}

fn plain_sources(graph: &Csr) -> Vec<Source<'_>> {
    let adjacencies = [Some(graph.out_lists()), graph.in_lists()];
    let mut sources = Vec::new();
    for (adjacency, lists) in (0..).zip(adjacencies.into_iter().flatten()) {
        let columns: [(Column, &[u8]); 3] = [
            (Column::Offsets, cast_slice(&lists.offsets)),
            (Column::Neighbors, cast_slice(&lists.neighbors)),
            (Column::Weights, cast_slice(&lists.weights)),
        ];
        sources.extend(columns.map(|(column, part)| Source {
            adjacency,
            column,
            parts: vec![part],
        }));
    }
    sources
}

/// The chunks of each direction.
fn adjacencies(graph: &Compressed) -> impl Iterator<Item = Vec<CompressedChunk<'_>>> {
    let incoming = graph.in_chunks().map(Iterator::collect);
    [Some(graph.out_chunks().collect()), incoming]
        .into_iter()
        .flatten()
}

/// See [`CompressedLists::places`].
fn places(chunks: Vec<CompressedChunk<'_>>) -> Vec<u64> {
    let mut places = Vec::with_capacity((chunks.len() + 1) * CompressedLists::PLACE_WORDS);
    let (mut bytes, mut arcs) = (0, 0);
    for chunk in &chunks {
        places.extend([bytes, arcs, u64::from(chunk.shift)]);
        bytes += chunk.bytes.len() as u64;
        arcs += chunk.arc_count;
    }
    places.extend([bytes, arcs, 0]);
    places
}

fn coded_sources<'a>(graph: &'a Compressed, places: &'a [Vec<u64>]) -> Vec<Source<'a>> {
    let mut sources = Vec::new();
    for ((adjacency, chunks), places) in (0..).zip(adjacencies(graph)).zip(places) {
        let mut push = |column, parts| {
            sources.push(Source {
                adjacency,
                column,
                parts,
            });
        };
        let of = |part: fn(&CompressedChunk<'a>) -> &'a [u8]| chunks.iter().map(part).collect();
        push(Column::Places, vec![cast_slice(places)]);
        push(Column::Starts, of(|chunk| cast_slice(chunk.starts)));
        push(Column::Bytes, of(|chunk| chunk.bytes));
        if chunks.iter().any(|chunk| !chunk.weights.is_empty()) {
            push(
                Column::WeightStarts,
                of(|chunk| cast_slice(chunk.weight_starts)),
            );
            push(Column::Weights, of(|chunk| cast_slice(chunk.weights)));
        }
    }
    sources
}

struct Writer<'a> {
    volume: &'a Volume,
    go_on: &'a mut dyn FnMut(u64, u64) -> bool,
    total: u64,
    done: u64,
    flushed: Vec<Flushed<()>>,
}

impl Writer<'_> {
    fn write_array(
        &mut self,
        source: &Source<'_>,
    ) -> Result<(ArrayPlace, Arc<Extent>), TopologyError> {
        let draft = self.volume.region.allocate(source.len())?;
        let extent = draft.unfilled();
        let mut place = ArrayPlace {
            adjacency: source.adjacency,
            column: source.column,
            offset: extent.offset(),
            len: source.len(),
            pieces: Vec::new(),
        };
        // Rest of the parts before, less than a piece.
        let mut waiting: Vec<u8> = Vec::new();
        for mut part in source.parts.iter().copied() {
            while waiting.len() + part.len() >= PIECE {
                let missing = part
                    .split_off(..PIECE - waiting.len())
                    .expect("long enough");
                if waiting.is_empty() {
                    self.write_piece(&extent, missing, &mut place.pieces)?;
                } else {
                    waiting.extend_from_slice(missing);
                    self.write_piece(&extent, &waiting, &mut place.pieces)?;
                    waiting.clear();
                }
            }
            waiting.extend_from_slice(part);
        }
        if !waiting.is_empty() {
            self.write_piece(&extent, &waiting, &mut place.pieces)?;
        }
        Ok((place, Arc::new(extent)))
    }

    fn write_piece(
        &mut self,
        extent: &Extent,
        bytes: &[u8],
        checksums: &mut Vec<u32>,
    ) -> Result<(), TopologyError> {
        if !(self.go_on)(self.done, self.total) {
            return Err(TopologyError::Cancelled);
        }
        let at = (checksums.len() * PIECE) as u64;
        let offset = extent.offset() + at;
        checksums.push(piece_checksum(&self.volume.uuid, offset, bytes));
        if failpoint!("sealed.pieces-not-flushed") {
            self.write_without_flush(offset, bytes)?;
        } else {
            self.flushed.push(extent.write_pieces(&[(at, bytes)])?);
        }
        self.done += bytes.len() as u64;
        Ok(())
    }

    /// Mutant: writes and does not flush.
    fn write_without_flush(&self, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        Ok(self.volume.region.medium().write(offset, bytes)?)
    }
}
