//! Rows into the graph, with the position of the import in the same commit.

use std::sync::Arc;

use evergraph_interchange::{ExternalId, NodeRow, RelationshipRow, Row, Standing};

use super::ids::NodeIds;
use super::position::{Assigned, Place, Position};
use super::transaction::{Retryable, TransactionError};
use super::value::Value;
use super::{GraphError, Load, NodeId, PropertyGraph, Transaction};

/// Fewer rows are written by a transaction: a load takes ids of chunks that are new,
/// a transaction those that are free in others.
const WORTH_LOADING: usize = 256;

/// A row of a file, and where it stands.
pub(super) struct Placed {
    pub row: Row,
    pub place: Place,
    pub line: u64,
    pub standing: Standing,
}

/// A row that fits nowhere.
pub(super) struct Unfit {
    pub line: u64,
    pub why: Why,
}

/// Why a row fits nowhere, and the column that says so.
pub(super) struct Why {
    pub column: Option<Arc<str>>,
    pub problem: String,
}

/// Outcome of a commit.
pub(super) struct Written {
    /// Position of the import after it.
    pub position: Position,
    /// Node ids of the rows.
    pub assigned: Assigned,
    /// Rows that fit nowhere.
    pub bad: Vec<Unfit>,
}

/// Writers of nodes and relationships: a transaction or a bulk load.
trait Maker {
    fn make_node(&mut self, row: &NodeRow) -> Result<NodeId, GraphError>;
    fn make_relationship(
        &mut self,
        row: &RelationshipRow,
        ends: (NodeId, NodeId),
    ) -> Result<(), GraphError>;
    fn note(&mut self, name: &[u8], value: &[u8]);
}

macro_rules! maker {
    ($maker:ty) => {
        impl Maker for $maker {
            fn make_node(&mut self, row: &NodeRow) -> Result<NodeId, GraphError> {
                self.create_node(&labels(row), properties(&row.properties))
            }

            fn make_relationship(
                &mut self,
                row: &RelationshipRow,
                (source, target): (NodeId, NodeId),
            ) -> Result<(), GraphError> {
                let properties = properties(&row.properties);
                self.create_relationship(source, &row.kind, target, properties)?;
                Ok(())
            }

            fn note(&mut self, name: &[u8], value: &[u8]) {
                self.set_fact(name, value);
            }
        }
    };
}

maker!(Transaction);
maker!(Load<'_>);

/// Commits rows of one kind, in bulk if they are many. After an error nothing has
/// changed, `ids` neither. Ends before the bad row that is one more than `most_bad`: an
/// import's position passes a bad row only when it may be left out.
pub(super) fn write(
    graph: &PropertyGraph,
    ids: &mut NodeIds,
    position: &Position,
    rows: &[Placed],
    most_bad: u64,
) -> Result<Written, GraphError> {
    let mut named = Vec::new();
    if rows.len() >= WORTH_LOADING {
        let mut load = graph.load();
        let made = make(&mut load, ids, &mut named, position, rows, most_bad);
        let written = made.and_then(|written| load.commit().map(|_| written));
        match written {
            Ok(written) => return Ok(written),
            Err(error) => {
                forget(ids, &mut named);
                // In transactions where others keep writing.
                if !error.is_retryable() {
                    return Err(error);
                }
            }
        }
    }
    let written = graph.write(|tx| {
        forget(ids, &mut named);
        make(tx, ids, &mut named, position, rows, most_bad)
    });
    if written.is_err() {
        forget(ids, &mut named);
    }
    written
}

/// Takes ids back.
fn forget(ids: &mut NodeIds, named: &mut Vec<&ExternalId>) {
    for id in named.drain(..) {
        ids.remove(id);
    }
}

/// Makes the nodes and relationships of rows. Ids that they give are added to `ids` and
/// to `named`.
fn make<'r>(
    maker: &mut impl Maker,
    ids: &mut NodeIds,
    named: &mut Vec<&'r ExternalId>,
    position: &Position,
    rows: &'r [Placed],
    most_bad: u64,
) -> Result<Written, GraphError> {
    let mut bad = Vec::new();
    let mut assigned = Assigned::default();
    let (mut nodes, mut relationships) = (0, 0);
    // Behind the last row, unless it ends before.
    let mut next = rows.last().map(|last| Place {
        row: last.place.row + 1,
        ..last.place
    });
    for placed in rows {
        let Placed { row, place, .. } = placed;
        let why = match row {
            Row::Node(NodeRow { id: Some(id), .. }) if ids.get(id).is_some() => {
                match is_taken(id, &placed.standing) {
                    Some(why) => why,
                    None => continue,
                }
            }
            Row::Node(node) => {
                let made = maker.make_node(node)?;
                assigned.push(*place, made);
                nodes += 1;
                if let Some(id) = &node.id {
                    ids.insert(id, made);
                    named.push(id);
                }
                continue;
            }
            Row::Relationship(relationship) => match ends(relationship, &placed.standing, ids) {
                Ok(ends) => {
                    maker.make_relationship(relationship, ends)?;
                    relationships += 1;
                    continue;
                }
                Err(why) => why,
            },
        };
        let line = placed.line;
        bad.push(Unfit { line, why });
        if bad.len() as u64 > most_bad {
            next = Some(*place);
            break;
        }
    }
    let mut after = position.clone();
    if let Some(next) = next
        && nodes + relationships > 0
    {
        after = position.advance(nodes, relationships, next);
        for (name, value) in position.facts(&after, &assigned) {
            maker.note(&name, &value);
        }
    }
    Ok(Written {
        position: after,
        assigned,
        bad,
    })
}

/// The ends of a relationship, or which of them is not there.
pub(super) fn ends(
    row: &RelationshipRow,
    standing: &Standing,
    ids: &NodeIds,
) -> Result<(NodeId, NodeId), Why> {
    let end = |at: usize, id: &ExternalId| {
        let columns = standing.ends.as_ref();
        ids.get(id).ok_or_else(|| Why {
            column: columns.map(|columns| Arc::clone(&columns[at])),
            problem: format!("there is no node {id}"),
        })
    };
    Ok((end(0, &row.source)?, end(1, &row.target)?))
}

/// The problem of a node whose id is there already; `None` if the row may merge.
pub(super) fn is_taken(id: &ExternalId, standing: &Standing) -> Option<Why> {
    let problem = || format!("there is a node {id} already");
    (!standing.merges).then(|| Why::of_row(problem()))
}

impl Why {
    /// Of the row as a whole.
    pub fn of_row(problem: String) -> Self {
        Why {
            column: None,
            problem,
        }
    }
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

fn labels(row: &NodeRow) -> Vec<&str> {
    row.labels.iter().map(|label| &**label).collect()
}

fn properties(row: &[(Arc<str>, Value)]) -> impl Iterator<Item = (&str, Value)> {
    row.iter().map(|(key, value)| (&**key, value.clone()))
}
