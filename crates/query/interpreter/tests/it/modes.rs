//! Random queries over graphs of some hundred nodes, stored as columns, in DRAM, on the
//! emulated medium and on files: every mode, number of threads and plan gives the same rows.
//! The plan without rewrites, interpreted by one thread, is the reference. Queries of more
//! kinds, of small graphs, are in `random_queries`.

use evergraph_graph::random::Random;
use evergraph_interpreter::{Execution, Limits, Options, Parameters, Query, QueryError};
use evergraph_property_graph::graph::PropertyGraph;
use evergraph_storage::failpoint::Scope;

use crate::{Medium, graph, rows};

/// Draws parts of queries.
struct Draw(Random);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len() as u64) as usize]
    }

    fn is(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// Nodes with numbers, texts, truths, values of mixed types and nulls; relationships of two
/// types, some parallel, some loops.
fn random_graph(draw: &mut Draw, medium: &Medium) -> PropertyGraph {
    let mut graph = medium.graph();
    let (a, b, nodes) = (3 + draw.below(90), 1 + draw.below(50), 90 + draw.below(60));
    rows(
        &graph,
        &format!(
            "UNWIND range(0, {nodes}) AS x CREATE (n:N {{id: x, i: CASE WHEN x % 7 = 3 THEN null \
             ELSE x * {a} % 11 END, f: x * {b} % 13 / 2.0, t: ['a', 'b', 'ab', ''][x * {a} % 4], \
             b: x % 3 = 0, m: CASE x % 4 WHEN 0 THEN x WHEN 1 THEN 'x' WHEN 2 THEN x + 0.5 END}}) \
             FOREACH (_ IN CASE WHEN x * {b} % 5 < 2 THEN [1] ELSE [] END | SET n:A) \
             FOREACH (_ IN CASE WHEN x * {a} % 3 = 0 THEN [1] ELSE [] END | SET n:B)"
        ),
    );
    for kind in ["R", "S"] {
        let (c, d) = (1 + draw.below(40), 2 + draw.below(40));
        rows(
            &graph,
            &format!(
                "MATCH (x:N), (y:N) WHERE (x.id * {c} + y.id * {d} + x.id * y.id) % 37 < 1 \
                 CREATE (x)-[:{kind} {{w: (x.id + {d} * y.id) % 10}}]->(y)"
            ),
        );
    }
    // Columns as they are stored, some with rows that have changed since.
    let is_merged = draw.is(70);
    if is_merged {
        graph.checkpoint().expect("a checkpoint");
    }
    graph = medium.reopened(graph);
    if draw.is(50) {
        let (e, f) = (2 + draw.below(9), draw.below(100));
        rows(
            &graph,
            &format!(
                "MATCH (n:N) WHERE n.id % {e} = 1 SET n.i = n.id % 5, n.t = 'b', n.m = null \
                 WITH n WHERE n.id < {f} DETACH DELETE n"
            ),
        );
    }
    graph
}

/// A chain of nodes; adds its variables to those that are known.
fn pattern(draw: &mut Draw, nodes: &mut Vec<String>, relationships: &mut Vec<String>) -> String {
    let length = 1 + draw.below(3);
    let mut text = String::new();
    for place in 0..length {
        if place > 0 {
            let name = format!("r{}", relationships.len());
            let kind = draw.one(&["", ":R", ":S", ":R|S"]);
            let (left, right) = match draw.below(3) {
                0 => ("<-", "-"),
                1 => ("-", "->"),
                _ => ("-", "-"),
            };
            text += &format!("{left}[{name}{kind}]{right}");
            relationships.push(name);
        }
        let known = !nodes.is_empty() && draw.is(30);
        match known {
            true => text += &format!("({})", nodes[draw.below(nodes.len() as u64) as usize]),
            false => {
                let name = format!("n{}", nodes.len());
                text += &format!(
                    "({name}{})",
                    draw.one(&["", ":N", ":A", ":B", ":A&B", ":!A"])
                );
                nodes.push(name);
            }
        }
    }
    text
}

/// An expression whose values are integers or null.
fn integer(draw: &mut Draw, nodes: &[String], relationships: &[String], depth: u32) -> String {
    if depth == 0 || draw.is(30) {
        return match draw.below(4) {
            0 => format!("{}", draw.below(9)),
            1 if !relationships.is_empty() => {
                format!(
                    "{}.w",
                    relationships[draw.below(relationships.len() as u64) as usize]
                )
            }
            2 => format!("{}.id", nodes[draw.below(nodes.len() as u64) as usize]),
            _ => format!("{}.i", nodes[draw.below(nodes.len() as u64) as usize]),
        };
    }
    let part = |draw: &mut Draw| integer(draw, nodes, relationships, depth - 1);
    match draw.below(7) {
        0 => format!("({} % {})", part(draw), 2 + draw.below(7)),
        1 => format!("({} / {})", part(draw), 1 + draw.below(4)),
        2 => format!("coalesce({}, {})", part(draw), part(draw)),
        3 => {
            let condition = condition(draw, nodes, relationships, depth - 1);
            let part = |draw: &mut Draw| integer(draw, nodes, relationships, depth - 1);
            format!(
                "CASE WHEN {condition} THEN {} ELSE {} END",
                part(draw),
                part(draw)
            )
        }
        4 => {
            let node = &nodes[draw.below(nodes.len() as u64) as usize];
            let sign = draw.one(&["<", "<=", "<>", "="]);
            format!(
                "CASE {node}.m WHEN IS NULL THEN {} WHEN {sign} {}, STARTS WITH 'x' THEN {} END",
                part(draw),
                part(draw),
                part(draw)
            )
        }
        _ => {
            let sign = draw.one(&["+", "-", "*"]);
            format!("({} {sign} {})", part(draw), part(draw))
        }
    }
}

fn condition(draw: &mut Draw, nodes: &[String], relationships: &[String], depth: u32) -> String {
    let node = nodes[draw.below(nodes.len() as u64) as usize].clone();
    if depth > 0 && draw.is(50) {
        let part = |draw: &mut Draw| condition(draw, nodes, relationships, depth - 1);
        return match draw.below(4) {
            0 => format!("NOT ({})", part(draw)),
            1 => format!("({} OR {})", part(draw), part(draw)),
            2 => format!("({} XOR {})", part(draw), part(draw)),
            _ => format!("({} AND {})", part(draw), part(draw)),
        };
    }
    let sign = draw.one(&["<", "<=", ">", ">=", "=", "<>"]);
    match draw.below(9) {
        0 => format!("{node}.t {sign} '{}'", draw.one(&["a", "ab", ""])),
        1 => format!("{node}.t STARTS WITH 'a'"),
        2 => format!("{node}.b"),
        3 => format!("{node}.i IS {}NULL", draw.one(&["", "NOT "])),
        4 => format!("{node}.f {sign} {}.5", draw.below(6)),
        5 => format!("{node}.m {sign} {}", draw.below(40)),
        6 => format!("{node}:{}", draw.one(&["A", "B"])),
        7 => {
            let other = &nodes[draw.below(nodes.len() as u64) as usize];
            format!("id({node}) {sign} id({other})")
        }
        _ => {
            let left = integer(draw, nodes, relationships, 2);
            format!("{left} {sign} {}", integer(draw, nodes, relationships, 1))
        }
    }
}

/// Reading clauses, and what is returned of them.
fn random_query(draw: &mut Draw) -> String {
    let (mut nodes, mut relationships) = (Vec::new(), Vec::new());
    let mut text = String::new();
    let clauses = 1 + draw.below(2);
    for number in 0..clauses {
        let optional = if number > 0 && draw.is(40) {
            "OPTIONAL "
        } else {
            ""
        };
        let pattern = pattern(draw, &mut nodes, &mut relationships);
        text += &format!("{optional}MATCH {pattern} ");
        if draw.is(80) {
            text += &format!("WHERE {} ", condition(draw, &nodes, &relationships, 2));
        }
        if draw.is(25) {
            // The rows that go on are the same in any order that they come in.
            let kept: Vec<String> = nodes.iter().chain(&relationships).cloned().collect();
            let keys: Vec<String> = kept.iter().map(|name| format!("id({name})")).collect();
            let most = 1 + draw.below(400);
            text += &format!(
                "WITH {} ORDER BY {} LIMIT {most} ",
                kept.join(", "),
                keys.join(", ")
            );
        }
    }
    let value = |draw: &mut Draw| integer(draw, &nodes, &relationships, 2);
    let text_of = format!("{}.t", nodes[nodes.len() - 1]);
    match draw.below(5) {
        0 => format!(
            "{text}RETURN count(*), sum({}), max({text_of})",
            value(draw)
        ),
        1 => format!(
            "{text}RETURN {} AS k, count(*), sum({}), min({})",
            value(draw),
            value(draw),
            value(draw)
        ),
        2 => format!(
            "{text}RETURN {} AS k, {} AS l, count(DISTINCT {}), avg({})",
            text_of,
            nodes[0],
            value(draw),
            value(draw)
        ),
        3 => format!("{text}RETURN DISTINCT {} AS k, {text_of} AS l", value(draw)),
        _ => {
            let (k, l, most) = (value(draw), value(draw), 1 + draw.below(60));
            let order = draw.one(&["k, l DESC, m", "l, k, m", "m DESC, k DESC, l"]);
            format!("{text}RETURN {k} AS k, {l} AS l, {text_of} AS m ORDER BY {order} LIMIT {most}")
        }
    }
}

/// Rows in an order of their own.
fn found(graph: &PropertyGraph, text: &str, plain: bool, limits: Limits) -> Vec<String> {
    let rows = attempted(graph, text, plain, limits);
    rows.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn attempted(
    graph: &PropertyGraph,
    text: &str,
    plain: bool,
    limits: Limits,
) -> Result<Vec<String>, QueryError> {
    let options = Options {
        plain,
        limits,
        ..Options::default()
    };
    let query = Query::prepare_with(graph, text, options)?;
    let rows = query.read(&graph.view(), &Parameters::new())?;
    let mut rows: Vec<String> = rows.map(|row| format!("{row:?}")).collect();
    rows.sort();
    Ok(rows)
}

#[test]
fn mutants_are_caught() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 5999) AS x CREATE (:N {x: x, y: (x * 7919) % 6007, z: x % 3})",
    );
    rows(
        &graph,
        "MATCH (a:N) UNWIND range(1, 3) AS step MATCH (b:N {x: (a.x * step + 17) % 6000}) \
         CREATE (a)-[:R {w: step}]->(b)",
    );
    for (mutant, text) in [
        (
            "batches.rows-not-composed",
            "MATCH (a:N)-[r:R]->(b)-[q:R]->(c) WHERE r.w > a.z RETURN sum(a.y * q.w), count(*)",
        ),
        (
            "groups.runs-joined",
            "MATCH (a:N)-[:R]->(b) RETURN a.z AS z, sum(b.y)",
        ),
        (
            "top.ties-dropped",
            "MATCH (a:N) RETURN a.z AS z, a.y AS y ORDER BY z, y LIMIT 5",
        ),
    ] {
        let limits = || Limits {
            threads: 1,
            ..Limits::default()
        };
        let expected = found(&graph, text, false, limits());
        let scope = Scope::armed(mutant);
        let _scope = scope.enter();
        // Rows that a batch has not are a panic.
        let wrong = || found(&graph, text, false, limits()) != expected;
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wrong));
        assert!(caught.unwrap_or(true), "{mutant}");
    }
}

