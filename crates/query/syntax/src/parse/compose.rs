//! `WHEN` and `NEXT`, as the clauses that mean the same: subqueries, of which variables with
//! names that no statement has on purpose choose the part or bring the rows.

use super::atom::{called, element, made};
use super::clause::all_and;
use super::{Parsed, Parser};
use crate::error::{Detail, Problem};
use crate::tree::{
    Branch, CallSubquery, Case, Clause, ClauseKind, Comparison, Expression, Imports, Item, Name,
    Node, Projection, Query, SingleQuery, Span, Union, When,
};

/// A row of the query before `NEXT` as one value, for queries whose columns may have the
/// names of its columns again.
pub(super) struct Packed {
    /// Variable of the row, a list.
    row: Name,
    columns: Vec<Name>,
}

impl Packed {
    fn list(&self) -> Expression {
        let columns = self.columns.iter().map(variable);
        made(Node::List(columns.collect()))
    }

    /// `WITH row[0] AS a, row[1] AS b`
    fn unpack(&self) -> Projection {
        let columns = self.columns.iter().zip(0..);
        let items = columns
            .map(|(name, at)| item(element(Node::Variable(self.row.text.clone()), at), name));
        only(items.collect())
    }
}

impl Parser<'_> {
    /// The query behind `NEXT`, which reads the rows of the one before.
    pub(super) fn next_query(&mut self, before: Query, next: Span) -> Parsed<Query> {
        let columns = columns_of(&before);
        let mut clauses = self.rows_of(before)?;
        if self.is_word("WHEN") {
            clauses.extend(self.conditional_of_rows(columns, next)?);
            return Ok(one(clauses, self.since(next)));
        }
        let behind = self.union()?;
        match behind.parts.len() {
            1 => clauses.extend(self.clauses_of(behind, next)?),
            _ => clauses.extend(self.union_of_rows(behind, columns, next)?),
        }
        Ok(one(clauses, self.since(next)))
    }

    /// The clauses of a query as a part of another one.
    pub(super) fn clauses_of(&self, mut query: Query, at: Span) -> Parsed<Vec<Clause>> {
        if query.parts.len() == 1 && query.as_of.is_none() {
            return Ok(query.parts.remove(0).clauses);
        }
        self.as_subquery(query, at)
    }

    /// A query as a subquery, and its columns.
    fn as_subquery(&self, query: Query, at: Span) -> Parsed<Vec<Clause>> {
        let columns = self.known_columns(columns_of(&query), at)?;
        let mut clauses = vec![subquery(query, at)];
        clauses.extend(returned(&columns, at));
        Ok(clauses)
    }

    /// Clauses behind which the columns of a query are variables.
    fn rows_of(&self, mut query: Query) -> Parsed<Vec<Clause>> {
        let at = query.parts[0].at;
        if query.parts.len() > 1 {
            return Ok(vec![subquery(query, at)]);
        }
        let clauses = &mut query.parts[0].clauses;
        let Some(last) = clauses.last_mut() else {
            return Ok(Vec::new());
        };
        let ClauseKind::Return(projection) = &last.kind else {
            return Ok(vec![subquery(query, at)]);
        };
        last.kind = ClauseKind::With(projection.clone());
        Ok(query.parts.remove(0).clauses)
    }

    /// All rows for each part of a `UNION`.
    fn union_of_rows(
        &self,
        mut union: Query,
        columns: Option<Vec<Name>>,
        next: Span,
    ) -> Parsed<Vec<Clause>> {
        let columns = self.known_columns(columns, next)?;
        let mut clauses = Vec::new();
        if !columns.is_empty() {
            let row = self.hidden("row");
            let packed = Packed { row, columns };
            let rows = self.hidden("rows");
            let all = called(Name::new("collect"), vec![packed.list()]);
            let all = only(vec![item(made(all), &rows)]);
            clauses.push(clause(ClauseKind::With(all), next));
            for part in &mut union.parts {
                let each = ClauseKind::Unwind(variable(&rows), packed.row.clone());
                let unpack = ClauseKind::With(packed.unpack());
                let begin = [clause(each, next), clause(unpack, next)];
                part.clauses.splice(0..0, begin);
            }
        }
        clauses.extend(self.as_subquery(union, next)?);
        Ok(clauses)
    }

    /// `WHEN` behind `NEXT`: of each row, as in a subquery.
    fn conditional_of_rows(
        &mut self,
        columns: Option<Vec<Name>>,
        next: Span,
    ) -> Parsed<Vec<Clause>> {
        let columns = self.known_columns(columns, next)?;
        let row = self.hidden("row");
        let packed = (!columns.is_empty()).then_some(Packed { row, columns });
        let mut clauses = Vec::new();
        if let Some(packed) = &packed {
            let list = only(vec![item(packed.list(), &packed.row)]);
            clauses.push(clause(ClauseKind::With(list), next));
        }
        let query = one(self.conditional(packed.as_ref())?, self.since(next));
        clauses.extend(self.as_subquery(query, next)?);
        Ok(clauses)
    }

    /// `WHEN a THEN ... WHEN b THEN ... ELSE ...`: which part is run is found before any is.
    pub(super) fn conditional(&mut self, packed: Option<&Packed>) -> Parsed<Vec<Clause>> {
        let start = self.at();
        let chosen = self.hidden("part");
        let (choice, mut parts) = self.branches()?;
        let at = self.since(start);
        for (part, number) in parts.iter_mut().zip(0..) {
            let mut begin = packed.map_or_else(|| all_and(Vec::new(), None), Packed::unpack);
            begin.filter = Some(is_number(&chosen, number));
            part.clauses.insert(0, clause(ClauseKind::With(begin), at));
        }
        let choice = Projection {
            is_let: true,
            ..all_and(vec![item(choice, &chosen)], None)
        };
        let mut clauses = Vec::new();
        clauses.extend(packed.map(|packed| clause(ClauseKind::With(packed.unpack()), at)));
        clauses.push(clause(ClauseKind::With(choice), at));
        // The columns may have the names of those before.
        if packed.is_some() {
            let only_chosen = only(vec![item(variable(&chosen), &chosen)]);
            clauses.push(clause(ClauseKind::With(only_chosen), at));
        }
        let query = Query {
            as_of: None,
            unions: vec![Union { all: true, at }; parts.len() - 1],
            parts,
        };
        clauses.extend(self.as_subquery(query, at)?);
        Ok(clauses)
    }

    /// The number of the part that is run, and the parts.
    fn branches(&mut self) -> Parsed<(Expression, Vec<SingleQuery>)> {
        let (mut branches, mut parts) = (Vec::new(), Vec::new());
        while self.take_word("WHEN") {
            let when = vec![When::Value(self.deeper(Self::expression)?)];
            self.need_word("THEN")?;
            let then = made(Node::Integer(parts.len() as i64));
            branches.push(Branch { when, then });
            parts.push(self.deeper(Self::single_query)?);
        }
        let mut otherwise = None;
        if self.take_word("ELSE") {
            otherwise = Some(made(Node::Integer(parts.len() as i64)));
            parts.push(self.deeper(Self::single_query)?);
        }
        let choice = Node::Case(Box::new(Case {
            operand: None,
            branches,
            otherwise,
        }));
        Ok((made(choice), parts))
    }

    /// A name that is another one everywhere in the text.
    fn hidden(&self, of: &str) -> Name {
        Name::new(format!(" {of} {}", self.place))
    }

    fn known_columns(&self, columns: Option<Vec<Name>>, at: Span) -> Parsed<Vec<Name>> {
        columns.ok_or_else(|| -> Problem {
            let what = "RETURN * stands in a part of WHEN, or of UNION beside NEXT or in braces";
            let hint = "name the columns that it returns";
            self.problem(Detail::UnexpectedSyntax, at, what, hint)
        })
    }
}

