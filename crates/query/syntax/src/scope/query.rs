//! Queries, clause by clause.

use super::types::{Type, Types};
use super::value::Place;
use super::{Checker, Layer, already_bound, problem};
use crate::error::Detail::*;
use crate::error::Problem;
use crate::parse::Parsed;
use crate::tree::{
    CallSubquery, Clause, ClauseKind, Concurrency, Expression, Imports, InTransactions, Item,
    LoadCsv, Match, Node, OnError, Query, SingleQuery,
};

/// Where a query stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// Nothing.
    Statement,
    /// `CALL { ... }`
    Call,
    /// `EXISTS { ... }` and the like, which read only, and return what is asked.
    Expression,
}

/// In messages.
const AS_OF: &str = "the snapshot of AS OF";

impl Checker<'_> {
    pub(super) fn whole_query(&mut self, query: &Query) -> Parsed<Vec<String>> {
        self.query(query, Within::Statement)
            .map(|columns| columns.into_iter().map(|(name, _)| name).collect())
    }

    /// The columns of a query. Each of its parts has a layer of its own: what lies below is
    /// of the query around it, and no WITH drops that.
    fn query(&mut self, query: &Query, within: Within) -> Parsed<Vec<(String, Type)>> {
        if let Some(as_of) = &query.as_of {
            self.constant(as_of, AS_OF)?;
        }
        self.queries += 1;
        self.need_own_transactions(query)?;
        let mut columns: Option<Vec<(String, Type)>> = None;
        for (number, part) in query.parts.iter().enumerate() {
            let imports = part.clauses.first().is_some_and(imports_variables);
            if let (Within::Call, true, Some(first)) = (within, imports, part.clauses.first()) {
                self.need_plain_import(first)?;
            }
            let layer = Layer {
                is_closed: within == Within::Call && !imports,
                ..Layer::default()
            };
            let found = self.in_layer(layer, |checker| {
                checker.import_all(part, within);
                checker.part(part, within)
            })?;
            let Some(columns) = &mut columns else {
                columns = Some(found);
                continue;
            };
            let mut names = [&*columns, &found].map(|columns| {
                let mut names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                names
            });
            if names[0] != names[1] {
                let [one, other] = &mut names;
                let what = format!("the columns are {}, and were {}", list(other), list(one));
                let hint = "give the same names to the columns of all parts, with AS";
                let at = query
                    .unions
                    .get(number - 1)
                    .map_or(part.at, |union| union.at);
                return Err(problem(DifferentColumnsInUnion, at, what, hint));
            }
            for (name, of) in columns.iter_mut() {
                let other = found.iter().find(|(found, _)| found == name);
                if let Some((_, other)) = other.filter(|(_, other)| other != of) {
                    *of = of.clone().or(other.clone());
                }
            }
        }
        self.queries -= 1;
        Ok(columns.unwrap_or_default())
    }

    /// `CALL { WITH * ... }` imports all variables.
    fn import_all(&mut self, part: &SingleQuery, within: Within) {
        let first = part.clauses.first().map(|clause| &clause.kind);
        if let (Within::Call, Some(ClauseKind::With(import))) = (within, first)
            && import.all
        {
            for (name, of) in self.visible() {
                self.bind(&name, of);
            }
        }
    }

    /// Refuses a WITH that imports variables and does more: it comes before any row.
    fn need_plain_import(&self, clause: &Clause) -> Parsed<()> {
        let ClauseKind::With(import) = &clause.kind else {
            return Ok(());
        };
        let is_of_around = |item: &Item| self.find(item.name()).is_some() || item.alias.is_some();
        let does_more = import.distinct
            || !import.order.is_empty()
            || import.skip.is_some()
            || import.limit.is_some()
            || import.filter.is_some()
            || import.items.iter().any(|item| item.alias.is_some());
        if !does_more || import.items.is_empty() || !import.items.iter().all(is_of_around) {
            return Ok(());
        }
        let what =
            "a WITH at the beginning of CALL { ... } only names variables of the query around";
        let hint = "write CALL (n) { ... }, or a second WITH behind it";
        Err(problem(InvalidClauseComposition, clause.at, what, hint))
    }

    /// Refuses `IN TRANSACTIONS` but in a statement itself, and without `UNION`.
    fn need_own_transactions(&self, query: &Query) -> Parsed<()> {
        if self.queries == 1 && query.parts.len() == 1 {
            return Ok(());
        }
        let mut clauses = query.parts.iter().flat_map(|part| &part.clauses);
        let found = clauses.find_map(|clause| match &clause.kind {
            ClauseKind::Subquery(part) => part.transactions.as_ref(),
            _ => None,
        });
        let Some(found) = found else {
            return Ok(());
        };
        let (what, hint) = match self.queries {
            1 => (
                "IN TRANSACTIONS stands beside UNION",
                "write a statement for each part",
            ),
            _ => (
                "IN TRANSACTIONS stands within another query",
                "write CALL { ... } IN TRANSACTIONS as a clause of the statement itself",
            ),
        };
        Err(problem(InvalidClauseComposition, found.at, what, hint))
    }

    fn part(&mut self, part: &SingleQuery, within: Within) -> Parsed<Vec<(String, Type)>> {
        let mut columns = Vec::new();
        for (number, clause) in part.clauses.iter().enumerate() {
            let stands_alone = within == Within::Statement && part.clauses.len() == 1;
            columns = self.clause(clause, stands_alone)?;
            // An importing WITH has seen the variables around it, the others do not.
            let imports = matches!(clause.kind, ClauseKind::With(_)) && within == Within::Call;
            if number == 0
                && imports
                && let Some(layer) = self.layers.last_mut()
            {
                layer.is_closed = true;
            }
        }
        let Some(last) = part.clauses.last() else {
            return Ok(columns);
        };
        let goes_on = matches!(
            last.kind,
            ClauseKind::Match(_)
                | ClauseKind::Unwind(..)
                | ClauseKind::LoadCsv(_)
                | ClauseKind::With(_)
        );
        if goes_on && within != Within::Expression {
            let what = "the query ends with a clause that has no effect";
            let hint = "add RETURN, or a clause that writes";
            return Err(problem(InvalidClauseComposition, last.at, what, hint));
        }
        Ok(columns)
    }

    /// Columns, if it is the last clause and returns some.
    fn clause(&mut self, clause: &Clause, stands_alone: bool) -> Parsed<Vec<(String, Type)>> {
        if self.expressions > 0 && is_update(&clause.kind) {
            let what = "this clause writes, within an expression";
            let hint = "use CALL { ... }";
            return Err(problem(InvalidClauseComposition, clause.at, what, hint));
        }
        match &clause.kind {
            ClauseKind::Match(part) => self.match_clause(part)?,
            ClauseKind::Unwind(list, variable) => {
                let of = self.value(list, Place::without_aggregation("UNWIND"))?;
                self.need_unbound(variable)?;
                let element = match of {
                    Type::List(element) => *element,
                    _ => Type::Any,
                };
                self.bind(&variable.text, element);
            }
            ClauseKind::LoadCsv(part) => self.load_csv(part)?,
            ClauseKind::With(projection) => self.with(projection, clause.at)?,
            ClauseKind::Return(projection) => return self.project(projection, false, clause.at),
            ClauseKind::Finish => {}
            ClauseKind::Create(patterns) => self.create(patterns)?,
            ClauseKind::Merge(pattern, actions) => self.merge(pattern, actions)?,
            ClauseKind::Set(items) => self.set(items)?,
            ClauseKind::Remove(items) => self.remove(items)?,
            ClauseKind::Delete(part) => self.delete(part)?,
            ClauseKind::Foreach(part) => self.foreach(part)?,
            ClauseKind::Call(call) => {
                let columns = self.call(call, stands_alone)?;
                if stands_alone {
                    return Ok(columns.into_iter().map(|name| (name, Type::Any)).collect());
                }
            }
            ClauseKind::Subquery(part) => self.subquery_clause(part)?,
        }
        Ok(Vec::new())
    }

    /// A clause of FOREACH, which the parser has made sure writes.
    pub(super) fn update(&mut self, clause: &Clause) -> Parsed<()> {
        self.clause(clause, false).map(|_| ())
    }

    fn match_clause(&mut self, part: &Match) -> Parsed<()> {
        self.match_patterns(&part.patterns)?;
        super::hint::check(part)?;
        if let Some(as_of) = &part.as_of {
            self.value(as_of, Place::without_aggregation("AS OF"))?;
        }
        self.filter(part.filter.as_ref())
    }

    fn load_csv(&mut self, part: &LoadCsv) -> Parsed<()> {
        let of = self.value(&part.source, Place::without_aggregation("LOAD CSV"))?;
        self.need_types(&of, Types::STRING, part.source.at)?;
        self.need_unbound(&part.variable)?;
        let of = match part.headers {
            true => Type::Map,
            false => Type::List(Box::new(Type::Text)),
        };
        self.bind(&part.variable.text, of);
        Ok(())
    }

    fn subquery_clause(&mut self, part: &CallSubquery) -> Parsed<()> {
        for part in &part.query.parts {
            if let Some(ClauseKind::Return(columns)) = part.clauses.last().map(|last| &last.kind) {
                super::projection::need_names(columns)?;
            }
        }
        let columns = match &part.imports {
            Imports::ByWith => self.query(&part.query, Within::Call)?,
            Imports::All => self.query(&part.query, Within::Statement)?,
            Imports::Names(names) => {
                let mut imports = Layer {
                    is_closed: true,
                    ..Layer::default()
                };
                for name in names {
                    let of = self.need_variable(&name.text, name.at)?.clone();
                    if imports.variables.insert(name.text.clone(), of).is_some() {
                        return Err(already_bound(name));
                    }
                }
                self.in_layer(imports, |checker| {
                    checker.query(&part.query, Within::Statement)
                })?
            }
        };
        for (name, of) in columns {
            if self.find(&name).is_some() {
                let what = format!("the subquery returns {name}, which is a variable already");
                let hint = "return it by another name, with AS";
                return Err(problem(
                    VariableAlreadyBound,
                    part.query.parts[0].at,
                    what,
                    hint,
                ));
            }
            self.bind(&name, of);
        }
        match &part.transactions {
            Some(transactions) => self.in_transactions(transactions),
            None => Ok(()),
        }
    }

    fn in_transactions(&mut self, part: &InTransactions) -> Parsed<()> {
        if let Some(rows) = &part.rows {
            self.at_least_one(rows, "the number of rows of a transaction")?;
        }
        if let Some(Concurrency::Most(most)) = &part.concurrency {
            self.at_least_one(most, "the number of transactions at a time")?;
        }
        let Some(status) = &part.status else {
            return Ok(());
        };
        if part.on_error == OnError::Fail {
            let what = "a status is reported of transactions whose errors fail the statement";
            let hint = "write ON ERROR CONTINUE or ON ERROR BREAK before it, or leave it out";
            return Err(problem(InvalidClauseComposition, status.at, what, hint));
        }
        self.need_unbound(status)?;
        self.bind(&status.text, Type::Map);
        Ok(())
    }

    /// A number of which no row decides.
    fn at_least_one(&mut self, number: &Expression, what: &str) -> Parsed<()> {
        let of = self.constant(number, what)?;
        self.need_types(&of, Types::INTEGER, number.at)?;
        match number.node {
            Node::Integer(..=0) => {
                let what = format!("{what} is less than 1");
                Err(problem(
                    NegativeIntegerArgument,
                    number.at,
                    what,
                    "write 1 or more",
                ))
            }
            _ => Ok(()),
        }
    }

    /// A query in an expression; it sees all variables.
    pub(super) fn query_in_expression(&mut self, query: &Query) -> Parsed<Vec<(String, Type)>> {
        self.expressions += 1;
        let columns = self.query(query, Within::Expression)?;
        self.expressions -= 1;
        Ok(columns)
    }

    pub(super) fn filter(&mut self, filter: Option<&Expression>) -> Parsed<()> {
        match filter {
            Some(filter) => self.condition(filter, Place::condition("WHERE")),
            None => Ok(()),
        }
    }

    /// A value that no row decides.
    pub(super) fn constant(&mut self, value: &Expression, what: &str) -> Parsed<Type> {
        let closed = Layer {
            is_closed: true,
            ..Layer::default()
        };
        let of = self.in_layer(closed, |checker| {
            checker.value(value, Place::without_aggregation("a constant"))
        });
        of.map_err(|problem| match problem.detail {
            UndefinedVariable => Problem {
                detail: NonConstantExpression,
                what: format!("{what} depends on a variable"),
                hint: match what {
                    AS_OF => "put the name of a snapshot in quotes: AS OF 'name'".to_string(),
                    _ => "write a number or a parameter".to_string(),
                },
                near: None,
                ..problem
            },
            _ => problem,
        })
    }
}

fn is_update(kind: &ClauseKind) -> bool {
    matches!(
        kind,
        ClauseKind::Create(_)
            | ClauseKind::Merge(..)
            | ClauseKind::Set(_)
            | ClauseKind::Remove(_)
            | ClauseKind::Delete(_)
            | ClauseKind::Foreach(_)
    )
}

/// Whether a clause is a WITH of variables alone.
fn imports_variables(clause: &Clause) -> bool {
    let ClauseKind::With(projection) = &clause.kind else {
        return false;
    };
    let items = projection.items.iter();
    items
        .map(|item| &item.value.node)
        .all(|node| matches!(node, Node::Variable(_)))
}

fn list(names: &[&str]) -> String {
    match names.is_empty() {
        true => "none".to_string(),
        false => names.join(", "),
    }
}
