//! Procedures that a program registers.

mod context;
mod names;
mod schema;

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::{Datum, ReadError};
use evergraph_syntax::scope::Signature;

pub use context::ProcedureContext;

/// Rows of a procedure, in the order of its results.
pub struct ProcedureRows(Box<dyn Iterator<Item = Vec<Datum>>>);

impl ProcedureRows {
    /// Rows that are made as they are asked for.
    pub fn new(rows: impl Iterator<Item = Vec<Datum>> + 'static) -> Self {
        ProcedureRows(Box::new(rows))
    }
}

impl From<Vec<Vec<Datum>>> for ProcedureRows {
    fn from(rows: Vec<Vec<Datum>>) -> Self {
        ProcedureRows::new(rows.into_iter())
    }
}

impl Iterator for ProcedureRows {
    type Item = Vec<Datum>;

    fn next(&mut self) -> Option<Vec<Datum>> {
        self.0.next()
    }
}

type Body =
    dyn Fn(&ProcedureContext<'_, '_>, &[Datum]) -> Result<ProcedureRows, ReadError> + Send + Sync;

/// A procedure: what it is for, its signature and what it does.
#[derive(Clone)]
pub(crate) struct Procedure {
    description: Arc<str>,
    is_listed: bool,
    pub(crate) signature: Signature,
    pub(crate) body: Arc<Body>,
}

/// A procedure as it is listed.
#[derive(Clone, Copy, Debug)]
pub struct Described<'p> {
    /// Its full name.
    pub name: &'p str,
    /// What it is for.
    pub description: &'p str,
    /// Its parameters and results.
    pub signature: &'p Signature,
}

/// The procedures that queries may call. Cheap to clone.
#[derive(Clone)]
pub struct Procedures {
    by_name: Arc<BTreeMap<String, Procedure>>,
}

impl Default for Procedures {
    /// Those that are built in: `db.labels()`, `db.schema.nodeTypeProperties()`, ...
    fn default() -> Self {
        let mut procedures = Procedures {
            by_name: Arc::default(),
        };
        names::register(&mut procedures);
        schema::register(&mut procedures);
        procedures
    }
}

impl Procedures {
    /// Those that are built in.
    pub fn new() -> Self {
        Procedures::default()
    }

    /// Registers a procedure under its full name; one of the same name is replaced.
    pub fn register<R: Into<ProcedureRows>>(
        &mut self,
        name: &str,
        description: &str,
        signature: Signature,
        body: impl Fn(&ProcedureContext<'_, '_>, &[Datum]) -> Result<R, ReadError>
        + Send
        + Sync
        + 'static,
    ) {
        let procedure = Procedure {
            description: description.into(),
            is_listed: true,
            signature,
            body: Arc::new(move |context, arguments| Ok(body(context, arguments)?.into())),
        };
        Arc::make_mut(&mut self.by_name).insert(name.to_string(), procedure);
    }

    /// Another name of a procedure, which lists do not have. Of a procedure that there is
    /// not it does nothing.
    pub fn register_alias(&mut self, alias: &str, name: &str) {
        if let Some(procedure) = self.by_name.get(name) {
            let procedure = Procedure {
                is_listed: false,
                ..procedure.clone()
            };
            Arc::make_mut(&mut self.by_name).insert(alias.to_string(), procedure);
        }
    }

    /// All of them by name, without aliases.
    pub fn all(&self) -> impl Iterator<Item = Described<'_>> {
        let listed = self.by_name.iter().filter(|(_, found)| found.is_listed);
        listed.map(|(name, found)| Described {
            name,
            description: &found.description,
            signature: &found.signature,
        })
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Procedure> {
        self.by_name.get(name)
    }
}

impl evergraph_syntax::scope::Procedures for Procedures {
    fn find(&self, name: &str) -> Option<Signature> {
        Some(self.by_name.get(name)?.signature.clone())
    }

    fn names(&self) -> Vec<String> {
        self.by_name.keys().cloned().collect()
    }
}
