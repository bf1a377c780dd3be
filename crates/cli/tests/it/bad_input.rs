//! Errors: wrong input, and the texts that the program has for it.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::common::Place;
use expect_test::expect_file;
use serde_json::json;

/// Calls that fail. What they say stands in `pins/failures.txt`; `make bless` writes it anew.
const FAILURES: &[(&str, &str)] = &[
    ("a malformed line", "import new bad.txt"),
    (
        "more malformed lines than are tolerated",
        "import new bad.txt --skip-bad 1",
    ),
    (
        "an id beyond the dense ones",
        "import new good.txt large.txt --ids dense",
    ),
    ("no such file", "import new missing.txt"),
    ("a directory instead of a file", "import new ."),
    (
        "a file that cannot be read here",
        "import new good.txt --format xlsx",
    ),
    ("a database that exists", "import db good.txt"),
    (
        "resuming what was never begun",
        "import db other.txt --resume",
    ),
    (
        "another direction than the database's",
        "import db other.txt --append --undirected",
    ),
    ("a directory with other things in it", "import . good.txt"),
    ("no database", "stats nowhere"),
    ("a file in the place of a database", "stats good.txt"),
    (
        "times of lines that have none",
        "import new good.txt --snapshot-every 1d",
    ),
    ("texts beside numbers", "import db texts.txt --append"),
    (
        "a name that is taken",
        "index taken create names --label B --key b",
    ),
    ("a directory that is no database", "run empty bfs"),
    ("a misspelt algorithm", "run db pagernak"),
    ("a misspelt parameter", "run db pr --param dampning=0.5"),
    ("a value out of range", "run db pr --param damping=2"),
    ("a vertex that does not exist", "run db bfs --source 99"),
    ("no seeds", "run db influence-maximization --param k=0"),
    (
        "more seeds than vertices",
        "run db influence-maximization --param k=4",
    ),
    (
        "a weight that is no probability",
        "run weighted influence-maximization --param probabilities=weights",
    ),
    (
        "sketches that are too large",
        "run db influence-maximization --param k=1 --param sketch-bytes=100",
    ),
    (
        "more sources than candidates",
        "run db rumor-sources --param k=2 --param infected=1 --param candidates=infected",
    ),
    (
        "an infected vertex that does not exist",
        "run db rumor-sources --param infected-file=infected.txt",
    ),
    (
        "a file without infected vertices",
        "run db rumor-sources --param infected-file=nobody.txt",
    ),
    (
        "no file of infected vertices",
        "run db rumor-sources --param infected-file=missing.txt",
    ),
    (
        "a negative length",
        "run negative rumor-sources --param distances=weights",
    ),
    (
        "an output file in no directory",
        "run db bfs -o nowhere/out.txt",
    ),
    ("deleting with a bad file", "delete-edges db bad.txt"),
    ("the process's own medium", "stats db --medium dram"),
    ("an unknown latency profile", "stats db --emulated=fast"),
];

fn place() -> Place {
    let place = Place::new();
    place.file("good.txt", "0 1\n1 2\n");
    place.file("other.txt", "2 0\n");
    place.file("bad.txt", "0 1\n1 2\nx 3\n2 0\n5\n");
    place.file("large.txt", "0 1\n1 4000000000\n");
    place.file("texts.txt", "ann bob\n");
    let text: String = (0..5000)
        .map(|i| format!("{i} {}\n", i * 7 % 5000))
        .collect();
    let compressed = crate::common::gzip(text.as_bytes(), &place.path("."));
    place.file("cut.gz", &compressed[..compressed.len() / 2]);
    std::fs::create_dir(place.path("empty")).expect("a directory");
    place.file("infected.txt", "0\n\n99\n");
    place.file("nobody.txt", "\n");
    place.file("chances.txt", "0 1 0.5\n1 2 1.5\n");
    place.file("lengths.txt", "0 1 0.5\n1 2 -1\n");
    // Small logs: every test has databases of its own.
    place.json("import db --log-mib 1 good.txt");
    place.json("import weighted --log-mib 1 chances.txt --weighted");
    place
        .call_with(&["query", "taken", "--create", "CREATE (:A {a: 1})"])
        .expect(0);
    place.json("index taken create names --label A --key a");
    place.json("import negative --log-mib 1 lengths.txt --weighted");
    place
}

