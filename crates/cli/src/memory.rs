//! Counts the bytes in use on the heap while an algorithm runs, to say what it took.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use evergraph::run::MemoryMeter;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Whether any figure was asked for: a query allocates often enough to feel each count.
static COUNTS: AtomicBool = AtomicBool::new(false);
/// In use before the first figure was asked for: unknown, and more than is ever freed of
/// it, as figures are compared with earlier ones alone.
const BEFORE: usize = isize::MAX as usize;
static CURRENT: AtomicUsize = AtomicUsize::new(BEFORE);
static PEAK: AtomicUsize = AtomicUsize::new(BEFORE);

/// How the library asks for the figures.
pub const METER: MemoryMeter = MemoryMeter {
    current: || {
        COUNTS.store(true, Relaxed);
        CURRENT.load(Relaxed)
    },
    peak: || PEAK.load(Relaxed),
    reset: || {
        COUNTS.store(true, Relaxed);
        PEAK.store(CURRENT.load(Relaxed), Relaxed);
    },
};

fn grown(bytes: usize) {
    if !COUNTS.load(Relaxed) {
        return;
    }
    let now = CURRENT.fetch_add(bytes, Relaxed) + bytes;
    // Most allocations set no record, and a read is cheaper than a write.
    if now > PEAK.load(Relaxed) {
        PEAK.fetch_max(now, Relaxed);
    }
}

fn shrunk(bytes: usize) {
    if COUNTS.load(Relaxed) {
        CURRENT.fetch_sub(bytes, Relaxed);
    }
}

// SAFETY: every call is handed on to `System` with the caller's own arguments,
// so `System`'s guarantees are ours; counting allocates nothing and never panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises a layout of a size above 0.
        let pointer = unsafe { System.alloc(layout) };
        if !pointer.is_null() {
            grown(layout.size());
        }
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises a layout of a size above 0.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        if !pointer.is_null() {
            grown(layout.size());
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller got `pointer` from here with this layout, that is
        // from `System`.
        unsafe { System.dealloc(pointer, layout) };
        shrunk(layout.size());
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for `dealloc`; the caller promises a valid `size` above 0.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        if !moved.is_null() {
            grown(size);
            shrunk(layout.size());
        }
        moved
    }
}
