//! The records of a picture of which there are versions in DRAM.

use std::sync::{Arc, OnceLock};

use crate::record::bits::{bit, set, zeros};
use crate::record::content::Record;

/// A record that is a version in DRAM.
pub(in crate::record) struct Row<R> {
    pub(in crate::record) at: u32,
    pub(super) born: u64,
    pub(in crate::record) record: Arc<R>,
}

impl<R> Clone for Row<R> {
    fn clone(&self) -> Self {
        Row {
            at: self.at,
            born: self.born,
            record: Arc::clone(&self.record),
        }
    }
}

/// Records by place. Those of a picture are mostly those of the one before: they are
/// shared, so that a commit of one record costs no look at all that were changed before.
pub(super) struct Rows<R> {
    /// Ascending, as the newer ones.
    older: Arc<[Row<R>]>,
    newer: Box<[Row<R>]>,
    /// Bits of places at which the older ones count no more; empty if all count.
    replaced: Box<[u64]>,
    /// Once they were asked for.
    subjects: OnceLock<Subjects<R>>,
}

/// Versions of records by their type or their set of labels.
pub(in crate::record) struct Subjects<R> {
    /// One of each, and bits of the places of all.
    pub(in crate::record) groups: Vec<(Arc<R>, Box<[u64]>)>,
    /// Those of other types or sets, where there are many.
    pub(in crate::record) others: Vec<(u32, Arc<R>)>,
}

/// So many types or sets of labels have bits.
const MOST_GROUPS: usize = 32;

impl<R: Record> Subjects<R> {
    fn add(&mut self, at: u32, record: &Arc<R>, words: usize) {
        let known = |group: &(Arc<R>, _)| group.0.has_subject_of(record);
        if let Some(group) = self.groups.iter().position(known) {
            set(&mut self.groups[group].1, at, true);
        } else if self.groups.len() < MOST_GROUPS {
            let mut places = zeros(words);
            set(&mut places, at, true);
            self.groups.push((Arc::clone(record), places));
        } else {
            self.others.push((at, Arc::clone(record)));
        }
    }

    fn add_all<'r>(&mut self, rows: impl Iterator<Item = &'r Row<R>>, words: usize) {
        for row in rows {
            self.add(row.at, &row.record, words);
        }
    }

    /// Those that are not at some places.
    fn without(&self, places: &[u64]) -> Self {
        let groups = self.groups.iter().map(|(record, bits)| {
            let bits = bits.iter().zip(places).map(|(bits, places)| bits & !places);
            (Arc::clone(record), bits.collect())
        });
        let others = self.others.iter().filter(|(at, _)| !bit(places, *at));
        Subjects {
            groups: groups.collect(),
            others: others.cloned().collect(),
        }
    }
}

/// Newer rows are put together with the older ones when they are more than this part.
const SHARE: usize = 16;

impl<R: Record> Rows<R> {
    /// Of rows that ascend by place.
    pub(super) fn new(rows: Vec<Row<R>>) -> Self {
        debug_assert!(
            rows.is_sorted_by(|a, b| a.at < b.at),
            "rows are found by place"
        );
        Rows {
            older: rows.into(),
            newer: Box::default(),
            replaced: Box::default(),
            subjects: OnceLock::new(),
        }
    }

    /// With these rows, ascending, at some places instead of those that were there; at a
    /// place without a row there is none any more.
    pub(super) fn after(&self, rows: Vec<Row<R>>, places: &[u64]) -> Self {
        let subjects = OnceLock::new();
        if let Some(known) = self.subjects.get() {
            let mut known = known.without(places);
            known.add_all(rows.iter(), places.len());
            let _ = subjects.set(known);
        }
        let kept = self.newer.iter().filter(|row| !bit(places, row.at));
        let mut newer: Vec<Row<R>> = kept.cloned().chain(rows).collect();
        // Two ascending runs.
        newer.sort_by_key(|row| row.at);
        let words = places.iter().enumerate();
        let word = |at: usize| self.replaced.get(at).copied().unwrap_or(0);
        let mut all = Rows {
            older: Arc::clone(&self.older),
            replaced: words.map(|(at, places)| places | word(at)).collect(),
            newer: newer.into(),
            subjects,
        };
        match all.newer.len() * SHARE > all.older.len() {
            true => Rows {
                subjects: std::mem::take(&mut all.subjects),
                ..Rows::new(all.iter().cloned().collect())
            },
            false => all,
        }
    }

    /// They, by type or set of labels: bits of so many words.
    pub(super) fn subjects(&self, words: usize) -> &Subjects<R> {
        self.subjects.get_or_init(|| {
            let mut subjects = Subjects {
                groups: Vec::new(),
                others: Vec::new(),
            };
            subjects.add_all(self.iter(), words);
            subjects
        })
    }

