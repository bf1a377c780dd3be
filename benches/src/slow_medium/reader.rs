//! A graph whose lists lie on a slower medium than they do.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use evergraph_graph::{Graph, NeighborReader, VertexId, Weight, facts_of};

/// Waiting is done in portions of this, so that looking at the clock (some 25 ns)
/// is a small part of it.
const PORTION_NS: u64 = 4_000;

/// Adds to a graph what its lists' medium would take beyond DRAM.
///
/// A list that does not begin where the list read before ended is a random read,
/// and waits for `read_ns`. One that does is part of a sequence, which the
/// processor reads ahead. What an algorithm keeps for itself is in DRAM, and so is
/// where each list begins (as a view keeps it): asking for a degree costs nothing.
pub struct Slow<'g, G> {
    pub graph: &'g G,
    pub read_ns: u64,
}

pub struct SlowReader<R> {
    lists: R,
    read_ns: u64,
    /// Address behind the last neighbor that was read.
    next: usize,
    owed_ns: u64,
}

impl<G: Graph> Slow<'_, G> {
    fn slowed<R>(&self, lists: R) -> SlowReader<R> {
        SlowReader {
            lists,
            read_ns: self.read_ns,
            next: 0,
            owed_ns: 0,
        }
    }
}

impl<'g, G: Graph> Graph for Slow<'g, G> {
    type Reader<'a>
        = SlowReader<G::Reader<'g>>
    where
        Self: 'a;

    facts_of!(self => self.graph);

    fn reader(&self) -> SlowReader<G::Reader<'g>> {
        self.slowed(self.graph.reader())
    }

    fn reverse_reader(&self) -> Option<SlowReader<G::Reader<'g>>> {
        Some(self.slowed(self.graph.reverse_reader()?))
    }
}

/// Waiting that one reader owes, apart from the lists it reads.
struct Debt<'a> {
    next: &'a mut usize,
    owed_ns: &'a mut u64,
    read_ns: u64,
}

impl Debt<'_> {
    #[inline]
    fn read(&mut self, segment: &[VertexId]) {
        let range = segment.as_ptr_range();
        if range.start as usize != *self.next {
            *self.owed_ns += self.read_ns;
            if *self.owed_ns >= PORTION_NS {
                wait(std::mem::take(self.owed_ns));
            }
        }
        *self.next = range.end as usize;
    }
}

fn wait(ns: u64) {
    let began = Instant::now();
    while (began.elapsed().as_nanos() as u64) < ns {
        std::hint::spin_loop();
    }
}

impl<R> SlowReader<R> {
    fn split(&mut self) -> (&mut R, Debt<'_>) {
        let debt = Debt {
            next: &mut self.next,
            owed_ns: &mut self.owed_ns,
            read_ns: self.read_ns,
        };
        (&mut self.lists, debt)
    }
}

impl<R> Drop for SlowReader<R> {
    fn drop(&mut self) {
        if self.owed_ns > 0 {
            wait(self.owed_ns);
        }
    }
}

impl<R: NeighborReader> NeighborReader for SlowReader<R> {
    #[inline]
    fn degree(&mut self, v: VertexId) -> usize {
        self.lists.degree(v)
    }

    #[inline]
    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (lists, mut debt) = self.split();
        lists.visit_list::<WEIGHTED>(v, positions, |segment, weights| {
            debt.read(segment);
            visit(segment, weights)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_graph::{Csr, StoredLists};

    #[test]
    fn only_lists_out_of_sequence_wait() {
        let edges = [(0, 1), (0, 2), (1, 0), (2, 0), (2, 1)];
        let csr = Csr::from_edges(3, &edges, StoredLists::Out);
        let graph = Slow {
            graph: &csr,
            read_ns: 100,
        };
        for (order, waits) in [([0, 1, 2], 1), ([0, 2, 1], 3), ([2, 0, 1], 2)] {
            let mut reader = graph.reader();
            for v in order {
                let mut list = Vec::new();
                reader.neighbors_into(v, &mut list);
                assert_eq!(list, csr.neighbors(v));
            }
            assert_eq!(reader.owed_ns, waits * 100, "{order:?}");
        }
    }
}
