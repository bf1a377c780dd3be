//! The property graph as its users see it.
//!
//! [`PropertyGraph`] is a graph on a [`Storage`]. A [`View`] reads it as of one
//! commit, a [`Transaction`] reads and writes it, a [`Projection`] is a part of it
//! as the algorithms read a graph, without a copy.
//!
//! ```
//! use evergraph_storage::medium::DramStorage;
//! use evergraph_property_graph::graph::{GraphError, GraphOptions, PropertyGraph, Direction};
//!
//! # fn main() -> Result<(), GraphError> {
//! let storage = DramStorage::new();
//! let graph = PropertyGraph::create(&storage, GraphOptions::default(), [1; 16])?;
//! let ann = graph.write(|transaction| {
//!     let ann = transaction.create_node(&["Person"], [("name", "Ann".into())])?;
//!     let bob = transaction.create_node(&["Person"], [("name", "Bob".into())])?;
//!     transaction.create_relationship(ann, "KNOWS", bob, [("since", 2019.into())])?;
//!     Ok(ann)
//! })?;
//! let view = graph.view();
//! for adjacent in view.neighbors(ann, Direction::Outgoing, &["KNOWS"])? {
//!     let friend = view.node(adjacent.neighbor)?.expect("no relationship without its ends");
//!     assert_eq!(friend.get_as::<String>("name")?.as_deref(), Some("Bob"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Storage`]: evergraph_storage::Storage

mod batch;
mod changes;
mod check;
mod committed;
mod core;
mod counts;
mod definitions;
mod entity;
mod error;
mod follow;
mod ids;
mod import_key;
mod latest;
mod limits;
mod names;
mod node_names;
mod open;
mod options;
mod projection;
mod read;
mod redo;
mod schema;
mod state;
mod statistics;
#[cfg(test)]
mod tests;
mod transaction;
mod view;
mod write;

use std::sync::Arc;

use evergraph_topology::{CheckReport, Snapshot, Store, TopologyError, is_reserved};

pub use batch::{
    Account, Adjoining, Common, Ends, Expanded, Filter, GraphRead, IdBounds, IndexCursor,
    IndexInfo, IndexSubject, LabelExpression, Labels, MORSEL_SLOTS, MOST_ADJOINING, Morsel,
    Morsels, Neighbors, Opened, Order, Test, TransactionView, UNCOMMITTED, Unavailable,
};
pub use changes::{ChangedNodes, Changes};
pub use entity::{Node, Relationship};
pub use error::GraphError;
pub use follow::Work;
pub use ids::{Entity, NodeId, RelationshipId};
pub use import_key::ImportKey;
pub use node_names::NodeNames;
pub use options::{GraphOptions, OpenOptions};
pub use projection::{Orientation, Projection, ProjectionOptions, ProjectionReader, Weighted};
pub use read::adjacency::Adjacent;
pub use read::counts::GraphCounts;
pub use read::direction::Direction;
pub use read::ends::LabelsAtEnds;
pub use read::estimated::{DegreeEstimate, Population, ValueEstimate};
pub use read::expander::Expander;
pub use read::reading::Reading;
pub use read::scan::{NodeScan, RelationshipScan};
pub use schema::{Broken, Definition, DefinitionState, Rule, Subject, ValueType, Violation};
pub use statistics::GraphStatistics;
pub use transaction::Transaction;
pub use view::View;
pub use write::load::Load;

use self::committed::Committed;
use self::core::Core;
use self::definitions::repair::repair_indexes;
pub use crate::expression::Comparison;
pub use crate::record::EntityKind;
pub use crate::transaction::Interrupt;
use crate::transaction::{
    ActiveTransaction, TransactionId, TransactionManager, TransactionOptions,
};

/// A property graph on a storage. Share it between threads by reference or in an
/// `Arc`.
pub struct PropertyGraph {
    core: Arc<Core>,
    transactions: Arc<TransactionManager<Committed>>,
    /// Of transactions that are told nothing else.
    options: TransactionOptions,
}

impl PropertyGraph {
    /// The same graph, all of whose transactions have these options unless they are told
    /// others: those of definitions and loads, too. O(1).
    #[must_use]
    pub fn with_options(&self, options: TransactionOptions) -> Self {
        PropertyGraph {
            core: Arc::clone(&self.core),
            transactions: Arc::clone(&self.transactions),
            options,
        }
    }

    /// The options of transactions that are told nothing else.
    pub fn transaction_options(&self) -> &TransactionOptions {
        &self.options
    }

    /// The graph at the newest visible commit. O(1).
    pub fn view(&self) -> View {
        View::latest(&self.core)
    }

