//! Groups of rows.

use std::collections::HashMap;

use evergraph_functions::aggregates::{Accumulator, Aggregate as Kind};
use evergraph_functions::functions::{self, Evaluation};
use evergraph_functions::Datum;
use evergraph_planner::{Aggregate, Expression, Plan, Slot};

use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, Column, bytes_of};
use crate::evaluate::Row;

/// Groups in the order in which they were met.
struct Groups {
    places: HashMap<Vec<Datum>, usize, foldhash::fast::RandomState>,
    states: Vec<(Vec<Datum>, Vec<Accumulator>)>,
    /// States of a group without rows.
    fresh: Vec<Accumulator>,
}

impl Groups {
    fn new(aggregates: &[(Slot, Aggregate)]) -> Result<Self> {
        let fresh = aggregates.iter().map(|(_, aggregate)| {
            Ok(Accumulator::new(kind_of(aggregate)?, aggregate.distinct))
        });
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
        let mut groups = Groups::new(aggregates)?;
        let around = argument.clone();
        let mut account = self.guard.account("grouping");
        self.run(input, argument, &mut |batch| {
            for at in 0..batch.len() {
                let mut row = Row::new(&batch, at);
                let key = keys.iter().map(|(_, key)| self.value(key, &mut row));
                let key: Vec<Datum> = key.collect::<Result<_>>()?;
                let size = 128 + key.iter().map(bytes_of).sum::<usize>();
                let (states, is_new) = groups.of(key);
                let mut taken = if is_new { size } else { 0 };
                for (state, (_, aggregate)) in states.iter_mut().zip(aggregates) {
                    let mut arguments = Vec::with_capacity(aggregate.arguments.len());
                    for argument in &aggregate.arguments {
                        arguments.push(self.value(argument, &mut row)?);
                    }
                    if aggregate.distinct || &*aggregate.name == "collect" {
                        taken += 32 + arguments.iter().map(bytes_of).sum::<usize>();
                    }
                    state.add(&arguments)?;
                }
                if taken > 0 {
                    account.add(taken)?;
                }
            }
            Ok(Flow::Continue)
        })?;
        if keys.is_empty() {
            groups.of(Vec::new());
        }
        let mut made = around.repeated_around(self.width, groups.states.len());
        for (place, (slot, _)) in keys.iter().enumerate() {
            let data = groups.states.iter().map(|(key, _)| key[place].clone());
            made.set(*slot, Column::Data(data.collect()));
        }
        for (place, (slot, _)) in aggregates.iter().enumerate() {
            let data = groups.states.iter().map(|(_, states)| Ok(states[place].finish()?));
            made.set(*slot, Column::Data(data.collect::<Result<_>>()?));
        }
        drop((groups, account));
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
