//! Full-text search over the nodes of a property graph, as of any view.
//!
//! [`FullText`] finds the nodes of some labels by the words in some of their
//! properties. What it answers is exactly what reading every node of the view would
//! answer: nothing newer, and nothing missing that was committed before.
//!
//! The index itself is tantivy's, in files of its own. It is a secondary index: it
//! follows the graph's change feed, is refreshed by searches, and is built anew from the
//! graph whenever its files are not what they should be. Every hit is held against the
//! node as the reader sees it, so nothing wrong in the index can become a wrong answer;
//! what makes answers complete is said in `refresh.rs`.
//!
//! Invariant: nothing here writes to the graph, and no commit waits for it.
//!
//! ```
//! use evergraph_search::fulltext::{FullText, TextDefinition, TextOptions, Tokenizer};
//! use evergraph_storage::medium::DramStorage;
//! use evergraph_property_graph::graph::{GraphOptions, PropertyGraph};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [1; 16])?;
//! let directory = tempfile::tempdir()?;
//! let posts = TextDefinition {
//!     name: "posts".to_string(),
//!     labels: vec!["Post".to_string()],
//!     keys: vec!["title".to_string(), "content".to_string()],
//!     tokenizer: Tokenizer::Words,
//! };
//! let text = FullText::open(&graph, directory.path(), posts)?;
//! let post = graph.write(|tx| tx.create_node(&["Post"], [("title", "Durable graphs".into())]))?;
//! let before = graph.view();
//! graph.write(|tx| tx.set(post, "title", "Something else"))?;
//!
//! assert_eq!(text.search(&before, "durable", 10)?[0].node, post);
//! assert!(text.search(&graph.view(), "durable", 10)?.is_empty());
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod base;
mod batch;
mod definition;
mod directory;
mod error;
mod full_text;
mod grouping;
mod payload;
mod query;
mod refresh;
mod search;
mod stored;
mod version;

pub use crate::{IndexFileError, StoredFile, Watch};
pub use batch::Hit;
pub use definition::{Language, TextDefinition, Tokenizer};
pub use error::TextError;
pub use full_text::{FullText, TextOptions, TextStatistics};
pub use stored::{AboutText, StoredText};
