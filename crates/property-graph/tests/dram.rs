//! DRAM of a graph with thirty types, by an allocator that counts. One test alone in
//! its process, so that nothing else is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use evergraph_property_graph::graph::{
    Direction, GraphOptions, NodeId, OpenOptions, PropertyGraph,
};
use evergraph_storage::medium::FileStorage;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static CURRENT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to `System` with the caller's own arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CURRENT.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller promises a layout of a size above 0.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        CURRENT.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller got `pointer` from `alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

const NODES: u32 = 1 << 15;
const TYPES: u32 = 30;
/// Each node has a relationship of this many types.
const TYPES_OF_A_NODE: u32 = 2;

fn bytes_a_node(before: usize) -> f64 {
    CURRENT.load(Relaxed).saturating_sub(before) as f64 / f64::from(NODES)
}

/// Types of a node spread over all of them, so that every section of nodes has some of
/// each: no adjacency has an empty section.
fn relationships() -> impl Iterator<Item = (u32, u32, u32)> {
    (0..NODES).flat_map(|node| {
        (0..TYPES_OF_A_NODE).map(move |i| {
            let target = node.wrapping_mul(2_654_435_761).wrapping_add(i) % NODES;
            (node, (7 * node + 11 * i) % TYPES, target)
        })
    })
}

#[test]
fn thirty_types_take_what_the_documentation_says() {
    let directory = tempfile::tempdir().unwrap();
    let storage = FileStorage::create(directory.path().join("db")).unwrap();
    let names: Vec<String> = (0..TYPES).map(|kind| format!("T{kind}")).collect();
    // Threads and their stacks are made once.
    rayon::join(|| (), || ());
    let graph = PropertyGraph::create(&storage, GraphOptions::default(), [1; 16]).unwrap();
    let made: Result<(), _> = graph.write(|transaction| {
        for _ in 0..NODES {
            transaction.create_node(&["Node"], None)?;
        }
        Ok(())
    });
    made.unwrap();
    graph.checkpoint().unwrap();
    let all: Vec<_> = relationships().collect();
    for some in all.chunks(1 << 14) {
        let made: Result<(), _> = graph.write(|transaction| {
            for &(source, kind, target) in some {
                let kind = &names[kind as usize];
                transaction.create_relationship(NodeId(source), kind, NodeId(target), None)?;
            }
            Ok(())
        });
        made.unwrap();
    }
    graph.close().unwrap();
    drop((graph, all));

    let before = CURRENT.load(Relaxed);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).unwrap();
    // A database holds a few buffers, however large it is; and the section directory has
    // a leaf for each adjacency, with space for the 128 sections of 2^18 nodes.
    let leaf = 128 * 64;
    let fixed = (256 << 10) + (2 * TYPES * leaf) as usize;
    let opened = bytes_a_node(before + fixed);
    assert!(opened < 40.0, "{opened} bytes a node after the opening");
    {
        let view = graph.view();
        for node in (0..NODES).map(NodeId) {
            let found = view.neighbors(node, Direction::Outgoing, &[]).unwrap();
            assert_eq!(found.len(), TYPES_OF_A_NODE as usize);
        }
        let statistics = graph.store().stats();
        assert_eq!(statistics.sections as u32, 2 * TYPES * (NODES >> 11));
        assert!(statistics.page_dram_bytes < NODES as usize);
    }
    let read = bytes_a_node(before + fixed);
    assert!(read < 40.0, "{read} bytes a node after reading everything");
}
