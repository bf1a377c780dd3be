//! Rows in columns.

use evergraph_functions::Datum;
use evergraph_planner::Slot;
use evergraph_property_graph::graph::{NodeId, RelationshipId};

/// Rows of a batch, about: as many as a morsel of a table has.
pub(crate) const BATCH: usize = 2048;

/// In the place of an id: null.
pub(crate) const NO_ID: u32 = u32::MAX;

/// Values of one slot.
#[derive(Clone, Debug, Default)]
pub(crate) enum Column {
    /// Nothing has been put there.
    #[default]
    Unset,
    /// Nodes by id.
    Nodes(Vec<u32>),
    /// Relationships by id.
    Relationships(Vec<u32>),
    /// Data of any types.
    Data(Vec<Datum>),
    /// The same in all rows.
    Same(Datum),
}

impl Column {
    /// The value of a row; null where nothing has been put.
    pub(crate) fn get(&self, row: usize) -> Datum {
        match self {
            Column::Unset => Datum::NULL,
            Column::Nodes(ids) => match ids[row] {
                NO_ID => Datum::NULL,
                id => Datum::Node(NodeId(id)),
            },
            Column::Relationships(ids) => match ids[row] {
                NO_ID => Datum::NULL,
                id => Datum::Relationship(RelationshipId(id)),
            },
            Column::Data(data) => data[row].clone(),
            Column::Same(datum) => datum.clone(),
        }
    }

    /// The rows at some places.
    pub(crate) fn take(&self, rows: &[u32]) -> Column {
        match self {
            Column::Unset => Column::Unset,
            Column::Nodes(ids) => {
                Column::Nodes(rows.iter().map(|&row| ids[row as usize]).collect())
            }
            Column::Relationships(ids) => {
                Column::Relationships(rows.iter().map(|&row| ids[row as usize]).collect())
            }
            Column::Data(data) => match data.as_slice() {
                [one] => Column::Same(one.clone()),
                _ => Column::Data(rows.iter().map(|&row| data[row as usize].clone()).collect()),
            },
            Column::Same(datum) => Column::Same(datum.clone()),
        }
    }

    /// A row as a column that holds for any number of rows.
    fn row(&self, row: usize) -> Column {
        match self {
            Column::Unset => Column::Unset,
            _ => Column::Same(self.get(row)),
        }
    }

    /// Adds the rows of another column to its own, of which there are `rows`.
    fn append(&mut self, rows: usize, other: Column, others: usize) {
        match (&mut *self, other) {
            (Column::Unset, Column::Unset) => {}
            (Column::Nodes(ids), Column::Nodes(mut more)) => ids.append(&mut more),
            (Column::Relationships(ids), Column::Relationships(mut more)) => ids.append(&mut more),
            (Column::Data(data), Column::Data(mut more)) => data.append(&mut more),
            (_, other) => {
                let mut data = std::mem::take(self).into_data(rows);
                data.extend((0..others).map(|row| other.get(row)));
                *self = Column::Data(data);
            }
        }
    }

    fn into_data(self, rows: usize) -> Vec<Datum> {
        match self {
            Column::Data(data) => data,
            other => (0..rows).map(|row| other.get(row)).collect(),
        }
    }

    /// Bytes of DRAM, about.
    fn bytes(&self) -> usize {
        match self {
            Column::Unset | Column::Same(_) => 0,
            Column::Nodes(ids) | Column::Relationships(ids) => ids.len() * 4,
            Column::Data(data) => {
                // The first row stands for the others.
                let one = data.first().map_or(0, bytes_of);
                data.len() * (size_of::<Datum>() + one)
            }
        }
    }
}

/// Bytes that a datum holds beside itself, about.
pub(crate) fn bytes_of(datum: &Datum) -> usize {
    use evergraph_property_graph::Value;
    match datum {
        Datum::Value(Value::Text(text)) => 16 + text.len(),
        Datum::Value(Value::List(values)) => 16 + values.len() * size_of::<Value>(),
        Datum::List(data) => 16 + data.iter().map(|one| 32 + bytes_of(one)).sum::<usize>(),
        Datum::Path(path) => 64 + path.nodes().len() * 8,
        Datum::Value(Value::Map(entries)) => 16 + entries.len() * 80,
        Datum::Map(entries) => 16 + entries.len() * 80,
        _ => 0,
    }
}

/// Rows with a column a slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    columns: Vec<Column>,
    rows: usize,
}

impl Batch {
    /// One row without values.
    pub(crate) fn start(width: usize) -> Self {
        Batch {
            columns: vec![Column::Unset; width],
            rows: 1,
        }
    }

    /// So many rows without values.
    pub(crate) fn rows_of(width: usize, rows: usize) -> Self {
        Batch {
            columns: vec![Column::Unset; width],
            rows,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn column(&self, slot: Slot) -> &Column {
        &self.columns[slot]
    }

    pub(crate) fn get(&self, slot: Slot, row: usize) -> Datum {
        self.columns[slot].get(row)
    }

    pub(crate) fn set(&mut self, slot: Slot, column: Column) {
        self.columns[slot] = column;
    }

    /// The rows at some places, in that order.
    pub(crate) fn take(&self, rows: &[u32]) -> Batch {
        Batch {
            columns: self
                .columns
                .iter()
                .map(|column| column.take(rows))
                .collect(),
            rows: rows.len(),
        }
    }

    /// One row.
    pub(crate) fn row(&self, row: usize) -> Batch {
        self.repeated(row, 1)
    }

    /// One row so many times.
    pub(crate) fn repeated(&self, row: usize, rows: usize) -> Batch {
        Batch {
            columns: self.columns.iter().map(|column| column.row(row)).collect(),
            rows,
        }
    }

    /// These slots, beside what a row around has.
    pub(crate) fn keep(mut self, around: &Batch, slots: &[Slot]) -> Batch {
        let mut kept = around.repeated_around(self.columns.len(), self.rows);
        for &slot in slots {
            let column = std::mem::take(&mut self.columns[slot]);
            // Two names may have one slot.
            if !matches!(column, Column::Unset) {
                kept.columns[slot] = column;
            }
        }
        kept
    }

    /// The row around some rows, so many times; nothing if there are several.
    pub(crate) fn repeated_around(&self, width: usize, rows: usize) -> Batch {
        match self.rows {
            1 => self.repeated(0, rows),
            _ => Batch::rows_of(width, rows),
        }
    }

    /// Adds rows.
    pub(crate) fn append(&mut self, other: Batch) {
        if self.rows == 0 {
            *self = other;
            return;
        }
        let (rows, others) = (self.rows, other.rows);
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            column.append(rows, more, others);
        }
        self.rows += others;
    }

    /// Rows from a place on, at most so many.
    pub(crate) fn slice(&self, from: usize, rows: usize) -> Batch {
        let rows: Vec<u32> = (from..(from + rows).min(self.rows))
            .map(|row| row as u32)
            .collect();
        self.take(&rows)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }
}
