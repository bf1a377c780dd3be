//! Reading the relationships of many nodes.

use std::ops::ControlFlow;

use evergraph_topology::{ListReader, in_plane};

use super::adjacency::{Adjacent, Towards, TypeSet, each_listed};
use super::error::GraphError;
use super::ids::NodeId;
use super::view::View;
use crate::dictionary::TypeCode;

const NO_READER: u32 = u32::MAX;

/// Reads the relationships of many nodes of one view ([`View::expander`]), of some
/// types and in one direction or both.
pub struct Expander<'a> {
    view: &'a View,
    towards: Towards,
    types: TypeSet,
    readers: Vec<ListReader<'a>>,
    /// Which of them reads a plane.
    places: Vec<u32>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(view: &'a View, towards: Towards, types: &TypeSet) -> Self {
        Expander {
            view,
            towards,
            types: types.clone(),
            readers: Vec::new(),
            places: vec![NO_READER; types.codes().last().map_or(0, |&kind| in_plane(kind) + 1)],
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
        visit: impl FnMut(Adjacent) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        self.for_each_list(node, each_listed(node, self.towards, visit))
    }

    /// As [`Expander::for_each`], slice by slice, as [`View::expand_lists`] gives
    /// them.
    ///
    /// # Errors
    /// As [`Expander::for_each`].
    #[inline]
    pub fn for_each_list<B>(
        &mut self,
        node: NodeId,
        mut visit: impl FnMut(TypeCode, bool, &[u32], &[u32]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, GraphError> {
        let (view, towards) = (self.view, self.towards);
        let may_have = view.planes_of(node, towards, &self.types);
        let (readers, places) = (&mut self.readers, &mut self.places);
        self.types
            .for_each_plane(towards, may_have, |kind, incoming, plane| {
                if places[plane] == NO_READER {
                    places[plane] = readers.len() as u32;
                    readers.push(view.list_reader(plane));
                }
                let reader = &mut readers[places[plane] as usize];
                let each = |neighbors: &[u32], ids: &[u32]| visit(kind, incoming, neighbors, ids);
                Ok(reader.for_each_segment(node.0, each)?)
            })
    }
}
