//! Ends of bad statements: a named error, or a bound that holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use evergraph_interpreter::{
    Cancellation, Datum, Limits, Options, Parameters, Procedures, Query, QueryError,
};
use evergraph_property_graph::graph::PropertyGraph;
use evergraph_syntax::scope::{Signature, Type};

use crate::{attempt, graph, rows, value};

/// Rows that pass an operator between two looks at the limits, at most: a batch, and the
/// steps between looks, in each of the operators of a small plan.
const BOUND: u64 = 5 * 4096;

fn with(graph: &PropertyGraph, limits: Limits, text: &str) -> Result<usize, QueryError> {
    let options = Options {
        limits,
        ..Options::default()
    };
    let query = Query::prepare_with(graph, text, options)?;
    Ok(query.execute(graph, &Parameters::new())?.count())
}

/// The class and the detail of an error.
fn ends_with(graph: &PropertyGraph, text: &str) -> String {
    match attempt(graph, text) {
        Ok(rows) => format!("{} rows", rows.len()),
        Err(error) => format!("{} {}", error.class(), error.detail()),
    }
}

#[test]
fn ranges_are_not_made_to_be_unwound() {
    let graph = graph();
    let text = "UNWIND range(1, 1000000000000) AS x RETURN x LIMIT 3";
    assert_eq!(
        rows(&graph, text),
        [[1i64], [2], [3]].map(|row| row.map(Datum::from).to_vec())
    );
    let backward = "UNWIND range(9223372036854775807, -9223372036854775808, -3) AS x \
                    RETURN x SKIP 1 LIMIT 1";
    assert_eq!(value(&graph, backward), (i64::MAX - 3).into());
    for (text, expected) in [
        ("UNWIND range(5, 1) AS x RETURN count(x)", 0i64),
        ("UNWIND range(1, 1) AS x RETURN count(x)", 1),
        ("UNWIND range(5, 1, -2) AS x RETURN count(x)", 3),
        ("UNWIND range(1, null) AS x RETURN count(x)", 0),
        (
            "UNWIND range(9223372036854775806, 9223372036854775807) AS x RETURN count(x)",
            2,
        ),
    ] {
        assert_eq!(value(&graph, text), expected.into(), "{text}");
        // As of the list.
        let listed = text
            .replace("UNWIND range", "WITH range")
            .replace(" AS x", " AS l UNWIND l AS x");
        assert_eq!(value(&graph, &listed), expected.into(), "{listed}");
    }
    let stopped = with(
        &graph,
        Limits {
            timeout: Some(Duration::from_millis(1)),
            ..Limits::default()
        },
        "UNWIND range(1, 1000000000000) AS x RETURN count(x)",
    );
    assert!(
        matches!(stopped, Err(QueryError::Timeout(_))),
        "{stopped:?}"
    );
    let error = attempt(&graph, "RETURN range(1, 1000000000000) AS l").expect_err("too long");
    let (class, detail) = (error.class(), error.detail());
    assert_eq!((&*class, &*detail), ("ResourceError", "TooLarge"));
    assert!(
        error
            .to_string()
            .contains("1000000000000 elements; at most"),
        "{error}"
    );
}

