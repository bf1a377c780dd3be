//! Paths as nodes and links, and conditions within those that are searched.

use std::sync::Arc;

use evergraph_syntax::tree::{self, Direction, Factor, StatementLabels};

use super::Scope;
use crate::plan::{Slot, Towards, names_of};

/// A path as nodes and what stands between them; a node that is not written is any.
pub(super) struct Chain<'a> {
    /// One more than links.
    pub(super) nodes: Vec<Option<&'a tree::NodePattern>>,
    /// Relationships and parts that repeat.
    pub(super) links: Vec<Link<'a>>,
    /// `WHERE` in parentheses around all of it.
    pub(super) filter: Option<&'a tree::Expression>,
    /// Variables of the path.
    pub(super) names: Vec<&'a tree::Name>,
}

#[derive(Clone, Copy)]
pub(super) enum Link<'a> {
    One(&'a tree::RelationshipPattern),
    Repeat(&'a tree::Group),
}

impl<'a> Chain<'a> {
    pub(super) fn of(path: &'a tree::PathPattern) -> Self {
        let mut names: Vec<&tree::Name> = path.variable.iter().collect();
        let (factors, filter) = match path.factors.as_slice() {
            [Factor::Group(group)] if group.quantifier.is_none() => {
                names.extend(&group.pattern.variable);
                (&group.pattern.factors, group.filter.as_ref())
            }
            _ => (&path.factors, None),
        };
        let (nodes, links) = linked(factors);
        Chain {
            nodes,
            links,
            filter,
            names,
        }
    }
}

pub(super) type Linked<'a> = (Vec<Option<&'a tree::NodePattern>>, Vec<Link<'a>>);

pub(super) fn linked(factors: &[Factor]) -> Linked<'_> {
    let (mut nodes, mut links) = (Vec::new(), Vec::new());
    for factor in factors {
        let link = match factor {
            Factor::Node(node) => {
                nodes.push(Some(node));
                continue;
            }
            Factor::Relationship(one) => Link::One(one),
            Factor::Group(group) => Link::Repeat(group),
        };
        if nodes.len() == links.len() {
            nodes.push(None);
        }
        links.push(link);
    }
    if nodes.len() == links.len() {
        nodes.push(None);
    }
    (nodes, links)
}

/// A condition within a path that is searched.
pub(super) struct Inner<'a> {
    /// The part that repeats in which it stands; none if it is of the whole path.
    pub(super) part: Option<usize>,
    /// Variables of one repetition.
    pub(super) names: Arc<Scope>,
    pub(super) ask: Ask<'a>,
}

pub(super) enum Ask<'a> {
    Labels(Slot, &'a StatementLabels),
    Properties(Slot, &'a tree::Properties),
    Where(&'a tree::Expression),
    Same(Slot, Slot),
}

/// Whether a relationship is found by a search: a path of it with conditions that each
/// step satisfies, or that may have a relationship twice.
pub(super) fn is_search(one: &tree::RelationshipPattern, walks: bool) -> bool {
    let repeats = one.length.is_some() || one.quantifier.is_some();
    let has_names = |types: &StatementLabels| names_of(types).is_some();
    repeats && (walks || one.filter.is_some() || !one.types.as_ref().is_none_or(has_names))
}

pub(super) fn towards(direction: Direction) -> Towards {
    match direction {
        Direction::Right => Towards::Outgoing,
        Direction::Left => Towards::Incoming,
        Direction::Either => Towards::Both,
    }
}
