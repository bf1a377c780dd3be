//! Results as properties of nodes.

use evergraph::property::transaction::Settings;
use evergraph::property::value::Value;
use evergraph::property::{NodeId, ProjectionOptions};
use evergraph::run::{self, Durable, Request, Values, WriteBack, Written};
use evergraph::{At, Control, Database, Error, MediumKind, Options};

use super::sample::{Sample, request, sample};

fn people(algorithm: &str, parameters: &[(&str, &str)]) -> Request {
    Request {
        projection: Some(ProjectionOptions::new().label("Person")),
        ..request(algorithm, parameters)
    }
}

/// Runs it and writes what it gives as `found`.
fn write(sample: &Sample, wanted: &Request) -> Result<(run::Outcome, Written), Error> {
    let db = &sample.db;
    let view = db.view();
    let writing = WriteBack::begin(db, &view, "found")?;
    let outcome = run::run(db, &view, wanted, &Control::new(), None)?;
    let written = writing.write(&outcome)?;
    Ok((outcome, written))
}

/// The property of each node that has it.
fn found(sample: &Sample) -> Vec<(u32, Value)> {
    let view = sample.db.property_graph().expect("it is one").view();
    let nodes = view.nodes().map(|node| node.expect("readable"));
    nodes
        .filter_map(|node| Some((node.id().0, node.get("found")?.clone())))
        .collect()
}

