//! Sealing cut off anywhere: what was sealed is there and is what was sealed, what
//! was not is not, and no space is lost or used twice.

use std::convert::Infallible;
use std::sync::Arc;

use evergraph_graph::{Compressed, Csr, Graph, NeighborReader, Shape, StoredLists};
use evergraph_simulated::{
    Access, Config as SimulatedConfig, Persistence, Random, Scenario, SimulatedStorage, Steps, Told,
};
use evergraph_storage::ViewToken;
use evergraph_topology::{
    Batch, Config, Layout, Published, SealedGraph, SealedName, Store, TopologyError,
};

use crate::store::{if_there_is_one, sound};

const VERTICES: u32 = 6;
const NAMES: [&str; 2] = ["a", "b"];
const SNAPSHOT: &str = "s";

/// One step of a workload.
#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(u32, u32)>),
    Checkpoint,
    /// Under one of [`NAMES`], of the graph of that commit.
    Seal(usize, Kind),
    /// Without effect if there is none.
    Drop(usize),
    /// Names the graph of now; drops the name if it stands for something.
    Snapshot,
    /// Seals the snapshot, if there is one.
    Rebase,
    Restart,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    InOrder,
    Simple,
    Coded,
}

/// The lists of a sealed graph.
type Lists = Vec<Vec<u32>>;

/// The graph, and what is sealed under each name: the lists, and of which commit.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    lists: Lists,
    commits: u64,
    sealed: [Option<(u64, Lists)>; NAMES.len()],
    /// The snapshot, and its sealed graph.
    snapshot: Option<(u64, Lists)>,
    rebased: Option<(u64, Lists)>,
}

impl Model {
    fn after(steps: &[Step]) -> Self {
        let mut model = Model {
            lists: vec![vec![]; VERTICES as usize],
            ..Model::default()
        };
        for step in steps {
            match step {
                Step::Insert(edges) => {
                    for &(u, v) in edges {
                        model.lists[u as usize].push(v);
                    }
                    model.commits += 1;
                }
                Step::Seal(name, kind) => {
                    model.sealed[*name] = Some((model.commits, kind.of(&model.lists)));
                }
                Step::Drop(name) => model.sealed[*name] = None,
                Step::Snapshot => {
                    model.commits += 1;
                    let now = (model.commits, model.lists.clone());
                    model.snapshot = model.snapshot.is_none().then_some(now);
                    model.rebased = None;
                }
                Step::Rebase => model.rebased = model.snapshot.clone(),
                Step::Checkpoint | Step::Restart => {}
            }
        }
        model
    }
}

impl Kind {
    fn of(self, lists: &Lists) -> Lists {
        let mut lists = lists.clone();
        for (v, list) in (0..).zip(&mut lists) {
            match self {
                Kind::InOrder => {}
                Kind::Coded => list.sort_unstable(),
                Kind::Simple => {
                    list.sort_unstable();
                    list.dedup();
                    list.retain(|&u| u != v);
                }
            }
        }
        lists
    }

    /// Seals the lists of a view through the public interface.
    fn seal(self, lists: &Lists) -> SealedGraph {
        let edges: Vec<(u32, u32)> = (0..)
            .zip(lists)
            .flat_map(|(u, list)| list.iter().map(move |&v| (u, v)))
            .collect();
        let graph = Csr::from_edges(lists.len(), &edges, StoredLists::Out);
        let go_on = || Ok::<(), Infallible>(());
        match self {
            Kind::InOrder => SealedGraph::Plain(Arc::new(graph)),
            Kind::Simple => SealedGraph::Plain(Arc::new(graph.simple())),
            Kind::Coded => {
                let Ok(coded) = Compressed::seal(&graph, Shape::Sorted, 2, &go_on);
                SealedGraph::Compressed(Arc::new(coded))
            }
        }
    }
}

fn lists_of(graph: &SealedGraph) -> Lists {
    fn read(graph: &impl Graph) -> Lists {
        let mut reader = graph.reader();
        let mut list = |v| {
            let mut list = vec![];
            reader.neighbors_into(v, &mut list);
            list
        };
        (0..graph.vertex_count() as u32).map(&mut list).collect()
    }
    match graph {
        SealedGraph::Plain(graph) => read(&**graph),
        SealedGraph::Compressed(graph) => read(&**graph),
    }
}

/// A random workload of commits, merges, sealing and dropping.
#[derive(Clone, Debug)]
pub struct SealedScenario {
    name: String,
    seed: u64,
    persistence: Persistence,
    steps: Vec<Step>,
    /// How many of them the workload runs; recoveries run some of the others.
    planned: usize,
}

impl SealedScenario {
    /// `planned` steps that follow from `seed`.
    pub fn new(persistence: Persistence, seed: u64, planned: usize) -> Self {
        let medium = persistence.name();
        let mut random = Random::new(seed);
        SealedScenario {
            name: format!("sealed-{medium}"),
            seed,
            persistence,
            steps: (0..planned + 6).map(|_| step(&mut random)).collect(),
            planned,
        }
    }

    fn store_config(&self) -> Config {
        Config {
            direction: StoredLists::Out,
            layout: match self.seed.is_multiple_of(2) {
                true => Layout::Blocks,
                false => Layout::Pma,
            },
            section_shift: 1,
            log_bytes: 2048,
            extent_alignment: 64,
            growth_step: 2048,
            ..Config::default()
        }
    }

