//! Whole databases on the heap: golden ones, changed and sealed again, are opened,
//! checked, read as a whole, and written on.

use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, OnceLock};

use evergraph_graph::{Graph, NeighborReader};
use evergraph_property_graph::graph::{
    Definition, Direction, GraphError, GraphOptions, OpenOptions, PropertyGraph, Rule, Transaction,
    View,
};
use evergraph_property_graph::index::KeyRange;
use evergraph_results::ResultStore;
use evergraph_storage::ViewToken;
use evergraph_storage::medium::DramStorage;
use evergraph_topology::record::{self, Op};
use evergraph_topology::{
    Batch, Layout, MAX_VERTICES, Published, SealedGraph, Store, TopologyError,
};

use crate::golden::Golden;
use crate::image::Image;
use crate::seals::{self, log_records, place, u32_at, u64_at};
use crate::values;

/// Vertices that are read: more than a golden database has. A changed one may claim a
/// billion.
const VERTICES: u32 = 100;
/// More than any golden database has.
const FAR: u32 = 1 << 14;

struct Goldens {
    stores: Vec<Golden>,
    direct: Vec<Golden>,
    graphs: Vec<Golden>,
    results: Vec<Golden>,
}

fn all() -> &'static Goldens {
    static ALL: OnceLock<Goldens> = OnceLock::new();
    ALL.get_or_init(|| {
        let topology = |name| {
            Golden::new(Image::golden(&format!(
                "crates/topology/tests/golden/{name}"
            )))
        };
        let evergraph = |name| Image::golden(&format!("crates/evergraph/tests/golden/{name}/db"));
        let results = Image::golden("crates/results/tests/golden/v1-results");
        Goldens {
            stores: vec![
                topology("v1-merged"),
                topology("v2-blocks"),
                topology("v3-sealed"),
                topology("v3-snapshots"),
                topology("v4-relationships"),
            ],
            direct: vec![
                topology("v1-direct"),
                topology("v1-direct-undirected"),
                topology("v1-direct-both"),
            ],
            graphs: vec![Golden::new(graph_with_everything().expect("a graph"))],
            results: vec![
                Golden::new(results),
                Golden::new(evergraph("v4-upkeep").only(&["results", "results.extents"])),
            ],
        }
    })
}

/// A graph with all that is stored of one: records of every chunk, texts of a
/// dictionary, indexes, a constraint, versions that only a snapshot shows, and commits
/// in the log. The golden one has chunks of four records, and so needs more memory than
/// what is looked for here.
fn graph_with_everything() -> Result<Image, GraphError> {
    let storage = DramStorage::new();
    let mut options = GraphOptions {
        chunk_records: 32,
        ..GraphOptions::default()
    };
    options.store.section_shift = 3;
    options.store.log_bytes = 1 << 14;
    options.store.extent_alignment = 64;
    options.store.growth_step = 1 << 12;
    let graph = PropertyGraph::create(&storage, options, *b"evergraph-fuzzed")?;
    let person = |own: &mut Transaction, number: i64| {
        let properties = [("number", number.into()), ("city", "Winterthur".into())];
        own.create_node(&["Person"], properties)
    };
    let people = graph.write(|own| {
        let keys = [
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n",
        ];
        let values = values::one_of_each().map_err(GraphError::from)?;
        let mut people = vec![own.create_node(&["Everything"], keys.into_iter().zip(values))?];
        for number in 0..40 {
            let one = person(own, number)?;
            let last = people[people.len() - 1];
            own.create_relationship(last, "KNOWS", one, [("since", (2000 + number).into())])?;
            people.push(one);
        }
        own.create_relationship(people[3], "LIKES", people[3], [("why", "itself".into())])?;
        Ok(people)
    })?;
    graph.create_index("cities", "Person", &["city", "number"])?;
    let since = Definition::of_relationships("since", "KNOWS", &["since"], Rule::Key);
    graph.define_all(&[
        Definition::of_nodes("number", "Person", &["number"], Rule::Unique),
        since,
    ])?;
    graph.checkpoint()?;
    graph.create_snapshot("before")?;
    graph.write(|own| {
        own.detach_delete_node(people[5])?;
        own.set(people[6], "city", "Basel")?;
        own.add_label(people[6], "Mover")
    })?;
    graph.checkpoint()?;
    graph.write(|own| {
        let late = person(own, 50)?;
        own.create_relationship(late, "KNOWS", people[0], [("since", 2050.into())])?;
        own.set(people[8], "number", 1000)
    })?;
    // A column, and a change of everything that can change.
    graph.write(|own| {
        let all = people.iter().skip(10).take(10);
        all.clone()
            .try_for_each(|&one| own.set(one, "city", "Chur"))?;
        own.add_label(people[1], "Mover")?;
        own.remove_label(people[1], "Person")?;
        own.remove(people[1], "city")
    })?;
    drop(graph);
    Ok(Image::of_storage(&storage, &["extents", "log", "pool"]))
}

