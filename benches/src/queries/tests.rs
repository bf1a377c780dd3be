//! Each query in every mode against the generator's rows in plain maps; the updates against
//! the files of the whole network. On media that are opened anew, a smaller network, or all
//! in a campaign.

mod counts;
mod reference;

use std::collections::BTreeMap;

use evergraph::property::PropertyGraph;
use evergraph::query::json::to_json;
use evergraph::query::{Execution, Parameters, Statement};
use evergraph::{Database, MediumKind};
use evergraph_generators::snb::{Event, Network, csv, queries, updates};
use evergraph_interpreter::{Limits, Options, Query};
use serde_json::{Value as Json, json};

use super::calls::{self, Call};
use super::measure::parameters;
use super::texts::{COMPLEX, COUNTS, SHORT, Text, UPDATES};
use super::{files, validation};
use crate::snb::tests::dump::{difference, dump};
use crate::snb::tests::reference::Reference as Rows;
use crate::snb::tests::{OnMedium, in_memory, network};
use crate::snb::updates::number;
use reference::Reference;

fn database(network: &Network, part: csv::Part) -> Database {
    let db = in_memory(network, part);
    files::define_names(db.property_graph().unwrap()).unwrap();
    db
}

const MODES: [Execution; 3] = [Execution::Interpret, Execution::Adapt, Execution::Compile];

/// Rows as lists of JSON, which are the same in every mode.
fn rows(db: &Database, query: Text, call: &Call) -> Vec<Json> {
    let found = MODES.map(|mode| {
        let statement = Statement::new(query.text).execution(mode);
        let parameters: Parameters = call.iter().cloned().collect();
        let rows = db.execute(&statement.parameters(parameters));
        let rows = rows.unwrap_or_else(|error| panic!("{}: {error}", query.name));
        let list = |row: evergraph::query::Row| row.cells().iter().map(to_json).collect();
        rows.map(|row| list(row.unwrap())).collect::<Vec<Json>>()
    });
    let [interpreted, adaptive, compiled] = found;
    assert_eq!(interpreted, adaptive, "{} adaptive", query.name);
    assert_eq!(interpreted, compiled, "{} compiled", query.name);
    interpreted
}

fn assert_rows(query: Text, call: &Call, found: Vec<Json>, expected: Vec<Json>) {
    let name = query.name;
    // Names of columns are no part of it.
    let same = validation::rows_are("rows", found.clone(), expected.clone());
    assert!(same, "{name} {call:?}\ngives {found:?}\nnot   {expected:?}");
}

#[test]
fn short_reads_give_what_the_rows_say() {
    let network = network(150);
    let db = database(&network, csv::Part::Whole);
    Rows::of(network.events()).assert_interesting();
    assert_short_reads(&db, &network);
}

fn assert_short_reads(db: &Database, network: &Network) {
    let rows_of = Rows::of(network.events());
    let messages = rows_of.message_ids().into_iter().step_by(29);
    let reference = Reference::new(&rows_of, network.world());
    for person in rows_of.person_ids().into_iter().step_by(3) {
        let call = vec![("personId", person.into())];
        for (query, number) in SHORT[..3].iter().zip(1..) {
            let expected = reference.short(number, person);
            assert_rows(*query, &call, rows(db, *query, &call), expected);
        }
    }
    for message in messages {
        let call = vec![("messageId", message.into())];
        for (query, number) in SHORT[3..].iter().zip(4..) {
            let expected = reference.short(number, message);
            assert_rows(*query, &call, rows(db, *query, &call), expected);
        }
    }
}

#[test]
fn complex_reads_give_what_the_rows_say() {
    let network = network(250);
    let db = database(&network, csv::Part::Whole);
    let empty = assert_complex_reads(&db, &network, 12);
    assert!(empty.is_empty(), "no call of these gives a row: {empty:?}");
}

/// Checks so many calls of each; returns the queries of which none gives a row.
fn assert_complex_reads(db: &Database, network: &Network, calls: usize) -> Vec<&'static str> {
    let rows_of = Rows::of(network.events());
    let reference = Reference::new(&rows_of, network.world());
    let mut texts = queries::parameters(network, calls);
    // Messages from abroad are rare: of all time, from the countries that come first.
    let places = network.world().places();
    for (at, row) in texts[2].rows.iter_mut().enumerate() {
        row[1..3].clone_from_slice(&["0", "30000"].map(String::from));
        row[3..].clone_from_slice(&[at, at + 1].map(|place| places[place].name.to_string()));
    }
    let mut empty = BTreeMap::new();
    for (query, texts) in COMPLEX.iter().zip(&texts) {
        for (call, texts) in calls::of_rows(texts).iter().zip(&texts.rows) {
            let expected = reference.complex(query.name, texts);
            *empty.entry(query.name).or_insert(true) &= expected.is_empty();
            let found = rows(db, *query, call);
            assert_rows(*query, call, found, expected);
        }
    }
    empty.retain(|_, is_empty| *is_empty);
    empty.into_keys().collect()
}

