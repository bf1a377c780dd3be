//! The store of results as a program that can be cut off anywhere.
//!
//! A workload puts versions of two results, some blocks of which stay the same, at
//! once or in the steps of a run that goes on meanwhile, and removes them. Oracles: every result is that of its last acknowledged
//! version, or of the one in flight, to the last value; opening for reading
//! writes nothing and shows the same; every block verifies; space that nothing
//! reaches is free; and a run that was cut off goes on from what it finds and
//! comes to the same end.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_graph::{Column, StoredLists};
use evergraph_results::{
    Description, Geometry, GraphIdentity, Hot, ResultStore, Staging, StateError,
};
use evergraph_simulated::{
    Access, Config as SimulatedConfig, Persistence, Random, Scenario, SimulatedStorage, Steps, Told,
};
use evergraph_storage::{PoolKind, Storage};

const UUID: [u8; 16] = [5; 16];
const COLUMN: &str = "values";
/// A block holds 8 values.
const GEOMETRY: Geometry = Geometry {
    block_bytes: 32,
    alignment: 64,
    growth_step: 1024,
};
const VALUES: usize = 20;

/// One step of a workload.
#[derive(Clone, Debug)]
enum Operation {
    /// A new version with other values here and there.
    Put {
        name: &'static str,
        values: Vec<u32>,
    },
    /// The same in the steps of a checkpoint: what `budget` bytes hold is staged,
    /// the rest written and durable, then what is staged, then all published.
    Stage {
        name: &'static str,
        values: Vec<u32>,
        budget: usize,
    },
    /// Removes a result, if it is there.
    Remove(&'static str),
}

/// The results by name: number of the version, and values.
type Results = BTreeMap<&'static str, (u64, Vec<u32>)>;

/// A random workload on a tiny store of results.
#[derive(Clone, Debug)]
pub struct ResultScenario {
    name: String,
    seed: u64,
    persistence: Persistence,
    operations: Vec<Operation>,
    planned: usize,
}

impl ResultScenario {
    /// `planned` operations that follow from `seed`; recoveries run more.
    pub fn new(persistence: Persistence, seed: u64, planned: usize) -> Self {
        let medium = persistence.name();
        ResultScenario {
            name: format!("results-{medium}"),
            seed,
            persistence,
            operations: operations(seed, planned + 4),
            planned,
        }
    }

    /// The results after the first `count` operations.
    fn after(&self, count: usize) -> Results {
        let mut results = Results::new();
        for (step, operation) in (0..).zip(&self.operations[..count]) {
            match operation {
                Operation::Put { name, values } | Operation::Stage { name, values, .. } => {
                    results.insert(name, (step, values.clone()));
                }
                Operation::Remove(name) => {
                    results.remove(name);
                }
            }
        }
        results
    }

    fn perform_one(&self, store: &ResultStore, at: usize) -> Result<(), StateError> {
        match &self.operations[at] {
            Operation::Put { name, values } => {
                let columns = [(COLUMN, Column::U32(values))];
                store.put(&description(name, at as u64), &columns).map(drop)
            }
            Operation::Stage {
                name,
                values,
                budget,
            } => stage(store, &description(name, at as u64), values, *budget),
            Operation::Remove(name) => match store.remove(&[name]) {
                Err(StateError::Unknown { .. }) => Ok(()),
                other => other,
            },
        }
    }

    fn fits(&self, found: &[(Description, Vec<u32>)], count: usize) -> bool {
        let model = self.after(count).into_iter();
        let model = model.map(|(name, (step, values))| (description(name, step), values));
        model.eq(found.iter().cloned())
    }
}

fn open(storage: &SimulatedStorage, read_only: bool) -> Result<ResultStore, String> {
    let storage: Arc<dyn Storage> = Arc::new(storage.clone());
    ResultStore::open_with(storage, UUID, read_only, GEOMETRY).map_err(|error| error.to_string())
}

/// Writes a version as a run does that goes on computing meanwhile.
fn stage(
    store: &ResultStore,
    description: &Description,
    values: &[u32],
    budget: usize,
) -> Result<(), StateError> {
    let columns = [(COLUMN, Column::U32(values))];
    let mut version = store.begin(&description.name, &columns)?;
    let mut staging = Staging::default();
    version.stage(&columns, (budget, &Hot::default()), &mut staging);
    version.write_rest(&columns, &staging)?;
    version.make_durable()?;
    version.write_staged(&staging)?;
    store.publish(version, description).map(|_| ())
}

fn description(name: &str, step: u64) -> Description {
    Description {
        name: name.to_string(),
        algorithm: "pagerank".to_string(),
        parameters: Vec::new(),
        graph: GraphIdentity {
            csn: 1,
            vertex_count: VALUES as u64,
            arc_count: 0,
            direction: StoredLists::Out,
            weighted: false,
        },
        step,
        finished: false,
        started_us: 0,
        updated_us: 0,
        notes: Vec::new(),
    }
}

/// Mostly new versions, of which about half of the blocks are as before.
fn operations(seed: u64, count: usize) -> Vec<Operation> {
    let mut random = Random::new(seed);
    let mut values = BTreeMap::from([("a", vec![0; VALUES]), ("b", vec![0; VALUES])]);
    (0..count)
        .map(|_| {
            let name = if random.below(3) == 0 { "b" } else { "a" };
            if random.below(6) == 0 {
                return Operation::Remove(name);
            }
            let values = values.get_mut(name).expect("both are there");
            for _ in 0..=random.below(2) {
                values[random.below(VALUES as u64) as usize] += 1;
            }
            let values = values.clone();
            match random.below(2) {
                0 => Operation::Put { name, values },
                _ => Operation::Stage {
                    name,
                    values,
                    budget: random.below(4) as usize * GEOMETRY.block_bytes as usize,
                },
            }
        })
        .collect()
}

impl Scenario for ResultScenario {
    type Model = Steps;
    type Opened = ResultStore;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(32 << 10)
    }

    fn superblock(&self) -> PoolKind {
        PoolKind::RESULTS
    }

    /// Opening makes it, too.
    fn create(&self, storage: &SimulatedStorage) -> Result<ResultStore, String> {
        open(storage, false)
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        access: Access,
        _: &Steps,
    ) -> Result<Option<ResultStore>, String> {
        open(storage, access == Access::Reading).map(Some)
    }

    fn perform(
        &self,
        _: &SimulatedStorage,
        store: ResultStore,
        told: &mut Told<'_, '_, Steps>,
    ) -> Result<ResultStore, String> {
        let at = told.model().begun;
        if at == self.operations.len() {
            return Ok(store);
        }
        told.steps(1, || {
            let performed = self.perform_one(&store, at);
            performed.map_err(|error| format!("operation {at}: {error}"))
        })?;
        Ok(store)
    }

    fn is_over(&self, steps: &Steps) -> bool {
        steps.begun >= self.planned
    }

    fn compare(&self, store: &ResultStore, expected: &Steps) -> Result<Steps, String> {
        if let Some(problem) = store.check().first() {
            return Err(format!("check: {problem}"));
        }
        let mut found = Vec::new();
        for stored in store.list() {
            let values = stored.values::<u32>(COLUMN);
            let values = values.map_err(|error| format!("reading: {error}"))?;
            found.push((stored.description().clone(), values));
        }
        expected
            .latest(|count| self.fits(&found, count))
            .ok_or_else(|| format!("found {found:?}, expected {expected:?}"))
    }

    fn used_bytes(&self, store: &ResultStore) -> Option<u64> {
        Some(store.bytes())
    }
}
