//! Relationships with types and ids against a plain list of those that live:
//! random operations, views, snapshots, merges and reopenings.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::ops::ControlFlow;

use evergraph_graph::StoredLists;
use evergraph_storage::ViewToken;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::record::Edges;
use evergraph_topology::{
    Batch, Config, Layout, PinnedSections, Published, Store, TopologyError, Tuning, in_adjacency,
    out_adjacency,
};
use proptest::prelude::*;

const KINDS: [u16; 3] = [0, 1, 700];
const VERTICES: u32 = 9;

/// Type, source, target, id.
type Relationship = (u16, u32, u32, u32);

#[derive(Clone, Debug)]
enum Step {
    /// New ones, and which of the live ones go: parts of 256 of their number.
    Change(Vec<(usize, u32, u32)>, Vec<u8>),
    /// As many between the same two, and all but some of them deleted.
    Hub(u32, u8),
    /// Deletions of what is not there.
    Miss(u32),
    Checkpoint,
    MergeWhatIsDue,
    Compact,
    CompactVertex(u32),
    Relayout(Layout),
    Snapshot,
    DropSnapshot,
    TakeView,
    DropView,
    Reopen,
    CloseAndReopen,
}

fn step() -> impl Strategy<Value = Step> {
    let news = || proptest::collection::vec((0..KINDS.len(), 0..VERTICES, 0u32..3), 0..8);
    let olds = || proptest::collection::vec(any::<u8>(), 0..5);
    prop_oneof![
        10 => (news(), olds()).prop_map(|(news, olds)| Step::Change(news, olds)),
        1 => (0..VERTICES, any::<u8>()).prop_map(|(v, keep)| Step::Hub(v, keep)),
        1 => (0..VERTICES).prop_map(Step::Miss),
        2 => Just(Step::Checkpoint),
        2 => Just(Step::MergeWhatIsDue),
        2 => Just(Step::Compact),
        1 => (0..VERTICES).prop_map(Step::CompactVertex),
        1 => prop_oneof![Just(Layout::Pma), Just(Layout::Blocks)].prop_map(Step::Relayout),
        2 => Just(Step::Snapshot),
        1 => Just(Step::DropSnapshot),
        2 => Just(Step::TakeView),
        1 => Just(Step::DropView),
        1 => Just(Step::Reopen),
        1 => Just(Step::CloseAndReopen),
    ]
}

/// The reference implementation: what lives, in the order of insertion.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    live: Vec<Relationship>,
    vertex_count: u64,
}

impl Model {
    fn list(&self, kind: u16, vertex: u32, incoming: bool) -> (Vec<u32>, Vec<u32>) {
        let of = self.live.iter().filter(|r| r.0 == kind);
        let ends = of.map(|&(_, s, t, id)| if incoming { (t, s, id) } else { (s, t, id) });
        let its = ends.filter(|ends| ends.0 == vertex);
        its.map(|(_, other, id)| (other, id)).unzip()
    }

    /// The smallest id that nothing has: ids come again.
    fn free_id(&self) -> u32 {
        let taken = |id: &u32| self.live.iter().any(|r| r.3 == *id);
        (0..).find(|id| !taken(id)).unwrap()
    }

    fn insert(&mut self, kind: u16, source: u32, target: u32) -> Relationship {
        let new = (kind, source, target, self.free_id());
        self.live.push(new);
        self.vertex_count = self.vertex_count.max(u64::from(source.max(target)) + 1);
        new
    }
}

struct Reference {
    storage: DramStorage,
    store: Option<Store>,
    model: Model,
    /// Views, and what they keep of what they have read.
    views: Vec<(ViewToken<Published>, Model, PinnedSections)>,
    snapshots: BTreeMap<String, Model>,
    next_name: usize,
}

fn config() -> Config {
    Config {
        direction: StoredLists::Both,
        relationships: true,
        section_shift: 2,
        log_bytes: 16 << 10,
        extent_alignment: 64,
        growth_step: 4096,
        ..Config::default()
    }
}

