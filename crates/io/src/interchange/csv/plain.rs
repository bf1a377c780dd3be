//! CSV as it is: fields without names and types.

use std::io::BufRead;
use std::sync::Arc;

use evergraph_property_graph::Value;

use super::records::{Dialect, Outcome, Records};
use crate::interchange::InterchangeError;

/// The records of a CSV file. An empty field is null and `""` the empty text; empty lines are
/// passed over. Each has the number of its line, from 1. Nothing comes behind an error that
/// hides what follows it.
pub struct CsvReader<R> {
    file: Arc<str>,
    records: Records<R>,
    is_done: bool,
}

impl<R: BufRead> CsvReader<R> {
    /// Reads an input with such bytes between fields. `file` names it in messages.
    pub fn new(file: &str, input: R, delimiter: u8) -> Self {
        CsvReader {
            file: file.into(),
            records: Records::new(input, Dialect::new(delimiter, true)),
            is_done: false,
        }
    }

    fn fields(&self) -> Vec<Value> {
        let fields = (0..self.records.field_count()).filter_map(|at| self.records.field(at));
        let values = fields.map(|field| match field.text.is_empty() && !field.quoted {
            true => Value::Null,
            false => Value::Text(field.text.into()),
        });
        values.collect()
    }
}

impl<R: BufRead> Iterator for CsvReader<R> {
    type Item = Result<(u64, Vec<Value>), InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let read = self.records.advance();
        let (file, line) = (&self.file, self.records.line());
        let error = match read {
            Ok(None) => return None,
            Ok(Some(Outcome::Record)) => return Some(Ok((line, self.fields()))),
            Ok(Some(Outcome::Bad(problem))) => {
                return Some(Err(InterchangeError::BadRow(problem.row(file, line))));
            }
            Ok(Some(Outcome::Broken(problem))) => {
                InterchangeError::Unreadable(problem.row(file, line))
            }
            Err(source) => InterchangeError::Input {
                file: Arc::clone(file),
                line,
                source,
            },
        };
        self.is_done = true;
        Some(Err(error))
    }
}
