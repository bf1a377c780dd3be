//! Parts of a pattern that only an equality connects.

use evergraph_syntax::tree::Comparison;

use super::Finder;
use super::seek::mentions;
use super::start::Start;
use crate::lower::Predicate;
use crate::plan::{Expression, Operator, Plan, Slot};

impl Finder<'_> {
    /// Finds a node of a part of its own by a hash join, if a condition says that
    /// something of it equals something that is known: of another part, or of the row that
    /// a subquery is for. Its other conditions are applied before.
    pub(super) fn join(&mut self, start: &Start, rows: f64) -> bool {
        let Operator::NodeScan { node, .. } = start.operator else {
            return false;
        };
        // Another value each time for each row, not once for all of them.
        let is_own = |one: &Predicate| one.slots == [node] && !mentions(&one.condition, Slot::MAX);
        // The conditions stay: keys are equivalent where NaN is not equal to itself.
        let predicates = self.predicates.iter();
        let keys = predicates.clone().filter_map(|one| self.key(one, node));
        let mut keys: Vec<(Expression, Expression)> = keys
            .filter(|(_, key)| key.as_property().is_some())
            .collect();
        if keys.is_empty() {
            // What is computed may fail where conditions before it do not hold.
            let mut others = predicates.filter(|one| one.slots.contains(&node) && !is_own(one));
            keys.extend(others.next().and_then(|first| self.key(first, node)));
        }
        if keys.is_empty() {
            return false;
        }
        let (own, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.predicates)
            .into_iter()
            .partition(is_own);
        self.predicates = others;
        let mut inner = Plan::argument().then(start.operator.clone(), start.rows);
        if !own.is_empty() {
            let conditions = own.into_iter().map(|one| one.condition).collect();
            inner = inner.with(Operator::Filter(conditions));
        }
        let join = Operator::HashJoin {
            inner: Box::new(inner),
            keys,
            brings: vec![node],
        };
        self.push(join, (rows * 0.1).max(1.0));
        true
    }

    /// What is known, and what of the node equals it.
    fn key(&self, predicate: &Predicate, node: Slot) -> Option<(Expression, Expression)> {
        let Some((left, Comparison::Equal, right)) = predicate.condition.as_comparison() else {
            return None;
        };
        let is_ready = predicate
            .slots
            .iter()
            .all(|slot| !self.missing.contains(slot));
        if !is_ready || predicate.slots.len() < 2 {
            return None;
        }
        let of_node = |one: &Expression| {
            let mut slots = predicate.slots.iter();
            let is_computed_anew = mentions(one, Slot::MAX);
            !is_computed_anew && slots.all(|&slot| mentions(one, slot) == (slot == node))
        };
        match (of_node(left), of_node(right)) {
            (true, false) if !mentions(right, node) => Some((right.clone(), left.clone())),
            (false, true) if !mentions(left, node) => Some((left.clone(), right.clone())),
            _ => None,
        }
    }
}
