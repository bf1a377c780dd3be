//! Histories of columns of one type each, in chunks of many words: after every action,
//! scans, gathers and single properties are held against the rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Account, Comparison, EntityKind, Filter, GraphOptions, GraphRead, LabelExpression, Node,
    NodeId, OpenOptions, PropertyGraph, Test, View,
};
use evergraph_property_graph::value::{Date, LocalDateTime};
use evergraph_storage::medium::DramStorage;
use evergraph_storage::{Storage, failpoint};
use proptest::prelude::*;

use super::batches::Rows;

const KEYS: [&str; 11] = [
    "small", "wide", "float", "flag", "word", "name", "date", "moment", "list", "mixed", "rare",
];
const LABELS: [&str; 3] = ["Item", "Tenth", "Few"];

/// A value of the type of a key.
fn value(key: &str, number: u32) -> Value {
    let n = i64::from(number);
    match key {
        "small" => Value::from(n % 7),
        "wide" => Value::from(n * 1_000_003 - 5_000_000),
        "float" if number.is_multiple_of(11) => Value::from(f64::NAN),
        "float" => Value::from(n as f64 / 8.0 - 3.0),
        "flag" => Value::from(number.is_multiple_of(3)),
        "word" => Value::from(["", "Basel", "Bern", "Zug", "Zürich"][number as usize % 5]),
        "name" if number % 88 == 13 => Value::from("a long name ".repeat(6_000)),
        "name" => Value::from(format!("a name of its own, {number}")),
        "date" => Date::from_days(n % 40).expect("a date").into(),
        "moment" => LocalDateTime::from_seconds(n / 3, number % 3 * 1000)
            .expect("a moment")
            .into(),
        "list" if number % 88 == 44 => Value::from(vec![Value::from(i64::MIN + n); 8_000]),
        "list" => Value::from(vec![Value::from(n), Value::from(n + 1)]),
        "mixed" if number.is_multiple_of(5) => value("word", number),
        "mixed" if number % 5 == 1 => value("float", number),
        _ => Value::from(n),
    }
}

/// Actions; nodes are those from a number on, one of so many.
#[derive(Clone, Debug)]
enum Action {
    Create(u8),
    Set(u8, u8, u8, u32),
    Unset(u8, u8, u8),
    Label(u8, u8, u8),
    Delete(u8, u8),
    Checkpoint,
    KeepView,
    DropViews,
    CreateSnapshot,
    Reopen,
}

fn action() -> impl Strategy<Value = Action> {
    let (n, step) = (any::<u8>, || prop_oneof![Just(1u8), 2..9u8, any::<u8>()]);
    prop_oneof![
        3 => (1..90u8).prop_map(Action::Create),
        6 => (n(), n(), step(), 0..400u32).prop_map(|(k, f, s, v)| Action::Set(k, f, s, v)),
        1 => (n(), n(), step()).prop_map(|(k, f, s)| Action::Unset(k, f, s)),
        2 => (n(), n(), step()).prop_map(|(l, f, s)| Action::Label(l, f, s)),
        1 => (n(), 5..250u8).prop_map(|(f, s)| Action::Delete(f, s)),
        4 => Just(Action::Checkpoint),
        1 => Just(Action::KeepView),
        1 => Just(Action::DropViews),
        1 => Just(Action::CreateSnapshot),
        1 => Just(Action::Reopen),
    ]
}

struct History {
    storage: Arc<dyn Storage>,
    graph: PropertyGraph,
    views: Vec<View>,
    snapshots: usize,
}

impl History {
    fn new(chunk_records: u32) -> Self {
        let storage: Arc<dyn Storage> = Arc::new(DramStorage::new());
        let options = GraphOptions {
            chunk_records,
            ..GraphOptions::default()
        };
        History {
            graph: PropertyGraph::create(&*storage, options, [3; 16]).expect("created"),
            storage,
            views: Vec::new(),
            snapshots: 0,
        }
    }

    /// Some nodes that there are.
    fn some(&self, from: u8, step: u8) -> Vec<NodeId> {
        let ids: Vec<u32> = Rows::nodes(&self.graph.view()).into_keys().collect();
        let some = ids.iter().skip(from.into()).step_by(step.max(1).into());
        some.map(|id| NodeId(*id)).collect()
    }

