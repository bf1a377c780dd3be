//! Lookups of a transaction, with and without indexes, against a pass over all that it
//! sees, in which the operators of values decide.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

use super::super::{
    GraphOptions, Node, NodeId, PropertyGraph, Relationship, RelationshipId, Transaction,
};
use crate::graph::{Definition, GraphError, Rule};
use crate::index::KeyRange;
use crate::value::Value;

const LABELS: [&str; 2] = ["Person", "City"];
const TYPES: [&str; 2] = ["KNOWS", "LIKES"];
const KEYS: [&str; 2] = ["a", "b"];

#[derive(Clone, Debug)]
enum Step {
    CreateNode(usize, Option<Value>, Option<Value>),
    Set(usize, usize, Option<Value>),
    AddLabel(usize, usize),
    RemoveLabel(usize, usize),
    Delete(usize),
    Connect(usize, usize, usize, Option<Value>),
    SetOnRelationship(usize, Option<Value>),
    Disconnect(usize),
    Savepoint,
    RollBack,
    Ask(Question),
}

#[derive(Clone, Debug)]
struct Question {
    /// Of nodes of a label, or of relationships of a type.
    subject: usize,
    of_nodes: bool,
    /// Equal values of the first keys, and the bounds of the next one.
    leading: Vec<Value>,
    next: Next,
}

#[derive(Clone, Debug)]
enum Next {
    Nothing,
    Between(Bound<Value>, Bound<Value>),
    StartsWith(&'static str),
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (-2i64..4).prop_map(Value::from),
        3 => prop::sample::select(vec![
            f64::NAN, f64::NAN, -f64::NAN, -0.0, 0.5, 2.0, f64::INFINITY, f64::NEG_INFINITY,
        ]).prop_map(Value::from),
        3 => prop::sample::select(vec!["", "a", "ab", "b"]).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => prop::sample::select(vec![
            vec![Value::from(1)],
            vec![Value::from(f64::NAN)],
            vec![Value::from(1), Value::Null],
        ]).prop_map(Value::from),
    ]
}

/// Bounds are of one class: lists do not compare as they are sorted.
fn bound() -> impl Strategy<Value = Bound<Value>> {
    let scalar = value().prop_filter("no list", |value| !matches!(value, Value::List(_)));
    (scalar, 0..5u8).prop_map(|(value, kind)| match kind {
        0 => Bound::Unbounded,
        1 | 2 => Bound::Included(value),
        _ => Bound::Excluded(value),
    })
}

fn question() -> impl Strategy<Value = Question> {
    let next = prop_oneof![
        2 => Just(Next::Nothing),
        3 => (bound(), bound()).prop_map(|(lower, upper)| Next::Between(lower, upper)),
        1 => prop::sample::select(vec!["", "a"]).prop_map(Next::StartsWith),
    ];
    let leading = prop::collection::vec(value(), 0..=2);
    (0..2usize, any::<bool>(), leading, next).prop_map(|(subject, of_nodes, leading, next)| {
        let mut question = Question {
            subject,
            of_nodes,
            leading,
            next,
        };
        // There are two keys.
        if !matches!(question.next, Next::Nothing) {
            question.leading.truncate(1);
        } else if question.leading.is_empty() {
            question.leading.push(1.into());
        }
        question
    })
}

fn step() -> impl Strategy<Value = Step> {
    let n = || 0..16usize;
    let some = || prop::option::weighted(0.8, value());
    prop_oneof![
        4 => (n(), some(), some()).prop_map(|(label, a, b)| Step::CreateNode(label, a, b)),
        4 => (n(), n(), some()).prop_map(|(node, key, value)| Step::Set(node, key, value)),
        1 => (n(), n()).prop_map(|(node, label)| Step::AddLabel(node, label)),
        1 => (n(), n()).prop_map(|(node, label)| Step::RemoveLabel(node, label)),
        2 => n().prop_map(Step::Delete),
        3 => (n(), n(), n(), some()).prop_map(|(s, t, kind, v)| Step::Connect(s, t, kind, v)),
        2 => (n(), some()).prop_map(|(of, value)| Step::SetOnRelationship(of, value)),
        1 => n().prop_map(Step::Disconnect),
        1 => Just(Step::Savepoint),
        1 => Just(Step::RollBack),
        8 => question().prop_map(Step::Ask),
    ]
}

