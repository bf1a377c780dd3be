//! Random histories of a section against plain lists.

use std::sync::Arc;

use evergraph_storage::medium::FileStorage;
use proptest::prelude::*;

use super::*;
use crate::blocks::rewrite::Identity;
use crate::entry::TOMBSTONE;

const LISTS: usize = 6;

#[derive(Clone, Debug)]
enum Step {
    /// Appends to lists: which, how many.
    Flush(Vec<(usize, u16)>),
    /// A flush that is given up before it is published.
    Abandon(Vec<(usize, u16)>),
    /// Keeps the newest version as a reader would.
    Hold,
    /// A reader lets go.
    Release(usize),
    /// Drops a third of the entries of some lists, and appends to others.
    CompactLists(u8, Vec<(usize, u16)>),
    /// Drops a third of all entries.
    Rewrite,
    Reopen,
    /// To the packed layout and back.
    Relayout,
}

fn appends() -> impl Strategy<Value = Vec<(usize, u16)>> {
    let count = prop_oneof![4 => 1u16..10, 2 => 10u16..100, 1 => 100u16..3000];
    proptest::collection::vec((0..LISTS, count), 0..8)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => appends().prop_map(Step::Flush),
        1 => appends().prop_map(Step::Abandon),
        2 => Just(Step::Hold),
        2 => (0usize..4).prop_map(Step::Release),
        3 => (any::<u8>(), appends()).prop_map(|(l, a)| Step::CompactLists(l, a)),
        1 => Just(Step::Rewrite),
        1 => Just(Step::Reopen),
        1 => Just(Step::Relayout),
    ]
}

/// A section, what must be in it, and readers of earlier versions.
struct History {
    medium: MediumHandle,
    volume: Volume,
    columns: usize,
    csn: u64,
    base: Arc<Base>,
    entry: Option<Entry>,
    model: Lists,
    held: Vec<(Arc<Base>, Lists)>,
}

impl History {
    fn new(columns: usize) -> Self {
        Self::on(dram(), columns)
    }

    fn on(medium: MediumHandle, columns: usize) -> Self {
        let volume = fresh(&medium);
        let base = Base::empty(&volume, FIRST_VERTEX, LISTS, columns);
        History {
            base: Arc::new(base),
            medium,
            volume,
            columns,
            csn: 0,
            entry: None,
            model: vec![Vec::new(); LISTS],
            held: Vec::new(),
        }
    }

