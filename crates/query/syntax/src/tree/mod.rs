//! The syntax tree. Every part knows where it stands in the text, prints itself as text
//! that parses to an equal tree, and is equal to parts that stand elsewhere.

mod clause;
mod command;
mod copy;
mod expression;
mod operator;
mod parts;
mod pattern;
mod types;

pub use clause::*;
pub use command::*;
pub use copy::*;
pub use expression::*;
pub use operator::*;
pub use pattern::*;
pub use types::{DataType, OneType, Types};

/// Bytes of the text where a part stands. All spans are equal: a tree is equal to another
/// wherever its parts stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// Behind the last one.
    pub end: u32,
}

impl Span {
    /// From there to there.
    pub fn new(start: usize, end: usize) -> Self {
        // A text is not longer: the lexer refuses it.
        Span {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
        }
    }

    /// As a range of a text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the beginning of this to the end of another.
    #[must_use]
    pub fn to(self, end: Span) -> Span {
        Span {
            start: self.start,
            end: end.end,
        }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

/// A name without backticks, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub at: Span,
}

impl Name {
    /// A name that stands nowhere.
    pub fn new(text: impl Into<String>) -> Self {
        Name {
            text: text.into(),
            at: Span::default(),
        }
    }
}

/// `{a: 1, b: 2}`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Keys and values.
    pub entries: Vec<(Name, Expression)>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// `CYPHER 5 runtime=slotted`: options of Neo4j, which have no effect.
    pub options: Vec<StatementOption>,
    /// Whether it is executed.
    pub mode: Mode,
    /// Its content.
    pub body: Body,
    /// Where it stands, without a semicolon.
    pub at: Span,
}

/// `runtime=slotted`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementOption {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Name,
}

/// Whether a statement is executed or explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is executed.
    Execute,
    /// `EXPLAIN`: its plan is shown.
    Explain,
    /// `PROFILE`: it is executed, and its plan with figures is shown.
    Profile,
}

/// Content of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A query that reads or writes.
    Query(Query),
    /// Another command.
    Command(Box<Command>),
}
