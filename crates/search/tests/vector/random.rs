//! Random commits, views, snapshots, transactions and openings beside the reference
//! implementation.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    GraphError, GraphOptions, NodeId, OpenOptions, PropertyGraph, Transaction, View,
};
use evergraph_property_graph::transaction::TransactionOptions;
use evergraph_search::vector::{IndexFileError, Metric, VectorError, VectorOptions, Vectors};
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

use crate::scan::{compare, definition, list, vector};

const DIMENSIONS: usize = 3;

#[derive(Clone, Debug)]
enum Change {
    Create(u64, bool),
    Move(usize, u64),
    /// A value that is no vector.
    Spoil(usize, usize),
    Other(usize),
    Label(usize, bool),
    Delete(usize),
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<Change>),
    Search(u64),
    SearchView(usize, u64),
    SearchSnapshot(usize, u64),
    SearchWritten(Vec<Change>, u64, bool, bool),
    TakeView,
    DropView(usize),
    Snapshot,
    DropSnapshot(usize),
    Checkpoint,
    CatchUp,
    Save,
    Reopen(bool),
    Restart,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..50u64, prop::bool::weighted(0.8)).prop_map(|(s, l)| Change::Create(s, l)),
        5 => (0..30usize, 0..50u64).prop_map(|(n, s)| Change::Move(n, s)),
        1 => (0..30usize, 0..4usize).prop_map(|(n, w)| Change::Spoil(n, w)),
        1 => (0..30usize).prop_map(Change::Other),
        1 => (0..30usize, any::<bool>()).prop_map(|(n, l)| Change::Label(n, l)),
        1 => (0..30usize).prop_map(Change::Delete),
    ]
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(change(), 1..5)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => changes().prop_map(Step::Commit),
        4 => (0..50u64).prop_map(Step::Search),
        4 => (0..9usize, 0..50u64).prop_map(|(v, q)| Step::SearchView(v, q)),
        2 => (0..9usize, 0..50u64).prop_map(|(s, q)| Step::SearchSnapshot(s, q)),
        2 => (changes(), 0..50u64, any::<bool>(), any::<bool>())
            .prop_map(|(c, q, s, k)| Step::SearchWritten(c, q, s, k)),
        2 => Just(Step::TakeView),
        1 => (0..9usize).prop_map(Step::DropView),
        1 => Just(Step::Snapshot),
        1 => (0..9usize).prop_map(Step::DropSnapshot),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::CatchUp),
        1 => Just(Step::Save),
        1 => any::<bool>().prop_map(Step::Reopen),
        1 => Just(Step::Restart),
    ]
}

fn spoilt(which: usize) -> Value {
    match which {
        0 => Value::Null,
        1 => list(&vector(DIMENSIONS + 1, 1)),
        2 => Value::from(vec![Value::from("x"), Value::from(1), Value::from(2)]),
        _ => Value::from("far"),
    }
}

/// Carries changes out, as far as the nodes are there; gives those that were made.
fn carry_out(
    transaction: &mut Transaction,
    nodes: &[NodeId],
    changes: &[Change],
) -> Result<Vec<NodeId>, GraphError> {
    let mut made = Vec::new();
    for change in changes {
        let at = match change {
            Change::Create(seed, labelled) => {
                let labels: &[&str] = if *labelled {
                    &["IndexFile"]
                } else {
                    &["Other"]
                };
                let at = list(&vector(DIMENSIONS, *seed));
                made.push(transaction.create_node(labels, [("at", at)])?);
                continue;
            }
            Change::Move(at, _)
            | Change::Spoil(at, _)
            | Change::Other(at)
            | Change::Label(at, _)
            | Change::Delete(at) => nodes.get(at % nodes.len().max(1)),
        };
        let Some(&at) = at else {
            continue;
        };
        if transaction.node(at)?.is_none() {
            continue;
        }
        match change {
            Change::Create(..) => {}
            Change::Move(_, seed) => transaction.set(at, "at", list(&vector(DIMENSIONS, *seed)))?,
            Change::Spoil(_, which) => transaction.set(at, "at", spoilt(*which))?,
            Change::Other(_) => transaction.set(at, "other", 1)?,
            Change::Label(_, true) => transaction.add_label(at, "IndexFile")?,
            Change::Label(_, false) => transaction.remove_label(at, "IndexFile")?,
            Change::Delete(_) => transaction.delete_node(at)?,
        }
    }
    Ok(made)
}

