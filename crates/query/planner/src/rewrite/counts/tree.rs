//! Patterns that are one tree, counted from any of its nodes.

use std::sync::Arc;

use evergraph_syntax::tree::{Labels, Name};

use super::{Core, exact, labelled};
use crate::Catalog;
use crate::lower::as_label;
use crate::order::mentions;
use crate::plan::{Branch, Expand, Expression, Operator, Plan, Slot, Towards, names_of};

/// A pattern of nodes with labels and relationships between them.
struct Tree<'p> {
    nodes: Vec<(Slot, Vec<Labels>)>,
    steps: Vec<&'p Expand>,
}

/// The operators that find a node, and branches at it that are all of the pattern: at the
/// node that the keys need, or else where the fewest lists are read. `None` if the pattern
/// is no such tree.
pub(super) fn rooted(
    core: &Core,
    keys: &[(Slot, Expression)],
    catalog: &dyn Catalog,
) -> Option<(Vec<Plan>, Vec<Branch>)> {
    let tree = Tree::of(core)?;
    let needed = |slot: Slot| keys.iter().any(|(_, key)| mentions(key, slot));
    if tree.steps.iter().any(|step| needed(step.relationship)) {
        return None;
    }
    let mut roots: Vec<Slot> = tree.nodes.iter().map(|node| node.0).collect();
    let kept: Vec<Slot> = roots.iter().copied().filter(|&slot| needed(slot)).collect();
    match kept.as_slice() {
        [] => {}
        [only] => roots = vec![*only],
        _ => return None,
    }
    let exact = roots.into_iter().filter_map(|root| {
        let branches = tree.branches(root, None);
        exact::is_exact(&branches, &[]).then_some((root, branches))
    });
    let costs = exact.map(|(root, branches)| {
        let nodes = nodes_with(catalog, tree.labels(root));
        (
            cost(catalog, &branches, nodes) + nodes,
            nodes,
            root,
            branches,
        )
    });
    let (_, nodes, root, branches) = costs.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some((tree.finds(root, nodes), branches))
}

impl<'p> Tree<'p> {
    fn of(core: &'p Core) -> Option<Self> {
        let is_argument =
            core.below.input.is_none() && matches!(core.below.operator, Operator::Argument);
        let (first, others) = core.operators.split_first()?;
        let Operator::NodeScan { node, label, .. } = &first.operator else {
            return None;
        };
        let mut tree = Tree {
            nodes: vec![(*node, label.iter().map(as_labels).collect())],
            steps: Vec::new(),
        };
        for one in others {
            match &one.operator {
                Operator::Expand(step) if !step.into => {
                    tree.nodes.push((step.to, Vec::new()));
                    tree.steps.push(step);
                }
                Operator::Filter(conditions) => {
                    for condition in conditions {
                        let (slot, labels) = as_label(condition)?;
                        let found = tree.nodes.iter_mut().find(|node| node.0 == slot);
                        found?.1.push(labels.clone());
                    }
                }
                _ => return None,
            }
        }
        (is_argument && !tree.steps.is_empty()).then_some(tree)
    }

    fn labels(&self, node: Slot) -> &[Labels] {
        let found = self.nodes.iter().find(|other| other.0 == node);
        found.map_or(&[], |node| &node.1)
    }

    /// Branches at a node, but for the relationship by which it is reached.
    fn branches(&self, node: Slot, reached: Option<Slot>) -> Vec<Branch> {
        let open = self
            .steps
            .iter()
            .filter(|step| Some(step.relationship) != reached);
        let steps = open.filter_map(|&step| match () {
            () if step.from == node => Some(step.clone()),
            () if step.to == node => Some(Expand {
                from: step.to,
                to: step.from,
                towards: step.towards.reversed(),
                ..step.clone()
            }),
            () => None,
        });
        steps
            .map(|step| Branch {
                labels: self.labels(step.to).to_vec(),
                differs: Vec::new(),
                branches: self.branches(step.to, Some(step.relationship)),
                step,
            })
            .collect()
    }

    /// Operators that find a node.
    fn finds(&self, node: Slot, rows: f64) -> Vec<Plan> {
        let labels = self.labels(node);
        let alone = |labels: &Labels| match labels {
            Labels::Name(_) => names_of(labels)?.into_iter().next(),
            _ => None,
        };
        let first = labels.iter().position(|labels| alone(labels).is_some());
        let operator = Operator::NodeScan {
            node,
            label: first.and_then(|first| alone(&labels[first])),
            tests: Vec::new(),
        };
        let plan = |operator| Plan {
            operator,
            input: None,
            rows,
        };
        let others = labels
            .iter()
            .enumerate()
            .filter(|(place, _)| Some(*place) != first);
        let others: Vec<Expression> = others.map(|(_, labels)| labelled(node, labels)).collect();
        let mut operators = vec![plan(operator)];
        if !others.is_empty() {
            operators.push(plan(Operator::Filter(others)));
        }
        operators
    }
}

fn as_labels(name: &Arc<str>) -> Labels {
    Labels::Name(Name::new(&**name))
}

/// Entries that are looked at together in the time of one that is looked at alone.
const HARD: f64 = 8.0;

/// Entries of lists that are read, about, and nodes that are looked at, for branches at so
/// many nodes.
fn cost(catalog: &dyn Catalog, branches: &[Branch], nodes: f64) -> f64 {
    let all = catalog.nodes(None).max(1.0);
    let of_branch = |branch: &Branch| {
        let is_read = !branch.labels.is_empty() || !branch.branches.is_empty();
        let entries = relationships(catalog, &branch.step);
        let found = entries.min(nodes * (entries / all).max(1.0));
        let kept = found.min(nodes_with(catalog, &branch.labels));
        let inner = cost(catalog, &branch.branches, kept);
        // Each entry is looked at alone if it may be one of those behind it.
        let is_hard = branch
            .branches
            .iter()
            .any(|one| one.step.may_be(&branch.step));
        nodes
            + inner
            + match (is_read, is_hard) {
                (false, _) => 0.0,
                (true, false) => found,
                (true, true) => HARD * found,
            }
    };
    branches.iter().map(of_branch).sum()
}

/// Entries of the lists of a step.
fn relationships(catalog: &dyn Catalog, step: &Expand) -> f64 {
    let count = match step.types.as_slice() {
        [] => catalog.relationships(None),
        types => types
            .iter()
            .map(|kind| catalog.relationships(Some(kind)))
            .sum(),
    };
    match step.towards {
        Towards::Both => 2.0 * count,
        _ => count,
    }
}

/// Nodes with labels, at most.
fn nodes_with(catalog: &dyn Catalog, labels: &[Labels]) -> f64 {
    let names = labels.iter().filter_map(|labels| match labels {
        Labels::Name(name) => Some(catalog.nodes(Some(&name.text))),
        _ => None,
    });
    names.fold(catalog.nodes(None), f64::min)
}
