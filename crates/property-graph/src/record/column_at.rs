//! A column as of a commit: values that the base has in place, and beside them, as a
//! column of their own, those that it does not show.

use std::sync::Arc;

use evergraph_storage::{StorageError, Uuid, failpoint};

use super::at::ChunkAt;
use super::bits::{Ranked, slots_of, zeros};
use super::content::Record;
use super::stored::StoredChunk;
use crate::column::{
    Cell, Column, KeptColumn, Merged, Number, Rows, Scattered, Slice, Typed, append_cells,
    append_texts,
};
use crate::dictionary::KeyCode;
use crate::value::{Date, LocalDateTime, Value, ValueError};
use crate::vector::Vector;

/// The values of one key in a chunk as of a commit. Slots without a record have none.
#[derive(Clone, Debug)]
pub(crate) struct ColumnAt {
    base: Option<KeptColumn>,
    /// Slots whose value is in the base, with its type; `None` if those are all.
    in_base: Option<Box<[u64]>>,
    patch: Option<Patch>,
    /// Values that are in neither.
    large: Option<LargeAt>,
    /// Of `base`, if it was made for this.
    own_bytes: usize,
}

/// Large values of some slots, read where they lie when they are asked for.
#[derive(Clone)]
pub(super) struct LargeAt {
    chunk: Arc<StoredChunk>,
    uuid: Uuid,
    key: KeyCode,
    slots: Box<[u64]>,
}

impl LargeAt {
    /// Those of a key in a chunk, of these slots; `None` if there are none.
    pub(super) fn new(
        chunk: &Arc<StoredChunk>,
        uuid: Uuid,
        key: KeyCode,
        words: usize,
        of: impl Iterator<Item = u32>,
    ) -> Option<Self> {
        let mut of = of.peekable();
        of.peek()?;
        let mut slots = zeros(words);
        of.for_each(|at| slots[at as usize / 64] |= 1 << (at % 64));
        let chunk = Arc::clone(chunk);
        Some(LargeAt {
            chunk,
            uuid,
            key,
            slots,
        })
    }

    #[inline]
    fn has(&self, slot: usize) -> bool {
        self.slots[slot / 64] >> (slot % 64) & 1 == 1
    }

    fn get(&self, slot: usize) -> Result<Value, StorageError> {
        let reader = self.chunk.read(&self.uuid)?;
        let value = reader.property(slot as u32, self.key)?;
        Ok(value.unwrap_or_default())
    }
}

impl std::fmt::Debug for LargeAt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LargeAt({:?})", self.slots)
    }
}

/// Values of slots that the base does not show, or not with its type.
#[derive(Clone, Debug)]
struct Patch {
    slots: Ranked,
    /// The values of these slots, in their order.
    values: KeptColumn,
}

impl Patch {
    /// Of slots and their values, ascending.
    fn new(others: Vec<(usize, Value)>, words: usize) -> Result<Option<Self>, ValueError> {
        if others.is_empty() {
            return Ok(None);
        }
        let mut slots = zeros(words);
        let mut values = Vec::with_capacity(others.len());
        for (slot, value) in others {
            slots[slot / 64] |= 1 << (slot % 64);
            values.push(value);
        }
        Ok(Some(Patch {
            slots: Ranked::new(slots),
            values: KeptColumn::of(&values)?,
        }))
    }
}

/// A base with values in place where it can have them: reading one column costs less than
/// looking for each value in two. And the bytes of the copy that they were written over.
/// Leaves the values that it has no place for, and sets the bits of slots of the others.
fn overwritten(
    base: Option<&KeptColumn>,
    values: &mut Vec<(usize, Value)>,
    shown: &mut [u64],
) -> (Option<KeptColumn>, usize) {
    match base.and_then(|base| base.overwritten(values, shown)) {
        Some(copy) => {
            let bytes = copy.len();
            (Some(copy), bytes)
        }
        None => (base.cloned(), 0),
    }
}

/// Bits of slots that a column shows, if these are not all.
fn unless_all(in_base: Box<[u64]>, column: Option<Column<'_>>) -> Option<Box<[u64]>> {
    let count: u32 = in_base.iter().map(|word| word.count_ones()).sum();
    let is_whole = column.is_some_and(|column| column.slots() == count as usize);
    (!is_whole).then_some(in_base)
}

