//! A section's append buffer: what was committed to it and no reader has asked for yet,
//! in commit order.
//!
//! A commit only appends to the append buffers of the sections that it touches. The first
//! reader of a section sorts its append buffer into the vertex buffers; a merge takes it
//! as it is. So each entry is indexed at most once, and ingestion without readers pays
//! for no index at all.

use std::sync::Arc;

use evergraph_storage::Needed;
use evergraph_storage::layout::WALKED_AT_MOST;

use super::pool::{BufferPool, MIN_PIECE_WORDS, Piece};

/// Largest piece: 64 KiB. Each is twice as long as the one before.
const MAX_PIECE_WORDS: usize = 16 << 10;

/// End of a group of commits in an append buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupEnd {
    /// The commit.
    pub csn: u64,
    /// Entries of the append buffer up to and with it, counted since the section exists.
    end: u64,
}

/// Entries `(list, word)`, with weights `(list, word, weight)`, in commit order.
#[derive(Debug)]
pub(crate) struct AppendBuffer {
    stride: usize,
    pieces: Vec<Piece>,
    /// Entries dropped from the first piece.
    skip: usize,
    /// Words filled in the last piece.
    filled: usize,
    /// Entries ever dropped.
    start: u64,
    /// Entries ever appended.
    end: u64,
    group_ends: Vec<GroupEnd>,
}

impl AppendBuffer {
    /// An empty append buffer; `columns` is 2 with weights, else 1.
    pub(crate) fn new(columns: usize) -> Self {
        AppendBuffer {
            stride: 1 + columns,
            pieces: Vec::new(),
            skip: 0,
            filled: 0,
            start: 0,
            end: 0,
            group_ends: Vec::new(),
        }
    }

    /// Words of an entry.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// The oldest commit that has entries here, or one after it that no reader can tell
    /// apart from it.
    pub(crate) fn first_group_end(&self) -> Option<GroupEnd> {
        self.group_ends.first().copied()
    }

    /// Entries up to and with a commit.
    pub(crate) fn len_at(&self, csn: u64) -> usize {
        let group_ends = self.group_ends.partition_point(|end| end.csn <= csn);
        match group_ends.checked_sub(1) {
            Some(last) => (self.group_ends[last].end - self.start) as usize,
            None => 0,
        }
    }

