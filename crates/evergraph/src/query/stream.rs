//! Rows by a thread that is a little ahead.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use std::vec;

use evergraph_interpreter::{Cancellation, Datum, Limits, Query, QueryError, Summary};
use evergraph_property_graph::graph::View;

use super::error::Error;
use super::statement::Statement;

/// Rows that are sent together, at most; the first ones sooner.
const TOGETHER: usize = 1024;
/// Parcels of rows that wait for the caller, at most.
const WAITING: usize = 2;

type Parcel = Vec<Vec<Datum>>;

/// Rows of a query that another thread runs.
pub(super) struct Streamed {
    pub(super) view: View,
    text: String,
    parcel: vec::IntoIter<Vec<Datum>>,
    /// `None` once the thread has ended.
    running: Option<Running>,
}

struct Running {
    parcels: Receiver<Parcel>,
    thread: JoinHandle<Result<Summary, QueryError>>,
    cancellation: Cancellation,
}

impl Streamed {
    pub(super) fn start(query: &Query, view: View, statement: &Statement) -> Result<Self, Error> {
        let cancellation = statement.limits.cancellation.child();
        let query = query.with_limits(Limits {
            cancellation: cancellation.clone(),
            ..statement.limits.clone()
        });
        let (sender, parcels) = sync_channel(WAITING);
        let parameters = statement.parameters.data().clone();
        let read = view.clone();
        let run = move || {
            let (mut parcel, mut together) = (Parcel::new(), 1);
            let done = query.read_each(&read, &parameters, &mut |row| {
                parcel.push(row);
                if parcel.len() < together {
                    return ControlFlow::Continue(());
                }
                together = (2 * together).min(TOGETHER);
                match sender.send(std::mem::take(&mut parcel)) {
                    Ok(()) => ControlFlow::Continue(()),
                    // The rows have been dropped.
                    Err(_) => ControlFlow::Break(()),
                }
            });
            let _ = sender.send(parcel);
            done
        };
        let builder = std::thread::Builder::new().name("evergraph-query".to_string());
        let thread = builder
            .spawn(run)
            .map_err(|error| crate::Error::io("a thread for the statement", error))?;
        Ok(Streamed {
            view,
            text: statement.text.clone(),
            parcel: Parcel::new().into_iter(),
            running: Some(Running {
                parcels,
                thread,
                cancellation,
            }),
        })
    }

    /// The next row; behind the last one the summary.
    pub(super) fn next(&mut self) -> Option<Result<Vec<Datum>, Ended>> {
        loop {
            if let Some(row) = self.parcel.next() {
                return Some(Ok(row));
            }
            let running = self.running.as_ref()?;
            if let Ok(parcel) = running.parcels.recv() {
                self.parcel = parcel.into_iter();
                continue;
            }
            // The thread has let go of the channel.
            let done = self.running.take()?.thread.join();
            return Some(Err(match done {
                Ok(Ok(summary)) => Ended::Done(summary),
                Ok(Err(error)) => Ended::Failed(Error::of_query(error, &self.text)),
                Err(panic) => std::panic::resume_unwind(panic),
            }));
        }
    }
}

/// How a stream ended.
pub(super) enum Ended {
    Done(Summary),
    Failed(Error),
}

/// Nothing of the statement is left then: its view is given back.
impl Drop for Streamed {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.cancellation.cancel();
            drop(running.parcels);
            // A panic of a run that is not wanted any more.
            let _ = running.thread.join();
        }
    }
}
