//! Lists and sets in a property graph.
//!
//! A list is a property of a node. What a set has is said by a node's outgoing
//! relationships, by nodes with a label, or by nodes that an index finds.

use evergraph_isolation::{Element, Key, Level, Stop, Subject};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Direction, GraphError, GraphOptions, Node, NodeId, PropertyGraph, RelationshipId, Transaction,
};
use evergraph_property_graph::transaction::{Isolation, Retryable, TransactionOptions};
use evergraph_storage::StorageError;
use evergraph_topology::TopologyError;

/// Small enough that chunks, sections and log run full.
pub fn options() -> GraphOptions {
    let mut options = GraphOptions::default();
    options.store.section_shift = 2;
    options.store.log_bytes = 1 << 16;
    options.store.extent_alignment = 64;
    options.store.growth_step = 1 << 16;
    options.chunk_records = 4;
    options
}

const CONTENT: &str = "content";
const KIND: &str = "HAS";

/// Nodes with fixed labels, so that they are found again after a restart.
const LIST: &str = "List";
const HUB: &str = "Hub";

/// Nodes that an index over the tag finds.
const TAGGED: &str = "Tagged";
const TAG: &str = "tag";

/// How the members of a set are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Neighbors,
    Label,
    Index,
}

fn kind(set: Key) -> Kind {
    [Kind::Neighbors, Kind::Label, Kind::Index][set as usize % 3]
}

pub struct Lists {
    pub graph: PropertyGraph,
    lists: Vec<NodeId>,
    hubs: Vec<NodeId>,
}

impl Lists {
    /// Makes the nodes in one commit.
    pub fn create(graph: PropertyGraph, lists: Key, sets: Key) -> Result<Self, GraphError> {
        graph.create_index("tags", TAGGED, &[TAG])?;
        graph.write(|tx| {
            for _ in 0..lists {
                tx.create_node(&[LIST], [])?;
            }
            for _ in 0..sets {
                tx.create_node(&[HUB], [])?;
            }
            Ok(())
        })?;
        Self::find(graph)
    }

    /// Finds the nodes, ascending by id as they were made; none if they were not.
    pub fn find(graph: PropertyGraph) -> Result<Self, GraphError> {
        let view = graph.view();
        let labelled = |label| -> Result<Vec<NodeId>, GraphError> {
            let nodes = view.nodes_with_label(label);
            nodes.map(|node| Ok(node?.id())).collect()
        };
        let (lists, hubs) = (labelled(LIST)?, labelled(HUB)?);
        drop(view);
        Ok(Lists { graph, lists, hubs })
    }

    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }
}

/// A member of a set.
enum Member {
    Node(NodeId),
    Relationship(RelationshipId),
}

fn label(set: Key) -> String {
    format!("Set{set}")
}

fn members(
    lists: &Lists,
    tx: &Transaction,
    set: Key,
) -> Result<Vec<(Member, Element)>, GraphError> {
    let element = |value: Option<&Value>| {
        let number = value.and_then(Value::as_integer);
        number.expect("members have a number") as Element
    };
    let member = |node: Node| (Member::Node(node.id()), element(node.get(CONTENT)));
    match kind(set) {
        Kind::Neighbors => {
            let node = lists.hubs[set as usize];
            let adjacent = tx.neighbors(node, Direction::Outgoing, &[KIND])?;
            let member = |id| {
                let relationship = tx.relationship(id)?.expect("listed");
                Ok((Member::Relationship(id), element(relationship.get(CONTENT))))
            };
            adjacent
                .into_iter()
                .map(|adjacent| member(adjacent.relationship))
                .collect()
        }
        Kind::Label => {
            let nodes = tx.nodes_with_label(&label(set));
            nodes.map(|node| Ok(member(node?))).collect()
        }
        Kind::Index => {
            let found = tx.find(TAGGED, &[(TAG, Value::Integer(i64::from(set)))])?;
            Ok(found.into_iter().map(member).collect())
        }
    }
}

