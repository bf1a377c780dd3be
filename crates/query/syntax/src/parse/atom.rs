//! Literals, variables, calls, and what stands in brackets.

use super::compose::one;
use super::gql::{is_moment, translated};
use super::{Parsed, Parser};
use crate::error::Detail;
use crate::lexer::{Token, too_large};
use crate::scope::already_bound;
use crate::tree::{
    Access, Branch, Case, Clause, Expression, FunctionCall, ListComprehension, MapItem,
    MapProjection, Name, Node, PatternComprehension, PatternSubquery, Quantified, Quantity, Reduce,
    Span, SubqueryKind, Typing, When,
};

/// Normal forms of Unicode, which are words as an argument of `normalize`.
pub(super) const FORMS: [&str; 4] = ["NFC", "NFD", "NFKC", "NFKD"];

impl Parser<'_> {
    pub(super) fn atom(&mut self) -> Parsed<Expression> {
        let start = self.at();
        let node = match self.token().clone() {
            Token::Symbol("(") if self.is_path_ahead(0) => {
                Node::Pattern(Box::new(self.path_pattern()?))
            }
            Token::Symbol("(") => {
                self.advance();
                let found = self.expression()?;
                self.need(")")?;
                return Ok(found);
            }
            Token::Symbol("[") => self.bracketed()?,
            Token::Symbol("{") => Node::Map(self.map()?),
            Token::Integer(number) => {
                let number = i64::try_from(number).map_err(|_| too_large(start.range()))?;
                self.literal(Node::Integer(number))
            }
            Token::Float(number) => self.literal(Node::Float(number)),
            Token::Text(text) => self.literal(Node::Text(text)),
            Token::Parameter(name) => self.literal(Node::Parameter(name)),
            Token::Quoted(_) => self.named()?,
            Token::Word => self.worded()?,
            Token::Symbol(_) | Token::Bad(_) | Token::End => return Err(self.no_expression()),
        };
        Ok(self.spanned(start, node))
    }

    fn no_expression(&self) -> crate::error::Problem {
        self.unexpected("an expression, such as n.name or 1,", &[])
    }

    fn literal(&mut self, node: Node) -> Node {
        self.advance();
        node
    }

    fn worded(&mut self) -> Parsed<Node> {
        let word = self.word().unwrap_or_default();
        match word.to_ascii_uppercase().as_str() {
            "TRUE" => return Ok(self.literal(Node::Boolean(true))),
            "FALSE" => return Ok(self.literal(Node::Boolean(false))),
            "NULL" => return Ok(self.literal(Node::Null)),
            "CASE" => return self.case(),
            _ => {}
        }
        if let Some(node) = self.temporal_literal(word) {
            return Ok(node);
        }
        if self.is_ahead(1, "(") {
            if let Some(node) = self.special_call(word)? {
                return Ok(node);
            }
        } else if self.is_ahead(1, "{") {
            let is_word = |kind: &SubqueryKind| word.eq_ignore_ascii_case(kind.word());
            if let Some(kind) = SubqueryKind::ALL.into_iter().find(is_word) {
                self.advance();
                return self.subquery(kind);
            }
        }
        let is_function = is_moment(word) && self.is_ahead(1, "(");
        if !self.is_variable(word) && !is_function {
            let mut problem = self.no_expression();
            problem.hint =
                format!("a variable or property of this name is written `{word}`, in backticks");
            return Err(problem);
        }
        self.named()
    }

    /// Calls that take more than expressions.
    fn special_call(&mut self, word: &str) -> Parsed<Option<Node>> {
        let lower = word.to_ascii_lowercase();
        let mut quantities = Quantity::ALL.into_iter();
        let quantity = quantities.find(|known| known.word() == lower);
        let node = match lower.as_str() {
            "shortestpath" | "allshortestpaths" => Node::Pattern(Box::new(self.path_pattern()?)),
            "count" if self.is_ahead(2, "*") => {
                self.place += 3;
                self.need(")")?;
                Node::CountAll
            }
            "exists" if self.is_path_ahead(1) => {
                let what = "EXISTS stands before a pattern without braces";
                let hint = "write EXISTS { (n)-->() }";
                return Err(self.problem(Detail::UnexpectedSyntax, self.at(), what, hint));
            }
            // As it was written before `EXISTS { }`.
            "exists" if self.is_path_ahead(2) => {
                self.place += 2;
                let patterns = vec![self.path_pattern()?];
                self.need(")")?;
                let asked = PatternSubquery {
                    patterns,
                    filter: None,
                };
                Node::PatternSubquery(SubqueryKind::Exists, Box::new(asked))
            }
            "cast" => {
                self.place += 2;
                self.cast()?
            }
            "trim" if !self.is_ahead(2, ")") => self.trim()?,
            "reduce" if self.is_ahead(3, "=") => {
                self.place += 2;
                self.reduce()?
            }
            "allreduce" if self.is_ahead(3, "=") => {
                self.place += 2;
                self.all_reduce()?
            }
            _ => match quantity {
                Some(quantity) if self.is_word_ahead(3, "IN") => {
                    self.place += 2;
                    self.quantified(quantity)?
                }
                _ => return Ok(None),
            },
        };
        Ok(Some(node))
    }

    fn cast(&mut self) -> Parsed<Node> {
        let part = Box::new(self.expression()?);
        self.need_word("AS")?;
        let to = self.data_type()?;
        self.need(")")?;
        Ok(Node::Typed(Typing::Cast, part, to))
    }

    /// `trim(a)`, or `trim(LEADING 'x' FROM a)`, which is `ltrim(a, 'x')`.
    fn trim(&mut self) -> Parsed<Node> {
        let mut name = self.name("a function")?;
        self.need("(")?;
        let sides = [
            ("BOTH", "btrim"),
            ("LEADING", "ltrim"),
            ("TRAILING", "rtrim"),
        ];
        // A variable may have such a name.
        let is_operand = matches!(self.ahead(1).token, Token::Symbol(_) | Token::End);
        if !is_operand && self.take_word("FROM") {
            let only = self.expression()?;
            self.need(")")?;
            return Ok(called(name, vec![only]));
        }
        let mut sides = sides.into_iter();
        let side = sides.find(|(word, _)| !is_operand && self.take_word(word));
        let mut arguments = Vec::new();
        if side.is_none() || !self.is_word("FROM") {
            arguments.push(self.expression()?);
        }
        if side.is_some() && !self.is_word("FROM") {
            return Err(self.unexpected("FROM", &["FROM"]));
        }
        if self.take_word("FROM") {
            name.text = side.map_or("btrim", |(_, name)| name).to_string();
            arguments.insert(0, self.expression()?);
        }
        while self.take(",") {
            arguments.push(self.expression()?);
        }
        self.need(")")?;
        Ok(called(name, arguments))
    }

    fn quantified(&mut self, quantity: Quantity) -> Parsed<Node> {
        let variable = self.variable()?;
        self.need_word("IN")?;
        let list = self.expression()?;
        self.need_word("WHERE")?;
        let filter = self.expression()?;
        self.need(")")?;
        Ok(Node::Quantified(Box::new(Quantified {
            quantity,
            variable,
            list,
            filter,
        })))
    }

    fn reduce(&mut self) -> Parsed<Node> {
        let found = self.steps()?;
        self.need(")")?;
        Ok(Node::Reduce(Box::new(found)))
    }

    /// `s = 0, x IN list | s + x`
    fn steps(&mut self) -> Parsed<Reduce> {
        let accumulator = self.variable()?;
        self.need("=")?;
        let initial = self.expression()?;
        self.need(",")?;
        let variable = self.variable()?;
        if variable.text == accumulator.text {
            return Err(already_bound(&variable));
        }
        self.need_word("IN")?;
        let list = self.before_bar()?;
        self.need("|")?;
        let step = self.expression()?;
        Ok(Reduce {
            accumulator,
            initial,
            variable,
            list,
            step,
        })
    }

    /// `allReduce(s = 0, x IN list | s + x, s < 9)`: a `reduce` whose accumulator also has
    /// whether the condition held behind each step, `[s, true]`.
    fn all_reduce(&mut self) -> Parsed<Node> {
        let both = Name::new(format!(" all {}", self.place));
        // As deep as what is made of it.
        self.depth += 3;
        let mut found = self.steps()?;
        self.need(",")?;
        let condition = self.expression()?;
        self.depth -= 3;
        self.need(")")?;
        let held = element(Node::Variable(both.text.clone()), 1);
        let held = made(Node::And(vec![held, condition]));
        let variable = |name: &Name| made(Node::Variable(name.text.clone()));
        let next = Node::List(vec![variable(&found.accumulator), held]);
        let stepped = with(&found.accumulator, found.step, made(next));
        let last = element(Node::Variable(both.text.clone()), 0);
        found.step = with(&found.accumulator, last, stepped);
        found.initial = made(Node::List(vec![found.initial, made(Node::Boolean(true))]));
        found.accumulator = both;
        Ok(element(Node::Reduce(Box::new(found)), 1).node)
    }

    /// A variable, a map projection, or the call of a function.
    fn named(&mut self) -> Parsed<Node> {
        if self.is_call() {
            return self.function();
        }
        let name = self.name("a variable")?;
        match self.is("{") {
            true => self.map_projection(name),
            false => Ok(Node::Variable(name.text)),
        }
    }

    /// Whether names with dots between them and a parenthesis follow.
    fn is_call(&self) -> bool {
        let mut by = 0;
        loop {
            let token = self.ahead(by);
            let is_name = matches!(token.token, Token::Word | Token::Quoted(_));
            if !is_name {
                return false;
            }
            if self.is_ahead(by + 1, "(") {
                return true;
            }
            if !self.is_ahead(by + 1, ".") || by > 2 * super::DEEPEST {
                return false;
            }
            by += 2;
        }
    }

    fn function(&mut self) -> Parsed<Node> {
        let mut name = vec![self.name("a function")?];
        while self.take(".") {
            name.push(self.name("a function")?);
        }
        self.need("(")?;
        let distinct = self.is_distinct();
        let mut arguments = self.until(")", Self::expression)?;
        if let ([only], [_, form]) = (&name[..], &mut arguments[..])
            && only.text.eq_ignore_ascii_case("normalize")
            && let Node::Variable(word) = &form.node
            && FORMS.contains(&word.to_ascii_uppercase().as_str())
        {
            form.node = Node::Text(word.to_ascii_uppercase());
        }
        Ok(translated(FunctionCall {
            name,
            distinct,
            arguments,
        }))
    }

    fn map_projection(&mut self, variable: Name) -> Parsed<Node> {
        self.need("{")?;
        let items = self.until("}", |parser| {
            if parser.take(".") {
                return match parser.take("*") {
                    true => Ok(MapItem::All),
                    false => parser.name("a property").map(MapItem::Property),
                };
            }
            if parser.is_ahead(1, ":") {
                let key = parser.name("a key")?;
                parser.advance();
                return Ok(MapItem::Entry(key, parser.expression()?));
            }
            parser.variable().map(MapItem::Variable)
        })?;
        Ok(Node::MapProjection(Box::new(MapProjection {
            variable,
            items,
        })))
    }

    fn case(&mut self) -> Parsed<Node> {
        self.advance();
        let has_operand = !self.is_word("WHEN");
        let operand = has_operand.then(|| self.expression()).transpose()?;
        let mut branches = Vec::new();
        while self.take_word("WHEN") {
            let when = match operand {
                Some(_) => self.separated(Self::alternative)?,
                None => vec![When::Value(self.expression()?)],
            };
            self.need_word("THEN")?;
            let then = self.expression()?;
            branches.push(Branch { when, then });
        }
        if branches.is_empty() {
            return Err(self.unexpected("WHEN", &["WHEN"]));
        }
        let otherwise = self.after_word("ELSE", Self::expression)?;
        let (is_closed, words) = (self.take_word("END"), &["WHEN", "ELSE", "END", "AND", "OR"]);
        self.expect(is_closed, "WHEN, ELSE or END", words)?;
        Ok(Node::Case(Box::new(Case {
            operand,
            branches,
            otherwise,
        })))
    }

    /// A list, or a comprehension.
    fn bracketed(&mut self) -> Parsed<Node> {
        self.advance();
        if self.is_variable_ahead(0) && self.is_word_ahead(1, "IN") {
            return self.list_comprehension();
        }
        let has_path_name =
            self.is_variable_ahead(0) && self.is_ahead(1, "=") && self.is_path_ahead(2);
        if !has_path_name && !self.is_path_ahead(0) {
            return Ok(Node::List(self.until("]", Self::expression)?));
        }
        let start = self.at();
        let pattern = self.deeper(Self::path_pattern)?;
        if !has_path_name && !self.is("|") && !self.is_word("WHERE") {
            let first = self.spanned(start, Node::Pattern(Box::new(pattern)));
            let mut items = vec![first];
            if self.take(",") {
                items.extend(self.separated(Self::expression)?);
            }
            self.need("]")?;
            return Ok(Node::List(items));
        }
        let filter = self.after_word("WHERE", Self::before_bar)?;
        self.need("|")?;
        let value = self.expression()?;
        self.need("]")?;
        Ok(Node::PatternComprehension(Box::new(PatternComprehension {
            pattern,
            filter,
            value,
        })))
    }

    fn list_comprehension(&mut self) -> Parsed<Node> {
        let variable = self.variable()?;
        self.need_word("IN")?;
        let list = self.before_bar()?;
        let filter = self.after_word("WHERE", Self::before_bar)?;
        let value = self.after("|", Self::expression)?;
        if self.is(",") {
            let what = "this is read as a list comprehension, which ends here";
            let hint =
                "a list whose first element is a test with IN needs parentheses: [(x IN a), b]";
            return Err(self.problem(Detail::UnexpectedSyntax, self.at(), what, hint));
        }
        self.need("]")?;
        Ok(Node::ListComprehension(Box::new(ListComprehension {
            variable,
            list,
            filter,
            value,
        })))
    }

    fn subquery(&mut self, kind: SubqueryKind) -> Parsed<Node> {
        self.need("{")?;
        let has_name = self.is_variable_ahead(0) && self.is_ahead(1, "=");
        let node = if self.is_match_mode() {
            let start = self.at();
            let matched = self.deeper(|parser| parser.match_clause(false))?;
            let at = self.since(start);
            Node::Subquery(kind, Box::new(one(vec![Clause { kind: matched, at }], at)))
        } else if self.is("(") || has_name || self.is_choice_ahead(0) {
            let patterns = self.deeper(|parser| parser.separated(Self::path_pattern))?;
            let filter = self.filter()?;
            Node::PatternSubquery(kind, Box::new(PatternSubquery { patterns, filter }))
        } else {
            let query = self.deeper(|parser| parser.query(false))?;
            Node::Subquery(kind, Box::new(query))
        };
        self.need_closing_brace()?;
        Ok(node)
    }
}

/// An expression that stands nowhere in the text.
pub(super) fn made(node: Node) -> Expression {
    let at = Span::default();
    Expression { node, at }
}

/// `list[at]`
pub(super) fn element(list: Node, at: i64) -> Expression {
    let step = Access::Index(made(Node::Integer(at)));
    made(Node::Access(Box::new(made(list)), vec![step]))
}

/// `of`, with a name for a value in it: `[name IN [value] | of][0]`.
fn with(name: &Name, value: Expression, of: Expression) -> Expression {
    let comprehension = ListComprehension {
        variable: name.clone(),
        list: made(Node::List(vec![value])),
        filter: None,
        value: Some(of),
    };
    element(Node::ListComprehension(Box::new(comprehension)), 0)
}

pub(super) fn called(name: Name, arguments: Vec<Expression>) -> Node {
    Node::Call(Box::new(FunctionCall {
        name: vec![name],
        distinct: false,
        arguments,
    }))
}
