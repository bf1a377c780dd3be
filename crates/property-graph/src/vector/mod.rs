//! Values of many records under one key, in DRAM: the output of reads in batches.
//!
//! Values of one type lie side by side in an array; rows without one hold a
//! placeholder, and the validity says which they are. A reader of the array that does not
//! look at the validity sees zeros, never something undefined.

mod rows;
mod texts;
mod validity;

pub use texts::Texts;
pub use validity::Validity;

use crate::value::{Date, LocalDateTime, Value};

/// One value or null a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    values: Values,
    validity: Validity,
}

/// Values of a vector. A vector has the narrowest variant that holds all of them exactly.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// So many rows, none of which has a value.
    Null(usize),
    /// Zero or one.
    Boolean(Vec<bool>),
    /// 64 bits, signed.
    Integer(Vec<i64>),
    /// IEEE 754, 64 bits.
    Float(Vec<f64>),
    /// UTF-8.
    Text(Texts),
    /// Days.
    Date(Vec<Date>),
    /// Days and times of day.
    LocalDateTime(Vec<LocalDateTime>),
    /// Values of several types, or of one that has no array of its own.
    Any(Vec<Value>),
}

impl Default for Values {
    fn default() -> Self {
        Values::Null(0)
    }
}

impl Vector {
    /// No rows.
    pub fn new() -> Self {
        Vector::default()
    }

    /// So many nulls.
    pub fn nulls(rows: usize) -> Self {
        Vector {
            values: Values::Null(rows),
            validity: Validity::none(rows),
        }
    }

    /// An array, of which the validity says what counts.
    ///
    /// # Panics
    /// If they are of different lengths.
    pub fn from_parts(values: Values, validity: Validity) -> Self {
        let vector = Vector { values, validity };
        assert_eq!(
            vector.len(),
            vector.validity.len(),
            "each row of a vector is valid or null"
        );
        vector
    }

    /// The array, placeholders included.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Rows that have a value.
    pub fn validity(&self) -> &Validity {
        &self.validity
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Null(rows) => *rows,
            Values::Boolean(values) => values.len(),
            Values::Integer(values) => values.len(),
            Values::Float(values) => values.len(),
            Values::Text(texts) => texts.len(),
            Values::Date(values) => values.len(),
            Values::LocalDateTime(values) => values.len(),
            Values::Any(values) => values.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// DRAM of the rows, about. O(1), but for values without an array of their own.
    pub fn bytes(&self) -> usize {
        let values = match &self.values {
            Values::Null(_) => 0,
            Values::Boolean(values) => values.len(),
            Values::Integer(values) => size_of_val(&values[..]),
            Values::Float(values) => size_of_val(&values[..]),
            Values::Text(texts) => texts.bytes(),
            Values::Date(values) => size_of_val(&values[..]),
            Values::LocalDateTime(values) => size_of_val(&values[..]),
            Values::Any(values) => {
                // One that rows beside each other share is there once.
                let is_own = |row: &usize| {
                    let before = row.checked_sub(1).map(|before| &values[before]);
                    before.is_none_or(|before| !values[*row].shares(before))
                };
                let own = (0..values.len()).filter(is_own);
                let inner = own.map(|row| values[row].heap_bytes()).sum::<usize>();
                size_of_val(&values[..]) + inner
            }
        };
        values + self.validity.words().map_or(0, size_of_val)
    }

    /// The value of a row; null where it has none.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> Value {
        if !self.validity.is_valid(row) {
            return Value::Null;
        }
        match &self.values {
            Values::Null(_) => Value::Null,
            Values::Boolean(values) => Value::Boolean(values[row]),
            Values::Integer(values) => Value::Integer(values[row]),
            Values::Float(values) => Value::Float(values[row]),
            Values::Text(texts) => Value::from(texts.get(row)),
            Values::Date(values) => Value::Date(values[row]),
            Values::LocalDateTime(values) => Value::LocalDateTime(values[row]),
            Values::Any(values) => values[row].clone(),
        }
    }

    /// Adds a row. Changes the array's type if the value needs it.
    pub fn push(&mut self, value: Value) {
        if value.is_null() {
            self.push_placeholder();
            self.validity.push(false);
            return;
        }
        match (&mut self.values, value) {
            (Values::Boolean(values), Value::Boolean(value)) => values.push(value),
            (Values::Integer(values), Value::Integer(value)) => values.push(value),
            (Values::Float(values), Value::Float(value)) => values.push(value),
            (Values::Text(texts), Value::Text(value)) => texts.push(&value),
            (Values::Date(values), Value::Date(value)) => values.push(value),
            (Values::LocalDateTime(values), Value::LocalDateTime(value)) => values.push(value),
            (Values::Any(values), value) => values.push(value),
            (Values::Null(rows), value) => {
                let rows = *rows;
                self.values = Values::placeholders_like(&value, rows);
                return self.push(value);
            }
            (_, value) => {
                self.values = Values::Any((0..self.len()).map(|row| self.get(row)).collect());
                return self.push(value);
            }
        }
        self.validity.push(true);
    }

