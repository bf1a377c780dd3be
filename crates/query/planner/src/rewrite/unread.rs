//! Relationships that are gone along and that nothing reads.

use std::collections::HashSet;

use crate::plan::{Expression, Operator, Plan, Slot};

/// Marks expansions whose relationships no operator reads: their ids are not looked up.
/// Plans with operators that read what is not in their expressions stay as they are.
pub fn mark_unread(mut plan: Plan) -> Plan {
    let mut read = HashSet::new();
    let mut is_known = true;
    plan.for_each(&mut |one| is_known &= add_read(&one.operator, &mut read));
    if is_known {
        mark(&mut plan, &read);
    }
    plan
}

/// Adds slots that an operator reads, but for the nodes of expansions; false if it may read
/// others.
fn add_read(operator: &Operator, read: &mut HashSet<Slot>) -> bool {
    match operator {
        Operator::Argument
        | Operator::NodeScan { .. }
        | Operator::NodeSeek { .. }
        | Operator::NodeById { .. }
        | Operator::Filter(_)
        | Operator::Extend(_)
        | Operator::Aggregate { .. }
        | Operator::Sort(_)
        | Operator::Top(..)
        | Operator::Skip(_)
        | Operator::Limit(_)
        | Operator::Unwind(..)
        | Operator::SemiApply { .. }
        | Operator::Apply { brings: None, .. } => {}
        Operator::Expand(step) => read.extend(&step.unlike),
        Operator::Intersect(one) => read.extend(one.steps.iter().flat_map(|step| &step.unlike)),
        Operator::Count(count) => read.extend(count.found.iter().map(|step| step.relationship)),
        Operator::Keep(slots)
        | Operator::Distinct(slots)
        | Operator::Optional { brings: slots, .. }
        | Operator::HashJoin { brings: slots, .. }
        | Operator::Apply {
            brings: Some(slots),
            ..
        } => read.extend(slots),
        _ => return false,
    }
    operator
        .expressions()
        .into_iter()
        .all(|one| add_slots(one, read))
}

/// Adds slots of an expression; false if it may read others.
fn add_slots(of: &Expression, read: &mut HashSet<Slot>) -> bool {
    match of {
        Expression::Slot(slot) => {
            read.insert(*slot);
        }
        Expression::Path(slots) => read.extend(slots),
        Expression::Subquery(_) => return false,
        _ => {}
    }
    of.children()
        .into_iter()
        .all(|child| add_slots(child, read))
}

fn mark(plan: &mut Plan, read: &HashSet<Slot>) {
    let mut next = Some(plan);
    while let Some(plan) = next {
        if let Operator::Expand(step) = &mut plan.operator {
            step.unread = !read.contains(&step.relationship);
        }
        for inner in plan.operator.inner_mut() {
            mark(inner, read);
        }
        next = plan.input.as_deref_mut();
    }
}
