//! State of the property graph beside the neighbor lists.
//!
//! [`State`] is the extension of the store: the store hands it the redo operations of
//! each commit in log order, and lets it write and publish its extents with its own
//! checkpoints. It knows nothing of transactions.

use std::sync::{Arc, OnceLock};

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, SectionKey, StorageError};
use evergraph_topology::MAX_VERTICES;
use evergraph_topology::extension::{EXTENSION_BLOBS, EXTENSION_OWNERS, Place, StoreExtension};

use super::changes::Followers;
use super::counts::{Counted, Counts, Tally};
use super::limits::Limits;
use super::read::ends::Samples;
use super::read::estimated::Estimates;
use super::redo::changed::{Changed, Changing};
use super::redo::loaded::{LabelSets, Loaded, LoadedNode};
use super::redo::{RedoOperation, damaged, decode};
use super::schema::{Governed, Schema};
use crate::dictionary::{Dictionary, LabelCode};
use crate::index::Change;
use crate::record::{EntityKind, Fixed, Geometry, NodeRecord, RelationshipRecord, Table};

// Numbers tell the parts apart, in the section directory too.
const NODES: u32 = 0;
const RELATIONSHIPS: u32 = 1;
const DICTIONARY: u32 = 2;
/// As many as an entry of a neighbor list can name.
const MOST_NODES: u32 = MAX_VERTICES as u32;
/// Chunks of relationships that there can be at most, if they have more than 512 records.
/// Tables by chunk take some bytes for each number below the last one, so that a high id
/// in a damaged log costs little.
const MOST_CHUNKS: u32 = 1 << 21;
/// Kind of the table that holds the options of the graph's creation.
const CHOICES: u32 = EXTENSION_BLOBS + 3;

/// Ids that relationships can have: whole chunks, so that the id behind the last one is an
/// id, too.
pub(super) fn most_relationships(chunk_records: u32) -> u32 {
    let most = chunk_records.saturating_mul(MOST_CHUNKS).max(1 << 30);
    most - most % chunk_records.max(1)
}

/// Records and names.
pub(super) struct State {
    pub(super) dictionary: Arc<Dictionary>,
    pub(super) schema: Schema,
    pub(super) followers: Followers,
    pub(super) limits: Arc<Limits>,
    pub(super) counts: Counts,
    pub(super) samples: Samples,
    pub(super) estimates: Estimates,
    /// Records of a chunk, unless something else is stored.
    chunk_records: u32,
    tables: OnceLock<Tables>,
}

struct Tables {
    nodes: Table<NodeRecord>,
    relationships: Table<RelationshipRecord>,
}

impl State {
    pub(super) fn new(chunk_records: u32) -> Self {
        State {
            dictionary: Arc::new(Dictionary::new(DICTIONARY)),
            schema: Schema::default(),
            followers: Followers::default(),
            limits: Arc::default(),
            counts: Counts::default(),
            samples: Samples::default(),
            estimates: Estimates::default(),
            chunk_records,
            tables: OnceLock::new(),
        }
    }

    #[inline]
    pub(super) fn nodes(&self) -> &Table<NodeRecord> {
        &self.tables(self.chunk_records).nodes
    }

    #[inline]
    pub(super) fn relationships(&self) -> &Table<RelationshipRecord> {
        &self.tables(self.chunk_records).relationships
    }

    pub(super) fn chunk_records(&self) -> u32 {
        self.nodes().geometry().records_per_chunk
    }

    /// The tables, made when they are first asked for.
    #[inline]
    fn tables(&self, chunk_records: u32) -> &Tables {
        self.tables.get_or_init(|| {
            let geometry = |most_records| Geometry {
                records_per_chunk: chunk_records,
                most_records,
                ..Geometry::default()
            };
            let (nodes, relationships) = (MOST_NODES, most_relationships(chunk_records));
            let (nodes, relationships) = (geometry(nodes), geometry(relationships));
            let dictionary = || Arc::clone(&self.dictionary);
            Tables {
                nodes: Table::new(nodes, NODES, dictionary()),
                relationships: Table::new(relationships, RELATIONSHIPS, dictionary()),
            }
        })
    }

