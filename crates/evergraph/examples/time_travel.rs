//! The graph as it was, and what changed since.

use std::ops::ControlFlow;

use evergraph::{At, Database, MediumKind, Options, time_of_text};

fn main() -> Result<(), evergraph::Error> {
    let options = Options {
        medium: MediumKind::Dram,
        ..Options::default()
    };
    let db = Database::create("in memory", &options)?;
    db.insert_edges(&[(0, 1), (1, 2)])?;
    db.create_snapshot("spring", time_of_text("2016-05"))?;
    db.delete_edges(&[(0, 1)])?;
    db.insert_edges(&[(2, 3)])?;

    // By name, or by date: a view like any other.
    let then = db.as_of(&At::from_text("2016-06-15"))?;
    assert_eq!(then.neighbors(0)?, [1]);
    assert!(db.view().neighbors(0)?.is_empty());

    let now = db.view();
    let _ = db.diff(&then, &now)?.for_each_edge(|change| {
        let sign = if change.added { '+' } else { '-' };
        println!("{sign} {} {}", change.source, change.target);
        ControlFlow::Continue(())
    })?;
    Ok(())
}
