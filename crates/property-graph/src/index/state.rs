//! State of an index: its base, and the changes since.

use std::sync::Arc;

use evergraph_storage::Needed;
use evergraph_storage::failpoint;

use super::base::Base;
use super::delta::{Delta, Event, Past};
use super::entry::{EntryKey, EntryRef, Interval};
use super::{IndexError, IndexUsage};

#[derive(Debug, Default)]
pub(super) struct State {
    /// Base that readers use.
    pub(super) base: Option<Arc<Base>>,
    /// Base that the durable superblock names.
    pub(super) named: Option<Arc<Base>>,
    /// Whether the directory names something, sound or not.
    pub(super) is_named: bool,
    /// Changes that came after the frozen ones.
    recent: Delta,
    /// Changes that are being merged.
    frozen: Option<Arc<Delta>>,
    past: Past,
    /// The oldest commit that the named part does not hold.
    unmerged_since: Option<u64>,
    /// The oldest that came since the freezing.
    arrived_since: Option<u64>,
    /// A round of checkpoint that is written and neither published nor abandoned.
    pub(super) pending: Option<Pending>,
    /// Base that was built during a round.
    built: Option<Arc<Base>>,
    /// Why there is no content, if there was some.
    pub(super) lost: Lost,
}

/// Whether content was given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lost {
    /// It was not.
    #[default]
    Nothing,
    /// It was damaged, and is to be built again.
    Damaged,
    /// The index was dropped; a base that is still being built is not wanted either.
    Dropped,
}

/// Output of a round of a checkpoint.
#[derive(Debug)]
pub(super) struct Pending {
    /// Base that the superblock is to name.
    pub(super) base: Option<Arc<Base>>,
    /// Whether readers switch to it; else the named base is older than theirs, or there
    /// is none.
    pub(super) is_merged: bool,
    /// Entries that it holds no more, and that live views see.
    pub(super) past: Vec<(EntryKey, Interval)>,
    /// Frozen changes that are newer than it.
    pub(super) newer: Vec<(EntryKey, Vec<Event>)>,
}

/// Whether one view sees an entry that changed.
pub(super) type Verdict = (EntryKey, bool);

/// Changed entries of a range, ascending.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    pub(super) verdicts: Vec<Verdict>,
    /// They are complete only before this entry; of those that were taken from the end,
    /// only behind it.
    pub(super) cut: Option<EntryKey>,
}

