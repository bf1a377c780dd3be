//! The order in which a pattern is found: greedily the step that leaves the fewest rows,
//! from the first node with which all steps together have the fewest.
//!
//! A hint says where to begin instead, if it can be followed.
//!
//! Rows are estimated from counts of labels and types. A step is a scan or an index
//! lookup of a node or of a relationship, or the expansion of a relationship from a node
//! that is known.

mod estimate;
mod fan_out;
mod hint;
mod join;
mod relationships;
mod seek;
mod shortest;
mod start;

pub use seek::is_volatile;
pub(crate) use seek::mentions;

use std::collections::{BTreeMap, BTreeSet};

use self::estimate::Step;
use self::start::{Found, Start};
use crate::Catalog;
use crate::catalog::relationships_of;
use crate::lower::{Pattern, Predicate, RelationshipToFind};
use crate::plan::{
    Choice, Expand, Expression, Operator, Plan, Seek, Slot, VariableExpand, share_types,
};

/// The matches of a pattern for each row of a plan.
pub fn find(pattern: Pattern, input: Plan, catalog: &dyn Catalog) -> Plan {
    let nodes = pattern.nodes.iter().filter(|node| !node.bound);
    let relationships = pattern.relationships.iter().filter(|one| !one.bound);
    let mut missing: BTreeSet<Slot> = nodes.map(|node| node.slot).collect();
    missing.extend(relationships.map(|one| one.slot));
    missing.extend(pattern.paths.iter().map(|&(path, _)| path));
    let searches = pattern.relationships.iter();
    let searches = searches.filter_map(|one| one.search.as_deref());
    missing.extend(searches.flat_map(|search| search.path.brings()));
    let is_large = pattern.nodes.len() + pattern.relationships.len() > FEW_PARTS;
    let mut finder = Finder {
        catalog,
        open: (0..pattern.relationships.len()).collect(),
        found: Vec::new(),
        predicates: pattern.predicates.clone(),
        pattern,
        missing,
        reached: BTreeMap::new(),
        cost: 0.0,
        compared: if is_large { FEW_COMPARED } else { usize::MAX },
        follows_hint: false,
        plan: input,
    };
    if is_large {
        finder.run();
        return finder.plan;
    }
    finder.cheapest().plan
}

/// First nodes and relationships of a pattern that are tried, at most.
const FIRST_NODES: usize = 6;
/// Nodes and relationships of a pattern of which others are tried first, and all next steps
/// compared.
const FEW_PARTS: usize = 100;
/// Next steps that are compared in a larger pattern: the first in the text.
const FEW_COMPARED: usize = 8;

/// A list of relationships that takes longer to be looked through than an index and the
/// list of the other end.
const LONG: f64 = 64.0;

#[derive(Clone)]
struct Finder<'a> {
    catalog: &'a dyn Catalog,
    pattern: Pattern,
    /// Relationships that are not found yet, by place.
    open: Vec<usize>,
    /// Those that are found and that others of their clause differ from, by place.
    found: Vec<usize>,
    /// Conditions that are not applied yet.
    predicates: Vec<Predicate>,
    /// Slots that are not filled yet.
    missing: BTreeSet<Slot>,
    /// Labels of nodes that expansions found, estimated.
    reached: BTreeMap<Slot, fan_out::Parts>,
    /// Rows of all steps.
    cost: f64,
    /// Next steps that are compared, at most.
    compared: usize,
    /// Whether it has begun as a hint says.
    follows_hint: bool,
    plan: Plan,
}

