//! Roles of the columns of a file, for people.

use super::columns::{Columns, is_time_name, is_time_value};
use super::options::Options;
use super::values::weight;

/// A column of a table, or what stands for one in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileColumn {
    /// Its name in the header, or else its number from 1, in words.
    pub name: String,
    /// Its role.
    pub role: ColumnRole,
    /// Whether it is read.
    pub is_read: bool,
}

impl FileColumn {
    /// Whether its name is one of times, such as `timestamp`.
    pub fn is_called_time(&self) -> bool {
        is_time_name(&self.name)
    }
}

/// Role of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnRole {
    /// Source of the edge.
    Source,
    /// Target of the edge.
    Target,
    /// In a list of vertices.
    Vertex,
    /// Weight, or numbers that could be one.
    Weight,
    /// Time, or what looks like one.
    Time,
    /// `+` or `-`.
    Operation,
    /// Numbers of the rows, which pandas writes in front without a title.
    Index,
    /// Something else.
    Other,
}

impl ColumnRole {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            ColumnRole::Source => "source",
            ColumnRole::Target => "target",
            ColumnRole::Vertex => "vertex",
            ColumnRole::Weight => "weight",
            ColumnRole::Time => "time",
            ColumnRole::Operation => "operation",
            ColumnRole::Index => "index of pandas",
            ColumnRole::Other => "other",
        }
    }
}

/// The ends of an edge and, where entries have one, its weight: of formats without a
/// choice of columns.
pub(super) fn of_entries(has_weights: bool, reads_weights: bool) -> Vec<FileColumn> {
    let column = |name: &str, role, is_read| FileColumn {
        name: name.to_string(),
        role,
        is_read,
    };
    let mut columns = vec![
        column("source", ColumnRole::Source, true),
        column("target", ColumnRole::Target, true),
    ];
    if has_weights {
        columns.push(column(
            "the column of values",
            ColumnRole::Weight,
            reads_weights,
        ));
    }
    columns
}

/// The columns of a table, of those that are read, the names in its header and the
/// fields of its first line.
pub(super) fn of_table(
    columns: &Columns,
    options: &Options,
    names: Option<&[String]>,
    first: &[&[u8]],
) -> Vec<FileColumn> {
    let ends = match columns.target {
        Some(_) => ColumnRole::Source,
        None => ColumnRole::Vertex,
    };
    let read = [
        (Some(columns.source), ends),
        (columns.target, ColumnRole::Target),
        (columns.weight, ColumnRole::Weight),
        (columns.timestamp, ColumnRole::Time),
        (columns.operation, ColumnRole::Operation),
    ];
    let weight_if_read = weight_if_read(columns, options, names, first);
    let time_if_read = time_of_events(columns, names, first);
    let described = |(index, field): (usize, &&[u8])| {
        let name = names.and_then(|names| names.get(index));
        let role = read.iter().find(|(column, _)| *column == Some(index));
        FileColumn {
            name: name
                .filter(|name| !name.is_empty())
                .cloned()
                .unwrap_or_else(|| format!("column {}", index + 1)),
            role: match role {
                Some((_, role)) => *role,
                None if columns.pandas_index(names, first) == Some(index) => ColumnRole::Index,
                None if time_if_read == Some(index) => ColumnRole::Time,
                None if weight_if_read == Some(index) => ColumnRole::Weight,
                None if is_time_value(field) => ColumnRole::Time,
                None => ColumnRole::Other,
            },
            is_read: role.is_some(),
        }
    };
    first.iter().enumerate().map(described).collect()
}

/// The column of events that is as whole as times are, where no title says what it is.
fn time_of_events(columns: &Columns, names: Option<&[String]>, first: &[&[u8]]) -> Option<usize> {
    let nothing_is_read = columns.weight.is_none() && columns.timestamp.is_none();
    if columns.operation.is_none() || names.is_some() || first.len() != 4 || !nothing_is_read {
        return None;
    }
    let ends = [Some(columns.source), columns.target, columns.operation];
    let lone = (0..first.len()).find(|index| !ends.contains(&Some(*index)))?;
    first[lone].iter().all(u8::is_ascii_digit).then_some(lone)
}

/// The column that would be the weight, if that was asked for: of numbers that are no
/// times.
fn weight_if_read(
    columns: &Columns,
    options: &Options,
    names: Option<&[String]>,
    first: &[&[u8]],
) -> Option<usize> {
    if columns.target.is_none() || columns.weight.is_some() {
        return None;
    }
    let options = Options {
        weighted: true,
        ..options.clone()
    };
    let decided = match columns.operation {
        Some(_) => Columns::decide_events(&options, names, first),
        None => Columns::decide(&options, false, names, first),
    };
    let found = decided.ok()?.weight?;
    let is_time = names
        .and_then(|names| names.get(found))
        .is_some_and(|name| is_time_name(name));
    let field = first.get(found)?;
    let is_weight = weight(field).is_ok() && !is_time && !is_time_value(field);
    (is_weight && columns.timestamp != Some(found)).then_some(found)
}
