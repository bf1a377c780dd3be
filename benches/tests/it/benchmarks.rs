//! Every benchmark runs on a tiny graph and fills its tables. No time is asserted.

use evergraph_benches::{BenchArgs, NAMES, command_with, render};
use serde_json::Value;

fn run(name: &str, parameters: &[&str]) -> Value {
    let args = BenchArgs {
        name: name.to_string(),
        scale: Some(8),
        directory: Some(std::env::temp_dir()),
        assume_persistent: true,
        parameters: parameters.iter().map(|text| text.to_string()).collect(),
        ..BenchArgs::default()
    };
    let result = command_with(&args, &|_| {}).unwrap_or_else(|error| panic!("{name}: {error}"));
    for table in result["tables"].as_array().expect("tables") {
        let rows = table["rows"].as_array().expect("rows");
        assert!(!rows.is_empty(), "{name}: {} is empty", table["name"]);
    }
    assert!(render(&result).starts_with(name));
    result
}

#[test]
fn placement_saves_what_is_in_dram() {
    let result = run("placement", &["shares=0,0.5,1"]);
    for row in rows(&result, 0) {
        let of = |name: &str| {
            row[name]
                .as_f64()
                .unwrap_or_else(|| panic!("{name}: {row}"))
        };
        let expected = match of("share_in_dram") {
            0.0 => 0.0..=0.0,
            1.0 => 1.0..=1.0,
            _ => 0.01..=0.999,
        };
        assert!(expected.contains(&of("saved_at_once")), "{row}");
        assert!(expected.contains(&of("writes_in_dram")), "{row}");
    }
    // All that is drawn is half by one coefficient and half by the other.
    for row in rows(&result, 1) {
        let over = row["over_drawn"].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&over), "{row}");
    }
    for row in rows(&result, 2) {
        let of = |name: &str| row[name].as_f64().expect("a number");
        for other in ["cost_all_to_graph", "cost_all_to_state", "cost_as_printed"] {
            assert!(of("cost") <= of(other) * 1.0001, "{row}");
        }
    }
}

fn rows(result: &Value, table: usize) -> &[Value] {
    result["tables"][table]["rows"].as_array().expect("rows")
}

#[test]
fn every_kind_of_index_finds_every_key() {
    let result = run("index", &["lookups=500", "trials=1", "leaf-bytes=256"]);
    for table in [0, 2] {
        assert_eq!(rows(&result, table).len(), 4);
        assert_eq!(rows(&result, table + 1).len(), 2);
    }
}

#[test]
fn definitions_are_made_beside_writers() {
    let few = ["parts=define", "nodes=2000", "writers=3", "seconds=0.05"];
    let result = run("transactions", &few);
    assert_eq!(rows(&result, 0).len(), 9);
    for row in rows(&result, 0) {
        assert_eq!(row["outcome"], "done", "{row}");
    }
}

#[test]
fn columns_give_what_plain_arrays_give() {
    let result = run("columns", &["trials=1", "changed=25"]);
    assert_eq!(rows(&result, 0).len(), 2);
    assert!(rows(&result, 1).len() > 20);
    for row in rows(&result, 1) {
        assert_eq!(row["equal"], true, "{row}");
    }
    assert_eq!(rows(&result, 2).len(), 2);
    let beside = &rows(&result, 3)[1];
    assert!(beside["commits_a_second"].as_f64() > Some(0.0), "{beside}");
}

#[test]
fn the_social_network_is_read_and_updated() {
    let few = [
        "trials=1",
        "runs=20",
        "updates=1500",
        "clients=1,4",
        "commits=20",
    ];
    let result = run("snb", &[&["seed=3"], &few[..]].concat());
    assert_eq!(rows(&result, 0).len(), 5);
    assert_eq!(rows(&result, 1).len(), 9);
    assert_eq!(rows(&result, 2).len(), 8);
    assert_eq!(rows(&result, 3).len(), 2);
    for row in rows(&result, 3) {
        assert_eq!(row["commits"], 20, "{row}");
    }
}

#[test]
fn queries_run() {
    let result = run(
        "queries",
        &["trials=1", "runs=10", "updates=1500", "seed=3"],
    );
    assert_eq!(rows(&result, 0).len(), 10);
    assert_eq!(rows(&result, 1).len(), 21);
    assert_eq!(rows(&result, 2).len(), 10);
    assert_eq!(rows(&result, 3).len(), 8);
}

