//! Tables that say what the texts of a column stand for.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use crate::interchange::InterchangeError;
use crate::interchange::csv::records::Outcome;
use crate::interchange::error::Problem;
use crate::interchange::types::shown;

use super::header::{Columns, begin};
use super::mapping::{Lookup, Mapping};

/// Texts, and what they stand for.
pub(crate) type Texts = BTreeMap<String, Arc<str>>;

/// Reads a lookup as a whole.
///
/// # Errors
/// A row that cannot be read, or names a text again: nothing is left out here.
pub(crate) fn read<R: BufRead>(
    mapping: &Mapping,
    lookup: &Lookup,
    input: R,
) -> Result<Texts, InterchangeError> {
    let file: Arc<str> = lookup.file.value.as_str().into();
    let (mut records, names) = begin(&file, input, &lookup.format)?;
    let columns = Columns {
        mapping,
        file: &lookup.file.value,
        names: &names,
    };
    let (key, value) = (columns.find(&lookup.key)?, columns.find(&lookup.value)?);
    let mut texts = Texts::new();
    loop {
        let read = records.advance();
        let line = records.line();
        let problem = match read {
            Err(source) => return Err(InterchangeError::Input { file, line, source }),
            Ok(None) => return Ok(texts),
            Ok(Some(Outcome::Bad(problem) | Outcome::Broken(problem))) => problem,
            Ok(Some(Outcome::Record)) => match (records.field(key), records.field(value)) {
                _ if records.field_count() != names.len() => {
                    let found = records.field_count();
                    Problem::new(format!("{found} columns, expected {}", names.len()))
                }
                (Some(key), Some(value)) if !value.text.is_empty() => {
                    match texts.insert(key.text.to_string(), value.text.into()) {
                        None => continue,
                        Some(_) => {
                            let problem = format!("{} is there already", shown(key.text));
                            Problem::at(&lookup.key.value, problem)
                        }
                    }
                }
                _ => Problem::at(&lookup.value.value, "nothing is there"),
            },
        };
        return Err(InterchangeError::Unreadable(problem.row(&file, line)));
    }
}