/// Names of the columns, none if there are none; `None` if the text does not say them.
fn columns_of(query: &Query) -> Option<Vec<Name>> {
    let last = query.parts.first().and_then(|part| part.clauses.last());
    match last.map(|last| &last.kind) {
        Some(ClauseKind::Return(found)) if found.all => None,
        Some(ClauseKind::Return(found)) => Some(found.items.iter().map(column).collect()),
        _ => Some(Vec::new()),
    }
}

fn column(item: &Item) -> Name {
    Name {
        text: item.name().into(),
        at: item.value.at,
    }
}

/// A query of one part.
pub(super) fn one(clauses: Vec<Clause>, at: Span) -> Query {
    Query {
        as_of: None,
        parts: vec![SingleQuery { clauses, at }],
        unions: Vec::new(),
    }
}

fn clause(kind: ClauseKind, at: Span) -> Clause {
    Clause { kind, at }
}

/// `CALL (*) { query }`
fn subquery(query: Query, at: Span) -> Clause {
    let part = CallSubquery {
        optional: false,
        imports: Imports::All,
        query,
        transactions: None,
    };
    clause(ClauseKind::Subquery(part), at)
}

/// `RETURN` of variables, if there are any.
fn returned(columns: &[Name], at: Span) -> Option<Clause> {
    let items = columns.iter().map(|name| Item {
        value: variable(name),
        alias: None,
        written: name.text.as_str().into(),
    });
    let projection = only(items.collect());
    (!columns.is_empty()).then(|| clause(ClauseKind::Return(projection), at))
}

fn only(items: Vec<Item>) -> Projection {
    Projection {
        all: false,
        ..all_and(items, None)
    }
}

fn item(value: Expression, name: &Name) -> Item {
    Item {
        value,
        alias: Some(name.clone()),
        written: name.text.as_str().into(),
    }
}

fn variable(name: &Name) -> Expression {
    Expression {
        node: Node::Variable(name.text.clone()),
        at: name.at,
    }
}

/// `name = number`
fn is_number(name: &Name, number: i64) -> Expression {
    let number = made(Node::Integer(number));
    let equal = vec![(Comparison::Equal, number)];
    made(Node::Comparison(Box::new(variable(name)), equal))
}