#[test]
fn media_give_the_same_rows_and_count() {
    let few = ["trials=1", "runs=3", "updates=1500", "seed=3", "threads=1"];
    let result = run("media", &few);
    let reads = rows(&result, 0);
    // Seven queries by index; by scans one more.
    assert_eq!(reads.len(), 3 * (7 + 8));
    for row in reads {
        assert_eq!(row["equal"], true, "{row}");
        let is_emulated = row["medium"] == "emulated";
        assert_eq!(
            row["opening_units"].as_u64() > Some(0),
            is_emulated,
            "{row}"
        );
    }
    // `None` where the system does not tell.
    let pages = |access: &str| -> Option<f64> {
        let of = |row: &&Value| row["medium"] == "file" && row["access"] == access;
        let pages = reads.iter().filter(of).map(|row| &row["pages_interpreted"]);
        pages.map(Value::as_f64).sum()
    };
    if let (Some(scan), Some(index)) = (pages("scan"), pages("index")) {
        assert!(scan > index && index > 0.0, "{scan} {index}");
    }
    assert_eq!(rows(&result, 1).len(), 7 + 1 + 8);
    assert!(rows(&result, 1)[7]["compile_us"].as_f64() > Some(0.0));
    let updates = rows(&result, 2);
    assert_eq!(updates.len(), 3 * 8);
    for row in updates.iter().filter(|row| row["medium"] == "emulated") {
        // Each is durable by itself.
        assert!(row["fences"].as_f64() >= Some(1.0), "{row}");
        assert!(row["lines_flushed"].as_f64() >= row["units_written"].as_f64());
    }
}

#[cfg(all(feature = "fulltext", feature = "vector"))]
#[test]
fn searches_find_what_reading_every_node_finds() {
    let result = run("search", &["vectors=300", "queries=5", "updates=10"]);
    for table in [0, 1] {
        let rows = rows(&result, table);
        assert!(rows.len() >= 7, "{rows:?}");
        assert!(rows.iter().all(|row| row["seconds"].as_f64() > Some(0.0)));
    }
}

#[test]
fn ingest_takes_every_edge_and_counts() {
    let result = run(
        "ingest",
        &["batches=100", "bytes=65536", "counting-scale=8"],
    );
    assert!(rows(&result, 0).iter().all(|row| row["complete"] == true));
    let direct = &rows(&result, 2)[0];
    assert_eq!(direct["mode"], "direct");
    // Each edge is durable by itself.
    assert!(direct["fences_per_edge"].as_f64() >= Some(1.0), "{direct}");
    for row in rows(&result, 3) {
        assert!(row["views"].as_u64() > Some(0), "{row}");
        // What is acknowledged is visible.
        assert_eq!(row["max_lag_edges"], 0, "{row}");
    }
    let both = ["batches=100", "directions=out,both", "modes=merged"];
    let result = run("ingest", &both);
    let case = |row: &Value| format!("{} {}", row["layout"], row["directions"]);
    let cases: std::collections::BTreeSet<_> = rows(&result, 0).iter().map(case).collect();
    assert_eq!(cases.len(), 4, "{cases:?}");
    run(
        "ingest",
        &["batches=100", "directions=undirected", "modes=merged"],
    );
}

#[test]
fn sweeps_force_merges_and_fill_buffers() {
    let few = ["thresholds=9,11", "threads=1", "batches=100"];
    let result = run("ingest", &few);
    let writes = |row: &Value| row["media_writes_per_edge"].as_f64().expect("a number");
    let points = rows(&result, 0);
    assert_eq!(points.len(), 4, "{points:?}");
    for pair in points.chunks(2) {
        let [often, seldom] = pair else { panic!() };
        assert_eq!(
            (&often["threshold_edges"], &seldom["threshold_edges"]),
            (&512.into(), &2048.into())
        );
        assert!(
            often["merges"].as_u64() > seldom["merges"].as_u64(),
            "{pair:?}"
        );
        assert!(writes(often) > writes(seldom), "{pair:?}");
    }
    let buffers = [
        "buffers=runs,16,256,hierarchy",
        "directions=out,both",
        "layouts=blocks",
    ];
    let result = run("ingest", &[&buffers[..], &["batches=100"]].concat());
    let points = rows(&result, 0);
    // One and two threads.
    assert_eq!(points.len(), 16);
    for row in points {
        assert_eq!(
            (&row["complete"], &row["max_lag_edges"]),
            (&true.into(), &0.into()),
            "{row}"
        );
        assert_eq!(row["counted_edges"], row["timed_edges"], "{row}");
    }
    let dram = |row: &Value| row["buffer_dram_bytes"].as_u64().expect("a number");
    let large = points
        .iter()
        .find(|row| row["buffers"] == "256")
        .expect("a row");
    let small = points
        .iter()
        .find(|row| row["buffers"] == "16")
        .expect("a row");
    assert!(dram(large) > dram(small), "{large} {small}");
}

