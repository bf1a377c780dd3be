//! Statements that are no queries.

use super::{Parsed, Parser};
use crate::error::Detail;
use crate::lexer::Token;
use crate::tree::{
    Command, ConstraintFilter, ConstraintRule, CreateConstraint, CreateIndex, DefinitionName, Drop,
    INDEX_TYPES, IndexKind, Listing, Map, Name, Requirement, Show, Subject,
};

const LISTINGS: [(&str, Listing); 11] = [
    ("INDEXES", Listing::Indexes(None)),
    ("INDEX", Listing::Indexes(None)),
    ("CONSTRAINTS", Listing::Constraints(ConstraintFilter::ALL)),
    ("CONSTRAINT", Listing::Constraints(ConstraintFilter::ALL)),
    ("FUNCTIONS", Listing::Functions),
    ("FUNCTION", Listing::Functions),
    ("PROCEDURES", Listing::Procedures),
    ("PROCEDURE", Listing::Procedures),
    ("TRANSACTIONS", Listing::Transactions),
    ("TRANSACTION", Listing::Transactions),
    ("COMPILED", Listing::CompiledQueries),
];
/// The first of them, before which `ALL` may stand.
const LISTINGS_OF_ALL: usize = 6;

/// Kinds of indexes that Neo4j has besides, and what serves here.
#[rustfmt::skip] // Rows of a table.
const OTHER_INDEXES: [(&str, &str); 3] = [
    (
        "TEXT",
        "CREATE INDEX serves =, IN, comparisons and STARTS WITH, CREATE FULLTEXT INDEX finds words",
    ),
    ("POINT", "CREATE INDEX finds equal points; distances are measured without an index"),
    ("LOOKUP", "leave it out: nodes are found by label, and relationships by type, without one"),
];

/// Words for kinds of constraints that lists can be of.
const RULES: [(&[&str], ConstraintRule); 9] = [
    (&["UNIQUENESS"], ConstraintRule::Unique),
    (&["UNIQUE"], ConstraintRule::Unique),
    (&["PROPERTY", "UNIQUENESS"], ConstraintRule::Unique),
    (&["EXISTENCE"], ConstraintRule::Exists),
    (&["EXIST"], ConstraintRule::Exists),
    (&["PROPERTY", "EXISTENCE"], ConstraintRule::Exists),
    (&["PROPERTY", "EXIST"], ConstraintRule::Exists),
    (&["PROPERTY", "TYPE"], ConstraintRule::Type),
    (&["KEY"], ConstraintRule::Key),
];

