//! The value of an expression.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_syntax::scope::Types;

/// One value while a query runs. Cloning is cheap: long contents are shared.
///
/// A list or map without a node, relationship or path in it is always a
/// [`Datum::Value`], so that what can be stored is one by its variant: make them with
/// [`Datum::list`] and [`Datum::map`].
#[derive(Clone, Debug)]
pub enum Datum {
    /// A value that a property can have, or null.
    Value(Value),
    /// A node.
    Node(NodeId),
    /// A relationship.
    Relationship(RelationshipId),
    /// A path.
    Path(Arc<Path>),
    /// A list with nodes, relationships or paths in it.
    List(Arc<[Datum]>),
    /// A map with nodes, relationships or paths in it.
    Map(Arc<BTreeMap<Arc<str>, Datum>>),
}

/// Nodes, and the relationships between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    nodes: Vec<NodeId>,
    relationships: Vec<RelationshipId>,
}

impl Path {
    /// A path along nodes; between each two of them is a relationship, in either
    /// direction.
    ///
    /// # Panics
    /// If there are not as many relationships as nodes, less one.
    pub fn new(nodes: Vec<NodeId>, relationships: Vec<RelationshipId>) -> Self {
        assert_eq!(
            nodes.len(),
            relationships.len() + 1,
            "a relationship lies between two nodes"
        );
        Path {
            nodes,
            relationships,
        }
    }

    /// Nodes from the first to the last, at least one.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Relationships from the first to the last.
    pub fn relationships(&self) -> &[RelationshipId] {
        &self.relationships
    }
}

/// Elements of a list of either form.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    /// Values.
    Values(&'a [Value]),
    /// Some are nodes, relationships or paths.
    Data(&'a [Datum]),
}

impl<'a> Elements<'a> {
    /// Number of elements.
    pub fn len(self) -> usize {
        match self {
            Elements::Values(values) => values.len(),
            Elements::Data(data) => data.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// An element by its place, from 0.
    pub fn get(self, at: usize) -> Option<Datum> {
        match self {
            Elements::Values(values) => values.get(at).cloned().map(Datum::Value),
            Elements::Data(data) => data.get(at).cloned(),
        }
    }

    /// The elements in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Datum> + ExactSizeIterator + 'a {
        (0..self.len()).map(move |at| self.get(at).unwrap_or_default())
    }

    /// A part of them, as a list.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn slice(self, range: std::ops::Range<usize>) -> Datum {
        match self {
            Elements::Values(values) => Datum::Value(Value::List(values[range].into())),
            Elements::Data(data) => Datum::list(data[range].to_vec()),
        }
    }
}

/// Values are read by recursion, so none is made that is deeper than a thread's stack.
impl Datum {
    /// Lists and maps that may lie within each other.
    pub const DEEPEST: usize = 1000;

    /// Whether lists and maps lie deeper within each other than so.
    pub fn is_deeper(&self, most: usize) -> bool {
        fn of_value(value: &Value, most: usize) -> bool {
            let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
                Value::List(values) => Box::new(values.iter()),
                Value::Map(entries) => Box::new(entries.values()),
                _ => return false,
            };
            most == 0 || inner.any(|value| of_value(value, most - 1))
        }
        match self {
            Datum::List(data) => most == 0 || data.iter().any(|one| one.is_deeper(most - 1)),
            Datum::Map(entries) => most == 0 || entries.values().any(|one| one.is_deeper(most - 1)),
            Datum::Value(value) => of_value(value, most),
            _ => false,
        }
    }

    /// Makes a value null, and drops what it was without recursion.
    pub fn take_apart(&mut self) {
        let Datum::Value(value) = std::mem::take(self) else {
            return;
        };
        let mut left = vec![value];
        while let Some(mut value) = left.pop() {
            match &mut value {
                Value::List(values) => {
                    let values = Arc::get_mut(values).unwrap_or_default();
                    left.extend(values.iter_mut().map(std::mem::take));
                }
                Value::Map(entries) => {
                    let entries = Arc::get_mut(entries).map(std::mem::take);
                    left.extend(entries.unwrap_or_default().into_values());
                }
                _ => {}
            }
        }
    }
}

