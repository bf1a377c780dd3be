//! Output of the commands, with `--json` and without.

use crate::common::Place;
use serde_json::json;

fn small_graph() -> Place {
    let place = Place::new();
    place.file(
        "edges.txt",
        "# a path and a triangle\n0 1\n1 2\n2 3\n4 5\n5 6\n6 4\n",
    );
    place
}

#[test]
fn reports_hold_the_numbers_of_the_graph() {
    let place = Place::new();
    let generated = place.json("generate kron --scale 10 --degree 8 -o k.txt.zst");
    assert_eq!(
        generated,
        json!({"vertices": 1024, "edges": 8192, "files": ["k.txt.zst"]})
    );
    let imported = place.json("import db k.txt.zst --undirected");
    assert_eq!(imported["edges"], 8192);
    assert!(imported["media_writes_per_edge"].is_null());
    let stats = place.json("stats db");
    assert_eq!(stats["edges"], 8192);
    assert_eq!(stats["clean"], true);
    assert_eq!(stats["directions"], "undirected");
    let run = place.json("run db bfs --threads 1");
    assert!(run["dram_bytes"].as_u64() > Some(1024), "{run}");
    let checked = place.json("check db");
    assert_eq!(checked["ok"], true);
    assert_eq!(checked["entries"], 2 * 8192);
}

#[test]
fn emulated_media_count_their_writes() {
    let place = Place::new();
    place.json("generate uniform --scale 10 -o u.e");
    for medium in [
        "--emulated",
        "--medium dax --assume-persistent --emulated",
        "--medium dram --emulated",
    ] {
        let imported = place.json(&format!("import db {medium} u.e"));
        assert!(
            imported["media_writes_per_edge"].as_f64() > Some(0.0),
            "{imported}"
        );
        assert_eq!(imported["edges"], 16384);
        let _ = std::fs::remove_dir_all(place.path("db"));
    }
}

#[test]
fn a_database_of_a_mapped_medium_opens_without_flags() {
    let place = small_graph();
    let imported = place.json("import db edges.txt --medium dax --assume-persistent");
    assert_eq!(imported["survives"], "process");
    assert_eq!(place.json("stats db")["edges"], 6);
    assert_eq!(
        place.json("check db --medium battery --assume-persistent")["ok"],
        true
    );
}

#[test]
fn kernels_agree_with_their_verifiers() {
    let place = Place::new();
    place.json("generate kron --scale 9 --degree 6 --seed 7 -o k.txt");
    for flags in ["", "--undirected", "--directions both"] {
        let _ = std::fs::remove_dir_all(place.path("db"));
        place.json(&format!("import db k.txt {flags}"));
        for run in [
            "pr",
            "pagerank --param iterations=5 --param precision=single",
            "pr --param tolerance=1e-3 --param damping=0.5",
            "bfs",
            "bfs --source 3 --param output=parents",
            "bc --source 1 --source 2",
            "betweenness --param source=1,2,3 --param normalized=true",
            "cc",
            "wcc --threads 1",
            "scc",
            "strongly-connected-components --threads 1",
            "bicc",
            "topological-order",
            "sf",
            "msf",
            "coloring",
            "coloring --param seed=1",
            "mis",
            "mis --param seed=1",
        ] {
            let done = place.json(&format!("run db {run} --param verify=true"));
            assert_eq!(done["verified"], true, "{flags} {run}: {done}");
        }
    }
}

#[test]
fn values_are_written_with_external_ids() {
    let place = Place::new();
    place.file("named.csv", "source,target\nada,bob\nbob,\"c, d\"\nx,y\n");
    place.json("import db named.csv --ids map");
    let run = |arguments: &str| {
        let outcome = place.call(&format!("run db {arguments} -o -"));
        outcome.expect(0);
        outcome.stdout
    };
    assert_eq!(
        run("bfs --source ada"),
        "ada 0\nbob 1\n\"c, d\" 2\nx inf\ny inf\n"
    );
    let parents = run("bfs --source ada --param output=parents");
    assert_eq!(parents, "ada ada\nbob ada\n\"c, d\" bob\nx inf\ny inf\n");
    assert_eq!(run("cc"), "ada ada\nbob ada\n\"c, d\" ada\nx x\ny x\n");
    assert!(run("bc --source ada").contains("bob 1\n"));
    let outcome = place.call("run db cc -o out.txt");
    outcome.expect(0);
    assert!(place.path("out.txt").exists() && !place.path("out.txt.partial").exists());
}