#[test]
fn bad_values_are_errors_by_name() {
    let graph = graph();
    rows(&graph, "CREATE (:N {v: 1})");
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("RETURN 1 / 0", "ArithmeticError DivisionByZero"),
        ("RETURN 1 % 0", "ArithmeticError DivisionByZero"),
        ("RETURN 1.0 / 0", "1 rows"),
        (
            "RETURN 9223372036854775807 + 1",
            "ArithmeticError IntegerOverflow",
        ),
        (
            "RETURN -9223372036854775808 - 1",
            "ArithmeticError IntegerOverflow",
        ),
        (
            "RETURN 4611686018427387904 * 2",
            "ArithmeticError IntegerOverflow",
        ),
        ("RETURN 9223372036854775808", "SyntaxError IntegerOverflow"),
        ("RETURN 1e999", "SyntaxError FloatingPointOverflow"),
        (
            "UNWIND ['9223372036854775808'] AS x RETURN toInteger(x)",
            "ArithmeticError IntegerOverflow",
        ),
        ("RETURN date('2023-02-29')", "ArgumentError InvalidText"),
        ("RETURN date('tomorrow')", "ArgumentError InvalidText"),
        (
            "RETURN date({year: 2023, month: 13})",
            "ArgumentError NumberOutOfRange",
        ),
        (
            "RETURN datetime('2023-01-01T25:00')",
            "ArgumentError InvalidText",
        ),
        ("RETURN duration('P1X')", "ArgumentError InvalidText"),
        (
            "RETURN date('9999-12-31') + duration({years: 1000000000})",
            "ArgumentError NumberOutOfRange",
        ),
        ("RETURN $missing", "ParameterMissing MissingParameter"),
        (
            "MATCH (n:N) WHERE n.v = $missing RETURN n",
            "ParameterMissing MissingParameter",
        ),
        ("RETURN 'a' =~ '('", "ArgumentError InvalidText"),
        (
            "RETURN 'a' =~ '((((a{1,1000}){1,1000}){1,1000}){1,1000})'",
            "ArgumentError InvalidText",
        ),
        (
            "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '((a+)+)+'",
            "1 rows",
        ),
        (
            "RETURN reduce(s = 'ab', x IN range(1, 60) | s + s)",
            "ResourceError TooLarge",
        ),
        (
            "RETURN reduce(l = [1], x IN range(1, 60) | l + l)",
            "ResourceError TooLarge",
        ),
        (
            "RETURN reduce(l = [], x IN range(1, 1000000) | [l])",
            "ResourceError TooDeep",
        ),
        (
            "RETURN reduce(l = {}, x IN range(1, 1000000) | {a: l})",
            "ResourceError TooDeep",
        ),
        ("RETURN replace('aaaaaaaa', 'a', 'b')", "1 rows"),
        (
            "MATCH (n:N) RETURN n ORDER BY n.v SKIP -1",
            "SyntaxError NegativeIntegerArgument",
        ),
        (
            "UNWIND [1] AS x RETURN toInteger([x])",
            "SyntaxError InvalidArgumentType",
        ),
    ] {
        let ended = ends_with(&graph, text);
        if ended != expected {
            wrong.push(format!("{text}: {ended}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let growing = format!(
        "RETURN {}",
        "replace(".repeat(40) + "'ab'" + &", 'a', 'aaaaaaaaaaaaaaaa')".repeat(40)
    );
    assert_eq!(ends_with(&graph, &growing), "ResourceError TooLarge");
}

#[test]
fn long_and_deep_texts_end_by_name() {
    // Code that is not optimized has frames too large for the stack of a test.
    let thread = std::thread::Builder::new().stack_size(16 << 20);
    let thread = thread.spawn(end_long_and_deep_texts).expect("a thread");
    thread.join().expect("no panic");
}

fn end_long_and_deep_texts() {
    let graph = graph();
    let deep = format!("RETURN {}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(ends_with(&graph, &deep), "SyntaxError LimitExceeded");
    let lists = format!("RETURN {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(ends_with(&graph, &lists), "SyntaxError LimitExceeded");
    let unions = vec!["RETURN 1 AS a"; 100_000];
    assert_eq!(ends_with(&graph, &unions.join(" UNION ")), "1 rows");
    assert_eq!(
        ends_with(&graph, &unions.join(" UNION ALL ")),
        "100000 rows"
    );
    let text = "x".repeat(1 << 20);
    let size = value(&graph, &format!("RETURN size('{text}')"));
    assert_eq!(size, (1i64 << 20).into());
    assert_eq!(ends_with(&graph, &text), "SyntaxError UnexpectedSyntax");
    let clauses = "WITH 1 AS x ".repeat(100_000) + "RETURN x";
    assert_eq!(ends_with(&graph, &clauses), "SyntaxError LimitExceeded");
}

/// Each statement with the part of it that would hold too much.
#[test]
fn memory_ends_what_holds_too_much() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 2000) AS x CREATE (:N {x: x})");
    rows(
        &graph,
        "UNWIND range(0, 11) AS x UNWIND range(0, 11) AS y WITH x, y WHERE x < y \
         MERGE (a:K {k: x}) MERGE (b:K {k: y}) CREATE (a)-[:R]->(b)",
    );
    for (text, part) in [
        ("MATCH (a:N), (b:N) RETURN a.x, b.x", "its result"),
        (
            "MATCH (a:N), (b:N) RETURN a.x AS x ORDER BY x, b.x",
            "ORDER BY",
        ),
        (
            "MATCH (a:N), (b:N) WITH DISTINCT a.x AS x, b.x AS y RETURN count(*)",
            "DISTINCT",
        ),
        ("MATCH (a:N), (b:N) RETURN a.x, b.x, count(*)", "groups"),
        (
            "MATCH (a:N), (b:N) WITH collect(b.x) AS l RETURN size(l)",
            "groups",
        ),
        (
            "RETURN [x IN range(1, 10000) | range(x, x + 10000)]",
            "a list",
        ),
        ("RETURN COLLECT { MATCH (a:N), (b:N) RETURN a.x }", "a list"),
        (
            "MATCH p = SHORTEST 1000000 (a:K {k: 0})-[:R]-{2,}(b:K {k: 11}) RETURN count(p)",
            "paths that are being searched",
        ),
        (
            "MATCH (a:N), (b:N) CREATE (:M {x: a.x})",
            "rows between reading and writing",
        ),
    ] {
        let limits = Limits {
            memory: 1 << 20,
            ..Limits::default()
        };
        let ended = with(&graph, limits, text);
        let Err(QueryError::Memory { limit, what }) = &ended else {
            panic!("{text}: {ended:?}");
        };
        assert_eq!(*limit, 1 << 20);
        // Vectors that are read may reach the limit first.
        let is_part = part == *what || part == "groups" || *what == "what it reads";
        assert!(is_part, "{text}: {what}, not {part}");
    }
    assert_eq!(value(&graph, "MATCH (m:M) RETURN count(*)"), 0i64.into());
}

/// A procedure that counts its calls, and at the thousandth does something.
fn ticking(count: &Arc<AtomicU64>, at_thousand: impl Fn() + Send + Sync + 'static) -> Procedures {
    let count = Arc::clone(count);
    let mut procedures = Procedures::new();
    let signature = Signature {
        inputs: vec![("x".to_string(), Type::Any)],
        outputs: vec![("y".to_string(), Type::Any)],
        ..Signature::default()
    };
    procedures.register(
        "test.tick",
        "Counts its calls.",
        signature,
        move |_, arguments| {
            if count.fetch_add(1, Ordering::Relaxed) == 1000 {
                at_thousand();
            }
            Ok(vec![arguments.to_vec()])
        },
    );
    procedures
}

const ENDLESS: [&str; 5] = [
    "UNWIND range(1, 1000000000000) AS x CALL test.tick(x) YIELD y RETURN count(y)",
    "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS z CALL test.tick(z) YIELD y \
     RETURN sum(y)",
    "MATCH (a:K), (b:K), (c:K), (d:K), (e:K), (f:K) CALL test.tick(a) YIELD y RETURN count(y)",
    "MATCH p = (a:K)-[:R*]-(b:K) CALL test.tick(a) YIELD y RETURN count(y)",
    "MATCH p = (a:K)((k)-[:R]-(l)-[:R]-(m))+(b:K) CALL test.tick(a) YIELD y RETURN count(y)",
];

fn complete() -> PropertyGraph {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 11) AS x UNWIND range(0, 11) AS y WITH x, y WHERE x < y \
         MERGE (a:K {k: x}) MERGE (b:K {k: y}) CREATE (a)-[:R]->(b)",
    );
    graph
}

