//! Reading the relationships of many nodes.

use std::ops::ControlFlow;

use evergraph_topology::{ListReader, in_adjacency};

use super::adjacency::{Adjacent, for_each_listed};
use super::direction::Direction;
use super::types::{ListOf, TypeSet};
use crate::dictionary::TypeCode;
use crate::graph::error::GraphError;
use crate::graph::ids::NodeId;
use crate::graph::view::View;

/// Reads the relationships of many nodes of one view ([`View::expander`]), of some
/// types and in one direction or both.
pub struct Expander<'a> {
    view: &'a View,
    direction: Direction,
    types: TypeSet,
    /// By adjacency, made as they are used.
    readers: Box<[Option<Box<ListReader<'a>>>]>,
}

impl<'a> Expander<'a> {
    pub(in crate::graph) fn new(view: &'a View, direction: Direction, types: TypeSet) -> Self {
        let adjacencies = types
            .codes()
            .last()
            .map_or(0, |&kind| in_adjacency(kind) + 1);
        Expander {
            view,
            direction,
            types,
            readers: (0..adjacencies).map(|_| None).collect(),
        }
    }

    /// Calls `visit` with the relationships of a node, in the order of
    /// [`View::neighbors`], until it breaks.
    ///
    /// # Errors
    /// Damage, found at the first read of a section.
    #[inline]
    pub fn for_each<B>(
        &mut self,
        node: NodeId,
        mut visit: impl FnMut(Adjacent) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        let direction = self.direction;
        self.read_lists(node, |list, neighbors, ids| {
            for_each_listed(node, direction, list, neighbors, ids, &mut visit)
        })
    }

    /// The same slice by slice: type, whether the relationships enter the node, the
    /// nodes at their other ends and their ids. A loop comes in both directions.
    ///
    /// # Errors
    /// As [`Expander::for_each`].
    #[inline]
    pub fn for_each_list<B>(
        &mut self,
        node: NodeId,
        mut visit: impl FnMut(TypeCode, bool, &[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        self.read_lists(node, |(kind, incoming, _), neighbors, ids| {
            visit(kind, incoming, neighbors, ids)
        })
    }

    #[inline(always)]
    fn read_lists<B>(
        &mut self,
        node: NodeId,
        mut visit: impl FnMut(ListOf, &[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        let may_have = self.view.adjacencies_of(node, self.direction, &self.types);
        for list in self.types.lists(self.direction, may_have) {
            let reader = &mut self.readers[list.2];
            let reader = reader.get_or_insert_with(|| Box::new(self.view.list_reader(list.2)));
            let each = |neighbors: &[u32], ids: &[u32]| visit(list, neighbors, ids);
            let flow = reader.for_each_segment(node.0, each)?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
