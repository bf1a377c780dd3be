//! Making indexes and constraints, and dropping them.

use std::collections::HashSet;
use std::sync::Arc;

use super::PropertyGraph;
use super::effects::Effect;
use super::error::GraphError;
use super::schema::{Definition, Entry, Rule, Stored};
use super::transaction::Transaction;
use super::view::View;
use crate::dictionary::Names;

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
        self.define(&Definition {
            name: name.to_string(),
            label: label.to_string(),
            keys: keys.iter().map(|key| key.to_string()).collect(),
            rule: Rule::Index,
        })
    }

    /// As [`PropertyGraph::create_index`], of anything that can hold for the nodes
    /// of a label. A constraint holds for all commits after this one.
    ///
    /// # Errors
    /// As there, and nodes for which it does not hold: then it is dropped again.
    pub fn define(&self, definition: &Definition) -> Result<(), GraphError> {
        if definition.keys.is_empty() {
            let what = "an index or a constraint is about one property at least";
            return Err(GraphError::Unsupported(what.to_string()));
        }
        self.write(|transaction| transaction.define(definition))?;
        let Some(entry) = self.core.state.schema.named(&definition.name) else {
            return Ok(());
        };
        let built = self.build(&entry);
        if built.is_err() {
            self.drop_definition(&definition.name)?;
        }
        built
    }

    /// Drops an index or a constraint.
    ///
    /// # Errors
    /// If there is none of this name; conflicts after many attempts.
    pub fn drop_definition(&self, name: &str) -> Result<(), GraphError> {
        self.write(|transaction| transaction.drop_definition(name))
    }

    /// The indexes and constraints that there are, the oldest first.
    pub fn definitions(&self) -> Vec<Definition> {
        let dictionary = &self.core.state.dictionary;
        let name = |names, code| {
            let name = dictionary.name(names, code);
            name.map_or_else(String::new, |name| name.to_string())
        };
        let entries = self.core.state.schema.entries();
        let definition = |entry: &Arc<Entry>| Definition {
            name: entry.stored.name.clone(),
            label: name(Names::Labels, entry.stored.label),
            keys: entry
                .stored
                .keys
                .iter()
                .map(|&key| name(Names::Keys, key))
                .collect(),
            rule: entry.stored.rule,
        };
        entries.iter().map(definition).collect()
    }

    /// Looks at all nodes that an entry is about, and builds its index.
    fn build(&self, entry: &Entry) -> Result<(), GraphError> {
        let view = self.view();
        let mut collector = entry.index.as_ref().map(|index| index.collector());
        let mut seen = HashSet::new();
        for node in view.nodes_with_label_code(entry.stored.label) {
            let node = node?;
            let violated = |what: &str| {
                let name = &entry.stored.name;
                GraphError::Constraint(format!("constraint \"{name}\", {}: {what}", node.id()))
            };
            if let Some(what) = entry.violation(node.record()) {
                return Err(violated(what));
            }
            let Some(key) = entry.key_of(node.record()) else {
                continue;
            };
            if let Some(collector) = &mut collector {
                collector.push(&key, node.id().0);
            }
            if entry.stored.rule.is_unique() && !seen.insert(key) {
                return Err(violated("another node has the same values"));
            }
        }
        self.fill(entry, &view, collector)
    }

    fn fill(
        &self,
        entry: &Entry,
        view: &View,
        collector: Option<crate::index::Collector>,
    ) -> Result<(), GraphError> {
        let (Some(index), Some(collector)) = (&entry.index, collector) else {
            return Ok(());
        };
        let Some((region, uuid)) = self.core.state.schema.place() else {
            return Ok(());
        };
        Ok(index.build(view.csn(), &region, &uuid, collector)?)
    }

    /// Builds the indexes that have no content: those that were damaged, and those
    /// that no checkpoint has stored.
    pub(super) fn build_missing_indexes(&self) -> Result<(), GraphError> {
        for entry in self.core.state.schema.entries().iter() {
            if entry.index.as_ref().is_some_and(|index| !index.is_built()) {
                self.build(entry)?;
            }
        }
        Ok(())
    }
}

impl Transaction {
    fn define(&mut self, definition: &Definition) -> Result<(), GraphError> {
        self.inner.lock_schema()?;
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
            label: self.names.label(state, &definition.label)?,
            keys,
            rule: definition.rule,
        };
        self.schema.push(Effect::Schema {
            number: state.schema.free_number(),
            definition: Some(stored.encode()),
        });
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
