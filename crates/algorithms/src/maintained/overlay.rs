//! A graph as it was before some of its entries were inserted.

use std::collections::BTreeMap;

use evergraph_graph::{NeighborReader, VertexId};

/// Entries that the lists of a graph have, but that do not count yet.
pub(super) struct Overlay {
    /// For each vertex the neighbors that do not count, each as often as it does not.
    hidden: BTreeMap<VertexId, BTreeMap<VertexId, u32>>,
}

impl Overlay {
    /// Hides these entries, each given by whose list it is in and the neighbor.
    pub(super) fn hiding(entries: impl Iterator<Item = (VertexId, VertexId)>) -> Self {
        let mut hidden: BTreeMap<VertexId, BTreeMap<VertexId, u32>> = BTreeMap::new();
        for (u, v) in entries {
            *hidden.entry(u).or_default().entry(v).or_default() += 1;
        }
        Self { hidden }
    }

    /// Lets one such entry count from now on.
    pub(super) fn show(&mut self, u: VertexId, v: VertexId) {
        let list = self.hidden.get_mut(&u).expect("an entry that is hidden");
        let count = list.get_mut(&v).expect("an entry that is hidden");
        *count -= 1;
        if *count == 0 {
            list.remove(&v);
        }
        if list.is_empty() {
            self.hidden.remove(&u);
        }
    }

    /// Writes into `list` the entries of the list of `u` that count.
    pub(super) fn read(
        &self,
        reader: &mut impl NeighborReader,
        u: VertexId,
        list: &mut Vec<VertexId>,
    ) {
        list.clear();
        reader.neighbors_into(u, list);
        if let Some(hidden) = self.hidden.get(&u) {
            let mut hidden = hidden.clone();
            list.retain(|v| match hidden.get_mut(v) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            });
        }
    }
}
