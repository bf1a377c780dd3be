//! The store as a program that can be cut off anywhere.

mod meanwhile;
mod scripts;

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_simulated::{
    Access, Config as SimulatedConfig, Persistence, Scenario, SimulatedStorage, Steps, Told,
};
use evergraph_storage::StorageError;
use evergraph_topology::ids::{IdKind, IdTable};
use evergraph_topology::record::{Edges, ExternalIds};
use evergraph_topology::{Batch, Config, Layout, ListScratch, Mode, Store, TopologyError, Tuning};

use crate::model::{
    Lists, Model, Moment, Operation, VERTICES, identified, operations, snapshot_name,
    snapshot_operations, wall_us, weighted,
};

const SECTION_SHIFT: u32 = 1;
const FACT: &[u8] = b"fact";
const LOG_BYTES: u64 = 2048;

/// A random workload on a tiny store.
#[derive(Clone, Debug)]
pub struct StoreScenario {
    name: String,
    seed: u64,
    persistence: Persistence,
    direction: StoredLists,
    mode: Mode,
    weighted: bool,
    first_ring_bytes: u64,
    /// Vertices have external ids.
    identified: bool,
    operations: Vec<Operation>,
    /// How many of them the workload runs; recoveries run some of the others.
    planned: usize,
}

impl StoreScenario {
    /// `planned` operations that follow from `seed`.
    pub fn new(
        mode: Mode,
        persistence: Persistence,
        direction: StoredLists,
        seed: u64,
        planned: usize,
    ) -> Self {
        let medium = persistence.name();
        let lists = match direction {
            StoredLists::Undirected => "undirected",
            StoredLists::Out => "out",
            StoredLists::Both => "both",
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
            // In a third of the workloads it is replaced, and some commits are large.
            first_ring_bytes: match seed % 3 {
                0 => 256,
                _ => LOG_BYTES,
            },
            identified: false,
            operations: match mode {
                Mode::Merged => operations(seed, planned + 8, true),
                // Each edge is its own commit there.
                Mode::Direct => single_edges(operations(seed, planned + 8, false)),
            },
            planned,
        }
        .identified_where(mode == Mode::Direct || !seed.is_multiple_of(2))
    }

    /// With external ids in the place of numbers of vertices.
    fn identified_where(mut self, has_ids: bool) -> Self {
        self.identified = has_ids;
        if has_ids {
            self.operations = identified(self.operations);
        }
        self
    }

    /// A random workload on a graph with named snapshots.
    pub fn with_snapshots(
        persistence: Persistence,
        direction: StoredLists,
        seed: u64,
        planned: usize,
    ) -> Self {
        let mut scenario = Self::new(Mode::Merged, persistence, direction, seed, planned);
        scenario.name += "-snapshots";
        scenario.operations = snapshot_operations(seed, planned + 8);
        scenario.identified_where(seed.is_multiple_of(2))
    }

    /// The same workload on a graph with weights.
    pub fn weighted(mut self) -> Self {
        self.name += "-weighted";
        self.weighted = true;
        self.operations = weighted(self.operations);
        self
    }

