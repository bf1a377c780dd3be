//! Sealed graphs that are stored: every algorithm reads them, of the commit that
//! they are of, and damage to them is no answer.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph::graph::{Bytes, Shape, StoredLists};
use evergraph::run::{Fact, Outcome, Request, algorithms};
use evergraph::{
    At, Batch, Cancellation, Control, Database, Edges, Error, MediumKind, Mode, Options, Seal,
    SealedInfo,
};

const DIRECTIONS: [StoredLists; 3] = [StoredLists::Undirected, StoredLists::Out, StoredLists::Both];
const SHAPES: [Shape; 3] = [Shape::Sorted, Shape::Simple, Shape::Symmetric];

fn options(medium: MediumKind, direction: StoredLists) -> Options {
    Options {
        medium,
        direction,
        weighted: true,
        background: false,
        log_bytes: 1 << 18,
        // So that a copy that a run has made is not what the next one gets.
        sealed_bytes: 0,
        ..Options::default()
    }
}

fn fill(db: &Database) {
    let edges = evergraph_generators::kronecker(7, 6, 3);
    db.add_vertices(1 << 7).unwrap();
    let mut batch = Batch::new();
    batch.insert_columns(Edges {
        sources: edges.iter().map(|edge| edge.0).collect(),
        targets: edges.iter().map(|edge| edge.1).collect(),
        weights: edges
            .iter()
            .map(|&(u, v)| ((u + v) % 5 + 1) as f32)
            .collect(),
    });
    db.commit(batch).unwrap();
}

fn run(db: &Database, algorithm: &str, form: &str) -> Result<Outcome, Error> {
    let request = Request {
        algorithm: algorithm.to_string(),
        parameters: [("graph", form), ("verify", "true")]
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .to_vec(),
        threads: Some(2),
        ..Request::default()
    };
    evergraph::run::run(db, &db.view(), &request, &Control::new(), None)
}

fn prepared(outcome: &Outcome) -> &str {
    outcome.prepared.as_ref().map_or("", |made| &*made.what)
}

fn seal_all(db: &Database, codings: &[bool]) -> Vec<SealedInfo> {
    let mut sealed = vec![];
    for shape in SHAPES {
        for &compressed in codings {
            let wanted = Seal {
                shape,
                compressed,
                ..Seal::default()
            };
            let made = db.seal(&db.view(), &wanted, &Control::new()).unwrap();
            assert!(!made.was_there && made.replaced.is_none());
            sealed.push(made.graph);
        }
    }
    sealed
}

/// A stored graph has in-lists where a copy would do without, so sums are added up
/// in another order.
fn alike(one: &Outcome, other: &Outcome) -> bool {
    let pairs = one.result.iter().zip(&other.result);
    pairs
        .into_iter()
        .all(|(one, other)| match (&one.1, &other.1) {
            (Fact::Real(a), Fact::Real(b)) => (a - b).abs() <= 1e-9 * a.abs().max(1.0),
            _ => one == other,
        })
}

#[test]
fn every_algorithm_gives_on_a_stored_graph_what_it_gives_on_a_copy() {
    for direction in DIRECTIONS {
        let db = Database::create("nowhere", &options(MediumKind::Dram, direction)).unwrap();
        fill(&db);
        let forms = ["live", "sealed", "compressed", "simple"];
        let all = || {
            algorithms().flat_map(|algorithm| {
                let outcomes = forms.map(|form| run(&db, algorithm.name, form).unwrap());
                forms.into_iter().zip(outcomes)
            })
        };
        let before: Vec<(&str, Outcome)> = all().collect();
        assert_eq!(seal_all(&db, &[false, true]), db.sealed_graphs());
        for ((form, copied), (_, stored)) in before.iter().zip(all()) {
            let name = format!("{} {form} {direction:?}", copied.algorithm);
            assert_eq!(stored.verified, Some(Ok(())), "{name}");
            // No shape keeps parallel edges of an undirected graph.
            let not_stored = prepared(copied).contains("(sorted, undirected)")
                || !prepared(copied).contains("copy");
            if not_stored {
                assert_eq!(prepared(&stored), prepared(copied), "{name}");
            } else {
                assert!(
                    prepared(&stored).starts_with("stored sealed graph"),
                    "{name}"
                );
                assert_eq!(stored.prepared.as_ref().unwrap().bytes, 0, "{name}");
                assert!(alike(&stored, copied), "{name}: {stored:?} {copied:?}");
            }
        }
    }
}

