//! The operators.

use std::sync::Arc;

use evergraph_syntax::tree::{Comparison, Labels, OnError};

use super::{Aggregate, Expression, PathSearch, Plan, Slot};

/// Operation on rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// The rows given from outside: one without values, or those around a subquery.
    Argument,
    /// Each node, of a label.
    NodeScan {
        /// The node.
        node: Slot,
        /// Its label; all nodes without.
        label: Option<Arc<str>>,
        /// Tests of its properties; a filter above has the same conditions.
        tests: Vec<ScanTest>,
    },
    /// Nodes that an index has.
    NodeSeek {
        /// The node.
        node: Slot,
        /// Its label.
        label: Arc<str>,
        /// Values that are looked for.
        seek: Seek,
    },
    /// The node of an id.
    NodeById {
        /// The node.
        node: Slot,
        /// Its id.
        id: Expression,
    },
    /// The nodes of a list of ids, as numbers or texts; a filter above has the condition.
    NodesByIds {
        /// The node.
        node: Slot,
        /// The list.
        ids: Expression,
    },
    /// Relationships that are found without a node, with their ends.
    Relationships(Relationships),
    /// Relationships of a node.
    Expand(Expand),
    /// Common neighbors of nodes.
    Intersect(Intersect),
    /// Paths of relationships from a node.
    VariableExpand(VariableExpand),
    /// Shortest paths between two nodes.
    ShortestPath(ShortestPath),
    /// Paths with parts that repeat, selectors or modes.
    SearchPaths(PathSearch),
    /// Ends of a relationship that is known, in each order that fits, and which of them
    /// are known.
    Endpoints(Expand, [bool; 2]),
    /// Rows that satisfy all of them.
    Filter(Vec<Expression>),
    /// More slots.
    Extend(Vec<(Slot, Expression)>),
    /// These slots alone.
    Keep(Vec<Slot>),
    /// Groups of rows with equal keys.
    Aggregate {
        /// Keys of a group.
        keys: Vec<(Slot, Expression)>,
        /// Aggregations over each group.
        aggregates: Vec<(Slot, Aggregate)>,
    },
    /// Groups of rows, counted with what is found at their nodes.
    Count(Count),
    /// Rows that differ in these slots, which alone they keep.
    Distinct(Vec<Slot>),
    /// Rows in order.
    Sort(Vec<SortKey>),
    /// The first rows in order.
    Top(Vec<SortKey>, Expression),
    /// Without so many rows.
    Skip(Expression),
    /// So many rows.
    Limit(Expression),
    /// A row for each element of a list.
    Unwind(Expression, Slot),
    /// A row for each line of a file.
    LoadCsv(LoadCsv),
    /// Rows of another plan for each row; the row with nulls if there is none.
    Optional {
        /// The other plan.
        inner: Box<Plan>,
        /// Slots that it fills.
        brings: Vec<Slot>,
    },
    /// Rows of another plan for each row.
    Apply {
        /// The other plan.
        inner: Box<Plan>,
        /// Slots that it fills; `None` if it runs for its effect, and rows stay.
        brings: Option<Vec<Slot>>,
    },
    /// Rows for which another plan has any rows.
    SemiApply {
        /// The other plan.
        inner: Box<Plan>,
        /// Rather those for which it has none.
        negated: bool,
    },
    /// Rows with the rows of another plan whose keys are equal; that plan does not
    /// depend on the row.
    HashJoin {
        /// The other plan.
        inner: Box<Plan>,
        /// Keys of the rows, and of the other plan's.
        keys: Vec<(Expression, Expression)>,
        /// Slots that it fills.
        brings: Vec<Slot>,
    },
    /// Rows of several plans.
    Union {
        /// Plans with the slots of their columns.
        parts: Vec<(Plan, Vec<Slot>)>,
        /// Slots of the result.
        columns: Vec<Slot>,
    },
    /// All rows, before the first of them goes on.
    Eager,
    /// Makes nodes and relationships.
    Create(Create),
    /// Finds a pattern or makes it.
    Merge(Merge),
    /// Sets properties and labels.
    Set(Vec<SetItem>),
    /// Deletes what these are.
    Delete {
        /// Also relationships of the nodes.
        detach: bool,
        /// Nodes, relationships and paths.
        items: Vec<Expression>,
    },
    /// Runs another plan for each element of a list, and gives the row.
    Foreach {
        /// The list.
        list: Expression,
        /// Each element.
        variable: Slot,
        /// The plan.
        inner: Box<Plan>,
    },
    /// Rows of a procedure.
    Call(ProcedureCall),
    /// Runs another plan in transactions of its own. It stands in the plan of a statement
    /// itself alone, and nothing else there writes.
    InTransactions(InTransactions),
}

