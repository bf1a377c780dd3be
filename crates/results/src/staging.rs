//! Staging: state that is held in DRAM until it is written.
//!
//! The computation goes on as soon as its columns are copied here; a thread of its own
//! writes the copy. Blocks beyond the budget are written before the computation goes on.
//! The blocks with the most hot vertices are copied first (NVGraph's D, section III-A),
//! the others in the order of their vertices.

use evergraph_graph::VertexId;

/// The vertices whose state changes most, or is read most, as the caller knows them;
/// without any, blocks are staged in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hot {
    /// Ascending.
    vertices: Vec<VertexId>,
}

impl Hot {
    /// These vertices, in any order.
    pub fn new(mut vertices: Vec<VertexId>) -> Self {
        vertices.sort_unstable();
        vertices.dedup();
        Hot { vertices }
    }

    /// How many of the vertices `from..to` are hot.
    pub fn count(&self, from: u64, to: u64) -> usize {
        let before = |end: u64| self.vertices.partition_point(|&v| u64::from(v) < end);
        before(to) - before(from)
    }
}

/// Copies of blocks that wait to be written. Used again, it takes no new memory.
#[derive(Debug, Default)]
pub struct Staging {
    bytes: Vec<u8>,
    /// Column, block, and where its copy begins.
    places: Vec<(usize, usize, usize)>,
}

impl Staging {
    /// Forgets what it holds, not the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    pub(super) fn push(&mut self, column: usize, block: usize, bytes: &[u8]) {
        self.places.push((column, block, self.bytes.len()));
        self.bytes.extend_from_slice(bytes);
    }

    /// Column, block and content of each copy.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, usize, &[u8])> {
        let ends = self.places.iter().skip(1).map(|place| place.2);
        let ends = ends.chain([self.bytes.len()]);
        let pairs = self.places.iter().zip(ends);
        pairs.map(|(&(column, block, start), end)| (column, block, &self.bytes[start..end]))
    }

    /// Bytes that it holds.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_vertices_are_counted_by_range() {
        let hot = Hot::new(vec![9, 3, 4, 3]);
        assert_eq!(hot.count(0, 10), 3);
        assert_eq!(hot.count(4, 9), 1);
        assert_eq!(hot.count(5, 5), 0);
        assert_eq!(Hot::default().count(0, u64::MAX), 0);
    }

    #[test]
    fn copies_come_back_as_they_were() {
        let mut staging = Staging::default();
        staging.push(0, 2, b"ab");
        staging.push(1, 0, b"");
        staging.push(1, 7, b"cde");
        let found: Vec<_> = staging.blocks().collect();
        assert_eq!(found, [(0, 2, &b"ab"[..]), (1, 0, b""), (1, 7, b"cde")]);
        staging.clear();
        assert!(staging.is_empty() && staging.blocks().count() == 0);
    }
}
