//! Writing.

use evergraph_interpreter::{Datum, Parameters, Query};

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

/// Each key by itself would be a change of the whole node.
#[test]
fn a_map_of_many_keys_is_set_at_once() {
    use evergraph_property_graph::Value;
    let graph = graph();
    let entries = |from: i64| {
        let entries = (from..from + 5000).map(|at| (format!("k{at}").into(), Value::from(at)));
        Value::Map(std::sync::Arc::new(entries.collect()))
    };
    let run = |text: &str, map: Value| {
        let query = Query::prepare(&graph, text).expect("a query");
        let done = query.execute(&graph, &Parameters::from([("m".to_string(), map.into())]));
        done.expect(text).summary().counters.properties_set
    };
    let created = run("CREATE (n:Wide {key: 1}) SET n += $m", entries(0));
    assert_eq!(created, 5001);
    let count = "MATCH (n:Wide) RETURN size(keys(n))";
    assert_eq!(value(&graph, count), 5001i64.into());
    // Half of them are there, and the key and the others go.
    let replaced = run("MATCH (n:Wide) SET n = $m", entries(2500));
    assert_eq!(replaced, 5000 + 2501);
    assert_eq!(value(&graph, count), 5000i64.into());
    let nulls = "MATCH (n:Wide) SET n += {k0: null, k2500: null, k2501: -1}";
    let set = Query::prepare(&graph, nulls).expect("a query");
    let set = set.execute(&graph, &Parameters::new()).expect("set");
    assert_eq!(set.summary().counters.properties_set, 2);
    assert_eq!(value(&graph, count), 4999i64.into());
    assert_eq!(
        value(&graph, "MATCH (n:Wide) RETURN n.k2501"),
        (-1i64).into()
    );
}

#[test]
fn labels_and_types_may_be_computed() {
    let graph = graph();
    let made = "WITH ['A', 'B'] AS l CREATE (:$(l):C {n: 1})-[:$('R')]->(:$('A') {n: 2})\
                -[:$(l[1])]->(:D {n: 3})";
    rows(&graph, made);
    for (pattern, found) in [
        ("(n:$('A'))", "[1, 2]"),
        ("(n:$(['B', 'A', 'A']))", "[1]"),
        ("(n:$all(['A', 'X']))", "[]"),
        ("(n:$any(['B', 'D', 'X']))", "[1, 3]"),
        ("(n:!$('A'))", "[3]"),
        ("(n:A&!$('B'))", "[2]"),
        ("(n:C|$('D'))", "[1, 3]"),
        ("(n:A:$('C'))", "[1]"),
        ("(n:$([]))", "[1, 2, 3]"),
        ("(n:$any([]))", "[]"),
        ("(n)-[:$('R')]->()", "[1]"),
        ("(n)-[:$any(['R', 'B'])]->()", "[1, 2]"),
        ("(n)-[:$('R')|B]->()", "[1, 2]"),
        ("(n)<-[:$any(['R', 'B'])*1..2]-({n: 1})", "[2, 3]"),
        ("({n: 1})(()-[:$('R')]->(:$('A'))){1}(n)", "[2]"),
        ("ANY SHORTEST (:C)-[:$any(['R', 'B'])]->+(n:$('D'))", "[3]"),
        ("(m {n: 1}), (n) WHERE n:$any(labels(m))", "[1, 2]"),
        ("(m {n: 2}), (n:$(labels(m)))", "[1, 2]"),
        ("(n) WHERE n IS $('D')", "[3]"),
        ("()-[r]->(n) WHERE r:$('B')", "[3]"),
    ] {
        let text = format!("MATCH {pattern} WITH n.n AS n ORDER BY n RETURN collect(n) = {found}");
        assert_eq!(value(&graph, &text), true.into(), "{pattern}");
    }
    // Another label for each row.
    let text = "UNWIND ['A', 'D', 'X'] AS l MATCH (n:$(l)) WITH l + n.n AS n ORDER BY n \
                RETURN collect(n) = ['A1', 'A2', 'D3']";
    assert_eq!(value(&graph, text), true.into());
    let text = "OPTIONAL MATCH (n:Missing) WITH n RETURN n:$('A') IS NULL";
    assert_eq!(value(&graph, text), true.into());
}

