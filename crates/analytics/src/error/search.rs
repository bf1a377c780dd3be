//! Errors of full-text and vector search, for the person who must act.

use super::Error;

#[cfg(any(feature = "fulltext", feature = "vector"))]
fn of_file(error: evergraph_search::IndexFileError) -> Error {
    use evergraph_search::IndexFileError;
    match error {
        IndexFileError::InUse { .. } => Error::usage(
            "another search has this index open",
            "try again when it has ended",
        ),
        IndexFileError::Ahead { .. } => Error::usage(
            "this index has later commits than this process, which only reads, has seen",
            "open the database again",
        ),
        IndexFileError::NotThere { path } => Error::usage(
            format!("{}: there is no such index", path.display()),
            "`evergraph search DB list` shows what there is",
        ),
        IndexFileError::Io { path, source } => Error::io(path.display().to_string(), source),
    }
}

#[cfg(any(feature = "fulltext", feature = "vector"))]
fn stopped() -> Error {
    Error::Interrupted {
        message: "the index was not brought up to date".to_string(),
        hint: "nothing is lost; search again".to_string(),
    }
}

#[cfg(feature = "fulltext")]
impl From<evergraph_search::fulltext::TextError> for Error {
    fn from(error: evergraph_search::fulltext::TextError) -> Self {
        use evergraph_search::fulltext::TextError;
        match error {
            TextError::Graph(error) => error.into(),
            TextError::IndexFile(error) => of_file(error),
            TextError::Stopped => stopped(),
            TextError::Query { .. } => Error::argument(
                error.to_string(),
                "a query is words; OR, -word, \"words side by side\" and (brackets) say more",
            ),
            TextError::Index { ref path, .. } => Error::usage(
                error.to_string(),
                format!("remove {}, and search again", path.display()),
            ),
            TextError::Definition { .. } | TextError::OtherGraph => {
                Error::argument(error.to_string(), "see docs/search.md")
            }
        }
    }
}

#[cfg(feature = "vector")]
impl From<evergraph_search::vector::VectorError> for Error {
    fn from(error: evergraph_search::vector::VectorError) -> Self {
        use evergraph_search::vector::VectorError;
        match error {
            VectorError::Graph(error) => error.into(),
            VectorError::IndexFile(error) => of_file(error),
            VectorError::Stopped => stopped(),
            VectorError::Library(_) => Error::usage(
                error.to_string(),
                "the index is held in memory: see what is free",
            ),
            VectorError::Query(_) | VectorError::Definition { .. } | VectorError::OtherGraph => {
                Error::argument(error.to_string(), "see docs/search.md")
            }
        }
    }
}
