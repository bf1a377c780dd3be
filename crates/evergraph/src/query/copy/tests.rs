//! `COPY` through the facade.

use std::fs;

use crate::At;
use crate::property::value::Value;
use crate::query::Statement;
use crate::query::test_place::Place;

const PEOPLE: &str = "id,name,born,score,active,code\n\
                      1,Ann,1975-02-03,1.5,true,007\n\
                      2,\"Bob, Jr.\",1980-12-24,2,false,1\n\
                      3,,1999-01-01,,true,2\n";

/// The type of a column is that of all of its values, and the answer says which.
#[test]
fn nodes_come_from_tables() {
    let place = Place::new();
    place.write("people.csv", PEOPLE);
    let (rows, effects) = place.run("COPY Person FROM 'DIR/people.csv' (key id)");
    assert_eq!(
        rows,
        [
            "'id' 'INTEGER' true",
            "'name' 'STRING' true",
            "'born' 'DATE' true",
            "'score' 'FLOAT' true",
            "'active' 'BOOLEAN' true",
            "'code' 'STRING' true",
        ]
    );
    let expected = [
        ("nodes_created", 3),
        ("properties_set", 16),
        ("labels_added", 3),
    ];
    assert_eq!(effects, expected);
    let (rows, _) = place.run("MATCH (p:Person) RETURN p ORDER BY p.id");
    assert_eq!(
        rows,
        [
            "(:Person {active: true, born: date('1975-02-03'), code: '007', id: 1, \
             name: 'Ann', score: 1.5})",
            "(:Person {active: false, born: date('1980-12-24'), code: '1', id: 2, \
             name: 'Bob, Jr.', score: 2.0})",
            "(:Person {active: true, born: date('1999-01-01'), code: '2', id: 3})",
        ]
    );
}

/// Files of `COPY TO` are read again as they were, if the types of lists and points are given.
#[test]
fn tables_are_written_and_read_again() {
    let place = Place::new();
    place.run(
        "CREATE (:A {t: ['a, b', 'it\\'s', 'c;d', 'f(x)', ''], n: [1, -2], f: 0.0 / 0, \
         fs: [0.0 / 0, -1.0 / 0.0, 1.5, 1e300], d: [date('2020-02-29')], \
         p: point({x: 1, y: 2}), ps: [point({longitude: 1, latitude: 2, height: 3})]}), \
         (:A {t: [], n: [3], f: 1.5, fs: [], d: [], p: point({latitude: 1, longitude: 2}), ps: []})",
    );
    let columns = ["t", "n", "f", "fs", "d", "p", "ps"];
    let returned: Vec<String> = columns.map(|key| format!("n.{key} AS {key}")).into();
    let returned = returned.join(", ");
    place.run(&format!(
        "COPY (MATCH (n:A) RETURN {returned}) TO 'DIR/a.csv'"
    ));
    let (types, _) = place.run(
        "COPY B FROM 'DIR/a.csv' (types {t: 'LIST<STRING>', n: 'LIST<INTEGER>', fs: 'LIST<FLOAT>', \
         d: 'LIST<DATE>', p: 'POINT', ps: 'LIST<POINT>'})",
    );
    assert_eq!(types[2], "'f' 'FLOAT' true");
    let [written, read] = ["A", "B"].map(|label| {
        place
            .run(&format!("MATCH (n:{label}) RETURN {returned} ORDER BY n.n"))
            .0
    });
    assert_eq!(written, read);
    place.write("bad.csv", "t\n\"['a, b]\"\n");
    let refused = place.refused("COPY B FROM 'DIR/bad.csv' (types {t: 'LIST<STRING>'})");
    let refused = refused.to_string();
    assert!(refused.contains("is no list such as"), "{refused}");
    place.write("odd.csv", "t\n[a];[b]\n\"[f(x), (y)]\"\n");
    place.run("COPY C FROM 'DIR/odd.csv' (types {t: 'LIST<STRING>'})");
    let texts = place.rows("MATCH (n:C) RETURN n.t ORDER BY size(n.t[0])");
    assert_eq!(texts, ["['[a]', '[b]']", "['f(x)', '(y)']"]);
}

