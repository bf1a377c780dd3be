//! Results where an operator or a function begins to do something else: at the ends of
//! lists and of 64 bits, at midnight, and where clocks are put back.

use std::cmp::Ordering;

use crate::results::{check, check_refused, value};

#[test]
fn lists_and_maps_with_nodes_are_compared_to_their_ends() {
    check(&[
        ("[1, n] > [1]", "true"),
        ("[1] < [1, n]", "true"),
        ("[1, n] <= [1]", "false"),
        // One pair is unknown, and another differs.
        ("[null, n] = [null, r]", "false"),
        ("[null, n] = [null, n]", "null"),
        ("[1, 2, 3][-10..2]", "[1, 2]"),
        ("[1, 2, 3][1..10]", "[2, 3]"),
        ("[1, 2, 3][-10]", "null"),
        ("[1, 2, 3][-3]", "1"),
    ]);
    // Maps are in the order of their sizes first.
    let [one, two] = ["{b: n}", "{a: n, b: 1}"].map(|map| value(map).unwrap());
    assert_eq!(one.cmp(&two), Ordering::Less);
}

#[test]
fn numbers_compare_with_numbers_alone() {
    check(&[
        ("1 < 'a'", "null"),
        ("(0.0 / 0.0) < 'a'", "null"),
        ("(0.0 / 0.0) < 1", "false"),
        ("1 < (0.0 / 0.0)", "false"),
    ]);
}

#[test]
fn integers_end_at_64_bits() {
    check(&[
        ("toInteger(9223372036854774784.0)", "9223372036854774784"),
        ("toInteger(9223372036854775808.0)", "null"),
        ("toInteger(-1e19)", "null"),
        ("toInteger('9223372036854775807')", "9223372036854775807"),
        ("toIntegerOrNull('9223372036854775808')", "null"),
        ("toInteger('1e19')", "null"),
        ("toInteger(' 1')", "null"),
        ("toFloat(' 1 ')", "1.0"),
        ("range(3, 3, -1)", "[3]"),
        ("range(3, 2)", "[]"),
        ("range(2, 3, -1)", "[]"),
        (
            "range(9223372036854775806, 9223372036854775807)",
            "[9223372036854775806, 9223372036854775807]",
        ),
    ]);
    check_refused(&[
        ("-(-9223372036854775808)", "64 bits"),
        ("abs(-9223372036854775808)", "64 bits"),
        ("toInteger('9223372036854775808')", "64 bits"),
    ]);
}

#[test]
fn digits_are_rounded_as_they_are_written() {
    check(&[
        ("round(1.256, 2, 'HALF_DOWN')", "1.26"),
        ("round(1.255, 2, 'HALF_DOWN')", "1.25"),
        ("round(1.2551, 2, 'HALF_DOWN')", "1.26"),
        ("round(1.245, 2, 'HALF_EVEN')", "1.24"),
        ("round(1.235, 2, 'HALF_EVEN')", "1.24"),
        ("round(9.96, 1)", "10.0"),
        ("round(-99.99, 1, 'UP')", "-100.0"),
        ("round(0.49999999999999994)", "0.0"),
    ]);
}

#[test]
fn texts_keep_what_is_no_white_space() {
    check(&[
        ("size(trim('\u{1c}a\u{1f}'))", "1"),
        ("size(trim('\u{a0}a\u{2007}'))", "3"),
        ("split('', '')", "['']"),
        ("split('', ',')", "['']"),
        ("split('ab', '')", "['a', 'b']"),
        ("split('a;,b', [',', ';'])", "['a', '', 'b']"),
        ("right('abc', 5)", "'abc'"),
        ("substring(randomUUID(), 14, 1)", "'4'"),
        (
            "substring(randomUUID(), 19, 1) IN ['8', '9', 'a', 'b']",
            "true",
        ),
        ("valueType([1, null])", "'LIST<INTEGER> NOT NULL'"),
        ("valueType([null])", "'LIST<NULL> NOT NULL'"),
    ]);
}

