//! Loading in bulk: new nodes and relationships without versions and locks of their
//! own.
//!
//! A [`Load`] gathers rows as the log and the chunks will hold them. Its commit locks the
//! schema, which keeps other transactions from making, changing and deleting nodes
//! meanwhile, checks that the ends of relationships exist and constraints hold, and puts
//! all of it into the log as one commit. Nothing bypasses the log: a load is as durable
//! as any transaction, and an interrupted one leaves nothing. The columns of whole chunks
//! are handed over to the tables, so that applying the commit does not decode the rows.

use std::collections::BTreeMap;
use std::ops::Range;

use evergraph_storage::failpoint;
use evergraph_topology::{Batch, Commit};

use super::commit::{Columns, naming};
use super::load_check::check_constraints;
use super::load_part::{ColumnsRow, Encodable, Part};
use crate::dictionary::{KeyCode, LabelCode, Names, TypeCode};
use crate::graph::PropertyGraph;
use crate::graph::definitions::repair::repair_indexes;
use crate::graph::error::GraphError;
use crate::graph::ids::{NodeId, RelationshipId};
use crate::graph::limits::too_much;
use crate::graph::names::{NewLabelSets, NewNames, RecalledCodes, type_code};
use crate::graph::read::tabled::Tabled;
use crate::graph::redo::encode;
use crate::graph::redo::loaded::{
    LabelSets, LoadedNode, LoadedRelationship, encode_nodes, encode_nodes_singly,
    encode_relationships, encode_relationships_singly,
};
use crate::graph::state::State;
use crate::graph::view::View;
use crate::record::{NodeRecord, Table};
use crate::transaction::TransactionError;
use crate::value::{Properties, Value};

/// New nodes and relationships, for one commit. Dropped without it, it leaves
/// nothing.
///
/// Costs some tens of nanoseconds a row beside its values, and of DRAM about twice the bytes
/// in the log ([`Load::bytes`]): commit every few megabytes.
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
        }
    }
}

impl PropertyGraph {
    /// New nodes that fill the last chunk, and nodes of a chunk: a load commits whole
    /// chunks in one piece, for a fraction of the cost.
    pub fn room_of_nodes(&self) -> (usize, usize) {
        self.core.state.nodes().room()
    }

    /// As [`PropertyGraph::room_of_nodes`], of relationships.
    pub fn room_of_relationships(&self) -> (usize, usize) {
        self.core.state.relationships().room()
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
        let set = self.label_set(labels)?;
        let properties = self.properties(properties)?;
        self.add_node(&set, &properties)
    }

    /// Makes nodes with the same labels: of each key a column of values, null where a
    /// node does not have it. Costs less than one by one.
    ///
    /// # Errors
    /// As [`Load::create_node`]. Then some of them may be made: drop the load.
    ///
    /// # Panics
    /// If a column has fewer values than `count`.
    pub fn create_nodes(
        &mut self,
        labels: &[&str],
        columns: &[(&str, &[Value])],
        count: usize,
    ) -> Result<Vec<NodeId>, GraphError> {
        let set = self.label_set(labels)?;
        let columns = self.codes(columns)?;
        let mut made = Vec::with_capacity(count);
        for at in 0..count {
            made.push(self.add_node(&set, &ColumnsRow(&columns, at))?);
        }
        Ok(made)
    }

    /// The codes of labels, ascending, and a promise that their set finds one.
    fn label_set(&mut self, labels: &[&str]) -> Result<Vec<LabelCode>, GraphError> {
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
        if !self.sets.contains(&set) {
            let added = self.new_sets.add(&set);
            added.map_err(|error| GraphError::Limit(error.to_string()))?;
        }
        Ok(set)
    }

