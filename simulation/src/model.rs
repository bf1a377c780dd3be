//! The workload and its plain twin.

use std::collections::BTreeMap;

use evergraph_graph::Direction;
use evergraph_persistence::simulated::Random;

/// Vertices of the tiny graphs.
pub const VERTICES: u32 = 6;

/// One step of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Commits new edges.
    Insert(Vec<(u32, u32)>),
    /// Commits deletions.
    Delete(Vec<(u32, u32)>),
    /// Commits a larger number of vertices, and a named fact.
    Grow(u64),
    /// Merges.
    Checkpoint,
    /// Merges and drops what is deleted.
    Compact,
    /// The same in one vertex's sections; the others stay behind.
    CompactVertex(u32),
    /// Stops cleanly and opens again.
    Restart,
}

impl Operation {
    /// Whether it is a commit, which can share a sync with others.
    pub fn is_commit(&self) -> bool {
        !matches!(
            self,
            Operation::Checkpoint
                | Operation::Compact
                | Operation::CompactVertex(_)
                | Operation::Restart
        )
    }
}

/// `count` operations that follow from `seed`; compactions among them if the
/// store knows any.
pub fn operations(seed: u64, count: usize, compactions: bool) -> Vec<Operation> {
    let mut random = Random::new(seed);
    let edges = |random: &mut Random, most: u64| {
        let n = 1 + random.below(most);
        let vertex = |random: &mut Random| random.below(u64::from(VERTICES)) as u32;
        (0..n).map(|_| (vertex(random), vertex(random))).collect()
    };
    (0..count)
        .map(|_| match random.below(if compactions { 15 } else { 12 }) {
            0..=5 => Operation::Insert(edges(&mut random, 4)),
            6..=7 => Operation::Delete(edges(&mut random, 2)),
            8 => Operation::Grow(1 + random.below(u64::from(VERTICES) + 2)),
            9..=10 => Operation::Checkpoint,
            11 => Operation::Restart,
            12 => Operation::Compact,
            _ => Operation::CompactVertex(random.below(u64::from(VERTICES)) as u32),
        })
        .collect()
}

/// The graph as lists of live neighbors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Out-lists.
    pub out: BTreeMap<u32, Vec<u32>>,
    /// In-lists, if they are kept.
    pub incoming: BTreeMap<u32, Vec<u32>>,
    /// Vertices.
    pub vertex_count: u64,
    /// Value of the named fact.
    pub fact: Vec<u8>,
}

impl Model {
    /// The graph after some operations.
    pub fn after(direction: Direction, operations: &[Operation]) -> Self {
        let mut model = Model::default();
        for operation in operations {
            model.apply(direction, operation);
        }
        model
    }

    /// As the store shows it: deleting the last edge of a list leaves nothing.
    pub fn shown(mut self) -> Self {
        self.out.retain(|_, list| !list.is_empty());
        self.incoming.retain(|_, list| !list.is_empty());
        self
    }

    fn apply(&mut self, direction: Direction, operation: &Operation) {
        match operation {
            Operation::Insert(edges) => {
                for &(u, v) in edges {
                    self.out.entry(u).or_default().push(v);
                    match direction {
                        Direction::Undirected => self.out.entry(v).or_default().push(u),
                        Direction::Both => self.incoming.entry(v).or_default().push(u),
                        Direction::Out => {}
                    }
                    self.vertex_count = self.vertex_count.max(u64::from(u.max(v)) + 1);
                }
            }
            Operation::Delete(edges) => {
                for &(u, v) in edges {
                    remove_latest(&mut self.out, u, v);
                    match direction {
                        Direction::Undirected => remove_latest(&mut self.out, v, u),
                        Direction::Both => remove_latest(&mut self.incoming, v, u),
                        Direction::Out => {}
                    }
                }
            }
            Operation::Grow(count) => {
                self.vertex_count = self.vertex_count.max(*count);
                self.fact = count.to_le_bytes().to_vec();
            }
            Operation::Checkpoint
            | Operation::Compact
            | Operation::CompactVertex(_)
            | Operation::Restart => {}
        }
    }
}

fn remove_latest(lists: &mut BTreeMap<u32, Vec<u32>>, v: u32, target: u32) {
    if let Some(list) = lists.get_mut(&v)
        && let Some(at) = list.iter().rposition(|&u| u == target)
    {
        list.remove(at);
    }
}
