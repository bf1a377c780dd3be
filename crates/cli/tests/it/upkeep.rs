//! Deleting vertices, compacting, sizing the buffers.

use crate::common::Place;

#[test]
fn vertices_are_deleted_with_their_edges() {
    let place = Place::new();
    place.file(
        "edges.txt",
        "ada bob\nbob ada\nbob bob\ncid ada\ncid dan\ndan cid\n",
    );
    place.json("import db edges.txt --ids text");
    place.file("gone.txt", "# who left\nbob\n\nnobody\nbob\n");
    let deleted = place.json("delete-vertices db gone.txt");
    assert_eq!(deleted["edges"], 3);
    assert_eq!(deleted["deleted"], 3);
    assert_eq!(deleted["vertices"], 1);
    assert_eq!(deleted["missed"], 1);
    assert_eq!(deleted["commits"], 1);
    let stats = place.json("stats db");
    assert_eq!(stats["vertices"], 4, "ids are never given away again");
    assert_eq!(place.json("check db")["entries"], 6 + 3);
    let compacted = place.json("compact db");
    assert_eq!(compacted["edges"], 3);
    assert!(compacted["bytes_after"].is_u64() && compacted["bytes_before"].is_u64());
    assert_eq!(place.json("check db")["entries"], 3);
}

#[test]
fn compacting_gives_space_back() {
    let place = Place::new();
    place.json("generate uniform --scale 12 -o u.txt");
    place.json("import db u.txt --undirected");
    place.json("delete-edges db u.txt");
    let compacted = place.json("compact db");
    assert_eq!(compacted["edges"], 0);
    let (before, after) = (&compacted["bytes_before"], &compacted["bytes_after"]);
    assert!(
        before.as_u64() > after.as_u64().map(|after| 4 * after),
        "{compacted}"
    );
    assert_eq!(place.json("check db")["entries"], 0);
}

#[test]
fn more_deletions_than_the_log_takes_are_one_commit() {
    let place = Place::new();
    place.json("generate uniform --scale 15 --degree 8 -o u.txt");
    place.json("import db u.txt --log-mib 1");
    let all: String = (0..1 << 15).map(|v| format!("{v}\n")).collect();
    place.file("all.txt", all);
    let deleted = place.json("delete-vertices db all.txt");
    assert_eq!(deleted["edges"], 0);
    assert_eq!(deleted["deleted"], 8 << 15);
    assert_eq!(deleted["commits"], 1);
    assert_eq!(place.json("check db")["ok"], true);
}

#[test]
fn bad_lists_of_vertices_are_refused() {
    let place = Place::new();
    place.file("edges.txt", "0 1\n1 2\n");
    place.json("import db edges.txt");
    place.file("bad.txt", "1\none\n");
    let refused = place.call("delete-vertices db bad.txt");
    refused.expect(1);
    assert!(refused.error().contains("bad.txt, line 2"), "{refused:?}");
    assert_eq!(place.json("stats db")["edges"], 2, "nothing was deleted");
    place.call("delete-vertices db missing.txt").expect(1);
    place.file("far.txt", "4294967295\n99999999999999\n");
    let far = place.json("delete-vertices db far.txt");
    assert_eq!((&far["missed"], &far["commits"]), (&2.into(), &0.into()));
}

#[test]
fn buffers_have_the_sizes_that_were_asked_for() {
    let place = Place::new();
    place.json("generate kron --scale 12 -o k.txt");
    let small = "--buffer-bytes 65536 --chunk-bytes 16..64 --batch-edges 4096 --log-mib 1";
    let imported = place.json(&format!("import db k.txt {small}"));
    assert_eq!(imported["edges"], 16 << 12);
    assert!(imported["commit_waits"].is_u64() && imported["commit_waited_seconds"].is_f64());
    let stats = place.json("stats db");
    for position in ["log_head", "log_marker", "log_buffering", "log_flushing"] {
        assert_eq!(stats[position], stats["log_head"], "{stats}");
    }
    assert!(stats["log_head"].as_u64() > Some(0), "{stats}");
    for zero in ["run_entries", "buffered_entries", "buffer_used_bytes"] {
        assert_eq!(stats[zero], 0, "{stats}");
    }
    assert!(stats["buffer_held_bytes"].is_u64() && stats["buffer_budget_bytes"].is_u64());
    assert!(stats["shards"].as_u64() >= Some(1), "{stats}");
    for wrong in ["64..16", "16", "3..64", "16..8192", "a..b"] {
        let refused = place.call(&format!("import other k.txt --chunk-bytes {wrong}"));
        refused.expect(2);
    }
    place.call("import other k.txt --buffer-bytes 1").expect(2);
}