#[test]
fn who_is_not_there_has_no_rows() {
    let network = network(10);
    let db = database(&network, csv::Part::Whole);
    for query in SHORT.iter().chain(&COMPLEX) {
        let nobody = ["personId", "messageId", "person1Id", "person2Id"];
        let mut call: Call = nobody.map(|name| (name, (1_i64 << 40).into())).to_vec();
        call.extend(
            ["maxDate", "minDate", "startDate", "durationDays", "month"]
                .map(|name| (name, 9.into())),
        );
        call.push(("workFromYear", 2000.into()));
        let texts = [
            "firstName",
            "countryXName",
            "countryYName",
            "tagName",
            "countryName",
            "tagClassName",
        ];
        call.extend(texts.map(|name| (name, "nothing".into())));
        assert_eq!(
            rows(&db, *query, &call),
            Vec::<Json>::new(),
            "{}",
            query.name
        );
    }
}

/// One that no friendship leads to, and one to himself.
#[test]
fn paths_between_persons_that_are_not_connected() {
    let network = network(10);
    let db = database(&network, csv::Part::Whole);
    db.query("CREATE (:Person {id: 77777})", ()).unwrap();
    let call = |one: i64, other: i64| vec![("person1Id", one.into()), ("person2Id", other.into())];
    let [length, paths] = [COMPLEX[12], COMPLEX[13]];
    assert_eq!(rows(&db, length, &call(0, 77777)), [json!([-1])]);
    assert_eq!(rows(&db, length, &call(0, 0)), [json!([0])]);
    assert_eq!(rows(&db, paths, &call(0, 77777)), Vec::<Json>::new());
    assert_eq!(rows(&db, paths, &call(0, 0)), [json!([[0], 0.0])]);
}

/// The stream on top of the bulk is the same graph as the files of the whole.
#[test]
fn bulk_and_updates_are_the_whole() {
    let network = network(100);
    for mode in MODES {
        let grown = database(&network, csv::Part::Initial);
        assert_updates(&grown, &network, mode, 1);
    }
}