    fn apply_one(
        &self,
        csn: u64,
        operation: RedoOperation,
        needed: &Needed,
        tally: &mut Tally,
    ) -> Result<(), StorageError> {
        match operation {
            RedoOperation::Name { names, code, name } => {
                self.dictionary.apply(csn, names, code, &name)
            }
            RedoOperation::Node { id, record } => {
                self.count_node(csn, id, record.as_ref(), tally)?;
                let before = || self.nodes().get(id, csn.saturating_sub(1));
                self.schema.apply_record(csn, id, before, record.as_ref())?;
                self.nodes().apply(csn, id, record, needed)
            }
            RedoOperation::Relationship { id, record } => {
                self.count_relationship(csn, id, record.as_ref(), tally)?;
                let before = || self.relationships().get(id, csn.saturating_sub(1));
                self.schema.apply_record(csn, id, before, record.as_ref())?;
                self.relationships().apply(csn, id, record, needed)
            }
            RedoOperation::Confirmed { number } => {
                self.schema.confirm(csn, number);
                Ok(())
            }
            RedoOperation::Schema { number, definition } => {
                self.schema.apply(csn, number, definition.as_deref())
            }
            RedoOperation::LoadedNodes(nodes, sets) => self.load_nodes(csn, &nodes, &sets, tally),
            RedoOperation::LoadedRelationships(relationships) => {
                let marked = relationships
                    .iter()
                    .map(|(row, properties)| (row.kind, properties));
                let rows = (relationships.first..).zip(marked);
                self.index::<RelationshipRecord>(csn, rows)?;
                let rows = relationships.iter().map(|(row, properties)| {
                    let fixed = Fixed {
                        kind: row.kind,
                        first: row.source,
                        second: row.target,
                    };
                    (fixed, properties)
                });
                let chunk = self.chunk_that_begins_with(relationships.first)?;
                if csn > self.relationships().merged_csn(chunk) {
                    let rows = relationships.rows.chunk_by(|a, b| a.kind == b.kind);
                    for alike in rows {
                        tally.gain(Counted::Type(alike[0].kind), chunk, alike.len() as u32);
                    }
                }
                self.relationships().load(csn, chunk, rows)
            }
            RedoOperation::Changed(changed) => match changed.difference.kind {
                EntityKind::Node => self.change(csn, &changed, self.nodes(), needed, tally),
                EntityKind::Relationship => {
                    self.change(csn, &changed, self.relationships(), needed, tally)
                }
            },
        }
    }

    /// Changes existing records. A chunk that is merged up to this commit or further
    /// (replay) holds what follows, and nothing of the record before; indexes are merged
    /// with it.
    fn change<R: Changing + Governed>(
        &self,
        csn: u64,
        changed: &Changed,
        table: &Table<R>,
        needed: &Needed,
        tally: &mut Tally,
    ) -> Result<(), StorageError> {
        for (row, &id) in changed.ids.iter().enumerate() {
            let chunk = id / self.chunk_records();
            let merged = table.merged_csn(chunk);
            if csn <= merged && !failpoint!("changes.over-what-is-merged") {
                continue;
            }
            // Nothing newer is applied: the record as of this commit is the one before.
            let as_of = failpoint!("changes.of-what-is-merged", merged, else csn);
            let before = table.get(id, as_of)?;
            let before = before.ok_or_else(|| damaged("changes a record that is not there"))?;
            let after = changed.record_after(&*before, row);
            tally.labels(chunk, before.labels(), after.labels());
            let schema = &self.schema;
            schema.apply_record(csn, id, || Ok(Some(before)), Some(&after))?;
            table.apply(csn, id, Some(after), needed)?;
            failpoint!("graph.applied-in-part");
        }
        Ok(())
    }

    /// Counts a node that a commit makes, replaces or deletes. One whose chunk is merged
    /// up to the commit or further is counted already.
    fn count_node(
        &self,
        csn: u64,
        id: u32,
        after: Option<&NodeRecord>,
        tally: &mut Tally,
    ) -> Result<(), StorageError> {
        let chunk = id / self.chunk_records();
        if csn > self.nodes().merged_csn(chunk) {
            let before = self.nodes().find(id, csn)?;
            let before = before.map(|found| found.labels()).transpose()?;
            tally.node(
                chunk,
                before.as_deref(),
                after.map(|record| &*record.labels),
            );
        }
        Ok(())
    }

    /// As [`State::count_node`].
    fn count_relationship(
        &self,
        csn: u64,
        id: u32,
        after: Option<&RelationshipRecord>,
        tally: &mut Tally,
    ) -> Result<(), StorageError> {
        let chunk = id / self.chunk_records();
        if csn > self.relationships().merged_csn(chunk) {
            let before = self.relationships().find(id, csn)?;
            if let Some(before) = before {
                tally.lose(Counted::Type(before.ends()?.0));
            }
            if let Some(after) = after {
                tally.gain(Counted::Type(after.kind), chunk, 1);
            }
        }
        Ok(())
    }

