//! Conditions on properties that a scan can decide itself.

use evergraph_syntax::tree::Comparison;

use super::bottom_up;
use crate::order::mentions;
use crate::plan::{Expression, Operator, Plan, ScanTest, Slot};

/// Gives a scan the comparisons of the filter above it: it leaves out what does not pass
/// them, chunk by chunk. The filter stays: for what the scan cannot decide.
pub fn push_tests(plan: Plan) -> Plan {
    bottom_up(plan, &|mut plan| {
        let Operator::Filter(conditions) = &plan.operator else {
            return plan;
        };
        let Some(input) = plan.input.as_deref_mut() else {
            return plan;
        };
        if let Operator::NodeScan { node, tests, .. } = &mut input.operator {
            let found = conditions.iter().filter_map(|one| as_test(one, *node));
            tests.extend(found);
        }
        plan
    })
}

impl ScanTest {
    /// Whether it is what a condition on the node says: a scan that decides the one has
    /// decided the other.
    pub fn is(&self, condition: &Expression, node: Slot) -> bool {
        let Expression::Comparison(left, others) = condition else {
            return false;
        };
        let [(comparison, right)] = others.as_slice() else {
            return false;
        };
        let of_key = |one: &Expression| one.as_property() == Some((node, &self.key));
        let is = |property: &Expression, comparison, value: &Expression| {
            of_key(property) && comparison == self.comparison && *value == self.value
        };
        is(left, *comparison, right) || is(right, turned(*comparison), left)
    }
}

fn as_test(condition: &Expression, node: Slot) -> Option<ScanTest> {
    let Expression::Comparison(left, others) = condition else {
        return None;
    };
    let [(comparison, right)] = others.as_slice() else {
        return None;
    };
    let of_node = |one: &Expression| one.as_property().is_some_and(|(slot, _)| slot == node);
    let is_free = |one: &Expression| !mentions(one, node);
    let (property, comparison, value) = match () {
        () if of_node(left) && is_free(right) => (&**left, *comparison, right),
        () if of_node(right) && is_free(left) => (right, turned(*comparison), &**left),
        () => return None,
    };
    let (_, key) = property.as_property()?;
    Some(ScanTest {
        key: key.clone(),
        comparison,
        value: value.clone(),
    })
}

/// The same comparison from right to left.
pub(crate) fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
