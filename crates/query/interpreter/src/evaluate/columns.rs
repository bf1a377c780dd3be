//! Expressions over the rows of a batch: columns in, columns out.
//!
//! [`Run::value`] is the definition, row by row. What it leaves out in a row, of `AND`, of
//! `CASE`, is left out here, too; and if a part fails, all is done again row by row, so
//! that the same row has the same error.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use evergraph_functions::kernels;
use evergraph_functions::operators::{self, Binary, Unary};
use evergraph_functions::{Datum, functions};
use evergraph_jit::Total;
use evergraph_planner::{Aggregate, Expression, Slot, Step, is_volatile};
use evergraph_property_graph::graph::EntityKind;
use evergraph_property_graph::vector::{Validity, Values, Vector};
use evergraph_property_graph::{KeyCode, LabelCode, Value};
use evergraph_syntax::tree::{Comparison, Labels};

use super::lists::{labels_named, satisfy};
use super::parts::without_nulls;
use super::parts::{ids_of, kept, made, may_be_long, numbers, operand_of, same_ids};
use super::{Result, Row, length_of, of_comparison, of_constant, of_sign, of_test};
use crate::batch::{Batch, Column, NO_ID, RowNumbers};
use crate::compile::{Execution, Fragment, Leaf, Made, Part, is_cheap, totals_of};
use crate::run::Run;

/// Rows that are no more than a handful.
const FEW: usize = 64;
/// Rows whose properties are cheaper read one by one.
const FEWEST: usize = 16;

/// A property of what is in a slot.
type OfSlot = (Slot, Arc<str>, Arc<Column>);

/// A property of shared ids, and which of its rows a batch has.
type SharedProperty<'v> = (Arc<Column>, Option<&'v RowNumbers>);

/// Properties that have been gathered of a batch.
#[derive(Default)]
pub(crate) struct Gathered(RefCell<Vec<OfSlot>>);

impl Gathered {
    /// Forgets those of a slot, which has other values now.
    pub(crate) fn forget(&self, slot: Slot) {
        self.0.borrow_mut().retain(|(known, ..)| *known != slot);
    }

    fn get(&self, slot: Slot, key: &str) -> Option<Arc<Column>> {
        let known = self.0.borrow();
        let mut known = known.iter();
        let found = known.find(|(of, name, _)| *of == slot && **name == *key);
        found.map(|(.., column)| Arc::clone(column))
    }
}

/// A column of the batch, or one that was made.
pub(crate) enum Held<'v> {
    Borrowed(&'v Column),
    Shared(Arc<Column>),
}

impl Deref for Held<'_> {
    type Target = Column;

    fn deref(&self) -> &Column {
        match self {
            Held::Borrowed(column) => column,
            Held::Shared(column) => column,
        }
    }
}

impl From<Column> for Held<'_> {
    fn from(column: Column) -> Self {
        Held::Shared(Arc::new(column))
    }
}

impl Held<'_> {
    pub(super) fn into_column(self) -> Column {
        match self {
            Held::Borrowed(column) => column.clone(),
            Held::Shared(column) => Arc::unwrap_or_clone(column),
        }
    }
}

/// Some rows of a batch, ascending; all of them if it is `None`.
pub(super) type Chosen<'r> = Option<&'r [u32]>;

/// Expressions over the rows of one batch.
pub(crate) struct Over<'v, 'a, 'g> {
    pub(super) run: &'v Run<'a, 'g>,
    pub(super) batch: &'v Batch,
    gathered: &'v Gathered,
}

/// Reading a regular expression takes as long as so many steps of work.
const PATTERN_STEPS: usize = 1024;

impl<'v, 'a, 'g> Over<'v, 'a, 'g> {
    pub(crate) fn new(run: &'v Run<'a, 'g>, batch: &'v Batch, gathered: &'v Gathered) -> Self {
        Over {
            run,
            batch,
            gathered,
        }
    }

    /// The values of an expression in all rows.
    pub(crate) fn all(&self, of: &Expression) -> Result<Column> {
        Ok(self.held(of)?.into_column())
    }

