//! Rows of a result.

use std::sync::Arc;
use std::vec;

use evergraph_interpreter as interpreter;
use evergraph_interpreter::{Counters, Profile};
#[cfg(feature = "columnar")]
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::View;

use super::cell::Cell;
use super::error::Error;
use super::resolve;
use super::stream::{Ended, Streamed};
use super::typed::{Column, FromCell, FromRow};

/// What a statement did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Its effects on nodes and relationships.
    pub counters: Counters,
    /// Indexes that were made.
    pub indexes_added: u64,
    /// Indexes that were dropped.
    pub indexes_removed: u64,
    /// Constraints that were made.
    pub constraints_added: u64,
    /// Constraints that were dropped.
    pub constraints_removed: u64,
    /// Rows that `COPY ... TO` has written.
    pub rows_written: u64,
    /// Rows that `COPY ... FROM` has left out.
    pub rows_skipped: u64,
    /// Its plan, if it was asked for by `EXPLAIN`, or by `PROFILE` with what its operators
    /// did.
    pub plan: Option<String>,
    /// What its operators did, of `PROFILE`.
    pub profile: Option<Profile>,
    /// The commit that it read; `None` within a transaction.
    pub csn: Option<u64>,
}

impl Summary {
    /// Names and numbers of the effects that are not 0.
    pub fn effects(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.counters;
        let mut effects = vec![
            ("nodes_created", counters.nodes_created),
            ("nodes_deleted", counters.nodes_deleted),
            ("relationships_created", counters.relationships_created),
            ("relationships_deleted", counters.relationships_deleted),
            ("properties_set", counters.properties_set),
            ("labels_added", counters.labels_added),
            ("labels_removed", counters.labels_removed),
            ("indexes_added", self.indexes_added),
            ("indexes_removed", self.indexes_removed),
            ("constraints_added", self.constraints_added),
            ("constraints_removed", self.constraints_removed),
            ("rows_written", self.rows_written),
            ("rows_skipped", self.rows_skipped),
        ];
        effects.retain(|(_, number)| *number > 0);
        effects
    }
}

/// Rows of a statement. Those of one that only reads are read from the graph as they are
/// asked for: it stays as it was, whatever is committed meanwhile.
pub struct Rows {
    columns: Arc<[String]>,
    source: Source,
    summary: Summary,
}

enum Source {
    /// Ids, and the graph that they are of.
    Read(interpreter::Rows, View),
    Ready(vec::IntoIter<Vec<Cell>>),
    /// Found by another thread.
    Streamed(Box<Streamed>),
}

impl Rows {
    pub(super) fn of_view(rows: interpreter::Rows, view: View) -> Self {
        let mut summary = summary_of(rows.summary());
        summary.csn = Some(view.csn());
        let mut rows = Rows {
            columns: Arc::clone(rows.columns()),
            source: Source::Read(rows, view),
            summary,
        };
        rows.release_if_empty();
        rows
    }

    /// Gives the graph back once it has been read.
    fn release_if_empty(&mut self) {
        if matches!(&self.source, Source::Read(rows, _) if rows.is_empty()) {
            self.source = Source::Ready(Vec::new().into_iter());
        }
    }

    pub(super) fn ready(columns: Arc<[String]>, rows: Vec<Vec<Cell>>, summary: Summary) -> Self {
        Rows {
            columns,
            source: Source::Ready(rows.into_iter()),
            summary,
        }
    }

    /// What is left when all rows have been given.
    pub(super) fn without_rows(
        columns: Arc<[String]>,
        summary: interpreter::Summary,
        csn: Option<u64>,
    ) -> Self {
        let mut summary = summary_of(&summary);
        summary.csn = csn;
        Rows::ready(columns, Vec::new(), summary)
    }

    pub(super) fn of_stream(columns: Arc<[String]>, streamed: Streamed) -> Self {
        let summary = Summary {
            csn: Some(streamed.view.csn()),
            ..Summary::default()
        };
        Rows {
            columns,
            source: Source::Streamed(Box::new(streamed)),
            summary,
        }
    }

    /// All rows, read by a reader that does not stay.
    pub(super) fn of_reader(
        rows: interpreter::Rows,
        reader: &dyn resolve::Reader,
    ) -> Result<Self, evergraph_property_graph::graph::GraphError> {
        let (columns, summary) = (Arc::clone(rows.columns()), summary_of(rows.summary()));
        let rows = rows.map(|row| resolve::row(row, reader));
        Ok(Rows::ready(
            columns,
            rows.collect::<Result<_, _>>()?,
            summary,
        ))
    }

