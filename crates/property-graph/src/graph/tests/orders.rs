//! Cost of lookups within a transaction, and uniqueness within it.

use std::ops::Bound;

use super::super::{
    Account, Definition, GraphRead, Opened, Order, PropertyGraph, Rule, Transaction,
};
use super::lookups::graph;
use crate::index::KeyRange;
use crate::value::Value;

/// Finds or makes so many nodes in one transaction, and gives the number of changes that
/// lookups have looked at.
fn find_or_create(graph: &PropertyGraph, count: i64) -> usize {
    let mut own = graph.begin();
    for number in 0..count {
        let wanted = [("a", Value::from(number % (count / 2)))];
        if own.find("Person", &wanted).expect("readable").is_empty() {
            own.create_node(&["Person"], wanted).expect("alone");
        }
    }
    let made = own.written_nodes().len();
    assert_eq!(made as i64, count / 2);
    own.inner.overlay().visited()
}

/// The cost of a lookup depends on its hits, however much was written.
#[test]
fn lookups_do_not_go_through_what_was_written() {
    for rule in [Rule::Index, Rule::Unique] {
        let graph = graph(&[Definition::of_nodes("a", "Person", &["a"], rule)]);
        let count = 10_000;
        let visited = find_or_create(&graph, count);
        assert!(
            visited <= 4 * count as usize,
            "{rule:?}: {visited} for {count} lookups"
        );
    }
}

/// Nor do those of views, of which each shows one write more.
#[test]
fn lookups_of_views_do_not_go_through_what_was_written() {
    let graph = graph(&[Definition::of_nodes("a", "Person", &["a"], Rule::Index)]);
    let (mut own, mut visited) = (graph.begin(), 0);
    let count: usize = 1_000;
    for number in 0..count as i64 {
        let view = own.current_view();
        let before = own.inner.overlay().visited();
        let index = view.indexes().first().expect("an index").number;
        let key = Value::from(number);
        let range = KeyRange::between(&[], Bound::Included(&key), Bound::Included(&key));
        let opened = view.cursor(index, &range, Order::Ascending);
        let Ok(Opened::Cursor(mut cursor)) = opened else {
            panic!("an index that can be read");
        };
        let found = cursor.read_keyed(1, &Account::default(), |_, _| {});
        assert_eq!(found.expect("readable"), 0, "{number}");
        visited += view.visited() - before;
        own.create_node(&["Person"], [("a", number.into())])
            .expect("alone");
    }
    visited += own.inner.overlay().visited();
    assert!(visited <= 4 * count, "{visited} for {count}");
}

/// Uniqueness holds among a transaction's final writes; intermediate values do not count.
#[test]
fn a_unique_value_can_be_given_again_within_a_transaction() {
    let graph = graph(&[Definition::of_nodes("a", "Person", &["a"], Rule::Unique)]);
    let mut own = graph.begin();
    let person = |own: &mut Transaction, a: i64| own.create_node(&["Person"], [("a", a.into())]);
    let first = person(&mut own, 1).expect("free");
    assert!(person(&mut own, 1).is_err());
    own.set(first, "a", 2).expect("free");
    let second = person(&mut own, 1).expect("free again");
    assert!(own.set(first, "a", 1).is_err());
    own.delete_node(second).expect("alone");
    own.set(first, "a", 1).expect("free again");
    own.commit().expect("committed");
    assert_eq!(graph.check().problems, Vec::<String>::new());
}
