//! Nodes and relationships, where both are treated alike.

use std::sync::Arc;

use crate::dictionary::Names;
use crate::graph::core::Core;
use crate::graph::entity::{Node, Relationship};
use crate::graph::error::GraphError;
use crate::graph::ids::{NodeId, RelationshipId};
use crate::graph::names::KnownNames;
use crate::graph::schema::{Governed, SubjectCode};
use crate::graph::view::View;
use crate::record::{NodeRecord, PinnedChunks, RelationshipRecord, Table};
use crate::transaction::{Kind, Predicate};

/// A kind of record that is in a table, as a graph and a transaction show it.
pub(in crate::graph) trait Tabled: Governed + Kind {
    type Shown;

    /// Names of the subjects: labels or types.
    const SUBJECTS: Names;

    fn table(core: &Core) -> &Table<Self>;
    /// Chunks that a view keeps.
    fn pins(view: &View) -> &PinnedChunks<Self>;
    fn shown(id: u32, record: Arc<Self>, names: KnownNames) -> Self::Shown;
    fn subject(code: u32) -> Option<SubjectCode>;
    /// Reads that a transaction notes which scans for a subject, and the filter of its
    /// scan.
    fn scanned(subject: SubjectCode) -> (Predicate, Option<SubjectCode>);
    /// One as a view shows it.
    fn of_view(view: &View, id: u32) -> Result<Option<Arc<Self>>, GraphError> {
        Ok(Self::table(view.core()).get(id, view.csn())?)
    }
}

impl Tabled for NodeRecord {
    type Shown = Node;

    const SUBJECTS: Names = Names::Labels;

    #[inline]
    fn table(core: &Core) -> &Table<Self> {
        core.state.nodes()
    }

    #[inline]
    fn pins(view: &View) -> &PinnedChunks<Self> {
        &view.read.nodes
    }

    fn shown(id: u32, record: Arc<Self>, names: KnownNames) -> Node {
        Node::new(NodeId(id), record, names)
    }

    fn subject(code: u32) -> Option<SubjectCode> {
        Some(SubjectCode::Label(code))
    }

    fn scanned(subject: SubjectCode) -> (Predicate, Option<SubjectCode>) {
        match subject {
            SubjectCode::Label(label) => (Predicate::Label(label), Some(subject)),
            SubjectCode::Type(_) => (Predicate::Nodes, Some(subject)),
        }
    }
}

impl Tabled for RelationshipRecord {
    type Shown = Relationship;

    const SUBJECTS: Names = Names::Types;

    #[inline]
    fn table(core: &Core) -> &Table<Self> {
        core.state.relationships()
    }

    #[inline]
    fn pins(view: &View) -> &PinnedChunks<Self> {
        &view.read.relationships
    }

    fn shown(id: u32, record: Arc<Self>, names: KnownNames) -> Relationship {
        Relationship::new(RelationshipId(id), record, names)
    }

    fn subject(code: u32) -> Option<SubjectCode> {
        code.try_into().ok().map(SubjectCode::Type)
    }

    fn scanned(_: SubjectCode) -> (Predicate, Option<SubjectCode>) {
        (Predicate::Relationships, None)
    }
}
