//! Tests of properties on columns in place.
//!
//! Whole columns pass or fail by their least and greatest value where that tells. Else
//! numbers are compared side by side, 64 slots a word, and texts with codes once a text.

use evergraph_storage::{StorageError, failpoint};

use crate::column::{Column, Integers, Range, Typed};
use crate::expression::{Comparison, compared};
use crate::record::ColumnAt;
use crate::value::{Date, LocalDateTime, Value};

use super::filter::{Test, retain};

/// Clears the bits of slots that do not pass a test. Of slots without a record, and those
/// that are cleared already, nothing is said.
///
/// # Errors
/// Damage of a large value.
pub(super) fn refine(
    test: &Test,
    column: &ColumnAt,
    selected: &mut [u64],
) -> Result<(), StorageError> {
    /// So few slots are looked at one by one.
    const FEW: u32 = 8;
    let count: u32 = selected.iter().map(|word| word.count_ones()).sum();
    if count <= FEW {
        return retain(selected, |slot| holds(test, column, slot));
    }
    let null_passes = test.holds(&Value::Null);
    let (base, in_base) = column.base();
    let of_base = match base {
        Some(base) => passing(test, &base),
        None => Passing::None,
    };
    let patch = column.patch();
    let large = column.large();
    for (number, word) in selected.iter_mut().enumerate() {
        let in_base = in_base.map_or(u64::MAX, |words| words[number]);
        let patched = patch.map_or(0, |(_, slots)| slots[number]);
        let of_null = if null_passes { !in_base } else { 0 };
        let large = large.map_or(0, |slots| slots[number]);
        *word &= in_base & of_base.word(number) | of_null | patched | large;
    }
    if let Some((values, slots)) = patch {
        drop_patched(&passing(test, &values), slots, selected);
    }
    match large {
        Some(slots) => retain(selected, |slot| {
            let is_large = slots[slot as usize / 64] >> (slot % 64) & 1 == 1;
            Ok(!is_large || holds(test, column, slot)?)
        }),
        None => Ok(()),
    }
}

/// Whether the value of a slot passes. A large one is not read for whether there is one.
fn holds(test: &Test, column: &ColumnAt, slot: u32) -> Result<bool, StorageError> {
    let is_large = |slots: &[u64]| slots[slot as usize / 64] >> (slot % 64) & 1 == 1;
    match (test, column.large().is_some_and(is_large)) {
        (Test::IsNull, true) => Ok(false),
        (Test::IsNotNull, true) => Ok(true),
        _ => Ok(test.holds(&column.get(slot as usize)?)),
    }
}

/// Clears the bits of slots of a patch whose value does not pass.
fn drop_patched(passing: &Passing, slots: &[u64], selected: &mut [u64]) {
    if matches!(passing, Passing::All) {
        return;
    }
    let mut rank = 0;
    for (word, slots) in selected.iter_mut().zip(slots) {
        let mut left = *slots;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            if !passing.has(rank) {
                *word &= !bit;
            }
            rank += 1;
            left ^= bit;
        }
    }
}

/// Slots whose value passes; of slots without a value, anything.
enum Passing {
    None,
    All,
    /// A bit a slot, the lowest first.
    Some(Vec<u64>),
}

impl Passing {
    fn of(all: bool) -> Self {
        match all {
            true => Passing::All,
            false => Passing::None,
        }
    }

    #[inline]
    fn word(&self, number: usize) -> u64 {
        match self {
            Passing::None => 0,
            Passing::All => u64::MAX,
            Passing::Some(words) => words[number],
        }
    }

    #[inline]
    fn has(&self, slot: usize) -> bool {
        self.word(slot / 64) >> (slot % 64) & 1 == 1
    }
}

/// Which slots of a column pass; exceptions, too.
fn passing(test: &Test, column: &Column<'_>) -> Passing {
    let of_type = passing_of_type(test, column);
    if !column.has_exceptions() {
        return of_type;
    }
    let words = 0..column.slots().div_ceil(64);
    let mut bits: Vec<u64> = words.map(|number| of_type.word(number)).collect();
    for (slot, value) in column.exceptions() {
        let mask = 1 << (slot % 64);
        match test.holds(&value) {
            true => bits[slot / 64] |= mask,
            false => bits[slot / 64] &= !mask,
        }
    }
    Passing::Some(bits)
}

