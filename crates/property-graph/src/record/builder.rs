//! Making the new content of a chunk: of records, or of an older content and changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::{StorageError, failpoint};

use super::content::Fixed;
use super::core::{self, Head, Identity, NewPart, Part, REST, Slot};
use super::new_columns::EncodedColumns;
use super::stored::{ChunkReader, Segment};
use crate::column::{self, encode_packed, encode_sparse};
use crate::dictionary::KeyCode;
use crate::value::codec::{NoTextCodes, encode};
use crate::value::{Properties, Value, ValueError};

/// A chunk has at most so many columns; other keys are in the rest.
pub(super) const MOST_COLUMNS: usize = 64;
/// A key that fewer than one of so many records have is in the rest.
const LEAST_SHARE: usize = 16;
/// A value that takes more bytes gets an extent of its own, so that no checkpoint writes it
/// again because another value changed. Padding of the extent and the leaf of the directory
/// that is written with it come to less than an eighth of that; 2,048 smaller ones, which
/// are written together, to at most 128 MiB.
pub(super) const LARGE_BYTES: usize = 64 << 10;

/// New content of a chunk.
pub(super) struct Builder<'a> {
    identity: Identity,
    base: Option<ChunkReader<'a>>,
    used: Vec<bool>,
    begin: Vec<i64>,
    born: Vec<i64>,
    kind: Vec<i64>,
    first: Vec<i64>,
    second: Vec<i64>,
    /// See [`LARGE_BYTES`].
    large_bytes: usize,
    /// New values, null where there is none any more, by key, then ascending by record.
    changed: BTreeMap<KeyCode, Vec<(u32, Value)>>,
}

/// Content of a chunk, on its way to the medium.
pub(super) struct Image {
    pub(super) identity: Identity,
    head: Head,
    /// Ascending.
    pub(super) parts: Vec<(Part, Content)>,
}

/// Content of a part.
pub(super) enum Content {
    New(Vec<u8>),
    /// In a segment that need not be written.
    Kept(Arc<Segment>),
}

/// Parts of a chunk that is being made.
type Parts = BTreeMap<Part, Content>;

fn column_count(parts: &Parts) -> usize {
    parts.keys().filter(|part| part.is_column()).count()
}

/// The keys that get a column, of keys with the number of their values: those that many of
/// the `used` records have, at most `most`, and of more the most frequent.
pub(super) fn frequent(
    counts: impl Iterator<Item = (usize, KeyCode)>,
    used: usize,
    most: usize,
) -> Vec<KeyCode> {
    let least = used.div_ceil(LEAST_SHARE).max(1);
    let mut frequent: Vec<(usize, KeyCode)> = counts
        .filter(|&(count, key)| count >= least && key < REST)
        .collect();
    frequent.sort_unstable_by_key(|&(count, key)| (std::cmp::Reverse(count), key));
    frequent.truncate(most);
    frequent.into_iter().map(|(_, key)| key).collect()
}

/// The stored form of a value that gets an extent of its own.
pub(super) fn large(key: KeyCode, value: &Value, large_bytes: usize) -> Option<Vec<u8>> {
    // Stored, no value takes more than twice what it takes in DRAM.
    if 2 * value.heap_bytes() <= large_bytes || !Part::has_values(key) {
        return None;
    }
    let mut bytes = Vec::new();
    // What lies too deep is refused with its column.
    encode(value, &NoTextCodes, &mut bytes).ok()?;
    (bytes.len() > large_bytes).then_some(bytes)
}

impl<'a> Builder<'a> {
    /// No record is used.
    pub(super) fn new(identity: Identity) -> Self {
        let zeros = || vec![0; identity.records as usize];
        Builder {
            identity,
            base: None,
            used: vec![false; identity.records as usize],
            begin: zeros(),
            born: zeros(),
            kind: zeros(),
            first: zeros(),
            second: zeros(),
            large_bytes: LARGE_BYTES,
            changed: BTreeMap::new(),
        }
    }

