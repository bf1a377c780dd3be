//! A property graph: transactions, a reader of one moment, and an algorithm on a part
//! of it.

use evergraph::algorithms::{Control, pagerank};
use evergraph::property::{Direction, GraphError, ProjectionOptions};
use evergraph::{Database, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("evergraph-friends-{}", std::process::id()));
    let options = Options {
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create(&path, &options)?;
    let graph = db.property_graph()?;

    // All or nothing, and durable when the call returns.
    let ann = graph.write(|tx| {
        let ann = tx.create_node(&["Person"], [("name", "Ann".into())])?;
        let bob = tx.create_node(&["Person"], [("name", "Bob".into())])?;
        let chess = tx.create_node(&["Game"], [("name", "chess".into())])?;
        tx.create_relationship(ann, "KNOWS", bob, [("since", 2019.into())])?;
        tx.create_relationship(bob, "KNOWS", ann, [("since", 2020.into())])?;
        tx.create_relationship(ann, "PLAYS", chess, [])?;
        Ok(ann)
    })?;

    // A view is one moment.
    let before = graph.view();
    graph.write(|tx| tx.set(ann, "name", "Anna"))?;
    let name = |view: &evergraph::property::View| -> Result<String, evergraph::Error> {
        let node = view.node(ann)?.expect("she is there");
        let name = node.get_as::<String>("name").map_err(GraphError::from)?;
        Ok(name.expect("she has a name"))
    };
    println!("{}, then {}", name(&before)?, name(&graph.view())?);

    for adjacent in before.neighbors(ann, Direction::Outgoing, &["KNOWS"])? {
        let friend = before.node(adjacent.neighbor)?.expect("it has both ends");
        println!("knows {:?}", friend.get("name"));
    }

    // Algorithms read the persons who know each other, without a copy.
    let persons = ProjectionOptions::new()
        .label("Person")
        .relationship_type("KNOWS");
    let projection = before.project(&persons)?;
    let found = pagerank::run(
        &projection,
        &pagerank::Parameters::default(),
        &Control::new(),
    )?;
    println!("ranks {:.2?}", found.ranks);

    drop((before, projection));
    db.close()?;
    std::fs::remove_dir_all(&path)?;
    Ok(())
}