    fn load_nodes(
        &self,
        csn: u64,
        nodes: &Loaded<LoadedNode>,
        sets: &LabelSets,
        tally: &mut Tally,
    ) -> Result<(), StorageError> {
        let codes = sets.iter().map(|set| self.dictionary.label_set_code(set));
        let codes: Option<Vec<u32>> = codes.collect();
        let codes = codes.ok_or_else(|| {
            StorageError::damaged("log", 0, "no room is left for one more set of labels")
        })?;
        let rows = nodes.iter().map(|(row, properties)| {
            let fixed = Fixed {
                first: codes[row.set as usize],
                ..Fixed::default()
            };
            (fixed, properties)
        });
        let shared: Vec<Arc<[LabelCode]>> = sets.iter().map(|set| set.as_slice().into()).collect();
        let marked = nodes.iter().map(|(row, properties)| {
            let labels = Arc::clone(&shared[row.set as usize]);
            (labels, properties)
        });
        self.index::<NodeRecord>(csn, (nodes.first..).zip(marked))?;
        let chunk = self.chunk_that_begins_with(nodes.first)?;
        if csn > self.nodes().merged_csn(chunk) {
            for alike in nodes.rows.chunk_by(|a, b| a.set == b.set) {
                let count = alike.len() as u32;
                tally.gain(Counted::Nodes, chunk, count);
                for &label in &sets[alike[0].set as usize] {
                    tally.gain(Counted::Label(label), chunk, count);
                }
            }
        }
        self.nodes().load(csn, chunk, rows)
    }

    /// Gives new records, with their encoded properties, to the indexes over them.
    fn index<'a, R: Governed>(
        &self,
        csn: u64,
        rows: impl Iterator<Item = (u32, (R::Marks, &'a [u8]))> + Clone,
    ) -> Result<(), StorageError> {
        if failpoint!("load.not-indexed") {
            return Ok(());
        }
        for entry in self.schema.entries().iter() {
            let Some(index) = entry.index.as_ref().filter(|_| entry.is_about_any::<R>()) else {
                continue;
            };
            // Keys one behind the other, and of each record its id and where its key stands.
            let (mut keys, mut places) = (Vec::new(), Vec::new());
            for (id, (marks, properties)) in rows.clone() {
                if !R::is_marked(&marks, entry.stored.subject) {
                    continue;
                }
                let from = keys.len();
                match entry.push_key_in(properties, &mut keys)? {
                    true => {
                        entry.note_written(csn, &keys[from..]);
                        places.push((id, from..keys.len()));
                    }
                    false => keys.truncate(from),
                }
            }
            let changes = places.into_iter().map(|(id, place)| Change {
                key: &keys[place],
                id,
                present: true,
            });
            index.apply(csn, changes);
        }
        Ok(())
    }

    fn chunk_that_begins_with(&self, id: u32) -> Result<u32, StorageError> {
        match (id / self.chunk_records(), id % self.chunk_records()) {
            (chunk, 0) => Ok(chunk),
            _ => Err(damaged("loads records that are not a chunk")),
        }
    }

    fn write_choices(&self, place: &mut Place<'_>) -> Result<Option<Flushed<()>>, StorageError> {
        if place.directory.blob(CHOICES, 0).is_some() {
            return Ok(None);
        }
        let bytes = self.chunk_records().to_le_bytes();
        let written = place
            .directory
            .set_blob(place.region, place.uuid, CHOICES, 0, &bytes)?;
        Ok(Some(written))
    }
}

impl StoreExtension for State {
    fn apply(&self, csn: u64, payloads: &[&[u8]], needed: &Needed) -> Result<(), StorageError> {
        let (mut changed, mut tally) = (Vec::new(), Tally::default());
        for payload in payloads {
            for operation in decode(payload)? {
                changed.extend(operation.nodes());
                self.apply_one(csn, operation, needed, &mut tally)?;
                failpoint!("graph.applied-in-part");
            }
        }
        self.counts.apply(csn, tally, needed);
        self.followers.tell(csn, &changed);
        Ok(())
    }

    fn unmerged_since(&self) -> Option<u64> {
        let parts = [
            self.dictionary.unmerged_since(),
            self.schema.unmerged_since(),
            // Counts change with records, and hold the log for them as well.
            (!failpoint!("records.log-freed-too-far"))
                .then(|| {
                    let parts = [self.nodes().unmerged_since(), self.counts.unmerged_since()];
                    parts.into_iter().flatten().min()
                })
                .flatten(),
            self.relationships().unmerged_since(),
        ];
        parts.into_iter().flatten().min()
    }

