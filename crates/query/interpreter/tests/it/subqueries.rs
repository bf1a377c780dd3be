//! Subqueries of many rows at once against those of each row alone.

use evergraph_interpreter::{Datum, Parameters, Query};
use evergraph_property_graph::graph::PropertyGraph;

use crate::{graph, rows};

const NODES: i64 = 60;

fn friends() -> PropertyGraph {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 59) AS i CREATE (:N {i: i, v: CASE i % 4 WHEN 0 THEN null ELSE i % 7 END})",
    );
    rows(
        &graph,
        "MATCH (a:N), (b:N) WHERE a.i % 5 > 0 AND (a.i * 7 + b.i * 3) % 11 = 0 \
         CREATE (a)-[:R {w: b.i % 3}]->(b)",
    );
    rows(
        &graph,
        "MATCH (a:N), (b:N) WHERE a.i % 3 = 0 AND b.i = (a.i + 1) % 60 CREATE (a)-[:S]->(b)",
    );
    graph
}

/// What stands between the match of a node and the end.
const MIDDLES: &[&str] = &[
    "OPTIONAL MATCH (n)-[r:R]->(m) RETURN n.i, r.w, m.i",
    "OPTIONAL MATCH (n)-[r:R]->(m) WHERE m.v > n.v RETURN n.i, m",
    "OPTIONAL MATCH (n)-[:R]->(m)-[:S]->(o) RETURN n.i, m.i, o",
    "OPTIONAL MATCH p = (n)-[:S*0..2]->(m) RETURN n.i, p",
    "OPTIONAL MATCH (n)-[:S]->(m) OPTIONAL MATCH (m)-[:R]->(o) WHERE o.i > n.i RETURN n.i, m.i, o.i",
    "OPTIONAL MATCH (x:N) WHERE x.i = n.v RETURN n.i, x.i",
    "WITH n WHERE EXISTS { (n)-[:R]->(m) WHERE m.v = 3 } RETURN n.i",
    "WITH n WHERE NOT EXISTS { (n)-[:R]->(m)-[:S]->(o) WHERE o.i > 30 } RETURN n.i",
    "WITH n WHERE (n)-[:S]->() OR (n)<-[:R]-(:N {v: 1}) RETURN n.i",
    "WITH n WHERE EXISTS { MATCH (n)-[:R]->(m) WHERE EXISTS { (m)-[:S]->(o) WHERE o.v > n.v } \
     RETURN m } RETURN n.i",
    "WITH n WHERE EXISTS { MATCH (n)-[:R]->(m) RETURN m SKIP 2 } RETURN n.i",
    "RETURN n.i, COUNT { (n)-[:R]->(m) WHERE m.v < 4 }",
    "RETURN n.i, COUNT { MATCH (n)-[:R]->(m) RETURN DISTINCT m.v } AS c",
    "RETURN n.i, COUNT { (n)-[:R]->() } AS c",
    "RETURN n.i, COUNT { (n)-[:R]->(:N)<-[:R]-() } AS c",
    "RETURN n.i, COUNT { (n)-[:R]-(m)--() WHERE m <> n } AS c",
    "OPTIONAL MATCH (n)-[:S]->(m) WHERE m.i > 9 RETURN n.i, COUNT { (m)-[:R]->()-[:R]->() } AS c",
    "CALL { WITH n MATCH (n)-[:R]->(m)-->() RETURN m.v AS v, count(*) AS c } RETURN n.i, v, c",
    "CALL { WITH n MATCH (n)-[:S]->(m)-->() RETURN count(*) AS c, count(m) AS d } RETURN n.i, c, d",
    "WITH n WHERE COUNT { (n)-[:R]->()-[:R]->() } > 20 RETURN n.i",
    "RETURN n.i, COLLECT { MATCH (n)-[:R]->(m) RETURN m.i ORDER BY m.v, m.i DESC LIMIT 3 } AS c",
    "RETURN n.i, [(n)-[r:R]->(m) WHERE r.w > 0 | m.i + n.i] AS c",
    "RETURN n.i, CASE WHEN n.i % 2 = 0 THEN COUNT { (n)-[:R]->() } ELSE EXISTS { (n)-[:S]->() } END AS c",
    "CALL { WITH n MATCH (n)-[:R]->(m) RETURN count(m) AS c, sum(m.v) AS s } RETURN n.i, c, s",
    "CALL { WITH n MATCH (n)-[:R]->(m) RETURN m.v AS v, count(*) AS c } RETURN n.i, v, c",
    "CALL { WITH n MATCH (n)-[:R]->(m) RETURN DISTINCT m.v AS v } RETURN n.i, v",
    "CALL { WITH n MATCH (n)-[:R]->(m) RETURN m ORDER BY m.v DESC, m.i SKIP 1 LIMIT 2 } RETURN n.i, m.i",
    "CALL { WITH n MATCH (n)-[:R]->(m) WITH m ORDER BY m.i DESC LIMIT 3 RETURN collect(m.i) AS c } \
     RETURN n.i, c",
    "CALL { WITH n MATCH (n)-[:R]->(m) RETURN m.i AS x UNION ALL WITH n MATCH (n)-[:S]->(m) \
     RETURN m.i AS x UNION ALL WITH n RETURN n.v AS x } RETURN n.i, x",
    "CALL { WITH n MATCH (n)-[:R]->(m) RETURN m.v AS x UNION WITH n RETURN n.v AS x } RETURN n.i, x",
    "CALL { WITH n UNWIND range(0, n.v) AS x OPTIONAL MATCH (n)-[r:R {w: x}]->(m) \
     RETURN x, max(m.i) AS y } RETURN n.i, x, y",
    "CALL { MATCH (m:N) WHERE m.i < 3 RETURN m.i AS x } RETURN n.i, x",
    "CALL { WITH n MATCH (a:N), (b:N) WHERE a.v = b.v AND a.i < 9 AND b.i < n.i RETURN count(*) AS c } \
     RETURN n.i, c",
    "CALL { WITH n CALL { WITH n MATCH (n)-[:R]->(m) RETURN count(*) AS c } \
     MATCH (n)-[:S]->(o) RETURN c + o.i AS s } RETURN n.i, s",
    "MATCH (n)-[:R]->(m) OPTIONAL MATCH (m)-[:S]->(o) WITH n, m, o WHERE n.i > 2 RETURN n.i, m.i, o.i",
    "OPTIONAL MATCH (x:N) WHERE x.v = n.v AND x.i <> n.i RETURN n.i, x.i",
    "OPTIONAL MATCH (x:N {v: n.v})-[:R]->(y) WHERE y.i > 40 RETURN n.i, x.i, y.i",
    "OPTIONAL MATCH (x:N) WHERE toString(x.v) = toString(n.v) AND x.i < 9 RETURN n.i, x.i",
    "WITH n WHERE EXISTS { (x:N) WHERE x.v = n.v AND x.i > n.i + 20 } RETURN n.i",
    "WITH n WHERE NOT EXISTS { (x:N) WHERE x.v = n.v AND x.i > n.i } RETURN n.i",
    "RETURN n.i, COUNT { (x:N) WHERE x.v + 1 = n.v AND x.i < 30 } AS c",
    "CALL { WITH n CALL db.labels() YIELD label MATCH (x:N) WHERE x.v = n.v RETURN label, x.i AS x } \
     RETURN n.i, label, x",
    "CALL { WITH n MATCH (x:N) WHERE x.v = n.v RETURN x.i AS x LIMIT 2 } RETURN n.i, x",
    "CALL { WITH n MATCH (x:N) WHERE x.v = n.v RETURN x.i AS x SKIP 1 LIMIT 3 } RETURN n.i, x",
    "CALL { WITH n MATCH (x:N) WHERE x.i > n.i WITH x LIMIT 4 WHERE x.i % 2 = 0 RETURN x.i AS x } \
     RETURN n.i, x",
    "CALL { WITH n UNWIND range(1, 1000) AS x RETURN x LIMIT 3 } RETURN n.i, x",
    "CALL { WITH n UNWIND range(1, 1000) AS x WITH x WHERE x > n.i * 10 RETURN x LIMIT 3 } RETURN n.i, x",
    "CALL { WITH n MATCH (n)-[:R]->(m) WITH m LIMIT 2 MATCH (m)-[:R]->(o) \
     RETURN m.i AS m, o.i AS o LIMIT 5 } RETURN n.i, m, o",
    "CALL { WITH n MATCH (n)-[:R*1..3]->(m) RETURN m.i AS m SKIP 1 LIMIT 2 } RETURN n.i, m",
    "CALL { WITH n MATCH (n)-[:R]->(m) RETURN m.i AS m LIMIT 0 } RETURN n.i, m",
    "WITH n WHERE EXISTS { MATCH (n)-[:R]->(m) WITH m LIMIT 1 MATCH (m)-[:S]->(o) RETURN o } RETURN n.i",
    "WITH n WHERE EXISTS { MATCH (n)-[:R]->(m) CALL { WITH m MATCH (m)-[:R]->(o) RETURN o LIMIT 1 } \
     WITH o WHERE o.i > 20 RETURN o } RETURN n.i",
    // The first row is answered before the other side is read.
    "WITH n WHERE EXISTS { WITH n WHERE n.i = 0 RETURN n.i AS b UNION ALL \
     MATCH (x:N) WHERE x.v = n.v RETURN x.i AS b } RETURN n.i",
    // One row alone, of the last of those around.
    "CALL { WITH n MATCH (x:N) WHERE x.i = n.i - 50 CALL { WITH x UNWIND [1, 2] AS z RETURN z LIMIT 1 } \
     RETURN z LIMIT 2 } RETURN n.i, z",
    "CALL { WITH n UNWIND [1, 2] AS y WITH n, y WHERE y + n.i > 60 \
     CALL { WITH y UNWIND [1, 2, 3] AS z RETURN z ORDER BY z LIMIT 1 } RETURN z } RETURN n.i, z",
    "CALL { WITH n MATCH (x:N) WHERE x.i = n.i - 58 RETURN EXISTS { (x)-[:R]->() } AS e, \
     CASE WHEN x.i > 0 THEN COUNT { MATCH (x)-[:R]->(m) RETURN m LIMIT 1 } END AS c } RETURN n.i, e, c",
    // A condition may say where a key can be computed.
    "OPTIONAL MATCH (x:N) WHERE x.i <> n.i * 0 AND 100 / x.i = n.i RETURN n.i, x.i",
    "CALL { WITH n MATCH (x:N) WHERE x.v = n.v RETURN x.i AS x LIMIT 20 } RETURN n.i, x",
];