impl State {
    /// Panics in debug builds if the parts contradict each other.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert!(
            self.is_named || self.named.is_none(),
            "the directory names what it does not name"
        );
        assert!(
            self.arrived_since.is_none() || self.unmerged_since <= self.arrived_since,
            "changes since commit {:?}, of which those since {:?} came last",
            self.unmerged_since,
            self.arrived_since
        );
        assert!(
            self.past.is_empty() || self.base.is_some(),
            "removed entries of a merged part that is not there"
        );
        assert!(
            self.built.is_none() || self.pending.is_some() || self.frozen.is_some(),
            "what was built waits for a round that is over"
        );
    }

    pub(super) fn is_built(&self) -> bool {
        self.base.is_some()
    }

    /// Base that answers as of a commit.
    pub(super) fn readable(&self, csn: u64) -> Result<&Arc<Base>, IndexError> {
        let base = self.base.as_ref().ok_or(IndexError::NotBuilt)?;
        match base.since <= csn {
            true => Ok(base),
            false => Err(IndexError::NotSince {
                csn,
                since: base.since,
            }),
        }
    }

    pub(super) fn record(&mut self, csn: u64, entry: EntryRef<'_>, present: bool) {
        let is_merged = self.base.as_ref().is_some_and(|base| csn <= base.csn);
        if is_merged || self.lost == Lost::Dropped {
            return;
        }
        self.unmerged_since.get_or_insert(csn);
        self.arrived_since.get_or_insert(csn);
        self.recent.record(entry, Event { csn, present });
    }

    pub(super) fn unmerged_since(&self) -> Option<u64> {
        // A base that no superblock names is built again from the records, so it does not
        // hold the log back.
        self.unmerged_since.filter(|_| self.named.is_some())
    }

    /// DRAM that a merge frees; changes that wait for a build are not counted.
    pub(super) fn unmerged_bytes(&self) -> usize {
        if self.base.is_none() {
            return 0;
        }
        self.recent.bytes() + self.frozen.as_ref().map_or(0, |frozen| frozen.bytes())
    }

    pub(super) fn usage(&self) -> IndexUsage {
        let base = self.base.as_deref();
        IndexUsage {
            entries: base.map_or(0, Base::entries),
            removed: base.map_or(0, Base::closed),
            stored_bytes: base.map_or(0, Base::stored_bytes),
            page_bytes: base.map_or(0, Base::dram_bytes),
            unmerged_bytes: self.recent.bytes() + self.frozen.as_ref().map_or(0, |f| f.bytes()),
            watched_bytes: self.past.bytes(),
        }
    }

    pub(super) fn restored(&mut self, base: Base) {
        debug_assert!(self.base.is_none() && self.named.is_none());
        let base = Arc::new(base);
        self.named = Some(Arc::clone(&base));
        self.base = Some(base);
    }

    pub(super) fn clear(&mut self) {
        self.lose();
        self.recent = Delta::default();
    }

    /// As [`State::clear`], but changes go on being kept, for a build: of those that
    /// are applied, some are not visible yet to the view that it reads.
    pub(super) fn damaged(&mut self) {
        self.lose();
        if self.lost == Lost::Nothing {
            self.lost = Lost::Damaged;
        }
    }

    fn lose(&mut self) {
        self.base = None;
        self.built = None;
        self.past = Past::default();
    }

    /// Without content, changes are kept for a build that may be going on: it is as of a
    /// live view, so it holds all that is older than the oldest of them.
    pub(super) fn forget_unwatched(&mut self, needed: &Needed) {
        let watermark = needed.watermark().unwrap_or(0);
        let mut oldest = watermark;
        while let Some(csn) = needed.last_watched_before(oldest) {
            oldest = csn;
        }
        if self.built.is_none() && !self.recent.is_empty() {
            self.recent.forget_until(oldest);
        }
    }

    /// Whether no changed entry has to be looked for.
    pub(super) fn is_merged(&self) -> bool {
        self.recent.is_empty() && self.frozen.is_none() && self.past.is_empty()
    }

    /// Changed entries of a range as a view at `csn` sees them, at most about `most`.
    pub(super) fn overlay(
        &self,
        csn: u64,
        from: EntryRef<'_>,
        to: Option<EntryRef<'_>>,
        most: usize,
    ) -> Overlay {
        self.overlay_in(csn, from, to, (most, false))
    }

    /// As [`State::overlay`], at most about `most` from the end of the range.
    pub(super) fn overlay_from_end(
        &self,
        csn: u64,
        from: EntryRef<'_>,
        to: Option<EntryRef<'_>>,
        most: usize,
    ) -> Overlay {
        self.overlay_in(csn, from, to, (most, true))
    }

    fn overlay_in(
        &self,
        csn: u64,
        from: EntryRef<'_>,
        to: Option<EntryRef<'_>>,
        most: (usize, bool),
    ) -> Overlay {
        let mut overlay = Overlay::default();
        if self.is_merged() {
            return overlay;
        }
        // Later ones win: of the same entry they are newer.
        let past = self.past.range(from, to).map(|(entry, intervals)| {
            let is_seen = intervals.iter().any(|interval| interval.contains(csn));
            (entry, is_seen.then_some(true))
        });
        overlay.extend(past, most);
        let deltas = self.frozen.as_deref().into_iter().chain([&self.recent]);
        for delta in deltas {
            let changes = delta.range(from, to);
            let states = changes.map(|(entry, events)| (entry, events.state_at(csn)));
            overlay.extend(states, most);
        }
        overlay.sort(most.1);
        overlay
    }

    /// Takes the changes for a merge into the base up to `csn`.
    pub(super) fn freeze(&mut self) -> Arc<Delta> {
        debug_assert!(
            self.frozen.is_none() && self.pending.is_none(),
            "one round of checkpoint at a time"
        );
        let frozen = Arc::new(std::mem::take(&mut self.recent));
        if !failpoint!("index.delta-dropped-first") {
            self.frozen = Some(Arc::clone(&frozen));
        }
        self.arrived_since = None;
        frozen
    }

    /// Undoes [`State::freeze`].
    pub(super) fn thaw(&mut self) {
        let Some(frozen) = self.frozen.take() else {
            return;
        };
        let older: Vec<_> = match Arc::try_unwrap(frozen) {
            Ok(frozen) => frozen.into_events().collect(),
            Err(shared) => shared.after(0),
        };
        self.recent.prepend(older);
        self.invariants();
    }

    /// The round's superblock is durable. Returns values to be dropped outside the lock.
    pub(super) fn published(&mut self, needed: &dyn Fn() -> Needed) -> impl Sized + use<> {
        if !self.past.is_empty() {
            self.past.prune(&needed());
        }
        let pending = self.pending.take()?;
        let before = std::mem::replace(&mut self.named, pending.base.clone());
        self.is_named = self.named.is_some();
        retire(before.as_deref(), self.named.as_deref());
        let mut frozen = None;
        if pending.is_merged {
            let oldest = pending.newer.iter().map(|(_, events)| events[0].csn).min();
            let arrived = self.arrived_since;
            self.unmerged_since = oldest.into_iter().chain(arrived).min();
            if self.lost != Lost::Dropped {
                self.recent.prepend(pending.newer);
            }
            // It may have been cleared meanwhile.
            if self.base.is_some() {
                self.base = pending.base;
                for (entry, interval) in pending.past {
                    self.past.add(entry, interval);
                }
                self.past.prune(&needed());
            }
            frozen = self.frozen.take();
        } else if self.named.is_none() {
            self.unmerged_since = None;
        }
        self.install();
        self.invariants();
        Some((before, frozen))
    }

    /// No superblock names the round's extents.
    pub(super) fn abandoned(&mut self) {
        self.pending = None;
        self.thaw();
        self.install();
        self.invariants();
    }

    /// Readers switch to the built base, as soon as no round of checkpoint goes on.
    pub(super) fn built(&mut self, base: Base) {
        if self.lost == Lost::Dropped {
            return;
        }
        self.built = Some(Arc::new(base));
        self.install();
    }

    fn install(&mut self) {
        if self.pending.is_some() || self.frozen.is_some() {
            return;
        }
        let Some(built) = self.built.take() else {
            return;
        };
        self.recent.forget_until(built.csn);
        self.past = Past::default();
        self.base = Some(built);
        self.lost = Lost::Nothing;
    }
}

