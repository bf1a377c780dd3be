//! The memory of one simulated file: allocated once, never moved.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A fixed block of bytes that is written through a pointer, so that readers
/// may hold slices of other parts of it.
///
/// Invariant: `start` points to `capacity` initialised bytes, allocated with
/// [`Block::layout`], until the block is dropped.
pub(super) struct Block {
    start: NonNull<u8>,
    capacity: usize,
    len: AtomicU64,
}

// SAFETY: the bytes belong to the block alone. They are written only under the
// mutex of the storage, and read either under it or through `Medium::base` by
// callers who keep to the contract of `Medium` (no write to what is being read).
unsafe impl Send for Block {}
// SAFETY: as for `Send`; the length is atomic.
unsafe impl Sync for Block {}

impl Block {
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(4096);
        let layout = Self::layout(capacity);
        // SAFETY: the layout's size is at least 4096, so not zero.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        Self {
            start,
            capacity,
            len: AtomicU64::new(0),
        }
    }

    fn layout(capacity: usize) -> Layout {
        Layout::from_size_align(capacity, 4096).expect("capacities are far below isize::MAX")
    }

    pub fn base(&self) -> *const u8 {
        self.start.as_ptr()
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    pub fn set_len(&self, len: u64) {
        assert!(len <= self.capacity as u64, "files stay in their block");
        self.len.store(len, Ordering::Relaxed);
    }

    /// Overwrites a part.
    pub fn put(&self, at: usize, bytes: &[u8]) {
        let end = at.checked_add(bytes.len());
        assert!(end.is_some_and(|end| end <= self.capacity));
        // SAFETY: the target lies in the block (asserted), which is valid and aligned for
        // bytes; `bytes` does not overlap it, because a slice of bytes that are being
        // written may not be held; the storage's mutex is held, so no other thread writes.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.as_ptr().add(at), bytes.len());
        }
    }

    /// Fills a part with one byte.
    pub fn fill(&self, at: usize, len: usize, byte: u8) {
        assert!(at.checked_add(len).is_some_and(|end| end <= self.capacity));
        // SAFETY: as in `put`: in bounds (asserted), and the mutex is held.
        unsafe { std::ptr::write_bytes(self.start.as_ptr().add(at), byte, len) }
    }

    /// The bytes below the length, copied.
    pub fn copy(&self) -> Vec<u8> {
        // SAFETY: `len() <= capacity` (asserted in `set_len`) initialised bytes,
        // not written while the mutex is held by the caller.
        unsafe { std::slice::from_raw_parts(self.base(), self.len() as usize) }.to_vec()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this very layout, and dropped once.
        unsafe { dealloc(self.start.as_ptr(), Self::layout(self.capacity)) }
    }
}
