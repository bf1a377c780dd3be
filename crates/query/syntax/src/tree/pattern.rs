//! Patterns of paths.

use std::convert::Infallible;

use super::{Expression, Map, Name, PathMode, Span};

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

impl Factor {
    /// Variable of a node or a relationship.
    pub fn variable(&self) -> Option<&Name> {
        match self {
            Factor::Node(node) => node.variable.as_ref(),
            Factor::Relationship(part) => part.variable.as_ref(),
            Factor::Group(_) => None,
        }
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePattern {
    /// Its variable.
    pub variable: Option<Name>,
    /// Its labels.
    pub labels: Option<StatementLabels>,
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
    pub types: Option<StatementLabels>,
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

/// Labels that a node has, or types of which a relationship has one. There are none that
/// are computed, but in statements.
#[derive(Clone, Debug, PartialEq)]
pub enum Labels<C = Infallible> {
    /// `Person`
    Name(Name),
    /// `%`, any
    Any,
    /// `!a`
    Not(Box<Labels<C>>),
    /// `a & b`, and `:a:b`; two or more
    And(Vec<Labels<C>>),
    /// `a | b`, and `:a|:b`; two or more
    Or(Vec<Labels<C>>),
    /// `$(a)`
    Computed(C),
}

/// Labels as a statement has them.
pub type StatementLabels = Labels<Computed>;

/// `$(a)`, also written `$all(a)`, and `$any(a)`: labels that a value names.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// Whether one of them is enough.
    pub any: bool,
    /// A text, or a list of texts.
    pub names: Box<Expression>,
}

impl<C> Labels<C> {
    /// The parts, if they are all demanded, and each is a name or computed.
    pub fn all(&self) -> Option<Vec<&Labels<C>>> {
        let parts: Vec<&Labels<C>> = match self {
            Labels::And(parts) => parts.iter().collect(),
            one => vec![one],
        };
        let is_one = |part: &&Labels<C>| matches!(part, Labels::Name(_) | Labels::Computed(_));
        parts.iter().all(is_one).then_some(parts)
    }

    /// Those that are computed.
    pub fn computed(&self) -> Vec<&C> {
        match self {
            Labels::Name(_) | Labels::Any => Vec::new(),
            Labels::Not(part) => part.computed(),
            Labels::And(parts) | Labels::Or(parts) => {
                parts.iter().flat_map(Labels::computed).collect()
            }
            Labels::Computed(computed) => vec![computed],
        }
    }
}

impl StatementLabels {
    /// The same, if none of them is computed.
    pub fn known(&self) -> Option<Labels> {
        let all = |parts: &[Self]| parts.iter().map(Self::known).collect::<Option<Vec<_>>>();
        Some(match self {
            Labels::Name(name) => Labels::Name(name.clone()),
            Labels::Any => Labels::Any,
            Labels::Not(part) => Labels::Not(Box::new(part.known()?)),
            Labels::And(parts) => Labels::And(all(parts)?),
            Labels::Or(parts) => Labels::Or(all(parts)?),
            Labels::Computed(_) => return None,
        })
    }
}
