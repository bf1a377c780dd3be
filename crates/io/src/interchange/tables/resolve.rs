//! A mapping held against the files.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use crate::interchange::InterchangeError;

use super::compile::OfFile;
use super::header::Columns;
use super::known::{Known, Resolver};
use super::lookup;
use super::mapping::Mapping;
use super::plan::{Plan, TableFile};

impl Mapping {
    /// Holds the mapping against the headers of its files, which `open` opens by the
    /// names in it, and gives the files in the order of the mapping. Files whose types
    /// are to be inferred are read as a whole; `ask` is asked now and then whether to
    /// go on.
    ///
    /// # Errors
    /// Errors of `open` and `ask`; [`InterchangeError::Mapping`] with the line of the
    /// mapping that does not fit the files; [`InterchangeError::Unreadable`] of a lookup.
    pub fn resolve<R: BufRead, E: From<InterchangeError>>(
        &self,
        open: impl Fn(&str) -> Result<R, E>,
        ask: &dyn Fn() -> Result<(), E>,
    ) -> Result<Vec<TableFile>, E> {
        let mut lookups = BTreeMap::new();
        for (name, lookup) in &self.lookups {
            let input = open(&lookup.file.value)?;
            lookups.insert(name.as_str(), Arc::new(lookup::read(self, lookup, input)?));
        }
        let mut known = Vec::new();
        for table in &self.tables {
            known.push(Known::of(self, table, &open, ask)?);
        }
        let mut resolver = Resolver {
            mapping: self,
            lookups,
            kinds: BTreeMap::new(),
        };
        known.iter().for_each(|known| resolver.add_kind(known));
        let mut files = Vec::new();
        for known in &known {
            for (file, names) in &known.files {
                let plan = resolver.plan(known, &file.value, names)?;
                files.push(TableFile {
                    path: file.value.clone(),
                    plan: Arc::new(plan),
                });
            }
        }
        Ok(files)
    }
}

impl Resolver<'_> {
    fn plan(
        &self,
        known: &Known<'_>,
        file: &str,
        names: &[String],
    ) -> Result<Plan, InterchangeError> {
        let of_file = OfFile {
            resolver: self,
            known,
            columns: Columns {
                mapping: self.mapping,
                file,
                names,
            },
        };
        let table = known.table;
        let used = of_file.used()?;
        let relationships = table.relationships.iter();
        let relationships = relationships.map(|found| of_file.relationship(found, &used));
        let node = table.node.as_ref();
        Ok(Plan {
            node: node.map(|node| of_file.node(node, &used)).transpose()?,
            relationships: relationships.collect::<Result<_, _>>()?,
            columns: names.to_vec(),
            format: table.format.clone(),
        })
    }
}
