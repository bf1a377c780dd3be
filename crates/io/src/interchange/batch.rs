//! Rows of one input by column.

use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::{ExternalId, Id, NodeRow, RelationshipRow, Row, Standing};

/// Consecutive rows of one input with the same columns, all of them nodes or all
/// relationships. Costs a fraction of as many [`Row`]s.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBatch {
    /// Ids of the nodes, none if they have none; of relationships those of the sources,
    /// then of the targets.
    pub ids: Vec<IdColumn>,
    /// Whether the rows are nodes.
    pub are_nodes: bool,
    /// Sets of labels, or types, one each, that rows have.
    pub groups: Vec<Vec<Arc<str>>>,
    /// The group of each row.
    pub group_of: Vec<u32>,
    /// Properties by name, null where a row has none.
    pub columns: Vec<(Arc<str>, Vec<Value>)>,
    /// The line on which each row begins.
    pub lines: Vec<u64>,
    /// Context of every row.
    pub standing: Standing,
    /// DRAM of the rows, about.
    pub bytes: usize,
}

/// Ids of one space.
#[derive(Clone, Debug, PartialEq)]
pub struct IdColumn {
    /// The id space.
    pub space: Arc<str>,
    /// The ids.
    pub ids: IdList,
}

/// Ids of one kind.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "as of `Id`")]
pub enum IdList {
    Integers(Vec<i64>),
    Texts(Vec<Arc<str>>),
}

impl IdList {
    pub(crate) fn truncate(&mut self, rows: usize) {
        match self {
            IdList::Integers(all) => all.truncate(rows),
            IdList::Texts(all) => all.truncate(rows),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        match self {
            IdList::Integers(all) => IdList::Integers(all.split_off(at)),
            IdList::Texts(all) => IdList::Texts(all.split_off(at)),
        }
    }

    /// The id of a row.
    pub fn get(&self, at: usize) -> Id {
        match self {
            IdList::Integers(all) => Id::Integer(all[at]),
            IdList::Texts(all) => Id::Text(Arc::clone(&all[at])),
        }
    }
}

impl IdColumn {
    /// The id of a row.
    pub fn get(&self, at: usize) -> ExternalId {
        ExternalId {
            space: Arc::clone(&self.space),
            id: self.ids.get(at),
        }
    }
}

impl RowBatch {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A row by itself.
    pub fn row(&self, at: usize) -> Row {
        let values = self
            .columns
            .iter()
            .map(|(name, values)| (name, &values[at]));
        let properties = values
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (Arc::clone(name), value.clone()))
            .collect();
        let names = &self.groups[self.group_of[at] as usize];
        match &self.ids[..] {
            [source, target] if !self.are_nodes => Row::Relationship(RelationshipRow {
                source: source.get(at),
                target: target.get(at),
                kind: names.first().cloned().unwrap_or_default(),
                properties,
            }),
            ids => Row::Node(NodeRow {
                id: ids.first().map(|ids| ids.get(at)),
                labels: names.clone(),
                properties,
            }),
        }
    }

    /// Takes away the rows from one on.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn split_off(&mut self, at: usize) -> Self {
        let bytes = self.bytes * at / self.len().max(1);
        let columns = self.columns.iter_mut();
        let columns = columns.map(|(name, values)| (Arc::clone(name), values.split_off(at)));
        let ids = self.ids.iter_mut().map(|column| IdColumn {
            space: Arc::clone(&column.space),
            ids: column.ids.split_off(at),
        });
        let rest = RowBatch {
            ids: ids.collect(),
            columns: columns.collect(),
            group_of: self.group_of.split_off(at),
            lines: self.lines.split_off(at),
            groups: self.groups.clone(),
            standing: self.standing.clone(),
            are_nodes: self.are_nodes,
            bytes: self.bytes - bytes,
        };
        self.bytes = bytes;
        rest
    }

    /// Forgets the last rows, as a part of a row may be there.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.ids.iter_mut().for_each(|ids| ids.ids.truncate(rows));
        self.group_of.truncate(rows);
        let columns = self.columns.iter_mut();
        columns.for_each(|(_, values)| values.truncate(rows));
        self.lines.truncate(rows);
    }
}
