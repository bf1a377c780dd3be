//! The past from the command line: importing it, naming it, asking it, forgetting it.

use crate::common::Place;
use expect_test::expect;
use serde_json::{Value, json};

/// Edges of four months; those of July are missing.
const EVENTS: &str = "\
# op from to time
+ 1 2 2016-04-03
+ 2 3 2016-05-01
+ 3 1 2016-05-17T08:00:00Z
- 2 3 2016-06-02
+ 3 4 2016-06-30
+ 4 5 2016-08-01
";

fn months() -> Place {
    let place = Place::new();
    place.file("events.tsv", EVENTS);
    let imported = place.json("import db events.tsv --undirected --snapshot-every 1mo");
    assert_eq!(imported["snapshots"], 4, "{imported}");
    assert_eq!(imported["commits"], 4);
    place
}

fn names(place: &Place) -> Vec<String> {
    let listed = place.json("snapshot db list");
    let snapshots = listed["snapshots"].as_array().unwrap();
    let name = |snapshot: &Value| snapshot["name"].as_str().unwrap().to_string();
    snapshots.iter().map(name).collect()
}

/// Complaint and hint of a command that fails.
fn complaint(place: &Place, arguments: &str, code: i32) -> String {
    let outcome = place.call(arguments);
    outcome.expect(code);
    format!("{}; {}", outcome.error(), outcome.hint())
}

#[test]
fn months_are_imported_listed_and_asked() {
    let place = months();
    let listed = place.json("snapshot db list");
    let last = &listed["snapshots"][2];
    assert_eq!(
        (
            &last["name"],
            &last["csn"],
            &last["vertices"],
            &last["edges"]
        ),
        (&json!("2016-06"), &json!(3), &json!(4), &json!(3))
    );
    assert_eq!(last["time"], "2016-06-30T23:59:59Z");
    let text = place.call("snapshot db list").stdout;
    assert!(text.starts_with("NAME     COMMIT"), "{text}");
    for at in ["2016-04", "2016-05", "2016-06", "now"] {
        let ran = place.json(&format!("run db cc --param verify=true --as-of {at}"));
        assert_eq!(ran["verified"], true);
        assert_eq!(ran["result"]["components"], 1, "{at}");
    }
    let of = |at: &str| {
        place
            .call(&format!("run db bfs --source 2 -o - --as-of {at}"))
            .stdout
    };
    // No 0, which has no edge; 2 and 3 are neighbors in May, and not in June.
    assert_eq!(of("2016-05"), "1 1\n2 0\n3 1\n");
    assert_eq!(of("2016-07-15"), "1 1\n2 0\n3 2\n4 3\n");
    assert_eq!(of("1"), "1 1\n2 0\n");
    assert_eq!(place.json("run db cc --as-of 2016-04")["edges"], 1);
    assert_eq!(place.json("check db")["ok"], true);
}

#[test]
fn what_changed_between_two_months() {
    let place = months();
    let changed = place.json("snapshot db diff 2016-05 2016-06");
    assert_eq!(
        changed,
        json!({
            "from": { "name": "2016-05", "csn": 2 },
            "to": { "name": "2016-06", "csn": 3 },
            "added_edges": 1,
            "removed_edges": 1,
            "added_vertices": 1,
            "removed_vertices": 0,
        })
    );
    let text = place.call("snapshot db diff 2016-05 2016-06").stdout;
    assert!(text.ends_with("- 2 3\n+ 3 4\n"), "{text}");
    let lines = place.call("snapshot db diff 2016-04 -o -").stdout;
    assert_eq!(lines, "+ 1 3\n+ 3 4\n+ 4 5\n");
    let both = complaint(&place, "--json snapshot db diff 2016-04 -o -", 2);
    assert!(both.contains("both want standard output"), "{both}");
    let short = place.call("snapshot db diff 2016-04 --limit 1").stdout;
    assert!(
        short.ends_with("3 edges\nremoved       0 edges\nnew vertices  3\n+ 1 3\n"),
        "{short}"
    );
    // The output is a file of events, whose import makes one snapshot of the other.
    place
        .call("snapshot db diff 2016-05 now -o changes.tsv")
        .expect(0);
    place.file("may.txt", "1 2\n2 3\n3 1\n");
    place.json("import other may.txt --undirected");
    place.json("import other changes.tsv --format events --append");
    let of = |db: &str| place.call(&format!("run {db} cc -o -")).stdout;
    assert_eq!(of("other"), of("db"));
    let back = place.json("snapshot db diff now 2016-05");
    assert_eq!(back["removed_vertices"], 2);
    assert!(complaint(&place, "snapshot db diff 2016-05 x", 1).contains("no snapshot \"x\""));
}

