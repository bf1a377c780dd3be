//! Exports read as the same graph; values that cannot be exported are refused, and an
//! export that is cut off leaves nothing.

#[path = "../../../io/tests/it/common/values.rs"]
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::values::{Properties, name, scalar, table, text};
use crate::common::database;
use evergraph::property::value::Value;
use evergraph::property::{
    Exported, FileKind, Node, NodeId, PropertyExport, PropertyGraph, PropertyImport, Relationship,
    View, export, import,
};
use evergraph::{Cancellation, Error};
use proptest::prelude::*;

/// A graph as a test makes it.
#[derive(Clone, Debug)]
struct Made {
    nodes: Vec<(Vec<String>, Properties)>,
    relationships: Vec<(usize, usize, String, Properties)>,
}

impl Made {
    /// Puts it into a graph; each node knows its number.
    fn into_graph(self, graph: &PropertyGraph) {
        graph
            .write(|tx| {
                // Ids have holes.
                let gone = tx.create_node(&["Gone"], [])?;
                let mut ids = Vec::new();
                for (number, (labels, properties)) in self.nodes.iter().enumerate() {
                    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                    let id = tx.create_node(&labels, given(properties))?;
                    tx.set(id, "uid", number as i64)?;
                    ids.push(id);
                }
                for (source, target, kind, properties) in &self.relationships {
                    let (source, target) = (ids[source % ids.len()], ids[target % ids.len()]);
                    tx.create_relationship(source, kind, target, given(properties))?;
                }
                tx.delete_node(gone)
            })
            .unwrap();
    }
}

fn given(properties: &Properties) -> impl Iterator<Item = (&str, Value)> {
    properties
        .iter()
        .map(|(key, value)| (&**key, value.clone()))
}

/// Graphs whose properties have one type each.
fn typed() -> impl Strategy<Value = Made> {
    (1..6_usize, 0..6_usize).prop_flat_map(|(nodes, relationships)| {
        graph_of(table(nodes), table(relationships.max(1)), relationships)
    })
}

/// Graphs whose properties are anything at all.
fn untyped() -> impl Strategy<Value = Made> {
    let properties = |rows: usize| {
        let one = prop::collection::btree_map(name(), anything(), 0..4);
        let one = one.prop_map(|all| all.into_iter().map(|(k, v)| (k.into(), v)).collect());
        prop::collection::vec(one, rows)
    };
    (1..6_usize, 0..6_usize).prop_flat_map(move |(nodes, relationships)| {
        graph_of(properties(nodes), properties(relationships), relationships)
    })
}

/// Graphs whose properties are of any type, but no lists of several.
fn mixed() -> impl Strategy<Value = Made> {
    let value = (0..12_usize, any::<bool>()).prop_flat_map(|(kind, list)| match list {
        true => prop::collection::vec(scalar(kind), 0..4)
            .prop_map(|all| Value::List(all.into()))
            .boxed(),
        false => scalar(kind),
    });
    let properties = move |rows: usize| {
        let one = prop::collection::btree_map("[ab]", value.clone(), 0..3);
        let one = one.prop_map(|all| all.into_iter().map(|(k, v)| (k.into(), v)).collect());
        prop::collection::vec(one, rows)
    };
    (1..6_usize, 0..6_usize).prop_flat_map(move |(nodes, relationships)| {
        graph_of(properties(nodes), properties(relationships), relationships)
    })
}

fn anything() -> BoxedStrategy<Value> {
    let leaf = (0..12_usize).prop_flat_map(scalar);
    let value = leaf.prop_recursive(2, 8, 3, |inner| {
        let element = prop_oneof![4 => inner.clone(), 1 => Just(Value::Null)];
        prop_oneof![
            prop::collection::vec(element, 0..3).prop_map(|all| Value::List(all.into())),
            prop::collection::btree_map(text(), inner, 0..3).prop_map(|all| {
                let entries: BTreeMap<Arc<str>, Value> =
                    all.into_iter().map(|(k, v)| (k.into(), v)).collect();
                Value::Map(Arc::new(entries))
            }),
        ]
    });
    value.boxed()
}

