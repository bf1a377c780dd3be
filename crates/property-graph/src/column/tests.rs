//! Columns against plain lists of values.

use proptest::prelude::*;

use super::*;
use crate::value::tests::values as any_value;
use crate::value::{Date, LocalDateTime};

/// Exact, NaN and the sign of zero included.
pub(crate) fn exact(value: &Value) -> String {
    match value {
        Value::Float(number) => format!("float {:x}", number.to_bits()),
        other => format!("{other:?}"),
    }
}

/// Values of one slot each: mostly of one type, of a few repeating ones, or of any.
pub(crate) fn columns() -> impl Strategy<Value = Vec<Value>> {
    let types: Vec<BoxedStrategy<Value>> = vec![
        any::<i64>().prop_map(Value::from).boxed(),
        (0i64..300).prop_map(Value::from).boxed(),
        any::<u64>()
            .prop_map(|bits| Value::Float(f64::from_bits(bits)))
            .boxed(),
        Just(Value::Float(-0.0)).boxed(),
        any::<bool>().prop_map(Value::from).boxed(),
        "[aä]{0,3}".prop_map(Value::from).boxed(),
        ".{3,20}".prop_map(Value::from).boxed(),
        (-365_000_000_000i64..365_000_000_000)
            .prop_map(|days| Date::from_days(days).unwrap().into())
            .boxed(),
        (any::<i32>(), 0u32..3)
            .prop_map(|(s, n)| LocalDateTime::from_seconds(s.into(), n).unwrap().into())
            .boxed(),
        prop::collection::vec(any::<i64>().prop_map(Value::from), 0..4)
            .prop_map(Value::from)
            .boxed(),
        prop::collection::vec(any::<f64>().prop_map(Value::from), 2..3)
            .prop_map(Value::from)
            .boxed(),
        any_value().boxed(),
    ];
    (prop::sample::select(types), 0u32..10).prop_flat_map(|(of_type, nulls)| {
        let slot = prop_oneof![
            20 => of_type,
            nulls => Just(Value::Null),
            u32::from(nulls > 7) => any_value(),
        ];
        prop::collection::vec(slot, 1..130)
    })
}

/// Whether a range has room for a value of its type.
fn covers(range: Range, value: &Value) -> bool {
    match (range, value) {
        (Range::Integers(least, most), Value::Integer(n)) => (least..=most).contains(n),
        (Range::Floats(_, _, has_nan), Value::Float(n)) if n.is_nan() => has_nan,
        (Range::Floats(least, most, _), Value::Float(n)) => least <= *n && *n <= most,
        (Range::Texts(least, most), Value::Text(text)) => {
            let mut prefix = [0; 16];
            let len = text.len().min(16);
            prefix[..len].copy_from_slice(&text.as_bytes()[..len]);
            least <= prefix && prefix <= most
        }
        (Range::Dates(least, most), Value::Date(date)) => (least..=most).contains(&date.days()),
        (Range::LocalDateTimes(least, most), Value::LocalDateTime(moment)) => {
            (least..=most).contains(&moment.seconds())
        }
        _ => true,
    }
}

fn read_all(column: &KeptColumn) -> Vec<Value> {
    let column = column.column();
    (0..column.slots()).map(|slot| column.get(slot)).collect()
}

fn parse(bytes: &[u8], slots: usize) -> Result<KeptColumn, Wrong> {
    KeptColumn::parse(bytes.to_vec().into(), slots)
}

