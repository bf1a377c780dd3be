//! Property graphs that grow by files: held against a map of maps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::common::{Place, Random, bad, content, database};
use evergraph::property::{
    Census, Dangling, Definition, Duplicates, GraphError, ImportKey, Imported, OnConflict,
    PropertyGraph, PropertyImport, Rule, Transaction, TypedFiles, ValueType, import, inspect,
    value::Value,
};
use evergraph::{Cancellation, Database, Error, Options};

fn run(graph: &PropertyGraph, options: &PropertyImport) -> Result<Imported, Error> {
    import(graph, options, &Cancellation::new(), &|_| {})
}

fn key(text: &str) -> ImportKey {
    text.parse().unwrap()
}

fn typed(names: &[&str], files: &[&PathBuf]) -> TypedFiles {
    TypedFiles {
        names: names.iter().map(|name| name.to_string()).collect(),
        files: files.iter().map(|file| file.to_path_buf()).collect(),
    }
}

/// A row of a node: key, further labels, properties.
type NodeRow = (u64, BTreeSet<&'static str>, BTreeMap<&'static str, u64>);

/// Rows of files, as random as they can be.
#[derive(Default)]
struct Rows {
    nodes: Vec<NodeRow>,
    relationships: Vec<(u64, u64)>,
}

impl Rows {
    fn draw(random: &mut Random) -> Self {
        let ids = [20, 400][random.below(2) as usize];
        let mut rows = Rows::default();
        for _ in 0..random.below(ids) {
            let labels = ["Actor", "Director"].into_iter();
            let labels = labels.filter(|_| random.below(3) == 0).collect();
            let keys = ["a", "b", "c"].into_iter().filter(|_| random.below(2) == 0);
            let keys: Vec<&str> = keys.collect();
            let values = keys.into_iter().map(|key| (key, random.below(3)));
            let values = values.collect();
            rows.nodes.push((random.below(ids), labels, values));
        }
        for _ in 0..random.below(ids) {
            let ends = (random.below(ids * 2), random.below(ids * 2));
            rows.relationships.push(ends);
        }
        rows
    }

    /// As JSON lines, relationships among the nodes.
    fn text(&self, random: &mut Random) -> String {
        let mut text = String::new();
        let mut relationships = self.relationships.iter();
        for (id, labels, values) in &self.nodes {
            let labels: Vec<&str> = ["Person"].into_iter().chain(labels.clone()).collect();
            let (labels, values) = (format!("{labels:?}"), format!("{values:?}"));
            text += &format!(
                "{{\"type\":\"node\",\"id\":{id},\"labels\":{labels},\"properties\":{values}}}\n"
            );
            if random.below(2) == 0 {
                text += &relationships
                    .next()
                    .map_or(String::new(), relationship_text);
            }
        }
        text + &relationships.map(relationship_text).collect::<String>()
    }
}

fn relationship_text((from, to): &(u64, u64)) -> String {
    format!("{{\"from\":{from},\"type\":\"KNOWS\",\"to\":{to}}}\n")
}

/// A graph, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    nodes: BTreeMap<u64, (BTreeSet<String>, BTreeMap<String, u64>)>,
    relationships: BTreeMap<(u64, u64), u64>,
}

/// Nodes, relationships, updated, unchanged, created ends, duplicates, dangling, skipped.
type Counts = [u64; 8];

