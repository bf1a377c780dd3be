//! `evergraph search`.

use crate::common::Place;

/// Three notes and a person; notes have words and vectors.
fn notes() -> Place {
    let place = Place::new();
    place.file(
        "notes.jsonl",
        concat!(
            "{\"id\": \"a\", \"label\": \"Note\", \"props\": {\"title\": \"Durable graphs\", ",
            "\"body\": \"A power cut loses nothing.\", \"at\": [1, 0]}}\n",
            "{\"id\": \"b\", \"label\": \"Note\", \"props\": {\"title\": \"Power tools\", ",
            "\"body\": [\"cut\", \"drill\"], \"at\": [0.6, 0.8]}}\n",
            "{\"id\": \"c\", \"label\": \"Note\", \"props\": {\"title\": \"A durable graph\", ",
            "\"at\": [0, 3.5]}}\n",
            "{\"id\": \"d\", \"label\": \"Person\", \"props\": {\"title\": \"durable\", ",
            "\"at\": [1, 0]}}\n",
        ),
    );
    place.file("edges.txt", "0 1\n1 2\n");
    place.json("import db notes.jsonl");
    place.json("import plain edges.txt");
    place
}

#[cfg(not(any(feature = "fulltext", feature = "vector")))]
mod without {
    use super::notes;

    #[test]
    fn what_is_not_built_in_says_how_to_get_it() {
        let place = notes();
        for (command, error, feature) in [
            (
                "search db text word --label Note --property title",
                "this program was built without full-text search",
                "fulltext",
            ),
            (
                "search db vector --near [1,0] --label Note --property at",
                "this program was built without vector search",
                "vector",
            ),
            (
                "search db list",
                "this program was built without search",
                "fulltext,vector",
            ),
        ] {
            let refused = place.call(command);
            refused.expect(1);
            assert_eq!(refused.error(), error);
            let hint = "build it with it: cargo build --release -p evergraph-cli --features";
            assert_eq!(refused.hint(), format!("{hint} {feature}"));
        }
    }
}

#[cfg(all(feature = "fulltext", feature = "vector"))]
mod with {
    use std::io::Write;
    use std::process::Stdio;

    use serde_json::{Value, json};

    use super::notes;
    use crate::common::Place;

    const TEXT: &str = "--label Note --property title,body";
    const VECTOR: &str = "--label Note --property at";

    /// Runs a search, with a query that may have spaces, and returns its output.
    fn search(place: &Place, kind: &str, query: &[&str], flags: &str) -> Value {
        let mut words = vec!["--json", "search", "db", kind];
        words.extend(query);
        words.extend(flags.split_whitespace());
        let outcome = place.call_with(&words);
        outcome.expect(0);
        outcome.json()
    }

