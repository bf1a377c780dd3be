//! Violations of a constraint, and the records that cause them.

use std::fmt::{self, Display, Formatter};

use super::definition::{Definition, Subject, ValueType};
use crate::graph::ids::Entity;
use crate::value::Value;

/// Characters of a value that a message shows.
const SHOWN: usize = 60;

/// A constraint that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The constraint: its name, its label or type, its keys.
    pub constraint: Definition,
    /// The values that the record has for the keys, in their order; `None` for one
    /// that it does not have.
    pub values: Vec<Option<Value>>,
    /// The record for which it does not hold. If the transaction that made it was
    /// refused, it is in no graph.
    pub record: Entity,
    /// Rule that it breaks.
    pub reason: Broken,
}

/// Ways in which a record can break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A property that has to exist is missing.
    Missing,
    /// A property has a value of another type than this.
    OtherType(ValueType),
    /// This record has the same values, which have to be unique.
    SameValues(Entity),
}

impl Violation {
    /// Keys with values of which something holds: `name "Ann", age 3`.
    fn list(&self, f: &mut Formatter<'_>, shown: impl Fn(&Option<Value>) -> bool) -> fmt::Result {
        let keys = self.constraint.keys.iter().zip(&self.values);
        for (i, (key, value)) in keys.filter(|(_, value)| shown(value)).enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            match value {
                Some(value) => write!(f, "{key} {}", Short(value))?,
                None => f.write_str(key)?,
            }
        }
        Ok(())
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Violation {
            constraint, record, ..
        } = self;
        let (what, name) = match &constraint.subject {
            Subject::Nodes(label) => ("node", label),
            Subject::Relationships(kind) => ("relationship", kind),
        };
        write!(f, "constraint \"{}\": ", constraint.name)?;
        // Users know properties; the ids are for what has none.
        match self.reason {
            Broken::Missing => {
                write!(f, "a {what} {name} ")?;
                if self.values.iter().any(Option::is_some) {
                    f.write_str("with ")?;
                    self.list(f, Option::is_some)?;
                    f.write_str(" ")?;
                }
                f.write_str("does not have ")?;
                self.list(f, Option::is_none)?;
                write!(f, " ({record})")
            }
            Broken::OtherType(wanted) => {
                write!(f, "a {what} {name} has ")?;
                self.list(f, |value| value.as_ref().is_some_and(|v| !wanted.is_of(v)))?;
                write!(f, ", which is not of type {wanted} ({record})")
            }
            Broken::SameValues(other) => {
                let (first, second) = (other.min(*record), other.max(*record));
                write!(f, "two {what}s {name} have the same ")?;
                self.list(f, |_| true)?;
                write!(f, " ({first} and {second})")
            }
        }
    }
}

/// A value, cut if it is long.
struct Short<'v>(&'v Value);

impl Display for Short<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "{}…", &text[..end]),
            None => f.write_str(&text),
        }
    }
}
