//! The store of results against maps in memory, and against damage.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use evergraph_graph::{Column, OwnedColumn, StoredLists};
use evergraph_results::{
    Description, Geometry, GraphIdentity, Hot, ResultStore, Staging, StateError,
};
use evergraph_storage::medium::{DramStorage, FileStorage};
use evergraph_storage::{Medium, Storage};
use proptest::prelude::*;

const UUID: [u8; 16] = [7; 16];

/// So small that a few values make several blocks.
const SMALL: Geometry = Geometry {
    block_bytes: 32,
    alignment: 64,
    growth_step: 1 << 16,
};

fn description(name: &str, step: u64) -> Description {
    Description {
        name: name.to_string(),
        algorithm: "pagerank".to_string(),
        parameters: vec![("damping".to_string(), "0.85".to_string())],
        graph: GraphIdentity {
            csn: 3,
            vertex_count: 9,
            arc_count: 20,
            direction: StoredLists::Both,
            weighted: true,
        },
        step,
        finished: step.is_multiple_of(2),
        started_us: -5,
        updated_us: step as i64,
        notes: vec![("kind".to_string(), format!("note {step}"))],
    }
}

fn open(storage: &Arc<DramStorage>, read_only: bool) -> ResultStore {
    let storage: Arc<dyn Storage> = storage.clone();
    ResultStore::open_with(storage, UUID, read_only, SMALL).unwrap()
}

type Columns = Vec<(String, OwnedColumn)>;

fn borrowed(columns: &Columns) -> Vec<(&str, Column<'_>)> {
    let columns = columns.iter();
    columns
        .map(|(name, values)| (name.as_str(), values.as_column()))
        .collect()
}

fn put(store: &ResultStore, name: &str, step: u64, columns: &Columns) -> (u64, u64) {
    let written = store
        .put(&description(name, step), &borrowed(columns))
        .unwrap();
    (written.blocks_written, written.blocks_shared)
}

/// The blocks of a column as plain bytes.
fn blocks(values: &OwnedColumn) -> Vec<Vec<u8>> {
    let bytes: Vec<u8> = match values {
        OwnedColumn::U8(v) => v.clone(),
        OwnedColumn::U32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        OwnedColumn::U64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        OwnedColumn::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        OwnedColumn::F64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
    };
    let blocks = bytes.chunks(SMALL.block_bytes as usize);
    blocks.map(<[u8]>::to_vec).collect()
}

/// How many blocks a version writes and shares, found by comparing bytes.
fn expected(before: Option<&Columns>, columns: &Columns) -> (u64, u64) {
    let (mut written, mut shared) = (0, 0);
    for (name, values) in columns {
        let old = before.and_then(|columns| {
            let mut columns = columns.iter();
            let found = columns.find(|(known, _)| known == name);
            found.filter(|(_, old)| old.as_column().kind() == values.as_column().kind())
        });
        let old = old.map_or(Vec::new(), |(_, old)| blocks(old));
        for (at, block) in blocks(values).iter().enumerate() {
            match old.get(at) == Some(block) {
                true => shared += 1,
                false => written += 1,
            }
        }
    }
    (written, shared)
}

#[derive(Clone, Debug)]
enum Step {
    Put(usize, Columns),
    /// The same columns, with one value changed.
    Change(usize, usize),
    Remove(usize),
    Reopen,
}

