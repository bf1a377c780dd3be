//! Procedures through the facade.

use evergraph_analytics::run::{self, Kind, Request, Rows as Values, Weights, algorithms};
use evergraph_property_graph::graph::NodeId;
use evergraph_property_graph::graph::ProjectionOptions;

use super::config::camel;
use crate::property::value::Value;
use crate::query::{Cell, Error, Node, ProcedureContext, ProcedureMode, Statement};
use crate::{At, Control, Database, MediumKind, Options};

fn database() -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        ..Options::default()
    };
    Database::create("anywhere", &options).unwrap()
}

/// Eight people who know each other, in a ring with chords, and a city that has no part.
fn people() -> Database {
    let db = database();
    db.query(
        "UNWIND range(0, 7) AS n CREATE (:Person {n: n}) \
         WITH count(*) AS all \
         UNWIND [[0,1],[1,2],[2,0],[2,3],[3,4],[4,5],[5,6],[6,4],[6,7],[1,3]] AS pair \
         MATCH (a:Person {n: pair[0]}), (b:Person {n: pair[1]}) \
         CREATE (a)-[:KNOWS {km: pair[0] + 1}]->(b)",
        (),
    )
    .unwrap();
    db.query(
        "CREATE (:City {name: 'Rome'}) WITH 1 AS one MATCH (p:Person {n: 0}), (c:City) \
         CREATE (p)-[:LIVES_IN]->(c)",
        (),
    )
    .unwrap();
    db
}

fn refused(db: &Database, text: &str) -> Error {
    let done = db.query(text, ());
    done.err()
        .unwrap_or_else(|| panic!("{text} is not refused"))
}

/// A cell as the rows of `evergraph run` have it: nodes by id, infinity for null.
fn plain(cell: &Cell) -> String {
    match cell {
        Cell::Node(node) => node.id.0.to_string(),
        Cell::Value(Value::Float(number)) => number.to_string(),
        Cell::Value(value) => value.to_string(),
        other => other.to_string(),
    }
}

/// Every algorithm gives what a run of the same request gives, value for value, whatever
/// its output is.
#[test]
fn every_algorithm_streams_what_its_run_gives() {
    let db = people();
    for algorithm in algorithms() {
        let outputs = algorithm.parameters.iter();
        let outputs = outputs.filter(|parameter| parameter.name == "output");
        let words: Vec<&str> = outputs
            .flat_map(|parameter| match parameter.kind {
                Kind::Choice(words) => words.to_vec(),
                _ => Vec::new(),
            })
            .collect();
        let words = match words.is_empty() {
            true => vec![""],
            false => words,
        };
        for output in words {
            compare(&db, algorithm, output);
        }
    }
}

/// A node that was not found is not the default one, and weights are not left out silently.
#[test]
fn what_would_be_ignored_is_refused() {
    let db = people();
    for (call, message) in [
        (
            "algo.shortestPath({source: null, target: 1})",
            "`source` is a NULL",
        ),
        (
            "algo.shortestPath({source: 1, target: null})",
            "`target` is a NULL",
        ),
        (
            "algo.personalizedPagerank({source: [0, null]})",
            "`source` is a NULL",
        ),
        ("algo.pagerank({weight: 'km'})", "does not read weights"),
    ] {
        let Err(error) = db.query(&format!("CALL {call}"), ()) else {
            panic!("{call}");
        };
        let error = error.to_string();
        assert!(error.contains(message), "{call}: {error}");
    }
    // Of others null is what is not given.
    let rows = db.query("CALL algo.pagerank({weight: null, damping: null})", ());
    assert!(rows.unwrap().count() > 0);
}

