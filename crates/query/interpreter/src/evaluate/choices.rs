//! Expressions over columns that evaluate parts of themselves in some of the rows only:
//! logic, `CASE`, `coalesce`.

use evergraph_functions::operators::{self, Binary, boolean};
use evergraph_functions::{Datum, Environment, Types, functions};
use evergraph_planner::{Case, Expression};
use evergraph_property_graph::vector::{Validity, Values, Vector};
use evergraph_syntax::tree::{Predicate, When};

use super::columns::{Chosen, Over};
use super::{Result, of_comparison, of_test};
use crate::batch::Column;

/// Rows that are not decided yet, by their places among those that were chosen.
struct Open<'r> {
    chosen: Chosen<'r>,
    /// How many there were.
    all: usize,
    places: Vec<u32>,
}

impl<'r> Open<'r> {
    fn new(chosen: Chosen<'r>, all: usize) -> Self {
        Open {
            chosen,
            all,
            places: (0..all as u32).collect(),
        }
    }

    /// The rows of some places.
    fn rows(&self, places: &[u32]) -> Vec<u32> {
        match self.chosen {
            None => places.to_vec(),
            Some(rows) => places.iter().map(|&place| rows[place as usize]).collect(),
        }
    }

    /// Values of `evaluate` at some places.
    fn of<T>(&self, places: &[u32], evaluate: impl FnOnce(Chosen<'_>) -> Result<T>) -> Result<T> {
        match places.len() == self.all {
            true => evaluate(self.chosen),
            false => evaluate(Some(&self.rows(places))),
        }
    }
}

/// Parts of a column, each with the places of its rows.
#[derive(Default)]
struct Pieces {
    places: Vec<u32>,
    column: Column,
}

impl Pieces {
    fn add(&mut self, places: &[u32], column: Column) {
        let before = self.places.len();
        self.column.append(before, column, places.len());
        self.places.extend_from_slice(places);
    }

    /// All rows in their places.
    fn joined(self) -> Column {
        let mut order = vec![0; self.places.len()];
        for (at, &place) in self.places.iter().enumerate() {
            order[place as usize] = at as u32;
        }
        self.column.take(&order)
    }
}

/// Truth values of a column.
fn truths(column: &Column, rows: usize) -> Result<Vec<Option<bool>>> {
    if let Column::Vector(vector) = column
        && let Values::Boolean(truths) = vector.values()
    {
        let validity = vector.validity();
        let known = truths.iter().enumerate();
        return Ok(known
            .map(|(row, &truth)| validity.is_valid(row).then_some(truth))
            .collect());
    }
    (0..rows)
        .map(|row| Ok(boolean(&column.get(row))?))
        .collect()
}

fn of_truths(truths: &[Option<bool>]) -> Column {
    let mut validity = Validity::default();
    truths
        .iter()
        .for_each(|truth| validity.push(truth.is_some()));
    let values = truths.iter().map(|truth| truth.unwrap_or(false)).collect();
    Column::Vector(Vector::from_parts(Values::Boolean(values), validity))
}

/// Whether the operand of a `CASE` passes the test of an alternative, whose value is given.
pub(super) fn passes(
    operand: &Datum,
    when: &When<Expression>,
    value: &Datum,
    environment: &Environment<'_>,
) -> Result<Option<bool>> {
    let truth = match when {
        When::Value(_) => return Ok(operand.equals(value)),
        When::Compared(comparison, _) => {
            let operator = of_comparison(*comparison);
            return Ok(operators::compare(operator, operand, value));
        }
        When::Is { not, what } => {
            let truth = is(operand, what, environment)?;
            return Ok(truth.map(|truth| truth != *not));
        }
        When::Tested(test, _) => operators::binary(of_test(*test), operand, value, environment)?,
        When::In(_) => operators::binary(Binary::In, operand, value, environment)?,
    };
    Ok(boolean(&truth)?)
}

fn is(operand: &Datum, what: &Predicate, environment: &Environment<'_>) -> Result<Option<bool>> {
    Ok(match what {
        Predicate::Null => Some(operand.is_null()),
        Predicate::Typed(to) => Some(operators::is_typed(operand, to)),
        // As of STARTS WITH: it is not known of what is no text.
        Predicate::Normalized(_) if operand.types() != Types::STRING => None,
        Predicate::Normalized(form) => {
            let function = functions::find("isNormalized")?;
            let arguments = [operand.clone(), Datum::from(*form)];
            boolean(&functions::call(function, &arguments, environment)?)?
        }
    })
}

impl Over<'_, '_, '_> {
    /// `AND` and `OR`: what decides alone, false or true, ends the evaluation of a row.
    pub(super) fn logic(
        &self,
        parts: &[Expression],
        decisive: bool,
        chosen: Chosen<'_>,
    ) -> Result<Column> {
        let rows = self.rows(chosen);
        let mut open = Open::new(chosen, rows);
        let mut known = vec![Some(!decisive); rows];
        for part in parts {
            if open.places.is_empty() {
                break;
            }
            let found = open.of(&open.places, |chosen| {
                let column = self.column(part, chosen)?;
                truths(&column, self.rows(chosen))
            })?;
            for (&place, truth) in open.places.iter().zip(found) {
                let known = &mut known[place as usize];
                *known = match decisive {
                    false => operators::and(*known, truth),
                    true => operators::or(*known, truth),
                };
            }
            open.places
                .retain(|&place| known[place as usize] != Some(decisive));
        }
        Ok(of_truths(&known))
    }

