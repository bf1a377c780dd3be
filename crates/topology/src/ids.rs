//! External ids: what users call the vertices, when those are not dense.
//!
//! The table that the root names is read when an id is first asked for, so that opening a
//! database takes as long with many ids as with few. The vertex of an id is searched for
//! at first, and found by an index when several were.

mod hash;
mod index;
mod sparse;
mod stored;
mod texts;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use evergraph_storage::{Blob, Uuid};

use crate::error::TopologyError;
use crate::record::ExternalIds;
pub use hash::Seed;
pub use index::NumberIndex;
pub use sparse::NO_VERTEX;
use stored::StoredIds;
pub use texts::{TextIndex, Texts};

/// Ids that are searched for before an index is made, which takes as long as a few
/// searches.
const SEARCHES: u32 = 8;

/// Kinds of external ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// Vertices are called by their dense id.
    Dense,
    /// 64-bit numbers.
    Numbers,
    /// Strings.
    Texts,
}

impl IdKind {
    /// Name in reports and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Numbers => "mapped numbers",
            Self::Texts => "mapped texts",
        }
    }
}

/// External ids of all vertices, both ways.
#[derive(Debug)]
pub struct IdTable {
    /// Ids of the first vertices, as long as they were not read.
    unread: Option<StoredIds>,
    /// Ids of those behind.
    names: Names,
    searches: AtomicU32,
    index: OnceLock<Index>,
}

/// The id of each vertex.
#[derive(Debug)]
enum Names {
    Dense,
    Numbers(Vec<u64>),
    Texts(Texts),
}

/// The vertex of each id.
#[derive(Debug)]
enum Index {
    Numbers(NumberIndex),
    Texts(TextIndex),
}

impl IdTable {
    /// An empty table.
    pub fn new(kind: IdKind) -> Self {
        IdTable {
            unread: None,
            names: Names::new(kind),
            searches: AtomicU32::new(0),
            index: OnceLock::new(),
        }
    }

    /// The table that the root names, of which the heads alone are read.
    ///
    /// # Errors
    /// Damage, as far as the heads show it.
    pub(crate) fn stored(
        kind: IdKind,
        blobs: Vec<Blob>,
        uuid: Uuid,
    ) -> Result<Self, TopologyError> {
        let mut table = IdTable::new(kind);
        if blobs.is_empty() {
            return Ok(table);
        }
        match StoredIds::new(&blobs, &uuid)? {
            Some(unread) => table.unread = Some(unread),
            None => stored::read(&blobs, &uuid, &mut table)?,
        }
        Ok(table)
    }

    /// Reads what is stored, if that was not done yet: 8 bytes a number, 4 and its bytes
    /// a text.
    ///
    /// # Errors
    /// Damage. The table is then as before.
    pub(crate) fn read(&mut self) -> Result<(), TopologyError> {
        let Some(unread) = &self.unread else {
            return Ok(());
        };
        let mut table = IdTable::new(self.kind());
        unread.read(&mut table)?;
        if let Some(behind) = self.since(unread.len()) {
            let fits = table.assign(&behind);
            fits.map_err(TopologyError::ExternalIds)?;
        }
        *self = table;
        Ok(())
    }

    /// Whether all of it is in DRAM.
    pub(crate) fn is_read(&self) -> bool {
        self.unread.is_none()
    }

    /// Kind of the ids.
    pub fn kind(&self) -> IdKind {
        match &self.names {
            Names::Dense => IdKind::Dense,
            Names::Numbers(_) => IdKind::Numbers,
            Names::Texts(_) => IdKind::Texts,
        }
    }

    /// Number of ids.
    pub fn len(&self) -> usize {
        self.unread_len() + self.names.len()
    }

    fn unread_len(&self) -> usize {
        self.unread.as_ref().map_or(0, StoredIds::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an assignment continues a table of `len` ids, and says the same
    /// about those of its vertices that this table, which was read, has already.
    ///
    /// # Errors
    /// The fault of the assignment, for a message.
    pub(crate) fn check(&self, len: usize, assigned: &ExternalIds) -> Result<(), &'static str> {
        let (first, same) = match (&self.names, assigned) {
            (Names::Numbers(ids), ExternalIds::Numbers { first, ids: new }) => {
                let known = self.names_from(*first).min(ids.len());
                (*first, ids[known..].iter().zip(new).all(|(a, b)| a == b))
            }
            (Names::Texts(texts), ExternalIds::Texts { first, ends, bytes }) => {
                let known = (self.names_from(*first)..texts.len()).take(ends.len());
                let same = |(i, name): (usize, usize)| texts.get(name) == text_at(ends, bytes, i);
                (*first, known.enumerate().all(same))
            }
            _ => return Err("external ids of a kind that the graph does not have"),
        };
        if first as usize > len {
            return Err("external ids of vertices far behind the last that has one");
        }
        // An id that is assigned twice before it is in the table cannot be compared.
        let unknown = (first as usize) < len && self.len() < len;
        if unknown || !same {
            return Err("other external ids for vertices that have some");
        }
        Ok(())
    }

    /// Where the id of a vertex is, among those that were read.
    fn names_from(&self, vertex: u32) -> usize {
        (vertex as usize).saturating_sub(self.unread_len())
    }

    /// As [`IdTable::assign`]; reads what is stored if the assignment says something
    /// about it.
    ///
    /// # Errors
    /// Damage; the inner one as of [`IdTable::assign`].
    pub(crate) fn replay(
        &mut self,
        assigned: &ExternalIds,
    ) -> Result<Result<(), &'static str>, TopologyError> {
        if (assigned.first() as usize) < self.unread_len() {
            self.read()?;
        }
        Ok(self.assign(assigned))
    }

