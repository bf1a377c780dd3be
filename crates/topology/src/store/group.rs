//! The edges of commits that are applied together, on their way to the planes.

use evergraph_graph::Direction;
use evergraph_persistence::Needed;

use super::open::keeps_in_lists;
use super::{Config, Published};
use crate::entry::TOMBSTONE;
use crate::error::TopologyError;
use crate::front::sharding::{ArcColumns, NO_ORIGIN};
use crate::plane::Plane;
use crate::record::Edges;
use crate::section::{Commits, Context};

/// Edges of a group by plane, in log order.
pub(super) struct GroupEdges<'a> {
    out: Vec<ArcColumns<'a>>,
    incoming: Vec<ArcColumns<'a>>,
    pub undirected: bool,
    pub both: bool,
    deletes: bool,
    pub vertex_count: u64,
}

impl<'a> GroupEdges<'a> {
    pub fn new(config: &Config) -> Self {
        GroupEdges {
            out: Vec::new(),
            incoming: Vec::new(),
            undirected: config.direction == Direction::Undirected,
            both: keeps_in_lists(config),
            deletes: false,
            vertex_count: 0,
        }
    }

    pub fn insert(&mut self, edges: &'a Edges, origin: u32) {
        // A deletion names vertices without making them exist.
        let largest = edges.sources.iter().chain(&edges.targets).max();
        let count = largest.map_or(0, |&vertex| u64::from(vertex) + 1);
        self.vertex_count = self.vertex_count.max(count);
        self.add(edges, 0, origin);
    }

    pub fn delete(&mut self, edges: &'a Edges, origin: u32) {
        self.deletes = true;
        self.add(edges, TOMBSTONE, origin);
    }

    fn add(&mut self, edges: &'a Edges, tag: u32, origin: u32) {
        let columns = ArcColumns {
            sources: &edges.sources,
            targets: &edges.targets,
            weights: &edges.weights,
            tag,
            origin,
            mirrored: self.undirected,
        };
        self.out.push(columns);
        if self.both {
            self.incoming.push(ArcColumns {
                sources: columns.targets,
                targets: columns.sources,
                origin: NO_ORIGIN,
                ..columns
            });
        }
    }

    pub fn apply(
        &self,
        context: &Context,
        planes: &[Plane],
        commits: Commits,
        needed: &Needed,
        published: &mut Published,
        mut missed: impl FnMut(u32),
    ) -> Result<(), TopologyError> {
        let applied = planes[0].apply(context, commits, needed, &self.out, self.deletes)?;
        for origin in applied.missed {
            if origin != NO_ORIGIN {
                missed(origin);
            }
        }
        if self.both {
            planes[1].apply(context, commits, needed, &self.incoming, self.deletes)?;
        }
        published.arc_count = published.arc_count.wrapping_add_signed(applied.balance);
        published.vertex_count = published.vertex_count.max(self.vertex_count);
        Ok(())
    }
}
