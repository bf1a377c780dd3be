//! Cursors over indexes: ids in the order of values, read as far as they are asked for.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use evergraph_storage::StorageError;

use super::account::Account;
use super::source::Source;
use crate::dictionary::{KeyCode, LabelCode, TypeCode};
use crate::graph::error::GraphError;
use crate::graph::read::tabled::Tabled;
use crate::graph::schema::{Entry, SubjectCode};
use crate::graph::view::View;
use crate::index::{Candidates, Index, IndexError, KeyRange};
use crate::record::{NodeRecord, RelationshipRecord};
use crate::transaction::{Changed, KeyRange as ReadRange, Predicate};

/// What an index is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexSubject {
    /// Nodes with a label.
    Label(LabelCode),
    /// Relationships of a type.
    Type(TypeCode),
}

/// An index that a reader may use, of its own or of a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexInfo {
    /// Names it to [`GraphRead::cursor`](super::GraphRead::cursor).
    pub number: u32,
    /// What it has: of these, the entities that have all its keys.
    pub subject: IndexSubject,
    /// Its keys, in the order in which it is sorted.
    pub keys: Vec<KeyCode>,
    /// Whether no two entities have the same values.
    pub is_unique: bool,
    /// Why this reader cannot use it; `None` if it can.
    pub unavailable: Option<Unavailable>,
}

/// Why an index cannot answer. Nothing is scanned instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unavailable {
    /// There is none of this number, or no more.
    Unknown,
    /// It is being made.
    Populating,
    /// It was made, or built again, after the commit that is read.
    Newer,
    /// It has no content: it was damaged, and will be built again from the records.
    Damaged,
}

/// The answer of [`GraphRead::cursor`](super::GraphRead::cursor).
pub enum Opened {
    /// The index can answer.
    Cursor(IndexCursor),
    /// It cannot.
    Unavailable(Unavailable),
}

/// The order in which a cursor goes through an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The lowest values first; of equal values, the lowest id.
    Ascending,
    /// The other way round.
    Descending,
}

/// Goes through a range of an index, leaf by leaf as it is asked; has what it reads for
/// itself, and may outlive its reader.
pub struct IndexCursor {
    of: Kind,
}

enum Kind {
    Nodes(Box<Entries<NodeRecord>>),
    Relationships(Box<Entries<RelationshipRecord>>),
}

impl IndexCursor {
    /// Appends up to so many ids, and gives their number: fewer only at the end. Reads no
    /// record whose entry is exact, which all are but those with keys of some hundred
    /// bytes, and those of a view older than the newest checkpoint.
    ///
    /// # Errors
    /// Damage: then the index is built again, and a new cursor is told so.
    pub fn read(
        &mut self,
        most: usize,
        ids: &mut Vec<u32>,
        account: &Account,
    ) -> Result<usize, GraphError> {
        self.read_keyed(most, account, |_, id| ids.push(id))
    }

    /// As [`IndexCursor::read`], with the keys: bytes that compare as the tuples of values
    /// do. `each` may be called before an error.
    ///
    /// # Errors
    /// As [`IndexCursor::read`].
    pub fn read_keyed(
        &mut self,
        most: usize,
        account: &Account,
        each: impl FnMut(&[u8], u32),
    ) -> Result<usize, GraphError> {
        account.check()?;
        match &mut self.of {
            Kind::Nodes(entries) => entries.read(most, each),
            Kind::Relationships(entries) => entries.read(most, each),
        }
    }
}

/// The index of an entry, held.
struct Held(Arc<Entry>);

impl Borrow<Index> for Held {
    fn borrow(&self) -> &Index {
        let index = self.0.index.as_ref();
        index.expect("a cursor is of an entry with an index")
    }
}

type Keyed = (Vec<u8>, u32);

struct Entries<R> {
    view: View,
    changed: Option<Changed>,
    entry: Arc<Entry>,
    range: KeyRange,
    order: Order,
    committed: Candidates<Held>,
    /// The next of `committed`, checked and in order.
    next: VecDeque<Keyed>,
    /// An entry that was read, and comes behind those.
    ahead: Option<(Keyed, bool)>,
    /// What the transaction wrote, in order.
    own: VecDeque<Keyed>,
    of: std::marker::PhantomData<R>,
}