/// As [`passing`], of values of the column's type.
fn passing_of_type(test: &Test, column: &Column<'_>) -> Passing {
    match test {
        Test::IsNull => return Passing::None,
        Test::IsNotNull => return Passing::All,
        _ => {}
    }
    if let Some(known) = column.range().and_then(|range| by_range(test, range)) {
        return known;
    }
    let slots = column.slots();
    let mut bits = vec![0; slots.div_ceil(64)];
    match column.typed() {
        Typed::None => return Passing::None,
        Typed::Booleans(values) => {
            let of = [false, true].map(|value| test.holds(&Value::Boolean(value)));
            let of = of.map(|holds| if holds { u64::MAX } else { 0 });
            for (word, bits) in values.as_chunks::<8>().0.iter().zip(&mut bits) {
                let word = u64::from_le_bytes(*word);
                *bits = word & of[1] | !word & of[0];
            }
        }
        Typed::Integers(integers) => of_integers(test, &integers, slots, &mut bits),
        Typed::Floats(floats) => of_floats(test, &floats, slots, &mut bits),
        Typed::Dates(days) => of_dates(test, &days, slots, &mut bits),
        Typed::LocalDateTimes(seconds, nanoseconds) => {
            let known = Moments::of(test);
            mark(&mut bits, slots, |slot| {
                let (second, nanosecond) = (seconds.get(slot), nanoseconds.get(slot));
                known.holds(test, second, nanosecond)
            });
        }
        Typed::Codes(codes, texts) => {
            let holds: Vec<bool> = texts.iter().map(|text| test.holds_text(text)).collect();
            of_codes(&holds, &codes, slots, &mut bits);
        }
        Typed::Texts(texts) => mark(&mut bits, slots, |slot| test.holds_text(texts.get(slot))),
        Typed::Lists => mark(&mut bits, slots, |slot| test.holds(&column.get(slot))),
    }
    Passing::Some(bits)
}

fn mark(bits: &mut [u64], slots: usize, holds: impl Fn(usize) -> bool) {
    for (number, word) in bits.iter_mut().enumerate() {
        let in_word = 64 * number..(64 * number + 64).min(slots);
        *word = in_word
            .rev()
            .fold(0, |word, slot| word << 1 | u64::from(holds(slot)));
    }
}

/// Values that pass, if they are those from one to another, or all others.
struct Span {
    least: i64,
    most: i64,
    is_inside: bool,
}

impl Span {
    fn of(comparison: Comparison, value: i64) -> Self {
        let (least, most) = match comparison {
            Comparison::Equal | Comparison::Unequal => (value, value),
            // Of the least and the greatest integer, an empty one.
            Comparison::Less => match value.checked_sub(1) {
                Some(most) => (i64::MIN, most),
                None => (1, 0),
            },
            Comparison::LessOrEqual => (i64::MIN, value),
            Comparison::Greater => match value.checked_add(1) {
                Some(least) => (least, i64::MAX),
                None => (1, 0),
            },
            Comparison::GreaterOrEqual => (value, i64::MAX),
        };
        Span {
            least,
            most,
            is_inside: comparison != Comparison::Unequal,
        }
    }

    fn mark(&self, integers: &Integers<'_>, slots: usize, bits: &mut [u64]) {
        integers.between(self.least, self.most, slots, bits);
        if !self.is_inside {
            bits.iter_mut().for_each(|word| *word = !*word);
        }
    }
}

fn of_integers(test: &Test, integers: &Integers<'_>, slots: usize, bits: &mut [u64]) {
    match test {
        Test::Compares(comparison, Value::Integer(value)) => {
            Span::of(*comparison, *value).mark(integers, slots, bits);
        }
        Test::In(list) if !list.iter().any(|value| matches!(value, Value::Float(_))) => {
            let wanted = sorted(list.iter().filter_map(Value::as_integer));
            integers.passing(slots, bits, |value| wanted.binary_search(&value).is_ok());
        }
        _ => integers.passing(slots, bits, |value| test.holds(&Value::Integer(value))),
    }
}

fn of_dates(test: &Test, days: &Integers<'_>, slots: usize, bits: &mut [u64]) {
    match test {
        Test::Compares(comparison, Value::Date(date)) => {
            Span::of(*comparison, date.days()).mark(days, slots, bits);
        }
        Test::In(list) => {
            let date = |value: &Value| match value {
                Value::Date(date) => Some(date.days()),
                _ => None,
            };
            let wanted = sorted(list.iter().filter_map(date));
            days.passing(slots, bits, |value| wanted.binary_search(&value).is_ok());
        }
        _ => days.passing(slots, bits, |value| {
            test.holds(&Value::Date(Date::from_days(value).unwrap_or_default()))
        }),
    }
}

fn sorted(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable();
    values
}

