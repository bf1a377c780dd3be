//! Patterns as graphs of what is to be found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_syntax::tree::{
    self, DataType, Labels, PathMode, Selector, StatementLabels, Types, Typing,
};

use super::chain::{Chain, Inner, Link, is_search, towards};
use super::expression::conjuncts;
use super::hint::Hinted;
use super::path::times;
use super::{Lowering, Scope, text};
use crate::plan::{Expression, PathSearch, Plan, Slot, Towards, names_of};
use crate::{PlanError, order};

/// Nodes and relationships to be found together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// Nodes.
    pub nodes: Vec<NodeToFind>,
    /// Relationships between them, all different.
    pub relationships: Vec<RelationshipToFind>,
    /// Conditions that they satisfy.
    pub predicates: Vec<Predicate>,
    /// Paths, of the slots of nodes and relationships in turn.
    pub paths: Vec<(Slot, Vec<Slot>)>,
    /// How some of them are to be found.
    pub hints: Vec<Hinted>,
}

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeToFind {
    /// Its slot.
    pub slot: Slot,
    /// Whether it is known.
    pub bound: bool,
}

/// A relationship of a pattern, or a path of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipToFind {
    /// Its slot.
    pub slot: Slot,
    /// Whether it is known.
    pub bound: bool,
    /// The node left of it in the text, by place in [`Pattern::nodes`].
    pub left: usize,
    /// The node right of it.
    pub right: usize,
    /// Direction from left to right.
    pub towards: Towards,
    /// Its types; all if none is named.
    pub types: Vec<Arc<str>>,
    /// Least and greatest length of a path.
    pub length: Option<(u64, Option<u64>)>,
    /// Properties of each relationship of a path.
    pub properties: Vec<(Arc<str>, Expression)>,
    /// Whether all of the shortest paths are found, or one.
    pub shortest: Option<bool>,
    /// How it is searched, if not step by step.
    pub search: Option<Box<SearchToFind>>,
    /// Whether others may be the same.
    pub repeatable: bool,
    /// Number of its clause: relationships of another may be the same.
    pub clause: usize,
}

/// A path that is searched whole.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchToFind {
    /// From left to right.
    pub path: PathSearch,
    /// Slots that its conditions need.
    pub needs: Vec<Slot>,
}

/// A condition, and the slots that decide it.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// The condition.
    pub condition: Expression,
    /// Slots that it uses.
    pub slots: Vec<Slot>,
}

/// What one clause finds.
pub(super) struct Found<'a> {
    pub(super) patterns: &'a [tree::PathPattern],
    /// `WHERE`
    pub(super) filter: Option<&'a tree::Expression>,
    /// Whether a relationship may be found twice.
    pub(super) repeatable: bool,
    /// `USING`
    pub(super) hints: &'a [tree::Hint],
}

/// Nodes and relationships of one pattern: the time to order them grows with their square,
/// and so does what its rows may hold.
const MOST_PARTS: usize = 2_000;

impl Pattern {
    /// Null matches no node, and what is no node is an error. No relationship is found from
    /// either; what is known, and stands alone in the pattern, has to be looked at. `nodes`
    /// are nodes or null.
    fn refuse_others(&mut self, nodes: &BTreeSet<Slot>) {
        let ends = self
            .relationships
            .iter()
            .flat_map(|one| [one.left, one.right]);
        let ends: BTreeSet<usize> = ends.collect();
        let alone = self.nodes.iter().enumerate();
        let alone = alone.filter(|(place, node)| node.bound && !ends.contains(place));
        self.predicates.extend(alone.map(|(_, node)| {
            let slot = Expression::Slot(node.slot);
            let of_type = DataType::of(Types::NODE, false);
            let node_or_null = match nodes.contains(&node.slot) {
                true => slot,
                false => Expression::Typed(Typing::Cast, Box::new(slot), of_type),
            };
            Predicate {
                condition: Expression::IsNotNull(Box::new(node_or_null)),
                slots: vec![node.slot],
            }
        }));
    }