impl Finder<'_> {
    /// The order of the lowest cost, over the nodes and relationships that may begin it.
    /// That of the fewest rows is the first to be tried, and any other only if it is cheaper.
    fn cheapest(self) -> Self {
        let has_known = (0..self.pattern.nodes.len()).any(|place| self.is_known(place));
        let has_bound = self.pattern.relationships.iter().any(|one| one.bound);
        let is_single = self.pattern.relationships.is_empty();
        let mut best = self.clone();
        best.run();
        if has_known || has_bound || is_single {
            return best;
        }
        let mut first = self;
        first.filter();
        if !first.hinted_starts().is_empty() {
            return best;
        }
        let nodes = first.pattern.nodes.iter();
        let nodes = nodes.map(|node| first.start(node.slot));
        let mut starts: Vec<Start> = nodes.chain(first.relationship_starts()).collect();
        starts.sort_by(|one, other| one.cost().total_cmp(&other.cost()));
        for start in starts.into_iter().take(FIRST_NODES) {
            if first.plan.rows * start.cost() >= best.cost {
                break;
            }
            let mut other = first.clone();
            other.begin_at(start);
            other.run();
            if other.cost < best.cost {
                best = other;
            }
        }
        best
    }

    fn run(&mut self) {
        self.filter();
        while self.begin_hinted() || self.expand_bound() || self.expand_cheapest() || self.begin() {
            self.filter();
        }
        self.build_paths();
        self.filter();
    }

    fn is_known(&self, place: usize) -> bool {
        !self.missing.contains(&self.pattern.nodes[place].slot)
    }

    /// Applies the conditions that can be decided.
    fn filter(&mut self) {
        let missing = &self.missing;
        let is_ready = |one: &Predicate| !one.slots.iter().any(|slot| missing.contains(slot));
        let (mut ready, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.predicates)
            .into_iter()
            .partition(is_ready);
        self.predicates = rest;
        if ready.is_empty() {
            return;
        }
        // Subqueries cost most.
        ready.sort_by_key(|one| one.condition.has_subquery());
        let kept: f64 = ready.iter().map(|one| self.selectivity(one)).product();
        // What begins a pattern has been estimated with its conditions already, and those
        // of few rows are applied again here: one row is left at least.
        let rows = (self.plan.rows * kept).max(self.plan.rows.min(1.0));
        let conditions = ready.into_iter().map(|one| one.condition).collect();
        self.push(Operator::Filter(conditions), rows);
    }

    fn push(&mut self, operator: Operator, rows: f64) {
        let plan = std::mem::replace(&mut self.plan, Plan::argument());
        self.plan = plan.then(operator, rows);
        self.cost += rows;
    }

    /// Finds the ends of a relationship that is known.
    fn expand_bound(&mut self) -> bool {
        let relationships = &self.pattern.relationships;
        let mut open = self.open.iter().copied();
        let Some(place) = open.find(|&place| relationships[place].bound) else {
            return false;
        };
        let relationship = relationships[place].clone();
        let step = self.step(&relationship, false);
        let known = [relationship.left, relationship.right].map(|end| self.is_known(end));
        self.close(place);
        let rows = self.plan.rows;
        self.push(Operator::Endpoints(step, known), rows);
        true
    }

    /// Expands the relationship that leaves the fewest rows.
    fn expand_cheapest(&mut self) -> bool {
        let costs = self.open.iter().filter_map(|&place| {
            let one = &self.pattern.relationships[place];
            let known = (self.is_known(one.left), self.is_known(one.right));
            let may = known.0 || known.1;
            let both = known.0 && known.1;
            // Shortest paths want both ends first.
            if !may || (one.shortest.is_some() && !both) {
                return None;
            }
            if let Some(search) = &one.search {
                let needs_both = search.path.choice != Choice::All;
                let mut needs = search.needs.iter();
                if (needs_both && !both) || needs.any(|slot| self.missing.contains(slot)) {
                    return None;
                }
            }
            Some((place, known))
        });
        let costs = costs.take(self.compared).map(|(place, known)| {
            let one = &self.pattern.relationships[place];
            // Between nodes that are known it only leaves rows out.
            let is_plain = one.length.is_none() && one.search.is_none();
            let is_later = !is_plain || known != (true, true);
            (place, is_later, self.step_of(one, known))
        });
        let mut costs: Vec<(usize, bool, Step)> = costs.collect();
        let cheapest = (0..costs.len()).min_by(|&one, &other| {
            let (one, other) = (&costs[one], &costs[other]);
            let kept = one.2.kept.total_cmp(&other.2.kept);
            one.1.cmp(&other.1).then(kept)
        });
        let Some(cheapest) = cheapest else {
            return false;
        };
        // Of relationships that meet in a node all leave the same rows: the one that finds
        // the fewest nodes is first.
        let meeting = (0..costs.len()).filter(|&one| self.meet(costs[one].0, costs[cheapest].0));
        let fewest = meeting.min_by(|&one, &other| {
            let (one, other) = (&costs[one].2, &costs[other].2);
            one.rows.total_cmp(&other.rows)
        });
        let (place, _, estimate) = costs.swap_remove(fewest.unwrap_or(cheapest));
        let relationship = self.pattern.relationships[place].clone();
        if let Some(start) = self.sooner_by_index(&relationship) {
            self.begin_at(start);
            return true;
        }
        let reversed = !self.is_known(relationship.left);
        let mut step = self.step(&relationship, reversed);
        step.into = self.is_known(relationship.left) && self.is_known(relationship.right);
        let (found, step_is_into) = (step.to, step.into);
        let operator = match (relationship.search, relationship.length) {
            (Some(search), _) => {
                let mut path = search.path;
                path.into = step.into;
                path.unlike = step.unlike;
                Operator::SearchPaths(match reversed {
                    true => path.turned(),
                    false => path,
                })
            }
            (None, None) => Operator::Expand(step),
            (None, Some((least, most))) => {
                let paths = VariableExpand {
                    step,
                    least,
                    most,
                    reversed,
                    properties: relationship.properties.clone(),
                    ends_once: false,
                };
                match relationship.shortest {
                    None => Operator::VariableExpand(paths),
                    Some(all) => Operator::ShortestPath(self.shortest(paths, all)),
                }
            }
        };
        if !step_is_into {
            self.reached.insert(found, estimate.reached);
        }
        self.close(place);
        self.push(operator, estimate.rows);
        true
    }

    /// The other end of a relationship by an index that gives about one, where a node may have
    /// a long list of them: whether it has one between the two is told by the shorter list.
    fn sooner_by_index(&self, one: &RelationshipToFind) -> Option<Start> {
        let from_left = self.is_known(one.left);
        let is_plain = one.length.is_none() && one.search.is_none();
        if !is_plain || from_left == self.is_known(one.right) {
            return None;
        }
        let far = if from_left { one.right } else { one.left };
        let start = self.start(self.pattern.nodes[far].slot);
        let is_lookup = matches!(
            &start.operator,
            Operator::NodeById { .. }
                | Operator::NodeSeek {
                    seek: Seek::Equal(_),
                    ..
                }
        );
        let is_one = is_lookup && start.rows <= 2.0;
        // Of many nodes together the lists are no longer than all relationships.
        let count = relationships_of(self.catalog, &one.types);
        let are_few = self.plan.rows <= 4.0 * count.max(1.0);
        (is_one && are_few && self.crowd(one, from_left) >= LONG).then_some(start)
    }

    /// Whether two plain relationships lead from known nodes to the same unknown one.
    fn meet(&self, one: usize, other: usize) -> bool {
        let found = |place: usize| {
            let one = &self.pattern.relationships[place];
            let is_plain = one.length.is_none() && one.search.is_none();
            match (self.is_known(one.left), self.is_known(one.right)) {
                (true, false) if is_plain => Some(one.right),
                (false, true) if is_plain => Some(one.left),
                _ => None,
            }
        };
        found(one).is_some_and(|node| found(other) == Some(node))
    }

    fn step(&self, one: &RelationshipToFind, reversed: bool) -> Expand {
        let (left, right) = (
            &self.pattern.nodes[one.left],
            &self.pattern.nodes[one.right],
        );
        let (from, to, towards) = match reversed {
            false => (left, right, one.towards),
            true => (right, left, one.towards.reversed()),
        };
        Expand {
            from: from.slot,
            relationship: one.slot,
            to: to.slot,
            into: false,
            towards,
            types: one.types.clone(),
            unlike: match one.shortest.is_some() || one.repeatable {
                true => Vec::new(),
                false => self.others_than(one),
            },
            unread: false,
        }
    }

    /// Those that are found, that could be a relationship and have to differ from it.
    fn others_than(&self, one: &RelationshipToFind) -> Vec<Slot> {
        let found = self.found.iter();
        let found = found.map(|&place| &self.pattern.relationships[place]);
        let differs = |other: &&RelationshipToFind| {
            other.clause == one.clause && share_types(&other.types, &one.types)
        };
        found.filter(differs).map(|other| other.slot).collect()
    }

    /// Notes that a relationship and its ends are found.
    fn close(&mut self, place: usize) {
        self.open.retain(|&other| other != place);
        let one = &self.pattern.relationships[place];
        let ends = [one.left, one.right].map(|end| self.pattern.nodes[end].slot);
        let brought = one.search.iter().flat_map(|search| search.path.brings());
        for slot in ends.into_iter().chain([one.slot]).chain(brought) {
            self.missing.remove(&slot);
        }
        if one.shortest.is_none() && !one.repeatable {
            self.found.push(place);
        }
    }

    /// Begins at the cheapest node or relationship that is not known.
    fn begin(&mut self) -> bool {
        let nodes = self.pattern.nodes.iter().enumerate();
        let costs = nodes
            .filter(|(place, _)| !self.is_known(*place))
            .take(self.compared)
            .map(|(_, node)| self.start(node.slot));
        let costs = costs.chain(self.relationship_starts());
        let Some(start) = costs.min_by(|one, other| one.cost().total_cmp(&other.cost())) else {
            return false;
        };
        self.begin_at(start);
        true
    }

    fn begin_at(&mut self, start: Start) {
        for &place in start.solved.iter().rev() {
            self.predicates.remove(place);
        }
        let rows = self.plan.rows * start.rows;
        self.cost += self.plan.rows * (start.cost() - start.rows);
        match start.found {
            Found::Node(node) => {
                self.missing.remove(&node);
            }
            Found::Relationship(place) => self.find_relationship(place),
        }
        if !self.join(&start, rows) {
            self.push(start.operator, rows);
        }
    }

    fn build_paths(&mut self) {
        let paths = std::mem::take(&mut self.pattern.paths);
        if paths.is_empty() {
            return;
        }
        let items = paths.into_iter().map(|(path, slots)| {
            self.missing.remove(&path);
            (path, Expression::Path(slots))
        });
        let items = items.collect();
        let rows = self.plan.rows;
        self.push(Operator::Extend(items), rows);
    }
}
