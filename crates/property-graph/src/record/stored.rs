//! A chunk on the medium, or on its way there: a core, and segments of large columns and of
//! large values. Nothing of the medium is read before its first use, when all of that
//! segment is verified.

use std::sync::{Arc, OnceLock};

use evergraph_storage::{Bytes, Entry, Extent, StorageError, Uuid, checksum};

use super::builder::{Content, Image};
use super::content::{EndColumns, EntityKind, Fixed};
use super::core::{Core, Identity, Listed, Part, Slot};
use super::rows;
use crate::bytes::{Reader, Wrong};
use crate::column::{Column, KeptColumn, Numbers, Packed};
use crate::dictionary::{Dictionary, KeyCode};
use crate::value::codec::{NoTextCodes, decode};
use crate::value::{Properties, Value};

/// Generation in the directory entry of a core. Chunks of older formats have 0.
pub(super) const COLUMNS: u32 = 1;

/// A part in an extent of its own. Chunks of several checkpoints share it.
pub(super) struct Segment {
    pub(super) part: Part,
    pub(super) entry: Entry,
    pub(super) extent: Arc<Extent>,
    /// Written by this process: its checksum need not be checked.
    is_own: bool,
    checked: OnceLock<Checked>,
}

/// Content of a part, checked.
enum Checked {
    Column(KeptColumn),
    Rest(Bytes, Packed),
    Value(Bytes),
}

impl Checked {
    fn parse(part: Part, bytes: Bytes, identity: &Identity) -> Result<Self, Wrong> {
        let slots = identity.records as usize;
        if part.at.is_some() {
            return match decode(&bytes, &NoTextCodes) {
                Ok(value) if !value.is_null() => Ok(Checked::Value(bytes)),
                _ => Err("it cannot be read"),
            };
        }
        if part != Part::REST {
            return KeptColumn::parse(bytes, slots).map(Checked::Column);
        }
        let mut reader = Reader::new(&bytes);
        let rest = Packed::take(&bytes, &mut reader, slots)?;
        if !reader.is_empty() {
            return Err("something follows the rest");
        }
        Ok(Checked::Rest(bytes, rest))
    }
}

impl Segment {
    /// One that the directory names.
    pub(super) fn named(part: Part, entry: Entry, extent: Extent) -> Self {
        Segment {
            part,
            entry,
            extent: Arc::new(extent),
            is_own: false,
            checked: OnceLock::new(),
        }
    }

    /// One that a checkpoint has just written.
    pub(super) fn written(part: Part, entry: Entry, extent: Extent) -> Self {
        Segment {
            is_own: true,
            ..Segment::named(part, entry, extent)
        }
    }

    /// Whether a chunk has it; its segments ascend.
    pub(super) fn is_among(&self, segments: &[Arc<Segment>]) -> bool {
        let found = segments.binary_search_by_key(&self.part, |other| other.part);
        found.is_ok_and(|at| std::ptr::eq(&*segments[at], self))
    }

    fn read(&self, identity: &Identity, uuid: &Uuid) -> Result<&Checked, StorageError> {
        match self.checked.get() {
            Some(checked) => Ok(checked),
            None => {
                let checked = self.verify(identity, uuid, !self.is_own)?;
                Ok(self.checked.get_or_init(|| checked))
            }
        }
    }

    fn verify(
        &self,
        identity: &Identity,
        uuid: &Uuid,
        sums: bool,
    ) -> Result<Checked, StorageError> {
        let bytes = check_sum(&self.extent, &self.entry, uuid, sums)?;
        let checked = bytes.and_then(|bytes| Checked::parse(self.part, bytes, identity));
        checked.map_err(|what| self.damaged(identity, what))
    }

