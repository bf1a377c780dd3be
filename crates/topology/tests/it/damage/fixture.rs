//! Small databases, what they must show, and how they are read.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use evergraph_graph::StoredLists;
use evergraph_simulated::{Config as SimConfig, Image, Persistence, Random, SimulatedStorage};
use evergraph_storage::{Storage, ViewToken};
use evergraph_topology::ids::IdKind;
use evergraph_topology::record::{Edges, ExternalIds};
use evergraph_topology::{Batch, Config, Layout, ListScratch, Mode, Published, Store};

use crate::common::weighted_list;

pub const VERTICES: u32 = 14;
pub const SECTION_SHIFT: u32 = 2;
pub const FACT: &[u8] = b"source";

/// Everything a database shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub csn: u64,
    pub vertex_count: u64,
    pub arc_count: u64,
    pub lists: Lists,
    pub names: Vec<String>,
    pub fact: Option<Vec<u8>>,
    /// Snapshots by name.
    pub snapshots: BTreeMap<String, Past>,
}

/// Everything that a snapshot shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    pub csn: u64,
    pub time_us: i64,
    pub vertex_count: u64,
    pub arc_count: u64,
    pub lists: Lists,
}

/// For each adjacency and vertex, neighbors with weight bits.
pub type Lists = Vec<BTreeMap<u32, Vec<(u32, u32)>>>;

/// A database as files, and what it must show.
pub struct Fixture {
    pub name: &'static str,
    pub config: SimConfig,
    pub image: Image,
    /// The graph that a reader must see.
    pub expected: Graph,
    /// The graph after each commit (merged mode), by CSN.
    pub history: BTreeMap<u64, Graph>,
}

pub fn sim_config(persistence: Persistence) -> SimConfig {
    SimConfig::new(persistence).with_capacity(64 << 10)
}

pub fn merged_config(weighted: bool, direction: StoredLists) -> Config {
    Config {
        direction,
        weighted,
        ids: IdKind::Numbers,
        section_shift: SECTION_SHIFT,
        log_bytes: 2048,
        extent_alignment: 64,
        growth_step: 1024,
        ..Config::default()
    }
}

pub fn direct_config(weighted: bool, direction: StoredLists) -> Config {
    Config {
        direction,
        weighted,
        mode: Mode::Direct,
        section_shift: SECTION_SHIFT,
        log_bytes: 512,
        edge_log_bytes: if weighted { 128 } else { 64 },
        extent_alignment: 64,
        growth_step: 1024,
        ..Config::default()
    }
}

/// Reads all there is to read. An error is a sentence.
pub fn read_all(storage: &dyn Storage) -> Result<Graph, String> {
    let (store, _) = Store::open(storage, true).map_err(|error| error.to_string())?;
    observe(&store)
}

pub fn observe(store: &Store) -> Result<Graph, String> {
    let sentence = |error: evergraph_topology::TopologyError| error.to_string();
    let token = store.register();
    let mut graph = Graph {
        csn: token.csn(),
        vertex_count: token.state().vertex_count,
        fact: store.meta(FACT),
        ..Graph::default()
    };
    let ids = store.ids().map_err(sentence)?;
    graph.names = (0..ids.len() as u32).map(|v| ids.name(v)).collect();
    drop(ids);
    graph.lists = lists_of(store, &token)?;
    graph.arc_count = store.arc_count(&token).map_err(sentence)?;
    for snapshot in store.snapshots() {
        let token = store.register_at(snapshot.csn).map_err(sentence)?;
        let past = Past {
            csn: snapshot.csn,
            time_us: snapshot.time_us,
            vertex_count: token.state().vertex_count,
            arc_count: store.arc_count(&token).map_err(sentence)?,
            lists: lists_of(store, &token)?,
        };
        graph.snapshots.insert(snapshot.name, past);
    }
    if let Some(problem) = store.check().problems.first() {
        return Err(format!("check: {problem}"));
    }
    Ok(graph)
}

fn lists_of(store: &Store, token: &ViewToken<Published>) -> Result<Lists, String> {
    let sentence = |error: evergraph_topology::TopologyError| error.to_string();
    let mut all = Vec::new();
    let mask = (1 << store.config().section_shift) - 1;
    let mut scratch = ListScratch::default();
    for adjacency in 0..store.adjacencies().len() {
        let mut lists = BTreeMap::new();
        for v in 0..2 * VERTICES {
            let Some(section) = store.pin_section(token, adjacency, v).map_err(sentence)? else {
                continue;
            };
            let local = (v & mask) as usize;
            let list = weighted_list(&section, local, &mut scratch);
            if section.degree(local) != list.len() {
                return Err(format!(
                    "vertex {v} has degree {} and {} neighbors",
                    section.degree(local),
                    list.len()
                ));
            }
            if !list.is_empty() {
                lists.insert(v, list);
            }
        }
        all.push(lists);
    }
    Ok(all)
}

