//! The files of the benchmark: header lines as its generator writes them, and rows
//! that fit together.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::rc::Rc;

use evergraph_generators::snb::csv::{self, FILES, Part};
use evergraph_generators::snb::{Change, Network, Parameters, queries, updates};

type Files = Rc<RefCell<BTreeMap<&'static str, Vec<u8>>>>;

/// A file in memory.
struct Sink(Files, &'static str);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().entry(self.1).or_default().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(network: &Network, part: Part) -> BTreeMap<&'static str, String> {
    let files = Files::default();
    let rows = csv::write(network, part, |name| Ok(Sink(files.clone(), name))).unwrap();
    assert_eq!(rows.len(), FILES.len());
    let files = files.take();
    let text = |(name, bytes)| (name, String::from_utf8(bytes).unwrap());
    let files: BTreeMap<_, _> = files.into_iter().map(text).collect();
    for file in rows {
        let lines = files[file.name].lines().count() as u64;
        assert_eq!(lines, file.rows + 1, "{}", file.name);
    }
    files
}

fn network() -> Network {
    Network::new(Parameters::with_persons(80).with_seed(11)).unwrap()
}

fn rows<'a>(files: &'a BTreeMap<&str, String>, file: &str) -> Vec<Vec<&'a str>> {
    let lines = files[file].lines().skip(1);
    lines.map(|line| line.split('|').collect()).collect()
}

/// A column of a file.
fn column<'a>(files: &'a BTreeMap<&str, String>, file: &str, at: usize) -> BTreeSet<&'a str> {
    rows(files, file).into_iter().map(|row| row[at]).collect()
}

#[test]
fn files_have_the_headers_of_the_benchmark() {
    let files = written(&network(), Part::Whole);
    for (file, header) in [
        (
            "dynamic/person_0_0.csv",
            "id|firstName|lastName|gender|birthday|creationDate|locationIP|browserUsed|language|email",
        ),
        (
            "dynamic/person_knows_person_0_0.csv",
            "Person.id|Person.id|creationDate",
        ),
        (
            "dynamic/post_0_0.csv",
            "id|imageFile|creationDate|locationIP|browserUsed|language|content|length",
        ),
        (
            "dynamic/comment_0_0.csv",
            "id|creationDate|locationIP|browserUsed|content|length",
        ),
        (
            "dynamic/forum_hasMember_person_0_0.csv",
            "Forum.id|Person.id|joinDate",
        ),
        ("static/place_0_0.csv", "id|name|url|type"),
        ("static/organisation_0_0.csv", "id|type|name|url"),
    ] {
        assert_eq!(files[file].lines().next(), Some(header), "{file}");
    }
    assert_eq!(FILES.len(), 31);
}

#[test]
fn every_row_has_the_columns_of_its_header() {
    for (name, text) in written(&network(), Part::Whole) {
        let columns = text.lines().next().unwrap().split('|').count();
        assert!(text.lines().count() > 1, "{name} is empty");
        for line in text.lines() {
            assert_eq!(line.split('|').count(), columns, "{name}: {line}");
        }
    }
}

/// The id columns of all files, as (file, column, kind).
fn references() -> Vec<(&'static str, usize, String)> {
    let mut found = Vec::new();
    for (name, header) in FILES {
        for (i, column) in header.split('|').enumerate() {
            if let Some(kind) = column.strip_suffix(".id") {
                found.push((name, i, kind.to_lowercase()));
            }
        }
    }
    found
}

#[test]
fn every_id_exists_in_whole_networks_and_before_the_updates() {
    for part in [Part::Whole, Part::Initial] {
        let files = written(&network(), part);
        for (name, at, kind) in references() {
            let nodes = FILES.iter().map(|file| file.0);
            let home = nodes
                .into_iter()
                .find(|file| file.ends_with(&format!("/{kind}_0_0.csv")))
                .unwrap();
            let ids = column(&files, home, 0);
            let missing: Vec<_> = column(&files, name, at).difference(&ids).copied().collect();
            assert!(missing.is_empty(), "{part:?} {name}: no {kind} {missing:?}");
        }
    }
}

