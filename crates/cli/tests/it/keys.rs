//! Nodes are called by the keys of imports, in what is printed and in what is given.

use crate::common::Place;

/// Airports by code, and two passengers by number.
fn airports() -> Place {
    let place = Place::new();
    place.file(
        "airports.csv",
        "code,city\nLHR,London\nJFK,New York\nNRT,Tokyo\n\"A, B\",Both\n",
    );
    place.file(
        "routes.csv",
        "from,to\nLHR,JFK\nJFK,NRT\nNRT,LHR\n\"A, B\",LHR\n",
    );
    place.file("people.csv", "number:int,name\n7,Ann\n1,Bob\n");
    place.file("notes.csv", "id:ID,text\nx,hello\n");
    place.json(
        "import db --nodes Airport=airports.csv --nodes Passenger=people.csv \
         --nodes Note=notes.csv --relationships ROUTE=routes.csv \
         --key Airport.code,Passenger.number",
    );
    place
}

fn lines(place: &Place, arguments: &[&str]) -> Vec<String> {
    let printed = place.call_with(arguments);
    printed.expect(0);
    printed.stdout.lines().map(str::to_string).collect()
}

#[test]
fn results_and_arguments_have_keys() {
    let place = airports();
    let bfs = |source: &str, flags: &[&str]| {
        let given = ["run", "db", "bfs", "-o", "-", "--source", source];
        lines(&place, &[&given, flags].concat())
    };
    let expected = [
        "LHR 0",
        "JFK 1",
        "NRT 2",
        "\"A, B\" inf",
        "7 inf",
        "1 inf",
        "\"node 6\" inf",
    ];
    assert_eq!(bfs("LHR", &[]), expected);
    assert_eq!(bfs("A, B", &[])[0], "LHR 1");
    assert_eq!(bfs("7", &[])[4], "7 0");
    assert_eq!(bfs("node 6", &[])[6], "\"node 6\" 0");
    // Numbers of nodes, if asked for; of other keys if named.
    let numbers = ["0 0", "1 1", "2 2", "3 inf", "4 inf", "5 inf", "6 inf"];
    assert_eq!(bfs("0", &["--numbers"]), numbers);
    assert_eq!(bfs("London", &["--name-by", "city"])[0], "London\t0");
    let path = place.json("run db shortest-path --source LHR --target NRT");
    assert_eq!(
        path["result"]["path"],
        serde_json::json!(["LHR", "JFK", "NRT"])
    );
    let seven = place.json("run db bfs --source 7");
    assert_eq!(seven["result"]["source"], 7);
    // Kept results are shown so, too.
    place.json("run db degrees --labels Airport --keep kept");
    let shown = lines(&place, &["results", "db", "show", "kept", "-o", "-"]);
    assert_eq!(shown, ["LHR 1", "JFK 1", "NRT 1", "\"A, B\" 1"]);
    let shown = lines(
        &place,
        &["results", "db", "show", "kept", "-o", "-", "--numbers"],
    );
    assert_eq!(shown, ["0 1", "1 1", "2 1", "3 1"]);
}