    fn source<'a>(&self, lists: &'a [Vec<(u32, u32)>]) -> Source<'a> {
        Source {
            lists,
            weighted: self.columns == 2,
        }
    }

    /// New entries, some of them tombstones of something in the list.
    fn new_entries(&self, appends: &[(usize, u16)], without: &[usize]) -> Lists {
        let mut new: Lists = vec![Vec::new(); LISTS];
        for &(list, count) in appends {
            if without.contains(&list) {
                continue;
            }
            let entries = self.model[list].iter().chain(&new[list]);
            let mut tombstones = entries.filter(|entry| is_tombstone(entry.0)).count();
            for i in 0..u32::from(count) {
                let number = self.csn as u32 * 7919 + i;
                let len = self.model[list].len() + new[list].len();
                let deletes = number.is_multiple_of(11) && 2 * (tombstones + 1) <= len;
                tombstones += usize::from(deletes);
                let word = (number % 1000) | if deletes { TOMBSTONE } else { 0 };
                let weight = if self.columns == 2 {
                    number ^ 0xABCD
                } else {
                    0
                };
                new[list].push((word, weight));
            }
        }
        new
    }

    fn adopt(&mut self, written: (Written, Flushed<()>)) {
        let (base, entry) = publish(&self.volume, written);
        (self.base, self.entry) = (base, Some(entry));
    }

    fn perform(&mut self, step: &Step) {
        self.csn += 1;
        let csn = self.csn;
        match step {
            Step::Flush(appends) => {
                let new = self.new_entries(appends, &[]);
                let written = self.base.append(&self.volume, csn, &self.source(&new));
                self.adopt(written.unwrap());
                for (list, new) in self.model.iter_mut().zip(new) {
                    list.extend(new);
                }
            }
            Step::Abandon(appends) => {
                let new = self.new_entries(appends, &[]);
                let written = self.base.append(&self.volume, csn, &self.source(&new));
                drop(written.unwrap());
            }
            Step::Hold => {
                let lists = self.model.clone();
                self.held.push((Arc::clone(&self.base), lists));
            }
            Step::Release(which) => {
                if *which < self.held.len() {
                    self.held.swap_remove(*which);
                }
            }
            Step::CompactLists(which, appends) => {
                let replaced: Vec<usize> = (0..LISTS).filter(|l| which >> l & 1 == 1).collect();
                let mut new = self.new_entries(appends, &replaced);
                let live = live(&self.model);
                for &list in &replaced {
                    new[list].clone_from(&live[list]);
                    self.model[list].clear();
                }
                if self.entry.is_none() {
                    return self.model.clone_from(&vec![Vec::new(); LISTS]);
                }
                let source = self.source(&new);
                let generation = self.base.generation() + 1;
                let written = self
                    .base
                    .update(&self.volume, csn, generation, &source, &replaced);
                self.adopt(written.unwrap());
                for (list, new) in self.model.iter_mut().zip(new) {
                    list.extend(new);
                }
            }
            Step::Rewrite => {
                let live = live(&self.model);
                let written = self.base.rewrite(
                    &self.volume,
                    csn,
                    self.base.generation() + 1,
                    &self.source(&live),
                );
                self.adopt(written.unwrap());
                self.model = live;
                let bytes = self.base.bytes();
                assert_eq!((bytes.slabs, bytes.free), (bytes.least_slabs, 0));
            }
            Step::Reopen => self.reopen(),
            Step::Relayout => self.relayout(),
        }
    }

    fn reopen(&mut self) {
        let Some(entry) = self.entry else { return };
        self.held.clear();
        self.volume = volume(&self.medium);
        let base = open(&self.volume, &entry, LISTS, self.columns).unwrap();
        assert!(!base.is_verified());
        // Every other time entries are appended before anything is read.
        if self.csn.is_multiple_of(2) {
            base.verify(&self.volume.uuid).unwrap();
        } else {
            let new = self.new_entries(&[(0, 3), (2, 40)], &[]);
            let written = base.append(&self.volume, self.csn, &self.source(&new));
            self.adopt(written.unwrap());
            assert!(!self.base.is_verified());
            self.base.verify(&self.volume.uuid).unwrap();
            for (list, new) in self.model.iter_mut().zip(new) {
                list.extend(new);
            }
            return;
        }
        self.base = Arc::new(base);
    }

    fn relayout(&mut self) {
        let generation = self.base.generation();
        let packed = packed_image(&*self.base, LISTS, self.columns);
        let identity = Identity {
            first_vertex: FIRST_VERTEX,
            lists: LISTS,
            columns: self.columns,
            csn: self.csn,
            generation,
        };
        let written = Base::write(&self.volume, identity, &packed).unwrap();
        self.retire();
        self.adopt(written);
    }

    /// Another layout has taken over.
    fn retire(&self) {
        for extent in self.base.extents() {
            extent.retire();
        }
    }

    fn check(&self) {
        assert_eq!(contents(&self.base), self.model);
        let page = self.base.lengths(self.csn);
        for (list, entries) in self.model.iter().enumerate() {
            let tombstones = entries.iter().filter(|e| is_tombstone(e.0)).count();
            assert_eq!(page.len.of(list) as usize, entries.len());
            assert_eq!(page.tombstones(list) as usize, tombstones);
        }
        for (base, lists) in &self.held {
            for (list, entries) in lists.iter().enumerate() {
                for count in [entries.len(), entries.len() / 2, entries.len().min(1)] {
                    assert_eq!(prefix(base, list, count), &entries[..count]);
                }
                if let Some((start, len)) = base.span(list) {
                    assert_eq!(len as usize, entries.len());
                    let words = base.span_words();
                    let words = words
                        .iter()
                        .flat_map(|words| words.range(start as usize, len as usize));
                    assert!(words.eq(entries.iter().map(|entry| &entry.0)));
                }
            }
        }
    }
}

