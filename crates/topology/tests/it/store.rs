//! The store against a vector of vectors: random operations, checkpoints,
//! reopenings and views at random moments.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use evergraph_graph::StoredLists;
use evergraph_simulated::{Config as SimConfig, Persistence, SimulatedStorage};
use evergraph_storage::ViewToken;
use evergraph_topology::record::Edges;
use evergraph_topology::{
    Batch, Config, Layout, ListScratch, ListTier, Mode, Published, Store, TopologyError, Tuning,
};
use proptest::prelude::*;

use crate::common::{Model, layout, weighted_list};

const SECTION_SHIFT: u32 = 2;

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(u32, u32)>),
    Delete(Vec<(u32, u32)>),
    DeleteVertices(Vec<u32>),
    Vertices(u64),
    Checkpoint,
    /// Merge only some sections.
    MergeWhatIsDue,
    BufferAll,
    Compact,
    CompactVertex(u32),
    Relayout(Layout),
    TakeView,
    DropView,
    Reopen,
    CloseAndReopen,
}

fn step() -> impl Strategy<Value = Step> {
    let edges = || proptest::collection::vec((0u32..12, 0u32..12), 1..12);
    prop_oneof![
        6 => edges().prop_map(Step::Insert),
        3 => edges().prop_map(Step::Delete),
        1 => proptest::collection::vec(0u32..14, 0..3).prop_map(Step::DeleteVertices),
        1 => (1u64..20).prop_map(Step::Vertices),
        2 => Just(Step::Checkpoint),
        3 => Just(Step::MergeWhatIsDue),
        1 => Just(Step::BufferAll),
        1 => Just(Step::Compact),
        1 => (0u32..12).prop_map(Step::CompactVertex),
        1 => layout().prop_map(Step::Relayout),
        2 => Just(Step::TakeView),
        1 => Just(Step::DropView),
        1 => Just(Step::Reopen),
        1 => Just(Step::CloseAndReopen),
    ]
}

fn config(direction: StoredLists, weighted: bool) -> Config {
    Config {
        direction,
        weighted,
        section_shift: SECTION_SHIFT,
        log_bytes: 16 << 10,
        extent_alignment: 64,
        growth_step: 4096,
        ..Config::default()
    }
}

fn read(store: &Store, token: &ViewToken<Published>, adjacency: usize, v: u32) -> Vec<(u32, u32)> {
    let mut list = Vec::new();
    let mut degree = 0;
    if let Some(section) = store.pin_section(token, adjacency, v).unwrap() {
        let local = (v & ((1 << SECTION_SHIFT) - 1)) as usize;
        degree = section.degree(local);
        let mut scratch = ListScratch::default();
        list = weighted_list(&section, local, &mut scratch);
        let mut plain = Vec::new();
        let _ = section.for_each_segment::<()>(local, &mut scratch, |words| {
            plain.extend_from_slice(words);
            ControlFlow::Continue(())
        });
        let ids: Vec<u32> = list.iter().map(|entry| entry.0).collect();
        assert_eq!(plain, ids, "with and without weights, one list");
    }
    assert_eq!(degree, list.len(), "live degree of {v}");
    list
}

/// The same by way of all sections at once.
fn read_pinned(
    store: &Store,
    token: &ViewToken<Published>,
    adjacency: usize,
) -> Vec<Vec<(u32, u32)>> {
    let mut scratch = ListScratch::default();
    let mut lists = Vec::new();
    for section in store.pin(token, adjacency).unwrap() {
        for local in 0..1 << SECTION_SHIFT {
            let list = weighted_list(&section, local, &mut scratch);
            assert_eq!(section.degree(local), list.len());
            lists.push(list);
        }
    }
    lists
}