fn ended_after(graph: &PropertyGraph, options: Options, text: &str) -> QueryError {
    let query = Query::prepare_with(graph, text, options).expect("a query");
    match query.execute(graph, &Parameters::new()) {
        Err(error) => error,
        Ok(_) => panic!("{text} ended by itself"),
    }
}

/// Cancelled by another thread at its thousandth row, a query does not go on for more rows
/// than there are between two looks.
#[test]
fn a_query_ends_soon_after_it_is_cancelled() {
    let graph = complete();
    for text in ENDLESS {
        let (ask, asked) = sync_channel::<()>(0);
        let (answer, answered) = sync_channel::<()>(0);
        let cancellation = Cancellation::new();
        let other = std::thread::spawn({
            let cancellation = cancellation.clone();
            move || {
                asked.recv().expect("the query runs");
                cancellation.cancel();
                answer.send(()).expect("the query waits");
            }
        });
        let count = Arc::new(AtomicU64::new(0));
        let answered = std::sync::Mutex::new(answered);
        let procedures = ticking(&count, move || {
            ask.send(()).expect("the other thread waits");
            let answered = answered.lock().expect("one query");
            answered.recv().expect("the other thread answers");
        });
        let limits = Limits {
            cancellation,
            ..Limits::default()
        };
        let options = Options {
            procedures,
            limits,
            parameters: None,
            ..Options::default()
        };
        let error = ended_after(&graph, options, text);
        assert!(matches!(error, QueryError::Cancelled), "{text}: {error}");
        other.join().expect("no panic");
        let count = count.load(Ordering::Relaxed);
        assert!(count <= 1000 + BOUND, "{text}: {count}");
    }
}

