//! The kit against the whole engine: a table of passes by category, and the scenarios that
//! fail, one by one.

use std::collections::BTreeMap;
use std::fmt::Write;

use evergraph_conformance::execute::{self, Medium};
use evergraph_conformance::features;
use evergraph_interpreter::Execution;
use expect_test::expect_file;

const MODES: [Execution; 4] = [
    Execution::Interpret,
    Execution::Compile,
    Execution::Adapt,
    // In the middle of a query.
    Execution::SwitchAfter(3),
];

#[test]
fn scenarios_give_the_same_in_every_mode() {
    assert_no_faults(Medium::Dram, &MODES[1..], 1);
}

#[test]
fn scenarios_give_the_same_on_the_emulated_medium() {
    assert_no_faults(Medium::Emulated, &MODES, 23);
}

#[test]
fn scenarios_give_the_same_on_files() {
    assert_no_faults(Medium::File, &MODES, 97);
}

/// Runs one scenario of so many in some modes, or every one in a campaign.
fn assert_no_faults(medium: Medium, modes: &[Execution], one_of: usize) {
    let only = std::env::var("EVERGRAPH_SCENARIO").unwrap_or_default();
    let is_deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    let step = if is_deep || !only.is_empty() {
        1
    } else {
        one_of
    };
    let features = features().expect("the kit is read");
    let mut failing = Vec::new();
    let scenarios = features.iter().flat_map(|feature| {
        let scenarios = feature.scenarios.iter();
        scenarios.map(|scenario| (format!("{}: {}", feature.name, scenario.name), scenario))
    });
    let wanted = scenarios.filter(|(name, _)| name.contains(&only));
    for (name, scenario) in wanted.step_by(step) {
        for &execution in modes {
            if let Some(fault) = execute::fault(scenario, execution, medium) {
                failing.push(format!("{name} ({medium:?}, {execution:?})\n{fault}"));
            }
        }
    }
    assert!(failing.is_empty(), "{}", failing.join("\n\n"));
}

#[test]
fn scenarios_give_what_the_kit_says() {
    let only = std::env::var("EVERGRAPH_SCENARIO").unwrap_or_default();
    let mut table: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failing = String::new();
    for feature in features().expect("the kit is read") {
        let count = table.entry(feature.category.clone()).or_default();
        for scenario in &feature.scenarios {
            let example = scenario
                .example
                .map_or(String::new(), |number| format!(" ({number})"));
            let name = format!("{}: {}{example}", feature.name, scenario.name);
            if !name.contains(&only) {
                continue;
            }
            count.0 += 1;
            match execute::fault(scenario, Execution::Interpret, Medium::Dram) {
                None => count.1 += 1,
                Some(fault) => {
                    writeln!(failing, "{name}").expect("a string takes all");
                    println!("--- {name}\n{fault}\n");
                }
            }
        }
    }
    let mut text = String::from("| Category | Scenarios | Passed |\n|---|--:|--:|\n");
    let mut all = (0, 0);
    for (category, (scenarios, passed)) in &table {
        writeln!(text, "| {category} | {scenarios} | {passed} |").expect("a string takes all");
        all = (all.0 + scenarios, all.1 + passed);
    }
    writeln!(text, "| all | {} | {} |", all.0, all.1).expect("a string takes all");
    println!("{text}");
    if !only.is_empty() {
        assert!(failing.is_empty(), "{failing}");
        return;
    }
    expect_file!["failing.txt"].assert_eq(&failing);
    let document = include_str!("../../../docs/conformance.md");
    let (before, rest) = document.split_once("<!-- executed -->\n").expect("a table");
    let (_, after) = rest.split_once("<!-- end executed -->").expect("its end");
    let blessed = format!("{before}<!-- executed -->\n{text}<!-- end executed -->{after}");
    expect_file!["../../../docs/conformance.md"].assert_eq(&blessed);
}
