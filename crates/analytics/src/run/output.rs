//! Values as text: a line for each vertex, edge or list.

use std::fmt;
use std::io::{self, Write};

use super::file_format::{FileFormat, Style, Writer};
use super::numbers::real;
use super::rows::Rows;
use super::values::Cell;
use super::{Fact, Format, Naming, Outcome, Values};
use crate::Session;
use evergraph_property_graph::graph::NodeId;
use evergraph_property_graph::value::Value;

/// Writes the rows of an outcome as [`FileFormat::Text`].
///
/// # Errors
/// As [`Rows::write`].
pub fn write_values(out: &mut dyn Write, session: &Session, outcome: &Outcome) -> io::Result<()> {
    Rows::of(session, outcome).write(out, FileFormat::Text)
}

/// A column of [`write_columns`].
#[derive(Clone, Debug, PartialEq)]
pub struct ValueColumn {
    /// Title of the column.
    pub title: String,
    /// The values.
    pub values: Values,
    /// External names of their vertices.
    pub naming: Naming,
}

/// Writes a row for each vertex: its name, and its value in each of several results,
/// with nothing (`-` in text) where it did not exist yet, or is not in the projection.
/// The first line names the columns.
///
/// # Errors
/// As [`write_values`].
pub fn write_columns(
    out: &mut dyn Write,
    session: &Session,
    columns: &[ValueColumn],
    (file, format): (FileFormat, Format),
) -> io::Result<()> {
    // Names are those of the latest snapshot that has the vertex.
    let keys = columns
        .last()
        .map_or(&[][..], |column| column.naming.keys());
    let mut titles: Vec<String> = match keys {
        [] => vec!["vertex".to_string()],
        keys => keys.to_vec(),
    };
    let names = titles.len();
    titles.extend(columns.iter().map(|column| column.title.clone()));
    let style = Style {
        tabs: !keys.is_empty(),
        names,
        format,
    };
    if file == FileFormat::Text {
        let titles = titles.iter();
        let titles: Vec<Cell> = titles
            .map(|title| Some(Value::Text(title.as_str().into())))
            .collect();
        style.write_line(out, &titles)?;
    }
    let namers: Vec<_> = columns
        .iter()
        .map(|column| (column, column.naming.namer(session)))
        .collect();
    let mut writer = Writer::begin(out, file, style, titles)?;
    let mut cells = Vec::new();
    for row in rows(columns) {
        cells.clear();
        let named = namers
            .iter()
            .rev()
            .find_map(|(column, namer)| Some((namer, vertex_in(column, row)?)));
        if let Some((namer, vertex)) = named {
            namer.push(vertex, &mut cells);
        }
        cells.resize(names, None);
        cells.extend(namers.iter().map(|(column, namer)| {
            let vertex = vertex_in(column, row)?;
            column.values.cell(vertex, namer)
        }));
        writer.row(&cells)?;
    }
    writer.finish()?;
    namers.into_iter().try_for_each(|(_, namer)| namer.finish())
}

/// Every vertex, or every node, that a column has a value of, ascending.
fn rows(columns: &[ValueColumn]) -> Vec<u32> {
    let mut rows = Vec::new();
    for column in columns {
        let count = column.values.vertices().unwrap_or(0) as u32;
        let known = rows.len();
        match column.naming.of_vertex() {
            Some(known) => rows.extend_from_slice(&known[..known.len().min(count as usize)]),
            None => rows.extend(0..count),
        }
        if known > 0 {
            rows.sort_unstable();
            rows.dedup();
        }
    }
    rows
}

/// The vertex of a column that stands in a row.
fn vertex_in(column: &ValueColumn, row: u32) -> Option<u32> {
    match (column.naming.of_vertex(), column.naming.nodes()) {
        (Some(known), _) => known.binary_search(&row).ok().map(|at| at as u32),
        (None, Some(nodes)) => nodes.vertex(NodeId(row)),
        (None, None) => Some(row),
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Whole(number) | Fact::Id(number) => write!(f, "{number}"),
            Fact::Real(number) => f.write_str(&real(*number)),
            Fact::Text(text) => f.write_str(text),
            Fact::Flag(is_so) => write!(f, "{is_so}"),
            Fact::Names(names) => {
                let names: Vec<String> = names.iter().map(Fact::to_string).collect();
                f.write_str(&names.join(" -> "))
            }
            Fact::Counts(counts) => {
                let counts = counts.iter();
                let counts: Vec<String> = counts.map(|(at, n)| format!("{at}:{n}")).collect();
                f.write_str(&counts.join(" "))
            }
        }
    }
}
