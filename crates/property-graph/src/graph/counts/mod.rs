//! Numbers of nodes, of nodes by label, and of relationships by type, exact as of each
//! commit that a view or a snapshot shows; and the chunks where they may be.
//!
//! Each commit adds what it changes. A checkpoint stores the counts as of its commit and
//! of the kept snapshots before it. The chunks of a label are all in which a node ever
//! had it: a superset for every view. Databases of before version 6 of the format have no
//! counts: the first question reads all records, and from that commit on they are known.

mod ranges;
mod stored;
mod tally;

use std::collections::BTreeMap;

use evergraph_storage::Needed;
use parking_lot::RwLock;

use self::ranges::Ranges;
#[cfg(test)]
pub(in crate::graph) use self::stored::COUNTS;
pub(in crate::graph) use self::tally::Tally;
use crate::dictionary::{LabelCode, TypeCode};
use crate::graph::schema::SubjectCode;
use crate::record::EntityKind;

/// Points of a history that are looked through without need.
const FEW_POINTS: usize = 8;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::graph) enum Counted {
    Nodes,
    /// Nodes with a label.
    Label(LabelCode),
    /// Relationships of a type.
    Type(TypeCode),
}

impl Counted {
    /// Nodes or relationships.
    pub(in crate::graph) fn kind(self) -> EntityKind {
        match self {
            Counted::Nodes | Counted::Label(_) => EntityKind::Node,
            Counted::Type(_) => EntityKind::Relationship,
        }
    }
}

impl From<SubjectCode> for Counted {
    fn from(subject: SubjectCode) -> Self {
        match subject {
            SubjectCode::Label(label) => Counted::Label(label),
            SubjectCode::Type(kind) => Counted::Type(kind),
        }
    }
}

#[derive(Debug, Default)]
pub(in crate::graph) struct Counts(RwLock<Known>);

#[derive(Debug, Default)]
struct Known {
    all: BTreeMap<Counted, History>,
    /// Before this commit they are not known.
    since: u64,
    /// Nothing is known: `all` has what came after `since`.
    is_unknown: bool,
    /// Commits up to this one are in what was restored.
    merged: u64,
    /// Commits that no superblock's counts have, ascending.
    unstored: Vec<u64>,
    /// Commit of a round of checkpoint that is written and not published.
    pending: Option<u64>,
}

/// One count over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct History {
    /// Count from each commit on, ascending; 0 before the first.
    points: Vec<(u64, i64)>,
    chunks: Ranges,
    /// Points that the last pruning left.
    kept: usize,
}

impl History {
    fn at(&self, csn: u64) -> i64 {
        let known = self.points.partition_point(|point| point.0 <= csn);
        known.checked_sub(1).map_or(0, |last| self.points[last].1)
    }

    fn grow(&mut self, csn: u64, growth: i64) {
        let now = self.at(u64::MAX).saturating_add(growth);
        match self.points.last_mut() {
            Some(last) if last.0 == csn => last.1 = now,
            _ => self.points.push((csn, now)),
        }
    }

    /// Drops points that no view and no snapshot needs. `needed` may have been gathered
    /// a while ago: it says nothing of commits newer than its watermark.
    fn prune(&mut self, needed: &Needed) {
        let known = needed.watermark().unwrap_or(u64::MAX);
        let ends: Vec<u64> = self.points.iter().skip(1).map(|point| point.0).collect();
        let mut ends = ends.into_iter();
        self.points.retain(|&(begin, _)| match ends.next() {
            Some(end) => end > known || needed.is_needed(begin, end),
            None => true,
        });
        self.kept = self.points.len();
    }
}

impl Counts {
    /// Adds what a commit changes, before it is visible; one that is stored is skipped.
    pub(in crate::graph) fn apply(&self, csn: u64, tally: Tally, needed: &Needed) {
        if tally.0.is_empty() {
            return;
        }
        let mut known = self.0.write();
        if csn <= known.merged {
            return;
        }
        for (counted, change) in tally.0 {
            let history = known.all.entry(counted).or_default();
            change
                .chunks
                .into_iter()
                .for_each(|chunk| history.chunks.insert(chunk));
            if change.growth != 0 {
                history.grow(csn, change.growth);
            }
            if history.points.len() > 2 * history.kept + FEW_POINTS {
                history.prune(needed);
            }
        }
        if !known.is_unknown {
            known.unstored.push(csn);
        }
    }

    /// A count as of a commit that a view or a snapshot shows; `None` if it is not known.
    pub(in crate::graph) fn at(&self, counted: Counted, csn: u64) -> Option<u64> {
        let known = self.0.read();
        let count = || known.all.get(&counted).map_or(0, |history| history.at(csn));
        // What a damaged log made of it is no number of things.
        known
            .covers(csn)
            .then(|| u64::try_from(count()).unwrap_or(0))
    }

    /// The counts that are not 0, as [`Counts::at`].
    pub(in crate::graph) fn all_at(&self, csn: u64) -> Option<Vec<(Counted, u64)>> {
        let known = self.0.read();
        let all = || {
            let counts = known
                .all
                .iter()
                .map(|(counted, history)| (*counted, history.at(csn)));
            let counts = counts.filter_map(|(counted, count)| {
                let count = u64::try_from(count).ok()?;
                (count > 0).then_some((counted, count))
            });
            counts.collect()
        };
        known.covers(csn).then(all)
    }

    /// The chunks below `end` in which something that is counted may be as of a commit,
    /// ascending.
    pub(in crate::graph) fn chunks_with(&self, counted: Counted, csn: u64, end: u32) -> Vec<u32> {
        let known = self.0.read();
        if !known.covers(csn) {
            return (0..end).collect();
        }
        let Some(history) = known.all.get(&counted) else {
            return Vec::new();
        };
        let ranges = history.chunks.iter();
        let below = |range: &std::ops::Range<u32>| range.start.min(end)..range.end.min(end);
        ranges.flat_map(below).collect()
    }

    /// Whether something that is counted may be in a chunk as of a commit. O(log chunks).
    pub(in crate::graph) fn may_be_in(&self, counted: Counted, csn: u64, chunk: u32) -> bool {
        let known = self.0.read();
        let is_in = |history: &History| history.chunks.contains(chunk);
        !known.covers(csn) || known.all.get(&counted).is_some_and(is_in)
    }

    /// Takes in what a pass over all records counted as of a commit that a view shows.
    pub(in crate::graph) fn adopt(&self, csn: u64, scanned: Tally) {
        let mut known = self.0.write();
        if !known.is_unknown || csn < known.since {
            return;
        }
        let mut newer = vec![csn];
        for history in known.all.values_mut() {
            history.rebase(csn, 0);
            newer.extend(history.points.iter().map(|point| point.0));
        }
        for (counted, change) in scanned.0 {
            let history = known.all.entry(counted).or_default();
            history.rebase(csn, change.growth);
            change
                .chunks
                .into_iter()
                .for_each(|chunk| history.chunks.insert(chunk));
        }
        newer.retain(|&other| other >= csn);
        newer.sort_unstable();
        newer.dedup();
        (known.unstored, known.since, known.is_unknown) = (newer, csn, false);
    }
}

impl History {
    /// Makes the count as of a commit this one; later ones keep their growth.
    fn rebase(&mut self, csn: u64, count: i64) {
        let added = count - self.at(csn);
        self.points.retain(|point| point.0 > csn);
        self.points.iter_mut().for_each(|point| point.1 += added);
        self.points.insert(0, (csn, count));
    }
}

impl Known {
    fn covers(&self, csn: u64) -> bool {
        !self.is_unknown && self.since <= csn
    }
}
