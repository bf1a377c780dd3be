//! Campaigns: what every suite of scenarios goes through, in two depths.
//!
//! | Part | Short (`make test`) | Deep (`make deep`) |
//! |---|---|---|
//! | [`Suite::cuts`] | the scripted scenarios, and a few seeds that the commit draws | all seeds, longer workloads, [`Budget::thorough`] |
//! | [`Suite::ends`] | some kills and failing calls of the same scenarios | every one, with power cuts in the second life |
//! | [`Suite::damage`] | after power cuts of the same scenarios, each slot of the superblock | the same, at all seeds |
//! | [`Suite::mutants`] | each by its stored killer, searched for only where that fails | each searched for |
//!
//! A line for each part is printed; with [`REPORT_VARIABLE`] it is appended to a file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

use evergraph_storage::failpoint;

use crate::damaged::{Damaged, SLOTS};
use crate::explorer::{Explorer, Program};
use crate::faults::{CallKind, Calls, FailingCall};
use crate::replay::{REPLAY_VARIABLE, replay};
use crate::report::{Report, Violation};
use crate::scenario::{End, Ended, Scenario};
use crate::{Budget, Depth, Random};

/// A text that seeds are drawn from, in place of the commit.
pub const SEED_VARIABLE: &str = "EVERGRAPH_SEED";
/// A file that takes a line of figures for each part of a campaign.
pub const REPORT_VARIABLE: &str = "EVERGRAPH_REPORT";
/// Set, stored killers are written anew; tests of expectations know it, too.
pub const BLESS_VARIABLE: &str = "UPDATE_EXPECT";

/// Threads that explore.
const THREADS: usize = 2;

/// Scenarios of one kind, and the mutants that they must kill.
pub struct Suite<S> {
    /// For messages and tables.
    pub name: &'static str,
    /// Those with a script: in every run.
    pub scripted: fn() -> Vec<S>,
    /// The random ones of a seed.
    pub of_seed: fn(u64, Depth) -> Vec<S>,
    /// Seeds of the deep campaign: 1 to this.
    pub seeds: u64,
    /// How many of them a short run draws.
    pub drawn: usize,
    /// Seeds of every run: those that found something once.
    pub fixed: &'static [u64],
    /// Executions a scenario of a short run.
    pub short: Budget,
    /// Kills, and failures of each kind of call, that a short run tries on a scenario.
    pub ends: u64,
    /// Failpoints that must be caught here.
    pub mutants: Vec<&'static str>,
    /// File of the replay line of each mutant's known killer.
    pub killers: String,
}

/// Figures of one part.
#[derive(Default)]
struct Tally {
    scenarios: usize,
    executions: u64,
    crash_points: [u64; 3],
    mutants: Option<(usize, usize)>,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.scenarios += 1;
        self.executions += report.total_executions();
        for (sum, points) in self.crash_points.iter_mut().zip(report.crash_points) {
            *sum += points;
        }
    }
}

impl<S: Scenario> Suite<S> {
    /// Cuts the power everywhere, in recoveries too.
    ///
    /// # Panics
    /// If an oracle objects, with the line that repeats it.
    pub fn cuts(&self) {
        if self.is_replayed() {
            return;
        }
        let depth = Depth::asked();
        let budget = match depth {
            Depth::Short => self.short.clone(),
            Depth::Deep => Budget::thorough(),
        };
        let [of_workloads, of_recoveries, _] = self.explore("cuts", &self.scenarios(depth), budget);
        assert!(of_workloads > 0, "no crash point was reached");
        let is_nested = self.short.sources[0] > 0;
        assert!(of_recoveries > 0 || !is_nested, "no recovery was cut off");
    }

    /// Ends first lives by kills and by failing calls; the next process of the same
    /// boot goes on, and its power is cut.
    ///
    /// # Panics
    /// If an oracle objects, with the line that repeats it.
    pub fn ends(&self) {
        if self.is_replayed() {
            return;
        }
        let depth = Depth::asked();
        let scenarios = self.scenarios(depth);
        let (most, budget) = match depth {
            Depth::Short => (self.ends, few_executions()),
            Depth::Deep => (u64::MAX, Budget::quick()),
        };
        let ended: Vec<_> = scenarios.iter().flat_map(|s| ended(s, most)).collect();
        self.explore("ends", &ended, budget);
    }