fn compare(db: &Database, algorithm: &run::Algorithm, output: &str) {
    let weight = (algorithm.weights != Weights::Ignored).then_some("km");
    let mut request = Request {
        algorithm: algorithm.name.to_string(),
        by_number: true,
        projection: Some(ProjectionOptions {
            labels: vec!["Person".to_string()],
            weight: weight.map(str::to_string),
            ..ProjectionOptions::default()
        }),
        ..Request::default()
    };
    let mut config = "labels: ['Person']".to_string();
    if let Some(weight) = weight {
        config += &format!(", weight: '{weight}'");
    }
    if !output.is_empty() {
        config += &format!(", output: '{output}'");
        let given = ("output".to_string(), output.to_string());
        request.parameters.push(given);
    }
    let text = format!("CALL algo.{}({{{config}}})", camel(algorithm.name));
    let outcome = run::run(db, &db.view(), &request, &Control::new(), None).unwrap();
    let mut expected = Vec::new();
    let shown = Values::of(db, &outcome);
    shown
        .for_each(|cells| {
            let cells = cells.iter().flatten();
            let cells = cells.filter(|value| match value {
                Value::Null => false,
                Value::Float(number) => *number != f64::INFINITY,
                _ => true,
            });
            expected.push(
                cells
                    .map(|value| plain(&Cell::Value(value.clone())))
                    .collect(),
            );
            Ok(())
        })
        .unwrap();
    let rows = db
        .query(&text, ())
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let columns: Vec<&str> = algorithm.columns.iter().map(|column| column.name).collect();
    assert_eq!(rows.columns(), columns, "{text}");
    let mut found: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let cells = row.unwrap().into_cells();
        let known = cells.iter().filter(|cell| !cell.is_null());
        found.push(known.map(plain).collect());
    }
    if let run::Values::Nothing = outcome.values {
        expected.clear();
    }
    if let run::Values::Lists(lists) = &outcome.values {
        // A list a row, or a list in all: `evergraph run` has its number before each.
        assert_eq!(
            found.len(),
            match columns[..] {
                ["nodes"] => lists.ends.len(),
                _ => lists.vertices.len(),
            }
        );
        return;
    }
    for rows in [&mut expected, &mut found] {
        rows.iter_mut().for_each(|row: &mut Vec<String>| row.sort());
    }
    assert_eq!(found, expected, "{text}");
    let stats = format!("CALL algo.{}.stats({{{config}}})", camel(algorithm.name));
    let row = db.query(&stats, ()).unwrap().next().unwrap().unwrap();
    assert_eq!(row.get::<u64>("nodeCount").unwrap(), 8, "{stats}");
}

#[test]
fn aliases_and_parameters_are_taken() {
    let db = people();
    let text = "MATCH (p:Person {n: 0}) \
                CALL algo.sssp({source: p, weight: 'km', relationshipTypes: ['KNOWS'], \
                                labels: 'Person'}) YIELD node, distance \
                RETURN node.n AS n, distance ORDER BY n";
    let rows = db.query(text, ()).unwrap();
    let found: Vec<(i64, f64)> = rows.typed().collect::<Result<_, _>>().unwrap();
    let expected = [0.0, 1.0, 3.0, 3.0, 7.0, 12.0, 18.0, 25.0];
    assert_eq!(found, (0..).zip(expected).collect::<Vec<_>>());
    let text = "CALL algo.pagerank({relationshipTypes: ['KNOWS'], damping: 0.5, iterations: 3}) \
                YIELD node, score RETURN round(sum(score), 6)";
    let sum: f64 = db.query(text, ()).unwrap().single().unwrap();
    assert_eq!(sum, 1.0);
    let text = "CALL algo.louvain() YIELD communityId RETURN count(DISTINCT communityId) > 1";
    assert!(db.query(text, ()).unwrap().single::<bool>().unwrap());
    let text = "CALL algo.degrees({where: 'n < 3', orientation: 'UNDIRECTED'}) YIELD degree \
                RETURN sum(degree)";
    assert_eq!(db.query(text, ()).unwrap().single::<i64>().unwrap(), 6);
    let text = "MATCH (a {n: 0}), (b {n: 1}), (c {n: 5}) \
                CALL algo.similarity({pairs: [[a, b], [a, c]]}) YIELD source, target \
                RETURN collect(target.n)";
    let targets: Vec<i64> = db.query(text, ()).unwrap().single().unwrap();
    assert_eq!(targets, [1, 5]);
    let text = "CALL algo.triangleCount.stats({output: 'total'}) YIELD result \
                RETURN result.triangles";
    assert_eq!(db.query(text, ()).unwrap().single::<i64>().unwrap(), 3);
}

