//! Reading as of a view: the leaves, overridden by the changes since.

use std::borrow::Borrow;
use std::sync::Arc;

use super::base::{Base, Fence, LeafPlace};
use super::entry::EntryRef;
use super::leaf::Leaf;
use super::state::{Overlay, Verdict};
use super::{Index, IndexError, KeyRange};

/// Changed entries that a reader takes at once, while it holds the lock.
const MOST_CHANGES: usize = if cfg!(test) { 8 } else { 1024 };

impl Index {
    /// Adds the ids of the records that may have a key as of the view at `csn`, to
    /// be checked against the records unless it returns true. Reads one leaf, if not so
    /// many records have the key that they fill more.
    ///
    /// # Errors
    /// [`IndexError::NotBuilt`], [`IndexError::NotSince`], and damage.
    pub fn lookup(&self, csn: u64, key: &[u8], ids: &mut Vec<u32>) -> Result<bool, IndexError> {
        let key = self.cut(key);
        let (base, overlay) = {
            let state = self.state.read();
            let base = Arc::clone(state.readable(csn)?);
            let to = (!state.is_merged()).then(|| [key, &[0]].concat());
            let to = to.as_ref().map(|to| (&to[..], 0));
            (base, state.overlay(csn, (key, 0), to, usize::MAX))
        };
        let start = ids.len();
        for_each_with_key(&base, csn, key, |id| {
            let is_changed = overlay
                .verdicts
                .binary_search_by_key(&id, |(entry, _)| entry.id);
            if is_changed.is_err() && ids[start..].last() != Some(&id) {
                ids.push(id);
            }
        })?;
        let leaf_end = ids.len();
        let present = overlay.verdicts.iter().filter(|(_, present)| *present);
        ids.extend(present.map(|(entry, _)| entry.id));
        if ids.len() > leaf_end {
            ids[start..].sort_unstable();
        }
        Ok(self.is_exact(&base, csn, key))
    }

    /// Whether the records of entries with a key have it as of a view, without a look at
    /// them.
    fn is_exact(&self, base: &Base, csn: u64, key: &[u8]) -> bool {
        key.len() < self.geometry.key_bytes && base.csn <= csn
    }

    /// The ids of the records whose keys may lie in a range as of the view at `csn`,
    /// in the order of their keys, and of equal keys ascending. They are to be
    /// checked against the records. The view has to live as long.
    ///
    /// # Errors
    /// [`IndexError::NotBuilt`], [`IndexError::NotSince`]; damage comes later.
    pub fn range(&self, csn: u64, range: &KeyRange) -> Result<Candidates<&Index>, IndexError> {
        Candidates::of(self, csn, range, false)
    }
}

/// Calls `visit` with the ids of a key that are in the leaves as of `csn`.
fn for_each_with_key(
    base: &Base,
    csn: u64,
    key: &[u8],
    mut visit: impl FnMut(u32),
) -> Result<(), IndexError> {
    let mut place = base.find((key, 0))?;
    while let Some(at) = place {
        let leaf = base.extents[at.extent].leaf(at.leaf)?;
        let mut i = leaf.lower_bound((key, 0));
        let rest = key.strip_prefix(leaf.prefix());
        while i < leaf.count() {
            let entry = leaf.entry(i);
            if Some(entry.rest) != rest {
                return Ok(());
            }
            if entry.interval.contains(csn) {
                visit(entry.id);
            }
            i += 1;
        }
        let is_behind = |fence: &Fence| (&fence.0[..], fence.1) > (key, u32::MAX);
        if base.end(at)?.as_ref().is_none_or(is_behind) {
            return Ok(());
        }
        place = base.next(at);
    }
    Ok(())
}

/// Ids of records that may have a key of a range; see [`Index::range`].
#[derive(Debug)]
pub struct Candidates<I> {
    index: I,
    csn: u64,
    base: Arc<Base>,
    /// The part of the range that was not read yet; `None` at the end.
    left: Option<(Fence, Option<Fence>)>,
    is_descending: bool,
    /// The keys of `found`, one after another.
    keys: Vec<u8>,
    /// End of each key, and the id.
    found: Vec<(usize, u32)>,
    /// How many of `found` have been given away.
    given: usize,
}

impl<I: Borrow<Index>> Candidates<I> {
    /// As [`Index::range`], of an index that this holds, ascending or descending. Of equal
    /// keys the ids descend, too.
    ///
    /// # Errors
    /// As [`Index::range`].
    pub fn of(
        index: I,
        csn: u64,
        range: &KeyRange,
        is_descending: bool,
    ) -> Result<Self, IndexError> {
        let own = index.borrow();
        let range = range.cut(own.geometry.key_bytes);
        let base = Arc::clone(own.state.read().readable(csn)?);
        Ok(Candidates {
            index,
            csn,
            base,
            left: Some(((range.from, 0), range.to.map(|to| (to, 0)))),
            is_descending,
            keys: Vec::new(),
            found: Vec::new(),
            given: 0,
        })
    }

    /// The next id with its key, as far as keys are kept ([`super::Geometry`]).
    ///
    /// # Errors
    /// Damage; [`IndexError::NotBuilt`] if the index has been cleared.
    pub fn next_entry(&mut self) -> Result<Option<(&[u8], u32)>, IndexError> {
        while self.given == self.found.len() {
            let Some((from, to)) = self.left.take() else {
                return Ok(None);
            };
            (self.given, self.found, self.keys) = Default::default();
            match self.is_descending {
                false => self.read_first_leaf(from, to)?,
                true => self.read_last_leaf(from, to)?,
            }
        }
        let at = match self.is_descending {
            false => self.given,
            true => self.found.len() - 1 - self.given,
        };
        self.given += 1;
        let start = at.checked_sub(1).map_or(0, |before| self.found[before].0);
        let (end, id) = self.found[at];
        Ok(Some((&self.keys[start..end], id)))
    }

