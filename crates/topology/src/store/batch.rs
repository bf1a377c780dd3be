//! Batches of operations, and the results of their commits.

use evergraph_storage::DurabilityLevel;

use crate::record::{Edges, ExternalIds, Op, Relationships};

/// Changes that become durable and visible together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(in crate::store) ops: Vec<Op>,
    pub(in crate::store) wall_us: Option<i64>,
    /// It may create snapshots of reserved names.
    pub(in crate::store) reserves: bool,
}

/// Result of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its place in the order of all commits.
    pub csn: u64,
    /// The failures that it withstands.
    pub durability: DurabilityLevel,
    /// Deletions that found no edge and had no effect.
    pub missed_deletes: u64,
}

impl Batch {
    /// No changes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Adds edges without weights.
    pub fn insert(&mut self, edges: &[(u32, u32)]) -> &mut Self {
        self.insert_columns(Edges {
            sources: edges.iter().map(|e| e.0).collect(),
            targets: edges.iter().map(|e| e.1).collect(),
            weights: Vec::new(),
        })
    }

    /// Adds edges by column, weights among them if the graph has weights.
    pub fn insert_columns(&mut self, edges: Edges) -> &mut Self {
        self.ops.push(Op::Insert(edges));
        self
    }

    /// Deletes, for each pair, the latest live edge between the two.
    pub fn delete(&mut self, edges: &[(u32, u32)]) -> &mut Self {
        self.ops.push(Op::Delete(Edges {
            sources: edges.iter().map(|e| e.0).collect(),
            targets: edges.iter().map(|e| e.1).collect(),
            weights: Vec::new(),
        }));
        self
    }

    /// Adds relationships of one type: sources, targets and ids by column. An id is
    /// not that of another live relationship; the store does not look.
    pub fn insert_relationships(
        &mut self,
        kind: u16,
        sources: Vec<u32>,
        targets: Vec<u32>,
        ids: Vec<u32>,
    ) -> &mut Self {
        self.ops.push(Op::InsertRelationships(Relationships {
            kind,
            sources,
            targets,
            ids,
        }));
        self
    }

    /// Deletes relationships, each named by its type, ends and id: of parallel ones
    /// exactly that. What is not there is counted ([`Commit::missed_deletes`]).
    pub fn delete_relationships(
        &mut self,
        kind: u16,
        sources: Vec<u32>,
        targets: Vec<u32>,
        ids: Vec<u32>,
    ) -> &mut Self {
        self.ops.push(Op::DeleteRelationships(Relationships {
            kind,
            sources,
            targets,
            ids,
        }));
        self
    }

    /// Makes the graph have at least `count` vertices.
    pub fn add_vertices(&mut self, count: u64) -> &mut Self {
        self.ops.push(Op::Vertices(count));
        self
    }

    /// Gives the next vertices their external ids.
    pub fn assign_ids(&mut self, ids: ExternalIds) -> &mut Self {
        self.ops.push(Op::Ids(ids));
        self
    }

    /// Stores a small named fact, together with the rest; an empty value removes it.
    /// Keys that begin with `retention`, `import:` or `graph-import` are those of
    /// Evergraph itself, which does not know its database any more without them.
    pub fn set_meta(&mut self, key: &[u8], value: &[u8]) -> &mut Self {
        self.ops.push(Op::Meta {
            key: key.to_vec(),
            value: value.to_vec(),
        });
        self
    }

    /// Names the graph at the end of this commit (see
    /// [`crate::Store::create_snapshot`]).
    pub fn create_snapshot(&mut self, name: &str, time_us: Option<i64>) -> &mut Self {
        self.ops.push(Op::CreateSnapshot {
            name: name.to_string(),
            time_us,
        });
        self
    }

    /// As [`Batch::create_snapshot`], also of a name that is reserved
    /// ([`is_reserved`](crate::is_reserved)). For stores of results.
    pub fn hold_snapshot(&mut self, name: &str) -> &mut Self {
        self.reserves = true;
        self.create_snapshot(name, None)
    }

    /// Drops a snapshot.
    pub fn drop_snapshot(&mut self, name: &str) -> &mut Self {
        self.ops.push(Op::DropSnapshot {
            name: name.to_string(),
        });
        self
    }

    /// Gives the store's extension something to apply with this commit: see
    /// [`crate::StoreExtension::apply`].
    pub fn add_payload(&mut self, payload: Vec<u8>) -> &mut Self {
        self.ops.push(Op::Payload(payload));
        self
    }

    /// Says when the commit happened, microseconds since 1970; now by default.
    pub fn at(&mut self, wall_us: i64) -> &mut Self {
        self.wall_us = Some(wall_us);
        self
    }
}
