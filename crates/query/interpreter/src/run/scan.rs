//! Finding nodes without a neighbor.

use std::ops::Bound;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Seek, Slot};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{EntityKind, GraphRead, NodeId};
use evergraph_property_graph::index::KeyRange;

use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::Row;

impl Run<'_, '_> {
    /// Each row with each node of a label, morsel by morsel.
    pub(super) fn scan(
        &self,
        node: Slot,
        label: Option<&str>,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let Some(filter) = self.graph.labelled(label) else {
            return Ok(Flow::Continue);
        };
        let reader = self.graph.reader();
        let morsels = reader.morsels(EntityKind::Node);
        let mut ids = Vec::new();
        for at in 0..batch.len() {
            for morsel in morsels.iter() {
                self.guard.check()?;
                ids.clear();
                reader.scan(&morsel, &filter, &mut ids, self.graph.account())?;
                self.graph.account().release(4 * ids.len() as u64);
                for ids in ids.chunks(BATCH) {
                    let mut made = batch.repeated(at, ids.len());
                    made.set(node, Column::Nodes(ids.to_vec()));
                    if sink(made)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// The node of an id, if there is one.
    pub(super) fn by_id(&self, id: &Datum) -> Result<Vec<u32>> {
        let Datum::Value(Value::Integer(id)) = id else {
            return Ok(Vec::new());
        };
        match u32::try_from(*id) {
            Ok(id) if self.graph.has_node(NodeId(id))? => Ok(vec![id]),
            _ => Ok(Vec::new()),
        }
    }

    /// Nodes that an index has.
    pub(super) fn seek(&self, label: &str, seek: &Seek, row: &mut Row<'_>) -> Result<Vec<u32>> {
        match seek {
            Seek::Equal(values) => {
                let mut properties = Vec::with_capacity(values.len());
                for (key, value) in values {
                    // Nothing else equals a property.
                    let Datum::Value(value) = self.value(value, row)? else {
                        return Ok(Vec::new());
                    };
                    if value.is_null() {
                        return Ok(Vec::new());
                    }
                    properties.push((&**key, value));
                }
                Ok(self.graph.find(label, &properties)?)
            }
            Seek::AnyOf(key, list) => {
                let list = self.value(list, row)?;
                let Some(elements) = list.elements() else {
                    return Ok(Vec::new());
                };
                let mut ids = Vec::new();
                for element in elements.iter() {
                    if let Datum::Value(value) = element
                        && !value.is_null()
                    {
                        ids.extend(self.graph.find(label, &[(&**key, value)])?);
                    }
                }
                // A list may have a value twice.
                ids.sort_unstable();
                ids.dedup();
                Ok(ids)
            }
            Seek::Range(key, from, to) => {
                let from = self.bound(from.as_ref(), row)?;
                let to = self.bound(to.as_ref(), row)?;
                let (Some(from), Some(to)) = (from, to) else {
                    return Ok(Vec::new());
                };
                let ids = self.graph.find_between(label, key, from.as_ref(), to.as_ref())?;
                Ok(ids)
            }
            Seek::Prefix(key, prefix) => match self.value(prefix, row)? {
                Datum::Value(Value::Text(prefix)) => {
                    let range = KeyRange::starting_with(&[], &prefix);
                    Ok(self.graph.find_in(label, key, &range)?)
                }
                _ => Ok(Vec::new()),
            },
        }
    }

    /// A bound of a range; `None` if nothing is within it.
    fn bound(
        &self,
        bound: Option<&(Expression, bool)>,
        row: &mut Row<'_>,
    ) -> Result<Option<Bound<Value>>> {
        let Some((value, with)) = bound else {
            return Ok(Some(Bound::Unbounded));
        };
        Ok(match (self.value(value, row)?, with) {
            (Datum::Value(Value::Null), _) => None,
            (Datum::Value(value), true) => Some(Bound::Included(value)),
            (Datum::Value(value), false) => Some(Bound::Excluded(value)),
            _ => None,
        })
    }
}
