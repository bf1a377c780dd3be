//! The program of README.md; a test keeps the two the same.

use evergraph::algorithms::{Control, pagerank};
use evergraph::{Database, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("evergraph-tour-{}", std::process::id()));
    let db = Database::create(&path, &Options::default())?;

    // One commit: all or nothing, and durable when the call returns.
    let commit = db.insert_edges(&[(0, 1), (0, 2), (1, 2), (2, 0)])?;
    println!("commit {} durability: {:?}", commit.csn, commit.durability);

    // A view is one moment. It stops no writer and sees none.
    let before = db.view();
    db.insert_edges(&[(0, 3), (3, 0)])?;
    db.delete_edges(&[(0, 1)])?;
    assert_eq!(before.neighbors(0)?, [1, 2]);
    assert_eq!(db.view().neighbors(0)?, [2, 3]);

    // Algorithms run on a view: no copy, no export.
    let graph = db.view().graph()?;
    let found = pagerank::run(&graph, &pagerank::Parameters::default(), &Control::new())?;
    println!("ranks {:.3?}", found.ranks);

    // Leaving without `close` is like a crash: nothing committed is lost.
    drop((before, graph, db));
    let db = Database::open(&path, &Options::default())?;
    assert_eq!(db.view().neighbors(0)?, [2, 3]);
    println!("back from the log: {}", db.open_report().replayed_commits);
    db.close()?;
    std::fs::remove_dir_all(&path)?;
    Ok(())
}
