//! Bounds of time, memory and depth.

use std::time::Duration;

use evergraph_interpreter::{Cancellation, Limits, Parameters, Query, QueryError};

use crate::{attempt, graph, rows, value, within};

fn with(limits: Limits, text: &str) -> Result<usize, QueryError> {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 3000) AS x CREATE (:N {x: x})");
    let query = within(&graph, text, limits)?;
    Ok(query.execute(&graph, &Parameters::new())?.count())
}

const PRODUCT: &str = "MATCH (a:N), (b:N), (c:N), (d:N) RETURN count(*)";

#[test]
fn a_query_is_cancelled() {
    let cancellation = Cancellation::new();
    let limits = Limits {
        cancellation: cancellation.clone(),
        ..Limits::default()
    };
    cancellation.cancel();
    assert!(matches!(with(limits, PRODUCT), Err(QueryError::Cancelled)));
}

#[test]
fn a_query_ends_at_its_timeout() {
    let limits = Limits {
        timeout: Some(Duration::from_millis(20)),
        ..Limits::default()
    };
    assert!(matches!(with(limits, PRODUCT), Err(QueryError::Timeout(_))));
}

/// Most of these would take days.
#[test]
fn nothing_goes_on_without_looking_at_the_clock() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(1, 3000) AS x CREATE (:N {x: x}) WITH x WHERE x <= 20 CREATE (:K {x: x})",
    );
    rows(
        &graph,
        "MATCH (a:K), (b:K) WHERE a.x < b.x CREATE (a)-[:R]->(b)",
    );
    let terms: Vec<String> = (0..20_000).map(|x| format!("n.x = -{x}.5")).collect();
    for text in [
        PRODUCT,
        &format!("MATCH (n:N) WHERE {} RETURN n", terms.join(" OR ")),
        "MATCH (a:N), (b:N), (c:N) WHERE a.x + b.x + c.x < 0 RETURN a",
        "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*)",
        "MATCH (a:K)-[*]-(b:K) RETURN count(*)",
        "MATCH p = (a:K)-[*]-(b:K) WHERE length(p) < 0 RETURN p",
        "MATCH (a:K {x: 1}) MATCH (a)-[:R*1..20]-(b) RETURN DISTINCT b",
        "RETURN reduce(s = 0, x IN range(1, 100000) | \
         reduce(t = s, y IN range(1, 100000) | (t + y) % 7))",
        "RETURN size([x IN range(1, 100000) WHERE any(y IN range(1, 100000) WHERE x + y < 0)])",
        "RETURN all(x IN range(1, 1000000) WHERE none(y IN range(1, 1000000) WHERE x = -y))",
        "UNWIND range(1, 1000000) AS x WITH x WHERE size(reverse(range(1, 100000))) = x RETURN x",
        "UNWIND range(1, 1000000) AS x RETURN sum(size([y IN range(1, 10000) | y + x]))",
        "MATCH (n:N) WHERE COUNT { MATCH (a:N), (b:N), (c:N) WHERE a.x + b.x + c.x > 9000 } < 0 RETURN n",
        "MATCH (n:N) WHERE NOT EXISTS { MATCH (a:N), (b:N), (c:N) WHERE a.x + b.x + c.x > 9000 } RETURN n",
        "UNWIND range(1, 1000000) AS x \
         WITH x, reduce(s = 'ab', i IN range(1, 12) | s + s) AS t \
         WHERE t =~ '(a|b|ab)*c' RETURN x",
        "UNWIND range(1, 1000000) AS x CALL { UNWIND range(1, 1000000) AS y RETURN y } \
         WITH y WHERE y < 0 RETURN y",
    ] {
        let limits = Limits {
            timeout: Some(Duration::from_millis(20)),
            ..Limits::default()
        };
        let query = Query::prepare(&graph, text)
            .expect(text)
            .with_limits(limits);
        let ended = query.execute(&graph, &Parameters::new());
        let ended = ended.map(Iterator::count);
        assert!(
            matches!(ended, Err(QueryError::Timeout(_))),
            "{text}: {ended:?}"
        );
    }
}

#[test]
fn a_query_that_is_cancelled_is_not_planned() {
    let cancellation = Cancellation::new();
    let limits = Limits {
        cancellation: cancellation.clone(),
        ..Limits::default()
    };
    let prepared = || within(&graph(), PRODUCT, limits.clone()).map(drop);
    assert!(prepared().is_ok());
    cancellation.cancel();
    assert!(matches!(prepared(), Err(QueryError::Cancelled)));
}

/// Another thread cancels what runs: the query tells that it has begun by asking.
#[test]
fn another_thread_cancels() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 3000) AS x CREATE (:N {x: x})");
    let above = Cancellation::new();
    let limits = Limits {
        cancellation: above.child(),
        ..Limits::default()
    };
    let text = "MATCH (a:N), (b:N), (c:N) RETURN a";
    let query = within(&graph, text, limits).expect("a query");
    let (begun, begins) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let above = &above;
        scope.spawn(move || {
            begins.recv().expect("it begins");
            above.cancel();
        });
        let ended = query.read_each(&graph.view(), &Parameters::new(), &mut |_| {
            let _ = begun.send(());
            std::ops::ControlFlow::Continue(())
        });
        assert!(matches!(ended, Err(QueryError::Cancelled)), "{ended:?}");
    });
}

