//! The graph as of one commit.

use std::sync::{Arc, OnceLock};

use evergraph_snapshots::View as Moment;
use evergraph_storage::ViewToken;
use evergraph_topology::{PinnedSections, Published};

use super::core::Core;
use super::entity::{Node, Relationship};
use super::error::GraphError;
use super::ids::{Entity, NodeId, RelationshipId};
use super::read::recalled::Recalled;
use super::read::tabled::Tabled;
use super::read::types::TypeSet;
use crate::column::Number;
use crate::dictionary::{Dictionary, KeyCode, Names};
use crate::record::{NodeRecord, PinnedChunks, RelationshipRecord};
use crate::value::Value;

/// The graph as of one commit. Cheap to clone. Taking one is O(1) and blocks no writer;
/// everything that it shows stays readable as long as it lives, whatever is committed
/// meanwhile.
#[derive(Clone)]
pub struct View {
    pub(super) core: Arc<Core>,
    pub(super) read: Arc<Read>,
}

/// A commit that is kept readable, and what a view of it shares with its clones.
#[derive(Debug)]
pub(super) struct Read {
    token: Arc<ViewToken<Published>>,
    pub(super) pins: PinnedSections,
    pub(super) nodes: PinnedChunks<NodeRecord>,
    pub(super) relationships: PinnedChunks<RelationshipRecord>,
    pub(super) all_types: OnceLock<TypeSet>,
    pub(super) types: Recalled<TypeSet>,
    codes: [Recalled<u32>; Names::ALL.len()],
}

impl Read {
    pub(super) fn new(token: Arc<ViewToken<Published>>) -> Self {
        Read {
            token,
            pins: PinnedSections::default(),
            nodes: PinnedChunks::default(),
            relationships: PinnedChunks::default(),
            all_types: OnceLock::new(),
            types: Recalled::default(),
            codes: Default::default(),
        }
    }

    pub(super) fn csn(&self) -> u64 {
        self.token.csn()
    }

    /// Chunks that it keeps in memory.
    pub(super) fn chunks(&self) -> usize {
        self.nodes.len() + self.relationships.len()
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if Arc::strong_count(&self.read) == 1 {
            self.core.latest.leave(&self.core.store, &self.read);
        }
    }
}

impl View {
    /// View of the newest visible commit.
    pub(super) fn latest(core: &Arc<Core>) -> Self {
        let left = core.latest.take(&core.store);
        View {
            core: Arc::clone(core),
            read: left.unwrap_or_else(|| Arc::new(Read::new(Arc::new(core.store.register())))),
        }
    }

    pub(super) fn new(core: &Arc<Core>, token: ViewToken<Published>) -> Self {
        View {
            core: Arc::clone(core),
            read: Arc::new(Read::new(Arc::new(token))),
        }
    }

    /// View of a commit that the caller's view of the store holds already.
    pub(super) fn of_moment(core: &Arc<Core>, moment: &Moment) -> Result<Self, GraphError> {
        match Arc::ptr_eq(&core.store, moment.store()) {
            true => Ok(View {
                core: Arc::clone(core),
                read: Arc::new(Read::new(Arc::clone(moment.token()))),
            }),
            false => Err(GraphError::OtherGraph),
        }
    }

    /// The same commit of the store below, for callers that read no properties. O(1).
    pub fn moment(&self) -> Moment {
        Moment::of_token(&self.core.store, &self.read.token)
    }

    /// The commit.
    #[inline]
    pub fn csn(&self) -> u64 {
        self.read.token.csn()
    }

    /// Wall time of the commit, microseconds since 1970.
    pub fn wall_us(&self) -> i64 {
        self.read.token.state().wall_us
    }

    /// Node ids are below this.
    pub fn node_bound(&self) -> u32 {
        self.read.token.state().vertex_count as u32
    }

    /// Relationships of all types.
    pub fn relationship_count(&self) -> Result<u64, GraphError> {
        Ok(self.core.store.arc_count(&self.read.token)?)
    }

    /// A node; `None` if there is none of this id. Costs one record of one chunk.
    pub fn node(&self, id: NodeId) -> Result<Option<Node>, GraphError> {
        let record = self.node_record(id)?;
        Ok(record.map(|record| Node::new(id, record, self.dictionary())))
    }

    /// A relationship; `None` if there is none of this id.
    pub fn relationship(&self, id: RelationshipId) -> Result<Option<Relationship>, GraphError> {
        let record = self.relationship_record(id)?;
        Ok(record.map(|record| Relationship::new(id, record, self.dictionary())))
    }

    /// The record of a node, by code.
    pub fn node_record(&self, id: NodeId) -> Result<Option<Arc<NodeRecord>>, GraphError> {
        Ok(self.core.state.nodes().get(id.0, self.csn())?)
    }

    /// The record of a relationship, by code.
    pub fn relationship_record(
        &self,
        id: RelationshipId,
    ) -> Result<Option<Arc<RelationshipRecord>>, GraphError> {
        Ok(self.core.state.relationships().get(id.0, self.csn())?)
    }

    /// One property of a node or a relationship, without making anything of the
    /// others; `None` if it does not have it, or is not there.
    ///
    /// # Errors
    /// Damage.
    pub fn property(
        &self,
        entity: impl Into<Entity>,
        key: &str,
    ) -> Result<Option<Value>, GraphError> {
        match self.key(key) {
            Some(key) => self.property_of(entity, key),
            None => Ok(None),
        }
    }

    /// As [`View::property`], of a key by its code.
    ///
    /// # Errors
    /// Damage.
    #[inline]
    pub fn property_of(
        &self,
        entity: impl Into<Entity>,
        key: KeyCode,
    ) -> Result<Option<Value>, GraphError> {
        match entity.into() {
            Entity::Node(id) => self.property_in::<NodeRecord>(id.0, key),
            Entity::Relationship(id) => self.property_in::<RelationshipRecord>(id.0, key),
        }
    }

    #[inline]
    fn property_in<R: Tabled>(&self, id: u32, key: KeyCode) -> Result<Option<Value>, GraphError> {
        let (table, csn) = (R::table(&self.core), self.csn());
        let (number, at) = table.place_of(id);
        if let Some(chunk) = R::pins(self).pin_if_cheap(table, number, csn)? {
            // Numbers are made where they are wanted: moving a value costs more than
            // reading it.
            if let Some(column) = chunk.column(key, 1)? {
                match column.number(at as usize) {
                    Some((Number::Integer, number)) => return Ok(Some(Value::Integer(number))),
                    Some((Number::Float, bits)) => {
                        return Ok(Some(Value::Float(f64::from_bits(bits as u64))));
                    }
                    _ => {}
                }
            }
            let value = chunk.property(at, key)?;
            return Ok((!value.is_null()).then_some(value));
        }
        let found = table.find(id, csn)?;
        Ok(found
            .map(|found| found.property(key))
            .transpose()?
            .flatten())
    }

    fn key(&self, key: &str) -> Option<KeyCode> {
        self.code(Names::Keys, key)
    }

    /// The code of a name, if a commit has assigned one.
    pub(super) fn code(&self, names: Names, name: &str) -> Option<u32> {
        let known = &self.read.codes[names as usize];
        if let Some(&code) = known.recall(&[name]) {
            return Some(code);
        }
        let code = self.dictionary().code(names, name)?;
        known.remember(&[name], code);
        Some(code)
    }

    pub(super) fn dictionary(&self) -> &Arc<Dictionary> {
        &self.core.state.dictionary
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(super) fn token(&self) -> &Arc<ViewToken<Published>> {
        &self.read.token
    }
}