fn graph_of(
    nodes: impl Strategy<Value = Vec<Properties>>,
    relationships: impl Strategy<Value = Vec<Properties>>,
    count: usize,
) -> impl Strategy<Value = Made> {
    let label = prop::sample::select(vec!["Person", "Böse,\"Katze\"", "person", "A/B"]);
    let labels = prop::collection::vec(label.prop_map(String::from), 0..3);
    let ends = (
        0..9_usize,
        0..9_usize,
        prop_oneof![Just("K".to_string()), name()],
    );
    let (labels, ends) = (
        prop::collection::vec(labels, 6),
        prop::collection::vec(ends, count),
    );
    (nodes, relationships, labels, ends).prop_map(|(nodes, relationships, labels, ends)| Made {
        nodes: labels.into_iter().zip(nodes).collect(),
        relationships: ends
            .into_iter()
            .zip(relationships)
            .map(|((source, target, kind), properties)| (source, target, kind, properties))
            .collect(),
    })
}

/// Content of a view, to the bit, independent of its ids.
fn content(view: &View) -> (Vec<String>, Vec<String>) {
    let uid = |id: NodeId| format!("{:?}", view.node(id).unwrap().unwrap().get("uid"));
    let all = |properties: &mut dyn Iterator<Item = (Arc<str>, &Value)>| {
        let mut all: Vec<String> = properties.map(|(k, v)| format!("{k:?}: {v:?}")).collect();
        all.sort();
        all.join(", ")
    };
    let node = |node: Node| {
        let mut labels = node.labels();
        labels.sort();
        format!("{labels:?} {}", all(&mut node.properties()))
    };
    let relationship = |found: Relationship| {
        let (source, target) = (uid(found.source()), uid(found.target()));
        let properties = all(&mut found.properties());
        format!("{source} {:?} {target} {properties}", found.kind())
    };
    let mut nodes: Vec<String> = view.nodes().map(|n| node(n.unwrap())).collect();
    let mut relationships: Vec<String> = view
        .relationships()
        .map(|r| relationship(r.unwrap()))
        .collect();
    nodes.sort();
    relationships.sort();
    (nodes, relationships)
}

fn options(output: PathBuf, kind: FileKind) -> PropertyExport {
    PropertyExport {
        output,
        kind,
        labels: Vec::new(),
        types: Vec::new(),
        nodes: None,
        relationships: None,
        largest_component: false,
    }
}

fn write(view: &View, options: &PropertyExport) -> Result<Exported, Error> {
    export(view, options, &Cancellation::new(), &|_| {})
}

fn read(graph: &PropertyGraph, file: &Path) {
    let options = PropertyImport {
        files: vec![file.to_path_buf()],
        ..PropertyImport::default()
    };
    import(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
}

/// Exports and imports. What is refused is given as the error.
fn around(made: Made, kind: FileKind, name: &str) -> Result<(), Error> {
    let place = tempfile::tempdir().unwrap();
    let (first, second) = (database(), database());
    let (first, second) = (
        first.property_graph().unwrap(),
        second.property_graph().unwrap(),
    );
    made.into_graph(first);
    let output = place.path().join(name);
    let options = options(output.clone(), kind);
    let written = write(&first.view(), &options);
    if written.is_err() {
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
    let written = written?;
    read(second, &output);
    let found = content(&second.view());
    assert_eq!(found, content(&first.view()));
    let counts = (found.0.len() as u64, found.1.len() as u64);
    assert_eq!((written.nodes, written.relationships), counts);
    Ok(())
}

/// Whether a list holds what has no place between semicolons.
fn has_hostile_list(made: &Made) -> bool {
    let texts = |value: &Value| match value {
        Value::List(elements) => {
            let is_empty =
                |text: &Value| text.as_text() == Some("") || text.as_bytes() == Some(&[]);
            let alone = elements.len() == 1 && elements.iter().any(is_empty);
            let parts = |text: &Value| text.as_text().is_some_and(|text| text.contains(';'));
            alone || elements.iter().any(parts)
        }
        _ => false,
    };
    let nodes = made.nodes.iter().map(|node| &node.1);
    let relationships = made
        .relationships
        .iter()
        .map(|relationship| &relationship.3);
    nodes
        .chain(relationships)
        .flatten()
        .any(|(_, value)| texts(value))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn json_lines_hold_every_graph(made in untyped()) {
        around(made, FileKind::JsonLines, "graph.jsonl.zst").unwrap();
    }

    #[test]
    fn csv_holds_every_typed_graph(made in typed()) {
        let hostile = has_hostile_list(&made);
        match around(made, FileKind::Neo4j, "graph") {
            Ok(()) => prop_assert!(!hostile),
            Err(error) => {
                prop_assert!(hostile, "{error}");
                prop_assert!(error.to_string().contains("semicolon"), "{error}");
            }
        }
    }

    #[test]
    fn graphml_holds_every_graph_without_maps(made in mixed()) {
        around(made, FileKind::GraphMl, "graph.graphml.gz").unwrap();
    }
}

#[cfg(feature = "columnar")]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parquet_and_arrow_hold_every_typed_graph(made in typed()) {
        around(made.clone(), FileKind::Parquet, "graph").unwrap();
        around(made, FileKind::Arrow, "graph").unwrap();
    }
}

