//! Patterns that are one tree, counted from any of its nodes.
//!
//! Where conditions compare nodes of the tree, one of the two is of the row and the other
//! the end of a branch at the row, or both are ends of branches; what lies between is
//! found, all else is branches.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_syntax::tree::{Labels, Name};

use super::conditions::{self, Condition};
use super::{Core, exact, labelled};
use crate::Catalog;
use crate::catalog::relationships_of;
use crate::lower::as_label;
use crate::order::mentions;
use crate::plan::{Branch, Expand, Expression, Operator, Plan, Slot, Towards, names_of};

/// More conditions are decided row by row.
const MOST_CONDITIONS: usize = 3;

/// A pattern of nodes with labels and relationships between them.
pub(super) struct Tree {
    nodes: Vec<(Slot, Vec<Labels>)>,
    steps: Vec<Expand>,
    pub(super) conditions: Vec<Condition>,
    pub(super) optional: Vec<Branch>,
}

/// Operators that find a part of a tree, and branches that are all the rest.
pub(super) struct Rooted {
    pub(super) operators: Vec<Plan>,
    pub(super) branches: Vec<Branch>,
    /// Branches that end in different nodes.
    pub(super) apart: Vec<[usize; 2]>,
    cost: f64,
}

/// How a condition is decided.
#[derive(Clone, Copy, Debug)]
enum Decided {
    /// By the branch that ends in its first or second node, at a row with the other.
    ByEnd(usize),
    /// By two branches.
    Apart,
}

/// The cheapest way to count a tree: what is found of it is one node, or what the keys
/// need and what lies between nodes that are compared. `None` if the pattern is no such
/// tree.
pub(super) fn rooted(
    core: &Core,
    keys: &[(Slot, Expression)],
    catalog: &dyn Catalog,
) -> Option<Rooted> {
    let tree = Tree::of(core)?;
    let needed = |slot: Slot| keys.iter().any(|(_, key)| mentions(key, slot));
    let relationships = tree.steps.iter().map(|step| step.relationship);
    let optional = tree.optional.iter().flat_map(slots_of);
    if relationships.chain(optional).any(needed) || tree.conditions.len() > MOST_CONDITIONS {
        return None;
    }
    let mut best: Option<Rooted> = None;
    let mut compare = |rooted: Option<Rooted>| {
        if let Some(rooted) = rooted
            && best.as_ref().is_none_or(|best| rooted.cost < best.cost)
        {
            best = Some(rooted);
        }
    };
    let slots = tree.nodes.iter().map(|node| node.0);
    let kept: Vec<Slot> = slots.clone().filter(|&slot| needed(slot)).collect();
    match (tree.conditions.is_empty(), kept.as_slice()) {
        (true, []) => slots.for_each(|root| compare(tree.at_node(root, catalog))),
        (true, [root]) => compare(tree.at_node(*root, catalog)),
        (true, _) => {}
        (false, _) => {
            for choice in choices(&tree.conditions) {
                compare(tree.decided(&kept, &choice, catalog));
            }
        }
    }
    best
}

/// All ways to decide conditions.
fn choices(conditions: &[Condition]) -> Vec<Vec<Decided>> {
    let mut all = vec![Vec::new()];
    for condition in conditions {
        let ways: &[Decided] = match condition {
            Condition::Differ(_) => &[Decided::ByEnd(0), Decided::ByEnd(1), Decided::Apart],
            Condition::Beside { .. } => &[Decided::ByEnd(0), Decided::ByEnd(1)],
        };
        let more = |way: &Decided| {
            let longer = |known: &Vec<Decided>| [&known[..], &[*way]].concat();
            all.iter().map(longer).collect::<Vec<_>>()
        };
        all = ways.iter().flat_map(more).collect();
    }
    all
}

fn slots_of(branch: &Branch) -> Vec<Slot> {
    let inner = branch.branches.iter().flat_map(slots_of);
    inner
        .chain([branch.step.relationship, branch.step.to])
        .collect()
}

