//! Counts by degrees and intersections against plans without them, and against all ways to
//! choose relationships.

use std::collections::BTreeMap;
use std::fmt::Write;

use evergraph_interpreter::{Options, Parameters, Query};
use evergraph_property_graph::graph::{NodeId, PropertyGraph, Transaction, View};

use crate::{graph, rows, value};

/// Reproducible random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }
}

const NODES: usize = 10;
const TYPES: [&str; 3] = ["R", "S", "T"];

/// Which labels nodes have, and what relationships are between.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Labelling {
    #[default]
    Random,
    /// All nodes have `A`.
    Same,
    /// `A` or `B`, and `R` leads from the former to the latter.
    ByType,
}

/// Relationships with their types and ends, and labels of nodes.
#[derive(Clone, Default)]
struct Model {
    labelling: Labelling,
    labels: Vec<Vec<&'static str>>,
    relationships: BTreeMap<u32, (&'static str, usize, usize)>,
    nodes: Vec<NodeId>,
}

impl Model {
    fn create(&mut self, transaction: &mut Transaction, random: &mut Random) {
        let all = match self.labelling {
            Labelling::Random => vec![vec![], vec!["A"], vec!["B"], vec!["A", "B"]],
            Labelling::Same => vec![vec!["A"], vec!["A", "B"]],
            Labelling::ByType => vec![vec!["A"], vec!["B"]],
        };
        let labels: Vec<&'static str> = all[random.below(all.len())].clone();
        let x = (self.nodes.len() % 3) as i64;
        let node = transaction.create_node(&labels, [("x", x.into())]);
        self.nodes.push(node.expect("a node"));
        self.labels.push(labels);
    }

    /// Connects, loops and parallel relationships among them, and disconnects.
    fn change(&mut self, transaction: &mut Transaction, random: &mut Random, count: usize) {
        for _ in 0..count {
            if random.below(4) == 0 && !self.relationships.is_empty() {
                let place = random.below(self.relationships.len());
                let id = *self.relationships.keys().nth(place).expect("one");
                let deleted = transaction
                    .delete_relationship(evergraph_property_graph::graph::RelationshipId(id));
                deleted.expect("deleted");
                self.relationships.remove(&id);
                continue;
            }
            let from = random.below(self.nodes.len());
            let to = match random.below(4) {
                0 => from,
                1 => (from + 1) % self.nodes.len(),
                _ => random.below(self.nodes.len()),
            };
            let is_between = self.labels[from] == ["A"] && self.labels[to] == ["B"];
            let kind = match (self.labelling, is_between) {
                (Labelling::ByType, false) => TYPES[1 + random.below(2)],
                (Labelling::ByType, true) => TYPES[0],
                _ => TYPES[random.below(3)],
            };
            let (source, target) = (self.nodes[from], self.nodes[to]);
            let nothing = Vec::<(&str, evergraph_property_graph::Value)>::new();
            let made = transaction.create_relationship(source, kind, target, nothing);
            self.relationships
                .insert(made.expect("made").0, (kind, from, to));
        }
    }
}

struct Step {
    from: usize,
    to: usize,
    /// Leaves `from`, enters it.
    directions: [bool; 2],
    types: Vec<&'static str>,
}

impl Step {
    fn random(random: &mut Random, from: usize, to: usize) -> Self {
        let types = [vec![], vec!["R"], vec!["R"], vec!["S"], vec!["R", "S"]];
        Step {
            from,
            to,
            directions: [[true, false], [false, true], [true, true]][random.below(3)],
            types: types[random.below(types.len())].clone(),
        }
    }

