//! What goes wrong, and what the program says then.

use crate::common::Place;
use serde_json::json;

struct Case {
    name: &'static str,
    arguments: &'static str,
    code: i32,
    /// Parts of the `error:` line.
    error: &'static [&'static str],
    /// A part of the `hint:` line.
    hint: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "a malformed line",
        arguments: "import new bad.txt",
        code: 1,
        error: &["bad.txt:3", "x"],
        hint: "--ids map",
    },
    Case {
        name: "more malformed lines than are tolerated",
        arguments: "import new bad.txt --skip-bad 1",
        code: 1,
        error: &["more than 1 malformed", "bad.txt:5"],
        hint: "--skip-bad",
    },
    Case {
        name: "an id beyond the dense ones",
        arguments: "import new good.txt large.txt",
        code: 1,
        error: &["large.txt:2", "4000000000", "1073741822"],
        hint: "--ids map",
    },
    Case {
        name: "a file that was cut off",
        arguments: "import new cut.gz",
        code: 1,
        error: &["cut.gz", "cut off"],
        hint: "again",
    },
    Case {
        name: "no such file",
        arguments: "import new missing.txt",
        code: 1,
        error: &["missing.txt", "no such file"],
        hint: "path",
    },
    Case {
        name: "a directory instead of a file",
        arguments: "import new .",
        code: 1,
        error: &["directory"],
        hint: "files",
    },
    Case {
        name: "a file that cannot be read here",
        arguments: "import new good.txt --format xlsx",
        code: 2,
        error: &["xlsx"],
        hint: "",
    },
    Case {
        name: "a database that exists",
        arguments: "import db good.txt",
        code: 1,
        error: &["database at db already"],
        hint: "--append",
    },
    Case {
        name: "resuming what was never begun",
        arguments: "import db other.txt --resume",
        code: 1,
        error: &["no interrupted import of these files"],
        hint: "--append",
    },
    Case {
        name: "another direction than the database's",
        arguments: "import db other.txt --append --undirected",
        code: 1,
        error: &["direction"],
        hint: "new database",
    },
    Case {
        name: "a directory with other things in it",
        arguments: "import . good.txt",
        code: 1,
        error: &["not part of a database"],
        hint: "empty directory",
    },
    Case {
        name: "no database",
        arguments: "stats nowhere",
        code: 1,
        error: &["no database at nowhere"],
        hint: "evergraph import",
    },
    Case {
        name: "a directory that is no database",
        arguments: "run empty bfs",
        code: 1,
        error: &["not an Evergraph database"],
        hint: "evergraph import",
    },
    Case {
        name: "a misspelt algorithm",
        arguments: "run db pagernak",
        code: 2,
        error: &["unknown algorithm \"pagernak\""],
        hint: "`pagerank`",
    },
    Case {
        name: "a misspelt parameter",
        arguments: "run db pr --param dampning=0.5",
        code: 2,
        error: &["pagerank has no parameter \"dampning\""],
        hint: "`damping`",
    },
    Case {
        name: "a value out of range",
        arguments: "run db pr --param damping=2",
        code: 2,
        error: &["damping", "\"2\""],
        hint: "from 0 to below 1",
    },
    Case {
        name: "a vertex that does not exist",
        arguments: "run db bfs --source 99",
        code: 1,
        error: &["no vertex \"99\""],
        hint: "from 0 to 2",
    },
    Case {
        name: "no seeds",
        arguments: "run db influence-maximization --param k=0",
        code: 2,
        error: &["`k`", "\"0\""],
        hint: "from 1 to",
    },
    Case {
        name: "more seeds than vertices",
        arguments: "run db influence-maximization --param k=4",
        code: 1,
        error: &["4 seeds", "only 3 vertices"],
        hint: "run --list",
    },
    Case {
        name: "a weight that is no probability",
        arguments: "run weighted influence-maximization --param probabilities=weights",
        code: 1,
        error: &["the edge from 1 to 2", "weight 1.5"],
        hint: "from 0 to 1",
    },
    Case {
        name: "sketches that are too large",
        arguments: "run db influence-maximization --param k=1 --param sketch-bytes=100",
        code: 1,
        error: &["sketches", "more than 100 bytes"],
        hint: "",
    },
    Case {
        name: "more sources than candidates",
        arguments: "run db rumor-sources --param k=2 --param infected=1 --param candidates=infected",
        code: 1,
        error: &["2 sources", "only 1 vertices"],
        hint: "run --list",
    },
    Case {
        name: "an infected vertex that does not exist",
        arguments: "run db rumor-sources --param infected-file=infected.txt",
        code: 1,
        error: &["infected.txt:3", "no vertex \"99\""],
        hint: "from 0 to 2",
    },
    Case {
        name: "a file without infected vertices",
        arguments: "run db rumor-sources --param infected-file=nobody.txt",
        code: 1,
        error: &["nobody.txt names no vertices"],
        hint: "each line",
    },
    Case {
        name: "no file of infected vertices",
        arguments: "run db rumor-sources --param infected-file=missing.txt",
        code: 1,
        error: &["missing.txt"],
        hint: "path",
    },
    Case {
        name: "a negative length",
        arguments: "run negative rumor-sources --param distances=weights",
        code: 1,
        error: &["the edge from 1 to 2", "weight -1"],
        hint: "0 or more",
    },
    Case {
        name: "an output file in no directory",
        arguments: "run db bfs -o nowhere/out.txt",
        code: 1,
        error: &["nowhere/out.txt"],
        hint: "path",
    },
    Case {
        name: "deleting with a bad file",
        arguments: "delete-edges db bad.txt",
        code: 1,
        error: &["bad.txt:3"],
        hint: "",
    },
    Case {
        name: "the process's own medium",
        arguments: "stats db --medium dram",
        code: 1,
        error: &["ends with its process"],
        hint: "medium",
    },
    Case {
        name: "an unknown latency profile",
        arguments: "stats db --emulated=fast",
        code: 2,
        error: &["no profile \"fast\""],
        hint: "optane",
    },
];

