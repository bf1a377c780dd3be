//! The parts of expressions.

use super::{Access, Expression, MapItem, Node, When};

impl Expression {
    /// The expressions that it is made of, without those of subqueries and patterns.
    pub fn parts(&self) -> Vec<&Expression> {
        match &self.node {
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
            | Node::Typed(_, part, _) => vec![part],
            Node::Labelled(part, labels) => {
                let computed = labels.computed().into_iter();
                let names = computed.map(|computed| &*computed.names);
                std::iter::once(&**part).chain(names).collect()
            }
            Node::Arithmetic(first, others) => chain(first, others),
            Node::Comparison(first, others) => chain(first, others),
            Node::Tested(_, sides) | Node::In(sides) => vec![&sides.0, &sides.1],
            Node::Call(call) => call.arguments.iter().collect(),
            Node::Case(case) => {
                let mut found: Vec<&Expression> = case.operand.iter().collect();
                for branch in &case.branches {
                    found.extend(branch.when.iter().filter_map(When::value));
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

    /// Whether something holds of it, or of one of its parts.
    pub fn has(&self, holds: &dyn Fn(&Expression) -> bool) -> bool {
        holds(self) || self.parts().into_iter().any(|part| part.has(holds))
    }
}

/// The operands of a chain of operators.
fn chain<'e, O>(first: &'e Expression, others: &'e [(O, Expression)]) -> Vec<&'e Expression> {
    let others = others.iter().map(|(_, other)| other);
    std::iter::once(first).chain(others).collect()
}
