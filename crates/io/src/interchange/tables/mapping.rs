//! Mappings of plain tables, parsed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::interchange::types::shown;
use crate::interchange::{InterchangeError, PropertyType};

use super::section::{Said, wrong};

/// Mapping of plain tables: which rows are nodes, and which columns refer to others.
/// `docs/property-files.md` describes the file.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Name of the mapping's file, for messages.
    pub(crate) file: Arc<str>,
    pub(crate) tables: Vec<Table>,
    pub(crate) lookups: BTreeMap<String, Lookup>,
}

/// How the lines of a file become fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// `None`: by the name of the file.
    pub(crate) delimiter: Option<u8>,
    /// Lines before the header or the first row.
    pub(crate) skip: u64,
    pub(crate) quotes: bool,
    /// Whether a delimiter before a space is text.
    pub(crate) unquoted_text: bool,
    /// Texts that stand for no value.
    pub(crate) null: Vec<String>,
    pub(crate) list_delimiter: char,
    /// Whether types that are not given are told from all values of a column.
    pub(crate) infer: bool,
    /// Names of the columns of a file without a header.
    pub(crate) columns: Option<Vec<String>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) line: u64,
    pub(crate) files: Vec<Said<String>>,
    pub(crate) format: Format,
    pub(crate) types: Vec<(Said<String>, PropertyType)>,
    pub(crate) omit: Vec<Said<String>>,
    pub(crate) rename: Vec<(Said<String>, Arc<str>)>,
    pub(crate) node: Option<Node>,
    pub(crate) relationships: Vec<Relationship>,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The first label, by which ends of relationships call such nodes.
    pub(crate) kind: Arc<str>,
    /// The first is fixed.
    pub(crate) labels: Vec<Name>,
    /// Columns; none if nothing refers to the nodes.
    pub(crate) key: Vec<Said<String>>,
    /// Whether a key that is there already is no problem, and no new node.
    pub(crate) merge: bool,
    pub(crate) properties: Option<Vec<Said<String>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Relationship {
    pub(crate) name: Name,
    /// `None` is the row's own node; at most one is.
    pub(crate) source: Option<End>,
    pub(crate) target: Option<End>,
    pub(crate) properties: Option<Vec<Said<String>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) kind: Said<String>,
    pub(crate) columns: Vec<Said<String>>,
}

/// A label or a type.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    Fixed(Arc<str>),
    Column(Said<String>, Names),
}

/// Translation of a column's texts to names.
#[derive(Clone, Debug)]
pub(crate) enum Names {
    AsTheyAre,
    Given(BTreeMap<String, Arc<str>>),
    /// The lookup of this name.
    Lookup(Said<String>),
}

/// Two columns of a file: the texts of one stand for those of the other.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    pub(crate) file: Said<String>,
    pub(crate) format: Format,
    pub(crate) key: Said<String>,
    pub(crate) value: Said<String>,
}

impl Mapping {
    /// All files that it names, with the lines that do.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        let of_tables = self.tables.iter().flat_map(|table| &table.files);
        let of_lookups = self.lookups.values().map(|lookup| &lookup.file);
        let files = of_tables.chain(of_lookups);
        files.map(|file| (file.value.as_str(), file.line))
    }

    /// A problem of one of its lines.
    pub fn error(&self, line: u64, problem: impl Into<String>) -> InterchangeError {
        wrong(&self.file, line, problem)
    }

    /// Whether all ends are of nodes that there are, and all lookups there.
    pub(super) fn check_names(&self) -> Result<(), InterchangeError> {
        let nodes = || self.tables.iter().filter_map(|table| table.node.as_ref());
        for relationship in self.tables.iter().flat_map(|table| &table.relationships) {
            for End { kind, columns } in relationship.ends() {
                let mut of_kind = nodes().filter(|node| *node.kind == *kind.value).peekable();
                if of_kind.peek().is_none() {
                    let known = listed(nodes().map(|node| &*node.kind));
                    let kind_shown = shown(&kind.value);
                    let problem = format!("no table has nodes {kind_shown}; there are {known}");
                    return Err(self.error(kind.line, problem));
                }
                if let Some(other) = of_kind.find(|node| node.key.len() != columns.len()) {
                    let (kind_name, found) = (&kind.value, columns.len());
                    let problem = match other.key.len() {
                        0 => format!("nodes {kind_name} have no `key` by which to find them"),
                        key => {
                            format!("nodes {kind_name} have a key of {key} columns, not {found}")
                        }
                    };
                    return Err(self.error(kind.line, problem));
                }
            }
        }
        for table in &self.tables {
            let types = table.relationships.iter().map(|found| &found.name);
            let labels = table.node.iter().flat_map(|node| &node.labels);
            for name in types.chain(labels) {
                if let Name::Column(_, Names::Lookup(lookup)) = name
                    && !self.lookups.contains_key(&lookup.value)
                {
                    let known = listed(self.lookups.keys().map(String::as_str));
                    let problem = format!("no [lookup.{}]; there are {known}", lookup.value);
                    return Err(self.error(lookup.line, problem));
                }
            }
        }
        Ok(())
    }
}

impl Relationship {
    pub(crate) fn ends(&self) -> impl Iterator<Item = &End> {
        self.source.iter().chain(&self.target)
    }
}

impl Default for Format {
    fn default() -> Self {
        Format {
            delimiter: None,
            skip: 0,
            quotes: true,
            unquoted_text: false,
            null: Vec::new(),
            list_delimiter: ';',
            infer: false,
            columns: None,
        }
    }
}

/// Names for a message, each once; `none` if there are none.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = Vec::new();
    for name in names {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    match known.is_empty() {
        true => "none".to_string(),
        false => known.join(", "),
    }
}