#[test]
fn a_graph_that_moved_on_is_read_anew() {
    let db = Database::create("nowhere", &options(MediumKind::Dram, StoredLists::Both)).unwrap();
    fill(&db);
    seal_all(&db, &[false, true]);
    let then = db.view();
    db.insert_edges(&[(0, 1)]).unwrap_err();
    db.delete_edges(&[(0, 1)]).unwrap();
    let now = run(&db, "coloring", "simple").unwrap();
    assert!(
        prepared(&now).starts_with("sealed copy"),
        "{}",
        prepared(&now)
    );
    let request = Request {
        algorithm: "bfs".to_string(),
        parameters: vec![("graph".to_string(), "sealed".to_string())],
        ..Request::default()
    };
    let old = evergraph::run::run(&db, &then, &request, &Control::new(), None).unwrap();
    assert_eq!(prepared(&old), "stored sealed graph \"sorted\" (sorted)");
    // Sealed again it takes the place of the older one; and then nothing is left to do.
    let seal = || {
        let sealed = db.seal(&db.view(), &Seal::default(), &Control::new());
        sealed.unwrap()
    };
    let newer = seal();
    assert_eq!(newer.replaced, Some(then.csn()));
    assert!(seal().was_there);
    assert_eq!(db.sealed_graphs().len(), 6);
    let now = run(&db, "bfs", "sealed").unwrap();
    assert!(prepared(&now).starts_with("stored"));
}

#[test]
fn names_are_the_users() {
    let db = Database::create("nowhere", &options(MediumKind::Dram, StoredLists::Out)).unwrap();
    fill(&db);
    let wanted = Seal {
        name: Some("monday".to_string()),
        ..Seal::default()
    };
    db.seal(&db.view(), &wanted, &Control::new()).unwrap();
    let error = db.drop_sealed("mondey").unwrap_err();
    assert_eq!(error.hint(), "did you mean `monday`?");
    db.drop_sealed("monday").unwrap();
    assert_eq!(db.sealed_graphs(), []);
    let error = db.drop_sealed("monday").unwrap_err();
    assert!(error.hint().contains("--list"), "{error}");
}

#[test]
fn what_cannot_be_sealed_is_told_and_changes_nothing() {
    let db = Database::create("nowhere", &options(MediumKind::Dram, StoredLists::Out)).unwrap();
    fill(&db);
    let stopped = Cancellation::new();
    stopped.cancel();
    let control = Control::new().with_cancellation(&stopped);
    let error = db.seal(&db.view(), &Seal::default(), &control).unwrap_err();
    assert!(matches!(error, Error::Interrupted { .. }), "{error}");
    let little = Seal {
        memory_limit: Some(1000),
        ..Seal::default()
    };
    let error = db.seal(&db.view(), &little, &Control::new()).unwrap_err();
    assert!(error.summary().contains("the limit is 1000"), "{error}");
    assert_eq!((db.sealed_graphs(), db.stats().sealed_bytes), (vec![], 0));

    let direct = Options {
        mode: Mode::Direct,
        ..options(MediumKind::Dram, StoredLists::Out)
    };
    let db = Database::create("nowhere", &direct).unwrap();
    let error = db.seal(&db.view(), &Seal::default(), &Control::new());
    assert!(error.unwrap_err().summary().contains("direct mode"));
}

/// Sealing keeps to its bound, so a meter is made up that shows too much from some
/// question on: from each of them, while lists are copied and while they are written.
#[test]
fn sealing_that_takes_more_than_its_limit_is_ended() {
    static SHOWS_LITTLE: AtomicUsize = AtomicUsize::new(0);
    const LIMIT: u64 = 1 << 30;
    let meter = || {
        let little = SHOWS_LITTLE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        little.map_or(1 << 40, |_| 0)
    };
    let db = Database::create("nowhere", &options(MediumKind::Dram, StoredLists::Out)).unwrap();
    fill(&db);
    for compressed in [false, true] {
        let wanted = Seal {
            compressed,
            ..Seal::default()
        };
        let sealed = |questions: usize| {
            // The first is how much is in use before.
            SHOWS_LITTLE.store(1 + questions, Ordering::Relaxed);
            let control = Control::new().with_memory_limit(meter, LIMIT);
            db.seal(&db.view(), &wanted, &control)
        };
        let mut ended = 0;
        let sealed = loop {
            match sealed(ended) {
                Ok(sealed) => break sealed,
                Err(error) => {
                    assert!(matches!(error, Error::Usage { .. }), "{error:?}");
                    let summary = error.summary();
                    assert!(summary.starts_with("sealing needs "), "{summary}");
                    let limit = format!("the limit is {}", Bytes(LIMIT));
                    assert!(summary.ends_with(&limit), "{summary}");
                    ended += 1;
                }
            }
            assert_eq!(db.sealed_graphs(), []);
        };
        assert!(ended >= 2, "{ended} questions");
        assert!(!sealed.was_there && sealed.replaced.is_none());
        db.drop_sealed(&wanted.name()).unwrap();
    }
}

/// A history with deletions: 4 snapshots, the graph goes on after the last.
fn history(db: &Database) -> Vec<String> {
    fill(db);
    let names: Vec<String> = (0..4).map(|step| format!("s{step}")).collect();
    for (step, name) in (0..).zip(&names) {
        db.create_snapshot(name, None).unwrap();
        let pairs: Vec<(u32, u32)> = (0..40).map(|v| (v * 3, v + step)).collect();
        let mut batch = Batch::new();
        batch.delete(&pairs);
        batch.insert_columns(Edges {
            sources: pairs.iter().map(|pair| pair.1).collect(),
            targets: pairs.iter().map(|pair| pair.0).collect(),
            weights: vec![2.0; pairs.len()],
        });
        db.commit(batch).unwrap();
    }
    names
}

