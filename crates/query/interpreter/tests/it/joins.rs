//! Fast ways against plain ones.

use evergraph_property_graph::graph::{Definition, Rule};

use crate::{graph, rows, value, value as value_of};

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
