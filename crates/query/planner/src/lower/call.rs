//! Calls of procedures.

use evergraph_syntax::scope::Signature;
use evergraph_syntax::tree::{self, Yield};

use super::query::WithColumns;
use super::{Lowering, Scope};
use crate::PlanError;
use crate::plan::{Expression, Operator, Plan, ProcedureCall, Slot};

impl Lowering<'_> {
    pub(super) fn call(
        &mut self,
        call: &tree::Call,
        input: Plan,
        scope: &mut Scope,
        alone: bool,
    ) -> Result<WithColumns, PlanError> {
        let parts: Vec<&str> = call.name.iter().map(|name| name.text.as_str()).collect();
        let name = parts.join(".");
        let Some(procedure) = self.catalog.procedure(&name) else {
            let message = format!("there is no procedure `{name}`");
            return Err(PlanError::new(
                "ProcedureError",
                "ProcedureNotFound",
                call.at,
                message,
            ));
        };
        let arguments = self.arguments(call, &name, &procedure, scope, alone)?;
        let (items, filter) = match &call.results {
            Some(Yield::Items(items, filter)) => (items.as_slice(), filter.as_ref()),
            Some(Yield::All) | None => (&[][..], None),
        };
        let takes_all = matches!(call.results, Some(Yield::All)) || (alone && items.is_empty());
        let mut results = Vec::new();
        let mut columns = Vec::new();
        if takes_all {
            for (place, (name, _)) in procedure.outputs.iter().enumerate() {
                self.yielded(name, place, scope, &mut results, &mut columns, call)?;
            }
        }
        for item in items {
            let mut names = procedure.outputs.iter().map(|(name, _)| name);
            let Some(place) = names.position(|name| *name == item.name.text) else {
                let message = format!("`{name}` has no result `{}`", item.name.text);
                let at = item.name.at;
                return Err(PlanError::syntax("UndefinedVariable", at, message));
            };
            let variable = &item.variable().text;
            self.yielded(variable, place, scope, &mut results, &mut columns, call)?;
        }
        let effect = procedure.outputs.is_empty();
        let rows = input.rows * if effect { 1.0 } else { 10.0 };
        let brings: Vec<Slot> = results.iter().map(|&(_, slot)| slot).collect();
        let called = |optional| {
            Operator::Call(ProcedureCall {
                name: name.into(),
                arguments,
                results,
                optional,
                effect,
                writes: procedure.writes,
            })
        };
        let plan = match filter {
            None => input.then(called(call.optional), rows),
            Some(filter) => {
                let filter = Operator::Filter(vec![self.expression(filter, scope)?]);
                match call.optional {
                    false => input.then(called(false), rows).then(filter, rows * 0.5),
                    // A row of which the filter leaves nothing has null.
                    true => {
                        let inner = Plan::argument().then(called(false), 10.0);
                        let inner = Box::new(inner.then(filter, 5.0));
                        input.then(Operator::Optional { inner, brings }, rows)
                    }
                }
            }
        };
        if !alone {
            columns.clear();
        }
        Ok((plan, columns))
    }

    fn yielded(
        &mut self,
        variable: &str,
        place: usize,
        scope: &mut Scope,
        results: &mut Vec<(usize, usize)>,
        columns: &mut Vec<(String, usize)>,
        call: &tree::Call,
    ) -> Result<(), PlanError> {
        if scope.contains_key(variable) {
            let message = format!("variable `{variable}` exists already; rename it with AS");
            return Err(PlanError::syntax("VariableAlreadyBound", call.at, message));
        }
        let slot = self.bind(variable, scope);
        results.push((place, slot));
        columns.push((variable.to_string(), slot));
        Ok(())
    }

    fn arguments(
        &mut self,
        call: &tree::Call,
        name: &str,
        procedure: &Signature,
        scope: &Scope,
        alone: bool,
    ) -> Result<Vec<Expression>, PlanError> {
        let Some(arguments) = &call.arguments else {
            if !alone {
                let message = format!("write the arguments of `{name}`, or `()`");
                let detail = "InvalidArgumentPassingMode";
                return Err(PlanError::syntax(detail, call.at, message));
            }
            let names = procedure.inputs.iter().take(procedure.needed());
            return Ok(names
                .map(|(name, _)| Expression::Parameter(name.as_str().into()))
                .collect());
        };
        self.expressions(arguments, scope)
    }
}