/// Runs the stream, so many updates in a transaction.
fn assert_updates(grown: &Database, network: &Network, mode: Execution, at_once: usize) {
    let whole = database(network, csv::Part::Whole);
    let graph = grown.property_graph().unwrap();
    let prepared = UPDATES.map(|query| {
        let limits = Limits {
            execution: mode,
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        Query::prepare_with(graph, query.text, options).unwrap()
    });
    let mut made = [0; UPDATES.len()];
    let events: Vec<Event> = updates::updates(network).collect();
    for events in events.chunks(at_once) {
        let mut transaction = graph.begin();
        for event in events {
            let update = number(&event.change) - 1;
            let call = parameters(&calls::of_change(&event.change));
            let done = prepared[update].run(&mut transaction, &call).unwrap();
            let counters = done.summary().counters;
            assert!(
                counters.nodes_created + counters.relationships_created > 0,
                "{:?}",
                event.change
            );
            made[update] += 1;
        }
        transaction.commit().unwrap();
    }
    assert!(made.iter().all(|&count| count > 0), "{made:?}");
    let of = |graph: &PropertyGraph| dump(&graph.view());
    let (grown, whole) = (of(graph), of(whole.property_graph().unwrap()));
    assert!(grown == whole, "{}", difference(&grown, &whole));
}

#[test]
fn queries_give_the_same_on_the_emulated_medium() {
    assert_queries_on(MediumKind::Dax);
}

#[test]
fn queries_give_the_same_on_files() {
    assert_queries_on(MediumKind::File);
}

fn assert_queries_on(medium: MediumKind) {
    let is_deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    // A commit on files waits for the disk.
    let (persons, calls, modes, at_once) = match is_deep {
        true => (250, 12, &MODES[..], 1),
        false => (100, 2, &MODES[2..], 200),
    };
    let network = network(persons);
    let db = OnMedium::new(medium, &network, csv::Part::Whole, files::define_names);
    let mut rows_of = Rows::of(network.events());
    assert_short_reads(&db, &network);
    assert_complex_reads(&db, &network, calls);
    add_tags(&db, &mut rows_of);
    assert_counts(&db, &rows_of, &network);
    drop(db);
    for mode in modes {
        let grown = OnMedium::new(medium, &network, csv::Part::Initial, files::define_names);
        assert_updates(&grown, &network, *mode, at_once);
    }
}

/// Gives tags to some comments that have none: the generator's have no others than their
/// parents.
fn add_tags(db: &Database, rows_of: &mut Rows) {
    let add =
        "MATCH (c:Comment:Message {id: $comment}), (t:Tag {id: $tag}) CREATE (c)-[:HAS_TAG]->(t)";
    let bare = rows_of.comments.values_mut();
    for comment in bare.filter(|comment| comment.tags.is_empty()).step_by(5) {
        let tag = (comment.id % 100) as u32;
        comment.tags.push(tag);
        let call = [("comment", comment.id as i64), ("tag", tag.into())];
        db.query(add, call).unwrap();
    }
}

#[test]
fn counts_give_what_the_rows_say() {
    let network = network(200);
    let db = database(&network, csv::Part::Whole);
    let mut rows_of = Rows::of(network.events());
    add_tags(&db, &mut rows_of);
    assert_counts(&db, &rows_of, &network);
}

fn assert_counts(db: &Database, rows_of: &Rows, network: &Network) {
    for (query, number) in COUNTS.into_iter().zip(1..) {
        let expected = counts::count(rows_of, network.world(), number);
        assert!(expected > 0, "{number}");
        assert_eq!(
            rows(db, query, &Call::new()),
            [json!([expected])],
            "{number}"
        );
    }
}

/// The part of a type's sources and targets that has each label, of all relationships.
fn ends(graph: &PropertyGraph, kind: &str) -> [BTreeMap<String, f64>; 2] {
    let view = graph.view();
    let mut counts = [BTreeMap::new(), BTreeMap::new()];
    let mut all = 0.0;
    for relationship in view.relationships() {
        let relationship = relationship.unwrap();
        if &*relationship.kind() == kind {
            all += 1.0;
            let ends = [relationship.source(), relationship.target()];
            for (end, counts) in ends.into_iter().zip(&mut counts) {
                for label in view.node(end).unwrap().unwrap().labels() {
                    *counts.entry(label.to_string()).or_default() += 1.0;
                }
            }
        }
    }
    counts.map(|counts| {
        counts
            .into_iter()
            .map(|(label, count): (_, f64)| (label, count / all))
            .collect()
    })
}

#[test]
fn labels_at_the_ends_of_types_are_about_right() {
    let network = network(100);
    let db = database(&network, csv::Part::Whole);
    let graph = db.property_graph().unwrap();
    for merged in [false, true] {
        if merged {
            graph.checkpoint().unwrap();
        }
        for kind in graph.view().counts().unwrap().types.keys() {
            let sampled = graph.view().labels_at_ends(kind).unwrap();
            let sampled = [&sampled.sources, &sampled.targets];
            for (exact, sampled) in ends(graph, kind).into_iter().zip(sampled) {
                for (label, part) in exact {
                    let found = sampled.get(label.as_str()).copied().unwrap_or(0.0);
                    assert!(
                        (found - part).abs() < 0.25,
                        "{kind} {label}: {found}, not {part}"
                    );
                }
            }
        }
    }
    let none = graph.view().labels_at_ends("NOTHING").unwrap();
    assert!(none.sources.is_empty() && none.targets.is_empty());
    // New relationships of a small type are seen when there are many of them.
    db.query("CREATE (:A)-[:NEW]->(:B)", ()).unwrap();
    let old = graph.view().labels_at_ends("NEW").unwrap();
    assert_eq!(old.sources.get("A"), Some(&1.0));
    db.query("UNWIND range(1, 9) AS i CREATE (:C)-[:NEW]->(:B)", ())
        .unwrap();
    let new = graph.view().labels_at_ends("NEW").unwrap();
    assert!(
        new.sources["C"] > 0.8 && new.targets["B"] > 0.999,
        "{new:?}"
    );
}

#[test]
fn operations_of_a_validation_file_are_told_apart() {
    let lines = [
        r#"{"personIdSQ3":5}|[]"#,
        r#"{"messageRepliesId":7}|[]"#,
        r#"{"personIdQ10":5,"month":2,"limit":10}|[]"#,
        r#"{"person1IdQ14StartNode":1,"person2IdQ14EndNode":2}|[{"a":"}|"}]"#,
        r#"{"commentId":1,"content":"a}|b","replyToPostId":-1}|"-1""#,
        r#"{"personId":1,"personFirstName":"A","studyAt":[{"organizationId":3,"year":9}]}|"-1""#,
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("validation_params.csv");
    std::fs::write(&path, lines.join("\n")).unwrap();
    let found = validation::operations(&path).unwrap();
    let found: Vec<validation::Operation> = found.collect::<Result<_, _>>().unwrap();
    let names: Vec<&str> = found.iter().map(|one| one.query.name).collect();
    let expected = [
        "short-3",
        "short-7",
        "complex-10",
        "complex-14",
        "update-7",
        "update-1",
    ];
    assert_eq!(names, expected);
    let names = |at: usize| -> Vec<&str> { found[at].parameters.iter().map(|one| one.0).collect() };
    assert_eq!(names(1), ["messageId"]);
    assert_eq!(names(2), ["limit", "month", "personId"]);
    assert_eq!(names(3), ["person1Id", "person2Id"]);
    let study = found[5].parameters.iter().find(|one| one.0 == "studyAt");
    assert_eq!(format!("{}", study.unwrap().1), "[[3, 9]]");
    std::fs::write(&path, "{\"other\":1}|1").unwrap();
    assert!(
        validation::operations(&path)
            .unwrap()
            .next()
            .unwrap()
            .is_err()
    );
}
