//! Patterns: what they bind, and what they demand of what is bound.

use std::collections::BTreeSet;

use super::types::Type;
use super::value::Place;
use super::{Checker, already_bound, problem};
use crate::error::{Detail, Problem};
use crate::parse::Parsed;
use crate::tree::{
    Expression, Factor, Group, Map, Name, NodePattern, PathPattern, Properties,
    RelationshipPattern, Selector,
};

/// Variables that patterns of one clause bind.
#[derive(Default)]
struct Bound {
    relationships: BTreeSet<String>,
}

impl Checker<'_> {
    /// Binds the variables of patterns that are searched, and then checks what stands in
    /// them, which may use all of these.
    pub(super) fn match_patterns(&mut self, patterns: &[PathPattern]) -> Parsed<()> {
        let mut bound = Bound::default();
        for pattern in patterns {
            self.bind_path(pattern, &mut bound)?;
        }
        for pattern in patterns {
            self.contents(pattern)?;
        }
        Ok(())
    }

    fn bind_path(&mut self, pattern: &PathPattern, bound: &mut Bound) -> Parsed<()> {
        for factor in &pattern.factors {
            match factor {
                Factor::Node(node) => self.bind_node(node)?,
                Factor::Relationship(part) => self.bind_relationship(part, bound)?,
                Factor::Group(group) => self.bind_group(group, bound)?,
            }
        }
        if let Some(variable) = &pattern.variable {
            self.need_unbound(variable)?;
            self.bind(&variable.text, Type::Path);
        }
        Ok(())
    }

    fn bind_node(&mut self, node: &NodePattern) -> Parsed<()> {
        let Some(variable) = &node.variable else {
            return Ok(());
        };
        match self.find(&variable.text) {
            Some(Type::Node) => Ok(()),
            None | Some(Type::Any) => {
                self.bind(&variable.text, Type::Node);
                Ok(())
            }
            Some(other) => Err(conflict(variable, other, "node")),
        }
    }

    fn bind_relationship(&mut self, part: &RelationshipPattern, bound: &mut Bound) -> Parsed<()> {
        let Some(variable) = &part.variable else {
            return Ok(());
        };
        if !bound.relationships.insert(variable.text.clone()) {
            let what = format!("the relationship {} stands twice", variable.text);
            let hint = "relationships of one MATCH differ; give one another name";
            let detail = Detail::RelationshipUniquenessViolation;
            return Err(problem(detail, variable.at, what, hint));
        }
        let is_list = part.length.is_some() || part.quantifier.is_some();
        match (self.find(&variable.text), is_list) {
            (Some(Type::Relationship), false) => return Ok(()),
            (None | Some(Type::Any), _) => {}
            (Some(Type::List(element)), true)
                if matches!(**element, Type::Any | Type::Relationship) => {}
            (Some(other), _) => return Err(conflict(variable, other, "relationship")),
        }
        let of = match is_list {
            true => Type::List(Box::new(Type::Relationship)),
            false => Type::Relationship,
        };
        self.bind(&variable.text, of);
        Ok(())
    }

    /// Variables of what repeats are lists outside.
    fn bind_group(&mut self, group: &Group, bound: &mut Bound) -> Parsed<()> {
        if group.quantifier.is_none() {
            return self.bind_path(&group.pattern, bound);
        }
        let inside = self.within([], |checker| {
            checker.bind_path(&group.pattern, bound)?;
            Ok(checker.own_variables().clone())
        })?;
        for (name, of) in inside {
            if self.find(&name).is_some() {
                let at = group.at;
                let name = Name { text: name, at };
                return Err(already_bound(&name));
            }
            self.bind(&name, Type::List(Box::new(of)));
        }
        Ok(())
    }

    /// Properties and conditions of a pattern that is searched.
    fn contents(&mut self, pattern: &PathPattern) -> Parsed<()> {
        for factor in &pattern.factors {
            match factor {
                Factor::Node(node) => {
                    self.searched(node.properties.as_ref(), node.filter.as_ref())?;
                }
                Factor::Relationship(part) => {
                    let variable = part.variable.as_ref();
                    let variable = variable.filter(|_| part.quantifier.is_some());
                    let one = variable.map(|name| (name.text.clone(), Type::Relationship));
                    self.within(one, |checker| {
                        checker.searched(part.properties.as_ref(), part.filter.as_ref())
                    })?;
                }
                Factor::Group(group) => self.within([], |checker| {
                    if group.quantifier.is_some() {
                        checker.shadow(&group.pattern);
                    }
                    checker.contents(&group.pattern)?;
                    checker.filter(group.filter.as_ref())
                })?,
            }
        }
        Ok(())
    }

    /// Within what repeats, its variables are single.
    fn shadow(&mut self, pattern: &PathPattern) {
        for factor in &pattern.factors {
            match factor {
                Factor::Node(node) => {
                    if let Some(variable) = &node.variable {
                        self.bind(&variable.text, Type::Node);
                    }
                }
                Factor::Relationship(part) => {
                    if let Some(variable) = &part.variable {
                        self.bind(&variable.text, Type::Relationship);
                    }
                }
                Factor::Group(group) => self.shadow(&group.pattern),
            }
        }
    }

    fn searched(
        &mut self,
        properties: Option<&Properties>,
        filter: Option<&Expression>,
    ) -> Parsed<()> {
        match properties {
            None => {}
            Some(Properties::Map(map)) => self.entries(map)?,
            Some(Properties::Parameter(name)) => {
                let what = "a parameter stands for all properties of a pattern that is searched";
                let hint = format!("name each, such as {{id: ${}.id}}", name.text);
                return Err(problem(Detail::InvalidParameterUse, name.at, what, hint));
            }
        }
        self.filter(filter)
    }

    pub(super) fn entries(&mut self, map: &Map) -> Parsed<()> {
        for (_, value) in &map.entries {
            self.value(value, Place::without_aggregation("a pattern"))?;
        }
        Ok(())
    }

    /// A pattern as a value: a condition, or a shortest path.
    pub(super) fn pattern_value(&mut self, pattern: &PathPattern, place: Place) -> Parsed<Type> {
        let is_path = matches!(
            pattern.selector,
            Selector::ShortestPath | Selector::AllShortestPaths
        );
        if is_path {
            self.within([], |checker| {
                checker.match_patterns(std::slice::from_ref(pattern))
            })?;
            return Ok(match pattern.selector {
                Selector::ShortestPath => Type::Path,
                _ => Type::List(Box::new(Type::Path)),
            });
        }
        if !place.takes_paths {
            let what = "a path is no value";
            let hint = "write EXISTS { ... } or COUNT { ... } around it, or [p = ... | p] for a list of paths";
            return Err(problem(Detail::UnexpectedSyntax, pattern.at, what, hint));
        }
        for factor in &pattern.factors {
            let variable = match factor {
                Factor::Node(node) => &node.variable,
                Factor::Relationship(part) => &part.variable,
                Factor::Group(_) => &None,
            };
            if let Some(variable) = variable {
                self.need_variable(&variable.text, variable.at)?;
            }
        }
        self.within([], |checker| {
            checker.match_patterns(std::slice::from_ref(pattern))
        })?;
        Ok(Type::Boolean)
    }
}

pub(super) fn conflict(variable: &Name, found: &Type, wanted: &str) -> Problem {
    let what = format!("{} is a {found}, and no {wanted}", variable.text);
    problem(
        Detail::VariableTypeConflict,
        variable.at,
        what,
        "choose another name",
    )
}
