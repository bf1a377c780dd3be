//! `evergraph query`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use expect_test::expect;
use serde_json::{Value, json};

use crate::common::Place;

const MOVIES: &str = "CREATE \
    (keanu:Person {name: 'Keanu Reeves', born: 1964}), \
    (carrie:Person {name: 'Carrie-Anne Moss', born: 1967}), \
    (lana:Person {name: 'Lana Wachowski', born: 1965}), \
    (matrix:Movie {title: 'The Matrix', released: 1999}), \
    (john:Movie {title: 'John Wick', released: 2014}), \
    (keanu)-[:ACTED_IN {roles: ['Neo']}]->(matrix), \
    (carrie)-[:ACTED_IN {roles: ['Trinity']}]->(matrix), \
    (lana)-[:DIRECTED]->(matrix), \
    (keanu)-[:ACTED_IN {roles: ['John Wick']}]->(john)";

/// A place with a database of films.
fn movies() -> Place {
    let place = Place::new();
    place
        .call_with(&["query", "db", MOVIES, "--create"])
        .expect(0);
    place
}

fn query(place: &Place, text: &str, flags: &[&str]) -> String {
    let outcome = place.call_with(&[&["query", "db", text], flags].concat());
    outcome.expect(0);
    outcome.stdout
}

#[test]
fn tables_are_for_people() {
    let place = Place::new();
    let made = place.call_with(&["query", "db", MOVIES, "--create"]);
    expect![[r#"
        5 nodes created, 4 relationships created, 13 properties set, 5 labels added
    "#]]
    .assert_eq(&made.stdout);
    let cast = "MATCH (p:Person)-[r:ACTED_IN]->(m:Movie) \
                RETURN p.name, r.roles, m.title, m.released, m.tagline ORDER BY p.name, m.released";
    expect![[r#"
        p.name            r.roles        m.title     m.released  m.tagline
        ----------------  -------------  ----------  ----------  ---------
        Carrie-Anne Moss  ['Trinity']    The Matrix        1999  null
        Keanu Reeves      ['Neo']        The Matrix        1999  null
        Keanu Reeves      ['John Wick']  John Wick         2014  null
        3 rows
    "#]]
    .assert_eq(&query(&place, cast, &[]));
    let path = "MATCH p = (:Person {born: 1965})-->(m) RETURN p, 'a\nb' AS text";
    expect![[r#"
        p                                                                                                           text
        ----------------------------------------------------------------------------------------------------------  ----
        (:Person {born: 1965, name: 'Lana Wachowski'})-[:DIRECTED]->(:Movie {released: 1999, title: 'The Matrix'})  a\nb
        1 row
    "#]].assert_eq(&query(&place, path, &[]));
    let plan = "EXPLAIN MATCH (p:Person)-[:ACTED_IN]->(m) WHERE p.born > 1965 RETURN m.title";
    let shown = query(&place, plan, &[]);
    assert!(
        shown.contains("Expand") && shown.contains("estimated rows in brackets; nothing was run"),
        "{shown}"
    );
}

#[test]
fn csv_is_for_sheets() {
    let place = movies();
    let text = "UNWIND [{a: 1, b: 'x, \"y\"'}, {a: null, b: ''}] AS m \
                RETURN m.a AS a, m.b AS b, date('2020-02-29') AS d, [1, 2] AS l";
    expect![[r#"
        a,b,d,l
        1,"x, ""y""",2020-02-29,"[1, 2]"
        ,"",2020-02-29,"[1, 2]"
    "#]]
    .assert_eq(&query(&place, text, &["--format", "csv"]));
}

#[test]
fn json_is_for_programs() {
    let place = movies();
    let text = "MATCH (p:Person {born: 1965})-[r]->(m) RETURN p, r, m.title, 1.5, null, \
                duration('P1D') AS d";
    let outcome = place.call_with(&["--json", "query", "db", text]);
    let found = outcome.json();
    assert_eq!(
        found["columns"],
        json!(["p", "r", "m.title", "1.5", "null", "d"])
    );
    let row = &found["rows"][0];
    assert_eq!(row[0]["labels"], json!(["Person"]));
    assert_eq!(
        row[0]["properties"],
        json!({ "name": "Lana Wachowski", "born": 1965 })
    );
    assert_eq!(row[1]["startNodeElementId"], row[0]["elementId"]);
    assert_eq!(row[1]["type"], "DIRECTED");
    assert_eq!(
        row.as_array().unwrap()[2..],
        [json!("The Matrix"), json!(1.5), json!(null), json!("P1D")]
    );
    let typed = query(&place, text, &["--format", "typed-json"]);
    let typed: Value = serde_json::from_str(&typed).unwrap();
    let row = &typed["rows"][0];
    assert_eq!(row[0]["$type"], "Node");
    assert_eq!(
        row[0]["_value"]["_properties"]["born"],
        json!({ "$type": "Integer", "_value": "1965" })
    );
    assert_eq!(row[1]["_value"]["_type"], "DIRECTED");
    assert_eq!(row[5], json!({ "$type": "Duration", "_value": "P1D" }));
    let unknown = query(&place, "MATCH (p:Persn)\nRETURN p", &["--format", "json"]);
    let unknown: Value = serde_json::from_str(&unknown).unwrap();
    let told = &unknown["notifications"][0];
    assert_eq!((&told["line"], &told["column"]), (&json!(1), &json!(10)));
    assert!(
        told["message"].as_str().unwrap().contains("Persn"),
        "{told}"
    );
    let written = place.json("query db CREATE(:City)");
    assert_eq!(written["notifications"], json!(null));
    assert_eq!(written["stats"]["nodes_created"], 1);
    assert_eq!(written["rows"], json!([]));
}

/// 90,000 rows, of which a table measures the first thousand, within 256 KiB.
#[test]
fn results_are_printed_as_they_are_found() {
    let place = movies();
    query(&place, "UNWIND range(1, 300) AS x CREATE (:N {x: x})", &[]);
    let product = "MATCH (a:N), (b:N) RETURN a.x AS x, b.x AS y";
    for (format, lines) in [
        ("csv", 90_001),
        ("jsonl", 90_000),
        ("table", 90_003),
        ("json", 1),
    ] {
        let flags = ["--format", format, "--memory-limit", "256KiB"];
        let printed = query(&place, product, &flags);
        assert_eq!(printed.lines().count(), lines, "{format}");
        if format == "json" {
            let line: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(line["rows"].as_array().unwrap().len(), 90_000);
            assert!(line["stats"]["seconds"].is_number());
        }
    }
    let row = query(
        &place,
        "MATCH (n:N {x: 7}) RETURN n, n.x AS x",
        &["--format", "jsonl"],
    );
    let row: Value = serde_json::from_str(&row).unwrap();
    assert_eq!((&row["x"], &row["n"]["labels"]), (&json!(7), &json!(["N"])));
    let sorted = format!("{product} ORDER BY x - y, x");
    let flags = ["--format", "csv", "--memory-limit", "512KiB"];
    let refused = place.call_with(&[&["query", "db", &sorted], &flags[..]].concat());
    assert!(refused.error().contains("memory"), "{refused:#?}");
    let flags = [&flags[..], &["--temp-directory", "spill"]].concat();
    let printed = query(&place, &sorted, &flags);
    assert_eq!(printed.lines().count(), 90_001);
    assert_eq!(printed.lines().nth(1), Some("1,300"));
    assert_eq!(printed.lines().last(), Some("300,1"));
}

/// Of a result without an end its reader takes one line.
#[test]
fn a_reader_who_leaves_ends_the_query() {
    let place = movies();
    let endless = "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN x, y";
    for format in ["csv", "table", "jsonl"] {
        let mut command = place.command(&["query", "db", endless, "--format", format]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        reader.read_line(&mut line).unwrap();
        assert!(line.contains(['x', '1']), "{line}");
        drop(reader);
        assert!(child.wait().unwrap().success(), "{format}");
    }
}

#[test]
fn a_failure_behind_rows_ends_the_line() {
    let place = movies();
    let text = "UNWIND range(1, 9000) AS x RETURN 1 / (8000 - x)";
    let outcome = place.call_with(&["query", "db", text, "--format", "json"]);
    outcome.expect(1);
    let line: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(line["rows"].as_array().unwrap().len() >= 1000);
    assert_eq!(line["error"]["code"], "ArithmeticError");
    let early = place.call_with(&["query", "db", "RETURN 1 / 0", "--format", "json"]);
    let line: Value = serde_json::from_str(&early.stdout).unwrap();
    assert_eq!(line.get("rows"), None);
}

#[test]
fn profiles_are_trees() {
    let place = movies();
    let text = "PROFILE MATCH (p:Person)-[:ACTED_IN]->(m) RETURN m.title";
    let printed = query(&place, text, &[]);
    let shown: Vec<&str> = printed.lines().collect();
    assert!(
        shown[0].contains("estimated, 3 rows in 1 batch, "),
        "{printed}"
    );
    assert!(shown[0].ends_with(" ms]"), "{printed}");
    assert_eq!(shown.last(), Some(&"3 rows"));
    assert_eq!(
        query(&place, text, &["--format", "csv"]).lines().count(),
        shown.len() - 1
    );
    let line: Value = serde_json::from_str(&query(&place, text, &["--format", "json"])).unwrap();
    assert_eq!(line["rows"].as_array().unwrap().len(), 3);
    assert!(line["plan"].as_str().unwrap().contains("estimated"));
}

/// Wider than what a format of the standard library can be.
#[test]
fn tables_are_as_wide_as_their_values() {
    let place = movies();
    let text = "UNWIND ['a', reduce(s = 'ab', x IN range(1, 17) | s + s)] AS t RETURN t, 1 AS x";
    let printed = query(&place, text, &[]);
    assert_eq!(printed.lines().nth(3).unwrap().len(), (2 << 17) + 3);
}

#[cfg(not(feature = "columnar"))]
#[test]
fn arrow_needs_another_build() {
    let place = movies();
    let refused = place.call_with(&["query", "db", "RETURN 1", "--format", "arrow"]);
    refused.expect(1);
    assert!(
        refused.stderr.contains("--features columnar"),
        "{refused:#?}"
    );
}

#[cfg(feature = "columnar")]
#[test]
fn arrow_streams_are_for_programs() {
    let place = movies();
    let text = "MATCH (p:Person) RETURN p.name AS name, p.born AS born, p";
    let mut command = place.command(&["query", "db", text, "--format", "arrow"]);
    let out = command.output().unwrap();
    assert!(out.status.success());
    // A message of the schema, and the mark of the end.
    assert_eq!(out.stdout[..4], [0xff; 4]);
    assert_eq!(
        out.stdout[out.stdout.len() - 8..],
        [255, 255, 255, 255, 0, 0, 0, 0]
    );
}

#[test]
fn parameters_are_given() {
    let place = movies();
    let text = "MATCH (p:Person) WHERE p.born IN $years AND p.name <> $not RETURN p.name";
    let flags = [
        "--param",
        "years=[1964, 1965]",
        "--param",
        "not=Keanu Reeves",
    ];
    assert!(query(&place, text, &flags).contains("Lana"));
    let refused = place.call_with(&["query", "db", "RETURN $x", "--param", "x"]);
    refused.expect(2);
}

#[test]
fn the_past_is_read() {
    let place = movies();
    let csn = place.json("snapshot db create before")["csn"].to_string();
    query(&place, "MATCH (n) DETACH DELETE n", &[]);
    let count = "MATCH (n) RETURN count(*)";
    for flags in [&["--as-of", "before"][..], &["--as-of", csn.as_str()]] {
        assert!(query(&place, count, flags).contains('5'));
    }
    assert!(query(&place, &format!("AS OF 'before' {count}"), &[]).contains('5'));
    assert!(query(&place, count, &[]).contains('0'));
    let refused = place.call_with(&["query", "db", "CREATE (:A)", "--as-of", "before"]);
    refused.expect(1);
    assert!(refused.error().contains("past"), "{refused:#?}");
}

#[test]
fn what_is_wrong_is_said() {
    let place = movies();
    place.file("e.txt", "0 1\n");
    place.json("import edges e.txt");
    let mut said = String::new();
    for arguments in [
        &["db", "MATCH (n)\n  RETRUN n"][..],
        &["db", "MATCH (n) RETURN m"],
        &["db", "RETURN toUper('a')"],
        &["db", "RETURN 1 / 0"],
        &["db", "CREATE (:A {a: 1 / 0})"],
        &["db", "RETURN $name", "--param", "nme=1"],
        &["db", "RETURN date('2021-02-30')"],
        &["db", "RETURN 9223372036854775807 + 1"],
        &["db", "CALL db.label()"],
        &["db", "MATCH (n:Movie) DELETE n"],
        &["db", "COPY TO 'a.csv'"],
        &["db", ""],
        &["nothing", "RETURN 1"],
        &["edges", "RETURN 1"],
        &["db", "RETURN 1", "--as-of", "nothing"],
        &["db", "RETURN 1", "--timeout", "soon"],
        &["db", "RETURN 1", "--format", "csv", "--json"],
    ] {
        let outcome = place.call_with(&[&["query"], arguments].concat());
        assert!(matches!(outcome.code, Some(1 | 2)), "{outcome:#?}");
        // Expectations have no blanks at the end of a line.
        let lines: Vec<&str> = outcome
            .stderr
            .trim_end()
            .lines()
            .map(str::trim_end)
            .collect();
        said += &format!("$ {}\n{}\n", arguments.join(" "), lines.join("\n"));
    }
    expect![[r#"
        $ db MATCH (n)
          RETRUN n
        error: RETRUN stands where a clause, such as WHERE or RETURN, should be: did you mean RETURN?, at line 2, column 3
            RETRUN n
            ^^^^^^
        hint: the statement is read from the left: what is wrong may stand before this
        $ db MATCH (n) RETURN m
        error: there is no variable m, at line 1, column 18
          MATCH (n) RETURN m
                           ^
        hint: variables come from MATCH, UNWIND, CREATE and the like; WITH keeps only those that it names; a text stands in quotes: 'm'; a property is written n.m
        $ db RETURN toUper('a')
        error: there is no function toUper: did you mean toUpper?, at line 1, column 8
          RETURN toUper('a')
                 ^^^^^^
        hint: SHOW FUNCTIONS lists those that there are
        $ db RETURN 1 / 0
        error: 1 / 0: an integer is not divided by 0
        hint: use other values, or leave such ones out with WHERE
        $ db CREATE (:A {a: 1 / 0})
        error: 1 / 0: an integer is not divided by 0
        hint: nothing of the statement is in the graph
        $ db RETURN $name --param nme=1
        error: parameter $name is not given: did you mean $nme?, at line 1, column 8
          RETURN $name
                 ^^^^^
        hint: give it a value: --param NAME=VALUE of a command, :params {json} of a script
        $ db RETURN date('2021-02-30')
        error: "2021-02-30" is not a DATE: day 30 is out of range: 1 to 28 in this month
        hint: use other values, or leave such ones out with WHERE
        $ db RETURN 9223372036854775807 + 1
        error: 9223372036854775807 + 1 is no integer of 64 bits
        hint: use other values, or leave such ones out with WHERE
        $ db CALL db.label()
        error: there is no procedure db.label: did you mean db.labels?, at line 1, column 6
          CALL db.label()
               ^^^^^^^^^^
        hint: SHOW PROCEDURES lists those that there are
        $ db MATCH (n:Movie) DELETE n
        error: node 3 still has relationships
        hint: use DETACH DELETE
        $ db COPY TO 'a.csv'
        error: 'a.csv' stands where FROM should be, at line 1, column 9
          COPY TO 'a.csv'
                  ^^^^^^^
        hint: the statement is read from the left: what is wrong may stand before this
        $ db 
        error: the text ends where a clause, such as MATCH or RETURN, should be, at line 1, column 1

          ^
        hint: the statement is read from the left: what is wrong may stand before this
        $ nothing RETURN 1
        error: there is no database at nothing
        hint: check the path, or make one with --create or `evergraph import`
        $ edges RETURN 1
        error: this database holds edges without labels and properties
        hint: import nodes and relationships into a new database
        $ db RETURN 1 --as-of nothing
        error: the database has no snapshots
        hint: name one with `evergraph snapshot DB create NAME`, or import with --snapshot-every
        $ db RETURN 1 --timeout soon
        error: invalid value 'soon' for '--timeout <TIME>': give a time such as 500ms, 10s or 2m

        For more information, try '--help'.
        $ db RETURN 1 --format csv --json
        error: --json and --format ask for different formats
        hint: leave one of them out
    "#]].assert_eq(&said);
}

#[test]
fn names_that_are_misspelt_are_told_beside_the_result() {
    let place = movies();
    let text = "MATCH (p:Persn) RETURN p.name";
    let outcome = place.call_with(&["query", "db", text, "--format", "csv"]);
    outcome.expect(0);
    assert_eq!(outcome.stdout, "p.name\n");
    expect![[r#"
        warning: the graph has no label Persn: did you mean Person?, at line 1, column 10
          MATCH (p:Persn) RETURN p.name
                   ^^^^^
    "#]]
    .assert_eq(&outcome.stderr);
}

#[test]
fn programs_drive_it() {
    let place = movies();
    let script = "\
        :params {\"n\": {\"$type\": \"Integer\", \"_value\": \"7\"}}\n\
        RETURN $n AS n;\n\
        RETURN $n;\n\
        MATCH (p:Person)\n  RETURN count(*) AS\n  c;\n\
        RETURN 'open;\n\
        :params [1]\n\
        RETURN 2;\n\
        CREATE (:A); MATCH (a:A) RETURN count(*);\n\
        MATCH (n)\n RETRUN n;\n\
        RETURN 3";
    let outcome = place.feed(&["query", "db", "-", "--format", "json"], script);
    outcome.expect(1);
    let lines: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let results: Vec<Value> = lines
        .iter()
        .map(|line| match line.get("error") {
            Some(error) => json!([error["code"], error["line"], error["column"]]),
            None => line["rows"].clone(),
        })
        .collect();
    assert_eq!(
        json!(results),
        json!([
            [[7]],
            ["ParameterMissing", 1, 8],
            [[3]],
            ["SyntaxError", 1, 8],
            ["ClientError", null, null],
            [],
            [[1]],
            ["SyntaxError", 2, 2],
            [[3]],
        ])
    );
    // For people, the first failure ends it.
    let outcome = place.feed(&["query", "db", "-"], "RETURN 1;\nBAD;\nRETURN 2;\n");
    outcome.expect(1);
    assert!(!outcome.stdout.contains('2'), "{outcome:#?}");
    // What a text or a comment has in it is no statement.
    let script = "CREATE (:Note {text: 'one;\nMATCH (n) DETACH DELETE n;\n'});\n\
                  MATCH (n:Note)\n// WHERE n.x = 1;\nRETURN count(*);\n";
    for command in ["query", "shell"] {
        let arguments: &[&str] = match command {
            "query" => &["query", "db", "-"],
            _ => &["shell", "db"],
        };
        let outcome = place.feed(arguments, script);
        outcome.expect(0);
        assert!(outcome.stdout.ends_with("1 row\n"), "{outcome:#?}");
    }
    place.feed(&["query", "db", "-"], "").expect(0);
}

/// Each line is there before the next statement is written.
#[test]
fn lines_are_flushed_at_once() {
    let place = movies();
    let mut child = place.interactive(&["query", "db", "-", "--format", "json"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for number in 0..3 {
        writeln!(stdin, "RETURN {number} AS n;").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["rows"], json!([[number]]));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn bad_input_is_refused_or_bounded() {
    let place = movies();
    let deep = format!("RETURN {}1{};\n", "(".repeat(100_000), ")".repeat(100_000));
    let unions = format!(
        "RETURN 1 AS a{};\n",
        " UNION ALL RETURN 1 AS a".repeat(100_000)
    );
    let lists = format!("RETURN {}{};\n", "[".repeat(100_000), "]".repeat(100_000));
    let long = format!("RETURN '{}' AS a;\n", "x".repeat(1 << 20));
    for text in [&deep, &unions, &lists, &long] {
        let outcome = place.feed(&["query", "db", "-", "--format", "json"], text);
        assert!(matches!(outcome.code, Some(0 | 1)), "{:?}", outcome.code);
        let line: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert!(line.is_object());
    }
    let bounded: [(&str, &[&str]); 8] = [
        ("UNWIND range(1, 1000000000000) AS x RETURN x LIMIT 3", &[]),
        (
            "UNWIND range(1, 1000000000000) AS x RETURN count(x)",
            &["--timeout", "1s"],
        ),
        (
            "MATCH (a), (b), (c), (d), (e), (f), (g), (h), (i), (j), (k), (l), (m), (n) RETURN count(*)",
            &["--timeout", "100ms"],
        ),
        (
            "RETURN size(reduce(s = 'ab', x IN range(1, 60) | s + s))",
            &["--memory-limit", "64MiB"],
        ),
        (
            "UNWIND range(1, 3000000) AS x RETURN x AS y ORDER BY toString(x)",
            &["--memory-limit", "16MiB"],
        ),
        (
            "UNWIND range(1, 3000000) AS x WITH collect(x) AS l RETURN size(l)",
            &["--memory-limit", "1MiB"],
        ),
        (
            "RETURN reduce(l = [], x IN range(1, 100000) | [l]) IS NULL",
            &["--timeout", "10s"],
        ),
        (
            "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '((a+)+)+'",
            &["--timeout", "10s"],
        ),
    ];
    for (text, flags) in bounded {
        let outcome = place.call_with(&[&["query", "db", text], flags].concat());
        assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    }
    assert!(query(&place, "MATCH (n) RETURN count(*)", &[]).contains('5'));
}

/// Ctrl-C ends the statement, which leaves nothing.
#[test]
fn ctrl_c_cancels() {
    let place = movies();
    let endless = "CREATE (:A) WITH 1 AS one UNWIND range(1, 100000) AS a \
                   UNWIND range(1, 100000) AS b UNWIND range(1, 100000) AS c \
                   RETURN count(*);\n";
    let mut child = place.interactive(&["query", "db", "-", "--format", "json"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // It listens to signals when it has answered.
    writeln!(stdin, "RETURN 1;").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    stdin.write_all(endless.as_bytes()).unwrap();
    stdin.flush().unwrap();
    // Until the statement runs, the signal ends the program.
    let process = format!("/proc/{}/stat", child.id());
    let ticks = || {
        let stat = std::fs::read_to_string(&process).unwrap();
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        fields[11].parse::<u64>().unwrap()
    };
    let begin = ticks();
    while ticks() < begin + 20 {
        std::thread::yield_now();
    }
    let told = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(told.unwrap().success());
    line.clear();
    stdout.read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["error"]["detail"], "Cancelled");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(query(&place, "MATCH (a:A) RETURN count(*)", &[]).contains('0'));
}

#[test]
fn reading_goes_on_beside_a_writer() {
    let place = movies();
    let options = evergraph::Options::default();
    let db = evergraph::Database::open(place.path("db"), &options).unwrap();
    let read = place.call_with(&["query", "db", "MATCH (n) RETURN count(*)"]);
    read.expect(0);
    let script = place.feed(&["query", "db", "-"], "MATCH (n) RETURN count(*);\n");
    script.expect(0);
    assert!(
        script.stderr.contains("another process is writing"),
        "{script:#?}"
    );
    let written = place.call_with(&["query", "db", "CREATE (:A)"]);
    written.expect(1);
    assert!(written.error().contains("open for writing"), "{written:#?}");
    db.close().unwrap();
}

#[test]
fn lines_of_files_are_loaded() {
    let place = movies();
    std::fs::write(
        place.path("born.csv"),
        "name;born\r\nKeanu Reeves;1964\r\nHugo Weaving;1960\r\n",
    )
    .unwrap();
    let load = "LOAD CSV WITH HEADERS FROM $file AS row FIELDTERMINATOR ';'";
    let url = format!("file=file://{}", place.path("born.csv").display());
    let text = format!(
        "{load} OPTIONAL MATCH (p:Person {{name: row.name}}) \
         RETURN row, coalesce(p.born, 0) AS born"
    );
    expect![[r#"
        row                                   born
        ------------------------------------  ----
        {born: '1964', name: 'Keanu Reeves'}  1964
        {born: '1960', name: 'Hugo Weaving'}     0
        2 rows
    "#]]
    .assert_eq(&query(&place, &text, &["--param", &url]));
    let text = format!(
        "{load} CALL (row) {{ MERGE (p:Person {{name: row.name}}) SET p.born = toInteger(row.born) }} \
         IN TRANSACTIONS OF 1 ROW"
    );
    expect![[r#"
        1 node created, 3 properties set, 1 label added
    "#]]
    .assert_eq(&query(&place, &text, &["--param", "file=born.csv"]));
    let missing = place.call_with(&["query", "db", &text, "--param", "file=none.csv"]);
    missing.expect(1);
    assert!(missing.stderr.contains("none.csv"), "{}", missing.stderr);
}

/// A program that drives it.
impl Place {
    fn interactive(&self, arguments: &[&str]) -> std::process::Child {
        let mut command = std::process::Command::new(crate::common::EVERGRAPH);
        command.args(arguments).current_dir(self.path("."));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null()).spawn().unwrap()
    }
}

#[test]
fn procedures_and_files_are_of_the_command_line_too() {
    let place = movies();
    let text = "CALL algo.degrees({orientation: 'undirected'}) YIELD node, degree \
                RETURN coalesce(node.name, node.title) AS name, degree \
                ORDER BY degree DESC, name LIMIT 2";
    expect![[r#"
        name          degree
        ------------  ------
        The Matrix         3
        Keanu Reeves       2
        2 rows
    "#]]
    .assert_eq(&query(&place, text, &[]));
    let text = "CALL algo.pagerank.write({writeProperty: 'rank'}) YIELD nodePropertiesWritten AS n";
    expect![[r#"
        n
        -
        5
        1 row, 5 properties set
    "#]]
    .assert_eq(&query(&place, text, &[]));
    let file = place.path("people.csv").display().to_string();
    let param = format!("file={file}");
    let text =
        "COPY (MATCH (p:Person) RETURN p.name AS name, p.born AS born ORDER BY born) TO $file";
    expect![[r#"
        3 rows written
    "#]]
    .assert_eq(&query(&place, text, &["--param", &param]));
    let text = "COPY Copy FROM $file (key name)";
    expect![[r#"
        property  type     guessed
        --------  -------  -------
        name      STRING   true
        born      INTEGER  true
        2 rows, 3 nodes created, 6 properties set, 3 labels added
    "#]]
    .assert_eq(&query(&place, text, &["--param", &param]));
    let again = place.call_with(&["query", "db", text, "--param", &param]);
    again.expect(1);
    let problem = "people.csv:2: name: there is a Copy with this key, 'Keanu Reeves'";
    assert!(again.stderr.contains(problem), "{}", again.stderr);
    let unknown = place.call_with(&["query", "db", "CALL algo.pagerang()"]);
    unknown.expect(1);
    assert!(
        unknown.stderr.contains("did you mean algo.pagerank?"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn several_statements_are_refused_with_advice() {
    let place = Place::new();
    for statements in [
        &["CREATE (:A); CREATE (:B)"][..],
        &["CREATE (:A)", "CREATE (:B)"],
    ] {
        let arguments = [&["query", "db", "--create"], statements].concat();
        let said = place.call_with(&arguments);
        assert!([Some(1), Some(2)].contains(&said.code), "{said:#?}");
        assert_eq!(said.error(), "several statements were given", "{said:#?}");
        assert!(said.hint().contains("`-` as the statement"), "{said:#?}");
    }
    place
        .call_with(&["query", "db", "--create", "CREATE (:A);"])
        .expect(0);
}