#[test]
fn tables_are_read_as_the_options_say() {
    let place = Place::new();
    place.write("odd.txt", "# a comment\n1|x|NULL|a;b\n2|'y|3|c\n");
    let text = "COPY A FROM 'DIR/odd.txt' (header false, skip 1, delimiter = '|', quotes false, \
                null 'NULL', columns ['n', 't', 'm', 'l'], types {n: 'STRING', l: 'LIST<STRING>'}, \
                properties [n, m, l])";
    let (rows, _) = place.run(text);
    assert_eq!(
        rows,
        [
            "'n' 'STRING' false",
            "'m' 'INTEGER' true",
            "'l' 'LIST<STRING>' false"
        ]
    );
    let (rows, _) = place.run("MATCH (a:A) RETURN a ORDER BY a.n");
    assert_eq!(
        rows,
        [
            "(:A {l: ['a', 'b'], n: '1'})",
            "(:A {l: ['c'], m: 3, n: '2'})"
        ]
    );
    // Names in the place of the header's.
    place.write("a.tsv", "x\ty\n1\t2\n");
    place.run("COPY B FROM 'DIR/a.tsv' (columns ['p', 'q'])");
    assert_eq!(place.run("MATCH (b:B) RETURN b").0, ["(:B {p: 1, q: 2})"]);
}

#[test]
fn relationships_find_their_ends_by_keys() {
    for index in [
        "",
        "CREATE CONSTRAINT FOR (p:Person) REQUIRE p.id IS UNIQUE",
    ] {
        let place = Place::new();
        if !index.is_empty() {
            place.run(index);
        }
        place.write("people.csv", PEOPLE);
        place.run("COPY Person FROM 'DIR/people.csv' (key id)");
        place.write("knows.csv", "a,b,since\n1,2,2010\n2,3,\n1,2,2011\n");
        let text = "COPY KNOWS FROM 'DIR/knows.csv' (from Person.id, to Person.id)";
        let (rows, effects) = place.run(text);
        assert_eq!(rows, ["'since' 'INTEGER' true"]);
        assert_eq!(
            effects,
            [("relationships_created", 3), ("properties_set", 2)]
        );
        let text = "MATCH (a)-[k:KNOWS]->(b) RETURN a.id, k.since, b.id ORDER BY a.id, k.since";
        assert_eq!(place.run(text).0, ["1 2010 2", "1 2011 2", "2 null 3"]);
        // One column of the name of both keys is that of one end.
        place.write("likes.csv", "id,friend\n1,3\n");
        place.run("COPY LIKES FROM 'DIR/likes.csv' (from Person.id, to Person.id)");
        let text = "MATCH (a)-[:LIKES]->(b) RETURN a.id, b.id";
        assert_eq!(place.rows(text), ["1 3"]);
        // Columns by the names of the keys, or by their own.
        place.write("in.csv", "weight,city,id\n0.5,Rome,2\n");
        place.run("CREATE (:City {city: 'Rome'})");
        place.run("COPY IN FROM 'DIR/in.csv' (from Person.id, to City.city)");
        let text = "COPY OUT FROM 'DIR/in.csv' (from City.city, to Person.id, from_column city, \
                    to_column id, properties [])";
        place.run(text);
        let text = "MATCH (p:Person)-[i:IN]->(c)-[o:OUT]->(p) RETURN p.id, i, o";
        assert_eq!(place.run(text).0, ["2 [:IN {weight: 0.5}] [:OUT]"]);
    }
}

