//! Random transactions on few objects, so that they meet.

use std::sync::atomic::AtomicU64;

use evergraph_storage::failpoint;

use crate::anomaly::Level;
use crate::history::{History, Key, Recorded};
use crate::run::{Run, read_all};
use crate::subject::{Plan, Step, Subject};

/// The shape of a workload.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Number of lists.
    pub lists: Key,
    /// Number of sets.
    pub sets: Key,
    /// Transactions at the same time.
    pub sessions: u32,
    /// Transactions of each session.
    pub transactions: u32,
    /// Steps of a transaction, at most; at least one.
    pub steps: u32,
    /// Level of all of them; `None` draws one for each.
    pub level: Option<Level>,
    /// Out of 100 transactions, those that roll back.
    pub aborts: u32,
    /// Out of 100 steps, those that remove from a set.
    pub removals: u32,
}

impl Default for Workload {
    fn default() -> Self {
        Workload {
            lists: 4,
            sets: 4,
            sessions: 5,
            transactions: 20,
            steps: 5,
            level: None,
            aborts: 10,
            removals: 8,
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): enough to choose steps.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number below `limit`, which is not zero.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % u64::from(limit.max(1))) as u32
    }
}

impl Workload {
    /// A random plan.
    pub fn plan(&self, random: &mut Random) -> Plan {
        let steps = 1 + random.below(self.steps);
        let drawn = [Level::Snapshot, Level::Serializable][random.below(2) as usize];
        Plan {
            level: self.level.unwrap_or(drawn),
            steps: (0..steps).map(|_| self.step(random)).collect(),
            aborts: random.below(100) < self.aborts,
        }
    }

    fn step(&self, random: &mut Random) -> Step {
        let object = random.below(self.lists + self.sets);
        let writes = random.below(2) == 0;
        if object < self.lists {
            return if writes {
                Step::Append(object)
            } else {
                Step::Read(object)
            };
        }
        let set = object - self.lists;
        if random.below(100) < self.removals {
            Step::RemoveFirst(set)
        } else if writes {
            Step::Insert(set)
        } else {
            Step::Scan(set)
        }
    }

    /// Runs it on one thread, in an order that the seed decides, and reads all
    /// in the end.
    pub fn interleaved<T: Subject>(&self, subject: &T, seed: u64) -> History {
        let mut random = Random::new(seed);
        let elements = AtomicU64::new(1);
        let plans: Vec<Vec<Plan>> = (0..self.sessions)
            .map(|_| {
                (0..self.transactions)
                    .map(|_| self.plan(&mut random))
                    .collect()
            })
            .collect();
        let run = |session: usize, at: usize| {
            let plan = plans[session].get(at)?;
            Some(Run::new(subject, session as u32, plan, &elements))
        };
        let mut open: Vec<(usize, Run<'_, T>)> = (0..plans.len())
            .filter_map(|session| Some((0, run(session, 0)?)))
            .collect();
        let mut sessions: Vec<usize> = (0..open.len()).collect();
        let mut transactions = Vec::new();
        while !sessions.is_empty() {
            let turn = random.below(sessions.len() as u32) as usize;
            let session = sessions[turn];
            let (at, current) = &mut open[session];
            current.advance();
            if !current.is_over() {
                continue;
            }
            *at += 1;
            match run(session, *at) {
                Some(next) => {
                    let over = std::mem::replace(current, next);
                    transactions.push(over.complete());
                }
                None => drop(sessions.swap_remove(turn)),
            }
        }
        transactions.extend(open.into_iter().map(|(_, last)| last.complete()));
        self.close(subject, transactions)
    }

    /// Runs it with a thread for each session, and reads all in the end. The threads have
    /// the failpoints of the caller.
    pub fn threaded<T: Subject>(&self, subject: &T, seed: u64) -> History {
        let elements = AtomicU64::new(1);
        let session = |session: u32| -> Vec<Recorded> {
            let mut random = Random::new(seed ^ (u64::from(session) << 32));
            let plans = (0..self.transactions).map(|_| self.plan(&mut random));
            plans
                .map(|plan| Run::new(subject, session, &plan, &elements).complete_among_others())
                .collect()
        };
        let failpoints = failpoint::scope();
        let transactions = std::thread::scope(|scope| {
            let (session, failpoints) = (&session, &failpoints);
            let threads: Vec<_> = (0..self.sessions)
                .map(|number| {
                    scope.spawn(move || {
                        let _armed = failpoints.enter();
                        session(number)
                    })
                })
                .collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .flat_map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        self.close(subject, transactions)
    }

    fn close<T: Subject>(&self, subject: &T, mut transactions: Vec<Recorded>) -> History {
        transactions.push(read_all(subject, self.sessions, self.lists, self.sets));
        History { transactions }
    }
}
