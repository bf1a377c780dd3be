//! Power cuts while results follow the graph: a result is never without the graph
//! that it is of, and no graph is held for nobody.
//!
//! Graph and results are published by roots of their own, so the order between
//! the two is what is explored here: hold, put, release; remove, release.

use std::path::Path;
use std::sync::Arc;

use evergraph_graph::Direction;
use evergraph_persistence::{PersistenceError, Storage};
use evergraph_simulated::{
    Budget, Config as SimulatedConfig, Explorer, Persistence, Progress, Random, Scenario,
    SimulatedStorage, mutant_score,
};
use evergraph_snapshots::state::{Geometry, ResultStore};
use evergraph_topology::{Config, Store, TopologyError, Tuning};

use super::Request;
use crate::database::Made;
use crate::options::OpenStorage;
use crate::{Control, Database, Options, run};

const UUID: [u8; 16] = [7; 16];
const VERTICES: u64 = 8;
const RESULT: &str = "cc";

/// A few values make several blocks.
const GEOMETRY: Geometry = Geometry {
    block_bytes: 32,
    alignment: 64,
    growth_step: 1024,
};

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(u32, u32)>),
    Delete((u32, u32)),
    Maintain,
    Drop,
    Checkpoint,
    Restart,
}

/// Steps that are acknowledged, and begun.
#[derive(Clone, Debug, Default, Hash)]
struct Done {
    created: bool,
    done: usize,
    begun: usize,
    /// A recovery has begun to make the result, or to bring it up to date.
    recovered: bool,
}

struct MaintainScenario {
    seed: u64,
    persistence: Persistence,
    steps: Vec<Step>,
    planned: usize,
}

impl MaintainScenario {
    fn new(persistence: Persistence, seed: u64, planned: usize) -> Self {
        let mut random = Random::new(seed);
        let mut vertex = || random.below(VERTICES) as u32;
        let mut steps = vec![Step::Insert(vec![(0, 1), (2, 3)]), Step::Maintain];
        while steps.len() < planned + 3 {
            let (u, v) = (vertex(), vertex());
            steps.push(match vertex() {
                0..=2 => Step::Insert(vec![(u, v)]),
                3 => Step::Delete((u, v)),
                4 => Step::Checkpoint,
                5 => Step::Drop,
                6 => Step::Restart,
                _ => Step::Maintain,
            });
            if matches!(steps.last(), Some(Step::Insert(_))) {
                steps.push(Step::Maintain);
            }
        }
        // Each workload drops a result in the end, and each recovery makes one.
        steps[planned - 2] = Step::Maintain;
        steps[planned - 1] = Step::Drop;
        MaintainScenario {
            seed,
            persistence,
            steps,
            planned,
        }
    }

    /// Performs steps; gives the database, which a step may have opened anew.
    fn perform(
        &self,
        storage: &SimulatedStorage,
        mut db: Database,
        steps: std::ops::Range<usize>,
        log: &mut Progress<'_, Done>,
    ) -> Result<Database, String> {
        for at in steps {
            log.update(|model| model.begun = at + 1);
            let outcome = match &self.steps[at] {
                Step::Insert(edges) => db.insert_edges(edges).map(|_| ()),
                Step::Delete(edge) => db.delete_edges(&[*edge]).map(|_| ()),
                Step::Maintain => db.maintain(&request(), &Control::new()).map(|_| ()),
                Step::Drop if has_result(&db) => db.drop_results(&[RESULT]),
                Step::Drop => Ok(()),
                Step::Checkpoint => db.checkpoint(),
                Step::Restart => {
                    drop(db);
                    db = open(storage)?;
                    Ok(())
                }
            };
            outcome.map_err(|error| format!("{:?}: {error}", self.steps[at]))?;
            log.update(|model| model.done = at + 1);
        }
        Ok(db)
    }

    /// Whether there is a result after so many steps.
    fn has_result_after(&self, steps: usize) -> bool {
        let last = self.steps[..steps].iter().rev();
        let mut last = last.filter_map(|step| match step {
            Step::Maintain => Some(true),
            Step::Drop => Some(false),
            _ => None,
        });
        last.next().unwrap_or(false)
    }
}

fn request() -> Request {
    Request {
        name: RESULT.to_string(),
        algorithm: "connected-components".to_string(),
        threads: Some(1),
        ..Request::default()
    }
}

fn has_result(db: &Database) -> bool {
    db.results()
        .is_ok_and(|results| results.get(RESULT).is_some())
}

fn create(storage: &SimulatedStorage) -> Result<Database, String> {
    let config = Config {
        direction: Direction::Undirected,
        section_shift: 2,
        log_bytes: 2048,
        extent_alignment: 64,
        growth_step: 2048,
        ..Config::default()
    };
    Store::create(storage, config, UUID).map_err(|error| format!("create: {error}"))?;
    open(storage)
}

fn open(storage: &SimulatedStorage) -> Result<Database, String> {
    let opened = Store::open_with(storage, false, Tuning::default());
    database(storage, opened.map_err(|error| format!("open: {error}"))?)
}

