//! Columns that batches share: what an operator makes of the rows of a batch refers to them
//! by number, and they are copied when they are asked for. Most never are.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use evergraph_functions::Datum;
use evergraph_storage::failpoint;

use super::Column;

/// Numbers of rows, which columns taken together share.
pub(crate) type RowNumbers = Arc<Vec<u32>>;

/// Columns of fewer rows are rather copied.
pub(super) const FEWEST: usize = 64;

/// A column of a batch.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// Of this batch alone.
    Own(Column),
    /// All rows of a column that other batches may have, too.
    Shared(Arc<Shared>),
    /// Some rows of such a column.
    Taken(Arc<Taken>),
}

/// A column that batches share, with properties of its ids.
#[derive(Debug)]
pub(crate) struct Shared {
    column: Column,
    properties: Mutex<Vec<(Arc<str>, Arc<Column>)>>,
}

/// Rows of a shared column.
#[derive(Debug)]
pub(crate) struct Taken {
    of: Arc<Shared>,
    rows: RowNumbers,
    copied: OnceLock<Column>,
}

/// A shared column, and which of its rows a batch has.
pub(crate) type Of<'b> = (&'b Arc<Shared>, Option<&'b RowNumbers>);

impl Shared {
    /// The column.
    pub(crate) fn column(&self) -> &Column {
        &self.column
    }

    /// A property of its ids that was gathered before.
    pub(crate) fn property(&self, key: &str) -> Option<Arc<Column>> {
        let known = self.properties();
        let found = known.iter().find(|(name, _)| **name == *key);
        found.map(|(_, column)| Arc::clone(column))
    }

    /// Keeps a property of its ids: in a graph that does not change.
    pub(crate) fn keep(&self, key: &Arc<str>, column: Column) -> Arc<Column> {
        let column = Arc::new(column);
        self.properties()
            .push((Arc::clone(key), Arc::clone(&column)));
        column
    }

    fn properties(&self) -> MutexGuard<'_, Vec<(Arc<str>, Arc<Column>)>> {
        self.properties
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rows that are taken of all columns of a batch.
pub(super) struct Taking<'r> {
    rows: &'r [u32],
    shared: Option<RowNumbers>,
    /// Rows of a column that were taken before, and what they are now.
    composed: Vec<(RowNumbers, RowNumbers)>,
}

impl<'r> Taking<'r> {
    pub(super) fn new(rows: &'r [u32]) -> Self {
        Taking {
            rows,
            shared: None,
            composed: Vec::new(),
        }
    }

    fn shared(&mut self) -> RowNumbers {
        let rows = self.rows;
        Arc::clone(self.shared.get_or_insert_with(|| Arc::new(rows.to_vec())))
    }

    fn of(&mut self, before: &RowNumbers) -> RowNumbers {
        let known = self.composed.iter().find(|(of, _)| Arc::ptr_eq(of, before));
        if let Some((_, rows)) = known {
            return Arc::clone(rows);
        }
        if failpoint!("batches.rows-not-composed") {
            return self.shared();
        }
        let rows = self.rows.iter().map(|&row| before[row as usize]);
        let rows: RowNumbers = Arc::new(rows.collect());
        self.composed.push((Arc::clone(before), Arc::clone(&rows)));
        rows
    }
}

impl Default for Held {
    fn default() -> Self {
        Held::Own(Column::Unset)
    }
}

impl Held {
    /// A column of so many rows.
    pub(super) fn new(column: Column, rows: usize) -> Self {
        match column {
            Column::Unset | Column::Same(_) => Held::Own(column),
            column if rows < FEWEST => Held::Own(column),
            column => Held::Shared(Arc::new(Shared {
                column,
                properties: Mutex::default(),
            })),
        }
    }

    pub(super) fn column(&self) -> &Column {
        match self {
            Held::Own(column) => column,
            Held::Shared(shared) => &shared.column,
            Held::Taken(taken) => taken
                .copied
                .get_or_init(|| taken.of.column.take(&taken.rows)),
        }
    }

    pub(super) fn shared(&self) -> Option<Of<'_>> {
        match self {
            Held::Own(_) => None,
            Held::Shared(shared) => Some((shared, None)),
            Held::Taken(taken) => Some((&taken.of, Some(&taken.rows))),
        }
    }

    pub(super) fn into_column(self) -> Column {
        match self {
            Held::Own(column) => column,
            Held::Shared(shared) => match Arc::try_unwrap(shared) {
                Ok(shared) => shared.column,
                Err(shared) => shared.column.clone(),
            },
            Held::Taken(taken) => match Arc::try_unwrap(taken) {
                Ok(taken) => match taken.copied.into_inner() {
                    Some(column) => column,
                    None => taken.of.column.take(&taken.rows),
                },
                Err(taken) => Held::Taken(taken).column().clone(),
            },
        }
    }

    /// Data of this batch alone.
    pub(super) fn own_data(&mut self) -> Option<&mut Vec<Datum>> {
        match self {
            Held::Own(Column::Data(data)) => Some(data),
            _ => None,
        }
    }

    pub(super) fn is_unset(&self) -> bool {
        matches!(self, Held::Own(Column::Unset))
    }

    /// A row as a column that holds for any number of rows.
    pub(super) fn row(&self, row: usize) -> Held {
        let (column, row) = match self.is_unset() {
            true => return Held::default(),
            false => self.at(row),
        };
        Held::Own(Column::Same(column.get(row)))
    }

    /// The column and the row of it in which a row of the batch lies.
    pub(super) fn at(&self, row: usize) -> (&Column, usize) {
        match self {
            Held::Taken(taken) => (&taken.of.column, taken.rows[row] as usize),
            other => (other.column(), row),
        }
    }

    pub(super) fn take(&self, taking: &mut Taking<'_>) -> Held {
        let (of, rows) = match self {
            Held::Own(column) => return Held::Own(column.take(taking.rows)),
            _ if taking.rows.len() < FEWEST => {
                let rows = taking
                    .rows
                    .iter()
                    .map(|&row| self.at(row as usize).1 as u32);
                let of = self.at(0).0;
                return Held::Own(of.take(&rows.collect::<Vec<_>>()));
            }
            Held::Shared(of) => (of, taking.shared()),
            Held::Taken(taken) => (&taken.of, taking.of(&taken.rows)),
        };
        Held::Taken(Arc::new(Taken {
            of: Arc::clone(of),
            rows,
            copied: OnceLock::new(),
        }))
    }
}