#[cfg(not(feature = "columnar"))]
#[test]
fn parquet_says_how_it_is_had() {
    let place = tempfile::tempdir().unwrap();
    let db = database();
    let graph = db.property_graph().unwrap();
    let refused = write(
        &graph.view(),
        &options(place.path().join("p"), FileKind::Parquet),
    );
    assert!(refused.unwrap_err().hint().contains("--features columnar"));
    let file = place.path().join("nodes.parquet");
    std::fs::write(&file, "PAR1").unwrap();
    let options = PropertyImport {
        files: vec![file],
        rows_at_once: 1,
        ..PropertyImport::default()
    };
    let refused = import(graph, &options, &Cancellation::new(), &|_| {});
    assert!(refused.unwrap_err().hint().contains("--features columnar"));
}

/// Ann knows Bob twice and herself; both live in Bonn.
fn small(graph: &PropertyGraph) {
    graph
        .write(|tx| {
            let ann = tx.create_node(&["Person"], [("name", "Ann".into()), ("uid", 0.into())])?;
            let bob = tx.create_node(
                &["Person", "Admin"],
                [("name", "Bob".into()), ("uid", 1.into())],
            )?;
            let bonn = tx.create_node(&["City"], [("uid", 2.into())])?;
            tx.create_relationship(ann, "KNOWS", bob, [("since", 2019.into())])?;
            tx.create_relationship(ann, "KNOWS", bob, [])?;
            tx.create_relationship(ann, "KNOWS", ann, [])?;
            tx.create_relationship(ann, "LIVES_IN", bonn, [])?;
            tx.create_relationship(bob, "LIVES_IN", bonn, [])?;
            Ok(())
        })
        .unwrap();
}