/// Variables around a subquery that its `WITH` leaves out are there all the same: each text
/// beside one that gives the same rows without that.
const AROUND: &[(&str, &str)] = &[
    (
        "RETURN n.i, COLLECT { WITH 1 AS x MATCH (n)-[:R]->(m) RETURN m.i ORDER BY m.i } AS c",
        "RETURN n.i, COLLECT { MATCH (n)-[:R]->(m) RETURN m.i ORDER BY m.i } AS c",
    ),
    (
        "WITH n WHERE NOT EXISTS { WITH 1 AS x MATCH (n)-[:S]->() RETURN x } RETURN n.i",
        "WITH n WHERE NOT EXISTS { (n)-[:S]->() } RETURN n.i",
    ),
    (
        "MATCH (n)-[r:R]->(m) WHERE EXISTS { WITH 1 AS x MATCH (n)-[r]->(m) WHERE r.w = x RETURN x } \
         RETURN n.i, m.i",
        "MATCH (n)-[r:R]->(m) WHERE r.w = 1 RETURN n.i, m.i",
    ),
    (
        "CALL (n) { WITH n.v AS v MATCH (n)-[:R]->(m) WHERE m.v = v RETURN m } RETURN n.i, m.i",
        "MATCH (n)-[:R]->(m) WHERE m.v = n.v RETURN n.i, m.i",
    ),
    (
        "CALL (n) { WITH n.v AS v OPTIONAL MATCH (n)-[:S]->(m) RETURN m, v } RETURN n.i, m.i, v",
        "OPTIONAL MATCH (n)-[:S]->(m) RETURN n.i, m.i, n.v",
    ),
    (
        "CALL (n) { MATCH (n)-[:R]->(m) WITH count(m) AS c RETURN c, n.v AS v } RETURN n.i, c, v",
        "RETURN n.i, COUNT { (n)-[:R]->() } AS c, n.v AS v",
    ),
    (
        "CALL (n) { MATCH (n)-[:R]->(m) WITH DISTINCT m.v AS v WHERE v <> n.v RETURN v ORDER BY v } \
         RETURN n.i, v",
        "CALL { WITH n MATCH (n)-[:R]->(m) WITH DISTINCT n, m.v AS v WHERE v <> n.v RETURN v ORDER BY v } \
         RETURN n.i, v",
    ),
    (
        "CALL (n) { MATCH (n)-[:R]->(m) WITH m.v AS v, count(*) AS c ORDER BY v + n.i, v SKIP 1 LIMIT 3 \
         MATCH (n)-[:S]->(o) RETURN v, c, o } RETURN n.i, v, c, o.i",
        "CALL { WITH n MATCH (n)-[:R]->(m) WITH n, m.v AS v, count(*) AS c ORDER BY v SKIP 1 LIMIT 3 \
         MATCH (n)-[:S]->(o) RETURN v, c, o } RETURN n.i, v, c, o.i",
    ),
    (
        "WITH n, n.i AS i CALL (*) { WITH 5 AS y CALL (*) { WITH 7 AS z RETURN i + y + z AS s } \
         RETURN s, n.v AS v } RETURN i, s, v",
        "RETURN n.i AS i, n.i + 12 AS s, n.v AS v",
    ),
    (
        "CALL (n) { RETURN n.v AS a NEXT MATCH (n)-[:R]->(m) RETURN a, m.i AS b } RETURN n.i, a, b",
        "MATCH (n)-[:R]->(m) RETURN n.i, n.v, m.i",
    ),
    (
        "WITH n WHERE EXISTS { MATCH (m:N) WITH max(m.i) AS most WHERE most = n.i + 3 RETURN most } \
         RETURN n.i",
        "WITH n WHERE n.i = 56 RETURN n.i",
    ),
    (
        "CALL (n) { MATCH (n)-[:R]->(m) RETURN * } RETURN n.i, m.i",
        "MATCH (n)-[:R]->(m) RETURN n.i, m.i",
    ),
    (
        "CALL (n) { WITH 1 AS x MATCH (n)-[:R]->(m) WITH x AS y WHERE y = 1 RETURN y UNION ALL \
         WITH 2 AS y MATCH (n)-[:S]->() RETURN y } RETURN n.i, sum(y)",
        "WITH n, COUNT { (n)-[:R]->() } + 2 * COUNT { (n)-[:S]->() } AS s WHERE s > 0 RETURN n.i, s",
    ),
    (
        "WITH n, COUNT { MATCH (a:N) WITH a.v AS v WHERE v = n.v WITH v AS w LIMIT 3 \
         WHERE n.i > 2 RETURN w } AS c RETURN n.i, c",
        "WITH n, COUNT { MATCH (a:N) WHERE a.v = n.v AND n.i > 2 RETURN a } AS c \
         RETURN n.i, CASE WHEN c > 3 THEN 3 ELSE c END",
    ),
];