/// Past its moment at the thousandth row, the same.
#[test]
fn a_query_ends_soon_after_its_moment() {
    let graph = complete();
    for text in ENDLESS {
        let timeout = Duration::from_millis(20);
        let begin = Instant::now();
        let count = Arc::new(AtomicU64::new(0));
        let procedures = ticking(&count, move || while begin.elapsed() < 4 * timeout {});
        let limits = Limits {
            timeout: Some(timeout),
            ..Limits::default()
        };
        let options = Options {
            procedures,
            limits,
            parameters: None,
            ..Options::default()
        };
        let error = ended_after(&graph, options, text);
        assert!(matches!(error, QueryError::Timeout(_)), "{text}: {error}");
        let count = count.load(Ordering::Relaxed);
        assert!(count <= 1000 + BOUND, "{text}: {count}");
    }
}

/// Loops within one expression look at the limits, too.
#[test]
fn expressions_look_at_the_limits() {
    let graph = graph();
    for text in [
        "RETURN reduce(s = 0, x IN range(1, 1000000) | reduce(t = s, y IN range(1, 1000000) | t))",
        "RETURN all(x IN range(1, 1000000) WHERE all(y IN range(1, 1000000) WHERE x + y > 0))",
        "RETURN size([x IN range(1, 1000000) WHERE none(y IN range(1, 1000000) WHERE x = -y)])",
    ] {
        let limits = Limits {
            timeout: Some(Duration::from_millis(1)),
            ..Limits::default()
        };
        let ended = with(&graph, limits, text);
        assert!(
            matches!(ended, Err(QueryError::Timeout(_))),
            "{text}: {ended:?}"
        );
    }
}

