//! Choice of the vertices that are worth the fast memory: those whose state is written
//! most.
//!
//! [`choose`] takes as many vertices as a budget has room for, by eigenvector
//! centrality, by degree, or at random to compare with. [`Centrality`] follows a
//! graph that grows. [`edges`] chooses edges of hot vertices. [`split`] divides
//! memory between the graph and its state, from curves ([`curve`]) that tell which
//! share of the accesses a share of the data takes. `docs/placement.md` has the
//! model and what was measured.
//!
//! Sources: Lim et al., "NVGraph", sections III-C and III-D.

mod centrality;
pub mod curve;
pub mod edges;
pub mod split;

use evergraph_graph::{Graph, VertexId};
use rayon::prelude::*;

use crate::edge_map::Lists;
use crate::parallel::{shared_degrees, unshared_u32};
use crate::sampling::RandomOrder;
use crate::{Control, RunError, eigenvector};
pub use centrality::{Centrality, Extent};

/// By what vertices are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// How many edges lead to them; of a graph without in-lists, from them.
    #[default]
    Degree,
    /// Eigenvector centrality.
    Centrality,
    /// By chance.
    Random,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Degree, Self::Centrality, Self::Random];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Centrality => "centrality",
            Policy::Degree => "degree",
            Policy::Random => "random",
        }
    }
}

/// How much fast memory there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// For this share of the vertices, from 0 to 1.
    Share(f64),
    /// For the state of as many vertices as fit.
    Bytes {
        /// Bytes there are.
        bytes: u64,
        /// Bytes that a vertex takes.
        per_vertex: u64,
    },
}

impl Budget {
    /// For how many of so many vertices there is room.
    pub fn vertices(self, vertex_count: usize) -> usize {
        let room = match self {
            Budget::Share(share) => (share * vertex_count as f64).round() as usize,
            Budget::Bytes { bytes, per_vertex } => (bytes / per_vertex.max(1)) as usize,
        };
        room.min(vertex_count)
    }
}

/// Hot vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// How they were chosen.
    pub policy: Policy,
    /// The hottest first.
    pub vertices: Vec<VertexId>,
}

/// The hot vertices of `graph` for which `budget` has room; `seed` for chance.
///
/// Work of a power iteration for centrality, O(n) for the others; DRAM 4n words of 8
/// bytes. Deterministic for a seed.
///
/// # Errors
/// If a share is not from 0 to 1, or `control` ends the run.
pub fn choose<G: Graph>(
    graph: &G,
    policy: Policy,
    budget: Budget,
    seed: u64,
    control: &Control,
) -> Result<Placement, RunError> {
    if let Budget::Share(share) = budget
        && !(0.0..=1.0).contains(&share)
    {
        return Err(RunError::InvalidParameter {
            name: "share",
            value: share,
            expected: "from 0 to 1",
        });
    }
    let n = graph.vertex_count();
    let count = budget.vertices(n);
    let vertices = match policy {
        Policy::Centrality => {
            let centrality = Centrality::of(graph, &eigenvector::Parameters::default(), control)?;
            hottest(centrality.scores(), count)
        }
        Policy::Degree => {
            let lists = Lists::incoming(graph).unwrap_or(Lists::outgoing(graph));
            let degrees = unshared_u32(shared_degrees(lists, control)?);
            hottest(&degrees, count)
        }
        Policy::Random => {
            let order = RandomOrder::new(n, seed);
            (0..count).map(|at| order.vertex_at(at)).collect()
        }
    };
    Ok(Placement { policy, vertices })
}

/// The `count` vertices with the largest scores, the largest first and the smaller
/// vertex of two equals. Scores are not NaN.
///
/// Expected work O(n + count log count).
pub fn hottest<S: PartialOrd + Copy + Sync>(scores: &[S], count: usize) -> Vec<VertexId> {
    let mut vertices: Vec<VertexId> = (0..scores.len() as VertexId).collect();
    let by_score = |&a: &VertexId, &b: &VertexId| {
        let [left, right] = [a, b].map(|v| scores[v as usize]);
        let falling = right.partial_cmp(&left).expect("no score is NaN");
        falling.then(a.cmp(&b))
    };
    if count < vertices.len() && count > 0 {
        vertices.select_nth_unstable_by(count - 1, by_score);
    }
    vertices.truncate(count);
    vertices.par_sort_unstable_by(by_score);
    vertices
}