impl Model {
    fn import(&mut self, rows: &Rows, options: &PropertyImport) -> Counts {
        let [
            mut nodes,
            mut updated,
            mut unchanged,
            mut duplicates,
            mut skipped,
        ] = [0; 5];
        let [mut relationships, mut created, mut dangling] = [0; 3];
        let mut seen = BTreeSet::new();
        for (id, labels, values) in &rows.nodes {
            let conflicts = self.nodes.contains_key(id);
            if seen.contains(id) {
                match options.duplicates {
                    Duplicates::Error => skipped += 1,
                    Duplicates::Skip => duplicates += 1,
                }
                continue;
            }
            if conflicts && options.on_conflict == OnConflict::Error {
                skipped += 1;
                continue;
            }
            seen.insert(*id);
            let node = self.nodes.entry(*id).or_default();
            let before = node.clone();
            let (adds_labels, sets_values) = match options.on_conflict {
                _ if !conflicts => (true, true),
                OnConflict::Update => (false, true),
                OnConflict::Merge => (true, true),
                OnConflict::Error | OnConflict::Skip => (false, false),
            };
            if adds_labels {
                node.0.insert("Person".to_string());
                node.0.extend(labels.iter().map(|label| label.to_string()));
            }
            if sets_values {
                let values = values.iter();
                node.1
                    .extend(values.map(|(key, value)| (key.to_string(), *value)));
            }
            match (conflicts, *node == before) {
                (false, _) => nodes += 1,
                (true, true) => unchanged += 1,
                (true, false) => updated += 1,
            }
        }
        for ends in &rows.relationships {
            let missing = [ends.0, ends.1].map(|end| !self.nodes.contains_key(&end));
            match (missing.contains(&true), options.dangling) {
                (false, _) => {}
                (true, Dangling::Error) => {
                    skipped += 1;
                    continue;
                }
                (true, Dangling::Skip) => {
                    dangling += 1;
                    continue;
                }
                (true, Dangling::Create) => {
                    for end in [ends.0, ends.1] {
                        self.nodes.entry(end).or_insert_with(|| {
                            created += 1;
                            (["Person".to_string()].into(), BTreeMap::new())
                        });
                    }
                }
            }
            relationships += 1;
            *self.relationships.entry(*ends).or_default() += 1;
        }
        let nodes = nodes + created;
        [
            nodes,
            relationships,
            updated,
            unchanged,
            created,
            duplicates,
            dangling,
            skipped,
        ]
    }

    /// The content of a graph.
    fn of(graph: &PropertyGraph) -> Self {
        let view = graph.view();
        let mut model = Model::default();
        let integer = |value: &Value| value.as_integer().unwrap() as u64;
        let mut keys = BTreeMap::new();
        for node in view.nodes() {
            let node = node.unwrap();
            let labels = node
                .labels()
                .iter()
                .map(|label| label.to_string())
                .collect();
            let mut values: BTreeMap<String, u64> = node
                .properties()
                .map(|(key, value)| (key.to_string(), integer(value)))
                .collect();
            let id = values.remove("id").expect("a key");
            keys.insert(node.id(), id);
            assert!(model.nodes.insert(id, (labels, values)).is_none(), "{id}");
        }
        for relationship in view.relationships() {
            let relationship = relationship.unwrap();
            let ends = (keys[&relationship.source()], keys[&relationship.target()]);
            *model.relationships.entry(ends).or_default() += 1;
        }
        model
    }
}

fn counts(imported: &Imported) -> Counts {
    [
        imported.nodes,
        imported.relationships,
        imported.updated,
        imported.unchanged,
        imported.created_ends,
        imported.duplicates,
        imported.dangling,
        imported.skipped,
    ]
}

fn drawn<T: Copy>(all: &[(&str, T)], random: &mut Random) -> T {
    all[random.below(all.len() as u64) as usize].1
}

fn policies(random: &mut Random) -> PropertyImport {
    PropertyImport {
        on_conflict: drawn(OnConflict::ALL, random),
        duplicates: drawn(Duplicates::ALL, random),
        dangling: drawn(Dangling::ALL, random),
        skip_bad: u64::MAX,
        rows_at_once: [1, 7, 10_000][random.below(3) as usize],
        ..PropertyImport::default()
    }
}

