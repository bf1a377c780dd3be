//! What may stand beside an aggregation.

use super::{Function, problem};
use crate::error::Detail;
use crate::parse::Parsed;
use crate::tree::{Access, Expression, FunctionCall, MapItem, Node};

/// Whether a call is an aggregation.
pub(super) fn aggregates(call: &FunctionCall) -> bool {
    match &call.name[..] {
        [name] => Function::find(&name.text).is_some_and(|function| function.is_aggregation),
        _ => false,
    }
}

/// Whether an aggregation stands in it.
pub(super) fn has_aggregation(of: &Expression) -> bool {
    match &of.node {
        Node::CountAll => true,
        Node::Call(call) if aggregates(call) => true,
        _ => parts(of).into_iter().any(has_aggregation),
    }
}

/// Whether it has another value each time.
pub(super) fn is_random(of: &Expression) -> bool {
    let calls_it = match &of.node {
        Node::Call(call) => call.name.len() == 1 && call.name[0].text.eq_ignore_ascii_case("rand"),
        _ => false,
    };
    calls_it || parts(of).into_iter().any(is_random)
}

/// The expressions that an expression is made of, without those of subqueries and patterns.
pub(super) fn parts(of: &Expression) -> Vec<&Expression> {
    match &of.node {
        Node::List(parts) | Node::And(parts) | Node::Xor(parts) | Node::Or(parts) => {
            parts.iter().collect()
        }
        Node::Map(map) => map.entries.iter().map(|(_, value)| value).collect(),
        Node::Access(base, steps) => {
            let mut found = vec![&**base];
            for step in steps {
                match step {
                    Access::Property(_) => {}
                    Access::Index(index) => found.push(index),
                    Access::Slice(from, to) => found.extend(from.iter().chain(to)),
                }
            }
            found
        }
        Node::Negative(part)
        | Node::Positive(part)
        | Node::Not(part)
        | Node::IsNull(part)
        | Node::IsNotNull(part)
        | Node::Labelled(part, _) => vec![part],
        Node::Arithmetic(first, others) => {
            let others = others.iter().map(|(_, other)| other);
            std::iter::once(&**first).chain(others).collect()
        }
        Node::Comparison(first, others) => {
            let others = others.iter().map(|(_, other)| other);
            std::iter::once(&**first).chain(others).collect()
        }
        Node::Tested(_, sides) | Node::In(sides) => vec![&sides.0, &sides.1],
        Node::Call(call) => call.arguments.iter().collect(),
        Node::Case(case) => {
            let mut found: Vec<&Expression> = case.operand.iter().collect();
            for branch in &case.branches {
                found.extend(&branch.when);
                found.push(&branch.then);
            }
            found.extend(&case.otherwise);
            found
        }
        Node::ListComprehension(part) => {
            let mut found = vec![&part.list];
            found.extend(part.filter.iter().chain(&part.value));
            found
        }
        Node::PatternComprehension(part) => part
            .filter
            .iter()
            .chain(std::iter::once(&part.value))
            .collect(),
        Node::Quantified(part) => vec![&part.list, &part.filter],
        Node::Reduce(part) => vec![&part.initial, &part.list, &part.step],
        Node::MapProjection(part) => {
            let entries = part.items.iter().filter_map(|item| match item {
                MapItem::Entry(_, value) => Some(value),
                _ => None,
            });
            entries.collect()
        }
        Node::Null
        | Node::Boolean(_)
        | Node::Integer(_)
        | Node::Float(_)
        | Node::Text(_)
        | Node::Parameter(_)
        | Node::Variable(_)
        | Node::CountAll
        | Node::Subquery(..)
        | Node::PatternSubquery(..)
        | Node::Pattern(_) => Vec::new(),
    }
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

/// What rows are grouped by.
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
    pub(super) fn check<'t>(&self, of: &'t Expression, own: &mut Vec<&'t str>) -> Parsed<()> {
        match &of.node {
            Node::CountAll => return Ok(()),
            Node::Call(call) if aggregates(call) => return Ok(()),
            Node::Variable(name) if own.contains(&name.as_str()) || self.has_variable(name) => {
                return Ok(());
            }
            Node::Access(base, _) if matches!(base.node, Node::Variable(_)) && self.has(of) => {
                return Ok(());
            }
            Node::Variable(name) => {
                let what = format!("{name} may differ within the group that is aggregated");
                let hint = "return it as a column of its own, or aggregate it";
                let detail = Detail::AmbiguousAggregationExpression;
                return Err(problem(detail, of.at, what, hint));
            }
            Node::PatternComprehension(_) => return Ok(()),
            _ => {}
        }
        let before = own.len();
        own.extend(own_variables(of));
        for part in parts(of) {
            self.check(part, own)?;
        }
        own.truncate(before);
        Ok(())
    }
}
