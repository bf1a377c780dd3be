//! Records in batches: those of a view, with the changes of a transaction in their place.

use std::ops::Range;
use std::sync::Arc;

use super::Labels;
use super::account::Account;
use super::filter::{Filter, Filtered};
use super::gather::Gather;
use super::{Ends, UNCOMMITTED};
use crate::column::Slice;
use crate::dictionary::{KeyCode, LabelCode, Names};
use crate::graph::error::GraphError;
use crate::graph::names::KnownNames;
use crate::graph::read::tabled::Tabled;
use crate::graph::view::View;
use crate::record::{ChunkAt, NodeRecord, RelationshipRecord};
use crate::transaction::{Change, Changed, Predicate, Reads};
use crate::value::Value;
use crate::vector::{Validity, Vector};

/// What is read: a view, and what a transaction has changed.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub(super) view: &'a View,
    pub(super) overlay: Option<&'a Changed>,
    /// Reads of a serializable transaction.
    pub(super) reads: Option<&'a Reads>,
    /// Names, with those that are new in the transaction.
    pub(super) names: Option<&'a KnownNames>,
}

/// A place in a chunk, or that there is none.
type Place<'a, R> = Option<(&'a ChunkAt<R>, u32)>;

impl<'a> Source<'a> {
    /// The code of a name, if it is known.
    pub(super) fn code(&self, names: Names, name: &str) -> Option<u32> {
        let code = match self.names {
            Some(known) => known.code(names, name),
            None => self.view.code(names, name),
        };
        if code.is_none() {
            self.has_read(|| Predicate::Unknown(names, name.into()));
        }
        code
    }

    pub(super) fn has_read(&self, predicate: impl FnOnce() -> Predicate) {
        if let Some(reads) = self.reads {
            reads.add(predicate());
        }
    }

    fn has_read_rows<R: Tabled>(&self, ids: &[u32]) {
        if let Some(reads) = self.reads {
            reads.add_rows(R::KIND, ids);
        }
    }

    /// Ids of a kind are below this, but for those of later commits.
    pub(super) fn bound<R: Tabled>(&self) -> u32 {
        let table = R::table(self.view.core());
        let committed = table.chunk_count() * table.geometry().records_per_chunk;
        let own = self.overlay.and_then(|own| own.last_changed::<R>());
        committed.max(own.map_or(0, |id| id + 1))
    }