    /// Damages one slot of the superblock after a power cut anywhere.
    ///
    /// # Panics
    /// If an oracle objects, with the line that repeats it.
    pub fn damage(&self) {
        if self.is_replayed() {
            return;
        }
        let depth = Depth::asked();
        let scenarios = self.scenarios(depth);
        let budget = match depth {
            Depth::Short => few_executions_everywhere(),
            Depth::Deep => Budget::hunt(),
        };
        let damaged: Vec<_> = scenarios.iter().flat_map(damaged).collect();
        self.explore("damage", &damaged, budget);
    }

    /// One part of a campaign; the crash points of each order.
    fn explore<P: Program + Sync>(&self, part: &str, programs: &[P], budget: Budget) -> [u64; 3] {
        let started = Instant::now();
        let explorer = Explorer::new(budget);
        let reports = in_parallel(programs, |program| explorer.explore(program));
        let mut tally = Tally::default();
        reports.iter().for_each(|report| tally.add(report));
        self.tell(part, &tally, started);
        let first = reports.iter().flat_map(|report| &report.violations).next();
        if let Some(violation) = first {
            panic!("{violation}");
        }
        tally.crash_points
    }

    /// Arms each mutant in turn: it must be caught. Prints what catches it.
    ///
    /// # Panics
    /// If one survives.
    pub fn mutants(&self) {
        if self.is_replayed() {
            return;
        }
        let started = Instant::now();
        let stored = read_killers(&self.killers);
        let outcomes = in_parallel(&self.mutants, |mutant| {
            let scope = failpoint::Scope::armed(mutant);
            let stored = stored.get(*mutant).map(String::as_str);
            let (executions, killer) = with_threads_of(&scope, || self.kill(&scope, stored));
            if let Some((line, _)) = &killer {
                self.assert_clean_without(mutant, line);
            }
            let message = killer.as_ref().map_or("SURVIVED", |found| found.1.as_str());
            let message: String = message
                .chars()
                .take_while(|&c| c != '\n')
                .take(90)
                .collect();
            println!("{mutant:34} {executions:>7} executions: {message}");
            (executions, killer.map(|found| found.0))
        });
        let mut tally = Tally::default();
        let mut killers = String::new();
        let mut survivors = Vec::new();
        for (&mutant, (executions, killer)) in self.mutants.iter().zip(&outcomes) {
            tally.executions += executions;
            match killer {
                Some(line) => {
                    let _ = writeln!(killers, "{mutant}\t{line}");
                }
                None => survivors.push(mutant),
            }
        }
        tally.mutants = Some((outcomes.len() - survivors.len(), outcomes.len()));
        self.tell("mutants", &tally, started);
        if std::env::var_os(BLESS_VARIABLE).is_some() {
            std::fs::write(&self.killers, killers).expect("killers are stored");
        } else if self.mutants.iter().any(|&m| !stored.contains_key(m)) {
            println!(
                "note: {} lacks killers; `make bless` stores them",
                self.killers
            );
        }
        assert!(
            survivors.is_empty(),
            "every mutant must be caught: {survivors:?}"
        );
    }

    /// Looks for a violation: the executions made, the replay line, and what was said.
    /// Everything is tried a little before anything is tried at length, and only where
    /// the little has come to the mutant's place.
    fn kill(
        &self,
        scope: &failpoint::Scope,
        stored: Option<&str>,
    ) -> (u64, Option<(String, String)>) {
        let is_deep = Depth::asked() == Depth::Deep;
        if let Some(line) = stored.filter(|_| !is_deep)
            && let Ok(Some(violation)) = self.replay(line)
        {
            return (1, Some((line.to_string(), violation.message)));
        }
        let mut executions = 0;
        let mut take = |report: Report| {
            let violation = report.violations.first();
            executions += violation.map_or(report.total_executions(), |found| found.executions);
            violation.map(|found| (found.replay(), found.message.clone()))
        };
        let scenarios = self.hunting_ground();
        let explorer = Explorer::new(few_executions().with_executions(400));
        let mut found = None;
        let mut reaching = Vec::new();
        for scenario in &scenarios {
            let before = scope.times_reached();
            found = take(explorer.explore(scenario));
            if found.is_some() {
                break;
            }
            if scope.times_reached() > before {
                reaching.push(scenario);
            }
        }
        // The mutant's code may be reached only after a failing call: try all scenarios.
        if reaching.is_empty() {
            reaching.extend(&scenarios);
        }
        let ways = [
            Way::Ends(4),
            Way::Cuts(Budget::hunt().with_executions(1_000)),
            Way::Damage,
            Way::Ends(if is_deep { u64::MAX } else { 64 }),
            Way::Cuts(Budget::hunt()),
        ];
        let mut tries = ways
            .iter()
            .flat_map(|way| reaching.iter().map(move |&scenario| (way, scenario)));
        let found =
            found.or_else(|| tries.find_map(|(way, scenario)| way.try_on(scenario, &mut take)));
        (executions, found)
    }

