//! Files of nodes and relationships into a database.
//!
//! First the nodes of all files, then the relationships, whose ends are found by
//! the ids in the files. Threads read ahead ([`reading`](super::reading)); one takes
//! the rows in their order and commits [`PropertyImport::rows_at_once`] at a time: in
//! bulk, where another thread commits ([`loading`](super::loading)), or in transactions
//! ([`writing`](super::writing)).

use std::sync::Arc;
use std::thread;

use evergraph_io::interchange::{BadRow, Contents, InterchangeError, Row};
use evergraph_storage::failpoint;

use super::drafting::{Draft, Placed, Rows, Rules, draft};
use super::fault::{Fault, Why};
use super::files::{Chosen, Defaults, Source};
use super::ids::NodeIds;
use super::import_options::{Dangling, Imported, PropertyImport};
use super::inspection::Inspection;
use super::keys::Keys;
use super::loading::{Loaded, Loads};
use super::position::{Assigned, Pass, Place, Position};
use super::reading::{Item, Portion, PortionRows, read_all};
use super::rejects::Rejects;
use super::writing::{Counting, is_of_rows, write};
use super::{GraphError, PropertyGraph};
use crate::{Cancellation, Error};

mod by_column;

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
    rules: Rules,
    skip_bad: u64,
    rows_at_once: usize,
    stop: &'a Cancellation,
    progress: &'a dyn Fn(&Imported),
    nodes: NodeIds,
    /// Rows that wait for their commit, and their file.
    rows: Vec<Placed>,
    /// Rows that wait by column; either these or `rows`. `None` where each row has to be
    /// looked at.
    loads: Option<Loads<'a>>,
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
    rejects: Option<Rejects>,
    /// Only counts, and what is found.
    inspecting: Option<(Counting, Inspection)>,
}

/// Imports files. What was committed stays if it is stopped or fails.
///
/// `progress` is called before the first row is read, and after each commit.
///
/// DRAM, until it returns: some 20 bytes for each node that has an integer as id; some
/// 40 and its bytes where the id is a text.
///
/// # Errors
/// A file that cannot be read, more bad rows than may be skipped, with file and
/// line; nodes of the graph that have the same key; [`Error::Interrupted`] if `stop` says so.
pub fn import(
    graph: &PropertyGraph,
    options: &PropertyImport,
    stop: &Cancellation,
    progress: &dyn Fn(&Imported),
) -> Result<Imported, Error> {
    let defaults = defaults(options);
    let chosen = Chosen::new(graph, options, &defaults, stop)?;
    let rules = options.identity();
    let mut position = Position::begin(graph.store(), &chosen.files, &defaults, &rules)?;
    let mut keys = Keys::of(graph, &options.keys)?;
    check_creation(options, &keys)?;
    keys.define(graph)?;
    let mut assigned = Assigned::default();
    match options.resume {
        true => (position, assigned) = position.resume(graph, options.or_begin)?,
        false => position.record_beginning(graph)?,
    }
    failpoint!("import.begun");
    let mut import = Import::new(graph, options, &chosen, (keys, position), (stop, progress))?;
    let position = &import.position;
    import.done.resumed_nodes = position.nodes;
    import.done.resumed_relationships = position.relationships;
    (import.earlier, import.assigned) = (position.next, assigned);
    // Of the files that are not read, before anything is missing.
    progress(&import.done);
    if !import.position.done {
        thread::scope(|scope| {
            import.loads = Some(Loads::start(scope, graph)?);
            let taken = import.take_all(&chosen.files, &defaults);
            // Its thread ends when there is nothing more to commit.
            import.loads = None;
            taken
        })?;
        import.position.clone().finish(graph.store())?;
    }
    Ok(import.done)
}

/// Reads files as [`import`] would, and writes nothing into the graph.
///
/// DRAM: as of an import; where a key has no index yet, the keys of all nodes, too.
///
/// # Errors
/// As of [`import`].
pub fn inspect(
    graph: &PropertyGraph,
    options: &PropertyImport,
    stop: &Cancellation,
    progress: &dyn Fn(&Imported),
) -> Result<Inspection, Error> {
    let defaults = defaults(options);
    let chosen = Chosen::new(graph, options, &defaults, stop)?;
    let mut keys = Keys::of(graph, &options.keys)?;
    check_creation(options, &keys)?;
    keys.scan(graph)?;
    let begun = (keys, Position::default());
    let mut import = Import::new(graph, options, &chosen, begun, (stop, progress))?;
    let mut inspection = Inspection::default();
    let files = chosen.files.iter();
    inspection.files = files
        .map(|file| (file.path.clone(), file.format()))
        .collect();
    let counting = Counting(graph.view().node_bound());
    import.inspecting = Some((counting, inspection));
    progress(&import.done);
    import.take_all(&chosen.files, &defaults)?;
    let (_, mut found) = import.inspecting.unwrap_or_default();
    found.imported = import.done;
    Ok(found)
}

