//! Counts of clauses one after the other, of which a later one begins at what an earlier one
//! may not have found, against sums of as many ones.

use std::fmt::Write;

use evergraph_functions::Datum;
use evergraph_property_graph::graph::PropertyGraph;

use crate::counts::Random;
use crate::{graph, rows, value};

const TYPES: [&str; 4] = ["", ":R", ":S", ":T"];
const LABELS: [&str; 4] = ["", ":A", ":B", ":!A"];

fn one_of(random: &mut Random, of: &[&'static str]) -> &'static str {
    of[random.below(of.len())]
}

fn random_graph(random: &mut Random) -> PropertyGraph {
    let graph = graph();
    let nodes = 3 + random.below(4);
    let mut text = String::from("CREATE ");
    for node in 0..nodes {
        let labels = one_of(random, &["", ":A", ":B", ":A:B"]);
        let _ = write!(text, "(n{node}{labels}), ");
    }
    for _ in 0..2 + random.below(8) {
        let (from, to) = (random.below(nodes), random.below(nodes));
        let kind = one_of(random, &TYPES[1..]);
        let _ = write!(text, "(n{from})-[{kind}]->(n{to}), ");
    }
    rows(&graph, text.trim_end_matches(", "));
    graph
}

/// Clauses, and how many nodes they name.
struct Chain {
    text: String,
    nodes: usize,
}

impl Chain {
    fn random(random: &mut Random) -> Self {
        let mut chain = Chain {
            text: String::new(),
            nodes: 0,
        };
        for clause in 0..1 + random.below(3) {
            let optional = if clause > 0 && random.below(2) == 0 {
                "OPTIONAL "
            } else {
                ""
            };
            let _ = write!(chain.text, "{optional}MATCH ");
            chain.path(random);
            if random.below(2) == 0 {
                chain.condition(random);
            }
            chain.text.push(' ');
        }
        chain
    }

    /// A path that begins at a known node, and leads to new ones but for some.
    fn path(&mut self, random: &mut Random) {
        match self.nodes {
            0 => self.new_node(random),
            known => {
                let _ = write!(self.text, "(n{})", random.below(known));
            }
        }
        for _ in 0..1 + random.below(4) {
            let (left, right) = [("-", "->"), ("<-", "-"), ("-", "-")][random.below(3)];
            let _ = write!(self.text, "{left}[{}]{right}", one_of(random, &TYPES));
            match random.below(8) {
                0 => {
                    let _ = write!(self.text, "(n{})", random.below(self.nodes));
                }
                _ => self.new_node(random),
            }
        }
    }

    fn new_node(&mut self, random: &mut Random) {
        let _ = write!(self.text, "(n{}{})", self.nodes, one_of(random, &LABELS));
        self.nodes += 1;
    }

    fn condition(&mut self, random: &mut Random) {
        let [one, other] = [(); 2].map(|()| random.below(self.nodes));
        let kind = one_of(random, &TYPES);
        let condition = match random.below(3) {
            0 => format!("n{one} <> n{other}"),
            1 => format!("(n{one})-[{kind}]->(n{other})"),
            _ => format!("NOT (n{one})-[{kind}]-(n{other})"),
        };
        let _ = write!(self.text, " WHERE {condition}");
    }
}

#[test]
fn counts_behind_clauses_are_the_rows_that_these_give() {
    let mut random = Random(20);
    for _ in 0..40 {
        let graph = random_graph(&mut random);
        for _ in 0..60 {
            let Chain { text, nodes } = Chain::random(&mut random);
            let counted = |count: &str| value(&graph, &format!("{text}RETURN {count} AS c"));
            assert_eq!(counted("count(*)"), counted("sum(1)"), "{text}");
            let key = random.below(nodes);
            let groups = |count: &str| {
                let by = format!("{text}WITH n{key} AS k, {count} AS c");
                rows(&graph, &format!("{by} RETURN id(k) AS k, c ORDER BY k"))
            };
            assert_eq!(groups("count(*)"), groups("sum(1)"), "{text} by n{key}");
        }
    }
}

#[test]
fn what_hangs_on_an_optional_node_is_counted_with_it() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (:A)-[:R]->(b:B), (b)-[:S]->(:C), (b)-[:S]->(:C)",
    );
    let begin = "OPTIONAL MATCH (a)-[:R]->(b)";
    for (text, count) in [
        (
            format!("MATCH (a:A) {begin} OPTIONAL MATCH (b)-[:S]->(c)"),
            2,
        ),
        (format!("MATCH (a) {begin} OPTIONAL MATCH (b)-[:S]->(c)"), 5),
        (format!("MATCH (a) {begin} MATCH (b)-[:S]->(c)"), 2),
        (format!("MATCH (a) {begin} MATCH (b)<-[:R]-(c)"), 1),
        (format!("MATCH (a) {begin} MATCH (a)-[:R]->(b)"), 1),
    ] {
        let found = value(&graph, &format!("{text} RETURN count(*) AS c"));
        assert_eq!(found, Datum::from(count), "{text}");
    }
}

/// A pattern is counted from another node than it was planned from: its relationships
/// still differ.
#[test]
fn relationships_differ_wherever_a_count_begins() {
    let loops = "CREATE (a:A)-[:S]->(a), (a)-[:R]->(:B)";
    let chain = "CREATE (x:A)-[:S]->(y:A), (y)-[:R]->(z), (y)-[:S]->(w:A)";
    let two = "CREATE (u), (v), (c:C:A), (t), (w:A), (w)-[:R]->(t), (u)-[:T]->(v), \
               (c)-[:T]->(c), (c)-[:R]->(t)";
    for (made, pattern) in [
        (
            loops,
            "(n1:B)<-[:R]-(n2)<-[:S]-(n3)<-[:S]-(n4:A) WHERE n1 <> n4",
        ),
        (
            loops,
            "(n1:B)<-[:R]-(n2)<-[:S]-(n3)<-[:S]-(n4:A) WHERE NOT (n1)-->(n4)",
        ),
        (
            loops,
            "(n4:A)-[:S]->(n3)-[:S]->(n2)-[:R]->(n1:B) WHERE n1 <> n4",
        ),
        (
            chain,
            "(n0)<-[:R]-(n1:A)<-[:S]-(n2:A)-[:S]-(n3)-[:S]->(n4:A) WHERE n4 <> n0",
        ),
        (
            two,
            "(n0:A)-[:R]->(n1)<-[:R]-(n2)-[:T]->(n3:A)<-[:T]-(n4:C)-[:T]-(n5) \
             WHERE NOT (n1)-->(n5)",
        ),
    ] {
        let graph = graph();
        rows(&graph, made);
        let text = format!("MATCH {pattern} RETURN count(*) AS c");
        assert_eq!(value(&graph, &text), Datum::from(0), "{text}");
    }
}
