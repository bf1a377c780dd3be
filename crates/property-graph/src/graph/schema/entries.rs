//! An index or a constraint with its definition, index and state.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_storage::StorageError;
use parking_lot::Mutex;

use super::definition::{Rule, Stored, SubjectCode};
use super::new_index;
use super::violation::{Broken, Violation};
use crate::dictionary::{Dictionary, LabelCode, TypeCode};
use crate::graph::error::GraphError;
use crate::graph::ids::{Entity, NodeId, RelationshipId};
use crate::graph::redo::damaged;
use crate::index::{Index, KeyRange, key};
use crate::record::{Found, NodeRecord, Record, RelationshipRecord};
use crate::transaction::{Changed, KeyOf, Kind};
use crate::value::codec::NoTextCodes;
use crate::value::{Properties, Value};

pub(in crate::graph) struct Entry {
    /// Tells it from the others that there are.
    pub(in crate::graph) number: u32,
    pub(in crate::graph) stored: Stored,
    pub(in crate::graph) index: Option<Index>,
    /// Whether all existing records were held to it; else it is still populating.
    is_confirmed: AtomicBool,
    /// Keys that commits gave to records while a constraint of unique values is being
    /// made, each with the newest of these commits: no writer looked if they are unique.
    unchecked: Mutex<BTreeMap<Vec<u8>, u64>>,
}

impl Entry {
    pub(crate) fn new(number: u32, stored: Stored, is_confirmed: bool) -> Self {
        Entry {
            is_confirmed: AtomicBool::new(is_confirmed),
            unchecked: Mutex::default(),
            number,
            index: stored.rule.has_index().then(|| new_index(number)),
            stored,
        }
    }

    /// Whether all that there is was held to it.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.is_confirmed.load(Ordering::Acquire)
    }

    /// All that there is was held to it.
    pub(crate) fn confirm(&self) {
        self.is_confirmed.store(true, Ordering::Release);
        self.unchecked.lock().clear();
    }

    /// Whether a write has to look if its values are unique. While the constraint is being
    /// made it need not: they are checked before the constraint holds.
    pub(crate) fn is_held_unique(&self) -> bool {
        self.stored.rule.is_unique() && self.is_confirmed()
    }

    /// Notes that a commit gives a record a key; to be called in the order of commits.
    pub(crate) fn note_written(&self, csn: u64, key: &[u8]) {
        if self.stored.rule.is_unique() && !self.is_confirmed() {
            self.unchecked.lock().insert(key.to_vec(), csn);
        }
    }

    /// Takes the keys that commits up to this one gave to records while the constraint is
    /// being made.
    pub(crate) fn take_unchecked(&self, csn: u64) -> Vec<Vec<u8>> {
        let taken = self
            .unchecked
            .lock()
            .extract_if(.., |_, newest| *newest <= csn)
            .collect::<Vec<_>>();
        taken.into_iter().map(|(key, _)| key).collect()
    }

    /// Whether it has an index that may be read. One that is still being made may
    /// fail, after which writers do not tell which of its keys they change, so that a
    /// serializable transaction that had read it would miss them.
    pub(crate) fn is_readable(&self) -> bool {
        self.index.is_some() && self.is_confirmed()
    }

    /// Position of a property in the order of the keys.
    pub(crate) fn place_of(&self, key: u32) -> Option<usize> {
        self.stored.keys.iter().position(|&other| other == key)
    }

    /// Whether it is about records of this kind at all.
    pub(crate) fn is_about_any<R: Governed>(&self) -> bool {
        R::may_be(self.stored.subject)
    }

    pub(crate) fn is_about<R: Governed>(&self, record: &R) -> bool {
        record.is_of(self.stored.subject)
    }

    /// The key under which an index of these properties has a record; `None` if it
    /// does not have it.
    pub(crate) fn key_of<R: Governed>(&self, record: &R) -> Option<Vec<u8>> {
        match self.is_about(record) {
            true => key_of(record.properties(), &self.stored.keys),
            false => None,
        }
    }

    /// As [`Entry::key_of`], of a record that it is about, by its encoded properties: puts
    /// the key behind others, and tells whether there is one. If not, a part of it may be
    /// there.
    ///
    /// # Errors
    /// Bytes that are no properties.
    pub(crate) fn push_key_in(
        &self,
        properties: &[u8],
        keys: &mut Vec<u8>,
    ) -> Result<bool, StorageError> {
        let mut wrong = None;
        let values = self.stored.keys.iter().map(|&key| {
            let found = Properties::find(properties, key, &NoTextCodes);
            found.unwrap_or_else(|error| {
                wrong = Some(error);
                None
            })
        });
        let is_there = key::push_found(values, keys);
        match wrong {
            Some(error) => Err(damaged(&format!("has a {error}"))),
            None => Ok(is_there),
        }
    }

    /// The rule that a record breaks, if it breaks one; uniqueness is not checked here.
    pub(crate) fn violation<R: Governed>(&self, record: &R) -> Option<Broken> {
        if !self.is_about(record) {
            return None;
        }
        self.wrong_values(self.values_of(record))
    }

    /// The values that a record has, in the order of the keys.
    pub(crate) fn values_of<'r, R: Governed>(
        &self,
        record: &'r R,
    ) -> impl Iterator<Item = Option<&'r Value>> + Clone {
        let properties = record.properties();
        self.stored.keys.iter().map(|&key| properties.get(key))
    }

    /// As [`Entry::violation`], of the values that a record has, in the order of the
    /// keys.
    pub(crate) fn wrong_values<'v>(
        &self,
        mut values: impl Iterator<Item = Option<&'v Value>> + Clone,
    ) -> Option<Broken> {
        let rule = self.stored.rule;
        if rule.is_existence() && values.clone().any(|value| value.is_none()) {
            return Some(Broken::Missing);
        }
        let Rule::Type(wanted) = rule else {
            return None;
        };
        let is_wrong = values.any(|value| value.is_some_and(|value| !wanted.is_of(value)));
        is_wrong.then_some(Broken::OtherType(wanted))
    }

    /// That it does not hold for a record with some values.
    pub(crate) fn violated<'v, R: Governed>(
        &self,
        dictionary: &Dictionary,
        id: u32,
        values: impl Iterator<Item = Option<&'v Value>>,
        reason: Broken,
    ) -> GraphError {
        GraphError::Constraint(Box::new(Violation {
            constraint: self.stored.named(dictionary),
            values: values.map(|value| value.cloned()).collect(),
            record: R::entity(id),
            reason,
        }))
    }
}

