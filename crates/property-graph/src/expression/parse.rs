//! From words to an expression, by recursive descent in the order of precedence: `OR`,
//! `XOR`, `AND`, `NOT`, comparisons, tests of texts, lists and null, operands.

use std::ops::Range;
use std::sync::Arc;

use super::token::{Spanned, Token, tokens};
use super::{Comparison, Expression, Key, Node, Part, SyntaxError, TextTest};
use crate::value::Value;

/// Parentheses, lists and `NOT` within each other.
const DEEPEST: usize = 100;

/// Words that are no names of properties without backticks.
const RESERVED: &[&str] = &[
    "AND", "OR", "XOR", "NOT", "IN", "IS", "STARTS", "ENDS", "CONTAINS", "TRUE", "FALSE", "NULL",
];

/// Words behind an operand.
const BEHIND: &[&str] = &["AND", "OR", "XOR", "IN", "IS", "STARTS", "ENDS", "CONTAINS"];

const FUNCTIONS: &[&str] = &[
    "date",
    "datetime",
    "duration",
    "localdatetime",
    "localtime",
    "time",
];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("=", Comparison::Equal),
    ("<>", Comparison::Unequal),
    ("<", Comparison::Less),
    ("<=", Comparison::LessOrEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterOrEqual),
];

/// Reads a text as a predicate.
pub(super) fn predicate(text: &str) -> Result<Expression, SyntaxError> {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        place: 0,
        keys: Vec::new(),
        depth: 0,
    };
    let root = parser.or()?;
    if parser.token() != &Token::End {
        return Err(parser.unexpected("an operator, such as AND"));
    }
    parser.check_boolean(&root)?;
    Ok(Expression {
        text: text.to_string(),
        root,
        keys: parser.keys,
    })
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Spanned>,
    place: usize,
    keys: Vec<Key>,
    depth: usize,
}

type Parsed = Result<Part, SyntaxError>;

