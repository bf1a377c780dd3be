//! Counting what need not be found.
//!
//! Of `MATCH (a)-->(b)-->(c) RETURN count(*)` nothing is needed but numbers: each `b`
//! stands for as many rows as it has relationships that enter it, times those that leave
//! it. So an expansion whose relationship and node nothing above needs becomes a branch of
//! [`Operator::Count`], and where all of a pattern is one tree, the count begins at the
//! node from which the fewest lists have to be read.

mod conditions;
mod exact;
mod tree;

use evergraph_syntax::tree::Labels;

use self::conditions::Condition;
use super::bottom_up;
use crate::Catalog;
use crate::lower::as_label;
use crate::order::mentions;
use crate::plan::{
    Aggregate, Branch, Count, Expand, Expression, Operator, Plan, Relationships, Slot,
};

/// Operators of a pattern whose expansions may become branches: each is looked at with all
/// others.
const MOST_OPERATORS: usize = 128;

/// Aggregations that only count rows count branches of them.
pub fn count_by_degrees(plan: Plan, catalog: &dyn Catalog) -> Plan {
    bottom_up(plan, &|plan| match &plan.operator {
        Operator::Aggregate { .. } => counted(&plan, catalog).unwrap_or(plan),
        _ => plan,
    })
}

fn counted(plan: &Plan, catalog: &dyn Catalog) -> Option<Plan> {
    let Operator::Aggregate { keys, aggregates } = &plan.operator else {
        return None;
    };
    let mut core = Core::below(plan)?;
    let nodes_and_relationships = core.bound();
    let counts_rows = |one: &Aggregate| {
        let is_there = match one.arguments.as_slice() {
            [] => true,
            [Expression::Slot(slot)] => nodes_and_relationships.contains(slot),
            _ => false,
        };
        is_there && &*one.name == "count" && !one.distinct
    };
    if aggregates.is_empty() || !aggregates.iter().all(|(_, one)| counts_rows(one)) {
        return None;
    }
    let (branches, apart) = match tree::rooted(&core, keys, catalog) {
        Some(rooted) => {
            core.operators = rooted.operators;
            (rooted.branches, rooted.apart)
        }
        None => (core.peel(keys), Vec::new()),
    };
    if branches.is_empty() {
        return None;
    }
    let may_be = |step: &&Expand| branches.iter().any(|one| one.step.may_be(step));
    let found = core.expands().filter(may_be).cloned().collect();
    let count = Operator::Count(Count {
        found,
        keys: keys.to_vec(),
        counts: aggregates.iter().map(|&(slot, _)| slot).collect(),
        branches,
        apart,
    });
    Some(core.into_plan().then(count, plan.rows))
}

/// The operators of a pattern, the first one first, and what is below them.
struct Core {
    below: Plan,
    operators: Vec<Plan>,
}

impl Core {
    /// Those below a plan, as far as they are of a pattern.
    fn below(plan: &Plan) -> Option<Core> {
        let mut operators = Vec::new();
        let mut below = plan.input.as_deref()?;
        while let Some(input) = below.input.as_deref()
            && is_of_pattern(below)
        {
            if operators.len() == MOST_OPERATORS {
                return None;
            }
            operators.push(Plan {
                operator: below.operator.clone(),
                input: None,
                rows: below.rows,
            });
            below = input;
        }
        operators.reverse();
        (!operators.is_empty()).then(|| Core {
            below: below.clone(),
            operators,
        })
    }

    fn into_plan(self) -> Plan {
        let stack = |below: Plan, one: Plan| below.then(one.operator, one.rows);
        self.operators.into_iter().fold(self.below, stack)
    }

    fn expands(&self) -> impl Iterator<Item = &Expand> {
        self.operators.iter().flat_map(|one| match &one.operator {
            Operator::Expand(step) | Operator::Relationships(Relationships { step, .. }) => {
                std::slice::from_ref(step)
            }
            Operator::Intersect(one) => &one.steps,
            _ => &[],
        })
    }