    fn damaged(&self, identity: &Identity, what: &str) -> StorageError {
        let (table, chunk) = (identity.table, identity.chunk);
        let of = identity.name_of(self.part);
        let what = format!("records, table {table}, chunk {chunk}, {of}: {what}");
        StorageError::damaged(&self.extent.file_name(), self.extent.offset(), what)
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
    /// Parts outside the core, ascending.
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
    /// Versions in a segment of the history, whose checksum was checked; and its extent.
    Past(Bytes, Arc<Extent>),
}

/// A core that was read.
struct Opened {
    core: Core,
    /// Those of the core; of a chunk of an older format, as it would be now.
    bytes: Bytes,
    /// Ascending.
    parts: Vec<(Part, Listing)>,
    /// The types or sets of labels that occur, ascending, once they were asked for.
    subjects: OnceLock<Box<[i64]>>,
}

/// Place of a part that a core lists.
enum Listing {
    /// Parsed when it is first asked for.
    Core(std::ops::Range<usize>, OnceLock<Box<Checked>>),
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

    /// Versions in a segment of the history, one a record.
    pub(super) fn past(identity: Identity, bytes: Bytes, extent: Arc<Extent>) -> Self {
        let entry = Entry {
            offset: 0,
            len: bytes.len() as u64,
            csn: 0,
            generation: COLUMNS,
            crc: 0,
            entries: identity.records.into(),
            tombstones: 0,
        };
        StoredChunk::at(identity, entry, Place::Past(bytes, extent), Vec::new())
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
            Place::Loaded(_) | Place::Past(..) => None,
        }
    }

    pub(super) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// All extents of it.
    pub(super) fn extents(&self) -> impl Iterator<Item = &Extent> {
        let parts = self.segments.iter().map(|segment| &*segment.extent);
        self.extent().into_iter().chain(parts)
    }

