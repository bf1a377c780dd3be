//! Files of nodes and relationships into a database: what bad rows do, and what is
//! known of them.

use std::path::{Path, PathBuf};

use evergraph::property::{
    Census, Definition, FileKind, GraphError, Imported, Node, NodeId, PropertyGraph,
    PropertyImport, Relationship, Rule, import,
};
use evergraph::{Cancellation, Database, Error, MediumKind, Options};
use tempfile::TempDir;

fn database() -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        log_bytes: 1 << 20,
        ..Options::default()
    };
    Database::create("anywhere", &options).unwrap()
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
}

fn run(graph: &PropertyGraph, files: &[&Path], skip_bad: u64) -> Result<Imported, Error> {
    let options = PropertyImport {
        files: files.iter().map(|file| file.to_path_buf()).collect(),
        kind: None,
        skip_bad,
        rows_at_once: 0,
        resume: false,
    };
    import(graph, &options, &Cancellation::new(), &|_| {})
}

/// As [`run`], with as many rows in a transaction as there can be.
fn run_at_once(graph: &PropertyGraph, files: &[&Path], skip_bad: u64) -> Result<Imported, Error> {
    let options = PropertyImport {
        files: files.iter().map(|file| file.to_path_buf()).collect(),
        kind: None,
        skip_bad,
        rows_at_once: usize::MAX,
        resume: false,
    };
    import(graph, &options, &Cancellation::new(), &|_| {})
}

/// Lines of the bad rows, without directories.
fn bad(imported: &Imported) -> Vec<String> {
    let lines = imported.bad_rows.iter().map(|bad| {
        let text = bad.to_string();
        text.rsplit_once('/')
            .map_or(text.clone(), |(_, file)| file.to_string())
    });
    lines.collect()
}

#[test]
fn each_bad_row_counts_once_wherever_it_stands() {
    let place = Place::new();
    let nodes = place.file("nodes.csv", ":ID,age:int\na,x\nb,1\nc,y\nd,2\n");
    let edges = place.file(
        "edges.csv",
        ":START_ID,:END_ID,:TYPE\nb,d\nb,d,KNOWS\n,d,KNOWS\nd,z,KNOWS\n",
    );
    let both = place.file(
        "both.jsonl",
        "{\n{\"type\":\"node\",\"id\":\"n\",\"properties\":{\"\":1}}\n\
         {\"type\":\"node\",\"id\":\"n\"}\n{\"from\":\"n\",\"type\":\"T\",\"to\":\"n\"}\n",
    );
    for run in [run, run_at_once] {
        let db = database();
        let graph = db.property_graph().unwrap();
        let imported = run(graph, &[&edges, &nodes, &both], 7).unwrap();
        assert_eq!((imported.nodes, imported.relationships), (3, 2));
        assert_eq!(imported.skipped, 7);
        let expected = [
            "nodes.csv:2: age: \"x\" is no integer",
            "nodes.csv:4: age: \"y\" is no integer",
            "both.jsonl:1: no JSON at column 0: EOF while parsing an object",
            "both.jsonl:2: a property without a name",
            "edges.csv:2: 2 columns, the header has 3",
            "edges.csv:4: :START_ID: nothing is there",
            "edges.csv:5: there is no node z",
        ];
        let mut found = bad(&imported);
        found[2] = found[2].replace("column 1", "column 0");
        assert_eq!(found, expected);
        let error = run(database().property_graph().unwrap(), &[&edges, &nodes], 4);
        let message = error.unwrap_err().to_string();
        assert!(
            message.ends_with("(bad row 5, 4 may be skipped)"),
            "{message}"
        );
    }
}

