//! The program `evergraph-bench`: what it prints, how it ends, and benchmarks that
//! start it again.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program with `directory` as the current one.
fn program(directory: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evergraph-bench"));
    command
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn place() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn call(directory: &Path, arguments: &str) -> Output {
    let output = program(directory, arguments).output();
    output.expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The one JSON object on standard output.
fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn is_empty(directory: &Path) -> bool {
    let mut entries = std::fs::read_dir(directory).expect("a directory");
    entries.next().is_none()
}

const INGEST: &str = "ingest --scale 6 --medium dram --threads 1 --param batches=100 \
                      --param modes=merged --param counting-scale=6";

#[test]
fn tables_are_printed_for_people_and_as_json() {
    let place = place();
    let shown = call(place.path(), INGEST);
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
    assert!(text(&shown.stdout).starts_with("ingest"), "{shown:?}");
    let output = call(place.path(), &format!("{INGEST} --json"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let result = json(&output);
    assert_eq!(result["benchmark"], "ingest");
    for member in ["arguments", "machine", "tables"] {
        assert!(!result[member].is_null(), "{member}: {result:#}");
    }
}

#[test]
fn the_heap_is_counted() {
    let place = place();
    let arguments = "edge-map --scale 6 --threads 1 --param trials=1 --json";
    let output = call(place.path(), arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let result = json(&output);
    let rows = result["tables"][0]["rows"].as_array().expect("rows");
    let bytes = |row: &Value| row["dram_bytes"].as_u64();
    assert!(rows.iter().all(|row| bytes(row) > Some(0)), "{result:#}");
}

#[test]
fn wrong_usage_is_told_with_a_hint() {
    let place = place();
    for (arguments, error, hint) in [
        ("", "required", "evergraph-bench --help"),
        ("limits --nosuch", "--nosuch", "evergraph-bench --help"),
        (
            "nosuch",
            "there is no benchmark",
            "docs/benchmarks-method.md",
        ),
        ("limits --param nosuch=1", "has no parameter", "docs/"),
        ("limits --param nosuch", "name=value", "docs/"),
    ] {
        let refused = call(place.path(), arguments);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(refused.stdout.is_empty(), "{refused:?}");
        assert!(text(&refused.stderr).contains(error), "{refused:?}");
        let refused = call(place.path(), &format!("{arguments} --json"));
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        let told = json(&refused);
        let told = |member: &str| told[member].as_str().expect("a text").to_string();
        assert!(told("error").contains(error), "{refused:?}");
        assert!(told("hint").contains(hint), "{refused:?}");
        assert!(!told("error").contains('\n'), "{refused:?}");
    }
}

#[test]
fn a_failure_has_its_own_code() {
    let place = place();
    std::fs::write(place.path().join("file"), "").expect("a file is written");
    let failed = call(place.path(), &format!("{INGEST} --directory file --json"));
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    assert!(json(&failed)["error"].is_string(), "{failed:?}");
    let shown = text(&failed.stderr);
    assert!(shown.contains("\nhint: "), "{shown}");
}

#[test]
fn help_names_every_benchmark() {
    let help = call(place().path(), "--help");
    assert_eq!(help.status.code(), Some(0), "{help:?}");
    for name in evergraph_benches::NAMES {
        assert!(text(&help.stdout).contains(name), "{name}: {help:?}");
    }
}

#[test]
fn a_signal_removes_what_a_benchmark_made() {
    for signal in ["interrupt", "terminate"] {
        let place = place();
        let mut ingest = program(place.path(), "ingest --scale 6 --medium file --directory .");
        let failpoint = format!("bench.place-made={signal}");
        ingest.env(evergraph_storage::failpoint::VARIABLE, failpoint);
        let output = ingest.output().expect("the program starts");
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(is_empty(place.path()), "{signal}");
    }
}

const OUT_OF_CORE: &str = "outofcore --scale 10 --threads 1 --directory . --param degree=8 --json";

#[test]
fn a_graph_larger_than_memory_gives_the_same_results() {
    let place = place();
    // A share of a thousand times the graph: it must run, not be scarce.
    let output = call(place.path(), &format!("{OUT_OF_CORE} --param share=999"));
    if output.status.code() != Some(0) && text(&output.stderr).contains("in memory") {
        println!("SKIPPED: {}", text(&output.stderr));
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let result = json(&output);
    let rows = |table: usize| result["tables"][table]["rows"].as_array().expect("rows");
    for run in rows(1) {
        assert_eq!(run["finished"], true, "{result:#}");
        assert_eq!(run["edges"], 8 << 10);
    }
    let limit = rows(1)[1]["limit"].as_str().expect("a text");
    if limit.contains("not limited") {
        println!("SKIPPED in part: no control group can be made here; {limit}");
    }
    let phases: Vec<_> = rows(0).iter().map(|row| &row["phase"]).collect();
    let each = ["ingest", "pagerank", "bfs", "cc", "bc"];
    assert_eq!(phases, [each, each].concat(), "layouts pma and blocks");
    assert!(rows(0).iter().all(|row| row["equal"] == true), "{result:#}");
    assert!(is_empty(place.path()), "everything is removed");
}

/// With next to no memory the work is ended, which is a result, not a failure.
#[test]
fn too_little_memory_is_reported() {
    let place = place();
    let output = call(place.path(), &format!("{OUT_OF_CORE} --param share=0.001"));
    if output.status.code() != Some(0) {
        // RLIMIT_DATA makes allocations fail, which ends the process otherwise.
        println!("SKIPPED: {}", text(&output.stderr));
        return;
    }
    let result = json(&output);
    let runs = &result["tables"][1]["rows"];
    assert_eq!(runs[0]["finished"], true, "{result:#}");
    assert_eq!(runs[1]["finished"], false, "{result:#}");
}
