//! `--simple`, `--undirected` and `--largest-component`: runs and exports are held against
//! a database of edges that were reduced here, one by one.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::Place;

type Edge = (u64, u64, u32);

/// Three components, self-loops, parallel and reciprocal edges; ids with gaps.
fn edges() -> Vec<Edge> {
    let mut state = 7_u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005);
        state = state.wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut edges = vec![(900, 901, 3), (901, 901, 1), (950, 950, 2)];
    for _ in 0..70 {
        let (u, v) = (100 + 3 * below(18), 100 + 3 * below(18));
        let weight = 1 + below(9) as u32;
        edges.push((u, v, weight));
        if below(3) == 0 {
            edges.push((v, u, 1 + below(9) as u32));
        }
    }
    edges
}

#[derive(Clone, Copy, Debug)]
struct Reduction {
    simple: bool,
    undirected: bool,
    largest: bool,
}

impl Reduction {
    fn flags(self) -> String {
        let all = [
            (self.simple, " --simple"),
            (self.undirected, " --undirected"),
            (self.largest, " --largest-component"),
        ];
        let given = all.iter().filter(|(is_given, _)| *is_given);
        given.map(|(_, flag)| *flag).collect()
    }

    /// The vertices and edges that are left; `both` if edges have no direction.
    fn of(self, edges: &[Edge], both: bool) -> (BTreeSet<u64>, Vec<Edge>) {
        let mut order: Vec<u64> = Vec::new();
        for id in edges.iter().flat_map(|&(u, v, _)| [u, v]) {
            if !order.contains(&id) {
                order.push(id);
            }
        }
        let mut vertices: BTreeSet<u64> = order.iter().copied().collect();
        if self.largest {
            let mut best = BTreeSet::new();
            for &start in &order {
                let mut component = BTreeSet::from([start]);
                loop {
                    let before = component.len();
                    for &(u, v, _) in edges {
                        if component.contains(&u) || component.contains(&v) {
                            component.extend([u, v]);
                        }
                    }
                    if component.len() == before {
                        break;
                    }
                }
                if component.len() > best.len() {
                    best = component;
                }
            }
            vertices = best;
        }
        let mut left: Vec<Edge> = edges.to_vec();
        left.retain(|(u, v, _)| vertices.contains(u) && vertices.contains(v));
        if self.simple {
            let mut lightest: BTreeMap<(u64, u64), u32> = BTreeMap::new();
            for &(u, v, weight) in left.iter().filter(|(u, v, _)| u != v) {
                let ends = if both { (u.min(v), u.max(v)) } else { (u, v) };
                let known = lightest.entry(ends).or_insert(weight);
                *known = weight.min(*known);
            }
            left = lightest.into_iter().map(|((u, v), w)| (u, v, w)).collect();
        }
        (vertices, left)
    }
}

fn text(edges: &[Edge]) -> String {
    let lines = edges.iter().map(|(u, v, w)| format!("{u} {v} {w}\n"));
    lines.collect()
}

/// Values by vertex.
fn values(place: &Place, arguments: &str) -> BTreeMap<u64, f64> {
    let written = place.call(&format!("run {arguments} -o -"));
    written.expect(0);
    let line = |line: &str| {
        let (id, value) = line.split_once(' ').expect("two columns");
        (id.parse().expect("an id"), value.parse().expect("a number"))
    };
    written.stdout.lines().map(line).collect()
}

fn assert_close(found: &BTreeMap<u64, f64>, expected: &BTreeMap<u64, f64>, what: &str) {
    assert!(
        found.keys().eq(expected.keys()),
        "{what}: {found:?} {expected:?}"
    );
    for (id, value) in found {
        let other = expected[id];
        let is_close = *value == other || (value - other).abs() < 1e-7;
        assert!(is_close, "{what}: {id} has {value}, not {other}");
    }
}

