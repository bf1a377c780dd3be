//! Codes for the strings that repeat: labels, relationship types, property keys and sets
//! of labels.
//!
//! Names (labels, types, keys) get their code from the commit that first uses them, in
//! which the assignment travels: a code that a record holds is known wherever the record
//! is. Sets of labels get theirs from the checkpoint that writes records with them, and are
//! stored with those records by the same superblock; before that, versions hold the labels
//! themselves. No assigned code is ever taken back, so that a record of any age can be read.
//!
//! A transaction that writes a name without a code, or commits a set without one,
//! is promised a code ([`Dictionary::promise`]). Readers do not see it. If the
//! transaction comes to nothing it releases the promise, and without any left the
//! code is free again: what was rolled back leaves nothing.
//!
//! From code to string lies on the medium, in pages (`pages`); from string to
//! code is rebuilt in DRAM at opening, and shares its strings with the other
//! direction (Poseidon, section 4.2, "hybrid").

mod checkpoint;
mod pages;
mod space;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use evergraph_storage::{StorageError, Uuid};
use parking_lot::RwLock;

use crate::value::codec::TextCodes;
use space::Space;

/// Code of a property key.
pub type KeyCode = u32;
/// Code of a label.
pub type LabelCode = u32;
/// Code of a relationship type; its adjacencies in the topology are `2 * code` (out) and
/// `2 * code + 1` (in).
pub type TypeCode = u16;

/// A name has at most so many bytes.
pub(crate) const MOST_NAME_BYTES: usize = 1 << 16;
/// Labels, keys, and sets of labels are fewer.
const MOST_CODES: u32 = 1 << 24;

/// Kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Names {
    Labels = 0,
    Types = 1,
    Keys = 2,
}

impl Names {
    /// All kinds, in the order of their numbers.
    pub(crate) const ALL: [Names; 3] = [Names::Labels, Names::Types, Names::Keys];

    /// The kind of a number, as payloads hold it.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Names::ALL.get(usize::from(number)).copied()
    }

    fn most(self) -> u32 {
        match self {
            Names::Types => 1 << 16,
            Names::Labels | Names::Keys => MOST_CODES,
        }
    }
}

/// A name that cannot have a code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Empty, or longer than 65536 bytes.
    #[error("a name of {bytes} bytes cannot be stored; use 1 to 65536 bytes")]
    Length {
        /// Its bytes.
        bytes: usize,
    },
    /// There are as many already as there can be.
    #[error("there are {most} {what} already; use those, or properties instead of them")]
    TooMany {
        /// Kind of names that is exhausted, for the message.
        what: &'static str,
        /// How many there can be.
        most: u32,
    },
}

/// The strings of a property graph and their codes.
pub(crate) struct Dictionary {
    /// Its tables in the section directory have this kind.
    kind: u32,
    names: [RwLock<Space<str>>; 3],
    label_sets: RwLock<Space<[LabelCode]>>,
    /// Of values in histories of formats before 8.
    texts: RwLock<Space<str>>,
    most_label_sets: AtomicU32,
    /// Known as soon as something is stored.
    uuid: OnceLock<Uuid>,
}

impl Dictionary {
    /// An empty dictionary; `number` tells it from other parts of the store extension.
    pub(crate) fn new(number: u32) -> Self {
        Dictionary {
            kind: evergraph_topology::extension::EXTENSION_BLOBS + number,
            names: Default::default(),
            label_sets: RwLock::default(),
            texts: RwLock::default(),
            most_label_sets: AtomicU32::new(MOST_CODES),
            uuid: OnceLock::new(),
        }
    }

    fn space(&self, names: Names) -> &RwLock<Space<str>> {
        &self.names[names as usize]
    }

    /// Promises a code to a name: the same to every caller, and invisible to readers
    /// until a commit assigns it ([`Dictionary::uncommitted`], [`Dictionary::apply`]). A
    /// code that was not assigned when it was promised is to be released
    /// ([`Dictionary::release`]), whatever came of the commit, as soon as no record in
    /// DRAM has it but those of commits.
    pub(crate) fn promise(&self, names: Names, name: &str) -> Result<u32, NameError> {
        if let Some(code) = self.code(names, name) {
            return Ok(code);
        }
        if name.is_empty() || name.len() > MOST_NAME_BYTES {
            return Err(NameError::Length { bytes: name.len() });
        }
        let code = self.space(names).write().promise(name, names.most());
        code.ok_or(NameError::TooMany {
            what: match names {
                Names::Labels => "labels",
                Names::Types => "relationship types",
                Names::Keys => "property keys",
            },
            most: names.most(),
        })
    }

