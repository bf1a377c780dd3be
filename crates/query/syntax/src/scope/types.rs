//! Types of values, before anything is executed: one, as far as it is known, and sets.

use std::fmt;

use crate::error::Error;
use crate::tree::DataType;
pub use crate::tree::Types;

/// Dates, times and durations.
pub(super) const TEMPORAL: Types = Types::INSTANT.or(Types::DURATION);

/// A type, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Nothing is known, or it is null.
    Any,
    /// `true`, `false`
    Boolean,
    /// 64 bits with a sign
    Integer,
    /// 64 bits
    Float,
    /// An integer or a float
    Number,
    /// A string
    Text,
    /// A list of values of a type
    List(Box<Type>),
    /// A map
    Map,
    /// A node
    Node,
    /// A relationship
    Relationship,
    /// A path
    Path,
    /// A date, time or duration
    Temporal,
    /// A point
    Point,
}

impl Type {
    /// A list of anything.
    pub fn list() -> Self {
        Type::List(Box::new(Type::Any))
    }

    /// The type of values of both.
    pub(super) fn or(self, other: Type) -> Type {
        match self == other {
            true => self,
            false => Type::Any,
        }
    }

    /// The type of a value of one of some types, as far as it is known.
    pub(super) fn of(types: Types) -> Self {
        match types {
            Types::BOOLEAN => Type::Boolean,
            Types::INTEGER => Type::Integer,
            Types::FLOAT => Type::Float,
            Types::NUMBER => Type::Number,
            Types::STRING => Type::Text,
            Types::LIST => Type::list(),
            Types::MAP => Type::Map,
            Types::NODE => Type::Node,
            Types::RELATIONSHIP => Type::Relationship,
            Types::PATH => Type::Path,
            Types::POINT => Type::Point,
            other if TEMPORAL.or(other) == TEMPORAL => Type::Temporal,
            _ => Type::Any,
        }
    }

    /// The type that a name stands for, such as `NUMBER` or `LIST<NODE>`.
    ///
    /// # Errors
    /// If there is no such type.
    pub(super) fn named(name: &str) -> Result<Self, Error> {
        match name.eq_ignore_ascii_case("NUMBER") {
            true => Ok(Type::Number),
            false => Ok(Type::declared(&crate::parse::data_type(name)?)),
        }
    }

    fn declared(found: &DataType) -> Self {
        match found.any_of.as_slice() {
            [one] if one.types == Types::LIST => {
                let element = one.element.as_deref().map_or(Type::Any, Type::declared);
                Type::List(Box::new(element))
            }
            [one] => Type::of(one.types),
            _ => Type::Any,
        }
    }

    /// Types that a value of this one may have.
    pub(super) fn types(&self) -> Types {
        match self {
            Type::Any => Types::ANY,
            Type::Boolean => Types::BOOLEAN,
            Type::Integer => Types::INTEGER,
            Type::Float => Types::FLOAT,
            Type::Number => Types::NUMBER,
            Type::Text => Types::STRING,
            Type::List(_) => Types::LIST,
            Type::Map => Types::MAP,
            Type::Node => Types::NODE,
            Type::Relationship => Types::RELATIONSHIP,
            Type::Path => Types::PATH,
            Type::Temporal => TEMPORAL,
            Type::Point => Types::POINT,
        }
    }

    /// Whether a value of this type may be of one of these.
    pub(super) fn may_be(&self, types: Types) -> bool {
        self.types().overlaps(types)
    }

    /// Whether a value of this type may be given where another is declared.
    pub(super) fn fits(&self, declared: &Type) -> bool {
        match (self, declared) {
            (Type::Any, _) | (_, Type::Any) => true,
            (Type::Integer | Type::Number, Type::Float | Type::Number | Type::Integer) => true,
            (Type::Float, Type::Float | Type::Number) => true,
            (Type::List(own), Type::List(declared)) => own.fits(declared),
            (own, declared) => own == declared,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("value"),
            Type::Number => f.write_str("NUMBER"),
            Type::Temporal => f.write_str("date, time or duration"),
            other => other.types().fmt(f),
        }
    }
}
