//! The columns of a chunk of new records, made value by value.

use evergraph_storage::failpoint;

use super::builder::{LARGE_BYTES, MOST_COLUMNS, frequent, large};
use super::core::Part;
use crate::column::{self, encode_packed};
use crate::dictionary::KeyCode;
use crate::value::{Properties, Value, ValueError};

/// Values of new records of one chunk, by key.
#[derive(Debug, Default)]
pub(crate) struct NewColumns {
    /// In no order. Records behind the last of a column do not have the key.
    columns: Vec<(KeyCode, Vec<Value>)>,
    /// Position at which the next key is looked for first: records have about the same.
    next: usize,
}

/// Columns, large values and the rest in their stored form, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodedColumns(pub(super) Vec<(Part, Vec<u8>)>);

impl NewColumns {
    /// Takes a value of record `at`, not null; ascending, each key once a record.
    pub(crate) fn add(&mut self, at: usize, key: KeyCode, value: Value) {
        let found = match self.columns.get(self.next) {
            Some(column) if column.0 == key => Some(self.next),
            _ => self.columns.iter().position(|column| column.0 == key),
        };
        let found = found.unwrap_or_else(|| {
            self.columns.push((key, Vec::new()));
            self.columns.len() - 1
        });
        let values = &mut self.columns[found].1;
        debug_assert!(values.len() <= at, "record {at} is set twice, or too late");
        if !failpoint!("load.nulls-lost") {
            values.resize(at, Value::Null);
        }
        values.push(value);
        self.next = (found + 1) % self.columns.len();
    }

    /// Forgets the values of the last record.
    pub(crate) fn remove(&mut self, at: usize) {
        self.columns
            .iter_mut()
            .for_each(|column| column.1.truncate(at));
    }

    /// The columns of a chunk of so many records: of keys that many records have; the
    /// others are the rest.
    ///
    /// # Errors
    /// [`ValueError::TooDeep`].
    pub(crate) fn encode(mut self, records: usize) -> Result<EncodedColumns, ValueError> {
        let mut encoded = Vec::with_capacity(self.columns.len());
        for (key, values) in &mut self.columns {
            for (at, value) in (0..).zip(values) {
                if let Some(bytes) = large(*key, value, LARGE_BYTES) {
                    encoded.push((Part::value(*key, at), bytes));
                    *value = Value::Null;
                }
            }
        }
        self.columns
            .retain(|(_, values)| values.iter().any(|value| !value.is_null()));
        let counts = self.columns.iter().map(|(key, values)| {
            let values = values.iter().filter(|value| !value.is_null());
            (values.count(), *key)
        });
        let frequent = frequent(counts, records, MOST_COLUMNS);
        self.columns.sort_unstable_by_key(|column| column.0);
        let mut loose = Vec::new();
        for (key, mut values) in self.columns {
            if !frequent.contains(&key) {
                loose.push((key, values));
                continue;
            }
            values.resize(records, Value::Null);
            encoded.push((Part::column(key), column::encode(&values)?));
        }
        if let Some(rest) = rest(loose)? {
            encoded.push((Part::REST, rest));
        }
        encoded.sort_unstable_by_key(|(part, _)| *part);
        Ok(EncodedColumns(encoded))
    }

    /// Columns of records whose properties are encoded without codes for texts.
    ///
    /// # Errors
    /// Bytes that are no properties.
    pub(super) fn decode<'a>(
        rows: impl ExactSizeIterator<Item = &'a [u8]>,
    ) -> Result<EncodedColumns, ValueError> {
        let (mut columns, records) = (NewColumns::default(), rows.len());
        for (at, row) in rows.enumerate() {
            for (key, value) in Properties::decode(row)? {
                columns.add(at, key, value);
            }
        }
        columns.encode(records)
    }
}