    /// Nodes that it finds or begins with.
    fn nodes(&self) -> Vec<Slot> {
        let nodes = self.operators.iter().flat_map(|one| match &one.operator {
            Operator::NodeScan { node, .. }
            | Operator::NodeSeek { node, .. }
            | Operator::NodeById { node, .. }
            | Operator::NodesByIds { node, .. } => vec![*node],
            Operator::Expand(step) | Operator::Relationships(Relationships { step, .. }) => {
                vec![step.from, step.to]
            }
            Operator::Intersect(one) => vec![one.to],
            _ => Vec::new(),
        });
        nodes.collect()
    }

    /// Nodes and relationships that are never null.
    fn bound(&self) -> Vec<Slot> {
        let relationships = self.expands().map(|expand| expand.relationship);
        self.nodes().into_iter().chain(relationships).collect()
    }

    /// Takes out what need not be found, the last operator first.
    fn peel(&mut self, keys: &[(Slot, Expression)]) -> Vec<Branch> {
        let mut branches = Vec::new();
        let mut at = self.operators.len();
        while at > 0 {
            at -= 1;
            let Some((operators, taken)) = self.without(at, keys, &branches) else {
                continue;
            };
            let before = std::mem::replace(&mut self.operators, operators);
            match exact::is_exact(&taken, &self.expands().collect::<Vec<_>>()) {
                true => {
                    branches = taken;
                    at = at.min(self.operators.len());
                }
                false => self.operators = before,
            }
        }
        branches
    }

    /// The operators without an expansion, and the branches with it.
    fn without(
        &self,
        at: usize,
        keys: &[(Slot, Expression)],
        branches: &[Branch],
    ) -> Option<(Vec<Plan>, Vec<Branch>)> {
        let step = match &self.operators[at].operator {
            Operator::Expand(step) => step,
            Operator::Optional { .. } => return self.without_optional(at, keys, branches),
            _ => return None,
        };
        let own = match step.into {
            true => vec![step.relationship],
            false => vec![step.relationship, step.to],
        };
        let is_own = |of: &Expression| own.iter().any(|&slot| mentions(of, slot));
        if keys.iter().any(|(_, key)| is_own(key)) {
            return None;
        }
        if branches.iter().any(|one| one.compares(&own)) {
            return None;
        }
        let mut branch = Branch::of(step.clone());
        let nodes = self.nodes();
        let mut operators = Vec::new();
        for (place, one) in self.operators.iter().enumerate() {
            let mut one = one.clone();
            match &mut one.operator {
                _ if place == at => continue,
                Operator::Filter(conditions) => {
                    let mut kept = Vec::new();
                    for condition in std::mem::take(conditions) {
                        match is_own(&condition) {
                            false => kept.push(condition),
                            true => branch.take(&condition, &nodes)?,
                        }
                    }
                    if kept.is_empty() {
                        continue;
                    }
                    *conditions = kept;
                }
                Operator::SemiApply { inner, negated } => {
                    let condition = Condition::of_semi_join(inner, *negated)?;
                    let ends = condition.nodes();
                    if ends.iter().any(|slot| own.contains(slot)) {
                        let other = ends.into_iter().find(|&slot| slot != step.to)?;
                        if step.into || !nodes.contains(&other) {
                            return None;
                        }
                        condition.decide(&mut branch);
                        continue;
                    }
                }
                other if goes_from(other, &own) => return None,
                other if other.expressions().into_iter().any(is_own) => return None,
                _ => {}
            }
            operators.push(one);
        }
        let (inner, mut beside): (Vec<_>, Vec<_>) = branches
            .iter()
            .cloned()
            .partition(|one| !step.into && one.step.from == step.to);
        if inner.iter().any(|one| one.step.into || one.is_of_row()) {
            return None;
        }
        branch.branches = inner;
        beside.push(branch);
        Some((operators, beside))
    }