#[test]
fn edges_and_walks_are_written_as_relationships() {
    let db = people();
    let written = |text: &str| -> i64 { db.query(text, ()).unwrap().single().unwrap() };
    for (call, rows) in [
        (
            "spanningForest",
            "algo.spanningForest({relationshipTypes: 'KNOWS'})",
        ),
        ("spanner", "algo.spanner({relationshipTypes: 'KNOWS'})"),
        (
            "minimumSpanningForest",
            "algo.minimumSpanningForest({relationshipTypes: 'KNOWS'})",
        ),
    ] {
        let text = format!(
            "CALL algo.{call}.write({{relationshipTypes: 'KNOWS', writeRelationshipType: '{call}'}}) \
             YIELD relationshipsWritten RETURN relationshipsWritten"
        );
        let count = written(&text);
        assert!(count > 0, "{call}");
        let text = format!("CALL {rows} YIELD source, target RETURN count(*)");
        assert_eq!(written(&text), count, "{call}");
        let text = format!(
            "CALL {rows} YIELD source, target \
             WHERE COUNT {{ (source)-[:{call}]->(target) }} = 1 RETURN count(*)"
        );
        assert_eq!(written(&text), count, "{call}");
    }
    let text = "MATCH (a {n: 0}), (b {n: 1}), (c {n: 5}) \
                CALL algo.similarity.write({relationshipTypes: 'KNOWS', \
                     pairs: [[a, b], [a, c]], writeRelationshipType: 'SIMILAR', \
                     writeProperty: 'score'}) \
                YIELD relationshipsWritten RETURN relationshipsWritten";
    assert_eq!(written(text), 2);
    let text = "MATCH (a {n: 0})-[s:SIMILAR]->() WHERE s.score >= 0 RETURN count(s)";
    assert_eq!(written(text), 2);
    let text = "MATCH (a {n: 0}) \
                CALL algo.randomWalks.write({relationshipTypes: 'KNOWS', start: [a], \
                     length: 3, writeRelationshipType: 'STEP', writeProperty: 'walk'}) \
                YIELD relationshipsWritten RETURN relationshipsWritten";
    let steps = written(text);
    let text = "MATCH (a)-[s:STEP]->(b) \
                WHERE s.walk >= 0 AND EXISTS { (a)-[:KNOWS]-(b) } RETURN count(s)";
    assert_eq!(written(text), steps);
}

#[test]
fn values_are_written_in_the_transaction_of_the_query() {
    let db = people();
    let text = "CALL algo.pagerank.write({labels: ['Person'], writeProperty: 'rank'}) \
                YIELD nodePropertiesWritten, nodeCount RETURN nodePropertiesWritten, nodeCount";
    assert!(db.is_write(&Statement::new(text)).unwrap());
    let rows = db.query(text, ()).unwrap();
    assert_eq!(rows.summary().counters.properties_set, 8);
    let found: Vec<(i64, i64)> = rows.typed().collect::<Result<_, _>>().unwrap();
    assert_eq!(found, [(8, 8)]);
    let ranked = "MATCH (n) WHERE n.rank > 0 RETURN count(*)";
    assert_eq!(db.query(ranked, ()).unwrap().single::<i64>().unwrap(), 8);
    // The same by hand, and a value that there is not removes the property.
    db.query(
        "MATCH (c:City) SET c.hops = 9 WITH count(*) AS one \
         MATCH (p:Person {n: 7}) RETURN p",
        (),
    )
    .unwrap();
    let text = "MATCH (p:Person {n: 7}) \
                CALL algo.bfs.write({source: p, writeProperty: 'hops'}) \
                YIELD nodePropertiesWritten AS written RETURN written";
    assert_eq!(db.query(text, ()).unwrap().single::<i64>().unwrap(), 1);
    let left = "MATCH (n) WHERE n.hops IS NOT NULL RETURN n.hops";
    assert_eq!(db.query(left, ()).unwrap().single::<i64>().unwrap(), 0);
    let mut transaction = db.begin().unwrap();
    let text = "CALL algo.kCore.write({writeProperty: 'core'})";
    transaction.query(text, ()).unwrap();
    transaction.roll_back();
    let none = "MATCH (n) WHERE n.core IS NOT NULL RETURN count(*)";
    assert_eq!(db.query(none, ()).unwrap().single::<i64>().unwrap(), 0);
    for (text, part) in [
        ("CALL algo.pagerank.write({})", "which property"),
        (
            "CALL algo.deltaStepping({defaultWeight: 5})",
            "`defaultWeight` is given, and no `weight`",
        ),
        (
            "CALL algo.deltaStepping({weight: null, defaultWeight: 5})",
            "`defaultWeight` is given, and no `weight`",
        ),
        ("CALL algo.pagerank({writeProperty: 'x'})", "that writes"),
        (
            "CALL algo.spanner.write({writeProperty: 'x'})",
            "which relationships",
        ),
        (
            "CALL algo.pagerank.write({writeRelationshipType: 'X'})",
            "give edges or walks",
        ),
        (
            "CALL algo.biconnectivity.write({writeRelationshipType: 'X'})",
            "has no edges",
        ),
        (
            "CALL algo.spanner({writeRelationshipType: 'X'})",
            "that writes",
        ),
        (
            "CALL algo.biconnectivity.write({output: 'bridges', writeProperty: 'x'})",
            "not one value of each node",
        ),
        (
            "AS OF 1 CALL algo.pagerank.write({writeProperty: 'x'}) YIELD nodeCount RETURN 1",
            "the past cannot be changed",
        ),
    ] {
        let error = refused(&db, text);
        assert!(error.message().contains(part), "{text}: {error}");
    }
}

