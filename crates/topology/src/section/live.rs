//! Counting the live edges that many deletions of one list ask for.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::Body;
use crate::entry::{Cancels, is_tombstone};
use crate::lengths::LengthPage;

/// From so many deletions in one list on, its entries are read once for all of
/// them, and not once for each: deleting a hub is linear.
const COUNT_FROM: u32 = 32;

/// Live edges by list and target, for the targets of many deletions.
pub(super) struct LiveCounts {
    counts: HashMap<(u32, u64), u64>,
    cancels: Cancels,
}

impl LiveCounts {
    /// Counts for the deletions among `arcs`, which come behind the lists of
    /// `page`.
    pub(super) fn new(
        body: &Body,
        page: &LengthPage,
        first_vertex: u32,
        arcs: &[u64],
        extras: &[u64],
        cancels: Cancels,
    ) -> Self {
        let mut counts = LiveCounts {
            counts: HashMap::new(),
            cancels,
        };
        if arcs.len() < COUNT_FROM as usize {
            return counts;
        }
        let mut deletions = vec![0u32; page.len.count()];
        let deleted = || {
            let deleted = arcs.iter().enumerate();
            let deleted = deleted.filter(|&(_, &arc)| is_tombstone(arc as u32));
            deleted.map(|(i, &arc)| {
                let second = extras.get(i).map(|&extra| extra as u32);
                let key = cancels.key(arc as u32, second.as_ref());
                ((arc >> 32) as u32 - first_vertex, key)
            })
        };
        deleted().for_each(|(list, _)| deletions[list as usize] += 1);
        if deletions.iter().all(|&count| count < COUNT_FROM) {
            return counts;
        }
        let many = deleted().filter(|(list, _)| deletions[*list as usize] >= COUNT_FROM);
        counts.counts.extend(many.map(|key| (key, 0)));
        for (list, &count) in deletions.iter().enumerate() {
            if count < COUNT_FROM {
                continue;
            }
            for_each_segment(body, list, page.len.of(list) as usize, |words, seconds| {
                for (i, &word) in words.iter().enumerate() {
                    counts.add(list, word, seconds.get(i));
                }
            });
        }
        counts
    }

    /// Live edges that a deletion may be about, if they were counted.
    pub(super) fn get(&self, list: usize, word: u32, second: u32) -> Option<u64> {
        if self.counts.is_empty() {
            return None;
        }
        let key = self.cancels.key(word, Some(&second));
        self.counts.get(&(list as u32, key)).copied()
    }

    /// A further entry of a list.
    pub(super) fn add(&mut self, list: usize, word: u32, second: Option<&u32>) {
        if self.counts.is_empty() {
            return;
        }
        let key = self.cancels.key(word, second);
        if let Some(count) = self.counts.get_mut(&(list as u32, key)) {
            *count = match is_tombstone(word) {
                true => count.saturating_sub(1),
                false => *count + 1,
            };
        }
    }
}

/// The first `len` entries of a list.
fn for_each_segment(body: &Body, list: usize, len: usize, mut visit: impl FnMut(&[u32], &[u32])) {
    let merged = body.base.list_len(list).min(len);
    let _ = body
        .base
        .for_each_segment::<()>(list, merged, |words, seconds| {
            visit(words, seconds);
            ControlFlow::Continue(())
        });
    if let Some(buffers) = body.buffers.get() {
        let _ = buffers.for_each_segment::<()>(list, len - merged, |words, seconds| {
            visit(words, seconds);
            ControlFlow::Continue(())
        });
    }
}