impl Tree {
    /// A tree of one node.
    pub(super) fn at(node: Slot) -> Self {
        Tree {
            nodes: vec![(node, Vec::new())],
            steps: Vec::new(),
            conditions: Vec::new(),
            optional: Vec::new(),
        }
    }

    fn of(core: &Core) -> Option<Self> {
        let is_argument =
            core.below.input.is_none() && matches!(core.below.operator, Operator::Argument);
        let (first, others) = core.operators.split_first()?;
        let Operator::NodeScan { node, label, .. } = &first.operator else {
            return None;
        };
        let mut tree = Tree::at(*node);
        tree.nodes[0].1 = label.iter().map(as_labels).collect();
        for one in others {
            tree.add(one)?;
        }
        for condition in &tree.conditions {
            if let Condition::Differ(ends) = *condition {
                differ_by_ends(&mut tree.steps, ends);
            }
        }
        let (steps, all) = (&tree.steps, tree.conditions.clone());
        let is_needed = |one: &Condition| !all.iter().any(|other| one.follows_from(other, steps));
        tree.conditions.retain(is_needed);
        let has_steps = !tree.steps.is_empty() || !tree.optional.is_empty();
        (is_argument && has_steps).then_some(tree)
    }

    /// Adds what an operator finds; `None` if that is no tree.
    pub(super) fn add(&mut self, plan: &Plan) -> Option<()> {
        match &plan.operator {
            Operator::Expand(step) if !step.into && self.has(step.from) => {
                self.nodes.push((step.to, Vec::new()));
                self.steps.push(step.clone());
            }
            Operator::Filter(conditions) => {
                for condition in conditions {
                    if let Some((slot, labels)) = as_label(condition) {
                        let found = self.nodes.iter_mut().find(|node| node.0 == slot);
                        found?.1.push(labels.clone());
                        continue;
                    }
                    self.compare(Condition::of_filter(condition)?)?;
                }
            }
            Operator::SemiApply { inner, negated } => {
                self.compare(Condition::of_semi_join(inner, *negated)?)?;
            }
            Operator::Optional { inner, .. } => {
                let branch = conditions::optional(inner)?;
                self.has(branch.step.from)
                    .then(|| self.optional.push(branch))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn compare(&mut self, condition: Condition) -> Option<()> {
        let is_known = condition.nodes().into_iter().all(|slot| self.has(slot));
        is_known.then(|| self.conditions.push(condition))
    }

    fn has(&self, node: Slot) -> bool {
        self.nodes.iter().any(|other| other.0 == node)
    }

    pub(super) fn labels(&self, node: Slot) -> &[Labels] {
        let found = self.nodes.iter().find(|other| other.0 == node);
        found.map_or(&[], |node| &node.1)
    }

    /// Steps at a node, seen from there.
    fn steps_at(&self, node: Slot) -> impl Iterator<Item = Expand> {
        self.steps.iter().filter_map(move |step| match () {
            () if step.from == node => Some(step.clone()),
            () if step.to == node => Some(Expand {
                from: step.to,
                to: step.from,
                towards: step.towards.reversed(),
                ..step.clone()
            }),
            () => None,
        })
    }

    /// Branches at a node, but for some relationships.
    pub(super) fn branches(&self, node: Slot, known: &[Slot]) -> Vec<Branch> {
        let steps = self.steps_at(node);
        let steps = steps.filter(|step| !known.contains(&step.relationship));
        let branches = steps.map(|step| Branch {
            labels: self.labels(step.to).to_vec(),
            branches: self.branches(step.to, &[step.relationship]),
            ..Branch::of(step)
        });
        let optional = self.optional.iter().filter(|one| one.step.from == node);
        branches.chain(optional.cloned()).collect()
    }

    /// The count at one node.
    fn at_node(&self, root: Slot, catalog: &dyn Catalog) -> Option<Rooted> {
        let rooted = self.rooted((&[root], &[]), &[], catalog)?;
        exact::is_exact(&rooted.branches, &[]).then_some(rooted)
    }

    /// The count with conditions decided in one way, if it can be.
    fn decided(&self, kept: &[Slot], choice: &[Decided], catalog: &dyn Catalog) -> Option<Rooted> {
        let (mut rows, mut ends) = (kept.to_vec(), Vec::new());
        for (condition, &decided) in self.conditions.iter().zip(choice) {
            let nodes = condition.nodes();
            match decided {
                Decided::ByEnd(end) => {
                    ends.push(nodes[end]);
                    rows.push(nodes[1 - end]);
                }
                Decided::Apart => ends.extend(nodes),
            }
        }
        if ends.iter().any(|end| rows.contains(end)) {
            return None;
        }
        let mut found = self.between(&[&rows[..], &ends].concat());
        let degree = |node| {
            let is_of = |step: &&&Expand| step.from == node || step.to == node;
            found.iter().filter(is_of).count()
        };
        if ends.iter().any(|&end| degree(end) != 1) {
            return None;
        }
        for step in &found {
            rows.extend([step.from, step.to]);
        }
        found.retain(|step| !ends.contains(&step.from) && !ends.contains(&step.to));
        rows.retain(|slot| !ends.contains(slot));
        rows.sort_unstable();
        rows.dedup();
        let mut rooted = self.rooted((&rows, &ends), &found, catalog)?;
        for (condition, &decided) in self.conditions.iter().zip(choice) {
            let nodes = condition.nodes();
            let branch_of = |end: Slot| {
                let mut branches = rooted.branches.iter();
                branches.position(|branch| branch.step.to == end)
            };
            match decided {
                Decided::ByEnd(end) => {
                    let place = branch_of(nodes[end])?;
                    if let Condition::Differ(_) = condition {
                        rooted.cost += SORTED * rows_of(&rooted.operators);
                    }
                    condition.clone().decide(&mut rooted.branches[place]);
                }
                Decided::Apart => {
                    let pair = [branch_of(nodes[0])?, branch_of(nodes[1])?];
                    rooted.apart.push(pair);
                }
            }
        }
        let is_exact = rooted.has_apart(&found) && exact::is_exact(&rooted.branches, &found);
        is_exact.then_some(rooted)
    }

    /// The steps between some nodes.
    fn between(&self, nodes: &[Slot]) -> Vec<&Expand> {
        let mut steps: Vec<&Expand> = self.steps.iter().collect();
        loop {
            let ends = || steps.iter().flat_map(|step| [step.from, step.to]);
            let is_loose = |node: Slot| {
                !nodes.contains(&node) && ends().filter(|&other| other == node).count() == 1
            };
            let loose = |step: &&Expand| is_loose(step.from) || is_loose(step.to);
            let Some(place) = steps.iter().position(loose) else {
                return steps;
            };
            steps.remove(place);
        }
    }

    /// The count at rows of some nodes with the steps between them; `ends` are compared with
    /// them.
    fn rooted(
        &self,
        (rows, ends): (&[Slot], &[Slot]),
        found: &[&Expand],
        catalog: &dyn Catalog,
    ) -> Option<Rooted> {
        let known: Vec<Slot> = found.iter().map(|step| step.relationship).collect();
        let branches = rows.iter().flat_map(|&node| self.branches(node, &known));
        let mut branches: Vec<Branch> = branches.collect();
        // Behind the first of them fewer rows are left.
        let entries = |branch: &Branch| relationships(catalog, &branch.step);
        branches.sort_by(|one, other| entries(one).total_cmp(&entries(other)));
        if branches.is_empty() {
            return None;
        }
        let ways = rows.iter().map(|&root| self.finds(root, &known, catalog));
        let (operators, entries) = ways.min_by(|one, other| one.1.total_cmp(&other.1))?;
        let last = rows_of(&operators);
        let scanned = operators.first().map(|plan| &plan.operator);
        let of_branch = |branch: &Branch| {
            let all = nodes_with(catalog, self.labels(branch.step.from));
            let is_of_row = ends.contains(&branch.step.to);
            let nodes = if is_of_row { last } else { last.min(all) };
            let in_order = match scanned {
                Some(Operator::NodeScan { node, .. }) if *node == branch.step.from => {
                    (1.0 - IN_ORDER) * nodes
                }
                _ => 0.0,
            };
            let compared = match is_of_row {
                true => relationships(catalog, &branch.step) * (nodes / all.max(1.0)),
                false => 0.0,
            };
            compared + cost(catalog, std::slice::from_ref(branch), (nodes, all)) - in_order
        };
        let cost = ROW * entries + branches.iter().map(of_branch).sum::<f64>();
        Some(Rooted {
            operators,
            branches,
            apart: Vec::new(),
            cost,
        })
    }

    /// Operators that find a node and go some steps from there, and about how many rows
    /// they give.
    fn finds(&self, root: Slot, known: &[Slot], catalog: &dyn Catalog) -> (Vec<Plan>, f64) {
        let labels = self.labels(root);
        let alone = |labels: &Labels| match labels {
            Labels::Name(_) => names_of(labels)?.into_iter().next(),
            _ => None,
        };
        let first = labels.iter().position(|labels| alone(labels).is_some());
        let scan = Operator::NodeScan {
            node: root,
            label: first.and_then(|first| alone(&labels[first])),
            tests: Vec::new(),
        };
        let mut rows = nodes_with(catalog, labels);
        let mut all = SCANNED * rows;
        let mut operators = Vec::new();
        let mut push = |operator, rows| {
            operators.push(Plan {
                operator,
                input: None,
                rows,
            });
        };
        let filter = |node: Slot, without: Option<usize>| {
            let labels = self.labels(node).iter().enumerate();
            let labels = labels.filter(|(place, _)| Some(*place) != without);
            let labels: Vec<Expression> =
                labels.map(|(_, labels)| labelled(node, labels)).collect();
            (!labels.is_empty()).then_some(Operator::Filter(labels))
        };
        push(scan, rows);
        filter(root, first)
            .into_iter()
            .for_each(|one| push(one, rows));
        let (mut open, mut steps) = (vec![(root, None)], Vec::new());
        while let Some((node, reached)) = open.pop() {
            for step in self.steps_at(node) {
                let relationship = step.relationship;
                if !known.contains(&relationship) || reached == Some(relationship) {
                    continue;
                }
                let to = step.to;
                let nodes = nodes_with(catalog, self.labels(node)).max(1.0);
                rows *= relationships(catalog, &step) / nodes;
                all += rows;
                let step = unlike_those(step, &steps);
                steps.push(step.clone());
                push(Operator::Expand(step), rows);
                filter(to, None).into_iter().for_each(|one| push(one, rows));
                open.push((to, Some(relationship)));
            }
        }
        (operators, all)
    }
}

/// A step that comes behind others now, and differs from those that came behind it.
fn unlike_those(mut step: Expand, others: &[Expand]) -> Expand {
    let differ = |other: &&Expand| step.may_be(other);
    let differ = others.iter().filter(differ).map(|other| other.relationship);
    let unlike: Vec<Slot> = differ.filter(|slot| !step.unlike.contains(slot)).collect();
    step.unlike.extend(unlike);
    step
}

/// Rows that operators give.
fn rows_of(operators: &[Plan]) -> f64 {
    operators.last().map_or(0.0, |plan| plan.rows)
}

impl Rooted {
    /// Whether branches that end in different nodes are compared with nothing else, and have
    /// nothing in common with others.
    fn has_apart(&self, found: &[&Expand]) -> bool {
        let mut met = Vec::new();
        self.apart.iter().flatten().all(|&place| {
            let branch = &self.branches[place];
            let is_alone = !branch.is_of_row() && !met.contains(&place);
            met.push(place);
            let beside = self.branches.iter().map(|other| &other.step);
            let mut others = beside.chain(found.iter().copied());
            is_alone && !others.any(|step| step.may_be(&branch.step))
        })
    }
}

/// Steps of which one leads to one of two nodes that differ, and one to the other, differ
/// anyhow if they begin at one node, or have the same direction.
fn differ_by_ends(steps: &mut [Expand], [one, other]: [Slot; 2]) {
    let to = |step: &Expand, end: Slot| match end {
        end if step.to == end => Some((step.from, step.towards)),
        end if step.from == end => Some((step.to, step.towards.reversed())),
        _ => None,
    };
    for place in 0..steps.len() {
        for with in 0..steps.len() {
            let both = (to(&steps[place], one), to(&steps[with], other));
            let (Some((from, towards)), Some((other_from, other_towards))) = both else {
                continue;
            };
            let is_same_way = towards == other_towards && towards != Towards::Both;
            if place != with && (from == other_from || is_same_way) {
                let [first, second] = [steps[place].relationship, steps[with].relationship];
                steps[place].unlike.retain(|&slot| slot != second);
                steps[with].unlike.retain(|&slot| slot != first);
            }
        }
    }
}

fn as_labels(name: &Arc<str>) -> Labels {
    Labels::Name(Name::new(&**name))
}

/// Entries that are read in the time in which a row is made.
const ROW: f64 = 2.0;

/// Rows that are made in the time in which a node is scanned.
const SCANNED: f64 = 0.1;

/// Of nodes in order, the time of one in any order.
const IN_ORDER: f64 = 0.25;

/// Entries that are read in the time in which a row is sorted with others of its node.
const SORTED: f64 = 2.0;

/// Where so many relationships lead to a label, all of them are taken to.
const MOST: f64 = 0.99;

/// Entries that are looked at together in the time of one that is looked at alone.
const HARD: f64 = 8.0;

/// Entries of lists that are read, about, and nodes that are looked at, for branches at so
/// many of some nodes.
fn cost(catalog: &dyn Catalog, branches: &[Branch], (nodes, all): (f64, f64)) -> f64 {
    let of_branch = |branch: &Branch| {
        let is_read = branch.is_of_row()
            || !branch.branches.is_empty()
            || !all_have(catalog, &branch.step, &branch.labels);
        let entries = relationships(catalog, &branch.step);
        let found = entries * (nodes / all.max(1.0));
        let there = nodes_with(catalog, &branch.labels);
        let kept = found.min(there);
        let inner = cost(catalog, &branch.branches, (kept, there));
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

/// Whether all relationships of a step seem to lead to nodes with labels.
fn all_have(catalog: &dyn Catalog, step: &Expand, labels: &[Labels]) -> bool {
    let has = |kind: &Arc<str>, label: &Labels| {
        let Labels::Name(name) = label else {
            return false;
        };
        let ends = catalog.ends(kind);
        let is_of_all = |ends: &BTreeMap<Arc<str>, f64>| {
            ends.get(&*name.text).is_some_and(|&share| share >= MOST)
        };
        match step.towards {
            Towards::Outgoing => is_of_all(&ends.targets),
            Towards::Incoming => is_of_all(&ends.sources),
            Towards::Both => is_of_all(&ends.sources) && is_of_all(&ends.targets),
        }
    };
    let mut kinds = step.types.iter();
    labels.is_empty()
        || !step.types.is_empty() && kinds.all(|kind| labels.iter().all(|label| has(kind, label)))
}

/// Entries of the lists of a step.
fn relationships(catalog: &dyn Catalog, step: &Expand) -> f64 {
    let count = relationships_of(catalog, &step.types);
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
