//! What lies beside a node.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_topology::{PlaneSet, in_plane, out_plane};

use super::ids::{NodeId, RelationshipId};
use crate::dictionary::TypeCode;

/// Types below this have bits of their own in a [`PlaneSet`].
const TYPES_WITH_BITS: TypeCode = 32;

/// Plane of the topology that holds the lists of a type.
pub(super) fn plane_of(kind: TypeCode, incoming: bool) -> usize {
    match incoming {
        false => out_plane(kind),
        true => in_plane(kind),
    }
}

/// Which relationships of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Towards {
    /// Those that leave it.
    Outgoing,
    /// Those that enter it.
    Incoming,
    /// All; a loop counts once.
    Both,
}

impl Towards {
    /// The planes of those lists.
    #[inline(always)]
    fn planes(self) -> PlaneSet {
        match self {
            Towards::Outgoing => PlaneSet::OUT,
            Towards::Incoming => PlaneSet::IN,
            Towards::Both => PlaneSet::ALL,
        }
    }

    /// The lists to read: whether it is that of incoming relationships.
    pub(super) fn lists(self) -> &'static [bool] {
        match self {
            Towards::Outgoing => &[false],
            Towards::Incoming => &[true],
            Towards::Both => &[false, true],
        }
    }
}

/// Types of relationships, looked up once ([`View::types`]) to be read at many
/// nodes. Cheap to clone.
///
/// [`View::types`]: super::View::types
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSet {
    codes: Arc<[TypeCode]>,
    /// Their planes, if all of them have bits of their own.
    planes: Option<PlaneSet>,
}

impl TypeSet {
    /// The types of these codes, which ascend.
    pub(super) fn of(codes: Vec<TypeCode>) -> Self {
        let planes = |kind: TypeCode| [out_plane(kind), in_plane(kind)];
        let have_bits = codes.iter().all(|&kind| kind < TYPES_WITH_BITS);
        TypeSet {
            planes: have_bits.then(|| codes.iter().flat_map(|&kind| planes(kind)).collect()),
            codes: codes.into(),
        }
    }

    /// Their codes, ascending.
    #[inline(always)]
    pub fn codes(&self) -> &[TypeCode] {
        &self.codes
    }

    /// Calls `read` with type, direction and plane of each list to read, by type,
    /// until it breaks or fails.
    #[inline(always)]
    pub(super) fn for_each_plane<B, E>(
        &self,
        towards: Towards,
        may_have: PlaneSet,
        mut read: impl FnMut(TypeCode, bool, usize) -> Result<ControlFlow<B>, E>,
    ) -> Result<ControlFlow<B>, E> {
        if let Some(planes) = self.planes {
            for plane in may_have.and(planes).and(towards.planes()).planes() {
                let flow = read((plane / 2) as TypeCode, plane % 2 == 1, plane)?;
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            return Ok(ControlFlow::Continue(()));
        }
        for &kind in self.codes() {
            for &incoming in towards.lists() {
                let plane = plane_of(kind, incoming);
                if may_have.may_contain(plane) {
                    let flow = read(kind, incoming, plane)?;
                    if flow.is_break() {
                        return Ok(flow);
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A relationship of a node, as the node's neighbor list has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Adjacent {
    /// Which relationship.
    pub relationship: RelationshipId,
    /// Its other end.
    pub neighbor: NodeId,
    /// Its type.
    pub kind: TypeCode,
    /// It enters the node.
    pub incoming: bool,
}

/// What `visit` does with the entries of lists: a loop, which is in two of them, it
/// sees once.
#[inline(always)]
pub(super) fn each_listed<B>(
    node: NodeId,
    towards: Towards,
    mut visit: impl FnMut(Adjacent) -> ControlFlow<B>,
) -> impl FnMut(TypeCode, bool, &[u32], &[u32]) -> ControlFlow<B> {
    move |kind, incoming, neighbors, ids| {
        let skips_loops = incoming && towards == Towards::Both;
        for (&neighbor, &relationship) in neighbors.iter().zip(ids) {
            if skips_loops && neighbor == node.0 {
                continue;
            }
            visit(Adjacent {
                relationship: RelationshipId(relationship),
                neighbor: NodeId(neighbor),
                kind,
                incoming,
            })?;
        }
        ControlFlow::Continue(())
    }
}
