//! Making a column of values.

use std::collections::BTreeMap;

use super::layout::{
    BOOLEAN, CODES, DATE, FLOAT, FLOAT_LIST, HAS_EXCEPTIONS, HAS_NAN, HAS_VALIDITY, INTEGER,
    INTEGER_LIST, LOCAL_DATE_TIME, NONE, PREFIX, TEXT,
};
use super::numbers;
use super::packed::{encode_ends, encode_packed};
use crate::value::codec::{self, NoTextCodes};
use crate::value::{Value, ValueError};

/// The bytes of a column of these values, null where a slot has none. At most 65,536
/// slots.
///
/// # Errors
/// [`ValueError::TooDeep`].
pub(crate) fn encode(values: &[Value]) -> Result<Vec<u8>, ValueError> {
    debug_assert!(values.len() <= 1 << 16, "{} slots", values.len());
    let mut kind = most_frequent(values);
    let of_kind: Vec<Option<&Value>> = values
        .iter()
        .map(|value| Some(value).filter(|value| kind_of(value) == kind && kind != NONE))
        .collect();
    let exceptions = exceptions(values, &of_kind)?;
    let is_whole = of_kind.iter().all(Option::is_some);
    let mut content = Vec::new();
    if !is_whole {
        put_bits(of_kind.iter().map(Option::is_some), &mut content);
    }
    let mut zone = Zone::default();
    match kind {
        NONE => {}
        BOOLEAN => put_bits(
            of_kind
                .iter()
                .map(|value| matches!(value, Some(Value::Boolean(true)))),
            &mut content,
        ),
        TEXT => kind = put_texts(&of_kind, &mut zone, &mut content),
        INTEGER_LIST | FLOAT_LIST => put_lists(&of_kind, &mut content),
        _ => put_integers(kind, &of_kind, &mut zone, &mut content),
    }
    if !exceptions.is_empty() {
        encode_packed(&exceptions, &mut content);
    }
    let flags = [
        (!is_whole, HAS_VALIDITY),
        (!exceptions.is_empty(), HAS_EXCEPTIONS),
    ];
    Ok(whole(kind, values.len(), &flags, &zone, content))
}

/// The bytes of a column of integers, days or bits of floats, of which those count whose
/// slots have a bit.
pub(super) fn encode_numbers(kind: u8, numbers: &[i64], valid: &[u64]) -> Vec<u8> {
    let count: u32 = valid.iter().map(|word| word.count_ones()).sum();
    let (is_whole, mut content) = (count as usize == numbers.len(), Vec::new());
    if !is_whole {
        let words = valid.iter().map(|word| word.to_le_bytes());
        content.extend(words.flatten());
    }
    let mut zone = Zone::default();
    put_numbers(kind, numbers, &mut zone, &mut content);
    let flags = [(!is_whole, HAS_VALIDITY)];
    whole(kind, numbers.len(), &flags, &zone, content)
}

/// A column of its parts.
fn whole(kind: u8, slots: usize, flags: &[(bool, u8)], zone: &Zone, content: Vec<u8>) -> Vec<u8> {
    let flags = flags.iter().copied().chain([(zone.has_nan, HAS_NAN)]);
    let flags = flags.filter(|flag| flag.0).map(|flag| flag.1).sum();
    let mut bytes = vec![kind, flags, 0, 0];
    bytes.extend_from_slice(&(slots as u32).to_le_bytes());
    bytes.extend_from_slice(&zone.least);
    bytes.extend_from_slice(&zone.most);
    bytes.extend_from_slice(&content);
    bytes
}

/// Type of the column that a value lies in side by side with others.
fn kind_of(value: &Value) -> u8 {
    match value {
        Value::Boolean(_) => BOOLEAN,
        Value::Integer(_) => INTEGER,
        Value::Float(_) => FLOAT,
        Value::Text(_) => TEXT,
        Value::Date(_) => DATE,
        Value::LocalDateTime(_) => LOCAL_DATE_TIME,
        Value::List(list) if list.iter().all(|item| matches!(item, Value::Integer(_))) => {
            INTEGER_LIST
        }
        Value::List(list) if list.iter().all(|item| matches!(item, Value::Float(_))) => FLOAT_LIST,
        _ => NONE,
    }
}

fn most_frequent(values: &[Value]) -> u8 {
    let mut counts = [0usize; FLOAT_LIST as usize + 1];
    for value in values {
        counts[kind_of(value) as usize] += 1;
    }
    counts[NONE as usize] = 0;
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().position(|&count| count == most).unwrap_or(0) as u8
}

fn exceptions(
    values: &[Value],
    of_kind: &[Option<&Value>],
) -> Result<Vec<(u16, Vec<u8>)>, ValueError> {
    let mut exceptions = Vec::new();
    for (slot, (value, of_kind)) in (0..).zip(values.iter().zip(of_kind)) {
        if of_kind.is_none() && !value.is_null() {
            let mut bytes = Vec::new();
            codec::encode(value, &NoTextCodes, &mut bytes)?;
            exceptions.push((slot, bytes));
        }
    }
    Ok(exceptions)
}