fn column() -> impl Strategy<Value = OwnedColumn> {
    // Few distinct values, so that blocks are often equal.
    let small = 0..3_u8;
    prop_oneof![
        prop::collection::vec(small.clone(), 0..100).prop_map(OwnedColumn::U8),
        prop::collection::vec(0..2_u32, 0..40).prop_map(OwnedColumn::U32),
        prop::collection::vec(0..2_u64, 0..20).prop_map(OwnedColumn::U64),
        prop::collection::vec(prop_oneof![Just(0.5_f32), Just(f32::NAN)], 0..30)
            .prop_map(OwnedColumn::F32),
        prop::collection::vec(prop_oneof![Just(-0.0_f64), Just(1e300)], 0..20)
            .prop_map(OwnedColumn::F64),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let columns = prop::collection::vec(column(), 0..4).prop_map(|columns| {
        let named = columns.into_iter().enumerate();
        named.map(|(i, values)| (format!("c{i}"), values)).collect()
    });
    prop_oneof![
        4 => (0..3_usize, columns).prop_map(|(name, columns)| Step::Put(name, columns)),
        4 => (0..3_usize, 0..400_usize).prop_map(|(name, at)| Step::Change(name, at)),
        1 => (0..3_usize).prop_map(Step::Remove),
        1 => Just(Step::Reopen),
    ]
}

/// Changes one value of one column, if there is any.
fn change(columns: &mut Columns, at: usize) {
    if columns.is_empty() {
        return;
    }
    let column = at % columns.len();
    match &mut columns[column].1 {
        OwnedColumn::U8(v) if !v.is_empty() => {
            let at = at % v.len();
            v[at] ^= 1;
        }
        OwnedColumn::U32(v) if !v.is_empty() => {
            let at = at % v.len();
            v[at] ^= 1;
        }
        OwnedColumn::F64(v) if !v.is_empty() => {
            let at = at % v.len();
            v[at] = -v[at];
        }
        _ => {}
    }
}

/// Equal to the bit, also where a number is none.
fn same(a: &OwnedColumn, b: &OwnedColumn) -> bool {
    a.as_column().kind() == b.as_column().kind()
        && a.as_column().len() == b.as_column().len()
        && blocks(a) == blocks(b)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is put is read back, blocks are shared exactly where they are
    /// equal, and space is in use exactly as a fresh look at the files finds it.
    #[test]
    fn results_are_as_in_a_map(steps in prop::collection::vec(step(), 1..24)) {
        let storage = Arc::new(DramStorage::new());
        let mut store = open(&storage, false);
        let mut model: BTreeMap<String, (u64, Columns)> = BTreeMap::new();
        for (at, step) in (0..).zip(steps) {
            match step {
                Step::Put(name, columns) => {
                    let name = format!("r{name}");
                    let before = model.get(&name).map(|(_, columns)| columns);
                    let expected = expected(before, &columns);
                    prop_assert_eq!(put(&store, &name, at, &columns), expected);
                    model.insert(name, (at, columns));
                }
                Step::Change(name, place) => {
                    let name = format!("r{name}");
                    let Some((_, before)) = model.get(&name) else { continue };
                    let mut columns = before.clone();
                    change(&mut columns, place);
                    let expected = expected(Some(before), &columns);
                    prop_assert_eq!(put(&store, &name, at, &columns), expected);
                    model.insert(name, (at, columns));
                }
                Step::Remove(name) => {
                    let name = format!("r{name}");
                    let removed = store.remove(&[&name]);
                    prop_assert_eq!(removed.is_ok(), model.remove(&name).is_some());
                }
                Step::Reopen => {
                    drop(store);
                    store = open(&storage, false);
                }
            }
            for store in [&store, &open(&storage, true)] {
                prop_assert_eq!(store.list().len(), model.len());
                for (stored, (name, (step, columns))) in store.list().iter().zip(&model) {
                    prop_assert_eq!(stored.description(), &description(name, *step));
                    prop_assert_eq!(stored.columns().count(), columns.len());
                    for (name, values) in columns {
                        prop_assert!(same(&stored.column(name).unwrap(), values));
                    }
                }
                prop_assert!(store.check().is_empty());
            }
            prop_assert_eq!(store.bytes(), open(&storage, true).bytes());
        }
    }
}

#[test]
fn a_version_stays_readable_while_it_is_held() {
    let storage = Arc::new(DramStorage::new());
    let store = open(&storage, false);
    let columns = |x: u64| vec![("c".to_string(), OwnedColumn::U64(vec![x; 100]))];
    put(&store, "r", 1, &columns(1));
    let held = store.get("r").unwrap();
    for x in 2..20 {
        put(&store, "r", x, &columns(x));
    }
    store.remove(&["r"]).unwrap();
    put(&store, "s", 1, &columns(77));
    assert_eq!(held.values::<u64>("c").unwrap(), vec![1; 100]);
    let with_held = store.bytes();
    drop(held);
    assert!(store.bytes() < with_held, "its space is given back");
}

#[test]
fn steady_checkpoints_take_the_space_of_two_versions() {
    let storage = Arc::new(DramStorage::new());
    let store = open(&storage, false);
    let columns = |x: u64| vec![("c".to_string(), OwnedColumn::U64(vec![x; 1000]))];
    put(&store, "r", 1, &columns(1));
    let one = store.bytes();
    for x in 2..50 {
        put(&store, "r", x, &columns(x));
        assert_eq!(store.bytes(), one, "the version before is given back");
    }
    let extents = storage.open("results.extents", false).unwrap();
    assert!(extents.len() <= (2 * one).next_multiple_of(SMALL.growth_step));
}

#[test]
fn staged_blocks_and_the_rest_make_one_version() {
    let storage = Arc::new(DramStorage::new());
    let store = open(&storage, false);
    let ranks = OwnedColumn::F64((0..64).map(f64::from).collect());
    let total = OwnedColumn::F64(vec![3.5]);
    let columns = [("ranks", ranks.as_column()), ("total", total.as_column())];
    // A block has the values of 4 vertices.
    let hot = Hot::new(vec![61, 62, 30]);
    let mut staging = Staging::default();
    for budget in [0, 8, 8 + 32, 8 + 64, 1 << 20] {
        let mut version = store.begin("r", &columns).unwrap();
        version.stage(&columns, (budget, &hot), &mut staging);
        assert!(staging.len() <= budget);
        version.write_rest(&columns, &staging).unwrap();
        version.make_durable().unwrap();
        let written = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                version.write_staged(&staging).unwrap();
                store
                    .publish(version, &description("r", budget as u64))
                    .unwrap()
            });
            writer.join().unwrap()
        });
        assert_eq!(written.blocks_written + written.blocks_shared, 17);
        let stored = store.get("r").unwrap();
        assert_eq!(stored.column("ranks").unwrap(), ranks);
        assert_eq!(stored.values::<f64>("total").unwrap(), [3.5]);
    }
}

