//! Fast ways against plain ones.

use evergraph_property_graph::graph::{Definition, PropertyGraph, Rule};

use crate::{attempt, graph, rows, value, value as value_of};

/// Values of all kinds of numbers and others, some of them equal.
const VALUES: &str = "UNWIND [1, 1.0, 2, 2.5, 0.0, -0.0, 0, 0.0 / 0.0, 'a', 'b', true, null, \
                      9007199254740993, 9007199254740992.0] AS v";

#[test]
fn a_hash_join_finds_what_a_filter_finds() {
    let graph = graph();
    rows(
        &graph,
        &format!("{VALUES} CREATE (:A {{v: v}}), (:B {{v: v}})"),
    );
    let joined = "MATCH (a:A), (b:B) WHERE a.v = b.v RETURN count(*)";
    let query = evergraph_interpreter::Query::prepare(&graph, joined).expect("a query");
    assert!(query.plan().contains("HashJoin"), "{}", query.plan());
    let plain = "MATCH (a:A) MATCH (b:B) WITH a.v AS x, b.v AS y WHERE x = y RETURN count(*)";
    assert_eq!(value(&graph, joined), value(&graph, plain));
}

#[test]
fn an_index_finds_what_a_filter_finds() {
    let graph = graph();
    rows(
        &graph,
        &format!("{VALUES} CREATE (:A {{v: v}}), (:B {{v: v}})"),
    );
    rows(
        &graph,
        "UNWIND ['ab', 'abc', 'b', 'a'] AS v CREATE (:A {v: v}), (:B {v: v})",
    );
    let index = Definition::of_nodes("of_a", "A", &["v"], Rule::Index);
    graph.define(&index).expect("an index");
    for condition in [
        "= 1",
        "= 0",
        "= 'a'",
        "= null",
        "> 1",
        ">= 1",
        "< 2.5",
        "<= 0",
        "IN [1, 2, null, 1.0]",
        "STARTS WITH 'a'",
        "= 0.0 / 0.0",
    ] {
        let of = |label: &str| {
            format!("MATCH (n:{label}) WHERE n.v {condition} RETURN n.v AS v ORDER BY v")
        };
        let query = evergraph_interpreter::Query::prepare(&graph, &of("A")).expect("a query");
        assert!(query.plan().contains("NodeSeek"), "{}", query.plan());
        assert_eq!(
            rows(&graph, &of("A")),
            rows(&graph, &of("B")),
            "{condition}"
        );
    }
}

/// An index orders what does not compare.
#[test]
fn a_range_of_an_index_is_what_compares() {
    let graph = graph();
    for label in ["A", "B"] {
        let values = "duration('P1M'), duration('P30D'), point({x: 1, y: 2}), \
                      point({longitude: 1, latitude: 5}), ['x'], [1], [1, 2], 1, 'a', true, \
                      date('2020-01-01'), time('10:00Z'), time('11:00+01:00')";
        rows(
            &graph,
            &format!("UNWIND [{values}] AS v CREATE (:{label} {{v: v}})"),
        );
    }
    let index = Definition::of_nodes("of_a", "A", &["v"], Rule::Index);
    graph.define(&index).expect("an index");
    for bound in [
        "duration('P1M')",
        "point({x: 1, y: 3})",
        "point({x: 1, y: 2})",
        "[2]",
        "['x']",
        "[]",
        "1",
        "'a'",
        "true",
        "date('2020-01-01')",
        "time('10:00Z')",
    ] {
        for comparison in ["<", "<=", ">", ">="] {
            let of = |label| {
                format!(
                    "MATCH (n:{label}) WHERE n.v {comparison} {bound} RETURN n.v AS v ORDER BY v"
                )
            };
            let query = evergraph_interpreter::Query::prepare(&graph, &of("A")).expect("a query");
            assert!(query.plan().contains("NodeSeek"), "{}", query.plan());
            assert_eq!(
                rows(&graph, &of("A")),
                rows(&graph, &of("B")),
                "{comparison} {bound}"
            );
        }
    }
}

#[test]
fn the_first_rows_of_an_order_are_those_of_the_whole_order() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 9999) AS x CREATE (:N {x: x * 7919 % 10007})",
    );
    let all = rows(&graph, "MATCH (n:N) RETURN n.x AS x ORDER BY x DESC");
    let first = rows(
        &graph,
        "MATCH (n:N) RETURN n.x AS x ORDER BY x DESC SKIP 5 LIMIT 10",
    );
    assert_eq!(first, all[5..15]);
}

