//! The power fails while transactions are open and on their way: what was seen
//! before the cut and after it has to be one history.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use evergraph_isolation::workload::{Random, Workload};
use evergraph_isolation::{
    Element, Fate, History, Level, Operation, Plan, Recorded, Run, Step, check,
};
use evergraph_property_graph::graph::{GraphError, OpenOptions, PropertyGraph};
use evergraph_simulated::{
    Access, Budget, Config, Persistence, Random as Choices, Rest, Scenario, SimulatedStorage,
    Suite, Told,
};

use super::subject::{Lists, options};

const LISTS: u32 = 2;
const SETS: u32 = 3;

/// Transactions known when the power fails.
#[derive(Clone, Debug, Default)]
struct Seen {
    transactions: Vec<Recorded>,
    /// Runs of transactions that were begun.
    runs: u64,
}

impl Hash for Seen {
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
    Plan::new(Level::Snapshot, &reads.collect::<Vec<_>>())
}

impl Interrupted {
    /// Runs one transaction of each of three sessions, move by move; an error if a commit
    /// gets no answer.
    fn run_some(&self, lists: &Lists, told: &mut Told<'_, '_, Seen>) -> Result<(), String> {
        let number = told.model().runs;
        told.update(|seen| seen.runs += 1);
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
                told.update(|seen| seen.transactions.push(unknown));
                while !run.is_over() {
                    run.advance();
                }
                let recorded = run.recorded().clone();
                if recorded.fate == Fate::Unknown {
                    return Err("a commit got no answer".to_string());
                }
                told.update(|seen| {
                    seen.transactions.pop();
                    seen.transactions.push(recorded);
                });
            } else {
                run.advance();
                if run.is_over() {
                    let recorded = run.recorded().clone();
                    told.update(|seen| seen.transactions.push(recorded));
                }
            }
            if run.is_over() {
                drop(runs.swap_remove(turn));
            }
        }
        Ok(())
    }

    /// Holds what is there against what was seen.
    fn verify(&self, lists: &Lists, seen: &Seen) -> Result<Seen, String> {
        let session = seen.runs as u32 * 3 + 1_000_000;
        let last = Run::new(lists, session, &everything(), &AtomicU64::new(0)).complete();
        let mut history = History {
            transactions: seen.transactions.clone(),
        };
        // A later cut must not take back what was found.
        history.transactions.push(last);
        let report = check(&history);
        match report.keeps(Level::Snapshot) {
            true => Ok(Seen {
                transactions: history.transactions,
                ..*seen
            }),
            false => Err(format!("{report}{history:#?}")),
        }
    }
}

impl Scenario for Interrupted {
    type Model = Seen;
    type Opened = Lists;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> Config {
        Config::new(self.persistence).with_capacity(1 << 18)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Lists, String> {
        let text = |error: GraphError| error.to_string();
        let graph = PropertyGraph::create(storage, options(), [7; 16]).map_err(text)?;
        Lists::create(graph, LISTS, SETS).map_err(text)
    }

    /// `None` as long as the lists are not there.
    fn open(
        &self,
        storage: &SimulatedStorage,
        _: Access,
        _: &Seen,
    ) -> Result<Option<Lists>, String> {
        let text = |error: GraphError| error.to_string();
        let (graph, _) = match PropertyGraph::open(storage, OpenOptions::default()) {
            Ok(opened) => opened,
            Err(error) if is_nothing(&error) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let lists = Lists::find(graph).map_err(text)?;
        Ok((!lists.is_empty()).then_some(lists))
    }

    /// The transactions verified here are those of writers.
    fn is_readable(&self) -> bool {
        false
    }

    /// A creation is a commit behind the graph's own.
    fn is_created_again(&self) -> bool {
        false
    }

    fn perform(
        &self,
        _: &SimulatedStorage,
        lists: Lists,
        told: &mut Told<'_, '_, Seen>,
    ) -> Result<Lists, String> {
        self.run_some(&lists, told)?;
        if told.model().runs.is_multiple_of(2) {
            let written = lists.graph.checkpoint();
            written.map_err(|error| error.to_string())?;
        }
        Ok(lists)
    }

    fn is_over(&self, seen: &Seen) -> bool {
        seen.runs >= 4
    }

    fn compare(&self, lists: &Lists, expected: &Seen) -> Result<Seen, String> {
        self.verify(lists, expected)
    }

    fn afterlife(&self, _: &Seen) -> usize {
        1
    }
}

fn is_nothing(error: &GraphError) -> bool {
    use evergraph_storage::StorageError;
    use evergraph_topology::TopologyError;
    matches!(
        error,
        GraphError::Topology(TopologyError::Storage(StorageError::NotADatabase(_)))
    )
}

fn suite() -> Suite<Interrupted> {
    Suite {
        name: "isolation",
        scripted: Vec::new,
        of_seed: |seed, _| {
            let of_medium = |persistence: Persistence| Interrupted {
                name: format!("isolation-{}", persistence.name()),
                seed,
                persistence,
            };
            Persistence::ALL.map(of_medium).into()
        },
        seeds: 40,
        drawn: 2,
        fixed: &[],
        short: Budget {
            exhaustive: [60, 0, 0],
            sampled: [60, 0, 0],
            ..Budget::quick()
        },
        ends: 2,
        mutants: Vec::new(),
        killers: String::new(),
    }
}

#[test]
fn one_history_before_and_after_a_cut() {
    suite().cuts();
}

#[test]
fn one_history_before_and_after_the_end_of_a_process() {
    suite().ends();
}

/// Threads run on while the power fails for a copy of what they write to. Commits that
/// had returned are there; commits that had not may be there or not.
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
        let all = Plan::new(Level::Snapshot, &reads.collect::<Vec<_>>());
        let last = Run::new(&after, 1_000_000, &all, &AtomicU64::new(0)).complete();
        // A commit that had not returned counts if it is there.
        let there = seen(&last);
        transactions.retain(|transaction| {
            transaction.fate != Fate::Unknown || wrote(transaction).any(|e| there.contains(&e))
        });
        transactions.push(last);
        let report = check(&History { transactions });
        assert!(report.keeps(Level::Snapshot), "seed {seed}: {report}");
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
