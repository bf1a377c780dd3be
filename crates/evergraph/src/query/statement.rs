//! Statements with all that they are run with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use evergraph_interpreter::{Cancellation, Datum, Execution, Limits};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::PropertyGraph;
use evergraph_property_graph::transaction::{Isolation, TransactionOptions};
use evergraph_syntax::tree::Span;
use evergraph_syntax::with_article;

use super::error::Error;
use crate::At;

/// Parameters by name, without `$`.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// Values all of them, as the interpreter takes them: a statement is often run again.
    values: BTreeMap<String, Datum>,
    /// One that was refused, and is null here: lists and maps lie too deep in it.
    too_deep: Option<String>,
}

impl Parameters {
    /// None.
    pub fn new() -> Self {
        Parameters::default()
    }

    /// The same with one more; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extend([(name, value)]);
        self
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let entries = self.values.iter();
        entries.filter_map(|(name, datum)| Some((name.as_str(), datum.as_value()?)))
    }

    pub(super) fn names(&self) -> BTreeSet<String> {
        self.values.keys().cloned().collect()
    }

    pub(super) fn data(&self) -> &BTreeMap<String, Datum> {
        &self.values
    }

    /// Refuses values that are not read without end.
    pub(super) fn refuse_too_deep(&self) -> Result<(), Error> {
        let Some(name) = &self.too_deep else {
            return Ok(());
        };
        let deepest = Datum::DEEPEST;
        let what = format!("in ${name} lists and maps lie more than {deepest} deep in each other");
        let hint = "give it a value of fewer levels";
        Err(Error::of_resource("TooDeep", what, hint))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)?.as_value()
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter()) && self.too_deep == other.too_deep
    }
}

impl From<()> for Parameters {
    fn from((): ()) -> Self {
        Parameters::default()
    }
}

impl<K: Into<String>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Parameters {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl From<BTreeMap<String, Value>> for Parameters {
    fn from(entries: BTreeMap<String, Value>) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut parameters = Parameters::default();
        parameters.extend(entries);
        parameters
    }
}

impl IntoIterator for Parameters {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        let entries = self
            .values
            .into_iter()
            .filter_map(|(name, datum)| match datum {
                Datum::Value(value) => Some((name, value)),
                _ => None,
            });
        entries.collect::<Vec<_>>().into_iter()
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Parameters {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (name, value) in entries {
            let (name, mut datum) = (name.into(), Datum::Value(value.into()));
            if datum.is_deeper(Datum::DEEPEST) {
                datum.take_apart();
                self.too_deep.get_or_insert_with(|| name.clone());
            }
            self.values.insert(name, datum);
        }
    }
}

/// A statement: its text, its parameters, its bounds, and the graph that it reads.
#[derive(Clone, Debug)]
pub struct Statement {
    pub(super) text: String,
    pub(super) parameters: Parameters,
    pub(super) as_of: Option<At>,
    pub(super) limits: Limits,
    pub(super) isolation: Isolation,
}

impl Statement {
    /// A statement of the query language, with or without a semicolon behind it.
    pub fn new(text: impl Into<String>) -> Self {
        Statement {
            text: text.into(),
            parameters: Parameters::default(),
            as_of: None,
            limits: Limits::default(),
            isolation: Isolation::default(),
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a parameter that stands somewhere in it.
    ///
    /// # Errors
    /// A parameter that is no text.
    pub(super) fn text_of(&self, name: &str, at: Span, hint: &str) -> Result<String, Error> {
        let value = self.parameters.get(name).unwrap_or(&Value::Null);
        if let Value::Text(text) = value {
            return Ok(text.to_string());
        }
        let (detail, what) = ("InvalidArgumentType", with_article(value.type_name()));
        let what = format!("${name} is {what}");
        Err(Error::of_statement(
            detail,
            what,
            hint,
            &self.text,
            &at.range(),
        ))
    }

    /// Adds a parameter.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters = self.parameters.with(name, value);
        self
    }

    /// Takes these parameters, and no others.
    #[must_use]
    pub fn parameters(mut self, parameters: impl Into<Parameters>) -> Self {
        self.parameters = parameters.into();
        self
    }

    /// Reads the graph as it was. A statement that says `AS OF` itself means that.
    #[must_use]
    pub fn as_of(mut self, at: At) -> Self {
        self.as_of = Some(at);
        self
    }

    /// Ends it with an error after so long.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = Some(timeout);
        self
    }

    /// Ends it with an error if it would hold more bytes at one time.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Lets it sort, group, join and find distinct rows in temporary files in a directory,
    /// which is made if it is not there, where it would hold more bytes than it may.
    #[must_use]
    pub fn temporary_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.limits.spill = Some(directory.into());
        self
    }

    /// Says how its expressions are evaluated.
    #[must_use]
    pub fn execution(mut self, execution: Execution) -> Self {
        self.limits.execution = execution;
        self
    }

    /// Lets so many threads read for it at a time, instead of one for each core; with one,
    /// rows without an order and sums of floats are the same each time.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.limits.threads = threads.max(1);
        self
    }

    /// Isolates the transaction of its own that it writes in; one within a [`Transaction`]
    /// has that one's isolation.
    ///
    /// [`Transaction`]: super::Transaction
    #[must_use]
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// The same graph, whose transactions are isolated as the statement asks.
    pub(super) fn of_graph(&self, graph: &PropertyGraph) -> PropertyGraph {
        graph.with_options(TransactionOptions {
            isolation: self.isolation,
            ..graph.transaction_options().clone()
        })
    }

    /// Lets another thread end it.
    #[must_use]
    pub fn cancellation(mut self, cancellation: &Cancellation) -> Self {
        self.limits.cancellation = cancellation.clone();
        self
    }
}

impl From<&str> for Statement {
    fn from(text: &str) -> Self {
        Statement::new(text)
    }
}
