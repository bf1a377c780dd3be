//! Numbers of keys: rows whose keys are equivalent have the same number. For grouping,
//! `DISTINCT` and hash joins.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use evergraph_functions::Datum;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_property_graph::vector::Values;
use evergraph_storage::failpoint;

use crate::batch::{Column, NO_ID, bytes_of};

type Table<K, V = u32> = HashMap<K, V, foldhash::fast::RandomState>;

/// The number of a key that has none.
pub(super) const NO_NUMBER: u32 = u32::MAX;

/// Bytes of an entry of a table, about.
pub(super) const ENTRY: usize = 64;

/// A hash of a key, the same in each run: of equivalent keys the same.
pub(super) fn hash_of(key: &[Datum]) -> i64 {
    let mut hasher = foldhash::fast::FixedState::with_seed(0).build_hasher();
    match failpoint!("spill.equivalent-keys-apart") {
        true => format!("{key:?}").hash(&mut hasher),
        false => key.iter().for_each(|datum| datum.hash(&mut hasher)),
    }
    hasher.finish() as i64
}

/// Values of one column, numbered as they are met. Values that are equivalent as data have
/// one number: 1 and 1.0, all NaNs, all nulls.
#[derive(Default)]
pub(super) struct Codes {
    integers: Integers,
    texts: Table<Arc<str>>,
    nodes: Direct,
    relationships: Direct,
    others: Table<Datum>,
    null: Option<u32>,
    /// The first value of each number.
    values: Vec<Datum>,
    bytes: usize,
}

/// Numbers of ids: a page for those that lie together, so that one costs a look, not a hash.
#[derive(Default)]
struct Direct(Vec<Option<Box<[u32; PAGE]>>>);

/// Ids of a page of [`Direct`].
const PAGE: usize = 1 << 10;

impl Direct {
    #[inline]
    fn get(&self, id: u32) -> Option<u32> {
        let page = self.0.get(id as usize / PAGE)?.as_deref()?;
        let number = page[id as usize % PAGE];
        (number != NO_NUMBER).then_some(number)
    }

    /// The place of an id's number, and how many bytes it took to make it.
    #[inline]
    fn place(&mut self, id: u32, bytes: &mut usize) -> &mut u32 {
        let page = id as usize / PAGE;
        if page >= self.0.len() {
            *bytes += size_of::<Box<[u32; PAGE]>>() * (page + 1 - self.0.len());
            self.0.resize_with(page + 1, || None);
        }
        let page = self.0[page].get_or_insert_with(|| {
            *bytes += size_of::<[u32; PAGE]>();
            Box::new([NO_NUMBER; PAGE])
        });
        &mut page[id as usize % PAGE]
    }

    /// The number of an id, or the next one.
    #[inline]
    fn number(
        &mut self,
        id: u32,
        (values, bytes): (&mut Vec<Datum>, &mut usize),
        value: impl FnOnce() -> Datum,
    ) -> u32 {
        let place = self.place(id, bytes);
        if *place == NO_NUMBER {
            *place = values.len() as u32;
            values.push(value());
            *bytes += size_of::<Datum>();
        }
        *place
    }
}

/// Numbers of integers: small ones have their places.
#[derive(Default)]
struct Integers {
    small: Direct,
    others: Table<i64>,
}

impl Integers {
    /// Integers from 0 to here have places.
    const SMALL: i64 = 1 << 20;

    #[inline]
    fn small(number: i64) -> Option<u32> {
        (0..Integers::SMALL)
            .contains(&number)
            .then_some(number as u32)
    }

    #[inline]
    fn get(&self, number: i64) -> Option<u32> {
        match Integers::small(number) {
            Some(small) => self.small.get(small),
            None => self.others.get(&number).copied(),
        }
    }

