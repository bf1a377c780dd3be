//! Algorithms on parts of the property graph, beside the same edges in memory.

use std::collections::BTreeMap;

use evergraph_algorithms::{Control, bellman_ford, connected_components, pagerank};
use evergraph_graph::{Csr, Direction, Graph, Symmetric};
use evergraph_persistence::medium::DramStorage;
use evergraph_persistence::simulated::Random;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    NodeId, Orientation, Projection, ProjectionOptions, PropertyGraph,
};

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
            Orientation::Undirected => Direction::Undirected,
            _ => Direction::Both,
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
    let written = transaction.write_back(&projection, "component", |vertex| {
        Value::from(i64::from(projection.node(found.labels[vertex as usize]).0))
    });
    assert_eq!(
        written.expect("nobody else writes"),
        projection.vertex_count()
    );
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
