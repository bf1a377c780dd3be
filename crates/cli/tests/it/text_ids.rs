//! Files of edges between texts: which line is the first edge, and which are bad.

use serde_json::{Value, json};

use crate::common::Place;

/// Imports a file, and says kind of ids, edges and lines that were left out.
fn imported(name: &str, content: &str, flags: &str) -> Value {
    let place = Place::new();
    place.file(name, content);
    let dry = place.json(&format!("import db {name} {flags} --dry-run"));
    let done = place.json(&format!("import db {name} {flags}"));
    let facts = |done: &Value| json!([done["ids"], done["edges"], done["skipped_lines"]]);
    assert_eq!(facts(&dry), facts(&done), "{content:?} {flags}");
    facts(&done)
}

#[test]
fn bad_lines_are_left_out_of_texts() {
    let titled = "source,target\nada,ben\nben,cy\noops\ncy,dan\n";
    for flags in [
        "--skip-bad 5",
        "--skip-bad 1",
        "--rejects bad.csv",
        "--ids map --skip-bad 5",
    ] {
        assert_eq!(
            imported("e.csv", titled, flags),
            json!(["mapped texts", 3, 1])
        );
    }
    let sound = titled.replace("oops\n", "");
    for flags in ["", "--skip-bad 5", "--rejects bad.csv"] {
        assert_eq!(
            imported("e.csv", &sound, flags),
            json!(["mapped texts", 3, 0])
        );
    }
    // Bad lines before the first edge decide nothing.
    let first = "source,target\noops\n,\nada,ben\n";
    assert_eq!(
        imported("e.csv", first, "--skip-bad 5"),
        json!(["mapped texts", 1, 2])
    );
    let first = "source,target\noops\n,\n1,2\nada,ben\n";
    assert_eq!(
        imported("e.csv", first, "--skip-bad 5"),
        json!(["mapped numbers", 1, 3])
    );
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\nx 1\n1 3\n";
    assert_eq!(
        imported("m.mtx", matrix, "--skip-bad 1"),
        json!(["mapped numbers", 1, 1])
    );
    let lines = "oops\nada ben\n-5 3\n";
    assert_eq!(
        imported("e.txt", lines, "--skip-bad 1"),
        json!(["mapped texts", 2, 1])
    );
}

#[test]
fn a_line_alone_is_an_edge() {
    for (name, content, flags) in [
        ("e.csv", "ann,bob\n", ""),
        ("e.tsv", "ann\tbob", ""),
        ("e", "ann,bob\n", ""),
        ("e.csv", "ann,bob,2.5\n", "--weighted"),
        ("e.csv", "# friends\n% of 2004\nann,bob\n", ""),
        ("e.csv", "#tag,bob\n", ""),
    ] {
        assert_eq!(
            imported(name, content, flags),
            json!(["mapped texts", 1, 0]),
            "{content:?}"
        );
    }
    let place = Place::new();
    place.file("a.csv", "ann,bob\n");
    place.file("b.csv", "cy,dan\n");
    let both = place.call("import db a.csv b.csv");
    both.expect(0);
    assert!(both.stdout.contains("edges     2\n"), "{both:#?}");
    let told = "a.csv: its first line is read as an edge; --header yes if it has the titles";
    assert!(both.stderr.contains(told), "{both:#?}");
    // Titles: by their words, if that is said, or over the numbers of other files.
    place.file("c.csv", "source,target\n");
    place.file("d.csv", "1,2\n");
    for call in [
        "import c c.csv",
        "import h a.csv --header yes",
        "import t a.csv c.csv d.csv",
    ] {
        let edges = u64::from(call.ends_with("d.csv"));
        assert_eq!(place.json(call)["edges"], edges, "{call}");
    }
}

/// The message is about the line that is wrong, and about what is wrong with it.
#[test]
fn the_first_edge_may_be_the_bad_one() {
    let place = Place::new();
    place.file("latin.csv", b"caf\xe9,bob\nann,bob\n");
    place.file("empty.csv", "source,target\na,\n");
    for (file, problem) in [
        (
            "latin.csv",
            "latin.csv:1:1: the source id is not UTF-8 text",
        ),
        ("empty.csv", "empty.csv:2:3: the target id is empty"),
    ] {
        let refused = place.call(&format!("import db {file}"));
        refused.expect(1);
        assert!(refused.error().starts_with(problem), "{refused:#?}");
        assert!(!place.path("db").exists());
    }
}
