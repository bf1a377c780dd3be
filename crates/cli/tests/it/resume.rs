//! Imports that are killed or interrupted, and go on.

use crate::common::{Place, killed_scale};

/// Points at which imports are killed, one after another: behind a commit that the
/// program was told of or not, before and behind the switch of the superblock's slots. A
/// checkpoint comes when the log of 1 MiB is full at the latest, and at the end: then
/// nothing is left.
const KILLS: [(&str, u32); 7] = [
    ("import.committed", 1),
    ("commit.logged", 3),
    ("import.committed", 17),
    ("checkpoint.extents-written", 1),
    ("commit.logged", 23),
    ("import.committed", 2),
    ("checkpoint.published", 1),
];

/// A file of edges, and what an import in one go makes of it. Their number, too.
fn prepare(place: &Place, flags: &str) -> (u64, String) {
    let scale = killed_scale();
    place.json(&format!("generate kron --scale {scale} --seed 5 -o k.txt"));
    place.json(&format!("import whole k.txt {flags}"));
    (16 << scale, values(place, "whole"))
}

fn values(place: &Place, db: &str) -> String {
    let outcome = place.call(&format!("run {db} bfs -o -"));
    outcome.expect(0);
    outcome.stdout
}

#[test]
fn a_killed_import_goes_on_behind_its_last_commit() {
    let place = Place::new();
    for flags in ["--undirected", "--ids map"] {
        let _ = std::fs::remove_dir_all(place.path("whole"));
        let (edges, expected) = prepare(&place, flags);
        let import = format!("import db k.txt {flags} --batch-edges 2000 --log-mib 1 --resume");
        for (failpoint, time) in KILLS {
            place.kill_at(failpoint, time, &import);
        }
        let done = place.json(&import);
        let (resumed, imported) = (&done["resumed_edges"], &done["imported_edges"]);
        assert!(
            resumed.as_u64() >= Some(2000 * (1 + 2 + 17 + 22 + 2)),
            "{done}"
        );
        let sum = resumed.as_u64().zip(imported.as_u64()).map(|(a, b)| a + b);
        assert_eq!(sum, Some(edges), "{done}");
        assert_eq!(done["edges"], edges, "{done}");
        assert_eq!(values(&place, "db"), expected);
        assert_eq!(place.json("check db")["ok"], true);
        // Nothing is imported twice.
        assert_eq!(place.json(&import)["imported_edges"], 0);
        assert_eq!(place.json("stats db")["edges"], edges);
        std::fs::remove_dir_all(place.path("db")).expect("the database is removed");
    }
}

#[test]
fn ctrl_c_keeps_what_was_committed() {
    an_import_stops_in_order("interrupt", 130);
}

#[test]
fn sigterm_keeps_what_was_committed() {
    an_import_stops_in_order("terminate", 143);
}

fn an_import_stops_in_order(signal: &str, code: i32) {
    let place = Place::new();
    let (edges, expected) = prepare(&place, "");
    let import = "import db k.txt --batch-edges 1000 --log-mib 1";
    let outcome = place.call_armed(&format!("import.committed={signal}@3"), import);
    outcome.expect(code);
    assert!(outcome.error().contains("interrupted"), "{outcome:#?}");
    assert!(outcome.hint().contains("--resume"), "{outcome:#?}");
    let kept = place.json("stats db");
    assert_eq!(kept["clean"], true, "it stops in order: {kept}");
    assert_eq!(kept["edges"], 3000, "{kept}");
    let other = place.call("import db k.txt");
    other.expect(1);
    let done = place.json(&format!("{import} --resume"));
    assert_eq!(done["edges"], edges);
    assert_eq!(done["resumed_edges"], kept["edges"]);
    assert_eq!(values(&place, "db"), expected);
}

