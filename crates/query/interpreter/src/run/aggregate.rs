//! Groups of rows.

use std::collections::HashMap;
use std::sync::Arc;

use evergraph_functions::Datum;
use evergraph_functions::aggregates::{Accumulators, Aggregate as Kind, Groups as Numbered};
use evergraph_functions::functions::{self, Evaluation};
use evergraph_functions::kernels::Operand;
use evergraph_planner::{Aggregate, Expression, Plan, Slot, Step};
use evergraph_property_graph::Value;

use evergraph_storage::failpoint;

use super::beyond::Beyond;
use super::keys::{Codes, Keys, Pairs};
use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, Column, RowNumbers};
use crate::compile::filter_of;
use crate::evaluate::{Gathered, Held, Over, numbers, operand_of};
use crate::limits::Account;

/// What an error tells that memory is needed for.
pub(super) const WHAT: &str = "grouping";

/// Bytes of a state of an aggregation, about.
const STATE: usize = 64;

/// Groups in the order in which they were met.
pub(super) struct Groups<'p> {
    pub(super) keys: Keys,
    pub(super) columns: Vec<Computed<'p>>,
}

/// One aggregation of all groups.
pub(super) struct Computed<'p> {
    aggregate: &'p Aggregate,
    pub(super) kind: Kind,
    pub(super) states: Accumulators,
    /// With `DISTINCT`: what was met.
    pub(super) met: Option<Met>,
    /// Bytes of values that its states keep, about.
    kept: usize,
}

/// Values that `DISTINCT` has met, and the pairs of a group and a value.
#[derive(Default)]
pub(super) struct Met {
    codes: Codes,
    pairs: Pairs,
    /// Values of pairs that are equivalent to that of an earlier group, and not it: 1.0
    /// where that has 1.
    own: HashMap<u32, Datum>,
}

impl Met {
    /// The group, and the value as the group has met it, of each pair in the order in
    /// which they were met.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Datum)> {
        (0..self.len() as u32).map(|pair| self.pair(pair))
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.all().len()
    }

    pub(super) fn pair(&self, pair: u32) -> (u32, &Datum) {
        let (group, value) = self.pairs.all()[pair as usize];
        let known = || &self.codes.values()[value as usize];
        (group, self.own.get(&pair).unwrap_or_else(known))
    }

    /// Takes a value whose number is known; whether its group has not met it before.
    fn is_new(&mut self, group: u32, number: u32, value: impl FnOnce() -> Datum) -> bool {
        if !self.pairs.is_new((group, number)) {
            return false;
        }
        let value = value();
        if !has_form_of(&value, &self.codes.values()[number as usize]) {
            self.own.insert(self.len() as u32 - 1, value);
        }
        true
    }

    fn bytes(&self) -> usize {
        self.codes.bytes() + 32 * self.len() + STATE * self.own.len()
    }
}

/// Whether equivalent values are the same to the last bit.
fn has_form_of(one: &Datum, other: &Datum) -> bool {
    match (one, other) {
        (Datum::Node(_) | Datum::Relationship(_), _) => true,
        (Datum::Value(Value::Float(one)), Datum::Value(Value::Float(other))) => {
            one.to_bits() == other.to_bits()
        }
        (Datum::Value(Value::Integer(_)), Datum::Value(other)) => {
            matches!(other, Value::Integer(_))
        }
        (Datum::Value(Value::Float(_)), _) => false,
        (Datum::Value(Value::Point(_)), _) => false,
        _ => {
            if let (Some(one), Some(other)) = (one.elements(), other.elements()) {
                let mut pairs = one.iter().zip(other.iter());
                return pairs.all(|(one, other)| has_form_of(&one, &other));
            }
            if let (Some(one), Some(other)) = (one.entries(), other.entries()) {
                let mut pairs = one.values().zip(other.values());
                return pairs.all(|(one, other)| has_form_of(one, other));
            }
            true
        }
    }
}

impl<'p> Computed<'p> {
    fn new(aggregate: &'p Aggregate) -> Result<Self> {
        let kind = kind_of(aggregate)?;
        // Percentiles look at rows that are not counted, too.
        let by_pairs = aggregate.distinct && aggregate.arguments.len() == 1;
        Ok(Computed {
            aggregate,
            kind,
            states: Accumulators::new(kind, aggregate.distinct && !by_pairs),
            met: by_pairs.then(Default::default),
            kept: 0,
        })
    }