    /// The graph as of a named snapshot.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn as_of(&self, name: &str) -> Result<View, GraphError> {
        let snapshot = self.core.store.snapshot(name)?;
        self.as_of_commit(snapshot.csn)
    }

    /// The graph as of a commit that is kept: that of a named snapshot, or the
    /// newest.
    ///
    /// # Errors
    /// If it is not kept; the error names the nearest that are.
    pub fn as_of_commit(&self, csn: u64) -> Result<View, GraphError> {
        let token = self.core.store.register_at(csn)?;
        Ok(View::new(&self.core, token))
    }

    /// The graph as of a view of its store. O(1).
    ///
    /// # Errors
    /// A view of another store.
    pub fn view_of(&self, moment: &evergraph_snapshots::View) -> Result<View, GraphError> {
        View::of_moment(&self.core, moment)
    }

    /// Begins a transaction at the newest visible commit, with snapshot
    /// isolation.
    pub fn begin(&self) -> Transaction {
        self.begin_with(&self.options)
    }

    /// As [`PropertyGraph::begin`], with other isolation, timeout or name.
    pub fn begin_with(&self, options: &TransactionOptions) -> Transaction {
        Transaction::new(&self.core, self.transactions.begin(options))
    }

    /// Runs `work` in a transaction with snapshot isolation and commits it. After a
    /// conflict with another transaction, it is run again, a little later. A resource
    /// that has to be locked exclusively (the schema, or a node that is deleted) and was
    /// not free is reserved before the next attempt begins; transactions that are younger
    /// wait as long.
    ///
    /// # Errors
    /// Errors of `work`, conflicts after many attempts, and errors of the commit. Then
    /// nothing of it is in the graph. `work` returns errors of its own as
    /// [`GraphError::User`].
    pub fn write<T>(
        &self,
        work: impl FnMut(&mut Transaction) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        self.write_with(self.options.clone(), work)
    }

    /// As [`PropertyGraph::write`], as if no other transaction ran at the time.
    ///
    /// # Errors
    /// As [`PropertyGraph::write`].
    pub fn write_serializable<T>(
        &self,
        work: impl FnMut(&mut Transaction) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        self.write_with(TransactionOptions::serializable(), work)
    }

    /// As [`PropertyGraph::write`], with other isolation, timeout, name or pauses.
    ///
    /// # Errors
    /// As [`PropertyGraph::write`].
    pub fn write_with<T>(
        &self,
        options: TransactionOptions,
        mut work: impl FnMut(&mut Transaction) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        self.transactions.execute(&options, |inner| {
            let mut transaction = Transaction::new(&self.core, inner);
            let done = work(&mut transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Nodes that one transaction can write at most, fewer if they are large
    /// ([`Settings::overlay_bytes`](crate::transaction::Settings::overlay_bytes)).
    pub fn most_nodes_written_at_once(&self) -> u64 {
        self.transactions.most_nodes_at_once()
    }

    /// The transactions that have begun and not ended, by number: the oldest keeps
    /// versions.
    pub fn active_transactions(&self) -> Vec<ActiveTransaction> {
        self.transactions.active()
    }

    /// Terminates a transaction of another owner: its locks are free at once, and its
    /// owner gets an error at the next step. `false` if there is none of this number, or
    /// it is committing.
    pub fn terminate(&self, id: TransactionId) -> bool {
        self.transactions.terminate(id)
    }

    /// Names the graph as of a commit of its own. Whatever a view of it reads is
    /// kept until the name is dropped: neighbors and properties. Of a graph in a
    /// `Database` use `Database::create_snapshot`, which also keeps to its rules of
    /// retention.
    ///
    /// # Errors
    /// A name that exists, is none, or is reserved: see [`Store::create_snapshot`].
    pub fn create_snapshot(&self, name: &str) -> Result<Snapshot, GraphError> {
        Ok(self.core.store.create_snapshot(name, None)?)
    }

    /// Drops a named snapshot.
    ///
    /// # Errors
    /// If there is none of this name; one that belongs to a result, with which it
    /// goes.
    pub fn drop_snapshot(&self, name: &str) -> Result<(), GraphError> {
        if is_reserved(name) {
            return Err(TopologyError::SnapshotOfResult(name.to_string()).into());
        }
        Ok(self.core.store.drop_snapshots(&[name])?)
    }

    /// The named snapshots, ascending by commit.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        self.core.store.snapshots()
    }

    /// Merges committed changes into the extents and frees that part of the log.
    /// Commits and readers go on meanwhile. Indexes that turn out to be damaged are
    /// built again from the records, and stored by the next checkpoint after a commit.
    ///
    /// # Errors
    /// A full disk, say, and damaged records: nothing has changed.
    pub fn checkpoint(&self) -> Result<(), GraphError> {
        self.core.latest.forget();
        self.core.store.checkpoint()?;
        repair_indexes(&self.core);
        Ok(())
    }

    /// As [`PropertyGraph::checkpoint`], and drops deleted edges from the neighbor lists,
    /// as far as no view and no snapshot needs them.
    pub fn compact(&self) -> Result<(), GraphError> {
        self.core.latest.forget();
        self.core.store.compact()?;
        repair_indexes(&self.core);
        Ok(())
    }

    /// Merges everything and marks the stop as clean. Nothing can be committed
    /// afterwards.
    pub fn close(&self) -> Result<(), GraphError> {
        self.core.latest.forget();
        Ok(self.core.store.close()?)
    }

    /// The store below: merging, statistics, snapshots.
    pub fn store(&self) -> &Arc<Store> {
        &self.core.store
    }

    /// Verifies every stored byte, and that neighbor lists and records agree.
    pub fn check(&self) -> CheckReport {
        let mut report = self.core.store.check();
        if report.problems.is_empty() {
            self.view().check(&mut report.problems);
        }
        report
    }
}
