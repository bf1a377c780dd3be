use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::column::tests::{columns, exact};
use crate::record::builder::Builder;
use crate::record::content::Fixed;
use crate::record::core::{Identity, Slot};
use crate::testing::UUID;

/// A column as of a commit, and the value of each of its slots.
pub(crate) fn columns_at() -> impl Strategy<Value = (ColumnAt, Vec<Value>)> {
    // Of a slot: nothing, shown by the base, another value, or a large one.
    let states = prop_oneof![
        Just([1, 20, 0, 0]),
        Just([0, 20, 1, 0]),
        Just([1, 5, 5, 0]),
        Just([1, 5, 5, 2]),
        Just([0, 0, 1, 0]),
        Just([0, 1, 0, 0]),
    ];
    (columns(), columns(), states, any::<bool>()).prop_perturb(
        |(in_base, others, states, has_base), mut random| {
            let slots = in_base.len();
            let (mut clean, mut changed) = (vec![0; slots.div_ceil(64)], Vec::new());
            let mut expected = vec![Value::Null; slots];
            let identity = Identity {
                magic: *b"ENOD",
                table: 1,
                chunk: 0,
                records: slots as u32,
            };
            let mut large = Builder::new(identity).with_large_bytes(0);
            for slot in 0..slots {
                let mut state = random.random_range(0..states.iter().sum::<i32>());
                let of = states.iter().position(|share| {
                    state -= share;
                    state < 0
                });
                match of {
                    Some(1) => {
                        clean[slot / 64] |= 1 << (slot % 64);
                        if has_base {
                            expected[slot] = in_base[slot].clone();
                        }
                    }
                    Some(2) => {
                        expected[slot] = others[slot % others.len()].clone();
                        changed.push((slot, expected[slot].clone()));
                    }
                    Some(3) => {
                        expected[slot] = Value::from(format!("large {slot}"));
                        let used = Slot {
                            is_used: true,
                            ..Slot::default()
                        };
                        let properties = [(1, expected[slot].clone())].into_iter().collect();
                        large.add(slot as u32, used, Fixed::default(), properties);
                    }
                    _ => {}
                }
            }
            let base = KeptColumn::of(&in_base).unwrap();
            let base = has_base.then_some(&base);
            let chunk = Arc::new(StoredChunk::loaded(&large.finish().unwrap(), 1));
            let reader = chunk.read(&UUID).unwrap();
            let large = LargeAt::new(&chunk, UUID, 1, clean.len(), reader.large_of(1));
            let column = ColumnAt::new(base, &clean, changed).unwrap();
            (column.with_large(large), expected)
        },
    )
}

fn cell<T: Cell>(column: &ColumnAt, slot: usize, of: impl Fn(T) -> Value) -> Option<Value> {
    match column.cell(slot) {
        CellAt::Value(value) => Some(of(value)),
        CellAt::Null => Some(Value::Null),
        CellAt::Other => None,
    }
}

/// Starts of vectors of several types.
fn starts() -> impl Strategy<Value = Vec<Value>> {
    let date = Date::from_days(3).unwrap();
    prop_oneof![
        4 => Just(vec![]),
        1 => Just(vec![Value::Null; 70]),
        1 => prop_oneof![
            Just(vec![Value::from(1i64), Value::Null]),
            Just(vec![Value::from("text")]),
            Just(vec![Value::from(date), Value::from(0.5)]),
        ],
    ]
}

/// A value with a place in the base leaves a column whole; another does not.
#[test]
fn a_whole_column_stays_whole() {
    let numbers: Vec<Value> = (0..100i64).map(Value::from).collect();
    let base = KeptColumn::of(&numbers).unwrap();
    let all = [u64::MAX, (1 << 36) - 1];
    let column = ColumnAt::new(Some(&base), &all, Vec::new()).unwrap();
    let after = |value: Value| column.after(&[1 << 7, 0], vec![(7, value)]).unwrap();
    let (near, far) = (after(30i64.into()), after("far".into()));
    assert!(near.base().1.is_none() && far.base().1.is_some());
    let get = |column: &ColumnAt, slot: usize| column.get(slot).unwrap();
    assert_eq!((get(&near, 7), get(&far, 7)), (30i64.into(), "far".into()));
    assert_eq!((get(&near, 8), get(&far, 8)), (8i64.into(), 8i64.into()));
}

