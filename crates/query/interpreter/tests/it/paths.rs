//! Paths with parts that repeat, selectors and modes, against all paths of a pattern on
//! random small graphs, found one by one.

use evergraph_interpreter::{Datum, Options, Parameters, Query};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{PropertyGraph, Transaction};

use crate::counts::Random;
use crate::{attempt, graph, rows, value};

/// A relationship: source, type, target, property `w`.
type Edge = (usize, char, usize, i64);

/// A graph, also as lists: `v` of each node, and the relationships.
struct Small {
    graph: PropertyGraph,
    nodes: Vec<i64>,
    edges: Vec<Edge>,
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

fn small(seed: u64) -> Small {
    let mut dice = Dice(seed);
    let nodes: Vec<i64> = (0..2 + dice.below(3))
        .map(|_| dice.below(3) as i64)
        .collect();
    let count = nodes.len() as u64;
    let edges = (0..3 + dice.below(5)).map(|_| {
        let (from, to) = (dice.below(count) as usize, dice.below(count) as usize);
        (
            from,
            ['A', 'B'][dice.below(2) as usize],
            to,
            dice.below(3) as i64,
        )
    });
    let edges: Vec<Edge> = edges.collect();
    let graph = graph();
    let made = nodes.iter().enumerate();
    let made = made.map(|(id, v)| format!("(n{id} {{i: {id}, v: {v}}})"));
    let joined = edges.iter().enumerate();
    let joined = joined
        .map(|(id, (from, of, to, w))| format!("(n{from})-[:{of} {{i: {id}, w: {w}}}]->(n{to})"));
    let all: Vec<String> = made.chain(joined).collect();
    rows(&graph, &format!("CREATE {}", all.join(", ")));
    Small {
        graph,
        nodes,
        edges,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Walk,
    Trail,
    Acyclic,
    Simple,
}

/// A relationship of a pattern: its type, if it has one, and its directions.
#[derive(Clone, Copy)]
struct Step(Option<char>, bool, bool);

const OUT: bool = true;

/// Relationships of a repetition, and how often there may be one.
struct Part {
    steps: Vec<Step>,
    least: usize,
    most: usize,
    /// Of the nodes and relationships of one repetition.
    test: fn(&Small, &[usize], &[usize]) -> bool,
}

fn any(_: &Small, _: &[usize], _: &[usize]) -> bool {
    true
}

fn part(steps: &[Step], least: usize, most: usize) -> Part {
    Part {
        steps: steps.to_vec(),
        least,
        most,
        test: any,
    }
}

/// A path: its nodes and its relationships.
type Found = (Vec<usize>, Vec<usize>);

struct Pattern {
    text: &'static str,
    parts: Vec<Part>,
    mode: Mode,
}

impl Pattern {
    /// All paths, by trying all relationships at each step.
    fn all(&self, small: &Small) -> Vec<Found> {
        let mut found = Vec::new();
        for from in 0..small.nodes.len() {
            self.go_on(small, (vec![from], Vec::new()), (0, 0, 0), &mut found);
        }
        found
    }

    fn go_on(
        &self,
        small: &Small,
        way: Found,
        (number, times, step): (usize, usize, usize),
        found: &mut Vec<Found>,
    ) {
        let Some(part) = self.parts.get(number) else {
            found.push(way);
            return;
        };
        let (nodes, edges) = &way;
        if step == part.steps.len() {
            let own = edges.len() - step;
            if (part.test)(small, &nodes[own..], &edges[own..]) {
                self.go_on(small, way, (number, times + 1, 0), found);
            }
            return;
        }
        if step == 0 && times >= part.least {
            self.go_on(small, way.clone(), (number + 1, 0, 0), found);
        }
        if step == 0 && times == part.most {
            return;
        }
        let Step(of, out, back) = part.steps[step];
        let node = nodes[nodes.len() - 1];
        for (id, &(from, kind, to, _)) in small.edges.iter().enumerate() {
            let mut ends = Vec::new();
            ends.extend((out && from == node).then_some(to));
            ends.extend((back && to == node && !(out && from == to)).then_some(from));
            for end in ends.into_iter().filter(|_| of.is_none_or(|of| of == kind)) {
                let closes = !edges.is_empty() && nodes[0] == node;
                let is_new = match self.mode {
                    Mode::Walk => true,
                    Mode::Trail => !edges.contains(&id),
                    Mode::Acyclic => !nodes.contains(&end),
                    Mode::Simple => !edges.contains(&id) && !closes && !nodes[1..].contains(&end),
                };
                if is_new {
                    let mut longer = way.clone();
                    longer.0.push(end);
                    longer.1.push(id);
                    self.go_on(small, longer, (number, times, step + 1), found);
                }
            }
        }
    }
}

fn patterns() -> Vec<Pattern> {
    let (a, b, each) = (Some('A'), Some('B'), None);
    let pattern = |text, parts| Pattern {
        text,
        parts,
        mode: Mode::Trail,
    };
    vec![
        pattern(
            "(a)((x)-[r:A]->(y)){1,3}(b)",
            vec![part(&[Step(a, OUT, false)], 1, 3)],
        ),
        pattern("(a)-[:A]->*(b)", vec![part(&[Step(a, OUT, false)], 0, 99)]),
        pattern(
            "(a)((x)-[r:A]->(y)-[s]-(z) WHERE x.v <= z.v){0,2}(b)",
            vec![Part {
                test: |small, nodes, _| small.nodes[nodes[0]] <= small.nodes[nodes[2]],
                ..part(&[Step(a, OUT, false), Step(each, OUT, true)], 0, 2)
            }],
        ),
        pattern(
            "(a)-[r WHERE r.w > 0]->+(b)",
            vec![Part {
                test: |small, _, edges| small.edges[edges[0]].3 > 0,
                ..part(&[Step(each, OUT, false)], 1, 99)
            }],
        ),
        pattern(
            "(a)-[r:!A*1..3]-(b)",
            vec![part(&[Step(b, OUT, true)], 1, 3)],
        ),
        pattern(
            "(a)-[r:A|B&!A {w: 1}]->{0,2}(b)",
            vec![Part {
                test: |small, _, edges| small.edges[edges[0]].3 == 1,
                ..part(&[Step(each, OUT, false)], 0, 2)
            }],
        ),
        pattern(
            "(a)<-[s:B]-(m)((x)-[r]-(y))*(b)",
            vec![
                part(&[Step(b, false, OUT)], 1, 1),
                part(&[Step(each, OUT, true)], 0, 99),
            ],
        ),
        pattern(
            "(a)((x)-[:A]->(y))+((u)-[:B]->(w)){1,2}(b)",
            vec![
                part(&[Step(a, OUT, false)], 1, 99),
                part(&[Step(b, OUT, false)], 1, 2),
            ],
        ),
        pattern(
            "(a)((x {v: 1})-[r]->(y)<-[s:B]-(x)){1,2}(b)",
            vec![Part {
                test: |small, nodes, _| nodes[0] == nodes[2] && small.nodes[nodes[0]] == 1,
                ..part(&[Step(each, OUT, false), Step(b, false, OUT)], 1, 2)
            }],
        ),
    ]
}

fn list(datum: &Datum) -> Vec<usize> {
    let elements = datum.elements().expect("a list");
    let numbers = elements.iter().map(|element| match element {
        Datum::Value(Value::Integer(number)) => number as usize,
        other => panic!("{other:?}"),
    });
    numbers.collect()
}

/// Paths that a query gives as `p`, sorted.
fn found(small: &Small, text: &str) -> Vec<Found> {
    let text = format!("{text} RETURN [n IN nodes(p) | n.i], [r IN relationships(p) | r.i]");
    let mut found: Vec<Found> = rows(&small.graph, &text)
        .iter()
        .map(|row| (list(&row[0]), list(&row[1])))
        .collect();
    found.sort();
    found
}

fn sorted(mut paths: Vec<Found>) -> Vec<Found> {
    paths.sort();
    paths
}

#[test]
fn all_paths_are_found() {
    for seed in 0..60 {
        let small = small(seed);
        for pattern in patterns() {
            let expected = sorted(pattern.all(&small));
            let text = pattern.text;
            for query in [
                format!("MATCH p = {text}"),
                format!("MATCH (a), (b) WITH a, b MATCH p = {text}"),
                format!("MATCH (b) WITH b MATCH p = {text}"),
            ] {
                assert_eq!(found(&small, &query), expected, "{seed}: {query}");
            }
            let mut at_one = expected.clone();
            at_one.retain(|(nodes, _)| small.nodes[nodes[nodes.len() - 1]] == 1);
            let query = format!("MATCH p = {text} WHERE b.v = 1");
            assert_eq!(found(&small, &query), at_one, "{seed}: {query}");
        }
    }
}

#[test]
fn modes_say_what_may_be_there_twice() {
    let shapes = [
        (
            "(a)-[r]-{0,4}(b)",
            vec![part(&[Step(None, OUT, true)], 0, 4)],
        ),
        (
            "(a)-[:A]->(m)((x)-[r]->(y)){0,3}(b)",
            vec![
                part(&[Step(Some('A'), OUT, false)], 1, 1),
                part(&[Step(None, OUT, false)], 0, 3),
            ],
        ),
    ];
    for (text, parts) in shapes {
        let mut pattern = Pattern {
            text,
            parts,
            mode: Mode::Trail,
        };
        for (name, mode) in [
            ("WALK", Mode::Walk),
            ("TRAIL", Mode::Trail),
            ("ACYCLIC PATHS", Mode::Acyclic),
            ("SIMPLE PATH", Mode::Simple),
        ] {
            pattern.mode = mode;
            for seed in 0..40 {
                let small = small(seed);
                let expected = sorted(pattern.all(&small));
                let query = format!("MATCH p = {name} {text}");
                assert_eq!(found(&small, &query), expected, "{seed}: {query}");
            }
        }
        pattern.mode = Mode::Walk;
        let small = small(3);
        let query = format!("MATCH REPEATABLE ELEMENTS p = {text}");
        assert_eq!(
            found(&small, &query),
            sorted(pattern.all(&small)),
            "{query}"
        );
    }
}

/// The paths between each pair of ends.
fn by_ends(paths: Vec<Found>) -> Vec<Vec<Found>> {
    let mut groups: Vec<Vec<Found>> = Vec::new();
    let ends = |(nodes, _): &Found| (nodes[0], nodes[nodes.len() - 1]);
    for path in paths {
        match groups
            .iter_mut()
            .find(|group| ends(&group[0]) == ends(&path))
        {
            Some(group) => group.push(path),
            None => groups.push(vec![path]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|(_, edges)| edges.len());
    }
    groups.sort_by_key(|group| ends(&group[0]));
    groups
}

#[test]
fn selectors_choose_the_shortest() {
    for seed in 0..60 {
        let small = small(seed);
        for pattern in patterns() {
            let all = by_ends(pattern.all(&small));
            let text = pattern.text;
            for count in [1, 2, 3] {
                let query = format!("MATCH p = SHORTEST {count} {text}");
                let chosen = by_ends(found(&small, &query));
                assert_eq!(chosen.len(), all.len(), "{seed}: {query}");
                for (chosen, all) in chosen.iter().zip(&all) {
                    let lengths = |paths: &[Found]| {
                        let lengths = paths.iter().map(|(_, edges)| edges.len());
                        lengths.take(count).collect::<Vec<_>>()
                    };
                    assert_eq!(lengths(chosen), lengths(all), "{seed}: {query}");
                    assert!(chosen.len() <= count, "{seed}: {query}");
                    let mut distinct = chosen.clone();
                    distinct.sort();
                    distinct.dedup();
                    assert_eq!(distinct.len(), chosen.len(), "{seed}: {query}");
                    assert!(distinct.iter().all(|path| all.contains(path)), "{query}");
                }
                let query = format!("MATCH p = ANY {count} {text}");
                let any: usize = by_ends(found(&small, &query)).iter().map(Vec::len).sum();
                let expected: usize = all.iter().map(|all| all.len().min(count)).sum();
                assert_eq!(any, expected, "{seed}: {query}");
                let query = format!("MATCH p = SHORTEST {count} GROUPS {text}");
                let mut expected = Vec::new();
                for all in &all {
                    let mut lengths: Vec<usize> =
                        all.iter().map(|(_, edges)| edges.len()).collect();
                    lengths.dedup();
                    lengths.truncate(count);
                    let kept = all
                        .iter()
                        .filter(|(_, edges)| lengths.contains(&edges.len()));
                    expected.extend(kept.cloned());
                }
                assert_eq!(found(&small, &query), sorted(expected), "{seed}: {query}");
            }
        }
    }
}

#[test]
fn variables_of_what_repeats_are_lists() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (:S {n: 'a'})-[:R {w: 1}]->({n: 'b'})-[:T {w: 2}]->({n: 'c'})\
         -[:R {w: 3}]->({n: 'd'})-[:T {w: 4}]->({n: 'e'})",
    );
    let shown = |text: &str| format!("{}", value(&graph, text).elements().is_some());
    assert_eq!(
        shown("MATCH (:S)((x)-[r:R]->(y)-[t:T]->(z)){2}() RETURN x"),
        "true"
    );
    let text = "MATCH (:S)((x)-[r:R]->(y)-[t:T]->(z)){2}(e) \
                RETURN [n IN x | n.n] + [n IN y | n.n] + [n IN z | n.n] + e.n \
                     + [n IN r | n.w] + [n IN t | n.w]";
    let expected: Vec<Datum> = ["a", "c", "b", "d", "c", "e", "e"]
        .map(Datum::from)
        .to_vec();
    let numbers = [1i64, 3, 2, 4].map(Datum::from);
    let expected: Vec<Datum> = expected.into_iter().chain(numbers).collect();
    assert_eq!(value(&graph, text), Datum::list(expected.clone()));
    // The same from its end.
    let text = text.replace("(:S)", "(s)").replace("(e) ", "(e {n: 'e'}) ");
    let text = text.replace("RETURN", "WHERE s:S RETURN");
    assert_eq!(value(&graph, &text), Datum::list(expected));
    let text = "MATCH (:S)((x)-->(y) WHERE y.n <> $not)+(z) RETURN count(*)";
    let query = Query::prepare(&graph, text).expect("a query");
    let parameters = Parameters::from([("not".to_string(), "d".into())]);
    let mut found = query.execute(&graph, &parameters).expect("rows");
    assert_eq!(found.next(), Some(vec![2i64.into()]));
    // Of outside the repetition.
    let text = "MATCH (s:S)((x)-[q]->(y) WHERE q.w < l.w + 1)+(e), ()-[l:T {w: 2}]->() \
                RETURN count(*)";
    assert_eq!(value(&graph, text), 1i64.into());
}

#[test]
fn what_makes_no_path_is_refused() {
    let graph = graph();
    for (text, message) in [
        ("MATCH ((a)-[r]->+(b)){2} RETURN a", "a part that repeats"),
        ("MATCH ((a)){2} RETURN a", "no relationship"),
        (
            "CALL { AS OF 'x' MATCH (n) RETURN n } RETURN n",
            "AS OF of a subquery",
        ),
        ("MATCH (a)((b)-->(c))(d) RETURN a", "beside other parts"),
        ("MATCH (p = (a)-->(b)){2} RETURN p", "has a name"),
        ("MATCH WALK (a)-->+(b) RETURN a", "no greatest length"),
        (
            "MATCH REPEATABLE ELEMENTS (a)-[*]->(b) RETURN a",
            "no greatest length",
        ),
        ("MATCH SHORTEST 0 (a)-->+(b) RETURN a", "1 or more"),
        (
            "MATCH SHORTEST 1 (a)-->+(m)-->+(b), (m)-->(c) RETURN a",
            "only its ends may",
        ),
        (
            "MATCH (a)((x)-[r]->(y) WHERE size(z) > 1)+((z)-->(w))+ RETURN a",
            "found with the path",
        ),
        ("CREATE WALK (a)-[:R]->(b)", "has no choice"),
    ] {
        let error = attempt(&graph, text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// Paths of which each end is found once, after `MATCH`; the first ones are found so.
const ENDS: &[(&str, bool)] = &[
    ("(a)-[:R*1..3]->(b) RETURN count(DISTINCT b)", true),
    ("(a:A)-[:R*]->(b) RETURN a, count(DISTINCT b)", true),
    ("(a)-[:R|S*0..2]-(b:B) RETURN DISTINCT a, b", true),
    ("(a)-[*1..2]-(b) WHERE a <> b RETURN DISTINCT a, b", true),
    ("(a)<-[:S*1..4]-(b)-[:R]->(c) RETURN DISTINCT a, c", true),
    (
        "(a)-[:R*..3 {w: 1}]->(b) RETURN a, max(b.x), min(b.x)",
        true,
    ),
    (
        "(a)-[:R*0..1 {w: a.x}]->(b)-[:S]-(c) WHERE c.x > 0 RETURN DISTINCT a, b, c",
        true,
    ),
    (
        "(a)-[:R*1..2]->(b) OPTIONAL MATCH (b)-[:T*1..2]->(c) RETURN count(DISTINCT c)",
        false,
    ),
    ("(a)-[*1..3]-(b) RETURN DISTINCT a, b", false),
    ("(a)-[:R*1..3]->(a) RETURN count(DISTINCT a)", false),
    (
        "(a:A) WHERE EXISTS { (a)-[:R*1..6]->(:B {x: 3}) } RETURN a",
        true,
    ),
    (
        "(a:A) WHERE NOT EXISTS { (a)-[:R|S*1..6]-(b:B) WHERE b.x > 4 AND a <> b } RETURN a",
        true,
    ),
    (
        "(a:A) WHERE EXISTS { (a)-[r:R*1..6]->(b:B) WHERE size(r) > 2 } RETURN a",
        false,
    ),
    ("(a:A) WHERE EXISTS { (a)-[:R*2..6]->(:B) } RETURN a", false),
    ("(a)-[:R*2..3]->(b) RETURN DISTINCT a, b", false),
    ("(a)-[:R*1..2]->(b)-[:R]->(c) RETURN DISTINCT a, c", false),
    ("(a)-[r:R*1..2]->(b) RETURN a, count(DISTINCT r)", false),
    (
        "(a)-[:R*1..2]->(b) RETURN b, count(DISTINCT a), count(*)",
        false,
    ),
];

#[test]
fn ends_once_are_those_of_all_paths() {
    let mut random = Random(11);
    for _ in 0..6 {
        let graph = graph();
        rows(
            &graph,
            "UNWIND range(0, 8) AS x CREATE (:A {x: x % 3}), (:B {x: x})",
        );
        let mut change = |transaction: &mut Transaction| {
            for _ in 0..14 {
                let [from, to] = [(); 2].map(|()| random.below(18) as i64);
                let kind = ["R", "R", "S", "T"][random.below(4)];
                let text = format!(
                    "MATCH (a), (b) WHERE id(a) = {from} AND id(b) = {to} \
                     CREATE (a)-[:{kind} {{w: {}}}]->(b)",
                    random.below(3)
                );
                let query = Query::prepare(&graph, &text).expect("a query");
                query.run(transaction, &Parameters::new()).expect(&text);
            }
        };
        let mut transaction = graph.begin();
        change(&mut transaction);
        transaction.commit().expect("committed");
        graph.checkpoint().expect("written");
        let mut own = graph.begin();
        change(&mut own);
        for (pattern, is_once) in ENDS {
            let text = format!("MATCH {pattern}");
            let answers = [false, true].map(|plain| {
                let options = Options {
                    plain,
                    ..Options::default()
                };
                let query = Query::prepare_with(&graph, &text, options).expect(&text);
                let is_found_once = query.plan().contains("each end once");
                assert_eq!(is_found_once, *is_once && !plain, "{text}");
                let committed = query.read(&graph.view(), &Parameters::new()).expect(&text);
                let written = query.run(&mut own, &Parameters::new()).expect(&text);
                [committed, written].map(|rows| {
                    let mut rows: Vec<String> = rows.map(|row| format!("{row:?}")).collect();
                    rows.sort();
                    rows
                })
            });
            assert_eq!(answers[0], answers[1], "{text}");
        }
    }
}

/// The shortest of the paths that satisfy the conditions, as the paths themselves tell.
#[test]
fn conditions_decide_which_paths_are_the_shortest() {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 7) AS i CREATE (:N {i: i, even: i % 2 = 0})",
    );
    rows(
        &graph,
        "UNWIND [[0,1,1],[1,2,1],[2,3,-1],[0,4,2],[4,5,2],[5,6,2],[6,3,2],[0,3,-1],[3,7,5],\
         [7,3,5],[1,1,4],[2,6,1]] AS e \
         MATCH (a:N {i: e[0]}), (b:N {i: e[1]}) CREATE (a)-[:R {w: e[2]}]->(b)",
    );
    let conditions = [
        "all(r IN relationships(p) WHERE r.w > 0)",
        "all(r IN list WHERE r.w > 0)",
        "none(r IN relationships(p) WHERE r.w < 0)",
        "none(n IN nodes(p) WHERE n.i = 1)",
        "all(n IN nodes(p) WHERE n.i IN [a.i, b.i, 4, 5, 6])",
        "any(r IN relationships(p) WHERE r.w = 4)",
        "length(p) >= 3",
        "length(p) = 2",
        "length(p) > 3 AND all(r IN relationships(p) WHERE r.w > 0)",
        "size(list) % 2 = 0",
        "reduce(sum = 0, r IN relationships(p) | sum + r.w) = 7",
        "single(n IN nodes(p) WHERE n.i = 6)",
        "EXISTS { MATCH (c:N {i: 5}) WHERE c IN nodes(p) }",
        "a.i < b.i AND length(p) > 1",
        "length(p) > 100",
        "3 <= length(p)",
        "length(p) < 2",
        "length(p) <= -1",
        "size(nodes(p)) = 4",
        "size(relationships(p)) >= 4 AND size(list) < 6",
        "length(p) = b.i - 1",
        "length(p) > 2.5",
        "length(p) <> 1",
        "p IS NULL",
    ];
    for pattern in [
        "-[list:R*]->",
        "-[list*..6]-",
        "<-[list:R*]-",
        "-[list*0..4]->",
    ] {
        for condition in conditions {
            let ends = "MATCH (a:N {i: 0}), (b:N)";
            let shortest = format!(
                "{ends} MATCH p = allShortestPaths((a){pattern}(b)) WHERE {condition} AND a <> b \
                 RETURN b.i AS b, [r IN relationships(p) | r.w] AS ws, length(p) AS n \
                 ORDER BY b, ws"
            );
            // All paths, of which those of the least length are kept.
            let all = format!(
                "{ends} MATCH p = (a){pattern}(b) WHERE {condition} AND a <> b \
                 WITH b, min(length(p)) AS least, collect(p) AS ps UNWIND ps AS p \
                 WITH b, p WHERE length(p) = least \
                 RETURN b.i AS b, [r IN relationships(p) | r.w] AS ws, length(p) AS n \
                 ORDER BY b, ws"
            )
            .replace("WITH b, p WHERE", "WITH b, p, least WHERE");
            assert_eq!(rows(&graph, &shortest), rows(&graph, &all), "{shortest}");
            let one = shortest.replace("allShortestPaths", "shortestPath");
            let lengths = |rows: Vec<Vec<Datum>>| {
                let mut pairs: Vec<_> = rows
                    .into_iter()
                    .map(|row| format!("{:?} {:?}", row[0], row[2]))
                    .collect();
                pairs.dedup();
                pairs
            };
            let first = rows(&graph, &one);
            let count = first.len();
            let first = lengths(first);
            assert_eq!(count, first.len(), "one of each pair: {one}");
            assert_eq!(first, lengths(rows(&graph, &shortest)), "{one}");
        }
    }
}

/// Pairs with an end in common are found by one search, after some of their own.
#[test]
fn shortest_paths_of_many_pairs_are_those_of_each() {
    let graph = graph();
    rows(&graph, "UNWIND range(0, 29) AS i CREATE (:N {i: i})");
    rows(
        &graph,
        "MATCH (a:N), (b:N) WHERE (a.i * 13 + b.i * 7) % 23 < 2 \
         CREATE (a)-[:R]->(b), (b)-[:S]->(a)",
    );
    let patterns = [
        ("-[:R", "]->", 4),
        ("<-[", "]-", 2),
        ("-[:R|S", "]-", 2),
        ("-[:S", "]->", 2),
    ];
    for (left, right, most) in patterns {
        for ends in ["(a:N {i: 4}), (b:N)", "(b:N {i: 4}), (a:N)", "(a:N), (b:N)"] {
            let repeated = format!("(a){left}*..{most}{right}(b)");
            let all = format!(
                "MATCH {ends} WHERE a <> b MATCH p = {repeated} \
                 WITH a.i AS a, b.i AS b, length(p) AS n, count(*) AS c ORDER BY n \
                 WITH a, b, collect([n, c])[0] AS first \
                 RETURN a, b, first[0] AS n, first[1] AS c ORDER BY a, b"
            );
            let expected = rows(&graph, &all);
            assert!(expected.len() > 5, "{repeated}");
            let of = |path: &str| {
                let text = format!(
                    "MATCH {ends} WHERE a <> b WITH a, b ORDER BY a.i, b.i MATCH p = {path} \
                     RETURN a.i AS a, b.i AS b, length(p) AS n, count(*) AS c ORDER BY a, b"
                );
                rows(&graph, &text)
            };
            let found = of(&format!("allShortestPaths({repeated})"));
            assert_eq!(found, expected, "{ends} {repeated}");
            let groups = format!("SHORTEST 1 GROUPS (a){left}{right}{{1,{most}}}(b)");
            assert_eq!(of(&groups), expected, "{ends} {groups}");
            let one = of(&format!("shortestPath({repeated})"));
            let lengths = |rows: &[Vec<Datum>]| {
                let lengths = rows.iter().map(|row| format!("{:?}", &row[..3]));
                lengths.collect::<Vec<_>>()
            };
            assert_eq!(lengths(&one), lengths(&expected), "{ends} {repeated}");
            assert!(
                one.iter().all(|row| row[3] == 1.into()),
                "{ends} {repeated}"
            );
        }
    }
}

/// Pairs with an end in common share a search only where it is the same for each of them.
#[test]
fn shortest_paths_by_values_of_a_row_are_those_of_that_row() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (s:S) WITH s UNWIND range(0, 39) AS i \
         CREATE (s)-[:R {w: i % 2}]->(:T {i: i, w: i % 2})",
    );
    for path in [
        "shortestPath((s)-[:R* {w: t.w}]->(t))",
        "shortestPath((s)-[list:R*]->(t)) WHERE all(r IN list WHERE r.w = t.w)",
        "ANY SHORTEST (s) (()-[r:R]->() WHERE r.w = t.w)+ (t)",
    ] {
        let text = format!(
            "MATCH (s:S), (t:T) WITH s, t ORDER BY t.i MATCH p = {path} RETURN count(p) AS c"
        );
        assert_eq!(value(&graph, &text), 40.into(), "{path}");
    }
}