/// Returns extents that no superblock names any more; they can be reused when their last
/// reader lets go.
fn retire(before: Option<&Base>, now: Option<&Base>) {
    let Some(before) = before else { return };
    let mut kept: Vec<*const _> = Vec::new();
    kept.extend(now.iter().flat_map(|base| &base.extents).map(Arc::as_ptr));
    kept.sort_unstable();
    for extent in &before.extents {
        if kept.binary_search(&Arc::as_ptr(extent)).is_err()
            && let Some(extent) = extent.extent()
        {
            extent.retire();
        }
    }
    if let Some(manifest) = &before.manifest {
        manifest.extent.retire();
    }
}

impl Overlay {
    /// Adds the first states, or the last.
    fn extend<'e>(
        &mut self,
        mut states: impl DoubleEndedIterator<Item = (&'e EntryKey, Option<bool>)>,
        (most, is_from_end): (usize, bool),
    ) {
        for seen in 0.. {
            let next = match is_from_end {
                false => states.next(),
                true => states.next_back(),
            };
            let Some((entry, state)) = next else { return };
            if seen == most {
                let is_nearer = |cut: &EntryKey| (entry < cut) != is_from_end;
                if self.cut.as_ref().is_none_or(is_nearer) {
                    self.cut = Some(entry.clone());
                }
                return;
            }
            if let Some(present) = state {
                self.verdicts.push((entry.clone(), present));
            }
        }
    }

    /// Orders them; of the same entry the last holds.
    fn sort(&mut self, is_from_end: bool) {
        self.verdicts.sort_by(|a, b| a.0.cmp(&b.0));
        self.verdicts.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 = later.1;
            }
            is_same
        });
        if let Some(cut) = &self.cut {
            self.verdicts
                .retain(|(entry, _)| entry != cut && (entry < cut) != is_from_end);
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Base, Interval, State};
    use crate::index::entry::EntryKey;
    use crate::index::extent::Inner;

    fn state() -> State {
        let mut state = State::default();
        state.restored(Base::new(Vec::new(), 5, 3, Inner::Dram));
        state.is_named = true;
        state.record(7, (b"a", 1), true);
        state.invariants();
        state
    }

    #[test]
    #[should_panic(expected = "came last")]
    fn what_came_last_is_not_the_oldest() {
        let mut state = state();
        state.arrived_since = Some(6);
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "that is not there")]
    fn removed_entries_are_those_of_a_merged_part() {
        let mut state = state();
        state.past.add(EntryKey::new((b"a", 1)), Interval::ALWAYS);
        state.base = None;
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "names what it does not name")]
    fn what_is_named_is_in_the_directory() {
        let mut state = state();
        state.is_named = false;
        state.invariants();
    }

    #[test]
    #[should_panic(expected = "one round of checkpoint at a time")]
    fn rounds_follow_one_another() {
        let mut state = state();
        state.freeze();
        state.freeze();
    }

    #[test]
    #[should_panic(expected = "merged up to 2")]
    fn a_merged_part_is_not_visible_before_it_is_merged() {
        Base::new(Vec::new(), 2, 3, Inner::Dram);
    }
}
