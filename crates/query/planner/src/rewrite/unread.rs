//! Relationships that are gone along and that nothing reads, and ends of relationships.

use std::collections::HashSet;

use crate::plan::{
    Branch, Expand, Expression, Operator, Plan, Relationships, Slot, Towards, VariableExpand,
};

/// Marks expansions whose relationships no operator reads: their ids are not looked up;
/// relationships that are found without a node, whose ends none reads; and lines of files
/// whose places none reads. Plans with operators that read what is not in their expressions stay as they are.
pub fn mark_unread(mut plan: Plan) -> Plan {
    let mut read = HashSet::new();
    let mut is_known = true;
    plan.for_each(&mut |one| is_known &= add_read(&one.operator, &mut read));
    if is_known {
        mark(&mut plan, &read);
    }
    plan
}

/// Adds slots that an operator reads; false if it may read others.
fn add_read(operator: &Operator, read: &mut HashSet<Slot>) -> bool {
    match operator {
        Operator::Argument
        | Operator::NodeScan { .. }
        | Operator::NodeSeek { .. }
        | Operator::NodeById { .. }
        | Operator::NodesByIds { .. }
        | Operator::Filter(_)
        | Operator::Extend(_)
        | Operator::Aggregate { .. }
        | Operator::Sort(_)
        | Operator::Top(..)
        | Operator::Skip(_)
        | Operator::Limit(_)
        | Operator::Unwind(..)
        | Operator::LoadCsv(_)
        | Operator::SemiApply { .. }
        | Operator::Apply { brings: None, .. } => {}
        Operator::Expand(step) | Operator::VariableExpand(VariableExpand { step, .. }) => {
            add_step(step, read);
        }
        Operator::Relationships(found) => read.extend(&found.step.unlike),
        Operator::Intersect(one) => {
            one.steps.iter().for_each(|step| add_step(step, read));
            read.extend(one.above.iter().chain(&one.below));
        }
        Operator::Count(count) => {
            count.branches.iter().for_each(|one| add_branch(one, read));
            for step in &count.found {
                read.extend([step.relationship, step.from, step.to]);
            }
        }
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

/// Adds slots that an expansion reads.
fn add_step(step: &Expand, read: &mut HashSet<Slot>) {
    read.extend(&step.unlike);
    read.insert(step.from);
    if step.into {
        read.insert(step.to);
    }
}

fn add_branch(branch: &Branch, read: &mut HashSet<Slot>) {
    add_step(&branch.step, read);
    read.extend(&branch.differs);
    read.extend(branch.beside.iter().map(|beside| beside.from));
    branch.branches.iter().for_each(|one| add_branch(one, read));
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
        match &mut plan.operator {
            Operator::Expand(step) | Operator::VariableExpand(VariableExpand { step, .. }) => {
                step.unread = !read.contains(&step.relationship);
            }
            Operator::Relationships(Relationships {
                step, ends_unread, ..
            }) => {
                let is_read = read.contains(&step.from) || read.contains(&step.to);
                let is_one_row = step.towards != Towards::Both && step.from != step.to;
                *ends_unread = !is_read && is_one_row;
            }
            Operator::LoadCsv(load) => {
                let is_read = |slot: Slot| read.contains(&slot);
                load.place = load
                    .place
                    .filter(|&(number, file)| is_read(number) || is_read(file));
            }
            _ => {}
        }
        for inner in plan.operator.inner_mut() {
            mark(inner, read);
        }
        next = plan.input.as_deref_mut();
    }
}