/// A database as [`Database::open`] makes it, with small blocks.
fn database(
    storage: &SimulatedStorage,
    (store, report): (Store, crate::OpenReport),
) -> Result<Database, String> {
    let options = Options {
        background: false,
        ..Options::default()
    };
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    let results = ResultStore::open_with(Arc::clone(&shared), UUID, false, GEOMETRY);
    let results = results.map_err(|error| format!("results: {error}"))?;
    let opened = OpenStorage {
        storage: shared,
        emulated: None,
    };
    let made = Made::Edges(Box::new(store));
    let db = Database::assemble(made, report, Path::new("simulated"), &options, opened, None);
    *db.results.opened.lock() = Some(Arc::new(results));
    let dropped = db.drop_abandoned();
    dropped.map_err(|error| format!("abandoned: {error}"))?;
    Ok(db)
}

/// What does not hold of a database.
fn check(db: &Database) -> Result<(), String> {
    if let Some(problem) = db.check().problems.first() {
        return Err(format!("check: {problem}"));
    }
    for snapshot in db.snapshots() {
        if !db.needs(&snapshot).map_err(|error| error.to_string())? {
            return Err(format!("{:?} is held for nobody", snapshot.name));
        }
    }
    let results = db.results().map_err(|error| error.to_string())?;
    let Some(stored) = results.get(RESULT) else {
        return Ok(());
    };
    let csn = stored.description().graph.csn;
    let view = db.view_at(csn);
    let view = view.map_err(|error| format!("the result's graph is gone: {error}"))?;
    let values = |verify: &str| {
        let request = run::Request {
            algorithm: "connected-components".to_string(),
            parameters: vec![("verify".to_string(), verify.to_string())],
            threads: Some(1),
            ..run::Request::default()
        };
        run::run(db, &view, &request, &Control::new(), None).map_err(|error| error.to_string())
    };
    let (kept, computed) = (values("false")?, values("true")?);
    if kept.kept.as_deref() != Some(RESULT) {
        return Err("the result is not what a run of its commit gives".to_string());
    }
    if kept.values != computed.values {
        return Err(format!(
            "the result is {:?}, and of its graph {:?}",
            kept.values, computed.values
        ));
    }
    Ok(())
}

impl Scenario for MaintainScenario {
    type Model = Done;

    fn name(&self) -> &str {
        "maintained"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(128 << 10)
    }

    fn initial(&self) -> Done {
        Done::default()
    }

    fn run(&self, storage: &SimulatedStorage, log: &mut Progress<'_, Done>) -> Result<(), String> {
        let db = create(storage)?;
        log.update(|model| model.created = true);
        self.perform(storage, db, 0..self.planned, log).map(drop)
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Done>,
    ) -> Result<(), String> {
        let at = log.model().clone();
        let opened = match Store::open_with(storage, false, Tuning::default()) {
            Ok(opened) => opened,
            // A creation that was cut off is made again, which others explore.
            Err(TopologyError::Persistence(PersistenceError::NotADatabase(_))) if !at.created => {
                return Ok(());
            }
            Err(error) => return Err(format!("open: {error}")),
        };
        let db = database(storage, opened)?;
        check(&db)?;
        let mut expected = (at.done..=at.begun).map(|steps| self.has_result_after(steps));
        let found = has_result(&db);
        let is_expected = expected.any(|expected| expected == found) || at.recovered && found;
        if !is_expected {
            return Err(format!("after {at:?} there is a result: {found}"));
        }
        // Whatever was cut off, the result follows again.
        log.update(|model| model.recovered = true);
        let maintained = db.maintain(&request(), &Control::new());
        match maintained {
            Ok(_) => check(&db).map_err(|error| format!("after recovery: {error}")),
            Err(_) if db.view().vertex_count() == 0 => Ok(()),
            Err(error) => Err(format!("after recovery: {error}")),
        }
    }
}

const HELD: &[&str] = &["maintain.released-first", "maintain.dropped-first"];

const BUDGET: Budget = Budget {
    executions: 2_000,
    exhaustive: [60, 4, 0],
    sampled: [40, 3, 0],
    sources: [2, 0],
};

fn scenarios() -> Vec<MaintainScenario> {
    let media = [Persistence::Pages, Persistence::Lines];
    let of = |medium| (1..=3).map(move |seed| MaintainScenario::new(medium, seed, 7));
    media.into_iter().flat_map(of).collect()
}

#[test]
fn no_power_cut_parts_a_result_from_its_graph() {
    let mut points = [0; 2];
    for scenario in scenarios() {
        let report = Explorer::new(BUDGET).explore(&scenario);
        report.assert_clean();
        points[0] += report.crash_points[0];
        points[1] += report.crash_points[1];
    }
    assert!(points[0] > 100 && points[1] > 0, "{points:?}");
}

#[test]
fn every_mistake_in_the_order_is_caught() {
    let explorer = Explorer {
        most_violations: 1,
        ..Explorer::new(BUDGET)
    };
    let scenarios = scenarios();
    let score = mutant_score(HELD, || {
        scenarios.iter().map(|scenario| explorer.explore(scenario))
    });
    for outcome in &score {
        assert!(outcome.is_caught(), "{:?} survived", outcome.mistake);
    }
    assert_eq!(score.len(), HELD.len());
}
