//! A store with an extension, cut off anywhere: relationships and the extension are of
//! the same commits, now and as of every named snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_simulated::{
    Access, Config as SimulatedConfig, Persistence, Random, Scenario, SimulatedStorage, Steps, Told,
};
use evergraph_storage::{StorageError, ViewToken};
use evergraph_topology::{
    Batch, Config, Layout, Published, Store, StoreExtension, TopologyError, Tuning, in_adjacency,
    out_adjacency,
};

use crate::registers::{Registers, payload};
use crate::store::{if_there_is_one, sound};

const VERTICES: u32 = 5;
const REGISTERS: u64 = 5;
const KINDS: [u16; 2] = [0, 3];

/// Type, source, target, id.
type Relationship = (u16, u32, u32, u32);

/// One step of a workload.
#[derive(Clone, Debug)]
enum Step {
    /// One commit: which relationships come and go, and registers that are set.
    Commit {
        inserted: Vec<Relationship>,
        deleted: Vec<Relationship>,
        settings: Vec<(u32, u64)>,
    },
    Checkpoint,
    /// Merges what the tiny buffers ask for: some sections, the registers or both.
    MergeWhatIsDue,
    Compact,
    /// Merges sections of one vertex and nothing else.
    CompactVertex(u32),
    Snapshot(u32),
    DropSnapshot(u32),
    Flatten,
    Restart,
}

impl Step {
    fn is_commit(&self) -> bool {
        matches!(self, Step::Commit { .. } | Step::Snapshot(_))
    }
}

/// Live relationships and register values.
#[derive(Clone, Debug, Default, PartialEq)]
struct Moment {
    live: Vec<Relationship>,
    registers: BTreeMap<u32, u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    now: Moment,
    tally: u64,
    snapshots: BTreeMap<String, Moment>,
}

impl Model {
    fn after(steps: &[Step]) -> Self {
        let mut model = Model::default();
        for step in steps {
            model.perform(step);
        }
        model
    }

    fn perform(&mut self, step: &Step) {
        match step {
            Step::Commit {
                inserted,
                deleted,
                settings,
            } => {
                self.now.live.extend(inserted);
                self.now.live.retain(|live| !deleted.contains(live));
                self.now.registers.extend(settings.iter().copied());
                self.tally += settings.len() as u64;
            }
            Step::Snapshot(number) => {
                self.snapshots.insert(name(*number), self.now.clone());
            }
            Step::DropSnapshot(number) => drop(self.snapshots.remove(&name(*number))),
            Step::Flatten => {
                // Numbers ascend, and so do the names.
                while self.snapshots.len() > 1 {
                    self.snapshots.pop_first();
                }
            }
            Step::Checkpoint
            | Step::MergeWhatIsDue
            | Step::Compact
            | Step::CompactVertex(_)
            | Step::Restart => {}
        }
    }

    /// In the order in which a store is read.
    fn sorted(mut self) -> Self {
        self.now.live.sort_unstable();
        self.snapshots
            .values_mut()
            .for_each(|moment| moment.live.sort_unstable());
        self
    }
}

fn name(number: u32) -> String {
    format!("s{number:03}")
}

/// A random workload of commits with both, merges and snapshots.
#[derive(Clone, Debug)]
pub struct ExtensionScenario {
    name: String,
    seed: u64,
    persistence: Persistence,
    steps: Vec<Step>,
    /// How many of them the workload runs; recoveries run some of the others.
    planned: usize,
}

impl ExtensionScenario {
    /// `planned` steps that follow from `seed`.
    pub fn new(persistence: Persistence, seed: u64, planned: usize) -> Self {
        let medium = persistence.name();
        let mut workload = Workload {
            random: Random::new(seed),
            model: Model::default(),
            next_id: 0,
            next_name: 0,
        };
        ExtensionScenario {
            name: format!("attached-{medium}"),
            seed,
            persistence,
            steps: (0..planned + 6).map(|_| workload.step()).collect(),
            planned,
        }
    }