    /// Commits up to `csn` where entries of the append buffer end, with the number of
    /// entries up to there.
    pub(crate) fn group_ends_until(&self, csn: u64) -> impl Iterator<Item = (u64, usize)> + '_ {
        let group_ends = self.group_ends.iter().take_while(move |end| end.csn <= csn);
        group_ends.map(|end| (end.csn, (end.end - self.start) as usize))
    }

    /// Appends the entries of commit `csn`, packed as `vertex << 32 | word`,
    /// list 0 being that of `first_vertex`, with their weights in the low halves
    /// of `extras` if the graph has weights. Commits that no CSN in `needed`
    /// tells apart are joined.
    pub(crate) fn append(
        &mut self,
        pool: &Arc<BufferPool>,
        csn: u64,
        needed: &Needed,
        first_vertex: u32,
        arcs: &[u64],
        extras: &[u64],
    ) {
        debug_assert!(
            self.group_ends.last().is_none_or(|last| last.csn <= csn),
            "commits are applied in the order of the log: {csn} after {:?}",
            self.group_ends.last()
        );
        debug_assert!(self.stride == 2 || extras.len() == arcs.len());
        let mut done = 0;
        while done < arcs.len() {
            let Some(last) = self.pieces.last_mut() else {
                self.add_piece(pool, arcs.len());
                continue;
            };
            let room = (last.words().len() - self.filled) / self.stride;
            let count = room.min(arcs.len() - done);
            if count == 0 {
                self.add_piece(pool, arcs.len() - done);
                continue;
            }
            let words = count * self.stride;
            let into = &mut last.words_mut()[self.filled..self.filled + words];
            let from = &arcs[done..done + count];
            if self.stride == 2 {
                for (entry, &arc) in into.chunks_exact_mut(2).zip(from) {
                    entry[0] = (arc >> 32) as u32 - first_vertex;
                    entry[1] = arc as u32;
                }
            } else {
                let extras = &extras[done..done + count];
                let entries = into.chunks_exact_mut(3).zip(from).zip(extras);
                for ((entry, &arc), &extra) in entries {
                    entry[0] = (arc >> 32) as u32 - first_vertex;
                    entry[1] = arc as u32;
                    entry[2] = extra as u32;
                }
            }
            self.filled += words;
            done += count;
        }
        self.end += arcs.len() as u64;
        self.end_group(csn, needed);
        self.invariants();
    }

    /// Panics in debug builds if group ends and pieces do not say the same, as far as it
    /// is cheap to see.
    fn invariants(&self) {
        let is_small = self.group_ends.len() + self.pieces.len() <= WALKED_AT_MOST;
        if !cfg!(debug_assertions) || !is_small {
            return;
        }
        assert!(
            self.group_ends
                .is_sorted_by(|a, b| a.csn < b.csn && a.end <= b.end),
            "commits in an append buffer follow one another: {:?}",
            self.group_ends
        );
        let (first, last) = (self.group_ends.first(), self.group_ends.last());
        assert!(
            first.is_none_or(|first| self.start <= first.end)
                && last.map_or(self.start, |last| last.end) == self.end,
            "group ends {:?} do not reach from {} to {}",
            self.group_ends,
            self.start,
            self.end
        );
        let held = match self.pieces.split_last() {
            None => 0,
            Some((last, full)) => {
                assert!(self.filled <= last.words().len());
                let full = full.iter().map(|piece| piece.words().len() / self.stride);
                full.sum::<usize>() + self.filled / self.stride
            }
        };
        assert_eq!(
            held,
            self.skip + self.len(),
            "pieces hold what is dropped of the first, and the rest"
        );
    }

    fn end_group(&mut self, csn: u64, needed: &Needed) {
        // The newest group end before this one may be asked for: the watermark is
        // there until this commit is published. The one before it may only if a
        // view is there.
        if let [.., older, newer] = &self.group_ends[..]
            && !needed.is_needed(older.csn, newer.csn)
        {
            let newer = *newer;
            self.group_ends.pop();
            *self.group_ends.last_mut().expect("two group ends") = newer;
        }
        match self.group_ends.last_mut() {
            Some(last) if last.csn == csn => last.end = self.end,
            _ => self.group_ends.push(GroupEnd { csn, end: self.end }),
        }
    }

    fn add_piece(&mut self, pool: &Arc<BufferPool>, entries: usize) {
        let doubled = self.pieces.last().map_or(0, |last| 2 * last.words().len());
        let wanted = (entries * self.stride).max(doubled);
        let words = wanted.clamp(MIN_PIECE_WORDS, MAX_PIECE_WORDS);
        self.pieces.push(pool.take(words));
        self.filled = 0;
    }

    /// Calls `visit` with slices of whole entries, the first `count` of them.
    pub(crate) fn for_each_slice(&self, count: usize, mut visit: impl FnMut(&[u32])) {
        let mut left = count;
        let mut skip = self.skip;
        for (i, piece) in self.pieces.iter().enumerate() {
            let words = if i + 1 == self.pieces.len() {
                self.filled
            } else {
                piece.words().len() / self.stride * self.stride
            };
            let entries = (words / self.stride - skip).min(left);
            let first = skip * self.stride;
            visit(&piece.words()[first..first + entries * self.stride]);
            left -= entries;
            skip = 0;
            if left == 0 {
                return;
            }
        }
        assert_eq!(left, 0, "an append buffer holds what its group ends count");
    }

    /// Drops the entries up to and with commit `csn`.
    pub(crate) fn drop_until(&mut self, csn: u64) {
        let mut left = self.len_at(csn);
        self.start += left as u64;
        self.group_ends.retain(|end| end.csn > csn);
        if self.is_empty() {
            self.pieces = Vec::new();
            (self.skip, self.filled) = (0, 0);
            self.invariants();
            return;
        }
        let mut whole = 0;
        for piece in &self.pieces[..self.pieces.len() - 1] {
            let entries = piece.words().len() / self.stride - self.skip;
            if entries > left {
                break;
            }
            left -= entries;
            self.skip = 0;
            whole += 1;
        }
        self.pieces.drain(..whole);
        self.skip += left;
        self.invariants();
    }

    /// DRAM beyond the pool's pieces.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<Piece>()
            + self.group_ends.capacity() * size_of::<GroupEnd>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content(appended: &AppendBuffer, count: usize) -> Vec<(u32, u32, u32)> {
        let mut all = Vec::new();
        appended.for_each_slice(count, |words| {
            for entry in words.chunks_exact(appended.stride()) {
                all.push((entry[0], entry[1], entry.get(2).copied().unwrap_or(0)));
            }
        });
        all
    }

    proptest! {
        /// Against a vector of commits; `needed` names one commit that a view
        /// holds, which must stay apart from those after it.
        #[test]
        fn append_buffer_is_its_commits_in_order(
            commits in proptest::collection::vec((0usize..200, 0u8..4), 1..40),
            held in 0u64..40,
            columns in 1usize..=2,
        ) {
            let pool = BufferPool::new();
            let mut appended = AppendBuffer::new(columns);
            let mut model: Vec<(u64, (u32, u32, u32))> = Vec::new();
            let mut next = 0u32;
            for (i, (count, dropping)) in commits.into_iter().enumerate() {
                let csn = 1 + i as u64;
                let entries: Vec<(u32, u32, u32)> = (0..count).map(|_| {
                    next += 1;
                    (next % 7, next, if columns == 2 { next + 9 } else { 0 })
                }).collect();
                let arcs: Vec<u64> = entries.iter().map(|e| u64::from(e.0 + 5) << 32 | u64::from(e.1)).collect();
                let extras: Vec<u64> = entries.iter().map(|e| u64::from(e.2)).collect();
                let needed = Needed::new(vec![csn - 1], Arc::new(vec![held]));
                if count > 0 {
                    appended.append(&pool, csn, &needed, 5, &arcs, &extras);
                }
                model.extend(entries.into_iter().map(|e| (csn, e)));
                prop_assert_eq!(appended.len(), model.len());
                for asked in [held.min(csn), csn - 1, csn] {
                    if appended.first_group_end().is_none_or(|end| asked < end.csn && model.iter().any(|e| e.0 <= asked)) {
                        continue;
                    }
                    let expected: Vec<_> = model.iter().filter(|e| e.0 <= asked).map(|e| e.1).collect();
                    prop_assert_eq!(appended.len_at(asked), expected.len());
                    prop_assert_eq!(content(&appended, expected.len()), expected);
                }
                if dropping == 0 {
                    appended.drop_until(csn - 1);
                    model.retain(|e| e.0 > csn - 1);
                }
            }
            appended.drop_until(u64::MAX);
            prop_assert!(appended.is_empty());
            prop_assert_eq!(pool.used_bytes(), 0);
        }
    }

    fn appended() -> AppendBuffer {
        let mut appended = AppendBuffer::new(1);
        for csn in 1..=3 {
            let needed = Needed::new(vec![csn - 1], Arc::new(vec![1, 2]));
            appended.append(&BufferPool::new(), csn, &needed, 0, &[1, 2], &[]);
        }
        appended
    }

    #[test]
    #[should_panic(expected = "follow one another")]
    fn group_ends_ascend() {
        let mut appended = appended();
        appended.group_ends.swap(0, 1);
        appended.invariants();
    }

    #[test]
    #[should_panic(expected = "do not reach")]
    fn group_ends_count_all_entries() {
        let mut appended = appended();
        appended.group_ends.pop();
        appended.invariants();
    }

    #[test]
    #[should_panic(expected = "pieces hold")]
    fn pieces_hold_all_entries() {
        let mut appended = appended();
        appended.filled -= appended.stride;
        appended.invariants();
    }

    #[test]
    #[should_panic(expected = "in the order of the log")]
    fn an_older_commit_is_not_appended() {
        let needed = Needed::default();
        appended().append(&BufferPool::new(), 2, &needed, 0, &[1], &[]);
    }
}
