//! Loading in bulk: new nodes and relationships without versions and locks of their
//! own.
//!
//! A [`Load`] gathers rows as the log and the chunks will hold them. Its commit locks the
//! schema, which keeps other transactions from making, changing and deleting nodes
//! meanwhile, checks that the ends of relationships exist and constraints hold, and puts
//! all of it into the log as one commit. Nothing bypasses the log: a load is as durable
//! as any transaction, and an interrupted one leaves nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use evergraph_storage::failpoint;
use evergraph_topology::{Batch, Commit};

use super::commit::{Columns, naming};
use super::load_check::check_constraints;
use crate::dictionary::{Names, TypeCode};
use crate::graph::PropertyGraph;
use crate::graph::definitions::repair::repair_indexes;
use crate::graph::error::GraphError;
use crate::graph::ids::{NodeId, RelationshipId};
use crate::graph::limits::too_much;
use crate::graph::names::{NewLabelSets, NewNames, RecalledCodes};
use crate::graph::read::tabled::Tabled;
use crate::graph::redo::encode;
use crate::graph::redo::loaded::{
    LabelSets, Loaded, LoadedNode, LoadedRelationship, Row, encode_nodes, encode_nodes_singly,
    encode_relationships, encode_relationships_singly,
};
use crate::graph::state::State;
use crate::record::{NoIdsLeft, Record, Table};
use crate::transaction::{TransactionError, TransactionOptions};
use crate::value::{Properties, Value};

/// Ids that are taken at a time.
const RESERVED_AT_ONCE: u32 = 1 << 12;

/// New nodes and relationships, for one commit. Dropped without it, it leaves
/// nothing.
///
/// Costs some tens of nanoseconds a row beside its values, and about the bytes in the
/// log of DRAM ([`Load::bytes`]): commit every few megabytes.
pub struct Load<'g> {
    graph: &'g PropertyGraph,
    names: NewNames,
    labels: RecalledCodes,
    types: RecalledCodes,
    keys: RecalledCodes,
    nodes: Part<LoadedNode>,
    /// Of the nodes that are gathered.
    sets: LabelSets,
    new_sets: NewLabelSets,
    relationships: Part<LoadedRelationship>,
    lists: Vec<(TypeCode, Columns)>,
    facts: BTreeMap<Vec<u8>, Vec<u8>>,
    payload: Vec<u8>,
}

/// Rows of one table.
struct Part<R> {
    /// Ids that were reserved, the oldest first.
    reserved: Vec<Range<u32>>,
    /// Ids of the last block that are left.
    left: Range<u32>,
    /// Rows of a chunk that is not full.
    gathered: Loaded<R>,
    /// First ids of rows that share a chunk, and bytes of their properties.
    pieces: Vec<(u32, u64)>,
}

impl PropertyGraph {
    /// Begins to gather nodes and relationships for a commit that costs a fraction of a
    /// transaction's. Indexes take in the new records, and constraints are held to them;
    /// both are faster made afterwards.
    pub fn load(&self) -> Load<'_> {
        Load {
            graph: self,
            names: NewNames::default(),
            labels: RecalledCodes::of(Names::Labels),
            types: RecalledCodes::of(Names::Types),
            keys: RecalledCodes::of(Names::Keys),
            nodes: Part::new(),
            sets: LabelSets::new(),
            new_sets: NewLabelSets::of(&self.core.state.dictionary),
            relationships: Part::new(),
            lists: Vec::new(),
            facts: BTreeMap::new(),
            payload: Vec::new(),
        }
    }
}