fn of_floats(test: &Test, floats: &Integers<'_>, slots: usize, bits: &mut [u64]) {
    /// Integers up to here are floats.
    const EXACT: i64 = 1 << 53;
    let limit = match test {
        Test::Compares(comparison, Value::Float(value)) => Some((*comparison, *value)),
        Test::Compares(comparison, Value::Integer(value)) if value.abs_diff(0) <= EXACT as u64 => {
            Some((*comparison, *value as f64))
        }
        _ => None,
    };
    let float = |bits: i64| f64::from_bits(bits as u64);
    // NaN is neither less nor greater, and unequal to all.
    match limit {
        Some((Comparison::Equal, limit)) => floats.passing(slots, bits, |n| float(n) == limit),
        Some((Comparison::Unequal, limit)) => floats.passing(slots, bits, |n| float(n) != limit),
        Some((Comparison::Less, limit)) => floats.passing(slots, bits, |n| float(n) < limit),
        Some((Comparison::LessOrEqual, limit)) => {
            floats.passing(slots, bits, |n| float(n) <= limit);
        }
        Some((Comparison::Greater, limit)) => floats.passing(slots, bits, |n| float(n) > limit),
        Some((Comparison::GreaterOrEqual, limit)) => {
            floats.passing(slots, bits, |n| float(n) >= limit);
        }
        None => floats.passing(slots, bits, |n| test.holds(&Value::Float(float(n)))),
    }
}

/// What local date-times are compared with, if it is one.
struct Moments(Option<(Comparison, (i64, i64))>);

impl Moments {
    fn of(test: &Test) -> Self {
        Moments(match test {
            Test::Compares(comparison, Value::LocalDateTime(moment)) => {
                Some((*comparison, (moment.seconds(), moment.nanoseconds().into())))
            }
            _ => None,
        })
    }

    #[inline]
    fn holds(&self, test: &Test, seconds: i64, nanoseconds: i64) -> bool {
        let value = (seconds, nanoseconds);
        match self.0 {
            Some((Comparison::Equal, other)) => value == other,
            Some((Comparison::Unequal, other)) => value != other,
            Some((Comparison::Less, other)) => value < other,
            Some((Comparison::LessOrEqual, other)) => value <= other,
            Some((Comparison::Greater, other)) => value > other,
            Some((Comparison::GreaterOrEqual, other)) => value >= other,
            None => {
                let moment = LocalDateTime::from_seconds(seconds, nanoseconds as u32);
                test.holds(&Value::LocalDateTime(moment.unwrap_or_default()))
            }
        }
    }
}

/// Slots by their codes: `holds` says which of them pass.
fn of_codes(holds: &[bool], codes: &Integers<'_>, slots: usize, bits: &mut [u64]) {
    let Some(first) = holds.iter().position(|holds| *holds) else {
        return;
    };
    let last = holds.iter().rposition(|holds| *holds).unwrap_or(first);
    // The texts are sorted: most tests hold for some that follow one another.
    match holds[first..=last].iter().all(|holds| *holds) {
        true => codes.between(first as i64, last as i64, slots, bits),
        false => codes.passing(slots, bits, |code| holds[code as usize]),
    }
}

/// What the least and the greatest value of a column tell of a test, if they do.
fn by_range(test: &Test, range: Range) -> Option<Passing> {
    let (least, most) = match range {
        Range::Integers(least, most) => (Value::Integer(least), Value::Integer(most)),
        Range::Dates(least, most) => (
            Value::Date(Date::from_days(least).ok()?),
            Value::Date(Date::from_days(most).ok()?),
        ),
        Range::Floats(least, most, _) => (Value::Float(least), Value::Float(most)),
        Range::LocalDateTimes(least, most) => (
            Value::LocalDateTime(LocalDateTime::from_seconds(least, 0).ok()?),
            Value::LocalDateTime(LocalDateTime::from_seconds(most, 999_999_999).ok()?),
        ),
        Range::Texts(least, most) => return none_of_texts(test, &least, &most),
    };
    let has_nan = matches!(range, Range::Floats(_, _, true));
    match test {
        Test::Compares(Comparison::Less | Comparison::LessOrEqual, _) => {
            match (test.holds(&least), test.holds(&most)) {
                (false, _) => Some(Passing::None),
                (true, true) if !has_nan => Some(Passing::All),
                _ => None,
            }
        }
        Test::Compares(Comparison::Greater | Comparison::GreaterOrEqual, _) => {
            match (test.holds(&least), test.holds(&most)) {
                (_, false) => Some(Passing::None),
                (true, true) if !has_nan => Some(Passing::All),
                _ => None,
            }
        }
        Test::Compares(Comparison::Equal, value) => {
            (!may_be_in(value, &least, &most)).then_some(Passing::None)
        }
        Test::Compares(Comparison::Unequal, value) if value.is_null() => Some(Passing::None),
        Test::Compares(Comparison::Unequal, value) => {
            (!may_be_in(value, &least, &most)).then_some(Passing::All)
        }
        Test::In(list) => {
            let any = list.iter().any(|value| may_be_in(value, &least, &most));
            (!any).then_some(Passing::None)
        }
        // It is of texts.
        Test::StartsWith(_) => Some(Passing::None),
        Test::IsNull | Test::IsNotNull => None,
    }
}

