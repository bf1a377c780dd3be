//! Files of nodes and relationships into a database.
//!
//! First the nodes of all files, then the relationships, whose ends are found by
//! the ids in the files. Threads read ahead ([`reading`](super::reading)); one takes
//! the rows in their order and commits [`PropertyImport::rows_at_once`] at a time: in
//! bulk, or in transactions ([`writing`](super::writing)).

use std::sync::Arc;

use evergraph_interchange::{BadRow, Contents, InterchangeError, Row};
use evergraph_storage::failpoint;

use super::files::{Chosen, Defaults};
use super::ids::NodeIds;
use super::import_options::{Imported, PropertyImport};
use super::position::{Assigned, Pass, Place, Position};
use super::reading::{Item, Portion, read_all};
use super::writing::{Placed, Unfit, Why, Written, ends, is_of_rows, is_taken, write};
use super::{GraphError, PropertyGraph};
use crate::{Cancellation, Error};

/// Bad rows that are remembered with their reasons.
const REMEMBERED: usize = 100;
/// Bytes of rows that wait for their commit at most, but for the last of them.
const BYTES_AT_ONCE: usize = 16 << 20;

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
    nodes: NodeIds,
    /// Rows that wait for their commit, and their file.
    rows: Vec<Placed>,
    /// DRAM of the waiting rows.
    bytes: usize,
    file: Arc<str>,
    done: Imported,
    /// Position recorded by the commits so far, and that of an earlier run.
    position: Position,
    earlier: Place,
    /// Node ids of the rows.
    assigned: Assigned,
    /// The last row of a node before the relationship at hand, and whether the node may
    /// be another row's.
    node: Option<(Place, bool)>,
}

/// Imports files. What was committed stays if it is stopped or fails.
///
/// DRAM, until it returns: some 20 bytes for each node that has an integer as id; some
/// 40 and its bytes where the id is a text.
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
    let (data, kind) = (options.data.as_deref(), options.kind);
    let chosen = Chosen::new(&options.files, kind, data, stop)?;
    chosen.check_separator(options.separator)?;
    let Chosen { files, ignored } = chosen;
    let defaults = Defaults {
        separator: options.separator,
        label: options.label.as_deref().map(Arc::from),
        kind: options.relationship_type.as_deref().map(Arc::from),
    };
    let mut position = Position::begin(&files, &defaults)?;
    let mut assigned = Assigned::default();
    if options.resume {
        (position, assigned) = position.resume(graph)?;
    } else {
        position.record_beginning(graph)?;
    }
    failpoint!("import.begun");
    let mut import = Import {
        graph,
        skip_bad: options.skip_bad,
        rows_at_once: options.rows_at_once.clamp(1, PropertyImport::ROWS_AT_ONCE),
        stop,
        progress,
        nodes: NodeIds::default(),
        rows: Vec::new(),
        bytes: 0,
        file: Arc::from(""),
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
        node: None,
    };
    if import.position.done {
        return Ok(import.done);
    }
    for pass in [Pass::Nodes, Pass::Relationships] {
        let mut place = Place {
            pass,
            file: 0,
            row: 0,
        };
        let wants = |contents| pass.reads(contents);
        read_all(&files, &defaults, wants, |file, portion| {
            if file != place.file {
                import.commit()?;
                (place.file, place.row) = (file, 0);
            }
            import.take(&mut place, portion)
        })?;
        import.commit()?;
    }
    import.position.finish(graph.store())?;
    Ok(import.done)
}

