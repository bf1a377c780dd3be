//! Ids that can be given to new records.
//!
//! An id is free when no commit that can still be read shows the record that it named: it
//! named one from commit `born` until `died`, and no view or named snapshot lies between.
//! Which ids those are is never stored. It follows from the chunks: a slot that is not
//! used says when it was. So no crash loses an id or gives one twice. At opening nothing
//! is read for it: chunks with room are looked through when ids are wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use evergraph_storage::failpoint;
use evergraph_storage::layout::WALKED_AT_MOST;
use evergraph_storage::{Needed, StorageError};
use parking_lot::Mutex;

/// Chunks, and ids that wait, that are looked through for one id, before a new one is
/// given.
const LOOKED_THROUGH: usize = 16;

/// All ids of a table are in use, or shown by a view or a named snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all {most} record ids are in use, or shown by a view or snapshot; drop old snapshots")]
pub struct NoIdsLeft {
    /// How many there are.
    pub most: u32,
}

/// Why no id was given.
#[derive(Debug, thiserror::Error)]
pub enum ReserveError {
    /// There is none.
    #[error(transparent)]
    NoIdsLeft(#[from] NoIdsLeft),
    /// A chunk cannot be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Commits that created and deleted the record of an id; both 0 if there was none.
pub(super) type Span = (u64, u64);
/// Ids that no record has, each with the span of its last record.
pub(super) type Unused = Vec<(u32, Span)>;

pub(super) struct Ids {
    most: u32,
    per_chunk: u32,
    state: Mutex<IdState>,
}

#[derive(Default)]
struct IdState {
    /// Ids from here on were never given.
    fresh: u32,
    /// Ids from here on never named anything.
    named: u32,
    /// Ids that can be given.
    free: BTreeSet<u32>,
    /// Ids of deleted records that may still be shown.
    waiting: BTreeMap<u32, Span>,
    /// From where `waiting` is looked at next.
    look_at: u32,
    /// Ids below this, as they were at the first reservation, are looked for in
    /// chunks...
    old_until: Option<u32>,
    /// ...of which those before this one were looked through.
    next_chunk: u32,
}

impl IdState {
    /// Panics in debug builds if an id could be given twice, as far as it is cheap to
    /// see.
    fn invariants(&self, most: u32) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.fresh <= most && self.old_until.is_none_or(|until| until <= most),
            "ids from {} on of {most} were never given",
            self.fresh
        );
        assert!(
            self.free.last().is_none_or(|&last| last < self.fresh),
            "id {:?} is free, though none from {} on was ever given",
            self.free.last(),
            self.fresh
        );
        let (small, large) = (self.free.len(), self.waiting.len());
        if small.min(large) <= WALKED_AT_MOST {
            let both = match small < large {
                true => self.free.iter().find(|id| self.waiting.contains_key(id)),
                false => self.waiting.keys().find(|id| self.free.contains(id)),
            };
            assert!(both.is_none(), "id {both:?} is free while a view shows it");
        }
    }

    /// Whether the id is accounted for here, not by its chunk.
    fn is_tracked(&self, id: u32, per_chunk: u32) -> bool {
        id / per_chunk < self.next_chunk || self.old_until.is_some_and(|until| id >= until)
    }
}

fn is_free(span: Span, needed: &Needed) -> bool {
    if failpoint!("ids.given-while-shown") {
        return true;
    }
    let (born, died) = span;
    // `needed` says nothing of commits newer than the watermark.
    died <= needed.watermark().unwrap_or(0) && !needed.is_needed(born, died)
}

impl Ids {
    pub(super) fn new(most: u32, per_chunk: u32) -> Self {
        Ids {
            most,
            per_chunk,
            state: Mutex::default(),
        }
    }

    /// Ids below this may be in use: those of stored chunks.
    pub(super) fn restore_until(&self, limit: u32) {
        let mut state = self.state.lock();
        state.fresh = state.fresh.max(limit.min(self.most));
        state.named = state.fresh;
    }

    /// A commit has created a record of the id.
    pub(super) fn created(&self, id: u32) {
        let mut state = self.state.lock();
        debug_assert!(id < self.most, "id {id} of {}", self.most);
        state.name_until(id + 1);
        // The id was given to another record in the commit that deleted the first.
        state.waiting.remove(&id);
    }