#[test]
fn a_query_keeps_to_its_memory() {
    for text in [
        "RETURN [x IN range(1, 1000) | range(1, 10000)] AS l",
        "RETURN COLLECT { MATCH (a:N), (b:N) RETURN a } AS l",
        "UNWIND range(0, 99) AS x RETURN CASE x WHEN 0 THEN 0 ELSE range(x, 3000) END AS l",
        "MATCH (a:N) RETURN a.x AS x, range(a.x, a.x + 1000) AS l ORDER BY x",
        "MATCH (a:N), (b:N) RETURN a.x AS x, b.x AS y ORDER BY x",
        "MATCH (a:N), (b:N) RETURN collect(a.x * b.x)",
        "MATCH (a:N), (b:N) RETURN DISTINCT a.x, b.x",
        "MATCH (a:N), (b:N) RETURN a, b",
    ] {
        let limits = Limits {
            memory: 1 << 20,
            ..Limits::default()
        };
        let ended = with(limits, text);
        assert!(
            matches!(ended, Err(QueryError::Memory { .. })),
            "{text}: {ended:?}"
        );
    }
    let limits = Limits {
        memory: 1 << 20,
        ..Limits::default()
    };
    let text = "MATCH (a:N), (b:N) WHERE a.x < 100 RETURN a.x AS x, b.x AS y ORDER BY x LIMIT 5";
    assert_eq!(with(limits, text).expect("few rows are held"), 5);
}

/// With their lists they would take three times as much; those of a batch are made.
#[test]
fn an_order_holds_what_is_wanted_of_its_rows() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 20000) AS i CREATE (:W {i: i})");
    let body = "MATCH (w:W) WITH w.i AS i, [x IN range(1, 100) | w.i + x] AS long \
                WITH i, long[0] AS first";
    for order in ["ORDER BY first DESC", "ORDER BY first DESC LIMIT 19999"] {
        let limits = Limits {
            memory: 20 << 20,
            ..Limits::default()
        };
        let text = format!("{body} {order} RETURN i");
        let query = within(&graph, &text, limits).expect(&text);
        let found = query.execute(&graph, &Parameters::new()).expect(&text);
        let expected: Vec<_> = (1..=20000).rev().map(|i| vec![i64::into(i)]).collect();
        let found: Vec<_> = found.collect();
        assert_eq!(found, expected[..found.len()], "{order}");
        assert!(found.len() >= 19_999, "{order}");
    }
}

#[test]
fn what_is_deep_or_long_is_refused_or_runs() {
    let graph = graph();
    let deep = "WITH 1 AS x ".repeat(900) + "RETURN x";
    assert_eq!(value(&graph, &deep), 1i64.into());
    let deeper = "WITH 1 AS x ".repeat(5000) + "RETURN x";
    assert!(attempt(&graph, &deeper).is_err());
    let long = vec!["1"; 100_000].join(" + ");
    assert_eq!(value(&graph, &format!("RETURN {long}")), 100_000i64.into());
    let many = vec!["RETURN 1 AS x"; 10_000].join(" UNION ");
    assert_eq!(value(&graph, &many), 1i64.into());
    rows(&graph, &"CREATE (:N) ".repeat(900));
    assert_eq!(value(&graph, "MATCH (n:N) RETURN count(*)"), 900i64.into());
    assert!(attempt(&graph, "RETURN range(1, 1000000000000)").is_err());
    assert!(attempt(&graph, "RETURN reduce(s = 'a', x IN range(1, 100) | s + s)").is_err());
}

/// Each of these would take gigabytes if it were there for each row.
#[test]
fn what_rows_share_and_what_nothing_reads_is_not_held_for_each() {
    let graph = graph();
    rows(&graph, "CREATE (:L {l: range(1, 20000)})");
    rows(
        &graph,
        "UNWIND range(0, 3000) AS i CREATE (:C {i: i}) WITH count(*) AS c \
         MATCH (a:C) MATCH (b:C {i: a.i + 1}) CREATE (a)-[:NEXT]->(b)",
    );
    for (text, expected) in [
        (
            "MATCH (n:L) UNWIND range(0, size(n.l) - 1) AS i RETURN sum(n.l[i])",
            200_010_000,
        ),
        ("MATCH (:C {i: 0})-[:NEXT*]->(b) RETURN count(b)", 3000),
        (
            "MATCH (:C {i: 0})-[r:NEXT*]->() RETURN sum(size(r))",
            4_501_500,
        ),
    ] {
        let limits = Limits {
            memory: 32 << 20,
            ..Limits::default()
        };
        let query = within(&graph, text, limits).expect(text);
        let found = query
            .execute(&graph, &Parameters::new())
            .expect(text)
            .next();
        assert_eq!(found, Some(vec![i64::into(expected)]), "{text}");
    }
}
