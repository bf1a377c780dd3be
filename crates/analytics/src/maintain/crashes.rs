//! Power cuts while results follow the graph: a result is never without the graph that it
//! is of, and no graph is held without a result.
//!
//! Graph and results are published by superblocks of their own, so the order between the
//! two is explored here: hold, put, release; remove, release.

use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_results::{Geometry, ResultStore};
use evergraph_simulated::mutants::of_suite;
use evergraph_simulated::{
    Access, Budget, Config as SimulatedConfig, Depth, Persistence, Random, Scenario,
    SimulatedStorage, Suite, Told,
};
use evergraph_storage::{Storage, StorageError};
use evergraph_topology::{Config, Store, TopologyError, Tuning};

use super::Request;
use crate::{Opened, Session, Settings, run};
use evergraph_algorithms::Control;

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

/// How far the workload is, and whether there is a result, of what may be.
#[derive(Clone, Debug, Default, Hash)]
struct Done {
    begun: usize,
    /// As of the last step that was acknowledged.
    before: bool,
    /// As of the last step that was begun.
    after: bool,
}

struct MaintainScenario {
    name: String,
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
            name: format!("maintained-{}", persistence.name()),
            seed,
            persistence,
            steps,
            planned,
        }
    }

    /// Performs a step; gives the database, which it may have opened anew.
    fn perform_one(
        &self,
        storage: &SimulatedStorage,
        session: Session,
        step: &Step,
    ) -> Result<Session, String> {
        let outcome = match step {
            Step::Insert(edges) => session.insert_edges(edges).map(drop),
            Step::Delete(edge) => session.delete_edges(&[*edge]).map(drop),
            Step::Maintain => match session.maintain(&request(), &Control::new()) {
                // The first commit was cut off.
                Err(_) if session.view().vertex_count() == 0 => Ok(()),
                maintained => maintained.map(drop),
            },
            Step::Drop if has_result(&session) => session.drop_results(&[RESULT]),
            Step::Drop => Ok(()),
            Step::Checkpoint => session.checkpoint(),
            Step::Restart => {
                drop(session);
                return open(storage);
            }
        };
        outcome.map_err(|error| format!("{step:?}: {error}"))?;
        Ok(session)
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

fn has_result(session: &Session) -> bool {
    session
        .results()
        .is_ok_and(|results| results.get(RESULT).is_some())
}

fn create(storage: &SimulatedStorage) -> Result<Session, String> {
    let config = Config {
        direction: StoredLists::Undirected,
        section_shift: 2,
        log_bytes: 2048,
        extent_alignment: 64,
        growth_step: 2048,
        ..Config::default()
    };
    Store::create(storage, config, UUID).map_err(|error| format!("create: {error}"))?;
    open(storage)
}

fn open(storage: &SimulatedStorage) -> Result<Session, String> {
    let opened = Store::open_with(storage, false, Tuning::default());
    let (store, _) = opened.map_err(|error| format!("open: {error}"))?;
    begin(storage, store)
}

/// A session as the facade begins it, with small blocks.
fn begin(storage: &SimulatedStorage, store: Store) -> Result<Session, String> {
    let settings = Settings {
        read_only: false,
        background: false,
        rebase: None,
        sealed_bytes: 0,
    };
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    let results = ResultStore::open_with(Arc::clone(&shared), UUID, false, GEOMETRY);
    let results = results.map_err(|error| format!("results: {error}"))?;
    let session = Session::new(Opened::Edges(Box::new(store)), shared, None, &settings);
    *session.results.opened.lock() = Some(Arc::new(results));
    let dropped = session.drop_abandoned();
    dropped.map_err(|error| format!("abandoned: {error}"))?;
    Ok(session)
}

/// Checks the invariants of a database.
fn check(session: &Session) -> Result<(), String> {
    if let Some(problem) = session.check().problems.first() {
        return Err(format!("check: {problem}"));
    }
    for snapshot in session.snapshots() {
        if !session
            .needs(&snapshot)
            .map_err(|error| error.to_string())?
        {
            return Err(format!("{:?} is held for no result", snapshot.name));
        }
    }
    let results = session.results().map_err(|error| error.to_string())?;
    let Some(stored) = results.get(RESULT) else {
        return Ok(());
    };
    let csn = stored.description().graph.csn;
    let view = session.view_at(csn);
    let view = view.map_err(|error| format!("the result's graph is gone: {error}"))?;
    let values = |verify: &str| {
        let request = run::Request {
            algorithm: "connected-components".to_string(),
            parameters: vec![("verify".to_string(), verify.to_string())],
            threads: Some(1),
            ..run::Request::default()
        };
        run::run(session, &view, &request, &Control::new(), None).map_err(|error| error.to_string())
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
    type Opened = Session;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(128 << 10)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Session, String> {
        create(storage)
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        _: Access,
        _: &Done,
    ) -> Result<Option<Session>, String> {
        match Store::open_with(storage, false, Tuning::default()) {
            Ok((store, _)) => begin(storage, store).map(Some),
            Err(TopologyError::Storage(StorageError::NotADatabase(_))) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// An opening for writing drops abandoned snapshots, which the comparison asks for.
    fn is_readable(&self) -> bool {
        false
    }

    /// Whatever was cut off, the result follows again.
    fn perform(
        &self,
        storage: &SimulatedStorage,
        session: Session,
        told: &mut Told<'_, '_, Done>,
    ) -> Result<Session, String> {
        let step = match told.is_first_life() {
            true => &self.steps[told.model().begun],
            false => &Step::Maintain,
        };
        let has_no_vertices = session.view().vertex_count() == 0;
        told.update(|model| {
            model.begun += 1;
            model.after = match step {
                Step::Maintain => !has_no_vertices,
                Step::Drop => false,
                _ => model.before,
            };
        });
        let session = self.perform_one(storage, session, step)?;
        told.update(|model| model.before = model.after);
        Ok(session)
    }

    fn is_over(&self, model: &Done) -> bool {
        model.begun >= self.planned
    }

    fn compare(&self, session: &Session, expected: &Done) -> Result<Done, String> {
        check(session)?;
        let found = has_result(session);
        match found == expected.before || found == expected.after {
            true => Ok(Done {
                begun: expected.begun,
                before: found,
                after: found,
            }),
            false => Err(format!("after {expected:?} there is a result: {found}")),
        }
    }

    fn afterlife(&self, _: &Done) -> usize {
        1
    }
}

fn suite() -> Suite<MaintainScenario> {
    Suite {
        name: "maintained",
        scripted: Vec::new,
        of_seed: |seed, depth| {
            let steps = match depth {
                Depth::Short => 7,
                Depth::Deep => 14,
            };
            let media = [Persistence::Pages, Persistence::Lines];
            media
                .map(|medium| MaintainScenario::new(medium, seed, steps))
                .into()
        },
        seeds: 24,
        drawn: 2,
        fixed: &[],
        short: Budget {
            executions: 2_000,
            exhaustive: [60, 4, 0],
            sampled: [40, 3, 0],
            sources: [2, 0],
        },
        ends: 6,
        mutants: of_suite("maintained"),
        killers: concat!(env!("CARGO_MANIFEST_DIR"), "/killers/maintained.tsv").to_string(),
    }
}

#[test]
fn no_power_cut_parts_a_result_from_its_graph() {
    suite().cuts();
}

#[test]
fn no_end_of_a_process_parts_a_result_from_its_graph() {
    suite().ends();
}

#[test]
fn every_mutant_is_caught() {
    suite().mutants();
}
