//! A sorted array with gaps in persistent memory: an insertion shifts its
//! neighbors, protected by an undo log. DGAP's shape, as small as it gets.

use std::collections::BTreeSet;

use evergraph_simulated::{
    Budget, Config, Explorer, Persistence, Program, Progress, Report, SimulatedStorage,
    dropped_call_score, replay,
};
use evergraph_storage::{Medium, MediumError, MediumHandle, Storage};

const MAGIC: u64 = 0x6170_7065_6441_7272;
/// The log: flag, first slot, count, then the old values.
const FLAG: u64 = 64;
const OLD: u64 = 88;
const SLOTS: u64 = 1024;
const SLOT_COUNT: u64 = 64;
const BYTES: u64 = SLOTS + SLOT_COUNT * 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Correct,
    LogNotFlushed,
    LogNotFenced,
    FlagStoredFirst,
    DataNotFlushed,
    DataNotFenced,
    OnlyFirstLogLineFlushed,
    AcknowledgedBeforeLastFence,
    RecoveryNotFlushed,
    RecoveryClearsFlagFirst,
}

const BROKEN: [Variant; 9] = [
    Variant::LogNotFlushed,
    Variant::LogNotFenced,
    Variant::FlagStoredFirst,
    Variant::DataNotFlushed,
    Variant::DataNotFenced,
    Variant::OnlyFirstLogLineFlushed,
    Variant::AcknowledgedBeforeLastFence,
    Variant::RecoveryNotFlushed,
    Variant::RecoveryClearsFlagFirst,
];

struct Array {
    medium: MediumHandle,
    variant: Variant,
}