/// The three tiers, one after another, are the list.
fn compare_tiers(store: &Store, token: &ViewToken<Published>, adjacency: usize, v: u32) {
    let usage = |store: &Store| {
        let stats = store.stats();
        (stats.appended_entries, stats.buffered_entries)
    };
    let before = usage(store);
    let mut together: Vec<(u32, u32)> = Vec::new();
    for tier in [ListTier::Base, ListTier::Vertex, ListTier::Append] {
        for entry in store.entries_in(token, adjacency, v, tier).unwrap() {
            assert!(!(entry.deletes && tier == ListTier::Append));
            if entry.deletes {
                let latest = together.iter().rposition(|e| e.0 == entry.neighbor);
                together.remove(latest.expect("something to delete"));
            } else {
                together.push((entry.neighbor, entry.weight.to_bits()));
            }
        }
    }
    assert_eq!(usage(store), before, "reading moves nothing");
    let mut list = read(store, token, adjacency, v);
    if !store.config().weighted {
        list.iter_mut().for_each(|e| e.1 = 1f32.to_bits());
    }
    assert_eq!(together, list, "tiers of {v}");
}

fn compare(store: &Store, token: &ViewToken<Published>, model: &Model) {
    // Reading a list sorts the append buffer, so the tiers are looked at first.
    for adjacency in 0..store.adjacencies().len() {
        for v in (0..model.vertex_count as u32).step_by(5) {
            compare_tiers(store, token, adjacency, v);
        }
    }
    assert_eq!(token.state().vertex_count, model.vertex_count);
    assert_eq!(store.arc_count(token).unwrap(), model.arcs());
    let pinned = read_pinned(store, token, 0);
    for v in 0..model.vertex_count as u32 {
        let list = pinned.get(v as usize).cloned().unwrap_or_default();
        assert_eq!(list, read(store, token, 0, v), "pinned list of {v}");
        let expected = model.out.get(&v).cloned().unwrap_or_default();
        assert_eq!(read(store, token, 0, v), expected, "out-list of {v}");
        if store.adjacencies().len() == 2 {
            let expected = model.incoming.get(&v).cloned().unwrap_or_default();
            assert_eq!(read(store, token, 1, v), expected, "in-list of {v}");
        }
    }
}

