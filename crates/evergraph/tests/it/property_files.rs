//! Files of nodes and relationships into a database: what bad rows do, and what is
//! known of them.

use std::path::{Path, PathBuf};

use crate::common::{Place, bad, content, database, import_in_pieces};
use evergraph::property::{
    Census, Definition, FileKind, GraphError, Imported, PropertyGraph, PropertyImport, Rule, import,
};
use evergraph::{Cancellation, Database, Error, Options};

fn run(graph: &PropertyGraph, files: &[&Path], skip_bad: u64) -> Result<Imported, Error> {
    let options = PropertyImport {
        files: files.iter().map(|file| file.to_path_buf()).collect(),
        skip_bad,
        rows_at_once: 0,
        ..PropertyImport::default()
    };
    import(graph, &options, &Cancellation::new(), &|_| {})
}

/// As [`run`], with as many rows in a transaction as there can be.
fn run_at_once(graph: &PropertyGraph, files: &[&Path], skip_bad: u64) -> Result<Imported, Error> {
    let options = PropertyImport {
        files: files.iter().map(|file| file.to_path_buf()).collect(),
        skip_bad,
        ..PropertyImport::default()
    };
    import(graph, &options, &Cancellation::new(), &|_| {})
}

/// So many rows of these files in a commit, whatever is wrong with others.
fn in_portions(files: &[PathBuf], rows_at_once: usize) -> PropertyImport {
    PropertyImport {
        files: files.to_vec(),
        skip_bad: 1000,
        rows_at_once,
        ..PropertyImport::default()
    }
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
    // One that is larger than the log is taken.
    assert_eq!((imported.nodes, imported.relationships), (98, 1));
    let found = bad(&imported);
    let lines: Vec<&str> = found
        .iter()
        .filter_map(|bad| bad.split(": ").next())
        .collect();
    let expected = ["people.jsonl:8", "people.jsonl:41", "people.jsonl:101"];
    assert_eq!(lines, expected, "{found:?}");
    assert!(
        found[0].contains("two nodes Person have the same name 'p3' (node 3 and node 7)"),
        "{found:?}"
    );
    assert!(found[1].contains("70000 bytes"), "{found:?}");
    assert_eq!(Census::of(&graph.view()).unwrap().nodes, 98);
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
    // The unreadable line comes after the first check of whether to stop.
    let file = place.file("nodes.csv", format!(":ID,age:int\n{rows}\"never ends\n"));
    let options = PropertyImport {
        files: vec![file],
        ..PropertyImport::default()
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
    let by_transactions = in_portions(&files, 100);
    let expected = import(whole, &by_transactions, &Cancellation::new(), &|_| {}).unwrap();
    let options = Options {
        property_graph: true,
        ..Options::default()
    };
    for (rows_at_once, cut_every) in [(300, 2), (700, 1), (10_000, 1)] {
        let path = place.0.path().join(format!("bulk-{rows_at_once}"));
        drop(Database::create(&path, &options).unwrap());
        let pieces = in_portions(&files, rows_at_once);
        let (last, runs) = import_in_pieces(&path, &options, &pieces, cut_every);
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
        let pieces = in_portions(&files, rows_at_once);
        let (last, runs) = import_in_pieces(&path, &options, &pieces, cut_every);
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
        // A finished import does nothing when it is resumed.
        let again = PropertyImport {
            files: files.clone(),
            rows_at_once,
            resume: true,
            ..PropertyImport::default()
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

#[test]
fn a_row_that_was_repaired_is_in_after_the_import_went_on() {
    let place = Place::new();
    let nodes = place.file("nodes.csv", ":ID,name\naa,a\nbb,b\n");
    // The bad row is behind what the files are compared by.
    let rows = "aa,bb,KNOWS\n".repeat(9000);
    let edges = |end: &str| format!(":START_ID,:END_ID,:TYPE\n{rows}aa,{end},KNOWS\n{rows}");
    let files = vec![nodes, place.file("edges.csv", edges("zz"))];
    for rows_at_once in [100, PropertyImport::ROWS_AT_ONCE] {
        place.file("edges.csv", edges("zz"));
        let db = database();
        let graph = db.property_graph().unwrap();
        let options = PropertyImport {
            files: files.clone(),
            rows_at_once,
            resume: true,
            ..PropertyImport::default()
        };
        let refused = import(graph, &options, &Cancellation::new(), &|_| {});
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("edges.csv:9002: ")
        );
        place.file("edges.csv", edges("bb"));
        let imported = import(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
        assert_eq!(
            imported.relationships + imported.resumed_relationships,
            18_001
        );
        assert_eq!(Census::of(&graph.view()).unwrap().relationships, 18_001);
    }
}

#[test]
fn large_rows_are_committed_before_there_are_many() {
    let place = Place::new();
    let text = "x".repeat(1 << 20);
    let row = |i: usize| format!("{{\"id\":{i},\"label\":\"A\",\"props\":{{\"t\":\"{text}\"}}}}\n");
    let file = place.file("large.jsonl", (0..40).map(row).collect::<String>());
    let options = Options {
        log_bytes: 64 << 20,
        medium: evergraph::MediumKind::Dram,
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create("anywhere", &options).unwrap();
    let steps = std::cell::RefCell::new(Vec::new());
    let note = |done: &Imported| steps.borrow_mut().push(done.nodes);
    let options = PropertyImport {
        files: vec![file],
        ..PropertyImport::default()
    };
    import(
        db.property_graph().unwrap(),
        &options,
        &Cancellation::new(),
        &note,
    )
    .unwrap();
    assert_eq!(steps.into_inner(), [0, 16, 32, 40]);
}

#[test]
fn what_an_import_kept_of_many_commits_is_forgotten_in_a_small_log() {
    let place = Place::new();
    let rows: String = (0..30_000).map(|i| format!("{i}\n")).collect();
    let file = place.file("nodes.csv", format!(":ID\n{rows}"));
    let db = database();
    let graph = db.property_graph().unwrap();
    let options = PropertyImport {
        files: vec![file],
        rows_at_once: 1,
        ..PropertyImport::default()
    };
    let imported = import(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
    assert_eq!(imported.nodes, 30_000);
}

#[test]
fn a_file_is_read_once_and_what_an_export_left_is_not() {
    let place = Place::new();
    let nodes = place.file("all/nodes.csv", ":ID,name\na,a\n");
    place.file("all/nodes.csv.partial", ":ID,name\nb,b\n");
    let all = nodes.parent().unwrap();
    let db = database();
    let imported = run(db.property_graph().unwrap(), &[&nodes, all, &nodes], 0).unwrap();
    assert_eq!(
        (imported.nodes, imported.files, imported.ignored.len()),
        (1, 1, 1)
    );
}
