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
    expect![[r#""#]].assert_eq(&said.stdout);
    assert_eq!(said.stderr, "");
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
    expect![[r#""#]].assert_eq(&said.stdout);
    expect![[r#""#]].assert_eq(&said.stderr);
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
