//! The reading interface that a view and a transaction share.

use super::scan::NodeScan;
use crate::graph::entity::Node;
use crate::graph::error::GraphError;
use crate::graph::ids::NodeId;
use crate::graph::transaction::Transaction;
use crate::graph::view::View;

/// A reader of nodes: a [`View`], or a [`Transaction`] with its own writes.
pub trait Reading {
    /// The commit that it reads at.
    fn view(&self) -> &View;

    /// A node; `None` if there is none of this id.
    ///
    /// # Errors
    /// Damage, and errors of the medium.
    fn node(&self, id: NodeId) -> Result<Option<Node>, GraphError>;

    /// The nodes that have a label, by id.
    fn nodes_with_label(&self, label: &str) -> NodeScan<'_>;

    /// The nodes that are not read as of the view: those that a transaction wrote.
    fn written_nodes(&self) -> Vec<NodeId>;

    /// Whether everything that is read has to be noted, so that nothing but
    /// [`Reading::nodes_with_label`] may look for nodes with a label.
    fn is_noted(&self) -> bool;
}

impl Reading for View {
    fn view(&self) -> &View {
        self
    }

    fn node(&self, id: NodeId) -> Result<Option<Node>, GraphError> {
        View::node(self, id)
    }

    fn nodes_with_label(&self, label: &str) -> NodeScan<'_> {
        View::nodes_with_label(self, label)
    }

    fn written_nodes(&self) -> Vec<NodeId> {
        Vec::new()
    }

    fn is_noted(&self) -> bool {
        false
    }
}

impl Reading for Transaction {
    fn view(&self) -> &View {
        self.snapshot()
    }

    fn node(&self, id: NodeId) -> Result<Option<Node>, GraphError> {
        Transaction::node(self, id)
    }

    fn nodes_with_label(&self, label: &str) -> NodeScan<'_> {
        Transaction::nodes_with_label(self, label)
    }

    fn written_nodes(&self) -> Vec<NodeId> {
        Transaction::written_nodes(self)
    }

    fn is_noted(&self) -> bool {
        self.is_serializable()
    }
}
