//! The order of data, and when they are the same; of property values as
//! `evergraph_property_graph` has it.
//!
//! [`Ord`], [`Eq`] and [`Hash`] are order and equivalence, for sorting, grouping and
//! `DISTINCT`; [`Datum::equals`] and [`Datum::compares`] are what `=` and `<` give. Types
//! are in the order map, node, relationship, list, path, then all others.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use evergraph_property_graph::Value;

use crate::datum::{Datum, Elements};

impl Datum {
    /// Place of the type in the order of types; those of other values are ordered among
    /// themselves.
    fn rank(&self) -> u8 {
        match self {
            Datum::Map(_) | Datum::Value(Value::Map(_)) => 0,
            Datum::Node(_) => 1,
            Datum::Relationship(_) => 2,
            Datum::List(_) | Datum::Value(Value::List(_)) => 3,
            Datum::Path(_) => 4,
            Datum::Value(_) => 5,
        }
    }

    /// `self = other` in Cypher; `None` is null, that is: unknown, because a null is
    /// involved.
    pub fn equals(&self, other: &Datum) -> Option<bool> {
        if let (Datum::Value(a), Datum::Value(b)) = (self, other) {
            return a.equals(b);
        }
        if self.is_null() || other.is_null() {
            return None;
        }
        if let (Some(a), Some(b)) = (self.elements(), other.elements()) {
            if a.len() != b.len() {
                return Some(false);
            }
            return all_equal(a.iter().zip(b.iter()));
        }
        if let (Some(a), Some(b)) = (self.entries(), other.entries()) {
            if !a.keys().eq(b.keys()) {
                return Some(false);
            }
            return all_equal(a.into_values().zip(b.into_values()));
        }
        Some(self == other)
    }

    /// Order behind `<`, `<=`, `>` and `>=`: `None` if a null is involved or the types do
    /// not compare, in which case they give null; and with a NaN, where they give false.
    pub fn compares(&self, other: &Datum) -> Option<Ordering> {
        if let (Datum::Value(a), Datum::Value(b)) = (self, other) {
            return a.compares(b);
        }
        let (a, b) = (self.elements()?, other.elements()?);
        for (a, b) in a.iter().zip(b.iter()) {
            match a.compares(&b)? {
                Ordering::Equal => {}
                unequal => return Some(unequal),
            }
        }
        Some(a.len().cmp(&b.len()))
    }
}

/// False if a pair is not equal, else null if one is unknown, else true.
fn all_equal(pairs: impl Iterator<Item = (Datum, Datum)>) -> Option<bool> {
    let mut result = Some(true);
    for (a, b) in pairs {
        match a.equals(&b) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

fn order_of_lists(a: Elements<'_>, b: Elements<'_>) -> Ordering {
    a.iter().cmp(b.iter())
}

impl Ord for Datum {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Datum::Value(a), Datum::Value(b)) if self.rank() == other.rank() => a.cmp(b),
            (Datum::Node(a), Datum::Node(b)) => a.cmp(b),
            (Datum::Relationship(a), Datum::Relationship(b)) => a.cmp(b),
            (Datum::Path(a), Datum::Path(b)) => a.cmp(b),
            _ => {
                if let (Some(a), Some(b)) = (self.elements(), other.elements()) {
                    return order_of_lists(a, b);
                }
                if let (Some(a), Some(b)) = (self.entries(), other.entries()) {
                    return (a.len().cmp(&b.len()))
                        .then_with(|| a.keys().cmp(b.keys()))
                        .then_with(|| a.values().cmp(b.values()));
                }
                self.rank().cmp(&other.rank())
            }
        }
    }
}

impl PartialOrd for Datum {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Datum {}

/// A list with a node in it is never equivalent to one without, so that the two forms of
/// lists and maps need not hash alike.
impl Hash for Datum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.rank());
        match self {
            Datum::Value(value) => value.hash(state),
            Datum::Node(node) => node.hash(state),
            Datum::Relationship(relationship) => relationship.hash(state),
            Datum::Path(path) => path.hash(state),
            Datum::List(data) => data.hash(state),
            Datum::Map(entries) => entries.hash(state),
        }
    }
}
