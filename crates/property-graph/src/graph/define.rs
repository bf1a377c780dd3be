//! Making indexes and constraints, and dropping them.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;

use super::PropertyGraph;
use super::build::build;
use super::effects::Effect;
use super::error::GraphError;
use super::schema::{Definition, Entry, Rule, Stored, Subject, SubjectCode};
use super::transaction::Transaction;
use crate::dictionary::Names;
use evergraph_persistence::failpoint;

impl PropertyGraph {
    /// Makes an index: the nodes of a label are found fast by the values of some
    /// properties. Others commit meanwhile; they are found with it when this
    /// returns.
    ///
    /// Costs one pass over the nodes, and a moment in which nobody else writes: it
    /// conflicts with active writers, and tries again.
    ///
    /// # Errors
    /// A name that there is already; conflicts after many attempts.
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
    /// after this one.
    ///
    /// # Errors
    /// As there, and records for which it does not hold: then it is dropped again.
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
        self.write(|transaction| {
            let mut definitions = definitions.iter();
            definitions.try_for_each(|definition| transaction.define(definition))
        })?;
        let schema = &self.core.state.schema;
        let made = definitions.iter().map(|definition| &definition.name);
        let made: Vec<Arc<Entry>> = made.filter_map(|name| schema.named(name)).collect();
        failpoint!("index.populating");
        let built = build(&self.core, &made).and_then(|()| {
            failpoint!("index.populated");
            self.write(|transaction| made.iter().try_for_each(|entry| transaction.confirm(entry)))
        });
        if built.is_err() {
            self.write(|transaction| {
                made.iter()
                    .try_for_each(|entry| transaction.drop_entry(entry))
            })?;
        }
        built
    }

    /// Drops what a process that is gone had not finished making: what there is may
    /// not be as it says.
    pub(super) fn drop_unconfirmed(&self) -> Result<(), GraphError> {
        for entry in self.core.state.schema.entries().iter() {
            if !entry.is_confirmed() {
                self.drop_definition(&entry.stored.name)?;
            }
        }
        Ok(())
    }

    /// Drops an index or a constraint.
    ///
    /// # Errors
    /// If there is none of this name; conflicts after many attempts.
    pub fn drop_definition(&self, name: &str) -> Result<(), GraphError> {
        self.write(|transaction| transaction.drop_definition(name))
    }

    /// The indexes and constraints that there are, the oldest first; not those that
    /// are still being made.
    pub fn definitions(&self) -> Vec<Definition> {
        let dictionary = &self.core.state.dictionary;
        let name = |names, code| {
            let name = dictionary.name(names, code);
            name.map_or_else(String::new, |name| name.to_string())
        };
        let entries = self.core.state.schema.entries();
        let definition = |entry: &Arc<Entry>| Definition {
            name: entry.stored.name.clone(),
            subject: match entry.stored.subject {
                SubjectCode::Label(label) => Subject::Nodes(name(Names::Labels, label)),
                SubjectCode::Type(kind) => Subject::Relationships(name(Names::Types, kind.into())),
            },
            keys: entry
                .stored
                .keys
                .iter()
                .map(|&key| name(Names::Keys, key))
                .collect(),
            rule: entry.stored.rule,
        };
        let confirmed = entries.iter().filter(|entry| entry.is_confirmed());
        confirmed.map(definition).collect()
    }
}

fn check(definitions: &[Definition]) -> Result<(), GraphError> {
    let mut names = HashSet::new();
    for Definition { name, keys, .. } in definitions {
        if keys.is_empty() {
            let what = "an index or a constraint is about one property at least";
            return Err(GraphError::Unsupported(what.to_string()));
        }
        if !names.insert(name) {
            let what = format!("two of the indexes and constraints have the name \"{name}\"");
            return Err(GraphError::Unsupported(what));
        }
    }
    Ok(())
}

impl Transaction {
    pub(super) fn define(&mut self, definition: &Definition) -> Result<(), GraphError> {
        if let Err(error) = self.inner.lock_schema() {
            failpoint!("schema.waits-for-writers");
            return Err(error);
        }
        let core = Arc::clone(&self.core);
        let state = &core.state;
        let name = &definition.name;
        if state.schema.named(name).is_some() {
            return Err(GraphError::Unsupported(format!(
                "there is an index or a constraint \"{name}\" already"
            )));
        }
        let mut keys = Vec::new();
        for key in &definition.keys {
            keys.push(self.names.key(state, key)?);
        }
        let stored = Stored {
            name: name.clone(),
            subject: match &definition.subject {
                Subject::Nodes(label) => SubjectCode::Label(self.names.label(state, label)?),
                Subject::Relationships(kind) => SubjectCode::Type(self.names.kind(state, kind)?),
            },
            keys,
            rule: definition.rule,
        };
        self.schema.push(Effect::Schema {
            // Of this transaction none has one yet.
            number: state.schema.free_number() + self.schema.len() as u32,
            definition: Some(stored.encode(failpoint!("definitions.confirmed-too-early"))),
        });
        Ok(())
    }

    /// Says that all there is has been held to an entry, which nobody drops before the
    /// commit.
    pub(super) fn confirm(&mut self, entry: &Arc<Entry>) -> Result<(), GraphError> {
        let entries = self.hold_schema()?;
        if !entries.iter().any(|other| Arc::ptr_eq(other, entry)) {
            let name = &entry.stored.name;
            return Err(GraphError::Unsupported(format!(
                "\"{name}\" was dropped while it was being made"
            )));
        }
        self.schema.push(Effect::Confirmed {
            number: entry.number,
        });
        Ok(())
    }

    /// Drops an entry, unless somebody has.
    fn drop_entry(&mut self, entry: &Arc<Entry>) -> Result<(), GraphError> {
        self.inner.lock_schema()?;
        let entries = self.core.state.schema.entries();
        if entries.iter().any(|other| Arc::ptr_eq(other, entry)) {
            self.schema.push(Effect::Schema {
                number: entry.number,
                definition: None,
            });
        }
        Ok(())
    }

    fn drop_definition(&mut self, name: &str) -> Result<(), GraphError> {
        self.inner.lock_schema()?;
        let entry = self.core.state.schema.named(name).ok_or_else(|| {
            GraphError::Unsupported(format!("there is no index and no constraint \"{name}\""))
        })?;
        self.schema.push(Effect::Schema {
            number: entry.number,
            definition: None,
        });
        Ok(())
    }
}
