//! Plain tables with a mapping into a database, and rows without labels and types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::common::{Place, bad, content, database, import_in_pieces};
use evergraph::property::{
    Census, Definition, Imported, PropertyGraph, PropertyImport, Rule, import,
};
use evergraph::{Cancellation, Database, Error, Options};

fn run(graph: &PropertyGraph, options: &PropertyImport) -> Result<Imported, Error> {
    import(graph, options, &Cancellation::new(), &|_| {})
}

fn of(mapping: &Path, skip_bad: u64) -> PropertyImport {
    PropertyImport {
        files: vec![mapping.to_path_buf()],
        skip_bad,
        ..PropertyImport::default()
    }
}

const SHOP: &str = r#"
null = "NULL"
infer = true

[[table]]
file = "customers.csv"
label = "Customer"
key = "id"

[[table]]
file = "orders.csv"
label = "Order"
key = "id"
rename = { id = "name" }

[[table.relationship]]
type = "BOUGHT"
from = { Customer = "customer" }
properties = "day"

[[table.relationship]]
type = "SOLD_BY"
to = { Seller = "seller" }

# Sellers have no table of their own.
[[table]]
file = "orders.csv"
label = "Seller"
key = "seller"
merge = true
properties = "seller"
rename = { seller = "name" }

[[table]]
file = "items.csv"
delimiter = ";"
columns = ["order", "product", "count"]
types = { count = "long" }

[[table.relationship]]
type = { column = "product", names = { a = "HAS_A", b = "HAS_B" } }
from = { Order = "order" }
to = { Customer = "product" }
"#;

/// Tables with everything that can be wrong with their rows.
fn shop(place: &Place) -> PathBuf {
    let mut customers = "id,name\na,Ann\nb,Bob\n".to_string();
    let mut orders = "id,customer,seller,day\n".to_string();
    let mut items = String::new();
    for i in 0..400_u64 {
        customers += &format!("c{},n{i}\n", if i % 90 == 7 { i - 1 } else { i });
        let id = if i % 70 == 9 { i - 5 } else { i };
        let customer = match i % 13 {
            4 => "NULL".to_string(),
            5 => format!("nobody{i}"),
            _ => format!("c{}", (i * i) % 400),
        };
        let seller = if i % 11 == 3 {
            String::new()
        } else {
            format!("s{}", i % 17)
        };
        orders += &format!("{id},{customer},{seller},{}\n", i % 7);
        let product = ["a", "b", "x"][(i % 40 / 19) as usize];
        let count = if i % 50 == 1 {
            "many".to_string()
        } else {
            i.to_string()
        };
        items += &format!("{};{product};{count}\n", (i * 7) % 410);
    }
    place.file("tables/customers.csv", customers);
    place.file("tables/orders.csv", orders);
    place.file("tables/items.csv", items);
    place.file("tables/shop.toml", SHOP)
}

/// Nodes by label, relationships by type, and bad rows, from a reading of the tables
/// that shares nothing with the other.
fn reference(directory: &Path) -> (BTreeMap<String, u64>, u64) {
    let rows = |name: &str, delimiter: char| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(directory.join(name)).unwrap();
        let fields = |line: &str| line.split(delimiter).map(str::to_string).collect();
        text.lines().map(fields).collect()
    };
    let mut counts = BTreeMap::new();
    let mut add = |what: &str| *counts.entry(what.to_string()).or_default() += 1;
    let mut bad = 0;
    let (mut customers, mut orders) = (BTreeSet::new(), BTreeSet::new());
    for row in &rows("customers.csv", ',')[1..] {
        match customers.insert(row[0].clone()) {
            true => add("Customer"),
            false => bad += 1,
        }
    }
    let mut sellers = BTreeSet::new();
    for row in &rows("orders.csv", ',')[1..] {
        let (customer, seller) = (&row[1], &row[2]);
        if !seller.is_empty() && sellers.insert(seller.clone()) {
            add("Seller");
        }
        if !orders.insert(row[0].clone()) {
            bad += 1;
            continue;
        }
        add("Order");
        if !seller.is_empty() {
            add("SOLD_BY");
        }
        match customers.contains(customer) {
            true => add("BOUGHT"),
            false => bad += u64::from(customer != "NULL"),
        }
    }
    for row in rows("items.csv", ';') {
        let is_named = ["a", "b"].contains(&&*row[1]);
        match is_named && orders.contains(&row[0]) && row[2].parse::<u64>().is_ok() {
            true => add(&format!("HAS_{}", row[1].to_uppercase())),
            false => bad += 1,
        }
    }
    (counts, bad)
}

fn counts(graph: &PropertyGraph) -> BTreeMap<String, u64> {
    let census = Census::of(&graph.view()).unwrap();
    let all = census.labels.into_iter().chain(census.types);
    all.map(|(name, count)| (name.to_string(), count)).collect()
}

