//! Files of nodes and relationships into a database.
//!
//! First the nodes of all files, then the relationships, whose ends are found by
//! the ids in the files. Rows go in transactions of [`PropertyImport::rows_at_once`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_interchange::{
    BadRow, Contents, ExternalId, InterchangeError, NodeRow, RelationshipRow, Row, RowReader,
};
use evergraph_persistence::PersistenceError;
use evergraph_topology::TopologyError;

use super::files::{Chosen, FileKind};
use super::position::{Assigned, Pass, Place, Position};
use super::transaction::TransactionError;
use super::{GraphError, NodeId, PropertyGraph, Transaction};
use crate::{Cancellation, Error};

/// Bad rows that are remembered with their reasons.
const REMEMBERED: usize = 100;

/// Rows between two looks at whether to stop.
const ASKED_EVERY: u64 = 1024;

/// What to import, and how.
#[derive(Clone, Debug)]
pub struct PropertyImport {
    /// Files, and directories whose files are meant.
    pub files: Vec<PathBuf>,
    /// What they are; told from each file if nothing is said.
    pub kind: Option<FileKind>,
    /// Bad rows that are left out; one more ends the import.
    pub skip_bad: u64,
    /// Rows of one transaction, from 1 to [`PropertyImport::ROWS_AT_ONCE`].
    pub rows_at_once: usize,
    /// Goes on behind what the newest import, of the same files, has committed.
    /// Nobody may have deleted nodes meanwhile.
    pub resume: bool,
}

impl PropertyImport {
    /// Rows of one transaction at most, and what is best: some megabytes of the log.
    pub const ROWS_AT_ONCE: usize = 10_000;
}

/// What was imported.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Nodes that this run made.
    pub nodes: u64,
    /// Relationships that it made.
    pub relationships: u64,
    /// Nodes that runs before it had made of the same files.
    pub resumed_nodes: u64,
    /// Relationships that they had made.
    pub resumed_relationships: u64,
    /// Rows that were left out...
    pub skipped: u64,
    /// ...and the first hundred of them.
    pub bad_rows: Vec<BadRow>,
    /// Files that were read...
    pub files: usize,
    /// ...and those of directories that hold something else.
    pub ignored: Vec<PathBuf>,
}

impl Pass {
    fn takes(self, row: &Row) -> bool {
        match row {
            Row::Node(_) => self == Pass::Nodes,
            Row::Relationship(_) => self == Pass::Relationships,
        }
    }

    /// Whether a file may have such rows.
    fn reads(self, contents: Contents) -> bool {
        match contents {
            Contents::Nodes => self == Pass::Nodes,
            Contents::Relationships => self == Pass::Relationships,
            Contents::Both => true,
        }
    }
}

struct Import<'a> {
    graph: &'a PropertyGraph,
    skip_bad: u64,
    rows_at_once: usize,
    stop: &'a Cancellation,
    progress: &'a dyn Fn(&Imported),
    nodes: HashMap<ExternalId, NodeId>,
    done: Imported,
    /// What the commits so far say, and what those of an earlier run said.
    position: Position,
    earlier: Place,
    assigned: Assigned,
}

/// A row of a file, and where it stands.
struct Placed {
    row: Row,
    place: Place,
    line: u64,
}

/// Imports files. What was committed stays if it is stopped or fails.
///
/// DRAM, until it returns: some 60 bytes for each node that has an integer as id;
/// some 50 more and its bytes where the id is a text.
///
/// # Errors
/// A file that cannot be read, more bad rows than may be skipped, with file and
/// line; [`Error::Interrupted`] if `stop` says so.
pub fn import(
    graph: &PropertyGraph,
    options: &PropertyImport,
    stop: &Cancellation,
    progress: &dyn Fn(&Imported),
) -> Result<Imported, Error> {
    let Chosen { files, ignored } = Chosen::new(&options.files, options.kind)?;
    let mut position = Position::begin(&files)?;
    let mut assigned = Assigned::default();
    if options.resume {
        (position, assigned) = position.resume(graph)?;
    }
    let mut import = Import {
        graph,
        skip_bad: options.skip_bad,
        rows_at_once: options.rows_at_once.clamp(1, PropertyImport::ROWS_AT_ONCE),
        stop,
        progress,
        nodes: HashMap::new(),
        done: Imported {
            files: files.len(),
            ignored,
            resumed_nodes: position.nodes,
            resumed_relationships: position.relationships,
            ..Imported::default()
        },
        earlier: position.next,
        position,
        assigned,
    };
    if import.position.done {
        return Ok(import.done);
    }
    for pass in [Pass::Nodes, Pass::Relationships] {
        for (file, (path, kind)) in (0..).zip(&files) {
            let row = 0;
            import.read(path, *kind, Place { pass, file, row })?;
        }
    }
    import.position.finish(graph.store())?;
    Ok(import.done)
}