#[test]
fn nodes_are_shown_by_keys() {
    let place = airports();
    assert_eq!(place.json("show db node LHR")["nodes"][0]["node"], "LHR");
    assert_eq!(
        place.json("show db node 7")["nodes"][0]["properties"]["name"],
        "Ann"
    );
    assert_eq!(
        place.json("show db node 0 --numbers")["nodes"][0]["node"],
        0
    );
    let neighbors = place.json("show db neighbors LHR --direction in");
    let names: Vec<_> = neighbors["neighbors"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    assert_eq!(names.len(), 2);
    assert!(
        names.iter().any(|name| name["node"]["node"] == "A, B"),
        "{neighbors}"
    );
    let around = place.json("plot neighborhood db --source JFK -o n.svg");
    assert_eq!(around["vertices"][0], "JFK");
    place.json("export db g.dot");
    let dot = std::fs::read_to_string(place.path("g.dot")).expect("written");
    assert!(dot.contains("label=\"LHR\""), "{dot}");
}

#[test]
fn names_that_there_are_not_are_told() {
    let place = airports();
    for (arguments, said, hint) in [
        (
            "run db bfs --source LHX",
            "there is no node \"LHX\"",
            "Airport.code or Passenger.number",
        ),
        // No number is taken for a node: 0 is one's, and no key.
        (
            "run db bfs --source 0",
            "there is no node \"0\"",
            "--numbers",
        ),
        (
            "run db bfs --source JFK --labels Passenger",
            "node JFK is not in the projection",
            "label",
        ),
        (
            "show db node 0",
            "there is no node \"0\"",
            "Airport.code or Passenger.number",
        ),
        (
            "plot neighborhood db --source 0 -o n.svg",
            "there is no node \"0\"",
            "Airport.code",
        ),
    ] {
        let failed = place.failures(&[arguments]);
        assert!(failed.contains(said) && failed.contains(hint), "{failed}");
    }
}

/// Where the columns of relationships name the ids or labels of nodes, each kind of nodes has
/// a space of its own; else all ids are of one.
#[test]
fn tables_that_count_alike_are_told_apart_by_the_names_of_columns() {
    let place = Place::new();
    place.file("people.csv", "pid,name\n1,Ann\n2,Bob\n");
    place.file("cities.csv", "cid,name\n1,Rome\n2,Oslo\n");
    let nodes = "--nodes Person=people.csv --nodes City=cities.csv";
    for (db, header) in [("ids", "pid,cid"), ("labels", "person_id,City")] {
        place.file("lives.csv", format!("{header}\n1,2\n2,2\n"));
        place.json(&format!(
            "import {db} {nodes} --relationships LIVES=lives.csv"
        ));
    }
    place.json(&format!("import keys {nodes} --key Person.pid,City.cid"));
    place.json("import keys --relationships LIVES=lives.csv --append");
    let text = "MATCH (a:Person)-[:LIVES]->(b:City) RETURN a.name + ' ' + b.name ORDER BY a.name";
    for db in ["ids", "labels", "keys"] {
        let shown = lines(&place, &["query", db, text, "--format", "csv"]);
        assert_eq!(shown[1..], ["Ann Oslo", "Bob Oslo"], "{db}");
    }
    place.file("lives.csv", "a,b\n1,2\n2,2\n");
    let refused = place.call(&format!(
        "import one {nodes} --relationships LIVES=lives.csv"
    ));
    refused.expect(1);
    assert!(
        refused.stderr.contains("there is a node 1 already"),
        "{refused:?}"
    );
}

/// A table of ids alone is one of the benchmark's only where nothing else is said of it.
#[test]
fn a_table_with_a_label_is_not_read_as_the_benchmarks() {
    let place = Place::new();
    place.file("tt.csv", "id\n007\nA\n");
    place.json("import db --nodes T=tt.csv");
    let text = "MATCH (n) RETURN labels(n)[0] + n.id ORDER BY n.id";
    let shown = lines(&place, &["query", "db", text, "--format", "csv"]);
    assert_eq!(shown[1..], ["T007", "TA"]);
}

/// A kept result shows the names that the run gave, not those of now.
#[test]
fn kept_results_have_the_names_of_their_commit() {
    let place = airports();
    let run = lines(
        &place,
        &["run", "db", "pagerank", "--keep", "ranks", "-o", "-"],
    );
    let by_city = ["--name-by", "city", "--keep", "cities"];
    let cities = lines(
        &place,
        &[&["run", "db", "degrees", "-o", "-"], &by_city[..]].concat(),
    );
    lines(
        &place,
        &["run", "db", "degrees", "--numbers", "--keep", "numbers"],
    );
    let show = |name: &str| place.call(&format!("results db show {name} -o -"));
    let shown = |name: &str| -> Vec<String> {
        let shown = show(name);
        shown.expect(0);
        assert_eq!(shown.stderr, "", "{shown:?}");
        shown.stdout.lines().map(str::to_string).collect()
    };
    assert_eq!(
        (shown("ranks"), shown("cities")),
        (run.clone(), cities.clone())
    );
    assert!(shown("numbers")[0].starts_with("0 "));
    place.json("snapshot db create then");
    place.json("run db pagerank --as-of then --keep old");
    for statement in [
        "MATCH (n:Airport {code: 'JFK'}) DETACH DELETE n",
        "CREATE (:Airport {code: 'CDG', city: 'Paris'})",
        "MATCH (n:Airport {code: 'NRT'}) SET n.code = 'HND', n.city = 'Haneda'",
    ] {
        place.call_with(&["query", "db", statement]).expect(0);
    }
    assert_eq!(shown("old"), run);
    // Of a commit that nothing keeps, numbers are what is sure.
    let without = show("ranks");
    without.expect(0);
    assert!(without.stdout.starts_with("0 "), "{without:?}");
    assert!(
        without.stderr.contains("no snapshot keeps commit"),
        "{without:?}"
    );
}

/// A commit in parts that fails keeps rows: they are told, and how to go on.
#[test]
fn rows_that_a_failed_import_keeps_are_told() {
    let place = Place::new();
    place.file("twice.csv", "id,name\n5,E\n5,F\n");
    let failed = place.call("import db --nodes Person=twice.csv --key Person.id");
    failed.expect(1);
    assert!(failed.stderr.contains("stays"), "{}", failed.stderr);
    let remove = "remove the database before the repaired file is imported";
    assert!(failed.stderr.contains(remove), "{}", failed.stderr);
    assert_eq!(place.json("stats db")["vertices"], 1);
    // A key is defined before a row is read.
    place.file("bad.csv", "id:int,name\nx,E\n");
    let failed = place.call("import new --nodes Person=bad.csv --key Person.id");
    failed.expect(1);
    assert!(!failed.stderr.contains("stays"), "{}", failed.stderr);
}