impl Parser<'_> {
    /// A command, if one stands here.
    pub(super) fn command(&mut self) -> Parsed<Option<Command>> {
        let kinds = [
            ("RANGE", IndexKind::Range),
            ("FULLTEXT", IndexKind::FullText),
            ("VECTOR", IndexKind::Vector),
        ];
        let is_made = |word: &str| {
            self.is_word("CREATE") && self.is_word_ahead(1, word) && self.is_word_ahead(2, "INDEX")
        };
        let kind = kinds.into_iter().find(|&(word, _)| is_made(word));
        let other = OTHER_INDEXES.into_iter().find(|&(word, _)| is_made(word));
        if let Some((word, hint)) = other {
            self.advance();
            let what = format!("there are no {} indexes", word.to_lowercase());
            return Err(self.problem(Detail::Unsupported, self.at(), what, hint));
        }
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
    fn new_name(&mut self) -> Parsed<(Option<DefinitionName>, bool)> {
        let name = match self.is_word("IF") || self.is_word("FOR") {
            true => None,
            false => Some(self.definition_name("a name or FOR")?),
        };
        Ok((name, self.take_words(&["IF", "NOT", "EXISTS"])))
    }

    fn definition_name(&mut self, of: &str) -> Parsed<DefinitionName> {
        let Token::Parameter(text) = self.token().clone() else {
            return self.name(of).map(DefinitionName::Written);
        };
        let at = self.at();
        self.advance();
        Ok(DefinitionName::Parameter(Name { text, at }))
    }

    fn create_index(&mut self, kind: IndexKind) -> Parsed<Command> {
        let (name, if_not_exists) = self.new_name()?;
        let subject = self.subject(kind == IndexKind::FullText)?;
        self.need_word("ON")?;
        let properties = match kind {
            IndexKind::FullText => {
                self.need_word("EACH")?;
                self.need("[")?;
                let properties = self.separated(|parser| parser.property_of(&subject))?;
                self.need("]")?;
                properties
            }
            _ => self.properties_of(&subject)?,
        };
        let options = self.options()?;
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

    /// `(n.a, n.b)`, or one without parentheses.
    fn properties_of(&mut self, subject: &Subject) -> Parsed<Vec<Name>> {
        if !self.take("(") {
            return Ok(vec![self.property_of(subject)?]);
        }
        let properties = self.separated(|parser| parser.property_of(subject))?;
        self.need(")")?;
        Ok(properties)
    }

    fn options(&mut self) -> Parsed<Option<Map>> {
        self.after_word("OPTIONS", Self::map)
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
        let properties = self.properties_of(&subject)?;
        self.need_word("IS")?;
        self.need_same_subject(&subject)?;
        let requirement = match () {
            () if self.take_of_subject("UNIQUE") => Requirement::Unique,
            () if self.take_of_subject("KEY") => Requirement::Key,
            () if self.take_words(&["NOT", "NULL"]) => Requirement::NotNull,
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
        let is_of_one = matches!(requirement, Requirement::NotNull | Requirement::Type(..));
        if let ([_, second, ..], true) = (&properties[..], is_of_one) {
            let what = "such a constraint is of one property";
            let hint = "write a constraint for each";
            return Err(self.problem(Detail::UnexpectedSyntax, second.at, what, hint));
        }
        let options = self.options()?;
        Ok(Command::CreateConstraint(CreateConstraint {
            name,
            if_not_exists,
            subject,
            properties,
            requirement,
            options,
        }))
    }

    /// Takes `KEY`, also as `NODE KEY` and the like.
    fn take_of_subject(&mut self, word: &str) -> bool {
        let mut subjects = ["NODE", "RELATIONSHIP", "REL"].into_iter();
        self.take_word(word) || subjects.any(|subject| self.take_words(&[subject, word]))
    }

    /// Refuses `NODE KEY` of relationships, and the like.
    fn need_same_subject(&self, subject: &Subject) -> Parsed<()> {
        let others: &[&str] = match subject.of_relationships {
            true => &["NODE"],
            false => &["RELATIONSHIP", "REL"],
        };
        let Some(other) = others.iter().find(|word| self.is_word(word)) else {
            return Ok(());
        };
        let of = match subject.of_relationships {
            true => "relationships",
            false => "nodes",
        };
        let what = format!("{other} stands in a constraint of {of}");
        let hint = "leave it out: KEY and UNIQUE are of both";
        Err(self.problem(Detail::UnexpectedSyntax, self.at(), what, hint))
    }

    fn drop_command(&mut self) -> Parsed<Command> {
        let is_constraint = self.take_word("CONSTRAINT");
        if !is_constraint && !self.take_word("INDEX") {
            return Err(self.unexpected("INDEX or CONSTRAINT", &["INDEX", "CONSTRAINT"]));
        }
        let name = self.definition_name("a name")?;
        let if_exists = self.take_words(&["IF", "EXISTS"]);
        Ok(Command::Drop(Drop {
            is_constraint,
            name,
            if_exists,
        }))
    }

    fn show(&mut self) -> Parsed<Command> {
        let listing = self.listing()?;
        let (mut yielded, mut filter) = (None, None);
        if self.take_word("YIELD") {
            let mut columns = self.projection()?;
            columns.filter = self.filter()?;
            yielded = Some(columns);
        } else {
            filter = self.filter()?;
        }
        let returns = (yielded.is_some() || filter.is_some()) && self.take_word("RETURN");
        let returned = returns.then(|| self.projection()).transpose()?;
        Ok(Command::Show(Box::new(Show {
            listing,
            yielded,
            filter,
            returned,
        })))
    }

    fn listing(&mut self) -> Parsed<Listing> {
        let is_all = self.take_word("ALL");
        if !is_all {
            if let Some(of) = INDEX_TYPES.into_iter().find(|word| self.is_word(word)) {
                self.advance();
                self.need_one_word(&["INDEXES", "INDEX"])?;
                return Ok(Listing::Indexes(Some(of)));
            }
            let of = self.constraint_filter();
            if of != ConstraintFilter::ALL {
                self.need_one_word(&["CONSTRAINTS", "CONSTRAINT"])?;
                return Ok(Listing::Constraints(of));
            }
        }
        let (known, expected) = match is_all {
            true => (
                &LISTINGS[..LISTINGS_OF_ALL],
                "INDEXES, CONSTRAINTS or FUNCTIONS",
            ),
            false => (
                &LISTINGS[..],
                "INDEXES, CONSTRAINTS, PROCEDURES, FUNCTIONS, TRANSACTIONS or COMPILED QUERIES",
            ),
        };
        let Some(&(_, listing)) = known.iter().find(|(word, _)| self.is_word(word)) else {
            let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
            return Err(self.unexpected(expected, &words));
        };
        self.advance();
        if listing == Listing::CompiledQueries {
            self.need_one_word(&["QUERIES", "QUERY"])?;
        }
        Ok(listing)
    }

    fn constraint_filter(&mut self) -> ConstraintFilter {
        let of_relationships = match () {
            () if self.take_word("NODE") => Some(false),
            () if self.take_word("RELATIONSHIP") || self.take_word("REL") => Some(true),
            () => None,
        };
        let rule = RULES.into_iter().find(|(words, _)| self.take_words(words));
        ConstraintFilter {
            of_relationships,
            rule: rule.map(|(_, rule)| rule),
        }
    }

    /// Takes one of several spellings of a word, the usual one first.
    fn need_one_word(&mut self, words: &[&str]) -> Parsed<()> {
        let is_taken = words.iter().any(|word| self.take_word(word));
        self.expect(is_taken, words[0], words)
    }
}