fn defaults(options: &PropertyImport) -> Defaults {
    Defaults {
        separator: options.separator,
        label: options.label.as_deref().map(Arc::from),
        kind: options.relationship_type.as_deref().map(Arc::from),
    }
}

/// Refuses to make ends of relationships without knowing how.
fn check_creation(options: &PropertyImport, keys: &Keys) -> Result<(), Error> {
    match options.dangling {
        Dangling::Create if keys.is_empty() => Err(Error::argument(
            "nothing says which label and property the missing ends of relationships get",
            "name their key: --key Person.id",
        )),
        _ => Ok(()),
    }
}

impl<'a> Import<'a> {
    fn new(
        graph: &'a PropertyGraph,
        options: &PropertyImport,
        chosen: &Chosen,
        (keys, position): (Keys, Position),
        (stop, progress): (&'a Cancellation, &'a dyn Fn(&Imported)),
    ) -> Result<Self, Error> {
        let goes_on = position.done || position.next > Place::BEGIN;
        let rejects = options.rejects.as_deref();
        let rejects = rejects.map(|path| Rejects::create(path, &chosen.files, goes_on));
        Ok(Import {
            graph,
            rules: Rules {
                may_be_stored: !keys.is_empty() && graph.view().node_bound() > 0,
                keys,
                on_conflict: options.on_conflict,
                duplicates: options.duplicates,
                dangling: options.dangling,
            },
            skip_bad: options.skip_bad,
            rows_at_once: options.rows_at_once.clamp(1, PropertyImport::ROWS_AT_ONCE),
            stop,
            progress,
            nodes: NodeIds::default(),
            rows: Vec::new(),
            loads: None,
            bytes: 0,
            file: Arc::from(""),
            done: Imported {
                files: chosen.files.len(),
                ignored: chosen.ignored.clone(),
                tables: chosen.tables.clone(),
                undirected: chosen.undirected()?,
                ..Imported::default()
            },
            earlier: Place::BEGIN,
            position,
            assigned: Assigned::default(),
            node: None,
            rejects: rejects.transpose()?,
            inspecting: None,
        })
    }

    fn take_all(&mut self, files: &[Source], defaults: &Defaults) -> Result<(), Error> {
        for pass in [Pass::Nodes, Pass::Relationships] {
            let mut place = Place {
                pass,
                ..Place::BEGIN
            };
            let wants = |contents| pass.reads(contents);
            read_all(files, defaults, wants, |file, portion| {
                if file != place.file {
                    self.commit()?;
                    (place.file, place.row) = (file, 0);
                }
                self.take(&mut place, portion)
            })?;
            self.commit()?;
        }
        Ok(())
    }
}