    /// Durability step 6: gives back the extents that `next`, which is published, has not.
    pub(super) fn retire(&self, next: &StoredChunk) {
        if let Some(extent) = self.extent() {
            extent.retire();
        }
        for segment in &self.segments {
            if !segment.is_among(&next.segments) {
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

    fn damaged_in(&self, part: Part, what: &str) -> StorageError {
        self.damaged_at(&format!(", {}", self.identity.name_of(part)), what)
    }

    fn damaged_at(&self, part: &str, what: &str) -> StorageError {
        let Identity { table, chunk, .. } = self.identity;
        let (of, extent) = match &self.place {
            Place::Past(_, extent) => ("records of the past", Some(&**extent)),
            _ => ("records", self.extent()),
        };
        let what = format!("{of}, table {table}, chunk {chunk}{part}: {what}");
        match extent {
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
            Place::Loaded(bytes) | Place::Past(bytes, _) => bytes.clone(),
            Place::Rows(extent, dictionary) => {
                let bytes = check_sum(extent, &self.entry, uuid, true)?.map_err(wrong)?;
                let rows = rows::read(&bytes, self.identity, used, csn, dictionary);
                let image = rows.map_err(|what| self.damaged(&what))?.finish()?;
                image.core(csn).into()
            }
        };
        let core = Core::parse(&bytes, &self.identity, used, csn).map_err(wrong)?;
        self.with_parts(core, bytes)
    }

    /// Finds the parts that a core lists.
    fn with_parts(&self, core: Core, bytes: Bytes) -> Result<Opened, StorageError> {
        let mut parts = Vec::with_capacity(core.parts.len());
        let mut segments = self.segments.iter();
        let surplus = |part| Err(self.damaged_in(part, "the chunk does not name it"));
        for (part, listed) in &core.parts {
            let at = match listed {
                Listed::Inside(range) => Listing::Core(range.clone(), OnceLock::new()),
                Listed::Segment { len, crc } => match segments.next() {
                    Some(segment) if segment.part < *part => return surplus(segment.part),
                    Some(segment)
                        if (segment.part, segment.entry.len, segment.entry.crc)
                            == (*part, *len, *crc) =>
                    {
                        Listing::Segment(Arc::clone(segment))
                    }
                    Some(segment) if segment.part == *part => {
                        return Err(
                            self.damaged_in(*part, "it is another one than its chunk names")
                        );
                    }
                    _ => return Err(self.damaged_in(*part, "it is missing")),
                },
            };
            parts.push((*part, at));
        }
        match segments.next() {
            Some(segment) => surplus(segment.part),
            None => Ok(Opened {
                core,
                bytes,
                parts,
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

/// The verified content of a chunk. Its columns, rest and large values are verified when
/// they are first asked for.
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

    /// The commit of each record's version, and the one that created it.
    pub(super) fn commits(&self) -> (Numbers, Numbers) {
        self.opened.core.commits()
    }

    /// Sets the bits of records that were changed after a commit, and clears the others.
    pub(super) fn mark_since(&self, csn: u64, bits: &mut [u64]) {
        let since = (csn.saturating_add(1) as i64, i64::MAX);
        let (begins, _) = self.opened.core.commits();
        bits.fill(0);
        begins.between(self.bytes, since, self.slots(), bits);
    }

    #[inline]
    pub(super) fn fixed(&self, at: u32) -> Fixed {
        self.opened.core.fixed(self.bytes, at)
    }

    /// As [`Core::ends`].
    pub(super) fn ends(&self, slots: impl Iterator<Item = usize> + Clone, to: EndColumns<'_>) {
        self.opened.core.ends(self.bytes, slots, to);
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
    /// so of its place among [`ChunkReader::subjects`]; those of no slot may be set, too.
    pub(super) fn mark_subjects(
        &self,
        of: EntityKind,
        holds: impl Fn(usize) -> bool,
        bits: &mut [u64],
    ) {
        let slots = self.chunk.identity.records as usize;
        let (codes, numbers) = (self.subjects(of), self.opened.core.subjects(of));
        let places: Vec<usize> = (0..codes.len()).filter(|&at| holds(at)).collect();
        if places.len() == codes.len() {
            bits.fill(u64::MAX);
            return;
        }
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
        for listing in &self.opened.parts {
            let part = listing.0;
            let wrong = |what: &str| Err(self.chunk.damaged_in(part, what));
            // That of a segment was read where it was verified.
            if let Listing::Core(..) = listing.1 {
                self.checked(listing)?;
            }
            let has_others = match part.at {
                Some(at) if self.small_property(at, part.key)?.is_some() => {
                    return wrong("the record has another value of it");
                }
                Some(at) => !is_used(at as usize),
                None => match self.checked(listing)? {
                    Checked::Column(column) => column.column().filled().any(|slot| !is_used(slot)),
                    Checked::Rest(bytes, rest) => rest.iter(bytes).any(|(slot, _)| !is_used(slot)),
                    Checked::Value(_) => false,
                },
            };
            if has_others {
                return wrong("it has a value of a record that is not there");
            }
        }
        let mut twice = None;
        self.for_each_in_rest(|_, properties| {
            let keys = properties.iter().map(|(key, _)| key);
            let is_column = |key: &KeyCode| self.listing(Part::column(*key)).is_some();
            twice = twice.or(keys.into_iter().find(is_column));
        })?;
        match twice {
            Some(key) => {
                let part = Part::column(key);
                Err(self.chunk.damaged_in(part, "there are values beside it"))
            }
            None => Ok(()),
        }
    }

    fn checked(&self, (part, at): &'a (Part, Listing)) -> Result<&'a Checked, StorageError> {
        match at {
            Listing::Core(range, known) => match known.get() {
                Some(checked) => Ok(checked),
                None => {
                    let bytes = self.opened.bytes.part(range.clone());
                    let checked = Checked::parse(*part, bytes, &self.chunk.identity);
                    let checked = checked.map_err(|what| self.chunk.damaged_in(*part, what))?;
                    Ok(known.get_or_init(|| Box::new(checked)))
                }
            },
            Listing::Segment(segment) => segment.read(&self.chunk.identity, self.uuid),
        }
    }

    fn listing(&self, part: Part) -> Option<&'a (Part, Listing)> {
        let parts = &self.opened.parts;
        let found = parts.binary_search_by_key(&part, |listed| listed.0);
        found.ok().map(|at| &parts[at])
    }

    fn find(&self, part: Part) -> Result<Option<&'a Checked>, StorageError> {
        let listing = self.listing(part);
        listing.map(|at| self.checked(at)).transpose()
    }

    /// Places of the records with a large value of a key, ascending. None is read.
    pub(super) fn large_of(&self, key: KeyCode) -> impl Iterator<Item = u32> {
        let parts = &self.opened.parts;
        let first = parts.partition_point(|(part, _)| part.key < key);
        let of_key = parts[first..].iter();
        let of_key = of_key.take_while(move |(part, _)| part.key == key);
        of_key.filter_map(|(part, _)| part.at)
    }

    /// A large value; its extent is read and verified at the first time.
    fn large(&self, at: &'a (Part, Listing)) -> Result<Value, StorageError> {
        Ok(match self.checked(at)? {
            // It was decoded when it was first read.
            Checked::Value(bytes) => decode(bytes, &NoTextCodes).unwrap_or_default(),
            Checked::Column(_) | Checked::Rest(..) => Value::Null,
        })
    }

    /// The column of a key. Of a key without one, all values are in the rest. Large ones
    /// are in neither.
    pub(super) fn column(&self, key: KeyCode) -> Result<Option<Column<'a>>, StorageError> {
        Ok(self.kept_column(key)?.map(KeptColumn::column))
    }

    /// As [`ChunkReader::column`], to be kept without the chunk.
    pub(super) fn kept_column(&self, key: KeyCode) -> Result<Option<&'a KeptColumn>, StorageError> {
        Ok(match self.find(Part::column(key))? {
            Some(Checked::Column(column)) => Some(column),
            _ => None,
        })
    }

    fn rest(&self) -> Result<Option<(&'a [u8], &'a Packed)>, StorageError> {
        Ok(match self.find(Part::REST)? {
            Some(Checked::Rest(bytes, rest)) => Some((bytes, rest)),
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
        match self.listing(Part::column(key)) {
            Some(_) => Ok(0),
            None => Ok(self.rest()?.map_or(0, |(_, rest)| rest.len())),
        }
    }

    fn find_in(&self, at: u32, row: &[u8], key: KeyCode) -> Result<Option<Value>, StorageError> {
        let value = Properties::find(row, key, &crate::value::codec::NoTextCodes);
        value.map_err(|error| self.chunk.damaged(&format!("record {at}: {error}")))
    }

    /// One property of a used record.
    pub(super) fn property(&self, at: u32, key: KeyCode) -> Result<Option<Value>, StorageError> {
        match self.listing(Part::value(key, at)) {
            Some(listing) => self.large(listing).map(Some),
            None => self.small_property(at, key),
        }
    }

    /// One property of a used record, unless it has an extent of its own.
    pub(super) fn small_property(
        &self,
        at: u32,
        key: KeyCode,
    ) -> Result<Option<Value>, StorageError> {
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
        for listing in &self.opened.parts {
            let part = listing.0;
            if part.at == Some(at) {
                properties.set(part.key, self.large(listing)?);
            } else if part.is_column()
                && let Checked::Column(column) = self.checked(listing)?
            {
                properties.set(part.key, column.column().get(at as usize));
            }
        }
        Ok(properties)
    }

    /// All values of a column, null of records without one in it.
    pub(super) fn values(&self, key: KeyCode) -> Result<Vec<Value>, StorageError> {
        let slots = 0..self.chunk.identity.records as usize;
        Ok(match self.column(key)? {
            Some(column) => slots.map(|at| column.get(at)).collect(),
            None => vec![Value::Null; slots.len()],
        })
    }

    /// The content of each part, to be kept in a new chunk.
    pub(super) fn contents(&self) -> impl Iterator<Item = (Part, Content)> {
        self.opened.parts.iter().map(|(part, listing)| {
            let content = match listing {
                Listing::Core(range, _) => Content::New(self.bytes[range.clone()].to_vec()),
                Listing::Segment(segment) => Content::Kept(Arc::clone(segment)),
            };
            (*part, content)
        })
    }
}