    /// The content of an older chunk.
    pub(super) fn over(identity: Identity, base: Option<ChunkReader<'a>>) -> Self {
        let mut builder = Builder::new(identity);
        for at in base.iter().flat_map(|_| 0..identity.records) {
            if let Some(base) = base {
                builder.set_slot(at, base.slot(at), Some(base.fixed(at)));
            }
        }
        builder.base = base;
        builder
    }

    /// With another bound than [`LARGE_BYTES`].
    pub(super) fn with_large_bytes(self, large_bytes: usize) -> Self {
        Builder {
            large_bytes,
            ..self
        }
    }

    /// A chunk of new records, all of one commit, with its columns.
    pub(super) fn loaded(
        identity: Identity,
        slot: Slot,
        rows: impl Iterator<Item = Fixed>,
        columns: EncodedColumns,
    ) -> Image {
        let mut builder = Builder::new(identity);
        for (at, fixed) in (0..).zip(rows) {
            builder.set_slot(at, slot, Some(fixed));
        }
        let parts = columns.0.into_iter();
        builder.image(
            parts
                .map(|(part, bytes)| (part, Content::New(bytes)))
                .collect(),
        )
    }

    /// Records that are used.
    pub(super) fn used(&self) -> u32 {
        self.used.iter().filter(|used| **used).count() as u32
    }

    fn set_slot(&mut self, at: u32, slot: Slot, fixed: Option<Fixed>) {
        debug_assert!(
            slot.born <= slot.begin,
            "record {at} of {}: {slot:?}",
            self.identity.records
        );
        let at = at as usize;
        self.used[at] = slot.is_used;
        self.begin[at] = slot.begin as i64;
        self.born[at] = slot.born as i64;
        if let Some(fixed) = fixed {
            self.kind[at] = fixed.kind.into();
            self.first[at] = fixed.first.into();
            self.second[at] = fixed.second.into();
        }
    }

    /// Adds a record to a chunk without an older content; ascending.
    pub(super) fn add(&mut self, at: u32, slot: Slot, fixed: Fixed, properties: Properties) {
        self.set_slot(at, slot, Some(fixed));
        for (key, value) in properties.iter() {
            self.change(at, key, value.clone());
        }
    }

    /// Replaces a record, or with `None` removes it; ascending, each once.
    ///
    /// # Errors
    /// Damage of the older content.
    pub(super) fn replace(
        &mut self,
        at: u32,
        slot: Slot,
        record: Option<(Fixed, &Properties)>,
    ) -> Result<(), StorageError> {
        let none = Properties::new();
        let new = record.map_or(&none, |record| record.1);
        let old = match self.base.filter(|base| base.slot(at).is_used) {
            Some(base) => base.properties(at)?,
            None => Properties::new(),
        };
        self.set_slot(at, slot, record.map(|record| record.0));
        for (key, value) in new.iter() {
            if !old.get(key).is_some_and(|old| is_same(old, value)) {
                self.change(at, key, value.clone());
            }
        }
        for (key, _) in old.iter().filter(|(key, _)| new.get(*key).is_none()) {
            self.change(at, key, Value::Null);
        }
        Ok(())
    }

    fn change(&mut self, at: u32, key: KeyCode, value: Value) {
        let values = self.changed.entry(key).or_default();
        debug_assert!(
            values.last().is_none_or(|last| last.0 < at),
            "record {at} is set twice, or too late"
        );
        values.push((at, value));
    }

    /// The content. What did not change stays where it is.
    ///
    /// # Errors
    /// Values that cannot be stored, and damage of the older content.
    pub(super) fn finish(mut self) -> Result<Image, StorageError> {
        let mut parts: Parts = Parts::new();
        for (part, content) in self.base.iter().flat_map(|base| base.contents()) {
            parts.insert(part, content);
        }
        let mut changed = std::mem::take(&mut self.changed);
        self.take_large(&mut changed, &mut parts)?;
        let of_base = |key: &KeyCode| *key < REST && parts.contains_key(&Part::column(*key));
        let (mut in_columns, mut loose): (BTreeMap<_, _>, BTreeMap<_, _>) =
            changed.into_iter().partition(|(key, _)| of_base(key));
        if !loose.is_empty() && column_count(&parts) >= MOST_COLUMNS {
            // Keys that were frequent first would keep out those that are now.
            loose.append(&mut in_columns);
            parts.retain(|part, _| part.at.is_some());
            return self.regroup(loose, parts, true);
        }
        for (key, changes) in in_columns {
            if failpoint!("columns.change-forgotten") {
                continue;
            }
            let mut values = match self.base {
                Some(base) => base.values(key)?,
                None => Vec::new(),
            };
            for (at, value) in changes {
                values[at as usize] = value;
            }
            // Those that a program of before format 7 wrote among the others.
            for (at, value) in (0..).zip(&mut values) {
                self.set_aside(key, at, value, &mut parts);
            }
            match self.column(&values)? {
                Some(column) => parts.insert(Part::column(key), Content::New(column)),
                None => parts.remove(&Part::column(key)),
            };
        }
        match loose.is_empty() {
            true => Ok(self.image(parts)),
            false => self.regroup(loose, parts, false),
        }
    }

