//! Sorting of which only the first rows are used.

use evergraph_syntax::tree;

use super::bottom_up;
use crate::plan::{Constant, Expression, Operator, Plan};

/// `Limit(Sort)` and `Limit(Skip(Sort))` become `Limit(Top)` and `Limit(Skip(Top))`, which
/// hold no more rows than are asked for.
pub fn use_top(plan: Plan) -> Plan {
    bottom_up(plan, &|mut plan| {
        let Operator::Limit(limit) = &plan.operator else {
            return plan;
        };
        let limit = limit.clone();
        let Some(below) = plan.input.as_deref_mut() else {
            return plan;
        };
        let (count, sort) = match &below.operator {
            Operator::Skip(skip) => {
                let first = Box::new(limit);
                let sum = Expression::Arithmetic(first, vec![(tree::Operator::Add, skip.clone())]);
                (sum, below.input.as_deref_mut())
            }
            _ => (limit, Some(below)),
        };
        if let Some(sort) = sort
            && let Operator::Sort(keys) = &sort.operator
        {
            sort.operator = Operator::Top(keys.clone(), count.clone());
            if let Expression::Constant(Constant::Integer(most)) = count {
                sort.rows = sort.rows.min(most.max(0) as f64);
            }
        }
        plan
    })
}