    /// The same workload, but that commits come in the middle of the merge before them.
    pub fn meanwhile(mut self) -> Self {
        self.name += "-meanwhile";
        self.first_ring_bytes = LOG_BYTES;
        for at in 0..self.planned {
            let commits = self.operations[at + 1..self.planned].iter();
            let commits = commits.take_while(|next| next.is_commit()).take(3).count();
            if self.operations[at] == Operation::Checkpoint {
                self.operations[at] = Operation::CheckpointMeanwhile(commits);
            }
        }
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
            ids: match self.identified {
                true => IdKind::Numbers,
                false => IdKind::Dense,
            },
            section_shift: SECTION_SHIFT,
            log_bytes: LOG_BYTES,
            first_ring_bytes: self.first_ring_bytes,
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

    fn open_store(
        &self,
        storage: &SimulatedStorage,
        read_only: bool,
    ) -> Result<Store, TopologyError> {
        Ok(Store::open_with(storage, read_only, self.tuning())?.0)
    }

    /// How many operations from `from` form one step: two commits that follow
    /// each other share a sync where the position is even; external ids and the edges
    /// behind them are one commit in direct mode; commits in the middle of a merge belong
    /// to it.
    fn step_len(&self, from: usize, end: usize) -> usize {
        if let Some(Operation::CheckpointMeanwhile(commits)) = self.operations.get(from) {
            return 1 + commits;
        }
        let commit = |i: usize| i < end && self.operations[i].is_commit();
        let next = self.operations[..end].get(from..from + 2);
        if let (Mode::Direct, Some([Operation::Name(..), Operation::Insert(_)])) = (self.mode, next)
        {
            return 2;
        }
        let pair = self.mode == Mode::Merged && from.is_multiple_of(2);
        if pair && commit(from) && commit(from + 1) {
            2
        } else {
            1
        }
    }

    /// Performs one step; a restart gives another store.
    fn perform_step(
        &self,
        storage: &SimulatedStorage,
        store: &Arc<Store>,
        from: usize,
        step: &[Operation],
    ) -> Result<Option<Store>, TopologyError> {
        let batches_of = |step: &[Operation], from: usize| {
            let numbered = step.iter().zip(from..);
            numbered
                .map(|(operation, number)| self.batch_of(number, operation))
                .collect()
        };
        match &step[0] {
            Operation::Checkpoint => store.checkpoint()?,
            Operation::CheckpointMeanwhile(_) => {
                meanwhile::checkpoint(store, batches_of(&step[1..], from + 1))?;
            }
            Operation::Compact => store.compact()?,
            Operation::CompactVertex(vertex) => store.compact_vertex(*vertex)?,
            Operation::Relayout(layout) => store.relayout(*layout)?,
            Operation::DeleteVertex(vertex) => drop(store.delete_vertices(&[*vertex])?),
            Operation::Flatten => {
                store.drop_snapshots_where(|snapshots| {
                    let old = snapshots.len().saturating_sub(1);
                    let old = snapshots[..old].iter();
                    old.map(|snapshot| snapshot.name.clone()).collect()
                })?;
                store.rewrite_history()?;
            }
            Operation::Restart => {
                store.close()?;
                return self.open_store(storage, false).map(Some);
            }
            _ if self.mode == Mode::Direct => {
                let mut batch = Batch::new();
                batch.at(wall_us(from));
                // Whatever the order is in which the batch has them.
                for operation in step.iter().rev() {
                    self.add_to(&mut batch, operation);
                }
                store.commit(batch)?;
            }
            _ => drop(store.commit_all(batches_of(step, from))?),
        }
        Ok(None)
    }

    fn batch_of(&self, number: usize, operation: &Operation) -> Batch {
        let mut batch = Batch::new();
        batch.at(wall_us(number));
        self.add_to(&mut batch, operation);
        batch
    }

    fn add_to(&self, batch: &mut Batch, operation: &Operation) {
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
            Operation::Name(first, ids) => batch.assign_ids(ExternalIds::Numbers {
                first: *first,
                ids: ids.clone(),
            }),
            Operation::Snapshot(number) => batch.create_snapshot(&snapshot_name(*number), None),
            Operation::DropSnapshot(number) => batch.drop_snapshot(&snapshot_name(*number)),
            Operation::DeleteVertex(_)
            | Operation::Checkpoint
            | Operation::CheckpointMeanwhile(_)
            | Operation::Compact
            | Operation::CompactVertex(_)
            | Operation::Relayout(_)
            | Operation::Flatten
            | Operation::Restart => unreachable!("not a batch"),
        };
    }

    /// Whether the store shows the graph after the first `count` operations.
    fn fits(&self, found: &Model, count: usize) -> bool {
        let prefix = |n: usize| Model::after(self.direction, &self.operations[..n]).shown();
        let mut model = prefix(count);
        // Edges are no commits there, and a clock's time is not known here.
        if self.mode == Mode::Direct || model.wall_us.is_none() {
            model.wall_us = found.wall_us;
        }
        if self.mode == Mode::Direct && count < self.operations.len() {
            // The vertices of an edge exist before it does.
            let grown = prefix(count + 1).vertex_count;
            if found.vertex_count == grown {
                model.vertex_count = grown;
            }
        }
        model == *found
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
        arc_count: store.arc_count(&token)?,
        fact: store.meta(FACT).unwrap_or_default(),
        ids: external_ids(&*store.ids()?),
        wall_us: Some(token.state().wall_us),
        ..Model::default()
    };
    for (adjacency, lists) in [(0, &mut model.out), (1, &mut model.incoming)] {
        if adjacency < store.adjacencies().len() {
            read_lists(store, &token, adjacency, lists)?;
        }
    }
    for snapshot in store.snapshots() {
        let token = store.register_at(snapshot.csn)?;
        let mut moment = Moment {
            vertex_count: token.state().vertex_count,
            arc_count: snapshot.arc_count,
            wall_us: Some(token.state().wall_us),
            ..Moment::default()
        };
        for (adjacency, lists) in [(0, &mut moment.out), (1, &mut moment.incoming)] {
            if adjacency < store.adjacencies().len() {
                read_lists(store, &token, adjacency, lists)?;
            }
        }
        model.snapshots.insert(snapshot.name, moment);
    }
    Ok(model)
}

