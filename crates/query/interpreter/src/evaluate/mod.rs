//! Expressions, of one row.

mod choices;
mod columns;
mod lists;
mod members;
mod parts;
mod path;
#[cfg(test)]
mod tests;

pub(crate) use columns::{Gathered, Held, Over};
pub(crate) use lists::{computed_names, size_of_list};
pub(crate) use members::Asked;
pub(crate) use parts::{numbers, operand_of};

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::functions::{Function, Range};
use evergraph_functions::operators::{self, Binary, Unary, boolean};
use evergraph_functions::{Datum, functions};
use evergraph_planner::{Case, Constant, Expression, MapItem, MapProjection, Slot, Step};
use evergraph_property_graph::Value;
use evergraph_syntax::tree::{Comparison, Operator as Sign, TextTest, Typing};
use evergraph_syntax::with_article;

use crate::QueryError;
use crate::batch::Batch;
use crate::run::Run;

/// A row, with the variables of the expressions around one.
pub(crate) struct Row<'b> {
    batch: &'b Batch,
    at: usize,
    locals: Vec<(Slot, Datum)>,
}

impl<'b> Row<'b> {
    pub(crate) fn new(batch: &'b Batch, at: usize) -> Self {
        Row {
            batch,
            at,
            locals: Vec::new(),
        }
    }

    /// Gives a variable a value, until as many are forgotten as were before.
    pub(crate) fn remember(&mut self, slot: Slot, datum: Datum) {
        self.locals.push((slot, datum));
    }

    /// Forgets the variables that were given values last.
    pub(crate) fn forget(&mut self, before: usize) {
        self.locals.truncate(before);
    }

    /// Number of variables that have been given values.
    pub(crate) fn remembered(&self) -> usize {
        self.locals.len()
    }

    fn get(&self, slot: Slot) -> Datum {
        let mut locals = self.locals.iter().rev();
        match locals.find(|(local, _)| *local == slot) {
            Some((_, datum)) => datum.clone(),
            None => self.batch.get(slot, self.at),
        }
    }

    /// The row alone, as rows of a subquery see it.
    fn alone(&self) -> Batch {
        let mut batch = self.batch.row(self.at);
        for (slot, datum) in &self.locals {
            batch.set(*slot, crate::batch::Column::Same(datum.clone()));
        }
        batch
    }
}

type Result<T> = std::result::Result<T, QueryError>;

impl Run<'_, '_> {
    /// The value of an expression in one row.
    pub(crate) fn value(&self, of: &Expression, row: &mut Row<'_>) -> Result<Datum> {
        let environment = &self.environment;
        Ok(match of {
            Expression::Constant(constant) => of_constant(constant),
            Expression::Parameter(name) => self.parameter(name)?,
            Expression::Slot(slot) => row.get(*slot),
            Expression::List(items) => Datum::list(self.all(items, row)?),
            Expression::Map(entries) => {
                let mut map = BTreeMap::new();
                for (key, value) in entries {
                    map.insert(Arc::clone(key), self.value(value, row)?);
                }
                Datum::map(map)
            }
            Expression::Access(of, steps) => {
                let mut datum = self.value(of, row)?;
                for step in steps {
                    datum = self.accessed(&datum, step, row)?;
                }
                datum
            }
            Expression::Negative(of) => operators::unary(Unary::Minus, &self.value(of, row)?)?,
            Expression::Positive(of) => operators::unary(Unary::Plus, &self.value(of, row)?)?,
            Expression::Arithmetic(first, others) => {
                let mut datum = self.value(first, row)?;
                for (sign, operand) in others {
                    let operand = self.value(operand, row)?;
                    datum = operators::binary(of_sign(*sign), &datum, &operand, environment)?;
                }
                datum
            }
            Expression::Tested(test, pair) => {
                let (left, right) = (self.value(&pair[0], row)?, self.value(&pair[1], row)?);
                operators::binary(of_test(*test), &left, &right, environment)?
            }
            Expression::In(pair) => {
                let (left, right) = (self.value(&pair[0], row)?, self.value(&pair[1], row)?);
                Datum::truth(self.is_in(&left, &right)?)
            }
            Expression::IsNull(of) => self.value(of, row)?.is_null().into(),
            Expression::IsNotNull(of) => (!self.value(of, row)?.is_null()).into(),
            Expression::Typed(Typing::Is, of, to) => {
                operators::is_typed(&self.value(of, row)?, to).into()
            }
            Expression::Typed(Typing::Cast, of, to) => {
                operators::cast(&self.value(of, row)?, to, environment)?
            }
            Expression::Labelled(of, labels) => {
                let datum = self.value(of, row)?;
                Datum::truth(self.has_labels(&datum, labels)?)
            }
            Expression::LabelledBy(pair, any) => {
                let (of, names) = (self.value(&pair[0], row)?, self.value(&pair[1], row)?);
                Datum::truth(self.has_computed(&of, &names, *any)?)
            }
            Expression::Comparison(first, others) => self.comparison(first, others, row)?,
            Expression::Not(of) => operators::unary(Unary::Not, &self.value(of, row)?)?,
            Expression::And(parts) => {
                let mut truth = Some(true);
                for part in parts {
                    truth = operators::and(truth, boolean(&self.value(part, row)?)?);
                    if truth == Some(false) {
                        break;
                    }
                }
                Datum::truth(truth)
            }
            Expression::Or(parts) => {
                let mut truth = Some(false);
                for part in parts {
                    truth = operators::or(truth, boolean(&self.value(part, row)?)?);
                    if truth == Some(true) {
                        break;
                    }
                }
                Datum::truth(truth)
            }
            Expression::Xor(parts) => {
                let mut truth = Some(false);
                for part in parts {
                    truth = operators::xor(truth, boolean(&self.value(part, row)?)?);
                }
                Datum::truth(truth)
            }
            Expression::Call(name, arguments) => self.call_function(name, arguments, row)?,
            Expression::Case(case) => self.case(case, row)?,
            Expression::Comprehension(list) => self.comprehension(list, row)?,
            Expression::Quantified(quantified) => self.quantified(quantified, row)?,
            Expression::Reduce(reduce) => self.reduce(reduce, row)?,
            Expression::MapProjection(projection) => self.map_projection(projection, row)?,
            Expression::Subquery(subquery) => self.subquery(subquery, &row.alone())?,
            Expression::Path(slots) => self.path(slots, row)?,
        })
    }