#[test]
fn imports_make_of_a_graph_what_they_make_of_a_map_of_maps() {
    let place = Place::new();
    for seed in 0..24 {
        let mut random = Random(seed);
        let db = database();
        let graph = db.property_graph().unwrap();
        let mut model = Model::default();
        for number in 0..4 {
            let rows = Rows::draw(&mut random);
            let text = rows.text(&mut random);
            let file = place.file(&format!("{seed}-{number}.jsonl"), text);
            let options = PropertyImport {
                files: vec![file],
                // Later imports know the key by its constraint.
                keys: match number {
                    0 => vec![key("Person.id")],
                    _ => Vec::new(),
                },
                ..policies(&mut random)
            };
            let before = graph.view().csn();
            let found = inspect(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
            assert_eq!(graph.view().csn(), before, "a dry run writes nothing");
            let imported = run(graph, &options).unwrap();
            let expected = model.import(&rows, &options);
            assert_eq!(counts(&imported), expected, "{seed} {number} {options:?}");
            assert_eq!(counts(&found.imported), expected, "{seed} {number}");
            assert_eq!(Model::of(graph), model, "{seed} {number} {options:?}");
        }
        assert!(db.check().problems.is_empty());
    }
}

#[test]
fn an_import_that_changes_nodes_and_was_cut_off_goes_on_where_it_was() {
    let place = Place::new();
    let options = Options {
        property_graph: true,
        log_bytes: 1 << 20,
        ..Options::default()
    };
    for seed in 0..8 {
        let mut random = Random(1000 + seed);
        let path = place.0.path().join(format!("db-{seed}"));
        drop(Database::create(&path, &options).unwrap());
        let mut model = Model::default();
        for number in 0..3 {
            let rows = Rows::draw(&mut random);
            let text = rows.text(&mut random);
            let what = PropertyImport {
                files: vec![place.file(&format!("{seed}-{number}.jsonl"), text)],
                keys: vec![key("Person.id")],
                rows_at_once: 30,
                ..policies(&mut random)
            };
            let expected = model.import(&rows, &what);
            let mut sum = [0; 2];
            for runs in 0.. {
                // Dropped without being closed, as a killed process leaves it.
                let db = Database::open(&path, &options).unwrap();
                let graph = db.property_graph().unwrap();
                let stop = Cancellation::new();
                let again = PropertyImport {
                    resume: runs > 0,
                    ..what.clone()
                };
                let commits = std::cell::Cell::new(0);
                let done = std::cell::RefCell::new(Imported::default());
                let cut = |so_far: &Imported| {
                    commits.set(commits.get() + 1);
                    *done.borrow_mut() = so_far.clone();
                    // Rows that are all left out may be read again.
                    if commits.get() > 2 && runs < 20 {
                        stop.cancel();
                    }
                };
                let ended = import(graph, &again, &stop, &cut);
                sum[0] += done.borrow().updated;
                sum[1] += done.borrow().nodes + done.borrow().relationships;
                match ended {
                    Ok(imported) => {
                        let (found, all) = (counts(&imported), expected);
                        assert_eq!(found[5..], all[5..], "left out: {seed} {number} {what:?}");
                        break;
                    }
                    Err(Error::Interrupted { .. }) => {}
                    Err(other) => panic!("{other}"),
                }
            }
            assert_eq!(sum, [expected[2], expected[0] + expected[1]]);
            let db = Database::open(&path, &options).unwrap();
            assert_eq!(Model::of(db.property_graph().unwrap()), model, "{what:?}");
            assert!(db.check().problems.is_empty());
        }
    }
}

#[test]
fn relationships_find_nodes_of_earlier_imports_by_their_keys() {
    let place = Place::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    let people = place.file(
        "people.csv",
        "nr:ID(P){id-type:long},name,:LABEL\n1,Ann,Person\n2,Bob,Person\n",
    );
    let films = place.file(
        "films.csv",
        "title:ID(F),name,:LABEL\nM,The M,Film\n1,One,Film\n",
    );
    let options = PropertyImport {
        files: vec![people, films],
        keys: vec![key("P=Person.nr"), key("F=Film.title")],
        ..PropertyImport::default()
    };
    run(graph, &options).unwrap();
    let names: Vec<String> = graph.definitions().into_iter().map(|of| of.name).collect();
    assert_eq!(names, ["import key P=Person.nr", "import key F=Film.title"]);
    let roles = place.file(
        "roles.csv",
        ":START_ID(P){id-type:long},:END_ID(F),role\n1,M,lead\n2,1,extra\n3,M,none\n2,X,none\n",
    );
    let options = PropertyImport {
        relationships: vec![typed(&["ACTED_IN"], &[&roles])],
        skip_bad: 2,
        ..PropertyImport::default()
    };
    let imported = run(graph, &options).unwrap();
    let expected = [
        "roles.csv:4: there is no node 3 of P",
        "roles.csv:5: there is no node X of F",
    ];
    assert_eq!(bad(&imported), expected);
    let (_, relationships) = content(graph);
    let expected = [
        r#"Some("Text(\"Ann\")") ACTED_IN Some("Text(\"The M\")") role: Text("lead")"#,
        r#"Some("Text(\"Bob\")") ACTED_IN Some("Text(\"One\")") role: Text("extra")"#,
    ];
    assert_eq!(relationships, expected);
    // Without a space it may be any key; a text is no integer.
    let more = place.file(
        "more.csv",
        ":START_ID{id-type:string},:END_ID,:TYPE\nM,1,T\n2,M,T\n",
    );
    let options = PropertyImport {
        files: vec![more],
        skip_bad: 1,
        ..PropertyImport::default()
    };
    let imported = run(graph, &options).unwrap();
    let expected = "more.csv:3: there is no node 2; there is one whose id is an integer, as in a \
                    column {id-type:long}";
    assert_eq!(bad(&imported), [expected]);
    let both = place.file(
        "both.jsonl",
        "{\"id\":1,\"label\":\"Film\"}\n{\"from\":1,\"type\":\"T\",\"to\":2}\n",
    );
    let options = PropertyImport {
        files: vec![both],
        ..PropertyImport::default()
    };
    assert_eq!(run(graph, &options).unwrap().relationships, 1);
    let unclear = place.file("unclear.jsonl", "{\"from\":1,\"type\":\"T\",\"to\":2}\n");
    let options = PropertyImport {
        files: vec![unclear],
        ..PropertyImport::default()
    };
    let refused = run(graph, &options).unwrap_err().to_string();
    let expected = "unclear.jsonl:1: 1 is the key of two nodes, of Person and of Film";
    assert!(refused.ends_with(expected), "{refused}");
}

#[test]
fn an_end_is_of_the_space_that_its_column_names() {
    let place = Place::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    let nodes = [("P", "Person", "Ann"), ("F", "Film", "One")].map(|(space, label, name)| {
        let text = format!("nr:ID({space}){{id-type:long}},name,:LABEL\n1,{name},{label}\n");
        place.file(&format!("{label}.csv"), text)
    });
    let options = PropertyImport {
        files: nodes.into(),
        keys: vec![key("P=Person.nr"), key("F=Film.nr")],
        ..PropertyImport::default()
    };
    run(graph, &options).unwrap();
    let roles = place.file(
        "roles.csv",
        ":START_ID(P){id-type:long},:END_ID(F){id-type:long}\n1,1\n",
    );
    let options = PropertyImport {
        relationships: vec![typed(&["ACTED_IN"], &[&roles])],
        ..PropertyImport::default()
    };
    assert_eq!(run(graph, &options).unwrap().relationships, 1);
    let (_, relationships) = content(graph);
    let expected = r#"Some("Text(\"Ann\")") ACTED_IN Some("Text(\"One\")") "#;
    assert_eq!(relationships, [expected]);
}

#[test]
fn what_is_no_key_is_refused() {
    let place = Place::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    let twice = place.file(
        "twice.jsonl",
        "{\"id\":1,\"label\":\"P\",\"props\":{\"k\":1}}\n{\"id\":2,\"label\":\"P\",\"props\":{\"k\":1}}\n",
    );
    let mut options = PropertyImport {
        files: vec![twice],
        ..PropertyImport::default()
    };
    run(graph, &options).unwrap();
    // Nodes of the graph that have the same key: nothing is imported.
    options.keys = vec![key("P.k")];
    options.files = vec![place.file(
        "new.jsonl",
        "{\"id\":3,\"label\":\"P\",\"props\":{\"k\":3}}\n",
    )];
    let refused = run(graph, &options);
    assert!(
        matches!(refused, Err(Error::Graph(GraphError::Constraint(_)))),
        "{refused:?}"
    );
    assert_eq!(Census::of(&graph.view()).unwrap().nodes, 2);
    options.keys = vec![key("Q.k"), key("Q.l")];
    let refused = run(graph, &options).unwrap_err().to_string();
    assert!(
        refused.contains("Q.k and Q.l are keys of one label"),
        "{refused}"
    );
    // Rows whose key is none, or is that of another row with another id.
    options.keys = vec![key("Q.k")];
    options.skip_bad = 10;
    let rows = "{\"id\":1,\"label\":\"Q\",\"props\":{\"k\":1.5}}\n{\"label\":\"Q\"}\n\
                {\"id\":2,\"label\":\"Q\",\"props\":{\"k\":\"x\"}}\n\
                {\"id\":3,\"label\":\"Q\",\"props\":{\"k\":\"x\"}}\n\
                {\"type\":\"node\",\"labels\":[\"Q\"],\"properties\":{\"k\":\"x\"}}\n";
    options.files = vec![place.file("rows.jsonl", rows)];
    let imported = run(graph, &options).unwrap();
    let expected = [
        "rows.jsonl:1: k: a key is a 64-bit integer or a text that is not empty",
        "rows.jsonl:2: k: nothing is there; it is the key of Q",
        "rows.jsonl:4: k: there is a node x of Q already",
        "rows.jsonl:5: k: there is a node x of Q already",
    ];
    assert_eq!(bad(&imported), expected);
    // Missing ends of relationships are nodes of some key.
    let options = PropertyImport {
        dangling: Dangling::Create,
        ..PropertyImport::default()
    };
    let refused = run(database().property_graph().unwrap(), &options);
    assert!(
        matches!(refused, Err(Error::Argument { .. })),
        "{refused:?}"
    );
}

/// A commit that is refused takes back the ends that it made, under all of their names.
#[test]
fn ends_of_a_refused_commit_are_made_again() {
    let place = Place::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    let weights = Rule::Type(ValueType::Integer);
    let weights = Definition::of_relationships("weights", "T", &["w"], weights);
    graph.define(&weights).unwrap();
    let end = "{\"id\":5,\"space\":\"P\"}";
    let rows = format!(
        "{{\"from\":9,\"type\":\"T\",\"to\":9,\"props\":{{\"w\":\"x\"}}}}\n\
         {{\"from\":5,\"type\":\"T\",\"to\":5}}\n\
         {{\"type\":\"relationship\",\"label\":\"T\",\"start\":{end},\"end\":{end}}}\n"
    );
    let options = PropertyImport {
        files: vec![place.file("rows.jsonl", rows)],
        keys: vec![key("P.id")],
        dangling: Dangling::Create,
        skip_bad: 3,
        ..PropertyImport::default()
    };
    let imported = run(graph, &options).unwrap();
    assert_eq!(counts(&imported), [1, 2, 0, 0, 1, 0, 0, 1], "{imported:?}");
    let relationships = [((5, 5), 2)].into();
    assert_eq!(Model::of(graph).relationships, relationships);
}

#[test]
fn files_are_given_by_label_and_type() {
    let place = Place::new();
    let header = place.file("people-header.csv", "id:ID(P),name,age:int,:LABEL\n");
    let first = place.file("people-1.csv", "a,Ann,3,Chef\nb,Bob,,\n");
    // A part may have the header, too.
    let second = place.file("people-2.csv", "id:ID(P),name,age:int,:LABEL\nc,Cid,5,\n");
    let teams = place.file(
        "teams.jsonl",
        "{\"id\":\"t\",\"label\":\"Club\",\"props\":{\"name\":\"T\"}}\n",
    );
    // Plain columns: ids come first.
    let places = place.file("places.csv", "id,name\nx,X\n");
    let knows = place.file(
        "knows.csv",
        ":START_ID(P),:END_ID(P),:TYPE\na,b,\nb,c,LIKES\n",
    );
    let near = place.file("near.csv", "from,to,km:int\nx,t,5\n");
    let db = database();
    let graph = db.property_graph().unwrap();
    let options = PropertyImport {
        nodes: vec![
            typed(&["Person", "Human"], &[&header, &first, &second]),
            typed(&["Team"], &[&teams]),
            typed(&["Place"], &[&places]),
        ],
        relationships: vec![typed(&["KNOWS"], &[&knows]), typed(&["NEAR"], &[&near])],
        ..PropertyImport::default()
    };
    let imported = run(graph, &options).unwrap();
    assert_eq!((imported.nodes, imported.relationships), (5, 3));
    let (nodes, relationships) = content(graph);
    assert_eq!(
        nodes,
        [
            r#"["Chef", "Human", "Person"] age: Integer(3), id: Text("a"), name: Text("Ann")"#,
            r#"["Club", "Team"] name: Text("T")"#,
            r#"["Human", "Person"] age: Integer(5), id: Text("c"), name: Text("Cid")"#,
            r#"["Human", "Person"] id: Text("b"), name: Text("Bob")"#,
            r#"["Place"] id: Text("x"), name: Text("X")"#,
        ]
    );
    assert_eq!(
        relationships,
        [
            r#"Some("Text(\"Ann\")") KNOWS Some("Text(\"Bob\")") "#,
            r#"Some("Text(\"Bob\")") LIKES Some("Text(\"Cid\")") "#,
            r#"Some("Text(\"X\")") NEAR Some("Text(\"T\")") km: Integer(5)"#,
        ]
    );
    let refused = |options: &PropertyImport| {
        let refused = run(database().property_graph().unwrap(), options);
        let text = refused.unwrap_err().to_string();
        text.rsplit('/').next().map(str::to_string).unwrap()
    };
    let of_nodes = |file: &PathBuf| PropertyImport {
        nodes: vec![typed(&["A"], &[file])],
        ..PropertyImport::default()
    };
    assert_eq!(
        refused(&of_nodes(&knows)),
        "knows.csv:1: the file has relationships, and is given as one of nodes"
    );
    let mixed = place.file("mixed.jsonl", "{\"from\":1,\"type\":\"T\",\"to\":2}\n");
    assert_eq!(
        refused(&of_nodes(&mixed)),
        "mixed.jsonl:1: a relationship in a file of nodes (--nodes)"
    );
    let floats = place.file("floats.csv", "id:float,name\n1.5,x\n");
    assert_eq!(
        refused(&of_nodes(&floats)),
        "floats.csv:1: id: ids are long or string"
    );
    let ends = place.file("ends.csv", "from\n1\n");
    let options = PropertyImport {
        relationships: vec![typed(&["T"], &[&ends])],
        ..PropertyImport::default()
    };
    assert_eq!(
        refused(&options),
        "ends.csv:1: relationships have two ends, and the header has one column"
    );
    let options = PropertyImport {
        relationships: vec![typed(&["T", "U"], &[&ends])],
        ..PropertyImport::default()
    };
    let message = refused(&options);
    assert!(
        message.starts_with("T:U: a relationship has one type"),
        "{message}"
    );
}

#[test]
fn rows_that_are_left_out_are_in_a_file_and_can_be_imported_again() {
    let place = Place::new();
    let rows = "{\"id\":1,\"label\":\"P\"}\n{\"id\":1,\"label\":\"P\"}\nnothing\n\
                {\"from\":1,\"type\":\"T\",\"to\":2,\"props\":{\"a\":\"x,\\\"y\\\"\"}}\n";
    let file = place.file("rows.jsonl", rows);
    let rejects = place.0.path().join("rejects.csv");
    let db = database();
    let graph = db.property_graph().unwrap();
    let mut options = PropertyImport {
        files: vec![file.clone()],
        duplicates: Duplicates::Skip,
        skip_bad: 2,
        rejects: Some(rejects.clone()),
        ..PropertyImport::default()
    };
    let imported = run(graph, &options).unwrap();
    assert_eq!(
        (imported.nodes, imported.skipped, imported.duplicates),
        (1, 2, 1)
    );
    let name = file.display().to_string();
    let expected = [
        "file,line,column,problem,row\n".to_string(),
        format!("{name},3,,no JSON at column 2: expected ident,\n"),
        format!(
            "{name},2,,there is a node 1 already,\"{{\"\"id\"\":1,\"\"labels\"\":[\"\"P\"\"],\
             \"\"properties\"\":{{}},\"\"type\"\":\"\"node\"\"}}\"\n"
        ),
        format!(
            "{name},4,,there is no node 2,\"{{\"\"end\"\":{{\"\"id\"\":2}},\"\"id\"\":\"\"0\"\",\
             \"\"label\"\":\"\"T\"\",\"\"properties\"\":{{\"\"a\"\":\"\"x,\\\"\"y\\\"\"\"\"}},\
             \"\"start\"\":{{\"\"id\"\":1}},\"\"type\"\":\"\"relationship\"\"}}\"\n"
        ),
    ];
    assert_eq!(
        std::fs::read_to_string(&rejects).unwrap(),
        expected.concat()
    );
    // One more than may be: it is in the file, and ends the import.
    options.skip_bad = 1;
    let refused = run(database().property_graph().unwrap(), &options);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.ends_with("(bad row 2, 1 may be skipped)"),
        "{message}"
    );
    assert_eq!(
        std::fs::read_to_string(&rejects).unwrap(),
        expected.concat()
    );
    // A file of the import is not written over.
    options.rejects = Some(file.clone());
    let refused = run(database().property_graph().unwrap(), &options);
    assert!(
        matches!(refused, Err(Error::Argument { .. })),
        "{refused:?}"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), rows);
}

