//! Counting labels in a table that is used again and again.

use evergraph_graph::VertexId;

/// No label: a free place. Labels are ranks of vertices, so below.
const FREE: u32 = u32::MAX;

/// Calls `visit` with each label along a list, and how often it comes in a row:
/// once communities have formed, most neighbors have the label of the one before.
#[inline]
pub(super) fn for_each_run(list: &[VertexId], labels: &[u32], mut visit: impl FnMut(u32, u32)) {
    let Some((&first, rest)) = list.split_first() else {
        return;
    };
    let (mut label, mut times) = (labels[first as usize], 1);
    for &u in rest {
        let next = labels[u as usize];
        if next == label {
            times += 1;
        } else {
            visit(label, times);
            (label, times) = (next, 1);
        }
    }
    visit(label, times);
}

/// The most frequent label so far, of several the smallest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) label: u32,
    pub(super) count: u32,
}

impl Default for Best {
    fn default() -> Self {
        Self {
            label: FREE,
            count: 0,
        }
    }
}

impl Best {
    #[inline]
    pub(super) fn meet(&mut self, label: u32, count: u32) {
        if count > self.count || (count == self.count && label < self.label) {
            *self = Self { label, count };
        }
    }

    /// The label, `own` if there was none.
    #[inline]
    pub(super) fn label_or(self, own: u32) -> u32 {
        if self.count == 0 { own } else { self.label }
    }
}

/// A hash table with open addressing; all places free between two vertices.
#[derive(Default)]
pub(super) struct Counter {
    /// A label and its count.
    places: Vec<(u32, u32)>,
    taken: Vec<u32>,
}

impl Counter {
    /// Prepares to count up to `labels` labels, in a part of the table that fits.
    #[inline]
    pub(super) fn begin(&mut self, labels: usize) -> Counting<'_> {
        let size = (2 * labels).next_power_of_two().max(4);
        if self.places.len() < size {
            self.places.resize(size, (FREE, 0));
        }
        Counting {
            places: &mut self.places[..size],
            taken: &mut self.taken,
            best: Best::default(),
        }
    }
}

/// The counts around one vertex.
pub(super) struct Counting<'a> {
    /// A power of two of places, at most half of them taken.
    places: &'a mut [(u32, u32)],
    taken: &'a mut Vec<u32>,
    best: Best,
}

impl Counting<'_> {
    #[inline]
    pub(super) fn add(&mut self, label: u32, times: u32) {
        let mask = self.places.len() - 1;
        // Fibonacci hashing; the upper bits are the mixed ones.
        let mut at = (u64::from(label).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            let place = &mut self.places[at];
            if place.0 == FREE {
                place.0 = label;
                self.taken.push(at as u32);
            }
            if place.0 == label {
                place.1 += times;
                // The winner's last count beats all others' last counts.
                self.best.meet(label, place.1);
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Frees the places; returns the winner.
    #[inline]
    pub(super) fn finish(self) -> Best {
        for &at in &*self.taken {
            self.places[at as usize] = (FREE, 0);
        }
        self.taken.clear();
        self.best
    }
}
