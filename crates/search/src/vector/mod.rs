//! Nearest neighbors among the vectors of a property graph's nodes, as of any view.
//!
//! [`Vectors`] finds the nodes of a label whose vectors, lists of numbers in one
//! property, lie nearest to a given one. What it answers are nodes and vectors that
//! the view has, with exact distances; that all of the nearest are among them is very
//! likely, and certain with [`Vectors::nearest_exact`].
//!
//! The index is a graph of near neighbors (HNSW) of the library usearch, in DRAM, with a
//! copy in a file. It is a secondary index: it follows the graph's change feed, is
//! refreshed by searches, and is built anew from the graph whenever its file is not what
//! it should be. Every vector found is held against the node as the reader sees it;
//! what makes answers complete is said in `refresh.rs`.
//!
//! Invariant: nothing here writes to the graph, and no commit waits for it. The library
//! gets no bytes of a file whose checksum is wrong.
//!
//! ```
//! use evergraph_storage::medium::DramStorage;
//! use evergraph_property_graph::Value;
//! use evergraph_property_graph::graph::{GraphOptions, PropertyGraph};
//! use evergraph_search::vector::{Metric, VectorDefinition, Vectors};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [1; 16])?;
//! let directory = tempfile::tempdir()?;
//! let places = VectorDefinition {
//!     name: "places".to_string(),
//!     label: "IndexFile".to_string(),
//!     key: "at".to_string(),
//!     dimensions: 2,
//!     metric: Metric::Euclidean,
//! };
//! let near = Vectors::open(&graph, directory.path(), places)?;
//! let at = |x: f64, y: f64| Value::from(vec![Value::from(x), Value::from(y)]);
//! let here = graph.write(|tx| tx.create_node(&["IndexFile"], [("at", at(0.0, 1.0))]))?;
//! graph.write(|tx| tx.create_node(&["IndexFile"], [("at", at(9.0, 9.0))]))?;
//!
//! let found = near.nearest(&graph.view(), &[0.0, 0.0], 1)?;
//! assert_eq!((found[0].node, found[0].distance), (here, 1.0));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod definition;
mod error;
mod items;
mod library;
mod listed;
mod refresh;
mod search;
mod stored;
mod vectors;

pub use crate::{IndexFileError, StoredFile, Watch};
pub use definition::{Metric, VectorDefinition};
pub use error::VectorError;
pub use listed::{AboutVectors, StoredVectors};
pub use search::Near;
pub use vectors::{VectorOptions, VectorStatistics, Vectors};
