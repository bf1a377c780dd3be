//! The mappings of `docs/mappings` on the data that they are for, which is not part of
//! the repository: `EVERGRAPH_DATA=DIRECTORY cargo test -p evergraph --test it sample_data
//! -- --ignored`, with the directories `northwind`, `openflights`, `kg-wn18rr` and
//! `git-tinkerpop` in it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::common::database;
use evergraph::Cancellation;
use evergraph::property::{Census, PropertyImport, import};

fn data(name: &str) -> PathBuf {
    let place = std::env::var_os("EVERGRAPH_DATA").expect("EVERGRAPH_DATA names a directory");
    Path::new(&place).join(name)
}

/// Nodes by label and relationships by type, and how many rows were left out.
fn imported(mapping: &str, place: &Path, skip_bad: u64) -> (BTreeMap<String, u64>, u64) {
    let mappings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mappings");
    let db = database();
    let graph = db.property_graph().unwrap();
    let options = PropertyImport {
        files: vec![mappings.join(mapping)],
        data: Some(place.to_path_buf()),
        skip_bad,
        ..PropertyImport::default()
    };
    let done = import(graph, &options, &Cancellation::new(), &|_| {}).unwrap();
    let census = Census::of(&graph.view()).unwrap();
    let counts = census.labels.into_iter().chain(census.types);
    let counts = counts.map(|(name, count)| (name.to_string(), count));
    (counts.collect(), done.skipped)
}

/// The lines of a file, which are taken apart without what the import does.
fn lines(path: PathBuf) -> Vec<String> {
    let bytes = std::fs::read(&path).unwrap();
    let mut text = String::new();
    match path.extension().and_then(|end| end.to_str()) {
        Some("gz") => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text),
        Some("zst") => zstd::Decoder::new(&bytes[..])
            .unwrap()
            .read_to_string(&mut text),
        _ => (&bytes[..]).read_to_string(&mut text),
    }
    .unwrap();
    text.lines()
        .map(|line| line.trim_end().to_string())
        .collect()
}

fn expected<const N: usize>(counts: [(&str, u64); N]) -> BTreeMap<String, u64> {
    let counts = counts.into_iter();
    counts
        .map(|(name, count)| (name.to_string(), count))
        .collect()
}

#[test]
#[ignore = "reads data that is not part of the repository, in the directory EVERGRAPH_DATA"]
fn northwind() {
    let place = data("northwind");
    let found = imported("northwind.toml", &place, 0);
    let rows = |file: &str| lines(place.join(file)).len() as u64 - 1;
    let expected = expected([
        ("Category", rows("categories.csv")),
        ("Customer", rows("customers.csv")),
        ("Employee", rows("employees.csv")),
        ("Order", rows("orders.csv")),
        ("Product", rows("products.csv")),
        ("Region", rows("regions.csv")),
        ("Shipper", rows("shippers.csv")),
        ("Supplier", rows("suppliers.csv")),
        ("Territory", rows("territories.csv")),
        ("CONTAINS", rows("order-details.csv")),
        ("COVERS", rows("employee-territories.csv")),
        ("IN_REGION", 53),
        ("PART_OF", 77),
        ("PURCHASED", 830),
        // All but the one employee without a superior.
        ("REPORTS_TO", 8),
        ("SHIPPED_BY", rows("orders.csv")),
        ("SOLD", 830),
        ("SUPPLIES", rows("products.csv")),
    ]);
    assert_eq!(found, (expected, 0));
}

#[test]
#[ignore = "reads data that is not part of the repository, in the directory EVERGRAPH_DATA"]
fn openflights() {
    let place = data("openflights");
    let (found, skipped) = imported("openflights.toml", &place, 500);
    let airports = lines(place.join("airports.dat.gz"));
    let ids: HashSet<&str> = airports
        .iter()
        .map(|line| line.split(',').next().unwrap())
        .collect();
    let (mut routes, mut without) = (0, 0);
    for line in lines(place.join("routes.dat.gz")) {
        let fields: Vec<&str> = line.split(',').collect();
        match (fields[3], fields[5]) {
            ("\\N", _) | (_, "\\N") => {}
            (source, target) if ids.contains(source) && ids.contains(target) => routes += 1,
            _ => without += 1,
        }
    }
    assert_eq!((found["ROUTE"], skipped), (routes, without));
    assert_eq!(
        (routes, found["Airport"], found["Airline"]),
        (66_771, 7_698, 6_162)
    );
    assert_eq!(found["IN"], found["Airport"]);
}

#[test]
#[ignore = "reads data that is not part of the repository, in the directory EVERGRAPH_DATA"]
fn wn18rr() {
    let place = data("kg-wn18rr");
    let (found, skipped) = imported("wn18rr.toml", &place, 0);
    let names = lines(place.join("relation2id.txt.gz"));
    let mut counts = expected([("Entity", 40_943)]);
    for file in ["train2id.txt.gz", "valid2id.txt.gz", "test2id.txt.gz"] {
        for line in &lines(place.join(file))[1..] {
            let relation = line.rsplit(' ').next().unwrap();
            let mut names = names.iter().filter_map(|name| name.split_once('\t'));
            let name = names.find(|name| name.1 == relation).unwrap().0;
            *counts.entry(name.to_string()).or_default() += 1;
        }
    }
    assert_eq!((&found, skipped), (&counts, 0));
    assert_eq!(found.values().sum::<u64>(), 40_943 + 93_003);
}

#[test]
#[ignore = "reads data that is not part of the repository, in the directory EVERGRAPH_DATA"]
fn tinkerpop() {
    let place = data("git-tinkerpop");
    let (found, skipped) = imported("tinkerpop.toml", &place, 0);
    let commits = lines(place.join("commits.tsv.zst"));
    let commits: Vec<Vec<&str>> = commits[1..]
        .iter()
        .map(|line| line.split('\t').collect())
        .collect();
    let authors: BTreeSet<&str> = commits.iter().map(|commit| commit[3]).collect();
    let parents = commits.iter().filter_map(|commit| commit.get(4));
    let parents = parents.map(|parents| parents.split(',').filter(|id| !id.is_empty()).count());
    let touches = lines(place.join("touches.tsv.zst"));
    let of_kind = |kind: &str| {
        let kinds = touches[1..]
            .iter()
            .map(|line| line.split('\t').nth(1).unwrap());
        kinds.filter(|found| *found == kind).count() as u64
    };
    let expected = expected([
        ("Author", authors.len() as u64),
        ("Commit", commits.len() as u64),
        ("File", lines(place.join("files.tsv.zst")).len() as u64 - 1),
        ("ADDED", of_kind("A")),
        ("CHANGED_TYPE", of_kind("T")),
        ("DELETED", of_kind("D")),
        ("MODIFIED", of_kind("M")),
        ("PARENT", parents.sum::<usize>() as u64),
        ("WRITTEN_BY", commits.len() as u64),
    ]);
    assert_eq!((found, skipped), (expected, 0));
}
