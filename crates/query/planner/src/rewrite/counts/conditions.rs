//! Conditions on two nodes of a pattern, and branches that need not be there.

use std::sync::Arc;

use super::tree::Tree;
use crate::plan::{Beside, Branch, Expand, Expression, Operator, Plan, Slot, Towards};

/// A condition on two nodes of a pattern.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// They are not the same.
    Differ([Slot; 2]),
    /// A relationship leads from the first to the second, or none does.
    Beside {
        nodes: [Slot; 2],
        towards: Towards,
        types: Vec<Arc<str>>,
        negated: bool,
    },
}

impl Condition {
    /// `a <> b`
    pub(super) fn of_filter(condition: &Expression) -> Option<Condition> {
        let (one, other) = condition.as_unequal()?;
        (one != other).then_some(Condition::Differ([one, other]))
    }

    /// `EXISTS { (a)-->(b) }` of two nodes that are known.
    pub(super) fn of_semi_join(inner: &Plan, negated: bool) -> Option<Condition> {
        let Operator::Expand(step) = &inner.operator else {
            return None;
        };
        let is_argument =
            |plan: &Plan| plan.input.is_none() && matches!(plan.operator, Operator::Argument);
        let is_alone = inner.input.as_deref().is_some_and(is_argument);
        let is_between = step.into && step.from != step.to && step.unlike.is_empty();
        (is_alone && is_between).then(|| Condition::Beside {
            nodes: [step.from, step.to],
            towards: step.towards,
            types: step.types.clone(),
            negated,
        })
    }

    pub(super) fn nodes(&self) -> [Slot; 2] {
        match self {
            Condition::Differ(nodes) | Condition::Beside { nodes, .. } => *nodes,
        }
    }

    /// Has a branch that ends in one of the nodes decide it, at a row with the other.
    pub(super) fn decide(self, branch: &mut Branch) {
        let is_second = self.nodes()[1] == branch.step.to;
        match self {
            Condition::Differ([one, other]) => {
                branch.differs.push(if is_second { one } else { other });
            }
            Condition::Beside {
                nodes: [one, other],
                towards,
                types,
                negated,
            } => branch.beside.push(Beside {
                from: if is_second { one } else { other },
                towards: if is_second {
                    towards
                } else {
                    towards.reversed()
                },
                types,
                negated,
            }),
        }
    }

    /// Whether it holds wherever another does: a node with a relationship that another
    /// node does not have is not that node.
    pub(super) fn follows_from(&self, other: &Condition, steps: &[Expand]) -> bool {
        let (
            Condition::Differ([one, another]),
            Condition::Beside {
                nodes: [from, to],
                towards,
                types,
                negated: true,
            },
        ) = (self, other)
        else {
            return false;
        };
        let ways = [(*from, *to, *towards), (*to, *from, towards.reversed())];
        ways.into_iter().any(|(from, to, towards)| {
            let met = match to {
                to if to == *one => *another,
                to if to == *another => *one,
                _ => return false,
            };
            steps.iter().any(|step| {
                let own = match (step.from, step.to) {
                    ends if ends == (from, met) => step.towards,
                    ends if ends == (met, from) => step.towards.reversed(),
                    _ => return false,
                };
                let is_of_types = types.is_empty()
                    || !step.types.is_empty() && step.types.iter().all(|kind| types.contains(kind));
                is_of_types && (towards == Towards::Both || towards == own)
            })
        })
    }
}

/// The branch of an `OPTIONAL MATCH` that is one tree of nodes with labels.
pub(super) fn optional(inner: &Plan) -> Option<Branch> {
    let mut operators: Vec<&Plan> = inner.downward().collect();
    let last = operators.pop()?;
    operators.reverse();
    let Operator::Expand(first) = &operators.first()?.operator else {
        return None;
    };
    let from = first.from;
    let mut tree = Tree::at(from);
    for one in operators {
        tree.add(one)?;
    }
    let is_plain = matches!(last.operator, Operator::Argument)
        && tree.conditions.is_empty()
        && tree.optional.is_empty()
        && tree.labels(from).is_empty();
    let mut branches = tree.branches(from, &[]);
    match (branches.pop(), branches.is_empty(), is_plain) {
        (Some(branch), true, true) => Some(Branch {
            optional: true,
            ..branch
        }),
        _ => None,
    }
}