    /// Takes the rows of a batch, each with the number of its group.
    fn take(&mut self, over: &Over<'_, '_, '_>, groups: Option<&[u32]>, rows: usize) -> Result<()> {
        let arguments = self.aggregate.arguments.iter();
        let arguments = arguments.map(|argument| over.held(argument));
        let arguments: Vec<Held<'_>> = arguments.collect::<Result<_>>()?;
        let numbered = groups.map_or(Numbered::First, Numbered::Numbers);
        let (Some(met), [argument]) = (&mut self.met, arguments.as_slice()) else {
            return self.add(numbered, &arguments, rows);
        };
        let values = met.codes.numbers(argument, rows);
        let is_new = |row: &u32| {
            let at = *row as usize;
            let group = groups.map_or(0, |groups| groups[at]);
            !argument.is_null_at(at) && met.is_new(group, values[at], || argument.get(at))
        };
        let new: Vec<u32> = (0..rows as u32).filter(is_new).collect();
        let taken: Held<'_> = argument.take(&new).into();
        let of_new = |groups: &[u32]| new.iter().map(|&at| groups[at as usize]).collect();
        let groups: Option<Vec<u32>> = groups.map(of_new);
        let numbered = groups.as_deref().map_or(Numbered::First, Numbered::Numbers);
        self.add(numbered, &[taken], new.len())
    }

    fn add(&mut self, groups: Numbered<'_>, arguments: &[Held<'_>], rows: usize) -> Result<()> {
        if matches!(
            self.kind,
            Kind::Collect | Kind::ContinuousPercentile | Kind::DiscretePercentile
        ) || self.aggregate.distinct
        {
            let bytes = arguments.iter().map(|column| column.bytes());
            self.kept += 32 * rows + bytes.sum::<usize>();
        }
        // To be counted, nodes need not be data.
        if let (Kind::Count, [argument]) = (self.kind, arguments)
            && let Column::Nodes(ids) | Column::Relationships(ids) = &**argument
        {
            let (column, mut data) = (numbers(ids), Vec::new());
            let operands = [operand_of(&column, rows, &mut data)];
            return Ok(self.states.add(groups, &operands, rows)?);
        }
        let mut data: Vec<Vec<Datum>> = vec![Vec::new(); arguments.len()];
        let operands = arguments.iter().zip(&mut data);
        let operands = operands.map(|(column, data)| operand_of(column, rows, data));
        let operands: Vec<Operand<'_>> = operands.collect();
        Ok(self.states.add(groups, &operands, rows)?)
    }

    /// Takes the rows that another has taken, of which each group has a number here.
    fn merge(&mut self, other: Computed<'_>, groups: &[u32]) -> Result<()> {
        let (Some(met), Some(other_met)) = (&mut self.met, &other.met) else {
            return Ok(self.states.merge(other.states, groups)?);
        };
        let (mut numbers, mut data) = (Vec::new(), Vec::new());
        for (group, value) in other_met.all() {
            let group = groups[group as usize];
            let number = met.codes.number(value);
            if met.is_new(group, number, || value.clone()) {
                numbers.push(group);
                data.push(value.clone());
            }
        }
        let operands = [Operand::Data(&data)];
        let numbered = Numbered::Numbers(&numbers);
        Ok(self.states.add(numbered, &operands, data.len())?)
    }

    /// Whether equal values are taken once by its states, and not by `met`.
    pub(super) fn is_distinct_itself(&self) -> bool {
        self.aggregate.distinct && self.met.is_none()
    }

    fn bytes(&self) -> usize {
        self.kept + self.met.as_ref().map_or(0, Met::bytes)
    }
}