#[test]
fn what_the_graph_refuses_is_a_bad_row_and_the_rest_is_taken() {
    let place = Place::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    unique_names(graph);
    let long = "k".repeat(70_000);
    let huge = "v".repeat(2 << 20);
    let mut text = String::new();
    for i in 0..100 {
        text += &match i {
            7 => format!("{{\"id\":{i},\"label\":\"Person\",\"props\":{{\"name\":\"p3\"}}}}\n"),
            40 => format!("{{\"id\":{i},\"label\":\"Person\",\"props\":{{\"{long}\":1}}}}\n"),
            41 => format!("{{\"id\":{i},\"label\":\"Person\",\"props\":{{\"v\":\"{huge}\"}}}}\n"),
            i => format!("{{\"id\":{i},\"label\":\"Person\",\"props\":{{\"name\":\"p{i}\"}}}}\n"),
        };
    }
    // The refused nodes are not there for relationships either.
    text += "{\"from\":1,\"type\":\"KNOWS\",\"to\":7}\n{\"from\":1,\"type\":\"KNOWS\",\"to\":8}\n";
    let file = place.file("people.jsonl", text);
    let imported = run_at_once(graph, &[&file], 4).unwrap();
    assert_eq!((imported.nodes, imported.relationships), (97, 1));
    let found = bad(&imported);
    let lines: Vec<&str> = found
        .iter()
        .filter_map(|bad| bad.split(": ").next())
        .collect();
    let expected = [
        "people.jsonl:8",
        "people.jsonl:41",
        "people.jsonl:42",
        "people.jsonl:101",
    ];
    assert_eq!(lines, expected, "{found:?}");
    assert!(found[0].contains("node 3 has the same"), "{found:?}");
    assert!(found[1].contains("70000 bytes"), "{found:?}");
    assert_eq!(Census::of(&graph.view()).unwrap().nodes, 97);
    let refused = run_at_once(
        database().property_graph().unwrap(),
        &[&place.file(
            "one.jsonl",
            format!("{{\"id\":1,\"label\":\"P\",\"props\":{{\"{long}\":1}}}}"),
        )],
        0,
    );
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("one.jsonl:1: "), "{message}");
}

#[test]
fn failures_that_no_row_is_to_blame_for_end_the_import() {
    let place = Place::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    let file = place.file("a.jsonl", "{\"id\":1,\"label\":\"A\"}\n");
    graph.close().unwrap();
    let ended = run_at_once(graph, &[&file], 10);
    assert!(
        !matches!(ended, Ok(_) | Err(Error::Interchange(_))),
        "{ended:?}"
    );
    assert!(
        !matches!(ended, Err(Error::Graph(GraphError::Constraint(_)))),
        "{ended:?}"
    );
}

#[test]
fn an_import_is_stopped_before_its_first_commit() {
    let place = Place::new();
    let rows: String = (0..2000).map(|i| format!("{i},1\n")).collect();
    // What cannot be read stands behind the first look at whether to stop.
    let file = place.file("nodes.csv", format!(":ID,age:int\n{rows}\"never ends\n"));
    let options = PropertyImport {
        files: vec![file],
        kind: None,
        skip_bad: 0,
        rows_at_once: PropertyImport::ROWS_AT_ONCE,
        resume: false,
    };
    let stop = Cancellation::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    let ended = import(graph, &options, &stop, &|_| {});
    assert!(matches!(ended, Err(Error::Interchange(_))), "{ended:?}");
    stop.cancel();
    let ended = import(graph, &options, &stop, &|_| {});
    assert!(matches!(ended, Err(Error::Interrupted { .. })), "{ended:?}");
}

#[test]
fn the_kind_of_a_file_is_told_by_its_own_name() {
    let place = Place::new();
    let kind = |name: &str, content: &str| FileKind::of(&place.file(name, content)).unwrap();
    let csv = ":ID,age:int\n";
    assert_eq!(kind("my.json.d/nodes.csv", csv), Some(FileKind::Neo4j));
    assert_eq!(kind("a.graphml/edges.json.txt", "1 2\n"), None);
    assert_eq!(kind("A.JSON", "{}\n"), Some(FileKind::JsonLines));
    assert_eq!(kind("a.ndjson.gz", "{}\n"), Some(FileKind::JsonLines));
    assert_eq!(kind("a.GraphML.zst", "<graphml/>"), Some(FileKind::GraphMl));
    let ldbc = "id|name|url\n";
    assert_eq!(kind("x.csv/place_0_0.txt", ldbc), None);
    assert_eq!(kind("x/place_0_0.csv", ldbc), Some(FileKind::Ldbc));
}