#[test]
fn only_the_same_policies_are_resumed() {
    let place = Place::new();
    let file = place.file("rows.jsonl", "{\"id\":1,\"label\":\"P\"}\n");
    let first = PropertyImport {
        files: vec![file],
        resume: true,
        ..PropertyImport::default()
    };
    let others = [
        PropertyImport {
            keys: vec![key("P.id")],
            ..first.clone()
        },
        PropertyImport {
            on_conflict: OnConflict::Merge,
            ..first.clone()
        },
        PropertyImport {
            duplicates: Duplicates::Skip,
            ..first.clone()
        },
        PropertyImport {
            dangling: Dangling::Skip,
            ..first.clone()
        },
    ];
    let db = database();
    let graph = db.property_graph().unwrap();
    run(graph, &first).unwrap();
    run(graph, &first).unwrap();
    for other in others {
        let refused = run(graph, &other);
        assert!(matches!(refused, Err(Error::Usage { .. })), "{refused:?}");
    }
}

#[test]
fn nothing_begins_behind_an_import_that_was_cut_off() {
    let place = Place::new();
    let [first, other] = [("first.jsonl", 1), ("other.jsonl", 11)].map(|(name, from)| {
        let row = |id: u64| format!("{{\"id\":{id},\"label\":\"P\"}}\n");
        PropertyImport {
            files: vec![place.file(name, (from..from + 4).map(row).collect::<String>())],
            rows_at_once: 1,
            resume: true,
            or_begin: true,
            ..PropertyImport::default()
        }
    });
    let db = database();
    let graph = db.property_graph().unwrap();
    let stop = Cancellation::new();
    let cut = |done: &Imported| {
        if done.nodes == 2 {
            stop.cancel();
        }
    };
    let cut_off = import(graph, &first, &stop, &cut);
    assert!(matches!(cut_off, Err(Error::Interrupted { .. })));
    let refused = run(graph, &other);
    assert!(matches!(refused, Err(Error::Usage { .. })), "{refused:?}");
    for (options, nodes) in [(&first, 2), (&other, 4), (&first, 0), (&other, 0)] {
        assert_eq!(run(graph, options).unwrap().nodes, nodes);
    }
}