/// Whether a value may equal one between these.
/// How a value compares to the greatest one of a column if it may be in it.
fn most_is_in() -> Comparison {
    match failpoint!("columns.greatest-passed-over") {
        true => Comparison::Less,
        false => Comparison::LessOrEqual,
    }
}

fn may_be_in(value: &Value, least: &Value, most: &Value) -> bool {
    compared(Comparison::GreaterOrEqual, value, least) == Some(true)
        && compared(most_is_in(), value, most) == Some(true)
}

/// Whether no text passes, as far as the first bytes of the least and the greatest tell.
fn none_of_texts(test: &Test, least: &[u8; 16], most: &[u8; 16]) -> Option<Passing> {
    let prefix = |text: &str, fill: u8| {
        let mut prefix = [fill; 16];
        let len = text.len().min(16);
        prefix[..len].copy_from_slice(&text.as_bytes()[..len]);
        prefix
    };
    let may_be_in = |text: &str| {
        let prefix = prefix(text, 0);
        *least <= prefix && prefix <= *most
    };
    let may_pass = match test {
        Test::Compares(comparison, Value::Text(text)) => match comparison {
            Comparison::Equal => may_be_in(text),
            Comparison::Less | Comparison::LessOrEqual => *least <= prefix(text, 0),
            Comparison::Greater | Comparison::GreaterOrEqual => prefix(text, 0) <= *most,
            Comparison::Unequal => true,
        },
        Test::Compares(..) => return Some(Passing::of(test.holds_text(""))),
        Test::StartsWith(start) => *least <= prefix(start, u8::MAX) && prefix(start, 0) <= *most,
        Test::In(list) => {
            let texts = list.iter().filter_map(Value::as_text);
            texts.into_iter().any(may_be_in)
        }
        Test::IsNull | Test::IsNotNull => return None,
    };
    (!may_pass).then_some(Passing::None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::record::columns_at;
    use crate::value::tests::values as any_value;

    const COMPARISONS: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];

    /// Values that tests ask for: some of the column, some near, some of any type.
    fn wanted(of: &[Value], picks: &[Index], other: Value) -> Vec<Value> {
        let mut wanted = vec![Value::Null, other, Value::from(f64::NAN)];
        for value in picks.iter().map(|pick| pick.get(of)) {
            wanted.push(value.clone());
            match value {
                Value::Integer(n) => {
                    wanted.push(Value::from(n.saturating_add(1)));
                    wanted.push(Value::from(*n as f64 + 0.5));
                }
                Value::Float(n) => {
                    wanted.push(Value::from(n + 0.5));
                    wanted.push(Value::from(*n as i64));
                }
                Value::Text(text) => {
                    wanted.push(Value::from(format!("{text}a")));
                    let start: String = text.chars().take(2).collect();
                    wanted.push(Value::from(start));
                }
                Value::LocalDateTime(moment) => {
                    let next = LocalDateTime::from_seconds(moment.seconds(), 1);
                    wanted.push(Value::LocalDateTime(next.unwrap()));
                }
                _ => {}
            }
        }
        wanted
    }

    fn tests_of(wanted: &[Value]) -> Vec<Test> {
        let mut tests = vec![Test::IsNull, Test::IsNotNull, Test::In(wanted.to_vec())];
        for (at, value) in wanted.iter().enumerate() {
            let compares = |comparison: &Comparison| Test::Compares(*comparison, value.clone());
            tests.extend(COMPARISONS.iter().map(compares));
            tests.push(Test::In(wanted[at..].iter().step_by(2).cloned().collect()));
            tests.extend(value.as_text().map(|text| Test::StartsWith(text.into())));
        }
        tests
    }

    proptest! {
        #[test]
        fn tests_on_columns_are_those_of_values(
            (column, values) in columns_at(),
            picks in prop::collection::vec(any::<Index>(), 4),
            other in any_value(),
            of in prop_oneof![Just(1usize), Just(2), Just(30)],
        ) {
            for test in tests_of(&wanted(&values, &picks, other)) {
                let mut selected = vec![0u64; values.len().div_ceil(64)];
                for slot in (0..values.len()).step_by(of) {
                    selected[slot / 64] |= 1 << (slot % 64);
                }
                let before = selected.clone();
                refine(&test, &column, &mut selected).unwrap();
                for (slot, value) in values.iter().enumerate() {
                    let bit = |words: &[u64]| words[slot / 64] >> (slot % 64) & 1 == 1;
                    let expected = bit(&before) && test.holds(value);
                    prop_assert_eq!(bit(&selected), expected, "{:?} of {:?}", test, value);
                }
            }
        }
    }
}
