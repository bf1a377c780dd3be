//! State of one task: the list N+ of one vertex, as a list and marked.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, NeighborReader, VertexId};

use super::batch::Batch;
use super::hubs::Hubs;
use super::order::Order;
use crate::{Cancelled, Control};

/// Entries that are handled between two checks: about a millisecond.
const CHECK_ENTRIES: usize = 1 << 18;

/// The vertex u at hand. By rank; between two vertices nothing is set.
pub(super) struct Marks<'a, const CREDIT: bool, const MUTUAL: bool> {
    /// N+(u).
    list: Vec<u32>,
    /// A bit for each of `list`.
    marked: Vec<u64>,
    /// A bit for those of them that u is joined with in both directions.
    mutual: Vec<u64>,
    /// Credit that u owes each of `list`.
    debts: Debts<'a>,
    /// Credit of the triangles here for u itself.
    credit: u64,
    /// The hubs of `list`, or `list` as entries.
    scratch: Vec<u32>,
    /// Entries handled since the last check.
    unchecked: usize,
}

/// Readers of a task: its own, for a short time.
pub(super) struct Source<'a, G: Graph + 'a> {
    pub(super) order: &'a Order,
    pub(super) control: &'a Control<'a>,
    pub(super) out: G::Reader<'a>,
    /// Of a graph whose in-lists are its out-lists, those.
    pub(super) incoming: Option<G::Reader<'a>>,
}

impl<'a, const CREDIT: bool, const MUTUAL: bool> Marks<'a, CREDIT, MUTUAL> {
    /// With room for what the first `own_credits` ranks are owed; for the others
    /// it goes to `credits` at once.
    pub(super) fn new(vertex_count: usize, own_credits: usize, credits: &'a [AtomicU64]) -> Self {
        let words = vertex_count.div_ceil(64);
        Self {
            list: Vec::new(),
            marked: vec![0; words],
            mutual: vec![0; if MUTUAL { words } else { 0 }],
            debts: Debts {
                own: vec![0; if CREDIT { own_credits } else { 0 }],
                shared: credits,
            },
            credit: 0,
            scratch: Vec::new(),
            unchecked: 0,
        }
    }

    /// Reads N+(u) of the vertex of a rank.
    pub(super) fn gather<G: Graph>(
        &mut self,
        rank: u32,
        from: &mut Source<'_, G>,
    ) -> Result<(), Cancelled> {
        let (order, control) = (from.order, from.control);
        let u = order.vertex(rank);
        let Self { list, marked, .. } = self;
        let unchecked = &mut self.unchecked;
        read(&mut from.out, u, unchecked, control, |v| {
            let v = order.rank(v);
            if v < rank && set(marked, v) {
                list.push(v);
            }
        })?;
        let Some(incoming) = from.incoming.as_mut().filter(|_| MUTUAL) else {
            return Ok(());
        };
        let (outgoing, mutual) = (list.len(), &mut self.mutual);
        read(incoming, u, unchecked, control, |v| {
            let v = order.rank(v);
            if v < rank && set(mutual, v) && !is_set(marked, v) {
                list.push(v);
            }
        })?;
        for &v in &list[outgoing..] {
            mutual[v as usize / 64] &= !(1 << (v % 64));
            set(marked, v);
        }
        Ok(())
    }

    /// N+(u).
    pub(super) fn list(&self) -> &[u32] {
        &self.list
    }

    /// N+(u) as a [`Batch`] holds it: with `MUTUAL` a neighbor is doubled, and one
    /// is added if it is mutual.
    pub(super) fn entries(&mut self) -> &[u32] {
        if !MUTUAL {
            return &self.list;
        }
        let Self { list, mutual, .. } = self;
        self.scratch.clear();
        self.scratch
            .extend(list.iter().map(|&v| v << 1 | bit(mutual, v) as u32));
        &self.scratch
    }

    /// N+(u) as [`Hubs`] hold it.
    pub(super) fn copy_to(&self, row: &mut [u64], mutual_row: &mut [u64]) {
        row.copy_from_slice(&self.marked[..row.len()]);
        mutual_row.copy_from_slice(&self.mutual[..mutual_row.len()]);
    }

    /// Counts triangles of u with two of the hubs.
    pub(super) fn meet_hubs(&mut self, all: &Hubs<MUTUAL>) -> u64 {
        if self.list.len() < 2 {
            return 0;
        }
        let mut hubs = std::mem::take(&mut self.scratch);
        hubs.clear();
        let is_hub = |&v: &u32| (v as usize) < all.count();
        hubs.extend(self.list.iter().copied().filter(is_hub));
        hubs.sort_unstable();
        let mut triangles = 0;
        for (at, &v) in hubs.iter().enumerate() {
            let (row, mutual_row) = all.row(v);
            // A bit costs about as much as half a word.
            triangles += match at < 2 * row.len() {
                true => self.meet_bits(v, &hubs[..at], row, mutual_row),
                false => self.meet_words(v, row, mutual_row),
            };
        }
        self.scratch = hubs;
        triangles
    }

    /// Looks for each of `candidates` in the row of v.
    fn meet_bits(&mut self, v: u32, candidates: &[u32], row: &[u64], mutual_row: &[u64]) -> u64 {
        let worth = self.worth(v);
        let mut found = Found::default();
        for &w in candidates {
            self.meet_one(&mut found, w, bit(row, w), worth, || bit(mutual_row, w));
        }
        self.add(v, found)
    }

