//! Names that a view is asked for before and after they mean something.

use evergraph_persistence::medium::DramStorage;
use evergraph_property_graph::graph::{GraphError, PropertyGraph, Towards, View};

use super::random::options;

/// What a name means is remembered, and what it does not mean yet is not.
#[test]
fn names_that_get_a_meaning_later() -> Result<(), GraphError> {
    let storage = DramStorage::new();
    let graph = PropertyGraph::create(&storage, options(), [7; 16])?;
    let (a, b) = graph.write(|tx| Ok((tx.create_node(&[], [])?, tx.create_node(&[], [])?)))?;
    let before = graph.view();
    let count = |view: &View, kind: &str| view.degree(a, Towards::Outgoing, &[kind]);
    assert_eq!(count(&before, "NEW")?, 0);
    assert_eq!(before.property(a, "new")?, None);
    let mut tx = graph.begin();
    assert_eq!(tx.degree(a, Towards::Outgoing, &["NEW"])?, 0);
    assert_eq!(tx.property(a, "new")?, None);
    let made = tx.create_relationship(a, "NEW", b, [])?;
    tx.set(a, "new", 1)?;
    tx.set(made, "new", 2)?;
    assert_eq!(tx.degree(a, Towards::Outgoing, &["NEW"])?, 1);
    assert_eq!(
        tx.neighbors(b, Towards::Incoming, &["NEW"])?[0].relationship,
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
