//! Lists read one by one, in bulk, pinned, and tier by tier are the same.

use evergraph::graph::{Graph, NeighborReader, StoredLists};
use evergraph::{Batch, Database, Edges, ListTier, Lists, MediumKind, Options, View};
use proptest::prelude::*;

const VERTICES: u32 = 12;

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(u32, u32)>),
    Delete(Vec<(u32, u32)>),
    DeleteVertex(u32),
    Read(u32),
    BufferAll,
    Checkpoint,
    Compact,
    CompactVertex(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let edges = || proptest::collection::vec((0..VERTICES, 0..VERTICES), 1..20);
    prop_oneof![
        5 => edges().prop_map(Step::Insert),
        2 => edges().prop_map(Step::Delete),
        1 => (0..VERTICES).prop_map(Step::DeleteVertex),
        2 => (0..VERTICES).prop_map(Step::Read),
        1 => Just(Step::BufferAll),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Compact),
        1 => (0..VERTICES).prop_map(Step::CompactVertex),
    ]
}

/// Entries of all lists by tier, from the newest to the oldest.
fn counts(view: &View) -> [usize; 3] {
    ListTier::ALL.map(|tier| {
        let entries = |v| view.entries_in(tier, Lists::Out, v).unwrap().len();
        (0..VERTICES).map(entries).sum()
    })
}

/// The list that the three tiers make up.
fn together(view: &View, lists: Lists, v: u32) -> Vec<(u32, f32)> {
    let mut list: Vec<(u32, f32)> = Vec::new();
    for tier in [ListTier::Base, ListTier::Vertex, ListTier::Append] {
        for entry in view.entries_in(tier, lists, v).unwrap() {
            if entry.deletes {
                let at = list.iter().rposition(|e| e.0 == entry.neighbor);
                list.remove(at.expect("an edge to delete"));
            } else {
                list.push((entry.neighbor, entry.weight));
            }
        }
    }
    list
}

fn compare(view: &View) {
    let before = counts(view);
    let placed: Vec<_> = (0..VERTICES)
        .map(|v| together(view, Lists::Out, v))
        .collect();
    let mut logged = vec![Vec::new(); VERTICES as usize];
    view.for_each_logged_edge(|u, v, weight| logged[u as usize].push((v, weight)));
    for (v, logged) in logged.iter().enumerate() {
        let log = view
            .entries_in(ListTier::Append, Lists::Out, v as u32)
            .unwrap();
        let log: Vec<_> = log.iter().map(|e| (e.neighbor, e.weight)).collect();
        assert_eq!(log, *logged);
    }
    assert_eq!(counts(view), before, "looking moves nothing");
    let graph = view.graph().unwrap();
    let mut reader = view.reader(Lists::Out).unwrap();
    let mut found = vec![77];
    for v in 0..VERTICES {
        let placed = &placed[v as usize];
        assert_eq!(view.weighted_neighbors(v).unwrap(), *placed);
        let ids: Vec<u32> = placed.iter().map(|e| e.0).collect();
        assert_eq!(reader.neighbors(v).unwrap(), ids);
        let start = found.len();
        view.neighbors_into(v, &mut found).unwrap();
        graph.neighbors_into(v, &mut found);
        assert_eq!(found[start..], [&ids[..], &ids[..]].concat());
        if let Ok(incoming) = view.in_neighbors(v) {
            let ids: Vec<u32> = together(view, Lists::In, v).iter().map(|e| e.0).collect();
            assert_eq!(ids, incoming);
            let mut reader = view.reader(Lists::In).unwrap();
            assert_eq!(reader.neighbors(v).unwrap(), incoming);
        }
    }
    graph.neighbors_into(u32::MAX, &mut found);
    assert_eq!(found[0], 77, "lists are appended");
    assert_eq!(graph.reader().degree(0), placed[0].len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_tiers_together_are_the_list(
        steps in proptest::collection::vec(step(), 1..25),
        direction in prop_oneof![
            Just(StoredLists::Out), Just(StoredLists::Undirected), Just(StoredLists::Both)
        ],
        weighted in any::<bool>(),
        chunks in prop_oneof![Just((16, 256)), Just((16, 16)), Just((64, 4096))],
    ) {
        let mut options = Options {
            medium: MediumKind::Dram,
            direction,
            weighted,
            section_shift: 2,
            background: false,
            ..Options::default()
        };
        (options.tuning.least_chunk_bytes, options.tuning.most_chunk_bytes) = chunks;
        let db = Database::create("in memory", &options).unwrap();
        db.add_vertices(VERTICES).unwrap();
        let mut views = vec![db.view()];
        for step in steps {
            match step {
                Step::Insert(edges) => {
                    let weights = edges.iter().map(|e| e.0 as f32 + 0.5);
                    let mut batch = Batch::new();
                    batch.insert_columns(Edges {
                        sources: edges.iter().map(|e| e.0).collect(),
                        targets: edges.iter().map(|e| e.1).collect(),
                        weights: if weighted { weights.collect() } else { Vec::new() },
                    });
                    db.commit(batch).unwrap();
                }
                Step::Delete(edges) => drop(db.delete_edges(&edges).unwrap()),
                Step::DeleteVertex(v) => {
                    db.delete_vertices(&[v]).unwrap();
                    let view = db.view();
                    prop_assert!((0..VERTICES).all(|u| !together(&view, Lists::Out, u).iter().any(|e| e.0 == v)));
                }
                Step::Read(v) => drop(db.view().neighbors(v).unwrap()),
                Step::BufferAll => {
                    db.buffer_all().unwrap();
                    prop_assert_eq!(db.store().logged_edges(), 0);
                    prop_assert_eq!(counts(&db.view())[0], 0);
                }
                Step::Checkpoint => {
                    db.checkpoint().unwrap();
                    prop_assert_eq!(&counts(&db.view())[..2], &[0, 0]);
                }
                Step::Compact => db.compact().unwrap(),
                Step::CompactVertex(v) => db.compact_vertex(v).unwrap(),
            }
            views.push(db.view());
            if views.len() % 4 == 0 {
                views.iter().for_each(compare);
            }
        }
        views.iter().for_each(compare);
    }
}

#[test]
fn lists_that_are_not_kept_are_refused() {
    let options = Options {
        medium: MediumKind::Dram,
        ..Options::default()
    };
    let db = Database::create("in memory", &options).unwrap();
    db.insert_edges(&[(0, 1)]).unwrap();
    let view = db.view();
    assert!(view.reader(Lists::In).is_err());
    assert!(view.entries_in(ListTier::Append, Lists::In, 0).is_err());
    assert_eq!(
        view.entries_in(ListTier::Append, Lists::Out, 0)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(db.store().logged_edges(), 1);
    assert_eq!(
        view.entries_in(ListTier::Base, Lists::Out, 9_999).unwrap(),
        []
    );
}
