//! Added latency and limited bandwidth, by spinning on the time-stamp counter.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Latencies and rates that an emulated device adds to DRAM's. 0 adds nothing.
///
/// The method is that of NVGraph (section IV): a request waits for its latency
/// once, and a sequence of requests is held back to the bandwidth at its end.
/// Latencies come on top of what the machine itself takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyProfile {
    /// Name, for results.
    pub name: &'static str,
    /// Source of the figures.
    pub source: &'static str,
    /// Added to each range that is read (`touch`, `read`).
    pub read_ns: u64,
    /// Added to each flush that finds something to write.
    pub flush_ns: u64,
    /// Added to each fence.
    pub fence_ns: u64,
    /// Bytes a second that the medium reads.
    pub read_bytes_per_s: u64,
    /// Bytes a second that the medium writes.
    pub write_bytes_per_s: u64,
}

impl LatencyProfile {
    /// Intel Optane DC, six modules interleaved: random reads take 305 ns where
    /// DRAM takes 101 (204 added); a store with `clwb` and fence hardly more
    /// than on DRAM, because it ends in the controller's queue (62 against 57);
    /// 39.4 GB/s read, 13.9 GB/s written. Source: Izraelevitz et al., "Basic
    /// Performance Measurements of the Intel Optane DC Persistent Memory
    /// Module", 2019; Yang et al., FAST 2020, Figure 2.
    pub const OPTANE: Self = Self {
        name: "optane",
        source: "Izraelevitz et al. 2019; Yang et al., FAST 2020, Figure 2",
        read_ns: 204,
        flush_ns: 0,
        fence_ns: 5,
        read_bytes_per_s: 39_400_000_000,
        write_bytes_per_s: 13_900_000_000,
    };

    /// DRAM behind a CXL link of 16 lanes (PCIe 5): about 100 ns more than
    /// local DRAM, both ways, 64 GB/s. Source: Al Maruf et al., "TPP", ASPLOS
    /// 2023, section 2 (50–100 ns over DRAM).
    pub const CXL: Self = Self {
        name: "cxl",
        source: "Al Maruf et al., TPP, ASPLOS 2023, section 2",
        read_ns: 100,
        flush_ns: 100,
        fence_ns: 0,
        read_bytes_per_s: 64_000_000_000,
        write_bytes_per_s: 64_000_000_000,
    };

    /// The emulator of NVGraph: 100 ns read, 150 ns write (Table I), 35 GB/s
    /// read and 10 GB/s written (section IV).
    pub const NVGRAPH: Self = Self {
        name: "nvgraph",
        source: "NVGraph, Table I and section IV",
        read_ns: 100,
        flush_ns: 150,
        fence_ns: 0,
        read_bytes_per_s: 35_000_000_000,
        write_bytes_per_s: 10_000_000_000,
    };

    /// The SSD that NVGraph compares with: 25 µs read, 200 µs write (Table I),
    /// paid at the fence, where a file is synced; no limit of bandwidth.
    pub const NVGRAPH_SSD: Self = Self {
        name: "nvgraph-ssd",
        source: "NVGraph, Table I",
        read_ns: 25_000,
        flush_ns: 0,
        fence_ns: 200_000,
        read_bytes_per_s: 0,
        write_bytes_per_s: 0,
    };

    /// All profiles.
    pub const ALL: [Self; 4] = [Self::OPTANE, Self::CXL, Self::NVGRAPH, Self::NVGRAPH_SSD];

    /// The profile of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name == name)
    }
}

impl fmt::Display for LatencyProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: +{} ns a read, +{} ns a flush, +{} ns a fence, {} B/s read, {} B/s written ({})",
            self.name,
            self.read_ns,
            self.flush_ns,
            self.fence_ns,
            self.read_bytes_per_s,
            self.write_bytes_per_s,
            self.source
        )
    }
}

/// Ticks of the fastest clock there is.
#[inline(always)]
fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has the instruction; it only reads a counter.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}

