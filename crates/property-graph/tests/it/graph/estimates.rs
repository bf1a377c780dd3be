//! Estimates of degrees and of values, against exact ones.

use std::collections::BTreeSet;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Account, Comparison, DegreeEstimate, Direction, GraphOptions, GraphRead, Population,
    PropertyGraph, View,
};
use evergraph_storage::medium::DramStorage;

/// Nodes whose number is a multiple of five are no persons. The person of number n has
/// n % 7 friends, but a hundredth have 70.
fn social(persons: u32) -> PropertyGraph {
    let options = GraphOptions {
        chunk_records: 256,
        ..GraphOptions::default()
    };
    let graph = PropertyGraph::create(&DramStorage::new(), options, [5; 16]).expect("created");
    let mut load = graph.load();
    let mut ids = Vec::new();
    for number in 0..persons + persons / 4 {
        let n = i64::from(number);
        let labels: &[&str] = if number % 5 == 0 { &[] } else { &["Person"] };
        let rare = if number % 10 == 3 {
            n.into()
        } else {
            Value::Null
        };
        let properties = [
            ("number", Value::from(n)),
            ("city", Value::from(n * 7919 % 40)),
            ("rare", rare),
        ];
        ids.push(load.create_node(labels, properties).expect("made"));
    }
    for number in (0..ids.len()).filter(|number| number % 5 != 0) {
        let friends = if number % 100 == 1 { 70 } else { number % 7 };
        for friend in 1..=friends {
            let other = ids[(number + 11 * friend) % ids.len()];
            let made = load.create_relationship(ids[number], "KNOWS", other, []);
            made.expect("made");
        }
    }
    load.commit().expect("committed");
    graph
}

/// Degrees of all persons, ascending.
fn degrees(view: &View) -> Vec<u64> {
    let persons = view.nodes_with_label("Person");
    let ids: Vec<u32> = persons.map(|node| node.expect("read").id().0).collect();
    let kind = view.type_code("KNOWS").expect("used");
    let all = view.degrees(
        &ids,
        Some(&[kind]),
        Direction::Outgoing,
        &Account::default(),
    );
    let mut all = all.expect("readable");
    all.sort_unstable();
    all
}

fn distinct(view: &View, key: &str) -> (f64, f64) {
    let persons: Vec<_> = (view.nodes_with_label("Person"))
        .map(|node| node.expect("read"))
        .collect();
    let values = persons.iter().filter_map(|node| node.get(key));
    let present = values.clone().count() as f64 / persons.len() as f64;
    let values: BTreeSet<String> = values.map(|value| format!("{value:?}")).collect();
    (present, values.len() as f64)
}

fn estimate(view: &View) -> DegreeEstimate {
    view.degree_estimate("Person", "KNOWS", Direction::Outgoing)
        .expect("readable")
}

#[test]
fn estimates_of_few_nodes_are_exact() {
    let graph = social(1000);
    let view = graph.view();
    let all = degrees(&view);
    let found = estimate(&view);
    let sum: u64 = all.iter().sum();
    assert_eq!(found.mean, sum as f64 / all.len() as f64);
    let at_most = |of_100: usize| all[(all.len() - 1) * of_100 / 100];
    assert_eq!(
        [found.median, found.p90, found.p99],
        [50, 90, 99].map(at_most)
    );
    let squares: u64 = all.iter().map(|degree| degree * degree).sum();
    assert_eq!(found.of_reached, squares as f64 / sum as f64);
    for key in ["number", "city", "rare"] {
        let found = view
            .value_estimate(Population::Label("Person"), key)
            .expect("readable");
        assert_eq!(
            (found.present, found.distinct),
            distinct(&view, key),
            "{key}"
        );
    }
}

/// Of a sample: a fifth off at most, and different values by a factor of two.
#[test]
fn estimates_of_many_nodes_are_near() {
    let graph = social(12_000);
    let view = graph.view();
    let all = degrees(&view);
    let found = estimate(&view);
    let mean = all.iter().sum::<u64>() as f64 / all.len() as f64;
    assert!(
        (0.8..1.25).contains(&(found.mean / mean)),
        "{found:?} {mean}"
    );
    let at_most = |of_100: usize| all[(all.len() - 1) * of_100 / 100];
    assert_eq!([found.median, found.p90], [50, 90].map(at_most));
    for key in ["number", "city", "rare"] {
        let found = view
            .value_estimate(Population::Label("Person"), key)
            .expect("readable");
        let (present, distinct) = distinct(&view, key);
        assert!(
            (0.8..1.25).contains(&(found.present / present)),
            "{key} {found:?}"
        );
        assert!(
            (0.5..2.0).contains(&(found.distinct / distinct)),
            "{key} {found:?}"
        );
    }
}

/// What is estimated is made again when a quarter has changed, and not before.
#[test]
fn estimates_are_kept_until_much_has_changed() {
    let graph = social(100);
    let before = estimate(&graph.view());
    let one = |number: u32| {
        let made = graph.write(|own| {
            let person = own.create_node(&["Person"], [])?;
            let all = (0..number).map(|_| own.create_node(&["Person"], []));
            for other in all.collect::<Result<Vec<_>, _>>()? {
                own.create_relationship(person, "KNOWS", other, [])?;
            }
            Ok(())
        });
        made.expect("committed");
    };
    one(3);
    assert_eq!(estimate(&graph.view()), before);
    one(300);
    let after = estimate(&graph.view());
    assert!(after.of_reached > before.of_reached, "{after:?}");
    let nothing = graph
        .view()
        .degree_estimate("Nobody", "KNOWS", Direction::Both);
    assert_eq!(nothing.expect("readable"), DegreeEstimate::default());
    let nothing = graph
        .view()
        .value_estimate(Population::Label("Person"), "nothing");
    assert_eq!(nothing.expect("readable").distinct, 0.0);
}

/// Of relationships as of nodes: of few they are exact.
#[test]
fn estimates_of_relationships_are_of_their_type() {
    let graph = social(300);
    let made = graph.write(|own| {
        let one = own.create_node(&["Place"], [])?;
        for i in 0..1000i64 {
            let weight = (i % 4 != 0).then_some(("weight", (i % 10).into()));
            own.create_relationship(one, "NEAR", one, weight)?;
            own.create_relationship(one, "FAR", one, [("weight", 77.into())])?;
        }
        Ok(())
    });
    made.expect("committed");
    let view = graph.view();
    let near = Population::Type("NEAR");
    let values = view.value_estimate(near, "weight").expect("readable");
    assert_eq!((values.present, values.distinct), (0.75, 10.0));
    let less = view.comparison_estimate(near, "weight", Comparison::Less, &5.into());
    let expected = (0..1000).filter(|i| i % 4 != 0 && i % 10 < 5).count() as f64 / 1000.0;
    assert_eq!(less.expect("readable"), Some(expected));
    let unknown = view.comparison_estimate(
        Population::Type("NOWHERE"),
        "weight",
        Comparison::Less,
        &5.into(),
    );
    assert_eq!(unknown.expect("readable"), None);
}