/// The number in its other type: 1 as 1.0.
fn in_other_type(value: &Value) -> Value {
    match value {
        Value::Integer(number) => (*number as f64).into(),
        Value::Float(number) if number.fract() == 0.0 => (*number as i64).into(),
        other => other.clone(),
    }
}

proptest! {
    /// Also if all or some of them are those that were there, or equal in another type.
    #[test]
    fn changed_values_are_those_that_were_given(
        (column, mut expected) in columns_at(),
        (others, kind) in (columns(), 0..3),
        picks in prop::collection::vec(any::<Index>(), 1..9),
    ) {
        let slots: BTreeSet<usize> = picks.iter().map(|pick| pick.index(expected.len())).collect();
        let mut places = vec![0; expected.len().div_ceil(64)];
        for (n, &slot) in slots.iter().enumerate() {
            places[slot / 64] |= 1 << (slot % 64);
            expected[slot] = match kind {
                0 => others[slot % others.len()].clone(),
                1 if n == 0 => in_other_type(&expected[slot]),
                _ => expected[slot].clone(),
            };
        }
        let values = slots.iter().map(|&slot| (slot, expected[slot].clone()));
        let values = values.filter(|(_, value)| !value.is_null()).collect();
        let after = column.after(&places, values).unwrap();
        for (slot, value) in expected.iter().enumerate() {
            prop_assert_eq!(exact(&after.get(slot).unwrap()), exact(value), "slot {}", slot);
        }
    }

    #[test]
    fn values_are_those_of_slots(
        (column, expected) in columns_at(),
        start in starts(),
        (from, until) in (any::<Index>(), any::<Index>()),
        picks in prop::collection::vec(any::<Index>(), 0..90),
    ) {
        for (slot, value) in expected.iter().enumerate() {
            prop_assert_eq!(exact(&column.get(slot).unwrap()), exact(value));
            let cells = [
                cell(&column, slot, Value::Integer),
                cell(&column, slot, Value::Float),
                cell(&column, slot, Value::Boolean),
                cell(&column, slot, Value::Date),
                cell(&column, slot, Value::LocalDateTime),
            ];
            for cell in cells.iter().flatten() {
                prop_assert_eq!(exact(cell), exact(value));
            }
        }
        let (from, until) = (from.index(expected.len()), until.index(expected.len() + 1));
        let ranges: Vec<u32> = (from as u32..until as u32).collect();
        let any: Vec<u32> = picks.iter().map(|pick| pick.index(expected.len()) as u32).collect();
        for slots in [ranges, any] {
            let mut vector: Vector = start.iter().cloned().collect();
            let ids: Vec<u32> = slots.iter().map(|slot| slot + 77).collect();
            // In two parts.
            for ids in ids.chunks(ids.len().div_ceil(2).max(1)) {
                let mut left = ids;
                while !left.is_empty() {
                    let slots = Slice::of_one_chunk(left, 77, expected.len() as u32);
                    column.append(&slots, &mut vector).unwrap();
                    left = &left[slots.len()..];
                }
            }
            prop_assert_eq!(vector.len(), start.len() + slots.len());
            let all = start.iter().chain(slots.iter().map(|slot| &expected[*slot as usize]));
            for (row, value) in all.enumerate() {
                prop_assert_eq!(exact(&vector.get(row)), exact(value), "row {}", row);
            }
            // A reader that does not look at the validity sees zeros.
            if let crate::vector::Values::Integer(values) = vector.values() {
                for (row, value) in values.iter().enumerate() {
                    prop_assert!(vector.validity().is_valid(row) || *value == 0);
                }
            }
        }
    }
}
