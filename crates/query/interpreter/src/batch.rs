//! Rows in columns.

mod shared;

use std::borrow::Cow;

use evergraph_functions::Datum;
use evergraph_planner::Slot;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_property_graph::vector::{Validity, Values, Vector};

use self::shared::{Held, Taking};
pub(crate) use self::shared::{Of, RowNumbers};

/// Rows of a batch, about: as many as two morsels of a table have.
pub(crate) const BATCH: usize = 4096;

/// In the place of an id: null.
pub(crate) const NO_ID: u32 = u32::MAX;

/// Those of some items that are to be kept. Without a branch, of which half would be missed
/// where every other one is.
#[inline(always)]
pub(crate) fn those_kept<T: Copy + Default>(
    items: impl ExactSizeIterator<Item = (T, bool)>,
) -> Vec<T> {
    // A place is written for each item, and taken by those that are kept.
    let (mut kept, mut count) = (vec![T::default(); items.len()], 0);
    for (item, is_kept) in items {
        kept[count] = item;
        count += usize::from(is_kept);
    }
    kept.truncate(count);
    kept
}

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
    /// Values that properties can have.
    Vector(Vector),
    /// Data of any types.
    Data(Vec<Datum>),
    /// The same in all rows.
    Same(Datum),
}

/// In the place of a row: a row of null.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Bytes of a text that is rather copied than shared.
const SHORT: usize = 32;
/// Bytes of copied texts that are never too many.
const FEW_BYTES: usize = 1 << 16;