#[test]
fn the_demo_proves_what_it_says() {
    let place = Place::new();
    let demo = place.json("demo --keep kept");
    assert_eq!(demo["ok"], true);
    let names: Vec<&str> = demo["steps"]
        .as_array()
        .expect("a list of steps")
        .iter()
        .map(|step| step["name"].as_str().expect("a name"))
        .collect();
    for name in [
        "ingest",
        "pagerank",
        "kill -9, round 3",
        "recover, round 3",
        "travel back",
        "check",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(place.json("check kept")["ok"], true);
}

#[test]
fn a_killed_import_of_a_property_graph_goes_on_behind_its_last_commit() {
    let place = Place::new();
    let made = place.json("generate social --scale 0.02 --seed 7 -o social");
    let count = |kind: &str| made[kind].as_u64().expect("a count");
    let counts = (count("nodes"), count("relationships"));
    a_killed_import_goes_on(&place, "social", counts);
}

#[test]
fn a_killed_import_of_tables_goes_on_behind_its_last_commit() {
    const ROWS: u64 = 20_000;
    let place = Place::new();
    let row = |i: u64| format!("{i},name {i},{},t{}\n", i * 7 % ROWS, i % 900);
    let rows: String = (0..ROWS).map(row).collect();
    place.file("people.csv", format!("id,name,knows,team\n{rows}"));
    let mapping = "infer = true\n[[table]]\nfile = \"people.csv\"\nlabel = \"Person\"\nkey = \"id\"\n\
                   [[table.relationship]]\ntype = \"KNOWS\"\nto = { Person = \"knows\" }\n\
                   [[table.relationship]]\ntype = \"IN\"\nto = { Team = \"team\" }\n\
                   [[table]]\nfile = \"people.csv\"\nlabel = \"Team\"\nkey = \"team\"\n\
                   merge = true\nproperties = \"team\"\n";
    place.file("people.toml", mapping);
    a_killed_import_goes_on(&place, "people.toml", (ROWS + 900, 2 * ROWS));
}

/// Kills an import again and again, and holds what it comes to against one in one go.
fn a_killed_import_goes_on(place: &Place, files: &str, counts: (u64, u64)) {
    place.json(&format!("import whole {files}"));
    let content = |db: &str| {
        place.json(&format!("export {db} {db}.jsonl"));
        std::fs::read_to_string(place.path(&format!("{db}.jsonl"))).expect("it is written")
    };
    let import = format!("import db {files} --batch-edges 300 --log-mib 1 --resume");
    for (failpoint, time) in KILLS {
        place.kill_at(failpoint, time, &import);
    }
    // Behind its last row, and before it says so.
    place.kill_at("import.ended", 1, &import);
    let done = place.json(&import);
    let sum = |kind: &str| {
        let resumed = done[format!("resumed_{kind}")].as_u64();
        resumed.zip(done[kind].as_u64()).map(|(a, b)| a + b)
    };
    assert_eq!(sum("nodes"), Some(counts.0), "{done}");
    assert_eq!(sum("relationships"), Some(counts.1), "{done}");
    // With the same ids, too.
    assert_eq!(content("db"), content("whole"));
    assert_eq!(place.json("check db")["ok"], true);
    // Nothing is imported twice.
    assert_eq!(place.json(&import)["nodes"], 0);
}

/// An import that is killed before its first commit goes on as one that is killed later:
/// a creation, the first import, a second one, a deletion.
#[test]
fn what_is_killed_before_its_first_commit_goes_on() {
    let place = Place::new();
    place.file("one.txt", "0 1\n1 2\n");
    place.file("two.txt", "2 3\n");
    let edges = |done: serde_json::Value| (done["imported_edges"].as_u64(), done["edges"].as_u64());
    for killed in ["create.before-root", "import.begun"] {
        place.kill_at(killed, 1, "import db one.txt");
        let done = place.json("import db one.txt --resume");
        assert_eq!(edges(done), (Some(2), Some(2)), "{killed}");
        std::fs::remove_dir_all(place.path("db")).expect("removed");
    }
    place.json("import db one.txt");
    place.kill_at("import.begun", 1, "import db two.txt --append");
    let done = place.json("import db two.txt --resume");
    assert_eq!(edges(done), (Some(1), Some(3)));
    place.kill_at("import.begun", 1, "delete-edges db two.txt");
    assert_eq!(place.json("delete-edges db two.txt --resume")["deleted"], 1);
    // Done is done, and what was never begun is not taken for it.
    assert_eq!(place.json("delete-edges db two.txt --resume")["deleted"], 0);
    assert_eq!(place.json("stats db")["edges"], 2);
    place.file("other.txt", "4 5\n");
    place.call("import db other.txt --resume").expect(1);
}

#[test]
fn an_import_of_nodes_that_is_killed_before_its_first_commit_goes_on() {
    let place = Place::new();
    let node = |id: u32| {
        format!(
            "{{\"type\":\"node\",\"id\":\"{id}\",\"labels\":[\"Person\"],\"properties\":{{}}}}\n"
        )
    };
    place.file("one.jsonl", node(1) + &node(2));
    place.file("two.jsonl", node(3));
    place.kill_at("import.begun", 1, "import db one.jsonl");
    assert_eq!(place.json("import db one.jsonl --resume")["nodes"], 2);
    place.kill_at("import.begun", 1, "import db two.jsonl --append");
    assert_eq!(place.json("import db two.jsonl --resume")["nodes"], 1);
    assert_eq!(place.json("import db two.jsonl --resume")["nodes"], 0);
    assert_eq!(place.json("stats db")["property_graph"]["nodes"], 3);
}

/// A script that always gives one command, with `--append --resume`, whenever it is killed.
#[test]
fn an_import_that_is_appended_begins_and_goes_on_by_one_command() {
    let place = Place::new();
    place.file("one.txt", "0 1\n1 2\n");
    place.file("two.txt", "2 3\n3 4\n4 5\n");
    place.file("other.txt", "5 6\n");
    let import = |file: &str| format!("import db {file}.txt --append --resume --batch-edges 1");
    let edges = |done: serde_json::Value| (done["imported_edges"].as_u64(), done["edges"].as_u64());
    assert_eq!(edges(place.json(&import("one"))), (Some(2), Some(2)));
    // Nothing of it is in: as if a process was killed before.
    place.kill_at("import.begun", 1, &import("two"));
    place.kill_at("import.committed", 2, &import("two"));
    // What is cut off is not left for other files.
    let refused = place.call(&import("other"));
    refused.expect(1);
    assert!(refused.error().contains("is of other files"), "{refused:?}");
    assert_eq!(edges(place.json(&import("two"))), (Some(1), Some(5)));
    // What has ended is not imported again, whatever came behind it.
    assert_eq!(edges(place.json(&import("two"))), (Some(0), Some(5)));
    assert_eq!(edges(place.json(&import("one"))), (Some(0), Some(5)));
    // Of what failed nothing is in: neither it nor others have to wait for it.
    place.file("bad.txt", "7 8\n9 oops\n");
    let all_at_once = |file: &str| format!("import db {file}.txt --append --resume");
    place.call(&all_at_once("bad")).expect(1);
    assert_eq!(edges(place.json(&import("other"))), (Some(1), Some(6)));
    place.file("bad.txt", "7 8\n9 10\n");
    assert_eq!(edges(place.json(&all_at_once("bad"))), (Some(2), Some(8)));
}

#[test]
fn nodes_that_are_appended_begin_and_go_on_by_one_command() {
    let place = Place::new();
    for (file, ids) in [("one", 0..3), ("two", 3..6), ("other", 6..7)] {
        let rows: String = ids.map(|id| format!("{id}\n")).collect();
        place.file(&format!("{file}.csv"), format!("id:int\n{rows}"));
    }
    let import =
        |file: &str| format!("import db --nodes A={file}.csv --append --resume --batch-edges 1");
    let nodes = || place.json("stats db")["property_graph"]["nodes"].clone();
    place.json(&import("one"));
    place.kill_at("import.begun", 1, &import("two"));
    place.kill_at("import.committed", 1, &import("two"));
    let refused = |file: &str, why: &str| {
        let refused = place.call(&import(file));
        refused.expect(1);
        assert!(refused.error().contains(why), "{refused:?}");
    };
    refused("other", "of other files");
    place.json(&import("two"));
    assert_eq!(nodes(), 6);
    for file in ["one", "two", "one"] {
        assert_eq!(place.json(&import(file))["nodes"], 0, "{file}");
    }
    assert_eq!(place.json(&import("other"))["nodes"], 1);
    assert_eq!(place.json(&import("one"))["nodes"], 0);
    assert_eq!(nodes(), 7);
    // Behind a part that others have left, nothing begins a second time.
    place.file("three.csv", "id:int\n7\n8\n9\n");
    place.file("last.csv", "id:int\n10\n");
    place.kill_at("import.committed", 1, &import("three"));
    let appended = "import db --nodes A=last.csv --append";
    assert_eq!(place.json(appended)["nodes"], 1);
    refused("three", "was cut off");
    assert_eq!(place.json(&import("last"))["nodes"], 0);
    // Of what failed nothing is in.
    place.file("bad.csv", "id:int\n11\nx\n");
    let at_once = "import db --nodes A=bad.csv --append --resume";
    place.call(at_once).expect(1);
    place.file("bad.csv", "id:int\n11\n12\n");
    assert_eq!(place.json(at_once)["nodes"], 2);
}

/// Also lines that were read before a kill and not committed.
#[test]
fn rejected_lines_are_in_their_file_once_however_often_an_import_is_killed() {
    let place = Place::new();
    let line = |at: u32| match at % 3 {
        0 => format!("x {at}\n"),
        _ => format!("{at} {}\n", at + 1),
    };
    place.file("edges.txt", (1..=30_000).map(line).collect::<String>());
    place.json("import whole edges.txt --rejects whole.csv");
    let import = "import db edges.txt --rejects bad.csv --batch-edges 1000 --resume";
    for time in [2, 3, 1] {
        place.kill_at("import.committed", time, import);
    }
    place.json(import);
    let read = |name| std::fs::read_to_string(place.path(name)).expect("written");
    assert_eq!(read("bad.csv"), read("whole.csv"));
    assert_eq!(read("bad.csv").lines().count(), 10_001);
}

/// Files of one length that begin with the same 64 KiB.
#[test]
fn another_end_makes_another_file() {
    let place = Place::new();
    let beginning = "0 1\n".repeat(30_000);
    place.file("edges.txt", beginning.clone() + "1 2\n");
    let import = "import db edges.txt --batch-edges 1000 --resume";
    place.kill_at("import.committed", 2, import);
    place.file("edges.txt", beginning + "1 3\n");
    let refused = place.failures(&[import]);
    assert!(refused.contains("is of other files"), "{refused}");
}