    /// Takes large values out of the changes, and out of the chunk those that are replaced.
    /// Changes of columns and the rest are left.
    fn take_large(
        &self,
        changed: &mut BTreeMap<KeyCode, Vec<(u32, Value)>>,
        parts: &mut Parts,
    ) -> Result<(), StorageError> {
        for (&key, values) in changed.iter_mut() {
            for (at, value) in &mut *values {
                if !failpoint!("values.left") {
                    parts.remove(&Part::value(key, *at));
                }
                self.set_aside(key, *at, value, parts);
            }
            let mut left = Vec::with_capacity(values.len());
            for (at, value) in values.drain(..) {
                let old = match self.base {
                    Some(base) if value.is_null() => base.small_property(at, key)?,
                    _ => None,
                };
                if !value.is_null() || old.is_some() {
                    left.push((at, value));
                }
            }
            *values = left;
        }
        changed.retain(|_, values| !values.is_empty());
        Ok(())
    }

    /// Makes a part of a value if it is large, and leaves null.
    fn set_aside(&self, key: KeyCode, at: u32, value: &mut Value, parts: &mut Parts) {
        if let Some(bytes) = large(key, value, self.large_bytes) {
            parts.insert(Part::value(key, at), Content::New(bytes));
            *value = Value::Null;
        }
    }

    fn image(self, parts: Parts) -> Image {
        Image {
            identity: self.identity,
            head: self.head(),
            parts: parts.into_iter().collect(),
        }
    }

    /// The column of these values, if there are any.
    fn column(&self, values: &[Value]) -> Result<Option<Vec<u8>>, StorageError> {
        if values.iter().all(Value::is_null) {
            return Ok(None);
        }
        let column = column::encode(values).map_err(|error| self.too_deep(&error))?;
        Ok(Some(column))
    }

    fn too_deep(&self, _: &ValueError) -> StorageError {
        let what = "lists and maps of a property lie too deep in each other";
        self.identity.cannot_store(what)
    }

    /// Changes of keys without a column in `parts`, of `all` keys if there are none: those
    /// that many records have get a column, the others are the rest.
    fn regroup(
        self,
        changed: BTreeMap<KeyCode, Vec<(u32, Value)>>,
        mut parts: Parts,
        all: bool,
    ) -> Result<Image, StorageError> {
        let mut loose = self.loose(all)?;
        parts.remove(&Part::REST);
        for (key, changes) in changed {
            let values = loose.entry(key).or_default();
            for (at, value) in changes {
                match value {
                    Value::Null => values.remove(&at),
                    value => values.insert(at, value),
                };
            }
        }
        for (key, values) in &mut loose {
            values.retain(|at, value| {
                self.set_aside(*key, *at, value, &mut parts);
                !value.is_null()
            });
        }
        let counts = loose.iter().map(|(key, values)| (values.len(), *key));
        let most = MOST_COLUMNS.saturating_sub(column_count(&parts));
        for key in frequent(counts, self.used() as usize, most) {
            let mut values = vec![Value::Null; self.identity.records as usize];
            for (at, value) in loose.remove(&key).unwrap_or_default() {
                values[at as usize] = value;
            }
            if let Some(column) = self.column(&values)? {
                parts.insert(Part::column(key), Content::New(column));
            }
        }
        if let Some(rest) = self.rest(loose)? {
            parts.insert(Part::REST, Content::New(rest));
        }
        Ok(self.image(parts))
    }

