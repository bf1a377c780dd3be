//! Every algorithm of the registry, whatever it is: on strange graphs, with
//! strange arguments, stopped, and on the same edges stored in several ways.
//!
//! A new algorithm is covered by being registered.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use evergraph::graph::{Bytes, StoredLists};
use evergraph::run::{
    Algorithm, Determinism, Fact, Kind, MemoryMeter, Needs, Outcome, Request, Weights, algorithms,
    find,
};
use evergraph::{Batch, Cancellation, Control, Database, Edges, Error, MediumKind, Options};

const DIRECTIONS: [StoredLists; 3] = [StoredLists::Undirected, StoredLists::Out, StoredLists::Both];

type Weighted = (u32, u32, f32);

/// A database of `n` vertices in DRAM.
fn database(n: u32, edges: &[(u32, u32)], direction: StoredLists) -> Database {
    let db = empty(direction, false);
    if n > 0 {
        db.add_vertices(n).expect("vertices are added");
    }
    if !edges.is_empty() {
        db.insert_edges(edges).expect("edges are added");
    }
    db
}

fn weighted_database(n: u32, edges: &[Weighted], direction: StoredLists) -> Database {
    let db = empty(direction, true);
    db.add_vertices(n).expect("vertices are added");
    let mut batch = Batch::new();
    batch.insert_columns(Edges {
        sources: edges.iter().map(|edge| edge.0).collect(),
        targets: edges.iter().map(|edge| edge.1).collect(),
        weights: edges.iter().map(|edge| edge.2).collect(),
    });
    db.commit(batch).expect("edges are added");
    db
}

fn empty(direction: StoredLists, weighted: bool) -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        direction,
        weighted,
        background: false,
        log_bytes: 1 << 22,
        ..Options::default()
    };
    Database::create("nowhere", &options).expect("a database in memory")
}

