//! The store as a program that can be cut off anywhere.

use std::ops::ControlFlow;

use evergraph_graph::Direction;
use evergraph_persistence::PersistenceError;
use evergraph_simulated::{
    Acknowledged, Config as SimulatedConfig, Persistence, Progress, Scenario, SimulatedStorage,
};
use evergraph_topology::record::Edges;
use evergraph_topology::{Batch, Config, Layout, ListScratch, Mode, Store, TopologyError, Tuning};

use crate::model::{
    Lists, Model, Moment, Operation, VERTICES, operations, snapshot_name, snapshot_operations,
    weighted,
};

const SECTION_SHIFT: u32 = 1;
const FACT: &[u8] = b"fact";

/// A random workload on a tiny store.
#[derive(Clone, Debug)]
pub struct StoreScenario {
    name: String,
    seed: u64,
    persistence: Persistence,
    direction: Direction,
    mode: Mode,
    weighted: bool,
    operations: Vec<Operation>,
    /// How many of them the workload runs; recoveries run some of the others.
    planned: usize,
}

impl StoreScenario {
    /// `planned` operations that follow from `seed`.
    pub fn new(
        mode: Mode,
        persistence: Persistence,
        direction: Direction,
        seed: u64,
        planned: usize,
    ) -> Self {
        let medium = persistence.name();
        let lists = match direction {
            Direction::Undirected => "undirected",
            Direction::Out => "out",
            Direction::Both => "both",
        };
        let how = match mode {
            Mode::Merged => "merged",
            Mode::Direct => "direct",
        };
        StoreScenario {
            name: format!("store-{how}-{medium}-{lists}"),
            seed,
            persistence,
            direction,
            mode,
            weighted: false,
            operations: match mode {
                Mode::Merged => operations(seed, planned + 8, true),
                // Each edge is its own commit there.
                Mode::Direct => single_edges(operations(seed, planned + 8, false)),
            },
            planned,
        }
    }

