//! Reading in batches, held against reading row by row.

use std::collections::BTreeMap;
use std::ops::Bound;

use evergraph_property_graph::graph::{
    Account, Adjacent, Adjoining, Comparison, Direction, EntityKind, Filter, GraphError,
    GraphOptions, GraphRead, IdBounds, IndexSubject, LabelExpression, Node, NodeId, Opened, Order,
    PropertyGraph, Relationship, Test, Transaction, Unavailable, View,
};
use evergraph_property_graph::index::{KeyRange, key};
use evergraph_property_graph::vector::Values;
use evergraph_property_graph::{KeyCode, TypeCode, Value};
use evergraph_storage::medium::DramStorage;

use super::model::{KEYS, LABELS, TYPES};

/// The row-wise reference.
pub trait Rows {
    fn nodes(&self) -> BTreeMap<u32, Node>;
    fn relationships(&self) -> BTreeMap<u32, Relationship>;
    fn neighbors(&self, node: u32, direction: Direction, types: &[&str]) -> Vec<Adjacent>;
}

macro_rules! rows {
    ($reader:ty) => {
        impl Rows for $reader {
            fn nodes(&self) -> BTreeMap<u32, Node> {
                let nodes = self.nodes().map(|node| node.expect("readable"));
                nodes.map(|node| (node.id().0, node)).collect()
            }

            fn relationships(&self) -> BTreeMap<u32, Relationship> {
                let all = self.relationships().map(|own| own.expect("readable"));
                all.map(|own| (own.id().0, own)).collect()
            }

            fn neighbors(&self, node: u32, direction: Direction, types: &[&str]) -> Vec<Adjacent> {
                self.neighbors(NodeId(node), direction, types)
                    .expect("readable")
            }
        }
    };
}

rows!(View);
rows!(Transaction);

const DIRECTIONS: [Direction; 3] = [Direction::Outgoing, Direction::Incoming, Direction::Both];

/// The tests of filters that are tried on each key.
fn tests() -> Vec<Test> {
    let values = [
        Value::Null,
        Value::from(25i64),
        Value::from(30.5),
        Value::from("text 2"),
        Value::from(true),
    ];
    let comparisons = [
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];
    let mut tests = vec![
        Test::IsNull,
        Test::IsNotNull,
        Test::StartsWith("text".into()),
        Test::In(vec![Value::from(1i64), Value::from("text 2"), Value::Null]),
        Test::In(Vec::new()),
    ];
    for (at, value) in values.iter().enumerate() {
        // Not all of them, which would take long.
        for comparison in &comparisons[at % 2..] {
            tests.push(Test::Compares(*comparison, value.clone()));
        }
    }
    tests
}

fn scanned(batch: &impl GraphRead, of: EntityKind, filter: &Filter) -> Vec<u32> {
    let (account, mut ids) = (Account::default(), Vec::new());
    for morsel in batch.morsels(of).iter() {
        batch
            .scan(&morsel, filter, &mut ids, &account)
            .expect("readable");
    }
    assert_eq!(account.used(), 4 * ids.len() as u64);
    ids
}

/// Holds all that can be read in batches against the rows.
pub fn agree(batch: &impl GraphRead, rows: &impl Rows) {
    let (nodes, relationships) = (rows.nodes(), rows.relationships());
    agree_on_scans(batch, &nodes, &relationships);
    agree_on_parts(batch, &nodes, &relationships);
    agree_on_indexes(batch, &nodes, &relationships);
    for direction in DIRECTIONS {
        agree_on_neighbors(batch, rows, &nodes, direction, &[]);
        agree_on_neighbors(batch, rows, &nodes, direction, &TYPES[..1]);
        agree_on_neighbors(batch, rows, &nodes, direction, &TYPES[1..]);
    }
}

