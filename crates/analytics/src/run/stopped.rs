//! Errors of runs that ended early, in the user's words.

use evergraph_algorithms::{Cancelled, RunError};
use evergraph_graph::Bytes;

use crate::{Error, Session};

/// The error of a kernel in the user's words.
pub(crate) fn stopped(session: &Session, error: RunError) -> Error {
    stopped_by(|vertex| session.vertex_name(vertex), error)
}

/// As [`stopped`], of a graph whose vertices are called otherwise.
pub(super) fn stopped_by(name: impl Fn(u32) -> String, error: RunError) -> Error {
    match error {
        RunError::Cancelled(why) => cancelled(why),
        RunError::InvalidWeight {
            from,
            to,
            weight,
            expected,
        } => Error::usage(
            format!(
                "the edge from {} to {} has weight {weight}",
                name(from),
                name(to)
            ),
            format!("this algorithm takes weights that are {expected}"),
        ),
        other => Error::Run(other),
    }
}

/// The error of work that was ended from outside.
pub(super) fn cancelled(why: Cancelled) -> Error {
    let interrupted = |message: &str| Error::Interrupted {
        message: message.to_string(),
        hint: "nothing was changed; run it again".to_string(),
    };
    match why {
        Cancelled::Requested => interrupted("the run ended before its result"),
        Cancelled::DeadlinePassed => interrupted("the run passed its deadline"),
        Cancelled::MemoryLimit { needed, limit } => Error::usage(
            format!(
                "the run needs {} of memory; the limit is {}",
                Bytes(needed),
                Bytes(limit)
            ),
            "raise the limit, or use fewer threads",
        ),
        Cancelled::OutOfMemory { bytes } => Error::usage(
            format!(
                "the run needs {} of memory, more than the system has",
                Bytes(bytes)
            ),
            "free memory, or use fewer threads",
        ),
    }
}
