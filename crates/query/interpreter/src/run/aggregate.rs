//! Groups of rows.

use std::collections::HashMap;

use evergraph_functions::Datum;
use evergraph_functions::aggregates::{Accumulator, Aggregate as Kind};
use evergraph_functions::functions::{self, Evaluation};
use evergraph_planner::{Aggregate, Expression, Plan, Slot};

use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, Column, bytes_of};
use crate::limits::Account;

/// Groups in the order in which they were met.
struct Groups {
    places: HashMap<Vec<Datum>, usize, foldhash::fast::RandomState>,
    states: Vec<(Vec<Datum>, Vec<Accumulator>)>,
    /// States of a group without rows.
    fresh: Vec<Accumulator>,
}

impl Groups {
    fn new(aggregates: &[(Slot, Aggregate)]) -> Result<Self> {
        let fresh = aggregates
            .iter()
            .map(|(_, aggregate)| Ok(Accumulator::new(kind_of(aggregate)?, aggregate.distinct)));
        Ok(Groups {
            places: HashMap::default(),
            states: Vec::new(),
            fresh: fresh.collect::<Result<_>>()?,
        })
    }

    fn of(&mut self, key: Vec<Datum>) -> (&mut [Accumulator], bool) {
        let next = self.states.len();
        let (place, is_new) = match self.places.get(&key) {
            Some(&place) => (place, false),
            None => {
                self.places.insert(key.clone(), next);
                self.states.push((key, self.fresh.clone()));
                (next, true)
            }
        };
        (&mut self.states[place].1, is_new)
    }

    /// Takes the rows that other groups have taken.
    fn merge(&mut self, other: Groups) -> Result<()> {
        for (key, states) in other.states {
            let (own, _) = self.of(key);
            for (own, state) in own.iter_mut().zip(states) {
                own.merge(state)?;
            }
        }
        Ok(())
    }

    /// Counts rows of the only group by the only aggregation.
    fn count(&mut self, rows: usize) -> Result<()> {
        let (states, _) = self.of(Vec::new());
        for _ in 0..rows {
            states[0].add(&[])?;
        }
        Ok(())
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
        (groups, account): &mut (Groups, Account<'_>),
        batch: &Batch,
    ) -> Result<()> {
        let Grouping { keys, aggregates } = self;
        if keys.is_empty()
            && let [(_, only)] = aggregates
            && only.arguments.is_empty()
        {
            return groups.count(batch.len());
        }
        let of_keys = keys.iter().map(|(_, key)| run.values(key, batch));
        let mut of_keys: Vec<Vec<Datum>> = of_keys.collect::<Result<_>>()?;
        let mut of_arguments: Vec<Vec<Vec<Datum>>> = Vec::with_capacity(aggregates.len());
        for (_, aggregate) in aggregates {
            let columns = aggregate.arguments.iter();
            let columns = columns.map(|argument| run.values(argument, batch));
            of_arguments.push(columns.collect::<Result<_>>()?);
        }
        for at in 0..batch.len() {
            let key = of_keys
                .iter_mut()
                .map(|column| std::mem::take(&mut column[at]));
            let key: Vec<Datum> = key.collect();
            let size = 128 + key.iter().map(bytes_of).sum::<usize>();
            let (states, is_new) = groups.of(key);
            let mut taken = if is_new { size } else { 0 };
            let columns = aggregates.iter().zip(&mut of_arguments);
            for (state, ((_, aggregate), columns)) in states.iter_mut().zip(columns) {
                let arguments = columns.iter_mut();
                let arguments = arguments.map(|column| std::mem::take(&mut column[at]));
                let arguments: Vec<Datum> = arguments.collect();
                if aggregate.distinct || &*aggregate.name == "collect" {
                    taken += 32 + arguments.iter().map(bytes_of).sum::<usize>();
                }
                state.add(&arguments)?;
            }
            if taken > 0 {
                account.add(taken)?;
            }
        }
        Ok(())
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
        let grouping = Grouping { keys, aggregates };
        let guard = self.guard;
        let new = || Ok((Groups::new(aggregates)?, guard.account("grouping")));
        let take =
            |run: &Run<'_, '_>, state: &mut _, batch: Batch| grouping.take(run, state, &batch);
        let around = argument.clone();
        let (mut groups, _accounts) = match self.in_parallel(input, &argument, new, take)? {
            Some(states) => {
                let (mut all, mut accounts) = (Groups::new(aggregates)?, Vec::new());
                for (groups, account) in states {
                    all.merge(groups)?;
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
        if keys.is_empty() {
            groups.of(Vec::new());
        }
        let mut made = around.repeated_around(self.width, groups.states.len());
        for (place, (slot, _)) in keys.iter().enumerate() {
            let data = groups.states.iter().map(|(key, _)| key[place].clone());
            made.set(*slot, Column::Data(data.collect()));
        }
        for (place, (slot, _)) in aggregates.iter().enumerate() {
            let data = groups
                .states
                .iter()
                .map(|(_, states)| Ok(states[place].finish()?));
            made.set(*slot, Column::Data(data.collect::<Result<_>>()?));
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