impl Source<'_> {
    pub(super) fn indexes(&self) -> Vec<IndexInfo> {
        let entries = self.view.core().state.schema.entries();
        let info = |entry: &Arc<Entry>| {
            entry.index.as_ref()?;
            Some(IndexInfo {
                number: entry.number,
                subject: match entry.stored.subject {
                    SubjectCode::Label(label) => IndexSubject::Label(label),
                    SubjectCode::Type(kind) => IndexSubject::Type(kind),
                },
                keys: entry.stored.keys.clone(),
                is_unique: entry.stored.rule.is_unique() && entry.is_confirmed(),
                unavailable: self.unavailable(entry),
            })
        };
        entries.iter().filter_map(info).collect()
    }

    pub(super) fn index_over(&self, subject: IndexSubject, keys: &[KeyCode]) -> Option<u32> {
        let of = match subject {
            IndexSubject::Label(label) => SubjectCode::Label(label),
            IndexSubject::Type(kind) => SubjectCode::Type(kind),
        };
        let entries = self.view.core().state.schema.entries();
        let is_over = |entry: &&Arc<Entry>| {
            entry.stored.subject == of
                && entry.stored.keys == keys
                && self.unavailable(entry).is_none()
        };
        entries.iter().find(is_over).map(|entry| entry.number)
    }

    fn unavailable(&self, entry: &Entry) -> Option<Unavailable> {
        let Some(index) = &entry.index else {
            return Some(Unavailable::Unknown);
        };
        match () {
            () if !entry.is_readable() => Some(Unavailable::Populating),
            () if index.covers(self.view.csn()) => None,
            () if index.is_built() => Some(Unavailable::Newer),
            () => Some(Unavailable::Damaged),
        }
    }

    pub(super) fn cursor(
        &self,
        number: u32,
        range: &KeyRange,
        order: Order,
    ) -> Result<Opened, GraphError> {
        let Some(entry) = self.entry(number) else {
            return Ok(Opened::Unavailable(Unavailable::Unknown));
        };
        if let Some(reason) = self.unavailable(&entry) {
            return Ok(Opened::Unavailable(reason));
        }
        let of = match entry.stored.subject {
            SubjectCode::Label(_) => {
                let entries = self.entries(&entry, range, order)?;
                entries.map(|entries| Kind::Nodes(Box::new(entries)))
            }
            SubjectCode::Type(_) => {
                let entries = self.entries(&entry, range, order)?;
                entries.map(|entries| Kind::Relationships(Box::new(entries)))
            }
        };
        Ok(match of {
            Some(of) => Opened::Cursor(IndexCursor { of }),
            None => Opened::Unavailable(Unavailable::Damaged),
        })
    }

    fn entry(&self, number: u32) -> Option<Arc<Entry>> {
        let entries = self.view.core().state.schema.entries();
        let mut entries = entries.iter();
        let found = entries.find(|entry| entry.number == number && entry.index.is_some());
        found.cloned()
    }

    pub(super) fn ids_of_key(&self, number: u32, key: &[u8]) -> Option<Vec<u32>> {
        let entry = self.entry(number)?;
        if self.overlay.is_some() || self.unavailable(&entry).is_some() {
            return None;
        }
        let (index, mut ids) = (entry.index.as_ref()?, Vec::new());
        if !index.lookup(self.view.csn(), key, &mut ids).ok()? {
            return None;
        }
        self.has_read(|| Predicate::Keys(range_of(&entry, &KeyRange::exactly(key))));
        Some(ids)
    }

    /// `None` if the index is damaged.
    fn entries<R: Tabled>(
        &self,
        entry: &Arc<Entry>,
        range: &KeyRange,
        order: Order,
    ) -> Result<Option<Entries<R>>, GraphError> {
        let (held, is_descending) = (Held(Arc::clone(entry)), order == Order::Descending);
        let committed = match Candidates::of(held, self.view.csn(), range, is_descending) {
            Ok(committed) => committed,
            // It was given up since.
            Err(IndexError::NotBuilt | IndexError::NotSince { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let own = self.overlay.map(|own| {
            let key = |id: u32| {
                let record = own.change::<R>(id)?.after()?;
                Some((entry.key_of(&**record)?, id))
            };
            let ids = entry.changes_in::<R>(own, range);
            let mut own: Vec<Keyed> = ids.into_iter().filter_map(key).collect();
            if is_descending {
                own.reverse();
            }
            VecDeque::from(own)
        });
        let mut entries = Entries {
            view: self.view.clone(),
            changed: self.overlay.cloned(),
            entry: Arc::clone(entry),
            range: range.clone(),
            order,
            committed,
            next: VecDeque::new(),
            ahead: None,
            own: own.unwrap_or_default(),
            of: std::marker::PhantomData,
        };
        // Most damage is met here, where it can still be told.
        match entries.fill() {
            Ok(()) => {}
            Err(GraphError::Index(IndexError::Storage(StorageError::Damaged { .. }))) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
        self.has_read(|| Predicate::Keys(range_of(entry, range)));
        Ok(Some(entries))
    }
}

/// A range of an index that was read.
fn range_of(entry: &Entry, range: &KeyRange) -> ReadRange {
    let to = range.to().map(Into::into);
    ReadRange {
        index: entry.number,
        from: Bound::Included(range.from().into()),
        to: to.map_or(Bound::Unbounded, Bound::Excluded),
    }
}

impl<R: Tabled> Entries<R> {
    fn read(&mut self, most: usize, mut each: impl FnMut(&[u8], u32)) -> Result<usize, GraphError> {
        for given in 0..most {
            self.fill()?;
            let is_own_first = match (self.own.front(), self.next.front()) {
                (None, None) => return Ok(given),
                (Some(own), Some(next)) => (own < next) == (self.order == Order::Ascending),
                (own, None) => own.is_some(),
                (None, Some(_)) => false,
            };
            let first = match is_own_first {
                true => self.own.pop_front(),
                false => self.next.pop_front(),
            };
            if let Some((key, id)) = first {
                each(&key, id);
            }
        }
        Ok(most)
    }

    /// Makes sure that the next committed entry is known, if there is one.
    fn fill(&mut self) -> Result<(), GraphError> {
        while self.next.is_empty() {
            let Some((first, is_exact)) = self.take()? else {
                return Ok(());
            };
            if is_exact {
                self.next.push_back(first);
                continue;
            }
            // Keys that were cut to the same stand by id: the records tell their order.
            let mut keyed = Vec::new();
            self.check(&first, &mut keyed)?;
            while let Some((other, is_exact)) = self.take()? {
                if other.0 != first.0 {
                    self.ahead = Some((other, is_exact));
                    break;
                }
                self.check(&other, &mut keyed)?;
            }
            keyed.sort_unstable();
            keyed.dedup();
            match self.order {
                Order::Ascending => self.next.extend(keyed),
                Order::Descending => self.next.extend(keyed.into_iter().rev()),
            }
        }
        Ok(())
    }

    /// The next entry of the index that the transaction has not changed, and whether it is
    /// exact.
    fn take(&mut self) -> Result<Option<(Keyed, bool)>, GraphError> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        loop {
            let found = match self.committed.next_entry() {
                Ok(found) => found.map(|(key, id)| (key.to_vec(), id)),
                Err(error) => {
                    if let IndexError::Storage(StorageError::Damaged { .. }) = error
                        && let Some(index) = &self.entry.index
                    {
                        self.view.core().state.schema.give_up(index);
                    }
                    return Err(error.into());
                }
            };
            let Some((key, id)) = found else {
                return Ok(None);
            };
            let own = self.changed.as_ref().and_then(|own| own.change::<R>(id));
            if own.is_none() {
                let is_exact = self.committed.is_exact(&key);
                return Ok(Some(((key, id), is_exact)));
            }
        }
    }

    /// Adds the record of an entry, if it has the entry's key in the range.
    fn check(&self, (stored, id): &Keyed, keyed: &mut Vec<Keyed>) -> Result<(), GraphError> {
        let record = R::of_view(&self.view, *id)?;
        let key = record.and_then(|record| self.entry.key_of(&*record));
        let index: &Index = self.entry.index.as_ref().expect("it is read");
        let key = key.filter(|key| index.kept(key) == &stored[..] && self.range.contains(key));
        keyed.extend(key.map(|key| (key, *id)));
        Ok(())
    }
}
