//! The bytes of results, which every later program has to read.
//!
//! `UPDATE_EXPECT=1 cargo test -p evergraph-results --test it pins` writes them anew.
//! If they change, so does the format: the golden results say whether the old one is
//! still read.

use std::sync::Arc;

use evergraph_graph::{Column, StoredLists};
use evergraph_results::{Description, Geometry, GraphIdentity, ResultStore};
use evergraph_simulated::{Config, Persistence, SimulatedStorage};
use expect_test::expect_file;

#[test]
fn bytes_of_results_are_pinned() {
    let storage = Arc::new(SimulatedStorage::new(
        Config::new(Persistence::Pages).with_capacity(64 << 10),
    ));
    let geometry = Geometry {
        block_bytes: 32,
        alignment: 64,
        growth_step: 1024,
    };
    let store = ResultStore::open_with(storage.clone(), [7; 16], false, geometry).unwrap();
    let description = |name: &str, direction, finished: bool| Description {
        name: name.to_string(),
        algorithm: "pagerank".to_string(),
        parameters: vec![("damping".to_string(), "0.85".to_string())],
        graph: GraphIdentity {
            csn: 3,
            vertex_count: 9,
            arc_count: 20,
            direction,
            weighted: !finished,
        },
        step: 4,
        finished,
        started_us: -5,
        updated_us: 6,
        notes: vec![("values".to_string(), "reals".to_string())],
    };
    let columns = [
        ("u8", Column::U8(&[1, 0])),
        ("u32", Column::U32(&[2, u32::MAX])),
        ("u64", Column::U64(&[3])),
        ("f32", Column::F32(&[0.5])),
        ("f64", Column::F64(&[0.1, 0.2, 0.3, 0.4, 0.5])),
    ];
    let ended = description("ended", StoredLists::Both, true);
    store.put(&ended, &columns).unwrap();
    let state = description("state", StoredLists::Out, false);
    store.put(&state, &[]).unwrap();
    store
        .put(
            &description("undirected", StoredLists::Undirected, true),
            &[],
        )
        .unwrap();
    drop(store);
    expect_file!["pins/results.txt"].assert_eq(&storage.image().dump());
}
