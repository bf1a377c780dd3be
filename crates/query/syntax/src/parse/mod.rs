//! From tokens to the tree, by recursive descent. What can be long is read by loops, what
//! can be deep is counted.

mod atom;
mod clause;
mod command;
mod compose;
mod copy;
mod expression;
mod gql;
mod habits;
mod hint;
mod options;
mod pattern;
mod query;
mod types;

use crate::error::{Detail, Error, Problem};
use crate::lexer::{Spanned, Token, tokens};
use crate::tree::{DataType, Expression, Name, Span, Statement};

pub(crate) use query::keywords;

/// Parentheses, lists, subqueries and the like within each other.
pub const DEEPEST: usize = 100;

pub(crate) type Parsed<T> = Result<T, Problem>;

/// Words that are names of variables only in backticks, or where a text brings variables of
/// these names: see [`keyword_variables`].
#[rustfmt::skip] // Words of a table.
const RESERVED: &[&str] = &[
    "AND", "AS", "ASC", "ASCENDING", "BY", "CALL", "CASE", "CONTAINS", "CREATE", "DELETE", "DESC",
    "DESCENDING", "DETACH", "DISTINCT", "ELSE", "END", "ENDS", "FALSE", "FOREACH", "IN", "IS",
    "LIMIT", "MATCH", "MERGE", "NOT", "NULL", "ON", "OPTIONAL", "OR", "ORDER", "REMOVE", "RETURN",
    "SET", "SKIP", "STARTS", "THEN", "TRUE", "UNION", "UNWIND", "WHEN", "WHERE", "WITH", "XOR",
    "YIELD",
];

/// Keywords that an expression, or what a node pattern has without a variable, begins with.
const BEGINNINGS: &[&str] = &[
    "CASE", "DISTINCT", "FALSE", "IS", "NOT", "NULL", "TRUE", "WHERE",
];

/// Words behind an operand.
const OPERATORS: &[&str] = &["AND", "OR", "XOR", "IN", "IS", "STARTS", "ENDS", "CONTAINS"];

pub(crate) fn is_reserved(word: &str) -> bool {
    // No longer than the longest of them.
    word.len() <= 17 && {
        let word = word.to_ascii_uppercase();
        RESERVED.contains(&&*word) || gql::is_moment(&word)
    }
}

/// Keywords that a text has where it brings a variable: `(order:Order)`, `[in:R]`,
/// `AS order`, `[end IN ends | ...]`. There, and where an expression should begin, they stand
/// for nothing else.
fn keyword_variables<'t>(text: &'t str, tokens: &[Spanned]) -> Vec<&'t str> {
    let written = |token: &Spanned| &text[token.start as usize..token.end as usize];
    let is_one_of = |token: &Spanned, known: &[&str]| match token.token {
        Token::Symbol(_) => known.contains(&written(token)),
        Token::Word => known
            .iter()
            .any(|word| word.eq_ignore_ascii_case(written(token))),
        _ => false,
    };
    // A moment is more often an argument or an element than a node or a relationship.
    let is_value = |at: usize, token: &Spanned| {
        let outside = at.checked_sub(1).and_then(|at| tokens.get(at));
        gql::is_moment(written(token))
            && match written(&tokens[at]) {
                "(" => outside
                    .is_some_and(|one| one.token == Token::Word && !is_reserved(written(one))),
                "[" => !outside.is_some_and(|one| is_one_of(one, &["-"])),
                _ => false,
            }
    };
    let mut found = Vec::new();
    for (at, three) in tokens.windows(3).enumerate() {
        let [before, token, behind] = three else {
            continue;
        };
        if is_one_of(behind, &[")", "]"]) && is_value(at, token) {
            continue;
        }
        let is_brought = token.token == Token::Word
            && match written(before) {
                "(" => is_one_of(behind, &[":", ")", "{", "WHERE", "IS", "IN"]),
                "[" => is_one_of(behind, &[":", "]", "*", "{", "WHERE", "IN"]),
                "," => is_one_of(behind, &["IN"]),
                _ => is_one_of(before, &["AS"]),
            };
        let is_keyword = |word| is_reserved(word) && !is_one_of(token, BEGINNINGS);
        if is_brought && is_keyword(written(token)) && !found.contains(&written(token)) {
            found.push(written(token));
        }
    }
    found
}

/// Reads one statement.
pub(crate) fn statement(text: &str) -> Result<Statement, Error> {
    read(text, |parser| {
        let statement = parser.statement()?;
        match parser.take(";") {
            true => parser.need_end("the end of the text", &[])?,
            false => parser.need_end(";, or the end of the statement,", query::WORDS)?,
        }
        Ok(statement)
    })
}