impl Column {
    /// Data as a column: of ids or in an array, if they are all of one such kind.
    pub(crate) fn of(data: Vec<Datum>) -> Column {
        let Some(first) = data.iter().find(|datum| !datum.is_null()) else {
            return Column::Vector(Vector::nulls(data.len()));
        };
        match first {
            Datum::Node(_) => match ids(&data, |datum| match datum {
                Datum::Node(id) => Some(id.0),
                _ => None,
            }) {
                Some(ids) => Column::Nodes(ids),
                None => Column::Data(data),
            },
            Datum::Relationship(_) => match ids(&data, |datum| match datum {
                Datum::Relationship(id) => Some(id.0),
                _ => None,
            }) {
                Some(ids) => Column::Relationships(ids),
                None => Column::Data(data),
            },
            // Texts and lists are shared where they are.
            Datum::Value(
                Value::Boolean(_)
                | Value::Integer(_)
                | Value::Float(_)
                | Value::Date(_)
                | Value::LocalDateTime(_),
            ) if data.iter().all(|datum| is_like(datum, first)) => {
                let values = data.into_iter().map(|datum| match datum {
                    Datum::Value(value) => value,
                    _ => Value::Null,
                });
                Column::Vector(values.collect())
            }
            _ => Column::Data(data),
        }
    }

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
            Column::Vector(vector) => Datum::Value(vector.get(row)),
            Column::Data(data) => data[row].clone(),
            Column::Same(datum) => datum.clone(),
        }
    }

    /// Number of rows; `None` of one that holds for any number.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Column::Unset | Column::Same(_) => None,
            Column::Nodes(ids) | Column::Relationships(ids) => Some(ids.len()),
            Column::Vector(vector) => Some(vector.len()),
            Column::Data(data) => Some(data.len()),
        }
    }

    /// Whether a row is null.
    pub(crate) fn is_null_at(&self, row: usize) -> bool {
        match self {
            Column::Unset => true,
            Column::Nodes(ids) | Column::Relationships(ids) => ids[row] == NO_ID,
            Column::Vector(vector) => !vector.validity().is_valid(row),
            Column::Data(data) => data[row].is_null(),
            Column::Same(datum) => datum.is_null(),
        }
    }

    /// The rows at some places.
    pub(crate) fn take(&self, rows: &[u32]) -> Column {
        let of_ids = |ids: &[u32]| rows.iter().map(|&row| ids[row as usize]).collect();
        match self {
            Column::Unset => Column::Unset,
            Column::Nodes(ids) => Column::Nodes(of_ids(ids)),
            Column::Relationships(ids) => Column::Relationships(of_ids(ids)),
            Column::Vector(vector) => match multiplies(vector, rows) {
                false => Column::Vector(vector.take(rows)),
                true => Column::Data(self.data(vector.len())).take(rows),
            },
            Column::Data(data) => match data.as_slice() {
                [one] => Column::Same(one.clone()),
                _ => Column::Data(rows.iter().map(|&row| data[row as usize].clone()).collect()),
            },
            Column::Same(datum) => Column::Same(datum.clone()),
        }
    }

    /// The rows at some places, null at [`NO_ROW`].
    pub(crate) fn take_or_null(&self, rows: &[u32]) -> Column {
        if !rows.contains(&NO_ROW) {
            return self.take(rows);
        }
        let of_ids = |ids: &[u32]| {
            let ids = rows.iter().map(|&row| match row {
                NO_ROW => NO_ID,
                row => ids[row as usize],
            });
            ids.collect()
        };
        match self {
            Column::Unset => Column::Unset,
            Column::Nodes(ids) => Column::Nodes(of_ids(ids)),
            Column::Relationships(ids) => Column::Relationships(of_ids(ids)),
            Column::Vector(vector) if !multiplies(vector, rows) => {
                let mut with_null = vector.clone();
                with_null.push(Value::Null);
                let null = vector.len() as u32;
                let rows = rows.iter().map(|&row| row.min(null));
                Column::Vector(with_null.take(&rows.collect::<Vec<_>>()))
            }
            _ => Column::of(
                rows.iter()
                    .map(|&row| match row {
                        NO_ROW => Datum::NULL,
                        row => self.get(row as usize),
                    })
                    .collect(),
            ),
        }
    }

    /// One value a row, also of a column that holds for any number of rows.
    fn spread(self, rows: usize) -> Column {
        let datum = match self {
            Column::Same(datum) => datum,
            Column::Unset => Datum::NULL,
            other => return other,
        };
        match datum {
            Datum::Node(id) => Column::Nodes(vec![id.0; rows]),
            Datum::Relationship(id) => Column::Relationships(vec![id.0; rows]),
            Datum::Value(Value::Text(text)) if text.len() > SHORT => {
                Column::Data(vec![Datum::Value(Value::Text(text)); rows])
            }
            Datum::Value(value) => Column::Vector(Vector::repeated(&value, rows)),
            datum => Column::Data(vec![datum; rows]),
        }
    }

    /// Whether every row of it is known to be null.
    fn is_null(&self) -> bool {
        match self {
            Column::Vector(vector) => vector.validity().count() == 0,
            _ => false,
        }
    }

    /// Adds the rows of another column to its own, of which there are `rows`.
    pub(crate) fn append(&mut self, rows: usize, other: Column, others: usize) {
        if matches!((&*self, &other), (Column::Unset, Column::Unset)) {
            return;
        }
        let own = std::mem::take(self).spread(rows);
        *self = match (own, other.spread(others)) {
            (Column::Nodes(mut ids), Column::Nodes(mut more)) => {
                ids.append(&mut more);
                Column::Nodes(ids)
            }
            (Column::Relationships(mut ids), Column::Relationships(mut more)) => {
                ids.append(&mut more);
                Column::Relationships(ids)
            }
            (Column::Vector(mut vector), Column::Vector(more)) => {
                vector.append(more);
                Column::Vector(vector)
            }
            (Column::Data(mut data), Column::Data(mut more)) => {
                data.append(&mut more);
                Column::Data(data)
            }
            (Column::Nodes(mut ids), nulls) if nulls.is_null() => {
                ids.resize(rows + others, NO_ID);
                Column::Nodes(ids)
            }
            (Column::Relationships(mut ids), nulls) if nulls.is_null() => {
                ids.resize(rows + others, NO_ID);
                Column::Relationships(ids)
            }
            (nulls, Column::Nodes(more)) if nulls.is_null() => {
                let mut ids = vec![NO_ID; rows];
                ids.extend(more);
                Column::Nodes(ids)
            }
            (nulls, Column::Relationships(more)) if nulls.is_null() => {
                let mut ids = vec![NO_ID; rows];
                ids.extend(more);
                Column::Relationships(ids)
            }
            (own, other) => {
                let mut data = own.into_data(rows);
                data.extend((0..others).map(|row| other.get(row)));
                Column::Data(data)
            }
        };
    }

    /// The values of so many rows.
    pub(crate) fn into_data(self, rows: usize) -> Vec<Datum> {
        match self {
            Column::Data(data) => data,
            other => other.data(rows),
        }
    }

    /// Its data, of so many rows.
    pub(crate) fn as_data(&self, rows: usize) -> Cow<'_, [Datum]> {
        match self {
            Column::Data(data) => Cow::Borrowed(data),
            other => Cow::Owned(other.data(rows)),
        }
    }

    /// Its values, if each row has an integer of its own: they compare sooner so.
    pub(crate) fn as_integers(&self) -> Option<Cow<'_, [i64]>> {
        match self {
            Column::Vector(vector) => match vector.values() {
                Values::Integer(integers) if vector.validity().is_all() => {
                    Some(Cow::Borrowed(integers))
                }
                _ => None,
            },
            Column::Data(data) => {
                let mut integers = Vec::with_capacity(data.len());
                for datum in data {
                    let Datum::Value(Value::Integer(integer)) = datum else {
                        return None;
                    };
                    integers.push(*integer);
                }
                Some(Cow::Owned(integers))
            }
            _ => None,
        }
    }

    fn data(&self, rows: usize) -> Vec<Datum> {
        (0..rows).map(|row| self.get(row)).collect()
    }

    /// Bytes of DRAM, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Column::Unset | Column::Same(_) => 0,
            Column::Nodes(ids) | Column::Relationships(ids) => ids.len() * 4,
            Column::Vector(vector) => vector.bytes(),
            Column::Data(data) => {
                let beside = data.iter().map(bytes_of).sum::<usize>();
                size_of_val(data.as_slice()) + beside
            }
        }
    }
}