/// A graph by the property `name` of its nodes: labels and properties, and each
/// relationship, sorted.
fn content(graph: &PropertyGraph) -> (Vec<String>, Vec<String>) {
    let view = graph.view();
    let name = |id: NodeId| {
        let node = view.node(id).unwrap().expect("an end is there");
        node.get("name").map(|name| format!("{name:?}"))
    };
    let sorted = |properties: &mut dyn Iterator<Item = String>| {
        let mut properties: Vec<String> = properties.collect();
        properties.sort();
        properties.join(", ")
    };
    let node = |node: Node| {
        let mut labels = node.labels();
        labels.sort();
        let mut properties = node
            .properties()
            .map(|(key, value)| format!("{key}: {value:?}"));
        format!("{labels:?} {}", sorted(&mut properties))
    };
    let relationship = |relationship: Relationship| {
        let mut properties = relationship
            .properties()
            .map(|(key, value)| format!("{key}: {value:?}"));
        let (source, target) = (relationship.source(), relationship.target());
        let kind = relationship.kind();
        let properties = sorted(&mut properties);
        format!("{:?} {kind} {:?} {properties}", name(source), name(target))
    };
    let mut nodes: Vec<String> = view.nodes().map(|found| node(found.unwrap())).collect();
    let relationships = view.relationships();
    let mut relationships: Vec<String> = relationships
        .map(|found| relationship(found.unwrap()))
        .collect();
    nodes.sort();
    relationships.sort();
    (nodes, relationships)
}

/// Rows with everything that can be wrong with them: ids that come twice, ends that
/// are nowhere, values that a constraint refuses, lines that are no rows.
fn troubled(place: &Place) -> Vec<PathBuf> {
    let (mut nodes, mut both) = (":ID,name,:LABEL\n".to_string(), String::new());
    let mut edges = ":START_ID,:END_ID,:TYPE,w:int\n".to_string();
    for i in 0..60 {
        nodes += &match i {
            10 => "3,again,Person\n".to_string(),
            20 => "20,p4,Person\n".to_string(),
            21 | 22 => "bad\n".to_string(),
            i => format!("{i},p{i},Person\n"),
        };
        both += &format!(
            "{{\"id\":\"b{i}\",\"label\":\"Person\",\"props\":{{\"name\":\"b{}\"}}}}\n",
            if i == 30 { 29 } else { i }
        );
        both += &format!(
            "{{\"from\":\"{i}\",\"type\":\"OF\",\"to\":\"b{}\"}}\n",
            (i * 7) % 60
        );
    }
    for i in 0..200 {
        let weight = if i % 50 == 9 { "x" } else { "1" };
        edges += &format!("{},{},KNOWS,{weight}{i}\n", i % 61, (i * i) % 60);
    }
    vec![
        place.file("edges.csv", edges),
        place.file("nodes.csv", nodes),
        place.file("both.jsonl", both),
    ]
}

fn unique_names(graph: &PropertyGraph) {
    graph
        .define(&Definition::of_nodes(
            "names",
            "Person",
            &["name"],
            Rule::Unique,
        ))
        .unwrap();
}

