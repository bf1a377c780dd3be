//! Expressions over whole columns: properties are read for many rows at a time.

use evergraph_functions::Datum;
use evergraph_functions::operators::{self, boolean};
use evergraph_planner::Expression;
use evergraph_property_graph::LabelCode;
use evergraph_property_graph::graph::EntityKind;
use evergraph_property_graph::vector::Vector;
use evergraph_syntax::tree::Labels;

use super::lists::satisfy;
use super::{Result, Row, of_comparison};
use crate::batch::{Batch, Column, NO_ID};
use crate::run::Run;

impl Run<'_, '_> {
    /// A property of the nodes or relationships of a column; `None` if that is not what
    /// is asked for, or some of them need a closer look.
    fn vector(&self, of: &Expression, batch: &Batch) -> Result<Option<Vector>> {
        let Some((slot, key)) = of.as_property() else {
            return Ok(None);
        };
        let (kind, ids) = match batch.column(slot) {
            Column::Nodes(ids) => (EntityKind::Node, ids),
            Column::Relationships(ids) => (EntityKind::Relationship, ids),
            _ => return Ok(None),
        };
        if ids.contains(&NO_ID) || self.graph.has_deleted(kind) {
            return Ok(None);
        }
        match self.graph.key(key) {
            None => Ok(Some(Vector::nulls(ids.len()))),
            Some(key) => Ok(Some(self.graph.gather(kind, ids, key)?)),
        }
    }

    /// Values of a property; `None` if the expression is another.
    pub(super) fn gathered(&self, of: &Expression, batch: &Batch) -> Result<Option<Vec<Datum>>> {
        let Some(vector) = self.vector(of, batch)? else {
            return Ok(None);
        };
        let rows = 0..vector.len();
        Ok(Some(
            rows.map(|row| Datum::Value(vector.get(row))).collect(),
        ))
    }

    /// Which nodes have labels.
    fn labelled(&self, labels: &Labels, ids: &[u32]) -> Result<Vec<bool>> {
        let reader = self.graph.reader();
        let mut names = Vec::new();
        names_in(labels, &mut names);
        let codes = names
            .into_iter()
            .map(|name| (name, reader.label_code(name)));
        let codes: Vec<(&str, Option<LabelCode>)> = codes.collect();
        let found = reader.labels(ids, self.graph.account())?;
        self.graph.account().release(found.bytes() as u64);
        let holds = (0..ids.len()).map(|row| {
            let own = found.get(row);
            let has = |name: &str| {
                let code = codes.iter().find(|(known, _)| *known == name);
                code.and_then(|(_, code)| *code)
                    .is_some_and(|code| own.contains(&code))
            };
            satisfy(labels, !own.is_empty(), &has)
        });
        Ok(holds.collect())
    }

    /// The rows that satisfy a condition, of some.
    pub(crate) fn satisfying(
        &self,
        condition: &Expression,
        batch: &Batch,
        rows: Vec<u32>,
    ) -> Result<Vec<u32>> {
        if let Expression::Comparison(left, others) = condition
            && let [(comparison, right)] = others.as_slice()
            && rows.len() == batch.len()
            && let Some(vector) = self.vector(left, batch)?
        {
            let comparison = of_comparison(*comparison);
            let is_fixed = matches!(right, Expression::Constant(_) | Expression::Parameter(_));
            let fixed = match is_fixed && !rows.is_empty() {
                true => Some(self.value(right, &mut Row::new(batch, 0))?),
                false => None,
            };
            let mut kept = Vec::with_capacity(rows.len());
            for at in rows {
                let left = Datum::Value(vector.get(at as usize));
                let truth = match &fixed {
                    Some(right) => operators::compare(comparison, &left, right),
                    None => {
                        let right = self.value(right, &mut Row::new(batch, at as usize))?;
                        operators::compare(comparison, &left, &right)
                    }
                };
                if truth == Some(true) {
                    kept.push(at);
                }
            }
            return Ok(kept);
        }
        if let Expression::Labelled(of, labels) = condition
            && let Expression::Slot(slot) = **of
            && let Column::Nodes(ids) = batch.column(slot)
            && !ids.contains(&NO_ID)
            && !self.graph.has_deleted(EntityKind::Node)
        {
            let ids: Vec<u32> = rows.iter().map(|&at| ids[at as usize]).collect();
            let holds = self.labelled(labels, &ids)?;
            let pairs = rows.into_iter().zip(holds);
            return Ok(pairs
                .filter_map(|(at, holds)| holds.then_some(at))
                .collect());
        }
        let mut kept = Vec::with_capacity(rows.len());
        for at in rows {
            let value = self.value(condition, &mut Row::new(batch, at as usize))?;
            if boolean(&value)? == Some(true) {
                kept.push(at);
            }
        }
        Ok(kept)
    }
}

/// The names that an expression of labels is made of.
fn names_in<'l>(labels: &'l Labels, names: &mut Vec<&'l str>) {
    match labels {
        Labels::Name(name) => names.push(&name.text),
        Labels::Any => {}
        Labels::Not(inner) => names_in(inner, names),
        Labels::And(parts) | Labels::Or(parts) => {
            parts.iter().for_each(|part| names_in(part, names));
        }
    }
}