fn run(config: Config, tuning: Tuning, persistence: Persistence, steps: &[Step]) {
    let (direction, weighted) = (config.direction, config.weighted);
    let storage = SimulatedStorage::new(SimConfig::new(persistence).with_capacity(2 << 20));
    let mut store = Store::create_with(&storage, config, [7; 16], tuning).unwrap();
    let (mut model, mut next_weight) = (Model::default(), 0u32);
    let mut views: Vec<(ViewToken<Published>, Model)> = Vec::new();
    for step in steps {
        match step {
            Step::Insert(edges) => {
                let mut columns = Edges::default();
                for &(u, v) in edges {
                    let weight = if weighted {
                        next_weight += 1;
                        (next_weight as f32).to_bits()
                    } else {
                        0
                    };
                    columns.sources.push(u);
                    columns.targets.push(v);
                    if weighted {
                        columns.weights.push(f32::from_bits(weight));
                    }
                    model.insert(direction, (u, v), weight);
                }
                let mut batch = Batch::new();
                batch.insert_columns(columns);
                let commit = store.commit(batch).unwrap();
                assert_eq!(commit.missed_deletes, 0);
            }
            Step::Delete(edges) => {
                let deleted = edges.iter().map(|&edge| model.delete(direction, edge));
                let missed = deleted.filter(|&found| !found).count() as u64;
                let mut batch = Batch::new();
                batch.delete(edges);
                assert_eq!(store.commit(batch).unwrap().missed_deletes, missed);
            }
            Step::DeleteVertices(vertices) => {
                model.delete_vertices(vertices);
                let commit = store.delete_vertices(vertices).unwrap();
                assert_eq!(commit.missed_deletes, 0);
            }
            Step::Vertices(count) => {
                model.vertex_count = model.vertex_count.max(*count);
                let mut batch = Batch::new();
                batch.add_vertices(*count);
                store.commit(batch).unwrap();
            }
            Step::Checkpoint => store.checkpoint().unwrap(),
            Step::MergeWhatIsDue => store.merge_what_is_due().unwrap(),
            Step::BufferAll => store.buffer_all().unwrap(),
            Step::Compact => store.compact().unwrap(),
            Step::CompactVertex(v) => store.compact_vertex(*v).unwrap(),
            Step::Relayout(_) if config.mode == Mode::Direct => {}
            Step::Relayout(layout) => store.relayout(*layout).unwrap(),
            Step::TakeView => views.push((store.register(), model.clone())),
            Step::DropView => drop(views.pop()),
            Step::Reopen | Step::CloseAndReopen => {
                views.clear();
                let clean = matches!(step, Step::CloseAndReopen);
                if clean {
                    store.close().unwrap();
                }
                drop(store);
                let (reopened, report) = Store::open_with(&storage, false, tuning).unwrap();
                assert_eq!(report.clean, clean);
                store = reopened;
            }
        }
        compare(&store, &store.register(), &model);
        for (token, then) in &views {
            compare(&store, token, then);
        }
        let report = store.check();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn store_holds_what_the_model_holds(
        steps in proptest::collection::vec(step(), 1..40),
        direction in prop_oneof![
            Just(StoredLists::Out), Just(StoredLists::Undirected), Just(StoredLists::Both)
        ],
        weighted in any::<bool>(),
        on_lines in any::<bool>(),
        layout in layout(),
        rewrite_growth in prop_oneof![Just(None), Just(Some(0)), Just(Some(50)), Just(Some(300))],
    ) {
        let persistence = if on_lines { Persistence::Lines } else { Persistence::Pages };
        let config = Config { layout, ..config(direction, weighted) };
        let tuning = Tuning { rewrite_growth, ..Tuning::default() };
        run(config, tuning, persistence, &steps);
    }

    #[test]
    fn direct_mode_holds_what_the_model_holds(
        steps in proptest::collection::vec(step(), 1..40),
        direction in prop_oneof![
            Just(StoredLists::Out), Just(StoredLists::Undirected), Just(StoredLists::Both)
        ],
        weighted in any::<bool>(),
        edge_log_bytes in prop_oneof![Just(0), Just(16), Just(64), Just(2048)],
    ) {
        let config = Config {
            mode: Mode::Direct,
            edge_log_bytes,
            ..config(direction, weighted)
        };
        run(config, Tuning::default(), Persistence::Lines, &steps);
    }
}

#[test]
fn a_full_log_makes_room_by_itself() {
    let storage = SimulatedStorage::new(SimConfig::new(Persistence::Pages).with_capacity(2 << 20));
    let store = Store::create(&storage, config(StoredLists::Out, false), [1; 16]).unwrap();
    for i in 0..2000u32 {
        let mut batch = Batch::new();
        batch.insert(&[(i % 9, i % 11)]);
        store.commit(batch).unwrap();
    }
    assert_eq!(store.published().1.arc_count, 2000);
    assert!(store.stats().merged_csn > 0, "the log was freed by merging");
    drop(store);
    let (store, report) = Store::open(&storage, true).unwrap();
    assert_eq!(store.published().1.arc_count, 2000);
    assert!(report.replayed_commits < 2000);
}

/// Grows lists of blocks by a merge for each round, and hands out the lists and
/// how many segments they are.
struct Chains {
    store: Store,
    model: Vec<Vec<u32>>,
}

impl Chains {
    const LISTS: u32 = 40;

    fn new(rewrite_growth: Option<u32>) -> Self {
        use evergraph_storage::medium::DramStorage;
        let config = Config {
            layout: Layout::Blocks,
            ..Config::default()
        };
        let tuning = Tuning {
            rewrite_growth,
            ..Tuning::default()
        };
        let store = Store::create_with(&DramStorage::new(), config, [5; 16], tuning);
        Chains {
            store: store.unwrap(),
            model: vec![Vec::new(); Self::LISTS as usize],
        }
    }

    fn grow(&mut self, round: u32) {
        let lists = Self::LISTS;
        let edges: Vec<(u32, u32)> = (0..lists).map(|u| (u, u * 7 % lists + round % 2)).collect();
        edges
            .iter()
            .for_each(|&(u, v)| self.model[u as usize].push(v));
        let mut batch = Batch::new();
        batch.insert(&edges);
        self.store.commit(batch).unwrap();
        self.store.checkpoint().unwrap();
    }

    fn lists(&self, token: &ViewToken<Published>) -> (Vec<Vec<u32>>, usize) {
        let section = self.store.pin_section(token, 0, 0).unwrap().unwrap();
        let (mut lists, mut segments) = (Vec::new(), 0);
        for local in 0..Self::LISTS as usize {
            let mut list = Vec::new();
            let _ = section.for_each_raw_segment::<()>(local, |words, _| {
                segments += 1;
                list.extend_from_slice(words);
                ControlFlow::Continue(())
            });
            lists.push(list);
        }
        (lists, segments)
    }

    fn now(&self) -> (Vec<Vec<u32>>, usize) {
        self.lists(&self.store.register())
    }
}

/// Without a deletion, too: chains become one block each, and then there is
/// nothing left to do.
#[test]
fn compaction_ends_chains_of_blocks() {
    let mut chains = Chains::new(None);
    (0..30).for_each(|round| chains.grow(round));
    let (chained, segments) = chains.now();
    assert_eq!(chained, chains.model);
    assert!(segments > 40, "{segments} segments");
    let store = &chains.store;
    let before = store.stats().extent_bytes;
    store.compact().unwrap();
    let compacted = store.stats().extent_bytes;
    assert!(compacted < before, "{compacted} of {before} bytes");
    assert_eq!(chains.now(), (chains.model.clone(), 40));
    store.compact().unwrap();
    assert_eq!(store.stats().extent_bytes, compacted, "nothing to do");
}

/// Merges end chains by themselves: each time that a section has grown by so
/// many percent, and not before. Views of before see what they saw.
#[test]
fn merges_end_chains_of_a_section_that_has_grown() {
    let mut chains = Chains::new(Some(100));
    let mut views = Vec::new();
    let mut rewritten = Vec::new();
    for round in 0..64 {
        chains.grow(round);
        let (lists, segments) = chains.now();
        assert_eq!(lists, chains.model);
        if segments == 40 {
            rewritten.push(round + 1);
        }
        if round % 5 == 0 {
            views.push((chains.store.register(), chains.model.clone()));
        }
    }
    // Sections grow from 1 to 64 entries a list: doubled less often than that.
    assert!((4..=8).contains(&rewritten.len()), "at {rewritten:?}");
    for (token, model) in &views {
        assert_eq!(chains.lists(token).0, *model);
    }
    drop(views);
    assert!(chains.store.check().problems.is_empty());
}

#[test]
fn what_does_not_fit_or_does_not_belong_is_refused() {
    let storage = SimulatedStorage::new(SimConfig::new(Persistence::Pages).with_capacity(2 << 20));
    let store = Store::create(&storage, config(StoredLists::Out, false), [1; 16]).unwrap();
    let refused = |edit: &dyn Fn(&mut Batch)| {
        let mut batch = Batch::new();
        edit(&mut batch);
        store.commit(batch).unwrap_err()
    };
    let out_of_range = refused(&|batch| {
        batch.insert(&[(0, u32::MAX)]);
    });
    let last = u64::from(u32::MAX);
    let is_named = matches!(out_of_range, TopologyError::VertexOutOfRange { id, .. } if id == last);
    assert!(is_named, "{out_of_range}");
    let weights = refused(&|batch| {
        batch.insert_columns(Edges {
            sources: vec![0],
            targets: vec![1],
            weights: vec![2.0],
        });
    });
    assert!(matches!(weights, TopologyError::Weights(_)), "{weights}");
    assert_eq!(store.published().0, 0, "nothing was committed");
}

/// Views at random moments of several writers: each equals the log replayed up
/// to its CSN.
#[test]
fn views_are_exact_while_writers_and_merges_go_on() {
    use evergraph_storage::medium::DramStorage;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};
    const WRITERS: u32 = 3;
    const COMMITS: u32 = 400;
    let storage = DramStorage::new();
    let config = Config {
        section_shift: SECTION_SHIFT,
        log_bytes: 64 << 10,
        growth_step: 1 << 16,
        ..Config::default()
    };
    let store = Store::create(&storage, config, [3; 16]).unwrap();
    let history = Mutex::new(BTreeMap::new());
    let done = AtomicBool::new(false);
    let views = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (store, history) = (&store, &history);
                scope.spawn(move || {
                    for i in 0..COMMITS {
                        let u = (i * 7 + writer) % 13;
                        let mut batch = Batch::new();
                        let (inserts, deletes) = ([(u, i % 5), (i % 13, u)], [(u, (i + 1) % 5)]);
                        batch.insert(&inserts).delete(&deletes);
                        let csn = store.commit(batch).unwrap().csn;
                        history.lock().unwrap().insert(csn, (inserts, deletes));
                    }
                })
            })
            .collect();
        let (store, views, done) = (&store, &views, &done);
        scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                let token = store.register();
                let lists: Vec<_> = (0..13).map(|v| read(store, &token, 0, v)).collect();
                views.lock().unwrap().push((token.csn(), token, lists));
                std::thread::yield_now();
            }
        });
        scope.spawn(move || {
            for turn in 0.. {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                match turn % 7 {
                    0 => store.compact().unwrap(),
                    1 => store.compact_vertex(turn % 13).unwrap(),
                    2 => store.merge_what_is_due().unwrap(),
                    3 => store.buffer_all().unwrap(),
                    4 => store.relayout(Layout::Blocks).unwrap(),
                    5 if turn % 3 == 0 => store.relayout(Layout::Pma).unwrap(),
                    _ => store.checkpoint().unwrap(),
                }
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let history = history.into_inner().unwrap();
    let mut views = views.into_inner().unwrap();
    views.sort_by_key(|view| view.0);
    assert_eq!(history.len() as u32, WRITERS * COMMITS);
    let mut model = Model::default();
    let mut log = history.iter().peekable();
    for (csn, token, lists) in &views {
        while let Some((_, (inserts, deletes))) = log.next_if(|(commit, _)| *commit <= csn) {
            for &edge in inserts {
                model.insert(StoredLists::Out, edge, 0);
            }
            for &edge in deletes {
                model.delete(StoredLists::Out, edge);
            }
        }
        for (v, list) in lists.iter().enumerate() {
            let expected = model.out.get(&(v as u32)).cloned().unwrap_or_default();
            assert_eq!(*list, expected, "list of {v} when first read at {csn}");
            let again = read(&store, token, 0, v as u32);
            assert_eq!(again, expected, "list of {v} at {csn}, read at the end");
        }
    }
}

/// Direct mode has no log to replay, so each writer numbers its edges: a view
/// shows a prefix of every writer's, and the same one when it is read again.
#[test]
fn direct_views_are_exact_while_writers_and_rewrites_go_on() {
    use evergraph_storage::medium::DramStorage;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};
    const WRITERS: u32 = 3;
    const EDGES: u32 = 3000;
    const LISTS: u32 = 8;
    let storage = DramStorage::new();
    let config = Config {
        mode: Mode::Direct,
        edge_log_bytes: 64,
        section_shift: SECTION_SHIFT,
        log_bytes: 64 << 10,
        growth_step: 1 << 16,
        ..Config::default()
    };
    let store = Store::create(&storage, config, [3; 16]).unwrap();
    let done = AtomicBool::new(false);
    let views = Mutex::new(Vec::new());
    let lists = |token: &ViewToken<Published>| -> Vec<Vec<u32>> {
        (0..WRITERS * LISTS)
            .map(|v| read(&store, token, 0, v).into_iter().map(|e| e.0).collect())
            .collect()
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let store = &store;
                scope.spawn(move || {
                    for i in 0..EDGES {
                        // Neighboring sections are shared between writers.
                        let u = (i % LISTS) * WRITERS + writer;
                        store.insert_edges_direct(&[(u, i)]).unwrap();
                    }
                })
            })
            .collect();
        let (store, views, done, lists) = (&store, &views, &done, &lists);
        scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                let token = store.register();
                let seen = lists(&token);
                views.lock().unwrap().push((token, seen));
                std::thread::yield_now();
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let views = views.into_inner().unwrap();
    for (token, seen) in &views {
        assert_eq!(*seen, lists(token), "read again at the end");
        for writer in 0..WRITERS {
            let mut numbers: Vec<u32> = (0..LISTS)
                .flat_map(|list| seen[(list * WRITERS + writer) as usize].clone())
                .collect();
            numbers.sort_unstable();
            let prefix: Vec<u32> = (0..numbers.len() as u32).collect();
            assert_eq!(numbers, prefix, "writer {writer} at {}", token.csn());
        }
    }
    let last = store.register();
    assert_eq!(store.arc_count(&last).unwrap(), u64::from(WRITERS * EDGES));
    assert!(store.check().problems.is_empty());
}