/// An algorithm sees no uncommitted change, and says so instead of leaving it out.
#[test]
fn what_is_not_committed_is_not_left_out_silently() {
    let db = people();
    let own = "CREATE (:Person {n: 8}) WITH 1 AS one \
               CALL algo.pagerank() YIELD node RETURN count(node)";
    assert!(refused(&db, own).hint().contains("commit first"));
    let mut transaction = db.begin().unwrap();
    let count = "CALL algo.pagerank({labels: ['Person']}) YIELD node RETURN count(node)";
    let before = transaction.query(count, ()).unwrap();
    assert_eq!(before.single::<i64>().unwrap(), 8);
    // Its snapshot is read, and not what others commit meanwhile.
    db.query("CREATE (:Person {n: 9})", ()).unwrap();
    let before = transaction.query(count, ()).unwrap();
    assert_eq!(before.single::<i64>().unwrap(), 8);
    transaction.query("CREATE (:Person {n: 8})", ()).unwrap();
    let error = transaction.query(count, ()).err().unwrap();
    assert!(error.message().contains("changed the graph"), "{error}");
    // Names are counted with the transaction's own.
    transaction
        .query("CREATE (:Robot {serial: 1})-[:GUARDS]->()", ())
        .unwrap();
    for (text, expected) in [
        (
            "CALL db.labels() YIELD label RETURN collect(label)",
            vec!["City", "Person", "Robot"],
        ),
        (
            "CALL db.relationshipTypes() YIELD relationshipType AS t RETURN collect(t)",
            vec!["GUARDS", "KNOWS", "LIVES_IN"],
        ),
        (
            "CALL db.propertyKeys() YIELD propertyKey AS k RETURN collect(k)",
            vec!["km", "n", "name", "serial"],
        ),
    ] {
        let found: Vec<String> = transaction.query(text, ()).unwrap().single().unwrap();
        assert_eq!(found, expected, "{text}");
    }
    transaction.roll_back();
}

#[test]
fn the_past_is_read() {
    let db = people();
    db.property_graph()
        .unwrap()
        .create_snapshot("before")
        .unwrap();
    let csn = db.view().csn();
    db.query("MATCH (n) DETACH DELETE n", ()).unwrap();
    let text = "CALL algo.connectedComponents() YIELD node RETURN count(node)";
    assert_eq!(db.query(text, ()).unwrap().single::<i64>().unwrap(), 0);
    let at = Statement::new(text).as_of(At::Csn(csn));
    assert_eq!(db.execute(&at).unwrap().single::<i64>().unwrap(), 9);
    let text = format!("AS OF 'before' {text}");
    assert_eq!(db.query(&text, ()).unwrap().single::<i64>().unwrap(), 9);
    let text = "AS OF 'before' CALL db.labels() YIELD label RETURN collect(label)";
    let labels: Vec<String> = db.query(text, ()).unwrap().single().unwrap();
    assert_eq!(labels, ["City", "Person"]);
    let text = "CALL db.labels() YIELD label RETURN count(label)";
    assert_eq!(db.query(text, ()).unwrap().single::<i64>().unwrap(), 0);
}

