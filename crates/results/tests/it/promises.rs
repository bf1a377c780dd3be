//! Numbers that the store tells of itself, and what it refuses.

use std::sync::Arc;

use evergraph_graph::{Column, StoredLists};
use evergraph_results::{Description, Geometry, GraphIdentity, ResultStore, Staging, StateError};
use evergraph_simulated::{
    Config, FaultKind, FaultPlan, Persistence, PlannedFailure, SimulatedStorage,
};
use evergraph_storage::Storage;
use evergraph_storage::medium::DramStorage;

const UUID: [u8; 16] = [9; 16];

/// A block has the bytes of eight numbers.
const SMALL: Geometry = Geometry {
    block_bytes: 32,
    alignment: 64,
    growth_step: 512,
};

fn description(name: &str) -> Description {
    Description {
        name: name.to_string(),
        algorithm: "katz".to_string(),
        parameters: Vec::new(),
        graph: GraphIdentity {
            csn: 1,
            vertex_count: 9,
            arc_count: 0,
            direction: StoredLists::Out,
            weighted: false,
        },
        step: 1,
        finished: true,
        started_us: 0,
        updated_us: 0,
        notes: Vec::new(),
    }
}

fn open(storage: Arc<dyn Storage>, geometry: Geometry) -> ResultStore {
    ResultStore::open_with(storage, UUID, false, geometry).unwrap()
}

fn store() -> ResultStore {
    open(Arc::new(DramStorage::new()), SMALL)
}

fn put(store: &ResultStore, name: &str, values: &[u32]) -> Result<(u64, u64, u64), StateError> {
    let columns = [("c", Column::U32(values))];
    let written = store.put(&description(name), &columns)?;
    Ok((
        written.blocks_written,
        written.blocks_shared,
        written.bytes_written,
    ))
}

#[test]
fn blocks_and_bytes_that_are_written_are_counted() {
    let store = store();
    assert_eq!(put(&store, "r", &[0; 10]).unwrap(), (2, 0, 40));
    // The last value is of the second block, which has two.
    let mut values = [0; 10];
    values[9] = 1;
    assert_eq!(put(&store, "r", &values).unwrap(), (1, 1, 8));
    // Equal bytes of another type are another column.
    let columns = [("c", Column::U64(&[0; 4]))];
    let written = store.put(&description("r"), &columns).unwrap();
    assert_eq!((written.blocks_written, written.blocks_shared), (1, 0));
}

#[test]
fn a_result_without_columns_takes_the_space_of_its_description() {
    let store = store();
    store.put(&description("none"), &[]).unwrap();
    assert!(store.get("none").unwrap().bytes() > 0);
    assert!(store.get("none").unwrap().bytes() <= store.bytes());
}

#[test]
fn a_version_of_one_that_was_replaced_is_refused() {
    let store = store();
    put(&store, "r", &[1; 3]).unwrap();
    let columns = [("c", Column::U32(&[2; 3]))];
    let mut late = store.begin("r", &columns).unwrap();
    late.write_rest(&columns, &Staging::default()).unwrap();
    put(&store, "r", &[3; 3]).unwrap();
    let refused = store.publish(late, &description("r"));
    assert!(matches!(refused, Err(StateError::Changed { .. })));
    let stored = store.get("r").unwrap();
    assert_eq!(stored.values::<u32>("c").unwrap(), [3; 3]);
}

#[test]
fn a_closed_store_is_read_and_not_written() {
    let store = store();
    put(&store, "r", &[1]).unwrap();
    store.close();
    assert!(matches!(put(&store, "r", &[2]), Err(StateError::Closed)));
    assert!(matches!(store.remove(&["r"]), Err(StateError::Closed)));
    let stored = store.get("r").unwrap();
    assert_eq!(stored.values::<u32>("c").unwrap(), [1]);
}

#[test]
fn names_have_up_to_255_bytes() {
    let store = store();
    put(&store, &"x".repeat(255), &[1]).unwrap();
    let refused = put(&store, &"x".repeat(256), &[1]);
    assert!(matches!(refused, Err(StateError::BadName { .. })));
}

#[test]
fn geometries_that_make_no_sense_are_refused() {
    for geometry in [
        Geometry {
            block_bytes: 12,
            ..SMALL
        },
        Geometry {
            alignment: 4,
            ..SMALL
        },
    ] {
        let storage: Arc<dyn Storage> = Arc::new(DramStorage::new());
        let store = open(storage, geometry);
        let refused = put(&store, "r", &[1]).map_err(|error| error.to_string());
        let is_told = |text: &String| text.contains("the size of blocks makes no sense");
        assert!(refused.as_ref().is_err_and(is_told), "{refused:?}");
    }
}

/// Blocks that a failed version of one result has left are not published with another.
#[test]
fn a_version_that_failed_is_not_there_with_the_next() {
    let mut failed = 0;
    for call in 0..12 {
        let storage = SimulatedStorage::new(Config::new(Persistence::Pages));
        let store = open(Arc::new(storage.clone()), SMALL);
        put(&store, "a", &[1; 40]).unwrap();
        let at = storage.calls().writes + call;
        storage.plan(FaultPlan {
            fail_write: Some(PlannedFailure::once(at, FaultKind::NoSpace)),
            ..FaultPlan::default()
        });
        let refused = put(&store, "b", &[2; 40]);
        storage.plan(FaultPlan::default());
        if refused.is_ok() || store.is_uncertain() {
            continue;
        }
        failed += 1;
        put(&store, "a", &[3; 40]).unwrap();
        drop(store);
        let store = open(Arc::new(storage), SMALL);
        let names: Vec<String> = store
            .list()
            .iter()
            .map(|stored| stored.description().name.clone())
            .collect();
        assert_eq!(names, ["a"], "{call}");
        assert_eq!(store.check(), Vec::<String>::new());
    }
    assert!(failed > 0);
}
