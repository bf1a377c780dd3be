//! Changes of entries that are committed and not merged, ordered, in DRAM.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry::{Occupied, Vacant};
use std::ops::Bound;

use evergraph_storage::Needed;

use super::entry::{AsEntry, EntryKey, EntryRef, Interval};

/// An entry came to be or ceased to be with a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) csn: u64,
    pub(super) present: bool,
}

/// The events of one entry, ascending.
#[derive(Clone, Debug)]
pub(super) enum Events {
    One(Event),
    Many(Vec<Event>),
}

impl Events {
    pub(super) fn as_slice(&self) -> &[Event] {
        match self {
            Events::One(event) => std::slice::from_ref(event),
            Events::Many(events) => events,
        }
    }

    /// Whether the entry is there as of `csn`, as far as these events say.
    pub(super) fn state_at(&self, csn: u64) -> Option<bool> {
        let events = self.as_slice();
        let known = events.partition_point(|event| event.csn <= csn);
        known.checked_sub(1).map(|last| events[last].present)
    }

    /// Adds a newer event. Of one commit, an insertion wins: two keys that were
    /// cut to the same may have been exchanged.
    fn push(&mut self, event: Event) {
        let events = self.as_slice();
        let last = events[events.len() - 1];
        debug_assert!(
            last.csn <= event.csn,
            "changes are recorded in the order of commits: {event:?} after {last:?}"
        );
        if last.present == event.present || (last.csn == event.csn && last.present) {
            return;
        }
        match self {
            Events::One(only) if only.csn == event.csn => *only = event,
            Events::One(only) => *self = Events::Many(vec![*only, event]),
            Events::Many(events) if last.csn == event.csn => {
                events.pop();
                events.push(event);
            }
            Events::Many(events) => events.push(event),
        }
    }
}

/// Ordered changes.
#[derive(Debug, Default)]
pub(super) struct Delta {
    entries: BTreeMap<EntryKey, Events>,
    bytes: usize,
}

impl Delta {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// DRAM, estimated.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn record(&mut self, entry: EntryRef<'_>, event: Event) {
        // Most entries are new.
        let bytes = EntryKey::bytes(entry) + size_of::<Events>();
        match self.entries.entry(EntryKey::new(entry)) {
            Occupied(mut known) => {
                known.get_mut().push(event);
                self.bytes += size_of::<Event>();
            }
            Vacant(free) => {
                free.insert(Events::One(event));
                self.bytes += bytes;
            }
        }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&EntryKey, &Events)> {
        self.entries.iter()
    }

    /// From `from` on, to `to` exclusively if there is one.
    pub(super) fn range(
        &self,
        from: EntryRef<'_>,
        to: Option<EntryRef<'_>>,
    ) -> impl DoubleEndedIterator<Item = (&EntryKey, &Events)> {
        range(&self.entries, from, to)
    }

    /// Puts older events in front of those here.
    pub(super) fn prepend(&mut self, older: impl IntoIterator<Item = (EntryKey, Vec<Event>)>) {
        for (entry, events) in older {
            let newer = self.entries.remove(&entry as &dyn AsEntry);
            let newer = newer.as_ref().map_or(&[][..], Events::as_slice);
            let mut all = events.into_iter().chain(newer.iter().copied());
            let Some(first) = all.next() else { continue };
            self.bytes += EntryKey::bytes(entry.parts()) + size_of::<Events>();
            let mut events = Events::One(first);
            all.for_each(|event| events.push(event));
            self.entries.insert(entry, events);
        }
    }

    /// The events after `csn`.
    pub(super) fn after(&self, csn: u64) -> Vec<(EntryKey, Vec<Event>)> {
        let newer = |(entry, events): (&EntryKey, &Events)| {
            let events = events.as_slice();
            let first = events.partition_point(|event| event.csn <= csn);
            (first < events.len()).then(|| (entry.clone(), events[first..].to_vec()))
        };
        self.entries.iter().filter_map(newer).collect()
    }

    /// Forgets events up to a commit.
    pub(super) fn forget_until(&mut self, csn: u64) {
        let newer = self.after(csn);
        *self = Delta::default();
        self.prepend(newer);
    }

    /// The events, for [`Delta::prepend`].
    pub(super) fn into_events(self) -> impl Iterator<Item = (EntryKey, Vec<Event>)> {
        let entries = self.entries.into_iter();
        entries.map(|(entry, events)| (entry, events.as_slice().to_vec()))
    }
}

/// Entries that were removed and merged, and that live views still see.
#[derive(Debug, Default)]
pub(super) struct Past {
    entries: BTreeMap<EntryKey, Vec<Interval>>,
    bytes: usize,
}

impl Past {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// DRAM, estimated.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn add(&mut self, entry: EntryKey, interval: Interval) {
        self.bytes += EntryKey::bytes(entry.parts()) + 2 * size_of::<Interval>();
        self.entries.entry(entry).or_default().push(interval);
    }

    /// From `from` on, to `to` exclusively if there is one.
    pub(super) fn range(
        &self,
        from: EntryRef<'_>,
        to: Option<EntryRef<'_>>,
    ) -> impl DoubleEndedIterator<Item = (&EntryKey, &Vec<Interval>)> {
        range(&self.entries, from, to)
    }

    /// Forgets events that no live view sees. `needed` has to be gathered now.
    pub(super) fn prune(&mut self, needed: &Needed) {
        let entries = std::mem::take(&mut self.entries);
        self.bytes = 0;
        for (entry, intervals) in entries {
            for interval in intervals {
                if needed.is_needed(interval.begin, interval.end) {
                    self.add(entry.clone(), interval);
                }
            }
        }
    }
}

fn range<'m, T>(
    entries: &'m BTreeMap<EntryKey, T>,
    from: EntryRef<'_>,
    to: Option<EntryRef<'_>>,
) -> impl DoubleEndedIterator<Item = (&'m EntryKey, &'m T)> + use<'m, T> {
    let is_empty = entries.is_empty() || to.is_some_and(|to| to <= from);
    let found = (!is_empty).then(|| {
        let upper = match &to {
            Some(to) => Bound::Excluded(to as &dyn AsEntry),
            None => Bound::Unbounded,
        };
        entries.range::<dyn AsEntry, _>((Bound::Included(&from as &dyn AsEntry), upper))
    });
    found.into_iter().flatten()
}
