//! Expressions of the tests, read again for each row.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::functions;
use evergraph_functions::operators::{self, Binary, Unary};
use evergraph_functions::{Datum, Environment, EvaluationError};

pub type Row = BTreeMap<String, Datum>;

/// Why there is no result.
#[derive(Debug)]
pub enum Failure {
    /// Syntax that this evaluator does not know.
    Unknown(String),
    Evaluation(EvaluationError),
}

impl From<EvaluationError> for Failure {
    fn from(error: EvaluationError) -> Self {
        Failure::Evaluation(error)
    }
}

pub type Result<T> = std::result::Result<T, Failure>;

/// Place in a text, with the variables of a row.
#[derive(Clone)]
pub struct Reader<'a> {
    pub text: &'a str,
    pub at: usize,
    pub row: Row,
    pub environment: &'a Environment<'a>,
}

/// The value of an expression.
pub fn evaluate(text: &str, row: &Row, environment: &Environment<'_>) -> Result<Datum> {
    let mut reader = Reader {
        text,
        at: 0,
        row: row.clone(),
        environment,
    };
    let value = reader.expression()?;
    reader.end()?;
    Ok(value)
}

pub fn with(row: &Row, name: &str, value: Datum) -> Row {
    let mut row = row.clone();
    row.insert(name.to_string(), value);
    row
}

const COMPARISONS: [(&str, Binary); 6] = [
    ("<>", Binary::Unequal),
    ("<=", Binary::LessOrEqual),
    (">=", Binary::GreaterOrEqual),
    ("=", Binary::Equal),
    ("<", Binary::Less),
    (">", Binary::Greater),
];

