//! Conditions on properties that a scan can decide itself.

use super::bottom_up;
use crate::order::mentions;
use crate::plan::{Expression, Lookup, Operator, Plan, Relationships, ScanTest, Slot};

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
        let (slot, found, tests) = match &mut input.operator {
            Operator::NodeScan { node, tests, .. } => (*node, vec![*node], tests),
            Operator::Relationships(Relationships {
                step,
                by: Lookup::Scan(tests),
                ..
            }) => {
                let found = vec![step.from, step.relationship, step.to];
                (step.relationship, found, tests)
            }
            _ => return plan,
        };
        // What it is compared with is known before the scan, and the ends are not.
        let is_known = |one: &Expression| found.iter().all(|&slot| !mentions(one, slot));
        let decided = conditions.iter();
        tests.extend(decided.filter_map(|one| as_test(one, slot, &is_known)));
        plan
    })
}

impl ScanTest {
    /// Whether it is what a condition on a slot says: a scan of it that decides the one has
    /// decided the other.
    pub fn is(&self, condition: &Expression, slot: Slot) -> bool {
        let own = (&self.key, self.comparison, &self.value);
        condition.comparisons_of(slot).any(|one| one == own)
    }
}

fn as_test(
    condition: &Expression,
    of: Slot,
    is_known: &impl Fn(&Expression) -> bool,
) -> Option<ScanTest> {
    let mut comparisons = condition.comparisons_of(of);
    let (key, comparison, value) = comparisons.find(|(_, _, value)| is_known(value))?;
    Some(ScanTest {
        key: key.clone(),
        comparison,
        value: value.clone(),
    })
}
