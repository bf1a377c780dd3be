//! A sealed graph of about half the bytes of a [`Csr`]: sorted lists as
//! differences, in blocks that can be decoded one by one.
//!
//! Each list is its degree and then blocks of, say, 64 neighbors; of a list of
//! several blocks the places of the others come first, so that tasks can share a
//! hub, and a reader can begin in its middle. The first neighbor of a block is
//! coded by its difference from the list's vertex, each of the others from the
//! one before; [`code`] says how. Vertices are divided into chunks of
//! [`CHUNK_VERTICES`], each with bytes of its own, which one task makes from the
//! graph and which never have to be joined.
//!
//! Sources: Shun, Dhulipala and Blelloch, "Smaller and Faster: Parallel Processing
//! of Compressed Graphs with Ligra+", DCC 2015 (differences, first from the
//! vertex); Dhulipala et al., "Sage", VLDB 2020, section 2 and appendix D.1
//! (parallel blocks, of 64 edges).

mod chunk;
mod code;
mod joined;
mod verify;

use std::ops::{ControlFlow, Range};

use crate::seal::{Adjacency, CHUNK_VERTICES, Part, chunks, map_each, measure};
use crate::{Csr, Graph, NeighborReader, Shape, StoredLists, Symmetric, VertexId, Weight};
pub use chunk::CompressedChunk;
use chunk::{Chunk, List};
pub use joined::CompressedLists;
use joined::Joined;

/// A sealed graph: for each direction kept 5 bytes a vertex and, on most graphs, 1.5 to 3
/// an arc; with weights 8 bytes a vertex and 4 an arc more. In DRAM, except for arrays
/// with another owner ([`Array`](crate::Array)).
#[derive(Clone, Debug, PartialEq)]
pub struct Compressed {
    vertex_count: usize,
    direction: StoredLists,
    shape: Shape,
    weighted: bool,
    block_edges: usize,
    out: Lists,
    /// Only for [`StoredLists::Both`].
    incoming: Option<Lists>,
}

/// The lists of one direction: as they were coded, chunk by chunk, or in joined
/// arrays.
#[derive(Clone, Debug, PartialEq)]
enum Lists {
    Chunks(Vec<Chunk>),
    Joined(CompressedLists),
}

impl Compressed {
    /// Neighbors of a block, where there is no reason for another number: less
    /// would need more bytes, more would have to be decoded for nothing where
    /// single blocks are read.
    pub const BLOCK_EDGES: usize = 64;

    /// A sorted, compressed copy of `graph`, the same for any number of threads
    /// and any order of its lists. Blocks are of `block_edges` neighbors.
    ///
    /// Work O(m log n), parallel over vertices. DRAM beside the result: for each
    /// task what a [`Csr`] of its 1,024 vertices takes, and as for [`Csr::seal`]
    /// for its longest list. A graph of out-lists alone becomes a [`Csr`] first
    /// when it is to be symmetric.
    ///
    /// # Errors
    /// The first that `check` gives; it is asked at least every 50 ms.
    ///
    /// # Panics
    /// If `block_edges` is 0, or more than 2^20.
    pub fn seal<G: Graph, E: Send>(
        graph: &G,
        shape: Shape,
        block_edges: usize,
        check: &(dyn Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        assert!(
            (1..=verify::MAX_BLOCK_EDGES).contains(&block_edges),
            "a block holds 1 to 2^20 neighbors"
        );
        let simple = shape.is_simple();
        let read = |adjacency| encode(graph, adjacency, simple, block_edges, check);
        let (out, incoming) = match (shape, Symmetric::of(graph)) {
            (Shape::Symmetric, Some(both)) => (
                encode(&both, Adjacency::Out, simple, block_edges, check)?,
                None,
            ),
            (Shape::Symmetric, None) => {
                let csr = Csr::seal(graph, shape, check)?;
                (
                    encode(&csr, Adjacency::Out, simple, block_edges, check)?,
                    None,
                )
            }
            _ if graph.stored_lists() == StoredLists::Both => {
                (read(Adjacency::Out)?, Some(read(Adjacency::In)?))
            }
            _ => (read(Adjacency::Out)?, None),
        };
        Ok(Self {
            vertex_count: graph.vertex_count(),
            direction: shape.direction(graph.stored_lists()),
            shape,
            weighted: graph.is_weighted(),
            block_edges,
            out,
            incoming,
        })
    }

    /// DRAM that the graph takes.
    pub fn size_bytes(&self) -> usize {
        let adjacencies = std::iter::once(&self.out).chain(&self.incoming);
        adjacencies.map(Lists::size_bytes).sum()
    }

    /// Edges of its lists that it keeps.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Neighbors of a block.
    pub fn block_edges(&self) -> usize {
        self.block_edges
    }

    /// The coded out-lists, in order of their vertices.
    pub fn out_chunks(&self) -> impl Iterator<Item = CompressedChunk<'_>> {
        self.out.chunks(self.vertex_count)
    }

