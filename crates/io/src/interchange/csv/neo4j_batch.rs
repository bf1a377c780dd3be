//! Rows of CSV with Neo4j's header by column.

use std::io::BufRead;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::batch::{IdColumn, IdList, RowBatch};
use crate::interchange::cells::Cells;
use crate::interchange::csv::header::{self, Column};
use crate::interchange::{Contents, Id, Ids};

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
        let mut batch = self.empty_batch();
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

    fn empty_batch(&self) -> RowBatch {
        let id = |column: &header::IdColumn| IdColumn {
            space: Arc::clone(&column.space),
            ids: match column.ids {
                Ids::Integers => IdList::Integers(Vec::new()),
                Ids::Texts => IdList::Texts(Vec::new()),
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
            group_of: Vec::new(),
            columns: names.map(|name| (Arc::clone(name), Vec::new())).collect(),
            lines: Vec::new(),
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
        let (mut next_column, mut next_id) = (0, 0);
        let mut of_group = "";
        for (at, column) in self.header.columns.iter().enumerate() {
            let value = match column {
                Column::Id(id) | Column::Start(id) | Column::End(id) => {
                    let found = self.id(at, id.ids).ok()??;
                    let value = id.name.is_some().then(|| match &found {
                        Id::Integer(number) => Value::Integer(*number),
                        Id::Text(text) => Value::Text(Arc::clone(text)),
                    });
                    bytes += size_of::<Id>() + self.field(at).text.len();
                    // The source stands first in the batch, wherever its column is.
                    let place = match column {
                        Column::End(_) => 1,
                        _ => 0,
                    };
                    batch.ids[place].ids.push(found);
                    next_id += 1;
                    value
                }
                Column::Labels | Column::Type => {
                    of_group = self.field(at).text;
                    None
                }
                Column::Property(_, kind) => {
                    let value = self.value(at, *kind).ok()?.unwrap_or_default();
                    bytes += self.field(at).text.len();
                    Some(value)
                }
                Column::Ignore => None,
            };
            if let Some(value) = value {
                batch.columns[next_column].1.push(value);
                bytes += size_of::<Value>();
                next_column += 1;
            }
        }
        debug_assert_eq!(next_id, batch.ids.len(), "an id of each column");
        let group = self.group(batch, groups, of_group)?;
        batch.group_of.push(group);
        batch.bytes += bytes;
        batch.lines.push(self.records.line());
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
