//! Relationships and a store's extension, beside what the campaigns cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use evergraph_campaigns::{Registers, payload};
use evergraph_graph::StoredLists;
use evergraph_simulated::{
    Config as SimulatedConfig, Depth, FaultKind, FaultPlan, Persistence, PlannedFailure,
    SimulatedStorage,
};
use evergraph_storage::medium::DramStorage;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, StorageError, ViewToken};
use evergraph_topology::extension::Place;
use evergraph_topology::{
    Batch, Config, Published, Store, StoreExtension, TopologyError, Tuning, out_adjacency,
};

/// A store extension is merged as a whole, sections are not: the campaign has to cut the
/// power in states where the registers are ahead.
#[test]
fn registers_are_merged_further_than_the_root() {
    let suite = evergraph_campaigns::suites::extension();
    let scenarios = (1..=8).flat_map(|seed| (suite.of_seed)(seed, Depth::Short));
    let ahead = scenarios
        .filter(|scenario| scenario.merges_registers_ahead().expect("no fault"))
        .count();
    assert!(ahead >= 3, "only {ahead} scenarios");
}

/// Counts down when it is dropped.
struct Ending<'a>(&'a AtomicU64);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Writers, merges and readers at once: every view, old or new, has as many
/// relationships of a vertex as the vertex's register says.
#[test]
fn views_show_relationships_and_registers_of_the_same_commits() {
    const WRITERS: u32 = 3;
    const COMMITS: u64 = 900;
    let registers = Arc::new(Registers::default());
    let config = Config {
        direction: StoredLists::Both,
        relationships: true,
        section_shift: 1,
        log_bytes: 8192,
        growth_step: 1 << 16,
        ..Config::default()
    };
    let storage = DramStorage::new();
    let tuning = Tuning {
        buffer_bytes: 4096,
        ..Tuning::default()
    };
    let extension: Arc<dyn StoreExtension> = registers.clone();
    let store = Store::create_with_extension(&storage, config, [8; 16], tuning, extension).unwrap();
    let compare = |store: &Store, registers: &Registers, token: &ViewToken<Published>| {
        let numbers = registers.as_of(token.csn());
        for writer in 0..WRITERS {
            let mut reader = store.reader(token, out_adjacency(writer as u16));
            let expected = numbers.get(&writer).copied().unwrap_or(0);
            assert_eq!(reader.degree(writer).unwrap() as u64, expected);
        }
    };
    let writing = AtomicU64::new(u64::from(WRITERS));
    std::thread::scope(|scope| {
        let (store, registers, writing) = (&store, &registers, &writing);
        for writer in 0..WRITERS {
            scope.spawn(move || {
                // Also if it panics: the others wait for it.
                let _end = Ending(writing);
                for i in 0..COMMITS {
                    let mut batch = Batch::new();
                    let (kind, id) = (writer as u16, i as u32);
                    batch.insert_relationships(kind, vec![writer], vec![9], vec![id]);
                    let mut degree = i + 1;
                    if i % 3 == 2 {
                        // Two come and two go.
                        batch.insert_relationships(
                            kind,
                            vec![writer],
                            vec![9],
                            vec![id + 1_000_000],
                        );
                        batch.delete_relationships(
                            kind,
                            vec![writer],
                            vec![9],
                            vec![id + 1_000_000],
                        );
                        batch.delete_relationships(kind, vec![writer], vec![9], vec![id / 3]);
                    }
                    degree -= (i + 1) / 3;
                    batch.add_payload(payload(&[(writer, degree)]));
                    assert_eq!(store.commit(batch).unwrap().missed_deletes, 0);
                }
            });
        }
        scope.spawn(move || {
            while writing.load(Ordering::Acquire) > 0 {
                store.compact_vertex(0).unwrap();
                store.merge_what_is_due().unwrap();
                store.compact().unwrap();
            }
        });
        let mut held = Vec::new();
        while writing.load(Ordering::Acquire) > 0 {
            let token = store.register();
            compare(store, registers, &token);
            if held.len() < 12 {
                held.push(token);
            }
            held.iter()
                .for_each(|token| compare(store, registers, token));
        }
    });
    let stats = store.stats();
    assert_eq!(
        stats.published.arc_count,
        u64::from(WRITERS) * (COMMITS - COMMITS / 3)
    );
    assert_eq!(store.check().problems, Vec::<String>::new());
    store.close().unwrap();
    assert_eq!(registers.unmerged_bytes(), 0);
    drop(store);
    let plain = Store::open(&storage, false).map(drop);
    assert!(matches!(plain, Err(TopologyError::WithoutExtension)));
    let again = Arc::new(Registers::default());
    let extension: Arc<dyn StoreExtension> = again.clone();
    let (store, report) = Store::open_with_extension(&storage, false, tuning, extension).unwrap();
    assert_eq!(report.replayed_commits, 0);
    compare(&store, &again, &store.register());
}