fn options(is_small: bool) -> VectorOptions {
    VectorOptions {
        direct: if is_small { 0 } else { 4 },
        queue: if is_small { 3 } else { 1000 },
        superseded: 2,
        unsaved: if is_small { 3 } else { 1000 },
    }
}

fn snapshot_at(graph: &PropertyGraph, at: usize) -> Option<String> {
    let snapshots = graph.snapshots();
    let snapshot = snapshots.get(at % snapshots.len().max(1))?;
    Some(snapshot.name.clone())
}

/// Recall of a run: vectors found of those expected.
#[derive(Default)]
struct Found {
    found: usize,
    wanted: usize,
}

/// Carries steps out until the graph is to be opened again; gives those that are left.
fn run<'s>(
    graph: &PropertyGraph,
    directory: &std::path::Path,
    metric: Metric,
    mut steps: &'s [Step],
    total: &mut Found,
) -> &'s [Step] {
    let open = |is_small| {
        let definition = definition(DIMENSIONS, metric);
        Vectors::open_with(graph, directory, definition, options(is_small)).expect("opened")
    };
    let mut near = open(false);
    let mut views: Vec<View> = Vec::new();
    const K: usize = 4;
    while let Some((step, rest)) = steps.split_first() {
        steps = rest;
        let view = graph.view();
        let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
        let mut ask = |reader: &View, seed: u64| {
            let query = vector(DIMENSIONS, seed);
            let there = near.nearest_exact(reader, &query, K).expect("found").len();
            total.wanted += there;
            total.found += compare(&near, reader, &all, &query, K);
        };
        match step {
            Step::Commit(changes) => {
                drop(view);
                let done = graph.write(|tx| carry_out(tx, &all, changes));
                done.expect("committed");
            }
            Step::Search(seed) => ask(&view, *seed),
            Step::SearchView(at, seed) if !views.is_empty() => {
                ask(&views[at % views.len()], *seed);
            }
            Step::SearchSnapshot(at, seed) => {
                if let Some(name) = snapshot_at(graph, *at) {
                    ask(&graph.as_of(&name).expect("kept"), *seed);
                }
            }
            Step::SearchWritten(changes, seed, is_serializable, commits) => {
                let options = match is_serializable {
                    true => TransactionOptions::serializable(),
                    false => TransactionOptions::default(),
                };
                let mut transaction = graph.begin_with(&options);
                let made = carry_out(&mut transaction, &all, changes).expect("nobody else");
                let mut all = all.clone();
                all.extend(made);
                all.sort_unstable();
                all.dedup();
                compare(&near, &transaction, &all, &vector(DIMENSIONS, *seed), K);
                if *commits {
                    transaction.commit().expect("nobody else");
                }
            }
            Step::TakeView => views.push(view),
            Step::DropView(at) if !views.is_empty() => {
                views.swap_remove(at % views.len());
            }
            Step::Snapshot => {
                let name = format!("s{}", view.csn());
                graph.create_snapshot(&name).expect("named");
            }
            Step::DropSnapshot(at) => {
                if let Some(name) = snapshot_at(graph, *at) {
                    graph.drop_snapshot(&name).expect("dropped");
                }
            }
            Step::Checkpoint => graph.checkpoint().expect("written"),
            Step::CatchUp => near.refresh().expect("up to date"),
            Step::Save => near.save().expect("written"),
            Step::Reopen(is_small) => {
                drop(near);
                near = open(*is_small);
            }
            Step::Restart => return rest,
            Step::SearchView(..) | Step::DropView(_) => {}
        }
    }
    steps
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_measuring_all_nodes_finds(
        steps in prop::collection::vec(step(), 10..60),
        metric in 0..Metric::ALL.len(),
    ) {
        let storage = DramStorage::new();
        let directory = tempfile::tempdir().expect("made");
        let mut options = GraphOptions { chunk_records: 4, ..GraphOptions::default() };
        options.store.log_bytes = 1 << 20;
        options.store.growth_step = 1 << 20;
        let mut graph = PropertyGraph::create(&storage, options, [5; 16]).expect("made");
        let (mut steps, mut total) = (&steps[..], Found::default());
        loop {
            steps = run(&graph, directory.path(), Metric::ALL[metric].1, steps, &mut total);
            if steps.is_empty() {
                break;
            }
            drop(graph);
            graph = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened").0;
        }
        prop_assert!(total.found as f64 >= 0.95 * total.wanted as f64);
    }
}