    /// Whether the record of the entry that was given last has its key as of the view,
    /// without a look at it.
    pub fn is_exact(&self, key: &[u8]) -> bool {
        self.index.borrow().is_exact(&self.base, self.csn, key)
    }

    /// Reads one leaf's part of the rest of the range.
    fn read_first_leaf(&mut self, from: Fence, to: Option<Fence>) -> Result<(), IndexError> {
        let (place, mut end, overlay) = loop {
            let place = self.base.find((&from.0, from.1))?;
            let end = match place {
                Some(place) => self.base.end(place)?,
                None => None,
            };
            let end = earlier(end, &to);
            if let Some(overlay) = self.overlay(&from, end.as_ref())? {
                break (place, end, overlay);
            }
        };
        if let Some(cut) = overlay.cut {
            end = Some((cut.key.to_vec(), cut.id));
        }
        self.merge((&from.0, from.1), end.as_ref(), place, &overlay.verdicts)?;
        let is_last = match (&end, &to) {
            (None, _) => true,
            (Some(end), Some(to)) => end >= to,
            (Some(_), None) => false,
        };
        self.left = end.filter(|_| !is_last).map(|end| (end, to));
        Ok(())
    }

    /// As [`Candidates::read_first_leaf`], from the end.
    fn read_last_leaf(&mut self, from: Fence, to: Option<Fence>) -> Result<(), IndexError> {
        let (place, mut start, overlay) = loop {
            let before = to.as_ref().map(|to| (&to.0[..], to.1));
            let place = self.base.find_before(before)?;
            let start = match place {
                // Changes before the first leaf belong to it.
                Some(place) if self.base.previous(place).is_some() => {
                    self.base.start(place)?.max(from.clone())
                }
                _ => from.clone(),
            };
            if let Some(overlay) = self.overlay(&start, to.as_ref())? {
                break (place, start, overlay);
            }
        };
        if let Some(cut) = overlay.cut {
            start = (cut.key.to_vec(), cut.id + 1);
        }
        self.merge((&start.0, start.1), to.as_ref(), place, &overlay.verdicts)?;
        self.left = (from < start).then_some((from, Some(start)));
        Ok(())
    }

    /// The changes of a part of the range over the base that is being read. `None`
    /// if there is a newer base, which is read from now on.
    fn overlay(&mut self, from: &Fence, to: Option<&Fence>) -> Result<Option<Overlay>, IndexError> {
        let state = self.index.borrow().state.read();
        let base = state.readable(self.csn)?;
        if !Arc::ptr_eq(base, &self.base) {
            let base = Arc::clone(base);
            drop(state);
            self.base = base;
            return Ok(None);
        }
        let (from, to) = ((&from.0[..], from.1), to.map(|to| (&to.0[..], to.1)));
        Ok(Some(match self.is_descending {
            false => state.overlay(self.csn, from, to, MOST_CHANGES),
            true => state.overlay_from_end(self.csn, from, to, MOST_CHANGES),
        }))
    }

    /// Puts the entries of a leaf and the changed ones in order.
    fn merge(
        &mut self,
        from: EntryRef<'_>,
        end: Option<&Fence>,
        place: Option<LeafPlace>,
        verdicts: &[Verdict],
    ) -> Result<(), IndexError> {
        let base = Arc::clone(&self.base);
        let leaf: Option<Leaf<'_>> = match place {
            Some(place) => Some(base.extents[place.extent].leaf(place.leaf)?),
            None => None,
        };
        let count = leaf.as_ref().map_or(0, Leaf::count);
        let first = leaf.as_ref().map_or(0, |leaf| leaf.lower_bound(from));
        let last = match (&leaf, end) {
            (Some(leaf), Some(end)) => leaf.lower_bound((&end.0, end.1)),
            _ => count,
        };
        let mut verdicts = verdicts.iter().peekable();
        let mut key = Vec::new();
        for i in first..last {
            let Some(leaf) = &leaf else { break };
            let entry = leaf.entry(i);
            key.clear();
            key.extend_from_slice(leaf.prefix());
            key.extend_from_slice(entry.rest);
            let stored = (&key[..], entry.id);
            while let Some((changed, present)) = verdicts.next_if(|v| v.0.parts() < stored) {
                self.give(changed.parts(), *present);
            }
            // A change overrides the leaf's entry, and is given with the next entry or the
            // end.
            let is_changed = verdicts.peek().is_some_and(|v| v.0.parts() == stored);
            self.give(stored, !is_changed && entry.interval.contains(self.csn));
        }
        for (changed, present) in verdicts {
            self.give(changed.parts(), *present);
        }
        Ok(())
    }

    /// Once, if it is there.
    fn give(&mut self, (key, id): EntryRef<'_>, present: bool) {
        let start = match self.found.len() {
            0 | 1 => 0,
            given => self.found[given - 2].0,
        };
        let is_same = |last: &(usize, u32)| last.1 == id && self.keys[start..last.0] == *key;
        if present && !self.found.last().is_some_and(is_same) {
            self.keys.extend_from_slice(key);
            self.found.push((self.keys.len(), id));
        }
    }
}

impl<I: Borrow<Index>> Iterator for Candidates<I> {
    type Item = Result<u32, IndexError>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.next_entry();
        entry.map(|entry| entry.map(|(_, id)| id)).transpose()
    }
}

/// The bound that comes first; `None` is no bound.
fn earlier(a: Option<Fence>, b: &Option<Fence>) -> Option<Fence> {
    match (a, b) {
        (Some(a), Some(b)) if *b < a => Some(b.clone()),
        (None, b) => b.clone(),
        (a, _) => a,
    }
}
