//! Labels along a list, and the winner among them.

use evergraph_graph::VertexId;

/// Calls `visit` with each label along a list, and how often it comes in a row:
/// once communities have formed, most neighbors have the label of the one before.
#[inline]
pub(super) fn for_each_run(list: &[VertexId], labels: &[u32], mut visit: impl FnMut(u32, u32)) {
    let Some((&first, rest)) = list.split_first() else {
        return;
    };
    let (mut label, mut times) = (labels[first as usize], 1);
    for &u in rest {
        let next = labels[u as usize];
        if next == label {
            times += 1;
        } else {
            visit(label, times);
            (label, times) = (next, 1);
        }
    }
    visit(label, times);
}

/// The most frequent label so far, of several the smallest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Best {
    pub(super) label: u32,
    /// 0 if there was none.
    pub(super) count: u32,
}

impl Best {
    #[inline]
    pub(super) fn meet(&mut self, label: u32, count: u32) {
        if count > self.count || (count == self.count && label < self.label) {
            *self = Self { label, count };
        }
    }

    /// The label, `own` if there was none.
    #[inline]
    pub(super) fn label_or(self, own: u32) -> u32 {
        if self.count == 0 { own } else { self.label }
    }
}
