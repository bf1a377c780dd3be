//! The power is cut before every fence, and what is left has to be the index as of
//! the root that is left, snapshots included.

use evergraph_simulated::{
    Budget, Config, Explorer, Persistence, Progress, Report, Scenario, SimulatedStorage,
};

use super::host::{Commit, Host, Mistake, TINY, Truth};
use crate::index::Kind;

/// What must be there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Model {
    is_created: bool,
    truth: Truth,
    kept: Vec<u64>,
    /// What the newest acknowledged root holds.
    acknowledged: u64,
    /// What a root holds that may be there.
    started: Option<u64>,
}

struct Rounds {
    name: String,
    persistence: Persistence,
    kind: Kind,
    mistake: Option<Mistake>,
}

impl Rounds {
    fn new(persistence: Persistence, kind: Kind, mistake: Option<Mistake>) -> Self {
        Rounds {
            name: format!("index {kind:?} {persistence:?} {mistake:?}"),
            persistence,
            kind,
            mistake,
        }
    }

    /// One commit after another, some kept, and a checkpoint.
    fn round(
        &self,
        host: &mut Host,
        number: u64,
        log: &mut Progress<'_, Model>,
    ) -> Result<(), String> {
        for i in 0..3 {
            let commit = commit(number * 3 + i);
            let keep = number == 1 && i == 1;
            host.commit(&commit, keep);
            let (truth, csn) = (host.truth.clone(), host.csn());
            log.update(|model| {
                model.truth = truth;
                if keep {
                    model.kept.push(csn);
                }
            });
        }
        if number == 3 {
            let kept = log.model().kept.clone();
            kept.iter().for_each(|&csn| host.registry.release(csn));
            log.update(|model| model.kept.clear());
        }
        let csn = host.csn();
        log.update(|model| model.started = Some(csn));
        host.checkpoint(|_| true)?;
        log.update(|model| {
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

    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> Config {
        Config::new(self.persistence)
    }

    fn initial(&self) -> Model {
        Model::default()
    }

    fn run(&self, storage: &SimulatedStorage, log: &mut Progress<'_, Model>) -> Result<(), String> {
        let mut host = Host::create(storage, self.kind, TINY)?;
        log.update(|model| model.is_created = true);
        host.mistake = self.mistake;
        (0..5).try_for_each(|number| self.round(&mut host, number, log))
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Model>,
    ) -> Result<(), String> {
        let model = log.model().clone();
        let mut host = match Host::open(storage, self.kind, TINY, &model.kept) {
            Ok(host) => host,
            Err(_) if !model.is_created => return Ok(()),
            Err(error) => return Err(error),
        };
        host.restored.clone()?;
        let csn = host.root_csn();
        if csn != model.acknowledged && Some(csn) != model.started {
            return Err(format!("the root is of commit {csn}: {model:?}"));
        }
        host.truth = model.truth.clone();
        if !host.index.is_built() {
            // Nothing had been written yet.
            return match csn {
                0 => Ok(()),
                _ => Err("the index is lost".to_string()),
            };
        }
        host.check()?;
        let kept = model.kept.iter().copied().filter(|&kept| kept <= csn);
        for csn in kept.chain([csn]) {
            host.compare(csn)?;
        }
        // It goes on from there.
        let truth = model.truth.until(csn);
        host.truth = truth.clone();
        log.update(|model| {
            model.truth = truth;
            model.kept.retain(|&kept| kept <= csn);
            (model.acknowledged, model.started) = (csn, None);
        });
        host.mistake = self.mistake;
        self.round(&mut host, 2, log)?;
        host.compare(host.csn())
    }
}

fn explore(persistence: Persistence, kind: Kind, mistake: Option<Mistake>) -> Report {
    let budget = Budget {
        exhaustive: [300, 40, 0],
        sampled: [200, 20, 0],
        sources: [4, 0],
        executions: 30_000,
    };
    Explorer::new(budget).explore(&Rounds::new(persistence, kind, mistake))
}

#[test]
fn what_is_left_is_the_index_as_of_its_root() {
    for persistence in [
        Persistence::Lines,
        Persistence::LinesEadr,
        Persistence::Pages,
    ] {
        explore(persistence, Kind::Hybrid, None).assert_clean();
    }
    explore(Persistence::Pages, Kind::OnMedium, None).assert_clean();
}

#[test]
fn mistakes_are_found() {
    for mistake in [Mistake::NotFenced, Mistake::FreedFirst] {
        for persistence in [Persistence::Lines, Persistence::Pages] {
            let report = explore(persistence, Kind::Hybrid, Some(mistake));
            let found = report.violations.first();
            assert!(
                found.is_some(),
                "{mistake:?} on {persistence:?}: {report:?}"
            );
        }
    }
}
