//! Statements that are no queries.

use super::{CopyFrom, CopyTo, DataType, Expression, Map, Name, Projection, Span};

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
    Show(Box<Show>),
    /// `COPY ... FROM`
    CopyFrom(CopyFrom),
    /// `COPY ... TO`
    CopyTo(CopyTo),
}

/// Nodes or relationships of an index or a constraint: `FOR (n:Label)` or `FOR ()-[r:TYPE]-()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Whether of relationships.
    pub of_relationships: bool,
    /// Variable.
    pub variable: Name,
    /// Label or type, more than one only of a full-text index.
    pub labels: Vec<Name>,
}

/// Name of an index or a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinitionName {
    /// As it is written.
    Written(Name),
    /// `$name`: the text of a parameter.
    Parameter(Name),
}

impl DefinitionName {
    /// Where it stands.
    pub fn at(&self) -> Span {
        match self {
            DefinitionName::Written(name) | DefinitionName::Parameter(name) => name.at,
        }
    }
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
    pub name: Option<DefinitionName>,
    /// Whether it is no error if it exists.
    pub if_not_exists: bool,
    /// Nodes or relationships that it is of.
    pub subject: Subject,
    /// At least one.
    pub properties: Vec<Name>,
    /// `OPTIONS {...}`
    pub options: Option<Map>,
}

/// `CREATE CONSTRAINT name IF NOT EXISTS FOR (n:Label) REQUIRE n.a IS UNIQUE`
#[derive(Clone, Debug, PartialEq)]
pub struct CreateConstraint {
    /// Its name.
    pub name: Option<DefinitionName>,
    /// Whether it is no error if it exists.
    pub if_not_exists: bool,
    /// Nodes or relationships that it is of.
    pub subject: Subject,
    /// At least one.
    pub properties: Vec<Name>,
    /// The requirement.
    pub requirement: Requirement,
    /// `OPTIONS {...}` of the index that belongs to it
    pub options: Option<Map>,
}

/// Requirement of a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// `IS UNIQUE`
    Unique,
    /// `IS NOT NULL`
    NotNull,
    /// `IS NODE KEY` and the like: unique, and not null
    Key,
    /// `IS :: STRING`, also `IS TYPED STRING`
    Type(DataType, Span),
}

/// `DROP INDEX name IF EXISTS`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// Whether a constraint, and not an index.
    pub is_constraint: bool,
    /// Its name.
    pub name: DefinitionName,
    /// Whether it is no error if it does not exist.
    pub if_exists: bool,
}

/// Lists that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// `INDEXES`, or `RANGE INDEXES`, those of one of [`INDEX_TYPES`]
    Indexes(Option<&'static str>),
    /// `CONSTRAINTS`, `NODE KEY CONSTRAINTS`
    Constraints(ConstraintFilter),
    /// `PROCEDURES`
    Procedures,
    /// `FUNCTIONS`
    Functions,
    /// `TRANSACTIONS`
    Transactions,
    /// `COMPILED QUERIES`
    CompiledQueries,
}

/// Types of indexes that lists can be of, as Neo4j has them: some have no index here.
pub const INDEX_TYPES: [&str; 6] = ["RANGE", "FULLTEXT", "VECTOR", "TEXT", "POINT", "LOOKUP"];

/// Constraints that a list is of: `NODE KEY CONSTRAINTS`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstraintFilter {
    /// Whether of relationships or of nodes; of both without it.
    pub of_relationships: Option<bool>,
    /// Any without it.
    pub rule: Option<ConstraintRule>,
}

impl ConstraintFilter {
    /// `CONSTRAINTS`
    pub const ALL: ConstraintFilter = ConstraintFilter {
        of_relationships: None,
        rule: None,
    };
}

/// Kinds of constraints that lists can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintRule {
    /// `UNIQUENESS`
    Unique,
    /// `EXISTENCE`
    Exists,
    /// `KEY`
    Key,
    /// `PROPERTY TYPE`
    Type,
}

/// `SHOW INDEXES YIELD name ORDER BY name WHERE name STARTS WITH 'a' RETURN count(*)`
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    /// Which.
    pub listing: Listing,
    /// `YIELD` with `ORDER BY`, `SKIP`, `LIMIT` and `WHERE`
    pub yielded: Option<Projection>,
    /// `WHERE` without `YIELD`
    pub filter: Option<Expression>,
    /// `RETURN`, only behind `YIELD` or `WHERE`
    pub returned: Option<Projection>,
}
