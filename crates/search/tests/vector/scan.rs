//! Reference implementation: every node is read and measured.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Node, NodeId, Reading};
use evergraph_search::vector::{Metric, Near, VectorDefinition, Vectors};

/// The index that most tests are about.
pub fn definition(dimensions: usize, metric: Metric) -> VectorDefinition {
    VectorDefinition {
        name: "places".to_string(),
        label: "IndexFile".to_string(),
        key: "at".to_string(),
        dimensions,
        metric,
    }
}

pub fn list(vector: &[f32]) -> Value {
    let numbers = vector.iter().map(|&number| Value::from(f64::from(number)));
    Value::from(numbers.collect::<Vec<_>>())
}

/// Numbers that look random, the same for the same seed.
pub fn vector(dimensions: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    };
    // The first ones of like seeds are alike.
    for _ in 0..8 {
        number();
    }
    (0..dimensions).map(|_| number()).collect()
}

fn measured(definition: &VectorDefinition, node: &Node, query: &[f32]) -> Option<f64> {
    let Some(Value::List(values)) = node.get(&definition.key) else {
        return None;
    };
    let mut numbers = Vec::new();
    for value in values.iter() {
        match value {
            Value::Float(number) => numbers.push(f64::from(*number as f32)),
            Value::Integer(number) => numbers.push(*number as f64),
            _ => return None,
        }
    }
    if numbers.len() != definition.dimensions || !node.has_label(&definition.label) {
        return None;
    }
    let query: Vec<f64> = query.iter().map(|&number| f64::from(number)).collect();
    let (mut product, mut way, mut a, mut b) = (0.0, 0.0, 0.0, 0.0);
    for (x, y) in numbers.iter().zip(&query) {
        product += x * y;
        way += (x - y) * (x - y);
        a += x * x;
        b += y * y;
    }
    if a != 0.0 && !(1e-18..=1e18).contains(&a.sqrt()) {
        return None;
    }
    match definition.metric {
        Metric::Cosine if a == 0.0 => None,
        Metric::Cosine => Some(1.0 - product / (a.sqrt() * b.sqrt())),
        Metric::Euclidean => Some(f64::sqrt(way)),
        Metric::InnerProduct => Some(-product),
    }
}

/// All nodes that count, the nearest first.
pub fn scanned(
    near: &Vectors<'_>,
    reader: &impl Reading,
    all: &[NodeId],
    query: &[f32],
) -> Vec<Near> {
    let mut found = Vec::new();
    for &id in all {
        let node = reader.node(id).expect("readable");
        let distance = node.and_then(|node| measured(near.definition(), &node, query));
        found.extend(distance.map(|distance| Near { node: id, distance }));
    }
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.node.cmp(&b.node)));
    found
}

fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

/// Asks, and holds the answers against the reference's: all are nodes that the reader sees,
/// each once, the nearest first, as many as there can be. Gives how many of the nearest
/// were found.
pub fn compare(
    near: &Vectors<'_>,
    reader: &impl Reading,
    all: &[NodeId],
    query: &[f32],
    k: usize,
) -> usize {
    let expected = scanned(near, reader, all, query);
    let exact = near.nearest_exact(reader, query, k).expect("found");
    let found = near.nearest(reader, query, k).expect("found");
    let wanted = k.min(expected.len());
    for answer in [&exact, &found] {
        assert_eq!(answer.len(), wanted, "{:?}", near.statistics());
        assert!(
            answer
                .windows(2)
                .all(|pair| pair[0].distance <= pair[1].distance)
        );
        for (at, one) in answer.iter().enumerate() {
            let same = expected.iter().find(|other| other.node == one.node);
            assert!(
                same.is_some_and(|same| is_same(same.distance, one.distance)),
                "{one:?}"
            );
            assert!(answer[at + 1..].iter().all(|other| other.node != one.node));
        }
    }
    for (one, expected) in exact.iter().zip(&expected) {
        assert!(
            is_same(one.distance, expected.distance),
            "nothing nearer is missed"
        );
    }
    let Some(last) = expected[..wanted].last() else {
        return 0;
    };
    let is_near = |one: &&Near| one.distance <= last.distance + 1e-9;
    found.iter().filter(is_near).count()
}
