//! A full disk and a failing device on real files: each call in turn fails,
//! once or for ever.

use evergraph_graph::StoredLists;
use evergraph_storage::medium::{FileCall, FileFault, FileStorage};
use evergraph_storage::{MediumError, StorageError};
use evergraph_topology::{Batch, Commit, Config, Layout, Store, TopologyError, Tuning};

use super::fixture::{Graph, Model, merged_config, observe};
use crate::common::failing;

const ROUNDS: u32 = 4;

/// A directory in memory where there is one: these tests fail syncs, they do
/// not need them.
fn scratch() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    let made = tempfile::tempdir_in(if memory.is_dir() {
        memory
    } else {
        std::path::Path::new("/tmp")
    });
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

/// One step of a workload.
enum Step {
    Insert(Vec<(u32, u32)>),
    Delete(Vec<(u32, u32)>),
    DeleteVertex(u32),
    Checkpoint,
    Compact,
    /// Rewrites sections that nothing else touches.
    Relayout(Layout),
    /// Merges some sections and not others.
    CompactVertex(u32),
    Snapshot(&'static str),
    DropSnapshot(&'static str),
    /// Drops the snapshots before the newest, and writes the past again.
    Flatten,
}

/// Steps of a store while calls fail.
struct Workload {
    config: Config,
    tuning: Tuning,
    steps: Vec<Step>,
}

impl Workload {
    fn new(direction: StoredLists, steps: Vec<Step>) -> Self {
        Workload {
            config: merged_config(false, direction),
            tuning: Tuning::default(),
            steps,
        }
    }

    fn insertions() -> Self {
        let mut steps = Vec::new();
        for round in 0..ROUNDS {
            for i in 0..4 {
                let n = round * 4 + i;
                steps.push(Step::Insert(
                    (0..6).map(|e| (n % 9, (n + e) % 14)).collect(),
                ));
                if i == 1 {
                    steps.push(Step::CompactVertex(n % 9));
                }
            }
            steps.push(Step::Checkpoint);
            let layouts = [Layout::Blocks, Layout::Pma];
            steps.push(Step::Relayout(layouts[round as usize % 2]));
        }
        Self::new(StoredLists::Out, steps)
    }

    /// Deletions of edges, some of which do not exist, and of vertices; lists
    /// that have some are compacted alone and with all others, in both layouts.
    fn deletions(direction: StoredLists) -> Self {
        let mut steps = Vec::new();
        for (round, layout) in [Layout::Pma, Layout::Blocks].into_iter().enumerate() {
            let n = 3 * round as u32;
            steps.extend([
                Step::Relayout(layout),
                Step::Insert((0..12).map(|e| ((n + e) % 3, e % 7)).collect()),
                Step::Checkpoint,
                Step::Delete(vec![(n % 3, 0), (1, 4), (2, 2), (9, 9), (1, 4)]),
                Step::CompactVertex(1),
                Step::Insert((0..6).map(|e| (1, 3 + e)).collect()),
                Step::DeleteVertex(4),
                Step::CompactVertex(1),
                Step::Delete(vec![(1, 5), (0, 3)]),
                Step::Checkpoint,
                Step::Compact,
            ]);
        }
        Self::new(direction, steps)
    }

    /// Sections of two shards, which threads of their own apply and merge.
    fn shards() -> Self {
        let mut steps = Vec::new();
        for round in 0..3 {
            let edges = (0..30).map(|e| (e % 14, (e * 5 + round) % 14));
            steps.push(Step::Insert(edges.clone().collect()));
            steps.push(Step::Checkpoint);
            steps.push(Step::Delete(
                edges.skip(round as usize).step_by(3).collect(),
            ));
            steps.push(Step::Compact);
        }
        let mut workload = Self::new(StoredLists::Both, steps);
        workload.tuning.shards = Some(2);
        workload
    }

    /// Both directions change their layout, back and forth, between merges that
    /// append to chains and merges that end them.
    fn relayouts() -> Self {
        let mut steps = Vec::new();
        for (round, layout) in [Layout::Blocks, Layout::Pma, Layout::Blocks]
            .into_iter()
            .enumerate()
        {
            let insert =
                |from: u32| Step::Insert((from..from + 8).map(|e| (e % 5, (e * 3) % 14)).collect());
            let n = 40 * round as u32;
            steps.push(insert(n));
            steps.push(Step::Relayout(layout));
            for merge in 1..4 {
                steps.extend([insert(n + 10 * merge), Step::Checkpoint]);
            }
        }
        let mut workload = Self::new(StoredLists::Both, steps);
        workload.tuning.rewrite_growth = Some(100);
        workload
    }

    /// Snapshots that merges pass, and that are dropped.
    fn snapshots() -> Self {
        let insert =
            |from: u32| Step::Insert((from..from + 8).map(|e| (e % 5, (e * 3) % 14)).collect());
        let steps = vec![
            insert(0),
            Step::Snapshot("a"),
            insert(3),
            Step::CompactVertex(1),
            Step::Snapshot("b"),
            Step::Delete(vec![(0, 0), (1, 3), (2, 6)]),
            Step::Snapshot("c"),
            Step::Checkpoint,
            insert(9),
            Step::DropSnapshot("b"),
            Step::Compact,
            insert(20),
            Step::Relayout(Layout::Blocks),
            Step::Flatten,
            insert(30),
            Step::Checkpoint,
        ];
        Self::new(StoredLists::Both, steps)
    }

    fn create(&self, storage: &FileStorage) -> Store {
        Store::create_with(storage, self.config, [41; 16], self.tuning).unwrap()
    }

    fn open(&self, storage: &FileStorage) -> Result<Store, TopologyError> {
        Ok(Store::open_with(storage, false, self.tuning)?.0)
    }

    /// Runs over whatever fails. Reads are checked after each step.
    fn run(&self, store: &Store) -> Run {
        self.run_until(store, || false)
    }

    /// As [`Workload::run`]; asks after each step whether to plan more, until
    /// told so.
    fn run_until(&self, store: &Store, mut plan: impl FnMut() -> bool) -> Run {
        let mut planned = false;
        let mut run = Run::new(self.config.direction);
        for step in &self.steps {
            match step {
                Step::Insert(edges) => {
                    let mut after = run.model.clone();
                    edges.iter().for_each(|&(u, v)| after.insert(u, v, 0));
                    let mut batch = Batch::new();
                    batch.at(1).insert(edges);
                    run.learn(store.commit(batch), after);
                }
                Step::Delete(edges) => {
                    let mut after = run.model.clone();
                    let missed = edges.iter().filter(|&&(u, v)| !after.delete(u, v)).count();
                    let mut batch = Batch::new();
                    batch.at(1).delete(edges);
                    let result = store.commit(batch);
                    if let Ok(commit) = &result {
                        assert_eq!(commit.missed_deletes, missed as u64);
                    }
                    run.learn(result, after);
                }
                Step::DeleteVertex(vertex) => {
                    let mut after = run.model.clone();
                    after.delete_vertex(*vertex);
                    run.learn(store.delete_vertices(&[*vertex]), after);
                }
                Step::Snapshot(name) => {
                    let mut batch = Batch::new();
                    batch.at(1).create_snapshot(name, Some(5));
                    let mut after = run.model.clone();
                    after.snapshot(name, run.acknowledged.csn + 1);
                    run.learn(store.commit(batch), after);
                }
                Step::DropSnapshot(name) => {
                    let mut batch = Batch::new();
                    batch.at(1).drop_snapshot(name);
                    let mut after = run.model.clone();
                    after.drop_snapshot(name);
                    if run.acknowledged.snapshots.contains_key(*name) {
                        run.learn(store.commit(batch), after);
                    }
                }
                Step::Flatten => run.flatten(store),
                Step::Checkpoint => drop(store.checkpoint()),
                Step::Compact => drop(store.compact()),
                Step::Relayout(layout) => drop(store.relayout(*layout)),
                Step::CompactVertex(vertex) => drop(store.compact_vertex(*vertex)),
            }
            // Reads go on, and show what was acknowledged.
            assert_eq!(observe(store).unwrap(), run.acknowledged);
            planned = planned || plan();
        }
        run
    }
}

/// Outcome of a workload.
struct Run {
    model: Model,
    acknowledged: Graph,
    /// The commit that failed last, if it may be there all the same.
    unknown: Option<Graph>,
    refused: bool,
}

impl Run {
    fn new(direction: StoredLists) -> Self {
        let model = Model::new(direction);
        Run {
            acknowledged: model.graph(0),
            model,
            unknown: None,
            refused: false,
        }
    }

    /// A commit that drops all snapshots but the newest, and a merge.
    fn flatten(&mut self, store: &Store) {
        let snapshots = store.snapshots();
        let Some((_, before)) = snapshots.split_last() else {
            return;
        };
        let mut after = self.model.clone();
        before.iter().for_each(|s| after.drop_snapshot(&s.name));
        let dropped: Vec<&str> = before.iter().map(|s| s.name.as_str()).collect();
        let result = store.drop_snapshots(&dropped);
        let result = result.and_then(|()| store.rewrite_history());
        let csn = store.published().0;
        if csn > self.acknowledged.csn {
            let commit = Commit {
                csn,
                durability: store.durability_level(),
                missed_deletes: 0,
            };
            self.learn(Ok(commit), after);
        } else if let Err(error) = result
            && !before.is_empty()
        {
            self.learn(Err(error), after);
        }
    }

    /// A commit came to something; if it is there, the graph is `after`.
    fn learn(&mut self, result: Result<Commit, TopologyError>, after: Model) {
        match result {
            Ok(commit) => {
                assert!(!self.refused, "a commit after a refused one");
                self.model = after;
                self.acknowledged = self.model.graph(commit.csn);
                self.unknown = None;
            }
            Err(error) => {
                if matches!(error, TopologyError::Failed) {
                    self.refused = true;
                } else {
                    assert!(!self.refused, "refused for good: {error}");
                    self.unknown = Some(after.graph(self.acknowledged.csn + 1));
                }
            }
        }
    }
}

/// Whether only another opening helps.
fn wants_reopening(error: &TopologyError) -> bool {
    matches!(
        error.cause(),
        TopologyError::Failed
            | TopologyError::Storage(StorageError::Medium(MediumError::Poisoned { .. }))
    )
}

fn is_no_space(error: &TopologyError) -> bool {
    matches!(
        error.cause(),
        TopologyError::Storage(StorageError::Medium(MediumError::NoSpace { .. }))
    )
}

struct Case {
    call: FileCall,
    fault: FileFault,
    nth: u64,
    sticky: bool,
}

fn run_case(workload: &Workload, case: &Case) -> (Run, bool) {
    let directory = scratch();
    let (storage, faults) = failing(directory.path());
    let store = workload.create(&storage);
    let nth = faults.calls(case.call) + case.nth;
    if case.sticky {
        faults.fail_from(case.call, nth, case.fault);
    } else {
        faults.fail_once(case.call, nth, case.fault);
    }
    let run = workload.run(&store);
    let met = faults.calls(case.call) > nth;
    faults.forgive();
    // Space is back. A store that refuses commits stays so; another goes on.
    let mut expected = run.acknowledged.clone();
    let mut batch = Batch::new();
    batch.at(1).add_vertices(14);
    match store.commit(batch) {
        Ok(commit) => {
            if let Err(error) = store.checkpoint() {
                assert_eq!(case.call, FileCall::Sync, "space is back: {error}");
                assert!(wants_reopening(&error), "{error}");
            }
            expected.csn = commit.csn;
            expected.vertex_count = 14;
            assert_eq!(observe(&store).unwrap(), expected);
            let of_a_commit = case.call == FileCall::Sync && run.unknown.is_some();
            assert!(
                !run.refused && !of_a_commit,
                "a failed sync is never retried"
            );
        }
        Err(error) => assert!(wants_reopening(&error), "says what to do: {error}"),
    }
    let went_on = expected.vertex_count == 14 && expected.csn > run.acknowledged.csn;
    drop(store);
    let storage = FileStorage::open(directory.path()).unwrap();
    let store = workload.open(&storage).unwrap();
    let found = observe(&store).unwrap();
    let fits =
        found == expected || !went_on && run.unknown.as_ref().is_some_and(|graph| *graph == found);
    assert!(fits, "acknowledged {expected:?}\nfound {found:?}");
    (run, met)
}

/// Tries `nth` = 0, 1, … until the workload makes fewer calls than that, with a
/// fault that comes once and with one that stays.
fn every(workload: &Workload, call: FileCall, fault: FileFault) -> (u64, u64, u64) {
    let once = each(workload, call, fault, false);
    let stays = each(workload, call, fault, true);
    (once.0 + stays.0, once.1 + stays.1, once.2 + stays.2)
}

/// Cases, those with a failed commit, and those with a refused one.
fn each(workload: &Workload, call: FileCall, fault: FileFault, sticky: bool) -> (u64, u64, u64) {
    let (mut cases, mut failed, mut refused) = (0, 0, 0);
    for nth in 0.. {
        let case = Case {
            call,
            fault,
            nth,
            sticky,
        };
        let (run, met) = run_case(workload, &case);
        cases += 1;
        failed += u64::from(run.unknown.is_some());
        refused += u64::from(run.refused);
        if !met {
            break;
        }
    }
    let stays = if sticky { " and stays" } else { "" };
    println!(
        "{call:?} {fault:?}{stays}: {cases} cases, {failed} with a failed commit, {refused} refused"
    );
    (cases, failed, refused)
}

#[test]
fn every_write_that_finds_the_disk_full() {
    every(
        &Workload::insertions(),
        FileCall::Write,
        FileFault::NO_SPACE,
    );
    every(&Workload::insertions(), FileCall::Write, FileFault::QUOTA);
}

#[test]
fn every_write_that_the_device_refuses() {
    every(&Workload::insertions(), FileCall::Write, FileFault::IO);
}

#[test]
fn every_write_that_is_short_or_interrupted() {
    let (_, failed, refused) = each(
        &Workload::insertions(),
        FileCall::Write,
        FileFault::Short(3),
        false,
    );
    assert_eq!((failed, refused), (0, 0), "short writes are continued");
    let (_, failed, refused) = each(
        &Workload::insertions(),
        FileCall::Write,
        FileFault::INTERRUPTED,
        false,
    );
    assert_eq!((failed, refused), (0, 0), "interrupted ones are repeated");
}

#[test]
fn every_failing_sync() {
    let (_, failed, refused) = every(&Workload::insertions(), FileCall::Sync, FileFault::IO);
    assert!(failed > 0 && refused > 0);
    every(&Workload::insertions(), FileCall::Sync, FileFault::NO_SPACE);
}

/// Every write, sync and growth of a workload fails.
fn every_call(workload: &Workload) {
    every(workload, FileCall::Write, FileFault::IO);
    every(workload, FileCall::Write, FileFault::NO_SPACE);
    let (_, failed, refused) = every(workload, FileCall::Sync, FileFault::IO);
    assert!(failed > 0 && refused > 0);
    let (_, failed, refused) = every(workload, FileCall::Grow, FileFault::NO_SPACE);
    assert_eq!((failed, refused), (0, 0), "commits do not need space");
}

#[test]
fn every_failure_while_edges_and_vertices_are_deleted() {
    for direction in [StoredLists::Out, StoredLists::Undirected, StoredLists::Both] {
        every_call(&Workload::deletions(direction));
    }
}

#[test]
fn every_failure_of_snapshots() {
    every_call(&Workload::snapshots());
}

#[test]
fn every_failure_of_shards() {
    every_call(&Workload::shards());
}

#[test]
fn every_failure_while_both_directions_change_their_layout() {
    every_call(&Workload::relayouts());
}

/// Two failures: what a first one left half done must not be harmed by what the
/// store does next. The second is for ever, so it is where the process ends.
#[test]
fn every_failure_after_a_failure() {
    let workload = Workload::insertions();
    let mut cases = 0;
    for (call, then) in [
        (FileCall::Write, FileCall::Write),
        (FileCall::Sync, FileCall::Write),
        (FileCall::Write, FileCall::Sync),
    ] {
        for first in 0..60 {
            for second in 0..10 {
                let directory = scratch();
                let (storage, faults) = failing(directory.path());
                let store = workload.create(&storage);
                let nth = faults.calls(call) + first;
                faults.fail_once(call, nth, FileFault::IO);
                // Counted on the fly: so many calls after the first failure.
                let run = workload.run_until(&store, || {
                    if faults.calls(call) > nth {
                        faults.fail_from(then, faults.calls(then) + second, FileFault::IO);
                        return true;
                    }
                    false
                });
                let met = faults.calls(call) > nth;
                drop(store);
                let storage = FileStorage::open(directory.path()).unwrap();
                let store = workload.open(&storage).unwrap_or_else(|error| {
                    panic!("{call:?} {first}, then {then:?} {second}: {error}")
                });
                let found = observe(&store).unwrap();
                let fits = found == run.acknowledged
                    || run.unknown.as_ref().is_some_and(|graph| *graph == found);
                assert!(fits, "{call:?} {first}, then {then:?} {second}: {found:?}");
                cases += 1;
                if !met {
                    break;
                }
            }
        }
    }
    println!("two failures: {cases} cases");
}

/// A close that fails half way ends the writing all the same.
#[test]
fn every_failure_of_a_close() {
    let workload = Workload::insertions();
    for call in [FileCall::Write, FileCall::Sync, FileCall::Grow] {
        for nth in 0.. {
            let directory = scratch();
            let (storage, faults) = failing(directory.path());
            let store = workload.create(&storage);
            let mut run = workload.run(&store);
            let nth = faults.calls(call) + nth;
            faults.fail_once(call, nth, FileFault::IO);
            let closed = store.close();
            let met = faults.calls(call) > nth;
            assert!(met || closed.is_ok());
            faults.forgive();
            let mut batch = Batch::new();
            batch.at(1).add_vertices(14).insert(&[(13, 13)]);
            if let Ok(commit) = store.commit(batch) {
                let mut model = run.model.clone();
                model.insert(13, 13, 0);
                run.acknowledged = model.graph(commit.csn);
            }
            drop(store);
            let storage = FileStorage::open(directory.path()).unwrap();
            let store = workload.open(&storage).unwrap();
            assert_eq!(observe(&store).unwrap(), run.acknowledged, "{call:?} {nth}");
            if !met {
                break;
            }
        }
    }
}

/// Growth happens only in checkpoints: no commit fails, nothing is lost, and
/// the checkpoint succeeds when there is space.
#[test]
fn every_growth_that_finds_the_disk_full() {
    let (cases, failed, refused) =
        every(&Workload::insertions(), FileCall::Grow, FileFault::NO_SPACE);
    assert!(cases > 4);
    assert_eq!((failed, refused), (0, 0), "commits do not need it");
}

/// A log that cannot be freed takes what fits and then says so, without being
/// harmed.
#[test]
fn a_full_log_on_a_full_disk_is_a_clean_error() {
    let directory = scratch();
    let (storage, faults) = failing(directory.path());
    let store = Store::create(&storage, merged_config(false, StoredLists::Out), [42; 16]).unwrap();
    let mut model = Model::new(StoredLists::Out);
    let mut commit = |store: &Store, i: u32| {
        let mut batch = Batch::new();
        batch.at(1).insert(&[(i % 14, (i * 5) % 14)]);
        let result = store.commit(batch);
        if result.is_ok() {
            model.insert(i % 14, (i * 5) % 14, 0);
        }
        (result, model.clone())
    };
    faults.fail_from(FileCall::Grow, 0, FileFault::NO_SPACE);
    let mut last = 0;
    let mut errors = 0;
    for i in 0..200 {
        let (result, model) = commit(&store, i);
        match result {
            Ok(done) => last = done.csn,
            Err(error) => {
                errors += 1;
                assert!(is_no_space(&error), "{error}");
            }
        }
        assert_eq!(observe(&store).unwrap(), model.graph(last));
        if errors == 3 {
            faults.forgive();
        }
    }
    assert_eq!(errors, 3, "commits go on when there is space");
    drop(store);
    let (store, _) = Store::open(&FileStorage::open(directory.path()).unwrap(), false).unwrap();
    let (_, model) = commit(&store, 0);
    assert_eq!(observe(&store).unwrap(), model.graph(last + 1));
}

/// Bytes that a failed sync has lost are shown until they leave memory, and the next sync
/// says that all is well: only bytes that are written again are synced.
#[test]
fn what_an_unclean_stop_leaves_is_written_and_synced_again() {
    let directory = scratch();
    let workload = Workload::new(StoredLists::Out, Vec::new());
    let open = |read_only| {
        let (storage, faults) = failing(directory.path());
        let (store, report) = Store::open(&storage, read_only).unwrap();
        let calls = [FileCall::Write, FileCall::Sync].map(|call| faults.calls(call));
        (store, report.unconfirmed, calls)
    };
    let store = workload.create(&FileStorage::open(directory.path()).unwrap());
    let mut batch = Batch::new();
    batch.insert(&[(1, 2)]);
    store.commit(batch).unwrap();
    drop(store);
    let (_, unconfirmed, calls) = open(true);
    assert_eq!((unconfirmed, calls), (true, [0, 0]), "a reader says so");
    // The log's tail, and the next root in both slots.
    let (store, unconfirmed, calls) = open(false);
    assert_eq!((unconfirmed, calls), (false, [3, 3]));
    store.close().unwrap();
    drop(store);
    assert!(!open(true).1);
    let (_, _, calls) = open(false);
    assert_eq!(
        calls,
        [2, 2],
        "after a clean stop there is nothing to write again"
    );
}
