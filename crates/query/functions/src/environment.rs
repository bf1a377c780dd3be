//! All that a function may know beside its arguments.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use evergraph_graph::Bytes;
use evergraph_graph::random::Random;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Entity, NodeId, RelationshipId};
use evergraph_property_graph::value::{DateTime, Zone};
use regex::Regex;

use crate::error::{ErrorKind, EvaluationError, ReadError};

/// Reads nodes and relationships of the statement's view.
pub trait Entities {
    /// Labels of a node, in an order that does not change.
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, ReadError>;

    /// Type of a relationship; of one that the statement has deleted, too.
    fn relationship_type(&self, relationship: RelationshipId) -> Result<Arc<str>, ReadError>;

    /// Source and target of a relationship; of one that the statement has deleted, too.
    fn ends(&self, relationship: RelationshipId) -> Result<(NodeId, NodeId), ReadError>;

    /// The value of a key; null where there is none.
    fn property(&self, entity: Entity, key: &str) -> Result<Value, ReadError>;

    /// All values by key.
    fn properties(&self, entity: Entity) -> Result<BTreeMap<Arc<str>, Value>, ReadError>;
}

/// No graph: expressions of constants are evaluated with it.
#[derive(Clone, Copy, Debug)]
pub struct NoGraph;

fn no_graph<T>() -> Result<T, ReadError> {
    Err("there is no graph to read here".into())
}

impl Entities for NoGraph {
    fn labels(&self, _: NodeId) -> Result<Vec<Arc<str>>, ReadError> {
        no_graph()
    }

    fn relationship_type(&self, _: RelationshipId) -> Result<Arc<str>, ReadError> {
        no_graph()
    }

    fn ends(&self, _: RelationshipId) -> Result<(NodeId, NodeId), ReadError> {
        no_graph()
    }

    fn property(&self, _: Entity, _: &str) -> Result<Value, ReadError> {
        no_graph()
    }

    fn properties(&self, _: Entity) -> Result<BTreeMap<Arc<str>, Value>, ReadError> {
        no_graph()
    }
}

/// The instants that functions of time give.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Beginning of the transaction.
    pub transaction: DateTime,
    /// Beginning of the statement.
    pub statement: DateTime,
    /// The instant at which it is called.
    pub realtime: fn() -> DateTime,
}

impl Clock {
    /// A statement that begins now, in a transaction that began then.
    pub fn of_statement(transaction: DateTime) -> Self {
        Clock {
            transaction,
            statement: system_time(),
            realtime: system_time,
        }
    }
}

impl Clock {
    /// A statement that is a transaction of its own: it begins with it.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.transaction = self.statement.clone();
        self
    }

    /// Of a statement that calls no function of time.
    pub fn stopped() -> Self {
        Clock {
            transaction: DateTime::EPOCH,
            statement: DateTime::EPOCH,
            realtime: system_time,
        }
    }
}

/// The system's time, in UTC; its beginning if the system's is out of range.
pub(crate) fn system_time() -> DateTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(0);
    let moment = DateTime::from_seconds(seconds, since.subsec_nanos(), 0);
    moment.unwrap_or(DateTime::EPOCH)
}

/// State that functions of one thread of a query share.
pub struct Environment<'a> {
    /// Nodes and relationships.
    pub entities: &'a dyn Entities,
    /// Instants.
    pub clock: Clock,
    /// The zone of times that have none.
    pub zone: Zone,
    /// Most bytes that one value may have.
    pub most_bytes: usize,
    random: RefCell<Random>,
    /// The pattern compiled last: most queries have one, and match it against each row.
    pattern: RefCell<Option<(Arc<str>, Regex)>>,
}

/// Most bytes of one value, unless told otherwise.
const MOST_BYTES: usize = 1 << 28;

impl<'a> Environment<'a> {
    /// An environment in UTC. Threads of one query take different seeds.
    pub fn new(entities: &'a dyn Entities, clock: Clock, seed: u64) -> Self {
        Environment {
            entities,
            clock,
            zone: Zone::UTC,
            most_bytes: MOST_BYTES,
            random: RefCell::new(Random::new(seed)),
            pattern: RefCell::new(None),
        }
    }

    /// 64 random bits.
    pub(crate) fn random(&self) -> u64 {
        self.random.borrow_mut().next_u64()
    }

    /// Whether a text, from its beginning to its end, matches a pattern.
    pub(crate) fn matches(&self, text: &str, pattern: &Arc<str>) -> Result<bool, EvaluationError> {
        let mut last = self.pattern.borrow_mut();
        if let Some((_, regex)) = last.as_ref().filter(|(known, _)| known == pattern) {
            return Ok(regex.is_match(text));
        }
        let regex = crate::pattern::compile(pattern).map_err(|why| {
            let message = format!("'{pattern}' is no regular expression: {why}");
            EvaluationError::new(ErrorKind::InvalidText, message)
        })?;
        let is_match = regex.is_match(text);
        *last = Some((pattern.clone(), regex));
        Ok(is_match)
    }

    /// Refuses a value of too many bytes before it is made.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Result<(), EvaluationError> {
        if bytes > self.most_bytes {
            let message = format!(
                "the value would take {}; at most {} are allowed",
                Bytes(bytes as u64),
                Bytes(self.most_bytes as u64)
            );
            return Err(EvaluationError::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }

    /// Refuses a list of too many elements before it is made.
    pub(crate) fn check_elements(&self, elements: usize) -> Result<(), EvaluationError> {
        let bytes = elements.saturating_mul(size_of::<Value>());
        if bytes > self.most_bytes {
            let most = self.most_bytes / size_of::<Value>();
            let message = format!(
                "the list would have {elements} elements; at most {most} are allowed \
                 ({} a value); UNWIND range(...) makes no list",
                Bytes(self.most_bytes as u64)
            );
            return Err(EvaluationError::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }
}
