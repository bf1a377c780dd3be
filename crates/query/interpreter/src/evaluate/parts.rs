//! Columns of ids, of truth values, and as kernels take them.

use evergraph_functions::Datum;
use evergraph_functions::kernels::{self, Operand};
use evergraph_functions::operators::{self, Binary};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::EntityKind;
use evergraph_property_graph::vector::{Validity, Values, Vector};

use super::Result;
use crate::batch::{Column, NO_ID, NO_ROW, those_kept};
use crate::run::Run;

/// Ids with their kind.
pub(super) fn ids_of(column: &Column) -> Option<(EntityKind, &[u32])> {
    match column {
        Column::Nodes(ids) => Some((EntityKind::Node, ids)),
        Column::Relationships(ids) => Some((EntityKind::Relationship, ids)),
        _ => None,
    }
}

/// The ids that are of something, and the place of each row among them.
pub(super) fn without_nulls(ids: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut there = Vec::with_capacity(ids.len());
    let places = ids.iter().map(|&id| match id {
        NO_ID => NO_ROW,
        id => {
            there.push(id);
            there.len() as u32 - 1
        }
    });
    let places = places.collect();
    (there, places)
}

/// Ids as integers.
pub(crate) fn numbers(ids: &[u32]) -> Column {
    let numbers = ids.iter().map(|&id| i64::from(id)).collect();
    let mut validity = Validity::default();
    ids.iter().for_each(|&id| validity.push(id != NO_ID));
    Column::Vector(Vector::from_parts(Values::Integer(numbers), validity))
}

/// Whether nodes are the same nodes, or relationships the same; `None` if that is not what
/// is asked.
pub(super) fn same_ids(operator: Binary, left: &Column, right: &Column) -> Option<Column> {
    let wanted = match operator {
        Binary::Equal => true,
        Binary::Unequal => false,
        _ => return None,
    };
    let ((kind, left), (other, right)) = (ids_of(left)?, ids_of(right)?);
    if kind != other {
        return None;
    }
    let pairs = || left.iter().zip(right);
    let truths = pairs().map(|(a, b)| (a == b) == wanted).collect();
    let mut validity = Validity::default();
    pairs().for_each(|(a, b)| validity.push(*a != NO_ID && *b != NO_ID));
    Some(Column::Vector(Vector::from_parts(
        Values::Boolean(truths),
        validity,
    )))
}

/// Values made of those of some columns, row by row; once, if they are the same in
/// all rows.
pub(super) fn made(
    run: &Run<'_, '_>,
    of: &[&Column],
    rows: usize,
    mut each: impl FnMut(usize) -> Result<Datum>,
) -> Result<Column> {
    if of
        .iter()
        .all(|column| matches!(column, Column::Same(_) | Column::Unset))
    {
        return Ok(Column::Same(each(0)?));
    }
    run.made(0..rows, each)
}

impl Run<'_, '_> {
    /// A column of what is made of each of some rows. A batch of long values may take more
    /// memory and time than the query has: both are looked at as it grows.
    pub(super) fn made<R>(
        &self,
        rows: impl ExactSizeIterator<Item = R>,
        mut each: impl FnMut(R) -> Result<Datum>,
    ) -> Result<Column> {
        let mut account = self.guard.account("the values of an expression");
        let mut data = Vec::with_capacity(rows.len());
        for row in rows {
            let datum = each(row)?;
            let bytes = bytes_made(&datum);
            if bytes > 0 {
                self.work(bytes / BYTES_A_STEP)?;
                account.grow(bytes)?;
            }
            data.push(datum);
        }
        Ok(Column::of(data))
    }
}

/// Bytes that are made as fast as a step of work is done.
const BYTES_A_STEP: usize = 64;

/// Bytes beside itself that were taken for a value: what it holds may be older.
fn bytes_made(datum: &Datum) -> usize {
    match datum {
        Datum::Value(Value::Text(text)) => text.len(),
        Datum::Value(Value::List(values)) => size_of_val(&**values),
        Datum::Value(Value::Map(entries)) => entries.len() * 2 * size_of::<Value>(),
        Datum::List(data) => size_of_val(&**data),
        Datum::Map(entries) => entries.len() * 2 * size_of::<Datum>(),
        _ => 0,
    }
}

/// Whether values of a column may be long: texts, lists and maps.
pub(super) fn may_be_long(column: &Column) -> bool {
    match column {
        Column::Vector(vector) => matches!(vector.values(), Values::Text(_)),
        Column::Same(datum) => bytes_made(datum) > 0,
        Column::Data(_) => true,
        Column::Unset | Column::Nodes(_) | Column::Relationships(_) => false,
    }
}

/// A column as kernels take it.
pub(crate) fn operand_of<'c>(
    column: &'c Column,
    rows: usize,
    data: &'c mut Vec<Datum>,
) -> Operand<'c> {
    match column {
        Column::Vector(vector) => Operand::Vector(vector),
        Column::Data(data) => Operand::Data(data),
        Column::Same(datum) => Operand::Constant(datum),
        Column::Unset | Column::Nodes(_) | Column::Relationships(_) => {
            data.extend((0..rows).map(|row| column.get(row)));
            Operand::Data(data)
        }
    }
}

impl From<kernels::Column> for Column {
    fn from(column: kernels::Column) -> Self {
        match column {
            kernels::Column::Values(vector) => Column::Vector(vector),
            kernels::Column::Data(data) => Column::Data(data),
        }
    }
}

/// The rows where a column is true; `None` if it has something that is no truth value.
pub(super) fn kept(column: &Column, rows: &[u32]) -> Option<Vec<u32>> {
    match column {
        Column::Same(datum) => Some(match operators::boolean(datum).ok()? {
            Some(true) => rows.to_vec(),
            _ => Vec::new(),
        }),
        Column::Vector(vector) => match vector.values() {
            Values::Null(_) => Some(Vec::new()),
            Values::Boolean(truths) => {
                let validity = vector.validity();
                let rows = rows.iter().zip(truths).enumerate();
                Some(those_kept(rows.map(|(place, (&row, &truth))| {
                    let is_valid = validity.is_all() || validity.is_valid(place);
                    (row, truth && is_valid)
                })))
            }
            _ => None,
        },
        Column::Data(data) => {
            let mut kept = Vec::new();
            for (datum, &row) in data.iter().zip(rows) {
                kept.extend((operators::boolean(datum).ok()? == Some(true)).then_some(row));
            }
            Some(kept)
        }
        Column::Unset => Some(Vec::new()),
        Column::Nodes(_) | Column::Relationships(_) => None,
    }
}