#[test]
fn a_version_begun_before_another_is_refused() {
    let storage = Arc::new(DramStorage::new());
    let store = open(&storage, false);
    let values = OwnedColumn::U32(vec![1, 2, 3]);
    let columns = [("c", values.as_column())];
    let late = store.begin("r", &columns).unwrap();
    store.put(&description("r", 1), &columns).unwrap();
    let mut late = late;
    late.write_rest(&columns, &Staging::default()).unwrap();
    let refused = store.publish(late, &description("r", 0));
    assert!(matches!(refused, Err(StateError::Changed { .. })));
    assert_eq!(store.get("r").unwrap().description().step, 1);
}

#[test]
fn wrong_names_and_types_are_told() {
    let storage = Arc::new(DramStorage::new());
    let store = open(&storage, false);
    assert!(store.list().is_empty() && !storage.exists("results").unwrap());
    let complaint = |error: StateError| error.to_string();
    let long = "x".repeat(256);
    for (name, expected) in [
        ("", "it is empty"),
        ("a\nb", "control"),
        (&long, "255 bytes"),
    ] {
        let text = complaint(store.put(&description(name, 0), &[]).unwrap_err());
        assert!(text.contains(expected), "{text}");
    }
    let text = complaint(store.remove(&["pr"]).unwrap_err());
    assert!(text.contains("no results yet"), "{text}");
    put(
        &store,
        "bfs",
        1,
        &vec![("c".to_string(), OwnedColumn::U8(vec![1]))],
    );
    let text = complaint(store.find("pr").unwrap_err());
    assert!(text.contains("there are bfs"), "{text}");
    assert!(store.remove(&["bfs", "pr"]).is_err() && store.get("bfs").is_some());
    let stored = store.get("bfs").unwrap();
    assert!(stored.column("d").is_err());
    let text = complaint(stored.values::<f64>("c").unwrap_err());
    assert!(text.contains("its values are u8"), "{text}");
    let reader = open(&storage, true);
    let refused = reader.put(&description("x", 0), &[]);
    assert!(matches!(refused, Err(StateError::ReadOnly)));
}

