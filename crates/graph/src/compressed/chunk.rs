//! The lists of consecutive vertices as bytes.
//!
//! A list is, one after another:
//!
//! - its degree ([`code::put_degree`]);
//! - of a list of k > 1 blocks, k − 1 numbers of 4 bytes: where the second block
//!   and those after it begin, counted from the list's start;
//! - its blocks ([`code::put_block`]).
//!
//! Places are counted in units of `2^shift` bytes, which lists and blocks are
//! padded to. A unit is one byte but for a chunk that could become larger than
//! 4 GiB.

use std::ops::{ControlFlow, Range};

use super::code;
use crate::seal::Part;
use crate::{VertexId, Weight};

/// Neighbors that are encoded between two checks.
const CHECK_EDGES: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chunk {
    shift: u32,
    /// Start of each list.
    starts: Vec<u32>,
    bytes: Vec<u8>,
    arc_count: u64,
    /// Of a graph with weights where each list starts in `weights`.
    weight_starts: Vec<u64>,
    weights: Vec<Weight>,
}

impl Chunk {
    /// The lists of `part`, which are sorted.
    pub(super) fn of<E>(
        part: &Part<'_>,
        block_edges: usize,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<Self, E> {
        let arc_count = part.ends.last().copied().unwrap_or(0);
        let shift = shift(part.ends.len() as u64, arc_count, block_edges as u64);
        Self::with_unit(shift, part, block_edges, check)
    }

    fn with_unit<E>(
        shift: u32,
        part: &Part<'_>,
        block_edges: usize,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<Self, E> {
        let arc_count = part.ends.last().copied().unwrap_or(0);
        let mut chunk = Self {
            shift,
            starts: Vec::with_capacity(part.ends.len()),
            bytes: Vec::new(),
            arc_count,
            weight_starts: Vec::new(),
            weights: Vec::new(),
        };
        let mut start = 0;
        for (v, &end) in (part.first..).zip(&*part.ends) {
            let list = &part.neighbors[start..end as usize];
            let place = chunk.place() as u32;
            chunk.starts.push(place);
            chunk.put_list(v, list, block_edges, check)?;
            start = end as usize;
        }
        // Decoding a block's last number loads so many bytes, which must exist.
        chunk.bytes.extend([0; code::BEHIND]);
        chunk.bytes.shrink_to_fit();
        if !part.weights.is_empty() {
            chunk.weight_starts = std::iter::once(0)
                .chain(part.ends.iter().copied())
                .take(part.ends.len())
                .collect();
            chunk.weights = part.weights[..arc_count as usize].to_vec();
        }
        Ok(chunk)
    }

    fn put_list<E>(
        &mut self,
        v: VertexId,
        list: &[VertexId],
        block_edges: usize,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let list_start = self.place();
        code::put_degree(list.len(), &mut self.bytes);
        let table = self.bytes.len();
        let block_count = list.len().div_ceil(block_edges);
        let table_len = 4 * block_count.saturating_sub(1);
        self.bytes.resize(table + table_len, 0);
        for (number, block) in list.chunks(block_edges).enumerate() {
            if number % CHECK_EDGES.div_ceil(block_edges) == 0 {
                check()?;
            }
            if number > 0 {
                let place = (self.place() - list_start) as u32;
                let entry = table + 4 * (number - 1);
                self.bytes[entry..entry + 4].copy_from_slice(&place.to_le_bytes());
            }
            code::put_block(v, block, &mut self.bytes);
        }
        Ok(())
    }

    /// Pads the bytes to a whole unit; returns the start of the next list or block, in
    /// units.
    fn place(&mut self) -> usize {
        let units = self.bytes.len().div_ceil(1 << self.shift);
        self.bytes.resize(units << self.shift, 0);
        units
    }

    pub(super) fn size_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.starts[..])
            + self.bytes.len()
            + size_of_val(&self.weight_starts[..])
            + size_of_val(&self.weights[..])
    }

    /// The list of the vertex at `at`.
    #[inline]
    pub(super) fn list(&self, at: usize) -> List<'_> {
        List::of(self.shift, &self.starts, &self.bytes, at)
    }

    pub(super) fn as_part(&self) -> CompressedChunk<'_> {
        CompressedChunk {
            shift: self.shift,
            arc_count: self.arc_count,
            starts: &self.starts,
            bytes: &self.bytes,
            weight_starts: &self.weight_starts,
            weights: &self.weights,
        }
    }
}