/// A row that cannot be taken is named with file and line, and nothing is copied.
#[test]
fn one_bad_row_refuses_all() {
    for index in [
        "",
        "CREATE CONSTRAINT FOR (p:Person) REQUIRE p.id IS UNIQUE",
    ] {
        let place = Place::new();
        if !index.is_empty() {
            place.run(index);
        }
        place.run("CREATE (:Person {id: 7}), (:City {id: 'x'})");
        for (file, text, options, part) in [
            (
                "a.csv",
                "id,n\n1,2\n3\n",
                "",
                "a.csv:3: 1 columns, expected 2",
            ),
            (
                "b.csv",
                "id,n\n1,2\n1,3\n",
                "(key id)",
                "b.csv:3: id: there is a Person",
            ),
            (
                "c.csv",
                "id,n\n7,2\n",
                "(key id)",
                "c.csv:2: id: there is a Person",
            ),
            (
                "k.csv",
                "id,n\n1,2\n",
                "(key id, properties [n])",
                "the key id is none of the properties",
            ),
            (
                "d.csv",
                "id,n\n1,2\n,3\n",
                "(key id)",
                "d.csv:3: id: the key is missing",
            ),
            (
                "e.csv",
                "id,n\n1,x\n",
                "(types {n: 'INTEGER'})",
                "e.csv:2: n:",
            ),
            (
                "f.csv",
                "id,n\n1,\"x\n",
                "",
                "f.csv:2: a quoted field begins",
            ),
            (
                "g.jsonl",
                "{\"a\": 1}\n[1]\n",
                "",
                "g.jsonl:2: it is no JSON object",
            ),
            (
                "h.jsonl",
                "\u{feff}{\"a\": 1}\n{\"a\": \n",
                "",
                "h.jsonl:2: no JSON at column 6: EOF",
            ),
            ("i.json", "{\"a\": 1}", "", "i.json: invalid type"),
            ("j.csv", "", "", "j.csv"),
        ] {
            place.write(file, text);
            let error = place.refused(&format!("COPY Person FROM 'DIR/{file}' {options}"));
            assert!(error.message().contains(part), "{file}: {error}");
            assert!(!error.hint().contains("--"), "{}", error.hint());
            assert_eq!(place.count("(p:Person)"), 1, "{file}");
        }
        for (text, part) in [
            (
                "a,b\n7,9\n",
                "ends.csv:2: b: there is no Person whose id is 9",
            ),
            ("a,b\n7,7\n7,\n", "ends.csv:3: b: the key is missing"),
            (
                "a,b\n7,0.5\n",
                "ends.csv:2: b: a key is an integer or a text",
            ),
            ("a\n7\n", "need two columns"),
        ] {
            place.write("ends.csv", text);
            let text = "COPY KNOWS FROM 'DIR/ends.csv' (from Person.id, to Person.id)";
            let error = place.refused(text);
            assert!(error.message().contains(part), "{error}");
            assert_eq!(place.count("()-->()"), 0);
        }
    }
}

#[test]
fn bad_rows_can_be_left_out() {
    let place = Place::new();
    place.write("p.csv", "id,n\n1,2\n3\n1,9\n4,5\n");
    let text = "COPY P FROM 'DIR/p.csv' (key id, ignore_errors, rejects 'DIR/bad.csv')";
    let (_, effects) = place.run(text);
    assert!(effects.contains(&("nodes_created", 2)), "{effects:?}");
    assert!(effects.contains(&("rows_skipped", 2)), "{effects:?}");
    let rejects = place.read("bad.csv");
    let lines: Vec<&str> = rejects.lines().collect();
    assert_eq!(lines[0], "file,line,column,problem,row");
    assert!(lines[1].contains(",3,,"), "{rejects}");
    assert!(lines[2].contains(",4,id,"), "{rejects}");
    let values = r#","{""id"":1,""n"":9}""#;
    assert!(lines[2].ends_with(values), "{rejects}");
    // What is there already can also be left as it is, or changed.
    place.write("p.csv", "id,n\n4,6\n5,7\n");
    place.run("COPY P FROM 'DIR/p.csv' (key id, on_conflict skip)");
    let all = "MATCH (p:P) RETURN p.id, p.n ORDER BY p.id";
    assert_eq!(place.run(all).0, ["1 2", "4 5", "5 7"]);
    let (_, effects) = place.run("COPY P FROM 'DIR/p.csv' (key id, on_conflict 'update')");
    assert_eq!(effects, [("properties_set", 4)]);
    assert_eq!(place.run(all).0, ["1 2", "4 6", "5 7"]);
}