#[test]
fn shortest_paths_have_the_length_that_they_have_to() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (a:A)-[:R {w: 2}]->(b:B), (a)-[:R {w: 2}]->(:C)-[:R {w: 2}]->(b)",
    );
    for (pattern, length) in [
        ("ANY SHORTEST (a:A)-[:R]->+(b:B)", 1),
        ("ANY SHORTEST (a:A)-[:R]->{2,}(b:B)", 2),
        ("SHORTEST 1 GROUPS (a:A)-[:R]->{2,3}(b:B)", 2),
    ] {
        let text = format!("MATCH p = {pattern} RETURN collect(length(p)) = [{length}] AS c");
        assert_eq!(value(&graph, &text), true.into(), "{pattern}");
    }
    // From a node to itself there is the empty path alone, if it is long enough.
    for types in ["R", "%", "!S", "R&!S", "$('R')"] {
        for (least, count) in [(0, 6), (1, 3)] {
            for choice in ["shortestPath", "allShortestPaths"] {
                let text = format!(
                    "MATCH (a), (b) MATCH p = {choice}((a)-[:{types}*{least}..]->(b)) \
                     RETURN count(p) AS c"
                );
                assert_eq!(
                    value(&graph, &text),
                    count.into(),
                    "{choice} {types} {least}"
                );
            }
        }
        let text =
            format!("MATCH (a:A), (b:B) RETURN length(shortestPath((a)-[:{types}*]->(b))) AS c");
        assert_eq!(value(&graph, &text), 1.into(), "{types}");
    }
    // The path that the condition speaks of is the whole one.
    let text = "MATCH p = shortestPath((a:A)-[:R*]->(b:B)) \
                WHERE all(r IN relationships(p) WHERE r.w = length(p)) RETURN length(p) AS c";
    assert_eq!(value(&graph, text), 2.into());
    let within = "MATCH p = shortestPath((a:A)-[r:R* WHERE r.w = 2]->(b:B)) RETURN length(p) AS c";
    assert_eq!(value(&graph, within), 1.into());
}

