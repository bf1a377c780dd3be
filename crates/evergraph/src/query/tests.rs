//! Statements through the facade.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::property::transaction::{Isolation, TransactionOptions};
use crate::property::value::Value;
use crate::query::{Cancellation, Cell, Node, Parameters, Statement};
use crate::{At, Database, MediumKind, Options};

fn database() -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create("anywhere", &options).unwrap();
    db.query(
        "CREATE (a:Person {name: 'Ann', born: 1975})-[:KNOWS {since: 2015}]->\
         (b:Person {name: 'Bob', born: 1980}), (:Person {name: 'Eve'})",
        (),
    )
    .unwrap();
    db
}

fn count(db: &Database, label: &str) -> i64 {
    let text = format!("MATCH (n:{label}) RETURN count(*)");
    db.query(&text, ()).unwrap().single().unwrap()
}

#[test]
fn rows_have_types() {
    let db = database();
    let text = "MATCH (p:Person) RETURN p.name, p.born ORDER BY p.name";
    let rows = db.query(text, ()).unwrap();
    assert_eq!(rows.columns(), ["p.name", "p.born"]);
    let people: Result<Vec<(String, Option<u16>)>, _> = rows.typed().collect();
    let expected = [("Ann", Some(1975)), ("Bob", Some(1980)), ("Eve", None)];
    assert_eq!(
        people.unwrap(),
        expected.map(|(name, born)| (name.to_string(), born))
    );
    let row = db.query(text, ()).unwrap().next().unwrap().unwrap();
    assert_eq!(row.get::<i64>("p.born").unwrap(), 1975);
    assert_eq!(row.get::<f64>(1).unwrap(), 1975.0);
    for error in [
        row.get::<i64>("p.name").unwrap_err(),
        row.get::<u8>("p.born").unwrap_err(),
        row.get::<i64>("born").unwrap_err(),
        row.get::<i64>(2).unwrap_err(),
    ] {
        assert_eq!(error.class(), "ClientError", "{error}");
    }
}

/// One that the transaction made itself is as one that was there before.
#[test]
fn relationships_that_a_transaction_deletes_have_types_and_ends() {
    let db = database();
    let mut transaction = db.begin().unwrap();
    let text = "CREATE (:X)-[r:T {k: 1}]->(:X) DELETE r RETURN r, type(r)";
    let row = transaction
        .query(text, ())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert!(
        matches!(&row.cells()[0], Cell::Relationship(one)
            if &*one.kind == "T" && one.properties.is_empty() && one.source < one.target),
        "{row:?}"
    );
    let mut rows = 0;
    let each = Statement::new("CREATE (:X)-[r:T]->(:X) DELETE r RETURN r");
    let each_row = |_| {
        rows += 1;
        ControlFlow::Continue(())
    };
    transaction.for_each_row(&each, each_row).unwrap();
    transaction.commit().unwrap();
    assert_eq!((rows, count(&db, "X")), (1, 4));
}

#[test]
fn what_is_written_as_it_is_conflicts_too() {
    for (other, own) in [
        ("REMOVE a:L", "SET a:L"),
        ("SET a:M", "REMOVE a:M"),
        ("SET a.x = 7", "REMOVE a.x"),
        ("SET a.x = 7", "SET a += {x: null}"),
        ("DELETE a", "SET a:L"),
    ] {
        let db = database();
        db.query("CREATE (:A:L)", ()).unwrap();
        let mut transaction = db.begin().unwrap();
        db.query(&format!("MATCH (a:A) {other}"), ()).unwrap();
        let written = transaction.query(&format!("MATCH (a:A) {own}"), ());
        let error = written.map(|_| ()).expect_err(own);
        assert!(error.is_retryable(), "{own} after {other}: {error}");
    }
}

#[test]
fn a_timeout_is_that_of_all_attempts_and_may_be_of_any_length() {
    let db = database();
    let long = Statement::new("RETURN 1").timeout(Duration::MAX);
    assert_eq!(db.execute(&long).unwrap().single::<i64>().unwrap(), 1);
    let mut holder = db.begin().unwrap();
    let text = "MATCH (p:Person {name: 'Ann'}) SET p.born = 1";
    holder.query(text, ()).unwrap();
    let waiting = Statement::new(text).timeout(Duration::from_millis(50));
    let error = db.execute(&waiting).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("50"), "{error}");
    assert!(!error.is_retryable(), "{error}");
}

#[test]
fn waiting_for_others_ends_with_the_timeout_and_with_the_caller() {
    let db = database();
    db.query("CREATE INDEX old FOR (p:Person) ON (p.born)", ())
        .unwrap();
    let mut holder = db.begin().unwrap();
    let text = "MATCH (p:Person {name: 'Ann'}) SET p.born = 1";
    holder.query(text, ()).unwrap();
    for text in [
        "MATCH (p:Person {name: 'Ann'}) DETACH DELETE p",
        "MATCH (p:Person) CALL (p) { DETACH DELETE p } IN TRANSACTIONS",
        "CREATE INDEX new FOR (p:Person) ON (p.name)",
        "CREATE INDEX new IF NOT EXISTS FOR (p:Person) ON (p.name)",
        "CREATE CONSTRAINT new FOR (p:Person) REQUIRE p.name IS UNIQUE",
        "DROP INDEX old",
        "DROP INDEX old IF EXISTS",
    ] {
        let begin = Instant::now();
        let late = Statement::new(text).timeout(Duration::from_millis(50));
        let error = db.execute(&late).err().expect(text);
        assert_eq!(error.detail(), "Timeout", "{text}: {error}");
        let cancellation = Cancellation::new();
        let cancelled = Statement::new(text).cancellation(&cancellation);
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                cancellation.cancel();
            });
            db.execute(&cancelled).err().expect(text)
        });
        assert_eq!(error.detail(), "Cancelled", "{text}: {error}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{text}");
    }
    holder.commit().unwrap();
    db.query("DROP INDEX old", ()).unwrap();
}