/// As DuckDB does it.
#[test]
fn types_are_those_of_the_first_rows_where_bad_ones_are_left_out() {
    let place = Place::new();
    let rows = |bad: usize| {
        let row = |id| {
            if id == bad {
                "x\n".to_string()
            } else {
                format!("{id}\n")
            }
        };
        "id\n".to_string() + &(0..20_490).map(row).collect::<String>()
    };
    let copy = "COPY P FROM 'DIR/p.csv' (ignore_errors, rejects 'DIR/bad.csv')";
    for (bad, kind, skipped) in [(20_485, "INTEGER", 1), (5, "STRING", 0)] {
        place.write("p.csv", &rows(bad));
        let (types, effects) = place.run(copy);
        assert_eq!(types, [format!("'id' '{kind}' true")]);
        let found = effects.iter().find(|(name, _)| *name == "rows_skipped");
        assert_eq!(found.map_or(0, |(_, rows)| *rows), skipped, "{bad}");
        assert_eq!(place.read("bad.csv").lines().count() as u64, 1 + skipped);
    }
    let error = place.refused("COPY P FROM 'DIR/p.csv' (types {id: 'INTEGER'})");
    assert!(error.message().contains("p.csv:7: id"), "{error}");
}

/// A bad row makes texts of numbers, and a file of numbers has ends that are texts.
#[test]
fn keys_are_of_the_type_that_they_have_in_the_graph() {
    let place = Place::new();
    place.run("CREATE (:N {id: 1}), (:N {id: 2}), (:T {id: '1'}), (:T {id: '2'})");
    place.write("ends.csv", "a,b,since\n1,2,5\nx,1,6\n2,1,7\n");
    for (label, indexed) in [
        ("N", ""),
        ("T", ""),
        ("N", "CREATE INDEX FOR (n:N) ON (n.id)"),
    ] {
        if !indexed.is_empty() {
            place.run(indexed);
        }
        let ends = format!("from {label}.id, to {label}.id, ignore_errors");
        let (types, effects) = place.run(&format!("COPY R FROM 'DIR/ends.csv' ({ends})"));
        assert_eq!(types, ["'since' 'INTEGER' true"]);
        assert!(
            effects.contains(&("relationships_created", 2)),
            "{effects:?}"
        );
        assert!(effects.contains(&("rows_skipped", 1)), "{effects:?}");
    }
    assert_eq!(
        place.count("(:T {id: '2'})-[:R {since: 7}]->(:T {id: '1'})"),
        1
    );
    place.write("n.csv", "id\n2\n3\nx\n");
    let (types, effects) = place.run("COPY N FROM 'DIR/n.csv' (key id, ignore_errors)");
    assert_eq!(types, ["'id' 'INTEGER' true"]);
    assert!(effects.contains(&("rows_skipped", 2)), "{effects:?}");
    assert_eq!(place.count("(:N {id: 3})"), 1);
    let error = place.refused("COPY N FROM 'DIR/n.csv' (key id, on_conflict skip)");
    assert!(
        error
            .message()
            .contains("id of N is an integer in the graph"),
        "{error}"
    );
}

