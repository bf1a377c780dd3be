//! Patterns: what they bind, and what they demand of what is bound.

use std::collections::BTreeSet;

use super::types::Type;
use super::value::Place;
use super::{Checker, Named, problem};
use crate::error::Detail::*;
use crate::error::{Problem, with_article};
use crate::parse::Parsed;
use crate::tree::{
    Expression, Factor, Group, Map, Name, NodePattern, PathMode, PathPattern, Properties,
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
            shape(pattern)?;
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
            return Err(problem(
                RelationshipUniquenessViolation,
                variable.at,
                what,
                hint,
            ));
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

    /// Variables of what repeats are lists outside, and nothing else there.
    fn bind_group(&mut self, group: &Group, bound: &mut Bound) -> Parsed<()> {
        if group.quantifier.is_none() {
            return self.bind_path(&group.pattern, bound);
        }
        for variable in variables(&group.pattern) {
            self.need_unbound(variable)?;
        }
        let inside = self.within([], |checker| {
            checker.bind_path(&group.pattern, bound)?;
            Ok(checker.own_variables().clone())
        })?;
        for (name, of) in inside {
            self.bind(&name, Type::List(Box::new(of)));
        }
        Ok(())
    }

    /// Properties and conditions of a pattern that is searched.
    fn contents(&mut self, pattern: &PathPattern) -> Parsed<()> {
        for factor in &pattern.factors {
            match factor {
                Factor::Node(node) => {
                    self.search(Named::Label, node.labels.as_ref());
                    self.computed(node.labels.as_ref())?;
                    self.searched(node.properties.as_ref(), node.filter.as_ref())?;
                }
                Factor::Relationship(part) => {
                    need_written_length(part)?;
                    self.search(Named::Type, part.types.as_ref());
                    let variable = part.variable.as_ref();
                    let repeats = part.quantifier.is_some() || part.length.is_some();
                    let variable = variable.filter(|_| repeats);
                    let one = variable.map(|name| (name.text.clone(), Type::Relationship));
                    self.within(one, |checker| {
                        checker.computed(part.types.as_ref())?;
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
            let of = match factor {
                Factor::Node(_) => Type::Node,
                Factor::Relationship(_) => Type::Relationship,
                Factor::Group(group) => {
                    self.shadow(&group.pattern);
                    continue;
                }
            };
            if let Some(variable) = factor.variable() {
                self.bind(&variable.text, of);
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
            Some(Properties::Map(map)) => {
                let keys = map.entries.iter().map(|(key, _)| key.clone());
                self.searched.extend(keys.map(|key| (Named::Key, key)));
                self.entries(map)?;
            }
            Some(Properties::Parameter(name)) => {
                let what = "a parameter stands for all properties of a pattern that is searched";
                let hint = format!("name each, such as {{id: ${}.id}}", name.text);
                return Err(problem(InvalidParameterUse, name.at, what, hint));
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
            self.need_bound_ends(pattern)?;
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
            return Err(problem(UnexpectedSyntax, pattern.at, what, hint));
        }
        for factor in &pattern.factors {
            if let Some(variable) = factor.variable() {
                self.need_variable(&variable.text, variable.at)?;
            }
        }
        self.within([], |checker| {
            checker.match_patterns(std::slice::from_ref(pattern))
        })?;
        Ok(Type::Boolean)
    }

    /// Refuses a shortest path as a value between nodes that are not found yet: a name that
    /// is mistyped would be any node.
    fn need_bound_ends(&mut self, pattern: &PathPattern) -> Parsed<()> {
        for factor in &pattern.factors {
            let Factor::Node(node) = factor else {
                continue;
            };
            let Some(variable) = &node.variable else {
                let what = "an end of a shortest path has no name";
                let hint =
                    "name two nodes that were found before, or find the path by MATCH p = ...";
                return Err(problem(UnexpectedSyntax, pattern.at, what, hint));
            };
            self.need_variable(&variable.text, variable.at)?;
        }
        Ok(())
    }
}

/// Variables of a path's nodes and relationships.
fn variables(pattern: &PathPattern) -> Vec<&Name> {
    let factors = pattern.factors.iter();
    let of_factors = factors.flat_map(|factor| match factor {
        Factor::Group(group) => variables(&group.pattern),
        other => other.variable().into_iter().collect(),
    });
    of_factors.collect()
}

/// Refuses parts that stand where they have no meaning.
fn shape(pattern: &PathPattern) -> Parsed<()> {
    if pattern.mode == PathMode::Walk {
        need_bounds(pattern)?;
    }
    for factor in &pattern.factors {
        let group = match factor {
            Factor::Group(group) => group,
            Factor::Relationship(part) if part.length.is_some() && part.quantifier.is_some() => {
                let what = "a relationship has both a length and a quantifier";
                let hint = "write one of them, such as -[:KNOWS]->{1,3}";
                return Err(problem(UnexpectedSyntax, part.at, what, hint));
            }
            _ => continue,
        };
        let (what, hint) = match &group.quantifier {
            None if pattern.factors.len() > 1 => (
                "a path in parentheses stands beside other parts of a path",
                "say how often it repeats, such as {1}, or leave the parentheses out",
            ),
            Some(_) if group.pattern.variable.is_some() => (
                "a path that repeats has a name",
                "name the whole path, or the nodes and relationships, which are lists then",
            ),
            Some(_) if !has_relationship(&group.pattern) => (
                "a path that repeats has no relationship",
                "write one, such as ((a)-->(b)){1,3}",
            ),
            quantifier => match inner_problem(&group.pattern, quantifier.is_some()) {
                None => continue,
                Some(found) => found,
            },
        };
        return Err(problem(UnexpectedSyntax, group.at, what, hint));
    }
    Ok(())
}

fn has_relationship(pattern: &PathPattern) -> bool {
    let mut factors = pattern.factors.iter();
    factors.any(|factor| !matches!(factor, Factor::Node(_)))
}

/// A part that must not stand in parentheses within a path, and what to do.
fn inner_problem(pattern: &PathPattern, repeats: bool) -> Option<(&'static str, &'static str)> {
    if pattern.selector != Selector::All || pattern.mode != PathMode::Trail {
        return Some((
            "a part of a path has a selector or a mode",
            "write it before the whole path",
        ));
    }
    for factor in &pattern.factors {
        match factor {
            Factor::Relationship(part)
                if repeats && (part.length.is_some() || part.quantifier.is_some()) =>
            {
                return Some((
                    "a path that repeats has a part that repeats",
                    "repeat one of them only",
                ));
            }
            Factor::Group(_) if repeats => {
                return Some((
                    "a path that repeats has a part in parentheses",
                    "leave the inner parentheses out",
                ));
            }
            Factor::Group(group) if group.quantifier.is_none() => {
                return Some((
                    "a path in parentheses stands in parentheses",
                    "leave one of them out",
                ));
            }
            Factor::Group(group) => {
                if let Some(found) = inner_problem(&group.pattern, true) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Refuses what may go on for ever where relationships repeat.
fn need_bounds(pattern: &PathPattern) -> Parsed<()> {
    for factor in &pattern.factors {
        let (is_open, at) = match factor {
            Factor::Node(_) => continue,
            Factor::Relationship(part) => {
                let length = part.length.as_ref().map(|length| length.most);
                let repeats = part.quantifier.as_ref().map(|quantifier| quantifier.most);
                (length.or(repeats) == Some(None), part.at)
            }
            Factor::Group(group) => {
                need_bounds(&group.pattern)?;
                let most = group.quantifier.as_ref().map(|quantifier| quantifier.most);
                (most == Some(None), group.at)
            }
        };
        if is_open {
            let what = "a path whose relationships may repeat has no greatest length";
            let hint = "give one, such as {1,5}, or leave WALK or REPEATABLE ELEMENTS out";
            return Err(problem(UnexpectedSyntax, at, what, hint));
        }
    }
    Ok(())
}

/// Refuses `[*$n]` and `[*1..$n]`, which are read as an open length and a parameter.
fn need_written_length(part: &RelationshipPattern) -> Parsed<()> {
    let is_open = part
        .length
        .as_ref()
        .is_some_and(|length| length.most.is_none());
    match &part.properties {
        Some(Properties::Parameter(name)) if is_open => {
            let what = "the length of a path is a parameter";
            let hint = "write the numbers, such as *1..3: the plan depends on them";
            Err(problem(InvalidParameterUse, name.at, what, hint))
        }
        _ => Ok(()),
    }
}

pub(super) fn conflict(variable: &Name, found: &Type, wanted: &str) -> Problem {
    let what = format!(
        "{} is {}, and no {wanted}",
        variable.text,
        with_article(found)
    );
    problem(
        VariableTypeConflict,
        variable.at,
        what,
        "choose another name",
    )
}