#[test]
fn durations_end_on_their_day() {
    check(&[
        (
            "duration.inMonths(date('2015-01-15'), date('2015-02-15'))",
            "P1M",
        ),
        (
            "duration.inMonths(date('2015-02-15'), date('2015-01-15'))",
            "P-1M",
        ),
        (
            "duration.inMonths(date('2015-01-15'), date('2015-02-14'))",
            "PT0S",
        ),
        ("duration('PT-0.0001S').milliseconds", "-1"),
        ("duration('PT0.0009S').milliseconds", "0"),
        ("time('10:00-00:30').offset", "'-00:30'"),
        ("time('10:00+00:00').offset", "'Z'"),
        (
            "date.truncate('century', date('-0044-03-15'))",
            "-0100-01-01",
        ),
        (
            "date.truncate('decade', date('-0044-03-15'))",
            "-0050-01-01",
        ),
    ]);
}

/// On 2017-10-29 it was half past two twice in Berlin.
#[test]
fn an_hour_that_is_there_twice_is_told_by_its_offset() {
    let second = "datetime('2017-10-29T02:30+01:00[Europe/Berlin]')";
    let later = "datetime('2017-10-29T03:30+01:00[Europe/Berlin]')";
    let of = |call: &str| format!("duration.{call}({second}, {later})");
    let cut = |fields: &str| format!("datetime.truncate('hour', {second}{fields})");
    check(&[
        (&of("between"), "PT1H"),
        (&of("inSeconds"), "PT1H"),
        (
            "datetime('2017-10-28T02:30[Europe/Berlin]') + duration('P1D')",
            "2017-10-29T02:30+02:00[Europe/Berlin]",
        ),
        (
            "datetime('2017-10-30T02:30[Europe/Berlin]') - duration('P1D')",
            "2017-10-29T02:30+01:00[Europe/Berlin]",
        ),
        (&cut(""), "2017-10-29T02:00+01:00[Europe/Berlin]"),
        // In another zone it is the time on the clock, and the first of the two.
        (
            &cut(", {timezone: 'Europe/Paris'}"),
            "2017-10-29T02:00+02:00[Europe/Paris]",
        ),
        // A zone has the offset of the date that is named.
        (
            "time({date: date('2024-01-15'), time: datetime('2024-07-15T12:00[Europe/Berlin]')})",
            "12:00+01:00",
        ),
    ]);
}

#[test]
fn points_lie_on_a_globe() {
    let point = |longitude: i32| format!("point({{longitude: {longitude}, latitude: 0}})");
    let [west, east, inside, outside] = [-170, 170, 179, 0].map(point);
    let within = |at: &str, from: &str, to: &str| format!("point.withinBBox({at}, {from}, {to})");
    let high = "point({longitude: 1, latitude: 1, height: 100000})";
    let low = "point({longitude: 2, latitude: 2, height: 0})";
    let there = format!("point.distance({high}, {low}) = point.distance({low}, {high})");
    check(&[
        (&within(&inside, &east, &west), "true"),
        (&within(&west, &east, &west), "true"),
        (&within(&outside, &east, &west), "false"),
        (&within(&outside, &west, &east), "true"),
        (&there, "true"),
    ]);
}

#[test]
fn maps_that_contradict_themselves_are_refused() {
    check_refused(&[
        ("time({timezone: 1})", "a timezone is a STRING"),
        ("datetime({timezone: null})", "a timezone is a STRING"),
        (
            "point({x: 1, y: 2, crs: 'cartesian', srid: 4326})",
            "a crs or a srid",
        ),
        (
            "point({longitude: 1, latitude: 2, crs: 'cartesian'})",
            "of wgs-84",
        ),
        (
            "point({longitude: 1, latitude: 2, height: 3, srid: 9157})",
            "of wgs-84",
        ),
        ("point({x: 1, y: 2}).z", "no component .z"),
        ("point({x: 1, y: 2, z: 3}).height", "no component .height"),
        ("point({x: 1, y: 2}).longitude", "no component .longitude"),
        ("point({longitude: 1, latitude: 2}).height", "no component"),
    ]);
}
