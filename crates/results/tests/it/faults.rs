//! Results on a medium that fails: whichever call fails, the versions before stay,
//! and what is in use is what the files reach.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_graph::{Column, StoredLists};
use evergraph_results::{Description, Geometry, GraphIdentity, ResultStore, StateError};
use evergraph_simulated::{
    Config, FaultKind, FaultPlan, Persistence, PlannedFailure, SimulatedStorage,
};
use evergraph_storage::Storage;

const UUID: [u8; 16] = [3; 16];
const GEOMETRY: Geometry = Geometry {
    block_bytes: 32,
    alignment: 64,
    growth_step: 512,
};

type Results = BTreeMap<String, Vec<u32>>;

/// A value stored under a name, or the removal of the name.
type Operation = (&'static str, Option<u32>);

const OPERATIONS: [Operation; 7] = [
    ("a", Some(1)),
    ("b", Some(7)),
    ("a", Some(2)),
    ("a", None),
    ("c", Some(4)),
    ("b", Some(8)),
    ("a", Some(5)),
];

/// Some blocks are the same whatever the seed.
fn values(seed: u32) -> Vec<u32> {
    (0..40).map(|i| if i % 16 < 8 { seed } else { i }).collect()
}

fn open(storage: &SimulatedStorage) -> Result<ResultStore, StateError> {
    open_for(storage, false)
}

fn open_for(storage: &SimulatedStorage, read_only: bool) -> Result<ResultStore, StateError> {
    let storage: Arc<dyn Storage> = Arc::new(storage.clone());
    ResultStore::open_with(storage, UUID, read_only, GEOMETRY)
}

fn perform(store: &ResultStore, (name, seed): Operation) -> Result<(), StateError> {
    let Some(seed) = seed else {
        return store.remove(&[name]);
    };
    let description = Description {
        name: name.to_string(),
        algorithm: "katz".to_string(),
        parameters: Vec::new(),
        graph: GraphIdentity {
            csn: 1,
            vertex_count: 40,
            arc_count: 0,
            direction: StoredLists::Out,
            weighted: false,
        },
        step: u64::from(seed),
        finished: true,
        started_us: 0,
        updated_us: 0,
        notes: Vec::new(),
    };
    store
        .put(&description, &[("c", Column::U32(&values(seed)))])
        .map(|_| ())
}

fn apply(results: &mut Results, (name, seed): Operation) {
    match seed {
        Some(seed) => results.insert(name.to_string(), values(seed)),
        None => results.remove(name),
    };
}

fn found(store: &ResultStore) -> Results {
    let results = store.list().into_iter().map(|stored| {
        let values = stored.values::<u32>("c").unwrap();
        (stored.description().name.clone(), values)
    });
    results.collect()
}

/// Runs all operations, each again after an error unless the store refuses, and compares
/// with the reference implementation. Returns the number of failures.
fn survives(persistence: Persistence, plan: FaultPlan) -> usize {
    let told = format!("{persistence:?} {plan:?}");
    let config = Config::new(persistence);
    let mut storage = SimulatedStorage::new(config);
    storage.plan(plan);
    let mut store = open(&storage).unwrap();
    let mut model = Results::new();
    let mut failures = 0;
    for operation in OPERATIONS {
        let mut after = model.clone();
        apply(&mut after, operation);
        while let Err(error) = perform(&store, operation) {
            failures += 1;
            assert!(failures < 20, "{told}: {error}");
            assert_eq!(found(&store), model, "{told}: {error}");
            // A later process finds the one or the other, on a sound disk.
            storage = SimulatedStorage::from_image(config, &storage.image());
            store = open(&storage).unwrap_or_else(|e| panic!("{told}: {error}: {e}"));
            assert!(store.check().is_empty(), "{told}: {error}");
            let now = found(&store);
            assert!(now == model || now == after, "{told}: {error}");
            if now == after {
                break;
            }
        }
        model = after;
        assert_eq!(found(&store), model, "{told}");
        // On a sound disk: its opening is a call, too.
        let sound = SimulatedStorage::from_image(config, &storage.image());
        let fresh = open_for(&sound, true).unwrap();
        assert_eq!(store.bytes(), fresh.bytes(), "{told}");
    }
    failures
}

#[test]
fn every_call_may_fail() {
    for persistence in [Persistence::Pages, Persistence::Lines] {
        let storage = SimulatedStorage::new(Config::new(persistence));
        let store = open(&storage).unwrap();
        for operation in OPERATIONS {
            perform(&store, operation).unwrap();
        }
        let calls = storage.calls();
        let (mut plans, mut failures) = (0, 0);
        let mut attempt = |plan: FaultPlan| {
            plans += 1;
            failures += survives(persistence, plan);
        };
        for kind in [FaultKind::NoSpace, FaultKind::Io] {
            for sticky in [false, true] {
                let failure = |call| Some(PlannedFailure { call, kind, sticky });
                let none = FaultPlan::default;
                for call in 0..calls.writes {
                    let fail_write = failure(call);
                    attempt(FaultPlan {
                        fail_write,
                        ..none()
                    });
                }
                for call in 0..calls.grows {
                    let fail_grow = failure(call);
                    attempt(FaultPlan {
                        fail_grow,
                        ..none()
                    });
                }
                for call in 0..calls.fences {
                    let fail_fence = failure(call);
                    attempt(FaultPlan {
                        fail_fence,
                        ..none()
                    });
                }
                for call in 0..calls.name_syncs {
                    let fail_sync_names = failure(call);
                    attempt(FaultPlan {
                        fail_sync_names,
                        ..none()
                    });
                }
            }
        }
        assert!(
            failures >= plans / 2,
            "{failures} of {plans} plans failed a call"
        );
    }
}

/// After an error that changes nothing, the same store goes on.
#[test]
fn a_full_disk_loses_nothing() {
    let storage = SimulatedStorage::new(Config::new(Persistence::Pages));
    let store = open(&storage).unwrap();
    perform(&store, ("a", Some(1))).unwrap();
    let used = store.bytes();
    for call in 0..6 {
        let next = storage.calls().writes + call;
        storage.plan(FaultPlan {
            fail_write: Some(PlannedFailure::once(next, FaultKind::NoSpace)),
            ..FaultPlan::default()
        });
        let put = perform(&store, ("a", Some(2 + call as u32)));
        if matches!(put, Err(StateError::Broken)) {
            return;
        }
        match put {
            Err(_) => assert_eq!(found(&store)["a"], values(1 + call as u32).clone()),
            Ok(()) => panic!("call {call} of a version did not fail"),
        }
        storage.plan(FaultPlan::default());
        match perform(&store, ("a", Some(2 + call as u32))) {
            Ok(()) => assert_eq!(store.bytes(), used),
            // The superblock may be on the medium: nothing more is written.
            Err(error) => {
                assert!(matches!(error, StateError::Broken), "{error}");
                return;
            }
        }
    }
}
