//! Reading.

use evergraph_interpreter::{Datum, Options, Parameters, Procedures, Query};
use evergraph_syntax::scope::{Signature, Type};

use crate::{attempt, graph, rows, value};

#[test]
fn a_query_runs_many_times_with_other_parameters() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 5) AS x CREATE (:N {x: x})");
    let query = Query::prepare(
        &graph,
        "MATCH (n:N) WHERE n.x > $least RETURN count(*) AS c",
    );
    let query = query.expect("a query");
    assert_eq!(query.columns()[..], ["c"]);
    for (least, count) in [(0i64, 5i64), (3, 2), (9, 0)] {
        let parameters = Parameters::from([("least".to_string(), least.into())]);
        let found = query.read(&graph.view(), &parameters).expect("rows").next();
        assert_eq!(found, Some(vec![count.into()]));
    }
    let missing = query
        .read(&graph.view(), &Parameters::new())
        .expect_err("no parameter");
    assert_eq!(missing.class(), "ParameterMissing");
}

#[test]
fn shortest_paths_are_found() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (a:A), (b), (c), (d:D), (a)-[:T]->(b)-[:T]->(d), (a)-[:T]->(c)-[:T]->(d), \
         (a)-[:U]->(d)",
    );
    let one = "MATCH p = shortestPath((a:A)-[:T*]->(d:D)) RETURN length(p)";
    assert_eq!(value(&graph, one), 2i64.into());
    let all = "MATCH p = allShortestPaths((a:A)-[:T*]->(d:D)) RETURN count(p)";
    assert_eq!(value(&graph, all), 2i64.into());
    let any = "MATCH p = shortestPath((a:A)-[*]-(d:D)) RETURN length(p)";
    assert_eq!(value(&graph, any), 1i64.into());
    let none = "MATCH p = shortestPath((a:A)<-[*]-(d:D)) RETURN count(p)";
    assert_eq!(value(&graph, none), 0i64.into());
}

#[test]
fn subqueries_see_the_row_around_them() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(1, 3) AS x CREATE (n:N {x: x}) FOREACH (i IN range(1, x) | \
                  CREATE (n)-[:R]->(:M {i: i}))",
    );
    let text = "MATCH (n:N) CALL { WITH n MATCH (n)-->(m) RETURN sum(m.i) AS s } \
                RETURN s ORDER BY s";
    assert_eq!(
        rows(&graph, text),
        [[1i64.into()], [3i64.into()], [6i64.into()]] as [[Datum; 1]; 3]
    );
    let text = "MATCH (n:N) WHERE COUNT { (n)-->() } = n.x RETURN count(*)";
    assert_eq!(value(&graph, text), 3i64.into());
    let text = "MATCH (n:N) WHERE EXISTS { (n)-->(m) WHERE m.i = 3 } RETURN n.x";
    assert_eq!(value(&graph, text), 3i64.into());
}

#[test]
fn null_matches_no_node() {
    let graph = graph();
    rows(&graph, "CREATE (:A)-[:R]->(), (), (:C)");
    for (clauses, expected) in [
        ("OPTIONAL MATCH (a:Nope) MATCH (a)", 0i64),
        ("WITH null AS a MATCH (a)", 0),
        ("WITH null AS a MATCH p = (a)", 0),
        ("WITH null AS a MATCH (a), (b)", 0),
        ("WITH null AS a MATCH (b), (a) WHERE a.u IS NULL", 0),
        ("WITH null AS a MATCH (a)-[*0..1]->(b)", 0),
        ("WITH null AS a MATCH (a) (()-->()){0,1} (b)", 0),
        ("WITH null AS a OPTIONAL MATCH (a)", 1),
        ("WITH null AS a CALL (a) { MATCH (a) RETURN 1 AS x }", 0),
        ("WITH null AS a WITH a WHERE EXISTS { (a) }", 0),
        ("WITH null AS a WITH a WHERE COUNT { (a) } = 0", 1),
        (
            "MATCH (a:A) OPTIONAL MATCH (a)-[:Q]->(z) OPTIONAL MATCH (a)-->(q), (z) WITH q WHERE q IS NULL",
            1,
        ),
        ("MATCH (a) WITH a MATCH (a)", 4),
        ("MATCH (a) WITH a MATCH (a), (:C)", 4),
    ] {
        let text = format!("{clauses} RETURN count(*)");
        assert_eq!(value(&graph, &text), expected.into(), "{text}");
    }
}

