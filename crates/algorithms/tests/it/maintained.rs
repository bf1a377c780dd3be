//! Maintained results against from-scratch runs after random batches.

use crate::common::{DIRECTIONS, Segmented};
use evergraph_algorithms::maintained::distances::{self, Length};
use evergraph_algorithms::maintained::{
    Changes, Entry, components, degrees, k_core, pagerank, triangles,
};
use evergraph_algorithms::{
    Control, bfs, connected_components, delta_stepping, k_core as cores, pagerank as ranking,
    triangle_count,
};
use evergraph_generators::kronecker;
use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, VertexId};
use proptest::prelude::*;

/// A graph as a list of edges.
#[derive(Clone, Debug)]
struct Model {
    direction: StoredLists,
    vertices: usize,
    edges: Vec<Entry>,
}

/// Changes that happen at once: vertices that come, and edges: the ends of one that is
/// inserted and its weight, or the position of one that is deleted.
#[derive(Clone, Debug)]
struct Batch {
    vertices: usize,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(u32, u32, u8),
    Repeat(u32),
    Delete(u32),
}

impl Model {
    fn graph(&self) -> Segmented {
        Segmented {
            graph: Csr::from_weighted_edges(self.vertices, &self.edges, self.direction),
            piece: 3,
        }
    }

    /// Applies `batch`, and returns what changed in the lists.
    fn apply(&mut self, batch: &Batch) -> Changes {
        self.vertices += batch.vertices;
        let n = self.vertices as u32;
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        for &step in &batch.steps {
            let position = |at: u32, edges: &[Entry]| at as usize % edges.len();
            match step {
                Step::Insert(u, v, weight) => {
                    added.push((u % n, v % n, f32::from(weight)));
                    self.edges.extend(added.last());
                }
                Step::Repeat(at) if !self.edges.is_empty() => {
                    added.push(self.edges[position(at, &self.edges)]);
                    self.edges.extend(added.last());
                }
                Step::Delete(at) if !self.edges.is_empty() => {
                    removed.push(self.edges.swap_remove(position(at, &self.edges)));
                }
                Step::Repeat(_) | Step::Delete(_) => (),
            }
        }
        Changes::of_edges(self.direction, &added, &removed)
    }
}

fn step(insertions: u32) -> impl Strategy<Value = Step> {
    prop_oneof![
        insertions => (any::<u32>(), any::<u32>(), 0_u8..6).prop_map(|(u, v, w)| Step::Insert(u, v, w)),
        1 => any::<u32>().prop_map(Step::Repeat),
        5 => any::<u32>().prop_map(Step::Delete),
    ]
}

fn batch() -> impl Strategy<Value = Batch> {
    let steps =
        (0_u32..10).prop_flat_map(|insertions| prop::collection::vec(step(insertions + 1), 0..12));
    (prop_oneof![3 => Just(0_usize), 1 => 1_usize..4], steps)
        .prop_map(|(vertices, steps)| Batch { vertices, steps })
}

/// A graph and what happens to it.
fn history() -> impl Strategy<Value = (Model, Vec<Batch>)> {
    let edge = |n: u32| (0..n, 0..n, 0_u8..6).prop_map(|(u, v, w)| (u, v, f32::from(w)));
    let model = (1_u32..40, 0_usize..3).prop_flat_map(move |(n, density)| {
        let edges = prop::collection::vec(edge(n), 0..n as usize * density + 1);
        (prop::sample::select(&DIRECTIONS[..]), edges).prop_map(move |(direction, edges)| Model {
            direction,
            vertices: n as usize,
            edges,
        })
    });
    (model, prop::collection::vec(batch(), 1..6))
}

/// The state `start` makes of the first graph, taken through all batches by `update`,
/// and judged by `check` after each.
fn follow<S>(
    (mut model, batches): (Model, Vec<Batch>),
    start: impl Fn(&Segmented) -> S,
    update: impl Fn(&mut S, &Segmented, &Changes),
    check: impl Fn(&Segmented, &S),
) {
    let mut before = model.graph();
    let mut state = start(&before);
    check(&before, &state);
    for batch in &batches {
        let changes = model.apply(batch);
        let after = model.graph();
        assert_eq!(changes, Changes::between(&before, &after));
        update(&mut state, &after, &changes);
        check(&after, &state);
        before = after;
    }
}

/// The same history of a graph that keeps in-lists.
fn with_in_lists((mut model, batches): (Model, Vec<Batch>)) -> (Model, Vec<Batch>) {
    if model.direction == StoredLists::Out {
        model.direction = StoredLists::Both;
    }
    (model, batches)
}