    /// Ways to go along a relationship, as pairs of ends.
    fn ways(&self, (kind, source, target): (&'static str, usize, usize)) -> Vec<(usize, usize)> {
        let mut ways = Vec::new();
        if !(self.types.is_empty() || self.types.contains(&kind)) {
            return ways;
        }
        if self.directions[0] {
            ways.push((source, target));
        }
        if self.directions[1] && !(self.directions[0] && source == target) {
            ways.push((target, source));
        }
        ways
    }

    fn text(&self, variable: &str) -> String {
        let types = match self.types.is_empty() {
            true => String::new(),
            false => format!(":{}", self.types.join("|")),
        };
        let [left, right] = match self.directions {
            [true, false] => ["-", "->"],
            [false, true] => ["<-", "-"],
            _ => ["-", "-"],
        };
        format!("{left}[{variable}{types}]{right}")
    }
}

/// A pattern, and what is returned of it.
struct Pattern {
    labels: Vec<Vec<&'static str>>,
    steps: Vec<Step>,
    /// Nodes that are not the same, and nodes of which the first has the lower id.
    differ: Vec<(usize, usize)>,
    below: Vec<(usize, usize)>,
    /// Whether there has to be, or must not be, a relationship between two nodes.
    beside: Vec<(Step, bool)>,
    /// Optional steps: each row has one as often as it is there, and else once, with a label
    /// of its end.
    optional: Vec<(Step, Option<&'static str>)>,
    /// The first step of the second `MATCH`.
    cut: usize,
}

impl Pattern {
    fn random(random: &mut Random) -> Self {
        let mut pattern = Pattern {
            labels: vec![Vec::new()],
            steps: Vec::new(),
            differ: Vec::new(),
            below: Vec::new(),
            beside: Vec::new(),
            optional: Vec::new(),
            cut: usize::MAX,
        };
        for _ in 0..=random.below(4) {
            let nodes = pattern.labels.len();
            let mut ends = (random.below(nodes), nodes);
            match random.below(5) {
                0 => ends.1 = random.below(nodes),
                1 if nodes > 2 => ends = (nodes - 1, random.below(nodes - 1)),
                _ => pattern.labels.push(Vec::new()),
            }
            pattern.steps.push(Step::random(random, ends.0, ends.1));
        }
        for labels in &mut pattern.labels {
            match random.below(6) {
                0 => labels.push("A"),
                1 => labels.push("B"),
                _ => {}
            }
        }
        let nodes = pattern.labels.len();
        if nodes > 2 && random.below(4) == 0 {
            let one = random.below(nodes - 1);
            pattern
                .differ
                .push((one, one + 1 + random.below(nodes - one - 1)));
        }
        if nodes > 2 && random.below(4) == 0 {
            pattern.below.push((0, 1));
            pattern.below.push((nodes - 2, nodes - 1));
        }
        if nodes > 2 && random.below(3) == 0 {
            let one = random.below(nodes - 1);
            let other = one + 1 + random.below(nodes - one - 1);
            let step = Step::random(random, one, other);
            pattern.beside.push((step, random.below(3) > 0));
        }
        while random.below(4) == 0 {
            let from = random.below(nodes);
            let step = Step::random(random, from, 0);
            let label = [None, Some("A"), Some("B")][random.below(3)];
            pattern.optional.push((step, label));
        }
        if random.below(4) == 0 {
            pattern.cut = random.below(pattern.steps.len());
        }
        pattern
    }

    fn text(&self, returned: &str) -> String {
        let mut text = String::from("MATCH (n0");
        let labels = |node: usize| -> String {
            self.labels[node]
                .iter()
                .map(|label| format!(":{label}"))
                .collect()
        };
        let _ = write!(text, "{})", labels(0));
        let mut met = vec![0];
        for (place, step) in self.steps.iter().enumerate() {
            text.push_str(match place == self.cut {
                true => " MATCH ",
                false => ", ",
            });
            let mut node = |number: usize| match met.contains(&number) {
                true => format!("(n{number})"),
                false => {
                    met.push(number);
                    format!("(n{number}{})", labels(number))
                }
            };
            let (from, to) = (node(step.from), node(step.to));
            let relationship = step.text(&format!("r{place}"));
            let _ = write!(text, "{from}{relationship}{to}");
        }
        let differ = self.differ.iter().map(|(a, b)| format!("n{a} <> n{b}"));
        let below = self
            .below
            .iter()
            .map(|(a, b)| format!("id(n{a}) < id(n{b})"));
        let beside = self.beside.iter().map(|(step, negated)| {
            let not = if *negated { "NOT " } else { "" };
            let (from, to) = (step.from, step.to);
            format!("{not}EXISTS {{ (n{from}){}(n{to}) }}", step.text(""))
        });
        let conditions: Vec<String> = differ.chain(below).chain(beside).collect();
        if !conditions.is_empty() {
            let _ = write!(text, " WHERE {}", conditions.join(" AND "));
        }
        for (place, (step, label)) in self.optional.iter().enumerate() {
            let label = label.map_or(String::new(), |label| format!(":{label}"));
            let (from, step) = (step.from, step.text(""));
            let _ = write!(text, " OPTIONAL MATCH (n{from}){step}(o{place}{label})");
        }
        let _ = write!(text, " RETURN {returned}");
        text
    }