#[test]
fn a_transaction_may_be_serializable() {
    let db = database();
    let is_refused = |isolation| {
        let options = TransactionOptions {
            isolation,
            ..TransactionOptions::default()
        };
        let mut transaction = db.begin_with(&options).unwrap();
        let count = "MATCH (p:Person) RETURN count(*)";
        transaction.query(count, ()).unwrap();
        db.query("CREATE (:Person)", ()).unwrap();
        transaction.query("CREATE (:Other)", ()).unwrap();
        transaction
            .commit()
            .is_err_and(|error| error.is_retryable())
    };
    assert!(!is_refused(Isolation::Snapshot));
    assert!(is_refused(Isolation::Serializable));
    let alone = Statement::new("CREATE (:A)").isolation(Isolation::Serializable);
    let graph = db.property_graph().unwrap();
    let asked = alone.of_graph(graph).transaction_options().isolation;
    assert_eq!(asked, Isolation::Serializable);
    db.execute(&alone).unwrap();
    assert_eq!(count(&db, "A"), 1);
}

#[test]
fn rows_give_the_graph_back_with_the_last_of_them() {
    let db = database();
    // Views of the newest commit leave their tables to the next one.
    let commit = || db.query("CREATE (:New)", ()).map(drop).unwrap();
    let views = || db.stats().live_views;
    for (text, rows) in [
        ("MATCH (p:Person) RETURN p", 3),
        ("MATCH (p:Absent) RETURN p", 0),
    ] {
        let mut held = db.query(text, ()).unwrap();
        commit();
        for left in (1..=rows).rev() {
            assert!(views() > 0, "{left} rows are left: {text}");
            held.next().unwrap().unwrap();
        }
        assert_eq!(views(), 0, "{text}");
        assert!(held.next().is_none());
        let statement = Statement::new(text);
        let mut streamed = db.stream(&statement).unwrap();
        commit();
        assert_eq!(streamed.by_ref().count(), rows);
        assert_eq!(views(), 0, "{text}, as a stream");
    }
}

#[test]
fn values_that_lie_too_deep_are_refused_where_they_come_in() {
    let nested = |levels: usize, wrap: fn(Value) -> Value| {
        (0..levels).fold(Value::Integer(1), |value, _| wrap(value))
    };
    let list = |value: Value| Value::List([value].into());
    let map = |value: Value| Value::from(BTreeMap::from([("k", value)]));
    let db = database();
    for wrap in [list as fn(Value) -> Value, map] {
        let deep = Parameters::from([("x", nested(1_000, wrap))]);
        db.query("RETURN $x IS NULL", deep).unwrap();
        let deep = Parameters::new().with("x", nested(10_000, wrap));
        assert!(deep == deep.clone() && !format!("{deep:?}").is_empty());
        let error = db.query("RETURN 1", deep).err().unwrap();
        assert_eq!(error.detail(), "TooDeep", "{error}");
        assert!(error.message().contains("$x"), "{error}");
    }
}

#[test]
fn names_that_the_graph_does_not_have_are_told() {
    let db = database();
    let told = |text: &str| -> Vec<String> {
        let statement = Statement::new(text);
        let prepared = db.prepare(&statement).unwrap();
        let told = prepared.notifications().into_iter();
        told.map(|one| one.to_string()).collect()
    };
    let text = "MATCH (p:Persn)-[r:KNOWS|LIKES]->(q:Person {nam: 'x'})\nWHERE p.brn > 1 AND q:Tag \
                RETURN p.name, q.brn, {x: 1}.x, r.since";
    assert_eq!(
        told(text),
        [
            "the graph has no label Persn: did you mean Person?, at line 1, column 10\n  \
             MATCH (p:Persn)-[r:KNOWS|LIKES]->(q:Person {nam: 'x'})\n           ^^^^^",
            "the graph has no relationship type LIKES: no relationship has it, at line 1, \
             column 26\n  MATCH (p:Persn)-[r:KNOWS|LIKES]->(q:Person {nam: 'x'})\n                           ^^^^^",
            "the graph has no property key nam: did you mean name?, at line 1, column 45\n  \
             MATCH (p:Persn)-[r:KNOWS|LIKES]->(q:Person {nam: 'x'})\n                                              ^^^",
            "the graph has no property key brn: did you mean born?, at line 2, column 9\n  \
             WHERE p.brn > 1 AND q:Tag RETURN p.name, q.brn, {x: 1}.x, r.since\n          ^^^",
            "the graph has no label Tag: no node has it, at line 2, column 23\n  \
             WHERE p.brn > 1 AND q:Tag RETURN p.name, q.brn, {x: 1}.x, r.since\n                        ^^^",
        ]
    );
    let none: [&str; 0] = [];
    assert_eq!(told("MERGE (t:Tag {id: 1}) RETURN t.id"), none);
    assert_eq!(told("MATCH (p:Tag) RETURN p").len(), 1);
    db.query("MERGE (t:Tag {id: 1}) RETURN t.id", ()).unwrap();
    assert_eq!(told("MATCH (p:Tag) RETURN p"), none);
    let options = told("CYPHER 5 runtime=slotted MERGE (t:Tag {id: 1}) RETURN t.id");
    assert_eq!(
        options,
        [
            "the option runtime=slotted has no effect, at line 1, column 10\n  \
             CYPHER 5 runtime=slotted MERGE (t:Tag {id: 1}) RETURN t.id\n           \
             ^^^^^^^^^^^^^^^"
        ]
    );
    // Of many the first ones, each once.
    let many = (0..1000).map(|key| format!("p.k{key} = p.k{}", key / 2));
    let many = many.collect::<Vec<_>>().join(" OR ");
    let some = told(&format!("MATCH (p:Person) WHERE {many} RETURN p"));
    assert_eq!(some.len(), 20);
    assert!(
        some[19].starts_with("the graph has no property key k19"),
        "{some:?}"
    );
    // The same text with space before it.
    assert_eq!(
        told(" MATCH (p:Tog) RETURN p")[0].lines().nth(2),
        Some("            ^^^")
    );
    assert_eq!(
        told("MATCH (p:Tog) RETURN p")[0].lines().nth(2),
        Some("           ^^^")
    );
}