/// Golden databases of all targets.
#[cfg(test)]
pub fn goldens() -> impl Iterator<Item = &'static Golden> {
    let all = all();
    let stores = all.stores.iter().chain(&all.direct);
    stores.chain(&all.graphs).chain(&all.results)
}

/// One that the first byte of an input names, whether it is opened for writing, and the
/// rest of the input. `None` of an empty input.
fn choose<'a>(of: &'static [Golden], input: &'a [u8]) -> Option<(&'static Golden, bool, &'a [u8])> {
    let (&first, script) = input.split_first()?;
    Some((
        &of[usize::from(first >> 1) % of.len()],
        first & 1 == 0,
        script,
    ))
}

/// Stores in merged mode.
pub fn store(input: &[u8]) -> bool {
    let chosen = choose(&all().stores, input);
    chosen.is_some_and(|(golden, writes, script)| open_store(&golden.edited(script), writes))
}

/// Stores in direct mode.
pub fn direct(input: &[u8]) -> bool {
    let chosen = choose(&all().direct, input);
    chosen.is_some_and(|(golden, writes, script)| open_store(&golden.edited(script), writes))
}

/// Property graphs: records, dictionaries, indexes, definitions, histories.
pub fn property_graph(input: &[u8]) -> bool {
    let chosen = choose(&all().graphs, input);
    chosen.is_some_and(|(golden, writes, script)| open_graph(&golden.edited(script), writes))
}

/// Results of algorithms.
pub fn results(input: &[u8]) -> bool {
    let Some((golden, writes, script)) = choose(&all().results, input) else {
        return false;
    };
    let storage = Arc::new(golden.edited(script).storage());
    let Ok(results) = ResultStore::open(storage, golden.image.uuid(), !writes) else {
        return false;
    };
    results.check();
    for stored in results.list() {
        for (name, _, _) in stored.columns() {
            let _ = stored.column(name);
        }
    }
    if writes && let Some(stored) = results.list().first() {
        let _ = results.remove(&[&stored.description().name]);
    }
    true
}

/// Input behind the last commit of a log, as one more commit: operations of stores, and
/// of their extension.
pub fn log(input: &[u8]) -> bool {
    let Some((&first, payload)) = input.split_first() else {
        return false;
    };
    let all = all();
    let golden = match first >> 1 & 3 {
        0 => &all.stores[0],
        1 => &all.stores[3],
        2 => &all.stores[4],
        _ => &all.graphs[0],
    };
    let mut image = golden.image.clone();
    if !append(&mut image, payload) {
        return false;
    }
    match first >> 1 & 3 {
        3 => open_graph(&image, first & 1 == 0),
        _ => open_store(&image, first & 1 == 0),
    }
}

/// Offset of the write-ahead log of a database.
fn log_start(image: &Image) -> usize {
    let slot = seals::root_slot(image);
    let pool = image.bytes(image.file("pool").expect("a pool"));
    pool.get(slot + 64..slot + 72)
        .map_or(0, |start| place(start, 0))
}

