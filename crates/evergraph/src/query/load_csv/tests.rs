//! `LOAD CSV` through the facade.

use std::fmt::Write;
use std::time::Duration;

use crate::query::Cancellation;
use crate::query::test_place::Place;

/// A file of one column, with its name first.
fn numbers(count: u32) -> String {
    let mut text = String::from("id\n");
    for number in 1..=count {
        writeln!(text, "{number}").unwrap();
    }
    text
}

#[test]
fn lines_are_lists_of_texts() {
    let place = Place::with("a.csv", "1,Ann,\n\n2,\"\",x y\n3\n");
    assert_eq!(
        place.rows("LOAD CSV FROM 'DIR/a.csv' AS line RETURN line"),
        ["['1', 'Ann', null]", "['2', '', 'x y']", "['3']"]
    );
    let text = "LOAD CSV FROM 'DIR/a.csv' AS line \
                RETURN line[0] + 1, toInteger(line[0]) + 1, line[2] IS NULL, size(line)";
    assert_eq!(
        place.rows(text),
        ["'11' 2 true 3", "'21' 3 false 3", "'31' 4 true 1"]
    );
}

#[test]
fn lines_with_headers_are_maps() {
    let place = Place::with("a.csv", "a,b,c\n1,\"\",\n2\n3,4,5,6\n");
    assert_eq!(
        place.rows("LOAD CSV WITH HEADERS FROM 'DIR/a.csv' AS row RETURN row"),
        [
            "{a: '1', b: '', c: null}",
            "{a: '2', b: null, c: null}",
            "{a: '3', b: '4', c: '5'}"
        ]
    );
    place.write("empty.csv", "");
    place.write("names.csv", "a,b\n");
    for text in [
        "LOAD CSV FROM 'DIR/empty.csv' AS row RETURN row",
        "LOAD CSV WITH HEADERS FROM 'DIR/empty.csv' AS row RETURN row",
        "LOAD CSV WITH HEADERS FROM 'DIR/names.csv' AS row RETURN row",
    ] {
        assert!(place.rows(text).is_empty(), "{text}");
    }
}

#[test]
fn fields_are_quoted_separated_and_ended_in_many_ways() {
    let place = Place::with(
        "a.csv",
        "\u{feff}a;b\r\n\"x\ny\";\"say \"\"hi\"\"\"\r\n1,5;2\r\n",
    );
    let text = "LOAD CSV WITH HEADERS FROM 'DIR/a.csv' AS row FIELDTERMINATOR ';' \
                RETURN row.a = 'x\\ny', row.b = 'say \"hi\"', keys(row)";
    assert_eq!(
        place.rows(text),
        ["true true ['a', 'b']", "false false ['a', 'b']"]
    );
    place.write("a.tsv", "1\t2\n");
    let text = "LOAD CSV FROM 'DIR/a.tsv' AS line FIELDTERMINATOR '\\t' RETURN line";
    assert_eq!(place.rows(text), ["['1', '2']"]);
}

#[test]
fn files_are_named_by_paths_and_urls() {
    let place = Place::with("a b%.csv", "1\n");
    for name in [
        "DIR/a b%.csv",
        "file://DIR/a%20b%25.csv",
        "FILE:DIR/a%20b%25.csv",
        "file://localhostDIR/a b%25.csv",
    ] {
        let text = format!("LOAD CSV FROM '{name}' AS line RETURN line");
        assert_eq!(place.rows(&text), ["['1']"], "{name}");
    }
    for (name, problem) in [
        ("http://example.org/a.csv", "only files are read"),
        ("s3://bucket/a.csv", "only files are read"),
        ("file://example.org/a.csv", "another machine"),
        ("file://DIR/a%2.csv", "hexadecimal"),
        ("file://DIR/a%ff.csv", "hexadecimal"),
        ("DIR/none.csv", "none.csv"),
        ("DIR", "directory"),
    ] {
        let error = place.refused(&format!("LOAD CSV FROM '{name}' AS line RETURN line"));
        assert_eq!(error.class(), "FileError", "{name}: {error}");
        assert!(error.message().contains(problem), "{name}: {error}");
        assert!(!error.hint().is_empty(), "{name}");
    }
    place.rows("COPY (UNWIND [1, 2] AS x RETURN x) TO 'DIR/x.csv.gz'");
    let text = "LOAD CSV WITH HEADERS FROM 'DIR/x.csv.gz' AS row RETURN row.x";
    assert_eq!(place.rows(text), ["'1'", "'2'"]);
}

