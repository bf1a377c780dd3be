//! Statements that are no queries.

use std::fmt::{self, Display, Formatter};

use super::{Parameter, Separated, optional, separated};
use crate::tree::{
    Command, ConstraintFilter, ConstraintRule, CreateConstraint, CreateIndex, DefinitionName, Drop,
    IndexKind, Listing, Name, Requirement, Show, Subject,
};

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Command::CreateIndex(part) => part.fmt(f),
            Command::CreateConstraint(part) => part.fmt(f),
            Command::Drop(part) => part.fmt(f),
            Command::Show(part) => part.fmt(f),
            Command::CopyFrom(part) => part.fmt(f),
            Command::CopyTo(part) => part.fmt(f),
        }
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (variable, labels) = (&self.variable, Separated(&self.labels, "|"));
        match self.of_relationships {
            true => write!(f, "FOR ()-[{variable}:{labels}]-()"),
            false => write!(f, "FOR ({variable}:{labels})"),
        }
    }
}

/// `n.a, n.b`
fn properties_of(subject: &Subject, properties: &[Name]) -> impl Display {
    let property = |name: &Name, f: &mut Formatter<'_>| write!(f, "{}.{name}", subject.variable);
    separated(properties, ", ", property)
}

impl Display for DefinitionName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DefinitionName::Written(name) => name.fmt(f),
            DefinitionName::Parameter(name) => Parameter(&name.text).fmt(f),
        }
    }
}

fn new_name(
    f: &mut Formatter<'_>,
    name: Option<&DefinitionName>,
    if_not_exists: bool,
) -> fmt::Result {
    optional(f, " ", name)?;
    f.write_str(if if_not_exists {
        " IF NOT EXISTS "
    } else {
        " "
    })
}

impl Display for CreateIndex {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            IndexKind::Range => "CREATE INDEX",
            IndexKind::FullText => "CREATE FULLTEXT INDEX",
            IndexKind::Vector => "CREATE VECTOR INDEX",
        })?;
        new_name(f, self.name.as_ref(), self.if_not_exists)?;
        let properties = properties_of(&self.subject, &self.properties);
        match self.kind {
            IndexKind::FullText => write!(f, "{} ON EACH [{properties}]", self.subject)?,
            _ => write!(f, "{} ON ({properties})", self.subject)?,
        }
        optional(f, " OPTIONS ", self.options.as_ref())
    }
}

impl Display for CreateConstraint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("CREATE CONSTRAINT")?;
        new_name(f, self.name.as_ref(), self.if_not_exists)?;
        let properties = properties_of(&self.subject, &self.properties);
        write!(f, "{} REQUIRE ({properties}) IS ", self.subject)?;
        match &self.requirement {
            Requirement::Unique => f.write_str("UNIQUE"),
            Requirement::NotNull => f.write_str("NOT NULL"),
            Requirement::Key => f.write_str("KEY"),
            Requirement::Type(to, _) => write!(f, ":: {to}"),
        }?;
        optional(f, " OPTIONS ", self.options.as_ref())
    }
}

impl Display for Drop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let what = if self.is_constraint {
            "CONSTRAINT"
        } else {
            "INDEX"
        };
        let if_exists = if self.if_exists { " IF EXISTS" } else { "" };
        write!(f, "DROP {what} {}{if_exists}", self.name)
    }
}

/// Words with a space behind each, so that `CONSTRAINTS` can follow.
impl Display for ConstraintFilter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.of_relationships {
            None => "",
            Some(false) => "NODE ",
            Some(true) => "RELATIONSHIP ",
        })?;
        f.write_str(match self.rule {
            None => "",
            Some(ConstraintRule::Unique) => "UNIQUENESS ",
            Some(ConstraintRule::Exists) => "EXISTENCE ",
            Some(ConstraintRule::Key) => "KEY ",
            Some(ConstraintRule::Type) => "PROPERTY TYPE ",
        })
    }
}

impl Display for Show {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.listing {
            Listing::Indexes(None) => f.write_str("SHOW INDEXES"),
            Listing::Indexes(Some(of)) => write!(f, "SHOW {of} INDEXES"),
            Listing::Constraints(of) => write!(f, "SHOW {of}CONSTRAINTS"),
            Listing::Procedures => f.write_str("SHOW PROCEDURES"),
            Listing::Functions => f.write_str("SHOW FUNCTIONS"),
            Listing::Transactions => f.write_str("SHOW TRANSACTIONS"),
            Listing::CompiledQueries => f.write_str("SHOW COMPILED QUERIES"),
        }?;
        optional(f, " YIELD ", self.yielded.as_ref())?;
        optional(f, " WHERE ", self.filter.as_ref())?;
        optional(f, " RETURN ", self.returned.as_ref())
    }
}