#[test]
fn external_ids_that_leave_a_gap_are_refused_before_they_are_logged() {
    use evergraph_storage::medium::DramStorage;
    use evergraph_topology::ids::IdKind;
    use evergraph_topology::record::ExternalIds;
    let config = Config {
        ids: IdKind::Numbers,
        ..Config::default()
    };
    let storage = DramStorage::new();
    let store = Store::create(&storage, config, [3; 16]).unwrap();
    let batch = |first, ids: &[u64]| {
        let mut batch = Batch::new();
        batch.assign_ids(ExternalIds::Numbers {
            first,
            ids: ids.to_vec(),
        });
        batch
    };
    store.commit(batch(0, &[70, 80])).unwrap();
    for wrong in [batch(3, &[90]), batch(1, &[81]), batch(0, &[80])] {
        let refused = store.commit(wrong);
        assert!(matches!(refused, Err(TopologyError::ExternalIds(_))));
    }
    // Several commits at once continue one another.
    let several = vec![batch(2, &[90]), batch(3, &[91])];
    store.commit_all(several).unwrap();
    let gap = vec![batch(4, &[92]), batch(6, &[93])];
    assert!(store.commit_all(gap).is_err());
    drop(store);
    let (store, _) = Store::open(&storage, false).unwrap();
    let ids = store.ids().unwrap();
    assert_eq!((ids.len(), ids.vertex_of_number(91)), (4, Some(3)));
}