#[test]
fn failures_say_what_and_what_to_do() {
    let place = place();
    let mut text = String::new();
    for (name, arguments) in FAILURES {
        text += &format!("# {name}\n{}\n", place.failures(&[arguments]));
        // A failed import into a new database leaves nothing behind.
        assert!(!place.path("new").exists(), "{name}");
        let as_json = place.call(&format!("--json {arguments}"));
        assert!(matches!(as_json.code, Some(1 | 2)), "{as_json:#?}");
        let value = as_json.json();
        assert!(
            value["error"].is_string() && value["hint"].is_string(),
            "{value}"
        );
    }
    expect_file!["pins/failures.txt"].assert_eq(&text);
    // Behind which line depends on the gzip of the machine.
    let cut = place.call("import new cut.gz");
    cut.expect(1);
    assert!(cut.error().contains("the gzip data is cut off"), "{cut:#?}");
    assert_eq!(place.json("stats db")["edges"], 2);
    assert_eq!(place.json("check db")["ok"], true);
}

#[test]
fn wrong_usage_has_its_own_code() {
    let place = Place::new();
    for arguments in [
        "",
        "import",
        "frobnicate",
        "generate kron -o x",
        "run",
        "run db",
        "bench",
    ] {
        let outcome = place.call(arguments);
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    }
}

#[test]
fn benchmarks_are_found_where_they_are() {
    let place = Place::new();
    for arguments in ["bench ingest --scale 12", "--json bench ingest --scale 12"] {
        let outcome = place.call(arguments);
        outcome.expect(2);
        let program = "--bin evergraph-bench -- ingest --scale 12";
        assert!(outcome.hint().ends_with(program), "{outcome:#?}");
    }
    assert!(!place.call("help").stdout.contains("bench"));
}

#[test]
fn bad_lines_are_skipped_and_named_when_asked() {
    let place = place();
    let outcome = place.call("--json import new bad.txt --skip-bad 2");
    outcome.expect(0);
    assert_eq!(outcome.json()["skipped_lines"], 2);
    assert_eq!(outcome.json()["edges"], 3);
    assert!(
        outcome.stderr.contains("skipped: bad.txt:3"),
        "{outcome:#?}"
    );
    assert!(
        outcome.stderr.contains("skipped: bad.txt:5"),
        "{outcome:#?}"
    );
}

#[test]
fn a_second_writer_is_refused_with_the_pid() {
    let place = place();
    let db = evergraph::Database::open(place.path("db"), &evergraph::Options::default())
        .expect("the database opens");
    let pid = format!("pid {}", std::process::id());
    for arguments in [
        "import db other.txt --append",
        "delete-edges db other.txt",
        "run db cc --keep parts",
    ] {
        let outcome = place.call(arguments);
        outcome.expect(1);
        assert!(outcome.error().contains(&pid), "{outcome:#?}");
        assert!(
            outcome.hint().contains("close it there first"),
            "{outcome:#?}"
        );
    }
    // As if a process that was killed had left it.
    std::fs::remove_file(place.path("db").join("lock")).expect("there is one");
    for arguments in ["import db other.txt --append", "compact db"] {
        let outcome = place.call(arguments);
        outcome.expect(1);
        assert!(outcome.error().contains("open for writing"), "{outcome:#?}");
    }
    db.close().expect("it closes");
    place.json("import db other.txt --append");
}

/// Each says as of which commit it is.
#[test]
fn what_reads_reads_beside_a_process_that_writes() {
    let place = place();
    place.json("run db cc --keep parts");
    place.json("snapshot db create before");
    // At rest, the background thread would show the last commit, too.
    let options = evergraph::Options {
        background: false,
        ..evergraph::Options::default()
    };
    let db = evergraph::Database::open(place.path("db"), &options).expect("the database opens");
    let before = db.view().csn();
    db.insert_edges(&[(0, 1)]).expect("inserted");
    db.checkpoint().expect("merged");
    db.insert_edges(&[(0, 2)]).expect("inserted");
    db.insert_edges(&[(0, 3)]).expect("inserted");
    let told = format!(
        "note: another process is writing the database; this shows commit {}",
        before + 2
    );
    for arguments in [
        "stats db",
        "check db",
        "run db cc -o -",
        "run db bfs --source 0 -o -",
        "export db out.txt",
        "show db neighbors 0",
        "snapshot db list",
        "snapshot db diff before",
        "results db list",
        "results db show parts",
        "plot degrees db -o plot.svg",
    ] {
        let outcome = place.call(arguments);
        outcome.expect(0);
        assert!(outcome.stderr.contains(&told), "{outcome:#?}");
    }
    let stats = place.json("stats db");
    assert_eq!(stats["beside_writer"], true);
    assert_eq!(stats["csn"], before + 2);
    db.close().expect("it closes");
    let stats = place.json("stats db");
    assert_eq!(stats["beside_writer"], false);
    assert_eq!(stats["csn"], before + 3);
}

