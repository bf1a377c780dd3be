//! Every algorithm of the registry takes the DRAM that it says, and writes
//! nothing to the medium.
//!
//! One test, as the allocator counts the whole process. With EVERGRAPH_PRINT it says
//! what each run took.

#[path = "../src/memory.rs"]
mod memory;

use std::time::Instant;

use evergraph::graph::{Shape, StoredLists};
use evergraph::run::{Algorithm, Dram, Kind, Outcome, Parameter, Request, algorithms, run};
use evergraph::run::{Weights, find};
use evergraph::{Batch, Control, Database, Edges, Error, MediumKind, Options, Seal};

use StoredLists::{Both, Out, Undirected};

type Pairs = Vec<(u32, u32)>;

/// Cases in which bounds are checked. Small graphs show what does not depend on the size,
/// and what each thread has; large ones what each vertex has.
struct Case {
    vertices: u32,
    shapes: &'static [&'static str],
    directions: &'static [StoredLists],
    threads: &'static [usize],
    /// Each value of each parameter that chooses what is computed, too.
    variants: bool,
}

const ALL_SHAPES: &[&str] = &["kronecker", "path", "star", "empty", "signed"];
const ALL_DIRECTIONS: &[StoredLists] = &[Undirected, Out, Both];

const CASES: &[Case] = &[
    Case {
        vertices: 8,
        shapes: ALL_SHAPES,
        directions: ALL_DIRECTIONS,
        threads: &[1, 2],
        variants: true,
    },
    Case {
        vertices: 64,
        shapes: ALL_SHAPES,
        directions: ALL_DIRECTIONS,
        threads: &[1, 2],
        variants: true,
    },
    Case {
        vertices: 512,
        shapes: ALL_SHAPES,
        directions: ALL_DIRECTIONS,
        threads: &[1, 2],
        variants: true,
    },
    Case {
        vertices: 8_192,
        shapes: ALL_SHAPES,
        directions: ALL_DIRECTIONS,
        threads: &[2],
        variants: false,
    },
    Case {
        vertices: 8_192,
        shapes: &["kronecker"],
        directions: &[Both],
        threads: &[1],
        variants: true,
    },
    Case {
        vertices: 32_768,
        shapes: &["kronecker"],
        directions: ALL_DIRECTIONS,
        threads: &[2],
        variants: false,
    },
    Case {
        vertices: 32_768,
        shapes: &["path", "star", "signed"],
        directions: &[Both],
        threads: &[2],
        variants: false,
    },
];