    /// Values of the older content that have no column; or all.
    fn loose(&self, all: bool) -> Result<BTreeMap<KeyCode, BTreeMap<u32, Value>>, StorageError> {
        let mut loose: BTreeMap<KeyCode, BTreeMap<u32, Value>> = BTreeMap::new();
        let Some(base) = self.base else {
            return Ok(loose);
        };
        base.for_each_in_rest(|at, properties| {
            for (key, value) in properties.iter() {
                loose.entry(key).or_default().insert(at, value.clone());
            }
        })?;
        for (Part { key, .. }, _) in base.contents().filter(|(part, _)| all && part.is_column()) {
            let values = (0..).zip(base.values(key)?);
            loose.insert(key, values.filter(|(_, value)| !value.is_null()).collect());
        }
        Ok(loose)
    }

    /// What has no column, packed by record.
    fn rest(
        &self,
        loose: BTreeMap<KeyCode, BTreeMap<u32, Value>>,
    ) -> Result<Option<Vec<u8>>, StorageError> {
        let mut rows: BTreeMap<u32, Properties> = BTreeMap::new();
        for (key, values) in loose {
            for (at, value) in values {
                rows.entry(at).or_default().set(key, value);
            }
        }
        let mut packed = Vec::with_capacity(rows.len());
        for (at, properties) in rows {
            let mut row = Vec::new();
            let encoded = properties.encode(&mut row);
            encoded.map_err(|error| self.too_deep(&error))?;
            packed.push((at as u16, row));
        }
        let mut rest = Vec::new();
        encode_packed(&packed, &mut rest);
        Ok((!packed.is_empty()).then_some(rest))
    }

    fn head(mut self) -> Head {
        let used = self.used();
        // So that slots without a record cost nothing.
        if let Some(first) = self.used.iter().position(|used| *used) {
            for values in [&mut self.kind, &mut self.first, &mut self.second] {
                let fill = values[first];
                let unused = values
                    .iter_mut()
                    .zip(&self.used)
                    .filter(|(_, used)| !**used);
                unused.for_each(|(value, _)| *value = fill);
            }
        }
        let mut bytes = Vec::new();
        if used < self.identity.records {
            for bits in self.used.chunks(64) {
                let word = bits
                    .iter()
                    .rev()
                    .fold(0, |word, bit| word << 1 | u64::from(*bit));
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        for values in [
            &self.begin,
            &self.born,
            &self.kind,
            &self.first,
            &self.second,
        ] {
            encode_sparse(values, &mut bytes);
        }
        Head { used, bytes }
    }
}

impl Image {
    pub(super) fn used(&self) -> u32 {
        self.head.used
    }

    /// The bytes of the core: new parts are inside.
    pub(super) fn core(&self, csn: u64) -> Vec<u8> {
        let parts = self.parts.iter().map(|(part, content)| {
            let content = match content {
                Content::New(bytes) => NewPart::Inside(bytes),
                Content::Kept(segment) => NewPart::Segment(&segment.entry),
            };
            (*part, content)
        });
        core::encode(self.identity, csn, &self.head, &parts.collect::<Vec<_>>())
    }

    /// Segments that hold parts, ascending.
    pub(super) fn segments(&self) -> Vec<Arc<Segment>> {
        let kept = |(_, content): &(Part, Content)| match content {
            Content::New(_) => None,
            Content::Kept(segment) => Some(Arc::clone(segment)),
        };
        self.parts.iter().filter_map(kept).collect()
    }
}

/// Whether two values are stored as the same bytes: equality of values takes −0.0 for 0.0.
fn is_same(a: &Value, b: &Value) -> bool {
    if let (Value::Integer(a), Value::Integer(b)) = (a, b) {
        return a == b;
    }
    let stored = |value: &Value| {
        let mut bytes = Vec::new();
        encode(value, &NoTextCodes, &mut bytes).map(|()| bytes)
    };
    matches!((stored(a), stored(b)), (Ok(a), Ok(b)) if a == b)
}
