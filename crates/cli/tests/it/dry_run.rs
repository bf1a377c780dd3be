//! Imports of plain edges: dry runs, rejected lines, and weights that are not read.

use serde_json::json;

use crate::common::Place;

const EDGES: &str = "# from to weight\n10 20 0.5\n20 30 1.5\nx 30 1\n30 30 2\n10 20 4\n40\n";

#[test]
fn a_dry_run_tells_what_an_import_would_find() {
    let place = Place::new();
    place.file("edges.txt", EDGES);
    let found = place.json("import db edges.txt --dry-run --skip-bad 2");
    let columns = json!([
        { "name": "column 1", "role": "source", "read": true },
        { "name": "column 2", "role": "target", "read": true },
        { "name": "column 3", "role": "weight", "read": false },
    ]);
    assert_eq!(found["files"][0]["format"], "edgelist");
    assert_eq!(found["files"][0]["columns"], columns);
    for (name, count) in [
        ("lines", 7),
        ("edges", 4),
        ("vertices", 3),
        ("duplicates", 1),
        ("self_loops", 1),
        ("skipped_lines", 2),
    ] {
        assert_eq!(found[name], count, "{name}: {found}");
    }
    assert_eq!(found["ids"], "mapped numbers");
    assert!(!place.path("db").exists(), "nothing is made");
    let weighted = place.json("import db edges.txt --dry-run --skip-bad 2 --weighted");
    assert_eq!(weighted["weights"], json!({ "least": 0.5, "largest": 4.0 }));
    // The same counts as of the import.
    let imported = place.json("import db edges.txt --skip-bad 2");
    for name in ["vertices", "edges"] {
        assert_eq!(imported[name], found[name], "{name}");
    }
    // Held against a database that is there, which stays as it is.
    let refused = place.failures(&["import db edges.txt --dry-run"]);
    assert!(
        refused.contains("there is a database at db already"),
        "{refused}"
    );
    let more = place.json("import db edges.txt --dry-run --append --skip-bad 2");
    assert_eq!(more["edges"], 4);
    assert_eq!(place.json("stats db")["edges"], 4);
    // Directions are those of the files, or as asked for.
    place.file(
        "texts.csv",
        "from,to,time\nann,bob,2020-01-01\nbob,ann,2021-06-01\n",
    );
    let texts = place.json("import new texts.csv --dry-run --timestamps");
    assert_eq!(
        (&texts["duplicates"], &texts["vertices"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(
        texts["times"],
        json!({ "first": 1_577_836_800, "last": 1_622_505_600 })
    );
    let undirected = place.json("import new texts.csv --dry-run --undirected");
    assert_eq!(undirected["duplicates"], 1);
    // Vertices that a head lists count, with edges or without.
    place.file("small.gr", "p sp 9 2\na 1 2 5\na 2 3 7\n");
    let listed = place.json("import new small.gr --dry-run");
    assert_eq!(
        (&listed["vertices"], &listed["edges"]),
        (&json!(9), &json!(2))
    );
}

#[test]
fn rejected_lines_go_to_a_file_and_the_import_goes_on() {
    let place = Place::new();
    place.file("edges.txt", EDGES);
    let expected = "file,line,column,problem,row\n\
                    edges.txt,4,1,the source id is not a number,x 30 1\n\
                    edges.txt,7,,\"too few columns (1, needed 2)\",40\n";
    let rejected = || std::fs::read_to_string(place.path("bad.csv")).expect("written");
    let imported = place.json("import db edges.txt --rejects bad.csv");
    assert_eq!(
        (&imported["edges"], &imported["skipped_lines"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(rejected(), expected);
    place.json("import other edges.txt --rejects bad.csv --dry-run");
    assert_eq!(rejected(), expected);
    // With a limit: what came before it is in the file.
    let refused = place.failures(&["import new edges.txt --rejects bad.csv --max-rejects 1"]);
    assert!(refused.contains("more than 1 malformed lines"), "{refused}");
    assert_eq!(rejected().lines().count(), 2);
    assert!(refused.contains("or raise `--max-rejects`"), "{refused}");
    let own = place.failures(&["import new edges.txt --rejects edges.txt"]);
    assert!(own.contains("a file of the import itself"), "{own}");
    // Of many lines all, in their order, and of files that are sorted by time.
    let mut many = String::new();
    for line in 0..5000 {
        many += &match line % 10 {
            3 => "bad\n".to_string(),
            _ => format!("{line} {} {}\n", line + 1, 1_600_000_000 - line),
        };
    }
    place.file("many.txt", many);
    for flags in ["", "--snapshot-every 1y"] {
        let done = place.json(&format!(
            "import many{} many.txt --rejects bad.csv {flags}",
            flags.len()
        ));
        assert_eq!(done["skipped_lines"], 500, "{flags}");
        let lines: Vec<u64> = rejected()
            .lines()
            .skip(1)
            .map(|line| line.split(',').nth(1).unwrap().parse().unwrap())
            .collect();
        assert_eq!(
            lines,
            (0..500).map(|n| n * 10 + 4).collect::<Vec<_>>(),
            "{flags}"
        );
    }
}

#[test]
fn weights_that_are_not_read_are_mentioned() {
    let place = Place::new();
    for (name, content, column) in [
        ("third.txt", "1 2 0.5\n2 3 4\n", Some("column 3")),
        ("named.csv", "from,to,rating\nann,bob,5\n", Some("rating")),
        ("numbers.csv", "user,item,score\n1,2,5\n", Some("score")),
        (
            "small.gr",
            "p sp 2 1\na 1 2 5\n",
            Some("the column of values"),
        ),
        (
            "matrix.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n",
            Some("the column of values"),
        ),
        (
            "pattern.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
            None,
        ),
        ("plain.txt", "1 2\n2 3\n", None),
        ("times.txt", "1 2 1082040961\n", None),
        ("dates.csv", "from,to,date\nann,bob,2020-01-01\n", None),
        ("events.txt", "+ 1 2 0.5\n", Some("column 4")),
        ("timed.txt", "+ 1 2 5\n", None),
    ] {
        place.file(name, content);
        let done = place.call(&format!("import {name}.db {name}"));
        done.expect(0);
        match column {
            Some(column) => {
                let said = format!("{name}: {column} could be weights, and is not read");
                assert!(!done.stderr.contains("not read: "), "{done:#?}");
                assert!(done.stderr.contains(&said), "{done:#?}");
                if name != "pattern.mtx" {
                    let read = place.call(&format!("import {name}.weighted {name} --weighted"));
                    read.expect(0);
                    assert!(!read.stderr.contains("not read"), "{read:#?}");
                }
            }
            None => assert!(!done.stderr.contains("not read"), "{done:#?}"),
        }
    }
}

/// Titles are told by what stands below them; where nothing tells, the import says how the
/// file was read.
#[test]
fn what_a_file_may_have_been_meant_to_be_is_told() {
    let place = Place::new();
    for (name, content, edges, said) in [
        ("known.csv", "Origin,Destination\nAnn,Bob\n", 1, None),
        ("below.csv", "city1,city2,km\nBern,Rome,900\n", 1, None),
        ("dates.csv", "a,b,since\nBern,Rome,2020-01-01\n", 1, None),
        ("edge.csv", "Ann,Bob,2\nBob,Cy,3\n", 2, Some("--header yes")),
        ("words.csv", "a,b\nAnn,Bob\n", 2, Some("--header yes")),
        (
            "nodes.csv",
            "id,name,born\n1,Ann,1990\n2,Bob,1991\n",
            2,
            Some("read as an edge, from id to name; nodes"),
        ),
        ("plain.txt", "ann bob\n", 1, None),
        (
            "triples.txt",
            "ann bob knows\nbob cy likes\n",
            2,
            Some("triples.txt: not read: column 3; edges have weights and times"),
        ),
        (
            "wide.csv",
            "source,target,a,b,c,d,e,f\nann,bob,u,v,w,x,y,z\n",
            1,
            Some("not read: a, b, c, d, e, ...; edges"),
        ),
        (
            "pandas.csv",
            ",source,target\n0,ann,bob\n1,bob,cy\n",
            2,
            Some("column 1, without a title, counts the rows as the index of pandas does"),
        ),
        ("none.txt", "", 0, Some("there are no edges in the files")),
    ] {
        place.file(name, content);
        let done = place.call(&format!("import {name}.db {name} --ids text --json"));
        done.expect(0);
        assert!(
            done.stdout.contains(&format!("\"edges\":{edges}")),
            "{done:#?}"
        );
        let is_told = |said: &str| done.stderr.contains(said);
        match said {
            Some(said) => assert!(is_told(said), "{done:#?}"),
            None => assert!(!is_told("edge"), "{done:#?}"),
        }
    }
    place.file("weights.csv", "source,target,weight\na,b,1\n");
    let done = place.call("import times.db weights.csv --snapshot-every 1mo");
    done.expect(0);
    assert!(done.stderr.contains("weight is read as times"), "{done:#?}");
    place.file("people.csv", "id,name\n1,Ann\n");
    let done = place.call("import keys.db --nodes Person=people.csv --key Persn.id");
    done.expect(0);
    let said = "no node has the label \"Persn\" of the key Persn.id";
    assert!(done.stderr.contains(said), "{done:#?}");
}
