//! Rewrite rules over whole plans. Each is a function from a plan to one that gives the
//! same rows.

mod barriers;
mod counts;
mod creates;
mod intersections;
mod joins;
mod reach;
mod scans;
mod top;
mod unread;

pub use barriers::add_barriers;
pub use counts::count_by_degrees;
pub use creates::join_creates;
pub use intersections::use_intersections;
pub use joins::use_semi_joins;
pub use reach::find_ends_once;
pub use scans::push_tests;
pub use top::use_top;
pub use unread::mark_unread;

use crate::Catalog;
use crate::plan::{Operator, Plan};

/// Applies all rules; also whether the plan writes.
pub fn all(plan: Plan, catalog: &dyn Catalog) -> (Plan, bool) {
    let plan = use_semi_joins(plan);
    let plan = use_intersections(plan);
    let plan = count_by_degrees(plan, catalog);
    let plan = find_ends_once(plan);
    let plan = use_top(plan);
    let plan = push_tests(plan);
    let plan = join_creates(plan);
    needed(mark_unread(plan))
}

/// Applies the rules without which a plan is wrong; also whether the plan writes.
pub fn needed(plan: Plan) -> (Plan, bool) {
    let plan = add_barriers(plan);
    let writes = writes(&plan);
    (plan, writes)
}

fn writes(plan: &Plan) -> bool {
    let mut writes = false;
    plan.for_each(&mut |one| writes |= is_write(&one.operator));
    writes
}

/// Whether an operator itself writes.
pub(crate) fn is_write(operator: &Operator) -> bool {
    let calls = matches!(operator, Operator::Call(call) if call.writes);
    calls
        || matches!(
            operator,
            Operator::Create(_)
                | Operator::Merge(_)
                | Operator::Set(_)
                | Operator::Delete { .. }
                | Operator::Foreach { .. }
                | Operator::InTransactions(_)
        )
}

/// Whether a plan writes beside its transactions of their own.
pub(crate) fn writes_beside(plan: &Plan) -> bool {
    let is_apart = |one: &Plan| matches!(one.operator, Operator::InTransactions(_));
    plan.downward().filter(|one| !is_apart(one)).any(|one| {
        let inner = one.operator.inner();
        is_write(&one.operator) || inner.into_iter().any(writes)
    })
}

/// Applies a rule to all plans within a plan, and then to the plan. Recursive only where
/// plans are within operators: a query may have a thousand clauses.
fn bottom_up(plan: Plan, rule: &dyn Fn(Plan) -> Plan) -> Plan {
    let mut done: Option<Plan> = None;
    for mut plan in plan.into_chain() {
        plan.input = done.take().map(Box::new);
        for inner in plan.operator.inner_mut() {
            let taken = std::mem::replace(inner, Plan::argument());
            *inner = bottom_up(taken, rule);
        }
        done = Some(rule(plan));
    }
    done.unwrap_or_else(Plan::argument)
}