    /// Refuses a pattern that is too large.
    fn check_size(&self, at: tree::Span) -> Result<(), PlanError> {
        if self.nodes.len() + self.relationships.len() <= MOST_PARTS {
            return Ok(());
        }
        let message = format!(
            "a pattern has at most {MOST_PARTS} nodes and relationships; divide it, with WITH \
             between the parts"
        );
        Err(PlanError::syntax("LimitExceeded", at, message))
    }
}

/// A pattern that is being lowered.
pub(super) struct Finding<'a> {
    pub(super) pattern: Pattern,
    /// Variables of before.
    pub(super) before: &'a Scope,
    /// Places of nodes with variables.
    pub(super) nodes: BTreeMap<String, usize>,
    /// Nodes within paths that are found whole.
    pub(super) inner: BTreeSet<String>,
    /// Number of the clause.
    pub(super) clause: usize,
    /// Whether a relationship may be found twice.
    pub(super) repeatable: bool,
    /// Conditions of the text, with the slots of what has them.
    pub(super) conditions: Vec<Condition<'a>>,
}

impl<'a> Finding<'a> {
    /// Adds the conditions of a `WHERE`.
    fn filter(&mut self, filter: Option<&'a tree::Expression>) {
        let filters = filter.into_iter().flat_map(conjuncts);
        self.conditions.extend(filters.map(Condition::Where));
    }
}

