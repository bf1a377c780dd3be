//! Values of rows as types of Rust.

use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_property_graph::value::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, Point, Time,
};
use evergraph_syntax::with_article;

use super::cell::{Cell, Node, Path, Relationship};
use super::error::Error;
use super::rows::Row;

/// What a column goes by: its place from 0, or its name.
pub trait Column {
    /// Its place among these.
    ///
    /// # Errors
    /// If it is not among them.
    fn place(&self, columns: &[String]) -> Result<usize, Error>;
}

impl Column for usize {
    fn place(&self, columns: &[String]) -> Result<usize, Error> {
        match *self < columns.len() {
            true => Ok(*self),
            false => Err(Error::of_usage(format!(
                "there is no column {self}, counted from 0: there are {}",
                columns.len()
            ))),
        }
    }
}

impl Column for &str {
    fn place(&self, columns: &[String]) -> Result<usize, Error> {
        let found = columns.iter().position(|column| column == self);
        found.ok_or_else(|| {
            Error::of_usage(format!(
                "there is no column {self}; there are {}",
                columns.join(", ")
            ))
        })
    }
}

/// A type of Rust that values of rows become.
pub trait FromCell: Sized {
    /// The value as this type.
    ///
    /// # Errors
    /// If it is of another type, or out of range.
    fn from_cell(cell: Cell) -> Result<Self, Error>;
}

fn wrong(expected: &str, found: &Cell) -> Error {
    let (found, expected) = (with_article(found.type_name()), with_article(expected));
    Error::of_type(format!("it is {found}, not {expected}"))
}

macro_rules! from_value {
    ($($type:ty),*) => {
        $(impl FromCell for $type {
            fn from_cell(cell: Cell) -> Result<Self, Error> {
                match cell {
                    Cell::Value(value) => {
                        <$type>::try_from(value).map_err(|error| Error::of_type(error.to_string()))
                    }
                    other => Err(wrong("value of a property", &other)),
                }
            }
        })*
    };
}

from_value!(
    bool,
    i64,
    f64,
    String,
    Arc<str>,
    Arc<[u8]>,
    Date,
    Time,
    LocalTime,
    DateTime,
    LocalDateTime,
    Duration,
    Point
);

macro_rules! from_integer {
    ($($type:ty),*) => {
        $(impl FromCell for $type {
            fn from_cell(cell: Cell) -> Result<Self, Error> {
                let number = i64::from_cell(cell)?;
                <$type>::try_from(number).map_err(|_| {
                    Error::of_type(format!("{number} is out of range of {}", stringify!($type)))
                })
            }
        })*
    };
}

from_integer!(i8, i16, i32, u8, u16, u32, u64, usize);

macro_rules! from_variant {
    ($($type:ty, $variant:path, $expected:literal;)*) => {
        $(impl FromCell for $type {
            fn from_cell(cell: Cell) -> Result<Self, Error> {
                match cell {
                    $variant(found) => Ok(found),
                    other => Err(wrong($expected, &other)),
                }
            }
        })*
    };
}

from_variant! {
    Value, Cell::Value, "value of a property";
    Node, Cell::Node, "NODE";
    Relationship, Cell::Relationship, "RELATIONSHIP";
    Path, Cell::Path, "PATH";
}

impl FromCell for Cell {
    fn from_cell(cell: Cell) -> Result<Self, Error> {
        Ok(cell)
    }
}

impl FromCell for NodeId {
    fn from_cell(cell: Cell) -> Result<Self, Error> {
        Node::from_cell(cell).map(|node| node.id)
    }
}

impl FromCell for RelationshipId {
    fn from_cell(cell: Cell) -> Result<Self, Error> {
        Relationship::from_cell(cell).map(|relationship| relationship.id)
    }
}

/// `None` of null.
impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell) -> Result<Self, Error> {
        match cell.is_null() {
            true => Ok(None),
            false => T::from_cell(cell).map(Some),
        }
    }
}

impl<T: FromCell> FromCell for Vec<T> {
    fn from_cell(cell: Cell) -> Result<Self, Error> {
        match cell {
            Cell::Value(Value::List(values)) => values
                .iter()
                .map(|value| T::from_cell(Cell::Value(value.clone())))
                .collect(),
            Cell::List(cells) => cells.into_iter().map(T::from_cell).collect(),
            other => Err(wrong("LIST", &other)),
        }
    }
}

/// A type of Rust that rows become: a tuple of a value for each column, or the row.
pub trait FromRow: Sized {
    /// The row as this type.
    ///
    /// # Errors
    /// If it has fewer columns, or values of other types.
    fn from_row(row: &Row) -> Result<Self, Error>;
}

impl FromRow for Row {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(row.clone())
    }
}

macro_rules! from_row {
    ($($name:ident $at:tt),*) => {
        impl<$($name: FromCell),*> FromRow for ($($name,)*) {
            fn from_row(row: &Row) -> Result<Self, Error> {
                Ok(($(row.get::<$name>($at)?,)*))
            }
        }
    };
}

from_row!(A 0);
from_row!(A 0, B 1);
from_row!(A 0, B 1, C 2);
from_row!(A 0, B 1, C 2, D 3);
from_row!(A 0, B 1, C 2, D 3, E 4);
from_row!(A 0, B 1, C 2, D 3, E 4, F 5);
from_row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
from_row!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