/// The coded lists of up to 1,024 vertices that follow each other, wherever they
/// lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressedChunk<'a> {
    /// Starts of lists and blocks count units of `2^shift` bytes.
    pub shift: u32,
    /// Entries of all lists.
    pub arc_count: u64,
    /// Start of each list in `bytes`.
    pub starts: &'a [u32],
    /// The lists.
    pub bytes: &'a [u8],
    /// Start of each list in `weights`; empty in a graph without.
    pub weight_starts: &'a [u64],
    /// One for each entry.
    pub weights: &'a [Weight],
}

impl<'a> CompressedChunk<'a> {
    /// The list of the vertex at `at`.
    #[inline]
    pub(super) fn list(&self, at: usize) -> List<'a> {
        List::of(self.shift, self.starts, self.bytes, at)
    }

    /// The weights of the vertex at `at`, for those `positions` of its list.
    pub(super) fn weights(&self, at: usize, positions: Range<usize>) -> &'a [Weight] {
        match self.weight_starts.get(at) {
            None => &[],
            Some(&start) => {
                let start = start as usize;
                &self.weights[start + positions.start..start + positions.end]
            }
        }
    }
}

/// A coded list, and whatever follows it in its chunk.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    shift: u32,
    bytes: &'a [u8],
}

impl<'a> List<'a> {
    #[inline]
    fn of(shift: u32, starts: &[u32], bytes: &'a [u8], at: usize) -> Self {
        let bytes = &bytes[(starts[at] as usize) << shift..];
        Self { shift, bytes }
    }

    /// How many neighbors it has.
    #[inline]
    pub(super) fn degree(&self) -> usize {
        code::degree(self.bytes).0
    }

    /// Calls `visit` with the neighbors at those of `positions` that exist, block
    /// by block, and their positions. `v` is the vertex; `decoded` has room for one
    /// block.
    #[inline]
    pub(super) fn for_each_block(
        &self,
        v: VertexId,
        positions: Range<usize>,
        decoded: &mut [VertexId],
        mut visit: impl FnMut(&[VertexId], Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let list = self.bytes;
        let (degree, table) = code::degree(list);
        let end = positions.end.min(degree);
        if positions.start >= end {
            return ControlFlow::Continue(());
        }
        let block_edges = decoded.len();
        if degree <= block_edges {
            let neighbors = &mut decoded[..degree];
            code::block(v, &list[table..], neighbors);
            return visit(&neighbors[positions.start..end], positions.start..end);
        }
        let first_block = table + 4 * (degree.div_ceil(block_edges) - 1);
        for block in positions.start / block_edges..end.div_ceil(block_edges) {
            let place = match block {
                0 => first_block,
                _ => code::word(list, table + 4 * (block - 1)) << self.shift,
            };
            let first = block * block_edges;
            let neighbors = &mut decoded[..(degree - first).min(block_edges)];
            code::block(v, &list[place..], neighbors);
            let part = positions.start.max(first)..end.min(first + neighbors.len());
            visit(&neighbors[part.start - first..part.end - first], part)?;
        }
        ControlFlow::Continue(())
    }
}

/// The unit with which the places in a chunk of so many lists fit 4 bytes.
fn shift(list_count: u64, arc_count: u64, block_edges: u64) -> u32 {
    let starts = 2 * list_count + arc_count / block_edges;
    let at_most = |shift: u32| 16 * list_count + 9 * arc_count + (starts << shift);
    let fits = |&shift: &u32| at_most(shift) >> shift <= u64::from(u32::MAX);
    (0..30).find(fits).unwrap_or(30)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn units_grow_only_with_chunks_of_gigabytes() {
        assert_eq!(shift(1024, 400 << 20, 64), 0);
        assert_eq!(shift(1024, 1 << 30, 64), 2);
        assert!(shift(1024, 1 << 36, 64) < 30);
    }

    #[test]
    fn padded_lists_and_blocks_are_found() {
        let mut neighbors: Vec<VertexId> = (0..1000).map(|v| v * v).collect();
        let part = Part {
            first: 7,
            ends: &mut [3, 3, 1000],
            neighbors: &mut neighbors,
            weights: &mut [],
        };
        let go_on = || Ok::<(), Infallible>(());
        let Ok(chunk) = Chunk::with_unit(4, &part, 8, &go_on);
        let mut read = vec![];
        for (v, at) in [(7, 0), (8, 1), (9, 2)] {
            let _ = chunk
                .list(at)
                .for_each_block(v, 0..usize::MAX, &mut [0; 8], |block, _| {
                    read.extend_from_slice(block);
                    ControlFlow::Continue(())
                });
        }
        assert_eq!(read, neighbors);
    }
}
