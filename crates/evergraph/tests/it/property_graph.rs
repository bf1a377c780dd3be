//! Property graphs as programs reach them, through the facade alone.

use std::io;
use std::ops::Bound;
use std::time::Duration;

use evergraph::property::transaction::{RetryPolicy, Settings, TransactionOptions};
use evergraph::property::value::Value;
use evergraph::property::{
    Definition, GraphError, KeyRange, Node, PropertyGraph, Relationship, Rule,
};
use evergraph::run::{Durable, Request};
use evergraph::{Batch, Control, Database, Error, MediumKind, Options, Retention, run};

fn database(options: Options) -> Database {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        ..options
    };
    Database::create("in memory", &options).unwrap()
}

fn fill(graph: &PropertyGraph) {
    let people = [
        ("Ann", "IT", "Rome", 2005),
        ("Ada", "IT", "Pisa", 2012),
        ("Bob", "FR", "Rome", 2019),
        ("Abe", "FR", "Nice", 2020),
    ];
    let create = |tx: &mut evergraph::property::Transaction| {
        let mut before = None;
        for (name, country, city, since) in people {
            let properties = [
                ("name", name.into()),
                ("country", country.into()),
                ("city", city.into()),
                ("email", format!("{name}@example.org").into()),
            ];
            let node = tx.create_node(&["Person"], properties)?;
            let before = before.replace(node).unwrap_or(node);
            tx.create_relationship(before, "KNOWS", node, [("since", since.into())])?;
        }
        Ok(())
    };
    graph.write(create).unwrap();
}

fn names(found: &[Node]) -> String {
    let names: Vec<&str> = (found.iter())
        .map(|node| node.get("name").and_then(Value::as_text).unwrap())
        .collect();
    names.join(" ")
}

fn years(found: &[Relationship]) -> Vec<i64> {
    let year = |found: &Relationship| found.get("since").and_then(Value::as_integer).unwrap();
    found.iter().map(year).collect()
}

/// The examples of the document, in the same words, with and without indexes.
#[test]
fn nodes_and_relationships_are_found_by_values() -> Result<(), GraphError> {
    let db = database(Options::default());
    let graph = db.property_graph().unwrap();
    fill(graph);
    for with_indexes in [false, true] {
        if with_indexes {
            graph.create_index("names", "Person", &["name"])?;
            graph.create_index("places", "Person", &["country", "city"])?;
            graph.create_relationship_index("since", "KNOWS", &["since"])?;
            graph.define(&Definition::of_nodes(
                "one",
                "Person",
                &["email"],
                Rule::Unique,
            ))?;
        }
        let view = graph.view();
        let anns = view.find("Person", &[("name", "Ann".into())])?;
        let with_a = KeyRange::starting_with(&[], "A");
        let named = view.find_in("Person", &["name"], &with_a)?;
        let in_italy = KeyRange::between(&["IT".into()], Bound::Unbounded, Bound::Unbounded);
        let italians = view.find_in("Person", &["country", "city"], &in_italy)?;
        let (from, to) = (Value::from(2010), Value::from(2020));
        let ten_years = KeyRange::between(&[], Bound::Included(&from), Bound::Excluded(&to));
        let old = view.find_relationships_in("KNOWS", &["since"], &ten_years)?;
        assert_eq!(names(&anns), "Ann");
        assert_eq!(names(&named), "Abe Ada Ann");
        assert_eq!(names(&italians), "Ada Ann");
        assert_eq!(years(&old), [2012, 2019]);
        let in_transaction = graph.begin().find_in("Person", &["name"], &with_a)?;
        assert_eq!(names(&in_transaction), "Abe Ada Ann");
    }
    assert_eq!(graph.definitions().len(), 4);
    let again =
        graph.write(|tx| tx.create_node(&["Person"], [("email", "Ann@example.org".into())]));
    assert!(matches!(again, Err(GraphError::Constraint(_))), "{again:?}");
    Ok(())
}

