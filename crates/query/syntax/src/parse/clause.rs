//! Clauses.

use super::{Parsed, Parser};
use crate::error::Detail;
use crate::lexer::Token;
use crate::tree::{
    Access, Call, CallSubquery, Clause, ClauseKind, Concurrency, Delete, Expression, Foreach,
    Imports, InTransactions, Item, LoadCsv, Match, MergeAction, Name, Node, OnError, PathMode,
    Projection, RemoveItem, SetItem, SortItem, Yield, YieldItem,
};

impl Parser<'_> {
    /// A clause, if one stands here.
    pub(super) fn clause(&mut self) -> Parsed<Option<Clause>> {
        let (start, place) = (self.at(), self.place);
        let Some(word) = self.word() else {
            return Ok(None);
        };
        self.advance();
        let kind = match word.to_ascii_uppercase().as_str() {
            "MATCH" => self.match_clause(false)?,
            "OPTIONAL" => match self.take_word("CALL") {
                true => self.call(true)?,
                false => {
                    self.need_word("MATCH")?;
                    self.match_clause(true)?
                }
            },
            "UNWIND" => {
                let list = self.expression()?;
                self.need_word("AS")?;
                ClauseKind::Unwind(list, self.variable()?)
            }
            "WITH" => {
                let mut projection = self.projection()?;
                projection.filter = self.filter()?;
                ClauseKind::With(projection)
            }
            "ORDER" | "SKIP" | "OFFSET" | "LIMIT" => {
                self.place = place;
                let mut projection = all_and(Vec::new(), None);
                self.part_of_rows(&mut projection)?;
                ClauseKind::With(projection)
            }
            "RETURN" => ClauseKind::Return(self.projection()?),
            "FINISH" => ClauseKind::Finish,
            "FILTER" => {
                self.take_word("WHERE");
                let filter = Some(self.expression()?);
                ClauseKind::With(all_and(Vec::new(), filter))
            }
            "LET" => {
                let items = self.separated(Self::definition)?;
                ClauseKind::With(Projection {
                    is_let: true,
                    ..all_and(items, None)
                })
            }
            "FOR" => {
                let variable = self.variable()?;
                self.need_word("IN")?;
                ClauseKind::Unwind(self.expression()?, variable)
            }
            "CREATE" | "INSERT" => ClauseKind::Create(self.separated(Self::written_path)?),
            "MERGE" => self.merge()?,
            "SET" => ClauseKind::Set(self.separated(Self::set_item)?),
            "REMOVE" => ClauseKind::Remove(self.separated(Self::remove_item)?),
            "DELETE" => self.delete(false)?,
            "DETACH" => {
                self.need_word("DELETE")?;
                self.delete(true)?
            }
            "NODETACH" if self.take_word("DELETE") => self.delete(false)?,
            "FOREACH" => self.deeper(Self::foreach)?,
            "CALL" => self.call(false)?,
            "LOAD" => self.load_csv()?,
            _ => {
                self.place = place;
                return Ok(None);
            }
        };
        let at = self.since(start);
        Ok(Some(Clause { kind, at }))
    }

    fn load_csv(&mut self) -> Parsed<ClauseKind> {
        self.need_word("CSV")?;
        let headers = self.take_word("WITH");
        if headers {
            self.need_word("HEADERS")?;
        }
        self.need_word("FROM")?;
        let source = self.expression()?;
        self.need_word("AS")?;
        let variable = self.variable()?;
        let terminator = self.after_word("FIELDTERMINATOR", Self::terminator)?;
        Ok(ClauseKind::LoadCsv(LoadCsv {
            headers,
            source,
            variable,
            terminator,
        }))
    }

    /// A character in quotes, which is one byte in a file.
    fn terminator(&mut self) -> Parsed<u8> {
        let Token::Text(text) = self.token() else {
            return Err(self.unexpected("a character in quotes, such as ';',", &[]));
        };
        let found = match text.as_bytes() {
            &[byte] if !matches!(byte, b'"' | b'\n' | b'\r') => Some(byte),
            _ => None,
        };
        let Some(byte) = found else {
            let what = "fields end with one character of ASCII, which is no quote and no line end";
            let hint = "write one such as ';', '|' or '\\t'";
            return Err(self.problem(Detail::UnexpectedSyntax, self.at(), what, hint));
        };
        self.advance();
        Ok(byte)
    }

    /// `a = b` of `LET`: the column `b AS a`.
    fn definition(&mut self) -> Parsed<Item> {
        let alias = Some(self.variable()?);
        self.need("=")?;
        let start = self.at();
        let value = self.expression()?;
        let written = self.text[self.since(start).range()].into();
        Ok(Item {
            value,
            alias,
            written,
        })
    }

    pub(super) fn match_clause(&mut self, optional: bool) -> Parsed<ClauseKind> {
        let repeatable = self.is_match_mode() && self.is_word("REPEATABLE");
        if self.is_match_mode() {
            self.place += 2;
            self.take_word("BINDINGS");
        }
        let mode = PathMode::unwritten(repeatable);
        let patterns = self.separated(|parser| parser.path_pattern_of(mode))?;
        let as_of = self.as_of()?;
        Ok(ClauseKind::Match(Match {
            optional,
            repeatable,
            patterns,
            as_of,
            hints: self.hints()?,
            filter: self.filter()?,
        }))
    }

    /// Whether `REPEATABLE ELEMENTS` or `DIFFERENT RELATIONSHIPS` stands before patterns.
    pub(super) fn is_match_mode(&self) -> bool {
        let modes = [
            ["REPEATABLE", "ELEMENT"],
            ["REPEATABLE", "ELEMENTS"],
            ["DIFFERENT", "RELATIONSHIP"],
            ["DIFFERENT", "RELATIONSHIPS"],
        ];
        let is_ahead = |[mode, of]: &[&str; 2]| self.is_word(mode) && self.is_word_ahead(1, of);
        modes.iter().any(is_ahead)
    }

    pub(super) fn filter(&mut self) -> Parsed<Option<Expression>> {
        self.after_word("WHERE", Self::expression)
    }

    pub(super) fn projection(&mut self) -> Parsed<Projection> {
        let distinct = self.is_distinct();
        let all = self.take("*");
        let items = match all && !self.take(",") {
            true => Vec::new(),
            false => self.separated(Self::item)?,
        };
        let mut projection = Projection {
            distinct,
            all,
            ..all_and(items, None)
        };
        self.part_of_rows(&mut projection)?;
        Ok(projection)
    }

    /// `DISTINCT`, or else `ALL`, before what it is of: alone that is a variable.
    pub(super) fn is_distinct(&mut self) -> bool {
        let begins = match &self.ahead(1).token {
            Token::Word => {
                let goes_on = ["NEXT", "OFFSET"]
                    .iter()
                    .any(|word| self.is_word_ahead(1, word));
                let word = self.word_at(self.ahead(1)).unwrap_or_default();
                !goes_on && self.is_variable(word)
            }
            Token::Quoted(_) | Token::Parameter(_) | Token::Text(_) => true,
            Token::Integer(_) | Token::Float(_) => true,
            _ => false,
        };
        if begins && self.take_word("ALL") {
            return false;
        }
        self.take_word("DISTINCT")
    }

    /// `ORDER BY`, `SKIP` and `LIMIT`, behind a projection or of all variables.
    fn part_of_rows(&mut self, of: &mut Projection) -> Parsed<()> {
        if self.take_word("ORDER") {
            self.need_word("BY")?;
            of.order = self.separated(Self::sort_item)?;
        }
        let skips = self.take_word("SKIP") || self.take_word("OFFSET");
        of.skip = skips.then(|| self.expression()).transpose()?;
        of.limit = self.after_word("LIMIT", Self::expression)?;
        Ok(())
    }

    fn item(&mut self) -> Parsed<Item> {
        let start = self.at();
        let value = self.expression()?;
        let written = self.text[self.since(start).range()].into();
        let alias = self.after_word("AS", |parser| parser.name("a name"))?;
        Ok(Item {
            value,
            alias,
            written,
        })
    }

    fn sort_item(&mut self) -> Parsed<SortItem> {
        let key = self.expression()?;
        let descending = self.take_word("DESC") || self.take_word("DESCENDING");
        if !descending && !self.take_word("ASC") {
            self.take_word("ASCENDING");
        }
        Ok(SortItem { key, descending })
    }

    fn merge(&mut self) -> Parsed<ClauseKind> {
        let pattern = self.written_path()?;
        let mut actions = Vec::new();
        while self.take_word("ON") {
            let on_create = match () {
                () if self.take_word("CREATE") => true,
                () if self.take_word("MATCH") => false,
                () => return Err(self.unexpected("CREATE or MATCH", &["CREATE", "MATCH"])),
            };
            self.need_word("SET")?;
            let items = self.separated(Self::set_item)?;
            actions.push(MergeAction { on_create, items });
        }
        Ok(ClauseKind::Merge(pattern, actions))
    }

    fn set_item(&mut self) -> Parsed<SetItem> {
        if self.is_variable_ahead(0) {
            if self.is_ahead(1, "=") {
                let name = self.variable()?;
                self.advance();
                return Ok(SetItem::Replace(name, self.expression()?));
            }
            if self.is_ahead(1, "+=") {
                let name = self.variable()?;
                self.advance();
                return Ok(SetItem::Update(name, self.expression()?));
            }
            if self.is_ahead(1, ":") || self.is_word_ahead(1, "IS") {
                let name = self.variable()?;
                return Ok(SetItem::Labels(name, self.written_labels()?));
            }
        }
        let property = self.property()?;
        self.need("=")?;
        Ok(SetItem::Property(property, self.expression()?))
    }

    fn remove_item(&mut self) -> Parsed<RemoveItem> {
        let has_labels = self.is_ahead(1, ":") || self.is_word_ahead(1, "IS");
        if self.is_variable_ahead(0) && has_labels {
            let name = self.variable()?;
            return Ok(RemoveItem::Labels(name, self.written_labels()?));
        }
        Ok(RemoveItem::Property(self.property()?))
    }

    /// An access that ends with a property.
    fn property(&mut self) -> Parsed<Expression> {
        let found = self.postfix()?;
        let is_property = match &found.node {
            Node::Access(_, steps) => !matches!(steps.last(), Some(Access::Slice(..)) | None),
            _ => false,
        };
        if !is_property {
            let what = "this is no property";
            let hint =
                "write a variable and a property, such as n.name, or a label, such as n:Name";
            return Err(self.problem(Detail::UnexpectedSyntax, found.at, what, hint));
        }
        Ok(found)
    }

    fn delete(&mut self, detach: bool) -> Parsed<ClauseKind> {
        let items = self.separated(Self::expression)?;
        Ok(ClauseKind::Delete(Delete { detach, items }))
    }

    fn foreach(&mut self) -> Parsed<ClauseKind> {
        self.need("(")?;
        let variable = self.variable()?;
        self.need_word("IN")?;
        let list = self.before_bar()?;
        self.need("|")?;
        let mut updates = Vec::new();
        while let Some(clause) = self.clause()? {
            let is_update = matches!(
                clause.kind,
                ClauseKind::Create(_)
                    | ClauseKind::Merge(..)
                    | ClauseKind::Set(_)
                    | ClauseKind::Remove(_)
                    | ClauseKind::Delete(_)
                    | ClauseKind::Foreach(_)
            );
            if !is_update {
                let what = "this clause cannot stand in FOREACH";
                let hint = "only CREATE, MERGE, SET, REMOVE, DELETE and FOREACH can; use UNWIND for others";
                let detail = Detail::InvalidClauseComposition;
                return Err(self.problem(detail, clause.at, what, hint));
            }
            updates.push(clause);
        }
        if updates.is_empty() || !self.is(")") {
            let words = &["CREATE", "MERGE", "SET", "REMOVE", "DELETE", "FOREACH"];
            return Err(self.unexpected("an update, such as SET,", words));
        }
        self.advance();
        Ok(ClauseKind::Foreach(Foreach {
            variable,
            list,
            updates,
        }))
    }

    fn call(&mut self, optional: bool) -> Parsed<ClauseKind> {
        let imports = match () {
            () if self.is("{") => Imports::ByWith,
            () if self.take("(") => match self.take("*") {
                true => {
                    self.need(")")?;
                    Imports::All
                }
                false => Imports::Names(self.until(")", Self::variable)?),
            },
            () => return self.procedure_call(optional),
        };
        self.need("{")?;
        let query = self.deeper(|parser| parser.query(false))?;
        self.need_closing_brace()?;
        let transactions = match self.is_word("IN") {
            true => Some(self.transactions()?),
            false => None,
        };
        Ok(ClauseKind::Subquery(CallSubquery {
            optional,
            imports,
            query,
            transactions,
        }))
    }

    /// `IN TRANSACTIONS`, and what may stand behind it, in any order.
    fn transactions(&mut self) -> Parsed<InTransactions> {
        let start = self.at();
        self.advance();
        let concurrency = self.concurrency()?;
        self.need_word("TRANSACTIONS")?;
        let (mut rows, mut on_error, mut status) = (None, None, None);
        loop {
            if rows.is_none() && self.take_word("OF") {
                rows = Some(self.expression()?);
                if !self.take_word("ROW") {
                    self.need_word("ROWS")?;
                }
            } else if on_error.is_none() && self.take_words(&["ON", "ERROR"]) {
                on_error = Some(self.on_error()?);
            } else if status.is_none() && self.take_words(&["REPORT", "STATUS", "AS"]) {
                status = Some(self.variable()?);
            } else {
                break;
            }
        }
        Ok(InTransactions {
            concurrency,
            rows,
            on_error: on_error.unwrap_or_default(),
            status,
            at: self.since(start),
        })
    }

    fn concurrency(&mut self) -> Parsed<Option<Concurrency>> {
        if self.take_word("CONCURRENT") {
            return Ok(Some(Concurrency::Any));
        }
        if self.is_word("TRANSACTIONS") {
            return Ok(None);
        }
        if self.word().is_some() {
            let words = ["TRANSACTIONS", "CONCURRENT"];
            return Err(self.unexpected("TRANSACTIONS", &words));
        }
        let most = self.expression()?;
        self.need_word("CONCURRENT")?;
        Ok(Some(Concurrency::Most(most)))
    }

    fn on_error(&mut self) -> Parsed<OnError> {
        for one in OnError::ALL {
            if self.take_word(one.word()) {
                return Ok(one);
            }
        }
        let words = OnError::ALL.map(OnError::word);
        Err(self.unexpected("FAIL, BREAK or CONTINUE", &words))
    }

    pub(super) fn need_closing_brace(&mut self) -> Parsed<()> {
        let is_closed = self.take("}");
        self.expect(is_closed, "a clause or }", super::query::WORDS)
    }

    fn procedure_call(&mut self, optional: bool) -> Parsed<ClauseKind> {
        let start = self.at();
        let mut name = vec![self.name("the name of a procedure")?];
        while self.take(".") {
            name.push(self.name("a name")?);
        }
        let arguments = self.after("(", |parser| parser.until(")", Self::expression))?;
        let at = self.since(start);
        let results = self.after_word("YIELD", Self::results)?;
        Ok(ClauseKind::Call(Call {
            optional,
            name,
            arguments,
            results,
            at,
        }))
    }

    fn results(&mut self) -> Parsed<Yield> {
        if self.take("*") {
            return Ok(Yield::All);
        }
        let items = self.separated(Self::yield_item)?;
        Ok(Yield::Items(items, self.filter()?))
    }

    pub(super) fn yield_item(&mut self) -> Parsed<YieldItem> {
        let name: Name = self.variable()?;
        let alias = self.after_word("AS", Self::variable)?;
        Ok(YieldItem { name, alias })
    }
}

/// `WITH *`, more columns, and a condition.
pub(super) fn all_and(items: Vec<Item>, filter: Option<Expression>) -> Projection {
    Projection {
        distinct: false,
        all: true,
        items,
        order: Vec::new(),
        skip: None,
        limit: None,
        filter,
        is_let: false,
    }
}
