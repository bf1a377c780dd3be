//! CSV with Neo4j's header.

use crate::common::{literal, message, node, read, relationship, rows};
use evergraph_io::interchange::csv::{Neo4jOptions, Neo4jReader};
use evergraph_io::interchange::{ExternalId, Ids, InterchangeError, RowReader};

fn reader(text: &str) -> Neo4jReader<&[u8]> {
    Neo4jReader::new("file.csv", text.as_bytes(), Neo4jOptions::default()).unwrap()
}

fn header_error(header: &str) -> String {
    message(Neo4jReader::new(
        "file.csv",
        header.as_bytes(),
        Neo4jOptions::default(),
    ))
}

#[test]
fn another_separator_is_told_from_the_header() {
    let hint = "is there another separator";
    for header in [
        ":ID;name;:LABEL\n1;a;A\n",
        "id:ID\tname:string\n",
        ":ID|name\n",
    ] {
        let error = header_error(header);
        assert!(
            error.contains(hint) && error.contains("one column"),
            "{error}"
        );
    }
    let error = header_error(":ID,kind:LABEL\n1,a\n");
    assert!(
        error.contains("kind:LABEL") && error.contains(hint),
        "{error}"
    );
    let error = header_error(":START_ID,:END_ID,kind:TYPE\n1,2,a\n");
    assert!(error.contains(hint), "{error}");
    let options = Neo4jOptions {
        delimiter: b';',
        ..Neo4jOptions::default()
    };
    let reader = Neo4jReader::new("file.csv", ":ID;name;:LABEL\n1;a,b;A\n".as_bytes(), options);
    let found = rows(reader.unwrap());
    assert_eq!(literal(&node(&found[0]).properties, "name"), "'a,b'");
}

#[test]
fn a_number_that_no_float_holds_is_bad() {
    let found = read(reader(":ID,x:double\n1,1e400\n2,-Infinity\n"));
    let message = found[0].as_ref().unwrap_err();
    assert!(
        message.contains("\"1e400\" does not fit into 64 bits"),
        "{message}"
    );
    assert_eq!(
        literal(&node(found[1].as_ref().unwrap()).properties, "x"),
        "(-1.0 / 0.0)"
    );
}

const MOVIES: &str = "\
movieId:ID(Movie),title,year:int,:LABEL
tt0133093,\"The Matrix\",1999,Movie
tt0234215,\"The Matrix \"\"Reloaded\"\"\",2003,Movie;Sequel
tt0242653,,,Movie;Sequel;Movie
";

#[test]
fn nodes_have_ids_labels_and_typed_properties() {
    let mut reader = reader(MOVIES);
    let rows: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    let first = node(&rows[0]);
    assert_eq!(
        first.id,
        Some(ExternalId::text("tt0133093").within("Movie"))
    );
    assert_eq!(literal(&first.properties, "movieId"), "'tt0133093'");
    assert_eq!(literal(&first.properties, "title"), "'The Matrix'");
    assert_eq!(literal(&first.properties, "year"), "1999");
    let labels: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| node(row).labels.iter().map(|label| &**label).collect())
        .collect();
    assert_eq!(
        labels,
        [
            vec!["Movie"],
            vec!["Movie", "Sequel"],
            vec!["Movie", "Sequel"]
        ]
    );
    assert_eq!(
        literal(&node(&rows[1]).properties, "title"),
        "'The Matrix \"Reloaded\"'"
    );
    // Nothing between commas is no value.
    assert_eq!(node(&rows[2]).properties.len(), 1);
    assert_eq!(
        (reader.file().to_string(), reader.line()),
        ("file.csv".to_string(), 4)
    );
}

#[test]
fn relationships_have_ends_in_id_spaces_and_a_type() {
    let rows = rows(reader(
        "\u{feff}:START_ID(Person),role,:END_ID(Movie),:TYPE\r\nkeanu,Neo,tt1,ACTED_IN\r\n",
    ));
    let row = relationship(&rows[0]);
    assert_eq!(row.source, ExternalId::text("keanu").within("Person"));
    assert_eq!(row.target, ExternalId::text("tt1").within("Movie"));
    assert_eq!(&*row.kind, "ACTED_IN");
    assert_eq!(literal(&row.properties, "role"), "'Neo'");
}

#[test]
fn every_type_is_read() {
    let rows = rows(reader(
        ":ID,b:boolean,i:int,l:long,s:short,y:byte,f:float,d:double,c:char,t:string,da:date,\
         ti:time,lt:localtime,dt:datetime,ld:localdatetime,du:duration,p:point,a:int[],st:String[],by:bytes,x:IGNORE\n\
         1,TRUE,-7,9223372036854775807, 5 ,1,1.5,1e3,z,\"\",2020-02-29,12:30:00+01:00,12:30:00,\
         2020-02-29T12:30:00Z,2020-02-29T12:30:00,P1Y2M3DT4S,\"{latitude: 56.7, longitude: 12.78}\",1;2;3,a;;b,0aFF,gone\n",
    ));
    let row = node(&rows[0]);
    let expected = [
        ("b", "true"),
        ("i", "-7"),
        ("l", "9223372036854775807"),
        ("s", "5"),
        ("y", "1"),
        ("f", "1.5"),
        ("d", "1000.0"),
        ("c", "'z'"),
        ("t", "''"),
        ("da", "date('2020-02-29')"),
        ("ti", "time('12:30:00+01:00')"),
        ("lt", "localtime('12:30:00')"),
        ("dt", "datetime('2020-02-29T12:30:00Z')"),
        ("ld", "localdatetime('2020-02-29T12:30:00')"),
        ("du", "duration('P14M3DT4S')"),
        ("p", "point({srid: 4326, x: 12.78, y: 56.7})"),
        ("a", "[1, 2, 3]"),
        ("st", "['a', '', 'b']"),
        ("by", "bytes('0aff')"),
        ("x", "absent"),
    ];
    for (name, value) in expected {
        assert_eq!(literal(&row.properties, name), value, "{name}");
    }
}