#[test]
fn a_scan_finds_what_a_filter_finds() {
    let graph = graph();
    rows(&graph, &format!("{VALUES} CREATE (:A {{v: v}})"));
    for comparison in ["=", "<>", "<", "<=", ">", ">="] {
        for value in [
            "1",
            "1.0",
            "0",
            "'a'",
            "true",
            "null",
            "0.0 / 0.0",
            "[1]",
            "9007199254740993",
        ] {
            let scanned = format!("MATCH (n:A) WHERE n.v {comparison} {value} RETURN count(*)");
            // A filter on a variable is none of a scan.
            let filtered =
                format!("MATCH (n:A) WITH n.v AS v WHERE v {comparison} {value} RETURN count(*)");
            assert_eq!(
                value_of(&graph, &scanned),
                value_of(&graph, &filtered),
                "{scanned}"
            );
        }
    }
}

/// Relationships of two types with values of all kinds, loops and parallel ones among them.
fn related() -> PropertyGraph {
    let graph = graph();
    rows(&graph, "UNWIND range(0, 9) AS i CREATE (:N {i: i})");
    rows(
        &graph,
        &format!(
            "{VALUES} MATCH (a:N), (b:N) WHERE (a.i + b.i) % 3 = 0 \
             CREATE (a)-[:R {{v: v, i: a.i}}]->(b), (a)-[:S {{v: v, i: b.i}}]->(b)"
        ),
    );
    rows(
        &graph,
        "MATCH (a:N {i: 3}), (b:N {i: 6}) CREATE (a)-[:R]->(b)",
    );
    graph
}

const PATTERNS: [&str; 9] = [
    "(a)-[r:R]->(b)",
    "(a)<-[r:R]-(b)",
    "(a)-[r:R]-(b)",
    "(a)-[r:R]->(a)",
    "(a)-[r:R]-(a)",
    "(a)-[r:R|S]->(b:N)",
    "(a)-[r]-(b)",
    "(a)-[r:R]->(b)-[s:R]->(c {i: 3})",
    "(a)-[r:T]->(b)",
];

/// The sum of what is found, of rows as of nodes.
fn found(pattern: &str, condition: &str, kept: &str) -> String {
    format!(
        "MATCH {pattern} {condition} RETURN count(*) AS rows, sum(a.i) AS sum, \
         count(DISTINCT r) AS relationships{kept}"
    )
}

#[test]
fn relationships_by_themselves_are_those_of_nodes() {
    let graph = related();
    let index = Definition::of_relationships("of_s", "S", &["v"], Rule::Index);
    graph.define(&index).expect("an index");
    let ids = rows(&graph, "MATCH ()-[r:R {i: 3}]->() RETURN id(r) LIMIT 1");
    let of_id = format!("id(r) = {:?}", ids[0][0]);
    let of_id = of_id.replace("Value(Integer(", "").replace("))", "");
    let conditions = [
        "r.v = 1",
        "r.v > 1",
        "r.v < 'b'",
        "r.v IN [1, 'a', null]",
        "r.v STARTS WITH 'a'",
        "r.v IS NULL",
        "r.i + 1 > 4",
        "r.v = a.i",
        "r.v > 0 AND a.i <> 3",
        "r.v = 1 AND r.i = a.i",
        "r.v = 1 AND a.i + 1 > r.i",
        "false AND r.v = 1",
        &of_id,
        "id(r) = -1",
        "id(r) = 'a'",
    ];
    for pattern in PATTERNS {
        for condition in conditions {
            let by_itself = found(pattern, &format!("WHERE {condition}"), "");
            // A condition behind WITH is none of the pattern.
            let with = format!("WITH *, 1 AS one WHERE {condition}");
            let of_nodes = found(pattern, &with, "");
            assert_eq!(
                rows(&graph, &by_itself),
                rows(&graph, &of_nodes),
                "{by_itself}"
            );
        }
    }
    // The ends are not known before the relationship.
    for condition in ["r.i = a.i", "b.i < r.i", "r.v = 1 AND r.i = a.i"] {
        let begun = found("(a)-[r:R]->(b)", "USING SCAN r:R WHERE", "");
        let begun = begun.replace("WHERE", &format!("WHERE {condition}"));
        let of_nodes = found("(a)-[r:R]->(b)", &format!("WITH * WHERE {condition}"), "");
        assert_eq!(rows(&graph, &begun), rows(&graph, &of_nodes), "{begun}");
        assert!(rows(&graph, &begun) != rows(&graph, "RETURN 0 AS a, 0 AS b, 0 AS c"));
    }
    for (text, operator) in [
        (
            found("()-[r:R]->(a)", "WHERE r.v = 1", ""),
            "RelationshipScan",
        ),
        (
            found("(a)-[r:S]->()", "WHERE r.v = 1", ""),
            "RelationshipSeek",
        ),
        (
            found("(a)-[r:S]-()", &format!("WHERE {of_id}"), ""),
            "RelationshipById",
        ),
        (
            "MATCH ()-[r:R]->() WHERE r.v = 1 RETURN count(*)".into(),
            "RelationshipScan [r:R]",
        ),
    ] {
        let query = evergraph_interpreter::Query::prepare(&graph, &text).expect("a query");
        assert!(query.plan().contains(operator), "{text}\n{}", query.plan());
    }
}

