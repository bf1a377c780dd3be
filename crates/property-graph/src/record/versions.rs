//! The versions of one record that are in DRAM.

use std::sync::Arc;

use evergraph_storage::Needed;
use evergraph_storage::layout::WALKED_AT_MOST;

use super::at::Changed;

/// A record, or that there is none, from one commit until another.
#[derive(Clone, Debug)]
pub(super) struct Version<R> {
    pub(super) begin: u64,
    /// The commit that made the next; [`u64::MAX`] if there is none.
    pub(super) end: u64,
    /// The commit that created the record, or the deleted one.
    pub(super) born: u64,
    /// `None` after a deletion.
    pub(super) record: Option<Arc<R>>,
}

impl<R> Version<R> {
    /// The state of a place, for a picture of its chunk.
    pub(super) fn changed(&self, at: u32) -> Changed<R> {
        (at, self.born, self.record.clone())
    }

    fn shows(&self, csn: u64) -> bool {
        self.begin <= csn && csn < self.end
    }
}

/// Versions, the oldest first. Between two of them some may be missing that no view or
/// snapshot needs any more, and one that the chunk holds.
#[derive(Clone, Debug)]
pub(super) struct Chain<R>(Vec<Version<R>>);

impl<R> Default for Chain<R> {
    fn default() -> Self {
        Chain(Vec::new())
    }
}

impl<R> Chain<R> {
    pub(super) fn of(first: Version<R>) -> Self {
        Chain(vec![first])
    }

    pub(super) fn versions(&self) -> &[Version<R>] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The version that holds as of a commit, if it is here.
    pub(super) fn at(&self, csn: u64) -> Option<&Version<R>> {
        self.0.iter().rev().find(|version| version.shows(csn))
    }

    /// The version that holds now, if it is here.
    pub(super) fn newest(&self) -> Option<&Version<R>> {
        self.0.last().filter(|last| last.end == u64::MAX)
    }

    /// Adds the newest version. Of several changes of a record by one commit the last one
    /// counts.
    pub(super) fn push(&mut self, version: Version<R>) {
        if let Some(last) = self.0.last_mut() {
            if last.begin == version.begin {
                *last = version;
                self.invariants();
                return;
            }
            if last.end == u64::MAX {
                last.end = version.begin;
            }
        }
        self.0.push(version);
        self.invariants();
    }

    /// Panics in debug builds if versions do not follow one another: of two, one ends
    /// before the other begins, so that none is shown twice, and one at most holds now.
    pub(super) fn invariants(&self) {
        if !cfg!(debug_assertions) || self.0.len() > WALKED_AT_MOST {
            return;
        }
        for version in &self.0 {
            assert!(
                version.begin < version.end && version.born <= version.begin,
                "a version from commit {} to {}, born at {}",
                version.begin,
                version.end,
                version.born
            );
        }
        for pair in self.0.windows(2) {
            assert!(
                pair[0].end <= pair[1].begin,
                "a version until commit {}, and the next from {}",
                pair[0].end,
                pair[1].begin
            );
        }
    }

    /// Puts an older version into its place.
    pub(super) fn insert(&mut self, version: Version<R>) {
        let at = self.0.partition_point(|other| other.begin < version.begin);
        self.0.insert(at, version);
        self.invariants();
    }

    /// The versions that a merge from `merged` up to `csn` has to store: the last,
    /// for the chunk, and those before it that it replaces.
    pub(super) fn to_merge(&self, merged: u64, csn: u64) -> Option<(&Version<R>, &[Version<R>])> {
        let from = self.0.partition_point(|version| version.begin <= merged);
        let until = self.0.partition_point(|version| version.begin <= csn);
        let (last, before) = self.0.get(from..until)?.split_last()?;
        Some((last, before))
    }

    /// The first commit after `merged` that made a version.
    pub(super) fn first_after(&self, merged: u64) -> Option<u64> {
        let at = self.0.partition_point(|version| version.begin <= merged);
        Some(self.0.get(at)?.begin)
    }

    /// Drops versions that are not needed. A version that ended up to `merged` is stored
    /// for the kept commits that need it, and the one that holds as of `merged` is in the
    /// chunk: of those, only the former stay that live views need.
    ///
    /// `needed` may have been gathered a while ago: it says nothing of commits newer than
    /// the watermark of that time.
    pub(super) fn prune(
        &mut self,
        merged: u64,
        needed: &Needed,
        mut dropped: impl FnMut(&Version<R>),
    ) {
        let known = needed.watermark().unwrap_or(u64::MAX);
        self.0.retain(|version| {
            let stays = if version.end <= merged {
                needed.is_watched(version.begin, version.end)
            } else if version.begin <= merged {
                false
            } else {
                let is_newest = version.end == u64::MAX;
                is_newest || version.end > known || needed.is_needed(version.begin, version.end)
            };
            if !stays {
                dropped(version);
            }
            stays
        });
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::sync::Arc;

    use evergraph_storage::Needed;

    use super::{Chain, Version};

    fn version(begin: u64, end: u64) -> Version<()> {
        Version {
            begin,
            end,
            born: 1,
            record: None,
        }
    }

    #[test]
    fn versions_may_have_gaps() {
        let mut chain = Chain::of(version(5, 7));
        chain.push(version(9, u64::MAX));
        chain.insert(version(1, 5));
        assert_eq!(chain.versions().len(), 3);
    }

    /// Views may have come at commits since then that what is needed does not tell.
    #[test]
    fn versions_behind_the_watermark_stay() {
        let mut chain = Chain::of(version(1, 2));
        for (begin, end) in [(2, 3), (3, 6), (6, 8), (8, u64::MAX)] {
            chain.push(version(begin, end));
        }
        let begins = |chain: &Chain<()>| -> Vec<u64> {
            chain.versions().iter().map(|one| one.begin).collect()
        };
        chain.prune(0, &Needed::new(vec![5], Arc::default()), |_| {});
        assert_eq!(begins(&chain), [3, 6, 8]);
        chain.prune(0, &Needed::new(vec![9], Arc::default()), |_| {});
        assert_eq!(begins(&chain), [8]);
    }

    #[test]
    #[should_panic(expected = "a version until commit 7, and the next from 6")]
    fn no_commit_is_shown_two_versions() {
        Chain::of(version(5, 7)).push(version(6, u64::MAX));
    }

    #[test]
    #[should_panic(expected = "a version until commit")]
    fn one_version_holds_now() {
        Chain::of(version(5, u64::MAX)).insert(version(9, u64::MAX));
    }

    #[test]
    #[should_panic(expected = "a version from commit 5 to 5")]
    fn a_version_holds_for_a_commit() {
        Chain::of(version(5, 5)).invariants();
    }
}
