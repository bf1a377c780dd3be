//! How many nodes have each label, how many relationships each type.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Account, EntityKind, Filter, GraphRead, View};
use crate::Error;

/// Counts of one view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Nodes.
    pub nodes: u64,
    /// Relationships.
    pub relationships: u64,
    /// Nodes by label; a node of several counts in each.
    pub labels: BTreeMap<Arc<str>, u64>,
    /// Relationships by type.
    pub types: BTreeMap<Arc<str>, u64>,
    /// Values of nodes and relationships by key.
    pub keys: BTreeMap<Arc<str>, u64>,
}

/// Of more keys, most columns would be empty: rows are read instead.
const FEW_KEYS: usize = 64;

impl Census {
    /// Nodes by label and relationships by type are known; values are counted by column, of
    /// graphs with more than 64 keys by reading every record.
    ///
    /// # Errors
    /// Damage.
    pub fn of(view: &View) -> Result<Self, Error> {
        let counts = view.counts()?;
        let names = view.known_keys();
        Ok(Census {
            nodes: counts.nodes,
            relationships: counts.types.values().sum(),
            labels: counts.labels,
            types: counts.types,
            keys: match names.len() <= FEW_KEYS {
                true => keys_by_column(view, &names)?,
                false => keys_by_row(view)?,
            },
        })
    }
}

fn keys_by_column(view: &View, names: &[Arc<str>]) -> Result<BTreeMap<Arc<str>, u64>, Error> {
    let account = Account::default();
    let mut keys = BTreeMap::new();
    let codes = names
        .iter()
        .filter_map(|name| Some((name, view.key_code(name)?)));
    let codes: Vec<_> = codes.collect();
    let mut ids = Vec::new();
    for kind in [EntityKind::Node, EntityKind::Relationship] {
        for morsel in view.morsels(kind).iter() {
            ids.clear();
            view.scan(&morsel, &Filter::default(), &mut ids, &account)?;
            for (name, code) in &codes {
                let values = view.gather(kind, &ids, *code, &account)?;
                let count = values.validity().count() as u64;
                if count > 0 {
                    *keys.entry(Arc::clone(name)).or_default() += count;
                }
            }
        }
    }
    Ok(keys)
}

fn keys_by_row(view: &View) -> Result<BTreeMap<Arc<str>, u64>, Error> {
    let mut keys = BTreeMap::new();
    for node in view.nodes() {
        for (key, _) in node?.properties() {
            *keys.entry(key).or_default() += 1;
        }
    }
    for relationship in view.relationships() {
        for (key, _) in relationship?.properties() {
            *keys.entry(key).or_default() += 1;
        }
    }
    Ok(keys)
}