    /// Ends a promise of [`Dictionary::promise`].
    pub(crate) fn release(&self, names: Names, code: u32) {
        self.space(names).write().release(code);
    }

    /// The code of a name, if a commit has assigned one.
    pub(crate) fn code(&self, names: Names, name: &str) -> Option<u32> {
        self.space(names).read().code(name)
    }

    /// The name of a code that is assigned, or promised.
    pub(crate) fn name(&self, names: Names, code: u32) -> Option<Arc<str>> {
        self.space(names).read().get(code)
    }

    /// The name of a code that no commit has assigned yet: a commit that uses it
    /// has to carry the assignment, for [`Dictionary::apply`]. Several commits may
    /// carry the same.
    pub(crate) fn uncommitted(&self, names: Names, code: u32) -> Option<Arc<str>> {
        self.space(names).read().uncommitted(code)
    }

    /// How many names commits have given a code, of all kinds; never fewer.
    pub(crate) fn committed_names(&self) -> u64 {
        let spaces = Names::ALL.iter().map(|&names| self.space(names).read());
        spaces.map(|space| space.order.len() as u64).sum()
    }

    /// Codes that commits have assigned, with their names, in the order of
    /// assignment.
    pub(crate) fn committed(&self, names: Names) -> Vec<(u32, Arc<str>)> {
        self.space(names).read().committed()
    }

    /// Applies the assignment of a commit; the same again changes nothing.
    ///
    /// # Errors
    /// An assignment that contradicts another: the log is damaged.
    pub(crate) fn apply(
        &self,
        csn: u64,
        names: Names,
        code: u32,
        name: &str,
    ) -> Result<(), StorageError> {
        let assigned = match code < names.most() && !name.is_empty() {
            true => self.space(names).write().assign(csn, code, name),
            false => Err("a code is impossible"),
        };
        assigned.map_err(|what| {
            let what = format!("commit {csn} names a {names:?} code {code}: {what}");
            StorageError::damaged("log", 0, what)
        })
    }

    /// Promises a code to a set of labels, so that the checkpoint that writes records
    /// with it finds one. To be asked before they are committed. `None` if the set has a
    /// code; else the promise, to be released if the commit comes to nothing.
    ///
    /// # Errors
    /// [`NameError::TooMany`].
    pub(crate) fn promise_label_set(&self, labels: &[LabelCode]) -> Result<Option<u32>, NameError> {
        if self.label_sets.read().code(labels).is_some() {
            return Ok(None);
        }
        let most = self.most_label_sets.load(Ordering::Relaxed);
        let code = self.label_sets.write().promise(labels, most);
        let what = "sets of labels";
        code.map(Some).ok_or(NameError::TooMany { what, most })
    }

    /// Ends a promise of [`Dictionary::promise_label_set`] whose commit came to nothing.
    pub(crate) fn release_label_set(&self, code: u32) {
        self.label_sets.write().release(code);
    }

    /// Codes of names of one kind that are taken, and of sets of labels.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> [usize; 4] {
        let [labels, types, keys] = Names::ALL.map(|names| self.space(names).read().taken());
        [labels, types, keys, self.label_sets.read().taken()]
    }

    /// Another limit, which can be reached.
    #[cfg(test)]
    pub(crate) fn set_most_label_sets(&self, most: u32) {
        self.most_label_sets.store(most, Ordering::Relaxed);
    }

    /// The code of a set of labels, which gets one if it has none; for records on
    /// their way to the medium.
    pub(crate) fn label_set_code(&self, labels: &[LabelCode]) -> Option<u32> {
        let known = self.label_sets.read().code(labels);
        known.or_else(|| self.label_sets.write().assign_next(labels, MOST_CODES))
    }

    pub(crate) fn label_set(&self, code: u32) -> Option<Arc<[LabelCode]>> {
        self.label_sets.read().get(code)
    }
}

/// For what older formats have written: no text gets a code any more.
impl TextCodes for Dictionary {
    fn code(&self, _: &str) -> Option<u32> {
        None
    }

    fn text(&self, code: u32) -> Option<Arc<str>> {
        self.texts.read().get(code)
    }
}