/// Stored ids are not read by opening; what the log adds to them, or says of them once
/// more, is there all the same.
#[test]
fn external_ids_are_read_when_they_are_asked_for() {
    use evergraph_storage::Medium;
    use evergraph_storage::medium::{DramStorage, Storage};
    use evergraph_topology::ids::IdKind;
    use evergraph_topology::record::ExternalIds;
    let number = |vertex: u32| u64::from(vertex) * 3 + 7;
    let text = |vertex: u32| format!("vertex {vertex}");
    for kind in [IdKind::Numbers, IdKind::Texts] {
        let storage = DramStorage::new();
        let config = Config {
            ids: kind,
            ..Config::default()
        };
        let assign = |store: &Store, vertices: Range<u32>| {
            let texts: Vec<String> = vertices.clone().map(text).collect();
            let ends = texts.iter().scan(0, |end, text| {
                *end += text.len() as u32;
                Some(*end)
            });
            let first = vertices.start;
            let mut batch = Batch::new();
            batch.assign_ids(match kind {
                IdKind::Texts => ExternalIds::Texts {
                    first,
                    ends: ends.collect(),
                    bytes: texts.concat().into_bytes(),
                },
                _ => ExternalIds::Numbers {
                    first,
                    ids: vertices.map(number).collect(),
                },
            });
            store.commit(batch).unwrap();
        };
        let matches = |store: &Store, len: u32| {
            let ids = store.ids().unwrap();
            assert_eq!(ids.len(), len as usize);
            for vertex in 0..len {
                let (name, found) = match kind {
                    IdKind::Texts => (text(vertex), ids.vertex_of_text(text(vertex).as_bytes())),
                    _ => (
                        number(vertex).to_string(),
                        ids.vertex_of_number(number(vertex)),
                    ),
                };
                assert_eq!((ids.name(vertex), found), (name, Some(vertex)));
            }
            assert_eq!(ids.vertex_of_number(6), None);
            assert_eq!(ids.vertex_of_text(b"vertex"), None);
        };
        let store = Store::create(&storage, config, [3; 16]).unwrap();
        assign(&store, 0..5);
        store.checkpoint().unwrap();
        assign(&store, 5..9);
        store.close().unwrap();
        let (store, _) = Store::open(&storage, false).unwrap();
        assert_eq!(store.published().1.vertex_count, 9);
        // Again what is known, with more.
        assign(&store, 3..12);
        drop(store);
        // Replayed: what begins within what is stored, and what goes on behind it.
        let (store, _) = Store::open(&storage, false).unwrap();
        matches(&store, 12);
        store.checkpoint().unwrap();
        drop(store);
        let (store, _) = Store::open(&storage, false).unwrap();
        assign(&store, 12..15);
        drop(store);
        let (store, _) = Store::open(&storage, false).unwrap();
        // Stored before anything reads what is stored already.
        store.checkpoint().unwrap();
        matches(&store, 15);
        drop(store);
        let (store, _) = Store::open(&storage, false).unwrap();
        matches(&store, 15);
        drop(store);
        // A flipped bit is found when the ids are read, not by opening.
        let medium = storage.open("extents", false).unwrap();
        let wanted = match kind {
            IdKind::Texts => b"vertex 13".to_vec(),
            _ => number(13).to_le_bytes().to_vec(),
        };
        let mut bytes = vec![0; medium.len() as usize];
        medium.read(0, &mut bytes).unwrap();
        let places = bytes.windows(wanted.len()).enumerate();
        for (at, _) in places.filter(|(_, found)| *found == wanted) {
            medium.write(at as u64, &[wanted[0] ^ 1]).unwrap();
        }
        let (store, _) = Store::open(&storage, true).unwrap();
        let problem = store.ids().map(|ids| ids.len()).unwrap_err().to_string();
        assert!(problem.contains("checksum"), "{problem}");
        assert!(store.check().problems.contains(&problem));
    }
}

