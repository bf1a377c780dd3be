//! The graph as a query sees it: the one place through which the interpreter reads and
//! writes. Reads go through the batch interface, of a view or of the statement that a
//! transaction shows after the last write.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Deref;
use std::sync::Arc;

use evergraph_functions::{Datum, Entities, ErrorKind, EvaluationError, ReadError};
use evergraph_planner::{Population, Towards};
use evergraph_property_graph::graph::{
    Account, Adjoining, Common, Direction, Ends, Entity, EntityKind, Expanded, Filter, GraphError,
    GraphRead, IdBounds, Neighbors, Node, NodeId, Relationship, RelationshipId, Transaction,
    TransactionView, View,
};
use evergraph_property_graph::graph::{IndexSubject, Opened, Order};
use evergraph_property_graph::index::KeyRange;
use evergraph_property_graph::index::key::encode_equal;
use evergraph_property_graph::vector::Vector;
use evergraph_property_graph::{KeyCode, TypeCode, Value};

use crate::batch::NO_ID;

/// The graph that a query reads, and perhaps writes.
pub(crate) enum Access<'a> {
    /// One commit.
    View(View),
    /// A transaction with its own writes.
    Transaction(&'a mut Transaction),
}

/// The graph that a query sees.
pub enum Seen<'s> {
    /// One commit.
    View(&'s View),
    /// A transaction with its own writes.
    Transaction(&'s Transaction),
}

/// The graph of a run, in one thread.
pub(crate) struct Graph<'a> {
    source: Source<'a>,
    account: Arc<Account>,
    deleted_nodes: RefCell<HashSet<u32>>,
    deleted_relationships: RefCell<HashSet<u32>>,
}

/// Origin of the rows: one commit, or a transaction with its writes.
enum Source<'a> {
    View(View),
    Transaction {
        transaction: RefCell<&'a mut Transaction>,
        statement: RefCell<Arc<TransactionView>>,
        /// It has written since the statement began.
        is_stale: Cell<bool>,
    },
}

/// The graph as it is now: what is written later does not show in it.
pub(crate) enum Reader<'g> {
    View(&'g View),
    Statement(Arc<TransactionView>),
}

impl Deref for Reader<'_> {
    type Target = dyn GraphRead;

    fn deref(&self) -> &Self::Target {
        match self {
            Reader::View(view) => *view,
            Reader::Statement(statement) => &**statement,
        }
    }
}

/// Codes of types; `None` for all.
pub(crate) type Types = Option<Vec<TypeCode>>;

impl<'a> Graph<'a> {
    pub(crate) fn new(access: Access<'a>, account: Arc<Account>) -> Self {
        let source = match access {
            Access::View(view) => Source::View(view),
            Access::Transaction(transaction) => Source::Transaction {
                statement: RefCell::new(Arc::new(transaction.current_view())),
                transaction: RefCell::new(transaction),
                is_stale: Cell::new(false),
            },
        };
        Graph {
            source,
            account,
            deleted_nodes: RefCell::default(),
            deleted_relationships: RefCell::default(),
        }
    }