    /// As [`Over::all`]; a column of the batch is not copied.
    pub(crate) fn held(&self, of: &Expression) -> Result<Held<'v>> {
        if self.batch.is_empty() {
            return Ok(Column::Vector(Vector::new()).into());
        }
        // Of one row it is cheaper row by row.
        if self.batch.len() > 1 || self.run.compiles_all() && !is_cheap(of) {
            match self.column(of, None) {
                Ok(held) => return Ok(held),
                Err(error) if error.is_stop() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(self.by_row(of, None)?.into())
    }

    /// Those of some rows, ascending, that satisfy a condition.
    pub(crate) fn satisfying(&self, condition: &Expression, rows: Vec<u32>) -> Result<Vec<u32>> {
        if rows.len() > 1 || (rows.len() == 1 && self.run.compiles_all()) {
            let chosen = (rows.len() < self.batch.len()).then_some(&rows[..]);
            if let Some(Made::Rows(kept)) = self.compiled(condition, chosen, true) {
                return Ok(match chosen {
                    None => kept,
                    Some(rows) => kept.iter().map(|&place| rows[place as usize]).collect(),
                });
            }
            match self.interpreted(condition, chosen) {
                Ok(column) => {
                    if let Some(kept) = kept(&column, &rows) {
                        return Ok(kept);
                    }
                }
                Err(error) if error.is_stop() => return Err(error),
                Err(_) => {}
            }
        }
        let mut kept = Vec::with_capacity(rows.len());
        for at in rows {
            let mut row = Row::new(self.batch, at as usize);
            let value = self.run.value(condition, &mut row)?;
            if operators::boolean(&value)? == Some(true) {
                kept.push(at);
            }
        }
        Ok(kept)
    }

    pub(super) fn rows(&self, chosen: Chosen<'_>) -> usize {
        chosen.map_or(self.batch.len(), <[u32]>::len)
    }

    /// The values of an expression in some rows, at least one.
    pub(super) fn column(&self, of: &Expression, chosen: Chosen<'_>) -> Result<Held<'v>> {
        self.run.work(self.rows(chosen))?;
        if let Some(Made::Column(column)) = self.compiled(of, chosen, false) {
            return Ok(column.into());
        }
        self.interpreted(of, chosen)
    }

    /// As [`Over::column`], of an expression that is not compiled itself.
    fn interpreted(&self, of: &Expression, chosen: Chosen<'_>) -> Result<Held<'v>> {
        let rows = self.rows(chosen);
        let column = match of {
            Expression::Constant(constant) => Column::Same(of_constant(constant)),
            Expression::Parameter(name) => Column::Same(self.run.parameter(name)?),
            Expression::Slot(slot) => return Ok(self.slot(*slot, chosen)),
            Expression::Access(of, steps) => return self.access(of, steps, chosen),
            Expression::Negative(of) => self.unary(Unary::Minus, of, chosen)?,
            Expression::Positive(of) => self.unary(Unary::Plus, of, chosen)?,
            Expression::Not(of) => self.unary(Unary::Not, of, chosen)?,
            Expression::IsNull(of) => self.unary(Unary::IsNull, of, chosen)?,
            Expression::IsNotNull(of) => self.unary(Unary::IsNotNull, of, chosen)?,
            Expression::Arithmetic(first, others) => {
                let mut sum = self.column(first, chosen)?;
                for (sign, operand) in others {
                    let operand = self.column(operand, chosen)?;
                    sum = self.binary(of_sign(*sign), &sum, &operand, rows)?.into();
                }
                return Ok(sum);
            }
            Expression::Tested(test, pair) => self.pair(of_test(*test), pair, chosen)?,
            Expression::In(pair) => self.members(pair, chosen)?,
            Expression::Comparison(first, others) => self.comparison(first, others, chosen)?,
            Expression::Labelled(of, labels) => self.labelled(of, labels, chosen)?,
            Expression::LabelledBy(pair, any) => self.named(pair, *any, chosen)?,
            Expression::And(parts) => self.logic(parts, false, chosen)?,
            Expression::Or(parts) => self.logic(parts, true, chosen)?,
            Expression::Xor(parts) => self.parity(parts, chosen)?,
            Expression::Case(case) => self.case(case, chosen)?,
            Expression::Call(name, arguments) if &**name == "coalesce" => {
                self.coalesce(arguments, chosen)?
            }
            Expression::Call(name, arguments) => self.call(name, arguments, chosen)?,
            Expression::List(items) => self.list(items, chosen)?,
            Expression::Map(_)
            | Expression::Typed(..)
            | Expression::Comprehension(_)
            | Expression::Quantified(_)
            | Expression::Reduce(_)
            | Expression::MapProjection(_)
            | Expression::Path(_) => self.by_row(of, chosen)?,
            Expression::Subquery(subquery) => {
                let found = match chosen {
                    None => self.run.subqueries(subquery, self.batch)?,
                    Some(rows) => self.run.subqueries(subquery, &self.batch.take(rows))?,
                };
                match found {
                    Some(column) => column,
                    None => self.by_row(of, chosen)?,
                }
            }
        };
        Ok(column.into())
    }

    /// What code makes of some rows, at least one; `None` if they are to be interpreted.
    fn compiled(&self, of: &Expression, chosen: Chosen<'_>, wants_rows: bool) -> Option<Made> {
        let fragment = self
            .run
            .compiling?
            .due(Part::Expression(of), self.rows(chosen))?;
        self.made_by(fragment, chosen, wants_rows)
    }

    fn made_by(&self, fragment: &Fragment, chosen: Chosen<'_>, wants_rows: bool) -> Option<Made> {
        let (compiling, rows) = (self.run.compiling?, self.rows(chosen));
        let leaves = fragment.leaves().iter();
        let leaves = leaves.map(|leaf| self.leaf(leaf, chosen).ok());
        let leaves: Vec<Leaf<'_>> = leaves.collect::<Option<_>>()?;
        let (made, compiled) = fragment.run(&leaves, rows, wants_rows, compiling)?;
        self.run
            .profiler
            .inspect(|profiler| profiler.was_compiled(&compiled));
        Some(made)
    }

    /// A column for code: of a property of shared ids not copied.
    fn leaf(&self, of: &Expression, chosen: Chosen<'_>) -> Result<Leaf<'v>> {
        if let (Expression::Access(of, steps), None) = (of, chosen)
            && let (Expression::Slot(slot), [Step::Property(key)]) = (&**of, &steps[..])
            && let Some((column, rows)) = self.shared_property(*slot, key)?
        {
            let (column, rows) = (Held::Shared(column), rows.map(|rows| &rows[..]));
            return Ok(Leaf { column, rows });
        }
        let column = match self.column(of, chosen)? {
            // Few values are not in an array yet.
            few if matches!(&*few, Column::Data(data) if data.len() <= FEWEST) => {
                match few.into_column() {
                    Column::Data(data) => Column::of(data).into(),
                    other => other.into(),
                }
            }
            column => column,
        };
        Ok(Leaf { column, rows: None })
    }

    /// The rows that satisfy all of several conditions, if there is code for them.
    pub(crate) fn satisfying_all(&self, conditions: &[Expression]) -> Option<Vec<u32>> {
        let (part, rows) = (Part::Conditions(conditions), self.batch.len());
        let fragment = self.run.compiling?.due(part, rows)?;
        match self.made_by(fragment, None, true)? {
            Made::Rows(kept) => Some(kept),
            Made::Column(_) | Made::Totals(..) => None,
        }
    }

    /// The counts and sums that are aggregated of the rows that pass a filter, if there is
    /// code for both.
    pub(crate) fn totals(&self, of: &[(Slot, Aggregate)]) -> Option<Vec<Total>> {
        let compiling = self.run.compiling?;
        let fragment = compiling.due(Part::Totals(of), self.batch.len())?;
        let made = match self.made_by(fragment, None, false) {
            Some(Made::Totals(passed, totals)) => totals_of(of, passed, totals),
            _ => None,
        };
        fragment.met(made.is_some());
        made
    }

    /// The definition, row by row.
    pub(super) fn by_row(&self, of: &Expression, chosen: Chosen<'_>) -> Result<Column> {
        let value = |at| self.run.value(of, &mut Row::new(self.batch, at));
        match chosen {
            None if self.batch.len() == 1 => Ok(Column::Same(value(0)?)),
            None => self.run.made(0..self.batch.len(), value),
            Some(rows) => self.run.made(rows.iter(), |&at| value(at as usize)),
        }
    }

    fn slot(&self, slot: Slot, chosen: Chosen<'_>) -> Held<'v> {
        let column = self.batch.column(slot);
        match chosen {
            None => Held::Borrowed(column),
            Some(rows) => column.take(rows).into(),
        }
    }

    fn access(&self, of: &Expression, steps: &[Step], chosen: Chosen<'_>) -> Result<Held<'v>> {
        let (mut held, mut rest) = match (of, steps) {
            (Expression::Slot(slot), [Step::Property(key), rest @ ..]) => {
                (self.property(*slot, key, chosen)?, rest)
            }
            _ => (self.column(of, chosen)?, steps),
        };
        let rows = self.rows(chosen);
        while let Some((step, others)) = rest.split_first() {
            let environment = &self.run.environment;
            held = match step {
                Step::Property(key) => match ids_of(&held) {
                    Some((kind, ids)) if !self.run.graph.has_deleted(kind) => {
                        self.read(kind, ids, key)?.into()
                    }
                    _ => made(self.run, &[&held], rows, |row| {
                        Ok(operators::property(&held.get(row), key, environment)?)
                    })?
                    .into(),
                },
                Step::Index(index) => {
                    let index = self.column(index, chosen)?;
                    made(self.run, &[&held, &index], rows, |row| {
                        let (list, index) = (held.get(row), index.get(row));
                        Ok(operators::index(&list, &index, environment)?)
                    })?
                    .into()
                }
                Step::Slice(from, to) => {
                    let bound = |bound: &Option<Expression>| {
                        let bound = bound.as_ref();
                        bound.map(|bound| self.column(bound, chosen)).transpose()
                    };
                    let (from, to) = (bound(from)?, bound(to)?);
                    let at = |bound: &Option<Held<'_>>, row| bound.as_ref().map(|b| b.get(row));
                    let mut columns: Vec<&Column> = vec![&held];
                    columns.extend([&from, &to].into_iter().flatten().map(|held| &**held));
                    made(self.run, &columns, rows, |row| {
                        let (from, to) = (at(&from, row), at(&to, row));
                        Ok(operators::slice(
                            &held.get(row),
                            from.as_ref(),
                            to.as_ref(),
                        )?)
                    })?
                    .into()
                }
            };
            rest = others;
        }
        Ok(held)
    }

    /// A property of the ids that a slot shares with other batches, gathered once of all of
    /// them, and which rows of it the batch has. `None` if that is not worth it, or may
    /// change.
    fn shared_property(&self, slot: Slot, key: &Arc<str>) -> Result<Option<SharedProperty<'v>>> {
        let Some((shared, rows)) = self.batch.shared(slot).filter(|_| self.run.only_reads) else {
            return Ok(None);
        };
        if let Some(known) = shared.property(key) {
            return Ok(Some((known, rows)));
        }
        match ids_of(shared.column()) {
            Some((kind, ids)) if rows.is_none_or(|rows| rows.len() >= ids.len()) => {
                let column = self.read(kind, ids, key)?;
                Ok(Some((shared.keep(key, column), rows)))
            }
            _ => Ok(None),
        }
    }

    /// A property of what is in a slot; gathered once of the whole batch.
    fn property(&self, slot: Slot, key: &Arc<str>, chosen: Chosen<'_>) -> Result<Held<'v>> {
        if chosen.is_none()
            && let Some((column, rows)) = self.shared_property(slot, key)?
        {
            return Ok(match rows {
                None => Held::Shared(column),
                Some(rows) => column.take(rows).into(),
            });
        }
        let column = self.batch.column(slot);
        let Some((kind, ids)) =
            ids_of(column).filter(|(kind, _)| !self.run.graph.has_deleted(*kind))
        else {
            let (held, environment) = (self.slot(slot, chosen), &self.run.environment);
            let property = |row| Ok(operators::property(&held.get(row), key, environment)?);
            return Ok(made(self.run, &[&held], self.rows(chosen), property)?.into());
        };
        let known = self.gathered.get(slot, key);
        Ok(match (known, chosen) {
            (Some(known), None) => Held::Shared(known),
            (Some(known), Some(rows)) => known.take(rows).into(),
            (None, Some(rows)) => {
                let ids: Vec<u32> = rows.iter().map(|&row| ids[row as usize]).collect();
                self.read(kind, &ids, key)?.into()
            }
            (None, None) => {
                let column = Arc::new(self.read(kind, ids, key)?);
                // They are rather read again than copied for another.
                if ids.len() <= FEWEST {
                    return Ok(Held::Shared(column));
                }
                let mut gathered = self.gathered.0.borrow_mut();
                gathered.push((slot, Arc::clone(key), Arc::clone(&column)));
                Held::Shared(column)
            }
        })
    }

    /// A property of nodes or relationships, null where there is none.
    fn read(&self, kind: EntityKind, ids: &[u32], key: &str) -> Result<Column> {
        let Some(key) = self.run.graph.key(key) else {
            return Ok(Column::Vector(Vector::nulls(ids.len())));
        };
        if ids.len() <= FEWEST {
            return Ok(Column::Data(self.run.graph.values(kind, ids, key)?));
        }
        if !ids.contains(&NO_ID) {
            let vector = self.run.graph.gather(kind, ids, key)?;
            return Ok(match vector.values() {
                // Few texts are better shared than copied again and again.
                Values::Text(_) if vector.len() <= FEW => {
                    let rows = 0..vector.len();
                    Column::Data(rows.map(|row| Datum::Value(vector.get(row))).collect())
                }
                _ => Column::Vector(vector),
            });
        }
        self.read_some(kind, ids, key)
    }

    fn read_some(&self, kind: EntityKind, ids: &[u32], key: KeyCode) -> Result<Column> {
        let (there, places) = without_nulls(ids);
        let vector = self.run.graph.gather(kind, &there, key)?;
        Ok(Column::Vector(vector).take_or_null(&places))
    }

    fn unary(&self, operator: Unary, of: &Expression, chosen: Chosen<'_>) -> Result<Column> {
        let operand = self.column(of, chosen)?;
        if let Column::Same(datum) = &*operand {
            return Ok(Column::Same(operators::unary(operator, datum)?));
        }
        let mut data = Vec::new();
        let rows = self.rows(chosen);
        let operand = operand_of(&operand, rows, &mut data);
        Ok(kernels::unary(operator, operand, rows)?.into())
    }

    fn pair(&self, operator: Binary, pair: &[Expression; 2], chosen: Chosen<'_>) -> Result<Column> {
        let left = self.column(&pair[0], chosen)?;
        let right = self.column(&pair[1], chosen)?;
        self.binary(operator, &left, &right, self.rows(chosen))
    }

    /// `member IN list`. Of integers and texts and a list that is not much longer than the rows
    /// a kernel makes a set for each batch; sets of others are kept.
    fn members(&self, pair: &[Expression; 2], chosen: Chosen<'_>) -> Result<Column> {
        let members = self.column(&pair[0], chosen)?;
        let lists = self.column(&pair[1], chosen)?;
        let rows = self.rows(chosen);
        let is_for_kernel = match (&*members, &*lists) {
            (Column::Vector(members), Column::Same(list)) => {
                let is_known = matches!(members.values(), Values::Integer(_) | Values::Text(_));
                let length = list.elements().map_or(0, |elements| elements.len());
                length == 0 || is_known && length <= 4 * rows
            }
            (Column::Same(_), Column::Same(_)) => true,
            _ => false,
        };
        if is_for_kernel {
            return self.binary(Binary::In, &members, &lists, rows);
        }
        let truths = (0..rows).map(|row| {
            self.run.step()?;
            let found = self.run.is_in(&members.get(row), &lists.get(row))?;
            Ok(found.map_or(Value::Null, Value::from))
        });
        Ok(Column::Vector(truths.collect::<Result<Vector>>()?))
    }

    pub(super) fn binary(
        &self,
        operator: Binary,
        left: &Column,
        right: &Column,
        rows: usize,
    ) -> Result<Column> {
        let environment = &self.run.environment;
        if let (Column::Same(left), Column::Same(right)) = (left, right) {
            let datum = operators::binary(operator, left, right, environment)?;
            return Ok(Column::Same(datum));
        }
        if let Some(truths) = same_ids(operator, left, right) {
            return Ok(truths);
        }
        let joins = matches!(operator, Binary::Add | Binary::Concatenate);
        let is_long = joins && (may_be_long(left) || may_be_long(right));
        let compiles = operator == Binary::Matches && !matches!(right, Column::Same(_));
        if is_long || compiles {
            return self.run.made(0..rows, |row| {
                // A pattern of each row is read for each.
                self.run.work(if compiles { PATTERN_STEPS } else { 0 })?;
                let (left, right) = (left.get(row), right.get(row));
                Ok(operators::binary(operator, &left, &right, environment)?)
            });
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let left = operand_of(left, rows, &mut first);
        let right = operand_of(right, rows, &mut second);
        Ok(kernels::binary(operator, left, right, rows, environment)?.into())
    }

    /// `a < b <= c`: all of the comparisons.
    fn comparison(
        &self,
        first: &Expression,
        others: &[(Comparison, Expression)],
        chosen: Chosen<'_>,
    ) -> Result<Column> {
        let rows = self.rows(chosen);
        let mut left = self.column(first, chosen)?;
        let mut all: Option<Column> = None;
        for (comparison, operand) in others {
            let right = self.column(operand, chosen)?;
            let one = self.binary(of_comparison(*comparison), &left, &right, rows)?;
            all = Some(match all {
                None => one,
                Some(all) => self.binary(Binary::And, &all, &one, rows)?,
            });
            left = right;
        }
        Ok(all.unwrap_or(Column::Same(true.into())))
    }

    fn call(
        &self,
        name: &Arc<str>,
        arguments: &[Expression],
        chosen: Chosen<'_>,
    ) -> Result<Column> {
        let rows = self.rows(chosen);
        let arguments = arguments.iter().map(|one| self.column(one, chosen));
        let arguments: Vec<Held<'_>> = arguments.collect::<Result<_>>()?;
        if let ("id", [of]) = (&**name, arguments.as_slice())
            && let Column::Nodes(ids) | Column::Relationships(ids) = &**of
        {
            return Ok(numbers(ids));
        }
        let (function, environment) = (self.run.function(name)?, &self.run.environment);
        let of_row = |row: usize| {
            let arguments: Vec<Datum> = arguments.iter().map(|one| one.get(row)).collect();
            self.run.work(arguments.iter().map(length_of).sum())?;
            Ok(functions::call(function, &arguments, environment)?)
        };
        let columns: Vec<&Column> = arguments.iter().map(|held| &**held).collect();
        match is_volatile(name) {
            true => self.run.made(0..rows, of_row),
            false => made(self.run, &columns, rows, of_row),
        }
    }

    fn list(&self, items: &[Expression], chosen: Chosen<'_>) -> Result<Column> {
        let items = items.iter().map(|item| self.column(item, chosen));
        let items: Vec<Held<'_>> = items.collect::<Result<_>>()?;
        let columns: Vec<&Column> = items.iter().map(|held| &**held).collect();
        made(self.run, &columns, self.rows(chosen), |row| {
            Ok(Datum::list(
                items.iter().map(|item| item.get(row)).collect(),
            ))
        })
    }

    fn labelled(&self, of: &Expression, labels: &Labels, chosen: Chosen<'_>) -> Result<Column> {
        let held = self.column(of, chosen)?;
        match &*held {
            Column::Nodes(ids) if !self.run.graph.has_deleted(EntityKind::Node) => {
                if let Labels::Name(name) = labels
                    && self.run.graph.all_have(&name.text)
                    && !ids.contains(&NO_ID)
                {
                    return Ok(Column::Same(true.into()));
                }
                let (there, places) = without_nulls(ids);
                let truths = self.run.labelled(labels, &there)?;
                let validity = Validity::all(truths.len());
                let vector = Vector::from_parts(Values::Boolean(truths), validity);
                Ok(Column::Vector(vector).take_or_null(&places))
            }
            _ => made(self.run, &[&held], self.rows(chosen), |row| {
                Ok(Datum::truth(self.run.has_labels(&held.get(row), labels)?))
            }),
        }
    }

    /// As [`Over::labelled`], of labels that a value names.
    fn named(&self, pair: &[Expression; 2], any: bool, chosen: Chosen<'_>) -> Result<Column> {
        let names = self.column(&pair[1], chosen)?;
        if let Column::Same(names) = &*names {
            return self.labelled(&pair[0], &labels_named(names, any)?, chosen);
        }
        let of = self.column(&pair[0], chosen)?;
        made(self.run, &[&of, &names], self.rows(chosen), |row| {
            let truth = self.run.has_computed(&of.get(row), &names.get(row), any)?;
            Ok(Datum::truth(truth))
        })
    }
}

impl Run<'_, '_> {
    /// Whether a single row is compiled, too.
    fn compiles_all(&self) -> bool {
        let compiling = self.compiling.map(|compiling| compiling.execution);
        matches!(
            compiling,
            Some(Execution::Compile | Execution::SwitchAfter(_))
        )
    }

    /// Which nodes have labels.
    fn labelled(&self, labels: &Labels, ids: &[u32]) -> Result<Vec<bool>> {
        if let Some(truths) = self.labelled_of_many(labels, ids)? {
            return Ok(truths);
        }
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
}

/// The names that an expression of labels is made of.
fn names_in<'l>(labels: &'l Labels, names: &mut Vec<&'l str>) {
    match labels {
        Labels::Name(name) => names.push(&name.text),
        Labels::Any => {}
        Labels::Computed(never) => match *never {},
        Labels::Not(inner) => names_in(inner, names),
        Labels::And(parts) | Labels::Or(parts) => {
            parts.iter().for_each(|part| names_in(part, names));
        }
    }
}