#[test]
fn numbers_can_be_mapped() {
    let place = Place::new();
    place.file("n.txt", "18446744073709551615 5\n5 900\n");
    place.json("import db n.txt --ids map");
    let outcome = place.call("run db bfs --source 5 -o -");
    assert_eq!(outcome.stdout, "18446744073709551615 inf\n5 0\n900 1\n");
    // Ids of the first import are known to the second.
    place.file("more.txt", "900 7\n");
    let more = place.json("import db more.txt --append");
    assert_eq!(more["vertices"], 4);
    let outcome = place.call("run db bfs --source 5 -o -");
    assert_eq!(
        outcome.stdout,
        "18446744073709551615 inf\n5 0\n900 1\n7 2\n"
    );
}

#[test]
fn edges_are_deleted() {
    let place = small_graph();
    place.json("import db edges.txt --undirected");
    place.file("gone.txt", "3 2\n0 1\n0 1\n7 9\n");
    let deleted = place.json("delete-edges db gone.txt");
    assert_eq!(deleted["deleted"], 2, "{deleted}");
    assert_eq!(deleted["missed"], 2);
    assert_eq!(deleted["edges"], 4);
    assert_eq!(place.json("stats db")["edges"], 4);
    let components = place.json("run db cc --param verify=true");
    assert_eq!(components["result"]["components"], 4);
    assert_eq!(place.json("check db")["ok"], true);
}

#[test]
fn direct_mode_keeps_weights_and_both_directions() {
    let place = Place::new();
    place.file("w.txt", "0 1 0.5\n1 2 2.5\n2 0 4\n2 2 8\n");
    for lists in ["--directions both", "--undirected", "--directions out"] {
        for weights in ["--weighted", ""] {
            let how = "--mode direct --medium dax --assume-persistent";
            let imported = place.json(&format!("import db w.txt {how} {lists} {weights}"));
            assert_eq!(imported["edges"], 4, "{lists} {weights}");
            let stats = place.json("stats db");
            assert_eq!(stats["weighted"], !weights.is_empty());
            assert_eq!(stats["vertices"], 3);
            assert_eq!(place.json("check db")["ok"], true);
            let bfs = place.call("run db bfs --source 0 -o -").stdout;
            assert_eq!(bfs.lines().count(), 3, "{bfs}");
            std::fs::remove_dir_all(place.path("db")).unwrap();
        }
    }
}

#[test]
fn weights_times_and_formats_are_read() {
    let place = Place::new();
    place.file("w.txt", "0 1 0.5 1000\n1 2 2.5 2000\n");
    place.json("import weighted w.txt --weighted --timestamps");
    let stats = place.json("stats weighted");
    assert_eq!(stats["weighted"], true);
    assert_eq!(stats["wall_us"], 2_000_000_000_i64);
    let head = "%%MatrixMarket matrix coordinate pattern symmetric\n";
    place.file("m.mtx", format!("{head}5 5 2\n2 1\n3 3\n"));
    let symmetric = place.json("import matrix m.mtx");
    assert_eq!(
        (&symmetric["edges"], &symmetric["vertices"]),
        (&json!(2), &json!(5))
    );
    assert_eq!(place.json("stats matrix")["directions"], "undirected");
    // In a directed graph an undirected edge is two.
    assert_eq!(
        place.json("import directed m.mtx --directions out")["edges"],
        3
    );
    let table = "kind|from|weight|to\nx|7|1.5|8\nx|8|2|9\n";
    place.file("t.csv", table);
    let columns = "--source-column from --target-column 4 --weight-column weight --separator |";
    place.json(&format!(
        "import table t.csv {columns} --weighted --ids map"
    ));
    assert_eq!(
        place.call("run table bfs --source 7 -o -").stdout,
        "7 0\n8 1\n9 2\n"
    );
    place.file("g.gr", "c roads\np sp 3 2\na 1 2 7\na 2 3 9\n");
    assert_eq!(place.json("import roads g.gr --weighted")["edges"], 2);
}

