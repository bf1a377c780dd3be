//! openCypher: from text to a syntax tree, and the checks that need no graph.
//!
//! [`parse`] reads a statement, [`check`](scope::check) refuses what can have no meaning:
//! variables that there are not, aggregations where there can be none, and the like. Every
//! part of the tree knows where it stands, and prints itself as text that parses to an
//! equal tree. Nothing here knows of a database.
//!
//! ```
//! let statement = evergraph_syntax::parse("match (n) where n.age>1+1 return n.name").unwrap();
//! assert_eq!(statement.to_string(), "MATCH (n) WHERE n.age > 1 + 1 RETURN n.name");
//!
//! let error = evergraph_syntax::parse("MATCH (n) RETRUN n").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "RETRUN stands where a clause, such as WHERE or RETURN, should be: did you mean RETURN?, \
//!      at line 1, column 11\n  MATCH (n) RETRUN n\n            ^^^^^^"
//! );
//! ```

#![forbid(unsafe_code)]

mod error;
mod lexer;
mod parse;
mod print;
pub mod scope;
pub mod tree;

pub use error::{Class, Detail, Error, excerpt, nearest, position, with_article};
pub use lexer::LONGEST_TEXT;
pub use parse::DEEPEST;

use tree::{Expression, Name, Statement};

/// Reads one statement, with or without a semicolon behind it. O(length).
///
/// # Errors
/// The first thing that is wrong, and its place.
pub fn parse(text: &str) -> Result<Statement, Error> {
    parse::statement(text)
}

/// Reads statements with semicolons between them. O(length).
///
/// # Errors
/// The first thing that is wrong, and its place.
pub fn parse_script(text: &str) -> Result<Vec<Statement>, Error> {
    parse::statements(text)
}

/// Parameters of a text, in its order, each as often as it stands there. O(length).
///
/// # Errors
/// A text that is too long.
pub fn parameters(text: &str) -> Result<Vec<Name>, Error> {
    parse::parameters(text)
}

/// Words of the language, sorted, in upper case: for completion.
pub fn keywords() -> Vec<&'static str> {
    parse::keywords()
}

/// Reads an expression. O(length).
///
/// # Errors
/// The first thing that is wrong, and its place.
pub fn parse_expression(text: &str) -> Result<Expression, Error> {
    parse::expression(text)
}
