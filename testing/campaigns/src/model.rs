//! The workload and its model.

use std::collections::BTreeMap;

use evergraph_graph::StoredLists;
use evergraph_simulated::Random;
use evergraph_topology::Layout;

/// Vertices of the tiny graphs.
pub const VERTICES: u32 = 6;

/// One step of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Commits new edges, with the bits of their weights (0 without weights).
    Insert(Vec<(u32, u32, u32)>),
    /// Commits deletions.
    Delete(Vec<(u32, u32)>),
    /// Deletes all edges of a vertex, as one commit.
    DeleteVertex(u32),
    /// Commits a larger number of vertices, and a named fact.
    Grow(u64),
    /// Commits external ids of the next vertices, from the first without.
    Name(u32, Vec<u64>),
    /// Merges.
    Checkpoint,
    /// Merges; the commits behind it, so many, come while it is under way.
    CheckpointMeanwhile(usize),
    /// Merges and drops what is deleted.
    Compact,
    /// The same in one vertex's sections; the others stay behind.
    CompactVertex(u32),
    /// Changes the layout.
    Relayout(Layout),
    /// Names the graph: a commit of its own.
    Snapshot(u8),
    /// The name goes; nothing happens if there is no such snapshot.
    DropSnapshot(u8),
    /// All snapshots but the newest are dropped, and the version history is written
    /// again.
    Flatten,
    /// Stops cleanly and opens again.
    Restart,
}

impl Operation {
    /// Whether it is a commit that can share a sync with others.
    pub fn is_commit(&self) -> bool {
        !matches!(
            self,
            Operation::DeleteVertex(_)
                | Operation::Checkpoint
                | Operation::CheckpointMeanwhile(_)
                | Operation::Compact
                | Operation::CompactVertex(_)
                | Operation::Relayout(_)
                | Operation::Flatten
                | Operation::Restart
        )
    }
}

/// `count` operations that follow from `seed`; with `merged`, those among them
/// that direct mode does not know: compactions, changes of layout, and deletions
/// of vertices, which are not one commit there.
pub fn operations(seed: u64, count: usize, merged: bool) -> Vec<Operation> {
    let mut workload = Workload {
        random: Random::new(seed),
        inserted: Vec::new(),
        deleted: None,
    };
    let kinds = if merged { 19 } else { 12 };
    (0..count).map(|_| workload.next(kinds)).collect()
}

/// `count` operations that follow from `seed`, of a graph with named snapshots.
pub fn snapshot_operations(seed: u64, count: usize) -> Vec<Operation> {
    let mut workload = Workload {
        random: Random::new(seed),
        inserted: Vec::new(),
        deleted: None,
    };
    let mut names = Vec::new();
    let mut next = 0;
    let mut operation = || match workload.random.below(20) {
        0..=3 => workload.next_of(0),
        4..=6 => workload.next_of(6),
        7..=10 => {
            names.push(next);
            next += 1;
            Operation::Snapshot(next - 1)
        }
        11..=12 if !names.is_empty() => {
            let at = workload.random.below(names.len() as u64) as usize;
            Operation::DropSnapshot(names.remove(at))
        }
        11..=13 => Operation::Checkpoint,
        14 => Operation::Restart,
        15 => Operation::Compact,
        16..=17 => workload.next_of(17),
        18 => {
            names.drain(..names.len().saturating_sub(1));
            Operation::Flatten
        }
        _ => workload.next_of(13),
    };
    (0..count).map(|_| operation()).collect()
}

struct Workload {
    random: Random,
    inserted: Vec<(u32, u32)>,
    /// Source of the last deletion.
    deleted: Option<u32>,
}

impl Workload {
    fn next(&mut self, kinds: u64) -> Operation {
        let kind = self.random.below(kinds);
        self.next_of(kind)
    }

    /// An operation of one kind.
    fn next_of(&mut self, kind: u64) -> Operation {
        match kind {
            0..=5 => {
                let edges = self.edges(4);
                self.inserted.extend(&edges);
                Operation::Insert(edges.into_iter().map(|(u, v)| (u, v, 0)).collect())
            }
            6..=7 => {
                let edges = self.edges_to_delete();
                self.deleted = edges.last().map(|edge| edge.0);
                Operation::Delete(edges)
            }
            8 => Operation::Grow(1 + self.random.below(u64::from(VERTICES) + 2)),
            9..=10 => Operation::Checkpoint,
            11 => Operation::Restart,
            12 => Operation::Compact,
            13 => Operation::Relayout(Layout::Blocks),
            14 => Operation::Relayout(Layout::Pma),
            15..=16 => Operation::DeleteVertex(self.vertex()),
            _ => {
                let vertex = self.vertex();
                // Mostly where there is something to drop.
                Operation::CompactVertex(self.deleted.take().unwrap_or(vertex))
            }
        }
    }

    fn vertex(&mut self) -> u32 {
        self.random.below(u64::from(VERTICES)) as u32
    }

    fn edges(&mut self, most: u64) -> Vec<(u32, u32)> {
        let count = 1 + self.random.below(most);
        (0..count).map(|_| (self.vertex(), self.vertex())).collect()
    }

    /// Half of them are likely to be there.
    fn edges_to_delete(&mut self) -> Vec<(u32, u32)> {
        let mut edges = self.edges(2);
        for edge in &mut edges {
            if !self.inserted.is_empty() && self.random.below(2) == 0 {
                *edge = self.inserted[self.random.below(self.inserted.len() as u64) as usize];
            }
        }
        edges
    }
}

/// Live neighbors of each vertex, with the bits of the weights.
pub type Lists = BTreeMap<u32, Vec<(u32, u32)>>;