/// A value of a type, if there is one of it.
pub(crate) enum CellAt<T> {
    Value(T),
    Null,
    /// A value of another type.
    Other,
}

impl ColumnAt {
    /// Of a base, the slots that it shows, and values of others, each once.
    ///
    /// # Errors
    /// Values that no column can have.
    pub(crate) fn new(
        base: Option<&KeptColumn>,
        clean: &[u64],
        mut others: Vec<(usize, Value)>,
    ) -> Result<Self, ValueError> {
        let mut shown = Vec::from(clean);
        if failpoint!("columns.patch-forgotten") {
            others.clear();
        }
        let (base, own_bytes) = overwritten(base, &mut others, &mut shown);
        let column = base.as_ref().map(KeptColumn::column);
        let is_clean = |slot: usize| clean[slot / 64] >> (slot % 64) & 1 == 1;
        let exceptions = column.iter().flat_map(Column::exceptions);
        others.extend(exceptions.filter(|(slot, _)| is_clean(*slot)));
        others.retain(|(_, value)| !value.is_null());
        others.sort_unstable_by_key(|(slot, _)| *slot);
        let valid = |word| column.map_or(0, |column| column.valid_word(word));
        let in_base = (0..).zip(&shown).map(|(word, shown)| shown & valid(word));
        let in_base: Box<[u64]> = in_base.collect();
        Ok(ColumnAt {
            in_base: unless_all(in_base, column),
            patch: Patch::new(others, clean.len())?,
            large: None,
            own_bytes,
            base,
        })
    }

    /// With large values beside those.
    pub(super) fn with_large(self, large: Option<LargeAt>) -> Self {
        ColumnAt { large, ..self }
    }

    /// With a base that was made for it.
    pub(super) fn with_own_base(self) -> Self {
        let base = self.base.as_ref().map_or(0, KeptColumn::len);
        ColumnAt {
            own_bytes: base,
            ..self
        }
    }

    /// Whether it has these values already, as the commits of other keys leave them: told
    /// of types whose values are compared at once and to the last bit.
    fn has(&self, values: &[(usize, Value)]) -> bool {
        let is_same = |known: Value, value: &Value| match (known, value) {
            (Value::Boolean(known), Value::Boolean(value)) => known == *value,
            (Value::Integer(known), Value::Integer(value)) => known == *value,
            (Value::Text(known), Value::Text(value)) => known == *value,
            (Value::Date(known), Value::Date(value)) => known == *value,
            _ => false,
        };
        let is_large = |slot| self.large.as_ref().is_some_and(|large| large.has(slot));
        let mut values = values.iter();
        values.all(|(slot, value)| {
            !is_large(*slot) && self.get(*slot).is_ok_and(|known| is_same(known, value))
        })
    }

    /// The column with other values in some places, in their order.
    ///
    /// # Errors
    /// As [`ColumnAt::new`].
    pub(super) fn after(
        &self,
        places: &[u64],
        mut values: Vec<(usize, Value)>,
    ) -> Result<Self, ValueError> {
        let changed: u32 = places.iter().map(|word| word.count_ones()).sum();
        if values.len() == changed as usize && self.has(&values) {
            return Ok(self.clone());
        }
        let slots = self.base.as_ref().map_or(0, |base| base.column().slots());
        let in_base = places.iter().enumerate().map(|(word, places)| {
            let all = || match slots.saturating_sub(64 * word) {
                0 => 0,
                left => u64::MAX >> (64 - left.min(64)),
            };
            let in_base = self.in_base.as_ref().map_or_else(all, |words| words[word]);
            match failpoint!("columns.changed-in-base") {
                true => in_base,
                false => in_base & !places,
            }
        });
        let mut in_base: Box<[u64]> = in_base.collect();
        if let Some(patch) = &self.patch {
            let column = patch.values.column();
            let words = patch.slots.bits().iter().zip(places);
            let left: Vec<u64> = words.map(|(slots, places)| slots & !places).collect();
            let value = |slot| (slot, column.get(patch.slots.rank(slot)));
            values.extend(slots_of(&left).map(value));
            values.sort_by_key(|(slot, _)| *slot);
        }
        let (base, own_bytes) = overwritten(self.base.as_ref(), &mut values, &mut in_base);
        let column = base.as_ref().map(KeptColumn::column);
        Ok(ColumnAt {
            in_base: unless_all(in_base, column),
            base,
            patch: Patch::new(values, places.len())?,
            large: self.large.clone().map(|mut large| {
                let slots = large.slots.iter_mut().zip(places);
                slots.for_each(|(slots, places)| *slots &= !places);
                large
            }),
            own_bytes,
        })
    }

