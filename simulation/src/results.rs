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

use evergraph_graph::{Column, Direction};
use evergraph_persistence::Storage;
use evergraph_simulated::{
    Config as SimulatedConfig, Persistence, Progress, Random, Scenario, SimulatedStorage,
};
use evergraph_snapshots::state::{
    Description, Geometry, GraphIdentity, Hot, ResultStore, Staging, StateError,
};

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
    /// the rest written and settled, then what is staged, then all published.
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

/// How far the workload is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Done {
    /// Operations acknowledged.
    pub done: usize,
    /// Operations begun.
    pub begun: usize,
}

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

    fn perform(
        &self,
        store: &ResultStore,
        (from, to): (usize, usize),
        log: &mut Progress<'_, Done>,
    ) -> Result<(), String> {
        for at in from..to {
            log.update(|model| model.begun = at + 1);
            let done = match &self.operations[at] {
                Operation::Put { name, values } => store
                    .put(
                        &description(name, at as u64),
                        &[(COLUMN, Column::U32(values))],
                    )
                    .map(|_| ()),
                Operation::Stage {
                    name,
                    values,
                    budget,
                } => stage(store, &description(name, at as u64), values, *budget),
                Operation::Remove(name) => match store.remove(&[name]) {
                    Err(StateError::Unknown { .. }) => Ok(()),
                    other => other,
                },
            };
            done.map_err(|error| format!("operation {at}: {error}"))?;
            log.update(|model| model.done = at + 1);
        }
        Ok(())
    }

    /// Which of the numbers of operations what is stored fits.
    fn check(&self, store: &ResultStore, expected: &[usize]) -> Result<usize, String> {
        if let Some(problem) = store.check().first() {
            return Err(format!("check: {problem}"));
        }
        let mut found = Vec::new();
        for stored in store.list() {
            let values = stored.values::<u32>(COLUMN);
            let values = values.map_err(|error| format!("reading: {error}"))?;
            found.push((stored.description().clone(), values));
        }
        let fits = |&&count: &&usize| {
            let model = self.after(count).into_iter();
            let model = model.map(|(name, (step, values))| (description(name, step), values));
            model.eq(found.iter().cloned())
        };
        let fitting = expected.iter().rev().find(fits);
        fitting.copied().ok_or_else(|| {
            format!("found {found:?}, expected those after one of {expected:?} operations")
        })
    }
}

fn open(storage: &SimulatedStorage, read_only: bool) -> Result<ResultStore, String> {
    let storage: Arc<dyn Storage> = Arc::new(storage.clone());
    ResultStore::open_with(storage, UUID, read_only, GEOMETRY).map_err(|error| error.to_string())
}

/// What a run does that goes on computing while its state is written.
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
    version.settle()?;
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
            direction: Direction::Out,
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
    type Model = Done;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(32 << 10)
    }

    fn initial(&self) -> Done {
        Done::default()
    }

    fn run(&self, storage: &SimulatedStorage, log: &mut Progress<'_, Done>) -> Result<(), String> {
        let store = open(storage, false)?;
        self.perform(&store, (0, self.planned), log)
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Done>,
    ) -> Result<(), String> {
        let at = log.model().clone();
        let expected: Vec<usize> = (at.done..=at.begun).collect();
        let calls = storage.calls();
        let read = self.check(&open(storage, true)?, &expected)?;
        if storage.calls().writes != calls.writes {
            return Err("opening for reading wrote".to_string());
        }
        let store = open(storage, false)?;
        let found = self.check(&store, &expected)?;
        if found != read {
            return Err("opening for reading showed other results".to_string());
        }
        log.update(|model| {
            *model = Done {
                done: found,
                begun: found,
            }
        });
        // The run goes on where it was cut off.
        let end = (found + 2).min(self.operations.len());
        self.perform(&store, (found, end), log)
            .map_err(|error| format!("after recovery: {error}"))?;
        self.check(&store, &[end])
            .map_err(|error| format!("after recovery and more: {error}"))?;
        let used = store.bytes();
        drop(store);
        let again = open(storage, true)?;
        if again.bytes() != used {
            let reachable = again.bytes();
            return Err(format!(
                "{used} bytes were in use and {reachable} are reachable"
            ));
        }
        self.check(&again, &[end])
            .map_err(|error| format!("opened again: {error}"))?;
        Ok(())
    }
}
