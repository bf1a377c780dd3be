//! Files of directories that are no nodes and no relationships: what an import says of them.

use std::path::{Path, PathBuf};

use crate::common::{Place, database};
use evergraph::property::{Imported, PropertyGraph, PropertyImport, import};
use evergraph::{Cancellation, Error};

fn of(directory: &Path) -> PropertyImport {
    PropertyImport {
        files: vec![directory.to_path_buf()],
        ..PropertyImport::default()
    }
}

fn run(graph: &PropertyGraph, directory: &Path) -> Result<Imported, Error> {
    import(graph, &of(directory), &Cancellation::new(), &|_| {})
}

/// Names and reasons of the files of a directory that an import leaves alone.
fn left_alone(directory: &Path) -> Vec<(String, String)> {
    let db = database();
    let imported = run(db.property_graph().unwrap(), directory).unwrap();
    let ignored = imported.ignored.into_iter().map(|file| {
        let name = file.path.file_name().unwrap().to_string_lossy();
        (name.into_owned(), file.why)
    });
    ignored.collect()
}

#[test]
fn files_that_are_not_read_say_why() {
    let place = Place::new();
    let files = [
        ("city_0_0.csv", "id|name\n1|Rome\n", ""),
        ("a.txt", "hello\n", "its format is not known"),
        ("b_0_0.csv", "", "it is empty"),
        ("c.csv.partial", "id|name\n", "an export was cut off"),
        ("d.toml", "[a]\n", "a mapping of tables is named itself"),
        (
            "e.csv",
            "name,age\n",
            "its header, \"name,age\", does not say",
        ),
        ("person_0_0.csv", "name|id\n", "does not begin with id"),
        (
            "person_livesIn_city_0_0.csv",
            "a|b\n1|2\n",
            "its header is \"a|b\", its name asks for Person.id|City.id",
        ),
    ];
    let mut directory = PathBuf::new();
    for (name, content, _) in files {
        directory = place.file(&format!("all/{name}"), content);
        directory.pop();
    }
    let found = left_alone(&directory);
    let mut expected: Vec<(&str, &str)> = files[1..]
        .iter()
        .map(|(name, _, why)| (*name, *why))
        .collect();
    expected.sort_unstable();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((name, why), expected) in found.iter().zip(expected) {
        assert_eq!(name, expected.0);
        assert!(why.contains(expected.1), "{name}: {why}");
    }
    // Before anything can be missing.
    place.file("all/city_near_city_0_0.csv", "City.id|City.id\n1|7\n");
    let (db, told) = (database(), std::cell::RefCell::new(Vec::new()));
    let options = of(&directory);
    let note = |done: &Imported| told.borrow_mut().push(done.ignored.len());
    let failed = import(
        db.property_graph().unwrap(),
        &options,
        &Cancellation::new(),
        &note,
    );
    assert!(
        failed
            .unwrap_err()
            .to_string()
            .contains("no node 7 of City")
    );
    assert_eq!(told.into_inner()[0], 7);
}

#[test]
fn a_directory_without_files_says_what_the_first_is() {
    let place = Place::new();
    let mut directory = place.file("all/x.csv", "name,age\n");
    directory.pop();
    let refused = run(database().property_graph().unwrap(), &directory).unwrap_err();
    let refused = refused.to_string();
    assert!(
        refused.contains("x.csv: its header, \"name,age\""),
        "{refused}"
    );
}

#[cfg(unix)]
#[test]
fn a_file_of_a_directory_that_cannot_be_read_is_an_error() {
    let place = Place::new();
    let mut directory = place.file("all/city_0_0.csv", "id|name\n1|Rome\n");
    directory.pop();
    std::os::unix::fs::symlink("nowhere", directory.join("person_0_0.csv")).unwrap();
    let refused = run(database().property_graph().unwrap(), &directory).unwrap_err();
    assert!(refused.to_string().contains("person_0_0.csv"), "{refused}");
}

#[test]
fn a_file_of_ids_alone_is_one_of_nodes() {
    let place = Place::new();
    place.file("all/city_0_0.csv", "\u{feff}id\r\n1\r\n2\r\n");
    let mut directory = place.file("all/city_near_city_0_0.csv", "City.id|City.id\n1|2\n");
    directory.pop();
    let db = database();
    let imported = run(db.property_graph().unwrap(), &directory).unwrap();
    let found = (
        imported.nodes,
        imported.relationships,
        imported.ignored.len(),
    );
    assert_eq!(found, (2, 1, 0));
}
