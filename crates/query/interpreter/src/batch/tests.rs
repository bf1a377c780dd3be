//! Columns against plain data.

use proptest::prelude::*;

use super::*;

fn datum() -> impl Strategy<Value = Datum> {
    prop_oneof![
        3 => Just(Datum::NULL),
        3 => (-2i64..3).prop_map(Datum::from),
        1 => prop::sample::select(vec![0.0, -0.0, f64::NAN, 1.5]).prop_map(Datum::from),
        2 => "[ab]{0,40}".prop_map(Datum::from),
        1 => any::<bool>().prop_map(Datum::from),
        2 => (0u32..4).prop_map(|id| Datum::Node(NodeId(id))),
        1 => (0u32..4).prop_map(|id| Datum::Relationship(RelationshipId(id))),
        1 => (0u32..4).prop_map(|id| Datum::list(vec![Datum::Node(NodeId(id)), 1i64.into()])),
    ]
}

/// Data, mostly of one kind, and a column of them in one of the forms that it can have.
fn rows() -> impl Strategy<Value = (Vec<Datum>, Column)> {
    let alike = datum().prop_flat_map(|one| {
        let other = match one {
            Datum::Node(_) => (0u32..9).prop_map(|id| Datum::Node(NodeId(id))).boxed(),
            Datum::Value(Value::Integer(_)) => any::<i64>().prop_map(Datum::from).boxed(),
            one => Just(one).boxed(),
        };
        prop::collection::vec(prop_oneof![4 => other, 1 => Just(Datum::NULL)], 1..40)
    });
    let data = prop_oneof![3 => alike, 1 => prop::collection::vec(datum(), 1..40)];
    let as_vector = |data: &[Datum]| {
        let values = data.iter().map(|datum| datum.as_value().cloned());
        values.collect::<Option<Vector>>().map(Column::Vector)
    };
    (data, 0..4).prop_map(move |(data, form)| match form {
        0 => (data.clone(), Column::Data(data)),
        1 => (vec![data[0].clone(); 7], Column::Same(data[0].clone())),
        2 => match as_vector(&data) {
            Some(column) => (data, column),
            None => (data.clone(), Column::of(data)),
        },
        _ => (data.clone(), Column::of(data)),
    })
}

/// To the last bit.
fn exact(data: &[Datum]) -> Vec<String> {
    data.iter().map(|datum| format!("{datum:?}")).collect()
}

fn of_column(column: &Column, rows: usize) -> Vec<String> {
    exact(&(0..rows).map(|row| column.get(row)).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn columns_are_their_data(
        (first, column) in rows(),
        (second, other) in rows(),
        places in prop::collection::vec((any::<prop::sample::Index>(), 0..5), 0..200),
    ) {
        prop_assert_eq!(of_column(&column, first.len()), exact(&first));
        let places: Vec<u32> = places
            .into_iter()
            .map(|(at, null)| if null == 0 { NO_ROW } else { at.index(first.len()) as u32 })
            .collect();
        let at = |&row: &u32| first.get(row as usize).cloned().unwrap_or_default();
        let expected: Vec<Datum> = places.iter().map(at).collect();
        let taken = column.take_or_null(&places);
        prop_assert_eq!(of_column(&taken, places.len()), exact(&expected));
        let there: Vec<u32> = places.into_iter().filter(|&row| row != NO_ROW).collect();
        let expected: Vec<Datum> = there.iter().map(at).collect();
        let taken = column.take(&there);
        prop_assert_eq!(of_column(&taken, there.len()), exact(&expected));
        let mut once = there.clone();
        once.sort_unstable();
        once.dedup();
        once.reverse();
        let mut batch = Batch::rows_of(2, first.len());
        batch.set(0, column.clone());
        batch.set_same(1, 0);
        let expected: Vec<Datum> = once.iter().map(at).collect();
        let mut moved = batch.into_places(&once);
        prop_assert_eq!(moved.len(), once.len());
        for slot in [1, 0] {
            let values = (0..once.len()).map(|row| moved.take_value(slot, row));
            prop_assert_eq!(exact(&values.collect::<Vec<_>>()), exact(&expected));
        }
        let mut joined = column;
        joined.append(first.len(), other, second.len());
        let all: Vec<Datum> = first.into_iter().chain(second).collect();
        prop_assert_eq!(of_column(&joined, all.len()), exact(&all));
    }
}

#[test]
fn copies_of_a_long_text_are_shared() {
    let text = "x".repeat(1 << 20);
    let vector: Vector = [Value::from(text.as_str()), Value::from("y")]
        .into_iter()
        .collect();
    let taken = Column::Vector(vector).take(&[0; 2048]);
    assert!(matches!(&taken, Column::Data(data) if data.len() == 2048));
    assert_eq!(taken.get(2047), text.as_str().into());
}
