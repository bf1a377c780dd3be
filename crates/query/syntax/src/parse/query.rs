//! Statements and queries.

use super::{DEEPEST, Parsed, Parser};
use crate::error::{Detail, Problem};
use crate::lexer::Token;
use crate::tree::{
    Body, Clause, ClauseKind, Expression, Mode, Query, SingleQuery, Statement, Union,
};

/// Words that can stand behind something within a statement.
#[rustfmt::skip] // Words of a table.
pub(super) const WORDS: &[&str] = &[
    "AND", "AS", "AS OF", "ASCENDING", "CALL", "CONTAINS", "CREATE", "DELETE", "DESCENDING",
    "DETACH DELETE", "ENDS WITH", "FIELDTERMINATOR", "FILTER", "FINISH", "FOR", "FOREACH", "IN",
    "IS NOT NULL", "INSERT", "IS NULL", "LET", "LIMIT", "LOAD CSV", "MATCH", "MERGE", "NEXT",
    "OFFSET", "ON CREATE", "ON MATCH", "OPTIONAL MATCH", "OR", "ORDER BY", "REMOVE", "RETURN",
    "SET", "SKIP", "STARTS WITH", "UNION", "UNWIND", "USING", "WHERE", "WITH", "XOR", "YIELD",
    "LOAD", "ORDER", "STARTS", "ENDS", "DETACH", "OPTIONAL",
];

/// Words that begin a statement.
const FIRST: &[&str] = &[
    "CALL", "COPY", "CREATE", "DETACH", "DELETE", "DROP", "EXPLAIN", "FILTER", "FINISH", "FOR",
    "FOREACH", "INSERT", "LET", "LOAD", "MATCH", "MERGE", "OPTIONAL", "PROFILE", "REMOVE",
    "RETURN", "SET", "SHOW", "UNWIND", "WHEN", "WITH",
];

/// Words that begin clauses, statements and parts of them, sorted.
pub(crate) fn keywords() -> Vec<&'static str> {
    let mut words = [WORDS, FIRST, super::RESERVED].concat();
    words.sort_unstable();
    words.dedup();
    words
}

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let mut options = self.language()?;
        let start = self.at();
        let mode = match () {
            () if self.take_word("EXPLAIN") => Mode::Explain,
            () if self.take_word("PROFILE") => Mode::Profile,
            () => Mode::Execute,
        };
        if options.is_empty() {
            options = self.language()?;
        }
        let body = match self.command()? {
            Some(command) => Body::Command(Box::new(command)),
            None => Body::Query(self.query(true)?),
        };
        let at = self.since(start);
        Ok(Statement {
            options,
            mode,
            body,
            at,
        })
    }

    /// A query, up to what is no clause. `is_whole` if nothing is around it.
    pub(super) fn query(&mut self, is_whole: bool) -> Parsed<Query> {
        let as_of = self.as_of()?;
        let around = std::mem::replace(&mut self.deepest, self.depth);
        let mut query = self.union()?;
        if self.is_word("NEXT") {
            query = self.next_queries(query)?;
        }
        self.deepest = self.deepest.max(around);
        if is_whole && !matches!(self.token(), Token::End | Token::Symbol(";")) {
            return Err(self.no_clause());
        }
        Ok(Query { as_of, ..query })
    }

    /// `AS OF a`
    pub(super) fn as_of(&mut self) -> Parsed<Option<Expression>> {
        let is_taken = self.take_words(&["AS", "OF"]);
        is_taken.then(|| self.expression()).transpose()
    }

    fn next_queries(&mut self, mut query: Query) -> Parsed<Query> {
        while self.is_word("NEXT") {
            let next = self.at();
            self.advance();
            query = self.next_query(query, next)?;
        }
        self.deepest += 1;
        match self.deepest > DEEPEST {
            true => Err(self.too_deep()),
            false => Ok(query),
        }
    }

    /// Queries with `UNION` between them, or `WHEN`.
    pub(super) fn union(&mut self) -> Parsed<Query> {
        if self.is_word("WHEN") {
            return self.only_conditional();
        }
        let mut parts = vec![self.single_query()?];
        let mut unions: Vec<Union> = Vec::new();
        loop {
            let at = self.at();
            if !self.take_word("UNION") {
                break;
            }
            let all = self.take_word("ALL");
            if !all {
                self.take_word("DISTINCT");
            }
            let union = Union {
                all,
                at: self.since(at),
            };
            if unions.first().is_some_and(|first| first.all != all) {
                let what = "UNION and UNION ALL stand beside each other";
                let hint = "put one of them into braces: { ... UNION ... }";
                let detail = Detail::InvalidClauseComposition;
                return Err(self.problem(detail, union.at, what, hint));
            }
            unions.push(union);
            parts.push(self.single_query()?);
        }
        Ok(Query {
            as_of: None,
            parts,
            unions,
        })
    }

    /// `WHEN`, which no `UNION` follows: it might be one of the last part.
    fn only_conditional(&mut self) -> Parsed<Query> {
        let start = self.at();
        let clauses = self.conditional(None)?;
        let at = self.since(start);
        if self.is_word("UNION") {
            let what = "UNION stands behind WHEN";
            let hint = "put what belongs together into braces: { WHEN ... } UNION { ... }";
            let detail = Detail::InvalidClauseComposition;
            return Err(self.problem(detail, self.at(), what, hint));
        }
        Ok(super::compose::one(clauses, at))
    }

    /// Clauses, or a query in braces.
    pub(super) fn single_query(&mut self) -> Parsed<SingleQuery> {
        let start = self.at();
        let clauses = match self.take("{") {
            true => {
                let query = self.deeper(|parser| parser.query(false))?;
                self.need_closing_brace()?;
                self.clauses_of(query, self.since(start))?
            }
            false => self.clauses()?,
        };
        let at = self.since(start);
        Ok(SingleQuery { clauses, at })
    }

    fn clauses(&mut self) -> Parsed<Vec<Clause>> {
        let mut clauses = Vec::new();
        while let Some(clause) = self.clause()? {
            let is_last = matches!(clause.kind, ClauseKind::Return(_) | ClauseKind::Finish);
            clauses.push(clause);
            if is_last {
                break;
            }
        }
        match clauses.is_empty() {
            true => Err(self.unexpected("a clause, such as MATCH or RETURN,", FIRST)),
            false => Ok(clauses),
        }
    }

    fn no_clause(&self) -> Problem {
        let before = self
            .place
            .checked_sub(1)
            .map(|place| &self.tokens[place].token);
        let is_closed = matches!(before, Some(Token::Symbol(_)));
        let expected = match is_closed {
            true => "a clause, such as WHERE or RETURN,",
            false => "an operator or a clause, such as RETURN,",
        };
        self.unexpected(expected, WORDS)
    }
}
