//! Reading lists that contain tombstones.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::entry::{Cancels, is_tombstone, neighbor};

/// Takes words and weight bits of a segment, behind a pointer.
pub(crate) type Visit<'v, B> = dyn FnMut(&[u32], &[u32]) -> ControlFlow<B> + 'v;

/// Buffers for assembling the live entries of a list; reuse it between lists.
#[derive(Debug, Default)]
pub struct ListScratch {
    /// Live neighbors.
    pub words: Vec<u32>,
    /// Their weights, empty without weights.
    pub weights: Vec<u32>,
    pending: HashMap<u64, u32>,
}

impl ListScratch {
    /// Makes the buffers empty.
    pub fn clear(&mut self) {
        self.words.clear();
        self.weights.clear();
    }

    /// Adds a segment of the raw list.
    pub fn extend(&mut self, words: &[u32], weights: &[u32]) {
        self.words.extend_from_slice(words);
        self.weights.extend_from_slice(weights);
    }

    /// Removes tombstones and what they cancel, keeping the order. O(length).
    pub fn cancel(&mut self, cancels: Cancels) {
        self.pending.clear();
        let weighted = !self.weights.is_empty();
        // From the end, an entry is live unless a tombstone behind it still
        // waits for one; live ones are moved to the back.
        let mut write = self.words.len();
        // All tombstones that wait: most of the time none, and nothing to look up.
        let mut all_waiting = 0;
        for read in (0..self.words.len()).rev() {
            let word = self.words[read];
            let key = cancels.key(word, self.weights.get(read));
            if is_tombstone(word) {
                *self.pending.entry(key).or_insert(0) += 1;
                all_waiting += 1;
                continue;
            }
            if all_waiting > 0
                && let Some(waiting) = self.pending.get_mut(&key)
                && *waiting > 0
            {
                *waiting -= 1;
                all_waiting -= 1;
                continue;
            }
            write -= 1;
            self.words[write] = word;
            if weighted {
                self.weights[write] = self.weights[read];
            }
        }
        self.words.drain(..write);
        if weighted {
            self.weights.drain(..write);
        }
    }
}

/// Cut of a list as of some commit: entries before it, and tombstones among them.
pub(crate) type Cut = (u32, u32);

impl ListScratch {
    /// As [`ListScratch::cancel`], but an entry and the tombstone that cancels it both
    /// stay if the list was cut between them, ascending: a snapshot or view reads it up
    /// to there. Gives the cuts as they are afterwards. O(length · log cuts).
    pub fn cancel_between(&mut self, cuts: &mut [Cut], cancels: Cancels) {
        let mut open: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut drops = vec![false; self.words.len()];
        for (at, &word) in self.words.iter().enumerate() {
            let key = cancels.key(word, self.weights.get(at));
            if !is_tombstone(word) {
                open.entry(key).or_default().push(at);
                continue;
            }
            let Some(entry) = open.get_mut(&key).and_then(Vec::pop) else {
                continue;
            };
            let next = cuts.partition_point(|cut| cut.0 as usize <= entry);
            if cuts.get(next).is_none_or(|cut| cut.0 as usize > at) {
                (drops[entry], drops[at]) = (true, true);
            }
        }
        let weighted = !self.weights.is_empty();
        let (mut write, mut tombstones) = (0, 0);
        let mut waiting = cuts.iter_mut().peekable();
        for (read, dropped) in drops.into_iter().enumerate() {
            while let Some(cut) = waiting.next_if(|cut| cut.0 as usize == read) {
                *cut = (write as u32, tombstones);
            }
            if dropped {
                continue;
            }
            tombstones += u32::from(is_tombstone(self.words[read]));
            self.words[write] = self.words[read];
            if weighted {
                self.weights[write] = self.weights[read];
            }
            write += 1;
        }
        waiting.for_each(|cut| *cut = (write as u32, tombstones));
        self.words.truncate(write);
        if weighted {
            self.weights.truncate(write);
        }
    }
}

/// Whether each tombstone has an earlier live entry to cancel, as in every
/// list that was written: a deletion of nothing leaves no tombstone.
pub(crate) fn tombstones_cancel(words: impl Iterator<Item = u32>) -> bool {
    let mut live: HashMap<u32, u32> = HashMap::new();
    for word in words {
        let count = live.entry(neighbor(word)).or_insert(0);
        if !is_tombstone(word) {
            *count += 1;
        } else if *count == 0 {
            return false;
        } else {
            *count -= 1;
        }
    }
    true
}

/// Finds out, segment by segment from the front, whether a list holds a live
/// edge to one vertex; with an id, that relationship to it.
#[derive(Debug)]
pub(crate) struct LiveCount {
    target: u32,
    id: Option<u32>,
    live: u64,
}

impl LiveCount {
    /// Counts entries of `target`, of which none were seen yet.
    pub(crate) fn new(target: u32, id: Option<u32>) -> Self {
        LiveCount {
            target,
            id,
            live: 0,
        }
    }

    /// Counts in a further segment. As deletions of nothing leave no tombstone,
    /// every tombstone has an entry to cancel.
    pub(crate) fn add(&mut self, words: &[u32], ids: &[u32]) {
        for (i, &word) in words.iter().enumerate() {
            if neighbor(word) != self.target || self.id.is_some_and(|id| ids.get(i) != Some(&id)) {
                continue;
            }
            match is_tombstone(word) {
                false => self.live += 1,
                true => self.live = self.live.saturating_sub(1),
            }
        }
    }

