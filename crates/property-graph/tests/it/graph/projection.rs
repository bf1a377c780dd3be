//! Algorithms on parts of the property graph, beside the same edges in memory.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph_algorithms::{Control, bellman_ford, connected_components, pagerank};
use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists, Symmetric};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    GraphError, NodeId, Orientation, Projection, ProjectionOptions, PropertyGraph,
};
use evergraph_simulated::Random;
use evergraph_storage::medium::DramStorage;

use super::random::options;

const PEOPLE: usize = 60;
const CITIES: usize = 5;

struct Sample {
    graph: PropertyGraph,
    /// Source, target, type, weight.
    edges: Vec<(u32, u32, &'static str, f32)>,
    labels: BTreeMap<u32, &'static str>,
}

/// People and cities, a third of the relationships deleted, half of it merged.
fn sample() -> Sample {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
    let mut random = Random::new(11);
    let mut labels = BTreeMap::new();
    let mut edges = BTreeMap::new();
    for round in 0..4 {
        let mut transaction = graph.begin();
        for number in 0..(PEOPLE + CITIES) / 4 {
            let label = if number % 13 == 0 { "City" } else { "Person" };
            let node = transaction.create_node(&[label], []).expect("created");
            labels.insert(node.0, label);
        }
        let nodes: Vec<u32> = labels.keys().copied().collect();
        let mut pick = || nodes[random.below(nodes.len() as u64) as usize];
        for number in 0..80 {
            let (source, target) = (pick(), pick());
            let kind = if number % 3 == 0 { "LIKES" } else { "KNOWS" };
            let weight = (number % 7) as f32;
            let cost = (number % 7 > 0).then_some(Value::from(f64::from(weight)));
            let id = transaction.create_relationship(
                NodeId(source),
                kind,
                NodeId(target),
                [("cost", cost.into())],
            );
            let weight = if number % 7 > 0 { weight } else { 2.5 };
            edges.insert(id.expect("created"), (source, target, kind, weight));
        }
        transaction.commit().expect("committed");
        if round == 1 {
            graph.checkpoint().expect("written");
        }
    }
    let doomed: Vec<_> = edges.keys().copied().step_by(3).collect();
    let mut transaction = graph.begin();
    for id in doomed {
        transaction.delete_relationship(id).expect("deleted");
        edges.remove(&id);
    }
    transaction.commit().expect("committed");
    Sample {
        graph,
        edges: edges.into_values().collect(),
        labels,
    }
}

impl Sample {
    fn project(&self, options: &ProjectionOptions) -> Projection {
        self.graph.view().project(options).expect("readable")
    }