    /// The nodes that were found, in their order.
    fn nodes(found: &Value) -> Vec<u64> {
        let hits = found["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["node"].as_u64().expect("a node"))
            .collect()
    }

    fn text(place: &Place, query: &str, flags: &str) -> Vec<u64> {
        let flags = format!("{TEXT} {flags}");
        let mut found = nodes(&search(place, "text", &[query], &flags));
        found.sort_unstable();
        found
    }

    fn near(place: &Place, query: &str, flags: &str) -> Vec<u64> {
        let flags = format!("{VECTOR} {flags}");
        nodes(&search(place, "vector", &["--near", query], &flags))
    }

    fn more(place: &Place) {
        place.json("snapshot db create before");
        place.file(
            "more.jsonl",
            "{\"id\": \"e\", \"label\": \"Note\", \"props\": {\"title\": \"durable power\", \
             \"at\": [1, 0.1]}}\n",
        );
        place.json("import db more.jsonl --append");
    }

    #[test]
    fn words_find_nodes_now_and_then() {
        let place = notes();
        assert_eq!(text(&place, "durable", ""), [0, 2]);
        assert_eq!(text(&place, "durable OR \"power cut\"", ""), [0, 2]);
        assert_eq!(text(&place, "power cut", ""), [0, 1]);
        assert_eq!(text(&place, "power -drill", ""), [0]);
        assert_eq!(text(&place, "graph", ""), [2]);
        assert_eq!(text(&place, "graph", "--language english"), [0, 2]);
        assert_eq!(text(&place, "*", "--limit 2").len(), 2);
        more(&place);
        assert_eq!(text(&place, "durable", ""), [0, 2, 4]);
        assert_eq!(text(&place, "durable", "--as-of before"), [0, 2]);

        let found = search(
            &place,
            "text",
            &["power cut"],
            &format!("{TEXT} --show title,at"),
        );
        let hit = &found["hits"][0];
        assert!(hit["score"].as_f64().expect("a score") > 0.0);
        let title = match hit["node"].as_u64() {
            Some(0) => json!({ "title": "Durable graphs", "at": [1, 0] }),
            _ => json!({ "title": "Power tools", "at": [0.6, 0.8] }),
        };
        assert_eq!(hit["properties"], title);
        assert_eq!(found["index"]["made"], false, "it was there already");
        assert_eq!(found["index"]["texts"], 4);
        assert_eq!(found["index"]["csn"], found["csn"]);

        let table = place.call(&format!("search db text drill {TEXT} --show title,body"));
        table.expect(0);
        let lines: Vec<&str> = table.stdout.lines().collect();
        assert!(lines[0].starts_with("NODE   SCORE  title"), "{table:#?}");
        assert!(
            lines[1].ends_with("Power tools  ['cut', 'drill']"),
            "{table:#?}"
        );
        let none = place.call(&format!("search db text zebra {TEXT}"));
        none.expect(0);
        assert!(none.stdout.starts_with("nothing found\n"), "{none:#?}");
    }

    #[test]
    fn vectors_find_nodes_now_and_then() {
        let place = notes();
        for flags in ["", "--exact"] {
            assert_eq!(near(&place, "[1, 0]", flags), [0, 1, 2]);
            assert_eq!(
                near(&place, "[-1, 0.5]", &format!("{flags} --metric l2")),
                [1, 0, 2]
            );
            assert_eq!(
                near(&place, "[0, 1]", &format!("{flags} --metric ip")),
                [2, 1, 0]
            );
            let of_node = format!("{VECTOR} {flags} --metric cos --limit 1");
            let found = search(&place, "vector", &["--near-node", "1"], &of_node);
            assert_eq!(nodes(&found), [2], "and not itself");
            let distance = found["hits"][0]["distance"].as_f64().expect("a distance");
            assert!((distance - 0.2).abs() < 1e-6, "{distance}");
            let of_person = search(&place, "vector", &["--near-node", "3"], &of_node);
            assert_eq!(nodes(&of_person), [0]);
        }
        more(&place);
        for flags in ["", "--exact"] {
            assert_eq!(near(&place, "[1, 0]", flags), [0, 4, 1, 2]);
            let then = format!("{flags} --as-of before");
            assert_eq!(near(&place, "[1, 0]", &then), [0, 1, 2]);
        }
        let found = search(&place, "vector", &["--near", "[1, 0]"], VECTOR);
        assert_eq!(found["index"]["made"], false, "it was kept");
        assert_eq!(
            (&found["exact"], &found["dimensions"]),
            (&json!(false), &json!(2))
        );
    }

    #[test]
    fn indexes_are_listed_and_dropped() {
        let place = notes();
        assert_eq!(place.json("search db list")["indexes"], json!([]));
        text(&place, "durable", "");
        text(&place, "durable", "--language english");
        near(&place, "[1, 0]", "");
        more(&place);
        near(&place, "[1, 0]", "--metric l2");
        let listed = place.json("search db list");
        let indexes = listed["indexes"].as_array().expect("indexes");
        let facts = |index: &Value| {
            let kind = index["tokenizer"].as_str().or(index["metric"].as_str());
            let number = |name: &str| index[name].as_u64().expect("a number");
            assert!(number("bytes") > 0 && number("written_us") > 0, "{index}");
            assert_eq!(
                number("csn") + number("behind"),
                listed["csn"].as_u64().expect("one")
            );
            (
                kind.expect("one").to_string(),
                number("entries"),
                number("behind") > 0,
            )
        };
        let mut found: Vec<_> = indexes.iter().map(facts).collect();
        found.sort();
        let expected = [
            ("cosine", 3, true),
            ("english", 3, true),
            ("euclidean", 4, false),
            ("words", 3, true),
        ];
        assert_eq!(
            found,
            expected.map(|(kind, n, is_old)| (kind.to_string(), n, is_old))
        );
        let table = place.call("search db list").stdout;
        assert!(table.contains("Note: title, body (english)"), "{table}");
        assert!(table.contains("Note: at (2, cosine)"), "{table}");

        // Others do not mind them, and a copy has them.
        place.call("check db").expect(0);
        assert!(
            place.json("stats db")["search_bytes"]
                .as_u64()
                .expect("bytes")
                > 0
        );
        let copied = std::process::Command::new("cp")
            .args(["-r", "db", "copy"])
            .current_dir(place.path("."))
            .status();
        assert!(copied.expect("copied").success());
        let there = place.json(&format!("search copy text durable {TEXT}"));
        assert_eq!(there["index"]["made"], false);

        let name = |i: usize| indexes[i]["name"].as_str().expect("a name");
        let wrong = place.call(&format!("search db drop {} nobody", name(0)));
        wrong.expect(1);
        assert_eq!(wrong.error(), "there is no index \"nobody\"");
        let dropped = place.json(&format!("search db drop {} {}", name(0), name(3)));
        assert_eq!(dropped["dropped"], json!([name(0), name(3)]));
        assert!(dropped["freed_bytes"].as_u64().expect("bytes") > 0);
        assert_eq!(
            place.json("search db list")["indexes"]
                .as_array()
                .map(Vec::len),
            Some(2)
        );
        assert_eq!(text(&place, "durable", ""), [0, 2, 4], "made anew");
    }

    #[test]
    fn damaged_indexes_are_told_and_made_anew() {
        let place = notes();
        text(&place, "durable", "");
        near(&place, "[1, 0]", "");
        for entry in std::fs::read_dir(place.path("db/search")).expect("readable") {
            let path = entry.expect("readable").path();
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("text") => std::fs::write(path.join("meta.json"), "{}").expect("written"),
                Some("vectors") => std::fs::write(path, "EGVECTOR").expect("written"),
                _ => {}
            }
        }
        let listed = place.json("search db list");
        for index in listed["indexes"].as_array().expect("indexes") {
            assert_eq!(index["readable"], false);
        }
        let table = place.call("search db list").stdout;
        assert_eq!(
            table
                .matches("damaged; the next search makes it anew")
                .count(),
            2
        );
        assert_eq!(text(&place, "durable", ""), [0, 2]);
        assert_eq!(near(&place, "[1, 0]", ""), [0, 1, 2]);
    }

