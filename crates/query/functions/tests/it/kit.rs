//! Scenarios of openCypher's Technology Compatibility Kit that need no patterns: what
//! `crate::query` can read of `testing/conformance/tck`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_functions::{Datum, NoGraph, print};
use evergraph_property_graph::Value;

use crate::graph::{environment, variables};
use crate::query::{self, Failure, Row};

/// One scenario, or one row of the examples of an outline.
#[derive(Clone, Default)]
struct Scenario {
    title: String,
    setup: Vec<String>,
    parameters: Vec<Vec<String>>,
    queries: Vec<String>,
    /// The line that begins with "Then".
    outcome: String,
    table: Vec<Vec<String>>,
}

fn features(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

fn cells(line: &str) -> Vec<String> {
    let cells = line.trim().trim_matches('|').split(" |");
    cells.map(|cell| cell.trim().to_string()).collect()
}

/// Scenarios of a feature, outlines written out.
fn scenarios(text: &str) -> Vec<Scenario> {
    let mut all = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    let (mut scenario, mut examples): (Scenario, Vec<Vec<String>>) = Default::default();
    // What the next text or table is of.
    let mut step = String::new();
    let mut push = |scenario: &mut Scenario, examples: &mut Vec<Vec<String>>| {
        let scenario = std::mem::take(scenario);
        let mut rows = std::mem::take(examples).into_iter();
        match rows.next() {
            None => all.push(scenario),
            Some(names) => all.extend(rows.map(|row| scenario.with(&names, &row))),
        }
    };
    while let Some(line) = lines.next() {
        if line.starts_with("Scenario") {
            push(&mut scenario, &mut examples);
            scenario.title = line.to_string();
        } else if line == "\"\"\"" {
            let text: Vec<&str> = lines
                .by_ref()
                .take_while(|line| *line != "\"\"\"")
                .collect();
            match step.as_str() {
                "having" => scenario.setup.push(text.join("\n")),
                _ => scenario.queries.push(text.join("\n")),
            }
        } else if line.starts_with('|') {
            let row = cells(line);
            match step.as_str() {
                "examples" => examples.push(row),
                "parameters" => scenario.parameters.push(row),
                "then" => scenario.table.push(row),
                _ => {}
            }
        } else if line.starts_with("Examples:") {
            step = "examples".to_string();
        } else if line.starts_with("Then") {
            (scenario.outcome, step) = (line.to_string(), "then".to_string());
        } else if line.contains("parameters are") {
            step = "parameters".to_string();
        } else if line.contains("having executed") {
            step = "having".to_string();
        } else if line.contains("executing") {
            step = "query".to_string();
        } else if !line.is_empty() {
            step = String::new();
        }
    }
    push(&mut scenario, &mut examples);
    all.retain(|scenario| !scenario.queries.is_empty());
    all
}

impl Scenario {
    fn with(&self, names: &[String], row: &[String]) -> Scenario {
        let replace = |text: &String| {
            let pairs = names.iter().zip(row);
            pairs.fold(text.clone(), |text, (name, cell)| {
                text.replace(&format!("<{name}>"), cell)
            })
        };
        let table = |rows: &Vec<Vec<String>>| {
            rows.iter()
                .map(|row| row.iter().map(replace).collect())
                .collect()
        };
        Scenario {
            title: format!("{} {row:?}", self.title),
            setup: self.setup.iter().map(replace).collect(),
            parameters: table(&self.parameters),
            queries: self.queries.iter().map(replace).collect(),
            outcome: replace(&self.outcome),
            table: table(&self.table),
        }
    }

    /// Nodes that were created, as maps.
    fn nodes(&self) -> Result<Vec<(Vec<String>, Datum)>, Failure> {
        let unknown = || Failure::Unknown("setup".to_string());
        let mut nodes = Vec::new();
        for line in self.setup.iter().flat_map(|text| text.lines()) {
            let created = line
                .trim()
                .trim_start_matches("CREATE ")
                .trim_end_matches(',');
            let inner = created
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'));
            let inner = inner
                .filter(|inner| !inner.contains("), ("))
                .ok_or_else(unknown)?;
            let (labels, map) = inner.split_at(inner.find('{').ok_or_else(unknown)?);
            let labels = labels
                .trim()
                .split(':')
                .skip(1)
                .map(|label| label.to_string());
            let node = query::evaluate(map, &Row::new(), &environment())?;
            // A node has no properties that are null.
            let mut entries = node.entries().ok_or_else(unknown)?;
            entries.retain(|_, value| !value.is_null());
            let node = Datum::map(entries);
            nodes.push((labels.collect(), node));
        }
        Ok(nodes)
    }

    /// Whether it holds; `Unknown` if it needs more than this crate has.
    fn run(&self) -> Result<Result<(), String>, Failure> {
        let environment = environment();
        let mut parameters = Row::new();
        for row in &self.parameters {
            let value = query::evaluate(&row[1], &Row::new(), &environment)?;
            parameters.insert(format!("${}", row[0]), value);
        }
        if self.queries.len() != 1 {
            return Err(Failure::Unknown("several queries".to_string()));
        }
        let setup_is_entities = self.setup.iter().any(|setup| setup.contains("-[:T]->()"));
        let (nodes, text) = match setup_is_entities {
            // The kinds of values that no conversion takes.
            true => {
                parameters.extend(variables());
                let text = self.queries[0].replace("MATCH p = (n)-[r:T]->()", "");
                (Vec::new(), text)
            }
            false => (self.nodes()?, self.queries[0].clone()),
        };
        let found = query::run(&text, &nodes, &parameters, &environment);
        if self.outcome.contains("should be raised") {
            return match found {
                Err(Failure::Unknown(what)) => Err(Failure::Unknown(what)),
                Err(Failure::Evaluation(error)) => Ok(self.check_error(&error)),
                Ok(_) => Ok(Err("no error".to_string())),
            };
        }
        let (names, rows) = match found {
            Err(Failure::Evaluation(error)) => return Ok(Err(error.to_string())),
            other => other?,
        };
        let any_order = self.outcome.contains("ignoring element order");
        let shown = |value: &Datum| {
            let value = without_temporals(value, any_order);
            print(&value, &NoGraph).map_err(|_| Failure::Unknown("entities".to_string()))
        };
        let mut expected = Vec::new();
        for row in self.table.iter().skip(1) {
            let values = row.iter().map(|cell| {
                let value = query::evaluate(cell, &Row::new(), &environment)?;
                shown(&value)
            });
            expected.push(values.collect::<Result<Vec<String>, Failure>>()?);
        }
        let mut found = Vec::new();
        for row in &rows {
            found.push(
                row.iter()
                    .map(shown)
                    .collect::<Result<Vec<String>, Failure>>()?,
            );
        }
        if self.outcome.contains("in any order") || any_order {
            expected.sort();
            found.sort();
        }
        Ok(match self.table[0] == names && expected == found {
            true => Ok(()),
            false => Err(format!("{found:?} where {expected:?} should be")),
        })
    }

    fn check_error(&self, error: &evergraph_functions::EvaluationError) -> Result<(), String> {
        let told = format!("{}: {}", error.kind.class(), error.kind.detail());
        let (_, raised) = self.outcome.split_once("a ").unwrap_or_default();
        let (class, detail) = raised.split_once(" should").unwrap_or_default();
        let detail = detail.rsplit(": ").next().unwrap_or_default();
        // Before a query runs, the planner checks types.
        let is_alike = self.outcome.contains("compile time")
            || class == error.kind.class() && (detail == "*" || detail == error.kind.detail());
        match is_alike {
            true => Ok(()),
            false => Err(format!("{told} ({error})")),
        }
    }
}

/// Temporal values as the kit writes them, and lists in one order if that does not count.
fn without_temporals(datum: &Datum, any_order: bool) -> Datum {
    let inner = |datum: &Datum| without_temporals(datum, any_order);
    if let Some(elements) = datum.elements() {
        let mut elements: Vec<Datum> = elements.iter().map(|element| inner(&element)).collect();
        if any_order {
            elements.sort();
        }
        return Datum::list(elements);
    }
    if let Some(entries) = datum.entries() {
        let entries = entries
            .iter()
            .map(|(key, value)| (key.clone(), inner(value)));
        return Datum::map(entries.collect::<BTreeMap<Arc<str>, Datum>>());
    }
    match datum.as_value().and_then(Value::temporal_text) {
        Some(text) => text.into(),
        None => datum.clone(),
    }
}

/// Folders of `expressions`, with the least number of scenarios to run: fewer would be a
/// reader that lost some. Others test syntax and patterns.
const FOLDERS: [(&str, usize); 12] = [
    ("aggregation", 28),
    ("boolean", 150),
    ("comparison", 47),
    ("graph", 18),
    ("list", 162),
    ("map", 44),
    ("mathematical", 5),
    ("null", 38),
    ("precedence", 62),
    ("string", 3),
    ("temporal", 981),
    ("typeConversion", 44),
];

#[test]
fn scenarios_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.join("../../../testing/conformance/tck/features/expressions");
    // A file whose scenarios that are not run are printed.
    let told = std::env::var("EVERGRAPH_SCENARIO").unwrap_or_default();
    let (mut failed, mut lost) = (Vec::new(), Vec::new());
    for (folder, least) in FOLDERS {
        let (mut run, mut all) = (0, 0);
        for path in features(&root.join(folder)) {
            let file = path.file_stem().unwrap().to_string_lossy().to_string();
            for scenario in scenarios(&std::fs::read_to_string(&path).unwrap()) {
                all += 1;
                match scenario.run() {
                    Ok(Ok(())) => run += 1,
                    Ok(Err(why)) => failed.push(format!("{file} {}: {why}", scenario.title)),
                    Err(why) if file == told => println!("{}: {why:?}", scenario.title),
                    Err(_) => {}
                }
            }
        }
        println!("{folder}: {run} of {all}");
        if run < least {
            lost.push(format!("{folder}: {run} were run"));
        }
    }
    let wrong = [failed, lost].concat();
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