pub(super) fn graph(rules: &[Definition]) -> PropertyGraph {
    let options = GraphOptions {
        chunk_records: 4,
        ..GraphOptions::default()
    };
    let graph = PropertyGraph::create(&DramStorage::new(), options, [7; 16]).expect("created");
    graph.define_all(rules).expect("defined");
    graph
}

/// Indexes of one key and of two, of nodes and of relationships.
fn indexes() -> Vec<Definition> {
    let mut rules = Vec::new();
    for (number, keys) in [&KEYS[..1], &KEYS[..]].into_iter().enumerate() {
        for label in LABELS {
            let name = format!("{label}{number}");
            rules.push(Definition::of_nodes(&name, label, keys, Rule::Index));
        }
        let name = format!("{}{number}", TYPES[0]);
        let rule = Definition::of_relationships(&name, TYPES[0], keys, Rule::Index);
        rules.push(rule);
    }
    rules
}

fn nodes(own: &Transaction) -> Vec<Node> {
    own.nodes().map(|node| node.expect("readable")).collect()
}

fn relationships(own: &Transaction) -> Vec<Relationship> {
    let all = own.relationships();
    all.map(|found| found.expect("readable")).collect()
}

/// Takes a step; ends with `false` if the answers differ.
fn take(
    own: &mut Transaction,
    step: &Step,
    savepoints: &mut Vec<crate::transaction::Savepoint>,
) -> Result<bool, GraphError> {
    let node = |own: &Transaction, n: usize| {
        let nodes = nodes(own);
        (!nodes.is_empty()).then(|| nodes[n % nodes.len()].id())
    };
    let relationship = |own: &Transaction, n: usize| {
        let all = relationships(own);
        (!all.is_empty()).then(|| all[n % all.len()].id())
    };
    match step {
        Step::CreateNode(label, a, b) => {
            let properties = [("a", Value::from(a.clone())), ("b", b.clone().into())];
            own.create_node(&[LABELS[label % 2]], properties)?;
        }
        Step::Set(n, key, value) => {
            if let Some(node) = node(own, *n) {
                own.set(node, KEYS[key % 2], value.clone())?;
            }
        }
        Step::AddLabel(n, label) => {
            if let Some(node) = node(own, *n) {
                own.add_label(node, LABELS[label % 2])?;
            }
        }
        Step::RemoveLabel(n, label) => {
            if let Some(node) = node(own, *n) {
                own.remove_label(node, LABELS[label % 2])?;
            }
        }
        Step::Delete(n) => {
            if let Some(node) = node(own, *n) {
                own.detach_delete_node(node)?;
            }
        }
        Step::Connect(s, t, kind, value) => {
            if let (Some(source), Some(target)) = (node(own, *s), node(own, *t)) {
                let properties = [("a", Value::from(value.clone())), ("b", 1.into())];
                own.create_relationship(source, TYPES[kind % 2], target, properties)?;
            }
        }
        Step::SetOnRelationship(n, value) => {
            if let Some(of) = relationship(own, *n) {
                own.set(of, "a", value.clone())?;
            }
        }
        Step::Disconnect(n) => {
            if let Some(of) = relationship(own, *n) {
                own.delete_relationship(of)?;
            }
        }
        Step::Savepoint => savepoints.push(own.savepoint()),
        Step::RollBack => {
            if let Some(savepoint) = savepoints.pop() {
                own.roll_back_to(savepoint)?;
                own.release(savepoint)?;
            }
        }
        Step::Ask(question) => return Ok(asked(own, question)? == scanned(own, question)),
    }
    Ok(true)
}

fn asked(own: &Transaction, question: &Question) -> Result<Vec<u32>, GraphError> {
    let Question { leading, next, .. } = question;
    let count = leading.len() + usize::from(!matches!(next, Next::Nothing));
    let keys = &KEYS[..count];
    let range = match next {
        Next::Nothing => {
            let equal: Vec<_> = keys.iter().copied().zip(leading.iter().cloned()).collect();
            // In any order.
            let equal: Vec<_> = equal.into_iter().rev().collect();
            return Ok(match question.of_nodes {
                true => ids(own.find(LABELS[question.subject], &equal)?),
                false => ids_of(own.find_relationships(TYPES[question.subject], &equal)?),
            });
        }
        Next::Between(lower, upper) => KeyRange::between(leading, lower.as_ref(), upper.as_ref()),
        Next::StartsWith(prefix) => KeyRange::starting_with(leading, prefix),
    };
    Ok(match question.of_nodes {
        true => ids(own.find_in(LABELS[question.subject], keys, &range)?),
        false => ids_of(own.find_relationships_in(TYPES[question.subject], keys, &range)?),
    })
}