    /// Adds rows without a value.
    pub(crate) fn push_nulls(&mut self, rows: usize) {
        match &mut self.values {
            Values::Null(nulls) => {
                *nulls += rows;
                self.validity.push_same(false, rows);
            }
            _ => (0..rows).for_each(|_| self.push(Value::Null)),
        }
    }

    /// The array and the validity, to add rows to both, if the array is of this type, or
    /// there are only nulls: then it becomes it.
    #[inline]
    pub(crate) fn cells<T: Cell>(&mut self) -> Option<(&mut Vec<T>, &mut Validity)> {
        if let Values::Null(rows) = self.values {
            self.values = T::array(vec![T::default(); rows]);
        }
        let cells = T::cells(&mut self.values)?;
        Some((cells, &mut self.validity))
    }

    /// As [`Vector::cells`], of texts.
    pub(crate) fn texts(&mut self) -> Option<(&mut Texts, &mut Validity)> {
        if let Values::Null(rows) = self.values {
            self.values = Values::Text(std::iter::repeat_n("", rows).collect());
        }
        match &mut self.values {
            Values::Text(texts) => Some((texts, &mut self.validity)),
            _ => None,
        }
    }

    fn push_placeholder(&mut self) {
        match &mut self.values {
            Values::Null(rows) => *rows += 1,
            Values::Boolean(values) => values.push(false),
            Values::Integer(values) => values.push(0),
            Values::Float(values) => values.push(0.0),
            Values::Text(texts) => texts.push(""),
            Values::Date(values) => values.push(Date::default()),
            Values::LocalDateTime(values) => values.push(LocalDateTime::default()),
            Values::Any(values) => values.push(Value::Null),
        }
    }
}

/// Types with an array of their own.
pub(crate) trait Cell: Copy + Default {
    fn array(cells: Vec<Self>) -> Values;
    fn cells(values: &mut Values) -> Option<&mut Vec<Self>>;
}

macro_rules! cell {
    ($cell:ty, $array:ident) => {
        impl Cell for $cell {
            fn array(cells: Vec<Self>) -> Values {
                Values::$array(cells)
            }

            #[inline]
            fn cells(values: &mut Values) -> Option<&mut Vec<Self>> {
                match values {
                    Values::$array(cells) => Some(cells),
                    _ => None,
                }
            }
        }
    };
}

cell!(bool, Boolean);
cell!(i64, Integer);
cell!(f64, Float);
cell!(Date, Date);
cell!(LocalDateTime, LocalDateTime);

impl Values {
    /// Placeholders in the array that a value needs.
    fn placeholders_like(value: &Value, rows: usize) -> Self {
        match value {
            Value::Boolean(_) => Values::Boolean(vec![false; rows]),
            Value::Integer(_) => Values::Integer(vec![0; rows]),
            Value::Float(_) => Values::Float(vec![0.0; rows]),
            Value::Text(_) => Values::Text(std::iter::repeat_n("", rows).collect()),
            Value::Date(_) => Values::Date(vec![Date::default(); rows]),
            Value::LocalDateTime(_) => Values::LocalDateTime(vec![LocalDateTime::default(); rows]),
            _ => Values::Any(vec![Value::Null; rows]),
        }
    }
}

impl FromIterator<Value> for Vector {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut vector = Vector::new();
        values.into_iter().for_each(|value| vector.push(value));
        vector
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::tests::values as any_value;

    #[test]
    fn values_of_one_type_lie_in_an_array_of_it() {
        let vector: Vector = [
            Value::Null,
            Value::from(1i64),
            Value::Null,
            Value::from(3i64),
        ]
        .into_iter()
        .collect();
        assert_eq!(vector.values(), &Values::Integer(vec![0, 1, 0, 3]));
        assert_eq!(vector.validity().count(), 2);
    }

    proptest! {
        #[test]
        fn values_come_back(values in prop::collection::vec(prop_oneof![Just(Value::Null), any_value()], 0..40)) {
            let vector: Vector = values.iter().cloned().collect();
            prop_assert_eq!(vector.len(), values.len());
            for (row, value) in values.iter().enumerate() {
                // Exact, NaN and the sign of zero included.
                prop_assert_eq!(format!("{:?}", vector.get(row)), format!("{value:?}"));
            }
        }
    }
}
