//! Plain tables with a mapping: what rows become, what is wrong with them, and what is
//! wrong with a mapping.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_io::interchange::tables::{Mapping, TableFile, TableReader};
use evergraph_io::interchange::{InterchangeError, Row, RowReader};
use evergraph_property_graph::Value;
use proptest::prelude::*;

/// Files by their names.
type Files<'a> = &'a [(&'a str, &'a str)];

fn resolve(mapping: &str, files: Files<'_>) -> Result<Vec<TableFile>, InterchangeError> {
    let open = |name: &str| {
        let file = files.iter().find(|file| file.0 == name);
        Ok(file
            .unwrap_or_else(|| panic!("{name} was not asked for"))
            .1
            .as_bytes())
    };
    Mapping::parse("map.toml", mapping)?.resolve(open, &|| Ok(()))
}

/// All rows of all files of a mapping, as texts.
fn read(mapping: &str, files: Files<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for table in resolve(mapping, files).unwrap() {
        let content = files.iter().find(|file| file.0 == table.path).unwrap().1;
        let reader = TableReader::new(&table.path, content.as_bytes(), &table).unwrap();
        for row in reader {
            found.push(match row {
                Ok(row) => shown(&row),
                Err(error) => error.to_string(),
            });
        }
    }
    found
}

/// `(1 of A:A:B {x: 1})`, `(1 of A)-[T {x: 1}]->(2 of B)`.
fn shown(row: &Row) -> String {
    let value = |value: &Value| match value {
        Value::Text(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    let properties = |properties: &[(Arc<str>, Value)]| {
        let pair = |(name, found): &(Arc<str>, Value)| format!("{name}: {}", value(found));
        let all: Vec<String> = properties.iter().map(pair).collect();
        match all.is_empty() {
            true => String::new(),
            false => format!(" {{{}}}", all.join(", ")),
        }
    };
    match row {
        Row::Node(node) => {
            let id = node.id.as_ref().expect("rows of tables have ids");
            format!(
                "({id}:{}{})",
                node.labels.join(":"),
                properties(&node.properties)
            )
        }
        Row::Relationship(row) => {
            let properties = properties(&row.properties);
            format!(
                "({})-[{}{properties}]->({})",
                row.source, row.kind, row.target
            )
        }
    }
}

const ORDERS: &str = r#"
null = "NULL"

[[table]]
file = "customers.csv"
label = "Customer"
key = "id"

[[table]]
file = "orders.csv"
label = ["Order", "Document"]
key = "id"
types = { id = "long", price = "double" }
omit = "note"
rename = { price = "total" }

[[table.relationship]]
type = "BOUGHT"
from = { Customer = "customer" }
properties = "day"

[[table.relationship]]
type = "REPLACES"
to = { Order = "replaces" }
"#;

const CUSTOMERS: &str = "id,name\nA,\"Ann, \"\"the\"\" first\"\nB,NULL\n";

#[test]
fn a_row_gives_its_node_and_its_relationships() {
    let orders = "id,customer,replaces,price,day,note\r\n\
                  1,A,NULL,14.00,mon,x\r\n2,NULL,1,,\"\",x\r\n";
    let found = read(
        ORDERS,
        &[("customers.csv", CUSTOMERS), ("orders.csv", orders)],
    );
    let expected = [
        r#"(A of Customer:Customer {id: "A", name: "Ann, \"the\" first"})"#,
        r#"(B of Customer:Customer {id: "B"})"#,
        // Columns that relationships use are not properties of the node, too.
        "(1 of Order:Order:Document {id: 1, total: 14.0})",
        r#"(A of Customer)-[BOUGHT {day: "mon"}]->(1 of Order)"#,
        "(2 of Order:Order:Document {id: 2})",
        "(2 of Order)-[REPLACES]->(1 of Order)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_is_wrong_with_a_row_is_told_apart_from_what_is_good_in_it() {
    let orders = "id,customer,replaces,price,day,note\n1,A\n2,A,NULL,dear,mon,x\n\
                  3,A,x7,1,mon,x\n,A,NULL,1,mon,x\n4,A,3,1,mon,\"x\"y\n5,B,3,1,mon,\n";
    let found = read(
        ORDERS,
        &[("customers.csv", "id,name\n"), ("orders.csv", orders)],
    );
    let expected = [
        "orders.csv:2: 2 columns, expected 6",
        // Without its node a row has none of its relationships.
        r#"orders.csv:3: price: "dear" is no number"#,
        "(3 of Order:Order:Document {id: 3, total: 1.0})",
        r#"(A of Customer)-[BOUGHT {day: "mon"}]->(3 of Order)"#,
        r#"orders.csv:4: replaces: "x7" is no 64-bit integer"#,
        "orders.csv:5: id: nothing is there",
        "orders.csv:6: something follows the quote that ends a field; in a table without \
         quoted fields say `quotes = false`",
        "(5 of Order:Order:Document {id: 5, total: 1.0})",
        r#"(B of Customer)-[BOUGHT {day: "mon"}]->(5 of Order)"#,
        "(5 of Order)-[REPLACES]->(3 of Order)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn readers_say_what_is_known_of_a_row_besides() {
    let files = [("t.csv", "a,b\n1,2\n")];
    let mapping = "[[table]]\nfile = \"t.csv\"\nlabel = \"A\"\nkey = \"a\"\nmerge = true\n\
                   [[table.relationship]]\ntype = \"T\"\nto = { A = \"b\" }\n\
                   [[table.relationship]]\ntype = \"U\"\nfrom = { A = \"b\" }\nto = { A = \"a\" }\n";
    let table = &resolve(mapping, &files).unwrap()[0];
    let mut reader = TableReader::new("t.csv", files[0].1.as_bytes(), table).unwrap();
    let mut standings = Vec::new();
    while let Some(row) = reader.next() {
        row.unwrap();
        let standing = reader.standing();
        let ends = standing.ends.map(|ends| ends.join(" "));
        standings.push((standing.merges, standing.is_of_node, ends));
    }
    let expected = [
        (true, false, None),
        (false, true, Some("a b".to_string())),
        (false, false, Some("b a".to_string())),
    ];
    assert_eq!(standings, expected);
}

#[test]
fn names_come_from_columns_and_lookups() {
    let mapping = r#"
skip = 1
delimiter = " "

[[table]]
file = ["a.txt", "b.txt"]
columns = ["head", "tail", "relation"]

[[table.relationship]]
type = { column = "relation", lookup = "relations" }
from = { Entity = "head" }
to = { Entity = "tail" }
properties = []

[[table]]
file = "entities.csv"
skip = 0
delimiter = ","
label = ["Entity", { column = "kinds", names = { p = "Person", a = "Author" } }, { column = "more" }]
key = "id"
types = { kinds = "string[]", id = "long" }

[lookup.relations]
file = "relations.tsv"
delimiter = "\t"
columns = ["name", "id"]
key = "id"
value = "name"
"#;
    let files = [
        ("a.txt", "2\n1 2 0\n2 1 1\n"),
        ("b.txt", "a line without meaning\n1 1 7\n1 2 \n"),
        ("entities.csv", "id,kinds,more\n1,p;a,Person\n2,,\n3,x,\n"),
        ("relations.tsv", "2\r\n_hypernym\t0\r\n_also see\t1\r\n"),
    ];
    let expected = [
        "(1 of Entity)-[_hypernym]->(2 of Entity)",
        "(2 of Entity)-[_also see]->(1 of Entity)",
        r#"b.txt:2: relation: no name is given for "7""#,
        "b.txt:3: relation: nothing is there",
        "(1 of Entity:Entity:Person:Author {id: 1})",
        "(2 of Entity:Entity {id: 2})",
        r#"entities.csv:4: kinds: no name is given for "x""#,
    ];
    assert_eq!(read(mapping, &files), expected);
}

#[test]
fn keys_are_of_one_column_of_several_or_the_row_itself() {
    let mapping = r#"
[[table]]
file = "pairs.csv"
label = "Pair"
key = ["a", "b"]

[[table]]
file = "refs.csv"
label = "Ref"
types = { pairs = "string[]" }
[[table.relationship]]
type = "OF"
to = { Pair = ["x", "y"] }
[[table.relationship]]
type = "NAMES"
to = { Name = "names" }

[[table]]
file = "names.csv"
label = "Name"
key = "name"
"#;
    let mapping = mapping.replace("pairs = \"string[]\"", "names = \"string[]\"");
    let files = [
        ("pairs.csv", "a,b\n1,2\n\"1, 2\",3\n1,\"2, 3\"\n1,\n"),
        ("refs.csv", "x,y,names,z\n1,2,p;;q; ,9\n1,,,8\n"),
        ("names.csv", "name\np\n"),
    ];
    let expected = [
        r#"(1, 2 of Pair:Pair {a: "1", b: "2"})"#,
        r#"(1\, 2, 3 of Pair:Pair {a: "1, 2", b: "3"})"#,
        r#"(1, 2\, 3 of Pair:Pair {a: "1", b: "2, 3"})"#,
        "pairs.csv:5: b: nothing is there",
        r#"(2 of Ref of refs.csv:Ref {z: "9"})"#,
        "(2 of Ref of refs.csv)-[OF]->(1, 2 of Pair)",
        "(2 of Ref of refs.csv)-[NAMES]->(p of Name)",
        "(2 of Ref of refs.csv)-[NAMES]->(q of Name)",
        r#"(3 of Ref of refs.csv:Ref {z: "8"})"#,
        r#"(p of Name:Name {name: "p"})"#,
    ];
    assert_eq!(read(&mapping, &files), expected);
}

#[test]
fn types_are_inferred_from_all_files_of_a_table() {
    let mapping = r#"
infer = true
null = "NULL"
[[table]]
file = ["a.csv", "b.csv"]
label = "A"
key = "id"
types = { phone = "string" }
[[table]]
file = "c.csv"
[[table.relationship]]
type = "T"
from = { A = "a" }
to = { A = "b" }
"#;
    let files = [
        (
            "a.csv",
            "id,price,code,phone,day,none\n1,2,3,5467,1996-07-04 00:00:00.000,\n",
        ),
        // Columns by their names, wherever they are.
        (
            "b.csv",
            "price,id,code,phone,none,day\n2.50,2,03,NULL,NULL,NULL\n",
        ),
        // The key of nodes says what the ends are.
        ("c.csv", "a,b\n1,2\nx,2\n"),
    ];
    let expected = [
        r#"(1 of A:A {id: 1, price: 2.0, code: "3", phone: "5467", day: localdatetime('1996-07-04T00:00:00')})"#,
        r#"(2 of A:A {price: 2.5, id: 2, code: "03"})"#,
        "(1 of A)-[T]->(2 of A)",
        r#"c.csv:3: a: "x" is no 64-bit integer"#,
    ];
    assert_eq!(read(mapping, &files), expected);
    let is_read_alike = |mapping: &str| {
        let identity = |mapping: &str| resolve(mapping, &files).unwrap()[0].identity();
        identity(mapping) == identity(ORDER_FREE)
    };
    const ORDER_FREE: &str = "infer = true\nnull = \"NULL\"\n[[table]]\nkey = \"id\"\n\
                              label = \"A\"\nfile = \"a.csv\"\n";
    assert!(is_read_alike(&format!("# A remark\n{ORDER_FREE}")));
    assert!(!is_read_alike(&ORDER_FREE.replace("true", "false")));
    assert!(!is_read_alike(&ORDER_FREE.replace("NULL", "N")));
}

#[test]
fn texts_without_a_value_and_quotes() {
    let table = "[[table]]\nfile = \"t.csv\"\nlabel = \"A\"\nkey = \"k\"\n";
    let files = [("t.csv", "k,a,b\n1,\"\",\\N\n2,\"\\N\",x\n")];
    let found = read(table, &files);
    assert_eq!(found[0], r#"(1 of A:A {k: "1", a: "", b: "\\N"})"#);
    let found = read(&format!("null = [\"\\\\N\", \"\"]\n{table}"), &files);
    assert_eq!(
        found,
        ["(1 of A:A {k: \"1\"})", "(2 of A:A {k: \"2\", b: \"x\"})"]
    );
    let files = [("t.csv", "k,a,b\n1,\"x,y\"\n")];
    let found = read(&format!("quotes = false\n{table}"), &files);
    assert_eq!(found, [r#"(1 of A:A {k: "1", a: "\"x", b: "y\""})"#]);
}

#[test]
fn a_wrong_mapping_names_its_line() {
    let node = "[[table]]\nfile = \"t.csv\"\nlabel = \"A\"\n";
    let cases = [
        ("", "map.toml:1: there is no [[table]]"),
        ("x = \n", "map.toml:1: "),
        (
            "[[table]]\nfile = \"t.csv\"\n",
            "map.toml:1: a [[table]] without a `label`, and",
        ),
        (
            "\n\n[[table]]\nlabel = \"A\"\n",
            "map.toml:3: a [[table]] without a `file`",
        ),
        (
            "[[table]]\nfile = 7\n",
            "map.toml:2: file: expected a text in quotes, found 7",
        ),
        (
            &format!("{node}lable = 1\n"),
            "map.toml:4: lable: there is no such key here; there are delimiter, skip, ",
        ),
        (
            &format!("nul = 1\n{node}"),
            "map.toml:1: nul: there is no such key here",
        ),
        (
            &format!("delimiter = \"--\"\n{node}"),
            "map.toml:1: delimiter: expected one character",
        ),
        (
            &format!("skip = -1\n{node}"),
            "map.toml:1: skip: expected a number from 0, found -1",
        ),
        (
            &format!("columns = \"a\"\n{node}"),
            "map.toml:1: `columns` are those of a [[table]]",
        ),
        (
            &format!("{node}types = {{ a = \"number\" }}\n"),
            "map.toml:4: a: \"number\" is no type; known are boolean, ",
        ),
        (
            &format!("{node}key = \"c\"\n"),
            "map.toml:4: t.csv has no column \"c\"; there are a, b",
        ),
        (
            &format!("{node}types = {{ c = \"long\" }}\n"),
            "map.toml:4: t.csv has no column \"c\"; there are a, b",
        ),
        (
            &format!("{node}delimiter = \";\"\nkey = \"c\"\n"),
            "map.toml:5: t.csv has no column \"c\"; there are a,b; is there another `delimiter`",
        ),
        (
            &format!("{node}merge = true\n"),
            "map.toml:4: merge: nodes are told apart by",
        ),
        (
            "[[table]]\nfile = \"t.csv\"\nkey = \"a\"\n",
            "map.toml:3: key: this is of nodes, and the table has no `label`",
        ),
        (
            "[[table]]\nfile = \"t.csv\"\nlabel = { column = \"a\" }\n",
            "map.toml:3: label: the first label is a text",
        ),
        (
            &format!("{node}rename = {{ a = \"b\" }}\n"),
            "map.toml:1: two properties are called \"b\"",
        ),
        (
            &format!("{node}[[table.relationship]]\ntype = \"T\"\n"),
            "map.toml:4: a [[table.relationship]] needs `from`, `to`, or both",
        ),
        (
            &format!("{node}[[table.relationship]]\nto = {{ A = \"b\" }}\n"),
            "map.toml:4: a [[table.relationship]] without a `type`",
        ),
        (
            &format!("{node}[[table.relationship]]\ntype = \"T\"\nto = {{ B = \"b\" }}\n"),
            "map.toml:6: no table has nodes \"B\"; there are A",
        ),
        (
            &format!("{node}[[table.relationship]]\ntype = \"T\"\nto = {{ A = \"b\" }}\n"),
            "map.toml:6: nodes A have no `key` by which to find them",
        ),
        (
            &format!(
                "{node}key = [\"a\", \"b\"]\n[[table.relationship]]\ntype = \"T\"\nto = {{ A = \"b\" }}\n"
            ),
            "map.toml:7: nodes A have a key of 2 columns, not 1",
        ),
        (
            "[[table]]\nfile = \"t.csv\"\n[[table.relationship]]\ntype = \"T\"\nto = { A = \"b\" }\n",
            "map.toml:3: without a `label` rows have no node of their own",
        ),
        (
            &format!(
                "{node}key = \"a\"\n[[table.relationship]]\ntype = {{ column = \"b\", lookup = \"l\" }}\nto = {{ A = \"b\" }}\n"
            ),
            "map.toml:6: no [lookup.l]; there are none",
        ),
        (
            &format!("{node}[lookup.l]\nfile = \"t.csv\"\nkey = \"a\"\n"),
            "map.toml:4: a [lookup.l] without a `value`",
        ),
        (
            &format!("{node}[lookup.l]\nfile = \"t.csv\"\nkey = \"a\"\nvalue = \"c\"\n"),
            "map.toml:7: t.csv has no column \"c\"; there are a, b",
        ),
        (
            "[[table]]\nfile = \"pandas.csv\"\nlabel = \"A\"\n",
            "map.toml:2: column 1 of pandas.csv has no name: \"\"; leave it out (omit = [\"\"])",
        ),
        (
            "[[table]]\nfile = \"twice.csv\"\nlabel = \"A\"\n",
            "map.toml:2: column 2 of twice.csv has the name of one before it: \"a\"",
        ),
        (
            "[[table]]\nfile = \"empty.csv\"\nlabel = \"A\"\n",
            "empty.csv:1: the file has no header",
        ),
        (
            "[[table]]\nfile = \"t.csv\"\nlabel = \"A\"\n[lookup.l]\nfile = \"dup.csv\"\nkey = \"a\"\nvalue = \"b\"\n",
            "dup.csv:3: a: \"1\" is there already",
        ),
    ];
    let files = [
        ("t.csv", "a,b\n1,2\n"),
        ("pandas.csv", ",a\n0,1\n"),
        ("twice.csv", "a,a\n0,1\n"),
        ("empty.csv", "\n"),
        ("dup.csv", "a,b\n1,x\n1,y\n"),
    ];
    for (mapping, expected) in cases {
        let found = crate::common::message(resolve(mapping, &files));
        assert!(found.starts_with(expected), "{mapping}\n{found}");
    }
    let omitted = "[[table]]\nfile = \"pandas.csv\"\nlabel = \"A\"\nomit = \"\"\n";
    assert_eq!(
        read(omitted, &files),
        [r#"(2 of A of pandas.csv:A {a: "1"})"#]
    );
}

/// Rows of two tables: keys, texts, and a reference that may be empty.
fn tables() -> impl Strategy<Value = Vec<(u8, String, Option<u8>)>> {
    let text = "[a-z\",\n é]{0,5}";
    prop::collection::vec((any::<u8>(), text, prop::option::of(any::<u8>())), 0..30)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

proptest! {
    /// The same rows, made straight from what was written.
    #[test]
    fn rows_are_those_that_were_written(rows in tables(), delimiter in prop::sample::select(vec![',', ';', '\t', '|'])) {
        let mut file = ["key", "text", "other"].join(&delimiter.to_string()) + "\n";
        let mut expected = Vec::new();
        for (key, text, other) in &rows {
            let shown = other.map_or("-".to_string(), |other| other.to_string());
            file += &format!("{key}{delimiter}{}{delimiter}{shown}\n", quoted(text));
            expected.push(format!("({key} of A:A {{key: {key}, text: {text:?}}})"));
            expected.extend(other.map(|other| format!("({key} of A)-[T]->({other} of A)")));
        }
        let mapping = format!(
            "null = \"-\"\ndelimiter = {:?}\n[[table]]\nfile = \"t\"\nlabel = \"A\"\n\
             key = \"key\"\ntypes = {{ key = \"long\" }}\n[[table.relationship]]\ntype = \"T\"\n\
             to = {{ A = \"other\" }}\n",
            delimiter.to_string()
        );
        let files = [("t", file.as_str())];
        prop_assert_eq!(read(&mapping, &files), expected);
        // Inferred values are written as they were read: nothing changes but the type.
        let plain = mapping.replace("types = { key = \"long\" }", "");
        let untyped = |rows: Vec<String>| -> BTreeMap<usize, String> {
            rows.into_iter().map(|row| row.replace('"', "")).enumerate().collect()
        };
        let inferred = read(&format!("infer = true\n{plain}"), &files);
        prop_assert_eq!(untyped(inferred), untyped(read(&plain, &files)));
    }
}
