//! Shortest paths with the conditions that decide which paths are the shortest: `WHERE`
//! behind `shortestPath` is part of the search.

use evergraph_syntax::tree::Quantity;

use super::Finder;
use super::seek::mentions;
use crate::lower::Predicate;
use crate::plan::{Expression, LengthBound, ShortestPath, Slot, VariableExpand, turned};

impl Finder<'_> {
    /// The search of shortest paths, with the conditions on them.
    pub(super) fn shortest(&mut self, paths: VariableExpand, all: bool) -> ShortestPath {
        let list = paths.step.relationship;
        let mut named = self.pattern.paths.iter();
        let path = named.find(|(_, slots)| slots.contains(&list)).cloned();
        let own: Vec<Slot> = path.iter().map(|(path, _)| *path).chain([list]).collect();
        let is_own = |one: &Predicate| {
            let mut others = one.slots.iter().filter(|slot| !own.contains(slot));
            one.slots.iter().any(|slot| own.contains(slot))
                && others.all(|slot| !self.missing.contains(slot))
        };
        let (conditions, rest) = self.predicates.drain(..).partition(is_own);
        self.predicates = rest;
        let conditions: Vec<Predicate> = conditions;
        let conditions = conditions.into_iter().map(|one| one.condition);
        let (each, whole): (Vec<_>, Vec<_>) = conditions.partition(|one| is_of_each(one, &own));
        let lengths = whole.iter().filter_map(|one| length_bound(one, &own));
        let lengths = lengths.collect();
        ShortestPath {
            paths,
            all,
            path,
            each,
            whole,
            lengths,
        }
    }
}

/// `length(path) < a`, or of the size of a list of its nodes or relationships.
fn length_bound(condition: &Expression, own: &[Slot]) -> Option<LengthBound> {
    let (left, comparison, right) = condition.as_comparison()?;
    let of_nodes = |one: &Expression| {
        let (name, argument) = as_call(one)?;
        match (name, argument) {
            ("length" | "size", Expression::Slot(slot)) => own.contains(slot).then_some(false),
            ("size", list) => match as_call(list)? {
                ("nodes", Expression::Slot(slot)) => own.contains(slot).then_some(true),
                ("relationships", Expression::Slot(slot)) => own.contains(slot).then_some(false),
                _ => None,
            },
            _ => None,
        }
    };
    let (of_nodes, comparison, value) = match (of_nodes(left), of_nodes(right)) {
        (Some(of_nodes), None) => (of_nodes, comparison, right),
        (None, Some(of_nodes)) => (of_nodes, turned(comparison), left),
        _ => return None,
    };
    let is_free = !own.iter().any(|&slot| mentions(value, slot));
    is_free.then(|| LengthBound {
        comparison,
        value: value.clone(),
        of_nodes,
    })
}

/// A function of one argument.
fn as_call(of: &Expression) -> Option<(&str, &Expression)> {
    match of {
        Expression::Call(name, arguments) => match arguments.as_slice() {
            [argument] => Some((&**name, argument)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a path satisfies a condition just where each of its relationships does, with the
/// nodes at its ends: `all` or `none` of `relationships(path)` or `nodes(path)`.
fn is_of_each(condition: &Expression, own: &[Slot]) -> bool {
    let Expression::Quantified(one) = condition else {
        return false;
    };
    let is_own = |of: &Expression| matches!(of, Expression::Slot(slot) if own.contains(slot));
    let is_list = is_own(&one.list)
        || as_call(&one.list).is_some_and(|(name, argument)| {
            matches!(name, "relationships" | "nodes") && is_own(argument)
        });
    let is_free = !own.iter().any(|&slot| mentions(&one.filter, slot));
    is_list && is_free && matches!(one.quantity, Quantity::All | Quantity::None)
}
