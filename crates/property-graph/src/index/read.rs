//! Reading as of a view: the leaves, overridden by the changes since.

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
    /// be checked against the records. Reads one leaf, if not so many records have
    /// the key that they fill more.
    ///
    /// # Errors
    /// [`IndexError::NotBuilt`], [`IndexError::NotSince`], and damage.
    pub fn lookup(&self, csn: u64, key: &[u8], ids: &mut Vec<u32>) -> Result<(), IndexError> {
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
        Ok(())
    }

    /// The ids of the records whose keys may lie in a range as of the view at `csn`,
    /// in the order of their keys, and of equal keys ascending. They are to be
    /// checked against the records. The view has to live as long.
    ///
    /// # Errors
    /// [`IndexError::NotBuilt`], [`IndexError::NotSince`]; damage comes later.
    pub fn range(&self, csn: u64, range: &KeyRange) -> Result<Candidates<'_>, IndexError> {
        let range = range.cut(self.geometry.key_bytes);
        let base = Arc::clone(self.state.read().readable(csn)?);
        Ok(Candidates {
            index: self,
            csn,
            base,
            next: Some((range.from, 0)),
            to: range.to.map(|to| (to, 0)),
            keys: Vec::new(),
            found: Vec::new(),
            given: 0,
        })
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
pub struct Candidates<'a> {
    index: &'a Index,
    csn: u64,
    base: Arc<Base>,
    /// Key at which to go on; `None` at the end.
    next: Option<Fence>,
    to: Option<Fence>,
    /// The keys of `found`, one after another.
    keys: Vec<u8>,
    /// End of each key, and the id.
    found: Vec<(usize, u32)>,
    /// How many of `found` have been given away.
    given: usize,
}

impl Candidates<'_> {
    /// The next id with its key, as far as keys are kept ([`super::Geometry`]).
    ///
    /// # Errors
    /// Damage; [`IndexError::NotBuilt`] if the index has been cleared.
    pub fn next_entry(&mut self) -> Result<Option<(&[u8], u32)>, IndexError> {
        while self.given == self.found.len() {
            if self.next.is_none() {
                return Ok(None);
            }
            self.read_leaf()?;
        }
        let start = match self.given {
            0 => 0,
            given => self.found[given - 1].0,
        };
        let (end, id) = self.found[self.given];
        self.given += 1;
        Ok(Some((&self.keys[start..end], id)))
    }

    /// Reads the rest of one leaf's part of the range.
    fn read_leaf(&mut self) -> Result<(), IndexError> {
        (self.given, self.found) = (0, std::mem::take(&mut self.found));
        self.found.clear();
        self.keys.clear();
        let Some(from) = self.next.take() else {
            return Ok(());
        };
        let (place, mut end, overlay) = loop {
            let place = self.base.find((&from.0, from.1))?;
            let end = match place {
                Some(place) => self.base.end(place)?,
                None => None,
            };
            let end = earlier(end, &self.to);
            if let Some(overlay) = self.overlay(&from, end.as_ref())? {
                break (place, end, overlay);
            }
        };
        if let Some(cut) = overlay.cut {
            end = Some((cut.key.to_vec(), cut.id));
        }
        self.merge((&from.0, from.1), end.as_ref(), place, &overlay.verdicts)?;
        let is_last = match (&end, &self.to) {
            (None, _) => true,
            (Some(end), Some(to)) => end >= to,
            (Some(_), None) => false,
        };
        self.next = end.filter(|_| !is_last);
        Ok(())
    }

    /// The changes of a part of the range over the base that is being read. `None`
    /// if there is a newer base, which is read from now on.
    fn overlay(&mut self, from: &Fence, to: Option<&Fence>) -> Result<Option<Overlay>, IndexError> {
        let state = self.index.state.read();
        let base = state.readable(self.csn)?;
        if !Arc::ptr_eq(base, &self.base) {
            let base = Arc::clone(base);
            drop(state);
            self.base = base;
            return Ok(None);
        }
        let to = to.map(|to| (&to.0[..], to.1));
        Ok(Some(state.overlay(
            self.csn,
            (&from.0, from.1),
            to,
            MOST_CHANGES,
        )))
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

impl Iterator for Candidates<'_> {
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
