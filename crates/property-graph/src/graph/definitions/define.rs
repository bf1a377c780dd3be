//! Making indexes and constraints, and dropping them.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;

use super::build::{build, check_written};
use crate::dictionary::MOST_NAME_BYTES;
use crate::graph::PropertyGraph;
use crate::graph::core::Core;
use crate::graph::error::GraphError;
use crate::graph::redo::RedoOperation;
use crate::graph::schema::{
    Definition, DefinitionState, Entry, Rule, Stored, Subject, SubjectCode,
};
use crate::graph::transaction::Transaction;
use crate::index::Index;
use evergraph_storage::failpoint;

/// With at most so many keys left to check, the rest is checked while no other
/// transaction writes.
const FEW_KEYS: usize = 256;
/// Rounds of checks beside writers, in case these write faster.
const MOST_ROUNDS: usize = 16;

impl PropertyGraph {
    /// Makes an index: the nodes of a label are found fast by the values of some
    /// properties. Others commit meanwhile; they are found with it when this
    /// returns.
    ///
    /// Costs one pass over the nodes, and a moment in which no other transaction
    /// writes: it waits until those that do have ended, and those that begin meanwhile
    /// wait for one commit.
    ///
    /// # Errors
    /// A name that there is already; a conflict, if a transaction that writes does not
    /// end for 30 s.
    pub fn create_index(&self, name: &str, label: &str, keys: &[&str]) -> Result<(), GraphError> {
        self.define(&Definition::of_nodes(name, label, keys, Rule::Index))
    }

    /// As [`PropertyGraph::create_index`], of the relationships of a type.
    ///
    /// # Errors
    /// As there.
    pub fn create_relationship_index(
        &self,
        name: &str,
        kind: &str,
        keys: &[&str],
    ) -> Result<(), GraphError> {
        self.define(&Definition::of_relationships(name, kind, keys, Rule::Index))
    }

    /// As [`PropertyGraph::create_index`], of anything that can hold for the nodes
    /// of a label or the relationships of a type. A constraint holds for all commits
    /// after this one. Values that have to be unique cost a second moment without
    /// writers: what they wrote meanwhile is checked before the constraint holds. That
    /// takes DRAM in proportion to it.
    ///
    /// # Errors
    /// As there, and records for which it does not hold ([`GraphError::Constraint`]).
    /// Then nothing is held to it any more, and its name is free.
    pub fn define(&self, definition: &Definition) -> Result<(), GraphError> {
        self.define_all(slice::from_ref(definition))
    }

    /// As [`PropertyGraph::define`] of several: all of them, or, after an error, none.
    /// Costs no more than one pass over the nodes and one over the relationships.
    ///
    /// # Errors
    /// As there, and a name that is given twice.
    pub fn define_all(&self, definitions: &[Definition]) -> Result<(), GraphError> {
        check(definitions)?;
        let numbers = self.write(|transaction| {
            let definitions = definitions.iter();
            let numbers = definitions.map(|one| transaction.add_definition(one));
            numbers.collect::<Result<Vec<u32>, GraphError>>()
        })?;
        self.make(&numbers)
    }

    /// As [`PropertyGraph::define`], unless there is an index or a constraint of this
    /// name, or one with the same rule, label or type, and keys; it may still be made by
    /// another thread. Returns whether it made it.
    ///
    /// # Errors
    /// As [`PropertyGraph::define`], but for a name that there is.
    pub fn define_if_absent(&self, definition: &Definition) -> Result<bool, GraphError> {
        check(slice::from_ref(definition))?;
        let number = self.write(|transaction| {
            transaction.lock_schema()?;
            match transaction.has_definition(definition)? {
                true => Ok(None),
                false => transaction.add_definition(definition).map(Some),
            }
        })?;
        number.map_or(Ok(false), |number| self.make(&[number]).map(|()| true))
    }