#[test]
fn hints_without_effect_are_told() {
    let db = database();
    let told = |text: &str| -> Vec<String> {
        let statement = Statement::new(text);
        let prepared = db.prepare(&statement).unwrap();
        let told = prepared.notifications().into_iter();
        told.map(|one| one.message).collect()
    };
    let bob = [["'Bob'"]];
    let text = "MATCH (p:Person)-->(q) USING INDEX SEEK p:Person(born) WHERE p.born > 1970 \
                RETURN q.name";
    let missing = "the hint USING INDEX p:Person(born) has no effect: there is no such index";
    assert_eq!(told(text), [missing]);
    assert_eq!(shown(&db, text), bob);
    db.query("CREATE INDEX FOR (p:Person) ON (p.born)", ())
        .unwrap();
    let none: [&str; 0] = [];
    assert_eq!(told(text), none);
    assert_eq!(shown(&db, text), bob);
    let text = "MATCH (p:Person)-->(q) USING JOIN ON q RETURN q.name";
    assert_eq!(told(text), ["the hint USING JOIN ON q has no effect"]);
    let text = "MATCH ()-[k:KNOWS]->(q) USING SCAN k:KNOWS SET q.known = true RETURN q.name";
    assert_eq!(told(text), none);
    assert_eq!(shown(&db, text), bob);
}

#[test]
fn nodes_relationships_and_paths_are_whole() {
    let db = database();
    let text = "MATCH p = (a)-[r]->(b) RETURN a, r, p, [a, 1] AS l, {x: b} AS m";
    let row = db.query(text, ()).unwrap().next().unwrap().unwrap();
    let node: Node = row.get("a").unwrap();
    assert_eq!(node.properties["name"], Value::from("Ann"));
    let shown: Vec<String> = row.cells().iter().map(Cell::to_string).collect();
    assert_eq!(
        shown,
        [
            "(:Person {born: 1975, name: 'Ann'})",
            "[:KNOWS {since: 2015}]",
            "(:Person {born: 1975, name: 'Ann'})-[:KNOWS {since: 2015}]->\
             (:Person {born: 1980, name: 'Bob'})",
            "[(:Person {born: 1975, name: 'Ann'}), 1]",
            "{x: (:Person {born: 1980, name: 'Bob'})}",
        ]
    );
}

/// A result stays as the graph was, whatever is committed before it is read.
#[test]
fn rows_are_of_one_commit() {
    let db = database();
    let rows = db
        .query("MATCH (p:Person {name: 'Ann'}) RETURN p", ())
        .unwrap();
    db.query("MATCH (p:Person {name: 'Ann'}) SET p.name = 'Anna'", ())
        .unwrap();
    let node: Node = rows.single().unwrap();
    assert_eq!(node.properties["name"], Value::from("Ann"));
}

#[test]
fn transactions_within_a_statement_commit_by_themselves() {
    let db = database();
    let text = "UNWIND [2, 1, 0] AS x CALL (x) { CREATE (:Part {x: 2 / x}) } \
                IN TRANSACTIONS OF 1 ROW";
    let error = db.query(text, ()).err().unwrap();
    assert_eq!(error.class(), "ArithmeticError");
    assert!(error.hint().contains("have committed stay"), "{error}");
    let parts = db.query("MATCH (p:Part) RETURN count(p)", ()).unwrap();
    assert_eq!(parts.single::<i64>().unwrap(), 2);
    let mut transaction = db.begin().unwrap();
    let error = transaction.query(text, ()).err().unwrap();
    assert_eq!(error.detail(), "InTransaction");
    transaction.roll_back();
    let text = "UNWIND [1, 2] AS x CALL (x) { CREATE (p:Part {x: x}) RETURN p } \
                IN TRANSACTIONS OF 1 ROW RETURN p.x";
    let found = db.query(text, ()).unwrap();
    let effects = found.summary().effects();
    assert!(effects.contains(&("nodes_created", 2)), "{effects:?}");
    let found: Vec<i64> = found.map(|row| row.unwrap().get(0).unwrap()).collect();
    assert_eq!(found, [1, 2]);
}