    fn act(&mut self, action: &Action) {
        let done = match *action {
            Action::Create(count) => self.graph.write(|transaction| {
                for number in 0..u32::from(count) {
                    let of = |key: &&'static str| (*key, value(key, number));
                    let keys = KEYS
                        .iter()
                        .filter(|key| **key != "rare" || number % 40 == 3);
                    let labels: &[&str] = match number % 10 {
                        0 => &LABELS[..2],
                        _ => &LABELS[..1],
                    };
                    transaction.create_node(labels, keys.map(of))?;
                }
                Ok(())
            }),
            Action::Set(key, from, step, number) => {
                let (key, some) = (KEYS[usize::from(key) % KEYS.len()], self.some(from, step));
                self.graph.write(|transaction| {
                    (number..).zip(&some).try_for_each(|(number, id)| {
                        transaction.set(*id, key, value(key, number * 7))
                    })?;
                    let view = transaction.current_view();
                    compare(&view, transaction);
                    Ok(())
                })
            }
            Action::Unset(key, from, step) => {
                let (key, some) = (KEYS[usize::from(key) % KEYS.len()], self.some(from, step));
                self.graph.write(|transaction| {
                    some.iter()
                        .try_for_each(|id| transaction.set(*id, key, Value::Null))
                })
            }
            Action::Label(label, from, step) => {
                let label = LABELS[usize::from(label) % LABELS.len()];
                let some = self.some(from, step);
                self.graph.write(|transaction| {
                    some.iter()
                        .enumerate()
                        .try_for_each(|(number, id)| match number % 3 {
                            0 => transaction.remove_label(*id, label),
                            _ => transaction.add_label(*id, label),
                        })
                })
            }
            Action::Delete(from, step) => {
                let some = self.some(from, step);
                self.graph.write(|transaction| {
                    some.iter().try_for_each(|id| transaction.delete_node(*id))
                })
            }
            Action::Checkpoint => self.graph.checkpoint(),
            Action::KeepView => {
                self.views.push(self.graph.view());
                Ok(())
            }
            Action::DropViews => {
                self.views.clear();
                Ok(())
            }
            Action::CreateSnapshot => {
                self.snapshots += 1;
                let name = format!("s{}", self.snapshots);
                self.graph.create_snapshot(&name).map(|_| ())
            }
            Action::Reopen => {
                self.views.clear();
                self.graph.close().expect("closed");
                let opened = PropertyGraph::open(&*self.storage, OpenOptions::default());
                self.graph = opened.expect("opened").0;
                Ok(())
            }
        };
        done.expect("done");
    }

    fn compare(&self) {
        let view = self.graph.view();
        compare(&view, &view);
        self.views.iter().for_each(|view| compare(view, view));
        for number in 1..=self.snapshots {
            let view = self.graph.as_of(&format!("s{number}")).expect("kept");
            compare(&view, &view);
        }
    }
}

/// Ids in several orders: of what there is, one by one and at random, and of nothing.
fn orders(nodes: &BTreeMap<u32, Node>) -> [Vec<u32>; 4] {
    let in_order: Vec<u32> = nodes.keys().copied().collect();
    let all: Vec<u32> = (0..in_order.last().map_or(9, |last| last + 9)).collect();
    let mut at_random = all.clone();
    at_random.extend([u32::MAX, 1 << 20]);
    at_random.sort_by_key(|id| id.wrapping_mul(0x9E37_79B9) >> 7);
    let few = at_random.iter().take(5).copied().collect();
    [in_order, all, at_random, few]
}

fn compare(batch: &impl GraphRead, rows: &impl Rows) {
    let nodes = rows.nodes();
    for key in KEYS {
        let Some(code) = batch.key_code(key) else {
            continue;
        };
        let of = |id: &u32| nodes.get(id).and_then(|node| node.get(key)).cloned();
        for ids in orders(&nodes) {
            let account = Account::default();
            let found = batch.gather(EntityKind::Node, &ids, code, &account);
            let found = found.expect("readable");
            assert_eq!(found.len(), ids.len());
            assert_eq!(account.used(), found.bytes() as u64);
            for (row, id) in ids.iter().enumerate() {
                // NaN, too.
                let (found, expected) = (found.get(row), of(id).unwrap_or_default());
                assert_eq!(
                    format!("{found:?}"),
                    format!("{expected:?}"),
                    "{key} of {id}"
                );
            }
        }
        for test in tests(key) {
            let filter = Filter::default().and(code, test.clone());
            let holds = |node: &Node| test.holds(node.get(key).unwrap_or(&Value::Null));
            scans(batch, &nodes, &filter, holds);
        }
    }
    let codes = LABELS.map(|label| batch.label_code(label));
    for (label, code) in LABELS.iter().zip(codes) {
        let Some(code) = code else { continue };
        scans(batch, &nodes, &Filter::label(code), |node| {
            node.has_label(label)
        });
        let not = LabelExpression::Not(Box::new(LabelExpression::Has(code)));
        let small = batch.key_code("small").expect("all have it");
        let test = Test::Compares(Comparison::Greater, 3.into());
        let filter = Filter::labels(not).and(small, test.clone());
        scans(batch, &nodes, &filter, |node| {
            !node.has_label(label) && test.holds(node.get("small").unwrap_or(&Value::Null))
        });
    }
}

