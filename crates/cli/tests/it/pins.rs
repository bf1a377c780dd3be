//! Promises of the command line: keys of reports, exit codes, and the texts of `--help`.
//!
//! `make bless` writes the files anew; a difference is a change for users, and belongs into
//! CHANGELOG.md.

use std::collections::BTreeSet;
use std::fmt::Write;

use expect_test::expect_file;
use serde_json::Value;

use crate::common::Place;

/// Names of all that a report holds: `a.b` of objects, `a[].b` of lists of them.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                keys(value, &format!("{path}{dot}{key}"), found);
            }
        }
        Value::Array(values) if values.iter().any(Value::is_object) => {
            let path = format!("{path}[]");
            values.iter().for_each(|value| keys(value, &path, found));
        }
        _ => {
            found.insert(path.to_string());
        }
    }
}

fn files(place: &Place) {
    place.file("edges.txt", "0 1\n1 2\n2 3\n4 5\n5 6\n6 4\n");
    place.file("more.txt", "3 0\n");
    place.file("vertices.txt", "6\n");
    place.file("nodes.csv", ":ID,:LABEL,name\n1,Person,Ada\n2,Person,Bob\n");
    place.file("ties.csv", ":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n");
}

/// Every command that a small graph is enough for, in an order in which each succeeds.
const COMMANDS: &[&str] = &[
    "generate kron --scale 4 -o k.txt",
    "import db edges.txt --undirected",
    "snapshot db create before",
    "import db more.txt --append",
    "snapshot db list",
    "snapshot db diff before",
    "snapshot db retain --keep-last 5",
    "snapshot db prune --keep-last 5",
    "snapshot db rebase before",
    "run --list",
    "run db bfs",
    "run db bfs --over ..",
    "run db pagerank --keep ranks",
    "run db pagerank",
    "run db connected-components --as-of before",
    "results db list",
    "results db show ranks",
    "maintain db connected-components --name parts",
    "seal db",
    "stats db",
    "check db",
    "export db out.txt",
    "delete-edges db more.txt",
    "delete-vertices db vertices.txt",
    "relayout db --layout blocks",
    "compact db",
    "results db drop ranks",
    "snapshot db drop before",
    "import graph nodes.csv ties.csv",
    "index graph create names --label Person --key name",
    "index graph list",
    "stats graph",
    "check graph",
    "run graph degrees --labels Person",
    "export graph out.jsonl",
    "query graph MATCH(n)RETURN(n)",
    "query graph CREATE(:City)",
    "index graph drop names",
];

#[test]
fn keys_of_reports_are_pinned() {
    let place = Place::new();
    files(&place);
    let mut text = String::new();
    for command in COMMANDS {
        let mut found = BTreeSet::new();
        keys(&place.json(command), "", &mut found);
        let _ = writeln!(text, "$ evergraph --json {command}");
        found.iter().for_each(|key| text += &format!("{key}\n"));
        text += "\n";
    }
    let failed = place.call("--json stats nothing");
    let mut found = BTreeSet::new();
    keys(&failed.json(), "", &mut found);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["error", "hint"]);
    expect_file!["pins/keys.txt"].assert_eq(&text);
}

#[test]
fn exit_codes_are_pinned() {
    let place = Place::new();
    files(&place);
    place.file("bad.txt", "0 1\nx\n");
    place.json("import db edges.txt");
    for (arguments, code) in [
        ("--help", 0),
        ("--version", 0),
        ("run --list", 0),
        ("stats db", 0),
        ("check db", 0),
        ("snapshot db list", 0),
        // A failure.
        ("stats nothing", 1),
        ("import other nothing.txt", 1),
        ("import other bad.txt", 1),
        ("import db edges.txt", 1),
        ("snapshot db drop nothing", 1),
        ("results db show nothing", 1),
        ("run db bfs --as-of nothing", 1),
        ("snapshot db create now", 1),
        // A wrong usage.
        ("", 2),
        ("nothing", 2),
        ("stats", 2),
        ("stats db --nothing", 2),
        ("run db nothing", 2),
        ("run db bfs --nothing 1", 2),
        ("import db edges.txt --format nothing", 2),
    ] {
        let outcome = place.call(arguments);
        assert_eq!(outcome.code, Some(code), "{outcome:#?}");
    }
    // Damage is a finding: it is reported in full, and the code says so.
    let log = place.path("db/extents");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes.iter_mut().for_each(|byte| *byte ^= 1);
    std::fs::write(&log, bytes).unwrap();
    place.call("check db").expect(1);
}

#[test]
fn texts_of_help_are_pinned() {
    let place = Place::new();
    let top = place.call("--help").stdout;
    let listed = top.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    let mut text = top.clone();
    for command in commands.into_iter().filter(|name| *name != "help") {
        let help = place.call(&format!("{command} --help"));
        help.expect(0);
        let _ = write!(text, "\n$ evergraph {command} --help\n{}", help.stdout);
    }
    expect_file!["pins/help.txt"].assert_eq(&text);
}

/// Names, aliases, parameters and their defaults: a result is stored with the parameters
/// that are not the defaults, so that another default makes another result of it.
#[test]
fn algorithms_and_their_parameters_are_pinned() {
    let place = Place::new();
    let listed = place.json("run --list");
    let mut text = String::new();
    for algorithm in listed["algorithms"].as_array().expect("a list") {
        let name = algorithm["name"].as_str().expect("a name");
        let help = place.call(&format!("run --help {name}"));
        help.expect(0);
        let _ = writeln!(text, "$ evergraph run --help {name}\n{}", help.stdout);
    }
    expect_file!["pins/algorithms.txt"].assert_eq(&text);
}
