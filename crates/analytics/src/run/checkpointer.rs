//! Keeps the states that a kernel offers, while the kernel goes on.
//!
//! The kernel waits until the state before is durable, then while its own is
//! copied (or, beyond the budget, written), and goes on; a thread of its own writes
//! the copy and switches to it. So at most one state is on its way: a crash loses
//! that one and the steps since.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use evergraph_algorithms::{Checkpoints, SaveFailed, Saved};
use evergraph_graph::Column;
use evergraph_results::{Description, Hot, NewVersion, ResultStore, Staging, StateError, Written};
use evergraph_storage::failpoint;
use parking_lot::Mutex;

use super::placed::{Divided, Placed};

/// See the module.
pub(super) struct Checkpointer<'a> {
    store: &'a ResultStore,
    /// Of all states, but for step and time.
    description: &'a Description,
    every: u64,
    budget: usize,
    hot: &'a Hot,
    saved: Mutex<Option<Saved>>,
    link: Mutex<Link>,
    writer: Mutex<Option<Writer<'a>>>,
}

/// A state on its way.
struct Job {
    version: NewVersion,
    staging: Staging,
    description: Description,
}

/// Outcome of writing a version, with the memory to be used again.
type Done = (Staging, Result<Written, StateError>);

/// The kernel's end.
struct Link {
    /// `None` when no more states will come.
    jobs: Option<Sender<Job>>,
    done: Receiver<Done>,
    /// `None` while a state is on its way.
    staging: Option<Staging>,
    cost: Checkpointing,
}

/// The other end.
pub(super) struct Writer<'a> {
    store: &'a ResultStore,
    jobs: Receiver<Job>,
    done: Sender<Done>,
}

impl Writer<'_> {
    /// Writes states until no more come.
    pub(super) fn write_all(self) {
        for job in self.jobs {
            let Job {
                mut version,
                staging,
                description,
            } = job;
            let written = version.write_staged(&staging).and_then(|()| {
                failpoint!("run.state-written");
                self.store.publish(version, &description)
            });
            failpoint!("run.state-published");
            if self.done.send((staging, written)).is_err() {
                return;
            }
        }
    }
}

impl<'a> Checkpointer<'a> {
    pub(super) fn new(
        (store, description): (&'a ResultStore, &'a Description),
        (every, budget, hot): (u64, usize, &'a Hot),
        saved: Option<Saved>,
    ) -> Self {
        let (jobs, received) = channel();
        let (done, finished) = channel();
        Checkpointer {
            store,
            description,
            every,
            budget,
            hot,
            saved: Mutex::new(saved),
            link: Mutex::new(Link {
                jobs: Some(jobs),
                done: finished,
                staging: Some(Staging::default()),
                cost: Checkpointing::default(),
            }),
            writer: Mutex::new(Some(Writer {
                store,
                jobs: received,
                done,
            })),
        }
    }

    /// The end for the thread that writes; there is one.
    pub(super) fn writer(&self) -> Writer<'a> {
        self.writer.lock().take().expect("asked once")
    }

    /// Lets the writer end when it is dropped, also if the kernel panics: otherwise
    /// joining the writer would never return.
    pub(super) fn ending(&self) -> Ending<'_, 'a> {
        Ending(self)
    }

    /// Waits for the last state, and returns the cost of all. One that could not be
    /// written at the end is no loss: the result is there, or the run failed.
    pub(super) fn end(&self) -> Checkpointing {
        let mut link = self.link.lock();
        // If no state is on its way, there is none to wait for.
        link.jobs = None;
        let _ = link.arrive();
        link.cost
    }

    fn keep(
        &self,
        link: &mut Link,
        step: u64,
        state: &[(&'static str, Column<'_>)],
    ) -> Result<(), StateError> {
        let mut staging = link.arrive()?;
        let version = match self.begin(state, &mut staging) {
            Ok(version) => version,
            Err(error) => {
                link.staging = Some(staging);
                return Err(error);
            }
        };
        let job = Job {
            version,
            staging,
            description: Description {
                step,
                updated_us: now_us(),
                ..self.description.clone()
            },
        };
        let jobs = link.jobs.as_ref().expect("open while the kernel runs");
        jobs.send(job).map_err(|_| StateError::Broken)
    }

    /// Stages a state, and writes the part that has no space.
    fn begin(
        &self,
        state: &[(&'static str, Column<'_>)],
        staging: &mut Staging,
    ) -> Result<NewVersion, StateError> {
        let mut version = self.store.begin(&self.description.name, state)?;
        version.stage(state, (self.budget, self.hot), staging);
        version.write_rest(state, staging)?;
        version.make_durable()?;
        Ok(version)
    }
}