/// Outcome of reading a damaged image.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Right,
    Error(String),
    Other(Box<Graph>),
    Panic(String),
}

pub fn outcome(config: SimConfig, image: &Image, expected: &Graph) -> Outcome {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let storage = SimulatedStorage::from_image(config, image);
        read_all(&storage)
    }));
    match result {
        Ok(Ok(graph)) if graph == *expected => Outcome::Right,
        Ok(Ok(graph)) => Outcome::Other(Box::new(graph)),
        Ok(Err(error)) => Outcome::Error(error),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            Outcome::Panic(text.unwrap_or_default())
        }
    }
}

/// The reference implementation: lists of (neighbor, weight), deletions applied at once.
#[derive(Clone, Default)]
pub struct Model {
    graph: Graph,
    direction: Option<StoredLists>,
}

fn remove_latest(lists: &mut BTreeMap<u32, Vec<(u32, u32)>>, v: u32, target: u32) -> bool {
    let Some(list) = lists.get_mut(&v) else {
        return false;
    };
    let Some(at) = list.iter().rposition(|entry| entry.0 == target) else {
        return false;
    };
    list.remove(at);
    if list.is_empty() {
        lists.remove(&v);
    }
    true
}

impl Model {
    pub fn new(direction: StoredLists) -> Self {
        let adjacencies = if direction == StoredLists::Both { 2 } else { 1 };
        Model {
            graph: Graph {
                lists: vec![BTreeMap::new(); adjacencies],
                ..Graph::default()
            },
            direction: Some(direction),
        }
    }

    pub fn insert(&mut self, u: u32, v: u32, weight: u32) {
        let mut push = |adjacency: usize, from: u32, to: u32| {
            let list = self.graph.lists[adjacency].entry(from).or_default();
            list.push((to, weight));
        };
        push(0, u, v);
        self.graph.arc_count += 1;
        match self.direction {
            Some(StoredLists::Undirected) => {
                push(0, v, u);
                self.graph.arc_count += 1;
            }
            Some(StoredLists::Both) => push(1, v, u),
            _ => {}
        }
        self.reach(u64::from(u.max(v)) + 1);
    }

    pub fn delete(&mut self, u: u32, v: u32) -> bool {
        let found = remove_latest(&mut self.graph.lists[0], u, v);
        self.graph.arc_count -= u64::from(found);
        match self.direction {
            Some(StoredLists::Undirected) => {
                let reverse = remove_latest(&mut self.graph.lists[0], v, u);
                self.graph.arc_count -= u64::from(reverse);
            }
            Some(StoredLists::Both) => {
                remove_latest(&mut self.graph.lists[1], v, u);
            }
            _ => {}
        }
        found
    }

    /// All edges from and to it.
    pub fn delete_vertex(&mut self, v: u32) {
        for lists in &mut self.graph.lists {
            lists.remove(&v);
            lists
                .values_mut()
                .for_each(|list| list.retain(|entry| entry.0 != v));
            lists.retain(|_, list| !list.is_empty());
        }
        self.graph.arc_count = self.graph.lists[0]
            .values()
            .map(|list| list.len() as u64)
            .sum();
    }

    /// The graph as of commit `csn` gets a name.
    pub fn snapshot(&mut self, name: &str, csn: u64) {
        let past = Past {
            csn,
            time_us: 5,
            vertex_count: self.graph.vertex_count,
            arc_count: self.graph.arc_count,
            lists: self.graph.lists.clone(),
        };
        self.graph.snapshots.insert(name.to_string(), past);
    }

    pub fn drop_snapshot(&mut self, name: &str) {
        self.graph.snapshots.remove(name);
    }

    pub fn reach(&mut self, vertices: u64) {
        self.graph.vertex_count = self.graph.vertex_count.max(vertices);
    }

    pub fn graph(&self, csn: u64) -> Graph {
        Graph {
            csn,
            ..self.graph.clone()
        }
    }
}

/// A store in merged mode and its reference, side by side.
pub struct Reference {
    pub store: Store,
    pub model: Model,
    pub history: BTreeMap<u64, Graph>,
    random: Random,
    weighted: bool,
}