#[test]
fn broken_lines_and_names_of_other_types_are_told() {
    let place = Place::with("a.csv", "a,b\n1,2\n3,\"4\n5,6\n");
    place.write("b.csv", "a,b\n1,x\"y\"\n");
    place.write("c.csv", "a,b\r1,2\r");
    for (name, line) in [("a.csv", 3), ("b.csv", 2), ("c.csv", 1)] {
        let text = format!("LOAD CSV FROM 'DIR/{name}' AS line CREATE (:Line)");
        let error = place.refused(&text);
        assert_eq!(error.class(), "FileError", "{error}");
        let at = format!("{name}:{line}: ");
        assert!(error.message().contains(&at), "{error}");
    }
    assert_eq!(place.rows("MATCH (l:Line) RETURN count(*)"), ["0"]);
    let error = place.refused("LOAD CSV FROM 'DIR/b.csv' AS line RETURN line");
    assert!(error.hint().contains("repair the file"), "{}", error.hint());
    let error = place.refused("LOAD CSV FROM 1 AS line RETURN line");
    assert!(error.is_of_compile_time(), "{error}");
    for name in ["null", "[1, 'a'][0]", "$name"] {
        let text = format!("LOAD CSV FROM {name} AS line RETURN line");
        let statement = place.statement(&text).parameter("name", 1.5);
        let error = place.db.execute(&statement).err().unwrap();
        assert_eq!(error.class(), "TypeError", "{name}: {error}");
        assert!(error.message().contains("a STRING"), "{name}: {error}");
    }
}

#[test]
fn each_row_names_its_file() {
    let place = Place::with("a.csv", "1\n2\n");
    place.write("b.csv", "3\n");
    let text = "UNWIND ['a', 'b', 'a'] AS f LOAD CSV FROM 'DIR/' + f + '.csv' AS line \
                RETURN f, line[0]";
    assert_eq!(
        place.rows(text),
        ["'a' '1'", "'a' '2'", "'b' '3'", "'a' '1'", "'a' '2'"]
    );
    place.rows("CREATE (:File {name: 'DIR/a.csv'}), (:File {name: 'DIR/b.csv'})");
    let text = "MATCH (f:File) LOAD CSV FROM f.name AS line RETURN sum(toInteger(line[0]))";
    assert_eq!(place.rows(text), ["6"]);
    let text = "MATCH (f:File) CALL (f) { LOAD CSV FROM f.name AS line RETURN line[0] AS x LIMIT 1 } \
                RETURN x ORDER BY x";
    assert_eq!(place.rows(text), ["'1'", "'3'"]);
    let text = "MATCH (f:File) WHERE EXISTS { LOAD CSV FROM f.name AS line WITH line \
                WHERE line[0] = '3' RETURN line } RETURN count(*)";
    assert_eq!(place.rows(text), ["1"]);
    let text = "MATCH (f:File) CALL (f) { LOAD CSV FROM f.name AS line RETURN line[0] AS x \
                UNION ALL RETURN '0' AS x } RETURN count(x)";
    assert_eq!(place.rows(text), ["5"]);
}

#[test]
fn lines_know_where_they_stand() {
    let place = Place::with("a.csv", "id,text\n1,a\n\n2,\"b\nc\"\n3,d\n");
    let from = "LOAD CSV WITH HEADERS FROM 'DIR/a.csv' AS row";
    let rows = |rest: &str| place.rows(&format!("{from} {rest}"));
    let numbers = ["2 '1'", "4 '2'", "6 '3'"];
    assert_eq!(rows("RETURN linenumber(), row.id"), numbers);
    assert_eq!(
        rows("WITH row, linenumber() AS n RETURN n, row.id"),
        numbers
    );
    let some = rows("WITH row WHERE linenumber() > 4 RETURN row.id, linenumber()");
    assert_eq!(some, ["'3' null"]);
    assert_eq!(rows("RETURN DISTINCT file() = 'DIR/a.csv'"), ["true"]);
    assert_eq!(rows("RETURN max(linenumber()), count(*)"), ["6 3"]);
    let within =
        rows("CALL (row) { RETURN linenumber() AS n } RETURN n ORDER BY linenumber() DESC");
    assert_eq!(within, ["6", "4", "2"]);
    place.rows(&format!(
        "{from} CREATE (:Line {{number: linenumber(), file: file()}})"
    ));
    let text = "MATCH (l:Line) RETURN count(l.file), sum(l.number)";
    assert_eq!(place.rows(text), ["3 12"]);
    // Elsewhere there is no line.
    assert_eq!(place.rows("RETURN linenumber(), file()"), ["null null"]);
    let text =
        format!("{from} RETURN linenumber() AS n LIMIT 1 UNION ALL RETURN linenumber() AS n");
    assert_eq!(place.rows(&text), ["2", "null"]);
}

