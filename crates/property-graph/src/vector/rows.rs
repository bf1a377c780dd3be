//! Rows of vectors: chosen, and one vector behind another.

use super::{Texts, Validity, Values, Vector};
use crate::value::Value;

impl Vector {
    /// The rows at some places, in that order. The array keeps its type. O(rows).
    ///
    /// # Panics
    /// If there is no row at one of the places.
    pub fn take(&self, rows: &[u32]) -> Vector {
        let values = match &self.values {
            Values::Null(_) => Values::Null(rows.len()),
            Values::Boolean(values) => Values::Boolean(chosen(values, rows)),
            Values::Integer(values) => Values::Integer(chosen(values, rows)),
            Values::Float(values) => Values::Float(chosen(values, rows)),
            Values::Text(texts) => {
                let texts = rows.iter().map(|&row| texts.get(row as usize));
                Values::Text(texts.collect::<Texts>())
            }
            Values::Date(values) => Values::Date(chosen(values, rows)),
            Values::LocalDateTime(values) => Values::LocalDateTime(chosen(values, rows)),
            Values::Any(values) => Values::Any(
                rows.iter()
                    .map(|&row| values[row as usize].clone())
                    .collect(),
            ),
        };
        Vector {
            values,
            validity: self.validity.take(rows),
        }
    }

    /// Adds the rows of another vector; the array changes its type if they need it.
    pub fn append(&mut self, mut other: Vector) {
        if self.is_empty() {
            *self = other;
            return;
        }
        match (&mut self.values, &mut other.values) {
            (Values::Null(rows), Values::Null(more)) => *rows += *more,
            (Values::Boolean(values), Values::Boolean(more)) => values.append(more),
            (Values::Integer(values), Values::Integer(more)) => values.append(more),
            (Values::Float(values), Values::Float(more)) => values.append(more),
            (Values::Text(texts), Values::Text(more)) => texts.append(more),
            (Values::Date(values), Values::Date(more)) => values.append(more),
            (Values::LocalDateTime(values), Values::LocalDateTime(more)) => values.append(more),
            (Values::Any(values), Values::Any(more)) => values.append(more),
            _ => {
                for row in 0..other.len() {
                    self.push(other.get(row));
                }
                return;
            }
        }
        self.validity.append(&other.validity);
    }

    /// The same value in so many rows.
    pub fn repeated(value: &Value, rows: usize) -> Vector {
        let validity = match value.is_null() {
            true => return Vector::nulls(rows),
            false => Validity::all(rows),
        };
        let values = match value {
            Value::Boolean(value) => Values::Boolean(vec![*value; rows]),
            Value::Integer(value) => Values::Integer(vec![*value; rows]),
            Value::Float(value) => Values::Float(vec![*value; rows]),
            Value::Text(text) => Values::Text(std::iter::repeat_n(&**text, rows).collect()),
            Value::Date(value) => Values::Date(vec![*value; rows]),
            Value::LocalDateTime(value) => Values::LocalDateTime(vec![*value; rows]),
            value => Values::Any(vec![value.clone(); rows]),
        };
        Vector { values, validity }
    }
}

fn chosen<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&row| values[row as usize]).collect()
}

impl Validity {
    /// The rows at some places, in that order.
    ///
    /// # Panics
    /// If there is no row at one of the places.
    pub fn take(&self, rows: &[u32]) -> Validity {
        if self.is_all() {
            return Validity::all(rows.len());
        }
        let mut words = vec![0; rows.len().div_ceil(64)];
        for (place, &row) in rows.iter().enumerate() {
            words[place / 64] |= u64::from(self.is_valid(row as usize)) << (place % 64);
        }
        Validity::from_words(words, rows.len())
    }

    /// Adds the rows of another.
    pub fn append(&mut self, other: &Validity) {
        match self.is_all() && other.is_all() {
            true => *self = Validity::all(self.len() + other.len()),
            false => (0..other.len()).for_each(|row| self.push(other.is_valid(row))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::tests::values as any_value;

    fn rows() -> impl Strategy<Value = Vec<Value>> {
        let mixed = prop_oneof![Just(Value::Null), any_value()];
        let alike = prop_oneof![Just(Value::Null), any::<i64>().prop_map(Value::from)];
        prop_oneof![
            prop::collection::vec(mixed, 0..20),
            prop::collection::vec(alike, 0..150),
            prop::collection::vec("[ab]{0,3}".prop_map(Value::from), 0..80),
        ]
    }

    fn exact(vector: &Vector) -> Vec<String> {
        let rows = 0..vector.len();
        rows.map(|row| format!("{:?}", vector.get(row))).collect()
    }

    proptest! {
        #[test]
        fn rows_are_chosen_and_joined(
            first in rows(),
            second in rows(),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..100),
        ) {
            let all: Vec<Value> = first.iter().chain(&second).cloned().collect();
            let mut vector: Vector = first.into_iter().collect();
            vector.append(second.into_iter().collect());
            let expected: Vec<String> = all.iter().map(|value| format!("{value:?}")).collect();
            prop_assert_eq!(exact(&vector), expected);
            if all.is_empty() {
                return Ok(());
            }
            let places: Vec<u32> = places.iter().map(|at| at.index(all.len()) as u32).collect();
            let taken = vector.take(&places);
            let expected: Vec<String> =
                places.iter().map(|&at| format!("{:?}", all[at as usize])).collect();
            prop_assert_eq!(exact(&taken), expected);
            let repeated = Vector::repeated(&all[0], 3);
            prop_assert_eq!(exact(&repeated), vec![format!("{:?}", all[0]); 3]);
        }
    }
}