#[test]
fn what_is_no_node_is_refused_where_a_node_should_be() {
    let graph = graph();
    rows(&graph, "CREATE (:A)-[:R]->(), (), (:C)");
    for (text, found) in [
        ("UNWIND [null, 1] AS a MATCH (a) RETURN a", "an INTEGER"),
        (
            "UNWIND [null, 'x'] AS a MATCH p = (a), (b) RETURN p",
            "a STRING",
        ),
        (
            "UNWIND [null, 1] AS a OPTIONAL MATCH (a) RETURN a",
            "an INTEGER",
        ),
        (
            "MATCH (b)-[r]->() UNWIND [b, r] AS a MATCH (a) RETURN a",
            "a RELATIONSHIP",
        ),
        (
            "UNWIND [null, 0.5] AS a RETURN EXISTS { (a) } AS e",
            "a FLOAT",
        ),
        (
            "WITH {n: true} AS m WITH m.n AS a MATCH (a) RETURN a",
            "a BOOLEAN",
        ),
    ] {
        let error = attempt(&graph, text).expect_err(text).to_string();
        let expected = format!("expected a NODE, found {found}");
        assert!(error.contains(&expected), "{text}: {error}");
    }
    let text = "MATCH (b:A) UNWIND [b, null] AS a MATCH (a) RETURN labels(a)[0]";
    assert_eq!(value(&graph, text), "A".into());
}

#[test]
fn paths_are_conditions_wherever_one_is_wanted() {
    let graph = graph();
    rows(&graph, "CREATE (:A {x: 1})-[:R]->(:B {x: 2})");
    let of_one = |condition: &str| {
        let text = format!("MATCH (n) WHERE {condition} RETURN n.x");
        assert_eq!(
            rows(&graph, &text),
            [[1i64.into()]] as [[Datum; 1]; 1],
            "{text}"
        );
        let text = format!("MATCH (n) RETURN sum(CASE WHEN {condition} THEN n.x ELSE 0 END)");
        assert_eq!(value(&graph, &text), 1i64.into(), "{text}");
    };
    of_one("exists((n)-->())");
    of_one("NOT exists((n)<--())");
    of_one("EXISTS((n)-[:R]->(:B))");
    of_one("(n)-->() OR false");
    let text = "MATCH (n) RETURN (NOT (n)-->()) XOR false, (n)-->() AND n.x = 1 ORDER BY n.x";
    let expected: [[Datum; 2]; 2] = [[false.into(), true.into()], [true.into(), false.into()]];
    assert_eq!(rows(&graph, text), expected);
}

#[test]
fn a_constant_beside_an_aggregation_makes_no_groups() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 4) AS x CREATE (:N {x: x})");
    let found = rows(
        &graph,
        "MATCH (n:N) RETURN 'n' AS kind, count(*), 7, sum(n.x)",
    );
    let expected: [[Datum; 4]; 1] = [["n".into(), 4i64.into(), 7i64.into(), 10i64.into()]];
    assert_eq!(found, expected);
    assert!(rows(&graph, "MATCH (n:None) RETURN 'n' AS kind, count(*)").is_empty());
    let text = "MATCH (n:N) RETURN n.x % 2 AS odd, 1 AS one, count(*) AS c ORDER BY odd";
    let expected: [[Datum; 3]; 2] = [
        [0i64.into(), 1i64.into(), 2i64.into()],
        [1i64.into(), 1i64.into(), 2i64.into()],
    ];
    assert_eq!(rows(&graph, text), expected);
}

/// A clause reads for a join after the clauses before it have written.
#[test]
fn conditions_and_orders_of_groups_have_variables_of_their_own() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (a:N {x: 1}), (b:N {x: 2}), (a)-[:R]->(b), (b)-[:R]->(b), (b)-[:R]->(a)",
    );
    let text = "MATCH (n:N) WITH n, count(*) AS c WHERE size([(n)-->(z) | z.x]) > 1 RETURN n.x";
    assert_eq!(value(&graph, text), 2i64.into());
    // This n is another one: the first is no column.
    let text = "MATCH (n:N) WITH n.x AS x, count(*) AS c \
                WHERE size([(n)-->(z) | z.x]) = 3 RETURN count(x)";
    assert_eq!(value(&graph, text), 2i64.into());
}

