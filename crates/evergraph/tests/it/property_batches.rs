//! Imports by column, held against the same rows in transactions.

use std::path::PathBuf;
use std::sync::Arc;

use crate::common::{Place, Random, bad, content, database};
use evergraph::Cancellation;
use evergraph::property::{
    Census, Dangling, Definition, Duplicates, Imported, PropertyImport, Rule, TypedFiles, import,
    inspect, value::Value,
};

/// Fewer rows than are loaded in bulk.
const BY_ROW: usize = 100;

impl Random {
    fn is(&mut self, one_of: u64) -> bool {
        self.below(one_of) == 0
    }
}

fn typed(names: &[&str], files: &[PathBuf]) -> TypedFiles {
    TypedFiles {
        names: names.iter().map(|name| name.to_string()).collect(),
        files: files.to_vec(),
    }
}

/// What an import tells, and what the graph has then.
type Outcome = (Imported, (Vec<String>, Vec<String>));

/// What becomes of files in bulk and by row.
fn both(options: &PropertyImport) -> [Outcome; 2] {
    [PropertyImport::ROWS_AT_ONCE, BY_ROW].map(|rows_at_once| {
        let db = database();
        let graph = db.property_graph().unwrap();
        let options = PropertyImport {
            rows_at_once,
            ..options.clone()
        };
        let imported = import(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
        assert_eq!(graph.check().problems, Vec::<String>::new());
        (imported, content(graph))
    })
}

fn counts(imported: &Imported) -> [u64; 6] {
    [
        imported.nodes,
        imported.relationships,
        imported.created_ends,
        imported.duplicates,
        imported.dangling,
        imported.skipped,
    ]
}

/// Nodes of some chunks in two parts, and relationships, with rows that are bad, that
/// repeat an id, or have no end there.
fn files(place: &Place, random: &mut Random, header: [&str; 2], faults: bool) -> [PathBuf; 3] {
    let (mut nodes, mut relationships) = ([String::new(), String::new()], String::new());
    nodes[0] += header[0];
    relationships += header[1];
    for id in 0..5000_u64 {
        let own = match faults && random.is(1500) {
            true => random.below(5000),
            false => id * 3,
        };
        let label = ["", "Tall", "Tall;Old", ""][(id / 700 % 4) as usize];
        let value = match random.below(8) {
            0 => String::new(),
            1 if faults && random.is(100) => "x".to_string(),
            _ => random.below(1000).to_string(),
        };
        let text = ["", "\"\"", "\"a,\"\"b\"", "ö", "007"][random.below(5) as usize];
        let rare = if random.is(40) { "1.5" } else { "" };
        let line = format!("{own},{id},{value},{text},{rare},{label}\n");
        nodes[usize::from(id > 2500)] += &line;
    }
    for at in 0..9000_u64 {
        let mut end = || match faults && random.is(3000) {
            true => 1,
            false => random.below(5000) * 3,
        };
        let (source, target) = (end(), end());
        let kind = ["KNOWS", "", "LIKES"][(at / 1000 % 3) as usize];
        relationships += &format!("{source},{target},{},{kind}\n", random.below(50));
        if faults && random.is(2000) {
            relationships += "short\n";
        }
    }
    let [first, second] = nodes;
    [
        place.file("first.csv", first),
        place.file("second.csv", second),
        place.file("relationships.csv", relationships),
    ]
}

#[test]
fn an_import_by_column_is_one_by_row() {
    let place = Place::new();
    let mut random = Random(1);
    let declared = [
        "id:ID(P){id-type:long},name:long,v:int,t,r:double,:LABEL\n",
        ":START_ID(P){id-type:long},:END_ID(P){id-type:long},w:int,:TYPE\n",
    ];
    let texts = [
        ":ID(P),name:long,v:int,t,r:double,:LABEL\n",
        ":START_ID(P),:END_ID(P),w:int,:TYPE\n",
    ];
    let follows = [declared[0], texts[1]];
    let plain = ["key,name,v,t,r,group\n", "from,to,w,sort\n"];
    for (header, keys, faults) in [
        (declared, &["P=N.id"][..], false),
        (texts, &[], false),
        (follows, &["P=N.name"], true),
        (declared, &["P=N.id"], true),
        (plain, &["N.key"], false),
        (plain, &[], true),
    ] {
        let [first, second, relationships] = files(&place, &mut random, header, faults);
        let options = PropertyImport {
            nodes: vec![typed(&["N"], &[first, second])],
            relationships: vec![typed(&["R"], &[relationships])],
            keys: keys.iter().map(|key| key.parse().unwrap()).collect(),
            skip_bad: u64::MAX,
            duplicates: if faults {
                Duplicates::Skip
            } else {
                Duplicates::Error
            },
            dangling: if faults {
                Dangling::Skip
            } else {
                Dangling::Error
            },
            ..PropertyImport::default()
        };
        let [(bulk, in_bulk), (row, by_row)] = both(&options);
        assert_eq!(counts(&bulk), counts(&row), "{header:?}");
        // A commit tells of its own after those of the reader.
        let sorted = |imported: &Imported| {
            let mut bad = bad(imported);
            assert!(bad.len() < 100, "all are remembered");
            bad.sort();
            bad
        };
        assert_eq!(sorted(&bulk), sorted(&row), "{header:?}");
        assert_eq!(in_bulk, by_row, "{header:?}");
        assert_eq!(bulk.skipped + bulk.duplicates > 0, faults, "{header:?}");
        // A look without writing counts the same.
        let db = database();
        let graph = db.property_graph().unwrap();
        let found = inspect(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
        assert_eq!(counts(&found.imported)[0], counts(&row)[0], "{header:?}");
    }
}

/// A census by column and of known counts, against all rows.
#[test]
fn a_census_counts_what_rows_have() {
    for keys in [3, 70] {
        let db = database();
        let graph = db.property_graph().unwrap();
        let mut expected = Census::default();
        let mut random = Random(keys);
        let names: Vec<Arc<str>> = (0..keys).map(|key| format!("k{key}").into()).collect();
        for _ in 0..30 {
            let mut properties = || {
                let some = names.iter().filter(|_| random.is(3));
                some.map(|name| (&**name, Value::from(1)))
                    .collect::<Vec<_>>()
            };
            let [first, second] = [properties(), properties()];
            let gone = graph.write(|tx| {
                let node = tx.create_node(&["A", "B"], first.clone())?;
                let other = tx.create_node(&["B"], [])?;
                tx.create_relationship(node, "R", other, second.clone())?;
                tx.create_relationship(node, "Gone", other, second.clone())
            });
            let gone = gone.unwrap();
            graph.write(|tx| tx.delete_relationship(gone)).unwrap();
            for (name, _) in first.into_iter().chain(second) {
                *expected.keys.entry(name.into()).or_default() += 1;
            }
        }
        (expected.nodes, expected.relationships) = (60, 30);
        expected.labels = [("A".into(), 30), ("B".into(), 60)].into();
        expected.types = [("R".into(), 30)].into();
        assert_eq!(Census::of(&graph.view()).unwrap(), expected, "{keys} keys");
        graph.checkpoint().unwrap();
        assert_eq!(Census::of(&graph.view()).unwrap(), expected, "{keys} keys");
    }
}

/// The second import finds nodes of the first by their key.
#[test]
fn a_graph_grows_by_column_as_by_row() {
    let place = Place::new();
    let mut random = Random(2);
    let header = ["id,name,v,t,r,group\n", "from,to,w,sort\n"];
    let [first, second, relationships] = files(&place, &mut random, header, false);
    let grown = [PropertyImport::ROWS_AT_ONCE, BY_ROW].map(|rows_at_once| {
        let db = database();
        let graph = db.property_graph().unwrap();
        let header = std::fs::read_to_string(&first).unwrap();
        let header = header.lines().next().unwrap().to_string();
        let parts = [place.file("header.csv", header + "\n"), second.clone()];
        for (nodes, relationships, key) in [
            (vec![first.clone()], vec![], vec!["N.id".parse().unwrap()]),
            (parts.to_vec(), vec![relationships.clone()], vec![]),
        ] {
            let relationships = relationships.into_iter().map(|file| typed(&["R"], &[file]));
            let options = PropertyImport {
                nodes: vec![typed(&["N"], &nodes)],
                relationships: relationships.collect(),
                keys: key,
                rows_at_once,
                ..PropertyImport::default()
            };
            import(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
        }
        assert_eq!(graph.check().problems, Vec::<String>::new());
        content(graph)
    });
    assert_eq!(grown[0].0.len(), 5000);
    assert_eq!(grown[0].1.len(), 9000);
    assert_eq!(grown[0], grown[1]);
}

/// A constraint is held to a load when it is committed: then the next one is gathered
/// already, and goes behind what is left of it.
#[test]
fn a_load_that_is_refused_takes_nothing_else_with_it() {
    let place = Place::new();
    let mut nodes = ":ID{id-type:long},name:long,:LABEL\n".to_string();
    for id in 0..4000_u64 {
        // Each repeats a name of the load before, or of its own.
        let name = match id % 700 {
            699 => id - 600,
            350 => id - 1,
            _ => id,
        };
        nodes += &format!("{id},{name},N\n");
    }
    let files = vec![place.file("nodes.csv", nodes)];
    let [in_bulk, by_row] = [512, BY_ROW].map(|rows_at_once| {
        let db = database();
        let graph = db.property_graph().unwrap();
        let unique = Definition::of_nodes("unique", "N", &["name"], Rule::Unique);
        graph.define(&unique).unwrap();
        let options = PropertyImport {
            files: files.clone(),
            rows_at_once,
            skip_bad: 100,
            ..PropertyImport::default()
        };
        let imported = import(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
        assert_eq!(graph.check().problems, Vec::<String>::new());
        (counts(&imported), bad(&imported), content(graph))
    });
    assert_eq!(in_bulk.0, [4000 - 11, 0, 0, 0, 0, 11]);
    assert_eq!(in_bulk, by_row);
}