    /// DRAM, without that of a base which others have, too.
    pub(super) fn bytes(&self) -> usize {
        let words = |words: &[u64]| size_of_val(words);
        let patch = self
            .patch
            .as_ref()
            .map_or(0, |patch| patch.slots.bytes() + patch.values.len());
        let large = self.large.as_ref().map_or(0, |large| words(&large.slots));
        size_of::<Self>()
            + self.own_bytes
            + self.in_base.as_deref().map_or(0, words)
            + patch
            + large
    }

    /// The value of a slot, null if it has none.
    ///
    /// # Errors
    /// Damage of a large value.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Result<Value, StorageError> {
        Ok(match &self.base {
            Some(base) if self.is_in_base(slot) => base.column().get(slot),
            _ => match (self.patch_of(slot), &self.large) {
                (Some(patch), _) => patch.values.column().get(patch.slots.rank(slot)),
                (None, Some(large)) if large.has(slot) => large.get(slot)?,
                (None, _) => Value::Null,
            },
        })
    }

    /// As [`ColumnAt::get`], of a type.
    #[inline]
    pub(crate) fn cell<T: Cell>(&self, slot: usize) -> CellAt<T> {
        let (column, slot) = match &self.base {
            Some(base) if self.is_in_base(slot) => (base.column(), slot),
            _ => match self.patch_of(slot) {
                Some(patch) => (patch.values.column(), patch.slots.rank(slot)),
                None if self.large.as_ref().is_some_and(|large| large.has(slot)) => {
                    return CellAt::Other;
                }
                None => return CellAt::Null,
            },
        };
        let typed = column.typed();
        match T::is_in(&typed) && column.is_valid(slot) {
            true => CellAt::Value(T::get(&typed, slot)),
            false => CellAt::Other,
        }
    }

    #[inline]
    fn is_in_base(&self, slot: usize) -> bool {
        (self.in_base.as_ref()).is_none_or(|words| words[slot / 64] >> (slot % 64) & 1 == 1)
    }

    #[inline]
    fn patch_of(&self, slot: usize) -> Option<&Patch> {
        let patch = self.patch.as_ref()?;
        patch.slots.has(slot).then_some(patch)
    }

    /// Values in place, and which slots they are of: `None` if of all.
    pub(crate) fn base(&self) -> (Option<Column<'_>>, Option<&[u64]>) {
        let base = self.base.as_ref().map(KeptColumn::column);
        (base, self.in_base.as_deref())
    }

    /// Values beside the base, and the slots that they are of, in order.
    pub(crate) fn patch(&self) -> Option<(Column<'_>, &[u64])> {
        let patch = self.patch.as_ref()?;
        Some((patch.values.column(), patch.slots.bits()))
    }

    /// The slots of values that [`ColumnAt::get`] alone gives.
    pub(crate) fn large(&self) -> Option<&[u64]> {
        self.large.as_ref().map(|large| &*large.slots)
    }

    /// A number of a slot that lies in place.
    #[inline]
    pub(crate) fn number(&self, slot: usize) -> Option<(Number, i64)> {
        let (number, integers) = match self.base.as_ref()?.column().typed() {
            Typed::Integers(integers) => (Number::Integer, integers),
            Typed::Floats(floats) => (Number::Float, floats),
            Typed::Dates(days) => (Number::Date, days),
            _ => return None,
        };
        self.is_in_base(slot).then(|| (number, integers.get(slot)))
    }

    /// Type of the numbers in place, if the base has some.
    pub(crate) fn number_type(&self) -> Option<Number> {
        self.base.as_ref()?.number()
    }

    /// Numbers in place, if the base has some of an array's type.
    pub(super) fn scattered(&self) -> Option<(Number, Scattered)> {
        self.base.as_ref()?.scattered()
    }

    /// Appends the values of slots to a vector, null where a slot has none.
    ///
    /// # Errors
    /// As [`ColumnAt::get`].
    pub(crate) fn append(
        &self,
        slots: &Slice<'_>,
        vector: &mut Vector,
    ) -> Result<(), StorageError> {
        let has_large = |large: &LargeAt| slots.iter().any(|slot| large.has(slot));
        if self.large.as_ref().is_some_and(has_large) {
            return self.append_one_by_one(slots, vector);
        }
        let base = (self.base.as_ref()).map_or(Typed::None, |base| base.column().typed());
        let patch = self.patch.as_ref().map(|patch| patch.values.column());
        let decides = match (&base, &patch) {
            (Typed::None, Some(patch)) => patch.typed(),
            _ => (self.base.as_ref()).map_or(Typed::None, |base| base.column().typed()),
        };
        let is_done = match decides {
            Typed::None if patch.is_none() => {
                vector.push_nulls(slots.len());
                true
            }
            Typed::Integers(_) => self.append_cells::<i64>(&base, patch, slots, vector),
            Typed::Floats(_) => self.append_cells::<f64>(&base, patch, slots, vector),
            Typed::Booleans(_) => self.append_cells::<bool>(&base, patch, slots, vector),
            Typed::Dates(_) => self.append_cells::<Date>(&base, patch, slots, vector),
            Typed::LocalDateTimes(..) => {
                self.append_cells::<LocalDateTime>(&base, patch, slots, vector)
            }
            Typed::Codes(..) | Typed::Texts(_) => self.append_texts(&base, patch, slots, vector),
            Typed::Lists | Typed::None => false,
        };
        match is_done {
            true => Ok(()),
            false => self.append_one_by_one(slots, vector),
        }
    }

    fn append_one_by_one(
        &self,
        slots: &Slice<'_>,
        vector: &mut Vector,
    ) -> Result<(), StorageError> {
        // A list or a large text that several rows beside each other have is read once.
        let mut last = None;
        for slot in slots.iter() {
            let value = match last.take() {
                Some((same, value)) if same == slot => value,
                _ => self.get(slot)?,
            };
            vector.push(value.clone());
            last = Some((slot, value));
        }
        Ok(())
    }

    /// False, and nothing is done, if not all values are of the type.
    fn append_cells<T: Cell>(
        &self,
        base: &Typed<'_>,
        patch: Option<Column<'_>>,
        slots: &Slice<'_>,
        vector: &mut Vector,
    ) -> bool {
        let others = patch.map(|patch| (patch.typed(), patch.has_exceptions()));
        if (others.iter()).any(|(typed, is_mixed)| *is_mixed || !T::is_in(typed)) {
            return false;
        }
        let rows = self.words(slots);
        let other = |row| match (&others, &self.patch) {
            (Some((typed, _)), Some(patch)) => T::get(typed, patch.slots.rank(slots.get(row))),
            _ => T::default(),
        };
        append_cells(base, slots, rows, other, vector)
    }

    fn append_texts(
        &self,
        base: &Typed<'_>,
        patch: Option<Column<'_>>,
        slots: &Slice<'_>,
        vector: &mut Vector,
    ) -> bool {
        let others = patch.map(|patch| (patch.typed(), patch.has_exceptions()));
        let is_text = |typed: &Typed<'_>| matches!(typed, Typed::Codes(..) | Typed::Texts(_));
        if (others.iter()).any(|(typed, is_mixed)| *is_mixed || !is_text(typed)) {
            return false;
        }
        let rows = self.words(slots);
        let other = |row| match (&others, &self.patch) {
            (Some((typed, _)), Some(patch)) => typed.text(patch.slots.rank(slots.get(row))),
            _ => "",
        };
        append_texts(base, slots, rows, other, vector)
    }

    fn words<'s>(&'s self, slots: &'s Slice<'s>) -> Option<Words<'s>> {
        let in_base = self.in_base.as_deref()?;
        Some(Words {
            slots,
            in_base,
            patch: self.patch.as_ref().map(|patch| patch.slots.bits()),
        })
    }
}