/// Ids by vertex; one that leads to another vertex counts as another id.
fn external_ids(table: &IdTable) -> Vec<u64> {
    let named = table.numbers().unwrap_or_default().iter();
    let vertices =
        named.zip(0..).map(
            |(&id, vertex)| match table.vertex_of_number(id) == Some(vertex) {
                true => id,
                false => u64::MAX,
            },
        );
    vertices.collect()
}

fn read_lists(
    store: &Store,
    token: &evergraph_storage::ViewToken<evergraph_topology::Published>,
    adjacency: usize,
    lists: &mut Lists,
) -> Result<(), TopologyError> {
    let mut scratch = ListScratch::default();
    for v in 0..VERTICES + 2 {
        let Some(section) = store.pin_section(token, adjacency, v)? else {
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
    type Model = Steps;
    type Opened = Arc<Store>;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(64 << 10)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Arc<Store>, String> {
        Store::create_with(storage, self.store_config(), [9; 16], self.tuning())
            .map(Arc::new)
            .map_err(|error| error.to_string())
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        access: Access,
        _: &Steps,
    ) -> Result<Option<Arc<Store>>, String> {
        if_there_is_one(
            self.open_store(storage, access == Access::Reading)
                .map(Arc::new),
        )
    }

    /// In a later life each commit has its own sync, and some a checkpoint: where a group
    /// was torn, the log comes to start exactly where the group goes on.
    fn perform(
        &self,
        storage: &SimulatedStorage,
        store: Arc<Store>,
        told: &mut Told<'_, '_, Steps>,
    ) -> Result<Arc<Store>, String> {
        let from = told.model().begun;
        let (end, len) = match told.is_first_life() {
            true => (self.planned, self.step_len(from, self.planned)),
            false => (self.operations.len(), 1),
        };
        let step = &self.operations[from..(from + len).min(end)];
        if step.is_empty() {
            return Ok(store);
        }
        let is_merged = !told.is_first_life() && from.is_multiple_of(4) && step[0].is_commit();
        told.steps(step.len(), || {
            let mut performed = self.perform_step(storage, &store, from, step);
            if is_merged {
                performed = performed.and_then(|next| store.checkpoint().map(|()| next));
            }
            // Many programs close cleanly after an error.
            let next = performed.inspect_err(|_| drop(store.close()));
            next.map_err(|error| format!("{step:?}: {error}"))
        })
        .map(|next| next.map_or(store, Arc::new))
    }

    fn is_over(&self, steps: &Steps) -> bool {
        steps.begun >= self.planned
    }

    fn compare(&self, store: &Arc<Store>, expected: &Steps) -> Result<Steps, String> {
        sound(store)?;
        let found = observe(store).map_err(|error| format!("reading: {error}"))?;
        expected
            .latest(|count| self.fits(&found, count))
            .ok_or_else(|| {
                let known = Model::after(self.direction, &self.operations[..expected.done]).shown();
                format!("found {found:?}, expected {expected:?}, {known:?}")
            })
    }

    fn afterlife(&self, found: &Steps) -> usize {
        1 + found.done % 2
    }

    fn used_bytes(&self, store: &Arc<Store>) -> Option<u64> {
        Some(store.stats().extent_bytes)
    }
}

/// Fails with the first problem that the store's own verification reports.
pub(crate) fn sound(store: &Store) -> Result<(), String> {
    match store.check().problems.first() {
        Some(problem) => Err(format!("check: {problem}")),
        None => Ok(()),
    }
}

/// Unwraps an opening; `None` if the power was cut before the creation was complete.
pub(crate) fn if_there_is_one<T>(opened: Result<T, TopologyError>) -> Result<Option<T>, String> {
    match opened {
        Ok(opened) => Ok(Some(opened)),
        Err(TopologyError::Storage(StorageError::NotADatabase(_))) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