fn undirected((mut model, batches): (Model, Vec<Batch>)) -> (Model, Vec<Batch>) {
    model.direction = StoredLists::Undirected;
    (model, batches)
}

fn check_coreness(graph: &Segmented, state: &k_core::Cores) {
    assert_eq!(state.coreness(), cores::reference(graph));
    let expected = cores::run(graph, &Default::default(), &Control::new()).unwrap();
    assert_eq!(
        state.innermost(),
        (expected.max_coreness, expected.innermost)
    );
}

fn check_components(graph: &Segmented, state: &components::Components) {
    let expected = connected_components::run(graph, &Control::new()).unwrap();
    assert_eq!(state.labels(), expected.labels);
    assert_eq!(state.components(), expected.components);
    assert_eq!(state.largest(), expected.largest);

    let (mut out, mut incoming) = (graph.reader(), graph.reverse_reader().unwrap());
    for (v, &parent) in (0..).zip(state.forest()) {
        let mut neighbors = Vec::new();
        out.neighbors_into(v, &mut neighbors);
        incoming.neighbors_into(v, &mut neighbors);
        assert!(
            parent == v || neighbors.contains(&parent),
            "{parent} above {v}"
        );
    }
    let roots = (0..)
        .zip(state.forest())
        .filter(|&(v, &parent)| v == parent);
    assert_eq!(roots.count(), state.components());
    let kept = components::Components::restore(&state.labels(), state.forest().to_vec());
    assert_eq!(kept.unwrap().labels(), state.labels());
}

fn update_components(state: &mut components::Components, after: &Segmented, changes: &Changes) {
    state.update(after, changes, &Control::new()).unwrap();
}

fn check_degrees(graph: &Segmented, state: &degrees::Degrees) {
    degrees::verify(graph, state).unwrap();
    assert_eq!(*state, degrees::start(graph, &Control::new()).unwrap());
    let mut edges = vec![0; graph.vertex_count()];
    for v in 0..graph.vertex_count() as VertexId {
        graph.reader().for_each_neighbor(v, |u| {
            edges[v as usize] += 1;
            edges[u as usize] += 1;
        });
    }
    let isolated = edges.iter().filter(|&&edges| edges == 0).count();
    assert_eq!(state.isolated(), isolated as u64);
    let side = state.out();
    let statistics = side.statistics();
    assert_eq!(
        statistics.min,
        side.degrees().iter().copied().min().unwrap_or(0)
    );
    assert_eq!(
        statistics.max,
        side.degrees().iter().copied().max().unwrap_or(0)
    );
    assert_eq!(
        statistics.mean,
        graph.arc_count() as f64 / graph.vertex_count() as f64
    );
    assert_eq!(
        statistics.histogram.iter().sum::<u64>(),
        graph.vertex_count() as u64
    );
    let power = |degree: u32| degree.checked_ilog2().map_or(0, |log| log as usize + 1);
    for (at, &count) in statistics.histogram.iter().enumerate() {
        let expected = side.degrees().iter().filter(|&&degree| power(degree) == at);
        assert_eq!(count, expected.count() as u64);
    }
}

proptest! {
    #[test]
    fn components_follow(history in history()) {
        follow(
            with_in_lists(history),
            |graph| components::start(graph, &Control::new()).unwrap(),
            update_components,
            check_components,
        );
    }

    #[test]
    fn degrees_follow(history in history()) {
        follow(
            history,
            |graph| degrees::start(graph, &Control::new()).unwrap(),
            |state, after, changes| {
                state.update(after, changes);
            },
            check_degrees,
        );
    }

    #[test]
    fn coreness_follows(history in history()) {
        follow(
            undirected(history),
            |graph| k_core::start(graph, &Control::new()).unwrap(),
            |state, after, changes| {
                state.update(after, changes, &Control::new()).unwrap();
            },
            check_coreness,
        );
    }

    #[test]
    fn triangles_follow(history in history()) {
        follow(
            undirected(history),
            |graph| triangles::start(graph, &Control::new()).unwrap(),
            |state, after, changes| {
                state.update(after, changes, &Control::new()).unwrap();
            },
            |graph, state| triangle_count::verify(graph, state.counts()).unwrap(),
        );
    }

    #[test]
    fn distances_follow(history in history(), by_weight in any::<bool>()) {
        let length = if by_weight { Length::Weights } else { Length::Edges };
        follow(
            with_in_lists(history),
            |graph| distances::start(graph, 0, length, &Control::new()).unwrap(),
            |state, after, changes| {
                state.update(after, changes, &Control::new()).unwrap();
            },
            |graph, state| match length {
                Length::Edges => assert_eq!(state.depths(), bfs::reference(graph, 0)),
                Length::Weights => {
                    assert_eq!(state.distances(), delta_stepping::reference(graph, 0));
                }
            },
        );
    }

    #[test]
    fn ranks_follow(history in history(), damping in 0.0..0.95, exponent in -9..-3) {
        let parameters = pagerank::Parameters { damping, tolerance: 10_f64.powi(exponent) };
        follow(
            history,
            |graph| pagerank::start(graph, &parameters, &Control::new()).unwrap(),
            |state, after, changes| {
                state.update(after, changes, &Control::new()).unwrap();
            },
            |graph, state| {
                pagerank::verify(graph, state).unwrap();
                // Exact in a small graph, and a bound between estimates.
                let (left, known) = (residuals_left(graph, state), state.scalars().unsettled);
                assert!(left <= known + 1e-12, "{left}, but {known} are known");
            },
        );
    }
}

