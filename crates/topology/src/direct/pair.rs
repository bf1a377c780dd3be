//! One edge in two lists, as one commit.

use std::sync::atomic::Ordering;

use evergraph_storage::{Medium, StorageError};
use parking_lot::MutexGuard;

use super::format::{DirectEntry, DirectState};
use super::intents::{Intent, IntentSlot};
use super::section::DirectInsert;
use crate::entry::is_tombstone;
use crate::section::resources::Resources;
use crate::section::{Inner, Loaded, Section};

/// One of the two entries of an edge, and where it goes.
pub(crate) struct Half<'a, M: ?Sized> {
    /// The list's section.
    pub section: &'a Section,
    /// Arguments of an insertion there.
    pub at: DirectInsert<'a, M>,
    /// The entry.
    pub entry: DirectEntry,
}

/// Both sections of an edge, locked.
pub(crate) struct Pair<'a, M: ?Sized> {
    halves: [Half<'a, M>; 2],
    locked: Locked<'a>,
}

/// One section or two.
struct Locked<'a> {
    guards: [Option<MutexGuard<'a, Inner>>; 2],
    /// Index of the second half's section among them.
    second: usize,
}

impl<'a> Locked<'a> {
    /// Locks in ascending order, so that no two writers wait for each other.
    fn new<M: ?Sized>([first, second]: &[Half<'a, M>; 2]) -> Self {
        if std::ptr::eq(first.section, second.section) {
            return Locked {
                guards: [Some(first.section.state.lock()), None],
                second: 0,
            };
        }
        let key = |half: &Half<'a, M>| (half.at.adjacency, half.at.number);
        let (a, b);
        if key(first) < key(second) {
            a = first.section.state.lock();
            b = second.section.state.lock();
        } else {
            b = second.section.state.lock();
            a = first.section.state.lock();
        }
        Locked {
            guards: [Some(a), Some(b)],
            second: 1,
        }
    }

    fn load(
        &mut self,
        half: usize,
        section: &Section,
        resources: &Resources,
    ) -> Result<&mut Loaded, StorageError> {
        let place = if half == 0 { 0 } else { self.second };
        let guard = self.guards[place].as_mut().expect("locked");
        section.load(resources, guard)
    }

    fn is_one_section(&self) -> bool {
        self.second == 0
    }
}

impl<'a, M: Medium + ?Sized> Pair<'a, M> {
    /// Locks both sections.
    pub(crate) fn lock(halves: [Half<'a, M>; 2]) -> Self {
        Pair {
            locked: Locked::new(&halves),
            halves,
        }
    }

    /// Makes room for both entries, so that nothing that may be refused is left for when
    /// the intent is durable. `false` for a deletion that finds nothing.
    pub(crate) fn prepare(&mut self) -> Result<bool, StorageError> {
        let lists = self.halves.each_ref().map(|half| half.entry.list);
        let one_list = self.locked.is_one_section() && lists[0] == lists[1];
        if is_tombstone(self.halves[0].entry.word) {
            let needed = [1, if one_list { 2 } else { 1 }];
            let mut found = [false; 2];
            for half in [0, 1] {
                let entry = self.halves[half].entry;
                found[half] = self.load(half)?.live_edges(entry) >= needed[half];
            }
            match found {
                [false, _] => return Ok(false),
                [true, false] => {
                    let extents = self.halves[0].at.resources.volume.region.file_name();
                    let what = "an edge stands in only one of its two lists";
                    return Err(StorageError::damaged(&extents, 0, what));
                }
                [true, true] => {}
            }
        }
        // One look at the clock for both: a view shows both entries or none.
        let now = self.halves[0].at.registry.csn();
        if self.locked.is_one_section() {
            self.make_room(0, now, &lists)?;
        } else {
            self.make_room(0, now, &lists[..1])?;
            self.make_room(1, now, &lists[1..])?;
        }
        Ok(true)
    }

    fn load(&mut self, half: usize) -> Result<&mut Loaded, StorageError> {
        let Half { section, at, .. } = &self.halves[half];
        self.locked.load(half, section, at.resources)
    }

    fn make_room(&mut self, half: usize, now: u64, lists: &[usize]) -> Result<(), StorageError> {
        let Half { section, at, .. } = &self.halves[half];
        let loaded = self.locked.load(half, section, at.resources)?;
        section.begin(at, loaded, now, lists)?;
        let fits = |direct: &DirectState| direct.has_room(lists);
        if !loaded.direct.as_ref().is_some_and(|direct| fits(direct)) {
            section.rewrite(at, loaded, lists)?;
        }
        Ok(())
    }

    /// Direct steps D0 and D1: the intent, then both entries. After an error
    /// the medium may hold one of them; opening it again adds the other.
    pub(crate) fn carry_out(&mut self, slot: &mut IntentSlot) -> Result<(), StorageError> {
        let [source, target] = self.halves.each_ref().map(|half| {
            let entry = half.entry;
            half.section.first_vertex + entry.list as u32
        });
        let lists = self.halves.each_ref().map(|half| half.entry.list);
        let mut expected = [0; 2];
        for half in [0, 1] {
            let direct = self.load(half)?.direct.as_ref();
            expected[half] = direct.map_or(0, |d| d.lengths(lists[half]).1 as u32);
        }
        if self.locked.is_one_section() && lists[0] == lists[1] {
            expected[1] += 1;
        }
        let DirectEntry { word, weight, .. } = self.halves[0].entry;
        let intent = Intent {
            source,
            target,
            tag: word & crate::TOMBSTONE,
            weight,
            expected,
        };
        let _announced = slot.announce(self.halves[0].at.slot_medium, &intent)?;
        for half in [0, 1] {
            let Half { section, at, entry } = &self.halves[half];
            let loaded = self.locked.load(half, section, at.resources)?;
            let placed = section.place(at, loaded, *entry)?;
            assert!(placed, "room was made for it");
        }
        Ok(())
    }

    /// Ends the intent, once both entries are there.
    pub(crate) fn finish(&mut self) -> Result<(), StorageError> {
        for half in [0, 1] {
            let Half { section, at, entry } = &self.halves[half];
            let loaded = self.locked.load(half, section, at.resources)?;
            section.merge_log_if_due(at, loaded, entry.list)?;
        }
        Ok(())
    }
}

impl DirectState {
    /// Whether entries for these lists, in this order, have room as things are.
    #[inline(always)]
    fn has_room(&self, lists: &[usize]) -> bool {
        let mut in_log = 0;
        for (i, &list) in lists.iter().enumerate() {
            let place = &self.places[list];
            let (filled, len) = self.lengths(list);
            let before = lists[..i].iter().filter(|&&other| other == list).count();
            let slot = place.start.load(Ordering::Relaxed) as usize + filled + before;
            if filled != len || slot >= place.end.load(Ordering::Relaxed) as usize {
                in_log += 1;
            }
        }
        self.log_used + in_log <= self.log_slots
    }
}

impl Section {
    /// Entries of a list: what recovery asks about an intent.
    pub fn direct_len(&self, resources: &Resources, list: usize) -> Result<u32, StorageError> {
        let mut guard = self.state.lock();
        let loaded = self.load(resources, &mut guard)?;
        let direct = loaded.direct.as_ref();
        Ok(direct.map_or(0, |direct| direct.lengths(list).1 as u32))
    }

    /// Mutant: whether a list holds the edge, whenever it got there.
    pub fn direct_holds(
        &self,
        resources: &Resources,
        entry: DirectEntry,
    ) -> Result<bool, StorageError> {
        let mut guard = self.state.lock();
        let loaded = self.load(resources, &mut guard)?;
        Ok(loaded.live_edges(entry) > 0)
    }

    /// Shows an entry that recovery would append, without writing it: a reader
    /// writes nothing.
    pub fn show_direct(
        &self,
        resources: &Resources,
        entry: DirectEntry,
    ) -> Result<bool, StorageError> {
        let mut guard = self.state.lock();
        let loaded = self.load(resources, &mut guard)?;
        if is_tombstone(entry.word) && loaded.live_edges(entry) == 0 {
            return Ok(false);
        }
        let Some(direct) = &mut loaded.direct else {
            return Ok(false);
        };
        direct.shown(entry);
        self.show_logged(resources, loaded, entry);
        Ok(true)
    }
}

impl DirectState {
    fn shown(&mut self, entry: DirectEntry) {
        let len = &self.places[entry.list].len;
        len.store(len.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.counted(entry);
    }
}
