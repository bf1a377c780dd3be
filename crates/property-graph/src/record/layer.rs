//! Records of a chunk that lie in another one: versions of the past.

use std::sync::Arc;

use evergraph_storage::{StorageError, Uuid};

use super::at::Subjects;
use super::bits::{Ranked, set, zeros};
use super::content::EntityKind;
use super::stored::StoredChunk;
use crate::column::Merged;
use crate::dictionary::KeyCode;
use crate::value::Value;

/// Records of a chunk that a chunk of versions has.
pub(super) struct Layer {
    pub(super) chunk: Arc<StoredChunk>,
    slots: Ranked,
    /// The version of each slot, in their order.
    versions: Box<[u32]>,
}

impl Layer {
    /// Of slots, and the version of each, ascending by slot.
    pub(super) fn new(chunk: &Arc<StoredChunk>, slots: Box<[u64]>, versions: Vec<u32>) -> Self {
        let layer = Layer {
            chunk: Arc::clone(chunk),
            slots: Ranked::new(slots),
            versions: versions.into(),
        };
        debug_assert!(
            layer.slots.slots().count() == layer.versions.len(),
            "one version of a record is shown as of a commit"
        );
        layer
    }

    /// Bits of its slots.
    pub(super) fn bits(&self) -> &[u64] {
        self.slots.bits()
    }

    pub(super) fn len(&self) -> usize {
        self.versions.len()
    }

    /// DRAM.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.slots.bytes() + size_of_val(&*self.versions)
    }

    /// The version of a slot, if it is here.
    pub(super) fn version(&self, slot: u32) -> Option<u32> {
        let slot = slot as usize;
        let is_here = self.slots.has(slot);
        is_here.then(|| self.versions[self.slots.rank(slot)])
    }

    /// Pairs of a version and its slot.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let versions = self.versions.iter().map(|version| *version as usize);
        versions.zip(self.slots.slots())
    }

    /// Adds bits of its slots by their types or sets of labels.
    pub(super) fn add_subjects(
        &self,
        of: EntityKind,
        uuid: &Uuid,
        subjects: &mut Subjects,
    ) -> Result<(), StorageError> {
        let reader = self.chunk.read(uuid)?;
        let words = self.bits().len();
        if let [code] = reader.subjects(of) {
            let bits = subjects.entry(*code).or_insert_with(|| zeros(words));
            let words = bits.iter_mut().zip(self.bits());
            words.for_each(|(word, bits)| *word |= bits);
            return Ok(());
        }
        for (version, slot) in self.pairs() {
            let code = reader.fixed(version as u32).subject(of);
            let bits = subjects.entry(code).or_insert_with(|| zeros(words));
            set(bits, slot as u32, true);
        }
        Ok(())
    }

    /// Puts its values of a key among numbers; false if they are not numbers alone.
    pub(super) fn merge_into(
        &self,
        key: KeyCode,
        numbers: &mut Merged,
        uuid: &Uuid,
    ) -> Result<bool, StorageError> {
        let reader = self.chunk.read(uuid)?;
        let Some(column) = reader.column(key)? else {
            return Ok(false);
        };
        let has_large = reader.large_of(key).next().is_some();
        Ok(!has_large && numbers.take(column, self.pairs(), self.bits()))
    }

    /// Adds slots and their values of a key, of those that have one.
    pub(super) fn add_values(
        &self,
        key: KeyCode,
        uuid: &Uuid,
        into: &mut Vec<(usize, Value)>,
    ) -> Result<(), StorageError> {
        let reader = self.chunk.read(uuid)?;
        let column = reader.column(key)?;
        for (version, slot) in self.pairs() {
            let value = match column.map(|column| column.get(version)) {
                Some(value) if !value.is_null() => Some(value),
                _ => reader.property(version as u32, key)?,
            };
            into.extend(value.map(|value| (slot, value)));
        }
        Ok(())
    }
}