/// What has no column, packed by record.
fn rest(loose: Vec<(KeyCode, Vec<Value>)>) -> Result<Option<Vec<u8>>, ValueError> {
    let most = loose.iter().map(|column| column.1.len()).max();
    let mut rows: Vec<Vec<(KeyCode, Value)>> = vec![Vec::new(); most.unwrap_or(0)];
    for (key, values) in loose {
        let values = rows.iter_mut().zip(values);
        values
            .filter(|(_, value)| !value.is_null())
            .for_each(|(row, value)| row.push((key, value)));
    }
    let mut packed = Vec::new();
    for (at, row) in rows.into_iter().enumerate().filter(|row| !row.1.is_empty()) {
        let mut bytes = Vec::new();
        Properties::from_iter(row).encode(&mut bytes)?;
        packed.push((at as u16, bytes));
    }
    let mut rest = Vec::new();
    encode_packed(&packed, &mut rest);
    Ok((!packed.is_empty()).then_some(rest))
}

#[cfg(test)]
mod tests {
    use super::super::builder::{Builder, Content};
    use super::super::content::{Fixed, NodeRecord, Record};
    use super::super::core::{Identity, Slot};
    use super::*;

    const RECORDS: u32 = 128;

    /// The same numbers in every run.
    fn below(state: &mut u64, bound: u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % bound
    }

    fn value(state: &mut u64) -> Value {
        match below(state, 8) {
            7 if below(state, 50) == 0 => Value::Text("long".repeat(20_000).into()),
            0 => Value::Float(-0.0),
            1 => Value::Float(f64::NAN),
            2 => Value::Text(format!("t{}", below(state, 5)).into()),
            3 => Value::Boolean(below(state, 2) == 0),
            4 => Value::List([Value::Null, Value::Integer(1)].into()),
            5 => Value::Integer(i64::MIN),
            _ => Value::Integer(below(state, 300) as i64),
        }
    }

    /// Against the builder that a checkpoint uses.
    #[test]
    fn columns_are_those_of_a_builder() {
        let identity = Identity {
            magic: NodeRecord::MAGIC,
            table: 0,
            chunk: 0,
            records: RECORDS,
        };
        let slot = Slot {
            is_used: true,
            begin: 1,
            born: 1,
        };
        // Up to more keys than there may be columns, some of them rare.
        for (seed, keys) in [(1, 0), (2, 1), (3, 3), (4, 20), (5, 90), (6, 200)] {
            let mut state = seed;
            let mut builder = Builder::new(identity);
            let (mut columns, mut rows) = (NewColumns::default(), Vec::new());
            for at in 0..RECORDS {
                let mut properties = Properties::new();
                for key in 0..keys {
                    if below(&mut state, 1 + u64::from(key)) < 8 {
                        properties.set(key, value(&mut state));
                    }
                }
                for (key, value) in properties.iter() {
                    columns.add(at as usize, key, value.clone());
                }
                let mut row = Vec::new();
                properties.encode(&mut row).unwrap();
                rows.push(row);
                builder.add(at, slot, Fixed::default(), properties);
            }
            let expected: Vec<(Part, Vec<u8>)> = builder
                .finish()
                .unwrap()
                .parts
                .into_iter()
                .map(|(part, content)| match content {
                    Content::New(bytes) => (part, bytes),
                    Content::Kept(_) => panic!("a new chunk keeps nothing"),
                })
                .collect();
            let found = columns.encode(RECORDS as usize).unwrap();
            assert_eq!(found.0, expected, "{keys} keys");
            let decoded = NewColumns::decode(rows.iter().map(Vec::as_slice)).unwrap();
            assert_eq!(decoded.0, expected, "{keys} keys from the log");
        }
    }

    #[test]
    fn the_last_record_is_forgotten() {
        let (mut some, mut all) = (NewColumns::default(), NewColumns::default());
        for columns in [&mut some, &mut all] {
            columns.add(0, 1, Value::Integer(1));
            columns.add(0, 2, Value::Integer(2));
        }
        all.add(1, 1, Value::Integer(3));
        all.add(1, 7, Value::Integer(3));
        all.remove(1);
        assert_eq!(all.encode(1).unwrap(), some.encode(1).unwrap());
    }
}
