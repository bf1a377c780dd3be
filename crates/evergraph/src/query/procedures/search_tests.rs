//! Searches by statements, in programs that are built with them.

use crate::query::Error;
use crate::{Database, Options};

fn database(directory: &std::path::Path) -> Database {
    let options = Options {
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create(directory.join("db"), &options).unwrap();
    db.query(
        "CREATE (:Post {title: 'Power cuts', text: 'a durable graph survives', at: [1.0, 0.0]}), \
         (:Post {title: 'Graphs', text: 'views of the past', at: [0.0, 2.0]}), \
         (:Post {title: 'None', at: [1, 2, 3]}), (:Other {title: 'durable'})",
        (),
    )
    .unwrap();
    db
}

fn texts(db: &Database, text: &str) -> Vec<String> {
    let rows = db.query(text, ());
    let rows = rows.unwrap_or_else(|error| panic!("{text}: {error} ({})", error.hint()));
    rows.typed()
        .collect::<Result<Vec<(String,)>, Error>>()
        .unwrap()
        .into_iter()
        .map(|row| row.0)
        .collect()
}

fn refused(db: &Database, text: &str) -> String {
    let error = db
        .query(text, ())
        .err()
        .unwrap_or_else(|| panic!("{text} is not refused"));
    format!("{error} ({})", error.hint())
}

#[cfg(feature = "fulltext")]
#[test]
fn words_are_found() {
    let place = tempfile::tempdir().unwrap();
    let db = database(place.path());
    let made = "CREATE FULLTEXT INDEX posts FOR (n:Post) ON EACH [n.title, n.text] \
                OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}";
    assert_eq!(db.query(made, ()).unwrap().summary().indexes_added, 1);
    assert!(refused(&db, made).contains("index posts already"));
    let again = made.replace("posts FOR", "posts IF NOT EXISTS FOR");
    assert_eq!(db.query(&again, ()).unwrap().summary().indexes_added, 0);
    let listed = "SHOW INDEXES YIELD name, type, labelsOrTypes, properties WHERE name = 'posts'";
    let row = db.query(listed, ()).unwrap().next().unwrap().unwrap();
    let shown: Vec<String> = row.cells().iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["'posts'", "'FULLTEXT'", "['Post']", "['title', 'text']"]
    );
    let find = |words: &str| {
        let text = format!(
            "CALL db.index.fulltext.queryNodes('posts', '{words}') YIELD node, score \
             WHERE score > 0 RETURN node.title"
        );
        texts(&db, &text)
    };
    assert_eq!(find("durable graphs"), ["Power cuts"]);
    assert_eq!(find("graph").len(), 2);
    let one = "CALL db.index.fulltext.queryNodes('posts', 'graph', {limit: 1}) YIELD node \
               RETURN node.title";
    assert_eq!(texts(&db, one).len(), 1);
    // What a transaction has written is found by it, and by others once it is there.
    let mut transaction = db.begin().unwrap();
    transaction
        .query("CREATE (:Post {title: 'a new graph'})", ())
        .unwrap();
    let count = "CALL db.index.fulltext.queryNodes('posts', 'graph') YIELD node RETURN count(node)";
    let own = transaction.query(count, ()).unwrap().single::<i64>();
    assert_eq!(own.unwrap(), 3);
    assert_eq!(find("graph").len(), 2);
    transaction.commit().unwrap();
    assert_eq!(find("graph").len(), 3);
    for (text, part) in [
        (
            "CALL db.index.fulltext.queryNodes('post', 'a')",
            "did you mean `posts`?",
        ),
        (
            "CALL db.index.fulltext.queryNodes('posts', '\"open')",
            "query",
        ),
        (
            "CALL db.index.fulltext.queryNodes('posts', 'a', {size: 1})",
            "there is limit",
        ),
        (
            "CREATE FULLTEXT INDEX x FOR (n:A) ON EACH [n.a] OPTIONS {language: 'klingon'}",
            "german",
        ),
        (
            "CREATE FULLTEXT INDEX x FOR (n:A) ON EACH [n.a] OPTIONS {languages: 'german'}",
            "language",
        ),
        (
            "CREATE FULLTEXT INDEX FOR ()-[r:A]-() ON EACH [r.a]",
            "of nodes",
        ),
        ("DROP INDEX post", "post"),
    ] {
        let error = refused(&db, text);
        assert!(error.contains(part), "{text}: {error}");
    }
    assert_eq!(
        db.query("DROP INDEX posts", ())
            .unwrap()
            .summary()
            .indexes_removed,
        1
    );
    assert!(refused(&db, count).contains("there is none"));
}