    #[test]
    fn indexes_may_be_elsewhere() {
        let place = notes();
        assert_eq!(text(&place, "durable", "--directory beside"), [0, 2]);
        assert!(!place.path("db/search").exists());
        let listed = place.json("search db list --directory beside");
        assert_eq!(listed["indexes"].as_array().map(Vec::len), Some(1));
        near(&place, "[1, 0]", "--exact");
        assert!(
            !place.path("db/search").exists(),
            "measuring needs no index"
        );
    }

    /// The JSON lines that statements on standard input give.
    fn answers(place: &Place, statements: &[&str]) -> Vec<Value> {
        let mut command = place.command(&["query", "db", "-", "--format", "json"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut input = child.stdin.take().expect("a pipe");
        write!(input, "{};\n", statements.join(";\n")).expect("written");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let lines = str::from_utf8(&output.stdout).expect("a text").lines();
        lines
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect()
    }

    #[test]
    fn statements_make_and_search_indexes() {
        let place = notes();
        let words = |query: &str| {
            format!("CALL db.index.fulltext.queryNodes('w', {query}) YIELD node RETURN count(*)")
        };
        let found = answers(
            &place,
            &[
                "CREATE FULLTEXT INDEX w FOR (n:Word) ON EACH [n.t]",
                "CREATE (:Word {t: 'alpha beta'}), (:Word {t: 'gamma'})",
                &words("'alpha OR gamma'"),
                &words("\"beta's\""),
                &format!(
                    "UNWIND range(1, 6000) AS i CREATE (:Word {{t: 'zebra'}}) \
                     WITH count(*) AS made {} AS found",
                    words("'zebra'")
                ),
                &words("'alpha gamma OR beta'"),
                "CALL db.index.vector.queryNodes('v', -1, [1])",
            ],
        );
        assert_eq!(found[2]["rows"], json!([[2]]));
        assert_eq!(found[3]["rows"], json!([[0]]));
        assert_eq!(found[4]["rows"], json!([[6000]]));
        let message = |at: usize| found[at]["error"]["message"].as_str().expect("an error");
        assert!(
            message(5).contains("letter 7: brackets have to say"),
            "{}",
            message(5)
        );
        assert!(
            message(6).contains("k is not a whole number from 0"),
            "{}",
            message(6)
        );
    }

    #[test]
    fn names_of_indexes_are_given_once() {
        let place = notes();
        let found = answers(
            &place,
            &[
                "CREATE FULLTEXT INDEX w FOR (n:Note) ON EACH [n.title]",
                "CREATE FULLTEXT INDEX other FOR (n:Note) ON EACH [n.title]",
                "CREATE FULLTEXT INDEX other IF NOT EXISTS FOR (n:Note) ON EACH [n.title]",
                "CREATE INDEX w FOR (n:Note) ON (n.title)",
                "CREATE CONSTRAINT w FOR (n:Note) REQUIRE n.title IS UNIQUE",
                "CREATE INDEX r FOR (n:Note) ON (n.title)",
                "CREATE VECTOR INDEX r FOR (n:Note) ON (n.at) \
                 OPTIONS {dimensions: 2, metric: 'l2'}",
                "CREATE VECTOR INDEX v FOR (n:Note) ON (n.at) \
                 OPTIONS {dimensions: 2, metric: 'l2'}",
                "SHOW INDEXES YIELD name, type RETURN name, type ORDER BY name, type",
            ],
        );
        let message = |at: usize| found[at]["error"]["message"].as_str().expect("an error");
        assert_eq!(message(1), "there is an equivalent index already, w");
        assert!(found[2]["error"].is_null());
        assert_eq!(message(3), "there is an index w already");
        assert_eq!(message(4), "there is an index w already");
        assert_eq!(message(6), "there is an index r already");
        let listed = json!([["r", "RANGE"], ["v", "VECTOR"], ["w", "FULLTEXT"]]);
        assert_eq!(found[8]["rows"], listed);
    }

    #[test]
    fn wrong_input_is_told() {
        let place = notes();
        let label = |label: &str| format!("there is no label {label:?}");
        let text_hint =
            "a query is words; OR, -word, \"words side by side\" and (brackets) say more";
        for (command, code, error, hint) in [
            (
                "search db text red --label Nota --property title",
                2,
                label("Nota").as_str(),
                "did you mean `Note`?",
            ),
            (
                "search db text red --label Xyz --property title",
                2,
                &label("Xyz"),
                "there are Note, Person",
            ),
            (
                "search db text red --label Note --property titel",
                2,
                "there is no property \"titel\"",
                "did you mean `title`?",
            ),
            (
                "search db text red --label Note --property title --show boddy",
                2,
                "there is no property \"boddy\"",
                "did you mean `body`?",
            ),
            (
                "search db text red --label Note --property title --as-of then",
                1,
                "the database has no snapshots",
                "name one with `evergraph snapshot DB create NAME`, or import with --snapshot-every",
            ),
            (
                "search db text (red --label Note --property title",
                2,
                "the query \"(red\" cannot be read at letter 5: expected ')'",
                text_hint,
            ),
            (
                "search db text author:red --label Note --property title",
                2,
                "the query \"author:red\" cannot be read at letter 1: `author:` names a field, and there are none; put it into quotes",
                text_hint,
            ),
            (
                "search db vector --near [1,2,3] --label Note --property at",
                2,
                "the vector that is asked for has 3 dimensions, and at of node 0 has 2",
                "no node with this label has a vector of that length",
            ),
            (
                "search db vector --near [1,2,3] --exact --label Note --property at",
                2,
                "the vector that is asked for has 3 dimensions, and at of node 0 has 2",
                "no node with this label has a vector of that length",
            ),
            (
                "search db vector --near [0,0] --label Note --property at",
                2,
                "the vector that is asked for: it has no direction",
                "see docs/search.md",
            ),
            (
                "search db vector --near-node 77 --label Note --property at",
                1,
                "there is no node \"77\"",
                "give the id of a node, as results have it",
            ),
            (
                "search db vector --near-node 0 --label Note --property body",
                2,
                "node 0 has no list of numbers as body",
                "give another node, or a vector with --near",
            ),
            (
                "search plain text red --label Note --property title",
                1,
                "this database holds edges without labels and properties",
                "import nodes and relationships into a new database",
            ),
            (
                "search plain list",
                1,
                "this database holds edges without labels and properties",
                "import nodes and relationships into a new database",
            ),
            (
                "search nowhere list",
                1,
                "there is no database at nowhere",
                "check the path, or make one with `evergraph import`",
            ),
        ] {
            place.call(command).expect_refusal(code, error, hint);
        }
        let refused =
            place.call("search db text red --label Note --property title --language klingon");
        refused.expect(2);
        assert_eq!(refused.error(), "there is no language \"klingon\"");
        let refused = place.call("search db vector --near one,two --label Note --property at");
        refused.expect(2);
        assert!(
            refused
                .error()
                .starts_with("--near is no list of numbers: "),
            "{refused:#?}"
        );
        for wrong in [
            "search db text red --property title",
            "search db text red --label Note",
            "search db text red --label Note --property title --limit 0",
            "search db vector --label Note --property at",
            "search db vector --near [1] --near-node 1 --label Note --property at",
            "search db vector --near [1] --metric manhattan --label Note --property at",
            "search db drop",
        ] {
            place.call(wrong).expect(2);
        }
        let noted = place.call("search db text red --label Person --property body");
        noted.expect(0);
        assert!(
            noted
                .stderr
                .contains("no node with the label Person has a text as body")
        );
        let empty = place.call_with(&[
            "search",
            "db",
            "text",
            " ",
            "--label",
            "Note",
            "--property",
            "title",
        ]);
        empty.expect(2);
    }
}
