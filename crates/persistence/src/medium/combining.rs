//! The write-combining buffer in front of a medium whose unit is larger than a
//! cache line.
//!
//! A line that arrives joins its unit if the buffer holds it; else the unit
//! that was used least recently makes room. A unit leaves as one write, and if
//! not all its lines had arrived, the medium first reads the rest. Model:
//! the XPBuffer of Optane, 16 KiB a module (Yang et al., FAST 2020, section 5.1).

/// Cache lines in one unit of the medium.
pub(super) const LINES_PER_UNIT: u64 = 4;
const UNITS: usize = 64;
const COMPLETE: u8 = 0b1111;
/// No unit of any file.
const EMPTY: u64 = u64::MAX;

/// What the medium did.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Traffic {
    pub(super) writes: u64,
    pub(super) merge_reads: u64,
}

/// 64 units of 256 bytes, replaced least recently used.
pub(super) struct CombiningBuffer {
    /// Units held, and when each was used last: arrays of their own, because
    /// searches go through all of them.
    units: [u64; UNITS],
    used: [u64; UNITS],
    arrived: [u8; UNITS],
    clock: u64,
    /// Where the last line went; the next one mostly goes there too.
    last: usize,
}

impl CombiningBuffer {
    pub(super) fn new() -> Self {
        Self {
            units: [EMPTY; UNITS],
            used: [0; UNITS],
            arrived: [0; UNITS],
            clock: 0,
            last: 0,
        }
    }

    /// A line arrives (its number over all files).
    pub(super) fn accept(&mut self, line: u64, traffic: &mut Traffic) {
        let unit = line / LINES_PER_UNIT;
        let slot = if self.units[self.last] == unit {
            self.last
        } else if let Some(held) = self.units.iter().position(|&held| held == unit) {
            held
        } else {
            let oldest = (0..UNITS).min_by_key(|&slot| self.used[slot]).unwrap_or(0);
            self.evict(oldest, traffic);
            self.units[oldest] = unit;
            oldest
        };
        self.clock += 1;
        self.used[slot] = self.clock;
        self.arrived[slot] |= 1 << (line % LINES_PER_UNIT);
        self.last = slot;
    }

    fn evict(&mut self, slot: usize, traffic: &mut Traffic) {
        if self.units[slot] != EMPTY {
            traffic.writes += 1;
            traffic.merge_reads += u64::from(self.arrived[slot] != COMPLETE);
        }
        self.units[slot] = EMPTY;
        self.used[slot] = 0;
        self.arrived[slot] = 0;
    }

    /// Everything leaves.
    pub(super) fn drain(&mut self, traffic: &mut Traffic) {
        for slot in 0..UNITS {
            self.evict(slot, traffic);
        }
    }
}
