//! A graph as it was before some of its entries were inserted.

use evergraph_graph::{NeighborReader, VertexId};

/// Entries that the lists of a graph have, but that do not count yet.
pub(super) struct Overlay {
    /// Sorted by whose list it is and the neighbor, each such pair once.
    hidden: Vec<Hidden>,
}

struct Hidden {
    entry: (VertexId, VertexId),
    /// How often it does not count.
    times: u32,
    /// How often it was met in the list that is being read.
    met: u32,
}

impl Overlay {
    /// Hides these entries, each given by whose list it is in and the neighbor, sorted.
    pub(super) fn hiding(entries: impl Iterator<Item = (VertexId, VertexId)>) -> Self {
        let mut hidden: Vec<Hidden> = Vec::new();
        for entry in entries {
            match hidden.last_mut() {
                Some(last) if last.entry == entry => last.times += 1,
                last => {
                    debug_assert!(last.is_none_or(|last| last.entry < entry), "sorted");
                    hidden.push(Hidden {
                        entry,
                        times: 1,
                        met: 0,
                    });
                }
            }
        }
        Self { hidden }
    }

    /// Lets one such entry count from now on.
    pub(super) fn show(&mut self, u: VertexId, v: VertexId) {
        let at = self.hidden.binary_search_by_key(&(u, v), |h| h.entry);
        let hidden = &mut self.hidden[at.expect("an entry that is hidden")];
        hidden.times = (hidden.times.checked_sub(1)).expect("an entry that is hidden");
    }

    /// Writes into `list` the entries of the list of `u` that count.
    pub(super) fn read(
        &mut self,
        reader: &mut impl NeighborReader,
        u: VertexId,
        list: &mut Vec<VertexId>,
    ) {
        list.clear();
        reader.neighbors_into(u, list);
        let start = self.hidden.partition_point(|hidden| hidden.entry.0 < u);
        let end = start + self.hidden[start..].partition_point(|hidden| hidden.entry.0 == u);
        let hidden = &mut self.hidden[start..end];
        if hidden.iter().all(|hidden| hidden.times == 0) {
            return;
        }
        hidden.iter_mut().for_each(|hidden| hidden.met = 0);
        list.retain(|&v| {
            let Ok(at) = hidden.binary_search_by_key(&v, |hidden| hidden.entry.1) else {
                return true;
            };
            hidden[at].met += 1;
            hidden[at].met > hidden[at].times
        });
    }
}