#[test]
fn wrong_calls_say_what_was_meant() {
    let db = people();
    for (text, parts) in [
        (
            "CALL algo.pagerang()",
            ["there is no procedure", "algo.pagerank"],
        ),
        ("CALL db.label()", ["there is no procedure", "db.labels"]),
        (
            "CALL algo.pagerank({dampning: 0.5})",
            ["no parameter", "`damping`"],
        ),
        (
            "CALL algo.pagerank({nodeLabels: ['A']})",
            ["no parameter", "`labels`"],
        ),
        (
            "CALL algo.pagerank({labels: ['Persn']})",
            ["no label", "`Person`"],
        ),
        (
            "CALL algo.pagerank({relationshipTypes: 'KNOW'})",
            ["no relationship type", "`KNOWS`"],
        ),
        (
            "CALL algo.personalizedPagerank({source: []})",
            ["`source` is an empty list", "leave it out"],
        ),
        (
            "MATCH (n:None) WITH collect(n) AS none CALL algo.randomWalks({start: none}) YIELD nodes \
             RETURN nodes",
            ["`start` is an empty list", "leave it out"],
        ),
        (
            "CALL algo.pagerank({labels: []})",
            ["`labels` is an empty list", "leave it out"],
        ),
        (
            "CALL algo.pagerank({damping: 2})",
            ["cannot be", "numbers from 0"],
        ),
        (
            "CALL algo.pagerank({damping: [1]})",
            ["LIST", "numbers from 0"],
        ),
        (
            "CALL algo.pagerank({threads: 0})",
            ["threads", "whole number"],
        ),
        (
            "CALL algo.pagerank({orientation: 'up'})",
            ["orientation", "undirected"],
        ),
        (
            "CALL algo.pagerank({where: 'm = 1'})",
            ["no property", "`n`"],
        ),
        ("CALL algo.pagerank(7)", ["INTEGER", "MAP"]),
        ("CALL algo.pagerank($c)", ["INTEGER", "relationshipTypes"]),
        ("CALL algo.sssp({source: 'Ann'})", ["source", "MATCH"]),
        ("CALL algo.bfs({source: 99})", ["99", "id of a node"]),
        (
            "CALL algo.pagerank() YIELD rank RETURN 1",
            ["no result rank", "node, score"],
        ),
        ("CALL algo.pagerank({}, 1)", ["2 arguments", "config"]),
    ] {
        let statement = Statement::new(text).parameter("c", 7);
        let error = db
            .execute(&statement)
            .err()
            .unwrap_or_else(|| panic!("{text}"));
        let whole = format!("{error} ({})", error.hint());
        for part in parts {
            assert!(whole.contains(part), "{text}: {whole}");
        }
    }
    let bound = Statement::new("CALL algo.pagerank()").memory_limit(10_000);
    let error = db.execute(&bound).err().unwrap();
    assert!(error.message().contains("B of memory"), "{error}");
}

