//! Statements that read and write files.

use super::query::WORDS;
use super::{Parsed, Parser};
use crate::lexer::Token;
use crate::tree::{Access, Command, CopyFrom, CopyOption, CopyTo, Expression, Node};

impl Parser<'_> {
    /// Reads the rest behind `COPY`.
    pub(super) fn copy(&mut self) -> Parsed<Command> {
        if self.take("(") {
            let begin = self.at();
            let query = self.deeper(|parser| parser.query(false))?;
            let at = self.since(begin);
            let is_closed = self.take(")");
            self.expect(is_closed, "), or a clause, such as RETURN,", WORDS)?;
            self.need_word("TO")?;
            return Ok(Command::CopyTo(CopyTo {
                query,
                at,
                file: self.copy_file()?,
                options: self.copy_options()?,
            }));
        }
        let name = self.name("a label, a type, or a query in parentheses")?;
        self.need_word("FROM")?;
        Ok(Command::CopyFrom(CopyFrom {
            name,
            file: self.copy_file()?,
            options: self.copy_options()?,
        }))
    }

    /// A text or a parameter: options in parentheses may stand behind it.
    fn copy_file(&mut self) -> Parsed<Expression> {
        let at = self.at();
        let node = match self.token().clone() {
            Token::Text(text) => Node::Text(text),
            Token::Parameter(name) => Node::Parameter(name),
            _ => return Err(self.unexpected("the name of a file, in quotes", &[])),
        };
        self.advance();
        Ok(Expression { node, at })
    }

    fn copy_options(&mut self) -> Parsed<Vec<CopyOption>> {
        if !self.take("(") {
            return Ok(Vec::new());
        }
        let options = self.separated(Self::copy_option)?;
        self.need(")")?;
        Ok(options)
    }

    fn copy_option(&mut self) -> Parsed<CopyOption> {
        let name = self.name("an option")?;
        let has_value = self.take("=") || !(self.is(",") || self.is(")"));
        let value = has_value.then(|| self.copy_value()).transpose()?;
        Ok(CopyOption { name, value })
    }

    /// Words alone are names, whatever else they mean: `on_conflict skip`, `from Order.id`.
    fn copy_value(&mut self) -> Parsed<Expression> {
        let ends = |by| self.is_ahead(by, ",") || self.is_ahead(by, ")");
        let (is_alone, is_key) = (ends(1), self.is_ahead(1, ".") && ends(3));
        let is_literal = ["TRUE", "FALSE", "NULL"]
            .iter()
            .any(|word| self.is_word(word));
        let is_name = self.word().is_some() || matches!(self.token(), Token::Quoted(_));
        if !is_name || is_literal || !(is_alone || is_key) {
            return self.expression();
        }
        let name = self.name("a value")?;
        let variable = Expression {
            node: Node::Variable(name.text),
            at: name.at,
        };
        if !self.take(".") {
            return Ok(variable);
        }
        let key = Access::Property(self.name("a property")?);
        Ok(Expression {
            node: Node::Access(Box::new(variable), vec![key]),
            at: self.since(name.at),
        })
    }
}