    /// Adds ids for the next vertices; what is there already is skipped, so
    /// that replaying an assignment twice changes nothing.
    ///
    /// # Errors
    /// As [`IdTable::check`]; the table is then unchanged.
    pub(crate) fn assign(&mut self, assigned: &ExternalIds) -> Result<(), &'static str> {
        self.check(self.len(), assigned)?;
        let len = self.len();
        let known = len - assigned.first() as usize;
        match (&mut self.names, assigned) {
            (Names::Numbers(ids), ExternalIds::Numbers { ids: new, .. }) => {
                let new = new.get(known..).unwrap_or_default();
                ids.extend_from_slice(new);
                if let Some(Index::Numbers(index)) = self.index.get_mut() {
                    for (&id, vertex) in new.iter().zip(len as u32..) {
                        index.insert(id, vertex);
                    }
                }
            }
            (Names::Texts(texts), ExternalIds::Texts { ends, bytes, .. }) => {
                for i in known..ends.len() {
                    texts.push(text_at(ends, bytes, i));
                    if let Some(Index::Texts(index)) = self.index.get_mut() {
                        index.insert(texts, (len + i - known) as u32);
                    }
                }
            }
            _ => unreachable!("checked above"),
        }
        Ok(())
    }

    /// The ids of vertices `from..`, for storing; `from` is not before what is unread.
    pub(crate) fn since(&self, from: usize) -> Option<ExternalIds> {
        debug_assert!(from >= self.unread_len(), "stored ids are not stored again");
        if from >= self.len() {
            return None;
        }
        let first = from as u32;
        let from = self.names_from(first);
        match &self.names {
            Names::Dense => None,
            Names::Numbers(ids) => Some(ExternalIds::Numbers {
                first,
                ids: ids[from..].to_vec(),
            }),
            Names::Texts(texts) => Some(ExternalIds::Texts {
                first,
                ends: texts.ends_from(from).collect(),
                bytes: texts.bytes_from(from).to_vec(),
            }),
        }
    }

    /// The numbers of all vertices, if ids are numbers.
    pub fn numbers(&self) -> Option<&[u64]> {
        match &self.names {
            Names::Numbers(ids) => Some(ids),
            Names::Dense | Names::Texts(_) => None,
        }
    }

    /// The texts of all vertices, if ids are texts.
    pub fn texts(&self) -> Option<&Texts> {
        match &self.names {
            Names::Texts(texts) => Some(texts),
            Names::Dense | Names::Numbers(_) => None,
        }
    }

    /// The vertex with a numeric external id, the last one if there are two. The first
    /// few searches are O(n), a later one makes an index for all that follow.
    pub fn vertex_of_number(&self, id: u64) -> Option<u32> {
        let Names::Numbers(ids) = &self.names else {
            return None;
        };
        match self.index(|| Index::Numbers(NumberIndex::of(ids))) {
            Some(Index::Numbers(index)) => index.get(id),
            _ => Some(ids.iter().rposition(|&other| other == id)? as u32),
        }
    }

    /// The vertex with a string as external id, as of [`IdTable::vertex_of_number`].
    pub fn vertex_of_text(&self, id: &[u8]) -> Option<u32> {
        let Names::Texts(texts) = &self.names else {
            return None;
        };
        match self.index(|| Index::Texts(TextIndex::of(texts))) {
            Some(Index::Texts(index)) => index.get(texts, id),
            _ => Some(texts.iter().rposition(|text| text == id)? as u32),
        }
    }

    /// The index, if so many ids were searched for that it is worth it.
    fn index(&self, make: impl FnOnce() -> Index) -> Option<&Index> {
        if self.index.get().is_some() || self.searches.fetch_add(1, Ordering::Relaxed) >= SEARCHES {
            return Some(self.index.get_or_init(make));
        }
        None
    }

    /// External id of a vertex, or its number.
    pub fn name(&self, vertex: u32) -> String {
        let v = vertex as usize;
        match &self.names {
            Names::Numbers(ids) if v < ids.len() => ids[v].to_string(),
            Names::Texts(texts) if v < texts.len() => {
                String::from_utf8_lossy(texts.get(v)).into_owned()
            }
            _ => vertex.to_string(),
        }
    }
}