    /// Asserts that the line that kills a mutant passes without it: otherwise it would
    /// show a defect of the program itself.
    fn assert_clean_without(&self, mutant: &str, line: &str) {
        if let Ok(Some(violation)) = self.replay(line) {
            panic!("without {mutant}, too: {violation}");
        }
    }

    fn scenarios(&self, depth: Depth) -> Vec<S> {
        let mut scenarios = (self.scripted)();
        let seeds: Vec<u64> = match depth {
            Depth::Deep => (1..=self.seeds).collect(),
            Depth::Short => {
                let drawn = drawn(self.seeds, self.drawn);
                println!("{}: seeds {drawn:?} of 1 to {}", self.name, self.seeds);
                self.fixed.iter().copied().chain(drawn).collect()
            }
        };
        scenarios.extend(seeds.iter().flat_map(|&seed| (self.of_seed)(seed, depth)));
        scenarios
    }

    /// Scenarios in which killers are looked for, the same whatever the commit.
    fn hunting_ground(&self) -> Vec<S> {
        let seeds = self.fixed.iter().copied().chain(1..=self.seeds.min(8));
        let of_seeds = seeds.flat_map(|seed| (self.of_seed)(seed, Depth::Short));
        (self.scripted)().into_iter().chain(of_seeds).collect()
    }

    /// Repeats what the environment asks for; then nothing else is run.
    ///
    /// # Panics
    /// If an oracle objects to it.
    fn is_replayed(&self) -> bool {
        let Ok(line) = std::env::var(REPLAY_VARIABLE) else {
            return false;
        };
        match self.replay(&line) {
            Ok(Some(violation)) => panic!("{violation}"),
            Ok(None) => println!("{}: the replay is clean", self.name),
            Err(reason) => println!("{}: not replayed: {reason}", self.name),
        }
        true
    }

    /// Repeats one execution; an error if no scenario of this suite is meant.
    fn replay(&self, line: &str) -> Result<Option<Violation>, String> {
        let field = |key: &str| {
            let mut fields = line.trim().split(';');
            fields.find_map(|field| field.strip_prefix(key)?.strip_prefix('='))
        };
        let (name, seed) = field("scenario")
            .zip(field("seed"))
            .ok_or("no scenario and seed")?;
        let (name, end) = match name.split_once('+') {
            Some((name, end)) => (name, Some(end)),
            None => (name, None),
        };
        let seed: u64 = seed
            .parse()
            .map_err(|error| format!("seed {seed:?}: {error}"))?;
        let depths = [Depth::asked(), Depth::Short, Depth::Deep];
        let of_seed = depths
            .into_iter()
            .flat_map(|depth| (self.of_seed)(seed, depth));
        let is_meant = |scenario: &S| scenario.name() == name && scenario.seed() == seed;
        let mut scenarios = (self.scripted)().into_iter().chain(of_seed);
        let scenario = scenarios.find(is_meant).ok_or("no such scenario here")?;
        let explorer = Explorer::new(Budget::default());
        let Some(end) = end else {
            return replay(&explorer, &scenario, line);
        };
        match end.strip_prefix("slot@").map(str::parse) {
            Some(Ok(slot)) => replay(&explorer, &Damaged::new(&scenario, slot), line),
            _ => replay(&explorer, &Ended::new(&scenario, End::parse(end)?), line),
        }
    }

    /// Prints the figures of a part, and stores them where the environment says.
    fn tell(&self, part: &str, tally: &Tally, started: Instant) {
        let Tally {
            scenarios,
            executions,
            crash_points: [first, second, third],
            mutants,
        } = tally;
        let seconds = started.elapsed().as_secs_f64();
        let mutants = mutants.map_or(String::new(), |(killed, all)| format!("{killed} of {all}"));
        println!(
            "campaign {} {part}: {executions} executions of {scenarios} scenarios, \
             {first} crash points, {second} in recoveries, {third} in their recoveries; \
             mutants {mutants}; {seconds:.1} s",
            self.name
        );
        if let Ok(path) = std::env::var(REPORT_VARIABLE) {
            let file = std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(path);
            let mut file = file.expect("the report can be written");
            let line = format!(
                "| {} {part} | {scenarios} | {executions} | {first} | {second} | {third} | \
                 {mutants} | {seconds:.0} |\n",
                self.name
            );
            // One call, so that lines of processes beside each other stay whole.
            file.write_all(line.as_bytes())
                .expect("the report can be written");
        }
    }
}

