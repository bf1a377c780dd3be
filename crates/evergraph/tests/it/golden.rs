//! Databases as the current format version first wrote them, with what lies beside the
//! graph: imports that were killed, results, states of runs, sealed graphs. Every later
//! program must go on with them.
//!
//! `EVERGRAPH_WRITE_GOLDEN=1 cargo test -p evergraph --test it golden` writes them anew; only a new
//! format version may make that necessary, and then these stay beside the new.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use evergraph::formats::{Column, ColumnChoice, Format, Header, TimeUnit};
use evergraph::graph::StoredLists;
use evergraph::import::{Every, ImportControl, ImportOptions, ImportProgress, Series, import};
use evergraph::property::{self, Imported, PropertyImport};
use evergraph::run::{self, Durable};
use evergraph::{
    At, Cancellation, Control, Database, Error, IdKind, MediumKind, Mode, Options, Retention, Seal,
    maintain,
};
use tempfile::TempDir;

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// A copy of a golden database, with the files that it is imported from. `write` makes it in
/// an empty directory if it is to be written anew.
fn golden(name: &str, write: impl FnOnce(&Path)) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    if std::env::var_os("EVERGRAPH_WRITE_GOLDEN").is_some() {
        let fresh = tempfile::tempdir().unwrap();
        write(fresh.path());
        pack(fresh.path(), &stored(name));
    }
    unpack(&stored(name), place.path());
    place
}

/// Most of a log is zeros, which need no room in the repository.
fn pack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (path, is_directory) in entries(from) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if is_directory {
            pack(&path, &to.join(name));
            continue;
        }
        if name == "lock" {
            continue;
        }
        let packed = zstd::encode_all(&*fs::read(&path).unwrap(), 19).unwrap();
        fs::write(to.join(format!("{name}.zst")), packed).unwrap();
    }
}

fn unpack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (path, is_directory) in entries(from) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if is_directory {
            unpack(&path, &to.join(name));
            continue;
        }
        let bytes = zstd::decode_all(&*fs::read(&path).unwrap()).unwrap();
        fs::write(to.join(name.strip_suffix(".zst").unwrap()), bytes).unwrap();
    }
}

fn entries(directory: &Path) -> Vec<(PathBuf, bool)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let entries = entries.map(|entry| (entry.path(), entry.file_type().unwrap().is_dir()));
    entries.collect()
}

