//! Names that a transaction uses, and may be the first to use.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::effects::Effect;
use super::error::GraphError;
use super::state::State;
use crate::dictionary::{KeyCode, LabelCode, Names, TypeCode};

/// Names whose codes nothing committed uses yet, as far as the transaction knew.
/// Whoever commits first says what the codes mean, and all who might say it.
#[derive(Debug, Default)]
pub(super) struct UsedNames(BTreeMap<(Names, u32), Arc<str>>);

impl UsedNames {
    /// The code of a label.
    pub fn label(&mut self, state: &State, name: &str) -> Result<LabelCode, GraphError> {
        self.code(state, Names::Labels, name)
    }

    /// The code of a type.
    pub fn kind(&mut self, state: &State, name: &str) -> Result<TypeCode, GraphError> {
        type_code(self.code(state, Names::Types, name)?)
    }

    /// The code of a property key.
    pub fn key(&mut self, state: &State, name: &str) -> Result<KeyCode, GraphError> {
        self.code(state, Names::Keys, name)
    }

    fn code(&mut self, state: &State, names: Names, name: &str) -> Result<u32, GraphError> {
        let code = state.dictionary.intern(names, name)?;
        if let Some(name) = state.dictionary.uncommitted(names, code) {
            self.0.insert((names, code), name);
        }
        Ok(code)
    }

    /// What says in a commit what the codes mean.
    pub fn effects(&self) -> Vec<Effect> {
        let entries = self.0.iter();
        let effect = |(&(names, code), name): (&(Names, u32), &Arc<str>)| Effect::Name {
            names,
            code,
            name: name.to_string(),
        };
        entries.map(effect).collect()
    }
}

/// The code of a type, from that of its name.
pub(super) fn type_code(code: u32) -> Result<TypeCode, GraphError> {
    TypeCode::try_from(code).map_err(|_| {
        GraphError::Unsupported(format!("there are {code} types of relationships already"))
    })
}

/// Names of one kind with their codes, for whoever uses the same ones again and again
/// in about the same order.
pub(super) struct Recalled {
    names: Names,
    codes: Vec<(Box<str>, u32)>,
    /// Where the next name is looked for first.
    next: usize,
}

impl Recalled {
    /// None yet.
    pub fn of(names: Names) -> Self {
        Recalled {
            names,
            codes: Vec::new(),
            next: 0,
        }
    }

    /// The code of a name; noted in `used` if nothing committed uses it.
    pub fn code(
        &mut self,
        state: &State,
        used: &mut UsedNames,
        name: &str,
    ) -> Result<u32, GraphError> {
        let (before, after) = self.codes.split_at(self.next.min(self.codes.len()));
        let is_it = |entry: &(Box<str>, u32)| *entry.0 == *name;
        let found = after.iter().position(is_it).map(|i| i + before.len());
        if let Some(at) = found.or_else(|| before.iter().position(is_it)) {
            self.next = at + 1;
            return Ok(self.codes[at].1);
        }
        let code = used.code(state, self.names, name)?;
        self.codes.push((name.into(), code));
        self.next = self.codes.len();
        Ok(code)
    }
}