impl<'p> Groups<'p> {
    pub(super) fn new(grouping: Grouping<'p>) -> Result<Self> {
        let columns = grouping.aggregates.iter();
        let columns = columns.map(|(_, aggregate)| Computed::new(aggregate));
        Ok(Groups {
            keys: Keys::new(grouping.keys.len()),
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// Makes states for all keys.
    pub(super) fn grow(&mut self) {
        let groups = self.keys.len();
        self.columns
            .iter_mut()
            .for_each(|one| one.states.grow(groups));
    }

    /// The only group of an aggregation without keys.
    fn only(&mut self) {
        self.keys.numbers::<&Column>(&[], 1);
        self.grow();
    }

    /// Groups of all values of the only key, also of those without rows.
    fn all_of(&mut self, column: &Column, rows: usize) {
        self.keys.numbers(&[column], rows);
        self.grow();
    }

    /// Adds groups that are there without rows.
    fn complete(&mut self, grouping: Grouping<'_>, around: &Batch) {
        match (grouping.keys, around.numbers_in()) {
            ([], _) => self.only(),
            ([_], Some(slot)) => self.all_of(around.column(slot), around.len()),
            _ => {}
        }
    }

    /// Takes the rows that other groups have taken.
    fn merge(&mut self, other: Groups<'_>, columns: usize) -> Result<()> {
        let groups = other.keys.len();
        let keys: Vec<Held<'_>> = (0..columns)
            .map(|place| other.keys.column(place).into())
            .collect();
        let numbers = self.keys.numbers(&keys, groups);
        self.grow();
        for (own, other) in self.columns.iter_mut().zip(other.columns) {
            own.merge(other, &numbers)?;
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        let states = self.keys.len() * self.columns.len() * STATE;
        self.keys.bytes() + states + self.columns.iter().map(Computed::bytes).sum::<usize>()
    }
}

/// What is computed of rows.
#[derive(Clone, Copy)]
pub(super) struct Grouping<'p> {
    pub(super) keys: &'p [(Slot, Expression)],
    pub(super) aggregates: &'p [(Slot, Aggregate)],
}

/// Groups of the rows that one thread takes.
struct Grouped<'p, 'r> {
    groups: Groups<'p>,
    account: Account<'r>,
    beyond: Beyond,
}

impl<'p> Grouping<'p> {
    /// Adds the rows of a batch to their groups, after those so far have gone to a file,
    /// if memory is short.
    fn take(self, run: &Run<'_, '_>, grouped: &mut Grouped<'p, '_>, batch: &Batch) -> Result<()> {
        let (gathered, rows) = (Gathered::default(), batch.len());
        let over = Over::new(run, batch, &gathered);
        let Grouped {
            groups, account, ..
        } = grouped;
        let numbers = match self.keys.is_empty() {
            true => {
                groups.only();
                None
            }
            false => {
                let numbers = match self.alike(batch) {
                    Some((firsts, places)) => {
                        let firsts = batch.take(&firsts);
                        let numbers = self.numbers(run, groups, &firsts)?;
                        let numbers = places.iter().map(|&place| numbers[place as usize]);
                        numbers.collect()
                    }
                    None => self.numbers(run, groups, batch)?,
                };
                groups.grow();
                Some(numbers)
            }
        };
        for column in &mut groups.columns {
            column.take(&over, numbers.as_deref(), rows)?;
        }
        let bytes = groups.bytes();
        match run.is_to_spill(account, bytes) {
            false => account.set(bytes),
            true => self.spill(run, grouped),
        }
    }

    /// Adds the rows of a batch that pass the filter below to their only group, if there is
    /// code for both; whether there is.
    fn take_totals(self, run: &Run<'_, '_>, grouped: &mut Grouped<'p, '_>, batch: &Batch) -> bool {
        let gathered = Gathered::default();
        let Some(totals) = Over::new(run, batch, &gathered).totals(self.aggregates) else {
            return false;
        };
        grouped.groups.only();
        for (column, total) in grouped.groups.columns.iter_mut().zip(totals) {
            let sum = total.sum.unwrap_or(0);
            column.states.add_total(total.count as i64, sum);
        }
        true
    }

    /// The number of each row's group.
    fn numbers(
        self,
        run: &Run<'_, '_>,
        groups: &mut Groups<'p>,
        batch: &Batch,
    ) -> Result<Vec<u32>> {
        let gathered = Gathered::default();
        let over = Over::new(run, batch, &gathered);
        let keys = self.keys.iter().map(|(_, key)| over.held(key));
        let keys: Vec<Held<'_>> = keys.collect::<Result<_>>()?;
        Ok(groups.keys.numbers(&keys, batch.len()))
    }

    /// Where all keys are of what rows side by side have in common, as those that were made
    /// of one by an expansion: the first row of each run, and the run of each row.
    fn alike(self, batch: &Batch) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut of_all: Option<&RowNumbers> = None;
        for (_, key) in self.keys {
            let slot = match key {
                Expression::Slot(slot) => slot,
                Expression::Access(of, steps) => match (&**of, &steps[..]) {
                    (Expression::Slot(slot), [Step::Property(_)]) => slot,
                    _ => return None,
                },
                _ => return None,
            };
            let rows = batch.shared(*slot)?.1?;
            if !Arc::ptr_eq(of_all.get_or_insert(rows), rows) {
                return None;
            }
        }
        let (mut firsts, mut places) = (Vec::new(), Vec::with_capacity(batch.len()));
        let mut before = None;
        for (place, &row) in of_all?.iter().enumerate() {
            let is_other = before.replace(row) != Some(row);
            if is_other && !(failpoint!("groups.runs-joined") && place > 0) {
                firsts.push(place as u32);
            }
            places.push(firsts.len() as u32 - 1);
        }
        (firsts.len() <= batch.len() / 2).then_some((firsts, places))
    }

    /// Writes all groups to a file.
    fn spill(self, run: &Run<'_, '_>, grouped: &mut Grouped<'p, '_>) -> Result<()> {
        let groups = std::mem::replace(&mut grouped.groups, Groups::new(self)?);
        let written = grouped.beyond.write(run, groups)?;
        grouped.account.clear();
        grouped.beyond.take(run, written)
    }
}

impl Run<'_, '_> {
    pub(super) fn aggregate(
        &self,
        keys: &[(Slot, Expression)],
        aggregates: &[(Slot, Aggregate)],
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        // Of many rows around at once, each has groups of its own.
        let number = argument.numbers_in();
        let number = number.map(|slot| (slot, Expression::Slot(slot)));
        let keys = keys.iter().cloned().chain(number);
        let keys: &[_] = &keys.collect::<Vec<_>>();
        let grouping = Grouping { keys, aggregates };
        let guard = self.guard;
        let new = || {
            Ok(Grouped {
                groups: Groups::new(grouping)?,
                account: guard.account(WHAT),
                beyond: Beyond::new(keys.len()),
            })
        };
        // A profile tells a filter and the aggregation of its rows apart.
        let is_fused = self.profiler.is_none()
            && keys.is_empty()
            && (self.compiling).is_some_and(|compiling| compiling.has_totals(aggregates));
        let (conditions, input) = match is_fused {
            true => filter_of(input),
            false => (&[][..], input),
        };
        let take = |run: &Run<'_, '_>, state: &mut _, batch: Batch| {
            if is_fused && grouping.take_totals(run, state, &batch) {
                return Ok(());
            }
            let batch = match conditions.is_empty() {
                true => batch,
                false => run.filtered(conditions, batch)?,
            };
            grouping.take(run, state, &batch)
        };
        let around = argument.clone();
        let states = match self.in_parallel(input, &argument, new, take)? {
            Some(states) => states,
            None => {
                let mut state = new()?;
                self.run(input, argument, &mut |batch| {
                    take(self, &mut state, batch)?;
                    Ok(Flow::Continue)
                })?;
                vec![state]
            }
        };
        match states.iter().any(|state| !state.beyond.is_empty()) {
            false => {
                let (mut all, mut accounts) = (Groups::new(grouping)?, Vec::new());
                for state in states {
                    accounts.push(state.account);
                    match all.keys.len() {
                        0 => all = state.groups,
                        _ => all.merge(state.groups, keys.len())?,
                    }
                }
                all.complete(grouping, &around);
                self.push_groups(&all, grouping, &around, sink)
            }
            true => {
                let mut all = Beyond::new(keys.len());
                for mut state in states {
                    state.groups.complete(grouping, &around);
                    grouping.spill(self, &mut state)?;
                    all.append(state.beyond);
                }
                self.push_spilled(all, grouping, &around, sink)
            }
        }
    }

    fn push_groups(
        &self,
        groups: &Groups<'_>,
        grouping: Grouping<'_>,
        around: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let count = groups.keys.len();
        let keys = 0..grouping.keys.len();
        let keys: Vec<Column> = keys.map(|place| groups.keys.column(place)).collect();
        let values = groups.columns.iter().map(|column| {
            if let Some(integers) = column.states.finish_integers() {
                return Ok(Column::Vector(integers));
            }
            let data = (0..count).map(|group| Ok(column.states.finish(group)?));
            Ok(Column::of(data.collect::<Result<_>>()?))
        });
        let values = values.collect::<Result<_>>()?;
        self.push_all(grouping.rows(around, keys, values, count), sink)
    }
}

impl Grouping<'_> {
    /// Rows of so many groups, beside the rows around them.
    pub(super) fn rows(
        self,
        around: &Batch,
        keys: Vec<Column>,
        values: Vec<Column>,
        count: usize,
    ) -> Batch {
        let mut made = match (around.numbers_in(), keys.last()) {
            (Some(slot), Some(column)) => {
                let mut numbers = around.blank(count);
                numbers.set(slot, column.clone());
                around.beside(&numbers)
            }
            _ => around.repeated_around(around.width(), count),
        };
        for ((slot, _), column) in self.keys.iter().zip(keys) {
            made.set(*slot, column);
        }
        for ((slot, _), column) in self.aggregates.iter().zip(values) {
            made.set(*slot, column);
        }
        made
    }
}

fn kind_of(aggregate: &Aggregate) -> Result<Kind> {
    if aggregate.arguments.is_empty() {
        return Ok(Kind::CountRows);
    }
    match functions::find(&aggregate.name)?.evaluation {
        Evaluation::Aggregate(kind) => Ok(kind),
        Evaluation::Scalar(_) => {
            let message = format!("{}() does not aggregate", aggregate.name);
            Err(QueryError::type_error(message))
        }
    }
}