#[test]
fn every_mode_and_plan_gives_the_same_rows() {
    assert_modes_agree(12, || Medium::Dram);
}

#[test]
fn every_mode_and_plan_gives_the_same_rows_on_the_emulated_medium() {
    assert_modes_agree(4, Medium::emulated);
}

#[test]
fn every_mode_and_plan_gives_the_same_rows_on_files() {
    assert_modes_agree(2, Medium::file);
}

/// Tries so many graphs, each on a medium of its own; many more in a campaign.
fn assert_modes_agree(graphs: u64, medium: fn() -> Medium) {
    let is_deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    for seed in 0..if is_deep { 2000 } else { graphs } {
        let mut draw = Draw(Random::new(seed));
        let medium = medium();
        let graph = random_graph(&mut draw, &medium);
        for number in 0..25 {
            let text = random_query(&mut draw);
            let limits = |execution, threads| Limits {
                execution,
                threads,
                ..Limits::default()
            };
            let plain = attempted(&graph, &text, true, limits(Execution::Interpret, 1));
            let expected = match plain {
                // Of an order's first rows, the reference holds all that there are.
                Err(QueryError::Memory { .. }) => continue,
                plain => plain.unwrap_or_else(|error| panic!("{text}: {error}")),
            };
            for (execution, threads) in [
                (Execution::Interpret, 1),
                (Execution::Compile, 1),
                (Execution::Compile, 2),
                (Execution::Adapt, 1),
                (Execution::SwitchAfter(100), 1),
            ] {
                let found = found(&graph, &text, false, limits(execution, threads));
                assert!(
                    found == expected,
                    "seed {seed}, query {number}, {execution:?}, {threads} threads: {text}\n\
                     {found:?}\n{expected:?}"
                );
            }
        }
    }
}
