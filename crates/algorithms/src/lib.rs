//! Parallel graph algorithms over anything that implements
//! [`Graph`](evergraph_graph::Graph).
//!
//! One module a problem: parameters, a `run`, a result of arrays and a summary,
//! and a slow independent `verify`. Traversal is [`edge_map`]'s business; a
//! kernel says what an edge does to its target and which targets still care.
//!
//! Every run takes a [`Control`] to cancel it and to follow it. Parallelism is
//! rayon's: call `run` inside `ThreadPool::install` to choose the threads.
//!
//! *Invariants.* Nothing here writes a graph, prints, spawns a thread or keeps a
//! reader longer than one chunk of vertices. Memory is O(n) words.

#![forbid(unsafe_code)]

pub mod bellman_ford;
pub mod betweenness;
pub mod bfs;
pub mod biconnectivity;
pub mod buckets;
pub mod checkpoint;
pub mod closeness;
mod clustering;
pub mod coloring;
pub mod connected_components;
pub mod control;
pub mod delta_stepping;
pub mod densest_subgraph;
pub mod edge_map;
pub mod eigenvector;
mod error;
pub mod filter;
mod forest;
mod greedy;
mod groups;
pub mod histogram;
pub mod hits;
pub mod influence_maximization;
pub mod k_core;
pub mod k_truss;
pub mod katz;
pub mod label_propagation;
pub mod leiden;
pub mod local_clustering;
pub mod louvain;
pub mod low_diameter_decomposition;
pub mod maintained;
pub mod maximal_independent_set;
pub mod maximal_matching;
pub mod minimum_spanning_forest;
pub mod modularity;
pub mod neighbor_sampling;
mod neighbor_sums;
pub mod pagerank;
mod parallel;
pub mod personalized_pagerank;
pub mod placement;
mod push_each;
pub mod random_walks;
mod reversed;
pub mod rumor_sources;
pub mod sampling;
pub mod set_cover;
mod settling;
pub mod shortest_paths;
pub mod similarity;
pub mod spanner;
pub mod spanning_forest;
mod strips;
pub mod strongly_connected_components;
mod subset;
mod sums;
mod table;
pub mod topological_order;
pub mod triangle_count;
mod triangles;
pub mod weighted_bfs;
pub mod widest_path;

pub use checkpoint::{Checkpoints, SaveFailed, Saved};
pub use control::{Cancelled, Control, Progress};
pub use error::{Mismatch, RunError};
pub use evergraph_graph::Cancellation;
pub use subset::{Bitmap, VertexSubset};

use evergraph_graph::VertexId;

/// In an array of vertices or depths: not reached from the source.
pub const UNREACHED: VertexId = VertexId::MAX;