    /// A commit has deleted the record of the id.
    pub(super) fn deleted(&self, id: u32, span: Span) {
        let mut state = self.state.lock();
        debug_assert!(
            span.0 <= span.1,
            "id {id} was deleted before it was born: {span:?}"
        );
        if state.is_tracked(id, self.per_chunk) {
            state.waiting.insert(id, span);
        }
        state.invariants(self.most);
    }

    /// Ids one after another that were never given, `count` or more, up to the end of
    /// a chunk; fewer if there are no more.
    pub(super) fn reserve_chunks(
        &self,
        count: u32,
        unused: impl Fn(u32) -> Result<Unused, StorageError>,
    ) -> Result<Range<u32>, ReserveError> {
        let mut state = self.state.lock();
        self.begin(&mut state, &unused)?;
        let first = state.fresh;
        if first >= self.most {
            return Err(NoIdsLeft { most: self.most }.into());
        }
        let until = first.saturating_add(count.max(1));
        let until = until.checked_next_multiple_of(self.per_chunk);
        let until = until.map_or(self.most, |until| until.min(self.most));
        state.fresh = until;
        state.invariants(self.most);
        Ok(first..until)
    }

    /// The first id that was never given.
    pub(super) fn fresh(&self) -> u32 {
        self.state.lock().fresh
    }

    /// Ids that were reserved and are not used after all.
    pub(super) fn release(&self, unused: Range<u32>) {
        let mut state = self.state.lock();
        debug_assert!(
            state.free.range(unused.clone()).next().is_none(),
            "ids {unused:?} are given back twice"
        );
        match state.fresh == unused.end && unused.start >= state.named {
            true => state.fresh = unused.start.min(unused.end),
            false => state.free.extend(unused),
        }
        state.shrink();
        state.invariants(self.most);
    }

    /// A commit has created everything in the chunks up to an id.
    pub(super) fn created_until(&self, until: u32) {
        self.state.lock().name_until(until);
    }

    /// An id for a new record. `look_through` gives the unused ids of a chunk, if it
    /// has room.
    pub(super) fn reserve(
        &self,
        needed: impl FnOnce() -> Needed,
        look_through: impl Fn(u32) -> Result<Unused, StorageError>,
    ) -> Result<u32, ReserveError> {
        let mut state = self.state.lock();
        let old_until = self.begin(&mut state, &look_through)?;
        let chunks = old_until.div_ceil(self.per_chunk);
        if state.free.is_empty() && (!state.waiting.is_empty() || state.next_chunk < chunks) {
            let needed = needed();
            let at_once = match state.fresh < self.most {
                true => LOOKED_THROUGH,
                false => usize::MAX,
            };
            state.take_waiting(&needed, at_once);
            for _ in 0..at_once {
                if !state.free.is_empty() || state.next_chunk >= chunks {
                    break;
                }
                self.look_through(&mut state, old_until, &needed, &look_through)?;
            }
        }
        state.invariants(self.most);
        if let Some(id) = state.free.pop_first() {
            return Ok(id);
        }
        if state.fresh >= self.most {
            return Err(NoIdsLeft { most: self.most }.into());
        }
        state.fresh += 1;
        Ok(state.fresh - 1)
    }

    /// Before the first reservation, ids behind the last record are taken as never
    /// given, though stored chunks end behind them: which ids are given does not depend
    /// on how often the graph was opened. Returns the end of the old ids.
    fn begin(
        &self,
        state: &mut IdState,
        unused: &impl Fn(u32) -> Result<Unused, StorageError>,
    ) -> Result<u32, StorageError> {
        if let Some(until) = state.old_until {
            return Ok(until);
        }
        let until = *state.old_until.insert(state.fresh);
        let Some(last) = until.checked_sub(1) else {
            return Ok(until);
        };
        let unused = unused(last / self.per_chunk)?;
        let never = unused.iter().rev().skip_while(|(id, _)| *id >= until);
        let behind = never.zip((0..until).rev());
        let behind = behind.take_while(|((id, span), expected)| (id, *span) == (expected, (0, 0)));
        let until = until - behind.count() as u32;
        // A chunk without any record is left alone: it may have had some.
        if !until.is_multiple_of(self.per_chunk) {
            (state.fresh, state.named) = (until, until);
            state.old_until = Some(until);
        }
        Ok(state.fresh)
    }

