//! Traversal: what happens along the edges that leave a frontier.
//!
//! A [`Kernel`] says what an edge does to its target (update) and which targets
//! still care (condition). [`push`] visits the out-lists of the frontier, many
//! tasks writing one target; [`pull`] visits the in-lists of all targets that
//! still care, one task a target; [`edge_map`] chooses. [`push_weighted`] is a
//! push that is told the weights, [`push_forward`] one from a bitmap. Lists of hubs
//! are shared among tasks either way. [`vertex_map`] and [`vertex_filter`] visit the
//! vertices of a set and no edges.
//!
//! Memory: n bits for a pull, 2 words for each vertex of the frontier and of the
//! result for a push.
//! Sources: Shun and Blelloch, "Ligra", PPoPP 2013 (the interface); Dhulipala et
//! al., "Sage", VLDB 2020, section 4 (chunks; no writes to the graph); Beamer,
//! Asanović and Patterson, "Direction-Optimizing BFS", SC 2012 (the choice).

mod forward;
mod pull;
mod push;
mod sparse;
mod switch;
mod vertex_map;
mod weighted;

use std::ops::ControlFlow;

use evergraph_graph::{Graph, VertexId};

pub use self::forward::push_forward;
pub use self::pull::{pull, pull_into};
pub use self::push::push;
pub use self::sparse::{Room, push_with_room};
pub use self::switch::Switch;
pub use self::vertex_map::{vertex_filter, vertex_map};
pub use self::weighted::{WeightedKernel, push_weighted};
pub use crate::parallel::Lists;
use crate::subset::VertexSubset;
use crate::{Cancelled, Control};

/// How a target collects from its sources in a pull, and what it does with that.
pub trait Gather: Sync {
    /// Values that a target collects.
    type Gathered: Default + Send;

    /// Collects from the source `u`; `Break` when more sources change nothing.
    fn gather(&self, gathered: &mut Self::Gathered, u: VertexId) -> ControlFlow<()>;

    /// Collects from those of `list` that `is_source` accepts.
    ///
    /// A kernel for which vertices outside the frontier count as nothing (a sum
    /// of zeros) can save the question by overriding this.
    #[inline]
    fn gather_list(
        &self,
        gathered: &mut Self::Gathered,
        list: &[VertexId],
        is_source: impl Fn(VertexId) -> bool,
    ) -> ControlFlow<()> {
        for &u in list {
            if is_source(u) {
                self.gather(gathered, u)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds what the next piece of a hub's list collected. Pieces come in order.
    fn merge(&self, gathered: &mut Self::Gathered, next: Self::Gathered);

    /// Updates `v` with all it collected; true if `v` belongs to the result.
    fn apply(&self, v: VertexId, gathered: Self::Gathered) -> bool;
}

/// Effect of an edge from the frontier on its target, in either direction.
///
/// In one traversal a target is updated either by pushes, or by gathering and
/// one `apply`, never by both.
pub trait Kernel: Gather {
    /// Whether `v` still cares. May turn false while a traversal runs.
    fn condition(&self, v: VertexId) -> bool;

    /// Updates `v` from `u`; several tasks may do so at once. True the first
    /// time in this traversal that `v` belongs to the result.
    fn push(&self, u: VertexId, v: VertexId) -> bool;
}

/// Applies `kernel` along the edges out of `frontier`, in the direction that
/// `switch` finds cheaper. Returns the vertices that joined.
///
/// # Errors
/// If `control` ends the run.
pub fn edge_map<G: Graph, K: Kernel>(
    graph: &G,
    frontier: VertexSubset,
    kernel: &K,
    switch: &mut Switch,
    control: &Control,
) -> Result<VertexSubset, Cancelled> {
    let outgoing = Lists::outgoing(graph);
    if switch.is_dense(graph, &frontier) {
        let bitmap = frontier.into_bitmap(graph.vertex_count());
        return match Lists::incoming(graph) {
            Some(incoming) => pull(incoming, |u| bitmap.contains(u), kernel, control),
            None => push_forward(outgoing, &bitmap, kernel, control),
        };
    }
    let joined = push(outgoing, &frontier.into_list(), kernel, control)?;
    Ok(VertexSubset::Sparse(joined))
}
