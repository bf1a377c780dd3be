//! A table beside a list of all its versions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::ViewToken;
use proptest::prelude::*;

use super::{GEOMETRY, parts};
use crate::dictionary::{Dictionary, Names};
use crate::record::{Found, NodeRecord, ReserveError, Table};
use crate::testing::Host;
use crate::value::Value;

/// Steps of a table's life.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Commit(Vec<Change>, bool),
    View,
    EndView(usize),
    DropSnapshot(usize),
    Checkpoint(Vec<Vec<Change>>, bool),
    Reopen,
    /// An id is taken and not used.
    Unused,
}

/// A change of a commit.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// With a new id.
    Create(Content),
    /// Of the n-th record that exists.
    Update(usize, Content),
    Delete(usize),
}

/// Labels and properties by number of their names.
pub(super) type Content = (BTreeSet<u8>, BTreeMap<u8, u8>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let content = (
        prop::collection::btree_set(0u8..3, 0..3),
        prop::collection::btree_map(0u8..3, 0u8..7, 0..3),
    );
    let change = prop_oneof![
        3 => content.clone().prop_map(Change::Create),
        3 => (any::<usize>(), content).prop_map(|(n, content)| Change::Update(n, content)),
        3 => any::<usize>().prop_map(Change::Delete),
    ];
    prop::collection::vec(change, 1..4)
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let overlapping = prop::collection::vec(changes(), 0..3);
    let step = prop_oneof![
        8 => (changes(), prop::bool::weighted(0.2)).prop_map(|(c, keep)| Step::Commit(c, keep)),
        2 => Just(Step::View),
        2 => any::<usize>().prop_map(Step::EndView),
        1 => any::<usize>().prop_map(Step::DropSnapshot),
        4 => (overlapping, prop::bool::weighted(0.2)).prop_map(|(c, a)| Step::Checkpoint(c, a)),
        1 => Just(Step::Reopen),
        1 => Just(Step::Unused),
    ];
    prop::collection::vec(step, 1..40)
}

/// Changes of a commit, as the log has them.
#[derive(Clone)]
struct Logged {
    csn: u64,
    names: Vec<(Names, u32, Arc<str>)>,
    changes: Vec<(u32, Option<NodeRecord>)>,
}

/// All versions of all records.
type Model = BTreeMap<u32, Vec<(u64, Option<NodeRecord>)>>;

pub(super) struct World {
    pub(super) host: Host,
    dictionary: Arc<Dictionary>,
    pub(super) table: Table<NodeRecord>,
    model: Model,
    log: Vec<Logged>,
    pub(super) views: Vec<ViewToken<()>>,
    /// View of a checkpoint that goes on. Its records keep their ids as those of any
    /// other view do.
    merging: Option<ViewToken<()>>,
    /// Commits up to this one are in extents.
    root_csn: u64,
}

impl World {
    pub(super) fn new() -> Self {
        let (dictionary, table) = parts();
        World {
            host: Host::new(),
            dictionary,
            table,
            model: Model::new(),
            log: Vec::new(),
            views: Vec::new(),
            merging: None,
            root_csn: 0,
        }
    }

    pub(super) fn at(&self, id: u32, csn: u64) -> Option<&NodeRecord> {
        let versions = self.model.get(&id)?;
        let before = versions.iter().rev().find(|version| version.0 <= csn)?;
        before.1.as_ref()
    }

    fn existing(&self) -> Vec<u32> {
        let newest = self.host.csn();
        let ids = self.model.keys().copied();
        ids.filter(|&id| self.at(id, newest).is_some()).collect()
    }

    fn code(&self, names: Names, number: u8, used: &mut Vec<(Names, u32, Arc<str>)>) -> u32 {
        let code = self
            .dictionary
            .promise(names, &format!("{names:?} {number}"))
            .unwrap();
        if let Some(name) = self.dictionary.uncommitted(names, code) {
            used.push((names, code, name));
        }
        code
    }

    fn record(&self, content: &Content, used: &mut Vec<(Names, u32, Arc<str>)>) -> NodeRecord {
        let mut labels: Vec<u32> = content
            .0
            .iter()
            .map(|&n| self.code(Names::Labels, n, used))
            .collect();
        labels.sort_unstable();
        let value = |number: u8| match number {
            0 => Value::from("repeats"),
            1 => Value::from("repeats, too"),
            2 => Value::from("so does this one"),
            3 => Value::from("x".repeat(100)),
            number => Value::from(i64::from(number)),
        };
        let mut properties = crate::value::Properties::new();
        for (&key, &number) in &content.1 {
            properties.set(self.code(Names::Keys, key, used), value(number));
        }
        NodeRecord { labels, properties }
    }

