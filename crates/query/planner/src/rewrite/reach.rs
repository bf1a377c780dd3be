//! Paths of which only the ends are wanted, each once.

use crate::order::mentions;
use crate::plan::{Aggregate, Expression, Operator, Plan, Slot, Towards, VariableExpand};

/// Of paths whose relationships nothing above needs, and whose ends are told apart once
/// behind them, each end is found once: by a search in breadth, not by all paths.
///
/// A node that is reached at all is reached by a path that has no node twice, so no longer
/// than others; but the first node only where the direction tells that the way back is not
/// the way there.
pub fn find_ends_once(plan: Plan) -> Plan {
    super::bottom_up(plan, &|mut plan| {
        if tells_rows_apart(&plan.operator) {
            let above = vec![plan.operator.clone()];
            mark(plan.input.as_deref_mut(), above);
        }
        // Whether there are rows is all that is asked.
        if let Operator::SemiApply { inner, .. } = &mut plan.operator {
            mark(Some(inner), Vec::new());
        }
        plan
    })
}

/// Whether rows that are equal may as well be one.
fn tells_rows_apart(operator: &Operator) -> bool {
    let is_of_set = |one: &Aggregate| {
        let takes_one = one.arguments.len() == 1;
        takes_one && (one.distinct || matches!(&*one.name, "min" | "max"))
    };
    match operator {
        Operator::Distinct(_) => true,
        Operator::Aggregate { aggregates, .. } => aggregates.iter().all(|(_, one)| is_of_set(one)),
        _ => false,
    }
}

/// Marks the paths below some operators, down to the first that looks at more than one row.
fn mark(mut next: Option<&mut Plan>, mut above: Vec<Operator>) {
    while let Some(below) = next {
        match &mut below.operator {
            Operator::VariableExpand(paths) => {
                paths.ends_once = is_for_ends(paths, &above);
            }
            Operator::Filter(_) | Operator::Extend(_) | Operator::Keep(_) | Operator::Expand(_) => {
            }
            _ => return,
        }
        above.push(below.operator.clone());
        next = below.input.as_deref_mut();
    }
}

fn is_for_ends(paths: &VariableExpand, above: &[Operator]) -> bool {
    let VariableExpand { step, least, .. } = paths;
    let tells_ways = step.towards != Towards::Both || *least == 0;
    let is_plain = *least <= 1 && !step.into && step.unlike.is_empty() && step.from != step.to;
    is_plain
        && (tells_ways
            || above
                .iter()
                .any(|one| keeps_apart(one, (step.from, step.to))))
        && !above.iter().any(|one| needs(one, step.relationship))
}

/// Whether an operator keeps only rows in which two nodes are not the same.
fn keeps_apart(operator: &Operator, nodes: (Slot, Slot)) -> bool {
    let Operator::Filter(conditions) = operator else {
        return false;
    };
    let mut pairs = conditions.iter().filter_map(Expression::as_unequal);
    pairs.any(|(one, other)| (one, other) == nodes || (other, one) == nodes)
}

/// Whether an operator may need the relationships, or gives another value for each row.
fn needs(operator: &Operator, relationships: Slot) -> bool {
    let in_slots = match operator {
        Operator::Distinct(slots) | Operator::Keep(slots) => slots.contains(&relationships),
        Operator::Expand(step) | Operator::VariableExpand(VariableExpand { step, .. }) => {
            step.unlike.contains(&relationships)
        }
        _ => false,
    };
    let mut expressions = operator.expressions().into_iter();
    in_slots || expressions.any(|one| mentions(one, relationships))
}