#[test]
fn tables_become_what_a_plain_reading_of_them_finds() {
    let place = Place::new();
    let mapping = shop(&place);
    let (expected, bad_rows) = reference(&place.0.path().join("tables"));
    assert!(
        expected.len() == 7 && bad_rows > 50,
        "{expected:?} {bad_rows}"
    );
    for rows_at_once in [1, 100, PropertyImport::ROWS_AT_ONCE] {
        let db = database();
        let graph = db.property_graph().unwrap();
        let options = PropertyImport {
            rows_at_once,
            ..of(&mapping, bad_rows)
        };
        let imported = run(graph, &options).unwrap();
        assert_eq!(counts(graph), expected);
        assert_eq!(imported.skipped, bad_rows);
        let found = bad(&imported);
        let expected = [
            "customers.csv:11: there is a node c6 of Customer already",
            "orders.csv:7: customer: there is no node nobody5 of Customer",
            "items.csv:2: count: \"many\" is no integer",
        ];
        for expected in expected {
            assert!(
                found.iter().any(|bad| bad == expected),
                "{expected}: {found:?}"
            );
        }
    }
    let error = run(
        database().property_graph().unwrap(),
        &of(&mapping, bad_rows - 1),
    );
    assert!(error.unwrap_err().to_string().contains("may be skipped"));
}

#[test]
fn a_row_whose_node_is_refused_has_no_relationships_of_it() {
    let place = Place::new();
    let map = "[[table]]\nfile = \"people.csv\"\nlabel = \"Person\"\nkey = \"id\"\n\
               [[table.relationship]]\ntype = \"KNOWS\"\nto = { Person = \"knows\" }\n\
               [[table.relationship]]\ntype = \"SAW\"\nfrom = { Person = \"saw\" }\n\
               to = { Person = \"knows\" }\n";
    let mapping = place.file("map.toml", map);
    place.file(
        "people.csv",
        "id,name,knows,saw\n1,a,1,\n1,b,1,1\n2,a,1,\n3,c,2,\n",
    );
    let db = database();
    let graph = db.property_graph().unwrap();
    let unique = Definition::of_nodes("names", "Person", &["name"], Rule::Unique);
    graph.define(&unique).unwrap();
    let imported = run(graph, &of(&mapping, 3)).unwrap();
    // The second row is another 1, the third another "a", and only the fourth finds that
    // there is no 2: the relationships of the others are not told again.
    let found = bad(&imported);
    assert_eq!(
        found[0],
        "people.csv:3: there is a node 1 of Person already"
    );
    assert!(found[1].starts_with("people.csv:4: "), "{found:?}");
    assert_eq!(
        found[2],
        "people.csv:5: knows: there is no node 2 of Person"
    );
    let expected = [("KNOWS", 1), ("Person", 2), ("SAW", 1)];
    let expected = expected.map(|(name, count)| (name.to_string(), count));
    assert_eq!(counts(graph), BTreeMap::from(expected));
}

#[test]
fn an_import_of_tables_that_was_cut_off_goes_on_where_it_was() {
    let place = Place::new();
    let mapping = shop(&place);
    let whole = database();
    let whole = whole.property_graph().unwrap();
    let expected = run(whole, &of(&mapping, 1000)).unwrap();
    let options = Options {
        property_graph: true,
        log_bytes: 1 << 20,
        ..Options::default()
    };
    for (rows_at_once, cut_every) in [(1, 97), (7, 1), (40, 2), (300, 1)] {
        let path = place.0.path().join(format!("db-{rows_at_once}"));
        drop(Database::create(&path, &options).unwrap());
        let pieces = PropertyImport {
            rows_at_once,
            ..of(&mapping, 1000)
        };
        let (last, runs) = import_in_pieces(&path, &options, &pieces, cut_every);
        assert!(runs > 3, "{rows_at_once}: {runs}");
        assert_eq!(last.skipped, expected.skipped, "{:?}", bad(&last));
        let db = Database::open(&path, &options).unwrap();
        assert_eq!(content(db.property_graph().unwrap()), content(whole));
        assert!(db.check().problems.is_empty());
    }
}

#[test]
fn only_the_same_mapping_is_resumed() {
    let place = Place::new();
    let mapping = shop(&place);
    let db = database();
    let graph = db.property_graph().unwrap();
    run(graph, &of(&mapping, 1000)).unwrap();
    let again = PropertyImport {
        resume: true,
        ..of(&mapping, 0)
    };
    place.file(
        "tables/shop.toml",
        format!("# The same, with a remark\n{SHOP}"),
    );
    assert_eq!(run(graph, &again).unwrap().nodes, 0);
    for (from, to) in [("\"BOUGHT\"", "\"GOT\""), ("infer = true", "infer = false")] {
        place.file("tables/shop.toml", SHOP.replace(from, to));
        let refused = run(graph, &again);
        assert!(matches!(refused, Err(Error::Usage { .. })), "{refused:?}");
    }
}

