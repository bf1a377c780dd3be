//! Procedures that scenarios give.

use evergraph_syntax::scope::{Procedures, Signature, read_signature};

/// A procedure, and a table of its results by its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name, with dots.
    pub name: String,
    /// Parameters and results.
    pub signature: Signature,
    /// Names of parameters, then of results.
    pub columns: Vec<String>,
    /// Arguments, and what they give.
    pub rows: Vec<Vec<String>>,
}

impl Procedure {
    /// Reads `test.my.proc(in :: INTEGER?) :: (out :: STRING?)`.
    pub(crate) fn read(text: &str, table: &[Vec<String>]) -> Option<Self> {
        let (name, signature) = read_signature(text).ok()?;
        let (columns, rows) = match table.split_first() {
            Some((columns, rows)) => (columns.clone(), rows.to_vec()),
            None => (Vec::new(), Vec::new()),
        };
        Some(Procedure {
            name,
            signature,
            columns,
            rows,
        })
    }
}

/// Procedures of a scenario.
pub struct Given<'s>(pub &'s [Procedure]);

impl Procedures for Given<'_> {
    fn find(&self, name: &str) -> Option<Signature> {
        let found = self.0.iter().find(|procedure| procedure.name == name);
        found.map(|procedure| procedure.signature.clone())
    }
}
