//! What the property graph keeps beside the neighbor lists.
//!
//! [`State`] is the attachment of the store: the store hands it the effects of
//! each commit in log order, and lets it write and publish its extents with its
//! own checkpoints. It knows nothing of transactions.

use std::sync::Arc;

use evergraph_persistence::order::Flushed;
use evergraph_persistence::{Needed, PersistenceError};
use evergraph_topology::attachment::{Attachment, Place};

use super::effects::{Effect, decode};
use crate::dictionary::Dictionary;
use crate::records::{Geometry, NodeRecord, RelationshipRecord, Table};

/// Number of the table of nodes.
const NODES: u32 = 0;
/// Number of the table of relationships.
const RELATIONSHIPS: u32 = 1;

/// Records and names.
pub(super) struct State {
    pub dictionary: Arc<Dictionary>,
    pub nodes: Table<NodeRecord>,
    pub relationships: Table<RelationshipRecord>,
}

impl State {
    /// Nothing yet.
    pub fn new(geometry: Geometry) -> Self {
        let dictionary = Arc::new(Dictionary::new());
        State {
            nodes: Table::new(geometry, NODES, &dictionary),
            relationships: Table::new(geometry, RELATIONSHIPS, &dictionary),
            dictionary,
        }
    }

    fn apply_one(&self, csn: u64, effect: Effect, needed: &Needed) -> Result<(), PersistenceError> {
        match effect {
            Effect::Name { names, code, name } => self.dictionary.apply(csn, names, code, &name),
            Effect::Node { id, record } => self.nodes.apply(csn, id, record, needed),
            Effect::Relationship { id, record } => {
                self.relationships.apply(csn, id, record, needed)
            }
        }
    }
}

impl Attachment for State {
    fn apply(&self, csn: u64, payloads: &[&[u8]], needed: &Needed) -> Result<(), PersistenceError> {
        for payload in payloads {
            for effect in decode(payload)? {
                self.apply_one(csn, effect, needed)?;
            }
        }
        Ok(())
    }

    fn unmerged_since(&self) -> Option<u64> {
        let parts = [
            self.dictionary.unmerged_since(),
            self.nodes.unmerged_since(),
            self.relationships.unmerged_since(),
        ];
        parts.into_iter().flatten().min()
    }

    fn unmerged_bytes(&self) -> usize {
        self.dictionary.unmerged_bytes()
            + self.nodes.unmerged_bytes()
            + self.relationships.unmerged_bytes()
    }

    fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, PersistenceError> {
        // Writing records may give codes to sets of labels, so names come last.
        let mut written = self.nodes.write(csn, needed, place)?;
        written.extend(self.relationships.write(csn, needed, place)?);
        written.extend(self.dictionary.write(csn, needed, place)?);
        Ok(written)
    }

    fn publishing(&self) {
        self.nodes.publishing();
        self.relationships.publishing();
        self.dictionary.publishing();
    }

    fn published(&self, needed: &dyn Fn() -> Needed) {
        self.dictionary.published(needed);
        self.nodes.published(needed);
        self.relationships.published(needed);
    }

    fn abandoned(&self) {
        self.dictionary.abandoned();
        self.nodes.abandoned();
        self.relationships.abandoned();
    }

    fn restore(&self, place: &mut Place<'_>) -> Result<(), PersistenceError> {
        // Records name labels by code.
        self.dictionary.restore(place)?;
        self.nodes.restore(place)?;
        self.relationships.restore(place)
    }

    fn check(&self, csn: u64, problems: &mut Vec<String>) {
        self.dictionary.check(csn, problems);
        self.nodes.check(csn, problems);
        self.relationships.check(csn, problems);
    }
}