#[test]
fn paths_of_any_length_leave_out_what_is_found_and_what_has_no_value() {
    let graph = graph();
    rows(&graph, "CREATE (:A)-[:R]->(:B)");
    let beside = "MATCH (a:A)-[r:R]->(b)-[:R*1..2]-(c) RETURN count(*) AS c";
    assert_eq!(value(&graph, beside), 0.into());
    let apart = "MATCH (a:A)-[r:R]->(b) MATCH (b)-[:R*1..2]-(c) RETURN count(*) AS c";
    assert_eq!(value(&graph, apart), 1.into());
    for map in ["{w: 1}", "{w: null}"] {
        let text = format!("MATCH (a:A)-[:R*1..2 {map}]->(b) RETURN count(*) AS c");
        assert_eq!(value(&graph, &text), 0.into(), "{map}");
    }
}

/// A condition in the parentheses of a path is decided before the selector chooses, and sees
/// the path by its name.
#[test]
fn a_selector_chooses_between_paths_that_satisfy_a_condition_on_the_path() {
    let graph = graph();
    rows(&graph, "UNWIND range(0, 6) AS i CREATE (:N {i: i})");
    rows(
        &graph,
        "MATCH (a:N), (b:N) WHERE b.i - a.i IN [1, 2, 5] CREATE (a)-[:R]->(b)",
    );
    let condition = "length(p) > 1 AND none(n IN nodes(p)[1..-1] WHERE n.i = 3)";
    for ends in ["(a:N {i: 0}), (b:N)", "(b:N {i: 6}), (a:N)", "(a:N), (b:N)"] {
        let columns = "a.i AS a, b.i AS b, [n IN nodes(p) | n.i] AS l";
        let chosen = format!(
            "MATCH {ends} MATCH ALL SHORTEST (p = (a)-[:R]->+(b) WHERE {condition}) \
             RETURN {columns} ORDER BY a, b, l"
        );
        let all = format!(
            "MATCH {ends} MATCH p = (a)-[:R*]->(b) WHERE {condition} WITH {columns} \
             ORDER BY size(l) WITH a, b, collect(l) AS lists \
             UNWIND [l IN lists WHERE size(l) = size(lists[0])] AS l RETURN a, b, l ORDER BY a, b, l"
        );
        let expected = rows(&graph, &all);
        assert!(expected.len() > 3, "{ends}");
        assert_eq!(rows(&graph, &chosen), expected, "{ends}");
    }
    let alone = "MATCH ANY SHORTEST (p = (a:N)-->+(:N {i: 6}) WHERE length(p) = 4) \
                 RETURN count(*) AS c, collect(DISTINCT length(p)) AS l";
    assert_eq!(rows(&graph, alone), rows(&graph, "RETURN 3 AS c, [4] AS l"));
}

