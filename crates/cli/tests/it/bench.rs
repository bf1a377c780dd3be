//! Benchmarks that start the program again.

use crate::common::Place;

#[test]
fn a_graph_larger_than_memory_gives_the_same_results() {
    let place = Place::new();
    let bench = "bench outofcore --scale 10 --threads 1 --directory . --param degree=8";
    // A share of a thousand times the graph: it must run, not be scarce.
    let outcome = place.call(&format!("--json {bench} --param share=999"));
    if outcome.code != Some(0) && outcome.error().contains("in memory") {
        println!("SKIPPED: {}", outcome.error());
        return;
    }
    outcome.expect(0);
    let result = outcome.json();
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
    let left = std::fs::read_dir(place.path(".")).expect("a directory");
    assert_eq!(left.count(), 0, "everything is removed");
}

/// With next to no memory the work is ended, which is a result, not a failure.
#[test]
fn too_little_memory_is_reported() {
    let place = Place::new();
    let bench = "bench outofcore --scale 10 --threads 1 --directory . --param degree=8";
    let outcome = place.call(&format!("--json {bench} --param share=0.001"));
    if outcome.code != Some(0) {
        // RLIMIT_DATA makes allocations fail, which ends the process otherwise.
        println!("SKIPPED: {}", outcome.error());
        return;
    }
    let result = outcome.json();
    let runs = &result["tables"][1]["rows"];
    assert_eq!(runs[0]["finished"], true, "{result:#}");
    assert_eq!(runs[1]["finished"], false, "{result:#}");
}

#[test]
fn a_benchmark_that_there_is_not_is_wrong_usage() {
    let place = Place::new();
    for (command, error) in [
        ("bench nosuch", "there is no benchmark"),
        ("bench limits --param nosuch=1", "has no parameter"),
        ("bench limits --param nosuch", "name=value"),
    ] {
        let refused = place.call(command);
        refused.expect(2);
        assert!(refused.error().contains(error), "{}", refused.error());
    }
}