#[test]
fn a_join_sees_what_was_written_before_it() {
    let graph = graph();
    let text = "UNWIND range(1, 5) AS n CREATE (:P {n: n}) WITH count(*) AS all \
                UNWIND [[1, 2], [2, 3]] AS pair MATCH (a:P {n: pair[0]}), (b:P {n: pair[1]}) \
                CREATE (a)-[:R]->(b) RETURN count(*)";
    assert_eq!(value(&graph, text), 2i64.into());
}

#[test]
fn a_snapshot_is_read_as_of_its_name() {
    let graph = graph();
    rows(&graph, "CREATE (:N)");
    graph.create_snapshot("before").expect("a snapshot");
    rows(&graph, "CREATE (:N)");
    assert_eq!(value(&graph, "MATCH (n) RETURN count(*)"), 2i64.into());
    assert_eq!(
        value(&graph, "AS OF 'before' MATCH (n) RETURN count(*)"),
        1i64.into()
    );
    assert!(attempt(&graph, "AS OF 'never' MATCH (n) RETURN n").is_err());
}

#[test]
fn a_program_registers_procedures() {
    let graph = graph();
    let mut procedures = Procedures::new();
    let signature = Signature {
        inputs: vec![("n".into(), Type::Integer)],
        outputs: vec![("i".into(), Type::Integer)],
        ..Signature::default()
    };
    procedures.register("my.range", "", signature, |_, arguments| {
        let most = arguments[0].as_value().and_then(|value| value.as_integer());
        Ok((0..most.ok_or("no number")?)
            .map(|i| vec![i.into()])
            .collect::<Vec<_>>())
    });
    let options = Options {
        procedures,
        ..Options::default()
    };
    let text = "CALL my.range(3) YIELD i RETURN sum(i)";
    let query = Query::prepare_with(&graph, text, options).expect("a query");
    let row = query
        .execute(&graph, &Parameters::new())
        .expect("rows")
        .next();
    assert_eq!(row, Some(vec![3i64.into()]));
    assert_eq!(
        attempt(&graph, text).expect_err("not registered").detail(),
        "ProcedureNotFound"
    );
    rows(&graph, "CREATE (:B {y: 1})-[:T {x: 1}]->(:A)");
    let names = |text| rows(&graph, text).into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(
        names("CALL db.labels()"),
        ["A".into(), "B".into()] as [Datum; 2]
    );
    assert_eq!(
        names("CALL db.relationshipTypes()"),
        ["T".into()] as [Datum; 1]
    );
    assert_eq!(
        names("CALL db.propertyKeys()"),
        ["x".into(), "y".into()] as [Datum; 2]
    );
}

#[test]
fn explain_gives_the_plan_and_runs_nothing() {
    let graph = graph();
    let query = Query::prepare(&graph, "EXPLAIN CREATE (n)").expect("a query");
    let explained = query.execute(&graph, &Parameters::new()).expect("a plan");
    assert!(
        explained
            .summary()
            .plan
            .as_ref()
            .expect("a plan")
            .starts_with("Create (n)")
    );
    assert_eq!(value(&graph, "MATCH (n) RETURN count(*)"), 0i64.into());
}

#[test]
fn functions_of_the_clock_tell_the_time() {
    let graph = graph();
    for kind in ["date", "datetime", "localdatetime"] {
        for which in ["", ".statement", ".transaction", ".realtime"] {
            let text = format!("RETURN {kind}{which}().year > 2000");
            assert_eq!(value(&graph, &text), true.into(), "{text}");
        }
    }
    assert_eq!(value(&graph, "RETURN TimeStamp() > 0"), true.into());
    let text = "RETURN datetime.statement() = datetime.transaction()";
    assert_eq!(value(&graph, text), true.into());
}