/// Vectors that only an older view shows are dropped when the view is, not before.
#[test]
fn superseded_vectors_go_when_nobody_sees_them() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    let directory = tempfile::tempdir().expect("made");
    let places = definition(DIMENSIONS, Metric::Euclidean);
    let near = Vectors::open_with(&graph, directory.path(), places, options(true));
    let near = near.expect("opened");
    let write = |round: u64| {
        let done = graph.write(|tx| {
            for node in 0..20 {
                let at = list(&vector(DIMENSIONS, 100 * round + u64::from(node)));
                match tx.node(NodeId(node))? {
                    Some(_) => tx.set(NodeId(node), "at", at)?,
                    None => drop(tx.create_node(&["IndexFile"], [("at", at)])?),
                }
            }
            Ok(())
        });
        done.expect("committed");
        near.refresh().expect("up to date");
    };
    write(0);
    let old = graph.view();
    let all: Vec<NodeId> = (0..20).map(NodeId).collect();
    (1..10).for_each(write);
    let held = near.statistics();
    assert!(
        (40..=70).contains(&held.vectors),
        "the old view's, the newest, few more: {held:?}"
    );
    assert_eq!(compare(&near, &old, &all, &vector(DIMENSIONS, 3), 5), 5);
    drop(old);
    (10..14).for_each(write);
    let left = near.statistics();
    assert!(
        left.vectors <= 20 + left.superseded && left.superseded <= 50,
        "{left:?}"
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let make = || PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let (graph, other) = (make().expect("made"), make().expect("made"));
    let directory = tempfile::tempdir().expect("made");
    let places = || definition(2, Metric::Cosine);
    let near = Vectors::open(&graph, directory.path(), places()).expect("opened");
    let again = Vectors::open(&graph, directory.path(), places());
    assert!(matches!(
        again,
        Err(VectorError::IndexFile(IndexFileError::InUse { .. }))
    ));
    let found = near.nearest(&other.view(), &[1.0, 2.0], 1);
    assert!(matches!(found, Err(VectorError::OtherGraph)));
    for query in [
        &[1.0][..],
        &[1.0, f32::NAN],
        &[f32::INFINITY, 0.0],
        &[0.0, 0.0],
    ] {
        let found = near.nearest(&graph.view(), query, 1);
        assert!(
            matches!(found, Err(VectorError::Query(_))),
            "{query:?}: {found:?}"
        );
    }
    assert_eq!(
        near.nearest(&graph.view(), &[1.0, 1.0], 3).expect("none"),
        []
    );
    for (name, dimensions) in [("", 1), ("../x", 1), ("x", 0)] {
        let mut wrong = places();
        wrong.name = name.to_string();
        wrong.dimensions = dimensions;
        let opened = Vectors::open(&graph, directory.path(), wrong);
        assert!(matches!(opened, Err(VectorError::Definition { .. })));
    }
}

/// The library computes with single precision, in which squares of such vectors are
/// infinite, or nothing.
#[test]
fn vectors_beyond_single_precision_do_not_count() {
    for metric in [Metric::Cosine, Metric::Euclidean, Metric::InnerProduct] {
        let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
        let graph = graph.expect("made");
        let directory = tempfile::tempdir().expect("made");
        let places = definition(2, metric);
        let near = Vectors::open(&graph, directory.path(), places).expect("opened");
        for size in [1e-30, 1e-17, 1.0, 1e17, 1e30] {
            for angle in 0..10 {
                let angle = f64::from(angle) / 5.0;
                let at = vec![
                    Value::from(size * angle.cos()),
                    Value::from(size * angle.sin()),
                ];
                let at = Value::from(at);
                let made = graph.write(|tx| tx.create_node(&["IndexFile"], [("at", at.clone())]));
                made.expect("committed");
            }
        }
        let view = graph.view();
        let all: Vec<NodeId> = (0..50).map(NodeId).collect();
        for query in [[1.0, 0.0], [0.0, 1e17], [1e-17, 1e-17]] {
            near.refresh().expect("taken in");
            assert_eq!(
                compare(&near, &view, &all, &query, 30),
                30,
                "{metric:?} {query:?}"
            );
            let found = near.nearest(&view, &query, 50).expect("found");
            assert_eq!(found.len(), 30);
        }
        for query in [[1e30, 0.0], [0.0, 1e-30]] {
            let found = near.nearest(&view, &query, 1);
            assert!(
                matches!(found, Err(VectorError::Query(_))),
                "{metric:?} {query:?}"
            );
        }
    }
}
