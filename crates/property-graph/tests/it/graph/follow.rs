//! Changes that followers are told, against a comparison of every node.

use std::collections::BTreeSet;

use evergraph_property_graph::graph::{GraphOptions, NodeId, OpenOptions, PropertyGraph, View};
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Create(usize),
    Set(Vec<u32>),
    Delete(u32),
    Relate(u32, u32),
    Checkpoint,
    /// Looks at what changed since an earlier view.
    Compare(usize),
    Forget(usize),
    DropView(usize),
    Snapshot,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..4usize).prop_map(Step::Create),
        4 => prop::collection::vec(0..20u32, 1..4).prop_map(Step::Set),
        1 => (0..20u32).prop_map(Step::Delete),
        1 => (0..20u32, 0..20u32).prop_map(|(a, b)| Step::Relate(a, b)),
        1 => Just(Step::Checkpoint),
        4 => (0..9usize).prop_map(Step::Compare),
        1 => (0..9usize).prop_map(Step::Forget),
        1 => (0..9usize).prop_map(Step::DropView),
        1 => Just(Step::Snapshot),
    ]
}

/// The nodes that two views show differently.
fn different(a: &View, b: &View) -> BTreeSet<u32> {
    let bound = a.node_bound().max(b.node_bound());
    let record = |view: &View, id| view.node_record(NodeId(id)).expect("readable");
    (0..bound)
        .filter(|&id| record(a, id) != record(b, id))
        .collect()
}

fn write(graph: &PropertyGraph, step: &Step, round: i64) {
    let done = graph.write(|tx| {
        match step {
            Step::Create(count) => {
                for _ in 0..*count {
                    tx.create_node(&["A"], [("x", round.into())])?;
                }
            }
            Step::Set(nodes) => {
                for &node in nodes {
                    if tx.node(NodeId(node))?.is_some() {
                        tx.set(NodeId(node), "x", round)?;
                    }
                }
            }
            Step::Delete(node) if tx.node(NodeId(*node))?.is_some() => {
                tx.detach_delete_node(NodeId(*node))?;
            }
            Step::Relate(a, b) => {
                let (a, b) = (NodeId(*a), NodeId(*b));
                if tx.node(a)?.is_some() && tx.node(b)?.is_some() {
                    tx.create_relationship(a, "R", b, [])?;
                }
            }
            _ => {}
        }
        Ok(())
    });
    done.expect("nobody else");
}

proptest! {
    #[test]
    fn every_change_is_told_or_known_to_be_lost(
        steps in prop::collection::vec(step(), 5..60),
        limit in prop::sample::select(vec![0usize, 4, 1000]),
    ) {
        let options = GraphOptions { chunk_records: 4, ..GraphOptions::default() };
        let graph = PropertyGraph::create(&DramStorage::new(), options, [7; 16]).expect("made");
        let changes = graph.follow(limit);
        let mut views = vec![graph.view()];
        let mut forgotten = 0;
        for (round, step) in (0..).zip(&steps) {
            match step {
                Step::Compare(at) => {
                    let (old, new) = (&views[at % views.len()], graph.view());
                    let differ = different(old, &new);
                    let in_ranges = |id: &u32| {
                        let changed = graph.changed_since(old.csn());
                        changed.iter().any(|part| part.nodes.contains(id))
                    };
                    prop_assert!(differ.iter().all(in_ranges));
                    for part in graph.changed_since(0) {
                        if part.until <= old.csn() {
                            prop_assert!(differ.iter().all(|id| !part.nodes.contains(id)));
                        }
                    }
                    let told = changes.between(old.csn(), new.csn(), usize::MAX);
                    if limit == 1000 && old.csn() >= forgotten {
                        prop_assert!(told.is_some(), "there was room");
                    }
                    if let Some(told) = told.filter(|_| old.csn() >= forgotten) {
                        prop_assert!(differ.iter().all(|id| told.contains(id)));
                        prop_assert!(told.is_sorted());
                    }
                    let work = graph.work_since(&changes, forgotten.max(old.csn()), &new);
                    for id in different(old, &new) {
                        let part = work.nodes.iter().find(|part| part.nodes.contains(&id));
                        prop_assert!(part.is_some() || old.csn() < forgotten);
                        let moments: Vec<u64> = part.map_or_else(Vec::new, |part| {
                            work.moments(part).collect()
                        });
                        // A view that is not named shows the newest versions.
                        for view in views.iter().filter(|view| view.csn() > old.csn().max(forgotten)) {
                            let record = |view: &View| view.node_record(NodeId(id)).expect("readable");
                            let at = graph.node_at(NodeId(id), view.csn()).expect("readable");
                            prop_assert_eq!(at.map(|node| node.record().clone()), record(view));
                            let is_named = moments.contains(&view.csn()) || part.is_none();
                            prop_assert!(is_named || record(view) == record(&new));
                        }
                    }
                }
                Step::Forget(at) => {
                    forgotten = views[at % views.len()].csn().max(forgotten);
                    changes.forget(forgotten);
                }
                Step::DropView(at) if views.len() > 1 => {
                    views.swap_remove(at % views.len());
                }
                Step::DropView(_) => {}
                Step::Checkpoint => graph.checkpoint().expect("written"),
                Step::Snapshot => {
                    let name = format!("s{round}");
                    drop(graph.create_snapshot(&name).expect("named"));
                    views.push(graph.as_of(&name).expect("kept"));
                }
                _ => {
                    write(&graph, step, round);
                    views.push(graph.view());
                }
            }
            prop_assert!(changes.len() <= limit);
            let shown = graph.shown_before(u64::MAX);
            prop_assert!(views.iter().all(|view| shown.contains(&view.csn())));
        }
    }
}

#[test]
fn who_begins_to_follow_later_knows_that_it_missed_something() {
    let options = GraphOptions::default();
    let graph = PropertyGraph::create(&DramStorage::new(), options, [7; 16]).expect("made");
    let before = graph.view();
    write(&graph, &Step::Create(3), 0);
    let changes = graph.follow(10);
    let began = graph.view();
    assert_eq!(changes.between(before.csn(), began.csn(), 10), None);
    assert_eq!(changes.between(began.csn(), began.csn(), 10), Some(vec![]));
    write(&graph, &Step::Set(vec![2, 0]), 1);
    let now = graph.view().csn();
    assert_eq!(changes.between(began.csn(), now, 10), Some(vec![0, 2]));
    assert_eq!(
        changes.between(began.csn(), now, 1),
        None,
        "more than are wanted"
    );
}

#[test]
fn nobody_was_told_of_what_was_before_the_opening() {
    let storage = DramStorage::new();
    let options = GraphOptions::default();
    let graph = PropertyGraph::create(&storage, options, [7; 16]).expect("made");
    write(&graph, &Step::Create(3), 0);
    graph.checkpoint().expect("written");
    drop(graph);
    let opened = PropertyGraph::open(&storage, OpenOptions::default());
    let graph = opened.expect("opened").0;
    let changes = graph.follow(10);
    let now = graph.view().csn();
    assert_eq!(changes.between(0, now, 10), None);
    assert_eq!(graph.changed_since(0).len(), 1);
    assert_eq!(graph.changed_since(now), []);
}
