//! Clauses that write.

use super::pattern::conflict;
use super::types::{Type, Types};
use super::value::Place;
use super::{Checker, already_bound, problem};
use crate::error::Detail::*;
use crate::parse::Parsed;
use crate::tree::{
    Computed, Delete, Direction, Factor, Foreach, Labels, MergeAction, Name, Node, NodePattern,
    PathPattern, Properties, RelationshipPattern, RemoveItem, SetItem, StatementLabels,
};

impl Checker<'_> {
    pub(super) fn create(&mut self, patterns: &[PathPattern]) -> Parsed<()> {
        for pattern in patterns {
            self.written_path(pattern, false)?;
        }
        for pattern in patterns {
            self.written_contents(pattern, false)?;
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, pattern: &PathPattern, actions: &[MergeAction]) -> Parsed<()> {
        self.written_path(pattern, true)?;
        self.written_contents(pattern, true)?;
        for action in actions {
            self.set(&action.items)?;
        }
        Ok(())
    }

    fn written_path(&mut self, pattern: &PathPattern, is_merge: bool) -> Parsed<()> {
        let is_single = pattern.factors.len() == 1;
        for factor in &pattern.factors {
            match factor {
                Factor::Node(node) => self.written_node(node, is_single)?,
                Factor::Relationship(part) => self.written_relationship(part, is_merge)?,
                Factor::Group(group) => {
                    let what = "a part of a path that is written does not repeat";
                    let hint = "write each relationship, or use FOREACH";
                    return Err(problem(UnexpectedSyntax, group.at, what, hint));
                }
            }
        }
        if let Some(variable) = &pattern.variable {
            self.need_unbound(variable)?;
            self.bind(&variable.text, Type::Path);
        }
        Ok(())
    }

    fn written_node(&mut self, node: &NodePattern, is_single: bool) -> Parsed<()> {
        if let Some(labels) = &node.labels {
            self.need_names(labels, node.at)?;
        }
        if let Some(filter) = &node.filter {
            return Err(no_condition(filter.at));
        }
        let Some(variable) = &node.variable else {
            return Ok(());
        };
        let says_more = node.labels.is_some() || node.properties.is_some();
        match self.find(&variable.text) {
            None => {
                self.bind(&variable.text, Type::Node);
                Ok(())
            }
            Some(_) if is_single || says_more => Err(already_bound(variable)),
            Some(Type::Node | Type::Any) => Ok(()),
            Some(other) => Err(conflict(variable, other, "node")),
        }
    }

    fn written_relationship(&mut self, part: &RelationshipPattern, is_merge: bool) -> Parsed<()> {
        if let Some(variable) = &part.variable {
            self.need_unbound(variable)?;
            self.bind(&variable.text, Type::Relationship);
        }
        if part.length.is_some() || part.quantifier.is_some() {
            let what = "a relationship that is written has no length";
            let hint = "write each relationship, or use FOREACH";
            return Err(problem(CreatingVarLength, part.at, what, hint));
        }
        let has_one = matches!(
            part.types,
            Some(Labels::Name(_) | Labels::Computed(Computed { any: false, .. }))
        );
        if !has_one {
            let what = "a relationship that is written has one type";
            let hint = "such as -[:KNOWS]->";
            return Err(problem(NoSingleRelationshipType, part.at, what, hint));
        }
        if part.direction == Direction::Either && !is_merge {
            let what = "a relationship that is created has a direction";
            let hint = "such as -[:KNOWS]->";
            return Err(problem(RequiresDirectedRelationship, part.at, what, hint));
        }
        if let Some(filter) = &part.filter {
            return Err(no_condition(filter.at));
        }
        Ok(())
    }

    fn written_contents(&mut self, pattern: &PathPattern, is_merge: bool) -> Parsed<()> {
        for factor in &pattern.factors {
            let (labels, properties) = match factor {
                Factor::Node(node) => (node.labels.as_ref(), node.properties.as_ref()),
                Factor::Relationship(part) => (part.types.as_ref(), part.properties.as_ref()),
                Factor::Group(_) => (None, None),
            };
            self.computed(labels)?;
            match properties {
                None => {}
                Some(Properties::Map(map)) => self.entries(map)?,
                Some(Properties::Parameter(name)) if is_merge => {
                    let what = "a parameter stands for all properties of a pattern of MERGE";
                    let hint = format!("name each, such as {{id: ${}.id}}", name.text);
                    return Err(problem(InvalidParameterUse, name.at, what, hint));
                }
                Some(Properties::Parameter(_)) => {}
            }
        }
        Ok(())
    }

    pub(super) fn set(&mut self, items: &[SetItem]) -> Parsed<()> {
        let place = Place::without_aggregation("SET");
        for item in items {
            let value = match item {
                SetItem::Property(property, value) => {
                    self.value(property, place)?;
                    value
                }
                SetItem::Replace(name, value) | SetItem::Update(name, value) => {
                    let of = self.need_variable(&name.text, name.at)?.clone();
                    self.need_types(&of, Types::ENTITY, name.at)?;
                    value
                }
                SetItem::Labels(name, labels) => {
                    self.written_labels(name, labels)?;
                    continue;
                }
            };
            self.value(value, place)?;
        }
        Ok(())
    }

    fn written_labels(&mut self, name: &Name, labels: &StatementLabels) -> Parsed<()> {
        let of = self.need_variable(&name.text, name.at)?.clone();
        self.need_types(&of, Types::NODE, name.at)?;
        self.need_names(labels, name.at)?;
        self.computed(Some(labels))
    }

    pub(super) fn remove(&mut self, items: &[RemoveItem]) -> Parsed<()> {
        for item in items {
            match item {
                RemoveItem::Property(property) => {
                    self.value(property, Place::without_aggregation("REMOVE"))?;
                }
                RemoveItem::Labels(name, labels) => self.written_labels(name, labels)?,
            }
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, delete: &Delete) -> Parsed<()> {
        for item in &delete.items {
            if let Node::Labelled(of, _) = &item.node {
                let what = "DELETE takes nodes, relationships and paths, and no labels";
                let hint = format!(
                    "write MATCH ({item}) DETACH DELETE {of} for nodes; REMOVE takes labels"
                );
                return Err(problem(InvalidDelete, item.at, what, hint));
            }
            let of = self.value(item, Place::without_aggregation("DELETE"))?;
            self.need_types(&of, Types::ENTITY.or(Types::PATH), item.at)?;
        }
        Ok(())
    }

    pub(super) fn foreach(&mut self, part: &Foreach) -> Parsed<()> {
        let of = self.value(&part.list, Place::without_aggregation("FOREACH"))?;
        self.need_types(&of, Types::LIST, part.list.at)?;
        let element = match of {
            Type::List(element) => *element,
            _ => Type::Any,
        };
        self.within([(part.variable.text.clone(), element)], |checker| {
            for clause in &part.updates {
                checker.update(clause)?;
            }
            Ok(())
        })
    }
}

fn no_condition(at: crate::tree::Span) -> crate::error::Problem {
    let what = "a pattern that is written has a condition";
    let hint = "search with MATCH ... WHERE before it";
    problem(UnexpectedSyntax, at, what, hint)
}