#[cfg(feature = "fulltext")]
#[test]
fn words_of_several_labels_are_found() {
    let place = tempfile::tempdir().unwrap();
    let db = database(place.path());
    let made = "CREATE FULLTEXT INDEX both FOR (n:Post|Other) ON EACH [n.title, n.text]";
    assert_eq!(db.query(made, ()).unwrap().summary().indexes_added, 1);
    let find = "CALL db.index.fulltext.queryNodes('both', 'durable') YIELD node \
                RETURN node.title ORDER BY node.title";
    assert_eq!(texts(&db, find), ["Power cuts", "durable"]);
    db.query("MATCH (n:Other) SET n:Post", ()).unwrap();
    assert_eq!(texts(&db, find).len(), 2);
    db.query("MATCH (n:Other) REMOVE n:Other:Post", ()).unwrap();
    assert_eq!(texts(&db, find), ["Power cuts"]);
    let listed = "SHOW FULLTEXT INDEXES YIELD *";
    let labels = format!("{listed} RETURN reduce(s = '', l IN labelsOrTypes | s + l)");
    assert_eq!(texts(&db, &labels), ["PostOther"]);
    let statement = texts(&db, &format!("{listed} RETURN createStatement"));
    assert!(
        statement[0].contains("FOR (n:Post|Other) ON EACH [n.title, n.text]"),
        "{statement:?}"
    );
    db.query("DROP INDEX both", ()).unwrap();
    let again = db.query(&statement[0], ()).unwrap();
    assert_eq!(again.summary().indexes_added, 1);
    assert_eq!(texts(&db, find), ["Power cuts"]);
}

#[cfg(feature = "fulltext")]
#[test]
fn analyzers_have_the_names_of_neo4j() {
    let place = tempfile::tempdir().unwrap();
    let db = database(place.path());
    let made = "CREATE FULLTEXT INDEX plain FOR (n:Post) ON EACH [n.title] OPTIONS {indexConfig: \
                {`fulltext.analyzer`: 'standard-no-stop-words', \
                `fulltext.eventually_consistent`: true}, indexProvider: 'fulltext-1.0'}";
    db.query(made, ()).unwrap();
    let listed = "SHOW FULLTEXT INDEXES YIELD *";
    let state = format!("{listed} RETURN state + ' ' + indexProvider");
    assert_eq!(texts(&db, &state), ["ONLINE fulltext-1.0"]);
    let statement = texts(&db, &format!("{listed} RETURN createStatement"));
    let expected = "CREATE FULLTEXT INDEX plain FOR (n:Post) ON EACH [n.title] OPTIONS \
                    {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}, \
                    indexProvider: 'fulltext-1.0'}";
    assert_eq!(statement, [expected]);
    db.query("DROP INDEX plain", ()).unwrap();
    let again = db.query(&statement[0], ()).unwrap();
    assert_eq!(again.summary().indexes_added, 1);
    let other = made.replace("standard-no-stop-words", "whitespace");
    let error = refused(&db, &other.replace("plain", "other"));
    assert!(error.contains("analyzer 'whitespace'"), "{error}");
    assert!(error.contains("standard-no-stop-words"), "{error}");
}

