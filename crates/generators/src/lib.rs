//! Synthetic graphs: lists of edges with the degrees of real graphs or of chance
//! ([`Kronecker`], [`Uniform`]), and a whole social network with nodes,
//! relationships and properties ([`snb`]).
//!
//! All of them are functions of their parameters and a seed: of neither the
//! machine, nor the number of threads.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod edges;
pub mod snb;

pub use edges::{CHUNK_EDGES, Edge, Kronecker, Uniform, edge_weight, kronecker, uniform};