/// `WALK` lifts that relationships differ for its path, `REPEATABLE ELEMENTS` for all of a
/// clause whose paths do not say otherwise.
#[test]
fn relationships_repeat_where_the_mode_of_their_path_lets_them() {
    let graph = graph();
    rows(&graph, "CREATE (n:L)-[:R]->(n), (:A)-[:S]->(:A)");
    for (pattern, count) in [
        ("WALK (a)-[:R]->(b)-[:R]->(c)", 1),
        ("TRAIL (a)-[:R]->(b)-[:R]->(c)", 0),
        ("WALK (a)-[:R]->{1,1}(b)-[:R]->(c)", 1),
        ("WALK (a)-[r:R]->(b), WALK (c)-[s:R]->(d)", 1),
        ("REPEATABLE ELEMENTS (a)-[:S]-(b)-[:S]-(c)", 2),
        ("REPEATABLE ELEMENTS (a)-[:S]-{2,2}(b)", 2),
        ("REPEATABLE ELEMENTS WALK (a)-[:S]-{2,2}(b)", 2),
        ("REPEATABLE ELEMENTS TRAIL (a)-[:S]-{2,2}(b)", 0),
        ("REPEATABLE ELEMENTS TRAIL (a)-[:S]-(b)-[:S]-(c)", 0),
        (
            "REPEATABLE ELEMENTS TRAIL (a)-[:S]->+(b), TRAIL (c)-[:S]->+(d)",
            1,
        ),
        ("REPEATABLE ELEMENTS ACYCLIC (a)-[:S]-{2,2}(b)", 0),
        ("REPEATABLE ELEMENTS ACYCLIC (a)-[:S]-(b)-[:S]-(c)", 0),
        ("REPEATABLE ELEMENTS SIMPLE (a)-[:S]-{2,2}(b)", 0),
        (
            "REPEATABLE ELEMENTS ANY SHORTEST TRAIL (a)-[:S]-{2,2}(b)",
            0,
        ),
        ("REPEATABLE ELEMENTS ANY SHORTEST (a)-[:S]-{2,2}(b)", 2),
    ] {
        let text = format!("MATCH {pattern} RETURN count(*) AS c");
        assert_eq!(value(&graph, &text), count.into(), "{pattern}");
    }
}