/// Registers whose next checkpoint fails after everything was written.
#[derive(Default)]
struct Failing {
    registers: Registers,
    fails: AtomicBool,
}

impl StoreExtension for Failing {
    fn apply(&self, csn: u64, payloads: &[&[u8]], needed: &Needed) -> Result<(), StorageError> {
        self.registers.apply(csn, payloads, needed)
    }

    fn unmerged_since(&self) -> Option<u64> {
        self.registers.unmerged_since()
    }

    fn unmerged_bytes(&self) -> usize {
        self.registers.unmerged_bytes()
    }

    fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let written = self.registers.write(csn, needed, place)?;
        match self.fails.swap(false, Ordering::AcqRel) {
            true => Err(StorageError::TooLarge("the test".to_string())),
            false => Ok(written),
        }
    }

    fn publishing(&self) {
        self.registers.publishing();
    }

    fn published(&self, needed: &dyn Fn() -> Needed) {
        self.registers.published(needed);
    }

    fn abandoned(&self) {
        self.registers.abandoned();
    }

    fn restore(&self, place: &mut Place<'_>) -> Result<(), StorageError> {
        self.registers.restore(place)
    }

    fn check(&self, csn: u64, problems: &mut Vec<String>) {
        self.registers.check(csn, problems);
    }
}

#[test]
fn a_checkpoint_that_fails_changes_nothing_and_loses_nothing() {
    let storage = DramStorage::new();
    let config = Config {
        growth_step: 1 << 16,
        log_bytes: 8192,
        ..Config::default()
    };
    let open = || {
        let failing = Arc::new(Failing::default());
        let extension: Arc<dyn StoreExtension> = failing.clone();
        let opened = Store::open_with_extension(&storage, false, Tuning::default(), extension);
        (opened.unwrap().0, failing)
    };
    let extension: Arc<dyn StoreExtension> = Arc::new(Failing::default());
    let tuning = Tuning::default();
    drop(Store::create_with_extension(&storage, config, [8; 16], tuning, extension).unwrap());
    for round in 0..6u64 {
        let (store, failing) = open();
        for part in 0..2 {
            let mut batch = Batch::new();
            batch.insert(&[(1, round as u32)]);
            batch.add_payload(payload(&[(3, round), (round as u32 + 10, part)]));
            store.commit(batch).unwrap();
            failing.fails.store(true, Ordering::Release);
            let used = store.stats().extent_bytes;
            assert!(store.checkpoint().is_err());
            assert_eq!(store.stats().extent_bytes, used, "nothing is left of it");
            assert!(failing.unmerged_since().is_some());
        }
        // Sections are merged alone meanwhile, and the log is kept.
        store.compact_vertex(1).unwrap();
        assert!(store.stats().merged_csn < store.stats().csn);
        if round % 2 == 0 {
            store.checkpoint().unwrap();
            assert_eq!(store.stats().merged_csn, store.stats().csn);
        }
        drop(store);
        let (store, failing) = open();
        let numbers = failing.registers.as_of(store.published().0);
        assert_eq!(numbers[&3], round);
        assert!((0..=round).all(|round| numbers[&(round as u32 + 10)] == 1));
        assert_eq!(failing.registers.tally(), 4 * (round + 1));
        assert_eq!(store.published().1.arc_count, 2 * (round + 1));
        assert_eq!(store.check().problems, Vec::<String>::new());
    }
}

