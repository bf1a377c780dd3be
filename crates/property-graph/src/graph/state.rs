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
use super::stub::{Dictionary, Table};
use crate::records::{NodeRecord, RelationshipRecord};

/// Records and names.
pub(super) struct State {
    pub dictionary: Arc<Dictionary>,
    pub nodes: Table<NodeRecord>,
    pub relationships: Table<RelationshipRecord>,
}

impl State {
    /// Nothing yet.
    pub fn new(chunk_records: Option<u32>) -> Self {
        let dictionary = Arc::new(Dictionary::default());
        let chunk = chunk_records.unwrap_or(256);
        State {
            nodes: Table::new(chunk),
            relationships: Table::new(chunk),
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
            Effect::Constraint { .. } => Ok(()),
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
            self.nodes.unmerged_since(),
            self.relationships.unmerged_since(),
        ];
        parts.into_iter().flatten().min()
    }

    fn unmerged_bytes(&self) -> usize {
        self.nodes.unmerged_bytes()
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
        Ok(written)
    }

    fn publishing(&self) {
        self.nodes.publishing();
        self.relationships.publishing();
    }

    fn published(&self, needed: &dyn Fn() -> Needed) {
        self.nodes.published(needed);
        self.relationships.published(needed);
    }

    fn abandoned(&self) {
        self.nodes.abandoned();
        self.relationships.abandoned();
    }

    fn restore(&self, place: &mut Place<'_>) -> Result<(), PersistenceError> {
        self.nodes.restore(place)?;
        self.relationships.restore(place)
    }

    fn check(&self, csn: u64, problems: &mut Vec<String>) {
        self.nodes.check(csn, problems);
        self.relationships.check(csn, problems);
    }
}