/// Rows with keys of another type would not find their nodes; a value that is no key tells
/// nothing.
#[test]
fn columns_of_keys_have_the_types_of_the_graph() {
    let place = Place::new();
    for (own, first, types, expected) in [
        (None, "x", "infer", "id: Text(\"7\")"),
        (None, "5", "text", "id: Integer(7)"),
        (Some(Value::Float(0.5)), "5", "infer", "id: Integer(7)"),
    ] {
        let db = database();
        let graph = db.property_graph().unwrap();
        if let Some(own) = own {
            let create = |tx: &mut Transaction| tx.create_node(&["P"], [("id", own.clone())]);
            graph.write(create).unwrap();
        }
        for (id, types) in [(first, "infer"), ("7", types)] {
            let file = place.file("p.csv", format!("id,name\n{id},n{id}\n"));
            let options = PropertyImport {
                nodes: vec![typed(&["P"], &[&file])],
                keys: vec![key("P.id")],
                types: types.parse().unwrap(),
                ..PropertyImport::default()
            };
            run(graph, &options).unwrap();
        }
        let (nodes, _) = content(graph);
        let found = nodes.iter().any(|node| node.contains(expected));
        assert!(found, "{expected}: {nodes:?}");
    }
}

/// Threads take a piece of a large file each; the types are those that one thread finds in
/// the same rows behind a compressor.
#[test]
fn types_of_a_large_file_are_told_from_all_of_its_pieces() {
    let place = Place::new();
    let db = database();
    let graph = db.property_graph().unwrap();
    let told = |bytes: &[u8], name: &str| {
        let path = place.file(name, bytes);
        let options = PropertyImport {
            nodes: vec![typed(&["N"], &[&path])],
            ..PropertyImport::default()
        };
        let found = inspect(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
        let columns = found.imported.tables[0].columns.iter();
        let columns = columns.map(|(name, kind)| format!("{name} {kind}"));
        (columns.collect::<Vec<_>>(), found.imported.nodes)
    };
    let rows = 300_000;
    let table = |odd: usize, value: &str| {
        let mut text = String::from("id,size,day\n");
        for row in 0..rows {
            let size = if row == odd { value } else { "7" };
            text += &format!("{row},{size},2020-02-{}\n", 10 + row % 20);
        }
        text
    };
    for (odd, value, size) in [
        (rows, "", "long"),
        (1, "0.5", "double"),
        (rows / 2 + 7, "x", "string"),
        (rows - 1, "x", "string"),
        // The line of the quote is in a later piece, and the end of the quote in the next.
        (rows / 4 * 3, "\"1\n2\"", "string"),
    ] {
        let text = table(odd, value);
        let expected = ["id long", &format!("size {size}"), "day date"].map(str::to_string);
        let (plain, count) = told(text.as_bytes(), "large.csv");
        assert_eq!(
            (&plain[..], count),
            (&expected[..], rows as u64),
            "{value:?}"
        );
        let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
        assert_eq!(told(&packed, "large.csv.zst").0, expected, "{value:?}");
    }
    // The first piece ends at its quote, before the header does.
    let text = table(0, "7").replacen("id,size", "\"id\",\"size\"", 1);
    let expected = ["id long", "size long", "day date"].map(str::to_string);
    assert_eq!(
        told(text.as_bytes(), "large.csv"),
        (expected.to_vec(), rows as u64)
    );
}
