//! Facts about a mapping's tables: their columns and types, and the kinds of nodes.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use crate::PANDAS;
use crate::interchange::infer::{Observed, observe};
use crate::interchange::types::shown;
use crate::interchange::{InterchangeError, PropertyType, Scalar};

use super::header::{Columns, begin, is_null};
use super::lookup::Texts;
use super::mapping::{Mapping, Table};
use super::section::Said;

/// A table of the mapping with its files' headers.
pub(super) struct Known<'a> {
    pub(super) table: &'a Table,
    pub(super) files: Vec<(&'a Said<String>, Vec<String>)>,
    types: BTreeMap<&'a str, PropertyType>,
    inferred: BTreeMap<String, Observed>,
}

/// The ids of nodes by their kind.
pub(super) struct Kind {
    pub(super) space: Arc<str>,
    pub(super) integers: bool,
}

pub(super) struct Resolver<'a> {
    pub(super) mapping: &'a Mapping,
    pub(super) lookups: BTreeMap<&'a str, Arc<Texts>>,
    pub(super) kinds: BTreeMap<Arc<str>, Kind>,
}

impl<'a> Known<'a> {
    pub(super) fn of<R: BufRead, E: From<InterchangeError>>(
        mapping: &Mapping,
        table: &'a Table,
        open: &impl Fn(&str) -> Result<R, E>,
        ask: &dyn Fn() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut files = Vec::new();
        let mut inferred: BTreeMap<String, Observed> = BTreeMap::new();
        for file in &table.files {
            let name = file.value.as_str().into();
            let (mut records, names) = begin(&name, open(&file.value)?, &table.format)?;
            let columns = Columns {
                mapping,
                file: &file.value,
                names: &names,
            };
            check_names(columns, file.line, table)?;
            if table.format.infer {
                let seen = names.iter().map(|name| inferred.get(name));
                let mut seen: Vec<Observed> =
                    seen.map(|seen| seen.copied().unwrap_or_default()).collect();
                let null = &table.format.null;
                observe(&mut records, |field| is_null(field, null), &mut seen, ask)?;
                inferred.extend(names.iter().cloned().zip(seen));
            }
            files.push((file, names));
        }
        let types = table.types.iter();
        Ok(Known {
            table,
            files,
            types: types
                .map(|(column, kind)| (&*column.value, *kind))
                .collect(),
            inferred,
        })
    }

    pub(super) fn type_of(&self, column: &str) -> PropertyType {
        let given = self.types.get(column).copied();
        let found = || self.inferred.get(column).map(|seen| seen.scalar().into());
        given.or_else(found).unwrap_or(Scalar::Text.into())
    }
}

/// Whether all columns that are read have names of their own, and all that the
/// mapping speaks of are there.
fn check_names(columns: Columns<'_>, line: u64, table: &Table) -> Result<(), InterchangeError> {
    let Columns {
        mapping,
        file,
        names,
    } = columns;
    let types = table.types.iter().map(|(column, _)| column);
    let renamed = table.rename.iter().map(|(column, _)| column);
    for column in types.chain(renamed).chain(&table.omit) {
        columns.find(column)?;
    }
    for (at, name) in names.iter().enumerate() {
        let is_omitted = table.omit.iter().any(|column| column.value == *name);
        let problem = match name.is_empty() {
            true => "has no name",
            false if names[..at].contains(name) => "has the name of one before it",
            false => continue,
        };
        if !is_omitted {
            let mut problem = format!(
                "column {} of {file} {problem}: {}; leave it out (omit = [{name:?}]), or pass over \
                 the header (`skip`) and name the `columns`",
                at + 1,
                shown(name),
            );
            if at == 0 {
                problem += ": ";
                problem += PANDAS;
            }
            return Err(mapping.error(line, problem));
        }
    }
    Ok(())
}

impl Resolver<'_> {
    /// Ids are integers if they are in every table of the kind.
    pub(super) fn add_kind(&mut self, known: &Known<'_>) {
        let Some(node) = &known.table.node else {
            return;
        };
        let integers = match &node.key[..] {
            [column] => known.type_of(&column.value) == Scalar::Integer.into(),
            _ => false,
        };
        let kind = self.kinds.entry(node.kind.clone()).or_insert(Kind {
            space: node.kind.clone(),
            integers,
        });
        kind.integers &= integers;
    }
}
