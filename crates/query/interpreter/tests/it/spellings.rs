//! Spellings of GQL for what openCypher has.

use evergraph_interpreter::Datum;
use evergraph_property_graph::graph::PropertyGraph;

use crate::{attempt, graph, rows, value};

fn people() -> PropertyGraph {
    let graph = graph();
    rows(
        &graph,
        "INSERT (a:P {n: 'a'})-[:K {w: 1}]->(b:P {n: 'b'})-[:K {w: 2}]->(c:P {n: 'c'})",
    );
    graph
}

#[test]
fn rows_are_ordered_and_limited_by_clauses_of_their_own() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 9) AS i CREATE (:N {i: i})");
    for (text, plain) in [
        (
            "MATCH (n:N) ORDER BY n.i DESC LIMIT 2 RETURN n.i",
            "MATCH (n:N) WITH n ORDER BY n.i DESC LIMIT 2 RETURN n.i",
        ),
        (
            "MATCH (n:N) WHERE n.i > 2 ORDER BY n.i SKIP 1 LIMIT 3 MATCH (m:N {i: n.i + 1}) \
             RETURN m.i ORDER BY m.i OFFSET 1",
            "MATCH (n:N) WHERE n.i > 2 WITH n ORDER BY n.i SKIP 1 LIMIT 3 \
             MATCH (m:N {i: n.i + 1}) WITH m ORDER BY m.i SKIP 1 RETURN m.i",
        ),
        ("UNWIND [3, 1, 2] AS x LIMIT 2 RETURN sum(x)", "RETURN 4"),
    ] {
        assert_eq!(rows(&graph, text), rows(&graph, plain), "{text}");
    }
}

#[test]
fn each_is_as_the_other() {
    let graph = people();
    for (spelled, other) in [
        (
            "MATCH (p:P) FILTER p.n > 'a' RETURN p.n AS n ORDER BY n",
            "MATCH (p:P) WITH * WHERE p.n > 'a' RETURN p.n AS n ORDER BY n",
        ),
        (
            "MATCH (p:P) FILTER WHERE p.n > 'a' RETURN p.n AS n ORDER BY n",
            "MATCH (p:P) WHERE p.n > 'a' RETURN p.n AS n ORDER BY n",
        ),
        (
            "LET x = 1, y = 2 LET z = x + y RETURN x, y, z",
            "WITH 1 AS x, 2 AS y RETURN x, y, x + y AS z",
        ),
        ("FOR x IN [1, 2] RETURN x", "UNWIND [1, 2] AS x RETURN x"),
        (
            "MATCH (a)->(b)<-(c), (a)-(d) RETURN count(*) AS c",
            "MATCH (a)-->(b)<--(c), (a)--(d) RETURN count(*) AS c",
        ),
        (
            "MATCH (a)->+(b)-{1,2}(c)<->(d) RETURN count(*) AS c",
            "MATCH (a)-->+(b)--{1,2}(c)<-->(d) RETURN count(*) AS c",
        ),
        (
            "MATCH (p:P) RETURN p.n AS n NEXT FILTER n <> 'b' RETURN collect(n) AS l",
            "MATCH (p:P) WHERE p.n <> 'b' RETURN collect(p.n) AS l",
        ),
        (
            "MATCH (p:P) RETURN p.n AS n ORDER BY n LIMIT 2 NEXT RETURN max(n) AS m NEXT RETURN m",
            "MATCH (p:P) WITH p.n AS n ORDER BY n LIMIT 2 RETURN max(n) AS m",
        ),
    ] {
        let (one, same) = (rows(&graph, spelled), rows(&graph, other));
        assert!(!one.is_empty(), "{spelled}");
        assert_eq!(one, same, "{spelled}");
    }
}

