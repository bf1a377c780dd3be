//! The power fails while transactions are open and on their way: what was seen
//! before the cut and after it has to be one history.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use evergraph_property_graph::graph::{GraphError, OpenOptions, PropertyGraph};
use evergraph_property_graph::transaction::Isolation;
use evergraph_property_graph::transaction::isolation::workload::{Random, Workload};
use evergraph_property_graph::transaction::isolation::{
    Element, Fate, History, Operation, Plan, Recorded, Run, Step, check,
};
use evergraph_simulated::{
    Budget, Config, Explorer, Persistence, Progress, Random as Choices, Rest, Scenario,
    SimulatedStorage,
};

use super::subject::{Lists, options};

const LISTS: u32 = 2;
const SETS: u32 = 3;

/// What is known when the power fails.
#[derive(Clone, Debug, Default)]
struct Known {
    is_created: bool,
    transactions: Vec<Recorded>,
    /// Runs of transactions that were begun.
    runs: u64,
}

impl Hash for Known {
    fn hash<H: Hasher>(&self, state: &mut H) {
        format!("{self:?}").hash(state);
    }
}

struct Interrupted {
    name: String,
    seed: u64,
    persistence: Persistence,
}

fn workload() -> Workload {
    Workload {
        lists: LISTS,
        sets: SETS,
        sessions: 3,
        transactions: 2,
        steps: 3,
        removals: 20,
        ..Workload::default()
    }
}

fn everything() -> Plan {
    let reads = (0..LISTS).map(Step::Read).chain((0..SETS).map(Step::Scan));
    Plan::new(Isolation::Snapshot, &reads.collect::<Vec<_>>())
}

impl Interrupted {
    /// Runs one transaction of each of three sessions, move by move.
    fn run_some(&self, lists: &Lists, log: &mut Progress<'_, Known>) {
        let number = log.model().runs;
        log.update(|known| known.runs += 1);
        let mut random = Random::new(self.seed * 1000 + number);
        // Elements of their own, whatever was cut off before.
        let elements = AtomicU64::new(number * 1000 + 1);
        let plans: Vec<Plan> = (0..3).map(|_| workload().plan(&mut random)).collect();
        let session = |at: usize| number as u32 * 3 + at as u32;
        let runs = plans.iter().enumerate();
        let mut runs: Vec<_> = runs
            .map(|(at, plan)| Run::new(lists, session(at), plan, &elements))
            .collect();
        while !runs.is_empty() {
            let turn = random.below(runs.len() as u32) as usize;
            let run = &mut runs[turn];
            if run.is_about_to_commit() {
                let unknown = Recorded {
                    fate: Fate::Unknown,
                    ..run.recorded().clone()
                };
                log.update(|known| known.transactions.push(unknown));
                while !run.is_over() {
                    run.advance();
                }
                let told = run.recorded().clone();
                log.update(|known| {
                    known.transactions.pop();
                    known.transactions.push(told);
                });
            } else {
                run.advance();
                if run.is_over() {
                    let told = run.recorded().clone();
                    log.update(|known| known.transactions.push(told));
                }
            }
            if run.is_over() {
                drop(runs.swap_remove(turn));
            }
        }
    }

    /// Holds what is there against what was seen.
    fn verify(&self, lists: &Lists, log: &mut Progress<'_, Known>) -> Result<(), String> {
        let session = log.model().runs as u32 * 3 + 1_000_000;
        let last = Run::new(lists, session, &everything(), &AtomicU64::new(0)).complete();
        let mut history = History {
            transactions: log.model().transactions.clone(),
        };
        history.transactions.push(last.clone());
        let report = check(&history);
        if !report.keeps(Isolation::Snapshot) {
            return Err(format!("{report}{history:#?}"));
        }
        // A later cut must not take back what was found.
        log.update(|known| known.transactions.push(last));
        Ok(())
    }
}

impl Scenario for Interrupted {
    type Model = Known;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> Config {
        Config::new(self.persistence).with_capacity(1 << 18)
    }

    fn initial(&self) -> Known {
        Known::default()
    }

    fn run(&self, storage: &SimulatedStorage, log: &mut Progress<'_, Known>) -> Result<(), String> {
        let text = |error: GraphError| error.to_string();
        let graph = PropertyGraph::create(storage, options(), [7; 16]).map_err(text)?;
        let lists = Lists::create(graph, LISTS, SETS).map_err(text)?;
        log.update(|known| known.is_created = true);
        for round in 0..4 {
            self.run_some(&lists, log);
            if round % 2 == 1 {
                lists.graph.checkpoint().map_err(text)?;
            }
        }
        Ok(())
    }

