//! Changing the layout: from the command line, and killed in the middle.

use std::path::Path;

use crate::common::{Place, killed_scale};
use evergraph::graph::{Graph, NeighborReader, StoredLists};
use evergraph::{Database, Layout, Options};

/// Out-lists, in order of insertion.
type Lists = Vec<Vec<u32>>;

/// The edges of a file of pairs.
fn edges_of(file: &Path) -> Vec<(usize, u32)> {
    let text = std::fs::read_to_string(file).expect("a file of edges");
    let pair = |line: &str| {
        let (u, v) = line.split_once(char::is_whitespace)?;
        Some((u.parse().ok()?, v.trim().parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

/// Lists of a database that imported `edges` and then lost `deleted`.
fn model(vertices: usize, edges: &[(usize, u32)], deleted: &[(usize, u32)]) -> Lists {
    let mut lists = vec![Vec::new(); vertices];
    for &(u, v) in edges {
        lists[u].push(v);
    }
    for &(u, v) in deleted {
        let latest = lists[u].iter().rposition(|&found| found == v);
        lists[u].remove(latest.expect("an edge that exists"));
    }
    lists
}

/// Compares every list, and says how many sections have which layout.
#[track_caller]
fn assert_holds(db: &Path, expected: &Lists) -> Vec<(Layout, usize)> {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let db = Database::open(db, &options).expect("the database opens");
    let view = db.view().graph().expect("a view");
    let mut reader = view.reader();
    let mut found = Vec::new();
    for (v, expected) in expected.iter().enumerate() {
        found.clear();
        // A file of edges does not name the last vertices if they have none.
        if v < view.vertex_count() {
            reader.neighbors_into(v as u32, &mut found);
        }
        assert_eq!(found, *expected, "vertex {v}");
    }
    db.store().sections_by_layout()
}

#[test]
fn a_killed_relayout_loses_nothing_and_is_finished() {
    let place = Place::new();
    let scale = killed_scale();
    place.json(&format!(
        "generate kron --scale {scale} --degree 2 --seed 5 -o k.txt"
    ));
    let db = place.path("db");
    // More sections than are converted at once, so that there are several steps.
    let options = Options {
        direction: StoredLists::Both,
        section_shift: scale - 11,
        ..Options::default()
    };
    let made = Database::create(&db, &options).expect("made");
    made.close().expect("closed");
    place.json("import db k.txt --append");
    let edges = edges_of(&place.path("k.txt"));
    let deleted: Vec<_> = edges.iter().copied().step_by(50).collect();
    let lines: String = deleted.iter().map(|(u, v)| format!("{u} {v}\n")).collect();
    place.file("d.txt", lines);
    place.json("delete-edges db d.txt");
    let expected = model(1 << scale, &edges, &deleted);
    let sections: usize = assert_holds(&db, &expected).iter().map(|s| s.1).sum();

    // Behind which steps there are sections of both layouts.
    let kills = [
        ("checkpoint.extents-written", 1, false),
        ("checkpoint.published", 1, true),
        ("relayout.step-published", 2, true),
        ("checkpoint.extents-written", 2, true),
        ("relayout.step-published", 1, true),
    ];
    for (round, (failpoint, time, is_mixed)) in kills.into_iter().enumerate() {
        let layout = ["blocks", "pma"][round % 2];
        let other = ["pma", "blocks"][round % 2];
        place.json(&format!("relayout db --layout {other}"));
        place.kill_at(failpoint, time, &format!("relayout db --layout {layout}"));
        let by_layout = assert_holds(&db, &expected);
        let stored: usize = by_layout.iter().map(|s| s.1).sum();
        assert_eq!(stored, sections, "{failpoint} {time}: {by_layout:?}");
        let mixed = by_layout.iter().all(|s| s.1 > 0);
        assert_eq!(mixed, is_mixed, "{failpoint} {time}: {by_layout:?}");
        assert_eq!(place.json("check db")["ok"], true, "{failpoint} {time}");
        // Some are finished now, the others by the next round.
        if round % 2 == 0 {
            let done = place.json(&format!("relayout db --layout {layout}"));
            assert_eq!(done["layout"], layout);
            let by_layout = assert_holds(&db, &expected);
            let other = by_layout.iter().find(|(known, _)| known.name() != layout);
            assert_eq!(other.expect("two layouts").1, 0, "{failpoint} {time}");
        }
    }
    place.json("relayout db --layout blocks");
    assert_holds(&db, &expected);
    let stats = place.json("stats db");
    assert_eq!(stats["sections_by_layout"]["pma"], 0, "{stats}");
    assert_eq!(stats["sections_by_layout"]["blocks"], sections, "{stats}");
}

#[test]
fn the_layout_is_chosen_changed_and_shown() {
    let place = Place::new();
    place.file("e.txt", "0 1\n0 2\n1 2\n");
    place.json("import db e.txt --layout blocks");
    let stats = place.json("stats db");
    assert_eq!(stats["layout"], "blocks");
    assert_eq!(stats["sections_by_layout"]["blocks"], 1, "{stats}");
    let done = place.json("relayout db --layout pma");
    assert_eq!(
        (&done["layout"], &done["layout_before"], &done["edges"]),
        (&"pma".into(), &"blocks".into(), &3.into())
    );
    assert!(done["bytes_before"].as_u64() > Some(0), "{done}");
    assert!(done["bytes_after"].as_u64() > Some(0), "{done}");
    assert_eq!(place.json("stats db")["layout"], "pma");
    // Sections that have the layout already stay as they are.
    let extents = std::fs::read(place.path("db/extents")).expect("readable");
    let again = place.json("relayout db --layout pma");
    assert_eq!(again["bytes_before"], again["bytes_after"], "{again}");
    assert_eq!(again["layout_before"], "pma");
    let stats = place.json("stats db");
    assert_eq!(stats["sections_by_layout"]["pma"], 1, "{stats}");
    assert_eq!(stats["edges"], 3);
    let same = std::fs::read(place.path("db/extents")).expect("readable");
    // The directory's root is written at each opening; sections are not.
    assert_eq!(same.len(), extents.len());
    // Adding to it keeps the layout that it has.
    let refused = place.call("import db e.txt --append --layout blocks");
    refused.expect(1);
    assert!(refused.error().contains("layout `pma`"), "{refused:#?}");
    assert!(
        refused.hint().contains("relayout db --layout blocks"),
        "{refused:#?}"
    );
    place.json("import db e.txt --append --layout pma");
    assert_eq!(place.json("stats db")["edges"], 6);
    // A database without edges keeps what it was told.
    let options = Options::default();
    let db = Database::create(place.path("new"), &options).expect("made");
    db.close().expect("closed");
    place.json("relayout new --layout blocks");
    assert_eq!(place.json("stats new")["layout"], "blocks");
}

#[test]
fn what_has_no_other_layout_says_so() {
    let place = Place::new();
    place.file("e.txt", "0 1\n0 2\n1 2\n");
    let dax = "--medium dax --assume-persistent";
    let refused = place.call(&format!(
        "import new e.txt --mode direct --layout blocks {dax}"
    ));
    refused.expect(1);
    assert!(refused.error().contains("direct mode"), "{refused:#?}");
    assert!(refused.hint().contains("merged mode"), "{refused:#?}");
    assert!(!place.path("new").exists());
    place.json(&format!("import direct e.txt --mode direct {dax}"));
    for layout in ["blocks", "pma"] {
        let refused = place.call(&format!("relayout direct --layout {layout} {dax}"));
        refused.expect(1);
        assert!(refused.error().contains("direct mode"), "{refused:#?}");
        assert!(refused.hint().contains("merged mode"), "{refused:#?}");
    }
    assert_eq!(place.json(&format!("stats direct {dax}"))["edges"], 3);
    place.json("import db e.txt");
    for command in [
        "relayout db --layout bloks",
        "import new e.txt --layout bloks",
    ] {
        let refused = place.call(command);
        refused.expect(2);
        assert!(refused.error().contains("bloks"), "{refused:#?}");
        assert!(
            refused.stderr.contains("similar value exists: 'blocks'"),
            "{refused:#?}"
        );
    }
    place.call("relayout db").expect(2);
    place.call("relayout nowhere --layout pma").expect(1);
    assert_eq!(place.json("stats db")["edges"], 3);
}
