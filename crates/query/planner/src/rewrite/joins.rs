//! Conditions that ask whether there are rows of another plan.

use evergraph_syntax::tree::SubqueryKind;

use super::bottom_up;
use crate::plan::{Expression, Operator, Plan};

/// `EXISTS { ... }`, patterns as conditions, and their negations, become semi-joins and
/// anti-joins.
pub fn use_semi_joins(plan: Plan) -> Plan {
    bottom_up(plan, &|plan| {
        let Operator::Filter(conditions) = plan.operator else {
            return plan;
        };
        let (semi, others): (Vec<_>, Vec<_>) = conditions
            .into_iter()
            .partition(|condition| as_exists(condition).is_some());
        let mut rest = match (plan.input, others.is_empty()) {
            (Some(input), true) => *input,
            (input, _) => Plan {
                operator: Operator::Filter(others),
                input,
                rows: plan.rows,
            },
        };
        for (inner, negated) in semi.iter().filter_map(as_exists) {
            let inner = Box::new(use_semi_joins(inner.clone()));
            rest = rest.then(Operator::SemiApply { inner, negated }, plan.rows);
        }
        rest
    })
}

fn as_exists(condition: &Expression) -> Option<(&Plan, bool)> {
    match condition {
        Expression::Subquery(subquery) if subquery.kind == SubqueryKind::Exists => {
            Some((&subquery.plan, false))
        }
        Expression::Not(inner) => as_exists(inner).map(|(plan, negated)| (plan, !negated)),
        _ => None,
    }
}
