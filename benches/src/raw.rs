//! The machine without Evergraph between: loops of single
//! instructions on the bytes of a mapped medium. The yardstick for the media's
//! indirection, and nothing else: the only unsafe code of this crate.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use evergraph_storage::medium::MappedMedium;
use evergraph_storage::{Medium, MediumHandle};

/// The bytes of a mapped medium.
#[derive(Clone, Copy)]
pub struct RawBytes<'a> {
    medium: &'a MappedMedium,
    /// Bytes that exist; media never become shorter.
    len: u64,
}

impl<'a> RawBytes<'a> {
    /// Those of a medium that is mapped and flushes by `clwb`; `None` of any other.
    pub fn of(medium: &'a MediumHandle) -> Option<Self> {
        match medium {
            MediumHandle::Mapped(mapped) if mapped.flush_instruction() == "clwb" => {
                Some(RawBytes {
                    len: mapped.len(),
                    medium: mapped,
                })
            }
            _ => None,
        }
    }

    /// Stores a word at each of `count` offsets, each flushed and fenced before
    /// the next.
    ///
    /// # Panics
    /// If an offset is not one of an aligned word below the length.
    #[inline(never)]
    pub fn store_flush_fence(self, offsets: impl Iterator<Item = u64>, count: usize) {
        let base = self.medium.base().cast_mut();
        for (value, offset) in (0..count as u32).zip(offsets) {
            assert!(offset.is_multiple_of(4) && offset < self.len);
            // SAFETY: `base..base + len` is mapped for reading and writing as
            // long as the medium lives, and starts on a page, so the word is
            // aligned and inside. While a benchmark runs on a medium of its own,
            // nothing reads its bytes but by atomic accesses of whole words.
            let word = unsafe { AtomicU32::from_ptr(base.add(offset as usize).cast()) };
            word.store(value, Ordering::Relaxed);
            flush_and_fence(word);
        }
    }

    /// Fills the first `len` bytes with stores that pass the caches by, from a
    /// block that stays in them; then one fence.
    ///
    /// # Panics
    /// If there are fewer bytes.
    #[cfg(target_arch = "x86_64")]
    pub fn stream(self, len: u64) {
        use std::arch::x86_64::{_mm_set1_epi32, _mm_sfence, _mm_stream_si128};
        assert!(len <= self.len && len.is_multiple_of(16));
        let base = self.medium.base().cast_mut();
        // SAFETY: as above, the range is mapped and aligned to a page, and used
        // by nothing else; SSE2 is part of x86-64. The fence makes the stores
        // ordered before whatever follows.
        unsafe {
            let value = _mm_set1_epi32(len as i32);
            for offset in (0..len as usize).step_by(16) {
                _mm_stream_si128(base.add(offset).cast(), value);
            }
            _mm_sfence();
        }
    }

    /// There is nothing to compare with.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn stream(self, _len: u64) {}
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn flush_and_fence(word: &AtomicU32) {
    // SAFETY: `clwb` takes any valid address and changes no value; the processor
    // has it, because the medium chose it (`RawBytes::of`). `sfence` takes
    // nothing. The block may touch memory for all the compiler knows, so the
    // store stays before it.
    unsafe {
        std::arch::asm!(
            "clwb [{word}]",
            "sfence",
            word = in(reg) word.as_ptr(),
            options(nostack, preserves_flags)
        );
    }
}

/// Never called: no medium flushes by `clwb` on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn flush_and_fence(_word: &AtomicU32) {}
