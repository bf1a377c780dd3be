//! Every algorithm of the registry takes the DRAM that it says, and writes
//! nothing to the medium.
//!
//! One test, as the allocator counts the whole process.

#[path = "../src/memory.rs"]
mod memory;

use evergraph::graph::Direction;
use evergraph::run::{Algorithm, Dram, Kind, Outcome, Parameter, Request, algorithms, run};
use evergraph::{Batch, Control, Database, Edges, MediumKind, Options};

const SCALE: u32 = 15;
const THREADS: usize = 2;

#[test]
fn runs_keep_to_their_memory_and_write_nothing() {
    let kronecker = evergraph_generators::kronecker(SCALE, 8, 27);
    let path: Vec<(u32, u32)> = (0..(1 << SCALE) - 1).map(|v| (v, v + 1)).collect();
    let star: Vec<(u32, u32)> = (1..1 << SCALE).map(|v| (0, v)).collect();
    let mut complaints = Vec::new();
    for (graph, edges) in [("kronecker", &kronecker), ("path", &path), ("star", &star)] {
        for direction in [Direction::Undirected, Direction::Out, Direction::Both] {
            let db = database(edges, direction);
            for algorithm in algorithms() {
                for variant in variants(algorithm) {
                    let outcome = outcome(&db, algorithm, &variant);
                    let name = format!("{} {variant:?} on {graph}, {direction:?}", algorithm.name);
                    if outcome.medium_writes != 0 {
                        complaints.push(format!("{name} writes {}", outcome.medium_writes));
                    }
                    let (taken, bound) = (outcome.dram_bytes, outcome.dram_bound);
                    let room = Dram::FIXED + Dram::THREAD * THREADS as u64;
                    let words = |bytes: u64| bytes as f64 / 8.0 / f64::from(1 << SCALE);
                    let taken = taken.expect("it is measured");
                    if taken > bound {
                        complaints.push(format!(
                            "{name} takes {taken} bytes ({:.2}n words), more than {bound}: {}",
                            words(taken.saturating_sub(room)),
                            algorithm.dram.text()
                        ));
                    }
                    if std::env::var_os("EVERGRAPH_PRINT").is_some() {
                        println!(
                            "{name}: {:.2}n words of {:.2}n",
                            words(taken),
                            words(bound - room)
                        );
                    }
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// A database with weights on a medium that counts.
fn database(edges: &[(u32, u32)], direction: Direction) -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        emulated: Some(None),
        direction,
        weighted: true,
        background: false,
        ..Options::default()
    };
    let db = Database::create("nowhere", &options).expect("a database in memory");
    let mut batch = Batch::new();
    batch.add_vertices(1 << SCALE);
    batch.insert_columns(Edges {
        sources: edges.iter().map(|edge| edge.0).collect(),
        targets: edges.iter().map(|edge| edge.1).collect(),
        weights: edges
            .iter()
            .map(|&(u, v)| ((u ^ v) % 9 + 1) as f32)
            .collect(),
    });
    db.commit(batch).expect("edges are added");
    db.checkpoint().expect("they are merged");
    let written = db.counters().map(|counters| counters.media_writes);
    assert!(written > Some(0), "the medium counts");
    db
}

/// The parameters that choose what is computed, each alone, and none.
fn variants(algorithm: &Algorithm) -> Vec<Vec<(String, String)>> {
    let pair = |name: &str, value: &str| vec![(name.to_string(), value.to_string())];
    let mut variants = vec![vec![]];
    for parameter in algorithm.parameters {
        match parameter.kind {
            Kind::Choice(words) => {
                // The weights are no probabilities.
                let fits = |word: &&&str| (parameter.name, **word) != ("probabilities", "weights");
                let words = words.iter().filter(fits);
                variants.extend(words.map(|w| pair(parameter.name, w)));
            }
            Kind::Switch => variants.push(pair(parameter.name, "true")),
            _ => {}
        }
    }
    variants
}

fn outcome(db: &Database, algorithm: &Algorithm, parameters: &[(String, String)]) -> Outcome {
    let name = format!("{} {parameters:?}", algorithm.name);
    let mut parameters = parameters.to_vec();
    // From every vertex of a path the searches would take too long.
    let takes = |name: &str| {
        let named = |parameter: &Parameter| parameter.name == name;
        algorithm.parameters.iter().any(named)
    };
    let mut give = |name: &str, few: &str| parameters.push((name.to_string(), few.to_string()));
    if takes("samples") {
        give("samples", "4");
    }
    // Sketches of a path are as long as it.
    if takes("simulations") {
        give("simulations", "8");
        give("epsilon", "0.9");
    }
    let request = Request {
        algorithm: algorithm.name.to_string(),
        parameters,
        threads: Some(THREADS),
        ..Request::default()
    };
    let view = db.view();
    let meter = Some(memory::METER);
    run(db, &view, &request, &Control::new(), meter)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}