fn ids(nodes: Vec<Node>) -> Vec<u32> {
    nodes.iter().map(|node| node.id().0).collect()
}

fn ids_of(relationships: Vec<Relationship>) -> Vec<u32> {
    relationships.iter().map(|found| found.id().0).collect()
}

/// The same by a pass over everything, ordered by values and ids.
fn scanned(own: &Transaction, question: &Question) -> Vec<u32> {
    let subject = question.subject;
    let mut found: Vec<(Vec<Value>, u32)> = Vec::new();
    let mut take = |id: u32, values: [Option<&Value>; 2]| {
        let next = !matches!(question.next, Next::Nothing);
        let count = question.leading.len() + usize::from(next);
        let values: Option<Vec<Value>> = values[..count].iter().map(|v| v.cloned()).collect();
        found.extend(values.filter(|v| holds(question, v)).map(|v| (v, id)));
    };
    match question.of_nodes {
        true => {
            for node in nodes(own) {
                if node.has_label(LABELS[subject]) {
                    take(node.id().0, KEYS.map(|key| node.get(key)));
                }
            }
        }
        false => {
            for of in relationships(own) {
                if *of.kind() == *TYPES[subject] {
                    take(of.id().0, KEYS.map(|key| of.get(key)));
                }
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, id)| id).collect()
}

/// Whether the operators say so.
fn holds(question: &Question, values: &[Value]) -> bool {
    let mut equal = question.leading.iter().zip(values);
    if !equal.all(|(asked, value)| value.equals(asked) == Some(true)) {
        return false;
    }
    let compares = |value: &Value, bound: &Value, wanted: fn(Ordering) -> bool| {
        value.compares(bound).is_some_and(wanted)
    };
    match &question.next {
        Next::Nothing => true,
        Next::StartsWith(prefix) => {
            let text = values.last().and_then(Value::as_text);
            text.is_some_and(|text| text.starts_with(prefix))
        }
        Next::Between(lower, upper) => {
            let value = values.last().expect("one of the last key");
            let is_above = match lower {
                Bound::Unbounded => true,
                Bound::Included(bound) => compares(value, bound, Ordering::is_ge),
                Bound::Excluded(bound) => compares(value, bound, Ordering::is_gt),
            };
            is_above
                && match upper {
                    Bound::Unbounded => true,
                    Bound::Included(bound) => compares(value, bound, Ordering::is_le),
                    Bound::Excluded(bound) => compares(value, bound, Ordering::is_lt),
                }
        }
    }
}

/// Whether all answers are those of the pass.
fn agrees(rules: &[Definition], committed: &[Step], steps: &[Step]) -> bool {
    let graph = graph(rules);
    let mut savepoints = Vec::new();
    let written = graph.write(|own| {
        savepoints.clear();
        let mut steps = committed.iter();
        steps.try_for_each(|step| take(own, step, &mut savepoints).map(drop))
    });
    written.expect("committed");
    let mut own = graph.begin();
    savepoints.clear();
    let mut steps = steps.iter();
    let is_same = |own: &Transaction, question: &Question| {
        asked(own, question).expect("readable") == scanned(own, question)
    };
    steps.all(|step| take(&mut own, step, &mut savepoints).expect("alone"))
        && every_question()
            .iter()
            .all(|question| is_same(&own, question))
}

/// Each operator with each kind of value, over one key and over two.
fn every_question() -> Vec<Question> {
    let values = [
        Value::from(1),
        0.5.into(),
        f64::NAN.into(),
        f64::INFINITY.into(),
        "a".into(),
        true.into(),
    ];
    let mut questions = Vec::new();
    let mut ask = |leading: &[Value], next: Next| {
        for (subject, of_nodes) in [(0, true), (1, true), (0, false)] {
            questions.push(Question {
                subject,
                of_nodes,
                leading: leading.to_vec(),
                next: next.clone(),
            });
        }
    };
    for value in values {
        let bound = || value.clone();
        ask(&[bound()], Next::Nothing);
        ask(
            &[bound()],
            Next::Between(Bound::Included(1.into()), Bound::Unbounded),
        );
        for leading in [&[][..], &[1.into()]] {
            ask(
                leading,
                Next::Between(Bound::Included(bound()), Bound::Unbounded),
            );
            ask(
                leading,
                Next::Between(Bound::Excluded(bound()), Bound::Unbounded),
            );
            ask(
                leading,
                Next::Between(Bound::Unbounded, Bound::Included(bound())),
            );
            ask(
                leading,
                Next::Between(Bound::Unbounded, Bound::Excluded(bound())),
            );
        }
    }
    questions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn answers_are_those_of_a_pass(
        committed in prop::collection::vec(step(), 0..25),
        steps in prop::collection::vec(step(), 1..50),
    ) {
        prop_assert!(agrees(&indexes(), &committed, &steps), "with indexes");
        prop_assert!(agrees(&[], &committed, &steps), "without indexes");
    }
}

#[test]
fn an_order_follows_what_is_written() {
    let ask = || {
        Step::Ask(Question {
            subject: 0,
            of_nodes: true,
            leading: vec![1.into()],
            next: Next::Nothing,
        })
    };
    let create = || Step::CreateNode(0, Some(1.into()), None);
    let steps = [
        create(),
        ask(),
        Step::Savepoint,
        create(),
        ask(),
        Step::RollBack,
        ask(),
    ];
    assert!(agrees(&indexes(), &[], &steps));
    let _armed = failpoint::Scope::armed("overlay.order-stale").enter();
    let agreed = std::panic::catch_unwind(|| agrees(&indexes(), &[], &steps));
    assert!(!agreed.unwrap_or(false), "the mutant survives");
}

/// NaN equals nothing and is neither less nor greater; a range without bounds has it.
#[test]
fn nan_is_as_the_operators_say() {
    let values = [
        Value::from(f64::NAN),
        f64::INFINITY.into(),
        5.into(),
        f64::NEG_INFINITY.into(),
    ];
    for rules in [&[][..], &indexes()] {
        let graph = graph(rules);
        let made = graph.write(|own| {
            let of = |value: &Value| [("a", value.clone()), ("b", Value::from(1))];
            let mut made = BTreeMap::new();
            for (number, value) in values.iter().enumerate() {
                made.insert(own.create_node(&["Person"], of(value))?.0, number);
            }
            Ok(made)
        });
        let made = made.expect("committed");
        let view = graph.view();
        let numbers = |found: Result<Vec<Node>, GraphError>| -> Vec<usize> {
            let found = found.expect("readable");
            found.iter().map(|node| made[&node.id().0]).collect()
        };
        let (four, nan) = (Value::from(4), Value::from(f64::NAN));
        let between = |lower, upper| numbers(view.find_between("Person", "a", lower, upper));
        assert_eq!(between(Bound::Excluded(&four), Bound::Unbounded), [2, 1]);
        assert_eq!(between(Bound::Unbounded, Bound::Excluded(&four)), [3]);
        assert_eq!(between(Bound::Included(&nan), Bound::Unbounded), []);
        assert_eq!(between(Bound::Unbounded, Bound::Included(&nan)), []);
        assert_eq!(between(Bound::Included(&nan), Bound::Included(&nan)), []);
        assert_eq!(between(Bound::Unbounded, Bound::Unbounded), [3, 2, 1, 0]);
        assert_eq!(numbers(view.find("Person", &[("a", nan.clone())])), []);
        let both = [("a", nan.clone()), ("b", Value::from(1))];
        assert_eq!(numbers(view.find("Person", &both)), []);
        assert_eq!(numbers(view.find("Person", &[("a", 5.into())])), [2]);
        let leading = KeyRange::between(&[nan], Bound::Unbounded, Bound::Unbounded);
        assert_eq!(numbers(view.find_in("Person", &["a", "b"], &leading)), []);
    }
}

/// Ids of nodes and of relationships are told apart.
#[test]
fn orders_are_of_nodes_or_of_relationships() {
    let graph = graph(&indexes());
    let mut own = graph.begin();
    let node: NodeId = own
        .create_node(&["Person"], [("a", 1.into())])
        .expect("made");
    let made = own.create_relationship(node, "KNOWS", node, [("a", 1.into())]);
    let made: RelationshipId = made.expect("made");
    let wanted = [("a", Value::from(1))];
    assert_eq!(
        ids(own.find("Person", &wanted).expect("readable")),
        [node.0]
    );
    let found = own.find_relationships("KNOWS", &wanted);
    assert_eq!(ids_of(found.expect("readable")), [made.0]);
}
