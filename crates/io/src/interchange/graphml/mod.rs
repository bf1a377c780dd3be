//! GraphML: an XML file whose keys declare the types of the properties.
//!
//! Labels and types have no place in the standard. Read are: the attributes
//! `labels=":Person:Actor"` of nodes and `label="KNOWS"` of edges, as Neo4j's APOC
//! writes them, and data of the keys `labels`, `labelV`, `label` and `labelE`, as
//! APOC and TinkerPop do; files of NetworkX and others have neither, so the type of
//! their edges is given by the caller. Written are the attributes.
//!
//! Types beyond the standard's six are texts with a second attribute, `eg:type`, on
//! their key. Lists are JSON texts, and their keys have `attr.list`, as in APOC.
//!
//! An undirected edge is one relationship from its source to its target. Nested
//! graphs, hyperedges and ports have no counterpart and are reported.

mod element;
mod keys;
mod lines;
mod read;
mod write;

pub use read::{GraphMlOptions, GraphMlReader};
pub use write::GraphMlWriter;

/// The attribute of a key that names a type beyond the standard's.
const TYPE_ATTRIBUTE: &str = "eg:type";
