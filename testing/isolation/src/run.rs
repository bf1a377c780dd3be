//! Runs plans and records them as a history.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::anomaly::Level;
use crate::history::{Element, Fate, History, Key, Operation, Recorded};
use crate::subject::{Plan, Step, Stop, Subject};

/// A transaction that follows a plan, one move at a time.
pub struct Run<'a, T: Subject> {
    subject: &'a T,
    plan: &'a Plan,
    elements: &'a AtomicU64,
    state: State<T>,
    /// The next step of the plan.
    next: usize,
    record: Recorded,
}

enum State<T: Subject> {
    Waiting,
    Open(T::Transaction),
    Pending(T::Pending),
    Over,
}

impl<'a, T: Subject> Run<'a, T> {
    /// A transaction that has not begun. `elements` counts those of the whole
    /// history.
    pub fn new(subject: &'a T, session: u32, plan: &'a Plan, elements: &'a AtomicU64) -> Self {
        Run {
            subject,
            plan,
            elements,
            state: State::Waiting,
            next: 0,
            record: Recorded {
                session,
                snapshot: None,
                operations: Vec::new(),
                fate: Fate::Aborted,
            },
        }
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// Whether its next move asks for a commit: from then on its fate is not
    /// known until it has ended.
    pub fn is_about_to_commit(&self) -> bool {
        let is_open = matches!(self.state, State::Open(_));
        is_open && self.next == self.plan.steps.len() && !self.plan.aborts
    }

    /// Its record up to now; aborted, unless the subject said otherwise.
    pub fn recorded(&self) -> &Recorded {
        &self.record
    }

    /// Makes one move; none if it has ended.
    pub fn advance(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Over) {
            State::Waiting => {
                let transaction = self.subject.begin(self.plan.level);
                self.record.snapshot = self.subject.snapshot(&transaction);
                State::Open(transaction)
            }
            State::Open(transaction) => self.step(transaction),
            State::Pending(pending) => {
                self.record(self.subject.finish(pending).map(Fate::Committed));
                State::Over
            }
            State::Over => State::Over,
        };
    }

    /// Makes all moves that are left.
    pub fn complete(mut self) -> Recorded {
        while !self.is_over() {
            self.advance();
        }
        self.record
    }

    /// As [`Run::complete`], and lets other threads run between the moves: without
    /// that, transactions that are shorter than a slice of time never meet.
    pub fn complete_among_others(mut self) -> Recorded {
        while !self.is_over() {
            self.advance();
            std::thread::yield_now();
        }
        self.record
    }

    fn step(&mut self, mut transaction: T::Transaction) -> State<T> {
        let Some(step) = self.plan.steps.get(self.next) else {
            return self.end(transaction);
        };
        self.next += 1;
        match self.perform(&mut transaction, *step) {
            Ok(()) => State::Open(transaction),
            Err(stop) => {
                self.record(Err(stop));
                State::Over
            }
        }
    }

    fn end(&mut self, transaction: T::Transaction) -> State<T> {
        if self.plan.aborts {
            return State::Over;
        }
        match self.subject.enqueue(transaction) {
            Ok(pending) => {
                self.record.fate = Fate::Unknown;
                State::Pending(pending)
            }
            Err(stop) => {
                self.record(Err(stop));
                State::Over
            }
        }
    }

    fn record(&mut self, outcome: Result<Fate, Stop>) {
        self.record.fate = match outcome {
            Ok(fate) => fate,
            Err(Stop::Aborted) => Fate::Aborted,
            Err(Stop::Unknown) => Fate::Unknown,
        };
    }

    fn perform(&mut self, transaction: &mut T::Transaction, step: Step) -> Result<(), Stop> {
        let fresh: Element = self.elements.fetch_add(1, Ordering::Relaxed);
        let subject = self.subject;
        let operation = match step {
            Step::Append(list) => {
                subject.append(transaction, list, fresh)?;
                Operation::Append(list, fresh)
            }
            Step::Insert(set) => {
                subject.insert(transaction, set, fresh)?;
                Operation::Insert(set, fresh)
            }
            Step::Read(list) => Operation::Read(list, subject.read(transaction, list)?),
            Step::Scan(set) => Operation::Scan(set, subject.scan(transaction, set)?),
            Step::RemoveFirst(set) => {
                let seen = subject.scan(transaction, set)?;
                let first = seen.iter().min().copied();
                self.record.operations.push(Operation::Scan(set, seen));
                let Some(first) = first else {
                    return Ok(());
                };
                subject.remove(transaction, set, first)?;
                Operation::Remove(set, first)
            }
        };
        self.record.operations.push(operation);
        Ok(())
    }
}

/// Runs plans on one thread: the `i`-th move is made by the plan that
/// `schedule[i]` names, each of a session of its own. What is left then is done
/// plan by plan, and a last transaction reads lists `0..lists` and sets
/// `0..sets`.
pub fn interleave<T: Subject>(
    subject: &T,
    plans: &[Plan],
    schedule: &[usize],
    lists: Key,
    sets: Key,
) -> History {
    let elements = AtomicU64::new(1);
    let new = |(session, plan)| Run::new(subject, session as u32, plan, &elements);
    let mut runs: Vec<Run<'_, T>> = plans.iter().enumerate().map(new).collect();
    for &turn in schedule {
        runs[turn].advance();
    }
    let mut transactions: Vec<Recorded> = runs.into_iter().map(Run::complete).collect();
    let session = plans.len() as u32;
    transactions.push(read_all(subject, session, lists, sets));
    History { transactions }
}

/// A transaction that reads everything.
pub(crate) fn read_all<T: Subject>(subject: &T, session: u32, lists: Key, sets: Key) -> Recorded {
    let reads = (0..lists).map(Step::Read).chain((0..sets).map(Step::Scan));
    let plan = Plan::new(Level::Snapshot, &reads.collect::<Vec<_>>());
    Run::new(subject, session, &plan, &AtomicU64::new(0)).complete()
}