#[test]
fn a_closed_pipe_is_no_crash() {
    use std::io::Read;
    let place = Place::new();
    let mut child = place.start("generate uniform --scale 14 -o -");
    let mut start = [0; 10];
    child
        .stdout
        .take()
        .expect("a pipe")
        .read_exact(&mut start)
        .expect("some edges");
    // The pipe is closed here.
    let output = child.wait_with_output().expect("the program ends");
    let outcome = crate::common::Outcome::new("generate", output);
    outcome.expect(0);
    assert!(!outcome.stderr.contains("panicked"), "{outcome:#?}");
}

#[test]
fn events_are_imported_with_their_deletions() {
    let place = Place::new();
    place.file(
        "changes.tsv",
        "# date, change, ends\n1997-11-08\t+\t1\t3\n1997-11-08\t+\t3\t2\n\
         1997-11-09\t-\t3\t1\n1997-11-09\t-\t5\t6\n1997-11-09\t+\t2\t2\n",
    );
    let imported = place.json("import db changes.tsv --undirected --timestamps --batch-edges 2");
    assert_eq!(imported["edges"], 2, "{imported}");
    assert_eq!(imported["imported_edges"], 3);
    assert_eq!(
        (&imported["deleted"], &imported["missed_deletes"]),
        (&json!(1), &json!(1))
    );
    let stats = place.json("stats db");
    // 9 November 1997.
    assert_eq!(stats["wall_us"], 879_033_600_000_000_i64);
    let refused = place.call("delete-edges db changes.tsv");
    refused.expect(1);
    assert!(refused.error().contains("lists events"), "{refused:#?}");
    let text = place.call("import text changes.tsv --format events --undirected --ids map");
    text.expect(0);
    assert!(text.stdout.contains("deleted"), "{text:#?}");
    place.file("bad.txt", "+ 1 2\n* 1 2\n");
    let bad = place.call("import other bad.txt");
    bad.expect(1);
    assert!(bad.error().contains("neither + nor -"), "{bad:#?}");
}

#[test]
fn property_graphs_are_imported_counted_and_verified() {
    let place = Place::new();
    let made = place.json("generate social --scale 0.001 --seed 3 -o social");
    let imported = place.json("import graph social");
    assert_eq!(
        (&imported["nodes"], &imported["relationships"]),
        (&made["nodes"], &made["relationships"])
    );
    let stats = place.json("stats graph");
    let counted = &stats["property_graph"];
    assert_eq!(
        (&counted["nodes"], &counted["relationships"]),
        (&made["nodes"], &made["relationships"])
    );
    assert_eq!(counted["labels"]["Person"], made["persons"]);
    assert_eq!(place.json("check graph")["ok"], true);

    place.file(
        "film.jsonl",
        concat!(
            "{\"id\": 1, \"label\": \"Person\", \"props\": {\"born\": 1964}}\n",
            "{\"from\": 1, \"type\": \"ACTED_IN\", \"to\": 2}\n",
            "{\"id\": 2, \"label\": \"Film\"}\n",
            "{\"from\": 1, \"type\": \"ACTED_IN\", \"to\": 3}\n",
        ),
    );
    let refused = place.call("import film film.jsonl");
    refused.expect(1);
    assert!(refused.stderr.contains("film.jsonl:4: there is no node 3"));
    place.json("import film2 film.jsonl --skip-bad 1");
    let counted = &place.json("stats film2")["property_graph"];
    assert_eq!(counted["types"]["ACTED_IN"], 1);

    // Commands about plain edges refuse a property graph and say why.
    for command in [
        "seal film2",
        "maintain film2 pagerank --name p",
        "import film2 film.jsonl --undirected --append",
        "import film2 film.jsonl",
    ] {
        let refused = place.call(command);
        assert_ne!(refused.code, Some(0), "{command}");
        assert!(refused.stderr.contains("hint: "), "{command}");
    }
}