#[test]
fn with_drops_no_variable_around_a_subquery() {
    let graph = friends();
    for (left_out, without) in AROUND {
        let rows_of = |from: &str| {
            let text = format!("{from} ");
            [text.clone() + left_out, text + without].map(|text| {
                let found = all(&graph, &text, &Parameters::new());
                let mut found: Vec<_> = found.iter().map(|row| format!("{row:?}")).collect();
                found.sort_unstable();
                found
            })
        };
        for from in [
            "MATCH (n:N) WITH n ORDER BY n.i",
            "MATCH (n:N)",
            "MATCH (n:N {i: 56})",
            "MATCH (n:N) WITH n LIMIT 1",
        ] {
            let [found, expected] = rows_of(from);
            assert_eq!(found, expected, "{from} {left_out}");
        }
        assert!(!rows_of("MATCH (n:N)")[0].is_empty(), "{left_out}");
    }
}

#[test]
fn a_subquery_writes_at_the_nodes_around_it() {
    for (text, count) in [
        ("CALL (n) { WITH 1 AS x CREATE (n)-[:U {x: x}]->(:V) }", 60),
        (
            "CALL (n) { UNWIND [1, 2] AS x WITH x CREATE (n)-[:U {x: x}]->(:V) }",
            120,
        ),
        (
            "CALL (n) { WITH 1 AS x MERGE (n)-[:U]->(v:V) SET v.x = x }",
            60,
        ),
        (
            "CALL (n) { WITH 1 AS x MATCH (n) CREATE (n)-[:U {x: x}]->(:V) }",
            60,
        ),
        (
            "CALL (n) { WITH count(*) AS x CREATE (n)-[:U {x: x}]->(:V) } IN TRANSACTIONS OF 7 ROWS",
            60,
        ),
    ] {
        let graph = friends();
        rows(&graph, &format!("MATCH (n:N) {text}"));
        let found = rows(
            &graph,
            "MATCH (n:N)-[:U]->(:V) RETURN count(DISTINCT n), count(*), COUNT { (:V) }",
        );
        assert_eq!(found, [[60.into(), count.into(), count.into()]], "{text}");
    }
}

