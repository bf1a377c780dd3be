//! Order, equality and hashes of data with nodes in them, and access to their parts.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use evergraph_functions::{Datum, ErrorKind, print};
use evergraph_property_graph::graph::{NodeId, RelationshipId};

use crate::graph::{Couple, environment, variables};
use crate::query::{Failure, evaluate};

fn read(text: &str) -> Datum {
    evaluate(text, &variables(), &environment()).unwrap()
}

fn hash(datum: &Datum) -> u64 {
    let mut hasher = DefaultHasher::new();
    datum.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn types_are_in_the_order_of_the_language() {
    // Ascending, as the kit's ReturnOrderBy1 demands, with others between.
    let ascending = [
        "{a: 'map'}",
        "{a: n, b: 1}",
        "n",
        "r",
        "[]",
        "['list']",
        "[n]",
        "[n, 1]",
        "[1]",
        "p",
        "point({x: 1, y: 2})",
        "datetime('2015')",
        "localdatetime('2015')",
        "date('2015')",
        "time('10:00')",
        "localtime('10:00')",
        "duration('P1D')",
        "'text'",
        "false",
        "1.5",
        "0.0 / 0.0",
        "null",
    ];
    let mut sorted: Vec<Datum> = ascending.iter().map(|text| read(text)).collect();
    sorted.sort();
    let shown: Vec<String> = sorted
        .iter()
        .map(|datum| print(datum, &Couple).unwrap())
        .collect();
    let mut expected: Vec<Datum> = ascending.iter().map(|text| read(text)).collect();
    // Within lists: a node is before a text, which is before a number.
    let lists = expected[4..9].to_vec();
    expected[4..9].clone_from_slice(&[
        lists[0].clone(),
        lists[2].clone(),
        lists[3].clone(),
        lists[1].clone(),
        lists[4].clone(),
    ]);
    let expected: Vec<String> = expected
        .iter()
        .map(|datum| print(datum, &Couple).unwrap())
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn lists_with_nodes_are_compared_by_their_elements() {
    for (text, expected) in [
        ("[n, 1] = [n, 1.0]", "true"),
        ("[n, null] = [n, 1]", "null"),
        ("[n] = [1]", "false"),
        ("[1, n] = [1]", "false"),
        ("{a: n} = {a: n}", "true"),
        ("{a: n} = {a: null}", "null"),
        ("n IN [1, n]", "true"),
        ("n IN [1, null]", "null"),
        ("r IN [n]", "false"),
        ("n < n", "null"),
        ("[1, n] < [2, n]", "true"),
        ("p = p", "true"),
        ("n = null", "null"),
        ("[n, 1, 2][1..]", "[1, 2]"),
        (
            "[n] + 1 + [r]",
            "[(:Person {name: 'Ann'}), 1, [:KNOWS {since: 2015}]]",
        ),
        (
            "p",
            "<(:Person {name: 'Ann'})-[:KNOWS {since: 2015}]->(:Person:Author)>",
        ),
        ("{a: [n]}.a[0].name", "'Ann'"),
        ("n['name'] + r.since", "'Ann2015'"),
    ] {
        assert_eq!(print(&read(text), &Couple).unwrap(), expected, "{text}");
    }
}

#[test]
fn equivalent_data_hash_alike() {
    for (a, b) in [
        ("[n, 1]", "[n, 1.0]"),
        ("{a: n, b: 2}", "{b: 2.0, a: n}"),
        ("1", "1.0"),
    ] {
        assert_eq!(read(a), read(b));
        assert_eq!(hash(&read(a)), hash(&read(b)), "{a}");
    }
}

#[test]
fn lists_of_values_are_values() {
    let node = Datum::Node(NodeId(0));
    let list = Datum::list(vec![1.into(), node.clone()]);
    assert!(list.as_value().is_none());
    let without = list.elements().unwrap().slice(0..1);
    assert!(without.as_value().is_some());
    let map = Datum::map(BTreeMap::from([(Arc::from("a"), without)]));
    assert!(map.as_value().is_some());
    assert_ne!(node, Datum::Relationship(RelationshipId(0)));
}

#[test]
fn errors_say_their_kind() {
    for (text, kind) in [
        ("1 + true", ErrorKind::InvalidArgumentType),
        ("9223372036854775807 + 1", ErrorKind::IntegerOverflow),
        ("-9223372036854775807 - 2", ErrorKind::IntegerOverflow),
        ("1 / 0", ErrorKind::DivisionByZero),
        ("1 % 0", ErrorKind::DivisionByZero),
        ("duration('P1D') / 0", ErrorKind::NumberOutOfRange),
        ("1 AND true", ErrorKind::InvalidArgumentType),
        ("1 IN 1", ErrorKind::InvalidArgumentType),
        ("'a' =~ '('", ErrorKind::InvalidText),
        ("range(1, 1000000000000)", ErrorKind::TooLarge),
        (
            "range(-9223372036854775807, 9223372036854775807)",
            ErrorKind::TooLarge,
        ),
        ("left('a', -1)", ErrorKind::NegativeIntegerArgument),
        ("left('a')", ErrorKind::InvalidNumberOfArguments),
        ("date({yaer: 2015})", ErrorKind::InvalidArgumentValue),
        (
            "date({year: 2015, day: 3})",
            ErrorKind::InvalidArgumentValue,
        ),
        ("date('2015-02-29')", ErrorKind::InvalidText),
        (
            "date({year: 2015, month: 2, day: 29})",
            ErrorKind::NumberOutOfRange,
        ),
        ("date('yesterday')", ErrorKind::InvalidText),
        (
            "date('+999999999-12-31') + duration('P1D')",
            ErrorKind::NumberOutOfRange,
        ),
        ("datetime('2015[Europe/Roma]')", ErrorKind::InvalidText),
    ] {
        match evaluate(text, &variables(), &environment()) {
            Err(Failure::Evaluation(error)) => assert_eq!(error.kind, kind, "{text}: {error}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn doubled_texts_are_bounded() {
    let mut environment = environment();
    environment.most_bytes = 1000;
    let text = format!("'{}'", "a".repeat(600));
    for wrong in [
        format!("{text} + {text}"),
        format!("replace({text}, 'a', 'bb')"),
    ] {
        match evaluate(&wrong, &variables(), &environment) {
            Err(Failure::Evaluation(error)) => assert_eq!(error.kind, ErrorKind::TooLarge),
            other => panic!("{other:?}"),
        }
    }
}

/// 02:30 of that day, before clocks went back and behind.
#[test]
fn local_times_that_occur_twice_are_told_apart() {
    let (first, second) = (
        "datetime('2017-10-29T02:30+02:00[Europe/Stockholm]')",
        "datetime('2017-10-29T02:30+01:00[Europe/Stockholm]')",
    );
    for (text, expected) in [
        (format!("datetime({second}) = {second}"), "true"),
        (format!("{first} = {second}"), "false"),
        (format!("toString(time({second}))"), "'02:30+01:00'"),
        (
            format!("toString(duration.inSeconds({first}, {second}))"),
            "'PT1H'",
        ),
        (format!("{first} + duration('PT1H') = {second}"), "true"),
        (
            format!("toString(datetime.truncate('hour', {second}))"),
            "'2017-10-29T02:00+01:00[Europe/Stockholm]'",
        ),
        (
            format!("toString({second} + duration('P1D'))"),
            "'2017-10-30T02:30+01:00[Europe/Stockholm]'",
        ),
        (
            format!("toString(datetime({{datetime: {first}, timezone: 'Z'}}))"),
            "'2017-10-29T00:30Z'",
        ),
        (
            format!("toString(datetime({{datetime: {second}, timezone: 'Z'}}))"),
            "'2017-10-29T01:30Z'",
        ),
    ] {
        assert_eq!(print(&read(&text), &Couple).unwrap(), expected, "{text}");
    }
}