/// Those that a transaction made and deleted, and patterns whose relationships differ.
#[test]
fn relationships_by_themselves_are_those_of_now() {
    let graph = related();
    let query = "MATCH (a:N {i: 0}), (b:N {i: 9}) CREATE (a)-[:R {v: 77}]->(b), \
                 (a)-[:R {v: 77}]->(b) WITH a MATCH (a)-[o:R {v: 1}]->() DELETE o \
                 WITH DISTINCT 1 AS one MATCH (x)-[r:R]->() WHERE r.v IN [1, 77] \
                 RETURN r.v AS v, count(*) AS count ORDER BY v";
    let left = rows(&graph, query);
    let other = "MATCH (x)-[r:R]->() WITH r WHERE r.v IN [1, 77] \
                 RETURN r.v AS v, count(*) AS count ORDER BY v";
    assert_eq!(left, rows(&graph, other));
    let pair = "MATCH ()-[r:R {v: 77}]->(), ()-[s:R {v: 77}]->() RETURN count(*)";
    assert_eq!(value(&graph, pair), value_of(&graph, "RETURN 2"));
    let apart = "MATCH ()-[r:R {v: 77}]->() MATCH ()-[s:R {v: 77}]->() RETURN count(*)";
    assert_eq!(value(&graph, apart), value_of(&graph, "RETURN 4"));
    let none = "OPTIONAL MATCH ()-[r:R {v: 78}]->(b) RETURN r, b";
    assert_eq!(
        rows(&graph, none),
        rows(&graph, "RETURN null AS r, null AS b")
    );
}

/// Of a loop both ends are one node, also where nothing reads it.
#[test]
fn loops_by_themselves_are_loops() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (a:N)-[:R {w: 1}]->(b:N), (a)-[:R {w: 1}]->(a), (b)-[:R {w: 2}]->(b)",
    );
    for (pattern, count) in [
        ("(n)-[r:R {w: 1}]->(n)", 1),
        ("(n)<-[r:R {w: 1}]-(n)", 1),
        ("(n)-[r:R {w: 1}]-(n)", 1),
        ("()-[r:R {w: 1}]->()", 2),
    ] {
        let text = format!("MATCH {pattern} RETURN count(r) AS c");
        assert_eq!(value(&graph, &text), count.into(), "{pattern}");
    }
}

#[test]
fn ends_of_known_relationships_are_as_the_pattern_says() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (a:N)-[:R]->(b:N), (a)-[:R]->(a), (b)-[:S]->(b)",
    );
    for (pattern, count) in [
        ("(x)-[r]->(y)", 3),
        ("(x)<-[r]-(y)", 3),
        // A loop is the same from either end.
        ("(x)-[r]-(y)", 4),
        ("(x)-[r]->(x)", 2),
        ("(x)-[r:R]-(x)", 1),
        // One relationship is not two of a pattern.
        ("(x)-[r]->(y), (u)-[q]->(v)", 0),
        ("(x)-[r]->(y) MATCH (u)-[q]->(v)", 3),
    ] {
        let text = format!("MATCH ()-[r]->() WITH r, r AS q MATCH {pattern} RETURN count(*) AS c");
        assert_eq!(value(&graph, &text), count.into(), "{pattern}");
    }
}