    /// Names of the columns; none if nothing is returned.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What the statement did.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Rows as Arrow record batches with a type a column (feature `columnar`). Looks at all
    /// rows first.
    ///
    /// # Errors
    /// As of the rows.
    #[cfg(feature = "columnar")]
    pub fn into_arrow(self) -> Result<super::arrow::Batches, Error> {
        super::arrow::Batches::of(self)
    }

    /// Waits for all rows of a stream.
    #[cfg(feature = "columnar")]
    pub(super) fn hold(&mut self) -> Result<(), Error> {
        if let Source::Streamed(_) = self.source {
            let rows = self.by_ref().map(|row| Ok(row?.cells));
            let rows: Vec<Vec<Cell>> = rows.collect::<Result<_, Error>>()?;
            self.source = Source::Ready(rows.into_iter());
        }
        Ok(())
    }

    /// Shows the values that are left, by column; `None` of what is no value of a
    /// property.
    #[cfg(feature = "columnar")]
    pub(super) fn for_each_value(&self, visit: &mut dyn FnMut(usize, Option<&Value>)) {
        match &self.source {
            Source::Read(rows, _) => {
                rows.for_each_value(|column, datum| visit(column, datum.as_value()));
            }
            Source::Ready(rows) => {
                for (column, cell) in rows
                    .as_slice()
                    .iter()
                    .flat_map(|row| row.iter().enumerate())
                {
                    visit(
                        column,
                        match cell {
                            Cell::Value(value) => Some(value),
                            _ => None,
                        },
                    );
                }
            }
            Source::Streamed(_) => {}
        }
    }

    /// Rows as tuples or values of Rust.
    pub fn typed<T: FromRow>(self) -> impl Iterator<Item = Result<T, Error>> {
        self.map(|row| T::from_row(&row?))
    }

    /// The only value of the only row.
    ///
    /// # Errors
    /// More or fewer rows than one, a value of another type.
    pub fn single<T: FromCell>(mut self) -> Result<T, Error> {
        let row = self.next().transpose()?;
        match (row, self.next()) {
            (Some(row), None) => row.get(0),
            (None, _) => Err(Error::of_usage("there is no row, where one was wanted")),
            (Some(_), Some(_)) => Err(Error::of_usage(
                "there is more than the one row that was wanted",
            )),
        }
    }
}

fn summary_of(summary: &interpreter::Summary) -> Summary {
    Summary {
        counters: summary.counters,
        plan: summary.plan.clone(),
        profile: summary.profile.clone(),
        ..Summary::default()
    }
}

impl Iterator for Rows {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Result<Row, Error>> {
        let cells = match &mut self.source {
            Source::Read(rows, view) => {
                let cells = rows.next_of(|datum| resolve::cell(datum, view));
                self.release_if_empty();
                cells?
            }
            Source::Ready(rows) => Ok(rows.next()?),
            Source::Streamed(streamed) => match streamed.next()? {
                Ok(row) => resolve::row(row, &streamed.view),
                Err(Ended::Failed(error)) => return Some(Err(error)),
                Err(Ended::Done(summary)) => {
                    let csn = self.summary.csn;
                    self.summary = summary_of(&summary);
                    self.summary.csn = csn;
                    self.source = Source::Ready(Vec::new().into_iter());
                    return None;
                }
            },
        };
        let columns = Arc::clone(&self.columns);
        Some(match cells {
            Ok(cells) => Ok(Row { columns, cells }),
            Err(error) => Err(Error::from(crate::Error::from(error))),
        })
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    columns: Arc<[String]>,
    cells: Vec<Cell>,
}

impl Row {
    pub(super) fn new(columns: Arc<[String]>, cells: Vec<Cell>) -> Self {
        Row { columns, cells }
    }

    /// Its values, in the order of the columns.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Its values, taken out.
    pub fn into_cells(self) -> Vec<Cell> {
        self.cells
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The value of a column, by its place from 0 or by its name.
    ///
    /// # Errors
    /// If there is no such column, or its value has another type.
    pub fn get<T: FromCell>(&self, column: impl Column) -> Result<T, Error> {
        let at = column.place(&self.columns)?;
        T::from_cell(self.cells[at].clone())
            .map_err(|error| error.within(&format!("column {}", self.columns[at])))
    }
}