/// Imports with an interruption after so many commits, again and again. What the last
/// run says, and how many there were.
fn import_in_pieces(
    path: &Path,
    options: &Options,
    files: &[PathBuf],
    rows_at_once: usize,
    cut_every: u32,
) -> (Imported, u32) {
    for runs in 1..500 {
        // Dropped without being closed, as a killed process leaves it.
        let db = Database::open(path, options).unwrap();
        let stop = Cancellation::new();
        let commits = std::cell::Cell::new(0);
        let cut = |_: &Imported| {
            commits.set(commits.get() + 1);
            if commits.get() == cut_every {
                stop.cancel();
            }
        };
        let again = PropertyImport {
            files: files.to_vec(),
            kind: None,
            skip_bad: 1000,
            rows_at_once,
            resume: true,
        };
        match import(db.property_graph().unwrap(), &again, &stop, &cut) {
            Ok(imported) => return (imported, runs),
            Err(Error::Interrupted { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    panic!("it does not get on");
}

#[test]
fn an_import_in_bulk_that_was_cut_off_goes_on_where_it_was() {
    let place = Place::new();
    let mut nodes = ":ID,name,:LABEL\n".to_string();
    for i in 0..3000 {
        nodes += &match i % 400 {
            7 => format!("{},again,Person\n", i / 2),
            8 => "bad\n".to_string(),
            _ => format!("{i},p{i},Person\n"),
        };
    }
    let mut edges = ":START_ID,:END_ID,:TYPE,w:int\n".to_string();
    for i in 0..4000_u64 {
        edges += &format!("{},{},KNOWS,{i}\n", i % 2990, (i * i) % 2990);
    }
    let files = [
        place.file("edges.csv", edges),
        place.file("nodes.csv", nodes),
    ];
    // Too few rows at once for a bulk load.
    let whole = database();
    let whole = whole.property_graph().unwrap();
    let by_transactions = PropertyImport {
        files: files.to_vec(),
        kind: None,
        skip_bad: 1000,
        rows_at_once: 100,
        resume: false,
    };
    let expected = import(whole, &by_transactions, &Cancellation::new(), &|_| {}).unwrap();
    let options = Options {
        property_graph: true,
        ..Options::default()
    };
    for (rows_at_once, cut_every) in [(300, 2), (700, 1), (10_000, 1)] {
        let path = place.0.path().join(format!("bulk-{rows_at_once}"));
        drop(Database::create(&path, &options).unwrap());
        let (last, runs) = import_in_pieces(&path, &options, &files, rows_at_once, cut_every);
        assert!(runs > 1, "{rows_at_once}: {runs}");
        assert_eq!(last.skipped, expected.skipped, "{:?}", bad(&last));
        let db = Database::open(&path, &options).unwrap();
        assert_eq!(content(db.property_graph().unwrap()), content(whole));
        assert!(db.check().problems.is_empty());
    }
}

#[test]
fn an_import_that_was_cut_off_goes_on_where_it_was() {
    let place = Place::new();
    let files = troubled(&place);
    let whole = database();
    let whole = whole.property_graph().unwrap();
    unique_names(whole);
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let expected = run_at_once(whole, &paths, 100).unwrap();
    assert!(expected.skipped > 20, "{expected:?}");

    let options = Options {
        property_graph: true,
        log_bytes: 1 << 20,
        ..Options::default()
    };
    for (rows_at_once, cut_every) in [(1, 50), (7, 1), (7, 9), (40, 2), (10_000, 1)] {
        let path = place
            .0
            .path()
            .join(format!("db-{rows_at_once}-{cut_every}"));
        let db = Database::create(&path, &options).unwrap();
        unique_names(db.property_graph().unwrap());
        drop(db);
        let (last, runs) = import_in_pieces(&path, &options, &files, rows_at_once, cut_every);
        assert!(runs > 3, "{rows_at_once} {cut_every}: {runs}");
        assert_eq!(last.nodes + last.resumed_nodes, expected.nodes);
        assert_eq!(
            last.relationships + last.resumed_relationships,
            expected.relationships
        );
        assert_eq!(last.skipped, expected.skipped, "{:?}", bad(&last));
        let db = Database::open(&path, &options).unwrap();
        let graph = db.property_graph().unwrap();
        assert_eq!(content(graph), content(whole));
        // What is done is done once.
        let again = PropertyImport {
            files: files.clone(),
            kind: None,
            skip_bad: 0,
            rows_at_once,
            resume: true,
        };
        let nothing = import(graph, &again, &Cancellation::new(), &|_| {}).unwrap();
        assert_eq!((nothing.nodes, nothing.resumed_nodes), (0, expected.nodes));
        let other = PropertyImport {
            files: files[1..].to_vec(),
            ..again
        };
        let refused = import(graph, &other, &Cancellation::new(), &|_| {});
        assert!(matches!(refused, Err(Error::Usage { .. })), "{refused:?}");
    }
}