/// Results of all kinds of statements, held, one by one, and by a thread.
#[test]
fn rows_are_the_same_however_they_come() {
    let db = database();
    db.query("UNWIND range(1, 5000) AS x CREATE (:N {x: x})", ())
        .unwrap();
    db.create_snapshot("then", None).unwrap();
    for text in [
        "MATCH (n:N) RETURN n, n.x AS x",
        "MATCH (n:N) RETURN n.x AS x ORDER BY x DESC LIMIT 3000",
        "MATCH (p:Person) RETURN p.name",
        "MATCH (p:Nothing) RETURN p",
        "MATCH (n:N) WHERE n.x < 3 SET n.y = 1 RETURN n",
        "MATCH (n:N) SET n.y = 1",
        "SHOW INDEXES",
        "AS OF 'then' MATCH (n) RETURN count(*)",
        "EXPLAIN MATCH (n) RETURN n",
    ] {
        let statement = Statement::new(text);
        let held: Vec<_> = db
            .execute(&statement)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let streamed = db.stream(&statement).unwrap();
        let streamed: Vec<_> = streamed.map(Result::unwrap).collect();
        assert_eq!(streamed, held, "{text}");
        for most in [1, 1500, usize::MAX] {
            let mut given = Vec::new();
            let each = |row| {
                given.push(row);
                match given.len() < most {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            };
            let done = db.for_each_row(&statement, each).unwrap();
            let expected = &held[..held.len().min(most)];
            assert_eq!(given, expected, "{text}");
            let again = db.execute(&statement).unwrap();
            assert_eq!(done.columns(), again.columns(), "{text}");
            assert_eq!(
                done.summary().effects(),
                again.summary().effects(),
                "{text}"
            );
        }
        if !text.starts_with("AS") && !text.starts_with("SHOW") {
            let mut transaction = db.begin().unwrap();
            let mut given = Vec::new();
            let each = |row| {
                given.push(row);
                ControlFlow::Continue(())
            };
            transaction.for_each_row(&statement, each).unwrap();
            assert_eq!(given, held, "{text}");
        }
    }
}

/// 25 million rows, of which few are held at a time.
#[test]
fn a_stream_needs_little_memory_and_ends_when_it_is_dropped() {
    let db = database();
    db.query("UNWIND range(1, 5000) AS x CREATE (:N {x: x})", ())
        .unwrap();
    let product = Statement::new("MATCH (a:N), (b:N) RETURN a.x, b.x").memory_limit(1 << 20);
    assert_eq!(db.execute(&product).err().unwrap().class(), "ResourceError");
    let mut rows = db.stream(&product).unwrap();
    assert_eq!(rows.by_ref().take(10_000).count(), 10_000);
    drop(rows);
    // One that is waiting for its caller, and one that has not come to its first row.
    drop(db.stream(&product).unwrap());
    let endless = "MATCH (a:N), (b:N), (c:N) WHERE a.x < 0 RETURN a";
    drop(db.stream(&Statement::new(endless)).unwrap());
    // Nothing of them is left that would keep the database.
    db.close().unwrap();
}

#[test]
fn a_stream_tells_its_failure_and_its_profile() {
    let db = database();
    let text = "UNWIND range(0, 9) AS x RETURN 1 / (7 - x)";
    let failing = Statement::new(text);
    let mut rows = db.stream(&failing).unwrap();
    let error = rows.find_map(Result::err).unwrap();
    assert_eq!(error.class(), "ArithmeticError");
    assert!(rows.next().is_none());
    let text = "PROFILE MATCH (p:Person) RETURN p.name";
    let profiled = Statement::new(text);
    let mut rows = db.stream(&profiled).unwrap();
    assert_eq!(rows.by_ref().count(), 3);
    let profile = rows.summary().profile.as_ref().unwrap();
    assert_eq!(profile.operators[0].rows, 3);
    assert!(rows.summary().plan.as_ref().unwrap().contains("3 rows"));
    let cancellation = Cancellation::new();
    let endless =
        Statement::new("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN b")
            .cancellation(&cancellation);
    let mut rows = db.stream(&endless).unwrap();
    assert!(rows.next().unwrap().is_ok());
    cancellation.cancel();
    let error = rows.find_map(Result::err).unwrap();
    assert_eq!(error.detail(), "Cancelled");
}

#[test]
fn writes_are_counted_and_returned() {
    let db = database();
    let rows = db
        .query(
            "MATCH (p:Person {name: $who}) CREATE (p)-[:LIKES]->(c:City {name: 'Rome'}) RETURN c",
            [("who", "Ann")],
        )
        .unwrap();
    let effects = rows.summary().effects();
    assert!(effects.contains(&("nodes_created", 1)), "{effects:?}");
    assert!(
        effects.contains(&("relationships_created", 1)),
        "{effects:?}"
    );
    let city: Node = rows.single().unwrap();
    assert_eq!(&*city.labels[0], "City");
    let gone = db.query("MATCH ()-[r:LIKES]->(c) DELETE r, c RETURN r", ());
    assert_eq!(gone.unwrap().columns(), ["r"]);
    assert_eq!(count(&db, "City"), 0);
}

#[test]
fn a_statement_that_fails_leaves_nothing() {
    let db = database();
    let failed = db.query("CREATE (:A) WITH 1 AS one RETURN one / 0", ());
    assert_eq!(failed.err().unwrap().class(), "ArithmeticError");
    assert_eq!(count(&db, "A"), 0);
}

#[test]
fn transactions_see_their_own_writes() {
    let db = database();
    let mut transaction = db.begin().unwrap();
    transaction.query("CREATE (:A {x: 1})", ()).unwrap();
    let failed = transaction.query("CREATE (:A {x: 2}) WITH 1 AS one RETURN one / 0", ());
    assert!(failed.is_err());
    let inside = transaction.query("MATCH (a:A) RETURN a.x", ()).unwrap();
    assert_eq!(inside.single::<i64>().unwrap(), 1);
    assert_eq!(count(&db, "A"), 0);
    transaction.commit().unwrap();
    assert_eq!(count(&db, "A"), 1);
    let mut transaction = db.begin().unwrap();
    transaction.query("CREATE (:A {x: 3})", ()).unwrap();
    let refused = transaction.query("CREATE INDEX FOR (a:A) ON (a.x)", ());
    assert_eq!(refused.err().unwrap().class(), "AccessError");
    transaction.roll_back();
    assert_eq!(count(&db, "A"), 1);
}

#[test]
fn the_past_can_be_read_and_not_written() {
    let db = database();
    db.property_graph()
        .unwrap()
        .create_snapshot("before")
        .unwrap();
    let csn = db.view().csn();
    db.query("MATCH (p:Person) DETACH DELETE p", ()).unwrap();
    assert_eq!(count(&db, "Person"), 0);
    let text = "MATCH (p:Person) RETURN count(*)";
    for at in [At::Name("before".to_string()), At::Csn(csn)] {
        let rows = db.execute(&Statement::new(text).as_of(at)).unwrap();
        assert_eq!(rows.summary().csn, Some(csn));
        assert_eq!(rows.single::<i64>().unwrap(), 3);
    }
    let within = db.query(&format!("AS OF 'before' {text}"), ());
    assert_eq!(within.unwrap().single::<i64>().unwrap(), 3);
    let within = db.query(&format!("AS OF $at {text}"), [("at", csn.cast_signed())]);
    assert_eq!(within.unwrap().single::<i64>().unwrap(), 3);
    for text in ["CREATE (:A)", "SHOW INDEXES", "SHOW PROCEDURES YIELD name"] {
        let refused = Statement::new(text).as_of(At::Csn(csn));
        assert_eq!(
            db.execute(&refused).err().expect(text).class(),
            "AccessError"
        );
    }
    assert!(db.query(&format!("AS OF 'nothing' {text}"), ()).is_err());
    for wrong in ["true", "-1", &format!("-{csn}")] {
        let refused = db.query(&format!("AS OF {wrong} {text}"), ()).err();
        let refused = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("is no moment"), "{wrong}: {refused}");
    }
}