impl Reference {
    pub fn create(storage: &dyn Storage, config: Config, uuid: [u8; 16]) -> Self {
        let store = Store::create(storage, config, uuid).unwrap();
        let mut model = Model::new(config.direction);
        model.graph.names = (0..0).map(|v: u32| v.to_string()).collect();
        let mut history = BTreeMap::new();
        history.insert(0, model.graph(0));
        Reference {
            store,
            model,
            history,
            random: Random::new(u64::from(uuid[0])),
            weighted: config.weighted,
        }
    }

    /// Names for all vertices and a fact, as one commit.
    pub fn name_vertices(&mut self) {
        let ids: Vec<u64> = (0..u64::from(VERTICES)).map(|v| v * 1000 + 7).collect();
        let mut batch = Batch::new();
        batch.at(1).set_meta(FACT, b"damage");
        batch.assign_ids(ExternalIds::Numbers {
            first: 0,
            ids: ids.clone(),
        });
        let csn = self.store.commit(batch).unwrap().csn;
        self.model.reach(u64::from(VERTICES));
        self.model.graph.names = ids.iter().map(u64::to_string).collect();
        self.model.graph.fact = Some(b"damage".to_vec());
        self.history.insert(csn, self.model.graph(csn));
    }

    /// A batch of `edges` insertions and now and then a deletion; the model
    /// follows.
    fn batch(&mut self, edges: usize) -> Batch {
        let mut batch = Batch::new();
        batch.at(1);
        let vertex = |random: &mut Random| random.below(u64::from(VERTICES)) as u32;
        let mut columns = Edges::default();
        for _ in 0..edges {
            let (u, v) = (vertex(&mut self.random), vertex(&mut self.random));
            let weight = self.random.below(100) as f32;
            columns.sources.push(u);
            columns.targets.push(v);
            let bits = if self.weighted { weight.to_bits() } else { 0 };
            if self.weighted {
                columns.weights.push(weight);
            }
            self.model.insert(u, v, bits);
        }
        let (last_u, last_v) = (columns.sources[0], columns.targets[0]);
        batch.insert_columns(columns);
        if self.random.below(3) == 0 {
            batch.delete(&[(last_u, last_v)]);
            assert!(self.model.delete(last_u, last_v));
        }
        batch
    }

    /// A snapshot, as a commit of its own.
    pub fn snapshot(&mut self, name: &str) {
        let mut batch = Batch::new();
        batch.at(1).create_snapshot(name, Some(5));
        let csn = self.store.commit(batch).unwrap().csn;
        self.model.snapshot(name, csn);
        self.history.insert(csn, self.model.graph(csn));
    }

    /// A snapshot goes, as a commit of its own.
    pub fn drop_snapshot(&mut self, name: &str) {
        let mut batch = Batch::new();
        batch.at(1).drop_snapshot(name);
        let csn = self.store.commit(batch).unwrap().csn;
        self.model.drop_snapshot(name);
        self.history.insert(csn, self.model.graph(csn));
    }

    /// Commits of so many edges each, as one group.
    pub fn commit_group(&mut self, edges: &[usize]) {
        let mut batches = Vec::new();
        let mut graphs = Vec::new();
        for &count in edges {
            batches.push(self.batch(count));
            graphs.push(self.model.clone());
        }
        let commits = self.store.commit_all(batches).unwrap();
        for (commit, model) in commits.iter().zip(graphs) {
            self.history.insert(commit.csn, model.graph(commit.csn));
        }
    }
}

/// Merged, stopped cleanly.
pub fn merged_clean() -> Fixture {
    merged("merged, clean", false, StoredLists::Both, true)
}

/// Merged, with commits that are only in the log.
pub fn merged_tail() -> Fixture {
    merged("merged, tail", true, StoredLists::Undirected, false)
}

/// Chains of blocks, some filled in place, some compacted, sections merged up to
/// different commits, and a tail.
pub fn merged_blocks() -> Fixture {
    let config = sim_config(Persistence::Lines);
    let storage = SimulatedStorage::new(config);
    let reference = fill_blocks(&storage, true, *b"evergraph-gold-3");
    finish("merged, blocks", config, &storage, reference)
}