    fn store_config(&self) -> Config {
        Config {
            direction: StoredLists::Both,
            relationships: true,
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

    /// Performs the steps `at`: a single one, or commits that share a sync.
    fn perform_all(
        &self,
        storage: &SimulatedStorage,
        store: Opened,
        steps: &[Step],
    ) -> Result<Opened, TopologyError> {
        let Opened { store: it, .. } = &store;
        match &steps[0] {
            Step::Checkpoint => it.checkpoint()?,
            Step::MergeWhatIsDue => it.merge_what_is_due()?,
            Step::Compact => it.compact()?,
            Step::CompactVertex(vertex) => it.compact_vertex(*vertex)?,
            Step::DropSnapshot(number) => it.drop_snapshots(&[&name(*number)])?,
            Step::Flatten => {
                it.drop_snapshots_where(|snapshots| {
                    let old = snapshots.len().saturating_sub(1);
                    let old = snapshots[..old].iter();
                    old.map(|snapshot| snapshot.name.clone()).collect()
                })?;
                it.rewrite_history()?;
            }
            Step::Restart => {
                it.close()?;
                drop(store);
                return open(storage, false);
            }
            Step::Commit { .. } | Step::Snapshot(_) => {
                it.commit_all(steps.iter().map(batch).collect())?;
            }
        }
        Ok(store)
    }
}

impl ExtensionScenario {
    /// Whether a merge leaves the registers further than the superblock: its commit is
    /// older than the CSN they are merged up to, and replay brings them operations that
    /// they have.
    ///
    /// # Errors
    /// Errors of the steps.
    pub fn merges_registers_ahead(&self) -> Result<bool, String> {
        let storage = SimulatedStorage::new(self.config());
        let mut opened = self.create(&storage)?;
        for step in 0..self.planned {
            let step = &self.steps[step..step + 1];
            opened = self
                .perform_all(&storage, opened, step)
                .map_err(|error| error.to_string())?;
            let stats = opened.store.stats();
            if opened.registers.unmerged_since().is_none() && stats.merged_csn < stats.csn {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct Workload {
    random: Random,
    model: Model,
    next_id: u32,
    next_name: u32,
}

impl Workload {
    fn step(&mut self) -> Step {
        let step = match self.random.below(23) {
            0..=8 => self.commit(),
            9..=10 => Step::Checkpoint,
            11..=12 => Step::CompactVertex(self.random.below(u64::from(VERTICES)) as u32),
            13 => Step::Compact,
            14..=16 => {
                self.next_name += 1;
                Step::Snapshot(self.next_name)
            }
            17 => match self.model.snapshots.is_empty() {
                true => Step::Restart,
                false => self.drop_one(),
            },
            18 => Step::Flatten,
            20..=22 => Step::MergeWhatIsDue,
            _ => Step::Restart,
        };
        self.model.perform(&step);
        step
    }

    fn drop_one(&mut self) -> Step {
        let at = self.random.below(self.model.snapshots.len() as u64) as usize;
        let name = self.model.snapshots.keys().nth(at).expect("one of them");
        Step::DropSnapshot(name[1..].parse().expect("a number"))
    }

    fn commit(&mut self) -> Step {
        let vertex = |random: &mut Random| random.below(u64::from(VERTICES)) as u32;
        let inserted = (0..self.random.below(4)).map(|_| {
            let kind = KINDS[self.random.below(2) as usize];
            let (source, target) = (vertex(&mut self.random), vertex(&mut self.random) % 2);
            self.next_id += 1;
            (kind, source, target, self.next_id)
        });
        let inserted: Vec<Relationship> = inserted.collect();
        let mut deleted = Vec::new();
        if !self.model.now.live.is_empty() && self.random.below(2) == 0 {
            let at = self.random.below(self.model.now.live.len() as u64) as usize;
            deleted.push(self.model.now.live[at]);
        }
        let settings = (0..1 + self.random.below(3)).map(|_| {
            let register = self.random.below(REGISTERS) as u32;
            (register, self.random.below(1 << 40))
        });
        let mut settings: Vec<(u32, u64)> = settings.collect();
        if self.random.below(4) == 0 {
            settings.clear();
        }
        Step::Commit {
            inserted,
            deleted,
            settings,
        }
    }
}

fn batch(step: &Step) -> Batch {
    let mut batch = Batch::new();
    batch.at(0);
    match step {
        Step::Commit {
            inserted,
            deleted,
            settings,
        } => {
            batch.add_vertices(u64::from(VERTICES));
            for kind in KINDS {
                let column = |some: &[Relationship], of: fn(&Relationship) -> u32| {
                    let its = some.iter().filter(|r| r.0 == kind);
                    its.map(of).collect::<Vec<u32>>()
                };
                let columns = |some| {
                    (
                        column(some, |r| r.1),
                        column(some, |r| r.2),
                        column(some, |r| r.3),
                    )
                };
                let (sources, targets, ids) = columns(inserted);
                if !ids.is_empty() {
                    batch.insert_relationships(kind, sources, targets, ids);
                }
                let (sources, targets, ids) = columns(deleted);
                if !ids.is_empty() {
                    batch.delete_relationships(kind, sources, targets, ids);
                }
            }
            // In two parts: their order counts.
            let (first, second) = settings.split_at(settings.len() / 2);
            for part in [first, second] {
                if !part.is_empty() {
                    batch.add_payload(payload(part));
                }
            }
        }
        Step::Snapshot(number) => drop(batch.create_snapshot(&name(*number), Some(0))),
        _ => unreachable!("not a commit"),
    }
    batch
}

/// A store and its extension.
pub struct Opened {
    store: Store,
    registers: Arc<Registers>,
}

/// A few registers are worth a merge.
fn tuning() -> Tuning {
    Tuning {
        buffer_bytes: 64,
        ..Tuning::default()
    }
}

fn open(storage: &SimulatedStorage, read_only: bool) -> Result<Opened, TopologyError> {
    let registers = Arc::new(Registers::default());
    let extension = Arc::clone(&registers);
    let (store, _) = Store::open_with_extension(storage, read_only, tuning(), extension)?;
    Ok(Opened { store, registers })
}

fn observe(opened: &Opened) -> Result<Model, TopologyError> {
    let store = &opened.store;
    let moment = |token: &ViewToken<Published>| -> Result<Moment, TopologyError> {
        Ok(Moment {
            live: relationships(store, token)?,
            registers: opened.registers.as_of(token.csn()),
        })
    };
    let mut model = Model {
        now: moment(&store.register())?,
        tally: opened.registers.tally(),
        ..Model::default()
    };
    for snapshot in store.snapshots() {
        let token = store.register_at(snapshot.csn)?;
        model.snapshots.insert(snapshot.name, moment(&token)?);
    }
    Ok(model)
}

/// All relationships as of a view, which out- and in-lists agree on.
fn relationships(
    store: &Store,
    token: &ViewToken<Published>,
) -> Result<Vec<Relationship>, TopologyError> {
    let mut sides = [Vec::new(), Vec::new()];
    for kind in KINDS {
        for (side, adjacency) in [out_adjacency(kind), in_adjacency(kind)]
            .into_iter()
            .enumerate()
        {
            let mut reader = store.reader(token, adjacency);
            for vertex in 0..VERTICES {
                let (neighbors, ids) = reader.relationships(vertex)?;
                let entries = neighbors.iter().zip(ids);
                sides[side].extend(entries.map(|(&neighbor, &id)| match side {
                    0 => (kind, vertex, neighbor, id),
                    _ => (kind, neighbor, vertex, id),
                }));
            }
        }
    }
    let [mut out, mut incoming] = sides;
    out.sort_unstable();
    incoming.sort_unstable();
    match out == incoming {
        true => Ok(out),
        false => {
            let what = format!("out {out:?}, in {incoming:?}");
            Err(StorageError::damaged("extents", 0, what).into())
        }
    }
}

impl Scenario for ExtensionScenario {
    type Model = Steps;
    type Opened = Opened;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(256 << 10)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Opened, String> {
        let registers = Arc::new(Registers::default());
        let extension = Arc::clone(&registers);
        let config = self.store_config();
        let store = Store::create_with_extension(storage, config, [9; 16], tuning(), extension)
            .map_err(|error| error.to_string())?;
        Ok(Opened { store, registers })
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        access: Access,
        _: &Steps,
    ) -> Result<Option<Opened>, String> {
        if_there_is_one(open(storage, access == Access::Reading))
    }

    /// Two commits here and there share a sync; in a later life each has its own, so
    /// that one of a group that was torn is followed by what the torn group left behind.
    fn perform(
        &self,
        storage: &SimulatedStorage,
        opened: Opened,
        told: &mut Told<'_, '_, Steps>,
    ) -> Result<Opened, String> {
        let at = told.model().begun;
        let is_first = told.is_first_life();
        let end = match is_first {
            true => self.planned,
            false => self.steps.len(),
        };
        let is_commit = |at: usize| at < end && self.steps[at].is_commit();
        let is_pair = is_first && at.is_multiple_of(2) && is_commit(at) && is_commit(at + 1);
        let steps = &self.steps[at..(at + 1 + usize::from(is_pair)).min(end)];
        if steps.is_empty() {
            return Ok(opened);
        }
        // A group was torn: the log then starts exactly at the point where it goes on.
        let is_merged = !is_first && at.is_multiple_of(2) && is_commit(at);
        told.steps(steps.len(), || {
            let performed = self.perform_all(storage, opened, steps);
            let performed = performed.and_then(|opened| match is_merged {
                true => opened.store.checkpoint().map(|()| opened),
                false => Ok(opened),
            });
            performed.map_err(|error| format!("{steps:?}: {error}"))
        })
    }

    fn is_over(&self, steps: &Steps) -> bool {
        steps.begun >= self.planned
    }

    fn compare(&self, opened: &Opened, expected: &Steps) -> Result<Steps, String> {
        sound(&opened.store)?;
        let found = observe(opened).map_err(|error| format!("reading: {error}"))?;
        let model = |steps: usize| Model::after(&self.steps[..steps]).sorted();
        expected
            .latest(|steps| model(steps) == found)
            .ok_or_else(|| {
                let most = model(expected.begun);
                format!("found {found:?}, expected {expected:?}, at most {most:?}")
            })
    }

    fn afterlife(&self, found: &Steps) -> usize {
        1 + found.done % 2
    }

    fn used_bytes(&self, opened: &Opened) -> Option<u64> {
        Some(opened.store.stats().extent_bytes)
    }
}
