//! `evergraph run` beyond single algorithms: what is made of the graph, limits,
//! the formats of LDBC Graphalytics, and help from the registry.

use crate::common::Place;

/// A small directed graph with weights, ids not dense, in a database `db`.
fn directed(options: &str) -> Place {
    let place = Place::new();
    place.file("g.e", "10 20 1\n20 30 2.5\n10 30 4\n30 10 0.5\n40 30 1\n");
    place
        .call(&format!("import db g.e --weighted --ids map {options}"))
        .expect(0);
    place
}

/// The lines that a run writes, in the order of ids.
fn lines(place: &Place, arguments: &str) -> Vec<String> {
    place
        .call(&format!("run db {arguments} -o values"))
        .expect(0);
    let written = std::fs::read_to_string(place.path("values")).expect("the values");
    let mut lines: Vec<String> = written.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

/// Computed by hand from the definitions of LDBC Graphalytics, version 1.0.
#[test]
fn values_are_those_of_graphalytics() {
    let place = directed("--directions both");
    for (arguments, expected) in [
        (
            "bfs --source 10",
            ["10 0", "20 1", "30 1", "40 9223372036854775807"],
        ),
        (
            "sssp --source 10",
            [
                "10 0.000000000000000e+00",
                "20 1.000000000000000e+00",
                "30 3.500000000000000e+00",
                "40 infinity",
            ],
        ),
        (
            "pagerank --param iterations=1",
            [
                "10 2.500000000000000e-01",
                "20 1.437500000000000e-01",
                "30 5.687500000000000e-01",
                "40 3.750000000000001e-02",
            ],
        ),
        ("wcc", ["10 10", "20 10", "30 10", "40 10"]),
        (
            "cdlp --param iterations=2",
            ["10 10", "20 10", "30 30", "40 10"],
        ),
        (
            "lcc",
            [
                "10 5.000000000000000e-01",
                "20 1.000000000000000e+00",
                "30 1.666666666666667e-01",
                "40 0.000000000000000e+00",
            ],
        ),
    ] {
        let arguments = format!("{arguments} --param spec=graphalytics --param verify=true");
        assert_eq!(lines(&place, &arguments), expected, "{arguments}");
    }
    assert_eq!(
        lines(&place, "sssp --source 10"),
        ["10 0", "20 1", "30 3.5", "40 inf"]
    );
}

#[test]
fn the_summary_says_what_was_made_of_the_graph() {
    let both = directed("--directions both");
    let out = directed("--directions out");
    let prepared = |place: &Place, arguments: &str| {
        let summary = place.json(&format!("run db {arguments}"));
        summary["prepared"]["what"].as_str().map(str::to_string)
    };
    assert_eq!(prepared(&both, "bfs"), None);
    assert_eq!(prepared(&both, "cdlp"), None);
    assert_eq!(
        prepared(&both, "coloring").as_deref(),
        Some("symmetrised view")
    );
    assert_eq!(
        prepared(&out, "coloring").as_deref(),
        Some("sealed copy (sorted, undirected)")
    );
    assert_eq!(
        prepared(&out, "cdlp").as_deref(),
        Some("sealed copy (sorted, with in-lists)")
    );
    assert_eq!(
        prepared(&out, "bfs --param graph=compressed").as_deref(),
        Some("compressed copy (sorted)")
    );
    let text = out.call("run db coloring").stdout;
    assert!(text.contains("prepared"), "{text}");
}

#[test]
fn limits_are_kept() {
    let place = directed("--directions both");
    let refused = place.call("run db bfs --memory-limit 1000 -o values");
    refused.expect(1);
    assert!(refused.error().contains("the run may take "), "{refused:?}");
    assert!(refused.error().contains("the limit is 1000"), "{refused:?}");
    assert!(!place.path("values").exists());
    assert!(!place.path("values.partial").exists());
    place.call("run db bfs --memory-limit 10000000").expect(0);

    let late = place.call("run db bfs --timeout 0 -o values");
    late.expect(1);
    assert!(late.error().contains("deadline"), "{late:?}");
    assert!(!place.path("values").exists());
    for long in ["60", "60s", "1m"] {
        place
            .call(&format!("run db bfs --timeout {long}"))
            .expect(0);
    }
    for wrong in ["-1", "soon", "nan"] {
        place
            .call(&format!("run db bfs --timeout={wrong}"))
            .expect(2);
    }
}

#[test]
fn every_algorithm_has_help() {
    let place = Place::new();
    let listed = place.json("run --list");
    let algorithms = listed["algorithms"].as_array().expect("a list");
    for algorithm in algorithms {
        let name = algorithm["name"].as_str().expect("a name");
        let help = place.call(&format!("run --help {name}"));
        help.expect(0);
        for said in [
            name,
            "reads",
            "directed graphs",
            "weights",
            "bound",
            "memory",
            "deterministic",
            "source",
            "verify",
        ] {
            assert!(help.stdout.contains(said), "{name}: no {said}");
        }
        for field in ["reads", "on_directed", "dram", "bound", "source"] {
            let text = algorithm[field].as_str();
            assert!(text.is_some_and(|text| !text.is_empty()), "{name}: {field}");
        }
    }
}

#[test]
fn states_without_room_say_whose_goes_first() {
    let place = Place::new();
    let edges: String = (0..200).map(|v| format!("{v} {}\n", v * v % 50)).collect();
    place.file("edges.txt", edges);
    place.json("import db edges.txt");
    let run = |flags: &str| {
        let arguments = format!("run db pagerank --checkpoint-every 1 {flags}");
        place.json(&arguments)["checkpoints"]["hot"].clone()
    };
    assert!(run("").is_null());
    let hot = run("--checkpoint-memory 800");
    assert_eq!(hot["policy"], "degree");
    assert_eq!(
        (&hot["vertices"], &hot["bytes"]),
        (&100.into(), &800.into())
    );
    let hot = run("--checkpoint-memory 80000 --hot centrality");
    assert_eq!(
        (&hot["policy"], &hot["vertices"]),
        (&"centrality".into(), &200.into())
    );
    place
        .call("run db pagerank --checkpoint-every 1 --checkpoint-memory 9 --hot often")
        .expect(2);
}

#[test]
fn seeds_and_sources_are_written_by_their_ids() {
    let place = Place::new();
    // Two stars, along edges that always pass a cascade on.
    let star = |center: u32, leaves: std::ops::Range<u32>| -> String {
        leaves.map(|leaf| format!("{center} {leaf}\n")).collect()
    };
    let edges = star(1000, 1001..1009) + &star(2000, 2001..2005);
    place.file("edges.txt", edges);
    place.json("import db edges.txt --ids map");
    let outcome = place.call("run db influence-maximization --param k=2 -o -");
    outcome.expect(0);
    assert_eq!(outcome.stdout.lines().count(), 2, "{outcome:#?}");
    for (line, center) in outcome.stdout.lines().zip(["1000 ", "2000 "]) {
        assert!(line.starts_with(center), "{outcome:#?}");
    }
    place.file("infected.txt", "2001\n1003\n\n1004\n2003\n");
    let outcome =
        place.call("run db rumor-sources --param k=2 --param infected-file=infected.txt -o -");
    outcome.expect(0);
    assert_eq!(outcome.stdout, "1000 2\n2000 2\n", "{outcome:#?}");
}

/// The values are those of the last iteration, as in igraph; networkx raises an error.
#[test]
fn iterations_that_do_not_converge_are_told() {
    let place = Place::new();
    let pairs = (0..20).flat_map(|a| (0..20).map(move |b| (a, b)));
    let edges = pairs
        .filter(|(a, b)| a != b)
        .map(|(a, b)| format!("{a} {b}\n"));
    place.file("edges.txt", edges.collect::<String>() + "0 20\n");
    place.json("import db edges.txt");
    for (run, advice) in [
        ("katz", Some("a smaller --param alpha")),
        ("katz --param alpha=0.01", None),
        (
            "eigenvector --param iterations=1",
            Some("more --param iterations"),
        ),
        ("hits --param iterations=1", Some("more --param iterations")),
        (
            "pagerank --param iterations=1 --param tolerance=1e-9",
            Some("larger --param tolerance"),
        ),
        ("pagerank", None),
    ] {
        let said = place.call(&format!("run db {run}"));
        said.expect(0);
        let is_told = said.stderr.contains("did not converge in ");
        assert_eq!(is_told, advice.is_some(), "{said:#?}");
        assert!(said.stderr.contains(advice.unwrap_or("")), "{said:#?}");
    }
}
