//! Selection of nodes and relationships to be exported.

use super::PropertyExport;
use crate::property::{
    Expression, Node, NodeId, ProjectionOptions, Relationship, View, known_properties,
};
use crate::run::{AnyGraph, largest_component};
use crate::{Cancellation, Control, Error};

/// Chosen labels and types, and whether they were seen, and conditions.
pub(super) struct Selection<'a> {
    labels: Vec<Wanted<'a>>,
    types: Vec<Wanted<'a>>,
    nodes: Option<&'a Expression>,
    relationships: Option<&'a Expression>,
    /// A bit for each node, where not all are chosen.
    chosen: Option<Vec<u64>>,
    /// The nodes that can be chosen at all; ascending.
    component: Option<Vec<u32>>,
}

struct Wanted<'a> {
    name: &'a str,
    seen: bool,
}

impl<'a> Selection<'a> {
    /// # Errors
    /// Properties that the graph does not know; damage, and errors of `stop`, if the
    /// largest component is to be found.
    pub fn new(
        view: &View,
        options: &'a PropertyExport,
        stop: &Cancellation,
    ) -> Result<Self, Error> {
        for condition in options.nodes.iter().chain(&options.relationships) {
            known_properties(view, condition)?;
        }
        let component = options.largest_component;
        let component = component.then(|| component_of(view, options, stop));
        let wanted = |names: &'a [String]| {
            let names = names.iter().map(|name| Wanted { name, seen: false });
            names.collect()
        };
        let words = view.node_bound().div_ceil(64) as usize;
        let are_all = options.labels.is_empty() && options.nodes.is_none();
        let are_all = are_all && component.is_none();
        Ok(Selection {
            labels: wanted(&options.labels),
            types: wanted(&options.types),
            nodes: options.nodes.as_ref(),
            relationships: options.relationships.as_ref(),
            chosen: (!are_all).then(|| vec![0; words]),
            component: component.transpose()?,
        })
    }

    /// Whether a node is chosen. To be asked for each before the relationships.
    ///
    /// # Errors
    /// A condition that cannot be asked of it.
    pub fn takes_node(&mut self, node: &Node) -> Result<bool, Error> {
        let Some(chosen) = &mut self.chosen else {
            return Ok(true);
        };
        let mut takes = self.labels.is_empty();
        for label in &mut self.labels {
            if node.has_label(label.name) {
                (label.seen, takes) = (true, true);
            }
        }
        if let (true, Some(condition)) = (takes, self.nodes) {
            takes = node.satisfies(condition)?;
        }
        if let Some(component) = &self.component {
            takes &= component.binary_search(&node.id().0).is_ok();
        }
        let (word, bit) = place(node.id());
        if let (true, Some(word)) = (takes, chosen.get_mut(word)) {
            *word |= bit;
        }
        Ok(takes)
    }

    /// Whether a relationship is of a chosen type and between chosen nodes.
    ///
    /// # Errors
    /// A condition that cannot be asked of it.
    pub fn takes_relationship(&mut self, relationship: &Relationship) -> Result<bool, Error> {
        if !self.types.is_empty() {
            let kind = relationship.kind();
            match self.types.iter_mut().find(|wanted| *wanted.name == *kind) {
                Some(wanted) => wanted.seen = true,
                None => return Ok(false),
            }
        }
        if !self.has(relationship.source()) || !self.has(relationship.target()) {
            return Ok(false);
        }
        match self.relationships {
            None => Ok(true),
            Some(condition) => Ok(relationship.satisfies(condition)?),
        }
    }

    fn has(&self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        let words = self.chosen.as_ref();
        words.is_none_or(|words| words.get(word).is_some_and(|word| word & bit != 0))
    }

    /// # Errors
    /// A label that no node had.
    pub fn check_labels(&self) -> Result<(), Error> {
        all_seen(&self.labels, "node", "label")
    }

    /// # Errors
    /// A type that no relationship had.
    pub fn check_types(&self) -> Result<(), Error> {
        all_seen(&self.types, "relationship", "type")
    }
}

/// Nodes of the largest component of what is chosen.
fn component_of(
    view: &View,
    options: &PropertyExport,
    stop: &Cancellation,
) -> Result<Vec<u32>, Error> {
    let control = Control::new().with_cancellation(stop);
    let projection = view.project(&ProjectionOptions {
        labels: options.labels.clone(),
        types: options.types.clone(),
        nodes: options.nodes.clone(),
        relationships: options.relationships.clone(),
        ..ProjectionOptions::default()
    })?;
    let subset = largest_component(&AnyGraph::Projected(&projection), &control)?;
    let vertices = subset.vertices().iter();
    Ok(vertices.map(|&vertex| projection.node(vertex).0).collect())
}

fn place(node: NodeId) -> (usize, u64) {
    (node.0 as usize / 64, 1 << (node.0 % 64))
}

fn all_seen(wanted: &[Wanted<'_>], of: &str, what: &str) -> Result<(), Error> {
    match wanted.iter().find(|wanted| !wanted.seen) {
        None => Ok(()),
        Some(missing) => Err(Error::usage(
            format!("no {of} has the {what} {:?}", missing.name),
            format!("`evergraph stats DB` lists the {what}s that there are"),
        )),
    }
}
