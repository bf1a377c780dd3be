//! Checks that need no graph: which variables there are, of which types, where
//! aggregations may stand, and what else openCypher refuses before it executes.
//!
//! The names of errors are those of the Technology Compatibility Kit ([`Detail`]).

mod aggregation;
mod functions;
mod hint;
mod pattern;
mod procedure;
mod projection;
mod query;
mod types;
mod update;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

pub use functions::{FunctionSignature, Functions, Parameter, Returns, Times};
pub use procedure::{Procedures, Signature, read_signature};
pub use types::{Type, Types};

use crate::error::Detail::*;
use crate::error::{Detail, Error, Problem};
use crate::parse::Parsed;
use crate::tree::{Body, Command, Labels, Name, Span, Statement, StatementLabels};

/// Knowledge besides the text.
#[derive(Clone, Copy, Default)]
pub struct Environment<'e> {
    /// The functions that there are; without it, their calls are not checked, and none is
    /// an aggregation but `count(*)`.
    pub functions: Option<&'e dyn Functions>,
    /// The procedures that there are; without it, calls are not checked.
    pub procedures: Option<&'e dyn Procedures>,
    /// The parameters that are given; without it, any may be.
    pub parameters: Option<&'e BTreeSet<String>>,
}

/// A statement that passed the checks: its columns, and the names that it looks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Names in the graph that it looks for.
    pub searched: Vec<(Named, Name)>,
}

/// Names of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// Of nodes.
    Label,
    /// Of relationships.
    Type,
    /// Of properties.
    Key,
}

/// Checks a statement that was parsed from a text. O(length · log(variables)).
///
/// # Errors
/// The first thing that is wrong, and its place.
pub fn check(
    text: &str,
    statement: &Statement,
    environment: Environment<'_>,
) -> Result<Checked, Error> {
    let mut checker = Checker {
        environment,
        layers: Vec::new(),
        searched: Vec::new(),
        queries: 0,
        expressions: 0,
    };
    let columns = checker
        .statement(statement)
        .map_err(|problem| problem.of(text))?;
    Ok(Checked {
        columns,
        searched: checker.searched,
    })
}

/// Variables of a part of a query.
#[derive(Clone, Debug, Default)]
struct Layer {
    variables: BTreeMap<String, Type>,
    /// Whether the layers below are hidden.
    is_closed: bool,
}

struct Checker<'e> {
    environment: Environment<'e>,
    /// The innermost one last.
    layers: Vec<Layer>,
    searched: Vec<(Named, Name)>,
    /// Queries within each other that are checked.
    queries: usize,
    /// Queries of expressions within each other that are checked: they read only.
    expressions: usize,
}

impl Checker<'_> {
    fn statement(&mut self, statement: &Statement) -> Parsed<Vec<String>> {
        match &statement.body {
            Body::Query(query) => self.whole_query(query),
            Body::Command(command) => {
                if let Command::CopyTo(copy) = &**command {
                    self.whole_query(&copy.query)?;
                }
                Ok(Vec::new())
            }
        }
    }

    /// Notes names that are looked for.
    fn search(&mut self, named: Named, labels: Option<&StatementLabels>) {
        match labels {
            None | Some(Labels::Any | Labels::Computed(_)) => {}
            Some(Labels::Name(name)) => self.searched.push((named, name.clone())),
            Some(Labels::Not(inner)) => self.search(named, Some(inner)),
            Some(Labels::And(parts) | Labels::Or(parts)) => {
                parts.iter().for_each(|part| self.search(named, Some(part)));
            }
        }
    }

    /// The variables that can be seen.
    fn visible(&self) -> BTreeMap<String, Type> {
        let mut found = BTreeMap::new();
        for layer in &self.layers {
            if layer.is_closed {
                found.clear();
            }
            found.extend(layer.variables.clone());
        }
        found
    }

    /// Type of a variable that can be seen.
    fn find(&self, name: &str) -> Option<&Type> {
        self.find_below(0, name)
    }

    /// As [`Checker::find`], without so many of the innermost layers.
    fn find_below(&self, layers: usize, name: &str) -> Option<&Type> {
        let closed = self.layers.iter().rev().take(layers);
        if closed.into_iter().any(|layer| layer.is_closed) {
            return None;
        }
        for layer in self.layers.iter().rev().skip(layers) {
            if let Some(found) = layer.variables.get(name) {
                return Some(found);
            }
            if layer.is_closed {
                return None;
            }
        }
        None
    }

    fn bind(&mut self, name: &str, of: Type) {
        if self.layers.is_empty() {
            self.layers.push(Layer::default());
        }
        if let Some(layer) = self.layers.last_mut() {
            layer.variables.insert(name.to_string(), of);
        }
    }

    /// Does something with more variables.
    fn within<T>(
        &mut self,
        variables: impl IntoIterator<Item = (String, Type)>,
        part: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let layer = Layer {
            variables: variables.into_iter().collect(),
            is_closed: false,
        };
        self.in_layer(layer, part)
    }

    fn in_layer<T>(
        &mut self,
        layer: Layer,
        part: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let depth = self.layers.len();
        self.layers.push(layer);
        let part = part(self);
        self.layers.truncate(depth);
        part
    }

    /// Variables of the innermost layer.
    fn own_variables(&self) -> &BTreeMap<String, Type> {
        static NONE: BTreeMap<String, Type> = BTreeMap::new();
        self.layers.last().map_or(&NONE, |layer| &layer.variables)
    }

    fn need_variable(&self, name: &str, at: Span) -> Parsed<&Type> {
        if let Some(found) = self.find(name) {
            return Ok(found);
        }
        if float_of(name).is_some() {
            return Ok(&Type::Float);
        }
        let what = format!("there is no variable {name}");
        let hint = "variables come from MATCH, UNWIND, CREATE and the like; \
                    WITH keeps only those that it names";
        let mut problem = problem(UndefinedVariable, at, what, hint);
        let called = value::foreign_function(name);
        if let Some(call) = called.filter(|here| here.ends_with("()")) {
            return Err(problem.meant(call));
        }
        let known = self.visible();
        problem = problem.near(name, known.keys().map(String::as_str));
        if problem.near.is_none() {
            let _ = write!(problem.hint, "; a text stands in quotes: '{name}'");
            let is_entity = |(_, of): &(_, &Type)| matches!(of, Type::Node | Type::Relationship);
            if let Some((of, _)) = known.iter().find(is_entity) {
                let _ = write!(problem.hint, "; a property is written {of}.{name}");
            }
        }
        Err(problem)
    }

    fn need_unbound(&self, name: &Name) -> Parsed<()> {
        match self.find(&name.text) {
            None => Ok(()),
            Some(_) => Err(already_bound(name)),
        }
    }
}

/// The float that a name means where there is no variable of it: `INF`, `INFINITY`, `NAN`.
pub fn float_of(name: &str) -> Option<f64> {
    match () {
        () if name.eq_ignore_ascii_case("INF") => Some(f64::INFINITY),
        () if name.eq_ignore_ascii_case("INFINITY") => Some(f64::INFINITY),
        () if name.eq_ignore_ascii_case("NAN") => Some(f64::NAN),
        () => None,
    }
}

pub(crate) fn already_bound(name: &Name) -> Problem {
    let what = format!("there is already a variable {}", name.text);
    problem(VariableAlreadyBound, name.at, what, "choose another name")
}

fn problem(detail: Detail, at: Span, what: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem::new(detail, at.range(), what, hint)
}
