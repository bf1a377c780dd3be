//! Maintained results of a database: they follow it, survive what can happen to an
//! update, and are refused where they cannot be what is asked for.

use evergraph::graph::StoredLists;
use evergraph::maintain::{Request, maintainable};
use evergraph::run::{self, Outcome, Values};
use evergraph::{At, Cancellation, Control, Database, MediumKind, Options};
use proptest::prelude::*;

use crate::common::hold;

fn options(direction: StoredLists) -> Options {
    Options {
        medium: MediumKind::Dram,
        direction,
        ..Options::default()
    }
}

fn database(direction: StoredLists) -> Database {
    Database::create("in memory", &options(direction)).expect("a database")
}

fn request(algorithm: &str, name: &str) -> Request {
    Request {
        name: name.to_string(),
        algorithm: algorithm.to_string(),
        ..Request::default()
    }
}

fn run_at(db: &Database, csn: u64, algorithm: &str) -> Outcome {
    let request = run::Request {
        algorithm: algorithm.to_string(),
        ..run::Request::default()
    };
    let view = db.as_of(&At::Csn(csn)).expect("the commit is held");
    run::run(db, &view, &request, &Control::new(), None).expect("the run succeeds")
}

/// Parameters of a run that gives what is maintained.
fn as_maintained(algorithm: &str) -> Option<(String, String)> {
    (algorithm == "k-core").then(|| ("parallel".to_string(), "each".to_string()))
}

/// Compares the result of `name` with a run on its commit.
fn check(db: &Database, algorithm: &str, name: &str) {
    let kept = run::Kept::read(db, &db.results().unwrap().find(name).unwrap()).unwrap();
    let csn = csn_of(db, name);
    let source = db
        .results()
        .unwrap()
        .find(name)
        .unwrap()
        .description()
        .parameters
        .clone();
    let request = run::Request {
        algorithm: algorithm.to_string(),
        // A verified run is never a read.
        parameters: source
            .into_iter()
            .chain([("verify".to_string(), "true".to_string())])
            .chain(as_maintained(algorithm))
            .collect(),
        ..run::Request::default()
    };
    let view = db.as_of(&At::Csn(csn)).unwrap();
    let expected = run::run(db, &view, &request, &Control::new(), None).unwrap();
    assert_eq!(expected.kept, None);
    match (&kept.values, &expected.values) {
        (Values::Reals(found), Values::Reals(expected)) if algorithm == "pagerank" => {
            let error: f64 = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).sum();
            assert!(error < 2e-5, "{error}");
        }
        (found, expected) => assert_eq!(found, expected, "{algorithm}"),
    }
}

fn csn_of(db: &Database, name: &str) -> u64 {
    db.results()
        .unwrap()
        .find(name)
        .unwrap()
        .description()
        .graph
        .csn
}

/// Commits of the snapshots that hold the history of `name`.
fn holds(db: &Database, name: &str) -> Vec<u64> {
    let prefix = format!("maintain/{name}/");
    let all = db.snapshots().into_iter();
    let own = all.filter(|snapshot| snapshot.name.starts_with(&prefix));
    own.map(|snapshot| snapshot.csn).collect()
}