    fn all(&self, of: &[Expression], row: &mut Row<'_>) -> Result<Vec<Datum>> {
        of.iter().map(|one| self.value(one, row)).collect()
    }

    /// A parameter's value.
    pub(crate) fn parameter(&self, name: &str) -> Result<Datum> {
        match self.parameters.get(name) {
            Some(datum) => Ok(datum.clone()),
            None => Err(QueryError::runtime(
                "ParameterMissing",
                "MissingParameter",
                format!("parameter ${name} is not given"),
            )),
        }
    }

    fn accessed(&self, datum: &Datum, step: &Step, row: &mut Row<'_>) -> Result<Datum> {
        Ok(match step {
            Step::Property(key) => operators::property(datum, key, &self.environment)?,
            Step::Index(index) => {
                let index = self.value(index, row)?;
                operators::index(datum, &index, &self.environment)?
            }
            Step::Slice(from, to) => {
                let from = from
                    .as_ref()
                    .map(|from| self.value(from, row))
                    .transpose()?;
                let to = to.as_ref().map(|to| self.value(to, row)).transpose()?;
                operators::slice(datum, from.as_ref(), to.as_ref())?
            }
        })
    }

    /// `a < b <= c`: all of the comparisons.
    fn comparison(
        &self,
        first: &Expression,
        others: &[(Comparison, Expression)],
        row: &mut Row<'_>,
    ) -> Result<Datum> {
        let mut left = self.value(first, row)?;
        let mut truth = Some(true);
        for (comparison, operand) in others {
            let right = self.value(operand, row)?;
            let one = operators::compare(of_comparison(*comparison), &left, &right);
            truth = operators::and(truth, one);
            left = right;
        }
        Ok(Datum::truth(truth))
    }

    fn call_function(
        &self,
        name: &Arc<str>,
        arguments: &[Expression],
        row: &mut Row<'_>,
    ) -> Result<Datum> {
        // The others are not evaluated.
        if &**name == "coalesce" {
            for argument in arguments {
                let datum = self.value(argument, row)?;
                if !datum.is_null() {
                    return Ok(datum);
                }
            }
            return Ok(Datum::NULL);
        }
        let arguments = self.all(arguments, row)?;
        self.work(arguments.iter().map(length_of).sum())?;
        let function = self.function(name)?;
        Ok(functions::call(function, &arguments, &self.environment)?)
    }

    /// The integers of a call of `range`; `None` if the expression is another, or null.
    pub(crate) fn range(&self, of: &Expression, row: &mut Row<'_>) -> Result<Option<Range>> {
        match of {
            Expression::Call(name, arguments) if &**name == "range" => {
                let arguments = self.all(arguments, row)?;
                Ok(functions::range_of(self.function(name)?, &arguments)?)
            }
            _ => Ok(None),
        }
    }