/// Where the values of rows are.
struct Words<'a> {
    slots: &'a Slice<'a>,
    in_base: &'a [u64],
    patch: Option<&'a [u64]>,
}

impl Rows for Words<'_> {
    fn for_each_word(&self, mut each: impl FnMut(usize, usize, u64, u64)) {
        let rows = self.slots.len();
        let mut patched = self.patch.map(|patch| self.slots.rows_with(patch));
        for (number, in_base) in self.slots.rows_with(self.in_base).enumerate() {
            let patched = patched.as_mut().and_then(Iterator::next).unwrap_or(0);
            each(64 * number, (rows - 64 * number).min(64), in_base, patched);
        }
    }
}

impl<R: Record> ChunkAt<R> {
    /// The values of a key, of which so many are about to be read; made of the base and
    /// what it does not show when reads of single values have cost as much as that.
    /// `None` until then.
    #[inline]
    pub(crate) fn column(
        &self,
        key: KeyCode,
        reads: usize,
    ) -> Result<Option<&ColumnAt>, StorageError> {
        match self.columns.get(key) {
            Some(column) => Ok(Some(column)),
            None => self.new_column(key, reads),
        }
    }

    #[cold]
    fn new_column(&self, key: KeyCode, reads: usize) -> Result<Option<&ColumnAt>, StorageError> {
        let column = match self.column_after(key)? {
            Some(column) => column,
            None if self.is_worth(key, reads)? => self.make_column(key)?,
            None => return Ok(None),
        };
        self.charge(column.bytes());
        Ok(Some(self.columns.keep(key, column)))
    }

