//! Parts that may stand beside an aggregation.

use super::functions::FunctionSignature;
use super::{Checker, problem};
use crate::error::Detail::*;
use crate::parse::Parsed;
use crate::tree::{Expression, FunctionCall, Node};

impl Checker<'_> {
    /// A function by its name; `None` if none are known.
    pub(super) fn function_of(&self, call: &FunctionCall) -> Option<FunctionSignature> {
        self.environment.functions?.find(&call.full_name())
    }

    /// Whether it is an aggregation.
    pub(super) fn aggregates(&self, of: &Expression) -> bool {
        match &of.node {
            Node::CountAll => true,
            Node::Call(call) => self.function_of(call).is_some_and(|found| found.aggregates),
            _ => false,
        }
    }

    /// Whether an aggregation stands in it.
    pub(super) fn has_aggregation(&self, of: &Expression) -> bool {
        of.has(&|part| self.aggregates(part))
    }
}

/// Whether it has another value each time.
pub(super) fn is_random(of: &Expression) -> bool {
    of.has(&|part| match &part.node {
        Node::Call(call) => call.full_name().eq_ignore_ascii_case("rand"),
        _ => false,
    })
}

/// Variables that an expression gives its own parts.
pub(super) fn own_variables(of: &Expression) -> Vec<&str> {
    match &of.node {
        Node::ListComprehension(part) => vec![&part.variable.text],
        Node::Quantified(part) => vec![&part.variable.text],
        Node::Reduce(part) => vec![&part.accumulator.text, &part.variable.text],
        _ => Vec::new(),
    }
}

/// Keys of groups.
pub(super) struct Keys<'t> {
    /// Values of the columns without aggregation.
    pub values: Vec<&'t Expression>,
    /// Whether all variables are, by `*`.
    pub all: bool,
}

impl Keys<'_> {
    fn has(&self, of: &Expression) -> bool {
        self.values.iter().any(|value| value.node == of.node)
    }

    fn has_variable(&self, name: &str) -> bool {
        let is_it =
            |value: &&Expression| matches!(&value.node, Node::Variable(found) if found == name);
        self.all || self.values.iter().any(is_it)
    }

    /// Refuses a column with an aggregation whose other parts are neither constant nor
    /// keys: the rows of a group may differ in them.
    pub(super) fn check<'t>(
        &self,
        of: &'t Expression,
        own: &mut Vec<&'t str>,
        checker: &Checker<'_>,
    ) -> Parsed<()> {
        match &of.node {
            _ if checker.aggregates(of) => return Ok(()),
            Node::Variable(name) if own.contains(&name.as_str()) || self.has_variable(name) => {
                return Ok(());
            }
            Node::Access(base, _) if matches!(base.node, Node::Variable(_)) && self.has(of) => {
                return Ok(());
            }
            Node::Variable(name) => {
                let what = format!("{name} may differ within the group that is aggregated");
                let hint = "return it as a column of its own, or aggregate it";
                return Err(problem(AmbiguousAggregationExpression, of.at, what, hint));
            }
            Node::PatternComprehension(_) => return Ok(()),
            _ => {}
        }
        let before = own.len();
        own.extend(own_variables(of));
        for part in of.parts() {
            self.check(part, own, checker)?;
        }
        own.truncate(before);
        Ok(())
    }
}
