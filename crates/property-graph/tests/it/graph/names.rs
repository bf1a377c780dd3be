//! Names that a view is asked for before and after they mean something.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use evergraph_property_graph::graph::{Direction, GraphError, OpenOptions, PropertyGraph, View};
use evergraph_storage::medium::DramStorage;

use super::random::options;

/// The code of a name is remembered, the absence of one is not.
#[test]
fn names_that_get_a_meaning_later() -> Result<(), GraphError> {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16])?;
    let (a, b) = graph.write(|tx| Ok((tx.create_node(&[], [])?, tx.create_node(&[], [])?)))?;
    let before = graph.view();
    let count = |view: &View, kind: &str| view.degree(a, Direction::Outgoing, &[kind]);
    assert_eq!(count(&before, "NEW")?, 0);
    assert_eq!(before.property(a, "new")?, None);
    let mut tx = graph.begin();
    assert_eq!(tx.degree(a, Direction::Outgoing, &["NEW"])?, 0);
    assert_eq!(tx.property(a, "new")?, None);
    let made = tx.create_relationship(a, "NEW", b, [])?;
    tx.set(a, "new", 1)?;
    tx.set(made, "new", 2)?;
    assert_eq!(tx.degree(a, Direction::Outgoing, &["NEW"])?, 1);
    assert_eq!(
        tx.neighbors(b, Direction::Incoming, &["NEW"])?[0].relationship,
        made
    );
    assert_eq!(tx.property(a, "new")?, Some(1.into()));
    assert_eq!(tx.property(made, "new")?, Some(2.into()));
    assert_eq!(
        (count(&before, "NEW")?, before.property(a, "new")?),
        (0, None)
    );
    tx.commit()?;
    assert_eq!(
        (count(&before, "NEW")?, before.property(a, "new")?),
        (0, None)
    );
    let after = graph.view();
    // More lists of names than are remembered.
    for round in 0..2 {
        for n in 0..20 {
            let (kind, key) = (format!("X{n}"), format!("x{n}"));
            if round == 0 {
                graph.write(|tx| {
                    tx.create_relationship(a, &kind, b, [])?;
                    tx.set(b, &key, n)
                })?;
            }
            let newest = graph.view();
            for m in 0..=n {
                assert_eq!(count(&newest, &format!("X{m}"))?, 1);
                assert_eq!(newest.property(b, &format!("x{m}"))?, Some(m.into()));
            }
            assert_eq!((count(&after, &kind)?, after.property(b, &key)?), (0, None));
            assert_eq!((count(&after, "NEW")?, count(&newest, "NEW")?), (1, 1));
            assert_eq!(newest.property(made, "new")?, Some(2.into()));
        }
    }
    Ok(())
}

/// Threads that are the first to use the same names, while others give them up and while
/// checkpoints store them: each name is what it was committed as, and no other is known.
#[test]
fn names_that_many_are_the_first_to_use() -> Result<(), GraphError> {
    const NAMES: usize = 40;
    /// Names that no commit uses.
    const GIVEN_UP: usize = 30;
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16])?;
    let committed: Vec<AtomicUsize> = (0..NAMES).map(|_| AtomicUsize::new(0)).collect();
    let write = |number: usize, name: usize| -> Result<(), GraphError> {
        let mut own = graph.begin();
        let (label, kind, key) = (format!("L{name}"), format!("T{name}"), format!("k{name}"));
        let node = own.create_node(&[&label], [(&key[..], 1.into())])?;
        own.create_relationship(node, &kind, node, [])?;
        assert_eq!(
            own.node(node)?.expect("made").labels(),
            [std::sync::Arc::from(&*label)]
        );
        if name < GIVEN_UP && number.is_multiple_of(3) {
            own.commit()?;
            committed[name].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    thread::scope(|scope| {
        for thread in 0..4 {
            let write = &write;
            scope.spawn(move || {
                for number in 0..150 {
                    write(number, (number * 7 + thread * 3) % NAMES).expect("no conflict");
                }
            });
        }
        for _ in 0..10 {
            graph.checkpoint().expect("written");
        }
    });
    drop(graph);
    let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default())?;
    assert_eq!(graph.check().problems, Vec::<String>::new());
    let view = graph.view();
    for (name, expected) in committed.iter().enumerate() {
        let expected = expected.load(Ordering::Relaxed);
        let (label, kind, key) = (format!("L{name}"), format!("T{name}"), format!("k{name}"));
        let found = view.find(&label, &[(&key, 1.into())])?;
        assert_eq!(found.len(), expected, "{label}");
        for node in &found {
            assert_eq!(view.degree(node.id(), Direction::Outgoing, &[&kind])?, 1);
        }
        let known = view.known_labels().iter().any(|known| **known == *label);
        assert_eq!(known, expected > 0, "{label}");
    }
    Ok(())
}
