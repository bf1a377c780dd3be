//! A property graph as each format version was first written. Every later program must
//! read it, in its past too, and write on.
//!
//! `EVERGRAPH_WRITE_GOLDEN=1 cargo test -p evergraph-property-graph --test it
//! golden` writes that of the present version anew; only a new format version may make
//! that necessary, and then the others stay beside the new.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, Direction, GraphError, OpenOptions, PropertyGraph, Rule, Transaction,
};
use evergraph_property_graph::value::{
    CoordinateSystem, Date, DateTime, Duration, LocalDateTime, LocalTime, Point, Time,
};
use evergraph_simulated::{Config, Image, Persistence, SimulatedStorage};
use evergraph_storage::FORMAT_VERSION;
use evergraph_storage::medium::FileStorage;

use super::model::{Model, compare, model_of};
use super::random::options;

fn directory(version: u32) -> PathBuf {
    let name = format!("tests/golden/v{version}-property-graph");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn config() -> Config {
    Config::new(Persistence::Pages).with_capacity(1 << 20)
}

/// A value of each type, by key.
fn values() -> Vec<(&'static str, Value)> {
    let date = Date::new(2024, 2, 29).expect("a day");
    let time = LocalTime::new(23, 59, 58, 7).expect("a time");
    let point = Point::new(CoordinateSystem::Wgs84, &[11.5, 48.25]).expect("a place");
    let instant = DateTime::from_seconds(1_700_000_000, 5, 3600).expect("an instant");
    let map: BTreeMap<Arc<str>, Value> = [("inner".into(), Value::from(-1))].into();
    vec![
        ("boolean", Value::Boolean(true)),
        ("integer", Value::Integer(i64::MIN)),
        ("float", Value::Float(-0.5)),
        ("text", Value::from("Zürich")),
        ("bytes", Value::Bytes([0u8, 255, 7].into())),
        ("list", Value::List([Value::from(1), "two".into()].into())),
        ("map", Value::Map(Arc::new(map))),
        ("date", Value::Date(date)),
        ("time", Value::Time(Time::new(time, -3600).expect("a time"))),
        ("local time", Value::LocalTime(time)),
        (
            "datetime",
            Value::DateTime(instant.in_zone("Europe/Zurich").expect("known")),
        ),
        (
            "local datetime",
            Value::LocalDateTime(LocalDateTime::of(date, time)),
        ),
        (
            "duration",
            Value::Duration(Duration::new(1, -2, 3, 4).expect("a duration")),
        ),
        ("point", Value::Point(point)),
        ("long", Value::from("long ".repeat(60))),
    ]
}

/// A value that has an extent of its own from version 7 on.
fn large() -> Value {
    Value::from("large ".repeat(12_000))
}

/// Makes the graph; what it holds in the end, and as of its snapshot.
fn fill(graph: &PropertyGraph, version: u32) -> Result<(Model, Model), GraphError> {
    let person = |own: &mut Transaction, number: i64| {
        // A city that repeats gets a code.
        let properties = [("number", number.into()), ("city", "Winterthur".into())];
        own.create_node(&["Person"], properties)
    };
    let people = graph.write(|own| {
        let everything = own.create_node(&["Everything", "Person"], values())?;
        own.set(everything, "number", 100)?;
        if version >= 7 {
            own.set(everything, "large", large())?;
        }
        let mut people = vec![everything];
        for number in 0..20 {
            let one = person(own, number)?;
            let last = people[people.len() - 1];
            own.create_relationship(last, "KNOWS", one, [("since", (2000 + number).into())])?;
            people.push(one);
        }
        own.create_relationship(people[3], "LIKES", people[3], [("why", "itself".into())])?;
        Ok(people)
    })?;
    graph.create_index("cities", "Person", &["city", "number"])?;
    graph.define(&Definition::of_nodes(
        "number",
        "Person",
        &["number"],
        Rule::Unique,
    ))?;
    graph.define(&Definition::of_relationships(
        "since",
        "KNOWS",
        &["since"],
        Rule::Key,
    ))?;
    graph.checkpoint()?;
    graph.create_snapshot("before")?;
    let before = model_of(&graph.view());
    graph.write(|own| {
        own.detach_delete_node(people[5])?;
        own.set(people[6], "city", "Basel")?;
        own.add_label(people[6], "Mover")?;
        own.remove(people[7], "city")
    })?;
    // Moves what only the snapshot shows to the history table.
    graph.checkpoint()?;
    graph.write(|own| {
        let late = person(own, 50)?;
        own.create_relationship(late, "KNOWS", people[0], [("since", 2050.into())])?;
        own.detach_delete_node(people[9])?;
        own.set(people[8], "number", 1000)
    })?;
    Ok((model_of(&graph.view()), before))
}

/// All of it, its past, and what its indexes and constraints do.
fn read(graph: &PropertyGraph, now: &Model, before: &Model) {
    assert_eq!(graph.check().problems, Vec::<String>::new());
    compare(&graph.view(), now).expect("what was written");
    compare(&graph.as_of("before").expect("kept"), before).expect("as of the snapshot");
    let names: Vec<String> = graph.definitions().into_iter().map(|d| d.name).collect();
    assert_eq!(names, ["cities", "number", "since"]);
    let view = graph.view();
    let found = view.find(
        "Person",
        &[("number", 1000.into()), ("city", "Winterthur".into())],
    );
    assert_eq!(found.expect("readable").len(), 1);
    let found = view.find_relationships("KNOWS", &[("since", 2050.into())]);
    let found = found.expect("readable");
    assert_eq!(
        view.degree(found[0].target(), Direction::Both, &[])
            .expect("readable"),
        2
    );
    let everything = view.nodes_with_label("Everything").next();
    let everything = everything.expect("there").expect("readable");
    for (key, value) in values() {
        assert_eq!(everything.get(key), Some(&value), "{key}");
    }
}

/// It goes on being written, as today.
fn write_on(graph: &PropertyGraph) {
    let taken = graph.write(|own| own.create_node(&["Person"], [("number", 1000.into())]));
    assert!(matches!(taken, Err(GraphError::Constraint(_))));
    let made = graph.write(|own| own.create_node(&["Person"], [("number", 2000.into())]));
    made.expect("another number");
    graph.checkpoint().expect("written");
    graph.drop_snapshot("before").expect("it is there");
    graph.compact().expect("written");
    assert_eq!(graph.check().problems, Vec::<String>::new());
    let found = graph.view().find("Person", &[("number", 2000.into())]);
    assert_eq!(found.expect("readable").len(), 1);
}

#[test]
fn golden_property_graph_version_4() {
    golden(4);
}

#[test]
fn golden_property_graph_version_5() {
    golden(5);
}

#[test]
fn golden_property_graph_version_6() {
    golden(6);
}

#[test]
fn golden_property_graph_version_7() {
    golden(7);
}

#[test]
fn golden_property_graph_version_8() {
    golden(8);
}

fn golden(version: u32) {
    let storage = SimulatedStorage::new(config());
    let graph = PropertyGraph::create(&storage, options(), *b"evergraph-gold-7").expect("created");
    let (now, before) = fill(&graph, version).expect("filled");
    read(&graph, &now, &before);
    drop(graph);
    if FORMAT_VERSION == version && std::env::var_os("EVERGRAPH_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(directory(version)).expect("a directory");
        for (file, bytes) in &storage.image().files {
            std::fs::write(directory(version).join(file), bytes).expect("written");
        }
    }
    let mut image = Image::default();
    for entry in std::fs::read_dir(directory(version)).expect("golden files") {
        let entry = entry.expect("readable");
        let name = entry.file_name().into_string().expect("a name");
        let bytes = std::fs::read(entry.path()).expect("readable");
        image.files.insert(name, bytes);
    }
    assert!(image.files.values().map(Vec::len).sum::<usize>() < 300_000);
    let storage = SimulatedStorage::from_image(config(), &image);
    let read_only = OpenOptions {
        read_only: true,
        ..OpenOptions::default()
    };
    let (graph, _) = PropertyGraph::open(&storage, read_only).expect("opened");
    read(&graph, &now, &before);
    drop(graph);
    // And a copy on real files.
    let copy = tempfile::tempdir().expect("a directory");
    for (file, bytes) in &image.files {
        std::fs::write(copy.path().join(file), bytes).expect("written");
    }
    let storage = FileStorage::open(copy.path()).expect("opened");
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    read(&graph, &now, &before);
    graph.close().expect("closed");
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    read(&graph, &now, &before);
    write_on(&graph);
    graph.close().expect("closed");
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    assert_eq!(graph.check().problems, Vec::<String>::new());
}