fn agree_on_scans(
    batch: &impl GraphRead,
    nodes: &BTreeMap<u32, Node>,
    relationships: &BTreeMap<u32, Relationship>,
) {
    let of_nodes = |filter: &Filter, holds: &dyn Fn(&Node) -> bool| {
        let expected = nodes.iter().filter(|(_, node)| holds(node));
        let expected: Vec<u32> = expected.map(|(&id, _)| id).collect();
        assert_eq!(
            scanned(batch, EntityKind::Node, filter),
            expected,
            "{filter:?}"
        );
    };
    let of_relationships = |filter: &Filter, holds: &dyn Fn(&Relationship) -> bool| {
        let expected = relationships.iter().filter(|(_, own)| holds(own));
        let expected: Vec<u32> = expected.map(|(&id, _)| id).collect();
        let found = scanned(batch, EntityKind::Relationship, filter);
        assert_eq!(found, expected, "{filter:?}");
    };
    of_nodes(&Filter::default(), &|_| true);
    of_relationships(&Filter::default(), &|_| true);
    of_nodes(&Filter::labels(LabelExpression::Any), &|node| {
        !node.labels().is_empty()
    });
    let codes: Vec<_> = LABELS.iter().map(|label| batch.label_code(label)).collect();
    for (label, code) in LABELS.iter().zip(&codes) {
        let Some(code) = *code else { continue };
        of_nodes(&Filter::label(code), &|node| node.has_label(label));
        let not = LabelExpression::Not(Box::new(LabelExpression::Has(code)));
        of_nodes(&Filter::labels(not), &|node| !node.has_label(label));
        of_relationships(&Filter::label(code), &|_| false);
    }
    if let [Some(a), Some(b), _] = codes[..] {
        let both = vec![LabelExpression::Has(a), LabelExpression::Has(b)];
        of_nodes(
            &Filter::labels(LabelExpression::And(both.clone())),
            &|node| node.has_label(LABELS[0]) && node.has_label(LABELS[1]),
        );
        of_nodes(&Filter::labels(LabelExpression::Or(both)), &|node| {
            node.has_label(LABELS[0]) || node.has_label(LABELS[1])
        });
    }
    for kind in TYPES {
        let Some(code) = batch.type_code(kind) else {
            continue;
        };
        of_relationships(&Filter::types(vec![code]), &|own| *own.kind() == *kind);
        of_nodes(&Filter::types(vec![code]), &|_| false);
    }
    for key in KEYS {
        let Some(code) = batch.key_code(key) else {
            continue;
        };
        for test in tests() {
            let filter = Filter::default().and(code, test.clone());
            of_nodes(&filter, &|node| {
                test.holds(node.get(key).unwrap_or(&Value::Null))
            });
            of_relationships(&filter, &|own| {
                test.holds(own.get(key).unwrap_or(&Value::Null))
            });
        }
    }
}

/// Ids of what there is and of what is not, in an order of their own.
fn asked<V>(entities: &BTreeMap<u32, V>) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..40).chain(entities.keys().copied()).collect();
    ids.extend([u32::MAX, 1 << 20]);
    ids.sort_by_key(|id| id.wrapping_mul(0x9E37_79B9) >> 7);
    ids
}

fn agree_on_parts(
    batch: &impl GraphRead,
    nodes: &BTreeMap<u32, Node>,
    relationships: &BTreeMap<u32, Relationship>,
) {
    let account = Account::default();
    let (of_nodes, of_relationships) = (asked(nodes), asked(relationships));
    for key in KEYS {
        let Some(code) = batch.key_code(key) else {
            continue;
        };
        let values = gathered(batch, EntityKind::Node, &of_nodes, code);
        for (id, value) in of_nodes.iter().zip(values) {
            let expected = nodes.get(id).and_then(|node| node.get(key)).cloned();
            assert_eq!(value, expected.unwrap_or_default(), "{key} of node {id}");
        }
        let values = gathered(batch, EntityKind::Relationship, &of_relationships, code);
        for (id, value) in of_relationships.iter().zip(values) {
            let expected = relationships.get(id).and_then(|own| own.get(key)).cloned();
            assert_eq!(
                value,
                expected.unwrap_or_default(),
                "{key} of relationship {id}"
            );
        }
    }
    let labels = batch.labels(&of_nodes, &account).expect("readable");
    let exist = batch.exist(EntityKind::Node, &of_nodes).expect("readable");
    for (row, id) in of_nodes.iter().enumerate() {
        let expected = nodes.get(id).map_or(&[][..], |node| &node.record().labels);
        assert_eq!(labels.get(row), expected, "labels of node {id}");
        assert_eq!(exist.is_valid(row), nodes.contains_key(id), "node {id}");
    }
    let exist = batch.exist(EntityKind::Relationship, &of_relationships);
    let exist = exist.expect("readable");
    let ends = batch.ends(&of_relationships, &account).expect("readable");
    for (row, id) in of_relationships.iter().enumerate() {
        assert_eq!(exist.is_valid(row), relationships.contains_key(id), "{id}");
        let Some(own) = relationships.get(id) else {
            continue;
        };
        assert!(ends.validity.is_valid(row), "relationship {id} has ends");
        let found = (ends.types[row], ends.sources[row], ends.targets[row]);
        assert_eq!(found, (own.kind_code(), own.source().0, own.target().0));
    }
    let born = batch.born(EntityKind::Node, &of_nodes, &account);
    for (id, born) in of_nodes.iter().zip(born.expect("readable")) {
        assert!(born > 0 || !nodes.contains_key(id), "birth of node {id}");
    }
}

/// The keys and ids of a cursor, a few at a time; `None` if the index cannot answer.
fn walked(
    batch: &impl GraphRead,
    index: u32,
    range: &KeyRange,
    order: Order,
) -> Option<Vec<(Vec<u8>, u32)>> {
    let account = Account::default();
    let mut cursor = match batch.cursor(index, range, order).expect("readable") {
        Opened::Cursor(cursor) => cursor,
        Opened::Unavailable(_) => return None,
    };
    let mut found = Vec::new();
    loop {
        let read = cursor.read_keyed(3, &account, |key, id| found.push((key.to_vec(), id)));
        if read.expect("readable") < 3 {
            return Some(found);
        }
    }
}