fn request(algorithm: &Algorithm, parameters: &[(&str, &str)], threads: usize) -> Request {
    let owned = |&(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    Request {
        algorithm: algorithm.name.to_string(),
        parameters: parameters.iter().map(owned).collect(),
        threads: Some(threads),
        ..Request::default()
    }
}

fn run(db: &Database, request: &Request, control: &Control<'_>) -> Result<Outcome, Error> {
    let view = db.view();
    let given = format!("{} {:?}", request.algorithm, request.parameters);
    let ran = AssertUnwindSafe(|| evergraph::run::run(db, &view, request, control, None));
    std::panic::catch_unwind(ran).unwrap_or_else(|_| panic!("{given} panics"))
}

/// The parameters that choose what is computed, each alone, and none.
fn variants(algorithm: &Algorithm) -> Vec<Vec<(&'static str, &'static str)>> {
    let mut variants = vec![vec![]];
    for parameter in algorithm.parameters {
        match parameter.kind {
            Kind::Choice(words) => {
                variants.extend(words.iter().map(|w| vec![(parameter.name, *w)]))
            }
            Kind::Switch => variants.push(vec![(parameter.name, "true")]),
            _ => {}
        }
    }
    variants
}

/// A result that its verifier accepts, or an error that says what to do.
#[track_caller]
fn result_or_clear_error(
    db: &Database,
    algorithm: &Algorithm,
    parameters: &[(&'static str, &'static str)],
) -> Option<Outcome> {
    let mut parameters = parameters.to_vec();
    parameters.push(("verify", "true"));
    let name = format!("{} {parameters:?}", algorithm.name);
    match run(db, &request(algorithm, &parameters, 2), &Control::new()) {
        Ok(outcome) => {
            assert_eq!(outcome.verified, Some(Ok(())), "{name}");
            assert_eq!(outcome.medium_writes, 0, "{name}");
            Some(outcome)
        }
        Err(error) => {
            assert!(!error.summary().is_empty(), "{name}");
            assert!(!error.hint().is_empty(), "{name}");
            None
        }
    }
}

#[test]
fn a_graph_without_vertices_is_refused() {
    for direction in DIRECTIONS {
        let db = database(0, &[], direction);
        for algorithm in algorithms() {
            let error = run(&db, &request(algorithm, &[], 1), &Control::new());
            let error = error.expect_err(algorithm.name);
            assert_eq!(error.summary(), "the graph has no vertices");
        }
    }
}

#[test]
fn strange_graphs_give_results() {
    let loops = [(0, 0), (0, 0), (1, 1), (0, 1), (0, 1), (1, 0)];
    let isolated = [(1, 2), (2, 3), (3, 1)];
    let chain: Vec<(u32, u32)> = (0..20).map(|v| (v, v + 1)).collect();
    let star: Vec<(u32, u32)> = (1..20).map(|v| (0, v)).collect();
    let graphs: [(u32, &[(u32, u32)]); 6] = [
        (1, &[]),
        (5, &[]),
        (3, &loops),
        (6, &isolated),
        (21, &chain),
        (20, &star),
    ];
    for (n, edges) in graphs {
        for direction in DIRECTIONS {
            for db in [
                database(n, edges, direction),
                weighted_database(
                    n,
                    &edges.iter().map(|&(u, v)| (u, v, 2.0)).collect::<Vec<_>>(),
                    direction,
                ),
            ] {
                for algorithm in algorithms() {
                    for variant in variants(algorithm) {
                        let outcome = result_or_clear_error(&db, algorithm, &variant);
                        let weights = db.config().weighted;
                        let must = algorithm.weights != Weights::Required || weights;
                        assert!(
                            outcome.is_some() || !must || !variant.is_empty(),
                            "{} gives no result for {n} vertices, {edges:?}, {direction:?}",
                            algorithm.name
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn sources_that_do_not_exist_are_named() {
    let db = database(4, &[(0, 1), (1, 2)], StoredLists::Both);
    let mut asked = 0;
    for algorithm in algorithms() {
        for parameter in algorithm.parameters {
            let value = match parameter.kind {
                Kind::Vertex | Kind::Vertices => "4",
                Kind::Pairs => "0:4",
                _ => continue,
            };
            asked += 1;
            let given = [(parameter.name, value)];
            let error = run(&db, &request(algorithm, &given, 1), &Control::new());
            let error = error.expect_err(algorithm.name).summary();
            assert!(error.contains("there is no vertex \"4\""), "{error}");
            // A vertex without edges is one like others.
            let given = [(parameter.name, value.replace('4', "3"))];
            let given = given.each_ref().map(|(name, value)| (*name, &**value));
            let mut wanted = request(algorithm, &given, 1);
            wanted
                .parameters
                .push(("verify".to_string(), "true".to_string()));
            match run(&db, &wanted, &Control::new()) {
                Ok(outcome) => assert_eq!(outcome.verified, Some(Ok(())), "{}", algorithm.name),
                Err(error) => assert!(algorithm.weights == Weights::Required, "{error}"),
            }
        }
    }
    assert!(asked > 0);
}

#[test]
fn odd_weights_give_results_or_name_the_edge() {
    let odd = [
        f32::NAN,
        -1.0,
        0.0,
        -0.0,
        0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE,
    ];
    for weight in odd {
        for direction in DIRECTIONS {
            let edges = [(0, 1, 1.0), (1, 2, weight), (2, 3, 1.0), (3, 0, 2.0)];
            let db = weighted_database(5, &edges, direction);
            for algorithm in algorithms() {
                for variant in variants(algorithm) {
                    let wanted = request(algorithm, &variant, 2);
                    let name = format!("{} with weight {weight}", algorithm.name);
                    match run(&db, &wanted, &Control::new()) {
                        Ok(_) => assert!(
                            !weight.is_nan() || !reads_weights(algorithm, &variant),
                            "{name} gives a result"
                        ),
                        Err(error) => {
                            let error = error.summary();
                            let named = error.starts_with("the edge from ")
                                && (error.contains("1 to 2") || error.contains("2 to 1"));
                            assert!(algorithm.weights != Weights::Ignored, "{name}: {error}");
                            assert!(named || !variant.is_empty(), "{name}: {error}");
                        }
                    }
                }
            }
        }
    }
}

/// Whether weights count in a run with these parameters.
fn reads_weights(algorithm: &Algorithm, parameters: &[(&str, &str)]) -> bool {
    match algorithm.weights {
        Weights::Ignored => false,
        Weights::OnRequest => parameters.iter().any(|&(_, word)| word == "weights"),
        Weights::Used | Weights::Required => true,
    }
}

fn random_edges(scale: u32) -> Vec<(u32, u32)> {
    evergraph_generators::kronecker(scale, 8, 27)
}

#[test]
fn undirected_problems_do_not_depend_on_how_edges_are_stored() {
    let edges = random_edges(7);
    let weighted: Vec<Weighted> = edges
        .iter()
        .map(|&(u, v)| (u, v, ((u + v) % 7 + 1) as f32))
        .collect();
    for algorithm in algorithms() {
        let undirected = matches!(
            algorithm.needs,
            Needs::AnyLists | Needs::Undirected | Needs::Simple
        );
        if !undirected || matches!(algorithm.determinism, Determinism::Except(_)) {
            continue;
        }
        let outcomes = DIRECTIONS.map(|direction| {
            let db = weighted_database(128, &weighted, direction);
            run(&db, &request(algorithm, &[], 2), &Control::new()).expect(algorithm.name)
        });
        for other in &outcomes[1..] {
            assert_eq!(outcomes[0].result, other.result, "{}", algorithm.name);
            assert_eq!(outcomes[0].values, other.values, "{}", algorithm.name);
        }
    }
}

#[test]
fn every_form_of_the_graph_gives_the_result() {
    let edges = random_edges(8);
    let weighted: Vec<Weighted> = edges
        .iter()
        .map(|&(u, v)| (u, v, ((u + v) % 7 + 1) as f32))
        .collect();
    for direction in DIRECTIONS {
        let db = weighted_database(256, &weighted, direction);
        for algorithm in algorithms() {
            let outcomes = ["live", "sealed", "compressed", "sealed"].map(|form| {
                result_or_clear_error(&db, algorithm, &[("graph", form)]).expect(algorithm.name)
            });
            let prepared = |at: usize| outcomes[at].prepared.as_ref().map(|made| &*made.what);
            assert!(prepared(1).is_some_and(|what| what.contains("sealed copy")));
            assert!(prepared(2).is_some_and(|what| what.contains("compressed copy")));
            assert!(prepared(3).is_some_and(|what| what.starts_with("cached sealed copy")));
        }
    }
}

#[test]
fn simple_copies_have_no_parallel_edges_and_no_loops() {
    // Every edge of a complete graph of four vertices in both directions, twice.
    let ends = (0..4).flat_map(|u| (0..4).map(move |v| (u, v)));
    let edges: Vec<(u32, u32)> = ends.clone().chain(ends).collect();
    for direction in DIRECTIONS {
        let db = database(4, &edges, direction);
        let simple = request(find("k-core").unwrap(), &[("graph", "simple")], 1);
        let outcome = run(&db, &simple, &Control::new()).unwrap();
        assert_eq!(outcome.result[0], ("max_coreness".into(), Fact::Whole(3)));
        for algorithm in algorithms() {
            let outcome = result_or_clear_error(&db, algorithm, &[("graph", "simple")]);
            if let Some(outcome) = outcome {
                let made = outcome.prepared.expect("a copy").what;
                assert!(made.contains("simple"), "{}: {made}", algorithm.name);
            }
        }
    }
}

#[test]
fn threads_do_not_change_results() {
    let edges = random_edges(10);
    let db = database(1 << 10, &edges, StoredLists::Both);
    for algorithm in algorithms() {
        if matches!(algorithm.determinism, Determinism::Except(_))
            || algorithm.weights == Weights::Required
        {
            continue;
        }
        let outcome = |threads| {
            run(&db, &request(algorithm, &[], threads), &Control::new()).expect(algorithm.name)
        };
        let (one, four) = (outcome(1), outcome(4));
        assert_eq!(one.values, four.values, "{}", algorithm.name);
        assert_eq!(one.result, four.result, "{}", algorithm.name);
    }
}

#[test]
fn runs_can_be_stopped_at_any_moment() {
    let edges = random_edges(11);
    let weighted: Vec<Weighted> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
    let db = weighted_database(1 << 11, &weighted, StoredLists::Both);
    for algorithm in algorithms() {
        let stopped = Cancellation::new();
        stopped.cancel();
        let controls = [
            Control::new().with_cancellation(&stopped),
            Control::new().with_deadline(Instant::now()),
        ];
        for control in controls {
            let error = run(&db, &request(algorithm, &[], 2), &control);
            let error = error.expect_err(algorithm.name);
            assert!(matches!(error, Error::Interrupted { .. }), "{error}");
        }
        // After its first report of progress, the second, and so on.
        for round in 0..6_u64 {
            let cancellation = Cancellation::new();
            let reports = AtomicU64::new(0);
            let progress = |_| {
                if reports.fetch_add(1, Ordering::Relaxed) == round {
                    cancellation.cancel();
                }
            };
            let control = Control::new()
                .with_cancellation(&cancellation)
                .with_progress(&progress);
            match run(&db, &request(algorithm, &[], 2), &control) {
                // It was at its end, or ended before.
                Ok(_) | Err(Error::Interrupted { .. }) => {}
                Err(error) => panic!("{}: {error}", algorithm.name),
            }
        }
        result_or_clear_error(&db, algorithm, &[]).expect(algorithm.name);
    }
}

#[test]
fn memory_limits_are_checked_before_the_start() {
    let edges = random_edges(8);
    for direction in DIRECTIONS {
        let db = database(1 << 8, &edges, direction);
        for algorithm in algorithms() {
            let mut limited = request(algorithm, &[], 1);
            limited.memory_limit = Some(1);
            let error = run(&db, &limited, &Control::new()).map(|_| ());
            let error = error.expect_err(algorithm.name).summary();
            if algorithm.weights != Weights::Required {
                assert!(error.starts_with("the run may take "), "{error}");
                assert!(error.ends_with("; the limit is 1 B"), "{error}");
                let mut enough = request(algorithm, &[], 1);
                enough.memory_limit = Some(1 << 30);
                run(&db, &enough, &Control::new()).expect(algorithm.name);
            }
        }
    }
}

/// The bounds are right, so a meter is made up that shows too much as soon as a kernel
/// begins.
#[test]
fn a_run_that_takes_more_than_its_limit_is_ended() {
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    const TAKEN: usize = 1 << 40;
    const LIMIT: u64 = 1 << 30;
    let meter = MemoryMeter {
        current: || match HAS_BEGUN.load(Ordering::Relaxed) {
            true => TAKEN,
            false => 0,
        },
        peak: || TAKEN,
        reset: || HAS_BEGUN.store(true, Ordering::Relaxed),
    };
    let edges = random_edges(8);
    let weighted: Vec<Weighted> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
    for direction in DIRECTIONS {
        let db = weighted_database(1 << 8, &weighted, direction);
        for algorithm in algorithms() {
            HAS_BEGUN.store(false, Ordering::Relaxed);
            let mut limited = request(algorithm, &[], 2);
            limited.memory_limit = Some(LIMIT);
            let view = db.view();
            let ran = evergraph::run::run(&db, &view, &limited, &Control::new(), Some(meter));
            let error = ran.map(|_| ()).expect_err(algorithm.name);
            assert!(matches!(error, Error::Usage { .. }), "{error:?}");
            let expected = format!("the limit is {}", Bytes(LIMIT));
            let summary = error.summary();
            assert!(summary.starts_with("the run needs "), "{summary}");
            assert!(summary.contains(&expected), "{}: {summary}", algorithm.name);
        }
    }
}

/// Cells of the first table of `docs/algorithms.md` by the name in the first.
fn documented() -> Vec<(String, Vec<String>)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/algorithms.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| Name |"));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_string()).collect();
        let name = cells[1].split('`').nth(1).expect("a name").to_string();
        (name, cells)
    })
    .collect()
}

#[test]
fn the_document_lists_what_is_registered() {
    let documented = documented();
    let names: Vec<&str> = documented.iter().map(|(name, _)| &**name).collect();
    let registered: Vec<&str> = algorithms().map(|algorithm| algorithm.name).collect();
    let rows: Vec<String> = algorithms().map(table_row).collect();
    assert_eq!(
        names,
        registered,
        "the rows should be\n{}\n",
        rows.join("\n")
    );
    for (algorithm, (_, cells)) in algorithms().zip(&documented) {
        let row = table_row(algorithm);
        assert_eq!(cells.join(" | ").trim(), row, "the row should be\n{row}\n");
    }
}

#[test]
fn the_readme_names_what_is_registered() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let (_, section) = text.split_once("\n## Algorithms\n").expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let mut named: Vec<&str> = rows
        .flat_map(|row| row.split('`').skip(1).step_by(2))
        .collect();
    let mut registered: Vec<&str> = algorithms().map(|algorithm| algorithm.name).collect();
    named.sort_unstable();
    registered.sort_unstable();
    assert_eq!(named, registered);
}

/// The row of an algorithm in the table.
fn table_row(algorithm: &Algorithm) -> String {
    let quoted = |names: Vec<&str>| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        match names.is_empty() {
            true => "–".to_string(),
            false => names.join(", "),
        }
    };
    let aliases = match algorithm.aliases {
        [] => String::new(),
        aliases => format!(" ({})", quoted(aliases.to_vec())),
    };
    let parameters = algorithm.parameters.iter().map(|p| p.name).collect();
    let cells = [
        format!("`{}`{aliases}", algorithm.name),
        algorithm.value.to_string(),
        quoted(parameters),
        algorithm.needs.text().to_string(),
        algorithm.weights.text().to_string(),
        algorithm.determinism.text().to_string(),
        algorithm.dram.text(),
    ];
    format!("| {} |", cells.join(" | "))
}
