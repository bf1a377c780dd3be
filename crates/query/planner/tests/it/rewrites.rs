//! Each rewrite rule, before and after.

use std::fmt::Write;

use evergraph_planner::lower::lower_only;
use evergraph_planner::{Operator, Plan, print, rewrite};
use expect_test::expect_file;

use crate::plans::{Social, parsed};

fn before_and_after(rule: impl Fn(Plan) -> Plan, queries: &[&str]) -> String {
    let mut text = String::new();
    for query in queries {
        let (plan, names) = lower_only(&parsed(query), &Social).expect("a plan");
        let before = print(&plan, &names);
        let after = print(&rule(plan), &names);
        writeln!(text, "{query}\n\n{before}\nbecomes\n\n{after}").expect("a string takes all");
    }
    text
}

#[test]
fn sorting_with_a_limit_becomes_top() {
    let text = before_and_after(
        rewrite::use_top,
        &[
            "MATCH (n) RETURN n.x AS x ORDER BY x LIMIT 3",
            "MATCH (n) RETURN n.x AS x ORDER BY x SKIP 2 LIMIT 3",
            "MATCH (n) RETURN n.x AS x ORDER BY x SKIP 2",
        ],
    );
    expect_file!["golden/top.txt"].assert_eq(&text);
}

#[test]
fn patterns_as_conditions_become_semi_joins() {
    let text = before_and_after(
        rewrite::use_semi_joins,
        &[
            "MATCH (n:Tag) WHERE (n)-->() AND n.x > 1 RETURN n",
            "MATCH (n:Tag) WHERE NOT EXISTS { (n)-[:KNOWS]->(m) WHERE m.x = n.x } RETURN n",
        ],
    );
    expect_file!["golden/semi-joins.txt"].assert_eq(&text);
}

#[test]
fn creates_are_joined() {
    let text = before_and_after(
        rewrite::join_creates,
        &[
            "CREATE (a:Tag) CREATE (b:Tag)-[:KNOWS]->(a)",
            "CREATE (a:Tag {x: 1}) CREATE (b:Tag {x: a.x})",
        ],
    );
    expect_file!["golden/creates.txt"].assert_eq(&text);
}

#[test]
fn barriers_stand_between_reading_and_writing() {
    let text = before_and_after(
        rewrite::add_barriers,
        &[
            "MATCH (n:Tag) CREATE (m:Tag) RETURN n LIMIT 1",
            "MATCH (n:Tag) WITH count(*) AS c CREATE (m {c: c})",
        ],
    );
    expect_file!["golden/barriers.txt"].assert_eq(&text);
}

#[test]
fn scans_decide_comparisons() {
    let text = before_and_after(
        rewrite::push_tests,
        &[
            "MATCH (n:Tag) WHERE n.x > 1 AND 2 = n.y AND n.x < n.z RETURN n",
            "UNWIND [1, 2] AS x MATCH (n) WHERE n.x = x OR n.y = x RETURN n",
        ],
    );
    expect_file!["golden/scans.txt"].assert_eq(&text);
}

#[test]
fn rows_are_counted_by_degrees() {
    let text = before_and_after(
        |plan| rewrite::count_by_degrees(plan, &Social),
        &[
            // From the middle.
            "MATCH (a)-->(b)-->(c) RETURN count(*)",
            "MATCH (p:Person)-[:KNOWS]->(q:Person)-[:LIKES]->(t:Tag) RETURN count(*)",
            // From what is grouped by.
            "MATCH (p:Person)-[:LIKES]->(t:Tag) RETURN t.name AS name, count(p)",
            // What is looked at is found.
            "MATCH (a:Tag)<--(b)-->(c) WHERE b.x > 1 AND a <> c RETURN count(*)",
            "MATCH (a:Tag)-->(b)-->(c)-->(d) RETURN count(*)",
            "MATCH (a:Tag)-->(b)-->(a) RETURN count(*)",
            "MATCH (a:Tag)-->(b) RETURN count(DISTINCT b)",
            "MATCH (a:Tag)-->(b) RETURN count(*), max(b.x)",
        ],
    );
    expect_file!["golden/counts.txt"].assert_eq(&text);
}