fn agree_on_indexes(
    batch: &impl GraphRead,
    nodes: &BTreeMap<u32, Node>,
    relationships: &BTreeMap<u32, Relationship>,
) {
    for index in batch.indexes() {
        let names: Vec<_> = index.keys.iter().map(|&key| batch.key_name(key)).collect();
        let names: Vec<_> = names.into_iter().map(|name| name.expect("known")).collect();
        let values = |get: &dyn Fn(&str) -> Option<Value>| {
            let values: Option<Vec<Value>> = names.iter().map(|name| get(name)).collect();
            key::encode(&values?)
        };
        let mut entries: Vec<(Vec<u8>, u32)> = match index.subject {
            IndexSubject::Label(label) => {
                let has = |node: &Node| node.record().labels.contains(&label);
                let of_label = nodes.iter().filter(|(_, node)| has(node));
                let entry =
                    |(&id, node): (&u32, &Node)| Some((values(&|key| node.get(key).cloned())?, id));
                of_label.filter_map(entry).collect()
            }
            IndexSubject::Type(kind) => {
                let of_type = relationships.iter();
                let of_type = of_type.filter(|(_, own)| own.kind_code() == kind);
                let entry = |(&id, own): (&u32, &Relationship)| {
                    Some((values(&|key| own.get(key).cloned())?, id))
                };
                of_type.filter_map(entry).collect()
            }
        };
        entries.sort_unstable();
        let (low, high) = (Value::from(10i64), Value::from("text 5"));
        let mut ranges = vec![
            KeyRange::all(),
            KeyRange::nothing(),
            KeyRange::between(&[], Bound::Excluded(&low), Bound::Unbounded),
            KeyRange::between(&[], Bound::Unbounded, Bound::Included(&high)),
            KeyRange::starting_with(&[], "long"),
        ];
        let middle = entries.get(entries.len() / 2);
        ranges.extend(middle.map(|(key, _)| KeyRange::exactly(key)));
        for range in &ranges {
            for order in [Order::Ascending, Order::Descending] {
                let found = walked(batch, index.number, range, order);
                assert_eq!(found.is_none(), index.unavailable.is_some(), "{index:?}");
                let Some(mut found) = found else { continue };
                if order == Order::Descending {
                    found.reverse();
                }
                let mut found = found.iter();
                for (key, id) in entries.iter().filter(|entry| range.contains(&entry.0)) {
                    let Some(next) = found.next() else {
                        panic!("{id} is missing from {index:?}");
                    };
                    assert_eq!((&next.0, next.1), (key, *id), "{order:?} {index:?}");
                }
                assert_eq!(found.next(), None, "{order:?} {index:?}");
            }
        }
    }
}

fn gathered(batch: &impl GraphRead, of: EntityKind, ids: &[u32], key: KeyCode) -> Vec<Value> {
    let account = Account::default();
    let vector = batch.gather(of, ids, key, &account).expect("readable");
    assert_eq!(account.used(), vector.bytes() as u64);
    (0..ids.len()).map(|row| vector.get(row)).collect()
}

fn agree_on_neighbors(
    batch: &impl GraphRead,
    rows: &impl Rows,
    nodes: &BTreeMap<u32, Node>,
    direction: Direction,
    types: &[&str],
) {
    let account = Account::default();
    let ids = asked(nodes);
    let codes: Vec<TypeCode> = types.iter().filter_map(|t| batch.type_code(t)).collect();
    let codes = (!types.is_empty()).then_some(&codes[..]);
    let mut expected = Vec::new();
    let mut degrees = Vec::new();
    for (row, &id) in ids.iter().enumerate() {
        let neighbors = rows.neighbors(id, direction, types);
        degrees.push(neighbors.len() as u64);
        let entry = |a: Adjacent| (row as u32, a.neighbor.0, a.relationship.0);
        expected.extend(neighbors.into_iter().map(entry));
    }
    let found = batch.expand(&ids, codes, direction, &account);
    let found = found.expect("readable");
    let entry = |at: usize| (found.rows[at], found.neighbors[at], found.relationships[at]);
    let found: Vec<_> = (0..found.len()).map(entry).collect();
    assert_eq!(found, expected, "{direction:?} {types:?}");
    // Back to front, and each twice.
    let other: Vec<u32> = ids.iter().rev().flat_map(|&id| [id, id]).collect();
    let found = batch.expand(&other, codes, direction, &account);
    let found = found.expect("readable");
    let alone = batch.expand_neighbors(&other, codes, direction, &account);
    let alone = alone.expect("readable");
    assert_eq!(alone.len(), other.len());
    assert_eq!(alone.all(), found.neighbors);
    for (row, &id) in other.iter().enumerate() {
        let neighbors = rows.neighbors(id, direction, types);
        let neighbors: Vec<u32> = neighbors.into_iter().map(|a| a.neighbor.0).collect();
        assert_eq!(alone.get(row), neighbors, "{direction:?} {types:?}");
        let of_row = found.rows.iter().filter(|&&other| other == row as u32);
        assert_eq!(of_row.count(), neighbors.len());
    }
    let found = batch.degrees(&ids, codes, direction, &account);
    assert_eq!(found.expect("readable"), degrees, "{direction:?} {types:?}");
    // So many that loops are looked for by section.
    let many: Vec<u32> = ids.iter().copied().cycle().take(100).collect();
    let found = batch.degrees(&many, codes, direction, &account);
    let degrees: Vec<u64> = degrees.into_iter().cycle().take(many.len()).collect();
    assert_eq!(found.expect("readable"), degrees, "{direction:?} {types:?}");

    // Each node with every third, of those that have neighbors.
    let mut pairs: Vec<(u32, u32)> = expected
        .iter()
        .map(|&(row, neighbor, _)| (ids[row as usize], neighbor))
        .collect();
    pairs.extend(ids.iter().zip(ids.iter().skip(3)).map(|(&a, &b)| (a, b)));
    let (sources, targets): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
    let mut expected = Vec::new();
    for (row, &(source, target)) in pairs.iter().enumerate() {
        let between = rows.neighbors(source, direction, types);
        let between = between.into_iter().filter(|a| a.neighbor.0 == target);
        expected.extend(between.map(|a| (row as u32, target, a.relationship.0)));
    }
    agree_on_common_neighbors(batch, rows, (&sources, &targets), direction, types);
    let before = account.used();
    let found = batch.expand_into(&sources, &targets, codes, direction, &account);
    let found = found.expect("readable");
    assert_eq!(account.used() - before, found.bytes() as u64);
    let entry = |at: usize| (found.rows[at], found.neighbors[at], found.relationships[at]);
    let found: Vec<_> = (0..found.len()).map(entry).collect();
    assert_eq!(found, expected, "between pairs, {direction:?} {types:?}");
}

