//! Change feed of a graph for its secondary indexes in other crates.
//!
//! [`PropertyGraph::follow`] tells which nodes commits change. Commits are told in their
//! order and before any view shows them, so a reader at a commit finds here every change
//! up to it. No commit waits for a follower: changes that it does not take fall out of
//! the queue when there are too many, and are found again by
//! [`PropertyGraph::changed_since`].

use std::sync::Arc;

use super::PropertyGraph;
use super::changes::{ChangedNodes, Changes};
use super::entity::Node;
use super::error::GraphError;
use super::ids::NodeId;
use super::view::View;

/// Nodes and commits that a follower reads to get from one commit to another.
#[derive(Clone, Debug)]
pub struct Work {
    /// Nodes that may have changed in between.
    pub nodes: Vec<ChangedNodes>,
    /// The commits in between that views or snapshots show, descending.
    pub shown: Vec<u64>,
}

impl Work {
    /// Nodes to look at.
    pub fn node_count(&self) -> u64 {
        let counts = self.nodes.iter().map(|changed| changed.nodes.len() as u64);
        counts.sum()
    }

    /// The commits as of which a node may be another than as of the end of the work,
    /// descending.
    pub fn moments<'a>(&'a self, changed: &ChangedNodes) -> impl Iterator<Item = u64> + 'a {
        let until = changed.until;
        self.shown.iter().copied().filter(move |&csn| csn < until)
    }
}

impl PropertyGraph {
    /// Whether a view is one of this graph.
    pub fn owns(&self, view: &View) -> bool {
        Arc::ptr_eq(&self.core, view.core())
    }

    /// Returns the work of a follower that knows everything up to commit `after` to know
    /// everything up to a view of the newest commit. Changes that were lost are looked
    /// for in all chunks.
    pub fn work_since(&self, changes: &Changes, after: u64, newest: &View) -> Work {
        let nodes = changes.latest(after, newest.csn());
        let mut shown = self.shown_before(newest.csn());
        shown.retain(|&csn| csn > after);
        Work {
            nodes: nodes.unwrap_or_else(|| self.changed_since(after)),
            shown,
        }
    }

    /// The nodes that commits change from now on, until the result is dropped. At
    /// most `limit` changes are held; if there are more, they are lost, and
    /// [`PropertyGraph::changed_since`] has to be asked.
    pub fn follow(&self, limit: usize) -> Arc<Changes> {
        let visible = self.core.store.published().0;
        self.core.state.followers.add(limit, visible)
    }

    /// The nodes that were changed after a commit, in whole chunks of records,
    /// ascending by id. O(chunks); no record is read.
    pub fn changed_since(&self, csn: u64) -> Vec<ChangedNodes> {
        let table = self.core.state.nodes();
        let size = table.geometry().records_per_chunk;
        let chunks = table.changed_chunks(csn);
        let nodes = |(number, until)| ChangedNodes {
            nodes: number * size..(number + 1) * size,
            until,
        };
        chunks.into_iter().map(nodes).collect()
    }

    /// The commits before `csn` that live views and named snapshots show,
    /// descending.
    pub fn shown_before(&self, csn: u64) -> Vec<u64> {
        let needed = self.core.store.needed();
        let kept = needed.kept().iter().copied();
        let mut shown: Vec<u64> = kept.filter(|&kept| kept < csn).collect();
        let mut before = csn;
        while let Some(live) = needed.last_watched_before(before) {
            shown.push(live);
            before = live;
        }
        shown.sort_unstable_by(|a, b| b.cmp(a));
        shown.dedup();
        shown
    }

    /// A node as of a commit of [`PropertyGraph::shown_before`]. If no view and no
    /// snapshot shows that commit any more, the node may be that of another commit.
    ///
    /// # Errors
    /// Damage, and errors of the medium.
    pub fn node_at(&self, id: NodeId, csn: u64) -> Result<Option<Node>, GraphError> {
        let record = self.core.state.nodes().get(id.0, csn)?;
        Ok(record.map(|record| Node::new(id, record, &self.core.state.dictionary)))
    }
}
