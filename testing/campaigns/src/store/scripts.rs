//! Workloads with a script: what is rare among random operations.

use evergraph_graph::StoredLists;
use evergraph_simulated::{Persistence, Random};
use evergraph_topology::Mode;

use super::{LOG_BYTES, StoreScenario};
use crate::model::{Operation, VERTICES};

/// Edges of the largest commit that is a record of the log: an eighth of its ring.
const MOST_EDGES: u64 = LOG_BYTES / 8 / 8;

impl StoreScenario {
    /// A list of blocks is compacted alone, and its space is used again: rare
    /// among random operations.
    pub fn one_list_compacted(persistence: Persistence) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, StoredLists::Out, 2, 0);
        scenario.name += "-one-list";
        let edges = |targets: &[u32]| targets.iter().map(|&v| (0, v, 0)).collect();
        let begin = [
            Operation::Insert(edges(&[1, 2, 3])),
            Operation::Checkpoint,
            Operation::Delete(vec![(0, 2)]),
            Operation::CompactVertex(0),
            Operation::Insert(edges(&[4, 5, 2, 1, 3, 4])),
            Operation::Checkpoint,
            Operation::Delete(vec![(0, 4), (0, 1)]),
            Operation::CompactVertex(0),
        ];
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario
    }

    /// Records that are just small enough for the ring, and small ones between them, so
    /// that laps end at every distance from its end, with records that fill them, that
    /// leave room for a header or for less, and that leave the lap.
    pub fn laps(persistence: Persistence, seed: u64) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, StoredLists::Out, seed, 0);
        scenario.name += "-laps";
        scenario.first_ring_bytes = LOG_BYTES;
        let mut random = Random::new(seed);
        let mut edges = |least: u64, most: u64| {
            let count = least + random.below(most - least + 1);
            let mut edge = || (random.below(6) as u32, random.below(6) as u32, 0);
            Operation::Insert((0..count).map(|_| edge()).collect())
        };
        // The log starts shortly behind the start of a lap: so its end is where the ring
        // is full.
        let mut begin = vec![edges(2, MOST_EDGES), Operation::Checkpoint];
        for part in 0..6 {
            begin.push(edges(MOST_EDGES - 4, MOST_EDGES));
            begin.push(edges(1, 8));
            if (part + seed).is_multiple_of(2) {
                begin.push(edges(8, MOST_EDGES));
            }
        }
        scenario.planned = begin.len();
        begin.extend([
            edges(MOST_EDGES - 2, MOST_EDGES),
            Operation::Checkpoint,
            edges(MOST_EDGES - 2, MOST_EDGES),
        ]);
        scenario.operations.splice(0..0, begin);
        scenario
    }

    /// Of the commits that a later life finds in the log, one section's are merged and
    /// another's are not: the log goes on to start among records of the life before.
    /// Replay reads them in two parts, because a section is merged in between.
    pub fn left_behind(persistence: Persistence) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, StoredLists::Out, 9, 0);
        scenario.name += "-left-behind";
        scenario.first_ring_bytes = LOG_BYTES;
        let edge = |u, v| Operation::Insert(vec![(u, v, 0)]);
        // Twice: a power cut in the first leaves the second to the later life.
        let begin = [
            edge(2, 3),
            edge(0, 1),
            Operation::CompactVertex(0),
            edge(0, 4),
            Operation::CompactVertex(2),
            Operation::CompactVertex(2),
            edge(2, 5),
            edge(0, 2),
            Operation::CompactVertex(0),
            Operation::CompactVertex(0),
            Operation::Checkpoint,
        ];
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario
    }

    /// A section of blocks grows until merges write it whole, and external ids are
    /// stored twice.
    pub fn section_rewritten(persistence: Persistence) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, StoredLists::Out, 4, 0);
        scenario.name += "-rewritten";
        let edges = |targets: &[u32]| targets.iter().map(|&v| (0, v, 0)).collect();
        let begin = [
            Operation::Insert(edges(&[1, 2, 3])),
            Operation::Name(0, vec![1000]),
            Operation::Checkpoint,
            Operation::Insert(edges(&[4, 5, 2, 1, 3, 4])),
            Operation::Name(1, vec![1001, 1002]),
            Operation::Checkpoint,
            Operation::Insert(edges(&[1, 2])),
            Operation::Checkpoint,
            Operation::Insert(edges(&[3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3])),
            Operation::Checkpoint,
        ];
        scenario.identified = true;
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario
    }

    /// Commits that lie in extents, alone and in groups with small ones; a ring that
    /// wraps around them and then is replaced by a larger one while it holds them.
    pub fn large_commits(persistence: Persistence) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, StoredLists::Out, 5, 0);
        scenario.name += "-large";
        scenario.first_ring_bytes = 512;
        let edges = |count: u32| (0..count).map(|i| (i % 3, i % VERTICES, 0)).collect();
        let (large, small) = (Operation::Insert(edges(9)), Operation::Insert(edges(1)));
        let begin = [
            large.clone(),
            small.clone(),
            Operation::Checkpoint,
            large.clone(),
            small.clone(),
            large.clone(),
            Operation::Delete(vec![(0, 3), (1, 1)]),
            small.clone(),
            small.clone(),
            large.clone(),
            // The ring has no room for this one.
            small.clone(),
            large.clone(),
            Operation::Checkpoint,
            large.clone(),
            Operation::Restart,
            large,
            small,
        ];
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario
    }

    /// Snapshots are passed by merges of one section, of all, and by compactions;
    /// segments are joined and dropped: all of it is rare among random operations.
    pub fn snapshots_passed(persistence: Persistence) -> Self {
        let mut scenario = Self::with_snapshots(persistence, StoredLists::Out, 6, 0);
        scenario.name += "-passed";
        let edges = |edges: &[(u32, u32)]| edges.iter().map(|&(u, v)| (u, v, 0)).collect();
        let begin = [
            Operation::Insert(edges(&[(0, 1), (0, 2), (2, 3)])),
            Operation::Snapshot(0),
            Operation::Insert(edges(&[(0, 3), (2, 4)])),
            Operation::CompactVertex(0),
            Operation::Delete(vec![(0, 1)]),
            Operation::Snapshot(1),
            Operation::Delete(vec![(0, 2)]),
            Operation::Compact,
            Operation::DropSnapshot(0),
            Operation::Insert(edges(&[(0, 5)])),
            Operation::Checkpoint,
            Operation::Flatten,
        ];
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario.renumber_snapshots(2);
        scenario
    }

    /// Commits come while merges are under way, which store some of what they bring: a
    /// snapshot between two of them shows what was there before the second.
    pub fn stored_ahead(persistence: Persistence) -> Self {
        let mut scenario = Self::with_snapshots(persistence, StoredLists::Out, 7, 0);
        scenario.name += "-stored-ahead";
        scenario.first_ring_bytes = LOG_BYTES;
        let edges = |edges: &[(u32, u32)]| edges.iter().map(|&(u, v)| (u, v, 0)).collect();
        let begin = [
            Operation::Insert(edges(&[(0, 1)])),
            Operation::Name(0, vec![1000]),
            Operation::CheckpointMeanwhile(4),
            Operation::Name(1, vec![1001, 1002]),
            Operation::Snapshot(0),
            Operation::Name(3, vec![1003]),
            Operation::Grow(5),
            Operation::Checkpoint,
            Operation::Insert(edges(&[(0, 2), (2, 3)])),
            Operation::CheckpointMeanwhile(5),
            Operation::Insert(edges(&[(2, 0)])),
            Operation::Snapshot(1),
            Operation::DropSnapshot(0),
            Operation::Delete(vec![(0, 2)]),
            Operation::Name(4, vec![1004, 1005]),
        ];
        scenario.identified = true;
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario.renumber_snapshots(2);
        scenario
    }

    /// Names are not used twice: behind the script they are numbered from `next` on.
    fn renumber_snapshots(&mut self, mut next: u8) {
        for operation in &mut self.operations[self.planned..] {
            match operation {
                Operation::Snapshot(number) => {
                    *number = next;
                    next += 1;
                }
                Operation::DropSnapshot(_) => *operation = Operation::Checkpoint,
                _ => {}
            }
        }
    }
}
