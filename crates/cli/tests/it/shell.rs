//! `evergraph shell`, without a terminal.

use expect_test::expect;

use crate::common::Place;

#[test]
fn a_conversation() {
    let place = Place::new();
    let said = place.feed(
        &["shell", "db", "--create"],
        "CREATE (a:Person {name: 'Ann'})-[:KNOWS]->\n  (b:Person {name: 'Bob'});\n\
         CREATE INDEX names FOR (p:Person) ON (p.name);\n\
         :schema\n\
         :params {\"who\": \"Ann\"}\n\
         :params\n\
         MATCH (p:Person {name: $who})\n RETURN p;\n\
         :format csv\n\
         MATCH (p:Person) RETURN p.name ORDER BY p.name;\n\
         :format table\n\
         :begin\n\
         CREATE (:City);\n\
         MATCH (c:City) RETURN count(*);\n\
         :rollback\n\
         MATCH (c:City) RETURN count(*);\n\
         :begin\nCREATE (:City);\n:commit\n\
         MATCH (c:City) RETURN count(*);\n\
         :help\n\
         :quit\n\
         RETURN 'not reached';\n",
    );
    said.expect(0);
    expect![[r#"
        2 nodes created, 1 relationship created, 2 properties set, 2 labels added
        1 index added
        nodes          2
        relationships  1
        labels         Person
        types          KNOWS
        properties     name
        rule           names: index of nodes Person (name)
        $who = 'Ann'
        p
        -----------------------
        (:Person {name: 'Ann'})
        1 row
        p.name
        Ann
        Bob
        begun
        1 node created, 1 label added
        count(*)
        --------
               1
        1 row
        rolled back
        count(*)
        --------
               0
        1 row
        begun
        1 node created, 1 label added
        commit 4
        count(*)
        --------
               1
        1 row
        :help           list commands
        :schema         show labels, types, properties, indexes and constraints
        :params {json}  set the parameters of statements; alone, show them
        :format F       print results as table, csv, json, typed-json, jsonl or arrow
        :timing         say how long statements take, or stop saying it
        :asof AT        read the graph as it was: a snapshot, a date, a commit; `now` ends it
        :snapshot NAME  name the graph as it is now
        :snapshots      list the snapshots
        :begin          begin a transaction of several statements
        :commit         commit it
        :rollback       give it up
        :quit           end; so do :exit and Ctrl-D
    "#]]
    .assert_eq(&said.stdout);
    expect![[r#"
        warning: the graph has no label City: no node has it, at line 1, column 10
          MATCH (c:City) RETURN count(*)
                   ^^^^
    "#]]
    .assert_eq(&said.stderr);
}

/// What is wrong is told, and the conversation goes on.
#[test]
fn failures_end_nothing() {
    let place = Place::new();
    place
        .call_with(&["query", "db", "CREATE (:A)", "--create"])
        .expect(0);
    place.json("snapshot db create before");
    let said = place.feed(
        &["shell", "db"],
        "RETRUN 1;\n:nothing\n:format xml\n:asof nothing\n:commit\n:rollback\n:params 1\n\
         CREATE (:A);\n:asof before\nMATCH (a:A) RETURN count(*);\nCREATE (:A);\n:asof now\n\
         MATCH (a:A) RETURN count(*);\n:begin\n:begin\n:timing perhaps\n",
    );
    said.expect(1);
    expect![[r#"
        1 node created, 1 label added
        reading before, commit 2
        count(*)
        --------
               1
        1 row
        reading the newest commit
        count(*)
        --------
               2
        1 row
        begun
    "#]]
    .assert_eq(&said.stdout);
    expect![[r#"
        error: RETRUN stands where a clause, such as MATCH or RETURN, should be: did you mean RETURN?, at line 1, column 1
          RETRUN 1
          ^^^^^^
        hint: the statement is read from the left: what is wrong may stand before this
        error: there is no command :nothing
        hint: :help lists them
        error: there is no format "xml"
        hint: choose one of table, csv, json, typed-json, jsonl, arrow
        error: there is no snapshot "nothing"
        hint: `evergraph snapshot DB list` shows what there is
        error: there is no transaction
        hint: :begin begins one
        error: there is no transaction
        hint: :begin begins one
        error: the parameters are no JSON object
        hint: write :params {"name": "Ann", "ids": [1, 2]}
        error: the past cannot be changed: a statement that writes has no AS OF
        hint: leave AS OF (--as-of, :asof) out
        error: there is a transaction already
        hint: :commit or :rollback ends it
        error: timing is on or off
        hint: write :timing
        the transaction was not committed: nothing of it is in the graph
    "#]]
    .assert_eq(&said.stderr);
}

#[test]
fn programs_get_a_line_for_each_failure() {
    let place = Place::new();
    let said = place.feed(
        &["--json", "shell", "db", "--create"],
        "RETRUN 1;\nRETURN 1 AS a;\n",
    );
    said.expect(1);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{said:#?}");
    assert!(lines[0].starts_with("{\"error\":"), "{said:#?}");
}

/// Words of other shells.
#[test]
fn commands_need_no_colon() {
    let place = Place::new();
    let said = place.feed(
        &["shell", "db", "--create"],
        "Help;\nRETURN 1 AS a;\nexit;\nRETURN 2 AS b;\n",
    );
    said.expect(0);
    assert!(said.stdout.contains(":help"), "{said:#?}");
    assert!(said.stdout.ends_with("1 row\n"), "{said:#?}");
    place.feed(&["shell", "db"], "quit;\nnonsense;\n").expect(0);
}

/// A comment before a command took it and the next statement away.
#[test]
fn comments_stand_before_commands() {
    let place = Place::new();
    let said = place.feed(
        &["shell", "db", "--create", "--format", "csv"],
        "// people\n:begin\nCREATE (:A);\n/* more\n   of them */\nCREATE (:A);\n\
         // no\n:rollback\nMATCH (a:A) RETURN count(*) AS n;\n",
    );
    said.expect(0);
    assert_eq!(said.stdout, "n\n0\n", "{said:#?}");
    assert!(said.stderr.contains("rolled back"), "{said:#?}");
    let said = place.feed(
        &["query", "db", "-", "--format", "csv"],
        "// one\n:params {\"a\": 1}\nRETURN $a AS a;\n",
    );
    said.expect(0);
    assert_eq!(said.stdout, "a\n1\n", "{said:#?}");
}

/// Time travel from within the shell.
#[test]
fn snapshots_are_named_and_read() {
    let place = Place::new();
    let said = place.feed(
        &["shell", "db", "--create", "--format", "json"],
        ":snapshots\nCREATE (:A);\n:snapshot one\nCREATE (:A);\n:asof one\n\
         MATCH (a:A) RETURN count(*);\n:begin\n:asof now\n:begin\n:snapshot two\n:rollback\n\
         :snapshot one\n:snapshot\n:snapshots\n",
    );
    said.expect(1);
    let lines = said.stdout.lines();
    let lines: Vec<serde_json::Value> = lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{said:#?}")))
        .collect();
    assert_eq!(lines[0], serde_json::json!({ "snapshots": [] }));
    assert_eq!(
        lines[2],
        serde_json::json!({ "snapshot": "one", "commit": 2 })
    );
    assert_eq!(lines[5]["rows"], serde_json::json!([[1]]));
    let refused = |line: usize, part: &str| {
        let message = lines[line]["error"]["message"].as_str();
        assert!(
            message.is_some_and(|text| text.contains(part)),
            "{line}: {said:#?}"
        );
    };
    refused(6, "a transaction reads the graph of now, and :asof is one");
    refused(9, "a transaction is open");
    refused(11, "there is a snapshot \"one\" already");
    refused(12, "a snapshot needs a name");
    let all = &lines[13]["snapshots"];
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{said:#?}");
    assert_eq!(
        (&all[0]["name"], &all[0]["commit"]),
        (&"one".into(), &2.into())
    );
}

/// A program that reads a line for each thing it sends has one of transactions, too.
#[test]
fn transactions_answer_by_lines_of_json() {
    let place = Place::new();
    let said = place.feed(
        &["shell", "db", "--create", "--format", "typed-json"],
        "CREATE CONSTRAINT c FOR (n:A) REQUIRE n.s IS NOT NULL;\n\
         :begin\nCREATE (:A);\n:commit\n\
         :begin\nCREATE (:B);\n:rollback\n:begin\nCREATE (:B);\n:commit\n",
    );
    said.expect(1);
    let beginnings = said.stdout.lines().map(|line| {
        let end = line.find(':').expect("an object");
        line[..end].to_string()
    });
    let beginnings: Vec<String> = beginnings.collect();
    assert_eq!(
        beginnings.join(" "),
        "{\"columns\" {\"begun\" {\"columns\" {\"error\" {\"begun\" {\"columns\" {\"rolledBack\" \
         {\"begun\" {\"columns\" {\"commit\"",
        "{said:#?}"
    );
    assert!(said.stderr.contains("nothing of"), "{said:#?}");
}

#[test]
fn moments_answer_by_lines_of_json() {
    let place = Place::new();
    place
        .call_with(&["query", "db", "--create", "CREATE (:A)"])
        .expect(0);
    place.json("snapshot db create s1");
    let said = place.feed(
        &["shell", "db", "--format", "json"],
        ":asof s1\n:asof nope\n:asof now\n:commit\n",
    );
    said.expect(1);
    let lines = said.stdout.lines();
    let lines: Vec<serde_json::Value> = lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{said:#?}")))
        .collect();
    assert_eq!(lines.len(), 4, "{said:#?}");
    assert_eq!(
        (&lines[0]["asOf"], &lines[2]["asOf"]),
        (&"s1".into(), &"now".into())
    );
    assert!(lines[0]["commit"].is_u64(), "{said:#?}");
    assert!(
        lines[1]["error"].is_object() && lines[3]["error"].is_object(),
        "{said:#?}"
    );
}

/// Whatever a program sends, what it reads is lines of JSON.
#[test]
fn commands_answer_by_lines_of_json() {
    let place = Place::new();
    let said = place.feed(
        &["shell", "db", "--create", "--format", "json"],
        "CREATE (:A {x: 1});\n:help\n:schema\n:timing\nRETURN 1;\n:params {\"a\": 1}\n:params\n\
         :nothing\n:format xml\n:timing perhaps\n:schema all\nquit;\n",
    );
    said.expect(1);
    let lines = said.stdout.lines();
    let lines: Vec<serde_json::Value> = lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{said:#?}")))
        .collect();
    let told = |key: &str| {
        lines
            .iter()
            .filter_map(|line| line.get(key))
            .collect::<Vec<_>>()
    };
    assert!(told("commands")[0][":schema"].is_string(), "{said:#?}");
    assert_eq!(told("labels"), [&serde_json::json!(["A"])]);
    assert_eq!(told("timing"), [&serde_json::json!(true)]);
    assert_eq!(told("parameters"), [&serde_json::json!({ "a": 1 })]);
    assert_eq!(told("error").len(), 4, "{said:#?}");
    let rows = place.feed(
        &["shell", "db", "--format", "jsonl"],
        ":help\n:schema\n:timing\nRETURN 1 AS b, 2 AS a;\n",
    );
    assert_eq!(rows.stdout, "{\"b\":1,\"a\":2}\n", "{rows:#?}");
}
