//! `CREATE` behind `CREATE`.

use super::barriers::looks_up;
use super::bottom_up;
use crate::plan::{Operator, Plan};

/// `Create(Create)` becomes one operator, unless the second looks something up: a script
/// of a thousand `CREATE` clauses is no deep plan.
pub fn join_creates(plan: Plan) -> Plan {
    bottom_up(plan, &|mut plan| {
        if !matches!(plan.operator, Operator::Create(_))
            || plan.operator.expressions().into_iter().any(looks_up)
        {
            return plan;
        }
        let Some(mut below) = plan.input.take() else {
            return plan;
        };
        match (&mut below.operator, &mut plan.operator) {
            (Operator::Create(first), Operator::Create(second)) => {
                first.nodes.append(&mut second.nodes);
                first.relationships.append(&mut second.relationships);
                first.paths.append(&mut second.paths);
                *below
            }
            _ => {
                plan.input = Some(below);
                plan
            }
        }
    })
}