/// Of few rows, and of so many that lists are sorted section by section.
fn agree_on_common_neighbors(
    batch: &impl GraphRead,
    rows: &impl Rows,
    (sources, targets): (&[u32], &[u32]),
    direction: Direction,
    types: &[&str],
) {
    let account = Account::default();
    let codes: Vec<TypeCode> = types.iter().filter_map(|t| batch.type_code(t)).collect();
    let codes = (!types.is_empty()).then_some(&codes[..]);
    let few = sources.len().min(20);
    let other = direction.reversed();
    let mut of_pairs = Vec::new();
    for (&source, &target) in sources.iter().zip(targets).take(few) {
        let mut here = Vec::new();
        let beside = rows.neighbors(target, other, types);
        for one in rows.neighbors(source, direction, types) {
            let same = beside.iter().filter(|other| other.neighbor == one.neighbor);
            here.extend(same.map(|other| {
                let ids = (one.relationship.0, other.relationship.0);
                (one.neighbor.0, ids.0, ids.1)
            }));
        }
        here.sort_unstable();
        of_pairs.push(here);
    }
    let many = if few == 0 { 0 } else { 300 };
    for count in [few, many] {
        let row = |of: &[u32]| -> Vec<u32> {
            let few = of.iter().copied().take(few);
            few.cycle().take(count).collect()
        };
        let (sources, targets) = (row(sources), row(targets));
        let of = [(&sources, direction), (&targets, other)];
        let of = of.map(|(nodes, direction)| Adjoining {
            nodes,
            types: codes,
            direction,
        });
        let bounds = IdBounds {
            above: Some(&sources),
            below: None,
        };
        for bounds in [IdBounds::default(), bounds] {
            let mut expected = Vec::new();
            for row in 0..count {
                let is_within = |node| bounds.above.is_none_or(|above| node > above[row]);
                let here = of_pairs[row % few].iter();
                let here = here.filter(|&&(node, ..)| is_within(node));
                expected.extend(here.map(|&(a, b, c)| (row as u32, a, b, c)));
            }
            let before = account.used();
            let found = batch.common_neighbors(&of, bounds, &account);
            let found = found.expect("readable");
            assert_eq!(account.used() - before, found.bytes() as u64);
            let entry = |at: usize| {
                let [first, second] = [0, 1].map(|one: usize| found.relationships[one][at]);
                (found.rows[at], found.nodes[at], first, second)
            };
            let found: Vec<_> = (0..found.len()).map(entry).collect();
            assert_eq!(found, expected, "{direction:?} {types:?}");
        }
    }
}

fn graph_of(nodes: i64) -> PropertyGraph {
    let options = GraphOptions::default();
    let graph = PropertyGraph::create(&DramStorage::new(), options, [5; 16]).expect("created");
    let made = graph.write(|transaction| {
        for number in 0..nodes {
            let name = format!("node {number}");
            let values = [("age", number.into()), ("name", name.into())];
            transaction.create_node(&["Person"], values)?;
        }
        Ok(())
    });
    made.expect("committed");
    graph
}