    /// An id that is not in use, and that no view and no snapshot shows; `taken` are
    /// those of the same commit.
    fn reserve(&self, taken: &[u32]) -> Option<u32> {
        let commits = [self.shown(), vec![self.host.csn()]].concat();
        let is_shown = |id: u32| commits.iter().any(|&csn| self.at(id, csn).is_some());
        match self.table.reserve(|| self.host.needed()) {
            Ok(id) => {
                assert!(!is_shown(id) && !taken.contains(&id), "id {id} is not free");
                Some(id)
            }
            Err(ReserveError::NoIdsLeft(_)) => {
                let mut ids = 0..GEOMETRY.most_records;
                let free = ids.find(|id| !is_shown(*id) && !taken.contains(id));
                assert_eq!(free, None, "this id is free and was not given");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Commits of views, that of a checkpoint among them, and of snapshots.
    fn shown(&self) -> Vec<u64> {
        let views = self.views.iter().chain(&self.merging).map(ViewToken::csn);
        views.chain(self.host.kept().iter().copied()).collect()
    }

    fn commit(&mut self, changes: &[Change], keep: bool) {
        let csn = self.host.csn() + 1;
        let mut logged = Logged {
            csn,
            names: Vec::new(),
            changes: Vec::new(),
        };
        for change in changes {
            let existing = self.existing();
            let nth = |n: usize| existing.get(n % existing.len().max(1)).copied();
            let taken: Vec<u32> = logged.changes.iter().map(|change| change.0).collect();
            let (id, record) = match change {
                Change::Create(content) => {
                    let Some(id) = self.reserve(&taken) else {
                        continue;
                    };
                    (id, Some(self.record(content, &mut logged.names)))
                }
                Change::Update(n, content) => {
                    let Some(id) = nth(*n) else { continue };
                    (id, Some(self.record(content, &mut logged.names)))
                }
                Change::Delete(n) => {
                    let Some(id) = nth(*n) else { continue };
                    (id, None)
                }
            };
            logged.changes.push((id, record));
        }
        self.apply(&logged, false);
        for (id, record) in &logged.changes {
            self.model
                .entry(*id)
                .or_default()
                .push((csn, record.clone()));
        }
        self.log.push(logged);
        self.host.publish(csn, keep);
    }

    fn apply(&self, logged: &Logged, is_replay: bool) {
        let needed = match is_replay {
            true => self.host.needed_at_replay(),
            false => self.host.needed(),
        };
        for (names, code, name) in &logged.names {
            self.dictionary
                .apply(logged.csn, *names, *code, name)
                .unwrap();
        }
        for (id, record) in &logged.changes {
            self.table
                .apply(logged.csn, *id, record.clone(), &needed)
                .unwrap();
        }
    }

    pub(super) fn checkpoint(&mut self, overlapping: &[Vec<Change>], abandons: bool) {
        let csn = self.merging.insert(self.host.view()).csn();
        let needed = self.host.needed();
        let (table, dictionary) = (&self.table, &self.dictionary);
        let flushed = self.host.with_place(|place| {
            let mut flushed = table.write(csn, &needed, place).unwrap();
            flushed.extend(dictionary.write(csn, place).unwrap());
            flushed
        });
        for changes in overlapping {
            self.commit(changes, changes.len() == 1);
        }
        if abandons {
            self.merging = None;
            self.host.roll_back();
            self.table.abandoned();
            self.dictionary.abandoned();
            return;
        }
        self.host.switch_root(flushed, || self.table.publishing());
        self.merging = None;
        self.table.published(&|| self.host.needed());
        self.dictionary.published();
        let since = [
            self.table.unmerged_since(),
            self.dictionary.unmerged_since(),
        ];
        let oldest = since.into_iter().flatten().min();
        self.root_csn = oldest.map_or(csn, |oldest| csn.min(oldest - 1));
        assert_eq!(
            overlapping.is_empty(),
            self.log.last().is_none_or(|last| last.csn <= csn)
        );
        if overlapping.is_empty() {
            assert_eq!((oldest, self.table.unmerged_bytes()), (None, 0));
        }
    }

    pub(super) fn reopen(&mut self) {
        self.views.clear();
        (self.dictionary, self.table) = parts();
        let newest = self.host.csn();
        let (table, dictionary) = (&self.table, &self.dictionary);
        self.host.reopen(newest, |place| {
            dictionary.restore(place).unwrap();
            table.restore(place).unwrap();
        });
        let tail = self.log.iter().filter(|logged| logged.csn > self.root_csn);
        tail.for_each(|logged| self.apply(logged, true));
    }

    pub(super) fn verify(&self) {
        let newest = self.host.csn();
        let commits = [self.shown(), vec![newest]].concat();
        for csn in commits {
            self.verify_at(csn);
        }
        for (&id, versions) in &self.model {
            let (csn, record) = versions.last().unwrap();
            assert_eq!(self.table.newest(id).unwrap(), (*csn, record.is_some()));
        }
        assert_eq!(self.table.len(), self.existing().len() as u64);
        let mut problems = Vec::new();
        self.table.check(newest, &mut problems);
        self.dictionary.check(&mut problems);
        assert_eq!(problems, Vec::<String>::new());
    }

    fn verify_at(&self, csn: u64) {
        let ids = 0..GEOMETRY.most_records;
        let expected: Vec<_> = ids
            .clone()
            .filter_map(|id| Some((id, self.at(id, csn)?)))
            .collect();
        for id in ids {
            let record = self.table.get(id, csn).unwrap();
            assert_eq!(
                record.as_deref(),
                self.at(id, csn),
                "record {id} as of {csn}"
            );
        }
        let mut scanned = Vec::new();
        for chunk in 0..self.table.chunk_count() {
            let end = self.table.for_each_in_chunk(chunk, csn, |id, found| {
                let record = found.record().unwrap();
                for key in 0..4 {
                    let property = found.property(key).unwrap();
                    assert_eq!(property.as_ref(), record.properties.get(key));
                }
                assert_eq!(*found.labels().unwrap(), record.labels[..]);
                scanned.push((id, record));
                ControlFlow::Continue(())
            });
            assert!(end.unwrap().is_continue());
        }
        let scanned: Vec<_> = scanned
            .iter()
            .map(|(id, record)| (*id, &**record))
            .collect();
        assert_eq!(scanned, expected, "a scan as of {csn}");
        (0..self.table.chunk_count()).for_each(|chunk| self.verify_picture(chunk, csn));
    }

    /// Columns and labels of a chunk, against its records.
    fn verify_picture(&self, number: u32, csn: u64) {
        let Some(chunk) = self.table.chunk_at(number, csn).unwrap() else {
            return;
        };
        let places = 0..GEOMETRY.records_per_chunk;
        let record = |at: u32| self.at(number * GEOMETRY.records_per_chunk + at, csn);
        for key in 0..4 {
            let column = chunk.column(key, usize::MAX).unwrap().expect("it is read");
            for at in places.clone() {
                let expected = record(at).and_then(|record| record.properties.get(key));
                let value = column.get(at as usize).unwrap();
                let found = Some(value).filter(|value| !value.is_null());
                assert_eq!(found.as_ref(), expected, "{number}:{at} as of {csn}");
            }
        }
        for label in 0..4 {
            let mut selected = chunk.exists().to_vec();
            let has = |labels: &[u32]| labels.contains(&label);
            let of_set = |set: i64| Some(has(&self.dictionary.label_set(set as u32)?));
            let of_found = |found: &Found<'_, NodeRecord>| Ok(has(&found.labels()?));
            let of_version = |record: &NodeRecord| has(&record.labels);
            chunk
                .retain_subjects(&mut selected, of_set, of_version, of_found)
                .unwrap();
            let with = places.clone().filter(|at| {
                let record = record(*at);
                record.is_some_and(|record| has(&record.labels))
            });
            let expected = with.fold(0u64, |bits, at| bits | 1 << at);
            assert_eq!(selected, [expected], "label {label} as of {csn}");
        }
    }

    pub(super) fn step(&mut self, step: &Step) {
        match step {
            Step::Commit(changes, keep) => self.commit(changes, *keep),
            Step::View => self.views.push(self.host.view()),
            Step::EndView(n) if !self.views.is_empty() => {
                self.views.remove(n % self.views.len());
            }
            Step::DropSnapshot(n) if !self.host.kept().is_empty() => {
                self.host.release(n % self.host.kept().len());
            }
            Step::EndView(_) | Step::DropSnapshot(_) => {}
            Step::Checkpoint(overlapping, abandons) => self.checkpoint(overlapping, *abandons),
            Step::Reopen => self.reopen(),
            Step::Unused => {
                if let Some(id) = self.reserve(&[]) {
                    self.table.release(id..id + 1);
                }
            }
        }
    }
}
