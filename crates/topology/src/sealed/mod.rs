//! Sealed graphs on the medium: what [`evergraph_graph::Csr`] and
//! [`evergraph_graph::Compressed`] hold, in extents that algorithms read in place.
//!
//! A sealed graph is a header, which is a table of the section directory, and its
//! arrays, each an extent of its own, because a list is read as one slice. Arrays
//! are written, covered by checksums and verified in pieces ([`format::PIECE`]).
//! Bytes that cannot be a graph are an error when they are first read, before any number
//! of them is used ([`read`]).
//!
//! [`format`] has the bytes, [`write`] the writer; publishing is the store's.

mod format;
mod read;
mod write;

use std::fmt;
use std::sync::Arc;

use evergraph_graph::{Compressed, Csr, Graph, Shape, StoredLists};

pub(crate) use read::Stored;
pub(crate) use write::{Written, write};

/// Name of a sealed graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SealedName {
    /// A name that the caller gave.
    Own(String),
    /// After the named snapshot that it shows, and with which it goes.
    Snapshot(String),
}

impl SealedName {
    /// The name alone.
    pub fn text(&self) -> &str {
        match self {
            SealedName::Own(name) | SealedName::Snapshot(name) => name,
        }
    }
}

impl fmt::Display for SealedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SealedName::Own(name) => write!(f, "sealed graph {name:?}"),
            SealedName::Snapshot(name) => write!(f, "sealed graph of the snapshot {name:?}"),
        }
    }
}

/// A sealed graph as the database lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedInfo {
    /// Its name.
    pub name: SealedName,
    /// The commit as of which it is.
    pub csn: u64,
    /// Vertices.
    pub vertex_count: u64,
    /// Entries of the out-lists.
    pub arc_count: u64,
    /// Directions of its lists.
    pub direction: StoredLists,
    /// Shape of its lists: the entries that they keep, sorted; `None` if they are as they
    /// were stored.
    pub shape: Option<Shape>,
    /// Whether there are weights.
    pub weighted: bool,
    /// Neighbors of a block, if the lists are coded.
    pub block_edges: Option<u32>,
    /// Bytes of its arrays on the medium.
    pub bytes: u64,
}

/// A sealed graph of either kind.
#[derive(Clone, Debug)]
pub enum SealedGraph {
    /// Plain lists.
    Plain(Arc<Csr>),
    /// Coded lists.
    Compressed(Arc<Compressed>),
}

/// Description of a sealed graph for lists of them.
fn described(graph: &SealedGraph, name: SealedName, csn: u64, bytes: u64) -> SealedInfo {
    fn counts(graph: &impl Graph) -> (u64, u64, StoredLists, bool) {
        let arcs = graph.arc_count();
        // Without an edge there is no weight that could be stored.
        let weighted = graph.is_weighted() && arcs > 0;
        (
            graph.vertex_count() as u64,
            arcs,
            graph.stored_lists(),
            weighted,
        )
    }
    let (vertex_count, arc_count, direction, weighted) = match graph {
        SealedGraph::Plain(graph) => counts(&**graph),
        SealedGraph::Compressed(graph) => counts(&**graph),
    };
    let (shape, block_edges) = match graph {
        SealedGraph::Plain(graph) => (graph.shape(), None),
        SealedGraph::Compressed(graph) => (Some(graph.shape()), Some(graph.block_edges() as u32)),
    };
    SealedInfo {
        name,
        csn,
        vertex_count,
        arc_count,
        direction,
        shape,
        weighted,
        block_edges,
        bytes,
    }
}