/// Reads statements with semicolons between them.
pub(crate) fn statements(text: &str) -> Result<Vec<Statement>, Error> {
    read(text, |parser| {
        let mut found = Vec::new();
        loop {
            while parser.take(";") {}
            if parser.token() == &Token::End {
                return Ok(found);
            }
            found.push(parser.statement()?);
            if !parser.take(";") {
                parser.need_end(";, or the end of the statement,", query::WORDS)?;
            }
        }
    })
}

/// Reads an expression.
pub(crate) fn expression(text: &str) -> Result<Expression, Error> {
    read(text, |parser| {
        let expression = parser.expression()?;
        parser.need_end("an operator, such as AND,", OPERATORS)?;
        Ok(expression)
    })
}

/// Reads the name of a type.
pub(crate) fn data_type(text: &str) -> Result<DataType, Error> {
    read(text, |parser| {
        let found = parser.data_type()?;
        parser.need_end("the end of the type", &[])?;
        Ok(found)
    })
}

/// Parameters of a text.
pub(crate) fn parameters(text: &str) -> Result<Vec<Name>, Error> {
    read(text, |parser| {
        let mut found = Vec::new();
        while parser.token() != &Token::End {
            if let (Token::Parameter(name), None) = (parser.token(), parser.computed_ahead(0)) {
                let (text, at) = (name.clone(), parser.at());
                found.push(Name { text, at });
            }
            parser.advance();
        }
        Ok(found)
    })
}

