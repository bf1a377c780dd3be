//! Sorting of which only the first rows are used.

use evergraph_syntax::tree;

use super::bottom_up;
use crate::plan::{Expression, Operator, Plan};

/// `Limit(Sort)` becomes `Top`, and `Limit(Skip(Sort))` `Limit(Skip(Top))`: a `Top` holds no
/// more rows than are asked for.
pub fn use_top(plan: Plan) -> Plan {
    bottom_up(plan, &|mut plan| {
        let (Operator::Limit(limit), Some(below)) = (&plan.operator, plan.input.as_deref_mut())
        else {
            return plan;
        };
        match &below.operator {
            Operator::Sort(keys) => {
                plan.operator = Operator::Top(keys.clone(), limit.clone());
                plan.input = below.input.take();
            }
            Operator::Skip(skip) => {
                let first = Box::new(limit.clone());
                let sum = Expression::Arithmetic(first, vec![(tree::Operator::Add, skip.clone())]);
                if let Some(sort) = below.input.as_deref_mut()
                    && let Operator::Sort(keys) = &sort.operator
                {
                    sort.operator = Operator::Top(keys.clone(), sum);
                }
            }
            _ => {}
        }
        plan
    })
}