impl Load<'_> {
    /// Makes a node. Its id can be used in this load, and is that of the node once
    /// it is committed.
    ///
    /// # Errors
    /// No id or no code for a name is left; a value that cannot be stored, or more of
    /// them than a chunk can name. Then the load is as it was before.
    pub fn create_node<'a>(
        &mut self,
        labels: &[&str],
        properties: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<NodeId, GraphError> {
        let mut set = Vec::with_capacity(labels.len());
        for label in labels {
            set.push(self.labels.code(
                &self.graph.core.state.dictionary,
                &mut self.names,
                label,
            )?);
        }
        set.sort_unstable();
        set.dedup();
        let number = self.sets.iter().position(|other| *other == set);
        if number.is_none() {
            let added = self.new_sets.add(&set);
            added.map_err(|error| GraphError::Limit(error.to_string()))?;
        }
        let properties = self.properties(properties)?;
        let table = self.graph.core.state.nodes();
        let id = self.nodes.take_id(table)?;
        let len = (self.nodes).gather(&self.graph.core.state, table, id, &properties)?;
        let number = number.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        self.nodes.gathered.rows.push(LoadedNode {
            set: number as u32,
            len,
        });
        if self.nodes.ends_chunk(id, table) {
            self.flush_nodes();
        }
        Ok(NodeId(id))
    }

    /// Makes a relationship between nodes that exist, or that this load makes.
    ///
    /// # Errors
    /// As [`Load::create_node`]. That an end does not exist is noticed at the commit.
    pub fn create_relationship<'a>(
        &mut self,
        source: NodeId,
        kind: &str,
        target: NodeId,
        properties: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<RelationshipId, GraphError> {
        let kind = self
            .types
            .code(&self.graph.core.state.dictionary, &mut self.names, kind)?;
        let kind = crate::graph::names::type_code(kind)?;
        let properties = self.properties(properties)?;
        let table = self.graph.core.state.relationships();
        let id = self.relationships.take_id(table)?;
        let len = (self.relationships).gather(&self.graph.core.state, table, id, &properties)?;
        self.relationships.gathered.rows.push(LoadedRelationship {
            kind,
            source: source.0,
            target: target.0,
            len,
        });
        let lists = columns_of(&mut self.lists, kind);
        lists.push(id, source.0, target.0);
        if self.relationships.ends_chunk(id, table) {
            self.flush_relationships();
        }
        Ok(RelationshipId(id))
    }

    /// As [`Transaction::set_fact`](crate::graph::Transaction::set_fact).
    pub fn set_fact(&mut self, name: &[u8], value: &[u8]) {
        self.facts.insert(name.to_vec(), value.to_vec());
    }

    /// Bytes that the commit will take in the log, about.
    pub fn bytes(&self) -> usize {
        let lists: usize = self
            .lists
            .iter()
            .map(|(_, lists)| 12 * lists.ids.len())
            .sum();
        lists + self.payload.len() + self.nodes.bytes() + self.relationships.bytes()
    }

    /// Makes all of it durable and visible, at once. Gives the commit; `None` if there
    /// is nothing.
    ///
    /// Serializable transactions that overlap are run again, whatever they read.
    ///
    /// # Errors
    /// Then nothing of it is in the graph, but after an error of the medium, when only
    /// the next opening knows: an end of a relationship that is no node; a constraint
    /// that does not hold; more properties than a chunk can name; others that kept
    /// writing.
    pub fn commit(mut self) -> Result<Option<Commit>, GraphError> {
        self.flush_nodes();
        self.flush_relationships();
        if self.payload.is_empty() {
            return Ok(None);
        }
        let (graph, state) = (self.graph, &self.graph.core.state);
        let options = TransactionOptions::default();
        let transaction = graph.transactions.execute(&options, |transaction| {
            transaction.lock_schema()?;
            Ok::<_, GraphError>(transaction)
        })?;
        if !failpoint!("load.constraints-ignored") {
            check_constraints(&graph.core, &self.payload)?;
        }
        self.check_ends()?;
        check_room(state, state.nodes(), &self.nodes.pieces)?;
        check_room(state, state.relationships(), &self.relationships.pieces)?;
        // After the schema, as all transactions do.
        let prepared = graph.core.store.prepare(self.batch()?)?;
        let mut commit = None;
        let (nodes, relationships) = (&mut self.nodes, &mut self.relationships);
        transaction.commit_load(
            || {
                // Whatever happens now, the ids may be in the log.
                nodes.keep(state.nodes());
                relationships.keep(state.relationships());
                Ok::<_, GraphError>(prepared.enqueue())
            },
            |enqueued| {
                let reached = enqueued.wait()?;
                commit = Some(reached);
                Ok(reached.csn)
            },
        )?;
        self.new_sets.keep();
        if state.schema.has_given_up() {
            repair_indexes(&graph.core);
        }
        Ok(commit)
    }

    /// Redo operations of the load, for the log.
    fn batch(&mut self) -> Result<Batch, GraphError> {
        let mut batch = Batch::new();
        let vertices = self.nodes.taken().map(|ids| u64::from(ids.end)).max();
        if let Some(vertices) = vertices
            && vertices > self.graph.core.store.published().1.vertex_count
        {
            batch.add_vertices(vertices);
        }
        for (name, value) in &self.facts {
            batch.set_meta(name, value);
        }
        batch.add_payload(encode(&naming(&self.names.to_commit(|_, _| true)))?);
        batch.add_payload(std::mem::take(&mut self.payload));
        for (kind, lists) in self.lists.drain(..) {
            batch.insert_relationships(kind, lists.sources, lists.targets, lists.ids);
        }
        Ok(batch)
    }

    /// Whether the ends of all relationships are nodes. Deletions are locked out
    /// meanwhile.
    fn check_ends(&self) -> Result<(), GraphError> {
        let own: Vec<Range<u32>> = self.nodes.taken().collect();
        let nodes = self.graph.core.state.nodes();
        for (_, lists) in &self.lists {
            for &end in lists.sources.iter().chain(&lists.targets) {
                let is_own = own.iter().any(|ids| ids.contains(&end));
                if !is_own && !nodes.newest(end)?.1 {
                    return Err(TransactionError::NoNode(end).into());
                }
            }
        }
        Ok(())
    }

    fn properties<'a>(
        &mut self,
        properties: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Properties, GraphError> {
        let mut set = Properties::new();
        for (key, value) in properties {
            let dictionary = &self.graph.core.state.dictionary;
            set.set(self.keys.code(dictionary, &mut self.names, key)?, value);
        }
        Ok(set)
    }

    /// A whole chunk in one piece, the rest one by one.
    fn flush_nodes(&mut self) {
        let nodes = self.nodes.take_gathered();
        let sets = std::mem::take(&mut self.sets);
        match nodes.rows.len() as u32 == self.graph.core.state.chunk_records() {
            true => encode_nodes(&nodes, &sets, &mut self.payload),
            false => encode_nodes_singly(&nodes, &sets, &mut self.payload),
        }
    }

    fn flush_relationships(&mut self) {
        let relationships = self.relationships.take_gathered();
        match relationships.rows.len() as u32 == self.graph.core.state.chunk_records() {
            true => encode_relationships(&relationships, &mut self.payload),
            false => encode_relationships_singly(&relationships, &mut self.payload),
        }
    }
}