/// The files of a database as a kill leaves them.
fn kill(db: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (path, _) in entries(db) {
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

fn options() -> Options {
    Options {
        medium: MediumKind::File,
        log_bytes: 1 << 18,
        background: false,
        ..Options::default()
    }
}

// Edges.

const EDGES: usize = 60;

fn edge_files(place: &Path) -> Vec<PathBuf> {
    vec![place.join("edges.csv"), place.join("more edges.csv")]
}

/// Tables whose columns need choosing; the second has a bad line.
fn write_edge_files(place: &Path) {
    let row = |i: usize| {
        format!(
            "n{};{};n{};2024-01-{:02}\n",
            i % 7,
            i,
            i * i % 11,
            1 + i / 4
        )
    };
    let rows = |range: std::ops::Range<usize>| range.map(row).collect::<String>();
    let head = "from;weight;to;on the\tday\n";
    let [first, second] = &edge_files(place)[..] else {
        unreachable!()
    };
    fs::write(first, format!("{head}{}", rows(0..40))).unwrap();
    fs::write(second, format!("{head}{}n1;x\n", rows(40..EDGES))).unwrap();
}

/// Most of what can be chosen is not the default.
fn edge_import() -> ImportOptions {
    let column = |name: &str| Some(Column::Name(name.to_string()));
    ImportOptions {
        reading: evergraph::formats::Options {
            format: Some(Format::Csv),
            weighted: true,
            timestamps: true,
            time_unit: TimeUnit::Milliseconds,
            columns: ColumnChoice {
                source: column("from"),
                target: column("to"),
                weight: Some(Column::Index(1)),
                timestamp: column("on the\tday"),
            },
            header: Header::Present,
            separator: Some(b';'),
            comments: Some(false),
            skip_bad: 2,
            ..Default::default()
        },
        batch_edges: 5,
        snapshots: Some(Series {
            every: "7d".parse::<Every>().unwrap(),
            prefix: "week \"of\" ".to_string(),
        }),
        ..ImportOptions::default()
    }
}

fn import_edges(
    db: &Database,
    place: &Path,
    options: &ImportOptions,
    committed: &dyn Fn(ImportProgress),
) -> (u64, u64) {
    let control = ImportControl {
        cancellation: Cancellation::new(),
        progress: committed,
    };
    let report = import(db, &edge_files(place), options, &control).unwrap();
    (report.resumed_edges, report.edges)
}

fn edge_database() -> Options {
    Options {
        ids: IdKind::Texts,
        weighted: true,
        ..options()
    }
}

/// The same commits in the same order give the same lists.
fn lists(db: &Database) -> Vec<(String, Vec<(String, f32)>)> {
    let view = db.view();
    let list = |vertex| {
        let list = view.weighted_neighbors(vertex).unwrap().into_iter();
        let named = list.map(|(target, weight)| (db.vertex_name(target), weight));
        (db.vertex_name(vertex), named.collect())
    };
    (0..view.vertex_count() as u32).map(list).collect()
}

fn snapshots(db: &Database) -> Vec<(String, u64)> {
    let snapshots = db.snapshots().into_iter();
    snapshots.map(|s| (s.name, s.arc_count)).collect()
}

#[test]
fn golden_import_of_edges_goes_on() {
    let place = golden("v4-interrupted-import", |place| {
        write_edge_files(place);
        let path = place.join("whole");
        let db = Database::create(&path, &edge_database()).unwrap();
        let commits = Cell::new(0);
        import_edges(&db, place, &edge_import(), &|_| {
            commits.set(commits.get() + 1);
            if commits.get() == 3 {
                kill(&path, &place.join("db"));
            }
        });
        drop(db);
        fs::remove_dir_all(path).unwrap();
    });
    let place = place.path();
    let whole = Database::create(place.join("whole"), &edge_database()).unwrap();
    let none = import_edges(&whole, place, &edge_import(), &|_| {});
    assert_eq!(none, (0, EDGES as u64));
    let resume = ImportOptions {
        resume: true,
        ..edge_import()
    };
    let db = Database::open(place.join("db"), &edge_database()).unwrap();
    let (resumed, edges) = import_edges(&db, place, &resume, &|_| {});
    assert_eq!((resumed, resumed + edges), (15, EDGES as u64));
    assert_eq!(lists(&db), lists(&whole));
    assert_eq!(snapshots(&db), snapshots(&whole));
    assert!(snapshots(&db).len() > 2);
    let again = import_edges(&db, place, &resume, &|_| {});
    assert_eq!(again, (EDGES as u64, 0), "nothing is imported twice");
    assert_eq!(db.check().problems, Vec::<String>::new());
}

// Nodes and relationships.

fn graph_database() -> Options {
    Options {
        property_graph: true,
        ..options()
    }
}

/// CSV with Neo4j's header, without labels and types; JSON lines with them.
fn write_rows(place: &Path) -> PropertyImport {
    let (nodes, ties) = (place.join("nodes.csv"), place.join("ties.jsonl"));
    let row = |i: u32| format!("{i}|name {i}|{}\n", i * i % 90);
    let rows: String = (0..20).map(row).collect();
    fs::write(&nodes, format!(":ID|name|age:int\n{rows}")).unwrap();
    let tie = |i: u32| {
        format!(
            r#"{{"from":"{i}","to":"{}","props":{{"since":{i}}}}}"#,
            i * 7 % 20
        )
    };
    let ties_rows: Vec<String> = (0..20).map(tie).collect();
    fs::write(&ties, ties_rows.join("\n")).unwrap();
    PropertyImport {
        files: vec![nodes, ties],
        separator: Some(b'|'),
        label: Some("Per\"son".to_string()),
        relationship_type: Some("KNOWS".to_string()),
        rows_at_once: 4,
        ..PropertyImport::default()
    }
}

/// A mapping in which most of what a mapping can say is said.
fn write_tables(place: &Path) -> PropertyImport {
    let row = |i: u32| {
        format!(
            "{i};n\"{i};{};{};a,b;{}.5;{}\n",
            i % 3,
            i * 7 % 24,
            i,
            i % 4
        )
    };
    let rows: String = (0..24).map(row).collect();
    let head = "id;name;kind;knows;tags;size;team\n";
    fs::write(place.join("people.csv"), format!("{head}{rows}")).unwrap();
    fs::write(
        place.join("kinds.csv"),
        "code,name\n0,LIKES\n1,HATES\n2,KNOWS\n",
    )
    .unwrap();
    let mapping = r#"
infer = true
quotes = false
delimiter = ";"
list-delimiter = ","
[lookup.kinds]
file = "kinds.csv"
delimiter = ","
key = "code"
value = "name"
[[table]]
file = "people.csv"
label = ["Person", { column = "tags" }]
key = "id"
types = { tags = "string[]", size = "double" }
[[table.relationship]]
type = { column = "kind", lookup = "kinds" }
to = { Person = "knows" }
properties = ["size"]
[[table.relationship]]
type = "IN"
to = { Team = "team" }
[[table]]
file = "people.csv"
label = "Team"
key = "team"
merge = true
properties = "team"
"#;
    let path = place.join("people.toml");
    fs::write(&path, mapping).unwrap();
    PropertyImport {
        files: vec![path],
        rows_at_once: 5,
        ..PropertyImport::default()
    }
}

fn import_rows(db: &Database, options: &PropertyImport, committed: &dyn Fn(&Imported)) -> Imported {
    let graph = db.property_graph().unwrap();
    property::import(graph, options, &Cancellation::new(), committed).unwrap()
}

/// All nodes and relationships, as texts.
fn content(db: &Database) -> Vec<String> {
    let view = db.property_graph().unwrap().view();
    let nodes = view.nodes().map(|node| {
        let node = node.unwrap();
        let properties: Vec<_> = node.properties().collect();
        format!("{:?} {:?} {properties:?}", node.id(), node.labels())
    });
    let relationships = view.relationships().map(|relationship| {
        let it = relationship.unwrap();
        let properties: Vec<_> = it.properties().collect();
        format!(
            "{:?} {} {:?} {properties:?}",
            it.source(),
            it.kind(),
            it.target()
        )
    });
    nodes.chain(relationships).collect()
}

fn a_golden_import_of_rows_goes_on(
    name: &str,
    write: fn(&Path) -> PropertyImport,
    killed_after: u32,
    (nodes, relationships): (u64, u64),
) {
    let place = golden(name, |place| {
        let wanted = write(place);
        let path = place.join("whole");
        let db = Database::create(&path, &graph_database()).unwrap();
        let commits = Cell::new(0);
        import_rows(&db, &wanted, &|_| {
            commits.set(commits.get() + 1);
            if commits.get() == killed_after {
                kill(&path, &place.join("db"));
            }
        });
        drop(db);
        fs::remove_dir_all(path).unwrap();
    });
    let place = place.path();
    // The files are those of the golden database, and so read in the same way.
    let other = tempfile::tempdir().unwrap();
    let written = write(other.path());
    let files = written.files.iter();
    let wanted = PropertyImport {
        files: files
            .map(|file| place.join(file.file_name().unwrap()))
            .collect(),
        ..written
    };
    let whole = Database::create(place.join("whole"), &graph_database()).unwrap();
    let all = import_rows(&whole, &wanted, &|_| {});
    assert_eq!((all.nodes, all.relationships), (nodes, relationships));
    let db = Database::open(place.join("db"), &graph_database()).unwrap();
    let resume = PropertyImport {
        resume: true,
        ..wanted
    };
    let done = import_rows(&db, &resume, &|_| {});
    assert!(done.resumed_nodes > 0 && done.resumed_relationships > 0);
    assert_eq!(done.resumed_nodes + done.nodes, nodes);
    assert_eq!(
        done.resumed_relationships + done.relationships,
        relationships
    );
    assert_eq!(content(&db), content(&whole));
    let again = import_rows(&db, &resume, &|_| {});
    assert_eq!((again.nodes, again.relationships), (0, 0));
    assert_eq!(db.check().problems, Vec::<String>::new());
}

#[test]
fn golden_import_of_rows_goes_on() {
    // Five commits are of nodes.
    a_golden_import_of_rows_goes_on("v4-interrupted-rows", write_rows, 6, (20, 20));
}

#[test]
fn golden_import_of_tables_goes_on() {
    // Ten commits are of nodes.
    let counts = (24 + 4, 2 * 24);
    a_golden_import_of_rows_goes_on("v4-interrupted-tables", write_tables, 13, counts);
}

// Files beside the graph.

fn request(algorithm: &str, parameters: &[(&str, &str)], durable: Durable) -> run::Request {
    let owned = |&(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    run::Request {
        algorithm: algorithm.to_string(),
        parameters: parameters.iter().map(owned).collect(),
        threads: Some(1),
        durable,
        ..run::Request::default()
    }
}

fn keep(name: &str) -> Durable {
    Durable {
        keep: Some(name.to_string()),
        ..Durable::default()
    }
}

fn run_now(db: &Database, request: &run::Request) -> Result<run::Outcome, Error> {
    let view = run::view(db, request, None)?;
    run::run(db, &view, request, &Control::new(), None)
}

const PAGERANK: [(&str, &str); 2] = [("iterations", "20"), ("tolerance", "0")];

/// The run whose state is kept.
fn unfinished() -> run::Request {
    let durable = Durable {
        checkpoint_every: Some(1),
        name: Some("half".to_string()),
        keep: Some("whole".to_string()),
        ..Durable::default()
    };
    request("pagerank", &PAGERANK, durable)
}

fn upkeep() -> Options {
    Options {
        direction: StoredLists::Undirected,
        ids: IdKind::Numbers,
        ..options()
    }
}

/// Results, a state, a maintained result, a sealed graph, rules of retention, snapshots, and
/// commits that are only in the log.
fn write_upkeep(place: &Path) {
    let db = Database::create(place, &upkeep()).unwrap();
    let ring = |step: u32| -> Vec<(u32, u32)> { (0..24).map(|v| (v, (v + step) % 24)).collect() };
    let mut batch = evergraph::Batch::new();
    let ids = (100..124).collect();
    batch.assign_ids(evergraph::ExternalIds::Numbers { first: 0, ids });
    db.commit(batch).unwrap();
    db.insert_edges(&ring(1)).unwrap();
    db.checkpoint().unwrap();
    db.create_snapshot("ring", Some(7)).unwrap();
    db.seal(&db.view(), &Seal::default(), &Control::new())
        .unwrap();
    run_now(&db, &request("bfs", &[("source", "103")], keep("far"))).unwrap();
    run_now(&db, &request("connected-components", &[], keep("parts"))).unwrap();
    let maintained = maintain::Request {
        name: "upkept".to_string(),
        algorithm: "pagerank".to_string(),
        threads: Some(1),
        ..maintain::Request::default()
    };
    db.maintain(&maintained, &Control::new()).unwrap();
    let stop = Cancellation::new();
    let show = |progress: evergraph::algorithms::Progress| {
        if progress.unit == "iterations" && progress.done >= 4 {
            stop.cancel();
        }
    };
    let control = Control::new().with_cancellation(&stop).with_progress(&show);
    let wanted = unfinished();
    let view = run::view(&db, &wanted, None).unwrap();
    let cut = run::run(&db, &view, &wanted, &control, None);
    assert!(matches!(cut, Err(Error::Interrupted { .. })), "{cut:?}");
    db.set_retention(&Retention {
        last: Some(3),
        within: Some("2mo".parse().unwrap()),
        names: vec!["ri*".to_string()],
    })
    .unwrap();
    db.insert_edges(&ring(5)).unwrap();
}

#[test]
fn golden_results_and_states_go_on() {
    let place = golden("v4-upkeep", |place| write_upkeep(&place.join("db")));
    let db = Database::open(place.path().join("db"), &upkeep()).unwrap();
    assert_eq!(db.check().problems, Vec::<String>::new());
    assert_eq!(db.view().edge_count().unwrap(), 48);
    assert_eq!(
        db.retention().unwrap().to_string(),
        "the last 3, those of the last 2mo, `ri*`"
    );
    // Requests of the same parameters are answered by what was kept.
    let ring = db.as_of(&At::Name("ring".to_string())).unwrap();
    for (wanted, kept) in [
        (
            request("bfs", &[("source", "103")], Durable::default()),
            "far",
        ),
        (
            request("connected-components", &[], Durable::default()),
            "parts",
        ),
    ] {
        let read = run::run(&db, &ring, &wanted, &Control::new(), None).unwrap();
        assert_eq!(read.kept.as_deref(), Some(kept));
    }
    // The run goes on from its state, on the graph that it began with.
    let resume = run::Request {
        durable: Durable {
            resume: true,
            ..unfinished().durable
        },
        ..unfinished()
    };
    let ended = run_now(&db, &resume).unwrap();
    let from = ended.checkpointing.unwrap().resumed_step;
    assert!((3..20).contains(&from), "{from}");
    let anew = request(
        "pagerank",
        &[&PAGERANK[..], &[("verify", "true")]].concat(),
        Durable::default(),
    );
    let anew = run::run(&db, &ring, &anew, &Control::new(), None).unwrap();
    assert_eq!((&ended.values, ended.kept), (&anew.values, None));
    // The maintained result follows.
    assert_eq!(db.maintained().unwrap(), ["upkept"]);
    let mut follower = db.follow_existing("upkept", Some(1)).unwrap();
    let followed = follower.update(&Control::new()).unwrap();
    assert_eq!(followed.changes, 48);
    // The sealed graph is read.
    let names: Vec<String> = db
        .sealed_graphs()
        .iter()
        .map(|sealed| sealed.name.to_string())
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let wanted = request("triangles", &[("graph", "sealed")], Durable::default());
    let read = run::run(&db, &ring, &wanted, &Control::new(), None).unwrap();
    assert_eq!(
        read.prepared.map(|made| made.what.to_string()),
        Some("stored sealed graph \"sorted\" (sorted)".to_string())
    );
    db.checkpoint().unwrap();
    assert_eq!(db.check().problems, Vec::<String>::new());
    db.close().unwrap();
}

/// In direct mode edges are written in place; the database was not closed.
#[test]
fn golden_direct_mode_goes_on() {
    let wanted = Options {
        medium: MediumKind::Dax,
        assume_persistent: true,
        mode: Mode::Direct,
        ..options()
    };
    let place = golden("v4-direct", |place| {
        let path = place.join("whole");
        let db = Database::create(&path, &wanted).unwrap();
        for i in 0..40 {
            db.insert_edges(&[(i % 5, i), (i, 2 * i)]).unwrap();
        }
        db.delete_edges(&[(1, 6)]).unwrap();
        kill(&path, &place.join("db"));
        drop(db);
        fs::remove_dir_all(path).unwrap();
    });
    let db = Database::open(place.path().join("db"), &wanted).unwrap();
    assert_eq!(db.check().problems, Vec::<String>::new());
    assert_eq!(db.view().edge_count().unwrap(), 79);
    assert_eq!(
        db.view().neighbors(1).unwrap(),
        [1, 2, 11, 16, 21, 26, 31, 36]
    );
    db.insert_edges(&[(1, 6)]).unwrap();
    assert_eq!(db.view().edge_count().unwrap(), 80);
    db.close().unwrap();
}
