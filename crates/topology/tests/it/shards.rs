//! Logical shards: results do not depend on their number, and each works on its
//! own threads. The machines are described by directories made here.

use std::sync::atomic::{AtomicUsize, Ordering};

use evergraph_graph::StoredLists;
use evergraph_storage::machine::{Nodes, thread_cpus};
use evergraph_storage::medium::DramStorage;
use evergraph_topology::front::shards::Shards;
use evergraph_topology::{Batch, Config, Store, Tuning};
use proptest::prelude::*;

/// A machine with so many nodes of one CPU each, and one of memory only.
fn fake(nodes: usize) -> Nodes {
    let root = tempfile::tempdir().unwrap();
    for node in 0..=nodes {
        let folder = root.path().join(format!("node{node}"));
        std::fs::create_dir(&folder).unwrap();
        let list = if node < nodes {
            format!("{node}\n")
        } else {
            "\n".to_string()
        };
        std::fs::write(folder.join("cpulist"), list).unwrap();
    }
    Nodes::in_directory(root.path())
}

#[test]
fn one_node_is_one_shard_without_threads_of_its_own() {
    let shards = Shards::new(None, &fake(1));
    assert_eq!(shards.count(), 1);
    let here = std::thread::current().id();
    let done = AtomicUsize::new(0);
    shards.drain(&[vec![1, 2, 3]], 1, |items| {
        assert_eq!(std::thread::current().id(), here);
        done.fetch_add(items.count(), Ordering::Relaxed);
    });
    assert_eq!(done.into_inner(), 3);
    assert_eq!(shards.report().items, 0);
}

#[test]
fn each_item_is_done_once_by_a_thread_of_its_node() {
    let machine = thread_cpus();
    for nodes in 2..5 {
        let nodes = fake(nodes);
        let shards = Shards::new(None, &nodes);
        assert_eq!(shards.count(), nodes.count());
        let done: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        for _ in 0..3 {
            let lists = shards.split((0..1000).collect(), |&section| section);
            shards.drain(&lists, 2, |items| {
                let shard = items.shard();
                // A CPU that this machine lacks binds no thread.
                if machine.contains(&nodes.cpus(shard)[0]) {
                    assert_eq!(thread_cpus(), nodes.cpus(shard));
                }
                for &section in items {
                    assert_eq!(shards.of_section(section), shard);
                    done[section].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 3));
        let report = shards.report();
        assert_eq!((report.items, report.misplaced), (3000, 0));
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// So many edges, some of them deleted again.
    Edges(usize, u32),
    DeleteVertices(Vec<u32>),
    Merge,
    MergeWhatIsDue,
    Compact,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (1usize..40, any::<u32>()).prop_map(|(n, seed)| Step::Edges(n, seed)),
        2 => (100usize..3000, any::<u32>()).prop_map(|(n, seed)| Step::Edges(n, seed)),
        1 => (20_000usize..40_000, any::<u32>()).prop_map(|(n, seed)| Step::Edges(n, seed)),
        1 => proptest::collection::vec(0u32..600, 0..4).prop_map(Step::DeleteVertices),
        1 => Just(Step::Merge),
        1 => Just(Step::MergeWhatIsDue),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

fn edges(count: usize, seed: u32) -> Vec<(u32, u32)> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(0x9E37_79B1).wrapping_add(0x7F4A_7C15);
        (state >> 16) % 600
    };
    (0..count).map(|_| (next(), next())).collect()
}

/// All lists of all adjacencies, after the steps.
fn outcome(steps: &[Step], direction: StoredLists, shards: usize) -> Vec<Vec<u32>> {
    let tuning = Tuning {
        shards: Some(shards),
        ..Tuning::default()
    };
    let config = Config {
        direction,
        section_shift: 3,
        log_bytes: 1 << 20,
        growth_step: 1 << 16,
        ..Config::default()
    };
    let storage = DramStorage::new();
    let mut store = Store::create_with(&storage, config, [4; 16], tuning).unwrap();
    let mut items = 0;
    for step in steps {
        match step {
            Step::Edges(count, seed) => {
                let edges = edges(*count, *seed);
                let mut batch = Batch::new();
                let gone: Vec<_> = edges.iter().step_by(7).copied().collect();
                batch.insert(&edges).delete(&gone);
                assert_eq!(store.commit(batch).unwrap().missed_deletes, 0);
            }
            Step::DeleteVertices(vertices) => drop(store.delete_vertices(vertices).unwrap()),
            Step::Merge => store.checkpoint().unwrap(),
            Step::MergeWhatIsDue => store.merge_what_is_due().unwrap(),
            Step::Compact => store.compact().unwrap(),
            Step::Reopen => {
                items += store.stats().shards.items;
                drop(store);
                store = Store::open_with(&storage, false, tuning).unwrap().0;
            }
        }
        assert_eq!(store.stats().shards.misplaced, 0);
    }
    let report = store.check();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    items += store.stats().shards.items;
    let large = |step: &Step| matches!(step, Step::Edges(100.., _));
    assert_eq!(
        items > 0,
        shards > 1 && (items > 0 || steps.iter().any(large))
    );
    let token = store.register();
    let mut lists = Vec::new();
    for adjacency in 0..store.adjacencies().len() {
        let mut reader = store.reader(&token, adjacency);
        lists.extend((0..600).map(|v| reader.neighbors(v).unwrap().to_vec()));
    }
    lists
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_number_of_shards_changes_nothing(
        steps in proptest::collection::vec(step(), 1..10),
        direction in prop_oneof![
            Just(StoredLists::Out), Just(StoredLists::Undirected), Just(StoredLists::Both)
        ],
        shards in 2usize..9,
    ) {
        let expected = outcome(&steps, direction, 1);
        prop_assert_eq!(outcome(&steps, direction, shards), expected);
    }
}