impl Entry {
    /// Records that a transaction changed, and that the index of this entry would have in
    /// a range.
    pub(crate) fn changes_in<R: Governed + Kind>(
        self: &Arc<Self>,
        overlay: &Changed,
        range: &KeyRange,
    ) -> Vec<u32> {
        let by: Arc<dyn KeyOf<R>> = Arc::clone(self) as _;
        overlay.changes_by(self.number, &by, range.from(), range.to())
    }
}

impl<R: Governed> KeyOf<R> for Entry {
    fn key_of(&self, record: &R) -> Option<Vec<u8>> {
        Entry::key_of(self, record)
    }
}

/// Records that indexes and constraints can be about.
pub(in crate::graph) trait Governed: Record {
    /// One of them.
    fn entity(id: u32) -> Entity;

    /// Whether one of them may be such a subject.
    fn may_be(subject: SubjectCode) -> bool;

    /// Whether it is one.
    fn is_of(&self, subject: SubjectCode) -> bool;

    /// The part of a record that tells which subjects it is.
    type Marks;

    /// The marks of a record that a read found.
    fn marks(found: &Found<'_, Self>) -> Result<Self::Marks, StorageError>;

    /// Whether a record with these marks is a subject.
    fn is_marked(marks: &Self::Marks, subject: SubjectCode) -> bool;
}

impl Governed for NodeRecord {
    fn entity(id: u32) -> Entity {
        NodeId(id).into()
    }

    fn may_be(subject: SubjectCode) -> bool {
        matches!(subject, SubjectCode::Label(_))
    }

    fn is_of(&self, subject: SubjectCode) -> bool {
        is_label_of(&self.labels, subject)
    }

    type Marks = Arc<[LabelCode]>;

    fn marks(found: &Found<'_, Self>) -> Result<Self::Marks, StorageError> {
        found.labels()
    }

    fn is_marked(labels: &Self::Marks, subject: SubjectCode) -> bool {
        is_label_of(labels, subject)
    }
}

fn is_label_of(labels: &[LabelCode], subject: SubjectCode) -> bool {
    match subject {
        SubjectCode::Label(label) => labels.binary_search(&label).is_ok(),
        SubjectCode::Type(_) => false,
    }
}

impl Governed for RelationshipRecord {
    fn entity(id: u32) -> Entity {
        RelationshipId(id).into()
    }

    fn may_be(subject: SubjectCode) -> bool {
        matches!(subject, SubjectCode::Type(_))
    }

    fn is_of(&self, subject: SubjectCode) -> bool {
        Self::is_marked(&self.kind, subject)
    }

    type Marks = TypeCode;

    fn marks(found: &Found<'_, Self>) -> Result<Self::Marks, StorageError> {
        found.ends().map(|(kind, ..)| kind)
    }

    fn is_marked(&kind: &Self::Marks, subject: SubjectCode) -> bool {
        subject == SubjectCode::Type(kind)
    }
}

/// The key of some properties; `None` if one is missing.
pub(in crate::graph) fn key_of(properties: &Properties, keys: &[u32]) -> Option<Vec<u8>> {
    key::encode_found(keys.iter().map(|&key| properties.get(key)))
}