    /// How many ways there are to choose relationships.
    fn count(&self, model: &Model) -> u64 {
        let mut nodes = vec![None; self.labels.len()];
        let mut count = 0;
        for node in 0..model.nodes.len() {
            if self.fits(0, node, model) {
                nodes[0] = Some(node);
                count += self.count_from(0, &mut nodes, &mut Vec::new(), model);
            }
        }
        count
    }

    fn fits(&self, place: usize, node: usize, model: &Model) -> bool {
        self.labels[place]
            .iter()
            .all(|label| model.labels[node].contains(label))
    }

    fn count_from(
        &self,
        place: usize,
        nodes: &mut [Option<usize>],
        taken: &mut Vec<(usize, u32)>,
        model: &Model,
    ) -> u64 {
        let Some(step) = self.steps.get(place) else {
            let differ = self.differ.iter().all(|&(a, b)| nodes[a] != nodes[b]);
            let id = |node: usize| model.nodes[nodes[node].expect("found")];
            let below = self.below.iter().all(|&(a, b)| id(a).0 < id(b).0);
            let between = |step: &Step, from: usize, fits: &dyn Fn(usize) -> bool| {
                let all = model.relationships.values().flat_map(|&one| step.ways(one));
                all.filter(|&(near, far)| near == from && fits(far)).count() as u64
            };
            let at = |node: usize| nodes[node].expect("found");
            let beside = self.beside.iter().all(|(step, negated)| {
                let is_there = between(step, at(step.from), &|far| far == at(step.to)) > 0;
                is_there != *negated
            });
            let optional = self.optional.iter().map(|(step, label)| {
                let fits = |far: usize| label.is_none_or(|one| model.labels[far].contains(&one));
                between(step, at(step.from), &fits).max(1)
            });
            return u64::from(differ && below && beside) * optional.product::<u64>();
        };
        let mut count = 0;
        for (&id, &(kind, source, target)) in &model.relationships {
            let side = |place: usize| usize::from(place >= self.cut);
            if taken
                .iter()
                .any(|&(other, taken)| taken == id && side(other) == side(place))
            {
                continue;
            }
            for (from, to) in step.ways((kind, source, target)) {
                if nodes[step.from] != Some(from)
                    || !self.fits(step.to, to, model)
                    || nodes[step.to].is_some_and(|known| known != to)
                {
                    continue;
                }
                let before = nodes[step.to];
                nodes[step.to] = Some(to);
                taken.push((place, id));
                count += self.count_from(place + 1, nodes, taken, model);
                taken.pop();
                nodes[step.to] = before;
            }
        }
        count
    }
}

enum Read<'r> {
    View(&'r View),
    Own(&'r mut Transaction),
}

fn answer(graph: &PropertyGraph, read: &mut Read<'_>, text: &str, plain: bool) -> Vec<String> {
    let options = Options {
        plain,
        ..Options::default()
    };
    let query =
        Query::prepare_with(graph, text, options).unwrap_or_else(|error| panic!("{text}: {error}"));
    let rows = match read {
        Read::View(view) => query.read(view, &Parameters::new()),
        Read::Own(transaction) => query.run(transaction, &Parameters::new()),
    };
    let rows = rows.unwrap_or_else(|error| panic!("{text}: {error}\n{}", query.plan()));
    let mut rows: Vec<String> = rows.map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

/// Operators, and how many plans have them.
type Met = [(&'static str, usize); 6];

fn agree(
    graph: &PropertyGraph,
    read: &mut Read<'_>,
    model: &Model,
    (random, met): (&mut Random, &mut Met),
) {
    let pattern = Pattern::random(random);
    let last = pattern.labels.len() - 1;
    let returned = match random.below(6) {
        0 => format!("n{last}.x AS x, count(*)"),
        1 => format!("id(n0) AS k, count(n{last}), count(*)"),
        2 => format!("n{last}, count(r0)"),
        3 => format!("id(n{last}) + id(n0) AS k, count(*)"),
        _ => "count(*)".to_string(),
    };
    let text = pattern.text(&returned);
    let query = Query::prepare(graph, &text).expect("a query");
    for (name, count) in met {
        *count += usize::from(query.plan().contains(*name));
    }
    let fast = answer(graph, read, &text, false);
    assert_eq!(fast, answer(graph, read, &text, true), "{text}");
    if pattern.cut < pattern.steps.len()
        && let Some((first, second)) = text.split_once(" MATCH ")
    {
        let apart = format!("{first} WITH * MATCH {second}");
        assert_eq!(fast, answer(graph, read, &apart, false), "{text}");
    }
    if returned == "count(*)" {
        let count = pattern.count(model);
        assert_eq!(fast, [format!("[Value(Integer({count}))]")], "{text}");
    }
}

#[test]
fn counts_are_those_of_all_ways() {
    let met = ["Count [", "Intersect", " > ", "optional (", " NOT (", ", n"];
    let (mut random, mut met) = (Random(7), met.map(|name| (name, 0)));
    for round in 0..12 {
        let graph = graph();
        let labelling = [Labelling::Random, Labelling::Same, Labelling::ByType][round % 3];
        let mut model = Model {
            labelling,
            ..Model::default()
        };
        let mut views = Vec::new();
        for round in 0..3 {
            let mut transaction = graph.begin();
            for _ in 0..NODES / 2 {
                model.create(&mut transaction, &mut random);
            }
            model.change(&mut transaction, &mut random, 16);
            transaction.commit().expect("committed");
            if round == 1 {
                graph.checkpoint().expect("written");
            }
            views.push((graph.view(), model.clone()));
        }
        let mut transaction = graph.begin();
        let mut own = model.clone();
        for _ in 0..60 {
            for (view, model) in &views {
                agree(
                    &graph,
                    &mut Read::View(view),
                    model,
                    (&mut random, &mut met),
                );
            }
            if random.below(8) == 0 {
                own.create(&mut transaction, &mut random);
                own.change(&mut transaction, &mut random, 3);
            }
            let read = &mut Read::Own(&mut transaction);
            agree(&graph, read, &own, (&mut random, &mut met));
        }
    }
    assert!(met.iter().all(|&(_, count)| count > 3), "{met:?}");
}

#[test]
fn pairs_are_counted_over_many_batches() {
    const NODES: usize = 300;
    let (graph, mut random) = (graph(), Random(3));
    let mut transaction = graph.begin();
    let nodes: Vec<NodeId> = (0..NODES)
        .map(|_| transaction.create_node(&["P"], []).expect("a node"))
        .collect();
    // Some of them parallel, some loops.
    let (all, mut loops) = (10 * NODES, 0);
    for _ in 0..all {
        let (from, to) = (random.below(NODES), random.below(NODES));
        transaction
            .create_relationship(nodes[from], "K", nodes[to], [])
            .expect("a relationship");
        loops += usize::from(from == to);
    }
    transaction.commit().expect("committed");
    // All pairs of nodes are many batches, of which each has nodes of its own.
    for (pattern, expected) in [
        ("(a)-[:K]->(b)", all),
        ("(a)<-[:K]-(b)", all),
        ("(a)-[:K]-(b)", 2 * all - loops),
    ] {
        let text = format!("MATCH (a:P), (b:P) WITH a, b MATCH {pattern} RETURN count(*)");
        let query = Query::prepare(&graph, &text).expect("a query");
        assert!(query.plan().contains("Keep a, b"), "{}", query.plan());
        let found = answer(&graph, &mut Read::View(&graph.view()), &text, false);
        assert_eq!(found, [format!("[Value(Integer({expected}))]")], "{text}");
    }
}

/// That a node has no relationship of one type says nothing of those of others.
#[test]
fn nodes_that_differ_are_told_by_the_type_that_is_not_there() {
    let graph = graph();
    rows(
        &graph,
        "CREATE (a:N)-[:R]->(b:N)-[:R]->(b), (b)-[:R]->(c:N), (a)-[:S]->(c)",
    );
    for (kind, count) in [("R", 1), ("S", 1), ("T", 2)] {
        let text = format!(
            "MATCH (x)-[:R]->(y), (y)-[:R]->(z) \
             WHERE y <> z AND NOT EXISTS {{ (x)-[:{kind}]->(z) }} RETURN count(*) AS c"
        );
        assert_eq!(value(&graph, &text), count.into(), "{kind}");
    }
}