impl Array {
    fn load(&self, offset: u64) -> Result<u64, MediumError> {
        let mut bytes = [0; 8];
        self.medium.read(offset, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn slots(&self) -> Result<Vec<u64>, MediumError> {
        let mut bytes = [0; SLOT_COUNT as usize * 8];
        self.medium.read(SLOTS, &mut bytes)?;
        let words = bytes.chunks_exact(8);
        Ok(words
            .map(|w| u64::from_le_bytes(w.try_into().unwrap()))
            .collect())
    }

    fn persist(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.medium.flush(offset, len)?;
        self.medium.fence()
    }

    /// Inserts; returns before the last fence if `acknowledge` is to come early.
    fn insert(&self, key: u64, acknowledge: impl FnOnce()) -> Result<(), MediumError> {
        let broken = |variant| self.variant == variant;
        let slots = self.slots()?;
        // Right of every smaller key, and the nearest gap on either side.
        let at = slots
            .iter()
            .rposition(|&k| k != 0 && k < key)
            .map_or(0, |i| i + 1);
        let gap = slots[at..].iter().position(|&k| k == 0).map(|i| at + i);
        let (first, moved) = match gap {
            Some(gap) => {
                let mut moved = vec![key];
                moved.extend(&slots[at..gap]);
                (at, moved)
            }
            None => {
                let gap = slots.iter().rposition(|&k| k == 0).expect("there is room");
                let mut moved = slots[gap + 1..at].to_vec();
                moved.push(key);
                (gap, moved)
            }
        };
        let count = moved.len() as u64;
        // Step 1: what is about to be overwritten...
        if broken(Variant::FlagStoredFirst) {
            self.medium.store_u64(FLAG, 1);
        }
        self.medium.store_u64(FLAG + 8, first as u64);
        self.medium.store_u64(FLAG + 16, count);
        for i in 0..count {
            self.medium
                .store_u64(OLD + i * 8, slots[first + i as usize]);
        }
        let log_len = match self.variant {
            Variant::LogNotFlushed => 0,
            Variant::OnlyFirstLogLineFlushed => 64,
            _ => OLD + count * 8 - FLAG,
        };
        self.medium.flush(FLAG, log_len)?;
        if !broken(Variant::LogNotFenced) {
            self.medium.fence()?;
        }
        // Step 2: ...is logged before the flag says so...
        self.medium.store_u64(FLAG, 1);
        self.persist(FLAG, 8)?;
        // Step 3: ...and the flag is there before anything moves.
        for (i, &value) in moved.iter().enumerate() {
            self.medium.store_u64(SLOTS + (first + i) as u64 * 8, value);
        }
        if !broken(Variant::DataNotFlushed) {
            self.medium.flush(SLOTS + first as u64 * 8, count * 8)?;
        }
        if !broken(Variant::DataNotFenced) {
            self.medium.fence()?;
        }
        // Step 4: done.
        self.medium.store_u64(FLAG, 0);
        self.medium.flush(FLAG, 8)?;
        if broken(Variant::AcknowledgedBeforeLastFence) {
            acknowledge();
            return self.medium.fence();
        }
        self.medium.fence()?;
        acknowledge();
        Ok(())
    }

    fn recover(&self) -> Result<(), MediumError> {
        if self.load(FLAG)? != 1 {
            return Ok(());
        }
        let (first, count) = (self.load(FLAG + 8)?, self.load(FLAG + 16)?);
        if self.variant == Variant::RecoveryClearsFlagFirst {
            self.medium.store_u64(FLAG, 0);
            self.persist(FLAG, 8)?;
        }
        for i in 0..count {
            let old = self.load(OLD + i * 8)?;
            self.medium.store_u64(SLOTS + (first + i) * 8, old);
        }
        if self.variant != Variant::RecoveryNotFlushed {
            self.medium.flush(SLOTS + first * 8, count * 8)?;
        }
        self.medium.fence()?;
        self.medium.store_u64(FLAG, 0);
        self.persist(FLAG, 8)
    }
}

#[derive(Clone, Default, Hash)]
struct Model {
    created: bool,
    acknowledged: BTreeSet<u64>,
    in_flight: Option<u64>,
}

struct Insertions {
    name: String,
    variant: Variant,
    insertions: u64,
    /// Whether a recovered array takes one more insertion.
    goes_on: bool,
}

impl Insertions {
    fn going_on(variant: Variant, insertions: u64) -> Self {
        Self {
            goes_on: true,
            ..Self::new(variant, insertions)
        }
    }

    fn new(variant: Variant, insertions: u64) -> Self {
        Self {
            name: format!("gapped-array-{variant:?}"),
            variant,
            insertions,
            goes_on: false,
        }
    }

    fn work(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Model>,
    ) -> Result<(), MediumError> {
        let medium = storage.open("array", true)?;
        let array = Array {
            medium,
            variant: self.variant,
        };
        array.medium.grow(BYTES)?;
        array.medium.store_u64(0, MAGIC);
        array.persist(0, 8)?;
        storage.sync_names()?;
        log.update(|m| m.created = true);
        for i in 0..self.insertions {
            let key = (i * 37) % 101 + 1;
            log.update(|m| m.in_flight = Some(key));
            array.insert(key, || {
                log.update(|m| {
                    m.acknowledged.insert(key);
                    m.in_flight = None;
                })
            })?;
        }
        Ok(())
    }

    fn check(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Model>,
    ) -> Result<(), MediumError> {
        if !log.model().created && !storage.exists("array")? {
            return Ok(());
        }
        let medium = storage.open("array", false)?;
        if !log.model().created && medium.len() < BYTES {
            return Ok(());
        }
        let array = Array {
            medium,
            variant: self.variant,
        };
        if array.load(0)? != MAGIC {
            assert!(!log.model().created, "the magic number is gone");
            return Ok(());
        }
        array.recover()?;
        let found: Vec<u64> = array.slots()?.into_iter().filter(|&k| k != 0).collect();
        assert!(found.is_sorted_by(|a, b| a < b), "not sorted: {found:?}");
        let found: BTreeSet<u64> = found.into_iter().collect();
        let model = log.model();
        let mut with = model.acknowledged.clone();
        with.extend(model.in_flight);
        assert!(
            found == model.acknowledged || found == with,
            "found {found:?}, acknowledged {:?}, in flight {:?}",
            model.acknowledged,
            model.in_flight
        );
        // From now on a further power cut must leave exactly this.
        log.update(|m| {
            m.acknowledged = found;
            m.in_flight = None;
        });
        if !self.goes_on {
            return Ok(());
        }
        // The recovered array goes on: what recovery only seemed to finish
        // would undo this insertion after the next power cut.
        let next = (1..200).find(|k| !log.model().acknowledged.contains(k));
        let key = next.expect("there is room");
        log.update(|m| m.in_flight = Some(key));
        array.insert(key, || {
            log.update(|m| {
                m.acknowledged.insert(key);
                m.in_flight = None;
            })
        })
    }
}

impl Program for Insertions {
    type Model = Model;

    fn name(&self) -> &str {
        &self.name
    }

    fn config(&self) -> Config {
        Config::new(Persistence::Lines).with_capacity(4096)
    }

    fn run(&self, s: &SimulatedStorage, log: &mut Progress<'_, Model>) -> Result<(), String> {
        self.work(s, log).map_err(|e| e.to_string())
    }

    fn recover(&self, s: &SimulatedStorage, log: &mut Progress<'_, Model>) -> Result<(), String> {
        self.check(s, log).map_err(|e| e.to_string())
    }
}

fn explore(variant: Variant) -> Report {
    Explorer::default().explore(&Insertions::new(variant, 40))
}

#[test]
fn the_correct_array_is_clean() {
    let budget = Budget {
        exhaustive: [100_000, 2_000, 16],
        sources: [64, 2],
        ..Budget::default()
    };
    let report = Explorer::new(budget).explore(&Insertions::new(Variant::Correct, 40));
    report.assert_clean();
    println!(
        "{:.0} executions/s",
        report.total_executions() as f64 / report.seconds
    );
    // Four fences for each insertion, two for the creation, and the end.
    assert_eq!(report.points.len() as u64 + report.repeated_points[0], 163);
    assert!(report.points.iter().all(|p| p.exhaustive));
    assert!(report.executions[1] > 0 && report.executions[2] > 0);
}

#[test]
fn the_correct_array_goes_on_after_recovery() {
    let scenario = Insertions::going_on(Variant::Correct, 12);
    Explorer::default().explore(&scenario).assert_clean();
}

#[test]
fn every_broken_array_is_caught() {
    for variant in BROKEN {
        let report = explore(variant);
        let violation = report.violations.first();
        let violation = violation.unwrap_or_else(|| panic!("{variant:?} survived: {report}"));
        println!(
            "{variant:?}: {} executions\n{violation}",
            violation.executions
        );
        // Mutants of the recovery need a power cut in the recovery.
        let in_recovery = matches!(
            variant,
            Variant::RecoveryNotFlushed | Variant::RecoveryClearsFlagFirst
        );
        assert_eq!(violation.path.len() > 1, in_recovery, "{variant:?}");
    }
}

#[test]
fn a_violation_is_shrunk_and_repeats() {
    let scenario = Insertions::new(Variant::OnlyFirstLogLineFlushed, 40);
    let explorer = Explorer::default();
    let violation = explorer.explore(&scenario).violations.remove(0);
    let survivors: usize = violation
        .path
        .iter()
        .map(|leg| leg.choices.iter().filter(|&&c| c != 0).count())
        .sum();
    assert!(survivors <= 3, "{violation}");
    let again = replay(&explorer, &scenario, &violation.replay());
    let again = again.expect("the line is about this").expect("it repeats");
    assert_eq!(again.message, violation.message);
    let correct = Insertions::new(Variant::Correct, 40);
    assert!(replay(&explorer, &correct, &violation.replay()).is_err());
    let line = violation.replay().replace(&scenario.name, &correct.name);
    assert!(replay(&explorer, &correct, &line).unwrap().is_none());
}

#[test]
fn an_exploration_is_deterministic() {
    let (a, b) = (explore(Variant::Correct), explore(Variant::Correct));
    assert_eq!(a.executions, b.executions);
    assert_eq!(a.points, b.points);
}

#[test]
fn threads_explore_what_one_would() {
    let variants = [Variant::Correct, Variant::DataNotFenced];
    let scenarios = variants.map(|v| Insertions::new(v, 6));
    let explorer = Explorer::default();
    let reports = scenarios.iter().map(|scenario| explorer.explore(scenario));
    let reports: Vec<Report> = reports.collect();
    assert!(reports[0].is_clean());
    assert!(!reports[1].is_clean());
    let alone = Explorer::default().explore(&scenarios[0]);
    assert_eq!(alone.executions, reports[0].executions);
}

#[test]
fn every_dropped_call_of_the_array_is_caught() {
    // Only an array that goes on can tell that its recovery did not finish.
    let scenario = Insertions::going_on(Variant::Correct, 12);
    let outcomes = dropped_call_score(&Explorer::default(), &scenario, 12);
    let survivors: Vec<_> = outcomes.iter().filter(|o| !o.is_caught()).collect();
    println!(
        "{} dropped calls, {} survivors",
        outcomes.len(),
        survivors.len()
    );
    for survivor in &survivors {
        println!("  {:?}", survivor.mutant);
    }
    assert!(survivors.is_empty() && outcomes.len() > 30);
}

/// The same array, broken by what is switched on for the thread.
#[test]
fn mutants_are_scored() {
    use evergraph_simulated::mutant_score;
    use evergraph_storage::failpoint;

    let mutants = ["log.records-not-flushed", "log.fence-missing"];
    let outcomes = mutant_score(&mutants, || {
        // One of the two mutants is made; the other means nothing to the array.
        let variant = match failpoint!("log.records-not-flushed") {
            true => Variant::LogNotFlushed,
            false => Variant::Correct,
        };
        [12, 40]
            .map(|insertions| Insertions::new(variant, insertions))
            .into_iter()
            .map(|scenario| Explorer::new(Budget::quick()).explore(&scenario))
    });
    assert!(outcomes[0].is_caught() && !outcomes[1].is_caught());
    assert!(outcomes[1].executions > outcomes[0].executions);
    assert!(!failpoint!("log.fence-missing"), "none is left on");
}
