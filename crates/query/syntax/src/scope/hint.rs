//! Hints: a clause has to say of a variable what its hint says.

use std::collections::BTreeSet;

use super::problem;
use crate::error::Detail::*;
use crate::parse::Parsed;
use crate::tree::{
    Access, AccessHint, Expression, Factor, Hint, Labels, Match, Name, Node, PathPattern,
    Properties, StatementLabels,
};

/// Refuses hints that nothing of the clause can follow.
pub(super) fn check(part: &Match) -> Parsed<()> {
    if part.hints.is_empty() {
        return Ok(());
    }
    let said = Said::by(part);
    let mut met = BTreeSet::new();
    for hint in &part.hints {
        match hint {
            Hint::Access(hint) => {
                said.check_access(hint)?;
                if !met.insert(&hint.variable.text) {
                    let name = &hint.variable.text;
                    let what = format!("there are two hints for {name}");
                    return Err(problem(
                        InvalidClauseComposition,
                        hint.at,
                        what,
                        "keep one of them",
                    ));
                }
            }
            Hint::Join(variables, _) => {
                for variable in variables {
                    said.check_join(variable)?;
                }
            }
        }
    }
    Ok(())
}

/// Names that a clause says something with, each pair with the variable first. They are
/// gathered once: a clause may have many hints.
#[derive(Default)]
struct Said<'a> {
    nodes: BTreeSet<&'a str>,
    relationships: BTreeSet<&'a str>,
    labels: BTreeSet<(&'a str, &'a str)>,
    keys: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Said<'a> {
    fn by(part: &'a Match) -> Self {
        let mut said = Said::default();
        for pattern in &part.patterns {
            said.add_path(pattern);
        }
        said.add_condition(part.filter.as_ref());
        said
    }

    fn check_access(&self, hint: &AccessHint) -> Parsed<()> {
        let (name, label) = (hint.variable.text.as_str(), hint.label.text.as_str());
        if !self.nodes.contains(name) && !self.relationships.contains(name) {
            let what = format!("{name} is no node and no relationship of this MATCH");
            let hinted = "a hint names a variable of the patterns before it";
            return Err(problem(UndefinedVariable, hint.variable.at, what, hinted));
        }
        let detail = InvalidClauseComposition;
        if !self.labels.contains(&(name, label)) {
            let what = format!("the hint names {label}, which this MATCH does not ask of {name}");
            let hinted = format!("write {name}:{label} in the pattern, or leave the hint out");
            return Err(problem(detail, hint.label.at, what, hinted));
        }
        let unsaid = |key: &&Name| !self.keys.contains(&(name, key.text.as_str()));
        if let Some(key) = hint.keys.iter().find(unsaid) {
            let key_name = &key.text;
            let what = format!("the hint names {key_name}, and no condition is on it");
            let hinted = format!("write one on {name}.{key_name}, or leave the hint out");
            return Err(problem(detail, key.at, what, hinted));
        }
        Ok(())
    }

    fn check_join(&self, variable: &Name) -> Parsed<()> {
        let name = variable.text.as_str();
        if !self.nodes.contains(name) {
            let what = format!("{name} is no node of this MATCH");
            let hinted = "rows are joined on nodes of the patterns before the hint";
            return Err(problem(UndefinedVariable, variable.at, what, hinted));
        }
        Ok(())
    }

    /// Variables within what repeats are lists, of which there is no hint.
    fn add_path(&mut self, pattern: &'a PathPattern) {
        for factor in &pattern.factors {
            match factor {
                Factor::Node(node) => {
                    let labels = node.labels.as_ref();
                    if let Some(variable) = &node.variable {
                        self.nodes.insert(&variable.text);
                        self.add_element(&variable.text, labels, node.properties.as_ref());
                    }
                    self.add_condition(node.filter.as_ref());
                }
                Factor::Relationship(part) => {
                    if part.length.is_some() || part.quantifier.is_some() {
                        continue;
                    }
                    let types = part.types.as_ref();
                    if let Some(variable) = &part.variable {
                        self.relationships.insert(&variable.text);
                        self.add_element(&variable.text, types, part.properties.as_ref());
                    }
                    self.add_condition(part.filter.as_ref());
                }
                Factor::Group(group) => {
                    if group.quantifier.is_none() {
                        self.add_path(&group.pattern);
                        self.add_condition(group.filter.as_ref());
                    }
                }
            }
        }
    }

    fn add_element(
        &mut self,
        name: &'a str,
        labels: Option<&'a StatementLabels>,
        properties: Option<&'a Properties>,
    ) {
        if let Some(labels) = labels {
            self.add_labels(name, labels);
        }
        if let Some(Properties::Map(map)) = properties {
            let keys = map.entries.iter().map(|(key, _)| key.text.as_str());
            self.keys.extend(keys.map(|key| (name, key)));
        }
    }

    fn add_labels(&mut self, name: &'a str, labels: &'a StatementLabels) {
        match labels {
            Labels::Name(label) => {
                self.labels.insert((name, label.text.as_str()));
            }
            Labels::And(parts) | Labels::Or(parts) => {
                parts.iter().for_each(|part| self.add_labels(name, part));
            }
            Labels::Any | Labels::Not(_) | Labels::Computed(_) => {}
        }
    }

    fn add_condition(&mut self, condition: Option<&'a Expression>) {
        if let Some(condition) = condition {
            self.add_demanded(condition);
            self.add_keys(condition);
        }
    }

    /// Labels that a condition demands.
    fn add_demanded(&mut self, condition: &'a Expression) {
        match &condition.node {
            Node::And(parts) => parts.iter().for_each(|part| self.add_demanded(part)),
            Node::Labelled(of, labels) => {
                if let Node::Variable(name) = &of.node {
                    self.add_labels(name, labels);
                }
            }
            _ => {}
        }
    }

    fn add_keys(&mut self, of: &'a Expression) {
        if let Node::Access(base, steps) = &of.node
            && let Node::Variable(name) = &base.node
            && let Some(Access::Property(key)) = steps.first()
        {
            self.keys.insert((name.as_str(), key.text.as_str()));
        }
        of.parts().into_iter().for_each(|part| self.add_keys(part));
    }
}
