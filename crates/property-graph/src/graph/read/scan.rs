//! Passes over all nodes and relationships.

use super::records::Records;
use super::tabled::Tabled;
use crate::dictionary::Names;
use crate::graph::entity::{Node, Relationship};
use crate::graph::error::GraphError;
use crate::graph::names::KnownNames;
use crate::graph::schema::SubjectCode;
use crate::graph::transaction::Transaction;
use crate::graph::view::View;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::Predicate;

/// Nodes by id, all or those with a label. Reads a chunk at a time; after an
/// error it goes on with the next chunk.
pub struct NodeScan<'r> {
    records: Records<'r, NodeRecord>,
    names: KnownNames,
}

impl Iterator for NodeScan<'_> {
    type Item = Result<Node, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.records.next()?;
        Some(found.map(|(id, record)| NodeRecord::shown(id, record, self.names.clone())))
    }
}

/// Relationships by id. Reads a chunk at a time; after an error it goes on with
/// the next chunk.
pub struct RelationshipScan<'r> {
    records: Records<'r, RelationshipRecord>,
    names: KnownNames,
}

impl Iterator for RelationshipScan<'_> {
    type Item = Result<Relationship, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.records.next()?;
        Some(found.map(|(id, record)| RelationshipRecord::shown(id, record, self.names.clone())))
    }
}

impl View {
    /// All nodes, by id.
    pub fn nodes(&self) -> NodeScan<'_> {
        NodeScan {
            records: Records::of_view(self, None),
            names: self.dictionary().into(),
        }
    }

    /// The nodes that have a label, by id.
    pub fn nodes_with_label(&self, label: &str) -> NodeScan<'_> {
        let code = self.dictionary().code(Names::Labels, label);
        NodeScan {
            records: match code.map(SubjectCode::Label) {
                None => Records::none(self),
                label => Records::of_view(self, label),
            },
            names: self.dictionary().into(),
        }
    }

    /// All relationships, by id.
    pub fn relationships(&self) -> RelationshipScan<'_> {
        RelationshipScan {
            records: Records::of_view(self, None),
            names: self.dictionary().into(),
        }
    }
}

impl Transaction {
    /// All nodes, by id.
    pub fn nodes(&self) -> NodeScan<'_> {
        self.inner.has_read(Predicate::Nodes);
        NodeScan {
            records: Records::of_transaction(&self.inner, None),
            names: self.known_names(),
        }
    }

    /// The nodes that have a label, by id.
    pub fn nodes_with_label(&self, label: &str) -> NodeScan<'_> {
        NodeScan {
            records: match self.code(Names::Labels, label) {
                Some(code) => self.scan(SubjectCode::Label(code)),
                None => Records::none(self.snapshot()),
            },
            names: self.known_names(),
        }
    }

    /// All relationships, by id.
    pub fn relationships(&self) -> RelationshipScan<'_> {
        self.inner.has_read(Predicate::Relationships);
        RelationshipScan {
            records: Records::of_transaction(&self.inner, None),
            names: self.known_names(),
        }
    }

    /// Records among which are all of a subject, by id.
    pub(in crate::graph) fn scan<R: Tabled>(&self, subject: SubjectCode) -> Records<'_, R> {
        let (read, filter) = R::scanned(subject);
        self.inner.has_read(read);
        Records::of_transaction(&self.inner, filter)
    }
}
