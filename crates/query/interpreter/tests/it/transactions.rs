//! `CALL { ... } IN TRANSACTIONS`.

use evergraph_interpreter::{Datum, Parameters, Query};
use evergraph_property_graph::graph::PropertyGraph;

use crate::{attempt, graph, rows, value};

fn count(graph: &PropertyGraph, label: &str) -> Datum {
    value(graph, &format!("MATCH (n:{label}) RETURN count(*)"))
}

/// Whether a query gives one value, written as an expression.
fn gives(graph: &PropertyGraph, text: &str, expected: &str) {
    let expected = value(graph, &format!("RETURN {expected} AS a"));
    assert_eq!(value(graph, text), expected, "{text}");
}

#[test]
fn each_transaction_commits_by_itself() {
    let graph = graph();
    let before = graph.view().csn();
    let text = "UNWIND range(1, 7) AS x CALL (x) { CREATE (:N {x: x}) } IN TRANSACTIONS OF 3 ROWS";
    assert!(rows(&graph, text).is_empty());
    assert!(graph.view().csn() >= before + 3);
    assert_eq!(count(&graph, "N"), 7i64.into());
    // What is before reads the commit of the beginning, and what is behind the newest.
    let text = "MATCH (n:N) CALL (n) { CREATE (m:N {x: n.x + 10}) RETURN m } \
                IN TRANSACTIONS OF 1 ROW MATCH (k:N) \
                RETURN [count(DISTINCT m), count(DISTINCT k)] AS l";
    gives(&graph, text, "[7, 14]");
    let text = "UNWIND [1, 2] AS x CALL { WITH x CREATE (a:A {x: x}) RETURN a } IN TRANSACTIONS \
                CALL (a) { CREATE (:B {x: a.x}) } IN TRANSACTIONS OF 1 ROW \
                RETURN collect(a.x) AS l";
    gives(&graph, text, "[1, 2]");
    gives(&graph, "MATCH (b:B) RETURN sum(b.x)", "3");
    // Random numbers go on from one to the next.
    let text = "UNWIND range(1, 4) AS x CALL (x) { RETURN rand() AS r } \
                IN TRANSACTIONS OF 1 ROW RETURN count(DISTINCT r)";
    gives(&graph, text, "4");
}

#[test]
fn errors_end_the_statement_or_a_transaction() {
    let graph = graph();
    let text = "UNWIND [1, 2, 0, 4] AS x CALL (x) { CREATE (:F {x: 1 / x}) } \
                IN TRANSACTIONS OF 1 ROW";
    let error = attempt(&graph, text).expect_err("a division by zero");
    assert_eq!(error.class(), "ArithmeticError");
    assert_eq!(count(&graph, "F"), 2i64.into());
    for (word, last) in [
        ("CONTINUE", "[4, 2, true, true, '3', true]"),
        ("BREAK", "[4, null, false, false, null, true]"),
    ] {
        let text = format!(
            "UNWIND [1, 0, 4] AS x CALL (x) {{ CREATE (c:{word} {{x: 8 / x}}) RETURN c.x AS y }} \
             IN TRANSACTIONS OF 1 ROW ON ERROR {word} REPORT STATUS AS s \
             RETURN collect([x, y, s.started, s.committed, s.transactionId, \
             s.errorMessage IS NULL]) AS l"
        );
        let first = "[1, 8, true, true, '1', true], [0, null, true, false, '2', false]";
        gives(&graph, &text, &format!("[{first}, {last}]"));
    }
    assert_eq!(count(&graph, "CONTINUE"), 2i64.into());
    assert_eq!(count(&graph, "BREAK"), 1i64.into());
    // They may run at a time, and do not.
    let text = "UNWIND range(1, 5) AS x CALL (x) { CREATE (:Q {x: x}) } \
                IN CONCURRENT TRANSACTIONS OF 2 ROWS";
    rows(&graph, text);
    rows(&graph, &text.replace("CONCURRENT", "1 + 1 CONCURRENT"));
    assert_eq!(count(&graph, "Q"), 10i64.into());
    // A transaction is undone whole, and its rows stay.
    let text = "UNWIND [1, 0, 2, 4] AS x CALL (x) { CREATE (:P {x: 1 / x}) } \
                IN TRANSACTIONS OF 2 ROWS ON ERROR CONTINUE RETURN collect(x) AS l";
    gives(&graph, text, "[1, 0, 2, 4]");
    assert_eq!(count(&graph, "P"), 2i64.into());
}

#[test]
fn where_it_has_no_meaning_it_is_refused() {
    let graph = graph();
    let beside = "CREATE (:X) WITH 1 AS x CALL (x) { CREATE (:Y) } IN TRANSACTIONS";
    let error = attempt(&graph, beside).expect_err("a write beside");
    assert!(error.to_string().contains("writes beside it"), "{error}");
    assert_eq!(count(&graph, "X"), 0i64.into());
    let text = "CALL { CREATE (:Y) } IN TRANSACTIONS OF $n ROWS";
    let query = Query::prepare(&graph, text).expect("a query");
    assert!(query.commits_itself());
    let plan = query.plan();
    assert!(plan.contains("InTransactions of $n rows"), "{plan}");
    let run = |n: Datum| query.execute(&graph, &Parameters::from([("n".to_string(), n)]));
    let error = run(0i64.into()).expect_err("no rows");
    assert!(
        error.to_string().contains("1 or more rows, not 0"),
        "{error}"
    );
    assert!(run("a".into()).is_err());
    assert!(run(5i64.into()).is_ok());
    let mut transaction = graph.begin();
    let error = query
        .run(&mut transaction, &Parameters::new())
        .expect_err("it is in a transaction");
    assert_eq!(error.detail(), "InTransaction");
    assert_eq!(count(&graph, "Y"), 1i64.into());
}