/// Queries of `UNION`, `WHEN`, `NEXT` and braces, and such with the same rows.
#[test]
fn queries_are_composed() {
    let graph = people();
    for (composed, other) in [
        (
            "RETURN 1 AS x UNION ALL RETURN 1 AS x NEXT RETURN sum(x) AS s",
            "RETURN 2 AS s",
        ),
        (
            "UNWIND [1, 2] AS x RETURN x, x * 2 AS y NEXT \
             RETURN sum(x) AS s UNION ALL RETURN max(y) AS s NEXT RETURN collect(s) AS l",
            "RETURN [3, 4] AS l",
        ),
        (
            "MATCH (p:P) RETURN p, p.n AS n NEXT MATCH (p)-->(q) RETURN q.n AS m \
             UNION MATCH (p)<--(q) RETURN n AS m NEXT RETURN m ORDER BY m",
            "UNWIND ['b', 'c'] AS m RETURN m",
        ),
        (
            "UNWIND [] AS x RETURN x NEXT RETURN count(*) AS c UNION ALL RETURN 5 AS c",
            "RETURN 0 AS c",
        ),
        (
            "{ RETURN 1 AS x UNION RETURN 1 AS x } UNION ALL { RETURN 1 AS x NEXT RETURN x + 1 AS x }",
            "UNWIND [1, 2] AS x RETURN x",
        ),
        (
            "WHEN false THEN RETURN 1 AS x WHEN true THEN RETURN 2 AS x \
             WHEN true THEN RETURN 3 AS x ELSE RETURN 4 AS x",
            "RETURN 2 AS x",
        ),
        (
            "WHEN null THEN RETURN 1 AS x ELSE RETURN 2 AS x",
            "RETURN 2 AS x",
        ),
        ("WHEN false THEN RETURN 1 AS x", "UNWIND [] AS x RETURN x"),
        (
            "MATCH (p:P) RETURN p, p.n AS n NEXT WHEN n = 'a' THEN RETURN 'first' AS n \
             WHEN (p)-->() THEN { RETURN n AS m NEXT RETURN m + m AS n } \
             ELSE MATCH (q)-->(p) RETURN q.n AS n NEXT RETURN n ORDER BY n",
            "UNWIND ['b', 'bb', 'first'] AS n RETURN n",
        ),
        (
            "MATCH (p:P) CALL (p) { WHEN p.n > 'a' THEN RETURN p.n AS m ELSE { RETURN '-' AS m \
             UNION ALL RETURN '+' AS m } } RETURN m ORDER BY m",
            "UNWIND ['+', '-', 'b', 'c'] AS m RETURN m",
        ),
        (
            "MATCH (p:P) WHERE EXISTS { WHEN p.n = 'b' THEN RETURN 1 AS x \
             ELSE MATCH (p)-[:K {w: 1}]->() RETURN 1 AS x } RETURN p.n AS n ORDER BY n",
            "UNWIND ['a', 'b'] AS n RETURN n",
        ),
        (
            "{ WHEN true THEN RETURN 1 AS x } UNION { WHEN false THEN RETURN 2 AS x ELSE RETURN 3 AS x }",
            "UNWIND [1, 3] AS x RETURN x",
        ),
        (
            "WHEN true THEN { WHEN false THEN RETURN 1 AS x ELSE { WHEN true THEN RETURN 2 AS x } }",
            "RETURN 2 AS x",
        ),
        (
            "MATCH (p:P) CALL { WITH * RETURN p.n AS m } RETURN m ORDER BY m",
            "MATCH (p:P) RETURN p.n AS m ORDER BY m",
        ),
    ] {
        assert_eq!(rows(&graph, composed), rows(&graph, other), "{composed}");
    }
}

/// The part is chosen before any is run, so that no write makes another one run.
#[test]
fn parts_of_when_write() {
    let graph = people();
    rows(
        &graph,
        "MATCH (p:P) CALL (p) { WHEN p.n = 'a' THEN SET p.n = 'd' WHEN p.n = 'd' THEN SET p.n = 'e' \
         ELSE { SET p.m = 1 NEXT MERGE (q:Q) SET q.c = coalesce(q.c, 0) + 1 } }",
    );
    let written = "MATCH (p:P) RETURN p.n AS n, p.m AS m ORDER BY n";
    let expected = "UNWIND [['b', 1], ['c', 1], ['d', null]] AS r RETURN r[0] AS n, r[1] AS m";
    assert_eq!(rows(&graph, written), rows(&graph, expected));
    let count = "MATCH (q:Q) RETURN q.c";
    assert_eq!(value(&graph, count), value(&graph, "RETURN 2"));
    rows(&graph, "CREATE (:R) NEXT WHEN true THEN CREATE (:R)");
    let count = "MATCH (r:R) RETURN count(*)";
    assert_eq!(value(&graph, count), value(&graph, "RETURN 2"));
}

#[test]
fn a_reduction_of_which_each_step_holds() {
    let graph = graph();
    for (list, expected) in [
        ("[]", "true"),
        ("[1, 2, 3]", "true"),
        ("[1, 9, 2]", "false"),
        ("[9, -9]", "false"),
        ("[1, null]", "null"),
        ("null", "null"),
    ] {
        let text = format!("RETURN allReduce(s = 1, x IN {list} | s + x, s < 9)");
        let expected = value(&graph, &format!("RETURN {expected}"));
        assert_eq!(value(&graph, &text), expected, "{list}");
    }
}