impl Default for Datum {
    fn default() -> Self {
        Datum::NULL
    }
}

impl Datum {
    /// Null.
    pub const NULL: Datum = Datum::Value(Value::Null);

    /// Type of the value, as definitions of functions name it.
    pub fn types(&self) -> Types {
        match self {
            Datum::Node(_) => Types::NODE,
            Datum::Relationship(_) => Types::RELATIONSHIP,
            Datum::Path(_) => Types::PATH,
            Datum::List(_) => Types::LIST,
            Datum::Map(_) => Types::MAP,
            Datum::Value(value) => match value {
                Value::Null => Types::NULL,
                Value::Boolean(_) => Types::BOOLEAN,
                Value::Integer(_) => Types::INTEGER,
                Value::Float(_) => Types::FLOAT,
                Value::Text(_) => Types::STRING,
                Value::Bytes(_) => Types::BYTES,
                Value::List(_) => Types::LIST,
                Value::Map(_) => Types::MAP,
                Value::Date(_) => Types::DATE,
                Value::Time(_) => Types::TIME,
                Value::LocalTime(_) => Types::LOCAL_TIME,
                Value::DateTime(_) => Types::DATETIME,
                Value::LocalDateTime(_) => Types::LOCAL_DATETIME,
                Value::Duration(_) => Types::DURATION,
                Value::Point(_) => Types::POINT,
            },
        }
    }

    /// A list.
    pub fn list(data: Vec<Datum>) -> Self {
        if data.iter().all(|datum| matches!(datum, Datum::Value(_))) {
            let values = data.into_iter().map(|datum| match datum {
                Datum::Value(value) => value,
                _ => Value::Null,
            });
            return Datum::Value(Value::List(values.collect()));
        }
        Datum::List(data.into())
    }

    /// A map.
    pub fn map(entries: BTreeMap<Arc<str>, Datum>) -> Self {
        if entries
            .values()
            .all(|datum| matches!(datum, Datum::Value(_)))
        {
            let values = entries.into_iter().map(|(key, datum)| match datum {
                Datum::Value(value) => (key, value),
                _ => (key, Value::Null),
            });
            return Datum::Value(Value::Map(Arc::new(values.collect())));
        }
        Datum::Map(Arc::new(entries))
    }

    /// A truth value; null if it is unknown.
    pub fn truth(truth: Option<bool>) -> Self {
        Datum::Value(truth.map_or(Value::Null, Value::Boolean))
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Value(Value::Null))
    }

    /// The value, if it can be stored as one.
    pub fn as_value(&self) -> Option<&Value> {
        match self {
            Datum::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Elements, if it is a list.
    pub fn elements(&self) -> Option<Elements<'_>> {
        match self {
            Datum::Value(Value::List(values)) => Some(Elements::Values(values)),
            Datum::List(data) => Some(Elements::Data(data)),
            _ => None,
        }
    }

    /// Keys and values by key, if it is a map.
    pub fn entries(&self) -> Option<BTreeMap<Arc<str>, Datum>> {
        match self {
            Datum::Value(Value::Map(entries)) => {
                let entries = entries.iter();
                Some(
                    entries
                        .map(|(key, value)| (key.clone(), Datum::Value(value.clone())))
                        .collect(),
                )
            }
            Datum::Map(entries) => Some((**entries).clone()),
            _ => None,
        }
    }

    /// Name of the type, as Cypher writes it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Datum::Value(value) => value.type_name(),
            Datum::Node(_) => "NODE",
            Datum::Relationship(_) => "RELATIONSHIP",
            Datum::Path(_) => "PATH",
            Datum::List(_) => "LIST",
            Datum::Map(_) => "MAP",
        }
    }
}

impl<T: Into<Value>> From<T> for Datum {
    fn from(value: T) -> Self {
        Datum::Value(value.into())
    }
}