#[test]
fn no_column_hides_a_variable_around_a_subquery() {
    let graph = friends();
    for text in [
        "MATCH (n:N) CALL (n) { WITH 1 AS n RETURN n AS x } RETURN x",
        "MATCH (n:N) CALL (*) { MATCH (m) WITH m AS n RETURN n AS x } RETURN x",
        "MATCH (n:N) RETURN COLLECT { WITH 'a' AS n RETURN n }",
        "MATCH (n:N) CALL (n, n) { RETURN 1 AS x } RETURN x",
    ] {
        let error = Query::prepare(&graph, text).err();
        let class = error.as_ref().map(|error| error.detail().to_string());
        assert_eq!(
            class.as_deref(),
            Some("VariableAlreadyBound"),
            "{text}: {error:?}"
        );
    }
}

fn all(graph: &PropertyGraph, text: &str, parameters: &Parameters) -> Vec<Vec<Datum>> {
    let query = Query::prepare(graph, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let rows = query.execute(graph, parameters);
    rows.unwrap_or_else(|error| panic!("{text}: {error}"))
        .collect()
}

/// The rows of a part that equals rows around are made once, for batches of many.
#[test]
fn rows_of_many_batches_have_what_equals_them() {
    let graph = friends();
    let from =
        "UNWIND range(0, 9999) AS j WITH j, CASE j % 3 WHEN 0 THEN null ELSE j % 11 END AS v";
    let joined =
        format!("{from} OPTIONAL MATCH (x:N) WHERE x.v = v AND x.i > j % 50 RETURN j, x.i AS x");
    let query = Query::prepare(&graph, &joined).expect("a query");
    assert!(query.plan().contains("HashJoin"), "{}", query.plan());
    let listed = format!(
        "MATCH (n:N) WITH collect([n.v, n.i]) AS all {} \
         WITH j, [one IN all WHERE one[0] = v AND one[1] > j % 50 | one[1]] AS found \
         UNWIND CASE found WHEN [] THEN [null] ELSE found END AS x RETURN j, x",
        from.replace("WITH j,", "WITH all, j,")
    );
    let order = " ORDER BY j, x";
    let found = rows(&graph, &(joined + order));
    assert!(found.len() > 20_000);
    assert_eq!(found, rows(&graph, &(listed + order)));
}

#[test]
fn many_rows_have_the_rows_of_each() {
    let graph = friends();
    for middle in MIDDLES {
        // In the order of the nodes; those in the first case come from an operator that
        // knows of no index.
        let together = format!("MATCH (n:N) WITH n ORDER BY n.i {middle}");
        let alone = format!("MATCH (n:N) WHERE n.i = $i WITH n ORDER BY n.i {middle}");
        let found = all(&graph, &together, &Parameters::new());
        let expected = (0..NODES).flat_map(|i| {
            let parameters = Parameters::from([("i".to_string(), i.into())]);
            all(&graph, &alone, &parameters)
        });
        let expected: Vec<Vec<Datum>> = expected.collect();
        assert_eq!(found.len(), expected.len(), "{middle}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{middle}");
        }
    }
}

#[test]
fn rows_that_fail_fail_together() {
    let graph = friends();
    for text in [
        "MATCH (n:N) WHERE EXISTS { (n)-[:R]->(m) WHERE 1 / m.v > 0 } RETURN n.i",
        "MATCH (n:N) RETURN COUNT { (n)-[:R]->(m) WHERE 1 / m.v > 0 }",
        "MATCH (n:N) CALL { WITH n RETURN 1 / n.v AS x } RETURN x",
    ] {
        let query = Query::prepare(&graph, text).expect(text);
        let failed = query.execute(&graph, &Parameters::new());
        assert_eq!(failed.expect_err(text).class(), "ArithmeticError", "{text}");
    }
    // The other rows are not asked.
    let text = "MATCH (n:N) WITH n ORDER BY n.i LIMIT 30 \
                WHERE n.v = 1 AND EXISTS { (n)-[:R]->(m) WHERE 1 / (n.v - 2) <> 0 } RETURN n.i";
    rows(&graph, text);
}