#[test]
fn null_has_no_label_that_all_nodes_have() {
    let graph = graph();
    rows(&graph, "UNWIND range(1, 200) AS i CREATE (:L)");
    rows(&graph, "MATCH (a) WITH a LIMIT 70 CREATE (a)-[:R]->(:L)");
    let kept = "MATCH (a) OPTIONAL MATCH (a)-->(b) WITH b WHERE b:L RETURN count(*)";
    assert_eq!(value(&graph, kept), 70i64.into());
    let others = "MATCH (a) OPTIONAL MATCH (a)-->(b) WITH b WHERE NOT b:L RETURN count(*)";
    assert_eq!(value(&graph, others), 0i64.into());
}

/// A set is made of a list that is asked often; what it answers is what each element says.
#[test]
fn members_of_long_lists_are_those_that_equal_an_element() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 99) AS x CREATE (:N {x: x})-[:R]->(:M {x: x})",
    );
    let numbers = "[x IN range(0, 40) | x * 2]";
    let lists = [
        numbers.to_string(),
        format!("{numbers} + [1.0, 2.5, 0.0 / 0, -0.0]"),
        format!("{numbers} + [null, 'a']"),
        format!("{numbers} + [[1, null], [2, 3], {{a: 1}}, {{a: null}}]"),
        "[x IN range(0, 40) | date({year: 2000 + x})] + [datetime('2001-01-01T00:00Z')]".into(),
        "[x IN range(0, 40) | duration({days: x})] + [duration({hours: 24})]".into(),
        "[x IN range(0, 40) | toString(x)] + [true, false]".into(),
        "COLLECT { MATCH (n:N) WHERE n.x % 3 = 0 RETURN n }".into(),
        "COLLECT { MATCH (n:N) WHERE n.x % 3 = 0 RETURN n } + [null, 3]".into(),
        "COLLECT { MATCH (:N)-[r]->(m) WHERE m.x % 5 = 0 RETURN r }".into(),
        "COLLECT { MATCH (n:N) RETURN CASE n.x % 2 WHEN 0 THEN n ELSE n.x END }".into(),
    ];
    let members = "[0, 1, 2, 3, 2.0, 2.5, 0.0, 0.0 / 0, null, 'a', '7', true, [1, 2], [2, 3], \
                   {a: 1}, date('2003-01-01'), datetime('2001-01-01T01:00+01:00'), \
                   duration({days: 3}), duration({hours: 24})]";
    // So often that sets are made.
    let members = format!("{members} + {members} + {members}");
    let mut compared = 0;
    for list in &lists {
        for text in [
            format!(
                "WITH {list} AS l UNWIND {members} AS x RETURN x, x IN l AS a, \
                 any(e IN l WHERE e = x) AS b"
            ),
            format!(
                "WITH {list} AS l MATCH (n:N)-[r]->() UNWIND [n, r, n.x] AS x RETURN x, \
                 x IN l AS a, any(e IN l WHERE e = x) AS b"
            ),
            format!(
                "WITH {list} AS l RETURN null AS x, [x IN {members} | x IN l] AS a, \
                 [x IN {members} | any(e IN l WHERE e = x)] AS b"
            ),
        ] {
            for row in rows(&graph, &text) {
                assert_eq!(row[1], row[2], "{:?} IN {list}", row[0]);
                compared += 1;
            }
        }
    }
    assert!(compared > 3000, "{compared}");
}

/// A list or text that a fold appends to grows in place, and is the same as by each `+`.
#[test]
fn folds_append_as_their_operators_do() {
    let graph = graph();
    rows(&graph, "CREATE (:N {x: 1})");
    let initial = [
        "[]",
        "[1]",
        "[n]",
        "'a'",
        "''",
        "null",
        "1",
        "[null]",
        "{a: 1}",
        "[[1]]",
        "duration({days: 1})",
    ];
    let lists = [
        "[1, 2, 3]",
        "['a', 1, 2.5, true]",
        "[1, null, 2]",
        "[[1, 2], [3], []]",
        "[n, 1, n]",
        "['a', [1], 'b']",
        "[{a: 1}, date('2020-01-01')]",
        "[]",
    ];
    let steps = [
        "l + x",
        "l + x + x",
        "l || x",
        "l + [x]",
        "l + x + ','",
        "l + [y IN [1, x] | y]",
        "l || [x] + 'z'",
        "l + size(l)",
        "x + l",
        "l + COUNT { MATCH (:N) WHERE size(l) > 1 }",
    ];
    let (mut compared, mut refused) = (0, 0);
    for ((initial, list), step) in initial
        .iter()
        .flat_map(|initial| lists.iter().map(move |list| (initial, list)))
        .flat_map(|pair| steps.iter().map(move |step| (pair, step)))
    {
        let fold = |step: &str| {
            let text = format!("MATCH (n) RETURN reduce(l = {initial}, x IN {list} | {step})");
            let found = attempt(&graph, &text).map_err(|error| error.to_string());
            (format!("{found:?}"), text)
        };
        let (found, text) = fold(step);
        let (expected, _) = fold(&format!("CASE WHEN true THEN {step} END"));
        refused += usize::from(found.starts_with("Err"));
        let errors = [&found, &expected].map(|found| found.starts_with("Err"));
        assert!(
            found == expected || errors == [true; 2],
            "{text}: {found}, {expected}"
        );
        compared += 1;
    }
    assert!(compared == 880 && refused < 500, "{refused} of {compared}");
}