    pub(super) fn chunk<R: Tabled>(
        &self,
        number: u32,
    ) -> Result<Option<&'a ChunkAt<R>>, GraphError> {
        let (table, csn) = (R::table(self.view.core()), self.view.csn());
        Ok(R::pins(self.view).pin(table, number, csn)?)
    }

    /// Appends the ids of a range that a filter gives, ascending.
    pub(super) fn scan<R: Tabled + Filtered>(
        &self,
        range: Range<u32>,
        filter: &Filter,
        ids: &mut Vec<u32>,
        account: &Account,
    ) -> Result<(), GraphError> {
        let mut charge = account.growing()?;
        let table = R::table(self.view.core());
        let size = table.geometry().records_per_chunk;
        let start = ids.len();
        let chunks = range.start / size..range.end.div_ceil(size).min(table.chunk_count());
        let mut selected = Vec::new();
        let mut looked_at = Vec::new();
        if self.reads.is_some() {
            self.has_read(|| R::predicate_of(filter));
        }
        let counts = &self.view.core().state.counts;
        for number in chunks {
            // Nothing is read of a chunk without the label or type.
            if !filter.may_be_in(counts, self.view.csn(), number) {
                continue;
            }
            let Some(chunk) = self.chunk::<R>(number)? else {
                continue;
            };
            let first = number * size;
            selected.clear();
            selected.extend_from_slice(chunk.exists());
            clear_outside(&mut selected, first, &range);
            if let Some(overlay) = self.overlay {
                let changed = overlay.changes_in::<R>(first..first + size);
                changed.for_each(|(id, _)| clear(&mut selected, id - first));
            }
            let is_precise = filter.is_precise();
            if self.reads.is_some() && !is_precise {
                push_ids(&selected, first, &mut looked_at);
            }
            filter.refine_by_subject(chunk, self.view.dictionary(), &mut selected)?;
            if self.reads.is_some() && is_precise {
                push_ids(&selected, first, &mut looked_at);
            }
            filter.refine_by_tests(chunk, &mut selected)?;
            push_ids(&selected, first, ids);
            charge.to(4 * (ids.len() - start) as u64)?;
        }
        self.has_read_rows::<R>(&looked_at);
        if let Some(overlay) = self.overlay {
            let committed = ids.len();
            for (id, change) in overlay.changes_in::<R>(range) {
                let is_one = |record: &Arc<R>| filter.holds_subject(&**record);
                if change.after().is_some_and(is_one)
                    && filter.holds_tests(|key| self.changed_value(id, change, key))?
                {
                    ids.push(id);
                }
            }
            if ids.len() > committed {
                ids[start..].sort_unstable();
            }
        }
        charge.done(4 * (ids.len() - start) as u64)
    }

    /// A value of a record that the transaction changed.
    pub(super) fn changed_value<R: Tabled>(
        &self,
        id: u32,
        change: &Change<R>,
        key: KeyCode,
    ) -> Result<Value, GraphError> {
        if let Some(own) = change.value(key) {
            return Ok(own);
        }
        let (number, at) = R::table(self.view.core()).place_of(id);
        match self.chunk::<R>(number)? {
            Some(chunk) => Ok(chunk.property(at, key)?),
            None => Ok(Value::Null),
        }
    }

    /// Calls `each` with the place of each id in its chunk, `None` where it has none.
    /// Neighbors in one chunk cost one look at the table of chunks.
    fn for_each_place<R: Tabled>(
        &self,
        ids: &[u32],
        mut each: impl FnMut(u32, Place<'a, R>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        self.has_read_rows::<R>(ids);
        let table = R::table(self.view.core());
        let mut last = None;
        for &id in ids {
            let (number, at) = table.place_of(id);
            let chunk = match last {
                Some((known, chunk)) if known == number => chunk,
                _ => self.chunk::<R>(number)?,
            };
            last = Some((number, chunk));
            each(id, chunk.map(|chunk| (chunk, at)))?;
        }
        Ok(())
    }

    /// The values of one property, chunk by chunk.
    pub(super) fn gather<R: Tabled>(
        &self,
        ids: &[u32],
        key: KeyCode,
        account: &Account,
    ) -> Result<Vector, GraphError> {
        self.has_read_rows::<R>(ids);
        let mut charge = account.growing()?;
        let mut vector = Vector::new();
        Gather::<R>::new(*self, key, ids.len()).append(ids, &mut vector, &mut charge)?;
        charge.done(vector.bytes() as u64)?;
        Ok(vector)
    }

    /// The values of one property, each by itself.
    pub(super) fn properties<R: Tabled>(
        &self,
        ids: &[u32],
        key: KeyCode,
        account: &Account,
        each: &mut dyn FnMut(Value) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        self.for_each_place::<R>(ids, |id, place| {
            let change = self.overlay.and_then(|own| own.change::<R>(id));
            let value = match (change, place) {
                (Some(change), _) => self.changed_value(id, change, key)?,
                (None, Some((chunk, at))) => chunk.property(at, key)?,
                (None, None) => Value::Null,
            };
            account.holds(value.heap_bytes() as u64)?;
            each(value)
        })
    }

    /// Which of these there are.
    pub(super) fn exist<R: Tabled>(&self, ids: &[u32]) -> Result<Validity, GraphError> {
        let mut exist = Validity::default();
        self.for_each_place::<R>(ids, |id, place| {
            exist.push(match self.overlay.and_then(|own| own.change::<R>(id)) {
                Some(change) => change.after().is_some(),
                None => place.is_some_and(|(chunk, at)| chunk.has(at)),
            });
            Ok(())
        })?;
        Ok(exist)
    }

    /// The commits that created them.
    pub(super) fn born<R: Tabled>(
        &self,
        ids: &[u32],
        account: &Account,
    ) -> Result<Vec<u64>, GraphError> {
        let charge = account.growing()?;
        let mut born = Vec::with_capacity(ids.len());
        self.for_each_place::<R>(ids, |id, place| {
            let change = self.overlay.and_then(|own| own.change::<R>(id));
            born.push(match (change, place) {
                (Some(change), _) if change.before().is_none() => match change.after() {
                    Some(_) => UNCOMMITTED,
                    None => 0,
                },
                (_, Some((chunk, at))) => chunk.born(at)?.unwrap_or(0),
                (_, None) => 0,
            });
            Ok(())
        })?;
        charge.done(8 * born.len() as u64)?;
        Ok(born)
    }

    /// The labels of nodes.
    pub(super) fn labels(&self, ids: &[u32], account: &Account) -> Result<Labels, GraphError> {
        let mut charge = account.growing()?;
        let mut labels = Labels::default();
        // The last set, which the next node often has, too.
        let mut last: Option<(u32, Arc<[LabelCode]>)> = None;
        self.for_each_place::<NodeRecord>(ids, |id, place| {
            match (
                self.overlay.and_then(|own| own.change::<NodeRecord>(id)),
                place,
            ) {
                (Some(change), _) => {
                    let after = change.after();
                    labels.push(after.map_or(&[][..], |record| &record.labels));
                }
                (None, Some((chunk, at))) => {
                    let set = chunk.fixed_in_base(at)?.map(|fixed| fixed.first);
                    match &last {
                        Some((known, of_set)) if Some(*known) == set => labels.push(of_set),
                        _ => {
                            let found = chunk.found(at).map(|found| found.labels());
                            let found = found.transpose()?.unwrap_or_default();
                            labels.push(&found);
                            last = set.map(|set| (set, found));
                        }
                    }
                }
                (None, None) => labels.push(&[]),
            }
            charge.to(labels.bytes() as u64)
        })?;
        charge.done(labels.bytes() as u64)?;
        Ok(labels)
    }

    /// Those of a commit, chunk by chunk.
    fn committed_ends(&self, ids: &[u32], ends: &mut Ends) -> Result<(), GraphError> {
        self.has_read_rows::<RelationshipRecord>(ids);
        let size = RelationshipRecord::table(self.view.core())
            .geometry()
            .records_per_chunk;
        let mut left = ids;
        while let Some(&id) = left.first() {
            let first = id - id % size;
            let here = Slice::of_one_chunk(left, first, size);
            left = &left[here.len()..];
            let slots = here.ids().iter().map(|id| id - first);
            let Some(chunk) = self.chunk::<RelationshipRecord>(first / size)? else {
                slots.for_each(|_| ends.push(None));
                continue;
            };
            match chunk.clean_ends(slots.clone(), ends.columns())? {
                true => ends.filled(),
                false => {
                    for at in slots {
                        ends.push(chunk.ends(at)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// The types and ends of relationships, also of those that the transaction deleted.
    pub(super) fn ends(&self, ids: &[u32], account: &Account) -> Result<Ends, GraphError> {
        let charge = account.growing()?;
        let mut ends = Ends::with_capacity(ids.len());
        let Some(overlay) = self.overlay else {
            self.committed_ends(ids, &mut ends)?;
            charge.done(ends.bytes() as u64)?;
            return Ok(ends);
        };
        self.for_each_place::<RelationshipRecord>(ids, |id, place| {
            let change = overlay.change::<RelationshipRecord>(id);
            let own = change.and_then(|change| change.last());
            ends.push(match (own, place) {
                (Some(own), _) => Some((own.kind, own.source, own.target)),
                (None, Some((chunk, at))) => chunk.ends(at)?,
                (None, None) => None,
            });
            Ok(())
        })?;
        charge.done(ends.bytes() as u64)?;
        Ok(ends)
    }
}

/// Clears the bits of places outside a range of ids.
fn clear_outside(selected: &mut [u64], first: u32, range: &Range<u32>) {
    let places = 64 * selected.len() as u32;
    let from = range.start.saturating_sub(first).min(places);
    let until = range.end.saturating_sub(first).min(places);
    for (number, word) in selected.iter_mut().enumerate() {
        let start = 64 * number as u32;
        let below = |place: u32| match place.saturating_sub(start) {
            0 => 0,
            bits @ 1..64 => (1 << bits) - 1,
            _ => u64::MAX,
        };
        *word &= below(until) & !below(from);
    }
}

fn clear(selected: &mut [u64], at: u32) {
    if let Some(word) = selected.get_mut(at as usize / 64) {
        *word &= !(1 << (at % 64));
    }
}

fn push_ids(selected: &[u64], first: u32, ids: &mut Vec<u32>) {
    let mut start = first;
    // Words of which all are selected are one range.
    for words in selected.chunk_by(|a, b| (*a == u64::MAX) == (*b == u64::MAX)) {
        let end = start + 64 * words.len() as u32;
        if words[0] == u64::MAX {
            ids.extend(start..end);
        } else {
            for (start, &word) in (start..).step_by(64).zip(words) {
                push_ids_of_word(word, start, ids);
            }
        }
        start = end;
    }
}

fn push_ids_of_word(word: u64, start: u32, ids: &mut Vec<u32>) {
    if word.count_ones() < 16 {
        let mut left = word;
        while left != 0 {
            ids.push(start + left.trailing_zeros());
            left &= left - 1;
        }
        return;
    }
    // Of many each is written, and the next one over it if it is not selected.
    let (mut found, mut count) = ([0; 64], 0);
    for bit in 0..64 {
        found[count & 63] = start + bit;
        count += (word >> bit & 1) as usize;
    }
    ids.extend_from_slice(&found[..count]);
}
