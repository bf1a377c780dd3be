//! Property graphs that grow by files: labels and types given, keys, policies, rejected
//! rows, dry runs, pipes.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{EVERGRAPH, Outcome, Place};

fn files(place: &Place) {
    place.file(
        "people.csv",
        "id:ID(Person),name,born:int\na,Ann,1964\nb,Bob,1967\n",
    );
    place.file(
        "knows.csv",
        ":START_ID(Person),:END_ID(Person),since:int\na,b,2001\n",
    );
}

/// Runs a line in a shell; `evergraph` is the program.
fn shell(place: &Place, line: &str) -> Outcome {
    let line = line.replace("evergraph ", &format!("{EVERGRAPH} "));
    let mut command = Command::new("bash");
    command.args(["-c", &line]).current_dir(place.path(""));
    command.stdin(Stdio::null()).env("TMPDIR", place.path(""));
    Outcome::new(&line, command.output().expect("there is a shell"))
}

fn exported(place: &Place, db: &str) -> String {
    place.json(&format!("export {db} {db}.jsonl"));
    std::fs::read_to_string(place.path(&format!("{db}.jsonl"))).expect("it is written")
}

fn counted(done: &Value) -> Value {
    let names = [
        "nodes",
        "relationships",
        "updated",
        "unchanged",
        "duplicates",
        "dangling",
    ];
    json!(names.map(|name| done[name].as_u64().expect("a count")))
}