#[test]
fn conditions_on_two_nodes_are_decided_at_the_ends_of_branches() {
    let text = before_and_after(
        |plan| rewrite::count_by_degrees(rewrite::use_semi_joins(plan), &Social),
        &[
            // Both are ends of branches.
            "MATCH (s:Tag)<-[:LIKES]-(a:Post)<-[:WROTE]-(b:Post)-[:LIKES]->(t:Tag) WHERE s <> t \
             RETURN count(*)",
            // One is of the row: that other condition follows.
            "MATCH (s:Tag)<-[:LIKES]-(a:Post)<-[:WROTE]-(b:Post)-[:LIKES]->(t:Tag) WHERE s <> t \
             AND NOT EXISTS { (b)-[:LIKES]->(s) } RETURN count(*)",
            "MATCH (a:Person)-[:KNOWS]-(b)-[:KNOWS]-(c:Person)-[:LIKES]->(:Tag) WHERE a <> c \
             AND NOT (a)-[:KNOWS]-(c) RETURN count(*)",
            "MATCH (a:Person)-[:KNOWS]->(b)-[:KNOWS]->(c) WHERE (a)-[:LIKES]->(c) \
             RETURN a.name, count(*)",
            // Neighbors are compared with a node that is found.
            "MATCH (a:Tag)-->(b)-->(c) WHERE b.x > 1 AND NOT (c)-[:KNOWS]->(a) RETURN count(*)",
            // What need not be there counts once.
            "MATCH (t:Tag)<-[:LIKES]-(p:Person) OPTIONAL MATCH (p)-[:KNOWS]->(q:Person) \
             OPTIONAL MATCH (p)<-[:WROTE]-(m:Post)-[:LIKES]->(s) RETURN count(*)",
            "MATCH (t:Tag) OPTIONAL MATCH (t)<-[:LIKES]-(p:Person) RETURN t.name, count(*)",
            // Its nodes are needed, or it has other conditions.
            "MATCH (t:Tag) OPTIONAL MATCH (t)<-[:LIKES]-(p:Person) RETURN t.name, count(p)",
            "MATCH (t:Tag) OPTIONAL MATCH (t)<-[:LIKES]-(p {x: 1}) RETURN t.name, count(*)",
        ],
    );
    expect_file!["golden/conditions.txt"].assert_eq(&text);
}

#[test]
fn common_neighbors_are_intersected() {
    let text = before_and_after(
        rewrite::use_intersections,
        &[
            "MATCH (a:Tag)-->(b)-->(c)-->(a) RETURN a",
            "MATCH (a)--(b)--(c)--(a) WHERE id(a) < id(b) AND id(b) < id(c) RETURN count(*)",
            "MATCH (a:Tag)-->(b), (a)-->(c)<--(b), (a)-->(d)<--(b), (c)--(d) WHERE d.x > 1 \
             RETURN d",
            "MATCH (a:Tag)-->(b)-->(b) RETURN b",
            // Few have such relationships.
            "MATCH (a:Person)-[:WROTE]->(b)-[:WROTE]->(c)<-[:WROTE]-(a) RETURN a",
        ],
    );
    expect_file!["golden/intersections.txt"].assert_eq(&text);
}

#[test]
fn ends_are_found_once() {
    let text = before_and_after(
        rewrite::find_ends_once,
        &[
            "MATCH (a:Tag)-[:KNOWS*1..3]->(b:Person) RETURN count(DISTINCT b)",
            "MATCH (a:Tag)-[:KNOWS*1..2]-(b) WHERE b <> a WITH DISTINCT b MATCH (b)-->(c) RETURN c",
            "MATCH (a:Tag)-[:KNOWS*0..2]-(b)-[:LIKES]->(c) RETURN DISTINCT a, c",
            // The way back may be the way there; lists, paths and numbers of rows are needed.
            "MATCH (a:Tag)-[:KNOWS*1..2]-(b) RETURN DISTINCT b",
            "MATCH (a:Tag)-[:KNOWS*2..3]->(b) RETURN DISTINCT b",
            "MATCH (a:Tag)-[r:KNOWS*1..3]->(b) RETURN DISTINCT b, size(r)",
            "MATCH (a:Tag)-[:KNOWS*1..3]->(b)-[:KNOWS]->(c) RETURN DISTINCT c",
            "MATCH (a:Tag)-[:KNOWS*1..3]->(b) RETURN count(DISTINCT b), count(*)",
            "MATCH (a:Tag)-[:KNOWS*1..3]->(b) WITH b LIMIT 3 RETURN DISTINCT b",
        ],
    );
    expect_file!["golden/ends-once.txt"].assert_eq(&text);
}

/// The last operator stands first.
#[test]
fn relationships_that_nothing_reads_are_marked() {
    for (text, unread) in [
        ("MATCH (a)-[r:KNOWS]->(b) RETURN b", vec![true]),
        ("MATCH (a)-[r:KNOWS]->(b) RETURN r.since", vec![false]),
        ("MATCH p = (a)-[:KNOWS]->(b) RETURN p", vec![false]),
        // The second differs from the first.
        (
            "MATCH (a:Tag)-[:KNOWS]->(b)-[:KNOWS]->(c) RETURN c",
            vec![true, false],
        ),
        (
            "MATCH (a:Tag)-[:KNOWS]->(b)-[:LIKES]->(c) RETURN c",
            vec![true, true],
        ),
        // It may be read where the rule does not look.
        ("MATCH (a)-[r:KNOWS]->(b) SET r.x = 1", vec![false]),
    ] {
        let planned = evergraph_planner::plan(&parsed(text), &Social).expect("a plan");
        let mut found = Vec::new();
        planned.plan.for_each(&mut |one| {
            if let Operator::Expand(step) = &one.operator {
                found.push(step.unread);
            }
        });
        assert_eq!(found, unread, "{text}");
    }
}