    /// Live edges so far.
    pub(crate) fn live(&self) -> u64 {
        self.live
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::TOMBSTONE;
    use proptest::prelude::*;

    fn live(words: &[u32]) -> Vec<u32> {
        let mut scratch = ListScratch::default();
        scratch.extend(words, &[]);
        scratch.cancel(Cancels::Latest);
        scratch.words
    }

    /// A list of relationships, step by step: what is live, newest last.
    fn live_ids(words: &[u32], ids: &[u32]) -> Vec<(u32, u32)> {
        let mut live = Vec::new();
        for (&word, &id) in words.iter().zip(ids) {
            match is_tombstone(word) {
                false => live.push((word, id)),
                true => {
                    let found = live
                        .iter()
                        .rposition(|&entry| entry == (neighbor(word), id));
                    live.remove(found.expect("nothing is deleted twice"));
                }
            }
        }
        live
    }

    proptest! {
        /// The edges that a list shows at each cut stay, and without cuts nothing deleted
        /// does.
        #[test]
        fn what_a_cut_shows_stays(
            steps in proptest::collection::vec((0u32..4, any::<bool>()), 0..40),
            mut at in proptest::collection::vec(0usize..41, 0..6),
        ) {
            let mut words: Vec<u32> = Vec::new();
            for (target, deletes) in steps {
                if !deletes {
                    words.push(target);
                } else if live(&words).contains(&target) {
                    words.push(target | TOMBSTONE);
                }
            }
            at.iter_mut().for_each(|at| *at = (*at).min(words.len()));
            at.sort_unstable();
            let count = |words: &[u32]| words.iter().filter(|&&w| is_tombstone(w)).count() as u32;
            let mut cuts: Vec<Cut> =
                at.iter().map(|&at| (at as u32, count(&words[..at]))).collect();
            let mut scratch = ListScratch::default();
            let weights: Vec<u32> = (0..words.len() as u32).collect();
            scratch.extend(&words, &weights);
            scratch.cancel_between(&mut cuts, Cancels::Latest);
            for (&before, &(len, tombstones)) in at.iter().zip(&cuts) {
                let after = &scratch.words[..len as usize];
                prop_assert_eq!(live(after), live(&words[..before]));
                prop_assert_eq!(tombstones, count(after));
            }
            prop_assert_eq!(live(&scratch.words), live(&words));
            for (&word, &weight) in scratch.words.iter().zip(&scratch.weights) {
                prop_assert_eq!(word, words[weight as usize]);
            }
            // No more stays than is seen: each tombstone is behind a cut, and what
            // it cancels before it.
            let separated = |i: usize| cuts.iter().any(|cut| cut.0 as usize <= i && cut.0 > 0);
            for (i, &word) in scratch.words.iter().enumerate() {
                prop_assert!(!is_tombstone(word) || separated(i));
            }
            if at.is_empty() {
                prop_assert_eq!(&scratch.words, &live(&words));
            }
        }

        /// A deletion that names a relationship takes that one, whichever parallel
        /// ones there are, and an id may come again after it.
        #[test]
        fn a_named_deletion_takes_what_it_names(
            steps in proptest::collection::vec((0u32..3, 0u32..4, any::<bool>()), 0..50),
            mut at in proptest::collection::vec(0usize..51, 0..5),
            target in 0u32..3,
            id in 0u32..4,
        ) {
            let (mut words, mut ids): (Vec<u32>, Vec<u32>) = Default::default();
            for (target, id, deletes) in steps {
                let is_there = live_ids(&words, &ids).contains(&(target, id));
                if deletes && is_there {
                    words.push(target | TOMBSTONE);
                    ids.push(id);
                } else if !is_there {
                    words.push(target);
                    ids.push(id);
                }
            }
            let expected = live_ids(&words, &ids);
            let mut scratch = ListScratch::default();
            scratch.extend(&words, &ids);
            scratch.cancel(Cancels::Named);
            let pairs = |words: &[u32], ids: &[u32]| -> Vec<(u32, u32)> {
                words.iter().copied().zip(ids.iter().copied()).collect()
            };
            prop_assert_eq!(pairs(&scratch.words, &scratch.weights), expected.clone());
            let mut count = LiveCount::new(target, Some(id));
            count.add(&words, &ids);
            prop_assert_eq!(count.live(), u64::from(expected.contains(&(target, id))));
            at.iter_mut().for_each(|at| *at = (*at).min(words.len()));
            at.sort_unstable();
            let deletions = |words: &[u32]| words.iter().filter(|&&w| is_tombstone(w)).count() as u32;
            let mut cuts: Vec<Cut> =
                at.iter().map(|&at| (at as u32, deletions(&words[..at]))).collect();
            scratch.clear();
            scratch.extend(&words, &ids);
            scratch.cancel_between(&mut cuts, Cancels::Named);
            for (&before, &(len, tombstones)) in at.iter().zip(&cuts) {
                let (w, i) = (&scratch.words[..len as usize], &scratch.weights[..len as usize]);
                prop_assert_eq!(live_ids(w, i), live_ids(&words[..before], &ids[..before]));
                prop_assert_eq!(tombstones, deletions(w));
            }
            prop_assert_eq!(live_ids(&scratch.words, &scratch.weights), expected);
        }
    }
}
