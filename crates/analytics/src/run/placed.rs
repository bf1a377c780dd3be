//! Hot vertices of a run whose state has not enough space in DRAM.

use evergraph_algorithms::placement::curve::HitCurve;
use evergraph_algorithms::placement::split::{Latencies, Load};
use evergraph_algorithms::placement::{Budget, Policy, choose};
use evergraph_algorithms::{Control, RunError};
use evergraph_results::Hot;

use super::graph::AnyGraph;
use super::stopped::cancelled;
use crate::Error;

/// Bytes of state that a vertex is taken to have: one word.
const STATE_BYTES: u64 = 8;

/// DRAM, and a medium that is slower: the figures that the model was measured with
/// (`docs/placement.md`).
const LATENCIES: Latencies = Latencies {
    fast_read: 80.0,
    fast_write: 80.0,
    medium_read: 284.0,
    medium_write: 200.0,
};

/// Vertices whose state has gone to DRAM first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// How they were chosen.
    pub policy: Policy,
    /// How many.
    pub vertices: u64,
    /// Bytes that there were for them.
    pub bytes: u64,
}

/// How the memory that a run leaves free was divided between lists of the graph and
/// state that waits to be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divided {
    /// Bytes that there were.
    pub bytes: u64,
    /// The share of them for the graph.
    pub alpha: f64,
    /// Bytes for state.
    pub state_bytes: u64,
}

/// Divides `bytes` as the model of [`split`](evergraph_algorithms::placement::split)
/// says, for a run on lists of so many `vertices`, of which `graph_bytes` are read from
/// the medium, that keeps a state of at most `state_bytes` after every so many steps.
///
/// A step passes over all lists, so that a cache that is too small for them has none
/// that comes again. Of a state that is kept every word is read and written once.
pub(super) fn divide(
    bytes: u64,
    vertices: u64,
    (graph_bytes, state_bytes): (u64, u64),
    every: u64,
) -> Divided {
    let even = HitCurve::through(&[(1.0, 1.0)]);
    let load = Load {
        graph_reads: vec![vertices.saturating_mul(every)],
        graph_bytes,
        graph_hits: HitCurve::through(&[(0.999_999, 0.0), (1.0, 1.0)]),
        state_reads: vertices,
        state_writes: vertices,
        state_bytes,
        state_read_hits: even.clone(),
        state_write_hits: even,
    };
    let (alpha, _) = load.best(bytes, &LATENCIES);
    let of_state = ((1.0 - alpha) * bytes as f64).ceil() as u64;
    Divided {
        bytes,
        alpha,
        state_bytes: of_state.min(bytes).min(state_bytes),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists that fit as a whole come first if they are read often enough; the rest, and
    /// all of it if they do not fit, is for the state.
    #[test]
    fn what_a_cache_cannot_use_is_for_the_state() {
        let (graph, state) = (64_000, 8000);
        for (bytes, every, expected) in [
            (0, 1, 0),
            (5000, 9, 5000),
            (state, 9, state),
            (graph - 1000, 9, state),
            (graph, 1, state),
            (graph, 9, 0),
            (graph + 3000, 1, 3000),
            (graph + state, 1, state),
            (1 << 40, u64::MAX, state),
        ] {
            let divided = divide(bytes, 1000, (graph, state), every);
            assert!(divided.state_bytes.abs_diff(expected) <= 1, "{divided:?}");
            assert!((0.0..=1.0).contains(&divided.alpha), "{divided:?}");
        }
        // A copy in memory needs no cache.
        assert_eq!(divide(5000, 1000, (0, state), 9).state_bytes, 5000);
    }
}
