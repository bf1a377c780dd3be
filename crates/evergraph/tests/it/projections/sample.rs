//! A property graph, and parts of it as plain edges.

use std::collections::BTreeMap;

use evergraph::graph::StoredLists;
use evergraph::property::value::Value;
use evergraph::property::{NodeId, Orientation, ProjectionOptions};
use evergraph::run::{Outcome, Request, Values};
use evergraph::{Batch, Control, Database, Edges, Error, MediumKind, Options};

/// Nodes of the sample.
pub const NODES: u32 = 60;
/// Weight of relationships that have none of their own.
pub const DEFAULT: f32 = 9.0;

/// Source, target, type, weight.
type Relationship = (u32, u32, &'static str, f32);

/// A property graph and what is in it.
pub struct Sample {
    pub db: Database,
    pub labels: BTreeMap<u32, &'static str>,
    relationships: Vec<Relationship>,
}

/// People, every fifth node a city; a part of it merged, a part deleted.
pub fn sample() -> Sample {
    let db = empty(true, false, StoredLists::Both);
    let mut labels = BTreeMap::new();
    let mut relationships = Vec::new();
    let graph = db.property_graph().expect("it is one");
    for round in 0..3 {
        let mut transaction = graph.begin();
        for number in 0..NODES / 3 {
            let label = if number % 5 == 2 { "City" } else { "Person" };
            let name = format!("{label} {number}");
            let node = transaction.create_node(&[label], [("name", name.into())]);
            labels.insert(node.expect("created").0, label);
        }
        let mut doomed = Vec::new();
        let known = labels.len() as u32;
        for number in 0..90_u32 {
            // Some loops and some parallel ones among them.
            let (source, target) = (number * 7 % known, (number * number + round) % known);
            let kind = if number % 3 == 1 { "LIKES" } else { "KNOWS" };
            let weight = (number % 7) as f32;
            let own = (number % 7 > 0).then_some(Value::from(f64::from(weight)));
            let id = transaction
                .create_relationship(NodeId(source), kind, NodeId(target), [("cost", own.into())])
                .expect("created");
            let weight = if number % 7 > 0 { weight } else { DEFAULT };
            match number % 8 {
                5 => doomed.push(id),
                _ => relationships.push((source, target, kind, weight)),
            }
        }
        transaction.commit().expect("committed");
        if round == 1 {
            graph.checkpoint().expect("written");
        }
        let mut transaction = graph.begin();
        for id in doomed {
            transaction.delete_relationship(id).expect("deleted");
        }
        transaction.commit().expect("committed");
    }
    Sample {
        db,
        labels,
        relationships,
    }
}

fn empty(property_graph: bool, weighted: bool, direction: StoredLists) -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph,
        weighted,
        direction,
        background: false,
        log_bytes: 1 << 22,
        ..Options::default()
    };
    Database::create("nowhere", &options).expect("a database in memory")
}

impl Sample {
    /// The nodes of a part, in the order of its vertices.
    pub fn nodes(&self, part: &ProjectionOptions) -> Vec<u32> {
        let wanted =
            |label: &&str| part.labels.is_empty() || part.labels.iter().any(|other| other == label);
        let nodes = self.labels.iter();
        nodes
            .filter(|(_, label)| wanted(label))
            .map(|(&node, _)| node)
            .collect()
    }

    /// A part as a database of plain edges, each list in the order of the part's.
    pub fn plain(&self, part: &ProjectionOptions) -> Database {
        let direction = match part.orientation {
            Orientation::Undirected => StoredLists::Undirected,
            Orientation::Natural | Orientation::Reversed => StoredLists::Both,
        };
        let db = empty(false, part.weight.is_some(), direction);
        let nodes = self.nodes(part);
        db.add_vertices(nodes.len() as u32).expect("added");
        let vertex = |node: u32| nodes.binary_search(&node).ok().map(|at| at as u32);
        let mut edges = Edges::default();
        // The lists of one type come before those of the next.
        for kind in ["KNOWS", "LIKES"] {
            if !part.types.is_empty() && !part.types.iter().any(|other| other == kind) {
                continue;
            }
            for &(source, target, _, weight) in
                self.relationships.iter().filter(|edge| edge.2 == kind)
            {
                let (Some(source), Some(target)) = (vertex(source), vertex(target)) else {
                    continue;
                };
                let (source, target) = match part.orientation {
                    Orientation::Reversed => (target, source),
                    _ => (source, target),
                };
                edges.sources.push(source);
                edges.targets.push(target);
                if part.weight.is_some() {
                    edges.weights.push(weight);
                }
            }
        }
        let mut batch = Batch::new();
        batch.insert_columns(edges);
        db.commit(batch).expect("committed");
        db
    }

    /// Runs an algorithm on a part of it.
    pub fn run(
        &self,
        algorithm: &str,
        parameters: &[(&str, &str)],
        part: &ProjectionOptions,
    ) -> Result<Outcome, Error> {
        let request = Request {
            projection: Some(part.clone()),
            ..request(algorithm, parameters)
        };
        run(&self.db, &request)
    }
}

/// A request without a part.
pub fn request(algorithm: &str, parameters: &[(&str, &str)]) -> Request {
    let owned = |&(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    Request {
        algorithm: algorithm.to_string(),
        parameters: parameters.iter().map(owned).collect(),
        threads: Some(2),
        ..Request::default()
    }
}

/// Runs a request on the graph of now.
pub fn run(db: &Database, request: &Request) -> Result<Outcome, Error> {
    evergraph::run::run(db, &db.view(), request, &Control::new(), None)
}

/// Parts that leave nodes, types or nothing out, in each orientation.
pub fn parts() -> Vec<ProjectionOptions> {
    let mut parts = Vec::new();
    for orientation in [
        Orientation::Natural,
        Orientation::Reversed,
        Orientation::Undirected,
    ] {
        let all = ProjectionOptions::new().orientation(orientation);
        parts.push(all.clone());
        parts.push(all.clone().relationship_type("LIKES"));
        parts.push(all.clone().label("Person"));
        parts.push(all.clone().weight("cost", DEFAULT));
        let known = all.label("Person").relationship_type("KNOWS");
        parts.push(known.weight("cost", DEFAULT));
    }
    parts
}

/// Values whose floating-point numbers may differ by rounding.
#[track_caller]
pub fn assert_same(found: &Values, expected: &Values, name: &str) {
    match (found, expected) {
        (Values::Reals(found), Values::Reals(expected)) => {
            assert_eq!(found.len(), expected.len(), "{name}");
            for (found, expected) in found.iter().zip(expected) {
                let near = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
                assert!(near || found == expected, "{name}: {found} {expected}");
            }
        }
        _ => assert_eq!(found, expected, "{name}"),
    }
}