    fn add_node(
        &mut self,
        set: &[LabelCode],
        properties: &impl Encodable,
    ) -> Result<NodeId, GraphError> {
        let state = &self.graph.core.state;
        let table = state.nodes();
        let id = self.nodes.take_id(table)?;
        let len = self.nodes.gather(state, table, id, properties)?;
        let number = self.sets.iter().position(|other| *other == *set);
        let number = number.unwrap_or_else(|| {
            self.sets.push(set.to_vec());
            self.sets.len() - 1
        });
        self.nodes.gathered.rows.push(LoadedNode {
            set: number as u32,
            len,
        });
        if self.nodes.ends_chunk(id, table) {
            self.flush_nodes()?;
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
        let kind = self.type_code(kind)?;
        let properties = self.properties(properties)?;
        self.add_relationship(kind, [source, target], &properties)
    }

    /// Makes relationships of one type between the ends of each, source and target: of each
    /// key a column of values, as [`Load::create_nodes`].
    ///
    /// # Errors
    /// As [`Load::create_relationship`]. Then some of them may be made: drop the load.
    ///
    /// # Panics
    /// If a column has fewer values than there are ends.
    pub fn create_relationships(
        &mut self,
        kind: &str,
        ends: &[[NodeId; 2]],
        columns: &[(&str, &[Value])],
    ) -> Result<(), GraphError> {
        let kind = self.type_code(kind)?;
        let columns = self.codes(columns)?;
        for (at, ends) in ends.iter().enumerate() {
            self.add_relationship(kind, *ends, &ColumnsRow(&columns, at))?;
        }
        Ok(())
    }

    fn type_code(&mut self, kind: &str) -> Result<TypeCode, GraphError> {
        let dictionary = &self.graph.core.state.dictionary;
        let code = self.types.code(dictionary, &mut self.names, kind)?;
        type_code(code)
    }

    fn add_relationship(
        &mut self,
        kind: TypeCode,
        [source, target]: [NodeId; 2],
        properties: &impl Encodable,
    ) -> Result<RelationshipId, GraphError> {
        let state = &self.graph.core.state;
        let table = state.relationships();
        let id = self.relationships.take_id(table)?;
        let len = self.relationships.gather(state, table, id, properties)?;
        self.relationships.gathered.rows.push(LoadedRelationship {
            kind,
            source: source.0,
            target: target.0,
            len,
        });
        let lists = columns_of(&mut self.lists, kind);
        lists.push(id, source.0, target.0);
        if self.relationships.ends_chunk(id, table) {
            self.flush_relationships()?;
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
        lists + self.nodes.bytes() + self.relationships.bytes()
    }

    /// Encodes what is gathered, and gives back the ids that it does not need: another load
    /// that begins now goes on behind this one, and can be gathered while this one is
    /// committed.
    ///
    /// # Errors
    /// As [`Load::create_node`].
    pub fn finish(&mut self) -> Result<(), GraphError> {
        self.flush_nodes()?;
        self.flush_relationships()?;
        let state = &self.graph.core.state;
        self.nodes.give_back(state.nodes());
        self.relationships.give_back(state.relationships());
        Ok(())
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
        self.finish()?;
        let payloads = [&self.nodes.payload, &self.relationships.payload];
        if payloads.iter().all(|payload| payload.is_empty()) {
            return Ok(None);
        }
        let (graph, state) = (self.graph, &self.graph.core.state);
        let transaction = graph.transactions.execute(&graph.options, |transaction| {
            transaction.lock_schema()?;
            Ok::<_, GraphError>(transaction)
        })?;
        if !failpoint!("load.constraints-ignored") {
            let [nodes, relationships] = payloads;
            check_constraints(&graph.core, nodes, relationships)?;
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
                nodes.reserved.clear();
                relationships.reserved.clear();
                nodes.hand_over(state.nodes());
                relationships.hand_over(state.relationships());
                Ok::<_, GraphError>(prepared.enqueue())
            },
            |enqueued| {
                let reached = enqueued.wait()?;
                commit = Some(reached);
                Ok(reached.csn)
            },
        )?;
        graph.core.latest.forget_older(&graph.core.store);
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
        for payload in [&mut self.nodes.payload, &mut self.relationships.payload] {
            if !payload.is_empty() {
                batch.add_payload(std::mem::take(payload));
            }
        }
        for (kind, lists) in self.lists.drain(..) {
            batch.insert_relationships(kind, lists.sources, lists.targets, lists.ids);
        }
        Ok(batch)
    }

    /// Whether the ends of all relationships are nodes. Deletions are locked out
    /// meanwhile.
    fn check_ends(&self) -> Result<(), GraphError> {
        let own: Vec<Range<u32>> = self.nodes.taken().collect();
        let is_own = |end: &u32| own.iter().any(|ids| ids.contains(end));
        let lists = self.lists.iter().map(|(_, lists)| lists);
        let ends = lists.flat_map(|lists| lists.sources.iter().chain(&lists.targets));
        let (core, nodes) = (&self.graph.core, self.graph.core.state.nodes());
        let view = View::latest(core);
        let pins = NodeRecord::pins(&view);
        for &end in ends.filter(|end| !is_own(end)) {
            let (number, at) = nodes.place_of(end);
            let chunk = pins.pin(nodes, number, view.csn())?;
            if !chunk.is_some_and(|chunk| chunk.has(at)) {
                return Err(TransactionError::NoNode(end).into());
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

    /// Columns of values with the codes of their keys, ascending.
    fn codes<'v>(
        &mut self,
        columns: &[(&str, &'v [Value])],
    ) -> Result<BTreeMap<KeyCode, &'v [Value]>, GraphError> {
        let dictionary = &self.graph.core.state.dictionary;
        let mut coded = BTreeMap::new();
        for (key, values) in columns {
            let code = self.keys.code(dictionary, &mut self.names, key)?;
            coded.insert(code, *values);
        }
        Ok(coded)
    }

    /// A whole chunk in one piece, the rest one by one.
    fn flush_nodes(&mut self) -> Result<(), GraphError> {
        let records = self.graph.core.state.chunk_records();
        let (nodes, is_whole) = self.nodes.take_gathered(records)?;
        let sets = std::mem::take(&mut self.sets);
        let payload = &mut self.nodes.payload;
        match is_whole {
            true => encode_nodes(&nodes, &sets, payload),
            false => encode_nodes_singly(&nodes, &sets, payload),
        }
        Ok(())
    }

    fn flush_relationships(&mut self) -> Result<(), GraphError> {
        let records = self.graph.core.state.chunk_records();
        let (relationships, is_whole) = self.relationships.take_gathered(records)?;
        let payload = &mut self.relationships.payload;
        match is_whole {
            true => encode_relationships(&relationships, payload),
            false => encode_relationships_singly(&relationships, payload),
        }
        Ok(())
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