#[test]
fn a_clean_chunk_and_a_changed_one_give_typed_vectors() {
    let graph = graph_of(5000);
    graph.checkpoint().expect("written");
    let changed = graph.write(|transaction| {
        for id in (0..5000).step_by(10) {
            transaction.set(NodeId(id), "age", -1)?;
        }
        transaction.delete_node(NodeId(4999))
    });
    changed.expect("committed");
    let (view, account) = (graph.view(), Account::default());
    let age = view.key_code("age").expect("used");
    let ids: Vec<u32> = (0..5000).rev().collect();
    let ages = view
        .gather(EntityKind::Node, &ids, age, &account)
        .expect("readable");
    assert!(matches!(ages.values(), Values::Integer(_)), "of one type");
    assert_eq!(ages.validity().count(), 4999);
    for (row, &id) in ids.iter().enumerate().skip(1) {
        let expected = if id % 10 == 0 { -1 } else { i64::from(id) };
        assert_eq!(ages.get(row), expected.into());
    }
    let test = Test::Compares(Comparison::Less, 0.into());
    let found = scanned(&view, EntityKind::Node, &Filter::default().and(age, test));
    assert_eq!(found, (0..5000).step_by(10).collect::<Vec<u32>>());
}

#[test]
fn morsels_are_read_by_threads_in_any_order() {
    let graph = graph_of(10_000);
    let view = graph.view();
    let morsels = view.morsels(EntityKind::Node);
    assert!(morsels.len() >= 5, "{} morsels", morsels.len());
    let (next, account) = (std::sync::atomic::AtomicU32::new(0), Account::default());
    let found = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let take = || next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                while let Some(morsel) = morsels.get(take()) {
                    let mut ids = Vec::new();
                    let read = view.scan(&morsel, &Filter::default(), &mut ids, &account);
                    read.expect("readable");
                    found.lock().expect("not poisoned").extend(ids);
                }
            });
        }
    });
    let mut found = found.into_inner().expect("not poisoned");
    found.sort_unstable();
    assert_eq!(found, (0..10_000).collect::<Vec<u32>>());
}

#[test]
fn a_cancelled_query_and_one_without_memory_end() {
    let graph = graph_of(20_000);
    let view = graph.view();
    let name = view.key_code("name").expect("used");
    let ids: Vec<u32> = (0..20_000).collect();
    let account = Account::with_limit(100_000);
    let failed = view.gather(EntityKind::Node, &ids, name, &account);
    let Err(GraphError::MemoryLimit { limit: 100_000 }) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(account.used(), 0, "what failed is not charged");
    let few = view.gather(EntityKind::Node, &ids[..100], name, &account);
    account.release(few.expect("it fits").bytes() as u64);
    account.cancel();
    let failed = view.gather(EntityKind::Node, &ids[..1], name, &account);
    assert!(matches!(failed, Err(GraphError::Cancelled)), "{failed:?}");
    let morsel = view.morsels(EntityKind::Node).get(0).expect("the first");
    let failed = view.scan(&morsel, &Filter::default(), &mut Vec::new(), &account);
    assert!(matches!(failed, Err(GraphError::Cancelled)), "{failed:?}");
    assert_eq!(account.used(), 0);
}

#[test]
fn the_version_of_the_schema_grows_with_names_and_definitions() {
    let graph = graph_of(3);
    let view = graph.view();
    let mut last = view.schema_version();
    let mut grew = |what: &str| {
        let now = view.schema_version();
        assert!(now > last, "{what}: {last}, then {now}");
        last = now;
    };
    let set = |key: &str| graph.write(|transaction| transaction.set(NodeId(0), key, 1));
    set("new").expect("committed");
    grew("a new key");
    graph
        .create_index("ages", "Person", &["age"])
        .expect("made");
    grew("an index");
    graph.drop_definition("ages").expect("there");
    grew("an index that is dropped");
    let before = view.schema_version();
    set("new").expect("committed");
    assert_eq!(view.schema_version(), before, "nothing new");
}

#[test]
fn an_id_that_is_used_again_is_born_again() {
    let graph = graph_of(2);
    let born = |id: u32| {
        let (view, account) = (graph.view(), Account::default());
        view.born(EntityKind::Node, &[id], &account)
            .expect("readable")[0]
    };
    let first = born(1);
    assert!(first > 0);
    graph
        .write(|transaction| transaction.set(NodeId(1), "age", 7))
        .expect("committed");
    graph.checkpoint().expect("written");
    assert_eq!(born(1), first, "a change is no birth");
    graph
        .write(|transaction| transaction.delete_node(NodeId(1)))
        .expect("committed");
    assert_eq!(born(1), 0);
    let again = graph
        .write(|transaction| transaction.create_node(&[], []))
        .expect("committed");
    assert!(again != NodeId(1) || born(1) > first);
}

/// A reader that threads may share, and that is cheap to copy.
fn is_shared<T: Clone + Send + Sync + 'static>(_: &T) {}