#[test]
fn procedures_are_listed() {
    let db = people();
    let text = "SHOW PROCEDURES YIELD signature, name, mode WHERE name STARTS WITH 'algo.k'";
    let rows = db.query(text, ()).unwrap();
    assert_eq!(rows.columns(), ["signature", "name", "mode"]);
    let found: Vec<(String, String, String)> = rows.typed().collect::<Result<_, _>>().unwrap();
    let core = "algo.kCore(config = null :: MAP) :: (node :: NODE, coreness :: NUMBER)";
    assert!(found.contains(&(core.into(), "algo.kCore".into(), "READ".into())));
    let write = found.iter().find(|(_, name, _)| name == "algo.kCore.write");
    assert_eq!(write.map(|(.., mode)| mode.as_str()), Some("WRITE"));
    let all = db.query("SHOW PROCEDURES", ()).unwrap();
    assert_eq!(all.columns(), ["name", "description", "mode", "signature"]);
    let names: Vec<String> = all.map(|row| row.unwrap().get("name").unwrap()).collect();
    for algorithm in algorithms() {
        let name = format!("algo.{}", camel(algorithm.name));
        assert!(names.contains(&name), "{name}");
        assert!(!names.contains(&"algo.sssp".to_string()));
    }
    // Also while there is nothing to compute.
    let empty = database();
    let text = "CALL algo.pagerank() YIELD node RETURN count(node)";
    assert_eq!(empty.query(text, ()).unwrap().single::<i64>().unwrap(), 0);
    let text = "CALL algo.pagerank.write({writeProperty: 'x'}) YIELD nodeCount RETURN nodeCount";
    assert_eq!(empty.query(text, ()).unwrap().single::<i64>().unwrap(), 0);
}

#[test]
fn the_schema_is_told() {
    let db = people();
    let rows = |text: &str| -> Vec<String> {
        let rows = db.query(text, ()).unwrap().map(|row| {
            let cells = row.unwrap().into_cells();
            let cells: Vec<String> = cells.iter().map(Cell::to_string).collect();
            cells.join(" ")
        });
        rows.collect()
    };
    db.query("MATCH (p:Person {n: 3}) SET p.age = 1.5", ())
        .unwrap();
    assert_eq!(
        rows("CALL db.schema.nodeTypeProperties()"),
        [
            "':`City`' ['City'] 'name' ['STRING'] true",
            "':`Person`' ['Person'] 'age' ['FLOAT'] false",
            "':`Person`' ['Person'] 'n' ['INTEGER'] true",
        ]
    );
    assert_eq!(
        rows("CALL db.schema.relTypeProperties()"),
        [
            "':`KNOWS`' 'km' ['INTEGER'] true",
            "':`LIVES_IN`' null null false",
        ]
    );
    assert_eq!(
        rows("CALL db.schema.visualization()"),
        ["[{count: 1, name: 'City'}, {count: 8, name: 'Person'}] \
             [{count: 10, source: 'Person', target: 'Person', type: 'KNOWS'}, \
             {count: 1, source: 'Person', target: 'City', type: 'LIVES_IN'}]",]
    );
    let found = rows("CALL dbms.components()");
    assert!(found[0].starts_with("'Evergraph' ['"), "{found:?}");
    assert!(found[0].ends_with("'community'"), "{found:?}");
}

/// Rows are made as they are asked for, and stop where nothing more is wanted.
#[test]
fn streams_end_early() {
    let db = people();
    let text = "CALL algo.randomWalks({walks: 1000, length: 5}) YIELD nodes \
                RETURN nodes[0] LIMIT 2";
    let first: Vec<Node> = db
        .query(text, ())
        .unwrap()
        .typed()
        .collect::<Result<Vec<(Node,)>, _>>()
        .unwrap()
        .into_iter()
        .map(|row| row.0)
        .collect();
    assert_eq!(first.len(), 2);
}