#[test]
fn what_is_exported_is_imported_again() {
    let place = Place::new();
    place.json("generate social --scale 0.001 --seed 3 -o social");
    let made = place.json("import graph social");
    for (flags, output) in [
        ("", "csv"),
        ("", "all.jsonl.zst"),
        ("--format graphml", "all.xml.graphml"),
    ] {
        let exported = place.json(&format!("export graph {output} {flags}"));
        assert_eq!(exported["nodes"], made["nodes"]);
        assert_eq!(exported["relationships"], made["relationships"]);
        let again = place.json(&format!("import again-{output} {output}"));
        assert_eq!(again["nodes"], made["nodes"]);
        assert_eq!(again["relationships"], made["relationships"]);
        let counted = |db: &str| place.json(&format!("stats {db}"))["property_graph"].clone();
        assert_eq!(counted(&format!("again-{output}")), counted("graph"));
    }
    let part = place.json("export graph part.jsonl --labels Person --types KNOWS");
    assert_eq!(part["files"], 1);
    assert!(part["nodes"].as_u64() < made["nodes"].as_u64());
    let there = place.call("export graph csv");
    there.expect(1);
    assert!(there.stderr.contains("is there already"), "{there:#?}");
    let refused = place.call("export graph other.csv --format csv");
    refused.expect(2);
    for command in [
        "export graph other.csv",
        "export graph -",
        "--json export graph - --format jsonl",
    ] {
        place.call(command).expect(2);
    }
    assert!(!place.path("other.csv").exists() && !place.path("-").exists());
    let streamed = place.call("export graph - --format jsonl --labels Person --types KNOWS");
    streamed.expect(0);
    let file = std::fs::read_to_string(place.path("part.jsonl")).unwrap();
    assert_eq!(streamed.stdout, file);

    place.file("e.csv", "source,target,weight\na,b,0.5\nb,c,2\n");
    place.json("import edges e.csv --undirected --weighted --ids text");
    let exported = place.call("export edges out.tsv");
    exported.expect(0);
    assert!(
        exported
            .stdout
            .contains("evergraph import NEW out.tsv --undirected --weighted --ids text"),
        "{exported:#?}"
    );
    let text = std::fs::read_to_string(place.path("out.tsv")).unwrap();
    assert_eq!(text, "source\ttarget\tweight\na\tb\t0.5\nb\tc\t2\n");
    let streamed = place.call("export edges - --format csv");
    assert_eq!(streamed.stdout, text.replace('\t', ","));
    for command in [
        "export edges out.unknown",
        "export edges out.txt --labels Person",
        "export edges out.txt --format jsonl",
        "delete-edges edges e.csv --format ldbc",
    ] {
        place.call(command).expect(2);
    }
    assert!(!place.path("out.txt").exists());
}

/// Titles over texts are told by their words, or by a flag.
#[test]
fn titles_are_told_or_said() {
    let place = Place::new();
    place.file("known.csv", "follower,followee\nann,bob\njoe,ann\n");
    place.file("unknown.csv", "left,right\nann,bob\njoe,ann\n");
    for (db, arguments, edges) in [
        ("a", "known.csv", 2),
        ("b", "known.csv --header no", 3),
        ("c", "unknown.csv", 3),
        ("d", "unknown.csv --header yes", 2),
    ] {
        let done = place.json(&format!("import {db} {arguments}"));
        assert_eq!(done["edges"], edges, "{arguments}");
    }
    let refused = place.call("import db known.csv --header maybe");
    refused.expect(2);
    assert!(refused.stderr.contains("give yes or no"), "{refused:?}");
}