#[test]
fn a_statement_sees_what_was_written_before_it() {
    let graph = graph_of(100);
    let mut transaction = graph.begin();
    let before = transaction.current_view();
    is_shared(&before);
    let made = transaction.create_node(&["Person"], []).expect("made");
    transaction.delete_node(NodeId(3)).expect("deleted");
    let person = before.label_code("Person").expect("used");
    let (middle, all) = (transaction.current_view(), Filter::label(person));
    assert_eq!(scanned(&before, EntityKind::Node, &all).len(), 100);
    let expected: Vec<u32> = (0..100).filter(|id| *id != 3).chain([made.0]).collect();
    assert_eq!(scanned(&middle, EntityKind::Node, &all), expected);
    let savepoint = transaction.savepoint();
    transaction.set(NodeId(5), "new key", 1).expect("set");
    let after = transaction.current_view();
    transaction.roll_back_to(savepoint).expect("it is there");
    let key = after.key_code("new key").expect("of this transaction");
    let values = gathered(&after, EntityKind::Node, &[5], key);
    assert_eq!(values, [1.into()], "what was taken back stays in it");
    assert_eq!(
        gathered(&middle, EntityKind::Node, &[5], key),
        [Value::Null]
    );
    transaction.commit().expect("committed");
    assert_eq!(scanned(&middle, EntityKind::Node, &all), expected);
}

#[test]
fn a_deleted_relationship_still_has_its_type_and_ends() {
    let graph = graph_of(10);
    let kept = graph
        .write(|transaction| transaction.create_relationship(NodeId(1), "KNOWS", NodeId(2), []));
    let kept = kept.expect("committed");
    let mut transaction = graph.begin();
    let own = transaction
        .create_relationship(NodeId(3), "LIKES", NodeId(4), [])
        .expect("made");
    transaction.delete_relationship(own).expect("deleted");
    transaction.delete_relationship(kept).expect("deleted");
    let (statement, account) = (transaction.current_view(), Account::default());
    let ids = [kept.0, own.0, own.0 + 1];
    let exist = statement.exist(EntityKind::Relationship, &ids);
    assert_eq!(exist.expect("readable").count(), 0);
    let ends = statement.ends(&ids, &account).expect("readable");
    assert_eq!(
        (&ends.sources[..2], &ends.targets[..2]),
        (&[1, 3][..], &[2, 4][..])
    );
    let names: Vec<_> = ends.types[..2]
        .iter()
        .map(|&t| statement.type_name(t))
        .collect();
    assert_eq!(names, [Some("KNOWS".into()), Some("LIKES".into())]);
    assert!(!ends.validity.is_valid(2));
    let born = statement.born(EntityKind::Relationship, &ids, &account);
    let born = born.expect("readable");
    assert!(born[0] > 0 && born[1..] == [0, 0], "{born:?}");
}

/// Two serializable transactions read the same in batches, and each writes what the other
/// has read: `write` gets the number of the transaction. Whether both could commit.
fn both_commit(
    graph: &PropertyGraph,
    read: impl Fn(&evergraph_property_graph::graph::TransactionView),
    write: impl Fn(&mut Transaction, u32),
) -> bool {
    let begin = || {
        graph.begin_with(&evergraph_property_graph::transaction::TransactionOptions::serializable())
    };
    let mut both = [begin(), begin()];
    for (number, transaction) in both.iter_mut().enumerate() {
        read(&transaction.current_view());
        write(transaction, number as u32);
    }
    both.map(|transaction| transaction.commit().is_ok()) == [true, true]
}

#[test]
fn a_serializable_reader_in_batches_meets_no_phantoms() {
    let graph = graph_of(5000);
    graph
        .write(|transaction| transaction.create_node(&["City"], []))
        .expect("committed");
    let account = Account::default();
    let scan = |label: &'static str| {
        move |statement: &evergraph_property_graph::graph::TransactionView| {
            let label = statement.label_code(label).expect("used");
            scanned(statement, EntityKind::Node, &Filter::label(label));
        }
    };
    let create = |label: &'static str| {
        move |transaction: &mut Transaction, _| {
            transaction.create_node(&[label], []).expect("made");
        }
    };
    assert!(!both_commit(&graph, scan("Person"), create("Person")));
    assert!(both_commit(&graph, scan("Person"), create("City")));
    // A change of a row that the scan has looked at, in another row each.
    let set = |transaction: &mut Transaction, number| {
        let node = NodeId(4000 + number);
        transaction.set(node, "age", -1).expect("set");
    };
    assert!(!both_commit(&graph, scan("Person"), set));
    assert!(both_commit(&graph, scan("City"), set));
    // All nodes, whatever their labels.
    let any = |statement: &evergraph_property_graph::graph::TransactionView| {
        scanned(
            statement,
            EntityKind::Node,
            &Filter::labels(LabelExpression::Any),
        );
    };
    assert!(!both_commit(&graph, any, create("City")));
    // Rows that were gathered, many and few of a block.
    for count in [2, 500] {
        let gather = |statement: &evergraph_property_graph::graph::TransactionView| {
            let key = statement.key_code("age").expect("used");
            let ids: Vec<u32> = (4000..4000 + count).collect();
            gathered(statement, EntityKind::Node, &ids, key);
        };
        assert!(!both_commit(&graph, gather, set), "{count} rows");
        let elsewhere = |transaction: &mut Transaction, number| {
            let node = NodeId(3000 + number);
            transaction.set(node, "age", -2).expect("set");
        };
        assert!(both_commit(&graph, gather, elsewhere), "{count} rows");
    }
    // Lists of neighbors.
    let expand = |statement: &evergraph_property_graph::graph::TransactionView| {
        let found = statement.expand(&[1, 2, 3], None, Direction::Outgoing, &account);
        found.expect("readable");
    };
    let connect = |from: u32| {
        move |transaction: &mut Transaction, _| {
            let made = transaction.create_relationship(NodeId(from), "KNOWS", NodeId(9), []);
            made.expect("made");
        }
    };
    assert!(!both_commit(&graph, expand, connect(2)));
    assert!(both_commit(&graph, expand, connect(4)));
    // Of several types, each is read.
    let connect_by = |kind: &'static str| {
        move |transaction: &mut Transaction, _| {
            let made = transaction.create_relationship(NodeId(5), kind, NodeId(9), []);
            made.expect("made");
        }
    };
    for kind in ["LIKES", "LIVES_IN"] {
        let made = graph.write(|own| own.create_relationship(NodeId(6), kind, NodeId(7), []));
        made.expect("committed");
    }
    let expand_by = |statement: &evergraph_property_graph::graph::TransactionView| {
        let types = ["KNOWS", "LIKES"].map(|kind| statement.type_code(kind).expect("used"));
        let found = statement.expand(&[5], Some(&types), Direction::Outgoing, &account);
        found.expect("readable");
    };
    assert!(!both_commit(&graph, expand_by, connect_by("KNOWS")));
    assert!(!both_commit(&graph, expand_by, connect_by("LIKES")));
    assert!(both_commit(&graph, expand_by, connect_by("LIVES_IN")));
    // A name that no commit had used.
    let ask = |statement: &evergraph_property_graph::graph::TransactionView| {
        assert_eq!(statement.label_code("Ghost"), None);
    };
    assert!(!both_commit(&graph, ask, create("Ghost")));
}