impl Reference {
    fn new() -> Self {
        let storage = DramStorage::new();
        let store = Store::create(&storage, config(), [3; 16]).unwrap();
        Reference {
            storage,
            store: Some(store),
            model: Model::default(),
            views: Vec::new(),
            snapshots: BTreeMap::new(),
            next_name: 0,
        }
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    fn commit(&self, news: &[Relationship], olds: &[Relationship]) -> u64 {
        let mut batch = Batch::new();
        for kind in KINDS {
            let (sources, targets, ids) = columns(news, kind);
            if !ids.is_empty() {
                batch.insert_relationships(kind, sources, targets, ids);
            }
        }
        for kind in KINDS {
            let (sources, targets, ids) = columns(olds, kind);
            if !ids.is_empty() {
                batch.delete_relationships(kind, sources, targets, ids);
            }
        }
        self.store().commit(batch).unwrap().missed_deletes
    }

    fn perform(&mut self, step: &Step) {
        match step {
            Step::Change(news, olds) => {
                let inserted: Vec<Relationship> = news
                    .iter()
                    .map(|&(kind, source, target)| self.model.insert(KINDS[kind], source, target))
                    .collect();
                let mut deleted = Vec::new();
                for &part in olds {
                    let count = self.model.live.len();
                    if count > 0 {
                        let at = usize::from(part) * count / 256;
                        deleted.push(self.model.live.remove(at));
                    }
                }
                assert_eq!(self.commit(&inserted, &deleted), 0);
            }
            Step::Hub(vertex, keep) => {
                let target = (vertex + 1) % VERTICES;
                let many: Vec<Relationship> = (0..48)
                    .map(|_| self.model.insert(1, *vertex, target))
                    .collect();
                self.commit(&many, &[]);
                let kept = usize::from(*keep) % many.len();
                let olds: Vec<Relationship> = (0..many.len())
                    .filter(|&i| i != kept)
                    .map(|i| many[i])
                    .collect();
                // Once more than there are: the second time it is not there.
                let twice = [olds.clone(), vec![olds[0]]].concat();
                assert_eq!(self.commit(&[], &twice), 1);
                self.model.live.retain(|r| !olds.contains(r));
            }
            Step::Miss(vertex) => {
                let id = self.model.free_id();
                let there = self.model.live.iter().find(|r| r.1 == *vertex);
                let (kind, source, target) = there.map_or((1, *vertex, 0), |r| (r.0, r.1, r.2));
                // Not of this id; not with this other end.
                let olds = [(kind, source, target, id), (kind, target, VERTICES + 5, 0)];
                assert_eq!(self.commit(&[], &olds), 2);
            }
            Step::Checkpoint => self.store().checkpoint().unwrap(),
            Step::MergeWhatIsDue => self.store().merge_what_is_due().unwrap(),
            Step::Compact => self.store().compact().unwrap(),
            Step::CompactVertex(vertex) => self.store().compact_vertex(*vertex).unwrap(),
            Step::Relayout(layout) => self.store().relayout(*layout).unwrap(),
            Step::Snapshot => {
                let name = format!("snapshot {}", self.next_name);
                self.next_name += 1;
                self.store().create_snapshot(&name, None).unwrap();
                self.snapshots.insert(name, self.model.clone());
            }
            Step::DropSnapshot => {
                if let Some((name, _)) = self.snapshots.pop_first() {
                    self.store().drop_snapshots(&[&name]).unwrap();
                }
            }
            Step::TakeView => {
                let token = self.store().register();
                self.views
                    .push((token, self.model.clone(), PinnedSections::new()));
            }
            Step::DropView => drop(self.views.pop()),
            Step::Reopen => self.reopen(false),
            Step::CloseAndReopen => self.reopen(true),
        }
    }

    fn reopen(&mut self, close: bool) {
        self.views.clear();
        if close {
            self.store().close().unwrap();
        }
        self.store = None;
        let (store, report) = Store::open(&self.storage, false).unwrap();
        assert_eq!(report.clean, close);
        self.store = Some(store);
    }

    fn compare(&self, token: &ViewToken<Published>, model: &Model, pins: &PinnedSections) {
        let store = self.store();
        assert_eq!(token.state().vertex_count, model.vertex_count);
        assert_eq!(token.state().arc_count, model.live.len() as u64);
        for kind in KINDS {
            for (adjacency, incoming) in [(out_adjacency(kind), false), (in_adjacency(kind), true)]
            {
                let mut reader = store.reader_with(token, pins, adjacency);
                for vertex in 0..VERTICES + 2 {
                    let (neighbors, ids) = model.list(kind, vertex, incoming);
                    let found = read_list(store, token, pins, adjacency, vertex);
                    assert_eq!(found, (neighbors.clone(), ids.clone()), "{kind}, {vertex}");
                    let may_have = store.adjacencies_of(vertex).may_contain(adjacency);
                    assert!(may_have || ids.is_empty(), "type {kind}, {vertex}");
                    assert_eq!(reader.degree(vertex).unwrap(), ids.len());
                    let found = reader.relationships(vertex).unwrap();
                    assert_eq!(found, (&neighbors[..], &ids[..]), "type {kind}, {vertex}");
                    assert_eq!(reader.neighbors(vertex).unwrap(), neighbors);
                }
            }
        }
    }

    fn check(&self) {
        self.compare(
            &self.store().register(),
            &self.model,
            &PinnedSections::new(),
        );
        for (token, model, pins) in &self.views {
            self.compare(token, model, pins);
        }
        for (name, model) in &self.snapshots {
            let snapshot = self.store().snapshot(name).unwrap();
            let token = self.store().register_at(snapshot.csn).unwrap();
            self.compare(&token, model, &PinnedSections::new());
        }
        assert_eq!(self.store().check().problems, Vec::<String>::new());
    }
}

/// A list as a view that keeps what it reads shows it.
fn read_list(
    store: &Store,
    token: &ViewToken<Published>,
    pins: &PinnedSections,
    adjacency: usize,
    vertex: u32,
) -> (Vec<u32>, Vec<u32>) {
    let (mut neighbors, mut ids) = (Vec::new(), Vec::new());
    let each = |n: &[u32], i: &[u32]| {
        neighbors.extend_from_slice(n);
        ids.extend_from_slice(i);
        ControlFlow::<()>::Continue(())
    };
    let _ = store
        .read_list(token, pins, adjacency, vertex, each)
        .unwrap();
    (neighbors, ids)
}

fn columns(some: &[Relationship], kind: u16) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let of = || some.iter().filter(|r| r.0 == kind);
    (
        of().map(|r| r.1).collect(),
        of().map(|r| r.2).collect(),
        of().map(|r| r.3).collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn the_store_holds_what_the_list_holds(
        steps in proptest::collection::vec(step(), 1..40),
        often in any::<bool>(),
    ) {
        let mut reference = Reference::new();
        for step in &steps {
            reference.perform(step);
            // Reading sorts lists: half of the executions leave them alone.
            if often {
                reference.check();
            }
        }
        reference.check();
        reference.reopen(false);
        reference.check();
        reference.store().compact().unwrap();
        reference.check();
    }

    /// Views that have read everything keep no space that they would not keep
    /// anyway, whatever replaces the sections.
    #[test]
    fn what_views_have_read_is_free_when_it_is_replaced(
        steps in proptest::collection::vec(step(), 1..30),
    ) {
        let mut reference = Reference::new();
        for step in &steps {
            reference.perform(step);
            for (token, model, pins) in &reference.views {
                reference.compare(token, model, pins);
            }
        }
        reference.store().checkpoint().unwrap();
        let used = |reference: &Reference| {
            let stats = reference.store().stats();
            (stats.extent_bytes, stats.buffer_used_bytes)
        };
        let before = used(&reference);
        for (.., pins) in &mut reference.views {
            *pins = PinnedSections::new();
        }
        prop_assert_eq!(used(&reference), before);
    }
}

/// Merges take a section out of the views that keep it: their extents and buffers
/// are free, and the next read finds the new ones.
#[test]
fn a_merge_frees_what_views_keep() {
    let store = Store::create(&DramStorage::new(), config(), [3; 16]).unwrap();
    let insert = |id: u32| {
        let mut batch = Batch::new();
        batch.insert_relationships(0, vec![1], vec![2], vec![id]);
        store.commit(batch).unwrap();
    };
    insert(0);
    store.checkpoint().unwrap();
    let (token, pins) = (store.register(), PinnedSections::new());
    let read = || read_list(&store, &token, &pins, out_adjacency(0), 1).1;
    let kept = || store.stats().reading_dram_bytes;
    let nothing = kept();
    // One list is read as it is; who reads more keeps the section.
    assert_eq!(read(), [0]);
    assert_eq!(kept(), nothing);
    for _ in 0..9 {
        assert_eq!(read(), [0]);
    }
    let with_section = kept();
    assert!(with_section > nothing);
    let used = store.stats().extent_bytes;
    for round in 1..20 {
        insert(round);
        store.checkpoint().unwrap();
        assert!(kept() < with_section, "the section is replaced");
        // Of the old extents none is left but for what the list has grown.
        assert!(store.stats().extent_bytes <= used + 1024);
        assert_eq!(store.stats().buffer_used_bytes, 0);
        assert_eq!(read(), [0]);
        assert!(kept() >= with_section);
    }
    drop((token, pins));
    assert_eq!(kept(), nothing);
}

/// Readers of one view, while what it keeps is replaced all the time.
#[test]
fn many_read_one_view_while_its_sections_are_replaced() {
    let store = Store::create(&DramStorage::new(), config(), [3; 16]).unwrap();
    let insert = |id: u32| {
        let mut batch = Batch::new();
        batch.insert_relationships(1, vec![1, 6], vec![6, 1], vec![2 * id, 2 * id + 1]);
        store.commit(batch).unwrap();
    };
    (0..50).for_each(insert);
    let (token, pins) = (store.register(), PinnedSections::new());
    let done = std::sync::atomic::AtomicBool::new(false);
    let (store, token, pins, done) = (&store, &token, &pins, &done);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(move || {
                let expected: Vec<u32> = (0..50).map(|id| 2 * id).collect();
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let (neighbors, ids) = read_list(store, token, pins, out_adjacency(1), 1);
                    assert_eq!((neighbors, ids), (vec![6; 50], expected.clone()));
                    assert!(store.adjacencies_of(6).may_contain(in_adjacency(1)));
                }
            });
        }
        for id in 50..300 {
            insert(id);
            match id % 3 {
                0 => store.checkpoint().unwrap(),
                1 => store.compact().unwrap(),
                _ => store
                    .relayout([Layout::Pma, Layout::Blocks][id as usize % 2])
                    .unwrap(),
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn of_parallel_relationships_exactly_the_named_one_goes() {
    let store = Store::create(&DramStorage::new(), config(), [3; 16]).unwrap();
    let mut batch = Batch::new();
    batch.insert_relationships(4, vec![1; 3], vec![2; 3], vec![10, 11, 12]);
    store.commit(batch).unwrap();
    let before = store.register();
    let mut batch = Batch::new();
    batch.delete_relationships(4, vec![1], vec![2], vec![11]);
    assert_eq!(store.commit(batch).unwrap().missed_deletes, 0);
    let now = store.register();
    let ids = |token, adjacency, vertex| {
        let mut reader = store.reader(token, adjacency);
        reader.relationships(vertex).unwrap().1.to_vec()
    };
    for _ in 0..2 {
        assert_eq!(ids(&now, out_adjacency(4), 1), [10, 12]);
        assert_eq!(ids(&now, in_adjacency(4), 2), [10, 12]);
        assert_eq!(ids(&before, out_adjacency(4), 1), [10, 11, 12]);
        assert_eq!(ids(&before, in_adjacency(4), 2), [10, 11, 12]);
        store.compact().unwrap();
    }
    assert_eq!(store.relationship_types(), [4]);
    assert_eq!(ids(&now, out_adjacency(5), 1), []);
}

/// Without a call of `compact`, deleted relationships do not stay for ever.
#[test]
fn merges_drop_what_is_deleted_when_it_is_much() {
    let store = Store::create(&DramStorage::new(), config(), [3; 16]).unwrap();
    let entries = || {
        let token = store.register();
        let section = store
            .pin_section(&token, out_adjacency(2), 1)
            .unwrap()
            .unwrap();
        section.totals()
    };
    for round in 0..20u32 {
        let ids = || (round..round + 10).collect::<Vec<u32>>();
        let mut batch = Batch::new();
        batch.insert_relationships(2, vec![1; 10], vec![2; 10], ids());
        store.commit(batch).unwrap();
        let kept = store.register();
        let mut batch = Batch::new();
        batch.delete_relationships(2, vec![1; 10], vec![2; 10], ids());
        store.commit(batch).unwrap();
        assert_eq!(entries(), (20, 10));
        store.checkpoint().unwrap();
        assert_eq!(entries(), (0, 0));
        let mut reader = store.reader(&kept, out_adjacency(2));
        assert_eq!(reader.relationships(1).unwrap().1, ids());
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let bad = |config: Config| {
        let created = Store::create(&DramStorage::new(), config, [3; 16]);
        assert!(matches!(created, Err(TopologyError::BadConfig(_))));
    };
    bad(Config {
        weighted: true,
        ..config()
    });
    bad(Config {
        direction: StoredLists::Out,
        ..config()
    });
    let other_kind = || TopologyError::WrongGraphKind("");
    let refused = |expected: TopologyError, config: Config, batch: &dyn Fn(&mut Batch)| {
        let store = Store::create(&DramStorage::new(), config, [3; 16]).unwrap();
        let mut refused = Batch::new();
        batch(&mut refused);
        let refused = store.commit(refused).unwrap_err();
        assert_eq!(discriminant(&refused), discriminant(&expected));
        assert_eq!(store.published().0, 0);
    };
    refused(
        other_kind(),
        Config {
            relationships: false,
            ..config()
        },
        &|batch| {
            batch.insert_relationships(0, vec![1], vec![2], vec![3]);
        },
    );
    refused(other_kind(), config(), &|batch| {
        batch.insert(&[(1, 2)]);
    });
    refused(other_kind(), config(), &|batch| {
        batch.delete(&[(1, 2)]);
    });
    refused(other_kind(), config(), &|batch| {
        batch.insert_columns(Edges {
            weights: vec![1.0],
            sources: vec![1],
            targets: vec![2],
        });
    });
    refused(TopologyError::Columns(""), config(), &|batch| {
        batch.delete_relationships(0, vec![1], vec![2], vec![]);
    });
    refused(TopologyError::WithoutExtension, config(), &|batch| {
        batch.add_payload(vec![1]);
    });
    let store = Store::create_with(&DramStorage::new(), config(), [3; 16], Tuning::default());
    let store = store.unwrap();
    let mut batch = Batch::new();
    batch.insert_relationships(0, vec![1], vec![2], vec![3]);
    store.commit(batch).unwrap();
    assert!(matches!(
        store.delete_vertices(&[1]),
        Err(TopologyError::WrongGraphKind(_))
    ));
}
