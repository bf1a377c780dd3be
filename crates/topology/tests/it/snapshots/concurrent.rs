//! Snapshots while writers and merges go on.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use evergraph_storage::ViewToken;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::{
    Batch, Config, Layout, ListScratch, Published, Store, TopologyError, Tuning,
};

const SECTION_SHIFT: u32 = 2;
const WRITERS: u32 = 3;
const COMMITS: u32 = 300;
const VERTICES: u32 = 13;

type Lists = Vec<Vec<u32>>;

/// Result of a commit.
enum Done {
    Inserted(u32, u32),
    Deleted(u32, u32),
}

fn read(store: &Store, token: &ViewToken<Published>) -> Lists {
    let mut scratch = ListScratch::default();
    let mut lists = vec![Vec::new(); VERTICES as usize];
    for v in 0..VERTICES {
        let Some(section) = store.pin_section(token, 0, v).unwrap() else {
            continue;
        };
        let local = (v & ((1 << SECTION_SHIFT) - 1)) as usize;
        let _ = section.for_each_segment::<()>(local, &mut scratch, |words| {
            lists[v as usize].extend_from_slice(words);
            ControlFlow::Continue(())
        });
    }
    lists
}

/// Every snapshot shows the log up to its commit, whenever it is read: while
/// groups of commits, merges, compactions, drops and other readers go on.
#[test]
fn snapshots_are_exact_while_writers_and_merges_go_on() {
    for layout in [Layout::Pma, Layout::Blocks] {
        let config = Config {
            section_shift: SECTION_SHIFT,
            log_bytes: 32 << 10,
            growth_step: 1 << 16,
            layout,
            ..Config::default()
        };
        let tuning = Tuning {
            past_page_bytes: 1 << 10,
            ..Tuning::default()
        };
        let storage = DramStorage::new();
        let store = Store::create_with(&storage, config, [3; 16], tuning).unwrap();
        let log = Mutex::new(BTreeMap::new());
        let seen: Mutex<Vec<(u64, Lists)>> = Mutex::default();
        let writing = AtomicUsize::new(WRITERS as usize);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (store, log, writing, done) = (&store, &log, &writing, &done);
                scope.spawn(move || {
                    for i in 0..COMMITS {
                        let (u, v) = ((i * 7 + writer) % VERTICES, (i * i + writer) % VERTICES);
                        let mut batch = Batch::new();
                        let entry = if i % 5 == 4 {
                            batch.delete(&[(u, v)]);
                            Done::Deleted(u, v)
                        } else {
                            batch.insert(&[(u, v)]);
                            Done::Inserted(u, v)
                        };
                        if i % 4 == 0 {
                            batch.create_snapshot(&format!("w{writer}-{i}"), None);
                        }
                        let csn = store.commit(batch).unwrap().csn;
                        log.lock().unwrap().insert(csn, entry);
                        if i % 12 == 8 {
                            let csn = store.create_snapshot(&format!("x{writer}-{i}"), None);
                            assert!(csn.unwrap().csn > 0);
                            store.drop_snapshots(&[&format!("w{writer}-{i}")]).unwrap();
                        }
                    }
                    if writing.fetch_sub(1, Ordering::AcqRel) == 1 {
                        done.store(true, Ordering::Release);
                    }
                });
            }
            scope.spawn(|| {
                let mut round = 0;
                while !done.load(Ordering::Acquire) {
                    match round % 4 {
                        0 => store.checkpoint().unwrap(),
                        1 => store.compact_vertex(round % VERTICES).unwrap(),
                        2 => store.merge_what_is_due().unwrap(),
                        _ => store.compact().unwrap(),
                    }
                    round += 1;
                }
            });
            scope.spawn(|| {
                let mut turn = 0;
                while !done.load(Ordering::Acquire) {
                    let snapshots = store.snapshots();
                    turn += 7;
                    let Some(snapshot) = snapshots.get(turn % snapshots.len().max(1)) else {
                        continue;
                    };
                    match store.register_at(snapshot.csn) {
                        Ok(token) => {
                            let lists = read(&store, &token);
                            let arcs: usize = lists.iter().map(Vec::len).sum();
                            assert_eq!(arcs as u64, snapshot.arc_count);
                            seen.lock().unwrap().push((snapshot.csn, lists));
                        }
                        Err(TopologyError::NotKept { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        });
        let log = log.into_inner().unwrap();
        let mut expected: BTreeMap<u64, Lists> = BTreeMap::new();
        let mut lists = vec![Vec::new(); VERTICES as usize];
        for (csn, entry) in log {
            match entry {
                Done::Inserted(u, v) => lists[u as usize].push(v),
                Done::Deleted(u, v) => {
                    let list = &mut lists[u as usize];
                    if let Some(at) = list.iter().rposition(|&w| w == v) {
                        list.remove(at);
                    }
                }
            }
            expected.insert(csn, lists.clone());
        }
        let as_of = |csn: u64| expected.range(..=csn).next_back().unwrap().1;
        let seen = seen.into_inner().unwrap();
        assert!(seen.iter().all(|(csn, lists)| lists == as_of(*csn)));
        let compare = |store: &Store| {
            for snapshot in store.snapshots() {
                let token = store.register_at(snapshot.csn).unwrap();
                assert_eq!(&read(store, &token), as_of(snapshot.csn), "{snapshot:?}");
            }
        };
        assert_eq!(store.snapshots().len(), (WRITERS * COMMITS / 4) as usize);
        compare(&store);
        drop(store);
        let (store, _) = Store::open(&storage, false).unwrap();
        compare(&store);
        assert_eq!(store.check().problems, Vec::<String>::new());
    }
}