/// Entries that a compaction keeps in these tests.
fn live(lists: &Lists) -> Lists {
    let keep = |entry: &&(u32, u32)| !entry.0.is_multiple_of(3) && !is_tombstone(entry.0);
    lists
        .iter()
        .map(|list| list.iter().filter(keep).copied().collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_section_holds_what_the_lists_hold(
        steps in proptest::collection::vec(step(), 1..40),
        columns in 1usize..=2,
    ) {
        let mut history = History::new(columns);
        for step in &steps {
            history.perform(step);
            history.check();
        }
        // Nothing is in use but what the last version reaches.
        history.held.clear();
        let used = history.base.extents().map(|e| e.reserved_bytes()).sum::<u64>();
        prop_assert_eq!(history.volume.region.used_bytes(), used);
    }
}

#[test]
fn old_versions_outlive_their_blocks_and_space_is_used_again() {
    let mut history = History::new(1);
    history.perform(&Step::Flush((0..LISTS).map(|list| (list, 200)).collect()));
    history.perform(&Step::Hold);
    let before = history.base.bytes().slabs;
    // While the reader holds the first version, emptied blocks wait...
    for _ in 0..3 {
        history.perform(&Step::CompactLists(0xFF, vec![]));
        history.check();
    }
    let grown = history.base.bytes().slabs;
    assert!(grown > before);
    // ...and after it they are enough.
    history.perform(&Step::Release(0));
    for _ in 0..20 {
        history.perform(&Step::CompactLists(0xFF, vec![]));
        history.perform(&Step::Flush(vec![(0, 1)]));
        history.check();
    }
    assert_eq!(history.base.bytes().slabs, grown);
}

#[test]
fn hubs_have_few_blocks_and_a_section_few_slabs() {
    let mut history = History::new(1);
    for _ in 0..400 {
        history.perform(&Step::Flush(vec![(1, 100), (3, 1)]));
    }
    history.check();
    assert!(history.base.block_count(1) < 40);
    assert!(history.base.extents().count() < 40);
    let bytes = history.base.bytes();
    assert!(bytes.slabs < 2 * bytes.least_slabs, "{bytes:?}");
}

#[test]
fn a_hub_takes_many_entries_at_once() {
    for columns in [1, 2] {
        let mut history = History::new(columns);
        let hub = Step::Flush(vec![(2, 60_000); 4]);
        let few = Step::Flush(vec![(2, 5), (3, 5)]);
        for step in [
            &few,
            &hub,
            &few,
            &few,
            &hub,
            &few,
            &Step::CompactLists(4, vec![]),
            &few,
        ] {
            history.perform(step);
            history.check();
        }
        history.perform(&Step::Reopen);
        history.check();
    }
}

#[test]
fn files_hold_what_memory_holds() {
    let directory = tempfile::tempdir().unwrap();
    let storage = FileStorage::open(directory.path()).unwrap();
    let mut history = History::on(storage.open("extents", true).unwrap(), 2);
    for round in 0..30 {
        let appends = (0..LISTS).map(|list| (list, 1 + (round * 7 + list as u16 * 5) % 50));
        history.perform(&Step::Flush(appends.collect()));
        match round % 10 {
            2 => history.perform(&Step::Hold),
            5 => history.perform(&Step::CompactLists(0b1010, vec![(2, 9)])),
            7 => history.perform(&Step::Reopen),
            9 => history.perform(&Step::Rewrite),
            _ => {}
        }
        history.check();
    }
}

#[test]
fn readers_of_all_versions_go_on_while_the_section_changes() {
    let mut history = History::new(2);
    std::thread::scope(|scope| {
        for round in 0..100 {
            history.perform(&Step::Flush((0..LISTS).map(|list| (list, 17)).collect()));
            if round % 3 == 1 {
                history.perform(&Step::CompactLists(0b11, vec![]));
            }
            let (base, lists) = (Arc::clone(&history.base), history.model.clone());
            if round % 5 == 0 {
                scope.spawn(move || {
                    for _ in 0..50 {
                        assert_eq!(contents(&base), lists);
                    }
                });
            }
        }
    });
    history.check();
}

#[test]
#[should_panic(expected = "only the newest version")]
fn an_old_version_is_not_appended_to() {
    let mut history = History::new(1);
    history.perform(&Step::Hold);
    history.perform(&Step::Flush(vec![(0, 3)]));
    let old = Arc::clone(&history.held[0].0);
    let none: Lists = vec![Vec::new(); LISTS];
    let _ = old.append(&history.volume, 9, &history.source(&none));
}