/// The snapshot is of its microsecond, and not of the second before it.
#[test]
fn a_moment_is_told_to_the_microsecond() {
    let db = database();
    db.property_graph()
        .unwrap()
        .create_snapshot("before")
        .unwrap();
    let (csn, wall_us) = (db.view().csn(), db.view().wall_us());
    db.query("MATCH (p:Person) DETACH DELETE p", ()).unwrap();
    let text = "AS OF datetime({epochSeconds: $seconds, nanosecond: $nanoseconds}) \
                MATCH (p:Person) RETURN count(*)";
    let parameters = Parameters::new()
        .with("seconds", wall_us.div_euclid(1_000_000))
        .with("nanoseconds", wall_us.rem_euclid(1_000_000) * 1000);
    let rows = db.query(text, parameters).unwrap();
    assert_eq!(rows.summary().csn, Some(csn));
    assert_eq!(rows.single::<i64>().unwrap(), 3);
}

#[test]
fn what_is_explained_writes_nothing() {
    let db = database();
    for (text, is_write) in [
        ("CREATE (:A)", true),
        ("PROFILE CREATE (:A)", true),
        ("EXPLAIN CREATE (:A)", false),
        ("MATCH (a:A) RETURN a", false),
    ] {
        let statement = Statement::new(text);
        assert_eq!(db.is_write(&statement).unwrap(), is_write, "{text}");
        let before = db.view().csn();
        db.execute(&statement).unwrap();
        assert_eq!(db.view().csn() > before, is_write, "{text}");
    }
}

#[test]
fn limits_end_statements() {
    let db = database();
    let endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b \
                   UNWIND range(1, 100000) AS c RETURN count(*)";
    let late = Statement::new(endless).timeout(Duration::from_millis(1));
    assert_eq!(db.execute(&late).err().unwrap().detail(), "Timeout");
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let cancelled = Statement::new(endless).cancellation(&cancellation);
    assert_eq!(db.execute(&cancelled).err().unwrap().detail(), "Cancelled");
    let large = "UNWIND range(1, 100000) AS a RETURN toString(a) AS t ORDER BY t";
    let large = Statement::new(large).memory_limit(1 << 16);
    assert_eq!(db.execute(&large).err().unwrap().class(), "ResourceError");
}

#[test]
fn errors_have_places() {
    let db = database();
    let error = db.query("MATCH (n)\nRETRUN n", ()).err().unwrap();
    let place = error.place().unwrap();
    assert_eq!((place.line, place.column), (2, 1));
    assert!(place.excerpt.ends_with("^^^^^^"), "{}", place.excerpt);
    assert!(error.message().contains("RETURN"), "{error}");
    assert!(error.is_of_compile_time());
}

/// Whether a row asks for it or not, as in Neo4j.
#[test]
fn missing_parameters_are_told_before_the_first_row() {
    let db = database();
    let given = || Parameters::new().with("name", 1);
    for (text, column) in [
        ("RETURN $nam", 8),
        ("MATCH (n:None) WHERE n.x = $nam RETURN n", 28),
        ("CREATE (:A) WITH 1 AS x WHERE false RETURN $nam", 44),
        ("RETURN CASE WHEN true THEN 1 ELSE $nam END", 35),
        ("CREATE (n:None $nam) RETURN n", 16),
        ("MATCH p = SHORTEST $nam (:A)-->(:B) RETURN p", 20),
        (
            "UNWIND [] AS x CALL (x) { CREATE (:B {p: $nam}) } IN TRANSACTIONS",
            42,
        ),
        ("DROP INDEX $nam IF EXISTS", 12),
        ("PROFILE RETURN $nam", 16),
    ] {
        let error = db.query(text, given()).err().unwrap();
        assert_eq!(error.class(), "ParameterMissing", "{text}: {error}");
        assert_eq!(error.detail(), "MissingParameter");
        assert!(
            error
                .message()
                .contains("$nam is not given: did you mean $name?")
        );
        assert_eq!(error.place().unwrap().column, column, "{error}");
        assert!(error.is_of_compile_time());
    }
    assert_eq!(shown(&db, "MATCH (n) RETURN count(*)"), [["3"]]);
    // What is no parameter, and what is not run.
    for text in [
        "EXPLAIN RETURN $nam",
        "MATCH (n:$(toString($name))) RETURN n",
        "RETURN '$nam'",
    ] {
        db.query(text, given()).unwrap();
    }
    let error = db.query("RETRUN $nam", given()).err().unwrap();
    assert_eq!(error.class(), "SyntaxError");
}