#[test]
fn writes_by_code_set_several_properties_at_once() {
    let graph = graph_of(2);
    let mut transaction = graph.begin();
    let (label, kind) = (
        transaction.label_or_new("New").expect("a name"),
        transaction.type_or_new("NEAR").expect("a name"),
    );
    let (age, size) = (
        transaction.key_or_new("age").expect("a name"),
        transaction.key_or_new("size").expect("a name"),
    );
    let node = transaction
        .create_node_by_code(&[label, label], [(age, 1.into()), (size, 2.into())])
        .expect("made");
    let near = transaction
        .create_relationship_by_code(node, kind, NodeId(0), [(size, 3.into())])
        .expect("made");
    transaction
        .set_by_code(node, [(age, Value::Null), (size, 5.into())])
        .expect("set");
    transaction
        .replace_properties(NodeId(1), [(size, 9.into())])
        .expect("set");
    let person = transaction.label_or_new("Person").expect("a name");
    transaction
        .change_labels(NodeId(1), &[label], &[person])
        .expect("changed");
    for failed in [
        transaction.create_node_by_code(&[label + 100], []).err(),
        transaction.set_by_code(node, [(size + 9, 1.into())]).err(),
    ] {
        let Some(GraphError::UnknownCode { .. }) = failed else {
            panic!("{failed:?}");
        };
    }
    // Another's code may come to nothing.
    let mut other = graph.begin();
    let failed = other.set_by_code(NodeId(0), [(size, 1.into())]);
    assert!(
        matches!(failed, Err(GraphError::UnknownCode { .. })),
        "{failed:?}"
    );
    transaction.commit().expect("committed");
    let view = graph.view();
    let node = view.node(node).expect("readable").expect("there");
    assert_eq!((node.get("age"), node.get("size")), (None, Some(&5.into())));
    assert_eq!(node.labels(), ["New".into()]);
    let near = view.relationship(near).expect("readable").expect("there");
    assert_eq!((&*near.kind(), near.get("size")), ("NEAR", Some(&3.into())));
    let other = view.node(NodeId(1)).expect("readable").expect("there");
    assert_eq!(other.labels(), ["New".into()]);
    assert_eq!(other.properties().count(), 1);
}