    /// The same part in memory.
    fn csr(&self, projection: &Projection, options: &ProjectionOptions) -> Csr {
        let wanted = |node: &u32| {
            let label = self.labels[node];
            options.labels.is_empty() || options.labels.iter().any(|other| other == label)
        };
        let kinds = &options.types;
        let edges: Vec<(u32, u32, f32)> = self
            .edges
            .iter()
            .filter(|(source, target, kind, _)| {
                let has_kind = kinds.is_empty() || kinds.iter().any(|other| other == kind);
                has_kind && wanted(source) && wanted(target)
            })
            .map(|&(source, target, _, weight)| {
                let vertex = |node| projection.vertex(NodeId(node)).expect("wanted");
                let (source, target) = (vertex(source), vertex(target));
                match options.orientation {
                    Orientation::Reversed => (target, source, weight),
                    _ => (source, target, weight),
                }
            })
            .collect();
        let direction = match options.orientation {
            Orientation::Undirected => StoredLists::Undirected,
            _ => StoredLists::Both,
        };
        let count = self.labels.keys().filter(|node| wanted(node)).count();
        match options.weight {
            Some(_) => Csr::from_weighted_edges(count, &edges, direction),
            None => {
                let edges: Vec<(u32, u32)> = edges.iter().map(|&(u, v, _)| (u, v)).collect();
                Csr::from_edges(count, &edges, direction)
            }
        }
    }
}

fn choices() -> Vec<ProjectionOptions> {
    let mut all = Vec::new();
    for orientation in [
        Orientation::Natural,
        Orientation::Reversed,
        Orientation::Undirected,
    ] {
        let all_of_it = ProjectionOptions::new().orientation(orientation);
        all.push(all_of_it.clone());
        all.push(all_of_it.clone().relationship_type("KNOWS"));
        all.push(all_of_it.clone().label("Person"));
        all.push(all_of_it.clone().label("Person").weight("cost", 2.5));
        all.push(all_of_it.weight("cost", 2.5).relationship_type("LIKES"));
    }
    all
}

#[test]
fn algorithms_give_what_they_give_in_memory() {
    let sample = sample();
    let control = Control::new();
    for options in choices() {
        let projection = sample.project(&options);
        let csr = sample.csr(&projection, &options);
        assert_eq!(projection.vertex_count(), csr.vertex_count(), "{options:?}");
        assert_eq!(projection.arc_count(), csr.arc_count(), "{options:?}");
        let parameters = pagerank::Parameters::default();
        let ranks = pagerank::run(&projection, &parameters, &control).expect("run");
        let expected = pagerank::run(&csr, &parameters, &control).expect("run");
        for (rank, expected) in ranks.ranks.iter().zip(&expected.ranks) {
            assert!((rank - expected).abs() < 1e-9, "{options:?}");
        }
        let found = connected_components::run(&projection, &control).expect("run");
        let expected = connected_components::run(&csr, &control).expect("run");
        assert_eq!(found, expected, "{options:?}");
        let found = bellman_ford::run(&projection, 0, false, &control).expect("run");
        let expected = bellman_ford::run(&csr, 0, false, &control).expect("run");
        assert_eq!(found.distances, expected.distances, "{options:?}");
    }
}

#[test]
fn a_projection_is_read_in_both_directions_as_one() {
    let sample = sample();
    let directed = sample.project(&ProjectionOptions::new());
    let undirected = ProjectionOptions::new().orientation(Orientation::Undirected);
    let undirected = sample.project(&undirected);
    let symmetric = Symmetric::of(&directed).expect("it has in-lists");
    assert_eq!(symmetric.arc_count(), undirected.arc_count());
}

#[test]
fn results_are_written_back_as_one_commit() {
    let sample = sample();
    let options = ProjectionOptions::new().label("Person");
    let mut transaction = sample.graph.begin();
    let projection = transaction.snapshot().project(&options).expect("readable");
    let found = connected_components::run(&projection, &Control::new()).expect("run");
    for vertex in 0..projection.vertex_count() as u32 {
        let component = projection.node(found.labels[vertex as usize]).0;
        let set = transaction.set(projection.node(vertex), "component", i64::from(component));
        set.expect("nobody else writes");
    }
    transaction.commit().expect("committed");
    for node in sample.graph.view().nodes() {
        let node = node.expect("readable");
        let value = node.get("component").and_then(Value::as_integer);
        let expected = projection
            .vertex(node.id())
            .map(|vertex| i64::from(projection.node(found.labels[vertex as usize]).0));
        assert_eq!(value, expected);
    }
}

/// Neighbors and weights of each vertex, in order.
fn lists(projection: &Projection) -> Vec<Vec<(u32, f32)>> {
    let mut reader = projection.reader();
    let vertices = 0..projection.vertex_count() as u32;
    vertices
        .map(|vertex| {
            let mut list = Vec::new();
            let _ = reader.for_each_weighted_segment(vertex, |neighbors, weights| {
                let weight = |at: usize| weights.get(at).copied().unwrap_or(1.0);
                let entries = neighbors.iter().enumerate();
                list.extend(entries.map(|(at, &neighbor)| (neighbor, weight(at))));
                ControlFlow::Continue(())
            });
            list
        })
        .collect()
}

#[test]
fn one_can_be_read_as_undirected_later() {
    let sample = sample();
    for options in choices() {
        let later = sample.project(&options).undirected();
        let at_once = options.clone().orientation(Orientation::Undirected);
        let at_once = sample.project(&at_once);
        assert_eq!(later.arc_count(), at_once.arc_count(), "{options:?}");
        assert_eq!(later.relationship_count(), at_once.relationship_count());
        assert_eq!(later.stored_lists(), StoredLists::Undirected);
        let sorted = |mut lists: Vec<Vec<(u32, f32)>>| {
            for list in &mut lists {
                list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            }
            lists
        };
        assert_eq!(
            sorted(lists(&later)),
            sorted(lists(&at_once)),
            "{options:?}"
        );
    }
}

#[test]
fn parts_of_long_lists_are_parts_of_the_list() {
    let sample = sample();
    for options in choices() {
        let projection = sample.project(&options);
        let whole = lists(&projection);
        // One reader for all, which remembers the list before.
        let mut reader = projection.reader();
        for (vertex, list) in (0..).zip(&whole) {
            let mut plain = Vec::new();
            let mut weighted = Vec::new();
            for start in 0..list.len() {
                let _ = reader.for_each_segment_in(vertex, start..start + 1, |part| {
                    plain.extend_from_slice(part);
                    ControlFlow::Continue(())
                });
                let range = start..start + 1;
                let _ = reader.visit_list::<true>(vertex, range, |part, weights| {
                    let weight = weights.first().copied().unwrap_or(1.0);
                    weighted.extend(part.iter().map(|&neighbor| (neighbor, weight)));
                    ControlFlow::Continue(())
                });
            }
            assert_eq!(weighted, *list, "{options:?}");
            let neighbors: Vec<u32> = list.iter().map(|entry| entry.0).collect();
            assert_eq!(plain, neighbors, "{options:?}");
            assert_eq!(reader.degree(vertex), list.len());
        }
    }
}

#[test]
fn weights_are_those_of_the_view() {
    let sample = sample();
    let options = ProjectionOptions::new().weight("cost", 2.5);
    let view = sample.graph.view();
    let before = lists(&view.project(&options).expect("readable"));
    let changed = view.relationships().next().expect("there are some");
    let changed = changed.expect("readable").id();
    sample
        .graph
        .write(|tx| tx.set(changed, "cost", 77))
        .expect("written");
    let now = sample.project(&options);
    let counted = now.weighted().expect("it has weights");
    assert_eq!(counted.relationships, sample.edges.len() as u64);
    let own = |edge: &&(u32, u32, &str, f32)| edge.3 != 2.5;
    let with_weight = sample.edges.iter().filter(own).count() as u64;
    assert!([with_weight, with_weight + 1].contains(&counted.with_weight));
    let of_77 = |lists: &[Vec<(u32, f32)>]| lists.iter().flatten().filter(|e| e.1 == 77.0).count();
    assert_eq!(of_77(&lists(&now)), 1);
    sample.graph.compact().expect("written");
    assert_eq!(lists(&view.project(&options).expect("readable")), before);
    assert_eq!(of_77(&lists(&sample.project(&options))), 1);
    // As long as a bound that is known before it is made.
    assert!(now.size_bytes() <= view.projection_bytes(&options));
    let nobody = ProjectionOptions::new().weight("nobody has this", 3.0);
    let nobody = sample.project(&nobody);
    assert_eq!(
        nobody.weighted().map(|counted| counted.with_weight),
        Some(0)
    );
    assert!(lists(&nobody).iter().flatten().all(|entry| entry.1 == 3.0));
}

#[test]
fn making_one_can_be_stopped() {
    let sample = sample();
    let options = ProjectionOptions::new().label("Person").weight("cost", 1.0);
    let view = sample.graph.view();
    let asked = AtomicUsize::new(0);
    let count = || {
        asked.fetch_add(1, Ordering::Relaxed);
        Ok::<_, GraphError>(())
    };
    view.project_checked(&options, &count).expect("readable");
    let times = asked.load(Ordering::Relaxed);
    assert!(times > 4, "{times}");
    for stop_at in 0..times {
        let asked = AtomicUsize::new(0);
        let stop = || match asked.fetch_add(1, Ordering::Relaxed) >= stop_at {
            true => Err(GraphError::User("stop".into())),
            false => Ok(()),
        };
        let stopped = view.project_checked(&options, &stop);
        assert!(matches!(stopped, Err(GraphError::User(_))));
    }
}

#[test]
fn a_moment_of_another_graph_is_refused() {
    let (one, other) = (sample(), sample());
    let moment = one.graph.view().moment();
    let again = one.graph.view_of(&moment).expect("its own");
    assert_eq!(again.csn(), moment.csn());
    assert!(other.graph.view_of(&moment).is_err());
    let labels = again.known_labels();
    let mut labels: Vec<&str> = labels.iter().map(|label| &**label).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["City", "Person"]);
}