#[test]
fn each_node_of_the_part_gets_its_value() {
    let sample = sample();
    let people_ids = sample.nodes(&ProjectionOptions::new().label("Person"));
    let (outcome, written) = write(&sample, &people("pagerank", &[])).expect("written");
    assert_eq!(written.nodes, people_ids.len() as u64);
    let Values::Reals(ranks) = &outcome.values else {
        panic!("{:?}", outcome.values);
    };
    let expected: Vec<(u32, Value)> = people_ids
        .iter()
        .zip(ranks)
        .map(|(&node, &rank)| (node, Value::Float(rank)))
        .collect();
    assert_eq!(found(&sample), expected);

    // A node that is not reached loses its old value.
    let (outcome, written) = write(&sample, &people("bfs", &[("source", "1")])).expect("written");
    let Values::Depths(depths) = &outcome.values else {
        panic!("{:?}", outcome.values);
    };
    let expected: Vec<(u32, Value)> = people_ids
        .iter()
        .zip(depths)
        .filter(|(_, depth)| **depth != u32::MAX)
        .map(|(&node, &depth)| (node, Value::Integer(i64::from(depth))))
        .collect();
    assert_eq!(found(&sample), expected);
    assert_eq!(
        (written.nodes, written.without_value),
        (
            expected.len() as u64,
            (depths.len() - expected.len()) as u64
        )
    );

    // Vertices are nodes.
    write(&sample, &people("connected-components", &[])).expect("written");
    for (_, component) in found(&sample) {
        let Value::Integer(node) = component else {
            panic!("{component:?}");
        };
        assert!(people_ids.contains(&(node as u32)), "{node}");
    }
    let report = sample.db.check();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

#[test]
fn what_is_no_value_of_a_node_is_refused() {
    let sample = sample();
    for wanted in [
        people("biconnected-components", &[("output", "bridges")]),
        people("topological-order", &[("output", "order")]),
    ] {
        let error = write(&sample, &wanted).expect_err("it has none").summary();
        assert!(error.ends_with("is not one value of each node"), "{error}");
    }
    assert_eq!(found(&sample), []);
}

#[test]
fn nobody_elses_change_is_lost() {
    let sample = sample();
    let db = &sample.db;
    let graph = db.property_graph().expect("it is one");
    let view = db.view();
    let writing = WriteBack::begin(db, &view, "found").expect("now");
    let wanted = people("pagerank", &[]);
    let outcome = run::run(db, &view, &wanted, &Control::new(), None).expect("run");
    graph
        .write(|tx| tx.set(NodeId(1), "found", "mine"))
        .expect("written");
    let error = writing.write(&outcome).expect_err("a conflict");
    assert!(error.is_retryable(), "{error}");
    assert_eq!(found(&sample), [(1, Value::from("mine"))]);
}

#[test]
fn the_past_is_not_written() {
    let sample = sample();
    let db = &sample.db;
    let graph = db.property_graph().expect("it is one");
    graph.create_snapshot("then").expect("named");
    // It is now, by another name.
    let then = db.as_of(&At::from_text("then")).expect("kept");
    drop(WriteBack::begin(db, &then, "found").expect("nothing came since"));
    graph
        .write(|tx| tx.set(NodeId(1), "found", 1))
        .expect("written");
    let error = WriteBack::begin(db, &then, "found").err().expect("past");
    assert!(error.summary().contains("the graph of now"), "{error}");
    assert!(matches!(
        WriteBack::begin(db, &db.view(), ""),
        Err(Error::Argument { .. })
    ));
    let plain = sample.plain(&ProjectionOptions::new());
    let error = WriteBack::begin(&plain, &plain.view(), "found").err();
    assert!(
        error
            .expect("no nodes")
            .summary()
            .contains("without properties")
    );
}

#[test]
fn a_result_is_written_by_the_transaction_of_its_commit() {
    let sample = sample();
    let db = &sample.db;
    let earlier = db.view();
    db.property_graph()
        .expect("it is one")
        .write(|tx| tx.set(NodeId(1), "other", 1))
        .expect("written");
    let writing = WriteBack::begin(db, &db.view(), "found").expect("now");
    let wanted = people("pagerank", &[]);
    let outcome = run::run(db, &earlier, &wanted, &Control::new(), None).expect("run");
    let error = writing.write(&outcome).expect_err("of the past").summary();
    assert!(error.contains("the result is of commit"), "{error}");
    assert_eq!(found(&sample), []);
}

#[test]
fn more_than_a_commit_takes_is_refused_before_the_run() {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        transactions: Settings {
            overlay_bytes: 200_000,
            ..Settings::default()
        },
        ..Options::default()
    };
    let db = Database::create("nowhere", &options).expect("a database in memory");
    let graph = db.property_graph().expect("it is one");
    for _ in 0..3 {
        graph
            .write(|tx| {
                for _ in 0..1000 {
                    tx.create_node(&[], [])?;
                }
                Ok(())
            })
            .expect("written");
    }
    let mut wanted = Request {
        write_back: true,
        durable: Durable {
            checkpoint_every: Some(1),
            ..Durable::default()
        },
        ..request("pagerank", &[])
    };
    let view = run::view(&db, &wanted, None).expect("a view");
    let error = run::run(&db, &view, &wanted, &Control::new(), None).expect_err("too much");
    drop(view);
    assert!(error.summary().contains("at most"), "{error}");
    assert!(error.hint().contains("--keep"), "{error}");
    assert!(db.snapshots().is_empty());
    assert_eq!(db.results().expect("results").list().len(), 0);
    // It says no less than the commit would.
    wanted.write_back = false;
    wanted.durable = Durable::default();
    let view = db.view();
    let writing = WriteBack::begin(&db, &view, "found").expect("now");
    let outcome = run::run(&db, &view, &wanted, &Control::new(), None).expect("run");
    let error = writing.write(&outcome).expect_err("too much").to_string();
    assert!(error.contains("overlay_bytes"), "{error}");
    // The bound cannot be known beforehand if only few nodes have a value.
    let some = Request {
        write_back: true,
        ..request("bfs", &[])
    };
    let view = db.view();
    let writing = WriteBack::begin(&db, &view, "found").expect("now");
    let outcome = run::run(&db, &view, &some, &Control::new(), None).expect("run");
    assert_eq!(writing.write(&outcome).expect("one").nodes, 1);
}

/// In a graph of which a search reaches a part, with more nodes than seeds by default.
#[test]
fn the_registry_knows_which_results_leave_nodes_without_a_value() {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create("in memory", &options).expect("a database");
    let create = |tx: &mut evergraph::property::Transaction| {
        for _ in 0..30 {
            let (a, b) = (tx.create_node(&[], [])?, tx.create_node(&[], [])?);
            tx.create_relationship(a, "TO", b, [("weight", 1.into())])?;
        }
        Ok(())
    };
    let graph = db.property_graph().expect("it is one");
    graph.write(create).expect("nodes and relationships");
    for algorithm in run::algorithms() {
        let wanted = Request {
            algorithm: algorithm.name.to_string(),
            projection: Some(ProjectionOptions::new().weight("weight", 1.0)),
            ..Request::default()
        };
        let view = db.view();
        let writing = WriteBack::begin(&db, &view, "found").expect("a transaction");
        let outcome = run::run(&db, &view, &wanted, &Control::new(), None).expect(algorithm.name);
        // Results that are not one value a node are refused.
        let without = writing
            .write(&outcome)
            .map_or(0, |written| written.without_value);
        assert_eq!(
            without > 0,
            algorithm.leaves_vertices_out(),
            "{}",
            algorithm.name
        );
    }
}
