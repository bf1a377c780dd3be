//! Queries and their reading clauses.

use evergraph_syntax::tree::{self, ClauseKind, Imports};

use super::matches::together;
use super::pattern::Found;
use super::{IdleHint, Lowering, Scope, new_slots};
use crate::PlanError;
use crate::plan::{Constant, Expression, InTransactions, LoadCsv, Operator, Plan, Slot};

/// Clauses of one query: a plan is as deep, and walked recursively.
const MOST_CLAUSES: usize = 1000;

/// Parts of a `UNION` that each have slots of their own; more of them share slots, so that
/// rows do not get wider with each.
const FEW_PARTS: usize = 16;

/// A plan with its columns.
pub(super) type WithColumns = (Plan, Vec<(String, Slot)>);

impl Lowering<'_> {
    /// The rows of a query for each row of a plan.
    pub(super) fn query(
        &mut self,
        query: &tree::Query,
        input: Plan,
        scope: &Scope,
    ) -> Result<WithColumns, PlanError> {
        if let (Some(as_of), true) = (&query.as_of, self.is_within) {
            return Err(PlanError::unsupported(
                as_of.at,
                "AS OF of a subquery (a statement reads one commit: write AS OF before its first clause, \
                 and compare two commits by two statements)",
            ));
        }
        self.is_within = true;
        let line = self.line;
        let rows = self.parts(query, input, scope);
        self.line = line;
        rows
    }

    /// As [`Lowering::query`], of a query that always sees some variables around it.
    pub(super) fn query_seeing(
        &mut self,
        query: &tree::Query,
        around: &Scope,
    ) -> Result<WithColumns, PlanError> {
        let before = std::mem::replace(&mut self.around, around.clone());
        let found = self.query(query, Plan::argument(), around);
        self.around = before;
        found
    }

    fn parts(
        &mut self,
        query: &tree::Query,
        input: Plan,
        scope: &Scope,
    ) -> Result<WithColumns, PlanError> {
        if let [single] = query.parts.as_slice() {
            return self.single_query(single, input, scope);
        }
        let mut parts = Vec::with_capacity(query.parts.len());
        let mut names: Vec<String> = Vec::new();
        let begin = self.names.len();
        let line = self.line;
        for single in &query.parts {
            self.line = line;
            // Rows of a part have nothing to do with those of another.
            if query.parts.len() > FEW_PARTS {
                self.reuse_slots(begin);
            }
            let (plan, columns) = self.single_query(single, Plan::argument(), scope)?;
            if names.is_empty() {
                names = columns.iter().map(|(name, _)| name.clone()).collect();
            }
            let slots = names.iter().map(|name| {
                let same = columns.iter().find(|(other, _)| other == name);
                same.map(|&(_, slot)| slot)
            });
            let Some(slots) = slots.collect::<Option<Vec<Slot>>>() else {
                let message = "all parts of a UNION return the same columns";
                return Err(PlanError::syntax(
                    "DifferentColumnsInUnion",
                    single.at,
                    message,
                ));
            };
            parts.push((plan, slots));
        }
        let columns: Vec<(String, Slot)> = names
            .into_iter()
            .map(|name| {
                let slot = self.slot(&name);
                (name, slot)
            })
            .collect();
        let slots: Vec<Slot> = columns.iter().map(|&(_, slot)| slot).collect();
        let rows = parts.iter().map(|(plan, _)| plan.rows).sum();
        let union = Plan {
            operator: Operator::Union {
                parts,
                columns: slots.clone(),
            },
            input: None,
            rows,
        };
        let all = query.unions.iter().all(|union| union.all);
        let union = match all {
            true => union,
            false => union.with(Operator::Distinct(slots)),
        };
        Ok((union, columns))
    }

    fn single_query(
        &mut self,
        query: &tree::SingleQuery,
        input: Plan,
        scope: &Scope,
    ) -> Result<WithColumns, PlanError> {
        let mut scope = scope.clone();
        let mut plan = input;
        let mut columns = Vec::new();
        if query.clauses.len() > MOST_CLAUSES {
            let message = format!("a query has at most {MOST_CLAUSES} clauses; divide it");
            return Err(PlanError::syntax("LimitExceeded", query.at, message));
        }
        let mut left = query.clauses.as_slice();
        while let Some((clause, rest)) = left.split_first() {
            let found = together(left);
            if found.len() > 1 {
                plan = self.found_clauses(&found, plan, &mut scope)?;
                left = &left[found.len()..];
                continue;
            }
            let alone = query.clauses.len() == 1;
            (plan, columns) = self.clause(clause, plan, &mut scope, alone)?;
            left = rest;
        }
        Ok((plan, columns))
    }

    /// A clause behind a plan. Columns come of `RETURN` and of a procedure that is the
    /// whole query.
    pub(super) fn clause(
        &mut self,
        clause: &tree::Clause,
        input: Plan,
        scope: &mut Scope,
        alone: bool,
    ) -> Result<WithColumns, PlanError> {
        let plan = match &clause.kind {
            ClauseKind::Match(found) => self.match_clause(found, input, scope)?,
            ClauseKind::Unwind(list, name) => {
                let list = self.expression(list, scope)?;
                let slot = self.bind(&name.text, scope);
                let rows = input.rows * elements_of(&list);
                input.then(Operator::Unwind(list, slot), rows)
            }
            ClauseKind::LoadCsv(load) => self.load_csv(load, input, scope)?,
            ClauseKind::With(projection) => {
                let (plan, _) = self.projection(projection, input, scope)?;
                self.line = None;
                plan
            }
            ClauseKind::Return(projection) => return self.projection(projection, input, scope),
            ClauseKind::Finish => input,
            ClauseKind::Create(patterns) => self.create(patterns, input, scope)?,
            ClauseKind::Merge(pattern, actions) => self.merge(pattern, actions, input, scope)?,
            ClauseKind::Set(items) => {
                let items = self.set_items(items, scope)?;
                input.with(Operator::Set(items))
            }
            ClauseKind::Remove(items) => {
                let items = self.remove_items(items, scope)?;
                input.with(Operator::Set(items))
            }
            ClauseKind::Delete(delete) => {
                let items = self.expressions(&delete.items, scope)?;
                input.with(Operator::Delete {
                    detach: delete.detach,
                    items,
                })
            }
            ClauseKind::Foreach(foreach) => self.foreach(foreach, input, scope)?,
            ClauseKind::Call(call) => return self.call(call, input, scope, alone),
            ClauseKind::Subquery(subquery) => self.call_subquery(subquery, input, scope)?,
        };
        Ok((plan, Vec::new()))
    }

    fn match_clause(
        &mut self,
        found: &tree::Match,
        input: Plan,
        scope: &mut Scope,
    ) -> Result<Plan, PlanError> {
        if let Some(as_of) = &found.as_of {
            return Err(PlanError::unsupported(
                as_of.at,
                "AS OF of one MATCH (a statement reads one commit: write AS OF before its first clause, \
                 and compare two commits by two statements)",
            ));
        }
        let clause = Found {
            patterns: &found.patterns,
            filter: found.filter.as_ref(),
            repeatable: found.repeatable,
            hints: &found.hints,
        };
        if !found.optional {
            return self.found_clauses(&[clause], input, scope);
        }
        let before = scope.clone();
        let inner = self.found_clauses(&[clause], Plan::argument(), scope)?;
        let brings = new_slots(&before, scope);
        let rows = input.rows * inner.rows.max(1.0);
        let inner = Box::new(inner);
        Ok(input.then(Operator::Optional { inner, brings }, rows))
    }

    fn load_csv(
        &mut self,
        load: &tree::LoadCsv,
        input: Plan,
        scope: &mut Scope,
    ) -> Result<Plan, PlanError> {
        let source = self.expression(&load.source, scope)?;
        let variable = self.bind(&load.variable.text, scope);
        self.line = Some((self.slot("linenumber()"), self.slot("file()")));
        // How long files are is not known before they are read.
        let rows = input.rows * 1_000.0;
        let operator = LoadCsv {
            source,
            headers: load.headers,
            terminator: load.terminator.unwrap_or(b','),
            variable,
            place: self.line,
        };
        Ok(input.then(Operator::LoadCsv(operator), rows))
    }

    fn call_subquery(
        &mut self,
        call: &tree::CallSubquery,
        input: Plan,
        scope: &mut Scope,
    ) -> Result<Plan, PlanError> {
        let parts = &call.query.parts;
        let imports = |part: &tree::SingleQuery| {
            let first = part.clauses.first().map(|clause| &clause.kind);
            matches!(first, Some(ClauseKind::With(_)))
        };
        let (inner, columns) = match &call.imports {
            Imports::All => self.query_seeing(&call.query, scope)?,
            Imports::Names(names) => {
                let slot_of =
                    |name: &tree::Name| Some((name.text.clone(), *scope.get(&name.text)?));
                let around = names.iter().filter_map(slot_of).collect();
                self.query_seeing(&call.query, &around)?
            }
            Imports::ByWith => {
                let first = match parts.iter().any(imports) {
                    true => scope.clone(),
                    false => Scope::new(),
                };
                let around = std::mem::take(&mut self.around);
                let found = self.query(&call.query, Plan::argument(), &first);
                self.around = around;
                found?
            }
        };
        let rows = input.rows * inner.rows.max(1.0);
        let (inner, columns) = match call.optional || call.transactions.is_some() {
            true => self.in_own_slots(inner, columns, scope),
            false => (inner, columns),
        };
        let inner = Box::new(inner);
        let brings: Vec<Slot> = columns.iter().map(|&(_, slot)| slot).collect();
        let is_unit = columns.is_empty();
        scope.extend(columns);
        let of_rows = |input: Plan, brings: Vec<Slot>| match (call.optional, is_unit) {
            (_, true) => input.with(Operator::Apply {
                inner,
                brings: None,
            }),
            (true, false) => input.then(Operator::Optional { inner, brings }, rows),
            (false, false) => {
                let brings = Some(brings);
                input.then(Operator::Apply { inner, brings }, rows)
            }
        };
        let Some(transactions) = &call.transactions else {
            return Ok(of_rows(input, brings));
        };
        self.transactions = Some(transactions.at);
        if transactions.concurrency.is_some() {
            let message = "CONCURRENT has no effect: the transactions run one after another";
            self.idle_hints.push(IdleHint {
                message: message.into(),
                at: transactions.at,
            });
        }
        let inner = Box::new(of_rows(Plan::argument(), brings.clone()));
        let rows = if is_unit { input.rows } else { rows };
        let operator = InTransactions {
            inner,
            brings,
            rows: self.optional(transactions.rows.as_ref(), &Scope::new())?,
            on_error: transactions.on_error,
            status: transactions
                .status
                .as_ref()
                .map(|name| self.bind(&name.text, scope)),
        };
        Ok(input.then(Operator::InTransactions(operator), rows))
    }

    /// Columns in slots of their own: of a row for which there are none they become null,
    /// and what is around, by whatever name it is returned, does not.
    fn in_own_slots(
        &mut self,
        inner: Plan,
        mut columns: Vec<(String, Slot)>,
        around: &Scope,
    ) -> WithColumns {
        let mut copies = Vec::new();
        for (name, slot) in &mut columns {
            if around.values().any(|of| of == slot) {
                let own = self.slot(name);
                copies.push((own, Expression::Slot(std::mem::replace(slot, own))));
            }
        }
        match copies.is_empty() {
            true => (inner, columns),
            false => (inner.with(Operator::Extend(copies)), columns),
        }
    }
}

/// How many elements a list has, as far as the text says.
pub(crate) fn elements_of(list: &Expression) -> f64 {
    const UNKNOWN: f64 = 10.0;
    match list {
        Expression::List(items) => items.len() as f64,
        Expression::Call(name, bounds) if &**name == "range" => match bounds.as_slice() {
            [
                Expression::Constant(Constant::Integer(first)),
                Expression::Constant(Constant::Integer(last)),
            ] => (*last as f64 - *first as f64 + 1.0).max(0.0),
            _ => UNKNOWN,
        },
        _ => UNKNOWN,
    }
}
