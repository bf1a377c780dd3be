//! A chunk on the medium, or on its way there: a core, and segments of large columns.
//! Nothing of the medium is read before its first use, when all of that segment is
//! verified.

use std::sync::{Arc, OnceLock};

use evergraph_storage::{Bytes, Entry, Extent, StorageError, Uuid, checksum};

use super::builder::{Content, Image};
use super::content::{EntityKind, Fixed};
use super::core::{Core, Identity, Listed, REST, Slot};
use super::rows;
use crate::bytes::{Reader, Wrong};
use crate::column::{Column, KeptColumn, Packed};
use crate::dictionary::{Dictionary, KeyCode};
use crate::value::{Properties, Value};

/// Generation in the directory entry of a core. Chunks of older formats have 0.
pub(super) const COLUMNS: u32 = 1;

/// A column, or the rest, in an extent of its own. Chunks of several checkpoints share it.
pub(super) struct Segment {
    pub(super) key: KeyCode,
    pub(super) entry: Entry,
    pub(super) extent: Arc<Extent>,
    /// Written by this process: its checksum need not be checked.
    is_own: bool,
    parts: OnceLock<Parts>,
}

/// A column or the rest, checked.
enum Parts {
    Column(KeptColumn),
    Rest(Bytes, Packed),
}

impl Parts {
    fn parse(key: KeyCode, bytes: Bytes, identity: &Identity) -> Result<Self, Wrong> {
        let slots = identity.records as usize;
        if key != REST {
            return KeptColumn::parse(bytes, slots).map(Parts::Column);
        }
        let mut reader = Reader::new(&bytes);
        let rest = Packed::take(&bytes, &mut reader, slots)?;
        if !reader.is_empty() {
            return Err("something follows the rest");
        }
        Ok(Parts::Rest(bytes, rest))
    }
}

impl Segment {
    /// One that the directory names.
    pub(super) fn named(key: KeyCode, entry: Entry, extent: Extent) -> Self {
        Segment {
            key,
            entry,
            extent: Arc::new(extent),
            is_own: false,
            parts: OnceLock::new(),
        }
    }

    /// One that a checkpoint has just written.
    pub(super) fn written(key: KeyCode, entry: Entry, extent: Extent) -> Self {
        Segment {
            is_own: true,
            ..Segment::named(key, entry, extent)
        }
    }

    fn read(&self, identity: &Identity, uuid: &Uuid) -> Result<&Parts, StorageError> {
        match self.parts.get() {
            Some(parts) => Ok(parts),
            None => {
                let parts = self.verify(identity, uuid, !self.is_own)?;
                Ok(self.parts.get_or_init(|| parts))
            }
        }
    }

    fn verify(&self, identity: &Identity, uuid: &Uuid, sums: bool) -> Result<Parts, StorageError> {
        let checked = check_sum(&self.extent, &self.entry, uuid, sums)?;
        let parts = checked.and_then(|bytes| Parts::parse(self.key, bytes, identity));
        parts.map_err(|what| self.damaged(identity, what))
    }

    fn damaged(&self, identity: &Identity, what: &str) -> StorageError {
        let (table, chunk) = (identity.table, identity.chunk);
        let of = column_name(self.key);
        let what = format!("records, table {table}, chunk {chunk}, {of}: {what}");
        StorageError::damaged(&self.extent.file_name(), self.extent.offset(), what)
    }
}

fn column_name(key: KeyCode) -> String {
    match key {
        REST => "properties without a column".to_string(),
        key => format!("column of key {key}"),
    }
}

/// The bytes of an extent, verified if `sums`.
fn check_sum(
    extent: &Arc<Extent>,
    entry: &Entry,
    uuid: &Uuid,
    sums: bool,
) -> Result<Result<Bytes, Wrong>, StorageError> {
    let bytes = Bytes::of(extent);
    if sums {
        // All of it at once, where it may have to come from a device.
        extent.prefetch();
        extent.touch()?;
        if checksum(uuid, extent.offset(), &bytes) != entry.crc {
            return Ok(Err("it has a wrong checksum"));
        }
    }
    Ok(Ok(bytes))
}

