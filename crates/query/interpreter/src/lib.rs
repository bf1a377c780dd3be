//! Runs openCypher queries on property graphs.
//!
//! [`Query::prepare`] reads, checks and plans a text; the query can then be run many times,
//! on a view, in a transaction, or on a graph ([`Query::execute`]), with
//! other parameters each time. Operators push batches of rows from one to the next;
//! sorting, grouping and clauses that write take all rows before they give one.
//!
//! ```
//! use evergraph_interpreter::{Parameters, Query, QueryError};
//! use evergraph_property_graph::graph::{GraphOptions, PropertyGraph};
//! use evergraph_storage::medium::DramStorage;
//!
//! # fn main() -> Result<(), QueryError> {
//! let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [1; 16])?;
//! let create = Query::prepare(&graph, "UNWIND $names AS name CREATE (:Person {name: name})")?;
//! let names = vec!["Ann", "Bob"];
//! let made = create.execute(&graph, &Parameters::from([("names".into(), names.into())]))?;
//! assert_eq!(made.summary().counters.nodes_created, 2);
//!
//! let find = Query::prepare(&graph, "MATCH (p:Person) RETURN p.name AS name ORDER BY name")?;
//! let first = find.read(&graph.view(), &Parameters::new())?.next();
//! assert_eq!(first, Some(vec!["Ann".into()]));
//! # Ok(())
//! # }
//! ```
//!
//! Invariant: a query that fails leaves its transaction as it was before.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod batch;
mod catalog;
mod compile;
mod csv;
mod error;
mod evaluate;
mod graph;
mod limits;
mod notifications;
mod procedures;
mod profile;
mod query;
mod rows;
mod run;
mod spill;

pub use compile::Execution;
pub use csv::{CsvRecord, CsvRecords, OpenCsv};
pub use error::QueryError;
pub use evergraph_functions::{Datum, Path};
pub use evergraph_graph::Cancellation;
pub use graph::Seen;
pub use limits::{Bounds, Limits};
pub use notifications::Notification;
pub use procedures::{Described, ProcedureContext, ProcedureRows, Procedures};
pub use profile::{OperatorProfile, Profile};
/// The programs that have code in this process, the last used first.
pub fn compiled_programs() -> Vec<CompiledProgram> {
    evergraph_jit::Compiler::shared().stored()
}

pub use evergraph_jit::Stored as CompiledProgram;
pub use query::{EachRow, EachRowWithin, Options, Parameters, Query};
pub use rows::{Counters, Rows, Summary};