/// Reserved ids that were not committed are given back, the last first.
impl Drop for Load<'_> {
    fn drop(&mut self) {
        let state = &self.graph.core.state;
        self.nodes.release(state.nodes());
        self.relationships.release(state.relationships());
    }
}

impl<R: Row> Part<R> {
    fn new() -> Self {
        Part {
            reserved: Vec::new(),
            left: 0..0,
            gathered: Loaded {
                first: 0,
                rows: Vec::new(),
                heap: Vec::new(),
            },
            pieces: Vec::new(),
        }
    }

    /// The next id.
    fn take_id<T: Record>(&mut self, table: &Table<T>) -> Result<u32, GraphError> {
        if let Some(id) = self.left.next() {
            return Ok(id);
        }
        let reserved = table.reserve_chunks(RESERVED_AT_ONCE)?;
        self.reserved.push(reserved.clone());
        self.left = reserved;
        let none = NoIdsLeft {
            most: table.geometry().most_records,
        };
        self.left.next().ok_or(GraphError::Ids(none.into()))
    }

    /// Takes in the properties of the next row, and gives their length. More than a
    /// chunk can name are refused here, with what is committed at the commit.
    fn gather<T: Tabled>(
        &mut self,
        state: &State,
        table: &Table<T>,
        id: u32,
        properties: &Properties,
    ) -> Result<u32, GraphError> {
        if self.gathered.rows.is_empty() {
            self.gathered.first = id;
        }
        let limit = state.limits.chunk_bytes();
        let before = self.gathered.heap.len();
        let encoded = properties.encode(&mut self.gathered.heap);
        let encoded = encoded.map_err(GraphError::from).and_then(|()| {
            match self.gathered.heap.len() as u64 <= limit {
                true => Ok(()),
                false => Err(too_much(
                    T::KIND,
                    id,
                    table.geometry().records_per_chunk,
                    limit,
                )),
            }
        });
        if let Err(error) = encoded {
            self.gathered.heap.truncate(before);
            // The id that was taken last.
            self.left.start = id;
            return Err(error);
        }
        Ok((self.gathered.heap.len() - before) as u32)
    }

    /// Whether a row is the last of its chunk, or the next has an id elsewhere.
    fn ends_chunk<T: Record>(&self, id: u32, table: &Table<T>) -> bool {
        (id + 1).is_multiple_of(table.geometry().records_per_chunk) || self.left.is_empty()
    }

    fn take_gathered(&mut self) -> Loaded<R> {
        let bytes = self.gathered.heap.len() as u64;
        self.pieces.push((self.gathered.first, bytes));
        let empty = Part::new().gathered;
        std::mem::replace(&mut self.gathered, empty)
    }

    fn bytes(&self) -> usize {
        16 * self.gathered.rows.len() + self.gathered.heap.len()
    }

    /// The ids that rows have.
    fn taken(&self) -> impl Iterator<Item = Range<u32>> {
        let last = self.reserved.len().saturating_sub(1);
        let ids = self.reserved.iter().enumerate();
        ids.map(move |(i, ids)| match i == last {
            true => ids.start..self.left.start,
            false => ids.clone(),
        })
    }

    /// Keeps all reserved ids but those that are left, which are given back.
    fn keep<T: Record>(&mut self, table: &Table<T>) {
        if !self.left.is_empty() {
            table.release_range(self.left.clone());
        }
        self.reserved.clear();
        self.left = 0..0;
    }

    fn release<T: Record>(&mut self, table: &Table<T>) {
        while let Some(ids) = self.reserved.pop() {
            table.release_range(ids);
        }
    }
}

/// Checks that chunks have room for their records. Other commits of records are locked
/// out meanwhile.
fn check_room<T: Tabled>(
    state: &State,
    table: &Table<T>,
    pieces: &[(u32, u64)],
) -> Result<(), GraphError> {
    let (size, limit) = (state.chunk_records(), state.limits.chunk_bytes());
    for &(first, bytes) in pieces {
        if bytes > 0 && table.most_chunk_bytes(first / size) + bytes > limit {
            return Err(too_much(T::KIND, first, size, limit));
        }
    }
    Ok(())
}

fn columns_of(lists: &mut Vec<(TypeCode, Columns)>, kind: TypeCode) -> &mut Columns {
    let at = lists.iter().rposition(|other| other.0 == kind);
    let at = at.unwrap_or_else(|| {
        lists.push((kind, Columns::default()));
        lists.len() - 1
    });
    &mut lists[at].1
}