/// Every write, growth and sync fails in turn, once or for ever, those of the superblock
/// among them. What was acknowledged is there at the next opening, registers and
/// relationships of the same commits.
#[test]
fn every_failing_call_with_an_extension() {
    let mut publications = 0;
    for sticky in [false, true] {
        for of in [Call::Fence, Call::Write, Call::Grow] {
            for call in 0.. {
                match run_with_failures(of, call, sticky) {
                    None => break,
                    Some(failed) => publications += u64::from(failed == Failed::Merge),
                }
            }
        }
    }
    assert!(publications >= 12, "only {publications} failures of merges");
}

/// Calls of the medium that fail.
#[derive(Clone, Copy)]
enum Call {
    Fence,
    Write,
    Grow,
}

/// In which call of the store a fault came up first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failed {
    Commit,
    Merge,
}

/// Runs a workload of which the `call`-th call fails, then opens what is left. `None`
/// if nothing failed.
fn run_with_failures(of: Call, call: u64, sticky: bool) -> Option<Failed> {
    let config = SimulatedConfig::new(Persistence::Pages).with_capacity(256 << 10);
    let storage = SimulatedStorage::new(config);
    let store_config = Config {
        direction: StoredLists::Both,
        relationships: true,
        section_shift: 1,
        log_bytes: 4096,
        extent_alignment: 64,
        growth_step: 2048,
        ..Config::default()
    };
    let registers = Arc::new(Registers::default());
    let extension: Arc<dyn StoreExtension> = registers;
    let tuning = Tuning::default();
    let store = Store::create_with_extension(&storage, store_config, [8; 16], tuning, extension);
    let store = store.expect("nothing fails yet");
    let before = storage.calls();
    let (kind, mut plan) = (FaultKind::Io, FaultPlan::default());
    let failure = |before: u64, kind| {
        let call = before + call;
        Some(PlannedFailure { call, kind, sticky })
    };
    match of {
        Call::Fence => plan.fail_fence = failure(before.fences, kind),
        Call::Write => plan.fail_write = failure(before.writes, kind),
        Call::Grow => plan.fail_grow = failure(before.grows, FaultKind::NoSpace),
    }
    storage.plan(plan);
    let mut failed = None;
    // The newest commit that was acknowledged, and the newest that may be there.
    let (mut acknowledged, mut begun) = (0, 0);
    for number in 1..=8u64 {
        let mut batch = Batch::new();
        let target = number as u32;
        batch.insert_relationships(0, vec![1], vec![target], vec![target]);
        batch.add_payload(payload(&[(1, number), (target + 10, number)]));
        match store.commit(batch) {
            Ok(_) => (acknowledged, begun) = (number, number),
            Err(_) => {
                failed = failed.or(Some(Failed::Commit));
                begun = number;
                break;
            }
        }
        let merged = match number % 4 {
            0 => store.checkpoint(),
            2 => store.merge_what_is_due(),
            3 => store.compact_vertex(1),
            _ => Ok(()),
        };
        if merged.is_err() {
            failed = failed.or(Some(Failed::Merge));
        }
    }
    drop(store);
    let storage = SimulatedStorage::from_image(config, &storage.image());
    let registers = Arc::new(Registers::default());
    let extension: Arc<dyn StoreExtension> = registers.clone();
    let opened = Store::open_with_extension(&storage, false, tuning, extension);
    let (store, _) = opened.expect("what is left can be opened");
    assert_eq!(store.check().problems, Vec::<String>::new());
    let token = store.register();
    let mut reader = store.reader(&token, out_adjacency(0));
    let (targets, _) = reader.relationships(1).expect("readable");
    let there = targets.len() as u64;
    assert!(
        (acknowledged..=begun).contains(&there),
        "{there} of {acknowledged} to {begun}"
    );
    let numbers = registers.as_of(token.csn());
    assert_eq!(numbers.get(&1).copied().unwrap_or(0), there);
    assert!((1..=there).all(|number| numbers[&(number as u32 + 10)] == number));
    assert_eq!(registers.tally(), 2 * there);
    failed
}
