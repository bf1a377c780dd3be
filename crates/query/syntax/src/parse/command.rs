//! Statements that are no queries.

use super::clause::all_and;
use super::{Parsed, Parser};
use crate::error::Detail;
use crate::tree::{
    Command, CreateConstraint, CreateIndex, Drop, IndexKind, Listing, Name, Requirement, Show,
    Subject,
};

const LISTINGS: [(&str, Listing); 11] = [
    ("INDEXES", Listing::Indexes),
    ("INDEX", Listing::Indexes),
    ("CONSTRAINTS", Listing::Constraints),
    ("CONSTRAINT", Listing::Constraints),
    ("PROCEDURES", Listing::Procedures),
    ("PROCEDURE", Listing::Procedures),
    ("FUNCTIONS", Listing::Functions),
    ("FUNCTION", Listing::Functions),
    ("TRANSACTIONS", Listing::Transactions),
    ("TRANSACTION", Listing::Transactions),
    ("COMPILED", Listing::CompiledQueries),
];

impl Parser<'_> {
    /// A command, if one stands here.
    pub(super) fn command(&mut self) -> Parsed<Option<Command>> {
        let kinds = [
            ("RANGE", IndexKind::Range),
            ("FULLTEXT", IndexKind::FullText),
            ("VECTOR", IndexKind::Vector),
        ];
        let kind = kinds.into_iter().find(|(word, _)| {
            self.is_word("CREATE") && self.is_word_ahead(1, word) && self.is_word_ahead(2, "INDEX")
        });
        let command = if let Some((_, kind)) = kind {
            self.place += 3;
            self.create_index(kind)?
        } else if self.take_words(&["CREATE", "INDEX"]) {
            self.create_index(IndexKind::Range)?
        } else if self.take_words(&["CREATE", "CONSTRAINT"]) {
            self.create_constraint()?
        } else if self.take_word("DROP") {
            self.drop_command()?
        } else if self.take_word("SHOW") {
            self.show()?
        } else if self.take_word("COPY") {
            self.copy()?
        } else {
            return Ok(None);
        };
        Ok(Some(command))
    }

    /// The optional name of what is made, and whether it may exist.
    fn new_name(&mut self) -> Parsed<(Option<Name>, bool)> {
        let name = match self.is_word("IF") || self.is_word("FOR") {
            true => None,
            false => Some(self.name("a name or FOR")?),
        };
        Ok((name, self.take_words(&["IF", "NOT", "EXISTS"])))
    }

    fn create_index(&mut self, kind: IndexKind) -> Parsed<Command> {
        let (name, if_not_exists) = self.new_name()?;
        let subject = self.subject(kind == IndexKind::FullText)?;
        self.need_word("ON")?;
        let closing = match kind {
            IndexKind::FullText => {
                self.need_word("EACH")?;
                self.need("[")?;
                "]"
            }
            _ => {
                self.need("(")?;
                ")"
            }
        };
        let properties = self.separated(|parser| parser.property_of(&subject))?;
        self.need(closing)?;
        let options = match self.take_word("OPTIONS") {
            true => Some(self.map()?),
            false => None,
        };
        Ok(Command::CreateIndex(CreateIndex {
            kind,
            name,
            if_not_exists,
            subject,
            properties,
            options,
        }))
    }

    fn subject(&mut self, several: bool) -> Parsed<Subject> {
        self.need_word("FOR")?;
        self.need("(")?;
        let of_relationships = self.take(")");
        if of_relationships {
            self.take("<");
            self.need("-")?;
            self.need("[")?;
        }
        let variable = self.variable()?;
        self.need(":")?;
        let mut labels = vec![self.name("a label or type")?];
        while several && self.take("|") {
            labels.push(self.name("a label or type")?);
        }
        if of_relationships {
            self.need("]")?;
            self.need("-")?;
            self.take(">");
            self.need("(")?;
        }
        self.need(")")?;
        Ok(Subject {
            of_relationships,
            variable,
            labels,
        })
    }

    fn property_of(&mut self, subject: &Subject) -> Parsed<Name> {
        let variable = self.variable()?;
        if variable.text != subject.variable.text {
            let what = format!("there is no variable {}", variable.text);
            let hint = format!("it is called {} behind FOR", subject.variable.text);
            return Err(self.problem(Detail::UndefinedVariable, variable.at, what, hint));
        }
        self.need(".")?;
        self.name("a property")
    }

    fn create_constraint(&mut self) -> Parsed<Command> {
        let (name, if_not_exists) = self.new_name()?;
        let subject = self.subject(false)?;
        self.need_word("REQUIRE")?;
        let properties = match self.take("(") {
            true => {
                let properties = self.separated(|parser| parser.property_of(&subject))?;
                self.need(")")?;
                properties
            }
            false => vec![self.property_of(&subject)?],
        };
        self.need_word("IS")?;
        let requirement = match () {
            () if self.take_word("UNIQUE") => Requirement::Unique,
            () if self.take_words(&["NOT", "NULL"]) => Requirement::NotNull,
            () if self.take_word("KEY") => Requirement::Key,
            () if self.take_words(&["NODE", "KEY"]) => Requirement::Key,
            () if self.take_words(&["RELATIONSHIP", "KEY"]) => Requirement::Key,
            () if self.take("::") || self.take_word("TYPED") => {
                let at = self.at();
                let to = self.data_type()?;
                Requirement::Type(to, self.since(at))
            }
            () => {
                let words = &["UNIQUE", "NOT NULL", "KEY", "NODE KEY", "TYPED"];
                return Err(self.unexpected("UNIQUE, NOT NULL, KEY or a type", words));
            }
        };
        Ok(Command::CreateConstraint(CreateConstraint {
            name,
            if_not_exists,
            subject,
            properties,
            requirement,
        }))
    }

    fn drop_command(&mut self) -> Parsed<Command> {
        let is_constraint = self.take_word("CONSTRAINT");
        if !is_constraint && !self.take_word("INDEX") {
            return Err(self.unexpected("INDEX or CONSTRAINT", &["INDEX", "CONSTRAINT"]));
        }
        let name = self.name("a name")?;
        let if_exists = self.take_words(&["IF", "EXISTS"]);
        Ok(Command::Drop(Drop {
            is_constraint,
            name,
            if_exists,
        }))
    }

    fn show(&mut self) -> Parsed<Command> {
        let Some(&(_, listing)) = LISTINGS.iter().find(|(word, _)| self.is_word(word)) else {
            let words = LISTINGS.map(|(word, _)| word);
            let expected =
                "INDEXES, CONSTRAINTS, PROCEDURES, FUNCTIONS, TRANSACTIONS or COMPILED QUERIES";
            return Err(self.unexpected(expected, &words));
        };
        self.advance();
        if listing == Listing::CompiledQueries && !self.take_word("QUERY") {
            self.need_word("QUERIES")?;
        }
        let mut yielded = None;
        if self.take_word("YIELD") {
            let mut columns = self.projection()?;
            columns.filter = self.filter()?;
            yielded = Some(columns);
        } else if let Some(filter) = self.filter()? {
            yielded = Some(all_and(Vec::new(), Some(filter)));
        }
        let returns = yielded.is_some() && self.take_word("RETURN");
        let returned = returns.then(|| self.projection()).transpose()?;
        Ok(Command::Show(Box::new(Show {
            listing,
            yielded,
            returned,
        })))
    }
}
