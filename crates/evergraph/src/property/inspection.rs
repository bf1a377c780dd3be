//! Types, ids and counts that an import would find in files, without importing them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use evergraph_io::interchange::{Id, Row, Scalar};

use super::Imported;
use super::value::Value;

/// Rows of files, as an import would take them.
#[derive(Clone, Debug, Default)]
pub struct Inspection {
    /// Counts as of an import. What only a commit notices is not counted as bad: values
    /// that constraints refuse, names and values that are too long.
    pub imported: Imported,
    /// The files with the names of their formats.
    pub files: Vec<(PathBuf, &'static str)>,
    /// Rows of nodes by label; a node of several counts in each.
    pub labels: BTreeMap<Arc<str>, RowGroup>,
    /// Rows of relationships by type.
    pub types: BTreeMap<Arc<str>, RowGroup>,
    /// Ids of nodes by id space.
    pub ids: BTreeMap<Arc<str>, IdKinds>,
}

/// Rows of one label or type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowGroup {
    /// How many there are.
    pub rows: u64,
    /// Their properties, and the types of the values.
    pub properties: BTreeMap<Arc<str>, BTreeSet<String>>,
}

/// Ids of one space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdKinds {
    /// 64-bit integers.
    pub integers: u64,
    /// Texts.
    pub texts: u64,
}

impl Inspection {
    pub(super) fn take(&mut self, row: &Row) {
        match row {
            Row::Node(node) => {
                let unlabelled = [Arc::from("")];
                let labels = match node.labels.is_empty() {
                    true => &unlabelled[..],
                    false => &node.labels,
                };
                for label in labels {
                    let group = self.labels.entry(Arc::clone(label)).or_default();
                    group.take(&node.properties);
                }
                if let Some(id) = &node.id {
                    let kinds = self.ids.entry(Arc::clone(&id.space)).or_default();
                    match id.id {
                        Id::Integer(_) => kinds.integers += 1,
                        Id::Text(_) => kinds.texts += 1,
                    }
                }
            }
            Row::Relationship(row) => {
                let group = self.types.entry(Arc::clone(&row.kind)).or_default();
                group.take(&row.properties);
            }
        }
    }
}

impl RowGroup {
    fn take(&mut self, properties: &[(Arc<str>, Value)]) {
        self.rows += 1;
        for (name, value) in properties {
            let types = match self.properties.get_mut(name) {
                Some(types) => types,
                None => self.properties.entry(Arc::clone(name)).or_default(),
            };
            let kind = type_of(value);
            if !types.contains(&*kind) {
                types.insert(kind.into_owned());
            }
        }
    }
}

/// As a header of CSV names the type.
fn type_of(value: &Value) -> std::borrow::Cow<'static, str> {
    match value {
        Value::List(elements) => {
            let types: BTreeSet<_> = elements.iter().map(type_of).collect();
            match (types.first(), types.len()) {
                (Some(kind), 1) => format!("{kind}[]").into(),
                _ => "list".into(),
            }
        }
        Value::Map(_) => "map".into(),
        other => Scalar::of(other).map_or("null", Scalar::name).into(),
    }
}
