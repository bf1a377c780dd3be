//! A filter against lists of entries with a flag each.

use evergraph_generators::uniform;
use evergraph_graph::random::split_mix;
use evergraph_graph::{Csr, Weight};
use proptest::prelude::*;

use super::*;

/// Accepts fewer edges the higher `level` is. The same for both ways of an edge.
fn accepts(level: u64) -> impl Fn(VertexId, VertexId) -> bool + Sync + Copy {
    move |u, v| {
        let mut ends = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
        split_mix(&mut ends) % 16 >= level
    }
}

/// As [`accepts`], but each way on its own.
fn accepts_one_way(level: u64) -> impl Fn(VertexId, VertexId) -> bool + Sync + Copy {
    move |u, v| split_mix(&mut (u64::from(u) << 32 | u64::from(v))) % 16 >= level
}

type Lists = Vec<Vec<VertexId>>;

fn lists(graph: &impl Graph, incoming: bool) -> Lists {
    let mut reader = match incoming {
        false => graph.reader(),
        true => graph.reverse_reader().expect("in-lists"),
    };
    let list = |v| {
        let mut list = Vec::new();
        reader.neighbors_into(v, &mut list);
        assert_eq!(list.len(), reader.degree(v));
        list
    };
    (0..graph.vertex_count() as VertexId).map(list).collect()
}

/// The model of a filter.
struct Model {
    out: Lists,
    /// With [`Keep::Both`].
    incoming: Option<Lists>,
    dirty: Vec<bool>,
    symmetric: bool,
}

impl Model {
    fn of(graph: &impl Graph) -> Self {
        Self {
            out: lists(graph, false),
            incoming: (graph.stored_lists() == StoredLists::Both).then(|| lists(graph, true)),
            dirty: vec![false; graph.vertex_count()],
            symmetric: graph.stored_lists() == StoredLists::Undirected,
        }
    }

    fn filter(&mut self, accepts: impl Fn(VertexId, VertexId) -> bool) {
        for (u, list) in (0..).zip(&mut self.out) {
            list.retain(|&v| accepts(u, v));
        }
        for (v, list) in (0..).zip(self.incoming.iter_mut().flatten()) {
            list.retain(|&u| accepts(u, v));
        }
        self.dirty.fill(false);
    }

    fn pack(&mut self, vertices: &[VertexId], accepts: impl Fn(VertexId, VertexId) -> bool) {
        for &u in vertices {
            self.out[u as usize].retain(|&v| {
                let kept = accepts(u, v);
                let mirrored = self.symmetric || self.incoming.is_some();
                self.dirty[v as usize] |= !kept && mirrored;
                kept
            });
        }
        if self.symmetric {
            vertices
                .iter()
                .for_each(|&u| self.dirty[u as usize] = false);
        }
    }

    fn check<G: Graph>(&self, filter: &GraphFilter<'_, G>) {
        assert_eq!(lists(filter, false), self.out);
        let arcs: usize = self.out.iter().map(Vec::len).sum();
        assert_eq!(filter.arc_count(), arcs as u64);
        if let Some(incoming) = &self.incoming {
            assert_eq!(&lists(filter, true), incoming);
        }
        for (v, &dirty) in (0..).zip(&self.dirty) {
            assert_eq!(filter.is_dirty(v), dirty, "{v}");
        }
    }
}

