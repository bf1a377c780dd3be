//! Batches of rows on their way into the graph: while one load is committed by a thread of
//! its own, the next is gathered.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use evergraph_analytics::threads::start;
use evergraph_io::interchange::RowBatch;

use super::batches::{Gathered, PlacedBatch, gather};
use super::drafting::{Draft, Made, Rules};
use super::ids::NodeIds;
use super::position::{Place, Position};
use super::transaction::Retryable;
use super::writing::is_of_rows;
use super::{Load, PropertyGraph};
use crate::Error;

/// Batches that wait for their commit, and those that are being committed.
pub(super) struct Loads<'g> {
    graph: &'g PropertyGraph,
    commits: SyncSender<Load<'g>>,
    outcomes: Receiver<Made<()>>,
    in_flight: Option<Gathered<'g>>,
    waiting: Vec<PlacedBatch>,
    /// How many rows wait, and with how many they are committed.
    rows: usize,
    wanted: usize,
}

/// What became of batches.
pub(super) enum Loaded {
    /// They are committed.
    Committed(Box<Draft<'static>>),
    /// Nothing of them is in the graph: each row has to be looked at.
    Refused(Vec<PlacedBatch>),
}

impl<'g> Loads<'g> {
    /// Starts the thread that commits.
    ///
    /// # Errors
    /// If the system starts no more threads.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        graph: &'g PropertyGraph,
    ) -> Result<Self, Error>
    where
        'g: 'scope,
    {
        let (commits, loads) = sync_channel::<Load<'g>>(1);
        let (committed, outcomes) = sync_channel(1);
        start(scope, move || {
            for load in loads {
                if committed.send(load.commit().map(drop)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Loads {
            graph,
            commits,
            outcomes,
            in_flight: None,
            waiting: Vec::new(),
            rows: 0,
            wanted: 0,
        })
    }

    /// Whether no batch waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Says with how many rows the batches that come are committed.
    pub fn want(&mut self, rows: usize) {
        self.wanted = rows;
    }

    /// Takes the first rows of a batch, as many as the next commit wants, from a place on.
    pub fn take(&mut self, batch: &mut RowBatch, place: Place) -> usize {
        let left = self.wanted - self.rows;
        let rest = batch.split_off(left.min(batch.len()));
        let batch = std::mem::replace(batch, rest);
        let taken = batch.len();
        self.rows += taken;
        self.waiting.push(PlacedBatch { batch, place });
        taken
    }

    /// Whether as many rows wait as the next commit wants.
    pub fn is_full(&self) -> bool {
        self.rows >= self.wanted
    }

    /// Takes the batches that wait.
    pub fn take_waiting(&mut self) -> Vec<PlacedBatch> {
        self.rows = 0;
        std::mem::take(&mut self.waiting)
    }

    /// Makes a load of the batches that wait, which go behind `position` or behind the load
    /// that is being committed. `Err` with the batches, if they are not for that.
    pub fn gather(
        &mut self,
        ids: &mut NodeIds,
        rules: &Rules,
        position: &Position,
    ) -> Made<Result<Gathered<'g>, Vec<PlacedBatch>>> {
        let position = match &self.in_flight {
            Some(before) => &before.draft.position,
            None => position,
        };
        let position = position.clone();
        let batches = self.take_waiting();
        gather(self.graph, ids, rules, &position, batches)
    }

    /// Commits a load; nothing else may be in flight.
    ///
    /// # Errors
    /// If the thread has ended.
    pub fn send(&mut self, mut gathered: Gathered<'g>) -> Result<(), Error> {
        debug_assert!(self.in_flight.is_none(), "one load at a time");
        if let Some(load) = gathered.load.take() {
            self.commits.send(load).map_err(|_| ended())?;
        }
        self.in_flight = Some(gathered);
        Ok(())
    }

    /// Waits for the load that is being committed, if there is one. Ids that it gave are
    /// taken back if it is refused.
    ///
    /// # Errors
    /// Errors of the medium; if the thread has ended.
    pub fn finish(&mut self, ids: &mut NodeIds) -> Result<Option<Loaded>, Error> {
        let Some(gathered) = self.in_flight.take() else {
            return Ok(None);
        };
        match self.outcomes.recv().map_err(|_| ended())? {
            Ok(()) => Ok(Some(Loaded::Committed(Box::new(gathered.draft)))),
            Err(error) => {
                let batches = gathered.withdraw(ids);
                match error.is_retryable() || is_of_rows(&error) {
                    true => Ok(Some(Loaded::Refused(batches))),
                    false => Err(error.into()),
                }
            }
        }
    }
}

/// The thread has panicked, which ends this one as well.
fn ended() -> Error {
    Error::Io {
        path: "import".to_string(),
        source: std::io::Error::other("the thread that commits has given up"),
    }
}
