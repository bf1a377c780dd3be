//! The program of `docs/reading-in-batches.md`: a query of an engine, clause by clause.

use std::collections::BTreeMap;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Account, Comparison, Direction, EntityKind, Filter, GraphError, GraphOptions, GraphRead,
    IndexSubject, NodeId, Opened, Order, PropertyGraph, Test,
};
use evergraph_property_graph::index::KeyRange;
use evergraph_storage::medium::DramStorage;

/// MATCH (a:Person)-[:KNOWS]->(b) WHERE a.age >= $age RETURN b.city, count(*)
fn cities_of_friends(
    graph: &impl GraphRead,
    age: i64,
    account: &Account,
) -> Result<BTreeMap<Value, u64>, GraphError> {
    let mut counts = BTreeMap::new();
    let (Some(person), Some(knows), Some(age_key), Some(city)) = (
        graph.label_code("Person"),
        graph.type_code("KNOWS"),
        graph.key_code("age"),
        graph.key_code("city"),
    ) else {
        // What no commit has named, nothing has.
        return Ok(counts);
    };
    let adults = Test::Compares(Comparison::GreaterOrEqual, age.into());
    let filter = Filter::label(person).and(age_key, adults);
    for morsel in graph.morsels(EntityKind::Node).iter() {
        let mut people = Vec::new();
        graph.scan(&morsel, &filter, &mut people, account)?;
        let friends = graph.expand(&people, Some(&[knows]), Direction::Outgoing, account)?;
        let cities = graph.gather(EntityKind::Node, &friends.neighbors, city, account)?;
        for row in 0..cities.len() {
            *counts.entry(cities.get(row)).or_default() += 1;
        }
        let bytes = 4 * people.len() + friends.bytes() + cities.bytes();
        account.release(bytes as u64);
    }
    Ok(counts)
}

/// MATCH (p:Person) RETURN p ORDER BY p.age DESC LIMIT $most
fn oldest(
    graph: &impl GraphRead,
    most: usize,
    account: &Account,
) -> Result<Option<Vec<u32>>, GraphError> {
    let label = graph.label_code("Person").map(IndexSubject::Label);
    let age = graph.key_code("age");
    let covers = |keys: &[u32]| age.is_some_and(|age| keys == [age]);
    let indexes = graph.indexes();
    let found = indexes
        .iter()
        .find(|index| Some(index.subject) == label && covers(&index.keys));
    let Some(index) = found else {
        return Ok(None);
    };
    let mut ids = Vec::new();
    match graph.cursor(index.number, &KeyRange::all(), Order::Descending)? {
        Opened::Cursor(mut cursor) => cursor.read(most, &mut ids, account)?,
        Opened::Unavailable(_) => return Ok(None),
    };
    Ok(Some(ids))
}

#[test]
fn a_query_reads_and_writes_in_batches() -> Result<(), GraphError> {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [1; 16])?;
    graph.write(|transaction| {
        for (age, city) in [(30, "Bern"), (20, "Rome"), (40, "Rome")] {
            transaction.create_node(&["Person"], [("age", age.into()), ("city", city.into())])?;
        }
        for (source, target) in [(0, 1), (0, 2), (1, 0), (2, 0)] {
            transaction.create_relationship(NodeId(source), "KNOWS", NodeId(target), [])?;
        }
        Ok(())
    })?;
    graph.create_index("ages", "Person", &["age"])?;
    let account = Account::with_limit(1 << 20);
    let expected = BTreeMap::from([("Bern".into(), 1), ("Rome".into(), 2)]);
    assert_eq!(cities_of_friends(&graph.view(), 30, &account)?, expected);
    assert_eq!(oldest(&graph.view(), 2, &account)?, Some(vec![2, 0]));

    let mut transaction = graph.begin();
    // MATCH (p:Person) SET p.age = p.age + 20, p.seen = true
    let view = transaction.current_view();
    let age = transaction.key_or_new("age")?;
    let seen = transaction.key_or_new("seen")?;
    let person = view.label_code("Person").expect("a commit has used it");
    for morsel in view.morsels(EntityKind::Node).iter() {
        let mut people = Vec::new();
        view.scan(&morsel, &Filter::label(person), &mut people, &account)?;
        let ages = view.gather(EntityKind::Node, &people, age, &account)?;
        for (row, &id) in people.iter().enumerate() {
            if let Value::Integer(age_before) = ages.get(row) {
                let new = [(age, (age_before + 20).into()), (seen, true.into())];
                transaction.set_by_code(NodeId(id), new)?;
            }
        }
    }
    // The clause saw nothing of what it wrote; the next one does.
    assert_eq!(cities_of_friends(&view, 40, &account)?.len(), 1);
    assert_eq!(
        cities_of_friends(&transaction.current_view(), 40, &account)?.len(),
        2
    );
    transaction.commit()?;
    assert_eq!(oldest(&graph.view(), 1, &account)?, Some(vec![2]));
    Ok(())
}
