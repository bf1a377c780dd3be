//! Indexes, constraints, loads and deletions of hubs beside threads that keep writing,
//! and definitions that fail.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Broken, Definition, DefinitionState, Entity, GraphError, GraphOptions, NodeId, OpenOptions,
    PropertyGraph, Rule, Subject, Transaction, ValueType, Violation,
};
use evergraph_property_graph::transaction::Retryable;
use evergraph_storage::failpoint;
use evergraph_storage::medium::DramStorage;

use super::random::options;

fn graph() -> (DramStorage, Arc<PropertyGraph>) {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
    (storage, Arc::new(graph))
}

fn people(graph: &PropertyGraph, names: &[&str]) -> Vec<NodeId> {
    let made = graph.write(|own| {
        let make = |name: &&str| own.create_node(&["Person"], [("name", (*name).into())]);
        names.iter().map(make).collect()
    });
    made.expect("committed")
}

fn unique() -> Definition {
    Definition::of_nodes("one", "Person", &["name"], Rule::Unique)
}

/// Tells writers to end when it is dropped.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `work` while so many threads commit small transactions, until it has done; then
/// each of them has committed something, and met no error.
fn beside_writers<T>(graph: &PropertyGraph, writers: u64, work: impl FnOnce() -> T) -> T {
    let (next, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
    let barrier = std::sync::Barrier::new(writers as usize + 1);
    std::thread::scope(|scope| {
        let (next, is_done, barrier) = (&next, &is_done, &barrier);
        let write = move || {
            barrier.wait();
            while !is_done.load(Ordering::Acquire) {
                let number = next.fetch_add(1, Ordering::Relaxed) as i64;
                let written = graph.write(|own| {
                    let node = own.create_node(&["Number"], [("number", number.into())])?;
                    // While there is one.
                    if own.node(NodeId(0))?.is_some() {
                        own.create_relationship(node, "LIKES", NodeId(0), [])?;
                    }
                    Ok(())
                });
                match written {
                    Ok(()) => {}
                    // Deleted behind the snapshot that had it, and for good.
                    Err(GraphError::Transaction(error)) => assert!(!error.is_retryable()),
                    Err(error) => panic!("{error}"),
                }
            }
        };
        let threads: Vec<_> = (0..writers).map(|_| scope.spawn(write)).collect();
        barrier.wait();
        // The writers end also if this panics.
        let ends = Ends(is_done);
        let done = work();
        drop(ends);
        threads
            .into_iter()
            .for_each(|thread| thread.join().expect("no panic"));
        done
    })
}

#[test]
fn exclusive_requests_succeed_beside_writers() {
    for writers in [1, 2, 4, 8] {
        let storage = DramStorage::new();
        // With a log that takes a hub of any size that there can be till it is deleted.
        let graph = PropertyGraph::create(&storage, GraphOptions::default(), [7; 16]);
        let graph = graph.expect("created");
        let hub = people(&graph, &["Hub"])[0];
        assert_eq!(hub, NodeId(0));
        beside_writers(&graph, writers, || {
            graph
                .write(|own| own.detach_delete_node(hub))
                .expect("deleted");
            for round in 0..3 {
                let mut load = graph.load();
                let name = format!("Loaded {round}");
                load.create_node(&["Person"], [("name", name.into())])
                    .expect("made");
                load.commit().expect("loaded");
            }
            graph
                .create_index("numbers", "Number", &["number"])
                .expect("made");
            graph.define(&unique()).expect("it holds");
            let key = Definition::of_nodes("key", "Number", &["number"], Rule::Key);
            graph.define(&key).expect("it holds");
            graph.drop_definition("numbers").expect("it is there");
        });
        let names: Vec<String> = graph.definitions().into_iter().map(|d| d.name).collect();
        assert_eq!(names, ["one", "key"]);
        assert_eq!(graph.check().problems, Vec::<String>::new());
    }
}

/// A transaction that holds other locks when it deletes a hub waits for nothing; what it
/// is run again as has the hub before it begins.
#[test]
fn a_hub_goes_with_what_else_a_transaction_does() {
    let (_storage, graph) = graph();
    let hub = people(&graph, &["Hub"])[0];
    let counter = people(&graph, &["Counter"])[0];
    let other = people(&graph, &["Other"])[0];
    let mut attempts = 0;
    let mut adding = Some(graph.begin());
    let add = |own: &mut Transaction| own.create_relationship(hub, "LIKES", other, []);
    add(adding.as_mut().expect("begun")).expect("free");
    let deleted = graph.write(|own| {
        attempts += 1;
        own.set(counter, "attempts", attempts)?;
        if attempts == 2 {
            let refused = add(&mut graph.begin());
            assert!(refused.is_err_and(|error| error.is_retryable()));
        }
        let deleted = own.detach_delete_node(hub);
        if let Some(adding) = adding.take() {
            assert!(deleted.as_ref().is_err_and(|error| error.is_retryable()));
            adding.commit().expect("it was first");
        }
        deleted
    });
    assert_eq!(deleted.expect("deleted"), 1);
    let view = graph.view();
    let attempts = view.property(counter, "attempts").expect("readable");
    assert_eq!(attempts, Some(2.into()));
}

fn violation(outcome: Result<(), GraphError>) -> Violation {
    match outcome {
        Err(GraphError::Constraint(violation)) => *violation,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_violation_says_what_does_not_hold_for_which_records() {
    let (_storage, graph) = graph();
    let made = people(&graph, &["Ann", "Bob", "Ann"]);
    let found = violation(graph.define(&unique()));
    let [ann, other] = [made[0], made[2]].map(Entity::from);
    let mut ids = [Some(found.record), None];
    if let Broken::SameValues(other) = found.reason {
        ids[1] = Some(other);
    }
    ids.sort_unstable();
    assert_eq!(ids, [Some(ann), Some(other)]);
    assert_eq!(found.constraint, unique());
    assert_eq!(
        found.constraint.subject,
        Subject::Nodes("Person".to_string())
    );
    assert_eq!(found.values, [Some(Value::from("Ann"))]);
    let text =
        "constraint \"one\": two nodes Person have the same name \"Ann\" (node 0 and node 2)";
    assert_eq!(found.to_string().replace('\'', "\""), text);
    graph
        .write(|own| own.delete_node(made[2]))
        .expect("deleted");
    graph.define(&unique()).expect("it holds");
    let again = graph.write(|own| own.set(made[1], "name", "Ann"));
    let again = violation(again);
    assert_eq!(again.record, made[1].into());
    assert_eq!(again.reason, Broken::SameValues(ann));
    let missing = Definition::of_nodes("aged", "Person", &["name", "age"], Rule::Exists);
    let found = violation(graph.define(&missing));
    assert_eq!(found.reason, Broken::Missing);
    let text = found.to_string();
    assert!(text.contains("a node Person with name "), "{text}");
    assert!(text.contains(" does not have age (node "), "{text}");
    let typed = Rule::Type(ValueType::Integer);
    let found = violation(graph.define(&Definition::of_nodes("typed", "Person", &["name"], typed)));
    assert_eq!(found.reason, Broken::OtherType(ValueType::Integer));
    assert!(
        found.to_string().contains("which is not of type integer"),
        "{found}"
    );
}

fn states(graph: &PropertyGraph) -> Vec<(String, String)> {
    let states = graph.definition_states().into_iter();
    states
        .map(|(definition, state)| (definition.name, state.to_string()))
        .collect()
}

fn listed(states: &[(&str, &str)]) -> Vec<(String, String)> {
    let states = states.iter();
    states
        .map(|(name, state)| (name.to_string(), state.to_string()))
        .collect()
}

/// A writer that began while the constraint was made, and goes on, is not in the way of
/// its end.
#[test]
fn a_constraint_that_failed_is_gone_at_once() {
    let (_storage, graph) = graph();
    people(&graph, &["Ann", "Bob", "Ann"]);
    let writer = Arc::new(Mutex::new(None));
    let begin = {
        let (graph, writer) = (Arc::clone(&graph), Arc::clone(&writer));
        move |_| {
            let taken = graph.define(&unique()).map_err(|error| error.to_string());
            assert!(taken.is_err_and(|error| error.contains("already")));
            let mut own = graph.begin();
            own.create_node(&["Person"], [("name", "Cleo".into())])
                .expect("unused");
            assert_eq!(states(&graph), listed(&[("one", "POPULATING")]));
            *writer.lock().expect("not poisoned") = Some(own);
        }
    };
    let armed = failpoint::Scope::calling("index.populating", begin).enter();
    violation(graph.define(&unique()));
    drop(armed);
    assert_eq!(states(&graph), listed(&[("one", "FAILED")]));
    assert_eq!(graph.definitions(), []);
    // Nothing is held to it, in the writer and beside it.
    let mut own = writer.lock().expect("not poisoned").take().expect("begun");
    own.create_node(&["Person"], [("name", "Ann".into())])
        .expect("nothing forbids it");
    people(&graph, &["Bob"]);
    own.commit().expect("committed");
    let mut load = graph.load();
    load.create_node(&["Person"], [("name", "Ann".into())])
        .expect("gathered");
    load.commit().expect("loaded");
    // Its name is free.
    let index = Definition::of_nodes("one", "Person", &["name"], Rule::Index);
    graph.define(&index).expect("made");
    assert_eq!(states(&graph), listed(&[("one", "ONLINE")]));
    violation(graph.define(&Definition {
        name: "two".to_string(),
        ..unique()
    }));
    assert_eq!(
        states(&graph),
        listed(&[("one", "ONLINE"), ("two", "FAILED")])
    );
    graph.drop_definition("two").expect("it is listed");
    assert!(graph.drop_definition("two").is_err());
    assert_eq!(states(&graph), listed(&[("one", "ONLINE")]));
    assert_eq!(graph.check().problems, Vec::<String>::new());
}

/// While a constraint is made, writers are not held to unique values: it fails.
#[test]
fn a_constraint_fails_by_what_writers_do_meanwhile() {
    for place in ["index.populating", "index.populated"] {
        let (_storage, graph) = graph();
        let ann = people(&graph, &["Ann", "Bob"])[0];
        let write = {
            let graph = Arc::clone(&graph);
            move |_| {
                people(&graph, &["Ann"]);
            }
        };
        let armed = failpoint::Scope::calling(place, write).enter();
        let found = violation(graph.define(&unique()));
        drop(armed);
        assert_eq!(found.values, [Some(Value::from("Ann"))]);
        let mut both = vec![found.record];
        if let Broken::SameValues(other) = found.reason {
            both.push(other);
        }
        assert!(both.len() == 2 && both.contains(&ann.into()), "{both:?}");
        assert_eq!(states(&graph), listed(&[("one", "FAILED")]));
        graph.write(|own| own.delete_node(ann)).expect("deleted");
        graph.define(&unique()).expect("it holds");
    }
}

/// A constraint that could be made holds, whatever writers did while it was made.
#[test]
fn constraints_hold_beside_writers_that_would_break_them() {
    const NAMES: u64 = 2000;
    let (_storage, graph) = graph();
    let (next, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
    let write = || {
        while !is_done.load(Ordering::Acquire) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            // Every seventh deletes, so that there are some to make again.
            let name = (number * 7919 % NAMES).to_string();
            let written = graph.write(|own| {
                let duplicates = own.find("Person", &[("name", name.as_str().into())])?;
                match duplicates.first() {
                    Some(duplicate) if number % 7 == 0 => own.delete_node(duplicate.id()),
                    Some(_) if number % 1999 != 0 => Ok(()),
                    _ => {
                        let properties = [("name", name.as_str().into())];
                        own.create_node(&["Person"], properties).map(|_| ())
                    }
                }
            });
            match written {
                Ok(()) | Err(GraphError::Constraint(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    graph
        .create_index("names", "Person", &["name"])
        .expect("made");
    let (mut held, mut failed) = (0, 0);
    std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(write));
        let ends = Ends(&is_done);
        while held < 5 || (failed < 5 && held < 50) {
            match graph.define(&unique()) {
                Ok(()) => {
                    held += 1;
                    assert_eq!(graph.check().problems, Vec::<String>::new());
                    graph.drop_definition("one").expect("it is there");
                }
                Err(GraphError::Constraint(violation)) => {
                    failed += 1;
                    let Broken::SameValues(other) = violation.reason else {
                        panic!("{violation}");
                    };
                    let (Entity::Node(one), Entity::Node(other)) = (violation.record, other) else {
                        panic!("{violation}");
                    };
                    // One of them goes, if none has gone already.
                    let is_there = |id| graph.view().node(id).expect("readable").is_some();
                    if is_there(one) && is_there(other) {
                        let gone = graph.write(|own| match own.node(one)? {
                            Some(_) => own.delete_node(one),
                            None => Ok(()),
                        });
                        gone.expect("deleted");
                    }
                }
                Err(error) => panic!("{error}"),
            }
        }
        drop(ends);
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

#[test]
fn a_definition_whose_thread_panics_fails() {
    let (_storage, graph) = graph();
    people(&graph, &["Ann", "Bob"]);
    let making = Arc::clone(&graph);
    let panicked = std::thread::spawn(move || {
        let panics = |_| panic!("as a test wants");
        let _armed = failpoint::Scope::calling("index.populated", panics).enter();
        let _ = making.define(&unique());
    });
    assert!(panicked.join().is_err());
    assert_eq!(states(&graph), listed(&[("one", "FAILED")]));
    people(&graph, &["Ann"]);
    people(&graph, &["Bob"]);
}

/// A definition that was populating when the process ended is listed as failed, for
/// readers too, and no opening holds anything to it.
#[test]
fn a_definition_whose_process_ended_has_failed() {
    let (storage, graph) = graph();
    people(&graph, &["Ann", "Bob"]);
    // As after a kill: the graph is never closed, and the definition never went online.
    let ends = {
        let graph = Arc::clone(&graph);
        move |_| {
            graph.checkpoint().expect("written");
            panic!("as a test wants");
        }
    };
    let making = Arc::clone(&graph);
    let ended = std::thread::spawn(move || {
        let _armed = failpoint::Scope::calling("index.populated", ends).enter();
        let _ = making.define(&unique());
    });
    assert!(ended.join().is_err());
    drop(graph);
    for read_only in [true, false] {
        let opening = OpenOptions {
            read_only,
            ..OpenOptions::default()
        };
        let (graph, _) = PropertyGraph::open(&storage, opening).expect("opened");
        assert_eq!(states(&graph), listed(&[("one", "FAILED")]));
        let reason = graph.definition_states().remove(0).1;
        let ended = "the process ended while it was made";
        assert_eq!(reason, DefinitionState::Failed(ended.to_string()));
        if !read_only {
            people(&graph, &["Ann"]);
            graph.checkpoint().expect("written");
        }
    }
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
    assert_eq!(states(&graph), [], "no table has it any more");
}