#[test]
fn bad_rows_name_file_line_and_column() {
    let found = read(reader(
        ":ID,age:int,born:date,at:point,ok:boolean,:LABEL\n\
         1,abc,,,,A\n\
         2,99999999999999999999,,,,A\n\
         3,,2021-02-29,,,A\n\
         4,,,\"{x: 1}\",,A\n\
         5,,,,maybe,A\n\
         6,,\n\
         \"7\n8\",x,,,,A\n\
         9,1,,,,A\n",
    ));
    let expected = [
        "file.csv:2: age: \"abc\" is no integer",
        "file.csv:3: age: \"99999999999999999999\" does not fit into 64 bits",
        "file.csv:4: born: \"2021-02-29\" is not a DATE: ",
        "file.csv:5: at: \"{x: 1}\" is no point such as {x: 1.5, y: 2}",
        "file.csv:6: ok: \"maybe\" is neither true nor false",
        "file.csv:7: 3 columns, the header has 6",
        "file.csv:8: age: \"x\" is no integer",
    ];
    for (found, expected) in found.iter().zip(expected) {
        let found = found.as_ref().unwrap_err();
        assert!(found.starts_with(expected), "{found} and not {expected}");
    }
    assert_eq!(found.len(), 8);
    // The row of two lines was counted.
    assert!(found[7].is_ok());
}

#[test]
fn ends_and_types_have_to_be_there() {
    let found = read(reader(":START_ID,:END_ID,:TYPE\n,2,X\n1,,X\n1,2,\n1,2,X\n"));
    let messages: Vec<&str> = found
        .iter()
        .filter_map(|row| row.as_ref().err())
        .map(String::as_str)
        .collect();
    let expected = [
        "file.csv:2: :START_ID: nothing is there",
        "file.csv:3: :END_ID: nothing is there",
        "file.csv:4: :TYPE: nothing is there",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn headers_that_are_not_clear_are_refused() {
    for (header, expected) in [
        ("", "file.csv:1: the file has no header"),
        (
            ":ID,age:integerr\n",
            "file.csv:1: age: \"integerr\" is no type; known are boolean, long",
        ),
        (
            ":START_ID,name\n",
            "file.csv:1: the header is not clear: a relationship needs :START_ID and :END_ID",
        ),
        (":ID,:ID(B)\n", "ids of several columns are not supported"),
        (":ID,:START_ID,:END_ID\n", ":ID belongs to nodes"),
        (":START_ID,:END_ID,:LABEL\n", "no :LABEL"),
        (":ID,name,name:int\n", "name: two columns are called so"),
        (
            ":ID(Person,name\n",
            "the id space in parentheses does not end",
        ),
        (
            ":ID{id-type:date}\n",
            "ids are long or string, not \"date\"",
        ),
        (":ID{groups:1}\n", "the option \"groups\" is not known"),
        (":ID,:WHAT\n", "\":WHAT\" is none of"),
        (":ID,\"name\n", "does not end"),
        (",:ID,name\n", "unless to_csv has index=False"),
        (":ID,,name\n", "column 2 has no name"),
    ] {
        let found = header_error(header);
        assert!(
            found.contains(expected),
            "{header:?}: {found} and not {expected}"
        );
    }
}

#[test]
fn ids_are_texts_or_integers_as_asked_for() {
    let options = Neo4jOptions {
        ids: Ids::Integers,
        ..Neo4jOptions::default()
    };
    let text = "n:ID\n007\n7\nx\n";
    let found = read(Neo4jReader::new("f", text.as_bytes(), options).unwrap());
    assert_eq!(
        node(found[0].as_ref().unwrap()).id,
        node(found[1].as_ref().unwrap()).id
    );
    assert_eq!(
        found[2],
        Err("f:4: n: \"x\" is no 64-bit integer".to_string())
    );
    let in_header = rows(reader("n:ID{id-type: long}\n7\n"));
    assert_eq!(node(&in_header[0]).id, Some(ExternalId::integer(7)));
    assert_ne!(node(&in_header[0]).id, Some(ExternalId::text("7")));
}

#[test]
fn header_labels_and_type_may_come_from_elsewhere() {
    let options = Neo4jOptions {
        header: Some("id:ID\tname".to_string()),
        labels: vec!["Person".into()],
        delimiter: b'\t',
        ..Neo4jOptions::default()
    };
    let rows = rows(Neo4jReader::new("f", &b"1\tAda, Countess\n"[..], options).unwrap());
    assert_eq!(
        literal(&node(&rows[0]).properties, "name"),
        "'Ada, Countess'"
    );
    assert_eq!(*node(&rows[0]).labels[0], *"Person");
    let options = Neo4jOptions {
        kind: Some("KNOWS".into()),
        ..Neo4jOptions::default()
    };
    let rows = crate::common::rows(
        Neo4jReader::new("f", &b":START_ID,:END_ID\n1,2\n"[..], options).unwrap(),
    );
    assert_eq!(&*relationship(&rows[0]).kind, "KNOWS");
}

#[test]
fn a_quote_that_does_not_end_ends_reading() {
    let mut reader = reader(":ID,t\n1,\"a\n2,b\n");
    let error = reader.next().unwrap().unwrap_err();
    assert!(matches!(error, InterchangeError::Unreadable(_)), "{error}");
    assert!(error.to_string().starts_with("file.csv:2: "), "{error}");
    assert!(reader.next().is_none());
}