    /// A function by its name in the plan; looked up once.
    fn function(&self, name: &Arc<str>) -> Result<&'static Function> {
        let mut known = self.functions.borrow_mut();
        let mut names = known.iter();
        if let Some((_, function)) = names.find(|(known, _)| Arc::ptr_eq(known, name)) {
            return Ok(function);
        }
        let function = functions::find(name)?;
        known.push((Arc::clone(name), function));
        Ok(function)
    }

    fn case(&self, case: &Case, row: &mut Row<'_>) -> Result<Datum> {
        let operand = case.operand.as_ref();
        let operand = operand
            .map(|operand| self.value(operand, row))
            .transpose()?;
        for (when, then) in &case.branches {
            for when in when {
                let value = when.value().map(|value| self.value(value, row));
                let value = value.transpose()?.unwrap_or_default();
                let holds = match &operand {
                    Some(operand) => choices::passes(operand, when, &value, &self.environment)?,
                    None => boolean(&value)?,
                };
                if holds == Some(true) {
                    return self.value(then, row);
                }
            }
        }
        match &case.otherwise {
            Some(otherwise) => self.value(otherwise, row),
            None => Ok(Datum::NULL),
        }
    }

    fn map_projection(&self, projection: &MapProjection, row: &mut Row<'_>) -> Result<Datum> {
        let source = self.value(&projection.source, row)?;
        if source.is_null() {
            return Ok(Datum::NULL);
        }
        let mut map = BTreeMap::new();
        for item in &projection.items {
            match item {
                MapItem::All => map.extend(self.entries(&source)?),
                MapItem::Property(key) => {
                    let value = operators::property(&source, key, &self.environment)?;
                    map.insert(Arc::clone(key), value);
                }
                MapItem::Entry(key, value) => {
                    map.insert(Arc::clone(key), self.value(value, row)?);
                }
            }
        }
        Ok(Datum::map(map))
    }

    /// Keys and values of a map, node or relationship.
    pub(crate) fn entries(&self, of: &Datum) -> Result<BTreeMap<Arc<str>, Datum>> {
        if let Some(entries) = of.entries() {
            return Ok(entries);
        }
        let entries = match of {
            Datum::Node(id) => self.environment.entities.properties((*id).into())?,
            Datum::Relationship(id) => self.environment.entities.properties((*id).into())?,
            other => {
                let message = format!("{} has no keys and values", with_article(other.type_name()));
                return Err(QueryError::type_error(message));
            }
        };
        let entries = entries.into_iter();
        Ok(entries
            .map(|(key, value)| (key, Datum::Value(value)))
            .collect())
    }
}

/// Steps of work that a function has with an argument, about.
fn length_of(datum: &Datum) -> usize {
    /// Bytes of text that are done as fast as an element of a list.
    const BYTES: usize = 64;
    match datum {
        Datum::Value(Value::Text(text)) => text.len() / BYTES,
        Datum::Value(Value::List(values)) => values.len(),
        Datum::List(data) => data.len(),
        _ => 1,
    }
}

fn of_constant(constant: &Constant) -> Datum {
    Datum::Value(match constant {
        Constant::Null => Value::Null,
        Constant::Boolean(value) => Value::Boolean(*value),
        Constant::Integer(value) => Value::Integer(*value),
        Constant::Float(value) => Value::Float(*value),
        Constant::Text(value) => Value::Text(Arc::clone(value)),
    })
}

fn of_sign(sign: Sign) -> Binary {
    match sign {
        Sign::Add => Binary::Add,
        Sign::Subtract => Binary::Subtract,
        Sign::Concatenate => Binary::Concatenate,
        Sign::Multiply => Binary::Multiply,
        Sign::Divide => Binary::Divide,
        Sign::Modulo => Binary::Modulo,
        Sign::Power => Binary::Power,
    }
}

fn of_test(test: TextTest) -> Binary {
    match test {
        TextTest::StartsWith => Binary::StartsWith,
        TextTest::EndsWith => Binary::EndsWith,
        TextTest::Contains => Binary::Contains,
        TextTest::Matches => Binary::Matches,
    }
}

fn of_comparison(comparison: Comparison) -> Binary {
    match comparison {
        Comparison::Equal => Binary::Equal,
        Comparison::Unequal => Binary::Unequal,
        Comparison::Less => Binary::Less,
        Comparison::LessOrEqual => Binary::LessOrEqual,
        Comparison::Greater => Binary::Greater,
        Comparison::GreaterOrEqual => Binary::GreaterOrEqual,
    }
}