/// Ids of data, nulls among them; `None` if one is of another kind.
fn ids(data: &[Datum], id: impl Fn(&Datum) -> Option<u32>) -> Option<Vec<u32>> {
    let ids = data.iter().map(|datum| match datum.is_null() {
        true => Some(NO_ID),
        false => id(datum),
    });
    ids.collect()
}

/// Whether a datum is null, or a value of the type of another.
fn is_like(datum: &Datum, other: &Datum) -> bool {
    match (datum, other) {
        (Datum::Value(value), Datum::Value(other)) => {
            value.is_null() || std::mem::discriminant(value) == std::mem::discriminant(other)
        }
        _ => false,
    }
}

/// Whether copies of these rows have many more bytes than the texts that they are of:
/// those are better shared.
fn multiplies(vector: &Vector, rows: &[u32]) -> bool {
    let Values::Text(texts) = vector.values() else {
        return false;
    };
    if rows.len() <= texts.len() {
        return false;
    }
    let bytes_of = |&row: &u32| match row {
        NO_ROW => 0,
        row => texts.get(row as usize).len(),
    };
    let bytes: usize = rows.iter().map(bytes_of).sum();
    bytes > FEW_BYTES.max(2 * vector.bytes())
}

/// Bytes that a datum holds beside itself, about.
pub(crate) fn bytes_of(datum: &Datum) -> usize {
    match datum {
        Datum::Value(value) => value.heap_bytes(),
        Datum::List(data) => 16 + data.iter().map(|one| 32 + bytes_of(one)).sum::<usize>(),
        Datum::Path(path) => 64 + path.nodes().len() * 8,
        Datum::Map(entries) => 16 + entries.len() * 80,
        _ => 0,
    }
}

/// Rows with a column a slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    columns: Vec<Held>,
    rows: usize,
    /// The slot with the numbers of the rows that a subquery runs for, all at once.
    numbers: Option<Slot>,
}

impl Batch {
    /// One row without values.
    pub(crate) fn start(width: usize) -> Self {
        Batch {
            columns: vec![Held::default(); width],
            rows: 1,
            numbers: None,
        }
    }

    /// So many rows without values.
    pub(crate) fn rows_of(width: usize, rows: usize) -> Self {
        Batch {
            columns: vec![Held::default(); width],
            rows,
            numbers: None,
        }
    }

    /// So many rows without values, with the slots of this one.
    pub(crate) fn blank(&self, rows: usize) -> Self {
        Batch {
            numbers: self.numbers,
            ..Batch::rows_of(self.width(), rows)
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
        self.columns[slot].column()
    }

    /// The column that a slot shares with other batches, and which of its rows it has.
    pub(crate) fn shared(&self, slot: Slot) -> Option<Of<'_>> {
        self.columns[slot].shared()
    }

    pub(crate) fn get(&self, slot: Slot, row: usize) -> Datum {
        let (column, row) = self.columns[slot].at(row);
        column.get(row)
    }

    /// As [`Batch::get`], of a value that is asked for once: it may be gone then.
    pub(crate) fn take_value(&mut self, slot: Slot, row: usize) -> Datum {
        match self.columns[slot].own_data() {
            Some(data) => std::mem::replace(&mut data[row], Datum::NULL),
            None => self.get(slot, row),
        }
    }

    pub(crate) fn set(&mut self, slot: Slot, column: Column) {
        self.columns[slot] = Held::new(column, self.rows);
    }

    /// Gives a slot what another one has.
    pub(crate) fn set_same(&mut self, slot: Slot, other: Slot) {
        self.columns[slot] = self.columns[other].clone();
    }

