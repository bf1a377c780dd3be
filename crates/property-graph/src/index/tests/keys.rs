//! Keys against the order of values.

use std::cmp::Ordering;
use std::ops::Bound;

use proptest::prelude::*;

use crate::index::KeyRange;
use crate::index::key::{encode, encode_equal};
use crate::value::Value;
use crate::value::tests::values;

fn is_in(range: &KeyRange, key: &[u8], len: usize) -> bool {
    let (range, key) = (range.cut(len), &key[..key.len().min(len)]);
    key >= &range.from[..] && range.to.as_ref().is_none_or(|to| key < &to[..])
}

/// Whether an operator holds, as a query sees it.
fn satisfies(value: &Value, lower: Bound<&Value>, upper: Bound<&Value>) -> bool {
    let above = match lower {
        Bound::Included(bound) => value.compares(bound).is_some_and(Ordering::is_ge),
        Bound::Excluded(bound) => value.compares(bound).is_some_and(Ordering::is_gt),
        Bound::Unbounded => true,
    };
    above
        && match upper {
            Bound::Included(bound) => value.compares(bound).is_some_and(Ordering::is_le),
            Bound::Excluded(bound) => value.compares(bound).is_some_and(Ordering::is_lt),
            Bound::Unbounded => true,
        }
}

/// Null and NaN do not, nor values that contain one.
fn equals_itself(value: &Value) -> bool {
    value.equals(value) == Some(true)
}

fn bounds() -> impl Strategy<Value = Bound<Value>> {
    prop_oneof![
        values().prop_map(Bound::Included),
        values().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

#[test]
fn integers_and_floats_compare_as_numbers() {
    let ascending = [
        Value::from(f64::NEG_INFINITY),
        Value::from(i64::MIN),
        Value::from(-1e18),
        Value::from(-9_007_199_254_740_993i64),
        Value::from(-9_007_199_254_740_992i64),
        Value::from(-2i64),
        Value::from(-1.5),
        Value::from(0i64),
        Value::from(5e-324),
        Value::from(0.5),
        Value::from(1i64),
        Value::from(255i64),
        Value::from(256i64),
        Value::from(9_007_199_254_740_991i64),
        Value::from(9_007_199_254_740_992.0),
        Value::from(9_007_199_254_740_993i64),
        Value::from(9_007_199_254_740_994i64),
        Value::from(i64::MAX - 1),
        Value::from(i64::MAX),
        Value::from(9_223_372_036_854_775_808.0),
        Value::from(f64::INFINITY),
        Value::from(f64::NAN),
    ];
    let keys: Vec<_> = ascending.iter().map(|value| encode([value])).collect();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    assert_eq!(encode([&Value::from(1i64)]), encode([&Value::from(1.0)]));
    assert_eq!(encode([&Value::from(-0.0)]), encode([&Value::from(0i64)]));
}

#[test]
fn what_lacks_a_value_has_no_key() {
    assert_eq!(encode([&Value::from(1i64), &Value::Null]), None);
    assert_eq!(KeyRange::equal([&Value::Null]), KeyRange::nothing());
}

#[test]
fn prefixes_are_those_of_texts() {
    let range = KeyRange::starting_with(&[], "ab");
    for (text, expected) in [
        ("ab", true),
        ("ab\0", true),
        ("abc", true),
        ("ab\u{10FFFF}", true),
        ("a", false),
        ("ac", false),
        ("b", false),
    ] {
        let key = encode([&Value::from(text)]).unwrap();
        assert_eq!(is_in(&range, &key, usize::MAX), expected, "{text:?}");
    }
    let number = encode([&Value::from(1i64)]).unwrap();
    assert!(!is_in(&KeyRange::starting_with(&[], ""), &number, 99));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn keys_order_as_values_do(
        a in prop::collection::vec(values(), 1..3),
        b in prop::collection::vec(values(), 1..3),
    ) {
        let (Some(key_a), Some(key_b)) = (encode(&a), encode(&b)) else {
            prop_assert!(a.iter().chain(&b).any(|value| *value == Value::Null));
            return Ok(());
        };
        if a.len() == b.len() {
            prop_assert_eq!(key_a.cmp(&key_b), a.cmp(&b), "{:?} {:?}", key_a, key_b);
            // None is the beginning of another.
            prop_assert!(key_a == key_b || !key_a.starts_with(&key_b));
        }
        // A tuple is in the range of its beginning.
        if a.len() <= b.len() && a[..] == b[..a.len()] && a.iter().all(equals_itself) {
            prop_assert!(is_in(&KeyRange::equal(&a), &key_b, usize::MAX));
        }
    }

    #[test]
    fn ranges_hold_what_compares(
        leading in values(),
        value in values(),
        lower in bounds(),
        upper in bounds(),
        cut in 4usize..40,
    ) {
        let leading = [leading];
        let Some(key) = encode([&leading[0], &value]) else { return Ok(()) };
        let range = KeyRange::between(&leading, lower.as_ref(), upper.as_ref());
        let is_satisfied = satisfies(&value, lower.as_ref(), upper.as_ref());
        if is_satisfied && equals_itself(&leading[0]) {
            prop_assert!(is_in(&range, &key, usize::MAX));
            prop_assert!(is_in(&range, &key, cut), "cut to {}", cut);
        }
        let equal = KeyRange::equal([&leading[0], &value]);
        let is_equal = equals_itself(&leading[0]) && equals_itself(&value);
        prop_assert_eq!(is_in(&equal, &key, usize::MAX), is_equal);
        prop_assert!(!is_equal || is_in(&equal, &key, cut));
        let exactly = encode_equal([&leading[0], &value]);
        prop_assert_eq!(exactly.as_ref(), is_equal.then_some(&key));
        let exactly = exactly.map(|key| KeyRange::exactly(&key));
        prop_assert!(exactly.is_none_or(|range| range.only_key() == Some(&key[..])));
    }

    /// Of types that compare, nothing else is in a range.
    #[test]
    fn ranges_hold_nothing_else(
        value in values(),
        lower in bounds(),
        upper in bounds(),
    ) {
        let Some(key) = encode([&value]) else { return Ok(()) };
        let range = KeyRange::between(&[], lower.as_ref(), upper.as_ref());
        // Without a bound, and for values that do not compare, a range is as good as any.
        let is_plain = |value: &Value| {
            matches!(value, Value::Float(_)) || value.compares(value).is_some()
        };
        let is_plain_bound = |bound: &Bound<Value>| match bound {
            Bound::Included(bound) | Bound::Excluded(bound) => is_plain(bound),
            Bound::Unbounded => true,
        };
        let has_bound = lower != Bound::Unbounded || upper != Bound::Unbounded;
        if has_bound && is_plain(&value) && is_plain_bound(&lower) && is_plain_bound(&upper) {
            let expected = satisfies(&value, lower.as_ref(), upper.as_ref());
            let is_found = is_in(&range, &key, usize::MAX);
            // Lists that differ only behind an incomparable value are not told apart.
            prop_assert!(is_found == expected || matches!(value, Value::List(_)));
        }
    }
}