#[test]
fn procedures_of_the_program_read_what_the_statement_sees_and_write() {
    let mut db = people();
    db.register_procedure(
        "own.names(nodes :: LIST<NODE>, suffix = null :: STRING?) :: (name :: STRING, of :: NODE)",
        "Names of nodes.",
        ProcedureMode::Read,
        |_, arguments| {
            let [Cell::List(nodes), suffix] = arguments else {
                return Err("it wants nodes".into());
            };
            let suffix = match suffix {
                Cell::Value(Value::Text(suffix)) => suffix.to_string(),
                _ => String::new(),
            };
            let named = nodes.iter().map(|node| {
                let Cell::Node(found) = node else {
                    return Err("one is no node".into());
                };
                let name = format!("{}{suffix}", found.properties["n"]);
                Ok(vec![Cell::Value(name.into()), node.clone()])
            });
            named.collect()
        },
    )
    .unwrap();
    db.register_procedure(
        "own.mark(node :: NODE) :: (marked :: BOOLEAN)",
        "Marks a node.",
        ProcedureMode::Write,
        |context, arguments| {
            let [Cell::Node(node)] = arguments else {
                return Ok(Vec::new());
            };
            let within = context.seen(|_| context.set(node.id, "marked", 1.into()));
            assert!(within.is_err(), "it is being read");
            context.set(node.id, "marked", true.into())?;
            Ok(vec![vec![Cell::Value(true.into())]])
        },
    )
    .unwrap();
    db.register_procedure(
        "own.wrong() :: (a :: INTEGER)",
        "Gives two cells.",
        ProcedureMode::Read,
        |context, _| {
            // Refused: it says that it reads.
            assert!(context.set(NodeId(0), "x", 1.into()).is_err());
            Ok(vec![vec![Cell::NULL, Cell::NULL]])
        },
    )
    .unwrap();
    let text = "MATCH (p {n: 3}) CALL own.names([p], '!') YIELD name, of RETURN name, of.n";
    let rows = db.query(text, ()).unwrap();
    let found: Vec<(String, i64)> = rows.typed().collect::<Result<_, _>>().unwrap();
    assert_eq!(found, [("3!".to_string(), 3)]);
    // Also what its transaction has written.
    let mut transaction = db.begin().unwrap();
    transaction
        .query("MATCH (p {n: 3}) SET p.n = 33", ())
        .unwrap();
    let text = "MATCH (p {n: 33}) CALL own.names([p]) YIELD name RETURN name";
    let name: String = transaction.query(text, ()).unwrap().single().unwrap();
    assert_eq!(name, "33");
    transaction.roll_back();
    let text = "MATCH (p) WHERE p.n < 2 CALL own.mark(p) YIELD marked RETURN count(*)";
    assert!(db.is_write(&Statement::new(text)).unwrap());
    assert_eq!(db.query(text, ()).unwrap().single::<i64>().unwrap(), 2);
    let text = "MATCH (p) WHERE p.marked RETURN count(*)";
    assert_eq!(db.query(text, ()).unwrap().single::<i64>().unwrap(), 2);
    let text = "SHOW PROCEDURES YIELD name, mode, signature WHERE name STARTS WITH 'own.names' \
                RETURN signature";
    let signature: String = db.query(text, ()).unwrap().single().unwrap();
    assert_eq!(
        signature,
        "own.names(nodes :: LIST, suffix = null :: STRING) :: (name :: STRING, of :: NODE)"
    );
    for (text, part) in [
        ("CALL own.wrong()", "2 cells, and the signature 1"),
        ("CALL own.names(1)", "an INTEGER"),
        ("CALL own.nmes([])", "own.names"),
        (
            "AS OF 1 MATCH (p) CALL own.mark(p) YIELD marked RETURN 1",
            "past",
        ),
    ] {
        let error = db.query(text, ()).err().map(|error| error.to_string());
        assert!(
            error.as_ref().is_some_and(|it| it.contains(part)),
            "{error:?}"
        );
    }
    for (signature, part) in [
        ("own.mark() :: ()", "there is a procedure"),
        ("db.labels() :: ()", "there is a procedure"),
        ("own.x", "a signature is"),
        ("own..x() :: ()", "no name of a procedure"),
        ("own.x(a) :: ()", "`a` has no type"),
        ("own.x(a :: INTEGR) :: ()", "INTEGR"),
        (
            "own.x(a = null :: INTEGER, b :: INTEGER) :: ()",
            "b has to be given",
        ),
        ("own.x(a = 1 :: INTEGER) :: ()", "null alone"),
        (
            "own.x(a :: INTEGER, a :: INTEGER) :: ()",
            "no name of its own",
        ),
    ] {
        let body = |_: &ProcedureContext<'_, '_>, _: &[Cell]| Ok(Vec::new());
        let refused = db.register_procedure(signature, "", ProcedureMode::Read, body);
        let error = refused.err().map(|error| error.to_string());
        assert!(
            error.as_ref().is_some_and(|it| it.contains(part)),
            "{error:?}"
        );
    }
}
