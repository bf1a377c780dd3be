//! Procedures that scenarios give.

use evergraph_syntax::scope::{Procedures, Signature, Type};

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
        let (name, rest) = text.split_once('(')?;
        let (inputs, rest) = rest.split_once(')')?;
        let outputs = rest.split_once('(')?.1.split_once(')')?.0;
        let (columns, rows) = match table.split_first() {
            Some((columns, rows)) => (columns.clone(), rows.to_vec()),
            None => (Vec::new(), Vec::new()),
        };
        Some(Procedure {
            name: name.trim().to_string(),
            signature: Signature {
                inputs: fields(inputs)?,
                outputs: fields(outputs)?,
                ..Signature::default()
            },
            columns,
            rows,
        })
    }
}

fn fields(text: &str) -> Option<Vec<(String, Type)>> {
    let field = |field: &str| {
        let (name, of) = field.split_once("::")?;
        let of = match of.trim().trim_end_matches('?') {
            "STRING" => Type::Text,
            "INTEGER" => Type::Integer,
            "FLOAT" => Type::Float,
            "NUMBER" => Type::Number,
            "BOOLEAN" => Type::Boolean,
            _ => return None,
        };
        Some((name.trim().to_string(), of))
    };
    let fields = text.split(',').filter(|field| !field.trim().is_empty());
    fields.map(field).collect()
}

/// Procedures of a scenario.
pub struct Given<'s>(pub &'s [Procedure]);

impl Procedures for Given<'_> {
    fn find(&self, name: &str) -> Option<Signature> {
        let found = self.0.iter().find(|procedure| procedure.name == name);
        found.map(|procedure| procedure.signature.clone())
    }
}