/// A way to look for what kills a mutant.
enum Way {
    Cuts(Budget),
    Ends(u64),
    Damage,
}

impl Way {
    fn try_on<S: Scenario, T>(
        &self,
        scenario: &S,
        mut take: impl FnMut(Report) -> Option<T>,
    ) -> Option<T> {
        match self {
            Way::Cuts(budget) => take(Explorer::new(budget.clone()).explore(scenario)),
            Way::Ends(most) => {
                let explorer = Explorer::new(few_executions());
                let mut ended = ended(scenario, *most);
                ended.find_map(|ended| take(explorer.explore(&ended)))
            }
            Way::Damage => {
                let explorer = Explorer::new(few_executions_everywhere());
                damaged(scenario).find_map(|damaged| take(explorer.explore(&damaged)))
            }
        }
    }
}

/// Budget for scenarios whose first power cut matters: only the ends of what a cut may
/// leave, and no second cut.
fn few_executions() -> Budget {
    Budget {
        exhaustive: [4, 0, 0],
        sampled: [3, 0, 0],
        sources: [0, 0],
        executions: 60,
    }
}

/// As [`few_executions`], to the end of the workload; the publication that follows the
/// damage is cut off, too.
fn few_executions_everywhere() -> Budget {
    Budget {
        exhaustive: [1, 1, 0],
        sampled: [1, 1, 0],
        sources: [1, 0],
        executions: 500,
    }
}

/// The scenario with each slot damaged.
fn damaged<S: Scenario>(scenario: &S) -> impl Iterator<Item = Damaged<'_, S>> {
    (0..SLOTS).map(move |slot| Damaged::new(scenario, slot))
}

/// The scenario with the ends of [`ends`].
fn ended<S: Scenario>(scenario: &S, most: u64) -> impl Iterator<Item = Ended<'_, S>> {
    let ends = ends(calls_of(scenario), most).into_iter();
    ends.map(move |end| Ended::new(scenario, end))
}

/// Calls of an undisturbed workload.
fn calls_of<S: Scenario>(scenario: &S) -> Calls {
    Explorer::new(Budget::nothing())
        .explore(scenario)
        .workload_calls
}

/// Kills, and failures of each kind of call, once and for ever: `most` of each, evenly.
fn ends(calls: Calls, most: u64) -> Vec<End> {
    let evenly = |count: u64| {
        let tried = count.min(most);
        (0..tried).map(move |i| i * count / tried)
    };
    let mut ends: Vec<End> = evenly(calls.all()).map(End::Kill).collect();
    for kind in CallKind::ALL {
        for (number, call) in evenly(calls.of(kind)).enumerate() {
            let sticky = number % 2 == 1;
            ends.push(End::Failure(FailingCall { kind, call, sticky }));
        }
    }
    ends
}

/// Explores with worker threads of the store under test that see the same failpoints.
fn with_threads_of<T: Send>(scope: &failpoint::Scope, explore: impl FnOnce() -> T + Send) -> T {
    let of_thread = scope.clone();
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(move |_| of_thread.enter_for_good())
        .build()
        .expect("threads can be started");
    threads.install(explore)
}

/// Results of `work` in the order of `items`, by a few threads.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = parking_lot::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(at) else {
                        break;
                    };
                    let result = work(item);
                    done.lock().push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner();
    done.sort_by_key(|entry| entry.0);
    done.into_iter().map(|entry| entry.1).collect()
}

/// `count` of the seeds 1 to `seeds`, which follow from the commit.
fn drawn(seeds: u64, count: usize) -> Vec<u64> {
    let mut text = std::env::var(SEED_VARIABLE).ok();
    if text.is_none() {
        let asked = std::process::Command::new("git")
            .args(["rev-parse", "HEAD"])
            .output();
        let said = asked.ok().filter(|output| output.status.success());
        text = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = text.unwrap_or_default();
    let start = text.trim().bytes().fold(0u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let mut random = Random::new(start);
    let mut drawn = std::collections::BTreeSet::new();
    while drawn.len() < count.min(seeds as usize) {
        drawn.insert(1 + random.below(seeds));
    }
    drawn.into_iter().collect()
}

/// Replay lines by mutant; empty if there is no such file yet.
fn read_killers(path: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(mutant, line)| (mutant.to_string(), line.to_string()))
        .collect()
}
