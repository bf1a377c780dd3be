//! The vertices whose paths wait to be extended, by bins.
//!
//! The bins of a window are open: each is a list of vertices. What lies behind
//! the window shares one list, which is cut into bins when the open ones are
//! empty. If the window would then hold less than half of it, bins are made
//! wider, so that a list is cut O(log n) times more often than it doubles, however
//! far labels lie apart. Entries may be outdated; they are swept out when there
//! are many.

use evergraph_graph::VertexId;

/// Bins of a window.
const OPEN: usize = 1 << 10;
/// Entries that are never too many: some for each slot that a sweep visits.
const FEW: usize = 1 << 12;

/// Open bins: from `first`, `2^shift` of them in one slot.
#[derive(Clone, Copy)]
struct Window {
    first: u64,
    shift: u32,
}

impl Window {
    /// The slot of a bin; that of all that lie behind the window is [`OPEN`].
    #[inline]
    fn slot(self, bin: u64) -> usize {
        (bin.saturating_sub(self.first) >> self.shift).min(OPEN as u64) as usize
    }
}

/// The slot that is being settled.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) slot: usize,
    window: Window,
}

impl Place {
    /// Place of all labels, if there is one bin.
    pub(super) const ONLY: Self = Self {
        slot: 0,
        window: Window { first: 0, shift: 0 },
    };

    /// The slot of a bin.
    #[inline]
    pub(super) fn slot_of(self, bin: u64) -> usize {
        self.window.slot(bin)
    }
}

/// Lists of vertices, as many as are needed.
#[derive(Default)]
pub(super) struct Slots {
    lists: Vec<Vec<VertexId>>,
    len: usize,
}

impl Slots {
    #[inline]
    pub(super) fn add(&mut self, slot: usize, v: VertexId) {
        if slot >= self.lists.len() {
            self.lists.resize_with(slot + 1, Vec::new);
        }
        self.lists[slot].push(v);
        self.len += 1;
    }

    pub(super) fn append(&mut self, other: Self) {
        if self.lists.len() < other.lists.len() {
            self.lists.resize_with(other.lists.len(), Vec::new);
        }
        for (mine, more) in self.lists.iter_mut().zip(other.lists) {
            if mine.is_empty() {
                *mine = more;
            } else {
                mine.extend(more);
            }
        }
        self.len += other.len;
    }

    pub(super) fn take(&mut self, slot: usize) -> Vec<VertexId> {
        let list = self.lists.get_mut(slot).map(std::mem::take);
        let list = list.unwrap_or_default();
        self.len -= list.len();
        list
    }
}

pub(super) struct Bins {
    pub(super) slots: Slots,
    window: Window,
    /// The first slot that may hold vertices.
    current: usize,
    /// Entries from which on the outdated ones are swept out.
    most: usize,
}

impl Bins {
    /// With the vertices that wait.
    pub(super) fn new(waiting: Vec<VertexId>, vertex_count: usize) -> Self {
        let mut slots = Slots::default();
        waiting.into_iter().for_each(|v| slots.add(OPEN, v));
        Self {
            slots,
            window: Window { first: 0, shift: 0 },
            current: OPEN,
            most: vertex_count + vertex_count / 2 + FEW,
        }
    }

    /// The vertices of the first bin that is not empty; those that were added to
    /// it since it was last returned, if there are such.
    ///
    /// `pending` is the bin of a vertex that waits, `None` for others.
    pub(super) fn next(
        &mut self,
        pending: impl Fn(VertexId) -> Option<u64>,
    ) -> Option<(Place, Vec<VertexId>)> {
        if self.slots.len > self.most {
            self.sweep(&pending);
        }
        loop {
            while self.current < OPEN {
                let frontier = self.slots.take(self.current);
                if !frontier.is_empty() {
                    let (slot, window) = (self.current, self.window);
                    return Some((Place { slot, window }, frontier));
                }
                self.current += 1;
            }
            self.open(&pending)?;
        }
    }

    /// Cuts what lies behind the window into bins, if there is anything.
    fn open(&mut self, pending: impl Fn(VertexId) -> Option<u64>) -> Option<()> {
        let mut far = self.slots.take(OPEN);
        far.retain(|&v| pending(v).is_some());
        let bin = |v: VertexId| pending(v).expect("only vertices that wait are left");
        let mut bins: Vec<u64> = far.iter().map(|&v| bin(v)).collect();
        let first = *bins.iter().min()?;
        let middle = bins.len() / 2;
        let (_, &mut median, _) = bins.select_nth_unstable(middle);
        drop(bins);
        while (median - first) >> self.window.shift >= OPEN as u64 {
            self.window.shift += 1;
        }
        self.window.first = first;
        self.current = 0;
        for v in far {
            self.slots.add(self.window.slot(bin(v)), v);
        }
        Some(())
    }

    /// Leaves each vertex that waits once, in its bin.
    fn sweep(&mut self, pending: impl Fn(VertexId) -> Option<u64>) {
        self.slots.len = 0;
        for (slot, list) in self.slots.lists.iter_mut().enumerate() {
            list.retain(|&v| pending(v).is_some_and(|bin| self.window.slot(bin) == slot));
            list.sort_unstable();
            list.dedup();
            list.shrink_to_fit();
            self.slots.len += list.len();
        }
    }
}
