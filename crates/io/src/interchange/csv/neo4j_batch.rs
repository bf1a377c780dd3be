//! Rows of CSV with Neo4j's header by column.

use std::io::BufRead;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::batch::{IdColumn, IdList, RowBatch};
use crate::interchange::cells::Cells;
use crate::interchange::csv::header::{self, Column};
use crate::interchange::{Contents, Id, Ids, PropertyType, Scalar};

use super::neo4j::Neo4jReader;
use super::records::Outcome;

/// Sets of labels, or types, of one batch at most.
const MOST_GROUPS: usize = 256;

/// The text of the cell that a group of rows has, and its number: as in the row before,
/// mostly.
#[derive(Default)]
struct Groups {
    texts: Vec<String>,
    last: usize,
}

impl<R: BufRead> Neo4jReader<R> {
    /// The next rows, up to the first that is not as the others, or is bad: the iterator
    /// gives that.
    pub(super) fn next_batch(&mut self, rows: usize, bytes: usize) -> Option<RowBatch> {
        // Of several, a row has the labels of all.
        let labels = self
            .header
            .columns
            .iter()
            .filter(|column| **column == Column::Labels);
        if self.done || labels.count() > 1 {
            return None;
        }
        let mut batch = self.empty_batch(rows);
        let mut groups = Groups::default();
        while batch.len() < rows && batch.bytes < bytes {
            let read = self.advance();
            if !matches!(read, Ok(Some(Outcome::Record)))
                || self.push(&mut batch, &mut groups).is_none()
            {
                batch.truncate(batch.len());
                self.at_hand = Some(read);
                break;
            }
        }
        (!batch.is_empty()).then_some(batch)
    }

    /// A batch with room for so many rows.
    fn empty_batch(&self, rows: usize) -> RowBatch {
        let id = |column: &header::IdColumn| IdColumn {
            space: Arc::clone(&column.space),
            ids: match column.ids {
                Ids::Integers => IdList::Integers(Vec::with_capacity(rows)),
                Ids::Texts => IdList::Texts(Vec::with_capacity(rows)),
            },
        };
        let of = |is: fn(&Column) -> Option<&header::IdColumn>| {
            self.header.columns.iter().find_map(is).map(id)
        };
        let ids = [
            of(|column| match column {
                Column::Id(column) | Column::Start(column) => Some(column),
                _ => None,
            }),
            of(|column| match column {
                Column::End(column) => Some(column),
                _ => None,
            }),
        ];
        let names = self.header.columns.iter().filter_map(header::property_name);
        RowBatch {
            ids: ids.into_iter().flatten().collect(),
            are_nodes: self.header.contents != Contents::Relationships,
            groups: Vec::new(),
            group_of: Vec::with_capacity(rows),
            columns: names
                .map(|name| (Arc::clone(name), Vec::with_capacity(rows)))
                .collect(),
            lines: Vec::with_capacity(rows),
            standing: self.standing.clone(),
            bytes: 0,
        }
    }

    /// Adds the record at hand; `None` if it cannot be, and then a part of it is there.
    fn push(&self, batch: &mut RowBatch, groups: &mut Groups) -> Option<()> {
        if self.records.field_count() != self.header.columns.len() {
            return None;
        }
        let mut bytes = 0;
        let mut next_id = 0;
        let mut of_group = "";
        let mut columns = batch.columns.iter_mut().map(|(_, values)| values);
        for (at, column) in self.header.columns.iter().enumerate() {
            let text = self.field(at).text;
            match column {
                Column::Id(id) | Column::Start(id) | Column::End(id) => {
                    // The source stands first in the batch, wherever its column is.
                    let place = match column {
                        Column::End(_) => 1,
                        _ => 0,
                    };
                    let ids = &mut batch.ids[place].ids;
                    push_id(ids, text)?;
                    next_id += 1;
                    bytes += size_of::<Id>() + text.len();
                    if id.name.is_some() {
                        columns.next()?.push(last_id(ids)?);
                        bytes += size_of::<Value>();
                    }
                }
                Column::Labels | Column::Type => of_group = text,
                Column::Property(_, kind) => {
                    let values = columns.next()?;
                    // Most columns are integers: moving any value costs as much as reading
                    // such a one.
                    let is_integer = *kind == Scalar::Integer.into();
                    match is_integer.then(|| text.parse()) {
                        Some(Ok(number)) => values.push(Value::Integer(number)),
                        _ => self.push_value(values, at, *kind)?,
                    }
                    bytes += size_of::<Value>() + text.len();
                }
                Column::Ignore => {}
            }
        }
        debug_assert_eq!(next_id, batch.ids.len(), "an id of each column");
        let group = self.group(batch, groups, of_group)?;
        batch.group_of.push(group);
        batch.bytes += bytes;
        batch.lines.push(self.records.line());
        Some(())
    }

    /// Adds the value of a field, if it is of its type. Apart from who calls it, so that
    /// that moves no values.
    #[inline(never)]
    fn push_value(&self, values: &mut Vec<Value>, at: usize, kind: PropertyType) -> Option<()> {
        values.push(self.value(at, kind).ok()?.unwrap_or_default());
        Some(())
    }

    /// The group of rows whose cell of labels or type has a text.
    fn group(&self, batch: &mut RowBatch, groups: &mut Groups, text: &str) -> Option<u32> {
        // Most files have no such cell. An empty text has no memory, and comparing it with
        // another costs a hundred nanoseconds on processors that mask loads.
        let is_it = |other: &String| match text.is_empty() {
            true => other.is_empty(),
            false => other == text,
        };
        if groups.texts.get(groups.last).is_some_and(is_it) {
            return Some(groups.last as u32);
        }
        let found = groups.texts.iter().position(is_it);
        groups.last = match found {
            Some(at) => at,
            None if groups.texts.len() == MOST_GROUPS => return None,
            None => {
                batch.groups.push(self.names(text)?);
                groups.texts.push(text.to_string());
                groups.texts.len() - 1
            }
        };
        Some(groups.last as u32)
    }

    /// The labels or the type of a row whose cell has a text.
    fn names(&self, text: &str) -> Option<Vec<Arc<str>>> {
        if self.header.contents == Contents::Relationships {
            let own = Some(text.trim()).filter(|text| !text.is_empty());
            let kind = own.map(Arc::from).or_else(|| self.options.kind.clone());
            return kind.map(|kind| vec![kind]);
        }
        let mut labels = self.options.labels.clone();
        for label in text.split(self.options.array_delimiter).map(str::trim) {
            if !label.is_empty() && labels.iter().all(|known| **known != *label) {
                labels.push(label.into());
            }
        }
        Some(labels)
    }
}

/// Adds the id that a text is, if it is one.
fn push_id(ids: &mut IdList, text: &str) -> Option<()> {
    match ids {
        IdList::Integers(all) => all.push(text.parse().or_else(|_| text.trim().parse()).ok()?),
        IdList::Texts(all) if !text.is_empty() => all.push(text.into()),
        IdList::Texts(_) => return None,
    }
    Some(())
}

/// The last id as a property.
fn last_id(ids: &IdList) -> Option<Value> {
    Some(match ids {
        IdList::Integers(all) => Value::Integer(*all.last()?),
        IdList::Texts(all) => Value::Text(Arc::clone(all.last()?)),
    })
}
