//! The kit against the parser and its checks, and the table of docs/conformance.md.

use std::collections::BTreeMap;
use std::fmt::Write;

use evergraph_conformance::scenario::{Graph, Outcome, Phase};
use evergraph_conformance::{Feature, features, graph, syntax};
use expect_test::expect_file;

/// Scenarios that are known to fail, by feature and title, and why. Each is in
/// docs/conformance.md.
const DEVIATIONS: &[(&str, &str, &str)] = &[];

#[derive(Default)]
struct Count {
    scenarios: usize,
    passed: usize,
    errors: usize,
    named: usize,
}

fn is_deviation(feature: &Feature, name: &str) -> bool {
    let mut known = DEVIATIONS.iter();
    known.any(|(of, title, _)| *of == feature.name && name.starts_with(title))
}

#[test]
fn queries_are_accepted_and_refused_as_the_kit_says() {
    let mut table: BTreeMap<String, Count> = BTreeMap::new();
    let mut faults = Vec::new();
    for feature in features().expect("the kit is read") {
        let count = table.entry(feature.category.clone()).or_default();
        for scenario in &feature.scenarios {
            let fault = syntax::fault(scenario);
            let is_refused = scenario.queries.iter().any(|query| {
                matches!(&query.outcome, Outcome::Error(error) if error.phase == Phase::CompileTime)
            });
            count.scenarios += 1;
            count.passed += usize::from(fault.is_none());
            count.errors += usize::from(is_refused);
            count.named += usize::from(is_refused && fault.is_none());
            let is_known = is_deviation(&feature, &scenario.name);
            match fault {
                Some(fault) if !is_known => faults.push(format!(
                    "{}: {} ({:?})\n{fault}\n",
                    feature.name, scenario.name, scenario.example
                )),
                None if is_known => faults.push(format!(
                    "{}: {} is no deviation any more",
                    feature.name, scenario.name
                )),
                _ => {}
            }
        }
    }
    let text = shown(&table);
    println!("{text}");
    assert!(
        faults.is_empty(),
        "{}\n{} faults",
        faults.join("\n"),
        faults.len()
    );
    let document = include_str!("../../../docs/conformance.md");
    let (before, rest) = document.split_once("<!-- table -->\n").expect("a table");
    let (_, after) = rest.split_once("<!-- end -->").expect("its end");
    let blessed = format!("{before}<!-- table -->\n{text}<!-- end -->{after}");
    expect_file!["../../../docs/conformance.md"].assert_eq(&blessed);
}

fn shown(table: &BTreeMap<String, Count>) -> String {
    let mut text = String::new();
    text += "| Category | Scenarios | Passed | Refused at compile time | By the very name |\n";
    text += "|---|--:|--:|--:|--:|\n";
    let mut all = Count::default();
    for (category, count) in table {
        row(&mut text, category, count);
        all.scenarios += count.scenarios;
        all.passed += count.passed;
        all.errors += count.errors;
        all.named += count.named;
    }
    row(&mut text, "all", &all);
    text
}

fn row(text: &mut String, category: &str, count: &Count) {
    let Count {
        scenarios,
        passed,
        errors,
        named,
    } = count;
    let line = writeln!(
        text,
        "| {category} | {scenarios} | {passed} | {errors} | {named} |"
    );
    line.expect("a string takes all");
}

#[test]
fn the_kit_is_read_whole() {
    let features = features().expect("the kit is read");
    assert_eq!(features.len(), 220);
    let scenarios = features.iter().flat_map(|feature| &feature.scenarios);
    let (mut count, mut rows, mut effects, mut given) = (0, 0, 0, 0);
    for scenario in scenarios {
        count += 1;
        if let Graph::Named(name) = &scenario.graph {
            given += 1;
            assert!(graph(name).expect("it is there").contains("CREATE"));
        }
        for query in &scenario.queries {
            effects += usize::from(query.side_effects.is_some());
            if let Outcome::Rows(found) = &query.outcome {
                rows += found.rows.len();
                let width = found.columns.len();
                assert!(
                    found.rows.iter().all(|row| row.len() == width),
                    "{}",
                    scenario.name
                );
            }
            // Nothing of an outline is left.
            assert!(!query.query.contains("<pattern>"), "{}", scenario.name);
        }
    }
    assert_eq!((count, given), (3897, 19), "scenarios, and on named graphs");
    assert!(rows > 4000 && effects > 2000, "{rows} {effects}");
}
