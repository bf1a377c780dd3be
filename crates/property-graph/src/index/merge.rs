//! Merging: committed changes go into the leaves, extent by extent, out of place.
//!
//! An entry that was removed stays in its leaf while a kept snapshot shows it,
//! and in DRAM while only live views do. Extents without a change are not
//! written again.

use std::cmp::Ordering;
use std::sync::Arc;

use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, StorageError};

use super::base::{Base, Fence, LeafPlace};
use super::delta::{Delta, Event, Events};
use super::entry::{EntryKey, EntryRef, Interval};
use super::extent::LeafExtent;
use super::geometry::Geometry;
use super::writer::{ExtentWriter, Target};

/// More intervals of one entry are joined: the entry is then found between them, too, and
/// refused by the record.
const MOST_CLOSED: usize = 2;

/// Output of a merge.
pub(super) struct Merged {
    pub(super) extents: Vec<(Fence, Arc<LeafExtent>)>,
    pub(super) flushed: Vec<Flushed<()>>,
    /// Entries that are merged, removed, and seen by live views.
    pub(super) past: Vec<(EntryKey, Interval)>,
}

impl Merged {
    /// Output without any change: the extents of the base.
    pub(super) fn unchanged(base: &Base) -> Self {
        let extents = base.extents.iter().enumerate();
        Merged {
            extents: extents
                .map(|(i, e)| (base.fence(i), Arc::clone(e)))
                .collect(),
            flushed: Vec::new(),
            past: Vec::new(),
        }
    }
}

/// Merges the changes up to `csn`. `None` if there is nothing to write.
pub(super) fn merge(
    base: &Base,
    changes: &Delta,
    csn: u64,
    needed: &Needed,
    target: Target<'_>,
    geometry: Geometry,
) -> Result<Option<Merged>, StorageError> {
    let dirty = dirty_extents(base, changes, csn, needed, geometry);
    if !dirty.contains(&true) {
        return Ok(None);
    }
    let mut merge = Merge {
        base,
        csn,
        needed,
        writer: ExtentWriter::new(target, geometry),
        past: Vec::new(),
    };
    let mut extent = 0;
    while extent < dirty.len() {
        if !dirty[extent] {
            let same = (base.fence(extent), Arc::clone(&base.extents[extent]));
            merge.writer.extents.push(same);
            extent += 1;
            continue;
        }
        let until = (extent..dirty.len()).find(|&i| !dirty[i]);
        let until = until.unwrap_or(dirty.len());
        merge.rewrite(changes, extent, until)?;
        extent = until;
    }
    Ok(Some(Merged {
        extents: merge.writer.extents,
        flushed: merge.writer.flushed,
        past: merge.past,
    }))
}

/// Extents that have to be written again; of an empty index, the one to be.
fn dirty_extents(
    base: &Base,
    changes: &Delta,
    csn: u64,
    needed: &Needed,
    geometry: Geometry,
) -> Vec<bool> {
    let mut dirty = vec![false; base.extents.len().max(1)];
    for (entry, events) in changes.iter() {
        if events.as_slice()[0].csn <= csn {
            dirty[base.find_extent(entry.parts())] = true;
        }
    }
    for (extent, dirty) in base.extents.iter().zip(&mut dirty) {
        let summary = &extent.summary;
        *dirty |= summary.closed > 0 && !needed.is_kept(summary.closed_from, summary.closed_until);
    }
    // Small extents are joined with a neighbor, so that many deletions do not leave
    // crumbs.
    let changed = dirty.clone();
    for (i, extent) in base.extents.iter().enumerate() {
        if changed[i] && extent.leaf_count() * 4 < geometry.leaves_per_extent {
            let neighbor = if i + 1 < dirty.len() {
                i + 1
            } else {
                i.saturating_sub(1)
            };
            dirty[neighbor] = true;
        }
    }
    dirty
}

/// Whether there is something to merge.
pub(super) fn is_due(base: &Base, changes: &Delta, needed: &Needed) -> bool {
    let is_obsolete = |extent: &Arc<LeafExtent>| {
        let summary = &extent.summary;
        summary.closed > 0 && !needed.is_kept(summary.closed_from, summary.closed_until)
    };
    !changes.is_empty() || base.extents.iter().any(is_obsolete)
}

struct Merge<'a> {
    base: &'a Base,
    csn: u64,
    needed: &'a Needed,
    writer: ExtentWriter<'a>,
    past: Vec<(EntryKey, Interval)>,
}

