//! Peak DRAM of sealing, measured by an allocator that counts. One test alone in its
//! process, so that nothing else is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use evergraph_generators::kronecker;
use evergraph_graph::{Compressed, Csr, Graph, Shape, StoredLists};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to `System` with the caller's own arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = CURRENT.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: the caller promises a layout of a size above 0.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        CURRENT.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller got `pointer` from `alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let now = CURRENT.fetch_add(size, Relaxed) + size - layout.size();
        CURRENT.fetch_sub(layout.size(), Relaxed);
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: as for `dealloc`; the caller promises a valid `size` above 0.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The peak of `work` above what was in use before, and its result.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = CURRENT.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (PEAK.load(Relaxed) - before, result)
}

#[test]
fn sealing_takes_what_its_documentation_says() {
    let (n, edges) = (1 << 15, kronecker(15, 16, 3));
    let weighted: Vec<_> = edges.iter().map(|&(u, v)| (u, v, 0.5)).collect();
    // Threads and their stacks are made once.
    rayon::join(|| (), || ());
    for direction in [StoredLists::Undirected, StoredLists::Out, StoredLists::Both] {
        for weighted in [None, Some(&weighted)] {
            let graph = match weighted {
                None => Csr::from_edges(n, &edges, direction),
                Some(edges) => Csr::from_weighted_edges(n, edges, direction),
            };
            for shape in [Shape::Sorted, Shape::Simple, Shape::Symmetric] {
                let arcs = graph.arc_count() as usize;
                let (adjacencies, entries) = match (direction, shape) {
                    (StoredLists::Undirected, _) => (1, arcs),
                    (StoredLists::Out, Shape::Symmetric) => (1, 2 * arcs),
                    (StoredLists::Out, _) => (1, arcs),
                    (StoredLists::Both, Shape::Symmetric) => (1, 2 * arcs),
                    (StoredLists::Both, _) => (2, 2 * arcs),
                };
                let bytes = if weighted.is_some() { 8 } else { 4 };
                // Sorting keys of the longest list, and what each chunk notes.
                let longest = (0..n as u32)
                    .map(|v| graph.neighbors(v).len())
                    .max()
                    .unwrap();
                let tasks = rayon::current_num_threads() * longest * 2 * 16;
                let allowed = adjacencies * 8 * n + bytes * entries + tasks + (128 << 10);
                let (found, _) = peak(|| {
                    let Ok(sealed) = Csr::seal(&graph, shape, &|| Ok::<(), Infallible>(()));
                    sealed
                });
                assert!(
                    found <= allowed,
                    "{direction:?}, {shape:?}: {found} bytes, {allowed} allowed"
                );
                if (direction, shape) == (StoredLists::Out, Shape::Symmetric) {
                    continue;
                }
                // Beside the result, the lists of a chunk of 1,024 for each task.
                let lists = |first: u32| (first..first + 1024).map(|v| graph.neighbors(v).len());
                let chunk = (0..n as u32)
                    .step_by(1024)
                    .map(|first| lists(first).sum::<usize>());
                let chunks = rayon::current_num_threads() * 4 * bytes * chunk.max().unwrap();
                let (found, compressed) = peak(|| {
                    let go_on = || Ok::<(), Infallible>(());
                    let Ok(sealed) = Compressed::seal(&graph, shape, 64, &go_on);
                    sealed
                });
                let allowed = compressed.size_bytes() + chunks + tasks + (256 << 10);
                assert!(
                    found <= allowed,
                    "compressed {direction:?}, {shape:?}: {found} bytes, {allowed} allowed"
                );
            }
        }
    }
}
