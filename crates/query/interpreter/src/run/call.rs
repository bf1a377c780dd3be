//! Calls of procedures.

use evergraph_functions::{Datum, ReadError};
use evergraph_planner::ProcedureCall;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::GraphError;
use evergraph_syntax::scope::Type;

use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::Row;
use crate::procedures::{ProcedureContext, ProcedureRows};

impl Run<'_, '_> {
    pub(super) fn call(
        &self,
        call: &ProcedureCall,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let Some(procedure) = self.procedures.find(&call.name) else {
            let message = format!("there is no procedure `{}`", call.name);
            return Err(QueryError::runtime(
                "ProcedureError",
                "ProcedureNotFound",
                message,
            ));
        };
        let context = ProcedureContext {
            graph: self.graph,
            guard: self.guard,
            counters: &self.counters,
        };
        for at in 0..batch.len() {
            let mut row = Row::new(batch, at);
            let mut arguments = Vec::with_capacity(call.arguments.len());
            for (argument, (_, of)) in call.arguments.iter().zip(&procedure.signature.inputs) {
                arguments.push(given(self.value(argument, &mut row)?, of));
            }
            arguments.resize(procedure.signature.inputs.len(), Datum::NULL);
            let rows = (procedure.body)(&context, &arguments);
            let rows = rows.map_err(|source| self.failed(call, source))?;
            if self.called(call, rows, (batch, at), sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Pushes what a call gives for one row.
    fn called(
        &self,
        call: &ProcedureCall,
        mut rows: ProcedureRows,
        (batch, at): (&Batch, usize),
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        if call.effect {
            return self.push(batch.row(at), sink);
        }
        let mut is_first = true;
        loop {
            let some: Vec<Vec<Datum>> = rows.by_ref().take(BATCH).collect();
            match some.len() {
                0 if call.optional && is_first => return self.push(batch.row(at), sink),
                0 => return Ok(Flow::Continue),
                count => {
                    let mut made = batch.repeated(at, count);
                    for &(column, slot) in &call.results {
                        let data = some.iter().map(|row| row.get(column).cloned());
                        let data = data.map(Option::unwrap_or_default).collect();
                        made.set(slot, Column::of(data));
                    }
                    if self.push(made, sink)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
            }
            is_first = false;
        }
    }

    /// The error of a procedure; if it was the query that had to stop, that.
    fn failed(&self, call: &ProcedureCall, source: ReadError) -> QueryError {
        if let Err(stopped) = self.guard.check() {
            return stopped;
        }
        match source.downcast::<GraphError>() {
            Ok(error) => QueryError::Graph(*error),
            Err(source) => QueryError::Procedure {
                name: call.name.to_string(),
                source,
            },
        }
    }
}

/// An argument as its declared type takes it: an integer is also a float.
fn given(datum: Datum, of: &Type) -> Datum {
    match (&datum, of) {
        (Datum::Value(Value::Integer(number)), Type::Float) => (*number as f64).into(),
        _ => datum,
    }
}