impl Import<'_> {
    /// Takes rows of a file, whose first stands at `place`.
    fn take(&mut self, place: &mut Place, portion: Portion) -> Result<(), Error> {
        self.ask()?;
        self.file = portion.file;
        match portion.rows {
            PortionRows::Items(items) => self.take_items(place, portion.contents, items),
            PortionRows::Batch(batch) => self.take_batch(place, portion.contents, batch),
        }
    }

    /// Takes rows of a file, whose first stands at `place`.
    fn take_items(
        &mut self,
        place: &mut Place,
        contents: Contents,
        items: Vec<Item>,
    ) -> Result<(), Error> {
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
                    if let Some((_, inspection)) = &mut self.inspecting {
                        inspection.take(&row);
                    }
                    let placed = Placed {
                        row,
                        place: *place,
                        line,
                        standing,
                    };
                    match *place < self.earlier {
                        true => self.pass_over(&placed)?,
                        false => {
                            self.take_apart()?;
                            self.rows.push(placed);
                            self.bytes += bytes;
                        }
                    }
                }
                Err(InterchangeError::BadRow(bad)) if counts_bad => {
                    self.reject(&bad, None)?;
                    self.skip(bad)?;
                }
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
        let why = match &placed.row {
            Row::Relationship(row) => {
                let (view, standing) = (self.graph.view(), &placed.standing);
                self.rules
                    .ends(row, standing, &mut self.nodes, &view)?
                    .err()
            }
            Row::Node(row) => match self.rules.keys.call(row) {
                Err(why) => Some(why),
                Ok(called) => {
                    let assigned = self.assigned.node(placed.place);
                    let known = assigned.or_else(|| called.known(&self.nodes));
                    let why = match (assigned, known) {
                        (Some(_), _) => None,
                        (None, Some(_)) => {
                            self.rules.repeated(&called, &placed.standing, &self.nodes)
                        }
                        (None, None) => {
                            let problem = "it was left out before the interruption";
                            Some(Why::of_row(problem.to_string()))
                        }
                    };
                    if let (None, Some(node)) = (&why, known) {
                        called.names().for_each(|id| {
                            self.nodes.insert(id, node);
                        });
                    }
                    why
                }
            },
        };
        why.map_or(Ok(()), |why| self.leave_out(placed, why))
    }

    /// Commits the rows that wait, and waits until that has happened.
    fn commit(&mut self) -> Result<(), Error> {
        self.load()?;
        self.finish_load()?;
        self.bytes = 0;
        self.add_waiting()
    }

    /// Commits the rows that wait by themselves.
    fn add_waiting(&mut self) -> Result<(), Error> {
        if self.rows.is_empty() {
            return Ok(());
        }
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
            Ok(unfit) => {
                let mut unfit = unfit.into_iter();
                unfit.try_for_each(|(at, why)| self.leave_out(&rows[at], why))
            }
            Err(error) if !is_of_rows(&error) => Err(error.into()),
            Err(error) => match rows {
                [row] => self.leave_out(row, Why::of_row(error.to_string())),
                rows => {
                    let (first, second) = rows.split_at(rows.len() / 2);
                    self.add(first)?;
                    self.add(second)
                }
            },
        }
    }

    /// Commits rows of one kind, and gives those that are left out.
    fn write(&mut self, rows: &[Placed]) -> Result<Vec<(usize, Why)>, GraphError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let rows = Rows {
            rules: &self.rules,
            position: &self.position,
            rows,
            most_bad: self.skip_bad - self.done.skipped,
            only_new: false,
        };
        let written = match &mut self.inspecting {
            None => write(self.graph, &mut self.nodes, &rows)?,
            Some((counting, _)) => {
                let view = self.graph.view();
                draft(counting, &mut self.nodes, &mut Vec::new(), &rows, &view)?
            }
        };
        failpoint!("import.committed", until self.stop.is_cancelled());
        let committed = written.committed();
        Ok(self.note(committed))
    }

    /// Takes note of a commit, and gives the rows that are left out.
    fn note(&mut self, written: Draft<'static>) -> Vec<(usize, Why)> {
        let done = &mut self.done;
        done.nodes += written.nodes;
        done.relationships += written.relationships;
        done.updated += written.updated;
        done.unchanged += written.unchanged;
        done.created_ends += written.created_ends;
        done.lost_ids += written.lost_ids;
        self.position = written.position;
        self.assigned.extend(written.assigned);
        written.unfit
    }

    /// Whether to go on.
    fn ask(&mut self) -> Result<(), Error> {
        if !self.stop.is_cancelled() {
            return Ok(());
        }
        if let Some(loads) = &mut self.loads
            && let Some(Loaded::Committed(draft)) = loads.finish(&mut self.nodes)?
        {
            self.note(*draft);
        }
        Err(Error::Interrupted {
            message: format!(
                "{} nodes and {} relationships are in the database and stay",
                self.position.nodes, self.position.relationships
            ),
            hint: "run the same command with --resume to go on".to_string(),
        })
    }

    /// Leaves a row out, whether it is bad or a policy says so.
    fn leave_out(&mut self, placed: &Placed, why: Why) -> Result<(), Error> {
        let fault = why.fault;
        let bad = BadRow {
            file: Arc::clone(&self.file),
            line: placed.line,
            column: why.column,
            problem: why.problem,
        };
        self.reject(&bad, Some(&placed.row))?;
        match fault {
            fault if !self.rules.tolerates(fault) => return self.skip(bad),
            Fault::Dangling => self.done.dangling += 1,
            _ => self.done.duplicates += 1,
        }
        Ok(())
    }

    fn reject(&mut self, bad: &BadRow, row: Option<&Row>) -> Result<(), Error> {
        let rejects = self.rejects.as_mut();
        rejects.map_or(Ok(()), |rejects| rejects.add(bad, row))
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