#[test]
fn an_optional_call_gives_null_where_its_condition_leaves_nothing() {
    let graph = graph();
    rows(&graph, "CREATE (:A), (:B)");
    let call = "UNWIND ['A', 'C', 'B'] AS x OPTIONAL CALL db.labels() YIELD label WHERE label = x \
                RETURN x, label";
    let expected: [[Datum; 2]; 3] = [
        ["A".into(), "A".into()],
        ["C".into(), Datum::NULL],
        ["B".into(), "B".into()],
    ];
    assert_eq!(rows(&graph, call), expected);
    let query = Query::prepare(&graph, "MATCH (n:A) RETURN n {.x}").expect("a query");
    assert_eq!(query.columns()[..], ["n"]);
}

/// Alternatives in any order, that all rows pass together or some do not.
#[test]
fn alternatives_of_a_case_give_each_row_its_value() {
    let graph = graph();
    for (a, b, c) in [(0, 1, 2), (2, 1, 0), (1, 2, 0), (3, 0, 2), (2, 0, 3)] {
        for whens in [
            format!("{a}, {b}, {c}"),
            format!("{a}, {b}, {c}, 0, 1, 2, 3"),
            format!("> {a}, < {b}, {c}"),
        ] {
            let text = format!(
                "UNWIND range(0, 3) AS u WITH u, CASE u WHEN {whens} THEN u ELSE 9 END AS w \
                 RETURN u, w"
            );
            for row in rows(&graph, &text) {
                assert!(row[1] == row[0] || row[1] == 9i64.into(), "{text}: {row:?}");
            }
        }
    }
    let text = "UNWIND [{k: 'a', v: 1}, {k: 'b', v: 2}] AS r \
                RETURN sum(CASE r.k WHEN 'b', 'a' THEN r.v * CASE r.k WHEN 'b' THEN 10 ELSE 1 END END)";
    assert_eq!(value(&graph, text), 21i64.into());
}

#[test]
fn a_column_takes_the_place_of_a_variable_of_a_star() {
    let graph = graph();
    let of = |text: &str| rows(&graph, text).concat();
    let numbers = |numbers: &[i64]| -> Vec<Datum> { numbers.iter().map(|&n| n.into()).collect() };
    assert_eq!(
        of("UNWIND [1, 2] AS x WITH *, x + 1 AS x RETURN x"),
        numbers(&[2, 3])
    );
    let text = "UNWIND [1, 2] AS x WITH x, 5 AS y RETURN *, -x AS x ORDER BY x";
    let query = Query::prepare(&graph, text).expect("a query");
    let x = query.columns().iter().position(|name| name == "x");
    let found = rows(&graph, text);
    let found = found
        .into_iter()
        .map(|row| row[x.expect("a column")].clone());
    assert_eq!(found.collect::<Vec<_>>(), numbers(&[-2, -1]));
    assert_eq!(query.columns().len(), 2);
    attempt(&graph, "WITH 1 AS a RETURN *, count(*) AS a").expect_err("a key of groups");
}

