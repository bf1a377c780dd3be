//! Seeds that are made of golden databases and of values, for `fuzz/seeds`.

use evergraph_property_graph::value::codec::{NoTextCodes, encode};
use evergraph_property_graph::{Properties, Value};

use crate::databases;
use crate::values::one_of_each;

/// By the target's name.
///
/// # Panics
/// Never: the values are some.
pub fn generated_seeds() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let unchanged = |goldens: u8| (0..2 * goldens).map(|first| vec![first]).collect();
    let values = one_of_each().expect("values");
    let mut all = Properties::new();
    let stored = |value: &Value| {
        let mut bytes = Vec::new();
        encode(value, &NoTextCodes, &mut bytes).expect("not deep");
        bytes
    };
    let each: Vec<Vec<u8>> = values.iter().map(stored).collect();
    values.into_iter().zip(1..).for_each(|(value, key)| {
        all.set(key, value);
    });
    let mut properties = Vec::new();
    all.encode(&mut properties).expect("not deep");
    vec![
        ("store", unchanged(5)),
        ("direct", unchanged(3)),
        ("property-graph", unchanged(1)),
        ("results", unchanged(2)),
        ("log", databases::payloads()),
        ("value", each),
        ("properties", vec![properties]),
    ]
}
