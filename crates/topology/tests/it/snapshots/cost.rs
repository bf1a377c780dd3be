//! Costs of snapshots.

use std::ops::ControlFlow;

use evergraph_graph::StoredLists;
use evergraph_storage::ViewToken;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::{Batch, Config, Layout, ListScratch, Published, Snapshot, Store, Tuning};

use super::model::{Change, Reference};

/// Deterministic edges without a pattern.
struct Edges(u64);

impl Edges {
    fn take(&mut self, count: usize, vertices: u32) -> Vec<(u32, u32)> {
        let mut vertex = || {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((self.0 >> 33) % u64::from(vertices)) as u32
        };
        (0..count).map(|_| (vertex(), vertex())).collect()
    }
}

fn commit(store: &Store, edges: &[(u32, u32)]) {
    for edges in edges.chunks(1 << 16) {
        let mut batch = Batch::new();
        batch.insert(edges);
        store.commit(batch).unwrap();
    }
}

fn lists(store: &Store, token: &ViewToken<Published>) -> Vec<Vec<u32>> {
    let mut scratch = ListScratch::default();
    let mut lists = Vec::new();
    for section in store.pin(token, 0).unwrap() {
        for local in 0..1 << store.config().section_shift {
            let mut list = Vec::new();
            let _ = section.for_each_segment::<()>(local, &mut scratch, |words| {
                list.extend_from_slice(words);
                ControlFlow::Continue(())
            });
            lists.push(list);
        }
    }
    lists
}

/// A snapshot after 1 % new edges costs at most 1.5 times those (4 bytes each)
/// and 64 KiB, beyond what the edges themselves do.
#[test]
fn a_snapshot_costs_in_proportion_to_what_is_new() {
    const VERTICES: u32 = 1 << 16;
    let mut edges = Edges(7);
    let store = Store::create(&DramStorage::new(), Config::default(), [1; 16]).unwrap();
    commit(&store, &edges.take(16 << 16, VERTICES));
    store.checkpoint().unwrap();
    let mut before = store.stats().history.stored_bytes;
    for round in 0..12 {
        store.create_snapshot(&format!("s{round}"), None).unwrap();
        let new = edges.take((16 << 16) / 100, VERTICES);
        commit(&store, &new);
        store.checkpoint().unwrap();
        let stored = store.stats().history.stored_bytes;
        let cost = stored.saturating_sub(before);
        let bound = 6 * new.len() as u64 + (64 << 10);
        assert!(
            cost <= bound,
            "snapshot {round}: {cost} of at most {bound} bytes"
        );
        before = stored;
    }
}

/// Ten thousand snapshots, in many lives of the store: all can be read, and they
/// take kilobytes, on the medium and in DRAM.
#[test]
fn ten_thousand_snapshots_are_small() {
    const SNAPSHOTS: usize = 10_000;
    const LIVES: usize = 20;
    const VERTICES: u32 = 1 << 10;
    let config = Config {
        section_shift: 5,
        log_bytes: 256 << 10,
        extent_alignment: 64,
        growth_step: 1 << 20,
        ..Config::default()
    };
    let storage = DramStorage::new();
    let mut edges = Edges(3);
    drop(Store::create(&storage, config, [2; 16]).unwrap());
    let mut counts = Vec::new();
    for life in 0..LIVES {
        let (store, _) = Store::open(&storage, false).unwrap();
        assert_eq!(store.snapshots().len(), life * SNAPSHOTS / LIVES);
        for i in 0..SNAPSHOTS / LIVES {
            let mut batch = Batch::new();
            batch.insert(&edges.take(2, VERTICES));
            batch.create_snapshot(&format!("life {life}, {i}"), Some(i as i64));
            counts.push(store.commit(batch).unwrap().csn);
        }
        // Half of them are left to the log.
        if life % 2 == 0 {
            store.close().unwrap();
        }
    }
    let (store, _) = Store::open(&storage, false).unwrap();
    store.checkpoint().unwrap();
    let stats = store.stats();
    assert_eq!(stats.history.snapshots, SNAPSHOTS);
    assert!(stats.history.segments <= 12, "{:?}", stats.history);
    let stored = stats.history.stored_bytes;
    assert!(
        stored < 120 * SNAPSHOTS as u64,
        "{stored} bytes on the medium"
    );
    let pages = stats.page_dram_bytes;
    assert!(pages < 64 << 10, "{pages} bytes of lengths in DRAM");
    // Each shows two edges more than the one before.
    let mut edges = Edges(3);
    let mut model = vec![Vec::new(); VERTICES as usize];
    for (i, &csn) in counts.iter().enumerate() {
        for (u, v) in edges.take(2, VERTICES) {
            model[u as usize].push(v);
        }
        if i % 997 == 0 || i + 1 == SNAPSHOTS {
            let token = store.register_at(csn).unwrap();
            assert_eq!(store.arc_count(&token).unwrap(), 2 * (i as u64 + 1));
            let lists = lists(&store, &token);
            assert!(
                lists.iter().zip(&model).all(|(a, b)| a == b),
                "snapshot {i}"
            );
        }
    }
    assert_eq!(store.check().problems, Vec::<String>::new());
    let sizes = store.snapshot_sizes().unwrap();
    assert!(sizes.iter().map(|size| size.1).sum::<u64>() <= stored);
    // Dropping them gives the space back.
    let old = |snapshots: &[Snapshot]| {
        let old = &snapshots[..SNAPSHOTS - 2];
        old.iter().map(|snapshot| snapshot.name.clone()).collect()
    };
    let dropped = store.drop_snapshots_where(old).unwrap();
    assert_eq!(dropped.len(), SNAPSHOTS - 2);
    store.rewrite_history().unwrap();
    let left = store.stats().history.stored_bytes;
    assert!(left < 20 << 10, "{left} of {stored} bytes");
    let token = store.register_at(counts[SNAPSHOTS - 1]).unwrap();
    assert!(
        lists(&store, &token)
            .iter()
            .zip(&model)
            .all(|(a, b)| a == b)
    );
    drop(token);
    drop(store);
    let (store, _) = Store::open(&storage, true).unwrap();
    assert_eq!(store.snapshots().len(), 2);
}

