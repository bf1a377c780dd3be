//! `IN` of lists that many members are looked for in: what such a list has is kept as a set,
//! from row to row and batch to batch.

use std::collections::HashSet;
use std::sync::Arc;

use evergraph_functions::{Datum, operators};
use evergraph_property_graph::Value;

use crate::QueryError;
use crate::run::Run;

/// A shorter list is looked through.
const SHORT: usize = 16;
/// So often a list is looked through before a set is made of it, which takes about as long.
const ASKS: u32 = 32;
/// Lists that are known at a time: those that were asked last.
const MOST_LISTS: usize = 4;

/// A list that was asked.
pub(crate) struct Asked {
    list: Datum,
    asks: u32,
    set: Option<Set>,
    /// Bytes of the set.
    bytes: u64,
}

struct Set {
    plain: HashSet<Datum>,
    /// Elements that are compared one by one: what is equal to them is no hash.
    others: Vec<Datum>,
}

/// Whether two of them are equal just if they are equivalent.
fn is_plain(datum: &Datum) -> bool {
    match datum {
        Datum::Node(_) | Datum::Relationship(_) => true,
        Datum::Value(Value::Float(number)) => !number.is_nan(),
        Datum::Value(value) => matches!(
            value,
            Value::Boolean(_)
                | Value::Integer(_)
                | Value::Text(_)
                | Value::Date(_)
                | Value::LocalDateTime(_)
                | Value::Duration(_)
        ),
        _ => false,
    }
}

fn are_one(list: &Datum, other: &Datum) -> bool {
    match (list, other) {
        (Datum::Value(Value::List(list)), Datum::Value(Value::List(other))) => {
            Arc::ptr_eq(list, other)
        }
        (Datum::List(list), Datum::List(other)) => Arc::ptr_eq(list, other),
        _ => false,
    }
}

impl Set {
    fn holds(&self, member: &Datum) -> Option<bool> {
        if self.plain.contains(member) {
            return Some(true);
        }
        let others = self.others.iter().map(|other| member.equals(other));
        others.fold(Some(false), operators::or)
    }
}

impl Run<'_, '_> {
    /// `member IN list`.
    pub(super) fn is_in(&self, member: &Datum, list: &Datum) -> Result<Option<bool>, QueryError> {
        let length = list.elements().map_or(0, |elements| elements.len());
        if member.is_null() && length > 0 {
            return Ok(None);
        }
        if length < SHORT || !is_plain(member) {
            return Ok(operators::is_in(member, list)?);
        }
        let mut asked = self.asked.borrow_mut();
        match asked.iter().position(|one| are_one(&one.list, list)) {
            Some(place) => asked[..=place].rotate_right(1),
            None => {
                let kept = asked.len().min(MOST_LISTS - 1);
                for given_up in asked.drain(kept..) {
                    self.guard.release(given_up.bytes);
                }
                let first = Asked {
                    list: list.clone(),
                    asks: 0,
                    set: None,
                    bytes: 0,
                };
                asked.insert(0, first);
            }
        }
        let one = &mut asked[0];
        one.asks += 1;
        if one.asks <= ASKS {
            self.work(length)?;
            return Ok(operators::is_in(member, list)?);
        }
        if one.set.is_none() {
            let mut account = self.guard.account("IN");
            account.add(length * size_of::<(Datum, u64)>() * 2)?;
            self.work(length)?;
            let mut set = Set {
                plain: HashSet::with_capacity(length),
                others: Vec::new(),
            };
            for element in list.elements().iter().flat_map(|elements| elements.iter()) {
                match is_plain(&element) {
                    true => drop(set.plain.insert(element)),
                    false => set.others.push(element),
                }
            }
            one.set = Some(set);
            one.bytes = account.keep();
        }
        Ok(one.set.as_ref().and_then(|set| set.holds(member)))
    }
}