/// A chunk.
pub(super) struct StoredChunk {
    identity: Identity,
    /// Of a loaded chunk only the commit and the count of records mean something.
    entry: Entry,
    place: Place,
    /// Columns outside the core, ascending by key.
    segments: Vec<Arc<Segment>>,
    opened: OnceLock<Opened>,
}

/// Location of the core.
enum Place {
    /// Read by this process only after its checksum was checked.
    Extent(Arc<Extent>),
    /// Written by this process.
    Written(Arc<Extent>),
    /// A chunk of an older format, and the dictionary that its texts have codes of.
    Rows(Arc<Extent>, Arc<Dictionary>),
    /// Loaded in bulk by a commit that is in the log; no checkpoint has written it.
    Loaded(Bytes),
}

/// A core that was read.
struct Opened {
    core: Core,
    /// Those of the core; of a chunk of an older format, as it would be now.
    bytes: Bytes,
    /// Ascending by key.
    columns: Vec<(KeyCode, Listing)>,
    /// The types or sets of labels that occur, ascending, once they were asked for.
    subjects: OnceLock<Box<[i64]>>,
}

/// Where a column that a core lists is.
enum Listing {
    Core(std::ops::Range<usize>, Box<Parts>),
    Segment(Arc<Segment>),
}

impl StoredChunk {
    /// A chunk that the directory names. Checks as much as the directory alone shows.
    pub(super) fn named(
        identity: Identity,
        entry: Entry,
        extent: Extent,
        segments: Vec<Arc<Segment>>,
        dictionary: &Arc<Dictionary>,
    ) -> Result<Self, StorageError> {
        let extent = Arc::new(extent);
        let place = match entry.generation {
            0 => Place::Rows(extent, Arc::clone(dictionary)),
            _ => Place::Extent(extent),
        };
        let is_short =
            matches!(place, Place::Rows(..)) && entry.len < rows::least_bytes(&identity) as u64;
        let stored = StoredChunk::at(identity, entry, place, segments);
        if entry.generation > COLUMNS {
            return Err(stored.damaged("it is of a newer format; use a newer program"));
        }
        if is_short {
            return Err(stored.damaged("a chunk of records is shorter than its records"));
        }
        if entry.entries > u64::from(identity.records) {
            return Err(stored.damaged("a chunk counts more records than it has"));
        }
        Ok(stored)
    }

    fn at(identity: Identity, entry: Entry, place: Place, segments: Vec<Arc<Segment>>) -> Self {
        StoredChunk {
            identity,
            entry,
            place,
            segments,
            opened: OnceLock::new(),
        }
    }

    /// A chunk that a checkpoint has just written.
    pub(super) fn written(image: &Image, entry: Entry, extent: Extent) -> Self {
        let place = Place::Written(Arc::new(extent));
        StoredChunk::at(image.identity, entry, place, image.segments())
    }

    /// A chunk that commit `csn` loaded in bulk.
    pub(super) fn loaded(image: &Image, csn: u64) -> Self {
        let bytes = image.core(csn);
        let entry = Entry {
            offset: 0,
            len: bytes.len() as u64,
            csn,
            generation: COLUMNS,
            crc: 0,
            entries: image.used().into(),
            tombstones: 0,
        };
        StoredChunk::at(
            image.identity,
            entry,
            Place::Loaded(bytes.into()),
            Vec::new(),
        )
    }

    /// All commits up to this one are in it.
    pub(super) fn csn(&self) -> u64 {
        self.entry.csn
    }

    pub(super) fn used(&self) -> u32 {
        self.entry.entries as u32
    }

    /// That of the core; `None` of a chunk that is loaded and not written yet.
    pub(super) fn extent(&self) -> Option<&Extent> {
        match &self.place {
            Place::Extent(extent) | Place::Written(extent) | Place::Rows(extent, _) => Some(extent),
            Place::Loaded(_) => None,
        }
    }

    pub(super) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// All extents of it.
    pub(super) fn extents(&self) -> impl Iterator<Item = &Extent> {
        let columns = self.segments.iter().map(|segment| &*segment.extent);
        self.extent().into_iter().chain(columns)
    }

