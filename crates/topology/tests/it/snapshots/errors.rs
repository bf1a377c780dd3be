//! What is refused, and with which words.

use evergraph_graph::Direction;
use evergraph_persistence::medium::DramStorage;
use evergraph_topology::{Batch, Config, Layout, Mode, Store, TopologyError, Tuning};

use super::model::{Change, Twin};

fn twin() -> Twin {
    Twin::new(Direction::Out, false, Layout::Pma, Tuning::default())
}

fn create(store: &Store, name: &str) -> Result<u64, String> {
    let created = store.create_snapshot(name, None);
    created.map(|s| s.csn).map_err(|error| error.to_string())
}

#[test]
fn names_are_checked_before_anything_is_logged() {
    let twin = twin();
    let store = &twin.store;
    let long = "x".repeat(256);
    for (name, why) in [
        ("", "empty"),
        (long.as_str(), "255 bytes"),
        ("a\nb", "control"),
        ("2016", "a number"),
        ("now", "the newest commit"),
        ("a..b", "a range"),
        (" a", "a blank"),
        ("run/a", "belong to results"),
        ("maintain/a/1", "belong to results"),
    ] {
        let error = create(store, name).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(store.published().0, 0, "nothing was committed");
    assert_eq!(create(store, "may").unwrap(), 1);
    let error = create(store, "may").unwrap_err();
    assert!(error.contains("\"may\" already"), "{error}");
    let error = store.drop_snapshots(&["may", "june"]).unwrap_err();
    assert!(
        error.to_string().contains("no snapshot \"june\""),
        "{error}"
    );
    assert_eq!(store.snapshots().len(), 1, "all or none are dropped");
    // In one commit, in order.
    let mut batch = Batch::new();
    batch.drop_snapshot("may").create_snapshot("may", Some(-5));
    store.commit(batch).unwrap();
    let again = store.snapshot("may").unwrap();
    assert_eq!((again.csn, again.time_us), (2, -5));
    let mut held = Batch::new();
    held.hold_snapshot("run/a");
    store.commit(held).unwrap();
    assert!(store.snapshot("run/a").is_ok());
    let names = ["2016-05", "Mai 2016 – Ende", &"x".repeat(255)];
    for name in names {
        create(store, name).unwrap();
        assert_eq!(store.snapshot(name).unwrap().name, name);
    }
}

#[test]
fn a_commit_that_is_not_kept_names_its_neighbors() {
    let mut twin = twin();
    let insert = || vec![Change::Insert(vec![(0, 1)])];
    let error = twin.store.register_at(3).unwrap_err().to_string();
    assert!(error.contains("no snapshots"), "{error}");
    twin.commit(&[insert(), vec![Change::Create], insert(), insert()]);
    twin.commit(&[insert(), vec![Change::Create], insert(), insert()]);
    for (csn, words) in [
        (1, "the nearest that is: 2; the newest is 8"),
        (4, "the nearest that are: 2 and 6"),
        (7, "the nearest that is: 6"),
        (9, "commit 9 is not kept"),
    ] {
        let error = twin.store.register_at(csn).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(twin.store.register_at(8).unwrap().csn(), 8, "the newest");
}

#[test]
fn a_view_keeps_its_snapshot() {
    let mut twin = twin();
    twin.commit(&[vec![Change::Insert(vec![(0, 1)]), Change::Create]]);
    twin.hold(0);
    twin.commit(&[vec![Change::Drop(0)], vec![Change::Delete(vec![(0, 1)])]]);
    assert!(twin.store.register_at(1).is_err(), "it has no name");
    for _ in 0..2 {
        twin.store.compact().unwrap();
        twin.compare();
        twin.commit(&[vec![Change::Insert(vec![(0, 2)])]]);
    }
    assert_eq!(twin.store.stats().live_views, 1);
    twin.let_go();
    assert_eq!(twin.store.stats().live_views, 0);
}

#[test]
fn direct_mode_says_why_not() {
    let config = Config {
        mode: Mode::Direct,
        ..Config::default()
    };
    let store = Store::create(&DramStorage::new(), config, [1; 16]).unwrap();
    let error = store.create_snapshot("x", None).unwrap_err();
    assert!(matches!(error, TopologyError::Unsupported(_)));
    assert!(error.to_string().contains("direct mode"), "{error}");
    assert!(store.register_at(0).is_err());
}