/// Sum of the residuals that the ranks of `state` leave: those of vertices after one more
/// push of all, the part that is taken off not among them.
fn residuals_left(graph: &Segmented, state: &pagerank::Ranks) -> f64 {
    let mut left = vec![0.0; graph.vertex_count()];
    let mut reader = graph.reader();
    for (v, residual) in (0..).zip(state.residuals()) {
        let share = (residual - state.scalars().shift) / reader.degree(v) as f64;
        reader.for_each_neighbor(v, |u| left[u as usize] += share);
    }
    state.parameters().damping * left.iter().map(|left: &f64| left.abs()).sum::<f64>()
}

#[test]
fn nothing_is_taken_off_residuals_that_are_small_as_they_are() {
    // 0 → 1 → 2 with exact values, of which an earlier update took too much off.
    let graph = Csr::from_edges(3, &[(0, 1), (1, 2)], StoredLists::Both);
    let parameters = pagerank::Parameters {
        damping: 0.5,
        tolerance: 1e-6,
    };
    let scalars = pagerank::Scalars {
        accuracy: 1e-6,
        unsettled: 1.0,
        shift: 0.5,
    };
    let ranks = [1.0, 1.5, 1.75].map(|value| value - scalars.shift).to_vec();
    let kept = pagerank::Ranks::restore(parameters, (ranks, 1.0), vec![0.0; 3], scalars);
    let mut state = kept.unwrap();
    let unchanged = Changes::default();
    state.update(&graph, &unchanged, &Control::new()).unwrap();
    assert_eq!(
        (state.scalars().unsettled, state.scalars().shift),
        (0.0, 0.0)
    );
    pagerank::verify(&graph, &state).unwrap();
}

#[test]
fn ranks_are_as_exact_as_from_scratch() {
    let control = Control::new();
    let edges: Vec<Entry> = kronecker(12, 8, 27)
        .into_iter()
        .map(|(u, v)| (u, v, 1.0))
        .collect();
    for direction in [StoredLists::Undirected, StoredLists::Both] {
        let graph = |edges: &[Entry]| Csr::from_weighted_edges(1 << 12, edges, direction);
        let (mut first, mut behind) = (0, edges.len() - 2000);
        let mut state =
            pagerank::start(&graph(&edges[first..behind]), &Default::default(), &control).unwrap();
        for size in [1, 3, 10, 30, 100, 300, 1000] {
            let (added, removed) = (&edges[behind..behind + size], &edges[first..first + size]);
            (first, behind) = (first + size, behind + size);
            let after = graph(&edges[first..behind]);
            let changes = Changes::of_edges(direction, added, removed);
            state.update(&after, &changes, &control).unwrap();
            let kept = pagerank::Ranks::restore(
                *state.parameters(),
                (state.ranks(), state.scale()),
                state.residuals().to_vec(),
                state.scalars(),
            );
            state = kept.unwrap();

            let fixed = |count| ranking::Parameters {
                iterations: ranking::Iterations::Fixed(count),
                ..Default::default()
            };
            let ranks = |parameters| ranking::run(&after, &parameters, &control).unwrap().ranks;
            let exact = ranks(fixed(150));
            let error = |ranks: &[f64]| -> f64 {
                ranks.iter().zip(&exact).map(|(a, b)| (a - b).abs()).sum()
            };
            let (found, scratch) = (error(&state.ranks()), error(&ranks(Default::default())));
            assert!(
                found <= scratch,
                "{direction:?} {size}: {found} above {scratch}"
            );
        }
    }
}