#[test]
fn finish_returns_no_rows() {
    let graph = people();
    assert!(rows(&graph, "MATCH (p:P) SET p.seen = true FINISH").is_empty());
    assert_eq!(
        value(&graph, "MATCH (p:P) WHERE p.seen RETURN count(*)"),
        3i64.into()
    );
    assert!(rows(&graph, "MATCH (p:P) FINISH").is_empty());
    let text = "UNWIND [1, 2] AS x CALL (x) { MATCH (p:P) SET p.x = x FINISH } RETURN count(*)";
    assert_eq!(value(&graph, text), 2i64.into());
    assert!(attempt(&graph, "MATCH (p:P) FINISH RETURN p").is_err());
}

#[test]
fn names_of_floats_are_variables_first() {
    let graph = graph();
    assert_eq!(
        value(&graph, "RETURN INF > 1e308 AND -inf < 0 AND infinity = INF"),
        true.into()
    );
    assert_eq!(value(&graph, "RETURN NaN = NaN"), false.into());
    assert_eq!(value(&graph, "WITH 1 AS inf RETURN inf"), 1i64.into());
    assert_eq!(
        value(&graph, "RETURN [inf IN [2] | inf]"),
        Datum::list(vec![2i64.into()])
    );
    assert_eq!(value(&graph, "RETURN INF"), f64::INFINITY.into());
}

#[test]
fn cases_test_their_operand() {
    let graph = graph();
    let case = "CASE x WHEN IS NULL, IS NOT :: INTEGER | FLOAT | STRING THEN 'other' \
                WHEN < 3 THEN 'few' WHEN 3, = 4 THEN 'some' WHEN >= 100 THEN 'many' \
                WHEN STARTS WITH 'a', ENDS WITH 'z', =~ 'q+', CONTAINS '-' THEN 'text' \
                WHEN IN [5, 'b'] THEN 'listed' WHEN IS NOT NFC NORMALIZED THEN 'odd' \
                ELSE 'else' END";
    let values =
        "[null, true, 2, 2.5, 3, 4.0, 100, 'ab', 'xz', 'qq', 'x-y', 5, 'b', 'e\\u0301', 6]";
    let expected = [
        "other", "other", "few", "few", "some", "some", "many", "text", "text", "text", "text",
        "listed", "listed", "odd", "else",
    ];
    let expected = Datum::list(expected.map(Datum::from).to_vec());
    // A column at a time, and a value at a time.
    let columns = format!("UNWIND {values} AS x RETURN collect({case}) AS l");
    assert_eq!(value(&graph, &columns), expected);
    let row = format!("RETURN [x IN {values} | {case}] AS l");
    assert_eq!(value(&graph, &row), expected);
    // Deep ones are not larger than they are written.
    let deep = format!(
        "{}1{}",
        "CASE ".repeat(60),
        " WHEN < 9, < 9 THEN 2 END".repeat(60)
    );
    assert_eq!(value(&graph, &format!("RETURN {deep} AS a")), 2i64.into());
}

