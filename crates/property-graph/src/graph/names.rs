//! Names that a transaction uses, and may be the first to use.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;

use super::error::GraphError;
use crate::dictionary::{Dictionary, KeyCode, LabelCode, NameError, Names, TypeCode};

/// A name with the code that a commit gives it.
pub(super) type NewName = (Names, u32, Arc<str>);

/// Codes that are promised to names of one transaction, released when the transaction
/// has ended and none of the records that it read is held any more.
struct Promised {
    dictionary: Arc<Dictionary>,
    codes: RwLock<[BTreeMap<Arc<str>, u32>; Names::ALL.len()]>,
}

impl Drop for Promised {
    fn drop(&mut self) {
        for (names, codes) in Names::ALL.iter().zip(self.codes.get_mut()) {
            let codes = codes.values();
            codes.for_each(|&code| self.dictionary.release(*names, code));
        }
    }
}

/// Names that no commit had used when the transaction wrote them. Its commit defines
/// those that it uses.
#[derive(Clone, Default)]
pub(super) struct NewNames(Option<Arc<Promised>>);

impl fmt::Debug for NewNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = self
            .0
            .as_ref()
            .map(|promised| promised.codes.read().clone());
        f.debug_tuple("NewNames").field(&codes).finish()
    }
}

impl NewNames {
    /// The code of a label, promised if it has none.
    pub(super) fn label(
        &mut self,
        dictionary: &Arc<Dictionary>,
        name: &str,
    ) -> Result<LabelCode, GraphError> {
        self.promise(dictionary, Names::Labels, name)
    }

    /// The code of a type, promised if it has none.
    pub(super) fn kind(
        &mut self,
        dictionary: &Arc<Dictionary>,
        name: &str,
    ) -> Result<TypeCode, GraphError> {
        type_code(self.promise(dictionary, Names::Types, name)?)
    }

    /// The code of a property key, promised if it has none.
    pub(super) fn key(
        &mut self,
        dictionary: &Arc<Dictionary>,
        name: &str,
    ) -> Result<KeyCode, GraphError> {
        self.promise(dictionary, Names::Keys, name)
    }

    fn promise(
        &mut self,
        dictionary: &Arc<Dictionary>,
        names: Names,
        name: &str,
    ) -> Result<u32, GraphError> {
        if let Some(code) = self.code(names, name) {
            return Ok(code);
        }
        let code = dictionary.promise(names, name)?;
        if let Some(name) = dictionary.uncommitted(names, code) {
            let promised = self.0.get_or_insert_with(|| {
                Arc::new(Promised {
                    dictionary: Arc::clone(dictionary),
                    codes: RwLock::default(),
                })
            });
            promised.codes.write()[names as usize].insert(name, code);
        }
        Ok(code)
    }

    /// The code that was promised to a name.
    pub(super) fn code(&self, names: Names, name: &str) -> Option<u32> {
        let codes = self.0.as_ref()?.codes.read();
        codes[names as usize].get(name).copied()
    }

    /// Whether a code was promised to a name of this transaction.
    pub(super) fn has(&self, names: Names, code: u32) -> bool {
        let has = |promised: &Arc<Promised>| {
            let codes = promised.codes.read();
            codes[names as usize].values().any(|&own| own == code)
        };
        self.0.as_ref().is_some_and(has)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Promised names that a commit would use, and that no other has given a code
    /// meanwhile.
    pub(super) fn to_commit(&self, is_used: impl Fn(Names, u32) -> bool) -> Vec<NewName> {
        let Some(promised) = &self.0 else {
            return Vec::new();
        };
        let mut new = Vec::new();
        for (&names, codes) in Names::ALL.iter().zip(&*promised.codes.read()) {
            for (name, &code) in codes {
                let is_new = promised.dictionary.uncommitted(names, code).is_some();
                if is_new && is_used(names, code) {
                    new.push((names, code, Arc::clone(name)));
                }
            }
        }
        new.sort_unstable();
        new
    }
}

/// Names and codes as a reader knows them: those of commits, and those that are new in
/// the transaction that it reads with.
#[derive(Clone)]
pub(super) struct KnownNames {
    dictionary: Arc<Dictionary>,
    new: NewNames,
}

impl From<&Arc<Dictionary>> for KnownNames {
    fn from(dictionary: &Arc<Dictionary>) -> Self {
        KnownNames::of(dictionary, &NewNames::default())
    }
}

impl KnownNames {
    /// Names of commits and of one transaction.
    pub(super) fn of(dictionary: &Arc<Dictionary>, new: &NewNames) -> Self {
        KnownNames {
            dictionary: Arc::clone(dictionary),
            new: new.clone(),
        }
    }

    pub(super) fn code(&self, names: Names, name: &str) -> Option<u32> {
        let committed = self.dictionary.code(names, name);
        committed.or_else(|| self.new.code(names, name))
    }

    /// The name of a code that a record holds.
    pub(super) fn name(&self, names: Names, code: u32) -> Option<Arc<str>> {
        self.dictionary.name(names, code)
    }
}

/// Sets of labels that a commit may be the first to have, with room for their codes.
/// Given back when it is dropped, unless the commit came about.
pub(super) struct NewLabelSets {
    dictionary: Arc<Dictionary>,
    promised: Vec<u32>,
}

impl NewLabelSets {
    pub(super) fn of(dictionary: &Arc<Dictionary>) -> Self {
        NewLabelSets {
            dictionary: Arc::clone(dictionary),
            promised: Vec::new(),
        }
    }

    /// Makes sure that a set finds a code.
    pub(super) fn add(&mut self, labels: &[LabelCode]) -> Result<(), NameError> {
        self.promised
            .extend(self.dictionary.promise_label_set(labels)?);
        Ok(())
    }

    /// The checkpoint that writes the records gives the codes.
    pub(super) fn keep(&mut self) {
        self.promised.clear();
    }
}

impl Drop for NewLabelSets {
    fn drop(&mut self) {
        let promised = self.promised.drain(..);
        promised.for_each(|code| self.dictionary.release_label_set(code));
    }
}

/// The code of a type, from that of its name.
pub(super) fn type_code(code: u32) -> Result<TypeCode, GraphError> {
    TypeCode::try_from(code)
        .map_err(|_| GraphError::Limit(format!("there are {code} types of relationships already")))
}

/// Names of one kind with their codes, for a caller that uses the same ones repeatedly in
/// about the same order.
pub(super) struct RecalledCodes {
    names: Names,
    codes: Vec<(Box<str>, u32)>,
    /// Position at which the next name is looked for first.
    next: usize,
}

impl RecalledCodes {
    pub(super) fn of(names: Names) -> Self {
        RecalledCodes {
            names,
            codes: Vec::new(),
            next: 0,
        }
    }

    /// The code of a name, promised to `new` if it has none.
    pub(super) fn code(
        &mut self,
        dictionary: &Arc<Dictionary>,
        new: &mut NewNames,
        name: &str,
    ) -> Result<u32, GraphError> {
        let (before, after) = self.codes.split_at(self.next.min(self.codes.len()));
        let is_it = |entry: &(Box<str>, u32)| *entry.0 == *name;
        let found = after.iter().position(is_it).map(|i| i + before.len());
        if let Some(at) = found.or_else(|| before.iter().position(is_it)) {
            self.next = at + 1;
            return Ok(self.codes[at].1);
        }
        let code = new.promise(dictionary, self.names, name)?;
        self.codes.push((name.into(), code));
        self.next = self.codes.len();
        Ok(code)
    }
}