/// Null has no id that could be less or greater, and of several bounds each counts.
#[test]
fn ids_compare_as_properties_in_their_order_do() {
    let graph = graph();
    rows(&graph, "UNWIND range(0, 29) AS k CREATE (:N {k: k})");
    rows(
        &graph,
        "MATCH (a:N), (b:N) WHERE (a.k * 7 + b.k * 3) % 5 < 2 CREATE (a)-[:R]->(b) \
         WITH a, b WHERE a.k % 10 = 0 AND b.k > 20 CREATE (a)-[:X]->(b)",
    );
    let optional = "MATCH (a:N) OPTIONAL MATCH (a)-[:X]->(n) WITH a, n";
    let pairs = "MATCH (a:N)-[:R]->(b:N)";
    let between = "MATCH (a)-[:R]->(c)<-[:R]-(b)";
    for condition in ["# < @", "# <= @", "# > @", "# >= @"] {
        let compared = |one: &str, other: &str| {
            let left = condition.replace('#', one);
            left.replace('@', other)
        };
        let texts = |property: bool| {
            let of = |node: &str| match property {
                true => format!("{node}.k"),
                false => format!("id({node})"),
            };
            let [a, b, c, n] = ["a", "b", "c", "n"].map(of);
            [
                format!("{optional} WHERE {} RETURN count(*) AS c", compared(&a, &n)),
                format!(
                    "{optional} MATCH (a)-[:R]->(b:N) WITH a, b, n {between} WHERE {} \
                     RETURN count(*) AS c",
                    compared(&c, &n)
                ),
                format!(
                    "{pairs} WITH a, b {between} WHERE {} AND {} RETURN count(*) AS c",
                    compared(&c, &a),
                    compared(&c, &b)
                ),
                format!(
                    "{pairs} WITH a, b {between} WHERE {} AND {} RETURN count(*) AS c",
                    compared(&c, &b),
                    compared(&c, &a)
                ),
            ]
        };
        for (by_id, by_key) in texts(false).iter().zip(&texts(true)) {
            assert_eq!(value(&graph, by_id), value(&graph, by_key), "{by_id}");
        }
        for text in &texts(false)[1..] {
            let query = evergraph_interpreter::Query::prepare(&graph, text).expect("a query");
            assert!(query.plan().contains("Intersect"), "{}", query.plan());
        }
    }
}

/// The key of a join is not computed where nothing can equal it.
#[test]
fn a_join_with_nothing_does_not_fail() {
    let graph = graph();
    rows(&graph, "CREATE (:A {x: 0}), (:A {x: 0}), (:B {x: 1, y: 1})");
    let text = |y: i64| {
        format!(
            "MATCH (a:A) WITH a MATCH (b:B {{y: {y}}}) WHERE b.x = 1 / a.x RETURN count(*) AS c"
        )
    };
    assert_eq!(value(&graph, &text(2)), 0.into());
    assert!(attempt(&graph, &text(1)).is_err());
}

/// A hub has more relationships than several batches have rows.
#[test]
fn all_relationships_of_a_hub_are_found() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (h:Hub) WITH h UNWIND range(1, 10001) AS i CREATE (h)-[:R {i: i}]->(:Leaf {i: i})",
    );
    let text = "MATCH (h:Hub)-[r:R]->(n) WHERE n.i = r.i RETURN sum(n.i) AS c";
    assert_eq!(value(&graph, text), (10001i64 * 10002 / 2).into());
}

#[test]
fn ties_and_nulls_are_among_the_first_rows_of_an_order() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 9999) AS k CREATE (n:N {k: k, half: k / 10000 + 0.5, text: 'same'}) \
         SET n.x = CASE WHEN k < 9990 THEN k ELSE null END",
    );
    for key in ["n.half", "n.text", "n.half DESC", "n.text DESC"] {
        let text = format!(
            "MATCH (n:N) WITH n ORDER BY {key}, n.k DESC LIMIT 3 RETURN collect(n.k) = \
             [9999, 9998, 9997] AS c"
        );
        assert_eq!(value(&graph, &text), true.into(), "{key}");
    }
    // Null comes behind all others, so that it is the first of all in descending order.
    let text = "MATCH (n:N) WITH n ORDER BY n.x DESC, n.k DESC LIMIT 12 \
                RETURN [k IN collect(n.k) | 9999 - k] = range(0, 11) AS c";
    assert_eq!(value(&graph, text), true.into());
}
