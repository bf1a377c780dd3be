//! Some of the vertices, by chance: sources to estimate with, and orders.

use evergraph_graph::VertexId;
use evergraph_graph::random::{Random, split_mix};

/// `count` of the vertices `0..vertex_count`, all if there are no more, each set
/// of them equally likely; ascending. The same for the same seed. Work O(n).
///
/// Source: Knuth, "The Art of Computer Programming", volume 2, algorithm S.
pub fn sample_vertices(vertex_count: usize, count: usize, seed: u64) -> Vec<VertexId> {
    let mut random = Random::new(seed);
    let mut chosen = Vec::with_capacity(count.min(vertex_count));
    for v in 0..vertex_count {
        let wanted = count.min(vertex_count) - chosen.len();
        if wanted == 0 {
            break;
        }
        if random.below((vertex_count - v) as u64) < wanted as u64 {
            chosen.push(v as VertexId);
        }
    }
    chosen
}

/// A random order of the vertices `0..vertex_count` that takes no memory.
///
/// A bijection of the numbers below a power of two, by multiplications with odd
/// numbers and shifts; numbers that are no vertices are sent on until they are.
#[derive(Clone, Debug)]
pub(crate) struct RandomOrder {
    vertex_count: u64,
    mask: u64,
    shift: u32,
    steps: [(u64, u64); 4],
}

impl RandomOrder {
    pub(crate) fn new(vertex_count: usize, seed: u64) -> Self {
        let bits = usize::BITS - vertex_count.saturating_sub(1).leading_zeros();
        let mut state = seed;
        Self {
            vertex_count: vertex_count as u64,
            mask: (1 << bits) - 1,
            shift: bits.div_ceil(2),
            steps: std::array::from_fn(|_| (split_mix(&mut state) | 1, split_mix(&mut state))),
        }
    }

    /// The vertex at a position below the vertex count.
    #[inline]
    pub(crate) fn vertex_at(&self, position: usize) -> VertexId {
        let mut x = position as u64;
        loop {
            for (factor, addend) in self.steps {
                x = x.wrapping_mul(factor).wrapping_add(addend) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.vertex_count {
                return x as VertexId;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_and_as_many_as_wanted() {
        for (n, count) in [(0, 3), (1, 1), (5, 9), (100, 0), (100, 7), (100, 99)] {
            let sample = sample_vertices(n, count, 3);
            assert_eq!(sample.len(), count.min(n));
            assert!(sample.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(sample.iter().all(|&v| (v as usize) < n));
        }
    }

    #[test]
    fn an_order_has_each_vertex_once() {
        for n in [0, 1, 2, 3, 4, 5, 64, 1000, 1025] {
            let order = RandomOrder::new(n, 7);
            let mut vertices: Vec<VertexId> = (0..n).map(|at| order.vertex_at(at)).collect();
            vertices.sort_unstable();
            assert!(vertices.into_iter().eq(0..n as VertexId));
        }
    }
}