#[test]
fn lists_are_shown_within_a_transaction_too() {
    let db = database();
    let mut transaction = db.begin().unwrap();
    transaction.query("CREATE (:A)", ()).unwrap();
    let text = "SHOW TRANSACTIONS YIELD * RETURN count(*)";
    let rows: i64 = transaction.query(text, ()).unwrap().single().unwrap();
    assert!(rows >= 1);
    let text = "SHOW FUNCTIONS YIELD name WHERE name = 'abs'";
    let name: String = transaction.query(text, ()).unwrap().single().unwrap();
    assert_eq!(name, "abs");
    // What was written before is still there, and what defines stays refused.
    let text = "CREATE INDEX FOR (n:A) ON (n.x)";
    assert!(transaction.query(text, ()).is_err());
    transaction.commit().unwrap();
    let count: i64 = db
        .query("MATCH (n:A) RETURN count(*)", ())
        .unwrap()
        .single()
        .unwrap();
    assert_eq!(count, 1);
}

#[test]
fn a_commit_that_fails_takes_back_all_statements() {
    let db = database();
    db.query("CREATE CONSTRAINT FOR (v:Void) REQUIRE v.n IS NOT NULL", ())
        .unwrap();
    let mut both = db.begin().unwrap();
    both.query("CREATE (:Zoo)", ()).unwrap();
    both.query("CREATE (:Void)", ()).unwrap();
    let error = both.commit().err().unwrap();
    assert_eq!(error.hint(), "nothing of the transaction is in the graph");
    let left = db.query("MATCH (z:Zoo) RETURN count(z)", ()).unwrap();
    assert_eq!(left.single::<i64>().unwrap(), 0);
}

#[test]
fn indexes_and_constraints_are_made_and_listed() {
    let db = database();
    let text = "CREATE INDEX born IF NOT EXISTS FOR (p:Person) ON (p.born)";
    assert_eq!(db.query(text, ()).unwrap().summary().indexes_added, 1);
    assert_eq!(db.query(text, ()).unwrap().summary().indexes_added, 0);
    let text = "CREATE INDEX other IF NOT EXISTS FOR (p:Person) ON (p.born)";
    assert_eq!(db.query(text, ()).unwrap().summary().indexes_added, 0);
    let text = "CREATE CONSTRAINT born IF NOT EXISTS FOR (p:Person) REQUIRE p.name IS UNIQUE";
    let error = db.query(text, ()).err().unwrap();
    assert!(error.message().contains("an index \"born\""), "{error}");
    let text = "CREATE CONSTRAINT FOR (p:Person) REQUIRE p.name IS NODE UNIQUE";
    assert_eq!(db.query(text, ()).unwrap().summary().constraints_added, 1);
    for (text, name) in [
        ("CREATE INDEX other FOR (p:Person) ON (p.born)", "born"),
        (
            "CREATE CONSTRAINT other FOR (p:Person) REQUIRE p.name IS UNIQUE",
            "unique_Person_name",
        ),
    ] {
        let equivalent = db.query(text, ()).err().unwrap();
        assert!(equivalent.message().contains(name), "{equivalent}");
    }
    let broken = db
        .query("CREATE (:Person {name: 'Ann'})", ())
        .err()
        .unwrap();
    assert_eq!(broken.class(), "ConstraintValidationFailed");
    let listed = db.query("SHOW INDEXES YIELD name AS n WHERE n STARTS WITH 'b'", ());
    assert_eq!(listed.unwrap().single::<String>().unwrap(), "born");
    let all = db.query("SHOW CONSTRAINTS", ()).unwrap();
    assert_eq!(all.count(), 1);
    assert!(db.query("DROP CONSTRAINT born", ()).is_err());
    db.query("DROP INDEX born", ()).unwrap();
    assert!(db.query("DROP INDEX born", ()).is_err());
    db.query("DROP INDEX born IF EXISTS", ()).unwrap();
    assert!(db.query("SHOW FUNCTIONS", ()).unwrap().count() > 50);
}

#[test]
fn names_of_indexes_and_constraints_may_be_parameters() {
    let db = database();
    let named = |name: &str| Parameters::new().with("name", name);
    let text = "CREATE INDEX $name FOR (p:Person) ON (p.born)";
    db.query(text, named("born")).unwrap();
    let text = "CREATE CONSTRAINT $name FOR (p:Person) REQUIRE p.name IS UNIQUE";
    db.query(text, named("odd name")).unwrap();
    let names = shown(&db, "SHOW INDEXES YIELD name");
    assert_eq!(names, [["'born'"], ["'odd name'"]]);
    let dropped = db.query("DROP INDEX $name", named("born")).unwrap();
    assert_eq!(dropped.summary().indexes_removed, 1);
    let wrong = db.query("DROP INDEX $name", named("odd name")).err();
    assert!(wrong.unwrap().message().contains("odd name"));
    db.query("DROP CONSTRAINT $name", named("odd name"))
        .unwrap();
    let text = "DROP INDEX $name IF EXISTS";
    db.query(text, named("born")).unwrap();
    let number = Parameters::new().with("name", 1);
    for (parameters, detail, part) in [
        (Parameters::new(), "MissingParameter", "$name is not given"),
        (number, "InvalidArgumentType", "$name is an INTEGER"),
    ] {
        let error = db.query(text, parameters).err().unwrap();
        assert_eq!(error.detail(), detail);
        assert!(error.message().contains(part), "{error}");
    }
}