/// All files below a directory, with what they hold.
fn files(place: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        match path.is_dir() {
            true => found.extend(
                files(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            ),
            false => {
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn csv_is_as_neo4j_reads_it_and_the_same_each_time() {
    let place = tempfile::tempdir().unwrap();
    let db = database();
    let graph = db.property_graph().unwrap();
    small(graph);
    graph.create_snapshot("before").unwrap();
    let view = graph.view();
    let first = place.path().join("first");
    write(&view, &options(first.clone(), FileKind::Neo4j)).unwrap();
    let expected = [
        (
            "nodes-City.csv",
            ":ID{id-type:long},uid:long,:LABEL\n2,2,City\n",
        ),
        (
            "nodes-Person-Admin.csv",
            ":ID{id-type:long},name:string,uid:long,:LABEL\n1,Bob,1,Person;Admin\n",
        ),
        (
            "nodes-Person.csv",
            ":ID{id-type:long},name:string,uid:long,:LABEL\n0,Ann,0,Person\n",
        ),
        (
            "relationships-KNOWS.csv",
            ":START_ID{id-type:long},:END_ID{id-type:long},since:long,:TYPE\n\
             0,1,2019,KNOWS\n0,1,,KNOWS\n0,0,,KNOWS\n",
        ),
        (
            "relationships-LIVES_IN.csv",
            ":START_ID{id-type:long},:END_ID{id-type:long},:TYPE\n\
             0,2,LIVES_IN\n1,2,LIVES_IN\n",
        ),
    ];
    let expected: BTreeMap<String, Vec<u8>> = expected
        .map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()))
        .into();
    assert_eq!(files(&first), expected);
    // As of then, whatever is committed and merged meanwhile.
    graph
        .write(|tx| {
            let node = NodeId(2);
            tx.detach_delete_node(node)?;
            tx.set(NodeId(0), "name", "Anna")?;
            tx.create_node(&["City"], [])?;
            Ok(())
        })
        .unwrap();
    graph.checkpoint().unwrap();
    for (name, view) in [("second", view), ("third", graph.as_of("before").unwrap())] {
        let output = place.path().join(name);
        write(&view, &options(output.clone(), FileKind::Neo4j)).unwrap();
        assert_eq!(files(&output), expected, "{name}");
    }
    let now = place.path().join("now");
    write(&graph.view(), &options(now.clone(), FileKind::Neo4j)).unwrap();
    assert!(!files(&now).contains_key("relationships-LIVES_IN.csv"));
}

#[test]
fn labels_and_types_choose_a_part() {
    let place = tempfile::tempdir().unwrap();
    let db = database();
    let graph = db.property_graph().unwrap();
    small(graph);
    let view = graph.view();
    for (kind, name) in [
        (FileKind::Neo4j, "csv"),
        (FileKind::JsonLines, "a.jsonl"),
        (FileKind::GraphMl, "a.graphml"),
    ] {
        let chosen = |labels: &[&str], types: &[&str]| PropertyExport {
            labels: labels.iter().map(|name| name.to_string()).collect(),
            types: types.iter().map(|name| name.to_string()).collect(),
            ..options(place.path().join(name), kind)
        };
        let refused = write(&view, &chosen(&["Person", "Persona"], &[])).unwrap_err();
        assert!(refused.to_string().contains("\"Persona\""), "{refused}");
        let refused = write(&view, &chosen(&[], &["LIKES"])).unwrap_err();
        assert!(refused.to_string().contains("\"LIKES\""), "{refused}");
        assert!(!place.path().join(name).exists());
        let part = write(&view, &chosen(&["Person", "Admin"], &[])).unwrap();
        assert_eq!((part.nodes, part.relationships), (2, 3), "{name}");
        let _ = std::fs::remove_dir_all(place.path().join("csv"));
        let part = write(&view, &chosen(&["Admin", "City"], &["LIVES_IN"])).unwrap();
        assert_eq!((part.nodes, part.relationships), (2, 1), "{name}");
        let other = database();
        read(other.property_graph().unwrap(), &place.path().join(name));
        assert_eq!(content(&other.property_graph().unwrap().view()).1.len(), 1);
    }
}

#[test]
fn what_cannot_be_written_is_named_and_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let db = database();
    let graph = db.property_graph().unwrap();
    small(graph);
    let map = Value::Map(Arc::new(BTreeMap::from([("x".into(), 1.into())])));
    graph
        .write(|tx| tx.set(NodeId(1), "extra", map.clone()))
        .unwrap();
    for (kind, name) in [(FileKind::Neo4j, "csv"), (FileKind::GraphMl, "a.graphml")] {
        let refused = write(&graph.view(), &options(place.path().join(name), kind));
        let message = refused.unwrap_err().to_string();
        assert!(
            message.starts_with("node 1: extra cannot be written"),
            "{message}"
        );
    }
    graph.write(|tx| tx.remove(NodeId(1), "extra")).unwrap();
    // A list that CSV cannot write is met only when rows are written.
    let list = Value::List(["a;b".into()].into());
    let knows = graph.view().relationships().next().unwrap().unwrap().id();
    graph
        .write(|tx| tx.set(knows, "tags", list.clone()))
        .unwrap();
    let refused = write(
        &graph.view(),
        &options(place.path().join("csv"), FileKind::Neo4j),
    );
    let message = refused.unwrap_err().to_string();
    assert!(
        message.starts_with("relationship 0 (0)-[:KNOWS]->(1): tags cannot be written"),
        "{message}"
    );
    let refused = write(
        &graph.view(),
        &options(place.path().join("l"), FileKind::Ldbc),
    );
    assert!(matches!(refused, Err(Error::Argument { .. })));
    assert_eq!(files(place.path()), BTreeMap::new());
    // Neither is what stands there touched.
    std::fs::write(place.path().join("csv"), "mine").unwrap();
    let refused = write(
        &graph.view(),
        &options(place.path().join("csv"), FileKind::Neo4j),
    );
    assert!(matches!(refused, Err(Error::Usage { .. })));
    assert_eq!(files(place.path())["csv"], b"mine");
}

/// Two thousand nodes, each with a relationship to itself.
fn many(graph: &PropertyGraph) {
    graph
        .write(|tx| {
            for i in 0..2000 {
                let node = tx.create_node(&["N"], [("uid", i.into())])?;
                tx.create_relationship(node, "R", node, [])?;
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn an_export_that_is_stopped_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let db = database();
    let graph = db.property_graph().unwrap();
    many(graph);
    for (kind, name) in [
        (FileKind::Neo4j, "csv"),
        (FileKind::JsonLines, "a.jsonl"),
        (FileKind::GraphMl, "a.graphml"),
    ] {
        let options = options(place.path().join(name), kind);
        let mut stopped = 0;
        let mut calls = 0;
        loop {
            let (stop, asked) = (Cancellation::new(), std::cell::Cell::new(0));
            let progress = |_: &Exported| {
                asked.set(asked.get() + 1);
                if asked.get() > calls {
                    stop.cancel();
                }
            };
            match export(&graph.view(), &options, &stop, &progress) {
                Err(Error::Interrupted { .. }) => stopped += 1,
                other => break other.map(drop).unwrap(),
            }
            calls += 1;
            assert_eq!(files(place.path()), BTreeMap::new(), "{name} {calls}");
        }
        assert!(stopped > 1, "{name}");
        let whole = place.path().join(name);
        assert!(whole.exists());
        let _ = std::fs::remove_dir_all(&whole);
        let _ = std::fs::remove_file(&whole);
    }
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let db = database();
    let graph = db.property_graph().unwrap();
    many(graph);
    for kind in [FileKind::JsonLines, FileKind::GraphMl] {
        let failed = write(&graph.view(), &options(full.to_path_buf(), kind));
        let Err(Error::Io { path, .. }) = &failed else {
            panic!("{failed:?}");
        };
        assert_eq!(path, "/dev/full");
    }
    let nowhere = options(PathBuf::from("/dev/full/a/b"), FileKind::Neo4j);
    let failed = write(&graph.view(), &nowhere).unwrap_err().to_string();
    assert!(failed.contains("/dev/full/a/b"), "{failed}");
}

#[test]
fn there_may_be_more_kinds_of_nodes_than_open_files() {
    let place = tempfile::tempdir().unwrap();
    let db = database();
    let graph = db.property_graph().unwrap();
    graph
        .write(|tx| {
            for i in 0..150_i64 {
                let label = format!("L{i}");
                let node = tx.create_node(&[&label], [("uid", i.into())])?;
                tx.create_relationship(node, &format!("T{i}"), node, [])?;
            }
            Ok(())
        })
        .unwrap();
    let output = place.path().join("csv");
    let written = write(&graph.view(), &options(output.clone(), FileKind::Neo4j)).unwrap();
    assert_eq!(
        (written.nodes, written.relationships, written.files),
        (150, 150, 300)
    );
    let other = database();
    let other = other.property_graph().unwrap();
    read(other, &output);
    assert_eq!(content(&other.view()), content(&graph.view()));
}

#[test]
fn an_empty_graph_is_a_graph() {
    let place = tempfile::tempdir().unwrap();
    let db = database();
    let graph = db.property_graph().unwrap();
    for (kind, name) in [
        (FileKind::Neo4j, "csv"),
        (FileKind::JsonLines, "a.jsonl"),
        (FileKind::GraphMl, "a.graphml"),
    ] {
        let output = place.path().join(name);
        write(&graph.view(), &options(output.clone(), kind)).unwrap();
        let other = database();
        read(other.property_graph().unwrap(), &output);
        assert_eq!(other.property_graph().unwrap().view().node_bound(), 0);
    }
}
