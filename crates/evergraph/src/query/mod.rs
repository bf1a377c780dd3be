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

#[cfg(feature = "columnar")]
pub mod arrow;
mod cell;
mod command;
mod copy;
mod definitions;
mod error;
mod hot;
pub mod json;
mod load_csv;
mod options;
mod plans;
mod prepared;
mod procedures;
mod resolve;
mod rows;
mod run;
mod search_index;
mod statement;
mod stream;
#[cfg(test)]
mod test_place;
#[cfg(test)]
mod tests;
mod transaction;
mod typed;

pub use cell::{Cell, Node, Path, Relationship};
pub use copy::csv_row;
pub use error::{Error, Notification, Place};
pub use evergraph_interpreter::{
    Cancellation, Counters, Execution, Limits, OperatorProfile, ProcedureContext, Profile,
    QueryError, Seen,
};
pub use evergraph_syntax::{DEEPEST, keywords};
pub(crate) use plans::Plans;
pub use prepared::Prepared;
pub(crate) use procedures::procedures;
pub use procedures::{ProcedureError, ProcedureMode};
pub use rows::{Row, Rows, Summary};
pub use statement::{Parameters, Statement};
pub use transaction::Transaction;
pub use typed::{Column, FromCell, FromRow};

/// Names of the functions, as the documentation writes them.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    evergraph_functions::functions::all().map(|function| function.signature.name)
}

/// How a program gets a feature that it was built without.
#[cfg(not(all(feature = "fulltext", feature = "vector", feature = "columnar")))]
fn feature_hint(feature: &str) -> String {
    format!(
        "build it with the feature `{feature}`, the command line by `cargo build --release -p \
         evergraph-cli --features {feature}`"
    )
}
