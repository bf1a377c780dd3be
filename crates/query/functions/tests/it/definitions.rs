//! The table of functions: examples, documentation, names, and that no call panics.

use std::collections::BTreeSet;

use evergraph_functions::functions::{all, call, find};
use evergraph_functions::{Datum, ErrorKind, functions_page, print};
use expect_test::expect_file;

use crate::graph::{Couple, environment, variables};
use crate::query::{evaluate, run};

#[test]
fn examples_give_what_they_say() {
    let environment = environment();
    for function in all() {
        let (example, expected) = function.example;
        let value = match example.starts_with("UNWIND") {
            true => run(example, &[], &Default::default(), &environment)
                .map(|rows| rows.1[0][0].clone()),
            false => evaluate(example, &variables(), &environment),
        };
        let value = value.unwrap_or_else(|error| panic!("{example}: {error:?}"));
        assert_eq!(print(&value, &Couple).unwrap(), expected, "{example}");
        assert!(example.contains(function.signature.name), "{example}");
    }
}

#[test]
fn the_page_is_that_of_the_definitions() {
    expect_file!["../../../../../docs/functions.md"].assert_eq(&functions_page());
}

#[test]
fn names_are_unique_in_any_case() {
    let names: BTreeSet<String> = all()
        .map(|function| function.signature.name.to_lowercase())
        .collect();
    assert_eq!(names.len(), all().count());
    assert_eq!(find("TOSTRING").unwrap().signature.name, "toString");
    assert_eq!(
        find("Duration.InDays").unwrap().signature.name,
        "duration.inDays"
    );
    let error = find("tostrin").unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnknownFunction);
    assert_eq!(
        error.to_string(),
        "there is no function tostrin(); did you mean toString()?"
    );
    let error = find("frobnicate").unwrap_err();
    assert_eq!(error.to_string(), "there is no function frobnicate()");
}

/// Any values, hostile ones among them.
fn samples() -> Vec<Datum> {
    let environment = environment();
    let texts = [
        "null",
        "true",
        "0",
        "-1",
        "3",
        "9223372036854775807",
        "0.0",
        "-0.5",
        "1.0e308",
        "0.0 / 0.0",
        "''",
        "'é'",
        "'2015-07-21'",
        "'+99:00'",
        "'Europe/Rome'",
        "'week'",
        "[]",
        "[1, null, 'a']",
        "{}",
        "{year: 2015}",
        "{x: 1, y: 2}",
        "{timezone: 'Europe/Rome'}",
        "{hour: 99}",
        "n",
        "r",
        "p",
        "[n]",
        "{n: n}",
        "date('+999999999-12-31')",
        "date('-999999999-01-01')",
        "localtime('10:00')",
        "time('10:00+18:00')",
        "localdatetime('-999999999-01-01')",
        "datetime('+999999999-12-31')",
        "datetime('2015-07-21T21:40[Europe/London]')",
        "duration('P9223372036854775807D')",
        "duration('-PT9223372036854775807S')",
        "point({x: 1, y: 2})",
        "point({longitude: 1, latitude: 2})",
    ];
    let read = |text: &&str| evaluate(text, &variables(), &environment).unwrap();
    let mut samples: Vec<Datum> = texts.iter().map(read).collect();
    samples.push(i64::MIN.into());
    samples
}

#[test]
fn no_call_panics() {
    let (environment, samples) = (environment(), samples());
    // Of a third argument fewer, so that the calls of all stay few.
    let third: Vec<Datum> = samples.iter().step_by(5).cloned().collect();
    for function in all().filter(|function| !function.signature.aggregates) {
        let mut calls = vec![vec![]];
        for at in 0..=function.signature.parameters.len().clamp(1, 3) {
            for arguments in &calls {
                check_call(function, arguments, &environment);
            }
            let next = if at < 2 { &samples } else { &third };
            let longer = calls.iter().flat_map(|call: &Vec<Datum>| {
                next.iter()
                    .map(move |sample| [&call[..], std::slice::from_ref(sample)].concat())
            });
            calls = longer.collect();
        }
    }
}

fn check_call(
    function: &evergraph_functions::functions::Function,
    arguments: &[Datum],
    environment: &evergraph_functions::Environment<'_>,
) {
    let name = function.signature.name;
    let counted = function.check_count(arguments.len()).is_ok();
    match call(function, arguments, environment) {
        Ok(value) => {
            let types = value.types();
            let promised = function
                .signature
                .returns
                .types()
                .or(evergraph_functions::Types::NULL);
            assert!(
                types.overlaps(promised),
                "{name} of {arguments:?} is {value:?}"
            );
        }
        Err(error) => {
            assert!(counted || error.kind == ErrorKind::InvalidNumberOfArguments);
            let unreachable = "an argument has a type that the function does not take";
            assert_ne!(error.message, unreachable, "{name} of {arguments:?}");
        }
    }
}

#[test]
fn operators_give_what_their_types_say() {
    use evergraph_functions::Types;
    use evergraph_functions::operators::{Binary, Unary, binary, unary};
    let (environment, samples) = (environment(), samples());
    for left in &samples {
        for right in &samples {
            for operator in Binary::ALL {
                let promised = operator.result(left.types(), right.types());
                if let Ok(value) = binary(operator, left, right, &environment) {
                    let found = value.types();
                    let is_promised = promised.or(Types::NULL).overlaps(found);
                    assert!(
                        is_promised,
                        "{left:?} {operator} {right:?} is {value:?}, {promised}"
                    );
                }
            }
        }
        for operator in [
            Unary::Not,
            Unary::Minus,
            Unary::Plus,
            Unary::IsNull,
            Unary::IsNotNull,
        ] {
            if let Ok(value) = unary(operator, left) {
                let promised = operator.result(left.types()).or(Types::NULL);
                assert!(
                    promised.overlaps(value.types()),
                    "{operator:?} {left:?} is {value:?}"
                );
            }
        }
    }
    // What a planner refuses before a query runs.
    assert_eq!(
        Binary::In.result(Types::INTEGER, Types::BOOLEAN),
        Types::NONE
    );
    assert_eq!(Unary::Not.result(Types::STRING), Types::NONE);
    assert_eq!(
        Binary::Add.result(Types::INTEGER, Types::FLOAT),
        Types::FLOAT
    );
    assert_eq!(
        Binary::Divide.result(Types::NUMBER, Types::NUMBER),
        Types::NUMBER
    );
}