impl Operator {
    /// Whether it finds nodes, relationships or paths in the graph for each row alone, and
    /// gives them in the order of the rows.
    pub fn is_search(&self) -> bool {
        matches!(
            self,
            Operator::NodeScan { .. }
                | Operator::NodeSeek { .. }
                | Operator::NodeById { .. }
                | Operator::NodesByIds { .. }
                | Operator::Relationships(_)
                | Operator::Expand(_)
                | Operator::Intersect(_)
                | Operator::VariableExpand(_)
                | Operator::ShortestPath(_)
                | Operator::SearchPaths(_)
                | Operator::Endpoints(..)
        )
    }
}

/// Relationships that are found without a node, each with its ends: in both orders, if it
/// has no direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Relationships {
    /// The relationship, its types and its ends, none of them known.
    pub step: Expand,
    /// How it is found.
    pub by: Lookup,
    /// Whether nothing reads its ends: their slots stay unset, and it has a direction.
    pub ends_unread: bool,
}

/// How relationships are found without a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// Each of the types; with tests of its properties, as of [`Operator::NodeScan`].
    Scan(Vec<ScanTest>),
    /// By an index over those of the one type.
    Index(Seek),
    /// By its id.
    Id(Expression),
}

/// A comparison of a property that a scan decides.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanTest {
    /// The property.
    pub key: Arc<str>,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what; it does not depend on what is scanned.
    pub value: Expression,
}

/// Values that are looked for in an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Seek {
    /// Values of all its keys.
    Equal(Vec<(Arc<str>, Expression)>),
    /// One of the values of a list.
    AnyOf(Arc<str>, Expression),
    /// Values between two, each with whether it is itself among them.
    Range(
        Arc<str>,
        Option<(Expression, bool)>,
        Option<(Expression, bool)>,
    ),
    /// Strings that begin with one.
    Prefix(Arc<str>, Expression),
}

impl Seek {
    /// Keys of the index, in order.
    pub fn keys(&self) -> Vec<&str> {
        match self {
            Seek::Equal(values) => values.iter().map(|(key, _)| &**key).collect(),
            Seek::AnyOf(key, _) | Seek::Range(key, ..) | Seek::Prefix(key, _) => vec![&**key],
        }
    }
}

/// Directions of relationships, seen from the node where they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Towards {
    /// They leave it.
    Outgoing,
    /// They enter it.
    Incoming,
    /// Both.
    Both,
}

impl Towards {
    /// Seen from the other end.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Towards::Outgoing => Towards::Incoming,
            Towards::Incoming => Towards::Outgoing,
            Towards::Both => Towards::Both,
        }
    }
}

/// Relationships of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Expand {
    /// The node.
    pub from: Slot,
    /// Each relationship.
    pub relationship: Slot,
    /// The node at its other end.
    pub to: Slot,
    /// Whether that node is known.
    pub into: bool,
    /// Their direction.
    pub towards: Towards,
    /// Their types; all if none is named.
    pub types: Vec<Arc<str>>,
    /// Slots of relationships that they differ from.
    pub unlike: Vec<Slot>,
    /// Whether nothing reads the relationship: its slot stays unset.
    pub unread: bool,
}