    #[inline]
    fn number(
        &mut self,
        number: i64,
        (values, bytes): (&mut Vec<Datum>, &mut usize),
        value: impl FnOnce() -> Datum,
    ) -> u32 {
        if let Some(small) = Integers::small(number) {
            return self.small.number(small, (values, bytes), value);
        }
        let before = values.len();
        let found = number_in(&mut self.others, number, values, value);
        *bytes += ENTRY * (values.len() - before);
        found
    }
}

/// A value as its table has it.
enum Key<'k> {
    Null,
    Integer(i64),
    Text(&'k Arc<str>),
    Node(u32),
    Relationship(u32),
    Other(&'k Datum),
}

fn key_of(datum: &Datum) -> Key<'_> {
    match datum {
        Datum::Value(Value::Null) => Key::Null,
        Datum::Value(Value::Integer(number)) => Key::Integer(*number),
        Datum::Value(value @ Value::Float(number)) => {
            let whole = *number as i64;
            match Value::Integer(whole) == *value {
                true => Key::Integer(whole),
                false => Key::Other(datum),
            }
        }
        Datum::Value(Value::Text(text)) => Key::Text(text),
        Datum::Node(id) => Key::Node(id.0),
        Datum::Relationship(id) => Key::Relationship(id.0),
        other => Key::Other(other),
    }
}

/// The number in a table, or the next one.
fn number_in<K: Hash + Eq>(
    table: &mut Table<K>,
    key: K,
    values: &mut Vec<Datum>,
    value: impl FnOnce() -> Datum,
) -> u32 {
    let next = values.len() as u32;
    let number = *table.entry(key).or_insert(next);
    if number == next {
        values.push(value());
    }
    number
}

impl Codes {
    /// The number of a value, which it gets if it has none.
    pub(super) fn number(&mut self, datum: &Datum) -> u32 {
        let Codes { values, bytes, .. } = self;
        let before = values.len();
        let value = || datum.clone();
        let number = match key_of(datum) {
            Key::Null => *self.null.get_or_insert_with(|| {
                values.push(Datum::NULL);
                values.len() as u32 - 1
            }),
            Key::Integer(number) => return self.integers.number(number, (values, bytes), value),
            Key::Node(id) => return self.nodes.number(id, (values, bytes), value),
            Key::Relationship(id) => return self.relationships.number(id, (values, bytes), value),
            Key::Text(text) => match self.texts.get(&**text) {
                Some(&number) => number,
                None => number_in(&mut self.texts, Arc::clone(text), values, value),
            },
            Key::Other(other) => match self.others.get(other) {
                Some(&number) => number,
                None => number_in(&mut self.others, other.clone(), values, value),
            },
        };
        if self.values.len() > before {
            self.bytes += ENTRY + bytes_of(datum);
        }
        number
    }

    fn find(&self, datum: &Datum) -> Option<u32> {
        match key_of(datum) {
            Key::Null => self.null,
            Key::Integer(number) => self.integers.get(number),
            Key::Text(text) => self.texts.get(&**text).copied(),
            Key::Node(id) => self.nodes.get(id),
            Key::Relationship(id) => self.relationships.get(id),
            Key::Other(other) => self.others.get(other).copied(),
        }
    }

    /// Bytes of DRAM, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The values, by their numbers.
    pub(super) fn values(&self) -> &[Datum] {
        &self.values
    }

