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

/// Accesses of the medium.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Traffic {
    pub(super) writes: u64,
    pub(super) merge_reads: u64,
}

/// 64 units of 256 bytes, replaced least recently used.
pub(super) struct CombiningBuffer {
    /// Units held; an array of its own, because searches go through all of it.
    units: [u64; UNITS],
    arrived: [u8; UNITS],
    /// A ring of the slots in order of use; `next[newest]` is the oldest.
    next: [u8; UNITS],
    previous: [u8; UNITS],
    newest: usize,
}

impl CombiningBuffer {
    pub(super) fn new() -> Self {
        let slot = |i: usize| (i % UNITS) as u8;
        Self {
            units: [EMPTY; UNITS],
            arrived: [0; UNITS],
            next: std::array::from_fn(|i| slot(i + 1)),
            previous: std::array::from_fn(|i| slot(i + UNITS - 1)),
            newest: UNITS - 1,
        }
    }

    /// Lines of one unit arrive; `lines` has a bit for each.
    pub(super) fn accept(&mut self, unit: u64, lines: u8, traffic: &mut Traffic) {
        let slot = if self.units[self.newest] == unit {
            self.newest
        } else if let Some(held) = self.find(unit) {
            self.make_newest(held);
            held
        } else {
            let oldest = usize::from(self.next[self.newest]);
            self.evict(oldest, traffic);
            self.units[oldest] = unit;
            // The oldest follows the newest: turning the ring is enough.
            self.newest = oldest;
            oldest
        };
        self.arrived[slot] |= lines;
    }

    /// Slot of a unit. Most have none, so all slots are compared without a branch, which
    /// compiles to vector code.
    fn find(&self, unit: u64) -> Option<usize> {
        let differ = |held: &u64| u64::from(*held != unit);
        let held = self.units.iter().fold(1, |all, held| all & differ(held)) == 0;
        held.then(|| self.units.iter().position(|&held| held == unit))?
    }

    fn make_newest(&mut self, slot: usize) {
        let (before, after) = (self.previous[slot], self.next[slot]);
        self.next[usize::from(before)] = after;
        self.previous[usize::from(after)] = before;
        let oldest = self.next[self.newest];
        self.next[self.newest] = slot as u8;
        self.previous[slot] = self.newest as u8;
        self.next[slot] = oldest;
        self.previous[usize::from(oldest)] = slot as u8;
        self.newest = slot;
    }

    fn evict(&mut self, slot: usize, traffic: &mut Traffic) {
        if self.units[slot] != EMPTY {
            traffic.writes += 1;
            traffic.merge_reads += u64::from(self.arrived[slot] != COMPLETE);
        }
        self.units[slot] = EMPTY;
        self.arrived[slot] = 0;
    }

    /// Writes out all units.
    pub(super) fn drain(&mut self, traffic: &mut Traffic) {
        for slot in 0..UNITS {
            self.evict(slot, traffic);
        }
    }
}