#[test]
fn readers_keep_no_writer_out() {
    let place = place();
    let options = evergraph::Options {
        read_only: true,
        ..evergraph::Options::default()
    };
    let db = evergraph::Database::open(place.path("db"), &options).expect("the database opens");
    let edges = db.view().edge_count().expect("counted");
    place.json("import db other.txt --append");
    place.json("compact db");
    assert_eq!(db.view().edge_count().expect("counted"), edges);
}

/// By a user who may read the files, and not write them or the directory.
#[test]
fn reading_needs_no_permission_to_write() {
    let place = place();
    place.json("run db cc --keep parts");
    let allow = |path: PathBuf, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, permissions).expect("it is ours");
    };
    for entry in std::fs::read_dir(place.path("db")).expect("readable") {
        allow(entry.expect("readable").path(), 0o444);
    }
    allow(place.path("db"), 0o555);
    allow(place.path("."), 0o755);
    let user = place.unprivileged();
    let reading = [
        "--json stats db",
        "check db",
        "run db cc -o -",
        "run db bfs --source 0 -o -",
        "results db show parts",
    ];
    for arguments in reading {
        user(arguments).expect(0);
    }
    let refused = user("import db other.txt --append");
    refused.expect(1);
    assert!(refused.error().contains("ermission denied"), "{refused:#?}");
    // Beside a writer, too.
    allow(place.path("db"), 0o755);
    let options = evergraph::Options::default();
    let db = evergraph::Database::open(place.path("db"), &options);
    if let Ok(db) = &db {
        db.insert_edges(&[(0, 1)]).expect("inserted");
    }
    for arguments in reading {
        user(arguments).expect(0);
    }
}

/// A flipped bit in the pool is told or does no harm.
#[test]
fn a_flipped_bit_gives_no_wrong_answer() {
    let place = place();
    let pool = place.path("db").join("pool");
    let sound = std::fs::read(&pool).expect("the pool is readable");
    for offset in (0..64).chain((64..sound.len()).step_by(509)) {
        let mut flipped = sound.clone();
        flipped[offset] ^= 0x40;
        std::fs::write(&pool, &flipped).expect("the pool is writable");
        let outcome = place.call("--json check db");
        match outcome.code {
            Some(0) => assert_eq!(outcome.json()["entries"], 2, "{offset}: {outcome:#?}"),
            Some(1) => {}
            _ => panic!("{offset}: {outcome:#?}"),
        }
        let outcome = place.call("run db bfs --source 0 -o -");
        match outcome.code {
            Some(0) => assert_eq!(outcome.stdout, "0 0\n1 1\n2 2\n", "{offset}"),
            Some(1) => assert!(!outcome.error().is_empty(), "{offset}: {outcome:#?}"),
            _ => panic!("{offset}: {outcome:#?}"),
        }
    }
}

#[test]
fn a_newer_format_is_told_as_such() {
    const SLOT_BYTES: usize = 512;
    let place = place();
    let pool = place.path("db").join("pool");
    let mut bytes = std::fs::read(&pool).expect("the pool is readable");
    let half = bytes.len() / 2;
    let newer = 1 + u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
    for slot in bytes.chunks_exact_mut(half) {
        slot[8..12].copy_from_slice(&newer.to_le_bytes());
        let sum = crc32c::crc32c(&slot[..SLOT_BYTES - 4]);
        slot[SLOT_BYTES - 4..SLOT_BYTES].copy_from_slice(&sum.to_le_bytes());
    }
    std::fs::write(&pool, &bytes).expect("the pool is writable");
    for arguments in [
        "stats db",
        "check db",
        "run db bfs",
        "import db other.txt --append",
    ] {
        let outcome = place.call(arguments);
        outcome.expect(1);
        let told = format!("format {newer} is newer");
        assert!(outcome.error().contains(&told), "{outcome:#?}");
        assert!(outcome.hint().contains("newer Evergraph"), "{outcome:#?}");
    }
}

#[test]
fn truncated_files_are_told() {
    let place = place();
    for file in ["pool", "log", "extents"] {
        let path = place.path("db").join(file);
        let sound = std::fs::read(&path).expect("readable");
        std::fs::write(&path, &sound[..sound.len() / 3]).expect("writable");
        let outcome = place.call("--json check db");
        if outcome.code == Some(0) {
            assert_eq!(outcome.json()["entries"], 2, "{file}: {outcome:#?}");
        } else {
            outcome.expect(1);
            let said = outcome.json();
            assert!(
                said["ok"] == json!(false) || said["error"].is_string(),
                "{file}: {said}"
            );
        }
        std::fs::write(&path, &sound).expect("writable");
    }
    assert_eq!(place.json("check db")["ok"], true);
}