/// Without `flatten`, too: what is dropped goes with later merges.
#[test]
fn merges_give_back_what_was_dropped() {
    let mut reference = Reference::new(StoredLists::Out, false, Layout::Pma, Tuning::default());
    for round in 0..200u32 {
        reference.commit(&[vec![
            Change::Insert(vec![(round % 12, round % 7)]),
            Change::Create,
        ]]);
        if round % 20 == 0 {
            reference.store.checkpoint().unwrap();
        }
    }
    reference.store.checkpoint().unwrap();
    let before = reference.store.stats().history.stored_bytes;
    let drops: Vec<_> = (0..190).map(|_| Change::Drop(0)).collect();
    reference.commit(&[drops]);
    reference.store.checkpoint().unwrap();
    let after = reference.store.stats().history.stored_bytes;
    assert!(after * 4 < before, "{after} of {before} bytes");
    reference.compare();
}

/// The budget of rebuilt pages holds, and reading past it is right.
#[test]
fn rebuilt_pages_stay_within_their_budget() {
    let tuning = Tuning {
        past_page_bytes: 64,
        ..Tuning::default()
    };
    let mut reference = Reference::new(StoredLists::Both, true, Layout::Blocks, tuning);
    for round in 0..20u32 {
        reference.commit(&[vec![
            Change::Insert(vec![(round % 12, round % 7), (3, 9)]),
            Change::Create,
        ]]);
        reference.commit(&[vec![Change::Delete(vec![(3, 9)])]]);
    }
    reference.store.checkpoint().unwrap();
    reference.compare();
    let cached = reference.store.stats().history.cached_bytes;
    assert!((1..=64).contains(&cached), "{cached}");
}

/// A snapshot is made and dropped in the log: replay keeps no lengths of what came between
/// the drop and the next snapshot.
#[test]
fn replay_keeps_no_lengths_of_a_dropped_snapshot() {
    for buffer_bytes in [1, 1 << 20] {
        let tuning = Tuning {
            buffer_bytes,
            ..Tuning::default()
        };
        let mut reference = Reference::new(StoredLists::Out, false, Layout::Pma, tuning);
        reference.commit(&[vec![Change::Insert(vec![(0, 1)])]]);
        reference.commit(&[vec![Change::Insert(vec![(0, 2)]), Change::Create]]);
        reference.commit(&[vec![Change::Drop(0)]]);
        reference.commit(&[vec![Change::Delete(vec![(0, 1)])]]);
        reference.commit(&[vec![Change::Insert(vec![(0, 4)]), Change::Create]]);
        reference.commit(&[vec![Change::Insert(vec![(0, 5)])]]);
        let sizes = |reference: &Reference| {
            reference.store.buffer_all().unwrap();
            reference.store.snapshot_sizes().unwrap()
        };
        let before = sizes(&reference);
        assert!(before.len() == 1 && before[0].1 > 0, "{before:?}");
        let reference = reference.reopen(false);
        assert_eq!(sizes(&reference), before, "buffers of {buffer_bytes}");
        reference.compare();
    }
}
