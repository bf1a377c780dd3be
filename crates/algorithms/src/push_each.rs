//! A push whose kernel is one function.

use std::ops::ControlFlow;

use evergraph_graph::{Graph, VertexId};

use crate::edge_map::{Gather, Kernel, Lists, push};
use crate::{Cancelled, Control};

/// Calls `joins(u, v)` for each `v` in the list of each `u` of `frontier`, and
/// returns the `v` for which it said true: at most once for each.
pub(crate) fn push_each<G: Graph>(
    lists: Lists<'_, G>,
    frontier: &[VertexId],
    joins: impl Fn(VertexId, VertexId) -> bool + Sync,
    control: &Control,
) -> Result<Vec<VertexId>, Cancelled> {
    push(lists, frontier, &Each(joins), control)
}

struct Each<F>(F);

impl<F: Fn(VertexId, VertexId) -> bool + Sync> Kernel for Each<F> {
    #[inline]
    fn condition(&self, _: VertexId) -> bool {
        true
    }

    #[inline]
    fn push(&self, u: VertexId, v: VertexId) -> bool {
        self.0(u, v)
    }
}

/// Never asked, as nothing is pulled.
impl<F: Fn(VertexId, VertexId) -> bool + Sync> Gather for Each<F> {
    type Gathered = ();

    fn gather(&self, _: &mut (), _: VertexId) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn merge(&self, _: &mut (), _: ()) {}

    fn apply(&self, _: VertexId, _: ()) -> bool {
        false
    }
}
