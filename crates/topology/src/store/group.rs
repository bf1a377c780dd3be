//! The edges of commits that are applied together, on their way to the adjacencies.

use std::collections::BTreeMap;

use evergraph_graph::StoredLists;
use evergraph_storage::Needed;

use crate::adjacencies::{Adjacencies, in_adjacency, out_adjacency};
use crate::entry::TOMBSTONE;
use crate::error::TopologyError;
use crate::front::sharding::{ArcColumns, NO_ORIGIN};
use crate::published::Published;
use crate::record::{Edges, Op, Relationships};
use crate::section::Commits;
use crate::section::resources::Resources;
use crate::store::config::Config;

/// Edges of a group by type, in log order. Edges without types are of type 0.
pub(in crate::store) struct GroupEdges<'a> {
    types: BTreeMap<u16, TypeEdges<'a>>,
    pub undirected: bool,
    pub both: bool,
    pub vertex_count: u64,
}

/// Edges of one type.
#[derive(Default)]
struct TypeEdges<'a> {
    out: Vec<ArcColumns<'a>>,
    incoming: Vec<ArcColumns<'a>>,
    deletes: bool,
}

impl<'a> GroupEdges<'a> {
    pub(in crate::store) fn new(config: &Config) -> Self {
        GroupEdges {
            types: BTreeMap::new(),
            undirected: config.direction == StoredLists::Undirected,
            both: config.keeps_in_lists(),
            vertex_count: 0,
        }
    }

    /// Takes an operation if it is about edges. `origin` is the commit that learns
    /// which deletions had no effect.
    pub(in crate::store) fn add(&mut self, op: &'a Op, origin: u32) {
        match op {
            Op::Insert(edges) => self.add_edges(edges, 0, origin),
            Op::Delete(edges) => self.add_edges(edges, TOMBSTONE, origin),
            Op::InsertRelationships(new) => self.add_relationships(new, 0, origin),
            Op::DeleteRelationships(old) => self.add_relationships(old, TOMBSTONE, origin),
            _ => {}
        }
    }

    fn add_edges(&mut self, edges: &'a Edges, tag: u32, origin: u32) {
        let columns = ArcColumns {
            sources: &edges.sources,
            targets: &edges.targets,
            weights: bytemuck::cast_slice(&edges.weights),
            tag,
            origin,
            mirrored: self.undirected,
        };
        self.add_columns(0, columns);
    }

    fn add_relationships(&mut self, relationships: &'a Relationships, tag: u32, origin: u32) {
        let columns = ArcColumns {
            sources: &relationships.sources,
            targets: &relationships.targets,
            weights: &relationships.ids,
            tag,
            origin,
            mirrored: false,
        };
        self.add_columns(relationships.kind, columns);
    }

    fn add_columns(&mut self, kind: u16, columns: ArcColumns<'a>) {
        if columns.tag != TOMBSTONE {
            // A deletion names vertices without making them exist.
            let largest = columns.sources.iter().chain(columns.targets).max();
            let count = largest.map_or(0, |&vertex| u64::from(vertex) + 1);
            self.vertex_count = self.vertex_count.max(count);
        }
        let edges = self.types.entry(kind).or_default();
        edges.deletes |= columns.tag == TOMBSTONE;
        edges.out.push(columns);
        if self.both {
            edges.incoming.push(ArcColumns {
                sources: columns.targets,
                targets: columns.sources,
                origin: NO_ORIGIN,
                ..columns
            });
        }
    }

    pub(in crate::store) fn apply(
        &self,
        resources: &Resources,
        adjacencies: &Adjacencies,
        commits: Commits,
        needed: &Needed,
        published: &mut Published,
        mut missed: impl FnMut(u32),
    ) -> Result<(), TopologyError> {
        for (&kind, edges) in &self.types {
            let adjacency = adjacencies.reach(out_adjacency(kind));
            let applied = adjacency.apply(resources, commits, needed, &edges.out, edges.deletes)?;
            for origin in applied.missed {
                if origin != NO_ORIGIN {
                    missed(origin);
                }
            }
            if self.both {
                let adjacency = adjacencies.reach(in_adjacency(kind));
                adjacency.apply(resources, commits, needed, &edges.incoming, edges.deletes)?;
            }
            published.arc_count = published.arc_count.wrapping_add_signed(applied.balance);
        }
        published.vertex_count = published.vertex_count.max(self.vertex_count);
        Ok(())
    }
}

/// Sets a named fact; an empty value removes it.
pub(in crate::store) fn set_meta(meta: &mut BTreeMap<Vec<u8>, Vec<u8>>, key: &[u8], value: &[u8]) {
    if value.is_empty() {
        meta.remove(key);
    } else {
        meta.insert(key.to_vec(), value.to_vec());
    }
}
