//! Groups of rows.

use evergraph_functions::Datum;
use evergraph_functions::aggregates::{Accumulators, Aggregate as Kind, Groups as Numbered};
use evergraph_functions::functions::{self, Evaluation};
use evergraph_functions::kernels::Operand;
use evergraph_planner::{Aggregate, Expression, Plan, Slot};

use super::keys::{Codes, Keys, Pairs};
use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, Column};
use crate::evaluate::{Gathered, Held, Over, numbers, operand_of};
use crate::limits::Account;

/// Bytes of a state of an aggregation, about.
const STATE: usize = 64;

/// Groups in the order in which they were met.
struct Groups<'p> {
    keys: Keys,
    columns: Vec<Computed<'p>>,
}

/// One aggregation of all groups.
struct Computed<'p> {
    aggregate: &'p Aggregate,
    kind: Kind,
    states: Accumulators,
    /// With `DISTINCT`: the values, and the pairs of a group and a value that were met.
    met: Option<(Codes, Pairs)>,
    /// Bytes of values that its states keep, about.
    kept: usize,
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
        let (Some((codes, pairs)), [argument]) = (&mut self.met, arguments.as_slice()) else {
            return self.add(numbered, &arguments, rows);
        };
        let values = codes.numbers(argument, rows);
        let is_new = |row: &u32| {
            let at = *row as usize;
            let group = groups.map_or(0, |groups| groups[at]);
            !argument.is_null_at(at) && pairs.is_new((group, values[at]))
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
        let (Some((codes, pairs)), Some((other_codes, other_pairs))) = (&mut self.met, &other.met)
        else {
            return Ok(self.states.merge(other.states, groups)?);
        };
        let values = other_codes.values();
        let own: Vec<u32> = values.iter().map(|value| codes.number(value)).collect();
        let (mut numbers, mut data) = (Vec::new(), Vec::new());
        for &(group, value) in other_pairs.all() {
            let group = groups[group as usize];
            if pairs.is_new((group, own[value as usize])) {
                numbers.push(group);
                data.push(values[value as usize].clone());
            }
        }
        let operands = [Operand::Data(&data)];
        let numbered = Numbered::Numbers(&numbers);
        Ok(self.states.add(numbered, &operands, data.len())?)
    }

    fn bytes(&self) -> usize {
        let met = self.met.as_ref();
        self.kept + met.map_or(0, |(codes, pairs)| codes.bytes() + 32 * pairs.all().len())
    }
}

impl<'p> Groups<'p> {
    fn new(grouping: Grouping<'p>) -> Result<Self> {
        let columns = grouping.aggregates.iter();
        let columns = columns.map(|(_, aggregate)| Computed::new(aggregate));
        Ok(Groups {
            keys: Keys::new(grouping.keys.len()),
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// Makes states for all keys.
    fn grow(&mut self) {
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

    fn bytes(&self) -> usize {
        let states = self.keys.len() * self.columns.len() * STATE;
        self.keys.bytes() + states + self.columns.iter().map(Computed::bytes).sum::<usize>()
    }
}

/// What is computed of rows.
#[derive(Clone, Copy)]
struct Grouping<'p> {
    keys: &'p [(Slot, Expression)],
    aggregates: &'p [(Slot, Aggregate)],
}

impl Grouping<'_> {
    /// Adds the rows of a batch to their groups.
    fn take(
        self,
        run: &Run<'_, '_>,
        (groups, account): &mut (Groups<'_>, Account<'_>),
        batch: &Batch,
    ) -> Result<()> {
        let (gathered, rows) = (Gathered::default(), batch.len());
        let over = Over::new(run, batch, &gathered);
        let keys = self.keys.iter().map(|(_, key)| over.held(key));
        let keys: Vec<Held<'_>> = keys.collect::<Result<_>>()?;
        let numbers = match keys.is_empty() {
            true => {
                groups.only();
                None
            }
            false => {
                let numbers = groups.keys.numbers(&keys, rows);
                groups.grow();
                Some(numbers)
            }
        };
        for column in &mut groups.columns {
            column.take(&over, numbers.as_deref(), rows)?;
        }
        account.set(groups.bytes())
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
        let keys: &[_] = &keys
            .iter()
            .cloned()
            .chain(number.clone())
            .collect::<Vec<_>>();
        let grouping = Grouping { keys, aggregates };
        let guard = self.guard;
        let new = || Ok((Groups::new(grouping)?, guard.account("grouping")));
        let take =
            |run: &Run<'_, '_>, state: &mut _, batch: Batch| grouping.take(run, state, &batch);
        let around = argument.clone();
        let (mut groups, _accounts) = match self.in_parallel(input, &argument, new, take)? {
            Some(states) => {
                let (mut all, mut accounts) = (Groups::new(grouping)?, Vec::new());
                for (groups, account) in states {
                    all.merge(groups, keys.len())?;
                    accounts.push(account);
                }
                (all, accounts)
            }
            None => {
                let mut state = new()?;
                self.run(input, argument, &mut |batch| {
                    grouping.take(self, &mut state, &batch)?;
                    Ok(Flow::Continue)
                })?;
                (state.0, vec![state.1])
            }
        };
        match (keys, &number) {
            ([], _) => groups.only(),
            ([_], Some((slot, _))) => groups.all_of(around.column(*slot), around.len()),
            _ => {}
        }
        let count = groups.keys.len();
        let mut made = match (&number, keys.len()) {
            (Some((slot, _)), columns @ 1..) => {
                let mut numbers = Batch::rows_of(*slot + 1, count);
                numbers.set(*slot, groups.keys.column(columns - 1));
                around.beside(&numbers)
            }
            _ => around.repeated_around(self.width, count),
        };
        for (place, (slot, _)) in keys.iter().enumerate() {
            made.set(*slot, groups.keys.column(place));
        }
        for ((slot, _), column) in aggregates.iter().zip(&groups.columns) {
            let data = (0..count).map(|group| Ok(column.states.finish(group)?));
            made.set(*slot, Column::of(data.collect::<Result<_>>()?));
        }
        self.push_all(made, sink)
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
