//! Which parts of a region's file are free.

use std::collections::BTreeMap;

use crate::layout::WALKED_AT_MOST;

/// Free space by offset. Adjacent ranges are always merged.
#[derive(Default)]
pub(super) struct Space {
    pub free: BTreeMap<u64, u64>,
    pub end: u64,
    /// Bytes handed out and not freed.
    pub used: u64,
    /// Bytes at the end that are kept for those who borrow them.
    pub reserve: u64,
    /// Number of callers that may use the reserve now.
    pub borrowers: usize,
    /// Ranges that readers of other processes may still read. They count as used.
    pub waiting: Vec<Waiting>,
}

/// A range that no root names any more, and an older one may name.
pub(super) struct Waiting {
    pub offset: u64,
    pub len: u64,
    /// This root and later ones do not name it; not known until the next publication.
    pub since: Option<u64>,
}

impl Space {
    /// First free range that is large enough: low offsets fill first, so that
    /// the end of the file drains and can be given back.
    pub(super) fn take(&mut self, len: u64) -> Option<u64> {
        let limit = self.end.saturating_sub(self.reserve);
        let mut ranges = self.free.iter();
        let fits = |&(&at, &free): &(&u64, &u64)| free >= len && at + len <= limit;
        let (&offset, &available) = ranges.find(fits)?;
        self.take_at(offset, (offset, available), len);
        Some(offset)
    }

    /// As [`Space::take`], if the reserve is whole or lent.
    pub(super) fn take_beside_reserve(&mut self, len: u64) -> Option<u64> {
        let is_whole = self.free_at_end() >= self.reserve;
        match is_whole || self.borrowers > 0 {
            true => self.take(len),
            false => None,
        }
    }

    /// From the reserve, whose bytes are the ones that no trim gives back.
    pub(super) fn take_reserve(&mut self, len: u64) -> Option<u64> {
        let (&at, &available) = self.free.last_key_value()?;
        let offset = at.max(self.end.saturating_sub(self.reserve));
        if offset + len > at + available {
            return None;
        }
        self.take_at(offset, (at, available), len);
        Some(offset)
    }

    /// Takes `len` bytes at `offset` out of a free range.
    fn take_at(&mut self, offset: u64, (at, available): (u64, u64), len: u64) {
        self.free.remove(&at);
        let end = offset + len;
        for (from, to) in [(at, offset), (end, at + available)] {
            if from < to {
                self.free.insert(from, to - from);
            }
        }
        self.used += len;
        self.invariants();
    }

    pub(super) fn give(&mut self, mut offset: u64, mut len: u64) {
        debug_assert!(len <= self.used, "more is given back than was taken");
        self.used -= len;
        self.add_free(&mut offset, &mut len);
        self.invariants();
    }

    /// Gives back what no reader reads, where the oldest root that one has is known.
    pub(super) fn give_unread(&mut self, oldest_read: Option<u64>) {
        let is_read = |waiting: &Waiting| {
            oldest_read.is_some_and(|oldest| waiting.since.is_none_or(|since| oldest < since))
        };
        let (kept, free) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(is_read);
        self.waiting = kept;
        for Waiting { offset, len, .. } in free {
            self.give(offset, len);
        }
    }

    pub(super) fn add_free(&mut self, offset: &mut u64, len: &mut u64) {
        debug_assert!(
            !self.overlaps(*offset, *len),
            "{len} bytes at {offset} are free already: two extents had the same space"
        );
        if let Some((&before, &before_len)) = self.free.range(..*offset).next_back()
            && before + before_len == *offset
        {
            self.free.remove(&before);
            *offset = before;
            *len += before_len;
        }
        if let Some(&after_len) = self.free.get(&(*offset + *len)) {
            self.free.remove(&(*offset + *len));
            *len += after_len;
        }
        self.free.insert(*offset, *len);
    }

    /// Free bytes at the end of the file.
    pub(super) fn free_at_end(&self) -> u64 {
        let last = self.free.last_key_value();
        last.map_or(0, |(&at, &len)| if at + len == self.end { len } else { 0 })
    }

    /// Whether a range in `free` has bytes of this one.
    pub(super) fn overlaps(&self, offset: u64, len: u64) -> bool {
        let before = self.free.range(..offset + len).next_back();
        before.is_some_and(|(&other, &other_len)| other + other_len > offset)
    }

    /// Panics in debug builds if free space contradicts itself, as far as it is
    /// cheap to see.
    pub(super) fn invariants(&self) {
        if cfg!(debug_assertions) && self.free.len() <= WALKED_AT_MOST {
            self.walk();
        }
    }

    /// Panics if free space contradicts itself.
    pub(super) fn walk(&self) {
        let mut free = 0;
        let mut position = None;
        for (&offset, &len) in &self.free {
            assert!(len > 0, "an empty range at {offset}");
            assert!(
                position.is_none_or(|end| end < offset),
                "the range at {offset} overlaps the one before or should be one with it"
            );
            free += len;
            position = Some(offset + len);
        }
        assert!(
            position.is_none_or(|end| end <= self.end),
            "free space ends at {position:?}, the file at {}",
            self.end
        );
        assert_eq!(
            self.used + free,
            self.end,
            "used and free bytes make up the file"
        );
    }
}