/// A statement that fails leaves its transaction as it was, and the transaction goes on.
#[test]
fn a_failing_statement_leaves_its_transaction() {
    let graph = graph();
    rows(&graph, "CREATE (:N {v: 1})");
    let mut transaction = graph.begin();
    let mut run = |text: &str, limits: Limits| -> Result<usize, QueryError> {
        let options = Options {
            limits,
            ..Options::default()
        };
        let query = Query::prepare_with(&graph, text, options)?;
        Ok(query.run(&mut transaction, &Parameters::new())?.count())
    };
    run("CREATE (:Kept)", Limits::default()).expect("it is written");
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let writes = "CREATE (:Lost) WITH 1 AS one MATCH (n:N) SET n.v = 2 WITH n ";
    let failing = [
        ("UNWIND [1, 0] AS x SET n.w = 1 / x", Limits::default()),
        ("SET n.w = $missing", Limits::default()),
        ("SET n.w = date('x')", Limits::default()),
        ("DELETE n WITH n SET n.v = 3", Limits::default()),
        (
            "UNWIND range(1, 1000000) AS x RETURN collect([x, n])",
            Limits {
                memory: 1 << 16,
                ..Limits::default()
            },
        ),
        (
            "UNWIND range(1, 1000000000000) AS x RETURN count(x)",
            Limits {
                timeout: Some(Duration::from_millis(1)),
                ..Limits::default()
            },
        ),
        (
            "RETURN n",
            Limits {
                cancellation,
                ..Limits::default()
            },
        ),
        ("RETRUN n", Limits::default()),
    ];
    for (text, limits) in failing {
        let text = format!("{writes}{text}");
        let ended = run(&text, limits);
        assert!(ended.is_err(), "{text}");
        let found = "MATCH (n) RETURN n.v AS v, labels(n) AS labels";
        assert_eq!(
            run(found, Limits::default()).expect("it goes on"),
            2,
            "{text}"
        );
        let left = "MATCH (n:N) WHERE n.v = 1 AND n.w IS NULL RETURN n";
        assert_eq!(
            run(left, Limits::default()).expect("it goes on"),
            1,
            "{text}"
        );
    }
    run("MATCH (k:Kept) SET k.done = true", Limits::default()).expect("it is written");
    transaction.commit().expect("it is committed");
    assert_eq!(value(&graph, "MATCH (k:Kept) RETURN k.done"), true.into());
    assert_eq!(value(&graph, "MATCH (n:N) RETURN n.v"), 1i64.into());
    assert_eq!(value(&graph, "MATCH (l:Lost) RETURN count(*)"), 0i64.into());
}

#[test]
fn patterns_of_thousands_of_relationships_run_or_are_refused() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(1, 3) AS x CREATE (:N {x: x})-[:R]->(:N)",
    );
    let chain = |relationships: usize| {
        let steps = (1..=relationships).map(|next| format!("-[:R]->(n{next})"));
        format!("MATCH (n0){} RETURN count(*)", steps.collect::<String>())
    };
    assert_eq!(ends_with(&graph, &chain(900)), "1 rows");
    let refused = ends_with(&graph, &chain(5_000));
    assert_eq!(refused, "SyntaxError LimitExceeded");
}

/// Long values of a batch count while they are made; where that is too much, rows are
/// computed one by one.
#[test]
fn long_values_count_within_a_batch() {
    const ROWS: usize = 4000;
    let graph = graph();
    let (long, list) = ("ab".repeat(8192), "range(1, 1000)");
    for expression in [
        "range(x, 1000 + x)".to_string(),
        format!("replace('{long}', 'a', toString(x))"),
        format!("substring('{long}', x)"),
        format!("'{long}' + toString(x)"),
        format!("toString(x) || '{long}'"),
        format!("{list} + x"),
        format!("{list}[x % 5..]"),
        "reduce(s = toString(x), y IN range(1, 12) | s + s)".to_string(),
        format!("[y IN {list} | x + y]"),
    ] {
        let text = format!("UNWIND range(1, {ROWS}) AS x RETURN size({expression}) AS size");
        let query = Query::prepare(&graph, &format!("PROFILE {text}")).expect("a query");
        let rows = query.execute(&graph, &Parameters::new()).expect("it runs");
        let most = rows.summary().profile.as_ref().expect("a profile").memory;
        assert!(most > ROWS as u64 * 4096, "{expression:.40}: {most}");
        let limits = Limits {
            memory: 1 << 20,
            ..Limits::default()
        };
        let ended = with(&graph, limits, &text);
        assert!(matches!(ended, Ok(ROWS)), "{expression:.40}: {ended:?}");
    }
}
