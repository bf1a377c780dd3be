//! Scenarios of the kit: what is given, what is executed, what is expected.

use std::fmt;

use crate::gherkin::{Lines, Step};
use crate::signature::Procedure;

/// A feature that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Its title, with a number in the feature.
    pub name: String,
    /// Number of the example of an outline, from 1.
    pub example: Option<usize>,
    /// With `@`.
    pub tags: Vec<String>,
    /// The graph that it begins with.
    pub graph: Graph,
    /// Queries that are executed before, in order.
    pub setup: Vec<String>,
    /// Procedures that there are.
    pub procedures: Vec<Procedure>,
    /// Names and values of parameters.
    pub parameters: Vec<(String, String)>,
    /// The query, and then those that look at its effects.
    pub queries: Vec<Expected>,
}

/// The graph that a scenario begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Graph {
    /// Any.
    Any,
    /// Without a node.
    Empty,
    /// One of the kit's; see [`crate::graph`].
    Named(String),
}

/// A query, and what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Its text.
    pub query: String,
    /// Its result.
    pub outcome: Outcome,
    /// Its side effects, such as `+nodes`; those that are not named are none. `None` if
    /// nothing is said of them.
    pub side_effects: Option<Vec<(String, u64)>>,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No rows, and no columns.
    Empty,
    /// Rows.
    Rows(Rows),
    /// An error.
    Error(ExpectedError),
}

/// A table of values as the kit writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Names of columns.
    pub columns: Vec<String>,
    /// Values.
    pub rows: Vec<Vec<String>>,
    /// Whether their order counts.
    pub is_ordered: bool,
    /// Whether the order within lists counts.
    pub are_lists_ordered: bool,
}

/// An error that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedError {
    /// Its class, such as `SyntaxError`.
    pub class: String,
    /// When it comes.
    pub phase: Phase,
    /// Its name, `*` for any.
    pub detail: String,
}

/// When an error comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the query is executed.
    CompileTime,
    /// While it is.
    Runtime,
    /// Either.
    Any,
}

impl Scenario {
    /// The scenario that lines describe.
    pub(crate) fn of(lines: Lines) -> Result<Self, Malformed> {
        let mut scenario = Scenario {
            name: lines.name,
            example: lines.example,
            tags: lines.tags,
            graph: Graph::Any,
            setup: Vec::new(),
            procedures: Vec::new(),
            parameters: Vec::new(),
            queries: Vec::new(),
        };
        for step in lines.steps {
            let text = step.text.clone();
            let done = scenario.take(step);
            done.map_err(|what| Malformed(format!("{}: {what}: {text}", scenario.name)))?;
        }
        match scenario.queries.is_empty() {
            true => Err(Malformed(format!("{}: no query", scenario.name))),
            false => Ok(scenario),
        }
    }

    fn take(&mut self, step: Step) -> Result<(), &'static str> {
        let text = step.text.trim_end_matches(':').trim();
        let document = step.document.clone().ok_or("no text");
        match text {
            "any graph" => self.graph = Graph::Any,
            "an empty graph" => self.graph = Graph::Empty,
            "having executed" => self.setup.push(document?),
            "parameters are" => self.parameters = pairs(&step.table)?,
            "executing query" | "executing control query" => self.queries.push(Expected {
                query: document?,
                outcome: Outcome::Empty,
                side_effects: None,
            }),
            _ => return self.take_other(&step, text),
        }
        Ok(())
    }

    fn take_other(&mut self, step: &Step, text: &str) -> Result<(), &'static str> {
        if let Some(signature) = text.strip_prefix("there exists a procedure ") {
            let procedure = Procedure::read(signature, &step.table);
            self.procedures.push(procedure.ok_or("no signature")?);
            return Ok(());
        }
        if let Some(name) = text
            .strip_prefix("the ")
            .and_then(|text| text.strip_suffix(" graph"))
        {
            self.graph = Graph::Named(name.to_string());
            return Ok(());
        }
        let last = self.queries.last_mut().ok_or("no query before")?;
        match text {
            "no side effects" => last.side_effects = Some(Vec::new()),
            "the side effects should be" => {
                let effects = pairs(&step.table)?.into_iter().map(|(name, count)| {
                    let count = count.parse().map_err(|_| "no number")?;
                    Ok((name, count))
                });
                last.side_effects = Some(effects.collect::<Result<_, &'static str>>()?);
            }
            "the result should be empty" => last.outcome = Outcome::Empty,
            _ if text.starts_with("the result should be") => {
                let (columns, rows) = step.table.split_first().ok_or("no table")?;
                last.outcome = Outcome::Rows(Rows {
                    columns: columns.clone(),
                    rows: rows.to_vec(),
                    is_ordered: text.contains("in order"),
                    are_lists_ordered: !text.contains("ignoring element order"),
                });
            }
            _ => last.outcome = Outcome::Error(error(text).ok_or("an unknown step")?),
        }
        Ok(())
    }
}

/// Rows of two cells.
fn pairs(table: &[Vec<String>]) -> Result<Vec<(String, String)>, &'static str> {
    let pair = |row: &Vec<String>| match &row[..] {
        [name, value] => Ok((name.clone(), value.clone())),
        _ => Err("no pair"),
    };
    table.iter().map(pair).collect()
}

/// `a SyntaxError should be raised at compile time: UndefinedVariable`
fn error(text: &str) -> Option<ExpectedError> {
    let (class, rest) = text.split_once(" should be raised at ")?;
    let (phase, detail) = rest.split_once(':')?;
    let phase = match phase {
        "compile time" => Phase::CompileTime,
        "runtime" => Phase::Runtime,
        "any time" => Phase::Any,
        _ => return None,
    };
    Some(ExpectedError {
        class: class.split_once(' ')?.1.to_string(),
        phase,
        detail: detail.trim().to_string(),
    })
}