#[test]
fn what_is_found_for_lines_is_written() {
    let place = Place::with("a.csv", "id,friend\n1,2\n2,1\n1,3\n");
    let text = "LOAD CSV WITH HEADERS FROM 'DIR/a.csv' AS row \
                MERGE (a:Person {id: toInteger(row.id)}) \
                MERGE (b:Person {id: toInteger(row.friend)}) \
                CREATE (a)-[:KNOWS]->(b)";
    place.rows(text);
    let text = "LOAD CSV WITH HEADERS FROM 'DIR/a.csv' AS row \
                MATCH (a:Person {id: toInteger(row.id)})-[:KNOWS]->(b) \
                SET b.friend = row.friend";
    place.rows(text);
    assert_eq!(
        place.rows("MATCH (p:Person) RETURN p.id ORDER BY p.id"),
        ["1", "2", "3"]
    );
    assert_eq!(
        place.rows("MATCH (:Person)-[k:KNOWS]->(b) RETURN count(k), count(b.friend)"),
        ["3 3"]
    );
    let mut transaction = place.db.begin().unwrap();
    let text = "LOAD CSV FROM 'DIR/a.csv' AS line CREATE (:Line {of: line}) RETURN count(*)";
    let count = transaction.execute(&place.statement(text)).unwrap();
    assert_eq!(count.single::<i64>().unwrap(), 4);
    transaction.roll_back();
    assert_eq!(place.rows("MATCH (l:Line) RETURN count(*)"), ["0"]);
}

#[test]
fn lines_are_read_as_they_are_wanted() {
    let mut text = numbers(9_999);
    text.push_str("\"it does not end\n");
    let place = Place::with("a.csv", &text);
    let first = "LOAD CSV FROM 'DIR/a.csv' AS line RETURN line[0] LIMIT 2";
    assert_eq!(place.rows(first), ["'id'", "'1'"]);
    let whole = "LOAD CSV FROM 'DIR/a.csv' AS line RETURN count(*)";
    let error = place.refused(whole);
    assert!(error.message().contains("a.csv:10001: "), "{error}");
    place.write("b.csv", &numbers(200_000));
    let whole = whole.replace("a.csv", "b.csv");
    let little = |text: &str| place.statement(text).memory_limit(1 << 20);
    let count = place.db.execute(&little(&whole)).unwrap();
    assert_eq!(count.single::<i64>().unwrap(), 200_001);
    let held = whole.replace("count(*)", "line[0] AS x ORDER BY x");
    let error = place.db.execute(&little(&held)).err().unwrap();
    assert_eq!(error.class(), "ResourceError", "{error}");
}

#[test]
fn limits_end_reading() {
    let place = Place::with("a.csv", &numbers(1_000));
    let text = "UNWIND range(1, 10000000) AS x LOAD CSV FROM 'DIR/a.csv' AS line RETURN count(*)";
    let late = place.statement(text).timeout(Duration::from_millis(1));
    assert_eq!(place.db.execute(&late).err().unwrap().detail(), "Timeout");
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let cancelled = place.statement(text).cancellation(&cancellation);
    let error = place.db.execute(&cancelled).err().unwrap();
    assert_eq!(error.detail(), "Cancelled");
}

#[test]
fn transactions_take_lines_in_turn() {
    let mut text = numbers(2_500);
    let place = Place::with("a.csv", &text);
    let load = "LOAD CSV WITH HEADERS FROM 'file://DIR/a.csv' AS row \
                CALL (row) { CREATE (:A {id: toInteger(row.id)}) } \
                IN TRANSACTIONS OF 1000 ROWS";
    let before = place.db.property_graph().unwrap().view().csn();
    place.rows(load);
    let after = place.db.property_graph().unwrap().view().csn();
    assert!(after - before >= 3, "{before} {after}");
    let sum = "MATCH (a:A) RETURN count(a), sum(a.id)";
    assert_eq!(place.rows(sum), ["2500 3126250"]);
    // What was committed before the broken line stays.
    text.push_str("\"it does not end\n");
    place.write("a.csv", &text);
    let error = place.refused(&load.replace(":A", ":B"));
    assert!(error.hint().contains("have committed stay"), "{error}");
    let count = place.rows("MATCH (b:B) RETURN count(b)");
    assert!(["1000", "2000"].contains(&count[0].as_str()), "{count:?}");
}