pub(super) enum Condition<'a> {
    Properties(Slot, &'a tree::Properties),
    PathProperties(usize, &'a tree::Properties),
    Labels(Slot, &'a StatementLabels),
    Where(&'a tree::Expression),
    /// A list that a path's relationships are.
    Same(Slot, Slot),
    /// Within a path that is searched.
    Within(usize, Inner<'a>),
}

impl Lowering<'_> {
    /// Rows of the matches of patterns for each row of a plan; their variables come into
    /// the scope.
    pub(super) fn match_patterns(
        &mut self,
        patterns: &[tree::PathPattern],
        filter: Option<&tree::Expression>,
        input: Plan,
        scope: &mut Scope,
    ) -> Result<Plan, PlanError> {
        let found = Found {
            patterns,
            filter,
            repeatable: false,
            hints: &[],
        };
        self.found_clauses(&[found], input, scope)
    }

    /// Rows of the matches of clauses for each row of a plan: they are found in one order,
    /// in which a clause may come before those above it.
    pub(super) fn found_clauses(
        &mut self,
        clauses: &[Found<'_>],
        input: Plan,
        scope: &mut Scope,
    ) -> Result<Plan, PlanError> {
        let before = scope.clone();
        let mut finding = Finding {
            pattern: Pattern::default(),
            before: &before,
            nodes: BTreeMap::new(),
            inner: BTreeSet::new(),
            clause: 0,
            repeatable: false,
            conditions: Vec::new(),
        };
        for (number, clause) in clauses.iter().enumerate() {
            (finding.clause, finding.repeatable) = (number, clause.repeatable);
            for pattern in clause.patterns {
                self.path(pattern, &mut finding, scope)?;
                finding.pattern.check_size(pattern.at)?;
            }
            finding.filter(clause.filter);
            // They see no variable of the clauses below.
            for condition in std::mem::take(&mut finding.conditions) {
                self.condition(condition, &mut finding.pattern, (&before, scope))?;
            }
            self.add_hints(clause.hints, &mut finding.pattern, scope);
        }
        finding.pattern.refuse_others(&self.nodes);
        let catalog = self.catalog;
        let hints = finding.pattern.hints.clone();
        let plan = order::find(finding.pattern, input, catalog);
        self.note_idle(&hints, &plan);
        Ok(plan)
    }

    fn path<'a>(
        &mut self,
        path: &'a tree::PathPattern,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<(), PlanError> {
        let chain = Chain::of(path);
        let slots = match self.choice(path, &chain, finding.repeatable)? {
            Some(choice) => self.whole_path(path, &chain, choice, finding, scope)?,
            None => self.linked_path(path, &chain, finding, scope)?,
        };
        for variable in chain.names {
            let slot = self.bind(&variable.text, scope);
            finding.pattern.paths.push((slot, slots.clone()));
        }
        Ok(())
    }

    /// A path whose links are found one by one.
    fn linked_path<'a>(
        &mut self,
        path: &'a tree::PathPattern,
        chain: &Chain<'a>,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<Vec<Slot>, PlanError> {
        let shortest = match &path.selector {
            Selector::ShortestPath => Some(false),
            Selector::AllShortestPaths => Some(true),
            _ => None,
        };
        let walks = path.mode == PathMode::Walk;
        let repeatable = std::mem::replace(&mut finding.repeatable, walks);
        let mut left = self.node(chain.nodes[0], finding, scope)?;
        let mut slots = vec![finding.pattern.nodes[left].slot];
        for (link, &node) in chain.links.iter().zip(&chain.nodes[1..]) {
            let ends = (left, self.node(node, finding, scope)?);
            left = ends.1;
            let slot = match link {
                Link::One(one) if !is_search(one, walks && shortest.is_none()) => {
                    self.relationship(one, ends, shortest, finding, scope)?
                }
                link => self.searched_link(link, ends, walks, finding, scope)?,
            };
            slots.extend([slot, finding.pattern.nodes[ends.1].slot]);
        }
        finding.repeatable = repeatable;
        finding.filter(chain.filter);
        Ok(slots)
    }

    /// The place of a node; without a pattern, of any.
    pub(super) fn node<'a>(
        &mut self,
        node: Option<&'a tree::NodePattern>,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<usize, PlanError> {
        let variable = node.and_then(|node| node.variable.as_ref());
        let place = self.node_place(variable, finding, scope)?;
        let Some(node) = node else {
            return Ok(place);
        };
        let slot = finding.pattern.nodes[place].slot;
        if let Some(labels) = &node.labels {
            let parts = match labels {
                Labels::And(parts) => &parts[..],
                other => std::slice::from_ref(other),
            };
            let parts = parts.iter().map(|part| Condition::Labels(slot, part));
            finding.conditions.extend(parts);
        }
        if let Some(properties) = &node.properties {
            let condition = Condition::Properties(slot, properties);
            finding.conditions.push(condition);
        }
        finding.filter(node.filter.as_ref());
        Ok(place)
    }

    fn node_place(
        &mut self,
        variable: Option<&tree::Name>,
        finding: &mut Finding<'_>,
        scope: &mut Scope,
    ) -> Result<usize, PlanError> {
        let place = finding.pattern.nodes.len();
        let Some(variable) = variable else {
            let slot = self.unnamed();
            finding
                .pattern
                .nodes
                .push(NodeToFind { slot, bound: false });
            return Ok(place);
        };
        if let Some(&place) = finding.nodes.get(&variable.text) {
            return Ok(place);
        }
        finding.need_outside(variable)?;
        let bound = finding.before.get(&variable.text).copied();
        let slot = bound.unwrap_or_else(|| self.slot(&variable.text));
        self.used.push(slot);
        scope.insert(variable.text.clone(), slot);
        finding.nodes.insert(variable.text.clone(), place);
        let bound = bound.is_some();
        if !bound {
            self.nodes.insert(slot);
        }
        finding.pattern.nodes.push(NodeToFind { slot, bound });
        Ok(place)
    }

    fn relationship<'a>(
        &mut self,
        from: &'a tree::RelationshipPattern,
        (left, right): (usize, usize),
        shortest: Option<bool>,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<Slot, PlanError> {
        let length = times(from).or(shortest.map(|_| (1, Some(1))));
        let bound = from
            .variable
            .as_ref()
            .and_then(|variable| finding.before.get(&variable.text).copied());
        let slot = match (&from.variable, bound, length) {
            (Some(_), Some(slot), None) => slot,
            (Some(variable), None, _) => self.bind(&variable.text, scope),
            _ => self.unnamed(),
        };
        if let (Some(bound), true) = (bound, length.is_some()) {
            finding.conditions.push(Condition::Same(slot, bound));
        }
        self.used.push(bound.unwrap_or(slot));
        let types = from.types.as_ref().map(names_of);
        if let (Some(labels), Some(None)) = (&from.types, &types) {
            finding.conditions.push(Condition::Labels(slot, labels));
        }
        let place = finding.pattern.relationships.len();
        if let Some(properties) = &from.properties {
            finding.conditions.push(match length {
                Some(_) => Condition::PathProperties(place, properties),
                None => Condition::Properties(slot, properties),
            });
        }
        finding.filter(from.filter.as_ref());
        finding.pattern.relationships.push(RelationshipToFind {
            slot,
            bound: bound.is_some() && length.is_none(),
            left,
            right,
            towards: towards(from.direction),
            types: types.flatten().unwrap_or_default(),
            length,
            properties: Vec::new(),
            shortest,
            search: None,
            repeatable: finding.repeatable,
            clause: finding.clause,
        });
        Ok(slot)
    }

    fn condition(
        &mut self,
        condition: Condition<'_>,
        pattern: &mut Pattern,
        (before, scope): (&Scope, &Scope),
    ) -> Result<(), PlanError> {
        match condition {
            Condition::Properties(slot, properties) => {
                for (key, value) in self.properties_of(properties)? {
                    let (value, mut slots) = self.traced(|own| own.expression(value, scope))?;
                    slots.push(slot);
                    let condition = Expression::equal(Expression::property(slot, &key), value);
                    pattern.predicates.push(Predicate { condition, slots });
                }
            }
            Condition::PathProperties(place, properties) => {
                for (key, value) in self.properties_of(properties)? {
                    let value = self.expression(value, scope)?;
                    pattern.relationships[place].properties.push((key, value));
                }
            }
            Condition::Labels(slot, labels) => {
                let of = Expression::Slot(slot);
                let (condition, mut slots) = self.traced(|own| own.labelled(of, labels, scope))?;
                slots.push(slot);
                pattern.predicates.push(Predicate { condition, slots });
            }
            Condition::Where(filter) => {
                let (condition, slots) = self.traced(|own| own.expression(filter, scope))?;
                let parts = comparisons(condition).into_iter();
                pattern.predicates.extend(parts.map(|condition| {
                    let slots = slots.iter().copied();
                    let slots = slots
                        .filter(|&slot| order::mentions(&condition, slot))
                        .collect();
                    Predicate { condition, slots }
                }));
            }
            Condition::Same(found, list) => pattern.predicates.push(Predicate {
                condition: Expression::equal(Expression::Slot(found), Expression::Slot(list)),
                slots: vec![found, list],
            }),
            Condition::Within(place, inner) => {
                self.inner_condition(place, inner, pattern, before, scope)?;
            }
        }
        Ok(())
    }

    pub(super) fn properties_of<'a>(
        &mut self,
        properties: &'a tree::Properties,
    ) -> Result<Vec<(Arc<str>, &'a tree::Expression)>, PlanError> {
        match properties {
            tree::Properties::Map(map) => {
                let entries = map.entries.iter();
                Ok(entries.map(|(key, value)| (text(key), value)).collect())
            }
            tree::Properties::Parameter(name) => {
                let message = "properties of a pattern to be found are written out: {key: $value}";
                Err(PlanError::syntax("InvalidParameterUse", name.at, message))
            }
        }
    }
}

/// The comparisons of `a < b < c`, each of its own, unless what stands in the middle is
/// another value each time or costs much.
fn comparisons(condition: Expression) -> Vec<Expression> {
    let is_plain = |one: &Expression| !one.has_subquery() && !order::mentions(one, Slot::MAX);
    match condition {
        Expression::Comparison(first, others)
            if others.len() > 1 && others.iter().all(|(_, one)| is_plain(one)) =>
        {
            let mut left = *first;
            let mut parts = Vec::with_capacity(others.len());
            for (comparison, right) in others {
                let pair = vec![(comparison, right.clone())];
                parts.push(Expression::Comparison(Box::new(left), pair));
                left = right;
            }
            parts
        }
        condition => vec![condition],
    }
}

/// Whether a condition is one on labels, and which.
pub(crate) fn as_label(condition: &Expression) -> Option<(Slot, &Labels)> {
    match condition {
        Expression::Labelled(of, labels) => match **of {
            Expression::Slot(slot) => Some((slot, labels)),
            _ => None,
        },
        _ => None,
    }
}