#[test]
fn labels_types_and_keys_that_are_computed_are_written() {
    let graph = graph();
    rows(&graph, "CREATE (:D {n: 1}), (:E {n: 2})");
    let text = "MATCH (n:D) SET n:$('F'):$(['G', 'H']):I, n['k' + 1] = 7, n.m = 1 \
                REMOVE n:$(labels(n)[0]), n['m'] RETURN n:F&G&H&I&!D AND n.k1 = 7 AND n.m IS NULL";
    assert_eq!(value(&graph, text), true.into());
    for _ in 0..2 {
        let text = "MERGE (n:$('M') {k: 1}) ON CREATE SET n:$('New') ON MATCH SET n:$('Old')";
        rows(&graph, text);
        rows(&graph, "MATCH (a:F), (b:E) MERGE (a)-[:$(['T'])]->(b)");
    }
    let text = "MATCH (n:M) WHERE n:New&Old RETURN count(*)";
    assert_eq!(value(&graph, text), 1i64.into());
    let text = "MATCH ()-[r:T]->() RETURN count(r)";
    assert_eq!(value(&graph, text), 1i64.into());
    for (text, message) in [
        ("CREATE (:$(null))", "a LIST of them, not a NULL"),
        ("MATCH (n:D) SET n:$(['A', 1])", "not an INTEGER"),
        (
            "CREATE ()-[:$(['R', 'S'])]->()",
            "one type, and $(...) names 2",
        ),
        ("CREATE (:$(''))", "cannot be stored"),
    ] {
        rows(&graph, "MERGE (:D)");
        let error = attempt(&graph, text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn a_stored_list_has_values_of_one_type() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (:N {a: [1, 2.5], b: [], c: ['x', 'y'], d: [date('2020-01-01')]})",
    );
    for (text, types) in [
        ("CREATE (:N {a: [1, 'x']})", "an INTEGER and a STRING"),
        ("MATCH (n:N) SET n.c = n.c + 1", "a STRING and an INTEGER"),
        (
            "MATCH (n:N) SET n += {d: n.d + localtime('12:00')}",
            "a DATE and a LOCAL TIME",
        ),
        ("MERGE (:N {e: [true, 0]})", "a BOOLEAN and an INTEGER"),
    ] {
        let error = attempt(&graph, text).expect_err(text);
        assert_eq!(error.detail(), "InvalidPropertyType", "{error}");
        assert!(error.to_string().contains(types), "{text}: {error}");
    }
}

#[test]
fn a_relationship_of_a_deleted_node_is_an_error() {
    let graph = graph();
    rows(&graph, "CREATE (:N)");
    for text in [
        "MATCH (n:N) DELETE n CREATE (n)-[:R]->(:X)",
        "MATCH (n:N) DELETE n MERGE (:X)<-[:R]-(n)",
    ] {
        let error = attempt(&graph, text).expect_err(text);
        assert_eq!(error.class(), "EntityNotFound", "{error}");
    }
}

/// A subquery that writes finds for each row what those before have written.
#[test]
fn what_equals_a_row_is_looked_for_among_what_was_written() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(1, 5) AS i CALL (i) { OPTIONAL MATCH (x:T) WHERE x.v = i - 1 \
         CREATE (:T {v: i, before: x.v}) }",
    );
    let found = rows(
        &graph,
        "MATCH (t:T) RETURN t.v - t.before AS d, t.v ORDER BY t.v",
    );
    let found: Vec<&Datum> = found.iter().map(|row| &row[0]).collect();
    let one = Datum::from(1);
    assert_eq!(found, [&Datum::NULL, &one, &one, &one, &one]);
}

/// A condition on labels sees what the clause before it did for all rows.
#[test]
fn labels_behind_a_write_are_those_of_all_rows() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 100) AS i CREATE (:N {i: i})");
    let text = "MATCH (a:N), (b:N) SET a:X WITH b WHERE b:X RETURN count(*) AS c";
    assert_eq!(rows(&graph, text), [vec![10_000.into()]]);
}