    /// Numbers of the values of so many rows.
    pub(super) fn numbers(&mut self, column: &Column, rows: usize) -> Vec<u32> {
        let Codes { values, bytes, .. } = self;
        match column {
            Column::Vector(vector) => {
                let validity = vector.validity();
                match vector.values() {
                    Values::Integer(numbers) if validity.is_all() => {
                        let table = &mut self.integers;
                        let of =
                            |&number: &i64| table.number(number, (values, bytes), || number.into());
                        numbers.iter().map(of).collect()
                    }
                    Values::Text(texts) if validity.is_all() => {
                        let mut numbers = Vec::with_capacity(rows);
                        for text in texts.iter() {
                            if let Some(&number) = self.texts.get(text) {
                                numbers.push(number);
                                continue;
                            }
                            let shared: Arc<str> = text.into();
                            let value = || Datum::Value(Value::Text(Arc::clone(&shared)));
                            let key = Arc::clone(&shared);
                            numbers.push(number_in(&mut self.texts, key, values, value));
                            *bytes += ENTRY + text.len();
                        }
                        numbers
                    }
                    _ => self.each(column, rows),
                }
            }
            Column::Nodes(ids) if !ids.contains(&NO_ID) => {
                let table = &mut self.nodes;
                let value = |id| Datum::Node(NodeId(id));
                let number = |&id: &u32| table.number(id, (values, bytes), || value(id));
                ids.iter().map(number).collect()
            }
            Column::Relationships(ids) if !ids.contains(&NO_ID) => {
                let table = &mut self.relationships;
                let value = |id| Datum::Relationship(RelationshipId(id));
                let number = |&id: &u32| table.number(id, (values, bytes), || value(id));
                ids.iter().map(number).collect()
            }
            Column::Same(datum) => vec![self.number(datum); rows],
            Column::Unset => vec![self.number(&Datum::NULL); rows],
            _ => self.each(column, rows),
        }
    }

    fn each(&mut self, column: &Column, rows: usize) -> Vec<u32> {
        match column {
            Column::Data(data) => data.iter().map(|datum| self.number(datum)).collect(),
            _ => (0..rows).map(|row| self.number(&column.get(row))).collect(),
        }
    }

    /// Numbers of the values of so many rows, [`NO_NUMBER`] of those that have none.
    fn found(&self, column: &Column, rows: usize) -> Vec<u32> {
        let of = |number: Option<&u32>| number.copied().unwrap_or(NO_NUMBER);
        match column {
            Column::Vector(vector) if vector.validity().is_all() => match vector.values() {
                Values::Integer(numbers) => {
                    let found = numbers.iter().map(|&number| self.integers.get(number));
                    found.map(|number| number.unwrap_or(NO_NUMBER)).collect()
                }
                Values::Text(texts) => texts.iter().map(|text| of(self.texts.get(text))).collect(),
                _ => self.found_each(column, rows),
            },
            Column::Nodes(ids) if !ids.contains(&NO_ID) => {
                let found = ids.iter().map(|&id| self.nodes.get(id));
                found.map(|number| number.unwrap_or(NO_NUMBER)).collect()
            }
            Column::Same(datum) => vec![self.find(datum).unwrap_or(NO_NUMBER); rows],
            _ => self.found_each(column, rows),
        }
    }

    fn found_each(&self, column: &Column, rows: usize) -> Vec<u32> {
        let found = (0..rows).map(|row| self.find(&column.get(row)));
        found.map(|number| number.unwrap_or(NO_NUMBER)).collect()
    }
}

/// Keys of several values: pairs of the number of the key so far, and of the next value.
#[derive(Default)]
pub(super) struct Pairs {
    numbers: Table<(u32, u32)>,
    /// Numbers of pairs that begin with 0, by their second part: of the only group.
    of_first: Vec<u32>,
    /// The pair of each number.
    pairs: Vec<(u32, u32)>,
}

impl Pairs {
    fn number(&mut self, pair: (u32, u32)) -> u32 {
        let next = self.pairs.len() as u32;
        let number = match pair {
            (0, second) => {
                let second = second as usize;
                if self.of_first.len() <= second {
                    self.of_first.resize(second + 1, NO_NUMBER);
                }
                let number = &mut self.of_first[second];
                if *number == NO_NUMBER {
                    *number = next;
                }
                *number
            }
            _ => *self.numbers.entry(pair).or_insert(next),
        };
        if number == next {
            self.pairs.push(pair);
        }
        number
    }

