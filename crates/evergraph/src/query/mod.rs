//! Cypher on an open database.
//!
//! ```
//! use evergraph::{Database, MediumKind, Options};
//!
//! let options = Options {
//!     medium: MediumKind::Dram,
//!     property_graph: true,
//!     ..Options::default()
//! };
//! let db = Database::create("anywhere", &options)?;
//! db.query("CREATE (:Person {name: 'Ann', born: 1975})", ())?;
//! let rows = db.query(
//!     "MATCH (p:Person) WHERE p.born < $year RETURN p.name, p.born",
//!     [("year", 1980)],
//! )?;
//! let people: Vec<(String, i64)> = rows.typed().collect::<Result<_, _>>()?;
//! assert_eq!(people, [("Ann".to_string(), 1975)]);
//! # Ok::<(), evergraph::query::Error>(())
//! ```
//!
//! [`Database::query`](crate::Database::query) is the short form; a [`Statement`] has
//! limits, a moment of the past, and can be run in a [`Transaction`], too.

mod cell;
mod command;
mod error;
pub mod json;
mod resolve;
mod rows;
mod run;
mod statement;
#[cfg(test)]
mod tests;
mod transaction;
mod typed;

pub use cell::{Cell, Node, Path, Relationship};
pub use error::{Error, Place};
pub use evergraph_interpreter::{Cancellation, Counters};
pub use evergraph_syntax::{DEEPEST, keywords};
pub use rows::{Row, Rows, Summary};
pub use statement::{Parameters, Statement};
pub use transaction::Transaction;
pub use typed::{Column, FromCell, FromRow};

/// Names of the functions, as the documentation writes them.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    evergraph_functions::functions::all().map(|function| function.name)
}
