//! Selection of nodes and relationships to be exported.

use super::PropertyExport;
use crate::Error;
use crate::property::{Node, NodeId, Relationship, View};

/// Chosen labels and types, and whether they were seen.
pub(super) struct Selection<'a> {
    labels: Vec<Wanted<'a>>,
    types: Vec<Wanted<'a>>,
    /// A bit for each node, where not all are chosen.
    chosen: Option<Vec<u64>>,
}

struct Wanted<'a> {
    name: &'a str,
    seen: bool,
}

impl<'a> Selection<'a> {
    pub fn new(view: &View, options: &'a PropertyExport) -> Self {
        let wanted = |names: &'a [String]| {
            let names = names.iter().map(|name| Wanted { name, seen: false });
            names.collect()
        };
        let words = view.node_bound().div_ceil(64) as usize;
        Selection {
            labels: wanted(&options.labels),
            types: wanted(&options.types),
            chosen: (!options.labels.is_empty()).then(|| vec![0; words]),
        }
    }

    /// Whether a node is chosen. To be asked for each before the relationships.
    pub fn takes_node(&mut self, node: &Node) -> bool {
        let Some(chosen) = &mut self.chosen else {
            return true;
        };
        let mut takes = false;
        for label in &mut self.labels {
            if node.has_label(label.name) {
                (label.seen, takes) = (true, true);
            }
        }
        let (word, bit) = place(node.id());
        if let (true, Some(word)) = (takes, chosen.get_mut(word)) {
            *word |= bit;
        }
        takes
    }

    /// Whether a relationship is of a chosen type and between chosen nodes.
    pub fn takes_relationship(&mut self, relationship: &Relationship) -> bool {
        if !self.types.is_empty() {
            let kind = relationship.kind();
            match self.types.iter_mut().find(|wanted| *wanted.name == *kind) {
                Some(wanted) => wanted.seen = true,
                None => return false,
            }
        }
        self.has(relationship.source()) && self.has(relationship.target())
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