    /// The coded in-lists, where they are kept beside the out-lists.
    pub fn in_chunks(&self) -> Option<impl Iterator<Item = CompressedChunk<'_>>> {
        let incoming = self.incoming.as_ref()?;
        Some(incoming.chunks(self.vertex_count))
    }

    fn read<'a>(&self, lists: &'a Lists) -> CompressedReader<'a> {
        CompressedReader {
            chunks: lists.view(),
            vertex_count: self.vertex_count,
            block: vec![0; self.block_edges],
        }
    }
}

impl Lists {
    fn size_bytes(&self) -> usize {
        match self {
            Lists::Chunks(chunks) => chunks.iter().map(Chunk::size_bytes).sum(),
            Lists::Joined(lists) => lists.size_bytes(),
        }
    }

    #[inline]
    fn view(&self) -> Chunks<'_> {
        match self {
            Lists::Chunks(chunks) => Chunks::Apart(chunks),
            Lists::Joined(lists) => Chunks::Joined(lists.view()),
        }
    }

    fn chunks(&self, vertex_count: usize) -> impl Iterator<Item = CompressedChunk<'_>> {
        let view = self.view();
        (0..vertex_count.div_ceil(CHUNK_VERTICES)).map(move |number| view.chunk(number))
    }
}

/// The chunks of a graph: each in buffers of its own, or all in common arrays.
#[derive(Clone, Copy, Debug)]
enum Chunks<'a> {
    Apart(&'a [Chunk]),
    Joined(Joined<'a>),
}

impl<'a> Chunks<'a> {
    fn chunk(&self, number: usize) -> CompressedChunk<'a> {
        match self {
            Chunks::Apart(chunks) => chunks[number].as_part(),
            Chunks::Joined(joined) => joined.chunk(number),
        }
    }

    /// One list, without making a chunk of what is not asked for.
    #[inline]
    fn list(&self, number: usize, at: usize) -> List<'a> {
        match self {
            Chunks::Apart(chunks) => chunks[number].list(at),
            Chunks::Joined(joined) => joined.chunk(number).list(at),
        }
    }
}

/// Encodes the lists of one adjacency.
fn encode<G: Graph, E: Send>(
    graph: &G,
    adjacency: Adjacency,
    simple: bool,
    block_edges: usize,
    check: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<Lists, E> {
    let n = graph.vertex_count();
    let weighted = graph.is_weighted();
    let encoded = map_each(chunks(n), &|vertices| {
        let mut ends = vec![0; vertices.len()];
        let len = measure(graph, adjacency, vertices.start, &mut ends);
        let mut neighbors = vec![0; len];
        let mut weights = vec![0.0; if weighted { len } else { 0 }];
        let mut part = Part {
            first: vertices.start,
            ends: &mut ends,
            neighbors: &mut neighbors,
            weights: &mut weights,
        };
        part.fill(graph, adjacency, check)?;
        part.tidy(n, simple, check)?;
        Chunk::of(&part, block_edges, check)
    });
    encoded.map(Lists::Chunks)
}

impl Graph for Compressed {
    type Reader<'a> = CompressedReader<'a>;

    fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    fn arc_count(&self) -> u64 {
        self.out_chunks().map(|chunk| chunk.arc_count).sum()
    }

    fn stored_lists(&self) -> StoredLists {
        self.direction
    }

    fn is_sorted(&self) -> bool {
        true
    }

    fn is_simple(&self) -> bool {
        self.shape.is_simple()
    }

    fn is_weighted(&self) -> bool {
        self.weighted
    }

    fn reader(&self) -> CompressedReader<'_> {
        self.read(&self.out)
    }

    fn reverse_reader(&self) -> Option<CompressedReader<'_>> {
        match self.direction {
            StoredLists::Undirected => Some(self.read(&self.out)),
            StoredLists::Out | StoredLists::Both => {
                self.incoming.as_ref().map(|lists| self.read(lists))
            }
        }
    }
}

/// Reads the lists of a [`Compressed`] graph: each block is a segment.
#[derive(Clone, Debug)]
pub struct CompressedReader<'a> {
    chunks: Chunks<'a>,
    vertex_count: usize,
    /// The neighbors of the block that was decoded last.
    block: Vec<VertexId>,
}

impl<'a> CompressedReader<'a> {
    #[inline]
    fn list(&self, v: VertexId) -> List<'a> {
        let (chunk, at) = self.place(v);
        self.chunks.list(chunk, at)
    }

    /// The number of the vertex' chunk, and its place in it.
    #[inline]
    fn place(&self, v: VertexId) -> (usize, usize) {
        assert!((v as usize) < self.vertex_count, "vertex {v} exists");
        (v as usize / CHUNK_VERTICES, v as usize % CHUNK_VERTICES)
    }
}

impl NeighborReader for CompressedReader<'_> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        self.list(v).degree()
    }

    #[inline]
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (number, at) = self.place(v);
        if !WEIGHTED {
            let list = self.chunks.list(number, at);
            return list.for_each_block(v, positions, &mut self.block, |neighbors, _| {
                visit(neighbors, &[])
            });
        }
        let chunk = self.chunks.chunk(number);
        let list = chunk.list(at);
        list.for_each_block(v, positions, &mut self.block, |neighbors, positions| {
            visit(neighbors, chunk.weights(at, positions))
        })
    }
}