#[cfg(feature = "vector")]
#[test]
fn vector_indexes_are_made_as_in_neo4j() {
    let place = tempfile::tempdir().unwrap();
    let db = database(place.path());
    let made = "CREATE VECTOR INDEX near IF NOT EXISTS FOR (n:Post) ON n.at OPTIONS {indexConfig: \
                {`vector.dimensions`: toInteger($size), `vector.similarity_function`: 'cosine', \
                `vector.quantization.enabled`: true, `vector.hnsw.m`: 16}}";
    let added = db.query(made, [("size", "2")]).unwrap();
    assert_eq!(added.summary().indexes_added, 1);
    let listed = "SHOW VECTOR INDEXES YIELD *";
    let state = format!("{listed} RETURN state + ' ' + indexProvider");
    assert_eq!(texts(&db, &state), ["ONLINE vector-2.0"]);
    let statement = texts(&db, &format!("{listed} RETURN createStatement"));
    let expected = "CREATE VECTOR INDEX near FOR (n:Post) ON (n.at) OPTIONS {indexConfig: \
                    {`vector.dimensions`: 2, `vector.similarity_function`: 'COSINE'}, \
                    indexProvider: 'vector-2.0'}";
    assert_eq!(statement, [expected]);
    db.query("DROP INDEX near", ()).unwrap();
    let again = db.query(&statement[0], ()).unwrap();
    assert_eq!(again.summary().indexes_added, 1);
    let text = "CALL db.index.vector.queryNodes('near', 1, [1, 0]) YIELD node RETURN node.title";
    assert_eq!(texts(&db, text), ["Power cuts"]);
}

#[cfg(feature = "vector")]
#[test]
fn near_vectors_are_found() {
    let place = tempfile::tempdir().unwrap();
    let db = database(place.path());
    for (name, metric, expected) in [
        ("c", "cosine", [1.0, 0.5]),
        ("e", "euclidean", [1.0, 1.0 / 6.0]),
        ("i", "inner-product", [1.0, 0.0]),
    ] {
        let made = format!(
            "CREATE VECTOR INDEX {name} FOR (n:Post) ON (n.at) \
             OPTIONS {{dimensions: 2, metric: '{metric}'}}"
        );
        assert_eq!(db.query(&made, ()).unwrap().summary().indexes_added, 1);
        let text = format!(
            "CALL db.index.vector.queryNodes('{name}', 5, [1, 0]) YIELD node, score \
             RETURN node.title, score ORDER BY score DESC"
        );
        let rows = db.query(&text, ()).unwrap();
        let found: Vec<(String, f64)> = rows.typed().collect::<Result<_, Error>>().unwrap();
        let titles: Vec<&str> = found.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["Power cuts", "Graphs"], "{metric}");
        for ((_, score), expected) in found.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-6, "{metric}: {found:?}");
        }
    }
    let past = db.view().csn();
    db.property_graph()
        .unwrap()
        .create_snapshot("before")
        .unwrap();
    db.query("MATCH (p:Post {title: 'Graphs'}) DELETE p", ())
        .unwrap();
    let text = "CALL db.index.vector.queryNodes('c', 5, [1, 0]) YIELD node RETURN node.title";
    assert_eq!(texts(&db, text), ["Power cuts"]);
    assert_eq!(texts(&db, &format!("AS OF 'before' {text}")).len(), 2);
    assert!(past > 0);
    for (text, part) in [
        (
            "CALL db.index.vector.queryNodes('c', 5, ['a'])",
            "list of numbers",
        ),
        (
            "CALL db.index.vector.queryNodes('c', -1, [1, 0])",
            "whole number",
        ),
        (
            "CALL db.index.vector.queryNodes('c', 5, [1, 0, 0])",
            "dimensions",
        ),
        (
            "CREATE VECTOR INDEX x FOR (n:A) ON (n.a)",
            "dimensions: 384",
        ),
        (
            "CREATE VECTOR INDEX x FOR (n:A) ON (n.a, n.b) OPTIONS {dimensions: 2}",
            "one property",
        ),
        (
            "CREATE VECTOR INDEX x FOR (n:A) ON (n.a) OPTIONS {dimensions: 2, metric: 'x'}",
            "cosine",
        ),
    ] {
        let error = refused(&db, text);
        assert!(error.contains(part), "{text}: {error}");
    }
}