    fn perform_one(
        &self,
        storage: &SimulatedStorage,
        store: Store,
        at: usize,
    ) -> Result<Store, TopologyError> {
        match &self.steps[at] {
            Step::Insert(edges) => {
                let mut batch = Batch::new();
                batch.at(0).add_vertices(u64::from(VERTICES)).insert(edges);
                store.commit(batch)?;
            }
            Step::Checkpoint => store.checkpoint()?,
            Step::Seal(name, kind) => {
                let model = Model::after(&self.steps[..at]);
                let graph = kind.seal(&model.lists);
                store.store_sealed(own(*name), model.commits, &graph, &mut |_, _| true)?;
            }
            Step::Drop(name) => {
                let names = store.sealed_graphs().into_iter().map(|graph| graph.name);
                let there: Vec<SealedName> = names.filter(|n| *n == own(*name)).collect();
                store.drop_sealed(&there)?;
            }
            Step::Snapshot => match store.snapshots().is_empty() {
                true => drop(store.create_snapshot(SNAPSHOT, Some(0))?),
                false => store.drop_snapshots(&[SNAPSHOT])?,
            },
            Step::Rebase => {
                if let Some((csn, lists)) = Model::after(&self.steps[..at]).snapshot {
                    let graph = Kind::InOrder.seal(&lists);
                    let name = SealedName::Snapshot(SNAPSHOT.to_string());
                    store.store_sealed(name, csn, &graph, &mut |_, _| true)?;
                }
            }
            Step::Restart => {
                store.close()?;
                drop(store);
                return open(storage, false);
            }
        }
        Ok(store)
    }
}

fn step(random: &mut Random) -> Step {
    let name = random.below(NAMES.len() as u64) as usize;
    match random.below(16) {
        0..=3 => {
            let mut vertex = || random.below(u64::from(VERTICES)) as u32;
            Step::Insert((0..3).map(|_| (vertex(), vertex())).collect())
        }
        4 => Step::Checkpoint,
        5 => Step::Seal(name, Kind::InOrder),
        6 => Step::Seal(name, Kind::Simple),
        7..=8 => Step::Seal(name, Kind::Coded),
        9..=10 => Step::Drop(name),
        11..=12 => Step::Snapshot,
        13..=14 => Step::Rebase,
        _ => Step::Restart,
    }
}

fn own(name: usize) -> SealedName {
    SealedName::Own(NAMES[name].to_string())
}

fn open(storage: &SimulatedStorage, read_only: bool) -> Result<Store, TopologyError> {
    Ok(Store::open(storage, read_only)?.0)
}

fn observe(store: &Store) -> Result<Model, String> {
    let sentence = |error: TopologyError| format!("reading: {error}");
    let token = store.register();
    let mut model = Model {
        lists: lists_as_of(store, &token)?,
        commits: token.csn(),
        ..Model::default()
    };
    for snapshot in store.snapshots() {
        let token = store.register_at(snapshot.csn).map_err(sentence)?;
        model.snapshot = Some((snapshot.csn, lists_as_of(store, &token)?));
    }
    for graph in store.sealed_graphs() {
        let read = store
            .sealed_graph(&graph.name, &|| true)
            .map_err(sentence)?;
        let place = match &graph.name {
            SealedName::Snapshot(_) => &mut model.rebased,
            SealedName::Own(name) => {
                let number = NAMES.iter().position(|known| name == known);
                &mut model.sealed[number.ok_or("a sealed graph of another name")?]
            }
        };
        *place = read.map(|read| (graph.csn, lists_of(&read)));
    }
    Ok(model)
}

fn lists_as_of(store: &Store, token: &ViewToken<Published>) -> Result<Lists, String> {
    let mut reader = store.reader(token, 0);
    let mut list = |v| {
        let mut list = vec![];
        let read = reader.neighbors_into(v, &mut list);
        read.map(|()| list)
            .map_err(|error| format!("reading: {error}"))
    };
    // The database knows no vertices before the first commit.
    (0..VERTICES).map(&mut list).collect()
}

impl Scenario for SealedScenario {
    type Model = Steps;
    type Opened = Store;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(64 << 10)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Store, String> {
        Store::create(storage, self.store_config(), [9; 16]).map_err(|error| error.to_string())
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        access: Access,
        _: &Steps,
    ) -> Result<Option<Store>, String> {
        if_there_is_one(open(storage, access == Access::Reading))
    }

    fn perform(
        &self,
        storage: &SimulatedStorage,
        store: Store,
        told: &mut Told<'_, '_, Steps>,
    ) -> Result<Store, String> {
        let at = told.model().begun;
        let Some(step) = self.steps.get(at) else {
            return Ok(store);
        };
        told.steps(1, || {
            self.perform_one(storage, store, at)
                .map_err(|error| format!("{step:?}: {error}"))
        })
    }

    fn is_over(&self, steps: &Steps) -> bool {
        steps.begun >= self.planned
    }

    fn compare(&self, store: &Store, expected: &Steps) -> Result<Steps, String> {
        sound(store)?;
        let found = observe(store)?;
        let model = |steps: usize| Model::after(&self.steps[..steps]);
        expected
            .latest(|steps| model(steps) == found)
            .ok_or_else(|| {
                let most = model(expected.begun);
                format!("found {found:?}, expected {expected:?}, at most {most:?}")
            })
    }

    /// Compares stored with visible sealed graphs: one without the other is a leak of
    /// space.
    fn verify_at_end(&self, store: &Store) -> Result<(), String> {
        store
            .checkpoint()
            .map_err(|error| format!("checkpoint: {error}"))?;
        let (stored, shown) = (store.check().sealed_graphs, store.sealed_graphs().len());
        match stored == shown {
            true => Ok(()),
            false => Err(format!(
                "{stored} sealed graphs occupy space and {shown} are shown"
            )),
        }
    }

    fn used_bytes(&self, store: &Store) -> Option<u64> {
        Some(store.stats().extent_bytes)
    }
}
