//! One error for the person who must act.

#[cfg(any(feature = "fulltext", feature = "vector"))]
mod search;

use std::io::ErrorKind;

use evergraph_algorithms::RunError;
use evergraph_io::formats::FormatError;
use evergraph_io::interchange::InterchangeError;
use evergraph_property_graph::graph::GraphError;
use evergraph_property_graph::transaction::Retryable;
use evergraph_storage::{MediumError, StorageError};
use evergraph_topology::TopologyError;

/// Whatever can go wrong with a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Storing, reading or recovering.
    #[error(transparent)]
    Store(#[from] TopologyError),
    /// Reading or writing a file of edges.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Running an algorithm.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A transaction of a property graph, a value, a constraint.
    #[error(transparent)]
    Graph(GraphError),
    /// Reading or writing a file of a property graph.
    #[error(transparent)]
    Interchange(#[from] InterchangeError),
    /// A file outside the database.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Something was asked for that cannot be, as things stand.
    #[error("{message} ({hint})")]
    Usage {
        /// Problem.
        message: String,
        /// Advice for the user.
        hint: String,
    },
    /// An argument that never makes sense: an unknown name, a value outside
    /// its range.
    #[error("{message} ({hint})")]
    Argument {
        /// Problem.
        message: String,
        /// Advice for the user.
        hint: String,
    },
    /// The user or a deadline stopped it; committed changes stay.
    #[error("interrupted: {message} ({hint})")]
    Interrupted {
        /// Progress until then.
        message: String,
        /// How to go on.
        hint: String,
    },
}

impl Error {
    /// Whether doing the same again can succeed without further ado.
    pub fn is_retryable(&self) -> bool {
        match self {
            Error::Graph(error) => error.conflict().is_some(),
            _ => matches!(
                self,
                Error::Store(TopologyError::Storage(
                    StorageError::Locked { .. }
                        | StorageError::BeingRead
                        | StorageError::Overtaken
                        | StorageError::LogFull
                ))
            ),
        }
    }

    /// The problem, on one line, without the advice.
    pub fn summary(&self) -> String {
        match self {
            Error::Format(error) => error.summary(),
            Error::Usage { message, .. } | Error::Argument { message, .. } => message.clone(),
            Error::Interrupted { message, .. } => format!("interrupted: {message}"),
            Error::Graph(_) | Error::Interchange(_) => self.to_string(),
            Error::Store(_) | Error::Run(_) | Error::Io { .. } => split(&self.to_string()).0,
        }
    }

    /// Advice for the user, on one line.
    pub fn hint(&self) -> String {
        match self {
            Error::Format(error) => error.hint(),
            Error::Usage { hint, .. }
            | Error::Argument { hint, .. }
            | Error::Interrupted { hint, .. } => hint.clone(),
            Error::Graph(_) | Error::Interchange(_) => self.usual_hint().to_string(),
            Error::Store(_) | Error::Run(_) | Error::Io { .. } => {
                let said = split(&self.to_string()).1;
                said.unwrap_or_else(|| self.usual_hint().to_string())
            }
        }
    }

    /// Hint for messages without one.
    fn usual_hint(&self) -> &'static str {
        match self {
            Error::Store(TopologyError::Storage(StorageError::NotADatabase(_))) => {
                "check the path, or make a database with `evergraph import`"
            }
            Error::Store(TopologyError::Storage(StorageError::Medium(
                MediumError::NotByteAddressed,
            ))) => {
                "--medium dax (with --assume-persistent where a directory has no MAP_SYNC) or \
                 dram; on files leave out --mode direct"
            }
            Error::Store(TopologyError::BadSnapshotName { .. }) => "choose another name",
            Error::Store(TopologyError::Weights(_)) => {
                "whether edges have weights is chosen when a database is made, by --weighted"
            }
            Error::Io { .. } => "check the path, its permissions and the space on the disk",
            Error::Store(_) if self.is_denied() => {
                "check who may write the files; to read, a statement needs no permission to write"
            }
            Error::Store(_) if self.is_beyond_limits() => {
                "allow the process more (ulimit -n for open files, ulimit -v for address space)"
            }
            Error::Run(_) => "see `evergraph run --list` for the parameters",
            Error::Graph(error) if error.conflict().is_some() => "try the transaction again",
            Error::Graph(GraphError::UnknownDefinition(_)) => {
                "`evergraph index DB list` and `SHOW INDEXES`, `SHOW CONSTRAINTS` tell what there is"
            }
            Error::Graph(GraphError::DefinitionExists(_)) => {
                "choose another name, or write IF NOT EXISTS"
            }
            Error::Graph(_) => "nothing of the transaction is in the graph",
            Error::Interchange(InterchangeError::Unwritable { .. }) => {
                "export with --format jsonl, or leave it out with --labels or --types"
            }
            Error::Interchange(InterchangeError::Mapping(_)) => {
                "docs/property-files.md describes mappings of tables"
            }
            Error::Interchange(InterchangeError::Unreadable(_)) => {
                "repair the file, or what flags say of it: --skip-bad leaves out rows alone"
            }
            Error::Interchange(_) => "repair the file, or leave bad rows out with --skip-bad N",
            _ => "`evergraph check` tells whether the database is sound",
        }
    }

    /// Whether the system does not let this process write a file of the database.
    pub fn is_denied(&self) -> bool {
        let denials = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
        matches!(self.of_medium(), Some(MediumError::Io { source, .. })
            if denials.contains(&source.kind()))
    }

    /// Whether the disk has no room; the database goes on.
    pub fn is_full(&self) -> bool {
        matches!(self.of_medium(), Some(MediumError::NoSpace { .. }))
    }

    /// Whether the process has all the open files or memory that the system gives it.
    fn is_beyond_limits(&self) -> bool {
        const ENOMEM: i32 = 12;
        const ENFILE: i32 = 23;
        const EMFILE: i32 = 24;
        matches!(self.of_medium(), Some(MediumError::Io { source, .. })
            if matches!(source.raw_os_error(), Some(ENOMEM | ENFILE | EMFILE)))
    }

    /// The error of a file of the database.
    fn of_medium(&self) -> Option<&MediumError> {
        match self {
            Error::Store(error) => match error.cause() {
                TopologyError::Storage(StorageError::Medium(error)) => Some(error),
                _ => None,
            },
            _ => None,
        }
    }

    /// A usage error.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// An argument error.
    pub fn argument(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Argument {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// A failed operation on a file outside the database.
    pub fn io(path: impl Into<String>, source: std::io::Error) -> Self {
        Error::Io {
            path: path.into(),
            source,
        }
    }
}

/// Splits `what (what to do)` or `what; what to do`.
pub(crate) fn split(text: &str) -> (String, Option<String>) {
    let in_brackets = text.strip_suffix(')').and_then(|t| t.rsplit_once(" ("));
    match in_brackets.or_else(|| text.rsplit_once("; ")) {
        // A system's error ends with its number in brackets.
        Some((what, hint)) if !hint.starts_with("os error") => {
            (what.to_string(), Some(hint.to_string()))
        }
        _ => (text.to_string(), None),
    }
}

impl From<StorageError> for Error {
    fn from(error: StorageError) -> Self {
        Error::Store(error.into())
    }
}

impl From<MediumError> for Error {
    fn from(error: MediumError) -> Self {
        Error::Store(error.into())
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Topology(error) => Error::Store(error),
            GraphError::Storage(error) => Error::Store(error.into()),
            condition @ GraphError::Condition { .. } => Error::argument(
                condition.to_string(),
                "values of a property may differ in type from label to label and from type to \
                 type: choose one with --labels or --types",
            ),
            other => Error::Graph(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn messages_part_into_what_and_what_to_do() {
        let locked = Error::from(StorageError::Locked { pid: 7 });
        assert_eq!(locked.hint(), "close it there first");
        assert!(
            locked.summary().ends_with("(pid 7)"),
            "{}",
            locked.summary()
        );
        let damaged = Error::from(StorageError::damaged("log", 5, "no"));
        assert_eq!(damaged.summary(), "log: damaged at offset 5: no");
        assert!(damaged.hint().starts_with("nothing was changed"));
        let missing = Error::io("x", std::io::Error::from_raw_os_error(2));
        assert!(missing.summary().ends_with("(os error 2)"));
    }

    #[test]
    fn a_full_disk_and_a_denial_are_known_by_their_variants() {
        let io = |kind: ErrorKind| MediumError::Io {
            file: "pool".to_string(),
            doing: "no space left for",
            source: kind.into(),
        };
        let full = || MediumError::NoSpace {
            file: "Permission denied".to_string(),
            wanted_bytes: 1,
        };
        let of_group = Error::Store(TopologyError::Group(Arc::new(full().into())));
        for (error, is_full, is_denied) in [
            (full().into(), true, false),
            (of_group, true, false),
            (io(ErrorKind::PermissionDenied).into(), false, true),
            (io(ErrorKind::ReadOnlyFilesystem).into(), false, true),
            (io(ErrorKind::NotFound).into(), false, false),
            (
                Error::io("x", ErrorKind::PermissionDenied.into()),
                false,
                false,
            ),
        ] {
            assert_eq!(
                (error.is_full(), error.is_denied()),
                (is_full, is_denied),
                "{error}"
            );
        }
    }

    #[test]
    fn limits_of_the_process_are_named() {
        for code in [12, 23, 24] {
            let error = Error::from(MediumError::Io {
                file: "log".to_string(),
                doing: "mapping it for reading",
                source: std::io::Error::from_raw_os_error(code),
            });
            assert!(error.hint().contains("ulimit"), "{error}");
        }
    }

    #[test]
    fn direct_mode_on_files_is_told_where_it_runs() {
        let hint = Error::from(MediumError::NotByteAddressed).hint();
        assert!(hint.contains("--medium dax"), "{hint}");
        assert!(hint.contains("leave out --mode direct"), "{hint}");
    }
}