#[test]
fn a_graph_grows_by_files_of_labels_and_types() {
    let place = Place::new();
    files(&place);
    let first = "--nodes Person=people.csv --relationships KNOWS=knows.csv --key Person.id";
    let done = place.json(&format!("import db {first}"));
    assert_eq!(counted(&done), json!([2, 1, 0, 0, 0, 0]));
    let indexes = place.call("index db list");
    assert!(
        indexes.stdout.contains("import key Person.id"),
        "{indexes:#?}"
    );
    // Later: a header of its own, changed and new people, one of whom is known.
    place.file("header.csv", "id:ID(Person),name,city\n");
    place.file("part1.csv", "a,Ann,Rome\n");
    place.file("part2.csv", "c,Cid,\nb,Bob,\nc,Cid,Oslo\n");
    place.file("more.csv", ":START_ID(Person),:END_ID(Person)\nc,a\nc,z\n");
    let more = "--nodes Person:Star=header.csv,part1.csv,part2.csv --relationships KNOWS=more.csv";
    let dry = place.json(&format!(
        "import db {more} --on-conflict update --duplicates skip --dangling skip --dry-run"
    ));
    assert_eq!(dry["dry_run"], true);
    assert_eq!(place.json("stats db")["property_graph"]["nodes"], 2);
    let done = place.json(&format!(
        "import db {more} --on-conflict update --duplicates skip --dangling skip"
    ));
    assert_eq!(counted(&done), json!([1, 1, 1, 1, 1, 1]));
    assert_eq!(counted(&dry), counted(&done));
    let rows = exported(&place, "db");
    let ann =
        r#""labels":["Person"],"properties":{"born":1964,"city":"Rome","id":"a","name":"Ann"}"#;
    assert!(rows.contains(ann), "{rows}");
    let cid = r#""labels":["Person","Star"],"properties":{"id":"c","name":"Cid"}"#;
    assert!(rows.contains(cid), "{rows}");
    // As a merge, with a node for the end that is missing.
    let done = place.json(&format!(
        "import db {more} --on-conflict merge --duplicates skip --dangling create"
    ));
    assert_eq!(counted(&done), json!([1, 2, 2, 1, 1, 0]));
    let rows = exported(&place, "db");
    let bob = r#""labels":["Person","Star"],"properties":{"born":1967,"id":"b","name":"Bob"}"#;
    assert!(rows.contains(bob), "{rows}");
    assert!(rows.contains(r#""properties":{"id":"z"}"#), "{rows}");
    assert_eq!(place.json("check db")["ok"], true);
}

#[test]
fn wrong_input_is_refused_with_what_to_do() {
    let place = Place::new();
    files(&place);
    place.json("import db --nodes Person=people.csv --key Person.id");
    let repair = "repair the file, or leave bad rows out with --skip-bad N";
    place
        .call("import db --nodes Person=people.csv --append")
        .expect_refusal(
            1,
            "people.csv:2: id: the graph has a node a of Person already (--on-conflict)",
            repair,
        );
    place.call("import db --nodes Person=people.csv").expect_refusal(
        1,
        "there is a database at db already",
        "use --append to add to it, --resume to go on with an interrupted import, or another path",
    );
    place.file("dangling.csv", ":START_ID(Person),:END_ID(Person)\na,z\n");
    place
        .call("import db --relationships KNOWS=dangling.csv --append")
        .expect_refusal(1, "dangling.csv:2: there is no node z of Person", repair);
    place
        .call("import new --relationships KNOWS=dangling.csv --dangling create")
        .expect_refusal(
            2,
            "nothing says which label and property the missing ends of relationships get",
            "name their key: --key Person.id",
        );
    place
        .call("import new --nodes Person=knows.csv")
        .expect_refusal(
            1,
            "knows.csv:1: the file has relationships, and is given as one of nodes",
            "repair the file, or what flags say of it: --skip-bad leaves out rows alone",
        );
    place
        .call("import new --relationships A:B=knows.csv")
        .expect_refusal(
            2,
            "A:B: a relationship has one type",
            "give each type its files: --relationships KNOWS=knows.csv",
        );
    place.call("import new - - ").expect_refusal(
        2,
        "standard input is named twice",
        "name it once; <(command) or named pipes give further ones",
    );
    place
        .call("import new --nodes Person=people.csv --rejects people.csv")
        .expect_refusal(
            2,
            "people.csv: a file of the import itself",
            "rejected rows go to another file",
        );
    place.file("edges.txt", "0 1\n");
    for flag in ["--key A.b", "--dangling skip", "--duplicates skip"] {
        let refused = place.call(&format!("import new edges.txt {flag}"));
        refused.expect(2);
        assert!(
            refused.error().contains("is about property graphs"),
            "{refused:#?}"
        );
    }
    for call in [
        "import new",
        "import new --nodes Person=",
        "import new --nodes =people.csv",
        "import new people.csv --key Person",
        "import new people.csv --on-conflict sometimes",
        "import new people.csv --rejects r --max-rejects x",
        "import new people.csv --dry-run --resume",
        "delete-edges db",
    ] {
        place.call(call).expect(2);
    }
    for left in ["new", "r.csv"] {
        assert!(!place.path(left).exists(), "{left}");
    }
}

#[test]
fn a_dry_run_tells_types_ids_and_counts_and_writes_nothing() {
    let place = Place::new();
    files(&place);
    place.file("bad.csv", "id:ID(Person),name,born:int\nc,Cid,x\n");
    let call = "import db people.csv bad.csv knows.csv --label Person --type KNOWS --dry-run";
    let refused = place.call(call);
    refused.expect(1);
    let found = place.json(&format!("{call} --rejects rejects.csv"));
    assert_eq!(
        found["labels"]["Person"],
        json!({ "rows": 2, "properties":
            { "born": ["long"], "id": ["string"], "name": ["string"] } })
    );
    assert_eq!(
        found["types"],
        json!({ "KNOWS": { "rows": 1, "properties": { "since": ["long"] } } })
    );
    assert_eq!(
        found["ids"],
        json!({ "Person": { "integers": 0, "texts": 2 } })
    );
    assert_eq!(
        found["files"][0],
        json!({ "path": "people.csv", "format": "neo4j" })
    );
    assert_eq!(
        (&found["nodes"], &found["skipped_rows"]),
        (&json!(2), &json!(1))
    );
    assert!(!place.path("db").exists());
    let rejects = std::fs::read_to_string(place.path("rejects.csv")).expect("it is there");
    let expected = "file,line,column,problem,row\nbad.csv,2,born,\"\"\"x\"\" is no integer\",\n";
    assert_eq!(rejects, expected);
    // Nothing of a database is changed either, whose nodes have no key yet.
    place.json("import db people.csv --label Person");
    let before = place.json("stats db");
    let more = "import db people.csv --label Person --key Person.id --on-conflict skip --dry-run";
    let found = place.json(more);
    assert_eq!(
        (&found["nodes"], &found["unchanged"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(place.json("stats db")["csn"], before["csn"]);
}

#[test]
fn pipes_are_files() {
    let place = Place::new();
    files(&place);
    place.json("import whole people.csv knows.csv --label Person --type KNOWS");
    let expected = exported(&place, "whole");
    for (number, line) in [
        "cat people.csv | evergraph import DB - knows.csv --label Person --type KNOWS",
        "gzip -c people.csv | evergraph import DB --nodes Person=/dev/stdin --relationships KNOWS=knows.csv",
        "evergraph import DB --nodes Person=<(cat people.csv) --relationships KNOWS=<(cat knows.csv)",
        "evergraph import DB --nodes Person=<(head -1 people.csv),<(tail -n +2 people.csv) --relationships KNOWS=knows.csv",
        "evergraph import DB - knows.csv --label Person --type KNOWS < people.csv",
        "cat whole.jsonl | evergraph import DB -",
        "evergraph export whole g.graphml && cat g.graphml | evergraph import DB /dev/stdin",
    ]
    .into_iter()
    .enumerate()
    {
        let db = format!("db{number}");
        shell(&place, &line.replace("DB", &db)).expect(0);
        assert_eq!(exported(&place, &db), expected, "{line}");
    }
    // Edges, too.
    shell(&place, "printf '0 1\\n1 2\\n' | evergraph import edges -").expect(0);
    assert_eq!(place.json("stats edges")["edges"], 2);
    // Copies do not stay.
    let left = std::fs::read_dir(place.path(""))
        .expect("a directory")
        .flatten();
    let mut names = left.map(|entry| entry.file_name().to_string_lossy().into_owned());
    assert!(!names.any(|name| name.starts_with("evergraph-import")));
}

#[test]
fn a_killed_upsert_goes_on_behind_its_last_commit() {
    let place = Place::new();
    let people = |from: u64, to: u64, city: &str| {
        let row = |i: u64| format!("{i},name {i},{city}\n");
        "id:ID(Person){id-type:long},name,city\n".to_string()
            + &(from..to).map(row).collect::<String>()
    };
    let knows: String = (0..9000)
        .map(|i| format!("{},{}\n", i % 6000, i * 7 % 6100))
        .collect();
    place.file("one.csv", people(0, 4000, "Rome"));
    place.file("two.csv", people(2000, 6000, "Oslo"));
    let header = ":START_ID(Person){id-type:long},:END_ID(Person){id-type:long}\n";
    place.file("knows.csv", header.to_string() + &knows);
    let more = "--nodes Person=two.csv --relationships KNOWS=knows.csv --on-conflict update \
                --dangling create --batch-edges 300 --log-mib 1";
    for db in ["whole", "db"] {
        place.json(&format!(
            "import {db} --nodes Person=one.csv --key Person.id --log-mib 1"
        ));
    }
    let whole = place.json(&format!("import whole {more}"));
    assert_eq!(counted(&whole), json!([2100, 9000, 2000, 0, 0, 0]));
    place.kill_at("import.begun", 1, &format!("import db {more}"));
    for (failpoint, time) in [
        ("import.committed", 3),
        ("commit.logged", 9),
        ("import.committed", 14),
    ] {
        place.kill_at(failpoint, time, &format!("import db {more} --resume"));
    }
    let done = place.json(&format!("import db {more} --resume"));
    let sum = |kind: &str| {
        done[kind]
            .as_u64()
            .zip(done[format!("resumed_{kind}")].as_u64())
    };
    assert_eq!(sum("nodes").map(|(a, b)| a + b), Some(2100), "{done}");
    assert_eq!(
        sum("relationships").map(|(a, b)| a + b),
        Some(9000),
        "{done}"
    );
    let sorted = |db: &str| {
        let rows = exported(&place, db);
        let view = rows.lines().filter(|row| row.contains("\"labels\""));
        let mut people: Vec<String> = view
            .map(|row| row.split_once("\"labels\"").expect("it is").1.to_string())
            .collect();
        people.sort();
        people
    };
    assert_eq!(sorted("db"), sorted("whole"));
    assert_eq!(place.json("check db")["ok"], true);
}

/// Tables whose header declares nothing, or some columns.
fn plain(place: &Place) {
    place.file(
        "people.csv",
        "id,zip,born,height,is_in,seen,note,code:string\n\
         1,007,1964-02-29,1.5,true,2020-01-01T10:00:00Z,,1\n\
         2,10115,1967-01-01,,FALSE,2020-01-02T10:00:00Z,5,2\n",
    );
    place.file("knows.csv", "source,target,since\n1,2,2001\n2,1,\n");
}

#[test]
fn types_of_plain_columns_are_told_and_named() {
    let place = Place::new();
    plain(&place);
    let call = "--nodes Person=people.csv --relationships KNOWS=knows.csv --key Person.id";
    let types = json!({ "id": "long", "zip": "string", "born": "date", "height": "double",
        "is_in": "boolean", "seen": "datetime", "note": "long", "code": "string" });
    let ends = json!({ "source": "long", "target": "long", "since": "long" });
    let tables = json!([
        { "files": ["people.csv"], "columns": types },
        { "files": ["knows.csv"], "columns": ends },
    ]);
    let dry = place.json(&format!("import db {call} --dry-run"));
    assert_eq!(dry["tables"], tables);
    assert_eq!(
        dry["labels"]["Person"]["properties"]["born"],
        json!(["date"])
    );
    let done = place.json(&format!("import db {call}"));
    assert_eq!(done["tables"], tables);
    let rows = exported(&place, "db");
    let first = r#""properties":{"born":{"$date":"1964-02-29"},"code":"1","height":1.5,"id":1,"is_in":true,"#;
    assert!(rows.contains(first), "{rows}");
    assert!(rows.contains(r#""zip":"007""#), "{rows}");
    // As columns of text, but for one; the ends follow the ids of the nodes.
    let text = "--types text --types height=double,zip=string";
    let shown = place.call(&format!("import text {call} {text}"));
    shown.expect(0);
    let named = "columns        people.csv: id string, zip string, born string, height double";
    assert!(shown.stdout.contains(named), "{shown:#?}");
    let rows = exported(&place, "text");
    let first =
        r#""properties":{"born":"1964-02-29","code":"1","height":1.5,"id":"1","is_in":"true","#;
    assert!(rows.contains(first), "{rows}");
}

#[test]
fn ends_without_a_type_are_what_the_ids_are() {
    let place = Place::new();
    let ends = [
        ("plain.csv", "a,b\n1,2\n"),
        ("texts.csv", "a:string,b:string\n1,2\n"),
        ("neo4j.csv", ":START_ID,:END_ID\n1,2\n"),
        (
            "declared.csv",
            ":START_ID{id-type:long},:END_ID{id-type:string}\n1,2\n",
        ),
    ];
    for (file, content) in ends {
        place.file(file, content);
    }
    place.file("long.csv", "id:long,x\n1,a\n2,b\n");
    place.file("text.csv", ":ID,x\n1,a\n2,b\n");
    place.file("mixed.csv", "id,x\n1,a\n2,b\nx,c\n");
    let fits = |nodes: &str, ends: &str| {
        let call = format!("import {nodes}-{ends} --nodes N={nodes} --relationships R={ends}");
        place.call(&call).code == Some(0)
    };
    let found: Vec<Vec<bool>> = ["long.csv", "text.csv", "mixed.csv"]
        .iter()
        .map(|nodes| ends.iter().map(|(ends, _)| fits(nodes, ends)).collect())
        .collect();
    let expected = [
        [true, false, true, false],
        [true, true, true, false],
        [true, true, true, false],
    ];
    assert_eq!(found, expected.map(Vec::from));
    // And those of nodes that an import before it made.
    place.json("import db --nodes N=long.csv --key N.id");
    place.json("import db --relationships R=neo4j.csv --append");
    place.json("import db --relationships R=plain.csv --append");
    assert_eq!(place.json("stats db")["property_graph"]["relationships"], 2);
    // So is the key of nodes that it made.
    place.file("keys.csv", "id,x\n1,a\n2,b\n");
    place.json("import texts --nodes N=keys.csv --key N.id --types text");
    place.file("keyed.csv", "id,x\n1,c\n");
    let grown = place.json("import texts --nodes N=keyed.csv --on-conflict update");
    assert_eq!(grown["tables"][0]["columns"]["id"], "string");
    assert_eq!(grown["updated"], 1);
    // An end that is made is what the keys are.
    place.file("new.csv", ":START_ID,:END_ID\n1,3\n");
    place.json("import db --relationships R=new.csv --append --dangling create");
    let rows = exported(&place, "db");
    assert!(rows.contains(r#""properties":{"id":3}"#), "{rows}");
}

#[test]
fn wrong_types_of_columns_are_refused() {
    let place = Place::new();
    plain(&place);
    let call = "import db --nodes Person=people.csv";
    place
        .call(&format!("{call} --types zpi=string"))
        .expect_refusal(
            2,
            "no plain CSV has a column \"zpi\"",
            "there are born, code, height, id, is_in, note, seen, zip",
        );
    place.file("neo4j.csv", ":ID,name\n1,Ann\n");
    place
        .call("import db --nodes neo4j.csv --types name=string")
        .expect_refusal(
            2,
            "no file is plain CSV, which the type of column \"name\" is about",
            "leave it out; other files say themselves what their columns hold",
        );
    let repair = "repair the file, or what flags say of it: --skip-bad leaves out rows alone";
    place.call(&format!("{call} --types zip=date")).expect(1);
    place
        .call(&format!("{call} --types id=double"))
        .expect_refusal(1, "people.csv:1: id: ids are long or string", repair);
    for wrong in ["", "texts", "zip", "zip=", "zip=sting", "=long"] {
        place
            .call_with(&["import", "db", "--nodes", "people.csv", "--types", wrong])
            .expect(2);
    }
    place.file("edges.txt", "0 1\n");
    let refused = place.call("import db edges.txt --types text");
    refused.expect(2);
    assert!(
        refused.error().contains("--types is about property graphs"),
        "{refused:#?}"
    );
    assert!(!place.path("db").exists());
}

/// Names of nodes that nothing keeps are told, also before the import.
#[test]
fn ids_that_are_lost_are_told() {
    let place = Place::new();
    place.file(
        "g.graphml",
        "<graphml><graph edgedefault=\"undirected\">\
         <node id=\"Ann\"/><node id=\"Bob\"/><node id=\"n7\"/>\
         <edge source=\"Ann\" target=\"Bob\"/></graph></graphml>\n",
    );
    place.file(
        "g.jsonl",
        "{\"type\":\"node\",\"id\":\"Ann\",\"properties\":{\"name\":\"Ann\"}}\n\
         {\"type\":\"node\",\"id\":\"Bob\",\"properties\":{\"name\":\"Robert\"}}\n",
    );
    place.file("g.csv", "name:ID,:LABEL\nAnn,P\nBob,P\n");
    place.file("h.csv", ":ID,:LABEL\nAnn,P\nBob,P\n");
    for (file, flags, lost) in [
        (
            "g.graphml",
            "--type T",
            Some("2 text ids of nodes are not kept; --key LABEL.NAME"),
        ),
        ("g.graphml", "--type T --label P --key P.name", None),
        (
            "g.jsonl",
            "",
            Some("1 text id of a node is not kept; --key LABEL.NAME keeps it"),
        ),
        ("g.csv", "", None),
        ("h.csv", "", Some("2 text ids of nodes are not kept")),
    ] {
        let call = format!("import db {file} {flags}");
        for call in [format!("{call} --dry-run"), call] {
            let said = place.call(&call);
            said.expect(0);
            let told = lost.unwrap_or("text id");
            assert_eq!(said.stderr.contains(told), lost.is_some(), "{said:#?}");
            let is_undirected = said.stderr.contains("--orientation undirected");
            assert_eq!(is_undirected, file == "g.graphml", "{said:#?}");
        }
        std::fs::remove_dir_all(place.path("db")).expect("removed");
    }
}

/// The columns of a file with this ending stand between tabs.
#[test]
fn tables_between_tabs_are_read() {
    let place = Place::new();
    place.file("people.tsv", "id\tname\n1\tAnn, Bob\n2\tCid\n");
    place.file("knows.tsv", ":START_ID\t:END_ID\n1\t2\n");
    place.file("commas.tsv", "id,name\n3,Dan\n");
    place.json("import db --nodes P=people.tsv --relationships KNOWS=knows.tsv --key P.id");
    place.json("import db --nodes P=commas.tsv --append");
    let found = place.call_with(&[
        "query",
        "db",
        "MATCH (p:P) RETURN p.id, p.name ORDER BY p.id",
        "--format",
        "csv",
    ]);
    assert_eq!(found.stdout, "p.id,p.name\n1,\"Ann, Bob\"\n2,Cid\n3,Dan\n");
}
