//! Columns against plain lists of values.

use proptest::prelude::*;

use super::*;
use crate::value::tests::values as any_value;

/// Exact, NaN and the sign of zero included.
fn exact(value: &Value) -> String {
    match value {
        Value::Float(number) => format!("float {:x}", number.to_bits()),
        other => format!("{other:?}"),
    }
}

/// Values of one slot each: mostly of one type, of a few repeating ones, or of any.
fn columns() -> impl Strategy<Value = Vec<Value>> {
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

fn read_all(column: Column<'_>) -> Vec<Value> {
    let mut vector = Vector::new();
    let slots: Vec<u32> = (0..column.layout.slots as u32).collect();
    column.append(&slots, &mut vector);
    (0..vector.len()).map(|row| vector.get(row)).collect()
}

proptest! {
    #[test]
    fn values_come_back(values in columns(), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..20)) {
        let bytes = encode(&values).unwrap();
        let layout = Layout::parse(&bytes, values.len()).unwrap();
        let column = Column::new(&bytes, &layout);
        for (slot, value) in values.iter().enumerate() {
            prop_assert_eq!(exact(&column.get(slot)), exact(value));
            if let (true, Some(range)) = (column.is_valid(slot), column.range()) {
                prop_assert!(covers(range, value), "{:?} {:?}", range, value);
            }
        }
        let read = read_all(column);
        prop_assert!(read.iter().map(exact).eq(values.iter().map(exact)));
        // In any order, behind other values.
        let slots: Vec<u32> = picks.iter().map(|pick| pick.index(values.len()) as u32).collect();
        let mut vector: Vector = [Value::Null, Value::from(true)].into_iter().collect();
        column.append(&slots, &mut vector);
        for (row, &slot) in (2..).zip(&slots) {
            prop_assert_eq!(exact(&vector.get(row)), exact(&values[slot as usize]));
        }
        prop_assert!(Layout::parse(&bytes, values.len() + 1).is_err());
        for (least, most) in [(i64::MIN, -1), (0, 200), (5, 5), (i64::MIN, i64::MAX), (3, 2)] {
            for (slot, value) in values.iter().enumerate().filter(|_| column.integers().is_some()) {
                let inside = value.as_integer().is_some_and(|n| least <= n && n <= most);
                let bits = column.between(least, most).unwrap();
                prop_assert_eq!(bits[slot / 64] >> (slot % 64) & 1 == 1, inside);
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
                if let Ok(layout) = Layout::parse(&bytes, values.len()) {
                    read_all(Column::new(&bytes, &layout));
                }
            }
        }
        let shorter = &bytes[..cut.index(bytes.len())];
        prop_assert!(Layout::parse(shorter, values.len()).is_err());
    }

    #[test]
    fn other_bytes_are_no_panic(mut bytes in prop::collection::vec(any::<u8>(), 40..200), kind in 0u8..10, slots in 0usize..40) {
        let flags = bytes[1] % 8;
        bytes[..8].copy_from_slice(&[kind, flags, 0, 0, slots as u8, 0, 0, 0]);
        if let Ok(layout) = Layout::parse(&bytes, slots) {
            read_all(Column::new(&bytes, &layout));
        }
    }
}

#[test]
fn large_columns_are_small() {
    let bytes_of = |value: &dyn Fn(i64) -> Value| {
        let values: Vec<Value> = (0..2048).map(value).collect();
        let bytes = encode(&values).unwrap();
        let layout = Layout::parse(&bytes, 2048).unwrap();
        let read = read_all(Column::new(&bytes, &layout));
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