    /// The same of an `OPTIONAL MATCH`.
    fn without_optional(
        &self,
        at: usize,
        keys: &[(Slot, Expression)],
        branches: &[Branch],
    ) -> Option<(Vec<Plan>, Vec<Branch>)> {
        let Operator::Optional { inner, brings } = &self.operators[at].operator else {
            return None;
        };
        let mut operators = self.operators.clone();
        operators.remove(at);
        let is_own = |of: &Expression| brings.iter().any(|&slot| mentions(of, slot));
        let others = operators.iter().flat_map(|one| one.operator.expressions());
        if others.chain(keys.iter().map(|(_, key)| key)).any(is_own) {
            return None;
        }
        let is_used = operators.iter().any(|one| goes_from(&one.operator, brings));
        let is_of_branch = |one: &Branch| brings.contains(&one.step.from) || one.compares(brings);
        if is_used || branches.iter().any(is_of_branch) {
            return None;
        }
        let mut taken = branches.to_vec();
        taken.push(conditions::optional(inner)?);
        Some((operators, taken))
    }
}

impl Branch {
    fn of(step: Expand) -> Self {
        Branch {
            step,
            labels: Vec::new(),
            differs: Vec::new(),
            beside: Vec::new(),
            optional: false,
            branches: Vec::new(),
        }
    }

    /// Whether its ends are compared with nodes of the row.
    fn is_of_row(&self) -> bool {
        !self.differs.is_empty() || !self.beside.is_empty()
    }

    /// Whether it needs some nodes of the row to compare them.
    fn compares(&self, nodes: &[Slot]) -> bool {
        let beside = self.beside.iter().map(|beside| &beside.from);
        let mut compared = self.differs.iter().chain(beside);
        compared.any(|slot| nodes.contains(slot)) || self.step.into && nodes.contains(&self.step.to)
    }

    /// Takes a condition on its node, if it can decide it.
    fn take(&mut self, condition: &Expression, nodes: &[Slot]) -> Option<()> {
        if self.step.into {
            return None;
        }
        let node = self.step.to;
        if let Some((of, labels)) = as_label(condition)
            && of == node
        {
            self.labels.push(labels.clone());
            return Some(());
        }
        let condition = Condition::of_filter(condition)?;
        let other = condition.nodes().into_iter().find(|&slot| slot != node)?;
        nodes.contains(&other).then(|| condition.decide(self))
    }
}

/// Whether an operator goes on from some nodes, or looks at their relationships.
fn goes_from(operator: &Operator, nodes: &[Slot]) -> bool {
    let is_at = |step: &Expand| nodes.contains(&step.from) || nodes.contains(&step.to);
    match operator {
        Operator::Expand(step) | Operator::Relationships(Relationships { step, .. }) => is_at(step),
        Operator::Intersect(one) => {
            let mut compared = one.above.iter().chain(&one.below);
            one.steps.iter().any(is_at) || compared.any(|slot| nodes.contains(slot))
        }
        Operator::SemiApply { inner, negated } => Condition::of_semi_join(inner, *negated)
            .is_none_or(|condition| condition.nodes().iter().any(|slot| nodes.contains(slot))),
        Operator::Optional { inner, .. } => {
            conditions::optional(inner).is_none_or(|branch| nodes.contains(&branch.step.from))
        }
        _ => false,
    }
}

fn is_of_pattern(plan: &Plan) -> bool {
    match &plan.operator {
        Operator::Expand(_)
        | Operator::Intersect(_)
        | Operator::Filter(_)
        | Operator::NodeScan { .. }
        | Operator::NodeSeek { .. }
        | Operator::NodeById { .. }
        | Operator::NodesByIds { .. }
        | Operator::Relationships(_) => true,
        Operator::SemiApply { inner, negated } => {
            Condition::of_semi_join(inner, *negated).is_some()
        }
        Operator::Optional { inner, .. } => conditions::optional(inner).is_some(),
        _ => false,
    }
}

/// Labels as a filter has them.
fn labelled(node: Slot, labels: &Labels) -> Expression {
    Expression::Labelled(Box::new(Expression::Slot(node)), labels.clone())
}