pub fn fill_blocks(storage: &SimulatedStorage, weighted: bool, uuid: [u8; 16]) -> Reference {
    let shape = Config {
        layout: Layout::Blocks,
        ..merged_config(weighted, StoredLists::Both)
    };
    let mut reference = Reference::create(storage, shape, uuid);
    reference.name_vertices();
    reference.commit_group(&[6]);
    reference.commit_group(&[4, 3]);
    reference.store.checkpoint().unwrap();
    reference.commit_group(&[5, 4]);
    reference.store.checkpoint().unwrap();
    reference.commit_group(&[3, 3]);
    reference.store.compact_vertex(1).unwrap();
    reference.commit_group(&[3]);
    reference.commit_group(&[1, 2]);
    reference
}

/// Snapshots in several segments, some of sections that were merged further and
/// compacted, one that was dropped, and a tail.
pub fn merged_snapshots() -> Fixture {
    let config = sim_config(Persistence::Pages);
    let storage = SimulatedStorage::new(config);
    let reference = fill_snapshots(&storage, *b"evergraph-gold-5");
    finish("merged, snapshots", config, &storage, reference)
}

pub fn fill_snapshots(storage: &SimulatedStorage, uuid: [u8; 16]) -> Reference {
    let mut reference = Reference::create(storage, merged_config(false, StoredLists::Out), uuid);
    reference.name_vertices();
    for name in ["a", "b", "c", "d"] {
        reference.commit_group(&[4, 2]);
        reference.snapshot(name);
    }
    reference.commit_group(&[6]);
    reference.store.checkpoint().unwrap();
    reference.snapshot("g");
    reference.drop_snapshot("b");
    reference.commit_group(&[2, 1]);
    reference.store.compact_vertex(1).unwrap();
    reference.commit_group(&[1]);
    reference.snapshot("h");
    reference.commit_group(&[2]);
    reference
}

fn merged(name: &'static str, weighted: bool, direction: StoredLists, clean: bool) -> Fixture {
    let config = sim_config(Persistence::Pages);
    let storage = SimulatedStorage::new(config);
    let mut reference = Reference::create(&storage, merged_config(weighted, direction), [21; 16]);
    reference.name_vertices();
    reference.commit_group(&[6]);
    reference.commit_group(&[4, 3]);
    reference.store.checkpoint().unwrap();
    reference.commit_group(&[5]);
    reference.store.checkpoint().unwrap();
    reference.commit_group(&[3]);
    reference.commit_group(&[2]);
    reference.commit_group(&[1, 2]);
    if clean {
        reference.store.close().unwrap();
    }
    finish(name, config, &storage, reference)
}

/// As [`merged_tail`], with a tail that crosses the end of the ring, so that
/// its last group has a pad.
pub fn merged_wrapped() -> Fixture {
    let config = sim_config(Persistence::Pages);
    for lead in 0..40 {
        let storage = SimulatedStorage::new(config);
        let shape = merged_config(false, StoredLists::Out);
        let mut reference = Reference::create(&storage, shape, [22; 16]);
        for _ in 0..lead {
            reference.commit_group(&[1]);
        }
        reference.store.checkpoint().unwrap();
        reference.commit_group(&[3]);
        reference.commit_group(&[2, 2]);
        let fixture = finish("merged, wrapped tail", config, &storage, reference);
        let log = super::reader::log(&fixture.image);
        let last = log.last().map(|record| record.durable);
        if log.iter().any(|r| r.kind == 2 && Some(r.durable) == last) {
            return fixture;
        }
    }
    panic!("no number of commits puts a pad into the last group");
}

fn finish(
    name: &'static str,
    config: SimConfig,
    storage: &SimulatedStorage,
    reference: Reference,
) -> Fixture {
    let csn = *reference.history.keys().next_back().unwrap();
    let expected = reference.history[&csn].clone();
    drop(reference.store);
    assert_eq!(read_all(storage).unwrap(), expected, "{name}");
    Fixture {
        name,
        config,
        image: storage.image(),
        expected,
        history: reference.history,
    }
}

/// Edges of the databases in direct mode: the last ones are deletions of
/// earlier ones, so that tombstones lie in place and in the log.
pub fn direct_edges() -> [Vec<(u32, u32)>; 2] {
    let mut random = Random::new(5);
    let vertex = |random: &mut Random| random.below(u64::from(VERTICES)) as u32;
    let mut edges = Vec::new();
    for i in 0..70 {
        let u = if i % 3 == 0 { 1 } else { vertex(&mut random) };
        edges.push((u, vertex(&mut random)));
    }
    let deleted = edges.iter().step_by(9).copied().collect();
    [edges, deleted]
}

/// Direct mode, stopped cleanly or not.
pub fn direct(clean: bool) -> Fixture {
    direct_of(direct_config(false, StoredLists::Out), clean)
}

