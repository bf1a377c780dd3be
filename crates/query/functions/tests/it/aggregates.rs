//! Aggregations: merged states against one state, and sums that do not fit.

use evergraph_functions::aggregates::{Accumulator, Aggregate};
use evergraph_functions::{Datum, ErrorKind};
use evergraph_property_graph::Value;
use proptest::prelude::*;

const ALL: [Aggregate; 11] = [
    Aggregate::CountRows,
    Aggregate::Count,
    Aggregate::Sum,
    Aggregate::Average,
    Aggregate::Least,
    Aggregate::Greatest,
    Aggregate::Collect,
    Aggregate::Deviation,
    Aggregate::PopulationDeviation,
    Aggregate::ContinuousPercentile,
    Aggregate::DiscretePercentile,
];

fn arguments(aggregate: Aggregate, value: Value) -> Vec<Datum> {
    match aggregate {
        Aggregate::CountRows => vec![],
        Aggregate::ContinuousPercentile | Aggregate::DiscretePercentile => {
            vec![Datum::Value(value), 0.25.into()]
        }
        _ => vec![Datum::Value(value)],
    }
}

/// Equal, or floats that differ in their last digits: sums depend on their order.
fn near(a: &Datum, b: &Datum) -> bool {
    match (a.as_value(), b.as_value()) {
        (Some(Value::Float(a)), Some(Value::Float(b))) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
        _ => format!("{a:?}") == format!("{b:?}"),
    }
}

proptest! {
    #[test]
    fn parts_are_merged(
        parts in prop::collection::vec(
            prop::collection::vec(
                prop_oneof![
                    Just(Value::Null),
                    (-3i64..4).prop_map(Value::from),
                    (-9i64..9).prop_map(|n| Value::from(n as f64 / 4.0)),
                ],
                0..6,
            ),
            0..5,
        ),
        distinct: bool,
    ) {
        for aggregate in ALL {
            let mut whole = Accumulator::new(aggregate, distinct);
            let mut merged = Accumulator::new(aggregate, distinct);
            for part in &parts {
                let mut state = Accumulator::new(aggregate, distinct);
                for value in part {
                    whole.add(&arguments(aggregate, value.clone())).unwrap();
                    state.add(&arguments(aggregate, value.clone())).unwrap();
                }
                merged.merge(state).unwrap();
            }
            let (merged, whole) = (merged.finish().unwrap(), whole.finish().unwrap());
            prop_assert!(near(&merged, &whole), "{:?}: {:?}, {:?}", aggregate, merged, whole);
        }
    }
}

#[test]
fn sums_of_integers_do_not_overflow_on_their_way() {
    let mut sum = Accumulator::new(Aggregate::Sum, false);
    sum.add(&[i64::MAX.into()]).unwrap();
    sum.add(&[1.into()]).unwrap();
    assert_eq!(sum.finish().unwrap_err().kind, ErrorKind::IntegerOverflow);
    sum.add(&[Datum::from(-1)]).unwrap();
    assert_eq!(sum.finish().unwrap(), i64::MAX.into());
    let refused = sum.add(&["a".into()]).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::InvalidArgumentValue);
}

#[test]
fn percentiles_are_from_0_to_1() {
    for wrong in [Datum::from(1.1), Datum::from(-1), Datum::from(f64::NAN)] {
        let mut state = Accumulator::new(Aggregate::ContinuousPercentile, false);
        assert_eq!(
            state.add(&[1.into(), wrong]).unwrap_err().kind,
            ErrorKind::NumberOutOfRange
        );
    }
}