fn shown(db: &Database, text: &str) -> Vec<Vec<String>> {
    let rows = db.query(text, ());
    let rows = rows.unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut all = Vec::new();
    for row in rows {
        let row = row.unwrap();
        all.push(row.cells().iter().map(ToString::to_string).collect());
    }
    all
}

/// Drops what is listed, and makes it again by the statements of the list.
fn made_again(db: &Database, what: &str) {
    let text = format!("SHOW {what} YIELD name, createStatement");
    let before = shown(db, &text);
    let rows = db.query(&text, ()).unwrap();
    let all: Vec<(String, String)> = rows.typed().collect::<Result<_, _>>().unwrap();
    for (name, _) in &all {
        db.query(&format!("DROP {what} {name}"), ()).unwrap();
    }
    for (_, statement) in &all {
        db.query(statement, ()).unwrap();
    }
    assert_eq!(shown(db, &text), before);
}

#[test]
fn indexes_are_listed_in_the_columns_of_neo4j() {
    let db = database();
    let made = "CREATE INDEX born FOR (p:Person) ON (p.born, p.`odd name`)";
    db.query(made, ()).unwrap();
    let made = "CREATE INDEX since FOR ()-[k:KNOWS]-() ON k.since \
                OPTIONS {indexConfig: {}, indexProvider: $provider}";
    db.query(made, [("provider", "range-1.0")]).unwrap();
    made_again(&db, "INDEX");
    assert_eq!(
        db.query("SHOW INDEXES", ()).unwrap().columns().join(" "),
        "id name state populationPercent type entityType labelsOrTypes properties \
         indexProvider owningConstraint lastRead readCount"
    );
    assert_eq!(
        db.query("SHOW INDEX YIELD *", ()).unwrap().columns().len(),
        16
    );
    let born = "SHOW INDEXES YIELD * WHERE name = 'born' \
                RETURN id >= 0, state, populationPercent, type, entityType, labelsOrTypes, \
                properties, indexProvider, owningConstraint, readCount, options, failureMessage, \
                createStatement";
    assert_eq!(
        shown(&db, born),
        [[
            "true",
            "'ONLINE'",
            "100.0",
            "'RANGE'",
            "'NODE'",
            "['Person']",
            "['born', 'odd name']",
            "'range-1.0'",
            "null",
            "null",
            "{indexConfig: {}, indexProvider: 'range-1.0'}",
            "''",
            "'CREATE RANGE INDEX born FOR (n:Person) ON (n.born, n.`odd name`)'",
        ]]
    );
    // Without YIELD as many columns as without WHERE.
    let filtered = shown(&db, "SHOW INDEXES WHERE entityType = 'NODE'");
    assert_eq!((filtered.len(), filtered[0].len()), (1, 12));
    for (kind, expected) in [
        ("ALL", 2),
        ("RANGE", 2),
        ("FULLTEXT", 0),
        ("VECTOR", 0),
        ("TEXT", 0),
        ("POINT", 0),
        ("LOOKUP", 0),
    ] {
        let listed = shown(&db, &format!("SHOW {kind} INDEXES"));
        assert_eq!(listed.len(), expected, "{kind}");
    }
    let made = "CREATE CONSTRAINT names FOR (p:Person) REQUIRE p.name IS UNIQUE";
    db.query(made, ()).unwrap();
    let owned = "SHOW INDEXES YIELD id, name, owningConstraint WHERE owningConstraint = 'names'";
    let owning = "SHOW CONSTRAINTS YIELD id, name, ownedIndex";
    assert_eq!(shown(&db, owned), shown(&db, owning));
}

#[test]
fn constraints_are_listed_in_the_columns_of_neo4j() {
    let db = database();
    for made in [
        "CREATE CONSTRAINT a FOR (p:Person) REQUIRE p.name IS UNIQUE",
        "CREATE CONSTRAINT b FOR (p:Person) REQUIRE p.name IS NOT NULL",
        "CREATE CONSTRAINT c FOR (p:Person) REQUIRE p.name IS NODE KEY",
        "CREATE CONSTRAINT d FOR (p:Person) REQUIRE p.born IS :: INTEGER",
        "CREATE CONSTRAINT e FOR ()-[k:KNOWS]-() REQUIRE k.since IS UNIQUE",
        "CREATE CONSTRAINT f FOR ()-[k:KNOWS]-() REQUIRE (k.since) IS RELATIONSHIP KEY \
         OPTIONS {indexConfig: {}, indexProvider: 'range-1.0'}",
        "CREATE CONSTRAINT g FOR ()-[k:KNOWS]-() REQUIRE k.since IS NOT NULL",
        "CREATE CONSTRAINT h FOR ()-[k:KNOWS]-() REQUIRE k.since IS TYPED INTEGER",
    ] {
        let made = db.query(made, ()).unwrap();
        assert_eq!(made.summary().constraints_added, 1);
    }
    made_again(&db, "CONSTRAINT");
    let all = db.query("SHOW CONSTRAINTS", ()).unwrap();
    assert_eq!(
        all.columns().join(" "),
        "id name type entityType labelsOrTypes properties ownedIndex propertyType state"
    );
    for (kind, expected) in [
        ("", "abcdefgh"),
        ("ALL", "abcdefgh"),
        ("UNIQUE", "ae"),
        ("NODE UNIQUENESS", "a"),
        ("RELATIONSHIP UNIQUE", "e"),
        ("EXIST", "bg"),
        ("NODE PROPERTY EXISTENCE", "b"),
        ("KEY", "cf"),
        ("REL KEY", "f"),
        ("PROPERTY TYPE", "dh"),
        ("NODE PROPERTY TYPE", "d"),
    ] {
        let listed = shown(&db, &format!("SHOW {kind} CONSTRAINTS YIELD name"));
        assert_eq!(listed.concat().concat().replace('\'', ""), expected);
    }
    let some = "SHOW CONSTRAINTS YIELD * WHERE name IN ['a', 'f', 'h'] \
                RETURN type, ownedIndex, propertyType";
    assert_eq!(
        shown(&db, some),
        [
            ["'UNIQUENESS'", "'a'", "null"],
            ["'RELATIONSHIP_KEY'", "'f'", "null"],
            ["'RELATIONSHIP_PROPERTY_TYPE'", "null", "'INTEGER'"],
        ]
    );
}