    /// `XOR`
    pub(super) fn parity(&self, parts: &[Expression], chosen: Chosen<'_>) -> Result<Column> {
        let rows = self.rows(chosen);
        let mut known = vec![Some(false); rows];
        for part in parts {
            let found = truths(&*self.column(part, chosen)?, rows)?;
            for (known, truth) in known.iter_mut().zip(found) {
                *known = operators::xor(*known, truth);
            }
        }
        Ok(of_truths(&known))
    }

    pub(super) fn case(&self, case: &Case, chosen: Chosen<'_>) -> Result<Column> {
        let rows = self.rows(chosen);
        let mut open = Open::new(chosen, rows);
        let operand = case.operand.as_ref();
        let operand = operand
            .map(|operand| self.column(operand, chosen))
            .transpose()?;
        let mut pieces = Pieces::default();
        for (whens, then) in &case.branches {
            let mut hits = Vec::new();
            for when in whens {
                if open.places.is_empty() {
                    break;
                }
                let truths = open.of(&open.places, |chosen| {
                    let value = when.value().unwrap_or(&Expression::NULL);
                    let value = self.column(value, chosen)?;
                    let Some(operand) = &operand else {
                        return truths(&value, self.rows(chosen));
                    };
                    let places = open.places.iter().enumerate();
                    places
                        .map(|(row, &place)| {
                            let operand = operand.get(place as usize);
                            passes(&operand, when, &value.get(row), &self.run.environment)
                        })
                        .collect()
                })?;
                let mut truths = truths.into_iter();
                open.places.retain(|&place| {
                    let is_hit = truths.next() == Some(Some(true));
                    hits.extend(is_hit.then_some(place));
                    !is_hit
                });
            }
            // Each alternative has added its own, and what all rows pass is told by their number.
            hits.sort_unstable();
            if !hits.is_empty() {
                let then = open.of(&hits, |chosen| Ok(self.column(then, chosen)?.into_column()))?;
                pieces.add(&hits, then);
            }
        }
        if !open.places.is_empty() {
            let otherwise = case.otherwise.as_ref().unwrap_or(&Expression::NULL);
            let otherwise = open.of(&open.places, |chosen| {
                Ok(self.column(otherwise, chosen)?.into_column())
            })?;
            pieces.add(&open.places, otherwise);
        }
        Ok(pieces.joined())
    }

    /// The first argument that is not null; those behind it are not evaluated.
    pub(super) fn coalesce(&self, arguments: &[Expression], chosen: Chosen<'_>) -> Result<Column> {
        let mut open = Open::new(chosen, self.rows(chosen));
        let mut pieces = Pieces::default();
        for argument in arguments {
            if open.places.is_empty() {
                break;
            }
            let column = open.of(&open.places, |chosen| {
                Ok(self.column(argument, chosen)?.into_column())
            })?;
            let (mut there, mut missing, mut taken) = (Vec::new(), Vec::new(), Vec::new());
            for (row, &place) in open.places.iter().enumerate() {
                match column.is_null_at(row) {
                    true => missing.push(place),
                    false => {
                        there.push(place);
                        taken.push(row as u32);
                    }
                }
            }
            if !there.is_empty() {
                let column = match missing.is_empty() {
                    true => column,
                    false => column.take(&taken),
                };
                pieces.add(&there, column);
            }
            open.places = missing;
        }
        if !open.places.is_empty() {
            pieces.add(&open.places, Column::Same(Datum::NULL));
        }
        Ok(pieces.joined())
    }
}
