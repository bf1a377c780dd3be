//! Every algorithm of the registry on parts of a property graph.

use evergraph::property::{NodeId, Orientation, ProjectionOptions};
use evergraph::run::{Algorithm, Determinism, Fact, Outcome, Weights, algorithms};

use super::sample::{Sample, assert_same, parts, request, run, sample};

/// Compares a run on a part with one on the same edges alone.
#[track_caller]
fn compare(sample: &Sample, algorithm: &Algorithm, part: &ProjectionOptions, form: &str) {
    let name = format!("{} graph={form} on {part:?}", algorithm.name);
    let parameters = [("graph", form), ("verify", "true")];
    let on_part = sample.run(algorithm.name, &parameters, part);
    if algorithm.weights == Weights::Required && part.weight.is_none() {
        let error = on_part.expect_err(&name);
        assert!(error.hint().contains("--weight"), "{name}: {error}");
        return;
    }
    let on_part = on_part.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(on_part.verified, Some(Ok(())), "{name}");
    assert!(on_part.prepared.is_some(), "{name}");
    let alone = sample.plain(part);
    let alone = run(&alone, &request(algorithm.name, &parameters)).expect(&name);
    assert_eq!(on_part.vertices, alone.vertices, "{name}");
    assert_eq!(on_part.edges, alone.edges, "{name}");
    // Lists of an undirected projection are in another order than those that were
    // stored undirected.
    let other_order = part.orientation == Orientation::Undirected && form == "live";
    if other_order || matches!(algorithm.determinism, Determinism::Except(_)) {
        return;
    }
    assert_same(&on_part.values, &alone.values, &name);
    assert_eq!(on_part.iterations, alone.iterations, "{name}");
    assert_eq!(counts(&on_part), counts(&alone), "{name}");
    let nodes = on_part.naming.nodes().expect("of a property graph");
    for (vertex, node) in (0..).zip(sample.nodes(part)) {
        assert_eq!(nodes.node(vertex), NodeId(node), "{name}");
        assert_eq!(nodes.vertex(NodeId(node)), Some(vertex), "{name}");
    }
}

fn counts(outcome: &Outcome) -> Vec<(&str, u64)> {
    let facts = outcome.result.iter();
    facts
        .filter_map(|(name, fact)| match fact {
            Fact::Whole(number) => Some((&**name, *number)),
            _ => None,
        })
        .collect()
}

#[test]
fn every_algorithm_gives_what_it_gives_on_the_edges_alone() {
    let sample = sample();
    for part in parts() {
        for algorithm in algorithms() {
            compare(&sample, algorithm, &part, "live");
        }
    }
}

#[test]
fn every_form_of_a_part_gives_the_result() {
    let sample = sample();
    let person = ProjectionOptions::new().label("Person");
    for part in [
        ProjectionOptions::new().weight("cost", super::sample::DEFAULT),
        person.clone().orientation(Orientation::Undirected),
        person.weight("cost", super::sample::DEFAULT),
    ] {
        for algorithm in algorithms() {
            for form in ["sealed", "compressed", "simple"] {
                compare(&sample, algorithm, &part, form);
            }
        }
    }
}

#[test]
fn what_was_made_is_said_and_used_again() {
    let sample = sample();
    let made = |part: &ProjectionOptions, algorithm: &str, form: &str| {
        let outcome = sample
            .run(algorithm, &[("graph", form)], part)
            .expect("run");
        outcome.prepared.expect("it was made").what
    };
    let all = ProjectionOptions::new();
    let people = ProjectionOptions::new().label("Person");
    assert_eq!(made(&all, "bfs", "live"), "projection");
    assert_eq!(
        made(&all, "coloring", "live"),
        "projection, read as undirected"
    );
    let costs = all.clone().weight("cost", 1.0);
    // Weights that the algorithm does not read are not fetched.
    assert_eq!(made(&costs, "bfs", "live"), "projection");
    let weighted = made(&costs, "delta-stepping", "live");
    assert!(
        weighted.starts_with("projection with weights of "),
        "{weighted}"
    );
    let sealed = "sealed copy (sorted) of a projection";
    assert_eq!(made(&all, "bfs", "sealed"), sealed);
    assert_eq!(made(&people, "bfs", "sealed"), sealed);
    assert_eq!(made(&all, "bfs", "sealed"), format!("cached {sealed}"));
    assert_eq!(made(&people, "pr", "sealed"), format!("cached {sealed}"));
}