/// Whatever an optional subquery calls a variable of the row, the row keeps it.
#[test]
fn a_subquery_without_rows_leaves_what_is_around() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (:A {k: 1})-[:R]->(:B {k: 2})-[:R]->(:C {k: 3})",
    );
    for (call, expected) in [
        (
            "OPTIONAL CALL (x) { WITH x WHERE x > 2 RETURN x AS y }",
            [None, None, Some(3)],
        ),
        (
            "OPTIONAL CALL (*) { WITH x WHERE x > 2 RETURN x AS y }",
            [None, None, Some(3)],
        ),
        (
            "OPTIONAL CALL { WITH x WITH x WHERE x > 2 RETURN x AS y }",
            [None, None, Some(3)],
        ),
        (
            "OPTIONAL CALL (x) { UNWIND range(2, x) AS u RETURN x AS y, u LIMIT 1 }",
            [None, Some(2), Some(3)],
        ),
        (
            "CALL (x) { CREATE (:T {v: 1 / (x - 1)}) RETURN x AS y } \
             IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE",
            [None, Some(2), Some(3)],
        ),
    ] {
        let text = format!("UNWIND [1, 2, 3] AS x {call} RETURN x, y");
        let y = |y: Option<i64>| y.map_or(Datum::NULL, Datum::from);
        let expected = [1, 2, 3].map(|x| [x.into(), y(expected[x as usize - 1])]);
        assert_eq!(rows(&graph, &text), expected, "{text}");
    }
    let call = "OPTIONAL CALL (a) { MATCH (a)-[:R]->(b:B) RETURN a AS z, b }";
    rows(&graph, &format!("MATCH (a) {call} SET a.done = true"));
    let done = value(&graph, "MATCH (a) WHERE a.done RETURN count(*)");
    assert_eq!(done, value(&graph, "MATCH (a) RETURN count(*)"));
}

#[test]
fn null_is_no_map_of_properties() {
    let graph = graph();
    rows(&graph, "CREATE (:A {x: 1})");
    for text in ["MATCH (n:A) SET n = null", "MATCH (n:A) SET n += null"] {
        let error = attempt(&graph, text).expect_err(text);
        assert_eq!(error.class(), "TypeError", "{text}");
    }
    assert_eq!(value(&graph, "MATCH (n:A) RETURN n.x"), 1i64.into());
}

#[test]
fn columns_of_one_value_have_it_both() {
    let graph = graph();
    for order in ["", "ORDER BY a", "ORDER BY b DESC LIMIT 2"] {
        let text =
            format!("UNWIND ['x', 'y', 'x'] AS t RETURN t AS a, t AS b, t + 'z' AS c {order}");
        for row in rows(&graph, &text) {
            assert!(row[0] == row[1] && !row[0].is_null(), "{text}: {row:?}");
        }
    }
}

/// As a condition that no lookup decides.
#[test]
fn nodes_are_found_by_lists_of_ids_and_by_texts() {
    let graph = graph();
    rows(&graph, "UNWIND range(0, 9) AS x CREATE (:N)-[:R]->(:M)");
    for condition in [
        "id(n) IN [3, 4, 4, 5.0, 5.5, null, -1, 100000000000, 'x', [1]]",
        "elementId(n) IN ['3', '04', 5, 'x', null, '7', '7']",
        "elementId(n) IN []",
        "id(n) IN null",
        "elementId(n) = '3'",
        "elementId(n) = '03'",
        "elementId(n) = 3",
        "elementId(n) = null",
        "'3' = elementId(n) AND n:N",
        "id(n) = 3.0",
        "id(n) = 3.5",
    ] {
        let found = |condition: &str| {
            rows(
                &graph,
                &format!("MATCH (n) WHERE {condition} RETURN collect(id(n))"),
            )
        };
        let slow = condition
            .replace("elementId(n)", "(elementId(n) + '')")
            .replace("id(n) ", "(id(n) + 0) ");
        assert_eq!(found(condition), found(&slow), "{condition}");
    }
    for condition in ["elementId(r) = '3'", "id(r) = 3.0", "id(r) = 3"] {
        let text = format!("MATCH ()-[r]->() WHERE {condition} RETURN id(r)");
        assert_eq!(rows(&graph, &text), [[3i64.into()]], "{condition}");
    }
    let error = attempt(&graph, "WITH 5 AS l MATCH (n) WHERE id(n) IN l RETURN n");
    assert!(error.is_err());
}