#[test]
fn nodes_of_several_files_are_merged() {
    let place = Place::new();
    let table = |file: &str| {
        format!("[[table]]\nfile = {file:?}\nlabel = \"Author\"\nkey = \"author\"\nmerge = true\n")
    };
    place.file("a.csv", "author,year\nann,1\nbob,2\nann,3\n");
    place.file("b.csv", "year,author\n4,bob\n5,eve\n6,\n");
    let mapping = place.file("map.toml", table("a.csv") + &table("b.csv"));
    let db = database();
    let graph = db.property_graph().unwrap();
    let imported = run(graph, &of(&mapping, 0)).unwrap();
    assert_eq!((imported.nodes, imported.skipped), (3, 0));
    let view = graph.view();
    let nodes = view.nodes().map(|node| {
        let node = node.unwrap();
        let text = |key| node.get(key).unwrap().as_text().unwrap().to_string();
        text("author") + &text("year")
    });
    let expected = ["ann1", "bob2", "eve5"].map(str::to_string);
    assert_eq!(nodes.collect::<BTreeSet<_>>(), BTreeSet::from(expected));
}

#[test]
fn files_are_beside_the_mapping_or_where_it_is_said() {
    let place = Place::new();
    let mapping = shop(&place);
    let moved = place.file("elsewhere/shop.toml", SHOP);
    let refused = |options: &PropertyImport| {
        let error = run(database().property_graph().unwrap(), options);
        error.unwrap_err().to_string()
    };
    let missing = refused(&of(&moved, 1000));
    assert!(
        missing.contains("shop.toml:6: customers.csv: there is no such file in"),
        "{missing}"
    );
    assert!(missing.ends_with("; there are shop.toml"), "{missing}");
    let tables = place.0.path().join("tables");
    let with_data = |data: &Path, file: &Path| PropertyImport {
        data: Some(data.to_path_buf()),
        ..of(file, 1000)
    };
    let graph = database();
    let imported = run(graph.property_graph().unwrap(), &with_data(&tables, &moved)).unwrap();
    assert_eq!(imported.files, 4);
    let nowhere = refused(&with_data(Path::new("nowhere"), &mapping));
    assert!(
        nowhere.contains("there is no directory nowhere"),
        "{nowhere}"
    );
    let jsonl = place.file("a.jsonl", "{\"id\":1,\"label\":\"A\"}\n");
    assert!(refused(&with_data(&tables, &jsonl)).contains("no mapping"));
    // In a directory it might be anything.
    let found = place.file("mixed/a.jsonl", "{\"id\":1,\"label\":\"A\"}\n");
    place.file("mixed/Cargo.toml", "[package]\n");
    let graph = database();
    let imported = run(
        graph.property_graph().unwrap(),
        &of(found.parent().unwrap(), 0),
    )
    .unwrap();
    assert_eq!((imported.nodes, imported.ignored.len()), (1, 1));
}

#[test]
fn rows_without_label_or_type_have_those_that_are_given() {
    let place = Place::new();
    let graphml = "<graphml><key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"int\"/>\
                   <graph edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\" labels=\":B\"/>\
                   <edge source=\"a\" target=\"b\"><data key=\"d0\">4</data></edge></graph></graphml>";
    let files = [
        place.file("networkx.graphml", graphml),
        place.file("nodes.csv", ":ID,name\nc,x\n"),
        place.file("edges.csv", ":START_ID,:END_ID,:TYPE\nc,a,\nc,b,T\n"),
        place.file(
            "both.jsonl",
            "{\"type\":\"node\",\"id\":\"j\"}\n{\"from\":\"j\",\"to\":\"a\"}\n\
             {\"from\":\"j\",\"type\":\"T\",\"to\":\"a\"}\n",
        ),
    ];
    let options = PropertyImport {
        files: files.to_vec(),
        label: Some("Thing".to_string()),
        relationship_type: Some("LINK".to_string()),
        ..PropertyImport::default()
    };
    let db = database();
    let graph = db.property_graph().unwrap();
    run(graph, &options).unwrap();
    let expected = [("B", 1), ("LINK", 3), ("T", 2), ("Thing", 3)];
    let expected = expected.map(|(name, count)| (name.to_string(), count));
    assert_eq!(counts(graph), BTreeMap::from(expected));
    // They are a part of what is read.
    let again = PropertyImport {
        resume: true,
        ..options.clone()
    };
    assert_eq!(run(graph, &again).unwrap().nodes, 0);
    let other = PropertyImport {
        label: None,
        ..again
    };
    assert!(matches!(run(graph, &other), Err(Error::Usage { .. })));
    // Without, nodes have no label, and relationships must have a type.
    let without = PropertyImport {
        files: files.to_vec(),
        skip_bad: 3,
        ..PropertyImport::default()
    };
    let imported = run(database().property_graph().unwrap(), &without).unwrap();
    assert_eq!(
        (imported.nodes, imported.relationships, imported.skipped),
        (4, 2, 3)
    );
}
