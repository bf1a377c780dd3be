//! Finding nodes without a neighbor.

use std::ops::Bound;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, ScanTest, Seek, Slot};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Comparison, EntityKind, Filter, NodeId, Test};
use evergraph_property_graph::index::KeyRange;
use evergraph_syntax::tree::Comparison as Written;

use super::{Flow, Leaf, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::Row;

/// A scan of nodes.
pub(super) struct Scan<'s> {
    /// Where they go.
    pub(super) node: Slot,
    /// Their label.
    pub(super) label: Option<&'s str>,
    /// What their properties pass.
    pub(super) tests: &'s [ScanTest],
    /// Conditions of the filter above.
    pub(super) conditions: &'s [Expression],
    /// The morsels, if threads share them.
    pub(super) leaf: Option<Leaf<'s>>,
}

/// As the graph has it.
pub(crate) fn comparison_of(comparison: Written) -> Comparison {
    match comparison {
        Written::Equal => Comparison::Equal,
        Written::Unequal => Comparison::Unequal,
        Written::Less => Comparison::Less,
        Written::LessOrEqual => Comparison::LessOrEqual,
        Written::Greater => Comparison::Greater,
        Written::GreaterOrEqual => Comparison::GreaterOrEqual,
    }
}

impl Run<'_, '_> {
    /// Each row with each node of a scan that satisfies the conditions above it, morsel by
    /// morsel, or those morsels that no other thread takes.
    pub(super) fn scan(&self, scan: &Scan<'_>, batch: &Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        let Some(labelled) = self.graph.labelled(scan.label) else {
            return Ok(Flow::Continue);
        };
        let reader = self.graph.reader();
        let morsels = reader.morsels(EntityKind::Node);
        for at in 0..batch.len() {
            let (filter, left) = self.tested(labelled.clone(), scan, &mut Row::new(batch, at))?;
            let mut push = |ids: Vec<u32>| {
                let mut made = batch.repeated(at, ids.len());
                made.set(scan.node, Column::Nodes(ids));
                let filtered = match left.len() == scan.conditions.len() {
                    true => self.filtered(scan.conditions, made)?,
                    false => self.filtered_by(left.iter().copied(), made)?,
                };
                self.push(filtered, sink)
            };
            let (mut ids, mut pushed, mut number) = (Vec::new(), 0, 0);
            while let Some(morsel) = morsels.get(scan.leaf.map_or(number, |leaf| leaf.take())) {
                number += 1;
                self.guard.check()?;
                let before = ids.len();
                ids.reserve(BATCH);
                reader.scan(&morsel, &filter, &mut ids, self.graph.account())?;
                self.graph
                    .account()
                    .release(4 * (ids.len() - before) as u64);
                // The first rows go on soon: there may be a limit.
                while !ids.is_empty() && ids.len() >= BATCH.min(pushed) {
                    let rest = ids.split_off(ids.len().min(BATCH));
                    let part = std::mem::replace(&mut ids, rest);
                    pushed += part.len();
                    if push(part)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
            }
            if !ids.is_empty() && push(ids)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// A filter with the tests of a scan, as far as they can be decided there, and the
    /// conditions that are left.
    fn tested<'s>(
        &self,
        mut filter: Filter,
        scan: &Scan<'s>,
        row: &mut Row<'_>,
    ) -> Result<(Filter, Vec<&'s Expression>)> {
        let mut left: Vec<&Expression> = scan.conditions.iter().collect();
        for test in scan.tests {
            // An error is one only if there are rows: what is left meets it.
            if let (Some(key), Ok(Datum::Value(value))) =
                (self.graph.key(&test.key), self.value(&test.value, row))
            {
                let comparison = comparison_of(test.comparison);
                filter = filter.and(key, Test::Compares(comparison, value));
                left.retain(|condition| !test.is(condition, scan.node));
            }
        }
        Ok((filter, left))
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
                let ids = self
                    .graph
                    .find_between(label, key, from.as_ref(), to.as_ref())?;
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
