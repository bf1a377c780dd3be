//! Hot vertices of a run whose state has not enough room in DRAM.

use evergraph_algorithms::placement::{Budget, Policy, choose};
use evergraph_algorithms::{Control, RunError};
use evergraph_snapshots::state::Hot;

use super::cancelled;
use super::graph::AnyGraph;
use crate::Error;

/// Bytes of state that a vertex is taken to have: one word.
const STATE_BYTES: u64 = 8;

/// Which vertices' state has gone to DRAM first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// How they were chosen.
    pub policy: Policy,
    /// How many.
    pub vertices: u64,
    /// Bytes that there were for them.
    pub bytes: u64,
}

/// The hot vertices of a graph for whose state `bytes` have room.
pub(super) fn place(
    graph: &AnyGraph<'_>,
    policy: Policy,
    bytes: u64,
    control: &Control<'_>,
) -> Result<(Hot, Placed), Error> {
    let budget = Budget::Bytes {
        bytes,
        per_vertex: STATE_BYTES,
    };
    let placement = choose(graph, policy, budget, 0, control);
    let vertices = match placement {
        Ok(placement) => placement.vertices,
        Err(RunError::Cancelled(why)) => return Err(cancelled(why)),
        Err(error) => return Err(error.into()),
    };
    let placed = Placed {
        policy,
        vertices: vertices.len() as u64,
        bytes,
    };
    Ok((Hot::new(vertices), placed))
}
