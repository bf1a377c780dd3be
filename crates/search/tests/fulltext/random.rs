//! Random commits, views, snapshots, transactions and openings beside the reference
//! implementation.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    GraphError, GraphOptions, NodeId, OpenOptions, PropertyGraph, Transaction, View,
};
use evergraph_property_graph::transaction::TransactionOptions;
use evergraph_search::fulltext::{FullText, Hit, TextOptions};
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

use crate::scan::{Asked, compare, definition};

const WORDS: [&str; 5] = ["red", "green", "blue", "größe", "x1"];

#[derive(Clone, Debug)]
enum Change {
    Create(Vec<usize>, bool),
    Title(usize, Vec<usize>),
    Tags(usize, Vec<usize>),
    NoTitle(usize),
    Other(usize),
    Label(usize, bool),
    Delete(usize),
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<Change>),
    Search(Asked),
    /// As of a view taken before.
    SearchView(usize, Asked),
    SearchSnapshot(usize, Asked),
    /// Of a transaction that is then committed, or not.
    SearchWritten(Vec<Change>, Asked, bool, bool),
    TakeView,
    DropView(usize),
    Snapshot,
    DropSnapshot(usize),
    Checkpoint,
    CatchUp,
    /// Opens the index again, with fewer or more changes held.
    Reopen(bool),
    /// Closes it for the commits that follow.
    Close,
    /// Opens the graph again, and the index.
    Restart,
}

fn words() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..WORDS.len(), 0..4)
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (words(), prop::bool::weighted(0.8)).prop_map(|(w, l)| Change::Create(w, l)),
        4 => (0..30usize, words()).prop_map(|(n, w)| Change::Title(n, w)),
        2 => (0..30usize, words()).prop_map(|(n, w)| Change::Tags(n, w)),
        1 => (0..30usize).prop_map(Change::NoTitle),
        1 => (0..30usize).prop_map(Change::Other),
        1 => (0..30usize, any::<bool>()).prop_map(|(n, l)| Change::Label(n, l)),
        1 => (0..30usize).prop_map(Change::Delete),
    ]
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(change(), 1..5)
}

fn asked() -> impl Strategy<Value = Asked> {
    let word = || prop::sample::select(&WORDS[..]);
    prop_oneof![
        prop::collection::vec(word(), 1..3).prop_map(Asked::All),
        prop::collection::vec(word(), 1..4).prop_map(Asked::Any),
        (word(), word()).prop_map(|(a, b)| Asked::Phrase(a, b)),
        (word(), word()).prop_map(|(a, b)| Asked::Without(a, b)),
        Just(Asked::Everything),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => changes().prop_map(Step::Commit),
        4 => asked().prop_map(Step::Search),
        4 => (0..9usize, asked()).prop_map(|(v, a)| Step::SearchView(v, a)),
        2 => (0..9usize, asked()).prop_map(|(s, a)| Step::SearchSnapshot(s, a)),
        2 => (changes(), asked(), any::<bool>(), any::<bool>())
            .prop_map(|(c, a, s, k)| Step::SearchWritten(c, a, s, k)),
        2 => Just(Step::TakeView),
        1 => (0..9usize).prop_map(Step::DropView),
        1 => Just(Step::Snapshot),
        1 => (0..9usize).prop_map(Step::DropSnapshot),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::CatchUp),
        1 => any::<bool>().prop_map(Step::Reopen),
        1 => Just(Step::Close),
        1 => Just(Step::Restart),
    ]
}

fn title(words: &[usize]) -> Value {
    let words: Vec<&str> = words.iter().map(|&at| WORDS[at]).collect();
    Value::from(words.join(" - "))
}

fn list(words: &[usize]) -> Value {
    let words = words
        .iter()
        .map(|&at| Value::from(WORDS[at].to_uppercase()));
    Value::from(words.chain([Value::from(7)]).collect::<Vec<_>>())
}

/// The label that a node gets and loses: some have both of the index.
fn label_of(node: NodeId) -> &'static str {
    match node.0 % 2 {
        0 => "Post",
        _ => "Page",
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
        let node = |at: &usize| nodes.get(at % nodes.len().max(1)).copied();
        let (at, is_there) = match change {
            Change::Create(words, labelled) => {
                let labels: &[&str] = if *labelled { &["Post"] } else { &["Note"] };
                made.push(transaction.create_node(labels, [("title", title(words))])?);
                continue;
            }
            Change::Title(at, _)
            | Change::Tags(at, _)
            | Change::NoTitle(at)
            | Change::Other(at)
            | Change::Label(at, _)
            | Change::Delete(at) => match node(at) {
                Some(node) => (node, transaction.node(node)?.is_some()),
                None => continue,
            },
        };
        if !is_there {
            continue;
        }
        match change {
            Change::Create(..) => {}
            Change::Title(_, words) => transaction.set(at, "title", title(words))?,
            Change::Tags(_, words) => transaction.set(at, "tags", list(words))?,
            Change::NoTitle(_) => transaction.remove(at, "title")?,
            Change::Other(_) => transaction.set(at, "other", 1)?,
            Change::Label(_, true) => transaction.add_label(at, label_of(at))?,
            Change::Label(_, false) => transaction.remove_label(at, label_of(at))?,
            Change::Delete(_) => transaction.delete_node(at)?,
        }
    }
    Ok(made)
}