    /// Durability step 6: gives back the extents that `next`, which is published, has not.
    pub(super) fn retire(&self, next: &StoredChunk) {
        if let Some(extent) = self.extent() {
            extent.retire();
        }
        for segment in &self.segments {
            if !next
                .segments
                .iter()
                .any(|other| Arc::ptr_eq(other, segment))
            {
                segment.extent.retire();
            }
        }
    }

    /// Bytes of DRAM that a checkpoint frees.
    pub(super) fn loaded_bytes(&self) -> usize {
        match &self.place {
            Place::Loaded(bytes) => bytes.len(),
            _ => 0,
        }
    }

    pub(super) fn damaged(&self, what: &str) -> StorageError {
        self.damaged_at("", what)
    }

    fn damaged_in(&self, key: KeyCode, what: &str) -> StorageError {
        self.damaged_at(&format!(", {}", column_name(key)), what)
    }

    fn damaged_at(&self, part: &str, what: &str) -> StorageError {
        let Identity { table, chunk, .. } = self.identity;
        let what = format!("records, table {table}, chunk {chunk}{part}: {what}");
        match self.extent() {
            Some(extent) => StorageError::damaged(&extent.file_name(), extent.offset(), what),
            None => StorageError::damaged("memory", 0, what),
        }
    }

    #[inline]
    pub(super) fn read<'a>(&'a self, uuid: &'a Uuid) -> Result<ChunkReader<'a>, StorageError> {
        let opened = match self.opened.get() {
            Some(opened) => opened,
            None => {
                let opened = self.open(uuid, matches!(self.place, Place::Extent(_)))?;
                self.opened.get_or_init(|| opened)
            }
        };
        Ok(ChunkReader {
            chunk: self,
            opened,
            bytes: &opened.bytes,
            uuid,
        })
    }

    fn open(&self, uuid: &Uuid, sums: bool) -> Result<Opened, StorageError> {
        let (used, csn) = (self.entry.entries, self.entry.csn);
        let wrong = |what: Wrong| self.damaged(what);
        let bytes = match &self.place {
            Place::Extent(extent) | Place::Written(extent) => {
                check_sum(extent, &self.entry, uuid, sums)?.map_err(wrong)?
            }
            Place::Loaded(bytes) => bytes.clone(),
            Place::Rows(extent, dictionary) => {
                let bytes = check_sum(extent, &self.entry, uuid, true)?.map_err(wrong)?;
                let rows = rows::read(&bytes, self.identity, used, csn, dictionary);
                let image = rows.map_err(|what| self.damaged(&what))?.finish()?;
                image.core(csn).into()
            }
        };
        let core = Core::parse(&bytes, &self.identity, used, csn).map_err(wrong)?;
        self.with_columns(core, bytes)
    }

    /// Finds the columns that a core lists.
    fn with_columns(&self, core: Core, bytes: Bytes) -> Result<Opened, StorageError> {
        let mut columns = Vec::with_capacity(core.columns.len());
        let mut segments = self.segments.iter();
        for (key, listed) in &core.columns {
            let at = match listed {
                Listed::Inside(range) => {
                    let parts = Parts::parse(*key, bytes.part(range.clone()), &self.identity);
                    let parts = parts.map_err(|what| self.damaged_in(*key, what))?;
                    Listing::Core(range.clone(), Box::new(parts))
                }
                Listed::Segment { len, crc } => {
                    let named = segments.next().filter(|segment| {
                        (segment.key, segment.entry.len, segment.entry.crc) == (*key, *len, *crc)
                    });
                    let named = named.ok_or_else(|| {
                        let what = format!("its column of key {key} is another one than it names");
                        self.damaged(&what)
                    })?;
                    Listing::Segment(Arc::clone(named))
                }
            };
            columns.push((*key, at));
        }
        match segments.next() {
            Some(_) => Err(self.damaged("it has a column that it does not name")),
            None => Ok(Opened {
                core,
                bytes,
                columns,
                subjects: OnceLock::new(),
            }),
        }
    }

    /// Checks checksums and contents, also if they were checked before.
    pub(super) fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        self.open(uuid, self.extent().is_some())?;
        for segment in &self.segments {
            segment.verify(&self.identity, uuid, true)?;
        }
        self.read(uuid)?.agree()
    }
}

