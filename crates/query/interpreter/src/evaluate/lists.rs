//! Expressions over the elements of lists, and over the rows of subqueries.

use std::sync::Arc;

use evergraph_functions::operators::{self, Binary, Growing, boolean};
use evergraph_functions::{Datum, Elements};
use evergraph_planner::{Comprehension, Expression, Quantified, Reduce, Slot, Subquery};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_syntax::tree::{Labels, Name, Operator as Sign, Quantity, SubqueryKind};
use evergraph_syntax::with_article;

use super::{Result, Row, of_sign};
use crate::QueryError;
use crate::batch::{Batch, bytes_of};
use crate::run::{Flow, Run};

impl Run<'_, '_> {
    /// Calls `value` while a variable has a value.
    fn within<T>(
        &self,
        row: &mut Row<'_>,
        variable: Slot,
        datum: Datum,
        value: impl FnOnce(&mut Row<'_>) -> Result<T>,
    ) -> Result<T> {
        row.locals.push((variable, datum));
        let result = value(row);
        row.locals.pop();
        result
    }

    pub(super) fn comprehension(&self, of: &Comprehension, row: &mut Row<'_>) -> Result<Datum> {
        let list = self.value(&of.list, row)?;
        let Some(elements) = elements_of(&list)? else {
            return Ok(Datum::NULL);
        };
        let mut made = Vec::new();
        let mut account = self.guard.account("a list");
        for element in elements.iter() {
            self.step()?;
            let kept = self.within(row, of.variable, element.clone(), |row| {
                if let Some(filter) = &of.filter
                    && boolean(&self.value(filter, row)?)? != Some(true)
                {
                    return Ok(None);
                }
                match &of.value {
                    Some(value) => self.value(value, row).map(Some),
                    None => Ok(Some(element)),
                }
            })?;
            if let Some(kept) = kept {
                account.grow(size_of::<Datum>() + bytes_of(&kept))?;
                made.push(kept);
            }
        }
        Ok(Datum::list(made))
    }

    pub(super) fn quantified(&self, of: &Quantified, row: &mut Row<'_>) -> Result<Datum> {
        let list = self.value(&of.list, row)?;
        let Some(elements) = elements_of(&list)? else {
            return Ok(Datum::NULL);
        };
        let (mut truths, mut unknown) = (0usize, 0usize);
        let count = elements.len();
        for element in elements.iter() {
            self.step()?;
            let truth = self.within(row, of.variable, element, |row| {
                Ok(boolean(&self.value(&of.filter, row)?)?)
            })?;
            match truth {
                Some(true) => truths += 1,
                Some(false) => {}
                None => unknown += 1,
            }
        }
        let lies = count - truths - unknown;
        Ok(Datum::truth(match of.quantity {
            Quantity::All if lies > 0 => Some(false),
            Quantity::Any if truths > 0 => Some(true),
            Quantity::None if truths > 0 => Some(false),
            Quantity::Single if truths > 1 => Some(false),
            _ if unknown > 0 => None,
            Quantity::All => Some(true),
            Quantity::Any => Some(false),
            Quantity::None => Some(true),
            Quantity::Single => Some(truths == 1),
        }))
    }

    pub(super) fn reduce(&self, of: &Reduce, row: &mut Row<'_>) -> Result<Datum> {
        let mut value = self.value(&of.initial, row)?;
        let list = self.value(&of.list, row)?;
        let Some(elements) = elements_of(&list)? else {
            return Ok(Datum::NULL);
        };
        let appended = appended(of);
        let mut growing = appended.and_then(|_| Growing::new(&value));
        for element in elements.iter() {
            self.step()?;
            if let (Some(operands), Some(grown)) = (appended, &mut growing) {
                let operands = self.within(row, of.variable, element, |row| {
                    let operands = operands.iter();
                    let operands = operands
                        .map(|(sign, operand)| Ok((of_sign(*sign), self.value(operand, row)?)));
                    operands.collect::<Result<Vec<_>>>()
                })?;
                let left = self.grow(grown, &operands)?;
                if left.is_empty() {
                    continue;
                }
                value = growing.take().map_or(Datum::NULL, Growing::finish);
                for (operator, operand) in left {
                    value = operators::binary(*operator, &value, operand, &self.environment)?;
                }
                continue;
            }
            let before = value.clone();
            value = self.within(row, of.accumulator, value, |row| {
                self.within(row, of.variable, element, |row| self.value(&of.step, row))
            })?;
            if !is_same_list(&before, &value) && value.is_deeper(Datum::DEEPEST) {
                return Err(too_deep());
            }
        }
        Ok(growing.map_or(value, Growing::finish))
    }

    /// Puts operands behind a list or a text; gives those from the first on that do not
    /// leave it one.
    fn grow<'o>(
        &self,
        grown: &mut Growing,
        operands: &'o [(Binary, Datum)],
    ) -> Result<&'o [(Binary, Datum)]> {
        for (place, (operator, operand)) in operands.iter().enumerate() {
            self.step()?;
            // The elements of a list lie no deeper than they did.
            let most = Datum::DEEPEST - usize::from(operand.elements().is_none());
            if operand.is_deeper(most) {
                return Err(too_deep());
            }
            if !grown.add(*operator, operand, &self.environment)? {
                return Ok(&operands[place..]);
            }
        }
        Ok(&[])
    }

    /// Answers a question about the rows of another plan.
    pub(super) fn subquery(&self, of: &Subquery, argument: &Batch) -> Result<Datum> {
        let mut count = 0usize;
        let mut collected = Vec::new();
        let mut account = self.guard.account("a list");
        self.run(&of.plan, argument.row_alone(0), &mut |batch| {
            count += batch.len();
            match (of.kind, of.value) {
                (SubqueryKind::Exists, _) if count > 0 => Ok(Flow::Stop),
                (SubqueryKind::Collect, Some(slot)) => {
                    account.add(size_of_list(&batch, slot))?;
                    collected.extend((0..batch.len()).map(|row| batch.get(slot, row)));
                    Ok(Flow::Continue)
                }
                _ => Ok(Flow::Continue),
            }
        })?;
        Ok(match of.kind {
            SubqueryKind::Exists => (count > 0).into(),
            SubqueryKind::Count => i64::try_from(count).unwrap_or(i64::MAX).into(),
            SubqueryKind::Collect => Datum::list(collected),
        })
    }

    /// Whether a node has labels, or a relationship a type; null of null.
    pub(crate) fn has_labels(&self, of: &Datum, labels: &Labels) -> Result<Option<bool>> {
        match of {
            Datum::Node(id) => {
                let names = self.environment.entities.labels(NodeId(id.0))?;
                let has = |name: &str| names.iter().any(|one| **one == *name);
                Ok(Some(satisfy(labels, !names.is_empty(), &has)))
            }
            Datum::Relationship(id) => {
                let kind = self
                    .environment
                    .entities
                    .relationship_type(RelationshipId(id.0))?;
                Ok(Some(satisfy(labels, true, &|name| *kind == *name)))
            }
            other if other.is_null() => Ok(None),
            other => {
                let message = format!("{} has no labels", with_article(other.type_name()));
                Err(QueryError::type_error(message))
            }
        }
    }

    /// As [`Run::has_labels`], of labels that a value names.
    pub(super) fn has_computed(
        &self,
        of: &Datum,
        names: &Datum,
        any: bool,
    ) -> Result<Option<bool>> {
        match of.is_null() {
            true => Ok(None),
            false => self.has_labels(of, &labels_named(names, any)?),
        }
    }
}