/// The graph as lists of live neighbors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Out-lists.
    pub out: Lists,
    /// In-lists, if they are kept.
    pub incoming: Lists,
    /// Vertices.
    pub vertex_count: u64,
    /// Entries of the out-lists.
    pub arc_count: u64,
    /// Value of the named fact.
    pub fact: Vec<u8>,
    /// External ids, by vertex.
    pub ids: Vec<u64>,
    /// Wall time of the newest commit; `None` where the store takes it from the clock.
    pub wall_us: Option<i64>,
    /// Snapshots by name.
    pub snapshots: BTreeMap<String, Moment>,
}

/// The graph as of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Out-lists.
    pub out: Lists,
    /// In-lists, if they are kept.
    pub incoming: Lists,
    /// Vertices.
    pub vertex_count: u64,
    /// Entries of the out-lists.
    pub arc_count: u64,
    /// Wall time of the commit that it is of.
    pub wall_us: Option<i64>,
}

impl Model {
    /// The graph after some operations.
    pub fn after(direction: StoredLists, operations: &[Operation]) -> Self {
        let mut model = Model {
            wall_us: Some(0),
            ..Model::default()
        };
        for (number, operation) in operations.iter().enumerate() {
            model.date(number, operation);
            model.apply(direction, operation);
        }
        model
    }

    /// As the store shows it: deleting the last edge of a list leaves nothing.
    pub fn shown(mut self) -> Self {
        self.out.retain(|_, list| !list.is_empty());
        self.incoming.retain(|_, list| !list.is_empty());
        self.arc_count = self.out.values().map(|list| list.len() as u64).sum();
        self
    }

    /// The wall time that an operation leaves.
    fn date(&mut self, number: usize, operation: &Operation) {
        match operation {
            _ if operation.is_commit() => self.wall_us = Some(wall_us(number)),
            Operation::DeleteVertex(_) => self.wall_us = None,
            Operation::Flatten if self.snapshots.len() > 1 => self.wall_us = None,
            _ => {}
        }
    }

    fn apply(&mut self, direction: StoredLists, operation: &Operation) {
        match operation {
            Operation::Insert(edges) => {
                for &(u, v, weight) in edges {
                    self.out.entry(u).or_default().push((v, weight));
                    match direction {
                        StoredLists::Undirected => self.out.entry(v).or_default().push((u, weight)),
                        StoredLists::Both => self.incoming.entry(v).or_default().push((u, weight)),
                        StoredLists::Out => {}
                    }
                    self.vertex_count = self.vertex_count.max(u64::from(u.max(v)) + 1);
                }
            }
            Operation::Delete(edges) => {
                for &(u, v) in edges {
                    remove_latest(&mut self.out, u, v);
                    match direction {
                        StoredLists::Undirected => remove_latest(&mut self.out, v, u),
                        StoredLists::Both => remove_latest(&mut self.incoming, v, u),
                        StoredLists::Out => {}
                    }
                }
            }
            Operation::DeleteVertex(vertex) => {
                for lists in [&mut self.out, &mut self.incoming] {
                    lists.remove(vertex);
                    lists
                        .values_mut()
                        .for_each(|list| list.retain(|entry| entry.0 != *vertex));
                }
            }
            Operation::Grow(count) => {
                self.vertex_count = self.vertex_count.max(*count);
                self.fact = count.to_le_bytes().to_vec();
            }
            Operation::Name(_, ids) => {
                self.ids.extend(ids);
                self.vertex_count = self.vertex_count.max(self.ids.len() as u64);
            }
            Operation::Checkpoint
            | Operation::CheckpointMeanwhile(_)
            | Operation::Compact
            | Operation::CompactVertex(_)
            | Operation::Relayout(_)
            | Operation::Restart => {}
            Operation::Snapshot(number) => {
                let now = self.clone().shown();
                let moment = Moment {
                    arc_count: now.arc_count,
                    out: now.out,
                    incoming: now.incoming,
                    vertex_count: now.vertex_count,
                    wall_us: now.wall_us,
                };
                self.snapshots.insert(snapshot_name(*number), moment);
            }
            Operation::DropSnapshot(number) => {
                self.snapshots.remove(&snapshot_name(*number));
            }
            Operation::Flatten => {
                let newest = self.snapshots.pop_last();
                self.snapshots = newest.into_iter().collect();
            }
        }
    }
}

/// The wall time that the operation of this number is committed at.
pub fn wall_us(number: usize) -> i64 {
    1_000_000 + number as i64
}

/// Name of a snapshot: newer ones have greater names.
pub fn snapshot_name(number: u8) -> String {
    format!("s{number:03}")
}

/// Gives every edge of the workload a weight of its own.
pub fn weighted(mut operations: Vec<Operation>) -> Vec<Operation> {
    let mut next = 0u32;
    for operation in &mut operations {
        if let Operation::Insert(edges) = operation {
            for edge in edges {
                next += 1;
                edge.2 = (next as f32).to_bits();
            }
        }
    }
    operations
}

/// Gives external ids in the place of every third commit of edges.
pub fn identified(mut operations: Vec<Operation>) -> Vec<Operation> {
    let (mut next, mut inserts) = (0, 0);
    for operation in &mut operations {
        let is_insert = matches!(operation, Operation::Insert(_));
        inserts += u64::from(is_insert);
        if is_insert && inserts % 3 == 1 {
            let ids: Vec<u64> = (next..=next + inserts % 2).map(|id| 1000 + id).collect();
            let first = next as u32;
            next += ids.len() as u64;
            *operation = Operation::Name(first, ids);
        }
    }
    operations
}

fn remove_latest(lists: &mut Lists, v: u32, target: u32) {
    if let Some(list) = lists.get_mut(&v)
        && let Some(at) = list.iter().rposition(|&(u, _)| u == target)
    {
        list.remove(at);
    }
}
