//! Nodes that several known nodes have as neighbors.

use evergraph_syntax::tree::Comparison;

use super::bottom_up;
use crate::plan::{Expand, Expression, Intersect, Operator, Plan, Relationships, Slot, turned};

/// Lists that are intersected together, at most.
const MOST_STEPS: usize = 8;

/// An expansion whose nodes are then connected with other known nodes becomes one
/// [`Operator::Intersect`]: it looks at no neighbor of one that is no neighbor of the
/// others. Comparisons of ids become bounds of what is looked at. Where a node has at most one
/// neighbor it is sooner expanded: there is nothing to be skipped, and no list is sorted.
pub fn use_intersections(plan: Plan) -> Plan {
    bottom_up(plan, &|mut plan| match &plan.operator {
        Operator::Expand(step) if step.into => {
            let (step, rows) = (step.clone(), plan.rows);
            if let Some(input) = plan.input.take() {
                match joined(*input, &step, rows) {
                    Ok(joined) => return with_bounds(joined),
                    Err(input) => plan.input = Some(input),
                }
            }
            plan
        }
        Operator::Filter(_) => with_bounds(plan),
        _ => plan,
    })
}

/// A plan with its last filters above an intersection that has one step more; the plan as
/// it was if it has no place for it.
fn joined(plan: Plan, step: &Expand, rows: f64) -> Result<Plan, Box<Plan>> {
    let mut place = &plan;
    while matches!(place.operator, Operator::Filter(_))
        && let Some(input) = place.input.as_deref()
    {
        place = input;
    }
    let known = place.input.as_ref().map_or(0.0, |input| input.rows);
    let is_rare = matches!(place.operator, Operator::Expand(_)) && place.rows <= 1.05 * known;
    let Some(intersect) = joined_with(&place.operator, step).filter(|_| !is_rare) else {
        return Err(Box::new(plan));
    };
    let mut plan = plan;
    let mut place = &mut plan;
    while matches!(place.operator, Operator::Filter(_)) {
        place.rows = place.rows.min(rows);
        match &mut place.input {
            Some(input) => place = input,
            None => break,
        }
    }
    place.operator = Operator::Intersect(intersect);
    place.rows = rows;
    Ok(plan)
}

/// The intersection of what an operator finds with the neighbors of another node.
fn joined_with(operator: &Operator, step: &Expand) -> Option<Intersect> {
    let (to, first) = match operator {
        Operator::Expand(first) if !first.into => (first.to, None),
        Operator::Intersect(one) if one.steps.len() < MOST_STEPS => (one.to, Some(one)),
        _ => return None,
    };
    // Seen from the node that is known.
    let step = match (step.from == to, step.to == to) {
        (true, false) => Expand {
            from: step.to,
            to: step.from,
            towards: step.towards.reversed(),
            into: false,
            ..step.clone()
        },
        (false, true) => Expand {
            into: false,
            ..step.clone()
        },
        _ => return None,
    };
    let mut intersect = match (first, operator) {
        (Some(one), _) => one.clone(),
        (None, Operator::Expand(first)) if first.from != to => Intersect {
            to,
            steps: vec![first.clone()],
            above: Vec::new(),
            below: Vec::new(),
        },
        _ => return None,
    };
    intersect.steps.push(step);
    Some(intersect)
}

/// Takes comparisons of ids out of the filters above an intersection.
fn with_bounds(mut plan: Plan) -> Plan {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    let (to, known) = {
        let mut place = &plan;
        while matches!(place.operator, Operator::Filter(_))
            && let Some(input) = place.input.as_deref()
        {
            place = input;
        }
        match &place.operator {
            Operator::Intersect(one) => (one.to, nodes_of(place)),
            _ => return plan,
        }
    };
    let mut place = &mut plan;
    loop {
        if let Operator::Intersect(one) = &mut place.operator {
            one.above.append(&mut above);
            one.below.append(&mut below);
            break;
        }
        if let Operator::Filter(conditions) = &mut place.operator {
            conditions.retain(|condition| match bound(condition, to) {
                Some((_, other)) if !known.contains(&other) => true,
                Some((Comparison::Greater, other)) => {
                    above.push(other);
                    false
                }
                Some((Comparison::Less, other)) => {
                    below.push(other);
                    false
                }
                _ => true,
            });
        }
        match &mut place.input {
            Some(input) => place = input,
            None => break,
        }
    }
    without_empty_filters(plan)
}

/// Slots that are nodes, and not null, as the operators of a pattern say.
fn nodes_of(plan: &Plan) -> Vec<Slot> {
    let mut nodes = Vec::new();
    for plan in plan.downward() {
        match &plan.operator {
            Operator::NodeScan { node, .. }
            | Operator::NodeSeek { node, .. }
            | Operator::NodeById { node, .. }
            | Operator::NodesByIds { node, .. } => nodes.push(*node),
            Operator::Expand(step) | Operator::Relationships(Relationships { step, .. }) => {
                nodes.extend([step.from, step.to]);
            }
            Operator::Intersect(one) => nodes.extend(one.steps.iter().map(|step| step.from)),
            Operator::Filter(_) => {}
            _ => break,
        }
    }
    nodes
}

fn without_empty_filters(mut plan: Plan) -> Plan {
    match &plan.operator {
        Operator::Filter(conditions) => {
            let is_empty = conditions.is_empty();
            let input = plan.input.take().map(|input| without_empty_filters(*input));
            match (is_empty, input) {
                (true, Some(input)) => input,
                (_, input) => Plan {
                    input: input.map(Box::new),
                    ..plan
                },
            }
        }
        _ => plan,
    }
}

/// How the id of a node is compared with that of another.
fn bound(condition: &Expression, node: Slot) -> Option<(Comparison, Slot)> {
    let (left, comparison, right) = condition.as_comparison()?;
    match (as_id(left)?, as_id(right)?) {
        (left, right) if left == node && right != node => Some((comparison, right)),
        (left, right) if right == node && left != node => Some((turned(comparison), left)),
        _ => None,
    }
}

/// The slot whose id an expression is.
fn as_id(of: &Expression) -> Option<Slot> {
    match of {
        Expression::Call(name, arguments) if &**name == "id" => match arguments.as_slice() {
            [Expression::Slot(slot)] => Some(*slot),
            _ => None,
        },
        _ => None,
    }
}