    /// Looks for all of N+(u) in the row of v.
    fn meet_words(&mut self, v: u32, row: &[u64], mutual_row: &[u64]) -> u64 {
        let worth = self.worth(v);
        let mut found = Found::default();
        for (&a, &b) in row.iter().zip(&self.marked) {
            found.triangles += u64::from((a & b).count_ones());
        }
        if CREDIT && found.triangles > 0 {
            for (at, (&a, &b)) in row.iter().zip(&self.marked).enumerate() {
                let mut both = a & b;
                if MUTUAL {
                    found.for_u += u64::from((both & mutual_row[at]).count_ones());
                    found.for_v += u64::from((both & self.mutual[at]).count_ones());
                }
                while both != 0 {
                    self.debts
                        .owe(at as u32 * 64 + both.trailing_zeros(), worth);
                    both &= both - 1;
                }
            }
        }
        self.add(v, found)
    }

    /// Counts triangles of u with a v of the batch.
    pub(super) fn meet_lists(
        &mut self,
        batch: &Batch,
        control: &Control,
    ) -> Result<u64, Cancelled> {
        let mut triangles = 0;
        for at in 0..self.list.len() {
            let v = self.list[at];
            let entries = batch.list(v);
            self.unchecked += entries.len();
            if self.unchecked > CHECK_ENTRIES {
                self.unchecked = 0;
                control.check()?;
            }
            let worth = self.worth(v);
            let mut found = Found::default();
            for &entry in entries {
                let w = if MUTUAL { entry >> 1 } else { entry };
                let is_triangle = bit(&self.marked, w);
                self.meet_one(&mut found, w, is_triangle, worth, || u64::from(entry & 1));
            }
            triangles += self.add(v, found);
        }
        Ok(triangles)
    }

    /// Counts the triangle of u, v and w if `is_triangle` is 1 and not 0.
    #[inline]
    fn meet_one(
        &mut self,
        found: &mut Found,
        w: u32,
        is_triangle: u64,
        worth: u32,
        v_and_w_are_mutual: impl FnOnce() -> u64,
    ) {
        found.triangles += is_triangle;
        if CREDIT {
            self.debts.owe(w, is_triangle as u32 * worth);
        }
        if MUTUAL {
            found.for_u += is_triangle & v_and_w_are_mutual();
            found.for_v += is_triangle & bit(&self.mutual, w);
        }
    }

    /// Credit of a triangle with u and v for its third vertex.
    #[inline]
    fn worth(&self, v: u32) -> u32 {
        match MUTUAL {
            true => 1 + bit(&self.mutual, v) as u32,
            false => 1,
        }
    }

    #[inline]
    fn add(&mut self, v: u32, found: Found) -> u64 {
        if CREDIT {
            self.credit += found.triangles + found.for_u;
            // At most two for each of N+(u), of which there are less than 2^30.
            self.debts.owe(v, (found.triangles + found.for_v) as u32);
        }
        found.triangles
    }

    /// Pays what u owes to the vertices of the list, and to itself.
    pub(super) fn give(&mut self, rank: u32) {
        if !CREDIT || self.credit == 0 {
            return;
        }
        self.debts.pay(rank, std::mem::take(&mut self.credit));
        for &v in &self.list {
            self.debts.pay_off(v);
        }
    }

    /// Makes ready for the next vertex.
    pub(super) fn clear(&mut self) {
        for &v in &self.list {
            self.marked[v as usize / 64] = 0;
            if MUTUAL {
                self.mutual[v as usize / 64] = 0;
            }
        }
        self.list.clear();
    }
}

/// Credits that are still to be added to the counts of all tasks.
struct Debts<'a> {
    /// Debts of the first ranks, which most of them are.
    own: Vec<u32>,
    /// Counts of all tasks: the credits of the first ranks are added at the end, those of
    /// other ranks at once.
    shared: &'a [AtomicU64],
}

impl Debts<'_> {
    #[inline]
    fn owe(&mut self, v: u32, credit: u32) {
        match self.own.get_mut(v as usize) {
            Some(owed) => *owed += credit,
            None if credit > 0 => self.pay(v, u64::from(credit)),
            None => {}
        }
    }

    fn pay(&self, v: u32, credit: u64) {
        self.shared[v as usize].fetch_add(credit, Relaxed);
    }

    fn pay_off(&mut self, v: u32) {
        let owed = self.own.get_mut(v as usize).map_or(0, std::mem::take);
        if owed > 0 {
            self.pay(v, u64::from(owed));
        }
    }
}

/// Triangles that a v forms with u.
#[derive(Default)]
struct Found {
    triangles: u64,
    /// Triangles of which v and w are joined in both directions.
    for_u: u64,
    /// Triangles of which u and w are.
    for_v: u64,
}

/// Whether `v`'s bit is set, as a number.
#[inline]
fn bit(words: &[u64], v: u32) -> u64 {
    words[v as usize / 64] >> (v % 64) & 1
}

#[inline]
fn is_set(words: &[u64], v: u32) -> bool {
    bit(words, v) != 0
}

/// Sets `v`'s bit; false if it was set.
#[inline]
fn set(words: &mut [u64], v: u32) -> bool {
    let (word, bit) = (&mut words[v as usize / 64], 1 << (v % 64));
    let was_set = *word & bit != 0;
    *word |= bit;
    !was_set
}

/// Calls `visit` with each of `u`'s list.
fn read(
    reader: &mut impl NeighborReader,
    u: VertexId,
    unchecked: &mut usize,
    control: &Control,
    mut visit: impl FnMut(VertexId),
) -> Result<(), Cancelled> {
    let mut stopped = Ok(());
    let _ = reader.for_each_segment(u, |segment| {
        for piece in segment.chunks(CHECK_ENTRIES) {
            *unchecked += piece.len();
            if *unchecked > CHECK_ENTRIES {
                *unchecked = 0;
                stopped = control.check();
                if stopped.is_err() {
                    return ControlFlow::Break(());
                }
            }
            piece.iter().for_each(|&v| visit(v));
        }
        ControlFlow::Continue(())
    });
    stopped
}