impl Parser<'_> {
    fn or(&mut self) -> Parsed {
        self.joined("OR", Self::xor, Node::Or)
    }

    fn xor(&mut self) -> Parsed {
        self.joined("XOR", Self::and, Node::Xor)
    }

    fn and(&mut self) -> Parsed {
        self.joined("AND", Self::not, Node::And)
    }

    /// One part, or several with a word between them, which takes booleans.
    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Parsed,
        join: fn(Vec<Part>) -> Node,
    ) -> Parsed {
        let mut parts = vec![part(self)?];
        while self.take_word(word) {
            parts.push(part(self)?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        for part in &parts {
            self.check_boolean(part)?;
        }
        let at = parts[0].at.start..parts[parts.len() - 1].at.end;
        Ok(Part {
            node: join(parts),
            at,
        })
    }

    fn not(&mut self) -> Parsed {
        let start = self.at().start;
        if !self.take_word("NOT") {
            return self.comparison();
        }
        let part = self.deeper(Self::not)?;
        self.check_boolean(&part)?;
        Ok(Part {
            at: start..part.at.end,
            node: Node::Not(Box::new(part)),
        })
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.tested()?;
        let mut others = Vec::new();
        while let Some(comparison) = self.take_comparison() {
            others.push((comparison, self.tested()?));
        }
        let Some((_, last)) = others.last() else {
            return Ok(first);
        };
        Ok(Part {
            at: first.at.start..last.at.end,
            node: Node::Comparison(Box::new(first), others),
        })
    }

    fn take_comparison(&mut self) -> Option<Comparison> {
        let Token::Symbol(symbol) = self.token() else {
            return None;
        };
        let found = COMPARISONS.iter().find(|(known, _)| known == symbol);
        let comparison = found?.1;
        self.place += 1;
        Some(comparison)
    }

    /// An operand, and what is asked of it as a text, a member of a list, or null.
    fn tested(&mut self) -> Parsed {
        let mut part = self.operand()?;
        let mut tests = 0;
        loop {
            tests += 1;
            if tests > DEEPEST {
                return Err(self.too_deep());
            }
            let start = part.at.start;
            let text_test = [
                ("STARTS", Some("WITH"), TextTest::StartsWith),
                ("ENDS", Some("WITH"), TextTest::EndsWith),
                ("CONTAINS", None, TextTest::Contains),
            ];
            let found = text_test.iter().find(|(word, ..)| self.is_word(word));
            let node = if let Some(&(_, second, test)) = found {
                self.place += 1;
                if let Some(second) = second {
                    self.need_word(second)?;
                }
                Node::Text(test, Box::new((part, self.operand()?)))
            } else if self.take_word("IN") {
                let list = self.operand()?;
                self.check_type(&list, "LIST", "a list, such as [1, 2]")?;
                Node::In(Box::new((part, list)))
            } else if self.take_word("IS") {
                let negated = self.take_word("NOT");
                self.need_word("NULL")?;
                match negated {
                    true => Node::IsNotNull(Box::new(part)),
                    false => Node::IsNull(Box::new(part)),
                }
            } else {
                return Ok(part);
            };
            let at = start..self.tokens[self.place - 1].at.end;
            part = Part { node, at };
        }
    }

    fn operand(&mut self) -> Parsed {
        let at = self.at();
        let token = self.token().clone();
        match token {
            Token::Symbol("(") => {
                self.place += 1;
                let part = self.deeper(Self::or)?;
                self.need_symbol(")")?;
                Ok(Part {
                    node: part.node,
                    at: self.since(at.start),
                })
            }
            Token::Symbol("[") => self.list(),
            Token::Symbol(sign @ ("-" | "+")) => {
                self.place += 1;
                self.number(sign == "-", at.start)
            }
            Token::Integer(_) | Token::Float(_) => self.number(false, at.start),
            Token::Text(text) => Ok(self.literal(Value::Text(text.into()))),
            Token::Quoted(name) => Ok(self.property(name)),
            Token::Word(word) => self.word(word),
            Token::Symbol(_) | Token::End => {
                Err(self.unexpected("a property, a value or a parenthesis"))
            }
        }
    }

    fn word(&mut self, word: String) -> Parsed {
        let at = self.at();
        let next = self.tokens.get(self.place + 1).map(|next| &next.token);
        match word.to_ascii_uppercase().as_str() {
            "TRUE" => return Ok(self.literal(Value::Boolean(true))),
            "FALSE" => return Ok(self.literal(Value::Boolean(false))),
            "NULL" => return Ok(self.literal(Value::Null)),
            reserved if RESERVED.contains(&reserved) => {
                let error = self.error(
                    at,
                    format!("{word} stands where a property or a value should"),
                    format!("a property of this name is written `{word}`, in backticks"),
                );
                return Err(error);
            }
            _ => {}
        }
        match next {
            Some(Token::Symbol("(")) => self.function(&word),
            Some(Token::Symbol(".")) => Err(self.error(
                at,
                "properties stand without a variable here",
                "write the name of the property alone",
            )),
            _ => Ok(self.property(word)),
        }
    }

    /// A function of one text, whose value is known at once.
    fn function(&mut self, name: &str) -> Parsed {
        let start = self.at().start;
        let lower = name.to_ascii_lowercase();
        if !FUNCTIONS.contains(&lower.as_str()) {
            let what = format!("there is no function {name}");
            let hint = format!("there are {}", FUNCTIONS.join(", "));
            return Err(self
                .error(self.at(), what, hint)
                .with_near(&lower, FUNCTIONS));
        }
        self.place += 2;
        let argument = self.at();
        let Token::Text(text) = self.token().clone() else {
            return Err(self.unexpected("a text in quotes"));
        };
        let value = match lower.as_str() {
            "date" => text.parse().map(Value::Date),
            "time" => text.parse().map(Value::Time),
            "localtime" => text.parse().map(Value::LocalTime),
            "datetime" => text.parse().map(Value::DateTime),
            "localdatetime" => text.parse().map(Value::LocalDateTime),
            _ => text.parse().map(Value::Duration),
        };
        let value = value.map_err(|error| {
            let hint = "such as date('2001-09-11') or datetime('2001-09-11T08:46:00Z')";
            self.error(argument, error.to_string(), hint)
        })?;
        self.place += 1;
        self.need_symbol(")")?;
        Ok(Part {
            node: Node::Literal(value),
            at: self.since(start),
        })
    }

    fn list(&mut self) -> Parsed {
        let start = self.at().start;
        self.place += 1;
        let mut parts = Vec::new();
        if !self.take_symbol("]") {
            loop {
                parts.push(self.deeper(Self::or)?);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.need_symbol("]")?;
        }
        let literals: Option<Arc<[Value]>> = parts.iter().map(Part::literal).collect();
        let node = match literals {
            Some(values) => Node::Literal(Value::List(values)),
            None => Node::List(parts),
        };
        Ok(Part {
            node,
            at: self.since(start),
        })
    }

    fn number(&mut self, negative: bool, start: usize) -> Parsed {
        let value = match *self.token() {
            Token::Integer(number) => {
                let number = i128::from(number);
                let number = i64::try_from(if negative { -number } else { number });
                let number = number.map_err(|_| {
                    let what = "this integer needs more than 64 bits";
                    self.error(self.at(), what, "write a float, such as 1e20")
                })?;
                Value::Integer(number)
            }
            Token::Float(number) => Value::Float(if negative { -number } else { number }),
            _ => return Err(self.unexpected("a number behind the sign")),
        };
        self.place += 1;
        Ok(Part {
            node: Node::Literal(value),
            at: self.since(start),
        })
    }

    fn literal(&mut self, value: Value) -> Part {
        let at = self.at();
        self.place += 1;
        Part {
            node: Node::Literal(value),
            at,
        }
    }

    fn property(&mut self, name: String) -> Part {
        let at = self.at();
        self.place += 1;
        let known = self.keys.iter().position(|key| key.name == name);
        let place = known.unwrap_or_else(|| {
            self.keys.push(Key {
                name,
                at: at.clone(),
            });
            self.keys.len() - 1
        });
        Part {
            node: Node::Property(place),
            at,
        }
    }

    /// Reads what is within something else.
    fn deeper(&mut self, part: fn(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.too_deep());
        }
        let part = part(self);
        self.depth -= 1;
        part
    }

    fn too_deep(&self) -> SyntaxError {
        let what = format!("there is more than {DEEPEST} times something within something");
        self.error(self.at(), what, "leave out what is not needed")
    }

    fn token(&self) -> &Token {
        &self.tokens[self.place].token
    }

    fn at(&self) -> Range<usize> {
        self.tokens[self.place].at.clone()
    }

    /// From there to the end of the last token that was taken.
    fn since(&self, start: usize) -> Range<usize> {
        start..self.tokens[self.place - 1].at.end
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        self.place += usize::from(is_next);
        is_next
    }

    fn need_word(&mut self, word: &str) -> Result<(), SyntaxError> {
        match self.take_word(word) {
            true => Ok(()),
            false => Err(self.unexpected(word)),
        }
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.token(), Token::Symbol(found) if *found == symbol);
        self.place += usize::from(is_next);
        is_next
    }

    fn need_symbol(&mut self, symbol: &str) -> Result<(), SyntaxError> {
        match self.take_symbol(symbol) {
            true => Ok(()),
            false => Err(self.unexpected(symbol)),
        }
    }

    fn error(
        &self,
        at: Range<usize>,
        what: impl Into<String>,
        hint: impl Into<Box<str>>,
    ) -> SyntaxError {
        SyntaxError::new(self.text, at, what, hint)
    }

    /// The error for a token where there should be something else.
    fn unexpected(&self, expected: &str) -> SyntaxError {
        let at = self.at();
        let found = match self.token() {
            Token::End => "the expression ends".to_string(),
            _ => format!("{} stands", &self.text[at.clone()]),
        };
        let what = format!("{found} where {expected} should be");
        let hint = "such as: released > 2000 AND NOT title STARTS WITH 'The'";
        let error = self.error(at, what, hint);
        match self.token() {
            Token::Word(word) => error.with_near(word, BEHIND),
            _ => error,
        }
    }

    fn check_boolean(&self, part: &Part) -> Result<(), SyntaxError> {
        self.check_type(part, "BOOLEAN", "a comparison, such as x = 1")
    }

    /// Refuses what can have no value of a type.
    fn check_type(&self, part: &Part, wanted: &str, such_as: &str) -> Result<(), SyntaxError> {
        match part.static_type() {
            Some(found) if found != wanted => {
                let what = format!("this is a {found} where a {wanted} should be");
                Err(self.error(part.at.clone(), what, format!("write {such_as}")))
            }
            _ => Ok(()),
        }
    }
}

impl Part {
    fn literal(&self) -> Option<Value> {
        match &self.node {
            Node::Literal(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// Type of its value, where that is known and it is not null.
    fn static_type(&self) -> Option<&'static str> {
        match &self.node {
            Node::Literal(Value::Null) | Node::Property(_) => None,
            Node::Literal(value) => Some(value.type_name()),
            Node::List(_) => Some("LIST"),
            _ => Some("BOOLEAN"),
        }
    }
}