impl Reader<'_> {
    pub fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    pub fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub fn unknown(&self) -> Failure {
        Failure::Unknown(self.rest().chars().take(40).collect())
    }

    pub fn end(&mut self) -> Result<()> {
        self.space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.unknown())
        }
    }

    pub fn symbol(&mut self, symbol: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    pub fn need(&mut self, symbol: &str) -> Result<()> {
        if self.symbol(symbol) {
            Ok(())
        } else {
            Err(self.unknown())
        }
    }

    /// A keyword, in any case.
    pub fn word(&mut self, word: &str) -> bool {
        self.space();
        let rest = self.rest();
        let is_word = rest
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word));
        let found = is_word && !rest[word.len()..].starts_with(is_of_name);
        self.at += if found { word.len() } else { 0 };
        found
    }

    pub fn need_word(&mut self, word: &str) -> Result<()> {
        if self.word(word) {
            Ok(())
        } else {
            Err(self.unknown())
        }
    }

    pub fn name(&mut self) -> Result<String> {
        self.space();
        if let Some(quoted) = self.rest().strip_prefix('`') {
            let end = quoted.find('`').ok_or_else(|| self.unknown())?;
            let name = quoted[..end].to_string();
            self.at += end + 2;
            return Ok(name);
        }
        let end = self
            .rest()
            .find(|c| !is_of_name(c))
            .unwrap_or(self.rest().len());
        if end == 0 {
            return Err(self.unknown());
        }
        let name = self.rest()[..end].to_string();
        self.at += end;
        Ok(name)
    }

    /// Expressions with commas, and what closes them.
    pub fn list(&mut self, close: &str) -> Result<Vec<Datum>> {
        let mut values = Vec::new();
        while !self.symbol(close) {
            if !values.is_empty() {
                self.need(",")?;
            }
            values.push(self.expression()?);
        }
        Ok(values)
    }

    pub fn binary(&self, operator: Binary, left: &Datum, right: &Datum) -> Result<Datum> {
        Ok(operators::binary(operator, left, right, self.environment)?)
    }

    pub fn expression(&mut self) -> Result<Datum> {
        self.logic(0)
    }

    pub fn logic(&mut self, level: usize) -> Result<Datum> {
        let levels = [
            ("OR", Binary::Or),
            ("XOR", Binary::Xor),
            ("AND", Binary::And),
        ];
        let Some((word, operator)) = levels.get(level) else {
            if self.word("NOT") {
                let operand = self.logic(level)?;
                return Ok(operators::unary(Unary::Not, &operand)?);
            }
            return self.comparison();
        };
        let mut left = self.logic(level + 1)?;
        while self.word(word) {
            let right = self.logic(level + 1)?;
            left = self.binary(*operator, &left, &right)?;
        }
        Ok(left)
    }

    pub fn comparison(&mut self) -> Result<Datum> {
        let mut left = self.predicate()?;
        let mut known = None;
        while !self.rest().trim_start().starts_with("=~") {
            let found = COMPARISONS
                .into_iter()
                .find(|(symbol, _)| self.symbol(symbol));
            let Some((_, operator)) = found else { break };
            let right = self.predicate()?;
            let one = self.binary(operator, &left, &right)?;
            known = Some(match known {
                None => one,
                Some(known) => self.binary(Binary::And, &known, &one)?,
            });
            left = right;
        }
        Ok(known.unwrap_or(left))
    }

    pub fn predicate(&mut self) -> Result<Datum> {
        let mut left = self.arithmetic(0)?;
        loop {
            let operator = if self.word("IS") {
                let not = self.word("NOT");
                self.need_word("NULL")?;
                let operator = if not { Unary::IsNotNull } else { Unary::IsNull };
                left = operators::unary(operator, &left)?;
                continue;
            } else if self.word("IN") {
                Binary::In
            } else if self.word("STARTS") {
                self.need_word("WITH")?;
                Binary::StartsWith
            } else if self.word("ENDS") {
                self.need_word("WITH")?;
                Binary::EndsWith
            } else if self.word("CONTAINS") {
                Binary::Contains
            } else if self.symbol("=~") {
                Binary::Matches
            } else {
                return Ok(left);
            };
            let right = self.arithmetic(0)?;
            left = self.binary(operator, &left, &right)?;
        }
    }

    pub fn arithmetic(&mut self, level: usize) -> Result<Datum> {
        let levels: [&[(&str, Binary)]; 3] = [
            &[
                ("+", Binary::Add),
                ("-", Binary::Subtract),
                ("||", Binary::Concatenate),
            ],
            &[
                ("*", Binary::Multiply),
                ("/", Binary::Divide),
                ("%", Binary::Modulo),
            ],
            &[("^", Binary::Power)],
        ];
        let Some(operators) = levels.get(level) else {
            return self.signed();
        };
        let mut left = self.arithmetic(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.symbol(symbol)) {
            let right = self.arithmetic(level + 1)?;
            left = self.binary(*operator, &left, &right)?;
        }
        Ok(left)
    }

    pub fn signed(&mut self) -> Result<Datum> {
        self.space();
        if let Some(digits) = self.rest().strip_prefix('-')
            && digits.starts_with(|c: char| c.is_ascii_digit())
        {
            return self.accessed();
        }
        if self.symbol("-") {
            return Ok(operators::unary(Unary::Minus, &self.signed()?)?);
        }
        if self.symbol("+") {
            return Ok(operators::unary(Unary::Plus, &self.signed()?)?);
        }
        self.accessed()
    }

    pub fn accessed(&mut self) -> Result<Datum> {
        let mut value = self.atom()?;
        loop {
            if !self.rest().trim_start().starts_with("..") && self.symbol(".") {
                let key = self.name()?;
                value = operators::property(&value, &key, self.environment)?;
            } else if self.symbol("[") {
                let from = match self.symbol("..") {
                    true => None,
                    false => Some(self.expression()?),
                };
                if let Some(at) = &from {
                    if self.symbol("]") {
                        value = operators::index(&value, at, self.environment)?;
                        continue;
                    }
                    self.need("..")?;
                }
                let to = (!self.symbol("]")).then(|| self.expression()).transpose()?;
                if to.is_some() {
                    self.need("]")?;
                }
                value = operators::slice(&value, from.as_ref(), to.as_ref())?;
            } else {
                return Ok(value);
            }
        }
    }

    pub fn atom(&mut self) -> Result<Datum> {
        if self.symbol("(") {
            let value = self.expression()?;
            self.need(")")?;
            return Ok(value);
        }
        if self.symbol("[") {
            return self.list_or_comprehension();
        }
        if self.symbol("{") {
            let mut entries = BTreeMap::new();
            while !self.symbol("}") {
                if !entries.is_empty() {
                    self.need(",")?;
                }
                let key = self.name()?;
                self.need(":")?;
                entries.insert(Arc::from(key), self.expression()?);
            }
            return Ok(Datum::map(entries));
        }
        if self.symbol("$") {
            let name = format!("${}", self.name()?);
            return self.row.get(&name).cloned().ok_or_else(|| self.unknown());
        }
        match self.rest().chars().next() {
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            _ => self.named(),
        }
    }

    pub fn list_or_comprehension(&mut self) -> Result<Datum> {
        let start = self.at;
        let (Ok(name), true) = (self.name(), self.word("IN")) else {
            self.at = start;
            return Ok(Datum::list(self.list("]")?));
        };
        let list = self.expression()?;
        let body = self.at;
        let mut values = Vec::new();
        let Some(elements) = list.elements().filter(|elements| !elements.is_empty()) else {
            return Err(self.unknown());
        };
        let outer = self.row.clone();
        for element in elements.iter() {
            (self.at, self.row) = (body, with(&outer, &name, element.clone()));
            let keep = match self.word("WHERE") {
                true => operators::boolean(&self.expression()?)? == Some(true),
                false => true,
            };
            let value = if self.symbol("|") {
                self.expression()?
            } else {
                element
            };
            if keep {
                values.push(value);
            }
        }
        self.row = outer;
        self.need("]")?;
        Ok(Datum::list(values))
    }

    pub fn quoted(&mut self, quote: char) -> Result<Datum> {
        let mut value = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => value.push(match characters.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 't')) => '\t',
                    Some((_, 'r')) => '\r',
                    Some((_, other @ ('\\' | '\'' | '"'))) => other,
                    _ => return Err(self.unknown()),
                }),
                end if end == quote => {
                    self.at += at + 1;
                    return Ok(value.into());
                }
                other => value.push(other),
            }
        }
        Err(self.unknown())
    }

    pub fn number(&mut self) -> Result<Datum> {
        let digits = self.rest();
        let is_of_number = |(at, c): (usize, char)| {
            let before = digits[..at].chars().last();
            let next = digits[at + c.len_utf8()..].chars().next();
            match c {
                '.' => !next.is_some_and(|next| next.is_ascii_digit()),
                '-' => at > 0 && !matches!(before, Some('e' | 'E')),
                _ => !c.is_ascii_alphanumeric(),
            }
        };
        let end = digits.char_indices().find(|place| is_of_number(*place));
        let text = digits[..end.map_or(digits.len(), |(at, _)| at)].to_string();
        self.at += text.len();
        match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(integer), _) => Ok(integer.into()),
            (_, Ok(float)) if text.contains(['.', 'e', 'E']) => Ok(float.into()),
            _ => Err(self.unknown()),
        }
    }

    /// A constant, a variable, or a call.
    pub fn named(&mut self) -> Result<Datum> {
        let start = self.at;
        let mut name = self.name()?;
        match name.to_lowercase().as_str() {
            "null" => return Ok(Datum::NULL),
            "true" => return Ok(true.into()),
            "false" => return Ok(false.into()),
            _ => {}
        }
        if let Some(value) = self.row.get(&name) {
            return Ok(value.clone());
        }
        while self.symbol(".") {
            name = format!("{name}.{}", self.name()?);
        }
        if !self.symbol("(") {
            self.at = start;
            return Err(self.unknown());
        }
        let arguments = self.list(")")?;
        let function = functions::find(&name)?;
        if function.signature.aggregates {
            return Err(self.unknown());
        }
        Ok(functions::call(function, &arguments, self.environment)?)
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
