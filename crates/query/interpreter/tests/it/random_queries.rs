//! Random queries on random graphs: each gives the same rows with all rules and without
//! those that only save work, in every mode, by one thread and by two, and with little
//! memory, in DRAM, on the emulated medium and on files.
//!
//! `EVERGRAPH_QUERIES` is how many are tried, `EVERGRAPH_SEED` with which they begin.

use std::fmt::Write;

use evergraph_interpreter::{Execution, Limits, Options, Parameters, Query, QueryError};
use evergraph_property_graph::graph::PropertyGraph;

use crate::Medium;
use crate::counts::Random;

/// Queries that are tried, unless told otherwise; each graph is asked several.
const QUERIES: u64 = 600;
const QUERIES_OF_GRAPH: u64 = 20;

/// Adds nodes `A`, `B`, both or without a label, with a unique `k`, and perhaps `x` and `y`;
/// relationships `R` and `S`, loops and parallel ones among them, with `w`.
fn filled(graph: PropertyGraph, seed: u64) -> PropertyGraph {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut transaction = graph.begin();
    let mut nodes = Vec::new();
    for k in 0..8 {
        let labels = [&[][..], &["A"], &["B"], &["A", "B"]][random.below(4)];
        let mut properties = vec![("k", i64::from(k).into())];
        if random.below(4) > 0 {
            properties.push(("x", (random.below(4) as i64).into()));
        }
        match random.below(3) {
            0 => properties.push(("y", ["a", "b", "ab"][random.below(3)].into())),
            1 => properties.push(("y", (random.below(3) as i64).into())),
            _ => {}
        }
        nodes.push(transaction.create_node(labels, properties).expect("a node"));
    }
    for _ in 0..14 {
        let source = nodes[random.below(nodes.len())];
        let target = match random.below(6) {
            0 => source,
            _ => nodes[random.below(nodes.len())],
        };
        let kind = ["R", "R", "S"][random.below(3)];
        let weight = [("w", (random.below(3) as i64).into())];
        let made = transaction.create_relationship(source, kind, target, weight);
        made.expect("a relationship");
    }
    transaction.commit().expect("committed");
    graph
}

/// A query that is being written, and the variables that it has.
struct Writer {
    random: Random,
    text: String,
    named: usize,
    nodes: Vec<String>,
    relationships: Vec<String>,
    /// Integers, or null.
    values: Vec<String>,
    /// Relationships that patterns may still have: rows are not to be too many.
    steps: usize,
    apart: usize,
}

fn text_of(seed: u64) -> String {
    let mut writer = Writer {
        random: Random(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5bd1_e995),
        text: String::new(),
        named: 0,
        nodes: Vec::new(),
        relationships: Vec::new(),
        values: Vec::new(),
        steps: 4,
        apart: 2,
    };
    match writer.one_of(8) {
        0 => {
            let all = ["", " ALL"][writer.one_of(2)];
            writer.single(Some("c"));
            writer.text.push_str(&format!(" UNION{all} "));
            writer.forget();
            writer.single(Some("c"));
        }
        _ => writer.single(None),
    }
    writer.text
}