#[test]
fn indexes_and_options_that_there_are_not_are_refused() {
    let db = database();
    for (text, part) in [
        (
            "CREATE INDEX x FOR (p:Person) ON p.name OPTIONS {indexProvider: 'text-2.0'}",
            "no provider 'text-2.0'",
        ),
        (
            "CREATE INDEX x FOR (p:Person) ON p.name OPTIONS {indexProvider: 'ranges-1.0'}",
            "no provider 'ranges-1.0'",
        ),
        (
            "CREATE INDEX x FOR (p:Person) ON p.name OPTIONS {indexConfig: {a: 1}}",
            "no option a",
        ),
        (
            "CREATE TEXT INDEX FOR (p:Person) ON (p.name)",
            "there are no text indexes",
        ),
        (
            "CREATE POINT INDEX x IF NOT EXISTS FOR (p:Person) ON p.at",
            "there are no point indexes",
        ),
        (
            "CREATE LOOKUP INDEX FOR ()-[r]-() ON EACH type(r)",
            "there are no lookup indexes",
        ),
    ] {
        let error = db.query(text, ()).err().unwrap();
        assert!(error.message().contains(part), "{text}: {error}");
    }
    let text = "CREATE INDEX x FOR (p:Person) ON p.name OPTIONS {indexProvider: $none}";
    let error = db.query(text, ()).err().unwrap();
    assert_eq!(error.class(), "ParameterMissing");
    assert_eq!(shown(&db, "SHOW INDEXES"), Vec::<Vec<String>>::new());
}

#[cfg(not(feature = "vector"))]
#[test]
fn a_program_without_vectors_says_so() {
    let text = "CREATE VECTOR INDEX x FOR (p:Person) ON p.at OPTIONS {indexConfig: \
                {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}";
    let error = database().query(text, ()).err().unwrap();
    assert!(error.message().contains("without vector search"), "{error}");
}

#[test]
fn parameters_are_of_any_type() {
    let db = database();
    let parameters = Parameters::new()
        .with("n", 1)
        .with("t", "x")
        .with("l", vec![1, 2])
        .with("none", Value::Null);
    let rows = db.query("RETURN $n, $t, $l, $none", parameters).unwrap();
    let row: (i64, String, Vec<i64>, Option<bool>) = rows.typed().next().unwrap().unwrap();
    assert_eq!(row, (1, "x".to_string(), vec![1, 2], None));
}

/// As in Neo4j: the value may be one that only an entity gives.
#[test]
fn nothing_is_computed_for_what_is_not_there() {
    let db = database();
    for change in [
        "SET z.d = 1 / 0",
        "SET z['d'] = 1 / 0",
        "SET z[toString(1 / 0)] = 1",
        "SET z += {d: 1 / 0}",
        "SET z = {d: 1 / 0}",
        "SET z:$(toString(1 / 0))",
        "REMOVE z:$(toString(1 / 0))",
    ] {
        let text = format!("OPTIONAL MATCH (z:None) {change}");
        let rows = db
            .query(&text, ())
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(rows.summary().effects().len(), 0);
        let text = format!("MATCH (z) {change}");
        let error = db.query(&text, ()).err().unwrap();
        assert_eq!(error.class(), "ArithmeticError", "{text}");
    }
}

/// The last `|` before the bracket ends the condition; those before it join labels.
#[test]
fn labels_are_joined_within_comprehensions() {
    let db = database();
    db.query("CREATE (:L1 {k: 1})-[:R]->(:L2 {k: 2})", ())
        .unwrap();
    for (list, expected) in [
        ("[x IN [n] WHERE x:L1|L2 | x.k]", "[1]"),
        ("[x IN [n] WHERE x:L2|L3|`L1` | x.k]", "[1]"),
        ("[x IN [n] WHERE x:L2|L3 | x.k]", "[]"),
        ("[x IN [n] WHERE x:L2|L1 AND x.k = 1 | x.k]", "[1]"),
        ("[x IN [n] WHERE x:L1 | x.k]", "[1]"),
        (
            "[x IN [n] WHERE x:L1 | [y IN [x] WHERE y:L1|L2 | y.k]]",
            "[[1]]",
        ),
        (
            "[x IN [n] WHERE x:L1 | CASE WHEN x:L1|L2 THEN 1 END]",
            "[1]",
        ),
        ("[(n)-->(m) WHERE m:L1|L2 | m.k]", "[2]"),
        ("[(n)-->(m) WHERE m:L1 | m.k]", "[]"),
    ] {
        let text = format!("MATCH (n:L1) RETURN {list} AS l");
        assert_eq!(shown(&db, &text), [[expected]], "{text}");
    }
}
