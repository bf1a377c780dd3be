//! The database that `evergraph import` imports edges into.

use evergraph::graph::StoredLists;
use evergraph::import::{ImportOptions, default_ids, probe};
use evergraph::{Cancellation, Database, IdKind, Mode, Options};

use crate::import_args::{Args, Directions, Ids, ImportMode};
use crate::medium::or_closed;
use crate::report::{Failure, note};

/// Opens the database, or makes it. Says whether it is new.
pub fn open(
    args: &Args,
    import: &ImportOptions,
    stop: &Cancellation,
) -> Result<(Database, bool), Failure> {
    let options = Options {
        tuning: args.tuning.tuning(),
        ..args.input.medium.options()?
    };
    if Database::exists(&args.input.db) {
        let db = Database::open(&args.input.db, &options)?;
        let db = or_closed(db, |db| {
            db.refuse_property_graph("importing edges")?;
            check_continued(args, db)
        })?;
        if db.config().ids == IdKind::Dense && args.append {
            note_dense();
        }
        return Ok((db, false));
    }
    if args.ids == Some(Ids::Dense) {
        note_dense();
    }
    let options = Options {
        log_bytes: args.log_mib << 20,
        weighted: args.weighted,
        ..choose(args, import, options, stop)?
    };
    Ok((Database::create(&args.input.db, &options)?, true))
}

/// Stored lists and kind of ids of a new database.
fn choose(
    args: &Args,
    import: &ImportOptions,
    options: Options,
    stop: &Cancellation,
) -> Result<Options, Failure> {
    let files = &args.input.files;
    let found = probe(files, &import.reading)?;
    let mut undirected = args.undirected;
    if !undirected && found.symmetric && args.directions.is_none() {
        note("the files say that their edges are undirected; importing them so");
        undirected = true;
    }
    let direction = match (undirected, args.directions) {
        (true, _) => StoredLists::Undirected,
        (false, Some(Directions::Both)) => StoredLists::Both,
        (false, _) => StoredLists::Out,
    };
    let ids = match args.ids {
        None => default_ids(files, import, stop)?,
        Some(Ids::Dense) => IdKind::Dense,
        Some(Ids::Map) if found.numeric => IdKind::Numbers,
        Some(Ids::Map | Ids::Text) => IdKind::Texts,
    };
    let mode = match args.mode {
        ImportMode::Merged => Mode::Merged,
        ImportMode::Direct => Mode::Direct,
    };
    Ok(Options {
        direction,
        ids,
        mode,
        layout: args.layout.unwrap_or(options.layout),
        ..options
    })
}

fn note_dense() {
    note(
        "ids are dense: every number up to the largest is a vertex, in the files or not \
         (`--ids map` in a new database makes vertices of those in the files alone)",
    );
}

/// Refuses what does not fit a database that exists.
pub fn check_continued(args: &Args, db: &Database) -> Result<(), Failure> {
    let config = db.config();
    if args.input.resume && config.mode == Mode::Direct {
        return Err(Failure::new(
            "an import in direct mode cannot be resumed: each edge is a commit of its own",
            "import into another path",
        ));
    }
    let is_empty = db.view().vertex_count() == 0;
    if !is_empty && !args.append && !args.input.resume {
        return Err(Failure::new(
            format!("there is a database at {} already", args.input.db.display()),
            "use --append to add to it, --resume to go on with an interrupted import, or another path",
        ));
    }
    if let Some(layout) = args.layout
        && layout != config.layout
    {
        return Err(Failure::new(
            format!("the database has the layout `{}`", config.layout.name()),
            format!(
                "leave out --layout, or change it first: evergraph relayout {} --layout {}",
                args.input.db.display(),
                layout.name()
            ),
        ));
    }
    let other_direction = (args.undirected && config.direction != StoredLists::Undirected)
        || (args.directions == Some(Directions::Out) && config.direction != StoredLists::Out)
        || (args.directions == Some(Directions::Both) && config.direction != StoredLists::Both);
    let other_ids = match args.ids {
        None => false,
        Some(Ids::Dense) => config.ids != IdKind::Dense,
        Some(Ids::Map) => config.ids == IdKind::Dense,
        Some(Ids::Text) => config.ids != IdKind::Texts,
    };
    if other_direction || other_ids {
        return Err(Failure::new(
            format!(
                "the database was made with directions `{}` and ids `{}`",
                config.direction.name(),
                config.ids.name()
            ),
            "leave out the flag that says otherwise, or import into a new database",
        ));
    }
    Ok(())
}

/// Closes a database after a failure, and removes it if it is new and empty. What
/// fails here is told, too; the failure before is what ends the command.
pub fn give_up(db: Database, is_new: bool, has_committed: bool, error: &evergraph::Error) {
    let is_empty = db.view().vertex_count() == 0;
    if has_committed {
        note("what was committed is in the database and stays; `evergraph stats` counts it");
        match error {
            evergraph::Error::Store(_)
            | evergraph::Error::Graph(_)
            | evergraph::Error::Io { .. } => {
                note("the same command with --resume goes on behind it, once its cause is gone");
            }
            // Says itself how to go on.
            evergraph::Error::Interrupted { .. } => {}
            _ if is_new => note(
                "remove the database before the repaired file is imported: --append would add all its rows",
            ),
            _ => {}
        }
    }
    let ended = match is_new && is_empty {
        true => db.undo_create(),
        false => db.close(),
    };
    if let Err(error) = ended {
        note(&format!(
            "the database could not be closed in order: {error}"
        ));
    }
}