    /// The rows at some places, in that order. O(rows), whatever the columns hold.
    pub(crate) fn take(&self, rows: &[u32]) -> Batch {
        let mut taking = Taking::new(rows);
        let columns = self.columns.iter();
        Batch {
            columns: columns.map(|column| column.take(&mut taking)).collect(),
            rows: rows.len(),
            numbers: self.numbers,
        }
    }

    /// As [`Batch::take`], of places each of which is there once at most.
    pub(crate) fn into_places(mut self, rows: &[u32]) -> Batch {
        let mut taking = Taking::new(rows);
        let columns = self.columns.iter_mut().map(|held| match held.own_data() {
            Some(data) => {
                let mut value =
                    |row: &u32| std::mem::replace(&mut data[*row as usize], Datum::NULL);
                Held::Own(Column::Data(rows.iter().map(&mut value).collect()))
            }
            None => held.take(&mut taking),
        });
        Batch {
            columns: columns.collect(),
            rows: rows.len(),
            numbers: self.numbers,
        }
    }

    /// The same rows in columns that no other batch shares.
    pub(crate) fn unshared(mut self) -> Batch {
        for held in &mut self.columns {
            if !matches!(held, Held::Own(_)) {
                *held = Held::Own(std::mem::take(held).into_column());
            }
        }
        self
    }

    /// One row.
    pub(crate) fn row(&self, row: usize) -> Batch {
        self.repeated(row, 1)
    }

    /// One row as the argument of a plan that runs for it alone, and not for the rows
    /// around it.
    pub(crate) fn row_alone(&self, row: usize) -> Batch {
        Batch {
            numbers: None,
            ..self.repeated(row, 1)
        }
    }

    /// One row so many times.
    pub(crate) fn repeated(&self, row: usize, rows: usize) -> Batch {
        Batch {
            columns: self.columns.iter().map(|held| held.row(row)).collect(),
            rows,
            numbers: self.numbers,
        }
    }

    /// These slots, beside what rows around have.
    pub(crate) fn keep(mut self, around: Option<&Batch>, slots: &[Slot]) -> Batch {
        let Some(around) = around else {
            for (slot, column) in self.columns.iter_mut().enumerate() {
                if !slots.contains(&slot) {
                    *column = Held::default();
                }
            }
            return self;
        };
        let mut kept = around.beside(&self);
        for &slot in slots {
            let column = std::mem::take(&mut self.columns[slot]);
            // Two names may have one slot.
            if !column.is_unset() {
                kept.columns[slot] = column;
            }
        }
        kept
    }

    /// Whether it is one row without values.
    pub(crate) fn is_blank(&self) -> bool {
        self.rows == 1 && self.columns.iter().all(Held::is_unset)
    }

    /// Its rows with their numbers in a slot of their own, which it names.
    pub(crate) fn numbered(&self) -> (Batch, Slot) {
        let mut numbered = self.clone();
        let slot = self.columns.len();
        let numbers = (0..self.rows as i64).collect();
        let vector = Vector::from_parts(Values::Integer(numbers), Validity::all(self.rows));
        let numbers = Held::new(Column::Vector(vector), self.rows);
        numbered.columns.push(numbers);
        numbered.numbers = Some(slot);
        (numbered, slot)
    }

    /// The slot with the numbers of the rows that a subquery runs for.
    pub(crate) fn numbers_in(&self) -> Option<Slot> {
        self.numbers
    }

    /// The numbers in a slot, of rows of a batch that was numbered.
    pub(crate) fn numbers(&self, slot: Slot) -> Vec<u32> {
        if let Some(Column::Vector(vector)) = self.columns.get(slot).map(Held::column)
            && let Values::Integer(numbers) = vector.values()
        {
            return numbers.iter().map(|&number| number as u32).collect();
        }
        let number = |row| match self.get(slot, row) {
            Datum::Value(Value::Integer(number)) => number as u32,
            _ => 0,
        };
        (0..self.rows).map(number).collect()
    }

    /// For each of some rows the row around it.
    pub(crate) fn beside(&self, rows: &Batch) -> Batch {
        match self.numbers {
            Some(slot) if self.rows != 1 && !rows.is_empty() => self.take(&rows.numbers(slot)),
            _ => self.repeated_around(self.columns.len(), rows.len()),
        }
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
        for (held, more) in self.columns.iter_mut().zip(other.columns) {
            let mut column = std::mem::take(held).into_column();
            column.append(rows, more.into_column(), others);
            *held = Held::Own(column);
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
        let columns = self.columns.iter();
        columns.map(|held| held.column().bytes()).sum()
    }
}

#[cfg(test)]
mod tests;
