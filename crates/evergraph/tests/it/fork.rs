//! A child of `fork` that has what its parent opened.

use evergraph::{Database, Error, MediumError, MediumKind, Options, StorageError, TopologyError};
use evergraph_storage::is_true_in_child;

fn is_after_fork<T>(done: Result<T, Error>) -> bool {
    let Err(Error::Store(error)) = done else {
        return false;
    };
    matches!(
        error.cause(),
        TopologyError::Storage(StorageError::Medium(MediumError::AfterFork))
    )
}

#[test]
fn a_child_neither_reads_statements_nor_writes_nor_unlocks() {
    for medium in [MediumKind::File, MediumKind::Battery] {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("db");
        let options = Options {
            medium,
            assume_persistent: true,
            property_graph: true,
            ..Options::default()
        };
        let mut db = Some(Database::create(&path, &options).unwrap());
        let parents = db.as_ref().unwrap();
        parents.query("CREATE (:A)", ()).unwrap();
        let begun = parents.begin().unwrap();
        drop(begun);
        let graph = parents.property_graph().unwrap();
        let node = || graph.write(|tx| tx.create_node(&["B"], [("x", 1.into())]));
        assert!(is_true_in_child(|| is_after_fork(
            node().map_err(Error::from)
        ) && is_after_fork(
            parents.checkpoint()
        ) && parents
            .query("CREATE (:B)", ())
            .is_err()
            && parents.query("MATCH (a:A) RETURN a", ()).is_err()
            && parents.begin().is_err()));
        // What the child drops and closes is the parent's.
        assert!(is_true_in_child(|| {
            drop(db.take());
            true
        }));
        assert!(is_true_in_child(|| is_after_fork(
            db.take().unwrap().close()
        )));
        let second = Database::open(&path, &options).err();
        assert!(second.is_some_and(|error| error.is_retryable()), "locked");
        let db = db.unwrap();
        db.query("CREATE (:C)", ()).unwrap();
        db.close().unwrap();
        let db = Database::open(&path, &options).unwrap();
        let text = "MATCH (n) RETURN labels(n)[0] ORDER BY 1";
        let labels = db.query(text, ()).unwrap().typed::<(String,)>();
        let labels: Vec<(String,)> = labels.collect::<Result<_, _>>().unwrap();
        assert_eq!(labels, [("A".to_string(),), ("C".to_string(),)]);
    }
}
