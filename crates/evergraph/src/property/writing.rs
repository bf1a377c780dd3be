//! Rows into the graph, with the position of the import in the same commit.

use evergraph_io::interchange::{ExternalId, RelationshipRow};

use super::drafting::{Draft, Made, Maker, Property, Rows, draft};
use super::ids::NodeIds;
use super::transaction::{Retryable, TransactionError};
use super::value::Value;
use super::{GraphError, Load, NodeId, PropertyGraph, Transaction};

/// Fewer rows are written by a transaction: a load takes ids of chunks that are new,
/// a transaction those that are free in others.
pub(super) const WORTH_LOADING: usize = 256;

macro_rules! maker {
    ($maker:ty) => {
        impl Maker for $maker {
            fn make_node(&mut self, labels: &[&str], properties: &[Property]) -> Made<NodeId> {
                self.create_node(labels, named(properties))
            }

            fn make_relationship(&mut self, row: &RelationshipRow, ends: [NodeId; 2]) -> Made<()> {
                let [source, target] = ends;
                let properties = named(&row.properties);
                self.create_relationship(source, &row.kind, target, properties)?;
                Ok(())
            }
        }
    };
}

maker!(Transaction);
maker!(Load<'_>);

/// Makes nothing, and gives ids that no node has.
#[derive(Default)]
pub(super) struct Counting(pub u32);

impl Maker for Counting {
    fn make_node(&mut self, _: &[&str], _: &[Property]) -> Made<NodeId> {
        self.0 = self.0.wrapping_add(1);
        Ok(NodeId(self.0))
    }

    fn make_relationship(&mut self, _: &RelationshipRow, _: [NodeId; 2]) -> Made<()> {
        Ok(())
    }
}

/// Commits rows, in bulk if they are many. After an error nothing has changed, `ids`
/// neither.
pub(super) fn write<'r>(
    graph: &PropertyGraph,
    ids: &mut NodeIds,
    rows: &Rows<'r>,
) -> Result<Draft<'r>, GraphError> {
    let mut given = Vec::new();
    if rows.rows.len() >= WORTH_LOADING {
        match load(graph, ids, &mut given, rows) {
            Ok(Some(written)) => return Ok(written),
            Ok(None) => {}
            // In transactions where others keep writing.
            Err(error) if error.is_retryable() => {}
            Err(error) => {
                forget(ids, &mut given);
                return Err(error);
            }
        }
    }
    let written = graph.write(|tx| {
        forget(ids, &mut given);
        let draft = draft(tx, ids, &mut given, rows, &graph.view())?;
        for update in &draft.updates {
            for label in &update.labels {
                tx.add_label(update.node, label)?;
            }
            for (key, value) in &update.properties {
                tx.set(update.node, key, value.clone())?;
            }
        }
        for (name, value) in rows.position.facts(&draft.position, &draft.assigned) {
            tx.set_fact(&name, &value);
        }
        Ok(draft)
    });
    if written.is_err() {
        forget(ids, &mut given);
    }
    written
}

/// Commits rows in bulk. `None` if they are not for that: a load changes no node, and
/// makes no commit of facts alone.
fn load<'r>(
    graph: &PropertyGraph,
    ids: &mut NodeIds,
    given: &mut Vec<ExternalId>,
    rows: &Rows<'r>,
) -> Result<Option<Draft<'r>>, GraphError> {
    let mut load = graph.load();
    let rows = Rows {
        only_new: true,
        ..*rows
    };
    let draft = draft(&mut load, ids, given, &rows, &graph.view())?;
    if !draft.updates.is_empty() || !draft.makes_any() {
        return Ok(None);
    }
    for (name, value) in rows.position.facts(&draft.position, &draft.assigned) {
        load.set_fact(&name, &value);
    }
    load.commit()?;
    Ok(Some(draft))
}

/// Takes ids back.
fn forget(ids: &mut NodeIds, given: &mut Vec<ExternalId>) {
    given.drain(..).for_each(|id| ids.remove(&id));
}

/// Whether a commit failed because of the content of a row.
pub(super) fn is_of_rows(error: &GraphError) -> bool {
    matches!(
        error,
        GraphError::Name(_)
            | GraphError::Value(_)
            | GraphError::Constraint(_)
            | GraphError::Limit(_)
            | GraphError::Transaction(
                TransactionError::NoNode(_) | TransactionError::TooLarge { .. },
            )
    )
}

fn named(properties: &[Property]) -> impl Iterator<Item = (&str, Value)> {
    properties
        .iter()
        .map(|(key, value)| (&**key, value.clone()))
}
