//! CSV as LDBC's generator writes it.

use crate::common::{get, literal, message, node, read, relationship, rows};
use evergraph_io::interchange::csv::{LdbcName, LdbcReader, Naming};
use evergraph_io::interchange::{ExternalId, Row};

fn reader<'a>(file: &str, text: &'a str) -> LdbcReader<&'a [u8]> {
    let name = LdbcName::of(file).unwrap();
    LdbcReader::new(file, text.as_bytes(), &name, Naming::Cypher).unwrap()
}

#[test]
fn file_names_say_what_is_in_them() {
    let nodes = |kind: &str| Some(LdbcName::Nodes(kind.to_string()));
    assert_eq!(LdbcName::of("static/tagclass_0_0.csv"), nodes("TagClass"));
    assert_eq!(LdbcName::of("C:\\x\\Person.csv"), nodes("Person"));
    let relationships = LdbcName::Relationships {
        source: "Forum".to_string(),
        kind: "hasMember".to_string(),
        target: "Person".to_string(),
    };
    let name = "/data/dynamic/forum_hasMember_person_12_3.csv.zst";
    assert_eq!(LdbcName::of(name), Some(relationships));
    for other in ["", "_0_0.csv", "a_b.csv", "a_b_c_d.csv", "0_0.csv"] {
        assert_eq!(LdbcName::of(other), None, "{other}");
    }
}

#[test]
fn persons_are_read() {
    let rows = rows(reader(
        "dynamic/person_0_0.csv",
        "id|firstName|lastName|gender|birthday|creationDate|locationIP|browserUsed|language|email\n\
         933|Mahinda|Perera|male|628646400000|1266161530447|119.235.7.103|Firefox|si;en|m@example.org;p@example.org\n",
    ));
    let person = node(&rows[0]);
    assert_eq!(person.id, Some(ExternalId::integer(933).within("Person")));
    assert_eq!(*person.labels, ["Person".into()]);
    for (name, value) in [
        ("id", "933"),
        ("firstName", "'Mahinda'"),
        ("birthday", "628646400000"),
        ("creationDate", "1266161530447"),
        ("language", "['si', 'en']"),
        ("email", "['m@example.org', 'p@example.org']"),
    ] {
        assert_eq!(literal(&person.properties, name), value);
    }
}

#[test]
fn dates_may_be_texts() {
    let text = "id|birthday|creationDate\n1|1989-12-03|2010-02-14T15:32:10.447+0000\n2|x|\n";
    let found = read(reader("person_0_0.csv", text));
    let person = node(found[0].as_ref().unwrap());
    assert_eq!(
        literal(&person.properties, "birthday"),
        "date('1989-12-03')"
    );
    let created = literal(&person.properties, "creationDate");
    assert_eq!(created, "datetime('2010-02-14T15:32:10.447Z')");
    let bad = found[1].as_ref().unwrap_err();
    assert!(bad.starts_with("person_0_0.csv:3: birthday: "), "{bad}");
}

#[test]
fn messages_places_and_organisations_have_a_second_label() {
    let labels = |file: &str, text: &str| -> Vec<String> {
        let rows = rows(reader(file, text));
        assert_eq!(get(&node(&rows[0]).properties, "type"), None);
        node(&rows[0])
            .labels
            .iter()
            .map(|label| label.to_string())
            .collect()
    };
    let post = "id|imageFile|creationDate|locationIP|browserUsed|language|content|length\n\
                3||1290664733756|41.78.114.237|Opera|uz|About \"quotes\", and so on|24\n";
    assert_eq!(labels("post_0_0.csv", post), ["Post", "Message"]);
    let place = "id|name|url|type\n0|India|http://dbpedia.org/resource/India|country\n";
    assert_eq!(labels("place_0_0.csv", place), ["Place", "Country"]);
    let organisation = "id|type|name|url\n0|company|Kam_Air|u\n";
    assert_eq!(
        labels("organisation_0_0.csv", organisation),
        ["Organisation", "Company"]
    );
    // Quotes are characters, and a post's language is no list.
    let rows = rows(reader("post_0_0.csv", post));
    assert_eq!(
        literal(&node(&rows[0]).properties, "content"),
        "'About \"quotes\", and so on'"
    );
    assert_eq!(literal(&node(&rows[0]).properties, "language"), "'uz'");
    assert_eq!(get(&node(&rows[0]).properties, "imageFile"), None);
}

#[test]
fn relationships_are_read() {
    let text = "Person.id|Person.id|creationDate\n933|2199023256077|1271939457947\n";
    let rows = rows(reader("person_knows_person_0_0.csv", text));
    let knows = relationship(&rows[0]);
    assert_eq!(&*knows.kind, "KNOWS");
    assert_eq!(knows.source, ExternalId::integer(933).within("Person"));
    assert_eq!(literal(&knows.properties, "creationDate"), "1271939457947");
    let name = LdbcName::of("comment_hasCreator_person_0_0.csv").unwrap();
    let text = "Comment.id|Person.id\n1|2\n";
    for (naming, kind) in [
        (Naming::Cypher, "HAS_CREATOR"),
        (Naming::File, "hasCreator"),
    ] {
        let rows =
            crate::common::rows(LdbcReader::new("f", text.as_bytes(), &name, naming).unwrap());
        assert_eq!(&*relationship(&rows[0]).kind, kind);
    }
}

#[test]
fn bad_rows_and_headers_are_reported() {
    let file = "person_knows_person_0_0.csv";
    let text = "Person.id|Person.id|creationDate\n1|x|5\n1|2\n3|4|soon\n5|6|7\n";
    let found = read(reader(file, text));
    let expected = [
        "person_knows_person_0_0.csv:2: Person.id: \"x\" is no 64-bit integer",
        "person_knows_person_0_0.csv:3: 2 columns, the header has 3",
        "person_knows_person_0_0.csv:4: creationDate: \"soon\" is not a DATETIME: ",
    ];
    for (found, expected) in found.iter().zip(expected) {
        let found = found.as_ref().unwrap_err();
        assert!(found.starts_with(expected), "{found}");
    }
    assert!(matches!(found[3], Ok(Row::Relationship(_))));
    let name = LdbcName::of(file).unwrap();
    for header in [
        "",
        "id|name\n",
        "Person.id|Post.id\n",
        "Person.id|Person.id|a|a\n",
    ] {
        let error = message(LdbcReader::new(
            file,
            header.as_bytes(),
            &name,
            Naming::Cypher,
        ));
        assert!(
            error.starts_with("person_knows_person_0_0.csv:1: "),
            "{error}"
        );
    }
}