impl Import<'_> {
    /// Takes the rows of one kind from one file, whose first stands at `place`.
    fn read(&mut self, path: &Path, kind: FileKind, mut place: Place) -> Result<(), Error> {
        let mut reader = kind.open(path)?;
        let contents = reader.contents();
        let pass = place.pass;
        if !pass.reads(contents) {
            return Ok(());
        }
        // In files of both it was seen in the first pass.
        let counts_bad = contents != Contents::Both || pass == Pass::Nodes;
        let mut rows = Vec::new();
        while let Some(next) = reader.next() {
            match next {
                Ok(row) if pass.takes(&row) => {
                    let line = reader.line();
                    let placed = Placed { row, place, line };
                    match place < self.earlier {
                        true => self.pass_over(&placed, reader.file())?,
                        false => rows.push(placed),
                    }
                }
                Err(InterchangeError::BadRow(bad)) if counts_bad => self.skip(bad)?,
                Ok(_) | Err(InterchangeError::BadRow(_)) => {}
                Err(error) => return Err(error.into()),
            }
            place.row += 1;
            if place.row.is_multiple_of(ASKED_EVERY) {
                self.ask()?;
            }
            if rows.len() >= self.rows_at_once {
                self.commit(&mut rows, reader.file())?;
            }
        }
        self.commit(&mut rows, reader.file())
    }

    /// Takes note of a row that an earlier run has committed, or left out.
    fn pass_over(&mut self, placed: &Placed, file: &Arc<str>) -> Result<(), Error> {
        let problem = match &placed.row {
            Row::Relationship(relationship) => ends(relationship, &self.nodes).err(),
            Row::Node(node) => match (self.assigned.node(placed.place), &node.id) {
                (Some(known), Some(id)) => {
                    self.nodes.insert(id.clone(), known);
                    None
                }
                (Some(_), None) => None,
                (None, Some(id)) if self.nodes.contains_key(id) => Some(is_taken(id)),
                (None, _) => Some("it was left out before the interruption".to_string()),
            },
        };
        match problem {
            None => Ok(()),
            Some(problem) => self.skip(bad_row(file, placed.line, problem)),
        }
    }

    fn commit(&mut self, rows: &mut Vec<Placed>, file: &Arc<str>) -> Result<(), Error> {
        self.ask()?;
        self.add(rows, file)?;
        rows.clear();
        (self.progress)(&self.done);
        Ok(())
    }

    /// Adds rows of one kind in one transaction. If the graph refuses it, the halves
    /// are tried by themselves, down to the rows that are to blame.
    fn add(&mut self, rows: &[Placed], file: &Arc<str>) -> Result<(), Error> {
        match self.write(rows) {
            Ok(bad) => bad
                .into_iter()
                .try_for_each(|(line, problem)| self.skip(bad_row(file, line, problem))),
            Err(error) if !is_of_rows(&error) => Err(error.into()),
            Err(error) => match rows {
                [row] => self.skip(bad_row(file, row.line, error.to_string())),
                rows => {
                    let (first, second) = rows.split_at(rows.len() / 2);
                    self.add(first, file)?;
                    self.add(second, file)
                }
            },
        }
    }

    /// Commits rows of one kind, and gives the lines of those that fit nowhere, with
    /// the reasons.
    fn write(&mut self, rows: &[Placed]) -> Result<Vec<(u64, String)>, GraphError> {
        let Some(last) = rows.last() else {
            return Ok(Vec::new());
        };
        let next = Place {
            row: last.place.row + 1,
            ..last.place
        };
        let mut bad = Vec::new();
        let mut known = HashMap::new();
        let mut assigned = Assigned::default();
        let (ids, position) = (&self.nodes, &self.position);
        let mut after = position.clone();
        self.graph.write(|tx| {
            bad.clear();
            known.clear();
            assigned.clear();
            let (mut nodes, mut relationships) = (0, 0);
            for Placed { row, place, line } in rows {
                let problem = match row {
                    Row::Node(node) => match add_node(tx, node, ids, &mut known)? {
                        Ok(id) => {
                            assigned.push(*place, id);
                            nodes += 1;
                            continue;
                        }
                        Err(problem) => problem,
                    },
                    Row::Relationship(relationship) => match ends(relationship, ids) {
                        Ok(ends) => {
                            add_relationship(tx, relationship, ends)?;
                            relationships += 1;
                            continue;
                        }
                        Err(problem) => problem,
                    },
                };
                bad.push((*line, problem));
            }
            if nodes + relationships > 0 {
                after = position.advance(nodes, relationships, next);
                position.record(&after, &assigned, tx);
            }
            Ok(())
        })?;
        self.done.nodes += after.nodes - self.position.nodes;
        self.done.relationships += after.relationships - self.position.relationships;
        self.position = after;
        self.nodes.extend(known);
        Ok(bad)
    }

    /// Whether to go on.
    fn ask(&self) -> Result<(), Error> {
        if !self.stop.is_cancelled() {
            return Ok(());
        }
        Err(Error::Interrupted {
            message: format!(
                "{} nodes and {} relationships are in the database and stay",
                self.position.nodes, self.position.relationships
            ),
            hint: "run the same command with --resume to go on".to_string(),
        })
    }

    fn skip(&mut self, bad: BadRow) -> Result<(), Error> {
        let done = &mut self.done;
        done.skipped += 1;
        if done.skipped > self.skip_bad {
            return Err(match self.skip_bad {
                0 => InterchangeError::BadRow(bad),
                most => InterchangeError::TooManyBad {
                    bad,
                    count: done.skipped,
                    most,
                },
            }
            .into());
        }
        if done.bad_rows.len() < REMEMBERED {
            done.bad_rows.push(bad);
        }
        Ok(())
    }
}