fn options(is_small: bool) -> TextOptions {
    TextOptions {
        direct: if is_small { 0 } else { 4 },
        queue: if is_small { 3 } else { 1000 },
        superseded: 2,
        memory: 15 << 20,
    }
}

fn snapshot_at(graph: &PropertyGraph, at: usize) -> Option<String> {
    let snapshots = graph.snapshots();
    let snapshot = snapshots.get(at % snapshots.len().max(1))?;
    Some(snapshot.name.clone())
}

/// Carries steps out until the graph is to be opened again; gives those that are left.
fn run<'s>(graph: &PropertyGraph, at: &std::path::Path, mut steps: &'s [Step]) -> &'s [Step] {
    let mut is_small = false;
    let open = |is_small| FullText::open_with(graph, at, definition(), options(is_small));
    let mut index = Some(open(is_small).expect("opened"));
    let mut views: Vec<View> = Vec::new();
    while let Some((step, rest)) = steps.split_first() {
        steps = rest;
        let view = graph.view();
        let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
        if !matches!(step, Step::Commit(_) | Step::TakeView | Step::Close) && index.is_none() {
            index = Some(open(is_small).expect("opened"));
        }
        let text = index.as_ref();
        match (step, text) {
            (Step::Commit(changes), _) => {
                drop(view);
                let done = graph.write(|tx| carry_out(tx, &all, changes));
                done.expect("committed");
            }
            (Step::Search(asked), Some(text)) => compare(text, &view, &all, asked),
            (Step::SearchView(at, asked), Some(text)) if !views.is_empty() => {
                compare(text, &views[at % views.len()], &all, asked);
            }
            (Step::SearchSnapshot(at, asked), Some(text)) => {
                if let Some(name) = snapshot_at(graph, *at) {
                    compare(text, &graph.as_of(&name).expect("kept"), &all, asked);
                }
            }
            (Step::SearchWritten(changes, asked, is_serializable, commits), Some(text)) => {
                let options = match is_serializable {
                    true => TransactionOptions::serializable(),
                    false => TransactionOptions::default(),
                };
                let mut transaction = graph.begin_with(&options);
                let made = carry_out(&mut transaction, &all, changes).expect("nobody else");
                let mut all = all.clone();
                all.extend(made);
                compare(text, &transaction, &all, asked);
                if *commits {
                    transaction.commit().expect("nobody else");
                }
            }
            (Step::TakeView, _) => views.push(view),
            (Step::DropView(at), _) if !views.is_empty() => {
                views.swap_remove(at % views.len());
            }
            (Step::Snapshot, _) => {
                let name = format!("s{}", view.csn());
                graph.create_snapshot(&name).expect("named");
            }
            (Step::DropSnapshot(at), _) => {
                if let Some(name) = snapshot_at(graph, *at) {
                    graph.drop_snapshot(&name).expect("dropped");
                }
            }
            (Step::Checkpoint, _) => graph.checkpoint().expect("written"),
            (Step::CatchUp, Some(text)) => text.refresh().expect("up to date"),
            (Step::Reopen(small), _) => {
                is_small = *small;
                drop(index.take());
            }
            (Step::Close, _) => drop(index.take()),
            (Step::Restart, _) => return rest,
            _ => {}
        }
    }
    steps
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_reading_all_nodes_finds(
        steps in prop::collection::vec(step(), 10..60),
    ) {
        let storage = DramStorage::new();
        let directory = tempfile::tempdir().expect("made");
        let mut options = GraphOptions { chunk_records: 4, ..GraphOptions::default() };
        options.store.log_bytes = 1 << 20;
        options.store.growth_step = 1 << 20;
        let mut graph = PropertyGraph::create(&storage, options, [5; 16]).expect("made");
        let mut steps = &steps[..];
        loop {
            steps = run(&graph, directory.path(), steps);
            if steps.is_empty() {
                break;
            }
            drop(graph);
            graph = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened").0;
        }
    }
}

