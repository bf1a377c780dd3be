//! Writing.

use evergraph_interpreter::{Parameters, Query};

use crate::{attempt, graph, rows, value};

#[test]
fn a_statement_that_fails_leaves_its_transaction_as_it_was() {
    let graph = graph();
    let mut transaction = graph.begin();
    let run = |transaction: &mut _, text: &str| {
        let query = Query::prepare(&graph, text).expect("a query");
        query
            .run(transaction, &Parameters::new())
            .map(|rows| rows.summary().clone())
    };
    run(&mut transaction, "CREATE (:Kept)").expect("a node");
    let failed = run(
        &mut transaction,
        "UNWIND [1, 0] AS x CREATE (:Lost {x: 1 / x})",
    );
    assert_eq!(
        failed.expect_err("a division by zero").class(),
        "ArithmeticError"
    );
    run(&mut transaction, "CREATE (:Kept)").expect("the transaction goes on");
    transaction.commit().expect("a commit");
    assert_eq!(value(&graph, "MATCH (n:Kept) RETURN count(*)"), 2i64.into());
    assert_eq!(value(&graph, "MATCH (n:Lost) RETURN count(*)"), 0i64.into());
}

#[test]
fn a_clause_does_not_see_its_own_writes() {
    let graph = graph();
    rows(&graph, "CREATE (), ()");
    rows(&graph, "MATCH (n) CREATE ()");
    assert_eq!(value(&graph, "MATCH (n) RETURN count(*)"), 4i64.into());
    rows(&graph, "MATCH (n) CREATE (n)-[:R]->()");
    assert_eq!(
        value(&graph, "MATCH ()-[r:R]->() RETURN count(r)"),
        4i64.into()
    );
    // Also where rows come in many batches, and where a few of them are asked for.
    rows(&graph, "UNWIND range(1, 5000) AS x CREATE (:Many)");
    rows(&graph, "MATCH (n:Many) CREATE (:Many)");
    assert_eq!(
        value(&graph, "MATCH (n:Many) RETURN count(*)"),
        10_000i64.into()
    );
    rows(
        &graph,
        "UNWIND range(1, 5000) AS x CREATE (n:Few) RETURN n LIMIT 1",
    );
    assert_eq!(
        value(&graph, "MATCH (n:Few) RETURN count(*)"),
        5000i64.into()
    );
    // But MERGE sees what it made for the rows before.
    rows(&graph, "UNWIND [1, 1, 2] AS x MERGE (:M {x: x})");
    assert_eq!(value(&graph, "MATCH (m:M) RETURN count(*)"), 2i64.into());
}

#[test]
fn nodes_and_their_relationships_are_deleted_in_any_order() {
    let graph = graph();
    rows(&graph, "CREATE (:A)-[:R]->(:B)");
    let error = attempt(&graph, "MATCH (a:A) DELETE a").expect_err("it has a relationship");
    assert_eq!(error.detail(), "DeleteConnectedNode");
    rows(&graph, "MATCH (a:A)-[r]->(b) DELETE a, b DELETE r");
    assert_eq!(value(&graph, "MATCH (n) RETURN count(*)"), 0i64.into());
}

#[test]
fn effects_are_counted() {
    let graph = graph();
    let text = "CREATE (a:A:B {x: 1})-[:R {y: 2}]->(b) SET b.z = 3 REMOVE a:B DETACH DELETE b";
    let query = Query::prepare(&graph, text).expect("a query");
    let rows = query.execute(&graph, &Parameters::new()).expect("it runs");
    let counters = rows.summary().counters;
    assert_eq!((counters.nodes_created, counters.nodes_deleted), (2, 1));
    assert_eq!(
        (
            counters.relationships_created,
            counters.relationships_deleted
        ),
        (1, 1)
    );
    assert_eq!(
        (
            counters.properties_set,
            counters.labels_added,
            counters.labels_removed
        ),
        (3, 2, 1)
    );
}

#[test]
fn a_query_that_writes_needs_a_transaction() {
    let graph = graph();
    let query = Query::prepare(&graph, "CREATE (n)").expect("a query");
    let error = query
        .read(&graph.view(), &Parameters::new())
        .expect_err("a view");
    assert_eq!(error.detail(), "ReadOnly");
}

#[test]
fn no_item_of_set_sees_another() {
    let graph = graph();
    let swapped = "CREATE (a {x: 1, y: 2}), (b {z: 3}) SET a.x = a.y, a.y = a.x, b += a, a.z = b.z \
                   RETURN [a.x, a.y, a.z, b.x, b.y, b.z]";
    assert_eq!(
        value(&graph, swapped),
        value(&graph, "RETURN [2, 1, 3, 1, 2, 3]")
    );
    for item in ["a.x = 1", "a += {x: 1}", "a = {x: 1}", "a:L"] {
        let text = format!("CREATE (a) DELETE a SET {item}");
        let error = attempt(&graph, &text)
            .expect_err("it is deleted")
            .to_string();
        assert!(error.contains("has been deleted by this query"), "{error}");
    }
}