    /// The row at a place, if there is one.
    pub(super) fn get(&self, at: u32) -> Option<&Row<R>> {
        let find = |rows: &[Row<R>]| rows.binary_search_by_key(&at, |row| row.at).ok();
        if let Some(found) = find(&self.newer) {
            return Some(&self.newer[found]);
        }
        let found = find(&self.older).filter(|_| !bit(&self.replaced, at));
        found.map(|found| &self.older[found])
    }

    /// All of them, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Row<R>> {
        let older = self.older.iter();
        let mut older = older.filter(|row| !bit(&self.replaced, row.at)).peekable();
        let mut newer = self.newer.iter().peekable();
        std::iter::from_fn(move || match (older.peek(), newer.peek()) {
            (Some(old), Some(new)) if old.at < new.at => older.next(),
            (Some(_), None) => older.next(),
            _ => newer.next(),
        })
    }

    /// The rows of some places, ascending, all of which were changed by the last
    /// [`Rows::after`].
    pub(super) fn changed_last<'r>(
        &'r self,
        places: &'r [u64],
    ) -> impl Iterator<Item = &'r Row<R>> {
        let rows = match self.newer.is_empty() {
            true => &self.older,
            false => &self.newer[..],
        };
        let counts = |row: &&Row<R>| !self.newer.is_empty() || !bit(&self.replaced, row.at);
        let rows = rows.iter().filter(|row| bit(places, row.at));
        rows.filter(counts)
    }

    pub(super) fn len(&self) -> usize {
        let older = |at: u32| self.older.binary_search_by_key(&at, |row| row.at).is_ok();
        let places = 0..64 * self.replaced.len() as u32;
        let replaced = places.filter(|&at| bit(&self.replaced, at) && older(at));
        self.older.len() - replaced.count() + self.newer.len()
    }

    /// DRAM, with what is shared.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.older) + size_of_val(&*self.newer) + size_of_val(&*self.replaced)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use evergraph_graph::random::Random;

    use super::*;
    use crate::record::NodeRecord;

    fn row(at: u32, born: u64) -> Row<NodeRecord> {
        let record = NodeRecord {
            labels: vec![at % 40],
            ..NodeRecord::default()
        };
        Row {
            at,
            born,
            record: Arc::new(record),
        }
    }

    /// As an ordered map has them, whatever is changed and deleted.
    #[test]
    fn rows_are_those_of_a_map() {
        let mut random = Random::new(1);
        let (mut model, mut rows) = (BTreeMap::new(), Rows::new(Vec::new()));
        for step in 0..400 {
            let few = random.below(if step % 50 == 0 { 200 } else { 4 });
            let mut changes = BTreeMap::new();
            for _ in 0..few {
                changes.insert(random.below(256) as u32, random.below(4) > 0);
            }
            let mut places = vec![0; 4];
            changes.keys().for_each(|&at| set(&mut places, at, true));
            for (&at, &is_there) in &changes {
                match is_there {
                    true => model.insert(at, step),
                    false => model.remove(&at),
                };
            }
            let there = changes.iter().filter(|(_, is_there)| **is_there);
            rows = rows.after(there.map(|(&at, _)| row(at, step)).collect(), &places);
            let pairs = |row: &Row<NodeRecord>| (row.at, row.born);
            let all: Vec<(u32, u64)> = rows.iter().map(pairs).collect();
            assert_eq!(all, model.clone().into_iter().collect::<Vec<_>>());
            let last: Vec<u32> = rows.changed_last(&places).map(|row| row.at).collect();
            assert_eq!(last, there_of(&changes));
            assert_eq!(rows.len(), model.len());
            // Before they are asked for, and made of those before.
            if step > 50 {
                assert_eq!(places_of(rows.subjects(4)), model.keys().copied().collect());
            }
            for at in 0..256 {
                assert_eq!(rows.get(at).map(|row| row.born), model.get(&at).copied());
            }
        }
    }

    /// Each has the labels that [`row`] gives it.
    fn places_of(subjects: &Subjects<NodeRecord>) -> BTreeSet<u32> {
        let mut all = BTreeSet::new();
        let is_right = |at: u32, record: &NodeRecord| record.labels == [at % 40];
        for (record, bits) in &subjects.groups {
            for at in (0..256).filter(|&at| bit(bits, at)) {
                assert!(is_right(at, record) && all.insert(at));
            }
        }
        for (at, record) in &subjects.others {
            assert!(is_right(*at, record) && all.insert(*at));
        }
        all
    }

    fn there_of(changes: &BTreeMap<u32, bool>) -> Vec<u32> {
        let there = changes.iter().filter(|(_, is_there)| **is_there);
        there.map(|(&at, _)| at).collect()
    }
}