fn error_of<T>(result: Result<T, evergraph::Error>) -> String {
    match result {
        Ok(_) => "fine".to_string(),
        Err(error) => error.to_string(),
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(u32, u32),
    Delete(u32, u32),
}

fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let step = (any::<bool>(), 0_u32..12, 0_u32..12).prop_map(|(insert, u, v)| match insert {
        true => Step::Insert(u, v),
        false => Step::Delete(u, v),
    });
    prop::collection::vec(prop::collection::vec(step, 0..12), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn all_problems_follow_the_database(batches in steps(), undirected in any::<bool>()) {
        let direction = if undirected { StoredLists::Undirected } else { StoredLists::Both };
        let db = database(direction);
        db.insert_edges(&[(0, 1), (1, 2), (2, 0), (2, 3)]).unwrap();
        let mut followers: Vec<_> = maintainable()
            .map(|algorithm| db.follow(&request(algorithm, algorithm)).unwrap())
            .collect();
        for (round, batch) in batches.iter().enumerate() {
            for follower in &mut followers {
                follower.update(&Control::new()).unwrap();
            }
            for algorithm in maintainable() {
                check(&db, algorithm, algorithm);
                prop_assert_eq!(holds(&db, algorithm), [csn_of(&db, algorithm)]);
            }
            for &step in batch {
                match step {
                    Step::Insert(u, v) => db.insert_edges(&[(u, v)]).unwrap(),
                    Step::Delete(u, v) => db.delete_edges(&[(u, v)]).unwrap(),
                };
            }
            if round == 0 {
                db.checkpoint().unwrap();
            }
        }
        // Without the states in memory.
        drop(followers);
        for algorithm in maintainable() {
            db.maintain(&request(algorithm, algorithm), &Control::new()).unwrap();
            check(&db, algorithm, algorithm);
        }
    }
}

#[test]
fn a_run_on_the_commit_of_a_result_reads_it() {
    let db = database(StoredLists::Undirected);
    db.insert_edges(&[(0, 1), (1, 2), (3, 4)]).unwrap();
    let made = db
        .maintain(&request("cc", "parts"), &Control::new())
        .unwrap();
    assert_eq!(made.from, None);
    db.insert_edges(&[(2, 3)]).unwrap();
    let read = run_at(&db, made.csn, "connected-components");
    assert_eq!(read.kept.as_deref(), Some("parts"));
    assert_eq!(read.values, Values::Vertices(vec![0, 0, 0, 3, 3]));
    assert_eq!((read.vertices, read.edges), (5, 3));
    assert_eq!(read.result[0].0, "components");

    let followed = db
        .maintain(&request("cc", "parts"), &Control::new())
        .unwrap();
    assert_eq!((followed.from, followed.changes), (Some(made.csn), 2));
    let read = run_at(&db, followed.csn, "cc");
    assert_eq!(read.values, Values::Vertices(vec![0; 5]));
    // Nothing has changed since, but for the snapshots of the result itself.
    let again = db
        .maintain(&request("cc", "parts"), &Control::new())
        .unwrap();
    assert_eq!(
        (again.from, again.csn, again.changes),
        (Some(followed.csn), followed.csn, 0)
    );
    assert_eq!(again.bytes_written, 0);
    assert_eq!(db.maintained().unwrap(), ["parts"]);
}

#[test]
fn vertices_without_edges_are_followed() {
    let db = database(StoredLists::Undirected);
    db.insert_edges(&[(0, 1)]).unwrap();
    let described = || db.results().unwrap().find("degrees").unwrap();
    let mut begun = None;
    for (added, values) in [(0, vec![1, 1]), (2, vec![1, 1, 0, 0])] {
        if added > 0 {
            db.add_vertices(added).unwrap();
        }
        let asked = request("degrees", "degrees");
        db.maintain(&asked, &Control::new()).unwrap();
        let stored = described();
        let kept = run::Kept::read(&db, &stored).unwrap();
        assert_eq!(kept.values, Values::Depths(values));
        let since = *begun.get_or_insert(stored.description().started_us);
        assert_eq!(stored.description().started_us, since);
    }
    assert_eq!(described().description().step, 2);
}

#[test]
fn what_a_cut_off_update_left_goes_with_the_next() {
    let db = database(StoredLists::Undirected);
    db.insert_edges(&[(0, 1), (1, 2)]).unwrap();
    let asked = request("pagerank", "pr");
    let first = db.maintain(&asked, &Control::new()).unwrap();
    db.insert_edges(&[(2, 3)]).unwrap();

    // Ended before the result: its commit is still held, and no other.
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let control = Control::new().with_cancellation(&cancellation);
    let mut follower = db.follow(&request("k-core", "cores")).unwrap();
    follower.update(&Control::new()).unwrap();
    db.insert_edges(&[(0, 3), (1, 3)]).unwrap();
    assert!(follower.update(&control).is_err());
    assert_eq!(holds(&db, "cores"), [csn_of(&db, "cores")]);
    follower.update(&Control::new()).unwrap();
    assert_eq!(holds(&db, "cores"), [csn_of(&db, "cores")]);
    check(&db, "k-core", "cores");

    // Cut off before the result or behind it: what is held too much has another commit.
    hold(&db, "maintain/pr/9");
    assert_eq!(csn_of(&db, "pr"), first.csn);
    let second = db.maintain(&asked, &Control::new()).unwrap();
    assert_eq!(holds(&db, "pr"), [second.csn]);
    check(&db, "pagerank", "pr");
    hold(&db, "maintain/pr/9");
    db.maintain(&asked, &Control::new()).unwrap();
    assert_eq!(holds(&db, "pr"), [second.csn]);

    // Cut off before there was a result.
    hold(&db, "maintain/new/1");
    let made = db.maintain(&request("cc", "new"), &Control::new()).unwrap();
    assert_eq!(holds(&db, "new"), [made.csn]);

    db.drop_results(&["pr", "new"]).unwrap();
    assert!(holds(&db, "pr").is_empty());
    assert!(holds(&db, "new").is_empty());
}

#[test]
fn what_does_not_fit_is_refused() {
    let db = database(StoredLists::Both);
    db.insert_edges(&[(0, 1), (1, 2)]).unwrap();
    let maintain = |request: &Request| error_of(db.maintain(request, &Control::new()));
    let with = |algorithm: &str, name: &str, parameter: &str, value: &str| Request {
        parameters: vec![(parameter.to_string(), value.to_string())],
        ..request(algorithm, name)
    };
    assert_eq!(maintain(&with("pr", "pr", "damping", "0.5")), "fine");
    // Without parameters those of the result are meant.
    assert_eq!(maintain(&request("pr", "pr")), "fine");
    for (request, expected) in [
        (
            with("pr", "pr", "damping", "0.6"),
            "the maintained result \"pr\" has damping=0.5, not damping=0.6 (choose another name, \
             or drop it with `evergraph results DB drop`)",
        ),
        (
            with("pr", "pr", "damping", "0.85"),
            "the maintained result \"pr\" has damping=0.5, not the default parameters (choose \
             another name, or drop it with `evergraph results DB drop`)",
        ),
        (
            request("cc", "pr"),
            "the maintained result \"pr\" is of pagerank, not of connected-components (choose \
             another name, or drop it with `evergraph results DB drop`)",
        ),
        (
            with("pr", "other", "iterations", "3"),
            "a maintained pagerank has no parameter `iterations` (it has damping, tolerance)",
        ),
        (
            request("louvain", "other"),
            "results of louvain cannot be maintained (those of pagerank, connected-components, \
             degrees, k-core, triangle-count, bfs, delta-stepping can)",
        ),
        (
            with("bfs", "other", "source", "77"),
            "there is no vertex \"77\" (give an id as it was imported)",
        ),
    ] {
        assert_eq!(maintain(&request), expected);
    }
    let kept = run::Request {
        algorithm: "cc".to_string(),
        durable: run::Durable {
            keep: Some("kept".to_string()),
            ..run::Durable::default()
        },
        ..run::Request::default()
    };
    run::run(&db, &db.view(), &kept, &Control::new(), None).unwrap();
    assert_eq!(
        maintain(&request("cc", "kept")),
        "\"kept\" is a kept result, not a maintained one (choose another name, or drop it with \
         `evergraph results DB drop`)"
    );

    let out = database(StoredLists::Out);
    out.insert_edges(&[(0, 1)]).unwrap();
    for algorithm in maintainable() {
        let expected = match algorithm {
            "pagerank" | "degrees" => "fine".to_string(),
            _ => format!(
                "a maintained {algorithm} reads in-lists, and the graph keeps only out-lists \
                 (import into a database with `--directions both`)"
            ),
        };
        let found = error_of(out.maintain(&request(algorithm, algorithm), &Control::new()));
        assert_eq!(found, expected);
    }
}

#[test]
fn a_result_whose_history_is_gone_says_so() {
    let db = database(StoredLists::Undirected);
    db.insert_edges(&[(0, 1)]).unwrap();
    let made = db.maintain(&request("cc", "cc"), &Control::new()).unwrap();
    assert!(
        db.drop_snapshots(&["maintain/cc/1"]).is_err(),
        "it is needed"
    );
    db.store().drop_snapshots(&["maintain/cc/1"]).unwrap();
    db.insert_edges(&[(1, 2)]).unwrap();
    let error = error_of(db.maintain(&request("cc", "cc"), &Control::new()));
    let expected = format!(
        "the result \"cc\" is of commit {}, whose graph is gone",
        made.csn
    );
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.contains("maintain it anew"), "{error}");
}

