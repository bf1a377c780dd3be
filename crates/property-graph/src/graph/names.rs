//! Names that a transaction uses, and may be the first to use.

use std::collections::BTreeMap;
use std::sync::Arc;

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
        let code = self.code(state, Names::Types, name)?;
        TypeCode::try_from(code).map_err(|_| {
            GraphError::Unsupported(format!("there are {code} types of relationships already"))
        })
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

    /// The names, by table and code.
    pub fn iter(&self) -> impl Iterator<Item = (Names, u32, &str)> {
        let entries = self.0.iter();
        entries.map(|(&(names, code), name)| (names, code, &**name))
    }
}
