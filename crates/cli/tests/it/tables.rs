//! `evergraph import` of plain tables with a mapping, and what it says of wrong ones.

use crate::common::Place;
use expect_test::expect;

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
    let said = place.failures(&[
        "import begun map.toml --data data",
        "import new map.toml",
        "import new wrong.toml --data data",
        "import new odd.toml --data data",
        "import new nodes.csv --data data",
        "import new edges.txt --label A",
        "import new map.toml --allow-uneven",
        "import new map.toml --data data --separator ;",
        "import new nodes.csv",
    ]);
    expect![[r#"
        $ evergraph import begun map.toml --data data
        what was committed is in the database and stays; `evergraph stats` counts it
        remove the database before the repaired file is imported: --append would add all its rows
        error: data/people.csv:4: knows: there is no node z of Person
        hint: repair the file, or leave bad rows out with --skip-bad N
        exit code 1
        $ evergraph import new map.toml
        error: map.toml:2: people.csv: there is no such file in .; there are edges.txt, map.toml, nodes.csv, odd.toml, wrong.toml
        hint: docs/property-files.md describes mappings of tables
        exit code 1
        $ evergraph import new wrong.toml --data data
        error: wrong.toml:9: people.csv has no column "friend"; there are id, age, knows
        hint: docs/property-files.md describes mappings of tables
        exit code 1
        $ evergraph import new odd.toml --data data
        error: odd.toml:3: lable: there is no such key here; there are delimiter, skip, quotes, unquoted-text, null, list-delimiter, infer, columns, file, types, rename, omit, label, key, merge, properties, relationship
        hint: docs/property-files.md describes mappings of tables
        exit code 1
        $ evergraph import new nodes.csv --data data
        error: a directory of tables is given, and no mapping that says what they hold
        hint: name the mapping, a file that ends in .toml; docs/property-files.md describes it
        exit code 2
        $ evergraph import new edges.txt --label A
        error: --label is about property graphs, and these files are of plain edges
        hint: leave it out; --format says what files are that do not look like it
        exit code 2
        $ evergraph import new map.toml --allow-uneven
        error: --allow-uneven is about plain edges, and these files are of a property graph
        hint: leave it out; --format edgelist reads a file as plain edges
        exit code 2
        $ evergraph import new map.toml --data data --separator ;
        error: --separator is about CSV with Neo4j's header, and no file is such
        hint: leave it out; a mapping of tables says `delimiter` itself
        exit code 2
        $ evergraph import new nodes.csv
        error: nodes.csv:1: the header is one column, ":ID;name"; is there another separator between columns (--separator)?
        hint: repair the file, or what flags say of it: --skip-bad leaves out rows alone
        exit code 1
    "#]].assert_eq(&said);
    assert!(!place.path("new").exists());
    assert_eq!(
        place.json("import db nodes.csv --separator ; --label A")["nodes"],
        1
    );
}