impl Merge<'_> {
    /// Writes the extents `from..until` again.
    fn rewrite(&mut self, changes: &Delta, from: usize, until: usize) -> Result<(), StorageError> {
        let fence = match from {
            0 => Fence::default(),
            _ => self.base.fence(from),
        };
        let end = (until < self.base.extents.len()).then(|| self.base.fence(until));
        let end = end.as_ref().map(|end| (&end.0[..], end.1));
        let csn = self.csn;
        let mut changes = changes
            .range((&fence.0, fence.1), end)
            .filter(|(_, events)| events.as_slice()[0].csn <= csn)
            .peekable();
        self.writer.begin(fence.clone());
        let mut old = OldEntries::new(self.base, from, until);
        let mut more = old.advance()?;
        loop {
            let order = match (more, changes.peek()) {
                (false, None) => break,
                (true, None) => Ordering::Less,
                (false, Some(_)) => Ordering::Greater,
                (true, Some((entry, _))) => old.entry().cmp(&entry.parts()),
            };
            let changed = match order {
                Ordering::Less => None,
                _ => changes.next(),
            };
            let events = changed.map_or(&[][..], |(_, events): (_, &Events)| events.as_slice());
            match (order, changed) {
                (Ordering::Greater, Some((entry, _))) => self.put(entry.parts(), &[], events)?,
                _ => self.put(old.entry(), &old.intervals, events)?,
            }
            if order != Ordering::Greater {
                more = old.advance()?;
            }
        }
        self.writer.end()
    }

    /// Writes the intervals of an entry that are still needed.
    fn put(
        &mut self,
        entry: EntryRef<'_>,
        stored: &[Interval],
        events: &[Event],
    ) -> Result<(), StorageError> {
        if events.is_empty() && *stored == [Interval::ALWAYS] {
            return self.writer.push(entry, stored);
        }
        let mut intervals: Vec<Interval> = Vec::with_capacity(stored.len() + 1);
        let mut open = None;
        for &interval in stored {
            match interval.is_closed() {
                true => self.keep(entry, interval, &mut intervals),
                false => open = Some(interval.begin),
            }
        }
        let csn = self.csn;
        for event in events.iter().filter(|event| event.csn <= csn) {
            match (open, event.present) {
                (None, true) => open = Some(event.csn),
                (Some(begin), false) => {
                    let end = event.csn;
                    self.keep(entry, Interval { begin, end }, &mut intervals);
                    open = None;
                }
                (Some(_), true) | (None, false) => {}
            }
        }
        while intervals.len() > MOST_CLOSED {
            let first = intervals.remove(0);
            intervals[0].begin = first.begin;
        }
        if let Some(begin) = open {
            // No kept snapshot can tell it from one that was always there.
            let is_always = !self.needed.is_kept(0, begin);
            intervals.push(Interval {
                begin: if is_always { 0 } else { begin },
                end: Interval::OPEN,
            });
        }
        match intervals.is_empty() {
            true => Ok(()),
            false => self.writer.push(entry, &intervals),
        }
    }

    /// Keeps a removed entry as long as a view or snapshot shows it.
    fn keep(&mut self, entry: EntryRef<'_>, interval: Interval, stored: &mut Vec<Interval>) {
        let Interval { begin, end } = interval;
        if self.needed.is_kept(begin, end) {
            stored.push(interval);
        } else if self.needed.is_watched(begin, end) {
            self.past.push((EntryKey::new(entry), interval));
        }
    }
}

/// The entries of some extents, one after another.
struct OldEntries<'a> {
    base: &'a Base,
    until: usize,
    place: Option<LeafPlace>,
    /// In the leaf.
    next: usize,
    key: Vec<u8>,
    id: u32,
    intervals: Vec<Interval>,
}

impl<'a> OldEntries<'a> {
    fn new(base: &'a Base, from: usize, until: usize) -> Self {
        let is_any = from < base.extents.len();
        OldEntries {
            base,
            until,
            place: is_any.then_some(LeafPlace {
                extent: from,
                leaf: 0,
            }),
            next: 0,
            key: Vec::new(),
            id: 0,
            intervals: Vec::new(),
        }
    }

    fn entry(&self) -> EntryRef<'_> {
        (&self.key, self.id)
    }

    /// Goes to the next entry, with all its intervals; says whether there is one.
    fn advance(&mut self) -> Result<bool, StorageError> {
        while let Some(place) = self.place.filter(|place| place.extent < self.until) {
            let extent = &self.base.extents[place.extent];
            if place.leaf == 0 && self.next == 0 {
                extent.prefetch();
            }
            // A page written anew gets a new checksum. Verifying it again keeps damage from
            // hiding behind that, also damage of memory.
            let leaf = match self.next {
                0 => extent.leaf_again(place.leaf)?,
                _ => extent.leaf(place.leaf)?,
            };
            if self.next == leaf.count() {
                (self.place, self.next) = (self.base.next(place), 0);
                continue;
            }
            let first = leaf.entry(self.next);
            self.key.clear();
            self.key.extend_from_slice(leaf.prefix());
            self.key.extend_from_slice(first.rest);
            self.id = first.id;
            self.intervals.clear();
            while self.next < leaf.count() {
                let entry = leaf.entry(self.next);
                if (entry.rest, entry.id) != (first.rest, first.id) {
                    break;
                }
                self.intervals.push(entry.interval);
                self.next += 1;
            }
            return Ok(true);
        }
        Ok(false)
    }
}
