//! Defaults against igraph 1.0 and networkx 3.6, which `testing/peers/compare.py` runs on
//! larger graphs: what they say of a small graph with a parallel edge, a reciprocal one,
//! a self-loop and two components.

use crate::common::Place;

const EDGES: &str = "1 2\n1 2\n2 1\n2 3\n3 4\n4 2\n4 4\n4 5\n6 7\n5 1\n";

fn place(direction: &str) -> Place {
    let place = Place::new();
    place.file("edges.txt", EDGES);
    place.json(&format!("import db edges.txt --ids map {direction}"));
    place
}

/// The values of vertices 1 to 7.
fn values(place: &Place, run: &str) -> Vec<f64> {
    let outcome = place.call(&format!("run db {run} -o -"));
    outcome.expect(0);
    let mut rows: Vec<(u32, f64)> = (outcome.stdout.lines())
        .map(|line| {
            let (vertex, value) = line.split_once(' ').expect("two columns");
            (vertex.parse().unwrap(), value.parse().unwrap())
        })
        .collect();
    rows.sort_by_key(|row| row.0);
    rows.into_iter().map(|row| row.1).collect()
}

#[track_caller]
fn assert_near(place: &Place, run: &str, expected: [f64; 7], tolerance: f64) {
    let found = values(place, run);
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance;
    assert!(
        found.len() == 7 && found.iter().zip(&expected).all(near),
        "{run}: {found:?}, not {expected:?}"
    );
}

/// Compares with the largest as 1, as igraph has some scores.
#[track_caller]
fn assert_near_when_scaled(place: &Place, run: &str, expected: [f64; 7]) {
    let found = values(place, run);
    let largest = found.iter().copied().fold(0.0, f64::max);
    let near = |(a, b): (&f64, &f64)| (a / largest - b).abs() <= 2e-5;
    assert!(found.iter().zip(&expected).all(near), "{run}: {found:?}");
}

#[test]
fn undirected_graphs_have_their_values() {
    let place = place("--undirected");
    let of = |run: &str, expected: [f64; 7]| assert_near(&place, run, expected, 1e-9);
    let third = 1.0 / 3.0;
    // igraph; networkx divides by (n - 1)(n - 2) / 2 and has parallel edges once.
    of("betweenness", [0.75, 1.75, 0.0, 1.25, 0.25, 0.0, 0.0]);
    of(
        "betweenness --param normalized=pairs --param graph=simple",
        [1.0 / 30.0, 0.1, 0.0, 0.1, 1.0 / 30.0, 0.0, 0.0],
    );
    let (near, far, pair) = (8.0 / 15.0, 4.0 / 9.0, 1.0 / 6.0);
    of("closeness", [far, near, far, near, far, pair, pair]);
    let (near, far) = (0.8, 2.0 / 3.0);
    of(
        "closeness --param reached=only",
        [far, near, far, near, far, 1.0, 1.0],
    );
    of("harmonic", [3.0, 3.5, 3.0, 3.5, 3.0, 1.0, 1.0]);
    let (near, far) = (3.5 / 6.0, 0.5);
    of(
        "harmonic --param normalized=true",
        [far, near, far, near, far, pair, pair],
    );
    of("k-core", [2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0]);
    of(
        "k-core --param parallel=each",
        [3.0, 3.0, 2.0, 3.0, 2.0, 1.0, 1.0],
    );
    of("triangle-count", [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    of("local-clustering", [0.0, third, 1.0, third, 0.0, 0.0, 0.0]);
    of("degrees", [4.0, 5.0, 2.0, 5.0, 2.0, 1.0, 1.0]);
    // igraph, which scales the largest to 1.
    let scaled = [
        0.8583695416,
        1.0,
        0.4871877527,
        0.9592463771,
        0.4519698110,
        0.0,
        0.0,
    ];
    assert_near_when_scaled(&place, "eigenvector", scaled);
    assert_near_when_scaled(&place, "hits --param output=hubs", scaled);
}

#[test]
fn directed_graphs_have_their_values() {
    for direction in ["--directions out", "--directions both"] {
        let place = place(direction);
        let of = |run: &str, expected: [f64; 7]| assert_near(&place, run, expected, 1e-9);
        let third = 1.0 / 3.0;
        let ranks = [
            0.215661347744,
            0.269678147345,
            0.142250246246,
            0.207278711071,
            0.086366001762,
            0.0276370336251,
            0.0511285122064,
        ];
        assert_near(&place, "pagerank", ranks, 1e-6);
        of("betweenness", [3.0, 7.0, 5.0, 5.0, 1.0, 0.0, 0.0]);
        of(
            "betweenness --param normalized=pairs --param graph=simple",
            [3.0, 7.0, 5.0, 5.0, 1.0, 0.0, 0.0].map(|score| score / 30.0),
        );
        let (a, b) = (8.0 / 21.0, 4.0 / 15.0);
        of("closeness", [a, 4.0 / 9.0, third, b, b, 0.0, 1.0 / 6.0]);
        let twelfth = 1.0 / 12.0;
        of(
            "harmonic",
            [34.0, 36.0, 28.0, 25.0, 25.0, 0.0, 12.0].map(|sum| sum * twelfth),
        );
        of("k-core", [2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0]);
        of(
            "k-core --param parallel=each",
            [3.0, 3.0, 2.0, 3.0, 2.0, 1.0, 1.0],
        );
        of("triangle-count", [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        of(
            "local-clustering --param directions=ignored",
            [0.0, third, 1.0, third, 0.0, 0.0, 0.0],
        );
        // Both ends count in igraph's and networkx's.
        of("degrees", [2.0, 2.0, 1.0, 3.0, 1.0, 1.0, 0.0]);
        of("degrees --undirected", [4.0, 5.0, 2.0, 5.0, 2.0, 1.0, 1.0]);
        let scaled = [
            0.6754569647,
            1.0,
            0.5212540396,
            0.5675364310,
            0.2958306573,
            0.0,
            0.0,
        ];
        assert_near_when_scaled(&place, "eigenvector", scaled);
        let hubs = [1.0, 0.0, 0.1771243445, 0.8228756555, 0.0, 0.0, 0.0];
        assert_near_when_scaled(&place, "hits --param output=hubs", hubs);
    }
}

#[test]
fn a_summary_says_what_was_counted() {
    let place = place("");
    let counted = |run: &str| {
        let report = place.json(&format!("run db {run}"));
        report["counted"].as_str().expect("a line").to_string()
    };
    assert_eq!(
        counted("k-core"),
        "read as undirected, reciprocal edges are one; parallel edges count once, self-loops not \
         (a simple graph)"
    );
    assert!(counted("k-core --param parallel=each").contains("reciprocal edges are parallel"));
    assert!(counted("pagerank --param graph=simple").contains("a simple graph"));
    assert!(!counted("betweenness").contains("ESTIMATE"));
    let estimate = counted("betweenness --param samples=3");
    assert!(
        estimate.contains("AN ESTIMATE from 3 vertices"),
        "{estimate}"
    );
    let report = place.json("run db closeness --param samples=3 --top 1");
    assert_eq!(report["result"]["exact"], false);
    assert!(report["top"][0]["closeness_estimate"].is_number());
    assert!(!counted("betweenness --param samples=all").contains("ESTIMATE"));
    place.file("weighted.txt", "1 2 3\n");
    place.json("import heavy weighted.txt --weighted --ids map");
    let report = place.json("run heavy pagerank");
    let counted = report["counted"].as_str().unwrap();
    assert!(counted.ends_with("weights are not read"), "{counted}");
}
