//! One path, between two vertices.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use evergraph_algorithms::UNREACHED;
use evergraph_graph::{Graph, NeighborReader};

use super::{Computed, Context, Fact, Measured, Values};

/// A path from a vertex to another.
pub(super) struct Route {
    source: u32,
    target: u32,
    /// The vertices of the path, ends included; none if there is no path.
    vertices: Vec<u32>,
}

impl Route {
    /// That there is no path.
    pub(super) fn none(source: u32, target: u32) -> Self {
        Route {
            source,
            target,
            vertices: Vec::new(),
        }
    }

    /// The path to `target` in a tree of searches from `source`.
    pub(super) fn by_parents(source: u32, target: u32, parents: &[u32]) -> Self {
        let mut vertices = vec![target];
        let mut at = target;
        while at != source && parents[at as usize] != UNREACHED && vertices.len() <= parents.len() {
            at = parents[at as usize];
            vertices.push(at);
        }
        if at != source {
            return Self::none(source, target);
        }
        vertices.reverse();
        Route {
            source,
            target,
            vertices,
        }
    }

    /// Of the paths that are as wide as `widths` says at each of their vertices, one with the
    /// fewest edges.
    pub(super) fn widest<G: Graph>(graph: &G, source: u32, target: u32, widths: &[f64]) -> Self {
        let mut parents = vec![UNREACHED; graph.vertex_count()];
        let mut reader = graph.reader();
        let mut queue = VecDeque::from([source]);
        parents[source as usize] = source;
        while let Some(u) = queue.pop_front() {
            if parents[target as usize] != UNREACHED {
                break;
            }
            let _ = reader.for_each_weighted_segment(u, |neighbors, weights| {
                for (at, &v) in neighbors.iter().enumerate() {
                    let weight = weights.get(at).map_or(1.0, |&weight| f64::from(weight));
                    let (width, through) = (widths[v as usize], widths[u as usize].min(weight));
                    let is_widest = through == width && width > f64::NEG_INFINITY;
                    if parents[v as usize] == UNREACHED && is_widest {
                        parents[v as usize] = u;
                        queue.push_back(v);
                    }
                }
                ControlFlow::Continue(())
            });
        }
        Self::by_parents(source, target, &parents)
    }

    /// The path as the outcome of an algorithm: its vertices in order, each with its
    /// value.
    pub(super) fn computed(
        self,
        context: &Context<'_>,
        value: impl Fn(u32) -> f64,
        measured: Measured,
        verified: Option<Result<(), String>>,
    ) -> Computed {
        let names = self.vertices.iter().map(|&v| context.name(v)).collect();
        let mut result = vec![
            ("source", context.name(self.source)),
            ("target", context.name(self.target)),
            ("found", Fact::Flag(!self.vertices.is_empty())),
        ];
        if let Some(edges) = self.vertices.len().checked_sub(1) {
            result.push(("edges", Fact::Whole(edges as u64)));
            result.push(("value", Fact::Real(value(self.target))));
            result.push(("path", Fact::Names(names)));
        }
        let vertices = self.vertices.into_iter();
        Computed {
            measured,
            iterations: None,
            result,
            values: Values::Ranked(vertices.map(|v| (v, value(v))).collect()),
            verified,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_algorithms::widest_path::reference;
    use evergraph_graph::{Csr, StoredLists, VertexId, Weight};
    use proptest::prelude::*;

    /// The widest edge between two vertices.
    fn edge_width(edges: &[(VertexId, VertexId, Weight)], ends: &[u32]) -> f64 {
        let between = edges.iter().filter(|&&(u, v, _)| [u, v] == *ends);
        let weights = between.map(|edge| f64::from(edge.2));
        weights.fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #[test]
        fn a_widest_path_is_as_wide_as_shown_at_each_vertex(
            edges in prop::collection::vec((0_u32..8, 0_u32..8, 1_u8..9), 0..30),
        ) {
            let weigh = |(u, v, weight)| (u, v, match weight {
                8 => Weight::NEG_INFINITY,
                weight => Weight::from(weight) - 3.0,
            });
            let edges: Vec<_> = edges.into_iter().map(weigh).collect();
            let graph = Csr::from_weighted_edges(8, &edges, StoredLists::Out);
            let widths = reference(&graph, 0);
            for target in 0..8 {
                let path = Route::widest(&graph, 0, target, &widths).vertices;
                let is_reached = widths[target as usize] > f64::NEG_INFINITY;
                prop_assert_eq!(path.last().copied(), is_reached.then_some(target));
                let mut width = f64::INFINITY;
                for ends in path.windows(2) {
                    width = width.min(edge_width(&edges, ends));
                    prop_assert_eq!(width, widths[ends[1] as usize], "{:?}", path);
                }
            }
        }
    }

    #[test]
    fn a_path_leads_from_the_source_to_the_target() {
        let parents = [0, 0, 1, UNREACHED, 2];
        let path = |target| Route::by_parents(0, target, &parents).vertices;
        assert_eq!(path(4), [0, 1, 2, 4]);
        assert_eq!(path(0), [0]);
        assert_eq!(path(3), [0; 0]);
    }
}
