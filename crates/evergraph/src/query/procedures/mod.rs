//! Procedures over what a database can do beside queries.

mod algorithms;
mod config;
mod own;
mod search;
#[cfg(all(test, any(feature = "fulltext", feature = "vector")))]
mod search_tests;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use evergraph_interpreter::Procedures;

use crate::Session;

pub use own::{ProcedureError, ProcedureMode};

/// Those that statements on a database may call; none but the interpreter's own where it
/// holds no property graph. They do not keep the session open.
pub(crate) fn procedures(session: &Arc<Session>, directory: &Path) -> Procedures {
    let mut procedures = Procedures::new();
    if session.is_property_graph() {
        algorithms::register(&mut procedures, session);
        search::register(&mut procedures, session, directory);
    }
    procedures
}