    fn find(&self, pair: (u32, u32)) -> Option<u32> {
        match pair {
            (0, second) => {
                let number = self.of_first.get(second as usize).copied();
                number.filter(|&number| number != NO_NUMBER)
            }
            _ => self.numbers.get(&pair).copied(),
        }
    }

    /// Whether a pair is met for the first time.
    pub(super) fn is_new(&mut self, pair: (u32, u32)) -> bool {
        let next = self.pairs.len() as u32;
        self.number(pair) == next
    }

    /// The pairs that were met, in order.
    pub(super) fn all(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}

/// Keys of rows, numbered as they are met.
pub(super) struct Keys {
    first: Codes,
    others: Vec<(Codes, Pairs)>,
    /// Of several columns: the values of the first row of each key.
    values: Vec<Column>,
    /// Bytes of those.
    held: usize,
    /// Without a column all rows have one key.
    has_columns: bool,
}

impl Keys {
    /// Of so many columns.
    pub(super) fn new(columns: usize) -> Self {
        let others = (1..columns).map(|_| Default::default());
        Keys {
            first: Codes::default(),
            others: others.collect(),
            values: vec![Column::Unset; columns],
            held: 0,
            has_columns: columns > 0,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self.others.last() {
            Some((_, pairs)) => pairs.pairs.len(),
            None => self.first.values.len(),
        }
    }

    /// Bytes of DRAM, about.
    pub(super) fn bytes(&self) -> usize {
        let others = self.others.iter();
        let others = others.map(|(codes, pairs)| codes.bytes + pairs.pairs.len() * ENTRY);
        self.first.bytes + others.sum::<usize>() + self.held
    }

    /// Numbers of the keys of so many rows; a new key has the next number.
    pub(super) fn numbers<C: Deref<Target = Column>>(
        &mut self,
        columns: &[C],
        rows: usize,
    ) -> Vec<u32> {
        let Some((first, rest)) = columns.split_first().filter(|_| self.has_columns) else {
            let number = self.first.number(&Datum::NULL);
            return vec![number; rows];
        };
        let before = self.len();
        let mut numbers = self.first.numbers(first, rows);
        for ((codes, pairs), column) in self.others.iter_mut().zip(rest) {
            let next = codes.numbers(column, rows);
            for (number, next) in numbers.iter_mut().zip(next) {
                *number = pairs.number((*number, next));
            }
        }
        if !rest.is_empty() && self.len() > before {
            let new = new_rows(&numbers, before);
            for (values, column) in self.values.iter_mut().zip(columns) {
                let column = column.take(&new);
                self.held += column.bytes();
                values.append(before, column, new.len());
            }
        }
        numbers
    }

    /// Numbers of the keys of so many rows, [`NO_NUMBER`] of those that have none.
    pub(super) fn found<C: Deref<Target = Column>>(&self, columns: &[C], rows: usize) -> Vec<u32> {
        let Some((first, rest)) = columns.split_first() else {
            return vec![NO_NUMBER; rows];
        };
        let mut numbers = self.first.found(first, rows);
        for ((codes, pairs), column) in self.others.iter().zip(rest) {
            let next = codes.found(column, rows);
            for (number, next) in numbers.iter_mut().zip(next) {
                *number = pairs.find((*number, next)).unwrap_or(NO_NUMBER);
            }
        }
        numbers
    }

    /// The values of one column, by the number of the key.
    pub(super) fn column(&self, place: usize) -> Column {
        match self.others.is_empty() {
            true => Column::of(self.first.values.clone()),
            false => self.values[place].clone(),
        }
    }
}

/// The rows with the first of each number from one on: new keys have ascending numbers.
pub(super) fn new_rows(numbers: &[u32], from: usize) -> Vec<u32> {
    let (mut next, mut rows) = (from as u32, Vec::new());
    for (row, &number) in numbers.iter().enumerate() {
        if number == next {
            next += 1;
            rows.push(row as u32);
        }
    }
    rows
}
