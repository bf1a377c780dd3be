//! Statements that read and write files.

use super::{Expression, Name, Query, Span};

/// `COPY Person FROM 'file' (key id)`: rows become nodes; with the options `from` and `to`
/// relationships.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyFrom {
    /// Label or type of what the rows become.
    pub name: Name,
    /// The file: a text or a parameter.
    pub file: Expression,
    /// `(key id, delimiter '|')`
    pub options: Vec<CopyOption>,
}

/// `COPY (MATCH ... RETURN ...) TO 'file' (header false)`
#[derive(Clone, Debug, PartialEq)]
pub struct CopyTo {
    /// The rows that are written.
    pub query: Query,
    /// Where the query stands.
    pub at: Span,
    /// The file: a text or a parameter.
    pub file: Expression,
    /// `(header false)`
    pub options: Vec<CopyOption>,
}

/// `header`, `delimiter '|'`, `from Person.id`, `skip = 1`
#[derive(Clone, Debug, PartialEq)]
pub struct CopyOption {
    /// Its name.
    pub name: Name,
    /// Its value; without one it is switched on.
    pub value: Option<Expression>,
}