/// See [`Checkpointer::ending`].
pub(super) struct Ending<'c, 'a>(&'c Checkpointer<'a>);

impl Drop for Ending<'_, '_> {
    fn drop(&mut self) {
        self.0.link.lock().jobs = None;
    }
}

impl Link {
    /// Waits until no state is on its way; takes the memory for the next.
    fn arrive(&mut self) -> Result<Staging, StateError> {
        if let Some(staging) = self.staging.take() {
            return Ok(staging);
        }
        let (staging, written) = self.done.recv().map_err(|_| StateError::Broken)?;
        match written {
            Ok(written) => {
                self.cost.kept += 1;
                self.cost.bytes_written += written.bytes_written;
                self.cost.blocks_written += written.blocks_written;
                self.cost.blocks_shared += written.blocks_shared;
                Ok(staging)
            }
            Err(error) => {
                self.staging = Some(staging);
                Err(error)
            }
        }
    }
}

impl Checkpoints for Checkpointer<'_> {
    fn is_due(&self, step: u64) -> bool {
        step.is_multiple_of(self.every)
    }

    fn save(&self, step: u64, state: &[(&'static str, Column<'_>)]) -> Result<(), SaveFailed> {
        let started = Instant::now();
        let mut link = self.link.lock();
        let kept = self.keep(&mut link, step, state);
        link.cost.waited_seconds += started.elapsed().as_secs_f64();
        kept.map_err(|error| SaveFailed(error.to_string()))
    }

    fn take_saved(&self) -> Option<Saved> {
        self.saved.lock().take()
    }
}

/// Cost of storing states, and the step at which the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Checkpointing {
    /// The step that the run went on from; 0 if it began anew.
    pub resumed_step: u64,
    /// States that were kept.
    pub kept: u64,
    /// Bytes of blocks that were written.
    pub bytes_written: u64,
    /// Blocks that were written.
    pub blocks_written: u64,
    /// Blocks that were as in the state before.
    pub blocks_shared: u64,
    /// Seconds that the run waited for its state to be copied or written.
    pub waited_seconds: f64,
    /// Vertices whose state was in DRAM first, if there was not space for all.
    pub placed: Option<Placed>,
    /// How the memory was divided, if that was to be decided.
    pub divided: Option<Divided>,
}

pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_micros() as i64)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use evergraph_graph::StoredLists;
    use evergraph_results::GraphIdentity;
    use evergraph_simulated::{
        Config, FaultKind, FaultPlan, Persistence, PlannedFailure, SimulatedStorage,
    };

    use super::*;

    /// After a state that could not be written, whether it waited in DRAM or not,
    /// the run ends, and the state before stays.
    #[test]
    fn a_state_that_has_no_room_ends_the_run() {
        for budget in [0, usize::MAX] {
            let storage =
                SimulatedStorage::new(Config::new(Persistence::Pages).with_capacity(4 << 20));
            let store = ResultStore::open(Arc::new(storage.clone()), [7; 16], false).unwrap();
            let description = Description {
                name: "a".to_string(),
                algorithm: "test".to_string(),
                parameters: Vec::new(),
                graph: GraphIdentity {
                    csn: 1,
                    vertex_count: 3,
                    arc_count: 0,
                    direction: StoredLists::Out,
                    weighted: false,
                },
                step: 0,
                finished: false,
                started_us: 0,
                updated_us: 0,
                notes: Vec::new(),
            };
            let hot = Hot::default();
            let checkpointer = Checkpointer::new((&store, &description), (1, budget, &hot), None);
            assert!((1..4).all(|step| checkpointer.is_due(step)));
            let save = |step: u64| {
                let values = [step as f64; 3];
                checkpointer.save(step, &[("value", Column::F64(&values))])
            };
            let cost = std::thread::scope(|scope| {
                let writer = checkpointer.writer();
                scope.spawn(move || writer.write_all());
                let _ending = checkpointer.ending();
                save(1).unwrap();
                // Until the first one is durable.
                let arrived = checkpointer.link.lock().arrive().unwrap();
                checkpointer.link.lock().staging = Some(arrived);
                storage.plan(FaultPlan {
                    fail_write: Some(PlannedFailure {
                        call: storage.calls().writes,
                        kind: FaultKind::NoSpace,
                        sticky: true,
                    }),
                    ..FaultPlan::default()
                });
                let failed = save(2).is_err() || save(3).is_err();
                assert!(failed, "there was room");
                checkpointer.end()
            });
            assert_eq!(cost.kept, 1);
            assert_eq!(store.get("a").unwrap().description().step, 1);
        }
    }
}
