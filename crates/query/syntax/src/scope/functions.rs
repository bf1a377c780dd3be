//! Functions, as far as the checks know them: their definitions are elsewhere.

use std::fmt;

use super::types::{Type, Types};

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name, for messages and documentation.
    pub name: &'static str,
    /// Types that it takes, beside null.
    pub types: Types,
    /// How often it may be there.
    pub times: Times,
}

/// How often an argument may be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Once.
    Once,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Any,
}

/// The type of a result, beside null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// One of these.
    One(Types),
    /// A list of values of one of these.
    ListOf(Types),
    /// That of the first argument, one of these.
    First(Types),
    /// That of an element of the first argument.
    ElementOfFirst,
    /// A list of values such as the first argument.
    ListOfFirst,
}

impl Returns {
    /// Types that a result may have, whatever the arguments are.
    pub const fn types(self) -> Types {
        match self {
            Returns::One(types) | Returns::First(types) => types,
            Returns::ListOf(_) | Returns::ListOfFirst => Types::LIST,
            Returns::ElementOfFirst => Types::ANY,
        }
    }

    fn known(self, first: Option<&Type>) -> Type {
        match (self, first) {
            (Returns::One(types), _) => Type::of(types),
            (Returns::ListOf(types), _) => Type::List(Box::new(Type::of(types))),
            (Returns::First(_), Some(first)) => first.clone(),
            (Returns::ElementOfFirst, Some(Type::List(element))) => (**element).clone(),
            (Returns::ListOfFirst, Some(first)) => Type::List(Box::new(first.clone())),
            _ => Type::of(self.types()),
        }
    }
}

impl fmt::Display for Returns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Returns::ListOf(types) => write!(f, "LIST<{types}>"),
            other => other.types().fmt(f),
        }
    }
}

/// A function without its evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSignature {
    /// Name, in any case.
    pub name: &'static str,
    /// Arguments.
    pub parameters: &'static [Parameter],
    /// The type of its result.
    pub returns: Returns,
    /// Whether it is of many rows.
    pub aggregates: bool,
    /// Whether types of arguments are wrong only when it is called: the kit has it so of
    /// `range`.
    pub is_late: bool,
}

impl FunctionSignature {
    /// Least and greatest number of arguments.
    pub fn counts(&self) -> (usize, usize) {
        let is_needed = |parameter: &&Parameter| parameter.times == Times::Once;
        let least = self.parameters.iter().filter(is_needed).count();
        let is_open = self.parameters.last();
        let is_open = is_open.is_some_and(|last| last.times == Times::Any);
        match is_open {
            true => (least, usize::MAX),
            false => (least, self.parameters.len()),
        }
    }

    /// Parameter of an argument by its place.
    pub fn parameter(&self, at: usize) -> Option<&'static Parameter> {
        let last = self.parameters.last();
        let last = last.filter(|last| last.times == Times::Any);
        self.parameters.get(at).or(last)
    }

    /// Type of a call, as far as that of its first argument is known.
    pub(super) fn result(&self, first: Option<&Type>) -> Type {
        self.returns.known(first)
    }
}

/// `left(text: STRING, length: INTEGER) :: STRING`.
impl fmt::Display for FunctionSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (at, parameter) in self.parameters.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let (before, behind) = match parameter.times {
                Times::Once => ("", ""),
                Times::Optional => ("", "?"),
                Times::Any => ("...", ""),
            };
            let Parameter { name, types, .. } = parameter;
            write!(f, "{comma}{before}{name}{behind}: {types}")?;
        }
        write!(f, ") :: {}", self.returns)
    }
}

/// The functions that there are.
pub trait Functions {
    /// The one of a full name, in any case.
    fn find(&self, name: &str) -> Option<FunctionSignature>;

    /// Full names of all, for suggestions.
    fn names(&self) -> Vec<&'static str>;
}
