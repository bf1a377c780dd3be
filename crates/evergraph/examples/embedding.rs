//! The code of docs/embedding.md; a test keeps the two the same.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use evergraph::algorithms::{Control, pagerank};
use evergraph::graph::StoredLists;
use evergraph::property::Direction;
use evergraph::query::Statement;
use evergraph::run::{Request, run};
use evergraph::{At, Database, DurabilityLevel, MediumKind, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("evergraph-embedding-{}", std::process::id()));
    edges(&path.join("edges"))?;
    property_graph(&path.join("property-graph"))?;
    queries(&path.join("queries"))?;
    std::fs::remove_dir_all(&path)?;
    Ok(())
}

fn edges(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let options = Options {
        medium: MediumKind::File,
        direction: StoredLists::Both,
        ..Options::default()
    };
    let db = Database::create(path, &options)?;
    println!("durability level: {:?}", db.durability_level());

    let commit = db.insert_edges(&[(0, 1), (0, 2), (1, 2), (2, 0)])?;
    assert_eq!(commit.csn, 1);
    if commit.durability != DurabilityLevel::Power {
        eprintln!("a power cut would lose commit {}", commit.csn);
    }
    let deleted = db.delete_edges(&[(0, 1)])?;
    assert_eq!(deleted.missed_deletes, 0);

    db.create_snapshot("spring", None)?;
    db.insert_edges(&[(2, 3), (3, 0)])?;
    let then = db.as_of(&At::from_text("spring"))?;
    assert_eq!(then.neighbors(2)?, [0]);
    assert_eq!(db.view().neighbors(2)?, [0, 3]);

    let graph = db.view().graph()?;
    let found = pagerank::run(&graph, &pagerank::Parameters::default(), &Control::new())?;
    println!("ranks {:.3?}", found.ranks);

    let request = Request {
        algorithm: "connected-components".to_string(),
        ..Request::default()
    };
    let view = db.view();
    let outcome = run(&db, &view, &request, &Control::new(), None)?;
    println!("{:?}", outcome.result);

    match db.delete_edges(&[(1, 3)]) {
        Ok(commit) => println!("edges that were not there: {}", commit.missed_deletes),
        Err(error) if error.is_retryable() => eprintln!("try again: {error}"),
        Err(error) => eprintln!("{}\nhint: {}", error.summary(), error.hint()),
    }

    drop((graph, then, view));
    db.close()?;
    Ok(())
}

fn property_graph(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let options = Options {
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create(path, &options)?;

    let graph = db.property_graph()?;
    let ann = graph.write(|tx| {
        let ann = tx.create_node(&["Person"], [("name", "Ann".into())])?;
        let bob = tx.create_node(&["Person"], [("name", "Bob".into())])?;
        tx.create_relationship(ann, "KNOWS", bob, [("since", 2019.into())])?;
        Ok(ann)
    })?;
    let friends = graph
        .view()
        .neighbors(ann, Direction::Outgoing, &["KNOWS"])?;
    assert_eq!(friends.len(), 1);

    db.close()?;
    Ok(())
}

fn queries(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let options = Options {
        property_graph: true,
        ..Options::default()
    };

    let graph = Database::create(path, &options)?;
    graph.query(
        "CREATE (:Person {name: $name, born: 1975})",
        [("name", "Ann")],
    )?;
    let rows = graph.query("MATCH (p:Person) RETURN p.name, p.born", ())?;
    for person in rows.typed::<(String, Option<i64>)>() {
        let (name, born) = person?;
        println!("{name}: {born:?}");
    }
    let statement = Statement::new("MATCH (n) RETURN count(*)")
        .timeout(Duration::from_secs(1))
        .memory_limit(64 << 20);
    let number: i64 = graph.execute(&statement)?.single()?;
    let mut transaction = graph.begin()?;
    transaction.query("MATCH (p:Person) SET p.seen = true", ())?;
    transaction.commit()?;

    let pairs = Statement::new("MATCH (a), (b) RETURN a.name, b.name");
    let mut found = 0;
    let result = graph.for_each_row(&pairs, |row| {
        found += row.cells().len();
        ControlFlow::Continue(())
    })?;
    println!("{found} values of {:?}", result.columns());
    for row in graph.stream(&pairs)?.take(10) {
        println!("{:?}", row?.cells());
    }

    assert_eq!(number, 1);
    graph.close()?;
    Ok(())
}
