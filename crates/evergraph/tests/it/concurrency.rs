//! Statements of transactions that run at the same time: threads that merge the same keys,
//! and scripts of statements in a given order.
//!
//! A line `NAME> STATEMENT` of a script in `concurrency` is run in the transaction of that
//! name, which `BEGIN` or `BEGIN SERIALIZABLE` begins and `COMMIT` or `ROLLBACK` ends, or in
//! one of its own. Indented lines are its rows or its error.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Barrier;

use evergraph::property::transaction::{Isolation, TransactionOptions};
use evergraph::query::{Error, Rows, Transaction};
use evergraph::{Database, MediumKind, Options};
use expect_test::expect_file;

const THREADS: i64 = 4;
const ROUNDS: i64 = 25;
const KEYS: i64 = 5;

fn database() -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        ..Options::default()
    };
    Database::create("in memory", &options).unwrap()
}

fn options(isolation: Isolation) -> TransactionOptions {
    TransactionOptions {
        isolation,
        ..TransactionOptions::default()
    }
}

fn number(db: &Database, text: &str) -> i64 {
    db.query(text, ()).unwrap().single().unwrap()
}

/// Has threads merge the same keys at once; each runs a transaction again that met a
/// conflict. Returns how many nodes those that committed have made, after holding the graph
/// against what they were told.
fn merge_at_once(db: &Database, isolation: Isolation) -> i64 {
    let text = "MERGE (n:N {k: $k}) ON CREATE SET n.matched = 0 \
                ON MATCH SET n.matched = n.matched + 1 RETURN count(n)";
    let before = number(db, "MATCH (n:N) RETURN count(*)");
    let merge = |k: i64| -> Result<(i64, i64), Error> {
        let mut transaction = db.begin_with(&options(isolation))?;
        let rows = transaction.query(text, [("k", k)])?;
        let made = rows.summary().counters.nodes_created as i64;
        let found: i64 = rows.single()?;
        transaction.commit()?;
        Ok((made, found - made))
    };
    let begin = Barrier::new(THREADS as usize);
    let client = || {
        let (mut made, mut matched) = (0, 0);
        begin.wait();
        for k in (0..ROUNDS * KEYS).map(|step| step % KEYS) {
            let done = loop {
                match merge(k) {
                    Err(error) if error.is_retryable() => std::thread::yield_now(),
                    done => break done.unwrap(),
                }
            };
            made += done.0;
            matched += done.1;
        }
        (made, matched)
    };
    let told: Vec<(i64, i64)> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..THREADS).map(|_| scope.spawn(client)).collect();
        clients.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let made: i64 = told.iter().map(|one| one.0).sum();
    let matched: i64 = told.iter().map(|one| one.1).sum();
    assert_eq!(number(db, "MATCH (n:N) RETURN count(*)"), before + made);
    assert_eq!(number(db, "MATCH (n:N) RETURN sum(n.matched)"), matched);
    assert_eq!(number(db, "MATCH (n:N) RETURN count(DISTINCT n.k)"), KEYS);
    // Each step has made a node, or matched one at least.
    assert!(made + matched >= THREADS * ROUNDS * KEYS);
    made
}

#[test]
fn merge_makes_one_node_where_a_value_is_unique() {
    let db = database();
    let constraint = "CREATE CONSTRAINT FOR (n:N) REQUIRE n.k IS UNIQUE";
    db.query(constraint, ()).unwrap();
    assert_eq!(merge_at_once(&db, Isolation::Snapshot), KEYS);
}

#[test]
fn merge_makes_one_node_where_transactions_are_serializable() {
    for index in ["RETURN 1", "CREATE INDEX FOR (n:N) ON (n.k)"] {
        let db = database();
        db.query(index, ()).unwrap();
        assert_eq!(merge_at_once(&db, Isolation::Serializable), KEYS);
    }
}

/// Of several that see none each may make one; what is there loses no increment.
#[test]
fn merge_under_snapshot_isolation_makes_one_node_at_least() {
    let db = database();
    assert!(merge_at_once(&db, Isolation::Snapshot) >= KEYS);
    let db = database();
    let text = "UNWIND range(0, $keys - 1) AS k CREATE (:N {k: k, matched: 0})";
    db.query(text, [("keys", KEYS)]).unwrap();
    assert_eq!(merge_at_once(&db, Isolation::Snapshot), 0);
}

/// Rows of a statement as lines, or its error.
fn said(rows: Result<Rows, Error>) -> Result<String, Error> {
    let mut text = String::new();
    for row in rows? {
        let cells: Vec<String> = row?.cells().iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "  {}", cells.join(" "));
    }
    Ok(text)
}

/// A script with what its statements say.
fn played(script: &str) -> String {
    let db = database();
    let mut open: BTreeMap<&str, Transaction<'_>> = BTreeMap::new();
    let mut text = String::new();
    for line in script.lines().filter(|line| !line.starts_with("  ")) {
        let _ = writeln!(text, "{line}");
        let Some((name, statement)) = line.split_once("> ") else {
            continue;
        };
        let mut begin = |isolation| {
            let transaction = db.begin_with(&options(isolation))?;
            assert!(open.insert(name, transaction).is_none(), "{line}");
            Ok(String::new())
        };
        let result = match statement {
            "BEGIN" => begin(Isolation::Snapshot),
            "BEGIN SERIALIZABLE" => begin(Isolation::Serializable),
            "COMMIT" => {
                let done = open.remove(name).expect(line).commit();
                done.map(|_| String::new())
            }
            "ROLLBACK" => {
                open.remove(name).expect(line).roll_back();
                Ok(String::new())
            }
            _ => match open.get_mut(name) {
                Some(transaction) => said(transaction.query(statement, ())),
                None => said(db.query(statement, ())),
            },
        };
        text += &result.unwrap_or_else(|error| {
            let again = match error.is_retryable() {
                true => "run the transaction again",
                false => "no use in running it again",
            };
            format!("  {} {}: {again}\n", error.class(), error.detail())
        });
    }
    assert!(open.is_empty(), "{:?} are open", open.keys());
    text
}

#[test]
fn interleaved_statements_give_what_the_scripts_say() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/concurrency");
    let mut count = 0;
    for entry in std::fs::read_dir(scripts).unwrap() {
        let path = entry.unwrap().path();
        let script = std::fs::read_to_string(&path).unwrap();
        expect_file![&path].assert_eq(&played(&script));
        count += 1;
    }
    assert!(count >= 5, "{count} scripts");
}