    /// Brings populating definitions online.
    fn make(&self, numbers: &[u32]) -> Result<(), GraphError> {
        let mut making = Making::new(&self.core, numbers);
        failpoint!("index.populating");
        let interrupt = self.options.interrupt.as_deref();
        let made = build(&self.core, &making.entries, interrupt).and_then(|()| {
            failpoint!("index.populated");
            making.catch_up()?;
            self.write(|transaction| transaction.confirm(&making.entries))
        });
        making.end(made)
    }

    /// Fails definitions that a process which is gone had not finished making: existing
    /// records may break them.
    pub(in crate::graph) fn fail_unconfirmed(&self) {
        for entry in self.core.state.schema.entries().iter() {
            if !entry.is_confirmed() {
                self.core.fail(entry, "the process ended while it was made");
            }
        }
    }

    /// Drops an index or a constraint.
    ///
    /// # Errors
    /// If there is none of this name; conflicts after many attempts.
    pub fn drop_definition(&self, name: &str) -> Result<(), GraphError> {
        let schema = &self.core.state.schema;
        if schema.named(name).is_none() && schema.forget_failed(name) {
            return Ok(());
        }
        self.write(|transaction| transaction.drop_definition(name))
    }

    /// As [`PropertyGraph::drop_definition`], if there is one of this name. Returns
    /// whether there was.
    ///
    /// # Errors
    /// Conflicts after many attempts.
    pub fn drop_definition_if_exists(&self, name: &str) -> Result<bool, GraphError> {
        match self.drop_definition(name) {
            Err(GraphError::UnknownDefinition(_)) => Ok(false),
            dropped => dropped.map(|()| true),
        }
    }

    /// The indexes and constraints that hold, the oldest first.
    pub fn definitions(&self) -> Vec<Definition> {
        let all = self.definition_states().into_iter();
        let online = all.filter(|(_, state)| *state == DefinitionState::Online);
        online.map(|(definition, _)| definition).collect()
    }

    /// All indexes and constraints with their states, the oldest first: those that
    /// hold, those that are being made, and then those that could not be made since the
    /// opening, or that were being made when the process before ended. The last are
    /// listed until their names are used again or dropped, or the graph is closed.
    pub fn definition_states(&self) -> Vec<(Definition, DefinitionState)> {
        let all = self.numbered_definitions().into_iter();
        all.map(|(_, definition, state)| (definition, state))
            .collect()
    }

    /// As [`PropertyGraph::definition_states`], each with its number, which it keeps as
    /// long as it is there, also when the graph is opened again.
    pub fn numbered_definitions(&self) -> Vec<(u32, Definition, DefinitionState)> {
        let (schema, dictionary) = (&self.core.state.schema, &self.core.state.dictionary);
        let entries = schema.entries();
        let there = entries.iter().map(|entry| {
            let state = match entry.is_confirmed() {
                true => DefinitionState::Online,
                false => DefinitionState::Populating,
            };
            (entry.number, entry.stored.named(dictionary), state)
        });
        let failed = schema.failed().into_iter();
        let failed = failed.map(|(number, stored, reason)| {
            let state = DefinitionState::Failed(reason);
            (number, stored.named(dictionary), state)
        });
        there.chain(failed).collect()
    }
}

/// Definitions that are populating. If anything ends that before they are online, even a
/// panic, they have failed.
struct Making<'g> {
    core: &'g Arc<Core>,
    entries: Vec<Arc<Entry>>,
}

impl<'g> Making<'g> {
    fn new(core: &'g Arc<Core>, numbers: &[u32]) -> Self {
        let entries = core.state.schema.entries();
        let entries = entries
            .iter()
            .filter(|entry| numbers.contains(&entry.number));
        Making {
            core,
            entries: entries.cloned().collect(),
        }
    }

    /// Checks concurrent writes while writers go on, so that they wait for the last of
    /// them only.
    fn catch_up(&self) -> Result<(), GraphError> {
        for _ in 0..MOST_ROUNDS {
            let checked = check_written(self.core, &self.entries)?;
            let mut indexes = self.entries.iter().filter_map(|entry| entry.index.as_ref());
            if checked <= FEW_KEYS && indexes.all(Index::is_built) {
                break;
            }
        }
        Ok(())
    }

