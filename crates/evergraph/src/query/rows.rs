//! Rows of a result.

use std::sync::Arc;
use std::vec;

use evergraph_interpreter as interpreter;
use evergraph_interpreter::Counters;
use evergraph_property_graph::graph::View;

use super::cell::Cell;
use super::error::Error;
use super::resolve;
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
    /// Its plan, if it was asked for by `EXPLAIN` or `PROFILE`.
    pub plan: Option<String>,
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
}

impl Rows {
    pub(super) fn of_view(rows: interpreter::Rows, view: View) -> Self {
        let mut summary = summary_of(&rows);
        summary.csn = Some(view.csn());
        Rows {
            columns: rows.columns().into(),
            source: Source::Read(rows, view),
            summary,
        }
    }

    pub(super) fn ready(columns: Arc<[String]>, rows: Vec<Vec<Cell>>, summary: Summary) -> Self {
        Rows {
            columns,
            source: Source::Ready(rows.into_iter()),
            summary,
        }
    }

    /// All rows, read by a reader that does not stay.
    pub(super) fn of_reader(
        rows: interpreter::Rows,
        reader: &dyn resolve::Reader,
    ) -> Result<Self, evergraph_property_graph::graph::GraphError> {
        let (columns, summary) = (rows.columns().into(), summary_of(&rows));
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

fn summary_of(rows: &interpreter::Rows) -> Summary {
    let summary = rows.summary();
    Summary {
        counters: summary.counters,
        plan: summary.plan.clone(),
        ..Summary::default()
    }
}

impl Iterator for Rows {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Result<Row, Error>> {
        let cells = match &mut self.source {
            Source::Read(rows, view) => resolve::row(rows.next()?, view),
            Source::Ready(rows) => Ok(rows.next()?),
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