/// Every flipped bit of what is in use is noticed, and says where it is; what is
/// not in use, or is written twice, changes nothing.
#[test]
fn damage_names_file_and_offset() {
    let directory = tempfile::tempdir().unwrap();
    let storage = || Arc::new(FileStorage::open(directory.path()).unwrap());
    let values = OwnedColumn::U32((0..20).collect());
    let store = ResultStore::open_with(storage(), UUID, false, SMALL).unwrap();
    for step in 0..3 {
        store
            .put(&description("r", step), &[("c", values.as_column())])
            .unwrap();
    }
    let stored_bytes = store.bytes();
    drop(store);
    let read = || -> Result<OwnedColumn, StateError> {
        let store = ResultStore::open_with(storage(), UUID, true, SMALL)?;
        store.find("r")?.column("c")
    };
    let mut noticed = 0;
    for file in ["results", "results.extents"] {
        let path = directory.path().join(file);
        let whole = std::fs::read(&path).unwrap();
        let used: Vec<usize> = (0..whole.len()).filter(|&i| whole[i] != 0).collect();
        for &at in &used {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).unwrap();
            match read() {
                Ok(found) => assert_eq!(found, values, "{file} at {at}"),
                Err(error) => {
                    let text = error.to_string();
                    assert!(
                        text.starts_with("results.extents: damaged at offset"),
                        "{text}"
                    );
                    noticed += 1;
                }
            }
        }
        for cut in [0, 100, whole.len() / 2] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            match read() {
                Ok(found) => assert_eq!(found, values),
                Err(error) => assert!(error.to_string().contains("results"), "{error}"),
            }
        }
        std::fs::write(&path, &whole).unwrap();
        let other = ResultStore::open_with(storage(), [8; 16], true, SMALL);
        let text = other.err().expect("another database's").to_string();
        assert!(text.contains("another database"), "{text}");
    }
    assert!(noticed > 80 && stored_bytes > 0);
    // The superblock is gone, the rest is not: not to be taken for an empty store.
    std::fs::remove_file(directory.path().join("results")).unwrap();
    let text = read().unwrap_err().to_string();
    assert!(text.contains("the root of results is missing"), "{text}");
}

/// Results as they were written first. Every later program reads them.
///
/// `EVERGRAPH_WRITE_GOLDEN=1 cargo test -p evergraph-results --test it model::golden`
/// writes them if they are missing.
#[test]
fn golden_results() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1-results");
    let columns: Columns = vec![
        ("bytes".to_string(), OwnedColumn::U8((0..100).collect())),
        (
            "parents".to_string(),
            OwnedColumn::U32(vec![u32::MAX, 7, 0]),
        ),
        ("counts".to_string(), OwnedColumn::U64(vec![1 << 40, 3])),
        (
            "ranks".to_string(),
            OwnedColumn::F32(vec![0.5, -0.0, f32::INFINITY]),
        ),
        ("distances".to_string(), OwnedColumn::F64(vec![0.1; 9])),
    ];
    if !directory.exists() && std::env::var_os("EVERGRAPH_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(&directory).unwrap();
        let storage = Arc::new(FileStorage::open(&directory).unwrap());
        let store = ResultStore::open_with(storage, UUID, false, SMALL).unwrap();
        put(&store, "old", 1, &columns);
        put(&store, "old", 2, &columns);
        put(&store, "none", 3, &Vec::new());
    }
    let copy = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(&directory).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    let storage = Arc::new(FileStorage::open(copy.path()).unwrap());
    let store = ResultStore::open_with(storage, UUID, false, SMALL).unwrap();
    assert_eq!(store.check(), Vec::<String>::new());
    let found = store.find("old").unwrap();
    assert_eq!(*found.description(), description("old", 2));
    for (name, values) in &columns {
        assert_eq!(found.column(name).unwrap(), *values, "{name}");
    }
    assert_eq!(store.find("none").unwrap().columns().count(), 0);
    // And goes on with them.
    put(&store, "old", 4, &columns);
}
