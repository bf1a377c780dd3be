//! Values as text: a line for each vertex, edge or list.

use std::fmt;
use std::io::{self, Write};

use super::file_format::{FileFormat, Style, Writer};
use super::rows::{Cell, Rows};
use super::{Fact, Format, Naming, Outcome, Values};
use crate::Database;
use crate::property::NodeId;
use crate::property::value::Value;

/// Writes the rows of an outcome as [`FileFormat::Text`].
///
/// # Errors
/// As [`Rows::write`].
pub fn write_values(out: &mut dyn Write, db: &Database, outcome: &Outcome) -> io::Result<()> {
    Rows::of(db, outcome).write(out, FileFormat::Text)
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
    db: &Database,
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
        .map(|column| (column, column.naming.namer(db)))
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
        match column.naming.nodes() {
            Some(nodes) => rows.extend((0..count).map(|vertex| nodes.node(vertex).0)),
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
    match column.naming.nodes() {
        Some(nodes) => nodes.vertex(NodeId(row)),
        None => Some(row),
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

/// A number with 17 significant digits, as C's `%.17g` writes it: reads back as
/// the same number.
pub fn real(value: f64) -> String {
    const DIGITS: i32 = 17;
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a whole exponent");
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        return without_zeros(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

/// A number with 16 significant digits and an exponent, as C's `%.15e`.
pub(super) fn scientific(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let text = format!("{value:.15e}");
    let (mantissa, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a whole exponent");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn without_zeros(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{real, scientific};

    #[test]
    fn scientific_numbers_are_written_as_c_does() {
        for (value, expected) in [
            (0.0, "0.000000000000000e+00"),
            (2.0 / 3.0, "6.666666666666666e-01"),
            (31.0, "3.100000000000000e+01"),
            (1e-100, "1.000000000000000e-100"),
        ] {
            assert_eq!(scientific(value), expected);
        }
    }

    #[test]
    fn reals_are_written_as_c_does() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.10000000000000001"),
            (1.0 / 3.0, "0.33333333333333331"),
            (1e-4, "0.0001"),
            (1e-5, "1.0000000000000001e-05"),
            (123_456_789.0, "123456789"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (1.5e300, "1.5000000000000001e+300"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(real(value), expected);
        }
    }
}