/// Texts that only an older view shows are dropped when the view is, not before.
#[test]
fn superseded_texts_go_when_nobody_sees_them() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    let directory = tempfile::tempdir().expect("made");
    let small = options(true);
    let text = FullText::open_with(&graph, directory.path(), definition(), small).expect("opened");
    let write = |round: usize| {
        let done = graph.write(|tx| {
            for node in 0..20 {
                let node = NodeId(node);
                match tx.node(node)? {
                    Some(_) => tx.set(node, "title", title(&[round % 5, round / 5]))?,
                    None => drop(tx.create_node(&["Post"], [("title", title(&[round]))])?),
                }
            }
            Ok(())
        });
        done.expect("committed");
        text.refresh().expect("up to date");
    };
    write(0);
    let old = graph.view();
    let all: Vec<NodeId> = (0..20).map(NodeId).collect();
    (1..10).for_each(write);
    let held = text.statistics();
    assert!(
        (40..=60).contains(&held.texts),
        "the old view's, the newest, and few more: {held:?}"
    );
    compare(&text, &old, &all, &Asked::All(vec!["red"]));
    drop(old);
    write(10);
    (11..14).for_each(write);
    assert_eq!(text.statistics().texts, 20);
}

/// A writer does not wait for the index: changes that no search takes up stay bounded.
#[test]
fn changes_that_nobody_takes_do_not_pile_up() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    let directory = tempfile::tempdir().expect("made");
    let text = FullText::open_with(&graph, directory.path(), definition(), options(false));
    let text = text.expect("opened");
    for round in 0..2000 {
        let words = [round % 5];
        graph
            .write(|tx| tx.create_node(&["Post"], [("title", title(&words))]))
            .expect("committed");
        assert!(text.statistics().waiting <= 1000);
    }
    let all: Vec<NodeId> = (0..2000).map(NodeId).collect();
    compare(&text, &graph.view(), &all, &Asked::All(vec!["blue"]));
    assert_eq!(text.statistics().waiting, 0);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    use evergraph_search::fulltext::{IndexFileError, TextError};
    let make = || PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let (graph, other) = (make().expect("made"), make().expect("made"));
    let directory = tempfile::tempdir().expect("made");
    let text = FullText::open(&graph, directory.path(), definition()).expect("opened");
    let again = FullText::open(&graph, directory.path(), definition());
    assert!(matches!(
        again,
        Err(TextError::IndexFile(IndexFileError::InUse { .. }))
    ));
    let found = text.search(&other.view(), "red", 1);
    assert!(matches!(found, Err(TextError::OtherGraph)));
    for query in ["\"red", "other:red", "(red"] {
        let found = text.search(&graph.view(), query, 1);
        assert!(
            matches!(found, Err(TextError::Query { .. })),
            "{query}: {found:?}"
        );
    }
    for (name, keys) in [("", 1), ("../x", 1), ("x", 0)] {
        let mut wrong = definition();
        wrong.name = name.to_string();
        wrong.keys.truncate(keys);
        let opened = FullText::open(&graph, directory.path(), wrong);
        assert!(matches!(opened, Err(TextError::Definition { .. })));
    }
}

/// Old texts of many lengths, in many segments, match better than those that are seen.
#[test]
fn old_texts_take_no_place_of_those_that_are_seen() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    let directory = tempfile::tempdir().expect("made");
    let text = FullText::open(&graph, directory.path(), definition()).expect("opened");
    let write = |node: u32, reds: usize, others: usize| {
        let title = "red ".repeat(reds) + &"blue ".repeat(others);
        let done = graph.write(|tx| match tx.node(NodeId(node))? {
            Some(_) => tx.set(NodeId(node), "title", title.as_str()),
            None => {
                tx.create_node(&["Post"], [("title", title.as_str().into())])?;
                Ok(())
            }
        });
        done.expect("committed");
    };
    let mut old = Vec::new();
    for round in 0..4usize {
        for node in 0..300u32 {
            let others = match round {
                3 => 40 + node as usize % 50,
                _ => (node as usize * 7 + round) % 20,
            };
            write(node, 1 + node as usize % 3, others);
            if node % 60 == 59 {
                text.refresh().expect("taken in");
            }
        }
        old.push(graph.view());
    }
    let view = graph.view();
    let every = text.search(&view, "red", usize::MAX).expect("found");
    assert_eq!(every.len(), 300);
    for limit in (1..40).chain([99, 150, 299, 300]) {
        let hits = text.search(&view, "red", limit).expect("found");
        assert_eq!(hits.len(), limit);
        let scores = |hits: &[Hit]| hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
        assert_eq!(scores(&hits), scores(&every[..limit]));
    }
}

/// A node that changes again and again counts once for each text that it had.
#[test]
fn superseded_texts_are_counted_once() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    let directory = tempfile::tempdir().expect("made");
    let text = FullText::open(&graph, directory.path(), definition()).expect("opened");
    let made = graph.write(|tx| tx.create_node(&["Post"], [("title", "red".into())]));
    let node = made.expect("committed");
    let mut views = Vec::new();
    for round in 0..50 {
        views.push(graph.view());
        let title = format!("red {round}");
        let changed = graph.write(|tx| tx.set(node, "title", title.as_str()));
        changed.expect("committed");
        text.refresh().expect("taken in");
        let facts = text.statistics();
        assert_eq!((facts.texts, facts.superseded), (round + 2, round + 1));
    }
}