#[test]
fn a_run_computes_what_a_damaged_result_held() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let options = Options::default();
    let db = Database::create(&path, &options).unwrap();
    db.insert_edges(&[(0, 1), (1, 2), (2, 0), (2, 3)]).unwrap();
    let plain = run::Request {
        algorithm: "pagerank".to_string(),
        ..run::Request::default()
    };
    let mut keeping = plain.clone();
    keeping.durable.keep = Some("one".to_string());
    let kept = run::run(&db, &db.view(), &keeping, &Control::new(), None).unwrap();
    let Values::Reals(ranks) = &kept.values else {
        panic!("ranks are reals");
    };
    db.close().unwrap();
    let file = path.join("results.extents");
    let mut bytes = std::fs::read(&file).unwrap();
    let stored: Vec<u8> = ranks.iter().flat_map(|rank| rank.to_le_bytes()).collect();
    let mut places = bytes.windows(stored.len());
    let at = places.position(|some| some == stored).expect("the block");
    bytes[at] ^= 1;
    std::fs::write(&file, bytes).unwrap();

    let db = Database::open(&path, &options).unwrap();
    let read =
        |db: &Database, request| run::run(db, &db.view(), request, &Control::new(), None).unwrap();
    let computed = read(&db, &plain);
    assert_eq!(computed.kept, None);
    let why = computed.damaged.expect("a reason");
    assert!(why.contains("results.extents: damaged"), "{why}");
    assert_eq!(computed.values, kept.values);
    keeping.durable.keep = Some("two".to_string());
    read(&db, &keeping);
    let found = read(&db, &plain);
    assert_eq!((found.kept.as_deref(), found.damaged), (Some("two"), None));
}

#[test]
fn an_empty_graph_has_nothing_to_maintain() {
    let db = database(StoredLists::Undirected);
    let error = error_of(db.maintain(&request("cc", "cc"), &Control::new()));
    assert_eq!(error, "the graph has no vertices (import edges first)");
    assert!(holds(&db, "cc").is_empty());
}
