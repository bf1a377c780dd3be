//! Procedures that a program registers.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::{Datum, ReadError};
use evergraph_syntax::scope::{Signature, Type};

use crate::graph::Graph;

/// What a procedure may see.
pub struct ProcedureContext<'a, 'g> {
    pub(crate) graph: &'a Graph<'g>,
}

/// Rows of a procedure.
pub type ProcedureRows = Vec<Vec<Datum>>;

type Body =
    dyn Fn(&ProcedureContext<'_, '_>, &[Datum]) -> Result<ProcedureRows, ReadError> + Send + Sync;

/// A procedure: its signature and what it does.
#[derive(Clone)]
pub(crate) struct Procedure {
    pub(crate) signature: Signature,
    pub(crate) body: Arc<Body>,
}

/// The procedures that queries may call.
#[derive(Clone)]
pub struct Procedures {
    by_name: BTreeMap<String, Procedure>,
}

impl Default for Procedures {
    /// Those that are built in: `db.labels()`, `db.relationshipTypes()`,
    /// `db.propertyKeys()`.
    fn default() -> Self {
        let mut procedures = Procedures {
            by_name: BTreeMap::new(),
        };
        type List = fn(&Graph<'_>) -> Result<Vec<Arc<str>>, ReadError>;
        let lists: [(&str, &str, List); 3] = [
            ("db.labels", "label", |graph| graph.all_labels()),
            ("db.relationshipTypes", "relationshipType", |graph| {
                graph.all_types()
            }),
            ("db.propertyKeys", "propertyKey", |graph| graph.all_keys()),
        ];
        for (name, column, list) in lists {
            let signature = Signature {
                inputs: Vec::new(),
                outputs: vec![(column.to_string(), Type::Text)],
            };
            procedures.register(name, signature, move |context, _| {
                let names = list(context.graph)?;
                Ok(names
                    .into_iter()
                    .map(|name| vec![Datum::from(name)])
                    .collect())
            });
        }
        procedures
    }
}

impl Procedures {
    /// Those that are built in.
    pub fn new() -> Self {
        Procedures::default()
    }

    /// Registers a procedure under its full name; one of the same name is replaced.
    pub fn register(
        &mut self,
        name: &str,
        signature: Signature,
        body: impl Fn(&ProcedureContext<'_, '_>, &[Datum]) -> Result<ProcedureRows, ReadError>
        + Send
        + Sync
        + 'static,
    ) {
        let body = Arc::new(body);
        self.by_name
            .insert(name.to_string(), Procedure { signature, body });
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Procedure> {
        self.by_name.get(name)
    }
}

impl evergraph_syntax::scope::Procedures for Procedures {
    fn find(&self, name: &str) -> Option<Signature> {
        Some(self.by_name.get(name)?.signature.clone())
    }
}
