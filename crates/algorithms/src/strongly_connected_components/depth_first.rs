//! Tarjan's search, for graphs without in-lists and for what other steps leave.

use std::ops::ControlFlow;

use evergraph_graph::{Graph, NeighborReader, VertexId};

use super::UNKNOWN;
use crate::parallel::HUB_DEGREE;
use crate::{Cancelled, Control};

/// Steps and list entries between two looks at the control.
const STEPS_PER_CHECK: usize = 1 << 18;

/// Labels the components among the vertices without a label, which are `roots`;
/// the others are as if they were not there. Sequential.
pub(super) fn search<G: Graph>(
    graph: &G,
    mut roots: impl ExactSizeIterator<Item = VertexId>,
    labels: &mut [VertexId],
    control: &Control,
) -> Result<(), Cancelled> {
    let n = labels.len();
    let mut search = Search {
        labels,
        numbers: control.array(UNKNOWN, n)?,
        lows: control.array(UNKNOWN, n)?,
        open: Vec::with_capacity(roots.len()),
        path: Vec::with_capacity(roots.len()),
        discovered: 0,
    };
    loop {
        control.check()?;
        control.report("searched vertices", u64::from(search.discovered), None);
        let mut reader = graph.reader();
        let mut steps = 0;
        while steps < STEPS_PER_CHECK {
            steps += 1;
            if !search.path.is_empty() {
                steps += search.advance(&mut reader);
                continue;
            }
            match roots.next() {
                None => return Ok(()),
                Some(root) if search.labels[root as usize] == UNKNOWN => search.enter(root),
                Some(_) => {}
            }
        }
    }
}

struct Search<'a> {
    labels: &'a mut [VertexId],
    /// In order of discovery.
    numbers: Vec<u32>,
    /// The smallest number of an open vertex that is known to be reachable.
    lows: Vec<u32>,
    /// Found vertices whose components are not complete.
    open: Vec<VertexId>,
    /// From the root down, each with the position in its list to go on from.
    path: Vec<(VertexId, u64)>,
    discovered: u32,
}

impl Search<'_> {
    fn enter(&mut self, v: VertexId) {
        self.numbers[v as usize] = self.discovered;
        self.lows[v as usize] = self.discovered;
        self.discovered += 1;
        self.open.push(v);
        self.path.push((v, 0));
    }

    /// Goes on at the end of the path: to the next new neighbor, or back. Returns
    /// how many list entries that took.
    fn advance(&mut self, reader: &mut impl NeighborReader) -> usize {
        let Some((u, position)) = self.path.last_mut() else {
            return 0;
        };
        let u = *u;
        let start = *position as usize;
        let mut low = self.lows[u as usize];
        let mut read = 0;
        let mut new = None;
        let _ = reader.for_each_segment_in(u, start..start + HUB_DEGREE, |segment| {
            for &v in segment {
                read += 1;
                if self.labels[v as usize] != UNKNOWN {
                    continue;
                }
                if self.numbers[v as usize] == UNKNOWN {
                    new = Some(v);
                    return ControlFlow::Break(());
                }
                low = low.min(self.numbers[v as usize]);
            }
            ControlFlow::Continue(())
        });
        self.lows[u as usize] = low;
        *position += read as u64;
        match new {
            Some(v) => self.enter(v),
            None if read == HUB_DEGREE => {}
            None => self.leave(u),
        }
        read
    }

    /// Takes `u` from the path, and its component from the open vertices if `u`
    /// was the first of it to be found.
    fn leave(&mut self, u: VertexId) {
        self.path.pop();
        let low = self.lows[u as usize];
        if low < self.numbers[u as usize] {
            if let Some(&(parent, _)) = self.path.last() {
                let parent = &mut self.lows[parent as usize];
                *parent = low.min(*parent);
            }
            return;
        }
        let start = self.open.iter().rposition(|&v| v == u);
        let members = start.map_or(0, |start| start)..;
        let label = self.open[members.clone()].iter().copied().min();
        for v in self.open.drain(members) {
            self.labels[v as usize] = label.unwrap_or(u);
        }
    }
}