/// Parts of lists, and weights, which the tests give as a hash of the edge.
fn check_parts(filter: &impl Graph, graph: &Csr) {
    let weight = |u: VertexId, v: VertexId| (u * 7 + v) as Weight;
    for v in 0..filter.vertex_count() as VertexId {
        let mut whole = Vec::new();
        filter.reader().neighbors_into(v, &mut whole);
        let len = whole.len();
        for (start, end) in [(0, 1), (1, len), (len / 2, len / 2 + 65), (len, len + 3)] {
            let expected = whole.get(start..end.min(len)).unwrap_or_default();
            let (mut found, mut weighted, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            let _ = filter.reader().for_each_segment_in(v, start..end, |part| {
                found.extend_from_slice(part);
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!(found, expected);
            let _ = (filter.reader()).visit_list::<true>(v, start..end, |part, of| {
                weighted.extend_from_slice(part);
                weights.extend_from_slice(of);
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!(weighted, expected);
            let expected = expected.iter().map(|&u| weight(v.min(u), v.max(u)));
            if graph.is_weighted() {
                assert_eq!(weights, expected.collect::<Vec<_>>());
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Filter,
    Pack(Vec<VertexId>),
    Clean,
}

fn step(n: usize) -> impl Strategy<Value = Step> {
    let vertices = prop::collection::btree_set(0..n as VertexId, 0..n);
    prop_oneof![
        1 => Just(Step::Filter),
        4 => vertices.prop_map(|set| Step::Pack(set.into_iter().collect())),
        2 => Just(Step::Clean),
    ]
}

fn cases() -> impl Strategy<Value = (usize, Vec<(VertexId, VertexId)>, Vec<Step>)> {
    (1_usize..20).prop_flat_map(|n| {
        let end = 0..n as VertexId;
        let edges = prop::collection::vec((end.clone(), end), 0..100 * n);
        (Just(n), edges, prop::collection::vec(step(n), 0..8))
    })
}

fn follow<G: Graph, P: Fn(VertexId, VertexId) -> bool + Sync + Copy>(
    mut filter: GraphFilter<'_, G>,
    steps: &[Step],
    accepts: impl Fn(u64) -> P,
) {
    let control = Control::new();
    let mut model = Model::of(&filter);
    model.check(&filter);
    for (level, step) in (2..).step_by(2).zip(steps) {
        let accepts = accepts(level);
        match step {
            Step::Filter => {
                let left = filter.filter_edges(accepts, &control).unwrap();
                assert_eq!(left, filter.arc_count());
                model.filter(accepts);
            }
            Step::Pack(vertices) => {
                let degrees = filter.edge_map_pack(vertices, accepts, &control).unwrap();
                model.pack(vertices, accepts);
                for (&u, (v, degree)) in vertices.iter().zip(degrees) {
                    assert_eq!((u, model.out[u as usize].len() as u32), (v, degree));
                }
            }
            Step::Clean => {
                filter.clean(accepts, &control).unwrap();
                check_cleaned(&filter, &mut model, accepts);
            }
        }
        model.check(&filter);
    }
}

/// Only refused edges went, and both ends agree.
fn check_cleaned<G: Graph>(
    filter: &GraphFilter<'_, G>,
    model: &mut Model,
    accepts: impl Fn(VertexId, VertexId) -> bool,
) {
    let before = std::mem::replace(model, Model::of(filter));
    for (u, (before, after)) in (0..).zip(before.out.iter().zip(&model.out)) {
        let accepted = |list: &[VertexId]| -> Vec<VertexId> {
            list.iter().copied().filter(|&v| accepts(u, v)).collect()
        };
        assert_eq!(accepted(before), accepted(after));
    }
    if filter.stored_lists() != StoredLists::Out {
        let mut mirrored: Lists = vec![Vec::new(); model.out.len()];
        for (u, list) in (0..).zip(&model.out) {
            list.iter().for_each(|&v| mirrored[v as usize].push(u));
        }
        let mut other = model.incoming.clone().unwrap_or(model.out.clone());
        other.iter_mut().for_each(|list| list.sort_unstable());
        assert_eq!(mirrored, other);
    }
}

proptest! {
    #[test]
    fn a_filter_is_lists_of_flags((n, edges, steps) in cases(), size in 0..3_usize) {
        let size = BlockSize::ALL[size];
        let control = Control::new();
        let weighted: Vec<(VertexId, VertexId, Weight)> =
            edges.iter().map(|&(u, v)| (u, v, (u.min(v) * 7 + u.max(v)) as Weight)).collect();
        for direction in [StoredLists::Undirected, StoredLists::Both, StoredLists::Out] {
            let graph = Csr::from_edges(n, &edges, direction).sorted();
            let filter = |keep| GraphFilter::new(&graph, keep, size, &control);
            match filter(Keep::Symmetric) {
                Ok(filter) => follow(filter, &steps, accepts),
                Err(why) => {
                    prop_assert_eq!(why, RunError::NeedsUndirected);
                    prop_assert_ne!(direction, StoredLists::Undirected);
                }
            }
            match filter(Keep::Both) {
                Ok(filter) => follow(filter, &steps, accepts_one_way),
                Err(why) => {
                    prop_assert_eq!(why, RunError::NeedsInLists);
                    prop_assert_eq!(direction, StoredLists::Out);
                }
            }
            follow(filter(Keep::Out).unwrap(), &steps, accepts_one_way);
            for graph in [graph, Csr::from_weighted_edges(n, &weighted, direction)] {
                let filter =
                    GraphFilter::with(&graph, Keep::Out, size, accepts_one_way(9), &control);
                check_parts(&filter.unwrap(), &graph);
            }
        }
    }
}

#[test]
fn hubs_are_packed_by_several_tasks_and_shrink() {
    let edges: Vec<(VertexId, VertexId)> = (1..200_000).map(|v| (0, v)).collect();
    let graph = Csr::from_edges(200_000, &edges, StoredLists::Undirected);
    let control = Control::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    pool.unwrap().install(|| {
        for size in BlockSize::ALL {
            let mut filter = GraphFilter::new(&graph, Keep::Symmetric, size, &control).unwrap();
            let mut model = Model::of(&graph);
            for level in [3, 9] {
                filter
                    .edge_map_pack(&[0], accepts(level), &control)
                    .unwrap();
                model.pack(&[0], accepts(level));
                model.check(&filter);
            }
            // Only the first entries and one far behind remain.
            let few = |u: VertexId, v: VertexId| {
                let other = u.max(v);
                accepts(9)(u, v) && (other < 5000 || other == 150_003)
            };
            filter.filter_edges(few, &control).unwrap();
            model.filter(few);
            model.check(&filter);
            let blocks = filter.out.bits(0).block_count();
            assert!(blocks <= 5000 / size.entries() + 2, "{blocks}");
            let first = lists(&filter, false).swap_remove(0);
            for at in (0..first.len()).step_by(100).chain([first.len() - 1]) {
                let mut met = Vec::new();
                let _ = filter.reader().for_each_segment_in(0, at..at + 1, |part| {
                    met.extend_from_slice(part);
                    std::ops::ControlFlow::Continue(())
                });
                assert_eq!(met, first[at..=at]);
            }
        }
    });
}

#[test]
fn memory_is_what_the_formula_says_and_a_quarter_of_the_graph() {
    // Average degree 16: evenly spread, and all the same.
    let n = 10_000;
    let even = uniform(n, 8 * n, 5);
    let same: Vec<(VertexId, VertexId)> = (0..n as VertexId)
        .flat_map(|v| (1..=8).map(move |by| (v, (v + by) % n as VertexId)))
        .collect();
    for edges in [even, same] {
        let graph = Csr::from_edges(n, &edges, StoredLists::Undirected);
        let degrees: Vec<usize> = lists(&graph, false).iter().map(Vec::len).collect();
        let graph_bytes = 8 * (n + 1) + 4 * graph.arc_count() as usize;
        for size in BlockSize::ALL {
            let control = Control::new();
            let filter = GraphFilter::new(&graph, Keep::Symmetric, size, &control).unwrap();
            let needed = bytes_needed(degrees.iter().copied(), size);
            assert_eq!(filter.size_bytes(), needed);
            assert!(4 * needed < graph_bytes, "{needed} of {graph_bytes}");
            let both = GraphFilter::new(&graph, Keep::Both, size, &control).unwrap();
            assert_eq!(both.size_bytes(), 2 * needed - 8 * n.div_ceil(64));
        }
    }
    // A list of 300 entries: a head, and 5, 3 or 2 blocks of a label and bits.
    let words = BlockSize::ALL.map(|size| side::words_needed(300, size));
    assert_eq!(words, [1 + 5 * 2, 1 + 3 * 3, 1 + 2 * 5]);
}

#[test]
fn intersections_walk_the_live_lists() {
    let edges = uniform(300, 12_000, 8);
    let graph = Csr::from_edges(300, &edges, StoredLists::Undirected).simple();
    let filter = GraphFilter::with(
        &graph,
        Keep::Out,
        BlockSize::default(),
        |u, v| u < v && accepts(4)(u, v),
        &Control::new(),
    )
    .unwrap();
    let lists = lists(&filter, false);
    let mut reader = filter.reader();
    for (u, list) in (0..).zip(&lists) {
        for (v, other) in (0..).zip(&lists) {
            let mut met = Vec::new();
            intersect(&mut reader, v, list, |w| met.push(w));
            let common = other.iter().copied().filter(|w| list.contains(w));
            assert_eq!(met, common.collect::<Vec<_>>(), "{u} {v}");
        }
    }
}

#[test]
fn a_filter_of_nothing() {
    let control = Control::new();
    for n in [0, 3] {
        let graph = Csr::from_edges(n, &[], StoredLists::Both);
        for keep in [Keep::Both, Keep::Out] {
            let mut filter =
                GraphFilter::new(&graph, keep, BlockSize::default(), &control).unwrap();
            assert_eq!(filter.filter_edges(|_, _| false, &control), Ok(0));
            assert!(lists(&filter, false).iter().all(Vec::is_empty));
        }
    }
}