#[test]
fn ids_that_a_file_of_events_cannot_have_are_quoted_and_refused() {
    let place = Place::new();
    place.file("a.csv", "source,target\n\"Ann Lee\",Bob\n");
    place.file("b.csv", "source,target\nBob,\"Cid;Fox\"\n");
    place.json("import db a.csv");
    place.json("snapshot db create one");
    place.json("import db b.csv --append");
    let shown = place.call("snapshot db diff one").stdout;
    assert!(shown.ends_with("+ Bob \"Cid;Fox\"\n"), "{shown}");
    let refused = complaint(&place, "snapshot db diff one -o changes.txt", 1);
    assert!(
        refused.contains("changes.txt: cannot write the id \"Cid;Fox\""),
        "{refused}"
    );
    assert!(!place.path("changes.txt").exists());
}

#[test]
fn each_month_of_a_range() {
    let place = months();
    let ran = place.json("run db pagerank --param verify=true --over .. -o ranks.txt");
    assert_eq!(ran["algorithm"], "pagerank");
    let snapshots = ran["snapshots"].as_array().unwrap();
    assert_eq!(snapshots.len(), 4);
    assert!(
        snapshots
            .iter()
            .all(|snapshot| snapshot["verified"] == true),
        "{ran}"
    );
    assert_eq!(snapshots[3]["name"], "2016-08");
    let table = std::fs::read_to_string(place.path("ranks.txt")).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    assert_eq!(
        rows[0],
        ["vertex", "2016-04", "2016-05", "2016-06", "2016-08"]
    );
    assert_eq!(rows.len(), 6);
    // Vertex 4 came in June.
    assert_eq!(rows[4][..3], ["4", "-", "-"]);
    assert!(rows[4][3].parse::<f64>().unwrap() > 0.0);
    let text = place
        .call("run db cc --over 2016-05..2016-06 -o each/")
        .stdout;
    assert!(
        text.contains("SNAPSHOT") && text.contains("2 snapshots"),
        "{text}"
    );
    let file = std::fs::read_to_string(place.path("each/2016-05.txt")).unwrap();
    assert_eq!(file, "1 1\n2 1\n3 1\n");
    let stdout = place.call("run db k-core --over 2016-08..now -o -").stdout;
    assert!(stdout.starts_with("vertex 2016-08\n1 1\n"), "{stdout}");
    let said = place.failures(&[
        "run db cc --over 2016-09..2016-10",
        "run db cc --over 2016-06..2016-05",
        "run db spanning-forest --over .. -o f.txt",
        "run db cc --as-of 2016-03",
        "run db cc --as-of 2016-5",
        "run db cc --as-of 77",
        "run db cc --as-of 2016",
    ]);
    expect![[r#"
        $ evergraph run db cc --over 2016-09..2016-10
        error: there is no snapshot in 2016-09..2016-10
        hint: the range runs from the earlier to the later
        exit code 1
        $ evergraph run db cc --over 2016-06..2016-05
        error: there is no snapshot in 2016-06..2016-05
        hint: the range runs from the earlier to the later
        exit code 1
        $ evergraph run db spanning-forest --over .. -o f.txt
        error: the result of spanning-forest is no column
        hint: give a directory, `-o DIR/`, for a file of each snapshot
        exit code 1
        $ evergraph run db cc --as-of 2016-03
        error: 2016-03-31T23:59:59Z is before the history
        hint: the earliest snapshot is `2016-04`, of 2016-04-30T23:59:59Z
        exit code 1
        $ evergraph run db cc --as-of 2016-5
        error: there is no snapshot "2016-5"
        hint: did you mean `2016-05`?
        exit code 1
        $ evergraph run db cc --as-of 77
        error: commit 77 is not there yet
        hint: the nearest are 4 (`2016-08`), 4 (now)
        exit code 1
        $ evergraph run db cc --as-of 2016
        error: commit 2016 is not there yet
        hint: the nearest are 4 (`2016-08`), 4 (now); a year is written as its last month, 2016-12
        exit code 1
    "#]]
    .assert_eq(&said);
    place.json("snapshot db create a/b");
    place.json("snapshot db create a_b");
    let said = complaint(&place, "run db cc --over a/b..a_b -o two/", 1);
    assert!(
        said.contains("`a/b` and `a_b` would both be written to two/a_b.txt"),
        "{said}"
    );
    assert!(!place.path("two").exists());
    assert!(complaint(&place, "run db cc --over 2016-05", 2).contains("A..B"));
    place.call("run db cc --over .. --as-of now").expect(2);
    assert!(!place.path("f.txt").exists());
}

#[test]
fn snapshots_are_made_and_forgotten() {
    let place = Place::new();
    place.file("a.txt", "0 1\n1 2\n");
    place.json("import db a.txt");
    let created = place.json("snapshot db create first --time 2020-02");
    assert_eq!(
        (&created["name"], &created["csn"], &created["edges"]),
        (&json!("first"), &json!(2), &json!(2))
    );
    assert_eq!(created["time"], "2020-02-29T23:59:59Z");
    place.json("import db a.txt --append");
    place.json("snapshot db create second");
    assert_eq!(place.json("run db cc --as-of 2021-01-01")["edges"], 2);
    let said = place.failures(&[
        "snapshot db create first",
        "snapshot db create 17",
        "snapshot db create a..b",
        "snapshot db create x --time soon",
        "snapshot db drop fist",
        "snapshot db drop",
        "snapshot db prune",
        "snapshot db prune --keep-last 0",
        "snapshot db retain --keep-for 30",
        "snapshot nothing list",
    ]);
    expect![[r#"
        $ evergraph snapshot db create first
        error: there is a snapshot "first" already
        hint: drop it first, or choose another name
        exit code 1
        $ evergraph snapshot db create 17
        error: "17" cannot be the name of a snapshot: it is a number, which stands for a commit
        hint: choose another name
        exit code 1
        $ evergraph snapshot db create a..b
        error: "a..b" cannot be the name of a snapshot: `..` stands between the ends of a range
        hint: choose another name
        exit code 1
        $ evergraph snapshot db create x --time soon
        error: "soon" is no date
        hint: write 2016-05, 2016-05-01 or 2016-05-01T12:30:00Z
        exit code 2
        $ evergraph snapshot db drop fist
        error: there is no snapshot "fist"
        hint: did you mean `first`?
        exit code 1
        $ evergraph snapshot db drop
        error: the following required arguments were not provided:
          <NAMES>...

        Usage: evergraph snapshot <DB> drop <NAMES>...

        For more information, try '--help'.
        exit code 2
        $ evergraph snapshot db prune
        error: there are no rules, and so nothing to drop
        hint: give --keep-last, --keep-for or --keep, or set them with `snapshot DB retain`
        exit code 2
        $ evergraph snapshot db prune --keep-last 0
        error: these rules keep no snapshot
        hint: keep at least one; `evergraph snapshot DB drop` drops by name
        exit code 2
        $ evergraph snapshot db retain --keep-for 30
        error: a length of time needs a unit
        hint: give h, d, w, mo or y, as in 30d
        exit code 2
        $ evergraph snapshot nothing list
        error: there is no database at nothing
        hint: check the path, or make one with `evergraph import`
        exit code 1
    "#]]
    .assert_eq(&said);
    let dry = place.json("snapshot db prune --keep f* --dry-run");
    assert_eq!(
        (&dry["dropped"], &dry["left"]),
        (&json!(["second"]), &json!(1))
    );
    assert_eq!(names(&place), ["first", "second"]);
    assert_eq!(place.json("snapshot db retain")["keep_last"], Value::Null);
    let kept = place.json("snapshot db retain --keep-last 1 --keep-for 1h");
    assert_eq!(kept["dropped"], json!(["first"]));
    place.json("snapshot db create third");
    assert_eq!(names(&place), ["second", "third"]);
    let rules = place.json("snapshot db retain");
    assert_eq!(
        (&rules["keep_last"], &rules["keep_for"]),
        (&json!(1), &json!("1h"))
    );
    place.json("snapshot db retain --all");
    assert_eq!(
        place.json("snapshot db drop second")["dropped"],
        json!(["second"])
    );
    place.json("snapshot db create fourth");
    let rebased = place.json("snapshot db rebase third");
    assert_eq!(rebased["was_there"], false, "{rebased}");
    assert_eq!(place.json("run db cc --as-of third")["edges"], 4);
    assert_eq!(place.json("snapshot db rebase third")["was_there"], true);
    assert!(complaint(&place, "snapshot db rebase thrd", 1).contains("`third`"));
    let flat = place.json("snapshot db flatten --before fourth");
    assert_eq!(flat["dropped"], json!(["third"]));
    assert_eq!(names(&place), ["fourth"]);
    assert_eq!(place.json("check db")["ok"], true);
}

#[test]
fn times_are_read_in_their_unit_and_order() {
    let place = Place::new();
    place.file("dates.tsv", "19971109\t+\t1\t2\n19971108\t+\t2\t3\n");
    let imported = place.call("import db dates.tsv --snapshot-every 1d --snapshot-prefix day-");
    imported.expect(0);
    assert!(imported.stderr.contains("dates YYYYMMDD"), "{imported:#?}");
    assert!(
        imported.stderr.contains("dates.tsv:2: the times go back"),
        "{imported:#?}"
    );
    assert_eq!(names(&place), ["day-1997-11-08", "day-1997-11-09"]);
    place.file("more.txt", "1 2\n2 3\n3 4\n");
    let edges = place.json("import other more.txt --snapshot-every 2");
    assert_eq!(edges["snapshots"], 2);
    let said = place.failures(&[
        "import x more.txt --snapshot-every 1d",
        "import x more.txt --snapshot-every 1m",
        "import x more.txt --snapshot-prefix a",
        "import x more.txt --timestamps --time-unit h",
        "import x more.txt --snapshot-every 2 --mode direct --medium battery --assume-persistent",
    ]);
    expect![[r#"
        $ evergraph import x more.txt --snapshot-every 1d
        error: more.txt:1: too few columns (2, needed 3): "1 2"
        hint: --snapshot-every 1d reads a time from each line: --time-column says where it is; of lines without times, --snapshot-every takes a number of edges
        exit code 1
        $ evergraph import x more.txt --snapshot-every 1m
        error: invalid value '1m' for '--snapshot-every <N|TIME>': give a number of edges, or a time up to 10000 years: a number from 1 with s, min, h, d, w, mo or y (`7d`, `1mo`)

        For more information, try '--help'.
        exit code 2
        $ evergraph import x more.txt --snapshot-prefix a
        error: the following required arguments were not provided:
          --snapshot-every <N|TIME>

        Usage: evergraph import --snapshot-every <N|TIME> --snapshot-prefix <P> <DB> <FILES>...

        For more information, try '--help'.
        exit code 2
        $ evergraph import x more.txt --timestamps --time-unit h
        error: invalid value 'h' for '--time-unit <U>': give s, ms, us or date (YYYYMMDD)

        For more information, try '--help'.
        exit code 2
        $ evergraph import x more.txt --snapshot-every 2 --mode direct --medium battery --assume-persistent
        error: direct mode keeps no snapshots: its edges are no commits
        hint: import into a new database in merged mode
        exit code 1
    "#]].assert_eq(&said);
}

/// Only digits alone are the number of a commit.
#[test]
fn names_with_a_sign_are_names() {
    let place = Place::new();
    place.file("e.txt", "1 2\n");
    place.json("import db e.txt");
    place.json("snapshot db create one");
    place.file("e.txt", "1 3\n");
    place.json("import db e.txt --append");
    let made = place.json("snapshot db create +2");
    assert_eq!(place.json("run db degrees --as-of +2")["csn"], made["csn"]);
}

/// Nodes that were deleted are no vertices of a snapshot.
#[test]
fn snapshots_count_the_nodes_that_there_are() {
    let place = Place::new();
    place
        .call_with(&[
            "query",
            "db",
            "--create",
            "UNWIND range(1, 5) AS i CREATE (:A {i: i})",
        ])
        .expect(0);
    let made = place.json("snapshot db create before");
    assert_eq!(made["vertices"], 5);
    place
        .call_with(&["query", "db", "MATCH (a:A) WHERE a.i > 2 DELETE a"])
        .expect(0);
    assert_eq!(place.json("snapshot db create after")["vertices"], 2);
    place.json("compact db");
    let counts = |json: &Value| -> Vec<Value> {
        let snapshots = json["snapshots"].as_array().unwrap();
        snapshots
            .iter()
            .map(|one| one["vertices"].clone())
            .collect()
    };
    assert_eq!(
        counts(&place.json("snapshot db list")),
        [json!(5), json!(2)]
    );
    let drawn = place.json("plot growth db -o growth.svg");
    assert_eq!(counts(&drawn), [json!(5), json!(2)]);
}

#[test]
fn a_prefix_that_begins_no_name_is_told_as_it_was_given() {
    let place = Place::new();
    place.file("events.tsv", EVENTS);
    let import = "import db events.tsv --snapshot-every 1mo --snapshot-prefix run/";
    let told = complaint(&place, import, 2);
    assert!(told.contains("can begin with \"run/\""), "{told}");
}

#[test]
fn snapshots_that_the_rules_of_retention_drop_are_named() {
    let place = Place::new();
    place.file("edges.txt", "0 1\n1 2\n");
    place.json("import db edges.txt");
    place.json("snapshot db create a");
    place.json("snapshot db create b");
    place.json("snapshot db retain --keep-last 2");
    assert_eq!(place.json("snapshot db create c")["dropped"], json!(["a"]));
    let stepwise = place.call("import db edges.txt --append --snapshot-every 1");
    let said = " b, c (rules of retention)\n";
    assert!(stepwise.stdout.contains(said), "{stepwise:#?}");
}