#[test]
fn a_cursor_is_lazy_and_tells_what_it_cannot_answer() {
    let graph = graph_of(3000);
    let old = graph.view();
    graph
        .create_index("ages", "Person", &["age"])
        .expect("made");
    let ages = graph.view().indexes()[0].number;
    assert!(matches!(
        old.cursor(ages, &KeyRange::all(), Order::Ascending),
        Ok(Opened::Unavailable(Unavailable::Newer))
    ));
    assert_eq!(old.indexes()[0].unavailable, Some(Unavailable::Newer));
    assert!(matches!(
        old.cursor(ages + 7, &KeyRange::all(), Order::Ascending),
        Ok(Opened::Unavailable(Unavailable::Unknown))
    ));
    let mut transaction = graph.begin();
    transaction.set(NodeId(2990), "age", -5).expect("set");
    transaction.set(NodeId(2999), "age", 1).expect("set");
    transaction.delete_node(NodeId(2998)).expect("deleted");
    let (statement, account) = (transaction.current_view(), Account::default());
    transaction.set(NodeId(2997), "age", 0).expect("set");
    let first = |order, most| {
        let Ok(Opened::Cursor(mut cursor)) = statement.cursor(ages, &KeyRange::all(), order) else {
            panic!("it covers the statement");
        };
        let mut ids = Vec::new();
        assert_eq!(
            cursor.read(most, &mut ids, &account).expect("readable"),
            most
        );
        ids
    };
    for _ in 0..2 {
        assert_eq!(first(Order::Ascending, 4), [2990, 0, 1, 2999]);
        assert_eq!(first(Order::Descending, 2), [2997, 2996]);
        assert_eq!(first(Order::Descending, 2999).last(), Some(&2990));
        // With the entries in leaves.
        graph.checkpoint().expect("written");
    }
    // A serializable transaction has read the range, and nothing beyond it.
    let begin = || {
        graph.begin_with(&evergraph_property_graph::transaction::TransactionOptions::serializable())
    };
    for (limit, commits) in [(500, true), (1000, false)] {
        let mut reader = begin();
        let range = KeyRange::between(&[], Bound::Unbounded, Bound::Included(&limit.into()));
        let opened = reader.current_view().cursor(ages, &range, Order::Ascending);
        assert!(matches!(opened, Ok(Opened::Cursor(_))));
        let moved = graph.write(|other| other.set(NodeId(800), "age", 801 - limit % 3));
        moved.expect("committed");
        reader.set(NodeId(5), "note", 1).expect("set");
        assert_eq!(reader.commit().is_ok(), commits, "up to {limit}");
    }
}

#[test]
fn all_threads_scan_a_label() {
    use rayon::prelude::*;
    let graph = graph_of(7000);
    let made = graph.write(|transaction| transaction.create_node(&["City"], []));
    made.expect("committed");
    let view = graph.view();
    let all = |label| {
        let found = view.par_nodes(label);
        let mut found: Vec<u32> = found.flat_map_iter(|ids| ids.expect("readable")).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(all("Person"), (0..7000).collect::<Vec<u32>>());
    assert_eq!(all("City"), [7000]);
    assert_eq!(all("Ghost"), []);
}

/// A commit makes only the copies of the sections that it changes again, and without a
/// budget there is none; what is found is the same.
#[test]
fn common_neighbors_are_found_with_and_without_copies() {
    let graph = graph_of(5000);
    let connect = |from: u32, to: u32| {
        let made = graph.write(|transaction| {
            let nothing = Vec::<(&str, Value)>::new();
            transaction.create_relationship(NodeId(from), "R", NodeId(to), nothing)
        });
        made.expect("committed");
    };
    connect(1, 4000);
    connect(2, 4000);
    connect(2, 4000);
    let account = Account::default();
    let found = |view: &View| {
        let (one, other) = (vec![1; 300], vec![2; 300]);
        let of = [&one, &other].map(|nodes| Adjoining {
            nodes,
            types: None,
            direction: Direction::Outgoing,
        });
        let found = view.common_neighbors(&of, IdBounds::default(), &account);
        found.expect("readable").len()
    };
    let before = graph.view();
    assert_eq!(
        found(&before),
        600,
        "parallel relationships are two choices"
    );
    let bytes = graph.sorted_bytes();
    assert!(bytes > 0);
    assert_eq!(graph.statistics().sorted_bytes, bytes);
    connect(1, 3000);
    connect(2, 3000);
    assert_eq!(found(&graph.view()), 900);
    assert_eq!(found(&before), 600, "as of an older commit");
    assert!(
        graph.sorted_bytes() < 2 * bytes,
        "in the place of the older copies"
    );
    graph.set_sorted_bytes(0);
    assert_eq!(graph.sorted_bytes(), 0);
    assert_eq!((found(&graph.view()), found(&before)), (900, 600));
    assert_eq!(graph.sorted_bytes(), 0);
}

/// Loops of many nodes are looked for once, and again when they have changed.
#[test]
fn degrees_of_many_nodes_follow_their_loops() {
    let graph = graph_of(200);
    let nodes: Vec<u32> = (0..200).collect();
    let account = Account::default();
    let of = |view: &evergraph_property_graph::graph::View, node: usize| {
        let degrees = view.degrees(&nodes, None, Direction::Both, &account);
        degrees.expect("readable")[node]
    };
    let make = |source, target| {
        let made =
            graph.write(|own| own.create_relationship(NodeId(source), "KNOWS", NodeId(target), []));
        made.expect("committed")
    };
    make(1, 2);
    let before = graph.view();
    assert_eq!((of(&before, 1), of(&before, 3)), (1, 0));
    let (first, _) = (make(1, 1), make(3, 3));
    let with_loops = graph.view();
    assert_eq!((of(&with_loops, 1), of(&with_loops, 3)), (2, 1));
    let deleted = graph.write(|own| own.delete_relationship(first));
    deleted.expect("committed");
    let after = graph.view();
    assert_eq!((of(&after, 1), of(&after, 3)), (1, 1));
    assert_eq!((of(&with_loops, 1), of(&with_loops, 3)), (2, 1));
    assert_eq!((of(&before, 1), of(&before, 3)), (1, 0));
}