impl Import<'_> {
    /// Takes rows of a file, whose first stands at `place`.
    fn take(&mut self, place: &mut Place, portion: Portion) -> Result<(), Error> {
        self.ask()?;
        let Portion {
            file,
            contents,
            items,
        } = portion;
        self.file = file;
        // In files of both it was seen in the first pass.
        let counts_bad = contents != Contents::Both || place.pass == Pass::Nodes;
        for Item {
            row,
            line,
            standing,
            bytes,
        } in items
        {
            if let Ok(Row::Node(_)) = row {
                let pass = Pass::Nodes;
                self.node = Some((Place { pass, ..*place }, standing.merges));
            }
            match row {
                Ok(_) if standing.is_of_node && self.is_node_refused() => {}
                Ok(row) if place.pass.takes(&row) => {
                    let placed = Placed {
                        row,
                        place: *place,
                        line,
                        standing,
                    };
                    match *place < self.earlier {
                        true => self.pass_over(&placed)?,
                        false => {
                            self.rows.push(placed);
                            self.bytes += bytes;
                        }
                    }
                }
                Err(InterchangeError::BadRow(bad)) if counts_bad => self.skip(bad)?,
                Ok(_) | Err(InterchangeError::BadRow(_)) => {}
                Err(error) => return Err(error.into()),
            }
            place.row += 1;
            if self.rows.len() >= self.rows_at_once || self.bytes >= BYTES_AT_ONCE {
                self.commit()?;
            }
        }
        Ok(())
    }

    /// Whether the node of the row at hand was left out.
    fn is_node_refused(&self) -> bool {
        let assigned = |place| self.assigned.node(place).is_some();
        !self
            .node
            .is_some_and(|(place, merges)| merges || assigned(place))
    }

    /// Takes note of a row that an earlier run has committed, or left out.
    fn pass_over(&mut self, placed: &Placed) -> Result<(), Error> {
        let standing = &placed.standing;
        let why = match &placed.row {
            Row::Relationship(relationship) => ends(relationship, standing, &self.nodes).err(),
            Row::Node(node) => match (self.assigned.node(placed.place), &node.id) {
                (Some(known), Some(id)) => {
                    self.nodes.insert(id, known);
                    None
                }
                (Some(_), None) => None,
                (None, Some(id)) if self.nodes.get(id).is_some() => is_taken(id, standing),
                (None, _) => {
                    let problem = "it was left out before the interruption";
                    Some(Why::of_row(problem.to_string()))
                }
            },
        };
        let line = placed.line;
        why.map_or(Ok(()), |why| self.leave_out(Unfit { line, why }))
    }

    /// Commits the rows that wait.
    fn commit(&mut self) -> Result<(), Error> {
        self.ask()?;
        if self.rows.is_empty() {
            return Ok(());
        }
        self.bytes = 0;
        let mut rows = std::mem::take(&mut self.rows);
        self.add(&rows)?;
        rows.clear();
        self.rows = rows;
        (self.progress)(&self.done);
        Ok(())
    }

    /// Adds rows of one kind with one commit. If the graph refuses it, the halves
    /// are tried by themselves, down to the rows that are to blame.
    fn add(&mut self, rows: &[Placed]) -> Result<(), Error> {
        match self.write(rows) {
            Ok(bad) => bad.into_iter().try_for_each(|row| self.leave_out(row)),
            Err(error) if !is_of_rows(&error) => Err(error.into()),
            Err(error) => match rows {
                [row] => self.leave_out(Unfit {
                    line: row.line,
                    why: Why::of_row(error.to_string()),
                }),
                rows => {
                    let (first, second) = rows.split_at(rows.len() / 2);
                    self.add(first)?;
                    self.add(second)
                }
            },
        }
    }

    /// Commits rows of one kind, and gives those that fit nowhere.
    fn write(&mut self, rows: &[Placed]) -> Result<Vec<Unfit>, GraphError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let Written {
            position,
            assigned,
            bad,
        } = write(
            self.graph,
            &mut self.nodes,
            &self.position,
            rows,
            self.skip_bad - self.done.skipped,
        )?;
        failpoint!("import.committed", until self.stop.is_cancelled());
        self.assigned.extend(assigned);
        self.done.nodes += position.nodes - self.position.nodes;
        self.done.relationships += position.relationships - self.position.relationships;
        self.position = position;
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

    fn leave_out(&mut self, row: Unfit) -> Result<(), Error> {
        self.skip(BadRow {
            file: Arc::clone(&self.file),
            line: row.line,
            column: row.why.column,
            problem: row.why.problem,
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