#[test]
fn initial_rows_and_updates_are_the_whole() {
    let network = network();
    let (whole, initial) = (
        written(&network, Part::Whole),
        written(&network, Part::Initial),
    );
    let count = |files: &BTreeMap<&str, String>, file| rows(files, file).len();
    let mut persons = Vec::new();
    let mut forums = Vec::new();
    let summary = updates::write(&network, &mut persons, &mut forums).unwrap();
    let (persons, forums) = (
        String::from_utf8(persons).unwrap(),
        String::from_utf8(forums).unwrap(),
    );
    let operations = |operation: &str| {
        let lines = persons.lines().chain(forums.lines());
        lines
            .filter(|line| line.split('|').nth(2) == Some(operation))
            .count()
    };
    let files = [
        ("1", "dynamic/person_0_0.csv", 17),
        ("2", "dynamic/person_likes_post_0_0.csv", 6),
        ("3", "dynamic/person_likes_comment_0_0.csv", 6),
        ("4", "dynamic/forum_0_0.csv", 8),
        ("5", "dynamic/forum_hasMember_person_0_0.csv", 6),
        ("6", "dynamic/post_0_0.csv", 15),
        ("7", "dynamic/comment_0_0.csv", 14),
        ("8", "dynamic/person_knows_person_0_0.csv", 6),
    ];
    for (operation, file, columns) in files {
        assert!(operations(operation) > 0, "{file}");
        assert_eq!(
            count(&initial, file) + operations(operation),
            count(&whole, file),
            "{file}"
        );
        for line in persons.lines().chain(forums.lines()) {
            if line.split('|').nth(2) == Some(operation) {
                assert_eq!(line.split('|').count(), columns, "{line}");
            }
        }
    }
    let total: usize = files.iter().map(|file| operations(file.0)).sum();
    assert_eq!(summary.updates, total as u64);
    assert!(summary.first >= network.parameters().cut());
    assert!(
        summary
            .properties()
            .contains(&format!("num_events:{total}\n"))
    );
    for stream in [&persons, &forums] {
        let times = stream
            .lines()
            .map(|line| line.split('|').next().unwrap().parse::<i64>().unwrap());
        assert!(times.is_sorted());
    }
}

#[test]
fn applied_in_order_no_update_refers_to_what_is_not_there() {
    let network = network();
    let cut = network.parameters().cut();
    let mut persons: BTreeSet<u64> = network
        .persons()
        .filter(|person| person.creation_date < cut)
        .map(|person| person.id)
        .collect();
    for update in updates::updates(&network) {
        match update.change {
            Change::Person(person) => assert!(persons.insert(person.id)),
            Change::Friendship(f) => {
                assert!(persons.contains(&f.first) && persons.contains(&f.second));
            }
            Change::Forum(forum) => assert!(persons.contains(&forum.moderator)),
            Change::Membership(m) => assert!(persons.contains(&m.person)),
            Change::Post(post) => assert!(persons.contains(&post.creator)),
            Change::Comment(comment) => assert!(persons.contains(&comment.creator)),
            Change::Like(like) => assert!(persons.contains(&like.person)),
        }
    }
}

#[test]
fn queries_ask_for_what_there_is() {
    let network = network();
    let files = written(&network, Part::Initial);
    let persons = column(&files, "dynamic/person_0_0.csv", 0);
    let all = queries::parameters(&network, 10);
    assert_eq!(all.len(), 14);
    for query in &all {
        assert_eq!(query.rows.len(), 10, "query {}", query.query);
        for row in &query.rows {
            assert_eq!(row.len(), query.columns.len());
            for (value, column_name) in row.iter().zip(query.columns) {
                let known = match *column_name {
                    "personId" | "person1Id" | "person2Id" => persons.clone(),
                    "tagName" => column(&files, "static/tag_0_0.csv", 1),
                    "tagClassName" => column(&files, "static/tagclass_0_0.csv", 1),
                    "countryName" | "countryXName" | "countryYName" => {
                        column(&files, "static/place_0_0.csv", 1)
                    }
                    "firstName" => network.persons().map(|person| person.first_name).collect(),
                    _ => {
                        assert!(value.parse::<i64>().is_ok(), "{column_name}: {value}");
                        continue;
                    }
                };
                assert!(
                    known.contains(value.as_str()),
                    "query {}: {column_name} {value}",
                    query.query
                );
            }
        }
    }
    let mut file = Vec::new();
    all[12].write(&mut file).unwrap();
    assert!(file.starts_with(b"person1Id|person2Id\n"));
    assert_eq!(all[12].file_name(), "interactive_13_param.txt");
    // With one person there is no second to ask for.
    let alone = Network::new(Parameters::with_persons(1)).unwrap();
    assert!(
        queries::parameters(&alone, 10)
            .iter()
            .all(|query| query.rows.is_empty())
    );
}

#[test]
fn short_reads_ask_for_what_there_is_before_the_updates() {
    let network = network();
    let files = written(&network, Part::Initial);
    let persons = column(&files, "dynamic/person_0_0.csv", 0);
    let mut messages = column(&files, "dynamic/post_0_0.csv", 0);
    messages.extend(column(&files, "dynamic/comment_0_0.csv", 0));
    let all = queries::short_parameters(&network, 20);
    assert_eq!(all.len(), 7);
    for (i, query) in all.iter().enumerate() {
        let (name, known) = match i {
            0..3 => ("personId", &persons),
            _ => ("messageId", &messages),
        };
        assert_eq!(query.columns, [name]);
        assert_eq!(query.rows.len(), 20, "short read {}", query.query);
        assert!(query.rows.iter().all(|row| known.contains(row[0].as_str())));
        let file = format!("interactive_short_{}_param.txt", i + 1);
        assert_eq!(query.file_name(), file);
    }
    assert_eq!(all, queries::short_parameters(&network, 20));
}

#[test]
fn a_writer_that_fails_is_reported() {
    let fail = |_: &'static str| -> io::Result<Vec<u8>> { Err(io::Error::other("no room")) };
    let error = csv::write(&network(), Part::Whole, fail).unwrap_err();
    assert_eq!(error.to_string(), "no room");
}
