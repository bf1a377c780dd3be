//! What is known of a value before anything is executed.

use std::fmt;

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

    /// Whether a value of this type may be of a kind.
    pub(super) fn may_be(&self, kind: Kind) -> bool {
        match self {
            Type::Any => true,
            Type::Boolean => kind == Kind::Boolean,
            Type::Integer | Type::Float | Type::Number => kind == Kind::Number,
            Type::Text => kind == Kind::Text,
            Type::List(_) => kind == Kind::List,
            Type::Map => kind == Kind::Map,
            Type::Node => kind == Kind::Node,
            Type::Relationship => kind == Kind::Relationship,
            Type::Path => kind == Kind::Path,
            Type::Temporal => kind == Kind::Temporal,
            Type::Point => kind == Kind::Point,
        }
    }

    pub(super) fn may_be_one_of(&self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.may_be(*kind))
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

/// Kinds of values, for operators that take some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Number,
    Text,
    List,
    Map,
    Node,
    Relationship,
    Path,
    Temporal,
    Point,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Any => "value",
            Type::Boolean => "BOOLEAN",
            Type::Integer => "INTEGER",
            Type::Float => "FLOAT",
            Type::Number => "NUMBER",
            Type::Text => "STRING",
            Type::List(_) => "LIST",
            Type::Map => "MAP",
            Type::Node => "NODE",
            Type::Relationship => "RELATIONSHIP",
            Type::Path => "PATH",
            Type::Temporal => "date, time or duration",
            Type::Point => "POINT",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Boolean => "BOOLEAN",
            Kind::Number => "NUMBER",
            Kind::Text => "STRING",
            Kind::List => "LIST",
            Kind::Map => "MAP",
            Kind::Node => "NODE",
            Kind::Relationship => "RELATIONSHIP",
            Kind::Path => "PATH",
            Kind::Temporal => "date, time or duration",
            Kind::Point => "POINT",
        })
    }
}
