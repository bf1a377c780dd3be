//! Helpers that the tests share: random graphs, a graph whose lists come in pieces, and
//! runs with a given number of threads.

pub mod karate;

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use evergraph_algorithms::{Cancellation, Cancelled, Control};
use evergraph_graph::{
    Csr, CsrReader, Graph, NeighborReader, StoredLists, VertexId, Weight, facts_of,
};
use proptest::prelude::*;

pub type Edges = Vec<(VertexId, VertexId)>;

pub const DIRECTIONS: [StoredLists; 3] =
    [StoredLists::Undirected, StoredLists::Out, StoredLists::Both];

/// The edges of LDBC Graphalytics' directed example, whose ids begin at 1.
pub const GRAPHALYTICS: [(VertexId, VertexId); 17] = [
    (1, 3),
    (1, 5),
    (2, 4),
    (2, 5),
    (2, 10),
    (3, 1),
    (3, 5),
    (3, 8),
    (3, 10),
    (5, 3),
    (5, 4),
    (5, 8),
    (6, 3),
    (6, 4),
    (7, 4),
    (8, 1),
    (9, 4),
];

/// Up to 60 vertices; few edges, or many with self-loops and repetitions.
pub fn edges() -> impl Strategy<Value = (usize, Edges)> {
    (1_usize..60, 1_usize..4).prop_flat_map(|(n, density)| {
        let end = 0..n as VertexId;
        let edges = prop::collection::vec((end.clone(), end), 0..n * density + 1);
        (Just(n), edges)
    })
}

/// A `Csr` whose lists come in segments of at most `piece` neighbors, with an
/// empty one in front.
pub struct Segmented {
    pub graph: Csr,
    pub piece: usize,
}

impl Graph for Segmented {
    type Reader<'a> = SegmentedReader<'a>;

    facts_of!(self => self.graph);

    fn reader(&self) -> SegmentedReader<'_> {
        SegmentedReader(self.graph.reader(), self.piece)
    }
    fn reverse_reader(&self) -> Option<SegmentedReader<'_>> {
        let reader = self.graph.reverse_reader()?;
        Some(SegmentedReader(reader, self.piece))
    }
}

pub struct SegmentedReader<'a>(CsrReader<'a>, usize);

impl NeighborReader for SegmentedReader<'_> {
    fn degree(&mut self, v: VertexId) -> usize {
        self.0.degree(v)
    }

    fn visit_list<const WEIGHTED: bool>(
        &mut self,
        v: VertexId,
        positions: Range<usize>,
        mut visit: impl FnMut(&[VertexId], &[Weight]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let piece = self.1;
        visit(&[], &[])?;
        self.0
            .visit_list::<WEIGHTED>(v, positions, |list, weights| {
                for start in (0..list.len()).step_by(piece) {
                    let part = start..list.len().min(start + piece);
                    visit(&list[part.clone()], weights.get(part).unwrap_or_default())?;
                }
                ControlFlow::Continue(())
            })
    }
}

/// Calls `check` with controls of runs that end before they begin, and why they do.
pub fn with_ended(check: impl Fn(&Control<'_>, Cancelled)) {
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let requested = Control::new().with_cancellation(&cancellation);
    check(&requested, Cancelled::Requested);
    let late = Control::new().with_deadline(Instant::now());
    check(&late, Cancelled::DeadlinePassed);
}

/// Runs `work` with `threads` threads.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a thread pool")
        .install(work)
}