/// Common neighbors of nodes that are known, with a relationship from each.
#[derive(Clone, Debug, PartialEq)]
pub struct Intersect {
    /// The common neighbor.
    pub to: Slot,
    /// The relationships, each from a node that is known.
    pub steps: Vec<Expand>,
    /// Nodes that are known, whose ids are lower than that of the common neighbor.
    pub above: Vec<Slot>,
    /// Nodes that are known, whose ids are higher.
    pub below: Vec<Slot>,
}

/// Groups of rows, counted: each row as often as there are ways to choose a relationship
/// for each branch, all of them different where they have to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// Keys of a group.
    pub keys: Vec<(Slot, Expression)>,
    /// Slots that get the number.
    pub counts: Vec<Slot>,
    /// Branches at nodes of the row.
    pub branches: Vec<Branch>,
    /// Relationships of the row that may be those of branches, which they differ from.
    pub found: Vec<Expand>,
    /// Pairs of branches that do not end in the same node, and have no other conditions.
    pub apart: Vec<[usize; 2]>,
}

/// Relationships of a node that are counted and not found.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The relationships. They differ from those of the row, of the branch around and of
    /// the branches beside it that `unlike` names here or there.
    pub step: Expand,
    /// Labels of the nodes at their other ends.
    pub labels: Vec<Labels>,
    /// Nodes of the row that those nodes are not.
    pub differs: Vec<Slot>,
    /// Relationships that those nodes have with nodes of the row, or have not.
    pub beside: Vec<Beside>,
    /// A node without any counts once: `OPTIONAL MATCH`.
    pub optional: bool,
    /// Branches at those nodes.
    pub branches: Vec<Branch>,
}

/// Whether a node is a neighbor of one of the row.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// The node of the row.
    pub from: Slot,
    /// Direction of the relationship, seen from there.
    pub towards: Towards,
    /// Its types; all if none is named.
    pub types: Vec<Arc<str>>,
    /// Whether it is not one.
    pub negated: bool,
}

/// Paths of relationships from a node.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableExpand {
    /// A step; its relationship is the slot of the list.
    pub step: Expand,
    /// The least length.
    pub least: u64,
    /// The greatest length.
    pub most: Option<u64>,
    /// Whether the list is from the end to the beginning.
    pub reversed: bool,
    /// Properties of each relationship.
    pub properties: Vec<(Arc<str>, Expression)>,
    /// Each end is found once, and no list filled.
    pub ends_once: bool,
}

/// Shortest paths between two nodes that are known.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortestPath {
    /// As of any path.
    pub paths: VariableExpand,
    /// All of the shortest, not one.
    pub all: bool,
    /// The slot of the path, and those of its parts.
    pub path: Option<(Slot, Vec<Slot>)>,
    /// Conditions on each relationship or node of the path: those without are not gone along.
    pub each: Vec<Expression>,
    /// Conditions on the path: the shortest are those of the paths that satisfy them.
    pub whole: Vec<Expression>,
    /// Bounds of the length that these have.
    pub lengths: Vec<LengthBound>,
}

/// A comparison of the length of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthBound {
    /// How it is compared.
    pub comparison: Comparison,
    /// With what; it does not depend on the path.
    pub value: Expression,
    /// Whether the nodes are counted, one more than the relationships.
    pub of_nodes: bool,
}

/// A key of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// The key.
    pub key: Expression,
    /// The greatest first.
    pub descending: bool,
}

/// Nodes and relationships that are made, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Create {
    /// Nodes.
    pub nodes: Vec<NewNode>,
    /// Relationships.
    pub relationships: Vec<NewRelationship>,
    /// Paths of them.
    pub paths: Vec<(Slot, Vec<Slot>)>,
}

/// A node that is made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewNode {
    /// Its slot.
    pub node: Slot,
    /// Its labels.
    pub labels: Vec<WrittenLabel>,
    /// A map of its properties.
    pub properties: Option<Expression>,
}

