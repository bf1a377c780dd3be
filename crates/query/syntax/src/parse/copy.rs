//! Statements that read and write files.

use super::{Parsed, Parser};
use crate::lexer::Token;
use crate::tree::{Command, CopyFrom, CopyOption, CopyTo, Expression, Node};

impl Parser<'_> {
    /// What stands behind `COPY`.
    pub(super) fn copy(&mut self) -> Parsed<Command> {
        if self.take("(") {
            let begin = self.at();
            let query = self.deeper(|parser| parser.query(false))?;
            let at = self.since(begin);
            self.need(")")?;
            if !self.take_word("TO") {
                return Err(self.unexpected("TO", &["TO"]));
            }
            return Ok(Command::CopyTo(CopyTo {
                query,
                at,
                file: self.copy_file()?,
                options: self.copy_options()?,
            }));
        }
        let name = self.name("a label, a type, or a query in parentheses")?;
        if !self.take_word("FROM") {
            return Err(self.unexpected("FROM", &["FROM"]));
        }
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
        let is_alone = !self.take("=") && (self.is(",") || self.is(")"));
        let value = match is_alone {
            true => None,
            false => Some(self.expression()?),
        };
        Ok(CopyOption { name, value })
    }
}
