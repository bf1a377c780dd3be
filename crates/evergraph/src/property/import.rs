//! Files of nodes and relationships into a database.
//!
//! First the nodes of all files, then the relationships, whose ends are found by
//! the ids in the files. Rows go in transactions of [`PropertyImport::rows_at_once`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_interchange::{
    BadRow, ExternalId, InterchangeError, NodeRow, RelationshipRow, Row, RowReader,
};

use super::files::{Chosen, FileKind};
use super::{GraphError, NodeId, PropertyGraph, Transaction};
use crate::{Cancellation, Error};

/// Bad rows that are remembered with their reasons.
const REMEMBERED: usize = 100;

/// What to import, and how.
#[derive(Clone, Debug)]
pub struct PropertyImport {
    /// Files, and directories whose files are meant.
    pub files: Vec<PathBuf>,
    /// What they are; told from each file if nothing is said.
    pub kind: Option<FileKind>,
    /// Bad rows that are left out; one more ends the import.
    pub skip_bad: u64,
    /// Rows of one transaction.
    pub rows_at_once: usize,
}

impl PropertyImport {
    /// Rows of one transaction, if nothing else is asked for: some megabytes of the
    /// log.
    pub const ROWS_AT_ONCE: usize = 10_000;
}

/// What was imported.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Nodes.
    pub nodes: u64,
    /// Relationships.
    pub relationships: u64,
    /// Rows that were left out...
    pub skipped: u64,
    /// ...and the first hundred of them.
    pub bad_rows: Vec<BadRow>,
    /// Files that were read...
    pub files: usize,
    /// ...and those of directories that hold something else.
    pub ignored: Vec<PathBuf>,
}

/// The rows of one kind that a pass over the files takes.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Nodes,
    Relationships,
}

struct Import<'a> {
    graph: &'a PropertyGraph,
    options: &'a PropertyImport,
    stop: &'a Cancellation,
    progress: &'a dyn Fn(&Imported),
    nodes: HashMap<ExternalId, NodeId>,
    done: Imported,
}

/// Imports files. What was committed stays if it is stopped or fails.
///
/// DRAM: some 60 bytes for each node that has an id, until it returns.
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
    let mut import = Import {
        graph,
        options,
        stop,
        progress,
        nodes: HashMap::new(),
        done: Imported {
            files: files.len(),
            ignored,
            ..Imported::default()
        },
    };
    for pass in [Pass::Nodes, Pass::Relationships] {
        for (path, kind) in &files {
            import.read(path, *kind, pass)?;
        }
    }
    Ok(import.done)
}

impl Import<'_> {
    /// Takes the rows of one kind from one file.
    fn read(&mut self, path: &Path, kind: FileKind, pass: Pass) -> Result<(), Error> {
        let mut reader = kind.open(path)?;
        let mut rows = Vec::with_capacity(self.options.rows_at_once);
        loop {
            let row = match reader.next() {
                None => break,
                Some(Ok(row)) => row,
                Some(Err(InterchangeError::BadRow(bad))) => {
                    // In files of both it was seen in the first pass.
                    if kind.is_uniform() || pass == Pass::Nodes {
                        self.skip(bad)?;
                    }
                    continue;
                }
                Some(Err(error)) => return Err(error.into()),
            };
            let is_node = matches!(row, Row::Node(_));
            if is_node != (pass == Pass::Nodes) {
                if kind.is_uniform() {
                    return Ok(());
                }
                continue;
            }
            rows.push((row, reader.line()));
            if rows.len() == self.options.rows_at_once {
                self.commit(&mut rows, reader.file())?;
            }
        }
        self.commit(&mut rows, reader.file())
    }

    fn commit(&mut self, rows: &mut Vec<(Row, u64)>, file: &Arc<str>) -> Result<(), Error> {
        if self.stop.is_cancelled() {
            return Err(Error::Interrupted {
                message: format!(
                    "{} nodes and {} relationships are in the database and stay",
                    self.done.nodes, self.done.relationships
                ),
                hint: "import into a new database to begin again".to_string(),
            });
        }
        let mut bad = Vec::new();
        let mut known = HashMap::new();
        let ids = &self.nodes;
        self.graph.write(|tx| {
            bad.clear();
            known.clear();
            for (row, line) in rows.iter() {
                let problem = match row {
                    Row::Node(node) => add_node(tx, node, ids, &mut known)?,
                    Row::Relationship(relationship) => add_relationship(tx, relationship, ids)?,
                };
                bad.extend(problem.map(|problem| BadRow {
                    file: Arc::clone(file),
                    line: *line,
                    column: None,
                    problem,
                }));
            }
            Ok(())
        })?;
        let added = (rows.len() - bad.len()) as u64;
        match rows.first() {
            Some((Row::Node(_), _)) => self.done.nodes += added,
            _ => self.done.relationships += added,
        }
        rows.clear();
        self.nodes.extend(known);
        (self.progress)(&self.done);
        bad.into_iter().try_for_each(|bad| self.skip(bad))
    }

    fn skip(&mut self, bad: BadRow) -> Result<(), Error> {
        let done = &mut self.done;
        done.skipped += 1;
        if done.skipped > self.options.skip_bad {
            return Err(match self.options.skip_bad {
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

/// Adds a node, unless its id is taken; then says so.
fn add_node(
    tx: &mut Transaction,
    row: &NodeRow,
    ids: &HashMap<ExternalId, NodeId>,
    known: &mut HashMap<ExternalId, NodeId>,
) -> Result<Option<String>, GraphError> {
    if let Some(id) = &row.id
        && (ids.contains_key(id) || known.contains_key(id))
    {
        return Ok(Some(format!("there is a node {id} already")));
    }
    let labels: Vec<&str> = row.labels.iter().map(|label| &**label).collect();
    let node = tx.create_node(&labels, properties(&row.properties))?;
    if let Some(id) = &row.id {
        known.insert(id.clone(), node);
    }
    Ok(None)
}

/// Adds a relationship, if both ends are known; otherwise says which is not.
fn add_relationship(
    tx: &mut Transaction,
    row: &RelationshipRow,
    ids: &HashMap<ExternalId, NodeId>,
) -> Result<Option<String>, GraphError> {
    let (Some(&source), Some(&target)) = (ids.get(&row.source), ids.get(&row.target)) else {
        let missing = match ids.contains_key(&row.source) {
            true => &row.target,
            false => &row.source,
        };
        return Ok(Some(format!("there is no node {missing}")));
    };
    tx.create_relationship(source, &row.kind, target, properties(&row.properties))?;
    Ok(None)
}

fn properties(
    row: &[(Arc<str>, super::value::Value)],
) -> impl Iterator<Item = (&str, super::value::Value)> {
    row.iter().map(|(key, value)| (&**key, value.clone()))
}