impl Names {
    fn new(kind: IdKind) -> Self {
        match kind {
            IdKind::Dense => Names::Dense,
            IdKind::Numbers => Names::Numbers(Vec::new()),
            IdKind::Texts => Names::Texts(Texts::default()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Names::Dense => 0,
            Names::Numbers(ids) => ids.len(),
            Names::Texts(texts) => texts.len(),
        }
    }
}

impl ExternalIds {
    /// The first vertex that gets an id.
    pub(crate) fn first(&self) -> u32 {
        match self {
            ExternalIds::Numbers { first, .. } | ExternalIds::Texts { first, .. } => *first,
        }
    }

    /// One behind the last vertex that gets an id.
    pub(crate) fn end(&self) -> usize {
        self.first() as usize
            + match self {
                ExternalIds::Numbers { ids, .. } => ids.len(),
                ExternalIds::Texts { ends, .. } => ends.len(),
            }
    }
}

/// The i-th string of an assignment.
fn text_at<'a>(ends: &[u32], bytes: &'a [u8], i: usize) -> &'a [u8] {
    let start = if i == 0 { 0 } else { ends[i - 1] } as usize;
    &bytes[start..ends[i] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(first: u32, ids: &[u64]) -> ExternalIds {
        let ids = ids.to_vec();
        ExternalIds::Numbers { first, ids }
    }

    fn texts(first: u32, texts: &[&str]) -> ExternalIds {
        let ends = (1..=texts.len()).map(|n| texts[..n].concat().len() as u32);
        ExternalIds::Texts {
            first,
            ends: ends.collect(),
            bytes: texts.concat().into_bytes(),
        }
    }

    #[test]
    fn assignments_follow_one_another_and_may_be_replayed() {
        let mut table = IdTable::new(IdKind::Numbers);
        table.assign(&numbers(0, &[7, 8])).unwrap();
        table.assign(&numbers(2, &[9])).unwrap();
        for replayed in [numbers(0, &[7, 8]), numbers(1, &[8, 9, 10])] {
            table.assign(&replayed).unwrap();
        }
        assert_eq!((table.len(), table.vertex_of_number(10)), (4, Some(3)));
        let mut table = IdTable::new(IdKind::Texts);
        table.assign(&texts(0, &["a", "", "ccc"])).unwrap();
        table.assign(&texts(1, &["", "ccc", "dd"])).unwrap();
        assert_eq!((table.len(), table.name(3)), (4, "dd".to_string()));
    }

    #[test]
    fn what_does_not_continue_the_table_is_refused() {
        let mut table = IdTable::new(IdKind::Numbers);
        table.assign(&numbers(0, &[7, 8])).unwrap();
        for wrong in [
            numbers(3, &[9]),
            numbers(1, &[7]),
            numbers(0, &[8, 8, 9]),
            texts(2, &["a"]),
        ] {
            assert!(table.assign(&wrong).is_err(), "{wrong:?}");
            assert_eq!((table.len(), table.vertex_of_number(9)), (2, None));
        }
        let mut table = IdTable::new(IdKind::Texts);
        table.assign(&texts(0, &["a", "b"])).unwrap();
        for wrong in [texts(3, &["c"]), texts(1, &["c"]), numbers(2, &[1])] {
            assert!(table.assign(&wrong).is_err(), "{wrong:?}");
            assert_eq!(table.len(), 2);
        }
        assert!(
            IdTable::new(IdKind::Dense)
                .assign(&numbers(0, &[1]))
                .is_err()
        );
    }

    /// Ids that come again, as damaged databases may have them, lead to the last vertex.
    #[test]
    fn an_index_says_what_a_search_says() {
        let number = |i: u64| (i % 50) * 3_000_000_000;
        let text = |i: u64| format!("v{}", i % 50);
        let (mut by_number, mut by_text) =
            (IdTable::new(IdKind::Numbers), IdTable::new(IdKind::Texts));
        for i in 0..200 {
            let name = text(i);
            by_number.assign(&numbers(i as u32, &[number(i)])).unwrap();
            by_text.assign(&texts(i as u32, &[&name])).unwrap();
            for wanted in [i / 2, i, i + 1] {
                let last = (0..=i).rfind(|&j| j % 50 == wanted % 50).map(|j| j as u32);
                assert_eq!(by_number.vertex_of_number(number(wanted)), last);
                assert_eq!(by_text.vertex_of_text(text(wanted).as_bytes()), last);
            }
            let has_index = i >= 2;
            assert_eq!(by_number.index.get().is_some(), has_index, "{i}");
            assert_eq!(by_text.index.get().is_some(), has_index, "{i}");
        }
    }
}