fn read<T>(text: &str, part: impl FnOnce(&mut Parser<'_>) -> Parsed<T>) -> Result<T, Error> {
    let found = Parser::new(text).and_then(|mut parser| part(&mut parser));
    found.map_err(|problem| problem.of(text))
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Spanned>,
    place: usize,
    depth: usize,
    /// Whether `|` ends the expression that is read, and does not join labels.
    bar_ends: bool,
    /// The greatest depth in the query that is read, with the subqueries that are made of
    /// those beside `NEXT`.
    deepest: usize,
    /// Keywords that are variables, as they are written.
    keyword_variables: Vec<&'t str>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parsed<Self> {
        let tokens = tokens(text)?;
        Ok(Parser {
            text,
            keyword_variables: keyword_variables(text, &tokens),
            tokens,
            place: 0,
            depth: 0,
            bar_ends: false,
            deepest: 0,
        })
    }

    fn token(&self) -> &Token {
        &self.tokens[self.place].token
    }

    /// A token ahead; the last one for ever.
    fn ahead(&self, by: usize) -> &Spanned {
        &self.tokens[(self.place + by).min(self.tokens.len() - 1)]
    }

    fn at(&self) -> Span {
        let token = &self.tokens[self.place];
        Span {
            start: token.start,
            end: token.end,
        }
    }

    /// From there to the end of the last token that was taken.
    fn since(&self, start: Span) -> Span {
        let last = &self.tokens[self.place.saturating_sub(1)];
        Span {
            start: start.start,
            end: last.end.max(start.start),
        }
    }

    fn advance(&mut self) {
        self.place = (self.place + 1).min(self.tokens.len() - 1);
    }

    /// The text of a word, which is no name in backticks.
    fn word_at(&self, token: &Spanned) -> Option<&'t str> {
        let is_word = token.token == Token::Word;
        is_word.then(|| &self.text[token.start as usize..token.end as usize])
    }

    fn word(&self) -> Option<&'t str> {
        self.word_at(&self.tokens[self.place])
    }

    fn is_word_ahead(&self, by: usize, word: &str) -> bool {
        let found = self.word_at(self.ahead(by));
        found.is_some_and(|found| found.eq_ignore_ascii_case(word))
    }

    fn is_word(&self, word: &str) -> bool {
        self.is_word_ahead(0, word)
    }

    fn is_ahead(&self, by: usize, symbol: &str) -> bool {
        matches!(self.ahead(by).token, Token::Symbol(found) if found == symbol)
    }

    fn is(&self, symbol: &str) -> bool {
        self.is_ahead(0, symbol)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Takes words that follow each other, all or none.
    fn take_words(&mut self, words: &[&str]) -> bool {
        let are_next = words
            .iter()
            .enumerate()
            .all(|(by, word)| self.is_word_ahead(by, word));
        if are_next {
            self.place += words.len();
        }
        are_next
    }

    fn need_word(&mut self, word: &str) -> Parsed<()> {
        let is_taken = self.take_word(word);
        self.expect(is_taken, word, &[word])
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_next = self.is(symbol);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn need(&mut self, symbol: &str) -> Parsed<()> {
        let is_taken = self.take(symbol);
        self.expect(is_taken, symbol, &[])
    }

    fn need_end(&self, expected: &str, words: &[&str]) -> Parsed<()> {
        self.expect(self.token() == &Token::End, expected, words)
    }

    /// Refuses the next token if it is not the one that is expected.
    fn expect(&self, is_there: bool, expected: &str, words: &[&str]) -> Parsed<()> {
        match is_there {
            true => Ok(()),
            false => Err(self.unexpected(expected, words)),
        }
    }

    /// The part behind a word, if that stands here.
    fn after_word<T>(
        &mut self,
        word: &str,
        part: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        let is_taken = self.take_word(word);
        is_taken.then(|| part(self)).transpose()
    }

    /// The part behind a symbol, if that stands here.
    fn after<T>(
        &mut self,
        symbol: &str,
        part: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>> {
        let is_taken = self.take(symbol);
        is_taken.then(|| part(self)).transpose()
    }

    /// Takes a name that no keyword can be mistaken for: a label, a property, an alias.
    fn name(&mut self, of: &str) -> Parsed<Name> {
        let text = match self.token() {
            Token::Quoted(name) => name.clone(),
            _ => match self.word() {
                Some(word) => word.to_string(),
                None => return Err(self.unexpected(of, &[])),
            },
        };
        let at = self.at();
        self.advance();
        Ok(Name { text, at })
    }

    fn is_variable_ahead(&self, by: usize) -> bool {
        let token = self.ahead(by);
        match token.token {
            Token::Quoted(_) => true,
            _ => self
                .word_at(token)
                .is_some_and(|word| self.is_variable(word)),
        }
    }

    /// Whether a word is a variable where one may stand.
    fn is_variable(&self, word: &str) -> bool {
        !is_reserved(word) || self.keyword_variables.contains(&word)
    }

    fn variable(&mut self) -> Parsed<Name> {
        if self.is_variable_ahead(0) {
            return self.name("a variable");
        }
        Err(self.unexpected("a variable", &[]))
    }

    /// One or more, with commas between them.
    fn separated<T>(&mut self, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// None or more, with commas between them, up to a symbol that is taken, too.
    fn until<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        if self.take(end) {
            return Ok(Vec::new());
        }
        let items = self.separated(item)?;
        let is_closed = self.take(end);
        self.expect(is_closed, &format!(", or {end}"), &[])?;
        Ok(items)
    }

    /// Reads what is within something else.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.too_deep());
        }
        self.deepest = self.deepest.max(self.depth);
        let part = part(self);
        self.depth -= 1;
        part
    }

    fn too_deep(&self) -> Problem {
        let what = format!("more than {DEEPEST} things stand within each other");
        let hint = "leave out parentheses that are not needed, or write it in several clauses";
        Problem::new(Detail::LimitExceeded, self.at().range(), what, hint)
    }

    fn problem(
        &self,
        detail: Detail,
        at: Span,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) -> Problem {
        Problem::new(detail, at.range(), what, hint)
    }

    /// The problem of a token where there should be something else; `words` could stand
    /// there.
    fn unexpected(&self, expected: &str, words: &[&str]) -> Problem {
        let at = self.at();
        let hint = match expected {
            "FOR" => {
                "write CREATE INDEX FOR (n:Label) ON (n.key), or CREATE CONSTRAINT FOR (n:Label) \
                 REQUIRE n.key IS UNIQUE"
            }
            _ if self.word().is_some_and(is_reserved)
                && (expected.starts_with(')') || expected.contains("variable")) =>
            {
                "a variable of such a name is written in backticks"
            }
            "a name" | "a variable" | "a label or type" | "a property" | "a key"
                if matches!(self.token(), Token::Text(_)) =>
            {
                "a name stands in backticks, `a name`, or as it is, and not in quotes"
            }
            _ => "the statement is read from the left: what is wrong may stand before this",
        };
        let found = match self.token() {
            Token::Bad(problem) => return (**problem).clone(),
            Token::End => "the text ends".to_string(),
            _ => {
                let mut found: String = self.text[at.range()].chars().take(40).collect();
                if found.len() < at.range().len() {
                    found.push('…');
                }
                format!("{found} stands")
            }
        };
        let what = format!("{found} where {expected} should be");
        if let Some(habit) = self.habit(expected) {
            return self.problem(Detail::UnexpectedSyntax, at, what, habit);
        }
        let problem = self.problem(Detail::UnexpectedSyntax, at, what, hint);
        match self.word() {
            // A keyword that is right elsewhere was not misspelled.
            Some(word) if !words.iter().any(|known| known.eq_ignore_ascii_case(word)) => {
                problem.near(word, words.iter().copied())
            }
            _ => problem,
        }
    }
}
