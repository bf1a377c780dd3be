//! What one commit, or a pass over all records, counts.

use std::collections::BTreeMap;

use super::Counted;
use crate::dictionary::LabelCode;

/// How counts change, and the chunks where something came.
#[derive(Clone, Debug, Default)]
pub(in crate::graph) struct Tally(pub(in crate::graph) BTreeMap<Counted, Change>);

#[derive(Clone, Debug, Default)]
pub(in crate::graph) struct Change {
    pub(in crate::graph) growth: i64,
    /// Of one after another each once, in no order.
    pub(in crate::graph) chunks: Vec<u32>,
}

impl Tally {
    /// Adds so many in a chunk.
    pub(in crate::graph) fn gain(&mut self, counted: Counted, chunk: u32, count: u32) {
        let change = self.0.entry(counted).or_default();
        change.growth += i64::from(count);
        if change.chunks.last() != Some(&chunk) {
            change.chunks.push(chunk);
        }
    }

    pub(in crate::graph) fn lose(&mut self, counted: Counted) {
        self.0.entry(counted).or_default().growth -= 1;
    }

    /// Adds a node that was and is, with its labels, or was or is not there.
    pub(in crate::graph) fn node(
        &mut self,
        chunk: u32,
        before: Option<&[LabelCode]>,
        after: Option<&[LabelCode]>,
    ) {
        match (before, after) {
            (None, Some(_)) => self.gain(Counted::Nodes, chunk, 1),
            (Some(_), None) => self.lose(Counted::Nodes),
            _ => {}
        }
        self.labels(chunk, before.unwrap_or_default(), after.unwrap_or_default());
    }

    /// Adds a change of labels.
    pub(in crate::graph) fn labels(
        &mut self,
        chunk: u32,
        before: &[LabelCode],
        after: &[LabelCode],
    ) {
        for label in before.iter().filter(|label| !after.contains(label)) {
            self.lose(Counted::Label(*label));
        }
        for label in after.iter().filter(|label| !before.contains(label)) {
            self.gain(Counted::Label(*label), chunk, 1);
        }
    }
}
