//! Rows from cells whose columns a header declares: what CSV and the columnar
//! formats have in common.

use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::csv::header::{Column, Header, IdColumn};
use crate::interchange::error::Problem;
use crate::interchange::{
    Contents, ExternalId, Id, Ids, NodeRow, PropertyType, RelationshipRow, Row,
};

/// The cells of one row, by the number of their column.
pub(crate) trait Cells {
    /// An id; `None` if nothing is there.
    fn id(&self, at: usize, ids: Ids) -> Result<Option<Id>, String>;

    /// Calls for each label, which may be empty, or there already.
    fn labels(&self, at: usize, each: impl FnMut(&str)) -> Result<(), String>;

    /// The type of a relationship; `None` if nothing is there.
    fn kind(&self, at: usize) -> Result<Option<Arc<str>>, String>;

    /// A property; `None` if there is no value.
    fn value(&self, at: usize, kind: PropertyType) -> Result<Option<Value>, String>;
}

/// Labels and type that the options give to all rows of a file, besides their cells.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    /// Of all nodes.
    pub(crate) labels: &'a [Arc<str>],
    /// Of relationships whose cell has none.
    pub(crate) kind: Option<&'a Arc<str>>,
}

type Properties = Vec<(Arc<str>, Value)>;

/// The row of these cells.
pub(crate) fn row(header: &Header, given: Given<'_>, cells: &impl Cells) -> Result<Row, Problem> {
    match header.contents {
        Contents::Relationships => relationship(header, given, cells).map(Row::Relationship),
        Contents::Nodes | Contents::Both => node(header, given, cells).map(Row::Node),
    }
}

fn node(header: &Header, given: Given<'_>, cells: &impl Cells) -> Result<NodeRow, Problem> {
    let mut node = NodeRow {
        // Neo4j lets nodes be without an id, if nothing refers to them.
        id: None,
        labels: given.labels.to_vec(),
        properties: Vec::new(),
    };
    for (at, column) in header.columns.iter().enumerate() {
        match column {
            Column::Id(column) => node.id = id(cells, at, ":ID", column, &mut node.properties)?,
            Column::Labels => {
                let known = &mut node.labels;
                let found = cells.labels(at, |label| {
                    if !label.is_empty() && known.iter().all(|known| **known != *label) {
                        known.push(label.into());
                    }
                });
                found.map_err(|problem| Problem::at(":LABEL", problem))?;
            }
            other => property(cells, at, other, &mut node.properties)?,
        }
    }
    Ok(node)
}

fn relationship(
    header: &Header,
    given: Given<'_>,
    cells: &impl Cells,
) -> Result<RelationshipRow, Problem> {
    let (mut source, mut target) = (None, None);
    let mut kind = None;
    let mut properties = Vec::new();
    for (at, column) in header.columns.iter().enumerate() {
        match column {
            Column::Start(column) => {
                source = id(cells, at, ":START_ID", column, &mut properties)?;
            }
            Column::End(column) => target = id(cells, at, ":END_ID", column, &mut properties)?,
            Column::Type => {
                let found = cells.kind(at);
                kind = found.map_err(|problem| Problem::at(":TYPE", problem))?;
            }
            other => property(cells, at, other, &mut properties)?,
        }
    }
    let missing = |what: &str| Problem::at(what, "nothing is there");
    Ok(RelationshipRow {
        source: source.ok_or_else(|| missing(":START_ID"))?,
        target: target.ok_or_else(|| missing(":END_ID"))?,
        kind: kind
            .or_else(|| given.kind.cloned())
            .ok_or_else(|| missing(":TYPE"))?,
        properties,
    })
}

/// The id in a cell, which is a property, too, if its column has a name.
fn id(
    cells: &impl Cells,
    at: usize,
    keyword: &str,
    column: &IdColumn,
    properties: &mut Properties,
) -> Result<Option<ExternalId>, Problem> {
    let called = column.name.as_deref().unwrap_or(keyword);
    let found = cells.id(at, column.ids);
    let Some(id) = found.map_err(|problem| Problem::at(called, problem))? else {
        return Ok(None);
    };
    if let Some(name) = &column.name {
        let value = match &id {
            Id::Integer(number) => Value::Integer(*number),
            Id::Text(text) => Value::Text(text.clone()),
        };
        properties.push((name.clone(), value));
    }
    let space = column.space.clone();
    Ok(Some(ExternalId { space, id }))
}

fn property(
    cells: &impl Cells,
    at: usize,
    column: &Column,
    properties: &mut Properties,
) -> Result<(), Problem> {
    let Column::Property(name, kind) = column else {
        return Ok(());
    };
    let found = cells.value(at, *kind);
    if let Some(value) = found.map_err(|problem| Problem::at(name, problem))? {
        properties.push((name.clone(), value));
    }
    Ok(())
}
