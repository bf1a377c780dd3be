//! What a procedure sees of the query that calls it.

use std::cell::RefCell;
use std::time::Instant;

use evergraph_functions::ReadError;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId, View};

use crate::graph::{Graph, Seen};
use crate::limits::Guard;
use crate::{Counters, Limits, QueryError};

/// What a procedure may see and do.
pub struct ProcedureContext<'a, 'g> {
    pub(crate) graph: &'a Graph<'g>,
    pub(crate) guard: &'a Guard,
    pub(crate) counters: &'a RefCell<Counters>,
}

impl ProcedureContext<'_, '_> {
    /// Reads what the query sees, its own writes too. Nothing can be written meanwhile.
    pub fn seen<T>(&self, body: impl FnOnce(Seen<'_>) -> T) -> T {
        self.graph.seen(body)
    }

    /// The commit that the query reads; `None` where its transaction has written, or
    /// records what it reads: then no commit shows what the query sees.
    pub fn view(&self) -> Option<View> {
        self.graph.committed()
    }

    /// The bounds of the query.
    pub fn limits(&self) -> &Limits {
        self.guard.limits()
    }

    /// When the query has to have ended.
    pub fn deadline(&self) -> Option<Instant> {
        self.guard.until()
    }

    /// Fails if the query is to stop.
    ///
    /// # Errors
    /// If it was cancelled, or takes too long.
    pub fn check(&self) -> Result<(), QueryError> {
        self.guard.check()
    }

    /// Gives a node a property, in the transaction of the query; null removes it.
    ///
    /// # Errors
    /// Conflicts; a procedure whose signature does not say that it writes.
    pub fn set(&self, node: NodeId, key: &str, value: Value) -> Result<(), ReadError> {
        self.graph.write()?.set(node, key, value)?;
        self.counters.borrow_mut().properties_set += 1;
        Ok(())
    }

    /// Makes a relationship, in the transaction of the query; properties that are null are
    /// none.
    ///
    /// # Errors
    /// As [`ProcedureContext::set`]; an end that there is not.
    pub fn create_relationship(
        &self,
        (source, kind, target): (NodeId, &str, NodeId),
        properties: &[(&str, Value)],
    ) -> Result<RelationshipId, ReadError> {
        let properties = properties.iter().filter(|(_, value)| *value != Value::Null);
        let properties = properties.map(|(key, value)| (*key, value.clone()));
        let mut counters = self.counters.borrow_mut();
        counters.properties_set += properties.clone().count() as u64;
        counters.relationships_created += 1;
        let mut transaction = self.graph.write()?;
        Ok(transaction.create_relationship(source, kind, target, properties)?)
    }
}
