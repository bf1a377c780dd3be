//! Errors of opening, reading and extending a pool.

use crate::medium::MediumError;

/// Failures of the pool, the log and the regions.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The medium refused.
    #[error(transparent)]
    Medium(#[from] MediumError),
    /// Stored bytes are not what was written.
    #[error(
        "{file}: damaged at offset {offset}: {what} (nothing was changed; `evergraph check` lists all that is damaged)"
    )]
    Damaged {
        /// File of the database.
        file: String,
        /// Byte offset in it.
        offset: u64,
        /// The statement that does not hold.
        what: String,
    },
    /// The directory holds no pool header.
    #[error("not an Evergraph database: {0}")]
    NotADatabase(String),
    /// Creating over something that exists.
    #[error("a database exists already: {0}")]
    Exists(String),
    /// The format is newer than this program.
    #[error(
        "format {found} is newer than this program reads ({newest}); open it with a newer Evergraph"
    )]
    NewerFormat {
        /// Stored version.
        found: u32,
        /// Newest that this build knows.
        newest: u32,
    },
    /// The database is open for writing already.
    #[error("the database is open for writing {}; close it there first", holder(*pid))]
    Locked {
        /// The process, 0 if unknown.
        pid: u32,
    },
    /// The database is open for reading, and was to be opened for writing.
    #[error("the database is being read by another process or handle; wait until it has ended")]
    BeingRead,
    /// A reader beside a writer did not come to its end: roots and log were replaced
    /// faster than they could be read.
    #[error("another process writes the database faster than it can be opened; try again")]
    Overtaken,
    /// Lists have outgrown what their layout can say.
    #[error("{0}")]
    TooLarge(String),
    /// A round of a store extension failed half way: only the next opening knows which
    /// of its extents a root names.
    #[error("the checkpoint before has not ended; close the database and open it again")]
    UnendedCheckpoint,
    /// No room in the log until a checkpoint frees some.
    #[error("the commit log is full until a checkpoint frees space")]
    LogFull,
}

impl StorageError {
    /// Shorthand for [`StorageError::Damaged`].
    pub fn damaged(file: &str, offset: u64, what: impl Into<String>) -> Self {
        StorageError::Damaged {
            file: file.to_string(),
            offset,
            what: what.into(),
        }
    }
}

/// The process that has a database open.
fn holder(pid: u32) -> String {
    match pid {
        0 => "in another process".to_string(),
        pid if pid == std::process::id() => {
            format!(
                "in this process (pid {pid}), or a transaction, view, node or result of it is in use"
            )
        }
        pid => format!("in another process (pid {pid})"),
    }
}