/// The verified content of a chunk. Segments are verified when they are first asked for.
#[derive(Clone, Copy)]
pub(super) struct ChunkReader<'a> {
    chunk: &'a StoredChunk,
    opened: &'a Opened,
    bytes: &'a [u8],
    uuid: &'a Uuid,
}

impl<'a> ChunkReader<'a> {
    /// Places of records.
    pub(super) fn slots(&self) -> usize {
        self.chunk.identity.records as usize
    }

    /// Bits of the used ones among the 64 records from `64 * word` on.
    pub(super) fn used_word(&self, word: u32) -> u64 {
        self.opened.core.used_word(self.bytes, word)
    }

    pub(super) fn slot(&self, at: u32) -> Slot {
        self.opened.core.slot(self.bytes, at)
    }

    pub(super) fn fixed(&self, at: u32) -> Fixed {
        self.opened.core.fixed(self.bytes, at)
    }

    /// The types of relationships or the sets of labels of nodes that occur, ascending.
    pub(super) fn subjects(&self, of: EntityKind) -> &'a [i64] {
        self.opened.subjects.get_or_init(|| {
            let slots = self.chunk.identity.records as usize;
            let numbers = self.opened.core.subjects(of);
            numbers.distinct(self.bytes, slots).into()
        })
    }

    /// Sets the bits of slots whose type or set of labels is one for which `holds` says
    /// so of its place among [`ChunkReader::subjects`].
    pub(super) fn mark_subjects(
        &self,
        of: EntityKind,
        holds: impl Fn(usize) -> bool,
        bits: &mut [u64],
    ) {
        let slots = self.chunk.identity.records as usize;
        let (codes, numbers) = (self.subjects(of), self.opened.core.subjects(of));
        let places: Vec<usize> = (0..codes.len()).filter(|&at| holds(at)).collect();
        let mut one = vec![0; bits.len()];
        // No other code of the chunk lies between those that follow one another.
        for run in places.chunk_by(|a, b| a + 1 == *b) {
            let range = (codes[run[0]], codes[run[run.len() - 1]]);
            one.fill(0);
            numbers.between(self.bytes, range, slots, &mut one);
            for (word, one) in bits.iter_mut().zip(&one) {
                *word |= one;
            }
        }
    }

    /// Checks that only records that there are have values, each of them in one place.
    fn agree(&self) -> Result<(), StorageError> {
        let is_used = |slot: usize| self.used_word(slot as u32 / 64) >> (slot % 64) & 1 == 1;
        for (key, at) in &self.opened.columns {
            let wrong = |what: &str| Err(self.chunk.damaged_in(*key, what));
            let has_others = match self.parts(at)? {
                Parts::Column(column) => column.column().filled().any(|slot| !is_used(slot)),
                Parts::Rest(bytes, rest) => rest.iter(bytes).any(|(slot, _)| !is_used(slot)),
            };
            if has_others {
                return wrong("it has a value of a record that is not there");
            }
        }
        let mut twice = None;
        self.for_each_in_rest(|_, properties| {
            let keys = properties.iter().map(|(key, _)| key);
            let columns = &self.opened.columns;
            let is_column = |key: &KeyCode| columns.binary_search_by_key(key, |c| c.0).is_ok();
            twice = twice.or(keys.into_iter().find(is_column));
        })?;
        match twice {
            Some(key) => Err(self.chunk.damaged_in(key, "there are values beside it")),
            None => Ok(()),
        }
    }

    fn parts(&self, at: &'a Listing) -> Result<&'a Parts, StorageError> {
        match at {
            Listing::Core(_, parts) => Ok(parts),
            Listing::Segment(segment) => segment.read(&self.chunk.identity, self.uuid),
        }
    }

    fn find(&self, key: KeyCode) -> Result<Option<&'a Parts>, StorageError> {
        let columns = &self.opened.columns;
        match columns.binary_search_by_key(&key, |column| column.0) {
            Ok(at) => self.parts(&columns[at].1).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The column of a key. Of a key without one, all values are in the rest.
    pub(super) fn column(&self, key: KeyCode) -> Result<Option<Column<'a>>, StorageError> {
        Ok(self.kept_column(key)?.map(KeptColumn::column))
    }

    /// As [`ChunkReader::column`], to be kept without the chunk.
    pub(super) fn kept_column(&self, key: KeyCode) -> Result<Option<&'a KeptColumn>, StorageError> {
        Ok(match self.find(key)? {
            Some(Parts::Column(column)) => Some(column),
            _ => None,
        })
    }

    fn rest(&self) -> Result<Option<(&'a [u8], &'a Packed)>, StorageError> {
        Ok(match self.find(REST)? {
            Some(Parts::Rest(bytes, rest)) => Some((bytes, rest)),
            _ => None,
        })
    }

    fn row(&self, at: u32, row: &[u8]) -> Result<Properties, StorageError> {
        let row = Properties::decode(row);
        row.map_err(|error| self.chunk.damaged(&format!("record {at}: {error}")))
    }

    /// Calls `visit` with the properties of each record that has some without a column.
    pub(super) fn for_each_in_rest(
        &self,
        mut visit: impl FnMut(u32, Properties),
    ) -> Result<(), StorageError> {
        let Some((bytes, rest)) = self.rest()? else {
            return Ok(());
        };
        for (at, row) in rest.iter(bytes) {
            visit(at as u32, self.row(at as u32, row)?);
        }
        Ok(())
    }

    /// Calls `visit` with the values of a key without a column.
    pub(super) fn for_each_of_rest(
        &self,
        key: KeyCode,
        mut visit: impl FnMut(u32, Value),
    ) -> Result<(), StorageError> {
        let Some((bytes, rest)) = self.rest()? else {
            return Ok(());
        };
        for (at, row) in rest.iter(bytes) {
            let at = at as u32;
            if let Some(value) = self.find_in(at, row, key)? {
                visit(at, value);
            }
        }
        Ok(())
    }

    /// Records that have some properties without a column, if the key has none.
    pub(super) fn rest_of(&self, key: KeyCode) -> Result<usize, StorageError> {
        let columns = &self.opened.columns;
        match columns.binary_search_by_key(&key, |column| column.0) {
            Ok(_) => Ok(0),
            Err(_) => Ok(self.rest()?.map_or(0, |(_, rest)| rest.len())),
        }
    }

    fn find_in(&self, at: u32, row: &[u8], key: KeyCode) -> Result<Option<Value>, StorageError> {
        let value = Properties::find(row, key, &crate::value::codec::NoTextCodes);
        value.map_err(|error| self.chunk.damaged(&format!("record {at}: {error}")))
    }

    /// One property of a used record.
    pub(super) fn property(&self, at: u32, key: KeyCode) -> Result<Option<Value>, StorageError> {
        if let Some(column) = self.column(key)? {
            return Ok(Some(column.get(at as usize)).filter(|value| !value.is_null()));
        }
        let rest = self.rest()?;
        let row = rest.and_then(|(bytes, rest)| rest.find(bytes, at as usize));
        match row {
            Some(row) => self.find_in(at, row, key),
            None => Ok(None),
        }
    }

    /// All properties of a used record.
    pub(super) fn properties(&self, at: u32) -> Result<Properties, StorageError> {
        let mut properties = match self.rest()? {
            Some((bytes, rest)) => match rest.find(bytes, at as usize) {
                Some(row) => self.row(at, row)?,
                None => Properties::new(),
            },
            None => Properties::new(),
        };
        for (key, column) in &self.opened.columns {
            if let Parts::Column(column) = self.parts(column)? {
                properties.set(*key, column.column().get(at as usize));
            }
        }
        Ok(properties)
    }

    /// All values of a column, null of records without one.
    pub(super) fn values(&self, key: KeyCode) -> Result<Vec<Value>, StorageError> {
        let slots = 0..self.chunk.identity.records as usize;
        Ok(match self.column(key)? {
            Some(column) => slots.map(|at| column.get(at)).collect(),
            None => vec![Value::Null; slots.len()],
        })
    }

    /// The content of each column, by key, to be kept in a new chunk.
    pub(super) fn contents(&self) -> impl Iterator<Item = (KeyCode, Content)> {
        self.opened.columns.iter().map(|(key, at)| {
            let content = match at {
                Listing::Core(range, _) => Content::New(self.bytes[range.clone()].to_vec()),
                Listing::Segment(segment) => Content::Kept(Arc::clone(segment)),
            };
            (*key, content)
        })
    }
}
