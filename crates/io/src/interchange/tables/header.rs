//! The beginning of a table: how its lines are read, and what its columns are called.

use std::io::BufRead;
use std::sync::Arc;

use crate::interchange::InterchangeError;
use crate::interchange::csv::records::{Dialect, Field, Outcome, Records};
use crate::interchange::error::Problem;
use crate::interchange::types::shown;

use super::mapping::{Format, Mapping, listed};
use super::section::Said;

/// Reads what stands before the rows. Gives the records behind it, and the names of
/// the columns.
pub(crate) fn begin<R: BufRead>(
    file: &Arc<str>,
    input: R,
    format: &Format,
) -> Result<(Records<R>, Vec<String>), InterchangeError> {
    let dialect = Dialect {
        delimiter: format.delimiter.unwrap_or_else(|| delimiter(file)),
        quotes: format.quotes,
        spaced_is_text: format.unquoted_text,
    };
    let mut records = Records::new(input, dialect);
    let unread = |source, line| InterchangeError::Input {
        file: file.clone(),
        line,
        source,
    };
    let passed = records.pass_over(format.skip);
    passed.map_err(|error| unread(error, records.line()))?;
    if let Some(columns) = &format.columns {
        return Ok((records, columns.clone()));
    }
    let read = records.advance();
    let problem = match read.map_err(|error| unread(error, records.line()))? {
        Some(Outcome::Record) => {
            let fields = (0..records.field_count()).filter_map(|at| records.field(at));
            let names = fields.map(|field| field.text.trim().to_string()).collect();
            return Ok((records, names));
        }
        Some(Outcome::Bad(problem) | Outcome::Broken(problem)) => problem,
        None => Problem::new("the file has no header; the mapping can give `columns`"),
    };
    let bad = problem.row(file, records.line());
    Err(InterchangeError::Unreadable(bad))
}

/// Tabs in files that are called so, otherwise commas.
fn delimiter(file: &str) -> u8 {
    let name = file.trim_end_matches(".gz").trim_end_matches(".zst");
    match name.ends_with(".tsv") || name.ends_with(".tab") {
        true => b'\t',
        false => b',',
    }
}

/// The columns of one file, for what a mapping says of them.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub(crate) mapping: &'a Mapping,
    pub(crate) file: &'a str,
    pub(crate) names: &'a [String],
}

impl Columns<'_> {
    /// The number of a column, from 0.
    pub(super) fn find(&self, column: &Said<String>) -> Result<usize, InterchangeError> {
        let found = self.names.iter().position(|name| *name == column.value);
        found.ok_or_else(|| {
            let known = listed(self.names.iter().map(String::as_str));
            let hint = match self.names {
                [_] => "; is there another `delimiter` between columns?",
                _ => "",
            };
            let (file, column_name) = (self.file, shown(&column.value));
            let problem = format!("{file} has no column {column_name}; there are {known}{hint}");
            self.mapping.error(column.line, problem)
        })
    }
}

/// Whether a field is no value.
pub(crate) fn is_null(field: Field<'_>, null: &[String]) -> bool {
    let is_empty = field.text.is_empty() && !field.quoted;
    is_empty || null.iter().any(|text| *text == *field.text)
}