fn bad_row(file: &Arc<str>, line: u64, problem: String) -> BadRow {
    BadRow {
        file: Arc::clone(file),
        line,
        column: None,
        problem,
    }
}

/// Whether it is for what stands in a row that a transaction cannot be.
fn is_of_rows(error: &GraphError) -> bool {
    match error {
        GraphError::Name(_)
        | GraphError::Value(_)
        | GraphError::Constraint(_)
        | GraphError::Unsupported(_)
        | GraphError::Transaction(TransactionError::NoNode(_)) => true,
        GraphError::Persistence(error)
        | GraphError::Topology(TopologyError::Persistence(error)) => {
            matches!(error, PersistenceError::CommitTooLarge { .. })
        }
        _ => false,
    }
}

fn is_taken(id: &ExternalId) -> String {
    format!("there is a node {id} already")
}

/// Adds a node, unless its id is taken; then says so.
fn add_node(
    tx: &mut Transaction,
    row: &NodeRow,
    ids: &HashMap<ExternalId, NodeId>,
    known: &mut HashMap<ExternalId, NodeId>,
) -> Result<Result<NodeId, String>, GraphError> {
    if let Some(id) = &row.id
        && (ids.contains_key(id) || known.contains_key(id))
    {
        return Ok(Err(is_taken(id)));
    }
    let labels: Vec<&str> = row.labels.iter().map(|label| &**label).collect();
    let node = tx.create_node(&labels, properties(&row.properties))?;
    if let Some(id) = &row.id {
        known.insert(id.clone(), node);
    }
    Ok(Ok(node))
}

/// The ends of a relationship, or which of them is not there.
fn ends(
    row: &RelationshipRow,
    ids: &HashMap<ExternalId, NodeId>,
) -> Result<(NodeId, NodeId), String> {
    let end = |id: &ExternalId| {
        let found = ids.get(id).copied();
        found.ok_or_else(|| format!("there is no node {id}"))
    };
    Ok((end(&row.source)?, end(&row.target)?))
}

fn add_relationship(
    tx: &mut Transaction,
    row: &RelationshipRow,
    (source, target): (NodeId, NodeId),
) -> Result<(), GraphError> {
    let properties = properties(&row.properties);
    tx.create_relationship(source, &row.kind, target, properties)?;
    Ok(())
}

fn properties(
    row: &[(Arc<str>, super::value::Value)],
) -> impl Iterator<Item = (&str, super::value::Value)> {
    row.iter().map(|(key, value)| (&**key, value.clone()))
}
