//! The flags that say where a database's bytes live.

use std::path::{Path, PathBuf};

use evergraph::{Database, Error, LatencyProfile, MediumKind, Options};

use crate::report::{Failure, note};

/// Flags of every command that opens a database.
#[derive(Clone, Debug, clap::Args)]
pub struct MediumArgs {
    /// Medium: file, dax, battery or dram
    #[arg(long, value_name = "M", default_value = "file", value_parser = medium)]
    pub medium: MediumKind,
    /// Take `dax` and `battery` on a directory without MAP_SYNC; commits then
    /// survive the process, not a power cut
    #[arg(long)]
    pub assume_persistent: bool,
    /// Count what reaches the medium, and slow it down as a profile says
    #[arg(
        long,
        value_name = "PROFILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub emulated: Option<String>,
}

/// The arguments of a command that only looks at a database.
#[derive(Clone, Debug, clap::Args)]
pub struct DatabaseArgs {
    /// Directory of the database
    pub db: PathBuf,
    #[command(flatten)]
    medium: MediumArgs,
}

impl DatabaseArgs {
    /// Opens it for reading; the outer failure is one of the arguments.
    pub fn open(&self) -> Result<Result<Database, Error>, Failure> {
        let opened = Database::open(&self.db, &self.medium.read_only()?);
        Ok(opened.inspect(note_writer))
    }
}

/// Says as of which commit a database is shown that another process writes.
pub fn note_writer(db: &Database) {
    let opened = db.open_report();
    if opened.beside_writer {
        note(&format!(
            "note: another process is writing the database; this shows commit {}",
            opened.csn
        ));
    }
}

/// Closes a database behind a change, also behind one that failed: the next to open it would
/// take it for crashed.
pub fn closing<T>(
    db: Database,
    change: impl FnOnce(&Database) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let done = change(&db);
    close(db, done.is_ok());
    done
}

/// Closes a database. An error of this is no failure of the command, whose commits are
/// durable: who repeated it would write twice. A failure before is told rather.
pub fn close(db: Database, is_done: bool) {
    if let (Err(error), true) = (db.close(), is_done) {
        let why = error.summary();
        note(&format!(
            "warning: what was committed is safe, and the next opening recovers it; closing failed: {why}"
        ));
    }
}

/// Gives a database back that passes a check; another one is closed.
pub fn or_closed(
    db: Database,
    check: impl FnOnce(&Database) -> Result<(), Failure>,
) -> Result<Database, Failure> {
    match check(&db) {
        Ok(()) => Ok(db),
        Err(failure) => {
            // That it is refused says more.
            let _ = db.close();
            Err(failure)
        }
    }
}

impl MediumArgs {
    /// Opens a database, changes and closes it.
    pub fn change<T>(
        &self,
        db: &Path,
        change: impl FnOnce(&Database) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        closing(Database::open(db, &self.options()?)?, change)
    }

    /// Opens a database for reading, also while another process writes it.
    pub fn open_to_read(&self, db: &Path) -> Result<Database, Failure> {
        Ok(Database::open(db, &self.read_only()?).inspect(note_writer)?)
    }

    /// Options for opening a database on this medium.
    pub fn options(&self) -> Result<Options, Failure> {
        let emulated = match self.emulated.as_deref() {
            None => None,
            Some("") => Some(None),
            Some(name) => Some(Some(profile(name)?)),
        };
        Ok(Options {
            medium: self.medium,
            assume_persistent: self.assume_persistent,
            emulated,
            ..Options::default()
        })
    }

    /// As [`MediumArgs::options`], without writing a byte.
    pub fn read_only(&self) -> Result<Options, Failure> {
        Ok(Options {
            read_only: true,
            ..self.options()?
        })
    }
}

fn medium(name: &str) -> Result<MediumKind, String> {
    let found = MediumKind::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let names: Vec<&str> = MediumKind::ALL.iter().map(|(name, _)| *name).collect();
        format!("choose one of {}", names.join(", "))
    })
}

fn profile(name: &str) -> Result<LatencyProfile, Failure> {
    LatencyProfile::named(name).ok_or_else(|| {
        let names = LatencyProfile::ALL.map(|profile| profile.name);
        Failure::usage(
            format!("there is no profile {name:?}"),
            format!(
                "choose one of {}, or give no profile to count only",
                names.join(", ")
            ),
        )
    })
}