#[test]
fn a_reduced_graph_is_as_one_of_reduced_edges() {
    let place = Place::new();
    let edges = edges();
    place.file("all.txt", text(&edges));
    for (base, flag, is_directed) in [
        ("out", "", true),
        ("both", "--directions both", true),
        ("none", "--undirected", false),
    ] {
        place.json(&format!(
            "import {base} all.txt --weighted --ids map {flag}"
        ));
        for choice in 0..8 {
            let reduction = Reduction {
                simple: choice & 1 > 0,
                undirected: choice & 2 > 0,
                largest: choice & 4 > 0,
            };
            let both = !is_directed || reduction.undirected;
            let (vertices, left) = reduction.of(&edges, both);
            let listed: String = vertices.iter().map(|id| format!("{id}\n")).collect();
            place.file("left.v", listed);
            place.file("left.e", text(&left));
            let expected = format!("{base}-{choice}");
            let direction = if both {
                "--undirected"
            } else {
                "--directions both"
            };
            place.json(&format!(
                "import {expected} left.v left.e --weighted --ids map {direction}"
            ));
            let flags = reduction.flags();
            let source = *vertices.iter().next().expect("there are some");
            for algorithm in [
                "degrees".to_string(),
                "pagerank --param tolerance=1e-12".to_string(),
                format!("delta-stepping --source {source}"),
                "betweenness".to_string(),
                "triangle-count".to_string(),
                "label-propagation".to_string(),
                "label-propagation --param iterations=2".to_string(),
            ] {
                let what = format!("{base} {algorithm}{flags}");
                assert_close(
                    &values(&place, &format!("{base} {algorithm}{flags}")),
                    &values(&place, &format!("{expected} {algorithm}")),
                    &what,
                );
            }
            let done = place.json(&format!("export {base} part.txt{flags}"));
            assert_eq!(done["edges"], left.len(), "{base}{flags}");
            let written = std::fs::read_to_string(place.path("part.txt")).expect("written");
            let line = |line: &str| -> Edge {
                let fields: Vec<u64> = line.split(' ').map(|f| f.parse().unwrap()).collect();
                (fields[0], fields[1], fields[2] as u32)
            };
            let turned = |&(u, v, w): &Edge| {
                if both {
                    (u.min(v), u.max(v), w)
                } else {
                    (u, v, w)
                }
            };
            let sorted = |mut edges: Vec<Edge>| {
                edges.sort_unstable();
                edges
            };
            let found = sorted(written.lines().map(|l| turned(&line(l))).collect());
            assert_eq!(
                found,
                sorted(left.iter().map(turned).collect()),
                "{base}{flags}"
            );
        }
    }
}

#[test]
fn the_summary_says_which_edges_count() {
    let place = Place::new();
    place.file("all.txt", "0 1 1\n0 1 1\n2 2 -1\n");
    place.json("import db all.txt --weighted --undirected");
    for (algorithm, expected) in [
        (
            "bellman-ford --source 2",
            "self-loops change nothing unless they are negative",
        ),
        (
            "coloring",
            "parallel edges and self-loops count in the degrees that decide the order",
        ),
        (
            "densest-subgraph",
            "parallel edges count each, a self-loop once",
        ),
        ("set-cover", "a vertex covers itself by a self-loop alone"),
    ] {
        let run = place.json(&format!("run db {algorithm}"));
        let counted = run["counted"].as_str().expect("a text");
        assert!(counted.contains(expected), "{algorithm}: {counted}");
    }
    // As the lines say: the loop is a negative cycle, one edge, and a cover of its vertex.
    let result = |algorithm: &str| place.json(&format!("run db {algorithm}"))["result"].clone();
    assert_eq!(
        result("bellman-ford --source 2")["behind_negative_cycles"],
        1
    );
    assert_eq!(result("densest-subgraph")["density"], 1.0);
    assert_eq!(result("set-cover")["covered"], 3);
}

#[test]
fn the_summary_says_what_was_read() {
    let place = Place::new();
    place.file("all.txt", text(&edges()));
    place.json("import db all.txt --ids map");
    let counted = |arguments: &str| {
        let run = place.json(&format!("run db {arguments}"));
        run["counted"].as_str().expect("a text").to_string()
    };
    assert_eq!(
        counted("pagerank --simple --undirected --largest-component"),
        "read as undirected, reciprocal edges are one; parallel edges count once, self-loops not \
         (a simple graph); only the largest weakly connected component"
    );
    assert_eq!(
        counted("bfs --undirected --source 100"),
        "read as undirected, reciprocal edges are parallel; parallel edges and self-loops change \
         nothing"
    );
    // A result is kept with what it is of, and read by no other run.
    place.json("run db pagerank --largest-component --keep ranks");
    let kept = place.call("results db show ranks -o -");
    assert_eq!(
        kept.stdout,
        place
            .call("run db pagerank --largest-component -o -")
            .stdout
    );
    assert!(!kept.stdout.contains("900 "), "{kept:#?}");
    assert_eq!(
        place.json("run db pagerank")["kept"],
        serde_json::Value::Null
    );
    assert_eq!(
        place.json("run db pagerank --largest-component")["kept"],
        "ranks"
    );
    // A vertex that was left out is told.
    let left_out = place.failures(&["run db bfs --source 900 --largest-component"]);
    assert!(
        left_out.contains("vertex \"900\" is not in the largest component"),
        "{left_out}"
    );
    let refused = place.failures(&["run db pagerank --simple --param graph=compressed"]);
    assert!(
        refused.contains("parameter `graph` is given twice"),
        "{refused}"
    );
}