/// Components before and after `added` and `removed` edges of an undirected graph.
fn labels_after(edges: &[Entry], added: &[Entry], removed: &[Entry]) -> Vec<VertexId> {
    let mut model = Model {
        direction: StoredLists::Undirected,
        vertices: 6,
        edges: edges.to_vec(),
    };
    let mut state = components::start(&model.graph(), &Control::new()).unwrap();
    for edge in removed {
        let at = model.edges.iter().position(|known| known == edge).unwrap();
        model.edges.remove(at);
    }
    model.edges.extend(added);
    let changes = Changes::of_edges(StoredLists::Undirected, added, removed);
    update_components(&mut state, &model.graph(), &changes);
    check_components(&model.graph(), &state);
    state.labels()
}

#[test]
fn components_split_and_join_where_they_must() {
    let edge = |u, v| (u, v, 1.0);
    let path: Vec<Entry> = (0..5).map(|v| edge(v, v + 1)).collect();
    let cycle: Vec<Entry> = path.iter().copied().chain([edge(5, 0)]).collect();

    // A bridge; an edge of a cycle; two of them.
    assert_eq!(labels_after(&path, &[], &[edge(2, 3)]), [0, 0, 0, 3, 3, 3]);
    assert_eq!(labels_after(&cycle, &[], &[edge(2, 3)]), [0; 6]);
    assert_eq!(
        labels_after(&cycle, &[], &[edge(0, 1), edge(2, 3)]),
        [0, 1, 1, 0, 0, 0]
    );
    // A parallel edge, and both.
    let double = [edge(0, 1), edge(1, 0)];
    assert_eq!(labels_after(&double, &[], &double[..1])[1], 0);
    assert_eq!(labels_after(&double, &[], &double)[1], 1);
    // All edges of a vertex, among them one to itself; the smallest vertex goes.
    let looped: Vec<Entry> = cycle.iter().copied().chain([edge(0, 0)]).collect();
    let around = [edge(0, 0), edge(0, 1), edge(5, 0)];
    assert_eq!(labels_after(&looped, &[], &around), [0, 1, 1, 1, 1, 1]);
    // A bridge is replaced in the same batch.
    assert_eq!(labels_after(&path, &[edge(1, 4)], &[edge(2, 3)]), [0; 6]);
}

/// A state after `added` and `removed` edges of an undirected graph of 6 vertices.
fn after<S>(
    edges: &[Entry],
    added: &[Entry],
    removed: &[Entry],
    start: impl Fn(&Csr) -> S,
    update: impl Fn(&mut S, &Csr, &Changes),
) -> S {
    let graph = |edges: &[Entry]| Csr::from_weighted_edges(6, edges, StoredLists::Undirected);
    let mut state = start(&graph(edges));
    let mut edges = edges.to_vec();
    for edge in removed {
        edges.remove(edges.iter().position(|known| known == edge).unwrap());
    }
    edges.extend(added);
    let changes = Changes::of_edges(StoredLists::Undirected, added, removed);
    update(&mut state, &graph(&edges), &changes);
    state
}

#[test]
fn coreness_counts_parallel_edges_and_self_loops() {
    let edge = |u, v| (u, v, 1.0);
    let coreness = |edges: &[Entry], added: &[Entry], removed: &[Entry]| {
        let state = after(
            edges,
            added,
            removed,
            |graph| k_core::start(graph, &Control::new()).unwrap(),
            |state, graph, changes| {
                state.update(graph, changes, &Control::new()).unwrap();
            },
        );
        state.coreness().to_vec()
    };
    // An isolated vertex rises by two with an edge to itself.
    assert_eq!(coreness(&[], &[edge(0, 0)], &[]), [2, 0, 0, 0, 0, 0]);
    assert_eq!(
        coreness(&[edge(0, 1)], &[edge(0, 1), edge(1, 0)], &[]),
        [3, 3, 0, 0, 0, 0]
    );
    let cycle = [edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 0)];
    assert_eq!(coreness(&cycle, &[], &cycle[3..]), [1, 1, 1, 1, 0, 0]);
    assert_eq!(coreness(&cycle[..3], &cycle[3..], &[]), [2, 2, 2, 2, 0, 0]);
}

#[test]
fn coreness_is_computed_anew_where_searches_read_too_much() {
    let control = Control::new();
    let edges: Vec<Entry> = kronecker(12, 16, 27)
        .into_iter()
        .map(|(u, v)| (u, v, 1.0))
        .collect();
    let graph = |edges: &[Entry]| Csr::from_weighted_edges(1 << 12, edges, StoredLists::Undirected);
    let (first, added) = edges.split_at(edges.len() - 500);
    let mut state = k_core::start(&graph(first), &control).unwrap();
    let after = graph(&edges);
    let changes = Changes::of_edges(StoredLists::Undirected, added, &[]);
    let summary = state.update(&after, &changes, &control).unwrap();
    assert!(summary.edges_read > after.arc_count(), "{summary:?}");
    assert_eq!(state, k_core::start(&after, &control).unwrap());
}