#[test]
fn runs_keep_to_their_memory_and_write_nothing() {
    what_improves_often_is_listed_once();
    sealing_keeps_to_its_limit();
    let print = std::env::var_os("EVERGRAPH_PRINT").is_some();
    let mut complaints = Vec::new();
    for case in CASES {
        for shape in case.shapes {
            let edges = edges(shape, case.vertices);
            for &direction in case.directions {
                let signed = *shape == "signed";
                let db = database(case.vertices, &edges, direction, signed);
                for &threads in case.threads {
                    for algorithm in algorithms() {
                        if signed && algorithm.weights == Weights::Ignored
                            || takes_long(algorithm, shape, case.vertices)
                        {
                            continue;
                        }
                        let mut variants = variants(algorithm);
                        variants.truncate(if case.variants { usize::MAX } else { 1 });
                        for variant in variants {
                            let started = Instant::now();
                            let Some(outcome) = outcome(&db, algorithm, &variant, threads) else {
                                continue;
                            };
                            let name = format!(
                                "{} {variant:?} on {shape} of {} vertices, {direction:?}, \
                                 {threads} threads",
                                algorithm.name, case.vertices
                            );
                            if print {
                                let bound = outcome.dram_bound;
                                println!(
                                    "{:.3} s, {:.2} of the bound: {name}",
                                    started.elapsed().as_secs_f64(),
                                    outcome.dram_bytes.unwrap_or(0) as f64 / bound as f64
                                );
                            }
                            let complaint = complaint(&name, algorithm, &outcome, threads);
                            if let (true, Some(complaint)) = (print, &complaint) {
                                println!("COMPLAINT {complaint}");
                            }
                            complaints.extend(complaint);
                        }
                    }
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// With half of what the copy takes, as the allocator counts it, sealing is ended, though
/// nothing refuses it before.
fn sealing_keeps_to_its_limit() {
    const VERTICES: u32 = 32_768;
    let edges = edges("kronecker", VERTICES);
    let db = database(VERTICES, &edges, Both, false);
    for shape in [Shape::Sorted, Shape::Simple, Shape::Symmetric] {
        let wanted = Seal {
            shape,
            ..Seal::default()
        };
        let seal = |limit| {
            let control = Control::new().with_memory_limit(memory::METER.current, limit);
            db.seal(&db.view(), &wanted, &control)
        };
        let bytes = seal(u64::MAX).expect("there is room").graph.bytes;
        db.drop_sealed(&wanted.name()).expect("dropped");
        let error = seal(bytes / 2).expect_err("it takes more");
        let summary = error.summary();
        assert!(
            summary.starts_with("sealing needs "),
            "{shape:?}: {summary}"
        );
        assert_eq!(db.sealed_graphs(), []);
    }
}

/// Whether it would take a large part of the test's time. Sketches of a path are as long
/// as it; what they take is a parameter.
fn takes_long(algorithm: &Algorithm, shape: &str, vertices: u32) -> bool {
    algorithm.name == "influence-maximization" && shape == "path" && vertices > 512
}

/// Returns a complaint if a run breaks its bounds.
fn complaint(
    name: &str,
    algorithm: &Algorithm,
    outcome: &Outcome,
    threads: usize,
) -> Option<String> {
    if outcome.medium_writes != 0 {
        return Some(format!("{name} writes {}", outcome.medium_writes));
    }
    let (taken, bound) = (
        outcome.dram_bytes.expect("it is measured"),
        outcome.dram_bound,
    );
    let room = Dram::FIXED + Dram::THREAD * threads as u64;
    let words = |bytes: u64| bytes as f64 / 8.0 / outcome.vertices as f64;
    (taken > bound).then(|| {
        format!(
            "{name} takes {taken} bytes ({:.2}n words), more than {bound}: {}",
            words(taken.saturating_sub(room)),
            algorithm.dram.text()
        )
    })
}

/// Lists of vertices that are no sets would grow far beyond the graph: with each round
/// where there are negative cycles, and where each of many vertices lowers the distances
/// of all others.
fn what_improves_often_is_listed_once() {
    let complete = |vertices: u32| {
        let pairs = (0..vertices).flat_map(move |u| (0..vertices).map(move |v| (u, v)));
        let edges: Pairs = pairs.filter(|(u, v)| u != v).collect();
        weighted_database(vertices, &edges, Out, |_, _| -1.0)
    };
    let (middle, last) = (512, 1023);
    let first = (1..=middle).map(|v| (0, v));
    let second = (1..=middle).flat_map(|u| (middle + 1..=last).map(move |v| (u, v)));
    let weight = |u: u32, _| {
        if u == 0 {
            1.0
        } else {
            (100_000 - 150 * u) as f32
        }
    };
    let falling = weighted_database(last + 1, &first.chain(second).collect(), Out, weight);
    let of_falling =
        ["bellman-ford", "delta-stepping", "weighted-bfs"].map(|name| (name, &falling));
    let (small, large) = (complete(9), complete(40));
    let of_complete = [("bellman-ford", &small), ("bellman-ford", &large)];
    for (name, db) in of_falling.into_iter().chain(of_complete) {
        let algorithm = find(name).expect("it is registered");
        for threads in [1, 2] {
            let source = [("source".to_string(), "0".to_string())];
            let outcome = outcome(db, algorithm, &source, threads).expect("it takes all weights");
            assert_eq!(complaint(name, algorithm, &outcome, threads), None);
        }
    }
}

fn edges(shape: &str, vertices: u32) -> Pairs {
    match shape {
        "kronecker" | "signed" => evergraph_generators::kronecker(vertices.ilog2(), 8, 27),
        "path" => (1..vertices).map(|v| (v - 1, v)).collect(),
        "star" => (1..vertices).map(|v| (0, v)).collect(),
        "empty" => Vec::new(),
        other => unreachable!("no shape is called {other}"),
    }
}

fn database(vertices: u32, edges: &Pairs, direction: StoredLists, signed: bool) -> Database {
    let least = if signed { -4 } else { 1 };
    let weight = |u: u32, v: u32| (((u ^ v) % 9) as i32 + least) as f32;
    weighted_database(vertices, edges, direction, weight)
}

/// A database on a medium that counts.
fn weighted_database(
    vertices: u32,
    edges: &Pairs,
    direction: StoredLists,
    weight: impl Fn(u32, u32) -> f32,
) -> Database {
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
    batch.add_vertices(vertices.into());
    batch.insert_columns(Edges {
        sources: edges.iter().map(|edge| edge.0).collect(),
        targets: edges.iter().map(|edge| edge.1).collect(),
        weights: edges.iter().map(|&(u, v)| weight(u, v)).collect(),
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

/// Outcome of a run; `None` if it does not take the weights or so few vertices.
fn outcome(
    db: &Database,
    algorithm: &Algorithm,
    parameters: &[(String, String)],
    threads: usize,
) -> Option<Outcome> {
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
    if takes("simulations") {
        give("simulations", "8");
        give("epsilon", "0.9");
    }
    let request = Request {
        algorithm: algorithm.name.to_string(),
        parameters,
        threads: Some(threads),
        ..Request::default()
    };
    let view = db.view();
    match run(db, &view, &request, &Control::new(), Some(memory::METER)) {
        Ok(outcome) => Some(outcome),
        Err(error) if is_refusal(&error) => None,
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Whether it says that the algorithm is not for such a graph.
fn is_refusal(error: &Error) -> bool {
    error.summary().contains(" has weight ")
}
