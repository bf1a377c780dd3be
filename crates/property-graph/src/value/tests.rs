//! Values against independent statements of their behaviour.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;

use super::codec::{MOST_DEPTH, NoTextCodes, decode, encode};
use super::*;

/// Values of all types, some of which are near each other.
pub(crate) fn values() -> impl Strategy<Value = Value> {
    let integers = prop_oneof![
        any::<i64>(),
        -3i64..3,
        (0u32..64, any::<bool>()).prop_map(|(shift, negative)| {
            let power = (1i64 << (shift % 63)).wrapping_add(1);
            if negative { -power } else { power }
        }),
    ];
    let floats = prop_oneof![
        any::<f64>(),
        (-3i64..3).prop_map(|n| n as f64),
        (-6i64..6).prop_map(|n| n as f64 / 2.0),
        integers.clone().prop_map(|n| n as f64),
        prop::sample::select(vec![f64::NAN, -f64::NAN, -0.0, f64::INFINITY]),
    ];
    let texts = prop_oneof![Just(String::new()), "[ab'\\\\\n]{0,3}", ".{0,6}"];
    let date_times = (
        -4_000i64..4_000,
        0u32..3,
        -3i32..3,
        prop::option::of(prop::sample::select(vec!["Asia/Tokyo", "Europe/Rome"])),
    );
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        integers.prop_map(Value::from),
        floats.prop_map(Value::from),
        texts.prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(|bytes| Value::from(&bytes[..])),
        (-800_000i32..800_000).prop_map(|days| Date::from_days(days).unwrap().into()),
        (0u64..5, -3i32..3).prop_map(|(hour, offset)| {
            let local = LocalTime::from_nanoseconds(hour * 3_600_000_000_001).unwrap();
            Time::new(local, offset * 3600).unwrap().into()
        }),
        (0u64..86_400_000_000_000).prop_map(|n| LocalTime::from_nanoseconds(n).unwrap().into()),
        date_times.prop_map(|(hours, nanoseconds, offset, zone)| {
            let moment = DateTime::from_seconds(hours * 3600, nanoseconds, offset * 3600).unwrap();
            Value::from(match zone {
                Some(zone) => moment.in_zone(zone).unwrap(),
                None => moment,
            })
        }),
        (any::<i32>(), 0u32..3).prop_map(|(seconds, nanoseconds)| {
            let moment = LocalDateTime::from_seconds(seconds.into(), nanoseconds);
            moment.unwrap().into()
        }),
        (-2i64..2, -40i64..40, any::<i32>(), 0u32..1_000_000_000)
            .prop_map(|(m, d, s, n)| { Duration::new(m, d, s.into(), n).unwrap().into() }),
        (any::<bool>(), -2i32..2, -2i32..2).prop_map(|(geographic, x, y)| {
            let system = match geographic {
                true => CoordinateSystem::Wgs84,
                false => CoordinateSystem::Cartesian,
            };
            Point::new(system, &[x.into(), y.into()]).unwrap().into()
        }),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[ab` ]{0,2}", inner, 0..3).prop_map(Value::from),
        ]
    })
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(value, &NoTextCodes, &mut bytes).unwrap();
    bytes
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The order of numbers, by exact fractions: numerator over 2^1100.
fn slow_order(a: &Value, b: &Value) -> Option<Ordering> {
    /// A finite number as sign, whole 64-bit mantissa and power of two.
    fn parts(value: &Value) -> Option<(i128, i32)> {
        match value {
            Value::Integer(number) => Some((i128::from(*number), 0)),
            Value::Float(number) if number.is_finite() => {
                let bits = number.to_bits();
                let exponent = (bits >> 52 & 0x7FF) as i32;
                let fraction = (bits & ((1 << 52) - 1)) as i128;
                let (mantissa, exponent) = match exponent {
                    0 => (fraction, -1074),
                    _ => (fraction | 1 << 52, exponent - 1075),
                };
                Some((if *number < 0.0 { -mantissa } else { mantissa }, exponent))
            }
            _ => None,
        }
    }
    let ((a, a_power), (b, b_power)) = (parts(a)?, parts(b)?);
    if a == 0 || b == 0 || a.signum() != b.signum() {
        return Some(a.signum().cmp(&b.signum()));
    }
    // Compare magnitudes: by their highest bit, then shifted to the same power.
    let top = |m: i128, power: i32| 128 - m.unsigned_abs().leading_zeros() as i32 + power;
    let by_top = top(a, a_power).cmp(&top(b, b_power));
    let by_bits = || {
        let low = a_power.min(b_power);
        (a.unsigned_abs() << (a_power - low)).cmp(&(b.unsigned_abs() << (b_power - low)))
    };
    let magnitude = by_top.then_with(by_bits);
    Some(if a < 0 {
        magnitude.reverse()
    } else {
        magnitude
    })
}

/// Codes for texts of one letter.
struct Abbreviations;

impl codec::TextCodes for Abbreviations {
    fn code(&self, text: &str) -> Option<u32> {
        let mut letters = text.chars();
        let first = letters.next().map(u32::from);
        first.filter(|_| letters.next().is_none())
    }

    fn text(&self, code: u32) -> Option<std::sync::Arc<str>> {
        char::from_u32(code).map(|letter| letter.to_string().into())
    }
}

proptest! {
    #[test]
    fn stored_values_are_read_back(value in values()) {
        let bytes = encoded(&value);
        let read = decode(&bytes, &NoTextCodes).unwrap();
        prop_assert_eq!(encoded(&read), bytes.clone());
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(read.type_name(), value.type_name());
        // The text of a temporal value is read back.
        if let Some(text) = value.temporal_text() {
            let again: Value = match value {
                Value::Date(_) => text.parse::<Date>().unwrap().into(),
                Value::Time(_) => text.parse::<Time>().unwrap().into(),
                Value::LocalTime(_) => text.parse::<LocalTime>().unwrap().into(),
                Value::DateTime(_) => text.parse::<DateTime>().unwrap().into(),
                Value::LocalDateTime(_) => text.parse::<LocalDateTime>().unwrap().into(),
                _ => text.parse::<Duration>().unwrap().into(),
            };
            prop_assert_eq!(&again, &value, "{}", text);
        }
        let mut reader = crate::bytes::Reader::new(&bytes);
        codec::skip(&mut reader).unwrap();
        prop_assert!(reader.is_empty());
        for len in 0..bytes.len() {
            prop_assert!(decode(&bytes[..len], &NoTextCodes).is_err());
        }
    }

    #[test]
    fn coded_properties_are_the_same_and_shorter(
        entries in prop::collection::vec((0..40u32, values()), 0..6),
    ) {
        let properties = Properties::from_iter(entries);
        let (mut plain, mut coded) = (Vec::new(), Vec::new());
        properties.encode(&mut plain).unwrap();
        properties.encode_with(&Abbreviations, &mut coded).unwrap();
        let read = Properties::decode_with(&Abbreviations, &coded).unwrap();
        prop_assert_eq!(&read, &properties);
        prop_assert!(coded.len() <= plain.len());
    }

    #[test]
    fn other_bytes_are_an_error_or_a_value(
        value in values(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        noise in prop::collection::vec(any::<u8>(), 0..30),
    ) {
        let mut bytes = encoded(&value);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        for bytes in [bytes, noise] {
            if let Ok(value) = decode(&bytes, &NoTextCodes) {
                let _ = encoded(&value);
            }
            let _ = codec::skip(&mut crate::bytes::Reader::new(&bytes));
            let _ = Properties::decode(&bytes);
            let _ = Properties::find(&bytes, 3, &NoTextCodes);
        }
    }

    #[test]
    fn the_order_is_total(a in values(), b in values(), c in values()) {
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a.cmp(&a), Ordering::Equal);
        if a.cmp(&b) == b.cmp(&c) {
            prop_assert_eq!(a.cmp(&c), a.cmp(&b));
        }
        if a == b {
            prop_assert_eq!(hash(&a), hash(&b));
            prop_assert_eq!(a.cmp(&c), b.cmp(&c));
        }
        if let Some(order) = slow_order(&a, &b) {
            prop_assert_eq!(a.cmp(&b), order, "{} and {}", a, b);
            prop_assert_eq!(a.compares(&b), Some(order));
        }
        if let Some(order) = a.compares(&b) {
            prop_assert_eq!(a.cmp(&b), order);
        }
        if a.equals(&b) == Some(true) {
            prop_assert_eq!(&a, &b);
        }
    }

    #[test]
    fn numbers_near_each_other_are_in_order(number in any::<i64>(), step in -2i64..=2) {
        let (integer, float) = (Value::from(number), Value::from(number as f64));
        let near = Value::from(number.saturating_add(step));
        for value in [&integer, &near] {
            prop_assert_eq!(value.cmp(&float), slow_order(value, &float).unwrap());
        }
    }

    #[test]
    fn moments_are_read_from_their_text(value in values()) {
        let text = value.to_string();
        let inner = text.split('\'').nth(1).unwrap_or_default();
        match value {
            Value::Date(date) => prop_assert_eq!(inner.parse(), Ok(date)),
            Value::Time(time) => prop_assert_eq!(inner.parse(), Ok(time)),
            Value::LocalTime(time) => prop_assert_eq!(inner.parse(), Ok(time)),
            Value::DateTime(moment) => prop_assert_eq!(inner.parse(), Ok(moment)),
            Value::LocalDateTime(moment) => prop_assert_eq!(inner.parse(), Ok(moment)),
            Value::Duration(duration) => prop_assert_eq!(inner.parse(), Ok(duration)),
            _ => {}
        }
    }

    #[test]
    fn properties_are_a_map(
        steps in prop::collection::vec((0u32..6, values()), 0..12),
        wanted in 0u32..6,
    ) {
        let mut model = BTreeMap::new();
        let mut properties = Properties::new();
        for (key, value) in &steps {
            let before = match value {
                Value::Null => model.remove(key),
                value => model.insert(*key, value.clone()),
            };
            prop_assert_eq!(properties.set(*key, value.clone()), before);
        }
        let pairs: Vec<_> = properties.iter().map(|(key, value)| (key, value.clone())).collect();
        prop_assert_eq!(&pairs, &model.clone().into_iter().collect::<Vec<_>>());
        prop_assert_eq!(&pairs.into_iter().collect::<Properties>(), &properties);
        let mut bytes = Vec::new();
        properties.encode(&mut bytes).unwrap();
        prop_assert_eq!(&Properties::decode(&bytes).unwrap(), &properties);
        let found = Properties::find(&bytes, wanted, &NoTextCodes).unwrap();
        prop_assert_eq!(found.as_ref(), model.get(&wanted));
        prop_assert_eq!(properties.get(wanted), model.get(&wanted));
        bytes.push(0);
        prop_assert!(Properties::decode(&bytes).is_err());
    }
}

#[test]
fn types_are_in_the_order_of_cypher() {
    let local = LocalTime::new(1, 2, 3, 4).unwrap();
    let date = Date::new(2016, 2, 29).unwrap();
    let ascending = [
        Value::from(BTreeMap::from([("a", 1)])),
        Value::from(vec![1]),
        Value::from(&b"a"[..]),
        Point::new(CoordinateSystem::Cartesian, &[1.0, 2.0])
            .unwrap()
            .into(),
        DateTime::from_seconds(0, 0, 0).unwrap().into(),
        LocalDateTime::of(date, local).into(),
        date.into(),
        Time::new(local, 0).unwrap().into(),
        local.into(),
        Duration::new(1, 0, 0, 0).unwrap().into(),
        Value::from(""),
        Value::from("a"),
        Value::from(false),
        Value::from(true),
        Value::from(f64::NEG_INFINITY),
        Value::from(i64::MIN),
        Value::from(0.5),
        Value::from(1),
        Value::from(f64::INFINITY),
        Value::from(f64::NAN),
        Value::Null,
    ];
    assert!(ascending.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn equality_knows_what_nobody_knows() {
    let nan = Value::from(f64::NAN);
    assert_eq!(nan.equals(&nan), Some(false));
    assert_eq!(nan, nan);
    assert_eq!(Value::Null.equals(&Value::Null), None);
    assert_eq!(Value::from(0.0), Value::from(-0.0));
    assert_eq!(Value::from(1).equals(&Value::from(1.0)), Some(true));
    assert_eq!(
        Value::from(i64::MAX).equals(&Value::from(i64::MAX as f64)),
        Some(false)
    );
    assert_eq!(Value::from(1).equals(&Value::from("1")), Some(false));
    let with_null = Value::from(vec![Some(1), None]);
    assert_eq!(with_null.equals(&with_null), None);
    assert_eq!(with_null.equals(&Value::from(vec![2, 3])), Some(false));
    assert_eq!(Value::from("a").compares(&Value::from(1)), None);
    assert_eq!(nan.compares(&Value::from(1)), None);
}

#[test]
fn unknown_time_zones_are_refused() {
    let moment = DateTime::from_seconds(0, 0, 0).unwrap();
    for zone in ["Europe/Roma", "Z", "", "../Europe/Rome", "+01:00"] {
        let refused = moment.clone().in_zone(zone).unwrap_err().to_string();
        assert!(refused.contains("time zones"), "{refused}");
        for offset in ["", "+01:00"] {
            let text = format!("2020-01-01T00:00{offset}[{zone}]");
            let refused = text.parse::<DateTime>().unwrap_err().to_string();
            assert!(refused.contains("time zone"), "{refused}");
        }
        if !zone.is_empty() {
            // A zone that an earlier program stored can be read.
            let stored = Value::from(moment.clone().in_stored_zone(zone));
            assert_eq!(decode(&encoded(&stored), &NoTextCodes).unwrap(), stored);
        }
    }
    let rome: DateTime = "2020-01-01T00:00+01:00[Europe/Rome]".parse().unwrap();
    assert_eq!(rome.zone(), Some("Europe/Rome"));
    // The offset is that of the zone, also in summer.
    let summer: DateTime = "2020-07-01T00:00[Europe/Rome]".parse().unwrap();
    assert_eq!(
        (summer.offset(), summer.zone()),
        (7200, Some("Europe/Rome"))
    );
    assert_eq!(
        moment.in_zone("Asia/Tokyo").unwrap().zone(),
        Some("Asia/Tokyo")
    );
}

#[test]
fn literals_are_those_of_cypher() {
    let map = BTreeMap::from([("plain", Value::from("it's\n")), ("two words", Value::Null)]);
    let cases = [
        (Value::from(1.0), "1.0"),
        (Value::from(1e300), "1e300"),
        (Value::from(-7), "-7"),
        (Value::from(map), "{plain: 'it\\'s\\n', `two words`: null}"),
        (Value::from(vec![true, false]), "[true, false]"),
        (Date::new(-44, 3, 15).unwrap().into(), "date('-0044-03-15')"),
        (Date::new(2016, 2, 29).unwrap().into(), "date('2016-02-29')"),
        (
            DateTime::from_milliseconds(1_266_161_530_447)
                .unwrap()
                .into(),
            "datetime('2010-02-14T15:32:10.447Z')",
        ),
        (
            Duration::new(14, -3, -1, 500_000_000).unwrap().into(),
            "duration('P14M-3DT-0.5S')",
        ),
        (
            Point::new(CoordinateSystem::Wgs84, &[12.5, 41.9])
                .unwrap()
                .into(),
            "point({srid: 4326, x: 12.5, y: 41.9})",
        ),
    ];
    for (value, literal) in cases {
        assert_eq!(value.to_string(), literal);
    }
}

#[test]
fn what_does_not_exist_is_refused() {
    assert!(Date::new(2015, 2, 29).is_err());
    assert!(Date::from_days(i64::from(i32::MAX) * 200).is_err());
    assert!(LocalTime::new(24, 0, 0, 0).is_err());
    assert!(Time::new(LocalTime::new(1, 0, 0, 0).unwrap(), 20 * 3600).is_err());
    assert!(LocalDateTime::from_seconds(0, 1_000_000_000).is_err());
    assert!(Point::new(CoordinateSystem::Wgs84, &[0.0, 91.0]).is_err());
    assert!(Point::new(CoordinateSystem::Cartesian, &[0.0]).is_err());
    for text in [
        "",
        "P",
        "P1",
        "P1H",
        "PT1D",
        "1D",
        "P2012-02",
        "P2012-13-02",
        "PT1.0000000001S",
    ] {
        assert!(text.parse::<Duration>().is_err(), "{text}");
    }
    let dates = [
        "2015-02-29",
        "15-02-2015",
        "",
        "2015-",
        "2015-7",
        "2015-07-1",
        "201507211",
        "2015-0721",
        "201507-21",
        "2015-W54",
        "2015W30-2",
        "2015-W302",
        "2015-366",
        "20150",
        "+20150101",
        "2015-Q5",
        "2015-W30-8",
        "+1000000000-01-01",
        "2015é1",
        "-2015-13-01",
    ];
    for text in dates {
        assert!(text.parse::<Date>().is_err(), "{text}");
    }
    for text in ["2015-02-28T10:00+1:00", "2015-02-28T10:00[]", "T10:00Z", ""] {
        assert!(text.parse::<DateTime>().is_err(), "{text}");
    }
    let mut deep = Value::from(1);
    for _ in 0..MOST_DEPTH {
        deep = Value::from(vec![deep]);
    }
    assert!(encode(&deep, &NoTextCodes, &mut Vec::new()).is_ok());
    deep = Value::from(vec![deep]);
    assert!(encode(&deep, &NoTextCodes, &mut Vec::new()).is_err());
}

#[test]
fn dates_are_days_of_the_calendar() {
    // 400 years have 146 097 days; counted one by one, independent of any library.
    let leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut days = 0;
    for year in 1970..2110 {
        for month in 1..=12 {
            let long = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            let len = long[month - 1] + i8::from(month == 2 && leap(year));
            for day in 1..=len {
                let date = Date::from_days(days).unwrap();
                assert_eq!(date.parts(), (year, month as i8, day));
                assert_eq!(Date::new(year, month as i8, day), Ok(date));
                days += 1;
            }
        }
    }
}

#[test]
fn days_that_there_are_not_are_told_by_what_is_wrong() {
    for ((month, day), why) in [
        ((13, 1), "month 13 is out of range: 1 to 12"),
        ((0, 1), "month 0 is out of range: 1 to 12"),
        ((2, 30), "day 30 is out of range: 1 to 29 in this month"),
        ((4, 31), "day 31 is out of range: 1 to 30 in this month"),
        ((1, 32), "day 32 is out of range: 1 to 31"),
    ] {
        assert_eq!(Date::new(2020, month, day).unwrap_err().to_string(), why);
    }
}

#[test]
fn days_of_far_years_and_weeks_are_those_of_the_library() {
    use jiff::civil;
    let epoch = civil::Date::constant(1970, 1, 1);
    for days in (-4_371_587..=2_932_896).step_by(97) {
        let date = Date::from_days(days).unwrap();
        let known = epoch.checked_add(jiff::Span::new().days(days)).unwrap();
        let (year, month, day) = date.parts();
        assert_eq!(
            (year, month, day),
            (known.year().into(), known.month(), known.day())
        );
        assert_eq!(Date::new(year, month, day), Ok(date));
        let week = known.iso_week_date();
        let weekday = week.weekday().to_monday_one_offset();
        let (of_year, number, day) = date.week();
        assert_eq!(
            (of_year, number, day),
            (week.year().into(), week.week().into(), weekday.into())
        );
        assert_eq!(Date::of_week(of_year, number, day), Ok(date));
        assert_eq!(date.day_of_year(), i64::from(known.day_of_year()));
        assert_eq!(Date::of_year(year, date.day_of_year()), Ok(date));
        let (quarter, day) = date.quarter();
        assert_eq!(quarter, i64::from((known.month() - 1) / 3 + 1));
        assert_eq!(Date::of_quarter(year, quarter, day), Ok(date));
        let months = jiff::Span::new().months(7);
        if let Ok(later) = known.checked_add(months) {
            let later = (later.year().into(), later.month(), later.day());
            assert_eq!(date.plus_months(7).unwrap().parts(), later);
        }
    }
    for (year, text) in [
        (999_999_999, "+999999999-12-31"),
        (-999_999_999, "-999999999-12-31"),
    ] {
        let date = Date::new(year, 12, 31).unwrap();
        assert_eq!((date.to_string().as_str(), text.parse()), (text, Ok(date)));
        assert_eq!(
            decode(&encoded(&date.into()), &NoTextCodes).unwrap(),
            date.into()
        );
    }
    assert!(Date::new(1_000_000_000, 1, 1).is_err());
}

#[test]
fn zones_shift_clocks() {
    let stockholm = Zone::named("Europe/Stockholm").unwrap();
    let shown = |local: &str| {
        stockholm
            .resolve(local.parse().unwrap())
            .unwrap()
            .to_string()
    };
    assert_eq!(
        shown("2017-07-01T12:00"),
        "2017-07-01T12:00:00+02:00[Europe/Stockholm]"
    );
    // Skipped, and twice there.
    assert_eq!(
        shown("2017-03-26T02:30"),
        "2017-03-26T03:30:00+02:00[Europe/Stockholm]"
    );
    assert_eq!(
        shown("2017-10-29T02:30"),
        "2017-10-29T02:30:00+02:00[Europe/Stockholm]"
    );
    // Far years follow the rules of today, and the oldest.
    assert_eq!(
        shown("+900017-07-01T12"),
        "+900017-07-01T12:00:00+02:00[Europe/Stockholm]"
    );
    assert!(shown("-900017-07-01T12").ends_with("+00:53:28[Europe/Stockholm]"));
    assert!(Zone::read("+19:00").is_err() && Zone::read("12:00+01:00").is_err());
}

#[test]
fn forms_of_iso_8601_are_read() {
    let dates = [
        "20150721",
        "2015-W30-2",
        "2015W302",
        "2015-202",
        "2015202",
        "2015-Q3-21",
        "2015Q321",
        "+2015-07-21",
    ];
    for text in dates {
        assert_eq!(text.parse(), Ok(Date::new(2015, 7, 21).unwrap()), "{text}");
    }
    for text in ["2015", "201501", "2015-Q1", "2015-01"] {
        assert_eq!(text.parse(), Ok(Date::new(2015, 1, 1).unwrap()), "{text}");
    }
    for text in ["P0.75M", "P22DT19H51M49.5S", "P22.82765625D"] {
        let duration = Duration::new(0, 22, 71_509, 500_000_000);
        assert_eq!(text.parse(), duration, "{text}");
    }
    let duration: Duration = "P2012-02-02T14:37:21.545".parse().unwrap();
    let text = Value::from(duration).temporal_text();
    assert_eq!(text.as_deref(), Some("P2012Y2M2DT14H37M21.545S"));
    assert_eq!("P20120202T143721.545".parse(), Ok(duration));
    assert_eq!("P20120202".parse(), "P2012Y2M2D".parse::<Duration>());
    assert_eq!("P+4Y-3M".parse(), Duration::new(45, 0, 0, 0));
    for text in ["P+-4Y", "P20121302", "P2012020"] {
        assert!(text.parse::<Duration>().is_err(), "{text}");
    }
}

#[test]
fn moments_with_offsets_are_read() {
    let moment: DateTime = "2015-06-24T12:50:35.556+01:00".parse().unwrap();
    assert_eq!(moment.milliseconds(), 1_435_146_635_556);
    assert_eq!(moment.offset(), 3600);
    assert_eq!("2015-06-24T12:50:35.556+0100".parse(), Ok(moment));
    let time: Time = "12:50".parse().unwrap();
    assert_eq!((time.offset(), time.local().parts()), (0, (12, 50, 0, 0)));
    let duration: Duration = "-P1Y2M3W4DT5H6M7.5S".parse().unwrap();
    let parts = (
        duration.months(),
        duration.days(),
        duration.seconds(),
        duration.nanoseconds(),
    );
    assert_eq!(parts, (-14, -25, -18_368, 500_000_000));
}

#[test]
fn what_a_type_has_no_place_for_is_refused() {
    for text in [
        "2020-01-01T10:00",
        "2020-01-01 10:00",
        "2020-01-01[Europe/Rome]",
        "2020-01-01Z",
    ] {
        assert!(text.parse::<Date>().is_err(), "{text}");
    }
    for text in [
        "10:00+02:00",
        "10:00Z",
        "2020-01-01T10:00",
        "23:59:60",
        "235960",
        "10:00-01",
    ] {
        assert!(text.parse::<LocalTime>().is_err(), "{text}");
    }
    for text in [
        "2020-01-01T10:00+02:00",
        "2020-01-01T10:00Z",
        "2020-06-30T23:59:60",
    ] {
        assert!(text.parse::<LocalDateTime>().is_err(), "{text}");
    }
    assert!("2020-06-30T23:59:60Z".parse::<DateTime>().is_err());
    assert!("2020-06-30T23:59:59Z".parse::<DateTime>().is_ok());
    assert!("2020-06-30 23:59:59.25".parse::<LocalDateTime>().is_ok());
}

/// As docs/storage-format.md has it.
#[test]
fn stored_bytes_are_as_documented() {
    let point = Point::new(CoordinateSystem::Cartesian, &[0.0, 0.0]).unwrap();
    let moment = DateTime::from_seconds(1, 0, 3600).unwrap();
    let cases: Vec<(Value, Vec<u8>)> = vec![
        (Value::Null, vec![0]),
        (false.into(), vec![1]),
        (true.into(), vec![2]),
        ((-3).into(), vec![3, 5]),
        (1.0.into(), vec![4, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]),
        ("ab".into(), vec![5, 2, 97, 98]),
        ((&b"ab"[..]).into(), vec![7, 2, 97, 98]),
        (vec![true].into(), vec![8, 2, 1, 2]),
        (
            BTreeMap::from([("a", Value::Null)]).into(),
            vec![9, 4, 1, 1, 97, 0],
        ),
        (Date::from_days(1).unwrap().into(), vec![10, 2]),
        (
            LocalTime::from_nanoseconds(200).unwrap().into(),
            vec![12, 0xC8, 1],
        ),
        (moment.clone().into(), vec![13, 2, 0, 0xA0, 56, 0]),
        (
            moment.in_stored_zone("Z").into(),
            vec![13, 2, 0, 0xA0, 56, 1, b'Z'],
        ),
        (
            LocalDateTime::from_seconds(-1, 3).unwrap().into(),
            vec![14, 1, 3],
        ),
        (
            Duration::new(1, -1, 2, 3).unwrap().into(),
            vec![15, 2, 1, 4, 3],
        ),
        (point.into(), [&[16, 0xA3, 56][..], &[0; 16]].concat()),
    ];
    for (value, bytes) in cases {
        assert_eq!(encoded(&value), bytes, "{value}");
    }
    let properties: Properties = [(3, true.into()), (5, false.into())].into_iter().collect();
    let mut bytes = Vec::new();
    properties.encode(&mut bytes).unwrap();
    assert_eq!(bytes, [2, 3, 2, 2, 1]);
}