/// A command that is refused changes nothing, and is no crash.
#[test]
fn a_refused_command_leaves_a_database_that_was_closed() {
    let place = place();
    place.file(
        "people.jsonl",
        "{\"type\":\"node\",\"id\":\"a\",\"labels\":[\"P\"]}\n",
    );
    place.json("import graph people.jsonl");
    place.file("broken.txt", "x 1\n");
    for (db, arguments) in [
        ("db", "shell db"),
        ("db", "query db -"),
        ("db", "index db create a --label P --key k"),
        ("db", "maintain db nope"),
        ("db", "import db other.txt"),
        ("db", "import db people.jsonl --append"),
        ("db", "import db missing.txt --append"),
        ("db", "import db broken.txt --append"),
        ("db", "results db drop nope"),
        ("db", "seal db --drop"),
        ("db", "run db bfs --source 99 --keep a"),
        ("db", "snapshot db drop nope"),
        ("graph", "import graph other.txt --append"),
        ("graph", "import graph people.jsonl"),
        ("graph", "maintain graph pagerank"),
        ("graph", "seal graph"),
        ("graph", "run graph pagerank --labels Nope --write rank"),
    ] {
        let outcome = place.call(arguments);
        assert!(matches!(outcome.code, Some(1 | 2)), "{outcome:#?}");
        let stats = place.call(&format!("stats {db}"));
        assert!(stats.stdout.contains("in order"), "{arguments}: {stats:#?}");
    }
}

/// Without a commit nothing stays, and no disk is full.
#[test]
fn a_missing_file_is_told_as_such() {
    let place = place();
    for arguments in [
        "import db missing.txt --append",
        "import db missing.txt --resume",
        "import db missing.jsonl --append",
        "import db --nodes P=missing.csv --append",
    ] {
        let outcome = place.call(arguments);
        outcome.expect(1);
        assert!(outcome.error().ends_with(": no such file"), "{outcome:#?}");
        assert_eq!(outcome.hint(), "check the path");
        assert_eq!(outcome.stderr.lines().count(), 2, "{outcome:#?}");
    }
    place.file("broken.txt", "x 1\n");
    let outcome = place.call("import db broken.txt --append");
    outcome.expect(1);
    assert!(!outcome.stderr.contains("was committed"), "{outcome:#?}");
}

#[test]
fn parameters_and_databases_in_the_wrong_place_are_told() {
    let place = place();
    for (call, error, hint) in [
        (
            "run db pagerank --damping 0.5",
            "unexpected argument '--damping'",
            "parameters of algorithms are given as --param damping=VALUE",
        ),
        (
            "run db pagerank --iterations 5",
            "unexpected argument '--iterations'",
            "parameters of algorithms are given as --param iterations=VALUE",
        ),
        (
            "run pagerank db",
            "db is a directory, and no algorithm",
            "the database comes first: evergraph run db pagerank",
        ),
        ("run db db", "unknown algorithm", "run --list"),
        (
            "run db pagerank --dampening 1",
            "unexpected argument",
            "Usage: ",
        ),
    ] {
        let outcome = place.call(call);
        outcome.expect(2);
        assert!(outcome.stderr.contains(error), "{outcome:#?}");
        assert!(outcome.stderr.contains(hint), "{outcome:#?}");
    }
}

/// A hint names something that helps.
#[test]
fn hints_lead_somewhere() {
    let place = place();
    place.file("people.csv", "id;name\n1;a\n");
    let outcome = place.call("import graph --nodes P=people.csv");
    outcome.expect(1);
    assert!(
        outcome.hint().contains("what flags say of it"),
        "{outcome:#?}"
    );
    place
        .call_with(&["query", "graph", "CREATE (:A)", "--create"])
        .expect(0);
    let options = evergraph::Options::default();
    let db = evergraph::Database::open(place.path("graph"), &options).expect("it opens");
    let second = place.call_with(&["query", "graph", "CREATE (:A)"]);
    second.expect(1);
    assert!(second.error().contains("pid"), "{second:#?}");
    assert!(!second.stderr.contains("note:"), "{second:#?}");
    db.close().expect("it closes");
    std::fs::remove_file(place.path("db/extents")).expect("there is one");
    let checked = place.call("check db");
    checked.expect(1);
    assert!(
        checked.hint().starts_with("nothing was checked: "),
        "{checked:#?}"
    );
}