    fn recover(
        &self,
        storage: &SimulatedStorage,
        log: &mut Progress<'_, Known>,
    ) -> Result<(), String> {
        let text = |error: GraphError| error.to_string();
        let opened = PropertyGraph::open(storage, OpenOptions::default());
        let graph = match opened {
            Ok((graph, _)) => graph,
            Err(_) if !log.model().is_created => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        let lists = Lists::find(graph).map_err(text)?;
        if lists.is_empty() {
            let is_lost = log.model().is_created;
            return if is_lost {
                Err("the lists are gone".to_string())
            } else {
                Ok(())
            };
        }
        self.verify(&lists, log)?;
        self.run_some(&lists, log);
        self.verify(&lists, log)
    }
}

#[test]
fn one_history_before_and_after_a_cut() {
    let deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    let media = [
        ("pages", Persistence::Pages),
        ("lines", Persistence::Lines),
        ("eadr", Persistence::LinesEadr),
    ];
    let scenarios: Vec<Interrupted> = media
        .into_iter()
        .flat_map(|(medium, persistence)| {
            let seeds = 1..=if deep { 40 } else { 2 };
            seeds.map(move |seed| Interrupted {
                name: format!("isolation on {medium}, seed {seed}"),
                seed,
                persistence,
            })
        })
        .collect();
    let budget = if deep {
        Budget::thorough()
    } else {
        Budget::quick()
    };
    for report in Explorer::new(budget).explore_all(&scenarios, 2) {
        report.assert_clean();
    }
}

/// Threads run on while the power fails for a copy of what they write to. Commits
/// whose return came before are there, what nobody was told is there or not.
#[test]
fn threads_are_cut_off() {
    let workload = Workload {
        lists: 3,
        sets: 3,
        removals: 0,
        sessions: 4,
        ..workload()
    };
    for seed in 0..6 {
        let config = Config::new(Persistence::Pages).with_capacity(1 << 20);
        let storage = SimulatedStorage::new(config);
        let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
        let lists = Lists::create(graph, workload.lists, workload.sets).expect("made");
        let rest = Rest::Random {
            random: Choices::new(seed),
            percent: 50,
        };
        let is_cut = AtomicBool::new(false);
        let is_done = AtomicBool::new(false);
        let committed = AtomicU64::new(0);
        let elements = AtomicU64::new(1);
        let session = |session: u32| {
            let mut random = Random::new(seed * 100 + u64::from(session));
            let mut told: Vec<Recorded> = Vec::new();
            while !is_done.load(Ordering::SeqCst) {
                let plan = workload.plan(&mut random);
                let began_late = is_cut.load(Ordering::SeqCst);
                let mut recorded =
                    Run::new(&lists, session, &plan, &elements).complete_among_others();
                committed.fetch_add(1, Ordering::SeqCst);
                if began_late {
                    break;
                }
                if is_cut.load(Ordering::SeqCst) {
                    recorded.fate = Fate::Unknown;
                }
                told.push(recorded);
            }
            told
        };
        let (image, mut transactions) = std::thread::scope(|scope| {
            let session = &session;
            let threads = (0..workload.sessions).map(|number| scope.spawn(move || session(number)));
            let threads: Vec<_> = threads.collect();
            while committed.load(Ordering::SeqCst) < 40 + seed * 17 {
                std::thread::yield_now();
            }
            is_cut.store(true, Ordering::SeqCst);
            let image = storage.crash(&[], rest);
            is_done.store(true, Ordering::SeqCst);
            let ended = threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"));
            (image, ended.flatten().collect::<Vec<Recorded>>())
        });
        let (graph, _) = PropertyGraph::open(&image, OpenOptions::default()).expect("opened");
        let after = Lists::find(graph).expect("readable");
        let reads = (0..workload.lists)
            .map(Step::Read)
            .chain((0..workload.sets).map(Step::Scan));
        let all = Plan::new(Isolation::Snapshot, &reads.collect::<Vec<_>>());
        let last = Run::new(&after, 1_000_000, &all, &AtomicU64::new(0)).complete();
        // Of what nobody was told, that which is there counts.
        let there = seen(&last);
        transactions.retain(|transaction| {
            transaction.fate != Fate::Unknown || wrote(transaction).any(|e| there.contains(&e))
        });
        transactions.push(last);
        let report = check(&History { transactions });
        assert!(report.keeps(Isolation::Snapshot), "seed {seed}: {report}");
        let report = after.graph.check();
        assert!(
            report.problems.is_empty(),
            "seed {seed}: {:?}",
            report.problems
        );
    }
}

fn seen(transaction: &Recorded) -> Vec<Element> {
    let operations = transaction.operations.iter();
    let seen = operations.filter_map(|operation| match operation {
        Operation::Read(_, elements) | Operation::Scan(_, elements) => Some(elements),
        _ => None,
    });
    seen.flatten().copied().collect()
}

fn wrote(transaction: &Recorded) -> impl Iterator<Item = Element> {
    let operations = transaction.operations.iter();
    operations.filter_map(|operation| match operation {
        Operation::Append(_, element) | Operation::Insert(_, element) => Some(*element),
        _ => None,
    })
}