/// Edges of several writers, each in two lists: any view shows both entries of
/// an edge or none, and no writer waits for ever for another.
#[test]
fn direct_edges_in_two_lists_appear_and_go_as_one() {
    use evergraph_storage::medium::DramStorage;
    use std::sync::atomic::{AtomicBool, Ordering};
    const WRITERS: u32 = 4;
    const EDGES: u32 = 2000;
    const VERTICES: u32 = 24;
    for direction in [StoredLists::Both, StoredLists::Undirected] {
        let storage = DramStorage::new();
        let config = Config {
            mode: Mode::Direct,
            edge_log_bytes: 128,
            log_bytes: 64 << 10,
            growth_step: 1 << 16,
            ..config(direction, true)
        };
        let store = Store::create(&storage, config, [3; 16]).unwrap();
        let reverse = store.adjacencies().len() - 1;
        // Weights number the edges, so that an entry is found in both lists.
        let ends = |adjacency: usize, token: &ViewToken<Published>| {
            let mut ends = Vec::new();
            for v in 0..VERTICES {
                for (u, weight) in read(&store, token, adjacency, v) {
                    let edge = if adjacency == 0 { (v, u) } else { (u, v) };
                    ends.push((weight, edge.0, edge.1));
                }
            }
            ends.sort_unstable();
            ends
        };
        let agree = |token: &ViewToken<Published>| {
            let forward = ends(0, token);
            let mut backward = ends(reverse, token);
            if reverse == 0 {
                // Each edge stands there from both ends.
                backward.iter_mut().for_each(|e| (e.1, e.2) = (e.2, e.1));
                backward.sort_unstable();
            }
            assert_eq!(forward, backward, "{direction:?} at {}", token.csn());
        };
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let store = &store;
                    scope.spawn(move || {
                        let mut random = u64::from(writer) + 1;
                        for i in 0..EDGES {
                            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
                            let (u, v) = (
                                (random >> 33) as u32 % VERTICES,
                                (random >> 45) as u32 % VERTICES,
                            );
                            let mut batch = Batch::new();
                            if i % 5 == 4 {
                                batch.delete(&[(u, v)]);
                            } else {
                                batch.insert_columns(Edges {
                                    sources: vec![u],
                                    targets: vec![v],
                                    weights: vec![(i * WRITERS + writer) as f32],
                                });
                            }
                            store.commit(batch).unwrap();
                        }
                    })
                })
                .collect();
            let (store, done, agree) = (&store, &done, &agree);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    agree(&store.register());
                    std::thread::yield_now();
                }
            });
            for writer in writers {
                writer.join().unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        agree(&store.register());
        drop(store);
        let (store, _) = Store::open(&storage, true).unwrap();
        assert!(store.check().problems.is_empty());
    }
}
