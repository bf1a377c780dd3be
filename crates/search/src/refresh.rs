//! Bringing an index to the newest commit.
//!
//! An index at commit C has, for every view that can exist of a commit up to C, every
//! item (a text, a vector) that the view shows. Answers need no more to be complete:
//! what a view shows beyond C is read from the nodes that changed since, and what the
//! index has too much is found when a hit is compared with its node.
//!
//! To go from C to N, the newest commit, the nodes are read that changed in between.
//! Their items as of N are added, and their items as of the commits between C and N
//! that live views or named snapshots show. No other commit of that time can be asked
//! for later: views begin at the newest commit or at that of a snapshot. An item that
//! no node has any more is removed if no view and no snapshot is older than N, and else
//! by a sweep, which compares the superseded items with all of them.

use evergraph_property_graph::graph::{ChangedNodes, GraphError, Node, NodeId, PropertyGraph};
use evergraph_property_graph::graph::{View, Work};

use crate::Watch;

/// Nodes between two calls of a [`Watch`].
const WATCHED: u64 = 1 << 10;

/// An index while it is brought to the newest commit.
pub(crate) trait Refresh {
    type Error: From<GraphError>;
    /// The part of a node that is indexed.
    type Item: PartialEq;
    /// An item as the index has it.
    type Stored;

    fn graph(&self) -> &PropertyGraph;
    /// The view that the index is brought to.
    fn newest(&self) -> &View;
    /// Returns the item of a node, or `None` if the definition does not cover it.
    fn item_of(&self, node: &Node) -> Option<Self::Item>;
    /// Returns the items of a node that the index has.
    fn stored(&self, node: u32) -> Result<Vec<Self::Stored>, Self::Error>;
    fn is_same(stored: &Self::Stored, item: &Self::Item) -> bool;
    fn add(&mut self, node: u32, item: Self::Item) -> Result<Self::Stored, Self::Error>;
    /// Notes which item a node has now, and which ones only older views may show.
    fn supersede(&mut self, node: u32, items: Items<Self::Stored>) -> Result<(), Self::Error>;
    /// The error of a refresh that its watch ended.
    fn stopped() -> Self::Error;
}

/// The items of one node after its refresh.
pub(crate) struct Items<S> {
    pub(crate) newest: Option<S>,
    pub(crate) older: Vec<S>,
    /// Number of items that the index had before.
    pub(crate) before: usize,
}

/// Takes in the nodes of `work`, which ends at the commit of [`Refresh::newest`].
pub(crate) fn refresh<R: Refresh>(
    index: &mut R,
    work: &Work,
    watch: &Watch<'_>,
) -> Result<(), R::Error> {
    let (mut done, all) = (0, work.node_count());
    for changed in &work.nodes {
        for node in changed.nodes.clone() {
            if done % WATCHED == 0 && !watch(done, all) {
                return Err(R::stopped());
            }
            refresh_node(index, node, changed, work)?;
            done += 1;
        }
    }
    Ok(())
}

fn refresh_node<R: Refresh>(
    index: &mut R,
    node: u32,
    changed: &ChangedNodes,
    work: &Work,
) -> Result<(), R::Error> {
    let mut stored = index.stored(node)?;
    let before = stored.len();
    let newest = newest_item(index, node)?;
    for csn in work.moments(changed) {
        let Some(item) = item_at(index, node, csn)? else {
            continue;
        };
        let is_known = stored.iter().any(|stored| R::is_same(stored, &item));
        if newest.as_ref() != Some(&item) && !is_known {
            stored.push(index.add(node, item)?);
        }
    }
    let newest = match newest {
        None => None,
        Some(item) => match stored.iter().position(|stored| R::is_same(stored, &item)) {
            Some(known) => Some(stored.remove(known)),
            None => Some(index.add(node, item)?),
        },
    };
    let older = stored;
    index.supersede(
        node,
        Items {
            newest,
            older,
            before,
        },
    )
}

/// Returns the item that a node has now.
pub(crate) fn newest_item<R: Refresh>(index: &R, node: u32) -> Result<Option<R::Item>, R::Error> {
    let node = index.newest().node(NodeId(node))?;
    Ok(node.and_then(|node| index.item_of(&node)))
}

/// Returns the item that a node had as of a commit.
fn item_at<R: Refresh>(index: &R, node: u32, csn: u64) -> Result<Option<R::Item>, R::Error> {
    let node = index.graph().node_at(NodeId(node), csn)?;
    Ok(node.and_then(|node| index.item_of(&node)))
}

/// Tells whether a node had an item as of one of some commits.
pub(crate) fn is_shown<R: Refresh>(
    index: &R,
    node: u32,
    stored: &R::Stored,
    commits: &[u64],
) -> Result<bool, R::Error> {
    for &csn in commits {
        if item_at(index, node, csn)?.is_some_and(|item| R::is_same(stored, &item)) {
            return Ok(true);
        }
    }
    Ok(false)
}
