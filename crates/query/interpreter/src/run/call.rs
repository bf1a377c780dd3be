//! Calls of procedures.

use evergraph_functions::Datum;
use evergraph_planner::ProcedureCall;
use evergraph_property_graph::Value;
use evergraph_syntax::scope::Type;

use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, Column};
use crate::evaluate::Row;
use crate::procedures::ProcedureContext;

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
        let context = ProcedureContext { graph: self.graph };
        for at in 0..batch.len() {
            let mut row = Row::new(batch, at);
            let mut arguments = Vec::with_capacity(call.arguments.len());
            for (argument, (_, of)) in call.arguments.iter().zip(&procedure.signature.inputs) {
                arguments.push(given(self.value(argument, &mut row)?, of));
            }
            let rows = (procedure.body)(&context, &arguments);
            let rows = rows.map_err(|source| QueryError::Procedure {
                name: call.name.to_string(),
                source,
            })?;
            let made = match rows.len() {
                _ if call.effect => batch.row(at),
                0 if call.optional => batch.row(at),
                count => {
                    let mut made = batch.repeated(at, count);
                    for &(column, slot) in &call.results {
                        let data = rows.iter().map(|row| row.get(column).cloned());
                        let data = data.map(Option::unwrap_or_default).collect();
                        made.set(slot, Column::Data(data));
                    }
                    made
                }
            };
            if self.push_all(made, sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}

/// An argument as its declared type takes it: an integer is also a float.
fn given(datum: Datum, of: &Type) -> Datum {
    match (&datum, of) {
        (Datum::Value(Value::Integer(number)), Type::Float) => (*number as f64).into(),
        _ => datum,
    }
}
