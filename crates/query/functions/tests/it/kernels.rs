//! Kernels against the operators, row by row.

use evergraph_functions::Datum;
use evergraph_functions::kernels::{self, Operand};
use evergraph_functions::operators::{self, Binary, Unary};
use evergraph_property_graph::Value;
use evergraph_property_graph::value::{Date, LocalDateTime};
use evergraph_property_graph::vector::Vector;
use proptest::prelude::*;

use crate::graph::environment;

fn integer() -> BoxedStrategy<Value> {
    let edges = vec![i64::MIN, i64::MAX, 0, -1, 1 << 53, (1 << 53) + 1, 2, 3];
    prop_oneof![4 => (-3i64..4).boxed(), 1 => prop::sample::select(edges).boxed()]
        .prop_map(Value::from)
        .boxed()
}

fn float() -> BoxedStrategy<Value> {
    let edges = vec![
        f64::NAN,
        f64::INFINITY,
        -0.0,
        0.0,
        9_007_199_254_740_992.0,
        1e300,
    ];
    prop_oneof![
        (-4i64..5).prop_map(|n| n as f64 / 2.0),
        prop::sample::select(edges)
    ]
    .prop_map(Value::from)
    .boxed()
}

fn of_kind(kind: usize) -> BoxedStrategy<Value> {
    match kind {
        0 => integer(),
        1 => float(),
        2 => any::<bool>().prop_map(Value::from).boxed(),
        3 => "[ab]{0,3}".prop_map(Value::from).boxed(),
        4 => (0i32..3)
            .prop_map(|day| Date::from_days(day).unwrap().into())
            .boxed(),
        5 => (0i64..3)
            .prop_map(|s| LocalDateTime::from_seconds(s, 0).unwrap().into())
            .boxed(),
        _ => prop_oneof![
            prop::collection::vec(integer(), 0..3).prop_map(Value::from),
            prop::collection::vec(prop_oneof![integer(), float(), Just(Value::Null)], 0..4)
                .prop_map(Value::from),
            prop::collection::vec(
                prop_oneof!["[ab]{0,2}".prop_map(Value::from), integer()],
                0..4
            )
            .prop_map(Value::from),
        ]
        .boxed(),
    }
}

/// Rows of one type, with nulls or without, now and then of two types.
fn rows(kind: usize, other: usize, nulls: bool, len: usize) -> BoxedStrategy<Vec<Value>> {
    let value = match (nulls, other == 0) {
        (false, false) => of_kind(kind),
        (true, _) => prop_oneof![3 => of_kind(kind), 1 => Just(Value::Null)].boxed(),
        (false, true) => prop_oneof![4 => of_kind(kind), 1 => of_kind(0)].boxed(),
    };
    prop::collection::vec(value, len).boxed()
}

/// Both sides, and whether each is one value for all rows.
fn sides() -> impl Strategy<Value = (Vec<Value>, Vec<Value>, bool, bool)> {
    let kinds = (0usize..7, 0usize..7, any::<bool>(), 0usize..8, 1usize..70);
    kinds.prop_flat_map(|(a, b, alike, other, len)| {
        let b = if alike { a } else { b };
        (
            rows(a, other, other % 3 == 1, len),
            rows(b, other, other % 2 == 1, len),
            prop::bool::weighted(0.2),
            prop::bool::weighted(0.4),
        )
    })
}

/// As it is to the last bit.
fn exact(datum: &Datum) -> String {
    format!("{datum:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn kernels_are_the_operators((a, b, a_is_one, b_is_one) in sides()) {
        let environment = environment();
        let len = a.len();
        let (first, second) = (Datum::Value(a[0].clone()), Datum::Value(b[0].clone()));
        let (a, b): (Vector, Vector) = (a.into_iter().collect(), b.into_iter().collect());
        let left = if a_is_one { Operand::Constant(&first) } else { Operand::Vector(&a) };
        let right = if b_is_one { Operand::Constant(&second) } else { Operand::Vector(&b) };
        for operator in Binary::ALL {
            let expected: Result<Vec<Datum>, _> = (0..len)
                .map(|row| operators::binary(operator, &left.get(row), &right.get(row), &environment))
                .collect();
            match (kernels::binary(operator, left, right, len, &environment), expected) {
                (Ok(found), Ok(expected)) => {
                    prop_assert_eq!(found.len(), len);
                    for (row, expected) in expected.iter().enumerate() {
                        let found = found.operand().get(row);
                        prop_assert_eq!(exact(&found), exact(expected), "{} row {}", operator, row);
                    }
                }
                (Err(found), Err(expected)) => prop_assert_eq!(found.message, expected.message),
                (found, expected) => prop_assert!(false, "{}: {:?}, {:?}", operator, found, expected),
            }
        }
        for operator in [Unary::Not, Unary::Minus, Unary::IsNull, Unary::IsNotNull] {
            let expected: Result<Vec<Datum>, _> =
                (0..len).map(|row| operators::unary(operator, &left.get(row))).collect();
            match (kernels::unary(operator, left, len), expected) {
                (Ok(found), Ok(expected)) => {
                    for (row, expected) in expected.iter().enumerate() {
                        prop_assert_eq!(exact(&found.operand().get(row)), exact(expected));
                    }
                }
                (Err(found), Err(expected)) => prop_assert_eq!(found.message, expected.message),
                (found, expected) => prop_assert!(false, "{:?}: {:?}, {:?}", operator, found, expected),
            }
        }
    }

    #[test]
    fn membership_in_constant_lists_is_the_operator(
        members in (0usize..4, 1usize..20).prop_flat_map(|(kind, len)| rows(kind, 3, kind % 2 == 0, len)),
        list in prop::collection::vec(
            prop_oneof![2 => integer(), 1 => float(), 2 => of_kind(3), 1 => Just(Value::Null)],
            0..5,
        ),
    ) {
        let environment = environment();
        let (list, members): (_, Vector) = (Datum::from(list), members.into_iter().collect());
        let (left, right) = (Operand::Vector(&members), Operand::Constant(&list));
        let found = kernels::binary(Binary::In, left, right, members.len(), &environment).unwrap();
        for row in 0..members.len() {
            let expected = operators::binary(Binary::In, &left.get(row), &list, &environment);
            prop_assert_eq!(exact(&found.operand().get(row)), exact(&expected.unwrap()));
        }
    }
}
