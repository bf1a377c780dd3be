//! Refusals, and their words.

use evergraph_graph::StoredLists;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::{Batch, Config, Layout, Mode, Store, TopologyError, Tuning};

use expect_test::expect;

use super::model::{Change, Reference};

fn reference() -> Reference {
    Reference::new(StoredLists::Out, false, Layout::Pma, Tuning::default())
}

fn create(store: &Store, name: &str) -> Result<u64, TopologyError> {
    Ok(store.create_snapshot(name, None)?.csn)
}

#[test]
fn names_are_checked_before_anything_is_logged() {
    let reference = reference();
    let store = &reference.store;
    let long = "x".repeat(256);
    let names = [
        "",
        &long,
        "a\nb",
        "2016",
        "now",
        "a..b",
        " a",
        "run/a",
        "maintain/a/1",
    ];
    let reasons = names.map(|name| match create(store, name) {
        Err(TopologyError::BadSnapshotName { why, .. }) => why,
        other => panic!("{other:?}"),
    });
    expect![[r#"
        it is empty
        it is longer than 255 bytes
        it has control characters
        it is a number, which stands for a commit
        it stands for the newest commit
        `..` stands between the ends of a range
        it begins or ends with a blank
        it begins as those that belong to results
        it begins as those that belong to results"#]]
    .assert_eq(&reasons.join("\n"));
    assert_eq!(store.published().0, 0, "nothing was committed");
    assert_eq!(create(store, "may").unwrap(), 1);
    let again = create(store, "may");
    assert!(matches!(again, Err(TopologyError::SnapshotExists(name)) if name == "may"));
    let unknown = store.drop_snapshots(&["may", "june"]);
    assert!(matches!(unknown, Err(TopologyError::UnknownSnapshot(name)) if name == "june"));
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
    let mut reference = reference();
    let insert = || vec![Change::Insert(vec![(0, 1)])];
    let mut errors = vec![reference.store.register_at(3).unwrap_err()];
    reference.commit(&[insert(), vec![Change::Create], insert(), insert()]);
    reference.commit(&[insert(), vec![Change::Create], insert(), insert()]);
    errors.extend([1, 4, 7, 9].map(|csn| reference.store.register_at(csn).unwrap_err()));
    let is_not_kept = |error: &TopologyError| matches!(error, TopologyError::NotKept { .. });
    assert!(errors.iter().all(is_not_kept));
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expect![[r#"
        the graph as of commit 3 is not kept: there are no snapshots; the newest is 0
        the graph as of commit 1 is not kept; the nearest that is: 2; the newest is 8
        the graph as of commit 4 is not kept; the nearest that are: 2 and 6; the newest is 8
        the graph as of commit 7 is not kept; the nearest that is: 6; the newest is 8
        the graph as of commit 9 is not kept; the nearest that is: 6; the newest is 8"#]]
    .assert_eq(&texts.join("\n"));
    assert_eq!(
        reference.store.register_at(8).unwrap().csn(),
        8,
        "the newest"
    );
}

#[test]
fn a_view_keeps_its_snapshot() {
    let mut reference = reference();
    reference.commit(&[vec![Change::Insert(vec![(0, 1)]), Change::Create]]);
    reference.hold(0);
    reference.commit(&[vec![Change::Drop(0)], vec![Change::Delete(vec![(0, 1)])]]);
    assert!(reference.store.register_at(1).is_err(), "it has no name");
    for _ in 0..2 {
        reference.store.compact().unwrap();
        reference.compare();
        reference.commit(&[vec![Change::Insert(vec![(0, 2)])]]);
    }
    assert_eq!(reference.store.stats().live_views, 1);
    reference.let_go();
    assert_eq!(reference.store.stats().live_views, 0);
}

#[test]
fn direct_mode_says_why_not() {
    let config = Config {
        mode: Mode::Direct,
        ..Config::default()
    };
    let store = Store::create(&DramStorage::new(), config, [1; 16]).unwrap();
    let error = store.create_snapshot("x", None).unwrap_err();
    assert!(matches!(error, TopologyError::WrongMode(_)));
    expect!["direct mode has no named snapshots: its edges are no commits that a name could stand for; import into a database in merged mode"].assert_eq(&error.to_string());
    assert!(store.register_at(0).is_err());
}