    /// Takes in the unused ids of the next chunk. From then on they are tracked
    /// here.
    fn look_through(
        &self,
        state: &mut IdState,
        old_until: u32,
        needed: &Needed,
        unused: impl Fn(u32) -> Result<Unused, StorageError>,
    ) -> Result<(), StorageError> {
        // A chunk that cannot be read is told of once; its ids are not given.
        let chunk = state.next_chunk;
        state.next_chunk += 1;
        for (id, span) in unused(chunk)? {
            if id >= old_until {
                continue;
            }
            match is_free(span, needed) {
                true => drop(state.free.insert(id)),
                false => drop(state.waiting.insert(id, span)),
            }
        }
        Ok(())
    }
}

impl IdState {
    /// Ids below this name something, or did.
    fn name_until(&mut self, until: u32) {
        self.named = self.named.max(until);
        self.fresh = self.fresh.max(until);
    }

    /// The last ids that were given, and given back before they named anything, are as
    /// if they had never been given.
    fn shrink(&mut self) {
        while self.fresh > self.named && self.free.remove(&(self.fresh - 1)) {
            self.fresh -= 1;
        }
    }

    /// Frees some of those that waited and are not shown any more, in turn.
    fn take_waiting(&mut self, needed: &Needed, at_once: usize) {
        let from = self.look_at;
        let in_turn = self.waiting.range(from..).chain(self.waiting.range(..from));
        let some: Vec<(u32, Span)> = in_turn.take(at_once).map(|(id, s)| (*id, *s)).collect();
        self.look_at = some.last().map_or(0, |last| last.0.wrapping_add(1));
        for (id, span) in some {
            if is_free(span, needed) {
                self.waiting.remove(&id);
                self.free.insert(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_opening_ids_go_on_behind_the_last_record() {
        let never = |ids: Range<u32>| ids.map(|id| (id, (0, 0)));
        let last = |first: u32| {
            move |chunk| match chunk {
                1 => Ok([(9, (1, 2))].into_iter().chain(never(first..16)).collect()),
                other => panic!("chunk {other} is not the last"),
            }
        };
        for (behind, expected) in [(12, 12..16), (16, 16..24)] {
            let ids = Ids::new(64, 8);
            ids.restore_until(16);
            assert_eq!(ids.reserve_chunks(3, last(behind)).unwrap(), expected);
        }
        // Commits in the log are newer than the stored ones.
        let ids = Ids::new(64, 8);
        ids.restore_until(16);
        ids.created(16);
        let full = |_| Ok(Vec::new());
        assert_eq!(ids.reserve_chunks(1, full).unwrap(), 17..24);
    }

    #[test]
    fn ids_that_are_given_back_leave_no_gap() {
        let ids = Ids::new(64, 8);
        let none = |_| Ok(Vec::new());
        let one = || ids.reserve(Needed::default, none).unwrap();
        assert_eq!([one(), one(), one(), one()], [0, 1, 2, 3]);
        ids.created(1);
        [0..1, 2..4]
            .into_iter()
            .for_each(|unused| ids.release(unused));
        // Behind the last that names something.
        assert_eq!(ids.reserve_chunks(1, none).unwrap(), 2..8);
        assert_eq!(one(), 0);
        assert_eq!(one(), 8);
    }

    #[cfg(debug_assertions)]
    mod invariants {
        use super::super::{IdState, Ids};

        fn state() -> IdState {
            IdState {
                fresh: 10,
                free: [3].into(),
                waiting: [(4, (1, 2))].into(),
                ..IdState::default()
            }
        }

        #[test]
        #[should_panic(expected = "is free while a view shows it")]
        fn an_id_is_not_free_and_shown() {
            let mut state = state();
            state.free.insert(4);
            state.invariants(100);
        }

        #[test]
        #[should_panic(expected = "was ever given")]
        fn a_fresh_id_is_not_free() {
            let mut state = state();
            state.free.insert(10);
            state.invariants(100);
        }

        #[test]
        #[should_panic(expected = "were never given")]
        fn there_are_no_more_than_the_most() {
            state().invariants(9);
        }

        #[test]
        #[should_panic(expected = "are given back twice")]
        fn an_id_is_given_back_once() {
            let ids = Ids::new(100, 10);
            ids.restore_until(10);
            ids.release(3..4);
            ids.release(3..4);
        }
    }
}