fn tests(key: &str) -> Vec<Test> {
    let compares = |comparison, number| Test::Compares(comparison, value(key, number));
    vec![
        Test::IsNull,
        Test::IsNotNull,
        compares(Comparison::Equal, 30),
        compares(Comparison::Equal, 13),
        compares(Comparison::Unequal, 31),
        compares(Comparison::Less, 50),
        compares(Comparison::LessOrEqual, 10_000),
        compares(Comparison::Greater, 300),
        compares(Comparison::GreaterOrEqual, 22),
        Test::Compares(Comparison::Less, 2.5.into()),
        Test::Compares(Comparison::GreaterOrEqual, "B".into()),
        Test::In(vec![value(key, 7), value(key, 63), Value::Null]),
        Test::StartsWith("Z".into()),
    ]
}

fn scans(
    batch: &impl GraphRead,
    nodes: &BTreeMap<u32, Node>,
    filter: &Filter,
    holds: impl Fn(&Node) -> bool,
) {
    let (account, mut found) = (Account::default(), Vec::new());
    for morsel in batch.morsels(EntityKind::Node).iter() {
        let read = batch.scan(&morsel, filter, &mut found, &account);
        read.expect("readable");
    }
    let expected = nodes.iter().filter(|(_, node)| holds(node));
    let expected: Vec<u32> = expected.map(|(id, _)| *id).collect();
    assert_eq!(found, expected, "{filter:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn columns_are_the_rows(
        size in prop_oneof![Just(64u32), Just(100), Just(256)],
        actions in prop::collection::vec(action(), 1..14),
    ) {
        let mut history = History::new(size);
        history.act(&Action::Create(80));
        for action in &actions {
            history.act(action);
            history.compare();
        }
    }
}

/// What each mutant of columns makes wrong shows after these actions.
#[test]
fn mutants_of_columns_are_caught() {
    let all_is_well = || {
        let mut history = History::new(64);
        // The greatest value of the first chunk is looked for.
        history.act(&Action::Create(31));
        history.compare();
        history.act(&Action::Create(90));
        history.act(&Action::Checkpoint);
        history.compare();
        for key in 0..KEYS.len() as u8 {
            history.act(&Action::Set(key, 1, 5, 40));
            history.act(&Action::Unset(key, 2, 7));
        }
        history.compare();
        history.act(&Action::Checkpoint);
        history.act(&Action::Delete(3, 6));
        history.compare();
    };
    all_is_well();
    let mutants = [
        "columns.changed-in-base",
        "columns.greatest-passed-over",
        "columns.patch-forgotten",
        "columns.range-not-widened",
        "gather.gaps-forgotten",
        "gather.own-forgotten",
    ];
    for mutant in mutants {
        let _armed = failpoint::Scope::armed(mutant).enter();
        let survives = std::panic::catch_unwind(all_is_well).is_ok();
        assert!(!survives, "the mutant {mutant} survives");
    }
}

/// Single properties before and after the values of changed records were gathered.
#[test]
fn single_properties_are_those_of_rows() {
    let mut history = History::new(256);
    history.act(&Action::Create(250));
    history.act(&Action::Checkpoint);
    history.act(&Action::Set(0, 0, 2, 5));
    history.act(&Action::Set(9, 1, 3, 9));
    let view = history.graph.view();
    let nodes = Rows::nodes(&view);
    for _ in 0..3 {
        for (id, node) in &nodes {
            for key in KEYS {
                let found = view.property(NodeId(*id), key).expect("readable");
                let expected = node.get(key).cloned();
                assert_eq!(
                    format!("{found:?}"),
                    format!("{expected:?}"),
                    "{key} of {id}"
                );
            }
        }
    }
    assert_eq!(view.property(NodeId(999), "small").expect("readable"), None);
}