/// Direct mode, with weights and directions.
pub fn direct_of(shape: Config, clean: bool) -> Fixture {
    let config = sim_config(Persistence::Lines);
    let storage = SimulatedStorage::new(config);
    let store = Store::create(&storage, shape, [23; 16]).unwrap();
    let model = fill_direct(&store);
    if clean {
        store.close().unwrap();
    }
    drop(store);
    let expected = model.graph(0);
    assert_eq!(read_all(&storage).unwrap(), expected, "direct");
    Fixture {
        name: match (shape.weighted, shape.direction, clean) {
            (false, StoredLists::Out, true) => "direct, clean",
            (false, StoredLists::Out, false) => "direct, crash",
            (true, StoredLists::Out, _) => "direct with weights",
            (_, StoredLists::Undirected, _) => "direct, undirected",
            (_, StoredLists::Both, _) => "direct, both directions",
        },
        config,
        image: storage.image(),
        expected,
        history: BTreeMap::new(),
    }
}

/// Puts the edges of [`direct_edges`] into an empty store.
pub fn fill_direct(store: &Store) -> Model {
    let weighted = store.config().weighted;
    let mut model = Model::new(store.config().direction);
    let [edges, deleted] = direct_edges();
    for (i, (u, v)) in edges.into_iter().enumerate() {
        if weighted {
            let mut batch = Batch::new();
            batch.insert_columns(Edges {
                sources: vec![u],
                targets: vec![v],
                weights: vec![i as f32],
            });
            store.commit(batch).unwrap();
        } else {
            store.insert_edges_direct(&[(u, v)]).unwrap();
        }
        let weight = if weighted { i as f32 } else { 0.0 };
        model.insert(u, v, weight.to_bits());
    }
    for edge in deleted {
        let mut batch = Batch::new();
        batch.delete(&[edge]);
        let commit = store.commit(batch).unwrap();
        assert_eq!(commit.missed_deletes == 0, model.delete(edge.0, edge.1));
    }
    model
}

/// As after a power cut between the two stores of the last edge: one list has
/// it, the other not yet. Both must show it. Gives what was there before, too.
pub fn direct_half_done(shape: Config, missing: usize) -> (Fixture, Graph) {
    let config = sim_config(Persistence::Lines);
    // Vertices until neither store of the edge makes a section move.
    for source in 0..VERTICES {
        let storage = SimulatedStorage::new(config);
        let store = Store::create(&storage, shape, [24; 16]).unwrap();
        let mut model = fill_direct(&store);
        let (u, v) = (source, (source + 5) % VERTICES);
        let before = (storage.image(), model.graph(0));
        let mut batch = Batch::new();
        batch.insert_columns(Edges {
            sources: vec![u],
            targets: vec![v],
            weights: if shape.weighted { vec![0.5] } else { vec![] },
        });
        store.commit(batch).unwrap();
        drop(store);
        let weight = if shape.weighted { 0.5f32.to_bits() } else { 0 };
        model.insert(u, v, weight);
        let mut image = storage.image();
        let adjacencies = super::reader::direct_sections(&image);
        let places = |image: &Image| -> Vec<_> {
            let sections = super::reader::direct_sections(image);
            sections.into_iter().map(|section| section.extent).collect()
        };
        if places(&image) != places(&before.0) {
            continue;
        }
        let (adjacency, vertex) = match (missing, shape.direction) {
            (0, _) => (0, u),
            (_, StoredLists::Both) => (1, v),
            _ => (0, v),
        };
        let section = adjacencies
            .iter()
            .find(|s| {
                s.adjacency == adjacency
                    && s.first_vertex == vertex >> SECTION_SHIFT << SECTION_SHIFT
            })
            .unwrap();
        let old = &before.0.files["extents"][section.extent.clone()];
        image.file("extents")[section.extent.clone()].copy_from_slice(old);
        let expected = model.graph(0);
        let storage = SimulatedStorage::from_image(config, &image);
        assert_eq!(read_all(&storage).unwrap(), expected, "half done");
        // And for good, when it is opened for writing, and again.
        let (store, _) = Store::open(&storage, false).unwrap();
        assert_eq!(observe(&store).unwrap(), expected);
        drop(store);
        assert_eq!(read_all(&storage).unwrap(), expected, "done");
        let fixture = Fixture {
            name: "direct, half an edge",
            config,
            image,
            expected,
            history: BTreeMap::new(),
        };
        return (fixture, before.1);
    }
    panic!("every edge moves a section");
}
