//! Many threads against one.

use evergraph_interpreter::{Datum, Limits, Parameters, QueryError};
use evergraph_property_graph::graph::PropertyGraph;

use crate::{graph, rows, within};

fn with_threads(
    graph: &PropertyGraph,
    threads: usize,
    text: &str,
) -> Result<Vec<Vec<Datum>>, QueryError> {
    let limits = Limits {
        threads,
        ..Limits::default()
    };
    let query = within(graph, text, limits)?;
    Ok(query.execute(graph, &Parameters::new())?.collect())
}

#[test]
fn many_threads_find_what_one_finds() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 9999) AS x CREATE (:N {x: x, y: x % 7})-[:R {w: x % 11}]->(:M {z: x % 3})",
    );
    for text in [
        "MATCH (n) RETURN count(*)",
        "MATCH (n:N) RETURN n.y AS y, count(*), sum(n.x), min(n.x), max(n.x) ORDER BY y",
        "MATCH (n:N)-[:R]->(m) WHERE n.x > 5000 RETURN m.z AS z, count(DISTINCT n.y) ORDER BY z",
        "MATCH (n:N) OPTIONAL MATCH (n)-->(m {z: 1}) RETURN count(n), count(m)",
        "MATCH (n:N) WHERE n.x > 20000 RETURN avg(n.x)",
        "MATCH (n)-[r:R]->(m) WHERE r.w > 4 RETURN m.z AS z, sum(n.x), sum(r.w) ORDER BY z",
        "MATCH (n:N), (o:N) WHERE n.x = o.x + 7 AND o.y = 1 RETURN n.x, o.x ORDER BY n.x",
        "UNWIND range(1, 5) AS k CALL (k) { MATCH (n:N) WHERE n.x % 100 < k \
            RETURN count(*) AS c, sum(n.y) AS s } RETURN k, c, s",
        "MATCH (o:N) WHERE o.x < 5 RETURN o.x AS x, COUNT { MATCH (n:N) WHERE n.x > o.x * 1000 \
            WITH n.y AS y, count(*) AS c WHERE c > 1000 RETURN y } AS c ORDER BY x",
    ] {
        let one = with_threads(&graph, 1, text).expect("rows");
        for threads in [2, 5] {
            assert_eq!(
                with_threads(&graph, threads, text).expect("rows"),
                one,
                "{text}"
            );
        }
    }
    let failed = with_threads(&graph, 3, "MATCH (n:N) RETURN sum(1 / (n.x - 6000))");
    assert_eq!(
        failed.expect_err("a division by zero").class(),
        "ArithmeticError"
    );
}