#[test]
fn adaptive_ranges_are_dealt_evenly() {
    let result = run("imbalance", &["edges=12,14", "section-shift=2"]);
    let all = rows(&result, 0);
    let share = |row: &Value, of: &str| row[of].as_f64().expect("a number");
    for row in all {
        for of in ["adaptive", "store", "fixed_256"] {
            // Nobody does better than the average, or divides a list.
            let least = share(row, "largest_list").max(1.0);
            assert!(share(row, of) >= least - 0.001, "{of}: {row}");
        }
    }
    let worst = |row: &&Value| row["ids"] == "in order" && row["threads"] == 8;
    let row = all.iter().find(worst).expect("a row");
    assert!(share(row, "adaptive") < share(row, "fixed_256"), "{row}");
    let few = run("imbalance", &["edges=10", "threads=3"]);
    assert_eq!(rows(&few, 0).len(), 2);
}

#[test]
fn analyze_gives_equal_results_on_every_graph() {
    let result = run("analyze", &["trials=1"]);
    for table in [1, 3] {
        let rows = rows(&result, table);
        assert!(rows.iter().all(|row| row["equal"] == true), "{rows:?}");
    }
    for state in ["merged", "blocks", "blocks-compacted"] {
        let view = |row: &&Value| row["graph"] == format!("{state}, file");
        assert_eq!(rows(&result, 2).iter().filter(view).count(), 1, "{state}");
    }
    let beside = &rows(&result, 3)[0];
    assert!(beside["ingest_ratio"].as_f64() > Some(0.0), "{beside}");
}

#[test]
fn algorithms_run_and_verify_on_every_graph() {
    let of_degree = &["trials=1", "threads=2", "verify=yes", "algorithms=bfs,cc"];
    let result = run("algorithms", of_degree);
    let rows = rows(&result, 0);
    assert_eq!(rows.len(), 8, "{rows:#?}");
    for four in rows.chunks(4) {
        let graphs: Vec<_> = four.iter().map(|row| row["graph"].as_str()).collect();
        let expected = ["sealed", "compressed", "pma", "blocks"].map(Some);
        assert_eq!(graphs, expected);
        for row in four {
            assert_eq!(row["summary"], four[0]["summary"]);
            assert_eq!(row["medium_writes"], 0);
        }
    }
}

#[test]
fn every_way_to_push_reaches_the_same() {
    let result = run("edge-map", &["trials=1", "threads=2"]);
    let rows = rows(&result, 0);
    assert_eq!(rows.len(), 3, "{rows:#?}");
    assert!(rows.iter().all(|row| row["reached"] == rows[0]["reached"]));
}

#[test]
fn filters_of_all_block_sizes_have_the_same_edges() {
    let result = run("filter", &["trials=1", "threads=2"]);
    let rows = rows(&result, 0);
    assert_eq!(rows.len(), 3, "{rows:#?}");
    for row in rows {
        assert_eq!(row["edges"], rows[0]["edges"]);
        assert_eq!(row["triangles"], rows[0]["triangles"]);
        assert!(row["graph_over_filter"].as_f64() > Some(4.0), "{row}");
    }
}

#[test]
fn maintained_results_agree_with_runs_from_scratch() {
    let result = run("maintained", &["trials=1", "threads=2", "parts=0.0,0.01"]);
    let rows = rows(&result, 0);
    assert_eq!(rows.len(), 14, "{rows:#?}");
    assert!(rows.iter().all(|row| row["agrees"] == true), "{rows:#?}");
}

#[test]
fn slow_media_are_compared_on_every_problem() {
    let result = run("slow-medium", &["trials=1", "threads=1", "read-ns=10"]);
    // The problems of the paper, and their mean.
    assert_eq!(rows(&result, 0).len(), 18 + 1);
}

#[test]
fn onehop_gives_equal_answers_everywhere() {
    let result = run("onehop", &["count=2000"]);
    let rows = rows(&result, 0);
    assert!(rows.iter().all(|row| row["equal"] == true), "{rows:?}");
    assert!(rows.iter().any(|row| row["access"] == "View::neighbors"));
    assert!(
        rows.iter()
            .any(|row| row["graph"] == "blocks, merged, file")
    );
}

#[test]
fn delete_leaves_what_the_model_has() {
    for simple in ["simple=yes", "simple=no"] {
        let result = run("delete", &["batches=10,1000", "percent=40", simple]);
        let rows = rows(&result, 0);
        assert!(
            rows.iter().all(|row| row["as_expected"] == true),
            "{rows:?}"
        );
        for row in rows {
            assert_eq!(row["old_view_exact"], true, "{row}");
            let bytes = |of: &str| row[of].as_u64().expect("a number");
            assert!(
                bytes("extent_bytes_compacted") < bytes("extent_bytes_deleted"),
                "{row}"
            );
            // With few edges, alignment is most of it.
            let ratio = row["ratio_to_fresh"].as_f64().expect("a number");
            assert!(ratio < 1.5, "{row}");
        }
        let layouts = |layout| rows.iter().filter(|row| row["layout"] == layout).count();
        assert_eq!((layouts("pma"), layouts("blocks")), (4, 4));
    }
}