    /// A list of blocks is compacted alone, and its space is used again: rare
    /// among random operations.
    pub fn one_list_compacted(persistence: Persistence) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, Direction::Out, 2, 0);
        scenario.name += "-one-list";
        let edges = |targets: &[u32]| targets.iter().map(|&v| (0, v, 0)).collect();
        let begin = [
            Operation::Insert(edges(&[1, 2, 3])),
            Operation::Checkpoint,
            Operation::Delete(vec![(0, 2)]),
            Operation::CompactVertex(0),
            Operation::Insert(edges(&[4, 5, 2, 1, 3, 4])),
            Operation::Checkpoint,
            Operation::Delete(vec![(0, 4), (0, 1)]),
            Operation::CompactVertex(0),
        ];
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario
    }

    /// A section of blocks grows until merges write it whole.
    pub fn section_rewritten(persistence: Persistence) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, Direction::Out, 4, 0);
        scenario.name += "-rewritten";
        let edges = |targets: &[u32]| targets.iter().map(|&v| (0, v, 0)).collect();
        let begin = [
            Operation::Insert(edges(&[1, 2, 3])),
            Operation::Checkpoint,
            Operation::Insert(edges(&[4, 5, 2, 1, 3, 4])),
            Operation::Checkpoint,
            Operation::Insert(edges(&[1, 2])),
            Operation::Checkpoint,
            Operation::Insert(edges(&[3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3])),
            Operation::Checkpoint,
        ];
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        scenario
    }

    /// A random workload on a graph with named snapshots.
    pub fn with_snapshots(
        persistence: Persistence,
        direction: Direction,
        seed: u64,
        planned: usize,
    ) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, direction, seed, planned);
        scenario.name += "-snapshots";
        scenario.operations = snapshot_operations(seed, planned + 8);
        scenario
    }

    /// Snapshots are passed by merges of one section, of all, and by compactions;
    /// segments are joined and dropped: all of it is rare among random operations.
    pub fn snapshots_passed(persistence: Persistence) -> Self {
        let mut scenario = Self::with_snapshots(persistence, Direction::Out, 6, 0);
        scenario.name += "-passed";
        let edges = |edges: &[(u32, u32)]| edges.iter().map(|&(u, v)| (u, v, 0)).collect();
        let begin = [
            Operation::Insert(edges(&[(0, 1), (0, 2), (2, 3)])),
            Operation::Snapshot(0),
            Operation::Insert(edges(&[(0, 3), (2, 4)])),
            Operation::CompactVertex(0),
            Operation::Delete(vec![(0, 1)]),
            Operation::Snapshot(1),
            Operation::Delete(vec![(0, 2)]),
            Operation::Compact,
            Operation::DropSnapshot(0),
            Operation::Insert(edges(&[(0, 5)])),
            Operation::Checkpoint,
            Operation::Flatten,
        ];
        scenario.planned = begin.len();
        scenario.operations.splice(0..0, begin);
        // Names are not used twice.
        let mut next = 2;
        for operation in &mut scenario.operations[scenario.planned..] {
            match operation {
                Operation::Snapshot(number) => {
                    *number = next;
                    next += 1;
                }
                Operation::DropSnapshot(_) => *operation = Operation::Checkpoint,
                _ => {}
            }
        }
        scenario
    }

    /// The same workload on a graph with weights.
    pub fn weighted(mut self) -> Self {
        self.name += "-weighted";
        self.weighted = true;
        self.operations = weighted(self.operations);
        self
    }

    fn store_config(&self) -> Config {
        Config {
            direction: self.direction,
            mode: self.mode,
            // Half of the workloads begin with each.
            layout: if self.seed.is_multiple_of(2) {
                Layout::Blocks
            } else {
                Layout::Pma
            },
            weighted: self.weighted,
            section_shift: SECTION_SHIFT,
            log_bytes: 2048,
            edge_log_bytes: if self.weighted { 64 } else { 32 },
            extent_alignment: 64,
            growth_step: 2048,
            ..Config::default()
        }
    }

    /// Sections of blocks are so small here that they would be written whole at
    /// nearly every merge: in half of the workloads none is but by compaction.
    fn tuning(&self) -> Tuning {
        Tuning {
            rewrite_growth: self.seed.is_multiple_of(4).then_some(100),
            ..Tuning::default()
        }
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Store, TopologyError> {
        Store::create_with(storage, self.store_config(), [9; 16], self.tuning())
    }

    fn open(&self, storage: &SimulatedStorage, read_only: bool) -> Result<Store, TopologyError> {
        Ok(Store::open_with(storage, read_only, self.tuning())?.0)
    }

    /// How many operations from `from` form one step: two commits that follow
    /// each other share a sync where the position is even.
    fn step_len(&self, from: usize, end: usize) -> usize {
        let commit = |i: usize| i < end && self.operations[i].is_commit();
        let pair = self.mode == Mode::Merged && from.is_multiple_of(2);
        if pair && commit(from) && commit(from + 1) {
            2
        } else {
            1
        }
    }

    /// Performs one step; a restart gives another store.
    fn perform(
        &self,
        storage: &SimulatedStorage,
        store: Store,
        step: &[Operation],
    ) -> Result<Store, TopologyError> {
        match &step[0] {
            Operation::Checkpoint => {
                store.checkpoint()?;
                Ok(store)
            }
            Operation::Compact => {
                store.compact()?;
                Ok(store)
            }
            Operation::CompactVertex(vertex) => {
                store.compact_vertex(*vertex)?;
                Ok(store)
            }
            Operation::Relayout(layout) => {
                store.relayout(*layout)?;
                Ok(store)
            }
            Operation::DeleteVertex(vertex) => {
                store.delete_vertices(&[*vertex])?;
                Ok(store)
            }
            Operation::Flatten => {
                store.drop_snapshots_where(|snapshots| {
                    let old = snapshots.len().saturating_sub(1);
                    let old = snapshots[..old].iter();
                    old.map(|snapshot| snapshot.name.clone()).collect()
                })?;
                store.rewrite_history()?;
                Ok(store)
            }
            Operation::Restart => {
                store.close()?;
                drop(store);
                self.open(storage, false)
            }
            _ => {
                let batches = step.iter().map(|operation| self.batch_of(operation));
                store.commit_all(batches.collect())?;
                Ok(store)
            }
        }
    }

    /// Performs the operations from `from` to `end`, telling the model.
    fn perform_range(
        &self,
        storage: &SimulatedStorage,
        mut store: Store,
        (mut from, end): (usize, usize),
        grouped: bool,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<Store, String> {
        while from < end {
            let len = if grouped { self.step_len(from, end) } else { 1 };
            let step = &self.operations[from..from + len];
            log.update(|model| model.begun += len);
            store = self
                .perform(storage, store, step)
                .map_err(|error| format!("{step:?}: {error}"))?;
            log.update(|model| model.done = model.begun);
            from += len;
        }
        Ok(store)
    }

    fn batch_of(&self, operation: &Operation) -> Batch {
        let mut batch = Batch::new();
        batch.at(0);
        match operation {
            Operation::Insert(edges) => {
                let weights = edges.iter().map(|edge| f32::from_bits(edge.2));
                batch.insert_columns(Edges {
                    sources: edges.iter().map(|edge| edge.0).collect(),
                    targets: edges.iter().map(|edge| edge.1).collect(),
                    weights: weights.filter(|_| self.weighted).collect(),
                })
            }
            Operation::Delete(edges) => batch.delete(edges),
            Operation::Grow(count) => batch
                .add_vertices(*count)
                .set_meta(FACT, &count.to_le_bytes()),
            Operation::Snapshot(number) => batch.create_snapshot(&snapshot_name(*number), None),
            Operation::DropSnapshot(number) => batch.drop_snapshot(&snapshot_name(*number)),
            Operation::DeleteVertex(_)
            | Operation::Checkpoint
            | Operation::Compact
            | Operation::CompactVertex(_)
            | Operation::Relayout(_)
            | Operation::Flatten
            | Operation::Restart => unreachable!("not a batch"),
        };
        batch
    }

    fn check(&self, store: &Store, expected: &[usize]) -> Result<usize, String> {
        let report = store.check();
        if let Some(problem) = report.problems.first() {
            return Err(format!("check: {problem}"));
        }
        let found = observe(store).map_err(|error| format!("reading: {error}"))?;
        let prefix = |n: usize| Model::after(self.direction, &self.operations[..n]).shown();
        let fits = |n: usize| {
            let mut model = prefix(n);
            if self.mode == Mode::Direct && n < self.operations.len() {
                // The vertices of an edge exist before it does.
                let grown = prefix(n + 1).vertex_count;
                if found.vertex_count == grown {
                    model.vertex_count = grown;
                }
            }
            model == found
        };
        // The latest that fits: operations without effect leave no trace.
        let fitting = expected.iter().rev().find(|&&n| fits(n));
        fitting.copied().ok_or_else(|| {
            format!(
                "found {found:?}, expected the first {} operations: {:?}",
                expected[0],
                prefix(expected[0])
            )
        })
    }
}

/// The same operations with one edge each.
fn single_edges(operations: Vec<Operation>) -> Vec<Operation> {
    operations
        .into_iter()
        .map(|operation| match operation {
            Operation::Insert(edges) => Operation::Insert(edges[..1].to_vec()),
            Operation::Delete(edges) => Operation::Delete(edges[..1].to_vec()),
            other => other,
        })
        .collect()
}

/// The graph as the store shows it.
fn observe(store: &Store) -> Result<Model, TopologyError> {
    let token = store.register();
    let mut model = Model {
        vertex_count: token.state().vertex_count,
        fact: store.meta(FACT).unwrap_or_default(),
        ..Model::default()
    };
    for (plane, lists) in [(0, &mut model.out), (1, &mut model.incoming)] {
        if plane < store.planes().len() {
            read_lists(store, &token, plane, lists)?;
        }
    }
    for snapshot in store.snapshots() {
        let token = store.register_at(snapshot.csn)?;
        let mut moment = Moment {
            vertex_count: token.state().vertex_count,
            arc_count: snapshot.arc_count,
            ..Moment::default()
        };
        for (plane, lists) in [(0, &mut moment.out), (1, &mut moment.incoming)] {
            if plane < store.planes().len() {
                read_lists(store, &token, plane, lists)?;
            }
        }
        model.snapshots.insert(snapshot.name, moment);
    }
    Ok(model)
}

fn read_lists(
    store: &Store,
    token: &evergraph_persistence::ViewToken<evergraph_topology::Published>,
    plane: usize,
    lists: &mut Lists,
) -> Result<(), TopologyError> {
    let mut scratch = ListScratch::default();
    for v in 0..VERTICES + 2 {
        let Some(section) = store.pin_section(token, plane, v)? else {
            continue;
        };
        let mut list = Vec::new();
        let local = (v & ((1 << SECTION_SHIFT) - 1)) as usize;
        let _ = section.for_each_weighted_segment::<()>(local, &mut scratch, |words, weights| {
            let weights = weights.iter().chain(std::iter::repeat(&0));
            list.extend(words.iter().copied().zip(weights.copied()));
            ControlFlow::Continue(())
        });
        if !list.is_empty() {
            lists.insert(v, list);
        }
    }
    Ok(())
}

impl Scenario for StoreScenario {
    type Model = Acknowledged;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(64 << 10)
    }

    fn initial(&self) -> Acknowledged {
        Acknowledged::default()
    }

    fn run(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), String> {
        let store = self
            .create(storage)
            .map_err(|error| format!("create: {error}"))?;
        log.update(|model| model.created = true);
        self.perform_range(storage, store, (0, self.planned), true, log)?;
        Ok(())
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
    ) -> Result<(), String> {
        let at = log.model().clone();
        let expected: Vec<usize> = (at.done..=at.begun).collect();
        // (f) Reading comes first, and writes nothing.
        let calls = storage.calls();
        let read_only = match self.open(storage, true) {
            Ok(store) => store,
            Err(error) if !at.created => return self.create_again(storage, log, error),
            Err(error) => return Err(format!("open for reading: {error}")),
        };
        let read = self.check(&read_only, &expected)?;
        drop(read_only);
        if storage.calls().writes != calls.writes {
            return Err("opening for reading wrote".to_string());
        }
        let mut store = self
            .open(storage, false)
            .map_err(|error| format!("open: {error}"))?;
        // (a, b) What was acknowledged is there, and nothing else.
        let found = self.check(&store, &expected)?;
        if found != read {
            return Err("opening for reading showed another graph".to_string());
        }
        log.update(|model| {
            *model = Acknowledged {
                created: true,
                done: found,
                begun: found,
            }
        });
        // (g) Life goes on.
        // One operation or two, each with its own sync, so that one of a group
        // that was torn is followed by what the torn group left behind.
        let afterlife = 1 + found % 2;
        let end = (found + afterlife).min(self.operations.len());
        store = self
            .perform_range(storage, store, (found, end), false, log)
            .map_err(|error| format!("after recovery: {error}"))?;
        let done = log.model().done;
        self.check(&store, &[done])
            .map_err(|error| format!("after recovery and {afterlife} more: {error}"))?;
        // (d) Space that nothing reaches is free: a fresh look finds the same.
        let used = store.stats().extent_bytes;
        drop(store);
        let again = self
            .open(storage, true)
            .map_err(|error| format!("open again: {error}"))?;
        if again.stats().extent_bytes != used {
            return Err(format!(
                "{used} bytes were in use and {} are reachable",
                again.stats().extent_bytes
            ));
        }
        self.check(&again, &[done])
            .map_err(|error| format!("opened again: {error}"))?;
        Ok(())
    }
}

/// What was opened; `None` if its creation has not come so far.
pub(crate) fn if_there_is_one<T>(opened: Result<T, TopologyError>) -> Result<Option<T>, String> {
    match opened {
        Ok(opened) => Ok(Some(opened)),
        Err(TopologyError::Persistence(PersistenceError::NotADatabase(_))) => Ok(None),
        Err(error) => Err(format!("open: {error}")),
    }
}

impl StoreScenario {
    /// A creation that was cut off can be made again.
    fn create_again(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Acknowledged>,
        error: TopologyError,
    ) -> Result<(), String> {
        let TopologyError::Persistence(PersistenceError::NotADatabase(_)) = error else {
            return Err(format!("an interrupted creation: {error}"));
        };
        let store = self
            .create(storage)
            .map_err(|error| format!("creating again: {error}"))?;
        log.update(|model| model.created = true);
        self.check(&store, &[0]).map(|_| ())
    }
}