/// A relationship that is made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRelationship {
    /// Its slot.
    pub relationship: Slot,
    /// The node it leaves.
    pub source: Slot,
    /// Its type.
    pub kind: WrittenLabel,
    /// The node it enters.
    pub target: Slot,
    /// A map of its properties.
    pub properties: Option<Expression>,
}

/// Finds a pattern or makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// Finds it.
    pub found: Box<Plan>,
    /// Slots that are filled.
    pub brings: Vec<Slot>,
    /// Makes it.
    pub create: Create,
    /// Properties and labels set then.
    pub on_create: Vec<SetItem>,
    /// Properties and labels set if it was found.
    pub on_match: Vec<SetItem>,
}

/// Property or labels to set or remove.
#[derive(Clone, Debug, PartialEq)]
pub enum SetItem {
    /// `a.b = c`; null removes it
    Property(Expression, Arc<str>, Expression),
    /// `a[b] = c`
    Computed(Expression, Expression, Expression),
    /// `a = b`
    Replace(Slot, Expression),
    /// `a += b`
    Update(Slot, Expression),
    /// `a:Label`
    AddLabels(Slot, Vec<WrittenLabel>),
    /// `REMOVE a:Label`
    RemoveLabels(Slot, Vec<WrittenLabel>),
}

/// A label or a type that is written.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenLabel {
    /// `A`
    Name(Arc<str>),
    /// `$(a)`: a text, or a list of texts
    Computed(Expression),
}

/// The call of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureCall {
    /// Its full name.
    pub name: Arc<str>,
    /// Arguments.
    pub arguments: Vec<Expression>,
    /// Columns of its rows that are taken, and their slots.
    pub results: Vec<(usize, Slot)>,
    /// Whether a row without results stays.
    pub optional: bool,
    /// Whether it is called for its effect: each row stays.
    pub effect: bool,
    /// Whether it changes the graph.
    pub writes: bool,
}

/// `LOAD CSV`
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCsv {
    /// The name of the file.
    pub source: Expression,
    /// Whether the first line has names for the fields of the others.
    pub headers: bool,
    /// The byte between fields.
    pub terminator: u8,
    /// Each line: a list, or a map by these names.
    pub variable: Slot,
    /// The number of the line, and the path of the file, where something reads them.
    pub place: Option<(Slot, Slot)>,
}

/// `CALL { ... } IN TRANSACTIONS`
#[derive(Clone, Debug, PartialEq)]
pub struct InTransactions {
    /// The other plan, over the rows that a transaction is for.
    pub inner: Box<Plan>,
    /// Slots that it fills.
    pub brings: Vec<Slot>,
    /// Rows that a transaction is for.
    pub rows: Option<Expression>,
    /// Effect of an error.
    pub on_error: OnError,
    /// Slot of what became of the transaction of a row.
    pub status: Option<Slot>,
}

/// Labels of which a scan can look for each alone.
pub fn names_of<C>(labels: &Labels<C>) -> Option<Vec<Arc<str>>> {
    match labels {
        Labels::Name(name) => Some(vec![name.text.as_str().into()]),
        Labels::Or(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(names_of).collect();
            Some(parts?.into_iter().flatten().collect())
        }
        _ => None,
    }
}

impl Expand {
    /// Whether a relationship of it could be of another, but has to differ.
    pub fn may_be(&self, other: &Expand) -> bool {
        let differs =
            self.unlike.contains(&other.relationship) || other.unlike.contains(&self.relationship);
        differs && self.shares_types(other)
    }

    /// Whether a relationship may be of a type of both.
    pub fn shares_types(&self, other: &Expand) -> bool {
        share_types(&self.types, &other.types)
    }
}

/// Whether a relationship may be of two lists of types; an empty one is of all.
pub(crate) fn share_types(one: &[Arc<str>], other: &[Arc<str>]) -> bool {
    one.is_empty() || other.is_empty() || one.iter().any(|kind| other.contains(kind))
}