    fn end(&mut self, made: Result<(), GraphError>) -> Result<(), GraphError> {
        let entries = std::mem::take(&mut self.entries);
        made.inspect_err(|error| {
            let reason = error.to_string();
            entries
                .iter()
                .for_each(|entry| self.core.fail(entry, &reason));
        })
    }
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        for entry in &self.entries {
            self.core.fail(entry, "the thread that made it panicked");
        }
    }
}

pub(super) fn check(definitions: &[Definition]) -> Result<(), GraphError> {
    let mut names = HashSet::new();
    for Definition { name, keys, .. } in definitions {
        if keys.is_empty() {
            let what = "an index or a constraint is about one property at least";
            return Err(GraphError::BadDefinition(what.to_string()));
        }
        if name.is_empty() || name.len() > MOST_NAME_BYTES {
            return Err(GraphError::BadDefinition(format!(
                "the name of an index or a constraint has 1 to {MOST_NAME_BYTES} bytes, not {}",
                name.len()
            )));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = keys.iter().find(|key| !seen.insert(*key)) {
            let what = format!("\"{name}\" has the property \"{twice}\" twice; name it once");
            return Err(GraphError::BadDefinition(what));
        }
        if !names.insert(name) {
            let what = format!("two of the indexes and constraints have the name \"{name}\"");
            return Err(GraphError::BadDefinition(what));
        }
    }
    Ok(())
}

impl Transaction {
    /// Adds a definition, and gives its number.
    pub(in crate::graph) fn add_definition(
        &mut self,
        definition: &Definition,
    ) -> Result<u32, GraphError> {
        self.lock_schema()?;
        let name = &definition.name;
        let mut here = self.definitions_here()?.into_iter();
        if here.any(|(_, stored)| stored.name == *name) {
            return Err(GraphError::DefinitionExists(name.clone()));
        }
        let core = Arc::clone(&self.core);
        let state = &core.state;
        let mut keys = Vec::new();
        for key in &definition.keys {
            keys.push(self.names.key(&state.dictionary, key)?);
        }
        let stored = Stored {
            name: name.clone(),
            subject: match &definition.subject {
                Subject::Nodes(label) => {
                    SubjectCode::Label(self.names.label(&state.dictionary, label)?)
                }
                Subject::Relationships(kind) => {
                    SubjectCode::Type(self.names.kind(&state.dictionary, kind)?)
                }
            },
            keys,
            rule: definition.rule,
        };
        // Each of this transaction has one of its own.
        let number = state.schema.free_number() + self.schema.len() as u32;
        self.schema.push(RedoOperation::Schema {
            number,
            definition: Some(stored.encode(failpoint!("definitions.confirmed-too-early"))),
        });
        Ok(number)
    }

    /// Says that all there is has been held to definitions, which no other transaction
    /// drops before the commit. Values that have to be unique are checked as far as they
    /// were written meanwhile, while no other transaction writes.
    pub(in crate::graph) fn confirm(&mut self, making: &[Arc<Entry>]) -> Result<(), GraphError> {
        let is_unique = making.iter().any(|entry| entry.stored.rule.is_unique());
        if is_unique && !failpoint!("definitions.switched-beside-writers") {
            self.lock_schema()?;
        }
        let entries = self.hold_schema()?;
        for made in making {
            if !entries.iter().any(|entry| Arc::ptr_eq(entry, made)) {
                return Err(GraphError::DefinitionDropped);
            }
            self.schema.push(RedoOperation::Confirmed {
                number: made.number,
            });
        }
        if !failpoint!("definitions.written-not-checked") {
            check_written(&self.core, making)?;
        }
        Ok(())
    }

    pub(super) fn lock_schema(&mut self) -> Result<(), GraphError> {
        let locked = self.inner.lock_schema();
        locked.inspect_err(|_| {
            failpoint!("schema.waits-for-writers");
        })
    }
}
