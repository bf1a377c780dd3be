//! Barriers between clauses that read and clauses that write: each clause sees the graph
//! as the clause before it leaves it, for all rows.

use super::is_write;
use crate::plan::{Expression, Operator, Plan};

/// Adds [`Operator::Eager`] below an operator that writes where its rows are still being
/// read from the graph, and above one that writes where later operators read or may stop
/// early.
pub fn add_barriers(plan: Plan) -> Plan {
    barred(plan).0
}

/// Reads and writes of a plan since its last barrier.
#[derive(Clone, Copy, Default)]
struct Since {
    reads: bool,
    writes: bool,
}

fn barred(plan: Plan) -> (Plan, Since) {
    let mut since = Since::default();
    let mut done: Option<Plan> = None;
    for mut plan in plan.into_chain() {
        for inner in plan.operator.inner_mut() {
            let taken = std::mem::replace(inner, Plan::argument());
            *inner = barred(taken).0;
        }
        let own = of(&plan.operator);
        let stops = matches!(plan.operator, Operator::Limit(_) | Operator::Skip(_));
        let before_write = own.writes && (since.reads || since.writes);
        let behind_write = since.writes && (own.reads || stops);
        let mut input = done.take();
        if before_write || behind_write {
            input = input.map(|input| input.with(Operator::Eager));
            since = Since::default();
        }
        plan.input = input.map(Box::new);
        match is_breaker(&plan.operator) {
            true => since = Since::default(),
            false => {
                since.reads |= own.reads;
                since.writes |= own.writes;
            }
        }
        done = Some(plan);
    }
    (done.unwrap_or_else(Plan::argument), since)
}

/// Whether it takes all rows before it gives one.
fn is_breaker(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::Aggregate { .. }
            | Operator::Count(_)
            | Operator::Sort(_)
            | Operator::Top(..)
            | Operator::Eager
            | Operator::InTransactions(_)
    )
}

/// Reads and writes of an operator itself, with the plans within it.
fn of(operator: &Operator) -> Since {
    // Its rows are read on one commit before, and what is behind it on another.
    if matches!(operator, Operator::InTransactions(_)) {
        return Since::default();
    }
    let mut since = Since {
        reads: reads(operator),
        writes: is_write(operator),
    };
    for inner in operator.inner() {
        inner.for_each(&mut |plan| {
            since.reads |= reads(&plan.operator);
            since.writes |= is_write(&plan.operator);
        });
    }
    since
}

fn reads(operator: &Operator) -> bool {
    let finds = operator.is_search()
        || matches!(
            operator,
            Operator::Count(_) | Operator::Merge(_) | Operator::Call(_)
        );
    finds || operator.expressions().into_iter().any(looks_up)
}

/// Whether a value is looked up in the graph.
pub(super) fn looks_up(of: &Expression) -> bool {
    let looks = matches!(
        of,
        Expression::Access(..)
            | Expression::Call(..)
            | Expression::Labelled(..)
            | Expression::LabelledBy(..)
            | Expression::MapProjection(_)
            | Expression::Subquery(_)
    );
    looks || of.children().into_iter().any(looks_up)
}