/// Puts a commit behind the last one; false if there is no room.
fn append(image: &mut Image, payload: &[u8]) -> bool {
    let start = log_start(image);
    let seed = crc32c::crc32c(&image.uuid());
    let file = image.file("log").expect("a log");
    let log = image.bytes_mut(file);
    let ring = log.len() - 512;
    let records = log_records(log, start);
    let (Some(last), true) = (records.last(), records.last().is_none_or(|r| r.is_commit)) else {
        return false;
    };
    let len = 56 + payload.len();
    let at = last.end % ring;
    if at + len > ring || last.end + len > start + ring {
        return false;
    }
    let mut record = log[last.at..last.at + 56].to_vec();
    record[8..16].copy_from_slice(&(len as u64).to_le_bytes());
    record[16..24].copy_from_slice(&(last.end as u64).to_le_bytes());
    record[24..32].copy_from_slice(&(u64_at(log, last.at + 24) + 1).to_le_bytes());
    record.extend_from_slice(payload);
    let crc = crc32c::crc32c_append(seed, &record[4..]);
    record[..4].copy_from_slice(&crc.to_le_bytes());
    log[at..at + len].copy_from_slice(&record);
    true
}

/// The payloads of all commits in the golden logs, for [`log`].
pub fn payloads() -> Vec<Vec<u8>> {
    let all = all();
    let goldens = [
        &all.stores[0],
        &all.stores[3],
        &all.stores[4],
        &all.graphs[0],
    ];
    let mut payloads = Vec::new();
    for (number, golden) in goldens.into_iter().enumerate() {
        let image = &golden.image;
        let log = image.bytes(image.file("log").expect("a log"));
        for record in log_records(log, log_start(image)) {
            let end = record.at + u32_at(log, record.at + 8) as usize;
            if record.is_commit {
                let payload = &log[record.at + 56..end];
                payloads.push([&[number as u8 * 2], payload].concat());
            }
        }
    }
    payloads
}

/// Whether a vertex or a section has a number that is in range and far from 0. Each
/// section before it takes 8 bytes of DRAM, and a check asks for each vertex before it,
/// as in a graph that has them: this is correct, and takes most of the time.
fn names_a_far_vertex(image: &Image) -> bool {
    let far = |&vertex: &u32| (FAR..=MAX_VERTICES as u32).contains(&vertex);
    let pool = image.bytes(image.file("pool").expect("a pool"));
    let count = seals::root_slot(image) + 160;
    if pool
        .get(count..count + 4)
        .is_some_and(|count| far(&u32_at(count, 0)))
    {
        return true;
    }
    let Some(file) = image
        .file("log")
        .filter(|&file| image.bytes(file).len() > 512)
    else {
        return false;
    };
    let log = image.bytes(file);
    let records = log_records(log, log_start(image));
    let commits = records.iter().filter(|record| record.is_commit);
    let ops = commits.filter_map(|record| {
        let payload = log.get(record.at + 56..record.at + record.covered)?;
        record::decode(payload, 0).ok()
    });
    let is_far = |op: &Op| match op {
        Op::Insert(edges) | Op::Delete(edges) => {
            edges.sources.iter().chain(&edges.targets).any(far)
        }
        Op::InsertRelationships(some) | Op::DeleteRelationships(some) => {
            some.sources.iter().chain(&some.targets).any(far)
        }
        Op::Vertices(count) => far(&(*count as u32)),
        _ => false,
    };
    ops.flatten().any(|op| is_far(&op)) || seals::leaves(image).iter().any(|leaf| far(&(leaf << 7)))
}

/// Whether it opens; then everything is done with it that can be done with a store.
fn open_store(image: &Image, writes: bool) -> bool {
    if names_a_far_vertex(image) {
        return false;
    }
    let storage = image.storage();
    let Ok((store, _)) = Store::open(&storage, !writes) else {
        return false;
    };
    // Errors are right here, because the image is damaged; panics are not.
    let _ = read_store(&store);
    if writes {
        let _ = write_store(&store);
        let _ = read_store(&store);
        let _ = store.close();
    }
    true
}

fn read_store(store: &Store) -> Result<(), TopologyError> {
    store.check();
    store.stats();
    read_lists(store, &store.register());
    for snapshot in store.snapshots().into_iter().take(8) {
        read_lists(store, &store.register_at(snapshot.csn)?);
    }
    let _ = store.snapshot_sizes();
    {
        let ids = store.ids()?;
        for vertex in 0..ids.len().min(VERTICES as usize) {
            ids.name(vertex as u32);
        }
    }
    for info in store.sealed_graphs() {
        match store.sealed_graph(&info.name, &|| true) {
            Ok(Some(SealedGraph::Plain(graph))) => read_sealed(&*graph),
            Ok(Some(SealedGraph::Compressed(graph))) => read_sealed(&*graph),
            Ok(None) | Err(_) => {}
        }
    }
    Ok(())
}