/// Ticks in 2^20 ns, measured once.
fn ticks_per_mebi_ns() -> u64 {
    static MEASURED: OnceLock<u64> = OnceLock::new();
    *MEASURED.get_or_init(|| {
        let (clock, from) = (Instant::now(), now());
        while clock.elapsed() < Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        let ticks = u128::from(now() - from);
        ((ticks << 20) / clock.elapsed().as_nanos()) as u64
    })
}

fn ticks(ns: u64) -> u64 {
    ((u128::from(ns) * u128::from(ticks_per_mebi_ns())) >> 20) as u64
}

fn spin_until(tick: u64) {
    // A difference, so that a counter that wraps does no harm.
    while (tick.wrapping_sub(now()) as i64) > 0 {
        std::hint::spin_loop();
    }
}

/// Spins for some ticks.
fn spin(ticks: u64) {
    if ticks > 0 {
        spin_until(now().wrapping_add(ticks));
    }
}

/// One direction's bandwidth, shared by all threads: a token bucket, kept as
/// the tick at which all that was admitted will have passed.
struct Bandwidth {
    /// Ticks for 2^20 bytes; 0 for no limit.
    ticks_per_mebibyte: u64,
    /// Time by which transfers may run ahead: the device's buffer.
    ahead: u64,
    passed: AtomicU64,
}

/// Bytes that a device buffers before it delays a writer.
const BUFFER_BYTES: u64 = 16 << 10;

impl Bandwidth {
    fn new(bytes_per_s: u64) -> Self {
        let per_mebibyte = match bytes_per_s {
            0 => 0,
            rate => ticks((1 << 20) * 1_000_000_000 / rate),
        };
        Self {
            ticks_per_mebibyte: per_mebibyte,
            ahead: (per_mebibyte * BUFFER_BYTES) >> 20,
            passed: AtomicU64::new(now()),
        }
    }

    fn transfer(&self, bytes: u64) {
        if self.ticks_per_mebibyte == 0 || bytes == 0 {
            return;
        }
        let cost = ((u128::from(bytes) * u128::from(self.ticks_per_mebibyte)) >> 20) as u64;
        let at = now();
        let mut passed = self.passed.load(Ordering::Relaxed);
        let mine = loop {
            // Bandwidth that was not used in the past is lost.
            let idle = (at.wrapping_sub(passed) as i64) > 0;
            let mine = if idle { at } else { passed }.wrapping_add(cost);
            match self.passed.compare_exchange_weak(
                passed,
                mine,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => break mine,
                Err(other) => passed = other,
            }
        };
        spin_until(mine.wrapping_sub(self.ahead));
    }
}

/// Holds callers back as a profile says.
pub(super) struct Delay {
    profile: LatencyProfile,
    read: u64,
    flush: u64,
    fence: u64,
    reading: Bandwidth,
    writing: Bandwidth,
}

impl Delay {
    pub(super) fn new(profile: LatencyProfile) -> Self {
        Self {
            profile,
            read: ticks(profile.read_ns),
            flush: ticks(profile.flush_ns),
            fence: ticks(profile.fence_ns),
            reading: Bandwidth::new(profile.read_bytes_per_s),
            writing: Bandwidth::new(profile.write_bytes_per_s),
        }
    }

    pub(super) fn profile(&self) -> LatencyProfile {
        self.profile
    }

    /// A range of `bytes` is read.
    pub(super) fn read(&self, bytes: u64) {
        spin(self.read);
        self.reading.transfer(bytes);
    }

    /// A flush found something to write.
    pub(super) fn flush(&self) {
        spin(self.flush);
    }

    pub(super) fn fence(&self) {
        spin(self.fence);
    }

    /// The medium reads and writes inside.
    pub(super) fn transfer(&self, read: u64, written: u64) {
        self.reading.transfer(read);
        self.writing.transfer(written);
    }
}