/// Labels that a value names.
pub(super) fn labels_named(names: &Datum, any: bool) -> Result<Labels> {
    let names = computed_names(names)?;
    let mut parts: Vec<Labels> = names
        .iter()
        .map(|name| Labels::Name(Name::new(&**name)))
        .collect();
    Ok(match (parts.len(), any) {
        (1, _) => parts.remove(0),
        (_, true) => Labels::Or(parts),
        (_, false) => Labels::And(parts),
    })
}

/// Names of labels or types that are computed, sorted, each once.
pub(crate) fn computed_names(of: &Datum) -> Result<Vec<Arc<str>>> {
    let name = |datum: &Datum| match datum {
        Datum::Value(Value::Text(name)) => Ok(Arc::clone(name)),
        other => {
            let found = with_article(other.type_name());
            let message = format!("$(...) takes a STRING or a LIST of them, not {found}");
            Err(QueryError::type_error(message))
        }
    };
    let Some(elements) = of.elements() else {
        return Ok(vec![name(of)?]);
    };
    let names = elements.iter().map(|element| name(&element));
    let mut names: Vec<Arc<str>> = names.collect::<Result<_>>()?;
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Elements of a list; `None` of null.
fn elements_of(list: &Datum) -> Result<Option<Elements<'_>>> {
    match list.elements() {
        Some(elements) => Ok(Some(elements)),
        None if list.is_null() => Ok(None),
        None => {
            let message = format!("expected a LIST, found {}", with_article(list.type_name()));
            Err(QueryError::type_error(message))
        }
    }
}

/// Bytes that the values of a slot have in lists, about.
pub(crate) fn size_of_list(batch: &Batch, slot: Slot) -> usize {
    batch.len() * size_of::<Datum>() + batch.column(slot).bytes()
}

/// Operands that a fold puts behind its accumulator in each step, if it does nothing else.
fn appended(of: &Reduce) -> Option<&[(Sign, Expression)]> {
    fn may_read(of: &Expression, slot: Slot) -> bool {
        match of {
            Expression::Slot(read) => *read == slot,
            Expression::Subquery(_) | Expression::Path(_) => true,
            other => other.children().into_iter().any(|one| may_read(one, slot)),
        }
    }
    let Expression::Arithmetic(first, operands) = &of.step else {
        return None;
    };
    let is_appended = |(sign, operand): &(Sign, Expression)| {
        matches!(sign, Sign::Add | Sign::Concatenate) && !may_read(operand, of.accumulator)
    };
    let is_first = **first == Expression::Slot(of.accumulator);
    (is_first && operands.iter().all(is_appended)).then_some(operands)
}

fn too_deep() -> QueryError {
    let deepest = Datum::DEEPEST;
    let message = format!("lists and maps lie more than {deepest} deep within each other");
    QueryError::runtime("ResourceError", "TooDeep", message)
}

fn is_same_list(one: &Datum, other: &Datum) -> bool {
    match (one, other) {
        (Datum::List(one), Datum::List(other)) => Arc::ptr_eq(one, other),
        (Datum::Value(Value::List(one)), Datum::Value(Value::List(other))) => {
            Arc::ptr_eq(one, other)
        }
        _ => false,
    }
}

/// Whether labels are there, of which `has` says.
pub(super) fn satisfy(labels: &Labels, has_any: bool, has: &dyn Fn(&str) -> bool) -> bool {
    match labels {
        Labels::Name(name) => has(&name.text),
        Labels::Any => has_any,
        Labels::Computed(never) => match *never {},
        Labels::Not(inner) => !satisfy(inner, has_any, has),
        Labels::And(parts) => parts.iter().all(|part| satisfy(part, has_any, has)),
        Labels::Or(parts) => parts.iter().any(|part| satisfy(part, has_any, has)),
    }
}