impl Writer {
    fn one_of(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    fn is(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    fn forget(&mut self) {
        self.nodes.clear();
        self.relationships.clear();
        self.values.clear();
        (self.steps, self.apart) = (3, 1);
    }

    fn name(&mut self, prefix: char) -> String {
        self.named += 1;
        format!("{prefix}{}", self.named)
    }

    fn any(&mut self, of: &[String]) -> String {
        of[self.random.below(of.len())].clone()
    }

    /// A query without `UNION`; with one column of a name, if it is given.
    fn single(&mut self, column: Option<&str>) {
        self.found(false);
        for _ in 0..self.one_of(4) {
            match self.one_of(7) {
                0 | 1 => self.found(false),
                2 => self.found(true),
                3 => self.grouped(),
                4 => self.unwound(),
                5 => self.called(),
                _ => self.narrowed(),
            }
        }
        self.returned(column);
    }

    fn found(&mut self, optional: bool) {
        if self.steps == 0 && self.apart == 0 {
            return;
        }
        let word = if optional {
            "OPTIONAL MATCH "
        } else {
            "MATCH "
        };
        self.text.push_str(word);
        let known = self.nodes.len();
        let paths = 1 + usize::from(self.is(3));
        for place in 0..paths {
            if place > 0 {
                self.text.push_str(", ");
            }
            self.path();
        }
        if self.nodes.len() == known || self.one_of(2) == 0 {
            let condition = self.condition(2);
            let _ = write!(self.text, " WHERE {condition}");
        }
        self.text.push(' ');
    }

    fn path(&mut self) {
        self.node(true);
        for _ in 0..self.one_of(4) {
            if self.steps == 0 {
                return;
            }
            self.steps -= 1;
            let types = ["", ":R", ":S", ":R|S"][self.one_of(4)];
            let [left, right] = [["-", "->"], ["<-", "-"], ["-", "-"]][self.one_of(3)];
            let variable = match self.one_of(8) {
                0 => format!("{types}*1..2"),
                1 => types.to_string(),
                _ => {
                    let name = self.name('r');
                    self.relationships.push(name.clone());
                    format!("{name}{types}")
                }
            };
            let _ = write!(self.text, "{left}[{variable}]{right}");
            self.node(false);
        }
    }

    fn node(&mut self, is_first: bool) {
        let is_known = !self.nodes.is_empty() && (self.apart == 0 || !self.is(3));
        if is_first && is_known || !is_first && !self.nodes.is_empty() && self.is(5) {
            let node = self.any(&self.nodes.clone());
            let _ = write!(self.text, "({node})");
            return;
        }
        if is_first {
            self.apart = self.apart.saturating_sub(1);
        }
        let name = self.name('n');
        let label = ["", "", "", ":A", ":B", ":A|B", ":!A"][self.one_of(7)];
        let properties = if self.is(8) { " {x: 1}" } else { "" };
        let _ = write!(self.text, "({name}{label}{properties})");
        self.nodes.push(name);
    }

    /// An integer, or null.
    fn value(&mut self) -> String {
        let (nodes, values) = (self.nodes.clone(), self.values.clone());
        match self.one_of(6) {
            0 if !values.is_empty() => self.any(&values),
            1 if !self.relationships.is_empty() => {
                let relationships = self.relationships.clone();
                format!("{}.w", self.any(&relationships))
            }
            2 if !nodes.is_empty() => format!("{}.k", self.any(&nodes)),
            3 if !nodes.is_empty() => {
                let step = ["-->()", "--()", "-[:R]->(:A)"][self.one_of(3)];
                format!("COUNT {{ ({}){step} }}", self.any(&nodes))
            }
            4 if !nodes.is_empty() => format!("{}.x", self.any(&nodes)),
            5 => format!("({} + {})", self.small(), self.one_of(3)),
            _ => self.small(),
        }
    }

    fn small(&mut self) -> String {
        let (nodes, values) = (self.nodes.clone(), self.values.clone());
        match () {
            () if !values.is_empty() && self.is(2) => self.any(&values),
            () if !nodes.is_empty() => format!("{}.x", self.any(&nodes)),
            () => self.one_of(3).to_string(),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.is(3) {
            let (one, other) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.one_of(4) {
                0 => format!("({one} OR {other})"),
                1 => format!("NOT ({one})"),
                _ => format!("{one} AND {other}"),
            };
        }
        let nodes = self.nodes.clone();
        if nodes.is_empty() || self.is(3) {
            let sign = ["<", "<=", "=", "<>", ">", ">="][self.one_of(6)];
            return format!("{} {sign} {}", self.value(), self.value());
        }
        let (one, other) = (self.any(&nodes), self.any(&nodes));
        let types = ["", ":R", ":S"][self.one_of(3)];
        let [left, right] = [["-", "->"], ["<-", "-"], ["-", "-"]][self.one_of(3)];
        match self.one_of(9) {
            0 => format!("{one}:{}", ["A", "B", "!A", "A&B"][self.one_of(4)]),
            1 => format!("{one} <> {other}"),
            2 => format!("id({one}) < id({other})"),
            3 => format!("EXISTS {{ ({one}){left}[{types}]{right}({other}) }}"),
            4 => format!("NOT EXISTS {{ ({one}){left}[{types}]{right}({other}) }}"),
            5 => format!("NOT ({one}){left}[{types}]{right}()"),
            6 => format!("EXISTS {{ ({one}){left}[{types}]{right}(m) WHERE m.x < {other}.x }}"),
            7 => format!("{one}.y IS {}NULL", ["", "NOT "][self.one_of(2)]),
            _ => format!("{one}.y = {other}.y"),
        }
    }

    /// `WITH` of an aggregation.
    fn grouped(&mut self) {
        let (nodes, name) = (self.nodes.clone(), self.name('v'));
        let key = match nodes.is_empty() || self.is(4) {
            true => None,
            false => Some(self.any(&nodes)),
        };
        let aggregation = self.aggregation();
        let keys = key.iter().map(|key| format!("{key}, ")).collect::<String>();
        let _ = write!(self.text, "WITH {keys}{aggregation} AS {name} ");
        self.nodes = key.into_iter().collect();
        self.relationships.clear();
        self.values = vec![name];
        if self.is(3) {
            let condition = self.condition(0);
            let _ = write!(self.text, "WHERE {condition} ");
        }
    }

    fn aggregation(&mut self) -> String {
        let nodes = self.nodes.clone();
        let distinct = ["", "DISTINCT "][self.one_of(2)];
        match self.one_of(7) {
            0 | 1 => "count(*)".into(),
            2 if !nodes.is_empty() => format!("count({distinct}{})", self.any(&nodes)),
            3 => format!("sum({distinct}{})", self.value()),
            4 => format!("min({})", self.value()),
            5 => format!("max({distinct}{})", self.value()),
            _ => format!("count({distinct}{})", self.value()),
        }
    }

    /// `WITH` of fewer variables, or of some rows in an order that tells all apart.
    fn narrowed(&mut self) {
        let kept = |random: &mut Random, of: &mut Vec<String>| {
            of.retain(|_| random.below(4) > 0);
        };
        kept(&mut self.random, &mut self.nodes);
        kept(&mut self.random, &mut self.relationships);
        kept(&mut self.random, &mut self.values);
        let all = [&self.nodes[..], &self.relationships, &self.values].concat();
        if all.is_empty() {
            self.text.push_str("WITH 1 AS v0 ");
            self.values.push("v0".into());
            return;
        }
        let distinct = ["", "DISTINCT "][self.one_of(2)];
        let all = all.join(", ");
        let _ = write!(self.text, "WITH {distinct}{all} ");
        if self.is(2) {
            let limit = 1 + self.one_of(20);
            let _ = write!(self.text, "ORDER BY {all} LIMIT {limit} ");
        }
    }

    fn unwound(&mut self) {
        let name = self.name('v');
        let list = ["[1, null, 2]", "range(0, 2)", "[]", "[0]"][self.one_of(4)];
        let _ = write!(self.text, "UNWIND {list} AS {name} ");
        self.values.push(name);
    }

    /// A subquery of each row.
    fn called(&mut self) {
        let nodes = self.nodes.clone();
        if nodes.is_empty() {
            return;
        }
        let (node, name, other) = (self.any(&nodes), self.name('v'), self.name('n'));
        let step = ["-->", "--", "<-[:R]-"][self.one_of(3)];
        match self.one_of(3) {
            0 if self.steps > 0 => {
                self.steps -= 1;
                let _ = write!(
                    self.text,
                    "CALL {{ WITH {node} MATCH ({node}){step}({other}) \
                     RETURN {other}, {other}.x AS {name} ORDER BY {other} LIMIT 2 }} "
                );
                self.nodes.push(other);
            }
            1 => {
                let _ = write!(
                    self.text,
                    "CALL {{ WITH {node} MATCH ({node}){step}({other}) WHERE {other}.x > 0 \
                     RETURN count(DISTINCT {other}) AS {name} }} "
                );
            }
            _ => {
                let _ = write!(
                    self.text,
                    "CALL {{ WITH {node} OPTIONAL MATCH ({node}){step}({other}:A) \
                     RETURN max({other}.k) AS {name} }} "
                );
            }
        }
        self.values.push(name);
    }

    fn returned(&mut self, column: Option<&str>) {
        if let Some(column) = column {
            let value = match self.is(2) {
                true => self.aggregation(),
                false => self.value(),
            };
            let _ = write!(self.text, "RETURN {value} AS {column}");
            return;
        }
        let distinct = ["", "", "DISTINCT "][self.one_of(3)];
        let mut columns = Vec::new();
        let all = [&self.nodes[..], &self.relationships, &self.values].concat();
        for _ in 0..=self.one_of(2) {
            let column = match all.is_empty() || self.is(2) {
                true => self.value(),
                false => self.any(&all),
            };
            columns.push(column);
        }
        for _ in 0..self.one_of(3) {
            columns.push(self.aggregation());
        }
        let columns = columns.iter().enumerate();
        let columns: Vec<String> = columns.map(|(at, of)| format!("{of} AS c{at}")).collect();
        let _ = write!(self.text, "RETURN {distinct}{}", columns.join(", "));
        if self.is(2) {
            let names: Vec<String> = (0..columns.len()).map(|at| format!("c{at}")).collect();
            let _ = write!(self.text, " ORDER BY {}", names.join(", "));
            if self.is(2) {
                let (skip, limit) = (self.one_of(3), 1 + self.one_of(10));
                let _ = write!(self.text, " SKIP {skip} LIMIT {limit}");
            }
        }
    }
}

/// Rows of a query as texts, in any order.
fn sorted_rows(
    graph: &PropertyGraph,
    text: &str,
    (plain, limits): (bool, Limits),
) -> Result<Vec<String>, QueryError> {
    let options = Options {
        plain,
        limits,
        ..Options::default()
    };
    let query = Query::prepare_with(graph, text, options)?;
    let rows = query.execute(graph, &Parameters::new())?;
    let mut rows: Vec<String> = rows.map(|row| format!("{row:?}")).collect();
    rows.sort();
    Ok(rows)
}

fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |given| given.parse().expect("a number"))
}

#[test]
fn random_queries_give_the_same_rows_however_they_run() {
    assert_same_rows("dram", QUERIES, || Medium::Dram);
}

#[test]
fn random_queries_give_the_same_rows_on_the_emulated_medium() {
    assert_same_rows("emulated", QUERIES / 3, Medium::emulated);
}

#[test]
fn random_queries_give_the_same_rows_on_files() {
    assert_same_rows("file", QUERIES / 6, Medium::file);
}

/// Tries so many queries, unless told otherwise, on graphs of their seeds, each on a medium
/// of its own.
fn assert_same_rows(name: &str, queries: u64, medium: fn() -> Medium) {
    let name = format!("evergraph-random-{name}-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let mut with_rows = 0;
    let mut graph: Option<(u64, PropertyGraph, Medium)> = None;
    let first = number("EVERGRAPH_SEED", 0);
    let count = number("EVERGRAPH_QUERIES", queries);
    for seed in first..first + count {
        let (of_graph, text) = (seed / QUERIES_OF_GRAPH, text_of(seed));
        if graph.as_ref().is_none_or(|(known, ..)| *known != of_graph) {
            let medium = medium();
            let filled = medium.reopened(filled(medium.graph(), of_graph));
            graph = Some((of_graph, filled, medium));
        }
        let graph = &graph.as_ref().expect("a graph").1;
        let limits = |execution, threads, memory| Limits {
            execution,
            threads,
            memory,
            spill: Some(directory.clone()),
            ..Limits::default()
        };
        let run = |plain, execution, threads, memory| {
            let rows = sorted_rows(graph, &text, (plain, limits(execution, threads, memory)));
            rows.map_err(|error| {
                (
                    matches!(error, QueryError::Memory { .. }),
                    error.to_string(),
                )
            })
        };
        let plain = run(true, Execution::Interpret, 1, 1 << 30);
        let plain = plain.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error:?}"));
        with_rows += usize::from(!plain.is_empty());
        for (execution, threads, memory) in [
            (Execution::Interpret, 1, 1 << 30),
            (Execution::Compile, 1, 1 << 30),
            (Execution::SwitchAfter(3), 1, 1 << 30),
            (Execution::Adapt, 2, 1 << 30),
            (Execution::Adapt, 1, 1 << 15),
        ] {
            match run(false, execution, threads, memory) {
                // Not all that is held goes on in files.
                Err((true, _)) if memory < 1 << 30 => {}
                rows => assert_eq!(
                    rows.as_ref(),
                    Ok(&plain),
                    "seed {seed}, {execution:?}, {threads} threads, {memory} bytes: {text}"
                ),
            }
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(
        with_rows as u64 > count / 3,
        "{with_rows} queries have rows"
    );
}