#[test]
fn ablation_counts_what_the_switches_change() {
    let result = run("ablation", &["trials=1", "latency=1", "sizes=64,2048"]);
    let lines = |row: &Value| row["line_flushes_per_edge"].as_f64().expect("a number");
    let table5 = rows(&result, 0);
    assert!(lines(&table5[0]) < lines(&table5[2]), "{table5:?}");
    // Of the moves of one ingest, an undo log flushes more than a relocation.
    let moves = rows(&result, 1);
    let fences = |row: &Value| row["fences_per_edge"].as_f64().expect("a number");
    for of_one_ingest in moves.chunks(3) {
        assert!(fences(&of_one_ingest[0]) < fences(&of_one_ingest[1]));
        assert!(fences(&of_one_ingest[1]) < fences(&of_one_ingest[2]));
    }
}

#[test]
fn recovery_finds_what_was_inserted() {
    let result = run("recovery", &["trials=1", "tail=1000", "batch=100"]);
    assert!(
        rows(&result, 0)
            .iter()
            .all(|row| row["as_expected"] == true)
    );
    let layouts = ["pma", "blocks"].map(|layout| {
        let merged = |row: &&Value| row["mode"] == "merged" && row["layout"] == layout;
        rows(&result, 0).iter().filter(merged).count()
    });
    assert_eq!(layouts, [4, 4]);
}

#[test]
fn snapshots_are_the_graphs_that_they_name() {
    for percent in ["percent=0", "percent=4"] {
        let result = run("history", &["snapshots=1,6", percent, "trials=1"]);
        for row in rows(&result, 0) {
            assert!(row["snapshots"] == 1 || row["delta_edges"].as_u64() > Some(0));
        }
        for row in rows(&result, 1) {
            assert_eq!(row["equal"], true, "{row}");
        }
    }
}

#[test]
fn a_run_that_was_cut_off_goes_on() {
    let result = run("checkpoint", &["trials=1", "iterations=30"]);
    for row in rows(&result, 0) {
        assert_eq!(row["as_expected"], true);
        assert!(row["resumed_after"].as_u64().expect("a step") > 0);
    }
}

#[test]
fn limits_and_indirection_measure() {
    run(
        "limits",
        &["bytes=8388608", "memory=1048576", "count=3000", "syncs=10"],
    );
    run("indirection", &["bytes=65536", "count=1000", "trials=1"]);
}

#[test]
fn files_of_other_systems_are_read() {
    let directory = std::env::temp_dir();
    let name = format!("evergraph-benches-{}", std::process::id());
    let (text, pairs) = (
        directory.join(format!("{name}.el")),
        directory.join(format!("{name}.bin")),
    );
    std::fs::write(&text, "# three edges\n0 1\n1 2\n0 2\n").unwrap();
    let words: [u32; 6] = [0, 1, 1, 2, 0, 2];
    std::fs::write(&pairs, words.map(u32::to_le_bytes).concat()).unwrap();
    for path in [&text, &pairs] {
        let graph = format!("graph={}", path.display());
        let result = run("analyze", &[&graph, "trials=1", "source=0"]);
        let pinned = &rows(&result, 2)[0];
        assert_eq!(
            (&pinned["vertices"], &pinned["arcs"]),
            (&4.into(), &6.into())
        );
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let refused = |name: &str, parameters: &[&str]| {
        let args = BenchArgs {
            name: name.to_string(),
            parameters: parameters.iter().map(|text| text.to_string()).collect(),
            ..BenchArgs::default()
        };
        command_with(&args, &|_| {}).expect_err("refused")
    };
    assert!(refused("ingst", &[]).contains("ingest"));
    assert!(refused("ingest", &["batch=1"]).contains("batches"));
    assert!(refused("ingest", &["layouts=blokcs"]).contains("blocks"));
    assert!(refused("ingest", &["directions=in"]).contains("undirected"));
    assert!(refused("ingest", &["directions=out,undirected"]).contains("alone"));
    assert!(refused("ingest", &["buffers=20"]).contains("power of two"));
    assert!(refused("ingest", &["thresholds=31"]).contains("powers of two"));
    assert!(refused("imbalance", &["edges=31"]).contains("powers of two"));
    let other = BenchArgs {
        name: "ablation".to_string(),
        layout: Some("blocks".to_string()),
        ..BenchArgs::default()
    };
    let refusal = command_with(&other, &|_| {}).expect_err("refused");
    assert!(refusal.contains("no choice of layouts"), "{refusal}");
    assert!(refused("limits", &["count=many"]).contains("many"));
    assert!(refused("analyze", &["states=cold"]).contains("merged"));
    for name in NAMES {
        assert!(refused(name, &["threads=0"]).contains("at least 1"));
    }
}
