//! Definitions within a transaction.
//!
//! They come or go with the transaction's other changes, in one commit. The schema is
//! locked exclusively from the first of them on, so no other transaction writes until the
//! commit: before it, all records are held to the new constraints. After it, their indexes
//! are built; until then lookups read the records.

use std::sync::Arc;

use evergraph_storage::failpoint;

use super::define::check;
use crate::graph::core::Core;
use crate::graph::error::GraphError;
use crate::graph::read::records::Records;
use crate::graph::read::tabled::Tabled;
use crate::graph::redo::RedoOperation;
use crate::graph::schema::{Definition, Entry, Stored};
use crate::graph::transaction::Transaction;
use crate::graph::view::View;
use crate::graph::write::load_check::Held;
use crate::record::{NodeRecord, RelationshipRecord};

impl Transaction {
    /// Makes an index or a constraint, which holds from the commit on, also for what the
    /// transaction writes before and after this.
    ///
    /// No other transaction writes from here to the end of this one. The commit costs a
    /// pass over the records of the label or type, with DRAM for the values that have to
    /// be unique, and a second one for an index;
    /// [`PropertyGraph::define`](crate::graph::PropertyGraph::define) lets others write
    /// meanwhile.
    ///
    /// # Errors
    /// A name that there is already; a conflict with a transaction that writes. From the
    /// commit: records for which it does not hold ([`GraphError::Constraint`]).
    pub fn define(&mut self, definition: &Definition) -> Result<(), GraphError> {
        check(std::slice::from_ref(definition))?;
        self.lock_schema()?;
        let number = self.add_definition(definition)?;
        self.schema.push(RedoOperation::Confirmed { number });
        Ok(())
    }

    /// As [`Transaction::define`], unless there is an index or a constraint of this name,
    /// or one with the same rule, label or type, and keys. Returns whether it made it.
    ///
    /// # Errors
    /// As there, but for a name that there is.
    pub fn define_if_absent(&mut self, definition: &Definition) -> Result<bool, GraphError> {
        self.lock_schema()?;
        if self.has_definition(definition)? {
            return Ok(false);
        }
        self.define(definition).map(|()| true)
    }

    /// Drops an index or a constraint; what the transaction writes is held to it no more.
    /// No other transaction writes from here to the end of this one.
    ///
    /// # Errors
    /// If there is none of this name; a conflict with a transaction that writes.
    pub fn drop_definition(&mut self, name: &str) -> Result<(), GraphError> {
        match self.drop_definition_if_exists(name)? {
            true => Ok(()),
            false => Err(GraphError::UnknownDefinition(name.to_string())),
        }
    }

    /// As [`Transaction::drop_definition`], if there is one of this name. Returns whether
    /// there was.
    ///
    /// # Errors
    /// A conflict with a transaction that writes.
    pub fn drop_definition_if_exists(&mut self, name: &str) -> Result<bool, GraphError> {
        self.lock_schema()?;
        let definitions = self.definitions_here()?;
        let named = definitions.iter().find(|(_, stored)| stored.name == name);
        let Some(&(number, _)) = named else {
            return Ok(false);
        };
        self.schema.push(RedoOperation::Schema {
            number,
            definition: None,
        });
        Ok(true)
    }

    /// Whether a definition would be one too many.
    pub(in crate::graph) fn has_definition(
        &self,
        definition: &Definition,
    ) -> Result<bool, GraphError> {
        let definitions = self.definitions_here()?;
        let mut named = definitions.iter();
        let dictionary = &self.core.state.dictionary;
        Ok(named.any(|(_, stored)| {
            let other = stored.named(dictionary);
            other.name == definition.name || other.is_same_rule(definition)
        }))
    }

    /// The definitions as the transaction sees them, with their numbers. They stay so
    /// while it has locked the schema.
    pub(super) fn definitions_here(&self) -> Result<Vec<(u32, Stored)>, GraphError> {
        let entries = self.core.state.schema.entries();
        let entries = entries.iter();
        let committed = entries.map(|entry| (entry.number, entry.stored.clone()));
        let mut all: Vec<(u32, Stored)> = committed.collect();
        for operation in &self.schema {
            match operation {
                RedoOperation::Schema {
                    number,
                    definition: Some(stored),
                } => all.push((*number, Stored::decode(stored)?.0)),
                RedoOperation::Schema {
                    number,
                    definition: None,
                } => all.retain(|(other, _)| other != number),
                _ => {}
            }
        }
        Ok(all)
    }

    /// Whether the transaction drops the definition of a number.
    pub(in crate::graph) fn drops(&self, number: u32) -> bool {
        self.schema.contains(&RedoOperation::Schema {
            number,
            definition: None,
        })
    }

    /// The definitions that its commit makes and brings online at once.
    pub(in crate::graph) fn own_definitions(&self) -> Result<Vec<Entry>, GraphError> {
        let is_confirmed = |number| self.schema.contains(&RedoOperation::Confirmed { number });
        let mut own = Vec::new();
        for operation in &self.schema {
            if let RedoOperation::Schema {
                number,
                definition: Some(stored),
            } = operation
                && is_confirmed(*number)
                && !self.drops(*number)
            {
                own.push(Entry::new(*number, Stored::decode(stored)?.0, true));
            }
        }
        Ok(own)
    }

    /// Holds all records to the transaction's own definitions: those of all other commits,
    /// which no other one follows while it has locked the schema, and its own.
    pub(in crate::graph) fn check_own_definitions(&self, own: &[Entry]) -> Result<(), GraphError> {
        if own.is_empty() || failpoint!("definitions.own-not-checked") {
            return Ok(());
        }
        let view = View::latest(&self.core);
        for entry in own {
            let mut held = Held::of(entry, &self.core.state.dictionary);
            self.hold_all::<NodeRecord>(&view, entry, &mut held)?;
            self.hold_all::<RelationshipRecord>(&view, entry, &mut held)?;
        }
        Ok(())
    }

    fn hold_all<R: Tabled>(
        &self,
        view: &View,
        entry: &Entry,
        held: &mut Held<'_>,
    ) -> Result<(), GraphError> {
        if !entry.is_about_any::<R>() {
            return Ok(());
        }
        let overlay = self.inner.overlay();
        for found in Records::<R>::of_view(view, Some(entry.stored.subject)) {
            let (id, record) = found?;
            if overlay.change::<R>(id).is_none() {
                held.take(id, &*record)?;
            }
        }
        for (id, change) in overlay.changes::<R>() {
            // Definitions of the transaction are about other keys than those that it keeps.
            let record = change.record(|| R::of_view(view, id))?;
            if let Some(record) = record.filter(|record| entry.is_about(&**record)) {
                held.take(id, &*record)?;
            }
        }
        Ok(())
    }
}

/// Builds the indexes of definitions that a transaction has just committed. One that
/// cannot be built is given up, as a damaged one is.
pub(in crate::graph) fn build_committed(core: &Arc<Core>, own: &[Entry]) {
    if own.is_empty() {
        return;
    }
    let entries = core.state.schema.entries();
    let is_own = |entry: &&Arc<Entry>| own.iter().any(|made| made.number == entry.number);
    let made: Vec<Arc<Entry>> = entries.iter().filter(is_own).cloned().collect();
    super::repair::build_or_give_up(core, &made);
}
