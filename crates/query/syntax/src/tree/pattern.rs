//! Patterns of paths.

use super::{Expression, Map, Name, Span};

/// A path, or what it may be: `p = ANY SHORTEST (a)-[r:KNOWS]->+(b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPattern {
    /// Variable of the path.
    pub variable: Option<Name>,
    /// Which of the paths are found.
    pub selector: Selector,
    /// Whether a path may have nodes or relationships twice.
    pub mode: PathMode,
    /// At least one. Relationships stand between nodes or groups, and nodes do not stand
    /// beside each other.
    pub factors: Vec<Factor>,
    /// Where it stands.
    pub at: Span,
}

/// Which paths of those that match are found, between each pair of ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Selector {
    /// All of them.
    #[default]
    All,
    /// `ANY`, or so many
    Any(Option<Count>),
    /// `ALL SHORTEST`
    AllShortest,
    /// `ANY SHORTEST` and `SHORTEST n`
    Shortest(Count),
    /// `SHORTEST n GROUPS`: all paths of the n smallest lengths
    ShortestGroups(Count),
    /// `shortestPath((a)-[*]-(b))`
    ShortestPath,
    /// `allShortestPaths((a)-[*]-(b))`
    AllShortestPaths,
}

/// Whether a path may have nodes or relationships twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathMode {
    /// Nodes, but no relationship.
    #[default]
    Trail,
    /// Nodes and relationships.
    Walk,
    /// Neither.
    Acyclic,
    /// Neither, but that the last node may be the first.
    Simple,
}

/// A number that a parameter may give.
#[derive(Clone, Debug, PartialEq)]
pub enum Count {
    /// Given in the text.
    Number(u64),
    /// `$name`
    Parameter(String),
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Factor {
    /// `(a)`
    Node(NodePattern),
    /// `-[r]->`
    Relationship(Box<RelationshipPattern>),
    /// `((a)-->(b) WHERE c){1,3}`
    Group(Box<Group>),
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePattern {
    /// Its variable.
    pub variable: Option<Name>,
    /// Its labels.
    pub labels: Option<Labels>,
    /// Its properties.
    pub properties: Option<Properties>,
    /// `WHERE` within the parentheses
    pub filter: Option<Expression>,
    /// Where it stands.
    pub at: Span,
}

/// A relationship, or a path of relationships.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipPattern {
    /// Its direction.
    pub direction: Direction,
    /// Its variable.
    pub variable: Option<Name>,
    /// Its types.
    pub types: Option<Labels>,
    /// `*1..3`
    pub length: Option<Length>,
    /// Its properties.
    pub properties: Option<Properties>,
    /// `WHERE` within the brackets
    pub filter: Option<Expression>,
    /// `+` behind it, say
    pub quantifier: Option<Quantifier>,
    /// Where it stands.
    pub at: Span,
}

/// Direction of a relationship, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `-->`
    Right,
    /// `<--`
    Left,
    /// `--` and `<-->`
    Either,
}

/// A path within a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The path.
    pub pattern: PathPattern,
    /// `WHERE` within the parentheses
    pub filter: Option<Expression>,
    /// How often it repeats.
    pub quantifier: Option<Quantifier>,
    /// Where it stands.
    pub at: Span,
}

/// Properties of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Properties {
    /// `{name: 'a'}`
    Map(Map),
    /// `$properties`
    Parameter(Name),
}

/// Numbers of relationships: `*` is from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Length {
    /// The least number, 1 if there is none.
    pub least: Option<u64>,
    /// The greatest number.
    pub most: Option<u64>,
}

/// How often something repeats: `*` is `{0,}`, `+` is `{1,}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantifier {
    /// The least number.
    pub least: u64,
    /// The greatest number.
    pub most: Option<u64>,
}

/// Labels that a node has, or types of which a relationship has one.
#[derive(Clone, Debug, PartialEq)]
pub enum Labels {
    /// `Person`
    Name(Name),
    /// `%`, any
    Any,
    /// `!a`
    Not(Box<Labels>),
    /// `a & b`, and `:a:b`; two or more
    And(Vec<Labels>),
    /// `a | b`, and `:a|:b`; two or more
    Or(Vec<Labels>),
}

impl Labels {
    /// The names, if they are all demanded, as where labels are written.
    pub fn all(&self) -> Option<Vec<&Name>> {
        match self {
            Labels::Name(name) => Some(vec![name]),
            Labels::And(parts) => {
                let names = parts.iter().map(|part| match part {
                    Labels::Name(name) => Some(name),
                    _ => None,
                });
                names.collect()
            }
            _ => None,
        }
    }
}