#[test]
fn what_has_no_meaning_is_refused() {
    let graph = people();
    for (text, message) in [
        (
            "WHEN true THEN RETURN 1 AS x UNION RETURN 2 AS x",
            "UNION stands behind WHEN",
        ),
        ("MATCH (p:P) LET p = 1 RETURN p", "two columns p"),
        ("MATCH (p:P) RETURN p.n NEXT RETURN 1 AS x", "has no name"),
        ("FILTER true", "no effect"),
        ("MATCH (a)~(b) RETURN a", "no meaning"),
    ] {
        let error = attempt(&graph, text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn values_have_the_types_that_they_are_said_to_have() {
    let graph = people();
    for (condition, expected) in [
        ("1 IS :: INTEGER", true),
        ("1 IS TYPED INT", true),
        ("1 :: SIGNED INTEGER", true),
        ("1 IS NOT :: INTEGER", false),
        ("null IS NOT TYPED INTEGER", false),
        ("null IS :: INTEGER", true),
        ("null IS :: INTEGER NOT NULL", false),
        ("null IS :: INTEGER!", false),
        ("null IS :: NOTHING", false),
        ("1 IS :: FLOAT | STRING", false),
        ("1 IS :: ANY<FLOAT | INTEGER>", true),
        ("[1, null] IS :: LIST<INTEGER>", true),
        ("[1, null] IS :: LIST<INTEGER NOT NULL>", false),
        ("[1, 'a'] IS :: LIST<INTEGER | STRING>", true),
        ("[] IS :: LIST<NOTHING>", true),
        (
            "[[1], ['a']] IS :: LIST<LIST<INTEGER> | LIST<STRING>>",
            true,
        ),
        ("datetime() IS :: TIMESTAMP WITH TIME ZONE", true),
        ("localtime() IS :: TIME WITHOUT TIMEZONE", true),
        ("date() IS :: LOCAL DATETIME", false),
        ("{a: 1} IS :: ANY MAP", true),
        ("{a: 1} IS :: ANY", true),
        ("null IS :: ANY NOT NULL", false),
        ("[1, date(), 'a'] IS :: PROPERTY VALUE", true),
        (
            "point({x: 1, y: 2}) IS :: ANY PROPERTY VALUE NOT NULL",
            true,
        ),
        ("null IS :: PROPERTY VALUE", true),
        ("null IS :: PROPERTY VALUE NOT NULL", false),
        ("[1, null] IS :: PROPERTY VALUE", false),
        ("[[1]] IS NOT :: PROPERTY VALUE", true),
        ("{a: 1} IS :: PROPERTY VALUE | MAP", true),
        ("{a: 1} IS :: PROPERTY VALUE", false),
        ("EXISTS { (p:P) WHERE p IS :: PROPERTY VALUE }", false),
        ("1 + 1 IS :: INTEGER AND NOT 'a' IS :: INTEGER", true),
        ("all(x IN [1, 2] WHERE x IS :: INTEGER)", true),
        ("[x IN [1, 'a'] WHERE x IS :: INTEGER | x] = [1]", true),
        (
            "EXISTS { (p:P)-[k]->() WHERE p IS :: NODE AND k IS :: EDGE }",
            true,
        ),
    ] {
        let text = format!("RETURN {condition} AS c");
        assert_eq!(value(&graph, &text), Datum::from(expected), "{condition}");
    }
    // Of many rows as of one.
    let text = "UNWIND [1, 'a', null, 2.5] AS x RETURN collect(x IS :: INTEGER) AS l";
    let expected = [true, false, true, false].map(Datum::from);
    assert_eq!(value(&graph, text), Datum::list(expected.to_vec()));
    for (call, expected) in [
        (
            "[[1], [null], 'a']",
            "LIST<STRING NOT NULL | LIST<NULL> NOT NULL | LIST<INTEGER NOT NULL> NOT NULL> NOT NULL",
        ),
        ("[1, null, 2.5]", "LIST<INTEGER | FLOAT> NOT NULL"),
        ("time('10:00Z')", "ZONED TIME NOT NULL"),
    ] {
        let text = format!("RETURN valueType({call}) AS t");
        assert_eq!(value(&graph, &text), Datum::from(expected));
    }
}

#[test]
fn values_are_cast_or_refused() {
    let graph = people();
    for (cast, expected) in [
        ("CAST('12' AS INTEGER)", "12"),
        ("CAST(2.5 AS INTEGER)", "2"),
        ("CAST('2020-01-02' AS DATE)", "date('2020-01-02')"),
        ("CAST(1 AS STRING)", "'1'"),
        ("CAST(null AS DATE)", "null"),
        ("CAST(['1', 2] AS LIST<INTEGER>)", "[1, 2]"),
        ("CAST(1 AS ANY<INTEGER | FLOAT>)", "1"),
        ("CAST(true AS INTEGER) + 1", "2"),
        ("CAST([1] AS PROPERTY VALUE)", "[1]"),
    ] {
        let text =
            format!("RETURN {cast} = {expected} OR {cast} IS NULL AND {expected} IS NULL AS c");
        assert_eq!(value(&graph, &text), Datum::from(true), "{cast}");
    }
    for cast in [
        "CAST('a' AS INTEGER)",
        "CAST(null AS INTEGER NOT NULL)",
        "CAST([1] AS INTEGER)",
        "CAST([{}] AS PROPERTY VALUE)",
        "CAST('2020-13-01' AS DATE)",
        "CAST(1 AS NODE)",
        "CAST('9223372036854775808' AS INTEGER)",
    ] {
        assert!(
            attempt(&graph, &format!("RETURN {cast} AS c")).is_err(),
            "{cast}"
        );
    }
    let error = attempt(&graph, "RETURN CAST('a' AS INTEGER) AS c").unwrap_err();
    assert!(
        error.to_string().contains("'a' cannot be cast to INTEGER"),
        "{error}"
    );
}

#[test]
fn texts_are_trimmed_and_normalized() {
    let graph = people();
    for (one, other) in [
        ("trim(BOTH 'x' FROM 'xaxx')", "'a'"),
        ("trim(LEADING 'x' FROM 'xaxx')", "'axx'"),
        ("trim(TRAILING 'x' FROM 'xaxx')", "'xa'"),
        ("trim('x' FROM 'xaxx')", "'a'"),
        ("trim(BOTH FROM ' a ')", "btrim(' a ')"),
        ("trim(FROM ' a ')", "'a'"),
        ("ltrim('xyaxy', 'xy') + rtrim('xyaxy', 'xy')", "'axyxya'"),
        ("trim('\\u00a0a ')", "'\\u00a0a'"),
        ("normalize('e\\u0301')", "'\\u00e9'"),
        ("size(normalize('\\u00e9', NFD))", "2"),
        ("'e\\u0301' IS NOT NFC NORMALIZED", "true"),
        ("'e\\u0301' IS NFD NORMALIZED", "true"),
    ] {
        let text = format!("RETURN {one} = {other} AS c");
        assert_eq!(value(&graph, &text), Datum::from(true), "{one}");
    }
    let text = "WITH 'b' AS both, ' c ' AS leading RETURN trim(both) + trim(leading) AS t";
    assert_eq!(value(&graph, text), Datum::from("bc"));
}

#[test]
fn the_version_of_cypher_may_stand_first() {
    let graph = people();
    assert_eq!(value(&graph, "CYPHER 5 RETURN 1 AS a"), Datum::from(1));
    let plan = attempt(&graph, "cypher 5 EXPLAIN RETURN 1 AS a");
    assert!(plan.is_ok());
    for with_options in [
        "CYPHER 5 runtime=slotted RETURN 1 AS a",
        "cypher planner = COST Replan=skip RETURN 1 AS a",
    ] {
        assert_eq!(value(&graph, with_options), Datum::from(1));
    }
    for (wrong, message) in [
        ("CYPHER 3 RETURN 1", "5, the version of Cypher, should be"),
        ("CYPHER RETURN 1", "5, the version of Cypher, should be"),
        ("CYPHER 5 runtme=slotted RETURN 1", "did you mean runtime?"),
        ("CYPHER 5 runtime=sloted RETURN 1", "did you mean slotted?"),
        ("CYPHER 5 speed=high RETURN 1", "there is no option speed"),
    ] {
        let error = attempt(&graph, wrong).expect_err(wrong).to_string();
        assert!(error.contains(message), "{wrong}: {error}");
    }
}

#[test]
fn conversions_are_those_of_neo4j() {
    let graph = people();
    for (one, other) in [
        ("toString(1e10)", "'1.0E10'"),
        ("toString(1e7) + toString(9999999.0)", "'1.0E79999999.0'"),
        ("toString(0.001) + toString(-1.5e-9)", "'0.001-1.5E-9'"),
        ("'a' + 1e10 + true", "'a1.0E10true'"),
        ("toString(localtime('10:00'))", "'10:00'"),
        (
            "toString(point({x: 1, y: 2}))",
            "\"point({x: 1.0, y: 2.0, crs: 'cartesian'})\"",
        ),
        ("toFloat('1.5f') + toFloat(' 1d ')", "2.5"),
        ("toFloat('-Infinity')", "-1.0 / 0.0"),
        ("coalesce(toInteger(' 12 '), 0)", "0"),
        (
            "datetime({epochMillis: 1000, nanosecond: 5}).nanosecond",
            "5",
        ),
    ] {
        let text = format!("RETURN {one} = {other} AS c");
        assert_eq!(value(&graph, &text), Datum::from(true), "{one}");
    }
    for wrong in ["toInteger('9223372036854775808')", "1 + true"] {
        assert!(
            attempt(&graph, &format!("RETURN {wrong} AS c")).is_err(),
            "{wrong}"
        );
    }
    let sum = "UNWIND [9223372036854775807, 1] AS x RETURN sum(x) AS s";
    assert_eq!(value(&graph, sum), Datum::from(9_223_372_036_854_775_808.0));
}
