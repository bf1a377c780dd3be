//! Values of a TOML file, with the lines that they stand on.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{BadRow, InterchangeError};

/// A value with its line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said<T> {
    pub(crate) value: T,
    pub(crate) line: u64,
}

/// The text of a TOML file, and what messages call it.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) file: Arc<str>,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    fn line(&self, at: usize) -> u64 {
        let before = self.text.as_bytes().iter().take(at);
        1 + before.filter(|&&byte| byte == b'\n').count() as u64
    }

    /// The whole file, which the caller takes apart.
    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'_>>, InterchangeError> {
        DeTable::parse(self.text).map_err(|error: Error| {
            let at = error.span().map_or(0, |span| span.start);
            // Some of its messages span lines.
            let problem = error.message().replace('\n', ", ");
            wrong(&self.file, self.line(at), problem)
        })
    }
}

/// Error of a mapping, at a line.
pub(crate) fn wrong(file: &Arc<str>, line: u64, problem: impl Into<String>) -> InterchangeError {
    InterchangeError::Mapping(Problem::new(problem).row(file, line))
}

/// A table of the file. Its keys are read one by one; an unread key is an error at the
/// end, because it would be ignored silently.
pub(crate) struct Section<'a> {
    source: &'a Source<'a>,
    table: &'a DeTable<'a>,
    pub(crate) line: u64,
    asked: Vec<&'static str>,
}

/// The value of a key, or an element of a list.
pub(crate) struct Item<'a> {
    source: &'a Source<'a>,
    name: &'a str,
    value: &'a DeValue<'a>,
    pub(crate) line: u64,
}

impl<'a> Section<'a> {
    pub(super) fn new(source: &'a Source<'a>, table: &'a DeTable<'a>, line: u64) -> Self {
        Section {
            source,
            table,
            line,
            asked: Vec::new(),
        }
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&mut self, key: &'static str) -> Option<Item<'a>> {
        self.asked.push(key);
        self.items().find(|item| item.name == key)
    }

    /// All values.
    pub(super) fn items(&self) -> impl Iterator<Item = Item<'a>> + use<'a> {
        let source = self.source;
        self.table.iter().map(move |(key, value)| Item {
            source,
            name: key.get_ref(),
            value: value.get_ref(),
            line: source.line(key.span().start),
        })
    }

    /// An error about the whole section.
    pub(super) fn error(&self, problem: impl Into<String>) -> InterchangeError {
        wrong(&self.source.file, self.line, problem)
    }

    /// Whether every key was asked for.
    pub(super) fn finish(&self) -> Result<(), InterchangeError> {
        match self.items().find(|item| !self.asked.contains(&item.name)) {
            None => Ok(()),
            Some(item) => {
                let known = self.asked.join(", ");
                Err(item.error(format!("there is no such key here; there are {known}")))
            }
        }
    }
}

impl<'a> Item<'a> {
    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    pub(super) fn error(&self, problem: impl Into<String>) -> InterchangeError {
        InterchangeError::Mapping(BadRow {
            file: self.source.file.clone(),
            line: self.line,
            column: Some(self.name.into()),
            problem: problem.into(),
        })
    }

    pub(super) fn string(&self) -> Result<Said<String>, InterchangeError> {
        match self.value {
            DeValue::String(text) => Ok(Said {
                value: text.to_string(),
                line: self.line,
            }),
            other => Err(self.expected("a text in quotes", other)),
        }
    }

    pub(super) fn boolean(&self) -> Result<bool, InterchangeError> {
        match self.value {
            DeValue::Boolean(value) => Ok(*value),
            other => Err(self.expected("true or false", other)),
        }
    }

    /// A number that is not negative.
    pub(super) fn number(&self) -> Result<u64, InterchangeError> {
        let found = match self.value {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        found.ok_or_else(|| self.expected("a number from 0", self.value))
    }

    /// A text, or a list of texts.
    pub(super) fn strings(&self) -> Result<Vec<Said<String>>, InterchangeError> {
        self.elements().iter().map(Item::string).collect()
    }

    /// The elements of a list; any other value is the only one.
    pub(super) fn elements(&self) -> Vec<Item<'a>> {
        let item = |value: &'a DeValue<'a>, line| Item {
            source: self.source,
            name: self.name,
            value,
            line,
        };
        match self.value {
            DeValue::Array(elements) => elements
                .iter()
                .map(|element| item(element.get_ref(), self.source.line(element.span().start)))
                .collect(),
            value => vec![item(value, self.line)],
        }
    }

    /// A table, if it is one.
    pub(super) fn as_section(&self) -> Option<Section<'a>> {
        match self.value {
            DeValue::Table(table) => Some(Section::new(self.source, table, self.line)),
            _ => None,
        }
    }

    /// A table; `like` is an example.
    pub(super) fn section(&self, like: &str) -> Result<Section<'a>, InterchangeError> {
        self.as_section()
            .ok_or_else(|| self.expected(like, self.value))
    }

    fn expected(&self, what: &str, found: &DeValue<'_>) -> InterchangeError {
        let found = match found {
            DeValue::String(text) => shown(text),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date".to_string(),
            DeValue::Array(_) => "a list".to_string(),
            DeValue::Table(_) => "a table".to_string(),
        };
        self.error(format!("expected {what}, found {found}"))
    }
}