fn run_as_of(db: &Database, moment: &str, algorithm: &str, form: &str) -> Outcome {
    let request = Request {
        algorithm: algorithm.to_string(),
        parameters: vec![("graph".to_string(), form.to_string())],
        threads: Some(2),
        ..Request::default()
    };
    let view = db.as_of(&At::from_text(moment)).unwrap();
    evergraph::run::run(db, &view, &request, &Control::new(), None).unwrap()
}

#[test]
fn a_rebased_snapshot_reads_the_same_from_its_sealed_graph() {
    for direction in DIRECTIONS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("db");
        let options = options(MediumKind::File, direction);
        let db = Database::create(&path, &options).unwrap();
        let names = history(&db);
        let runs = |db: &Database| -> Vec<Outcome> {
            let runs = [("pagerank", "live"), ("bfs", "live"), ("bfs", "sealed")];
            let of =
                |name: &String| runs.map(|(algorithm, form)| run_as_of(db, name, algorithm, form));
            names.iter().flat_map(of).collect()
        };
        let before = runs(&db);
        let made = db.rebase("s1").unwrap();
        assert_eq!((made.graph.shape, made.graph.direction), (None, direction));
        assert_eq!(made.graph.csn, db.snapshots()[1].csn);
        assert!(db.rebase("s1").unwrap().was_there);
        db.close().unwrap();
        let db = Database::open(&path, &options).unwrap();
        let after = runs(&db);
        for (number, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(before.result, after.result);
            assert_eq!(before.values, after.values);
            let expected = match (number / 3, number % 3) {
                (1, 0 | 1) => "stored sealed graph of the snapshot \"s1\" (in stored order)",
                (_, 2) => "sealed copy (sorted)",
                _ if prepared(before).is_empty() => "",
                _ => "sealed copy",
            };
            assert!(
                prepared(after).starts_with(expected),
                "{number}: {}",
                prepared(after)
            );
        }
        // It goes with its snapshot, and one that takes the name has none.
        db.drop_snapshots(&["s1"]).unwrap();
        assert_eq!((db.sealed_graphs(), db.stats().sealed_bytes), (vec![], 0));
        db.create_snapshot("s1", None).unwrap();
        assert_eq!(db.sealed_graphs(), []);
        db.close().unwrap();
        let db = Database::open(&path, &options).unwrap();
        assert_eq!(db.stats().sealed_bytes, 0);
        let unknown = db.rebase("s9").unwrap_err();
        assert!(unknown.summary().contains("no snapshot"), "{unknown}");
    }
}

#[test]
fn damage_is_an_error_for_every_algorithm() {
    for compressed in [false, true] {
        damage_everywhere(compressed);
    }
}

/// Whatever reads the damaged graph says so, and something does.
fn assert_noticed(db: &Database) {
    let mut noticed = 0;
    let mut needs = HashSet::new();
    for algorithm in algorithms().filter(|algorithm| needs.insert(algorithm.needs)) {
        for form in ["live", "sealed", "compressed", "simple"] {
            match run(db, algorithm.name, form) {
                Ok(outcome) => assert_eq!(outcome.verified, Some(Ok(()))),
                Err(error) => {
                    assert!(error.summary().contains("sealed graph"), "{error}");
                    noticed += 1;
                }
            }
        }
    }
    assert!(noticed > 0, "the damaged graph is read by nobody");
}

/// Flips one bit in each page in turn: where it belongs to a sealed graph, whatever
/// reads that says so.
fn damage_everywhere(compressed: bool) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("db");
    let options = options(MediumKind::File, StoredLists::Both);
    let db = Database::create(&path, &options).unwrap();
    fill(&db);
    seal_all(&db, &[compressed]);
    db.close().unwrap();
    let mut extents = OpenOptions::new();
    let extents = extents.read(true).write(true).open(path.join("extents"));
    let extents = extents.unwrap();
    let flip = |at: u64| {
        let mut byte = [0];
        extents.read_exact_at(&mut byte, at).unwrap();
        extents.write_all_at(&[byte[0] ^ 1], at).unwrap();
    };
    let reading = Options {
        read_only: true,
        ..options
    };
    let open = || Database::open(&path, &reading);
    let used = open().unwrap().stats().sealed_bytes as usize;
    let mut damaged = 0;
    // Arrays start at multiples of a page, so this is none of their padding.
    for page in (0..2 * used as u64).step_by(4096) {
        flip(page);
        if let Ok(db) = open()
            && db
                .check()
                .problems
                .iter()
                .any(|what| what.contains("sealed"))
        {
            assert_noticed(&db);
            damaged += 1;
        }
        flip(page);
    }
    assert!(damaged * 4096 * 2 > used, "{damaged} of {used}");
}