    /// The reader of now.
    pub(crate) fn reader(&self) -> Reader<'_> {
        match &self.source {
            Source::View(view) => Reader::View(view),
            Source::Transaction {
                transaction,
                statement,
                is_stale,
            } => {
                if is_stale.replace(false) {
                    *statement.borrow_mut() = Arc::new(transaction.borrow().current_view());
                }
                Reader::Statement(Arc::clone(&statement.borrow()))
            }
        }
    }

    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    pub(crate) fn shared_account(&self) -> &Arc<Account> {
        &self.account
    }

    /// The view, if that is what is read: threads may read clones of it.
    pub(crate) fn view(&self) -> Option<View> {
        match &self.source {
            Source::View(view) => Some(view.clone()),
            Source::Transaction { .. } => None,
        }
    }

    /// Does something with the transaction, if one is read.
    pub(crate) fn within_transaction<T>(&self, work: impl FnOnce(&Transaction) -> T) -> Option<T> {
        self.seen(|seen| match seen {
            Seen::Transaction(transaction) => Some(work(transaction)),
            Seen::View(_) => None,
        })
    }

    /// The transaction, to write.
    pub(crate) fn write(&self) -> Result<RefMut<'_, Transaction>, GraphError> {
        match &self.source {
            Source::Transaction {
                transaction,
                is_stale,
                ..
            } => {
                // A procedure may try to write within what it reads.
                let own = transaction.try_borrow_mut().map_err(|_| {
                    GraphError::BadOptions("what a procedure reads cannot be written meanwhile")
                })?;
                is_stale.set(true);
                Ok(RefMut::map(own, |of| &mut **of))
            }
            Source::View(_) => Err(GraphError::BadOptions(
                "a query that writes needs a transaction",
            )),
        }
    }

    /// The code of a key; `None` if nothing has it.
    pub(crate) fn key(&self, key: &str) -> Option<KeyCode> {
        self.reader().key_code(key)
    }

    /// Codes of types; those that do not exist are left out.
    pub(crate) fn types(&self, names: &[Arc<str>]) -> Types {
        let reader = self.reader();
        let codes = names.iter().filter_map(|name| reader.type_code(name));
        (!names.is_empty()).then(|| codes.collect())
    }

    /// The filter of types; `None` if no relationship is of them.
    pub(crate) fn of_types(&self, names: &[Arc<str>]) -> Option<Filter> {
        match self.types(names) {
            None => Some(Filter::default()),
            Some(types) => (!types.is_empty()).then(|| Filter::types(types)),
        }
    }

    /// The filter of a label; `None` if no node has it.
    pub(crate) fn labelled(&self, label: Option<&str>) -> Option<Filter> {
        match label {
            None => Some(Filter::default()),
            Some(label) => self.reader().label_code(label).map(Filter::label),
        }
    }

    /// Values of one property.
    pub(crate) fn gather(
        &self,
        kind: EntityKind,
        ids: &[u32],
        key: KeyCode,
    ) -> Result<Vector, GraphError> {
        let vector = self.reader().gather(kind, ids, key, &self.account)?;
        self.account.release(vector.bytes() as u64);
        Ok(vector)
    }

    /// The values of one property of few nodes or relationships, one by one.
    pub(crate) fn values(
        &self,
        kind: EntityKind,
        ids: &[u32],
        key: KeyCode,
    ) -> Result<Vec<Datum>, GraphError> {
        /// Bytes of a value that are charged while others are read.
        const LARGE: u64 = 1 << 12;
        let (reader, account) = (self.reader(), &self.account);
        let (mut values, mut charged) = (Vec::with_capacity(ids.len()), 0);
        let mut add = |value: Value| {
            let bytes = value.heap_bytes() as u64;
            if bytes >= LARGE {
                account.charge(bytes)?;
                charged += bytes;
            }
            values.push(Datum::Value(value));
            Ok(())
        };
        let is_id = |id: &u32| *id != NO_ID;
        let mut parts = ids.chunk_by(|one, other| is_id(one) == is_id(other));
        let read = parts.try_for_each(|part| match part {
            [NO_ID, ..] => part.iter().try_for_each(|_| add(Value::Null)),
            part => reader.properties(kind, part, key, account, &mut add),
        });
        account.release(charged);
        read.map(|()| values)
    }

    /// Relationships of nodes.
    pub(crate) fn expand(
        &self,
        nodes: &[u32],
        towards: Towards,
        types: &Types,
    ) -> Result<Expanded, GraphError> {
        let (types, direction) = (types.as_deref(), direction_of(towards));
        let found = self
            .reader()
            .expand(nodes, types, direction, &self.account)?;
        self.account.release(found.bytes() as u64);
        Ok(found)
    }

    /// Nodes at the other ends of relationships.
    pub(crate) fn neighbors(
        &self,
        nodes: &[u32],
        towards: Towards,
        types: &Types,
    ) -> Result<Neighbors, GraphError> {
        let (types, direction) = (types.as_deref(), direction_of(towards));
        let reader = self.reader();
        let found = reader.expand_neighbors(nodes, types, direction, &self.account)?;
        self.account.release(found.bytes() as u64);
        Ok(found)
    }

    /// Common neighbors of the nodes of each row.
    pub(crate) fn common_neighbors(
        &self,
        of: &[(Vec<u32>, Towards, Types)],
        bounds: IdBounds<'_>,
    ) -> Result<Common, GraphError> {
        let of: Vec<Adjoining<'_>> = of
            .iter()
            .map(|(nodes, towards, types)| Adjoining {
                nodes,
                types: types.as_deref(),
                direction: direction_of(*towards),
            })
            .collect();
        let found = self.reader().common_neighbors(&of, bounds, &self.account)?;
        self.account.release(found.bytes() as u64);
        Ok(found)
    }

    /// How many relationships nodes have.
    pub(crate) fn degrees(
        &self,
        nodes: &[u32],
        towards: Towards,
        types: &Types,
    ) -> Result<Vec<u64>, GraphError> {
        let (types, direction) = (types.as_deref(), direction_of(towards));
        let reader = self.reader();
        let degrees = reader.degrees(nodes, types, direction, &self.account)?;
        self.account.release(8 * degrees.len() as u64);
        Ok(degrees)
    }

    /// Relationships between pairs of nodes.
    pub(crate) fn expand_into(
        &self,
        (from, to): (&[u32], &[u32]),
        towards: Towards,
        types: &Types,
    ) -> Result<Expanded, GraphError> {
        let (types, direction) = (types.as_deref(), direction_of(towards));
        let found = self
            .reader()
            .expand_into(from, to, types, direction, &self.account)?;
        self.account.release(found.bytes() as u64);
        Ok(found)
    }

    /// Types and ends of relationships.
    pub(crate) fn ends_of(&self, ids: &[u32]) -> Result<Ends, GraphError> {
        let ends = self.reader().ends(ids, &self.account)?;
        self.account.release(ends.bytes() as u64);
        Ok(ends)
    }

    /// The nodes with a label, or the relationships of a type, with these values, by an
    /// index if there is one.
    pub(crate) fn find(
        &self,
        of: Population<'_>,
        properties: &[(&str, Value)],
    ) -> Result<Vec<u32>, GraphError> {
        if let Some(index) = self.index_over(of, properties.iter().map(|(key, _)| *key)) {
            let Some(key) = encode_equal(properties.iter().map(|(_, value)| value)) else {
                return Ok(Vec::new());
            };
            let found = match self.reader().ids_of_key(index, &key) {
                Some(ids) => Some(ids),
                None => self.by_index(index, &KeyRange::exactly(&key))?,
            };
            if let Some(ids) = found {
                return Ok(ids);
            }
        }
        self.seen(|seen| {
            Ok(match (seen, of) {
                (_, Population::Nodes) => Vec::new(),
                (Seen::View(view), Population::Label(label)) => {
                    node_ids(&view.find(label, properties)?)
                }
                (Seen::Transaction(transaction), Population::Label(label)) => {
                    node_ids(&transaction.find(label, properties)?)
                }
                (Seen::View(view), Population::Type(kind)) => {
                    relationship_ids(&view.find_relationships(kind, properties)?)
                }
                (Seen::Transaction(transaction), Population::Type(kind)) => {
                    relationship_ids(&transaction.find_relationships(kind, properties)?)
                }
            })
        })
    }

    /// Those with a value between two, or a text that begins with one.
    pub(crate) fn find_in(
        &self,
        of: Population<'_>,
        key: &str,
        range: &KeyRange,
    ) -> Result<Vec<u32>, GraphError> {
        if let Some(index) = self.index_over(of, [key].into_iter())
            && let Some(ids) = self.by_index(index, range)?
        {
            return Ok(ids);
        }
        let keys = [key];
        self.seen(|seen| {
            Ok(match (seen, of) {
                (_, Population::Nodes) => Vec::new(),
                (Seen::View(view), Population::Label(label)) => {
                    node_ids(&view.find_in(label, &keys, range)?)
                }
                (Seen::Transaction(transaction), Population::Label(label)) => {
                    node_ids(&transaction.find_in(label, &keys, range)?)
                }
                (Seen::View(view), Population::Type(kind)) => {
                    relationship_ids(&view.find_relationships_in(kind, &keys, range)?)
                }
                (Seen::Transaction(transaction), Population::Type(kind)) => {
                    relationship_ids(&transaction.find_relationships_in(kind, &keys, range)?)
                }
            })
        })
    }

    /// An index over these keys.
    fn index_over<'k>(
        &self,
        of: Population<'_>,
        keys: impl Iterator<Item = &'k str>,
    ) -> Option<u32> {
        let reader = self.reader();
        let subject = match of {
            Population::Nodes => return None,
            Population::Label(label) => IndexSubject::Label(reader.label_code(label)?),
            Population::Type(kind) => IndexSubject::Type(reader.type_code(kind)?),
        };
        let keys: Option<Vec<KeyCode>> = keys.map(|key| self.key(key)).collect();
        reader.index_over(subject, &keys?)
    }

    /// Those that an index has in a range, in the order of their values; `None` if it cannot
    /// answer.
    fn by_index(&self, index: u32, range: &KeyRange) -> Result<Option<Vec<u32>>, GraphError> {
        let reader = self.reader();
        let Opened::Cursor(mut cursor) = reader.cursor(index, range, Order::Ascending)? else {
            return Ok(None);
        };
        let mut ids = Vec::new();
        match cursor.read(usize::MAX, &mut ids, &self.account) {
            Ok(_) => Ok(Some(ids)),
            // A damaged index is given up; the records are read instead.
            Err(GraphError::Index(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether there is a node of an id.
    pub(crate) fn has_node(&self, id: NodeId) -> Result<bool, GraphError> {
        let found = self.reader().exist(EntityKind::Node, &[id.0])?;
        Ok(found.is_valid(0))
    }

    /// Whether a node has a label.
    pub(crate) fn has_label(&self, node: NodeId, label: &str) -> Result<bool, ReadError> {
        let labels = self.labels(node)?;
        Ok(labels.iter().any(|other| **other == *label))
    }

    /// All nodes or relationships.
    pub(crate) fn all(&self, kind: EntityKind) -> Result<Vec<u32>, GraphError> {
        let reader = self.reader();
        let mut ids = Vec::new();
        for morsel in reader.morsels(kind).iter() {
            reader.scan(&morsel, &Filter::default(), &mut ids, &self.account)?;
        }
        self.account.release(4 * ids.len() as u64);
        Ok(ids)
    }

    /// The commit that shows all that is read: none does if the transaction has written,
    /// or records what it reads.
    pub(crate) fn committed(&self) -> Option<View> {
        self.seen(|seen| match seen {
            Seen::View(view) => Some(view.clone()),
            Seen::Transaction(transaction) => {
                let differs = transaction.has_written() || transaction.is_serializable();
                (!differs).then(|| transaction.snapshot().clone())
            }
        })
    }

    /// Whether each node is known to have a label.
    pub(crate) fn all_have(&self, label: &str) -> bool {
        self.committed().is_some_and(|view| {
            let (with, all) = (view.count_with_label(label), view.node_count());
            matches!((with, all), (Ok(with), Ok(all)) if with == all)
        })
    }

    /// Does something with what is read.
    pub(crate) fn seen<T>(&self, body: impl FnOnce(Seen<'_>) -> T) -> T {
        match &self.source {
            Source::View(view) => body(Seen::View(view)),
            Source::Transaction { transaction, .. } => {
                body(Seen::Transaction(&transaction.borrow()))
            }
        }
    }

    /// Numbers of nodes by label: exact counts of a commit, or else a pass over the nodes.
    pub(crate) fn label_counts(&self) -> Result<BTreeMap<Arc<str>, u64>, ReadError> {
        if let Some(view) = self.committed() {
            return Ok(view.counts()?.labels);
        }
        let mut counts = BTreeMap::new();
        for id in self.all(EntityKind::Node)? {
            for label in self.labels(NodeId(id))? {
                *counts.entry(label).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// Labels that nodes have, sorted.
    pub(crate) fn all_labels(&self) -> Result<Vec<Arc<str>>, ReadError> {
        Ok(self.label_counts()?.into_keys().collect())
    }

    /// Types that relationships have, sorted.
    pub(crate) fn all_types(&self) -> Result<Vec<Arc<str>>, ReadError> {
        if let Some(view) = self.committed() {
            return Ok(view.counts()?.types.into_keys().collect());
        }
        let ids = self.all(EntityKind::Relationship)?;
        let codes: BTreeSet<TypeCode> = self.ends_of(&ids)?.types.into_iter().collect();
        let reader = self.reader();
        let names = codes.into_iter().filter_map(|code| reader.type_name(code));
        let names: BTreeSet<Arc<str>> = names.collect();
        Ok(names.into_iter().collect())
    }

    /// Keys that nodes and relationships have or once had, sorted.
    pub(crate) fn all_keys(&self) -> Result<Vec<Arc<str>>, ReadError> {
        let snapshot = self.seen(|seen| match seen {
            Seen::View(view) => view.clone(),
            Seen::Transaction(transaction) => transaction.snapshot().clone(),
        });
        let mut names: BTreeSet<Arc<str>> = snapshot.known_keys().into_iter().collect();
        if self.committed().is_none() {
            for id in self.all(EntityKind::Node)? {
                names.extend(self.properties(NodeId(id).into())?.into_keys());
            }
            for id in self.all(EntityKind::Relationship)? {
                names.extend(self.properties(RelationshipId(id).into())?.into_keys());
            }
        }
        Ok(names.into_iter().collect())
    }

    /// Deletes a relationship, if that has not been done; whether it was.
    pub(crate) fn delete_relationship(&self, id: RelationshipId) -> Result<bool, GraphError> {
        let there = self.reader().exist(EntityKind::Relationship, &[id.0])?;
        if !there.is_valid(0) {
            return Ok(false);
        }
        self.write()?.delete_relationship(id)?;
        self.deleted_relationships.borrow_mut().insert(id.0);
        Ok(true)
    }

    /// Deletes a node without relationships, if that has not been done; whether it was.
    pub(crate) fn delete_node(&self, id: NodeId) -> Result<bool, GraphError> {
        if !self.has_node(id)? {
            return Ok(false);
        }
        self.write()?.delete_node(id)?;
        self.deleted_nodes.borrow_mut().insert(id.0);
        Ok(true)
    }

    /// The relationships of a node, a loop once.
    pub(crate) fn relationships_of(&self, id: NodeId) -> Result<Vec<u32>, GraphError> {
        Ok(self.expand(&[id.0], Towards::Both, &None)?.relationships)
    }

    /// Fails for what the query has deleted.
    pub(crate) fn check_there(&self, entity: Entity) -> Result<(), ReadError> {
        let deleted = match entity {
            Entity::Node(id) => self.deleted_nodes.borrow().contains(&id.0),
            Entity::Relationship(id) => self.deleted_relationships.borrow().contains(&id.0),
        };
        match deleted {
            false => Ok(()),
            true => {
                let message = format!("{entity} has been deleted by this query");
                Err(EvaluationError::new(ErrorKind::DeletedEntityAccess, message).into())
            }
        }
    }

    /// Whether the query has deleted nothing of a kind, so that no row needs a look.
    pub(crate) fn has_deleted(&self, kind: EntityKind) -> bool {
        match kind {
            EntityKind::Node => !self.deleted_nodes.borrow().is_empty(),
            EntityKind::Relationship => !self.deleted_relationships.borrow().is_empty(),
        }
    }
}

fn direction_of(towards: Towards) -> Direction {
    match towards {
        Towards::Outgoing => Direction::Outgoing,
        Towards::Incoming => Direction::Incoming,
        Towards::Both => Direction::Both,
    }
}

fn node_ids(nodes: &[Node]) -> Vec<u32> {
    nodes.iter().map(|node| node.id().0).collect()
}

fn relationship_ids(relationships: &[Relationship]) -> Vec<u32> {
    relationships.iter().map(|one| one.id().0).collect()
}

fn missing(entity: Entity) -> ReadError {
    let message = format!("there is no {entity}");
    EvaluationError::new(ErrorKind::DeletedEntityAccess, message).into()
}

impl Entities for Graph<'_> {
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, ReadError> {
        self.check_there(node.into())?;
        let reader = self.reader();
        let labels = reader.labels(&[node.0], &self.account)?;
        self.account.release(labels.bytes() as u64);
        let codes = labels.get(0).iter();
        Ok(codes.filter_map(|&code| reader.label_name(code)).collect())
    }

    fn relationship_type(&self, relationship: RelationshipId) -> Result<Arc<str>, ReadError> {
        let ends = self.ends_of(&[relationship.0])?;
        let name = self.reader().type_name(ends.types[0]);
        match name.filter(|_| ends.validity.is_valid(0)) {
            Some(name) => Ok(name),
            None => Err(missing(relationship.into())),
        }
    }

    fn ends(&self, relationship: RelationshipId) -> Result<(NodeId, NodeId), ReadError> {
        let ends = self.ends_of(&[relationship.0])?;
        match ends.validity.is_valid(0) {
            true => Ok((NodeId(ends.sources[0]), NodeId(ends.targets[0]))),
            false => Err(missing(relationship.into())),
        }
    }

    fn property(&self, entity: Entity, key: &str) -> Result<Value, ReadError> {
        self.check_there(entity)?;
        let Some(code) = self.key(key) else {
            return Ok(Value::Null);
        };
        let (kind, id) = match entity {
            Entity::Node(id) => (EntityKind::Node, id.0),
            Entity::Relationship(id) => (EntityKind::Relationship, id.0),
        };
        let mut found = Value::Null;
        let mut keep = |value| {
            found = value;
            Ok(())
        };
        self.reader()
            .properties(kind, &[id], code, &self.account, &mut keep)?;
        Ok(found)
    }

    fn properties(&self, entity: Entity) -> Result<BTreeMap<Arc<str>, Value>, ReadError> {
        self.check_there(entity)?;
        let owned = |(key, value): (Arc<str>, &Value)| (key, value.clone());
        Ok(match entity {
            Entity::Node(id) => {
                let found = self.seen(|seen| match seen {
                    Seen::View(view) => view.node(id),
                    Seen::Transaction(transaction) => transaction.node(id),
                });
                let found = found?.ok_or_else(|| missing(entity))?;
                found.properties().map(owned).collect()
            }
            Entity::Relationship(id) => {
                let found = self.seen(|seen| match seen {
                    Seen::View(view) => view.relationship(id),
                    Seen::Transaction(transaction) => transaction.relationship(id),
                });
                let found = found?.ok_or_else(|| missing(entity))?;
                found.properties().map(owned).collect()
            }
        })
    }
}