    fn make_column(&self, key: KeyCode) -> Result<ColumnAt, StorageError> {
        /// One value of so many in layers is worth a column of all.
        const MANY: usize = 32;
        let base = self.kept_column(key)?;
        let mut others = self.changed_values(key);
        if base.is_none() {
            others.extend(self.values_in_rest(key)?);
        }
        let words = 0..self.exists().len();
        let clean = |word| match failpoint!("columns.changed-in-base") {
            true => self.exists()[word],
            false => self.clean(word),
        };
        let clean: Vec<u64> = words.map(clean).collect();
        let large = self.large_values(key, &clean)?;
        let column = match MANY * self.layered() >= self.slots()? {
            true => {
                let merged = self.merged(key, base, &clean)?;
                let mut shown = clean;
                let layers = match failpoint!("columns.layers-not-shown") {
                    true => &[],
                    false => self.layers(),
                };
                for layer in layers {
                    let words = shown.iter_mut().zip(layer.bits());
                    words.for_each(|(word, bits)| *word |= bits);
                }
                ColumnAt::new(Some(&merged), &shown, others).map(ColumnAt::with_own_base)
            }
            false => {
                for layer in self.layers() {
                    layer.add_values(key, &self.uuid, &mut others)?;
                }
                ColumnAt::new(base, &clean, others)
            }
        };
        Ok(column.map_err(cannot_be)?.with_large(large))
    }

    /// A column of what the base has in one, in slots that it shows, and of what the layers
    /// have.
    fn merged(
        &self,
        key: KeyCode,
        base: Option<&KeptColumn>,
        clean: &[u64],
    ) -> Result<KeptColumn, StorageError> {
        let (base, slots) = (base.map(KeptColumn::column), self.slots()?);
        let mut numbers = Merged::new(slots);
        let clean_slots = || slots_of(clean).map(|slot| (slot, slot));
        let mut is_merged = base.is_none_or(|base| numbers.take(base, clean_slots(), clean));
        for layer in self.layers() {
            is_merged = is_merged && layer.merge_into(key, &mut numbers, &self.uuid)?;
        }
        if is_merged && let Some(merged) = numbers.finish() {
            return Ok(merged);
        }
        let (mut values, mut others) = (vec![Value::Null; slots], Vec::new());
        if let Some(base) = base {
            slots_of(clean).for_each(|slot| values[slot] = base.get(slot));
        }
        for layer in self.layers() {
            layer.add_values(key, &self.uuid, &mut others)?;
        }
        others
            .into_iter()
            .for_each(|(slot, value)| values[slot] = value);
        KeptColumn::of(&values).map_err(cannot_be)
    }
}

/// The error of values in DRAM that no column can have.
pub(super) fn cannot_be(error: ValueError) -> StorageError {
    let what = format!("values of changed records: {error}");
    StorageError::damaged("memory", 0, what)
}

#[cfg(test)]
pub(crate) mod tests;
