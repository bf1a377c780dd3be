//! A full disk and a failing device on real files: each call in turn fails,
//! once or for ever.

use std::sync::Arc;

use evergraph_graph::Direction;
use evergraph_persistence::medium::{FileCall, FileFault, FileFaults, FileStorage};
use evergraph_topology::{Batch, Layout, Store};

use super::fixture::{Graph, Model, merged_config, observe};

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

/// One step of the workload.
enum Step {
    Commit(Vec<(u32, u32)>),
    Checkpoint,
    /// Rewrites sections that nothing else touches.
    Relayout(Layout),
    /// Merges some sections and not others.
    CompactVertex(u32),
}

fn steps() -> Vec<Step> {
    let mut steps = Vec::new();
    for round in 0..ROUNDS {
        for i in 0..4 {
            let n = round * 4 + i;
            steps.push(Step::Commit(
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
    steps
}

struct Run {
    model: Model,
    acknowledged: Graph,
    /// The commit that failed last, if it may be there all the same.
    unknown: Option<Graph>,
    refused: bool,
}

/// Runs the workload over whatever fails. Reads are checked after each step.
fn workload(store: &Store) -> Run {
    workload_until(store, || false)
}

/// As [`workload`]; asks after each step whether to plan more, until told so.
fn workload_until(store: &Store, mut plan: impl FnMut() -> bool) -> Run {
    let mut planned = false;
    let mut model = Model::new(Direction::Out);
    let mut run = Run {
        model: model.clone(),
        acknowledged: model.graph(0),
        unknown: None,
        refused: false,
    };
    for step in steps() {
        match step {
            Step::Commit(edges) => {
                let mut batch = Batch::new();
                batch.at(1).insert(&edges);
                let mut after = model.clone();
                for &(u, v) in &edges {
                    after.insert(u, v, 0);
                }
                match store.commit(batch) {
                    Ok(commit) => {
                        assert!(!run.refused, "a commit after a refused one");
                        model = after;
                        run.acknowledged = model.graph(commit.csn);
                        run.unknown = None;
                    }
                    Err(error) => {
                        let text = error.to_string();
                        assert!(!text.is_empty());
                        if text.contains("an earlier commit failed") {
                            run.refused = true;
                        } else {
                            assert!(!run.refused, "refused for good: {text}");
                            run.unknown = Some(after.graph(run.acknowledged.csn + 1));
                        }
                    }
                }
            }
            Step::Checkpoint => {
                let _ = store.checkpoint();
            }
            Step::Relayout(layout) => {
                let _ = store.relayout(layout);
            }
            Step::CompactVertex(vertex) => {
                let _ = store.compact_vertex(vertex);
            }
        }
        // Reads go on, and show what was acknowledged.
        assert_eq!(observe(store).unwrap(), run.acknowledged);
        planned = planned || plan();
    }
    run.model = model;
    run
}

struct Case {
    call: FileCall,
    fault: FileFault,
    nth: u64,
    sticky: bool,
}

fn run_case(case: &Case) -> (Run, bool) {
    let directory = scratch();
    let faults = Arc::new(FileFaults::new());
    let storage = FileStorage::open(directory.path())
        .unwrap()
        .with_faults(Arc::clone(&faults));
    let store = Store::create(&storage, merged_config(false, Direction::Out), [41; 16]).unwrap();
    let nth = faults.calls(case.call) + case.nth;
    if case.sticky {
        faults.fail_from(case.call, nth, case.fault);
    } else {
        faults.fail_once(case.call, nth, case.fault);
    }
    let run = workload(&store);
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
                assert!(error.to_string().contains("reopen"), "{error}");
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
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains("reopen"), "says what to do: {text}");
        }
    }
    let went_on = expected.vertex_count == 14 && expected.csn > run.acknowledged.csn;
    drop(store);
    let storage = FileStorage::open(directory.path()).unwrap();
    let (store, _) = Store::open(&storage, false).unwrap();
    let found = observe(&store).unwrap();
    let fits =
        found == expected || !went_on && run.unknown.as_ref().is_some_and(|graph| *graph == found);
    assert!(fits, "acknowledged {expected:?}\nfound {found:?}");
    (run, met)
}

/// Tries `nth` = 0, 1, … until the workload makes fewer calls than that, with a
/// fault that comes once and with one that stays.
fn every(call: FileCall, fault: FileFault) -> (u64, u64, u64) {
    let (once, stays) = (each(call, fault, false), each(call, fault, true));
    (once.0 + stays.0, once.1 + stays.1, once.2 + stays.2)
}

/// Cases, those with a failed commit, and those with a refused one.
fn each(call: FileCall, fault: FileFault, sticky: bool) -> (u64, u64, u64) {
    let (mut cases, mut failed, mut refused) = (0, 0, 0);
    for nth in 0.. {
        let case = Case {
            call,
            fault,
            nth,
            sticky,
        };
        let (run, met) = run_case(&case);
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
    every(FileCall::Write, FileFault::NO_SPACE);
    every(FileCall::Write, FileFault::QUOTA);
}

#[test]
fn every_write_that_the_device_refuses() {
    every(FileCall::Write, FileFault::IO);
}

#[test]
fn every_write_that_is_short_or_interrupted() {
    let (_, failed, refused) = each(FileCall::Write, FileFault::Short(3), false);
    assert_eq!((failed, refused), (0, 0), "short writes are continued");
    let (_, failed, refused) = each(FileCall::Write, FileFault::INTERRUPTED, false);
    assert_eq!((failed, refused), (0, 0), "interrupted ones are repeated");
}

#[test]
fn every_failing_sync() {
    let (_, failed, refused) = every(FileCall::Sync, FileFault::IO);
    assert!(failed > 0 && refused > 0);
    every(FileCall::Sync, FileFault::NO_SPACE);
}

/// Two failures: what a first one left half done must not be harmed by what the
/// store does next. The second is for ever, so it is where the process ends.
#[test]
fn every_failure_after_a_failure() {
    let mut cases = 0;
    for (call, then) in [
        (FileCall::Write, FileCall::Write),
        (FileCall::Sync, FileCall::Write),
        (FileCall::Write, FileCall::Sync),
    ] {
        for first in 0..60 {
            for second in 0..10 {
                let directory = scratch();
                let faults = Arc::new(FileFaults::new());
                let storage = FileStorage::open(directory.path())
                    .unwrap()
                    .with_faults(Arc::clone(&faults));
                let config = merged_config(false, Direction::Out);
                let store = Store::create(&storage, config, [43; 16]).unwrap();
                let nth = faults.calls(call) + first;
                faults.fail_once(call, nth, FileFault::IO);
                // Counted on the fly: so many calls after the first failure.
                let run = workload_until(&store, || {
                    if faults.calls(call) > nth {
                        faults.fail_from(then, faults.calls(then) + second, FileFault::IO);
                        return true;
                    }
                    false
                });
                let met = faults.calls(call) > nth;
                drop(store);
                let storage = FileStorage::open(directory.path()).unwrap();
                let opened = Store::open(&storage, false);
                let (store, _) = opened.unwrap_or_else(|error| {
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
    for call in [FileCall::Write, FileCall::Sync, FileCall::Grow] {
        for nth in 0.. {
            let directory = scratch();
            let faults = Arc::new(FileFaults::new());
            let storage = FileStorage::open(directory.path())
                .unwrap()
                .with_faults(Arc::clone(&faults));
            let config = merged_config(false, Direction::Out);
            let store = Store::create(&storage, config, [44; 16]).unwrap();
            let mut run = workload(&store);
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
            let (store, _) = Store::open(&storage, false).unwrap();
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
    let (cases, failed, refused) = every(FileCall::Grow, FileFault::NO_SPACE);
    assert!(cases > 4);
    assert_eq!((failed, refused), (0, 0), "commits do not need it");
}

/// A log that cannot be freed takes what fits and then says so, without being
/// harmed.
#[test]
fn a_full_log_on_a_full_disk_is_a_clean_error() {
    let directory = scratch();
    let faults = Arc::new(FileFaults::new());
    let storage = FileStorage::open(directory.path())
        .unwrap()
        .with_faults(Arc::clone(&faults));
    let store = Store::create(&storage, merged_config(false, Direction::Out), [42; 16]).unwrap();
    let mut model = Model::new(Direction::Out);
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
                assert!(error.to_string().contains("no space left"), "{error}");
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