#[test]
fn searches_count_entries_that_are_hidden_from_them() {
    let control = Control::new();
    let star: Vec<Entry> = (1..=10).map(|leaf| (0, leaf, 1.0)).collect();
    let graph = |edges: &[Entry]| Csr::from_weighted_edges(11, edges, StoredLists::Undirected);
    let mut state = k_core::start(&graph(&[]), &control).unwrap();
    let changes = Changes::of_edges(StoredLists::Undirected, &star, &[]);
    let summary = state.update(&graph(&star), &changes, &control).unwrap();
    // The list of the center for the first edge, in which one entry counts, and those
    // of the leaves.
    assert_eq!(summary.edges_read, 10 + 10);
}

#[test]
fn triangles_change_with_the_first_and_the_last_parallel_edge() {
    let edge = |u, v| (u, v, 1.0);
    let count = |edges: &[Entry], added: &[Entry], removed: &[Entry]| {
        let state = after(
            edges,
            added,
            removed,
            |graph| triangles::start(graph, &Control::new()).unwrap(),
            |state, graph, changes| {
                state.update(graph, changes, &Control::new()).unwrap();
            },
        );
        state.counts().triangles
    };
    let triangle = [edge(0, 1), edge(1, 2), edge(2, 0)];
    let double = [edge(0, 1), edge(1, 2), edge(2, 0), edge(1, 0)];
    assert_eq!(count(&triangle, &[edge(1, 0), edge(1, 1)], &[]), 1);
    assert_eq!(count(&double, &[], &[edge(1, 0)]), 1);
    assert_eq!(count(&double, &[], &[edge(1, 0), edge(0, 1)]), 0);
    // All edges of one triangle come, and all of another go.
    assert_eq!(count(&[], &triangle, &[]), 1);
    assert_eq!(
        count(&triangle, &[edge(3, 4), edge(4, 5), edge(5, 3)], &triangle),
        1
    );
}

#[test]
fn what_cannot_be_maintained_is_refused() {
    let out = Csr::from_edges(2, &[(0, 1)], StoredLists::Out);
    let error = components::start(&out, &Control::new()).unwrap_err();
    assert_eq!(error, evergraph_algorithms::RunError::NeedsInLists);
    for (damping, tolerance) in [(1.0, 1e-6), (0.5, 0.0), (0.5, f64::NAN)] {
        let parameters = pagerank::Parameters { damping, tolerance };
        assert!(pagerank::start(&out, &parameters, &Control::new()).is_err());
    }
    assert!(distances::start(&out, 0, Length::Edges, &Control::new()).is_err());
    assert!(k_core::start(&out, &Control::new()).is_err());
    assert!(triangles::start(&out, &Control::new()).is_err());
    assert!(distances::Distances::restore(0, Length::Edges, vec![1.0]).is_none());
    assert!(distances::Distances::restore(1, Length::Edges, vec![0.0]).is_none());
    let loops = Csr::from_edges(2, &[(0, 1)], StoredLists::Both);
    let mut state = distances::start(&loops, 0, Length::Weights, &Control::new()).unwrap();
    let negative = Changes::new(vec![(0, 1, -1.0)], vec![]);
    assert!(state.update(&loops, &negative, &Control::new()).is_err());
    assert!(components::Components::restore(&[0, 0], vec![0]).is_none());
    assert!(components::Components::restore(&[1, 1], vec![1, 1]).is_none());
    assert!(components::Components::restore(&[0, 1], vec![0, 0]).is_none());
    // A cycle instead of a root; two roots; a cycle beside a root.
    assert!(components::Components::restore(&[0, 0], vec![1, 0]).is_none());
    assert!(components::Components::restore(&[0, 0], vec![0, 1]).is_none());
    assert!(components::Components::restore(&[0, 0, 0], vec![0, 2, 1]).is_none());
    assert!(components::Components::restore(&[0, 1, 1, 0], vec![3, 2, 1, 3]).is_none());
    assert!(components::Components::restore(&[0, 1, 1, 0], vec![3, 1, 1, 3]).is_some());
    let scalars = pagerank::Scalars {
        accuracy: 1e-6,
        unsettled: 0.0,
        shift: 0.0,
    };
    assert!(
        pagerank::Ranks::restore(Default::default(), (vec![1.0], 1.0), vec![], scalars).is_none()
    );
}