fn read_sealed(graph: &impl Graph) {
    let readers = [Some(graph.reader()), graph.reverse_reader()];
    for mut reader in readers.into_iter().flatten() {
        for vertex in 0..graph.vertex_count().min(VERTICES as usize) {
            let _ = reader.for_each_weighted_segment(vertex as u32, |neighbors, weights| {
                assert!(weights.is_empty() || weights.len() == neighbors.len());
                ControlFlow::Continue(())
            });
        }
    }
}

/// Reads all lists. Errors are passed over: another list may still be sound.
fn read_lists(store: &Store, token: &ViewToken<Published>) {
    let _ = store.arc_count(token);
    let typed = store.config().relationships;
    for adjacency in 0..store.adjacencies().len().min(32) {
        let mut reader = store.reader(token, adjacency);
        for vertex in 0..VERTICES {
            let _ = reader.degree(vertex);
            let _ = reader.neighbors(vertex).map(<[u32]>::len);
            if typed {
                let _ = reader.relationships(vertex).map(|(_, ids)| ids.len());
            }
        }
    }
}

fn write_store(store: &Store) -> Result<(), TopologyError> {
    if !store.config().relationships {
        let mut batch = Batch::new();
        batch.insert(&[(1, 2), (2, 1)]).delete(&[(1, 2), (1, 3)]);
        store.commit(batch)?;
    }
    store.checkpoint()?;
    store.compact()?;
    store.relayout(match store.layout() {
        Layout::Blocks => Layout::Pma,
        Layout::Pma => Layout::Blocks,
    })?;
    let snapshots = store.snapshots();
    let names: Vec<&str> = snapshots.iter().map(|snapshot| &*snapshot.name).collect();
    store.drop_snapshots(&names)?;
    store.rewrite_history()
}

/// As [`open_store`], of a property graph.
fn open_graph(image: &Image, writes: bool) -> bool {
    if names_a_far_vertex(image) {
        return false;
    }
    let storage = image.storage();
    let options = OpenOptions {
        read_only: !writes,
        ..OpenOptions::default()
    };
    let Ok((graph, _)) = PropertyGraph::open(&storage, options) else {
        return false;
    };
    let is_sound = graph.check().problems.is_empty();
    graph.statistics();
    let _ = read_graph(&graph, &graph.view());
    for snapshot in graph.snapshots().into_iter().take(8) {
        let _ = graph
            .as_of(&snapshot.name)
            .map(|view| read_graph(&graph, &view));
    }
    if writes {
        let _ = write_graph(&graph, is_sound);
        graph.check();
        let _ = graph.close();
    }
    true
}

fn read_graph(graph: &PropertyGraph, view: &View) -> Result<(), GraphError> {
    for node in view.nodes().take(VERTICES as usize).flatten() {
        node.labels();
        node.properties()
            .for_each(|(_, value)| drop(value.to_string()));
        let _ = view.neighbors(node.id(), Direction::Both, &[]);
    }
    for relationship in view.relationships().take(VERTICES as usize).flatten() {
        relationship.kind();
        relationship
            .properties()
            .for_each(|(_, value)| drop(value.to_string()));
    }
    let _ = view.relationship_count();
    let everything = KeyRange::between(&[], Bound::Unbounded, Bound::Unbounded);
    for definition in graph.definitions() {
        let keys: Vec<&str> = definition.keys.iter().map(String::as_str).collect();
        let _ = view.find_in("Person", &keys, &everything);
        let _ = view.find_relationships_in("KNOWS", &keys, &everything);
    }
    Ok(())
}

/// A node is only deleted where its relationships end at nodes that there are: else the
/// deletion may name a far vertex, as above.
fn write_graph(graph: &PropertyGraph, is_sound: bool) -> Result<(), GraphError> {
    graph.write(|own| {
        let one = own.create_node(&["Person", "New"], [("number", 7000.into())])?;
        own.create_relationship(one, "KNOWS", one, [("since", 7000.into())])
    })?;
    let first = graph.view().nodes().next().transpose()?;
    if let Some(node) = first.filter(|_| is_sound) {
        graph.write(|own| own.detach_delete_node(node.id()))?;
    }
    graph.checkpoint()?;
    graph.compact()
}
