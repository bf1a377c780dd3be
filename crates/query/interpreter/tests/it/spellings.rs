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
fn what_has_no_meaning_is_refused() {
    let graph = people();
    for (text, message) in [
        (
            "RETURN 1 AS x UNION RETURN 2 AS x NEXT RETURN x",
            "NEXT and UNION",
        ),
        (
            "RETURN 1 AS x NEXT RETURN x UNION RETURN 2 AS x",
            "NEXT and UNION",
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
