//! Instructions that move cache lines towards the medium.
//!
//! On x86-64: `clwb`, else `clflushopt`, else `clflush`; `sfence` orders them.
//! Elsewhere there is no portable instruction: a flush is `msync` of the pages
//! around the range, which waits by itself, and a fence is an atomic fence.

/// Bytes of a cache line.
pub(super) const LINE: u64 = 64;

/// Instructions that flush a line, by machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flush {
    /// The medium needs no flush.
    Nothing,
    /// Writes a line back and keeps it.
    #[cfg(target_arch = "x86_64")]
    Clwb,
    /// Writes a line back and drops it.
    #[cfg(target_arch = "x86_64")]
    Clflushopt,
    /// As `Clflushopt`, one after the other; every x86-64 has it.
    #[cfg(target_arch = "x86_64")]
    Clflush,
    /// Asks the operating system.
    #[cfg(not(target_arch = "x86_64"))]
    Msync,
}

impl Flush {
    /// The best of this machine.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn detect() -> Self {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        if __cpuid(0).eax < 7 {
            return Self::Clflush;
        }
        let features = __cpuid_count(7, 0).ebx;
        if features & (1 << 24) != 0 {
            Self::Clwb
        } else if features & (1 << 23) != 0 {
            Self::Clflushopt
        } else {
            Self::Clflush
        }
    }

    /// The best of this machine.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn detect() -> Self {
        Self::Msync
    }

    /// Name of the instruction, for results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            #[cfg(target_arch = "x86_64")]
            Self::Clwb => "clwb",
            #[cfg(target_arch = "x86_64")]
            Self::Clflushopt => "clflushopt",
            #[cfg(target_arch = "x86_64")]
            Self::Clflush => "clflush",
            #[cfg(not(target_arch = "x86_64"))]
            Self::Msync => "msync",
        }
    }

    /// Starts writing back all lines of `base + offset .. base + end`.
    ///
    /// # Safety
    /// `base` is aligned to pages, and the range is mapped and backed.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) unsafe fn lines(
        self,
        base: *const u8,
        offset: u64,
        end: u64,
    ) -> Result<(), rustix::io::Errno> {
        use std::arch::asm;
        let mut at = offset & !(LINE - 1);
        while at < end {
            let line = base.wrapping_add(at as usize);
            // SAFETY: `line` is in a mapped and backed page, as the caller
            // promises (a line does not cross a page); the processor has the
            // instruction (`detect`). None changes a value. As they may touch
            // memory for all the compiler knows, it keeps stores before them.
            unsafe {
                match self {
                    Self::Nothing => {}
                    Self::Clwb => {
                        asm!("clwb [{}]", in(reg) line, options(nostack, preserves_flags))
                    }
                    Self::Clflushopt => {
                        asm!("clflushopt [{}]", in(reg) line, options(nostack, preserves_flags));
                    }
                    Self::Clflush => {
                        asm!("clflush [{}]", in(reg) line, options(nostack, preserves_flags));
                    }
                }
            }
            at += LINE;
        }
        Ok(())
    }

    /// Writes back all pages of `base + offset .. base + end` and waits.
    ///
    /// # Safety
    /// `base` is aligned to pages, and the range is mapped and backed.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) unsafe fn lines(
        self,
        base: *const u8,
        offset: u64,
        end: u64,
    ) -> Result<(), rustix::io::Errno> {
        use rustix::mm::{MsyncFlags, msync};
        if self == Self::Nothing || offset >= end {
            return Ok(());
        }
        // A multiple of every page size in use.
        let first = offset / (64 << 10) * (64 << 10);
        let address = base.wrapping_add(first as usize).cast_mut();
        // SAFETY: whole pages of a mapping that the caller promises.
        unsafe { msync(address.cast(), (end - first) as usize, MsyncFlags::SYNC) }
    }
}

/// Waits for this thread's flushes and non-temporal stores.
#[inline(always)]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: an instruction without operands that every x86-64 has. The
    // compiler moves no memory access across it.
    unsafe {
        std::arch::asm!("sfence", options(nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

/// Copies with stores that pass the caches by. Durable with the next
/// [`fence`], but for the lines that the range covers in part: those are
/// ordinary stores, and need a flush.
///
/// # Safety
/// As `ptr::copy_nonoverlapping`.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn stream(from: *const u8, to: *mut u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    let head = to.align_offset(LINE as usize).min(len);
    let lines = (len - head) / LINE as usize;
    let body_end = head + lines * LINE as usize;
    // SAFETY: all offsets are below `len`, for which the caller promises both
    // ranges. `to + head` is aligned to 64 bytes if `lines > 0`, and the loads
    // need no alignment. SSE2 is part of x86-64.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        for at in (head..body_end).step_by(LINE as usize) {
            let source = from.add(at).cast::<__m128i>();
            let target = to.add(at).cast::<__m128i>();
            let parts = [
                _mm_loadu_si128(source),
                _mm_loadu_si128(source.add(1)),
                _mm_loadu_si128(source.add(2)),
                _mm_loadu_si128(source.add(3)),
            ];
            for (i, part) in parts.into_iter().enumerate() {
                _mm_stream_si128(target.add(i), part);
            }
        }
        std::ptr::copy_nonoverlapping(from.add(body_end), to.add(body_end), len - body_end);
    }
}

/// Fetches the cache line of an address, to be read soon. Any address will do.
#[inline(always)]
pub fn prefetch_for_read(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, as in `prefetch_for_write`.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Fetches the cache line of an address, to be written soon. Any address will
/// do: a prefetch never faults and changes nothing a program can see.
#[inline(always)]
pub fn prefetch_for_write(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `prefetchw` is a hint; it does not access memory as a load or a
    // store does, and ignores addresses that are not mapped.
    unsafe {
        std::arch::asm!(
            "prefetchw [{address}]",
            address = in(reg) address,
            options(nostack, preserves_flags, readonly),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