#[test]
fn wrong_statements_say_what_to_do() {
    let place = Place::new();
    place.write("p.csv", "id,name\n1,2\n");
    place.run("CREATE (:Person {id: 7})");
    for (text, parts) in [
        (
            "COPY P FROM 'DIR/none.csv'",
            ["none.csv: no such file", "check the path"],
        ),
        (
            "COPY P FROM 'DIR/p'",
            ["does not say the format", "(format csv)"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (format xls)",
            ["no format", "parquet"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (keys id)",
            ["no option keys", "did you mean key"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (key idd)",
            ["no column idd", "did you mean id"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (key, key id)",
            ["given twice", "once"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (header 3)",
            ["header", "true or false"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (delimiter 'ab')",
            ["delimiter", "one character"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (header false)",
            ["what the columns are called", "columns"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (rejects 'DIR/r.csv')",
            ["ignore_errors leaves out", "(ignore_errors, rejects"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (types {id: 'INTEGR'})",
            ["no type INTEGR", "INTEGER"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (types {iid: 'INTEGER'})",
            ["p.csv", "iid"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (from Person.id)",
            ["two ends", "to Person.id"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (from Persn.id, to Person.id)",
            ["no label", "`Person`"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (from Person.idx, to Person.id)",
            ["no property", "`id`"],
        ),
        (
            "COPY P FROM 'DIR/p.csv' (from Person, to Person.id)",
            ["from", "Person.id"],
        ),
        ("COPY P FROM $file", ["$file is not given", "--param"]),
        ("COPY P FROM ''", ["empty", "path"]),
        ("COPY (MATCH (n) RETURN n", ["", ")"]),
        (
            "COPY (CREATE (n) RETURN n) TO 'DIR/o.csv'",
            ["only reads", "by itself"],
        ),
        (
            "COPY (MATCH (n) RETRUN n) TO 'DIR/o.csv'",
            ["RETRUN", "RETURN"],
        ),
        ("COPY (RETURN 1 AS x) TO 'DIR/no/o.csv'", ["o.csv", ""]),
        (
            "COPY (RETURN 1 AS x) TO 'DIR/o.csv' (head false)",
            ["no option head", "header"],
        ),
    ] {
        let error = place.refused(text);
        let whole = format!("{error} ({})", error.hint());
        for part in parts {
            assert!(whole.contains(part), "{text}: {whole}");
        }
    }
    assert_eq!(place.count("(p:P)"), 0);
    // Errors within the query stand at their place in the statement.
    let error = place.refused("COPY (MATCH (n)\nRETURN m) TO 'DIR/o.csv'");
    let at = error.place().unwrap();
    assert_eq!((at.line, at.column), (2, 8));
    assert!(!place.path("o.csv").exists());
    let mut transaction = place.db.begin().unwrap();
    let refused = transaction.execute(&place.statement("COPY P FROM 'DIR/p.csv'"));
    assert_eq!(refused.err().unwrap().class(), "AccessError");
}

/// What one statement writes another reads as it was, in each format.
#[test]
fn rows_go_to_files_and_back() {
    let place = Place::new();
    place.run(
        "CREATE (:T {i: 1, f: 0.5, t: 'a \"b\", c', b: true, d: date('2024-02-29')}), \
         (:T {i: 2, f: -1e300, t: ''}), (:T {i: 3, d: date('1999-12-31'), b: false})",
    );
    let query = "MATCH (t:T) RETURN t.i AS i, t.f AS f, t.t AS t, t.b AS b, t.d AS d ORDER BY i";
    let before = place.run(query).0;
    let mut files = vec!["o.csv", "o.tsv", "o.jsonl", "o.json"];
    if cfg!(feature = "columnar") {
        files.push("o.parquet");
    }
    for file in files {
        let (rows, effects) = place.run(&format!("COPY ({query}) TO 'DIR/{file}'"));
        assert_eq!(
            (rows.len(), effects),
            (0, vec![("rows_written", 3)]),
            "{file}"
        );
        place.run(&format!("COPY Copied FROM 'DIR/{file}' (key i)"));
        let copied = query.replace("t:T", "t:Copied");
        let mut expected = before.clone();
        if file.contains("json") {
            // JSON has no dates.
            let texts = |row: &String| row.replace("date('", "'").replace("')", "'");
            expected = before.iter().map(texts).collect();
        }
        assert_eq!(place.run(&copied).0, expected, "{file}");
        place.run("MATCH (c:Copied) DELETE c");
    }
    assert_eq!(
        place.read("o.csv"),
        "i,f,t,b,d\n1,0.5,\"a \"\"b\"\", c\",true,2024-02-29\n2,-1.0e300,\"\",,\n\
         3,,,false,1999-12-31\n"
    );
    assert_eq!(
        place.read("o.json").lines().nth(2).unwrap(),
        "{\"i\":2,\"f\":-1e+300,\"t\":\"\",\"b\":null,\"d\":null},"
    );
    let plain = "COPY (UNWIND [1, 2] AS x RETURN x, [x] AS l) TO 'DIR/p.csv' \
                 (header false, delimiter ';')";
    place.run(plain);
    assert_eq!(place.read("p.csv"), "1;[1]\n2;[2]\n");
    // Whole nodes are what JSON has for them, in CSV what Cypher writes.
    place.run("CREATE (:N {a: 1})");
    place.run("COPY (MATCH (n:N) RETURN n) TO 'DIR/n.csv'");
    assert_eq!(place.read("n.csv"), "n\n(:N {a: 1})\n");
}

#[test]
fn the_past_is_written() {
    let place = Place::new();
    place.run("CREATE (:A)");
    place
        .db
        .property_graph()
        .unwrap()
        .create_snapshot("one")
        .unwrap();
    place.run("CREATE (:A)");
    place.run("COPY (AS OF 'one' MATCH (a:A) RETURN count(*) AS n) TO 'DIR/a.csv'");
    assert_eq!(place.read("a.csv"), "n\n1\n");
    let statement = place.statement("COPY (MATCH (a:A) RETURN count(*) AS n) TO 'DIR/a.csv'");
    assert!(!place.db.is_write(&statement).unwrap());
    let past = statement.as_of(At::Name("one".to_string()));
    place.db.execute(&past).unwrap();
    assert_eq!(place.read("a.csv"), "n\n1\n");
    place.write("b.csv", "x\n1\n");
    let from = place.statement("COPY B FROM 'DIR/b.csv'");
    assert!(place.db.is_write(&from).unwrap());
    let refused = place.db.execute(&from.as_of(At::Name("one".to_string())));
    assert_eq!(refused.err().unwrap().detail(), "ReadOnly");
}

#[test]
fn parameters_name_files_and_limits_end_copies() {
    let place = Place::new();
    let lines: String = (0..5000).map(|n| format!("{n}\n")).collect();
    place.write("n.csv", &format!("n\n{lines}"));
    let file = place.path("n.csv").display().to_string();
    let copy = Statement::new("COPY N FROM $file (null $none)")
        .parameter("file", file)
        .parameter("none", Value::from(vec!["7"]));
    let cancellation = crate::query::Cancellation::new();
    cancellation.cancel();
    let cancelled = copy.clone().cancellation(&cancellation);
    assert_eq!(
        place.db.execute(&cancelled).err().unwrap().detail(),
        "Cancelled"
    );
    let late = copy.clone().timeout(std::time::Duration::ZERO);
    assert_eq!(place.db.execute(&late).err().unwrap().detail(), "Timeout");
    assert_eq!(place.count("(n:N)"), 0);
    place.db.execute(&copy).unwrap();
    assert_eq!(place.count("(n:N)"), 5000);
    assert_eq!(place.count("(n:N) WHERE n.n IS NULL"), 1);
}

/// Written files are read again, compressed as its name says, with floats that are no
/// numbers.
#[test]
fn compressed_files_and_infinite_floats_come_back() {
    let place = Place::new();
    place.run("UNWIND [1.5, 1 / 0.0, -1 / 0.0, 0.0 / 0.0] AS x CREATE (:F {x: x})");
    for name in ["f.csv", "f.csv.gz", "f.tsv.zst", "f.jsonl.gz"] {
        place.run(&format!(
            "COPY (MATCH (n:F) RETURN n.x AS x) TO 'DIR/{name}'"
        ));
        let begins_with = fs::read(place.path(name)).unwrap()[..2].to_vec();
        let expected: &[u8] = match name {
            _ if name.ends_with(".gz") => &[0x1f, 0x8b],
            _ if name.ends_with(".zst") => &[0x28, 0xb5],
            _ => b"x\n",
        };
        assert_eq!(begins_with, expected, "{name}");
    }
    assert_eq!(place.read("f.csv"), "x\n1.5\nInfinity\n-Infinity\nNaN\n");
    for name in ["f.csv", "f.csv.gz", "f.tsv.zst"] {
        place.run(&format!("COPY G FROM 'DIR/{name}' (types {{x: 'FLOAT'}})"));
        let (rows, _) = place.run(
            "MATCH (n:G) WITH toString(n.x) AS x ORDER BY x WITH collect(x) AS all \
             MATCH (n:G) DELETE n RETURN DISTINCT all",
        );
        assert_eq!(rows, ["['-Infinity', '1.5', 'Infinity', 'NaN']"], "{name}");
    }
    let refused = place.refused("COPY (RETURN 1 AS x) TO 'DIR/f.parquet.gz'");
    assert!(refused.to_string().contains("within"), "{refused}");
}

/// A reader passes over an empty line.
#[test]
fn a_null_alone_in_its_row_is_written() {
    let place = Place::new();
    place.run("UNWIND [1, null, 3] AS x CREATE (:A {x: x})");
    place.run("COPY (MATCH (a:A) RETURN a.x AS x ORDER BY x) TO 'DIR/x.csv'");
    let (rows, _) = place.run("LOAD CSV WITH HEADERS FROM 'DIR/x.csv' AS row RETURN row.x");
    assert_eq!(rows, ["'1'", "'3'", "''"]);
}
