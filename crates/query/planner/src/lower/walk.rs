//! Walks over syntax trees.

use evergraph_syntax::tree::{self, Access, MapItem, Node};

use super::expression::{full_name, is_aggregation};

/// Whether an expression has an aggregation of the rows where it stands.
pub(super) fn has_aggregation(of: &tree::Expression) -> bool {
    match &of.node {
        Node::CountAll => true,
        Node::Call(call) if is_aggregation(&full_name(&call.name)) => true,
        _ => children(of).into_iter().any(has_aggregation),
    }
}

/// The expressions that one is made of, without those within patterns and subqueries.
fn children(of: &tree::Expression) -> Vec<&tree::Expression> {
    match &of.node {
        Node::List(items) | Node::And(items) | Node::Or(items) | Node::Xor(items) => {
            items.iter().collect()
        }
        Node::Map(map) => map.entries.iter().map(|(_, value)| value).collect(),
        Node::Access(of, steps) => {
            let mut all = vec![&**of];
            for step in steps {
                match step {
                    Access::Property(_) => {}
                    Access::Index(index) => all.push(index),
                    Access::Slice(from, to) => all.extend(from.iter().chain(to)),
                }
            }
            all
        }
        Node::Negative(of)
        | Node::Positive(of)
        | Node::Not(of)
        | Node::IsNull(of)
        | Node::IsNotNull(of)
        | Node::Labelled(of, _) => vec![of],
        Node::Arithmetic(first, others) => chain(first, others),
        Node::Comparison(first, others) => chain(first, others),
        Node::Tested(_, pair) | Node::In(pair) => vec![&pair.0, &pair.1],
        Node::Call(call) => call.arguments.iter().collect(),
        Node::Case(case) => {
            let mut all: Vec<_> = case.operand.iter().chain(&case.otherwise).collect();
            for branch in &case.branches {
                all.extend(&branch.when);
                all.push(&branch.then);
            }
            all
        }
        Node::ListComprehension(list) => {
            let mut all = vec![&list.list];
            all.extend(list.filter.iter().chain(&list.value));
            all
        }
        Node::Quantified(quantified) => vec![&quantified.list, &quantified.filter],
        Node::Reduce(reduce) => vec![&reduce.initial, &reduce.list, &reduce.step],
        Node::MapProjection(projection) => {
            let entries = projection.items.iter().filter_map(|item| match item {
                MapItem::Entry(_, value) => Some(value),
                _ => None,
            });
            entries.collect()
        }
        _ => Vec::new(),
    }
}

fn chain<'e, T>(
    first: &'e tree::Expression,
    others: &'e [(T, tree::Expression)],
) -> Vec<&'e tree::Expression> {
    let others = others.iter().map(|(_, operand)| operand);
    std::iter::once(first).chain(others).collect()
}