/// Paths that end where they began, against all of them.
#[test]
fn shortest_rounds_are_found_and_their_absence_is() {
    for seed in 0..24 {
        let mut dice = Dice(seed);
        let graph = graph();
        rows(&graph, "UNWIND range(0, 6) AS i CREATE ({i: i})");
        for _ in 0..9 {
            let (from, to) = (dice.below(7), dice.below(7));
            let text = format!("MATCH (a {{i: {from}}}), (b {{i: {to}}}) CREATE (a)-[:R]->(b)");
            rows(&graph, &text);
        }
        for (left, right, most) in [("-", "-", 9), ("-", "->", 9), ("<-", "-", 9), ("-", "-", 3)] {
            let text = format!(
                "MATCH p = (a){left}[*1..{most}]{right}(b) WHERE a = b \
                 RETURN a.i AS i, min(length(p)) AS n ORDER BY i"
            );
            let expected = rows(&graph, &text);
            for choice in [
                "ANY SHORTEST",
                "SHORTEST 1",
                "ANY SHORTEST SIMPLE",
                "ALL SHORTEST",
            ] {
                let text = format!(
                    "MATCH (a), (b) MATCH p = {choice} (a){left}[r]{right}{{1,{most}}}(b) \
                     WHERE a = b UNWIND r AS one WITH a, p, length(p) AS n, count(DISTINCT one) AS m \
                     WITH a.i AS i, n, collect(DISTINCT m) AS all WHERE all = [n] \
                     RETURN i, n ORDER BY i"
                );
                assert_eq!(rows(&graph, &text), expected, "{seed}: {text}");
            }
        }
    }
    // There are more paths than can be looked at, and none that is back.
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 9) AS i CREATE (:K {i: i}) WITH count(*) AS all \
         MATCH (a:K), (b:K) WHERE a.i < b.i CREATE (a)-[:R]->(b) WITH count(*) AS all \
         MATCH (a:K {i: 0}) CREATE (:End)-[:R]->(a)",
    );
    for choice in ["ANY SHORTEST", "ALL SHORTEST", "ANY SHORTEST ACYCLIC"] {
        let text = format!("MATCH p = {choice} (a:End)--+(b) WHERE a = b RETURN p");
        assert_eq!(rows(&graph, &text).len(), 0, "{text}");
    }
}