    fn unmerged_bytes(&self) -> usize {
        self.dictionary.unmerged_bytes()
            + self.schema.unmerged_bytes()
            + self.nodes().unmerged_bytes()
            + self.relationships().unmerged_bytes()
    }

    fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let mut written = Vec::new();
        if failpoint!("dictionary.before-tables") {
            written.extend(self.dictionary.write(csn, place)?);
        }
        written.extend(self.nodes().write(csn, needed, place)?);
        written.extend(self.relationships().write(csn, needed, place)?);
        // Writing records gives codes to sets of labels and to texts.
        if !failpoint!("dictionary.before-tables") {
            written.extend(self.dictionary.write(csn, place)?);
        }
        written.extend(self.schema.write(csn, needed, place)?);
        written.extend(self.counts.write(csn, needed, place)?);
        written.extend(self.write_choices(place)?);
        Ok(written)
    }

    fn publishing(&self) {
        self.nodes().publishing();
        self.relationships().publishing();
        self.schema.publishing();
    }

    fn published(&self, needed: &dyn Fn() -> Needed) {
        self.dictionary.published();
        self.nodes().published(needed);
        self.relationships().published(needed);
        self.schema.published(needed);
        self.counts.published(needed);
    }

    fn abandoned(&self) {
        self.dictionary.abandoned();
        self.nodes().abandoned();
        self.relationships().abandoned();
        self.schema.abandoned();
        self.counts.abandoned();
    }

    fn restore(&self, place: &mut Place<'_>) -> Result<(), StorageError> {
        if let Some(choices) = place.directory.blob(CHOICES, 0) {
            let bytes = choices.read(place.uuid)?;
            let chosen = bytes.try_into().map(u32::from_le_bytes);
            let chosen = chosen.ok().filter(|&records| is_chunk(records));
            let chosen = chosen.ok_or_else(|| {
                let (file, offset) = (choices.extent.file_name(), choices.extent.offset());
                StorageError::damaged(&file, offset, "the size of chunks is impossible")
            })?;
            self.tables(chosen);
        }
        // Records name labels by code.
        self.dictionary.restore(place)?;
        self.nodes().restore(place)?;
        self.relationships().restore(place)?;
        let nodes = self.nodes().changed_chunks(0);
        let relationships = self.relationships().changed_chunks(0);
        let merged = nodes.iter().chain(&relationships).map(|chunk| chunk.1);
        self.counts.restore(place, merged.max())?;
        self.schema.restore(place)?;
        self.refuse_unknown(place)
    }

    fn check(&self, csn: u64, problems: &mut Vec<String>) {
        self.dictionary.check(problems);
        self.nodes().check(csn, problems);
        self.relationships().check(csn, problems);
        self.schema.check(problems);
    }
}

impl State {
    /// Refuses names that no part has: extents that nothing claims would be taken for free
    /// space.
    fn refuse_unknown(&self, place: &Place<'_>) -> Result<(), StorageError> {
        let is_known = |name: SectionKey| {
            let is_record = self.nodes().has_name(name) || self.relationships().has_name(name);
            is_record || self.schema.has_name(name)
        };
        let mut entries = place.directory.entries();
        match entries.find(|(name, _)| name.owner >= EXTENSION_OWNERS && !is_known(*name)) {
            Some((_, entry)) => {
                let what = "the section directory names an extent of no table and no index";
                let file = place.region.file_name();
                Err(StorageError::damaged(&file, entry.offset, what))
            }
            None => Ok(()),
        }
    }
}

pub(super) fn is_chunk(records: u32) -> bool {
    (1..=1 << 16).contains(&records)
}

#[cfg(test)]
mod pins {
    use super::*;
    use crate::graph::counts::COUNTS;
    use crate::graph::schema::{DEFINITIONS, INDEX_OWNERS};
    use crate::record::Record;

    /// Pins which table of the section directory belongs to which part.
    #[test]
    fn numbers_of_parts_are_pinned() {
        assert_eq!([NODES, RELATIONSHIPS, DICTIONARY], [0, 1, 2]);
        assert_eq!([CHOICES, DEFINITIONS, COUNTS], [35, 36, 37]);
        assert_eq!(INDEX_OWNERS, (1 << 31) + 16);
        assert_eq!(
            [NodeRecord::MAGIC, RelationshipRecord::MAGIC],
            [*b"ENOD", *b"EREL"]
        );
    }
}
