//! `evergraph import` of plain tables with a mapping, and what it says of wrong ones.

use crate::common::Place;

const MAP: &str = "[[table]]\nfile = \"people.csv\"\nlabel = \"Person\"\nkey = \"id\"\n\
                   types = { age = \"long\" }\n\n[[table.relationship]]\ntype = \"KNOWS\"\n\
                   to = { Person = \"knows\" }\n";

fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("data")).expect("a directory");
    place.file("data/people.csv", "id,age,knows\na,30,b\nb,31,\nc,32,z\n");
    place.file("map.toml", MAP);
    place.file("data/map.toml", MAP);
    place
}

#[test]
fn tables_are_imported_checked_and_run_on() {
    let place = place();
    let done = place.json("import db map.toml --data data --skip-bad 1");
    let counts =
        ["nodes", "relationships", "skipped_rows", "files"].map(|name| done[name].as_u64());
    assert_eq!(counts, [3, 1, 1, 1].map(Some), "{done}");
    assert_eq!(place.json("check db")["ok"], true);
    let stats = place.json("stats db");
    assert_eq!(stats["property_graph"]["labels"]["Person"], 3, "{stats}");
    place
        .call("run db pagerank --labels Person --types KNOWS")
        .expect(0);
    // Beside the mapping, and with no way to take it for another import.
    assert_eq!(
        place.json("import other data/map.toml --skip-bad 1")["nodes"],
        3
    );
    assert_eq!(
        place.json("import db map.toml --data data --skip-bad 1 --resume")["nodes"],
        0
    );
    place.file("map.toml", MAP.replace("KNOWS", "LIKES"));
    let refused = place.call("import db map.toml --data data --skip-bad 1 --resume");
    refused.expect(1);
    assert!(refused.hint().contains("same options"), "{refused:?}");
}

#[test]
fn what_is_wrong_with_tables_is_said() {
    let place = place();
    place.file("wrong.toml", MAP.replace("knows", "friend"));
    place.file("odd.toml", MAP.replace("label", "lable"));
    place.file("edges.txt", "0 1\n");
    place.file("nodes.csv", ":ID;name\n1;a\n");
    let cases: &[(&str, i32, &str, &str)] = &[
        (
            "import begun map.toml --data data",
            1,
            "data/people.csv:4: knows: there is no node z of Person",
            "--skip-bad",
        ),
        (
            "import new map.toml",
            1,
            "map.toml:2: people.csv: there is no such file in .; there are edges.txt, map.toml",
            "docs/property-files.md",
        ),
        (
            "import new wrong.toml --data data",
            1,
            "wrong.toml:9: people.csv has no column \"friend\"; there are id, age, knows",
            "docs/property-files.md",
        ),
        (
            "import new odd.toml --data data",
            1,
            "odd.toml:3: lable: there is no such key here; there are",
            "",
        ),
        ("import new nodes.csv --data data", 2, "no mapping", ".toml"),
        (
            "import new edges.txt --label A",
            2,
            "--label is about property graphs",
            "--format",
        ),
        (
            "import new map.toml --allow-uneven",
            2,
            "--allow-uneven is about plain edges",
            "",
        ),
        (
            "import new map.toml --data data --separator ;",
            2,
            "--separator",
            "delimiter",
        ),
        ("import new nodes.csv", 1, "the header is one column", ""),
    ];
    for (arguments, code, error, hint) in cases {
        let outcome = place.call(arguments);
        outcome.expect(*code);
        assert!(outcome.error().contains(error), "{outcome:#?}");
        assert!(outcome.hint().contains(hint), "{outcome:#?}");
        assert!(!place.path("new").exists(), "{arguments}");
    }
    assert_eq!(
        place.json("import db nodes.csv --separator ; --label A")["nodes"],
        1
    );
}
