//! Opening a database for statements.

use std::path::Path;

use evergraph::query::Statement;
use evergraph::{Database, Error, MediumKind, Options, StorageError, TopologyError};

use crate::medium::{MediumArgs, note_writer, or_closed};
use crate::report::Failure;

/// Opens a database for one statement, and says whether only for reading: then others may
/// write meanwhile. It is made if there is none, and that is wanted.
pub fn for_statement(
    path: &Path,
    medium: &MediumArgs,
    create: bool,
    statement: &Statement,
) -> Result<(Database, bool), Failure> {
    let options = medium.options()?;
    if create && is_missing(path, &options) {
        return Ok((created(path, options)?, false));
    }
    let db = opened(path, &medium.read_only()?)?;
    // What cannot be run is told when it is run.
    if !db.is_write(statement).unwrap_or(false) {
        note_writer(&db);
        return Ok((db, true));
    }
    drop(db);
    Ok((opened(path, &options)?, false))
}

/// Opens a database for statements that may write; for reading, if another process writes
/// it or its files may only be read.
pub fn for_many(
    path: &Path,
    medium: &MediumArgs,
    create: bool,
) -> Result<(Database, bool), Failure> {
    let options = medium.options()?;
    if create && is_missing(path, &options) {
        return Ok((created(path, options)?, false));
    }
    match Database::open(path, &options) {
        Ok(db) => Ok((checked(db)?, false)),
        Err(error) if can_be_read(&error) => {
            let db = opened(path, &medium.read_only()?)?;
            note_writer(&db);
            Ok((db, true))
        }
        // Which tells how one is made.
        Err(_) => opened(path, &options).map(|db| (db, false)),
    }
}

fn can_be_read(error: &Error) -> bool {
    match error {
        Error::Store(TopologyError::Storage(StorageError::Locked { .. })) => true,
        error => error.is_denied(),
    }
}

fn is_missing(path: &Path, options: &Options) -> bool {
    options.medium == MediumKind::Dram || !Database::exists(path)
}

fn created(path: &Path, options: Options) -> Result<Database, Failure> {
    let options = Options {
        property_graph: true,
        ..options
    };
    Ok(Database::create(path, &options)?)
}

fn opened(path: &Path, options: &Options) -> Result<Database, Failure> {
    let db = match Database::open(path, options) {
        Err(Error::Usage { message, .. }) if !path.is_file() && !Database::exists(path) => {
            let hint = "check the path, or make one with --create or `evergraph import`";
            return Err(Failure::new(message, hint));
        }
        db => db?,
    };
    checked(db)
}

/// Refuses plain edges, and closes their database, which may be open for writing.
fn checked(db: Database) -> Result<Database, Failure> {
    or_closed(db, |db| Ok(db.property_graph().map(drop)?))
}