fn put_bits(bits: impl Iterator<Item = bool>, bytes: &mut Vec<u8>) {
    let mut words: Vec<u64> = Vec::new();
    for (slot, bit) in bits.enumerate() {
        if slot % 64 == 0 {
            words.push(0);
        }
        words[slot / 64] |= u64::from(bit) << (slot % 64);
    }
    words
        .iter()
        .for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

#[derive(Default)]
struct Zone {
    least: [u8; PREFIX],
    most: [u8; PREFIX],
    has_nan: bool,
}

impl Zone {
    fn set(&mut self, least: i64, most: i64) {
        self.least[..8].copy_from_slice(&least.to_le_bytes());
        self.most[..8].copy_from_slice(&most.to_le_bytes());
    }

    fn set_floats(&mut self, floats: impl Iterator<Item = f64> + Clone) {
        self.has_nan = floats.clone().any(f64::is_nan);
        let (least, most) = (
            floats.clone().fold(f64::INFINITY, f64::min),
            floats.fold(f64::NEG_INFINITY, f64::max),
        );
        self.set(least.to_bits() as i64, most.to_bits() as i64);
    }
}

/// Types that are an integer a value, or two.
fn put_integers(kind: u8, values: &[Option<&Value>], zone: &mut Zone, bytes: &mut Vec<u8>) {
    let integer = |value: &Value| match value {
        Value::Integer(number) => *number,
        Value::Float(number) => number.to_bits() as i64,
        Value::Date(date) => date.days(),
        Value::LocalDateTime(moment) => moment.seconds(),
        _ => 0,
    };
    put_numbers(kind, &filled(values, integer), zone, bytes);
    if kind == LOCAL_DATE_TIME {
        let nanoseconds = |value: &Value| match value {
            Value::LocalDateTime(moment) => moment.nanoseconds().into(),
            _ => 0,
        };
        numbers::encode(&filled(values, nanoseconds), bytes);
    }
}

/// Integers, days, seconds or bits of floats. Slots without a value repeat one.
fn put_numbers(kind: u8, numbers: &[i64], zone: &mut Zone, bytes: &mut Vec<u8>) {
    let (least, most) = numbers::encode(numbers, bytes);
    match kind {
        FLOAT => zone.set_floats(numbers.iter().map(|bits| f64::from_bits(*bits as u64))),
        _ => zone.set(least, most),
    }
}

/// An integer of each value; slots without one have that of the first, so that they take
/// no wider differences.
fn filled(values: &[Option<&Value>], integer: impl Fn(&Value) -> i64) -> Vec<i64> {
    let first = values.iter().flatten().next();
    let fill = first.map_or(0, |value| integer(value));
    let integers = values.iter().map(|value| value.map_or(fill, &integer));
    integers.collect()
}

/// Texts by sorted codes where that is smaller, else one behind another. Gives the type.
fn put_texts(values: &[Option<&Value>], zone: &mut Zone, bytes: &mut Vec<u8>) -> u8 {
    let texts: Vec<Option<&str>> = values
        .iter()
        .map(|value| value.and_then(Value::as_text))
        .collect();
    let mut codes: BTreeMap<&str, i64> = texts.iter().flatten().map(|text| (*text, 0)).collect();
    (0..)
        .zip(codes.values_mut())
        .for_each(|(n, code)| *code = n);
    for (text, into) in [
        (codes.first_key_value(), &mut zone.least),
        (codes.last_key_value(), &mut zone.most),
    ] {
        let text = text.map_or(&[][..], |entry| entry.0.as_bytes());
        let len = text.len().min(PREFIX);
        into[..len].copy_from_slice(&text[..len]);
    }
    let mut plain = Vec::new();
    let all = texts.iter().map(|text| text.unwrap_or_default());
    encode_ends(all.clone().map(str::len), &mut plain);
    all.for_each(|text| plain.extend_from_slice(text.as_bytes()));
    let mut coded = Vec::new();
    if codes.len() < texts.len() {
        let code = |text: &Option<&str>| text.map_or(0, |text| codes[text]);
        numbers::encode(&texts.iter().map(code).collect::<Vec<_>>(), &mut coded);
        coded.extend_from_slice(&(codes.len() as u32).to_le_bytes());
        encode_ends(codes.keys().map(|text| text.len()), &mut coded);
        codes
            .keys()
            .for_each(|text| coded.extend_from_slice(text.as_bytes()));
    }
    match !coded.is_empty() && coded.len() < plain.len() {
        true => {
            bytes.append(&mut coded);
            CODES
        }
        false => {
            bytes.append(&mut plain);
            TEXT
        }
    }
}

fn put_lists(values: &[Option<&Value>], bytes: &mut Vec<u8>) {
    let items = |value: &Option<&Value>| match value {
        Some(Value::List(list)) => list.to_vec(),
        _ => Vec::new(),
    };
    let lists: Vec<Vec<Value>> = values.iter().map(items).collect();
    encode_ends(lists.iter().map(Vec::len), bytes);
    let numbers = lists.iter().flatten().map(|item| match item {
        Value::Integer(number) => *number,
        Value::Float(number) => number.to_bits() as i64,
        _ => 0,
    });
    numbers::encode_counted(&numbers.collect::<Vec<_>>(), bytes);
}