fn place() -> Place {
    let place = Place::new();
    place.file("good.txt", "0 1\n1 2\n");
    place.file("other.txt", "2 0\n");
    place.file("bad.txt", "0 1\n1 2\nx 3\n2 0\n5\n");
    place.file("large.txt", "0 1\n1 4000000000\n");
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
    place.json("import db good.txt");
    place.json("import weighted chances.txt --weighted");
    place.json("import negative lengths.txt --weighted");
    place
}

#[test]
fn failures_say_what_and_what_to_do() {
    let place = place();
    for case in CASES {
        let outcome = place.call(case.arguments);
        assert_eq!(outcome.code, Some(case.code), "{}: {outcome:#?}", case.name);
        for part in case.error {
            assert!(
                outcome.stderr.contains(part),
                "{}: {part}: {outcome:#?}",
                case.name
            );
        }
        assert!(outcome.stdout.is_empty(), "{}: {outcome:#?}", case.name);
        if !case.hint.is_empty() {
            assert!(
                outcome.hint().contains(case.hint),
                "{}: {outcome:#?}",
                case.name
            );
        }
        // A failed import into a new database leaves nothing behind.
        assert!(!place.path("new").exists(), "{}", case.name);
        let as_json = place.call(&format!("--json {}", case.arguments));
        assert_eq!(as_json.code, Some(case.code), "{}: {as_json:#?}", case.name);
        let value = as_json.json();
        assert!(
            value["error"].is_string() && value["hint"].is_string(),
            "{value}"
        );
    }
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
        "run db cc",
    ] {
        let outcome = place.call(arguments);
        outcome.expect(1);
        assert!(outcome.error().contains(&pid), "{outcome:#?}");
        assert!(
            outcome.hint().contains("close it there first"),
            "{outcome:#?}"
        );
    }
    db.close().expect("it closes");
    place.json("import db other.txt --append");
}

#[test]
fn readers_share_and_keep_writers_out() {
    let place = place();
    let options = evergraph::Options {
        read_only: true,
        ..evergraph::Options::default()
    };
    let _db = evergraph::Database::open(place.path("db"), &options).expect("the database opens");
    place.json("stats db");
    let outcome = place.call("import db other.txt --append");
    outcome.expect(1);
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
    for slot in bytes.chunks_exact_mut(half) {
        slot[8..12].copy_from_slice(&7_u32.to_le_bytes());
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
        assert!(
            outcome.error().contains("format 7 is newer"),
            "{outcome:#?}"
        );
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
