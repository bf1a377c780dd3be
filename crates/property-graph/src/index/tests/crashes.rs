//! The power is cut before every fence, and recovery has to find the index as of the
//! superblock that is left, snapshots included.

use evergraph_simulated::mutants::of_suite;
use evergraph_simulated::{
    Access, Budget, Config, Depth, Persistence, Scenario, SimulatedStorage, Suite, Told,
};

use super::host::{Commit, Host, TINY, Truth};
use crate::index::Kind;

/// Expected state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Model {
    /// Rounds begun.
    rounds: u64,
    truth: Truth,
    kept: Vec<u64>,
    /// Commit of the newest acknowledged superblock.
    acknowledged: u64,
    /// Commit of a superblock that may be durable.
    started: Option<u64>,
}

struct Rounds {
    name: String,
    persistence: Persistence,
    kind: Kind,
}

impl Rounds {
    fn new(persistence: Persistence, kind: Kind) -> Self {
        Rounds {
            name: format!("index-{kind:?}-{}", persistence.name()),
            persistence,
            kind,
        }
    }

    /// One commit after another, some kept, and a checkpoint.
    fn round(
        &self,
        host: &mut Host,
        number: u64,
        told: &mut Told<'_, '_, Model>,
    ) -> Result<(), String> {
        told.update(|model| model.rounds += 1);
        for i in 0..3 {
            let commit = commit(number * 3 + i);
            let keep = number == 1 && i == 1;
            host.commit(&commit, keep);
            let (truth, csn) = (host.truth.clone(), host.csn());
            told.update(|model| {
                model.truth = truth;
                if keep {
                    model.kept.push(csn);
                }
            });
        }
        if number == 3 {
            let kept = told.model().kept.clone();
            kept.iter().for_each(|&csn| host.registry.release(csn));
            told.update(|model| model.kept.clear());
        }
        let csn = host.csn();
        told.update(|model| model.started = Some(csn));
        host.checkpoint(|_| true)?;
        told.update(|model| {
            model.acknowledged = csn;
            model.started = None;
        });
        Ok(())
    }
}

/// A few records get other keys, or none.
fn commit(number: u64) -> Commit {
    let ids = (0..8u64).map(|i| (number * 5 + i * 3) % 40);
    let key = |id: u64| match (number + id) % 5 {
        0 => None,
        _ => Some(format!("{:03}", (id * 7 + number) % 50).into_bytes()),
    };
    let mut commit: Commit = ids.map(|id| (id as u32, key(id))).collect();
    commit.sort();
    commit.dedup_by_key(|change| change.0);
    commit
}

impl Scenario for Rounds {
    type Model = Model;
    type Opened = Host;

    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> Config {
        Config::new(self.persistence)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Host, String> {
        Host::create(storage, self.kind, TINY)
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        _: Access,
        expected: &Model,
    ) -> Result<Option<Host>, String> {
        let Some(mut host) = Host::open(storage, self.kind, TINY, &expected.kept)? else {
            return Ok(None);
        };
        host.restored.clone()?;
        let csn = host.root_csn();
        host.truth = expected.truth.until(csn);
        if csn == 0 && !host.index.is_built() {
            host.build(0)?;
        }
        Ok(Some(host))
    }

    /// The host writes at each opening, and its creation is no concern of the index.
    fn is_readable(&self) -> bool {
        false
    }

    fn is_created_again(&self) -> bool {
        false
    }

    fn perform(
        &self,
        _: &SimulatedStorage,
        mut host: Host,
        told: &mut Told<'_, '_, Model>,
    ) -> Result<Host, String> {
        let number = match told.is_first_life() {
            true => told.model().rounds,
            false => 2,
        };
        self.round(&mut host, number, told)?;
        Ok(host)
    }

    fn is_over(&self, model: &Model) -> bool {
        model.rounds >= 5
    }

    fn compare(&self, host: &Host, expected: &Model) -> Result<Model, String> {
        let csn = host.root_csn();
        if csn != expected.acknowledged && Some(csn) != expected.started {
            return Err(format!("the root is of commit {csn}: {expected:?}"));
        }
        if !host.index.is_built() {
            return Err("the index is lost".to_string());
        }
        host.check()?;
        let mut kept = expected.kept.clone();
        kept.retain(|&kept| kept <= csn);
        for &csn in kept.iter().chain([&csn]) {
            host.compare(csn)?;
        }
        Ok(Model {
            rounds: expected.rounds,
            truth: expected.truth.until(csn),
            kept,
            acknowledged: csn,
            started: None,
        })
    }

    fn afterlife(&self, _: &Model) -> usize {
        1
    }
}

fn suite() -> Suite<Rounds> {
    Suite {
        name: "index",
        scripted: || {
            let hybrid = Persistence::ALL.map(|medium| Rounds::new(medium, Kind::Hybrid));
            let on_medium = Rounds::new(Persistence::Pages, Kind::OnMedium);
            hybrid.into_iter().chain([on_medium]).collect()
        },
        of_seed: |_, _: Depth| Vec::new(),
        seeds: 0,
        drawn: 0,
        fixed: &[],
        short: Budget {
            exhaustive: [300, 40, 0],
            sampled: [200, 20, 0],
            sources: [4, 0],
            executions: 30_000,
        },
        ends: 6,
        mutants: [
            of_suite("index"),
            vec!["host.not-fenced", "host.freed-first"],
        ]
        .concat(),
        killers: concat!(env!("CARGO_MANIFEST_DIR"), "/killers/index.tsv").to_string(),
    }
}

#[test]
fn what_is_left_is_the_index_as_of_its_root() {
    suite().cuts();
}

#[test]
fn what_a_process_leaves_is_the_index_as_of_its_root() {
    suite().ends();
}

#[test]
fn every_mutant_is_caught() {
    suite().mutants();
}
