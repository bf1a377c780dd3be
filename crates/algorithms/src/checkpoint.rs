//! State that a run leaves at the end of its steps, and a later run goes on from.
//!
//! A kernel that goes in steps (iterations, levels, rounds, sources) asks after
//! each whether its state is wanted, and offers it as columns. Where they go is the
//! caller's business. A run that is given such columns begins behind the step that
//! they are of, and comes to the result of a run that was never cut off: to the
//! bit, where results are deterministic.
//!
//! A step offers little: the state that the next step reads and cannot work out anew.

use evergraph_graph::{Column, ColumnValue, OwnedColumn};
use thiserror::Error;

use crate::{Control, RunError};

/// The state could not be kept; the run ends.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct SaveFailed(pub String);

/// Takes the state of a run, and gives that of an earlier one.
pub trait Checkpoints: Sync {
    /// Whether the state after `step` is wanted. Steps count from 1.
    fn is_due(&self, step: u64) -> bool;

    /// Is offered the state after `step`, by name; copies what it keeps. The run
    /// waits as long as this takes.
    ///
    /// # Errors
    /// Ends the run.
    fn save(&self, step: u64, state: &[(&'static str, Column<'_>)]) -> Result<(), SaveFailed>;

    /// The state to begin with, if there is one. Asked once.
    fn take_saved(&self) -> Option<Saved>;
}

/// The state after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// The step.
    pub step: u64,
    columns: Vec<(String, OwnedColumn)>,
}

impl Saved {
    /// With the columns that were offered.
    pub fn new(step: u64, columns: Vec<(String, OwnedColumn)>) -> Self {
        Self { step, columns }
    }

    /// Takes out a column that must have this type, and `len` values.
    ///
    /// # Errors
    /// [`RunError::WrongState`] if it has not.
    pub fn take<T: ColumnValue>(&mut self, name: &str, len: usize) -> Result<Vec<T>, RunError> {
        let values = self.take_any::<T>(name)?;
        match values.len() == len {
            true => Ok(values),
            false => Err(RunError::WrongState {
                column: name.to_string(),
            }),
        }
    }

    /// As [`Saved::take`], of any length.
    ///
    /// # Errors
    /// [`RunError::WrongState`] if there is no such column of this type.
    pub fn take_any<T: ColumnValue>(&mut self, name: &str) -> Result<Vec<T>, RunError> {
        let found = self.columns.iter().position(|(known, _)| known == name);
        let column = found.map(|at| self.columns.swap_remove(at).1);
        let values = column.and_then(|column| T::values(column).ok());
        values.ok_or_else(|| RunError::WrongState {
            column: name.to_string(),
        })
    }
}

impl Control<'_> {
    /// The state that the run begins with, if it is to go on from one. To be asked once.
    pub fn saved(&self) -> Option<Saved> {
        self.checkpoints?.take_saved()
    }

    /// Offers the state after `step`, if it is wanted. `state` is called then. Steps
    /// count from 1; of a run that goes on, from the step that it was saved after.
    ///
    /// # Errors
    /// If it cannot be kept; the run is to end.
    pub fn offer<'s, const N: usize>(
        &self,
        step: u64,
        state: impl FnOnce() -> [(&'static str, Column<'s>); N],
    ) -> Result<(), RunError> {
        match self.checkpoints {
            Some(checkpoints) if checkpoints.is_due(step) => Ok(checkpoints.save(step, &state())?),
            _ => Ok(()),
        }
    }

    /// Whether [`Control::offer`] would take the state after `step`: for what has
    /// to be put together first.
    pub fn wants(&self, step: u64) -> bool {
        self.checkpoints
            .is_some_and(|checkpoints| checkpoints.is_due(step))
    }
}
