//! Statements that are no queries.

use super::{CopyFrom, CopyTo, Expression, Map, Name, YieldItem};

/// Statements that are no queries.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `CREATE INDEX`
    CreateIndex(CreateIndex),
    /// `CREATE CONSTRAINT`
    CreateConstraint(CreateConstraint),
    /// `DROP INDEX` and `DROP CONSTRAINT`
    Drop(Drop),
    /// `SHOW INDEXES`
    Show(Show),
    /// `COPY ... FROM`
    CopyFrom(CopyFrom),
    /// `COPY ... TO`
    CopyTo(CopyTo),
}

/// What an index or a constraint is of: `FOR (n:Label)` or `FOR ()-[r:TYPE]-()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Whether of relationships.
    pub of_relationships: bool,
    /// Variable.
    pub variable: Name,
    /// Label or type, more than one only of a full-text index.
    pub labels: Vec<Name>,
}

/// Kinds of indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// `INDEX` and `RANGE INDEX`, ordered
    Range,
    /// `FULLTEXT INDEX`
    FullText,
    /// `VECTOR INDEX`
    Vector,
}

/// `CREATE INDEX name IF NOT EXISTS FOR (n:Label) ON (n.a, n.b)`
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    /// Its kind.
    pub kind: IndexKind,
    /// Its name.
    pub name: Option<Name>,
    /// Whether it is no error if it exists.
    pub if_not_exists: bool,
    /// What it is of.
    pub subject: Subject,
    /// At least one.
    pub properties: Vec<Name>,
    /// `OPTIONS {...}`
    pub options: Option<Map>,
}

/// `CREATE CONSTRAINT name IF NOT EXISTS FOR (n:Label) REQUIRE n.a IS UNIQUE`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateConstraint {
    /// Its name.
    pub name: Option<Name>,
    /// Whether it is no error if it exists.
    pub if_not_exists: bool,
    /// What it is of.
    pub subject: Subject,
    /// At least one.
    pub properties: Vec<Name>,
    /// What is required of them.
    pub requirement: Requirement,
}

/// What a constraint requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// `IS UNIQUE`
    Unique,
    /// `IS NOT NULL`
    NotNull,
    /// `IS NODE KEY` and the like: unique, and not null
    Key,
    /// `IS :: STRING`, also `IS TYPED STRING`
    Type(Name),
}

/// `DROP INDEX name IF EXISTS`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// Whether a constraint, and not an index.
    pub is_constraint: bool,
    /// Its name.
    pub name: Name,
    /// Whether it is no error if it does not exist.
    pub if_exists: bool,
}

/// What can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// `INDEXES`
    Indexes,
    /// `CONSTRAINTS`
    Constraints,
    /// `PROCEDURES`
    Procedures,
    /// `FUNCTIONS`
    Functions,
    /// `TRANSACTIONS`
    Transactions,
}

/// `SHOW INDEXES YIELD name WHERE name STARTS WITH 'a'`
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// Which.
    pub listing: Listing,
    /// `YIELD`, all columns if empty
    pub columns: Vec<YieldItem>,
    /// `WHERE`
    pub filter: Option<Expression>,
}
