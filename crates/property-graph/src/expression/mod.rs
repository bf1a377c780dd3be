//! Expressions over properties: openCypher's expressions, as far as they need nothing but
//! the properties of one node or relationship, with its nulls.
//!
//! An expression is a comparison (`=`, `<>`, `<`, `<=`, `>`, `>=`, also chained), `IN`,
//! `IS NULL`, `IS NOT NULL`, `STARTS WITH`, `ENDS WITH`, `CONTAINS`, and what `NOT`, `AND`,
//! `XOR`, `OR` and parentheses make of such. Operands are properties by name, in backticks
//! where they are no plain names, literals of numbers, texts, booleans, null and lists, and
//! `date('…')`, `time('…')`, `localtime('…')`, `datetime('…')`, `localdatetime('…')` and
//! `duration('…')`.
//!
//! Comparisons with null are null, and so are comparisons of values whose types do not
//! compare; `AND`, `OR`, `XOR`, `NOT` and `IN` follow three-valued logic. An element is
//! chosen where the expression is true, not where it is null.

mod error;
mod evaluate;
mod read;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

pub use error::{SyntaxError, TypeError, pointed};
pub(crate) use evaluate::{compared, is_in};

use crate::value::Value;

/// A parsed expression. Compared and shown by its text.
#[derive(Clone)]
pub struct Expression {
    text: String,
    root: Part,
    keys: Vec<Key>,
}

/// A property that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Name.
    pub name: String,
    /// Bytes of the text where it stands first.
    pub at: Range<usize>,
}

/// A part of an expression, and the bytes of the text where it stands.
#[derive(Clone, Debug)]
struct Part {
    node: Node,
    at: Range<usize>,
}

#[derive(Clone, Debug)]
enum Node {
    Literal(Value),
    /// By its place in the keys.
    Property(usize),
    List(Vec<Part>),
    Not(Box<Part>),
    /// Of two parts or more, as are the next two.
    And(Vec<Part>),
    Or(Vec<Part>),
    Xor(Vec<Part>),
    /// `a < b <= c` is `a < b AND b <= c`.
    Comparison(Box<Part>, Vec<(Comparison, Part)>),
    Text(TextTest, Box<(Part, Part)>),
    In(Box<(Part, Part)>),
    IsNull(Box<Part>),
    IsNotNull(Box<Part>),
}

/// Operators that compare two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextTest {
    StartsWith,
    EndsWith,
    Contains,
}

impl Expression {
    /// Reads a predicate: an expression that is true, false or null.
    ///
    /// # Errors
    /// The first part that is no such expression, and its place.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        read::predicate(text)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The properties that it reads, each once, in the order in which they stand.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Whether it is true, and not false or null. `property` gives the value of a key by
    /// its place in [`Expression::keys`], [`Value::Null`] if there is none. O(text), and
    /// what `property` costs, which is asked only for what decides.
    ///
    /// # Errors
    /// A [`TypeError`], where an operand has a type that the operator does not take, and
    /// the errors of `property`.
    pub fn holds<E: From<TypeError>>(
        &self,
        mut property: impl FnMut(usize) -> Result<Value, E>,
    ) -> Result<bool, E> {
        let truth = evaluate::truth(&self.root, self, &mut property)?;
        Ok(truth == Some(true))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Expression {}