#[test]
fn transactions_are_as_the_options_say() {
    let db = database(Options {
        transactions: Settings {
            overlay_bytes: 20_000,
            timeout: Some(Duration::from_secs(3600)),
            ..Settings::default()
        },
        chunk_records: 64,
        ..Options::default()
    });
    let graph = db.property_graph().unwrap();
    let many = graph.write(|tx| {
        for _ in 0..1000 {
            tx.create_node(&[], [])?;
        }
        Ok(())
    });
    let error = many.unwrap_err().to_string();
    assert!(error.contains("overlay_bytes"), "{error}");
    graph
        .write(|tx| (0..65).try_for_each(|_| tx.create_node(&[], []).map(drop)))
        .unwrap();
    db.checkpoint().unwrap();
    assert_eq!(graph.statistics().nodes.chunks, 2);
}

#[test]
fn a_transaction_can_be_seen_and_ended() {
    let db = database(Options::default());
    let graph = db.property_graph().unwrap();
    let node = graph.write(|tx| tx.create_node(&[], [])).unwrap();
    let mut slow = graph.begin_with(&TransactionOptions {
        name: Some("slow".into()),
        ..TransactionOptions::default()
    });
    slow.set(node, "name", "slow").unwrap();
    let once = TransactionOptions {
        retry: RetryPolicy::never(),
        ..TransactionOptions::default()
    };
    let mut attempts = 0;
    let fast = graph.write_with(once, |tx| {
        attempts += 1;
        tx.set(node, "name", "fast")
    });
    assert!(Error::from(fast.unwrap_err()).is_retryable());
    assert_eq!(attempts, 1);
    let active = graph.active_transactions();
    assert_eq!(active.len(), 1);
    assert_eq!(active[0].name.as_deref(), Some("slow"));
    assert!(graph.terminate(active[0].id));
    assert!(!graph.terminate(active[0].id));
    graph.write(|tx| tx.set(node, "name", "fast")).unwrap();
    assert!(slow.commit().is_err());
}

#[test]
fn an_error_of_ones_own_ends_the_transaction() {
    let db = database(Options::default());
    let graph = db.property_graph().unwrap();
    let mut attempts = 0;
    let ended = graph.write(|tx| {
        attempts += 1;
        tx.create_node(&[], [])?;
        let own = io::Error::other("the other side has hung up");
        Err::<(), _>(GraphError::User(own.into()))
    });
    let Err(GraphError::User(own)) = ended else {
        panic!("{ended:?}");
    };
    assert!(own.is::<io::Error>());
    assert_eq!(attempts, 1);
    assert_eq!(graph.view().nodes().count(), 0);
    let text = graph.write(|_| {
        Err::<(), GraphError>(Box::<dyn std::error::Error + Send + Sync>::from("no").into())
    });
    assert_eq!(text.unwrap_err().to_string(), "no");
}

#[test]
fn snapshots_keep_to_one_rule() {
    let db = database(Options::default());
    let graph = db.property_graph().unwrap();
    fill(graph);
    for name in ["now", "a..b", "run/x", "maintain/x/1", " a"] {
        assert!(graph.create_snapshot(name).is_err(), "{name}");
        assert!(db.create_snapshot(name, None).is_err(), "{name}");
    }
    let wanted = Request {
        algorithm: "pagerank".to_string(),
        durable: Durable {
            checkpoint_every: Some(1),
            ..Durable::default()
        },
        ..Request::default()
    };
    let view = run::view(&db, &wanted, None).unwrap();
    let error = graph.drop_snapshot("run/pagerank").unwrap_err().to_string();
    assert!(error.contains("belongs to a result"), "{error}");
    run::run(&db, &view, &wanted, &Control::new(), None).unwrap();
    drop(view);
    assert!(db.snapshots().is_empty());
    let rules = Retention {
        last: Some(1),
        ..Retention::default()
    };
    db.set_retention(&rules).unwrap();
    for name in ["a", "b"] {
        db.create_snapshot(name, None).unwrap();
    }
    assert_eq!(graph.snapshots().len(), 1);
}

#[test]
fn what_a_killed_run_left_goes_at_the_next_opening() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let options = Options {
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create(&path, &options).unwrap();
    fill(db.property_graph().unwrap());
    db.create_snapshot("mine", None).unwrap();
    let mut left = Batch::new();
    left.hold_snapshot("run/pagerank");
    db.commit(left).unwrap();
    drop(db);
    let db = Database::open(&path, &options).unwrap();
    let names: Vec<String> = db.snapshots().into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["mine"]);
}
