//! Finding nodes without a neighbor, and relationships without a node.

use std::ops::Bound;

use evergraph_functions::{Datum, operators};
use evergraph_planner::{Expression, Population, Relationships, ScanTest, Seek, Slot};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Comparison, EntityKind, Filter, NodeId, Test};
use evergraph_property_graph::index::KeyRange;
use evergraph_syntax::tree::Comparison as Written;

use super::{Flow, Leaf, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::Row;

/// The subject of a scan.
#[derive(Clone, Copy)]
pub(super) enum Scanned<'s> {
    /// Nodes, where they go, and their label.
    Nodes(Slot, Option<&'s str>),
    /// Relationships with their ends.
    Relationships(&'s Relationships),
}

/// A scan of nodes or relationships.
pub(super) struct Scan<'s> {
    pub(super) of: Scanned<'s>,
    /// What their properties pass.
    pub(super) tests: &'s [ScanTest],
    /// Conditions of the filter above.
    pub(super) conditions: &'s [Expression],
    /// The morsels, if threads share them.
    pub(super) leaf: Option<Leaf<'s>>,
}

/// The id that a number is equal to.
pub(super) fn number_of(id: &Datum) -> Option<u32> {
    match id {
        Datum::Value(Value::Integer(id)) => u32::try_from(*id).ok(),
        Datum::Value(Value::Float(id)) if id.fract() == 0.0 => u32::try_from(*id as i64).ok(),
        _ => None,
    }
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
    /// Each row with each node or relationship of a scan that satisfies the conditions above
    /// it, morsel by morsel, or those morsels that no other thread takes.
    pub(super) fn scan(&self, scan: &Scan<'_>, batch: &Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        let (kind, filter) = match scan.of {
            Scanned::Nodes(_, label) => (EntityKind::Node, self.graph.labelled(label)),
            Scanned::Relationships(found) => {
                let filter = self.graph.of_types(&found.step.types);
                (EntityKind::Relationship, filter)
            }
        };
        let Some(of_subject) = filter else {
            return Ok(Flow::Continue);
        };
        let reader = self.graph.reader();
        let morsels = reader.morsels(kind);
        for at in 0..batch.len() {
            if self.is_closed(batch, at) {
                continue;
            }
            let (filter, left) = self.tested(of_subject.clone(), scan, &mut Row::new(batch, at))?;
            let mut push = |ids: Vec<u32>| {
                let made = match scan.of {
                    Scanned::Nodes(slot, _) => {
                        let mut made = batch.repeated(at, ids.len());
                        made.set(slot, Column::Nodes(ids));
                        made
                    }
                    Scanned::Relationships(found) => self.with_ends(found, batch, at, ids)?,
                };
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
                if ids.is_empty() {
                    ids.reserve(BATCH);
                }
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
                if pushed > 0 && self.is_closed(batch, at) {
                    ids.clear();
                    break;
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
        let slot = match scan.of {
            Scanned::Nodes(node, _) => node,
            Scanned::Relationships(found) => found.step.relationship,
        };
        let mut left: Vec<&Expression> = scan.conditions.iter().collect();
        for test in scan.tests {
            // An error is one only if there are rows: what is left meets it.
            if let (Some(key), Ok(Datum::Value(value))) =
                (self.graph.key(&test.key), self.value(&test.value, row))
            {
                let comparison = comparison_of(test.comparison);
                filter = filter.and(key, Test::Compares(comparison, value));
                left.retain(|condition| !test.is(condition, slot));
            }
        }
        Ok((filter, left))
    }

    /// The node of an id, if there is one.
    pub(super) fn by_id(&self, id: &Datum) -> Result<Vec<u32>> {
        match number_of(id) {
            Some(id) if self.graph.has_node(NodeId(id))? => Ok(vec![id]),
            _ => Ok(Vec::new()),
        }
    }

    /// The nodes of a list of ids, each once.
    pub(super) fn by_ids(&self, ids: &Datum) -> Result<Vec<u32>> {
        // What is no list is an error of the condition.
        operators::is_in(&Datum::NULL, ids)?;
        let Some(elements) = ids.elements() else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for element in elements.iter() {
            let id = match element {
                Datum::Value(Value::Text(text)) => text.parse().ok().map(Value::Integer),
                Datum::Value(value) => Some(value.clone()),
                _ => None,
            };
            if let Some(id) = id {
                found.extend(self.by_id(&Datum::Value(id))?);
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Nodes or relationships that an index has.
    pub(super) fn seek(
        &self,
        of: Population<'_>,
        seek: &Seek,
        row: &mut Row<'_>,
    ) -> Result<Vec<u32>> {
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
                Ok(self.graph.find(of, &properties)?)
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
                        ids.extend(self.graph.find(of, &[(&**key, value)])?);
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
                let range = KeyRange::between(&[], from.as_ref(), to.as_ref());
                let ids = self.graph.find_in(of, key, &range)?;
                self.compared(of, key, [from, to], ids)
            }
            Seek::Prefix(key, prefix) => match self.value(prefix, row)? {
                Datum::Value(Value::Text(prefix)) => {
                    let range = KeyRange::starting_with(&[], &prefix);
                    Ok(self.graph.find_in(of, key, &range)?)
                }
                _ => Ok(Vec::new()),
            },
        }
    }

    /// Those whose property compares with the bounds of a range: an index orders all
    /// values, and not all that are ordered compare.
    fn compared(
        &self,
        of: Population<'_>,
        key: &str,
        bounds: [Bound<Value>; 2],
        ids: Vec<u32>,
    ) -> Result<Vec<u32>> {
        let [from, to] = bounds;
        let tests = [
            (from, Comparison::GreaterOrEqual, Comparison::Greater),
            (to, Comparison::LessOrEqual, Comparison::Less),
        ];
        let tests: Vec<Test> = tests
            .into_iter()
            .filter_map(|(bound, with, without)| match bound {
                Bound::Included(value) => Some(Test::Compares(with, value)),
                Bound::Excluded(value) => Some(Test::Compares(without, value)),
                Bound::Unbounded => None,
            })
            .filter(|test| match test {
                Test::Compares(_, value) => matches!(
                    value,
                    Value::List(_)
                        | Value::Map(_)
                        | Value::Bytes(_)
                        | Value::Duration(_)
                        | Value::Point(_)
                ),
                _ => false,
            })
            .collect();
        let (Some(code), false) = (self.graph.key(key), tests.is_empty()) else {
            return Ok(ids);
        };
        let kind = match of {
            Population::Type(_) => EntityKind::Relationship,
            Population::Nodes | Population::Label(_) => EntityKind::Node,
        };
        let values = self.graph.gather(kind, &ids, code)?;
        let holds = |row: usize| tests.iter().all(|test| test.holds(&values.get(row)));
        let kept = ids.iter().enumerate().filter(|(row, _)| holds(*row));
        Ok(kept.map(|(_, &id)| id).collect())
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