fn content(lists: &Lists, tx: &Transaction, list: Key) -> Result<Vec<Value>, GraphError> {
    let node = tx.node(lists.lists[list as usize])?;
    let node = node.expect("lists are never deleted");
    let content = node.get(CONTENT).and_then(Value::as_list);
    Ok(content.unwrap_or_default().to_vec())
}

/// Ends a transaction that did not ask for its commit.
fn stop(error: GraphError) -> Stop {
    assert!(error.is_retryable() || is_of_medium(&error), "{error}");
    Stop::Aborted
}

/// Ends a transaction that asked for its commit.
fn no_commit(error: GraphError) -> Stop {
    match is_of_medium(&error) {
        true => Stop::Unknown,
        false => stop(error),
    }
}

fn is_of_medium(error: &GraphError) -> bool {
    match error {
        GraphError::Storage(StorageError::Medium(_)) => true,
        GraphError::Topology(error) => matches!(
            error.cause(),
            TopologyError::Storage(StorageError::Medium(_))
        ),
        _ => false,
    }
}

impl Subject for Lists {
    type Transaction = Transaction;
    /// The commit is complete when it is enqueued.
    type Pending = Option<u64>;

    fn begin(&self, level: Level) -> Transaction {
        self.graph.begin_with(&TransactionOptions {
            isolation: match level {
                Level::Snapshot => Isolation::Snapshot,
                Level::Serializable => Isolation::Serializable,
            },
            ..TransactionOptions::default()
        })
    }

    fn snapshot(&self, tx: &Transaction) -> Option<u64> {
        Some(tx.snapshot().csn())
    }

    fn append(&self, tx: &mut Transaction, list: Key, element: Element) -> Result<(), Stop> {
        let mut content = content(self, tx, list).map_err(stop)?;
        content.push(Value::Integer(element as i64));
        let node = self.lists[list as usize];
        tx.set(node, CONTENT, Value::List(content.into()))
            .map_err(stop)
    }

    fn read(&self, tx: &mut Transaction, list: Key) -> Result<Vec<Element>, Stop> {
        let content = content(self, tx, list).map_err(stop)?;
        let numbers = content.iter().filter_map(Value::as_integer);
        Ok(numbers.map(|number| number as Element).collect())
    }

    fn insert(&self, tx: &mut Transaction, set: Key, element: Element) -> Result<(), Stop> {
        let content = (CONTENT, Value::Integer(element as i64));
        let tag = (TAG, Value::Integer(i64::from(set)));
        let made = match kind(set) {
            Kind::Neighbors => {
                let (source, target) = (self.hubs[set as usize], self.hubs[0]);
                let made = tx.create_relationship(source, KIND, target, [content]);
                made.map(drop)
            }
            Kind::Label => tx.create_node(&[&label(set)], [content]).map(drop),
            Kind::Index => tx.create_node(&[TAGGED], [content, tag]).map(drop),
        };
        made.map_err(stop)
    }

    fn remove(&self, tx: &mut Transaction, set: Key, element: Element) -> Result<(), Stop> {
        let members = members(self, tx, set).map_err(stop)?;
        let member = members.into_iter().find(|member| member.1 == element);
        let removed = match member.expect("it was seen").0 {
            Member::Node(id) => tx.delete_node(id),
            Member::Relationship(id) => tx.delete_relationship(id),
        };
        removed.map_err(stop)
    }

    fn scan(&self, tx: &mut Transaction, set: Key) -> Result<Vec<Element>, Stop> {
        let members = members(self, tx, set).map_err(stop)?;
        Ok(members.into_iter().map(|member| member.1).collect())
    }

    fn enqueue(&self, tx: Transaction) -> Result<Option<u64>, Stop> {
        let commit = tx.commit().map_err(no_commit)?;
        Ok(commit.map(|commit| commit.csn))
    }

    fn finish(&self, csn: Option<u64>) -> Result<Option<u64>, Stop> {
        Ok(csn)
    }
}