proptest! {
    #[test]
    fn values_come_back(values in columns()) {
        let bytes = encode(&values).unwrap();
        let kept = parse(&bytes, values.len()).unwrap();
        let column = kept.column();
        for (slot, value) in values.iter().enumerate() {
            prop_assert_eq!(exact(&column.get(slot)), exact(value));
            let valid = column.valid_word(slot / 64) >> (slot % 64) & 1 == 1;
            prop_assert_eq!(valid, column.is_valid(slot));
            if let (true, Some(range)) = (valid, column.range()) {
                prop_assert!(covers(range, value), "{:?} {:?}", range, value);
            }
        }
        for (slot, value) in column.exceptions() {
            prop_assert_eq!(exact(&value), exact(&values[slot]));
        }
        if let Some((number, scattered)) = kept.scattered() {
            for slot in (0..values.len()).filter(|&slot| column.is_valid(slot)) {
                let of_slot = match number {
                    Number::Integer => Value::Integer(scattered.get(slot)),
                    Number::Float => Value::Float(f64::from_bits(scattered.get(slot) as u64)),
                    Number::Date => Date::from_days(scattered.get(slot)).unwrap().into(),
                };
                prop_assert_eq!(exact(&of_slot), exact(&values[slot]));
            }
        }
        prop_assert!(parse(&bytes, values.len() + 1).is_err());
    }

    #[test]
    fn integers_are_compared(values in prop::collection::vec(-300i64..300, 1..200), wide in prop::option::of(any::<i64>()), least in -310i64..310, len in -1i64..400) {
        let mut values = values;
        values.extend(wide);
        let all = [(least, least + len), (i64::MIN, least), (least, i64::MAX), (i64::MIN, i64::MAX), (1, 0)];
        for scale in [1, 300, 100_000, 1 << 50] {
            let scaled: Vec<i64> = values.iter().map(|value| value.wrapping_mul(scale)).collect();
            let plain = |values: &[i64], bytes: &mut Vec<u8>| {
                numbers::encode(values, bytes);
            };
            for encode in [plain, encode_sparse] {
                let mut bytes = Vec::new();
                encode(&scaled, &mut bytes);
                let numbers = Numbers::take(&mut crate::bytes::Reader::new(&bytes), scaled.len()).unwrap();
                let mut distinct = scaled.clone();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert_eq!(numbers.distinct(&bytes, scaled.len()), distinct);
                for (least, most) in all {
                    let (least, most) = (least.saturating_mul(scale), most.saturating_mul(scale));
                    let mut bits = vec![0u64; scaled.len().div_ceil(64)];
                    numbers.between(&bytes, (least, most), scaled.len(), &mut bits);
                    for (slot, value) in scaled.iter().enumerate() {
                        let inside = least <= *value && *value <= most;
                        prop_assert_eq!(bits[slot / 64] >> (slot % 64) & 1 == 1, inside);
                    }
                }
            }
        }
    }

    /// Any damage is refused or gives other values, without a panic.
    #[test]
    fn damage_is_no_panic(values in columns(), cut in any::<prop::sample::Index>()) {
        let bytes = encode(&values).unwrap();
        for at in 0..bytes.len() {
            for bit in [1, 128] {
                let mut bytes = bytes.clone();
                bytes[at] ^= bit;
                if let Ok(column) = parse(&bytes, values.len()) {
                    read_all(&column);
                }
            }
        }
        let shorter = &bytes[..cut.index(bytes.len())];
        prop_assert!(parse(shorter, values.len()).is_err());
    }

    #[test]
    fn other_bytes_are_no_panic(mut bytes in prop::collection::vec(any::<u8>(), 40..200), kind in 0u8..10, slots in 0usize..40) {
        let flags = bytes[1] % 8;
        bytes[..8].copy_from_slice(&[kind, flags, 0, 0, slots as u8, 0, 0, 0]);
        if let Ok(column) = parse(&bytes, slots) {
            read_all(&column);
        }
    }
}

#[test]
fn large_columns_are_small() {
    let bytes_of = |value: &dyn Fn(i64) -> Value| {
        let values: Vec<Value> = (0..2048).map(value).collect();
        let bytes = encode(&values).unwrap();
        let read = read_all(&parse(&bytes, 2048).unwrap());
        assert!(read.iter().map(exact).eq(values.iter().map(exact)));
        bytes.len()
    };
    assert_eq!(bytes_of(&|_| Value::from(7)), 40 + 16);
    assert_eq!(
        bytes_of(&|n| Value::from(1_000_000 + n % 200)),
        40 + 16 + 2048
    );
    assert_eq!(bytes_of(&|n| Value::from(n % 2 == 0)), 40 + 256);
    // Codes of a byte, and three texts with their ends.
    let texts = ["Basel", "Bern", "Zürich"];
    let coded = bytes_of(&|n| Value::from(texts[n as usize % 3]));
    assert_eq!(coded, 40 + 16 + 2048 + 4 + 8 + 16 + 3 + 16);
    // Strings and lists of one length need no ends.
    let texts = bytes_of(&|n| Value::from(format!("{n:08}")));
    assert_eq!(texts, 40 + 8 + 16 + 2048 * 8);
    let list = |n: i64| Value::from(vec![Value::from(n as f64 + 0.1); 4]);
    assert_eq!(bytes_of(&list), 40 + 8 + 16 + 16 + 2048 * 32);
    let long = |n: i64| match n {
        3 => Value::from("x".repeat(10 << 20)),
        n => Value::from(n),
    };
    assert!(bytes_of(&long) < (10 << 20) + 5000);
}
