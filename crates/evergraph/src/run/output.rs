//! Values as text: a line for each vertex, edge or list.

use std::io::{self, Write};

use super::{Fact, Format, Naming, Outcome, Values};
use crate::Database;
use crate::property::NodeId;

/// Writes `vertex value`, `source target`, `source target value` or the vertices of a
/// list, one line each, by external ids or ids of nodes; an unreachable vertex is
/// `inf`. Of a result that is only a summary, `name value` lines.
///
/// If nodes are named by a property, parts of a line are separated by tabs, and
/// `\t`, `\n`, `\r` and `\\` escape those characters in a name.
///
/// # Errors
/// Errors of `out`; damage, if names cannot be read.
pub fn write_values(out: &mut dyn Write, db: &Database, outcome: &Outcome) -> io::Result<()> {
    let facts = outcome.result.iter();
    let facts = facts.map(|(name, fact)| (name.as_ref(), fact));
    let what = (&outcome.values, outcome.format, &outcome.naming);
    write_lines(out, db, what, facts)
}

/// As [`write_values`], of the parts of an outcome.
pub(super) fn write_lines<'a>(
    out: &mut dyn Write,
    db: &Database,
    (values, format, naming): (&Values, Format, &Naming),
    facts: impl Iterator<Item = (&'a str, &'a Fact)>,
) -> io::Result<()> {
    if *values == Values::Nothing {
        for (name, fact) in facts {
            match fact {
                Fact::Whole(number) => writeln!(out, "{name} {number}")?,
                Fact::Real(number) => writeln!(out, "{name} {}", real(*number))?,
                Fact::Text(text) => writeln!(out, "{name} {text}")?,
            }
        }
    }
    let separator = naming.separator();
    let namer = naming.namer(db);
    values.for_each_line(
        |vertex| namer.name(vertex),
        format,
        |parts| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    out.write_all(separator)?;
                }
                out.write_all(part.as_bytes())?;
            }
            out.write_all(b"\n")
        },
    )?;
    namer.finish()
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

/// Writes a line for each vertex: its name, and its value in each of several
/// results, with `-` where it did not exist yet, or is not in the projection. The
/// first line names the columns.
///
/// # Errors
/// As [`write_values`].
pub fn write_columns(
    out: &mut dyn Write,
    db: &Database,
    columns: &[ValueColumn],
    format: Format,
) -> io::Result<()> {
    // Names are those of the latest snapshot that has the vertex.
    let separator = columns
        .last()
        .map_or(&b" "[..], |column| column.naming.separator());
    out.write_all(b"vertex")?;
    for column in columns {
        out.write_all(separator)?;
        out.write_all(column.title.as_bytes())?;
    }
    out.write_all(b"\n")?;
    let namers: Vec<_> = columns
        .iter()
        .map(|column| (column, column.naming.namer(db)))
        .collect();
    for row in rows(columns) {
        let named = namers
            .iter()
            .rev()
            .find_map(|(column, namer)| Some(namer.name(vertex_in(column, row)?)));
        out.write_all(named.unwrap_or_default().as_bytes())?;
        for (column, namer) in &namers {
            let vertex = vertex_in(column, row);
            let value = vertex.and_then(|vertex| {
                let name = |other| namer.name(other);
                column.values.of_vertex(vertex, name, format)
            });
            out.write_all(separator)?;
            out.write_all(value.as_deref().unwrap_or("-").as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
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
